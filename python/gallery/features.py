"""Box features (Viola and Jones 2001): sums of neighbouring rectangles, less each other, at every place.

python features.py [FOLDER]   writes python-features.png: the page, where a dark bar lies between bright ones
"""

from __future__ import annotations

import sys

import numpy as np
import pictures

import sat


def main(folder: str = ".") -> None:
    page, ink = pictures.page()
    t = sat.table(page, moments=2)
    height, width = 9, 3  # of each of three bars, side by side
    y, x = (axis.ravel() for axis in np.mgrid[: page.shape[0] - height + 1, : page.shape[1] - 3 * width + 1])

    def bars(i: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        rects = np.stack([x + i * width, y, np.full_like(x, width), np.full_like(x, height)], axis=1)
        return np.asarray(t.mean(rects))

    whole = np.stack([x, y, np.full_like(x, 3 * width), np.full_like(x, height)], axis=1)
    feature = (bars(0) + bars(2) - 2 * bars(1)) / (t.query(whole, "std")["std"] + 4)
    shown = feature.reshape(page.shape[0] - height + 1, -1)
    shown = np.pad(shown, [(height // 2, (height - 1) // 2), (3 * width // 2, (3 * width - 1) // 2)], mode="edge")
    print(f"{feature.size} places: {np.mean(shown[ink]):.2f} on ink, {np.mean(shown[~ink]):.2f} on paper")
    pictures.save(f"{folder}/python-features.png", pictures.grey(page), pictures.grey(shown, -2, 4))


if __name__ == "__main__":
    main(*sys.argv[1:])
