"""What a result keeps of the attributes and the encoding of its DataArray: only what is true of the result.

With the attributes `scale_factor` s and `add_offset` o, a sample x stands for y = s * x + o.  A value of x stands for
s * value + o, a deviation d for |s| * d, and a variance v for s * s * v.  So whoever decodes a result, or writes it and
reads it again, gets the statistic of y.  Sums, rms and norms have no such rule: they are computed from y.
"""

from __future__ import annotations

import re
from typing import Any, Mapping

import numpy as np

FILL_NAMES = ("_FillValue", "missing_value", "fill_value", "nodata", "nodatavals")  # in rioxarray's order

# What a result of a function, or of a statistic of sat.window(), is; the others are values, as samples are.
KINDS = {
    **dict.fromkeys(("std", "dog"), "deviation"),
    "var": "variance",
    **dict.fromkeys(("sum", "rms", "norm"), "of y"),
    **dict.fromkeys(("count", "threshold"), "number"),
}
# Attributes that only some kinds of results keep.  All others are kept: where the pixels and the samples are from.
_RULES = {
    ("value", "deviation", "variance"): "scale_factor|scales",
    ("value", "deviation"): "units",
    # A deviation has no offset or origin, and these names are of another quantity.
    ("value",): "add_offset|offsets|calendar|units_metadata|standard_name|long_name|descriptions|cell_methods",
    # The source's nodata value, the range, statistics, type, precision and quality of its samples, its classes (the
    # mean of two classes is no class), and how its file was stored.
    (): "|".join(FILL_NAMES) + "|valid_(min|max|range)|actual_range|STATISTICS_.*|TIFFTAG_M..SAMPLEVALUE|band_tags|"
    "_Unsigned|(rasterio_)?dtype|_?[Qq]uantiz.*|least_significant_digit|ancillary_variables|"
    "flag_(values|masks|meanings)|LAYER_TYPE|is_tiled",
}
# The encoding describes a file.  A result keeps where its pixels are and how they are chunked and compressed without
# loss.  It is y itself, so it is written without the scale and the type of the source's file.
_ENCODING = (
    "grid_mapping|coordinates|cell_measures|bounds|geometry|chunks|shards|preferred_chunks|chunksizes|contiguous|"
    "original_shape|zlib|complevel|shuffle|fletcher32|szip|bzip2|zstd|blosc|compression|compression_opts"
)


def kept(
    attrs: Mapping[Any, Any], encoding: Mapping[Any, Any], name: str, dtype: np.dtype[Any], empty: float | None
) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """Returns the attributes and the encoding of a result.

    name   a statistic of `sat.window()`, or the function: box, gauss, unsharp, dog, threshold.
    empty  the value of empty results.  If it is None, this is NaN for floats, and integers have none.
    """
    kind = KINDS.get(name, "value")
    dropped = "|".join(names for kinds, names in _RULES.items() if kind not in kinds)
    found = {key: value for key, value in attrs.items() if not re.fullmatch(dropped, str(key))}
    if kind == "deviation" and " since " in str(found.get("units")):
        del found["units"]  # times since an origin, which a deviation does not have
    if kind in ("deviation", "variance"):
        for key in {"scale_factor", "scales"} & {*found}:
            scales = np.abs(np.asarray(found[key], np.float64)) ** (1 if kind == "deviation" else 2)
            found[key] = tuple(scales.tolist()) if scales.ndim else scales.item()
    own = {key: value for key, value in encoding.items() if re.fullmatch(_ENCODING, str(key))}
    empty = None if kind == "number" else empty
    fill = np.nan if empty is None and dtype.kind == "f" else empty
    if fill is not None:
        # NaN is in the encoding if the samples were decoded, as xarray decodes them.
        stored = fill == fill or ({*FILL_NAMES} & {*attrs} and not {*FILL_NAMES} & {*encoding})
        if dtype.kind in "iu":  # as the library writes it
            fill = 0 if fill != fill else min(max(round(fill), np.iinfo(dtype).min), np.iinfo(dtype).max)
        with np.errstate(over="ignore"):
            (found if stored else own)["_FillValue"] = dtype.type(fill)
    return found, own
