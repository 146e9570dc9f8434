"""Functions of scikit-image and OpenCV, with their names, parameters and results."""

from __future__ import annotations

from typing import Any, Sequence, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from ._table import Table, table

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

_DEPTHS: dict[int, str] = {4: "int32", 5: "float32", 6: "float64"}  # CV_32S, CV_32F, CV_64F


def integral_image(image: ArrayLike, *, dtype: DTypeLike | None = None) -> Array:
    """`skimage.transform.integral_image()` of two dimensions: inclusive; uint64 of unsigned integers, int64 of
    signed ones and bool, float64 of floats."""
    given = np.asarray(image)
    if given.ndim != 2:
        raise ValueError(f"{given.ndim} dimensions; scikit-image sums along all of them, this along two")
    if dtype is None:
        dtype = {"u": "uint64", "f": "float64"}.get(given.dtype.kind, "int64")
    return table(given, dtype=dtype, layout="inclusive").array


def integrate(ii: ArrayLike, start: Sequence[Any], end: Sequence[Any]) -> Array:
    """`skimage.transform.integrate()`: the sums of the rectangles from rows and columns `start` to `end`, which
    are inside.

    start, end  (row, column), or a list of them; negative ones count from the end.  The result is (n,), float64.

    Raises IndexError for corners outside, and for ends before their starts.
    """
    sums = np.asarray(ii)
    first, last = (np.atleast_2d(np.asarray(corner)) for corner in (start, end))
    if first.dtype.kind not in "iu" or last.dtype.kind not in "iu":
        raise TypeError("start and end: integers")
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
    given = np.asarray(src)
    if given.ndim == 3 and given.shape[2] == 1:
        given = given[:, :, 0]
    if sdepth != -1 and sdepth not in _DEPTHS:
        raise ValueError(f"sdepth {sdepth}: -1, or one of {', '.join(map(str, _DEPTHS))}")
    dtype = _DEPTHS.get(sdepth, "int32" if given.dtype in (np.uint8, np.int8) else "float64")
    return table(given, dtype=dtype).array
