#!/bin/bash
# compilers.sh [COMPILER...] - what `make compilers` does. Each compiler, by default gcc-11 and clang-19, builds everything
# at -O1 without a warning, its unit tests pass, and its results and table files equal $B's (hashes.c). musl-gcc, also
# by default, builds the libraries alone, as Debian has what the command needs for glibc only; a static program with them
# has to give the same results.
#
#   BRIEF=1  leaves out the slow unit suites
#   B=DIR    the reference build, by default build; others: DIR/compilers
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
: "${B:=build}" "${BRIEF:=0}"
dir=$(realpath -m "$B/compilers")
mkdir -p "$dir/musl"

builds() { make -s -j"$(nproc)" B="$dir/$1" CC="$1" CUDA=0 CFLAGS=-O1 WERROR=1 all unit; }
passes() {
    local log=$dir/$1.log status
    env -u CI B="$dir/$1" tests/run.sh fuzz "$([ "$BRIEF" = 1 ] && echo brief || echo unit)" >"$log" 2>&1
    status=$?
    echo "# $1: $(tail -1 "$log")" >&3
    [ $status = 0 ] || grep -A 12 '^----' "$log"
    return $status
}
# hashes BUILD so|a COMPILER OPTION... - hashes.c with a build's libraries, shared or static.
hashes() {
    local build cc=$3 kind=$2
    build=$(realpath "$1")
    shift 3
    "$cc" -O1 -D_GNU_SOURCE -Isrc/lib -Isrc/io tests/machines/hashes.c "$build/libsat_file.$kind" "$build/libsat.$kind" "$@" \
        -Wl,-rpath,"$build" -lm -pthread -o "$dir/hashes" && "$dir/hashes" "$dir/hashes.npy"
}
same() { diff "$dir/hashes.txt" <(hashes "$@"); }
# Debian's musl has no headers of Linux; xxHash is compiled in.
musl_builds() {
    ln -sfn /usr/include/linux /usr/include/asm-generic /usr/include/xxhash.h "/usr/include/$(gcc -dumpmachine)/asm" "$dir/musl" &&
        make -s -j"$(nproc)" B="$dir/musl-gcc" CC=musl-gcc CUDA=0 LAB=0 JPEG=0 TIFF=0 CFLAGS=-O1 WERROR=1 FILE_LIBS= \
            EXTRA_CFLAGS="-isystem $dir/musl -DXXH_INLINE_ALL" lib
}

exec 3>&1
[ $# != 0 ] || set -- gcc-11 clang-19 musl-gcc
make -s -j"$(nproc)" B="$B" lib || exit 1
hashes "$B" so "${CC:-gcc}" >"$dir/hashes.txt" || exit 1
for cc in "$@"; do
    if [ "$cc" = musl-gcc ]; then
        try "musl-gcc builds the libraries without a warning" musl_builds
        try "a static program of musl gives glibc's results" same "$dir/musl-gcc" a musl-gcc -static
        continue
    fi
    try "$cc builds everything without a warning" builds "$cc"
    try "the tests of what $cc built" passes "$cc"
    try "the results of what $cc built are those of ${CC:-gcc}" same "$dir/$cc" so "$cc"
done
finish
