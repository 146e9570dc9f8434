#!/bin/bash
# cppcheck over all of src/.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

try "cppcheck has nothing to say" cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
    --error-exitcode=1 -j"$(nproc)" -D_GNU_SOURCE -D__x86_64__ -DSAT_WITH_TURBOJPEG=1 -DSAT_WITH_CUDA=0 \
    --suppress=missingIncludeSystem -Isrc/lib -Isrc/io -Isrc/cli src
finish
