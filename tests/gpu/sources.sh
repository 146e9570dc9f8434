#!/bin/sh
# sources.sh - the hashes of what a run on a GPU speaks of: the kernels, the library, and what checked them.  Of each file
# the code counts, without comments and blanks between words: words may be mended without another run.
cd "$(dirname "$0")/../.." || exit 1
find kernels src/lib src/cpu src/lab/lib tests/gpu -type f | grep -E '\.(c|h|cu|cuh|def)$' | LC_ALL=C sort | while read -r file; do
    code=$("${CC:-gcc}" -w -fpreprocessed -dD -E -P -x c "$file") || exit 1
    echo "$(printf '%s\n' "$code" | tr -s ' \t\n' ' ' | sed 's|^ ||' | sha256sum | cut -d' ' -f1)  $file"
done
