#!/usr/bin/env python3
"""seeds.py - writes the seeds that are made by hand, corpus/NAME/seed-*; run it again after a change of a target's
input.  What fuzzers found, which covers more, has hashes for names."""
import ctypes
import itertools
import os
import random
import struct
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
xxhash = ctypes.CDLL("libxxhash.so.0")
xxhash.XXH3_64bits.restype = ctypes.c_uint64
xxhash.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]


def seed(target, name, data):
    os.makedirs(f"{HERE}/corpus/{target}", exist_ok=True)
    with open(f"{HERE}/corpus/{target}/seed-{name}", "wb") as file:
        file.write(data)


def xxh3(data):
    return xxhash.XXH3_64bits(data, len(data))


# ---- tables: docs/format.md, with a header as short as NumPy's ------------------------------------------------

def npy(descr, shape, array):
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    room = -(10 + len(text) + 1) % 64
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(text) + room + 1) + text + b" " * room + b"\n" + array


def name_field(text, room):
    return text.encode().ljust(room, b"\0")


def trailer(layout, sample, accum, shape, padded, offset, array, quant, moment="sum"):
    channels = (shape[2] if len(shape) > 2 else 1) // len(moment.split(","))
    fields = b"SATTABLE" + struct.pack("<II", 1, 192)
    fields += struct.pack("<QQ", shape[1] - padded, shape[0] - padded)
    fields += struct.pack("<II", channels, quant[2])
    fields += struct.pack("<QQQ", offset, len(array), xxh3(array))
    fields += name_field(layout, 16) + name_field(sample, 8) + name_field(accum, 8) + name_field(moment, 8)
    counts = moment[0] == "0"
    fields += struct.pack("<ddd", -9999.0 if counts else 0.0, quant[0], quant[1]) + name_field("seed", 32)
    fields += struct.pack("<Q", counts) + bytes(16)
    return fields + struct.pack("<Q", xxh3(fields))


def tables():
    kinds = {"u32": ("<u4", "I", "u8"), "u64": ("<u8", "Q", "u16"), "i64": ("<i8", "q", "u8"),
             "f32": ("<f4", "f", "f32"), "f64": ("<f8", "d", "f64"), "q32": ("<u4", "I", "f32")}
    rects = struct.pack("<4h", 1, 0, 2, 2) + struct.pack("<4h", 1, 1, 3, 2)
    layouts = ["padded", "inclusive", "exclusive"]
    for (accum, (descr, code, sample)), layout in itertools.product(kinds.items(), layouts):
        padded = layout == "padded"
        shift = layout != "inclusive"
        shape = (3 + padded, 4 + padded)
        array = b"".join(struct.pack("<" + code, (x + 1 - shift) * (y + 1 - shift))
                         for y in range(shape[0]) for x in range(shape[1]))
        file = npy(descr, shape, array)
        offset = len(file) - len(array)
        file += bytes(-len(file) % 8)
        quant = (-1.0, 0.5, 255) if accum == "q32" else (0.0, 0.0, 0)
        file += trailer(layout, sample, accum, shape, padded, offset, array, quant)
        seed("table", f"{accum}-{layout}", bytes([0, 0, 2]) + rects + file)
        if layout != "exclusive":
            seed("table", f"foreign-{accum}-{layout}", bytes([layouts.index(layout), 1, 2]) + rects +
                 npy(descr, shape, array))


def moments():
    rects = struct.pack("<4h", 1, 0, 2, 2) + struct.pack("<4h", 0, 0, 3, 2)
    for accum, descr, code, sample, channels, names in (
            ("i64", "<i8", "q", "u8", 1, "1,2"), ("u32", "<u4", "I", "u16", 3, "1,2"),
            ("f64", "<f8", "d", "f32", 2, "1,2"), ("u64", "<u8", "Q", "u8", 4, "1,2"),
            ("i64", "<i8", "q", "i16", 2, "0,1"), ("f64", "<f8", "d", "f32", 1, "0,1,2")):
        array = b"".join(struct.pack("<" + code, x * y * 3 ** int(power)) for y in range(4) for x in range(5)
                         for power in names.split(",") for _ in range(channels))
        shape = (4, 5, len(names.split(",")) * channels)
        file = npy(descr, shape, array)
        offset = len(file) - len(array)
        file += bytes(-len(file) % 8)
        file += trailer("padded", sample, accum, shape, True, offset, array, (0.0, 0.0, 0), names)
        kind = "counts" if names[0] == "0" else "moments"
        seed("table", f"{kind}-{accum}-{channels}", bytes([0, 0, 2]) + rects + file)


# ---- images of f32 with their mark: docs/format.md ---------------------------------------------------------------

def marked_arrays():
    mark = b"SATIMAGE" + struct.pack("<II", 1, 16)
    for width, channels in ((3, 1), (2, 3)):  # an odd number of samples has zeros before the mark
        shape = (1, width) if channels == 1 else (1, width, channels)
        count = width * channels
        array = npy("<f4", shape, struct.pack(f"<{count}f", *range(1, count + 1)))
        file = array + bytes(-len(array) % 8) + mark
        ends = {"whole": file, "cut": file[:-1], "followed": file + b"more", "twice": file + mark,
                "newer": file[:-8] + struct.pack("<II", 2, 16), "none": file[:-16]}
        for name, data in ends.items():
            seed("decode", f"npy-mark-{name}-{count}", data)


# ---- texts -----------------------------------------------------------------------------------------------------

def texts():
    csv = {"plain": "1,2,3,4\n5,6,7,8\n", "header": "h;w;y;x;note\n1;2;3;4;\"a;\"\"b\"\n", "tabs": "1\t2\t3\t4\r\n",
           "blanks": " 1  2 3 4 \n\n# no\n5 6 7 8", "mark": "\ufeffx,y,width,height\n1,2,3,4\n", "bad": "1,2,3\n",
           "quote": '"1","2","3","4\n', "large": "9223372036854775807,-9223372036854775808,1,99999999999999999999\n",
           "twice": "x,y,w,w\n", "fractions": "x0,y0,x1,y1,a\n1,1,2,2,b\n.5,1e-2,3.5,4,c\n0,0,1,1,d\n"}
    for name, text in csv.items():
        seed("text", f"csv-{name}", b"\0" + text.encode())
    json = {"object": '{"x":1,"y":2,"w":3,"height":4,"a":"\\u00e4\\ud83d\\ude00\\n","b":[1,{"c":null}]}\n'
                      '{"b":1.5e3,"y1":9,"x":0,"y":0,"w":1}',
            "array": " [1, 2,3,4e0]\r\n\n[5,6,7,8]\n", "mixed": '[1,2,3,4]\n{"x0":1,"y0":2,"x1":3,"y1":4}\n',
            "fractions": '[0.5,0,1,1]\n[1,1,1,1]\n[1e-3,2.25,1E9,1]\n', "open": '{"x":1,"y":2,"w":3,"h":4,"a":[[{"b":"'}
    for name, text in json.items():
        seed("text", f"json-{name}", b"\0" + text.encode())
    seed("text", "npy-floats", b"\0" + npy(">f4", (2, 4), struct.pack(">8f", *(k / 4 for k in range(8)))))
    seed("text", "npy-rects", b"\0" + npy("<i4", (2, 4), struct.pack("<8i", *range(8))))
    seed("text", "list", b"\3{dir}/{stem}_{n}.{ext}\0a/b.png\r\n\nc.jpg\nd")
    seed("text", "list-zero", b"\4out/{{{name}}}\0a\nb.png\0c\0")
    seed("text", "list-wrong", b"\3{what}\0a\n")
    lines = {"box": "0 a.png --box 15x4 -o b.png --border constant:1,2,3 --passes 2 --alpha straight --quality 90",
             "table": "0 a.png -o t.npy --layout inclusive --type q32 --largest 64x64 --backend cpu --threads 2",
             "mean": "0 a b --mean 1,2,3,4 --mean=5,6,7,8 --json -q",
             "list": "0 --files-from list -0 -o {stem}.png --radius 3", "help": "0 --help", "typo": "0 --boxx 3 -zq",
             "query": "1 t.npy --rect 0,0,9,9 --rect 1,1,1,1 --stat mean,sum --clip --layout padded --sample u16",
             "rects": "1 t.npy --rects r.csv --json -o out.csv --no-clobber --max-pixels 9 --no-orient",
             "info": "2 a.png --json b.npy", "backends": "3 --json", "backends-more": "3 x",
             "bench": "4 --size 64x64 --type f32 --accum f64 --channels 3 --box 5 --repeat 1 --csv",
             "bench-scan": "4 scan --min 4 --max 8 --step 1 --exclusive --naive-staging --block 256 --items 4",
             "bench-query": "4 query --rects 100 --map x --against y --plot f.svg --md",
             "bench-help": "4 tune --help"}
    for name, line in lines.items():
        words = line.split(" ")
        seed("text", f"line-{name}", b"\5" + bytes([int(words[0])]) + "\0".join(words[1:]).encode() + b"\0")


# ---- metadata: pieces of a kind, a length and contents ---------------------------------------------------------

def piece(kind, contents):
    return struct.pack(">BH", kind, len(contents)) + contents


def exif(order, orientation):
    header = {"<": b"II*\0", ">": b"MM\0*"}[order]
    return header + struct.pack(order + "IHHHIHHI", 8, 1, 0x0112, 3, 1, orientation, 0, 0)


def metadata():
    profile = bytes(range(128)) + b"acsp"
    for order, orientation in (("<", 6), (">", 3), ("<", 9)):
        name = f"{'le' if order == '<' else 'be'}-{orientation}"
        seed("metadata", f"png-exif-{name}", b"\0" + piece(3, exif(order, orientation)))
        seed("metadata", f"jpeg-exif-{name}", b"\1" + piece(1, exif(order, orientation)))
    seed("metadata", "png-profile", b"\0" + piece(0, profile) + piece(2, struct.pack(">IIB", 2835, 2835, 1)))
    seed("metadata", "png-raw-profile", b"\0" + piece(1, b"name\0\0broken") + piece(6, struct.pack(">I", 45455)))
    seed("metadata", "png-text", b"\0" + piece(4, b"Comment\0hello") + piece(5, b"k\0\0x") + piece(11, b"own"))
    xmp, keyword = b"<x:xmpmeta/>", b"XML:com.adobe.xmp\0"
    for end in (b"", b"\0"):  # written as JPEG and as PNG
        name = str(len(end))
        seed("metadata", f"png-xmp-{name}", b"\0" + piece(12, keyword + b"\0\0\0\0" + xmp + end))
        seed("metadata", f"png-xmp-zlib-{name}", b"\0" + piece(12, keyword + b"\1\0\0\0" + zlib.compress(xmp + end)))
        seed("metadata", f"jpeg-xmp-{name}", b"\1" + piece(9, xmp + end))
        colour = piece(13, b"\1\15\0\1") + piece(8, b"\0")
        seed("metadata", f"png-colour-{name}", b"\0" + colour + piece(4, b"k\0" + end))
        seed("metadata", f"png-suggested-{name}", b"\0" + piece(14, b"n\0\10") + piece(15, bytes(999) + end))
        seed("metadata", f"jpeg-exif-own-{name}", b"\1" + piece(1, exif("<", 8) + b"thumbnail" + end))
    seed("metadata", "jpeg-profile", b"\1" + piece(2, b"\2\2" + profile[64:]) + piece(2, b"\1\2" + profile[:64]))
    seed("metadata", "jpeg-profile-gap", b"\1" + piece(2, b"\1\3" + profile) + piece(2, b"\3\3" + profile))
    seed("metadata", "jpeg-density", b"\1" + piece(0, struct.pack(">HBHHBB", 0x0102, 1, 300, 300, 0, 0)))
    seed("metadata", "jpeg-new-jfif", b"\1" + piece(0, struct.pack(">HBHHBB", 0x0201, 2, 118, 118, 0, 0)))
    seed("metadata", "jpeg-comment-fill", b"\1" + piece(8, b"x") + piece(6, b"a comment") + piece(7, b"8BIM"))


# ---- encoders, the C interface, box filters: see the targets' takes -----------------------------------------------

def encoders():
    for kind, channels in itertools.product(range(3), range(4)):
        samples = struct.pack("<6f", 0, 1, 0.5, 100, 1e-3, 7) if kind == 2 else bytes(range(64))
        head = bytes([kind, channels, 8, 6, 90, 1, channels * 2]) + struct.pack("<II", 2835 * 16, 5905 * 16)
        seed("encode", f"{'u8 u16 f32'.split()[kind]}-{channels + 1}", head + bytes([4]) + b"icc!" + samples)


def interface():
    for sample, accum, layout in itertools.product(range(5), range(7), range(3)):
        spec = bytes([4, 6, 4, sample % 4, sample, accum, layout, 0, 1, 255])
        run = bytes([4, 1, 2, 3, 4, 0, 0, 1, 3, 0, 3, 4, 5, 4, 4, 5, 3, 2, 1, 2, 9, 9, 2])
        if (sample + accum + layout) % 3 == 0:
            seed("api", f"table-{sample}{accum}{layout}", spec + run + bytes(range(40)))
    for name, image, table in (("rows", (4, 3), (15,)), ("address", (1, 1), (15,)), ("height", (15,), (6, 3)),
                               ("type", (15,), (8, 2)), ("none", (0,), (15,)), ("same", (15,), (2,)),
                               ("tall", (6, 9), (6, 10))):
        spec = bytes([4, 6, 4, 0, 1, 1, 0, 0, 1, 255])
        seed("api", f"wrong-{name}", spec + bytes([3, 1, 2, 3, 4, 3, *image, *table]) + bytes(range(20)))
    for sample, layout, clip in itertools.product((0, 2), range(3), range(2)):
        spec = bytes([4, 6, 4, 0, sample, 1, layout, 0, 1, 255])
        run = bytes([3, 1, 2, 3, 4, 0, 1, 2, clip, 2, 2, 2, 2, 3, 3, 4, 2])
        seed("api", f"ask-{sample}{layout}{clip}", spec + run + bytes(range(20)))
    for sample, accum in itertools.product((1, 2, 3, 4, 6), (0, 3, 4)):
        seed("api", f"scan-{sample}{accum}", bytes([0, 0, 0, 40, sample, accum, 1, 0]) + bytes(range(30)))
    seed("api", "quant", bytes([1, 8, 20, 99]))
    seed("api", "sizes", bytes([2, 9, 100, 3, 2]) + b"inclusive\0")
    seed("api", "devices", bytes([3, 1, 1]))
    for border, sample in itertools.product(range(7), range(3)):
        spec = bytes([9, 6, border % 4, sample, border + 2, 4, border, 1, 2, 3, 4, border % 2, 0, 1, 255])
        if border < 5 or border == 6:
            spec = bytes([9, 6, border % 4, sample, border + 2, 4, border, border % 2, 0, 1, 255])
        seed("box", f"{border}-{sample}", spec + bytes([1, 2, 3, 4, 0, 0]) + bytes(range(1, 40)))
    for border, sample in itertools.product(range(7), range(8)):
        sigmas = bytes([0, 9 + 14 * sample]), bytes([0, 70])
        mode, values = (border + sample) % 3, bytes([1, 2, 3, 4] if border == 5 else [])
        spec = bytes([9, 6, border % 4, sample]) + sigmas[0] + bytes([border, border % 2, mode, 10]) + sigmas[1]
        rest = bytes([1, 0]) + values + bytes([31, 1, 2, 3, 4, 0, 0]) + bytes(range(1, 40))
        seed("gauss", f"{border}-{sample}", spec + rest)


def windows():
    for border, sample, name in itertools.product(range(7), range(8), range(3)):
        spec = bytes([9, 6, (border + name) % 4, sample, border + 2, 4, border, 0, 2, border % 2, sample % 2, name % 2,
                      name % 2, 40, name, 0])
        outputs = bytes([name, name % 3, 0, 0, (name + 1) % 3, 1, 0, 0, (sample + 3) % 14, 0, 0, 0])
        if (border + sample + name) % 4 == 0:
            seed("window", f"{border}-{sample}-{name}",
                 spec + outputs + bytes([255] * 5) + bytes([1, 2, 3, 4, 5, 6, 0, 0]) + bytes(range(1, 60)))
    # mean, var and sum in f64 of large and masked windows where a share must count: 28 of 100 pixels, 38.64 of 552, and
    # half of 552 with border constant
    for sample, (share, side, border) in itertools.product(range(8), ((28, 10, 0), (7, 23, 0), (50, 23, 5))):
        spec = bytes([19, 7, 0, sample, side - 1, side - (side == 10), border])
        spec += bytes([0, 2, 1, 0, 0, share % 3, 40, 128 + share, 0])
        outputs = bytes([1, 1, 0, 0, 2, 1, 0, 0, 4, 1, 0, 0])
        views = bytes([255] * (5 if border == 5 else 1)) + bytes(12 if sample in (2, 7) else 11)
        seed("window", f"share-{sample}-{share}", spec + outputs + views + bytes([230]) + bytes(range(1, 60)))


def counted():
    for sample, power, masked in itertools.product(range(8), range(3), range(2)):
        spec = bytes([11, 5, (sample + power) % 4, sample, 0, (sample + masked) % 3, power])
        spec += bytes([masked, sample % 2, 1 - masked, 3, power % 2, 9])
        seed("counted", f"{sample}-{power}-{masked}", spec + bytes(12) + bytes([2, 1, 5, 3]) + bytes(range(1, 60)))


def rects():
    for sample, masked, real in itertools.product(range(8), range(2), range(2)):
        views = bytes([11, 5, masked + 2 * real, sample, 1, 2, 9, 3])
        rect = bytes([real, 3, 2, 9, 5] + [3, 5, 2, 4] * real)
        ask = bytes([90, 1, 0, 0, 1, 1, 1, 0, 0, 0])
        seed("rects", f"{sample}-{masked}-{real}", bytes([masked]) + views + rect + ask + bytes(range(1, 60)))


def operations():
    draw = random.Random(1)
    for i in range(120):
        seed("operation", str(i), bytes([i % 12]) + draw.randbytes(160))


# ---- samples alone ----------------------------------------------------------------------------------------

def raws():
    for text, behind in [("3x5:u8", 0), ("7x5:u16be:3", 0), ("5x4:f32le:4@9", 20), ("2x2:i32be@0", 3),
                         ("9x9:f64be:2", 0)]:
        sides, kind = text.split("@")[0].split(":")[:2]
        width, height = map(int, sides.split("x"))
        channels = int(text.split("@")[0].split(":")[2]) if text.count(":") == 2 else 1
        offset = int(text.split("@")[1]) if "@" in text else 0
        size = offset + width * height * channels * int(kind.strip("uifbel")) // 8 + behind
        seed("rows", f"raw-{text.replace(':', '-').replace('@', '-at-')}",
             text.encode() + b"\n" + bytes(i * 37 % 251 for i in range(size)))


tables()
moments()
marked_arrays()
texts()
metadata()
encoders()
interface()
windows()
counted()
rects()
operations()
raws()
