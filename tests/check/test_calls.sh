#!/bin/bash
# What the command computes, a user of the library can: a C program with the public headers alone gives the command's
# results, bit for bit (calls.c).
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
: "${CC:=gcc}" "${B:=build}" "${SAT:=$PWD/$B/sat}" "${LIBSAT:=$PWD/$B/libsat.so}"

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
builds() {
    "$CC" -std=c11 -O1 -Wall -Wextra -Werror -Isrc/lib tests/check/calls.c "$LIBSAT" -Wl,-rpath,"${LIBSAT%/*}" \
        -o "$tree/calls"
}
same() { "$tree/calls" "$SAT" "$tree"; }
try "a program with the public headers alone builds" builds
try "it gives the command's statistics of rectangles and means of light, bit for bit" same
finish
