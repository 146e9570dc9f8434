"""OpenCV by sat: boxes, Gaussians, symmetric kernels, integral images, adaptive thresholds, statistics of an image."""

import numpy as np
from shared import need, readable, weighted

import sat

REPLACES = False  # its wheel brings no tests
OFFERED = {
    "cv2": [
        "GaussianBlur",
        "adaptiveThreshold",
        "blur",
        "boxFilter",
        "filter2D",
        "integral",
        "integral2",
        "integral3",
        "mean",
        "meanStdDev",
        "sepFilter2D",
        "sqrBoxFilter",
        "sumElems",
    ]
}
DEPTHS = ["uint8", "int8", "uint16", "int16", "int32", "float32", "float64"]  # CV_8U to CV_64F
BORDERS = {0: "constant", 1: "replicate", 2: "reflect", 4: "reflect101"}


def _image(src):
    """An image without an axis of one channel, which OpenCV's results do not have."""
    image = readable(src)
    need(image.ndim == 2 or image.shape[2] <= 4, "more than four channels without channel_axis=")
    return image[:, :, 0] if image.ndim == 3 and image.shape[2] == 1 else image


def _border(number):
    need(number & ~16 in BORDERS, "a border that OpenCV's filters do not have")
    return BORDERS[number & ~16]


def _depth(ddepth, image):
    return image.dtype if ddepth < 0 else np.dtype(DEPTHS[ddepth])


def _saturated(result, dtype):
    """A result as a type: the nearest integers, halves to the even one as OpenCV rounds, cut to its range."""
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        result = np.clip(np.rint(result), info.min, info.max)
    return result.astype(dtype, copy=False)


def _anchor(anchor, ksize):
    """sat's anchor: OpenCV's middle is at half the side; the pixel before it is taken of even sides, too."""
    width, height = ksize
    found = {
        "second" if at in (-1, side // 2) else "first" if side % 2 == 0 and at == side // 2 - 1 else "other"
        for at, side in zip(anchor, (width, height))
    }
    need(len(found) == 1 and "other" not in found, "an anchor outside the middle")
    return found.pop()


def boxFilter(src, ddepth, ksize, dst=None, anchor=(-1, -1), normalize=True, borderType=4):
    image = _image(src)
    width, height = ksize
    dtype, options = _depth(ddepth, image), {"border": _border(borderType), "anchor": _anchor(anchor, ksize)}
    if not normalize:
        return _saturated(sat.window(image, (height, width), "sum", dtype=np.float64, **options), dtype)
    if dtype == image.dtype or dtype.kind == "f":
        return sat.box(image, (height, width), dtype=dtype, **options)
    return _saturated(sat.box(image, (height, width), dtype=np.float64, **options), dtype)


def blur(src, ksize, dst=None, anchor=(-1, -1), borderType=4):
    return boxFilter(src, -1, ksize, dst, anchor, True, borderType)


def sqrBoxFilter(src, ddepth, ksize, dst=None, anchor=(-1, -1), normalize=True, borderType=4):
    image = _image(src)
    width, height = ksize
    options = {"border": _border(borderType), "anchor": _anchor(anchor, ksize)}
    squares = sat.window(image, (height, width), "rms", dtype=np.float64, **options) ** 2
    return _saturated(squares if normalize else squares * (width * height), _depth(ddepth, image))


def GaussianBlur(src, ksize, sigmaX, dst=None, sigmaY=0, borderType=4, hint=0):
    image = _image(src)
    need(sigmaX > 0, "a sigma that follows from the size of the kernel")
    need(sigmaY in (0, sigmaX), "two sigmas")
    eighth = 3 if image.dtype == np.uint8 else 4
    sides = [side if side else int(round(sigmaX * eighth * 2 + 1)) | 1 for side in ksize]
    need(sides == [2 * int(4 * sigmaX + 0.5) + 1] * 2, "a kernel of other than 4 sigma to each side")
    return sat.gauss(image, sigmaX, _border(borderType))


def integral(src, sum=None, sdepth=-1):
    need(np.asarray(src).dtype != np.int8, "signed samples of 8 bits, which OpenCV refuses")
    return sat.compat.integral(_image(src), sdepth)


def integral2(src, sum=None, sqsum=None, sdepth=-1, sqdepth=-1):
    image = readable(src)
    need(sqdepth in (-1, 6), "squares in other than float64")
    need(image.dtype != np.int32, "squares of 32-bit integers beyond 2^53")
    # The squares of a table of floats are less its level.
    squares = sat.table(image.astype(float) ** 2) if image.dtype.kind == "f" else sat.table(image, 2).squares
    return integral(image, None, sdepth), np.asarray(squares, np.float64)


def integral3(src, sum=None, sqsum=None, tilted=None, sdepth=-1, sqdepth=-1):
    need(False, "tilted sums")


def adaptiveThreshold(src, maxValue, adaptiveMethod, thresholdType, blockSize, C, dst=None):
    need(adaptiveMethod == 0, "thresholds of Gaussians whose sigma follows from the size")
    image = _image(src)
    if blockSize % 2 == 0 or blockSize <= 1 or image.dtype != np.uint8:
        raise ValueError("blockSize is odd and above 1, and the image of unsigned samples of 8 bits")
    # OpenCV rounds the mean to 8 bits before it compares; sat.threshold() does not.
    offset = (np.floor if thresholdType else np.ceil)(C)
    above = image > sat.box(image, blockSize, "replicate").astype(np.float64) - offset
    return np.where(above != bool(thresholdType), np.uint8(round(maxValue)), np.uint8(0))


def filter2D(src, ddepth, kernel, dst=None, anchor=(-1, -1), delta=0, borderType=4):
    image, kernel = _image(src), np.asarray(kernel)
    result = weighted(image, kernel, _anchor(anchor, kernel.shape[::-1]), border=_border(borderType))
    return _saturated(result + delta, _depth(ddepth, image))


def sepFilter2D(src, ddepth, kernelX, kernelY, dst=None, anchor=(-1, -1), delta=0, borderType=4):
    return filter2D(src, ddepth, np.outer(np.ravel(kernelY), np.ravel(kernelX)), None, anchor, delta, borderType)


def _whole(src, mask, statistics):
    """Statistics of all samples of an image, or of those where a mask is not 0: a dict of arrays (C,)."""
    image = readable(src)
    need("std" not in statistics or image.dtype != np.int32, "squares of 32-bit integers beyond 2^53")
    height, width = image.shape[:2]
    table = sat.table(image, 2 if "std" in statistics else 1, None if mask is None else np.asarray(mask) != 0)
    return {name: np.atleast_1d(value) for name, value in table.query([0, 0, width, height], statistics).items()}


def _scalar(values):
    return tuple(float(value) for value in np.nan_to_num(values)) + (0.0,) * (4 - len(values))


def mean(src, mask=None):
    return _scalar(_whole(src, mask, ["mean"])["mean"])


def meanStdDev(src, mean=None, stddev=None, mask=None):
    found = _whole(src, mask, ["mean", "std"])
    return tuple(np.nan_to_num(found[name]).reshape(-1, 1) for name in ("mean", "std"))


def sumElems(src):
    return _scalar(_whole(src, None, ["sum"])["sum"])
