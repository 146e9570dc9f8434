#!/usr/bin/env python3
"""commands.py WORK OUT - whole commands, from process start to exit, on a 12-megapixel photograph.

Every command is first run once and its picture compared with the exact means: a peer is right if no sample
inside the picture, a window away from the edges (where the tools' border rules differ), is more than two
levels off.  Then the right ones run in turns, round after round, and the medians are compared."""
import json
import os
import shutil
import statistics
import subprocess
import sys

import cv2
import numpy as np
import PIL
import scipy

from report import first_line, machine, write

SAT = os.environ["SAT"]
WIDTH, HEIGHT = 4000, 3000
ROUNDS, SECONDS_EACH = 7, 12  # a slow command runs fewer rounds, but at least one
RIGHT = 2.0
GM = "gm"
MAGICK = "convert-im6.q16"


def photograph(path):
    """What a camera sees: a 1/f spectrum, discs with soft edges, sensor noise."""
    rng = np.random.default_rng(12)
    fy, fx = np.fft.fftfreq(HEIGHT)[:, None], np.fft.rfftfreq(WIDTH)[None, :]
    amplitude = 1 / np.maximum(np.hypot(fy, fx), 1 / WIDTH)
    planes = []
    for _ in range(3):
        phase = np.exp(2j * np.pi * rng.random((HEIGHT, WIDTH // 2 + 1)))
        plane = np.fft.irfft2(amplitude * phase, (HEIGHT, WIDTH))
        planes.append(plane / plane.std())
    picture = np.clip(110 + 35 * np.stack(planes, 2), 0, 255).astype(np.float32)
    for _ in range(60):
        centre = int(rng.integers(WIDTH)), int(rng.integers(HEIGHT))
        colour = tuple(float(v) for v in rng.integers(0, 256, 3))
        cv2.circle(picture, centre, int(rng.integers(20, 300)), colour, -1, cv2.LINE_AA)
    picture = cv2.GaussianBlur(picture, (0, 0), 1.2) + rng.normal(0, 2.5, picture.shape)
    picture = np.clip(picture, 0, 255).astype(np.uint8)
    cv2.imwrite(path + ".png", picture)
    cv2.imwrite(path + ".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 90])


def exact_means(pixels, size):
    """Means over size x size windows that lie inside, from a table in 64-bit integers."""
    table = np.pad(pixels.astype(np.int64).cumsum(0).cumsum(1), ((1, 0), (1, 0), (0, 0)))
    total = table[size:, size:] - table[:-size, size:] - table[size:, :-size] + table[:-size, :-size]
    return total / (size * size)


def python(code):
    return [sys.executable, "-c", code]


def commands(size, source, target, work):
    """name -> argument vector; size is odd."""
    radius = size // 2
    mask = os.path.join(work, f"mask{size}.mat")
    with open(mask, "w", encoding="ascii") as f:
        f.write(f"{size} 1 {size} 0\n" + " ".join(["1"] * size) + "\n")
    jpeg = target.endswith(".jpg")
    vips_out = target + ("[Q=90]" if jpeg else "[compression=1]")
    cv2_out = ", [cv2.IMWRITE_JPEG_QUALITY, 90]" if jpeg else ""
    quiet = ["ffmpeg", "-nostdin", "-y", "-loglevel", "error", "-i", source]
    ffmpeg_out = (["-q:v", "2"] if jpeg else []) + [target]
    pil_out = ", quality=90" if jpeg else ""
    found = {
        "sat": [SAT, source, "--box", str(size), "-o", target],
        "sat, 1 thread": [SAT, source, "--box", str(size), "--threads", "1", "-o", target],
        "vips convasep, 1 layer": ["vips", "convasep", source, vips_out, mask, "--layers", "1"],
        "ffmpeg avgblur": [*quiet, "-vf", f"avgblur=sizeX={radius}", *ffmpeg_out],
        "Python, OpenCV": python(f"import cv2; image = cv2.blur(cv2.imread('{source}'), ({size}, {size})); "
                                 f"cv2.imwrite('{target}', image{cv2_out})"),
        "Python, Pillow": python(f"from PIL import Image, ImageFilter; Image.open('{source}').filter("
                                 f"ImageFilter.BoxBlur({radius})).save('{target}'{pil_out})"),
    }
    if jpeg:  # without this, ffmpeg's window is twice as large on the halved colour planes
        found["ffmpeg avgblur, RGB"] = [*quiet, "-vf", f"format=gbrp,avgblur=sizeX={radius}", *ffmpeg_out]
    else:
        found |= {
            "vips convsep": ["vips", "convsep", source, vips_out, mask],
            "ffmpeg boxblur": [*quiet, "-vf", f"format=gbrp,boxblur=lr={radius}:lp=1", *ffmpeg_out],
            "Python, SciPy": python("import cv2, scipy.ndimage as n; "
                                    f"image = n.uniform_filter(cv2.imread('{source}'), ({size}, {size}, 1)); "
                                    f"cv2.imwrite('{target}', image)"),
            "ImageMagick": [MAGICK, source, "-define", "convolve:scale=!", "-morphology", "Convolve",
                            f"Rectangle:{size}x1", "-morphology", "Convolve", f"Rectangle:1x{size}", target],
            "GraphicsMagick -blur": [GM, "convert", source, "-blur", f"0x{size / 12 ** 0.5:.2f}", target],
        }
    return found


# A process begins with the peak memory of the one that started it, so a small one starts the commands.
LAUNCHER = """
import json, os, subprocess, sys, time
for line in sys.stdin:
    start = time.perf_counter()
    child = subprocess.Popen(json.loads(line), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE)
    text = child.stderr.read().decode(errors="replace")
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    print(json.dumps([child.returncode, text.strip()[:200], wall * 1e3, (usage.ru_utime + usage.ru_stime) * 1e3,
                      usage.ru_maxrss / 1024]), flush=True)
"""
launcher = subprocess.Popen([sys.executable, "-S", "-c", LAUNCHER], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            text=True)


def run(command):
    """wall ms, CPU ms, peak MB"""
    if shutil.which(command[0]) is None:
        raise RuntimeError("not installed")
    print(json.dumps(command), file=launcher.stdin, flush=True)
    status, text, *numbers = json.loads(launcher.stdout.readline())
    if status != 0:
        raise RuntimeError(f"status {status}: {text}")
    return numbers


def compare(target, means, size):
    """The largest distance from the exact means a window away from the edges."""
    got = cv2.imread(target, cv2.IMREAD_COLOR)
    if got is None or got.shape != (HEIGHT, WIDTH, 3):
        return float("inf")
    radius, margin = size // 2, size
    inner = got[margin:-margin, margin:-margin].astype(np.float64)
    want = means[margin - radius:means.shape[0] - (margin - radius), margin - radius:means.shape[1] - (margin - radius)]
    return float(np.abs(inner - want).max())


def race(title, size, source, work, limit):
    target = os.path.join(work, "out" + os.path.splitext(source)[1])
    means = exact_means(cv2.imread(source, cv2.IMREAD_COLOR), size)
    entries = {}
    for name, command in commands(size, source, target, work).items():
        if os.path.exists(target):
            os.unlink(target)
        try:
            times = run(command)
            entries[name] = {"command": command, "error": compare(target, means, size), "times": [times],
                             "first": times[0], "bytes": os.path.getsize(target) if os.path.exists(target) else 0}
        except (OSError, RuntimeError) as e:
            print(f"# {title}: {name} left out: {e}", file=sys.stderr)
    for number in range(ROUNDS):
        for entry in entries.values():
            if (number + 1) * entry["first"] < SECONDS_EACH * 1e3 and entry["error"] <= limit:
                if number == 0:
                    entry["times"] = []  # the run that was compared also warmed the caches
                entry["times"].append(run(entry["command"]))

    for entry in entries.values():
        entry["wall"] = statistics.median(t[0] for t in entry["times"])
    others = [e["wall"] for n, e in entries.items() if e["error"] <= limit and not n.startswith("sat")]
    fastest = min(others, default=float("nan"))
    rows = []
    for name, e in sorted(entries.items(), key=lambda item: item[1]["wall"]):
        spread = (max(t[0] for t in e["times"]) - min(t[0] for t in e["times"])) / e["wall"] * 100
        right = "yes" if e["error"] <= limit else "no"
        cpu, peak = statistics.median(t[1] for t in e["times"]), max(t[2] for t in e["times"])
        rows.append([name, f"{e['wall']:.0f}", f"{e['wall'] / fastest:.2f}", f"{cpu:.0f}", f"{peak:.0f}",
                     f"{e['bytes'] / 1e6:.1f}", f"{e['error']:.2f}", right, len(e["times"]), f"{spread:.0f} %"])
    columns = ["command", "ms", "x fastest right peer", "CPU ms", "peak MB", "output MB", "max error", "right", "runs",
               "spread"]
    return title, columns, rows


def main():
    work, out = sys.argv[1:]
    photo = os.path.join(work, "photo")
    if not os.path.exists(photo + ".jpg"):
        photograph(photo)
    sections = [race(f"PNG to PNG, {size}x{size}", size, photo + ".png", work, RIGHT) for size in (15, 201)]
    # A lossy output adds its own errors to the mean: the same bound for all.
    sections += [race(f"JPEG to JPEG, {size}x{size}", size, photo + ".jpg", work, RIGHT + 10) for size in (15, 201)]
    versions = {
        "sat": first_line(SAT, "--version"), "vips": first_line("vips", "--version"),
        "ffmpeg": first_line("ffmpeg", "-version"), "ImageMagick": first_line(MAGICK, "-version"),
        "GraphicsMagick": first_line(GM, "version"),
        "Python": f"OpenCV {cv2.__version__}, SciPy {scipy.__version__}, Pillow {PIL.__version__}, "
                  f"NumPy {np.__version__}",
    }
    png, jpeg = (os.path.getsize(photo + end) / 1e6 for end in (".png", ".jpg"))
    intro = [f"Whole commands on a {WIDTH}x{HEIGHT} RGB photograph (1/f spectrum, discs, noise; PNG {png:.1f} MB, JPEG",
             f"quality 90 {jpeg:.1f} MB), process start to exit, run in turns; medians. Max error: the largest",
             "distance, in levels, from the exact mean, a window away from the edges; a peer is right below 2",
             "(JPEG: 12). Made by `make peers`."]
    write(os.path.join(out, "commands"), "Whole commands", machine(versions), intro, sections)


if __name__ == "__main__":
    main()
