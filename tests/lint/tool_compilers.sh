#!/bin/bash
# The second compiler, and the library's header as C++.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

for h in src/{lib,io,lab/lib}/sat*.h src/lib/backend.h src/lab/lib/scan_method.h src/lib/device.h; do
    try "$h compiles as C++17" clang++ -std=c++17 -Wall -Wextra -Werror -Isrc/lib -Isrc/lab/lib -fsyntax-only -x c++ "$h"
done
try "clang builds everything without a warning" make -s WERROR=1 B=build/clang CC=clang CUDA=0 CFLAGS='-O1' all
try "gcc builds everything without libjpeg and libtiff" make -s WERROR=1 B=build/nojpeg JPEG=0 TIFF=0 CUDA=0 CFLAGS='-O1' all
finish
