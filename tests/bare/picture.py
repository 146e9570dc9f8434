#!/usr/bin/env python3
"""picture.py INPUT SIDE OUTPUT: is OUTPUT, a PNG, the mean of INPUT's windows of SIDE x SIDE, with the default border?
Reads 8-bit PNG without the project's decoders."""
import os
import struct
import sys
import zlib

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
os.environ.setdefault("SAT_TEST_ROOT", ROOT)
os.environ.setdefault("B", "build")
sys.path.insert(0, os.path.join(ROOT, "tests", "check"))
from satlib import box  # noqa: E402


def paeth(a, b, c):
    p = a + b - c
    return min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]


def png(path):
    with open(path, "rb") as file:
        data = file.read()
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", body)
            assert (depth, interlace) == (8, 0), "no plain 8-bit PNG"
        packed += body if kind == b"IDAT" else b""
        at += 12 + size
    n = {0: 1, 2: 3, 4: 2, 6: 4}[colour]
    stride = width * n
    raw = zlib.decompress(packed)
    above, rows = bytearray(stride), []
    for y in range(height):
        kind, row = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for x in range(stride if kind else 0):
            left, corner = (row[x - n], above[x - n]) if x >= n else (0, 0)
            row[x] = (row[x] + (0, left, above[x], (left + above[x]) // 2, paeth(left, above[x], corner))[kind]) & 255
        rows.append(row)
        above = row
    return np.frombuffer(b"".join(rows), np.uint8).reshape(height, width, n)


source, side, result = png(sys.argv[1]), int(sys.argv[2]), png(sys.argv[3])
wrong = int((box(source, side, side, "shrink") != result).sum())
print(f"{sys.argv[3]}: {wrong} of {result.size} samples are wrong")
sys.exit(wrong != 0)
