"""scikit-image by sat: integral images, local thresholds, Gaussians, ranks of rectangles, means of blocks."""

import numpy as np
from shared import (
    FUNCTIONS,
    MODES,
    accepts,
    border_of,
    box,
    by_planes,
    filtered,
    gauss,
    need,
    readable,
    statistic_of,
)

import sat

REPLACES = False  # its wheel brings no tests
OFFERED = {
    "skimage.transform": ["downscale_local_mean", "integral_image", "integrate"],
    "skimage.measure": ["block_reduce"],
    "skimage.filters": [
        "difference_of_gaussians",
        "gaussian",
        "threshold_local",
        "threshold_niblack",
        "threshold_sauvola",
        "unsharp_mask",
    ],
    "skimage.filters.rank": ["mean", "pop", "subtract_mean", "sum", "threshold"],
}


def integral_image(image, *, dtype=None):
    need(np.ndim(image) == 2, "integral images of other than two dimensions")
    image = readable(image)
    need(image.dtype.kind != "f" or dtype is None or np.dtype(dtype).kind == "f", "sums of floats in integers")
    return sat.compat.integral_image(image, dtype=dtype)


def integrate(ii, start, end):
    need(np.ndim(ii) == 2, "integral images of other than two dimensions")
    return sat.compat.integrate(ii, start, end)


def block_reduce(image, block_size=2, func=np.sum, cval=0, func_kwargs=None):
    image = readable(image)
    blocks = (block_size,) * image.ndim if np.ndim(block_size) == 0 else tuple(block_size)
    if len(blocks) != image.ndim:
        raise ValueError(f"{len(blocks)} sides for {image.ndim} axes")
    if min(blocks) < 1:
        raise ValueError(f"blocks of {blocks}")
    need(image.ndim == 2 or (image.ndim == 3 and blocks[2] == 1), "blocks of other than two dimensions")
    statistic = statistic_of(func, True, func_kwargs or ())
    moments = 2 if statistic in ("std", "var") else 1
    need(moments == 1 or image.dtype.kind == "f" or image.dtype.itemsize < 4, "squares of 32-bit integers beyond 2^53")
    pad = [(0, -side % block) for side, block in zip(image.shape, blocks)]
    image = np.pad(image, pad, constant_values=cval)
    height, width = blocks[:2]
    y, x = np.mgrid[0 : image.shape[0] : height, 0 : image.shape[1] : width]
    rects = np.stack([x, y, np.full_like(x, width), np.full_like(x, height)], axis=-1)
    table = sat.table(image, moments, channel_axis=2 if image.ndim == 3 else None)
    result = table.query(rects.reshape(-1, 4), statistic)[statistic]
    return result.reshape(*x.shape, *image.shape[2:])


def downscale_local_mean(image, factors, cval=0, clip=True):
    return block_reduce(image, factors, np.mean, cval)


def _as_float(image, preserve_range):
    """An image whose samples sat reads, and the factor that makes 1 of the type's largest."""
    image = readable(image)
    if preserve_range or image.dtype.kind in "fb":
        return image, 1.0
    largest = np.iinfo(image.dtype).max
    return np.maximum(image, -largest) if image.dtype.kind == "i" else image, 1 / largest


def _wide(image):
    """The dtype of results: float32 of floats of up to 32 bits, float64 of others."""
    return np.dtype("float32" if image.dtype in (np.float16, np.float32) else "float64")


def _passes(image, sigma, mode, channel_axis, truncate):
    axes = [axis for axis in range(image.ndim) if channel_axis is None or axis != channel_axis % image.ndim]
    sigmas = [sigma] * len(axes) if np.ndim(sigma) == 0 else list(sigma)
    if any(one < 0 for one in sigmas):
        raise ValueError(f"sigma {sigma}")
    if len(sigmas) != len(axes):
        raise RuntimeError(f"{len(sigmas)} sigmas for {len(axes)} axes")
    need(all(int(truncate * one + 0.5) == int(4 * one + 0.5) for one in sigmas), "truncate=: Gaussians reach 4 sigma")
    return [(axis, None, mode, float(one)) for axis, one in zip(axes, sigmas) if one > 0]


def gaussian(
    image,
    sigma=1.0,
    *,
    mode="nearest",
    cval=0,
    preserve_range=False,
    truncate=4.0,
    channel_axis=None,
    out=None,
):
    if out is not None and out.dtype.kind != "f":
        raise ValueError(f"out= of {out.dtype}")
    samples, scale = _as_float(image, preserve_range)
    passes, dtype = _passes(samples, sigma, mode, channel_axis, truncate), _wide(samples)
    result = filtered(
        samples, passes, cval / scale, lambda planes, _, sigma, border: gauss(planes, sigma, border, dtype)
    )
    result = (result * scale).astype(dtype, copy=False)
    if out is None:
        return result
    out[...] = result
    return out


def difference_of_gaussians(
    image, low_sigma, high_sigma=None, *, mode="nearest", cval=0, channel_axis=None, truncate=4.0
):
    high_sigma = np.multiply(low_sigma, 1.6) if high_sigma is None else high_sigma
    if np.any(np.asarray(high_sigma) < np.asarray(low_sigma)):
        raise ValueError("the high sigma is below the low one")
    samples, scale = _as_float(image, False)
    low, high = (_passes(samples, sigma, mode, channel_axis, truncate) for sigma in (low_sigma, high_sigma))
    single = len({one[3] for one in low}) == len({one[3] for one in high}) == 1
    need(single, "a difference of several sigmas, or of none")
    need(len(low) == len(high) == 2, "a difference along other than two axes")
    samples = samples if accepts(samples.dtype, cval / scale) else samples.astype(np.float64)
    border = border_of(mode, cval / scale)
    axes, dtype = [one[0] for one in low], _wide(samples)
    result = by_planes(
        samples, axes, lambda p: sat.dog(p, low[0][3], high[0][3], dtype=dtype, batch_axis=0, **border)
    )
    return (result * scale).astype(dtype, copy=False)


def unsharp_mask(image, radius=1.0, amount=1.0, preserve_range=False, *, channel_axis=None):
    samples, scale = _as_float(image, preserve_range)
    passes, dtype = _passes(samples, radius, "reflect", channel_axis, 4.0), _wide(samples)
    need(len(passes) == 2 and passes[0][3] == passes[1][3], "an unsharp mask of other than one sigma along two axes")
    lowest = (samples * scale).min()
    result = scale * by_planes(
        samples,
        [one[0] for one in passes],
        lambda planes: sat.unsharp(planes, passes[0][3], amount, "reflect", dtype=dtype, batch_axis=0),
    )
    result = result if preserve_range else np.clip(result, -1.0 if lowest < 0 else 0.0, 1.0)
    return result.astype(dtype, copy=False)


def threshold_local(image, block_size=3, method="gaussian", offset=0, mode="reflect", param=None, cval=0):
    image = readable(image)
    sides = (block_size,) * image.ndim if np.ndim(block_size) == 0 else tuple(block_size)
    if len(sides) != image.ndim:
        raise ValueError(f"{len(sides)} sides for {image.ndim} axes")
    if any(side % 2 == 0 for side in sides):
        raise ValueError(f"even sides: {sides}")
    need(method != "median", "medians")
    if method not in ("gaussian", "mean", "generic"):
        raise ValueError(f"unknown method {method}")
    dtype = _wide(image)
    if method == "gaussian":
        sigma = tuple((side - 1) / 6 for side in sides) if param is None else param
        passes = _passes(image, sigma, mode, None, 4.0)
        result = filtered(image, passes, cval, lambda p, _, sigma, border: gauss(p, sigma, border, dtype))
    elif method == "generic" and FUNCTIONS.get(param) != "mean":
        need(image.ndim == 2, "functions of windows of other than two dimensions")
        image = image if accepts(image.dtype, cval) else image.astype(dtype)
        result = sat.window(image, sides, statistic_of(param, True), dtype=dtype, **border_of(mode, cval))
    else:
        passes = [(axis, side, mode, "second") for axis, side in enumerate(sides)]
        result = filtered(image, passes, cval, lambda *args: box(*args, dtype))
    return result.astype(dtype, copy=False) - offset


def _window(image, window_size, statistic, **parameters):
    image = readable(image)
    sides = (window_size,) * image.ndim if np.ndim(window_size) == 0 else tuple(window_size)
    if any(side % 2 == 0 for side in sides):
        raise ValueError(f"even sides: {sides}")
    need(image.ndim == 2, "local thresholds of other than two dimensions")
    return sat.window(image, sides, statistic, "reflect101", dtype=_wide(image), **parameters)


def threshold_niblack(image, window_size=15, k=0.2):
    return _window(image, window_size, "niblack", k=-k)


def threshold_sauvola(image, window_size=15, k=0.2, r=None):
    # Of integers sat has the same default; of floats the range that scikit-image assumes is from -1 to 1.
    if r is None and np.asarray(image).dtype.kind == "f":
        r = 1.0
    return _window(image, window_size, "sauvola", k=k, **({} if r is None else {"r": r}))


def _rank(image, footprint, out, mask, shift, statistic):
    """An image, a statistic of each rectangle in float64, and how many samples it holds, in the image and the mask."""
    need(out is None, "out= of ranks")
    need(not any(shift), "shifted footprints")
    image, footprint = readable(image), np.asarray(footprint)
    need(image.dtype in (np.uint8, np.uint16), "ranks of other than unsigned samples of 8 and 16 bits")
    need(image.ndim == 2, "ranks of other than two dimensions")
    need(np.all(footprint), "a footprint that is not a rectangle")
    result, count = sat.window(image, footprint.shape, [statistic, "count"], mask=mask, dtype=np.float64)
    return image, np.nan_to_num(result), count


def mean(image, footprint, out=None, mask=None, shift_x=0, shift_y=0, shift_z=0):
    image, result, _ = _rank(image, footprint, out, mask, (shift_x, shift_y, shift_z), "mean")
    return np.floor(result).astype(image.dtype)  # scikit-image divides integers


def sum(image, footprint, out=None, mask=None, shift_x=0, shift_y=0, shift_z=0):
    image, result, _ = _rank(image, footprint, out, mask, (shift_x, shift_y, shift_z), "sum")
    return result.astype(np.uint64).astype(image.dtype)  # which wraps


def pop(image, footprint, out=None, mask=None, shift_x=0, shift_y=0, shift_z=0):
    image, _, count = _rank(image, footprint, out, mask, (shift_x, shift_y, shift_z), "mean")
    return count.astype(np.uint64).astype(image.dtype)


def threshold(image, footprint, out=None, mask=None, shift_x=0, shift_y=0, shift_z=0):
    image, result, count = _rank(image, footprint, out, mask, (shift_x, shift_y, shift_z), "mean")
    return ((count > 0) & (image > np.floor(result))).astype(image.dtype)


def subtract_mean(image, footprint, out=None, mask=None, shift_x=0, shift_y=0, shift_z=0):
    image, result, count = _rank(image, footprint, out, mask, (shift_x, shift_y, shift_z), "mean")
    middle = (int(255 if image.dtype == np.uint8 else max(3, image.max())) + 1) // 2 - 1
    return np.where(count > 0, np.trunc((image - result) * 0.5 + middle), 0).astype(image.dtype)
