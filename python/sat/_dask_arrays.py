"""What `sat.dask` is given: images and masks in stores, Dask arrays, DataArrays."""

from __future__ import annotations

import errno
import math
import os
import uuid
from typing import Any, NamedTuple

import dask
import dask.array as da
import numpy as np
import zarr

from ._arrays import file_name, is_labelled
from ._labelled import Axes, axes_of, samples_of
from ._zarr import UNFINISHED, labels_of

CHUNK_BYTES = 4 << 20  # of chunks, decoded or encoded at a time: larger ones by themselves


def opened_store(path: Any, name: str) -> Any:
    """The Zarr array or group at a path."""
    given = os.fsdecode(file_name(path, name))
    try:
        return zarr.open(given, mode="r")
    except FileNotFoundError:
        raise FileNotFoundError(errno.ENOENT, f"{name}: there is no Zarr array or group", given) from None
    except ValueError as error:
        raise ValueError(f"{name}: {given}: no Zarr array or group that can be read") from error


def opened(x: Any, name: str) -> Any:
    """A zarr.Array or a Dask array: of a path, of NumPy's arrays, of a DataArray's data."""
    if isinstance(x, (str, os.PathLike)):
        x = opened_store(x, name)
    if isinstance(x, zarr.Group):
        arrays = ", ".join(sorted(x.array_keys()))
        raise TypeError(f"{name}: {x.store_path}: a Zarr group; take one of its arrays: {arrays}")
    if (isinstance(x, zarr.Array) or is_labelled(x)) and x.attrs.get(UNFINISHED) is True:
        where = getattr(x, "store_path", "a DataArray")
        raise ValueError(f"{name}: {where}: a result that was not written to its end")
    if isinstance(x, zarr.Array):
        return x
    if is_labelled(x):
        x = x.data
    if isinstance(x, da.Array) or hasattr(x, "__array__"):
        x = da.asarray(x)
        if math.isnan(sum(x.shape)):
            raise ValueError(f"{name}: a Dask array of unknown chunks; {name}.compute_chunk_sizes() finds their sizes")
        return x
    raise TypeError(f"{name}: {type(x).__name__}; a path, zarr.Array, Dask array, DataArray or NumPy array")


def chunks_of(x: Any) -> tuple[tuple[int, ...], ...]:
    """The chunks of an array along its axes; of a store with shards, the shards."""
    if isinstance(x, da.Array):
        return tuple(x.chunks)
    return tuple(da.core.normalize_chunks(x.shards or x.chunks, shape=x.shape, dtype=x.dtype))


class Image(NamedTuple):
    """What `sat.dask` knows of an image."""

    labels: Any  # a DataArray, or the Labels of an array in Zarr; None: an array of numbers alone
    axes: Axes
    dims: list[str]  # the names of the dimensions of data
    samples: Any  # a Dask array if there are labels, else the array of numbers
    data: Any  # the samples, rows first, in the type that the attributes say


def image_of(x: Any, source: Any, channel_axis: int | None = None) -> Image:
    """Returns what is known of an image, which `opened()` opened as source."""
    labels = x if is_labelled(x) else labels_of(source)
    if source.ndim not in (2, 3) or min(source.shape) < 1:
        raise ValueError(f"x: shape {source.shape}; (H, W), or (H, W, C), or, with channel_axis=0, (C, H, W)")
    if labels is not None and labels.dims:
        at = axes_of(labels, channel_axis)
        dims, pair = [str(dim) for dim in labels.dims], sorted((at.y, at.x))
        dims[pair[0]], dims[pair[1]] = dims[at.y], dims[at.x]
    else:
        channel = None if source.ndim == 2 else 2 if channel_axis is None else channel_axis % 3
        if source.ndim == 3 and channel_axis is None and source.shape[2] > 4:
            raise ValueError(
                f"x: shape {source.shape}; three dimensions are (H, W, C) with up to 4 channels: channel_axis="
            )
        y, x_axis = [axis for axis in range(source.ndim) if axis != channel]
        at = Axes(y, x_axis, channel, None)
        dims = [{y: "y", x_axis: "x"}.get(axis, "channel") for axis in range(source.ndim)]
        labels = None if labels is None else labels._replace(dims=tuple(dims))
    if labels is None:
        return Image(None, at, dims, source, source)
    samples = da.from_zarr(source, chunks=source.shards or source.chunks) if isinstance(source, zarr.Array) else source
    return Image(labels, at, dims, samples, at.rows_first(samples_of(labels, samples)))


def task(name: str, function: Any, *arguments: Any, nout: int | None = None) -> Any:
    """A task of a function, by whose name Dask's dashboard says what runs."""
    return dask.delayed(function, nout=nout)(*arguments, dask_key_name=f"sat-{name}-{uuid.uuid4().hex}")


def put(target: Any, index: tuple[slice, ...], part: Any, memory: Any) -> Any:
    """Writes some chunks, copied to memory, which is given back: Zarr encodes one that is in one piece as it is."""
    size = part.size * target.dtype.itemsize
    memory = memory if memory.size >= size else np.empty(size, np.uint8)
    chunks = memory[:size].view(target.dtype).reshape(part.shape)
    chunks[...] = part
    target[index] = chunks
    return memory


def mask_of(x: Any, mask: Any, shape: tuple[int, int], axes: Axes) -> Any:
    """The mask, as the image is: in a store, or a Dask array with rows first.  axes: the image's, as it was given."""
    if mask is None:
        return None
    mask = mask if is_labelled(mask) else opened(mask, "mask")
    if not isinstance(x, zarr.Array):
        mask = da.asarray(axes.mask(da.from_zarr(mask) if isinstance(mask, zarr.Array) else mask))
    elif not isinstance(mask, zarr.Array):
        raise TypeError("mask: of an image in a store, a path or a zarr.Array; or give both as Dask arrays")
    if mask.shape != shape:
        raise ValueError(f"mask: shape {mask.shape}; the image's is {shape}")
    return mask
