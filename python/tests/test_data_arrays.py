"""DataArrays and masked arrays: nodata values, dimensions, and what results keep, in sat and sat.dask."""

import inspect
import json
import subprocess
import sys
import warnings

import numpy as np
import oracle
import pytest

import sat

xarray = pytest.importorskip("xarray", reason="xarray is not installed")
da = pytest.importorskip("dask.array", reason="Dask is not installed")
zarr = pytest.importorskip("zarr", reason="Zarr is not installed")
sd = pytest.importorskip("sat.dask", reason="Zarr is not installed")

S, O = 0.1, 100.0
# statistic -> scale, offset, units of what is stored; None: not kept, as the result is a statistic of y already
KEPT = {
    "mean": (S, O, "m"),
    "sauvola": (S, O, "m"),
    "wolf": (S, O, "m"),
    "std": (S, None, "m"),
    "var": (S * S, None, None),
    "sum": (None, None, None),
    "rms": (None, None, None),
    "norm": (None, None, None),
    "count": (None, None, None),
}
HERE = {"sat": lambda x: x, "sat.dask": lambda x: x.chunk(dict.fromkeys(x.dims, 16))}


def packed(rng, shape=(30, 40), **attrs):
    """An image of int16 that stands for metres."""
    a = rng.integers(-300, 300, shape).astype(np.int16)
    a[..., 5:9, 7:14] = -9999
    attrs = {"scale_factor": S, "add_offset": O, "units": "m", "_FillValue": np.int16(-9999), **attrs}
    return xarray.DataArray(a, dims=("band", "y", "x")[-a.ndim :], attrs=attrs, name="h")


def unpacked(x):
    return np.where(x.values == -9999, np.nan, x.values * S + O)


@pytest.fixture(params=HERE)
def of(request):
    """A function of sat of a DataArray, or of sat.dask of one in chunks."""
    module = {"sat": sat, "sat.dask": sd}[request.param]
    return lambda name, x, *args, **options: getattr(module, name)(HERE[request.param](x), *args, **options)


def test_a_filter_takes_the_nodata_value_and_returns_a_data_array(of):
    a = np.full((20, 20), 100, np.uint16)
    a[5, 5] = 65535
    x = xarray.DataArray(a, dims=("y", "x"), coords={"y": np.arange(20.0)}, attrs={"_FillValue": 65535, "who": "me"})
    got = of("box", x, 3)
    assert isinstance(got, xarray.DataArray) and got.max() == 100 and got.dims == ("y", "x") and got.dtype == a.dtype
    assert got.attrs == {"_FillValue": 65535, "who": "me"} and np.array_equal(got.y, x.y)
    assert of("box", x, 3, nodata="ignore").max() == 7371
    assert of("box", x, 3, nodata=100).max() == 65535, "a value that is given"
    for name, args in [("gauss", (1,)), ("unsharp", (1, 0.5)), ("window", (3, "mean"))]:
        got = of(name, x, *args)
        assert got.where(got != 65535).max() == 100
    assert not of("threshold", x, 3, method="mean")[8, 8] and of("threshold", x, 3, method="mean").dtype == bool


def test_tables_and_means_are_of_y(rng):
    x = packed(rng)
    y = unpacked(x)
    for name in ["mean", "std", "count"]:
        want = sat.table(y, 2, nodata=np.nan).query([0, 0, 20, 20], name)[name]
        assert sat.table(x, 2).query([0, 0, 20, 20], name)[name] == pytest.approx(want)
        assert sd.query(sd.table(x, 2), [0, 0, 20, 20], name)[name] == pytest.approx(want)
    assert sat.mean(x, [0, 0, 20, 20]) == pytest.approx(np.nanmean(y[:20, :20]))
    assert sat.table(np.full((2, 2), 3, np.uint8), nodata="ignore").counts is None


def test_xarray_is_not_imported():
    code = "import sys, numpy, sat; sat.box(numpy.ones((9, 9)), 3); print('xarray' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


@pytest.mark.parametrize("dims", ["y x", "x y", "lon lat", "time lat lon", "y x band", "time band y x", "a b", "n e"])
def test_dimensions_by_name(rng, dims):
    dims = dims.split()
    a = rng.random([dict(time=2, band=5).get(dim, 20 + 3 * i) for i, dim in enumerate(dims)])
    x = xarray.DataArray(a, dims=dims)
    if dims == ["n", "e"]:
        x = x.assign_coords(n=("n", np.arange(20.0), {"axis": "X"}), e=("e", np.arange(23.0), {"axis": "Y"}))
    first = [i for i, dim in enumerate(dims) if dim not in ("time", "band")]
    planes = np.moveaxis(a, first, (-2, -1))
    swapped = dims in (["x", "y"], ["lon", "lat"], ["n", "e"])
    size = (7, 3) if swapped else (3, 7)  # of an image whose rows are the last axis
    want = np.array([sat.box(p, size) for p in planes.reshape(-1, *planes.shape[-2:])]).reshape(planes.shape)
    want = np.moveaxis(want, (-2, -1), first)
    got = sat.box(x, (3, 7))
    assert got.dims == x.dims
    np.testing.assert_allclose(got, want, rtol=1e-12)
    if len(dims) < 4:
        np.testing.assert_allclose(sd.box(x, (3, 7)), want, rtol=1e-12)
    if len(dims) == 2:
        mask = rng.random(a.shape) > 0.3
        want = sat.box(a, size, mask=mask)
        named = xarray.DataArray(mask.T, dims=dims[::-1], coords={dim: x[dim] for dim in x.coords})
        for m in [mask] + [named] * (dims != ["a", "b"]):
            np.testing.assert_allclose(sat.box(x, (3, 7), mask=m), want, rtol=1e-12)
            np.testing.assert_allclose(sd.box(x, (3, 7), mask=m), want, rtol=1e-12)
        out = np.empty(a.shape)
        assert sat.box(x, (3, 7), mask=mask, out=out) is out
        np.testing.assert_allclose(out, want, rtol=1e-12)


@pytest.mark.parametrize("decode", [False, True])
def test_what_a_result_keeps(rng, of, tmp_path, decode):
    """Each result, written by xarray and read again, has the numbers that were computed; so has it when decoded."""
    x = packed(rng, valid_range=np.array([-300, 300], np.int16), flag_values=1, STATISTICS_MEAN="3", history="h")
    x = xarray.decode_cf(x.to_dataset()).h if decode else x
    x.encoding.update(dtype="int16", chunksizes=(10, 10), source="a.nc", significant_digits=2)
    y = unpacked(packed(np.random.default_rng(38)))
    for name, got in zip(KEPT, of("window", x, 5, list(KEPT), border="constant", border_value=7)):
        keys = ("scale_factor", "add_offset", "units")
        kept = tuple(None if decode and key != "units" else value for key, value in zip(keys, KEPT[name]))
        assert tuple(got.attrs.get(key) for key in keys) == pytest.approx(kept), name
        fills = [part["_FillValue"] for part in (got.attrs, got.encoding) if "_FillValue" in part]
        assert len(fills) == 1 and np.isnan(fills[0]), "never the source's"
        assert {*got.attrs} - {*keys, "_FillValue"} == {"history"}
        assert {*got.encoding} - {"_FillValue", "preferred_chunks"} == {"chunksizes"}
        path = tmp_path / f"{name}.nc"
        got.to_dataset(name="v").drop_encoding().to_netcdf(path, engine="scipy")
        with xarray.open_dataset(path, engine="scipy") as read:
            again = read.v.values
        if name in ("sauvola", "wolf"):  # its surface, in the samples' levels, as of y is another
            want = got.values * (got.attrs.get("scale_factor", 1)) + got.attrs.get("add_offset", 0)
        else:
            value = 7 if decode else 7 * S + O
            want = sat.window(y, 5, name, nodata=np.nan, border="constant", border_value=value)
        np.testing.assert_allclose(again, want, rtol=2e-4, atol=1e-3, err_msg=name)
    for name, args in [("box", (3,)), ("gauss", (1,)), ("unsharp", (1, 0.5))]:
        got = of(name, x, *args)
        assert got.attrs["units"] == "m" and got.dtype == x.dtype
        assert decode or (got.attrs["scale_factor"] == S and got.attrs["_FillValue"] == -9999)
    flat = of("threshold", x, 5, method="mean")
    assert flat.attrs == {"history": "h"} and "_FillValue" not in flat.encoding


def test_dog_and_bands_with_scales_of_their_own(rng):
    got = sat.dog(packed(rng, scale_factor=-S, long_name="height"), 1, 2)
    assert got.attrs["scale_factor"] == S and got.attrs["units"] == "m"
    assert not {"add_offset", "long_name"} & {*got.attrs}
    x = packed(rng, (2, 30, 40), scales=(1.0, 2.0), offsets=(0.0, 5.0))
    del x.attrs["scale_factor"], x.attrs["add_offset"]
    y = np.where(x == -9999, np.nan, x.values * [[[1.0]], [[2.0]]] + [[[0.0]], [[5.0]]])
    for module in (sat, sd):
        var, total = module.window(x, 5, ["var", "sum"])
        assert var.attrs["scales"] == (1.0, 4.0) and "offsets" not in var.attrs and "scales" not in total.attrs
        np.testing.assert_allclose(total, sat.window(y, 5, "sum", nodata=np.nan, channel_axis=0), rtol=1e-12)


@pytest.mark.parametrize("name", ["_FillValue", "missing_value", "fill_value", "nodata", "nodatavals"])
def test_where_the_nodata_value_is_found(of, name):
    a = np.full((9, 9), 10, np.int16)
    a[4, 4] = -1
    value = (-1.0, -1.0) if name == "nodatavals" else -1
    x = xarray.DataArray(a, dims=("y", "x"), attrs={name: value, "units": "m"})
    got = of("box", x, 3)
    assert (got == 10).all() and got.attrs == {"_FillValue": -1, "units": "m"}
    assert (of("box", x.astype("f4").assign_attrs(x.attrs), 3) == 10).all()


@pytest.mark.parametrize("value", [-1, 1e9, 3.5, np.nan, "none", [1, 2]])
def test_a_nodata_value_outside_the_type_is_ignored(of, value):
    x = xarray.DataArray(np.full((9, 9), 10, np.uint8), dims=("y", "x"), attrs={"_FillValue": value})
    with pytest.warns(UserWarning, match="_FillValue.* is ignored") as seen:
        assert (of("box", x, 3) == 10).all()
    assert seen[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        of("box", x, 3, nodata="ignore")
        of("box", x.astype("i8").assign_attrs(_FillValue=-(2**63)), 3)


@pytest.mark.parametrize("dtype", ["c8", "O"])
def test_samples_of_no_type_are_refused_as_of_an_array(dtype):
    x = xarray.DataArray(np.zeros((4, 5), dtype), dims=("y", "x"), attrs={"_FillValue": 7})
    for call in (lambda: sat.box(x, 3), lambda: sat.table(x), lambda: sat.query(x, [0, 0, 1, 1], "mean")):
        with pytest.raises(TypeError, match="^image: samples of "):
            call()


def test_unsigned_bytes_of_netcdf(of):
    a = np.array([[200, 255], [210, 205]], np.uint8)
    attrs = {"_Unsigned": "true", "_FillValue": np.int8(-1)}
    got = of("box", xarray.DataArray(a.view(np.int8), dims=("y", "x"), attrs=attrs), 3)
    assert got.dtype == np.uint8 and (got == 205).all() and got.attrs == {"_FillValue": 255}


def test_geotiffs(rng, of, tmp_path):
    rioxarray = pytest.importorskip("rioxarray", reason="rioxarray is not installed")
    x = packed(rng).assign_coords(y=-np.arange(30.0), x=np.arange(40.0)).rio.write_crs(32632)
    x.rio.to_raster(tmp_path / "a.tif")
    y = unpacked(x)
    for how in ({}, {"masked": True}, {"mask_and_scale": True}):
        with rioxarray.open_rasterio(tmp_path / "a.tif", **how) as opened:
            given = opened[0].load()
        for name in ["mean", "std", "var", "sum", "count"]:
            path = tmp_path / f"{name}{len(str(how))}.tif"
            of("window", given, 5, name).rio.to_raster(path)
            with rioxarray.open_rasterio(path, mask_and_scale=True) as read:
                want = sat.window(y, 5, name, nodata=np.nan)
                np.testing.assert_allclose(read[0], want, rtol=1e-4, atol=1e-3, err_msg=name)
                assert read.rio.crs == 32632
    for lazy in (lambda a: a, da.asarray):
        turned = xarray.DataArray(lazy(y.T), dims=("e", "n")).rio.set_spatial_dims("e", "n")
        for module in (sat, sd):
            np.testing.assert_allclose(module.box(turned, (3, 7)).T, sat.box(y, (3, 7), nodata=np.nan), rtol=1e-12)
            told = xarray.DataArray(lazy(np.full((9, 9), 5, np.int16)), dims=("y", "x")).rio.set_nodata(5)
            assert (module.window(told, 3, "count") == 0).all()


def test_zarr_has_dimensions_and_attributes(rng, tmp_path):
    x = packed(rng).rename(y="lat", x="lon").transpose("lon", "lat").assign_attrs(history=np.array(["a", "b"]))
    got = sd.window(x.chunk(lon=16, lat=16), 5, ["sum", "std", "mean"], to=tmp_path / "a.zarr")
    assert [one.dims for one in got] == [("lon", "lat")] * 3
    read = xarray.open_zarr(tmp_path / "a.zarr", consolidated=False)
    for name in ["sum", "std", "mean"]:
        want = sat.window(unpacked(x).T, 5, name, nodata=np.nan)
        assert read[name].dims == ("lat", "lon") and read[name].attrs["history"] == ["a", "b"]
        np.testing.assert_allclose(read[name], want, rtol=1e-4, atol=1e-3)
    sd.box(x.chunk(lon=16, lat=16), 3, to=tmp_path / "b.zarr")
    attrs = dict(zarr.open(tmp_path / "b.zarr/box").attrs)
    assert attrs["_FillValue"] == -9999 and attrs["scale_factor"] == S and json.dumps(attrs)


@pytest.fixture(params=[2, 3])
def version(request):
    """The version of Zarr in which groups are created."""
    with zarr.config.set(default_zarr_format=request.param):
        yield request.param


def stored(path, a, dims=None, **options):
    """Writes an array with names of dimensions into a group as xarray does, whose array it returns."""
    group = zarr.open_group(path, mode="a")
    if group.metadata.zarr_format == 3:
        options["dimension_names"] = dims
    elif dims:
        options["attributes"] = {**options.get("attributes", {}), "_ARRAY_DIMENSIONS": dims}
    z = group.create_array("h", shape=a.shape, dtype=a.dtype, chunks=(16,) * a.ndim, **options)
    z[...] = a
    return z


def same(got, want):
    for one, other in zip(got, want, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["int16", "float32"])
@pytest.mark.parametrize("told", ["_FillValue", "missing_value", "both", "scaled", "of Zarr", "nothing"])
def test_an_array_in_zarr_is_taken_as_open_zarr_takes_it(rng, tmp_path, version, dtype, told):
    x = packed(rng).astype(dtype)
    value = x.dtype.type(-9999)
    names = {"both": ["_FillValue", "missing_value"], "scaled": ["_FillValue"]}.get(told, [told])
    x.attrs = {name: value for name in names if told not in ("of Zarr", "nothing")}
    if told == "scaled":
        x.attrs.update(scale_factor=S, add_offset=O)
    if told == "of Zarr":
        stored(tmp_path, x.values, ["y", "x"], fill_value=value)
    else:
        x.encoding = {"_FillValue": None} if told == "missing_value" else {}  # else NaN is the nodata value of floats
        x.to_dataset().to_zarr(tmp_path)
    opened = xarray.open_zarr(tmp_path, mask_and_scale=False, consolidated=False).h
    statistics = ["mean", "std", "sum", "count"]
    for given in (str(tmp_path / "h"), zarr.open_array(tmp_path / "h"), zarr.open_group(tmp_path)["h"]):
        for options in ({}, {"nodata": "ignore"}, {"nodata": 7}):
            want = sd.window(opened, 5, statistics, **options)
            same(sd.window(given, 5, statistics, **options), want)
            box = sd.box(given, 5, **options)
            assert any("box-band" in str(key) for key in box.__dask_graph__()), "from the store, with its bits"
            same([box], [sd.box(opened, 5, **options)])
            query = [sd.query(g, [0, 0, 20, 20], "mean", **options)["mean"] for g in (given, opened)]
            assert query[0] == query[1]
            assert (sd.table(given, **options).counts is None) == (sd.table(opened, **options).counts is None)
        if told not in ("nothing", "of Zarr") or (told, version) == ("of Zarr", 2):
            assert [sd.window(given, 3, "count", **o)[6, 10].compute() for o in ({}, {"nodata": 7})] == [0, 9]


def test_arrays_of_numbers_alone_have_no_nodata_value(rng, tmp_path, version):
    """But attributes of an array without names are looked at."""
    a = rng.integers(0, 3, (30, 40)).astype(np.float32)
    a[3, 3] = np.nan
    z = stored(tmp_path / "a", a)
    for given in (z, da.from_array(a, chunks=16)):
        to = tmp_path / type(given).__module__
        same(sd.window(given, 5, ["mean", "count"], to=to), sat.window(a, 5, ["mean", "count"]))
        read = xarray.open_zarr(to)
        assert read["mean"].dims == ("y", "x") and not read["mean"].attrs and not read.coords
        same([read["mean"]], [sat.window(a, 5, "mean")])
    assert sd.table(z).counts is None
    b = np.nan_to_num(np.stack([a, a], 2))
    told = stored(tmp_path / "b", b, attributes={"missing_value": 1, "scales": [1.0, 2.0]})
    mean, total = sat.window(b, 5, ["mean", "sum"], nodata=1)
    same(sd.window(told, 5, ["mean", "sum"], to=tmp_path / "c"), [mean, total * [1, 2]])
    assert xarray.open_zarr(tmp_path / "c")["sum"].dims == ("y", "x", "channel")


@pytest.mark.parametrize("source", ["path", "of the other version", "array", "raw", "decoded"])
def test_results_are_opened_by_xarray(rng, tmp_path, version, source):
    pytest.importorskip("rioxarray", reason="rioxarray is not installed")
    places = {"y": 30.0 - np.arange(30), "x": np.arange(40.0), "time": np.datetime64("2020-05-01")}
    places |= {"lon": (("y", "x"), rng.random((30, 40))), "mean": ("x", np.arange(40))}
    x = packed(rng, history="h").assign_coords(places)
    other = 5 - version if source == "of the other version" else version
    x.rio.write_crs(32632).to_dataset().to_zarr(tmp_path / "a.zarr", zarr_format=other)
    decoded = xarray.open_zarr(tmp_path / "a.zarr", decode_coords="all").h
    given = {
        "array": zarr.open_group(tmp_path / "a.zarr")["h"],
        "raw": xarray.open_zarr(tmp_path / "a.zarr", decode_coords="all", mask_and_scale=False).h,
        "decoded": decoded.chunk(y=(5, 20, 5)),
    }.get(source, str(tmp_path / "a.zarr/h"))
    statistics = ["mean", "std", "sum", "count"]
    sd.window(given, 5, statistics, to=tmp_path / "b.zarr")
    sd.box(given, 3, to=tmp_path / "c.zarr")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read = xarray.open_zarr(tmp_path / "b.zarr", decode_coords="all")
        box = xarray.open_zarr(tmp_path / "c.zarr").box
    for name in statistics:
        np.testing.assert_allclose(read[name], sat.window(unpacked(x), 5, name, nodata=np.nan), rtol=1e-4, atol=1e-3)
        assert read[name].rio.crs == 32632 and read[name].attrs["history"] == "h"
    assert np.isnan(box[6, 10]) and box.attrs["units"] == "m"
    assert {*box.coords} == {*decoded.coords} == {*read["std"].coords}
    for name in {*decoded.coords} - {"mean"}:  # which is the name of a result, too
        xarray.testing.assert_identical(box[name].variable, decoded[name].variable)
        xarray.testing.assert_identical(read[name].variable, decoded[name].variable)


def test_a_multiindex_is_written_as_its_levels(tmp_path):
    x = xarray.DataArray(da.zeros((2, 3, 9, 9)), dims=("p", "q", "y", "x"), coords={"p": [1, 2], "q": [5, 6, 7]})
    sd.box(x.stack(b=("p", "q")).transpose("b", "y", "x"), 3, to=tmp_path / "a")
    read = xarray.open_zarr(tmp_path / "a").box
    assert read.dims == ("b", "y", "x") and read.q.values.tolist() == [5, 6, 7] * 2


def test_columns_first_and_unsigned_bytes_in_zarr(rng, tmp_path, version):
    a, mask = rng.integers(200, 209, (20, 30)).astype(np.uint8), rng.random((20, 30)) > 0.3
    attributes = {"_Unsigned": "true", "missing_value": -52}
    z = stored(tmp_path / "a", a.view(np.int8), ["lon", "lat"], attributes=attributes, fill_value=None)
    want = sat.box(a.T, (3, 7), mask=mask.T, nodata=204, empty=204)
    for m in (mask, stored(tmp_path / "m", mask)):
        same([sd.box(z, (3, 7), mask=m).T], [want])
    sd.box(z, (3, 7), mask=mask, to=tmp_path / "b")
    read = xarray.open_zarr(tmp_path / "b", mask_and_scale=False).box
    assert read.dims == ("lat", "lon") and read.attrs == {"_FillValue": 204}
    same([read], [want])
    made = sd.table(z, to=tmp_path / "t")
    assert xarray.open_zarr(tmp_path / "t").sums.dims == ("lat", "lon") and made.counts[-1, -1] == (a != 204).sum()
    assert sd.query(tmp_path / "t", [0, 0, 20, 30], "sum")["sum"] == a[a != 204].sum()


def calls(m):
    """Results of a masked array, and the same with the value 77 where they are empty."""
    for name, args in {
        "box": (3,),
        "gauss": (0.5,),
        "unsharp": (0.5, 1),
        "dog": (0.5, 0.7),
        "window": (3, ["mean", "std", "count", "sauvola"]),
    }.items():
        least = {"min_valid": 4 if name in ("box", "window") else 0.4}
        given = [{"nodata": 1}, {"nodata": 1, "keep_holes": True}, {"nodata": 1, "empty": 1}]
        for options in [{}, least, {"ddof": 1}, {"empty": 0}, {"empty": 1}, *given]:
            function = getattr(sat, name)
            if not {*options} <= {*inspect.signature(function).parameters}:
                continue
            got = function(m, *args, **options)
            marked = function(m.data, *args, mask=~np.ma.getmaskarray(m), **{**options, "empty": 77})
            for one, mark in zip(*((r,) if name != "window" else r for r in (got, marked))):
                # A valid result that is the nodata value becomes its neighbour if that is the empty value, too.
                moved = (mark == 1) if {*options} == {"nodata", "empty"} else False
                yield one, np.where(moved, one.data, mark).astype(mark.dtype)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64"])
def test_results_of_masked_arrays_are_masked_where_they_are_empty(rng, dtype):
    a = oracle.image(rng, (20, 24), dtype) % 5
    m = np.ma.MaskedArray(a, rng.random(a.shape) < 0.5, fill_value=9)
    m.mask[3:9, 4:12] = True
    if dtype == "float64":
        a[15, 15] = np.nan
    for got, marked in calls(m):
        assert isinstance(got, np.ma.MaskedArray) and got.shape == a.shape
        assert np.array_equal(got.mask, marked == 77) and got.dtype == marked.dtype
        np.testing.assert_array_equal(got.compressed(), marked[~got.mask])
    assert sat.box(m, 3).fill_value == 9 and sat.box(m, 3).mask.any()
    out = np.empty_like(a)
    assert sat.box(m, 3, out=out) is out and type(out) is np.ndarray
    for got in (sat.threshold(m, 3), sat.window(m, 3, "norm")):
        assert (got.mask >= m.mask).all() and not got.mask.all(), "they compare a pixel, which is masked"
    x = da.from_array(m, chunks=9)
    for name, args in [("box", (3,)), ("gauss", (0.5,)), ("window", (3, "std")), ("threshold", (3, "sauvola"))]:
        got, want = getattr(sd, name)(x, *args).compute(), getattr(sat, name)(m, *args)
        assert isinstance(got, np.ma.MaskedArray) and np.array_equal(np.ma.getmaskarray(got), want.mask), name
        np.testing.assert_allclose(got.compressed(), want.compressed(), rtol=1e-5, atol=1e-5)
    sums = sd.table(x)
    assert sums.counts[-1, -1].compute() == m.count()
