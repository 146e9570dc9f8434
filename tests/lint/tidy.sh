#!/bin/bash
# tidy.sh [I/N] - clang-tidy, with the checks of .clang-tidy, on the I-th of N shares of the sources, by default 1/1.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
share=${1:-1/1}

tidy() {
    clang-tidy --quiet --warnings-as-errors='*' "$1" -- -std=c11 -D_GNU_SOURCE -Isrc/lib -Isrc/io -Isrc/cli -Isrc/cpu -Isrc/lab/lib \
        -DSAT_WITH_LAB=1 -DSAT_WITH_LIBJPEG=1 -DSAT_WITH_LIBTIFF=1 -Wno-unknown-warning-option
}
n=0
for f in $(tracked 'src/*.c'); do
    n=$((n + 1))
    [ $((n % ${share#*/})) = $((${share%/*} % ${share#*/})) ] || continue
    try "clang-tidy has nothing to say on $f" tidy "$f"
done
finish
