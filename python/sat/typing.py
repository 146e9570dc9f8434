"""Types of this package's parameters and results, for annotations: `def smooth(page: Array, border: Border)`."""

from __future__ import annotations

from typing import Any, Literal, Sequence, SupportsIndex, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Scalar: TypeAlias = np.float64 | np.int64 | np.uint64  # a statistic of one rectangle
Size: TypeAlias = SupportsIndex | Sequence[SupportsIndex] | Array  # a side, or (height, width)
Nodata: TypeAlias = float | Literal["ignore"] | None

Anchor: TypeAlias = Literal["second", "first"]
Border: TypeAlias = Literal["shrink", "reflect101", "reflect", "replicate", "wrap", "constant"]
Layout: TypeAlias = Literal["padded", "inclusive", "exclusive"]
Method: TypeAlias = Literal["mean", "bradley", "niblack", "sauvola", "wolf", "nick", "phansalkar"]  # of thresholds
RectStatistic: TypeAlias = Literal["mean", "sum", "var", "std", "rms", "count", "area"]
Statistic: TypeAlias = Method | Literal["sum", "var", "std", "rms", "count", "norm"]  # of windows
