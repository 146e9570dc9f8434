#!/usr/bin/env python3
"""gauss.py OUT - Gaussian blurs of libsat, OpenCV and SciPy in one process, on the same arrays, in turns."""
import ctypes
import os
import sys

import cv2
import numpy as np
import scipy
from scipy import ndimage

from inprocess import TYPES, in_turns, view
from report import first_line, machine, write
from satlib import LIB, SAT, GaussSpec, code, need, sized

WIDTH, HEIGHT = 4000, 3000
SIGMAS = (1, 2, 5, 20, 100)


class Gauss:
    """A filter with its views: run() blurs."""

    def __init__(self, pixels, sample, sigma, threads, out):
        height, width = pixels.shape[:2]
        channels = pixels.shape[2] if pixels.ndim == 3 else 1
        spec = GaussSpec(width=width, height=height, channels=channels, sample=code(sample), sigma=sigma,
                         border=b"reflect101", threads=threads)
        self.gauss = ctypes.c_void_p()
        need(LIB.sat_gauss_create_sized(ctypes.byref(self.gauss), *sized(spec)))
        self.views = view(pixels, sample), view(out, sample)

    def run(self):
        need(LIB.sat_gauss_run_sized(self.gauss, ctypes.byref(self.views[0]), ctypes.byref(self.views[1]),
                                     *sized(None)))

    def close(self):
        LIB.sat_gauss_destroy(ctypes.byref(self.gauss))


def gaussians(sample, channels, threads):
    rng = np.random.default_rng(3)
    shape = (HEIGHT, WIDTH, channels) if channels > 1 else (HEIGHT, WIDTH)
    pixels = (rng.random(shape) * 255).astype(TYPES[sample])
    mine, theirs, scipys = (np.full(shape, 0x55, TYPES[sample]) for _ in range(3))
    cv2.setNumThreads(threads)
    rows = []
    for sigma in SIGMAS:
        ours = Gauss(pixels, sample, sigma, threads, mine)

        def opencv(s=sigma):
            cv2.GaussianBlur(pixels, (0, 0), s, theirs, borderType=cv2.BORDER_REFLECT_101)

        def scipy_blur(s=sigma):
            ndimage.gaussian_filter(pixels, s, output=scipys, mode="mirror", axes=(0, 1))

        with_scipy = threads == 1 and sigma <= 20
        times = in_turns([ours.run, opencv] + ([scipy_blur] if with_scipy else []))
        apart = f"{cv2.absdiff(mine, theirs).max():.2g}"
        rows.append([f"{sample}, {channels} ch, sigma {sigma}", threads, *(f"{t:.1f}" for t in times),
                     *([] if with_scipy else ["-"]), f"{times[1] / times[0]:.2f}", apart])
        ours.close()
    return rows


def main():
    out, = sys.argv[1:]
    version = first_line(SAT, "--version")
    cores = len(os.sched_getaffinity(0))
    rows = [row for sample in ("u8", "f32") for channels in (1, 3) for threads in sorted({1, cores})
            for row in gaussians(sample, channels, threads)]
    columns = ["job", "threads", "sat ms", "cv2.GaussianBlur ms", "scipy.ndimage ms", "x OpenCV", "apart at most"]
    versions = {"sat": version, "OpenCV": f"{cv2.__version__} (headless, from PyPI)", "SciPy": scipy.__version__}
    intro = [f"{WIDTH}x{HEIGHT} pixels of noise from 0 to 255; one process, outputs reused, calls in turns, medians.",
             "SciPy has one thread. OpenCV's weights end at 3 sigma (u8) or 4 sigma; those of u8 are in fixed point.",
             "Where others use the machine, the ratios are steadier than the times.  Made by `make peers` "
             "(`tests/peers/gauss.py`)."]
    write(os.path.join(out, "gauss"), "Gaussian blurs in one process", machine(versions), intro,
          [("Gaussian blur", columns, rows)])


if __name__ == "__main__":
    main()
