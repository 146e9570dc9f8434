#!/usr/bin/env python3
"""bench.py OUT - `sat bench` and other libraries on the same arrays, on this machine's GPU and its host, in one run.

Writes OUT/h200-sat.csv, h200-scan.csv, h200-box.csv, h200-windows.csv and h200-query.csv in the bench's own columns,
and h200-log.txt.
Environment: SAT, the command [build/sat]; SAT_LIBRARY_PATH, where its libraries are, if they are not the system's;
LIMIT_S, after which nothing more is begun [190]; ONLY, some of "queries boxes windows tables scans shapes"; SMALL=1,
small arrays, to try the script.

The arrays are those that `sat bench` makes (arrays.py makes them again).  Each result is compared with NumPy's before
it is timed, and what differs has no time.  A library that is not here is named on stderr, and has no rows."""
import csv
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
import traceback

import numpy as np

import arrays
import clocks
import libraries

COLUMNS = ("bench,name,width,height,channels,type,accum,model_bytes,cold_us,warm_us,noise_pct,gbps,copy_us,"
           "share_of_copy,min_us,mean_us,runs,check").split(",")
SAT = os.environ.get("SAT", "build/sat")
LIMIT_S = float(os.environ.get("LIMIT_S", "190"))
SMALL = os.environ.get("SMALL") == "1"
# Samples, channels, windows; the slowest of the others' last.
FLOAT_BOXES = [("f32", 1, 31), ("f32", 1, 3), ("f64", 1, 31), ("f32", 3, 31), ("f32", 1, 101), ("f32", 1, 255)]
START = time.monotonic()


def side(n):
    return n // 16 if SMALL else n


def say(text):
    print(f"[{time.monotonic() - START:5.1f} s] {text}", file=sys.stderr, flush=True)


def left_s():
    return LIMIT_S - (time.monotonic() - START)


# ---- rows ------------------------------------------------------------------------------------------------------------


class Rows:
    """A CSV that is whole after every row."""

    def __init__(self, path, keep=False):
        """keep: what the file holds already stays."""
        self.rows, self.path = [], path
        if keep and os.path.exists(path):
            with open(path, encoding="utf-8", newline="") as f:
                self.rows = list(csv.DictReader(f))
        self.write()

    def write(self):
        with open(self.path, "w", encoding="utf-8", newline="") as f:
            out = csv.DictWriter(f, COLUMNS, lineterminator="\n")
            out.writeheader()
            out.writerows(self.rows)

    def add(self, *rows):
        """Of rows of the same work and name the first with times: ceilings are measured by several runs, and what is
        no row of sat's may be one of another library's."""
        for row in rows:
            key = [row[c] for c in COLUMNS[:7]]
            place = next((i for i, r in enumerate(self.rows) if [r[c] for c in COLUMNS[:7]] == key), None)
            if place is None:
                self.rows.append(row)
            elif row["warm_us"] and not self.rows[place]["warm_us"]:
                self.rows[place] = row
        self.write()

    def copy_us(self, like, device, sat):
        """The ceiling of that work in that memory, as sat's rows have it."""
        for row in self.rows:
            same = all(row[c] == like[c] for c in ("bench", "width", "height", "channels", "type", "accum"))
            if same and row["check"].startswith("ok") and sat.on_device(row["name"]) == device and row["copy_us"]:
                return float(row["copy_us"])
        return None


class Sat:
    def __init__(self, log):
        self.log, self.environment = log, dict(os.environ)
        if "SAT_LIBRARY_PATH" in os.environ:
            self.environment["LD_LIBRARY_PATH"] = os.environ["SAT_LIBRARY_PATH"]
        self.backends = [json.loads(line) for line in self.run("bench", "--list", "--json").stdout.splitlines()]
        self.version = self.run("--version").stdout.split("\n")[0]

    def run(self, *words, timeout=60):
        return subprocess.run([SAT, *words], env=self.environment, timeout=timeout, check=False, text=True,
                              capture_output=True)

    def on_device(self, name):
        """Names of scans are those of backends, but for the host's copy and what only scans: cub, warps."""
        return next((b["device"] for b in self.backends if b["name"] == name), name not in ("memcpy", "opencv"))

    def all_but_the_reference(self):
        names = [b["name"] for b in self.backends if b["kind"] in ("method", "peer")]
        return [word for name in names for word in ("--backend", name)]

    def bench(self, to, *words):
        if left_s() < 5:
            say(f"NO TIME LEFT for sat bench {' '.join(words)}")
            return
        shown = " ".join(words)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "rows.csv")
            try:
                done = self.run("bench", *words, "-q", "--csv", "-o", path, timeout=max(5, left_s()))
            except subprocess.TimeoutExpired:
                say(f"TOO LONG: sat bench {shown}")
                return
            if done.returncode != 0 or done.stderr:
                say(f"sat bench {shown}: status {done.returncode}: {done.stderr.strip()}")
            if os.path.exists(path):
                with open(path, encoding="utf-8", newline="") as f:
                    rows = list(csv.DictReader(f))
                to.add(*rows)
                self.log.append(f"{os.path.basename(to.path)}: sat bench {shown}")
                say(f"sat bench {shown}: {len(rows)} rows")


class Peers:
    """Checks and times what other libraries make."""

    def __init__(self, log):
        self.log, self.libraries, self.clocks = log, [], {False: clocks.HostClock()}
        for make in (libraries.CuPy, libraries.PyTorch, libraries.OpenCV,
                     lambda: libraries.NPP(next((x for x in self.libraries if x.device), None))):
            try:
                self.libraries.append(make())
                self.log.append(f"{self.libraries[-1].name}: {self.libraries[-1].version}")
            except Exception as e:  # whatever a library finds wrong with this machine, the others may work
                name = getattr(make, "name", "npp")
                say(f"NO ROWS OF {name}: {type(e).__name__}: {e}")
                self.log.append(f"{name}: no rows: {e}")
        owner = next((x for x in self.libraries if x.device), None)
        if owner:
            self.clocks[True] = clocks.DeviceClock(owner)

    def measure(self, to, sat, job, work_of, right):
        """A row for each library for which work_of(library) gives work; right(library, result) checks it."""
        for library in self.libraries:
            if left_s() < 5:
                say(f"NO TIME LEFT for {library.name}, {job}")
                continue
            row = dict.fromkeys(COLUMNS, "") | job | {"name": library.name}
            work = None
            try:
                work = work_of(library)
                if work is None:
                    continue
                run, result = work
                run()
                if not right(library, result()):
                    row["check"] = "differs from NumPy"
                else:
                    clock = self.clocks[library.device]
                    cold, warm = clock.cold(run), clock.warm(run)
                    copy = to.copy_us(row, library.device, sat)
                    row |= {"cold_us": f"{cold.median:.2f}", "warm_us": f"{warm.median:.2f}",
                            "noise_pct": f"{warm.noise_pct:.1f}", "min_us": f"{warm.least:.2f}",
                            "mean_us": f"{warm.mean:.2f}", "runs": warm.runs, "check": "ok (peer)",
                            "gbps": f"{job['model_bytes'] / warm.median / 1e3:.2f}"}
                    if copy:
                        row |= {"copy_us": f"{copy:.2f}", "share_of_copy": f"{copy / warm.median:.3f}"}
            except Exception as e:  # a library that fails at one job may do the next
                traceback.print_exc()
                row["check"] = f"failed: {type(e).__name__}: {str(e).splitlines()[0][:120] if str(e) else ''}"
            to.add({k: str(v) for k, v in row.items()})
            say(f"{row['bench']} {row['width']}x{row['height']} {row['type']} {row['name']}: {row['warm_us']} us, "
                f"{row['check']}")
            del work
            gc.collect()


# ---- the work --------------------------------------------------------------------------------------------------------


def job(bench, width, height, sample, accum, bytes_, channels=1):
    return {"bench": bench, "width": str(width), "height": str(height), "channels": str(channels), "type": sample,
            "accum": accum, "model_bytes": bytes_}


def same(want):
    return lambda library, have: have.shape == want.shape and have.dtype == want.dtype and bool((have == want).all())


def close_to_means(image, window):
    """By the library's own rule at the edge; what NumPy says is made when it is first asked for."""
    wanted = {}

    def right(library, have):
        cuts = library.box_cuts
        if cuts not in wanted:
            wanted[cuts] = arrays.box_mean(image, window, cuts)
        if have.shape != image.shape or have.dtype != image.dtype:
            return False
        difference = np.subtract(have, wanted[cuts], dtype=np.result_type(have, np.float32))
        return float(np.abs(difference).max()) <= library.box_off_by[image.dtype.name]
    return right


def tables(out, sat, peers):
    rows = Rows(os.path.join(out, "h200-sat.csv"))
    few = sat.all_but_the_reference()

    def bench(size, *words):
        sat.bench(rows, "--size", size, *few, *words)

    squares = [side(n) for n in (8192, 16384, 1024, 2048, 4096)]
    for n in squares:
        bench(str(n))
    for n in squares[:2]:
        bench(str(n), "--type", "f32", "--accum", "f32")
    for n in squares:
        bench(str(n), "--layout", "padded")
    for n in squares:
        pixels = arrays.random_array((n, n), "u8")
        want = arrays.table(pixels, np.uint32)
        wide = np.zeros((n + 1, n + 1), np.uint32)
        wide[1:, 1:] = want
        peers.measure(rows, sat, job("table", n, n, "u8", "u32", 5 * n * n),
                      lambda x, p=pixels: x.table(p, "u32") if hasattr(x, "table") else None, same(want))
        peers.measure(rows, sat, job("table padded", n, n, "u8", "u32", n * n + 4 * (n + 1) ** 2),
                      lambda x, p=pixels: x.padded_table(p) if hasattr(x, "padded_table") else None, same(wide))
    for n in squares[:2]:
        pixels = arrays.random_array((n, n), "f32")
        want = arrays.table(pixels, np.float32)
        peers.measure(rows, sat, job("table", n, n, "f32", "f32", 8 * n * n),
                      lambda x, p=pixels: x.table(p, "f32") if hasattr(x, "table") else None, same(want))


def scans(out, sat, peers):
    rows = Rows(os.path.join(out, "h200-scan.csv"))
    top = 20 if SMALL else 28
    sat.bench(rows, "scan", "--min", "10", "--max", str(top), "--step", "2")
    for sample in ("u32", "f32"):
        if sample == "f32":
            sat.bench(rows, "scan", "--type", sample, "--min", str(top - 4), "--max", str(top), "--step", "2")
        for log2 in (top, top - 2, top - 4, top - 8):
            samples = arrays.random_array(1 << log2, sample)
            want = np.cumsum(samples, dtype=samples.dtype)
            peers.measure(rows, sat, job("scan", 1 << log2, 1, sample, sample, 8 << log2),
                          lambda x, p=samples: x.scan(p) if hasattr(x, "scan") else None, same(want))


def boxes(out, sat, peers):
    rows = Rows(os.path.join(out, "h200-box.csv"))
    n, few = side(8192), sat.all_but_the_reference()
    for window in (31, 101, 3, 15, 255):
        sat.bench(rows, "--box", str(window), "--size", str(n), *few)
    sat.bench(rows, "--box", "1023", "--size", str(n), *few[:4])
    sat.bench(rows, "--box", "31", "--size", str(n), "--type", "f32", *few)
    for sample, channels, window in FLOAT_BOXES[1:]:  # by the first two on the device and the first on the host
        sat.bench(rows, "--box", str(window), "--size", str(n), "--type", sample, "--channels", str(channels), *few[:6])
    image = arrays.random_array((n, n), "u8")

    def measure(pixels, sample, channels, window):
        peers.measure(rows, sat, job(f"box {window}x{window}", n, n, sample, "", 2 * pixels.nbytes, channels),
                      lambda x: x.box(pixels, window) if hasattr(x, "box") else None, close_to_means(pixels, window))

    for window in (31, 101, 3, 15):
        measure(image, "u8", 1, window)
    for sample, channels, window in FLOAT_BOXES:
        shape = (n, n, channels) if channels > 1 else (n, n)
        measure(arrays.random_array(shape, sample, fractions=True), sample, channels, window)
    sat.bench(rows, "--box", "31", "--size", str(n), "--type", "u16", *few)
    sat.bench(rows, "--box", "31", "--size", str(n), "--channels", "3", *few)


def windows(out, sat, peers):
    """Mean and variance of u8, and of the same samples as f32.  The others' variances are differences of large numbers:
    right within 1/2."""
    rows, n = Rows(os.path.join(out, "h200-windows.csv")), side(8192)
    image, wanted = arrays.random_array((n, n), "u8"), {}
    for sample, bytes_, window in (("f32", 12, 31), ("f32", 12, 3), ("u8", 9, 31), ("u8", 9, 3), ("u8", 9, 101)):
        sat.bench(rows, "--box", str(window), "--stat", "mean,var", "--size", str(n), "--type", sample,
                  "--backend", "fused", "--backend", "cpu")

        def right(library, have, window=window):
            key = window, library.box_cuts
            if key not in wanted:
                wanted[key] = arrays.moments(image, window, library.box_cuts)
            return have.shape == wanted[key].shape and float(np.abs(have - wanted[key]).max()) <= 0.5

        def work(library, window=window, pixels=image.astype(arrays.TYPES[sample])):
            return library.moments(pixels, window) if hasattr(library, "moments") else None
        to = "" if sample == "f32" else " to f32"
        peers.measure(rows, sat, job(f"box {window}x{window} mean+var{to}", n, n, sample, "", bytes_ * n * n),
                      work, right)


def shapes(out, sat, peers):
    """Tables of types and shapes that have no peers here, by the first two backends, as far as the time goes."""
    del peers
    rows, few, n = Rows(os.path.join(out, "h200-sat.csv"), keep=True), sat.all_but_the_reference()[:4], str(side(8192))

    def bench(size, *words):
        sat.bench(rows, "--size", size, *few, *words)

    bench(n, "--channels", "3")
    bench(n, "--accum", "u64")
    bench(n, "--type", "f32")
    bench(f"{side(8192) - 1}x{side(8192) + 1}", "--layout", "padded")
    bench(f"{side(16384)}x{side(1024)}")
    bench(f"{side(1024)}x{side(65536)}")
    for n in (8192, 16384):
        bench(str(side(n)), "--type", "u32")


def queries(out, sat, peers):
    del peers  # none answers rectangles
    rows = Rows(os.path.join(out, "h200-query.csv"))
    sat.bench(rows, "queries", "--size", str(side(8192)), "--rects", str(side(10000000)))


def main():
    out, log = sys.argv[1], []
    os.makedirs(out, exist_ok=True)
    sat = Sat(log)
    log[:0] = [f"date: {time.strftime('%Y-%m-%d %H:%M', time.gmtime())} UTC", f"sat: {sat.version}",
               f"python: {sys.version.split()[0]}, numpy {np.__version__}"]
    try:
        log.append("gpu: " + subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"],
                                            capture_output=True, text=True, check=False).stdout.strip())
    except OSError:
        log.append("gpu: no nvidia-smi")
    log.append(f"host: {os.cpu_count()} cores, {os.uname().release}")
    peers = Peers(log)
    parts = {"queries": queries, "boxes": boxes, "windows": windows, "tables": tables, "scans": scans, "shapes": shapes}
    only = os.environ.get("ONLY", " ".join(parts)).split()
    for name, work in parts.items():
        if name in only:
            try:
                work(out, sat, peers)
            except Exception:  # the other files are worth having
                traceback.print_exc()
        with open(os.path.join(out, "h200-log.txt"), "w", encoding="utf-8") as f:
            f.write("\n".join(log) + "\n")
    say("done")


if __name__ == "__main__":
    main()
