"""scikit-image, from its documentation: each function with its parameters, and what it returns, compared with sat's."""

import numpy as np
import pytest
import skimage_adapter as ours
from cases import FLOATS, INTEGERS, SHAPES, picture, same
from skimage import filters, measure, transform
from skimage.filters import rank

MODES = ["reflect", "mirror", "nearest", "wrap", "constant"]


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS + ["bool"])
@pytest.mark.parametrize("shape", SHAPES + [(30,), (5, 6, 7)])
def test_integral_image(shape, dtype):
    image = picture(shape, dtype)
    same(ours.integral_image(image), transform.integral_image(image))


@pytest.mark.parametrize("to", ["int64", "float64", "uint64", "float32"])
@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32"])
def test_integral_image_dtype(dtype, to):
    image = picture((57, 63), dtype) if dtype != "int16" or to != "uint64" else picture((57, 63), "uint16")
    same(ours.integral_image(image, dtype=to), transform.integral_image(image, dtype=to), ulps=4096)


@pytest.mark.parametrize("dtype", ["uint8", "int32", "float64"])
@pytest.mark.parametrize(
    "start, end",
    [
        ((2, 1), (5, 3)),
        ((0, 0), (0, 0)),
        ([(2, 1), (0, 0), (9, 9)], [(5, 3), (56, 62), (9, 62)]),
        ((-3, -3), (-1, -1)),
        ([(0, 1), (-9, 2)], [(-1, -2), (55, 2)]),
    ],
)
def test_integrate(dtype, start, end):
    ii = transform.integral_image(picture((57, 63), dtype))
    same(ours.integrate(ii, start, end), transform.integrate(ii, start, end), ulps=1 << 16)


@pytest.mark.parametrize("start, end", [((5, 5), (4, 9)), ((0, 0), (57, 3)), ((0, 0), (3, 63)), ((3, 9), (5, 8))])
def test_integrate_refuses(start, end):
    ii = transform.integral_image(picture((57, 63), "uint8"))
    with pytest.raises(IndexError):
        transform.integrate(ii, start, end)
    with pytest.raises(IndexError):
        ours.integrate(ii, start, end)


@pytest.mark.parametrize("function", [np.sum, np.mean, np.std, np.var, np.max])
@pytest.mark.parametrize("dtype", INTEGERS + ["float64"])
@pytest.mark.parametrize("block", [2, (3, 5), (57, 63), (1, 1), (100, 7)])
def test_block_reduce(block, dtype, function):
    image = picture((57, 63), dtype)
    same(ours.block_reduce(image, block, function), measure.block_reduce(image, block, function), ulps=1 << 12)


@pytest.mark.parametrize("dtype", ["uint8", "float64"])
@pytest.mark.parametrize("cval", [0, 7])
def test_downscale_local_mean(dtype, cval):
    image = picture((30, 31, 3), dtype)
    same(
        ours.downscale_local_mean(image, (4, 3, 1), cval),
        transform.downscale_local_mean(image, (4, 3, 1), cval),
        ulps=1 << 10,
    )
    with pytest.raises(ValueError):
        ours.downscale_local_mean(image, (4, 3))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("sigma", [0, 0.3, 1.0, 2.5, 4, (1, 3), 7])
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int16", "float32", "float64"])
def test_gaussian(dtype, sigma, mode):
    image = picture((57, 63), dtype)
    same(
        ours.gaussian(image, sigma, mode=mode, cval=0.25),
        filters.gaussian(image, sigma, mode=mode, cval=0.25),
        **({"ulps": 1 << 12} if dtype == "float32" else {}),
    )


@pytest.mark.parametrize("mode", MODES)
def test_wide_gaussians_are_near(mode):
    image = picture((57, 63), "float64")
    apart = ours.gaussian(image, 7, mode=mode) - filters.gaussian(image, 7, mode=mode)
    assert np.abs(apart).max() < 0.003 * np.abs(image).max()


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
@pytest.mark.parametrize("shape", SHAPES)
def test_gaussian_of_small_images(shape, dtype):
    image = picture(shape, dtype)
    for sigma in (1, 4):
        same(ours.gaussian(image, sigma, preserve_range=True), filters.gaussian(image, sigma, preserve_range=True))


@pytest.mark.parametrize("axis", [0, 2, -1])
@pytest.mark.parametrize("channels", [1, 3, 7])
def test_gaussian_of_channels(channels, axis):
    image = np.moveaxis(picture((30, 31, channels), "uint8"), 2, axis)
    same(ours.gaussian(image, 2, channel_axis=axis), filters.gaussian(image, 2, channel_axis=axis))


def test_gaussian_out():
    image = picture((30, 31), "float64")
    out = np.empty_like(image)
    assert ours.gaussian(image, 2, out=out) is out
    same(out, filters.gaussian(image, 2))
    for function in (ours.gaussian, filters.gaussian):
        with pytest.raises(ValueError):
            function(image, 2, out=np.empty(image.shape, int))
        with pytest.raises(ValueError):
            function(image, -1)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float64"])
@pytest.mark.parametrize("low, high", [(1, 2), (0.5, None), (2, 2), (1, 9), ((1, 2), (2, 3)), (0, 1)])
def test_difference_of_gaussians(low, high, dtype):
    image = picture((57, 63), dtype)
    same(ours.difference_of_gaussians(image, low, high), filters.difference_of_gaussians(image, low, high))


@pytest.mark.parametrize("mode", MODES)
def test_difference_of_gaussians_mode(mode):
    image = picture((57, 63), "float64")
    theirs = filters.difference_of_gaussians(image, 1, 3, mode=mode, cval=5)
    same(ours.difference_of_gaussians(image, 1, 3, mode=mode, cval=5), theirs)
    with pytest.raises(ValueError):
        ours.difference_of_gaussians(image, 3, 1)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint16", "float32", "float64"])
@pytest.mark.parametrize("radius, amount", [(1, 1), (2, 0.5), (3.5, 3), (1, 0), (2, -1), (0, 1), ((1, 2), 1)])
@pytest.mark.parametrize("keeps", [False, True])
def test_unsharp_mask(keeps, radius, amount, dtype):
    image = picture((57, 63), dtype)
    image = image if keeps or image.dtype.kind != "f" else (image / np.abs(image).max()).astype(dtype)
    theirs = filters.unsharp_mask(image, radius, amount, keeps)
    same(ours.unsharp_mask(image, radius, amount, keeps), theirs, ulps=256)


def test_unsharp_mask_of_channels():
    image = picture((57, 63, 3), "uint8")
    theirs = filters.unsharp_mask(image, 2, 1.5, channel_axis=2)
    same(ours.unsharp_mask(image, 2, 1.5, channel_axis=2), theirs)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("method", ["mean", "gaussian", "median"])
@pytest.mark.parametrize("block", [3, 15, (5, 9)])
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int16", "float32", "float64"])
def test_threshold_local(dtype, block, method, mode):
    image = picture((57, 63), dtype)
    theirs = filters.threshold_local(image, block, method, offset=3, mode=mode, cval=9)
    same(ours.threshold_local(image, block, method, offset=3, mode=mode, cval=9), theirs, ulps=1 << 10)


@pytest.mark.parametrize("function", [np.mean, np.std, np.var, np.median])
def test_threshold_local_generic(function):
    image = picture((20, 23), "float64")
    theirs = filters.threshold_local(image, 5, "generic", param=function)
    same(ours.threshold_local(image, 5, "generic", param=function), theirs, ulps=1 << 10)


def test_threshold_local_refuses():
    image = picture((20, 23), "uint8")
    for arguments in [(4,), ((3, 4),), ((3, 3, 3),), (3, "unknown")]:
        for function in (ours.threshold_local, filters.threshold_local):
            with pytest.raises(ValueError):
                function(image, *arguments)
    same(ours.threshold_local(image, 9, "gaussian", param=2), filters.threshold_local(image, 9, "gaussian", param=2))


@pytest.mark.parametrize("window", [3, 15, (5, 9), (1, 7), 57])
@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_threshold_niblack(dtype, window):
    image = picture((57, 63), dtype)
    ulps = 1 << 24 if image.dtype.itemsize == 4 and image.dtype.kind != "f" else 1 << 14
    for k in (0.2, 0, -0.5):
        theirs = filters.threshold_niblack(image, window, k)
        same(ours.threshold_niblack(image, window, k), theirs, ulps)


@pytest.mark.parametrize("window", [3, 15, (5, 9)])
@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
@pytest.mark.parametrize("r", [None, 60])
def test_threshold_sauvola(r, dtype, window):
    image = picture((57, 63), dtype)
    ulps = 1 << 24 if image.dtype.itemsize == 4 and image.dtype.kind != "f" else 1 << 14
    same(ours.threshold_sauvola(image, window, 0.2, r), filters.threshold_sauvola(image, window, 0.2, r), ulps)


@pytest.mark.parametrize("function", ["threshold_niblack", "threshold_sauvola"])
def test_thresholds_of_other_shapes(function):
    for function in (getattr(ours, function), getattr(filters, function)):
        with pytest.raises(ValueError):
            function(picture((20, 20), "uint8"), 4)
    volume = picture((9, 10, 11), "uint8")
    same(getattr(ours, function.__name__)(volume, 3), function(volume, 3))


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("sides", [(3, 3), (7, 5), (15, 15), (4, 4), (2, 3), (1, 1)])
@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
@pytest.mark.parametrize("name", ["mean", "pop", "sum", "threshold", "subtract_mean"])
def test_rank(name, dtype, sides, masked):
    image = picture((40, 37), dtype) >> (4 if dtype == "uint16" else 0)
    mask = (picture((40, 37), "bool") * 255).astype(np.uint8) if masked else None
    theirs = getattr(rank, name)(image, np.ones(sides, np.uint8), mask=mask)
    same(getattr(ours, name)(image, np.ones(sides, np.uint8), mask=mask), theirs)


def test_rank_of_other_footprints():
    image, cross = picture((40, 37), "uint8"), np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], np.uint8)
    same(ours.mean(image, cross), rank.mean(image, cross))
