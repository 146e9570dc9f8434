from typing import Any

import numpy as np

_Array = np.ndarray[Any, np.dtype[Any]]

version: str

def set_num_threads(n: int) -> None: ...
def num_threads() -> int: ...
def backends() -> list[tuple[str, str]]: ...
def rect_statistics() -> list[tuple[str, bool, bool]]: ...
def statistics() -> list[tuple[str, tuple[str, ...], bool]]: ...
def kept_objects() -> int: ...

class Table:
    @property
    def array(self) -> _Array: ...
    @property
    def squares(self) -> _Array | None: ...
    @property
    def counts(self) -> _Array | None: ...
    @property
    def layout(self) -> int: ...
    @property
    def sample(self) -> str: ...
    @property
    def level(self) -> float: ...
    @property
    def mapped(self) -> int: ...
    @property
    def widens(self) -> bool: ...
    @property
    def nodata(self) -> float | None: ...
    def restore(self, widens: bool, nodata: float | None, /) -> None: ...
    @property
    def axes(self) -> tuple[int, int, int, int]: ...
    def ask(
        self, rects: _Array, names: list[str], clip: bool, ddof: int, out: list[_Array | None] | None, /
    ) -> tuple[list[_Array], int]: ...

def table(
    image: Any,
    out: Any,
    moments: int,
    mask: Any,
    nodata: float | None,
    dtype: int,
    layout: int,
    channel_axis: int | None,
    batch_axis: int | None,
    level: float | None = None,
    /,
) -> Table: ...
def level(image: _Array, mask: _Array | None, nodata: float | None, /) -> float: ...
def table_of_array(
    sums: Any,
    squares: Any,
    counts: Any,
    sample: int,
    layout: int,
    channel_axis: int | None,
    batch_axis: int | None,
    level: float,
    /,
) -> Table: ...
def load(path: str, foreign: bool, sample: int, layout: int, verify: bool, /) -> Table: ...
def ask_image(
    image: Any,
    rects: _Array,
    names: list[str],
    clip: bool,
    ddof: int,
    out: list[_Array | None] | None,
    mask: Any,
    nodata: float | None,
    channel_axis: int | None,
    batch_axis: int | None,
    /,
) -> tuple[list[_Array], int]: ...

class Writer:
    def __init__(self, path: str, like: Table, type: int, no_clobber: bool, /) -> None: ...
    def rows(self, sums: _Array | None, squares: _Array | None, counts: _Array | None, /) -> None: ...
    def close(self) -> None: ...

class Filter:
    several: bool
    keep_holes: bool
    def __init__(
        self, kind: int, height: int, width: int, border: str, border_value: Any, nodata: float | None, /
    ) -> None: ...
    def counting(
        self, ddof: int, min_valid: float, empty: float | None, anchor: str, value_range: float, /
    ) -> None: ...
    def add(self, statistic: str, compare: bool, parameters: dict[str, float], /) -> None: ...
    def extremes(self, lowest: float, largest_var: float, /) -> None: ...
    def gauss(self, mode: int, sigma: float, sigma2: float, amount: float, /) -> None: ...
    def apply(
        self, image: Any, mask: Any, out: Any, dtype: int, channel_axis: int | None, batch_axis: int | None, /
    ) -> Any: ...

class Rows:
    def __init__(
        self,
        made: Filter,
        height: int,
        width: int,
        channels: int,
        sample: int,
        logical: bool,
        dtype: int,
        band_rows: int,
        masked: bool,
        /,
    ) -> None: ...
    def needs(self, first: int, end: int, /) -> tuple[int, int]: ...
    def run(self, rows: Any, first: int, y0: int, y1: int, mask: Any, out: Any, continues: bool, /) -> Any: ...
