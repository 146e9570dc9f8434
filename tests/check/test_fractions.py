#!/usr/bin/env python3
"""Rectangles whose sides have fractions, in the library and the command, against Python's fractions."""
import ctypes
import math
import os
from fractions import Fraction

import numpy as np

from satlib import LIB, TYPES, Tap, in_parallel, random_pixels, run_sat, scratch
from test_moments import SQUARES, SUMS, TOP, Ask, Table, create, float_error, prefix_sums, question

UNIT = Fraction(1, 2**53)
NAMES = ("sums", "mean", "var", "std", "rms")


def exact(value):
    return Fraction(float(value)) if isinstance(value, np.floating) else Fraction(int(value))


def edges(rect):
    x, y, w, h = (float(v) for v in rect)
    return x, y, x + w, y + h


def covered(low, high, n):
    """The share of each of n pixels that lies between two edges."""
    low, high = max(Fraction(low), 0), min(Fraction(high), n)
    return [max(Fraction(0), min(high, i + 1) - max(low, i)) for i in range(n)]


def definition(pixels, rect):
    """(area, sum of w * x, of w * |x|, of w * x * x) of (H, W) pixels, as fractions"""
    x0, y0, x1, y1 = edges(rect)
    columns, rows = covered(x0, x1, pixels.shape[1]), covered(y0, y1, pixels.shape[0])
    area = total = size = squares = Fraction(0)
    for j, high in enumerate(rows):
        for i, wide in enumerate(columns):
            if high and wide:
                weight, value = high * wide, exact(pixels[j, i])
                area += weight
                total += weight * value
                size += weight * abs(value)
                squares += weight * value * value
    return area, total, size, squares


def ask_of(sums, squares, rects, count, channels, ddof=0, flags=0):
    n = len(rects)
    array = np.array(rects, np.float64).reshape(n, 4)
    out = {k: np.full((count, n, channels), 1234.5) for k in NAMES}
    out["areas_f64"] = np.full(n, -1.0)
    ask = question(out, NAMES[1:] if squares else NAMES[1:2], ddof, flags)
    status = LIB.sat_table_statistics_f64_sized(ctypes.byref(sums), ctypes.byref(squares) if squares else None,
                                                array.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(n),
                                                ctypes.byref(ask), None, ctypes.c_size_t(ctypes.sizeof(Table)),
                                                ctypes.c_size_t(ctypes.sizeof(ask)), ctypes.c_size_t(0))
    return status, out


def rectangles(rng, height, width, n=10):
    """Inside: of any fractions, of halves and quarters, thin, within one pixel, whole."""
    found = [(0, 0, width, height), (0.5, 0.25, width - 0.5, height - 0.25), (width - 1, height - 1, 1, 1),
             (0, 0, 2.0**-60, 1), (width - 0.5, height - 2.0**-30, 0.25, 2.0**-31), (0.3, 0.3, 0.4, 0.4)]
    for k in range(n):
        x0, x1 = sorted(rng.uniform(0, width, 2))
        y0, y1 = sorted(rng.uniform(0, height, 2))
        if k % 3 == 0:
            x0, x1, y0, y1 = (math.floor(4 * v) / 4 for v in (x0, x1, y0, y1))
        if k % 5 == 4:
            x0, x1 = math.floor(x0), math.floor(x1)
        found.append((x0, y0, x1 - x0, y1 - y0))
    def inside(rect):
        x0, y0, x1, y1 = edges(rect)
        return 0 <= x0 < x1 <= width and 0 <= y0 < y1 <= height
    return [r for r in found if inside(r)]


def near(got, want, bound):
    return math.isfinite(got) and abs(Fraction(got) - want) <= bound


def check(case):
    sample, accum, accum2, layout, channels, seed = case
    rng = np.random.default_rng(seed)
    height, width, count = int(rng.integers(1, 9)), int(rng.integers(1, 11)), int(rng.integers(1, 3))
    pixels = np.stack([random_pixels(rng, height, width, channels, TYPES[sample]) for _ in range(count)])
    if seed % 4 == 0:  # a small deviation at a large offset
        pixels = (pixels.dtype.type(100) + rng.integers(0, 2, pixels.shape)).astype(pixels.dtype)
    if seed % 8 == 4:
        pixels[:] = pixels[0, 0, 0, 0]
    what = f"{pixels.shape} {sample} {accum} {accum2} {layout} seed {seed}"
    _, kept1, sums = create(pixels, sample, accum, layout, power=1)
    _, kept2, squares = create(pixels, sample, accum2, layout, power=2)
    if sums is None or squares is None:
        return f"{what}: {kept1} {kept2}"
    rects, ddof = rectangles(rng, height, width), int(rng.integers(0, 2))
    if layout == "exclusive":
        rects = [r for r in rects if edges(r)[2] <= width - 1 and edges(r)[3] <= height - 1]
    top = 2**16 if sample in ("u16", "i16") else 2**8
    largest = min([TOP[a] // (top - 1)**p for a, p in ((accum, 1), (accum2, 2)) if a in TOP] + [2**40])
    def touched(r):
        x0, y0, x1, y1 = edges(r)
        return (math.ceil(x1) - math.floor(x0)) * (math.ceil(y1) - math.floor(y0))
    rects = [r for r in rects if touched(r) <= largest]
    if not rects:
        return None
    status, out = ask_of(sums, squares, rects, count, channels, ddof)
    if status:
        return f"{what}: {LIB.sat_detail().decode()}"
    for i in range(count):
        for k, rect in enumerate(rects):
            for c in range(channels):
                image = pixels[i, :, :, c]
                area, total, size, square = definition(image, rect)
                got = {name: float(out[name][i, k, c]) for name in NAMES}
                got["area"] = float(out["areas_f64"][k])
                e1 = 9 * Fraction(0 if accum[0] != "f" else float_error(image, 24 if accum == "f32" else 53, False))
                e2 = 9 * Fraction(0 if accum2[0] != "f" else float_error(image, 53, True))
                whole = all(float(v).is_integer() for v in rect)
                if whole and not e1 and got["sums"] != float(total):
                    return f"{what}: {rect}: {got}, not the sum {total}"
                bounds = [("area", area, 4 * UNIT * area), ("sums", total, 14 * UNIT * size + e1),
                          ("mean", total / area, (18 * UNIT * size + 2 * e1) / area)]
                wrong = [(name, float(want)) for name, want, bound in bounds if not near(got[name], want, bound)]
                if wrong:
                    return f"{what}: {rect}: {got}, not {wrong}"
                root2 = Fraction(got["rms"])**2
                if not near(float(root2), square / area, (32 * UNIT * square + 2 * e2) / area):
                    return f"{what}: {rect}: {got}, root of {float(square / area)}"
                if area <= ddof:
                    if not math.isnan(got["var"]):
                        return f"{what}: {rect}: {got}: of area {float(area)}, ddof {ddof}"
                    continue
                var0 = (square - total * total / area) / area
                share = area / (area - ddof)
                if e1 or e2:
                    bound = (e2 + 2 * abs(total) / area * e1 + e1 * e1 / area + 99 * UNIT * square) / (area - ddof)
                    bound *= share + 1
                else:
                    bound = 64 * UNIT * share**2 * (var0 + Fraction(1, 3))
                if not (got["var"] >= 0 and near(got["var"], var0 * share, bound)):
                    return f"{what}: {rect} ddof {ddof}: {got}, not the variance {float(var0 * share)}"
                if not (e1 or e2) and var0 == 0 and got["var"] != 0:
                    return f"{what}: {rect}: {got}: equal samples"
                if got["std"] != math.sqrt(got["var"]):
                    return f"{what}: {rect}: {got}: deviation"
    return None


def cases():
    seed = 0
    for sample, accums in SUMS.items():
        for accum in accums:
            for accum2 in SQUARES[sample]:
                for layout in ("padded", "inclusive", "exclusive"):
                    seed += 1
                    yield sample, accum, accum2, layout, 1 + seed % 4, seed


def bilinear(tap):
    """What the header says: the sum is that of bilinear reads at the corners."""
    rng = np.random.default_rng(3)
    problems = []
    for _ in range(20):
        pixels = rng.integers(0, 256, (6, 7, 1), dtype=np.uint8)
        table = prefix_sums(np.vectorize(int, otypes=[object])(pixels), "padded")[:, :, 0]

        def read(x, y):
            i, j = min(math.floor(x), 6), min(math.floor(y), 5)
            fx, fy = Fraction(x) - i, Fraction(y) - j
            rows = [table[j + k][i] * (1 - fx) + table[j + k][i + 1] * fx for k in (0, 1)]
            return rows[0] * (1 - fy) + rows[1] * fy

        for rect in rectangles(rng, 6, 7):
            x0, y0, x1, y1 = edges(rect)
            sides = [(x, y) for x, y in ((x0, y0), (x1, y0), (x0, y1), (x1, y1))]
            if any(x >= 7 or y >= 6 for x, y in sides):
                continue
            a, b, c, d = (read(x, y) for x, y in sides)
            if d - b - c + a != definition(pixels[:, :, 0], rect)[1]:
                problems.append(f"{rect}: {d - b - c + a}")
    tap.report("sums of covered areas are those of bilinear reads", problems)


def refusals(tap):
    problems = []
    pixels = np.arange(30, dtype=np.uint8).reshape(1, 5, 6, 1)
    _, kept, sums = create(pixels, "u8", "u32", power=1)
    _, kept2, last = create(pixels, "u8", "u32", "exclusive", power=1)
    nan, inf = math.nan, math.inf
    for table, rect, code, words in [
            (sums, (0.5, 0.5, 0, 1), 5, "rectangle 1 (x=0.5, y=0.5, width=0, height=1) is empty"),
            (sums, (0.5, 0.5, 1, -0.25), 5, "is empty"),
            (sums, (1, 1, 2.0**-60, 1), 5, "is empty"),
            (sums, (nan, 0, 1, 1), 5, "has a side that is no number"),
            (sums, (0, 0, 1, nan), 5, "has a side that is no number"),
            (sums, (-inf, 0, inf, 1), 5, "has a side that is no number"),
            (sums, (0, 0, inf, 1), 5, "reaches outside the image of shape (5, 6)"),
            (sums, (-2.0**-40, 0, 1, 1), 5, "reaches outside"),
            (sums, (5.5, 0, 0.5000001, 1), 5, "reaches outside"),
            (last, (4.5, 0, 0.75, 1), 4, "touches the last row or column"),
            (last, (4.5, 0, 0.5, 1), 0, "")]:
        status, _ = ask_of(table, None, [(0, 0, 1, 1), rect], 1, 1)
        if status != code or (code and words not in LIB.sat_detail().decode()):
            problems.append(f"{rect}: {status} {LIB.sat_detail().decode()}")
    status, out = ask_of(sums, None, [(-2, -2, 2.5, 2.5), (9, 9.5, 1, 1), (5.5, 4.5, inf, 1e300)], 1, 1, flags=1)
    got = [v if not math.isnan(v) else None for v in out["mean"].ravel().tolist()]
    if status or out["areas_f64"].tolist() != [0.25, 0, 0.25] or got != [0, None, 29]:
        problems.append(f"clipped: {status} {out} {LIB.sat_detail().decode()}")
    wide = np.zeros((1, 1, 16843011, 1), np.uint8)
    _, kept3, table = create(wide, "u8", "u32", "inclusive", power=1)
    for rect, code in [((0.5, 0, 16843008.5, 1), 0), ((0.5, 0, 16843009, 1), 4)]:
        status, _ = ask_of(table, None, [rect], 1, 1)
        if status != code:
            problems.append(f"{rect}: {status} {LIB.sat_detail().decode()}")
    ask = Ask(areas=1)
    one = (ctypes.c_double * 4)(0, 0, 1, 1)
    status = LIB.sat_table_statistics_f64_sized(ctypes.byref(sums), None, one, ctypes.c_size_t(1), ctypes.byref(ask),
                                                None, ctypes.c_size_t(ctypes.sizeof(Table)),
                                                ctypes.c_size_t(ctypes.sizeof(ask)), ctypes.c_size_t(0))
    if status != 1 or "areas_f64" not in LIB.sat_detail().decode():
        problems.append(f"areas: {status} {LIB.sat_detail().decode()}")
    del kept, kept2, kept3
    tap.report("what is no rectangle of the image is refused, or cut", problems)


def command(case):
    """From a table and from the image itself, with rectangles in a .npy of either float, CSV and JSON lines."""
    sample, channels, seed = case
    rng = np.random.default_rng(seed)
    height, width = int(rng.integers(2, 9)), int(rng.integers(2, 9))
    pixels = random_pixels(rng, height, width, channels, TYPES[sample])
    ddof, rounds = seed % 2, sample not in ("u8", "u16", "i8", "i16")
    rects = np.array(rectangles(rng, height, width), "<f8")
    if seed % 3 == 0:
        rects = np.array([r for r in rects.astype(">f4") if all(v <= n for v, n in zip(edges(r)[2:], (width, height)))
                          and r[2] > 0 and r[3] > 0 and edges(r)[2] > edges(r)[0]], ">f4")
    what = f"{pixels.shape} {sample} {rects.dtype} seed {seed}"
    with scratch() as folder:
        image, table, path = (os.path.join(folder, name) for name in ("in.npy", "table.npy", "rects.npy"))
        np.save(image, pixels if channels > 1 else pixels[:, :, 0])
        np.save(path, rects)
        status, _, error = run_sat("-q", image, "--as", "image", "-o", table, "--moments", "1,2",
                                   *(["--type", "f64"] if rounds else []))
        if status:
            return f"{what}: {error}"
        texts = ["%r,%r,%r,%r\n", '{"y":%r,"x":%r,"w":%r,"h":%r}\n', "[%r,%r,%r,%r]\n"]
        order = [1, 0, 2, 3]
        for source in (image, table):
            args = ["query", "-q", source, *(["--as", "image"] if source == image else []), "--stat",
                    "mean,sum,var,count", "--ddof", ddof]
            answers = os.path.join(folder, "answers.npy")
            status, _, error = run_sat(*args, "--rects", path, "-o", answers)
            if status:
                return f"{what}: {source}: {error}"
            got = np.load(answers)
            fractions = np.any(rects != np.floor(rects))
            if fractions and any(got.dtype[name].base != np.float64 for name in got.dtype.names):
                return f"{what}: {got.dtype}"
            if not all(np.array_equal(got[name], rects[:, k]) for k, name in enumerate("xywh")):
                return f"{what}: other rectangles"
            for rect, row in zip(rects, got):
                for c in range(channels):
                    area, total, size, square = definition(pixels[:, :, c], rect)
                    values = [float(np.atleast_1d(row[name])[c]) for name in ("mean", "sum", "var", "count")]
                    # a table of floats has lost what its sums cannot hold
                    lossy = rounds and source == table
                    slack = Fraction(1, 2**45) if lossy else 64 * UNIT
                    scale = exact(np.abs(pixels.astype(np.float64)).max())
                    large = height * width * scale if lossy else size
                    ok = near(values[3], area, 4 * UNIT * area) and near(values[1], total, slack * large)
                    ok = ok and near(values[0], total / area, slack * large / area + 4 * UNIT * size / area)
                    if area > ddof:
                        var = (square - total * total / area) / (area - ddof)
                        share = (area / (area - ddof))**2
                        lost = 64 * scale * scale * height * width / area if lossy else square / area / 1000
                        bound = slack * share * (var + 1 + lost)
                        ok = ok and near(values[2], var, bound)
                    elif not math.isnan(values[2]):
                        ok = False
                    if not ok:
                        return f"{what}: {os.path.basename(source)} {rect.tolist()}: {row}"
            for text in [*texts, "--rect=%r,%r,%r,%r"]:
                columns = rects[:, order] if "y" in text else rects
                lines = [text % tuple(float(v) for v in rect) for rect in columns]
                given = lines if text.startswith("--") else ["--rects", "-"]
                status, out, error = run_sat(*args, *given, input="".join(lines).encode())
                if status:
                    return f"{what}: {text}: {error}"
                for row, line in zip(got, out.decode().split()[1:], strict=True):
                    flat = np.concatenate([np.atleast_1d(row[name]).ravel() for name in row.dtype.names])
                    # whole ones have variances of their own, rounded once
                    values = [float(v) for v in line.split(",")]
                    if not np.allclose(flat, values, rtol=1e-9, atol=1e-9 * float(scale)**2, equal_nan=True):
                        return f"{what}: {text}: {line}, not {row}"
    return None


def main():
    tap = Tap()
    all_cases = list(cases())
    found = [p for p in in_parallel(check, all_cases) if p]
    tap.report("statistics of covered areas are within the bounds of sat_query.h", found, len(all_cases))
    bilinear(tap)
    refusals(tap)
    commands = [(sample, 1 + k % 4, k) for k, sample in enumerate(list(SUMS) * 3)]
    found = [p for p in in_parallel(command, commands) if p]
    tap.report("the command answers rectangles of .npy, CSV and JSON lines", found, len(commands))
    tap.finish()


if __name__ == "__main__":
    main()
