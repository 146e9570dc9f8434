#!/usr/bin/env python3
"""Rectangles of images that are read a few rows at a time: the output of the command, byte for byte, is that for the
same image in memory, and its sums are those of the definition."""
import math
import os

import numpy as np

from satlib import Tap, extension, in_parallel, run_sat, scratch, write_image

TYPES = ("uint8", "uint16", "uint32", "int8", "int16", "int32", "float32", "float64")
MANY = 66000  # more than are looked at beforehand, so that the image is held in memory, unless --max-pixels forbids it


def image(rng, dtype, channels):
    """More than two bands of 2 MiB."""
    width = int(rng.integers(300, 900))
    height = 5 * 2**20 // (width * channels * np.dtype(dtype).itemsize)
    if dtype.startswith("float"):
        return np.ldexp(rng.uniform(-1, 1, (height, width, channels)), rng.integers(-30, 30)).astype(dtype)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, (height, width, channels), dtype, endpoint=True)


def rectangles(rng, height, width, n, clip):
    """Mostly small ones, in any order; some with fractions; 300 large ones: rows of integers become tables."""
    x, y = rng.integers(0, width, n), rng.integers(0, height, n)
    w, h = np.minimum(rng.integers(1, 9, n), width - x), np.minimum(rng.integers(1, 9, n), height - y)
    large = np.arange(0, 900, 3)
    w[large] = np.minimum(rng.integers(1, width, 300), (width - x)[large])
    h[large] = np.minimum(rng.integers(1, height, 300), (height - y)[large])
    if clip:
        x -= 5
        y += 5
    text = [f"{a},{b},{c},{d}" for a, b, c, d in zip(x, y, w, h)]
    for i in rng.integers(0, n, n // 10):
        if clip or (w[i] > 1 and h[i] > 1):
            text[i] = f"{x[i] + .25},{y[i] + .5},{w[i] - .5},{h[i] - .6}"
    return text


def near(have, want, size):
    return abs(have - want) <= size * 2.0**-50


def sums_of(pixels, rect):
    x, y, w, h = map(int, rect)
    part = pixels[y:y + h, x:x + w]
    if pixels.dtype.kind == "f":
        return [math.fsum(part[:, :, c].astype(float).ravel()) for c in range(pixels.shape[2])]
    return [int(v) for v in part.astype(object).sum((0, 1))] if part.size < 500 else None


def case(seed):
    rng = np.random.default_rng(seed)
    dtype = TYPES[seed % len(TYPES)]
    channels, clip, json = int(rng.integers(1, 5)), rng.integers(0, 2) == 0, rng.integers(0, 3) == 0
    pixels = image(rng, dtype, channels)
    if extension(dtype) == "pfm" and channels in (2, 4):
        pixels = pixels[:, :, :1]
    height, width, channels = pixels.shape
    lists = ("sum", "mean", "sum,count,area,mean", "sum,mean,rms", "sum,mean,var,std,rms")
    args = ["--stat", lists[rng.integers(0, 5)]]
    args += ["--ddof", rng.integers(0, 2), "--threads", rng.integers(1, 3)]
    args += ["--clip"] if clip else []
    args += ["--json"] if json else []
    problems = []
    with scratch() as folder:
        path, rects, mask = (os.path.join(folder, name) for name in ("image." + extension(dtype), "r.csv", "mask.pam"))
        write_image(path, pixels)
        if extension(dtype) == "npy":
            args += ["--as", "image"]
        holes = rng.integers(0, 3)
        if holes == 1:
            args += ["--nodata", repr(pixels[3, 4, 0].item())]
        if holes == 2:
            write_image(mask, rng.integers(0, 2, (height, width, 1)).astype(np.uint8))
            args += ["--mask", mask]
        text = rectangles(rng, height, width, MANY, clip)
        with open(rects, "w", encoding="ascii") as f:
            f.write("\n".join(text) + "\n")
        whole = run_sat("query", path, "--rects", rects, *args, "-q")
        rows = run_sat("query", path, "--rects", rects, *args, "-q", "--max-pixels", 1)
        if whole[0] != 0 or rows != whole:
            problems.append(f"seed {seed}, {dtype}, {channels} channels, {args}: differ: {whole[0]} {whole[2][:200]}, "
                            f"{rows[0]} {rows[2][:200]}")
        few = text[:3000] + [f"0,0,{width},{height}"]
        with open(rects, "w", encoding="ascii") as f:
            f.write("\n".join(few) + "\n")
        known = run_sat("query", path, "--rects", rects, *args, "-q", "--max-pixels", 1)
        lines, first = known[1].decode().splitlines(), rows[1].decode().splitlines()
        if known[0] != 0 or lines[:-1] != first[:len(lines) - 1]:
            problems.append(f"seed {seed}, {dtype}: fewer of them differ: {known[2][:200]}")
        if holes == 0 and not json and not clip and not problems:
            first = args[1].split(",")[0]
            for line, rect in list(zip(lines[1:], few))[:100] if first == "sum" else []:
                want = sums_of(pixels, rect.split(",")) if "." not in rect else None
                have = line.split(",")[4:4 + channels]
                if want and not all(near(float(v), s, max(1, abs(s))) if dtype[0] == "f" else int(v) == s
                                    for v, s in zip(have, want)):
                    problems.append(f"seed {seed}, {dtype}: {rect}: {have} where {want} is right")
    return problems


def main():
    tap = Tap()
    seeds = range(int(os.environ.get("SEEDS", 16)))
    tap.report("rectangles by rows: the bytes of the whole image", sum(in_parallel(case, seeds), []), len(seeds))
    tap.finish()


main()
