"""OpenCV, from its documentation: each function with its parameters, and what it returns, compared with sat's."""

import cv2
import numpy as np
import opencv_adapter as ours
import pytest
from cases import SHAPES, picture, same

DTYPES = ["uint8", "uint16", "int16", "float32", "float64"]
BORDERS = {"constant": 0, "replicate": 1, "reflect": 2, "reflect101": 4}


@pytest.mark.parametrize("border", BORDERS)
@pytest.mark.parametrize("side", [(3, 3), (5, 9), (15, 15), (2, 4), (1, 1), (31, 1)])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(57, 63), (57, 63, 3), (57, 63, 4), (57, 63, 1)])
def test_blur(shape, dtype, side, border):
    image = picture(shape, dtype)
    same(ours.blur(image, side, borderType=BORDERS[border]), cv2.blur(image, side, borderType=BORDERS[border]), 512)


@pytest.mark.parametrize("border", BORDERS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_blur_beyond_small_images(dtype, shape, border):
    image = picture(shape, dtype)
    for side in [(3, 3), (9, 7), (21, 21)]:
        theirs = cv2.blur(image, side, borderType=BORDERS[border])
        same(ours.blur(image, side, borderType=BORDERS[border]), theirs, 512)


@pytest.mark.parametrize("depth", [-1, cv2.CV_8U, cv2.CV_16U, cv2.CV_16S, cv2.CV_32S, cv2.CV_32F, cv2.CV_64F])
@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("dtype", DTYPES)
def test_box_filter(dtype, normalize, depth):
    image = picture((57, 63), dtype)
    try:
        theirs = cv2.boxFilter(image, depth, (5, 7), normalize=normalize)
    except cv2.error:
        pytest.skip("OpenCV does not convert so")
    same(ours.boxFilter(image, depth, (5, 7), normalize=normalize), theirs, 512)


@pytest.mark.parametrize("anchor", [(-1, -1), (2, 3), (1, 2), (0, 0)])
def test_box_filter_anchor(anchor):
    image = picture((57, 63), "float64")
    same(ours.boxFilter(image, -1, (4, 6), anchor=anchor), cv2.boxFilter(image, -1, (4, 6), anchor=anchor), 512)


@pytest.mark.parametrize("border", BORDERS)
@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("dtype", DTYPES)
def test_sqr_box_filter(dtype, normalize, border):
    image = picture((57, 63), dtype)
    depth = cv2.CV_64F if dtype == "float64" else cv2.CV_32F
    for side in [(3, 3), (5, 9), (4, 2)]:
        options = {"normalize": normalize, "borderType": BORDERS[border]}
        same(ours.sqrBoxFilter(image, depth, side, **options), cv2.sqrBoxFilter(image, depth, side, **options), 1024)


@pytest.mark.parametrize("border", BORDERS)
@pytest.mark.parametrize("sigma", [0.5, 1, 1.5, 2, 3, 4])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(57, 63), (57, 63, 3)])
def test_gaussian_blur(shape, dtype, sigma, border):
    image = picture(shape, dtype)
    side = 2 * int(4 * sigma + 0.5) + 1
    most = 2 if dtype in ("uint8", "uint16") else 1  # OpenCV rounds the weights to 8 or 16 bits
    theirs = cv2.GaussianBlur(image, (side, side), sigma, borderType=BORDERS[border])
    same(ours.GaussianBlur(image, (side, side), sigma, borderType=BORDERS[border]), theirs, 512, most)


@pytest.mark.parametrize("ksize, sigma", [((0, 0), 2), ((5, 5), 0), ((9, 17), 1), ((17, 17), 2)])
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_gaussian_blur_sizes(dtype, ksize, sigma):
    image = picture((57, 63), dtype)
    same(ours.GaussianBlur(image, ksize, sigma), cv2.GaussianBlur(image, ksize, sigma), 512, 1)


@pytest.mark.parametrize("depth", [-1, cv2.CV_32S, cv2.CV_32F, cv2.CV_64F])
@pytest.mark.parametrize("shape", SHAPES + [(57, 63, 1), (57, 63, 3), (9, 8, 4)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_integral(dtype, shape, depth):
    image = picture(shape, dtype)
    try:
        theirs = cv2.integral(image, sdepth=depth)
    except cv2.error:
        pytest.skip("OpenCV does not sum so")
    same(ours.integral(image, sdepth=depth), theirs, 1 << 12)


@pytest.mark.parametrize("shape", SHAPES + [(57, 63, 3)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_integral2(dtype, shape):
    image = picture(shape, dtype)
    for got, want in zip(ours.integral2(image), cv2.integral2(image)):
        same(got, want, 1 << 12)


def test_integral3():
    image = picture((57, 63), "uint8")
    for got, want in zip(ours.integral3(image), cv2.integral3(image)):
        same(got, want)


@pytest.mark.parametrize("offset", [7, 0, -3, 2.5])
@pytest.mark.parametrize("kind", [cv2.THRESH_BINARY, cv2.THRESH_BINARY_INV])
@pytest.mark.parametrize("method", [cv2.ADAPTIVE_THRESH_MEAN_C, cv2.ADAPTIVE_THRESH_GAUSSIAN_C])
@pytest.mark.parametrize("side", [3, 15, 31])
def test_adaptive_threshold(side, method, kind, offset):
    image = picture((57, 63), "uint8")
    arguments = (255, method, kind, side, offset)
    same(ours.adaptiveThreshold(image, *arguments), cv2.adaptiveThreshold(image, *arguments))


def test_adaptive_threshold_refuses():
    for arguments in [(picture((9, 9), "uint8"), 255, 0, 0, 4, 0), (picture((9, 9), "float32"), 255, 0, 0, 3, 0)]:
        with pytest.raises(cv2.error):
            cv2.adaptiveThreshold(*arguments)
        with pytest.raises(ValueError):
            ours.adaptiveThreshold(*arguments)


KERNELS = {
    "ones": np.ones((3, 5)),
    "tent": np.outer([1, 2, 3, 2, 1], [1, 2, 1]) / 32,
    "sharper": np.array([[0, -1, 0], [-1, 5, -1], [0, -1, 0]]),
    "even": np.ones((2, 4)) / 8,
    "sobel": np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]),
}


@pytest.mark.parametrize("border", BORDERS)
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_filter2d(dtype, kernel, border):
    image = picture((57, 63), dtype)
    options = {"delta": 3, "borderType": BORDERS[border]}
    theirs = cv2.filter2D(image, -1, KERNELS[kernel], **options)
    same(ours.filter2D(image, -1, KERNELS[kernel], **options), theirs, 512)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("x, y", [([1, 2, 1], [1, 1, 1, 1, 1]), ([0.25, 0.5, 0.25], [0.5, 0, 0.5]), ([-1, 0, 1], [1])])
def test_sep_filter2d(x, y, dtype):
    image = picture((57, 63), dtype)
    depth = cv2.CV_64F if dtype == "float64" else cv2.CV_32F
    x, y = np.array(x, float), np.array(y, float)
    same(ours.sepFilter2D(image, depth, x, y), cv2.sepFilter2D(image, depth, x, y), 512)


@pytest.mark.parametrize("masked", [False, True, "none"])
@pytest.mark.parametrize("dtype", DTYPES + ["int32", "int8"])
@pytest.mark.parametrize("shape", [(57, 63), (57, 63, 3), (1, 1)])
def test_mean_and_deviation(shape, dtype, masked):
    image = picture(shape, dtype)
    mask = None if masked is False else picture(shape[:2], "bool").astype(np.uint8) * (0 if masked == "none" else 9)
    same(ours.mean(image, mask=mask), cv2.mean(image, mask=mask), 1 << 22)  # OpenCV sums floats in parts
    same(ours.sumElems(image), cv2.sumElems(image), 1 << 12)
    for got, want in zip(ours.meanStdDev(image, mask=mask), cv2.meanStdDev(image, mask=mask)):
        same(got, want, 1 << 12)
