#!/usr/bin/env python3
"""Results that are written in another type than they were computed in: --result f16 against NumPy's astype, --scale
against quotients."""
import os

import numpy as np

from satlib import Tap, run_sat, scratch

ODD = np.array([np.nan, np.inf, -np.inf, 0, -0.0, 1e-45, 1e38, -3.4e38], np.float32)


def stored(folder, pixels, *options, name="out.npy"):
    """What the command writes of an image, as it is, or with a window of one pixel; a text if it refuses."""
    source, out = os.path.join(folder, "in.npy"), os.path.join(folder, name)
    np.save(source, pixels)
    status, _, error = run_sat(source, "--as", "image", "--box", 1, "-o", out, *options)
    if status:
        return error
    if name != "out.npy":
        status, _, error = run_sat(out, "--box", 1, "-o", os.path.join(folder, "out.npy"))
        if status:
            return error
    return np.load(os.path.join(folder, "out.npy"))


def every_half():
    """All f16, what lies halfway between neighbours, and the f32 beside these."""
    with np.errstate(invalid="ignore"):
        halves = np.arange(65536, dtype=np.uint16).view(np.float16).astype(np.float32)
    finite = np.sort(np.unique(halves[np.isfinite(halves)]))
    middles = np.append((finite[1:] + finite[:-1]) / 2, np.float32([65519.996, 65520, 65520.004]))
    beside = [np.nextafter(middles, np.float32(side)) for side in (-np.inf, np.inf)]
    return np.concatenate([halves, middles, -middles, *beside, ODD]).astype(np.float32)


def same(got, want):
    return isinstance(got, np.ndarray) and got.dtype == want.dtype and got.shape == want.shape and np.all(
        (got == want) | (np.isnan(got) & np.isnan(want)))


def check_halves(tap):
    values, problems = every_half(), []
    values = np.resize(values, (len(values) // 300 + 1, 100, 3))
    with np.errstate(over="ignore"):
        want = values.astype(np.float16)
    with scratch() as folder:
        got = stored(folder, values, "--result", "f16")
        if not same(got, want):
            problems.append(f"npy: {got if isinstance(got, str) else np.argwhere(got != want)[:3]}")
        for compression in ("deflate", "lzw", "none", "zstd"):
            got = stored(folder, values, "--result", "f16", "--tiff-compression", compression, name="out.tif")
            if isinstance(got, str) or got.dtype != np.float32 or not same(got.astype(np.float16), want):
                problems.append(f"tif, {compression}: {got if isinstance(got, str) else got.dtype}")
        got = stored(folder, values, "--stat", "mean", "--result", "f16")
        if not same(got, want):
            problems.append("--stat mean")
    tap.report("results of f16 are NumPy's", problems, values.size)


def check_taken(tap):
    """The value for no data is the f16 nearest to it, and of no other result; which is on its side."""
    problems, cases = [], 0
    for value in (-9999.0, 0.0, 0.1, 1.0, 65504.0, -3.4028234663852886e+38, 1e-7, -1e-9):
        near = np.float16(np.clip(np.float32(value), -65504, 65504))
        step = np.abs(np.spacing(np.nextafter(near, np.float16(0)))).astype(np.float32)  # of 65504 it is finite
        around = [np.float32(near) + np.float32(k) * step / 4 for k in range(-9, 10)]
        pixels = np.array([around + [np.float32(value)] * 3 + [1e38, -1e38, 0, -0.0]], np.float32)
        with np.errstate(over="ignore"):
            want, held = pixels.astype(np.float16), np.float32(value).astype(np.float16)
        with scratch() as folder:
            got = stored(folder, pixels, "--result", "f16", f"--nodata={value!r}")
        hole = pixels == np.float32(value)
        cases += pixels.size
        if isinstance(got, str) or got.dtype != np.float16:
            problems.append(f"{value}: {got}")
        elif (got[hole] != held).any() or (got[~hole] == held).any():
            problems.append(f"{value}: {got}")
        else:
            moved = ~hole & (want == held)
            if not np.array_equal(got[~moved & ~hole], want[~moved & ~hole]):
                problems.append(f"{value}: another one moved")
            away = np.abs(np.clip(got[moved].astype(np.float64), -65536, 65536) - np.clip(float(held), -65536, 65536))
            other_side = (got[moved] > held) != (pixels[moved] > held)
            other_side &= (pixels[moved] != held) & (np.abs(held) < 65504)
            if (away > 2 * step).any() or other_side.any():
                problems.append(f"{value}: {got[moved]}")
    tap.report("f16: the value for no data stands for it alone", problems, cases)


def scaled(pixels, low, high):
    with np.errstate(invalid="ignore"):
        return np.floor(np.clip((pixels.astype(np.float64) - low) * (255 / (high - low)), 0, 255) + 0.5)


def check_scales(tap):
    problems, cases = [], 0
    rng = np.random.default_rng(4)
    every = np.arange(65536, dtype=np.uint16).reshape(256, 256)
    exact = ((2 * every.astype(np.int64) + 257) // 514).astype(np.uint8)
    with scratch() as folder:
        for name in ("out.npy", "out.png", "out.tif", "out.pgm"):
            got = stored(folder, every, "--scale", "8bit", name=name)
            if isinstance(got, str) or got.dtype != np.uint8 or not np.array_equal(got, exact):
                problems.append(f"8bit to {name}: {got}")
        got = stored(folder, every.astype(np.uint8), "--scale", "8bit")
        if isinstance(got, str) or not np.array_equal(got, every.astype(np.uint8)):
            problems.append("8bit of u8")
        for kind in ("u1", "u2", "u4", "i1", "i2", "i4", "f4", "f8"):
            for low, high in ((0, 100), (-50, 77), (0.25, 3000.5), (10, 11)):
                pixels = (rng.normal(0, 500, (40, 33, 2))).astype(np.int64).astype(kind)
                if kind[0] == "f":
                    pixels = rng.normal(0, 500, (40, 33, 2)).astype(kind)
                    pixels[0, :4, 0] = np.nan, np.inf, -np.inf, low
                got = stored(folder, pixels[..., 0], "--scale", f"{low}:{high}")
                want = np.where(np.isnan(pixels[..., 0]), 0, scaled(pixels[..., 0], low, high))
                cases += pixels.size
                if isinstance(got, str) or got.dtype != np.uint8 or not np.array_equal(got, want):
                    where = got if isinstance(got, str) else np.argwhere(got != want)[:3]
                    problems.append(f"{kind} {low}:{high}: {where}")
        got = stored(folder, np.dstack([every, every]), "--scale", "0:1000", "--alpha", "straight")
        if isinstance(got, str) or not np.array_equal(got[..., 1], exact) or not np.array_equal(
                got[..., 0], scaled(every, 0, 1000)):
            problems.append(f"alpha: {got}")
        pixels = np.array([[5, 7, 9, 5]], np.float32)
        got = stored(folder, pixels, "--scale", "3:9", "--nodata", "5", name="out.tif")
        if isinstance(got, str) or not np.array_equal(got, [[0, 170, 255, 0]]):
            problems.append(f"no data: {got}")
    tap.report("scaled results are quotients to the nearest", problems, cases)


tap = Tap()
check_halves(tap)
check_taken(tap)
check_scales(tap)
tap.finish()
