"""scipy.ndimage by sat: boxes, Gaussians, symmetric kernels, functions of windows, statistics of labels."""

import operator

import numpy as np
from shared import (
    MODES,
    accepts,
    anchor_of,
    border_of,
    box,
    by_planes,
    filtered,
    gauss,
    labelled,
    need,
    readable,
    rounded,
    statistic_of,
    weighted,
    whole,
    wide,
)

import sat

REPLACES = True
OFFERED = {
    "scipy.ndimage": [
        "convolve",
        "convolve1d",
        "correlate",
        "correlate1d",
        "gaussian_filter",
        "gaussian_filter1d",
        "generic_filter",
        "mean",
        "standard_deviation",
        "sum",
        "sum_labels",
        "uniform_filter",
        "uniform_filter1d",
        "variance",
    ]
}


def _axes(axes, ndim):
    """Axes as numbers from 0 on."""
    if axes is None:
        return list(range(ndim))
    found = []
    for axis in np.atleast_1d(axes).tolist() if not isinstance(axes, tuple) else axes:
        axis = operator.index(axis)
        if not -ndim <= axis < ndim:
            raise ValueError(f"no axis {axis}")
        found.append(axis % ndim)
    if len(set(found)) != len(found):
        raise ValueError("an axis is given twice")
    return found


def _each(value, n):
    """One value for each axis."""
    values = [value] * n if isinstance(value, str) or np.ndim(value) == 0 else list(value)
    if len(values) != n:
        raise RuntimeError(f"{len(values)} values for {n} axes")
    return values


def _mode(mode):
    if not isinstance(mode, str) or mode not in MODES:
        raise RuntimeError(f"unknown mode {mode}")
    return mode


def _dtype(output, image):
    """The dtype of a result."""
    dtype = image.dtype if output is None else output.dtype if isinstance(output, np.ndarray) else np.dtype(output)
    need(dtype.kind != "c", "complex samples")
    return dtype


def _given(result, output, image):
    """A result as `output` says: a new array of a type, or an array that it is written into."""
    result = rounded(result, _dtype(output, image))
    if not isinstance(output, np.ndarray):
        return result.copy()
    if output.shape != result.shape:
        raise RuntimeError(f"the output has the shape {output.shape}")
    output[...] = result
    return output


def uniform_filter(input, size=3, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    image = readable(input)
    axes = _axes(axes, image.ndim)
    parts = zip(axes, _each(size, len(axes)), _each(mode, len(axes)), _each(origin, len(axes)))
    passes = [(axis, int(one), _mode(how), anchor_of(one, shift)) for axis, one, how, shift in parts if one > 1]
    dtype = wide(image, _dtype(output, image))
    result = filtered(image, passes, cval, lambda *args: box(*args, dtype))
    return _given(result, output, image)


def uniform_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    if size < 1:
        raise RuntimeError(f"size {size}")
    return uniform_filter(input, size, output, mode, cval, origin, axes=axis)


def gaussian_filter(
    input, sigma, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None, axes=None
):
    image = readable(input)
    axes = _axes(axes, image.ndim)
    sigmas, orders, modes, radii = (_each(value, len(axes)) for value in (sigma, order, mode, radius))
    for one, reach in zip(sigmas, radii):
        if reach is not None and (not isinstance(reach, (int, np.integer)) or reach < 0):
            raise ValueError(f"radius {reach}")
        need(reach is None or reach == int(4 * one + 0.5), "radius=: Gaussians of sat reach 4 sigma")
        need(int(truncate * one + 0.5) == int(4 * one + 0.5), "truncate=: Gaussians of sat reach 4 sigma")
    for one in orders:
        if one < 0:
            raise ValueError(f"order {one}")
    need(not any(orders), "derivatives of Gaussians")
    passes = [(axis, None, _mode(how), float(one)) for axis, one, how in zip(axes, sigmas, modes) if one > 1e-15]
    dtype = wide(image, _dtype(output, image))
    result = filtered(image, passes, cval, lambda planes, _, sigma, border: gauss(planes, sigma, border, dtype))
    return _given(result, output, image)


def gaussian_filter1d(
    input, sigma, axis=-1, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None
):
    return gaussian_filter(input, sigma, order, output, mode, cval, truncate, radius=radius, axes=axis)


def _weigh(input, weights, output, mode, cval, origin, axes, convolves):
    image, weights = np.asarray(input), np.asarray(weights)
    axes = _axes(axes, image.ndim)
    need(weights.dtype.kind != "c", "complex samples")
    if weights.ndim != len(axes):
        raise RuntimeError(f"weights of {weights.ndim} dimensions for {len(axes)} axes")
    origins = _each(origin, len(axes))
    for length, shift in zip(weights.shape, origins):
        shift = -shift - (length % 2 == 0) if convolves else shift
        if not 0 <= length // 2 + shift < length:
            raise ValueError(f"origin {shift}")
    image = readable(image)
    need(not any(origins), "origin=: windows of sat are centred")
    even = {length % 2 == 0 for length in weights.shape if length > 1}
    need(len(even) <= 1 or not convolves, "a kernel with an even and an odd side")
    anchor = "first" if convolves and True in even else "second"
    kept = [i for i, length in enumerate(weights.shape) if length > 1]
    need(len(kept) <= 2, "three or more axes: sat filters two")
    kept = kept or [len(axes) - 1]
    kernel = weights.reshape([weights.shape[i] for i in kept] if len(kept) == 2 else (1, -1))
    kernel = kernel.transpose() if len(kept) == 2 and axes[kept[0]] > axes[kept[1]] else kernel
    if MODES[_mode(mode)] == "constant" and image.dtype.kind != "f":
        image = image.astype(np.float64)
    border = border_of(mode, cval)
    result = by_planes(
        image, sorted(axes[i] for i in kept), lambda planes: weighted(planes, kernel, anchor, batch_axis=0, **border)
    )
    return _given(np.trunc(result) if _dtype(output, np.asarray(input)).kind in "iu" else result, output, image)


def correlate(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    return _weigh(input, weights, output, mode, cval, origin, axes, False)


def convolve(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    return _weigh(input, weights, output, mode, cval, origin, axes, True)


def correlate1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    return _weigh(input, weights, output, mode, cval, origin, axis, False)


def convolve1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    return _weigh(input, weights, output, mode, cval, origin, axis, True)


def generic_filter(
    input,
    function,
    size=None,
    footprint=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    extra_arguments=(),
    extra_keywords=None,
    *,
    axes=None,
):
    image = readable(input)
    axes = _axes(axes, image.ndim)
    if size is None and footprint is None:
        raise RuntimeError("neither size nor footprint")
    need(axes, "an array without dimensions")
    sides = _each(size, len(axes)) if footprint is None else np.shape(footprint)
    origins = _each(origin, len(axes))
    for length, shift in zip(sides, origins):
        if not 0 <= length // 2 + shift < length:
            raise ValueError(f"origin {shift}")
    need(not any(origins), "origin=: windows of sat are centred")
    extra = (*extra_arguments, *(extra_keywords or ()))
    name = statistic_of(function, True if footprint is None else footprint, extra)
    if not accepts(image.dtype, cval):
        image = image.astype(np.float64)
    border = border_of(_mode(mode), cval)
    order = np.argsort(axes)

    def call(planes):
        window = tuple(int(sides[i]) for i in order)
        return sat.window(planes, ((1,) + window)[-2:], name, dtype=np.float64, batch_axis=0, **border)

    return _given(by_planes(image, [axes[i] for i in order], call), output, np.asarray(input))


def _statistic(name):
    """Returns the function of labelled samples that computes a statistic of sat's tables."""
    return lambda input, labels=None, index=None: labelled(
        lambda image, mask: whole(image, mask, name), np.asarray(input), labels, index
    )


sum = sum_labels = _statistic("sum")
mean, variance, standard_deviation = (_statistic(name) for name in ("mean", "var", "std"))
