"""The pixels of a TIFF, from the samples that `tifffile` gives, by the rules that `sat` documents: samples of fewer
bits are scaled to the whole range of 8 or 16, a palette becomes RGB of 8 bits, where 0 is white colours are inverted,
colours are divided by an alpha that they were multiplied with, and extra samples are left out but for the first that is
called alpha.  As in the specification, written from it and not from src/io."""
import numpy as np
import tifffile

JPEG = tifffile.COMPRESSION.JPEG
PHOTOMETRIC = tifffile.PHOTOMETRIC
EXTRASAMPLE = tifffile.EXTRASAMPLE
ALPHA = (EXTRASAMPLE.ASSOCALPHA, EXTRASAMPLE.UNASSALPHA)
COLOURS = {PHOTOMETRIC.MINISWHITE: 1, PHOTOMETRIC.MINISBLACK: 1, PHOTOMETRIC.RGB: 3, PHOTOMETRIC.PALETTE: 1,
           PHOTOMETRIC.YCBCR: 3}


def rows_columns_samples(page):
    """The first picture's samples as they are stored; ValueError for volumes."""
    samples = page.asarray()
    if page.imagedepth != 1:
        raise ValueError("a volume")
    if page.planarconfig == tifffile.PLANARCONFIG.SEPARATE and page.samplesperpixel > 1:
        samples = np.moveaxis(samples, 0, -1)
    return samples.reshape(page.imagelength, page.imagewidth, page.samplesperpixel)


def whole_range(samples, bits):
    """Shares of 2^bits - 1, as the nearest of 255 or 65535."""
    if samples.dtype.kind not in "bu" or bits in (8, 16, 32, 64):
        return samples
    if not 1 <= bits < 16:
        raise ValueError(f"{bits} bits")
    most, kind = (255, "u1") if bits < 8 else (65535, "u2")
    return np.floor(samples.astype("f8") * most / (2**bits - 1) + 0.5).astype(kind)


def palette_colours(page, samples):
    """The higher byte of 16 bits, unless none is used: old files have entries of 8."""
    colours = np.asarray(page.colormap)
    colours = (colours >> 8 if colours.max() > 255 else colours).astype("u1")
    return np.moveaxis(colours[:, samples[..., 0].astype("i8")], 0, -1)


def divided(colours, alpha):
    """Colours that are multiplied by alpha / range, to the nearest; none where alpha is 0."""
    if colours.dtype.kind == "f":
        return np.divide(colours, alpha, out=np.zeros_like(colours), where=alpha != 0)
    most = np.iinfo(colours.dtype).max
    # integers of Python, so that products of 32 bits do not round
    wide, by = colours.astype(object), np.where(alpha == 0, 1, alpha).astype(object)
    quotient = np.minimum((wide * int(most) + by // 2) // by, int(most))
    return np.where(alpha == 0, 0, quotient).astype(colours.dtype)


def decode(path):
    """Rows, columns, channels."""
    with tifffile.TiffFile(path) as file:
        page = file.pages[0]
        if page.photometric not in COLOURS:
            raise ValueError(f"photometric interpretation {page.photometric}")
        if page.photometric == PHOTOMETRIC.YCBCR and page.compression != JPEG:
            raise ValueError("YCbCr")
        samples = rows_columns_samples(page)
        if page.photometric == PHOTOMETRIC.PALETTE:
            return palette_colours(page, samples)
        samples = whole_range(samples, page.bitspersample)
        count = COLOURS[page.photometric]
        colours, kinds = samples[..., :count], page.extrasamples
        if page.photometric == PHOTOMETRIC.MINISWHITE:
            colours = np.iinfo(colours.dtype).max - colours
        at = next((i for i, kind in enumerate(kinds) if kind in ALPHA), None)
        if at is None:
            return colours
        alpha = samples[..., count + at:count + at + 1]
        return np.concatenate([divided(colours, alpha) if kinds[at] == EXTRASAMPLE.ASSOCALPHA else colours, alpha], 2)


def first_picture(path):
    """The file with its first picture alone: no directory follows the first."""
    with tifffile.TiffFile(path) as file, open(path, "rb") as whole:
        page, tiff = file.pages[0], file.tiff
        data = bytearray(whole.read())
        entries = int.from_bytes(data[page.offset:page.offset + tiff.tagnosize],
                                 "little" if tiff.byteorder == "<" else "big")
        at = page.offset + tiff.tagnosize + entries * tiff.tagsize
        data[at:at + tiff.offsetsize] = bytes(tiff.offsetsize)
    return data


def is_lossy(path):
    """Do two decoders of the same file round differently?"""
    with tifffile.TiffFile(path) as file:
        return file.pages[0].compression == JPEG
