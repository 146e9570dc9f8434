"""Summed-area tables (integral images) of NumPy arrays: sums, means and deviations of rectangles and windows.

    t = sat.table(image)                        # once
    t.mean([[10, 20, 64, 48]])                  # any rectangle: x, y, width, height
    sat.box(image, 15)                          # the mean around each pixel
    sat.window(image, 25, ["mean", "std"])      # statistics of windows, masks, borders
    sat.threshold(page, 25, "sauvola", k=0.2)   # True on paper
    sat.gauss(image, 3.0)

Arrays are read where they lie, whatever their strides.  Integers are exact.  docs/python.md has the rest.
"""

from __future__ import annotations

from typing import SupportsIndex

from . import _core, compat, typing
from ._filters import box, dog, gauss, threshold, unsharp, window
from ._rows import Box, Gauss, Window
from ._table import PrecisionWarning, Region, Table, load, mean, query, table
from ._versions import show_versions

__version__: str = _core.version
__all__ = [
    "Box",
    "Gauss",
    "PrecisionWarning",
    "Region",
    "Table",
    "Window",
    "backends",
    "box",
    "compat",
    "dog",
    "gauss",
    "load",
    "mean",
    "num_threads",
    "query",
    "set_num_threads",
    "show_versions",
    "table",
    "threshold",
    "typing",
    "unsharp",
    "window",
]


def set_num_threads(n: SupportsIndex) -> None:
    """How many threads each call uses at most, 1 to 1024; 0: one for each processor, as at first.  Results do not
    change."""
    _core.set_num_threads(n)


def num_threads() -> int:
    """How many threads a call uses at most."""
    return _core.num_threads()


def backends() -> dict[str, str]:
    """What computes: names, best first, with a line each.  Nothing is probed, and no driver is loaded."""
    return dict(_core.backends())
