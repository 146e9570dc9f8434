"""Tables, files of tables, and statistics of rectangles."""

from __future__ import annotations

import math
import os
from typing import Any, Sequence, SupportsIndex, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from . import _core
from ._arrays import (
    IMAGE, LAYOUTS, MASK, code, dtype_of, file_name, given_nodata, one_of, readable, shown, taken, warn,
)
from ._rects import (
    F8, RECT_STATISTICS, answer_index, answer_shape, answer_views, rect_names, rectangles, shaped_answers, sum_dtype,
)
from .typing import Array, Layout, Nodata, RectStatistic, Scalar

_LAYOUT_NAMES: list[Layout] = ["padded", "inclusive", "exclusive"]


def _layout(name: str) -> int:
    return LAYOUTS[name if type(name) is str and name in LAYOUTS else one_of(name, LAYOUTS, "layout")]


class PrecisionWarning(UserWarning):
    """Answers may be off by more than 1 % (std, rms) or 2 % (var), because a table's sums are rounded."""


def warn_imprecise(imprecise: int) -> None:
    warn(
        f"{imprecise} answers may be off by more than 1 % (std, rms) or 2 % (var), because the table's sums are "
        "rounded; sat.query(image, ...) computes them from the pixels",
        PrecisionWarning,
    )


class Region:
    """A slice of a table: statistics of one rectangle, as `t[y0:y1, x0:x1].mean`.  Scalars, or arrays (C,)."""

    __slots__ = ("_rect", "_table")

    def __init__(self, table: Table, rect: tuple[int, int, int, int]) -> None:
        self._table = table
        self._rect = rect

    @property
    def rect(self) -> tuple[int, int, int, int]:
        """x, y, width and height, in pixels."""
        return self._rect

    @property
    def mean(self) -> Scalar | Array:
        """The mean, float64."""
        return self._table.mean(self._rect)

    @property
    def sum(self) -> Scalar | Array:
        """The sum, as of `Table.sum()`."""
        return self._table.sum(self._rect)

    @property
    def var(self) -> Scalar | Array:
        """The variance, float64, of a table of two moments."""
        return self._table.var(self._rect)

    @property
    def std(self) -> Scalar | Array:
        """The standard deviation, float64, of a table of two moments."""
        return self._table.query(self._rect, "std")["std"]

    @property
    def count(self) -> Scalar | Array:
        """How many samples count, int64."""
        return self._table.query(self._rect, "count")["count"]

    def __repr__(self) -> str:
        x, y, width, height = self._rect
        return f"<sat.Region rows {y} to {y + height}, columns {x} to {x + width} of {self._table!r}>"


class Table:
    """A summed-area table (Crow 1984): the sum of any rectangle from four entries, whatever its size.

    Made by `sat.table()`, `sat.load()` and `Table.from_array()`.  `np.asarray(t)` is `t.array`, without a copy.
    """

    __slots__ = ("_core", "_file", "_sums", "__weakref__")

    def __init__(self, core: _core.Table, file: tuple[str, str | None, Layout] | None = None) -> None:
        self._core = core
        self._file = file  # path, sample and layout of load()
        self._sums: np.dtype[Any] | None = None  # the type of sums, once one was asked for

    def __reduce__(self) -> tuple[Any, ...]:
        core = self._core
        if self._file and core.mapped:
            return _opened_again, (*self._file, core.mapped)
        batch, _, _, channel = (None if axis < 0 else axis for axis in core.axes)
        arrays = (core.array, core.squares, core.counts)
        return _made_again, (arrays, core.sample, self.layout, channel, batch, core.widens, core.nodata, core.level)

    @classmethod
    def from_array(
        cls,
        sums: ArrayLike,
        sample: DTypeLike = "u1",
        layout: Layout = "padded",
        squares: ArrayLike | None = None,
        counts: ArrayLike | None = None,
        *,
        channel_axis: int | None = None,
        batch_axis: int | None = None,
        level: float = 0,
    ) -> Table:
        """A table of sums that other software made: `cv2.integral()`, `skimage.transform.integral_image()`, cumsum.

        sums     (H+1, W+1[, C]) with a row and a column of zeros first for layout "padded" (OpenCV), (H, W[, C]) for
                 "inclusive" (scikit-image, cumsum) and "exclusive"; int32, uint32, int64, uint64, float32 or float64.
                 It is not copied and must stay as it is.
        sample   the dtype of the image that was summed: it bounds what a rectangle can sum to.  Sums in 32 bits may
                 have wrapped: they answer rectangles whose own sums fit.
        squares  the sums of the squares, for variances; counts: those of ones, where not all samples counted.
        level    what was subtracted from each valid sample, of floats, before it was summed and squared.

        Raises TypeError for types that do not go together, ValueError for shapes.
        """
        core = _core.table_of_array(
            sums, squares, counts, code(sample, "sample"), _layout(layout), channel_axis, batch_axis, level
        )
        return cls(core)

    @property
    def array(self) -> Array:
        """The sums, on the image's axes; not a copy.  With a level, sums of x - level over the valid samples x."""
        return self._core.array

    @property
    def squares(self) -> Array | None:
        """The sums of the squares, or None.  With a level, sums of (x - level)^2 over the valid samples x."""
        return self._core.squares

    @property
    def counts(self) -> Array | None:
        """How many samples count, as a table; None where all do."""
        return self._core.counts

    @property
    def level(self) -> float:
        """What was subtracted from each valid sample before it was summed and squared; queries add it again.

        Tables of float images with squares have one, the median of the first row with valid samples, so that little
        of the squares is lost in rounding (Chan et al. 1983); 0 where channels differ, and of all others."""
        return self._core.level

    @property
    def layout(self) -> Layout:
        """ "padded", "inclusive" or "exclusive"."""
        return _LAYOUT_NAMES[self._core.layout]

    @property
    def sample(self) -> np.dtype[Any]:
        """The dtype of the image that was summed."""
        return np.dtype(self._core.sample)

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width of the image."""
        _, y, x, _ = self._core.axes
        more = self._core.layout == 0
        return self.array.shape[y] - more, self.array.shape[x] - more

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        array = self.array
        if dtype is not None and np.dtype(dtype) != array.dtype:
            if copy is False:
                raise ValueError(f"a table of {array.dtype} is no {np.dtype(dtype)} without a copy")
            return array.astype(dtype)
        return array.copy() if copy else array

    def __repr__(self) -> str:
        parts = "".join(f" and {name}" for name in ("squares", "counts") if getattr(self, name) is not None)
        level = f", less {self.level:.6g}" if self.level else ""
        return f"<sat.Table {self.layout} {self.array.shape} {self.array.dtype} sums of {self.sample}{level}{parts}>"

    def query(
        self,
        rects: ArrayLike,
        statistics: RectStatistic | Sequence[RectStatistic],
        out: dict[str, Array] | None = None,
        *,
        ddof: SupportsIndex = 0,
        clip: bool = False,
    ) -> dict[str, Array]:
        """Statistics of rectangles: a dict of arrays, by name, in the order asked for.

        rects       (4,) or (n, 4): x, y, width, height in pixels, as `cv2.boundingRect()` gives.  Integers are whole
                    pixels; floats are sides with fractions, where each pixel weighs as the area of it that is covered.
        statistics  one or several of mean, sum, var, std, rms, count, area.  var, std and rms need `moments=2`.
        out         arrays for some of them or all, by name, of the exact dtype and shape: what a call before gave.
        ddof        variances are divided by count - ddof.
        clip        True: rectangles are cut to the image; else one that reaches outside is an error.

        Each array is (n,), with channels (n, C), of a batch (N, n[, C]); without n for one rectangle: without any
        axis a scalar of NumPy's, which has an array's attributes and methods.  float64; the sum
        of integers is int64, or uint64 if the whole image may sum to 2**63 or more, of a table of floats float64; count
        and area are int64.  Where rects are floats, all are float64.

        Sums of integers are exact, means and variances rounded once.  Those of floats are rounded as the table's sums:
        warns with `PrecisionWarning` where an estimate says that a deviation is off by more than 1 %; `sat.query()`
        of the image loses nothing.  Raises ValueError for a rectangle that is empty, reaches outside, or holds more
        than the table is proven to answer; its index is named.
        """
        names = rect_names(statistics)
        core = self._core
        for name in names:
            if RECT_STATISTICS[name][0] and core.squares is None:
                raise ValueError(f"{name} needs the squares: table(image, moments=2)")
        boxes, one = rectangles(rects)
        batch, _, _, channel = core.axes
        index, whole = answer_index(one, batch >= 0, channel >= 0), boxes.dtype.kind == "i"
        sums, views, wide = core.array, None, F8
        if "sum" in names:
            if self._sums is None:
                self._sums = F8 if sums.dtype.kind == "f" else sum_dtype(self.sample, math.prod(self.shape))
            wide = self._sums
        if out is not None:
            sides = (None if axis < 0 else sums.shape[axis] for axis in (batch, channel))
            shape = answer_shape(boxes, one, *sides)
            views = answer_views(out, names, whole, index, [boxes, sums, core.squares, core.counts], shape, wide)
        answers, imprecise = core.ask(boxes, names, clip, ddof, views)
        if imprecise:
            warn_imprecise(imprecise)
        return shaped_answers(answers, names, whole, index, out, views, wide)

    # One rectangle gives a scalar, with channels an array; several, and arrays of rectangles, give arrays.
    @overload
    def mean(  # type: ignore[overload-overlap]
        self, rects: Sequence[float], out: Array | None = None, *, clip: bool = False
    ) -> Scalar | Array: ...
    @overload
    def mean(self, rects: ArrayLike, out: Array | None = None, *, clip: bool = False) -> Array: ...
    def mean(self, rects: Any, out: Array | None = None, *, clip: bool = False) -> Scalar | Array:
        """The means of rectangles, float64: `query()` says more.  With `clip`, NaN of what lies wholly outside."""
        return self.query(rects, "mean", out if out is None else {"mean": out}, clip=clip)["mean"]

    @overload
    def sum(  # type: ignore[overload-overlap]
        self, rects: Sequence[float], out: Array | None = None, *, clip: bool = False
    ) -> Scalar | Array: ...
    @overload
    def sum(self, rects: ArrayLike, out: Array | None = None, *, clip: bool = False) -> Array: ...
    def sum(self, rects: Any, out: Array | None = None, *, clip: bool = False) -> Scalar | Array:
        """The sums of rectangles: `query()` says more."""
        return self.query(rects, "sum", out if out is None else {"sum": out}, clip=clip)["sum"]

    @overload
    def var(  # type: ignore[overload-overlap]
        self, rects: Sequence[float], out: Array | None = None, *, ddof: SupportsIndex = 0, clip: bool = False
    ) -> Scalar | Array: ...
    @overload
    def var(
        self, rects: ArrayLike, out: Array | None = None, *, ddof: SupportsIndex = 0, clip: bool = False
    ) -> Array: ...
    def var(
        self, rects: Any, out: Array | None = None, *, ddof: SupportsIndex = 0, clip: bool = False
    ) -> Scalar | Array:
        """The variances of rectangles, float64, of a table of two moments: `query()` says more."""
        return self.query(rects, "var", out if out is None else {"var": out}, ddof=ddof, clip=clip)["var"]

    def __getitem__(self, index: tuple[slice, slice]) -> Region:
        """`t[y0:y1, x0:x1]`: the rectangle of these rows and columns, as slices of the image."""
        if not isinstance(index, tuple) or len(index) != 2 or not all(isinstance(i, slice) for i in index):
            raise TypeError("a table takes two slices, of rows and of columns: t[y0:y1, x0:x1]")
        starts, sizes = [], []
        for cut, side in zip(index, self.shape):
            try:
                start, stop, step = cut.indices(side)
            except Exception:
                raise TypeError(f"{shown(cut)}: a table takes slices of integers") from None
            if step != 1:
                raise ValueError("a table takes slices without a step")
            if stop <= start:
                raise ValueError(f"an empty rectangle: rows or columns {start} to {stop} of {side}")
            starts.append(start)
            sizes.append(stop - start)
        return Region(self, (starts[1], starts[0], sizes[1], sizes[0]))

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = True) -> None:
        """Writes the table as a .npy file, which `sat.load()`, the command `sat` and `np.load()` read.

        A file is whole or not there.  One image of up to 1024 channels.  Several moments are written in one type;
        32-bit integers among them then become 64-bit ones.  overwrite=False: a path that exists is refused.

        Raises OSError, as open() does (FileExistsError, PermissionError ...), and ValueError for a batch.
        """
        core = self._core
        batch, y, x, channel = core.axes
        if batch >= 0:
            raise ValueError("save: a file holds the table of one image, not of a batch")
        parts = [core.array, core.squares, core.counts]
        held = [part for part in parts if part is not None]
        kinds = {part.dtype for part in held}
        to = held[0].dtype if len(kinds) == 1 else _common(held, kinds, core.widens)
        order = (y, x) if channel < 0 else (y, x, channel)
        writer = _core.Writer(file_name(path), core, code(to), overwrite)
        height = held[0].shape[y]
        step = max(1, (1 << 20) // (held[0].nbytes // height or 1))
        for top in range(0, height, step):
            bands = [
                None if part is None else np.ascontiguousarray(part.transpose(order)[top : top + step], to)
                for part in parts
            ]
            writer.rows(*bands)
        writer.close()


def _common(parts: list[Array], kinds: set[np.dtype[Any]], widens: bool) -> np.dtype[Any]:
    """The one type in which a file has sums, squares and counts."""
    if not widens:
        raise ValueError(
            "save: sums that may have wrapped, of other types than their squares or counts; "
            "table(image, dtype=numpy.uint64) makes all of one type"
        )
    if any(kind.kind == "f" for kind in kinds):
        for part in parts:
            if part.dtype.kind != "f" and (part.max() > 2**53 or part.min() < -(2**53)):
                raise ValueError(
                    f"save: sums of {part.dtype} above 2**53 beside squares of float64, in which they would be "
                    "rounded; table(image, dtype=float) makes all of one type"
                )
        return np.dtype("float64")
    return np.dtype("int64" if any(kind.kind == "i" for kind in kinds) else "uint64")


def check_squares(squares: Array, sample: np.dtype[Any]) -> None:
    """Refuses sums of squares of integers in float64 that may have been rounded."""
    if squares.dtype.kind == "f" and float(np.max(squares, initial=0)) > 2.0**53:
        raise ValueError(
            f"the sums of squares of {sample} exceed 2^53: variances of rectangles would be rounded; "
            "subtract a level from the image, or take a table of its own: sat.table(..., dtype='f8')"
        )


def table(
    image: ArrayLike,
    moments: SupportsIndex = 1,
    mask: ArrayLike | None = None,
    nodata: Nodata = None,
    out: Array | tuple[Array, ...] | None = None,
    *,
    dtype: DTypeLike | None = None,
    layout: Layout = "padded",
    channel_axis: int | None = None,
    batch_axis: int | None = None,
) -> Table:
    """The summed-area table (integral image) of an image.

    image    (H, W) or (H, W, C) with C up to 4; bool, uint8 to uint32, int8 to int32, float32, float64; others are
             converted once (docs/python.md, "Arrays").  channel_axis and batch_axis say otherwise which axis is which.
             Of a DataArray, its y = scale_factor * x + add_offset.
    moments  2: the sums of the squares, too, for variances.
    mask     (H, W) of bool or uint8: pixels that are not 0 count.  A masked array brings its own.
    nodata   samples of this value do not count; NaN: NaNs do not.  None: a DataArray's own value; "ignore": none.
    out      the array of the sums, which is written and kept; a tuple with those of the squares and of the counts,
             where there are such.  Its dtype is that of the sums.
    dtype    of the sums; by default the narrowest of uint32, uint64 (signed: int32, int64; floats: float64) that is
             proven to hold the whole image.  A narrower one wraps, and answers rectangles whose own sum fits.
    layout   "padded": (H+1, W+1), a row and a column of zeros first, as OpenCV's; "inclusive": (H, W), as cumsum.

    The result's dtype depends on the image's shape and dtype alone.  Integers are exact, or refused: the squares of
    samples of 32 bits are summed in float64, up to 2^53, or by dtype="f8" beyond.  Entries of float tables are wrong by
    at most 2 (W + H) 2^-53 of the sum of absolute values.

    >>> t = sat.table(np.arange(12, dtype=np.uint8).reshape(3, 4))
    >>> t.mean([1, 1, 2, 2])
    np.float64(7.5)

    Raises TypeError for samples or sums of no such type, ValueError for shapes, MemoryError.
    F. C. Crow, Summed-area tables for texture mapping, SIGGRAPH 1984.
    """
    if type(image) is not np.ndarray:
        image, mask, nodata, channel_axis, batch_axis = taken(image, mask, nodata, channel_axis, batch_axis)
    kind = 0 if dtype is None else code(dtype)
    nodata = given_nodata(nodata)
    made = Table(_core.table(image, out, moments, mask, nodata, kind, _layout(layout), channel_axis, batch_axis, None))
    if dtype is None and made.squares is not None and made.sample.kind in "iu":
        check_squares(made.squares, getattr(image, "dtype", made.sample))
    return made


def load(
    path: str | os.PathLike[str], *, sample: DTypeLike | None = None, layout: Layout = "padded", verify: bool = False
) -> Table:
    """Opens a table file; large ones are mapped, and only what is asked for is read.

    Files of `Table.save()` and of the command say themselves what they hold.  `sample`, the dtype of the image that was
    summed, lets files of other software in (np.save() of cv2.integral()), with `layout`.  verify: the sums are read and
    compared with the file's checksum.  A file that becomes shorter while it is mapped ends the process (SIGBUS), as
    numpy.memmap does: replace such files by renaming.

    Raises OSError, as open() does (FileNotFoundError, PermissionError ...), and for a file that holds no table.
    """
    given = file_name(path)
    core = _core.load(given, sample is not None, code(sample, "sample"), _layout(layout), verify)
    of = None if sample is None else dtype_of(sample).str
    return Table(core, (os.path.abspath(os.fsdecode(given)), of, layout))


def _opened_again(path: str, sample: str | None, layout: Layout, mapped: int) -> Table:
    """A pickled table of a mapped file."""
    found = load(path, sample=sample, layout=layout)
    if found._core.mapped != mapped:
        raise OSError(f"{path}: no longer the table that was pickled")
    return found


def _made_again(
    arrays: tuple[Array, Array | None, Array | None],
    sample: str,
    layout: str,
    channel_axis: int | None,
    batch_axis: int | None,
    widens: bool,
    nodata: float | None,
    level: float = 0,
) -> Table:
    """A pickled table in memory."""
    sums, squares, counts = arrays
    core = _core.table_of_array(sums, squares, counts, code(sample), _layout(layout), channel_axis, batch_axis, level)
    core.restore(widens, nodata)
    return Table(core)


def query(
    image: ArrayLike | Table,
    rects: ArrayLike,
    statistics: RectStatistic | Sequence[RectStatistic],
    mask: ArrayLike | None = None,
    nodata: Nodata = None,
    out: dict[str, Array] | None = None,
    *,
    ddof: SupportsIndex = 0,
    clip: bool = False,
    channel_axis: int | None = None,
    batch_axis: int | None = None,
) -> dict[str, Array]:
    """Statistics of rectangles straight from an image's pixels: a dict of arrays, by name, as of `Table.query()`.

    image         as of `sat.table()`; or a Table, which `Table.query()` answers from.
    mask, nodata  as of `sat.table()`.
    others        as of `Table.query()`; var, std and rms need no `moments`.

    For a few rectangles, or where no table is exact: the time follows the pixels in the rectangles.  Integers are
    exact, rounded once.  Floats are summed as in twice the precision of float64 (Ogita, Rump and Oishi 2005): no
    deviation is lost, and a NaN reaches only the rectangles that hold it.

    >>> relief = np.float32(2500) + np.arange(12, dtype=np.float32).reshape(3, 4)
    >>> sat.query(relief, [1, 1, 2, 2], ["mean", "std"])["mean"]
    np.float64(2507.5)

    Raises ValueError as `Table.query()`, TypeError for unsupported types of samples.
    """
    if isinstance(image, Table):
        if not (mask is None and nodata is None and channel_axis is None and batch_axis is None):
            raise TypeError("mask, nodata and axes are an image's; a table has its own")
        return image.query(rects, statistics, out, ddof=ddof, clip=clip)
    if type(image) is not np.ndarray:
        image, mask, nodata, channel_axis, batch_axis = taken(image, mask, nodata, channel_axis, batch_axis)
        image = readable(image, IMAGE, "image")
    if mask is not None and type(mask) is not np.ndarray:
        mask = readable(mask, MASK, "mask")
    nodata = given_nodata(nodata)
    names = rect_names(statistics)
    boxes, one = rectangles(rects)
    ndim = image.ndim
    batch = channel = None
    if batch_axis is not None:
        batch = _core.integer(batch_axis, "batch_axis", -64, 63) % (ndim or 1)
    if channel_axis is not None:
        channel = _core.integer(channel_axis, "channel_axis", -64, 63) % (ndim or 1)
    elif ndim - (batch is not None) == 3:
        channel = max(axis for axis in range(ndim) if axis != batch)
    index, whole = answer_index(one, batch is not None, channel is not None), boxes.dtype.kind == "i"
    views, wide = None, F8
    if "sum" in names:
        sides = (side for axis, side in enumerate(image.shape) if axis not in (batch, channel))
        wide = sum_dtype(image.dtype, math.prod(sides))
    if out is not None:
        shape = answer_shape(boxes, one, batch if batch is None else image.shape[batch],
                              channel if channel is None else image.shape[channel])
        views = answer_views(out, names, whole, index, [boxes, image, mask], shape, wide)
    answers, _ = _core.ask_image(image, boxes, names, clip, ddof, views, mask, nodata, channel_axis, batch_axis)
    return shaped_answers(answers, names, whole, index, out, views, wide)


@overload
def mean(  # type: ignore[overload-overlap]
    image: ArrayLike | Table, rects: Sequence[float], mask: ArrayLike | None = None, nodata: Nodata = None,
    out: Array | None = None, *, clip: bool = False, channel_axis: int | None = None, batch_axis: int | None = None,
) -> Scalar | Array: ...
@overload
def mean(
    image: ArrayLike | Table, rects: ArrayLike, mask: ArrayLike | None = None, nodata: Nodata = None,
    out: Array | None = None, *, clip: bool = False, channel_axis: int | None = None, batch_axis: int | None = None,
) -> Array: ...
def mean(
    image: ArrayLike | Table, rects: Any, mask: ArrayLike | None = None, nodata: Nodata = None,
    out: Array | None = None, *, clip: bool = False, channel_axis: int | None = None, batch_axis: int | None = None,
) -> Scalar | Array:
    """The means of rectangles straight from an image, float64: for a few rectangles, or where no table is exact.

    The same as `sat.query(image, rects, "mean")["mean"]`: see there for `mask`, `nodata` and the axes.
    out: float64, of the result's shape.
    """
    named = None if out is None else {"mean": out}
    return query(
        image, rects, "mean", mask, nodata, named, clip=clip, channel_axis=channel_axis, batch_axis=batch_axis
    )["mean"]
