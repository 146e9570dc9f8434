"""mypy and pyright, strict, on the package, its gallery and a page of a user; the stub of the extension has its names;
examples in docstrings and docs/python.md do what they say."""

import doctest
import inspect
import os
import pathlib
import re
import subprocess
import sys
import typing

import numpy as np
import pytest

import sat
from sat import _core, _table

ROOT = pathlib.Path(__file__).resolve().parents[2]


# A page of a user.
USE = """
import numpy as np
import sat
from sat.typing import Array, Border, RectStatistic, Statistic

image: Array = np.zeros((48, 64), np.uint8)
t: sat.Table = sat.table(image, moments=np.int64(2), mask=image > 3, layout="inclusive")
one = t.mean([1, 2, 3, 4])
several: Array = t.mean([[1, 2, 3, 4]])
lists: list[list[int]] = [[0, 0, 9, 9], [1, 2, 3, 4]]
print(several.shape, one + 1, t.sum(lists).dtype, t.var(np.array(lists), ddof=1).max(), t[1:3, 2:5].mean)
names: list[RectStatistic] = ["mean", "std"]
for name, values in t.query([[0, 0, 2, 2]], names).items():
    print(name.upper(), values.shape)
mean, std = sat.window(image, np.array([3, 5]), ["mean", "std"])
print(mean.shape, std.shape, sat.window(image, [3, 5], "std").T, sat.box(image, np.int32(3)).dtype)
both: tuple[Statistic, ...] = ("sauvola", "norm")
print(len(sat.window(image, (3, 5), both, k=0.2)), sat.threshold(image, 25, "nick", k=0.2).any())


def smooth(page: Array, border: Border = "wrap") -> Array:
    blurred = sat.gauss(page, 2.0, border) + sat.unsharp(page, 2, 1) + sat.dog(page, 2, 3)
    return blurred + sat.box(page, (3, 5), out=page.copy())


f = sat.Window(image.shape, image.dtype, 3, ["mean", "std"], band_rows=np.int64(16))
a, b = f.run(image, 0, 0, 16)
print(a.shape, b.shape, sat.Window(image.shape, "u1", 3, "std").run(image, 0, 0, 16).shape)
needs: tuple[int, int] = sat.Box(image.shape, image.dtype, 3).needs(0, 4)
print(sat.Gauss(image.shape, image.dtype, 3.0).run(image, 0, 0, 16).shape, sat.compat.integral(image).shape)
print(sat.mean(image, [[0, 0, 2, 2]]).shape, sat.query(image, lists, "sum")["sum"].shape, smooth(image).shape)
sat.set_num_threads(sat.num_threads())
sat.show_versions()
"""
WRONG = [  # what a checker refuses
    'sat.box([[1]], 3.5)',
    'sat.box([[1]], 3, "nearest")',
    'sat.window([[1]], 3, "median")',
    'sat.window([[1]], 3, ["mean", "median"])',
    'sat.threshold([[1]], 3, "otsu")',
    'sat.table([[1]], layout="none")',
    'sat.table([[1]]).query([0, 0, 1, 1], "median")',
    'sat.box([[1]], 3, anchor="third")',
]


def checked(tmp_path, *command):
    offline = {**os.environ, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}  # pyright asks for no newer version of itself
    command = [sys.executable, "-m", *map(str, command)]
    return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=offline, timeout=600)


def test_mypy(tmp_path):
    pytest.importorskip("mypy")
    use = tmp_path / "use.py"
    use.write_text(USE)
    gallery = sorted((ROOT / "python" / "gallery").glob("*.py"))
    mypy = "mypy", "--config-file", ROOT / "pyproject.toml", "--cache-dir", tmp_path / "cache"
    done = subprocess.run(
        [sys.executable, "-m", *map(str, (*mypy, ROOT / "python" / "sat", *gallery, use))],
        capture_output=True,
        text=True,
        cwd=ROOT / "python",
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    use.write_text("import sat\n" + "\n".join(WRONG))
    done = checked(tmp_path, *mypy, use)
    lines = {int(n) for n in re.findall(r"^use.py:(\d+): error", done.stdout, re.M)}
    assert lines == {*range(2, 2 + len(WRONG))}, done.stdout


def test_pyright(tmp_path):
    pytest.importorskip("pyright")
    (tmp_path / "use.py").write_text(USE)
    (tmp_path / "wrong.py").write_text("import sat\n" + "\n".join(WRONG))
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}')
    pyright = "pyright", "--pythonpath", sys.executable
    done = checked(tmp_path, *pyright, "use.py")
    assert done.returncode == 0, done.stdout + done.stderr
    done = checked(tmp_path, *pyright, "wrong.py")
    lines = {int(n) for n in re.findall(r"wrong.py:(\d+):\d+ - error", done.stdout)}
    assert lines == {*range(2, 2 + len(WRONG))}, done.stdout


def test_the_page_runs():
    exec(compile(USE, "use.py", "exec"), {"__name__": "use"})


def test_names_are_the_librarys():
    def literal(alias):
        return {name for one in typing.get_args(alias) for name in (literal(one) if typing.get_args(one) else [one])}

    with pytest.raises(ValueError) as caught:
        sat.box([[1]], 3, "x")
    assert literal(sat.typing.Border) == set(str(caught.value).split(" is none of ")[1].split(", "))
    assert literal(sat.typing.Statistic) == {name for name, _, _ in _core.statistics()}
    assert literal(sat.typing.Method) == {name for name, _, threshold in _core.statistics() if threshold}
    assert literal(sat.typing.RectStatistic) == {name for name, _, _ in _core.rect_statistics()}
    assert literal(sat.typing.Layout) == set(sat._arrays.LAYOUTS)


def test_no_public_function_returns_any():
    objects = [getattr(sat, name) for name in sat.__all__] + [getattr(sat.compat, n) for n in ("integral", "integrate")]
    for one in objects:
        for function in vars(one).values() if inspect.isclass(one) else [one]:
            function = function.fget if isinstance(function, property) else function
            if inspect.isfunction(function) and not function.__name__.startswith("_"):
                told = typing.get_overloads(function) or [function]
                assert all(one.__annotations__["return"] != "Any" for one in told), function


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
