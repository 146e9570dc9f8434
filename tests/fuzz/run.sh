#!/bin/bash
# run.sh SECONDS [TARGET...] - gives each fuzz target so many seconds, two at a time, from its committed corpus.  Prints
# TAP: a test for each target, with its number of executions.
#
#   FUZZ=DIR   the programs, by default build/fuzz: `make fuzz` builds them
#   FOUND=DIR  keeps there what the fuzzers found, and begins from it, too; else a folder in /tmp is made, and removed
#              unless an input broke something
cd "$(dirname "$0")/../.." || exit 1
: "${FUZZ:=build/fuzz}"
seconds=${1:?run.sh SECONDS [TARGET...]}
shift
[ $# != 0 ] || set -- $(for f in tests/fuzz/fuzz_*.c; do basename "$f" .c | cut -c6-; done)

kept=${FOUND:-}
[ -n "$kept" ] || kept=$(mktemp -d "${TMPDIR:-/tmp}/sat-fuzz-XXXXXX")
export FUZZ seconds kept

# one TARGET - fuzzes it; its output is kept in TARGET.log.
one() {
    mkdir -p "$kept/$1"
    "$FUZZ/$1" -max_total_time="$seconds" -max_len=4096 -timeout=25 -rss_limit_mb=3072 -print_final_stats=1 \
        -artifact_prefix="$kept/$1-" "$kept/$1" "tests/fuzz/corpus/$1" >"$kept/$1.log" 2>&1 </dev/null
    echo "$1 $?"
}
export -f one

echo "1..$#"
bad=0 number=0
while read -r name status; do
    number=$((number + 1))
    log=$kept/$name.log
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    if [ "$status" = 0 ] && [ "${runs:-0}" -gt 0 ]; then
        echo "ok $number - fuzz $name: $runs executions"
        continue
    fi
    bad=$((bad + 1))
    echo "not ok $number - fuzz $name: status $status after ${runs:-no} executions"
    input=$(sed -n 's/.*Test unit written to //p' "$log" | tail -1)
    awk '/broken promise|ERROR|WARNING: MemorySanitizer|runtime error/ { shown = 1 }
         shown && !/fuzzer::|__libc_start|^0x|^\\/ && n++ < 40 { print "# " substr($0, 1, 200) }' "$log"
    [ -z "$input" ] || echo "# again: $FUZZ/$name $input"
done < <(printf '%s\n' "$@" | xargs -P 2 -I{} bash -c 'one {}')
[ "$number" = $# ] || bad=$((bad + 1))
[ -n "${FOUND:-}" ] || [ "$bad" != 0 ] || rm -rf "$kept"
exit $((bad != 0))
