#!/bin/bash
# bundle.sh SAT DIR - copies a sat and the libraries that it is linked with, but for the system's own, into DIR, for a
# machine that has none of them: SAT=DIR/sat docs/bench/reproduce.sh
set -eu
[ $# = 2 ] || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
mkdir -p "$2"
cp "$1" "$2/sat"
strip "$2/sat"
ldd "$1" | awk '$2 == "=>" && $1 !~ /^(libc|libm|libdl|librt|libpthread|libgcc_s|ld-linux[^.]*)\.so/ { print $3 }' |
    while read -r library; do cp -L "$library" "$2/"; done
ls -l "$2"
