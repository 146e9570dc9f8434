"""Filters and tables of images larger than a machine's memory: on Dask, with Zarr.

    mean, std = sat.dask.window("dem.zarr", 31, ["mean", "std"], nodata=-9999)     # lazy: Dask arrays
    dask.compute(mean.to_zarr("mean.zarr", compute=False), std.to_zarr("std.zarr", compute=False))
    t = sat.dask.table("dem.zarr", moments=2, nodata=-9999, to="table.zarr")       # computed
    sat.dask.query(t, [[10, 20, 64, 48]], ["mean", "std"])

`pip install 'libsat[dask]'` brings Dask, its scheduler for clusters and Zarr.  docs/scale.md says which way is for whom.

Two ways lead to a filter's result.  Of a path or a zarr.Array, each task makes some rows of the whole width, and has the
bits of the filter of the whole image, floats too: it reads its own rows from the store, and gets the few beside them
from tasks that read the others' edges.  So each chunk is decoded at most twice.  Of a Dask array, each task makes a
chunk, with pixels of its neighbours around it (`dask.array.map_overlap`).
"""

from __future__ import annotations

import inspect
import os
from typing import Any, NamedTuple, Sequence, TypeAlias

import dask
import dask.array as da
import numpy as np
import zarr
from numpy.typing import ArrayLike, DTypeLike
from zarr.buffer.cpu import NDBuffer

import sat

from ._arrays import sides
from ._filters import BLUR, UNSHARP, Size, box_filter, gauss_filter, window_filter
from ._rows import _Rows
from ._table import _names, _rectangles

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

__all__ = ["Table", "box", "gauss", "query", "table", "threshold", "unsharp", "window"]

_BAND_BYTES = 64 << 20  # of a table, written at a time
_STEP_BYTES = 2 << 20  # of a table, summed at a time: they stay in the cache while a carry row is added


# ---- what is given ---------------------------------------------------------------------------------------------------


def _opened(x: Any, name: str) -> Any:
    """A zarr.Array or a Dask array: of a path, of NumPy's arrays, of a DataArray's data."""
    if isinstance(x, (str, os.PathLike)):
        return zarr.open_array(os.fspath(x), mode="r")
    if isinstance(x, (zarr.Array, da.Array)):
        return x
    if hasattr(x, "dims"):
        x = x.data
    if isinstance(x, da.Array) or hasattr(x, "__array__"):
        return da.asarray(x)
    raise TypeError(f"{name}: {type(x).__name__}; a path, zarr.Array, Dask array, DataArray or NumPy array")


def _chunks(x: Any) -> tuple[tuple[int, ...], ...]:
    """The chunks of an array along its axes; of a store with shards, the shards."""
    if isinstance(x, da.Array):
        return tuple(x.chunks)
    return tuple(da.core.normalize_chunks(x.shards or x.chunks, shape=x.shape, dtype=x.dtype))


def _mask_of(x: Any, mask: Any, shape: tuple[int, int]) -> Any:
    """The mask, as the image is: in a store, or a Dask array."""
    if mask is None:
        return None
    mask = _opened(mask, "mask")
    if isinstance(x, zarr.Array) and not isinstance(mask, zarr.Array):
        raise TypeError("mask: of an image in a store, a path or a zarr.Array; or give both as Dask arrays")
    if mask.shape != shape:
        raise ValueError(f"mask: shape {mask.shape}; the image's is {shape}")
    if isinstance(mask, zarr.Array) and not isinstance(x, zarr.Array):
        mask = da.from_zarr(mask)
    return mask


def _nodata_of(x: Any) -> float | None:
    """What a DataArray says of samples that are no data, as rioxarray has it.

    A value in its encoding (`rio.encoded_nodata`) is what a file holds: floats were decoded from it to NaN."""
    encoded, value = x.encoding.get("_FillValue"), x.attrs.get("_FillValue")
    if x.dtype.kind == "f" and (encoded is not None or value is None):
        return float("nan")
    value = value if encoded is None else encoded
    return None if value is None else float(value)


def _sides(options: dict[str, Any]) -> tuple[int, int]:
    """The sides of a window; of a Gaussian 1."""
    return sides(options.get("size", 1))


# ---- filters ---------------------------------------------------------------------------------------------------------


class _How(NamedTuple):
    """A filter: the function of the package and its parameters; the axes of rows, columns and channels."""

    name: str
    options: dict[str, Any]
    axes: tuple[int, int, int | None]
    results: int
    dtype: np.dtype[Any]

    def made(self) -> Any:
        """What the filter of rows is made of."""
        o = {"border": "shrink", "border_value": 0, "nodata": None, **self.options}
        o.pop("dtype", None)
        if self.name == "box":
            return box_filter(**o)
        if self.name in ("gauss", "unsharp"):
            return gauss_filter(BLUR if self.name == "gauss" else UNSHARP, sigma2=0, amount=o.pop("amount", 0), **o)
        o["statistics"] = o.pop("method" if self.name == "threshold" else "statistic")
        known = inspect.signature(window_filter).parameters
        parameters = {key: o.pop(key) for key in list(o) if key not in known}
        return window_filter(compare=self.name == "threshold", parameters=parameters, **o)

    def rows(self, shape: tuple[int, int], dtype: DTypeLike, band_rows: int, masked: bool) -> _Rows:
        """The filter of rows of an image."""
        result = np.uint8 if self.dtype == bool else self.dtype
        return _Rows(self.made(), shape, dtype, result, band_rows, masked)

    def block(self, block: Array, mask: Array | None = None) -> Array:
        """The results of a block, one behind the other."""
        stack = np.empty((self.results, *block.shape), self.dtype)
        out = stack[0] if self.results == 1 else tuple(stack)
        options = {**self.options, "mask": mask, "channel_axis": self.axes[2]}
        if self.name == "window" and self.results == 1 and not isinstance(self.options["statistic"], str):
            options["statistic"] = self.options["statistic"][0]
        getattr(sat, self.name)(block, out=out, **{k: v for k, v in options.items() if k != "dtype"})
        return stack


def _cut(ndim: int, how: _How, rows: Any, channels: slice) -> tuple[Any, ...]:
    """The index of rows and of channels in an image; in a mask, of rows alone."""
    if ndim == 2:
        return rows, slice(None)
    return tuple(rows if i == how.axes[0] else channels if i == how.axes[2] else slice(None) for i in range(ndim))


def _edge(how: _How, z: Any, channels: slice, rows: Array) -> Any:
    """Rows of a band that others need, each chunk of them decoded once."""
    return z.oindex[_cut(z.ndim, how, rows, channels)]


def _gathered(how: _How, z: Any, channels: slice, own: range, needed: range, near: list[Any]) -> Array:
    """The rows `needed` of an image: its `own` from the store, others from [(their numbers, an `_edge()`)]."""
    axis = how.axes[0] if z.ndim == 3 else 0
    shape = list(z.shape)
    height, shape[axis] = shape[axis], len(needed)
    if z.ndim == 3:
        shape[how.axes[2] or 0] = channels.stop - channels.start
    rows = np.empty(shape, z.dtype)
    first = own.start - needed.start
    own_rows = rows[_cut(z.ndim, how, slice(first, first + len(own)), slice(None))]
    z.get_basic_selection(
        _cut(z.ndim, how, slice(own.start, own.stop), channels), out=NDBuffer.from_numpy_array(own_rows)
    )
    at, numbers = np.moveaxis(rows, axis, 0), np.asarray(needed) % height
    outside = np.ones(len(needed), bool)
    outside[first : first + len(own)] = False
    again = np.flatnonzero(outside & (numbers >= own.start) & (numbers < own.stop))  # round the image, with "wrap"
    at[again] = at[numbers[again] - needed.start]
    for theirs, edge in near:
        hits = np.flatnonzero(outside & np.isin(numbers, theirs))
        at[hits] = np.moveaxis(edge, axis, 0)[np.searchsorted(theirs, numbers[hits])]
    return rows


def _band(how: _How, z: Any, mask: Any, channels: slice, own: range, needed: range, near: Any, mask_near: Any) -> Any:
    """The results of a band of rows."""
    y, x, c = how.axes
    rows = _gathered(how, z, channels, own, needed, near)
    valid = None if mask is None else _gathered(how, mask, channels, own, needed, mask_near)
    shape = list(rows.shape)
    shape[y] = len(own)
    wide = np.dtype("uint8") if how.dtype == bool else how.dtype
    results = [np.empty(shape, wide) for _ in range(how.results)]
    f = how.rows((z.shape[y], z.shape[x]), z.dtype, len(own), mask is not None)
    for i in range(1 if c is None else shape[c]):
        plane, *to = (a if c is None else np.moveaxis(a, c, 0)[i] for a in (rows, *results))
        several = how.name == "window" and not isinstance(how.options["statistic"], str)
        f.run(plane, needed.start, own.start, own.stop, tuple(to) if several else to[0], mask=valid)
    if how.dtype != bool:
        return results
    return [np.bitwise_and(result, 1, out=result).view(bool) for result in results]


def _by_rows(how: _How, z: Any, mask: Any) -> list[Any]:
    """Results of an image in a store, by bands of rows."""
    y, x, c = how.axes
    chunks = _chunks(z)
    height, high = z.shape[y], chunks[y][0]
    f = how.rows((height, z.shape[x]), z.dtype, high, mask is not None)
    middle = height // 2 // high * high
    top, bottom = f.needs(middle, min(middle + high, height))
    high *= -(-max(high, bottom - top - high) // high)  # bands are no lower than what they need besides
    f = how.rows((height, z.shape[x]), z.dtype, high, mask is not None)
    own = [range(at, min(at + high, height)) for at in range(0, height, high)]
    needed = [range(*f.needs(band.start, band.stop)) for band in own]
    asked: list[dict[int, Array]] = []  # of each band: bands that it needs rows of, and which
    for band, rows in zip(own, needed):
        others = np.unique([row % height for row in rows if row % height not in band])
        asked.append({int(i): others[others // high == i] for i in np.unique(others // high)})
    edges = [np.unique([row for a in asked for row in a.get(i, ())]).astype(int) for i in range(len(own))]

    def near(source: Any, channels: slice) -> list[Any]:
        edge = dask.delayed(_edge)
        read = [edge(how, source, channels, rows) if len(rows) else None for rows in edges]
        return [[(edges[i], read[i]) for i in a] for a in asked]

    made = dask.delayed(_band, nout=how.results)
    masks = [None] * len(own) if mask is None else near(mask, slice(None))
    columns: list[list[Any]] = [[] for _ in range(how.results)]
    starts = [0] if c is None else np.cumsum([0, *chunks[c][:-1]]).tolist()
    for k, start in enumerate(starts):
        channels = slice(start, start + (1 if c is None else chunks[c][k]))
        parts = zip(own, needed, near(z, channels), masks)
        bands = [made(how, z, mask, channels, *part) for part in parts]
        for s in range(how.results):
            shape = list(z.shape)
            if c is not None:
                shape[c] = chunks[c][k]
            arrays = []
            for band, rows in zip(bands, own):
                shape[y] = len(rows)
                arrays.append(da.from_delayed(band[s], tuple(shape), how.dtype))
            columns[s].append(da.concatenate(arrays, axis=y))
    joined = [one[0] if c is None else da.concatenate(one, axis=c) for one in columns]
    return [one.rechunk(chunks, method="tasks") for one in joined]


def _by_chunks(how: _How, x: Any, mask: Any) -> list[Any]:
    """Results of a Dask array, by chunks and their surroundings."""
    y, x_axis, _ = how.axes
    chunks = x.chunks
    if "sigma" in how.options:
        inside = how._replace(options={**how.options, "border": "shrink"})
        top, _ = inside.rows((1 << 20, 8), x.dtype, 1, False).needs(1 << 19, (1 << 19) + 1)
        deep = [(1 << 19) - top] * 2
    else:
        deep = [side // 2 for side in _sides(how.options)]
    wrap = how.options.get("border") == "wrap"
    depth = {}
    for axis, d in zip((y, x_axis), deep):
        if wrap and d > x.shape[axis]:
            raise ValueError('border "wrap": the filter is larger than the array, which a Dask array cannot go around')
        if d >= x.shape[axis] and not wrap:
            x = x.rechunk({axis: -1})
        depth[axis] = 0 if len(x.chunks[axis]) == 1 and not wrap else d
    edge = {axis: "periodic" if wrap else "none" for axis in depth}
    arguments = [da.overlap.overlap(x, depth, edge), tuple(range(x.ndim))]
    if mask is not None:
        mask = mask.rechunk((x.chunks[y], x.chunks[x_axis]))
        around = da.overlap.overlap(mask, {0: depth[y], 1: depth[x_axis]}, {0: edge[y], 1: edge[x_axis]})
        arguments += [around, (y, x_axis)]
    made = da.blockwise(
        how.block,
        (x.ndim, *range(x.ndim)),
        *arguments,
        new_axes={x.ndim: how.results},
        dtype=how.dtype,
        meta=np.empty((0,) * (x.ndim + 1), how.dtype),
    )
    made = da.overlap.trim_internal(
        made, {axis + 1: d for axis, d in depth.items()}, {axis + 1: kind for axis, kind in edge.items()}
    )
    return [made[s].rechunk(chunks, method="tasks") for s in range(how.results)]


def _filtered(name: str, x: Any, mask: Any, channel_axis: int | None, options: dict[str, Any]) -> Any:
    """What the functions below do."""
    for given in ("out", "batch_axis"):
        if given in options:
            raise TypeError(f"sat.dask.{name}: no parameter {given}")
    options = {key: value for key, value in options.items() if key != "dtype" or value is not None}
    labelled = hasattr(x, "dims") and hasattr(x, "attrs") and hasattr(x, "coords")
    source = _opened(x, "x")
    axes = [source.ndim - 2, source.ndim - 1]
    if labelled:
        if {"y", "x"} <= set(x.dims):
            axes = [x.dims.index("y"), x.dims.index("x")]
        if options.get("nodata") is None:
            options["nodata"] = nodata = _nodata_of(x)
            if nodata is not None and nodata == nodata and name != "threshold":
                options.setdefault("empty", nodata)
    elif source.ndim == 3:
        channel = 2 if channel_axis is None else channel_axis % 3
        if channel_axis is None and source.shape[2] > 4:
            raise ValueError(f"x: shape {source.shape}; three dimensions are (H, W, C) with up to 4 channels: channel_axis=")
        axes = [axis for axis in range(3) if axis != channel]
    others = [axis for axis in range(source.ndim) if axis not in axes]
    if len(others) > 1 or source.ndim < 2 or min(source.shape) < 1:
        raise ValueError(f"x: shape {source.shape}; (H, W), or (H, W, C), or, with channel_axis=0, (C, H, W)")
    names = options.get("statistic", options.get("method"))
    if "wolf" in ([names] if isinstance(names, str) else names or []):
        raise ValueError("wolf: has extremes of the whole image, of which a task sees a part; sat.window() has it")
    several = names is not None and not isinstance(names, str)
    small = [min(side, source.shape[axis]) for side, axis in zip(_sides(options), axes)]
    tried = getattr(sat, name)(np.zeros(small, source.dtype), **options)  # says what is wrong with the options
    how = _How(
        name,
        options,
        (axes[0], axes[1], others[0] if others else None),
        len(tried) if several else 1,
        (tried[0] if several else tried).dtype,
    )
    if axes[0] > axes[1]:
        raise ValueError("x: its columns lie before its rows; transposed, it is taken")
    mask = _mask_of(source, mask, (source.shape[axes[0]], source.shape[axes[1]]))
    results = (_by_rows if isinstance(source, zarr.Array) else _by_chunks)(how, source, mask)
    if labelled:
        results = [x.copy(data=result) for result in results]
        for result in results:
            fill = x.encoding.get("_FillValue")
            result.encoding = {} if fill is None or result.dtype == bool else {"_FillValue": fill}
    return tuple(results) if several else results[0]


def box(
    x: Any,
    size: Size,
    border: str = "shrink",
    mask: Any = None,
    nodata: float | None = None,
    *,
    channel_axis: int | None = None,
    **options: Any,
) -> Any:
    """`sat.box()` of an image larger than memory: a Dask array with the image's chunks.

    x        a path or zarr.Array: the bits of `sat.box()` of the whole, floats too, each chunk decoded at most twice.
             A task holds a row of chunks and its results.
             A Dask array: integers have the same bits for any chunks, floats are within the bounds of one run.
             A DataArray: a DataArray, with its coordinates and attributes; on its Dask array.
    mask     (H, W), in a store if the image is, else a Dask or NumPy array.
    nodata   of a DataArray None is what it says itself: a _FillValue that was decoded (`rio.encoded_nodata`) is NaN, that
             of its attributes is that value, and of other floats NaN.  Results where nothing counts have the value, too.
    options  of `sat.box()`, but for out and batch_axis.

    Of three dimensions, each channel is filtered by itself; of a DataArray, each plane of "y" and "x".
    """
    return _filtered("box", x, mask, channel_axis, {"size": size, "border": border, "nodata": nodata, **options})


def window(
    x: Any,
    size: Size,
    statistic: str | Sequence[str],
    border: str = "shrink",
    mask: Any = None,
    nodata: float | None = None,
    *,
    channel_axis: int | None = None,
    **options: Any,
) -> Any:
    """`sat.window()` of an image larger than memory, as `box()` is; of a list of statistics a tuple of arrays.

    What is computed together (`dask.compute(mean, std)`) is made in one pass.  wolf is refused.
    """
    options = {"size": size, "statistic": statistic, "border": border, "nodata": nodata, **options}
    return _filtered("window", x, mask, channel_axis, options)


def threshold(
    x: Any,
    size: Size,
    method: str,
    border: str = "shrink",
    mask: Any = None,
    nodata: float | None = None,
    *,
    channel_axis: int | None = None,
    **options: Any,
) -> Any:
    """`sat.threshold()` of an image larger than memory, as `box()` is.  wolf is refused."""
    options = {"size": size, "method": method, "border": border, "nodata": nodata, **options}
    return _filtered("threshold", x, mask, channel_axis, options)


def gauss(
    x: Any,
    sigma: float,
    border: str = "shrink",
    mask: Any = None,
    nodata: float | None = None,
    *,
    channel_axis: int | None = None,
    **options: Any,
) -> Any:
    """`sat.gauss()` of an image larger than memory, as `box()` is.

    Of Dask arrays, integers may differ by 1 above sigma 4, where sums are of floats.  In stores, border "wrap" is
    taken up to sigma 4.
    """
    return _filtered("gauss", x, mask, channel_axis, {"sigma": sigma, "border": border, "nodata": nodata, **options})


def unsharp(
    x: Any,
    sigma: float,
    amount: float,
    border: str = "shrink",
    mask: Any = None,
    nodata: float | None = None,
    *,
    channel_axis: int | None = None,
    **options: Any,
) -> Any:
    """`sat.unsharp()` of an image larger than memory, as `gauss()` is."""
    options = {"sigma": sigma, "amount": amount, "border": border, "nodata": nodata, **options}
    return _filtered("unsharp", x, mask, channel_axis, options)


# ---- tables ----------------------------------------------------------------------------------------------------------


class Table(NamedTuple):
    """A summed-area table: arrays (H, W) of Dask or Zarr, each entry the sum of what lies above and left of it, itself
    included.  64-bit integers, which wrap, or float64."""

    sums: Any
    squares: Any
    counts: Any
    sample: np.dtype[Any]


class _Sums(NamedTuple):
    """How tables are made: the parameters of `sat.table()`, the types of their arrays, how many rows at a time."""

    moments: int
    nodata: float | None
    kinds: list[str]
    piece: int
    step: int


def _loaded(part: Any) -> Any:
    """A band of rows: of a Dask array as it is, of a store read from it."""
    return part[0][part[1]] if isinstance(part, tuple) else part


def _totals(made: _Sums, part: Any, mask: Any, carry: Any = None, after: Any = None, targets: Any = None, y0: int = 0) -> Any:
    """The last rows of the tables of a band by itself; with a carry, the tables, which are written to targets, if any.

    carry, after  the rows of the whole image's tables above the band, and its last.
    """
    rows, valid = _loaded(part), _loaded(mask)
    height, width = rows.shape
    last = [np.zeros(width, kind) for kind in made.kinds]
    tables = [np.empty((0 if carry is None or targets else height, width), kind) for kind in made.kinds]
    for top in range(0, height, made.piece):
        high = min(made.piece, height - top)
        if targets or carry is None:
            tables = [np.empty((high if targets else made.step, width), kind) for kind in made.kinds]
        for y in range(0, high, made.step):
            n = min(made.step, high - y)
            at = 0 if carry is None else y if targets else top + y
            out = tuple(one[at : at + n] for one in tables)
            of = slice(top + y, top + y + n)
            sat.table(
                rows[of], made.moments, None if valid is None else valid[of], made.nodata, out, layout="inclusive"
            )
            for i, one in enumerate(out):
                before, last[i] = last[i], last[i] + one[-1]
                if carry is not None:
                    one += before + carry[i]
        if carry is not None and top + high == height:
            for one, total, start, end in zip(tables, last, carry, after):
                if one.dtype.kind == "f":
                    one[-1] = start + total
                if not np.array_equal(one[-1], end, equal_nan=one.dtype.kind == "f"):
                    raise RuntimeError(
                        f"table: the band from row {y0} does not add up to what was read of it before; the image has changed"
                    )
        for target, one in zip(targets or (), tables):
            target[y0 + top : y0 + top + high] = one
    return last if targets or carry is None else tables


def _sum(a: list[Array], b: list[Array]) -> list[Array]:
    return [x + y for x, y in zip(a, b)]


def table(x: Any, moments: int = 1, mask: Any = None, nodata: float | None = None, to: Any = None) -> Table:
    """The summed-area table of an image (H, W) larger than memory.

    x, mask, nodata  as of `box()`; moments: 2, for variances, as of `sat.table()`.
    to               a path: the tables are written to a Zarr group there, some 64 MB at a time, now.  None: Dask arrays
                     with the image's chunks.

    Bands of rows are summed by themselves; their last rows are added up from band to band, and are where the tables of
    the next begin.  An image in a store is read twice for it.  Integers are exact (modulo 2^64); floats are within
    2 (W + H) 2^-53 of the sum of absolute values.
    """
    source = _opened(x, "x")
    if source.ndim != 2 or min(source.shape) < 1:
        raise ValueError(f"x: shape {source.shape}; (H, W), one channel or plane at a time")
    if hasattr(x, "encoding") and nodata is None:
        nodata = _nodata_of(x)
    mask = _mask_of(source, mask, source.shape)
    tried = sat.table(np.zeros((1, 1), source.dtype), moments, None if mask is None else np.ones((1, 1), bool), nodata)
    signed = {"f": "f8", "i": "i8"}.get(source.dtype.kind, "u8")
    kinds = [signed]
    if moments == 2:
        kinds.append("f8" if source.dtype.kind == "f" or source.dtype.itemsize > 2 else "u8")
    if tried.counts is not None:
        kinds.append("u8")
    names = ["sums"] + ["squares"] * (moments == 2) + ["counts"] * (tried.counts is not None)
    (height, width), chunks = source.shape, _chunks(source)
    high = chunks[0][0]
    most = max(1, _BAND_BYTES // (8 * width * len(kinds)))
    piece = max(d for d in range(1, high + 1) if high % d == 0 and d <= most) if to is not None and high > most else high
    made = _Sums(moments, nodata, kinds, piece, min(piece, max(1, _STEP_BYTES // (8 * width))))
    bands = [range(at, min(at + high, height)) for at in range(0, height, high)]

    def parts(array: Any) -> list[Any]:
        if array is None:
            return [None] * len(bands)
        if isinstance(array, zarr.Array):
            return [(array, slice(band.start, band.stop)) for band in bands]
        return list(array.rechunk((high, -1), method="tasks").to_delayed()[:, 0])

    images, masks = parts(source), parts(mask)
    carries: list[Any] = [[np.zeros(width, kind) for kind in kinds]]
    added, totals, written = dask.delayed(_sum), dask.delayed(_totals, nout=len(kinds)), dask.delayed(len)
    for image, valid in zip(images, masks):
        carries.append(added(carries[-1], totals(made, image, valid)))
    targets: Any = None
    if to is not None:
        group = zarr.create_group(os.fspath(to), overwrite=True)
        wide = chunks[1][0]
        targets = tuple(
            group.create_array(name, shape=source.shape, chunks=(piece, wide), dtype=kind) for name, kind in zip(names, kinds)
        )
    each = [
        totals(made, image, valid, carries[i], carries[i + 1], targets, band.start)
        for i, (image, valid, band) in enumerate(zip(images, masks, bands))
    ]
    arrays = targets
    if to is not None:
        dask.compute([written(one) for one in each])
        group.attrs["sample"] = source.dtype.name  # the last that is written: without it there is no table
    else:
        arrays = [
            da.concatenate(
                [da.from_delayed(one[i], (len(band), width), kind) for one, band in zip(each, bands)]
            ).rechunk(chunks, method="tasks")
            for i, kind in enumerate(kinds)
        ]
    found = dict(zip(names, arrays))
    return Table(found["sums"], found.get("squares"), found.get("counts"), source.dtype)


def query(table: Any, rects: ArrayLike, statistics: str | Sequence[str], *, ddof: int = 0) -> dict[str, Any]:
    """Statistics of rectangles of whole pixels: a dict of arrays, as of `sat.Table.query()`; computed.

    table  what `table()` gave, or the path of the group it wrote.

    Entries are taken chunk by chunk, each of which is read once.  Sums of integers are exact, means and variances
    rounded once.  Raises ValueError for a rectangle that is empty, reaches outside, or whose sum may exceed 64 bits.
    """
    if not isinstance(table, Table):
        group = zarr.open_group(os.fspath(table), mode="r")
        if "sample" not in group.attrs:
            raise ValueError(f"{table}: no table, or one that was not written to its end")
        table = Table(group["sums"], group.get("squares"), group.get("counts"), np.dtype(str(group.attrs["sample"])))
    names = _names(statistics)
    boxes, one = _rectangles(rects)
    if boxes.dtype.kind == "f":
        raise TypeError("rects: floats; rectangles of whole pixels are taken")
    x, y, w, h = boxes.T
    height, width = table.sums.shape
    wrong = (x < 0) | (y < 0) | (w < 1) | (h < 1) | (w > width - x) | (h > height - y)
    squares = {"var", "std", "rms"} & set(names)
    if squares and table.squares is None:
        raise ValueError(f"{', '.join(sorted(squares))}: needs the squares: table(x, moments=2)")
    limit = float("inf")
    if table.sample.kind in "iu":
        info = np.iinfo(table.sample)
        largest = max(-int(info.min), int(info.max))
        limit = 2**63 / largest ** (2 if squares and table.sample.itemsize <= 2 else 1)
    wrong |= w.astype(float) * h > limit
    if wrong.any():
        i = int(np.flatnonzero(wrong)[0])
        raise ValueError(f"rectangle {i}, {boxes[i].tolist()}: empty, outside {width} x {height}, or its sum may exceed 64 bits")
    rows, columns = np.stack([y + h, y, y + h, y]) - 1, np.stack([x + w, x + w, x, x]) - 1
    beyond = (rows < 0) | (columns < 0)
    arrays = [None if a is None else da.from_zarr(a) if isinstance(a, zarr.Array) else a for a in table[:3]]
    arrays[1] = arrays[1] if squares else None
    entries = dask.compute(
        *(None if a is None else a.vindex[np.maximum(rows, 0).ravel(), np.maximum(columns, 0).ravel()] for a in arrays)
    )

    def inside(of: Any) -> Any:
        if of is None:
            return None
        a, b, c, d = np.where(beyond, of.dtype.type(0), of.reshape(4, -1))
        return a - b - c + d

    sums, squared, count = (inside(of) for of in entries)
    n = (w * h if count is None else count).astype(np.int64)
    exact = sums.astype(object) if sums.dtype.kind != "f" else sums
    some = np.maximum(n, 1).astype(exact.dtype)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = {"sum": sums, "count": n, "area": w * h, "mean": _where(n > 0, exact / some)}
        if squares:
            second = squared.astype(object) if squared.dtype.kind != "f" else squared
            found["rms"] = np.sqrt(_where(n > 0, second / some))
            found["var"] = _where(n > ddof, (second * some - exact * exact) / (some * np.maximum(n - ddof, 1)))
            found["std"] = np.sqrt(np.maximum(found["var"], 0))
    return {name: found[name][0] if one else found[name] for name in names}


def _where(counts: Array, values: Any) -> Array:
    return np.where(counts, values.astype(np.float64), np.nan)
