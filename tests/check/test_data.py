#!/usr/bin/env python3
"""data/: what draw.py draws is what is committed, and data/README.md names every file."""
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib

from satlib import ROOT, Tap

DATA = os.path.join(ROOT, "data")


def contents(path):
    """A PNG's header and rows, which do not depend on the compressor; other files as they are."""
    with open(path, "rb") as f:
        data = f.read()
    if data[:4] != b"\x89PNG":
        return data
    parts, at = {}, 8
    while at < len(data):
        size, name = struct.unpack(">I4s", data[at:at + 8])
        parts[name] = parts.get(name, b"") + data[at + 8:at + 8 + size]
        at += size + 12
    parts[b"IDAT"] = zlib.decompress(parts[b"IDAT"])
    return parts


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, os.path.join(DATA, "draw.py"), folder], check=True)
        for name in sorted(os.listdir(folder)):
            same = contents(os.path.join(folder, name)) == contents(os.path.join(DATA, name))
            tap.report(f"{name} is what draw.py draws", [] if same else ["it is not"])
    with open(os.path.join(DATA, "README.md"), encoding="utf-8") as f:
        named = set(re.findall(r"^\| `([^`]+)`", f.read(), re.M))
    files = {name for name in os.listdir(DATA) if name not in ("README.md", "draw.py", "__pycache__")}
    missing = sorted(files - named)
    tap.report("data/README.md says where every file comes from", [f"{name} is not there" for name in missing])
    size = sum(os.path.getsize(os.path.join(DATA, name)) for name in files)
    tap.report("all of it is below 2 MB", [] if size < 2_000_000 else [f"{size} bytes"])
    tap.finish()


if __name__ == "__main__":
    main()
