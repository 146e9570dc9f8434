#!/bin/bash
# deep.sh [SCHEDULES] - runs every kernel in the simulator under so many schedules (10000), each a launch with a seed of its
# own, and writes tests/simt/deep.txt.  Exit status 1, and no file, if any of them fails.
#
# Rounds of the harness, each with another seed, go on until the rarest kernel has been launched often enough.  The first
# runs all cases, the others those that launch most kernels in the least time: scans of arrays, and at times small tables
# or all that the first backend does.  The kernels of filters, windows, thin tables, queries and gathers, whose blocks do
# not communicate, are not waited for: they are checked as often as they come.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build} wanted=${1:-10000}
out=$B/simt/deep
rm -rf "$out" && mkdir -p "$out" || exit 1
SAT_SIMT_TALLY=$(realpath -m "$out/tally")
export SAT_SIMT_TALLY
seed=0 cases=0

unhurried='^((box|thin|window)::.*|answer_rectangles|answer_statistics|divide|gather|means|sum_windows|weigh)$'
least() { awk -v skip="$unhurried" '$1 !~ skip { n[$1] += $2 } END { for (k in n) if (!m || n[k] < m) m = n[k]; print m + 0 }' "$SAT_SIMT_TALLY"; }

# The sources that run in the simulator.
simulated() { find kernels -name '*.cu' -o -name '*.cuh' | grep -vE '/(device\.cu|peer/[^/]*)$' | LC_ALL=C sort; }

touch "$SAT_SIMT_TALLY"
until [ "$(least)" -ge "$wanted" ]; do
    seed=$((seed + 1))
    words=(--only scans)
    [ $((seed % 6)) != 0 ] || words=(--only brute-force --only block-shapes)
    [ $((seed % 6)) != 3 ] || words=(--only fused)
    [ $seed != 1 ] || words=()
    if ! "$B/simt/check" --seed $seed "${words[@]}" >"$out/log" 2>&1; then
        cat "$out/log"
        exit 1
    fi
    cases=$((cases + $(sed -n 's/^ok .*: \([0-9]*\) cases.*/\1/p' "$out/log" | awk '{ s += $1 } END { print s + 0 }')))
done

{
    echo "What \`make check-deep\` found: nothing. Each launch is one schedule, drawn from a seed of its own."
    echo
    echo "date      $(date -u +%Y-%m-%d)"
    echo "kernels   $(simulated | xargs cat | sha256sum | cut -c1-64)"
    echo "seeds     1 to $seed of the harness, $cases cases, 0 failed"
    echo
    echo "launches  kernel"
    awk '{ n[$1] += $2 } END { for (k in n) printf "%8d  %s\n", n[k], k }' "$SAT_SIMT_TALLY" | sort -k2
} >tests/simt/deep.txt
cat tests/simt/deep.txt
