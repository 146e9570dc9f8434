#!/usr/bin/env python3
"""TIFFs as GDAL and others write them, in every command: blocks that are not in the file; texts of the value for no
data; a palette with alpha; a page behind the end of the file; masks."""
import json
import os

import numpy as np

from satlib import TYPES, Tap, in_parallel, run_sat, scratch
from tiffs import tiff


def ran(*args):
    status, out, said = run_sat(*args)
    assert status == 0 and not said, (args, said)
    return out.decode()


def answers(*args):
    """The first line of answers, as numbers."""
    return [float(v) for v in ran(*args).splitlines()[1].split(",")]


def sparse_case(dtype, tile, planar, missing, nodata):
    """A sparse file against the same file with all blocks, in which the missing ones are written."""
    rng = np.random.default_rng([len(missing), planar, bool(tile)])
    pixels = rng.integers(1, 100, (70, 90, 3 if planar else 1)).astype(dtype)
    value = float(nodata or 0)
    wide = np.float64(value) if value == value or np.dtype(dtype).kind == "f" else 0.0
    if np.dtype(dtype).kind != "f":
        wide = np.clip(wide, np.iinfo(dtype).min, np.iinfo(dtype).max)
    across, down, tall, side = (3, 3, 32, 32) if tile else (1, 5, 16, 90)
    for block in range(across * down * pixels.shape[2]) if missing == "all" else missing:
        plane, at = divmod(block, across * down)
        y, x = at // across * tall, at % across * side
        pixels[y:y + tall, x:x + side, plane] = wide
    common = {"pixels": pixels, "tile": 32 if tile else None, "rows": 16, "planar": planar}
    if nodata:
        common["nodata"] = nodata
    return tiff({**common, "missing": missing}), tiff(common)


def check_sparse(dir, index, dtype, tile, planar, missing, nodata):
    names = [os.path.join(dir, f"{index}-{name}.tif") for name in ("sparse", "whole")]
    for name, data in zip(names, sparse_case(dtype, tile, planar, missing, nodata)):
        with open(name, "wb") as file:
            file.write(data)
    problems = []
    out = os.path.join(dir, f"{index}.npy")
    gray = os.path.join(dir, f"{index}-gray.npy")
    np.save(gray, np.ones((70, 90), np.uint8))
    commands = [
        ["IMAGE", "--box", 5, "-o", out],
        ["IMAGE", "--box", 5, "-q", "--rows", "10:50", "--result", "f32", "-o", out],
        ["IMAGE", "--box", 7, "-q", "--stat", "std", "-o", out],
        ["IMAGE", "--gauss", 2, "-q", "-o", out],
        ["IMAGE", "-q", "-o", out],
        ["IMAGE", "-q", "--moments", "0,1", "-o", out],
        ["query", "-q", "IMAGE", "--grid", "4x3", "--stat", "mean,count,std"],
        ["query", "-q", "IMAGE", "--rect", "3,3,60,50", "--stat", "sum,count", "--nodata", "none"],
        ["IMAGE", "-q", "--mean", "0,0,90,70"],
        [gray, "--as", "image", "--box", 5, "-q", "--mask", "IMAGE", "-o", out],
    ]
    for command in commands:
        results = []
        for name in names:
            status, text, said = run_sat(*[name if word == "IMAGE" else word for word in command])
            if status == 0 and out in command:
                with open(out, "rb") as file:
                    text += file.read()
            results.append((status, text, said.replace(name, "")))
        if results[0] != results[1] or (results[0][0] != 0 and "--mask" not in command):
            problems.append(f"{dtype} {tile} {planar} {missing} {nodata} {command}: {results[0][2]}; {results[1][2]}")
    told = json.loads(ran("info", "--json", names[0]))
    blocks = (9 if tile else 5) * (3 if planar else 1)
    lacking = blocks if missing == "all" else len(missing)
    if told.get("blocks") != blocks or told.get("missing_blocks") != lacking:
        problems.append(f"info: {told}")
    status, _, said = run_sat("info", "--strict", names[0])
    if status != 1 or "is not in the file" not in said or run_sat("info", "--strict", names[1])[0] != 0:
        problems.append(f"--strict: {status}, {said}")
    if "missing_blocks" in json.loads(ran("info", "--json", names[1])):
        problems.append("info of the whole file")
    return problems


def nodata_texts(dir):
    """Texts of GDAL's tag, as GDAL 3.10 reads them (rasterio 1.4), and how many of 65535, 0, 3 it counts."""
    blanks = ["65535", "65535\n", "65535\t", " 65535 \r\n"]
    for text in [*blanks, "65535 65535", "65535,0", "65535.0abc", "6.5535e4", "+65535", ""]:
        for dtype in ("u2", "f4", "f8"):
            yield repr(text), np.array([[65535, 0, 3]], dtype), text, 2 if text else 3, ""
    for text in ("abc", "0xFFFF", "-"):
        yield text, np.array([[65535, 0, 3]], "u2"), text, 3, "which is no number"
    lowest = np.finfo("f4").min
    for text in ("-3.402823e+38", "-3.40282e+38", "-3.4028234663852886e+38"):
        yield f"the lowest f32 as {text}", np.array([[lowest, 1, 2]], "f4"), text, 2, ""
    steps = np.arange(-20, 21, dtype="f4")[None] * np.spacing(np.float32(1000))
    near = np.float32(1000.123) + steps
    yield "1000.123 and its neighbours, of which GDAL takes 15 for it", near, "1000.123", 41 - 15, ""
    yield "the lowest f32 in f64", np.array([[lowest, 1, 2]], "f8"), "-3.40282346638529e+38", 2, ""
    yield "an f32 in f64", np.array([[np.float32(-9999.9), -9999.9, -9999.8]], "f8"), "-9999.9", 1, ""
    yield "an infinity in f32", np.array([[-np.inf, 1, 2]], "f4"), "-1.7976931348623157e+308", 2, ""
    yield "1000.125, which is an f32: itself alone", np.float32(1000.125) + steps, "1000.125", 40, ""


def check_nodata(dir, pixels, text, count, words):
    path = os.path.join(dir, "nodata.tif")
    with open(path, "wb") as file:
        file.write(tiff({"pixels": pixels, "nodata": text}))
    height, width = pixels.shape
    status, said, error = run_sat("query", path, "--rect", f"0,0,{width},{height}", "--stat", "count")
    got = said.split(b",")[-1].strip()
    right = status == 0 and got == b"%d" % count and words in error and bool(words) == bool(error)
    problems = [] if right else [f"{got}, {error}"]
    if words:
        status, _, error = run_sat("query", path, "--strict", "--rect", f"0,0,{width},{height}", "--stat", "count")
        if status != 1 or words not in error:
            problems.append(f"--strict: {status}, {error}")
    # No sample is changed where the value is not used.
    copy = os.path.join(dir, "copy.npy")
    status, _, error = run_sat(path, "--box", "1", "--nodata", "none", "-o", copy)
    if status != 0 or not np.array_equal(np.load(copy), pixels):
        problems.append(f"--nodata none changes samples: {error}")
    return problems


def stored(dir, data, *more):
    """The samples that a filter of one pixel writes, and what it says."""
    path, out = os.path.join(dir, "stored.tif"), os.path.join(dir, "stored.npy")
    with open(path, "wb") as file:
        file.write(data)
    status, _, said = run_sat(path, "--box", "1", *more, "-o", out)
    return (np.load(out) if status == 0 else None), said


def check_palette(dir, tile, missing):
    """Indices and alpha become RGBA, by Pillow's rule: the high byte of each colour."""
    rng = np.random.default_rng(5)
    pixels = rng.integers(0, 256, (40, 50, 2)).astype("u1")
    colours = rng.integers(0, 65536, (3, 256))
    tags = {262: 3, 320: [int(v) for v in colours.ravel()], 338: 2}
    got, said = stored(dir, tiff({"pixels": pixels, "tile": tile, "rows": 7, "tags": tags, "missing": missing}),
                       "--alpha", "straight")
    for block in missing:
        pixels[block * 7:block * 7 + 7] = 0
    want = np.concatenate([(colours >> 8).T[pixels[..., 0]], pixels[..., 1:]], 2)
    return [] if got is not None and np.array_equal(got, want) else [said]


def check_next(dir):
    """A directory that lies behind the end of the file does not hide the first page."""
    pixels = np.arange(60, dtype="u1").reshape(6, 10)
    problems = []
    for then in (100000, 2**32 - 1):
        data = tiff({"pixels": pixels}, then=then)
        got, said = stored(dir, data)
        if got is None or not np.array_equal(got, pixels) or "the file ends before its next page" not in said:
            problems.append(f"{then}: {said}")
        for more in ([], ["--page", "0"]):
            got, said = stored(dir, data, "--strict", *more)
            if got is not None or "truncated" not in said:
                problems.append(f"{then}, --strict {more}: {said}")
        path = os.path.join(dir, "stored.tif")
        if "the file ends before" not in ran("info", path) or run_sat("info", "--strict", path)[0] != 1:
            problems.append("info")
    return problems


def mask_page(counts, bits, tile, subfile=4):
    """A page that GDAL takes for the mask of the first."""
    height, width = counts.shape
    if bits == 8:
        return {"pixels": counts.astype("u1") * 255, "tile": tile, "rows": 9, "tags": {254: subfile, 262: 4}}
    packed = np.packbits(counts, axis=1)
    return {"pixels": packed, "rows": 9, "tags": {254: subfile, 256: width, 258: 1, 262: 4}}


def check_mask(dir, index, dtype, how, bits, tile, planar, nodata):
    """Each command with an image's own mask gives what it gives with --mask, and --mask is added to it."""
    rng = np.random.default_rng([9, index])
    pixels = rng.integers(1, 9, (50, 60, 3 if planar else 1)).astype(dtype)
    counts, more = rng.random((50, 60)) > 0.4, rng.random((50, 60)) > 0.5
    path, bare, mask, added, both = (os.path.join(dir, f"{index}-{name}") for name in (
        "own.tif", "bare.tif", "mask.npy", "more.npy", "both.npy"))
    image = {"pixels": pixels, "tile": tile, "rows": 16, "planar": planar}
    page = mask_page(counts, bits, tile)
    value = {"nodata": "7"} if nodata else {}  # says nothing beside a mask
    overview = {"pixels": pixels[::2, ::2], "planar": planar, "tags": {254: 1}}
    pages = {"page": [page], "behind": [overview, mask_page(counts[::2, ::2], 8, None, 5), page]}.get(how, [])
    files = {path: tiff({**image, **value}, *pages), bare: tiff(image)}
    if how == "msk":
        files[path + ".msk"] = tiff({**page, "tags": {256: 60, 258: 1} if bits == 1 else {}})
    for name, data in files.items():
        with open(name, "wb") as file:
            file.write(data)
    np.save(mask, counts)
    np.save(added, more)
    np.save(both, counts & more)
    out, problems = os.path.join(dir, f"{index}.npy"), []
    for command in (["--box", 5, "-o", out], ["--stat", "mean", "--box", 7, "-o", out], ["--gauss", 2, "-o", out],
                    ["--box", 5, "--rows", "10:30", "-o", out], ["-o", out], ["--mean", "3,4,20,30"],
                    ["--threshold", "sauvola", "--box", 9, "-o", out] if not planar else ["--mean", "0,0,1,1"],
                    ["query", "--grid", "7x9", "--stat", "mean,count,std"], ["query", "--rect", "1,2,50,40"]):
        for with_mask, other in (([], mask), (["--mask", added], both)):
            results = []
            for given in ([path, *with_mask], [bare, "--mask", other]):
                words = [command[0], *given, *command[1:]] if command[0] == "query" else [*given, *command]
                status, text, said = run_sat(*words, "-q")
                if status == 0 and out in command:
                    with open(out, "rb") as file:
                        text += file.read()
                results.append((status, text, said.replace(given[0], "")))
            if results[0] != results[1] or results[0][0] != 0:
                problems.append(f"{dtype} {how} {bits} {command} {with_mask}: {results[0][2]}; {results[1][2]}")
    if answers("query", path, "--nodata", "none", "--rect", "0,0,60,50", "--stat", "count")[-1] != 3000:
        problems.append("--nodata none")
    _, _, said = run_sat(path, "-v", "--box", "3", "-o", out)
    if f"{index}-own.tif.msk says which" not in said and "is the mask that says which" not in said:
        problems.append(f"-v: {said}")
    if how != "msk":
        told = json.loads(ran("info", "--json", path))
        if told.get("mask_page") != len(pages):
            problems.append(f"info: {told}")
        with open(path, "rb") as file:
            _, _, said = run_sat("-", "--box", "3", "-o", out, stdin=file)
        if f"its mask, page {len(pages)}, is not read from a pipe" not in said:
            problems.append(f"a pipe: {said}")
        status, _, said = run_sat(path, "--page", len(pages), "--box", "1", "-o", out)
        if status != 0 or not np.array_equal(np.load(out), counts * np.uint8(255)):
            problems.append(f"--page: {said}")
    return problems


def check_odd_masks(dir):
    """A mask of another size is an error; a file of a mask alone is read as a picture, and as --mask."""
    path, alone = os.path.join(dir, "odd.tif"), os.path.join(dir, "alone.tif")
    pixels, counts = np.ones((6, 8), "u1"), np.arange(48).reshape(6, 8) % 3 > 0
    with open(path, "wb") as file:
        file.write(tiff({"pixels": pixels}))
    with open(alone, "wb") as file:
        file.write(tiff(mask_page(counts, 8, None)))
    problems = []
    got = answers("query", path, "--mask", alone, "--rect", "0,0,8,6", "--stat", "count")[-1]
    if got != counts.sum():
        problems.append(f"--mask of a mask page alone: {got}")
    small = tiff({"pixels": pixels[:, :5]})
    for data, words in ((small, "5x6 px, where the image has 8x6"), (b"text", "not an image")):
        with open(path + ".msk", "wb") as file:
            file.write(data)
        for command in ([path, "--box", "3", "-o", os.path.join(dir, "o.npy")], ["query", path, "--rect", "0,0,1,1"]):
            status, _, said = run_sat(*command)
            if status != 1 or f"its mask {path}.msk: " not in said or words not in said:
                problems.append(f"{command}: {said}")
    return problems


def main():
    tap = Tap()
    with scratch() as dir:
        cases, types = [], [dtype for name, dtype in TYPES.items() if name not in ("u64", "i64")]
        for index in range(24):
            how, tile = ("page", "behind", "msk")[index % 3], 16 if index % 5 == 0 else None
            bits, planar, nodata = 1 if index % 2 and not tile else 8, index % 4 == 3, index % 6 == 5
            cases.append((index, types[index % 8], how, bits, tile, planar, nodata))
        found = in_parallel(lambda case: check_mask(dir, *case), cases)
        tap.report("an image's own mask is used as --mask is, which is added to it", sum(found, []), len(cases))
        tap.report("masks of other sizes, of no image, and alone", check_odd_masks(dir))
        fills = ("1.#QNAN", np.nan), ("-1.#IND", np.nan), ("1.#INF", np.inf), ("0x7", 0), ("-1e300", -np.inf)
        for text, value in fills:
            data = tiff({"pixels": np.ones((20, 24), "f4"), "rows": 5, "missing": (1,), "nodata": text})
            got, said = stored(dir, data, "-q", "--nodata", "none")
            right = got is not None and np.array_equal(got[5:10], np.full((5, 24), value, "f4"), equal_nan=True)
            tap.report(f"missing strips of {text}", [] if right else [said])
        for tile, missing in ((None, ()), (16, ()), (None, (1, 3))):
            name = f"a palette with alpha, {tile or 'strips'}, {len(missing)} missing"
            tap.report(name, check_palette(dir, tile, missing))
        tap.report("a next page behind the end of the file", check_next(dir))
        scale = b"".join(b'<Item name="x" sample="0" role="%s">3</Item>' % role for role in (b"scale", b"offset"))
        for photometric in (0, 1):
            path, out = os.path.join(dir, "scale.tif"), os.path.join(dir, "out.tif")
            tags = {262: photometric, 42112: b"<GDALMetadata>" + scale + b"</GDALMetadata>\0"}
            with open(path, "wb") as file:
                file.write(tiff({"pixels": np.ones((20, 24), "u1"), "tags": tags}))
            status, _, said = run_sat(path, "--box", "3", "-o", out)
            with open(out, "rb") as file:
                kept = b'role="scale"' in file.read()
            line = "its scale and offset are of stored samples, and are not kept" in said
            right = status == 0 and kept == (photometric == 1) and line == (photometric == 0)
            tap.report(f"scale and offset where 0 is {('white', 'black')[photometric]}", [] if right else [said])
        for dtype, tile in (("u1", None), ("<f4", None), ("<u2", 16)):
            pixels = np.arange(24 * 32, dtype=dtype).reshape(24, 32)
            sizes = {325 if tile else 279: [10**9] * (4 if tile else 3)}
            got, said = stored(dir, tiff({"pixels": pixels, "rows": 8, "tile": tile, "tags": sizes}))
            right = got is not None and np.array_equal(got, pixels)
            tap.report(f"blocks of {dtype} whose sizes are too large", [] if right else [said])
        tiles = np.full((128, 128), 100, np.uint8)
        for nodata, more, mean, count in (("", [], 25, 16384), ("7", [], 100, 4096), ("nan", [], 25, 16384),
                                          ("7", ["--nodata", "none"], 30.25, 16384)):
            path = os.path.join(dir, f"{nodata}{len(more)}.tif")
            with open(path, "wb") as file:
                file.write(tiff({"pixels": tiles, "tile": 64, "missing": (0, 1, 2), "nodata": nodata}))
            got = answers("query", "-q", path, "--rect", "0,0,128,128", "--stat", "mean,count", *more)[4:]
            name = " ".join(["one tile of four, no data", repr(nodata), *more])
            tap.report(name, [] if got == [mean, count] else [str(got)])
        floats = os.path.join(dir, "nan.tif")
        with open(floats, "wb") as file:
            file.write(tiff({"pixels": tiles.astype("f4"), "tile": 64, "missing": (0, 1, 2), "nodata": "nan"}))
        got = answers("query", floats, "--rect", "0,0,128,128", "--stat", "mean,count")[4:]
        tap.report("of floats, NaN", [] if got == [100, 4096] else [str(got)])

        cases = []
        types = [dtype for name, dtype in TYPES.items() if name not in ("u64", "i64")]
        for index, dtype in enumerate(types):
            for tile in (False, True):
                planar = bool((index + tile) % 2)
                for i, missing in enumerate(((0,), (1, 3), "all")):
                    texts = (None, "7", "nan" if np.dtype(dtype).kind == "f" else "-9999")
                    cases.append((dtype, tile, planar, missing, texts[(index + tile + i) % 3]))
        found = in_parallel(lambda case: check_sparse(dir, *case), [(i, *case) for i, case in enumerate(cases)])
        tap.report("sparse files are read as the same files with all blocks", sum(found, []), len(cases))
        for name, *case in nodata_texts(dir):
            tap.report(f"no data {name}, {case[0].dtype}", check_nodata(dir, *case))
    tap.finish()


if __name__ == "__main__":
    main()
