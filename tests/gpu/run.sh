#!/bin/bash
# run.sh - what `make check-gpu` does: builds the check harness for this machine's GPU, runs all of it, filters and windows
# also as on devices with less shared memory, then its small cases under compute-sanitizer's four tools, and writes what
# came of it, and for which sources, to verified.txt.
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
limits="65536 101376" # bytes of a block: of Turing; of Ampere, Ada and Blackwell but for data centres
check=$B/check-gpu/gpu/check
mkdir -p "$out"
began=$(date -u +%Y-%m-%dT%H:%MZ)
sources=$(tests/sources.sh gpu)

say() { echo "[$(date +%T)] $*"; }

# counts TAP... - "N passed, N failed, N skipped"; rows of other libraries may be missing.
counts() {
    awk '/^not ok/ { bad++; next }
         /^ok/ && /# SKIP/ { if (!/\(peer\)$/) skip++; next }
         /^ok/ { good++ }
         /^1\.\./ { whole++ }
         END { if (whole != ARGC - 1) bad++
               printf "%d passed, %d failed, %d skipped\n", good, bad, skip }' "$@"
}

if ! nvidia-smi -L >/dev/null 2>&1; then
    echo "no GPU here: nvidia-smi finds none"
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
fi
say "building for this GPU"
if ! make -j"$(nproc)" B="$B/check-gpu" CUDA=1 SM=native SWEEP="${SWEEP:-0}" \
    EXTRA_NVCCFLAGS=-DSAT_CHECKED "$check" >"$out/build.log" 2>&1; then
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
taps=("$out/full.tap")
for limit in $limits; do # side by side
    taps+=("$out/limit-$limit.tap")
    SAT_SHARED_LIMIT=$limit timeout 200 "$check" --only windows --only filters --only crops >"${taps[-1]}" 2>>"$out/full.err" &
done
wait
full=$(counts "${taps[@]}")
cases=$(awk '/^(not )?ok/ && match($0, /: [0-9]+ cases/) { n += substr($0, RSTART + 2) }
             END { print n + 0 }' "${taps[@]}")
grep -hE '^not ok|^# FAIL' "${taps[@]}" | head -40
grep -hE '^ok.*# SKIP' "${taps[@]}"
[ $status = 0 ] || say "the harness ended with status $status$([ $status = 124 ] && echo ': not in time')"
say "$full, $cases cases"

# The tools run side by side; racecheck, much the slowest, on every ninth case (which has no divisor with the numbers
# of types and shapes in common, that all take turns), a process for each row of the check.
sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
rows=$("$check" --quick --list | awk '{ print $1 }' | sort -u)
logs=$B/check-gpu/sanitizers
rm -rf "$logs" && mkdir -p "$logs"
sanitize() { # TOOL PART OPTION...
    local tool=$1 log=$logs/$1-$2.log began=$SECONDS
    shift 2
    timeout 250 "$sanitizer" --tool "$tool" --error-exitcode 9 --print-limit 20 "$check" --quick --jobs 0 "$@" \
        >"$log" 2>&1
    echo "# $((SECONDS - began)) s" >>"$log"
}
parts() { if [ "$1" = racecheck ]; then echo "$rows"; else echo all; fi; }
if [ -n "$sanitizer" ]; then
    say "compute-sanitizer: $tools"
    for tool in $tools; do
        for part in $(parts "$tool"); do
            if [ "$part" = all ]; then sanitize "$tool" all & else sanitize "$tool" "$part" --only "$part" --stride 9 & fi
        done
    done
    wait
    for tool in $tools; do tail -n +1 "$logs/$tool"-*.log >"$out/$tool.log"; done
fi

# log_says LOG - nothing if it is clean, else why not.
log_says() {
    local summary
    summary=$(grep -E 'SUMMARY' "$1" | tail -1 | sed 's/^=* *//')
    if grep -qiE '^=.*(not supported|unable to|internal sanitizer error)' "$1"; then
        grep -iE '^=.*(not supported|unable to|internal sanitizer error)' "$1" | head -1 | sed 's/^=* *//'
    elif grep -q '# SKIP' "$1"; then # it kept the device from us
        grep '# SKIP' "$1" | head -1 | sed 's/.*# //'
    elif ! grep -q '^1\.\.' "$1"; then
        echo "did not end"
    elif grep -q '^not ok' "$1"; then
        echo "$(grep -c '^not ok' "$1") tests failed"
    elif ! grep -q '^ok' "$1" || ! grep -qE 'SUMMARY: 0 (errors|hazards)' <<<"$summary"; then
        echo "${summary:-no summary}"
    fi
}
# result TOOL - "clean", or what the first bad log says.
result() {
    local part said
    [ -n "$sanitizer" ] || { echo "no compute-sanitizer here"; return; }
    for part in $(parts "$1"); do
        [ -f "$logs/$1-$part.log" ] || { echo "not run"; return; }
        said=$(log_says "$logs/$1-$part.log")
        [ -z "$said" ] || { echo "$part: $said"; return; }
    done
    echo clean
}

{
    echo "# Written by make check-gpu; make verified compares it with the sources."
    echo "date: $began"
    echo "device: $device"
    echo "driver: ${driver:-unknown}"
    echo "check: $full"
    echo "cases: $cases"
    echo "shared memory: the device's, $limits"
    for tool in memcheck racecheck initcheck synccheck; do echo "$tool: $(result $tool)"; done
    echo "sources: $(echo "$sources" | sha256sum | cut -d' ' -f1)"
    echo "$sources"
} >tests/gpu/verified.txt
[ "$out" = tests/gpu ] || cp tests/gpu/verified.txt "$out/"

[ "$sources" = "$(tests/sources.sh gpu)" ] || say "the sources have changed meanwhile"
for tool in $tools; do say "$tool: $(result "$tool")"; done
tests/verified.sh gpu
verified=$?
echo "$full"
[ $verified = 0 ] && [ $status = 0 ]
