#!/usr/bin/env python3
"""inprocess.py OUT - libsat and OpenCV in one process, on the same arrays, call by call in turns.

Outputs are allocated once, filled once (so that their pages exist) and reused, by both.  Each pair's
results are compared before it is timed.  The copy rows move the same bytes and sum nothing: no table can
be made faster than they run."""
import ctypes
import json
import os
import statistics
import sys
import time

import cv2
import numpy as np

from report import first_line, machine, write

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
from satlib import LIB, SAT, TYPES, BoxSpec, Quant, Spec, View, code, need, run_sat, sized  # noqa: E402

SIDE, ROUNDS = 8192, 7
CV2_DEPTH = {"u32": cv2.CV_32S, "f32": cv2.CV_32F, "f64": cv2.CV_64F}
CV2_TYPE = {"u32": np.int32, "f32": np.float32, "f64": np.float64}
TABLES = [("u8", "u32", 1), ("u8", "u32", 3), ("u8", "u64", 1), ("u8", "f32", 1), ("u8", "f64", 1), ("u16", "u32", 1),
          ("u16", "u64", 1), ("u16", "f64", 1), ("f32", "f32", 1), ("f32", "f64", 1)]
# What cv2.integral has.
CV2_HAS = {("u8", "u32"), ("u8", "f32"), ("u8", "f64"), ("u16", "f64"), ("f32", "f32"), ("f32", "f64")}
# Samples, results, pixels on a side, channels, windows.
BOXES = [("u8", "u8", 8192, 1, (3, 15, 31, 101, 255)), ("u8", "u8", 8192, 3, (3, 15, 31, 101, 255)),
         ("u8", "f32", 8192, 1, (31,)), ("f32", "f32", 4096, 1, (3, 31, 255)), ("f32", "f32", 4096, 3, (31,)),
         ("f32", "f32", 8192, 1, (3, 15, 31, 101, 255)), ("f32", "f32", 8192, 3, (3, 15, 31, 101, 255)),
         ("f64", "f64", 4096, 1, (31,)), ("f64", "f64", 8192, 1, (31,))]


def view(array, name):
    height, width = array.shape[:2]
    channels = array.shape[2] if array.ndim == 3 else 1
    return View(array.ctypes.data, array.strides[0], width, height, channels, code(name), 0)


def shape_of(side, channels):
    return (side, side, channels) if channels > 1 else (side, side)


def image(sample, channels, side=SIDE):
    rng = np.random.default_rng(3)
    shape = shape_of(side, channels)
    if sample in ("f32", "f64"):
        return rng.random(shape, TYPES[sample])
    return rng.integers(0, np.iinfo(TYPES[sample]).max, shape, TYPES[sample], endpoint=True)


class Table:
    """A plan with its views: run() builds the table."""

    def __init__(self, pixels, sample, accum, backend, threads, out):
        channels = pixels.shape[2] if pixels.ndim == 3 else 1
        spec = Spec(SIDE, SIDE, channels, code(sample), code(accum), 0, Quant(), backend, threads)
        self.plan = ctypes.c_void_p()
        need(LIB.sat_plan_create_sized(ctypes.byref(self.plan), *sized(spec)))
        self.views = view(pixels, sample), view(out, accum)

    def run(self):
        need(LIB.sat_plan_run_sized(self.plan, ctypes.byref(self.views[0]), ctypes.byref(self.views[1]), None, 0))

    def close(self):
        LIB.sat_plan_destroy(ctypes.byref(self.plan))


class Box:
    """A filter with its views: run() filters."""

    def __init__(self, pixels, sample, result, size, threads, out):
        height, width = pixels.shape[:2]
        channels = pixels.shape[2] if pixels.ndim == 3 else 1
        spec = BoxSpec(width, height, channels, code(sample), size, size, b"reflect101", (ctypes.c_double * 4)(), False,
                       None, threads, result=0 if result == sample else code(result))
        self.box = ctypes.c_void_p()
        need(LIB.sat_box_create_sized(ctypes.byref(self.box), *sized(spec)))
        self.views = view(pixels, sample), view(out, result)

    def run(self):
        need(LIB.sat_box_run_sized(self.box, ctypes.byref(self.views[0]), ctypes.byref(self.views[1]), *sized(None)))

    def close(self):
        LIB.sat_box_destroy(ctypes.byref(self.box))


def in_turns(functions):
    """Medians in ms, in the order of the functions."""
    times = [[] for _ in functions]
    for number in range(ROUNDS + 1):
        for f, list_of_times in zip(functions, times):
            start = time.perf_counter()
            f()
            if number:  # the first round warms up
                list_of_times.append((time.perf_counter() - start) * 1e3)
    return [statistics.median(t) for t in times]


def ceiling():
    """The ceiling backend that is closest to a CPU's memory: the first that is available."""
    rows = [json.loads(line) for line in run_sat("bench", "--list", "--json")[1].splitlines()]
    return next((b["name"].encode() for b in rows if b["kind"] == "ceiling" and b["available"]), None)


def tables(threads):
    rows, copier = [], ceiling()
    for sample, accum, channels in TABLES:
        pixels = image(sample, channels)
        shape = shape_of(SIDE + 1, channels)
        mine = np.full(shape, 0x55, TYPES[accum])
        ours = Table(pixels, sample, accum, None, threads, mine)
        functions = [ours.run]
        copy = Table(pixels, sample, accum, copier, threads, mine) if copier else None
        has = (sample, accum) in CV2_HAS
        same = "-"
        if has:
            theirs = np.full(shape, 0x55, CV2_TYPE[accum])
            cv2.setNumThreads(threads)
            ours.run()
            cv2.integral(pixels, theirs, CV2_DEPTH[accum])
            if accum == "u32":
                same = "equal" if np.array_equal(mine.view(np.int32), theirs) else "DIFFER"
            else:
                same = f"{np.abs(mine.astype(np.float64) - theirs).max() / np.abs(theirs).max():.0e} apart"
            functions.append(lambda p=pixels, t=theirs, a=accum: cv2.integral(p, t, CV2_DEPTH[a]))
        if copy:
            functions.append(copy.run)
        times = in_turns(functions)
        ms, copy_ms, cv2_ms = times[0], times[-1] if copy else None, times[1] if has else None
        nbytes = pixels.nbytes + mine.nbytes
        rows.append([f"{sample} to {accum}, {channels} ch", threads, f"{ms:.1f}", f"{nbytes / ms / 1e6:.1f}",
                     f"{copy_ms:.1f}" if copy else "-", f"{copy_ms / ms:.2f}" if copy else "-",
                     f"{cv2_ms:.1f}" if has else "-", f"{cv2_ms / ms:.2f}" if has else "-", same])
        ours.close()
        if copy:
            copy.close()
    return rows


def boxes(sample, result, threads):
    """OpenCV's blur() is its boxFilter() with results of the samples' type."""
    rows = []
    for side, channels, sizes in [row[2:] for row in BOXES if row[:2] == (sample, result)]:
        pixels = image(sample, channels, side)
        mine, theirs = np.full(pixels.shape, 0x55, TYPES[result]), np.full(pixels.shape, 0x55, TYPES[result])
        depth = -1 if result == sample else CV2_DEPTH[result]
        for size in sizes:
            ours = Box(pixels, sample, result, size, threads, mine)
            cv2.setNumThreads(threads)

            def blur(k=size):
                cv2.boxFilter(pixels, depth, (k, k), theirs, borderType=cv2.BORDER_REFLECT_101)

            ours.run()
            blur()
            apart = f"{cv2.absdiff(mine, theirs).max():.2g}"
            ms, cv2_ms = in_turns([ours.run, blur])
            rows.append([f"{size}x{size}, {channels} ch, {side}x{side}", threads, f"{ms:.1f}",
                         f"{pixels.size / ms / 1e3:.0f}", f"{cv2_ms:.1f}", f"{cv2_ms / ms:.2f}", apart])
            ours.close()
    return rows


def main():
    out, = sys.argv[1:]
    version = first_line(SAT, "--version")  # before the minutes that the rest takes
    counts = [1] + ([len(os.sched_getaffinity(0))] if len(os.sched_getaffinity(0)) > 1 else [])
    sections = [
        ("Tables", ["job", "threads", "sat ms", "GB/s", "copy ms", "of the copy", "cv2.integral ms", "x OpenCV",
                    "results"],
         [row for n in counts for row in tables(n)])]
    for sample, result in dict.fromkeys(row[:2] for row in BOXES):
        to, peer = ("", "cv2.blur") if result == sample else (f" to {result}", "cv2.boxFilter")
        sections.append((f"Box filter, {sample}{to}",
                         ["job", "threads", "sat ms", "Msamples/s", f"{peer} ms", "x OpenCV",
                          "levels apart" if result == "u8" else "apart at most"],
                         [row for n in counts for row in boxes(sample, result, n)]))
    versions = {"sat": version, "OpenCV": f"{cv2.__version__} (headless, from PyPI)"}
    intro = [f"Tables of {SIDE}x{SIDE} pixels; one process, outputs reused, calls in turns, medians of {ROUNDS}.",
             "x OpenCV: how many times faster. The copy moves the same bytes with the same stores and sums nothing.",
             "cv2.integral has one thread. Made by `make peers`."]
    write(os.path.join(out, "inprocess"), "Against OpenCV in one process", machine(versions), intro, sections)


if __name__ == "__main__":
    main()
