#!/bin/bash
# judges.sh [PART...] - what `make judges` does: everything that takes longer than continuous integration may, hours in
# all. Run it before an issue is closed, on an idle machine, as root.
#
#   portable, avx2   make check where SAT_ISA_MOST hides the other instruction sets
#   debian13         the README's commands on a minimal Debian 13, all tests included
#   processors       make machines: every unit suite, and most of the command's, on each emulated processor
#   surroundings     make surroundings: one core, little memory, other locales, other rights
#   leaks            make asan: all unit suites, the command, fuzz corpora
#   compilers        make compilers: all unit suites
#   mutants          make mutants: faults in kernels, which the simulator has to catch
#   plants           tests/plants: faults in the rest, each with the test that has to catch it
#   fuzz             make fuzz: two minutes for each target
#
# With all parts it writes tests/machines/verified.txt: hashes of the sources, the machine, and of each part its minutes and
# counts. `make verified` compares it with the sources.
set -u
cd "$(dirname "$0")/../.." || exit 1
export B=${B:-build}
dir=$B/judges
mkdir -p "$dir"

run_part() {
    case $1 in
    portable | avx2) SAT_ISA_MOST=$1 make check CUDA=0 B="$B/judges/check" ;;
    debian13) make bare RELEASE=trixie ;;
    processors) make machines ;;
    surroundings) make surroundings ;;
    leaks) make asan ;;
    compilers) make compilers ;;
    mutants) make mutants ;;
    plants) tests/plants/run.sh ;;
    fuzz) make fuzz SECONDS=120 ;;
    *) echo "judges: no part is called '$1'"; return 2 ;;
    esac
}
# counts LOG - "N passed, N failed, N skipped": the sum that the log ends with, or that of its TAP.
counts() {
    grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$1" | tail -1 | grep . ||
        awk '/^ok/ { if (tolower($0) ~ /# *skip/) skip++; else ok++ } /^not ok/ { bad++ }
             END { printf "%d passed, %d failed, %d skipped\n", ok, bad, skip }' "$1"
}

parts=(portable avx2 debian13 processors surroundings leaks compilers mutants plants fuzz)
whole=1
[ $# = 0 ] || { parts=("$@") whole=0; }
sources=$(tests/sources.sh machines) || exit 1
began=$(date -u +%Y-%m-%dT%H:%MZ)
results='' bad=0
for part in "${parts[@]}"; do
    start=$SECONDS
    run_part "$part" >"$dir/$part.log" 2>&1 </dev/null
    status=$?
    line="$part: $(counts "$dir/$part.log"), $(((SECONDS - start + 30) / 60)) min"
    [ $status = 0 ] || { bad=1 line+=", status $status"; }
    echo "$line"
    [ $status = 0 ] || { grep -E -A 8 '^(---- |not ok)' "$dir/$part.log" || tail -5 "$dir/$part.log"; } | head -40 | sed 's/^/    /'
    results+=$line$'\n'
    # Of parts that judge several machines or compilers, one line each.
    results+=$(sed -n 's/^# \([a-z0-9-]*: [0-9]* passed, .*\)/    \1/p' "$dir/$part.log")$'\n'
done
[ $whole = 1 ] || exit $bad
{
    echo "# Written by make judges; make verified compares it with the sources."
    echo "date: $began"
    echo "machine: $(sed -n 's/^model name[ \t]*: //p' /proc/cpuinfo | head -1), $(nproc) cores, $(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release)"
    sed '/^$/d' <<<"$results"
    echo "$sources"
} >tests/machines/verified.txt
[ "$sources" = "$(tests/sources.sh machines)" ] || { echo "judges: the sources have changed meanwhile"; bad=1; }
exit $bad
