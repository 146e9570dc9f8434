"""Runs tests of other libraries with calls of sat in place of their functions.

    run.py [PEER...]    by default all of PEERS

Each peer runs in its own process, because an adapter replaces functions there.  Tests that call none of them are
ignored if they pass.  A failure has a cause if the adapter raised NotOffered, or if known.py lists the test.  The
outcome of each test is written to $B/python/peers/PEER.txt.

Messages of errors and warnings are not compared, because sat has its own words: `match=` of pytest is ignored.

The run fails if a test fails without a cause, if a listed test passes or does not exist, or if fewer tests of a peer
pass than known.py says.
"""

import collections
import fnmatch
import functools
import importlib
import importlib.metadata
import importlib.util
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
# The distribution, and its tests: modules that its wheel contains, or files in this folder.
PEERS = {
    "scipy": ("scipy", ["scipy.ndimage.tests.test_filters", "scipy.ndimage.tests.test_measurements"]),
    "astropy": (
        "astropy",
        [f"astropy.convolution.tests.test_convolve{part}" for part in ("", "_fft", "_kernels", "_models", "_nddata")],
    ),
    "skimage": ("scikit-image", ["skimage_cases.py"]),
    "opencv": ("opencv-python-headless", ["opencv_cases.py"]),
    "dask_image": ("dask-image", ["dask_image_cases.py"]),
}


class Recorder:
    """A pytest plugin that records the outcome of each test that calls a function of the adapter, or fails."""

    def __init__(self):
        self.called, self.refusal, self.outcomes = False, None, {}

    def wrapped(self, function, not_offered):
        @functools.wraps(function)
        def call(*args, **options):
            self.called = True
            try:
                return function(*args, **options)
            except not_offered as error:
                self.refusal = str(error)
                raise

        return call

    def pytest_runtest_setup(self, item):
        import numpy as np

        self.called, self.refusal = False, None
        np.random.seed(54)  # SciPy's and astropy's random arrays are the same in each run

    def pytest_runtest_logreport(self, report):
        name = report.nodeid.rpartition("/")[2]
        if report.when != "call":
            if report.failed:
                self.outcomes[name] = "failed", f"{report.when}: {report.longreprtext[-300:]}"
        elif self.called and self.refusal is not None:
            self.outcomes[name] = "not offered", self.refusal
        elif self.called or report.failed:
            message = getattr(getattr(report.longrepr, "reprcrash", None), "message", "")
            self.outcomes[name] = report.outcome, " ".join(message.split())[:300] if report.failed else ""

    def pytest_collectreport(self, report):
        if report.failed:
            self.outcomes[report.nodeid.rpartition("/")[2]] = "failed", f"collection: {report.longreprtext[-300:]}"


def replace(recorder, adapter, peer):
    """Wraps the functions of an adapter, and puts them into the peer if its own tests call them there."""
    not_offered = importlib.import_module("shared").NotOffered
    for module, names in adapter.OFFERED.items():
        target = importlib.import_module(module)
        for name in names:
            ours = recorder.wrapped(getattr(adapter, name), not_offered)
            setattr(adapter, name, ours)
            if peer == "scipy":
                from scipy._lib import _array_api  # where its tests look up what a function supports

                _array_api.xp_capabilities_table[ours] = _array_api.xp_capabilities_table[getattr(target, name)]
            if adapter.REPLACES:
                setattr(target, name, ours)


def run_tests(peer, results):
    """Runs the tests of a peer in this process and writes their outcomes to a file."""
    import pytest

    raises, warns = pytest.raises, pytest.warns
    pytest.raises = lambda *args, match=None, **options: raises(*args, **options)
    pytest.warns = lambda *args, match=None, **options: warns(*args, **options)
    recorder = Recorder()
    replace(recorder, importlib.import_module(f"{peer}_adapter"), peer)
    tests = PEERS[peer][1]
    files = [str(HERE / test) if test.endswith(".py") else importlib.util.find_spec(test).origin for test in tests]
    options = ["-c", os.devnull, "--rootdir", os.path.dirname(files[0]), "--import-mode=importlib", "-q", "--tb=no"]
    pytest.main([*options, "-p", "no:cacheprovider", "-W", "ignore", *files], plugins=[recorder])
    pathlib.Path(results).write_text(json.dumps(recorder.outcomes))


def judge(peer, outcomes):
    """Compares outcomes with known.py: the outcomes with their causes, and what is wrong."""
    from known import KNOWN, PASSED

    listed = {pattern: pattern.replace("[", "[[]") for pattern in KNOWN[peer]}
    judged, wrong, used = [], [], set()
    for test, (outcome, why) in outcomes.items():
        pattern = next((one for one, glob in listed.items() if fnmatch.fnmatchcase(test, glob)), None)
        if pattern is not None and outcome in ("passed", "failed"):
            used.add(pattern)
            if outcome == "passed":
                wrong.append(f"{test} passes, but known.py lists {pattern!r}")
            else:
                outcome, why = "differs", KNOWN[peer][pattern]
        elif outcome == "failed":
            wrong.append(f"{test} fails: {why}")
        judged.append((test, outcome, why))
    wrong += [f"no test failed that known.py lists as {pattern!r}" for pattern in listed if pattern not in used]
    passed = sum(outcome == "passed" for _, outcome, _ in judged)
    if passed < PASSED[peer]:
        wrong.append(f"{passed} tests pass, but known.py says that {PASSED[peer]} do")
    return judged, wrong


def check(peer, folder):
    """Runs the tests of a peer, prints the numbers, and returns whether something is wrong."""
    results, log = folder / f"{peer}.json", folder / f"{peer}.log"
    results.unlink(missing_ok=True)
    with open(log, "w") as to:
        subprocess.run([sys.executable, __file__, "--one", peer, results], stdout=to, stderr=to)
    outcomes = json.loads(results.read_text()) if results.exists() else {"run.py": ("failed", f"see {log}")}
    judged, wrong = judge(peer, outcomes)
    lines = [f"{outcome}: {test}{why and ': ' + why}" for test, outcome, why in judged]
    (folder / f"{peer}.txt").write_text("\n".join(lines) + "\n")

    numbers = collections.Counter(outcome for _, outcome, _ in judged)
    run, explained = len(judged) - numbers["skipped"], numbers["not offered"] + numbers["differs"]
    version = importlib.metadata.version(PEERS[peer][0])
    print(f"{peer} {version}: {run} run, {numbers['passed']} passed, {explained} failed with a cause")
    causes = collections.Counter(f"{what}: {why}" for _, what, why in judged if what in ("not offered", "differs"))
    for cause, count in causes.most_common():
        print(f"{count:6} {cause}")
    for one in wrong:
        print(f" wrong: {one}")
    sys.stdout.flush()
    return bool(wrong)


def main(peers):
    folder = pathlib.Path(os.environ.get("B", "build")) / "python" / "peers"
    folder.mkdir(parents=True, exist_ok=True)
    return any([check(peer, folder) for peer in peers])


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    if sys.argv[1:2] == ["--one"]:
        run_tests(*sys.argv[2:])
    elif unknown := set(sys.argv[1:]) - set(PEERS):
        sys.exit(f"run.py: unknown peer {', '.join(unknown)}; choose from {', '.join(PEERS)}")
    else:
        sys.exit(main(sys.argv[1:] or PEERS))
