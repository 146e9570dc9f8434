#!/bin/bash
# Variants of loops pay: each has a line in src/lib/paths.def, a switch where it is chosen, and the line's name in a comment
# before it; docs/bench/paths.csv has the row of each line for some instruction set, and one that wins.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

LEAST=15 # percent
table=docs/bench/paths.csv
mapfile -t sources < <(tracked 'src/cpu/*.[ch]' 'src/lib/*.[ch]' | grep -v '^src/lib/path\.h$')
lines() { sed -nE 's/^PATH\(([a-z0-9_]+), "([^"]*)", "([^"]*)"\)$/\1|\2/p' src/lib/paths.def; }
names() { lines | cut -d'|' -f1; }
switches() { grep -ohE 'SAT_PATH\([a-z0-9_]+\)' "${sources[@]}" | sed 's/.*(\(.*\))/\1/' | sort -u; }
# comments - names that stand behind `paths.def:` in a comment, which may go on in the next line.
comments() {
    local f
    for f in "${sources[@]}"; do tr '\n' ' ' <"$f" | sed 's/  *\* / /g' | grep -oE 'paths\.def:( [a-z0-9_]+,?)+'; done |
        sed 's/paths\.def://; s/,//g' | tr ' ' '\n' | grep . | sort -u
}
differ() { comm -3 <(names | sort) <("$1"); } # lines without one, and, behind a tab, those without a line
malformed() { grep -E '^ *PATH' src/lib/paths.def | grep -vE '^PATH\([a-z0-9_]+, "[^"]+", "[^"]+\."\)$'; }
# unnamed - files and functions that are called as variants are, in files where no comment names a line.
unnamed() {
    local kinds='few|small|narrow|thin|turned|reverse|swap|shuffle|spread|straight|direct|plain|weighed'
    {
        printf '%s\n' "${sources[@]}" | grep -E "/[a-z_]*_($kinds)(_[a-z]*)?\.[ch]\$"
        grep -lE "^(TARGET )?(static |INLINE |FORCE )[a-z0-9_ *]*\b($kinds)(_[a-z0-9_]*)?\(" "${sources[@]}"
    } | sort -u | while read -r f; do grep -q 'paths\.def' "$f" "${f%.h}.c" 2>/dev/null || echo "$f"; done
}
# measured - lines whose row is not in the table, and lines that gain less than LEAST percent on every instruction set.
measured() {
    [ -f "$table" ] || { echo "there is no $table: make paths"; return; }
    lines | awk -F'|' -v least="$LEAST" -v table="$table" '
        NR == FNR { split($0, cell, ","); if (!(cell[2] SUBSEP cell[3] in gain) || cell[6] + 0 > gain[cell[2], cell[3]]) gain[cell[2], cell[3]] = cell[6] + 0; next }
        { gsub(/,/, "+", $2) }
        !(($1, $2) in gain) { print $1 ": " table " has no such row: " $2; next }
        gain[$1, $2] < least { print $1 ": wins " gain[$1, $2] " %" }' "$table" -
}

try "lines of paths.def have a name, a row and a sentence" nothing malformed
try "each line has a switch, and each switch a line" nothing differ switches
try "each line is named in a comment, and each name has a line" nothing differ comments
try "files of variants name their lines" nothing unnamed
try "each line's row was measured, and wins $LEAST % for some instruction set" nothing measured
finish
