"""TIFFs as GDAL and others write them, made without libtiff: little-endian, in strips or tiles, not compressed."""
import struct

import numpy as np

FORMAT = {"u": 1, "i": 2, "f": 3}


def blocks(pixels, tile, rows, planar):
    """The bytes of each block: plane by plane, from the top left; tiles are filled up with zeros."""
    height, width, channels = pixels.shape
    tall, wide = (tile, tile) if tile else (rows, width)
    for part in [pixels[:, :, c:c + 1] for c in range(channels)] if planar else [pixels]:
        for y in range(0, height, tall):
            for x in range(0, width, wide):
                block = part[y:y + tall, x:x + wide]
                if tile:
                    block = np.pad(block, ((0, tall - block.shape[0]), (0, wide - block.shape[1]), (0, 0)))
                yield block.astype(block.dtype.newbyteorder("<")).tobytes()


def tiff(*pages, then=0):
    """The bytes of a file of pages, each a dict: pixels (H, W) or (H, W, C); tile, the side of tiles, or rows of a
    strip; planar; missing, the numbers of blocks that are left out, or "all"; nodata, GDAL's text; tags, of numbers.
    then: where the last directory says that another one is."""
    out = bytearray(b"II*\0\0\0\0\0")
    last = 4  # where the offset of the next directory belongs
    for page in pages:
        pixels = np.atleast_3d(page["pixels"])
        height, width, channels = pixels.shape
        tile, planar = page.get("tile"), page.get("planar", False)
        rows = page.get("rows", height)
        offsets, sizes = [], []
        for i, block in enumerate(blocks(pixels, tile, rows, planar)):
            lacks = page.get("missing") == "all" or i in page.get("missing", ())
            offsets.append(0 if lacks else len(out))
            sizes.append(0 if lacks else len(block))
            out += b"" if lacks else block
        bits = 8 * pixels.dtype.itemsize
        tags = {256: width, 257: height, 258: [bits] * channels, 259: 1, 262: 2 if channels >= 3 else 1, 277: channels,
                284: 2 if planar else 1, 339: [FORMAT[pixels.dtype.kind]] * channels}
        tags.update({322: tile, 323: tile, 324: offsets, 325: sizes} if tile else {273: offsets, 278: rows, 279: sizes})
        if page.get("nodata"):
            tags[42113] = page["nodata"].encode() + b"\0"
        tags.update(page.get("tags", {}))
        out += b"\0" * (len(out) % 2)
        out[last:last + 4] = struct.pack("<I", len(out))
        at = len(out) + 2 + 12 * len(tags) + 4
        directory, behind = struct.pack("<H", len(tags)), b""
        for tag, value in sorted(tags.items()):
            if isinstance(value, bytes):
                kind, count, data = 2, len(value), value
            else:
                values = value if isinstance(value, list) else [value]
                kind, count, data = 4, len(values), struct.pack(f"<{len(values)}I", *values)
            if len(data) > 4:
                directory += struct.pack("<HHII", tag, kind, count, at + len(behind))
                behind += data + b"\0" * (len(data) % 2)
            else:
                directory += struct.pack("<HHI", tag, kind, count) + data.ljust(4, b"\0")
        last = len(out) + len(directory)
        out += directory + b"\0\0\0\0" + behind
    out[last:last + 4] = struct.pack("<I", then)
    return bytes(out)
