"""Files of tables: written and opened again, by this package, by NumPy, and by the command where it is built."""

import os

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
    with pytest.raises(OSError):
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
