"""The package beside NumPy, OpenCV, scikit-image and SciPy: processor time of one thread, each ratio from one run.

    build/python/venv/bin/python docs/bench/python.py [ROUNDS] >docs/bench/python.md

Ways to one result take turns; of each the least of ROUNDS (9) times counts.  Where two give the same result it is
compared before it is timed.  The last column is a floor: a ratio below it is marked with an exclamation mark.
"""

import datetime
import importlib.metadata
import pathlib
import platform
import subprocess
import sys
import time

import cv2
import numpy as np
import scipy.ndimage
import skimage.transform

import sat

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 9
rng = np.random.default_rng(1)


def least(*calls, rounds=ROUNDS, times=1):
    """The least processor time of each call, in seconds; they take turns."""
    best = [np.inf] * len(calls)
    for _ in range(rounds):
        for i, call in enumerate(calls):
            start = time.process_time()
            for _ in range(times):
                call()
            best[i] = min(best[i], (time.process_time() - start) / times)
    return best


def row(what, other, ours, theirs, floor=None):
    """A line: our time, another's, their ratio and its floor."""
    ratio = theirs / ours
    mark = "" if floor is None or ratio >= floor else " !"
    unit, scale = ("us", 1e6) if ours < 1e-3 else ("ms", 1e3)
    print(
        f"| {what} | {ours * scale:.3g} {unit} | {other} | {theirs * scale:.3g} {unit} "
        f"| {ratio:.2f}{mark} | {floor or '-'} |"
    )


def small():
    a = rng.integers(0, 256, (16, 16), np.uint8)
    stack = rng.integers(0, 256, (10000, 16, 16), np.uint8)
    sums, out = np.empty((10000, 17, 17), np.uint32), np.empty((17, 17), np.uint32)
    [inside] = least(lambda: sat.table(stack, out=sums, batch_axis=0))
    inside /= 10000
    new, given, opencv = least(lambda: sat.table(a), lambda: sat.table(a, out=out), lambda: cv2.integral(a), times=5000)
    for what, t in [("a new array", new), ("`out=`", given)]:
        over = (t - inside) * 1e6
        print(
            f"| table 16x16 u8, {what} | {t * 1e6:.2f} us | the work itself | {inside * 1e6:.2f} us "
            f"| {over:.2f} us more{'' if over <= 2.5 else ' !'} | 2.5 us |"
        )
    row("table 16x16 u8", "cv2.integral", new, opencv)


def tables():
    a = rng.integers(0, 256, (8192, 8192), np.uint8)
    ours, theirs = np.zeros((8193, 8193), np.int32), np.zeros((8193, 8193), np.int32)
    assert np.array_equal(sat.table(a, out=ours).array, cv2.integral(a, theirs))
    row(
        "table 8192^2 u8 to i32, `out=`",
        "cv2.integral",
        *least(lambda: sat.table(a, out=ours), lambda: cv2.integral(a, theirs)),
        1.2,
    )

    del theirs
    for dtype in (np.int32, np.uint64):
        ours, each = np.zeros((8193, 8193), dtype), 4096 // np.dtype(dtype).itemsize
        new, given, touch = least(
            lambda: sat.table(a, dtype=dtype),
            lambda: sat.table(a, out=ours),
            lambda: np.empty(8193 * 8193, dtype)[::each].fill(0),  # an entry of each page of 4 KiB
        )
        name = f"table 8192^2 u8 to {np.dtype(dtype).kind}{8 * ours.itemsize}, a new array"
        other = f"`out=` ({given * 1e3:.3g} ms) and the first touch of np.empty() ({touch * 1e3:.3g} ms)"
        row(name, other, new, given + touch, 0.91)
    del ours
    default, scikit, cumsum = least(
        lambda: sat.table(a),
        lambda: skimage.transform.integral_image(a),
        lambda: a.cumsum(0).cumsum(1),
        rounds=min(ROUNDS, 3),
    )
    row("the same", "skimage.transform.integral_image", default, scikit, 10)
    row("the same", "cumsum twice", default, cumsum, 20)
    f = rng.random((4096, 4096), np.float32)
    ours, theirs = np.zeros((4097, 4097)), np.zeros((4097, 4097))
    np.testing.assert_allclose(sat.table(f, out=ours).array, cv2.integral(f, theirs), rtol=1e-9)
    row(
        "table 4096^2 f32 to f64, `out=`",
        "cv2.integral",
        *least(lambda: sat.table(f, out=ours), lambda: cv2.integral(f, theirs)),
        1.5,
    )


def filters():
    for dtype, floor in [("uint8", 1.6), ("float32", 1.3)]:
        a = (rng.random((4096, 4096), np.float32) * 255).astype(dtype)
        ours, theirs = np.zeros_like(a), np.zeros_like(a)
        np.testing.assert_allclose(sat.box(a, 15, "reflect101", out=ours), cv2.blur(a, (15, 15), theirs), atol=1e-3)
        row(
            f"box 15 of 4096^2 {dtype}, `out=`",
            "cv2.blur",
            *least(lambda: sat.box(a, 15, "reflect101", out=ours), lambda: cv2.blur(a, (15, 15), theirs)),
            floor,
        )
    a = rng.integers(0, 256, (4096, 4096), np.uint8)
    ours, theirs = np.zeros_like(a), np.zeros_like(a)
    for sigma in (3.0, 12.0):
        gauss, opencv = least(
            lambda: sat.gauss(a, sigma, "reflect101", out=ours), lambda: cv2.GaussianBlur(a, (0, 0), sigma, theirs)
        )
        [scipy_time] = least(lambda: scipy.ndimage.gaussian_filter(a, sigma, output=theirs, mode="mirror"), rounds=1)
        row(f"Gaussian, sigma {sigma:g}, of 4096^2 u8, `out=`", "cv2.GaussianBlur", gauss, opencv)
        row("the same", "scipy.ndimage.gaussian_filter", gauss, scipy_time)


def rectangles():
    a = rng.integers(0, 256, (4096, 4096), np.uint8)
    n = 10**6
    w, h = rng.integers(1, 200, n), rng.integers(1, 200, n)
    x, y = rng.integers(0, 4096 - w), rng.integers(0, 4096 - h)
    rects = np.stack([x, y, w, h], axis=1)
    t = sat.table(a)
    sums = t.array.astype(np.int64)
    flat = sums.ravel()

    def fancy():
        return (sums[y + h, x + w] - sums[y, x + w] - sums[y + h, x] + sums[y, x]) / (w * h)

    def taken():
        top, low = y * 4097 + x, (y + h) * 4097 + x
        return (flat.take(low + w) - flat.take(top + w) - flat.take(low) + flat.take(top)) / (w * h)

    ii, few = skimage.transform.integral_image(a), 2000
    start, end = np.stack([y, x], 1)[:few], np.stack([y + h - 1, x + w - 1], 1)[:few]
    assert np.array_equal(t.mean(rects), fancy()) and np.array_equal(fancy(), taken())
    assert np.array_equal(skimage.transform.integrate(ii, start, end).ravel(), t.sum(rects[:few]))
    ours, indexed, flatly = least(lambda: t.mean(rects), fancy, taken)
    [scikit] = least(
        lambda: [skimage.transform.integrate(ii, s, e) for s, e in zip(map(tuple, start), map(tuple, end))], rounds=1
    )
    row("means of 10^6 rectangles, 4096^2 u8", "fancy indexing of four entries", ours, indexed, 2)
    row("the same", "take() of flat indices", ours, flatly)
    row("the same", "skimage.transform.integrate, one by one", ours, scikit * n / few, 100)


def size_and_import():
    code = "import time, numpy; start = time.process_time(); import sat; print(time.process_time() - start)"
    took = min(
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout)
        for _ in range(ROUNDS)
    )
    print(f"| `import sat` after NumPy | {took * 1e3:.1f} ms | | | | 10 ms |")
    for wheel in (ROOT / "build" / "wheel").glob("libsat-*.whl"):
        print(f"| the wheel | {wheel.stat().st_size / 1e6:.2f} MB | | | | 2 MB |")


def machine():
    with open("/proc/cpuinfo") as f:
        model = next(line.split(":")[1].strip() for line in f if line.startswith("model name"))
    versions = [
        f"{name} {importlib.metadata.version(name)}"
        for name in ("numpy", "opencv-python-headless", "scikit-image", "scipy")
    ]
    with open("/proc/loadavg") as f:
        load = f.read().split()[0]
    print(
        f"# The Python package beside others\n\n{model}, {datetime.date.today()}, CPython {platform.python_version()}, "
        f"sat {sat.__version__}, {', '.join(versions)}.\nProcessor time of one thread, the least of {ROUNDS} times in "
        f"turns; load of the machine at the beginning {load}.\n\n"
        f"`build/python/venv/bin/python docs/bench/python.py {ROUNDS} >docs/bench/python.md`\n"
    )
    print("| | `sat` | beside | | ratio | floor |\n|---|--:|---|--:|--:|--:|")


cv2.setNumThreads(1)
sat.set_num_threads(1)
machine()
small()
tables()
filters()
rectangles()
size_and_import()
