"""Types of sums, levels of tables of floats, statistics straight from images, and how many samples must count."""

import pickle
import warnings

import dask.array as da
import numpy as np
import oracle
import pytest

import sat
import sat.dask as sd


@pytest.fixture(scope="module")
def flat():
    """A raster whose deviations are small beside its mean."""
    return (2500 + 0.05 * np.random.default_rng(0).standard_normal((600, 500))).astype("f4")


def rectangles(rng, shape, n=300, side=3):
    x, y = rng.integers(0, shape[1] - side, n), rng.integers(0, shape[0] - side, n)
    return np.stack([x, y, *np.full((2, n), side)], 1)


def deviations(a, rects):
    return np.array([a[y : y + h, x : x + w].astype(float).std() for x, y, w, h in rects])


def test_deviations_of_flat_rasters(rng, flat, tmp_path):
    rects = rectangles(rng, flat.shape)
    want = deviations(flat, rects)
    t = sat.table(flat, 2)
    assert t.level in flat[0] and abs(t.level - np.median(flat[0])) < 0.05
    t.save(tmp_path / "t.npy")
    made = sat.Table.from_array(t.array, "f4", squares=t.squares, level=t.level)
    for one in (t, sat.load(tmp_path / "t.npy"), pickle.loads(pickle.dumps(t)), made):
        assert one.level == t.level
        got = one.query(rects, ["std", "mean", "sum", "rms"])
        np.testing.assert_allclose(got["std"], want, rtol=1e-9)
        part = [flat[y : y + h, x : x + w].astype(float) for x, y, w, h in rects]
        np.testing.assert_allclose(got["mean"], [p.mean() for p in part], rtol=1e-14)
        np.testing.assert_allclose(got["sum"], [p.sum() for p in part], rtol=1e-14)
        np.testing.assert_allclose(got["rms"], [np.sqrt((p**2).mean()) for p in part], rtol=1e-14)
    np.testing.assert_allclose(sat.query(flat, rects, "std")["std"], want, rtol=1e-12)
    np.testing.assert_allclose(sat.query(t, rects, "std")["std"], want, rtol=1e-9)


@pytest.mark.parametrize("rows", [7, 100, 600])
def test_deviations_of_flat_rasters_in_chunks(rng, flat, tmp_path, rows):
    rects = rectangles(rng, flat.shape, 40)
    want = deviations(flat, rects)
    x = da.from_array(flat, (rows, 130))
    lazy, written = sd.table(x, 2), sd.table(x, 2, to=tmp_path / "t.zarr")
    assert lazy.level == written.level == sat.table(flat, 2).level
    for t in (lazy, written, str(tmp_path / "t.zarr"), x, flat):
        got = sd.query(t, rects, ["std", "mean", "sum", "rms"])
        np.testing.assert_allclose(got["std"], want, rtol=1e-9)
        np.testing.assert_allclose(got["mean"], sat.query(flat, rects, "mean")["mean"], rtol=1e-14)
        np.testing.assert_allclose(got["sum"], sat.query(flat, rects, "sum")["sum"], rtol=1e-14)
        np.testing.assert_allclose(got["rms"], sat.query(flat, rects, "rms")["rms"], rtol=1e-14)


def test_levels_are_of_valid_samples():
    a = np.full((4, 5), 7.5)
    a[0], a[1, 0], a[2] = np.nan, np.inf, -9999
    assert sat.table(a, 2, nodata=np.nan).level == 7.5
    a[1] = -9999
    assert sat.table(a, 2, nodata=-9999).level == 7.5, "neither NaN nor nodata"
    assert sd.table(da.from_array(a, (1, 5)), 2, nodata=-9999).level == 7.5
    assert sat.table(a).level == 0 and sat.table(np.ones((4, 5), "u1"), 2).level == 0
    assert sat.table(np.full((3, 3), np.nan), 2).level == 0
    with pytest.raises(ValueError, match="^level: "):
        sat.Table.from_array(np.zeros((4, 4)), "f8", level=3)
    for level in (np.nan, np.inf, 0.1, 1e60):
        with pytest.raises(ValueError, match="^level: .*, which no float32 sample can have"):
            sat.Table.from_array(np.zeros((4, 4)), "f4", squares=np.zeros((4, 4)), level=level)
    assert "less 7.5" in repr(sat.table(np.full((3, 3), 7.5), 2))


def test_one_warning_where_precision_is_lost(rng, flat):
    rects = rectangles(rng, flat.shape)
    sums, squares = (np.cumsum(np.cumsum(flat.astype(float) ** power, 0), 1) for power in (1, 2))
    t = sat.Table.from_array(sums, "f4", "inclusive", squares)
    lazy = sd.Table(da.from_array(sums), da.from_array(squares), None, np.dtype("f4"))
    for call in (lambda: t.query(rects, "std"), lambda: t.var(rects), lambda: sd.query(lazy, rects, "std")):
        with pytest.warns(sat.PrecisionWarning, match="sat.query") as caught:
            call()
        assert len(caught) == 1 and caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sat.query(flat, rects, "std")
        sat.table(flat, 2).query(rects, "std")
        t.query(rects, ["mean", "sum", "rms"])
        relief = sat.table(200 * np.random.default_rng(3).random((300, 300), np.float32), 2)
        np.testing.assert_array_less(0, relief.query(rectangles(np.random.default_rng(2), (300, 300)), "std")["std"])


def test_equal_samples_do_not_deviate():
    t = sat.table(np.full((90, 90), 1_000_001), 2)
    for rect in ([0.5, 0.5, 80.3, 80.3], [1, 2, 80, 70]):
        assert t.query(rect, "std")["std"] == 0
    lazy = sd.table(da.from_array(np.full((90, 90), 1_000_001, "i4"), (30, 90)), 2)
    assert sd.query(lazy, [1, 2, 80, 70], "std")["std"] == 0


@pytest.mark.parametrize("dtype", oracle.DTYPES)
def test_sums_are_signed(rng, dtype):
    a = oracle.image(rng, (23, 31), dtype)
    wants = np.float64 if a.dtype.kind == "f" else np.int64
    rects = np.array([[0, 0, 9, 9], [9, 9, 9, 9]])
    t = sat.table(a)
    lazy = da.from_array(a, (9, 31))
    sums = [
        t.sum(rects),
        sat.query(a, rects, "sum")["sum"],
        sd.query(sd.table(lazy), rects, "sum")["sum"],
        sd.query(lazy, rects, "sum")["sum"],
        np.array([t[0:9, 0:9].sum, t[9:18, 9:18].sum]),
    ]
    first, second = (a[y : y + 9, y : y + 9].astype(object if wants is np.int64 else float).sum() for y in (0, 9))
    for got in sums:
        assert got.dtype == wants
        assert got[0] - got[1] == pytest.approx(first - second, abs=1e-6)
    ones = np.ones((3, 3), bool)
    for got in (sat.table(ones).query([0, 0, 2, 2], "sum"), sd.query(sd.table(ones), [0, 0, 2, 2], "sum")):
        assert got["sum"].dtype == np.int64 and got["sum"] == 4


def test_sums_that_int64_may_not_hold():
    from sat._rects import sum_dtype

    assert sum_dtype(np.dtype("u4"), 2**31) == np.int64 and sum_dtype(np.dtype("u4"), 2**31 + 2) == np.uint64
    assert sum_dtype(np.dtype("i4"), 2**40) == np.int64 and sum_dtype(np.dtype("f4"), 1) == np.float64


def test_sums_of_windows_lose_no_unit(rng):
    a = rng.integers(60000, 65535, (40, 50)).astype("u2")
    want = sat.table(a).sum([[5, 4, 31, 31]])[0]
    for x in (a, da.from_array(a, (20, 50))):
        window = sat.window if x is a else sd.window
        got = window(x, 31, "sum", "constant")
        assert got.dtype == np.float64 and int(np.asarray(got)[19, 20]) == want
        mean, total = window(x, 31, ["mean", "sum"], "constant")
        assert mean.dtype == np.float32 and total.dtype == np.float64 and int(np.asarray(total)[19, 20]) == want
        np.testing.assert_array_equal(np.asarray(mean), sat.window(a, 31, "mean", "constant"))
        whole = window(x, 31, ["sum", "count"], "constant", dtype=np.int64)
        assert whole[0].dtype == np.int64 and int(np.asarray(whole[0])[19, 20]) == want
    out = np.zeros(a.shape, np.int64)
    assert sat.window(a, 31, "sum", "constant", out=out, dtype="i8") is out and out[19, 20] == want
    with pytest.raises(ValueError, match="f(loat)?32 is exact up to"):
        sat.window(a, 31, "sum", dtype="f4")
    with pytest.raises(TypeError, match="int64: only for sums and counts"):
        sat.window(a, 31, ["sum", "mean"], dtype=np.int64)
    assert sat.window(a, 15, "count").dtype == np.float32
    for bad in (np.nan, np.inf, 0.5, 2.0**53 + 2):
        with pytest.raises(ValueError, match="^empty: .* whole number"):
            sat.window(a, 3, "sum", nodata=60000, dtype=np.int64, empty=bad)
    np.testing.assert_array_equal(sat.window(a, 31, "sum", dtype=">i8"), sat.window(a, 31, "sum", dtype="i8"))
    empty = sat.window(a, 3, "sum", nodata=60000, min_valid=1.0, dtype=np.int64)
    assert empty[0, 0] == 0, "of integers 0"


def test_numbers_and_shares_of_samples():
    a = np.ones((6, 6), np.float32)
    a[2, 2] = np.nan
    for call in (sat.box, lambda *args, **more: sat.window(*args[:2], "mean", **more)):
        one, share, whole = (call(a, 3, nodata=np.nan, min_valid=n) for n in (1, 0.999, 1.0))
        assert np.isfinite(one).all()
        assert np.isfinite(share).sum() == np.isfinite(whole).sum() == 7, "the edge and the hole leave 7 of 16 + 20"
        np.testing.assert_array_equal(call(a, 3, nodata=np.nan, min_valid=np.int64(9)), whole)
        np.testing.assert_array_equal(call(a, 3, nodata=np.nan, min_valid=np.float32(1)), whole)
        with pytest.raises(ValueError, match="^min_valid: 9.0; a share of the window is 0.0 to 1.0"):
            call(a, 3, nodata=np.nan, min_valid=9.0)
    wide = np.pad(a, 6, constant_values=1)
    inner = sat.gauss(wide, 0.5, nodata=np.nan, min_valid=1.0)
    assert np.isnan(inner[8, 8]) and np.isnan(inner[0, 0]) and np.isfinite(inner[3, 3])
    with pytest.raises(ValueError, match="^min_valid: a number of samples; of Gaussians a share"):
        sat.gauss(a, 0.5, nodata=np.nan, min_valid=1)
    lazy = sd.box(da.from_array(a, (3, 6)), 3, nodata=np.nan, min_valid=1.0)
    np.testing.assert_array_equal(lazy, sat.box(a, 3, nodata=np.nan, min_valid=1.0))


@pytest.mark.parametrize("border", ["reflect101", "reflect", "replicate", "wrap"])
def test_windows_larger_than_the_image(rng, border):
    a = rng.random((4, 5)).astype("f4")
    modes = {"reflect101": "reflect", "reflect": "symmetric", "replicate": "edge", "wrap": "wrap"}
    around = np.pad(a.astype(float), 7, modes[border])
    parts = np.lib.stride_tricks.sliding_window_view(around, (15, 15))
    np.testing.assert_allclose(sat.window(a, 15, "mean", border), parts.mean((2, 3)), rtol=1e-6)
    np.testing.assert_allclose(sat.window(a, 15, "std", border), parts.std((2, 3)), rtol=1e-6)
    niblack = sat.window(np.ones((4, 4)), 15, "niblack", border)
    np.testing.assert_allclose(niblack, 1)


def test_query_of_images(rng):
    a = oracle.image(rng, (3, 20, 24, 2), "uint8")
    rects = [[0, 0, 5, 6], [3, 4, 7, 8]]
    names = ["mean", "sum", "std", "count", "area"]
    want = sat.table(a, 2, channel_axis=3, batch_axis=0).query(rects, names)
    got = sat.query(a, rects, names, channel_axis=3, batch_axis=0)
    for name in names:
        assert got[name].dtype == want[name].dtype and np.array_equal(got[name], want[name])
    out = {name: np.empty_like(want[name]) for name in names}
    sat.query(a, rects, names, out=out, channel_axis=3, batch_axis=0)
    assert all(np.array_equal(out[name], want[name]) for name in names)
    mask = rng.integers(0, 2, (20, 24), dtype="u1")
    grey = a[0, :, :, 0]
    assert sat.query(grey, rects[1], "count", mask)["count"] == (mask[4:12, 3:10] != 0).sum()
    assert sat.query(np.ma.array(grey, mask=mask == 0), rects[1], "count")["count"] == (mask[4:12, 3:10] != 0).sum()
    lazy = sd.query(da.from_array(grey, (6, 24)), rects, names, mask)
    for name in names:
        assert np.array_equal(lazy[name], sat.query(grey, rects, names, mask)[name])
    with pytest.raises(TypeError, match="an image's; a table has its own"):
        sat.query(sat.table(grey), rects, "mean", mask)
    with pytest.raises(ValueError, match="rectangle 0"):
        sat.query(grey, [[20, 0, 9, 9]], "mean")
    with pytest.raises(ValueError, match="rectangle 0"):
        sd.query(da.from_array(grey, (6, 24)), [[20, 0, 9, 9]], "mean")


def test_compat_of_scikit_image_and_opencv(rng):
    a = oracle.image(rng, (9, 8), "uint8")
    ii = sat.compat.integral_image(a)
    got = sat.compat.integrate(ii, [(0, 0), (-3, -2)], [(3, 3), (-1, -1)])
    assert got.dtype == np.float64 and got.tolist() == [a[:4, :4].sum(), a[-3:, -2:].sum()]
    for start, end in [((0, 0), (9, 2)), ((-10, 0), (2, 2)), ((3, 3), (2, 3))]:
        with pytest.raises(IndexError):
            sat.compat.integrate(ii, start, end)
    assert sat.compat.integral(a[:, :, None]).shape == (10, 9)


def test_dask_gauss_of_a_constant_border():
    got = sd.gauss(da.ones((30, 40), chunks=(10, 40)), 2, border="constant", border_value=5)
    np.testing.assert_allclose(got, sat.gauss(np.ones((30, 40)), 2, "constant", border_value=5), rtol=1e-12)


def test_query_of_a_data_array(rng):
    xarray = pytest.importorskip("xarray")
    attrs = {"_FillValue": 3, "scale_factor": 0.5}
    x = xarray.DataArray(oracle.image(rng, (20, 24), "int16"), dims=("y", "x"), attrs=attrs)
    y = np.where(x.values == 3, np.nan, x.values * 0.5)
    part = y[4:12, 3:10]
    for got in (sat.query(x, [3, 4, 7, 8], ["mean", "count"]), sd.query(x, [3, 4, 7, 8], ["mean", "count"])):
        assert got["mean"] == pytest.approx(np.nanmean(part)) and got["count"] == np.isfinite(part).sum()


def test_outliers_do_not_move_a_level(rng):
    """A value for no data that nobody has named spoils sums below and right of it, not those left of it."""
    a = rng.normal(100, 1, (50, 60)).astype("f4")
    a[0, 40:] = -3.4e38
    t = sat.table(a, 2)
    assert abs(t.level - 100) < 5
    got, want = t.query([3, 3, 20, 20], ["mean", "std"]), a[3:23, 3:23].astype(float)
    np.testing.assert_allclose([got["mean"], got["std"]], [want.mean(), want.std()], rtol=1e-12)


def test_one_level_serves_all_or_none(rng):
    near = np.stack([rng.normal(1e6, 0.05, (40, 50)), rng.normal(1e6 + 9, 0.05, (40, 50))])
    far = np.stack([rng.normal(1e6, 0.05, (40, 50)), rng.normal(0, 1, (40, 50))])
    for axis in ("batch_axis", "channel_axis"):
        assert abs(sat.table(near, 2, **{axis: 0}).level - 1e6) < 9 and sat.table(far, 2, **{axis: 0}).level == 0
    one = far[0]
    assert sat.table(np.asfortranarray(one), 2).level == sat.table(one, 2).level
    constant = sat.table(np.full((50, 50), 0.1), 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert constant.level == 0.1 and constant.query([3, 3, 9, 9], "std")["std"] == 0
        lazy = sd.table(da.from_array(one, (10, 50)), 2)
        assert (sd.query(lazy, [[i, i, 1, 1] for i in range(30)], "std")["std"] == 0).all()


def test_rms_of_a_table_is_never_nothing(rng):
    a = rng.normal(0, 1, (60, 60))
    a[0] = 1e7
    rects = rectangles(rng, a.shape, 100, 5)
    for call in (lambda: sat.table(a, 2).query(rects, "rms"), lambda: sd.query(sd.table(a, 2), rects, "rms")):
        with pytest.warns(sat.PrecisionWarning):
            assert np.isfinite(call()["rms"]).all()


def test_sums_of_64_bit_samples():
    for kind in ("u8", "i8"):
        a = np.arange(100, dtype=kind).reshape(10, 10)
        rect = [[0, 0, 2, 2]]
        for got in (sat.query(a, rect, "sum"), sd.query(sd.table(a), rect, "sum"), sd.query(a, rect, "sum")):
            assert got["sum"].dtype == np.int64 and got["sum"][0] == 22
    assert sat.compat.integrate(np.array([[2**63 + 5]], np.uint64), (0, 0), (0, 0))[0] == float(2**63)


def test_int64_is_of_integers(rng):
    with pytest.raises(TypeError, match="sums of floats"):
        sat.window(np.full((4, 4), 1.9), 3, "sum", dtype=np.int64)
    assert sat.window(np.full((4, 4), 1.9), 3, "count", dtype=np.int64)[1, 1] == 9
    out = np.zeros((4, 4), np.int64)
    assert sat.window(np.ones((4, 4), "u1"), 3, "sum", out=out) is out and out[1, 1] == 9
    with pytest.raises(TypeError, match="result: int64; float64 holds"):
        sat.Window((4, 4), "u1", 3, "sum", result=np.int64)
