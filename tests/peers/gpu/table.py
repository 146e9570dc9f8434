#!/usr/bin/env python3
"""table.py FOLDER - the README's table of a GPU, in Markdown, from the h200-*.csv that bench.py wrote into FOLDER.

Warm times in microseconds; in brackets the share of a copy of the same bytes, in the same memory and run.  Ours is
the fastest of our methods in device memory.  What has no row is left blank; works of which
nothing was timed are left out."""
import csv
import os
import sys

PEERS = [("CUB", ("cub", "cub-rows")), ("NPP", ("npp",)), ("CuPy", ("cupy",)), ("PyTorch", ("pytorch",)),
         ("OpenCV, host", ("opencv",))]
SQUARES = (1024, 2048, 4096, 8192, 16384)
# What it is called; the file; bench, width, height, channels, type, accum; the bench of peers that have no other.
WORKS = [(f"table, u8 to u32, {n}x{n}", "sat", ("table", n, n, 1, "u8", "u32"), "table padded") for n in SQUARES]
WORKS += [(f"table, {a} to {b}, {n}x{n}{c}", "sat", ("table", n, n, k, a, b), "table padded")
          for a, b, n, k, c in (("f32", "f32", 8192, 1, ""), ("f32", "f32", 16384, 1, ""), ("u32", "u32", 8192, 1, ""),
                                ("u32", "u32", 16384, 1, ""), ("u8", "u64", 8192, 1, ""), ("f32", "f64", 8192, 1, ""),
                                ("u8", "u32", 8192, 3, ", 3 channels"))]
WORKS += [(f"table, padded, u8 to u32, {w}x{h}", "sat", ("table padded", w, h, 1, "u8", "u32"), None)
          for w, h in ((8191, 8193), (8192, 8192), (16384, 16384))]
WORKS += [(f"table, u8 to u32, {w}x{h}", "sat", ("table", w, h, 1, "u8", "u32"), None)
          for w, h in ((16384, 1024), (1024, 65536))]
WORKS += [(f"scan of 2^{k} {t}", "scan", ("scan", 1 << k, 1, 1, t, t), None)
          for t, k in (("u32", 24), ("u32", 26), ("u32", 28), ("f32", 28))]
WORKS += [(f"box {w}x{w}, {t}, 8192x8192{c}", "box", (f"box {w}x{w}", 8192, 8192, k, t, ""), None)
          for w, t, k, c in ((3, "u8", 1, ""), (15, "u8", 1, ""), (31, "u8", 1, ""), (101, "u8", 1, ""),
                             (255, "u8", 1, ""), (31, "u8", 3, ", 3 channels"), (31, "u16", 1, ""), (3, "f32", 1, ""),
                             (31, "f32", 1, ""), (101, "f32", 1, ""), (255, "f32", 1, ""),
                             (31, "f32", 3, ", 3 channels"), (31, "f64", 1, ""))]
WORKS += [("10 million means of rectangles, 8192x8192", "query", ("query 8192x8192", 10000000, 1, 1, "u8", "u32"),
           None)]


def read(folder):
    files = {}
    for name in ("sat", "scan", "box", "query"):
        path = os.path.join(folder, f"h200-{name}.csv")
        files[name] = []
        if os.path.exists(path):
            with open(path, encoding="utf-8", newline="") as f:
                files[name] = [row for row in csv.DictReader(f) if row["warm_us"]]
    return files


def of(rows, work):
    want = dict(zip(("bench", "width", "height", "channels", "type", "accum"), map(str, work)))
    return [row for row in rows if all(row[k] == v for k, v in want.items())]


def cell(row):
    if row is None:
        return ""
    us = float(row["warm_us"])
    share = f" ({float(row['share_of_copy']):.2f})" if row["share_of_copy"] else ""
    return f"{us:.1f}{share}" if us < 100 else f"{us:.0f}{share}"


def main():
    files = read(sys.argv[1])
    print("| us, and share of a copy | ours | by | " + " | ".join(name for name, _ in PEERS) + " |")
    print("|---|--:|---|" + "--:|" * len(PEERS))
    for name, file, work, otherwise in WORKS:
        rows = of(files[file], work)
        copy = [row["copy_us"] for row in rows if row["name"] in ("cuda-memcpy", "device-memcpy")]
        ours = [row for row in rows if row["check"] == "ok" and
                (row["copy_us"] in copy if row["copy_us"] else row["name"] == "device")]
        best = min(ours, key=lambda row: float(row["warm_us"]), default=None)
        more = of(files[file], (otherwise, *work[1:])) if otherwise else []
        cells = []
        for _, names in PEERS:
            found = [row for row in rows + more if row["name"] in names and row["check"] == "ok (peer)"]
            cells.append(found[0] if found else None)
        if best or any(cells):
            print("| " + " | ".join([name, cell(best), f"`{best['name']}`" if best else "", *map(cell, cells)]) + " |")


main()
