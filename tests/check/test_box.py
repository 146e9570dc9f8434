#!/usr/bin/env python3
"""The box filter of the command against brute force: every border mode, type, channel count, instruction
set, thread count and backend; windows even and odd, larger than the image, several passes, alpha."""
import os

import numpy as np

from satlib import (Tap, borders, box, extension, filtering, float_bound, in_parallel, random_pixels, read_image,
                    run_sat, scratch, variants, write_image)

SIZES = [(1, 1), (1, 9), (7, 1), (2, 2), (3, 5), (5, 3), (8, 8), (15, 17), (16, 4), (31, 33), (33, 20), (64, 7),
         (65, 66), (127, 12), (130, 40), (257, 5), (511, 3)]  # width, height
WINDOWS = [(1, 1), (3, 3), (2, 2), (4, 4), (5, 1), (1, 6), (7, 3), (8, 5), (15, 15), (16, 31), (64, 2), (129, 257)]


def expected(case):
    pixels = case["pixels"]
    for number in range(case["passes"]):  # even windows' anchors alternate
        pixels = box(pixels, *case["window"], case["border"], case["value"], case["weighted"], first=number % 2 == 1)
    return pixels


def check(case):
    """None, or what is wrong."""
    pixels, (width, height) = case["pixels"], case["window"]
    backend, isa, threads = case["variant"]
    with scratch() as folder:
        name = os.path.join(folder, "in." + extension(pixels.dtype))
        out = os.path.join(folder, "out." + extension(pixels.dtype))
        write_image(name, pixels)
        border = case["border"] + (f":{case['value']}" if case["takes_value"] else "")
        args = [name, "--box", f"{width}x{height}", "--border", border, "--passes", case["passes"],
                "--alpha", "weighted" if case["weighted"] else "straight",
                "--backend", backend, "--threads", threads, "-o", out]
        what = f"{pixels.shape} {pixels.dtype} SAT_ISA={isa} sat {' '.join(map(str, args[1:-2]))}"
        status, _, error = run_sat(*args, isa=isa)
        if status != 0:
            return f"{what}: status {status}, {error}"
        got = read_image(out)
    want = expected(case)
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"{what}: {got.shape} {got.dtype} came back"
    if pixels.dtype == np.float32:
        bound = float_bound(pixels, width, height, case["value"])
        wrong = ~(np.abs(got.astype(np.float64) - want) <= bound(want) * case["passes"])
        wrong &= ~(np.isnan(got) & np.isnan(want))
    else:
        wrong = got != want
    if not wrong.any():
        return None
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"{what}: {int(wrong.sum())} samples differ, first at y,x,c={at}: {got[at]} instead of {want[at]}"


def make_case(rng, dtype, border, takes_value, variant, size=None, window=None):
    channels = int(rng.choice([1, 3] if dtype == np.float32 else [1, 2, 3, 4]))
    width, height = size or SIZES[rng.integers(len(SIZES))]
    return {
        "pixels": random_pixels(rng, height, width, channels, dtype),
        "window": window or WINDOWS[rng.integers(len(WINDOWS))],
        "border": border, "takes_value": takes_value,
        "value": int(rng.integers(0, 256)) if takes_value else 0,
        "passes": int(rng.choice([1, 1, 1, 2, 3])),
        "weighted": bool(channels in (2, 4) and rng.integers(2)),
        "variant": variant,
    }


def run_cases(tap, name, cases):
    tap.report(name, [text for text in in_parallel(check, cases) if text], len(cases))


def main():
    tap = Tap()
    ways = variants(tap)
    for dtype in (np.uint8, np.uint16, np.float32):
        name = np.dtype(dtype).name
        for border, takes_value in borders():
            rng = np.random.default_rng([1984, np.dtype(dtype).itemsize, len(border)])
            run_cases(tap, f"{name}, {border}: random images equal brute force",
                      [make_case(rng, dtype, border, takes_value, way) for way in ways for _ in range(9)])
        rng = np.random.default_rng(2026)
        some = borders()
        run_cases(tap, f"{name}: long rows, and tall columns",
                  [make_case(rng, dtype, *some[i % len(some)], way, size, window)
                   for i, way in enumerate(ways)
                   for size, window in (((5000, 37), (31, 9)), ((4999, 3), (256, 4)), ((37, 1500), (9, 64)))])

    # The largest samples: sums of columns that need more than 16 bits, and of windows that need more than 32, in the
    # narrow accumulators' worst places.  Brute force is slow here, so that one border alone is tried much larger.
    def whites(width, height, some):
        return [dict(make_case(np.random.default_rng(0), dtype, border, takes_value, way, (width, height), window),
                     pixels=np.full((height, width, 4), np.iinfo(dtype).max, dtype), value=np.iinfo(dtype).max,
                     passes=1, weighted=weighted)
                for dtype in (np.uint8, np.uint16) for border, takes_value in some
                for way, window, weighted in ((ways[0], (width - 1, height - 1), False),
                                              (ways[-1], (2 * width + 1, 2 * height + 1), True))]
    white = whites(600, 400, borders()[:1]) + whites(300, 260, borders()[1:])
    run_cases(tap, "white stays white under any window", white)

    # A NaN reaches exactly the windows that hold it; a filter through tables would spread it, and refuses.
    rng = np.random.default_rng(7)
    spots, refusals = [], []
    for border, takes_value in borders():
        for way in ways:
            case = make_case(rng, np.float32, border, takes_value, way, (33, 20), (5, 4))
            case["pixels"][9, 16, 0] = np.nan
            (spots if way[0] in filtering() else refusals).append(dict(case, passes=1))
    run_cases(tap, "a NaN reaches the windows that hold it and no other", spots)
    tap.report("there is a backend with a filter of its own", [] if spots else ["none of them has one"])
    tap.report("the other backends refuse a NaN",
               [f"{case['variant']}: {text}" for case, text in zip(refusals, in_parallel(check, refusals))
                if not text or "status 1, sat: " not in text or "NaN" not in text], len(refusals))
    tap.finish()


if __name__ == "__main__":
    main()
