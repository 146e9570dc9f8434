#!/usr/bin/env python3
"""The answers of OpenCV, SciPy and scikit-image, as tests/golden/make_fixtures.py committed them.

SciPy's means are unrounded: ours lie within half a level of them.  OpenCV's 16-bit means go through a float
factor, and its 8-bit ones through an integer reciprocal that lifts 7/16 of a level as well as a half: ours
are equal to them, but for means that close to a tie, where one level is allowed.  Means of floats, and float means of
8-bit samples, differ by the roundings of either side, and so do Gaussians."""
import os

import numpy as np

from satlib import ROOT, Tap, extension, in_parallel, read_image, run_sat, scratch, window_sums, write_image

GOLDEN = os.path.join(ROOT, "tests", "golden")
TIE = {"uint8": 1 / 16 + 1e-9, "uint16": 65535 * 2.0 ** -24}
# How far float results may lie apart, as a part of the largest sample: by the samples' type.
APART = {"float32": 1e-5, "float64": 1e-12, "uint8": 2.0 ** -22}


def blurred(pixels, border, window, result):
    """result: the type of the means, float32 also of other samples."""
    with scratch() as folder:
        source = os.path.join(folder, "in." + extension(pixels.dtype))
        target = os.path.join(folder, "out." + extension(result))
        write_image(source, pixels)
        words = [] if result == pixels.dtype else ["--result", "f32"]
        status, _, error = run_sat(source, "--box", window, "--border", border, *words, "-o", target)
        if status:
            raise RuntimeError(error)
        return np.load(target).reshape(pixels.shape) if target.endswith("npy") else read_image(target)


def exact_mean(pixels, border, window):
    width, height = map(int, window.split("x"))
    name, _, value = border.partition(":")
    outside = [float(value or 0)] * pixels.shape[2]
    return window_sums(pixels.astype(np.float64), width, height, name, outside) / (width * height)


def check(item):
    peer, border, window, pixels, want = item
    try:
        result = np.dtype("float32") if peer == "opencv to f32" else pixels.dtype
        got = blurred(pixels, border, window, result)
    except RuntimeError as e:
        return f"{border} {window}: {e}"
    if got.dtype != result:
        return f"{border} {window}: {got.dtype} came back"
    apart = np.abs(got.astype(np.float64) - want)
    if result.kind == "f":
        allowed = np.full(want.shape, APART[pixels.dtype.name] * float(np.abs(pixels).max()))
    elif peer == "scipy":
        allowed = np.full(want.shape, 0.5 + 1e-9)
    else:
        mean = exact_mean(pixels, border, window)
        allowed = np.where(np.abs(mean - np.floor(mean) - 0.5) <= TIE[pixels.dtype.name], 1.0, 0.0)
    wrong = ~(apart <= allowed)
    return f"{border} {window}: {int(wrong.sum())} samples differ, by up to {apart.max()}" if wrong.any() else None


def gaussians(tap):
    """SciPy's Gaussians of f64, whose weights end at the same sample."""
    golden = np.load(os.path.join(GOLDEN, "scipy-gauss.npz"))
    pixels, problems = golden["in"], []
    with scratch() as folder:
        source, target = os.path.join(folder, "in.npy"), os.path.join(folder, "out.npy")
        np.save(source, pixels)
        for key in golden.files[1:]:
            border, sigma = key.split("/")
            status, _, error = run_sat(source, "--as", "image", "--gauss", sigma, "--border", border, "-o", target)
            apart = np.abs(np.load(target) - golden[key]).max() if status == 0 else np.inf
            if not apart <= 1e-13 * np.abs(pixels).max():
                problems.append(f"{border}, sigma {sigma}: up to {apart} apart {error}")
    tap.report("scipy, Gaussians up to sigma 4", problems, len(golden.files) - 1)


def tables(tap, golden):
    """Tables without our trailer: the user says which layout."""
    for file, image, layout in (("opencv-s32-padded", "rgb8", "padded"), ("opencv-f64-padded", "grey16", "padded"),
                                ("opencv-f32-padded", "grey8", "padded"), ("skimage-inclusive", "grey8", "inclusive")):
        pixels = golden[f"in/{image}"].astype(np.int64)
        x, y, w, h = 3, 2, 11, 13
        want = pixels[y:y + h, x:x + w].sum((0, 1)).tolist()
        args = ["query", os.path.join(GOLDEN, file + ".npy"), "--rect", f"{x},{y},{w},{h}", "--stat", "sum"]
        status, out, error = run_sat(*args, "--layout", layout)
        got = [float(v) for v in out.decode().split("\n")[1].split(",")[4:]] if status == 0 else error
        tap.report(f"{file}.npy answers with --layout {layout}", [] if got == want else [f"{got} instead of {want}"])
        status, out, error = run_sat(*args)
        fine = status == 1 and not out and "--layout" in error
        tap.report(f"{file}.npy without --layout is refused, naming it", [] if fine else [f"{status} {out} {error}"])


def float_table(tap, pixels):
    """OpenCV's f32 table of f32 samples: rectangles answered from it, and a table of ours beside it.  Entries far from
    the corner hold large sums, each of which was rounded: both bounds are a part of the sum of all magnitudes."""
    file = os.path.join(GOLDEN, "opencv-f32-of-f32-padded.npy")
    bound = 2.0 ** -22 * float(np.abs(pixels).sum(dtype=np.float64))
    x, y, w, h = 3, 2, 11, 13
    want = float(pixels[y:y + h, x:x + w].sum(dtype=np.float64))
    status, out, error = run_sat("query", file, "--rect", f"{x},{y},{w},{h}", "--stat", "sum", "--layout", "padded")
    got = [float(v) for v in out.decode().split("\n")[1].split(",")[4:]] if status == 0 else []
    fine = len(got) == 1 and abs(got[0] - want) <= bound
    tap.report("an f32 table of f32 samples answers", [] if fine else [f"{got} instead of {want} {error}"])
    with scratch() as folder:
        source, target = os.path.join(folder, "in.pfm"), os.path.join(folder, "out.npy")
        write_image(source, pixels)
        status, _, error = run_sat(source, "--type", "f32", "-o", target)
        problems = [error] if status else []
        if not problems:
            ours, theirs = np.load(target).squeeze(), np.load(file)
            if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
                problems = [f"{ours.shape} of {ours.dtype}, not {theirs.shape} of {theirs.dtype}"]
            elif np.abs(ours.astype(np.float64) - theirs).max() > bound:
                problems = [f"entries up to {np.abs(ours.astype(np.float64) - theirs).max()} apart"]
        tap.report("an f32 table of f32 samples is OpenCV's", problems)


def main():
    tap = Tap()
    golden = np.load(os.path.join(GOLDEN, "peers.npz"))
    groups = {}
    for key in golden.files:
        if not key.startswith("in/"):
            peer, image, border, window = key.split("/")
            groups.setdefault((peer, image), []).append((peer, border, window, golden[f"in/{image}"], golden[key]))
    for (peer, image), items in groups.items():
        tap.report(f"{peer}, {image}", [text for text in in_parallel(check, items) if text], len(items))
    gaussians(tap)
    tables(tap, golden)
    float_table(tap, golden["in/float"])
    tap.finish()


if __name__ == "__main__":
    main()
