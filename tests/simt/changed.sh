#!/bin/bash
# changed.sh [--all] - the kernels' files that have changed since `make check` or `make quick` passed, one in a line: name and
# hash.  --all: all of them.
#
# The hash is that of the file as the compiler sees it in the simulator, with all that it includes and without comments, and
# of the compiler's version.
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build} CXX=${SIMT_CXX:-g++}
passed=$B/kernels.passed
[ "${1:-}" != --all ] || passed=/dev/null
[ -e "$passed" ] || passed=/dev/null
version=$("$CXX" --version | head -1)
for f in kernels/*.cu; do
    name=$(basename "$f" .cu)
    case $name in device | peer_*) continue ;; esac
    code=$("$CXX" -std=c++20 -E -P -DSAT_SIMT -DSAT_WITH_CUDA=1 -Itests/simt -Isrc/lib -Ikernels -x c++ "$f") || exit 1
    line="$name $(sha256sum <<<"$version $code" | cut -c1-64)"
    grep -qxF "$line" "$passed" || echo "$line"
done
