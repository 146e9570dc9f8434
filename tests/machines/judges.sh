#!/bin/bash
# judges.sh [PART...] - what `make judges` does: everything that takes longer than continuous integration may, hours in
# all. Run it before an issue is closed, on an idle machine, as root.
#
#   portable, avx2   make check where SAT_ISA_MOST hides the other instruction sets
#   debian12, debian13  the README's commands on a minimal Debian, all tests included
#   processors       make machines: every unit suite, and most of the command's, on each emulated processor
#   surroundings     make surroundings: one core, little memory, other locales, other rights
#   leaks            make asan: all unit suites, the command, fuzz corpora
#   compilers        make compilers: all unit suites
#   lint             make lint: clang's static analyzer, too
#   mutants          make mutants: faults in kernels, which the simulator has to catch
#   plants           tests/plants: faults in the rest, each with the test that has to catch it
#   fuzz             make fuzz: a minute for each target
#
# After each part its line in tests/machines/verified.txt is replaced: counts, minutes, date, and a hash of the sources that
# were judged, so that parts may be run on several days. `make verified` says which of them are of other sources.
# `judges.sh --list` prints the names of the parts.
set -u
cd "$(dirname "$0")/../.." || exit 1
export B=${B:-build} CUDA=0 # no part needs kernels that nvcc compiles
dir=$B/judges

run_part() {
    case $1 in
    portable | avx2) SAT_ISA_MOST=$1 make check B="$B/judges/check" ;;
    debian12) make bare ;;
    debian13) make bare RELEASE=trixie ;;
    processors) make machines ;;
    surroundings) make surroundings ;;
    leaks) make asan ;;
    compilers) make compilers ;;
    lint) make lint ;;
    mutants) make mutants ;;
    plants) tests/plants/run.sh ;;
    fuzz) make fuzz SECONDS=60 ;;
    esac
}
# counts LOG - "N passed, N failed, N skipped": the sum that the log ends with, or that of its TAP.
counts() {
    grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$1" | tail -1 | grep . ||
        awk '/^ok/ { if (tolower($0) ~ /# *skip/) skip++; else ok++ } /^not ok/ { bad++ }
             END { printf "%d passed, %d failed, %d skipped\n", ok, bad, skip }' "$1"
}

parts=(portable avx2 debian12 debian13 processors surroundings leaks compilers lint mutants plants fuzz)
[ "${1:-}" != --list ] || { printf '%s\n' "${parts[@]}"; exit; }
[ $# != 0 ] || set -- "${parts[@]}"
for part; do
    [[ " ${parts[*]} " == *" $part "* ]] || { echo "judges: no part is called '$part'" >&2; exit 2; }
done
record=tests/machines/verified.txt
# lines PART - those of the record about a part: its own, and of what judges several machines or compilers one for each.
lines() { [ ! -f "$record" ] || awk -v part="$1" '/^[a-z0-9]+: / { of = $1 == part ":" } of' "$record"; }
# keep PART LINES - puts them into the record.
keep() {
    local part text
    text=$(
        echo "# Written by make judges, a part at a time; make verified compares it with the sources."
        for part in "${parts[@]}"; do if [ "$part" = "$1" ]; then echo "$2"; else lines "$part"; fi; done
    )
    echo "$text" >"$record"
}
mkdir -p "$dir"
machine="$(sed -n 's/^model name[ \t]*: //p' /proc/cpuinfo | head -1), $(nproc) cores, $(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release)"
bad=0
for part; do
    sources=$(tests/sources.sh machines) || exit 1
    began=$(date -u +%Y-%m-%dT%H:%MZ) start=$SECONDS
    run_part "$part" >"$dir/$part.log" 2>&1 </dev/null
    status=$?
    line="$part: $(counts "$dir/$part.log"), $(((SECONDS - start + 30) / 60)) min"
    [ $status = 0 ] || { bad=1 line+=", status $status"; }
    echo "$line"
    [ $status = 0 ] || { grep -E -A 8 '^(---- |not ok)' "$dir/$part.log" || tail -5 "$dir/$part.log"; } | head -40 | sed 's/^/    /'
    if [ "$sources" != "$(tests/sources.sh machines)" ]; then
        echo "    the sources have changed meanwhile: not recorded"
        bad=1
        continue
    fi
    line+=", $began, $machine, sources $sources"
    keep "$part" "$line$(sed -n 's/^# \([a-z0-9+-]*: [0-9]* passed, .*\)/\n    \1/p' "$dir/$part.log")"
done
exit $bad
