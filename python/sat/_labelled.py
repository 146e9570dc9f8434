"""DataArrays of xarray as images: their rows and columns, nodata value and scale, and results as DataArrays.

xarray is not imported: see `is_labelled()`.
"""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, Sequence

import numpy as np

from . import _core, _filters
from ._arrays import given_nodata, is_labelled, names_of, warn
from ._attributes import FILL_NAMES, KINDS, kept

# Dimensions by which rioxarray knows rows and columns, and the standard names (CF) of their coordinates.
_NAMES = {
    "y": ("y", "latitude", "lat", "projection_y_coordinate"),
    "x": ("x", "longitude", "lon", "projection_x_coordinate"),
}


class Axes(NamedTuple):
    """The axes of a DataArray."""

    y: int
    x: int
    channel: int | None
    batch: int | None

    def rows_first(self, array: Any) -> Any:
        """Swaps rows and columns if the columns come first; again, it restores the order."""
        return array if self.y < self.x else array.swapaxes(self.y, self.x)

    def mask(self, mask: Any) -> Any:
        """Returns the mask of an image, a DataArray or an array whose last axes are in the image's order."""
        if is_labelled(mask):
            return axes_of(mask).rows_first(mask.data)
        return mask if mask is None or self.y < self.x else np.swapaxes(mask, -1, -2)


def _dimension(x: Any, dims: Sequence[Any], axis: str) -> Any:
    """Returns the dimension of the rows or columns: rioxarray's, or by its name, or by its coordinate's attributes."""
    found = getattr(getattr(x, "rio", None), f"_{axis}_dim", None)  # rio: if rioxarray is imported
    for dim in dims if found is None else ():
        attrs = x.coords[dim].attrs if dim in getattr(x, "coords", ()) else {}
        if {str(dim), str(attrs.get("standard_name")).lower(), str(attrs.get("axis")).lower()} & {*_NAMES[axis]}:
            return dim
    return found


def axes_of(x: Any, channel_axis: int | None = None, batch_axis: int | None = None) -> Axes:
    """Returns the axes of a DataArray; without dimensions that are known, the last two are rows and columns."""
    dims = list(x.dims)
    given = {axis % len(dims) for axis in (channel_axis, batch_axis) if axis is not None and dims}
    free = [dim for axis, dim in enumerate(dims) if axis not in given]
    pair = [_dimension(x, free, "y"), _dimension(x, free, "x")]
    if len({*pair} & {*free}) < 2:
        pair = free[-2:]
    others = [dims.index(dim) for dim in free if dim not in pair]
    if len(pair) < 2 or len(others) > (0 if given else 2):
        raise ValueError(f"image: a DataArray of {tuple(dims)}; rows, columns and at most two others are taken")
    if not given:
        batch_axis, channel_axis = [None, None, *others][-2:]
    return Axes(dims.index(pair[0]), dims.index(pair[1]), channel_axis, batch_axis)


def _type_of(x: Any) -> np.dtype[Any]:
    """Returns the type of the samples, of the other sign if netCDF's attribute _Unsigned says so."""
    dtype: np.dtype[Any] = np.dtype(x.dtype)
    sign = {("i", "true"): "u", ("u", "false"): "i"}.get((dtype.kind, str(x.attrs.get("_Unsigned")).lower()))
    return dtype if sign is None else np.dtype(f"{dtype.byteorder}{sign}{dtype.itemsize}")


def _holds(dtype: np.dtype[Any], value: float) -> bool:
    """Whether a sample of this type can have that value, after rounding if it is float32."""
    if dtype.kind == "f":
        return dtype.itemsize > 4 or not np.isfinite(value) or abs(value) < float.fromhex("0x1.ffffffp127")
    if dtype.kind == "b" or not np.isfinite(value):
        return value in (0, 1)
    return value == int(value) and np.iinfo(dtype).min <= value <= np.iinfo(dtype).max


def nodata_of(x: Any, nodata: Any) -> float | None:
    """Returns the nodata value of a DataArray: the one that is given, or its own, as `rio.nodata` finds it.

    Decoded floats, and floats without a value, have NaN.  A value of its own that no sample can have, or that is not
    one number, is ignored with a warning.
    """
    if nodata is not None:
        value = given_nodata(nodata)
        return value if value is None else _core.number(value, "nodata")
    dtype, told = _type_of(x), getattr(getattr(x, "rio", None), "_nodata", None)
    if dtype.kind not in "biuf":
        return None  # samples that are refused
    missing = float("nan") if dtype.kind == "f" else None
    places = [(name, x.encoding.get(name)) for name in FILL_NAMES[:2]]
    if dtype.kind == "f" and any(value is not None for _, value in places):
        places = [("_FillValue", missing)]
    places += [(name, x.attrs.get(name)) for name in FILL_NAMES]
    if told is not None and told is not False:
        places = [("rio.set_nodata()", told)]
    name, given = next(((name, value) for name, value in places if value is not None), ("", missing))
    values: Any = np.ravel(np.asarray(given))
    if not values.size or values[0] is None:
        return missing
    why = "it is not a number"
    if values.dtype.kind in "iuf" and (values.size == 1 or name == "nodatavals"):
        value, why = values[0].item(), f"no {dtype.name} sample can have it"
        if value < 0 and dtype != x.dtype and _holds(np.dtype(x.dtype), value):
            value = np.array(value, x.dtype).view(dtype).item()  # of a netCDF file, in the type before _Unsigned
        if _holds(dtype, value):
            # 64-bit integers are read as 32 bits if all values fit: then no sample has a value that does not.
            narrow = np.dtype(f"{dtype.kind}4" if dtype.kind in "iu" else dtype)
            return float(value) if _holds(narrow, value) else None
    warn(f"the nodata value {np.asarray(given).tolist()!r} of a DataArray ({name}) is ignored: {why}")
    return missing


def samples_of(x: Any, data: Any) -> Any:
    """Returns the samples of a DataArray in the type that they have by its attributes."""
    return data if _type_of(x) == data.dtype else data.view(_type_of(x))


def _line(x: Any, axes: Axes) -> tuple[Any, Any] | None:
    """Returns s and o of y = s * x + o: arrays of one number, or of one for each channel, along the channels' axis.

    None: y is x.
    """
    shape = [-1 if axis == axes.channel else 1 for axis in range(len(x.dims))]
    channels = 1 if axes.channel is None else x.shape[axes.channel]
    found = []
    for one, each, neutral in (("scale_factor", "scales", 1), ("add_offset", "offsets", 0)):
        value = np.asarray(x.attrs.get(one, x.attrs.get(each, neutral)), np.float64)
        if value.size not in (1, channels):
            raise ValueError(f"image: {each} of {value.size} bands in the attributes of a DataArray of {channels}")
        found.append(value.reshape(shape))
    return (found[0], found[1]) if (found[0] != 1).any() or found[1].any() else None


def decoded(x: Any, data: Any, axes: Axes, nodata: float | None) -> tuple[Any, float | None]:
    """Returns y = s * x + o in float64, and its nodata value; the samples themselves if these are y."""
    if (line := _line(x, axes)) is None:
        return data, nodata
    y = data.astype(np.float64) * line[0] + line[1]
    return (y, nodata) if nodata is None else (np.where(data == nodata, np.nan, y), float("nan"))


def taken(x: Any, mask: Any, nodata: Any, channel_axis: int | None, batch_axis: int | None) -> tuple[Any, ...]:
    """Returns the arguments of `table()` and `query()`, with y as image: their results have no attributes."""
    axes = axes_of(x, channel_axis, batch_axis)
    y, nodata = decoded(x, samples_of(x, x.values), axes, nodata_of(x, nodata))
    return axes.rows_first(y), axes.mask(mask), nodata, axes.channel, axes.batch


def passes(
    x: Any, data: Any, axes: Axes, function: str, names: Sequence[str], options: dict[str, Any]
) -> list[tuple[Any, dict[str, Any], list[int]]]:
    """Splits a call in two at most: for statistics of the samples, and for those of y.

    Returns for each the array, its options, and the indices of its statistics.

    names  the statistics of `sat.window()`; of other functions, their own name.
    """
    nodata, found = nodata_of(x, options.get("nodata")), []
    line = _line(x, axes) if "of y" in map(KINDS.get, names) else None
    kinds = [line is not None and KINDS.get(name) == "of y" for name in names]
    for of_y in sorted({*kinds}):
        which = [i for i, kind in enumerate(kinds) if kind == of_y]
        samples, value = decoded(x, data, axes, nodata) if of_y else (data, nodata)
        own = {**options, "nodata": value}
        if of_y and line is not None and options.get("border") == "constant":
            scale, offset = map(np.ravel, line)
            values = np.ravel(options.get("border_value", 0)) * scale + offset
            own["border_value"] = values.tolist() if values.size > 1 else values.item()
        out = own.get("out")
        to = getattr(out[0] if isinstance(out, tuple) else out, "dtype", options.get("dtype"))
        if to is None:
            to = data.dtype if function in ("box", "gauss", "unsharp") and data.dtype != bool else np.float64
        if function != "threshold" and own.get("empty") is None and value is not None:
            own["empty"] = value if np.dtype(to).kind in "iu" and _holds(np.dtype(to), value) else None
        found.append((samples, own, which))
    return found


def labelled(x: Any, result: Any, name: str, options: dict[str, Any]) -> Any:
    """Returns a result, of a statistic or of the function of this name, as a DataArray."""
    made = x.copy(data=result)
    made.attrs, made.encoding = kept(x.attrs, x.encoding, name, result.dtype, options.get("empty"))
    return made


def call(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    """Calls a filter of the package on a DataArray, whose samples are computed if they are lazy."""
    x, mask, out = (arguments.pop(name) for name in ("image", "mask", "out"))
    axes = axes_of(x, arguments.pop("channel_axis"), arguments.pop("batch_axis"))
    options = {**arguments.pop("parameters", {}), **arguments, "out": out}
    statistics: Any = options.get("statistic", function.__name__)
    several = not isinstance(statistics, str)
    names = names_of(statistics, _filters._PARAMETERS) if "statistic" in options else [statistics]
    outs = list(out) if isinstance(out, tuple) else [out] * len(names)
    if len(outs) != len(names) or (out is not None and several != isinstance(out, tuple)):
        raise TypeError(f"out: {'a tuple of ' * several}{len(names)} array{'s' * several}, one for each statistic")
    rest = {"mask": axes.mask(mask), "channel_axis": axes.channel, "batch_axis": axes.batch}
    for data, own, which in passes(x, samples_of(x, x.values), axes, function.__name__, names, options):
        if several:
            own["statistic"] = [names[i] for i in which]
        if out is not None:
            own["out"] = tuple(axes.rows_first(outs[i]) for i in which) if several else axes.rows_first(out)
        made = function(axes.rows_first(data), **own, **rest)
        for i, result in zip(which, made if several else [made]):
            outs[i] = labelled(x, axes.rows_first(result), names[i], own) if out is None else outs[i]
    return tuple(outs) if several else outs[0]
