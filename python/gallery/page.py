"""Ink and paper of a page in uneven light: one threshold for all of it, and thresholds of each pixel's surroundings.

python page.py [FOLDER]   writes python-page.png: the page, Otsu's threshold, Sauvola's
"""

from __future__ import annotations

import sys

import cv2
import numpy as np
import pictures

import sat


def main(folder: str = ".") -> None:
    page, ink = pictures.page()
    _, one = cv2.threshold(page, 0, 255, cv2.THRESH_OTSU)
    paper = sat.threshold(page, 25, "sauvola", k=0.15)
    for name, found in [("Otsu", one == 0), ("Sauvola", ~paper)]:
        hits = np.count_nonzero(found & ink)
        f = 2 * hits / (np.count_nonzero(found) + np.count_nonzero(ink))
        print(f"{name}: F-measure {f:.2f}")
    pictures.save(f"{folder}/python-page.png", *map(pictures.grey, (page, one, paper)))


if __name__ == "__main__":
    main(*sys.argv[1:])
