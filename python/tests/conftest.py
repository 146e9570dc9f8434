"""Fixtures, and TAP for `make check` (SAT_TAP=1)."""

import os

import numpy as np
import pytest

import sat
from sat import _arrays

TAP = os.environ.get("SAT_TAP") == "1"
_seen = 0


@pytest.fixture
def rng():
    return np.random.default_rng(38)


@pytest.fixture
def copies():
    """How many arrays the package has copied since the test began."""
    before = _arrays.copies
    return lambda: _arrays.copies - before


@pytest.fixture(autouse=True)
def _threads():
    yield
    sat.set_num_threads(0)


def pytest_report_teststatus(report, config):
    return ("", "", "") if TAP else None


def pytest_runtest_logreport(report):
    global _seen
    if not TAP or (report.when != "call" and not (report.when == "setup" and report.outcome != "passed")):
        return
    _seen += 1
    name = report.nodeid.replace("python/tests/", "").replace("#", "")
    why = report.longrepr[2] if report.outcome == "skipped" else ""
    print(
        f"\n{'not ok' if report.outcome == 'failed' else 'ok'} {_seen} - {name}{' # SKIP ' + why if why else ''}",
        flush=True,
    )
    if report.outcome == "failed":
        print("# " + report.longreprtext.replace("\n", "\n# "), flush=True)


def pytest_sessionfinish(session):
    if TAP:
        print(f"\n1..{_seen}", flush=True)
