"""What went wrong in prototypes, and tests of happy paths would not see."""

import numpy as np
import oracle
import pytest

import sat


@pytest.fixture
def a(rng):
    return oracle.image(rng, (23, 31), "uint8")


def test_rectangles_of_floats_are_not_cut(a):
    t = sat.table(a)
    assert t.mean([[5, 1, 2, 5.5]]) != t.mean([[5, 1, 2, 5]])
    assert sat.mean(a, [[5, 1, 2, 5.5]]) == t.mean([[5, 1, 2, 5.5]])
    assert t.mean(np.array([[5, 1, 2, 5]], np.float32)) == t.mean([[5, 1, 2, 5]])


@pytest.mark.parametrize("rects", [[True] * 4, ["1"] * 4, [[1, 2, 3]], [[[1, 2, 3, 4]]], None, [1j] * 4, "abcd", 5])
def test_no_rectangles(a, rects):
    for call in [sat.table(a).mean, lambda r: sat.mean(a, r)]:
        with pytest.raises((TypeError, ValueError)):
            call(rects)


def test_rectangles_of_any_integers(a):
    t, want = sat.table(a), a[2:6, 1:4].mean()
    for dtype in ["u1", "i1", "u2", "i4", "u8", "i8", ">i4"]:
        assert t.mean(np.array([1, 2, 3, 4], dtype)) == want
    for strided in [
        np.array([[1, 2, 3, 4]] * 4)[::2],
        np.asfortranarray([[1, 2, 3, 4]] * 3),
        np.arange(1, 9).repeat(2)[:8:2],
    ]:
        assert (t.mean(strided) == want).all()
    with pytest.raises(ValueError):
        t.mean(np.array([2**63, 0, 1, 1], np.uint64))
    with pytest.raises(ValueError):
        t.mean([0.0, 0.0, np.nan, 1.0])


def test_masked_arrays_use_their_mask():
    m = np.ma.MaskedArray(np.array([[1, 2], [3, 60]], np.uint8), [[0, 0], [0, 1]])
    assert sat.table(m).sum([0, 0, 2, 2]) == 6 and sat.mean(m, [0, 0, 2, 2]) == 2
    assert sat.box(m, 3).tolist() == [[2, 2], [2, 2]]
    assert sat.table(m, mask=[[True, False], [True, True]] and np.array([[1, 0], [1, 1]], bool)).sum([0, 0, 2, 2]) == 4
    assert sat.table(np.ma.MaskedArray([[1, 2]])).sum([0, 0, 2, 1]) == 3
    colour = np.ma.MaskedArray(np.ones((2, 2, 3), np.uint8), [[[0] * 3, [1] * 3], [[0] * 3, [0] * 3]])
    assert sat.table(colour).query([0, 0, 2, 2], "count")["count"].tolist() == [3, 3, 3]
    assert sat.box(np.moveaxis(colour, 2, 0), 1, channel_axis=0).mask[:, 0, 1].all()
    batch = np.ma.MaskedArray(np.ones((2, 5, 6), np.uint8), np.arange(60).reshape(2, 5, 6) % 2)
    assert sat.box(np.moveaxis(batch, 0, 2), 1, batch_axis=2).mask.sum() == 30
    colour.mask[0, 0, 1] = True
    with pytest.raises(ValueError, match="masked alike"):
        sat.table(colour)
    with pytest.raises(TypeError, match="masked array"):
        sat.table(np.ones((2, 2), np.uint8), mask=m)


@pytest.mark.parametrize(
    "call",
    [
        lambda: sat.table(np.zeros(5)),
        lambda: sat.table(np.float64(3)),
        lambda: sat.box(np.zeros((2, 2)), 3, mask=np.zeros(3, bool)),
        lambda: sat.box(np.zeros((2, 2)), 3, mask=np.zeros((3, 2), bool)),
        lambda: sat.box(np.zeros((2, 2)), 3, out=np.zeros(2)),
        lambda: sat.Table.from_array(np.zeros(4)),
        lambda: sat.box(np.zeros((2, 2)), 3, mask=np.zeros((2, 2, 2, 2), bool)),
        lambda: sat.table(np.zeros((2, 2)), nodata=1, mask=np.zeros((1, 2, 2, 1), bool)),
        lambda: sat.box(np.zeros((1,) * 9), 3),
        lambda: sat.box(np.zeros((2, 2)), 3, out=np.zeros((1,) * 40)),
    ],
)
def test_dimensions_are_counted_before_they_are_read(call):
    with pytest.raises((TypeError, ValueError)):
        call()


def test_read_only_out_is_an_error_in_words(a):
    out = np.empty_like(a)
    out.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        sat.box(a, 3, out=out)


@pytest.mark.parametrize(
    "call",
    [
        lambda a: sat.box(a, 3, border=None),
        lambda a: sat.box(a, 3, nodata="x"),
        lambda a: sat.box(a, 3, border_value="x"),
        lambda a: sat.box(a, "3"),
        lambda a: sat.box(a, (1, 2, 3)),
        lambda a: sat.box(a, 3.0),
        lambda a: sat.box(a, None),
        lambda a: sat.gauss(a, "x"),
        lambda a: sat.gauss(a, 0),
        lambda a: sat.gauss(a, np.nan),
        lambda a: sat.box(a, 0),
        lambda a: sat.box(a, -3),
        lambda a: sat.box(a, 2**40),
        lambda a: sat.box(a, 3, dtype="i8"),
        lambda a: sat.box(a, 3, dtype=object),
        lambda a: sat.window(a, 3, []),
        lambda a: sat.window(a, 3, "none"),
        lambda a: sat.window(a, 3, ["mean"] * 17),
        lambda a: sat.window(a, 3, "std", ddof=-1),
        lambda a: sat.threshold(a, 3, "std"),
        lambda a: sat.threshold(a, 3, dtype=float),
        lambda a: sat.box(a, 3, mask=a.astype(float)),
        lambda a: sat.table(a, moments=3),
        lambda a: sat.table(a, layout="none"),
        lambda a: sat.table(a, dtype="u2"),
        lambda a: sat.box(a, 3, nodata=-1),
        lambda a: sat.table(a, nodata=0.5),
        lambda a: sat.box(a, 3, min_valid=-1),
        lambda a: sat.box(a, 3, anchor="third"),
        lambda a: sat.set_num_threads(-1),
        lambda a: sat.set_num_threads(True),
        lambda a: sat.table(a, moments=2).var([0, 0, 1, 1], ddof=-1),
        lambda a: sat.table(a).query([0, 0, 1, 1], ["mean", "none"]),
        lambda a: sat.box(a, 3, channel_axis="x"),
        lambda a: sat.box(a, 3, channel_axis=2**70),
        lambda a: sat.Box((4,), "u1", 3),
        lambda a: sat.Box((4, 4), "c8", 3),
        lambda a: sat.Box((0, 4), "u1", 3),
        lambda a: sat.Window((4, 4), "u1", 3, "wolf"),
        lambda a: sat.Box((4, 4), "u1", 3, band_rows=-1),
    ],
)
def test_bad_arguments_are_value_or_type_errors(a, call):
    with pytest.raises((TypeError, ValueError)):
        call(a)


def test_messages_have_numpys_names(a):
    with pytest.raises(TypeError, match="int8.*uint8"):
        sat.box(a, 3, dtype="i1")
    with pytest.raises(ValueError, match=r"\(30, 23\) where the result has \(23, 31\)"):
        sat.box(a, 3, out=np.empty((30, 23), np.uint8))
    with pytest.raises(ValueError, match=r"mask: shape \(31,\) where the image needs \(23, 31\)"):
        sat.box(a, 3, mask=a[0])
    with pytest.raises(ValueError, match=r"\(2, 31\) where the image needs \(23, 31\) or \(4, 23, 31\)"):
        sat.box(np.stack([a] * 4), 3, batch_axis=0, mask=a[:2])


@pytest.mark.parametrize(
    "call,match",
    [
        (lambda a: sat.box(a, 3, 1), "^border: 1 is none of shrink, "),
        (lambda a: sat.box(a, 3, None), "^border: None is none of shrink, "),
        (lambda a: sat.box(a, 3, "nearest"), "^border: 'nearest' is none of shrink, "),
        (lambda a: sat.window(a, 3, [1]), "^statistic: 1 is none of mean, "),
        (lambda a: sat.gauss(a, (2, 3)), r"^sigma: \(2, 3\) is no number$"),
        (lambda a: sat.dog(a, 2, None), "^sigma2: None is no number$"),
        (lambda a: sat.unsharp(a, 2, "1"), "^amount: '1' is no number$"),
        (lambda a: sat.box(a, 3, nodata="-9999"), "^nodata: '-9999' is no number$"),
        (lambda a: sat.table(a, nodata="-9999"), "^nodata: '-9999' is no number$"),
        (lambda a: sat.box(a, 3, "constant", border_value=[1, "2"]), "^border_value: '2' is no number$"),
        (lambda a: sat.box(a, 3, min_valid="all"), "^min_valid: 'all' is no number$"),
        (lambda a: sat.box(a, 3, empty="nan"), "^empty: 'nan' is no number$"),
        (lambda a: sat.box(a, 3, anchor=1), "^anchor: "),
        (lambda a: sat.box(a, 3, border_value=2), "^border_value: the border shrink has none$"),
        (lambda a: sat.gauss(a, 3, "wrap", border_value=[0, 0, 1]), "^border_value: the border wrap has none$"),
        (lambda a: sat.box(a, (3, 2), min_valid=7), "^min_valid: a window has at most 6 samples$"),
        (lambda a: sat.threshold(a, 3, min_valid=10), "^min_valid: a window has at most 9 samples$"),
        (lambda a: sat.Box(a.shape, a.dtype, 3, min_valid=10), "^min_valid: a window has at most 9 samples$"),
        (lambda a: sat.window(a, 3, ["mean", "std"], ddof=9), "^ddof: a window has at most 9 samples, and a variance"),
        (lambda a: sat.threshold(a, 3, "sauvola", k="0.2"), "^k: '0.2' is no number$"),
        (lambda a: sat.box(np.ma.masked_less(np.moveaxis([a] * 3, 0, -1).T, 9), 3), "^image: 23 channels"),
    ],
)
def test_messages_name_the_argument(a, call, match):
    with pytest.raises((TypeError, ValueError), match=match):
        call(a)


def test_counts_of_whole_windows_are_taken(a):
    assert np.isnan(sat.box(a, 3, min_valid=9, dtype="f4")).sum() == 2 * 23 + 2 * 29
    assert sat.window(a, 3, "mean", ddof=9).shape == a.shape  # no variance


def test_empty_is_the_value_for_no_data():
    a = np.array([[6, 8, 9, 0, 9]], np.uint8)  # the mean of the first window is 7
    assert sat.box(a, 3, nodata=7, empty=7).tolist() == [[8, 8, 6, 6, 5]]
    assert sat.box(a, 3, nodata=7).tolist() == [[7, 8, 6, 6, 5]]
    b = np.where(a == 0, 9, a).astype("f4")
    b[0, 3:] = 7
    assert sat.box(b, (1, 1), nodata=7, empty=7).tolist() == [[6, 8, 9, 7, 7]]
    got = sat.window(np.array([[6, 8, 7, 7, 7]], "f4"), 3, "mean", nodata=7, empty=7)
    assert got[0, 0] > 7 and got[0, 0] - 7 < 1e-4 and got[0, 4] == 7


def test_flags_of_numpy(a):
    assert sat.table(a).mean([20, 20, 90, 90], clip=np.True_) == a[20:, 20:].mean()


def test_memory_that_there_is_not(a):
    huge = np.lib.stride_tricks.as_strided(a, (2**30, 2**31), (1, 1))
    with pytest.raises((MemoryError, ValueError)):
        sat.table(huge)
    with pytest.raises((MemoryError, ValueError)):
        sat.gauss(huge, 3)


def test_none_is_a_default(a):
    assert sat.table(a, mask=None, nodata=None, out=None, dtype=None, channel_axis=None).counts is None


def test_names_and_help(a):
    for name in sat.__all__:
        assert getattr(sat, name).__doc__, name
    assert list(sat.backends())[:1] == ["cpu"] and sat.__version__.count(".") == 2
