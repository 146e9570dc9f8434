#!/usr/bin/env python3
"""draw.py - draws the synthetic images of this folder; needs nothing but Python.

    data/draw.py DIR           all of the small ones, as they are committed
    data/draw.py DIR white     white-4099x1031.pgm, 4 MB: every sample is the largest one
    data/draw.py DIR noise     noise-1999x1500.ppm, 9 MB: incompressible
"""
import math
import random
import struct
import sys
import zlib


def png(path, width, height, channels, depth, sample):
    """sample(x, y, c) gives the integers; each row is stored with filter 0."""
    code = "B" if depth == 8 else "H"
    rows = b"".join(
        b"\0" + struct.pack(f">{width * channels}{code}",
                            *(sample(x, y, c) for x in range(width) for c in range(channels)))
        for y in range(height))

    def chunk(name, body):
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    header = struct.pack(">IIBBBBB", width, height, depth, {1: 0, 2: 4, 3: 2, 4: 6}[channels], 0, 0, 0)
    with open(path, "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9))
                + chunk(b"IEND", b""))


def pfm(path, width, height, sample):
    """One channel, little endian; PFM stores the bottom row first."""
    with open(path, "wb") as f:
        f.write(b"Pf\n%d %d\n-1.0\n" % (width, height))
        for y in reversed(range(height)):
            f.write(struct.pack(f"<{width}f", *(sample(x, y) for x in range(width))))


def sprite(x, y, c):
    """A white disc on transparent red: an average that ignores alpha gets a pink fringe."""
    inside = (x - 31.5) ** 2 + (y - 31.5) ** 2 < 24 ** 2
    return 255 if inside or c == 0 else 0


def small(folder):
    png(f"{folder}/gradient-257x129.png", 257, 129, 1, 8, lambda x, y, c: (x + 2 * y) % 256)
    png(f"{folder}/checker-64x64.png", 64, 64, 3, 8, lambda x, y, c: 255 * ((x // 8 + y // 8) % 2))
    png(f"{folder}/ramp16-256x64.png", 256, 64, 1, 16, lambda x, y, c: 257 * x if y < 63 else 65535)
    png(f"{folder}/sprite-64x64.png", 64, 64, 4, 8, sprite)
    pfm(f"{folder}/waves-97x61.pfm", 97, 61, lambda x, y: math.sin(x / 7) * math.cos(y / 5) * 1000)
    pfm(f"{folder}/nan-33x17.pfm", 33, 17, lambda x, y: math.nan if (x, y) == (16, 8) else x + y)


def white(folder):
    with open(f"{folder}/white-4099x1031.pgm", "wb") as f:
        f.write(b"P5\n4099 1031\n255\n" + b"\xff" * (4099 * 1031))


def noise(folder):
    with open(f"{folder}/noise-1999x1500.ppm", "wb") as f:
        f.write(b"P6\n1999 1500\n255\n" + random.Random(1984).randbytes(1999 * 1500 * 3))


def main():
    recipes = {"small": small, "white": white, "noise": noise}
    if len(sys.argv) not in (2, 3) or sys.argv[2:3] not in ([], *([name] for name in recipes)):
        sys.exit(__doc__)
    recipes[sys.argv[2] if len(sys.argv) == 3 else "small"](sys.argv[1])


if __name__ == "__main__":
    main()
