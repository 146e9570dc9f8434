"""What this package runs with, for reports of errors."""

from __future__ import annotations

import sys
from typing import IO

from . import _core
from ._arrays import shown


def _gpu() -> str:
    """Names of GPUs, by a process of its own: one that has asked a driver cannot fork."""
    import subprocess

    ask = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    try:
        done = subprocess.run(ask, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return "none"
    return "; ".join(done.stdout.split("\n")[:-1]) if done.returncode == 0 and done.stdout else "none"


def show_versions(file: IO[str] | None = None) -> None:
    """Prints what a report of an error needs, a line each, to `file`, by default sys.stdout: versions of this package,
    Python, NumPy and optional packages, the platform, instruction set, threads and the GPU, which is not used."""
    import platform
    from importlib.metadata import PackageNotFoundError, version

    if file is not None and not hasattr(file, "write"):
        raise TypeError(f"file: {shown(file)}; a text file, open for writing, is taken")
    _, isa, *_ = _core.note().split(", ")
    found = {
        "sat": _core.version,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "numpy": version("numpy"),
        "platform": f"{platform.platform()} {platform.machine()}",
        "instructions": isa,
        "threads": str(_core.num_threads()),
        "gpu": _gpu(),
    }
    for name in ("dask", "distributed", "zarr", "xarray", "rioxarray", "torch"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "none"
    print("\n".join(f"{name:13} {text}" for name, text in found.items()), file=file or sys.stdout)
