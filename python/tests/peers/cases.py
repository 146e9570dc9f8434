"""What the cases of scikit-image, OpenCV and dask-image share: pictures, and the comparison with the peer."""

import numpy as np

INTEGERS = ["uint8", "uint16", "int8", "int16", "int32", "uint32"]
FLOATS = ["float32", "float64"]
SHAPES = [(57, 63), (1, 1), (1, 40), (40, 1), (5, 4)]


def picture(shape, dtype, seed=0):
    """Samples all over the type's range; floats of both signs, around an offset."""
    rng = np.random.default_rng([54, seed])
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return (rng.standard_normal(shape) * 100 + 20).astype(dtype)
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)


def same(got, want, ulps=64, most=0):
    """Compares type, shape and values: floats may differ by `ulps` roundings of the largest, integers by `most`."""
    got, want = np.asarray(got), np.asarray(want)
    assert got.dtype == want.dtype, f"{got.dtype}, and the peer's are {want.dtype}"
    assert got.shape == want.shape, f"shape {got.shape}, and the peer's is {want.shape}"
    if want.dtype.kind == "f":
        scale = np.abs(want[np.isfinite(want)]).max(initial=0)
        np.testing.assert_allclose(got, want, rtol=0, atol=ulps * np.finfo(want.dtype).eps * scale)
    else:
        apart = np.abs(got.astype(object) - want.astype(object)).max(initial=0)
        assert apart <= most, f"{apart} apart"
