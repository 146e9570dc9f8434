#!/usr/bin/env python3
"""Window statistics of the library: every type of samples and results, borders, masks, against rational arithmetic.

Count, mean and variance of integers are exact quotients, rounded once; those of floats keep the bounds that
sat_window.h gives.  What follows from these is computed from them once more, in Python's floats."""
import ctypes
import itertools
import math
import os
from fractions import Fraction

import numpy as np

from satlib import (BUILD, ISAS, TYPES, Counts, Failed, Output, Run, Statistic, Tap, View, WindowSpec, borders, code,
                    isa_here, runs_isa, sized, window_sums)

# The build of the library that takes its instruction set from the environment.
LIB = ctypes.CDLL(os.path.join(BUILD, "tests", "libsat.so"))
LIB.sat_detail.restype = ctypes.c_char_p

INTEGERS = ("u8", "u16", "u32", "i8", "i16", "i32")
FLOATS = ("f32", "f64")
SIZES = [(1, 1), (1, 9), (7, 1), (2, 3), (5, 4), (16, 5), (33, 9), (40, 20), (67, 8), (131, 3), (600, 2), (3, 70)]
WINDOWS = [(1, 1), (3, 3), (2, 2), (5, 1), (1, 4), (7, 3), (8, 5), (15, 15), (17, 15), (16, 17), (64, 2), (25, 41)]


def need(status):
    if status != 0:
        raise Failed(f"status {status}: {LIB.sat_detail().decode()}")


def statistics():
    rows = []
    while True:
        info = Statistic()
        if not LIB.sat_statistic_at_sized(ctypes.c_size_t(len(rows)), *sized(info)):
            return rows
        rows.append(info)


def view(array, gap=0, pixel_gap=0):
    """A view of (N, H, W, C) values in a buffer of its own with gaps between rows and pixels; with the buffer."""
    count, height, width, channels = array.shape
    rows = np.full((count, height, width * (channels + pixel_gap) + gap), 0x5a).astype(array.dtype)
    own = rows[:, :, :width * (channels + pixel_gap)].reshape(count, height, width, -1)
    own[..., :channels] = array
    rows[:, :, :width * (channels + pixel_gap)] = own.reshape(count, height, -1)
    name = next(n for n in TYPES if TYPES[n] == array.dtype.type)
    return View(rows.ctypes.data, rows.strides[1], width, height, channels, code(name), 0, 0, count, rows.strides[0],
                (channels + pixel_gap) * rows.itemsize), rows


def run(case):
    """The results, a list of (N, H, W, C), how many were clipped and moved, and how many of each output are empty."""
    pixels = case["pixels"]
    count, height, width, channels = pixels.shape
    outputs = (Output * len(case["outputs"]))()
    for o, (name, result, compare, parameters) in zip(outputs, case["outputs"]):
        o.statistic, o.result, o.compare = name.encode(), code(result), compare
        for i, p in enumerate(parameters):
            if p is not None:
                o.parameter[i], o.set = p, o.set | 1 << i
    spec = WindowSpec(width, height, channels, code(case["sample"]), *case["window"], case["border"].encode(),
                      (ctypes.c_double * 4)(*map(float, case["value"])), case["first"], len(outputs), outputs,
                      case["mask"] is not None, case["skip_nan"], case["nodata"] is not None,
                      bool(case["pixel_gap"]), case["empty"] is not None)
    spec.ddof, spec.nodata, spec.min_valid = case["ddof"], case["nodata"] or 0, case["min_valid"]
    spec.empty, spec.avoid_empty, spec.keep_holes = case["empty"] or 0, case["avoid"], case["keep"]
    spec.threads, spec.count, spec.range = case["threads"], count, case.get("range", 0)
    window = ctypes.c_void_p()
    if case["isa"]:
        os.environ["SAT_ISA"] = case["isa"]
    try:
        need(LIB.sat_window_create_sized(ctypes.byref(window), *sized(spec)))
        src, src_rows = view(pixels, case["gap"], case["pixel_gap"])
        before = src_rows.copy()
        mask = view(case["mask"], case["gap"]) if case["mask"] is not None else (None, None)
        made = [view(np.full(pixels.shape, 77, TYPES[o[1]]), case["gap"]) for o in case["outputs"]]
        counts = Counts()
        need(LIB.sat_window_run_sized(window, ctypes.byref(src), mask[0] and ctypes.byref(mask[0]),
                                      (View * len(made))(*(m[0] for m in made)),
                                      *sized(Run(counts=ctypes.pointer(counts)))))
        if before.tobytes() != src_rows.tobytes():
            raise Failed("the source was written to")
        for _, rows in made:
            if case["gap"] and not (rows[:, :, -case["gap"]:] == 0x5a).all():
                raise Failed("the gap between rows was written to")
        return ([m[1][:, :, :width * channels].reshape(pixels.shape) for m in made], (counts.clipped, counts.moved),
                counts.empty[:len(made)])
    finally:
        LIB.sat_window_destroy(ctypes.byref(window))
        os.environ.pop("SAT_ISA", None)


def as_text(case):
    return ", ".join(f"{name} {case[name]}" for name in case if name not in ("pixels", "mask")) + \
        f", {case['pixels'].shape}{', masked' if case['mask'] is not None else ''}"


# ---- the oracle ----------------------------------------------------------------------------------------------


def counting(case):
    """Which samples count, (N, H, W, C)."""
    pixels = case["pixels"]
    counts = np.ones(pixels.shape, bool)
    if case["mask"] is not None:
        counts &= case["mask"] != 0
    if case["nodata"] is not None:
        counts &= pixels != case["nodata"]
    if case["skip_nan"]:
        counts &= pixels == pixels
    return counts


def exact_sums(case):
    """n, S1, S2 and the sum of absolute values of each window, of exact numbers, (N, H, W, C) each."""
    out = [[], [], [], []]
    counts = counting(case)
    exact = int if case["sample"] in INTEGERS else Fraction
    for image, valid in zip(case["pixels"], counts):
        x = np.array([exact(v.item()) if c else 0 for v, c in zip(image.ravel(), valid.ravel())], object)
        x = x.reshape(image.shape)
        values = [exact(v) if case["border"] == "constant" else 0 for v in case["value"][:image.shape[2]]]
        features = [(valid.astype(object) * 1, [1] * len(values)), (x, values), (x * x, [v * v for v in values]),
                    (abs(x), [abs(v) for v in values])]
        for to, (feature, outside) in zip(out, features):
            if case["border"] == "shrink":
                outside = [0] * len(values)
            to.append(window_sums(feature, *case["window"], case["border"], np.array(outside, object), case["first"]))
    return [np.array(o, object) for o in out]


def extremes(case, n, var):
    """The smallest sample that counts and the largest std, of each image."""
    counts = counting(case)
    low = [min((v.item() for v, c in zip(i.ravel(), k.ravel()) if c), default=math.inf)
           for i, k in zip(case["pixels"], counts)]
    least = max(1, case["least"])
    most = [max((math.sqrt(v) for v, k in zip(i.ravel(), m.ravel()) if k >= least and v == v), default=0)
            for i, m in zip(var, n)]
    return low, most


def power(x):
    return math.exp(x) if x < 709 else math.inf


FORMULAS = {
    "mean": lambda f, p: f["mean"] - p[0],
    "sum": lambda f, p: f["sum"],
    "var": lambda f, p: f["var"],
    "std": lambda f, p: math.sqrt(f["var"]),
    "rms": lambda f, p: math.sqrt(f["squares"]),
    "count": lambda f, p: f["n"],
    "norm": lambda f, p: (f["x"] - f["mean"]) / math.sqrt(f["var"]) if f["var"] > 0 else 0,
    "bradley": lambda f, p: f["mean"] * (1 - p[0]),
    "niblack": lambda f, p: f["mean"] + p[0] * math.sqrt(f["var"]),
    "sauvola": lambda f, p: f["mean"] * (1 + p[0] * (math.sqrt(f["var"]) / p[1] - 1)),
    "wolf": lambda f, p: f["mean"] + p[0] * ((math.sqrt(f["var"]) / (p[1] or f["most"]) if f["var"] > 0 else 0) - 1) *
    (f["mean"] - f["low"]),
    "nick": lambda f, p: f["mean"] + p[0] * math.sqrt(max(f["squares"] - f["mean"] ** 2 / f["n"], 0)),
    "phansalkar": lambda f, p: f["mean"] * (1 + p[2] * power(-p[3] * f["mean"] / f["range"]) +
                                            p[0] * (math.sqrt(f["var"]) / f["range"] / p[1] - 1)),
}
DEFAULTS = {"mean": [0], "bradley": [0.15], "niblack": [-0.2], "sauvola": [0.2, ("range", 0.5)], "wolf": [0.5, 0],
            "nick": [-0.1], "phansalkar": [0.25, 0.5, 2, 10]}
NEED_VAR = ("var", "std", "norm", "niblack", "sauvola", "wolf", "phansalkar")


def parameters_of(name, given, sample_range):
    out = [v[1] * sample_range if isinstance(v, tuple) else v for v in DEFAULTS.get(name, [])]
    for i, v in enumerate(given):
        if v is not None:
            out[i] = v
    return out


def away_from_zero(value):
    return math.copysign(math.floor(abs(value) + 0.5) if abs(value) < 2 ** 52 else abs(value), value)


def stored(value, result):
    """The value in the type, and whether it was clipped."""
    if result in FLOATS:
        with np.errstate(over="ignore"):
            return TYPES[result](value), False
    bounds = np.iinfo(TYPES[result])
    if value != value:
        return 0, True
    whole = away_from_zero(value) if math.isfinite(value) else value
    return int(min(max(whole, bounds.min), bounds.max)), not bounds.min <= whole <= bounds.max


def next_value(value, result):
    """What a result becomes that avoids this one."""
    if result in FLOATS:
        kind, step = TYPES[result], 2.0 ** (max(math.frexp(value)[1] - 1 if value else -107, -107) - 19)
        return kind(value + step if value + step <= np.finfo(kind).max else value - step)
    return value + 1 if value < np.iinfo(TYPES[result]).max else value - 1


def may_be_empty(case, name):
    some = case["mask"] is not None or case["nodata"] is not None or case["least"] > 1 or case["ddof"] > 0
    return name != "count" and (some or case["min_valid"] > 0)


def check_integers(case):
    try:
        got, (clipped, moved), empties = run(case)
    except Failed as e:
        return f"{as_text(case)}: {e}"
    n, s1, s2, _ = exact_sums(case)
    ddof = case["ddof"]
    var = np.array([(int(c) * int(q) - int(s) ** 2) / (int(c) * (int(c) - ddof)) if c > ddof else math.nan
                    for c, s, q in zip(n.ravel(), s1.ravel(), s2.ravel())]).reshape(n.shape)
    low, most = extremes(case, n, var)
    holes = ~counting(case) & case["keep"]
    sample_range = case.get("range") or np.iinfo(TYPES[case["sample"]]).max
    total = avoided = 0
    for (name, result, compare, given), array, reported in zip(case["outputs"], got, empties):
        p, left = parameters_of(name, given, sample_range), 0
        empty = case["empty"] if case["empty"] is not None else math.nan if result in FLOATS else 0
        for at in np.ndindex(n.shape):
            count, s, q, x = int(n[at]), int(s1[at]), int(s2[at]), int(case["pixels"][at])
            f = {"n": count, "x": x, "range": sample_range, "low": low[at[0]], "most": most[at[0]], "var": var[at]}
            if count:
                f |= {"mean": s / count, "sum": s, "squares": q / count}
            short = count < max(1, case["least"]) or (name in NEED_VAR and count <= case["ddof"])
            short = short or (name == "wolf" and low[at[0]] == math.inf) or bool(holes[at])
            if name != "count" and short:
                value = math.inf if compare else empty
                left += 1
            else:
                value = FORMULAS[name](f, p)
            g = array[at]
            if compare:
                if abs(x - value) > 1e-9 * max(1, abs(x)) and g != (255 if x > value else 0):
                    return f"{as_text(case)}: {name} {at}: {g} where {x} and {value}"
                continue
            want, cut = stored(value, result)
            total += cut
            if case["avoid"] and may_be_empty(case, name) and not short and want == stored(empty, result)[0]:
                want = next_value(want, result)
                avoided += 1
            if want != want and g != g:
                continue
            if name in ("mean", "sum", "var", "std", "count") and not (given and given[0]):
                if name == "sum" and abs(s) > 2 ** 53 and result in FLOATS:
                    same = abs(float(g) - s) <= abs(s) * 2.0 ** -23
                else:
                    same = g == want
            elif result in FLOATS:
                error = (1e-6 if result == "f32" else 1e-11) * max(abs(float(want)), x, 1)
                same = g == want or abs(float(g) - float(want)) <= error
            else:
                same = abs(int(g) - int(want)) <= (abs(away_from_zero(value) - value) > 0.499)
            if not same:
                return f"{as_text(case)}: {name} as {result} at {at}: {g!r} instead of {want!r}"
        if reported != left:
            return f"{as_text(case)}: {name}: {reported} empty, not {left}"
    if avoided != moved and all(o[0] in ("mean", "sum", "var", "std", "count") for o in case["outputs"]):
        return f"{as_text(case)}: {moved} moved, not {avoided}"
    if total != clipped and all(o[0] in ("mean", "sum", "var", "std", "count") for o in case["outputs"]):
        return f"{as_text(case)}: {clipped} clipped, not {total}"
    return None


def check_floats(case):
    """The bounds of sat_window.h."""
    try:
        got, _, empties = run(case)
    except Failed as e:
        return f"{as_text(case)}: {e}"
    n, s1, s2, magnitudes = exact_sums(case)
    e = Fraction(1, 2 ** 53)
    holes = ~counting(case) & case["keep"]
    tiny = Fraction(1, 2 ** 1074) if case["outputs"][0][1] == "f64" else Fraction(1, 2 ** 149)
    for (name, result, _, _), array, reported in zip(case["outputs"], got, empties):
        left = 0
        for at in np.ndindex(n.shape):
            count, g = int(n[at]), float(array[at])
            short = count < max(1, case["least"]) or (name == "var" and count <= case["ddof"]) or bool(holes[at])
            if name == "count":
                if g != count:
                    return f"{as_text(case)}: {g} samples instead of {count} at {at}"
                continue
            if short:
                left += 1
                if g == g:
                    return f"{as_text(case)}: {name} {g} of {count} samples at {at}"
                continue
            if g != g or math.isinf(g):
                return f"{as_text(case)}: {name} is {g} at {at}"
            m, a = Fraction(s1[at]) / count, Fraction(magnitudes[at]) / count
            if name == "mean":
                want, bound = m, (count + 1) * e * a
            else:
                want = (Fraction(s2[at]) - count * m * m) / (count - case["ddof"])
                v, c = want, (6 * count + 40) * e
                root = Fraction(math.sqrt(v)) * (1 + Fraction(1, 2 ** 40)) if v < 2 ** 900 else v
                bound = (c * (v + a * root) + c * c * a * a) * Fraction(count, count - case["ddof"])
                if g < 0 or (v == 0 and g != 0):
                    return f"{as_text(case)}: variance {g} of equal samples or below 0 at {at}"
            if result == "f32":
                bound += abs(want) * Fraction(1, 2 ** 24) * (1 + e)
            bound += 4 * tiny
            if abs(Fraction(g) - want) > bound:
                return (f"{as_text(case)}: {name} {g} instead of {float(want)} at {at}: wrong by "
                        f"{float(abs(Fraction(g) - want) / bound)} of the bound")
        if reported != left:
            return f"{as_text(case)}: {name}: {reported} empty, not {left}"
    return None


# ---- cases -----------------------------------------------------------------------------------------------------


def integers(rng, shape, sample):
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


def floats(rng, shape, sample):
    nature = rng.integers(6)
    pixels = rng.standard_normal(shape)
    if nature == 0:
        pixels = pixels * 10.0 ** rng.integers(-12, 13, shape)
    if nature == 1:
        pixels = np.round(pixels * 1000)
    if nature == 2:
        pixels = 300 + 0.01 * pixels
    if nature == 3:
        pixels = np.where(rng.random(shape) < 0.1, 1e15, 1e-15)
    if nature == 4:
        pixels = np.full(shape, 0.1)
    return pixels.astype(TYPES[sample])


def wide(name, sample, area):
    """The narrowest floats that a sum of integers, or a count, may have: the others are refused."""
    largest = area * (max(abs(int(v)) for v in (np.iinfo(TYPES[sample]).min, np.iinfo(TYPES[sample]).max))
                      if name == "sum" and sample in INTEGERS else 1)
    return "f32" if largest <= 2 ** 24 else "f64"


def make_case(rng, sample, border, isa, outputs):
    channels = int(rng.integers(1, 5))
    width, height = SIZES[rng.integers(len(SIZES))]
    window = WINDOWS[rng.integers(len(WINDOWS))]
    shape = (int(rng.choice([1, 1, 3])), height, width, channels)
    case = {"sample": sample, "border": border[0], "value": [0] * 4, "window": window,
            "first": int(rng.integers(2)), "isa": isa, "threads": int(rng.integers(1, 4)),
            "gap": int(rng.integers(0, 5)), "pixel_gap": int(rng.integers(0, 3)), "ddof": int(rng.integers(2)),
            "skip_nan": False, "nodata": None, "mask": None, "min_valid": 0, "empty": None,
            "avoid": bool(rng.integers(2)), "keep": bool(rng.integers(2)), "outputs": outputs}
    if sample in INTEGERS:
        case["pixels"] = integers(rng, shape, sample)
        bounds = np.iinfo(TYPES[sample])
        case["range"] = float(rng.choice([0, bounds.max // 16, bounds.max]))
        if border[1]:
            case["value"] = [int(v) for v in rng.choice([bounds.min, bounds.max, 0, 1, 100], 4)]
    else:
        case["pixels"] = floats(rng, shape, sample)
        if border[1]:
            case["value"] = [float(v) for v in rng.choice([0, -1.5, 1e10, 0.1], 4)]
    way = int(rng.integers(8 if sample in FLOATS else 4))  # bits: a mask, a value, NaN
    if way & 1:
        case["mask"] = (rng.random(shape[:3] + (1,)) < rng.choice([0.02, 0.5, 0.95])).astype(np.uint8) * 9
    if way & 2:
        case["nodata"] = case["pixels"].ravel()[0].item()
    if way & 4:
        case["skip_nan"] = True
        case["pixels"][rng.random(shape) < 0.2] = np.nan
    if way:
        case["min_valid"] = rng.choice([0, 1, 3, 0.25])
        case["empty"] = [None, None, -7, 99.5][rng.integers(4)] if sample in INTEGERS else None
    area = case["window"][0] * case["window"][1]
    case["outputs"] = [(name, wide(name, sample, area) if result in FLOATS and not compare else result, compare, given)
                       if name in ("sum", "count") else (name, result, compare, given)
                       for name, result, compare, given in outputs]
    case["least"] = math.ceil(case["min_valid"] * area) if case["min_valid"] < 1 else case["min_valid"]
    return case


def random_outputs(rng, sample):
    """Some statistics with result types that hold them."""
    names = list(FORMULAS)
    out = []
    for name in rng.choice(names, int(rng.integers(1, 5)), replace=False):
        given = [None] * len(DEFAULTS.get(name, []))
        if given and rng.integers(2):
            given[0] = float(rng.choice([0.5, 0.25, 3]))
        compare = bool(rng.integers(4) == 0)
        result = "u8" if compare else str(rng.choice(["f32", "f64", sample, "u8", "i16"]))
        out.append((str(name), result, compare, given))
    return out


def over_all(tap, name, samples, check, outputs, repeats):
    problems, cases = [], 0
    rng = np.random.default_rng(sum(map(ord, name)))
    for sample, border in itertools.product(samples, borders()):
        for _ in range(repeats):
            case = make_case(rng, sample, border, isa_here(str(rng.choice(ISAS))), outputs(rng, sample))
            problem = check(case)
            cases += 1
            if problem:
                problems.append(problem)
    tap.report(name, problems, cases)


def large_variances(tap):
    """Numerators of 64 and of 128 bits: windows of small images many times over, and of 32-bit samples."""
    problems, cases = [], 0
    rng = np.random.default_rng(11)
    cases_of = [("u16", (101, 103)), ("i16", (101, 103)), ("u16", (1025, 1501)), ("i16", (1025, 1501)),
                ("u8", (1025, 1501)), ("u32", (9, 9)), ("i32", (9, 9)), ("u32", (1025, 1501)), ("i32", (1025, 1501))]
    for (sample, window), ddof, masked, isa in itertools.product(cases_of, (0, 1), (False, True), ISAS):
        if not runs_isa(isa):
            continue
        bounds = np.iinfo(TYPES[sample])
        pixels = rng.integers(bounds.min, bounds.max, (1, 9, 14, 1), endpoint=True).astype(TYPES[sample])
        case = {"sample": sample, "border": "wrap", "value": [0] * 4, "window": window, "first": 0, "isa": isa,
                "threads": 2, "gap": 0, "pixel_gap": 0, "ddof": ddof, "skip_nan": False, "nodata": None,
                "mask": (rng.random(pixels.shape) < 0.5).astype(np.uint8) if masked else None, "min_valid": 0,
                "least": 0, "empty": None, "avoid": False, "keep": False,
                "outputs": [("mean", "f64", False, []), ("var", "f64", False, [])],
                "pixels": pixels}
        problem = check_integers(case)
        cases += 1
        if problem:
            problems.append(problem)
    tap.report("variances of 2^53 and more are the nearest f64", problems, cases)


def full_words(tap):
    """Means of the largest windows whose sum and count fit a word, of the largest samples, and of those beyond."""
    problems, cases, rng = [], 0, np.random.default_rng(12)
    edges = [("u8", (63, 65)), ("u8", (64, 64)), ("u16", (15, 17)), ("u16", (16, 16)), ("u16", (255, 1))]
    for (sample, window), border, isa, shape in itertools.product(edges, ("wrap", "constant", "shrink"), ISAS,
                                                                  [(9, 14), (70, 69)]):
        if not runs_isa(isa):
            continue
        top = np.iinfo(TYPES[sample]).max
        pixels = np.full((1, *shape, 1), top, TYPES[sample])
        pixels[0, 1:, ::3, 0] -= rng.integers(2, size=pixels[0, 1:, ::3, 0].shape).astype(TYPES[sample])
        case = {"sample": sample, "border": border, "value": [top] * 4, "window": window, "first": 0, "isa": isa,
                "threads": 2, "gap": 0, "pixel_gap": 0, "ddof": 0, "skip_nan": False, "nodata": None, "min_valid": 2,
                "mask": (rng.random(pixels.shape) < 0.9).astype(np.uint8) if cases % 2 else np.ones(pixels.shape, "u1"),
                "least": 2, "empty": 7, "avoid": False, "keep": False, "outputs": [("mean", sample, False, [])],
                "pixels": pixels}
        problem = check_integers(case)
        cases += 1
        if problem:
            problems.append(problem)
    tap.report("means of the largest sums that share a word with their counts", problems, cases)


def same_everywhere(tap):
    """Integers and floats: the same bytes for each instruction set and number of threads, but formulas with exp()."""
    rng = np.random.default_rng(5)
    problems, cases = [], 0
    for sample in INTEGERS + FLOATS:
        outputs = [(n, "f64", False, []) for n in ("mean", "var", "std", "sum", "rms", "norm", "sauvola")]
        case = make_case(rng, sample, ("replicate", False), None, outputs)
        case["pixels"] = (integers if sample in INTEGERS else floats)(rng, (1, 90, 700, 1), sample)
        case["mask"], case["nodata"], case["window"] = None, None, (31, 33)
        case["least"] = case["min_valid"] = 0
        case["outputs"] = outputs
        results = []
        for isa, threads in itertools.product([i for i in ISAS if runs_isa(i)], (1, 2, 3)):
            got, _, _ = run(case | {"isa": isa, "threads": threads})
            results.append([g.tobytes() for g in got])
            cases += 1
        if any(r != results[0] for r in results):
            problems.append(f"{sample}: results depend on instruction set or threads")
    tap.report("the same results for every instruction set and number of threads", problems, cases)


def nothing_counts(tap):
    """An empty result that is NaN is 0 in integers, and clipped; without a sample that counts, wolf has none."""
    problems = []
    for sample, result in itertools.product(INTEGERS + FLOATS, INTEGERS):
        pixels = np.full((1, 40, 50, 2), 9, TYPES[sample])
        base = {"sample": sample, "border": "constant", "value": [3] * 4, "window": (5, 3), "first": 0, "isa": None,
                "threads": 2, "gap": 0, "pixel_gap": 0, "ddof": 0, "skip_nan": False, "nodata": 9, "mask": None,
                "min_valid": 15, "empty": math.nan, "avoid": True, "keep": False,
                "outputs": [("mean", result, False, [])], "pixels": pixels}
        (got,), (clipped, _), _ = run(base)
        inner = got[0, 1:-1, 2:-2]
        if inner.any() or clipped < inner.size:
            problems.append(f"{sample} to {result}: {inner.min()} .. {inner.max()}, {clipped} clipped")
        (got,), (clipped, _), (empty,) = run(base | {"min_valid": 0, "empty": 7,
                                                       "outputs": [("wolf", result, False, [])]})
        if (got != 7).any() or clipped or empty != got.size:
            problems.append(f"{sample} to {result}: wolf {got.min()} .. {got.max()}, {clipped} clipped, {empty} empty")
    tap.report("where nothing counts, results are empty; NaN is 0 in integers", problems)


def nothing_spreads(tap):
    """A NaN, an infinity or a huge sample touches exactly the windows that hold it."""
    problems = []
    rng = np.random.default_rng(8)
    for sample, bad in itertools.product(FLOATS, (math.nan, math.inf, 1e30)):
        pixels = rng.standard_normal((1, 60, 80, 1)).astype(TYPES[sample])
        base = {"sample": sample, "border": "shrink", "value": [0] * 4, "window": (9, 7), "first": 0, "isa": None,
                "threads": 2, "gap": 0, "pixel_gap": 0, "ddof": 0, "skip_nan": False, "nodata": None, "mask": None,
                "min_valid": 0, "empty": None, "avoid": False, "keep": False,
                "outputs": [("mean", "f64", False, []), ("var", "f64", False, [])]}
        clean, _, _ = run(base | {"pixels": pixels})
        spoilt = pixels.copy()
        spoilt[0, 30, 40] = bad
        got, _, _ = run(base | {"pixels": spoilt})
        held = np.zeros((60, 80), bool)
        held[27:34, 36:45] = True
        for a, b in zip(clean, got):
            differs = ~((a == b) | ((a != a) & (b != b)))[0, :, :, 0]
            if not (differs == held).all():
                problems.append(f"{sample}, {bad}: {differs.sum()} windows differ, {held.sum()} hold it")
        if not math.isfinite(bad) and not np.isnan(got[1][0, :, :, 0][held]).all():
            problems.append(f"{sample}, {bad}: a variance of a window that holds it is a number")
    tap.report("a NaN, an infinity or a huge sample touches the windows that hold it", problems)


def main():
    tap = Tap()
    named = [s.name.decode() for s in statistics()]
    tap.report("each statistic has an oracle", [n for n in named if n not in FORMULAS] +
               [n for n in FORMULAS if n not in named])
    over_all(tap, "statistics of integers", INTEGERS, check_integers, random_outputs, 6)
    over_all(tap, "means of integers alone", INTEGERS, check_integers,
             lambda rng, sample: [("mean", str(rng.choice(["f32", "f64", sample])), False, [None])], 12)
    over_all(tap, "count, mean and variance of floats", FLOATS, check_floats,
             lambda rng, _: [(n, str(rng.choice(["f32", "f64"])), False, []) for n in ("count", "mean", "var")], 8)
    large_variances(tap)
    full_words(tap)
    same_everywhere(tap)
    nothing_spreads(tap)
    nothing_counts(tap)
    tap.finish()


if __name__ == "__main__":
    main()
