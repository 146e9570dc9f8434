"""Filters of whole images: boxes, statistics of windows, thresholds, Gaussians."""

from __future__ import annotations

from typing import Any, Sequence, SupportsIndex, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from . import _core
from ._arrays import IMAGE, call_wrapped, code, dtype_of, given_nodata, is_wrapped, names_of, one_of, readable
from ._arrays import shown, sides
from .typing import Anchor, Array, Border, Method, Nodata, Size, Statistic

BOX, WINDOW, GAUSS = 1, 2, 3  # the kinds of calls.h
BLUR, UNSHARP, DOG = 0, 1, 2  # the modes of sat_gauss.h
_PARAMETERS = {name: parameters for name, parameters, _ in _core.statistics()}
_WHOLE = {"sum", "count"}  # integers, of integers
_THRESHOLDS = [name for name, _, threshold in _core.statistics() if threshold]


def box_filter(
    size: Size,
    border: str,
    border_value: Any,
    nodata: Nodata,
    anchor: str = "second",
    min_valid: float = 0,
    empty: float | None = None,
    keep_holes: bool = False,
) -> _core.Filter:
    """What `box()` and `Box` make."""
    height, width = sides(size)
    made = _core.Filter(BOX, height, width, border, border_value, given_nodata(nodata))
    made.counting(0, min_valid, empty, anchor, 0, keep_holes)
    return made


def window_filter(
    size: Size,
    statistics: str | Sequence[str],
    compare: bool,
    border: str,
    border_value: Any,
    nodata: Nodata,
    ddof: SupportsIndex = 0,
    value_range: float = 0,
    anchor: str = "second",
    min_valid: float = 0,
    empty: float | None = None,
    keep_holes: bool = False,
    extremes: tuple[float, float] | None = None,
    parameters: dict[str, float] | None = None,
) -> _core.Filter:
    """What `window()`, `threshold()` and `Window` make."""
    height, width = sides(size)
    made = _core.Filter(WINDOW, height, width, border, border_value, given_nodata(nodata))
    made.counting(ddof, min_valid, empty, anchor, value_range, keep_holes)
    if extremes is not None:
        try:
            lowest, largest_var = extremes
        except Exception:
            raise TypeError(f"extremes: {shown(extremes)}; the smallest sample and the largest var are taken") from None
        made.extremes(lowest, largest_var)
    one = isinstance(statistics, str)
    names = names_of(statistics, _PARAMETERS)
    if not names:
        raise ValueError("statistic: none is given; one or several of " + ", ".join(_PARAMETERS))
    parameters = parameters or {}
    known = {parameter for name in names for parameter in _PARAMETERS[name]}
    for parameter in parameters:
        if parameter not in known:
            raise TypeError(
                f"{', '.join(names)}: no parameter {parameter}"
                + (f"; there is {', '.join(sorted(known))}" if known else "")
            )
    for name in names:
        own = _PARAMETERS[name]
        made.add(name, compare, {key: value for key, value in parameters.items() if key in own})
    made.several = not one
    return made


def gauss_filter(
    mode: int,
    sigma: float,
    sigma2: float,
    amount: float,
    border: str,
    border_value: Any,
    nodata: Nodata,
    min_valid: float = 0,
    empty: float | None = None,
    keep_holes: bool = False,
) -> _core.Filter:
    """What `gauss()`, `unsharp()`, `dog()` and `Gauss` make."""
    made = _core.Filter(GAUSS, 1, 1, border, border_value, given_nodata(nodata))
    made.counting(0, min_valid, empty, "second", 0, keep_holes)
    made.gauss(mode, sigma, sigma2, amount)
    return made


def _in_int64(results: Any, out: Any) -> Any:
    """Converts float64 results that are integers to int64, in `out` if it is given."""
    if isinstance(results, tuple):
        if out is not None and (not isinstance(out, tuple) or len(out) != len(results)):
            raise TypeError(f"out: a tuple of {len(results)} arrays, one for each statistic")
        return tuple(_in_int64(one, None if out is None else out[i]) for i, one in enumerate(results))
    if out is None:
        return results.astype(np.int64)
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out: {shown(out)} is no array; of a tensor, its numpy() is one")
    if out.shape != results.shape or out.dtype != np.int64:
        raise TypeError(f"out: {out.dtype} {out.shape} where the result is int64 {results.shape}")
    out[...] = results
    return out


def box(
    image: ArrayLike,
    size: Size,
    border: Border = "shrink",
    mask: ArrayLike | None = None,
    nodata: Nodata = None,
    out: Array | None = None,
    dtype: DTypeLike | None = None,
    *,
    border_value: float | Sequence[float] = 0,
    anchor: Anchor = "second",
    min_valid: float = 0,
    empty: float | None = None,
    keep_holes: bool = False,
    channel_axis: int | None = None,
    batch_axis: int | None = None,
) -> Array:
    """The mean of the window around each pixel, at a cost that does not depend on the window.

    image       (H, W) or (H, W, C), as of `sat.table()`.  Of a DataArray the result is one, with the attributes that
                hold for it; of a masked array it is one, masked where it is empty.  With out= it is a plain array.
    size        the window's side, or (height, width), in pixels; it may exceed the image.  Of floats, with a border
                that repeats samples, one that reaches beyond the image by more than eight times its size is slow.
    border      what lies beyond the edge: "shrink" (the mean of the pixels inside), "reflect101" (d c b | a b c d;
                OpenCV's default, SciPy's "mirror"), "reflect" (SciPy's default), "replicate" (SciPy's "nearest"),
                "wrap", "constant" (of `border_value`, one number or one for each channel).
    mask        (H, W) or (N, H, W) of bool or uint8: pixels that are not 0 count.
    nodata      samples of this value do not count; NaN: NaNs do not.  None: a DataArray's own value, which its empty
                results of integers have, too; "ignore": none.
    out, dtype  the result's: the image's dtype, float32 or float64.  The default is out's, else the image's; of bool
                images float32, the share of True.
    anchor      of even sides: "second", as OpenCV's, or "first", one pixel further right and down.
    min_valid   an integer: how many samples must count; a float from 0 to 1: which share of the window, 1.0 all of it
                (with "shrink", windows at the edge then have too few).  Where fewer count, the result is `empty`, by
                default NaN, and 0 of integers.  keep_holes: so are pixels that do not count themselves.
                With empty=nodata no other result is that value: it becomes the number beside it, as the command has it.

    A new array has the image's shape, and its order of memory.  Integers: sums are exact, a result is rounded once, to
    nearest, halves away from zero.  Floats: sums of additions alone in float64 (van Herk 1992), so that a NaN reaches
    exactly the windows that hold it.

    Raises TypeError and ValueError.  `out` must not overlap the image.
    """
    if type(image) is not np.ndarray and is_wrapped(image):
        return call_wrapped(box, locals())
    made = box_filter(size, border, border_value, nodata, anchor, min_valid, empty, keep_holes)
    result: Array = made.apply(image, mask, out, code(dtype), channel_axis, batch_axis)
    return result


@overload
def window(  # type: ignore[overload-overlap]
    image: ArrayLike, size: Size, statistic: Statistic, border: Border = "shrink", mask: ArrayLike | None = None,
    nodata: Nodata = None, out: Array | None = None, dtype: DTypeLike | None = None, *,
    border_value: float | Sequence[float] = 0, ddof: SupportsIndex = 0, value_range: float = 0,
    anchor: Anchor = "second", min_valid: float = 0, empty: float | None = None, keep_holes: bool = False,
    extremes: tuple[float, float] | None = None, channel_axis: int | None = None, batch_axis: int | None = None,
    **parameters: float,
) -> Array: ...
@overload
def window(
    image: ArrayLike, size: Size, statistic: Sequence[Statistic], border: Border = "shrink",
    mask: ArrayLike | None = None,
    nodata: Nodata = None, out: tuple[Array, ...] | None = None, dtype: DTypeLike | None = None, *,
    border_value: float | Sequence[float] = 0, ddof: SupportsIndex = 0, value_range: float = 0,
    anchor: Anchor = "second", min_valid: float = 0, empty: float | None = None, keep_holes: bool = False,
    extremes: tuple[float, float] | None = None, channel_axis: int | None = None, batch_axis: int | None = None,
    **parameters: float,
) -> tuple[Array, ...]: ...
def window(
    image: ArrayLike, size: Size, statistic: Any, border: Border = "shrink", mask: ArrayLike | None = None,
    nodata: Nodata = None, out: Any | None = None, dtype: DTypeLike | None = None, *,
    border_value: float | Sequence[float] = 0, ddof: SupportsIndex = 0, value_range: float = 0,
    anchor: Anchor = "second", min_valid: float = 0, empty: float | None = None, keep_holes: bool = False,
    extremes: tuple[float, float] | None = None, channel_axis: int | None = None, batch_axis: int | None = None,
    **parameters: float,
) -> Any:
    """Statistics of the window around each pixel: an array, or, of a list of names, a tuple in that order.

    statistic    mean, sum, var, std, rms, count, norm ((pixel - mean) / std), or the surface of a local threshold:
                 bradley (t), niblack (k), sauvola (k, r), wolf (k, r), nick (k), phansalkar (k, r, p, q), mean
                 (offset).  wolf's r is the largest std of a window in which min_valid samples count, and more than
                 ddof.  Sums are taken once for all of a list.
    parameters   by name, for all statistics of the list that have them: `window(page, 25, "sauvola", k=0.2)`.
    ddof         variances are divided by count - ddof; the window must have more samples.
    value_range  the largest value that samples are to have, for thresholds: 4095 for 12 bits in uint16; 0: the
                 dtype's, of floats 1.
    extremes     for wolf, of the image that this one is a part of: its smallest sample that counts, and the largest
                 "var" of a window.
    dtype        of the results: float32, of 32-bit integers and float64 images float64; of sums of integers, and of
                 counts in windows of more than 2**24 pixels, float64.  A float that may round them is refused.
                 int64 is for sums and counts alone; narrower integers are rounded and clipped.

    The other parameters are as of `box()`.  Of integers, means and variances are exact, rounded once; of floats,
    variances are joined from parts (Chan, Golub and LeVeque 1979), so that nothing cancels.
    """
    if type(image) is not np.ndarray and is_wrapped(image):
        return call_wrapped(window, locals())
    wanted = dtype if dtype is not None else getattr(out[0] if isinstance(out, tuple) and out else out, "dtype", None)
    long = wanted is not None and dtype_of(wanted).newbyteorder("=") == np.int64
    if long:
        names = set(names_of(statistic, _PARAMETERS))
        if not names <= _WHOLE:
            raise TypeError("dtype int64: only for sums and counts of integers; float64 is for all")
        if type(image) is not np.ndarray:
            image = readable(image, IMAGE, "image")
        if "sum" in names and image.dtype.kind not in "bui":
            raise TypeError("dtype int64: sums of floats are none; float64 holds them")
        empty = 0 if empty is None else _core.number(empty, "empty")
        if not (abs(empty) <= 2**53 and empty == int(empty)):
            raise ValueError(f"empty: {empty!r}; with dtype int64 it is a whole number from -2**53 to 2**53")
    made = window_filter(
        size,
        statistic,
        False,
        border,
        border_value,
        nodata,
        ddof,
        value_range,
        anchor,
        min_valid,
        empty,
        keep_holes,
        extremes,
        parameters,
    )
    if long:
        return _in_int64(made.apply(image, mask, None, code("float64"), channel_axis, batch_axis), out)
    return made.apply(image, mask, out, code(dtype), channel_axis, batch_axis)


def threshold(
    image: ArrayLike,
    size: Size,
    method: Method = "sauvola",
    border: Border = "shrink",
    mask: ArrayLike | None = None,
    nodata: Nodata = None,
    out: Array | None = None,
    dtype: DTypeLike = bool,
    *,
    border_value: float | Sequence[float] = 0,
    value_range: float = 0,
    anchor: Anchor = "second",
    min_valid: float = 0,
    extremes: tuple[float, float] | None = None,
    channel_axis: int | None = None,
    batch_axis: int | None = None,
    **parameters: float,
) -> Array:
    """True where a pixel is above a local threshold: paper, where a page is dark on light.

    method  bradley, niblack, sauvola, wolf, nick, phansalkar or mean, with parameters by name (`window()`).
    dtype   bool, or uint8: 255 and 0, as OpenCV's masks.

    The surface that the pixel is compared with is `window(image, size, method)`, which has the other parameters.
    J. Sauvola and M. Pietikainen, Adaptive document image binarization, Pattern Recognition 33 (2000).
    """
    if type(image) is not np.ndarray and is_wrapped(image):
        return call_wrapped(threshold, locals())
    one_of(method, _THRESHOLDS, "method")
    if dtype_of(dtype) not in (np.dtype(bool), np.dtype("uint8")) or dtype is None:
        raise TypeError(f"dtype: {shown(dtype)} is none of bool, uint8")
    made = window_filter(
        size,
        method,
        True,
        border,
        border_value,
        nodata,
        0,
        value_range,
        anchor,
        min_valid,
        None,
        False,
        extremes,
        parameters,
    )
    kind = None if np.dtype(dtype) == bool else dtype
    if out is None and kind is None:
        # A new array is not given away before its bytes are 0 and 1.
        wide: Array = made.apply(image, mask, None, code("uint8"), channel_axis, batch_axis)
        np.bitwise_and(wide, 1, out=wide)
        return wide.view(bool)
    if isinstance(out, np.ndarray) and out.dtype == bool:
        wide = out.view(np.uint8)
        try:
            made.apply(image, mask, wide, code("uint8"), channel_axis, batch_axis)
        finally:
            np.bitwise_and(wide, 1, out=wide)
        return out
    result: Array = made.apply(image, mask, out, code("uint8"), channel_axis, batch_axis)
    return result


def gauss(
    image: ArrayLike,
    sigma: float,
    border: Border = "shrink",
    mask: ArrayLike | None = None,
    nodata: Nodata = None,
    out: Array | None = None,
    dtype: DTypeLike | None = None,
    *,
    border_value: float | Sequence[float] = 0,
    min_valid: float = 0,
    empty: float | None = None,
    keep_holes: bool = False,
    channel_axis: int | None = None,
    batch_axis: int | None = None,
) -> Array:
    """A Gaussian blur of standard deviation `sigma`, in pixels, up to 16384.

    Up to sigma 4 the Gaussian is sampled, with the weights of `scipy.ndimage.gaussian_filter()`; wider ones are four
    boxes with weighted rims, whose time hardly depends on sigma and whose weights differ by at most 0.36 % of the
    largest. With a mask or nodata: normalised convolution (Knutsson and Westin 1993); min_valid is a share of the
    weight, 1.0: none is missing. keep_holes: pixels that do not count are `empty`, by default nodata, else NaN, and 0
    of integers. The other parameters are as of `box()`.
    """
    if type(image) is not np.ndarray and is_wrapped(image):
        return call_wrapped(gauss, locals())
    made = gauss_filter(BLUR, sigma, 0, 0, border, border_value, nodata, min_valid, empty, keep_holes)
    result: Array = made.apply(image, mask, out, code(dtype), channel_axis, batch_axis)
    return result


def unsharp(
    image: ArrayLike,
    sigma: float,
    amount: float,
    border: Border = "shrink",
    mask: ArrayLike | None = None,
    nodata: Nodata = None,
    out: Array | None = None,
    dtype: DTypeLike | None = None,
    *,
    border_value: float | Sequence[float] = 0,
    min_valid: float = 0,
    empty: float | None = None,
    keep_holes: bool = False,
    channel_axis: int | None = None,
    batch_axis: int | None = None,
) -> Array:
    """An unsharp mask: image + amount * (image - gauss(image, sigma)), rounded once, and cut to the range of
    integers."""
    if type(image) is not np.ndarray and is_wrapped(image):
        return call_wrapped(unsharp, locals())
    made = gauss_filter(UNSHARP, sigma, 0, amount, border, border_value, nodata, min_valid, empty, keep_holes)
    result: Array = made.apply(image, mask, out, code(dtype), channel_axis, batch_axis)
    return result


def dog(
    image: ArrayLike,
    sigma: float,
    sigma2: float,
    border: Border = "shrink",
    mask: ArrayLike | None = None,
    nodata: Nodata = None,
    out: Array | None = None,
    dtype: DTypeLike | None = None,
    *,
    border_value: float | Sequence[float] = 0,
    min_valid: float = 0,
    empty: float | None = None,
    channel_axis: int | None = None,
    batch_axis: int | None = None,
) -> Array:
    """The difference of Gaussians gauss(image, sigma) - gauss(image, sigma2): float32, of 32-bit integers and float64
    images float64."""
    if type(image) is not np.ndarray and is_wrapped(image):
        return call_wrapped(dog, locals())
    made = gauss_filter(DOG, sigma, sigma2, 0, border, border_value, nodata, min_valid, empty)
    result: Array = made.apply(image, mask, out, code(dtype), channel_axis, batch_axis)
    return result
