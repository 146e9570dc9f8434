#!/bin/bash
# Work on the CPU loads no CUDA driver: the loader is asked what it looks for (ld.so(8), LD_DEBUG).
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
: "${B:=build}" "${SAT:=$PWD/$B/sat}"

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

looks() { LD_DEBUG=libs "$SAT" "$@" 2>&1 >"$dir/out" | grep -a 'libcuda\.'; }
asks() { looks "$@" >"$dir/asked"; [ -s "$dir/asked" ]; }

if ! asks backends; then
    skip "CPU work loads no driver" "built without CUDA"
    finish
fi
try "listing backends asks for the driver" asks backends
try "a box filter does not" nothing looks data/camera.png --box 9 -o "$dir/a.png"
try "a table does not" nothing looks data/camera.png -o "$dir/a.npy"
try "a query does not" nothing looks query "$dir/a.npy" --rect 0,0,9,9
try "--help does not" nothing looks --help
reference=$("$SAT" bench --list --json | grep '"kind":"reference"' | sed 's/.*"name":"\([^"]*\)".*/\1/')
try "a CPU backend by its name does not" nothing looks data/camera.png --box 9 --backend "$reference" -o "$dir/a.png"
finish
