#!/bin/bash
# paths.sh - what each variant of a loop wins: src/lib/paths.def, line by line, by a sat that was built with PATHS=1.
#
# For each instruction set that this processor has, each row runs with its variant and without it, in turns, on one thread.
# The times are the least of all turns; the gain is how much longer the row takes without the variant, in percent.  Before
# that, both must write the same bytes, unless the line says that results may differ; the status is 1 if any do not.
# Commas in a row are + in the table.
#
#   SAT=FILE      the sat (build/paths/tests/sat); OUT=FILE where the table goes (docs/bench/paths.csv)
#   ISAS, NAMES   lists of some instruction sets, and of some variants
#   ROUNDS=N      so many turns (9); UNDER=COMMAND runs sat under it: taskset -c 1
set -u
cd "$(dirname "$0")/../.." || exit 1
sat=${SAT:-build/paths/tests/sat} out=${OUT:-docs/bench/paths.csv} rounds=${ROUNDS:-9} status=0
made=$(mktemp)
trap 'rm -f "$made"' EXIT

lines() { # NAME|ROW|WITHOUT of each variant
    sed -nE 's/^PATH\(([a-z0-9_]+), "([^"]*)", "([^"]*)"\)$/\1|\2|\3/p' src/lib/paths.def
}
# bench ISA WITHOUT ROW... - a row of sat bench.
bench() {
    # shellcheck disable=SC2086 # UNDER is a command with its options
    SAT_ISA=$1 SAT_WITHOUT=$2 ${UNDER:-} "$sat" bench "${@:3}" --backend cpu --threads 1 --repeat 1 --csv
}
digest() { bench "$@" -v 2>&1 >/dev/null | sed -n 's/^sat: cpu: .*digest //p'; }
least() { # ISA WITHOUT ROW... - us
    bench "$@" -q | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $at["name"] == "cpu" { print $at["min_us"] }'
}

for isa in ${ISAS:-avx512 avx2 portable}; do
    [ -n "$(digest "$isa" "" --size 64)" ] || continue # this processor lacks it
    while IFS='|' read -r name row without; do
        [ -z "${NAMES:-}" ] || [[ " $NAMES " == *" $name "* ]] || continue
        read -r -a words <<<"$row"
        same=$(digest "$isa" "" "${words[@]}")
        other=$(digest "$isa" "$name" "${words[@]}")
        if [ -z "$other" ] || { [ "$same" != "$other" ] && [[ $without != *"may differ"* ]]; }; then
            echo "$name, $isa: other bytes without it: sat bench $row" >&2
            status=1
        fi
        for ((round = 0; round < rounds; round++)); do
            echo "with $(least "$isa" "" "${words[@]}")"
            echo "without $(least "$isa" "$name" "${words[@]}")"
        done | awk -v isa="$isa" -v name="$name" -v row="${row//,/+}" '
            !($1 in us) || $2 < us[$1] { us[$1] = $2 }
            END {
                printf "%s,%s,%s,%.3f,%.3f,%.1f\n", isa, name, row, us["with"] / 1e3, us["without"] / 1e3,
                       100 * (us["without"] / us["with"] - 1)
            }' | tee -a "$made" >&2
    done < <(lines)
done
{
    echo "# $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $(nproc) cores, $(date +%F): sat bench ROW --backend cpu --threads 1 --repeat 1, least of $rounds"
    echo "isa,path,row,ms with,ms without,gain %"
    cat "$made"
} >"$out"
exit $status
