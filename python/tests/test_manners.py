"""Threads, processes, signals and memory: what a call does to the interpreter that it is called in."""

import gc
import os
import pickle
import platform
import re
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import oracle
import pytest

import sat
from sat import _core


def run(code, **options):
    """Runs a script in a process of its own; what it printed."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, **options)
    assert done.returncode == 0, done.stderr
    assert done.stderr == "", done.stderr
    return done.stdout


def test_nothing_is_printed_and_the_import_is_small():
    code = "import sys, numpy; before = set(sys.modules); import sat; print(len(set(sys.modules) - before))"
    assert int(run(code)) < 18


@pytest.mark.parametrize("module", ["dask", "zarr"])
def test_an_import_of_what_is_not_installed_names_the_extra(module):
    code = f"import sys; sys.modules['{module}'] = None"
    code += "\ntry: import sat.dask\nexcept ImportError as e: print(e.name, e)"
    assert run(code) == f"{module} sat.dask needs {module}: pip install 'libsat[dask]'\n"


@pytest.mark.skipif(shutil.which("nm") is None, reason="no nm here")
def test_the_oldest_glibc():
    """The extension needs no symbol that glibc (GLIBC of check.sh, or this machine's) or manylinux's GCC 8 has not, and
    has no function of glibc itself: a linker's own would have other bits."""
    needed = subprocess.run(["nm", "-D", "-u", _core.__file__], check=True, capture_output=True, text=True).stdout
    assert {"exp", "fma", "memcpy", "memset"} <= set(re.findall(r" U (\w+)@", needed)), "imported"
    oldest = os.environ.get("GLIBC") or platform.libc_ver()[1]
    versions = [tuple(map(int, version.split("."))) for version in re.findall(r"@GLIBC_([0-9.]+)", needed)]
    assert max(versions) <= tuple(map(int, oldest.split(".")))
    assert max(map(int, re.findall(r"@GLIBCXX_3\.4\.([0-9]+)", needed))) <= 25


def test_other_threads_run_during_a_call(rng):
    """A thread that sleeps for a millisecond wakes up many times in a call; where the lock is kept, once."""
    a = oracle.image(rng, (2048, 2048), "float64")
    inside, done, woken = threading.Event(), threading.Event(), 0

    def work():
        inside.set()
        sat.window(a, 31, ["mean", "std", "norm"])
        done.set()

    worker = threading.Thread(target=work)
    worker.start()
    inside.wait()
    while not done.is_set():
        time.sleep(0.001)
        woken += 1
    worker.join()
    assert woken > 10


def test_threads(rng):
    images = [oracle.image(rng, (60 + i, 70), "uint8") for i in range(8)]
    want = [(sat.box(a, 9), sat.table(a).array, sat.gauss(a, 2), sat.window(a, 5, "std")) for a in images]

    def work(i):
        a = images[i % 8]
        got = sat.box(a, 9), sat.table(a).array, sat.gauss(a, 2), sat.window(a, 5, "std")
        return all(np.array_equal(x, y) for x, y in zip(got, want[i % 8]))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(400)))


def test_one_filter_of_rows_in_many_threads(rng):
    a = oracle.image(rng, (400, 300), "uint8")
    whole = sat.box(a, 31)
    f = sat.Box(a.shape, a.dtype, 31, band_rows=16)
    with ThreadPoolExecutor(8) as pool:
        assert all(
            pool.map(lambda y: np.array_equal(f.run(a, 0, y, y + 16), whole[y : y + 16]), list(range(0, 384, 16)) * 5)
        )


FORKS = """
import multiprocessing, os, sys, threading
import numpy as np, sat
path = sys.argv[1]

def begin(n, *tables):
    global given
    sat.set_num_threads(n)
    given = tables

def work(seed):
    image = np.load(path)
    blurred = sat.gauss(sat.box(image, 9), 2.0)
    whole = [0, 0, image.shape[1], image.shape[0]]
    sums = [int(t.sum(whole)) for t in (sat.load(path + '.table'), *given)]
    return sums, int(blurred.sum(dtype=np.int64)), sat.num_threads()

if __name__ == '__main__':
    sat.backends()
    image = np.random.default_rng(1).integers(0, 256, (700, 800), np.uint8)
    with open(path, 'wb') as f:
        np.save(f, image)
    sat.table(image).save(path + '.table')
    tables = sat.table(image), sat.load(path + '.table')
    begin(3, *tables)
    want = work(0)
    assert len(set(want[0])) == 1 and want[2] == 3
    stop = threading.Event()
    def busy():
        while not stop.is_set():
            sat.box(image, 15), sat.table(image), sat.gauss(image, 3)
    threads = [threading.Thread(target=busy) for _ in range(2 if sys.argv[2] == 'fork' else 0)]
    [t.start() for t in threads]
    for _ in range(3):
        with multiprocessing.get_context(sys.argv[2]).Pool(4, begin, (3, *tables)) as pool:
            assert pool.map(work, range(12)) == [want] * 12
    stop.set()
    [t.join() for t in threads]
    print('right')
"""


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_pools_of_processes(tmp_path, method):
    """As PyTorch's DataLoader: workers load and blur, while other threads of the parent compute."""
    script = tmp_path / "pool.py"
    script.write_text(FORKS)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", script, tmp_path / "image.npy", method],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0 and done.stdout == "right\n", done.stderr


INTERRUPT = """
import signal, time
import numpy as np, sat
class Ended(Exception): pass
def handler(*_): raise Ended
signal.signal(signal.SIGPROF, handler)
sat.set_num_threads(1)
call = eval('lambda: ' + {call!r})
a = np.random.default_rng(1).integers(0, 200, ({side}, {side}), np.uint8).astype({dtype!r})
rects = np.tile([0, 0, {side}, {side}], (4000, 1))
at = time.process_time()
signal.setitimer(signal.ITIMER_PROF, 0.02)
try:
    call()
    print('ended by itself', time.process_time() - at)
except Ended:
    print('interrupted', time.process_time() - at)
    signal.setitimer(signal.ITIMER_PROF, 0)
    small = a[:50, :50]
    a = small
    rects = rects[:1] * 0 + [0, 0, 50, 50]
    call()
    print('goes on')
"""


@pytest.mark.parametrize(
    "call,side,dtype",
    [
        ("sat.table(a, 2, mask=a > 9)", 5000, "float32"),
        ("sat.box(a, 301, mask=a > 9)", 5000, "uint8"),
        ("sat.box(a, 31)", 6000, "float64"),
        ("sat.window(a, 31, 'std')", 3000, "float64"),
        ("sat.threshold(a, 31, 'wolf')", 4000, "uint8"),
        ("sat.gauss(a, 9.0)", 5000, "float64"),
        ("sat.dog(a, 2, 3)", 4000, "uint8"),
        ("sat.mean(a, rects)", 1000, "uint8"),
    ],
)
def test_control_c(call, side, dtype):
    """A handler of signals runs, and ends the call, within 0.1 s of the process's own time."""
    lines = run(INTERRUPT.format(call=call, side=side, dtype=dtype)).splitlines()
    assert lines[0].startswith("interrupted"), lines
    assert float(lines[0].split()[1]) < 0.02 + 0.1 + 0.1, "0.1 s for the mask and the memory of results"
    assert lines[1] == "goes on"


def test_a_signal_that_is_handled_ends_nothing():
    code = """
import signal, numpy as np, sat
seen = []
signal.signal(signal.SIGPROF, lambda *_: seen.append(1))
signal.setitimer(signal.ITIMER_PROF, 0.02, 0.02)
a = np.random.default_rng(1).random((3000, 3000))
sat.set_num_threads(1)
got = sat.window(a, 31, 'std')
signal.setitimer(signal.ITIMER_PROF, 0)
assert seen and np.array_equal(got, sat.window(a, 31, 'std'))
"""
    run(code)


def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_no_leak(rng, tmp_path):
    """100,000 calls, also of errors and of shapes that the cache does not keep, in the memory of the first ones."""
    a, bad = oracle.image(rng, (16, 16), "uint8"), np.zeros((0, 3))
    t = sat.table(a, 2)
    t.save(tmp_path / "t.npy")
    sat.table(oracle.image(rng, (200, 300), "uint8")).save(tmp_path / "mapped.npy")
    mapped, std = sat.load(tmp_path / "mapped.npy"), np.empty(1)

    def calls(n):
        for i in range(n):
            sat.table(a).mean([1, 2, 3, 4])
            sat.box(a[:, : 3 + i % 12], 3)
            sat.window(a, 3, ["mean", "std"], nodata=i % 200)
            sat.gauss(a, 1 + i % 64 / 64)
            sat.threshold(a, 3)
            t.query([[1, 2, 3, 4]], ["mean", "std"], {"std": std})
            for wrong in (
                lambda: sat.box(bad, 3),
                lambda: sat.box(a, 0),
                lambda: t.mean([0, 0, 99, 1]),
                lambda: t.mean([0, 0, 9, 1], std),
                lambda: sat.box(a, 3, "x"),
            ):
                try:
                    wrong()
                except ValueError:
                    pass
            if i % 10 == 0:
                sat.load(tmp_path / "t.npy").mean([1, 2, 3, 4])
                pickle.loads(pickle.dumps(t)).mean([1, 2, 3, 4])
                pickle.loads(pickle.dumps(mapped)).mean([1, 2, 3, 4])
                sat.Box((16, 16), np.uint8, 3).run(a, 0, 0, 16)
        gc.collect()

    calls(1000)
    before = resident()
    calls(10_000)
    assert resident() - before < 4 << 20
    assert _core.kept_objects() <= 32
    assert len(os.listdir("/proc/self/fd")) < 100


def test_large_objects_are_not_kept(rng):
    images = [np.zeros((4000 + i, 4000), np.float32) for i in range(6)]
    out = np.ones((4006, 4000), np.float32)
    before = resident()
    for image in images:
        sat.gauss(image, 2.0, out=out[: len(image)])  # an image of f32: 64 MB
    assert resident() - before < 100 << 20
    for i in range(100):
        sat.box(np.zeros((9, 9 + i), np.uint8), 3)
    assert _core.kept_objects() == 32


def test_number_of_threads_changes_no_bit(rng):
    a = oracle.image(rng, (700, 900), "float32")
    results = []
    for n in [1, 2, 5]:
        sat.set_num_threads(n)
        assert sat.num_threads() == n
        results.append((sat.box(a, 31), sat.gauss(a, 3), sat.window(a, 9, "std")))
    assert all(np.array_equal(x, y) for other in results[1:] for x, y in zip(results[0], other))
