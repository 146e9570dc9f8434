"""PyTorch's tensors as images, and a DataLoader whose workers load and blur.  Skipped where there is no PyTorch."""

import importlib.util
import subprocess
import sys

import numpy as np
import pytest

import sat

pytestmark = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not installed")

LOADER = """
import pathlib, sys
import numpy as np, sat, torch
from torch.utils.data import DataLoader, Dataset

class Blurred(Dataset):
    def __init__(self, folder):
        self.paths = sorted(pathlib.Path(folder).glob("image*.npy"))
        self.table = sat.load(folder + "/table.npy")

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        image = np.load(self.paths[i], mmap_mode="r")
        layers = [*sat.window(sat.box(image, 9), 15, ["mean", "std"]), sat.gauss(image, 2.0, dtype=np.float32)]
        return torch.from_numpy(np.stack(layers)), self.table.mean([i, 0, 50, 60]), sat.num_threads()

def one_thread(worker):
    sat.set_num_threads(1)

if __name__ == "__main__":
    data = Blurred(sys.argv[1])
    sat.set_num_threads(3)
    want = [data[i] for i in range(len(data))]
    torch.ones(500, 500) @ torch.ones(500, 500)  # its threads run when workers are forked
    for begin, threads in [(None, {3 if sys.argv[2] == "fork" else None}), (one_thread, {1})]:
        loader = DataLoader(data, 4, num_workers=2, multiprocessing_context=sys.argv[2], worker_init_fn=begin)
        for epoch in range(2):
            batches = list(loader)
            got = [torch.cat([batch[i] for batch in batches]) for i in range(3)]
            assert all(torch.equal(x, y[0]) for x, y in zip(got[0], want)) and len(got[0]) == len(want)
            assert got[1].tolist() == [y[1] for y in want]
            assert set(got[2].tolist()) == threads or threads == {None}
    print("right")
"""


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_data_loader(rng, tmp_path, method):
    for i in range(10):
        np.save(tmp_path / f"image{i}.npy", rng.integers(0, 256, (240, 320), np.uint8))
    sat.table(rng.integers(0, 256, (240, 320), np.uint8)).save(tmp_path / "table.npy")
    script = tmp_path / "loader.py"
    script.write_text(LOADER)
    done = subprocess.run([sys.executable, script, tmp_path, method], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and done.stdout == "right\n", done.stderr


def test_tensors(copies):
    import torch

    x = torch.randint(0, 256, (3, 60, 70), dtype=torch.uint8)
    a = x.numpy()
    assert np.array_equal(sat.box(x, 5, channel_axis=0), sat.box(a, 5, channel_axis=0))
    assert np.array_equal(sat.box(x.permute(1, 2, 0), 5), sat.box(a.transpose(1, 2, 0), 5))
    part, counts = a[0, ::2, ::3], a[1, ::2, ::3] > 9
    assert np.array_equal(sat.box(x[0, ::2, ::3], 5, mask=x[1, ::2, ::3] > 9), sat.box(part, 5, mask=counts))
    out = torch.empty(60, 70)
    sat.gauss(x[0].float(), 2.0, out=out.numpy())
    assert torch.equal(out, torch.from_numpy(sat.gauss(a[0].astype(np.float32), 2.0)))
    assert sat.table(x[0]).mean(torch.tensor([1, 2, 3, 4])) == a[0, 2:6, 1:4].mean()
    assert copies() == 0
    for bad in (x.to(torch.bfloat16), x.float().requires_grad_()):
        with pytest.raises(TypeError, match="image"):
            sat.box(bad, 5, channel_axis=0)
    with pytest.raises(TypeError, match=r"numpy\(\)"):
        sat.box(x[0], 5, out=out)
