"""The Python package that was just installed, beside NumPy: run by tests/bare/run.sh in a bare system."""
import numpy as np

import sat

image = np.random.default_rng(0).integers(0, 256, (90, 120), np.uint8)

table = sat.table(image)
assert table.sum([10, 20, 64, 48]) == image[20:68, 10:74].sum()

side, n = 7, 49
windows = np.lib.stride_tricks.sliding_window_view(image.astype(np.int64), (side, side)).sum((2, 3))
inner = slice(side // 2, -(side // 2))
assert (sat.box(image, side)[inner, inner] == (2 * windows + n) // (2 * n)).all()

mean = sat.window(image, side, "mean")
assert np.allclose(mean[inner, inner], windows / n, rtol=1e-6)
print(sat.__version__, "agrees with NumPy", np.__version__)
