#!/usr/bin/env python3
"""corpora.py DIR - decodes every file under DIR with `sat` and with independent decoders, Pillow and OpenCV, and
compares the samples.  Exit status 1 if `sat` crashed or gave other samples than all of them.

Samples come out of `sat` as a PAM, or a PFM for floats, of windows of 1x1 px, each channel by itself.  A file is

    equal      the same samples as one of the decoders at least, within the tolerance of its format
    different  other samples than each decoder that reads it
    alone      read by `sat`, and by none of them in a form that can be compared
    refused    by `sat`, in words; those that a decoder reads are listed
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
import os
import pickle
import subprocess
import sys

import cv2
import numpy as np
import PIL.Image

SAT = os.environ["SAT"]
SECONDS = 30
MAX_PIXELS = 1 << 26
FORMATS = {"png": "png", "jpg": "jpeg", "jpeg": "jpeg", "jpe": "jpeg", "jfif": "jpeg", "bmp": "bmp", "dib": "bmp",
           "pbm": "pnm", "pgm": "pnm", "ppm": "pnm", "pnm": "pnm", "pam": "pam", "pfm": "pfm", "hdr": "hdr",
           "pic": "hdr", "tga": "tga"}
MAGIC = [(b"\x89PNG\r\n\x1a\n", "png"), (b"\xff\xd8\xff", "jpeg"), (b"BM", "bmp"), (b"P7\n", "pam"),
         (b"PF", "pfm"), (b"Pf", "pfm"), (b"#?", "hdr")] + [(b"P%d" % i, "pnm") for i in range(1, 7)]


def format_of(path):
    """By content, else by name; None for what is no image of a format that `sat` has."""
    with open(path, "rb") as file:
        head = file.read(16)
    for magic, name in MAGIC:
        if head.startswith(magic):
            return name
    return FORMATS.get(os.path.splitext(path)[1][1:].lower())


# ---- sat ---------------------------------------------------------------------------------------------------------

def read_pam(data):
    """Rows, columns, channels, of u8 or u16."""
    head, _, samples = data.partition(b"ENDHDR\n")
    field = dict(line.split(b" ", 1) for line in head.split(b"\n") if b" " in line)
    shape = int(field[b"HEIGHT"]), int(field[b"WIDTH"]), int(field[b"DEPTH"])
    kind = ">u2" if int(field[b"MAXVAL"]) > 255 else "u1"
    return np.frombuffer(samples, kind).reshape(shape).astype(kind[-2:])


def read_pfm(data):
    kind, width, height, scale = data.split(None, 4)[:4]
    shape = int(height), int(width), 3 if kind == b"PF" else 1
    count = shape[0] * shape[1] * shape[2]
    order = "<" if float(scale) < 0 else ">"
    return np.frombuffer(data[-4 * count:], order + "f4").reshape(shape)[::-1].astype("f4")


def run_sat(path):
    """Samples, or None and what was said; None and None for a crash, with the status."""
    for kind, read in (("pam", read_pam), ("pfm", read_pfm)):
        command = [SAT, os.path.abspath(path), "--box", "1", "--no-orient", "--max-pixels", str(MAX_PIXELS), "-o", "-",
                   "--format", kind]
        for alpha in (["--alpha", "straight"], []):
            try:
                done = subprocess.run(command + alpha, capture_output=True, timeout=SECONDS, check=False)
            except subprocess.TimeoutExpired:
                return None, None, f"not done in {SECONDS} s"
            if done.returncode != 2:
                break
        said = done.stderr.decode("utf-8", "replace").strip()
        if done.returncode == 0:
            return read(done.stdout), said, 0
        if done.returncode not in (1, 2):
            return None, None, f"status {done.returncode}: {said[-300:]}"
        if "PAM holds" not in said:
            break
    return None, said.removeprefix("sat: ").removeprefix(os.path.abspath(path)).removeprefix(": "), 1


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


DECODERS = {"Pillow": by_pillow, "OpenCV": by_opencv}


def colours_and_alpha(samples):
    channels = samples.shape[2]
    alpha = samples[..., -1] if channels in (2, 4) else None
    colours = samples[..., :3] if channels > 2 else np.repeat(samples[..., :1], 3, 2)
    return colours, alpha


def tolerance_of(path, kind, ours, theirs):
    if kind == "jpeg":
        return 1 if ours.shape[2] == 1 else 3
    if kind == "hdr":
        return np.abs(theirs).max(2, keepdims=True) / 256
    if kind == "pnm" and ours.dtype != theirs.dtype:
        return 1
    if kind == "bmp":
        with open(path, "rb") as file:
            return file.read(30)[28:] == b"\x10\0"
    return 0


def difference(path, kind, ours, theirs):
    """None if equal, else a line; ValueError if they cannot be compared."""
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
    for name, decode in DECODERS.items():
        def work(decode=decode):
            try:
                theirs = decode(path)
                return True, None if ours is None else difference(path, kind, ours, theirs)
            except BaseException:  # pylint: disable=broad-except
                return False, None
        result, ended = in_child(work)
        if ended:
            crashes.append((name, ended))
        elif result[0]:
            found.append((name, result[1]))
    return found, crashes


# ---- all files -----------------------------------------------------------------------------------------------------

def outcome_of(path, kind):
    ours, said, status = run_sat(path)
    if said is None:
        return "crashed", status
    others, crashes = compare(path, kind, ours)
    why = [f"{name} crashed: {ended}" for name, ended in crashes]
    if ours is None:
        outcome, readers = "refused", " and ".join(name for name, _ in others)
        why = ([f"{said}; read by {readers}"] if readers else [said] if why else []) + why
    elif not others:
        outcome = "alone"
    elif any(text is None for _, text in others):
        outcome = "equal"
    else:
        outcome, why = "different", [f"{name}: {text}" for name, text in others] + why
    return outcome, "; ".join(why) or None


def main():
    PIL.Image.MAX_IMAGE_PIXELS = MAX_PIXELS
    cv2.setNumThreads(0)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # for the warnings of decoders
    columns = ["equal", "different", "alone", "refused", "crashed"]
    counts, listed = collections.defaultdict(collections.Counter), []
    paths = sorted(glob.glob(f"{glob.escape(sys.argv[1])}/**", recursive=True, include_hidden=True))
    for path in filter(os.path.isfile, paths):
        kind = format_of(path)
        outcome, why = outcome_of(path, kind) if kind else ("other", None)
        counts[kind or "other files"][outcome] += 1
        if why:
            listed.append((columns.index(outcome), f"{outcome}: {path}: {why}"))
    print(f"{'':12}{'files':>10}{'decoded':>10}" + "".join(f"{name:>10}" for name in columns))
    for kind in sorted(counts):
        row = counts[kind]
        decoded = row["equal"] + row["different"] + row["alone"]
        print(f"{kind:12}{sum(row.values()):10}{decoded:10}" + "".join(f"{row[name]:10}" for name in columns))
    for _, line in sorted(listed):
        print(line)
    bad = sum(row["different"] + row["crashed"] for row in counts.values())
    print(f"{sum(map(collections.Counter.total, counts.values()))} files, {bad} different or crashed")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
