#!/usr/bin/env python3
"""Box filters of the library: every type of samples and of results, against sums and quotients in rational arithmetic.

Integer means are the exact quotient to nearest, halves away from zero.  Float means of integers are the f64 that is
nearest to the exact quotient, and that rounded to f32.  Means of floats keep the bound that sat.h gives, and no sample
touches a window that does not hold it."""
import ctypes
import itertools
import os
from fractions import Fraction

import numpy as np

from satlib import BUILD, MAPS, TYPES, BoxSpec, Failed, Tap, View, borders, code, isas_here, sized, window_sums

# The build of the library that takes its instruction set from the environment.
LIB = ctypes.CDLL(os.path.join(BUILD, "tests", "libsat.so"))
LIB.sat_detail.restype = ctypes.c_char_p

INTEGERS = ("u8", "u16", "u32", "i8", "i16", "i32")
FLOATS = ("f32", "f64")
BOUNDS = {name: (int(np.iinfo(TYPES[name]).min), int(np.iinfo(TYPES[name]).max)) for name in INTEGERS}
UNIT = 2 ** 1074  # each finite f64 is a whole number of its inverse
SIZES = [(1, 1), (1, 9), (7, 1), (2, 3), (5, 4), (16, 5), (33, 9), (40, 20), (67, 8), (131, 3), (800, 2), (3, 70)]
WINDOWS = [(1, 1), (3, 3), (2, 2), (5, 1), (1, 4), (7, 3), (8, 5), (15, 15), (17, 15), (16, 17), (64, 2), (90, 41)]


def need(status):
    if status != 0:
        raise Failed(f"status {status}: {LIB.sat_detail().decode()}")


def view(array, name, gap, images, pixel_gap=0):
    """A view of (N, H, W, C) values in a buffer of its own with gaps between rows and pixels; with the buffer."""
    count, height, width, channels = array.shape
    rows = np.full((count, height, width * (channels + pixel_gap) + gap), 0x5a).astype(array.dtype)
    own = rows[:, :, :width * (channels + pixel_gap)].reshape(count, height, width, -1)
    own[..., :channels] = array
    rows[:, :, :width * (channels + pixel_gap)] = own.reshape(count, height, -1)
    item = rows.itemsize
    return View(rows.ctypes.data, rows.strides[1], width, height, channels, code(name), 0, 0, images, rows.strides[0],
                (channels + pixel_gap) * item), rows


def run(case):
    """The filter's result, (N, H, W, C)."""
    pixels = case["pixels"]
    count, height, width, channels = pixels.shape
    spec = BoxSpec(width, height, channels, code(case["sample"]), *case["window"], case["border"].encode(),
                   (ctypes.c_double * 4)(*map(float, case["value"])), case["weighted"], case["backend"].encode(),
                   case["threads"], 0, case["first"], bool(case["pixel_gap"]))
    spec.count = count
    spec.result = code(case["result"]) if case["result"] != case["sample"] or case["named"] else 0
    box = ctypes.c_void_p()
    if case["isa"]:
        os.environ["SAT_ISA"] = case["isa"]
    need(LIB.sat_box_create_sized(ctypes.byref(box), *sized(spec)))
    try:
        src, src_rows = view(pixels, case["sample"], case["gap"], count, case["pixel_gap"])
        before = src_rows.copy()
        dst, dst_rows = view(np.full(pixels.shape, 77, TYPES[case["result"]]), case["result"], case["gap"], count)
        need(LIB.sat_box_run_sized(box, ctypes.byref(src), ctypes.byref(dst), *sized(None)))
        if before.tobytes() != src_rows.tobytes():
            raise Failed("the source was written to")
        if case["gap"] and not (dst_rows[:, :, -case["gap"]:] == 0x5a).all():
            raise Failed("the gap between rows was written to")
        return dst_rows[:, :, :width * channels].reshape(pixels.shape)
    finally:
        LIB.sat_box_destroy(ctypes.byref(box))
        os.environ.pop("SAT_ISA", None)


def as_text(case):
    return ", ".join(f"{name} {case[name]}" for name in case if name != "pixels") + f", {case['pixels'].shape}"


# ---- integers, exactly -------------------------------------------------------------------------------------


def away_from_zero(total, by):
    """total / by to nearest, halves away from zero."""
    quotient = (2 * abs(total) + abs(by)) // (2 * abs(by))
    return quotient if (total < 0) == (by < 0) else -quotient


def mean(total, by, case):
    if by == 0:
        return 0
    if case["result"] in FLOATS:
        return total / by  # Python rounds the quotient of two integers once
    low, high = BOUNDS[case["result"]]
    return min(max(away_from_zero(total, by), low), high)


def expected(case):
    """The exact means of samples that are whole numbers, from Python's own integers."""
    out = []
    for image in case["pixels"]:
        wide = np.array([int(v) for v in image.ravel()], object).reshape(image.shape)
        values = case["value"] if case["border"] == "constant" else [0] * 4
        outside = np.array([int(v) for v in values[:wide.shape[2]]], object)

        def sums(samples, beyond):
            return window_sums(samples, *case["window"], case["border"], beyond, case["first"])

        area = sums(np.ones(wide.shape[:2] + (1,), object), [0 if case["border"] == "shrink" else 1])
        by = np.repeat(area, wide.shape[2], 2)
        if case["weighted"]:
            wide = np.concatenate([wide[..., :-1] * wide[..., -1:], wide[..., -1:]], 2)
            outside = np.append(outside[:-1] * outside[-1], outside[-1])
        totals = sums(wide, outside)
        if case["weighted"]:
            by[..., :-1] = totals[..., -1:]
        flat = [mean(int(t), int(b), case) for t, b in zip(totals.ravel(), by.ravel())]
        out.append(np.array(flat, np.float64 if case["result"] in FLOATS else np.int64).reshape(wide.shape))
    with np.errstate(over="ignore"):
        return np.array(out).astype(TYPES[case["result"]])


def check_integers(case):
    try:
        got = run(case)
    except Failed as e:
        return f"{as_text(case)}: {e}"
    want = expected(case)
    if got.tobytes() == want.tobytes():
        return None
    wrong = np.argwhere(got != want)
    if len(wrong) == 0:  # a sum of floats may be -0
        return None if case["sample"] in FLOATS else f"{as_text(case)}: a zero has another sign"
    at = tuple(int(i) for i in wrong[0])
    return f"{as_text(case)}: {len(wrong)} differ, first {got[at]!r} instead of {want[at]!r} at {at}"


def integers(rng, shape, sample):
    """Uniform, all of one extreme, both extremes in turns, small, sparse."""
    low, high = np.iinfo(TYPES[sample]).min, np.iinfo(TYPES[sample]).max
    nature = rng.integers(6)
    if nature < 2:
        return np.full(shape, high if nature else low, TYPES[sample])
    if nature == 2:
        return np.where(rng.integers(0, 2, shape) == 0, low, high).astype(TYPES[sample])
    if nature == 3:
        return rng.integers(max(low, -3), 4, shape).astype(TYPES[sample])
    pixels = rng.integers(low, high, shape, endpoint=True).astype(TYPES[sample])
    if nature == 4:
        pixels[rng.random(shape) < 0.9] = 0
    return pixels


def make_case(rng, sample, result, border, way, size=None, window=None):
    channels = int(rng.integers(1, 5))
    width, height = size or SIZES[rng.integers(len(SIZES))]
    weighted = channels % 2 == 0 and sample not in ("u32", "i32") and bool(rng.integers(2))
    case = {"sample": sample, "result": result, "border": border[0], "value": [0] * 4,
            "window": window or WINDOWS[rng.integers(len(WINDOWS))], "weighted": weighted,
            "first": int(rng.integers(2)), "backend": way[0], "isa": way[1], "threads": int(rng.integers(1, 4)),
            "gap": int(rng.integers(0, 5)), "pixel_gap": int(rng.integers(0, 3)), "named": bool(rng.integers(2))}
    shape = (int(rng.choice([1, 1, 3])), height, width, channels)
    if sample in INTEGERS:
        case["pixels"] = integers(rng, shape, sample)
        if border[1]:
            bounds = np.iinfo(TYPES[sample])
            case["value"] = [int(v) for v in rng.choice([bounds.min, bounds.max, 0, 1, 100], 4)]
    else:
        case["pixels"] = floats(rng, shape, sample)
        if border[1]:
            case["value"] = [float(v) for v in rng.choice([0, -1.5, 1e20, 3e-20], 4)]
    return case


# ---- floats, within the bound ------------------------------------------------------------------------------


def floats(rng, shape, sample):
    """Of one magnitude, of very different ones, whole numbers, denormals, huge."""
    nature = rng.integers(5)
    pixels = rng.standard_normal(shape)
    if nature == 0:
        pixels = pixels * 10.0 ** rng.integers(-30, 31, shape)
    if nature == 1:
        pixels = np.round(pixels * 1000)
    if nature == 2:
        pixels = pixels * (2.0 ** -1060 if sample == "f64" else 2.0 ** -140)
    if nature == 3:
        pixels = np.where(rng.random(shape) < 0.1, 1e30, 1e-30)
    return pixels.astype(TYPES[sample])


def positions(border, n, size, first):
    """For each window along an axis, the positions that it holds, n standing for what lies outside."""
    before = (size - 1) // 2 if first else size // 2
    return [[int(MAPS[border](np.array(i + k), n)) for k in range(-before, size - before)] for i in range(n)]


def exact_means(case, image):
    """Rational means, and means of magnitudes, of one image: at each y, x, c, (mean, magnitude, samples), or None where
    a sum of weights is zero."""
    height, width, channels = image.shape
    rows = positions(case["border"], height, case["window"][1], case["first"])
    columns = positions(case["border"], width, case["window"][0], case["first"])
    value = [int(Fraction(v) * UNIT) for v in case["value"]]
    sample = [[[int(Fraction(float(v)) * UNIT) for v in pixel] for pixel in row] for row in image]
    for y, x, c in itertools.product(range(height), range(width), range(channels)):
        total = magnitude = counted = 0
        for j, i in itertools.product(rows[y], columns[x]):
            outside = j == height or i == width
            if outside and case["border"] == "shrink":
                continue
            v = value[c] if outside else sample[j][i][c]
            total, magnitude, counted = total + v, magnitude + abs(v), counted + 1
        yield (y, x, c), Fraction(total, counted * UNIT), Fraction(magnitude, counted * UNIT), counted


def check_floats(case):
    """A sum of n samples in f64 is wrong by n * 2^-53 of the sum of magnitudes at most; then one quotient, and f32."""
    try:
        got = run(case)
    except Failed as e:
        return f"{as_text(case)}: {e}"
    for n, image in enumerate(case["pixels"]):
        for at, want, magnitude, counted in exact_means(case, image):
            is_one = float(got[n][at])
            allowed = magnitude * Fraction(counted + 2, 2 ** 53) + Fraction(2) ** -1074
            if case["result"] == "f32":
                largest = abs(want) + allowed
                if largest > Fraction(float(np.finfo(np.float32).max)):
                    continue
                allowed += max(largest * Fraction(1, 2 ** 24), Fraction(2) ** -149)
            if not np.isfinite(is_one) or abs(Fraction(is_one) - want) > allowed:
                return f"{as_text(case)}: {is_one!r} instead of {float(want)!r} at {n}, {at}"
    return None


def check_spoilt(case):
    """A NaN and an infinity reach exactly the windows that hold them."""
    try:
        clean = run(case)
        pixels = case["pixels"].copy()
        count, height, width, channels = pixels.shape
        spots = {(0, height // 2, width // 3, 0): np.nan, (count - 1, height - 1, width - 1, channels - 1): np.inf}
        for spot, value in spots.items():
            pixels[spot] = value
        got = run(dict(case, pixels=pixels))
    except Failed as e:
        return f"{as_text(case)}: {e}"
    rows = positions(case["border"], height, case["window"][1], case["first"])
    columns = positions(case["border"], width, case["window"][0], case["first"])
    touched = np.zeros(pixels.shape, bool)
    for n, y, x, c in spots:
        touched[n, :, :, c] |= np.outer([y in r for r in rows], [x in r for r in columns])
    if np.isfinite(got[touched]).any():
        return f"{as_text(case)}: a window that holds a NaN or an infinity has a finite mean"
    if got[~touched].tobytes() != clean[~touched].tobytes():
        return f"{as_text(case)}: a sample has touched a window that does not hold it"
    return None


# ---- the tests ---------------------------------------------------------------------------------------------


def ways(tap):
    """(backend, instruction set) of the CPU, and the way through tables."""
    return [("cpu", isa) for isa in isas_here(tap)] + [("serial", None)]


def report(tap, name, check, cases):
    tap.report(name, [text for text in map(check, cases) if text], len(cases))


def main():
    tap = Tap()
    all_ways = ways(tap)
    for sample in INTEGERS:
        for result in (sample, "f32", "f64"):
            rng = np.random.default_rng([18, INTEGERS.index(sample), len(result)])
            report(tap, f"{sample} to {result}: equal to the rational mean, rounded once", check_integers,
                   [make_case(rng, sample, result, border, way)
                    for border in borders() for way in all_ways for _ in range(6)])

    # Windows far larger than the image, whose sums need all of their bits; at 2048 x 6144 the quotients of 64-bit sums
    # can lie in the middle of two doubles.
    for sample in INTEGERS:
        rng = np.random.default_rng([9, INTEGERS.index(sample)])
        large = [(257, 255), (255, 1), (256, 1), (257, 1), (4096, 16), (4097, 16), (2048, 6144), (40000, 30000)]
        cases = []
        for result, window, way in itertools.product((sample, "f32", "f64"), large, all_ways):
            for border in (("wrap", False), ("constant", True), ("shrink", False)):
                case = make_case(rng, sample, result, border, way, (9, 5) if window[0] > 300 else (300, 6), window)
                cases.append(dict(case, weighted=case["weighted"] and window[0] < 300))
        tap.report(f"{sample}: large windows", [text for text in map(check_large, cases) if text], len(cases))

    for sample, result in itertools.product(FLOATS, FLOATS):
        rng = np.random.default_rng([64, FLOATS.index(sample), FLOATS.index(result)])
        cases = []
        for border, way, _ in itertools.product(borders(), all_ways, range(6)):
            case = make_case(rng, sample, result, border, way)
            whole = rng.integers(-1000, 1000, case["pixels"].shape).astype(TYPES[sample])
            channels = whole.shape[-1]
            cases.append(dict(case, pixels=whole, value=[float(v) for v in rng.integers(-9, 9, 4)],
                              weighted=channels % 2 == 0 and bool(rng.integers(2))))
        report(tap, f"{sample} to {result}: whole numbers, whose sums are exact", check_integers, cases)

        rng = np.random.default_rng([81, FLOATS.index(sample), FLOATS.index(result)])
        shapes, windows = [(1, 1), (9, 7), (19, 4), (3, 13)], [(1, 1), (3, 3), (2, 5), (8, 8), (9, 12), (23, 17)]
        cases = [dict(make_case(rng, sample, result, border, way, shapes[rng.integers(4)], windows[rng.integers(6)]),
                      weighted=False)
                 for border in borders() for way in all_ways if way[0] == "cpu" for _ in range(2)]
        report(tap, f"{sample} to {result}: means within the bound", check_floats, cases)
        spoilt = [dict(case, pixels=rng.standard_normal(case["pixels"].shape).astype(TYPES[sample])) for case in cases]
        report(tap, f"{sample} to {result}: no sample touches a window that does not hold it", check_spoilt, spoilt)
    tap.finish()


def check_large(case):
    """The sums of a window that repeats the image many times, by counting how often it holds each sample: 40000 * 30000
    of the largest, 2^32, are below 2^63."""
    try:
        got = run(case)
    except Failed as e:
        return f"{as_text(case)}: {e}"
    count, height, width, channels = case["pixels"].shape

    def counts(n, size):
        before = (size - 1) // 2 if case["first"] else size // 2
        table = []
        for i in range(n):
            seen = MAPS[case["border"]](np.arange(i - before, i - before + size), n)
            table.append(np.bincount(seen, minlength=n + 1))
        return np.array(table)

    rows, columns = counts(height, case["window"][1]), counts(width, case["window"][0])
    constant, shrinks = case["border"] == "constant", case["border"] == "shrink"
    inside = np.outer(rows[:, :height].sum(1), columns[:, :width].sum(1))
    area = inside if shrinks else np.full(inside.shape, case["window"][0] * case["window"][1])
    for n in range(count):
        wide = case["pixels"][n].astype(np.int64)
        value = [int(v) if constant else 0 for v in case["value"]]
        if case["weighted"]:
            wide = np.concatenate([wide[..., :-1] * wide[..., -1:], wide[..., -1:]], 2)
            value = [v * value[channels - 1] for v in value[:channels - 1]] + [value[channels - 1]]
        totals = [rows[:, :height].dot(wide[..., c]).dot(columns[:, :width].T) + (area - inside) * value[c]
                  for c in range(channels)]
        for c in range(channels):
            by = totals[-1] if case["weighted"] and c < channels - 1 else area
            want = np.array([mean(int(t), int(b), case) for t, b in zip(totals[c].ravel(), by.ravel())],
                            np.float64 if case["result"] in FLOATS else np.int64).astype(TYPES[case["result"]])
            have = np.ascontiguousarray(got[n][..., c]).ravel()
            if have.tobytes() != want.tobytes():
                at = int(np.argmax(have != want))
                return f"{as_text(case)}: {have[at]!r} instead of {want[at]!r} at {at}, channel {c}"
    return None


if __name__ == "__main__":
    main()
