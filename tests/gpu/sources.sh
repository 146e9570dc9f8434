#!/bin/sh
# sources.sh - the hashes of what a run on a GPU speaks of: the kernels, the library, and what checked them.
cd "$(dirname "$0")/../.." || exit 1
find kernels src/lib src/cpu tests/gpu -type f | grep -E '\.(c|h|cu|cuh|def)$' | LC_ALL=C sort | xargs sha256sum
