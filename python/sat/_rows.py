"""Filters of some rows at a time, for images larger than memory."""

from __future__ import annotations

from typing import Any, Generic, Sequence, SupportsIndex, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from . import _core
from ._arrays import code, dtype_of, is_labelled, shown
from ._filters import BLUR, box_filter, gauss_filter, window_filter
from .typing import Anchor, Array, Border, Nodata, Size, Statistic

_Result = TypeVar("_Result")


class _Rows(Generic[_Result]):
    """What the filters of rows share: they are made for a whole image, and make some of its rows in a call.

    Results have the bits of the filter of the whole image, for any rows in any order.  A filter may be used by several
    threads, one at a time, and be pickled for other processes.
    """

    __slots__ = ("_rows", "_masked", "_given", "__weakref__")

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
        band_rows: SupportsIndex,
        masked: bool,
    ) -> None:
        try:
            sides = tuple(shape)
        except Exception:
            sides = ()
        if len(sides) not in (2, 3):
            raise (ValueError if sides else TypeError)(f"shape: {shown(shape)}; (H, W), or (H, W, C), is taken")
        of = dtype_of(dtype)
        if of.kind in "iu" and of.itemsize == 8:
            raise TypeError(f"dtype: {of}; integers of up to 32 bits, float32 and float64 are taken")
        if result is not None and dtype_of(result) == np.int64:
            raise TypeError("result: int64; float64 holds sums and counts of integers exactly")
        logical = of == bool
        sample = code("uint8" if logical else of)
        self._rows = _core.Rows(made, sides, sample, logical, code(result, "result"), band_rows, masked)
        self._masked = masked

    def __repr__(self) -> str:
        args, options = self._given
        named = dict(zip(("shape", "dtype"), args)) | options
        given = [*map(shown, args[2:])]
        given += [f"{name}={shown(value)}" for name, value in options.items() if name not in ("shape", "dtype")]
        image = f"{shown(tuple(named['shape']))} {np.dtype(named['dtype'])}"
        return f"<sat.{type(self).__name__} ({', '.join(given)}) of {image}>"

    def needs(self, y0: SupportsIndex, y1: SupportsIndex) -> tuple[int, int]:
        """The rows [from, to) of the image that results for rows [y0, y1) are made of.

        With border "wrap" they may begin below 0 and end above the height: these are rows modulo the height.
        """
        return self._rows.needs(y0, y1)

    def run(
        self,
        rows: ArrayLike,
        first: SupportsIndex,
        y0: SupportsIndex,
        y1: SupportsIndex,
        out: _Result | None = None,
        *,
        mask: ArrayLike | None = None,
        continues: bool = False,
    ) -> _Result:
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
        result: _Result = self._rows.run(rows, first, y0, y1, mask, out, continues)
        return result


def _made_again(cls: type[_Rows[Any]], args: tuple[Any, ...], options: dict[str, Any]) -> _Rows[Any]:
    return cls(*args, **options)


class Box(_Rows[Array]):
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
        border: Border = "shrink",
        nodata: Nodata = None,
        *,
        result: DTypeLike | None = None,
        band_rows: SupportsIndex = 256,
        masked: bool = False,
        border_value: float | Sequence[float] = 0,
        anchor: Anchor = "second",
        min_valid: float = 0,
        empty: float | None = None,
        keep_holes: bool = False,
    ) -> None:
        made = box_filter(size, border, border_value, nodata, anchor, min_valid, empty, keep_holes)
        super().__init__(made, shape, dtype, result, band_rows, masked)


class Window(_Rows[_Result]):
    """`sat.window()` of some rows at a time; of "wolf" with `extremes`.  Parameters as of `Box`."""

    __slots__ = ()

    @overload
    def __init__(
        self: Window[Array], shape: Sequence[int], dtype: DTypeLike, size: Size, statistic: Statistic,
        border: Border = "shrink",
        nodata: Nodata = None, *, result: DTypeLike | None = None, band_rows: SupportsIndex = 256, masked: bool = False,
        border_value: float | Sequence[float] = 0, ddof: SupportsIndex = 0, value_range: float = 0,
        anchor: Anchor = "second", min_valid: float = 0, empty: float | None = None, keep_holes: bool = False,
        extremes: tuple[float, float] | None = None, **parameters: float,
    ) -> None: ...
    @overload
    def __init__(
        self: Window[tuple[Array, ...]], shape: Sequence[int], dtype: DTypeLike, size: Size,
        statistic: Sequence[Statistic], border: Border = "shrink",
        nodata: Nodata = None, *, result: DTypeLike | None = None, band_rows: SupportsIndex = 256, masked: bool = False,
        border_value: float | Sequence[float] = 0, ddof: SupportsIndex = 0, value_range: float = 0,
        anchor: Anchor = "second", min_valid: float = 0, empty: float | None = None, keep_holes: bool = False,
        extremes: tuple[float, float] | None = None, **parameters: float,
    ) -> None: ...
    def __init__(
        self, shape: Sequence[int], dtype: DTypeLike, size: Size, statistic: Any, border: Border = "shrink",
        nodata: Nodata = None, *, result: DTypeLike | None = None, band_rows: SupportsIndex = 256, masked: bool = False,
        border_value: float | Sequence[float] = 0, ddof: SupportsIndex = 0, value_range: float = 0,
        anchor: Anchor = "second", min_valid: float = 0, empty: float | None = None, keep_holes: bool = False,
        extremes: tuple[float, float] | None = None, **parameters: float,
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


class Gauss(_Rows[Array]):
    """`sat.gauss()` of some rows at a time; not with border "wrap" above sigma 4.  Parameters as of `Box`."""

    __slots__ = ()

    def __init__(
        self,
        shape: Sequence[int],
        dtype: DTypeLike,
        sigma: float,
        border: Border = "shrink",
        nodata: Nodata = None,
        *,
        result: DTypeLike | None = None,
        band_rows: SupportsIndex = 256,
        masked: bool = False,
        border_value: float | Sequence[float] = 0,
        min_valid: float = 0,
        empty: float | None = None,
        keep_holes: bool = False,
    ) -> None:
        made = gauss_filter(BLUR, sigma, 0, 0, border, border_value, nodata, min_valid, empty, keep_holes)
        super().__init__(made, shape, dtype, result, band_rows, masked)
