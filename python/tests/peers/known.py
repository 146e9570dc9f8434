"""Tests that fail although sat offers the function, each with its cause; and how many pass.

A `*` in a test's name stands for any text.  Written for SciPy 1.17.1, astropy 8.0.2, scikit-image 0.26.0, OpenCV 5.0.0
and dask-image 2026.5.0.  What sat does not offer is written where an adapter calls need().
"""

HALVES = "sat rounds halves away from zero, OpenCV to even; of uint8 OpenCV errs by up to 0.625"
U16 = "OpenCV rounds halves to even, and its means of uint16 err by up to 0.502"
SIGN = "OpenCV converts negative sums of int16 to the largest unsigned value; sat saturates to 0"
APART = "sat approximates Gaussians of sigma above 4 (test_wide_gaussians_are_near: by 0.003 of the largest sample)"
LEVEL = "sat subtracts sums of the table, so a deviation that is small beside the image's is rounded more"
SIGNED = "sums of rectangles of unsigned samples are int64, in scikit-image uint64"
RANGE = "the default r is half of the largest sample, in scikit-image half of the range, which differs for signed types"
F32 = "dask-image sums float32 in float32, sat in float64"

KNOWN = {
    "scipy": {
        "test_filters.py::test_uniform_filter1d_roundoff_errors[numpy]": "SciPy truncates integers, sat rounds them",
        "test_filters.py::test_gaussian_filter_float16[numpy]": "SciPy refuses float16, sat filters it",
    },
    "astropy": {},
    "skimage": {
        "skimage_cases.py::test_block_reduce[*-uint*-sum]": SIGNED,
        "skimage_cases.py::test_block_reduce[2-float64-std]": LEVEL,
        "skimage_cases.py::test_gaussian[*-7-*]": APART,
        "skimage_cases.py::test_difference_of_gaussians[1-9-*]": APART,
        "skimage_cases.py::test_threshold_sauvola[None-int*]": RANGE,
    },
    "opencv": {
        "opencv_cases.py::test_blur[*-uint8-side3-*]": HALVES,
        "opencv_cases.py::test_blur[*-int16-side3-*]": HALVES,
        "opencv_cases.py::test_blur[*-uint16-side2-*]": U16,
        "opencv_cases.py::test_blur[*-uint16-side3-*]": U16,
        "opencv_cases.py::test_blur_beyond_small_images[uint16-shape0-*]": U16,
        "opencv_cases.py::test_box_filter[int16-*-0]": SIGN,
        "opencv_cases.py::test_box_filter[int16-*-2]": SIGN,
    },
    "dask_image": {
        "dask_image_cases.py::test_wrap_in_chunks": "dask-image wraps each chunk to its own other end",
        "dask_image_cases.py::test_gaussian_filter_sigma[6]": APART,
        "dask_image_cases.py::test_labels[*-float32-mean]": F32,
        "dask_image_cases.py::test_labels[*-float32-s*]": F32,
        "dask_image_cases.py::test_labels[*-float32-variance]": F32,
    },
}
PASSED = {"scipy": 606, "astropy": 1263, "skimage": 780, "opencv": 1163, "dask_image": 340}
