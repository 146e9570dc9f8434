#!/bin/bash
# make LAB=0: the product without the laboratory builds, in a folder whose name has spaces, and does what the product does.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
: "${B:=build}"
SAT=$(realpath "$B/sat")

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
source="$dir/the source" out="$dir/the source/out"
sat=$out/sat

build() { mkdir "$source" && cp -r Makefile src kernels packaging "$source" && chmod -R u+w "$source" && make -s -C "$source" LAB=0 CUDA=0 CFLAGS=-O0 B=out all; }
same_blur() {
    "$SAT" data/coffee.png --box 9 -o "$dir/a.png" && "$sat" data/coffee.png --box 9 -o "$dir/b.png" && cmp "$dir/a.png" "$dir/b.png"
}
same_table() {
    "$SAT" data/camera.png -o "$dir/a.npy" && "$sat" data/camera.png -o "$dir/b.npy" && cmp "$dir/a.npy" "$dir/b.npy"
}
same_answer() { diff <("$SAT" query "$dir/a.npy" --rect 3,4,50,60) <("$sat" query "$dir/b.npy" --rect 3,4,50,60); }
# This product is built without CUDA, and the other build may have it.
same_help() { # but for the command that is missing, and for backends
    local lists='^(backends:|          )'
    diff <("$SAT" --help | grep -vE "^  bench |$lists") <("$sat" --help | grep -vE "$lists")
}
same_backends() { diff <("$SAT" backends --json | grep -E '"(cpu|serial)"') <("$sat" backends --json); }
refused() { # COMMAND...
    local status
    "$sat" "$@" >"$dir/said" 2>&1
    status=$?
    [ $status = 2 ] && grep -q '^sat: .*this build of sat is without .sat bench.' "$dir/said" || { echo "status $status"; cat "$dir/said"; return 1; }
}
kernels() { # what would be compiled with CUDA
    make -s -n LAB=0 CUDA=1 NVCC=nvcc SM=90 B="$dir/cuda" kernels | grep -oE 'kernels/[a-z_/]+\.cu' | sort -u >"$dir/kernels"
    grep -qx kernels/table/fused.cu "$dir/kernels" && ! grep -E '^kernels/(lab|peer)/' "$dir/kernels"
}
exports_sat_h_alone() {
    diff <(sed -nE 's/^SAT_API .*[ *](sat_[a-z0-9_]+)\(.*/\1/p' src/lib/sat*.h | sort) \
        <(nm -D --defined-only "$out/libsat.so" | awk '{ print $NF }' | sort)
}
installs_no_lab() {
    make -s -C "$source" LAB=0 CUDA=0 CFLAGS=-O0 B=out DESTDIR="$dir/dest" PREFIX=/usr install &&
        diff <(ls "$dir/dest/usr/include") <(ls src/lib/sat*.h src/io/sat*.h | sed 's|.*/||' | sort)
}

try "it builds" build
try "it blurs the same picture" same_blur
try "it writes the same table" same_table
try "it gives the same answer" same_answer
try "its help is the same but for the bench" same_help
try "its backends are the same" same_backends
try "sat bench is refused" refused bench
try "sat bench with options is refused" refused bench scan --max 12
try "help for it is refused" refused help bench
try "it has the fused kernel and none of the laboratory" kernels
try "the library exports what the public headers but sat_lab.h declare, and nothing else" exports_sat_h_alone
try "no header of the laboratory is installed" installs_no_lab
finish
