"""Errors: each wrong argument of each public function is refused in this package's words, which name it."""

import errno
import inspect
import os
import re
import warnings

import numpy as np
import pytest

import sat

A = np.arange(12 * 16, dtype=np.uint8).reshape(12, 16)
RECTS = [[0, 0, 4, 4]]
FOREIGN = (  # words of nanobind, CPython, NumPy, Dask and Zarr
    "nanobind|incompatible function|ufunc|iterable|unhashable|interpreted as|Invalid value|no attribute|no len|must be|"
    "not subscriptable|truth value|Cannot interpret|supported between|operand|could not|too large to|formatting|"
    "inhomogeneous|0-d array|q32|cannot convert|out of bounds|expected"
)


class Thing:
    pass


WRONG = [
    None, "x", "", 10**30, 10**5000, -1, 0.5, float("nan"), [], [1], [[1], [1, 2]], ["x"], (1, 2, 3), Thing(), {},
    {"a": 1}, b"x", 1j, np.array([1, 2]), np.array("x"), np.zeros((2, 2), complex), True, A,
]  # fmt: skip


def calls(tmp_path):
    """Functions, with arguments that they take."""
    masked, t, window = np.ma.masked_less(A, 9), sat.table(A, 2), {"size": 3, "statistic": ["mean", "std"]}
    t.save(tmp_path / "t.npy")
    rows = {"shape": A.shape, "dtype": "u1"}
    return [
        (sat.load, {"path": tmp_path / "t.npy"}),
        (sat.Table.from_array, {"sums": t.array}),
        (sat.compat.integral, {"src": A}),
        (sat.compat.integral_image, {"image": A}),
        (sat.compat.integrate, {"ii": sat.compat.integral_image(A), "start": (0, 0), "end": (2, 2)}),
        (sat.set_num_threads, {"n": 0}),
        (t.query, {"rects": RECTS, "statistics": ["mean", "std"]}),
        *((method, {"rects": RECTS}) for method in (t.mean, t.sum, t.var)),
        (t.save, {"path": tmp_path / "u.npy"}),
        (sat.Box, {**rows, "size": 3}),
        (sat.Window, {**rows, **window}),
        (sat.Gauss, {**rows, "sigma": 2}),
        (sat.Box(A.shape, A.dtype, 3).needs, {"y0": 0, "y1": 4}),
        (sat.Box(A.shape, A.dtype, 3).run, {"rows": A, "first": 0, "y0": 0, "y1": 4}),
        (sat.Window(A.shape, A.dtype, **window).run, {"rows": A, "first": 0, "y0": 0, "y1": 4}),
        (sat.window, {"image": A, "size": 3, "statistic": ["sum", "count"], "dtype": "i8"}),
        *(
            (function, {"image": image, **options})
            for image in (A, masked)
            for function, options in [
                (sat.table, {}),
                (sat.query, {"rects": RECTS, "statistics": "mean"}),
                (sat.mean, {"rects": RECTS}),
                (sat.box, {"size": 3}),
                (sat.window, window),
                (sat.threshold, {"size": 3, "method": "wolf", "k": 0.1}),
                (sat.gauss, {"sigma": 2}),
                (sat.unsharp, {"sigma": 2, "amount": 1}),
                (sat.dog, {"sigma": 2, "sigma2": 3}),
            ]
        ),
    ]


def dask_calls(tmp_path):
    da, zarr = pytest.importorskip("dask.array"), pytest.importorskip("zarr")
    import sat.dask

    z = zarr.create_array(tmp_path / "z", shape=A.shape, dtype="u1", chunks=(4, 4))
    z[:] = A
    x = da.from_array(A, chunks=5)
    return [
        (sat.dask.table, {"x": x}),
        (sat.dask.query, {"image": x, "rects": RECTS, "statistics": "mean"}),
        *(
            (function, {"x": source, **options})
            for source in (x, z)
            for function, options in [
                (sat.dask.box, {"size": 3}),
                (sat.dask.window, {"size": 3, "statistic": "std"}),
                (sat.dask.threshold, {"size": 3, "method": "wolf"}),
                (sat.dask.gauss, {"sigma": 2}),
                (sat.dask.unsharp, {"sigma": 2, "amount": 1}),
            ]
        ),
    ]


def foreign(function, good, names):
    """What wrong arguments of a function raise in words that are not this package's, or that do not name them."""
    for name in names:
        for wrong in WRONG:
            try:
                result = function(**{**good, name: wrong})
                if hasattr(result, "compute"):
                    result.compute()
            except (TypeError, ValueError, OSError, sat.PrecisionWarning) as error:
                text = str(error)
                named = name in text or isinstance(error, OSError) or re.match("image|out|dtype|a sigma of", text)
                if re.search(FOREIGN, text) or "\n" in text or len(text) > 400 or not named:
                    yield function.__name__, name, text
            except Exception as error:
                yield function.__name__, name, repr(error)


def parameters(function):
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [p.name for p in inspect.signature(function).parameters.values() if p.kind in kinds]


@pytest.mark.filterwarnings("error")
def test_wrong_arguments(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = [one for call, good in calls(tmp_path) for one in foreign(call, good, parameters(call))]
    assert not found, "\n".join(map(str, found))


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_wrong_arguments_of_dask(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    more = ["border_value", "anchor", "min_valid", "empty", "keep_holes", "dtype", "to"]
    for call, good in dask_calls(tmp_path):
        names = parameters(call) + (more if call.__name__ not in ("table", "query") else [])
        names = [name for name in names if name != "anchor" or "size" in good]
        found = list(foreign(call, good, names))
        assert not found, "\n".join(map(str, found))


@pytest.mark.parametrize(
    "call,kind,text",
    [
        (lambda: sat.box(A, 10**30), ValueError, "size: 1000000000000000000000000000000; 1 to 2147483647 are taken"),
        (lambda: sat.box(A, [3, 5, 7]), TypeError, "size: [3, 5, 7]; an integer, or (height, width), in pixels"),
        (lambda: sat.window(A, 3, "std", ddof=0.5), TypeError, "ddof: 0.5 is no integer"),
        (lambda: sat.set_num_threads(1.5), TypeError, "n: 1.5 is no integer"),
        (lambda: sat.set_num_threads(1025), ValueError, "n: 1025; 0 to 1024 are taken"),
        (lambda: sat.gauss(A, 10**400), ValueError, None),
        (lambda: sat.table(A, 3), ValueError, "moments: 3; 1 to 2 are taken"),
        (lambda: sat.box(A, 3, keep_holes="no"), TypeError, "keep_holes: 'no'; True or False is taken"),
        (lambda: sat.box(A, 3, channel_axis="x"), TypeError, "channel_axis: 'x' is no integer"),
        (lambda: sat.box([[1], [1, 2]], 3), TypeError, "image: [[1], [1, 2]] is no array"),
        (lambda: sat.mean(A, RECTS, out=5), TypeError, "out: 5 is no array"),
        (lambda: sat.box(A, 3, dtype="x"), TypeError, "dtype: 'x' is no dtype of NumPy's"),
        (lambda: sat.load("a\0b"), ValueError, "path: 'a\\x00b' has a zero byte"),
        (
            lambda: sat.box(A, 3, out=np.empty(A.shape, np.float16)),
            TypeError,
            "out: float16 is none of uint8, uint16, uint32, int8, int16, int32, float32, float64, and of tables uint64 "
            "and int64",
        ),
        (
            lambda: sat.box(A, 3, out=np.empty(A.shape, ">u2")),
            ValueError,
            "out: >u2 is of another byte order than this machine's",
        ),
    ],
)
def test_texts(call, kind, text):
    with pytest.raises(kind) as caught:
        call()
    assert text is None or str(caught.value) == text


def test_numpys_integers_and_booleans_are_taken():
    want = sat.box(A, (3, 5), min_valid=2, keep_holes=True, mask=A > 3)
    for size in [(3, 5), [3, 5], np.array([3, 5]), np.array([3, 5], "u1"), (np.int8(3), np.uint64(5))]:
        got = sat.box(A, size, min_valid=np.int64(2), keep_holes=np.True_, mask=A > 3)
        assert np.array_equal(got, want)
    for side in (np.int16(3), np.array(3)):
        assert np.array_equal(sat.box(A, side), sat.box(A, 3))
    assert sat.table(A, np.int64(2)).var(RECTS, ddof=np.uint8(1)) == sat.table(A, 2).var(RECTS, ddof=1)
    sat.set_num_threads(np.int64(2))
    assert sat.num_threads() == 2


@pytest.mark.parametrize("dtype", ["i8", "u8"])
def test_messages_name_no_type_that_was_not_given(dtype):
    """64-bit integers are read as 32 bits, of which messages do not speak; nor of types that NumPy does not have."""
    a = A.astype(dtype)
    for call in [
        lambda: sat.table(a, dtype="u1"),
        lambda: sat.table(a, 2, dtype="f4"),
        lambda: sat.box(a, 3, dtype="i8"),
        lambda: sat.box(a, 3, nodata=0.5),
        lambda: sat.threshold(a, 3, value_range=0.5),
        lambda: sat.table(a << 33),
        lambda: sat.table(a << 22, 2),
        lambda: sat.Box(a.shape, a.dtype, 3),
    ]:
        with pytest.raises((TypeError, ValueError)) as caught:
            call()
        given, text = a.dtype.name, str(caught.value)
        assert given in text or "value_range" in text
        assert not re.search("int32 samples|type u?int32|of u?int32|q32|^u?int32", text), text
    with pytest.raises(TypeError) as caught:
        sat.table(A.astype("f4"), dtype="i8")
    assert "q32" not in str(caught.value)


def test_errors_of_files(tmp_path):
    t = sat.table(A)
    path = tmp_path / "t.npy"
    t.save(path)
    (tmp_path / "text").write_text("no table")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for call, kind, code, name in [
        (lambda: t.save(path, overwrite=False), FileExistsError, errno.EEXIST, path),
        (lambda: t.save(tmp_path / "no" / "t.npy"), FileNotFoundError, errno.ENOENT, tmp_path / "no" / "t.npy"),
        (lambda: t.save(path / "t.npy"), NotADirectoryError, errno.ENOTDIR, path / "t.npy"),
        (lambda: t.save(tmp_path), IsADirectoryError, errno.EISDIR, tmp_path),
        (lambda: t.save("/proc/t.npy"), OSError, None, "/proc/t.npy"),
        (lambda: t.save(tmp_path / "loop"), OSError, errno.ELOOP, tmp_path / "loop"),
        (lambda: sat.load(tmp_path / "none"), FileNotFoundError, errno.ENOENT, tmp_path / "none"),
        (lambda: sat.load(tmp_path), IsADirectoryError, errno.EISDIR, tmp_path),
        (lambda: sat.load(b"/none/\xff"), FileNotFoundError, errno.ENOENT, "/none/\udcff"),
        (lambda: sat.load(tmp_path / "loop"), OSError, errno.ELOOP, tmp_path / "loop"),
    ]:
        with pytest.raises(kind) as caught:
            call()
        assert caught.value.filename == str(name)
        assert caught.value.errno == code or (code is None and caught.value.errno)
    with pytest.raises(OSError, match="text: ") as caught:
        sat.load(tmp_path / "text")
    assert caught.value.errno is None


def test_permissions(tmp_path):
    sat.table(A).save(tmp_path / "t.npy")
    (tmp_path / "t.npy").chmod(0)
    tmp_path.chmod(0o555)
    root = os.geteuid() == 0
    if root:  # who may write everywhere
        os.seteuid(65534)
    try:
        for call in (lambda: sat.table(A).save(tmp_path / "u.npy"), lambda: sat.load(tmp_path / "t.npy")):
            with pytest.raises(PermissionError) as caught:
                call()
            assert caught.value.errno == errno.EACCES
    finally:
        if root:
            os.seteuid(0)
        tmp_path.chmod(0o755)


def test_errors_of_stores(tmp_path):
    da, zarr = pytest.importorskip("dask.array"), pytest.importorskip("zarr")
    import sat.dask

    zarr.create_group(tmp_path / "group").create_array("one", shape=A.shape, dtype="u1")
    x = da.from_array(A, chunks=4)
    with pytest.raises(TypeError, match="^x: .*group: a Zarr group; take one of its arrays: one$"):
        sat.dask.box(tmp_path / "group", 3)
    with pytest.raises(ValueError, match="^x: a Dask array of unknown chunks; "):
        sat.dask.box(x[x.sum(axis=1) > 500], 3)
    with pytest.raises(ValueError, match="^mask: a Dask array of unknown chunks; "):
        sat.dask.table(x, mask=x[x.sum(axis=1) > 500] > 3)
    with pytest.raises(FileNotFoundError) as caught:
        sat.dask.query(tmp_path / "none", RECTS, "mean")
    assert caught.value.filename == str(tmp_path / "none") and caught.value.errno == errno.ENOENT
    with pytest.raises(FileExistsError) as caught:
        sat.dask.box(x, 3, to=tmp_path / "group")
    assert caught.value.filename == str(tmp_path / "group")
    with pytest.raises(TypeError, match="^compressors: 'x'; "):
        sat.dask.box(x, 3, to=tmp_path / "new", compressors="x")
    with pytest.raises(TypeError, match="^ddof: 0.5 is no integer"):
        sat.dask.query(x, RECTS, "var", ddof=0.5)


def test_no_warning_of_numpy():
    xarray = pytest.importorskip("xarray")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for empty in (-1, 10**30, float("nan")):
            sat.box(xarray.DataArray(A), 3, empty=empty)
