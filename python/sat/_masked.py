"""Masked arrays as images: their masks, and results that are masked where they are empty."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from . import _filters
from ._arrays import apart, given_nodata


def call(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    """Calls a filter of the package on a masked array; with out, its results are arrays without a mask.

    If a result may be empty, the filter runs once more, with a value for empty results that is neither the one before
    nor the nodata value: results that become this value, and did not have it, are empty.
    """
    given, parameters = arguments["image"], arguments.pop("parameters", {})
    options = {**arguments, **parameters, "nodata": given_nodata(arguments["nodata"])}
    options["image"], options["mask"] = apart(given, options["mask"], options["channel_axis"], options["batch_axis"])
    made = function(**options)
    if options.pop("out") is not None:
        return made
    pixels = np.ma.getmaskarray(given)
    if function is _filters.threshold:
        surface = {**options, "image": given, "mask": arguments["mask"], "statistic": options["method"], "dtype": None}
        del surface["method"]
        return np.ma.MaskedArray(made, pixels | np.ma.getmaskarray(_filters.window(**surface)))
    several = isinstance(made, tuple)
    results = made if several else (made,)
    again, used = results, (0, options["empty"], options["nodata"])
    other = next(value for value in range(1, 4) if value not in used)
    if used[1:] != (None, None) or any(a.dtype.kind != "f" or np.isnan(a).any() for a in results):
        again = function(**{**options, "empty": other})
        again = again if several else (again,)
    names = options.get("statistic", "")
    masked = tuple(
        np.ma.MaskedArray(
            a,
            (a != b) & (b == other) | (pixels if name == "norm" else False),  # norm compares a pixel with its window
            fill_value=given.fill_value if a.dtype == given.dtype else None,
        )
        for a, b, name in zip(results, again, names if several else [names])
    )
    return masked if several else masked[0]
