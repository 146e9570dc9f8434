"""sat.dask: bits of the functions of the whole image, from stores and Dask arrays; tables; rectangles; DataArrays."""

import collections
import pathlib
import pickle
import re
import types

import numpy as np
import oracle
import pytest

import sat

pytest.importorskip("dask.array", reason="Dask is not installed (pip install 'libsat[dask]')")
pytest.importorskip("zarr", reason="Zarr is not installed (pip install 'libsat[dask]')")

import dask
import dask.array as da
import zarr

import sat.dask as sd
from sat import _core
from sat import _dask_tables as tables

BOUND = 1e-12  # of floats, as a share of the largest sample


@pytest.fixture(autouse=True)
def _threads_of_dask():
    with dask.config.set(scheduler="threads", num_workers=2):
        yield


def stored(a, chunks, store=None, **options):
    chunks = tuple(min(c, side) for c, side in zip(chunks, a.shape))
    z = zarr.create_array({} if store is None else store, shape=a.shape, chunks=chunks, dtype=a.dtype, **options)
    z[...] = a
    return z


def ways(rng, channels):
    """Random calls, of sat and of sat.dask alike."""
    size = tuple(rng.integers(1, 40, 2).tolist())
    sigma = float(rng.uniform(0.2, 4))
    ddof = int(rng.integers(0, 2))
    options = {"border": str(rng.choice(oracle.BORDERS)), "channel_axis": channels}
    return [
        lambda m, x, **o: m.box(x, size, **o, **options),
        lambda m, x, **o: m.box(x, size[0], dtype="f4", anchor="first", min_valid=0.5, empty=7, **o, **options),
        lambda m, x, **o: m.window(x, size, ["mean", "std", "count"], ddof=ddof, **o, **options),
        lambda m, x, **o: m.window(x, size, ["sum"], keep_holes=True, **o, **options),
        lambda m, x, **o: m.window(x, size, "niblack", k=-0.3, **o, **options),
        lambda m, x, **o: m.threshold(x, size, "sauvola", k=0.2, **o, **options),
        lambda m, x, **o: m.gauss(x, sigma, **o, **options),
        lambda m, x, **o: m.unsharp(x, sigma, 0.7, **o, **options),
    ]


def cut(rng, side):
    """Chunks of different lengths."""
    return tuple(np.diff([0, *sorted({*rng.integers(0, side, 3).tolist()} - {0}), side]).tolist())


def listed(results):
    return list(results) if isinstance(results, (tuple, list)) else [results]


@pytest.mark.parametrize("seed", range(40))
def test_filters_have_the_bits_of_the_whole(seed, monkeypatch, tmp_path):
    rng = np.random.default_rng(seed)
    shape, chunks = rng.integers(1, 120, 2).tolist(), rng.integers(1, 70, 2).tolist()
    shape[0] *= int(rng.integers(1, 4))
    channels = [None, None, None, 0, 2][seed % 5]
    if channels is not None:
        shape.insert(channels, int(rng.integers(1, 7)))
        chunks.insert(channels, int(rng.integers(1, 4)))
    plane = shape[1:] if channels == 0 else shape[:2]
    a = oracle.image(rng, shape, rng.choice(oracle.DTYPES))
    calls = ways(rng, channels)
    call = calls[seed % len(calls)]
    options = {"nodata": float(a.flat[0])} if rng.random() < 0.3 else {}
    mask = rng.random(plane) < 0.8 if rng.random() < 0.4 else None
    try:
        wanted = listed(call(sat, a, mask=mask, **options))
    except ValueError as refused:
        with pytest.raises(ValueError, match="beyond the image"):
            for result in listed(call(sd, stored(a, chunks), mask=None if mask is None else stored(mask, [9, 9]))):
                result.compute()
        assert "beyond the image" in str(refused)
        return
    z = stored(a, chunks)
    monkeypatch.setattr(sd, "_RUN_ROWS", int(rng.integers(1, 5)) * 8)
    shapes = da.from_array(a, chunks=z.chunks).chunks
    masks = None if mask is None else stored(mask, [17, 23])
    got = listed(call(sd, z, mask=masks, **options))
    for result, want, value in zip(got, wanted, dask.compute(*got), strict=True):
        assert result.chunks == shapes and result.dtype == value.dtype == want.dtype
        np.testing.assert_array_equal(value, want)
    monkeypatch.setattr(sd, "CHUNK_BYTES", int(rng.integers(1, 4000)))
    monkeypatch.setattr(sd, "_BAND_STEPS", int(rng.integers(1, 9)))
    for result, want in zip(listed(call(sd, z, mask=masks, to=tmp_path / "rows.zarr", **options)), wanted, strict=True):
        assert result.chunks == z.chunks and result.dtype == want.dtype
        np.testing.assert_array_equal(result[...], want)
    cuts = tuple(cut(rng, side) for side in shape)
    try:
        got = listed(call(sd, da.from_array(a, chunks=cuts), mask=mask, **options))
    except ValueError as refused:
        assert "cannot go around" in str(refused)
        return
    written = listed(call(sd, da.from_array(a, chunks=cuts), mask=mask, to=tmp_path / "chunks.zarr", **options))
    for result, want, value, there in zip(got, wanted, dask.compute(*got), written, strict=True):
        assert result.chunks == cuts and value.dtype == want.dtype and there.chunks == tuple(map(max, cuts))
        np.testing.assert_array_equal(there[...], value)
        if a.dtype.kind == "f" and value.dtype.kind == "f":
            np.testing.assert_allclose(value, want, rtol=1e-6, atol=BOUND * 40 * 40 * 1e4)
        elif a.dtype.kind != "f":
            np.testing.assert_array_equal(value, want)


class Counting(zarr.storage.MemoryStore):
    """A store that counts what is read."""

    reads = collections.Counter()

    async def get(self, key, *arguments, **options):
        Counting.reads[key] += 1
        return await super().get(key, *arguments, **options)


@pytest.mark.parametrize("border", ["shrink", "wrap"])
@pytest.mark.parametrize("size", [9, 31, (201, 9)])
def test_chunks_are_decoded_at_most_twice(rng, border, size, tmp_path):
    a = oracle.image(rng, (260, 90), "float32")
    z = stored(a, (20, 31), Counting())
    results = sd.window(z, size, ["mean", "std"], border)
    made = lambda: dask.compute(*results), lambda: sd.window(z, size, ["mean", "std"], border, to=tmp_path / "to.zarr")
    for make in made:
        Counting.reads.clear()
        mean, std = make()
        reads = [n for key, n in Counting.reads.items() if "c/" in key]
        assert len(reads) == 13 * 3 and max(reads) <= 2
        np.testing.assert_array_equal(mean[...], sat.window(a, size, "mean", border))
        np.testing.assert_array_equal(std[...], sat.window(a, size, "std", border))


@pytest.mark.parametrize("at_once, bands", [(1, 2), (2, 2), (3, 3), (5, 4), (99, 12)])
def test_bands_decode_few_chunks_twice_and_all_work(rng, at_once, bands, tmp_path):
    a = oracle.image(rng, (240, 50), "uint8")
    z = stored(a, (20, 20), Counting())
    Counting.reads.clear()
    with dask.config.set(num_workers=at_once):
        np.testing.assert_array_equal(sd.box(z, 9, to=tmp_path / "to.zarr")[...], sat.box(a, 9))
    twice = [key for key, n in Counting.reads.items() if n == 2]
    assert sum(Counting.reads[f"c/{y}/{x}"] for y in range(12) for x in range(3)) == 12 * 3 + len(twice)
    assert len(twice) == 3 * min(12, 2 * (bands - 1)), "where bands meet"


@pytest.mark.parametrize(
    "high, chunk, size, border",
    [(100, 10, (301, 3), "shrink"), (44, 22, (61, 5), "reflect"), (90, 15, (150, 3), "constant")],
)
def test_a_band_that_has_no_result_before_its_last_step(rng, high, chunk, size, border, tmp_path):
    a = oracle.image(rng, (high, 20), "uint8")
    with dask.config.set(num_workers=1):
        got = sd.box(stored(a, (chunk, 20)), size, border, to=tmp_path / "to.zarr")
    np.testing.assert_array_equal(got[...], sat.box(a, size, border))


class Scheduler:
    """A scheduler that is a method, and no Client."""

    def get(self, graph, keys, **options):
        return dask.get(graph, keys, **options)


def test_a_scheduler_that_is_a_method_of_anything(rng, tmp_path):
    a = oracle.image(rng, (40, 30), "uint8")
    with dask.config.set(scheduler=Scheduler().get):
        np.testing.assert_array_equal(sd.box(stored(a, (10, 20)), 5, to=tmp_path / "to.zarr")[...], sat.box(a, 5))


def test_what_is_written(rng, tmp_path):
    a = np.zeros((40, 30), np.uint8)
    for i, source in enumerate([stored(a, (10, 20)), da.from_array(a, chunks=(10, 20))]):
        to = tmp_path / f"{i}.zarr"
        mean, std = sd.window(source, 5, ["mean", "std"], to=to, compressors=None)
        assert sorted(dict(zarr.open_group(to).arrays())) == ["mean", "std"] and mean.compressors == ()
        assert sum(path.is_file() for path in to.glob("std/c/*/*")) == 8, "without a look for empty chunks"
        for taken in (to, to / "mean"):
            with pytest.raises(FileExistsError, match="exists already"):
                sd.box(source, 5, to=taken)
    with pytest.raises(FileExistsError, match="exists already"):
        sd.table(stored(a, (10, 20)), to=to)
    stored(a + 1, (10, 20), tmp_path / "a.zarr")
    with pytest.raises(FileExistsError, match="exists already"):
        sd.box(tmp_path / "a.zarr", 5, to=tmp_path / "a.zarr")
    assert (zarr.open_array(tmp_path / "a.zarr")[...] == 1).all(), "the image is as it was"
    with pytest.raises(ValueError, match="cannot go around"):
        sd.box(da.from_array(a, chunks=10), 81, "wrap", to=tmp_path / "none.zarr")
    assert not (tmp_path / "none.zarr").exists()
    with pytest.raises(TypeError, match="compressors"):
        sd.box(source, 5, compressors=None)
    with pytest.raises(TypeError, match="^compressors: 'x'"):
        sd.box(source, 5, to=tmp_path / "none.zarr", compressors="x")
    assert not (tmp_path / "none.zarr").exists()
    assert sd.box(source, 5, to=tmp_path / "none.zarr").path == "box"


@pytest.mark.parametrize("make", [sd.box, sd.table], ids=["box", "table"])
def test_a_result_that_was_not_finished_is_refused(make, rng, tmp_path):
    z = stored(oracle.image(rng, (40, 30), "uint8"), (10, 20))
    options = {"size": 5} if make is sd.box else {}
    for i, source in enumerate([z, da.from_zarr(z).map_blocks(lambda block: 1 // 0, dtype="u1")]):
        to = tmp_path / f"{i}.zarr"
        array = to / ("box" if make is sd.box else "sums")
        if source is z:
            make(source, to=to, **options)
            assert not zarr.open_array(array).attrs
            continue
        with pytest.raises(ZeroDivisionError):
            make(source, to=to, **options)
        assert dict(zarr.open_array(array).attrs) == {"sat_unfinished": True}
        names = dict.fromkeys(("dims", "encoding", "dtype", "copy"))
        for given in (array, zarr.open_array(array), types.SimpleNamespace(**names, attrs={"sat_unfinished": True})):
            with pytest.raises(ValueError, match="not written to its end"):
                sd.box(given, 5)


def test_attributes_of_others_are_no_reason_to_refuse(rng):
    a = oracle.image(rng, (40, 30), "uint8")
    for attributes in ({"unfinished": True}, {"sat_unfinished": False}, {"sat_unfinished": None}):
        np.testing.assert_array_equal(sd.box(stored(a, (10, 20), attributes=attributes), 5), sat.box(a, 5))


def test_names_that_are_asked_for_twice(rng, tmp_path):
    a = oracle.image(rng, (40, 30), "uint8")
    want = sat.window(a, 5, ["mean", "std", "mean"])
    for i, source in enumerate([stored(a, (10, 20)), da.from_array(a, chunks=(10, 20))]):
        for to in (None, tmp_path / f"{i}.zarr"):
            got = sd.window(source, 5, iter(["mean", "std", "mean"]), **({"to": to} if to else {}))
            assert len(got) == 3
            for one, theirs in zip(got, want):
                np.testing.assert_array_equal(np.asarray(one), theirs)


def test_nothing_is_read_before_it_is_asked_for(rng):
    z = stored(oracle.image(rng, (40, 40), "uint8"), (10, 10), Counting())
    Counting.reads.clear()
    lazy = sd.box(z, 5), sd.table(z).sums
    assert not any("c/" in key for key in Counting.reads)
    part = lazy[0][:3, :3].compute()
    assert 0 < sum("c/" in key for key in Counting.reads) < 16, "a corner takes some of the chunks"
    assert part.shape == (3, 3)


def test_shards_and_paths(rng, tmp_path):
    a = oracle.image(rng, (96, 96), "uint16")
    stored(a, (12, 12), tmp_path / "a.zarr", shards=(24, 48))
    got = sd.box(str(tmp_path / "a.zarr"), 7)
    assert got.chunks == ((24,) * 4, (48,) * 2)
    np.testing.assert_array_equal(got, sat.box(a, 7))


def test_local_functions_in_map_overlap_and_apply_ufunc(rng, tmp_path, monkeypatch):
    """The blocks of docs/scale.md, one after the other."""
    xarray = pytest.importorskip("xarray", reason="xarray is not installed")
    a = oracle.image(rng, (90, 80), "uint8")
    text = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "scale.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
    assert len(blocks) == 3
    monkeypatch.chdir(tmp_path)
    stored(a, (31, 27), "dem.zarr")
    frames = xarray.DataArray(da.from_array(np.stack([a, a[::-1]]), chunks=(1, 90, 80)), dims=("time", "y", "x"))
    names = {"frames": frames, "xarray": xarray, "__name__": "not the main one"}
    for block in blocks:
        exec(compile(block, "docs/scale.md", "exec"), names)
    np.testing.assert_array_equal(names["blurred"], sat.box(a, 31))
    np.testing.assert_array_equal(names["smooth"][1], sat.box(a[::-1], 15))


@pytest.mark.parametrize("seed", range(16))
def test_tables(seed, tmp_path, monkeypatch):
    rng = np.random.default_rng(seed)
    shape, chunks = rng.integers(1, 100, 2).tolist(), rng.integers(8, 60, 2).tolist()
    a = oracle.image(rng, shape, oracle.DTYPES[seed % 8])
    moments = 1 + seed % 2 if a.dtype.itemsize < 4 else 1
    mask = rng.random(shape) < 0.8 if rng.random() < 0.5 else None
    nodata = float(a.flat[0]) if rng.random() < 0.5 else None
    monkeypatch.setattr(tables, "_BAND_BYTES", int(rng.integers(5, 40)) * 8 * shape[1])
    monkeypatch.setattr(tables, "_STEP_BYTES", int(rng.integers(1, 9)) * 8 * shape[1])
    monkeypatch.setattr(tables, "CHUNK_BYTES", int(rng.integers(1, 4000)))
    counts = np.ones(shape, bool) if mask is None else mask
    counts = counts if nodata is None else counts & (a != a.flat[0])
    exact = np.where(counts, a, 0).astype(object if a.dtype.kind != "f" else float)
    want = {"sums": exact, "squares": exact**2, "counts": counts.astype(object)}
    x, y = rng.integers(0, shape[1], 40), rng.integers(0, shape[0], 40)
    rects = np.stack([x, y, rng.integers(1, shape[1] - x + 1), rng.integers(1, shape[0] - y + 1)], 1)
    names = ["mean", "sum", "count", "area"] + ["var", "std", "rms"] * (moments == 2)
    answers = sat.table(a, moments, mask, nodata).query(rects, names)
    for source, which in [
        (stored(a, chunks), None if mask is None else stored(mask, chunks)),
        (da.from_array(a, chunks=tuple(chunks)), mask),
        (da.from_array(a, chunks=tuple(cut(rng, side) for side in shape)), mask),
    ]:
        for to in [None, str(tmp_path / f"{id(source)}.zarr")]:
            made = sd.table(source, moments, which, nodata, to)
            assert (made.squares is None) == (moments == 1)
            assert (made.counts is None) == (mask is None and nodata is None)
            for name in ["sums", "squares", "counts"]:
                got = getattr(made, name)
                if got is None:
                    continue
                sums = want[name].cumsum(0).cumsum(1)
                if a.dtype.kind == "f" and name != "counts":
                    np.testing.assert_allclose(got[...], sums, rtol=0, atol=400 * 2**-53 * np.abs(want[name]).sum())
                else:
                    assert (np.asarray(got[...]).astype(object) == sums).all(), name
            got = sd.query(to or made, rects, names)
            for name in names:
                if a.dtype.kind == "f":
                    np.testing.assert_allclose(got[name], answers[name], rtol=1e-6, atol=1e-6)
                else:
                    np.testing.assert_array_equal(got[name], answers[name], name)


def test_a_table_has_the_bands_of_the_chunks(rng, tmp_path):
    x = da.from_array(oracle.image(rng, (90, 30), "uint8"), chunks=((1, 60, 29), (7, 23)))
    totals = [key for key in sd.table(x).sums.__dask_graph__() if "sat-table-totals" in str(key)]
    assert len(totals) == 3
    assert sd.table(x, to=tmp_path / "t.zarr").sums.chunks == (60, 23)


@pytest.mark.parametrize("high, chunk", [(23, 8), (24, 8), (7, 7), (20, 5), (21, 7), (26, 2)])
def test_a_table_is_written_some_rows_at_a_time(rng, high, chunk, monkeypatch, tmp_path):
    a = oracle.image(rng, (90, 30), "uint8")
    monkeypatch.setattr(tables, "_BAND_BYTES", 8 * 8 * 30)
    for i, x in enumerate([stored(a, (high, 30)), da.from_array(a, chunks=(high, 30))]):
        made = sd.table(x, to=tmp_path / f"{i}.zarr")
        assert made.sums.chunks == (chunk, 30)
        np.testing.assert_array_equal(made.sums[...], a.cumsum(0, dtype="u8").cumsum(1))


def test_a_query_reads_each_chunk_once(rng):
    a = oracle.image(rng, (90, 90), "uint8")
    made = sd.Table(stored(sat.table(a, layout="inclusive").array, (20, 20), Counting()), None, None, a.dtype)
    x, y = rng.integers(0, 60, (2, 500))
    rects = np.stack([x, y, np.full(500, 30), np.full(500, 25)], 1)
    Counting.reads.clear()
    got = sd.query(made, rects, "sum")["sum"]
    reads = [n for key, n in Counting.reads.items() if "c/" in key]
    assert len(reads) <= 25 and max(reads) == 1
    assert got.tolist() == [int(a[y : y + h, x : x + w].sum()) for x, y, w, h in rects.tolist()]
    assert sd.query(made, rects[0], "mean")["mean"] == got[0] / 750


def test_a_table_of_an_image_that_changes_fails(rng, tmp_path):
    a = oracle.image(rng, (60, 30), "uint8")
    z = stored(a, (20, 30), tmp_path / "a.zarr")
    sums = tables._sum

    def changing(first, second):
        z[25, 3] = a[25, 3] ^ 1
        return sums(first, second)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "_sum", changing)
        with pytest.raises(RuntimeError, match="band from row 20 does not add up"):
            sd.table(z, to=tmp_path / "t.zarr")
    with pytest.raises(ValueError, match="not written to its end"):
        sd.query(tmp_path / "t.zarr", [0, 0, 1, 1], "sum")


def test_rectangles_that_cannot_be_answered(rng):
    made = sd.table(da.from_array(oracle.image(rng, (20, 30), "uint32"), chunks=10))
    beyond = "outside the image, 30 wide and 20 high"
    for rect, why in ([0, 0, 31, 1], beyond), ([-1, 0, 2, 2], beyond), ([3, 3, 0, 1], "empty"), ([0, 19, 1, 2], beyond):
        with pytest.raises(ValueError, match=f"^rectangle 1, .*: {why}$"):
            sd.query(made, [[0, 0, 1, 1], rect], "sum")
    with pytest.raises(ValueError, match="moments=2"):
        sd.query(made, [0, 0, 1, 1], "std")
    with pytest.raises(TypeError, match="whole pixels"):
        sd.query(made, [0.0, 0, 1, 1], "sum")
    vast = sd.Table(da.zeros((2**20, 2**20), chunks=2**12, dtype="u8"), None, None, np.dtype("uint32"))
    with pytest.raises(ValueError, match="64 bits"):
        sd.query(vast, [0, 0, 2**18, 2**17], "sum")


def test_statistics_are_those_of_the_library(rng, monkeypatch):
    x = da.from_array(oracle.image(rng, (20, 30), "uint8"), chunks=10)
    made = sd.table(x, moments=2)
    known = [name for name, _, _ in _core.rect_statistics()]
    assert list(sd.query(made, [0, 0, 3, 3], known)) == known
    for name, squares in ("third", False), ("fourth", True):
        monkeypatch.setitem(tables.RECT_STATISTICS, name, (squares, False))
        with pytest.raises(ValueError, match=f"^{name}: .*not of sat.dask"):
            sd.query(made, [0, 0, 3, 3], ["mean", name])
    with pytest.raises(ValueError, match="^std, fourth: needs the squares"):
        sd.query(sd.table(x), [0, 0, 3, 3], ["std", "mean", "fourth"])


def test_data_arrays(rng):
    xarray = pytest.importorskip("xarray", reason="xarray is not installed")
    a = oracle.image(rng, (2, 50, 60), "float32")
    a[:, 10:20, 5:9] = -9999
    given = xarray.DataArray(
        da.from_array(a, chunks=(1, 20, 25)),
        dims=("band", "y", "x"),
        coords={"band": [1, 2], "y": np.arange(50) * 0.5, "x": np.arange(60) + 7.0},
        attrs={"_FillValue": -9999.0, "units": "m"},
        name="dem",
    )
    want = [sat.window(plane, 7, ["mean", "std"], nodata=-9999) for plane in a]
    for i, got in enumerate(sd.window(given, 7, ["mean", "std"])):
        assert got.attrs["units"] == "m" and np.isnan(got.attrs["_FillValue"]), "never the source's"
        assert got.name == "dem" and got.chunks == given.chunks
        xarray.testing.assert_equal(got.coords.to_dataset(), given.coords.to_dataset())
        np.testing.assert_allclose(got.values, np.stack([w[i] for w in want]), rtol=1e-5, atol=1e-4)
    holes = given.where(given != -9999).assign_attrs(units="m")  # decoded: NaN in memory, the value in the encoding
    holes.attrs.pop("_FillValue", None)
    encoded = {"_FillValue": -9999.0, "dtype": "int16", "scale_factor": 0.1}
    for encoding, attrs in [(encoded, {}), (encoded, {"_FillValue": 5.0}), ({}, {})]:
        holes.encoding, holes.attrs = encoding, attrs
        got = sd.box(holes, 7)
        np.testing.assert_allclose(got.values, sat.box(holes.values, 7, nodata=np.nan, channel_axis=0), rtol=1e-5)
        assert np.isnan(got.encoding.get("_FillValue", got.attrs.get("_FillValue"))) and len(got.encoding) < 2
    ints = xarray.DataArray(np.full((9, 9), 3, np.int16), dims=("y", "x"), attrs={"_FillValue": 3})
    assert (sd.box(ints, 3).values == 3).all(), "where nothing counts results are no data, too"
    made = sd.table(holes[0])
    assert made.counts is not None and np.isfinite(made.sums.compute()).all()


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32"])
@pytest.mark.parametrize("channels", [(), (3,)])
def test_wolf_has_the_extremes_of_the_whole_image(rng, dtype, channels):
    a = oracle.image(rng, (90, 70, *channels), dtype)
    a[:9] = a.min() + 5
    mask = rng.random((90, 70)) > 0.3
    chunks = (20, 30, *channels)
    options = {"nodata": a.flat[0], "k": 0.3, "min_valid": 3}
    for given in ({}, {"mask": mask}):
        want = sat.window(a, 9, ["wolf", "mean"], **given, **options)
        surface = sat.threshold(a, 9, "wolf", **given)
        masks = {key: stored(value, (20, 30)) for key, value in given.items()}
        got = dask.compute(*sd.window(stored(a, chunks), 9, ["wolf", "mean"], **masks, **options))
        for g, w in zip(got, want):
            np.testing.assert_array_equal(g, w)
        np.testing.assert_array_equal(sd.threshold(stored(a, chunks), 9, "wolf", **masks).compute(), surface)
        masks = {key: da.from_array(value, chunks=(20, 30)) for key, value in given.items()}
        got = dask.compute(*sd.window(da.from_array(a, chunks=chunks), 9, ["wolf", "mean"], **masks, **options))
        for g, w in zip(got, want):
            np.testing.assert_allclose(g, w, rtol=0 if dtype != "float32" else 1e-5)
    with pytest.raises(ValueError, match="extremes"):
        sat.Window((90, 70), dtype, 9, "wolf")


def test_what_is_refused(rng, tmp_path):
    a = oracle.image(rng, (20, 20), "uint8")
    z, x = stored(a, (10, 10)), da.from_array(a, chunks=10)
    for source in [z, x]:
        with pytest.raises(TypeError, match="out"):
            sd.box(source, 5, out=a)
        with pytest.raises(ValueError, match="mask: shape"):
            sd.box(source, 5, mask=stored(a[:5] > 3, (10, 10)))
        with pytest.raises(TypeError, match="no parameter q"):
            sd.window(source, 5, "sauvola", q=3)
        with pytest.raises(ValueError, match="border"):
            sd.box(source, 5, "bogus").compute()
    with pytest.raises(TypeError, match="mask: of an image in a store"):
        sd.box(z, 5, mask=a > 3)
    with pytest.raises(ValueError, match="channel_axis"):
        sd.box(da.zeros((5, 9, 9), dtype="u1"), 3)
    with pytest.raises(ValueError, match="cannot go around"):
        sd.box(x, 43, "wrap")
    with pytest.raises(FileNotFoundError):
        sd.box(tmp_path / "none.zarr", 3)
    with pytest.raises(TypeError, match="x: list"):
        sd.box([[1]], 3)
