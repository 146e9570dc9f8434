#!/usr/bin/env python3
"""Images as NumPy saves and loads them, against the same images in other formats."""
import os

import numpy as np

from satlib import Tap, extension, in_parallel, random_pixels, read_image, run_sat, scratch, write_image


def check(case):
    pixels, order, shape, version = case
    what = f"{pixels.shape} {pixels.dtype} {order} {shape} {version}"
    with scratch() as folder:
        array, image, got, want = (os.path.join(folder, name)
                                   for name in ("in.npy", "in." + extension(pixels.dtype), "got.npy", "want"))
        with open(array, "wb") as f:
            ordered = pixels.reshape(shape).astype(pixels.dtype.newbyteorder(order))
            np.lib.format.write_array(f, ordered, version=version)
        write_image(image, pixels)
        options = ["--box", "5x3", "--border", "reflect101", "--alpha", "weighted"]
        for command in ([array, *options, "-o", got], [image, *options, "-o", want + "." + extension(pixels.dtype)]):
            status, _, error = run_sat(*command)
            if status or error:
                return f"{what}: {command}: status {status}, {error}"
        out, expected = np.load(got, mmap_mode="r"), read_image(want + "." + extension(pixels.dtype))
        if out.dtype != pixels.dtype or out.shape != (shape if shape[2:] != (1,) else shape[:2]):
            return f"{what}: comes back as {out.dtype} {out.shape}"
        if not np.array_equal(out.reshape(pixels.shape), expected, equal_nan=pixels.dtype.kind == "f"):
            return f"{what}: other pixels than of a file of its format"
        for path in (array, image):
            status, text, error = run_sat("query", path, "--as", "image", "--rect", "1,0,3,2")
            if status:
                return f"{what}: query: {error}"
            if path == array:
                first = text
        return None if first == text else f"{what}: other answers than of a file of its format"


def main():
    tap = Tap()
    rng = np.random.default_rng(11)
    for dtype in (np.uint8, np.uint16, np.float32):
        cases = []
        for order in "<>":
            for channels in (1, 3) if dtype == np.float32 else (1, 2, 3, 4):
                for version in ((1, 0), (2, 0)):
                    height, width = int(rng.integers(3, 60)), int(rng.integers(4, 60))
                    pixels = random_pixels(rng, height, width, channels, dtype)
                    cases.append((pixels, order, pixels.shape, version))
                    if channels == 1:
                        cases.append((pixels, order, pixels.shape[:2], version))
        tap.report(f"{np.dtype(dtype).name}: arrays are images", [text for text in in_parallel(check, cases) if text],
                   len(cases))
    tap.finish()


if __name__ == "__main__":
    main()
