"""Filters and tables of images larger than a machine's memory: on Dask, with Zarr.

    mean, std = sat.dask.window("dem.zarr", 31, ["mean", "std"], nodata=-9999)     # lazy: Dask arrays
    sat.dask.window("dem.zarr", 31, ["mean", "std"], nodata=-9999, to="local.zarr")    # computed, in a Zarr group
    t = sat.dask.table("dem.zarr", moments=2, nodata=-9999, to="table.zarr")       # computed
    sat.dask.query(t, [[10, 20, 64, 48]], ["mean", "std"])

`pip install 'libsat[dask]'` brings Dask, its scheduler for clusters and Zarr.  docs/scale.md says which way is for
whom.

Two ways lead to a filter's result.  Of a path or a zarr.Array, each task makes some rows of the whole width, and has
the bits of the filter of the whole image, floats too.  It reads its own rows from the store, and gets the few beside
them from tasks that read the others' edges, so each chunk is decoded at most twice; with `to=` tasks take more rows,
and most chunks are decoded once.  Of a Dask array, each task makes a chunk, with pixels of its neighbours around it
(`dask.array.map_overlap`).
"""

from __future__ import annotations

import inspect
import os
import uuid
from typing import Any, Iterator, NamedTuple, Sequence

import numpy as np
from numpy.typing import DTypeLike

try:
    import dask
    import dask.array as da
    import zarr
    from dask.highlevelgraph import HighLevelGraph
    from zarr.buffer.cpu import NDBuffer
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        f"sat.dask needs {missing.name}: pip install 'libsat[dask]'", name=missing.name
    ) from missing

import sat

from . import _core
from ._arrays import axis_of, file_name, is_labelled, names_of, one_of, sides
from ._attributes import kept
from ._dask_arrays import CHUNK_BYTES, chunks_of, image_of, mask_of, opened, put, task
from ._dask_tables import Table, query, table
from ._filters import _PARAMETERS, BLUR, UNSHARP, box_filter, gauss_filter, window_filter
from ._labelled import labelled, passes
from ._rows import _Rows
from ._zarr import finished, written_to
from .typing import Array, Border, Method, Nodata, Size, Statistic

__all__ = ["Table", "box", "gauss", "query", "table", "threshold", "unsharp", "window"]

_RUN_ROWS = 256  # of a band, filtered at a time
_BAND_STEPS = 8  # of a band at most: a worker that dies has one to make again


def _sides(options: dict[str, Any]) -> tuple[int, int]:
    """The sides of a window; of a Gaussian 1."""
    height, width = (_core.integer(side, "size", 1, 2**31 - 1) for side in sides(options.get("size", 1)))
    return height, width


class _How(NamedTuple):
    """A filter: the function of the package and its parameters; the axes of rows, columns and channels."""

    name: str
    options: dict[str, Any]
    axes: tuple[int, int, int | None]
    results: int
    dtypes: tuple[np.dtype[Any], ...]

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type that holds all results exactly."""
        return np.result_type(*self.dtypes)

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

    def whole(self, extremes: tuple[float, float] | None) -> _How:
        """The filter with these extremes of the whole image."""
        return self if extremes is None else self._replace(options={**self.options, "extremes": extremes})

    def rows(self, shape: tuple[int, int], dtype: DTypeLike, band_rows: int, masked: bool) -> _Rows[Any]:
        """The filter of rows of an image."""
        result = np.uint8 if self.name == "threshold" else self.options.get("dtype")
        return _Rows(self.made(), shape, dtype, result, band_rows, masked)

    def block(self, block: Array, mask: Array | None = None, extremes: tuple[float, float] | None = None) -> Array:
        """The results of a block, one behind the other."""
        if extremes is not None:
            return self.whole(extremes).block(block, mask)
        options = {**self.options, "mask": mask, "channel_axis": self.axes[2]}
        if self.name == "window" and self.results == 1 and not isinstance(self.options["statistic"], str):
            options["statistic"] = self.options["statistic"][0]
        if isinstance(block, np.ma.MaskedArray):
            made = getattr(sat, self.name)(block, **options)
            stacked: Array = np.ma.stack(made if self.results > 1 else [made])
            return stacked
        stack = np.empty((self.results, *block.shape), self.dtype)
        # Written into the stack if all have one type. Else each is computed in its own, so it is rounded only once.
        if len(set(self.dtypes)) == 1:
            options["out"] = stack[0] if self.results == 1 else tuple(stack)
        made = getattr(sat, self.name)(block, **options)
        if "out" not in options:
            for to, one in zip(stack, made):
                to[...] = one
        return stack


def _parts(how: _How, z: Any, rows: Any, channels: slice) -> Iterator[tuple[tuple[Any, ...], tuple[slice, ...]]]:
    """Some chunks at a time of rows in a store: where they lie there, and in an array of these rows."""
    _, x, c = how.axes if z.ndim == 3 else (0, 1, None)
    chunk = z.shards or z.chunks
    step = chunk[x] * max(1, CHUNK_BYTES // (int(np.prod(chunk)) * z.dtype.itemsize))
    for start in range(0, z.shape[x], step):
        index, here = [rows] * z.ndim, [slice(None)] * z.ndim
        index[x] = here[x] = slice(start, min(start + step, z.shape[x]))
        if c is not None:
            index[c] = channels
        yield tuple(index), tuple(here)


def _shape(how: _How, z: Any, rows: int, channels: slice) -> tuple[int, ...]:
    """The shape of some rows of an image or a mask."""
    y, _, c = how.axes if z.ndim == 3 else (0, 1, None)
    return tuple(
        rows if i == y else channels.stop - channels.start if i == c else side for i, side in enumerate(z.shape)
    )


def _edge(how: _How, z: Any, channels: slice, rows: Array) -> Any:
    """Rows of a band that others need."""
    edge = np.empty(_shape(how, z, len(rows), channels), z.dtype)
    for index, here in _parts(how, z, rows, channels):
        edge[here] = z.oindex[index]
    return edge


def _gather(
    how: _How, z: Any, channels: slice, own: range, have: range, near: list[Any], rows: Array, there: range
) -> None:
    """Puts rows `have` of an image into `rows`: some are `there`, `own` in the store, others in [(which, an edge)]."""
    axis = how.axes[0] if z.ndim == 3 else 0
    at, first = np.moveaxis(rows, axis, 0), own.start - have.start
    if there:
        at[:first] = at[have.start - there.start : own.start - there.start]
    part = rows[(slice(None),) * axis + (slice(first, first + len(own)),)]
    for index, here in _parts(how, z, slice(own.start, own.stop), channels):
        z.get_basic_selection(index, out=NDBuffer.from_numpy_array(part[here]))
    numbers = np.asarray(have) % z.shape[axis]
    for theirs, edge in near:
        hits = np.flatnonzero(np.isin(numbers, theirs))
        at[hits] = np.moveaxis(edge, axis, 0)[np.searchsorted(theirs, numbers[hits])]


def _steps(needs: Any, own: range, needed: range, high: int) -> Iterator[tuple[range, range, int]]:
    """How a band is read: the rows of a step; all that are there then; where the results end that these suffice for."""
    top = own.start
    for start in range(own.start, own.stop, high):
        end = min(start + high, own.stop)
        have = range(needs(top, own.stop)[0], needed.stop if end == own.stop else end)
        top = end
        while own.start < top < own.stop and (beyond := needs(top - 1, top)[1] - end) > 0:
            top = max(own.start, top - beyond)
        yield range(start, end), have, top


def _band(
    how: _How,
    z: Any,
    mask: Any,
    channels: slice,
    extremes: Any,
    own: range,
    needed: range,
    near: Any,
    mask_near: Any,
    high: int,
    targets: Any,
) -> Any:
    """The results of a band, which is read `high` rows at a time; None where they are written to targets."""
    how = how.whole(extremes)
    y, x, c = how.axes
    shape = _shape(how, z, min(high, len(own)), channels)
    step = max(_RUN_ROWS, len(needed) - len(own))  # fewer rows stay in the cache; higher windows would begin anew
    if how.options.get("border") == "wrap" and len(needed) >= z.shape[y]:
        step = len(own)  # the whole image lies round it
    whole, most = (z.shape[y], z.shape[x]), min(step, shape[y])
    filters = [how.rows(whole, z.dtype, most, mask is not None) for _ in range(1 if c is None else shape[c])]
    steps = list(_steps(filters[0].needs, own, needed, high))
    tall = max(len(have) for _, have, _ in steps)
    given = [(z, channels, near), (mask, slice(None), mask_near)][: 1 if mask is None else 2]
    image, *masks = [np.empty(_shape(how, source, tall, part), source.dtype) for source, part, _ in given]
    valid = masks[0] if masks else None
    results = [np.empty(shape, "uint8" if kind == bool else kind) for kind in how.dtypes]
    planes = [[a if c is None else np.moveaxis(a, c, 0)[i] for a in (image, *results)] for i in range(len(filters))]
    several = how.name == "window" and not isinstance(how.options["statistic"], str)
    top, there, memory = own.start, range(0), np.empty(0, np.uint8)
    for part, have, reach in steps:
        for (source, of, edges), rows in zip(given, [image, *masks]):
            _gather(how, source, of, part, have, edges, rows, there)
        there = have
        while top < reach:
            begin = top - (top - own.start) % high
            bottom = min(top + step, reach, begin + high)
            for f, (rows, *out) in zip(filters, planes):
                to = tuple(a[top - begin : bottom - begin] for a in out)
                f.run(rows, have.start, top, bottom, to if several else to[0], mask=valid, continues=top > own.start)
            top = bottom
            if targets and top in (begin + high, own.stop):
                for target, result in zip(targets, results):
                    result = result[(slice(None),) * y + (slice(top - begin),)]
                    for index, here in _parts(how, target, slice(begin, top), channels):
                        memory = put(target, index, result[here], memory)
    if how.dtype == bool and not targets:
        results = [np.bitwise_and(result, 1, out=result).view(bool) for result in results]
    return None if targets else results


def _extremes(lowest: Any, largest_var: Any) -> tuple[float, float]:
    return float(lowest), float(largest_var)


def _extremes_of(how: _How, x: Any, mask: Any) -> Any:
    """The extremes that wolf reads, which a pass of their own finds; None where no statistic is wolf."""
    names = how.options.get("statistic", how.options.get("method"))
    if "wolf" not in ([names] if isinstance(names, str) else names or []):
        return None
    if how.options.get("extremes") is not None:
        return how.options["extremes"]
    known = ("border", "border_value", "nodata", "ddof", "anchor", "min_valid")
    options = {key: how.options[key] for key in known if key in how.options}
    by = _by_rows if isinstance(x, zarr.Array) else _by_chunks
    found = []
    # NaN is an empty result, or that of samples that are no numbers.
    for size, statistic, none, reduced in ((1, "mean", np.inf, da.min), (how.options["size"], "var", 0.0, da.max)):
        one = {**options, "size": size, "statistic": statistic, "dtype": np.float64}
        if size == 1:
            one.pop("min_valid", None)
        [samples] = by(_How("window", one, how.axes, 1, (np.dtype("float64"),)), x, mask)
        samples = da.ma.getdata(samples)
        found.append(reduced(da.where(da.isnan(samples), none, samples)))
    return task("extremes", _extremes, *found)


def _steps_of_a_band(steps: int) -> int:
    """Of all steps: many, since chunks that bands read of each other are decoded twice; but there is work for all."""
    owner = getattr(dask.base.get_scheduler(), "__self__", None)
    ncores = getattr(owner, "ncores", None)  # of a Client
    tasks = sum(ncores().values()) if ncores else dask.config.get("num_workers", os.cpu_count())
    tasks = max(1, tasks or 1)
    return -(-steps // (tasks * -(-steps // (_BAND_STEPS * tasks))))


def _by_rows(how: _How, z: Any, mask: Any, create: Any = None) -> Any:
    """Results of an image in a store, by bands of rows; written, now, to arrays that are created, if any."""
    extremes = _extremes_of(how, z, mask)
    of_rows = how if extremes is None else how.whole((0.0, 0.0))  # the rows that it needs depend on none
    y, x, c = how.axes
    chunks = chunks_of(z)
    height, high = z.shape[y], chunks[y][0]
    f = of_rows.rows((height, z.shape[x]), z.dtype, high, mask is not None)
    middle = height // 2 // high * high
    top, bottom = f.needs(middle, min(middle + high, height))
    high *= -(-max(high, bottom - top - high) // high)  # bands are no lower than what they need besides
    swept = create is not None and how.options.get("border") != "wrap"
    band = high * (_steps_of_a_band(-(-height // high)) if swept else 1)
    own = [range(at, min(at + band, height)) for at in range(0, height, band)]
    needed = [range(*f.needs(rows.start, rows.stop)) for rows in own]
    asked: list[dict[int, Array]] = []  # of each band: bands that it needs rows of, and which
    for mine, rows in zip(own, needed):
        others = np.unique([row % height for row in rows if row % height not in mine])
        asked.append({int(i): others[others // band == i] for i in np.unique(others // band)})
    edges = [np.unique([row for a in asked for row in a.get(i, ())]).astype(int) for i in range(len(own))]

    def near(source: Any, channels: slice) -> list[Any]:
        edge = f"{how.name}-edges", _edge
        read = [task(*edge, how, source, channels, rows) if len(rows) else None for rows in edges]
        return [[(edges[i], read[i]) for i in a] for a in asked]

    targets = create() if create else None
    masks = [None] * len(own) if mask is None else near(mask, slice(None))
    starts = [np.cumsum([0, *along[:-1]]).tolist() for along in chunks]
    bands = []
    for start, wide in [(0, 1)] if c is None else list(zip(starts[c], chunks[c])):
        channels = slice(start, start + wide)
        parts = zip(own, needed, near(z, channels), masks)
        shared = f"{how.name}-band", _band, how, z, mask, channels, extremes
        bands.append([task(*shared, *part, high, targets) for part in parts])
    every = [one for row in bands for one in row]
    if targets:
        dask.compute(every)
        return targets
    # One task from a band to a chunk: each more would let a worker begin another band before the chunk is written.
    results = []
    for s in range(how.results):
        name = f"sat-{how.name}-{uuid.uuid4().hex}"
        layer = {}
        for chunk in np.ndindex(*(len(along) for along in chunks)):
            first = starts[y][chunk[y]]
            index = [slice(None)] * z.ndim
            index[y] = slice(first % high, first % high + chunks[y][chunk[y]])
            index[x] = slice(starts[x][chunk[x]], starts[x][chunk[x]] + chunks[x][chunk[x]])
            layer[name, *chunk] = (_piece, bands[0 if c is None else chunk[c]][first // high].key, s, tuple(index))
        graph = HighLevelGraph.from_collections(name, layer, dependencies=every)
        results.append(da.Array(graph, name, chunks, dtype=how.dtypes[s]))
    return results


def _piece(results: list[Array], s: int, index: tuple[slice, ...]) -> Array:
    return results[s][index]


def _by_chunks(how: _How, x: Any, mask: Any) -> list[Any]:
    """Results of a Dask array, by chunks and their surroundings."""
    y, x_axis, _ = how.axes
    whole, chunks = x, x.chunks
    if "sigma" in how.options:
        inside = how._replace(options={**how.options, "border": "shrink", "border_value": 0})
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
    extremes = _extremes_of(how, whole, mask)
    made = da.blockwise(
        how.block,
        (x.ndim, *range(x.ndim)),
        *arguments,
        **({} if extremes is None else {"extremes": extremes}),
        new_axes={x.ndim: how.results},
        dtype=how.dtype,
        meta=(np.ma if isinstance(x._meta, np.ma.MaskedArray) else np).empty((0,) * (x.ndim + 1), how.dtype),
    )
    made = da.overlap.trim_internal(
        made, {axis + 1: d for axis, d in depth.items()}, {axis + 1: kind for axis, kind in edge.items()}
    )
    return [made[s].astype(kind).rechunk(chunks, method="tasks") for s, kind in enumerate(how.dtypes)]


def _filtered(name: str, x: Any, mask: Any, channel_axis: int | None, options: dict[str, Any]) -> Any:
    """What the functions below do."""
    for given in ("out", "batch_axis"):
        if given in options:
            raise TypeError(f"sat.dask.{name}: no parameter {given}")
    to = options.pop("to", None)
    if to is not None:
        file_name(to, "to")
    compressors = "auto" if to is None else options.pop("compressors", "auto")
    options = {key: value for key, value in options.items() if key != "dtype" or value is not None}
    channel_axis = axis_of(channel_axis, "channel_axis")
    source = opened(x, "x")
    image = image_of(x, source, channel_axis)
    axes, shape = sorted((image.axes.y, image.axes.x)), image.data.shape
    others = [axis for axis in range(len(shape)) if axis not in axes]
    if "size" in options:
        options["size"] = _sides(options)
    if "method" in options:
        one_of(options["method"], _PARAMETERS, "method")
    several = not isinstance(options.get("statistic", name), str)
    names = names_of(options["statistic"], _PARAMETERS) if "statistic" in options else [name]
    distinct = list(dict.fromkeys(names))
    if "wolf" in (*distinct, options.get("method")) and others and shape[others[0]] > 4:
        raise ValueError(f"wolf: of {shape[others[0]]} channels each is an image with extremes of its own")
    small = [min(side, shape[axis]) for side, axis in zip(_sides(options), axes)]
    parts = [(source, options, list(range(len(distinct))))]
    if image.labels is not None:
        parts = passes(image.labels, image.data, image.axes, name, distinct, options)
        if len(parts) > 1 or parts[0][0] is not image.samples:
            source = image.data
    hows = []
    for data, own, which in parts:
        if several:
            own["statistic"] = [distinct[i] for i in which]
        tried = getattr(sat, name)(np.zeros(small, data.dtype), **own)  # says what is wrong with the options
        dtypes = tuple(one.dtype for one in (tried if several else [tried]))
        hows.append(_How(name, own, (axes[0], axes[1], others[0] if others else None), len(which), dtypes))
    of = {distinct[i]: how for how, (_, _, which) in zip(hows, parts) for i in which}  # in the order of the results
    mask = mask_of(source, mask, (shape[axes[0]], shape[axes[1]]), image.axes)
    chunks = [max(along) for along in chunks_of(source)]

    def create() -> Any:
        attrs, encoding = (getattr(image.labels, part, {}) for part in ("attrs", "encoding"))
        arrays = {}
        for (one, how), kind in zip(of.items(), (kind for how in hows for kind in how.dtypes)):
            arrays[one] = kind, *kept(attrs, encoding, one, kind, how.options.get("empty"))
        options = {"shape": shape, "chunks": chunks, "compressors": compressors}
        return written_to(to, arrays, image.dims, image.labels, **options)

    if isinstance(source, zarr.Array):
        results = _by_rows(hows[0], source, mask, None if to is None else create)
    else:
        results = [one for how, (data, _, _) in zip(hows, parts) for one in _by_chunks(how, data, mask)]
        if to is not None:
            lazy, results = results, create()
            da.store([one.rechunk(chunks) for one in lazy], results, lock=False)
    if to is not None:
        finished(to, results)
    if is_labelled(x) and to is not None:
        results = [da.from_zarr(one) for one in results]
    if not isinstance(results[0], zarr.Array):
        results = [image.axes.rows_first(one) for one in results]
    found = dict(zip(of, results))
    if is_labelled(x):
        found = {one: labelled(x, a, one, of[one].options) for one, a in found.items()}
    return tuple(found[one] for one in names) if several else found[names[0]]


def box(
    x: Any,
    size: Size,
    border: Border = "shrink",
    mask: Any = None,
    nodata: Nodata = None,
    *,
    channel_axis: int | None = None,
    **options: Any,
) -> Any:
    """`sat.box()` of an image larger than memory: a Dask array with the image's chunks.

    x        a path or zarr.Array: the bits of `sat.box()` of the whole, floats too, each chunk decoded at most twice.
             A task holds a row of chunks and its results.  Dimensions and attributes are the ones that
             `xarray.open_zarr(group, mask_and_scale=False)` shows.  If columns come first, bytes are `_Unsigned`, or
             a scale changes a sum, rms or norm, results are computed as of a Dask array.
             A Dask array: integers have the same bits for any chunks, floats are within the bounds of one run.
             A DataArray: a DataArray, with its coordinates and the attributes that hold for the result.
    mask     (H, W), in a store if the image is, else a Dask or NumPy array.
    nodata   None: the own value of a DataArray or an array in Zarr, as `rio.nodata` finds it, and NaN of floats without
             one; "ignore": none.  Empty results of integers have this value; those of floats are NaN.  An array in
             Zarr without names of dimensions and without attributes has no value of its own, as a Dask array.
    options  of `sat.box()`, but for out and batch_axis; to, a path, and compressors, as of `zarr.create_array()`: each
             result is written to an array of its statistic's or function's name in a new Zarr group there, now, with
             the image's chunks, dimensions and coordinates and the attributes that hold for it, as `xarray.open_zarr`
             reads them.  What is returned lies there; its attribute `sat_unfinished` is true if the run fails.  It
             takes less memory than a lazy result, which waits in memory until it is written.

    Of three dimensions, each channel is filtered by itself; of a DataArray, each plane of "y" and "x".
    """
    return _filtered("box", x, mask, channel_axis, {"size": size, "border": border, "nodata": nodata, **options})


def window(
    x: Any,
    size: Size,
    statistic: Statistic | Sequence[Statistic],
    border: Border = "shrink",
    mask: Any = None,
    nodata: Nodata = None,
    *,
    channel_axis: int | None = None,
    **options: Any,
) -> Any:
    """`sat.window()` of an image larger than memory, as `box()` is; of a list of statistics a tuple of arrays.

    What is computed together (`dask.compute(mean, std)`) is made in one pass.  wolf finds its extremes before.
    """
    options = {"size": size, "statistic": statistic, "border": border, "nodata": nodata, **options}
    return _filtered("window", x, mask, channel_axis, options)


def threshold(
    x: Any,
    size: Size,
    method: Method,
    border: Border = "shrink",
    mask: Any = None,
    nodata: Nodata = None,
    *,
    channel_axis: int | None = None,
    **options: Any,
) -> Any:
    """`sat.threshold()` of an image larger than memory, as `box()` is."""
    options = {"size": size, "method": method, "border": border, "nodata": nodata, **options}
    return _filtered("threshold", x, mask, channel_axis, options)


def gauss(
    x: Any,
    sigma: float,
    border: Border = "shrink",
    mask: Any = None,
    nodata: Nodata = None,
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
    border: Border = "shrink",
    mask: Any = None,
    nodata: Nodata = None,
    *,
    channel_axis: int | None = None,
    **options: Any,
) -> Any:
    """`sat.unsharp()` of an image larger than memory, as `gauss()` is."""
    options = {"sigma": sigma, "amount": amount, "border": border, "nodata": nodata, **options}
    return _filtered("unsharp", x, mask, channel_axis, options)
