"""Functions of scikit-image and OpenCV, with their names, parameters and results."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from . import _core
from ._arrays import as_array
from ._table import Table, table
from .typing import Array

_DEPTHS: dict[int, str] = {4: "int32", 5: "float32", 6: "float64"}  # CV_32S, CV_32F, CV_64F


def integral_image(image: ArrayLike, *, dtype: DTypeLike | None = None) -> Array:
    """`skimage.transform.integral_image()` of two dimensions: inclusive; uint64 of unsigned integers, int64 of
    signed ones and bool, float64 of floats."""
    given = as_array(image, "image")
    if given.ndim != 2:
        raise ValueError(f"image: {given.ndim} dimensions; scikit-image sums along all of them, this along two")
    if dtype is None:
        dtype = {"u": "uint64", "f": "float64"}.get(given.dtype.kind, "int64")
    return table(given, dtype=dtype, layout="inclusive").array


def integrate(ii: ArrayLike, start: Sequence[Any], end: Sequence[Any]) -> Array:
    """`skimage.transform.integrate()`: the sums of the rectangles from rows and columns `start` to `end`, which
    are inside.

    start, end  (row, column), or a list of them; negative ones count from the end.  The result is (n,), float64.

    Raises IndexError for corners outside, and for ends before their starts.
    """
    sums = as_array(ii, "ii")
    if sums.dtype.itemsize < 4:
        raise TypeError(f"ii: {sums.dtype}; int32, uint32, int64, uint64, float32 or float64 are taken")
    if sums.ndim != 2:
        raise ValueError(f"ii: {sums.ndim} dimensions; a table of one channel has two")
    first, last = (np.atleast_2d(as_array(corner, name)) for corner, name in ((start, "start"), (end, "end")))
    for corner, name in ((first, "start"), (last, "end")):
        if corner.dtype.kind not in "iu":
            raise TypeError(f"{name}: {corner.dtype}; integers are taken")
        if corner.shape != (len(first), 2):
            raise ValueError(f"{name}: shape {corner.shape}; start and end are (row, column), or as many of them")
    first, last = (np.where(corner < 0, corner + np.array(sums.shape), corner) for corner in (first, last))
    for wrong, why in (
        ((first < 0) | (last >= sums.shape), f"outside the image of {sums.shape}"),
        (last < first, "an end before its start"),
    ):
        if wrong.any():
            raise IndexError(f"rectangle {int(np.flatnonzero(wrong.any(axis=1))[0])}: {why}")
    sample = {"u": "uint32", "i": "int32"}.get(sums.dtype.kind, "float64")
    rects = np.concatenate([first[:, ::-1], (last - first + 1)[:, ::-1]], axis=1)
    answers: Array = Table.from_array(sums, sample, "inclusive").sum(rects)
    return (answers.view(np.uint64) if sums.dtype.kind == "u" else answers).astype(np.float64)


def integral(src: ArrayLike, sdepth: int = -1) -> Array:
    """`cv2.integral()`: (H+1, W+1[, C]), without C of one channel; int32 of uint8, which wraps as OpenCV's
    does, float64 of others.

    sdepth  cv2.CV_32S (4), cv2.CV_32F (5), cv2.CV_64F (6), or -1, the default.
    """
    given = as_array(src, "src")
    depth = _core.integer(sdepth, "sdepth", -1, 6)
    if given.ndim == 3 and given.shape[2] == 1:
        given = given[:, :, 0]
    if depth != -1 and depth not in _DEPTHS:
        raise ValueError(f"sdepth: {depth}; -1, or one of {', '.join(map(str, _DEPTHS))}")
    dtype = _DEPTHS.get(depth, "int32" if given.dtype in (np.uint8, np.int8) else "float64")
    return table(given, dtype=dtype).array
