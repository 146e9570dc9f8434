#!/usr/bin/env python3
"""windows.py OUT - statistics of windows beside OpenCV, scikit-image, SciPy and astropy: the same pixels, and the same
time?

Thresholds of the photographs in data/ are compared pixel by pixel; means and variances with float64 sums, means of
pictures with holes with astropy's normalised convolution.  Then both sides are timed in turns, with one thread each, on
arrays that are allocated once."""
import ctypes
import os
import statistics
import sys
import time
import warnings

import astropy
import cv2
import numpy as np
import scipy
import skimage
from astropy.convolution import Box2DKernel, convolve
from PIL import Image
from scipy.ndimage import uniform_filter
from skimage import filters

from report import first_line, machine, write

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
from satlib import LIB, ROOT, SAT, TYPES, BoxSpec, Output, View, WindowSpec, code, need, sized  # noqa: E402

ROUNDS = 7
REPLICATE, MIRROR = b"replicate", b"reflect101"


def view(array):
    name = next(n for n in TYPES if TYPES[n] == array.dtype.type)
    return View(array.ctypes.data, array.strides[0], array.shape[1], array.shape[0], 1, code(name), 0)


class Window:
    """Windows with their views: run() fills results."""

    def __init__(self, pixels, side, outputs, border=MIRROR, mask=None, threads=1, skip_nan=False,
                 result=np.float32):
        self.out = (Output * len(outputs))()
        self.results = []
        for o, (name, compare, parameters) in zip(self.out, outputs):
            o.statistic, o.compare = name.encode(), compare
            for i, p in enumerate(parameters):
                if p is not None:
                    o.parameter[i], o.set = p, o.set | 1 << i
            o.result = 0 if compare else code("f64" if result is np.float64 else "f32")
            self.results.append(np.zeros(pixels.shape, np.uint8 if compare else result))
        name = next(n for n in TYPES if TYPES[n] == pixels.dtype.type)
        spec = WindowSpec(pixels.shape[1], pixels.shape[0], 1, code(name), side, side, border,
                          (ctypes.c_double * 4)(), 0, len(outputs), self.out, mask is not None)
        spec.threads, spec.skip_nan = threads, skip_nan
        self.window = ctypes.c_void_p()
        need(LIB.sat_window_create_sized(ctypes.byref(self.window), *sized(spec)))
        self.source, self.mask = view(pixels), view(mask) if mask is not None else None
        self.views = (View * len(outputs))(*(view(r) for r in self.results))
        self.kept = pixels, mask

    def run(self):
        need(LIB.sat_window_run_sized(self.window, ctypes.byref(self.source),
                                      self.mask and ctypes.byref(self.mask), self.views, *sized(None)))
        return self.results


class Box:
    def __init__(self, pixels, side):
        self.result, self.kept = np.zeros(pixels.shape, np.float32), pixels
        name = next(n for n in TYPES if TYPES[n] == pixels.dtype.type)
        spec = BoxSpec(pixels.shape[1], pixels.shape[0], 1, code(name), side, side, MIRROR, (ctypes.c_double * 4)(),
                       False, None, 1, result=code("f32"))
        self.box = ctypes.c_void_p()
        need(LIB.sat_box_create_sized(ctypes.byref(self.box), *sized(spec)))
        self.views = view(pixels), view(self.result)

    def run(self):
        need(LIB.sat_box_run_sized(self.box, ctypes.byref(self.views[0]), ctypes.byref(self.views[1]), *sized(None)))


# ---- the same pixels? ----------------------------------------------------------------------------------------


def photographs():
    for name in ("camera.png", "coffee.png", "rocket.jpg"):
        yield name, np.array(Image.open(os.path.join(ROOT, "data", name)).convert("L"))


def agreement():
    """Per photograph and threshold: pixels that differ, and those that differ where ours is rounded as theirs is."""
    rows = []
    ximg = cv2.ximgproc
    for name, grey in photographs():
        ours = {}
        for border, what, parameters in ((MIRROR, "sauvola", (0.2, 127.5)), (MIRROR, "niblack", (-0.2,)),
                                         (MIRROR, "mean", (3,)), (REPLICATE, "sauvola", (0.2, 128)),
                                         (REPLICATE, "niblack", (-0.2,)), (REPLICATE, "wolf", (0.5,)),
                                         (REPLICATE, "nick", (-0.1,))):
            window = Window(grey, 25, [(what, True, parameters), (what, False, parameters)], border)
            ours[border, what] = [r.copy() for r in window.run()]
        theirs = [("skimage sauvola", (MIRROR, "sauvola"), grey > filters.threshold_sauvola(grey, 25, 0.2)),
                  ("skimage niblack", (MIRROR, "niblack"), grey > filters.threshold_niblack(grey, 25, 0.2)),
                  ("skimage local mean", (MIRROR, "mean"),
                   grey > filters.threshold_local(grey.astype(float), 25, "mean", 3, "mirror"))]
        for what, kind, k in (("sauvola", ximg.BINARIZATION_SAUVOLA, 0.2), ("niblack", ximg.BINARIZATION_NIBLACK, -0.2),
                              ("wolf", ximg.BINARIZATION_WOLF, 0.5), ("nick", ximg.BINARIZATION_NICK, -0.1)):
            theirs.append((f"OpenCV {what}", (REPLICATE, what),
                           ximg.niBlackThreshold(grey, 255, cv2.THRESH_BINARY, 25, k, binarizationMethod=kind,
                                                 r=128) != 0))
        for text, key, other in theirs:
            mine, surface = ours[key]
            differ = (mine != 0) != other
            # OpenCV rounds its thresholds to the type of the pixels, and only then compares.
            rounded = (grey > np.rint(surface.clip(0, 255))) != other if text.startswith("OpenCV") else differ
            rows.append([name, text, grey.size, int(differ.sum()), int(rounded.sum())])
    return rows


def accuracy():
    """The largest error of variances, relative to the variance, against float64 sums of centred samples."""
    rng = np.random.default_rng(4)
    cases = [("u8, uniform", rng.integers(0, 256, (600, 800), np.uint8)),
             ("u16 about 60000, deviation 1", (60000 + rng.normal(0, 1, (600, 800))).round().astype(np.uint16)),
             ("f32 about 300, deviation 0.01", (300 + rng.normal(0, 0.01, (600, 800))).astype(np.float32))]
    rows = []
    for name, pixels in cases:
        (var,) = [r.copy() for r in Window(pixels, 31, [("var", False, ())]).run()]
        centred = pixels.astype(float) - pixels.astype(float).mean()
        mean = cv2.boxFilter(centred, -1, (31, 31))
        exact = cv2.boxFilter(centred * centred, -1, (31, 31)) - mean * mean
        x = pixels.astype(np.float32)
        m = cv2.boxFilter(x, cv2.CV_32F, (31, 31))
        theirs = cv2.sqrBoxFilter(x, cv2.CV_32F, (31, 31)) - m * m
        rows.append([name, f"{np.abs(var / exact - 1).max():.1e}", int((var < 0).sum()),
                     f"{np.abs(theirs / exact - 1).max():.1e}", f"{(theirs < 0).mean():.1%}"])
    return rows


def with_holes(name):
    """A photograph in f32 with a twentieth of its pixels NaN, and two holes, of which one is larger than the window."""
    pixels = np.array(Image.open(os.path.join(ROOT, "data", name)).convert("L")).astype(np.float32)
    pixels[np.random.default_rng(6).random(pixels.shape) < 0.05] = np.nan
    pixels[100:160, 200:240] = np.nan
    pixels[:20, :20] = np.nan
    return pixels


def astropy_mean(pixels, side, boundary="extend", fill=0.0):
    return convolve(pixels, Box2DKernel(side), boundary=boundary, fill_value=fill, nan_treatment="interpolate")


def holes():
    """Means of what is there: per border the largest difference, and pixels without any in their window."""
    warnings.simplefilter("ignore")  # astropy's, of those pixels
    rows = []
    for name in ("camera.png", "coffee.png"):
        pixels = with_holes(name)
        for boundary, fill, border in (("extend", 0.0, b"replicate"), ("wrap", 0.0, b"wrap"),
                                       ("fill", 0.0, b"constant"), ("fill", np.nan, b"shrink")):
            windows = Window(pixels, 25, [("mean", False, ())], border, skip_nan=True, result=np.float64)
            mine, theirs = windows.run()[0], astropy_mean(pixels.astype(np.float64), 25, boundary, fill)
            rows.append([name, f"{boundary}{' with NaN' if np.isnan(fill) else ''}", border.decode(),
                         f"{np.nanmax(np.abs(mine - theirs)):.0e}", int(np.isnan(mine).sum()),
                         int((np.isnan(mine) != np.isnan(theirs)).sum())])
    return rows


# ---- the same time? ------------------------------------------------------------------------------------------


def in_turns(*calls):
    """The median milliseconds of each, and of the ratios of the first to the others."""
    times = [[] for _ in calls]
    for call in calls:
        call()
    for _ in range(ROUNDS):
        for to, call in zip(times, calls):
            start = time.perf_counter()
            call()
            to.append(1e3 * (time.perf_counter() - start))
    return [statistics.median(t) for t in times]


def row(work, ours, peer, theirs):
    mine, other = in_turns(ours, theirs)
    return [work, f"{mine:.1f}", peer, f"{other:.1f}", f"{other / mine:.2f}"]


def cv2_variance(pixels, side):
    mean = cv2.boxFilter(pixels, cv2.CV_32F, (side, side))
    return mean, cv2.sqrBoxFilter(pixels, cv2.CV_32F, (side, side)) - mean * mean


def timings():
    rng = np.random.default_rng(5)
    rows = []
    u8 = rng.integers(0, 256, (4096, 4096), np.uint8)
    f32 = rng.random((4096, 4096), np.float32)
    page = rng.integers(0, 256, (3000, 4000), np.uint8)
    mask = (rng.random((4096, 4096)) < 0.9).astype(np.uint8)
    both = [("mean", False, ()), ("var", False, ())]
    for name, pixels in (("u8", u8), ("f32", f32)):
        windows = Window(pixels, 31, both)
        rows.append(row(f"mean and variance, {name} 4096x4096, 31x31, f32 results", windows.run,
                        "boxFilter, sqrBoxFilter and a difference", lambda p=pixels: cv2_variance(p, 31)))
        rows.append(row("the same", windows.run, "sat_box: the mean alone", Box(pixels, 31).run))
    u32 = rng.integers(0, 1 << 32, (4096, 4096), np.uint32)
    wide = u32.astype(float)
    rows.append(row("mean and variance, u32 4096x4096, 31x31, f32 results", Window(u32, 31, both).run,
                    "the same of f64 samples", lambda: cv2_variance(wide, 31)))
    windows = Window(page, 25, [("sauvola", True, (0.2, 128))], REPLICATE)
    rows.append(row("Sauvola, u8 4000x3000, 25x25", windows.run, "skimage.filters.threshold_sauvola",
                    lambda: page > filters.threshold_sauvola(page, 25)))
    rows.append(row("the same", windows.run, "cv2.ximgproc.niBlackThreshold",
                    lambda: cv2.ximgproc.niBlackThreshold(page, 255, cv2.THRESH_BINARY, 25, 0.2,
                                                          binarizationMethod=cv2.ximgproc.BINARIZATION_SAUVOLA)))
    weight = mask.astype(np.float32)
    rows.append(row("mean with a mask, f32 4096x4096, 31x31", Window(f32, 31, both[:1], mask=mask).run,
                    "scipy.ndimage.uniform_filter twice and a quotient",
                    lambda: uniform_filter(f32 * weight, 31) / uniform_filter(weight, 31)))
    gaps = with_holes("camera.png")
    rows.append(row("mean without NaN, f32 512x512, 25x25", Window(gaps, 25, both[:1], REPLICATE, skip_nan=True).run,
                    "astropy.convolution.convolve", lambda: astropy_mean(gaps, 25)))
    return rows


def main():
    cv2.setNumThreads(1)
    block = machine({"sat": first_line(SAT, "--version"), "OpenCV": cv2.__version__,
                     "scikit-image": skimage.__version__, "SciPy": scipy.__version__,
                     "astropy": astropy.__version__})
    write(os.path.join(sys.argv[1], "windows"), "Statistics of windows beside other libraries", block,
          ["Made by `make peers` (`tests/peers/windows.py`).  One thread each, medians of rounds in turns, in ms."],
          [("Time", ["work", "sat", "peer", "peer's", "times faster"], timings()),
           ("Local thresholds of photographs, 25x25",
            ["picture", "peer", "pixels", "differ", "with thresholds rounded as the peer does"], agreement()),
           ("Means of pictures with holes, 25x25",
            ["picture", "astropy's boundary", "border", "largest difference", "NaN", "NaN in one of both"],
            holes()),
           ("Variances, 31x31: largest relative error", ["samples", "sat", "below 0", "OpenCV, f32", "below 0"],
            accuracy())])


main()
