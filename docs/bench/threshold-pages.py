#!/usr/bin/env python3
"""threshold-pages.py SAT [STEM] - F-measures of the local thresholds of `sat`, of pages whose ink is known.

Draws pages of letter-like strokes: even and good, under a lamp, noisy, with the other side showing through, faint. For
each text size and threshold it prints a table: windows down, k across, the mean F-measure of the pages in per cent, and
that of the worst page; and one of each page for Sauvola's and one window.  F = 2 P R / (P + R), P the share of what was called ink that is, R the share of ink that was
called so.  STEM: writes the pages there, STEM-lamp.pgm and so on, and their ink.  Needs NumPy."""
import os
import subprocess
import sys
import tempfile

import numpy as np

WIDTH, HEIGHT, LETTERS = 800, 560, 24
TEXT = {"small": (16, 2.2), "large": (36, 5.5)}  # height of letters and width of strokes, px
WINDOWS = (9, 15, 25, 41, 75, 121, 201)
EACH = 41  # the window of the table of each page
SETTINGS = {"sauvola": ("k", (0.05, 0.1, 0.2, 0.3, 0.5)), "wolf": ("k", (0.1, 0.3, 0.5, 0.7)),
            "niblack": ("k", (-0.1, -0.2, -0.5, -1)), "nick": ("k", (-0.05, -0.1, -0.2)),
            "bradley": ("t", (0.05, 0.1, 0.15, 0.25)), "phansalkar": ("k", (0.15, 0.25, 0.4)),
            "mean": ("offset", (5, 10, 20))}


def letters(rng, height, pen):
    """How much of each pixel is ink, of some signs of two to four straight strokes."""
    width = int(0.62 * height)
    y, x = np.mgrid[:height + 8, :width + 8] - 4.0
    places = np.array([(a, b) for a in (0, width / 2, width) for b in (0, height / 2, height)])
    signs = []
    for _ in range(LETTERS):
        far = np.full(x.shape, np.inf)
        for _ in range(rng.integers(2, 5)):
            (ax, ay), (bx, by) = places[rng.choice(len(places), 2, replace=False)]
            dx, dy = bx - ax, by - ay
            along = np.clip(((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy), 0, 1)
            far = np.minimum(far, np.hypot(x - ax - along * dx, y - ay - along * dy))
        signs.append(np.clip(pen / 2 - far + 0.5, 0, 1))
    return signs


def text(rng, height, pen):
    ink, signs = np.zeros((HEIGHT, WIDTH)), letters(rng, height, pen)
    for top in range(40, HEIGHT - 2 * height - 20, 2 * height):
        left = 40
        while left < WIDTH - 2 * height:
            if rng.random() < 0.85:  # else a space
                sign = signs[rng.integers(LETTERS)]
                part = ink[top:top + sign.shape[0], left:left + sign.shape[1]]
                np.maximum(part, sign, out=part)
            left += int(0.95 * height)
    return ink


def smooth(a, times):
    for _ in range(times):
        for axis in (0, 1):
            a = (np.roll(a, 1, axis) + 2 * a + np.roll(a, -1, axis)) / 4
    return a


def pages(height, pen):
    """Name: (page of u8, where its ink is)."""
    rng = np.random.default_rng(20261125)
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    lamp = 0.3 + 0.7 * np.exp(-((x - 640) ** 2 + (y - 80) ** 2) / 90000)
    even, out = np.ones(lamp.shape), {}
    for name, light, dark, noise, behind in (("good", even, 0.75, 3, 0), ("lamp", lamp, 0.75, 3, 0),
                                             ("noisy", lamp, 0.75, 14, 0), ("through", even, 0.65, 4, 0.3),
                                             ("faint", lamp, 0.3, 4, 0)):
        ink, other = text(rng, height, pen), text(rng, height, pen)[:, ::-1]
        seen = 1 - dark * smooth(ink, 1) - behind * smooth(np.roll(other, height, 0), 4) * (1 - ink)
        page = 225 * light * seen + rng.normal(0, noise, ink.shape)
        out[name] = np.clip(np.round(page), 0, 255).astype(np.uint8), ink > 0.5
    return out


def write_pgm(path, pixels):
    with open(path, "wb") as f:
        f.write(b"P5 %d %d 255\n" % pixels.shape[::-1] + pixels.tobytes())


def f_measure(called, ink):
    hits = np.count_nonzero(called & ink)
    return 200 * hits / (np.count_nonzero(called) + np.count_nonzero(ink))


def measured(sat, folder, drawn, window):
    """{(threshold, value): F of each page}: all settings of a page in one run."""
    words = [word for name, (key, values) in SETTINGS.items() for value in values
             for word in ("--threshold", f"{name}:{key}={value:g}")]
    found = {}
    for pixels, ink in drawn.values():
        write_pgm(os.path.join(folder, "page.pgm"), pixels)
        for first in range(0, len(words), 32):  # a run has 16 results
            subprocess.run([sat, "page.pgm", "--box", str(window), "--border", "reflect", "-q", "-o", "{stat}.pgm",
                            *words[first:first + 32]], cwd=folder, check=True)
            for file in os.listdir(folder):
                if file != "page.pgm":
                    with open(os.path.join(folder, file), "rb") as f:
                        made = np.frombuffer(f.read()[-ink.size:], np.uint8).reshape(ink.shape)
                    os.remove(os.path.join(folder, file))
                    found.setdefault(file[:-4], []).append(f_measure(made == 0, ink))
    return found


def main():
    sat, stem = os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None
    for size, (height, pen) in TEXT.items():
        drawn = pages(height, pen)
        for name, (pixels, ink) in drawn.items():
            if stem:
                write_pgm(f"{stem}-{size}-{name}.pgm", pixels)
                write_pgm(f"{stem}-{size}-{name}-ink.pgm", np.where(ink, 0, 255).astype(np.uint8))
        best = [max(f_measure(pixels < level, ink) for level in range(1, 256)) for pixels, ink in drawn.values()]
        print(f"Letters of {height} px, strokes of {pen} px. The best one level for a whole page, found with its ink: " +
              ", ".join(f"{name} {f:.0f}" for name, f in zip(drawn, best)))
        with tempfile.TemporaryDirectory() as folder:
            rows = {window: measured(sat, folder, drawn, window) for window in WINDOWS}
        for name, (key, values) in SETTINGS.items():
            print(f"\n| {name} | " + " | ".join(f"{key} {value:g}" for value in values) + " |\n|---" +
                  "|---:" * len(values) + "|")
            for window, found in rows.items():
                cells = [found[f"{name}-{key}{value:g}"] for value in values]
                print(f"| {window} | " + " | ".join(f"{np.mean(f):.0f} ({min(f):.0f})" for f in cells) + " |")
        key, values = SETTINGS["sauvola"]
        print(f"\n| sauvola, {EACH}x{EACH} | " + " | ".join(drawn) + " |\n|---" + "|---:" * len(drawn) + "|")
        for value in values:
            print(f"| {key} {value:g} | " + " | ".join(f"{f:.0f}" for f in rows[EACH][f"sauvola-{key}{value:g}"]) + " |")
        print()


if __name__ == "__main__":
    main()
