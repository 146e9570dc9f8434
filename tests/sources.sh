#!/bin/bash
# sources.sh gpu|machines - hashes of the sources that a verified.txt is about.
#
#   gpu       tests/gpu/verified.txt: kernels, the library, and what checked them on a GPU; a line for each file
#   machines  tests/machines/verified.txt: everything that is built or tested but kernels; one hash
#
# Of C and CUDA only the code is hashed, without comments and spaces: words may be mended without another run.
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1:-} in
gpu) folders=(kernels src/lib src/cpu src/lab/lib tests/gpu) names='\.(c|h|cu|cuh|def)$' ;;
machines) folders=(src python tests packaging examples data .ci/run Makefile pyproject.toml) names=. ;;
*) echo "sources.sh: gpu or machines" >&2; exit 2 ;;
esac
for folder in "${folders[@]}"; do [ -e "$folder" ] || { echo "sources.sh: there is no $folder" >&2; exit 1; }; done

hash() { # FILE
    case $1 in
    src/*.[ch] | src/*.def | kernels/* | tests/gpu/*.[ch] | tests/gpu/*.cu)
        code=$("${CC:-gcc}" -w -fpreprocessed -dD -E -P -x c "$1") || return
        printf '%s\n' "$code" | tr -s ' \t\n' ' ' | sed 's|^ ||' | sha256sum | cut -d' ' -f1 ;;
    *) sha256sum <"$1" | cut -d' ' -f1 ;;
    esac
}
hashes() { # of files, in the order of their folders
    find "${folders[@]}" -type f ! -name verified.txt ! -path '*/__pycache__/*' ! -path 'tests/fuzz/corpus/*' -printf '%h %p\n' |
        grep -E "$names" | LC_ALL=C sort | while read -r folder file; do
        sum=$(hash "$file") || exit 1
        echo "$folder $sum  $file"
    done
}
if [ "$1" = gpu ]; then
    hashes | cut -d' ' -f2- | LC_ALL=C sort -k2
else
    all=$(hashes)
    sha256sum <<<"$all" | cut -c1-16
fi
