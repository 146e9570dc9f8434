"""What results must be, from the definitions: windows as slices of a padded array, rectangles as slices."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

DTYPES = ["uint8", "uint16", "uint32", "int8", "int16", "int32", "float32", "float64"]
BORDERS = ["shrink", "reflect101", "reflect", "replicate", "wrap", "constant"]
_PAD = {"reflect101": "reflect", "reflect": "symmetric", "replicate": "edge", "wrap": "wrap"}


def image(rng, shape, dtype):
    """Samples all over the type's range; floats of both signs."""
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return (rng.standard_normal(shape) * 100).astype(dtype)
    if dtype == bool:
        return rng.random(shape) < 0.5
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)


def squarable(a):
    """Samples whose sums of squares float64 holds, where these are of 32 bits."""
    return a >> 12 if a.dtype.kind in "iu" and a.dtype.itemsize == 4 else a


def table(a):
    """The padded table of an image (H, W), in Python's integers or float64."""
    wide = a.astype(object if a.dtype.kind in "iub" else np.float64)
    if a.dtype.kind == "b":
        wide = a.astype(int).astype(object)
    t = np.zeros((a.shape[0] + 1, a.shape[1] + 1), wide.dtype)
    t[1:, 1:] = wide.cumsum(0).cumsum(1)
    return t


def windows(a, size, border="shrink", value=0, mask=None, first=False):
    """The windows (H, W, h, w) of an image (H, W) in float64, and which of their samples count."""
    h, w = (size, size) if np.isscalar(size) else size
    up, left = ((h - 1) // 2, (w - 1) // 2) if first else (h // 2, w // 2)
    pad = ((up, h - 1 - up), (left, w - 1 - left))
    counts = np.ones(a.shape, bool) if mask is None else mask
    wide = a.astype(np.float64)
    if border in ("shrink", "constant"):
        wide = np.pad(wide, pad, constant_values=value)
        counts = np.pad(counts, pad, constant_values=border == "constant")
    else:
        wide, counts = np.pad(wide, pad, mode=_PAD[border]), np.pad(counts, pad, mode=_PAD[border])
    return sliding_window_view(wide, (h, w)), sliding_window_view(counts, (h, w))


def mean(a, size, border="shrink", value=0, mask=None, first=False):
    """Means in float64, NaN where nothing counts.  Exact sums, where samples are integers below 2^53 / the window."""
    samples, counts = windows(a, size, border, value, mask, first)
    n = counts.sum((2, 3))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(counts, samples, 0).sum((2, 3)) / n


def var(a, size, border="shrink", value=0, mask=None):
    samples, counts = windows(a, size, border, value, mask)
    n = counts.sum((2, 3), keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        m = np.where(counts, samples, 0).sum((2, 3), keepdims=True) / n
        return (np.where(counts, samples - m, 0) ** 2).sum((2, 3)) / n[..., 0, 0]


def rounded(x, dtype):
    """To the nearest integer, halves away from zero."""
    return np.where(x < 0, -np.floor(0.5 - x), np.floor(x + 0.5)).astype(dtype)
