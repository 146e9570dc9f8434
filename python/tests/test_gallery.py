"""The gallery's scripts: their answers, which are known as the pictures are made up, and their pictures beside the
documents' pictures."""

import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

cv2 = pytest.importorskip("cv2")
pytest.importorskip("pandas")
ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(name, folder):
    done = subprocess.run(
        [sys.executable, ROOT / "python" / "gallery" / f"{name}.py", folder],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0 and done.stderr == "", done.stderr
    got, want = (cv2.imread(str(f / f"python-{name}.png")).astype(float) for f in (folder, ROOT / "docs" / "img"))
    assert got.shape == want.shape
    assert np.abs(got - want).mean() < 2, "grey levels"
    return done.stdout


def test_page(tmp_path):
    otsu, sauvola = map(float, re.findall(r"F-measure ([\d.]+)", run("page", tmp_path)))
    assert otsu < 0.5 and sauvola > 0.85


def test_micrograph(tmp_path):
    cells, inside, outside = map(float, re.findall(r"-?\d+\.?\d*", run("micrograph", tmp_path)))
    assert cells == 30 and inside > 1 and abs(outside) < 0.2


def test_raster(tmp_path):
    sys.path.insert(0, str(ROOT / "python" / "gallery"))
    try:
        import pictures
    finally:
        sys.path.pop(0)
    heights = pictures.raster()
    rows = [line.split() for line in run("raster", tmp_path).splitlines()[1:]]
    assert len(rows) == 6
    for x, y, w, h, mean, std, count in (map(float, row) for row in rows):
        part = heights[int(y) : int(y + h), int(x) : int(x + w)].astype(float)
        part = part[part != -9999]
        assert count == part.size
        np.testing.assert_allclose([mean, std], [part.mean(), part.std()], atol=0.006)


def test_features(tmp_path):
    ink, paper = map(float, re.findall(r"(-?\d+\.\d+) on", run("features", tmp_path)))
    assert ink > 0.5 > 0.1 > abs(paper)
