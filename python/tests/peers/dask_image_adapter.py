"""dask-image by sat.dask: boxes, Gaussians, symmetric kernels, functions of windows, and statistics of labels."""

import functools
import operator

import dask.array as da
import numpy as np
from shared import MODES, accepts, anchor_of, boxes, need, statistic_of

import sat.dask

REPLACES = False  # its wheel brings no tests
OFFERED = {
    "dask_image.ndfilters": [
        "convolve",
        "correlate",
        "gaussian",
        "gaussian_filter",
        "generic_filter",
        "threshold_local",
        "uniform_filter",
    ],
    "dask_image.ndmeasure": ["area", "mean", "standard_deviation", "sum_labels", "variance"],
}


def _border(image, mode, cval):
    """An image that may have a border, and sat's parameters of it."""
    need(image.ndim == 2, "other than two dimensions")
    need(image.dtype.kind in "buif", "complex samples")
    if MODES[mode] != "constant":
        return image, {"border": MODES[mode]}
    image = image if accepts(image.dtype, cval) else image.astype(np.float64)
    return image, {"border": "constant", "border_value": cval}


def _each(value, what):
    values = [value] * 2 if np.ndim(value) == 0 else list(value)
    if len(values) != 2:
        raise RuntimeError(f"{len(values)} {what} for two axes")
    return values


def _as(result, dtype):
    """A lazy result as the image's type, integers without their fractions, as SciPy has them."""
    return result.astype(dtype) if result.dtype != dtype else result


def uniform_filter(image, size=3, mode="reflect", cval=0.0, origin=0):
    need(image.ndim == 2, "other than two dimensions")
    sizes, origins = _each(size, "sizes"), _each(origin, "origins")
    anchors = {anchor_of(one, shift) for one, shift in zip(sizes, origins)}
    need(len(anchors) == 1, "two anchors")
    samples, border = _border(image, mode, cval)
    return _as(sat.dask.box(samples, tuple(sizes), anchor=anchors.pop(), **border), image.dtype)


def gaussian_filter(image, sigma, order=0, mode="reflect", cval=0.0, truncate=4.0):
    need(image.ndim == 2, "other than two dimensions")
    sigmas = _each(sigma, "sigmas")
    need(not np.any(order), "derivatives of Gaussians")
    need(all(int(truncate * one + 0.5) == int(4 * one + 0.5) for one in sigmas), "truncate=: Gaussians reach 4 sigma")
    need(sigmas[0] == sigmas[1] and sigmas[0] > 0, "two sigmas, or none")
    samples, border = _border(image, mode, cval)
    return _as(sat.dask.gauss(samples, sigmas[0], **border), image.dtype)


gaussian = gaussian_filter


def _weigh(image, weights, mode, cval, origin, convolves):
    need(not np.any(origin), "origin=: windows of sat are centred")
    weights = np.asarray(weights)
    need(not convolves or all(side % 2 for side in weights.shape), "a convolution with an even side")
    samples, border = _border(image, mode, cval)
    parts = [
        weight * sat.dask.window(samples, (height, width), "sum", dtype=np.float64, **border)
        for height, width, weight in boxes(weights)
    ]
    return _as(functools.reduce(operator.add, parts), image.dtype)


def correlate(image, weights, mode="reflect", cval=0.0, origin=0):
    return _weigh(image, weights, mode, cval, origin, False)


def convolve(image, weights, mode="reflect", cval=0.0, origin=0):
    return _weigh(image, weights, mode, cval, origin, True)


def generic_filter(
    image,
    function,
    size=None,
    footprint=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    extra_arguments=(),
    extra_keywords=None,
):
    if (size is None) == (footprint is None):
        raise RuntimeError("either size or footprint")
    name = statistic_of(function, footprint is None or footprint, tuple(extra_arguments) + tuple(extra_keywords or ()))
    need(not np.any(origin), "origin=: windows of sat are centred")
    samples, border = _border(image, mode, cval)
    sides = tuple(_each(size, "sizes")) if footprint is None else np.shape(footprint)
    return _as(sat.dask.window(samples, sides, name, dtype=np.float64, **border), image.dtype)


def threshold_local(image, block_size, method="gaussian", offset=0, mode="reflect", param=None, cval=0):
    need(method != "median", "medians")
    if method not in ("generic", "gaussian", "mean") or (method == "generic" and not callable(param)):
        raise ValueError(f"unknown method {method}")
    image = image.astype(np.float64)
    if method == "gaussian":
        sigma = (np.asarray(block_size, float) - 1) / 6 if param is None else param
        return gaussian_filter(image, sigma, mode=mode, cval=cval) - offset
    return generic_filter(image, np.mean if method == "mean" else param, block_size, mode=mode, cval=cval) - offset


def _labelled(image, label_image, index, statistic):
    """A statistic of labels, from the last entry of a table of the samples of each."""
    image = da.asarray(image)
    need(image.ndim == 2, "other than two dimensions")
    moments = 2 if statistic in ("var", "std") else 1
    need(moments == 1 or image.dtype.kind == "f" or image.dtype.itemsize < 4, "squares of 32-bit integers beyond 2^53")
    whole = [0, 0, image.shape[1], image.shape[0]]

    def of(mask):
        return sat.dask.query(sat.dask.table(image, moments, mask), whole, statistic)[statistic]

    if label_image is None:
        return da.asarray(of(None))
    label_image = da.asarray(label_image)
    if label_image.shape != image.shape:
        raise ValueError(f"labels of the shape {label_image.shape}")
    if index is None:
        return da.asarray(of(label_image > 0))
    index = np.asarray(index)
    return da.asarray(np.reshape([of(label_image == one) for one in index.ravel()], index.shape))


def _statistic(name):
    return lambda image, label_image=None, index=None: _labelled(image, label_image, index, name)


area, mean, variance, standard_deviation = (_statistic(name) for name in ("count", "mean", "var", "std"))


def sum_labels(image, label_image=None, index=None):
    return _labelled(image, label_image, index, "sum").astype(np.float64)
