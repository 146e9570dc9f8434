#!/usr/bin/env python3
"""Every sample type, from arrays of NumPy to tables and rectangles, against Python's own integers."""
import os

import numpy as np

from satlib import Tap, in_parallel, random_pixels, run_sat, scratch

# For each type of samples the integer tables that there are.
TABLES = {"u1": ["u32", "i32", "u64", "i64"], "u2": ["u32", "i32", "u64", "i64"], "u4": ["u32", "u64", "i64"],
          "i1": ["i32", "i64"], "i2": ["i32", "i64"], "i4": ["i32", "i64"], "f4": ["f64"], "f8": ["f64"]}
NAMES = {"u1": "u8", "u2": "u16", "u4": "u32", "i1": "i8", "i2": "i16", "i4": "i32", "f4": "f32", "f8": "f64"}
RANGES = {"u32": (0, 2**32 - 1), "i32": (-2**31, 2**31 - 1), "u64": (0, 2**64 - 1), "i64": (-2**63, 2**63 - 1)}


def largest_area(code, accum):
    """How many of the largest, and of the lowest, samples the table's type holds."""
    info, (low, high) = np.iinfo(code), RANGES[accum]
    areas = [high // info.max] + ([low // info.min] if info.min < 0 else [])
    return min(areas)


def rectangles(rng, height, width):
    corners = [(0, 0, width, height), (width - 1, height - 1, 1, 1)]
    for _ in range(20):
        w, h = int(rng.integers(1, width + 1)), int(rng.integers(1, height + 1))
        corners.append((int(rng.integers(0, width - w + 1)), int(rng.integers(0, height - h + 1)), w, h))
    return corners


def answers(path, rects, *options):
    text = "".join("%d,%d,%d,%d\n" % rect for rect in rects)
    status, out, error = run_sat("query", path, "--rects", "-", "--stat", "sum", *options, input=text.encode())
    return status, [line.split(",")[4:] for line in out.decode().split()[1:]], error


def same(code, got, want):
    if code[0] != "f":
        return got == [[str(int(v)) for v in row] for row in want]
    return np.allclose(np.array(got, float), np.array(want, float), rtol=1e-9, atol=1e-6)


def check(case):
    code, order, channels, layout, seed = case
    rng = np.random.default_rng(seed)
    height, width = int(rng.integers(1, 70)), int(rng.integers(1, 130))
    pixels = random_pixels(rng, height, width, channels, np.dtype(code))
    stored = pixels.astype(pixels.dtype.newbyteorder(order))
    what = f"{pixels.shape} {order}{code} {layout}"
    wide = pixels.astype(np.float64 if code[0] == "f" else object)
    rects = rectangles(rng, height, width)
    want = [wide[y:y + h, x:x + w].sum((0, 1)) for x, y, w, h in rects]
    with scratch() as folder:
        image, table = os.path.join(folder, "in.npy"), os.path.join(folder, "table.npy")
        np.save(image, stored if channels > 1 else stored[:, :, 0])
        status, got, error = answers(image, rects, "--as", "image")
        if status or not same(code, got, want):
            return f"{what}: from the pixels: {error}, {got[:2]}, not {want[:2]}"
        for accum in TABLES[code]:
            status, _, error = run_sat(image, "--as", "image", "-o", table, "--type", accum, "--layout", layout)
            if status:
                return f"{what}: --type {accum}: {error}"
            status, out, error = run_sat("info", "--json", table)
            if status or f'"accum":"{accum}"'.encode() not in out or f'"type":"{NAMES[code]}"'.encode() not in out:
                return f"{what}: {accum}: {out} {error}"
            limit = None if code[0] == "f" else largest_area(code, accum)
            held = [i for i, rect in enumerate(rects) if limit is None or rect[2] * rect[3] <= limit]
            if held:
                status, got, error = answers(table, [rects[i] for i in held])
                if status or not same(code, got, [want[i] for i in held]):
                    return f"{what}: {accum}: {error}, {got[:2]}, not {[want[i] for i in held][:2]}"
            for i in set(range(len(rects))) - set(held):
                status, _, error = answers(table, [rects[i]])
                if status != 1 or "is proven to answer" not in error:
                    return f"{what}: {accum}: {rects[i]} is not refused: {status} {error}"
    return None


def refusals(tap):
    problems = []
    with scratch() as folder:
        table = os.path.join(folder, "t.npy")
        for code, wrong in (("i1", ["u32", "u64", "q32"]), ("i4", ["u32", "u64"]), ("u4", ["i32"]), ("f8", ["f32"])):
            image = os.path.join(folder, "in.npy")
            np.save(image, np.ones((3, 4), code))
            for accum in wrong:
                status, _, error = run_sat(image, "--as", "image", "-o", table, "--type", accum)
                if status != 1 or error.count("\n") or not error.startswith("sat: ") or os.path.exists(table):
                    problems.append(f"{code} to {accum}: {status} {error}")
    tap.report("types that do not go together are refused in one line", problems)


def foreign(tap):
    """Tables that NumPy made of signed samples: --sample says so."""
    problems, rng = [], np.random.default_rng(8)
    pixels = rng.integers(-128, 127, (40, 50), endpoint=True, dtype=np.int8)
    with scratch() as folder:
        table = os.path.join(folder, "t.npy")
        for code in ("i4", "i8"):
            np.save(table, pixels.astype(np.int64).cumsum(0).cumsum(1).astype(code))
            status, got, error = answers(table, [(3, 5, 7, 9)], "--layout", "inclusive", "--sample", "i8")
            if status or got != [[str(int(pixels[5:14, 3:10].astype(int).sum()))]]:
                problems.append(f"{code}: {status} {got} {error}")
            status, _, error = answers(table, [(3, 5, 7, 9)], "--layout", "inclusive")
            if status != 1 or "of u8 samples" not in error:
                problems.append(f"{code}: as u8: {status} {error}")
    tap.report("tables of signed samples of other software", problems)


def main():
    tap = Tap()
    seed = 0
    for code in TABLES:
        cases = []
        for order in "<>":
            for channels in (1, 2, 3, 4):
                for layout in ("padded", "inclusive"):
                    seed += 1
                    cases.append((code, order, channels, layout, seed))
        tap.report(f"{NAMES[code]}: pixels, tables and rectangles",
                   [text for text in in_parallel(check, cases) if text],
                   len(cases))
    refusals(tap)
    foreign(tap)
    tap.finish()


if __name__ == "__main__":
    main()
