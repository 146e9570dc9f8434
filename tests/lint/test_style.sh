#!/bin/bash
# What every text file of the repository keeps to.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

mapfile -t code < <(tracked 'src/*' 'kernels/*' 'tests/*.c' 'tests/*.h' 'tests/*.cpp' 'tests/*.cu' 'tests/*.mk' 'tests/*.sh' 'tests/*.py' 'tests/*.bats' 'examples/*' '.ci/run' \
    'packaging/*' 'python/*' pyproject.toml Makefile | grep -vE '\.(npy|npz|png|jpg|bin)$|/corpus/')
mapfile -t prose < <(tracked '*.md')

missing_newline() {
    local f
    for f in "$@"; do [ -z "$(tail -c1 "$f")" ] || echo "$f"; done
}
long_files() { wc -l "$@" | awk '$2 != "total" && $1 > 620 { print $2 ": " $1 " lines" }'; }
not_runnable() {
    local f
    for f in $(grep -l '^#!' "$@"); do [ -x "$f" ] || echo "$f"; done
}

try "sources are ASCII" nothing env LC_ALL=C grep -nP '[^\x00-\x7F]' "${code[@]}"
try "no tab but in makefiles" nothing grep -nP '\t' $(printf '%s\n' "${code[@]}" | grep -vE '(^Makefile|\.mk)$')
try "no space at the end of a line" nothing grep -nE '[[:space:]]+$' "${code[@]}"
try "no line over 120 columns" nothing grep -nE '^.{121,}$' $(printf '%s\n' "${code[@]}" | grep -E '\.(c|h|cpp|cu|cuh|def|py)$')
try "every file ends with a newline" nothing missing_newline "${code[@]}" "${prose[@]}"
# A manual is as long as its command.
try "no file over 620 lines" nothing long_files $(printf '%s\n' "${code[@]}" | grep -v '\.1$')
try "nothing is left for later" nothing grep -nE '\b(TO[D]O|FIX[M]E|XX[X])\b' "${code[@]}" "${prose[@]}"
try "no path of one machine" nothing grep -nE '(^|[^A-Za-z0-9_.])/(root|home|work)/' "${code[@]}" "${prose[@]}"
try "scripts can be run" nothing not_runnable "${code[@]}"
finish
