#!/usr/bin/env python3
"""corpora.py DIR - decodes every file under DIR with `sat` and with independent decoders, Pillow and OpenCV, and
compares the samples.  Exit status 1 if `sat` crashed, gave other samples than all of them, or refused unclearly.

A TIFF is compared with what tifffile gives: type, channels and samples; with the others only if that cannot read it,
or gives something else.  One of several pictures, which `sat` refuses, is tried again with its first picture alone, and
counted as "tiff page".

Samples come out of `sat` as a .npy of windows of 1x1 px, each channel by itself.  A file is

    equal      the same samples as one of the decoders at least, within the tolerance of its format
    different  other samples than each decoder that reads it; of a TIFF: than tifffile
    alone      read by `sat`, and by none of them in a form that can be compared
    refused    by `sat`, in words; those that a decoder reads are listed, and counts of each class of reasons
    unclear    refused, but not in one line that names the file and gives a reason of a known class
    crashed    ended by a signal, with a status that is none of 0, 1, 2, or not within the time

A decoder that crashes is listed with the file, whatever the outcome.

Tolerances.  JPEG: the standard's accuracy test (IEEE 1180) leaves each sample of an inverse transform 1 off.
R = Y + 1.402 Cr, G = Y - 0.344 Cb - 0.714 Cr, B = Y + 1.772 Cb turn 1 in each into at most 2.772, and the rounding of
two decoders adds 0.5 each: below 3.78, so 3; grey is not converted: 1.  HDR: a mantissa m stands for m or for m + 1/2,
by decoder: half a unit of the shared exponent, at most 1/256 of the pixel's largest sample.  Samples of 5 or 6 bits in
a BMP of 16, and PNM samples of which a decoder keeps 8 bits, are rounded by one and cut by another: 1.  All others: 0.
Where a decoder has 8 bits of a PNG's 16, the higher ones count.  An alpha that only one has, and that is the same
everywhere, is the filling of an unused byte."""
import collections
import glob
import io
import os
import pickle
import re
import signal
import subprocess
import sys
import tempfile

import by_tifffile
import cv2
import numpy as np
import PIL.Image
import tifffile

SAT = os.environ["SAT"]
SECONDS = 30
MAX_PIXELS = 1 << 26
PAGE = "tiff page"
FORMATS = {"png": "png", "jpg": "jpeg", "jpeg": "jpeg", "jpe": "jpeg", "jfif": "jpeg", "bmp": "bmp", "dib": "bmp",
           "pbm": "pnm", "pgm": "pnm", "ppm": "pnm", "pnm": "pnm", "pam": "pam", "pfm": "pfm", "hdr": "hdr",
           "pic": "hdr", "tga": "tga", "tif": "tiff", "tiff": "tiff"}
MAGIC = [(b"\x89PNG\r\n\x1a\n", "png"), (b"\xff\xd8\xff", "jpeg"), (b"BM", "bmp"), (b"P7\n", "pam"),
         (b"PF", "pfm"), (b"Pf", "pfm"), (b"#?", "hdr"),
         (b"II*\0", "tiff"), (b"MM\0*", "tiff"), (b"II+\0", "tiff"),
         (b"MM\0+", "tiff")] + [(b"P%d" % i, "pnm") for i in range(1, 7)]


def format_of(path):
    """By content, else by name; None for what is no image of a format that `sat` has."""
    with open(path, "rb") as file:
        head = file.read(16)
    for magic, name in MAGIC:
        if head.startswith(magic):
            return name
    return FORMATS.get(os.path.splitext(path)[1][1:].lower())


# ---- sat ---------------------------------------------------------------------------------------------------------

# Classes of reasons, by words of `sat`; the first that fits.
SEVERAL = "unsupported: several pictures"
REASONS = [
    ("damaged", r"(corrupt|truncated|malformed)\b"),
    ("too large", r".*(more than --max-|out of memory)"),
    ("no image", r"not an image of a known format|a table, not an image"),
    (SEVERAL, r"a TIFF (of several pictures|of a volume|of more than \d+ directories|that begins)"),
    ("unsupported: compression", r"a TIFF in compression|a JPEG of \d+ bits in a TIFF"),
    ("unsupported: colours", r"a (CMYK )?TIFF(,| of YCbCr| of photometric)"),
    ("unsupported: samples", r"a TIFF of (\d+-bit|[iuf]\d+)\b"),
    ("unsupported: channels", r"a TIFF with a palette"),
    ("unsupported: other", r".*(cannot be read|can be read|big-endian|Fortran order|array of|\.npy of)"),
]


def class_of(reason):
    """None: no class is right."""
    return next((name for name, words in REASONS if re.match(words, reason)), None)


def run_sat(path):
    """Samples, or None and what was said; None and None for a crash, with the status."""
    command = [SAT, os.path.abspath(path), "--box", "1", "--no-orient", "--as", "image", "--max-pixels",
               str(MAX_PIXELS), "-o", "-", "--format", "npy"]
    for alpha in (["--alpha", "straight"], []):
        try:
            done = subprocess.run(command + alpha, capture_output=True, timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return None, None, f"not done in {SECONDS} s"
        if done.returncode != 2:
            break
    said = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode == 0:
        samples = np.load(io.BytesIO(done.stdout))
        return samples.reshape(samples.shape[:2] + (-1,)), said, 0
    if done.returncode not in (1, 2):
        return None, None, f"status {done.returncode}: {said[-300:]}"
    return None, said, 1


# ---- the others ----------------------------------------------------------------------------------------------------

def by_pillow(path):
    with PIL.Image.open(path) as img:
        if img.mode in ("1", "P", "PA") or "transparency" in img.info:
            has_alpha = "transparency" in img.info or img.mode == "PA"
            img = img.convert("L" if img.mode == "1" and not has_alpha else "RGBA" if has_alpha else "RGB")
        if img.mode == "CMYK" or img.mode == "YCbCr":
            img = img.convert("RGB")
        samples = np.array(img)
    if samples.dtype == np.int32:
        samples = samples.astype("u2")
    return samples


def by_opencv(path):
    samples = cv2.imread(path, cv2.IMREAD_UNCHANGED | cv2.IMREAD_IGNORE_ORIENTATION)
    if samples is None:
        raise ValueError("cannot be read")
    if samples.ndim == 3 and format_of(path) != "pam":  # whose channels it leaves in the file's order
        samples = samples[..., [2, 1, 0] + ([3] if samples.shape[2] == 4 else [])]
    return samples


def decoders_of(kind):
    """By name, the one to compare with first."""
    others = {"Pillow": by_pillow, "OpenCV": by_opencv}
    return {"tifffile": by_tifffile.decode, **others} if kind == "tiff" else others


def colours_and_alpha(samples):
    channels = samples.shape[2]
    alpha = samples[..., -1] if channels in (2, 4) else None
    colours = samples[..., :3] if channels > 2 else np.repeat(samples[..., :1], 3, 2)
    return colours, alpha


def tolerance_of(path, kind, ours, theirs):
    if kind == "jpeg":
        return 1 if ours.shape[2] == 1 else 3
    if kind == "tiff" and by_tifffile.is_lossy(path):
        return 1 if ours.shape[2] == 1 else 3
    if kind == "hdr":
        return np.abs(theirs).max(2, keepdims=True) / 256
    if kind == "pnm" and ours.dtype != theirs.dtype:
        return 1
    if kind == "bmp":
        with open(path, "rb") as file:
            return file.read(30)[28:] == b"\x10\0"
    return 0


def difference(path, kind, name, ours, theirs):
    """None if equal, else a line; ValueError if they cannot be compared."""
    if name == "tifffile" and (ours.dtype, ours.shape[2]) != (theirs.dtype, theirs.shape[2]):
        return f"{ours.shape[2]} channels of {ours.dtype}, not {theirs.shape[2]} of {theirs.dtype}"
    if theirs.ndim == 2:
        theirs = theirs[..., None]
    if ours.shape[:2] != theirs.shape[:2]:
        return f"{ours.shape[1]}x{ours.shape[0]} px, not {theirs.shape[1]}x{theirs.shape[0]}"
    tolerance = tolerance_of(path, kind, ours, theirs)
    if ours.dtype == np.uint16 and theirs.dtype == np.uint8:
        ours = (ours >> 8).astype("u1")
    if ours.dtype != theirs.dtype:
        raise ValueError(f"{theirs.dtype} beside {ours.dtype}")
    (a, a_alpha), (b, b_alpha) = colours_and_alpha(ours), colours_and_alpha(theirs)
    if a_alpha is not None and b_alpha is not None:
        a, b = np.dstack([a, a_alpha]), np.dstack([b, b_alpha])
    elif b_alpha is not None and (b_alpha != b_alpha.flat[0]).any():
        return "their alpha is not here"
    a, b = a.astype("f8"), b.astype("f8")
    far = ~((np.abs(a - b) <= tolerance) | (np.isnan(a) & np.isnan(b)) | (a == b))
    if not far.any():
        return None
    y, x = np.argwhere(far.any(2))[0]
    return f"{far.any(2).sum()} px differ, first at ({x},{y}): {a[y, x].tolist()}, not {b[y, x].tolist()}"


def in_child(work):
    """(result of work(), None), or (None, how the child ended) if it did not end by itself: decoders crash, too."""
    here, there = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(here)
        signal.alarm(SECONDS)
        with os.fdopen(there, "wb") as pipe:
            pickle.dump(work(), pipe)
        os._exit(0)
    os.close(there)
    with os.fdopen(here, "rb") as pipe:
        data = pipe.read()
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status != 0:
        return None, f"signal {-status}" if status < 0 else f"status {status}"
    return pickle.loads(data), None


def compare(path, kind, ours):
    """(decoder, None | difference) for each that reads it, and (decoder, how it ended) for each that crashes.  Each has
    a child of its own, so that a crash of one hides nothing of another."""
    found, crashes = [], []
    for name, decode in decoders_of(kind).items():
        if found == [("tifffile", None)] and ours is not None:
            break
        def work(name=name, decode=decode):
            try:
                theirs = decode(path)
                return True, None if ours is None else difference(path, kind, name, ours, theirs)
            except BaseException:  # pylint: disable=broad-except
                return False, None
        result, ended = in_child(work)
        if ended:
            crashes.append((name, ended))
        elif result[0]:
            found.append((name, result[1]))
    return found, crashes


# ---- all files -----------------------------------------------------------------------------------------------------

def reason_of(path, said):
    """Why `sat` refused, and its class; the whole of what it said and None if that is unclear."""
    begin = f"sat: {os.path.abspath(path)}: "
    name = class_of(said.removeprefix(begin))
    if name and said.startswith(begin) and "\n" not in said:
        return said.removeprefix(begin), name
    return repr(said), None


def outcome_of(path, kind):
    """(outcome, line to list or None, class of a refusal or None)"""
    ours, said, status = run_sat(path)
    if said is None:
        return "crashed", status, None
    others, crashes = compare(path, kind, ours)
    why = [f"{name} crashed: {ended}" for name, ended in crashes]
    if ours is None:
        readers = " and ".join(name for name, _ in others)
        reason, name = reason_of(path, said)
        why = ([f"{reason}; read by {readers}"] if readers else [reason] if why or not name else []) + why
        return "refused" if name else "unclear", "; ".join(why) or None, name
    if not others:
        outcome = "alone"
    elif any(text is None for _, text in others) and (others[0][0] != "tifffile" or others[0][1] is None):
        outcome = "equal"
    else:
        outcome, why = "different", [f"{name}: {text or 'the same samples'}" for name, text in others] + why
    return outcome, "; ".join(why) or None, None


def outcomes_of(path, kind):
    """(row of the table, outcome) of the file, and of its first picture if that can be told apart."""
    if not kind:
        return [("other files", ("other", None, None))]
    all_of_it = outcome_of(path, kind)
    if all_of_it[2] != SEVERAL:
        return [(kind, all_of_it)]
    try:
        data = by_tifffile.first_picture(path)
    except (ValueError, OSError, tifffile.TiffFileError):
        return [(kind, all_of_it)]
    with tempfile.NamedTemporaryFile(suffix=".tif") as file:
        file.write(data)
        file.flush()
        return [(kind, all_of_it), (PAGE, outcome_of(file.name, kind))]


def print_table(counts, columns):
    print(f"{'':12}{'files':>10}{'decoded':>10}" + "".join(f"{name:>10}" for name in columns))
    for kind in sorted(counts):
        row = counts[kind]
        decoded = row["equal"] + row["different"] + row["alone"]
        print(f"{kind:12}{sum(row.values()):10}{decoded:10}" + "".join(f"{row[name]:10}" for name in columns))


def main():
    PIL.Image.MAX_IMAGE_PIXELS = MAX_PIXELS
    cv2.setNumThreads(0)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # for the warnings of decoders
    columns = ["equal", "different", "alone", "refused", "unclear", "crashed"]
    counts, classes, listed = collections.defaultdict(collections.Counter), collections.Counter(), []
    paths = sorted(glob.glob(f"{glob.escape(sys.argv[1])}/**", recursive=True, include_hidden=True))
    for path in filter(os.path.isfile, paths):
        kind = format_of(path)
        for row, found in outcomes_of(path, kind):
            outcome, why, name = found
            counts[row][outcome] += 1
            if name:
                classes[row, name] += 1
            if why:
                listed.append((columns.index(outcome), f"{outcome}: {path}{': first page' * (row == PAGE)}: {why}"))
    print_table(counts, columns)
    for (kind, name), count in sorted(classes.items()):
        print(f"refused: {kind}: {name}: {count}")
    for _, line in sorted(listed):
        print(line)
    bad = sum(row["different"] + row["unclear"] + row["crashed"] for row in counts.values())
    files = sum(counts[kind].total() for kind in counts if kind != PAGE)
    print(f"{files} files, {bad} different, unclear or crashed")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
