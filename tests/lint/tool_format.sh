#!/bin/bash
# clang-format has nothing to change.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

for f in $(tracked 'src/*.c' 'src/*.h' 'kernels/*.cu' 'kernels/*.cuh' 'tests/*.c' 'tests/*.h' 'tests/*.cpp' 'tests/*.cu' 'examples/*.c' 'python/src/*'); do
    try "$f is formatted" clang-format --dry-run -Werror "$f"
done
finish
