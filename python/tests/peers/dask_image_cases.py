"""dask-image: calls of functions with their documented parameters, and the results compared with sat.dask's."""

import dask.array as da
import dask_image_adapter as ours
import numpy as np
import pytest
from cases import picture, same
from dask_image import ndfilters, ndmeasure

MODES = ["reflect", "mirror", "nearest", "wrap", "constant"]
DTYPES = ["uint8", "int16", "float32", "float64"]


def compare(name, image, *args, ulps=512, **options):
    """Compares a function of ndfilters with ours on one lazy image."""
    # dask-image wraps each chunk around (see test_wrap_in_chunks), so its image is one chunk.
    wraps = any(isinstance(value, str) and value == "wrap" for value in (*args, *options.values()))
    lazy = da.from_array(image, image.shape if wraps else (16, 19))
    theirs, got = getattr(ndfilters, name)(lazy, *args, **options), getattr(ours, name)(lazy, *args, **options)
    assert isinstance(got, da.Array)
    same(got.compute(), theirs.compute(), ulps, most=2)  # SciPy truncates integers after each axis


@pytest.mark.parametrize("size", [3, (5, 9), 8])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_uniform_filter(dtype, mode, size):
    compare("uniform_filter", picture((57, 63), dtype), size, mode, 5)


def test_wrap_in_chunks():
    lazy = da.from_array(picture((57, 63), "float64"), (16, 19))
    same(ours.uniform_filter(lazy, 3, "wrap").compute(), ndfilters.uniform_filter(lazy, 3, "wrap").compute())


@pytest.mark.parametrize("size, origin", [(4, -1), (4, (-1, -1)), (3, 1), (4, 1), ((4, 3), (-1, 0))])
def test_uniform_filter_origin(size, origin):
    compare("uniform_filter", picture((57, 63), "float64"), size, origin=origin)


@pytest.mark.parametrize("sigma", [0.5, 2.5, 4])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_gaussian_filter(dtype, mode, sigma):
    compare("gaussian_filter", picture((57, 63), dtype), sigma, mode=mode, cval=5)


def test_gaussian():
    compare("gaussian", picture((57, 63), "float64"), 2)


@pytest.mark.parametrize("sigma", [(1, 2), 6])
def test_gaussian_filter_sigma(sigma):
    compare("gaussian_filter", picture((57, 63), "float64"), sigma)


@pytest.mark.parametrize("options", [{"order": 1}, {"truncate": 2}])
def test_gaussian_filter_options(options):
    compare("gaussian_filter", picture((57, 63), "float64"), 2, **options)


@pytest.mark.parametrize("method", ["mean", "gaussian", "median"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_threshold_local(dtype, mode, method):
    compare("threshold_local", picture((57, 63), dtype), 7, method, 3, mode, None, 9)


def test_threshold_local_param():
    image = picture((57, 63), "float64")
    compare("threshold_local", image, 7, "gaussian", param=2)
    compare("threshold_local", image, [5, 7], "generic", param=np.std)
    for module in (ndfilters, ours):
        with pytest.raises(ValueError):
            module.threshold_local(da.from_array(image), 7, "unknown")


@pytest.mark.parametrize("function", [np.mean, np.sum, np.std, np.var, np.max])
@pytest.mark.parametrize("mode", MODES)
def test_generic_filter(mode, function):
    image = picture((20, 23), "float64")
    compare("generic_filter", image, function, (3, 5), mode=mode, cval=2)


WEIGHTS = {
    "ones": np.ones((3, 5)),
    "tent": np.outer([1, 2, 3, 2, 1], [1, 2, 1]) / 32,
    "sharper": np.array([[0, -1, 0], [-1, 5, -1], [0, -1, 0.0]]),
    "even": np.ones((2, 4)) / 8,
    "sobel": np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1.0]]),
}


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_weights(name, mode, weights):
    compare(name, picture((57, 63), "float64"), WEIGHTS[weights], mode=mode, cval=3)


def test_other_dimensions():
    volume = da.from_array(picture((9, 10, 11), "float64"))
    same(ours.uniform_filter(volume, 3).compute(), ndfilters.uniform_filter(volume, 3).compute())


@pytest.mark.parametrize("name", ["area", "mean", "sum_labels", "variance", "standard_deviation"])
@pytest.mark.parametrize("dtype", DTYPES + ["int32", "bool"])
@pytest.mark.parametrize("index", [None, 2, [1, 3, 2], [9, 1], [[1, 2], [3, 1]]])
def test_labels(index, dtype, name):
    image = picture((57, 63), dtype)
    labels = np.random.default_rng(3).integers(0, 4, image.shape)
    for given in [(None, None), (labels, index)]:
        given = [None if one is None else da.from_array(one, (16, 19)) if one is labels else one for one in given]
        lazy = da.from_array(image, (16, 19))
        got, want = getattr(ours, name)(lazy, *given), getattr(ndmeasure, name)(lazy, *given)
        same(got.compute(), want.compute(), 1 << 14)


def test_labels_of_another_shape():
    image, labels = da.ones((5, 6)), da.ones((6, 5), dtype=int)
    for function in (ours.mean, ndmeasure.mean):
        with pytest.raises(ValueError):
            function(image, labels)
