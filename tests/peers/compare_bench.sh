#!/bin/bash
# compare_bench.sh OLD NEW THREADS [ROUNDS] - two builds of sat, benched in turns on this machine; a table of their rows.
#
# In each of ROUNDS rounds (7) every case is run by both, the one that begins changing from round to round, so that what
# else the machine does falls on both alike.  A row shows the medians of the rounds' warm_us, their ratio, and as noise
# the larger distance of the quartiles of the two, in percent.  A row is marked SLOWER if the new median is above the old
# one by more than the noise, and by more than 10 us where it is below 200 us; the status is then 1.
#
#   CASES=FILE     lines of arguments of `sat bench`, in place of those below
#   UNDER=COMMAND  runs sat under it: taskset -c 0,1, or chrt -f 10 where the machine does other things
set -u

[ $# -ge 3 ] || { sed -n '2s/^# //p' "$0"; exit 2; }
old=$1 new=$2 threads=$3 rounds=${4:-7}
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT

cases() {
    local side
    [ -z "${CASES:-}" ] || { cat "$CASES"; return; }
    for side in 64 128 256 512 1024 2048 4096 8192; do
        echo "tables --size $side --backend cpu"
        echo "tables --size $side --backend cpu --box 15"
    done
    for side in 64 256 1024 4096; do
        echo "tables --size $side --backend cpu --channels 3"
        echo "tables --size $side --backend cpu --type f32"
        echo "tables --size $side --backend cpu --type f32 --box 15"
    done
    for n in 1000 10000 100000 1000000; do echo "queries --size 2048 --rects $n --backend host"; done
}

# one NAME SAT CASE... - its rows: NAME, case, row, warm_us.
one() {
    # shellcheck disable=SC2086 # UNDER is a command with its options
    ${UNDER:-} "$2" bench "${@:3}" --threads "$threads" --csv --quiet |
        awk -F, -v OFS='\t' -v name="$1" -v what="${*:3}" '
            NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
            $column["warm_us"] > 0 { print name, what, $column["name"], $column["warm_us"] }'
}

for ((round = 0; round < rounds; round++)); do
    while read -r -a arguments; do
        if ((round % 2)); then
            one new "$new" "${arguments[@]}" && one old "$old" "${arguments[@]}"
        else
            one old "$old" "${arguments[@]}" && one new "$new" "${arguments[@]}"
        fi
    done < <(cases) >>"$rows"
done

sort -t$'\t' -k2,2 -k3,3 -k1,1 -k4,4g "$rows" | awk -F'\t' '
    function at(build, part) { return us[build, 1 + int((n[build] - 1) * part + 0.5)] }
    function spread(build) { return at(build, 0.75) - at(build, 0.25) }
    function print_row() {
        if (!n["old"] || !n["new"]) return
        a = at("old", 0.5); b = at("new", 0.5)
        noise = spread("old") > spread("new") ? spread("old") : spread("new")
        slower = b - a > noise && (a >= 200 || b - a > 10)
        marked += slower
        printf "%-52s %-10s %11.2f %11.2f %7.3f %7.1f%s\n", what, row, a, b, b / a, 100 * noise / a, slower ? "  SLOWER" : ""
    }
    BEGIN { printf "%-52s %-10s %11s %11s %7s %7s\n", "sat bench", "row", "old us", "new us", "ratio", "noise %" }
    what != $2 || row != $3 { print_row(); delete us; delete n; what = $2; row = $3 }
    { us[$1, ++n[$1]] = $4 }
    END { print_row(); exit marked > 0 }'
