#!/usr/bin/env python3
"""Images of more bands than a picture has channels, filtered, answered and summed by the command: each band must be
what it is alone, and what NumPy makes of it; holes, masks and tables too."""
import json
import os

import numpy as np

from satlib import Tap, in_parallel, level_of, run_sat, scratch

TYPES = ["u1", "u2", "i2", "u4", "f4", "f8"]
FILTERS = [["--box", "5"], ["--box", "4x3", "--passes", "3"], ["--box", "3", "--border", "constant:7"],
           ["--gauss", "1.5"], ["--unsharp", "1,0.5"], ["--dog", "1,2"], ["--box", "5", "--stat", "std"],
           ["--box", "3", "--threshold", "niblack"],
           ["--box", "3", "--min-valid", "60%"], ["--gauss", "2", "--keep-holes"], ["--box", "3", "--result", "f64"],
           ["--box", "3", "--linear"]]
MASKS = [[], ["--nodata", "3"], ["--mask", "mask.npy"], ["--mask", "mask.npy", "--nodata", "3", "--min-valid", "2"]]


def files(folder, options):
    return [os.path.join(folder, o) if o.endswith(".npy") else o for o in options]


def made(folder, name, *options):
    """The result's samples, or why there is none."""
    status, _, error = run_sat(*files(folder, [*options, "-q", "--threads", "2", "-o", name]))
    return np.load(os.path.join(folder, name)) if status == 0 else error.split(": ", 2)[-1]


def differ(got, want):
    if isinstance(got, str) or isinstance(want, str):
        return None if got == want else f"{got}, not {want}"
    return None if got.tobytes() == want.tobytes() else "other samples"


def check_filters(case):
    """Each band of the result has the bits of the filter of that band alone, as a file of its own, or chosen.
    Images of many bands are read in several bands of rows."""
    dtype, bands, number = case
    rng = np.random.default_rng(number)
    height, width = int(rng.integers(5, 40)), int(rng.integers(40, 60))
    if bands == 64:
        height = 4 * 2**20 // (width * bands * np.dtype(dtype).itemsize) + 150
    pixels = rng.integers(0, 90, (height, width, bands)).astype(dtype)
    with scratch() as folder:
        np.save(os.path.join(folder, "in.npy"), pixels)
        np.save(os.path.join(folder, "first.npy"), pixels[:, :, 0])
        np.save(os.path.join(folder, "mask.npy"), (rng.random((height, width)) < 0.7).astype("u1"))
        for options in FILTERS:
            for mask in MASKS:
                if "--linear" in options and dtype not in ("u1", "u2"):
                    continue
                if "--min-valid" in mask and ("--box" not in options or "--min-valid" in options):
                    continue
                whole = made(folder, "out.npy", "in.npy", "--as", "image", *options, *mask)
                if isinstance(whole, str) and not mask:
                    return f"{dtype}, {bands} bands, {' '.join(options)}: {whole}"
                for name, alone, band in ("first.npy", [], 0), ("in.npy", ["--channel", str(bands)], bands - 1):
                    one = made(folder, "one.npy", name, "--as", "image", *alone, *options, *mask)
                    part = whole if isinstance(whole, str) else whole[:, :, band]
                    wrong = differ(part, one)
                    if wrong:
                        return f"{dtype}, {bands} bands, {' '.join(options + mask)}: {wrong}"
                if options == ["--box", "3", "--result", "f64"] and not mask:
                    wide = np.pad(pixels.astype("f8"), ((1, 1), (1, 1), (0, 0)))
                    ones = np.pad(np.ones((height, width, 1)), ((1, 1), (1, 1), (0, 0)))
                    total = sum(wide[y:y + height, x:x + width] for y in range(3) for x in range(3))
                    area = sum(ones[y:y + height, x:x + width] for y in range(3) for x in range(3))
                    if not np.allclose(whole, total / area, rtol=1e-14):
                        return f"{dtype}, {bands} bands: other means than NumPy's"
    return None


def rows_of(folder, *options):
    status, out, error = run_sat(*files(folder, options), "--json")
    return [json.loads(line) for line in out.splitlines()] if status == 0 else error


def check_answers(case):
    """Rectangles of an image, and of its tables, with and without holes; tables equal cumsum's."""
    dtype, bands, number = case
    rng = np.random.default_rng(100 + number)
    height, width = int(rng.integers(5, 40)), int(rng.integers(5, 60))
    pixels = rng.integers(0, 90, (height, width, bands)).astype(dtype)
    mask = rng.random((height, width)) < 0.7
    with scratch() as folder:
        np.save(os.path.join(folder, "in.npy"), pixels)
        np.save(os.path.join(folder, "mask.npy"), mask.astype("u1"))
        boxes = []
        for _ in range(40):
            x, y = int(rng.integers(0, width)), int(rng.integers(0, height))
            boxes.append([x, y, int(rng.integers(1, width - x + 1)), int(rng.integers(1, height - y + 1))])
        np.save(os.path.join(folder, "rects.npy"), np.array(boxes))
        for options, counts in ([], np.ones(pixels.shape, bool)), (["--nodata", "3"], pixels != 3), \
                               (["--mask", "mask.npy"], np.broadcast_to(mask[:, :, None], pixels.shape)):
            held = np.where(counts, pixels, 0).astype("f8")
            less = np.where(counts, pixels - np.float64(level_of(pixels, counts)), 0)  # what a table of floats sums
            ask = ["--rects", "rects.npy", "--stat", "mean,sum,var,count"]
            moments = ["--moments", "0,1,2" if options else "1,2"] + (["--type", "f64"] if dtype == "u4" else [])
            sums = ["in.npy", "--as", "image", "-o", "table.npy", *moments, *options]
            status, _, error = run_sat(*files(folder, sums))
            if status:
                return error
            table = np.load(os.path.join(folder, "table.npy"))
            summed = [counts, less, less * less][0 if options else 1:]
            border = ((1, 0), (1, 0), (0, 0))
            want = np.concatenate([np.pad(a.astype("f8").cumsum(0).cumsum(1), border) for a in summed], 2)
            if dtype[0] != "f" and not np.array_equal(table, want) or not np.allclose(table, want):
                return f"{dtype}, {bands} bands {options}: another table than cumsum's"
            images = rows_of(folder, "query", "in.npy", "--as", "image", *ask, *options)
            for rows in images, rows_of(folder, "query", "table.npy", *ask):
                if isinstance(rows, str):
                    return rows
                for row, (x, y, w, h) in zip(rows, boxes):
                    kept = counts[y:y + h, x:x + w].sum((0, 1))
                    sums = held[y:y + h, x:x + w].sum((0, 1))
                    same = len(row["sum"]) == bands and np.allclose(row["sum"], sums, rtol=1e-12)
                    if not same or row["count"] != kept.tolist():
                        return f"{dtype}, {bands} bands {options}: sums {row['sum']} at {x},{y},{w},{h}, not {sums}"
                    if any(n and abs(m * n - s) > 1e-9 * (1 + abs(s)) or not n and m is not None
                           for m, n, s in zip(row["mean"], kept, sums)):
                        return f"{dtype}, {bands} bands {options}: means {row['mean']} at {x},{y},{w},{h}"
    return None


tap = Tap()
cases = [(dtype, bands, i) for i, (dtype, bands) in enumerate((d, b) for d in TYPES for b in (5, 9, 64))]
tap.report("each band is filtered as if it were alone", [p for p in in_parallel(check_filters, cases) if p], len(cases))
tap.report("rectangles and tables of bands are NumPy's",
           [p for p in in_parallel(check_answers, cases) if p], len(cases))
tap.finish()
