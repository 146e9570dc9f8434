"""Faint cells on an uneven background: each pixel less the mean of its surroundings, over their deviation.

python micrograph.py [FOLDER]   writes python-micrograph.png: the image, its local contrast
"""

from __future__ import annotations

import sys

import numpy as np
import pictures

import sat


def main(folder: str = ".") -> None:
    image, centres = pictures.micrograph()
    smooth = sat.gauss(image, 3.0, dtype=np.float32)
    mean, std = sat.window(smooth, 65, ["mean", "std"])
    contrast = (smooth - mean) / std
    inside = [contrast[int(y), int(x)] for x, y in centres]
    print(f"{len(centres)} cells: contrast at their centres {np.mean(inside):.1f}, elsewhere {np.median(contrast):.1f}")
    pictures.save(f"{folder}/python-micrograph.png", pictures.grey(image), pictures.grey(contrast, -2, 3))


if __name__ == "__main__":
    main(*sys.argv[1:])
