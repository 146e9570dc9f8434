"""Heights with holes: smoothed without the holes, and the means of zones as a table.

python raster.py [FOLDER]   writes python-raster.png: the heights, smoothed, the deviation; red is no data
"""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pictures

import sat


def main(folder: str = ".") -> None:
    heights = pictures.raster()
    smooth = sat.gauss(heights, 4.0, nodata=-9999, dtype=np.float64)
    rough = sat.window(heights, 15, "std", nodata=-9999, min_valid=0.5)

    # Zones of 128 x 128 pixels; any rectangles do.
    zones = np.array([[x, y, 128, 128] for y in range(0, 256, 128) for x in range(0, 384, 128)])
    t = sat.table(heights, moments=2, nodata=-9999)
    frame = pd.DataFrame(zones, columns=["x", "y", "width", "height"]).assign(
        **t.query(zones, ["mean", "std", "count"])
    )
    print(frame.round(2).to_string(index=False))

    seen = np.where(heights == -9999, np.nan, heights)
    pictures.save(f"{folder}/python-raster.png", *map(pictures.grey, (seen, smooth, rough)))


if __name__ == "__main__":
    main(*sys.argv[1:])
