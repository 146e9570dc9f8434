#!/usr/bin/env python3
"""The answers of OpenCV, SciPy and scikit-image, as tests/golden/make_fixtures.py committed them.

SciPy's means are unrounded: ours lie within half a level of them.  OpenCV's 16-bit means go through a float
factor, and its 8-bit ones through an integer reciprocal that lifts 7/16 of a level as well as a half: ours
are equal to them, but for means that close to a tie, where one level is allowed."""
import os

import numpy as np

from satlib import ROOT, Tap, extension, in_parallel, read_image, run_sat, scratch, window_sums, write_image

GOLDEN = os.path.join(ROOT, "tests", "golden")
TIE = {"uint8": 1 / 16 + 1e-9, "uint16": 65535 * 2.0 ** -24}


def blurred(pixels, border, window):
    with scratch() as folder:
        source = os.path.join(folder, "in." + extension(pixels.dtype))
        target = os.path.join(folder, "out." + extension(pixels.dtype))
        write_image(source, pixels)
        status, _, error = run_sat(source, "--box", window, "--border", border, "-o", target)
        if status:
            raise RuntimeError(error)
        return read_image(target)


def exact_mean(pixels, border, window):
    width, height = map(int, window.split("x"))
    name, _, value = border.partition(":")
    outside = [float(value or 0)] * pixels.shape[2]
    return window_sums(pixels.astype(np.float64), width, height, name, outside) / (width * height)


def check(item):
    peer, border, window, pixels, want = item
    try:
        got = blurred(pixels, border, window)
    except RuntimeError as e:
        return f"{border} {window}: {e}"
    apart = np.abs(got.astype(np.float64) - want)
    if pixels.dtype.kind == "f":
        allowed = np.full(want.shape, 1e-5 * float(np.abs(pixels).max()))  # f32 results, OpenCV adds in f64
    elif peer == "scipy":
        allowed = np.full(want.shape, 0.5 + 1e-9)
    else:
        mean = exact_mean(pixels, border, window)
        allowed = np.where(np.abs(mean - np.floor(mean) - 0.5) <= TIE[pixels.dtype.name], 1.0, 0.0)
    wrong = ~(apart <= allowed)
    return f"{border} {window}: {int(wrong.sum())} samples differ, by up to {apart.max()}" if wrong.any() else None


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
    tables(tap, golden)
    tap.finish()


if __name__ == "__main__":
    main()
