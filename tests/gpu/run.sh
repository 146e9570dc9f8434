#!/bin/bash
# run.sh - what `make check-gpu` does: builds the check harness for this machine's GPU, runs all of it, then its small
# cases under compute-sanitizer's four tools, and writes what came of it, and for which sources, to verified.txt.
#
#   B=DIR         where to build, by default build
#   OUT=DIR       where the logs go, by default $B/check-gpu
#   TOOLS="..."   the tools of compute-sanitizer; a run with fewer is not a verified one
#   SWEEP=1       with all block shapes that `sat bench tune` compares
#
# Needs make, gcc, nvcc and coreutils.  Nothing may fail and nothing may be skipped, but rows of other libraries.
set -u -o pipefail
cd "$(dirname "$0")/../.." || exit 1

B=${B:-build}
out=${OUT:-$B/check-gpu}
tools=${TOOLS-memcheck racecheck initcheck synccheck}
check=$B/check-gpu/gpu/check
mkdir -p "$out"
began=$(date -u +%Y-%m-%dT%H:%MZ)
sources=$(tests/gpu/sources.sh)

say() { echo "[$(date +%T)] $*"; }

# counts TAP... - "N passed, N failed, N skipped"; rows of other libraries may be missing.
counts() {
    awk '/^not ok/ { bad++; next }
         /^ok/ && /# SKIP/ { if (!/\(outside\)$/) skip++; next }
         /^ok/ { good++ }
         /^1\.\./ { whole++ }
         END { if (whole != ARGC - 1) bad++
               printf "%d passed, %d failed, %d skipped\n", good, bad, skip }' "$@"
}

say "building for this GPU"
if ! make -j"$(nproc)" B="$B/check-gpu" CUDA=1 SM=native SWEEP="${SWEEP:-0}" "$check" >"$out/build.log" 2>&1; then
    tail -30 "$out/build.log"
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
fi
device=$("$check" --device) || { echo "$device"; echo "0 passed, 1 failed, 0 skipped"; exit 1; }
driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -1)
say "$device, driver ${driver:-unknown}"

say "all cases"
timeout 300 "$check" >"$out/full.tap" 2>"$out/full.err"
status=$?
full=$(counts "$out/full.tap")
cases=$(awk '/^(not )?ok/ && match($0, /: [0-9]+ cases/) { n += substr($0, RSTART + 2) }
             END { print n + 0 }' "$out/full.tap")
grep -E '^not ok|^# FAIL' "$out/full.tap" | head -40
grep -E '^ok.*# SKIP' "$out/full.tap"
[ $status = 0 ] || say "the harness ended with status $status$([ $status = 124 ] && echo ': not in time')"
say "$full, $cases cases"

# The tools run side by side: each mostly waits for itself.
sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
for tool in $tools; do
    [ -n "$sanitizer" ] || break
    say "$tool"
    timeout 250 "$sanitizer" --tool "$tool" --error-exitcode 9 --print-limit 20 "$check" --quick --jobs 0 \
        >"$out/$tool.log" 2>&1 &
done
wait

# verdict TOOL - "clean", or what its log says.
verdict() {
    local log=$out/$1.log summary
    [ -n "$sanitizer" ] || { echo "no compute-sanitizer here"; return; }
    [ -f "$log" ] || { echo "not run"; return; }
    summary=$(grep -E 'SUMMARY' "$log" | tail -1 | sed 's/^=* *//')
    if grep -qiE '^=.*(not supported|unable to|internal sanitizer error)' "$log"; then
        grep -iE '^=.*(not supported|unable to|internal sanitizer error)' "$log" | head -1 | sed 's/^=* *//'
    elif grep -q '# SKIP' "$log"; then
        grep '# SKIP' "$log" | head -1 | sed 's/.*# //'
    elif [ "$(grep '^1\.\.' "$log")" = "" ]; then
        echo "did not end; $(tail -1 "$log" | cut -c1-100)"
    elif grep -q '^not ok' "$log"; then
        echo "$(grep -c '^not ok' "$log") tests failed; ${summary:-no summary}"
    elif grep -qE '^ok' "$log" && echo "$summary" | grep -qE 'SUMMARY: 0 (errors|hazards)'; then
        echo clean
    else
        echo "${summary:-no summary}"
    fi
}

{
    echo "# Written by make check-gpu; make verified compares it with the sources."
    echo "date: $began"
    echo "device: $device"
    echo "driver: ${driver:-unknown}"
    echo "check: $full"
    echo "cases: $cases"
    for tool in memcheck racecheck initcheck synccheck; do echo "$tool: $(verdict $tool)"; done
    echo "sources: $(echo "$sources" | sha256sum | cut -d' ' -f1)"
    echo "$sources"
} >tests/gpu/verified.txt
[ "$out" = tests/gpu ] || cp tests/gpu/verified.txt "$out/"

[ "$sources" = "$(tests/gpu/sources.sh)" ] || say "the sources have changed meanwhile"
for tool in $tools; do say "$tool: $(verdict "$tool")"; done
tests/gpu/verified.sh
verified=$?
echo "$full"
[ $verified = 0 ] && [ $status = 0 ]
