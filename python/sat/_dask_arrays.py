"""What `sat.dask` is given: images and masks in stores, Dask arrays, DataArrays."""

from __future__ import annotations

import base64
import errno
import json
import math
import os
import struct
import uuid
from typing import Any, Sequence

import dask
import dask.array as da
import numpy as np
import zarr

from ._arrays import file_name, is_labelled, shown
from ._labelled import Axes

CHUNK_BYTES = 4 << 20  # of chunks, decoded or encoded at a time: larger ones by themselves
_UNFINISHED = "sat_unfinished"  # an attribute of results, until all is written


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
        raise TypeError(f"{name}: {x.store_path}: a Zarr group; one of its arrays is taken")
    if isinstance(x, zarr.Array) and x.attrs.get(_UNFINISHED) is True:
        raise ValueError(f"{name}: {x.store_path}: a result that was not written to its end")
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


def in_json(result: Any) -> dict[str, Any]:
    """The attributes of a DataArray as xarray writes them to Zarr, with its nodata value."""
    fill = result.encoding.get("_FillValue", result.attrs.get("_FillValue"))
    found = json.loads(json.dumps(result.attrs, default=lambda v: v.tolist() if hasattr(v, "tolist") else str(v)))
    if fill is not None and result.dtype.kind == "f":
        found["_FillValue"] = base64.standard_b64encode(struct.pack("<d", fill)).decode()
    return dict(found)


def written_to(
    to: Any, dtypes: Any, shape: Sequence[int], chunks: Sequence[int], compressors: Any, dims: Sequence[Any] = ()
) -> tuple[Any, ...]:
    """New arrays of a store at a path: one, or those of a group by their names.  FileExistsError if it exists.

    dtypes  a type, or those of a group by their names; dims: the names of dimensions, which version 3 stores."""
    options: dict[str, Any] = {"shape": shape, "chunks": chunks, "compressors": compressors}
    options["config"] = {"write_empty_chunks": True}  # comparing with the fill value takes as long as a mean
    if dims and zarr.config.get("default_zarr_format") == 3:
        options["dimension_names"] = [str(dim) for dim in dims]
    path = os.fsdecode(file_name(to, "to"))
    try:
        if not isinstance(dtypes, dict):
            return (zarr.create_array(path, dtype=dtypes, attributes={_UNFINISHED: True}, **options),)
        group = zarr.create_group(path)
        each = dtypes.items()
        return tuple(group.create_array(n, dtype=t, attributes={_UNFINISHED: True}, **options) for n, t in each)
    except (zarr.errors.ContainsArrayError, zarr.errors.ContainsGroupError):
        raise FileExistsError(errno.EEXIST, "to: a Zarr array or group exists already", path) from None
    except (TypeError, ValueError) as error:
        raise TypeError(f"compressors: {shown(compressors)}; as of zarr.create_array()") from error


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


def finished(arrays: Sequence[Any]) -> None:
    for array in arrays:
        del array.attrs[_UNFINISHED]


def mask_of(x: Any, mask: Any, shape: tuple[int, int], axes: Axes | None = None) -> Any:
    """The mask, as the image is: in a store, or a Dask array.  axes: those of a DataArray that the image is."""
    if mask is None:
        return None
    mask = mask if axes is not None and is_labelled(mask) else opened(mask, "mask")
    if isinstance(x, zarr.Array) and not isinstance(mask, zarr.Array):
        raise TypeError("mask: of an image in a store, a path or a zarr.Array; or give both as Dask arrays")
    if isinstance(mask, zarr.Array) and not isinstance(x, zarr.Array):
        mask = da.from_zarr(mask)
    if axes is not None:
        mask = da.asarray(axes.mask(mask))
    if mask.shape != shape:
        raise ValueError(f"mask: shape {mask.shape}; the image's is {shape}")
    return mask
