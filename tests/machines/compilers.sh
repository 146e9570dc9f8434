#!/bin/bash
# compilers.sh [COMPILER...] - what `make compilers` does: each compiler, by default gcc-11 and clang-19, builds everything
# at -O1 without a warning, and its unit tests pass. Their oracles are exact for integers, so that all compilers agree.
#
#   BRIEF=1  leaves out the slow unit suites
#   B=DIR    builds are in DIR/compilers, by default build/compilers
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
: "${B:=build}" "${BRIEF:=0}"

builds() { make -s -j"$(nproc)" B="$B/compilers/$1" CC="$1" CUDA=0 CFLAGS=-O1 WERROR=1 all unit; }
passes() {
    local log=$B/compilers/$1.log status
    env -u CI B="$B/compilers/$1" tests/run.sh fuzz "$([ "$BRIEF" = 1 ] && echo brief || echo unit)" >"$log" 2>&1
    status=$?
    echo "# $1: $(tail -1 "$log")" >&3
    [ $status = 0 ] || grep -A 12 '^----' "$log"
    return $status
}

exec 3>&1
[ $# != 0 ] || set -- gcc-11 clang-19
for cc in "$@"; do
    try "$cc builds everything without a warning" builds "$cc"
    try "the tests of what $cc built" passes "$cc"
done
finish
