"""What an array is to the library: types, masks, and the one copy of what cannot be read in its place."""

from __future__ import annotations

import errno
import operator
import os
import sys
import warnings
from typing import Any, Callable, Iterable, Sequence, TypeVar

import numpy as np
from numpy.typing import DTypeLike

from . import _core
from .typing import Nodata as Nodata
from .typing import Size

_Result = TypeVar("_Result")

# The numbers of src/lib/sat.h for NumPy's types.
CODES: dict[Any, int] = {
    np.dtype("uint8"): 1,
    np.dtype("uint16"): 2,
    np.dtype("uint32"): 3,
    np.dtype("uint64"): 4,
    np.dtype("int64"): 5,
    np.dtype("float32"): 6,
    np.dtype("float64"): 7,
    np.dtype("int8"): 9,
    np.dtype("int16"): 10,
    np.dtype("int32"): 11,
}
LAYOUTS = {"padded": 0, "inclusive": 1, "exclusive": 2}

# How many arrays were copied, as they could not be read in their place.
copies = 0

IMAGE, MASK, _SUMS = 0, 1, 2  # the roles of arrays.h


def shown(given: Any) -> str:
    """An argument in a message: in one short line."""
    if isinstance(given, np.ndarray) and given.ndim:
        return f"an array of {given.dtype} {given.shape}"
    try:
        text = " ".join(repr(given).split())
    except Exception:  # integers of more than 4300 digits
        text = f"<{type(given).__name__}>"
    return text if len(text) <= 60 else text[:57] + "..."


def dtype_of(given: Any, name: str = "dtype") -> np.dtype[Any]:
    """Returns a dtype; else raises TypeError."""
    try:
        dtype: np.dtype[Any] = np.dtype(given)
        return dtype
    except Exception:
        raise TypeError(f"{name}: {shown(given)} is no dtype of NumPy's") from None


def code(dtype: DTypeLike | None, name: str = "dtype") -> int:
    """The number of a type of samples, sums or results; 0 for None."""
    if dtype is None:
        return 0
    found = CODES.get(dtype_of(dtype, name).newbyteorder("="))
    if found is None:
        raise TypeError(
            f"{name}: {dtype_of(dtype)} is none of uint8, uint16, uint32, int8, int16, int32, float32, float64, "
            "and of tables uint64 and int64"
        )
    return found


def one_of(given: Any, known: Iterable[str], name: str) -> str:
    """Returns a known name; else raises ValueError."""
    if not isinstance(given, str) or given not in known:
        raise ValueError(f"{name}: {shown(given)} is none of {', '.join(known)}")
    return given


def names_of(given: Any, known: Iterable[str], name: str = "statistic") -> list[str]:
    """Returns one known name or several as a list; else raises TypeError or ValueError."""
    if isinstance(given, str):
        return [one_of(given, known, name)]
    try:
        names = list(given)
    except Exception:
        raise TypeError(f"{name}: {shown(given)}; one or several of {', '.join(known)}") from None
    return [one_of(one, known, name) for one in names]


def file_name(path: Any, name: str = "path") -> bytes:
    """Returns a path as the system takes it; else raises TypeError or ValueError."""
    try:
        found = os.fsencode(path)
    except Exception:
        raise TypeError(f"{name}: {shown(path)} is no path") from None
    if b"\0" in found:
        raise ValueError(f"{name}: {shown(path)} has a zero byte")
    if not found:
        raise FileNotFoundError(errno.ENOENT, f"{name}: the path is empty", path)
    return found


def axis_of(axis: Any, name: str) -> int | None:
    """Returns an axis as an int, or None; else raises TypeError or ValueError."""
    return None if axis is None else _core.integer(axis, name, -64, 63)


def sides(size: Size) -> tuple[int, int]:
    """Height and width of a window: of an integer, or of a sequence or array of two."""
    given: Any = size
    try:
        if type(given) is int or (hasattr(given, "__index__") and not getattr(given, "ndim", False)):
            return operator.index(given), operator.index(given)
        if len(given) == 2:
            return operator.index(given[0]), operator.index(given[1])
    except Exception:
        pass
    raise TypeError(f"size: {shown(size)}; an integer, or (height, width), in pixels")


def counted(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Counts a copy, and passes it on."""
    global copies
    copies += 1
    return array


def as_array(given: Any, name: str) -> np.ndarray[Any, Any]:
    """What a caller gave as an array of numbers."""
    try:
        array = np.asarray(given)
    except Exception:
        raise TypeError(f"{name}: {shown(given)} is no array") from None
    if array.ndim == 0:
        raise TypeError(f"{name}: {shown(given)} is no array")
    if array.dtype.kind not in "buif" or array.dtype.itemsize > 8:
        raise TypeError(f"{name}: samples of {array.dtype}; bool, integers and floats of up to 64 bits are taken")
    return array


def readable(given: Any, role: int, name: str) -> np.ndarray[Any, Any]:
    """An array that the library can read.

    What it can read is passed on.  The others are copied once, as a whole: arrays with strides of 0 (broadcasts),
    that are not aligned, or of another byte order; float16, as float32; 64-bit integers, as those of 32 bits, if all
    values fit."""
    if given is None:
        raise TypeError(f"{name}: None is no array")
    if isinstance(given, np.ma.MaskedArray):
        raise TypeError(f"{name}: a masked array, whose mask has no place here")
    if not isinstance(given, np.ndarray) and hasattr(given, "__dlpack__"):
        if given.__dlpack_device__()[0] != 1:
            raise TypeError(f"{name}: it lies in the memory of a device; arrays of the CPU are taken")
        try:
            array: Any = np.from_dlpack(given)
        except (BufferError, RuntimeError) as error:  # of types that NumPy has not, of tensors with gradients
            raise TypeError(f"{name}: {error}") from None
    else:
        array = given
    array = as_array(array, name)
    if role == MASK:
        if array.dtype not in (np.dtype(bool), np.dtype("uint8")):
            raise TypeError(f"{name}: {array.dtype} where bool or uint8 is taken; mask != 0 is a bool")
    elif role == IMAGE:
        if array.dtype.kind in "iu" and array.dtype.itemsize == 8:
            array = _narrowed(array, name)
        elif array.dtype.kind == "f" and array.dtype.itemsize == 2:
            array = counted(array.astype(np.float32))
    elif role == _SUMS and array.dtype.itemsize < 4:
        raise TypeError(f"{name}: {array.dtype}; int32, uint32, int64, uint64, float32 or float64 are taken")
    return _in_place(array)


def _in_place(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array, or a copy with strides, alignment and byte order that the library reads."""
    broadcast = any(stride == 0 and side > 1 for stride, side in zip(array.strides, array.shape))
    gaps = any(stride % array.itemsize for stride, side in zip(array.strides, array.shape) if side > 1)
    if broadcast or gaps or not array.flags.aligned or not array.dtype.isnative:
        return counted(array.astype(array.dtype.newbyteorder("="), order="C", copy=True))
    return array.view(np.ndarray)


def _narrowed(array: np.ndarray[Any, Any], name: str) -> np.ndarray[Any, Any]:
    """Converts 64-bit integers to 32 bits, but lets the library's messages say 64."""
    _core.set_narrowed()
    to = np.dtype("int32" if array.dtype.kind == "i" else "uint32")
    if array.size:
        low, high, info = int(array.min()), int(array.max()), np.iinfo(to)
        if low < info.min or high > info.max:
            raise ValueError(
                f"{name}: {array.dtype} with values from {low} to {high}; {info.min} to {info.max} are taken, and "
                "beyond them floats of 53 bits: astype(float)"
            )
    return counted(array.astype(to))


def check_result(out: Any, others: Sequence[Any]) -> None:
    """An array that statistics of rectangles are written into, while `others` are read or written."""
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out: {shown(out)} is no array")
    if not out.flags.writeable:
        raise ValueError("out: the array is read-only")
    reach = out.itemsize
    for stride, side in sorted((abs(stride), side) for stride, side in zip(out.strides, out.shape) if side > 1):
        if stride < reach and out.size:
            raise ValueError("out: its elements share bytes")
        reach += stride * (side - 1)
    for other in others:
        if isinstance(other, np.ndarray) and np.may_share_memory(out, other):
            raise ValueError("out: it shares memory with the rectangles, the image, its table or another result")


def refuse_result(out: Any, name: str) -> None:
    """Raises what is wrong with an array that the library cannot write into."""
    array = np.asarray(out)
    if array.ndim == 0:
        raise ValueError(f"{name}: an array without dimensions")
    if array.dtype != bool:
        code(array.dtype, name)
    if not array.dtype.isnative:
        raise ValueError(f"{name}: {array.dtype.str} is of another byte order than this machine's")
    raise ValueError(f"{name}: the array is not aligned, or has strides of 0")


def given_nodata(nodata: Any) -> float | None:
    """Returns the nodata value that a caller gave; None for "ignore"."""
    value: float | None = None if isinstance(nodata, str) and nodata == "ignore" else nodata
    return value


def is_labelled(image: Any) -> bool:
    """Whether an image is a DataArray of xarray, or another array that has named dimensions and an encoding."""
    return all(hasattr(image, name) for name in ("dims", "attrs", "encoding", "dtype", "copy"))


def is_wrapped(image: Any) -> bool:
    """Whether an image has a mask or labels, which its results have, too."""
    return isinstance(image, np.ma.MaskedArray) or is_labelled(image)


def call_wrapped(function: Callable[..., _Result], arguments: dict[str, Any]) -> _Result:
    """Calls a filter of the package on an array with a mask or with labels."""
    from . import _labelled, _masked  # few calls need them

    for name in ("channel_axis", "batch_axis"):
        arguments[name] = axis_of(arguments[name], name)
    masked = isinstance(arguments["image"], np.ma.MaskedArray)
    result: _Result = (_masked if masked else _labelled).call(function, arguments)
    return result


def taken(image: Any, mask: Any, nodata: Any, channel_axis: int | None, batch_axis: int | None) -> tuple[Any, ...]:
    """Returns an image as an array, its mask, its nodata value and its axes."""
    channel_axis, batch_axis = axis_of(channel_axis, "channel_axis"), axis_of(batch_axis, "batch_axis")
    if is_labelled(image):
        from . import _labelled

        return _labelled.taken(image, mask, nodata, channel_axis, batch_axis)
    return *apart(image, mask, channel_axis, batch_axis), given_nodata(nodata), channel_axis, batch_axis


def apart(image: Any, mask: Any, channel_axis: int | None, batch_axis: int | None) -> tuple[Any, Any]:
    """A masked array as its data and a mask of its pixels, joined with another; other images as they are."""
    if not isinstance(image, np.ma.MaskedArray):
        return image, mask
    if np.ma.getmask(image) is np.ma.nomask:
        return image.data, mask
    counts = counted(~np.ma.getmaskarray(image))
    batch = None if batch_axis is None else batch_axis % counts.ndim
    axis = None if channel_axis is None else channel_axis % counts.ndim
    if axis is None and counts.ndim - (batch is not None) == 3:
        axis = max(i for i in range(counts.ndim) if i != batch)
        if counts.shape[axis] > 4:
            return image.data, mask  # no axis of channels, which the call will say
    if batch is not None:
        counts = np.moveaxis(counts, batch, 0)
        if axis is not None and axis < batch:
            axis += 1
    if axis is not None:
        first = np.take(counts, 0, axis=axis)
        if not (counts == np.expand_dims(first, axis)).all():
            raise ValueError("image: a masked array whose channels are not masked alike; a mask is of pixels")
        counts = first
    if mask is not None:
        mask = readable(mask, MASK, "mask")
        if mask.shape not in (counts.shape, counts.shape[-2:]):
            raise ValueError(f"mask: shape {mask.shape} where the image needs {counts.shape}")
        counts &= mask != 0
    return image.data, counts


def warn(text: str, category: type[Warning] = UserWarning) -> None:
    """Warns once, of the line that called this package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)
