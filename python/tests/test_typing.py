"""mypy, strictly, on the package and its gallery; the stub of the extension has its names; examples in docstrings and
docs/python.md do what they say."""

import doctest
import inspect
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import sat
from sat import _core, _table

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_mypy(tmp_path):
    pytest.importorskip("mypy")
    use = tmp_path / "use.py"
    use.write_text(
        "import numpy as np\nimport sat\na = np.zeros((9, 9), np.uint8)\nt: sat.Table = sat.table(a, mask=a > 3)\n"
        "b: np.ndarray = sat.box(a, (3, 5), out=a)\n"
        "needs: tuple[int, int] = sat.Box(a.shape, a.dtype, 3).needs(0, 4)\n"
    )
    targets = [str(ROOT / "python" / "sat"), *map(str, sorted((ROOT / "python" / "gallery").glob("*.py"))), str(use)]
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--config-file",
            str(ROOT / "pyproject.toml"),
            "--cache-dir",
            str(tmp_path),
            *targets,
        ],
        capture_output=True,
        text=True,
        cwd=ROOT / "python",
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    use.write_text("import sat\nsat.box([[1]], 3.5)\n")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path), str(use)],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert "arg-type" in done.stdout, "the stubs are seen"


def test_the_stub_has_the_extensions_names():
    stub = (pathlib.Path(sat.__file__).parent / "_core.pyi").read_text()
    assert set(re.findall(r"^(?:def|class) (\w+)", stub, re.M)) == {
        name for name in dir(_core) if not name.startswith("_") and name != "version"
    }
    for name in ["Table", "Writer", "Filter", "Rows"]:
        body = stub.split(f"class {name}:")[1].split("\nclass ")[0].split("\ndef ")[0]
        have = {n for n in vars(getattr(_core, name)) if not n.startswith("_")}
        assert set(re.findall(r"^    (?:def )?([a-z]\w*)[(:]", body, re.M)) == have


def test_docstrings():
    assert doctest.testmod(_table, extraglobs={"sat": sat, "np": np}).failed == 0
    for name in ["table", "box", "window", "threshold", "gauss", "load", "mean"]:
        assert len(inspect.getdoc(getattr(sat, name))) > 200


def test_the_documents_examples(tmp_path, monkeypatch):
    """The blocks of docs/python.md, one after the other, in one namespace."""
    text = (ROOT / "docs" / "python.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
    assert len(blocks) >= 4
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), names)
    assert os.listdir(tmp_path)
