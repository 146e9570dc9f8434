"""What the adapters share: borders, axes that are a batch, and kernels as sums of boxes.

An adapter offers functions of another library, with that library's names and parameters, made with `import sat`
alone.  What sat does not do raises NotOffered.
"""

import numpy as np

import sat

# The borders of SciPy, scikit-image and dask-image.
MODES = {
    "reflect": "reflect",
    "grid-mirror": "reflect",
    "mirror": "reflect101",
    "nearest": "replicate",
    "wrap": "wrap",
    "grid-wrap": "wrap",
    "constant": "constant",
    "grid-constant": "constant",
}
FUNCTIONS = {np.mean: "mean", np.sum: "sum", np.std: "std", np.var: "var"}
MOST_BOXES = 100


class NotOffered(NotImplementedError):
    """Says what sat does not do."""


def need(possible, otherwise):
    """Raises NotOffered, with a text, unless something is possible."""
    if not possible:
        raise NotOffered(otherwise)


def readable(image):
    """Returns an array whose samples sat reads."""
    image = np.asarray(image)
    need(image.dtype.kind != "c", "complex samples")
    need(image.dtype.kind in "buif" and image.dtype.itemsize <= 8, f"samples of {image.dtype}")
    need(image.size, "an array without samples")
    if image.dtype.kind in "iu" and image.dtype.itemsize == 8:
        range32 = np.iinfo(image.dtype.kind + "4")
        need(range32.min <= image.min() and image.max() <= range32.max, "64-bit integers that 32 bits do not hold")
    return image


def accepts(dtype, value):
    """Tells whether an image of a type may have a border of this value."""
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return True
    low, high = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    return low <= value <= high and value == int(value)


def border_of(mode, cval):
    """Returns sat's parameters for a border of SciPy."""
    if mode not in MODES:
        raise RuntimeError(f"unknown mode {mode}")
    return {"border": MODES[mode], **({"border_value": cval} if MODES[mode] == "constant" else {})}


def by_planes(image, axes, call):
    """Calls a function with the planes (N, H, W) along two axes, or the lines (N, 1, W) along one."""
    need(len(axes) <= 2, "three or more axes: sat filters two")
    last = range(-len(axes), 0)
    moved = np.moveaxis(image, axes, last)
    planes = moved.reshape(-1, *moved.shape[-2:]) if len(axes) == 2 else moved.reshape(-1, 1, moved.shape[-1])
    return np.moveaxis(call(planes).reshape(moved.shape), last, axes)


def filtered(image, passes, cval, one):
    """Filters an image along axes: `passes` are (axis, what, mode, kind), where `what` is a side or a sigma.

    one(planes, whats, kind, border) filters planes.  Two axes of the same mode and kind are filtered in one call,
    others one after the other in float64.
    """
    need(len(passes) <= 2, "three or more axes: sat filters two")
    if any(MODES[mode] == "constant" for _, _, mode, _ in passes) and not accepts(image.dtype, cval):
        image = image.astype(np.float64)
    passes = sorted(passes)
    parts = [passes] if len({(mode, kind) for _, _, mode, kind in passes}) == 1 else [[part] for part in passes]
    for part in parts:
        _, _, mode, kind = part[0]
        whats, border = [what for _, what, _, _ in part], border_of(mode, cval)
        image = image if len(parts) == 1 else image.astype(np.float64)
        image = by_planes(image, [axis for axis, _, _, _ in part], lambda planes: one(planes, whats, kind, border))
    return image


def wide(image, dtype):
    """Returns the dtype of results that sat is to give, where `dtype` is wanted: the image's own, or a float."""
    dtype = np.dtype(dtype)
    return None if dtype == image.dtype else np.float32 if dtype == np.float32 else np.float64


def box(planes, sides, anchor, border, dtype=None):
    """Box means of planes; of lines, if there is one side."""
    return sat.box(planes, (1, *sides)[-2:], anchor=anchor, dtype=dtype, batch_axis=0, **border)


def gauss(planes, sigma, border, dtype=None):
    """Gaussian blurs of planes."""
    if planes.shape[1] == 1 and border["border"] == "constant":
        # The rows around a line have the border's value. So one such sample at each end of it is repeated instead.
        ends = np.pad(planes, ((0, 0), (0, 0), (1, 1)), constant_values=border["border_value"])
        return sat.gauss(ends, sigma, "replicate", dtype=dtype, batch_axis=0)[:, :, 1:-1]
    return sat.gauss(planes, sigma, dtype=dtype, batch_axis=0, **border)


def anchor_of(length, origin=0):
    """Returns sat's anchor for a window of SciPy."""
    if not 0 <= length // 2 + origin < length:
        raise ValueError(f"origin {origin}")
    need(origin == 0 or (origin == -1 and length % 2 == 0), "origin=: windows of sat are centred")
    return "first" if origin else "second"


def boxes(kernel):
    """Returns a kernel as a sum of centred boxes: [(height, width, weight)].

    A kernel that is symmetric in both directions is one: each box weighs what its corner has more than the corners of
    the boxes around it.
    """
    kernel = np.asarray(kernel, np.float64)
    largest = np.abs(kernel).max(initial=0)
    flipped = [kernel[::-1], kernel[:, ::-1]]
    need(all(np.allclose(kernel, other, rtol=0, atol=1e-14 * largest) for other in flipped), "an asymmetric kernel")
    height, width = kernel.shape
    quarter = kernel[: (height + 1) // 2, : (width + 1) // 2]
    steps = np.diff(np.diff(quarter, axis=0, prepend=0), axis=1, prepend=0)
    found = [(height - 2 * y, width - 2 * x, steps[y, x]) for y, x in np.argwhere(np.abs(steps) > 1e-14 * largest)]
    need(len(found) <= MOST_BOXES, f"a kernel that is a sum of more than {MOST_BOXES} boxes")
    return found


def weighted(image, kernel, anchor="second", batch_axis=None, nodata=None, **border):
    """The sums of samples, weighted by a kernel, and, with nodata, the sums of the weights of valid samples."""
    sums = weights = 0.0
    options = {"anchor": anchor, "dtype": np.float64, "batch_axis": batch_axis, "nodata": nodata, **border}
    for height, width, weight in boxes(kernel):
        if nodata is None:
            sums = sums + weight * sat.window(image, (height, width), "sum", **options)
            continue
        # The sum of a window without valid samples is 0, not NaN.
        part, count = sat.window(image, (height, width), ["sum", "count"], **options)
        sums = sums + weight * np.where(count > 0, part, 0)
        weights = weights + weight * count
    return (sums, weights) if nodata is not None else np.zeros(image.shape) + sums


def rounded(result, dtype):
    """Results as a type: the nearest integers, halves away from zero, as sat rounds."""
    if np.dtype(dtype).kind in "iu" and result.dtype.kind == "f":
        result = np.copysign(np.floor(np.abs(result) + 0.5), result)
    return result.astype(dtype, copy=False)


def statistic_of(function, footprint, extra=()):
    """Returns the name of a statistic of windows that a function of a window's samples computes."""
    need(function in FUNCTIONS and not extra, "a function of the caller")
    need(np.all(footprint), "a footprint that is not a rectangle")
    return FUNCTIONS[function]


def labelled(query, image, labels, index):
    """Statistics of labelled samples: query(image, mask) of each label, of the shape of `index`."""
    if labels is None:
        return query(image, None)
    image, labels = np.broadcast_arrays(image, labels)
    if index is None:
        return query(image, labels > 0)
    found = [query(image, labels == one) for one in np.ravel(index)]
    return np.reshape(found, np.shape(index))[()]


def whole(image, mask, statistic):
    """A statistic of all samples, or of those where a mask is True."""
    plane = readable(image).reshape(1, -1)
    mask = None if mask is None else np.reshape(mask, (1, -1))
    moments = 2 if statistic in ("var", "std") else 1
    rect = [0, 0, plane.shape[1], 1]
    return sat.table(plane, moments, mask).query(rect, statistic)[statistic]
