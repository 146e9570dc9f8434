"""Objects of the package: what they show, weak references, and what show_versions() prints."""

import io
import pickle
import re
import subprocess
import sys
import weakref

import numpy as np
import pytest

import sat

A = np.zeros((40, 30), np.uint8)


@pytest.mark.parametrize(
    "made,text",
    [
        (lambda: sat.table(A, 2), "<sat.Table padded (41, 31) uint32 sums of uint8 and squares>"),
        (lambda: sat.table(A)[2:9, 3:7], "<sat.Region rows 2 to 9, columns 3 to 7 of <sat.Table padded "),
        (lambda: sat.Box(A.shape, A.dtype, 31, nodata=0), "<sat.Box (31, nodata=0) of (40, 30) uint8>"),
        (lambda: sat.Window((40, 30, 3), "f4", (3, 5), ["mean", "std"]), "<sat.Window ((3, 5), ['mean', 'std']) of "),
        (lambda: sat.Gauss(shape=[40, 30], dtype="u1", sigma=2.0), "<sat.Gauss (sigma=2.0) of (40, 30) uint8>"),
        (lambda: pickle.loads(pickle.dumps(sat.Box(A.shape, "u1", 3))), "<sat.Box (3) of (40, 30) uint8>"),
    ],
)
def test_repr(made, text):
    shown = repr(made())
    assert shown.startswith(text) and len(shown) < 140 and "\n" not in shown


def test_repr_of_dask():
    da = pytest.importorskip("dask.array")
    pytest.importorskip("zarr")
    import sat.dask

    assert repr(sat.dask.table(da.from_array(A))) == "<sat.dask.Table (40, 30) uint64 sums of uint8>"


@pytest.mark.parametrize(
    "made",
    [
        lambda: sat.table(A),
        lambda: sat.Box(A.shape, A.dtype, 3),
        lambda: sat.Window(A.shape, A.dtype, 3, "std"),
        lambda: sat.Gauss(A.shape, A.dtype, 3),
    ],
)
def test_weak_references(made):
    one = made()
    to = weakref.ref(one)
    assert to() is one and weakref.WeakKeyDictionary({one: 1})[one] == 1
    del one
    assert to() is None


def test_show_versions(capsys, monkeypatch):
    file = io.StringIO()
    sat.show_versions(file)
    sat.show_versions()
    assert capsys.readouterr().out == file.getvalue()
    told = dict(line.split(None, 1) for line in file.getvalue().splitlines())
    assert told["sat"] == sat.__version__ and told["numpy"] == np.__version__
    assert told["instructions"] in ("portable", "avx2", "avx512") and told["threads"] == str(sat.num_threads())
    assert {"python", "platform", "gpu", "dask", "zarr", "xarray"} <= set(told)
    with pytest.raises(TypeError, match="^file: 5; "):
        sat.show_versions(5)


def test_show_versions_asks_a_process_of_its_own_for_the_gpu(tmp_path, monkeypatch):
    script = tmp_path / "nvidia-smi"
    script.write_text("#!/bin/sh\necho 'NVIDIA H200, 570.1'\necho 'NVIDIA H200, 570.1'\n")
    script.chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path))
    file = io.StringIO()
    sat.show_versions(file)
    assert re.search("^gpu +NVIDIA H200, 570.1; NVIDIA H200, 570.1$", file.getvalue(), re.M)
    script.write_text("#!/bin/sh\nexit 9\n")
    sat.show_versions(file)
    assert re.search("^gpu +none$", file.getvalue(), re.M)


DAEMON = """
import sys, threading, time
import numpy as np, sat
a = np.random.default_rng(1).random((200, 2000))
f = sat.Window(a.shape, a.dtype, 31, ['mean', 'std'], band_rows=200)
def work(call):
    while True:
        call()
for call in (
    lambda: sat.window(a, 31, ['mean', 'std']),
    lambda: f.run(a, 0, 0, 200),
    lambda: sat.table(a, 2).query([[0, 0, 9, 9]] * 2000, 'std'),
):
    threading.Thread(target=work, args=(call,), daemon=True).start()
time.sleep(float(sys.argv[1]))
sys.exit(3)
"""


@pytest.mark.parametrize("seconds", [0.1, 0.15, 0.2, 0.25])
def test_an_interpreter_that_ends_while_threads_compute(seconds):
    done = subprocess.run([sys.executable, "-c", DAEMON, str(seconds)], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "")
