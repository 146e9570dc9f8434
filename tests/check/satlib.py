"""What the oracles share: TAP, image files, the library through ctypes, and brute force.

The brute force is written from the definitions, not from our code: a window is a list of positions, a
border is a rule that says which sample a position beyond the edge stands for, a mean is the exact sum of
Python or 64-bit integers, rounded half up.
"""
import concurrent.futures
import ctypes
import functools
import os
import subprocess
import sys
import tempfile

import numpy as np

ROOT = os.environ.get("SAT_TEST_ROOT", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
BUILD = os.path.join(ROOT, os.environ.get("B", "build"))
SAT = os.environ.get("SAT", os.path.join(BUILD, "sat"))
ISAS = ["portable", "avx2", "avx512"]  # src/cpu/isa.h

# ---- TAP ---------------------------------------------------------------------------------------------


class Tap:
    """One test for each report(); problems is a list of texts, empty = passed."""

    def __init__(self):
        self.tests = self.bad = 0

    def report(self, name, problems, cases=None):
        self.tests += 1
        self.bad += bool(problems)
        count = "" if cases is None else f", {cases} cases"
        print(f"{'not ok' if problems else 'ok'} {self.tests} - {name}{count}", flush=True)
        for text in problems[:5]:
            print("#", text)
        if len(problems) > 5:
            print(f"# and {len(problems) - 5} more")

    def skip(self, name, why):
        self.tests += 1
        print(f"ok {self.tests} - {name} # SKIP {why}", flush=True)

    def finish(self):
        print(f"1..{self.tests}")
        sys.exit(self.bad != 0)


def in_parallel(function, items):
    """[function(item) ...] on SUITE_JOBS threads, by default one for each core; the work is done by child processes
    and by NumPy."""
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("SUITE_JOBS", len(os.sched_getaffinity(0))))) as pool:
        return list(pool.map(function, items))


# ---- files -------------------------------------------------------------------------------------------


def write_image(path, pixels):
    """pixels: (H, W, C) of uint8 or uint16 as PAM, of float32 (C = 1 or 3) as PFM, of other types as .npy."""
    if extension(pixels.dtype) == "npy":
        np.save(path, pixels)
        return
    height, width, channels = pixels.shape
    with open(path, "wb") as f:
        if pixels.dtype == np.float32:
            f.write(b"%s\n%d %d\n-1.0\n" % (b"Pf" if channels == 1 else b"PF", width, height))
            f.write(pixels[::-1].astype("<f4").tobytes())
        else:
            kind = ["GRAYSCALE", "GRAYSCALE_ALPHA", "RGB", "RGB_ALPHA"][channels - 1]
            f.write(f"P7\nWIDTH {width}\nHEIGHT {height}\nDEPTH {channels}\n"
                    f"MAXVAL {np.iinfo(pixels.dtype).max}\nTUPLTYPE {kind}\nENDHDR\n".encode())
            f.write(pixels.astype(">u2" if pixels.dtype == np.uint16 else "u1").tobytes())


def read_image(path):
    with open(path, "rb") as f:
        data = f.read()
    if data[:2] in (b"Pf", b"PF"):
        lines = data.split(b"\n", 3)
        width, height = map(int, lines[1].split())
        order = "<f4" if float(lines[2]) < 0 else ">f4"
        return np.frombuffer(lines[3], order).reshape(height, width, -1)[::-1].astype(np.float32)
    head, body = data.split(b"ENDHDR\n", 1)
    field = dict(line.split(None, 1) for line in head.decode().splitlines()[1:] if " " in line)
    kind = "u1" if int(field["MAXVAL"]) < 256 else ">u2"
    pixels = np.frombuffer(body, kind).reshape(int(field["HEIGHT"]), int(field["WIDTH"]), int(field["DEPTH"]))
    return pixels.astype(np.uint8 if kind == "u1" else np.uint16)


def extension(dtype):
    return {"float32": "pfm", "uint8": "pam", "uint16": "pam"}.get(np.dtype(dtype).name, "npy")


def run_sat(*args, isa=None, **kwargs):
    """(status, stdout, stderr); isa: of the build for tests, the only one that takes it from the environment"""
    env = dict(os.environ)
    if isa:
        env["SAT_ISA"] = isa
    command = os.path.join(BUILD, "tests", "sat") if isa else SAT
    done = subprocess.run([command, *map(str, args)], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False, **kwargs)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace").strip()


def scratch():
    return tempfile.TemporaryDirectory(prefix="sat-check-")


# ---- the library ---------------------------------------------------------------------------------------


class Quant(ctypes.Structure):
    _fields_ = [("offset", ctypes.c_double), ("step", ctypes.c_double), ("largest", ctypes.c_uint32)]


class View(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("row_bytes", ctypes.c_ssize_t), ("width", ctypes.c_int64),
                ("height", ctypes.c_int64), ("channels", ctypes.c_int), ("type", ctypes.c_int),
                ("memory", ctypes.c_int), ("reserved", ctypes.c_int), ("count", ctypes.c_int64),
                ("image_bytes", ctypes.c_ssize_t), ("pixel_bytes", ctypes.c_ssize_t),
                ("channel_bytes", ctypes.c_ssize_t), ("reserved_words", ctypes.c_int64 * 2)]


class Spec(ctypes.Structure):
    _fields_ = [("width", ctypes.c_int64), ("height", ctypes.c_int64), ("channels", ctypes.c_int),
                ("sample", ctypes.c_int), ("accum", ctypes.c_int), ("layout", ctypes.c_int), ("quant", Quant),
                ("backend", ctypes.c_char_p), ("threads", ctypes.c_int), ("memory", ctypes.c_int)]


class Counts(ctypes.Structure):
    _fields_ = [("clipped", ctypes.c_int64), ("empty", ctypes.c_int64 * 16), ("moved", ctypes.c_int64)]


class Run(ctypes.Structure):
    _fields_ = [("stream", ctypes.c_void_p), ("proceed", ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p)),
                ("context", ctypes.c_void_p), ("counts", ctypes.POINTER(Counts)), ("carry_in", ctypes.c_void_p),
                ("carry_out", ctypes.c_void_p), ("continues", ctypes.c_bool), ("reserved", ctypes.c_bool * 7),
                ("first_row", ctypes.c_int64), ("rows", ctypes.c_int64), ("progress", ctypes.c_void_p),
                ("mask", ctypes.POINTER(View))]


class BoxSpec(ctypes.Structure):
    _fields_ = [("width", ctypes.c_int64), ("height", ctypes.c_int64), ("channels", ctypes.c_int),
                ("sample", ctypes.c_int), ("window_width", ctypes.c_int64), ("window_height", ctypes.c_int64),
                ("border", ctypes.c_char_p), ("border_value", ctypes.c_double * 4), ("weighted_alpha", ctypes.c_bool),
                ("backend", ctypes.c_char_p), ("threads", ctypes.c_int), ("memory", ctypes.c_int),
                ("anchor", ctypes.c_int), ("strided", ctypes.c_bool), ("reserved", ctypes.c_bool * 3),
                ("count", ctypes.c_int64), ("executor", ctypes.c_void_p), ("allocator", ctypes.c_void_p),
                ("result", ctypes.c_int), ("reserved_word", ctypes.c_int)]


class GaussSpec(ctypes.Structure):
    _fields_ = [("width", ctypes.c_int64), ("height", ctypes.c_int64), ("channels", ctypes.c_int),
                ("sample", ctypes.c_int), ("sigma", ctypes.c_double), ("border", ctypes.c_char_p),
                ("border_value", ctypes.c_double * 4), ("weighted_alpha", ctypes.c_bool), ("strided", ctypes.c_bool),
                ("reserved", ctypes.c_bool * 2), ("mode", ctypes.c_int), ("amount", ctypes.c_double),
                ("sigma2", ctypes.c_double), ("backend", ctypes.c_char_p), ("threads", ctypes.c_int),
                ("memory", ctypes.c_int), ("count", ctypes.c_int64), ("executor", ctypes.c_void_p),
                ("allocator", ctypes.c_void_p), ("result", ctypes.c_int), ("reserved_word", ctypes.c_int),
                ("masked", ctypes.c_bool), ("skip_nan", ctypes.c_bool), ("has_nodata", ctypes.c_bool),
                ("keep_holes", ctypes.c_bool), ("empty_set", ctypes.c_bool), ("reserved_flags", ctypes.c_bool * 3),
                ("nodata", ctypes.c_double), ("min_valid", ctypes.c_double), ("empty", ctypes.c_double),
                ("band_rows", ctypes.c_int64), ("side", ctypes.c_double)]


class Parameter(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_double), ("in_range", ctypes.c_bool),
                ("reserved", ctypes.c_bool * 7)]


class Statistic(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("summary", ctypes.c_char_p), ("equation", ctypes.c_char_p),
                ("source", ctypes.c_char_p), ("parameter", Parameter * 4), ("threshold", ctypes.c_bool),
                ("whole_image", ctypes.c_bool), ("variance", ctypes.c_bool), ("reserved", ctypes.c_bool * 5)]


class Output(ctypes.Structure):
    _fields_ = [("statistic", ctypes.c_char_p), ("result", ctypes.c_int), ("compare", ctypes.c_bool),
                ("reserved", ctypes.c_bool * 3), ("parameter", ctypes.c_double * 4), ("set", ctypes.c_uint),
                ("reserved_word", ctypes.c_int)]


class WindowSpec(ctypes.Structure):
    _fields_ = [("width", ctypes.c_int64), ("height", ctypes.c_int64), ("channels", ctypes.c_int),
                ("sample", ctypes.c_int), ("window_width", ctypes.c_int64), ("window_height", ctypes.c_int64),
                ("border", ctypes.c_char_p), ("border_value", ctypes.c_double * 4), ("anchor", ctypes.c_int),
                ("outputs", ctypes.c_int), ("output", ctypes.POINTER(Output)), ("masked", ctypes.c_bool),
                ("skip_nan", ctypes.c_bool), ("has_nodata", ctypes.c_bool), ("strided", ctypes.c_bool),
                ("empty_set", ctypes.c_bool), ("avoid_empty", ctypes.c_bool),
                ("keep_holes", ctypes.c_bool), ("reserved", ctypes.c_bool * 1), ("ddof", ctypes.c_int64),
                ("nodata", ctypes.c_double), ("min_valid", ctypes.c_double), ("empty", ctypes.c_double),
                ("threads", ctypes.c_int), ("memory", ctypes.c_int), ("backend", ctypes.c_char_p),
                ("count", ctypes.c_int64), ("executor", ctypes.c_void_p),
                ("allocator", ctypes.c_void_p), ("range", ctypes.c_double)]


class BackendInfo(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("summary", ctypes.c_char_p), ("paper", ctypes.c_char_p),
                ("device", ctypes.c_bool), ("repeatable", ctypes.c_bool), ("filters", ctypes.c_bool),
                ("available", ctypes.c_bool), ("why", ctypes.c_char_p)]


class BorderInfo(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("summary", ctypes.c_char_p), ("takes_value", ctypes.c_bool)]


LIB = ctypes.CDLL(os.environ.get("LIBSAT", os.path.join(BUILD, "libsat.so")))
LIB.sat_detail.restype = ctypes.c_char_p
LIB.sat_type_from_name.argtypes = [ctypes.c_char_p]
TYPES = {"u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "f32": np.float32, "f64": np.float64,
         "u64": np.uint64, "i64": np.int64, "i8": np.int8, "i16": np.int16, "i32": np.int32}


def code(name):
    return LIB.sat_type_from_name(name.encode())


class Failed(Exception):
    pass


def need(status):
    if status != 0:
        raise Failed(f"status {status}: {LIB.sat_detail().decode()}")


def sized(struct):
    """The last two arguments of a function called ..._sized: where the struct is, and its size; None: neither."""
    if struct is None:
        return None, ctypes.c_size_t(0)
    return ctypes.byref(struct), ctypes.c_size_t(ctypes.sizeof(struct))


def _table(function, info_type):
    """Everything that sat_..._at() lists."""
    getter = getattr(LIB, function + "_sized")
    getter.restype = ctypes.c_bool
    rows = []
    while True:
        info = info_type()
        if not getter(ctypes.c_size_t(len(rows)), *sized(info)):
            return rows
        rows.append(info)


def backends():
    """Names of those that compute something here."""
    return [b.name.decode() for b in _table("sat_backend_at", BackendInfo) if b.available]


def filtering():
    """Those of them that filter without a table, so that a NaN stays where it is."""
    return [b.name.decode() for b in _table("sat_backend_at", BackendInfo)
            if b.available and b.filters]


def borders():
    """(name, takes_value) of all."""
    return [(b.name.decode(), b.takes_value) for b in _table("sat_border_at", BorderInfo)]


@functools.lru_cache
def runs_isa(isa):
    """Whether this machine has the instruction set: SAT_ISA makes the backend unavailable if not."""
    status, out, _ = run_sat("backends", isa=isa)
    return status == 0 and b"the set that SAT_ISA names" not in out


def isa_here(isa):
    """The instruction set, or the widest one below it that this machine has. Random cases are drawn from ISAS and then
    go through this, so that every machine runs the same cases."""
    while not runs_isa(isa):
        isa = ISAS[ISAS.index(isa) - 1]
    return isa


def isas_here(tap):
    """isa_here() of each; says which ones are missing."""
    for isa in ISAS:
        if not runs_isa(isa):
            tap.skip(f"instruction set {isa}", "this machine does not have it")
    return [isa_here(isa) for isa in ISAS]


def variants(tap):
    """(backend, isa, threads) that must all agree."""
    found = [("cpu", isa, threads) for isa in isas_here(tap) for threads in (1, 2)] if "cpu" in backends() else []
    return found + [(name, None, 2) for name in backends() if name != "cpu"]


# ---- brute force -----------------------------------------------------------------------------------------

# Which sample stands at position i of an axis of n samples; n itself = none.
MAPS = {
    "shrink": lambda i, n: np.where((i < 0) | (i >= n), n, i),
    "constant": lambda i, n: np.where((i < 0) | (i >= n), n, i),
    "replicate": lambda i, n: np.clip(i, 0, n - 1),
    "wrap": lambda i, n: i % n,
    "reflect": lambda i, n: np.where(i % (2 * n) < n, i % (2 * n), 2 * n - 1 - i % (2 * n)),
    "reflect101": lambda i, n: (np.abs((i + n - 1) % (2 * n - 2) - (n - 1)) if n > 1 else i * 0),
}


def window_sums(samples, window_width, window_height, border, outside, first=False):
    """Sums over the window around each pixel of (H, W, C) samples, in the samples' own type; outside: what
    a position without a sample is worth, one value for each channel; first: an even window's first middle pixel lies at
    its centre, not its second."""
    for axis, size in ((1, window_width), (0, window_height)):
        n = samples.shape[axis]
        edge_shape = list(samples.shape)
        edge_shape[axis] = 1
        edge = np.broadcast_to(np.asarray(outside, samples.dtype) * (1 if axis == 1 else window_width), edge_shape)
        padded = np.concatenate([samples, edge], axis)
        total = np.zeros_like(samples)
        before = (size - 1) // 2 if first else size // 2
        reached = np.take(padded, MAPS[border](np.arange(n + size - 1) - before, n), axis)
        for offset in range(size):
            total += reached[:, offset:offset + n] if axis == 1 else reached[offset:offset + n]
        samples = total
    return samples


def round_div(total, area):
    """total / area rounded to nearest, halves up, for integers."""
    return (2 * total + area) // (2 * area)


def box(pixels, window_width, window_height, border, value=0, weighted=False, exact=np.int64, first=False):
    """One pass of the box filter; integer pixels in `exact` (object = Python's own integers)."""
    channels = pixels.shape[2]
    kind = np.float64 if pixels.dtype.kind == "f" else exact
    wide = pixels.astype(kind)
    outside = np.full(channels, value if border == "constant" else 0).astype(kind)
    ones = np.ones(pixels.shape[:2] + (1,), kind)
    in_count = [0 if border == "shrink" else 1]

    def sums(samples, beyond):
        return window_sums(samples, window_width, window_height, border, beyond, first)

    area = sums(ones, in_count)

    def mean(total, weight):
        if kind is np.float64:
            with np.errstate(invalid="ignore", divide="ignore"):
                return np.where(weight == 0, 0, total / weight)
        return np.where(weight == 0, 0, round_div(total, np.where(weight == 0, 1, weight)))

    if not weighted:
        result = mean(sums(wide, outside), area)
    else:
        alpha = wide[:, :, -1:]
        weight = sums(alpha, outside[-1:])
        colour = mean(sums(wide[:, :, :-1] * alpha, outside[:-1] * outside[-1]), weight)
        result = np.concatenate([colour, mean(weight, area)], axis=2)
    return result.astype(pixels.dtype)


def random_pixels(rng, height, width, channels, dtype):
    """Random content of several natures: uniform, all the largest or lowest, an impulse, sparse, a wide range of
    floats."""
    shape = (height, width, channels)
    nature = rng.integers(5)
    if np.dtype(dtype).kind == "f":
        pixels = rng.standard_normal(shape) * 10.0 ** rng.integers(-3, 4)
        return (np.abs(pixels) if nature == 0 else pixels).astype(dtype)
    low, top = np.iinfo(dtype).min, np.iinfo(dtype).max
    if low < 0:
        top = low  # the largest magnitude
    if nature == 0:
        return np.full(shape, top, dtype)
    pixels = rng.integers(low, np.iinfo(dtype).max, shape, dtype=dtype, endpoint=True)
    if nature == 1:
        pixels[rng.random(shape) < 0.9] = 0
    if nature == 2:
        pixels[:] = 0
        pixels[rng.integers(height), rng.integers(width)] = top
    return pixels


def float_bound(pixels, window_width, window_height, value=0):
    """How far a float mean may lie from the exact one: the f64 sums of both sides, each addition of which
    rounds once, and the last rounding to f32."""
    largest = float(np.max(np.abs(np.nan_to_num(pixels)), initial=abs(value)))
    additions = (window_width + window_height + sum(pixels.shape[:2])) * 4
    return lambda want: np.abs(want).astype(np.float64) * 2.0 ** -23 + additions * 2.0 ** -52 * largest + 1e-45


def level_of(pixels, counts):
    """The level of a table of (H, W, C) floats with squares (sat_image_level(), sat_query.h)."""
    rows = np.flatnonzero(counts.any((1, 2)))
    if pixels.dtype.kind != "f" or len(rows) == 0:
        return 0.0
    y = rows[0]
    channels = [pixels[y, :, c][counts[y, :, c]].astype("f8") for c in range(pixels.shape[2])]
    medians = np.array([median_of(one[np.isfinite(one)]) for one in channels if np.isfinite(one).any()])
    return medians[0] if len(medians) and (abs(medians - medians[0]) <= abs(medians) / 2).all() else 0.0


def median_of(values):
    """The lower median of up to 33 of them, spread evenly."""
    n = len(values)
    taken = min(n, 33)
    return np.sort([values[-(-k * n // taken)] for k in range(taken)])[(taken - 1) // 2]
