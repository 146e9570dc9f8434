#!/usr/bin/env python3
"""Table files as NumPy sees them: np.load(mmap_mode="r") against cumsum in 64-bit integers."""
import os

import numpy as np

from satlib import Tap, extension, in_parallel, random_pixels, run_sat, scratch, variants, write_image

LAYOUTS = ["padded", "inclusive", "exclusive"]
# --type: (dtype in the file, how to bring a 64-bit table there)
INTEGER_TYPES = {"u32": "<u4", "u64": "<u8", "i32": "<i4", "i64": "<i8", "f32": "<f4", "f64": "<f8"}
WIDE_TYPES = {"u32": "<u4", "u64": "<u8", "i64": "<i8", "f32": "<f4", "f64": "<f8"}
SIGNED_TYPES = {"i32": "<i4", "i64": "<i8", "f32": "<f4", "f64": "<f8"}
FLOAT_TYPES = {"f32": "<f4", "f64": "<f8"}
DOUBLE_TYPES = {"f64": "<f8"}
TYPES_OF = {np.uint8: INTEGER_TYPES, np.uint16: INTEGER_TYPES, np.uint32: WIDE_TYPES, np.int8: SIGNED_TYPES,
            np.int16: SIGNED_TYPES, np.int32: SIGNED_TYPES, np.float32: FLOAT_TYPES, np.float64: DOUBLE_TYPES}
SIZES = [(1, 1), (1, 5), (6, 1), (2, 3), (16, 16), (33, 7), (64, 65), (255, 9), (1031, 17), (5000, 37)]


def lay_out(table, layout):
    """The inclusive (H, W, C) table in another layout."""
    if layout == "inclusive":
        return table
    padded = np.pad(table, ((1, 0), (1, 0), (0, 0)))
    return padded if layout == "padded" else padded[:-1, :-1]


def cumulate(pixels):
    wide = pixels.astype(np.float64 if pixels.dtype.kind == "f" else np.int64)
    return wide.cumsum(0).cumsum(1)


def check(case):
    pixels, layout, type_name, (backend, isa, threads) = case
    is_float = pixels.dtype.kind == "f"
    dtype = (FLOAT_TYPES if is_float else INTEGER_TYPES).get(type_name, "<f8" if is_float else "<i8")
    with scratch() as folder:
        image = os.path.join(folder, "in." + extension(pixels.dtype))
        out = os.path.join(folder, "out.npy")
        write_image(image, pixels)
        args = [image, "--as", "image", "-o", out, "--layout", layout, "--backend", backend, "--threads", threads]
        args += ["--type", type_name] if type_name else []
        what = f"{pixels.shape} {pixels.dtype} SAT_ISA={isa} sat {' '.join(map(str, args[5:]))}"
        status, _, error = run_sat(*args, isa=isa)
        if status != 0:
            return f"{what}: status {status}, {error}"
        got = np.load(out, mmap_mode="r")
        if got.dtype != np.dtype(dtype):
            return f"{what}: dtype {got.dtype.str}, not {dtype}"
        got = np.array(got)
    want = lay_out(cumulate(pixels), layout)
    shape = want.shape if want.shape[2] > 1 else want.shape[:2]
    if got.shape != shape:
        return f"{what}: shape {got.shape}, not {shape}"
    got = got.reshape(want.shape)
    if np.dtype(dtype).kind == "f":
        eps = 2.0 ** (-24 if dtype == "<f4" else -53)
        height, width, _ = pixels.shape
        bound = 2 * (width + height) * eps * np.abs(pixels.astype(np.float64)).sum() * (2 if is_float else 1)
        wrong = ~(np.abs(got.astype(np.float64) - want) <= bound)
    else:
        wrong = got != want.astype(dtype)
    return f"{what}: {int(wrong.sum())} entries differ" if wrong.any() else None


def random_tables(tap, ways):
    rng = np.random.default_rng(5648)
    for dtype, types in TYPES_OF.items():
        for layout in LAYOUTS:
            cases = []
            for way in ways:
                for type_name in [None, *types]:
                    width, height = SIZES[rng.integers(len(SIZES))]
                    channels = int(rng.choice([1, 3] if dtype == np.float32 else [1, 2, 3, 4]))
                    if layout == "exclusive" and (width, height) == (1, 1):
                        width = 2
                    cases.append((random_pixels(rng, height, width, channels, dtype), layout, type_name, way))
            tap.report(f"{np.dtype(dtype).name} images, {layout} tables equal cumsum",
                       [text for text in in_parallel(check, cases) if text], len(cases))


def wrapping(tap, ways):
    """An image of 4211x4200 white pixels: its sum needs 33 bits, int32 tables wrap twice over."""
    width, height = 4211, 4200
    rows, columns = np.arange(1, height + 1, dtype=np.int64), np.arange(1, width + 1, dtype=np.int64)
    want = 255 * rows[:, None] * columns[None, :]
    white = b"P5\n%d %d\n255\n" % (width, height) + b"\xff" * (width * height)
    backend, isa, threads = ways[-1]
    with scratch() as folder:
        out = os.path.join(folder, "white.npy")
        for type_name, dtype in (("u32", np.uint32), ("i64", np.int64)):
            args = ["-", "-o", out, "--layout", "inclusive", "--type", type_name, "--threads", threads]
            for backend, isa in sorted({(way[0], way[1] or "") for way in ways}):
                status, _, error = run_sat(*args, "--backend", backend, isa=isa or None, input=white)
                if status != 0:
                    tap.report(f"{backend} {isa} {type_name}: white {width}x{height}", [f"status {status}, {error}"])
                    continue
                got = np.load(out, mmap_mode="r")
                problems = [] if np.array_equal(got, want.astype(dtype)) else ["tables differ"]
                tap.report(f"{backend} {isa} {type_name}: white {width}x{height} equals the formula", problems)

        status, _, error = run_sat("-", "-o", out, "--type", "u32", input=white)
        tap.report("a wrapped u32 table is written", [error] if status else [])
        rng = np.random.default_rng(1)
        problems = []
        rects = [(0, 0, 4099, 4100), (112, 100, 4099, 4100), (width - 1, height - 1, 1, 1)]
        for _ in range(200):
            w, h = int(rng.integers(1, 4001)), int(rng.integers(1, 4001))
            rects.append((int(rng.integers(0, width - w + 1)), int(rng.integers(0, height - h + 1)), w, h))
        text = "x,y,w,h\n" + "".join("%d,%d,%d,%d\n" % rect for rect in rects)
        status, answer, error = run_sat("query", out, "--rects", "-", "--stat", "mean,sum", input=text.encode())
        lines = answer.decode().split()
        if status != 0 or lines[:1] != ["x,y,w,h,mean,sum"] or len(lines) != len(rects) + 1:
            problems.append(f"status {status}, {error}, {lines[:2]}")
        else:
            for rect, line in zip(rects, lines[1:]):
                if [int(v) for v in line.split(",")[:4]] != list(rect) or line.split(",")[4:] != [
                        "255", str(255 * rect[2] * rect[3])]:
                    problems.append(f"{rect}: {line}")
        tap.report("its rectangles are exact", problems, len(rects))
        status, answer, error = run_sat("query", out, "--rect", f"0,0,{width},{height}")
        refused = status == 1 and answer.count(b"\n") < 2 and error.startswith("sat: ")
        tap.report("the rectangle that it cannot be proven to answer is refused",
                   [] if refused else [f"{status} {answer} {error}"])


def main():
    tap = Tap()
    ways = variants(tap)
    random_tables(tap, ways)
    wrapping(tap, ways)
    tap.finish()


if __name__ == "__main__":
    main()
