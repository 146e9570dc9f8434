"""The arrays that `sat bench` makes (src/lab/bench.c), and the right answers for them, by NumPy on the host."""
import numpy as np

COUNT = 1 << 22  # values made at a time: temporaries that fit the last-level cache

TYPES = {"u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64, "f32": np.float32, "f64": np.float64}


def random_bits(first, n):
    """SplitMix64 of the counters first, first + 1 ..."""
    z = (np.arange(first, first + n, dtype=np.uint64) + np.uint64(2)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def random_array(shape, name, fractions=False):
    """Integers over their whole range; floats whose sums are exact in f32, or, for filters, fractions."""
    dtype = np.dtype(TYPES[name])
    n = int(np.prod(shape))
    if dtype.kind == "f":
        out = np.empty(n, dtype)
        for at in range(0, n, COUNT):
            part = out[at:at + COUNT]
            bits = random_bits(at, part.size)
            part[:] = (bits >> np.uint64(40)) * 2.0 ** -24 if fractions else (bits >> np.uint64(60)) - 7.5
        return out.reshape(shape)
    words = np.empty((n * dtype.itemsize + 7) // 8, np.uint64)
    for at in range(0, words.size, COUNT):
        words[at:at + COUNT] = random_bits(at, min(COUNT, words.size - at))
    return words.view(np.uint8)[:n * dtype.itemsize].view(dtype).reshape(shape)


def table(image, dtype, padded=False):
    """The summed-area table: rows first, then row upon row."""
    height, width = image.shape
    out = np.zeros((height + padded, width + padded), dtype)
    inner = out[padded:, padded:]
    np.cumsum(image, axis=1, dtype=dtype, out=inner)
    for y in range(1, height):
        inner[y] += inner[y - 1]
    return out


def window_sums(image, n, mode):
    """The sums over n x n windows, n odd, as int64 or f64, from a table modulo 2^32 or of f64; mode as in np.pad()."""
    border = {"constant_values": 0} if mode == "constant" else {}
    wide = np.pad(image, n // 2, mode=mode, **border)
    t = table(wide, np.float64 if image.dtype.kind == "f" else np.uint32, padded=True)
    sums = t[n:, n:] - t[:-n, n:] - t[n:, :-n] + t[:-n, :-n]
    return sums if image.dtype.kind == "f" else sums.astype(np.int64)


def box_mean(image, n, cut=False):
    """Means over n x n windows, the edge's pixels repeated: of 8-bit images rounded to nearest, halves up; of floats in
    f64, of fractions from exact sums.  cut: of floats, over the pixels of the window that the image has."""
    if image.ndim == 3:
        return np.stack([box_mean(np.ascontiguousarray(image[..., c]), n, cut) for c in range(image.shape[2])], axis=2)
    if image.dtype.kind != "f":
        return ((2 * window_sums(image, n, "edge") + n * n) // (2 * n * n)).astype(np.uint8)
    if not cut:
        return window_sums(image, n, "edge") / (n * n)

    return window_sums(image, n, "constant") / covered(image.shape, n)


def covered(shape, n):
    """Pixels of the image in each n x n window."""
    def reach(length):
        at = np.arange(length)
        return np.minimum(at + n // 2, length - 1) - np.maximum(at - n // 2, 0) + 1
    return np.outer(reach(shape[0]), reach(shape[1]))


def moments(image, n, cut=False):
    """Mean and variance over n x n windows of 8-bit images, from exact sums; cut: over the image's own pixels."""
    mode, count = ("constant", covered(image.shape, n)) if cut else ("edge", n * n)
    sums, squares = (window_sums(x, n, mode) for x in (image, image.astype(np.uint32) ** 2))
    return np.stack([sums / count, (count * squares - sums * sums) / (count * count)])
