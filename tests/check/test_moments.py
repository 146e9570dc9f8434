#!/usr/bin/env python3
"""Sums of squares, and the statistics of rectangles from them, in the library and the command, against Python's
integers and fractions."""
import ctypes
import math
import os
from fractions import Fraction

import numpy as np

import satlib
from satlib import LIB, Tap, View, code, in_parallel, random_pixels, run_sat, scratch, sized

LAYOUTS = {"padded": 0, "inclusive": 1, "exclusive": 2}
# The accumulators of sums, and of squares.
SUMS = {"u8": ["u32", "u64", "i32", "i64", "f64"], "u16": ["u32", "u64", "i64", "f64"], "i8": ["i32", "i64"],
        "i16": ["i32", "i64", "f64"], "u32": ["u64", "f64"], "i32": ["i64"], "f32": ["f64", "f32"], "f64": ["f64"]}
SQUARES = {"u8": ["u32", "u64", "i64", "f64"], "u16": ["u32", "u64", "i64", "f64"], "i8": ["u32", "u64", "i64"],
           "i16": ["u32", "u64", "i64", "f64"], "u32": ["f64"], "i32": ["f64"], "f32": ["f64"], "f64": ["f64"]}
TOP = {"u32": 2**32 - 1, "u64": 2**64 - 1, "i32": 2**31 - 1, "i64": 2**63 - 1}


class Table(ctypes.Structure):
    _fields_ = [("view", View), ("layout", ctypes.c_int), ("sample", ctypes.c_int), ("quant", satlib.Quant),
                ("power", ctypes.c_int), ("reserved_word", ctypes.c_int)]


class Spec(ctypes.Structure):
    _fields_ = satlib.Spec._fields_ + [("count", ctypes.c_int64), ("strided", ctypes.c_bool),
                                       ("reserved", ctypes.c_bool * 7), ("executor", ctypes.c_void_p),
                                       ("allocator", ctypes.c_void_p), ("power", ctypes.c_int),
                                       ("reserved_word", ctypes.c_int)]


class Ask(ctypes.Structure):
    _fields_ = [("flags", ctypes.c_uint), ("threads", ctypes.c_int), ("ddof", ctypes.c_int64),
                ("sums", ctypes.c_void_p), ("areas", ctypes.c_void_p), ("areas_f64", ctypes.c_void_p),
                ("executor", ctypes.c_void_p), ("output", ctypes.c_void_p), ("outputs", ctypes.c_int),
                ("reserved_word", ctypes.c_int)]


class Output(ctypes.Structure):
    _fields_ = [("statistic", ctypes.c_char_p), ("values", ctypes.c_void_p)]


def question(out, names, ddof=0, flags=0):
    """What is asked: statistics by their names, and sums and areas where `out` has a place for them."""
    output = (Output * len(names))(*[(name.encode(), out[name].ctypes.data) for name in names])
    members = {k: out[k].ctypes.data for k in ("sums", "areas", "areas_f64") if k in out}
    ask = Ask(flags, 0, ddof, output=ctypes.addressof(output), outputs=len(names), **members)
    ask.kept = output
    return ask


def view_of(array, name):
    """A view of (N, H, W, C)."""
    count, height, width, channels = array.shape
    return View(array.ctypes.data, array.strides[1], width, height, channels, code(name), 0, 0, count, array.strides[0],
                0)


def create(pixels, sample, accum, layout="padded", power=2, backend=None, threads=0, rows=None):
    """The table of (N, H, W, C) pixels in bands of some rows: (status, array, Table)"""
    count, height, width, channels = pixels.shape
    padded = layout == "padded"
    spec = Spec(width, height, channels, code(sample), code(accum), LAYOUTS[layout], satlib.Quant(),
                backend.encode() if backend else None, threads, 0)
    spec.count, spec.power = count, power
    plan = ctypes.c_void_p()
    status = LIB.sat_plan_create_sized(ctypes.byref(plan), *sized(spec))
    if status:
        return status, LIB.sat_detail().decode(), None
    array = np.full((count, height + padded, width + padded, channels), 77, satlib.TYPES[accum])
    carry = np.zeros((count, width, channels), array.dtype)
    step = rows or height
    for y in range(0, height, step):
        part, to = pixels[:, y:y + step], array[:, y + padded:y + step + padded]
        if y == 0 and padded:
            to = array[:, :step + 1]
        run = satlib.Run(carry_in=carry.ctypes.data if y else None, carry_out=carry.ctypes.data, continues=y > 0)
        status = LIB.sat_plan_run_sized(plan, ctypes.byref(view_of(part, sample)), ctypes.byref(view_of(to, accum)),
                                        *sized(run))
        if status:
            break
    LIB.sat_plan_destroy(ctypes.byref(plan))
    table = Table(view_of(array, accum), LAYOUTS[layout], code(sample), satlib.Quant(), power, 0)
    return status, array, table


def wrapped(total, accum):
    bits = 32 if accum[1:] == "32" else 64
    total %= 2**bits
    return total - 2**bits if accum[0] == "i" and total >= 2**(bits - 1) else total


def prefix_sums(values, layout):
    """Of (H, W, C) Python objects, by the definition of the layout."""
    height, width, channels = values.shape
    full = np.zeros((height + 1, width + 1, channels), object)
    full[1:, 1:] = values.cumsum(0).cumsum(1)
    return full if layout == "padded" else full[1:, 1:] if layout == "inclusive" else full[:-1, :-1]


def check_squares(case):
    """A table of squares is that of the definition, on each backend, in bands and whole."""
    sample, accum, layout, channels, backend, seed = case
    rng = np.random.default_rng(seed)
    height, width, count = int(rng.integers(1, 40)), int(rng.integers(1, 700)), int(rng.integers(1, 3))
    dtype = satlib.TYPES[sample]
    pixels = np.stack([random_pixels(rng, height, width, channels, dtype) for _ in range(count)])
    status, got, _ = create(pixels, sample, accum, layout, backend=backend, threads=int(rng.integers(1, 3)),
                            rows=int(rng.integers(1, height + 1)))
    what = f"{pixels.shape} {sample} {accum} {layout} {backend}"
    if status:
        return f"{what}: {got}"
    for image, table in zip(pixels, got):
        if accum == "f64":
            want = prefix_sums(np.square(image.astype(np.float64)), layout).astype(np.float64)
            close = np.allclose(table, want, rtol=4 * (height + width) * 2.0**-53, atol=0)
            if not close:
                return f"{what}: other squares"
        else:
            exact = prefix_sums(np.vectorize(lambda v: int(v)**2, otypes=[object])(image), layout)
            want = np.vectorize(lambda v: wrapped(v, accum), otypes=[object])(exact)
            if not np.array_equal(table.astype(object), want):
                return f"{what}: other squares"
    return None


def exact_statistics(part, ddof):
    """(sum, mean, var, mean of squares) of a rectangle's samples of one channel, as fractions"""
    values = [Fraction(float(v)) if part.dtype.kind == "f" else Fraction(int(v)) for v in part.ravel()]
    n, total, squares = len(values), sum(values), sum(v * v for v in values)
    var = (n * squares - total * total) / (n * (n - ddof)) if n > ddof else None
    return total, total / n, var, squares / n


def nearest(fraction):
    """Correctly rounded: Python's division of integers is."""
    return fraction.numerator / fraction.denominator


def rectangles(rng, height, width, n=12):
    found = [(0, 0, width, height), (width - 1, height - 1, 1, 1), (0, 0, 1, 1)]
    for _ in range(n):
        w, h = int(rng.integers(1, width + 1)), int(rng.integers(1, height + 1))
        found.append((int(rng.integers(0, width - w + 1)), int(rng.integers(0, height - h + 1)), w, h))
    return found


def ask_of(sums, squares, rects, count, channels, ddof=0, flags=0, want_areas=True):
    n = len(rects)
    array = np.array(rects, np.int64).reshape(n, 4)
    names = ("mean", "var", "std", "rms")
    out = {k: np.full((count, n, channels), 1234.5) for k in names}
    out["sums"] = np.zeros((count, n, channels), np.uint64)
    if want_areas:
        out["areas"] = np.full(n, -1, np.int64)
    ask = question(out, names, ddof, flags)
    status = LIB.sat_table_statistics_sized(ctypes.byref(sums), ctypes.byref(squares) if squares else None,
                                            array.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(n),
                                            ctypes.byref(ask), None, ctypes.c_size_t(ctypes.sizeof(Table)),
                                            ctypes.c_size_t(ctypes.sizeof(Ask)), ctypes.c_size_t(0))
    return status, out


def float_error(pixels, table_bits, squared):
    """How far a sum of a rectangle of a float table may lie from the exact one: sat.h, four entries of it, a few more
    roundings."""
    total = float(np.sum(np.square(pixels.astype(np.float64)) if squared else np.abs(pixels.astype(np.float64))))
    return 4 * 2 * sum(pixels.shape[:2]) * 2.0**-table_bits * total


def check_statistics(case):
    sample, accum, accum2, layouts, channels, seed = case
    rng = np.random.default_rng(seed)
    height, width, count = int(rng.integers(2, 24)), int(rng.integers(2, 24)), int(rng.integers(1, 3))
    pixels = np.stack([random_pixels(rng, height, width, channels, satlib.TYPES[sample]) for _ in range(count)])
    if seed % 4 == 0:  # a small deviation at a large offset
        near = pixels.dtype.type(250 if sample.endswith("8") and sample[0] == "u" else 100)
        pixels = (near + rng.integers(0, 2, pixels.shape)).astype(pixels.dtype)
    what = f"{pixels.shape} {sample} {accum} {accum2} {layouts} seed {seed}"
    _, kept1, sums = create(pixels, sample, accum, layouts[0], power=1)
    _, kept2, squares = create(pixels, sample, accum2, layouts[1], power=2)
    if sums is None or squares is None:
        return f"{what}: {kept1} {kept2}"
    rects, ddof = rectangles(rng, height, width), int(rng.integers(0, 3))
    if "exclusive" in layouts:
        rects = [r for r in rects if r[0] + r[2] < width and r[1] + r[3] < height]
    if not rects:
        return None
    top = 2**16 if sample in ("u16", "i16") else 2**8
    largest = min([TOP[a] // (top - 1)**p for a, p in ((accum, 1), (accum2, 2)) if a in TOP] + [2**40])
    rects = [r for r in rects if r[2] * r[3] <= largest]
    status, out = ask_of(sums, squares, rects, count, channels, ddof)
    if status:
        return f"{what}: {LIB.sat_detail().decode()}"
    integer = accum[0] != "f" and accum2[0] != "f"
    for i in range(count):
        for k, (x, y, w, h) in enumerate(rects):
            if out["areas"][k] != w * h:
                return f"{what}: area {out['areas'][k]}"
            for c in range(channels):
                part = pixels[i, y:y + h, x:x + w, c]
                total, mean, var, square = exact_statistics(part, ddof)
                got = [float(out[name][i, k, c]) for name in ("mean", "var", "std", "rms")]
                if integer:
                    want = [nearest(mean), nearest(var) if var is not None else math.nan,
                            math.sqrt(nearest(var)) if var is not None else math.nan, math.sqrt(nearest(square))]
                    bits = int(out["sums"][i, k, c])
                    if bits != int(total) % 2**64 and bits != int(total) % 2**32:
                        return f"{what}: {rects[k]}: sum {bits}, not {total}"
                    if not np.array_equal(got, want, equal_nan=True):
                        return f"{what}: {rects[k]} ddof {ddof}: {got}, not {want}"
                    continue
                image = pixels[i, :, :, c]
                e1 = 0 if accum[0] != "f" else float_error(image, 24 if accum == "f32" else 53, False)
                e2 = 0 if accum2[0] != "f" else float_error(image, 53, True)
                n, s1, s2 = w * h, abs(float(total)), float(square) * w * h
                if var is None:
                    if not math.isnan(got[1]):
                        return f"{what}: {rects[k]}: variance {got[1]} of {n} pixels, ddof {ddof}"
                    continue
                bound = (e2 + 2 * s1 / n * e1 + e1 * e1 / n + 4 * 2.0**-53 * s2) / (n - ddof)
                if not (got[1] >= 0 and abs(Fraction(got[1]) - var) <= Fraction(bound)):
                    return f"{what}: {rects[k]}: variance {got[1]}, not {float(var)} within {bound}"
                if got[2] != math.sqrt(got[1]):
                    return f"{what}: {rects[k]}: deviation {got[2]} of {got[1]}"
    return None


def statistics_cases():
    seed = 0
    for sample, accums in SUMS.items():
        for accum in accums:
            for accum2 in SQUARES[sample]:
                for layouts in (("padded", "padded"), ("inclusive", "exclusive")):
                    seed += 1
                    yield sample, accum, accum2, layouts, 1 + seed % 4, seed


def large_quotients(tap):
    """Sums that no small image has, in tables written by hand: a row of n pixels, whose last entry is the sum."""
    problems = []
    rng = np.random.default_rng(5)
    for _ in range(300):
        n, top = int(rng.integers(1, 2**int(rng.integers(1, 20)), endpoint=True)), 2**int(rng.integers(1, 17)) - 1
        s1 = int(rng.integers(0, n * top, endpoint=True))
        least = -(-s1 * s1 // n)  # Cauchy and Schwarz
        s2 = least + int(rng.integers(0, 2**int(rng.integers(1, 30))))
        sums = np.zeros((1, 2, n + 1, 1), np.uint64)
        squares = np.zeros_like(sums)
        sums[0, 1, -1, 0], squares[0, 1, -1, 0] = s1, s2
        tables = [Table(view_of(a, "u64"), 0, code("u16"), satlib.Quant(), p, 0) for a, p in ((sums, 1), (squares, 2))]
        status, out = ask_of(*tables, [(0, 0, n, 1)], 1, 1)
        want = nearest(Fraction(n * s2 - s1 * s1, n * n))
        if status or out["var"][0, 0, 0] != want:
            problems.append(f"n {n} s1 {s1} s2 {s2}: {out['var'][0, 0, 0]}, not {want}")
    tap.report("variances of large sums are rounded once", problems, 300)


def refusals(tap):
    problems = []
    pixels = np.arange(30, dtype=np.uint8).reshape(1, 5, 6, 1)
    wide = pixels.astype(np.uint32)
    for name, got, words in [
            ("u32 squares in u64", create(wide, "u32", "u64"), "but in f64, which rounds: 64 bits"),
            ("u8 squares in i32", create(pixels, "u8", "i32"), "squares of u8 samples cannot be summed in i32"),
            ("u8 squares in f32", create(pixels, "u8", "f32"), "but in u32 or u64 or i64 or f64"),
            ("power 3", create(pixels, "u8", "u32", power=3), "power of 3")]:
        if not got[0] or words not in got[1]:
            problems.append(f"{name}: {got[:2]}")
    _, kept, sums = create(pixels, "u8", "u32", power=1)
    _, kept2, squares = create(pixels, "u8", "u32")
    other = Table.from_buffer_copy(squares)
    other.sample = code("u16")
    small = create(pixels[:, :4].copy(), "u8", "u32")
    rects = [(0, 0, 2, 2)]
    for name, pair, words in [("no squares", (sums, None), "a table of the squares"),
                              ("twice sums", (sums, sums), "power 1"),
                              ("twice squares", (squares, squares), "power 2"),
                              ("another sample", (sums, other), "u8 and u16"),
                              ("another shape", (sums, small[2]), "different shapes")]:
        status, _ = ask_of(*pair, rects, 1, 1)
        if not status or words not in LIB.sat_detail().decode():
            problems.append(f"{name}: {status} {LIB.sat_detail().decode()}")
    zeros = np.zeros((1, 2, 66053, 1), np.uint32)
    limit = [Table(view_of(zeros, "u32"), 0, code("u8"), satlib.Quant(), p, 0) for p in (1, 2)]
    status, _ = ask_of(*limit, [(0, 0, 66051, 1)], 1, 1)
    if status:
        problems.append(f"66051 squares of u8: {LIB.sat_detail().decode()}")
    status, _ = ask_of(*limit, [(0, 0, 66051, 1), (0, 0, 66052, 1)], 1, 1)
    if status != 4 or "66051 pixels that a u32 table of squares of u8 samples" not in LIB.sat_detail().decode():
        problems.append(f"66052 squares of u8: {status} {LIB.sat_detail().decode()}")
    status, out = ask_of(sums, squares, [(-2, -2, 3, 3), (9, 9, 1, 1)], 1, 1, flags=1)
    nothing = np.isnan(out["rms"][0, 1, 0])
    if status or out["areas"].tolist() != [1, 0] or out["var"][0, 0, 0] != 0 or not nothing:
        problems.append(f"clipped: {status} {out}")
    del kept, kept2, small
    tap.report("what is no table of squares, and what it cannot answer, is refused", problems)


def command(case):
    """`sat --moments 1,2` writes both sums as the format says, and `sat query` answers from it and from the image."""
    sample, accum, layout, channels, seed = case
    rng = np.random.default_rng(seed)
    height, width = int(rng.integers(2, 40)), int(rng.integers(2, 60))
    pixels = random_pixels(rng, height, width, channels, satlib.TYPES[sample])
    what = f"{pixels.shape} {sample} {accum} {layout}"
    rects = rectangles(rng, height, width, 6)
    ddof = int(rng.integers(0, 2))
    with scratch() as folder:
        image, path = os.path.join(folder, "in.npy"), os.path.join(folder, "table.npy")
        np.save(image, pixels if channels > 1 else pixels[:, :, 0])
        status, _, error = run_sat("-q", image, "--as", "image", "-o", path, "--moments", "1,2", "--type", accum,
                                   "--layout", layout)
        if status:
            return f"{what}: {error}"
        kind = np.float64 if accum == "f64" else object
        wide = pixels.astype(np.float64) if accum == "f64" else np.vectorize(int, otypes=[object])(pixels)
        if pixels.dtype.kind == "f":  # sums of what is above a level: a sample of the first row
            with open(path, "rb") as file:
                level = np.frombuffer(file.read()[-192 + 168:-192 + 176], "<f8")[0]
            near = satlib.level_of(pixels, np.ones(pixels.shape, bool))
            if level != near:
                return f"{what}: a level of {level}"
            wide = wide - level
        want = np.concatenate([prefix_sums(wide, layout), prefix_sums(wide * wide, layout)], 2)
        table = np.load(path)
        slack = 1e-12 * float(np.abs(wide).max())**2 * wide.size
        close = (np.allclose(table, want.astype(kind), rtol=1e-12, atol=slack)
                 if accum == "f64" else
                 np.array_equal(table.astype(object), np.vectorize(lambda v: wrapped(v, accum), otypes=[object])(want)))
        if table.shape != want.shape or not close:
            return f"{what}: the file has other entries, {table.shape}"
        status, out, error = run_sat("info", "--json", path)
        if status or b'"moments":[1,2]' not in out or f'"channels":{channels},'.encode() not in out:
            return f"{what}: info: {out} {error}"
        text = "".join("%d,%d,%d,%d\n" % rect for rect in rects).encode()
        for source in (image, path):
            args = ["query", "-q", source, "--rects", "-", "--stat", "std,area,var,mean,rms,count", "--ddof", ddof]
            status, out, error = run_sat(*args, *(["--as", "image"] if source == image else []), input=text)
            if status:
                return f"{what}: {source}: {error}"
            for rect, line in zip(rects, out.decode().split()[1:]):
                x, y, w, h = rect
                got = [float(v) for v in line.split(",")[4:]]
                exact = [exact_statistics(pixels[y:y + h, x:x + w, c], ddof) for c in range(channels)]
                var = [math.nan if e[2] is None else nearest(e[2]) for e in exact]
                want = [math.sqrt(v) for v in var] + [w * h] + var
                want += [nearest(e[1]) for e in exact] + [math.sqrt(nearest(e[3])) for e in exact]
                want += [w * h] * channels
                if sample[0] != "f" and (source == image or accum != "f64"):
                    equal = np.array_equal(got, want, equal_nan=True)
                elif source == image:  # centred, in twice the precision
                    equal = np.allclose(got, want, rtol=1e-12, atol=0, equal_nan=True)
                else:
                    scale = float(np.abs(pixels.astype(np.float64)).max())
                    equal = np.allclose(got, want, rtol=1e-6, atol=1e-6 * scale * max(1, scale), equal_nan=True)
                if not equal:
                    return f"{what}: {os.path.basename(source)} {rect} ddof {ddof}: {got}, not {want}"
    return None


def words(case):
    """Rectangles of 32-bit integers, from the pixels: exact quotients, rounded once, whatever the samples."""
    sample, kind, backend, seed = case
    rng = np.random.default_rng(seed)
    info = np.iinfo(satlib.TYPES[sample])
    height, width, channels = int(rng.integers(1, 60)), int(rng.integers(1, 60)), 1 + seed % 4
    shape = (height, width, channels)
    pixels = {"any": lambda: rng.integers(info.min, info.max, shape, endpoint=True),
              "extremes": lambda: rng.choice([info.min, info.max], shape),
              "top": lambda: rng.integers(info.max - 2, info.max, shape, endpoint=True),
              "bottom": lambda: np.full(shape, info.min)}[kind]().astype(satlib.TYPES[sample])
    what = f"{pixels.shape} {sample} {kind} {backend} seed {seed}"
    rects, ddof = rectangles(rng, height, width, 12), seed % 3
    with scratch() as folder:
        image = os.path.join(folder, "in.npy")
        np.save(image, pixels if channels > 1 else pixels[:, :, 0])
        text = "".join("%d,%d,%d,%d\n" % rect for rect in rects).encode()
        status, out, error = run_sat("query", "-q", "--as", "image", image, "--rects", "-", "--stat", "var,std,rms,sum",
                                     "--ddof", ddof, *(["--backend", backend] if backend else []), input=text)
    if status:
        return f"{what}: {error}"
    for rect, line in zip(rects, out.decode().split()[1:], strict=True):
        x, y, w, h = rect
        exact = [exact_statistics(pixels[y:y + h, x:x + w, c], ddof) for c in range(channels)]
        var = [math.nan if e[2] is None else nearest(e[2]) for e in exact]
        want = [*var, *map(math.sqrt, var), *(math.sqrt(nearest(e[3])) for e in exact)]
        got = line.split(",")[4:]
        if not np.array_equal([float(v) for v in got[:-channels]], want, equal_nan=True):
            return f"{what}: {rect} ddof {ddof}: {got}, not {want}"
        if [int(v) for v in got[-channels:]] != [e[0] for e in exact]:
            return f"{what}: {rect}: {got}"
    return None


def offsets(tap):
    """Floats at 300 K that deviate by 0.01: exact from the image."""
    rng = np.random.default_rng(1)
    pixels = (300 + rng.standard_normal((40, 50)) * 0.01).astype(np.float32)
    problems = []
    with scratch() as folder:
        path = os.path.join(folder, "k.npy")
        np.save(path, pixels)
        _, out, error = run_sat("query", "--as", "image", path, "--rect", "3,4,30,20", "--stat", "var")
        want = nearest(exact_statistics(pixels[4:24, 3:33], 0)[2])
        got = float(out.decode().split()[-1].split(",")[-1])
        if abs(got - want) > 1e-15 * want * 2:
            problems.append(f"{got}, not {want} {error}")
    tap.report("a small deviation of floats at a large offset keeps its digits", problems)


def main():
    tap = Tap()
    cases = [(sample, accum, layout, 1 + k % 4, backend, k * 7 + len(sample))
             for sample, accums in SQUARES.items() for accum in accums
             for k, (layout, backend) in enumerate((a, b) for a in LAYOUTS for b in ("cpu", "serial"))]
    found = [p for p in in_parallel(check_squares, cases) if p]
    tap.report("tables of squares are those of the definition", found, len(cases))
    cases = list(statistics_cases())
    found = [p for p in in_parallel(check_statistics, cases) if p]
    tap.report("statistics of rectangles: integers exact and rounded once, floats within the bound", found, len(cases))
    large_quotients(tap)
    refusals(tap)
    cases = [(sample, accum, layout, channels, 31 * k + channels)
             for k, (sample, accum) in enumerate([("u8", "i64"), ("u8", "u32"), ("u16", "u64"), ("i8", "i64"),
                                                  ("i16", "i64"),
                                                  ("u8", "f64"), ("u32", "f64"), ("i32", "f64"), ("f32", "f64"),
                                                  ("f64", "f64")])
             for layout in ("padded", "inclusive") for channels in (1, 2, 3, 4)]
    found = [p for p in in_parallel(command, cases) if p]
    tap.report("the command's tables of two moments, and its answers from them and from images", found, len(cases))
    cases = [(sample, kind, backend, seed) for seed, (sample, kind, backend) in enumerate(
        [(sample, kind, backend) for sample in ("u32", "i32") for kind in ("any", "extremes", "top", "bottom")
         for backend in (None, None, "cpu")])]
    found = [p for p in in_parallel(words, cases) if p]
    tap.report("the command's variances of 32-bit integers are exact quotients, rounded once", found, len(cases))
    offsets(tap)
    tap.finish()


if __name__ == "__main__":
    main()
