#!/usr/bin/env python3
"""Region answers of images and tables against sums over slices."""
import csv
import io
import json
import os
import re
from fractions import Fraction

import numpy as np

from satlib import Tap, extension, in_parallel, random_pixels, run_sat, scratch, write_image

TABLE_TYPES = {"int": [None, "u32", "u64", "i64", "f64"], "float": [None, "f64"]}


def columns(channels, stats):
    return [name if channels == 1 else f"{name}.{c}" for name in stats for c in range(channels)]


def compare(pixels, rects, rows):
    """rows: dicts with x, y, w, h and the statistics."""
    if len(rows) != len(rects):
        return f"{len(rows)} answers to {len(rects)} rectangles"
    channels = pixels.shape[2]
    for rect, row in zip(rects, rows):
        x, y, w, h = rect
        if tuple(int(row[k]) for k in "xywh") != rect:
            return f"{rect}: the answer is for {row}"
        part = pixels[y:y + h, x:x + w].reshape(-1, channels)
        for c in range(channels):
            suffix = "" if channels == 1 else f".{c}"
            if pixels.dtype.kind == "f":
                total = float(part[:, c].astype(np.longdouble).sum())
                bound = 1e-13 * float(np.abs(pixels.astype(np.float64)).sum()) + 1e-300
                if not abs(float(row["sum" + suffix]) - total) <= bound:
                    return f"{rect}: sum {row['sum' + suffix]}, not {total}"
                if not abs(float(row["mean" + suffix]) - total / (w * h)) <= bound:
                    return f"{rect}: mean {row['mean' + suffix]}, not {total / (w * h)}"
            else:
                total = int(part[:, c].sum(dtype=np.int64))
                if Fraction(str(row["sum" + suffix])) != total:
                    return f"{rect}: sum {row['sum' + suffix]}, not {total}"
                mean = total / (w * h)
                if not abs(float(row["mean" + suffix]) - mean) <= 1e-15 * mean:
                    return f"{rect}: mean {row['mean' + suffix]}, not {mean}"
    return None


def check(case):
    pixels, rects, type_name, layout, form = case
    stats = columns(pixels.shape[2], ("mean", "sum"))
    with scratch() as folder:
        path = os.path.join(folder, "in." + extension(pixels.dtype))
        write_image(path, pixels)
        what = f"{pixels.shape} {pixels.dtype} {layout or 'image'} {type_name or ''} {form}"
        if layout:
            table = os.path.join(folder, "in.npy")
            args = [path, "-o", table, "--layout", layout] + (["--type", type_name] if type_name else [])
            status, _, error = run_sat(*args)
            if status:
                return f"{what}: {error}"
            path = table
        args = ["query", path, "--stat", "mean,sum"]
        if form == "npy":
            args += ["--rects", os.path.join(folder, "rects.npy")]
            np.save(args[-1], np.array(rects, np.int64))
        elif form == "corners":
            args += ["--rects", os.path.join(folder, "rects.csv")]
            with open(args[-1], "w", encoding="ascii") as f:
                f.write("id,y1,x0,x1,y0\n")
                f.write("".join(f"{i},{y + h},{x},{x + w},{y}\n" for i, (x, y, w, h) in enumerate(rects)))
        elif form == "csv":
            args += ["--rects", os.path.join(folder, "rects.csv")]
            with open(args[-1], "w", encoding="ascii") as f:
                f.write("".join("%d,%d,%d,%d\n" % rect for rect in rects))
        else:
            for rect in rects:
                args += ["--rect", "%d,%d,%d,%d" % rect]
        if form == "json":
            args.append("--json")
        if form == "npy":
            args += ["-o", os.path.join(folder, "answers.npy")]
        status, out, error = run_sat(*args)
        if status:
            return f"{what}: status {status}, {error}"
        answers = np.load(args[-1]) if form == "npy" else None
    text = out.decode()
    if form == "npy":
        rows = [dict(zip(["x", "y", "w", "h", *stats],
                         [*map(int, record[["x", "y", "w", "h"]].tolist()), *np.ravel(record["mean"]).tolist(),
                          *np.ravel(record["sum"]).tolist()])) for record in answers]
    elif form == "json":
        rows = [json.loads(line) for line in text.splitlines()]
        channels = pixels.shape[2]
        for row in rows:  # always lists
            for name in ("mean", "sum"):
                row.update({f"{name}.{c}" if channels > 1 else name: v for c, v in enumerate(row.pop(name))})
    else:
        rows = list(csv.DictReader(io.StringIO(text)))
        others = ["id"] if form == "corners" else []
        if rows and list(rows[0]) != ["x", "y", "w", "h", *stats, *others]:
            return f"{what}: the header is {list(rows[0])}"
        if others and [row["id"] for row in rows] != [str(i) for i in range(len(rows))]:
            return f"{what}: the column id is {[row['id'] for row in rows]}"
    problem = compare(pixels, rects, rows)
    return f"{what}: {problem}" if problem else None


def rounded(seed):
    """Large images of u8 and u16 in tables of f32."""
    rng = np.random.default_rng(seed)
    dtype = (np.uint8, np.uint16)[seed % 2]
    height, width = int(rng.integers(500, 900)), int(rng.integers(500, 900))
    pixels = rng.integers(0, np.iinfo(dtype).max, (height, width, 1), dtype, endpoint=True)
    with scratch() as folder:
        image, table, rects = (os.path.join(folder, name) for name in ("in.pam", "t.npy", "rects.csv"))
        write_image(image, pixels)
        sides = [(int(rng.integers(1, width)), int(rng.integers(1, height))) for _ in range(3000)]
        asked = [(int(rng.integers(0, width - w)), int(rng.integers(0, height - h)), w, h) for w, h in sides]
        with open(rects, "w", encoding="ascii") as f:
            f.write("".join("%d,%d,%d,%d\n" % rect for rect in asked))
        made = run_sat(image, "-o", table, "--type", "f32")
        status, out, said = run_sat("query", table, "--rects", rects, "--stat", "sum")
    bound = re.search(r"its sums can be rounded: .* off by ([0-9]+);", said)
    if status or not bound or said != made[2]:
        return f"status {status}, {made[2]}, {said}"
    exact = [int(pixels[y:y + h, x:x + w].sum(dtype=np.int64)) for x, y, w, h in asked]
    off = max(abs(float(row["sum"]) - e) for row, e in zip(csv.DictReader(io.StringIO(out.decode())), exact))
    return None if 0 < off <= float(bound.group(1)) else f"off by {off}, where {said}"


def main():
    tap = Tap()
    for dtype in (np.uint8, np.uint16, np.float32):
        rng = np.random.default_rng(np.dtype(dtype).itemsize)
        cases = []
        for layout in (None, "padded", "inclusive", "exclusive"):
            for type_name in TABLE_TYPES["float" if dtype == np.float32 else "int"] if layout else [None]:
                for form in ("rect", "csv", "corners", "npy", "json"):
                    width, height = int(rng.integers(2, 90)), int(rng.integers(2, 70))
                    channels = int(rng.choice([1, 3] if dtype == np.float32 else [1, 2, 3, 4]))
                    edge = layout == "exclusive"  # has no answer at the right and lower edge
                    rects = []
                    for _ in range(20):
                        w, h = int(rng.integers(1, width + 1 - edge)), int(rng.integers(1, height + 1 - edge))
                        rects.append((int(rng.integers(0, width - w + 1 - edge)),
                                      int(rng.integers(0, height - h + 1 - edge)), w, h))
                    cases.append((random_pixels(rng, height, width, channels, dtype), rects, type_name, layout, form))
        tap.report(f"{np.dtype(dtype).name}: rectangles of images and tables",
                   [text for text in in_parallel(check, cases) if text], len(cases))

    rng = np.random.default_rng(3)
    pixels = random_pixels(rng, 40, 50, 1, np.float32) + np.float32(7)
    with scratch() as folder:
        image, table = os.path.join(folder, "in.pfm"), os.path.join(folder, "q.npy")
        pixels = np.round(pixels * 256) / np.float32(256)  # multiples of a step that q32 holds exactly
        write_image(image, pixels)
        status, _, error = run_sat(image, "-o", table, "--type", "q32")
        problems = [error] if status else []
        rects = [(0, 0, 50, 40), (49, 39, 1, 1), (3, 4, 3, 3), (10, 0, 17, 40)]
        asked = sum((["--rect", "%d,%d,%d,%d" % r] for r in rects), [])
        status, out, error = run_sat("query", table, "--stat", "mean,sum", *asked)
        rows = list(csv.DictReader(io.StringIO(out.decode())))
        problems += [error] if status else []
        problems += [] if problems else [p for p in [compare(pixels, rects, rows)] if p]
    tap.report("q32 tables answer floats", problems)
    tap.report("what a table of f32 rounds stays within the bound that is said",
               [text for text in in_parallel(rounded, range(6)) if text], 6)
    tap.finish()


if __name__ == "__main__":
    main()
