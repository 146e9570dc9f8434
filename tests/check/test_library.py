#!/usr/bin/env python3
"""libsat.so through ctypes, where the command does not reach: u32 and f64 samples, four float channels,
views with gaps between their rows, bands joined by a carry row; every backend must agree to the bit."""
import ctypes

import numpy as np

from satlib import (LIB, TYPES, BoxSpec, Failed, Quant, Run, Spec, Tap, View, backends, borders, box, code, float_bound,
                    need, random_pixels, sized)

ACCUMS = {"u8": ["u32", "u64", "i64", "f32", "f64"], "u16": ["u32", "u64", "i64", "f32", "f64"],
          "u32": ["u32", "u64", "i64", "f32", "f64"], "f32": ["f32", "f64"], "f64": ["f64"]}


def view(array, name, gap=0):
    """A view of (H, W, C) values in a buffer of its own, rows `gap` elements apart; with the buffer."""
    height, width, channels = array.shape
    rows = np.full((height, width * channels + gap), 0x5a, array.dtype)
    rows[:, :width * channels] = array.reshape(height, -1)
    return View(rows.ctypes.data, rows.strides[0], width, height, channels, code(name), 0), rows


def build(pixels, sample, accum, backend, layout, threads, cuts, gap):
    """The table in bands that end at the rows `cuts`; layout 0 padded, 1 inclusive."""
    height, width, channels = pixels.shape
    heights = np.diff([0, *cuts, height])
    spec = Spec(width, int(heights.max()), channels, code(sample), code(accum), layout, Quant(), backend.encode(),
                threads)
    plan = ctypes.c_void_p()
    need(LIB.sat_plan_create_sized(ctypes.byref(plan), *sized(spec)))
    try:
        carry = np.zeros(width * channels, TYPES[accum])
        pad = 1 if layout == 0 else 0
        parts, top = [], 0
        for i, rows in enumerate(heights):
            src, src_rows = view(pixels[top:top + rows], sample, gap)
            shape = (int(rows) + (pad if i == 0 else 0), width + pad, channels)
            dst, dst_rows = view(np.full(shape, 77, TYPES[accum]), accum, gap)
            run = Run(carry_in=carry.ctypes.data if i else None, carry_out=carry.ctypes.data, continues=i > 0)
            need(LIB.sat_plan_run_sized(plan, ctypes.byref(src), ctypes.byref(dst), *sized(run)))
            if gap and not (dst_rows[:, -gap:] == 0x5a).all():
                raise Failed("the gap between rows was written to")
            parts.append(dst_rows[:, :shape[1] * channels].reshape(shape).copy())
            top += rows
        return np.concatenate(parts)
    finally:
        LIB.sat_plan_destroy(ctypes.byref(plan))


def table_problem(rng, sample, accum, backend, layout):
    height, width, channels = int(rng.integers(1, 70)), int(rng.integers(1, 300)), int(rng.integers(1, 5))
    if TYPES[sample] in (np.uint32, np.float64):
        pixels = (rng.random((height, width, channels)) * 2.0 ** 32).astype(TYPES[sample])
    else:
        pixels = random_pixels(rng, height, width, channels, TYPES[sample])
    cuts = sorted(rng.choice(np.arange(1, height), min(height - 1, int(rng.integers(0, 4))), replace=False).tolist())
    what = f"{backend} {sample} to {accum} {pixels.shape} bands at {cuts} layout {layout}"
    try:
        got = build(pixels, sample, accum, backend, layout, int(rng.integers(1, 4)), cuts, int(rng.integers(0, 9)))
    except Failed as e:
        return f"{what}: {e}"
    wide = pixels.astype(np.float64 if pixels.dtype.kind == "f" else np.uint64)
    want = np.pad(wide.cumsum(0).cumsum(1), ((1, 0), (1, 0), (0, 0)) if layout == 0 else 0)
    if accum in ("f32", "f64"):
        eps = 2.0 ** (-24 if accum == "f32" else -53)
        bound = 4 * (width + height) * eps * np.abs(pixels.astype(np.float64)).sum()
        good = np.abs(got.astype(np.float64) - want.astype(np.float64)) <= bound
    else:
        good = got == want.astype(TYPES[accum])
    return None if good.all() else f"{what}: {int((~good).sum())} entries differ"


def box_problem(rng, sample, backend, border, takes_value):
    height, width, channels = int(rng.integers(1, 50)), int(rng.integers(1, 120)), int(rng.integers(1, 5))
    pixels = random_pixels(rng, height, width, channels, TYPES[sample])
    weighted = channels in (2, 4) and sample != "f32" and bool(rng.integers(2))
    window = int(rng.integers(1, 40)), int(rng.integers(1, 40))
    value = int(rng.integers(0, 256)) if takes_value else 0
    spec = BoxSpec(width, height, channels, code(sample), *window, border.encode(), (ctypes.c_double * 4)(*[value] * 4),
                   weighted, backend.encode(), int(rng.integers(1, 4)))
    what = f"{backend} {sample} {pixels.shape} window {window} {border}:{value} weighted={weighted}"
    gap = int(rng.integers(0, 9))
    src, src_rows = view(pixels, sample, gap)
    dst, dst_rows = view(np.full(pixels.shape, 77, pixels.dtype), sample, gap)
    handle = ctypes.c_void_p()
    try:
        need(LIB.sat_box_create_sized(ctypes.byref(handle), *sized(spec)))
        need(LIB.sat_box_run_sized(handle, ctypes.byref(src), ctypes.byref(dst), *sized(None)))
    except Failed as e:
        return f"{what}: {e}"
    finally:
        LIB.sat_box_destroy(ctypes.byref(handle))
    got = dst_rows[:, :width * channels].reshape(pixels.shape)
    if gap and not (dst_rows[:, -gap:] == 0x5a).all():
        return f"{what}: the gap between rows was written to"
    want = box(pixels, *window, border, value, weighted)
    if sample == "f32":
        good = np.abs(got.astype(np.float64) - want) <= float_bound(pixels, *window, value)(want)
    else:
        good = got == want
    return None if good.all() else f"{what}: {int((~good).sum())} samples differ"


def main():
    tap = Tap()
    for backend in backends():
        for sample, accums in ACCUMS.items():
            rng = np.random.default_rng([11, len(sample), len(backend)])
            problems = [table_problem(rng, sample, accum, backend, layout)
                        for accum in accums for layout in (0, 1) for _ in range(6)]
            tap.report(f"{backend}: tables of {sample} samples, in bands", [p for p in problems if p], len(problems))
        for sample in ("u8", "u16", "f32"):
            rng = np.random.default_rng([12, len(sample), len(backend)])
            problems = [box_problem(rng, sample, backend, *border) for border in borders() for _ in range(12)]
            tap.report(f"{backend}: box filter of {sample} samples", [p for p in problems if p], len(problems))
    tap.finish()


if __name__ == "__main__":
    main()
