#!/bin/bash
# One compiler command, without make and without CUDA, builds the tool.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

compile() {
    gcc -std=c11 -D_GNU_SOURCE -O0 -pthread -Isrc/lib -Isrc/io -Isrc/cli src/{lib,cpu,io,cli}/*.c -lisal -ldeflate -lxxhash -lm -o "$dir/sat"
}
blurs() { "$dir/sat" data/coffee.png --box 9 -o "$dir/out.png" && [ -s "$dir/out.png" ]; }

try "one gcc command builds it" compile
try "and it blurs" blurs
finish
