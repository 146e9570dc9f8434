#!/usr/bin/env python3
"""windows.py FOLDER SAT - the pictures of docs/windows.md: a page under a lamp, a micrograph of 16 bits, a raster with
holes, each drawn here, and what `sat` makes of them.  Needs NumPy and Pillow."""
import os
import subprocess
import sys

import numpy as np
from PIL import Image, ImageDraw, ImageFont

WIDTH, HEIGHT = 420, 260
WORDS = ("A window statistic is a few sums of what each pixel contributes, and a formula over them and the pixel. The "
         "sums are taken once, whatever the size of the window, and so a threshold may follow the light of a page.")
rng = np.random.default_rng(1)
y, x = np.mgrid[:HEIGHT, :WIDTH]


def page():
    ink = Image.new("L", (WIDTH, HEIGHT), 255)
    draw, font, line = ImageDraw.Draw(ink), ImageFont.load_default(16), ""
    row = 12
    for word in WORDS.split() + [None]:
        if word is None or draw.textlength(line + word, font) > WIDTH - 40:
            draw.text((20, row), line, 0, font)
            row, line = row + 26, ""
        line += (word or "") + " "
    light = 60 + 170 * np.exp(-((x - 330) ** 2 + (y - 40) ** 2) / 60000)
    return (np.array(ink) / 255 * 0.75 + 0.25) * light + rng.normal(0, 3, ink.size[::-1])


def micrograph():
    cells = sum(np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / (2 * r * r))
                for cx, cy, r in zip(rng.uniform(0, WIDTH, 60), rng.uniform(0, HEIGHT, 60), rng.uniform(4, 9, 60)))
    return 900 + (400 + 14 * x) * 0.12 * cells + 5 * x + rng.normal(0, 12, x.shape)


def raster():
    land = 200 + 60 * np.sin(x / 40) * np.cos(y / 30) + rng.normal(0, 12, x.shape)
    holes = (np.hypot(x - 120, y - 90) < 45) | (np.abs(x - 300) < 12) | (rng.random(x.shape) < 0.05)
    return np.where(holes, -9999, land).astype(np.float32)


def main():
    folder, sat = sys.argv[1:3]
    work = os.path.join(folder, "work")
    os.makedirs(work, exist_ok=True)

    def run(*words):
        subprocess.run([sat, *words], check=True, cwd=work)

    def show(pixels, low, high, name):
        scaled = np.clip((pixels - low) / (high - low), 0, 1) * 255
        Image.fromarray(np.nan_to_num(scaled).round().astype(np.uint8)).save(os.path.join(folder, name), optimize=True)

    Image.fromarray(page().clip(0, 255).round().astype(np.uint8)).save(os.path.join(work, "page.png"))
    run("page.png", "--box", "31", "--threshold", "sauvola:k=0.1", "-o", "sauvola.png")
    both = np.concatenate([np.array(Image.open(os.path.join(work, n))) for n in ("page.png", "sauvola.png")], 1)
    show(both, 0, 255, "windows-page.png")

    np.save(os.path.join(work, "cells.npy"), micrograph().round().astype(np.uint16))
    run("cells.npy", "--as", "image", "--radius", "30", "--stat", "norm", "-o", "norm.npy")
    raw = np.load(os.path.join(work, "cells.npy"))
    norm = np.load(os.path.join(work, "norm.npy"))
    show(np.concatenate([(raw - raw.min()) / (raw.max() - raw.min()), (norm + 2) / 5], 1), 0, 1, "windows-norm.png")

    np.save(os.path.join(work, "land.npy"), raster())
    run("land.npy", "--as", "image", "--box", "15", "-o", "plain.npy")
    run("land.npy", "--as", "image", "--box", "15", "--nodata", "-9999", "--min-valid", "10%", "-o", "mean.npy")
    show(np.concatenate([np.load(os.path.join(work, n)) for n in ("land.npy", "plain.npy", "mean.npy")], 1), 100, 300,
         "windows-mask.png")


main()
