#!/bin/bash
# peers.sh - installs other tools, compares their pictures with ours, then times both; `make peers`.
# Writes docs/bench/{commands,inprocess,windows,nodata,gauss}.{md,csv} and rows.md.  No part of `make check`: it needs the
# network, 8 GB in /tmp, and a machine that does nothing else for half an hour.
set -eu
cd "$(dirname "$0")/../.."
export B=${B:-build} SAT_TEST_ROOT=$PWD PYTHONDONTWRITEBYTECODE=1 LC_ALL=C.UTF-8
export SAT=$PWD/$B/sat

packaging/deps.sh peers
work=$B/peers
mkdir -p "$work" docs/bench
python=$work/venv/bin/python
if ! "$python" -c 'import cv2.ximgproc, scipy, PIL, skimage, astropy, rasterstats, exactextract, matplotlib' 2>/dev/null; then
    python3 -m venv "$work/venv"
    "$work/venv/bin/pip" install --quiet opencv-contrib-python-headless scipy pillow scikit-image astropy rasterstats \
        exactextract matplotlib
fi

"$python" tests/peers/commands.py "$work" docs/bench
"$python" tests/peers/inprocess.py docs/bench
"$python" tests/peers/windows.py docs/bench
"$python" tests/peers/nodata.py "$work" docs/bench
"$python" tests/peers/gauss.py docs/bench
PYTHON=$PWD/$python docs/bench/rows.sh >"$work/rows.md"
mv "$work/rows.md" docs/bench/rows.md
cat docs/bench/rows.md
