"""Filters against the definitions, over dtypes, borders, masks, axes and sizes."""

import pickle

import numpy as np
import oracle
import pytest

import sat


@pytest.mark.parametrize("border", oracle.BORDERS)
@pytest.mark.parametrize("dtype", oracle.DTYPES)
def test_box(rng, dtype, border):
    a = oracle.image(rng, (17, 19), dtype)
    for size in [3, (5, 2), (1, 7), 8]:
        got = sat.box(a, size, border)
        want = oracle.mean(a, size, border)
        assert got.dtype == dtype
        if a.dtype.kind == "f":
            np.testing.assert_allclose(got, want, rtol=1e-5 if dtype == "float32" else 1e-12, atol=1e-4)
        else:
            assert np.array_equal(got, oracle.rounded(want, dtype)), size
            assert np.array_equal(sat.box(a, size, border, dtype=float), want)
    assert (
        np.array_equal(sat.box(a, 4, border, anchor="first", dtype="f8"), oracle.mean(a, 4, border, first=True))
        or a.dtype.kind == "f"
    )


def test_box_of_bool_is_a_share(rng):
    a = oracle.image(rng, (17, 19), "bool")
    got = sat.box(a, 3)
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, oracle.mean(a, 3), rtol=1e-6)


def test_border_values(rng):
    a = oracle.image(rng, (9, 8, 3), "uint8")
    got = sat.box(a, 5, "constant", border_value=[1, 2, 3], dtype=float)
    for c in range(3):
        assert np.array_equal(got[..., c], oracle.mean(a[..., c], 5, "constant", c + 1))
    assert np.array_equal(
        sat.box(a, 5, "constant", border_value=9, dtype=float)[..., 1], oracle.mean(a[..., 1], 5, "constant", 9)
    )
    planes = np.moveaxis(np.ascontiguousarray(np.moveaxis(a, 2, 0)), 0, 2)
    assert np.array_equal(sat.box(planes, 5, "constant", border_value=[1, 2, 3], dtype=float), got)
    with pytest.raises(ValueError, match="2 values for 3"):
        sat.box(a, 5, "constant", border_value=[1, 2])


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64"])
@pytest.mark.parametrize("border", ["shrink", "reflect", "constant"])
def test_masks(rng, dtype, border):
    a = oracle.image(rng, (17, 19), dtype)
    mask = rng.random(a.shape) < 0.4
    mask[:6, :6] = False
    want = oracle.mean(a, 5, border, mask=mask)
    got = sat.box(a, 5, border, mask, dtype=float)
    np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9)
    assert np.array_equal(sat.box(np.ma.MaskedArray(a, ~mask), 5, border, dtype=float), got, equal_nan=True)
    mean, n, std = sat.window(a, 5, ["mean", "count", "std"], border, mask, dtype=float)
    np.testing.assert_allclose(mean, want, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(std, np.sqrt(oracle.var(a, 5, border, mask=mask)), rtol=1e-6, atol=1e-5)
    assert np.array_equal(n, oracle.windows(a, 5, border, mask=mask)[1].sum((2, 3)))
    assert (sat.box(a, 5, border, mask, dtype=float, min_valid=10, empty=-5)[n < 10] == -5).all()
    kept = sat.box(a, 5, border, mask, dtype=float, keep_holes=True)
    assert np.isnan(kept[~mask]).all() and np.array_equal(kept[mask], got[mask])
    kept, value = (sat.gauss(a, 2, border, mask, dtype="float32", keep_holes=True, empty=e) for e in (None, -9999))
    assert np.isnan(kept[~mask]).all() and (value[~mask] == -9999).all() and np.array_equal(kept[mask], value[mask])


def test_nodata(rng):
    a = oracle.image(rng, (17, 19), "float32")
    a[4:9, 4:9] = -9999
    want = oracle.mean(a, 3, mask=a != -9999)
    np.testing.assert_allclose(sat.box(a, 3, nodata=-9999), want, rtol=1e-5)
    a[a == -9999] = np.nan
    np.testing.assert_allclose(sat.box(a, 3, nodata=np.nan), want, rtol=1e-5)
    spoiled = np.isnan(sat.box(a, 3))
    assert np.array_equal(
        spoiled, oracle.windows(np.isnan(a), 3)[0].any((2, 3))
    ), "a NaN reaches the windows that hold it"


def test_window_statistics(rng):
    a = oracle.image(rng, (17, 19), "uint8")
    m, v = oracle.mean(a, 7), oracle.var(a, 7)
    got = dict(
        zip(
            ["mean", "var", "std", "rms", "sum", "norm"],
            sat.window(a, 7, ["mean", "var", "std", "rms", "sum", "norm"], dtype=float),
        )
    )
    np.testing.assert_allclose(got["mean"], m, rtol=1e-15)
    np.testing.assert_allclose(got["var"], v, rtol=1e-12)
    np.testing.assert_allclose(got["std"], np.sqrt(v), rtol=1e-12)
    np.testing.assert_allclose(got["rms"], np.sqrt(v + m * m), rtol=1e-12)
    np.testing.assert_allclose(got["norm"], (a - m) / np.sqrt(v), rtol=1e-9, atol=1e-12)
    surface = sat.window(a, 7, "sauvola", k=0.3, r=100, dtype=float)
    np.testing.assert_allclose(surface, m * (1 + 0.3 * (np.sqrt(v) / 100 - 1)), rtol=1e-9)
    assert isinstance(sat.window(a, 7, ["mean"]), tuple) and sat.window(a, 7, "mean").dtype == np.float32
    assert sat.window(a.astype(np.int32), 7, "mean").dtype == np.float64
    with pytest.raises(TypeError, match="no parameter q"):
        sat.window(a, 7, "sauvola", q=3)
    with pytest.raises(TypeError, match="a tuple of 2"):
        sat.window(a, 7, ["mean", "std"], out=np.empty((17, 19), np.float32))


@pytest.mark.parametrize("method", ["bradley", "niblack", "sauvola", "wolf", "nick", "phansalkar", "mean"])
def test_threshold(rng, method):
    a = oracle.image(rng, (17, 19, 3), "uint8")
    got = sat.threshold(a, 9, method)
    assert got.dtype == bool and set(np.unique(got.view(np.uint8))) <= {0, 1}
    assert np.array_equal(got, a > sat.window(a, 9, method, dtype=float))
    out = np.empty(a.shape, bool)
    assert sat.threshold(a, 9, method, out=out) is out and np.array_equal(out, got)
    assert set(np.unique(out.view(np.uint8))) <= {0, 1}
    wide = sat.threshold(a, 9, method, dtype=np.uint8)
    assert wide.dtype == np.uint8 and np.array_equal(wide, got * np.uint8(255))
    planes = np.moveaxis(np.ascontiguousarray(np.moveaxis(a, 2, 0)), 0, 2)
    assert np.array_equal(sat.threshold(planes, 9, method), got), "memory's order is no part of the result"


def test_gauss_is_normalised_convolution(rng):
    a = oracle.image(rng, (25, 27), "float64")
    mask = rng.random(a.shape) < 0.6
    weight = sat.gauss(mask.astype(float), 1.5, "constant")
    want = sat.gauss(np.where(mask, a, 0), 1.5, "constant") / weight
    inside = sat.gauss(a, 1.5, "shrink", mask)
    np.testing.assert_allclose(inside, want, rtol=1e-9)


def test_unsharp_and_dog(rng):
    a = oracle.image(rng, (25, 27), "float64")
    np.testing.assert_allclose(sat.unsharp(a, 2, 0.6), a + 0.6 * (a - sat.gauss(a, 2)), rtol=1e-9)
    np.testing.assert_allclose(sat.dog(a, 1, 1.6), sat.gauss(a, 1) - sat.gauss(a, 1.6), rtol=1e-9, atol=1e-9)
    b = oracle.image(rng, (25, 27), "uint8")
    assert sat.dog(b, 1, 1.6).dtype == np.float32 and sat.unsharp(b, 1, 0.5).dtype == np.uint8


@pytest.mark.parametrize(
    "call",
    [
        lambda a, **k: sat.box(a, 5, **k),
        lambda a, **k: sat.window(a, 5, "std", **k),
        lambda a, **k: sat.gauss(a, 2.0, **k),
        lambda a, **k: sat.threshold(a, 5, "niblack", **k),
        lambda a, **k: sat.dog(a, 1, 2, **k),
    ],
)
def test_axes(rng, call):
    a = oracle.image(rng, (6, 17, 19, 3), "uint8")  # N, H, W, C
    want = np.stack([call(image) for image in a])
    assert np.array_equal(call(a, batch_axis=0), want)
    first = np.moveaxis(a, 3, 1)
    assert np.array_equal(call(first, batch_axis=0, channel_axis=1), np.moveaxis(want, 3, 1))
    assert np.array_equal(call(np.ascontiguousarray(first), batch_axis=0, channel_axis=1), np.moveaxis(want, 3, 1))
    last = np.moveaxis(a, 0, 3)
    assert np.array_equal(call(last, batch_axis=3), np.moveaxis(want, 0, 3))
    bands = np.concatenate([a[0], a[1]], axis=2)
    assert np.array_equal(call(bands, channel_axis=2), np.concatenate([want[0], want[1]], axis=2))
    masks = rng.random((6, 17, 19)) < 0.5
    for m, each in [(masks, masks), (masks[0], [masks[0]] * 6)]:
        assert np.array_equal(
            call(a, batch_axis=0, mask=m), np.stack([call(i, mask=j) for i, j in zip(a, each)]), equal_nan=True
        )
    assert np.array_equal(
        call(np.ascontiguousarray(first), batch_axis=0, channel_axis=1, mask=masks),
        np.stack([np.moveaxis(call(i, mask=j), 2, 0) for i, j in zip(a, masks)]),
        equal_nan=True,
    )
    assert np.array_equal(
        call(bands, channel_axis=2, mask=masks[0])[..., 4], call(bands[..., 4], mask=masks[0]), equal_nan=True
    )


def test_sizes_never_decide(rng):
    for shape in [(2, 2, 5), (3, 64, 64), (1, 1, 5)]:
        with pytest.raises(ValueError, match="channel_axis or batch_axis"):
            sat.box(np.zeros(shape, np.uint8), 3)
    for shape in [(5,), (1, 2, 3, 4), (1, 1, 1, 1, 1)]:
        with pytest.raises(ValueError, match="dimensions"):
            sat.box(np.zeros(shape, np.uint8), 3)
    with pytest.raises(ValueError, match="channel_axis=3"):
        sat.box(np.zeros((4, 4, 3), np.uint8), 3, channel_axis=3)
    with pytest.raises(ValueError, match="one axis"):
        sat.box(np.zeros((4, 4, 3), np.uint8), 3, channel_axis=0, batch_axis=0)


@pytest.mark.parametrize("border", oracle.BORDERS)
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_rows_are_the_whole(rng, border, dtype):
    a = oracle.image(rng, (61, 33, 2), dtype)
    mask = rng.random((61, 33)) < 0.7
    made = [
        (sat.Box(a.shape, a.dtype, (9, 5), border, band_rows=16), sat.box(a, (9, 5), border), None),
        (
            sat.Window(a.shape, a.dtype, 7, ["mean", "std"], border, masked=True),
            sat.window(a, 7, ["mean", "std"], border, mask),
            mask,
        ),
        (sat.Gauss(a.shape, a.dtype, 1.5, border), sat.gauss(a, 1.5, border), None),
    ]
    for f, whole, valid in made:
        bands = []
        for y in range(0, 61, 16):
            end = min(y + 16, 61)
            top, bottom = f.needs(y, end)
            rows = np.arange(top, bottom) % 61
            given = {} if valid is None else {"mask": valid[rows]}
            bands.append(f.run(a[rows], top, y, end, continues=y > 0, **given))
        joined = np.concatenate(bands) if isinstance(whole, np.ndarray) else tuple(map(np.concatenate, zip(*bands)))
        for one, other in zip(
            joined if isinstance(joined, tuple) else [joined], whole if isinstance(whole, tuple) else [whole]
        ):
            assert np.array_equal(one, other, equal_nan=True)


def test_filters_of_rows_are_pickled(rng):
    a = oracle.image(rng, (19, 23), "uint8")
    filters = [
        sat.Box(a.shape, a.dtype, (3, 5), "constant", border_value=9, result=float),
        sat.Window(a.shape, a.dtype, 5, ["mean", "sauvola"], nodata=7, k=0.3),
        sat.Gauss(a.shape, a.dtype, 2, masked=True),
    ]
    for f in filters:
        again = pickle.loads(pickle.dumps(f))
        mask = {"mask": a > 99} if isinstance(f, sat.Gauss) else {}
        assert type(again) is type(f) and again.needs(3, 9) == f.needs(3, 9)
        got, want = again.run(a, 0, 3, 9, **mask, continues=True), f.run(a, 0, 3, 9, **mask)
        assert np.array_equal(got, want)


def test_rows_take_more_than_they_need_and_no_less(rng):
    a = oracle.image(rng, (61, 33), "uint8")
    f = sat.Box(a.shape, a.dtype, 9, band_rows=20)
    out = np.empty((10, 33), np.uint8)
    assert f.run(a, 0, 30, 40, out) is out and np.array_equal(out, sat.box(a, 9)[30:40])
    mask = rng.random(a.shape) < 0.5
    masked = sat.Window(a.shape, a.dtype, 9, "mean", masked=True)
    want = sat.window(a, 9, "mean", mask=mask)[30:40]
    assert np.array_equal(masked.run(a, 0, 30, 40, mask=mask), want, equal_nan=True)
    assert np.array_equal(masked.run(a[5:], 5, 30, 40, mask=mask[5:]), want, equal_nan=True)
    top, bottom = f.needs(30, 40)
    for rows, first in [(a[top + 1 : bottom], top + 1), (a[top : bottom - 1], top)]:
        with pytest.raises(ValueError, match="need"):
            f.run(rows, first, 30, 40)
    for first in (-1, -61):  # no index from the end, either
        with pytest.raises(ValueError, match=f"first: {first} where the rows of the image are 0 to 61"):
            f.run(np.concatenate([a, a]), first, 0, 10)
    around = sat.Box(a.shape, a.dtype, 9, "wrap")
    top, bottom = around.needs(0, 10)
    rows = np.arange(top, bottom) % 61
    assert np.array_equal(around.run(a[rows], top, 0, 10), sat.box(a, 9, "wrap")[:10])
    assert np.array_equal(around.run(np.concatenate([a, a]), -61, 30, 40), sat.box(a, 9, "wrap")[30:40])
    for bad in [
        lambda: f.run(a, 0, 30, 60),
        lambda: f.run(a[:, 1:], 0, 30, 40),
        lambda: f.run(a.astype("u2"), 0, 30, 40),
        lambda: f.needs(50, 62),
        lambda: f.run(a, 0, 30, 40, mask=a),
        lambda: sat.Box((4, 4, 5), "u1", 3),
    ]:
        with pytest.raises(ValueError):
            bad()
