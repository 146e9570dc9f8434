#!/usr/bin/env python3
"""No data, whatever is asked: the command on random draws of operation, type, channels, border, mask, value, NaN,
passes, type of the result, instruction set and threads, against sums in exact arithmetic of what counts; and what a
mask, a value and a hole far away must not change."""
import json
import math
import os
from fractions import Fraction

import numpy as np

import test_gauss as g
import test_gauss_valid as gv
import test_window as w
from satlib import ISAS, TYPES, Tap, borders, in_parallel, isa_here, run_sat, scratch, window_sums

CASES = 900
UNIT = 2 ** 1074  # each finite f64 is a whole number of its inverse
FLOATS = ("f32", "f64")
SAMPLES = ("u8", "u16", "u32", "i8", "i16", "i32") + FLOATS
WINDOWS = ("mean", "sum", "var", "std", "rms", "count", "norm", "bradley", "sauvola", "wolf", "nick", "phansalkar")
RECTS = ("mean", "sum", "var", "std", "rms", "count", "area")
SHOWN = ("operation", "sample", "channels", "border", "masked", "value", "nans", "result", "isa", "threads", "alpha")
BORDER = dict(borders())


# ---- draws -----------------------------------------------------------------------------------------------


def samples_of(rng, sample, shape, nodata):
    """Many neighbours of the value, so that results come near it; the type's limits; anything."""
    dtype, nature = np.dtype(TYPES[sample]), rng.integers(3)
    if sample in FLOATS:
        pixels = rng.integers(-40, 40, shape) / 8 if nature else rng.standard_normal(shape) * 1e3
    else:
        low, high = (int(v) for v in (np.iinfo(dtype).min, np.iinfo(dtype).max))
        around = rng.integers(-2, 3, shape).astype(object) + (0 if nodata is None else int(nodata))
        pixels = np.clip(around, low, high) if nature == 1 else rng.integers(low, high, shape, endpoint=True)
        if nature == 2:
            pixels = np.where(rng.random(shape) < 0.5, low, high)
    return pixels.astype(dtype)


def draw(index):
    rng = np.random.default_rng([7, index])
    case = {"index": index, "rng": rng, "sample": str(rng.choice(SAMPLES)), "isa": isa_here(str(rng.choice(ISAS))),
            "operation": str(rng.choice(["box", "stat", "threshold", "gauss", "unsharp", "dog", "rects", "table"])),
            "channels": int(rng.choice([1, 2, 3, 4, 6])), "border": str(rng.choice(list(BORDER))),
            "masked": bool(rng.integers(2)), "result": str(rng.choice(["same", "f32", "f64"])),
            "threads": int(rng.integers(1, 4)), "passes": int(rng.integers(1, 4)), "ddof": int(rng.integers(2)),
            "keep": bool(rng.integers(2)), "alpha": False}
    dtype = np.dtype(TYPES[case["sample"]])
    limits = (0, 1) if dtype.kind == "f" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    case["value"] = [None, "limit", "inside"][rng.integers(3)]
    case["nodata"] = {"limit": limits[rng.integers(2)], "inside": limits[1] // 2 + 3, None: None}[case["value"]]
    if dtype.kind == "f" and case["value"]:
        case["nodata"] = float({"limit": np.finfo(dtype).min, "inside": 0.5}[case["value"]])
    # 0: there are none, 1: NaN is a sample that spoils, 2: it does not count
    case["nans"] = 0 if dtype.kind != "f" else int(rng.integers(2)) if case["value"] else int(rng.integers(3))
    shape = int(rng.integers(1, 14)) + 8 * (case["channels"] > 4), int(rng.integers(1, 18)), case["channels"]
    pixels = samples_of(rng, case["sample"], shape, case["nodata"])
    case["mask"] = rng.random(shape[:2]) < rng.choice([0.1, 0.6, 1]) if case["masked"] else np.ones(shape[:2], bool)
    holes = rng.random(shape) < rng.choice([0.05, 0.5, 0.95])
    if case["value"]:
        pixels[holes] = case["nodata"]
    if case["nans"]:
        pixels[rng.random(shape) < 0.15] = np.nan
    some = case["masked"] or case["value"] or case["nans"] == 2
    windows = case["operation"] in ("stat", "threshold") or (case["operation"] == "box" and some)
    if windows and shape[2] in (2, 4):
        case["alpha"] = bool(rng.integers(2))  # of 0: the pixel does not count
        pixels[..., -1] = rng.random(shape[:2]) < 0.7
    counts = np.repeat(case["mask"][..., None], shape[2], 2)
    if case["value"]:
        counts &= pixels != dtype.type(case["nodata"])
    if case["nans"] == 2:
        counts &= pixels == pixels
    if windows and shape[2] in (2, 4) and (case["alpha"] or case["operation"] != "box"):  # results are without it
        by_alpha = case["alpha"] and not case["value"] and case["nans"] != 2  # as GDAL: a value for no data comes first
        counts = counts[..., :-1] & (pixels[..., -1:] != 0 if by_alpha else True)
    case["pixels"], case["counts"] = pixels, counts
    case["window"] = tuple(int(v) for v in rng.integers(1, 8, 2))
    if dtype.kind == "f" or case["passes"] > 1:  # windows reach beyond the image by its size at most
        case["window"] = tuple(min(v, 2 * n) for v, n in zip(case["window"], (shape[1], shape[0])))
    case["outside"] = int(rng.integers(0, 9)) if BORDER[case["border"]] else 0
    return case


def text_of(case):
    return ", ".join(f"{k} {v}" for k, v in case.items() if k not in ("rng", "pixels", "counts", "mask"))


def run(case, folder, *args):
    np.save(os.path.join(folder, "in.npy"), case["pixels"])
    options = ["--threads", case["threads"]]
    if case["masked"]:
        np.save(os.path.join(folder, "mask.npy"), case["mask"])
        options += ["--mask", os.path.join(folder, "mask.npy")]
    if case["value"]:
        options += [f"--nodata={case['nodata']!r}"]
    elif case["nans"] == 2:
        options += ["--nodata", "nan"]
    status, out, error = run_sat(*args, *options, isa=case["isa"])
    return out if status == 0 else error


# ---- windows ---------------------------------------------------------------------------------------------


def exact(values, counts):
    """Whole numbers of 1 / UNIT; what does not count, and NaN, is 0."""
    flat = [int(Fraction(v.item()) * UNIT) if c and v == v else 0 for v, c in zip(values.ravel(), counts.ravel())]
    return np.array(flat, object).reshape(values.shape)


def moments(case, values, counts, first):
    """n, and as fractions the mean, the mean of squares and the mean magnitude of each window; where a NaN is among its
    samples."""
    channels, border = values.shape[2], case["border"]
    value = np.array([case["outside"] * UNIT] * channels, object)
    one = np.array([int(border == "constant")] * channels, object)
    x = exact(values, counts)

    def sums(samples, outside):
        return window_sums(samples, *case["window"], border, outside, first)

    n = sums(counts.astype(object) * 1, one)
    spoilt = sums((counts & (values != values)).astype(object) * 1, 0 * one)
    by = np.where(n > 0, n, 1)
    s1, s2, size = sums(x, value * one), sums(x * x, value * value * one), sums(abs(x), value * one)
    each = np.frompyfunc(lambda s, n: Fraction(s, n * UNIT), 2, 1)
    squares = np.frompyfunc(lambda s, n: Fraction(s, n * UNIT * UNIT), 2, 1)(s2, by)
    return n, each(s1, by), squares, each(size, by), spoilt > 0


def least_of(case):
    area = case["window"][0] * case["window"][1]
    share = case["min_valid"]
    return max(1, math.ceil(share * area) if share < 1 else share)


def beside(got, want, empty, kind, slack):
    """Is a result that counts the wanted one, or, where that is the value for no data, the one beside it?"""
    if want != want:
        return got != got if kind.kind == "f" else got == 0
    held = w.stored(want, next(n for n in TYPES if TYPES[n] == kind.type))[0]
    if kind.kind == "f":
        near = abs(float(got) - float(want)) <= slack or got == held
        moved = empty is not None and abs(float(want) - empty) <= slack + abs(empty) * 2.0 ** -18
        beyond = slack + max(abs(empty) * 2.0 ** -18, 1e-30) if moved else 0
        return near or (moved and got != empty and abs(float(got) - empty) <= beyond)
    if empty is not None and held == empty:
        name = next(n for n in TYPES if TYPES[n] == kind.type)
        return int(got) == w.next_value(int(empty), name)
    return abs(int(got) - int(held)) <= (0 if slack == 0 else int(abs(abs(want % 1) - 0.5) < 1e-6 + slack))


def value_in(case, kind):
    """What stands where there is no data, and whether results avoid it."""
    holds = case["value"] and (kind.kind == "f" or float(case["nodata"]).is_integer())
    if holds and kind.kind != "f":
        holds = np.iinfo(kind).min <= case["nodata"] <= np.iinfo(kind).max
    if holds and kind == np.float32:
        holds = abs(case["nodata"]) <= np.finfo(kind).max
    return (kind.type(case["nodata"]), True) if holds else (kind.type(np.nan if kind.kind == "f" else 0), False)


def check_box(case, folder):
    rng, kind = case["rng"], np.dtype(TYPES[case["sample" if case["result"] == "same" else "result"]])
    case["min_valid"] = [0, 1, min(3, case["window"][0] * case["window"][1]), 0.25][rng.integers(4)]
    out = os.path.join(folder, "out.npy")
    options = ["--min-valid", case["min_valid"]] * bool(case["min_valid"]) + ["--keep-holes"] * case["keep"]
    why = run(case, folder, os.path.join(folder, "in.npy"), "--box", "%dx%d" % case["window"], "--passes",
              case["passes"], "--border", border_of(case), "--result", case["result"], "-o", out, *options,
              *([] if case["alpha"] else ["--alpha", "straight"]))
    if why:
        return why.decode() if isinstance(why, bytes) else why
    counts = case["counts"]
    got, values = np.load(out).reshape(counts.shape), case["pixels"][..., :counts.shape[2]]
    empty, avoids = value_in(case, kind)
    by_value, slack = bool(case["value"] or case["nans"] == 2), 0.0
    for i in range(case["passes"]):
        n, mean, _, size, spoilt = moments(case, values, counts, i % 2)
        left = n < least_of(case)
        if case["keep"]:
            left = left | ~counts
        made = np.empty(values.shape, kind)
        rounding = np.finfo(kind).eps if kind.kind == "f" else 0
        rounds = kind.kind == "f" or values.dtype.kind == "f"
        slack = slack * 2 + rounds * float(max(size.ravel())) * (rounding + 300 * 2.0 ** -53)
        last = i + 1 == case["passes"]
        for at in np.ndindex(values.shape):
            want = math.nan if spoilt[at] else mean[at]
            if left[at]:
                if last and not (got[at] == empty or (got[at] != got[at] and empty != empty)):
                    return f"{got[at]} at {at}, of {n[at]} samples, where there is no data"
                made[at] = empty
                continue
            if last and not beside(got[at], want, empty if avoids else None, kind, slack):
                return f"{got[at]!r} at {at}, not {float(want)!r}, of {n[at]} samples"
            made[at] = w.stored(want, next(k for k in TYPES if TYPES[k] == kind.type))[0] if want == want else (
                np.nan if kind.kind == "f" else 0)
            if avoids and made[at] == empty:
                made[at] = w.next_value(empty.item(), next(k for k in TYPES if TYPES[k] == kind.type))
        values, counts = made, ~left if not by_value else made != empty if avoids else made == made
    return None


def check_windows(case, folder):
    rng, compare = case["rng"], case["operation"] == "threshold"
    case["min_valid"] = [0, 1, min(3, case["window"][0] * case["window"][1]), 0.25][rng.integers(4)]
    case["ddof"] = min(case["ddof"], case["window"][0] * case["window"][1] - 1)
    names = [n for n in rng.choice(WINDOWS, 3, replace=False)]
    area = case["window"][0] * case["window"][1]
    if case["result"] == "f32" and "sum" in names and w.wide("sum", case["sample"], area) == "f64":
        case["result"] = "f64"  # f32 would round: refused
    if compare:
        names = [n for n in names if n in w.DEFAULTS] or ["sauvola"]
    out = os.path.join(folder, "out-{stat}.npy")
    asked = ["--stat", ",".join(names), "--result", case["result"]]
    if compare:
        asked = sum((["--threshold", n] for n in names), [])
    options = ["--min-valid", case["min_valid"]] * bool(case["min_valid"]) + ["--keep-holes"] * case["keep"]
    why = run(case, folder, os.path.join(folder, "in.npy"), "--box", "%dx%d" % case["window"], "--border",
              border_of(case), "-o", out, *asked, "--ddof", case["ddof"], *options,
              *([] if case["alpha"] else ["--alpha", "straight"]))
    if why:
        return why.decode() if isinstance(why, bytes) else why
    counts = case["counts"]
    values = case["pixels"][..., :counts.shape[2]]
    n, mean, squares, size, spoilt = moments(case, values, counts, False)
    ddof, var = case["ddof"], np.empty(n.shape)
    for at in np.ndindex(n.shape):
        free = int(n[at]) - ddof
        var[at] = math.nan if spoilt[at] or free <= 0 else (squares[at] - mean[at] ** 2) * int(n[at]) / free
    kind = {"same": np.dtype(TYPES[case["sample"]]), "f32": np.dtype("f4"), "f64": np.dtype("f8")}[case["result"]]
    groups = [slice(c, c + 1) for c in range(n.shape[2])] if n.shape[2] > 4 else [slice(None)]  # bands, each by itself
    largest = 1 if values.dtype.kind == "f" else float(np.iinfo(values.dtype).max)
    holding = all(value_in(case, kind)[1] for _ in names)
    for name in names:
        made = np.load(out.format(stat=name)).reshape(n.shape)
        empty = value_in(case, kind)[0] if holding else kind.type(np.nan if kind.kind == "f" else 0)
        p = w.parameters_of(name, [], largest)
        for group in groups:
            some, low = counts[..., group] & (values[..., group] == values[..., group]), math.inf
            if some.any():
                low = values[..., group][some].min().item()
            enough = (n[..., group] >= max(least_of(case), ddof + 1)) & (var[..., group] == var[..., group])
            most = math.sqrt(var[..., group][enough].max()) if enough.any() else 0
            if name == "wolf" and enough.any() and 0 < most < 1e-9 * float(size.max()):
                continue  # rounding alone decides
            for at in np.ndindex(n[..., group].shape):
                at = at[:2] + (at[2] + (group.start or 0),)
                count, x = int(n[at]), values[at].item()
                f = {"n": count, "x": x, "range": largest, "low": low, "most": most, "var": var[at],
                     "mean": math.nan if spoilt[at] else float(mean[at]), "sum": float(mean[at] * count),
                     "squares": math.nan if spoilt[at] else float(squares[at])}
                if spoilt[at]:
                    f["sum"] = math.nan
                least = least_of(case)
                short = count < least or (name in w.NEED_VAR and count <= ddof) or (name == "wolf" and low == math.inf)
                if case["keep"] and not counts[at]:
                    short = True
                if short and name != "count":
                    blank = 0 if compare else empty
                    if not (made[at] == blank or (made[at] != made[at] and blank != blank)):
                        return f"{name} {made[at]} at {at}, of {count} samples, where there is no data"
                    continue
                want, a = w.FORMULAS[name](f, p), float(size[at]) + sum(abs(v) for v in (x, low) if math.isfinite(v))
                spread = min(math.sqrt(float(squares[at])) + a, 1e150)
                slack = {"var": spread ** 2, "sum": a * count, "count": 0,
                         "norm": 1 + abs(want if want == want else 0)}.get(name, spread)
                exactly = values.dtype.kind != "f"
                if name == "norm" and not exactly and not var[at] > (1e-7 * a) ** 2:
                    continue  # a deviation that is rounding alone
                error = (1e-13 if exactly else 1e-10) * slack
                if compare:
                    if made[at] != (255 if x > want else 0) and not abs(x - want) <= error + 1e-9 * a:
                        return f"{name} {made[at]} at {at}, where {x} and {want}"
                    continue
                if kind.kind == "f" and not math.isnan(want):
                    error += abs(want) * np.finfo(kind).eps
                if name == "std" or name == "nick":  # the root of an error
                    error += 0 if exactly else 1e-6 * a
                if not beside(made[at], want, empty if holding and name != "count" else None, kind, error):
                    return f"{name} {made[at]!r} at {at}, not {want!r}, of {count} samples"
    return None


def border_of(case):
    return case["border"] + f":{case['outside']}" * BORDER[case["border"]]


# ---- Gaussians, by test_gauss_valid.py -------------------------------------------------------------------


def check_gauss(case, folder):
    rng, operation = case["rng"], case["operation"]
    sigma, sigma2, share = (float(rng.choice(v)) for v in ([0.1, 0.7, 1.6, 4.6], [0.7, 3], [0, 0.3]))
    asked = {"gauss": ["--gauss", sigma], "unsharp": ["--unsharp", f"{sigma},0.5"],
             "dog": ["--dog", f"{sigma},{sigma2}"]}[operation]
    out, real = os.path.join(folder, "out.npy"), "f64" if case["sample"] in ("u32", "i32", "f64") else "f32"
    result = {"same": real if operation == "dog" else case["sample"]}.get(case["result"], case["result"])
    kind = np.dtype(TYPES[result])
    empty, avoids = value_in(case, kind)
    keep = case["keep"] and operation != "dog" and (avoids or not case["value"])
    options = ["--min-valid", share] * bool(share) + ["--keep-holes"] * keep
    if case["nans"] == 1:
        return None
    why = run(case, folder, os.path.join(folder, "in.npy"), *asked, "--border", border_of(case), "--alpha",
              "straight", "-o", out, *options, *(["--result", result] if case["result"] != "same" else []))
    if why:
        return why.decode() if isinstance(why, bytes) else why
    spec = {"sigma": sigma, "sigma2": sigma2, "border": case["border"],
            "mode": ["gauss", "unsharp", "dog"].index(operation), "amount": 0.5, "weighted_alpha": False,
            "border_value": [case["outside"]] * 6, "min_valid": share,
            "keep_holes": keep, "skip_nan": case["nans"] == 2}
    if case["value"]:
        spec.update(has_nodata=True, nodata=case["nodata"], empty_set=avoids, empty=float(empty))
    mask = case["mask"] if case["masked"] else None
    return gv.compare(np.load(out).reshape(case["pixels"].shape), case["pixels"], spec, mask, kind.type, "")


# ---- rectangles ------------------------------------------------------------------------------------------


def shares(start, end, n):
    """How much of each of n pixels lies between two places."""
    return [max(Fraction(0), min(Fraction(end), i + 1) - max(Fraction(start), i)) for i in range(n)]


def check_rects(case, folder):
    rng, pixels, path = case["rng"], case["pixels"], os.path.join(folder, "in.npy")
    height, width, channels = pixels.shape
    table, rects = case["operation"] == "table", []
    names = [n for n in RECTS if not (table and case["sample"] in ("u32", "i32") and n in ("var", "std", "rms"))]
    if table and case["nans"] == 1:
        return None  # a table holds none: docs/limits.md
    for _ in range(8):
        x, y = int(rng.integers(0, width)), int(rng.integers(0, height))
        rect = [x, y, int(rng.integers(1, width - x + 1)), int(rng.integers(1, height - y + 1))]
        if rng.integers(2):
            rect = [x + 0.25, y + 0.5, (width - x - 0.25) * 0.75, (height - y - 0.5) * 0.5]
        rects.append(rect)
    rectangles = os.path.join(folder, "rects.npy")
    np.save(rectangles, np.array(rects, float))
    ask = ["--rects", rectangles, "--json", "--stat", ",".join(names), "--ddof", case["ddof"]]
    some = case["masked"] or case["value"] or case["nans"] == 2
    if table:
        file = os.path.join(folder, "t.npy")
        moments_of = ["--moments", ("0," if some else "") + ("1,2" if "var" in names else "1")]
        wide = ["--type", "f64"] if case["sample"] in FLOATS else []
        layout = ["--layout", str(rng.choice(["padded", "inclusive"]))]
        why = run(case, folder, path, "--as", "image", "-o", file, *moments_of, *wide, *layout)
        if why:
            return why.decode() if isinstance(why, bytes) else why
        status, out, error = run_sat("query", file, *ask, isa=case["isa"])
        out = error if status else out
    else:
        out = run(case, folder, "query", path, "--as", "image", *ask)
    if isinstance(out, str):
        return out
    for rect, line in zip(rects, out.splitlines()):
        row = json.loads(line)
        by_y, by_x = shares(rect[1], rect[1] + rect[3], height), shares(rect[0], rect[0] + rect[2], width)
        for c in range(channels):
            held = [(by_y[y] * by_x[x], pixels[y, x, c].item()) for y in range(height) for x in range(width)
                    if case["counts"][y, x, c] and by_y[y] * by_x[x] > 0]
            n = sum(weight for weight, _ in held)
            want = {"count": float(n), "area": float(sum(by_y) * sum(by_x)), "sum": 0.0, "mean": None, "rms": None,
                    "var": None, "std": None}
            size = 1e-300
            if any(v != v for _, v in held):
                want.update(sum=None)
            elif held:
                held = [(weight, Fraction(v)) for weight, v in held]
                s1, s2 = sum(weight * v for weight, v in held), sum(weight * v * v for weight, v in held)
                size = float(sum(weight * abs(v) for weight, v in held))
                want.update(sum=float(s1), mean=float(s1 / n), rms=math.sqrt(s2 / n))
                if n > case["ddof"]:
                    want["var"] = float((s2 - s1 * s1 / n) / (n - case["ddof"]))
                    want["std"] = math.sqrt(want["var"])
            # The entries of a table, and so their rounding errors, are sums of the image from its first pixel on.
            reach = pixels[:, :, c][case["counts"][:, :, c]].tolist() if table else [v for _, v in held]
            most = max((abs(float(v)) for v in reach if v == v), default=1)
            for name in names:
                got = row[name] if name == "area" else row[name][c]
                slack = {"sum": size, "mean": most, "rms": most, "var": most * most, "std": most * 1e4,
                         "count": n, "area": want["area"]}[name]
                error = float(slack) * (1e-10 if case["sample"] in FLOATS else 1e-12)
                if (got is None) != (want[name] is None) or (got is not None and abs(got - want[name]) > error):
                    return f"{rect}, channel {c}: {name} {got}, not {want[name]}"
    return None


# ---- what changes nothing --------------------------------------------------------------------------------


def results(folder, pixels, name, *args):
    """The bytes of what the command makes."""
    path, out = os.path.join(folder, "in.npy"), os.path.join(folder, f"{name}-out.npy")
    np.save(path, pixels)
    ask = [a.replace("IN", path).replace("OUT", out) for a in args]
    status, text, error = run_sat(*ask)
    if status:
        return error
    return text if "--json" in args else np.load(out)


def operations(sample):
    filters = [["IN", *f.split(), "--alpha", "straight", "-o", "OUT"] for f in (
        "--box 5", "--box 4x3 --passes 3", "--box 3 --border reflect", "--box 5 --stat mean", "--box 5 --stat std",
        "--box 7 --threshold sauvola", "--box 5 --stat wolf", "--gauss 1", "--gauss 5", "--unsharp 1,0.5", "--dog 1,2",
        "--box 2.5", "--box 5 --result f32", "--gauss 1 --result f64")]
    light = [["IN", *f.split(), "--linear", "--alpha", "straight", "-o", "OUT"] for f in ("--box 3", "--gauss 1.5")]
    ask = "--rect 1,2,9,7 --rect 0,0,13.5,11.25 --rect 30,3,5,5 --stat mean,sum,var,std,rms,count,area --json".split()
    return filters + (light if sample in ("u8", "u16") else []) + [["query", "IN", "--as", "image", *ask]]


def same(a, b):
    """To the bit; but means of floats may be summed in another order where some samples do not count."""
    if isinstance(a, str) or isinstance(b, str):
        return False
    if isinstance(a, np.ndarray) and a.dtype.kind == "f":
        return a.dtype == b.dtype and np.allclose(a, b, 4 * np.finfo(a.dtype).eps, 0, equal_nan=True)
    return a == b if isinstance(a, bytes) else a.dtype == b.dtype and a.tobytes() == b.tobytes()


def check_properties(sample):
    """A mask of ones, and a value that no sample has; a hole far away; a value in place of a mask."""
    rng, problems = np.random.default_rng(list(sample.encode())), []
    dtype = np.dtype(TYPES[sample])
    for channels, args in ((c, a) for c in (1, 3) for a in operations(sample)):
        pixels = rng.integers(0, 40, (24, 40, channels)).astype(dtype)
        text = f"{sample} x {channels} {' '.join(args)}: "
        with scratch() as folder:
            mask = os.path.join(folder, "mask.npy")
            np.save(mask, np.ones((24, 40), bool))
            plain = results(folder, pixels, "plain", *args)
            if not same(plain, results(folder, pixels, "ones", *args, "--mask", mask)):
                problems.append(text + "a mask of ones changes it")
            if not same(plain, results(folder, pixels, "value", *args, "--nodata", "120")):
                problems.append(text + "a value that no sample has changes it")
            if dtype.kind == "f" and not same(plain, results(folder, pixels, "nan", *args, "--nodata", "nan")):
                problems.append(text + "NaN that no sample is changes it")
            far, hole = np.ones((24, 40), bool), pixels.copy()
            far[:, -1] = False
            hole[:, -1] = 120
            np.save(mask, far)
            by_mask = results(folder, hole, "mask", *args, "--mask", mask)
            by_value = results(folder, hole, "hole", *args, "--nodata", "120")
            if isinstance(by_mask, np.ndarray) and isinstance(by_value, np.ndarray):
                near = slice(0, 39 - len(g.all_weights(5)) // 2)
                if "wolf" not in args and not same(plain[:, near].copy(), by_mask[:, near].copy()):
                    problems.append(text + "a hole far away changes it")
                left = ~(np.isclose(by_value.astype(float), 120))  # where there is no data a mask leaves NaN or 0
                if not np.array_equal(by_mask[left], by_value[left], equal_nan=by_mask.dtype.kind == "f"):
                    problems.append(text + "a value in place of a mask changes it")
            elif not same(by_mask, by_value):
                problems.append(text + "a value in place of a mask changes it")
    return problems


# ---- all of it -------------------------------------------------------------------------------------------


def check(index):
    case = draw(index)
    how = {"box": check_box, "stat": check_windows, "threshold": check_windows, "rects": check_rects,
           "table": check_rects}
    with scratch() as folder:
        why = how.get(case["operation"], check_gauss)(case, folder)
    return why and f"{text_of(case)}, {case['pixels'].shape}: {why}"


def missing_pairs():
    """Pairs of values that no case has."""
    cases, seen = [draw(i) for i in range(CASES)], set()
    values = {name: sorted({str(c[name]) for c in cases}) for name in SHOWN}
    for c in cases:
        seen |= {(a, str(c[a]), b, str(c[b])) for a in SHOWN for b in SHOWN if a < b}
    pairs = [(a, x, b, y) for a in SHOWN for b in SHOWN if a < b for x in values[a] for y in values[b]]
    never = [p for p in pairs if p not in seen]
    # NaN goes with floats alone, and alpha with windows, two or four channels.
    return [f"{a} {x} with {b} {y}" for a, x, b, y in never if not {a, b} & {"nans", "alpha"}]


def main():
    tap = Tap()
    tap.report("each pair of choices is in a case", missing_pairs())
    tap.report("whatever is asked: what counts, exactly", [p for p in in_parallel(check, range(CASES)) if p], CASES)
    problems = sum(in_parallel(check_properties, SAMPLES), [])
    tap.report("a mask of ones, a hole far away, a value in place of a mask change nothing", problems)
    tap.finish()


if __name__ == "__main__":
    main()
