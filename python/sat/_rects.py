"""Rectangles as they are given, and the arrays of their answers."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._arrays import check_result, names_of, shown
from .typing import Array

F8, I8 = np.dtype("float64"), np.dtype("int64")
RECT_STATISTICS = {name: (squares, whole) for name, squares, whole in _core.rect_statistics()}


def rectangles(rects: ArrayLike) -> tuple[Array, bool]:
    """Rectangles as (n, 4) of int64 or float64, and whether one alone was given."""
    if type(rects) is np.ndarray and rects.dtype == I8 and rects.shape[1:] == (4,) and rects.flags.c_contiguous:
        return rects, False  # the rest takes longer than the answer
    try:
        given = np.asarray(rects)
    except Exception:
        raise TypeError(f"rects: {shown(rects)}; (4,) or (n, 4) numbers are taken: x, y, width, height") from None
    if given.size == 0 and given.ndim <= 2:
        return np.empty((0, 4), np.int64), False
    if given.ndim not in (1, 2) or given.shape[-1] != 4:
        raise ValueError(f"rects: shape {given.shape}; one rectangle is (4,), several are (n, 4): x, y, width, height")
    if given.dtype.kind == "f":
        wide: Array = np.ascontiguousarray(given, np.float64)
    elif given.dtype.kind in "iu":
        if given.dtype == np.uint64 and (given > np.uint64(2**63 - 1)).any():
            raise ValueError("rects: a side above 2**63 - 1")
        wide = np.ascontiguousarray(given, np.int64)
    else:
        raise TypeError(f"rects: {given.dtype}; integers, or floats for sides with fractions of pixels")
    return wide.reshape(-1, 4), given.ndim == 1


def rect_names(statistics: str | Sequence[str]) -> list[str]:
    try:
        names = [statistics] if isinstance(statistics, str) else list(dict.fromkeys(statistics))
        for name in names:
            RECT_STATISTICS[name]
        return names
    except (KeyError, TypeError):
        return names_of(statistics, RECT_STATISTICS, "statistics")  # says what is wrong


def answer_index(one: bool, batch: bool, channel: bool) -> tuple[Any, Any, Any]:
    """Answers (N, n, C) without the axes that the image and the rectangles do not have."""
    return slice(None) if batch else 0, 0 if one else slice(None), slice(None) if channel else 0


def answer_views(
    out: dict[str, Any], names: list[str], whole: bool, index: tuple[Any, Any, Any], others: Sequence[Any],
    shape: tuple[int, ...], sums: np.dtype[Any],
) -> list[Array | None]:
    """Arrays of `out` as (N, n, C), where the library can write into them as they lie.

    All are compared with their dtypes and the shape before one is written.  sums: the dtype of sums."""
    if not isinstance(out, dict):
        raise TypeError(f"out: {shown(out)}; a dict of arrays, by the names of statistics, is taken")
    views: list[Array | None] = [None] * len(names)
    for name, given in out.items():
        if name not in names:
            raise ValueError(f"out: {shown(name)}, which is not asked for")
        check_result(given, [*others, *(other for key, other in out.items() if key != name)])
        integers = whole and RECT_STATISTICS[name][1]  # from floats
        dtype = I8 if integers else sums if whole and name == "sum" else F8
        if given.dtype != dtype:
            raise TypeError(f"out: {given.dtype} where the {name} is {dtype}")
        check_shape(given, shape)
        if not integers and given.flags.carray and given.ndim == index.count(slice(None)):
            views[names.index(name)] = given[tuple(axis or None for axis in index)]
    return views


def shaped_answers(
    answers: list[Array], names: list[str], whole: bool, index: tuple[Any, Any, Any], out: dict[str, Any] | None,
    views: list[Array | None] | None, sums: np.dtype[Any],
) -> dict[str, Any]:
    """Answers on the axes that there are; those of `out` are its arrays, which are filled."""
    shaped = {}
    for name, answer in zip(names, answers):
        if whole and RECT_STATISTICS[name][1]:
            answer = answer.astype(np.int64)
        elif name == "sum" and answer.dtype == I8 != sums:
            answer = answer.view(sums)
        shaped[name] = answer[index]
    if out and views:
        for name, view, answer in zip(names, views, answers):
            if name in out:
                if answer is not view:
                    out[name][...] = shaped[name]
                shaped[name] = out[name]
    return shaped


def answer_shape(boxes: Array, one: bool, images: int | None, channels: int | None) -> tuple[int, ...]:
    return tuple(side for side in (images, None if one else len(boxes), channels) if side is not None)


def check_shape(out: Array, shape: tuple[int, ...]) -> None:
    if out.shape != shape:
        raise ValueError(f"out: shape {out.shape} where the result has {shape}")

def sum_dtype(sample: np.dtype[Any], area: int) -> np.dtype[Any]:
    """The type of the sums of rectangles in an image of that many pixels: int64 wherever it holds them all."""
    if sample.kind == "f":
        return F8
    largest = 2 ** (8 * min(sample.itemsize, 4)) - 1  # 64-bit integers are read as 32 bits
    return np.dtype("uint64") if sample.kind == "u" and area * largest >= 2**63 else I8
