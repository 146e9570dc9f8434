"""SciPy, scikit-image and OpenCV: equal, or by how much not, and why."""

import numpy as np
import oracle
import pytest

import sat

cv2 = pytest.importorskip("cv2")
ndimage = pytest.importorskip("scipy.ndimage")
transform = pytest.importorskip("skimage.transform")
filters = pytest.importorskip("skimage.filters")
CV_BORDERS = {"reflect101": 4, "reflect": 2, "replicate": 1}
SCIPY_BORDERS = {
    "reflect101": "mirror",
    "reflect": "reflect",
    "replicate": "nearest",
    "wrap": "wrap",
    "constant": "constant",
}


@pytest.mark.parametrize("shape", [(57, 63), (57, 63, 3)])
def test_cv2_integral(rng, shape):
    a = oracle.image(rng, shape, "uint8")
    want = cv2.integral(a)
    got = sat.compat.integral(a)
    assert got.dtype == want.dtype and np.array_equal(got, want)
    assert np.array_equal(sat.compat.integral(a, cv2.CV_64F), cv2.integral(a, sdepth=cv2.CV_64F))
    f = oracle.image(rng, shape, "float32")
    np.testing.assert_allclose(sat.compat.integral(f), cv2.integral(f), rtol=1e-9, atol=1e-6)
    t = sat.Table.from_array(want, "u1")
    assert np.array_equal(t.mean([1, 2, 3, 4]), a[2:6, 1:4].mean((0, 1)))


@pytest.mark.parametrize("border", CV_BORDERS)
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int16", "float32", "float64"])
def test_cv2_blur(rng, dtype, border):
    a = oracle.image(rng, (57, 63), dtype)
    for side in [3, 5, 15]:
        want = cv2.blur(a, (side, side), borderType=CV_BORDERS[border])
        got = sat.box(a, side, border)
        if dtype == "uint8":
            assert np.array_equal(got, want)
        else:
            np.testing.assert_allclose(
                got.astype(float), want.astype(float), rtol=1e-5, atol=1 if a.dtype.kind != "f" else 1e-4
            )


def test_cv2_blur_of_even_sides_follows_the_same_windows(rng):
    """OpenCV's rounding of even sides errs by up to 0.75; the windows are the same."""
    a = oracle.image(rng, (57, 63), "uint8")
    for side in [2, 4, 6, 8]:
        exact = oracle.mean(a, side, "reflect101")
        assert np.array_equal(sat.box(a, side, "reflect101"), oracle.rounded(exact, "uint8"))
        assert np.abs(cv2.blur(a, (side, side)) - exact).max() <= 0.75


@pytest.mark.parametrize("border", SCIPY_BORDERS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_scipy_uniform_filter(rng, dtype, border):
    a = oracle.image(rng, (57, 63), dtype)
    for size in [3, (5, 8), 15]:
        want = ndimage.uniform_filter(a, size, mode=SCIPY_BORDERS[border])
        np.testing.assert_allclose(sat.box(a, size, border), want, rtol=1e-4, atol=1e-3)


def test_scipy_rounds_after_each_axis(rng):
    a = oracle.image(rng, (57, 63), "uint8")
    exact = oracle.mean(a, 15, "reflect")
    assert np.abs(sat.box(a, 15, "reflect") - exact).max() <= 0.5 < np.abs(ndimage.uniform_filter(a, 15) - exact).max()


@pytest.mark.parametrize("border", SCIPY_BORDERS)
@pytest.mark.parametrize("sigma", [0.7, 2.0, 4.0])
def test_scipy_gaussian_filter(rng, border, sigma):
    a = oracle.image(rng, (57, 63), "float64")
    want = ndimage.gaussian_filter(a, sigma, mode=SCIPY_BORDERS[border])
    np.testing.assert_allclose(sat.gauss(a, sigma, border), want, rtol=1e-9, atol=1e-9)


def test_wide_gaussians_are_near(rng):
    a = oracle.image(rng, (257, 263), "float64")
    want = ndimage.gaussian_filter(a, 12, truncate=6)
    assert np.abs(sat.gauss(a, 12, "reflect") - want).max() < 0.003 * np.abs(a).max()


@pytest.mark.parametrize("dtype", oracle.DTYPES + ["bool"])
def test_skimage_integral_image(rng, dtype):
    a = oracle.image(rng, (57, 63), dtype)
    got, want = sat.compat.integral_image(a), transform.integral_image(a)
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9 if dtype != "float32" else 1e-6)
    start, end = [(2, 1), (0, 0)], [(5, 3), (56, 62)]
    np.testing.assert_allclose(
        sat.compat.integrate(got, start, end), transform.integrate(want, start, end), rtol=1e-9, atol=1e-6
    )
    np.testing.assert_allclose(
        sat.compat.integrate(got, (2, 1), (5, 3)), transform.integrate(want, (2, 1), (5, 3)), rtol=1e-9, atol=1e-6
    )


def test_compat_says_what_it_is_not(rng):
    with pytest.raises(ValueError, match="3 dimensions"):
        sat.compat.integral_image(np.ones((4, 4, 3)))
    with pytest.raises(ValueError, match="sdepth"):
        sat.compat.integral(np.ones((4, 4)), 3)
    with pytest.raises(TypeError):
        sat.compat.integrate(np.ones((4, 4)), (0.5, 0), (1, 1))


def test_skimage_thresholds(rng):
    a = oracle.image(rng, (57, 63), "uint8")
    np.testing.assert_allclose(
        sat.window(a, 15, "niblack", "reflect101", k=-0.2, dtype=float),
        filters.threshold_niblack(a, 15, k=0.2),
        rtol=1e-6,
    )
    np.testing.assert_allclose(
        sat.window(a, 15, "sauvola", "reflect101", k=0.2, r=128, dtype=float),
        filters.threshold_sauvola(a, 15, k=0.2, r=128),
        rtol=1e-6,
    )


def test_skimage_filters(rng):
    a = oracle.image(rng, (70, 80), "float64")
    for ours, theirs in [
        (sat.window(a, 15, "sauvola", "reflect101", k=0.2, r=1), filters.threshold_sauvola(a, 15, k=0.2)),
        (sat.window(a, 15, "mean", "reflect") - 3, filters.threshold_local(a, 15, "mean", offset=3)),
        (sat.gauss(a, 2, "replicate"), filters.gaussian(a, 2)),
        (sat.dog(a, 1, 3, "replicate"), filters.difference_of_gaussians(a, 1, 3)),
    ]:
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)


def test_bands_of_rasterio(rng):
    bands = np.ma.masked_equal(oracle.image(rng, (3, 40, 50), "float32"), 0)
    bands[:, 5:9, 7:20] = np.ma.masked
    got = sat.box(bands, 9, channel_axis=0)
    assert all(np.array_equal(got[i], sat.box(bands[i], 9), equal_nan=True) for i in range(3))


def test_cv2_adaptive_threshold(rng):
    a = oracle.image(rng, (57, 63), "uint8")
    want = cv2.adaptiveThreshold(a, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, 15, 7)
    mean = sat.box(a, 15, "replicate")
    assert np.array_equal(np.where(a > mean.astype(int) - 7, 255, 0), want)


def test_pandas(rng):
    pandas = pytest.importorskip("pandas")
    a = oracle.image(rng, (9, 8), "float64")
    np.testing.assert_allclose(sat.box(pandas.DataFrame(a), 3), sat.box(a, 3), rtol=1e-9)
    frame = pandas.DataFrame(sat.table(a, 2).query([[0, 0, 8, 9], [1, 2, 3, 4]], ["mean", "std", "count"]))
    assert frame.shape == (2, 3) and frame["mean"][1] == pytest.approx(a[2:6, 1:4].mean())
