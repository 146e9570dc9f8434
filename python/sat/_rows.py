"""Filters of some rows at a time, for images larger than memory."""

from __future__ import annotations

import operator
from typing import Any, Sequence, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from . import _core
from ._arrays import Nodata, code, is_labelled
from ._filters import BLUR, Size, box_filter, gauss_filter, window_filter

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"


class _Rows:
    """What the filters of rows share: they are made for a whole image, and make some of its rows in a call.

    Results have the bits of the filter of the whole image, for any rows in any order.  A filter may be used by several
    threads, one at a time, and be pickled for other processes.
    """

    __slots__ = ("_rows", "_masked", "_given")

    _given: tuple[tuple[Any, ...], dict[str, Any]]

    def __new__(cls, *args: Any, **options: Any) -> Any:
        self = super().__new__(cls)
        self._given = args, options
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _made_again, (type(self), *self._given)

    def __init__(
        self,
        made: _core.Filter,
        shape: Sequence[int],
        dtype: DTypeLike,
        result: DTypeLike | None,
        band_rows: int,
        masked: bool,
    ) -> None:
        if len(shape) not in (2, 3):
            raise ValueError(f"shape {tuple(shape)}: (H, W) or (H, W, C)")
        height, width = operator.index(shape[0]), operator.index(shape[1])
        channels = operator.index(shape[2]) if len(shape) == 3 else 0
        if len(shape) == 3 and not 1 <= channels <= 4:
            raise ValueError(f"shape {tuple(shape)}: {channels} channels; 1 to 4")
        if result is not None and np.dtype(result) == np.int64:
            raise TypeError("result: int64; float64 holds sums and counts of integers exactly")
        logical = np.dtype(dtype) == bool
        sample = code("uint8" if logical else dtype)
        self._rows = _core.Rows(
            made, height, width, channels, sample, logical, code(result), min(band_rows, height), masked
        )
        self._masked = masked

    def needs(self, y0: int, y1: int) -> tuple[int, int]:
        """The rows [from, to) of the image that results for rows [y0, y1) are made of.

        With border "wrap" they may begin below 0 and end above the height: these are rows modulo the height.
        """
        return self._rows.needs(y0, y1)

    def run(
        self,
        rows: ArrayLike,
        first: int,
        y0: int,
        y1: int,
        out: Any = None,
        *,
        mask: ArrayLike | None = None,
        continues: bool = False,
    ) -> Any:
        """Results for rows [y0, y1) of the image, at most `band_rows`.

        rows       rows of the image from row `first` on: at least those of `needs(y0, y1)`; (n, W) or (n, W, C).
        mask       of the same rows, for a filter that is made with masked=True.
        continues  the rows are of the image of the run before, which ended at y0: sums are gone on with, which saves
                   time under high windows and changes no bit.
        """
        if isinstance(rows, np.ma.MaskedArray):
            raise TypeError(
                "rows: a masked array; its data and mask=~rows.mask are taken, by a filter with masked=True"
            )
        if type(rows) is not np.ndarray and is_labelled(rows):
            raise TypeError("rows: a DataArray, whose nodata value can differ from the filter's; pass rows.values")
        return self._rows.run(rows, first, y0, y1, mask, out, continues)


def _made_again(cls: type[_Rows], args: tuple[Any, ...], options: dict[str, Any]) -> _Rows:
    return cls(*args, **options)


class Box(_Rows):
    """`sat.box()` of some rows at a time.

    >>> f = sat.Box((20000, 60000), np.uint8, 31)
    >>> for y in range(0, 20000, 256):
    ...     end = min(y + 256, 20000)
    ...     top, bottom = f.needs(y, end)
    ...     blurred[y:end] = f.run(image[top:bottom], top, y, end, continues=y > 0)

    shape, dtype  of the whole image; result: the dtype of results.  band_rows: rows of a run at most.
    """

    __slots__ = ()

    def __init__(
        self,
        shape: Sequence[int],
        dtype: DTypeLike,
        size: Size,
        border: str = "shrink",
        nodata: Nodata = None,
        *,
        result: DTypeLike | None = None,
        band_rows: int = 256,
        masked: bool = False,
        border_value: float | Sequence[float] = 0,
        anchor: str = "second",
        min_valid: float = 0,
        empty: float | None = None,
        keep_holes: bool = False,
    ) -> None:
        made = box_filter(size, border, border_value, nodata, anchor, min_valid, empty, keep_holes)
        super().__init__(made, shape, dtype, result, band_rows, masked)


class Window(_Rows):
    """`sat.window()` of some rows at a time; of "wolf" with `extremes`.  Parameters as of `Box`."""

    __slots__ = ()

    def __init__(
        self,
        shape: Sequence[int],
        dtype: DTypeLike,
        size: Size,
        statistic: str | Sequence[str],
        border: str = "shrink",
        nodata: Nodata = None,
        *,
        result: DTypeLike | None = None,
        band_rows: int = 256,
        masked: bool = False,
        border_value: float | Sequence[float] = 0,
        ddof: int = 0,
        value_range: float = 0,
        anchor: str = "second",
        min_valid: float = 0,
        empty: float | None = None,
        keep_holes: bool = False,
        extremes: tuple[float, float] | None = None,
        **parameters: float,
    ) -> None:
        made = window_filter(
            size,
            statistic,
            False,
            border,
            border_value,
            nodata,
            ddof,
            value_range,
            anchor,
            min_valid,
            empty,
            keep_holes,
            extremes,
            parameters,
        )
        super().__init__(made, shape, dtype, result, band_rows, masked)


class Gauss(_Rows):
    """`sat.gauss()` of some rows at a time; not with border "wrap" above sigma 4.  Parameters as of `Box`."""

    __slots__ = ()

    def __init__(
        self,
        shape: Sequence[int],
        dtype: DTypeLike,
        sigma: float,
        border: str = "shrink",
        nodata: Nodata = None,
        *,
        result: DTypeLike | None = None,
        band_rows: int = 256,
        masked: bool = False,
        border_value: float | Sequence[float] = 0,
        min_valid: float = 0,
        empty: float | None = None,
        keep_holes: bool = False,
    ) -> None:
        made = gauss_filter(BLUR, sigma, 0, 0, border, border_value, nodata, min_valid, empty, keep_holes)
        super().__init__(made, shape, dtype, result, band_rows, masked)
