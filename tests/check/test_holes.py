#!/usr/bin/env python3
"""Rectangles of images some of whose samples do not count: the command against NumPy's masked arrays, and, where it is
installed, against exactextract, which weights pixels by the area that is covered, too."""
import json
import os
from fractions import Fraction

import numpy as np

from satlib import Tap, in_parallel, run_sat, scratch

try:
    from exactextract import exact_extract
    from exactextract.raster import NumPyRasterSource
except ImportError:
    exact_extract = None

TYPES = ["u1", "u2", "u4", "i1", "i2", "i4", "f4", "f8"]
STATS = ["mean", "sum", "var", "std", "rms", "count", "area"]


def raster(rng, dtype):
    """(samples, the value for no data, the pixels that a mask leaves)"""
    height, width, channels = int(rng.integers(2, 40)), int(rng.integers(5, 50)), int(rng.choice([1, 3]))
    pixels = np.abs(rng.normal(60, 20, (height, width, channels))).astype(dtype)
    nodata = {"f": -9999.1, "u": 0, "i": -1}[np.dtype(dtype).kind]
    pixels[rng.random(pixels.shape) < 0.2] = nodata
    pixels[:height // 2, :width // 3] = nodata
    if dtype[0] == "f":
        pixels[rng.random(pixels.shape) < 0.1] = np.nan
    return pixels, nodata, rng.random((height, width)) < 0.8


def answers(folder, pixels, rects, *options):
    path, rectangles = os.path.join(folder, "in.npy"), os.path.join(folder, "rects.npy")
    np.save(path, pixels)
    np.save(rectangles, np.array(rects, float))
    status, out, error = run_sat("query", path, "--as", "image", "--rects", rectangles, "--json",
                                 "--stat", ",".join(STATS), *options)
    return error if status else [json.loads(line) for line in out.splitlines()]


def near(got, want, size):
    if got is None or np.isnan(want):
        return got is None and bool(np.isnan(want))
    return abs(got - want) <= 1e-12 * abs(size)


def compare(row, part, ddof):
    """part: a masked array of one channel"""
    kept = part.compressed()
    n, got = kept.size, {stat: row[stat] for stat in STATS}
    real = kept.astype(np.longdouble)
    free = n - ddof
    want = {"count": n, "area": part.size, "sum": real.sum(), "mean": real.mean() if n else np.nan,
            "rms": np.sqrt((real**2).mean()) if n else np.nan,
            "var": ((real - real.mean())**2).sum() / free if n and free > 0 else np.nan}
    want["std"] = np.sqrt(want["var"])
    if part.dtype.kind != "f" and n:
        total = sum(map(int, kept))
        if got["sum"] != total or got["mean"] != float(Fraction(total, n)):
            return f"sum {got['sum']} and mean {got['mean']} of {n} integers, not {total} by {n}"
    size = float(np.abs(real).sum()) + 1
    for stat in STATS:
        if not near(got[stat], want[stat], 0 if stat in ("count", "area") else size):
            return f"{stat} {got[stat]}, not {want[stat]}"
    return None


def check_masked(case):
    dtype, seed = case
    rng = np.random.default_rng(seed)
    pixels, nodata, mask = raster(rng, dtype)
    height, width, channels = pixels.shape
    rects = [(0, 0, width, height), (0, 0, width // 3, height // 2 or 1)]
    for _ in range(12):
        x, y = int(rng.integers(0, width)), int(rng.integers(0, height))
        rects.append((x, y, int(rng.integers(1, width - x + 1)), int(rng.integers(1, height - y + 1))))
    by_nan, with_mask, ddof = dtype[0] == "f" and seed % 2, seed % 3 > 0, seed % 4
    holes = np.isnan(pixels) if by_nan else pixels == np.array(nodata, dtype)
    if dtype[0] == "f" and not by_nan:
        pixels[np.isnan(pixels)] = 7
    options = ["--nodata=nan" if by_nan else f"--nodata={nodata}", "--ddof", ddof]
    with scratch() as folder:
        if with_mask:
            np.save(os.path.join(folder, "mask.npy"), mask)
            options += ["--mask", os.path.join(folder, "mask.npy")]
            holes = holes | ~mask[:, :, None]
        rows = answers(folder, pixels, rects, *options)
    if isinstance(rows, str):
        return f"{dtype} {seed}: {rows}"
    masked = np.ma.masked_array(pixels, holes)
    for (x, y, w, h), row in zip(rects, rows):
        for c in range(channels):
            one = {stat: row[stat] if stat == "area" else row[stat][c] for stat in STATS}
            why = compare(one, masked[y:y + h, x:x + w, c], ddof)
            if why:
                return f"{dtype} {seed} {pixels.shape} {options}: {(x, y, w, h)}, channel {c}: {why}"
    return None


def check_exactextract(case):
    dtype, seed = case
    rng = np.random.default_rng(seed)
    pixels, nodata, _ = raster(rng, dtype)
    pixels = np.ascontiguousarray(pixels[:, :, 0])
    pixels[pixels != pixels] = nodata
    height, width = pixels.shape
    rects = []
    for _ in range(20):
        x, y = rng.uniform(0, width - 1), rng.uniform(0, height - 1)
        rects.append((x, y, rng.uniform(0.1, width - x), rng.uniform(0.1, height - y)))
    with scratch() as folder:
        rows = answers(folder, pixels, rects, f"--nodata={nodata}")
    if isinstance(rows, str):
        return f"{dtype} {seed}: {rows}"
    source = NumPyRasterSource(pixels, xmin=0, ymin=0, xmax=width, ymax=height, nodata=pixels.dtype.type(nodata))
    corners = [[(x, height - y), (x + w, height - y), (x + w, height - y - h), (x, height - y - h), (x, height - y)]
               for x, y, w, h in rects]
    zones = [{"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": [ring]}}
             for ring in corners]
    for rect, row, zone in zip(rects, rows, exact_extract(source, zones, ["mean", "sum", "count", "variance"])):
        for ours, theirs in ("mean", "mean"), ("sum", "sum"), ("count", "count"), ("var", "variance"):
            got, want = row[ours][0], zone["properties"][theirs]
            if want is None or np.isnan(want):
                right = got is None
            else:  # its shares of pixels are of f32
                right = got is not None and abs(got - want) <= 1e-5 * max(1, abs(want))
            if not right:
                return f"{dtype} {seed}: {rect}: {ours} {got}, exactextract has {want}"
    return None


tap = Tap()
cases = [(dtype, seed) for dtype in TYPES for seed in range(12)]
tap.report("rectangles with holes are NumPy's of masked arrays",
           [p for p in in_parallel(check_masked, cases) if p], len(cases))
if exact_extract:
    some = [(dtype, seed) for dtype in ("u1", "i2", "f4", "f8") for seed in range(8)]
    tap.report("rectangles with fractions and holes are exactextract's",
               [p for p in map(check_exactextract, some) if p], len(some))
else:
    tap.skip("rectangles with fractions and holes are exactextract's", "exactextract is not installed")
tap.finish()
