"""Tables and statistics of rectangles against slices of the image."""

import re
import tracemalloc

import numpy as np
import oracle
import pytest

import sat

RECTS = np.array([[0, 0, 31, 23], [3, 4, 5, 6], [30, 22, 1, 1], [0, 5, 31, 1]])


def cut(a, rect):
    x, y, w, h = rect
    return a[y : y + h, x : x + w]


@pytest.mark.parametrize("layout", ["padded", "inclusive", "exclusive"])
@pytest.mark.parametrize("dtype", oracle.DTYPES + ["bool"])
def test_table_is_the_cumulated_sum(rng, dtype, layout):
    a = oracle.image(rng, (23, 31), dtype)
    t = sat.table(a, layout=layout)
    want = oracle.table(a)
    want = {"padded": want, "inclusive": want[1:, 1:], "exclusive": want[:-1, :-1]}[layout]
    assert t.layout == layout and t.sample == ("uint8" if dtype == "bool" else dtype) and t.shape == a.shape
    if a.dtype.kind == "f":
        assert t.array.dtype == np.float64
        np.testing.assert_allclose(t.array, want, rtol=0, atol=1e-9 if dtype == "float64" else 1e-9)
    else:
        assert (t.array.astype(object) == want).all()


@pytest.mark.parametrize(
    "dtype,accum",
    [
        ("uint8", "uint32"),
        ("uint16", "uint32"),
        ("int16", "int32"),
        ("uint32", "uint64"),
        ("int32", "int64"),
        ("float32", "float64"),
        ("bool", "uint32"),
    ],
)
def test_default_types(rng, dtype, accum):
    a = oracle.image(rng, (9, 8), dtype)
    assert sat.table(a).array.dtype == accum
    assert sat.table(a * 0 if dtype != "bool" else a & False).array.dtype == accum, "a dtype must not depend on values"


def test_default_type_grows_with_the_image():
    assert sat.table(np.zeros((4096, 4112), np.uint8)).array.dtype == np.uint32
    assert sat.table(np.zeros((4112, 4112), np.uint8)).array.dtype == np.uint64


@pytest.mark.parametrize("dtype", oracle.DTYPES)
def test_statistics_of_rectangles(rng, dtype):
    a = oracle.squarable(oracle.image(rng, (23, 31), dtype))
    t = sat.table(a, moments=2)
    got = t.query(RECTS, ["mean", "std", "var", "rms", "count", "area", "sum"], ddof=1)
    assert list(got) == ["mean", "std", "var", "rms", "count", "area", "sum"]
    exact = a.dtype.kind != "f"
    for i, rect in enumerate(RECTS):
        part = cut(a, rect).astype(np.float64 if a.dtype.kind == "f" else object)
        n = part.size
        assert got["count"][i] == got["area"][i] == n
        if exact:
            assert int(got["sum"][i]) == part.sum()
            assert got["mean"][i] == float(part.sum()) / n or abs(got["mean"][i] * n / float(part.sum()) - 1) < 1e-15
        np.testing.assert_allclose(got["mean"][i], part.astype(float).mean(), rtol=1e-9)
        scale = float(np.abs(a.astype(float)).max()) ** 2
        if n > 1:
            np.testing.assert_allclose(got["var"][i], part.astype(float).var(ddof=1), rtol=1e-12, atol=1e-10 * scale)
            np.testing.assert_allclose(got["std"][i], part.astype(float).std(ddof=1), rtol=1e-7, atol=1e-4 * scale**0.5)
        else:
            assert np.isnan(got["var"][i])
        np.testing.assert_allclose(got["rms"][i], np.sqrt((part.astype(float) ** 2).mean()), rtol=1e-7, atol=1e-6)
    assert got["count"].dtype == got["area"].dtype == np.int64
    assert got["sum"].dtype == (np.float64 if a.dtype.kind == "f" else np.int64)


def test_shapes_of_answers(rng):
    grey, colour = oracle.image(rng, (9, 8), "uint8"), oracle.image(rng, (9, 8, 3), "uint8")
    stack, colours = oracle.image(rng, (5, 9, 8), "uint8"), oracle.image(rng, (5, 9, 8, 3), "uint8")
    bands = oracle.image(rng, (9, 8, 6), "uint8")
    one, two = [1, 2, 3, 4], [[1, 2, 3, 4], [0, 0, 8, 9]]
    part = (slice(2, 6), slice(1, 4))
    for made, image, axes in [(grey[None], grey, {}), (stack, stack, {"batch_axis": 0})]:
        t = sat.table(image, **axes)
        batch = (5,) if axes else ()
        assert np.shape(t.mean(one)) == batch and np.shape(t.mean(two)) == batch + (2,)
        assert np.array_equal(t.mean(one), made[(slice(None), *part)].mean((1, 2))[0 if not axes else slice(None)])
        assert np.array_equal(sat.mean(image, two, **axes), t.mean(two))
    for image, axes, shape in [
        (colour, {}, (3,)),
        (bands, {"channel_axis": 2}, (6,)),
        (bands, {"channel_axis": -1}, (6,)),
    ]:
        t = sat.table(image, **axes)
        assert np.shape(t.mean(one)) == shape and np.shape(t.mean(two)) == (2, *shape)
        assert np.array_equal(t.mean(two)[0], image[part].mean((0, 1)))
        assert np.array_equal(sat.mean(image, two, **axes), t.mean(two))
    t = sat.table(colours, batch_axis=0)
    assert t.mean(two).shape == (5, 2, 3) and t.mean(one).shape == (5, 3)
    assert np.array_equal(t.mean(one), colours[:, 2:6, 1:4].mean((1, 2)))
    planes = np.ascontiguousarray(np.moveaxis(oracle.image(rng, (5, 9, 8, 7), "uint8"), 3, 1))
    t = sat.table(planes, batch_axis=0, channel_axis=1)
    assert t.array.shape == (5, 7, 10, 9) and t.mean(two).shape == (5, 2, 7)
    assert np.array_equal(t.mean(one), planes[:, :, 2:6, 1:4].mean((2, 3)))
    assert np.array_equal(sat.mean(planes, one, batch_axis=0, channel_axis=1), t.mean(one))
    assert t.mean(np.empty((0, 4), int)).shape == (5, 0, 7) and sat.table(grey).mean([]).shape == (0,)


def test_slices(rng):
    a = oracle.image(rng, (23, 31), "int16")
    t = sat.table(a, moments=2)
    assert t[2:6, 1:4].mean == a[2:6, 1:4].mean() and t[:, :].sum == a.sum() and t[-3:, :-1].count == a[-3:, :-1].size
    assert t[2:6, 1:4].rect == (1, 2, 3, 4)
    np.testing.assert_allclose([t[5:9, 5:9].var, t[5:9, 5:9].std], [a[5:9, 5:9].var(), a[5:9, 5:9].std()])
    for bad in [lambda: t[3:3, :], lambda: t[::2, :], lambda: t[3:1, 2:4]]:
        with pytest.raises(ValueError):
            bad()
    for bad in [lambda: t[3], lambda: t[1, 2], lambda: t[:]]:
        with pytest.raises(TypeError):
            bad()


def test_fractions(rng):
    a = oracle.image(rng, (12, 13), "uint8").astype(float)
    t = sat.table(a.astype(np.uint8))
    x, y, w, h = 1.25, 2.5, 6.5, 4.75
    wx = np.clip(np.minimum(np.arange(13) + 1, x + w) - np.maximum(np.arange(13), x), 0, 1)
    wy = np.clip(np.minimum(np.arange(12) + 1, y + h) - np.maximum(np.arange(12), y), 0, 1)
    weight = wy[:, None] * wx
    got = t.query([x, y, w, h], ["mean", "sum", "count"])
    np.testing.assert_allclose(got["mean"], (a * weight).sum() / weight.sum(), rtol=1e-14)
    np.testing.assert_allclose(got["sum"], (a * weight).sum(), rtol=1e-14)
    np.testing.assert_allclose(got["count"], w * h, rtol=1e-14)
    np.testing.assert_allclose(sat.mean(a, [x, y, w, h]), got["mean"], rtol=1e-14)
    assert t.mean([1.0, 2.0, 3.0, 4.0]) == t.mean([1, 2, 3, 4])


def test_clip(rng):
    a = oracle.image(rng, (9, 8), "uint8")
    t = sat.table(a)
    with pytest.raises(ValueError, match=r"rectangle 1 .*outside the image of shape \(9, 8\)"):
        t.mean([[0, 0, 8, 9], [5, 5, 8, 9]])
    assert t.mean([5, 5, 8, 9], clip=True) == a[5:, 5:].mean() and np.isnan(t.mean([50, 5, 8, 9], clip=True))
    assert sat.mean(a, [5, 5, 8, 9], clip=True) == a[5:, 5:].mean()


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32"])
def test_what_counts(rng, dtype):
    a = oracle.image(rng, (23, 31), dtype)
    a[3, 5] = a[10, 10] = 7
    mask = rng.random(a.shape) < 0.7
    valid = mask & (a != 7)
    t = sat.table(a, moments=2, mask=mask, nodata=7)
    got = t.query(RECTS, ["mean", "count", "std"])
    for i, rect in enumerate(RECTS):
        part, ok = cut(a, rect), cut(valid, rect)
        assert got["count"][i] == ok.sum()
        if ok.any():
            np.testing.assert_allclose(got["mean"][i], part[ok].astype(float).mean(), rtol=1e-9)
            np.testing.assert_allclose(got["std"][i], part[ok].astype(float).std(), rtol=1e-6, atol=1e-3)
        else:
            assert np.isnan(got["mean"][i])
    np.testing.assert_allclose(sat.mean(a, RECTS, mask.astype(np.uint8) * 9, 7), got["mean"], rtol=1e-9)
    assert np.array_equal(t.counts[1:, 1:], valid.cumsum(0).cumsum(1))


def test_nan_is_no_data(rng):
    a = oracle.image(rng, (9, 8), "float32")
    a[2, 3] = np.nan
    assert np.isnan(sat.mean(a, [0, 0, 8, 9])) and not np.isnan(sat.mean(a, [4, 0, 4, 9]))
    np.testing.assert_allclose(sat.table(a, nodata=np.nan).mean([0, 0, 8, 9]), np.nanmean(a.astype(float)), rtol=1e-12)
    assert sat.table(oracle.image(rng, (9, 8), "uint8"), nodata=np.nan).counts is None


def test_out(rng):
    a = oracle.image(rng, (9, 8), "uint8")
    for dtype in ["int32", "uint32", "int64", "uint64", "float32", "float64"]:
        out = np.empty((10, 9), dtype)
        t = sat.table(a, out=out)
        assert t.array is out and np.array_equal(out, oracle.table(a).astype(dtype))
    wide = np.full((20, 36), 77, np.uint32)
    strided = wide[::2, ::4]
    sat.table(a, out=strided)
    assert (
        np.array_equal(strided, oracle.table(a).astype(np.uint32))
        and (wide[1::2] == 77).all()
        and (wide[:, 1::4] == 77).all()
    )
    sums, squares = np.empty((10, 9), np.uint64), np.empty((10, 9), np.uint64)
    t = sat.table(a, moments=2, out=(sums, squares))
    assert t.squares is squares and squares[-1, -1] == (a.astype(int) ** 2).sum()
    with pytest.raises(TypeError, match="tuple of 2"):
        sat.table(a, moments=2, out=sums)


def test_narrow_tables_wrap(rng):
    a = np.full((5000, 4000), 255, np.uint8)
    t = sat.table(a, dtype=np.int32)
    assert t.array.min() < 0 and t.mean([3990, 4990, 10, 10]) == 255
    with pytest.raises(ValueError):
        t.mean([0, 0, 4000, 5000])


def test_from_array(rng):
    a = oracle.image(rng, (9, 8), "uint8")
    sums = a.astype(np.int64).cumsum(0).cumsum(1)
    t = sat.Table.from_array(sums, "uint8", "inclusive", squares=(a.astype(np.int64) ** 2).cumsum(0).cumsum(1))
    assert t.array is sums and t.mean([1, 2, 3, 4]) == a[2:6, 1:4].mean()
    np.testing.assert_allclose(t.var([1, 2, 3, 4]), a[2:6, 1:4].var())
    with pytest.raises(TypeError):
        sat.Table.from_array(a)
    with pytest.raises(TypeError):
        sat.Table.from_array(sums.astype(np.float32), "float64")


def test_array_protocol(rng):
    t = sat.table(oracle.image(rng, (9, 8), "uint8"))
    assert np.asarray(t) is t.array and np.asarray(t, np.float64).dtype == np.float64
    assert not np.shares_memory(np.array(t), t.array)
    assert repr(t) == "<sat.Table padded (10, 9) uint32 sums of uint8>"


@pytest.mark.parametrize("rects", [RECTS, RECTS[1], RECTS + 0.25, RECTS[:0]])
@pytest.mark.parametrize(
    "shape,axes",
    [((24, 32), {}), ((24, 32, 3), {}), ((24, 32, 6), {"channel_axis": 2}), ((2, 24, 32, 3), {"batch_axis": 0})],
)
def test_rectangles_out(rng, shape, axes, rects):
    """Arrays that lie as the library writes, and arrays that do not, are filled and given back."""
    a = oracle.image(rng, shape, "int16")
    t = sat.table(a, 2, **axes)
    names = ["mean", "sum", "std", "count"]
    want = t.query(rects, names, clip=True)
    for lie in [np.array, lambda w: np.array(w, order="F"), lambda w: np.stack([w, w], -1)[..., 1]]:
        out = {name: lie(want[name]) for name in names}
        for array in out.values():
            array[...] = 77
        got = t.query(rects, names, out, clip=True)
        assert list(got) == names
        for name in names:
            assert got[name] is out[name] and np.array_equal(out[name], want[name], equal_nan=True), name
        for name in ("mean", "sum"):
            out[name][...] = 77
            assert getattr(t, name)(rects, out[name], clip=True) is out[name]
            assert np.array_equal(out[name], want[name])
        assert sat.mean(a, rects, out=out["mean"], clip=True, **axes) is out["mean"]
        assert np.array_equal(out["mean"], want["mean"]) or np.asarray(rects).dtype.kind == "f"
    var = np.array(want["std"])
    assert t.var(rects, var, clip=True, ddof=1) is var
    assert np.array_equal(var, t.var(rects, clip=True, ddof=1), equal_nan=True)
    std = np.array(var)
    got = t.query(rects, names, {"std": std}, clip=True)
    assert list(got) == names and got["std"] is std and np.array_equal(std, want["std"])


class Unread:
    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("a gradient")


def test_rectangles_out_is_checked(rng):
    a = oracle.image(rng, (23, 31), "uint8")
    t = sat.table(a, 2)
    locked = np.empty(4)
    locked.flags.writeable = False
    wide = np.empty(400)
    for error, match, out in [
        (TypeError, "no array", [0.0] * 4),
        (TypeError, "float32 where the mean is float64", np.empty(4, np.float32)),
        (TypeError, ">f8 where", np.empty(4, ">f8")),
        *(
            (TypeError, re.escape(f"{np.dtype(kind)} where the mean is float64"), np.empty(4, kind))
            for kind in ("float16", "complex128", "longdouble", "bool", "M8[s]", "O", "S8")
        ),
        (ValueError, r"\(3,\) where the result has \(4,\)", np.empty(3)),
        (ValueError, r"\(4, 1\) where the result has \(4,\)", np.empty((4, 1))),
        (ValueError, "read-only", locked),
        (ValueError, "share bytes", np.lib.stride_tricks.as_strided(wide, (4,), (4,))),
        (ValueError, "share bytes", np.lib.stride_tricks.as_strided(wide, (4,), (0,))),
        (ValueError, "shares memory", RECTS.view(np.float64)[:, 0]),
        (ValueError, "shares memory", RECTS.view(np.float64).reshape(-1)[:4]),
    ]:
        for call in (t.mean, lambda r, out: sat.mean(a, r, out=out)):
            with pytest.raises(error, match=match):
                call(RECTS, out)
    for sums in (t.array, t.squares):
        with pytest.raises(ValueError, match="shares memory"):
            t.mean(RECTS, sums.reshape(-1)[:8].view(np.float64)[:4])
    with pytest.raises(ValueError, match="shares memory"):
        sat.mean(a.view(), RECTS, out=np.frombuffer(a, np.float64, 4))
    with pytest.raises(ValueError, match="shares memory"):
        t.query(RECTS, ["mean", "std"], {"mean": wide[:4], "std": wide[2:6]})
    with pytest.raises(ValueError, match="'std', which is not asked for"):
        t.query(RECTS, "mean", {"std": wide[:4]})
    with pytest.raises(TypeError, match="float64 where the count is int64"):
        t.query(RECTS, "count", {"count": wide[:4]})
    kinds = [("u1", RECTS, "int64"), ("i2", RECTS, "int64"), ("f4", RECTS, "float64"), ("u1", RECTS + 0.5, "float64")]
    for dtype, boxes, wants in kinds:
        for wrong in (np.empty(4, "float16"), np.empty((4, 1), wants)):
            mean = np.full(4, 77.0)
            with pytest.raises((TypeError, ValueError), match=f"float16 where the sum is {wants}|shape"):
                sat.table(a.astype(dtype)).query(boxes, ["mean", "sum"], {"mean": mean, "sum": wrong}, clip=True)
            assert (mean == 77).all(), "none is written where one does not fit"
    with pytest.raises(TypeError, match="no array"):
        t.query(RECTS, ["mean", "sum"], {"mean": wide[:4], "sum": Unread()})
    assert t.mean(RECTS, wide[::100]) is not None and sat.mean(a, RECTS, out=wide[:4]).base is wide


def test_many_rectangles_out_allocate_nothing(rng):
    a = oracle.image(rng, (200, 300), "uint8")
    t = sat.table(a)
    rects = np.tile(np.int64([3, 4, 50, 60]), (100_000, 1))
    out = {"mean": np.empty(len(rects)), "sum": np.empty(len(rects), np.int64)}
    t.query(rects, list(out), out)
    tracemalloc.start()
    t.query(rects, list(out), out)
    sat.mean(a, rects[:1000], out=out["mean"][:1000])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 14


def test_squares_of_32_bits_are_exact_or_refused():
    heights = 500000 + np.random.default_rng(0).integers(-9, 10, (300, 200)).astype("i4")
    with pytest.raises(ValueError, match="exceed 2.53.*dtype='f8'"):
        sat.table(heights, moments=2)
    rounded = sat.table(heights, moments=2, dtype="f8")
    assert rounded.squares is not None and rounded.array.dtype == "f8"
    exact = sat.table(heights - 500000, moments=2)
    rect = heights[20:29, 30:39]
    assert exact.var([30, 20, 9, 9]) == pytest.approx(np.var(rect), rel=1e-15)
    assert sat.table(np.arange(12).reshape(3, 4), moments=2).var([0, 0, 4, 3]) == pytest.approx(np.var(np.arange(12)))
