"""sat.dask on a cluster of processes: one and two workers, workers that are killed, stores that fail."""

import os
import signal
import threading
import time

import numpy as np
import oracle
import pytest

import sat

pytest.importorskip("dask.array", reason="Dask is not installed (pip install 'libsat[dask]')")
pytest.importorskip("zarr", reason="Zarr is not installed (pip install 'libsat[dask]')")
distributed = pytest.importorskip("distributed", reason="Dask's distributed is not installed")

import dask
import dask.array as da
import zarr

import sat.dask as sd

SIDE, CHUNK = 4000, 500


@pytest.fixture(scope="module", params=[2])
def client(request):
    # A cluster gives up a worker that is not there this long after it was lost: killed again, by then.
    lasting = {"distributed.deploy.lost-worker-timeout": "1h", "distributed.scheduler.allowed-failures": 10}
    with dask.config.set(lasting):
        with distributed.LocalCluster(n_workers=request.param, threads_per_worker=1, dashboard_address=None) as cluster:
            with distributed.Client(cluster) as client:
                yield client


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    a = oracle.image(np.random.default_rng(1), (SIDE, SIDE), "uint8")
    path = str(tmp_path_factory.mktemp("dask") / "a.zarr")
    z = zarr.create_array(path, shape=a.shape, chunks=(CHUNK, CHUNK), dtype=a.dtype, compressors=None)
    z[...] = a
    return path, a


def written(path, x):
    z = zarr.create_array(path, shape=x.shape, chunks=x.chunksize, dtype=x.dtype, compressors=None)
    da.store(x, z, lock=False)
    return z[...]


CALLS = {
    "box": lambda path, to: sd.box(path, 31, to=to, compressors=None)[...],
    "lazy box": lambda path, to: written(to, sd.box(path, 31)),
    "box of a Dask array": lambda path, to: written(to, sd.box(da.from_zarr(path), 31)),
    "table": lambda path, to: sd.table(path, to=to).sums[...],
}
WHOLE = {
    "box": lambda a: sat.box(a, 31),
    "lazy box": lambda a: sat.box(a, 31),
    "box of a Dask array": lambda a: sat.box(a, 31),
    "table": lambda a: sat.table(a, layout="inclusive").array,
}


@pytest.mark.parametrize("client", [1, 2], indirect=True)
def test_the_same_bits_in_processes(client, image, tmp_path):
    path, a = image
    floats = a[:900, :700].astype("f4") / 7
    z = zarr.create_array(tmp_path / "f.zarr", shape=floats.shape, chunks=(200, 300), dtype="f4")
    z[...] = floats
    for got, want in zip(dask.compute(*sd.window(z, 31, ["mean", "std"])), sat.window(floats, 31, ["mean", "std"])):
        np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(CALLS["table"](path, str(tmp_path / "t.zarr")), WHOLE["table"](a))


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("share", [0, 0.3, 0.8])
def test_a_worker_is_killed(client, image, tmp_path, name, share):
    """The process of a worker is killed when a share of the result's chunks is written."""
    path, a = image
    files = SIDE // CHUNK * (SIDE // CHUNK)
    started = time.monotonic()
    while True:  # the one that was killed before has begun again
        pids = {worker.pid for worker in client.cluster.workers.values()}
        if set(client.run(os.getpid, on_error="ignore").values()) == pids:
            break
        assert time.monotonic() < started + 60
        time.sleep(0.05)
    victim = min(pids)
    after, killed = tmp_path / "after.zarr", []

    def kill():
        while sum(entry.is_file() for entry in after.glob("**/c/*/*")) < max(1, share * files):
            time.sleep(0.002)
        os.kill(victim, signal.SIGKILL)
        killed.append(victim)

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    got = CALLS[name](path, str(after))
    killer.join(10)
    assert killed
    np.testing.assert_array_equal(got, WHOLE[name](a))


def test_a_corrupt_chunk_is_an_error(client, image, tmp_path):
    _, a = image
    path = tmp_path / "a.zarr"
    z = zarr.create_array(path, shape=(90, 90), chunks=(30, 30), dtype="u1", compressors=zarr.codecs.Crc32cCodec())
    z[...] = a[:90, :90]
    np.testing.assert_array_equal(sd.box(str(path), 5).compute(), sat.box(a[:90, :90], 5))
    chunk = path / "c" / "1" / "1"
    data = bytearray(chunk.read_bytes())
    data[100] ^= 1
    chunk.write_bytes(data)
    for run in [
        lambda: sd.box(str(path), 5).compute(),
        lambda: sd.box(da.from_zarr(str(path)), 5).compute(),
        lambda: sd.table(str(path), to=tmp_path / "t.zarr"),
    ]:
        with pytest.raises(Exception, match="(?i)checksum"):
            run()
    with pytest.raises(ValueError, match="not written to its end"):
        sd.query(tmp_path / "t.zarr", [0, 0, 1, 1], "sum")


def limited():
    """Files of this process end at 100 KB, as where there is no space."""
    import resource

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))


def unlimited():
    import resource

    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))


def test_a_store_without_space_is_an_error(client, image, tmp_path):
    path, _ = image
    target = zarr.create_array(
        tmp_path / "r.zarr", shape=(SIDE, SIDE), chunks=(CHUNK, CHUNK), dtype="u1", compressors=None
    )
    client.run(limited)
    try:
        with pytest.raises(OSError):
            da.store(sd.box(path, 5), target, lock=False)
        with pytest.raises(OSError):
            sd.box(path, 5, to=tmp_path / "b.zarr", compressors=None)
        with pytest.raises(OSError):
            sd.table(path, to=tmp_path / "t.zarr")
    finally:
        client.run(unlimited)
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError):
        sd.table(path, to=tmp_path / "file" / "t.zarr")


def test_s3(client, tmp_path, monkeypatch):
    """A store in S3, as moto plays it; a bucket that is not there is an error."""
    moto = pytest.importorskip("moto.server", reason="moto is not installed (pip install 'moto[server]' s3fs)")
    pytest.importorskip("s3fs", reason="s3fs is not installed")
    server = moto.ThreadedMotoServer(port=0)
    server.start()
    try:
        host, port = server.get_host_and_port()
        options = {"key": "k", "secret": "s", "endpoint_url": f"http://{host}:{port}"}
        import s3fs

        s3fs.S3FileSystem(**options).mkdir("bucket")
        a = oracle.image(np.random.default_rng(2), (90, 80), "float32")
        z = zarr.create_array(
            "s3://bucket/a.zarr", shape=a.shape, chunks=(30, 40), dtype=a.dtype, storage_options=options
        )
        z[...] = a
        z = zarr.open_array("s3://bucket/a.zarr", mode="r", storage_options=options)
        np.testing.assert_array_equal(sd.box(z, 9).compute(), sat.box(a, 9))
        with pytest.raises(OSError):
            da.store(
                sd.box(z, 9),
                zarr.create_array(
                    "s3://none/b.zarr", shape=a.shape, chunks=(30, 40), dtype=a.dtype, storage_options=options
                ),
                lock=False,
            )
    finally:
        server.stop()
