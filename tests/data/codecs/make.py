#!/usr/bin/env python3
"""Makes the image files that other software wrote, and what it reads from them.

Needs Pillow, tifffile, OpenCV, NumPy, libjpeg's cjpeg and jpegtran, and libtiff's tiffcp.  Run in this folder.  Every
file stands in expected.txt with its width, height, channels, sample type and the CRC-32 of its pixels, as Pillow or
OpenCV decode them; `make check` compares ours.  PNG layouts that neither can write are put together here, and read by
Pillow as well.
"""
import io
import os
import struct
import subprocess
import zlib

import cv2
import numpy as np
import tifffile
from PIL import Image, ImageOps

rng = np.random.default_rng(7)
lines = []


def expect(name, pixels):
    a = np.ascontiguousarray(pixels)
    if a.ndim == 2:
        a = a[:, :, None]
    kind = {"uint8": "u8", "uint16": "u16", "float32": "f32"}[a.dtype.name]
    h, w, c = a.shape
    lines.append(f"{name} {w} {h} {c} {kind} {zlib.crc32(a.tobytes()):08x}")


def photo(h, w, c, top=255):
    """Smooth with noise, so that every filter and every kind of match occurs."""
    y, x = np.mgrid[0:h, 0:w]
    base = [(np.sin(x / 5 + k) + np.cos(y / 7 - k) + 2) / 4 for k in range(c)]
    a = np.stack(base, -1) * top + rng.normal(0, top / 100, (h, w, c))
    return np.clip(a, 0, top).round()


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def pack_rows(a, depth):
    """Samples of a (h, w, c) array as bytes of rows."""
    h = a.shape[0]
    if depth == 16:
        return a.astype(">u2").reshape(h, -1).view(np.uint8)
    if depth == 8:
        return a.astype(np.uint8).reshape(h, -1)
    bits = np.unpackbits(a.astype(np.uint8).reshape(h, -1, 1), axis=2)[:, :, 8 - depth:]
    return np.packbits(bits.reshape(h, -1), axis=1)


def filter_rows(rows, bpp, first):
    """Rows under the five filters in turn, beginning with the first."""
    out = bytearray()
    above = np.zeros(rows.shape[1], int)
    for i, row in enumerate(rows.astype(int)):
        kind = (first + i) % 5
        left = np.concatenate([np.zeros(bpp, int), row])[: len(row)]
        corner = np.concatenate([np.zeros(bpp, int), above])[: len(row)]
        p = left + above - corner
        pa, pb, pc = abs(p - left), abs(p - above), abs(p - corner)
        paeth = np.where((pa <= pb) & (pa <= pc), left, np.where(pb <= pc, above, corner))
        guess = [0, left, above, (left + above) // 2, paeth][kind]
        out += bytes([kind]) + ((row - guess) % 256).astype(np.uint8).tobytes()
        above = row
    return bytes(out)


PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def png(name, a, depth, colour, interlaced=False, before=b"", idat=1 << 20, first=0, level=9, paeth=False):
    h, w, c = a.shape
    bpp = max(1, c * depth // 8)
    parts = [a[y::dy, x::dx] for x, y, dx, dy in PASSES] if interlaced else [a]
    raw = b""
    for part in parts:
        if part.shape[0] and part.shape[1]:
            raw += filter_rows(pack_rows(part, depth), bpp, first)
    z = zlib.compress(raw, level)
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", w, h, depth, colour, 0, 0, interlaced))
    data += before
    for i in range(0, len(z), idat):
        data += chunk(b"IDAT", z[i : i + idat])
    data += chunk(b"IEND", b"")
    open(name, "wb").write(data)


def read(name, mode=None):
    image = Image.open(name)
    return np.array(image.convert(mode) if mode else image)


def read_cv(name):
    a = cv2.imread(name, cv2.IMREAD_UNCHANGED)
    if a.ndim == 3:
        a = a[:, :, [2, 1, 0] + ([3] if a.shape[2] == 4 else [])]
    return a


# ---- PNG: every colour type, depth and interlacing ----

CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
for colour, depths in {0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16]}.items():
    for depth in depths:
        for interlaced in (False, True):
            name = f"c{colour}d{depth}{'i' if interlaced else ''}.png"
            c = CHANNELS[colour]
            a = photo(13, 19, c, (1 << depth) - 1)
            before = b""
            if colour == 3:
                palette = rng.integers(0, 256, (1 << depth, 3), dtype=np.uint8)
                before = chunk(b"PLTE", palette.tobytes())
            png(name, a, depth, colour, interlaced, before, first=depth)
            if colour == 3:
                expect(name, palette[a[:, :, 0].astype(int)])
            elif depth == 16:
                expect(name, a.astype(np.uint16))
            elif depth == 8:
                expect(name, read(name))
            else:
                expect(name, read(name, "L"))

# transparent colours
a = photo(9, 11, 1, 15)
png("c0d4t.png", a, 4, 0, before=chunk(b"tRNS", struct.pack(">H", int(a[4, 4, 0]))))
expect("c0d4t.png", np.dstack([a * 17, np.where(a == a[4, 4], 0, 255)]).astype(np.uint8))
a = photo(9, 11, 1)
png("c0d8t.png", a, 8, 0, before=chunk(b"tRNS", struct.pack(">H", int(a[4, 4, 0]))))
expect("c0d8t.png", read("c0d8t.png", "LA"))
a = photo(9, 11, 3)
png("c2d8t.png", a, 8, 2, before=chunk(b"tRNS", struct.pack(">HHH", *a[4, 4].astype(int))))
expect("c2d8t.png", read("c2d8t.png", "RGBA"))
a = photo(9, 11, 3, 65535)
png("c2d16t.png", a, 16, 2, before=chunk(b"tRNS", struct.pack(">HHH", *a[4, 4].astype(int))))
expect("c2d16t.png", np.dstack([a, np.where((a == a[4, 4]).all(-1), 0, 65535)]).astype(np.uint16))
palette = rng.integers(0, 256, (200, 3), dtype=np.uint8)
alpha = rng.integers(0, 256, 100, dtype=np.uint8)
a = rng.integers(0, 200, (9, 11, 1))
png("c3d8t.png", a, 8, 3, before=chunk(b"PLTE", palette.tobytes()) + chunk(b"tRNS", alpha.tobytes()))
expect("c3d8t.png", read("c3d8t.png", "RGBA"))

# shapes, chunks of one byte, stored blocks
for w, h in ((1, 1), (1, 23), (23, 1), (2, 2), (3, 5), (7, 7)):
    for interlaced in (False, True):
        name = f"s{w}x{h}{'i' if interlaced else ''}.png"
        png(name, photo(h, w, 3), 8, 2, interlaced, first=4)
        expect(name, read(name))
png("idat1.png", photo(9, 11, 3), 8, 2, idat=1)
expect("idat1.png", read("idat1.png"))
png("stored.png", photo(9, 11, 4), 8, 6, level=0)
expect("stored.png", read("stored.png"))

# other writers
Image.fromarray(photo(31, 37, 3).astype(np.uint8)).save("pillow.png", dpi=(300, 150), icc_profile=b"\0\0\1\2" * 1000)
expect("pillow.png", read("pillow.png"))
cv2.imwrite("opencv16.png", photo(11, 13, 4, 65535).astype(np.uint16))
expect("opencv16.png", read_cv("opencv16.png"))

# ---- Netpbm ----

Image.fromarray(photo(7, 9, 3).astype(np.uint8)).save("pillow.ppm")
expect("pillow.ppm", read("pillow.ppm"))
Image.fromarray(photo(7, 9, 1)[:, :, 0] > 128).save("pillow.pbm")
expect("pillow.pbm", read("pillow.pbm", "L"))
cv2.imwrite("opencv16.pgm", photo(7, 9, 1, 65535).astype(np.uint16))
expect("opencv16.pgm", read_cv("opencv16.pgm"))
a = photo(7, 9, 4).astype(np.uint8)
cv2.imwrite("opencv.pam", a, [cv2.IMWRITE_PAM_TUPLETYPE, cv2.IMWRITE_PAM_FORMAT_RGB_ALPHA])
expect("opencv.pam", a)  # OpenCV writes its channels as they come
open("text.pgm", "w").write("P2 # a comment\n#another\n3 2\n# and one\n100\n0 50 100\n1 2# x\n 99\n")
expect("text.pgm", np.floor(np.array([[0, 50, 100], [1, 2, 99]]) * 255 / 100 + 0.5).astype(np.uint8))
open("text.ppm", "w").write("P3\n1 2 1023\n0 511 1023\n1 2 3\n")
expect("text.ppm", np.floor(np.array([[[0, 511, 1023]], [[1, 2, 3]]]) * 65535 / 1023 + 0.5).astype(np.uint16))
open("text.pbm", "w").write("P1\n4 2\n0101\n1 1 0 0\n")
expect("text.pbm", np.array([[255, 0, 255, 0], [0, 0, 255, 255]], np.uint8))

# ---- BMP, TGA ----

a = photo(7, 9, 4).astype(np.uint8)
grey = Image.fromarray(a[:, :, 0])
for name, image, mode in (
    ("pillow1.bmp", grey.convert("1"), "L"),
    ("pillow8.bmp", grey, "L"),
    ("pillow24.bmp", Image.fromarray(a[:, :, :3]), "RGB"),
    ("grey.tga", grey, "L"),
    ("rgb.tga", Image.fromarray(a[:, :, :3]), "RGB"),
    ("rgba.tga", Image.fromarray(a, "RGBA"), "RGBA"),
):
    image.save(name)
    expect(name, read(name, mode))
Image.fromarray(a, "RGBA").save("pillow32.bmp")
expect("pillow32.bmp", a[:, :, :3])  # a header without a mask for alpha: the fourth byte means nothing
cv2.imwrite("opencv.bmp", a)
expect("opencv.bmp", a[:, :, [2, 1, 0, 3]])


def bmp(name, bits, rows, size, masks=b"", palette=b"", core=False):
    """A BMP of rows of bytes; a negative height: the top row first."""
    if core:
        header = struct.pack("<IHHHH", 12, *size, 1, bits)
    else:
        header = struct.pack("<IiiHHIIiiII", 40, *size, 1, bits, 3 if masks else 0, 0, 0, 0, 0, 0)
    begin = 14 + len(header) + len(masks) + len(palette)
    data = b"".join(r + bytes(-len(r) % 4) for r in rows)
    open(name, "wb").write(struct.pack("<2sIII", b"BM", begin + len(data), 0, begin) + header + masks + palette + data)


v = rng.integers(0, 1 << 16, (5, 7)).astype("<u2")
fields = [(v >> 11) / 31, (v >> 5 & 63) / 63, (v & 31) / 31]
bmp("rgb565.bmp", 16, [r.tobytes() for r in v], (7, -5), struct.pack("<III", 0xF800, 0x7E0, 0x1F))
expect("rgb565.bmp", np.floor(np.dstack(fields) * 255 + 0.5).astype(np.uint8))
fields = [(v >> 10 & 31) / 31, (v >> 5 & 31) / 31, (v & 31) / 31]
bmp("rgb555.bmp", 16, [r.tobytes() for r in v[::-1]], (7, 5))
expect("rgb555.bmp", np.floor(np.dstack(fields) * 255 + 0.5).astype(np.uint8))
v = rng.integers(0, 16, (5, 7, 1))
palette = rng.integers(0, 256, (16, 3), dtype=np.uint8)
bmp("core4.bmp", 4, [r.tobytes() for r in pack_rows(v, 4)[::-1]], (7, 5), palette=palette[:, ::-1].tobytes(), core=True)
expect("core4.bmp", palette[v[:, :, 0]])


class Runs:
    """The codes of a run-length BMP, and the pixels that they mean: entry 0, or black, where there is no code."""

    def __init__(self, w, h, bits):
        self.bits, self.code, self.x, self.y = bits, b"", 0, 0
        self.want = np.zeros((h, w, 3 if bits == 24 else 1), np.uint8)

    def put(self, values):
        for v in values:
            if self.x < self.want.shape[1]:
                self.want[self.want.shape[0] - 1 - self.y, self.x] = v
            self.x += 1

    def stored(self, values):
        values = np.array(values, np.uint8)
        if self.bits == 24:
            return values[:, ::-1].tobytes()
        return pack_rows(values.reshape(1, -1, 1), self.bits).tobytes()

    def run(self, n, *values):
        self.code += bytes([n]) + self.stored(values)
        self.put([values[i % len(values)] for i in range(n)])

    def literal(self, *values):
        data = self.stored(values)
        self.code += bytes([0, len(values)]) + data + bytes(len(data) % 2)
        self.put(values)

    def row(self):
        self.code += b"\0\0"
        self.x, self.y = 0, self.y + 1

    def move(self, dx, dy):
        self.code += bytes([0, 2, dx, dy])
        self.x, self.y = self.x + dx, self.y + dy

    def save(self, name, palette=b"", end=b"\0\1"):
        h, w = self.want.shape[:2]
        coding = {8: 1, 4: 2, 24: 4}[self.bits]
        os2 = bytes(24) if self.bits == 24 else b""
        header = struct.pack("<IiiHHIIiiII", 40 + len(os2), w, h, 1, self.bits, coding, 0, 3937, 7874, 0, 0) + os2
        begin = 14 + len(header) + len(palette)
        data = struct.pack("<2sIII", b"BM", begin + len(self.code), 0, begin) + header + palette + self.code + end
        open(name, "wb").write(data)


own = np.random.default_rng(8)
entries = own.integers(0, 256, (16, 4), dtype=np.uint8)
r = Runs(9, 6, 8)
r.run(4, 3), r.literal(1, 2, 3, 4, 5), r.row()
r.literal(7, 8, 9), r.run(9, 10), r.row()  # three more than the row has: its padding
r.run(2, 11), r.move(3, 1), r.run(4, 12), r.row()
r.row()
r.run(8, 13), r.run(1, 14)
r.save("rle8.bmp", entries.tobytes())
expect("rle8.bmp", entries[:, 2::-1][r.want[:, :, 0]])
r = Runs(7, 5, 4)
r.run(7, 1, 2), r.row()
r.literal(3, 4, 5), r.run(4, 6, 7), r.row()
r.literal(8, 9, 10, 11, 12), r.move(1, 1), r.run(1, 13, 13), r.row()
r.literal(*range(7))
r.save("rle4.bmp", entries.tobytes())
expect("rle4.bmp", entries[:, 2::-1][r.want[:, :, 0]])
colours = [tuple(c) for c in entries[:, :3]]
r = Runs(5, 3, 24)
r.run(2, colours[0]), r.literal(*colours[1:4])
r.row()
r.move(4, 1), r.run(1, colours[4])
r.save("rle24.bmp")
expect("rle24.bmp", r.want)

v = own.integers(0, 4, (5, 7, 1))
rows = [x.tobytes() + bytes(-len(x.tobytes()) % 4) for x in pack_rows(v, 2)[::-1]]
header = struct.pack("<IiiHH", 16, 7, 5, 1, 2)  # OS/2 2, the shortest
data = struct.pack("<2sIII", b"BM", 0, 0, 30 + 16) + header + entries[:4].tobytes() + b"".join(rows)
open("os2-2.bmp", "wb").write(data)
expect("os2-2.bmp", entries[:4, 2::-1][v[:, :, 0]])
v = own.integers(0, 1 << 32, (5, 7)).astype("<u4")
masks = struct.pack("<IIII", 0x3FF, 0xFFC00, 0x3FF00000, 0xC0000000)
header = struct.pack("<IiiHHIIiiII", 40, 7, -5, 1, 32, 6, 0, 0, 0, 0, 0)
open("masks.bmp", "wb").write(struct.pack("<2sIII", b"BM", 0, 0, 14 + 40 + 16) + header + masks + v.tobytes())
fields = [(v & 1023) / 1023, (v >> 10 & 1023) / 1023, (v >> 20 & 1023) / 1023, (v >> 30) / 3]
expect("masks.bmp", np.floor(np.dstack(fields) * 255 + 0.5).astype(np.uint8))

Image.fromarray((a // 64 * 64)[:, :, :3]).save("runs.tga", compression="tga_rle")
expect("runs.tga", read("runs.tga", "RGB"))
Image.fromarray(a[:, :, :3]).quantize(16).save("palette.tga")
expect("palette.tga", read("palette.tga", "RGB"))

# ---- floats ----

light = (photo(6, 20, 3, 1) * np.exp(rng.normal(0, 4, (6, 20, 1)))).astype(np.float32)
cv2.imwrite("opencv.hdr", light)
expect("opencv.hdr", read_cv("opencv.hdr"))
cv2.imwrite("opencv.pfm", light)
expect("opencv.pfm", read_cv("opencv.pfm"))
open("big.pfm", "wb").write(b"Pf\n20 6\n1.0\n" + light[::-1, :, 0].astype(">f4").tobytes())
expect("big.pfm", light[:, :, 0])

# ---- JPEG: decoders may differ by a level or two, so the pixels themselves are kept ----

a = photo(24, 40, 3).astype(np.uint8)
srgb = b"profile of three segments " * 6000
for name, image, options in (
    ("rgb420.jpg", Image.fromarray(a), {"quality": 90, "subsampling": 2, "dpi": (72, 36)}),
    ("rgb444.jpg", Image.fromarray(a), {"quality": 95, "subsampling": 0}),
    ("progressive.jpg", Image.fromarray(a), {"quality": 90, "progressive": True}),
    ("grey.jpg", Image.fromarray(a[:, :, 0]), {"quality": 90}),
):
    image.save(name, **options)
    read(name).tofile(name + ".raw")
Image.fromarray(a).convert("CMYK").save("cmyk.jpg")


def cjpeg(name, *options):
    subprocess.run(["cjpeg", *options, "-outfile", name], input=ppm, check=True)
    read(name).tofile(name + ".raw")


# sampling that TurboJPEG's interface has no name for, arithmetic coding, a scan for each component
ppm = b"P6 40 24 255\n" + a.tobytes()
cjpeg("sampling410.jpg", "-sample", "4x2")
cjpeg("sampling311.jpg", "-sample", "3x1")
cjpeg("sampling-odd.jpg", "-sample", "2x2,2x1,1x2")
cjpeg("arithmetic.jpg", "-arithmetic", "-progressive")
open("scans.txt", "w").write("0; 1; 2;")
cjpeg("scans.jpg", "-scans", "scans.txt")
subprocess.run(["rm", "scans.txt"], check=True)
# the same pixels with restart markers
subprocess.run(["jpegtran", "-restart", "2B", "-outfile", "restarts.jpg", "rgb420.jpg"], check=True)
read("restarts.jpg").tofile("restarts.jpg.raw")

# one picture of 3x2 blocks of 16 pixels, stored in each of the eight orientations
blocks = np.kron(np.array([[10, 60, 110], [160, 210, 250]], np.uint8), np.ones((16, 16), np.uint8))
turns = {1: lambda b: b, 2: np.fliplr, 3: lambda b: np.rot90(b, 2), 4: np.flipud, 5: np.transpose,
         6: lambda b: np.rot90(b, 1), 7: lambda b: np.rot90(b, 2).T, 8: lambda b: np.rot90(b, -1)}
for k, turn in turns.items():
    exif = Image.Exif()
    exif[0x0112] = k
    Image.fromarray(np.ascontiguousarray(turn(blocks))).save(f"orient{k}.jpg", quality=95, exif=exif)
    Image.fromarray(np.ascontiguousarray(turn(blocks))).save(f"orient{k}.png", exif=exif)
    expect(f"orient{k}.png", blocks)

# what is not pixels
a = photo(6, 8, 3).astype(np.uint8)
xmp = b'<x:xmpmeta xmlns:x="adobe:ns:meta/"/>'
exif = Image.Exif()
exif[0x010F], exif[0x0112], exif[0x011A], exif[0x011B], exif[0x0128] = "maker", 6, 100.0, 50.0, 3
Image.fromarray(a).save("meta.jpg", quality=95, exif=exif, xmp=xmp, comment=b"a comment")
before = chunk(b"cICP", bytes([1, 13, 0, 1])) + chunk(b"gAMA", struct.pack(">I", 45455))
before += chunk(b"cHRM", struct.pack(">8I", 31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000))
before += chunk(b"sRGB", b"\0") + chunk(b"eXIf", exif.tobytes()[6:])
before += chunk(b"iTXt", b"XML:com.adobe.xmp\0\1\0\0\0" + zlib.compress(xmp))
before += chunk(b"tEXt", b"Title\0a picture") + chunk(b"zTXt", b"Comment\0\0" + zlib.compress(b"text"))
before += chunk(b"iTXt", b"Author\0\0\0de\0Autor\0" + "M\u00fcller".encode()) + chunk(b"tIME", bytes(7))
png("meta.png", a, 8, 2, before=before)
expect("meta.png", np.rot90(read("meta.png"), -1))
palette = bytes(range(256)) * 4
before = chunk(b"sPLT", b"name\0\x08" + palette[:6] * 400) + chunk(b"PLTE", palette[:901])
png("suggested.png", a, 8, 2, before=before + chunk(b"PLTE", palette[:3]))
expect("suggested.png", a)

# ---- TGA that neither writes: what the header says, and the pixels by their definition ----


def tga(name, kind, bits, pixels, want, flags=0, palette=b"", first=0, entries=0, entry_bits=0, runs=False):
    """A TGA of pixels, bytes in the order of the file; `want` as they lie there, turned upright here."""
    head = struct.pack("<BBBHHBHHHHBB", 4, entries > 0, kind + 8 * runs, first, entries, entry_bits, 0, 0,
                       want.shape[1], want.shape[0], bits, flags)
    size = (bits + 7) // 8
    data = b"".join(bytes([128]) + pixels[i : i + size] for i in range(0, len(pixels), size)) if runs else pixels
    open(name, "wb").write(head + b"name" + palette + data)
    want = want[:, ::-1] if flags & 16 else want
    expect(name, want if flags & 32 else want[::-1])


rng = np.random.default_rng(11)
a = rng.integers(0, 256, (5, 7, 4), dtype=np.uint8)
bgr, bgra = np.ascontiguousarray(a[:, :, [2, 1, 0]]), np.ascontiguousarray(a[:, :, [2, 1, 0, 3]])
colours = rng.integers(0, 256, (20, 3), dtype=np.uint8)
index = rng.integers(0, 20, (5, 7), dtype=np.uint8)
v = rng.integers(0, 1 << 16, (5, 7)).astype("<u2")
five = [np.floor((v >> shift & 31) * 255 / 31 + 0.5) for shift in (10, 5, 0)]
tga("first.tga", 1, 8, (index + 100).tobytes(), colours[index], palette=colours[:, ::-1].tobytes(), first=100,
    entries=20, entry_bits=24)
tga("right.tga", 2, 24, bgr.tobytes(), a[:, :, :3], flags=16 | 32, runs=True)
tga("unused.tga", 2, 24, bgr.tobytes(), a[:, :, :3], palette=bytes(40), entries=20, entry_bits=16)
tga("undeclared.tga", 2, 32, bgra.tobytes(), a[:, :, :3])
tga("five.tga", 2, 16, v.tobytes(), np.dstack(five).astype(np.uint8))
tga("bit.tga", 2, 16, v.tobytes(), np.dstack(five + [(v >> 15) * 255]).astype(np.uint8), flags=1 | 16)
tga("greya.tga", 3, 16, a[:, :, :2].tobytes(), a[:, :, :2], flags=8 | 32, runs=True)


# ---- TIFF: Pillow and tifffile write, tiffcp changes the layout; expected: what Pillow reads, or what was written ----

rng = np.random.default_rng(13)
rgb, rgba = photo(29, 37, 3).astype(np.uint8), photo(29, 37, 4).astype(np.uint8)
deep, light = photo(29, 37, 3, 65535).astype(np.uint16), photo(29, 37, 3).astype(np.float32) / 255
bits = rng.integers(0, 2, (13, 19), dtype=np.uint8)


def tiff(name, pixels, want=None, copy=(), **options):
    """What tifffile writes of the pixels, laid out again by tiffcp if it has options."""
    tifffile.imwrite(name, pixels, metadata=None, software=False, **options)
    if copy:
        os.rename(name, "copy.tmp")
        subprocess.run(["tiffcp", *copy, "copy.tmp", name], check=True)
        os.remove("copy.tmp")
    expect(name, pixels if want is None else want)


def pillow_tiff(name, image, mode, **options):
    image.save(name, **options)
    expect(name, read(name, mode))


for name, image, mode, compression in (
        ("lzw.tif", rgb, "RGB", "tiff_lzw"), ("packbits.tif", rgb[:, :, 0], "L", "packbits"),
        ("deflate.tif", rgba, "RGBA", "tiff_adobe_deflate"), ("zstd.tif", rgb, "RGB", "zstd"),
        ("jpeg.tif", rgb, "RGB", "jpeg"), ("palette.tif", None, "RGB", "tiff_lzw")):
    picture = Image.fromarray(rgb).quantize(16) if image is None else Image.fromarray(image)
    pillow_tiff(name, picture, mode, compression=compression)
pillow_tiff("bits.tif", Image.fromarray(bits * 255).convert("1"), "L")
turned = Image.fromarray(rgb)
turned.save("turned.tif", tiffinfo={274: 6}, compression="tiff_lzw")
expect("turned.tif", np.array(ImageOps.exif_transpose(Image.open("turned.tif"))))
planes = np.ascontiguousarray(deep.transpose(2, 0, 1))
tiff("planar.tif", planes, deep, byteorder=">", planarconfig="separate", photometric="rgb", rowsperstrip=5)
tiff("tiles.tif", deep, bigtiff=True, byteorder="<", tile=(16, 16), photometric="rgb", compression="zlib")
tiff("tiles-planar.tif", np.ascontiguousarray(rgb.transpose(2, 0, 1)), rgb,
     copy=["-t", "-w", "16", "-l", "32", "-c", "lzw:2", "-B"],
     planarconfig="separate", photometric="rgb")
tiff("float.tif", light, copy=["-c", "zip:3", "-r", "4"], photometric="rgb")
tiff("float-be.tif", light[:, :, 0], byteorder=">", photometric="minisblack")
tiff("white.tif", rgb[:, :, 0], 255 - rgb[:, :, 0], photometric="miniswhite")
for name, source, codec, want in (
        ("lzma.tif", "lzw.tif", "lzma", rgb), ("lerc.tif", "float-be.tif", "lerc", light[:, :, 0]),
        ("webp.tif", "lzw.tif", "webp:100", None)):
    subprocess.run(["tiffcp", "-c", codec, source, name], check=True)
    expect(name, read(name) if want is None else want)
geo = [(33550, "d", 3, (0.5, 0.5, 0.0), True), (33922, "d", 6, (0.0, 0.0, 0.0, 440720.0, 3751320.0, 0.0), True),
       (34735, "H", 8, (1, 1, 0, 1, 1024, 0, 1, 1), True), (34737, "s", 8, "WGS 84|", True),
       (42113, "s", 0, "-9999", True)]
tiff("geo.tif", light[:9, :8, 0], photometric="minisblack", extratags=geo)

open("expected.txt", "w").write("\n".join(lines) + "\n")
