"""Tables of images larger than memory, and rectangles of them; a part of `sat.dask`.

Bands of rows are summed by themselves.  Their last rows are added up from band to band: these carry rows are where the
tables of the bands begin.
"""

from __future__ import annotations

import math
import os
from typing import Any, NamedTuple, Sequence, SupportsIndex

import dask
import dask.array as da
import numpy as np
import zarr
from numpy.typing import ArrayLike

from . import _core, _table
from ._arrays import LAYOUTS, file_name, given_nodata
from ._dask_arrays import CHUNK_BYTES, chunks_of, image_of, mask_of, opened, opened_store, put, task
from ._labelled import decoded, nodata_of
from ._rects import RECT_STATISTICS, rect_names, rectangles, sum_dtype
from ._zarr import finished, written_to
from .typing import Array, Nodata, RectStatistic

_BAND_BYTES = 64 << 20  # of a table, written at a time
_STEP_BYTES = 2 << 20  # of a table, summed at a time: they stay in the cache while a carry row is added


class Table(NamedTuple):
    """A summed-area table: arrays (H, W) of Dask or Zarr, each entry the sum of what lies above and left of it, itself
    included.  64-bit integers, which wrap, or float64."""

    sums: Any
    squares: Any
    counts: Any
    sample: np.dtype[Any]
    level: float = 0.0  # of floats with squares: they sum x - level, as `sat.Table.level` says

    def __repr__(self) -> str:
        parts = "".join(f" and {name}" for name in ("squares", "counts") if getattr(self, name) is not None)
        return f"<sat.dask.Table {self.sums.shape} {self.sums.dtype} sums of {self.sample}{parts}>"


class _Sums(NamedTuple):
    """How tables are made: the parameters of `sat.table()`, the types of their arrays, how many rows at a time."""

    moments: int
    nodata: float | None
    kinds: list[str]
    piece: int
    step: int
    level: float


def _loaded(part: Any) -> Any:
    """A band of rows: of a Dask array as it is, of a store read from it."""
    return part[0][part[1]] if isinstance(part, tuple) else part


def _totals(
    made: _Sums, part: Any, mask: Any, carry: Any = None, after: Any = None, targets: Any = None, y0: int = 0
) -> Any:
    """The last rows of the tables of a band by itself; with a carry, its tables; None if they are written to targets.

    carry, after  the rows of the whole image's tables above the band, and its last.
    """
    rows, valid = _loaded(part), _loaded(mask)
    height, width = rows.shape
    if after is not None and made.moments == 2 and rows.dtype.kind in "iu":
        _table.check_squares(after[1], rows.dtype)
    last, sums = ([np.zeros(width, kind) for kind in made.kinds] for _ in range(2))
    memory = np.empty(0, np.uint8)
    size = made.step if carry is None else made.piece if targets else height
    tables = [np.empty((min(size, height), width), kind) for kind in made.kinds]
    for top in range(0, height, made.piece):
        high = min(made.piece, height - top)
        for y in range(0, high, made.step):
            n = min(made.step, high - y)
            at = 0 if carry is None else y if targets else top + y
            out = tuple(one[at : at + n] for one in tables)
            of = slice(top + y, top + y + n)
            _core.table(
                rows[of], out, made.moments, None if valid is None else valid[of], made.nodata, 0,
                LAYOUTS["inclusive"], None, None, made.level,
            )
            for i, one in enumerate(out):
                above = None if carry is None else np.add(carry[i], last[i], out=sums[i])
                last[i] += one[-1]
                if carry is not None:
                    one += above
        if carry is not None and top + high == height:
            for (*_, row), total, start, end in zip(out, last, carry, after):
                if row.dtype.kind == "f":
                    row[:] = start + total
                if not np.array_equal(row, end, equal_nan=row.dtype.kind == "f"):
                    raise RuntimeError(
                        f"table: the band from row {y0} does not add up to what was read of it before: "
                        "the image has changed"
                    )
        for target, one in zip(targets or (), tables):
            wide = target.chunks[1] * max(1, CHUNK_BYTES // (8 * target.chunks[0] * target.chunks[1]))
            for x in range(0, width, wide):
                columns = slice(x, x + wide)
                memory = put(target, (slice(y0 + top, y0 + top + high), columns), one[:high, columns], memory)
    return last if carry is None else None if targets else tables


def _level(part: Any, mask: Any, nodata: float | None) -> float:
    """The level of a band, NaN of one without valid samples."""
    return _core.level(_loaded(part), _loaded(mask), nodata)


def _sum(a: list[Array], b: list[Array]) -> list[Array]:
    return [x + y for x, y in zip(a, b)]


def _plane(x: Any, mask: Any, nodata: Nodata, name: str = "x") -> tuple[Any, Any, float | None, list[str]]:
    """An image (H, W) as an array of Zarr or Dask, its mask, its nodata value and the names of its dimensions."""
    source, value = opened(x, name), given_nodata(nodata)
    if source.ndim != 2 or min(source.shape) < 1:
        raise ValueError(f"{name}: shape {source.shape}; (H, W), one channel or plane at a time")
    image = image_of(x, source)
    if image.labels is not None:
        y, value = decoded(image.labels, image.data, image.axes, nodata_of(image.labels, nodata))
        source = source if y is image.samples else y
    mask = mask_of(source, mask, source.shape, image.axes)
    if isinstance(getattr(source, "_meta", None), np.ma.MaskedArray):
        valid = ~da.ma.getmaskarray(source)
        source, mask = da.ma.getdata(source), valid if mask is None else valid & (mask != 0)
    return source, mask, value, image.dims


def table(
    x: Any, moments: SupportsIndex = 1, mask: Any = None, nodata: Nodata = None, to: Any = None,
    compressors: Any = "auto",
) -> Table:
    """The summed-area table of an image (H, W) larger than memory.

    x, mask, nodata  as of `box()`, but of y = scale_factor * x + add_offset, if the attributes have these.
    moments          2, for variances, as of `sat.table()`.
    to               a path: the tables are written to a new Zarr group there, some 64 MB at a time, now.  None: Dask
                     arrays with the image's chunks.
    compressors      of `to`, as of `zarr.create_array()`; None: none.

    Bands of rows are summed by themselves; their last rows are added up from band to band, and are where the tables of
    the next begin.  An image in a store is read twice for it.  Integers are exact, modulo 2^64; sums of squares of
    samples of 32 bits above 2^53 are refused.  Floats are within 2 (W + H) 2^-53 of the sum of absolute values; with
    squares they are summed less a level (`sat.Table.level`): to find it, this call reads bands from the top until one
    has a valid sample.
    """
    if to is not None:
        file_name(to, "to")
    moments = _core.integer(moments, "moments", 1, 2)
    source, mask, value, dims = _plane(x, mask, nodata)
    tried = _table.table(
        np.zeros((1, 1), source.dtype), moments, None if mask is None else np.ones((1, 1), bool), value
    )
    signed = {"f": "f8", "i": "i8"}.get(source.dtype.kind, "u8")
    kinds = [signed]
    if moments == 2:
        kinds.append("f8" if source.dtype.kind == "f" or source.dtype.itemsize > 2 else "u8")
    if tried.counts is not None:
        kinds.append("u8")
    names = ["sums"] + ["squares"] * (moments == 2) + ["counts"] * (tried.counts is not None)
    (height, width), chunks = source.shape, chunks_of(source)
    high = max(chunks[0])
    most = max(1, _BAND_BYTES // (8 * width * len(kinds)))
    piece = high
    if to is not None and high > most:
        piece = max(d for d in range(1, most + 1) if high % d == 0)
        if 4 * piece < most:  # tables of few rows to a chunk: rather bands that share some chunks of the image
            piece, high = most, -(-high // most) * most
    # Bands that are written have one height: no two write to a chunk.
    heights = da.core.normalize_chunks(high, (height,))[0] if to is not None else chunks[0]
    bands = [range(end - rows, end) for rows, end in zip(heights, np.cumsum(heights).tolist())]

    def parts(array: Any) -> list[Any]:
        if array is None:
            return [None] * len(bands)
        if isinstance(array, zarr.Array):
            return [(array, slice(band.start, band.stop)) for band in bands]
        return list(array.rechunk((heights, -1), method="tasks").to_delayed()[:, 0])

    images, masks = parts(source), parts(mask)
    level = 0.0
    if moments == 2 and source.dtype.kind == "f":
        found = (task("table-level", _level, image, valid, value).compute() for image, valid in zip(images, masks))
        level = next((one for one in found if one == one), 0.0)  # not NaN
    made = _Sums(moments, value, kinds, piece, min(piece, max(1, _STEP_BYTES // (8 * width))), level)
    carries: list[Any] = [[np.zeros(width, kind) for kind in kinds]]
    for image, valid in zip(images, masks):
        carries.append(task("table-carry", _sum, carries[-1], task("table-totals", _totals, made, image, valid)))
    targets: Any = None
    if to is not None:
        options = {"shape": source.shape, "chunks": (piece, max(chunks[1])), "compressors": compressors}
        targets = written_to(to, {name: (kind, {}, {}) for name, kind in zip(names, kinds)}, dims, **options)
    each = [
        task("table-band", _totals, made, image, valid, *carries[i : i + 2], targets, band.start, nout=len(kinds))
        for i, (image, valid, band) in enumerate(zip(images, masks, bands))
    ]
    arrays = targets
    if to is not None:
        dask.compute(each)
        finished(to, targets, sample=tried.sample.name, level=level)  # without these there is no table
    else:
        arrays = [
            da.concatenate(
                [da.from_delayed(one[i], (len(band), width), kind) for one, band in zip(each, bands)]
            ).rechunk(chunks, method="tasks")
            for i, kind in enumerate(kinds)
        ]
    named = dict(zip(names, arrays))
    return Table(named["sums"], named.get("squares"), named.get("counts"), tried.sample, level)


def _answered(part: Any, mask: Any, names: list[Any], nodata: float | None, ddof: int) -> dict[str, Any]:
    """The statistics of all pixels of a part."""
    rows = np.asarray(_loaded(part))
    valid = None if mask is None else np.asarray(_loaded(mask))
    return _table.query(rows, [0, 0, rows.shape[1], rows.shape[0]], names, valid, nodata, ddof=ddof)


def query(
    image: Any,
    rects: ArrayLike,
    statistics: RectStatistic | Sequence[RectStatistic],
    mask: Any = None,
    nodata: Nodata = None,
    *,
    ddof: SupportsIndex = 0,
) -> dict[str, Array]:
    """Statistics of rectangles of whole pixels: a dict of arrays, as of `sat.query()`; computed.

    image         an image (H, W) as of `table()`, whose pixels are read for each rectangle, of some hundreds at most;
                  or what `table()` gave, or the path of the group it wrote, for any number of rectangles.
    mask, nodata  of an image, as of `box()`.

    Of a table entries are taken chunk by chunk, each of which is read once.  Sums of integers are exact, means and
    variances rounded once; deviations of floats are rounded as `sat.Table.query()` says, but not from an image.  Raises
    ValueError for a rectangle that is empty, reaches outside, or whose sum may exceed 64 bits.
    """
    if isinstance(image, (str, os.PathLike)):
        image = opened_store(image, "image")
    if isinstance(image, zarr.Group):
        at = image.attrs
        if "sample" not in at:
            raise ValueError(f"{image.store_path}: no table, or one that was not written to its end")
        sums, squares, counts = (image.get(name) for name in ("sums", "squares", "counts"))
        image = Table(sums, squares, counts, np.dtype(str(at["sample"])), float(str(at.get("level", 0))))
    names: list[Any] = rect_names(statistics)
    boxes, one = rectangles(rects)
    ddof = _core.integer(ddof, "ddof", 0, 2**63 - 1)
    if boxes.dtype.kind == "f":
        raise TypeError("rects: floats; rectangles of whole pixels are taken")
    if isinstance(image, Table):
        if mask is not None or nodata is not None:
            raise TypeError("mask and nodata are an image's; a table has its own")
        _check_rectangles(boxes, image.sums.shape)
        found = _of_table(image, boxes, names, ddof)
    else:
        source, mask, value, _ = _plane(image, mask, nodata, "image")
        _check_rectangles(boxes, source.shape)
        cuts = [(slice(y, y + h), slice(x, x + w)) for x, y, w, h in boxes.tolist()]
        parts = [
            [None if a is None else (a, cut) if isinstance(a, zarr.Array) else a[cut] for a in (source, mask)]
            for cut in cuts
        ]
        answers = dask.compute([task("query", _answered, *part, names, value, ddof) for part in parts])[0]
        empty = _table.query(np.zeros((1, 1), source.dtype), np.empty((0, 4)), names)
        wide = sum_dtype(source.dtype, math.prod(source.shape))
        kinds: dict[str, Any] = {"sum": wide, "count": np.int64, "area": np.int64}
        found = {name: np.array([a[name] for a in answers], kinds.get(name, empty[name].dtype)) for name in names}
    return {name: found[name][0] if one else found[name] for name in names}


def _check_rectangles(boxes: Array, shape: tuple[int, int], limit: float = float("inf")) -> None:
    """limit: pixels of a rectangle at most."""
    x, y, w, h = boxes.T
    height, width = shape
    for wrong, why in (
        ((w < 1) | (h < 1), "empty"),
        ((x < 0) | (y < 0) | (w > width - x) | (h > height - y), f"outside the image, {width} wide and {height} high"),
        (w.astype(float) * h > limit, f"of more than {limit:.0f} pixels, whose sums may exceed 64 bits"),
    ):
        if wrong.any():
            i = int(np.flatnonzero(wrong)[0])
            raise ValueError(f"rectangle {i}, {boxes[i].tolist()}: {why}")


def _of_table(table: Table, boxes: Array, names: list[str], ddof: int) -> dict[str, Any]:
    """The statistics of rectangles inside a table."""
    squares = [name for name in names if RECT_STATISTICS[name][0]]
    if squares and table.squares is None:
        raise ValueError(f"{', '.join(squares)}: needs the squares: table(x, moments=2)")
    whole = table.sample.kind != "f"
    if whole:
        info = np.iinfo(table.sample)
        largest = max(-int(info.min), int(info.max))
        _check_rectangles(
            boxes, table.sums.shape, 2**63 / largest ** (2 if squares and table.sample.itemsize <= 2 else 1)
        )
    x, y, w, h = boxes.T
    rows, columns = np.stack([y + h, y, y + h, y]) - 1, np.stack([x + w, x + w, x, x]) - 1
    beyond = (rows < 0) | (columns < 0)
    arrays = [None if a is None else da.from_zarr(a) if isinstance(a, zarr.Array) else a for a in table[:3]]
    arrays[1] = arrays[1] if squares else None
    at = np.maximum(rows, 0).ravel(), np.maximum(columns, 0).ravel()
    entries: list[Any] = [
        None if of is None else np.where(beyond, of.dtype.type(0), of.reshape(4, -1))
        for of in dask.compute(*(None if a is None else a.vindex[at] for a in arrays))
    ]
    answers: list[Any] = [None if of is None else of[0] - of[1] - of[2] + of[3] for of in entries]
    sums, squared, count = answers
    n = (w * h if count is None else count).astype(np.int64)
    # Integers of Python: exact.  Squares in float64 are integers up to 2^53.
    first, second, some = (_exact(of) if whole and of is not None else of for of in (sums, squared, np.maximum(n, 1)))
    level = table.level
    with np.errstate(invalid="ignore", divide="ignore"):
        found = {"sum": sums + n * level, "count": n, "area": w * h, "mean": _where(n > 0, first / some)}
        if squares:
            found["var"] = _where(n > ddof, (second * some - first * first) / (some * np.maximum(n - ddof, 1)))
            found["var"] = np.maximum(found["var"], 0)
            found["var"][(n == 1) & (n > ddof) & np.isfinite(found["var"])] = 0
            found["std"] = np.sqrt(found["var"])
            square = _where(n > 0, second / some)
            if not whole:  # as sat_pair_add_level()
                square = np.maximum(square - found["mean"] ** 2, 0) + (found["mean"] + level) ** 2
            found["rms"] = np.sqrt(square)
            if not whole:  # the estimate of sat_statistics.imprecise
                e1, e2 = (16 * 2.0**-53 * np.abs(of).max(axis=0) for of in entries[:2])
                error = (e2 + 2 * np.abs(found["mean"]) * e1 + e1 * e1 / n) / np.maximum(n - ddof, 1)
                lost = (error > found["var"] / 50) & (n > 1) & bool({"var", "std"} & set(names))
                lost |= ((e2 + 2 * abs(level) * e1) / n > square / 50) & ("rms" in names)
                if imprecise := int(lost.sum()):
                    _table.warn_imprecise(imprecise)
        found["mean"] = found["mean"] + level
    if whole:
        found["sum"] = sums.astype(sum_dtype(table.sample, math.prod(table.sums.shape)))
    if missing := [name for name in names if name not in found]:
        raise ValueError(f"{', '.join(missing)}: of sat.Table.query(), not of sat.dask.query()")
    return found


def _exact(of: Array) -> Array:
    return np.array([int(value) for value in of.tolist()], object)


def _where(counts: Array, values: Any) -> Array:
    return np.where(counts, values.astype(np.float64), np.nan)
