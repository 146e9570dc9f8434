#!/bin/bash
# changed.sh [--all] - the kernels' files that have changed since `make check` or `make quick` passed, one in a line: name and
# hash.  --all: all of them.
#
# The hash is that of the file as the compiler sees it in the simulator, with all that it includes and without comments, and
# of what all kernels are run with: the compilers' versions, simt.mk, which has their flags, the simulator and the harness.
#
# What runs in the simulator must compile where there is no CUDA.  So its headers are hidden: each one that the sources name
# is an error here, on a machine that has it, too.
set -o pipefail
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build} CXX=${SIMT_CXX:-g++} CC=${SIMT_CC:-gcc}
includes=(-DSAT_SIMT -DSAT_WITH_CUDA=1 -DSAT_WITH_LAB=1 -Itests/simt -Isrc/lib -Isrc/lab/lib -Ikernels)
passed=$B/kernels.passed
[ "${1:-}" != --all ] || passed=/dev/null
[ -e "$passed" ] || passed=/dev/null

hidden=$(mktemp -d)
trap 'rm -rf "$hidden"' EXIT
export CPATH=$hidden # searched before the system's folders
grep -rhoE '^ *# *include *<(cuda|cub/|thrust/|npp|cooperative_groups)[^>]*' kernels tests/gpu tests/simt src | sed 's/.*<//' |
    while read -r header; do
        mkdir -p "$hidden/$(dirname "$header")"
        echo "#error \"$header is a header of CUDA: what runs in the simulator must do without\"" >"$hidden/$header"
    done

# listed TARGET - the files that simt.mk names so.
listed() { MAKEFLAGS='' make -s -f tests/simt/simt.mk B="$B" "$1"; }
# as_compiled FILE - without comments.
as_compiled() {
    case $1 in
    *.c) "$CC" -std=c11 -D_GNU_SOURCE -E -P "${includes[@]}" "$1" ;;
    *) "$CXX" -std=c++20 -E -P "${includes[@]}" -x c++ "$1" ;;
    esac
}
common=$({
    "$CXX" --version | head -1 && "$CC" --version | head -1 && grep -v '^ *#' tests/simt/simt.mk || exit 1
    for f in $(listed simt-harness); do as_compiled "$f" || exit 1; done
} | sha256sum) || exit 1
for f in $(listed simt-kernels); do
    name=$(basename "$f" .cu)
    code=$(as_compiled "$f") || exit 1
    line="$name $(sha256sum <<<"$common $code" | cut -c1-64)"
    grep -qxF "$line" "$passed" || echo "$line"
done
