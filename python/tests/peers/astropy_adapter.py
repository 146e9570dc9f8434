"""astropy.convolution by sat: symmetric kernels and Gaussians, with NaN and masks interpolated.

A kernel is computed as a sum of boxes.  An interpolated result is the weighted mean of the valid samples:
`sat.window()` returns their sums and counts, `sat.gauss()` the mean itself.
"""

import warnings

import numpy as np
from astropy.convolution import KernelSizeError  # the peer's own errors and warnings alone
from astropy.utils.exceptions import AstropyUserWarning
from shared import need, weighted

import sat

REPLACES = True
OFFERED = {"astropy.convolution.convolve": ["convolve", "convolve_fft"], "astropy.convolution": ["convolve_fft"]}
BORDERS = {None: "constant", "fill": "constant", "wrap": "wrap", "extend": "replicate"}


def _samples(array, mask):
    """The samples of an array in float64, NaN where they are masked."""
    if hasattr(array, "uncertainty"):  # NDData
        array, mask = array.data, array.mask if mask is None else mask
    need(not hasattr(array, "model"), "convolutions of two kernels")
    masked = np.ma.getmaskarray(array) if isinstance(array, np.ma.MaskedArray) else False
    try:
        samples = np.array(getattr(array, "value", array), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"not an array of floats: {error}") from None
    samples[np.broadcast_to(masked, samples.shape) | (False if mask is None else np.asarray(mask) != 0)] = np.nan
    return samples


def _weights(kernel):
    if np.ma.is_masked(kernel):
        raise ValueError("a kernel with masked weights")
    weights = getattr(kernel, "array", kernel)
    return np.array(getattr(weights, "value", weights), dtype=np.float64)


def _sigma(kernel, weights):
    """The sigma of a Gaussian whose weights are sat's; else None."""
    model = getattr(kernel, "model", None)
    sigma = getattr(model, "x_stddev", getattr(model, "stddev", None))
    if sigma is None or not 0 < float(sigma.value) <= 4:
        return None
    point = np.pad(np.ones((1, 1)), [(side // 2 + 1,) * 2 for side in weights.shape])
    ours = sat.gauss(point, float(sigma.value), "constant")[1:-1, 1:-1]
    return float(sigma.value) if np.allclose(ours, weights / weights.sum(), rtol=0, atol=1e-12) else None


def _result(samples, kernel, weights, boundary, fill_value, interpolate):
    """Weighted sums, or, if NaNs are interpolated, weighted means of the valid samples."""
    need(samples.ndim <= 2, "three dimensions: sat filters two")
    plane, weights = np.atleast_2d(samples), np.atleast_2d(weights)
    border = {"border": BORDERS[boundary]}
    if border["border"] == "constant":
        shrinks = interpolate and np.isnan(fill_value)
        border = {"border": "shrink"} if shrinks else {**border, "border_value": fill_value}
    nodata = np.nan if interpolate else None
    sigma = _sigma(kernel, weights) if samples.ndim == 2 else None
    if sigma is not None:
        result = sat.gauss(plane, sigma, nodata=nodata, **border) * (1 if interpolate else weights.sum())
    elif interpolate:
        sums, valid = weighted(plane, weights, nodata=nodata, **border)
        with np.errstate(invalid="ignore", divide="ignore"):
            result = np.where(np.abs(valid) > 1e-12 * np.abs(weights).sum(), sums / valid, np.nan)
    else:
        result = weighted(plane, weights, **border)
    if boundary is None:
        reach = [side // 2 for side in weights.shape]
        inside = np.zeros(plane.shape, bool)
        inside[tuple(slice(r, side - r) for r, side in zip(reach, plane.shape))] = True
        result = np.where(inside, result, 0)
    return result.reshape(samples.shape)


def _as_given(result, array):
    """A result with the dtype and the unit of the array."""
    dtype = getattr(array, "dtype", None)
    result = result.astype(dtype) if dtype is not None and dtype.kind == "f" else result
    unit = getattr(array, "unit", None)
    return result if unit is None else result << unit


def convolve(
    array,
    kernel,
    boundary="fill",
    fill_value=0.0,
    nan_treatment="interpolate",
    normalize_kernel=True,
    mask=None,
    preserve_nan=False,
    normalization_zero_tol=1e-8,
):
    if boundary not in BORDERS:
        raise ValueError(f"unknown boundary {boundary}")
    if nan_treatment not in ("interpolate", "fill"):
        raise ValueError(f"unknown nan_treatment {nan_treatment}")
    weights, samples = _weights(kernel), _samples(array, mask)
    if any(side % 2 == 0 for side in weights.shape):
        raise KernelSizeError("a kernel with an even side")
    if samples.ndim == 0:
        raise ValueError("an array without dimensions")
    if samples.ndim > 3:
        raise NotImplementedError("more than three dimensions")
    if samples.ndim != weights.ndim:
        raise ValueError(f"a kernel of {weights.ndim} dimensions for {samples.ndim}")
    if samples.size == 0:
        raise ValueError("an array without samples")
    if boundary is None and any(side <= 2 * (k // 2) for side, k in zip(samples.shape, weights.shape)):
        raise KernelSizeError("no kernel fits into the array")
    missing = np.isnan(samples)
    interpolate = nan_treatment == "interpolate" and (
        bool(missing.any()) or (boundary == "fill" and bool(np.isnan(fill_value)))
    )
    total = weights.sum()
    if (normalize_kernel or interpolate) and total < max(0.01, normalization_zero_tol):
        raise ValueError(f"a kernel whose sum is {total}")
    if nan_treatment == "fill":
        samples[missing] = fill_value
    result = _result(samples, kernel, weights, boundary, fill_value, interpolate)
    if interpolate:
        result = result if normalize_kernel else result * total
    elif normalize_kernel:
        result = result / total
    if interpolate and not preserve_nan and np.isnan(result).any():
        warnings.warn("windows without valid samples", AstropyUserWarning, stacklevel=2)
    if preserve_nan:
        result[missing] = np.nan
    return _as_given(result, array)


def convolve_fft(
    array,
    kernel,
    boundary="fill",
    fill_value=0.0,
    nan_treatment="interpolate",
    normalize_kernel=True,
    normalization_zero_tol=1e-8,
    preserve_nan=False,
    mask=None,
    crop=True,
    return_fft=False,
    fft_pad=None,
    psf_pad=None,
    min_wt=0.0,
    allow_huge=False,
    fftn=None,
    ifftn=None,
    complex_dtype=complex,
    dealias=False,
):
    """The parameters of the transforms (fft_pad, dealias, fftn, ...) have no meaning here."""
    need(crop and not return_fft, "spectra and padded results: sat has no Fourier transform")
    if nan_treatment not in ("interpolate", "fill"):
        raise ValueError(f"unknown nan_treatment {nan_treatment}")
    if boundary == "extend":
        raise NotImplementedError("boundary extend")
    for name, enabled in [("psf_pad", psf_pad), ("fft_pad", fft_pad), ("dealias", dealias)]:
        if boundary == "wrap" and enabled:
            raise ValueError(f"{name} with boundary wrap")
    need(psf_pad is not False or boundary == "wrap", "psf_pad=False, which mixes both ends of an image")
    weights, samples = _weights(kernel), _samples(array, mask)
    if samples.ndim != weights.ndim:
        raise ValueError(f"a kernel of {weights.ndim} dimensions for {samples.ndim}")
    need(all(side % 2 for side in weights.shape), "kernels with even sides")
    if boundary is None:
        warnings.warn("boundary None is fill", AstropyUserWarning, stacklevel=2)
        boundary = "fill"
    missing = ~np.isfinite(samples)
    total = weights.sum()
    interpolate = nan_treatment == "interpolate"
    if callable(normalize_kernel):
        weights = weights / normalize_kernel(weights)
    elif normalize_kernel:
        if total < 0.01:
            raise Exception(f"a kernel whose sum is {total}")
        weights = weights / total
    elif interpolate and abs(total) < normalization_zero_tol:
        raise ValueError(f"a kernel whose sum is {total}")
    samples[missing] = np.nan if interpolate else fill_value
    blank = interpolate and (missing.any() or not np.isfinite(fill_value))
    fill = fill_value if np.isfinite(fill_value) else np.nan if interpolate else 0.0
    result = _result(samples, kernel if normalize_kernel is True else None, weights, boundary, fill, blank)
    if blank:
        result = result * weights.sum()
        result[np.isnan(result)] = np.nan if min_wt > 0 else 0
    if preserve_nan:
        result[missing] = np.nan
    unit = getattr(array, "unit", None)
    return result if unit is None else result << unit
