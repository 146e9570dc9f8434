"""sat.dask beside dask.array with SciPy and scikit-image: processor time and memory of the workers of a LocalCluster.

    build/python/venv/bin/python docs/bench/cluster.py FOLDER [SIDE [ROUNDS [NAME...]]] >docs/bench/cluster.md

An image of SIDE^2 (20000) u8, smooth with noise, is written to FOLDER as Zarr in chunks of 2500^2, uncompressed and
with zstd; results go there, too, uncompressed, and are removed.  The ways of a name take turns, ROUNDS (5) times, each
on a new cluster of two workers of one thread: the time of user and system of both processes, less what starting and
importing took, and the larger VmHWM.  The line of a way has its run of least time, the median, the largest peak.
"""

import datetime
import importlib
import os
import pathlib
import platform
import shutil
import statistics
import sys
import time

import dask
import dask.array as da
import distributed
import numpy as np
import sat
import sat.dask
import scipy.ndimage
import zarr

CHUNK = 2500


def image(path, side, compressors):
    """A sum of waves, and noise."""
    z = zarr.create_array(path, shape=(side, side), chunks=(CHUNK, CHUNK), dtype="u1", compressors=compressors)
    rng = np.random.default_rng(1)
    for y in range(0, side, CHUNK):
        for x in range(0, side, CHUNK):
            high, wide = min(CHUNK, side - y), min(CHUNK, side - x)
            waves = np.sin(np.arange(y, y + high) / 300.0)[:, None] + np.cos(np.arange(x, x + wide) / 500.0)
            z[y : y + high, x : x + wide] = 110 + 50 * waves + rng.integers(0, 40, (high, wide))


def used(name):
    """Of this process: seconds of the processor, for itself and in the system, and its peak in MB, after an import."""
    importlib.import_module(name)
    times = os.times()
    with open("/proc/self/status") as status:
        peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    return times.user, times.system, peak / 1024


def one_thread():
    sat.set_num_threads(1)


def overlapped(function, path, depth, dtype):
    """The usual way: a function of a chunk and what is around it."""
    x = da.from_zarr(path)
    return x.map_overlap(function, depth=depth, boundary="none", dtype=dtype, meta=np.empty((0, 0), dtype))


def mean_std(block):
    f = block.astype(np.float32)
    mean = scipy.ndimage.uniform_filter(f, 31)
    return np.stack([mean, np.sqrt(np.maximum(scipy.ndimage.uniform_filter(f * f, 31) - mean * mean, 0))])


def scipy_mean_std(path):
    """Both from one pass, as a new axis."""
    x = da.overlap.overlap(da.from_zarr(path), {0: 15, 1: 15}, {0: "none", 1: "none"})
    both = x.map_blocks(mean_std, dtype="f4", new_axis=0, chunks=((2,), *x.chunks), meta=np.empty((0, 0, 0), "f4"))
    return da.overlap.trim_internal(both, {1: 15, 2: 15}, {1: "none", 2: "none"})


def sauvola(block):
    import skimage.filters

    return block > skimage.filters.threshold_sauvola(block, 31, k=0.2)


def cumsum(path):
    return da.from_zarr(path).cumsum(0, dtype="u8").cumsum(1)


KINDS = {"uncompressed": None, "zstd": "auto"}  # of the image's chunks
TO = "to="  # a way that writes what it makes
RUNS = {
    "mean 31": {
        "sat.dask.box, to=": lambda path, to: sat.dask.box(path, 31, to=to, compressors=None),
        "sat.dask.box, da.store": lambda path: sat.dask.box(path, 31),
        "map_overlap, sat.box": lambda path: overlapped(lambda a: sat.box(a, 31), path, 15, "u1"),
        "map_overlap, scipy uniform_filter": lambda path: overlapped(
            lambda a: scipy.ndimage.uniform_filter(a, 31), path, 15, "u1"
        ),
        "no filter, da.store": da.from_zarr,
    },
    "mean and std 31, f32": {
        "sat.dask.window, to=": lambda path, to: sat.dask.window(path, 31, ["mean", "std"], to=to, compressors=None),
        "sat.dask.window, da.store": lambda path: list(sat.dask.window(path, 31, ["mean", "std"])),
        "overlap, two scipy uniform_filter": scipy_mean_std,
        "no filter, as f32 twice, da.store": lambda path: [da.from_zarr(path).astype("f4")] * 2,
    },
    "table u64": {
        "sat.dask.table, to=": lambda path, to: sat.dask.table(path, to=to, compressors=None),
        "da.cumsum twice": cumsum,
    },
    "gauss 3": {
        "sat.dask.gauss, to=": lambda path, to: sat.dask.gauss(path, 3, to=to, compressors=None),
        "map_overlap, scipy gaussian_filter": lambda path: overlapped(
            lambda a: scipy.ndimage.gaussian_filter(a, 3), path, 12, "u1"
        ),
    },
    "sauvola 31": {
        "sat.dask.threshold, to=": lambda path, to: sat.dask.threshold(
            path, 31, "sauvola", k=0.2, to=to, compressors=None
        ),
        "map_overlap, skimage": lambda path: overlapped(sauvola, path, 15, "?"),
    },
}


def measured(way, make, source, target):
    """Processor time, for itself and in the system, wall time, peak."""
    needs = next(
        (m for word, m in [("scipy", "scipy.ndimage"), ("skimage", "skimage.filters")] if word in way), "sat.dask"
    )
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.run(one_thread)
        before, start = client.run(used, needs), time.monotonic()
        if way.endswith(TO):
            make(source, target)
        else:
            made = make(source)
            results = made if isinstance(made, list) else [made]
            targets = [
                zarr.create_array(
                    f"{target}/{i}",
                    shape=a.shape,
                    chunks=a.chunksize,
                    dtype=a.dtype,
                    compressors=None,
                    config={"write_empty_chunks": True},
                )
                for i, a in enumerate(results)
            ]
            da.store(results, targets, lock=False)
        wall, after = time.monotonic() - start, client.run(used, needs)
    user, system = (sum(after[w][i] - before[w][i] for w in before) for i in (0, 1))
    return user, system, wall, max(after[w][2] for w in after)


def main():
    folder = pathlib.Path(sys.argv[1])
    side, rounds = (int(given or usual) for given, usual in zip([*sys.argv[2:4], "", ""], (20000, 5)))
    dask.config.set({"distributed.worker.memory.terminate": False})
    print(f"# sat.dask, {side}^2 u8 in Zarr, chunks {CHUNK}^2\n")
    print(
        f"{datetime.date.today()}, {platform.platform()}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}; "
        f"Python {platform.python_version()}, dask {dask.__version__}, zarr {zarr.__version__}, "
        f"scipy {scipy.__version__}; `docs/bench/cluster.py {' '.join(sys.argv[1:])}`\n\n"
        f"The ways of a name in turns, {rounds} runs each.\n"
    )
    print(
        "| | | workers' CPU s, least | of it user | median | least, the first's to it | medians "
        "| wall s | peak MB a worker |\n"
        "|---|---|--:|--:|--:|--:|--:|--:|--:|",
        flush=True,
    )
    for kind, compressors in KINDS.items():
        if not (folder / f"{kind}.zarr").exists():
            image(folder / f"{kind}.zarr", side, compressors)
    for name, ways in RUNS.items():
        for kind in KINDS if len(sys.argv) <= 4 or name in sys.argv[4:] else ():
            source = folder / f"{kind}.zarr"
            runs = {way: [] for way in ways}
            for way, make in list(ways.items()) * rounds:
                target = folder / "result.zarr"
                shutil.rmtree(target, ignore_errors=True)
                runs[way].append(measured(way, make, str(source), str(target)))
                shutil.rmtree(target, ignore_errors=True)
            firsts = None
            for way, found in runs.items():
                cpus = [user + system for user, system, _, _ in found]
                least, median = min(cpus), statistics.median(cpus)
                firsts = firsts or (least, median)
                print(
                    f"| {name}, {kind} | {way} | {least:.1f} | {found[cpus.index(least)][0]:.1f} | {median:.1f} "
                    f"| {firsts[0] / least:.2f} | {firsts[1] / median:.2f} "
                    f"| {min(wall for _, _, wall, _ in found):.1f} | {max(peak for *_, peak in found):.0f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
