#!/usr/bin/env python3
"""Table files of images some of whose samples do not count, against NumPy: the array is counts, sums and squares of
what counts, and rectangles are answered of it, against Python's fractions."""
import json
import os
from fractions import Fraction

import numpy as np

from satlib import TYPES, Tap, in_parallel, level_of, run_sat, scratch

SAMPLES = ["u8", "u16", "u32", "i8", "i16", "i32", "f32", "f64"]
LAYOUTS = ["padded", "inclusive", "exclusive"]
EXACT = {"u8", "u16", "i8", "i16"}  # the types whose squares have tables of integers


def image(rng, name, shape, nan):
    dtype = np.dtype(TYPES[name])
    if dtype.kind == "f":
        pixels = rng.integers(-40, 40, shape).astype(dtype) / 8
        pixels[rng.random(shape) < (0.2 if nan else 0)] = np.nan
        return pixels
    low, high = (-6, 6) if dtype.kind == "i" else (0, 12)
    return rng.integers(low, high, shape).astype(dtype)


def table(values, layout):
    """(H, W, C) values to the table of that layout, as docs/format.md defines it."""
    sums = values.cumsum(0).cumsum(1)
    if layout == "inclusive":
        return sums
    padded = np.pad(sums, ((1, 0), (1, 0), (0, 0)))
    return padded if layout == "padded" else padded[:-1, :-1]


def answer(values, counts, rect):
    """(count, sum, mean, variance) of one channel, as the f64 next to them; None where there is none"""
    x, y, w, h = rect
    kept = [Fraction(float(v)) for v in values[y:y + h, x:x + w][counts[y:y + h, x:x + w]]]
    n, total = len(kept), sum(kept)
    if n == 0:
        return 0, 0.0, None, None
    return n, float(total), float(total / n), float((sum(v * v for v in kept) - total * total / n) / n)


def check(case):
    index, name = case
    rng = np.random.default_rng(index)
    height, width, channels = int(rng.integers(1, 40)), int(rng.integers(1, 40)), int(rng.integers(1, 5))
    masked, valued, squared = bool(index & 1), bool(index & 2), bool(index & 4)
    floats = name[0] == "f"
    pixels = image(rng, name, (height, width, channels), floats and not valued)
    counts = np.ones(pixels.shape, bool)
    options = ["--moments", "0,1,2" if squared else "0,1"]
    layout, accum = LAYOUTS[index % 3], "f64" if floats or (squared and name not in EXACT) else "i64"
    with scratch() as folder:
        source, mask_file, out = (os.path.join(folder, n) for n in ("a.npy", "m.npy", "t.npy"))
        np.save(source, pixels)
        if masked:
            mask = rng.random((height, width)) < 0.6
            np.save(mask_file, mask.astype(np.uint8) * 7)
            counts &= mask[..., None]
            options += ["--mask", mask_file]
        if valued:
            options += ["--nodata", str(int(pixels.flat[0]) if not floats else float(pixels.flat[0]))]
            counts &= pixels != pixels.flat[0]
        elif floats:
            options += ["--nodata", "nan"]
            counts &= ~np.isnan(pixels)
        wide = np.where(counts, pixels, 0).astype(np.float64 if accum == "f64" else np.int64)
        status, _, text = run_sat(source, "--as", "image", "-o", out, "--layout", layout, "--type", accum, *options)
        if status != 0:
            return [f"case {index}, {name}: {text}"]
        made = np.load(out)
        levelled = floats and squared
        if levelled:
            level, near = json.loads(run_sat("info", "--json", out)[1]).get("level", 0), level_of(pixels, counts)
            if level != near:
                return [f"case {index}, {name}: level {level} where {near} is right"]
            wide = np.where(counts, wide - level, 0)
        planes = [counts.astype(wide.dtype), wide] + ([wide * wide] if squared else [])
        want = np.concatenate([table(p, layout) for p in planes], 2)
        if made.shape != want.shape or not (np.allclose(made, want, 1e-12, 1e-7) if levelled else (made == want).all()):
            return [f"case {index}, {name}: the array is another"]

        last = layout == "exclusive"
        if width - last < 1 or height - last < 1:
            return []
        xs, ys = rng.integers(0, width - last, 20), rng.integers(0, height - last, 20)
        rects = np.array([(x, y, rng.integers(1, width - last - x + 1), rng.integers(1, height - last - y + 1))
                          for x, y in zip(xs, ys)], np.int64)
        asked = os.path.join(folder, "r.npy")
        np.save(asked, rects)
        stats = "count,sum,mean" + (",var" if squared else "")
        answers = os.path.join(folder, "o.npy")
        status, _, text = run_sat("query", out, "--rects", asked, "--stat", stats, "-o", answers)
        if status != 0:
            return [f"case {index}, {name}: {text}"]
        got = np.load(answers)
        for i, rect in enumerate(rects):
            for c in range(channels):
                n, total, mean, var = answer(pixels[..., c], counts[..., c], rect)
                row = [np.atleast_1d(got[column][i])[c] for column in stats.split(",")]
                tolerance = 0 if accum == "i64" else 1e-9
                near = (lambda a, b: abs(a - b) <= 1e-12 * abs(b) + 1e-9) if levelled else (lambda a, b: a == b)
                right = row[0] == n and near(row[1], total)
                right = right and (np.isnan(row[2]) if mean is None else near(row[2], mean))
                if squared:
                    right = right and (np.isnan(row[3]) if var is None else abs(row[3] - var) <= tolerance)
                if not right:
                    return [f"case {index}, {name} {accum} {layout}, {tuple(rect)} channel {c}: {row}"]
    return []


def main():
    tap = Tap()
    for name in SAMPLES:
        cases = [(SAMPLES.index(name) * 24 + i, name) for i in range(24)]
        tap.report(f"{name}: tables and rectangles of what counts", sum(in_parallel(check, cases), []), len(cases))
    tap.finish()


if __name__ == "__main__":
    main()
