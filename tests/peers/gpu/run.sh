#!/bin/bash
# run.sh OUT - `sat bench` and CuPy, PyTorch, OpenCV and NPP on the same arrays, on this machine's GPU, in one run; what
# is missing is named and has no rows.  Writes OUT/h200-*.csv and a log; installs and downloads nothing.
# SAT, SAT_LIBRARY_PATH, LIMIT_S, ONLY, SMALL: see bench.py.
set -eu
cd "$(dirname "$0")/../../.."
[ $# = 1 ] || { sed -n '2,4s/^# //p' "$0" >&2; exit 2; }
exec env PYTHONDONTWRITEBYTECODE=1 "${PYTHON:-python3}" tests/peers/gpu/bench.py "$1"
