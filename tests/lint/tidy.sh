#!/bin/bash
# tidy.sh [I/N] - clang-tidy, with the checks of .clang-tidy, on the I-th of N shares of the sources, by default 1/1.
# BRIEF=1 leaves out clang's static analyzer, which takes 19 twentieths of the time.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
share=${1:-1/1}
checks=()
[ "${BRIEF:-0}" = 0 ] || checks=(--checks='-clang-analyzer-*')

tidy() {
    clang-tidy --quiet --warnings-as-errors='*' "${checks[@]}" "$1" -- -std=c11 -D_GNU_SOURCE -Isrc/lib -Isrc/io -Isrc/cli -Isrc/cpu -Isrc/lab/lib \
        -DSAT_WITH_LAB=1 -DSAT_WITH_LIBJPEG=1 -DSAT_WITH_LIBTIFF=1 -Wno-unknown-warning-option
}
n=0
for f in $(tracked 'src/*.c'); do
    n=$((n + 1))
    [ $((n % ${share#*/})) = $((${share%/*} % ${share#*/})) ] || continue
    try "clang-tidy has nothing to say on $f" tidy "$f"
done
finish
