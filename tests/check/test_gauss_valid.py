#!/usr/bin/env python3
"""Gaussian filters of samples that may not count, against normalised convolution written from its definition: the
matrices of test_gauss.py applied to valid * x and to valid.  Every type, border and mode; masks, values and NaN; and
what must not change a bit."""
import ctypes

import numpy as np

import test_gauss as g
from satlib import LIB, TYPES, Counts, GaussSpec, Run, Tap, borders, code, need, sized

SIGMAS = [0.1, 0.7, 1.6, 3.9, 4.6, 9, 30]


def filtered(pixels, spec, mask=None, result=None, threads=1):
    """(what the library makes, results that were cut, results that are empty)"""
    source = np.ascontiguousarray(pixels)
    made = np.empty(pixels.shape, result or pixels.dtype)
    members = {**spec, "border": spec["border"].encode(), "border_value": (ctypes.c_double * 4)(*spec["border_value"])}
    height, width, channels = pixels.shape
    if isinstance(spec["sigma"], g.Side):
        members.update(side=spec["sigma"], sigma=0)
    s = GaussSpec(width=width, height=height, channels=channels, sample=code(g.name_of(source.dtype)), threads=threads,
                  result=code(g.name_of(made.dtype)), masked=mask is not None, **members)
    run = Run(counts=ctypes.pointer(counts := Counts()))
    if mask is not None:
        mask = np.ascontiguousarray(mask.astype(np.uint8)[..., np.newaxis])
        run.mask = ctypes.pointer(g.view_of(mask))
    gauss = ctypes.c_void_p()
    need(LIB.sat_gauss_create_sized(ctypes.byref(gauss), *sized(s)))
    try:
        need(LIB.sat_gauss_run_sized(gauss, ctypes.byref(g.view_of(source)), ctypes.byref(g.view_of(made)),
                                     *sized(run)))
    finally:
        LIB.sat_gauss_destroy(ctypes.byref(gauss))
    return made, counts.clipped, counts.empty[0]


# ---- the definition --------------------------------------------------------------------------------------


def counting(pixels, spec, mask):
    """Which samples count."""
    valid = np.ones(pixels.shape, bool) if mask is None else np.repeat(mask[..., np.newaxis] != 0, pixels.shape[2], 2)
    colours = pixels.shape[2] - bool(spec.get("weighted_alpha"))
    if spec.get("has_nodata"):
        valid[..., :colours] &= pixels[..., :colours] != pixels.dtype.type(spec["nodata"])
    if spec.get("skip_nan"):
        valid &= ~np.isnan(pixels)
    if spec.get("weighted_alpha"):
        valid[..., :-1] &= valid[..., -1:]
    return valid


def sums(samples, sigma, border, value):
    """G(samples), the border mode shrink counting nothing beyond the edge."""
    weights = g.all_weights(sigma)
    if border != "shrink":
        return g.convolved(samples, weights, border, value)
    for axis in (0, 1):
        n = samples.shape[axis]
        matrix = np.zeros((n, n))
        for k, weight in enumerate(weights):
            at = np.arange(n) + k - len(weights) // 2
            inside = (at >= 0) & (at < n)
            matrix[np.arange(n)[inside], at[inside]] += weight
        samples = np.moveaxis(np.tensordot(matrix, samples, ([1], [axis])), 0, axis)
    return samples


def blurred(pixels, valid, sigma, spec):
    """(blurs, shares of the weight that count, sums of |weight * x|, sums of weights)"""
    samples = np.where(valid, pixels.astype(np.float64), 0)
    value, one = np.array(spec["border_value"][:pixels.shape[2]], np.float64), np.ones(pixels.shape[2])
    weights = valid.astype(np.float64)
    share = sums(weights, sigma, spec["border"], one)
    if spec.get("weighted_alpha"):
        alpha = samples[..., -1:].copy()
        samples[..., :-1] *= alpha
        weights[..., :-1] *= alpha
        value[:-1] *= value[-1]
        one[:-1] = value[-1]
    total = sums(weights, sigma, spec["border"], one)
    top = sums(samples, sigma, spec["border"], value)
    size = sums(np.abs(samples), sigma, spec["border"], np.abs(value))
    if spec.get("weighted_alpha"):
        blur = top[..., -1:]
        share[..., :-1] = share[..., -1:] * np.where(blur > 0, total[..., :-1] / np.where(blur > 0, blur, 1), 1)
    some = total > 1e-15
    return np.where(some, top / np.where(some, total, 1), 0), share, size, total


@np.errstate(over="ignore", invalid="ignore")
def expected(pixels, spec, mask):
    """(results in f64, the error allowed of each but for rounding, where they are empty, where that is in doubt)"""
    valid = counting(pixels, spec, mask)
    mode, real = spec.get("mode", g.BLUR), np.where(np.isnan(pixels), 0, pixels).astype(np.float64)
    want, empty, doubt, error = None, np.zeros(pixels.shape, bool), np.zeros(pixels.shape, bool), 0
    for sigma in (spec["sigma"], spec["sigma2"])[:2 if mode == g.DOG else 1]:
        blur, share, size, total = blurred(pixels, valid, sigma, spec)
        least = max(spec.get("min_valid", 0), 1e-15)
        empty |= share < least
        doubt |= np.abs(share - least) < 1e-5 * least
        error = error + np.where(total > 0, size / np.where(total > 0, total, 1), 0)
        want = blur if want is None else want - blur
    amount = spec.get("amount", 0)
    if mode == g.UNSHARP:
        want = real + amount * (real - want)
        error = (error + np.abs(real)) * (1 + abs(amount))
    if spec.get("weighted_alpha") and mode != g.BLUR:
        want[..., -1] = real[..., -1]
    if mode != g.BLUR or spec.get("keep_holes"):
        empty |= ~valid
    return want, error, empty, doubt & ~(empty & ~valid)


# ---- cases -----------------------------------------------------------------------------------------------


def make_case(rng, kind, border, takes_value):
    dtype, channels = np.dtype(TYPES[kind]), int(rng.integers(1, 5))
    height, width = (int(rng.choice([1, 2, 5, 16, 17, 33, 61])) for _ in range(2))
    low, high = (0, 100) if dtype.kind == "u" else (-100, 100)
    pixels = rng.integers(low, high, (height, width, channels)).astype(dtype)
    if dtype.kind == "f":
        pixels = (pixels + rng.random(pixels.shape)).astype(dtype)
    mode = int(rng.choice([g.BLUR, g.BLUR, g.UNSHARP, g.DOG]))
    weighted = channels in (2, 4) and bool(rng.integers(2))
    if weighted:
        pixels[..., -1] = np.where(rng.random((height, width)) < 0.2, 0, np.abs(pixels[..., -1]) + 1)
    spec = {"sigma": float(rng.choice(SIGMAS)), "sigma2": float(rng.choice(SIGMAS)), "border": border, "mode": mode,
            "amount": float(rng.choice([0.5, -1])), "weighted_alpha": weighted,
            "border_value": [int(rng.integers(0, 100)) for _ in range(4)] if takes_value else [0] * 4,
            "min_valid": float(rng.choice([0, 0, 0.3, 0.7])), "keep_holes": bool(rng.integers(2))}
    if mode != g.DOG and rng.integers(3) == 0:
        spec["sigma"] = g.Side(rng.choice([1.001, 1.5, 2, 3.25, 4, 8.9, 30, 32.999, 33.5, 40]))
    mask = None
    holes = rng.random((height, width)) < rng.choice([0.02, 0.5, 0.98])
    y, x = rng.integers(height), rng.integers(width)
    holes[y:y + 20, x:x + 20] |= bool(rng.integers(2))
    how = int(rng.integers(1, 8 if dtype.kind == "f" else 4))
    if how & 1:
        mask = ~holes
    if how & 2:
        spec.update(has_nodata=True, nodata=float(rng.choice([0, 7, 99])))
        pixels[rng.random(pixels.shape) < 0.3] = spec["nodata"]
    if how & 4 and dtype.kind == "f":
        spec["skip_nan"] = True
        pixels[rng.random(pixels.shape) < 0.1] = np.nan
    if rng.integers(2):
        spec.update(empty_set=True, empty=float(rng.choice([3, 99])))
    result = np.float64 if mode == g.DOG and kind in ("u32", "i32", "f64") else dtype.type
    if mode == g.DOG and result != np.float64 or rng.integers(4) == 0:
        result = np.float32
    return pixels, spec, mask, result


def problem(pixels, spec, mask, result, threads):
    """None, or what is wrong."""
    got, _, empties = filtered(pixels, spec, mask, result, threads)
    text = f"{pixels.shape} {pixels.dtype} to {np.dtype(result).name} {spec}, mask {mask is not None}: "
    return compare(got, pixels, spec, mask, result, text, empties)


@np.errstate(over="ignore", invalid="ignore")
def compare(got, pixels, spec, mask, result, text, empties=None):
    """The same of results; empties: how many were counted."""
    want, size, empty, doubt = expected(pixels, spec, mask)
    value = spec.get("nodata", np.nan) if spec["keep_holes"] else np.nan
    value = spec["empty"] if spec.get("empty_set") else value
    is_float = np.dtype(result).kind == "f"
    value = value if is_float or value == value else 0
    value = np.full(got.shape, value, np.float64)
    if spec["weighted_alpha"]:
        value[..., -1] = 0
    sure = empty & ~doubt
    if not np.array_equal(got[sure], value[sure].astype(result), equal_nan=is_float):
        return text + "an empty result is another"
    if empties is not None and not sure.sum() <= empties <= (empty | doubt).sum():
        return text + f"{empties} empty results, not {empty.sum()}"
    widest = max(spec["sigma"], spec["sigma2"]) if spec["mode"] == g.DOG else spec["sigma"]
    error = 1e-12 if g.reals_of(g.name_of(pixels.dtype), result, widest, spec["weighted_alpha"]) == "f64" else 8e-6
    allowed = error * (size + 1) + (0 if is_float else 0.5) + (np.abs(want) * 2.0 ** -23 if result == np.float32 else 0)
    counts = ~empty & ~doubt
    if not is_float:
        want = np.clip(want, np.iinfo(result).min, np.iinfo(result).max)
    if spec.get("has_nodata"):
        colours = got.shape[2] - spec["weighted_alpha"]
        if (counts & (got == result(spec["nodata"])))[..., :colours].any():
            return text + "a result that counts is the value for no data"
        allowed = allowed + (np.abs(want - spec["nodata"]) < 0.51 + allowed) * (
            abs(spec["nodata"]) * 2.0 ** -19 if is_float else 1)
    off = ~(np.abs(got.astype(np.float64) - want) <= allowed) & counts
    if off.any():
        at = tuple(int(i) for i in np.argwhere(off)[0])
        return text + f"{int(off.sum())} differ, at {at}: {got[at]}, not {want[at]}"
    return None


def check_definition(tap):
    for kind in ("u8", "u16", "u32", "i8", "i16", "i32", "f32", "f64"):
        problems, cases = [], 0
        for border, takes_value in borders():
            for i in range(60):
                rng = np.random.default_rng([ord(c) for c in kind + border] + [i])
                problems.append(problem(*make_case(rng, kind, border, takes_value), 1 + i % 3))
                cases += 1
        tap.report(f"{kind}: what counts over its weights, every border", [text for text in problems if text], cases)


# ---- bits ------------------------------------------------------------------------------------------------


def same(a, b):
    return np.array_equal(a.view(np.uint8), b.view(np.uint8))


def plain(spec):
    hole = ("has_nodata", "nodata", "skip_nan", "min_valid", "empty_set", "empty")
    return {name: value for name, value in spec.items() if name not in hole}


def check_bits(tap):
    """A mask of ones changes nothing, a hole beyond reach changes nothing, nor does what a hole holds."""
    ones, far, held, cases = [], [], [], 0
    for kind in ("u8", "i16", "u32", "f32", "f64"):
        for border, takes_value in borders():
            for i in range(12):
                rng = np.random.default_rng([i] + [ord(c) for c in kind + border])
                pixels, spec, _, result = make_case(rng, kind, border, takes_value)
                spec, text = plain(spec), f"{pixels.shape} {kind} {spec}"
                if pixels.dtype.kind == "f":
                    pixels[np.isnan(pixels)] = 1
                height, width, _ = pixels.shape
                want = filtered(pixels, spec, None, result)[0]
                if not same(want, filtered(pixels, spec, np.ones((height, width)), result, 2)[0]):
                    ones.append(text)
                widest = max(spec["sigma"], spec["sigma2"]) if spec["mode"] == g.DOG else spec["sigma"]
                reach = len(g.all_weights(widest)) // 2
                mask, near = np.ones((height, width)), slice(0, max(0, width - 1 - reach))
                mask[:, -1] = 0
                got = filtered(pixels, spec, mask, result)[0]
                if border != "wrap" and not same(np.ascontiguousarray(want[:, near]),
                                                 np.ascontiguousarray(got[:, near])):
                    far.append(text)
                spec["keep_holes"] = False
                got, other = filtered(pixels, spec, mask, result)[0], pixels.copy()
                other[:, -1] = pixels.dtype.type(np.nan if pixels.dtype.kind == "f" else 77)
                if not same(got, filtered(other, spec, mask, result)[0]):
                    held.append(text)
                if pixels.dtype.kind == "f":
                    spec.update(skip_nan=True)
                    if not same(got, filtered(other, spec, None, result)[0]):
                        held.append("by NaN: " + text)
                cases += 1
    tap.report("a mask of ones changes no bit", ones, cases)
    tap.report("a hole beyond reach changes no bit", far, cases)
    tap.report("what a hole holds changes no bit", held, cases)


def taken_by_gdal(array, value):
    """Which floats GDAL takes for the value: ARE_REAL_EQUAL(), within 2 of these units"""
    unit = np.finfo(np.float32).eps
    return np.abs(array - value) < unit * np.abs(array + value) * 2


def check_moves(tap):
    """A flat picture of the value beside one step of it, and pictures about the value: nothing that counts becomes it.
    Where the value counts for nothing, the blur of the rest is exact."""
    base = {"sigma": 2.0, "sigma2": 1.0, "border": "reflect101", "border_value": [0] * 4, "has_nodata": True}
    problems = []
    for dtype, value, moved in ((np.uint8, 50, 51), (np.uint8, 255, 254), (np.uint8, 0, 1), (np.int16, -32768, -32767),
                                (np.int32, 2 ** 31 - 1, 2 ** 31 - 2), (np.float32, 50, None), (np.float64, 7.5, None)):
        limits = (-1e9, 1e9) if moved is None else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        near = [max(value - 1, limits[0]), min(value + 1, limits[1])]
        pixels = np.resize(np.array([v for v in near if v != value], dtype), (30, 41))[..., np.newaxis]
        got, true = (filtered(pixels, {**base, "has_nodata": has, "nodata": value}, np.ones((30, 41)))[0]
                     for has in (True, False))
        if (got == value).any() or (moved and not (true == value).any() and not (got == true).all()):
            problems.append(f"{np.dtype(dtype).name} {value}: {np.unique(got)}")
        real = filtered(pixels, base | {"has_nodata": False}, np.ones((30, 41)), np.float64)[0]
        low, high = max(value - 1, limits[0]), min(value + 1, limits[1])
        want = np.where(true == value, np.where(real < value, low, high), true)
        if not moved and taken_by_gdal(got, value).any() and not taken_by_gdal(true[true != value], value).any():
            problems.append(f"{np.dtype(dtype).name} {value}: {np.unique(got)} are it for GDAL")
        if moved and (got != want)[np.abs(real - value) > 1e-4].any():
            problems.append(f"{np.dtype(dtype).name} {value}: not on the side of the true value")
        flat = np.full((30, 41, 1), value, dtype)
        got = filtered(flat, {**base, "sigma": 0.1, "nodata": 0 if value else 1, "mode": g.UNSHARP, "amount": 0.0})[0]
        if (got != value).any():
            problems.append(f"{np.dtype(dtype).name} {value}: moved where it is not the value for no data")
    constant = np.full((1, 41, 1), 9, np.uint8)
    for value, want in ((9, 10), (0, 9), (255, 9)):
        got = filtered(constant, {**base, "border": "constant", "border_value": [9] * 4, "nodata": value})[0]
        if (got != want).any():
            problems.append(f"a constant of 9, value {value}: {np.unique(got)}")
    tap.report("results that count are never the value for no data", problems)


def main():
    tap = Tap()
    check_definition(tap)
    check_bits(tap)
    check_moves(tap)
    tap.finish()


if __name__ == "__main__":
    main()
