"""Arrays that are read and written where they lie, and the one copy of the others.

A wrapper that copied would pass every other test: here addresses, NumPy's allocations and the process's peak are
looked at."""

import subprocess
import sys
import tracemalloc

import numpy as np
import oracle
import pytest

import sat

SIDE = 1024
# name: an array of (H, W[, C]) made from a C-ordered (SIDE, SIDE, 4) one.
VIEWS = {
    "whole": lambda a: a,
    "crop": lambda a: a[7:-9, 3:-5],
    "one channel": lambda a: a[..., 1],
    "two channels": lambda a: a[..., 1:3],
    "steps": lambda a: a[::3, ::2],
    "flip up": lambda a: a[::-1],
    "flip left": lambda a: a[:, ::-1, 0],
    "turned by 180": lambda a: a[::-1, ::-1],
    "BGR": lambda a: a[..., 2::-1],
    "transposed": lambda a: a.transpose(1, 0, 2),
    "transposed, grey": lambda a: a[..., 0].T,
    "rot90": lambda a: np.rot90(a),
    "Fortran": lambda a: a.reshape(SIDE * 2, SIDE * 2, order="F"),
    "planes": lambda a: a.reshape(4, SIDE, SIDE).transpose(1, 2, 0),
    "three planes": lambda a: a.reshape(4, SIDE, SIDE)[:3].transpose(1, 2, 0),
    "read-only": lambda a: np.frombuffer(a.data, a.dtype).reshape(a.shape),
    "overlapping": lambda a: np.lib.stride_tricks.as_strided(a, (600, 600), (a.itemsize * 4, a.itemsize)),
    "one row": lambda a: a.reshape(1, -1),
    "one column": lambda a: a.reshape(-1, 1)[::2],
    "a field": lambda a: a.view([(c, a.dtype) for c in "rgba"])["b"][..., 0],
    "a record's field": lambda a: a.reshape(-1)[: SIDE * SIDE * 3]
    .view([("x", a.dtype, 2), ("y", a.dtype)])["y"]
    .reshape(SIDE, SIDE),
}
CALLS = {
    "table": lambda a, out=None: sat.table(a, out=out).array,
    "box": lambda a, out=None: sat.box(a, 5, out=out),
    "window": lambda a, out=None: sat.window(a, 5, "std", out=out),
    "gauss": lambda a, out=None: sat.gauss(a, 1.5, out=out),
    "threshold": lambda a, out=None: sat.threshold(a, 5, "niblack", out=out),
}


def same(got, want, dtype):
    if np.dtype(dtype).kind == "f" and got.dtype.kind == "f":
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-3)
    else:
        assert np.array_equal(got, want)


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64"])
def test_no_copy_and_the_same_result(rng, copies, name, dtype):
    view = VIEWS[name](oracle.image(rng, (SIDE, SIDE, 4), dtype))[:200, :300]
    for call in CALLS.values():
        same(call(view), call(np.array(view, order="C")), dtype)
    assert np.array_equal(
        sat.mean(view, [0, 0, 9, 1]) if view.shape[0] == 1 else sat.mean(view, [0, 0, 1, 9]),
        sat.mean(np.array(view), [0, 0, 9, 1]) if view.shape[0] == 1 else sat.mean(np.array(view), [0, 0, 1, 9]),
    )
    assert copies() == 0


@pytest.mark.parametrize("name", VIEWS)
def test_nothing_of_an_images_size_is_allocated(rng, name):
    view = VIEWS[name](oracle.image(rng, (SIDE, SIDE, 4), "uint8"))
    for which, call in CALLS.items():
        out = np.empty_like(
            call(view[:64, :64]), shape=[n + (which == "table") for n in view.shape[:2]] + list(view.shape[2:])
        )
        call(view, out=out)
        tracemalloc.start()
        call(view, out=out)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 1 << 14, which


def test_peak_of_the_process():
    """Flips, transposes and planes of 64 MiB: the library takes some rows at a time, not another image."""
    code = """
import resource, sys
import numpy as np, sat
sat.set_num_threads(2)
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
a = np.ones((8192, 8192), np.uint8)
out = np.ones((8192, 8192), np.uint8)
sums = np.ones((8193, 8193), np.int32)
before = peak()
for view in [a, a[::-1], a[:, ::-1], a.T]:
    sat.box(view, 15, out=out)
    sat.box(view, 15, out=out.T)
    sat.table(view, out=sums)
    sat.window(view, 15, "mean", out=out)
print(peak() - before)
"""
    grown = int(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
    assert grown < 32, f"{grown} MiB"


def test_results_lie_as_their_images(rng):
    a = oracle.image(rng, (40, 30, 3), "uint8")
    for view in [
        np.asfortranarray(a[..., 0]),
        a.transpose(1, 0, 2),
        np.moveaxis(np.ascontiguousarray(np.moveaxis(a, 2, 0)), 0, 2),
    ]:
        got = sat.box(view, 3)
        assert np.argsort(got.strides).tolist() == np.argsort(view.strides).tolist()
        assert np.argsort(sat.table(view).array.strides).tolist() == np.argsort(view.strides).tolist()
    assert sat.box(a[::-1, ::2], 3).flags.c_contiguous


def test_out_takes_any_strides(rng):
    a = oracle.image(rng, (40, 30), "uint8")
    want = sat.box(a, 5)
    for make in [lambda w: w[::2, ::3], lambda w: w[1:81:2, 2:92:3][::-1, ::-1], lambda w: w.T[::2, ::3][:40, :30]]:
        whole = np.full((100, 100), 77, np.uint8)
        out = make(whole)[:40, :30]
        assert sat.box(a, 5, out=out) is out and np.array_equal(out, want)
        out[...] = 77
        assert (whole == 77).all(), "what lies between is not written"


def test_out_is_checked(rng):
    a = oracle.image(rng, (40, 30), "uint8")
    locked = np.empty_like(a)
    locked.flags.writeable = False
    for error, out in [
        (ValueError, locked),
        (ValueError, np.empty((30, 40), np.uint8)),
        (TypeError, np.empty((40, 30), np.int16)),
        (TypeError, np.empty((40, 30), bool)),
        (ValueError, np.broadcast_to(np.uint8(0), (40, 30))),
        (ValueError, a),
        (ValueError, a[::-1]),
        (TypeError, [[1]]),
        (ValueError, np.empty((40, 30), ">f4")),
        (ValueError, np.lib.stride_tricks.as_strided(np.empty(100, np.uint8), (40, 30), (1, 1))),
    ]:
        with pytest.raises(error):
            sat.box(a, 5, out=out)
    assert sat.box(a, 5, out=np.empty((40, 30), np.float64)).dtype == np.float64
    with pytest.raises(TypeError):
        sat.box(a, 5, out=np.empty((40, 30), np.float64), dtype=np.float32)


def unaligned(a):
    raw = (
        np.empty(a.nbytes + 1, np.uint8)[1:].view(a.dtype)
        if a.itemsize == 1
        else np.ndarray(a.shape, a.dtype, bytearray(a.nbytes + 1), 1)
    )
    raw[...] = a
    return raw


@pytest.mark.parametrize(
    "name,make",
    [
        ("broadcast", lambda a: np.broadcast_to(a[0], (23, 31))),
        ("broadcast column", lambda a: np.broadcast_to(a[:, :1], (23, 31))),
        ("unaligned", unaligned),
        ("big-endian", lambda a: a.astype(a.dtype.newbyteorder(">"))),
        ("float16", lambda a: a.astype(np.float16)),
        ("int64", lambda a: a.astype(np.int64)),
        ("uint64", lambda a: abs(a).astype(np.uint64)),
        ("a list", lambda a: a.tolist()),
        ("odd fields", lambda a: np.zeros((23, 31), [("x", "u1"), ("y", a.dtype)])["y"]),
    ],
)
def test_one_counted_copy(rng, copies, name, make):
    a = oracle.image(rng, (23, 31), "int16") // 64
    given = make(a)
    plain = np.array(given)
    want = plain.astype(
        {"float16": np.float32, "int64": np.int32, "uint64": np.uint32}.get(
            plain.dtype.newbyteorder("=").name, plain.dtype.newbyteorder("=")
        )
    )
    got = sat.box(given, 5)
    assert copies() == 1 and got.dtype == want.dtype and np.array_equal(got, sat.box(want, 5))
    sat.table(given)
    sat.mean(given, [0, 0, 1, 1])
    assert copies() == 3


def test_64_bits_that_do_not_fit(rng):
    for a in [np.full((4, 4), 2**31), np.full((4, 4), -(2**31) - 1), np.full((4, 4), 2**32, np.uint64)]:
        with pytest.raises(ValueError, match="^image: u?int64 with values from .* are taken"):
            sat.box(a, 3)
    assert sat.table(np.full((4, 4), 2**31 - 1)).sum([0, 0, 4, 4]) == 16 * (2**31 - 1)


@pytest.mark.parametrize(
    "dtype", ["complex64", "datetime64[s]", "U3", "object", "longdouble", [("a", "u1"), ("b", "u1")]]
)
def test_other_types_are_refused(dtype):
    with pytest.raises(TypeError):
        sat.box(np.zeros((4, 4), dtype), 3)


def test_buffers_without_numpy(copies):
    import array

    raw = bytearray(range(240))
    assert sat.mean(memoryview(raw).cast("B", (12, 20)), [0, 0, 20, 12]) == np.mean(range(240))
    wide = array.array("H", range(240))
    assert sat.box(memoryview(wide).cast("B").cast("H", (12, 20)), 3).dtype == np.uint16
    assert copies() == 0


class Tensor:
    """What PyTorch's tensors are to others: DLPack, and no buffer."""

    def __init__(self, array, device=1):
        self.array, self.device = array, device

    def __dlpack__(self, **options):
        if isinstance(self.array, Exception):
            raise self.array
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return (self.device, 0)


def test_dlpack(rng, copies):
    a = oracle.image(rng, (23, 31), "float32")
    assert np.array_equal(sat.box(Tensor(a), 5), sat.box(a, 5)) and copies() == 0
    with pytest.raises(TypeError, match="memory of a device"):
        sat.box(Tensor(a, 2), 5)
    for error in (BufferError("a gradient"), RuntimeError("bfloat16")):
        with pytest.raises(TypeError, match=f"image: {error}"):
            sat.box(Tensor(error), 5)
    with pytest.raises(TypeError, match=r"^out: .* is no array; of a tensor, its numpy\(\) is one$"):
        sat.box(a, 5, out=Tensor(a))


class Given:
    """What NumPy converts; it counts how often."""

    def __init__(self, array):
        self.array, self.times = array, 0

    def __array__(self, dtype=None, copy=None):
        self.times += 1
        return self.array


def test_images_of_means_are_read_once(rng, copies):
    a = oracle.image(rng, (23, 31, 3), "float64")
    rects = [[3, 4, 5, 6], [0, 0, 31, 23]]
    want = np.array([a[y : y + h, x : x + w].mean((0, 1)) for x, y, w, h in rects])
    out, given, mask = np.empty((2, 3)), Given(a), Given(np.ones((23, 31), bool))
    for image in (Tensor(a), given):
        np.testing.assert_allclose(sat.mean(image, rects), want)
        np.testing.assert_allclose(sat.mean(image, rects, mask, out=out), want)
        with pytest.raises(ValueError, match="shares memory"):
            sat.mean(image, rects, out=a.reshape(-1)[:6].reshape(2, 3))
    memory = np.zeros(90)
    with pytest.raises(ValueError, match="shares memory"):
        sat.mean(a, rects, Tensor(memory.view(np.uint8)[:713].reshape(23, 31)), out=memory[:6].reshape(2, 3))
    assert given.times == 3 and mask.times == 2 and copies() == 0
    with pytest.raises(TypeError, match="image: a gradient"):
        sat.mean(Tensor(RuntimeError("a gradient")), rects, out=out)
    with pytest.raises(TypeError, match="mask: a gradient"):
        sat.mean(a, rects, Tensor(RuntimeError("a gradient")), out=out)


def test_subclasses_and_mappings(rng, copies, tmp_path):
    a = oracle.image(rng, (23, 31), "uint8")
    np.save(tmp_path / "a.npy", a)
    assert np.array_equal(sat.box(np.load(tmp_path / "a.npy", mmap_mode="r"), 5), sat.box(a, 5))
    with pytest.warns(PendingDeprecationWarning):
        matrix = np.matrix(a)
    assert type(sat.box(matrix, 5)) is np.ndarray and copies() == 0


def test_read_only_results_of_files_are_sources(rng, tmp_path):
    t = sat.table(oracle.image(rng, (23, 31), "uint8"))
    t.save(tmp_path / "t.npy")
    u = sat.load(tmp_path / "t.npy")
    assert sat.Table.from_array(u.array).mean([1, 2, 3, 4]) == t.mean([1, 2, 3, 4])


def test_none_is_no_array():
    for call in (
        lambda: sat.box(None, 3),
        lambda: sat.table(None),
        lambda: sat.mean(None, [[0, 0, 1, 1]]),
        lambda: sat.Table.from_array(None),
        lambda: sat.Box((4, 4), "u1", 3).run(None, 0, 0, 4),
    ):
        with pytest.raises(TypeError, match="^(image|sums|rows): None is no array$"):
            call()
