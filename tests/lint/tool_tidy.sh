#!/bin/bash
# clang-tidy, with the checks of .clang-tidy; one process for each core.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

tidy() {
    clang-tidy --quiet --warnings-as-errors='*' "$1" -- -std=c11 -D_GNU_SOURCE -Isrc/lib -Isrc/io -Isrc/cli \
        -DSAT_WITH_LIBJPEG=1 -Wno-unknown-warning-option
}
export -f tidy
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
mapfile -t files < <(tracked 'src/*.c')
# shellcheck disable=SC2016 # the inner shells expand it
printf '%s\n' "${files[@]}" | out=$out xargs -P "$(nproc)" -I{} bash -c \
    'tidy {} >"$out/$(tr / _ <<<{})" 2>&1 && : >"$out/$(tr / _ <<<{})"'
for f in "${files[@]}"; do
    try "clang-tidy has nothing to say on $f" nothing cat "$out/$(tr / _ <<<"$f")"
done
finish
