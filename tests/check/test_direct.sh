#!/bin/bash
# One compiler command, without make and without CUDA, builds the tool.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

compile() {
    gcc -std=c11 -D_GNU_SOURCE -O0 -pthread -Isrc/lib -Isrc/io -Isrc/cli src/{lib,cpu,io,cli}/*.c -lisal -ldeflate -lxxhash -lm -o "$dir/sat"
}
# stb's headers without the folder that Debian puts them in.
flat() {
    mkdir "$dir/flat" && cp /usr/include/stb/stb_image.h /usr/include/stb/stb_image_write.h "$dir/flat/" &&
        sed 's|<stb/|<no-such-folder/|' src/io/stb.c |
        gcc -std=c11 -D_GNU_SOURCE -Isrc/lib -Isrc/io -isystem "$dir/flat" -fsyntax-only -xc -
}
blurs() { "$dir/sat" data/coffee.png --box 9 -o "$dir/out.png" && [ -s "$dir/out.png" ]; }

try "one gcc command builds it" compile
try "and it blurs" blurs
try "stb's headers need no folder" flat
finish
