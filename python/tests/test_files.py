"""Files of tables: written and opened again, by this package, by NumPy, and by the command where it is built."""

import copy
import os
import pickle

import numpy as np
import oracle
import pytest

import sat


@pytest.mark.parametrize("dtype", oracle.DTYPES)
@pytest.mark.parametrize("shape", [(23, 31), (23, 31, 3), (23, 31, 7)])
@pytest.mark.parametrize("moments", [1, 2])
def test_round_trip(rng, tmp_path, dtype, shape, moments):
    a = oracle.image(rng, shape, dtype)
    if dtype in ("uint32", "int32"):
        a >>= 12  # sums that float64 holds, as the squares are float64
    axis = {"channel_axis": 2} if len(shape) == 3 else {}
    t = sat.table(a, moments, **axis)
    t.save(tmp_path / "t.npy")
    u = sat.load(tmp_path / "t.npy", verify=True)
    names = ["mean", "sum"] + ["std"] * (moments - 1)
    rects = [[0, 0, 31, 23], [3, 4, 5, 6]]
    assert u.layout == "padded" and u.sample == dtype and np.array_equal(u.array.astype(float), t.array.astype(float))
    for name in names:
        assert np.array_equal(
            t.query(rects, names)[name].astype(float), u.query(rects, names)[name].astype(float)
        ), name
    assert not u.array.flags.writeable


@pytest.mark.parametrize("make", [np.asfortranarray, lambda a: a[::-1, ::-1], lambda a: a.T.copy().T])
def test_any_order(rng, tmp_path, make):
    a = make(oracle.image(rng, (23, 31), "uint8"))
    sat.table(a).save(tmp_path / "t.npy")
    assert np.array_equal(np.load(tmp_path / "t.npy"), oracle.table(a).astype(np.uint32))


def test_holes(rng, tmp_path):
    a = oracle.image(rng, (23, 31), "int16")
    mask = rng.random(a.shape) < 0.5
    t = sat.table(a, 2, mask=mask, nodata=5)
    t.save(tmp_path / "t.npy")
    u = sat.load(tmp_path / "t.npy")
    ask = ["mean", "std", "count"]
    assert all(np.array_equal(t.query([3, 4, 9, 9], ask)[k], u.query([3, 4, 9, 9], ask)[k]) for k in ask)


def test_loads_what_others_made(rng, tmp_path):
    a = oracle.image(rng, (9, 8), "uint8")
    np.save(tmp_path / "t.npy", oracle.table(a).astype(np.int32))
    with pytest.raises(OSError):
        sat.load(tmp_path / "t.npy")
    assert sat.load(tmp_path / "t.npy", sample="u1").mean([1, 2, 3, 4]) == a[2:6, 1:4].mean()
    np.save(tmp_path / "i.npy", oracle.image(rng, (90, 80), "int32"))
    with pytest.raises(OSError):
        sat.load(tmp_path / "i.npy", sample="u1", layout="inclusive")


def test_mapped(rng, tmp_path):
    t = sat.table(np.ones((3000, 3000), np.uint8))
    t.save(tmp_path / "t.npy")
    kept = sat.load(tmp_path / "t.npy").array
    assert kept[-1, -1] == 9_000_000, "the array outlives its Table"


def test_errors(rng, tmp_path, monkeypatch):
    t = sat.table(np.ones((9, 8), np.uint8))
    with pytest.raises(FileNotFoundError):
        sat.load(tmp_path / "none.npy")
    with pytest.raises(OSError, match="none/t.npy"):
        t.save(tmp_path / "none" / "t.npy")
    (tmp_path / "text").write_text("no table")
    with pytest.raises(OSError, match="text"):
        sat.load(tmp_path / "text")
    t.save(tmp_path / "t.npy")
    with pytest.raises(FileExistsError):
        t.save(tmp_path / "t.npy", overwrite=False)
    monkeypatch.chdir(tmp_path)
    t.save("-")
    assert os.path.getsize("-") > 0 and sat.load("-").mean([0, 0, 8, 9]) == 1, "- is a file's name"
    with pytest.raises(ValueError, match="batch"):
        sat.table(np.ones((2, 9, 8), np.uint8), batch_axis=0).save("b.npy")
    with pytest.raises(ValueError, match="wrapped"):
        sat.table(np.ones((9, 8), np.uint8), 2, out=(np.empty((10, 9), np.uint32), np.empty((10, 9), np.uint64))).save(
            "m.npy"
        )


def test_a_path_of_bytes(tmp_path):
    path = tmp_path / "t.npy"
    sat.table(np.ones((4, 5), np.uint8)).save(path)
    assert sat.load(bytes(path)).sum([0, 0, 5, 4]) == 20


def alike(t, u):
    """Are two tables the same in all that they know and answer?"""
    parts = ["array", "squares", "counts"]
    for name in parts:
        x, y = getattr(t, name), getattr(u, name)
        assert (x is None) == (y is None) and (x is None or (x.dtype == y.dtype and np.array_equal(x, y))), name
    assert (t.layout, t.sample, t.shape, repr(t)) == (u.layout, u.sample, u.shape, repr(u))
    names = ["mean", "sum", "count"] + ["var"] * (t.squares is not None)
    rects = [[0, 0, 31, 23], [3, 4, 5, 6]]
    for name, answer in t.query(rects, names).items():
        assert np.array_equal(answer, u.query(rects, names)[name], equal_nan=True), name


@pytest.mark.parametrize("dtype", oracle.DTYPES + ["bool"])
def test_pickles_of_tables_in_memory(rng, tmp_path, dtype):
    a = oracle.squarable(oracle.image(rng, (2, 23, 31, 3), dtype))
    grey, wide = a[0, ..., 0], np.empty((48, 64), {"f": "f8", "i": "i8"}.get(a.dtype.kind, "u8"))
    tables = [
        sat.table(grey),
        sat.table(a[0], 2, layout="inclusive"),
        sat.table(a, batch_axis=0),
        sat.table(np.moveaxis(a, 3, 1), 2, batch_axis=0, channel_axis=1),
        sat.table(grey, 2, mask=grey > 9),
        sat.table(grey.T.copy().T, nodata=np.nan),
        sat.table(grey, nodata=1),
        sat.table(grey, out=wide[::2, ::-2]),
        sat.Table.from_array(sat.table(a[0]).array[..., 1], sat.table(a[0]).sample),
    ]
    for t in tables:
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            alike(t, pickle.loads(pickle.dumps(t, protocol)))
        apart = []
        packed = pickle.dumps(t, 5, buffer_callback=apart.append)
        alike(t, pickle.loads(packed, buffers=[bytes(b.raw()) for b in apart]))
        assert len(packed) < 2000 or not t.array.flags.forc, "sums go out of band, as NumPy's arrays"
        alike(copy.deepcopy(t), t)
        if t._core.axes[0] < 0 and t._core.widens:
            pickle.loads(pickle.dumps(t)).save(tmp_path / "p.npy")
            t.save(tmp_path / "t.npy")
            assert (tmp_path / "p.npy").read_bytes() == (tmp_path / "t.npy").read_bytes()
    assert pickle.loads(pickle.dumps(tables[0][2:6, 1:4])).mean == tables[0][2:6, 1:4].mean
    narrow = sat.table(np.ones((9, 8), np.uint8), 2, out=(np.empty((10, 9), np.uint32), np.empty((10, 9), np.uint64)))
    with pytest.raises(ValueError, match="wrapped"):
        pickle.loads(pickle.dumps(narrow)).save(tmp_path / "w.npy")


def test_pickles_of_files(rng, tmp_path, monkeypatch):
    """A mapped file goes by its path, a small one by its sums."""
    a, b = oracle.image(rng, (2, 300, 400), "uint8")
    monkeypatch.chdir(tmp_path)
    for name, options in [("t.npy", {}), ("f.npy", {"sample": "u1", "layout": "inclusive"})]:

        def write(image, name=name, foreign=bool(options)):
            if foreign:
                np.save("new.npy", image.cumsum(0).cumsum(1))
            else:
                sat.table(image, 2).save("new.npy")
            os.replace("new.npy", name)

        write(a)
        t = sat.load(name, **options)
        packed = pickle.dumps(t)
        assert len(packed) < 500 and not pickle.loads(packed).array.flags.writeable
        monkeypatch.chdir("/")
        alike(t, pickle.loads(packed))
        monkeypatch.chdir(tmp_path)
        write(b[:-1] if options else b)
        alike(t, t)
        with pytest.raises(OSError, match=f"{tmp_path}/{name}: no longer the table"):
            pickle.loads(packed)
        os.remove(name)
        with pytest.raises(FileNotFoundError):
            pickle.loads(packed)
    sat.table(a[:23, :31]).save("small.npy")
    small = sat.load("small.npy")
    os.remove("small.npy")
    alike(pickle.loads(pickle.dumps(small)), small)
