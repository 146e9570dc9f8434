#!/usr/bin/env python3
"""nodata.py WORK OUT [ROUNDS] - images with holes: what leaving samples out costs, and what others make of rasters.

Times are of one thread, processor time, the least and the median of ROUNDS (15) turns: an operation on all samples,
then the same on those that count.  The three rasters are those that packages carry: heights of rasterstats' tests,
topography of matplotlib's, the near infrared of xarray-spatial's.  What others make is compared, not timed."""
import ctypes
import glob
import json
import os
import resource
import statistics
import subprocess
import sys
import tarfile
import time
import warnings

import astropy
import exactextract
import matplotlib.cbook
import numpy as np
import rasterio
import rasterstats
import scipy
from affine import Affine
from astropy.convolution import Box2DKernel, Gaussian2DKernel, convolve
from exactextract.raster import NumPyRasterSource
from scipy.ndimage import gaussian_filter

from report import first_line, machine, write

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
from satlib import (LIB, SAT, TYPES, BoxSpec, GaussSpec, Output, Run, View, WindowSpec, code, need,  # noqa: E402
                    run_sat, sized)

SIDE, SIZE = 31, 4096
NODATA = -9999.0

# ---- times -----------------------------------------------------------------------------------------------


def view(array):
    name = next(n for n in TYPES if TYPES[n] == array.dtype.type)
    return View(array.ctypes.data, array.strides[0], array.shape[1], array.shape[0], 1, code(name), 0)


def box(a):
    out = np.zeros_like(a)
    spec = BoxSpec(a.shape[1], a.shape[0], 1, view(a).type, SIDE, SIDE, b"shrink", threads=1)
    made, views = ctypes.c_void_p(), (view(a), view(out))
    need(LIB.sat_box_create_sized(ctypes.byref(made), *sized(spec)))
    return lambda: need(LIB.sat_box_run_sized(made, *map(ctypes.byref, views), *sized(None))) or (out, a)


def mean(a, mask=None, skip_nan=False, nodata=None):
    """What `sat --box` runs where samples may not count."""
    out, asked = np.zeros_like(a), (Output * 1)()
    asked[0].statistic, asked[0].result = b"mean", view(a).type
    spec = WindowSpec(a.shape[1], a.shape[0], 1, view(a).type, SIDE, SIDE, b"shrink", outputs=1, output=asked,
                      masked=mask is not None, skip_nan=skip_nan, threads=1)
    if nodata is not None:
        spec.has_nodata = spec.empty_set = spec.avoid_empty = True
        spec.nodata = spec.empty = nodata
    made, views = ctypes.c_void_p(), (view(a), view(out), None if mask is None else view(mask))
    need(LIB.sat_window_create_sized(ctypes.byref(made), *sized(spec)))
    return lambda: need(LIB.sat_window_run_sized(made, ctypes.byref(views[0]), views[2] and ctypes.byref(views[2]),
                                                 ctypes.byref(views[1]), *sized(None))) or (out, a, mask)


def gauss(a, mask=None):
    out = np.zeros_like(a)
    spec = GaussSpec(width=a.shape[1], height=a.shape[0], channels=1, sample=view(a).type, sigma=3.0, border=b"shrink",
                     threads=1, masked=mask is not None)
    made, views = ctypes.c_void_p(), (view(a), view(out), None if mask is None else view(mask))
    run = Run() if mask is None else Run(mask=ctypes.pointer(views[2]))
    need(LIB.sat_gauss_create_sized(ctypes.byref(made), *sized(spec)))
    return lambda: need(LIB.sat_gauss_run_sized(made, ctypes.byref(views[0]), ctypes.byref(views[1]),
                                                *sized(run))) or (out, a, mask)


def in_turns(calls, rounds):
    """[milliseconds of each turn] of each call"""
    times = [[] for _ in calls]
    for call in calls:
        call()
    for _ in range(rounds):
        for of, call in zip(times, calls):
            start = time.process_time()
            call()
            of.append((time.process_time() - start) * 1e3)
    return times


def rows_of(calls, rounds):
    """calls: (name, call, floor), the first of which is the plain one"""
    times = in_turns([call for _, call, _ in calls], rounds)
    plain, rows = times[0], []
    for (name, _, floor), of in zip(calls, times):
        ratio = min(of) / min(plain)
        missed = " !" if floor and ratio > floor else ""
        rows.append([name, f"{min(of):.2f}", f"{statistics.median(of):.2f}", f"{ratio:.2f}{missed}", floor or ""])
    return rows


def children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def rectangles(work, rounds):
    """The whole command, processor time: 10^5 rectangles of a table with holes."""
    rng = np.random.default_rng(2)
    raster = rng.normal(300, 40, (SIZE, SIZE)).astype(np.float32)
    raster[rng.random(raster.shape) < 1 / 8] = NODATA
    corners = rng.integers(0, SIZE - 512, (100000, 2))
    names = [os.path.join(work, name) for name in ("raster.npy", "rects.npy", "table.npy", "answers.npy")]
    np.save(names[0], raster)
    np.save(names[1], np.hstack([corners, rng.integers(1, 513, (100000, 2))]))
    need_ok(run_sat(names[0], "-o", names[2], "--moments", "0,1,2", "--nodata", "-9999", "--threads", 1))
    used = []
    for _ in range(rounds):
        start = children()
        need_ok(run_sat("query", names[2], "--rects", names[1], "--stat", "mean,std,count", "--threads", 1, "-o",
                        names[3]))
        used.append((children() - start) * 1e3)
    return ["10^5 rectangles, mean, std and count, of a table of f32", f"{min(used):.1f}",
            f"{statistics.median(used):.1f}", "!" if min(used) > 100 else "", "100 ms"]


def need_ok(done):
    if done[0]:
        raise SystemExit(done[2])


def times(work, rounds):
    rng = np.random.default_rng(1)
    u8 = rng.integers(0, 256, (SIZE, SIZE), np.uint8)
    mask = (rng.random(u8.shape) < 7 / 8).astype(np.uint8)
    f32 = u8.astype(np.float32)
    holes = np.where(mask != 0, f32, np.float32("nan"))
    return [*rows_of([("u8 31x31", box(u8), None), ("u8 31x31, with a mask", mean(u8, mask), 2.5),
                      ("u8 31x31, with a value", mean(u8, nodata=7), None)], rounds),
            *rows_of([("f32 31x31", box(f32), None), ("f32 31x31, with a mask", mean(f32, mask), 2),
                      ("f32 31x31, NaN left out", mean(holes, skip_nan=True), 2)], rounds),
            *rows_of([("Gaussian, f32, sigma 3", gauss(f32), None), ("the same with a mask", gauss(f32, mask), 2.5)],
                     rounds), rectangles(work, rounds)]


# ---- rasters ---------------------------------------------------------------------------------------------


def source_of(package, work):
    """The archive of a package's source, unpacked: its tests have rasters that its wheel lacks."""
    for _ in range(2):
        found = glob.glob(os.path.join(work, package.replace("-", "?") + "-*", ""))
        if found:
            return found[0]
        subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", package, "-d", work,
                        package], check=True)
        with tarfile.open(glob.glob(os.path.join(work, package.replace("-", "?") + "-*.tar.gz"))[0]) as archive:
            archive.extractall(work, filter="data")
    raise SystemExit(f"no source of {package}")


def rasters(work):
    """(name, samples, which count): f32, NODATA where there is nothing"""
    with rasterio.open(os.path.join(source_of("rasterstats", work), "tests", "data", "slope_nodata.tif")) as file:
        heights = file.read(1).astype(np.float32)
        heights[heights == file.nodata] = NODATA
    with np.load(matplotlib.cbook.get_sample_data("topobathy.npz", asfileobj=False)) as file:
        land = np.where(file["topo"] >= 0, file["topo"], NODATA).astype(np.float32)
    folder = os.path.join(source_of("xarray-spatial", work), "xrspatial", "datasets", "sentinel-2")
    with scipy.io.netcdf_file(os.path.join(folder, "nir_band.nc"), mmap=False) as file:
        infrared = next(v[:] for v in file.variables.values() if len(v.shape) >= 2)
        infrared = np.ascontiguousarray(infrared.reshape(infrared.shape[-2:]), np.float32)
    infrared[np.isnan(infrared) | (infrared < 1300)] = NODATA
    for name, samples in (("slope_nodata.tif", heights), ("topobathy.npz, land", land),
                          ("nir_band.nc, above 1300", infrared)):
        yield name, samples, samples != np.float32(NODATA)


def save(work, samples):
    path = os.path.join(work, "raster.tif")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with rasterio.open(path, "w", driver="GTiff", height=samples.shape[0], width=samples.shape[1], count=1,
                           dtype="float32", nodata=NODATA, transform=Affine(1, 0, 0, 0, -1, samples.shape[0])) as file:
            file.write(samples, 1)
    return path


def answers(path, rects, work):
    np.save(os.path.join(work, "rects.npy"), rects)
    done = run_sat("query", path, "--rects", os.path.join(work, "rects.npy"), "--stat", "mean,std,count", "--json")
    need_ok(done)
    rows = [json.loads(line) for line in done[1].splitlines()]
    return [np.array([np.nan if row[s][0] is None else row[s][0] for row in rows]) for s in ("mean", "std", "count")]


def differences(ours, theirs, spread):
    """The largest, of the raster's deviation; and results that one has and the other has not."""
    both = ~np.isnan(ours) & ~np.isnan(theirs)
    off = np.abs(ours[both] - theirs[both])
    return f"{off.max(initial=0) / spread:.1e}", int((np.isnan(ours) != np.isnan(theirs)).sum()), int(both.sum())


def filtered(path, work, *args):
    out = os.path.join(work, "out.npy")
    need_ok(run_sat(path, *args, "--result", "f64", "--nodata", f"{NODATA:.0f}", "-o", out))
    made = np.load(out)
    return np.where(made == NODATA, np.nan, made)


def compared(work):
    rows, rng = [], np.random.default_rng(3)
    warnings.simplefilter("ignore")
    for name, samples, valid in rasters(work):
        path, (height, width) = save(work, samples), samples.shape
        real, spread = np.where(valid, samples.astype(float), np.nan), samples[valid].std(dtype=float)
        what = f"{name}, {width}x{height}, {(~valid).sum()} holes"

        def add(ours, theirs, other, text):
            rows.append([what, text, other, *differences(np.asarray(ours, float), np.asarray(theirs, float), spread)])

        x, y = rng.integers(0, width - 20, 200), rng.integers(0, height - 20, 200)
        whole = np.stack([x, y, rng.integers(1, 21, 200), rng.integers(1, 21, 200)], 1)
        shapes = [{"type": "Polygon", "coordinates": [[[x, height - y], [x + w, height - y], [x + w, height - y - h],
                                                       [x, height - y - h], [x, height - y]]]}
                  for x, y, w, h in whole.tolist()]
        theirs = rasterstats.zonal_stats(shapes, path, stats=["mean", "std", "count"])
        for stat, ours in zip(("mean", "std", "count"), answers(path, whole, work)):
            other = [np.nan if row[stat] is None or row[stat] is np.ma.masked else row[stat] for row in theirs]
            add(ours, other, "rasterstats", f"200 rectangles, {stat}")

        parts = whole + rng.random(whole.shape) * 0.9
        corners = [[(x, height - y), (x + w, height - y), (x + w, height - y - h), (x, height - y - h), (x, height - y)]
                   for x, y, w, h in parts.tolist()]
        zones = [{"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": [ring]}}
                 for ring in corners]
        source = NumPyRasterSource(samples, xmin=0, ymin=0, xmax=width, ymax=height, nodata=np.float32(NODATA))
        theirs = exactextract.exact_extract(source, zones, ["mean", "stdev", "count"])
        inside = (parts[:, 0] + parts[:, 2] <= width) & (parts[:, 1] + parts[:, 3] <= height)
        for stat, key, ours in zip(("mean", "std", "count"), ("mean", "stdev", "count"),
                                   answers(path, parts[inside], work)):
            other = np.array([np.nan if row["properties"][key] is None else row["properties"][key] for row in theirs])
            add(ours, other[inside], "exactextract", f"{inside.sum()} rectangles with fractions, {stat}")

        with rasterio.open(path) as file:
            theirs = file.statistics(1, approx=False, clear_cache=True)
        ours = answers(path, np.array([[0, 0, width, height]]), work)
        add([ours[0][0], ours[1][0]], [theirs.mean, theirs.std], "GDAL", "the whole: mean, std")

        add(filtered(path, work, "--box", 9),
            convolve(real, Box2DKernel(9), boundary="fill", fill_value=np.nan, nan_treatment="interpolate"), "astropy",
            "9x9 mean")
        holes = np.where(valid, samples, 0).astype(float)
        add(filtered(path, work, "--gauss", 2),
            convolve(real, Gaussian2DKernel(2, x_size=17, y_size=17), boundary="fill", fill_value=np.nan,
                     nan_treatment="interpolate"), "astropy", "Gaussian, sigma 2")
        for sigma, share in (2, 0), (8, 0), (8, 0.1):
            weight = gaussian_filter(valid.astype(float), sigma, mode="reflect")
            top = gaussian_filter(holes, sigma, mode="reflect")
            theirs = np.where(weight > share, top / np.where(weight > 0, weight, 1), np.nan)
            least = ["--min-valid", share] if share else []
            add(filtered(path, work, "--gauss", sigma, "--border", "reflect", *least), theirs,
                "SciPy, of two filters", f"Gaussian, sigma {sigma}" + f", of {share:.0%} of the weight" * bool(share))
    return rows


def main():
    work, out = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 15
    block = machine({"sat": first_line(SAT, "--version"), "astropy": astropy.__version__,
                     "exactextract": exactextract.__version__, "rasterio": rasterio.__version__,
                     "GDAL": rasterio.__gdal_version__, "rasterstats": rasterstats.__version__,
                     "SciPy": scipy.__version__, "command": f"tests/peers/nodata.py WORK OUT {rounds}"})
    intro = ["Times: 4096x4096, one thread, processor time in milliseconds; the ways take turns. One pixel in eight",
             "does not count, at random. An exclamation mark: above the floor. The rectangles: the whole command.", "",
             "Differences: the largest, as a share of the raster's standard deviation, and results that are NaN on one",
             "side alone. slope_nodata.tif comes with rasterstats, topobathy.npz with matplotlib, nir_band.nc with",
             "xarray-spatial."]
    write(os.path.join(out, "nodata"), "No data: what it costs, and what others make of it", block, intro,
          [("Times", ["what", "least ms", "median ms", "of the plain one", "floor"], times(work, rounds)),
           ("Beside others", ["raster", "what", "other", "difference", "NaN on one side", "results"], compared(work))])


if __name__ == "__main__":
    main()
