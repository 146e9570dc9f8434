#!/usr/bin/env python3
"""The Gaussian filter against its weights written from their definition, as matrices in f64, and against the Gaussian
itself: every border mode, type and channel count; alpha; masks and differences; threads."""
import ctypes
import os

import numpy as np

from satlib import (ISAS, LIB, MAPS, ROOT, TYPES, Counts, GaussSpec, Run, Tap, View, borders, code, extension, need,
                    random_pixels, read_image, run_sat, runs_isa, scratch, sized, write_image)

PASSES, DIRECT_SIGMA = 4, 4
BLUR, UNSHARP, DOG = range(3)
# What sat_gauss.h says of the weights for sigma above 4: largest and root mean square difference, and their sum.
LARGEST, ROOT_MEAN_SQUARE, SUM = 0.0036, 0.0026, 0.0029
WHOLE = 0.75  # of 255: what it says of pictures


class Side(float):
    """Of a window, in place of a sigma."""


def view_of(pixels):
    height, width, channels = pixels.shape
    return View(data=pixels.ctypes.data, row_bytes=pixels.strides[0], width=width, height=height, channels=channels,
                type=code(name_of(pixels.dtype)), count=1)


def name_of(dtype):
    return next(name for name, kind in TYPES.items() if np.dtype(kind) == dtype)


def filtered(pixels, sigma, border="reflect101", result=None, **spec):
    """(what the library makes of (H, W, C) pixels, how many results it cut)"""
    height, width, channels = pixels.shape
    source = np.ascontiguousarray(pixels)
    made = np.empty(pixels.shape, result or pixels.dtype)
    value = (ctypes.c_double * 4)(*spec.pop("value", [0] * 4))
    if isinstance(sigma, Side):
        spec["side"], sigma = sigma, 0
    s = GaussSpec(width=width, height=height, channels=channels, sample=code(name_of(source.dtype)), sigma=sigma,
                  border=border.encode(), border_value=value, result=code(name_of(made.dtype)), **spec)
    gauss, counts = ctypes.c_void_p(), Counts()
    need(LIB.sat_gauss_create_sized(ctypes.byref(gauss), *sized(s)))
    try:
        need(LIB.sat_gauss_run_sized(gauss, ctypes.byref(view_of(source)), ctypes.byref(view_of(made)),
                                     *sized(Run(counts=ctypes.pointer(counts)))))
    finally:
        LIB.sat_gauss_destroy(ctypes.byref(gauss))
    return made, counts.clipped


# ---- the definition --------------------------------------------------------------------------------------


def gaussian(sigma, reach):
    at = np.arange(-reach, reach + 1)
    weights = np.exp(-at * at / (2 * sigma * sigma))
    return weights / weights.sum()


def cut(sigma):
    """Where a sampled Gaussian ends: 4 sigma, rounded as SciPy does."""
    return int(4 * sigma + 0.5)


def box_with_rim(variance):
    """As many equal weights as have that variance at most, and two smaller ones: their sum and variance say which."""
    reach = 0
    while np.mean(np.arange(-reach - 1, reach + 2) ** 2.0) <= variance:
        reach += 1
    at = np.arange(-reach, reach + 1)
    inside, rim = np.linalg.solve([[len(at), 2], [(at * at).sum(), 2 * (reach + 1) ** 2]], [1, variance])
    return np.concatenate([[rim], np.full(len(at), inside), [rim]])


def laguerre_nodes(count):
    """Nodes and weights for chi-squared of three degrees of freedom (Golub & Welsch 1969)."""
    i = np.arange(1, count)
    beside = np.sqrt(i * (i + 0.5))
    jacobi = np.diag(2 * np.arange(count) + 1.5) + np.diag(beside, 1) + np.diag(beside, -1)
    nodes, vectors = np.linalg.eigh(jacobi)
    return 2 * nodes, vectors[0] ** 2


def window_weights(side):
    """Of the pixels from -r - 1 to r + 1, the outermost by the fraction."""
    r = int((side - 1) // 2)
    rim = (side - (2 * r + 1)) / 2
    return np.concatenate([[rim], np.ones(2 * r + 1), [rim]]) / float(side)


def pass_weights(sigma):
    """(weights of one pass, number of passes)"""
    if isinstance(sigma, Side):
        return window_weights(sigma), 1
    if sigma <= DIRECT_SIGMA:
        return gaussian(sigma, cut(sigma)), 1
    weights = np.zeros(1)
    for u, share in zip(*laguerre_nodes(2)):
        box = share * box_with_rim(u * sigma * sigma / PASSES / 3)
        both = np.zeros(max(len(box), len(weights)))
        for part in (box, weights):
            skip = (len(both) - len(part)) // 2
            both[skip:len(both) - skip] += part
        weights = both
    return weights, PASSES


def all_weights(sigma):
    """Of all passes together."""
    weights, passes = pass_weights(sigma)
    together = weights
    for _ in range(passes - 1):
        together = np.convolve(together, weights)
    return together


def border_matrix(weights, border, n):
    """What each of n samples takes of each, and (last column) of what lies beyond."""
    reach = len(weights) // 2
    matrix = np.zeros((n, n + 1))
    for k, weight in enumerate(weights):
        np.add.at(matrix, (np.arange(n), MAPS[border](np.arange(n) + k - reach, n)), weight)
    if border == "shrink":
        matrix[:, n] = 0
        matrix /= matrix.sum(1, keepdims=True)
    return matrix


def convolved(samples, weights, border, value):
    """(H, W, C) of f64, which the border mode extends; value: beyond the edge, of each channel"""
    for axis in (0, 1):
        matrix = border_matrix(weights, border, samples.shape[axis])
        edge_shape = list(samples.shape)
        edge_shape[axis] = 1
        beyond = np.broadcast_to(np.asarray(value, np.float64), edge_shape)
        samples = np.moveaxis(np.tensordot(matrix, np.concatenate([samples, beyond], axis), ([1], [axis])), 0, axis)
    return samples


def blur(samples, sigma, border, value):
    return convolved(samples, all_weights(sigma), border, value)


def weighted_blur(pixels, sigma, border, value, weighted):
    samples, value = pixels.astype(np.float64), np.array(value[:pixels.shape[2]], np.float64)
    if not weighted:
        return blur(samples, sigma, border, value)
    samples[..., :-1] *= samples[..., -1:]
    value[:-1] *= value[-1]
    sums = blur(samples, sigma, border, value)
    alpha = sums[..., -1:]
    sums[..., :-1] = np.where(alpha != 0, sums[..., :-1] / np.where(alpha != 0, alpha, 1), 0)
    return sums


def expected(pixels, case):
    """In f64, not rounded."""
    args = case["border"], case["value"], case["weighted"]
    real = pixels.astype(np.float64)
    want = weighted_blur(pixels, case["sigma"], *args)
    if case["mode"] == UNSHARP:
        want = real + case["amount"] * (real - want)
    if case["mode"] == DOG:
        want = want - weighted_blur(pixels, case["sigma2"], *args)
    if case["weighted"] and case["mode"] != BLUR:
        want[..., -1] = real[..., -1]
    return want


def compare(got, want, error, what):
    """None, or what is wrong; error: of the reals before they are rounded."""
    allowed = error
    if got.dtype.kind in "iu":
        limits = np.iinfo(got.dtype)
        want = np.clip(want, limits.min, limits.max)
        allowed = 0.5 + error
    wrong = ~(np.abs(got.astype(np.float64) - want) <= allowed)
    if not wrong.any():
        return None
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"{what}: {int(wrong.sum())} samples differ, first at y,x,c={at}: {got[at]} instead of {want[at]}"


# ---- tests -----------------------------------------------------------------------------------------------


def check_weights(tap):
    """The impulse response against the Gaussian."""
    problems, sigmas = [], [0.05, 0.12, 0.13, 0.3, 0.5, 1, 1.1, 1.7, 2.5, 3.87, 3.88, 4]
    for sigma in sigmas:
        reach = cut(sigma)
        line = np.zeros((1, 101, 1))
        line[0, 50] = 1
        got = filtered(line, sigma, "constant")[0][0, :, 0] / np.float64(gaussian(sigma, reach)[reach])
        want = np.zeros(101)
        want[50 - reach:51 + reach] = gaussian(sigma, reach)
        if not np.allclose(got, want, 1e-13, 1e-300):
            problems.append(f"sigma {sigma}: not the samples of the Gaussian")
    tap.report("up to sigma 4, the weights are samples of the Gaussian", problems, len(sigmas))

    problems, found = [], []
    rng = np.random.default_rng(7)
    sigmas = np.concatenate([np.arange(4.01, 8, 0.05), rng.uniform(8, 40, 40), [100, 250.5, 500]])
    for sigma in sigmas:
        reach = int(7 * sigma) + 9
        line = np.zeros((1, 2 * reach + 1, 1))
        line[0, reach] = 1
        column = filtered(line, sigma, "replicate")[0][0, :, 0]
        want, at = gaussian(sigma, reach), np.arange(-reach, reach + 1.0)
        off = np.abs(column - want)
        figures = np.array([off.max() / want.max(), np.sqrt((off ** 2).sum() / (want ** 2).sum()), off.sum(),
                            abs(np.sqrt((column * at * at).sum()) / sigma - 1)])
        found.append(figures)
        if (figures > (LARGEST, ROOT_MEAN_SQUARE, SUM, 1e-10)).any():
            problems.append(f"sigma {sigma}: {figures}")
    tap.report("above, they differ as little as sat_gauss.h says, and sigma is exact", problems, len(sigmas))
    if os.environ.get("SHOW"):
        show(sigmas, np.array(found))


def show(sigmas, found):
    """The table of docs/gauss.md: the worst of ranges of sigma, and four passes of one box each."""
    row = "| {} | {:.2f} % | {:.2f} % | {:.2f} % |"
    for low, high in ((4, 5), (5, 6), (6, 8), (8, 40), (40, 500)):
        worst = 100 * found[(sigmas > low) & (sigmas <= high)].max(0)
        print("#", row.format(f"{low} to {high}", *worst[:3]), "sigma:", worst[3], "%")
    box, reach = box_with_rim(30 * 30 / PASSES), 250
    passes = np.convolve(np.convolve(box, box), np.convolve(box, box))
    off = np.abs(np.pad(passes, reach - len(passes) // 2) - gaussian(30, reach))
    want = gaussian(30, reach)
    print("#", row.format("30, one box", 100 * off.max() / want.max(),
                          100 * np.sqrt((off ** 2).sum() / (want ** 2).sum()), 100 * off.sum()))


ERRORS = {"f32": 4e-6, "f64": 1e-12}  # of the largest sample


def reals_of(kind, result, sigma, weighted):
    wide = kind in ("u32", "i32", "f64") or result == np.float64 or sigma > 64 or (weighted and kind == "f32")
    wide = wide or isinstance(sigma, Side)
    return "f64" if wide else "f32"


def make_case(rng, kind, border, takes_value):
    channels = int(rng.integers(1, 5))
    height, width = (int(rng.choice([1, 2, 5, 15, 16, 17, 33, 64, 70])) for _ in range(2))
    dtype = np.dtype(TYPES[kind])
    mode = int(rng.choice([BLUR, BLUR, UNSHARP, DOG]))
    sigma, sigma2 = (float(rng.choice([0.2, 1, 2.3, 4, 4.5, 7, 11.3, 40, 90])) for _ in range(2))
    if mode != DOG and rng.integers(3) == 0:
        sigma = Side(rng.choice([1.001, 1.5, 2, 3.25, 4, 8.9, 30, 32.999, 33.5, 40, 100.7]))
    pixels = random_pixels(rng, height, width, channels, dtype)
    if dtype.kind == "f":
        pixels = np.where(np.isfinite(pixels), pixels, 0).astype(dtype)
    weighted = channels in (2, 4) and bool(rng.integers(2))
    if weighted and kind in ("u32", "i32"):
        weighted = False
    if weighted:  # of one sign, and here and there transparent
        alpha = np.abs(pixels[..., -1].astype(np.float64))
        pixels[..., -1] = np.where(rng.random(alpha.shape) < 0.2, 0, np.minimum(alpha, 100) + 1).astype(dtype)
    result = dtype.type
    if mode == DOG:
        result = np.float64 if kind in ("u32", "i32", "f64") else np.float32
    elif rng.integers(3) == 0:
        result = [np.float32, np.float64][rng.integers(2)]
    value = [int(rng.integers(0, 100)) for _ in range(4)] if takes_value else [0] * 4
    return pixels, {"kind": kind, "border": border, "sigma": sigma, "sigma2": sigma2, "mode": mode, "value": value,
                    "amount": float(rng.choice([0.5, 1.5, -1])), "weighted": weighted, "result": result,
                    "threads": int(rng.integers(1, 4))}


def check_case(pixels, case):
    widest = max(case["sigma"], case["sigma2"]) if case["mode"] == DOG else case["sigma"]
    error = ERRORS[reals_of(case["kind"], case["result"], widest, case["weighted"])]
    want = expected(pixels, case)
    largest = max(1.0, np.abs(pixels.astype(np.float64)).max(), max(case["value"]))
    error *= largest * (1 if case["mode"] == BLUR else 2 + abs(case["amount"]))
    if case["result"] == np.float32:
        error += 2.0 ** -23 * np.abs(want).max() * 2
    what = f"{pixels.shape} {case}"
    spec = {name: case[name] for name in ("mode", "value", "threads")}
    got, clipped = filtered(pixels, case["sigma"], case["border"], case["result"], amount=case["amount"],
                            sigma2=case["sigma2"], weighted_alpha=case["weighted"], **spec)
    if got.dtype.kind in "iu":
        limits = np.iinfo(got.dtype)
        beyond = np.maximum(want - limits.max, limits.min - want)
        least, most = int((beyond > 0.5 + error).sum()), int((beyond >= 0.5 - error).sum())
        if not least <= clipped <= most:
            return f"{what}: {clipped} results were cut, {least} to {most} lie beyond"
    elif clipped:
        return f"{what}: {clipped} floats were cut"
    return compare(got, want, error, what)


def check_definition(tap):
    for kind in ("u8", "u16", "u32", "i8", "i16", "i32", "f32", "f64"):
        cases = [make_case(np.random.default_rng([ord(c) for c in kind + border] + [i]), kind, border, takes_value)
                 for border, takes_value in borders() for i in range(40)]
        tap.report(f"{kind}: random images, every border", [text for case in cases if (text := check_case(*case))],
                   len(cases))


def pictures():
    """Of u8 and of one channel, with the largest errors at edges and corners."""
    rng = np.random.default_rng(11)
    shape = 90, 120
    y, x = np.ogrid[:shape[0], :shape[1]]
    masks = {"first column": x + 0 * y < 1, "20 columns": x + 0 * y < 20, "last row": y + 0 * x == shape[0] - 1,
             "corner": (y < 8) & (x < 8), "all but the last column": x + 0 * y < shape[1] - 1,
             "white": x + y >= 0, "stripes": (x // 30 + 0 * y) % 2 == 0, "checks": (x // 9 + y // 9) % 2 == 0,
             "black and white": rng.random(shape) < 0.5}
    made = {name: 255 * mask.astype(np.uint8) for name, mask in masks.items()}
    with scratch() as folder:
        name = os.path.join(folder, "camera.pam")
        run_sat(os.path.join(ROOT, "data", "camera.png"), "--box", 1, "-o", name)
        made["camera"] = read_image(name)[180:300, :130, 0]
    made["one row"] = rng.choice(np.array([0, 255], np.uint8), (1, 90))
    return {name: picture[..., np.newaxis] for name, picture in made.items()}


def check_borders(tap):
    """The Gaussian, cut at 9 sigma, of pictures that the border mode extends: the library's is within sat_gauss.h's
    bound of it everywhere, and so are edges and corners."""
    made = pictures()
    for border, takes_value in borders():
        problems, worst, cases = [], 0, 0
        for sigma in (3.9, 4.2, 5, 7.3, 12.6, 20, 40):
            reach = cut(sigma) if sigma <= DIRECT_SIGMA else int(np.ceil(9 * sigma))
            for value in ([0], [255]) if takes_value else ([0],):
                for name, picture in made.items():
                    want = convolved(picture.astype(np.float64), gaussian(sigma, reach), border, value)
                    got = filtered(picture, sigma, border, np.float32, value=value * 4)[0]
                    off = np.abs(got - want).max()
                    worst, cases = max(worst, off), cases + 1
                    if not off <= WHOLE:
                        problems.append(f"{name}, sigma {sigma}, beyond {value[0]}: {off:.2f} grey levels off")
        tap.report(f"{border}: within {WHOLE} grey levels of the Gaussian, at edges and corners, too", problems, cases)
        if os.environ.get("SHOW"):
            print(f"# {border}: at most {worst:.3f} grey levels")


def check_extremes(tap):
    """The largest samples under the widest sums of f32: still the nearest integer, or the one beside it by a hair."""
    problems = []
    rng = np.random.default_rng(5)
    for dtype in (np.uint8, np.uint16, np.int16):
        limits = np.iinfo(dtype)
        white = np.full((40, 700, 1), limits.max, dtype)
        noise = rng.choice(np.array([limits.min, limits.max], dtype), white.shape)
        for pixels in (white, noise):
            for sigma in (3.9, 4.1, 20, 63.9):
                got = filtered(pixels, sigma, "replicate")[0]
                want = blur(pixels.astype(np.float64), sigma, "replicate", [0])
                problems.append(compare(got, want, 2e-6 * limits.max, f"{np.dtype(dtype).name} sigma {sigma}"))
    tap.report("white, and black and white, with f32 sums", [text for text in problems if text], len(problems))


def check_spots(tap):
    """A NaN, or an Inf, reaches the pixels whose passes hold it and no other."""
    problems = []
    for sigma in (1.0, 5.0, 11.0):
        weights, passes = pass_weights(sigma)
        reach = len(weights) // 2 * passes
        for spot in (np.nan, np.inf):
            for dtype in (np.float32, np.float64):
                pixels = np.random.default_rng(1).random((90, 110, 1)).astype(dtype)
                clean = filtered(pixels, sigma)[0]
                pixels[44, 60] = spot
                got = filtered(pixels, sigma)[0]
                y, x = np.ogrid[:90, :110]
                near = (np.abs(y - 44) <= reach) & (np.abs(x - 60) <= reach)
                if np.isfinite(got[near]).any() or (got[~near] != clean[~near]).any():
                    problems.append(f"sigma {sigma}, {spot}, {np.dtype(dtype).name}")
    tap.report("a NaN or Inf reaches the pixels whose passes hold it and no other", problems)


def check_sides(tap):
    """Windows of fractions, of noise in f64: within the bound of sat_gauss.h."""
    problems, cases = [], 0
    rng = np.random.default_rng(8)
    for side in (1.3, 2, 3.7, 16.5, 34.25, 61.9, 200.1):
        for border, value in (("shrink", 0), ("replicate", 0), ("wrap", 0), ("constant", 3)):
            pixels = rng.normal(0, 1, (37, 90, 1)) * 10.0 ** rng.integers(-3, 4, (37, 90, 1))
            got = filtered(pixels, Side(side), border, value=[value] * 4)[0]
            r = int((side - 1) // 2)
            rim = ((np.longdouble(side) - 1) / 2 - r) / np.longdouble(side)
            weights = np.array([rim] + [1 / np.longdouble(side)] * (2 * r + 1) + [rim])
            want, size = (exact_blur(samples, weights, border, abs(value) if samples is not pixels else value)
                          for samples in (pixels, np.abs(pixels)))
            cases += 1
            off = np.abs(got[..., 0] - want) - (np.abs(want) + (4 * side + 40) * size) * np.longdouble(2) ** -53
            if not (off <= 0).all():
                problems.append(f"side {side}, {border}: {float((off / size).max())} beyond the bound")
    tap.report("windows of fractions: sat_gauss.h's bound", problems, cases)


def exact_blur(samples, weights, border, value):
    """Of one channel, in longer floats."""
    samples, ones = samples[..., 0].astype(np.longdouble), np.ones(samples.shape[:2], np.longdouble)
    reach = len(weights) // 2

    def along(lines, axis, outside):
        lines = np.moveaxis(lines, axis, 0)
        n, total = len(lines), np.zeros_like(lines)
        more = np.concatenate([lines, np.full((1,) + lines.shape[1:], outside, np.longdouble)])
        for k, weight in enumerate(weights):
            total += weight * more[MAPS[border](np.arange(n) + k - reach, n)]
        return np.moveaxis(total, 0, axis)

    if border != "shrink":
        return along(along(samples, 0, value), 1, value)
    return along(along(samples, 0, 0), 1, 0) / along(along(ones, 0, 0), 1, 0)


def check_command(tap):
    """The command, with every instruction set, makes what the library made here."""
    problems, cases = [], 0
    rng = np.random.default_rng(3)
    options = [(BLUR, "--gauss {sigma}", None), (UNSHARP, "--unsharp {sigma},{amount}", None),
               (DOG, "--dog {sigma},{sigma2}", None), (BLUR, "--box {sigma}", Side(4.7)),
               (BLUR, "--radius 17.25", Side(35.5))]
    isas = [isa for isa in ISAS if runs_isa(isa)]
    for kind in ("u8", "u16", "i32", "f32", "f64"):
        for mode, text, side in options:
            pixels, case = make_case(rng, kind, "reflect", False)
            case.update(mode=mode, sigma2=6.1, sigma=side or float(case["sigma"]))
            result = {"u8": np.float32, "u16": np.float32}.get(kind) if mode == DOG else pixels.dtype
            result = result or (np.float64 if kind in ("i32", "f64") else np.float32)
            if pixels.shape[2] % 2 == 0:
                pixels = np.ascontiguousarray(pixels[..., :1])
            want, _ = filtered(pixels, case["sigma"], "reflect", result, mode=mode, amount=case["amount"], sigma2=6.1)
            for isa in isas:
                with scratch() as folder:
                    name, out = (os.path.join(folder, f) for f in ("in." + extension(pixels.dtype), "out.npy"))
                    write_image(name, pixels)
                    args = text.format(**case).split() + ["--border", "reflect", "--as", "image", "-q"]
                    status, _, error = run_sat(name, *args, "-o", out, isa=isa)
                    cases += 1
                    if status != 0 or not np.array_equal(np.load(out).reshape(want.shape), want):
                        problems.append(f"{kind} {pixels.shape} {isa} {args}: {error or 'other samples'}")
    tap.report(f"the command, with {', '.join(isas)}: the same bits", problems, cases)


def curve(light):
    return np.where(light <= 0.0031308, light * 12.92, 1.055 * np.maximum(light, 0.0031308) ** (1 / 2.4) - 0.055)


def linear_problem(rng, dtype, channels, sigma, border, value):
    largest = np.iinfo(dtype).max
    pixels = rng.integers(0, largest, (37, 45, channels), dtype, endpoint=True)
    if channels % 2 == 0:
        pixels[..., -1] |= 1  # not all transparent
    light = pixels / largest
    colours = slice(0, channels - 1 if channels % 2 == 0 else channels)
    light[..., colours] = np.where(light[..., colours] <= 0.04045, light[..., colours] / 12.92,
                                   ((light[..., colours] + 0.055) / 1.055) ** 2.4)
    want = weighted_blur(light, sigma, border, [value] * 4, channels % 2 == 0)
    want[..., colours] = curve(want[..., colours])
    outside = f"{border}:{value * largest}" if border == "constant" else border
    with scratch() as folder:
        name, out = (os.path.join(folder, f) for f in ("in.pam", "out.pam"))
        write_image(name, pixels)
        status, _, error = run_sat(name, "--gauss", sigma, "--border", outside, "--linear", "-o", out)
        return error if status else compare(read_image(out), want * largest, 4e-6 * largest,
                                            f"{pixels.shape} {pixels.dtype} {sigma} {outside}")


def check_linear(tap):
    """--linear: the inverse of the sRGB curve, a blur in f64, and the curve."""
    rng = np.random.default_rng(8)
    problems = [linear_problem(rng, dtype, channels, sigma, border, int(takes_value and sigma > 4))
                for dtype in (np.uint8, np.uint16) for channels in (1, 2, 3, 4) for sigma in (1.5, 6.0)
                for border, takes_value in borders()]
    tap.report("--linear: light is blurred", [text for text in problems if text], len(problems))


def main():
    tap = Tap()
    check_weights(tap)
    check_definition(tap)
    check_borders(tap)
    check_extremes(tap)
    check_spots(tap)
    check_sides(tap)
    check_command(tap)
    check_linear(tap)
    tap.finish()


if __name__ == "__main__":
    main()
