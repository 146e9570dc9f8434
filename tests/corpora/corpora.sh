#!/bin/bash
# corpora.sh DIR - decodes every file under DIR with `sat`, with Pillow and with OpenCV, TIFFs with tifffile first, and
# compares their samples; `CORPUS=DIR make corpora`.  No part of `make check`: it takes these from PyPI, into
# build/corpora/venv.
set -eu
cd "$(dirname "$0")/../.."
export B=${B:-build} PYTHONDONTWRITEBYTECODE=1 LC_ALL=C.UTF-8
export SAT=$PWD/$B/sat
corpus=${1:-}
[ -d "$corpus" ] || { echo "corpora.sh: no folder '$corpus': CORPUS=DIR make corpora" >&2; exit 2; }

python=$B/corpora/venv/bin/python
if ! "$python" -c 'import cv2, imagecodecs, PIL, tifffile' 2>/dev/null; then
    packaging/deps.sh corpora
    python3 -m venv "$B/corpora/venv"
    "$B/corpora/venv/bin/pip" install --quiet opencv-python-headless pillow tifffile imagecodecs
fi
"$python" tests/corpora/corpora.py "$corpus"
