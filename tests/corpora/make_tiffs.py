#!/usr/bin/env python3
"""make_tiffs.py DIR COUNT - writes COUNT TIFFs of noise with tifffile into DIR, for corpora.sh: types, meanings, extra
samples, layouts, codecs and predictors by chance, the same ones each time.  What tifffile refuses is drawn again.
Left out is what the specification has not: bits of several samples in a pixel, which tifffile packs each sample by
itself."""
import os
import random
import sys

import numpy as np
import tifffile

TYPES = ["u1", "u2", "u4", "i1", "i2", "i4", "f4", "f8"] * 3 + ["?", "f2", "u8", "i8", "c8"]
CODECS = [None, "lzw", "packbits", "deflate", "adobe_deflate", "zstd"] * 3 + ["lzma", "webp", "jpeg", "png", "lerc"]
MEANINGS = {"minisblack": 1, "miniswhite": 1, "rgb": 3, "palette": 1, "separated": 4}
LIKELY = ["minisblack", "rgb"] * 4 + list(MEANINGS)
EXTRAS = [()] * 3 + [("unassalpha",), ("assocalpha",), ("unspecified",), ("unspecified", "unassalpha"),
                       ("unspecified",) * 5, ("unspecified", "assocalpha", "unspecified")]


def noise(rng, kind, shape):
    """All of the type's range; floats of both signs, some of them not finite."""
    if np.dtype(kind).kind == "f":
        values = rng.normal(size=shape) * 1000
        values[rng.random(shape) < 0.01] = np.nan
        return values.astype(kind)
    if kind == "c8":
        return (rng.normal(size=shape) + 1j).astype(kind)
    count = int(np.prod(shape)) * np.dtype(kind).itemsize
    values = rng.integers(0, 256, count, dtype="u1")
    return (values > 127 if kind == "?" else values.view(kind)).reshape(shape)


def write(path, draw):
    """ValueError and others of tifffile: no such file can be written."""
    rng = np.random.default_rng(draw.randrange(1 << 32))
    kind, photometric, extras = draw.choice(TYPES), draw.choice(LIKELY), draw.choice(EXTRAS)
    planar = draw.choice(["contig", "separate"])
    samples = MEANINGS[photometric] + len(extras)
    height, width = draw.randrange(1, 80), draw.randrange(1, 80)
    if kind == "?" and samples > 1:
        raise ValueError("bits of several samples")
    shape = (height, width) if samples == 1 else \
        (samples, height, width) if planar == "separate" else (height, width, samples)
    tiled = draw.random() < 0.5
    codec = draw.choice(CODECS)
    colours = noise(rng, "u2", (3, 256 if kind == "u1" else 65536)) if photometric == "palette" else None
    tifffile.imwrite(
        path, noise(rng, kind, shape), photometric=photometric, extrasamples=extras or None, colormap=colours,
        planarconfig=planar if samples > 1 else None, byteorder=draw.choice("<>"), bigtiff=draw.random() < 0.3,
        tile=draw.choice([(16, 16), (32, 48), (96, 16)]) if tiled else None,
        rowsperstrip=None if tiled else draw.randrange(1, 90), compression=codec,
        predictor=draw.random() < 0.5, metadata=None)


def main():
    folder, count = sys.argv[1], int(sys.argv[2])
    draw, made = random.Random(1), 0
    while made < count:
        path = os.path.join(folder, f"{made:05}.tif")
        try:
            write(path, draw)
            made += 1
        except Exception:  # pylint: disable=broad-except
            continue
    if os.path.exists(os.path.join(folder, f"{made:05}.tif")):
        os.remove(os.path.join(folder, f"{made:05}.tif"))


if __name__ == "__main__":
    main()
