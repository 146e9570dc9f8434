"""Arrays in Zarr as xarray reads and writes them: names of dimensions, attributes, nodata value, coordinates.

xarray is not imported, and its rules differ for the two versions of Zarr.  Version 2 has the names of dimensions in
an attribute, and the nodata value is the array's `fill_value`.  Version 3 has the names in the metadata, and the nodata
value in the attribute `_FillValue`, floats in Base64; `fill_value` only says what a missing chunk holds.
"""

from __future__ import annotations

import base64
import contextlib
import errno
import json
import os
import struct
import warnings
from typing import Any, Mapping, NamedTuple, Sequence

import numpy as np
import zarr

from ._arrays import file_name, shown

UNFINISHED = "sat_unfinished"  # an attribute of results, until all is written
_DIMENSIONS = "_ARRAY_DIMENSIONS"  # the names in version 2
_RELATED = ("coordinates", "grid_mapping", "cell_measures", "bounds", "geometry")  # xarray decodes them to the encoding


class Labels(NamedTuple):
    """What a DataArray of an array in Zarr would know, opened without decoding.  Without names `dims` is empty."""

    dims: tuple[str, ...]
    attrs: dict[str, Any]
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    coords: Mapping[str, Any] = {}
    encoding: Mapping[str, Any] = {}


def _described(z: Any) -> Labels:
    """Returns the labels of an array without its coordinates."""
    attrs = {key: value for key, value in z.attrs.items() if not key.lower().startswith("_nc")}
    if z.metadata.zarr_format == 2:
        names = attrs.pop(_DIMENSIONS, ())
    else:
        names = z.metadata.dimension_names or ()
    dims = () if len(names) != z.ndim or None in names else tuple(names)
    if z.metadata.zarr_format == 2 and dims and z.fill_value is not None:  # else 0, which Zarr has by default, is data
        attrs["_FillValue"] = z.fill_value
    elif z.dtype.kind == "f" and isinstance(attrs.get("_FillValue"), str):
        with contextlib.suppress(ValueError, struct.error):
            [attrs["_FillValue"]] = struct.unpack("<d", base64.standard_b64decode(attrs["_FillValue"]))
    return Labels(dims, attrs, z.dtype, z.shape)


def _group_of(z: Any) -> Any:
    """Returns the group that an array is in, or None if there is none."""
    store, path = z.store, z.path.rpartition("/")[0]
    if not z.path and hasattr(store, "root"):  # of a LocalStore that begins at the array
        store = store.root.absolute().parent
    elif not z.path and hasattr(store, "fs"):
        store = zarr.storage.FsspecStore(store.fs, path=os.path.dirname(store.path), read_only=True)
    elif not z.path:
        return None
    try:
        return zarr.open_group(store, path=path, mode="r", zarr_format=z.metadata.zarr_format)
    except (OSError, ValueError):
        return None


def labels_of(z: Any) -> Labels | None:
    """Returns the labels of a zarr.Array; None if it has neither names nor attributes, and of other arrays.

    Coordinates are the arrays of its group that have the name of a dimension, or that the attributes `coordinates`
    and `grid_mapping` name, if they have no other dimensions.
    """
    labels = _described(z) if isinstance(z, zarr.Array) else None
    if labels is None or not (labels.dims or labels.attrs):
        return None
    group = _group_of(z) if labels.dims else None
    if group is None:
        return labels
    told = (labels.attrs.get("coordinates"), labels.attrs.get("grid_mapping"), group.attrs.get("coordinates"))
    names = " ".join(text for text in told if isinstance(text, str)).replace(":", " ").split()
    found = ((name, group.get(name)) for name in (*labels.dims, *names))
    arrays = [(name, c) for name, c in found if isinstance(c, zarr.Array)]
    return labels._replace(coords={name: c for name, c in arrays if {*_described(c).dims} <= {*labels.dims}})


def _create(group: Any, name: str, dtype: Any, dims: Sequence[str], attrs: Any, encoding: Any, **options: Any) -> Any:
    """Creates an array in a group.  Its nodata value is `_FillValue` of the attributes or the encoding."""
    attrs = {**attrs, **{key: encoding[key] for key in _RELATED if key in encoding}}
    fill = encoding.get("_FillValue", attrs.pop("_FillValue", None))
    keyed = {str(key): value for key, value in attrs.items()}
    attrs = json.loads(json.dumps(keyed, default=lambda v: v.tolist() if hasattr(v, "tolist") else str(v)))
    if group.metadata.zarr_format == 2:
        attrs[_DIMENSIONS] = list(dims)
    else:
        options["dimension_names"], kind = list(dims), np.dtype(dtype).kind
        if fill is not None and kind in "biuf":
            packed = base64.standard_b64encode(struct.pack("<d", fill)).decode()
            attrs["_FillValue"] = packed if kind == "f" else np.asarray(fill).item()
    return group.create_array(name, dtype=dtype, fill_value=fill, attributes=attrs, **options)


def written_to(to: Any, arrays: Mapping[str, Any], dims: Sequence[str], labels: Any = None, **options: Any) -> Any:
    """Creates a group at a path, and returns its new arrays, a tuple.  FileExistsError if the path has one already.

    arrays  the type, the attributes and the encoding of each, by its name.
    labels  a DataArray or Labels, whose coordinates are written, too.
    """
    options["config"] = {"write_empty_chunks": True}  # comparing with the fill value takes as long as a mean
    path = os.fsdecode(file_name(to, "to"))
    try:
        for store in (zarr.storage.MemoryStore(), path):  # so options that are refused leave nothing at the path
            group = zarr.create_group(store)
            made = [
                _create(group, name, dtype, dims, {**attrs, UNFINISHED: True}, encoding, **options)
                for name, (dtype, attrs, encoding) in arrays.items()
            ]
    except (zarr.errors.ContainsArrayError, zarr.errors.ContainsGroupError):
        raise FileExistsError(errno.EEXIST, "to: a Zarr array or group exists already", path) from None
    except (TypeError, ValueError) as error:
        raise TypeError(f"compressors: {shown(options['compressors'])}; as of zarr.create_array()") from error
    coords = getattr(labels, "coords", {})
    if isinstance(labels, Labels):
        for name in {*coords} - {*arrays}:
            own, c = _described(coords[name]), coords[name]
            chunks = c.shards or c.chunks
            copy = _create(group, name, c.dtype, own.dims, own.attrs, {}, shape=c.shape, chunks=chunks)
            for corner in np.ndindex(*(-(-side // step) for side, step in zip(c.shape, chunks))):  # a chunk at a time
                part = tuple(slice(i * step, (i + 1) * step) for i, step in zip(corner, chunks))
                copy[part] = c[part]
        if others := sorted({*coords} - {*arrays, *dims}):
            group.attrs["coordinates"] = " ".join(others)
    elif hasattr(coords, "to_dataset"):
        data = coords.to_dataset().drop_vars(list(arrays), errors="ignore").drop_encoding()
        stacked = [n for n, index in data.xindexes.items() if n in dims and hasattr(index, "level_coords_dtype")]
        data = data.reset_index(stacked)  # as a MultiIndex cannot be stored
        sides = {dim: side for dim, side in zip(dims, options["chunks"]) if dim in data.dims}
        data.chunk(sides).to_zarr(path, mode="a", consolidated=False)
    return tuple(made)


def finished(to: Any, arrays: Sequence[Any], **attributes: Any) -> None:
    """Says that all is written: removes the arrays' mark, and writes the group's attributes and its index."""
    for array in arrays:
        del array.attrs[UNFINISHED]
    group = zarr.open_group(os.fsdecode(file_name(to, "to")), mode="r+")
    group.attrs.update(attributes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that other programs may not know the index of version 3
        zarr.consolidate_metadata(group.store)
