#!/bin/bash
# run.sh [GROUP|FILE...] - runs the test suites and sums what they report; groups: simt fault check unit cli fuzz
# laws gpu, and on request lint; mutants, of the simulator; brief, unit suites that take a tenth of the time of all;
# tsan, in what `make tsan` built; changed, kernels that changed, in the simulator (make quick).
# A file is one suite of unit, check, cli or laws: tests/unit/test_rows.c, tests/cli/filter.bats.
#
# A suite is a program that prints TAP; all of them run from the repository's root, several at a time.  The result of
# each is printed when it ends, with how many are left.  Its output is kept in $B/log; the tests that failed are shown,
# and once more at the end.  A suite that dies, prints no plan, or runs fewer tests than planned counts as a failure of
# its own.  The last line is `N passed, N failed, N skipped`; $B/log/seconds has the processor time of each suite, of the
# user and the system.
#
#   JOBS=N        so many suites at a time, by default one for each core; a suite is one job (SUITE_JOBS=1)
#   HANG_SECONDS=N  a suite that prints nothing for so long (600) hangs, and is ended: seconds of its processor time, or of
#                   the clock while it uses none
#   REQUIRE=NAME  a skip whose suite or text contains NAME is a failure; REQUIRE=all: every skip
#   UNDER=COMMAND runs unit tests and the fuzz corpus under it (valgrind, an emulator)
#   SAT_ISA_MOST=SET  portable or avx2: hides the instruction sets above it, as on a machine without them. The suites then
#                   run build/tests/sat and build/tests/libsat.so, because what is installed ignores this variable.
#   SAT=COMMAND   runs this in place of build/sat (a script that starts an emulator)
#   LOCALE=NAME   the locale of the suites, by default C.UTF-8
#   B=DIR         what was built, by default build
#
# With CI=true, skips that tests/skips.def does not name are failures, and so is a group with fewer tests than
# tests/counts.def says, if all of its suites run.
set -u
cd "$(dirname "$0")/.." || exit 1

export B=${B:-build} SAT_TEST_ROOT=$PWD
product=$B
[ -z "${SAT_ISA_MOST:-}" ] || product=$B/tests
SAT=${SAT:-$(realpath -m "$product/sat")}
LIBSAT=$(realpath -m "$product/libsat.so")
export SAT LIBSAT
export LC_ALL=${LOCALE:-C.UTF-8}
unset SAT_BACKEND SAT_THREADS SAT_ISA NO_COLOR
# Suites that call make get the variables of the make that runs this, but no part in its jobs.
MAKEFLAGS=$(sed -E 's/ *-j[0-9]*//; s/ *--jobserver-(auth|fds)=[^ ]*//' <<<"${MAKEFLAGS:-}")
# What was built without kernels is tested without them.
built=$(cat "$B/flags" 2>/dev/null)
[ -e "$B/obj/$built/kernels.o" ] || [[ $MAKEFLAGS == *CUDA=* ]] || MAKEFLAGS="$MAKEFLAGS CUDA=0"
export MAKEFLAGS
# A suite is one job of this scheduler: what could use all cores when it runs alone uses one.
export SUITE_JOBS=${SUITE_JOBS:-1}
for PYTHON in "${PYTHON:-}" python3 /usr/bin/python3; do
    [ -n "$PYTHON" ] && "$PYTHON" -c 'import numpy' 2>/dev/null && break
done
export PYTHON PYTHONDONTWRITEBYTECODE=1
export JOBS=${JOBS:-$(nproc)} log=$B/log
mkdir -p "$log"
rm -f "$log/seconds"
suites=() passed=0 failed=0 skipped=0
again='' # the failures, which are printed at the end, too
declare -A planned_in=()

# skips TAP - why, once for each reason: the one test, or how many there are.
skips() {
    awk 'tolower($0) ~ /# *skip/ {
             why = $0; sub(/.*# *[Ss][Kk][Ii][Pp] */, "", why)
             if (!(why in n)) order[++reasons] = why
             n[why]++; line[why] = $0
         }
         END {
             for (i = 1; i <= reasons; i++) {
                 why = order[i]
                 if (n[why] == 1) print "    " line[why]; else printf "    %d skipped: %s\n", n[why], why
             }
         }' "$1"
}

# failures TAP - the tests that failed and what they said; of a suite that broke off, its last lines.
failures() {
    awk '/^(not )?ok/ { shown = /^not/ && tolower($0) !~ /# *skip/ } /^1\.\./ { shown = 0; whole = 1 }
         { last[NR] = $0 } shown && ++n <= 100
         END { if (n > 100) print "# ... and " n - 100 " lines more"
               for (i = NR - 20; !(whole && n) && i <= NR; i++) if (i in last) print last[i] }' "$1"
}

declare -A group_of=()
# suite NAME COMMAND... - one more to run, of the group in $group, once; its words have no spaces.
suite() {
    [ -z "${group_of[$1]:-}" ] || return 0
    group_of[$1]=$group
    suites+=("$*")
}

# busy PID - the processor time of a process and of all that it started, in clock ticks.
busy() {
    cat /proc/[0-9]*/stat 2>/dev/null | sed 's/(.*)/-/' | awk -v root="$1" '
        { parent[$1] = $4; ticks[$1] = $14 + $15 + $16 + $17 }
        END { for (p in parent) { for (q = p; q != root && q in parent;) q = parent[q]
                                  if (q == root) sum += ticks[p] }
              print sum + 0 }'
}

# watch PID FILE - ends the process when it has printed nothing for HANG_SECONDS of its own processor time, or of the clock
# while it used none.  So a suite that waits for a busy machine is not ended.
watch() {
    local limit=${HANG_SECONDS:-600} hertz size=-1 used=0 idle=0 now ticks since=0
    hertz=$(getconf CLK_TCK)
    while sleep 1; do
        now=$(stat -c %s "$2") ticks=$(busy "$1")
        [ "$now" = "$size" ] || since=$ticks
        if [ "$now" != "$size" ] || [ "$ticks" -gt "$used" ]; then idle=0; else idle=$((idle + 1)); fi
        size=$now used=$ticks
        [ "$idle" -lt "$limit" ] && [ $(((used - since) / hertz)) -lt "$limit" ] && continue
        echo "# ended by tests/run.sh: silent for $limit s" >>"$2"
        kill "$1"
        return
    done
}

# begin NAME COMMAND... - runs one; prints its name and status at its end.  timeout(1), here without a
# time, makes a process group of the suite, and passes a signal on to all of it.  So a signal to this runner's group is
# passed to timeout.
begin() {
    local out=$log/${1//\//-}.tap pid watcher status
    timeout --kill-after=10 0 "${@:2}" >"$out" 2>&1 </dev/null &
    pid=$!
    # shellcheck disable=SC2064 # this pid
    trap "kill $pid; exit 1" INT TERM HUP
    watch "$pid" "$out" >/dev/null 2>&1 &
    watcher=$!
    wait "$pid"
    status=$?
    { kill "$watcher" && wait "$watcher"; } 2>/dev/null
    times >"$out.times" # of this shell, and of what it ran
    echo "$1 $(tail -1 "$out.times")" >>"$log/seconds"
    rm -f "$out.times"
    echo "$1 $status"
}
export -f busy watch begin

# end NAME STATUS GROUP - adds its counts.
end() {
    local name=$1 status=$2 out=$log/${1//\//-}.tap counts ok bad skip planned whole note report
    counts=$(awk -F' *[|] *' -v name="$name" -v require="${REQUIRE:-}" -v list="$([ "${CI:-}" != true ] || echo tests/skips.def)" '
        function skipped(text,    i) { # adds a skip, or a failure if it may not be
            if (require != "" && (require == "all" || index(name " " text, require))) { bad++; return }
            for (i = 1; i <= may; i++) if (name ~ suite[i] && index(text, says[i])) { skip++; return }
            if (list == "") skip++; else { bad++; unlisted = unlisted "\n# not in tests/skips.def: " text }
        }
        BEGIN {
            while (list != "" && (getline <list) > 0)
                if (!/^#/ && NF == 3) { suite[++may] = "^" $1 "$"; gsub(/[*]/, ".*", suite[may]); says[may] = $2 }
        }
        /^1\.\.[0-9]+/ { planned += substr($0, 4); plans++; if (/# *[Ss][Kk][Ii][Pp]/) whole = $0 }
        /^(not )?ok/ {
            ran++
            if (tolower($0) ~ /# *skip/) skipped($0)
            else if (/^not/) bad++
            else ok++
        }
        END {
            if (whole && !ran) skipped(whole)
            print ok + 0, bad + 0, skip + 0, planned + 0, (plans ? (ran < planned ? "short" : "whole") : "none") unlisted
        }' "$out")
    read -r ok bad skip planned whole <<<"$counts"
    planned_in[$3]=$((${planned_in[$3]:-0} + planned))
    note=
    if [ "$whole" != whole ]; then
        bad=$((bad + 1)) note=", ended before its plan"
    elif [ "$status" != 0 ] && [ "$bad" = 0 ]; then
        bad=1 note=", exit status $status"
    fi
    passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skip))
    if [ "$bad" != 0 ]; then
        report=$(echo "---- $name: $bad failed$note ($out)"
                 tail -n +2 <<<"$counts"
                 failures "$out"
                 echo "----")
        echo "$report"
        again+=$(head -12 <<<"$report")$'\n'
    else
        printf '%-32s %5d passed%-13s %4d left\n' "$name" "$ok" "$([ "$skip" = 0 ] || echo ", $skip skipped")" "$left"
        skips "$out"
    fi
}

# What the group brief leaves out.
SLOW=" test_runs test_strides test_filter_rows test_batches test_gauss_valid test_tables test_window_floats test_rows \
 test_box_filter test_box_float test_counted test_counted_means test_bands test_tiff_bands test_rects test_pool "
# shellcheck disable=SC2086 # UNDER is a command with its options
run_group() { # NAME
    local f
    case $1 in
    unit) for f in tests/unit/test_*.c; do f=$(basename "$f" .c); suite "unit/$f" ${UNDER:-} "$B/tests/$f"; done ;;
    brief) for f in tests/unit/test_*.c; do [[ "$SLOW" == *" $(basename "$f" .c) "* ]] || run_group "$f"; done ;;
    fuzz) for f in tests/fuzz/fuzz_*.c; do f=$(basename "$f" .c | cut -c6-)
              suite "fuzz/$f" ${UNDER:-} "$B/fuzz/replay_$f" "tests/fuzz/corpus/$f"; done ;;
    cli) for f in tests/cli/*.bats; do suite "cli/$(basename "$f" .bats)" bats --tap "$f"; done ;;
    fault) suite fault bash tests/fault/run.sh ;;
    check) for f in tests/check/test_*.sh; do suite "check/$(basename "$f" .sh)" bash "$f"; done
           for f in tests/check/test_*.py; do suite "check/$(basename "$f" .py)" "$PYTHON" "$f"; done ;;
    simt) # The harness, a suite for each of its subjects.
          f=
          for f in $("$B/simt/check" --list | awk '!seen[$2]++ { print $2 }'); do
              suite "simt/check-$f" "$B/simt/check" --jobs 1 --only "$f"
          done
          [ -n "$f" ] || suite simt/check "$B/simt/check"
          for f in tests/simt/test_*.sh; do [ ! -e "$f" ] || suite "simt/$(basename "$f" .sh)" bash "$f"; done
          for f in tests/simt/test_*.cpp; do f=$(basename "$f" .cpp); suite "simt/$f" "$B/simt/$f"; done
          for f in tests/unit/test_*.c; do f=unit_$(basename "$f" .c | cut -c6-)
              [ ! -x "$B/simt/$f" ] || suite "simt/$f" "$B/simt/$f"; done ;;
    mutants) for f in {1..8}; do suite "simt/mutants-$f" bash tests/simt/mutants.sh "$f/8"; done ;;
    changed) suite simt/changed bash tests/simt/check_changed.sh ;;
    gpu) if [ -x "$B/gpu/check" ]; then suite gpu/check "$B/gpu/check" --quick
         else suite gpu/check echo "1..0 # SKIP built without CUDA"; fi ;;
    tsan) suite tsan bash tests/tsan/run.sh ;;
    laws) for f in tests/lint/test_*.sh; do suite "lint/$(basename "$f" .sh)" bash "$f"; done ;;
    lint) run_group laws
          for f in {1..4}; do suite "lint/tidy-$f" bash tests/lint/tidy.sh "$f/4"; done
          for f in tests/lint/tool_*.sh; do suite "lint/$(basename "$f" .sh)" bash "$f"; done ;;
    tests/unit/*.c) f=$(basename "$1" .c); suite "unit/$f" ${UNDER:-} "$B/tests/$f" ;;
    tests/*.bats) suite "${1#tests/}" bats --tap "$1" ;;
    tests/*.py) suite "${1#tests/}" "$PYTHON" "$1" ;;
    tests/*.sh) suite "${1#tests/}" bash "$1" ;;
    *) echo "run.sh: no group or file '$1'" >&2; exit 2 ;;
    esac
}

# shellcheck disable=SC2086 # UNDER is a command with its options
if [ -x "$B/tests/sat" ]; then
    set_in_use=$(${UNDER:-} "$B/tests/sat" backends --json | sed -n 's/.*"name":"cpu".*"available":true.*"why":"\([^"]*\)".*/\1/p')
    if [ -z "$set_in_use" ]; then
        echo "run.sh: the cpu backend is not available: ${SAT_ISA_MOST:+SAT_ISA_MOST=$SAT_ISA_MOST: use portable or avx2; }see $B/tests/sat backends" >&2
        exit 2
    fi
    echo "instruction set: $set_in_use${SAT_ISA_MOST:+ (SAT_ISA_MOST)}"
elif [ -n "${SAT_ISA_MOST:-}" ]; then
    echo "run.sh: SAT_ISA_MOST needs $B/tests/sat, which make unit builds" >&2
    exit 2
fi

# Long suites first, so that all cores have work to the end.
[ $# != 0 ] || set -- simt fault check unit cli fuzz laws gpu
for group in "$@"; do run_group "$group"; done
names=("${suites[@]%% *}") left=${#suites[@]}
shopt -s lastpipe # what ends the pipeline runs in this shell
printf '%s\n' "${suites[@]}" | xargs -L 1 -P "$JOBS" bash -c 'begin "$@"' begin | while read -r name status; do
    left=$((left - 1))
    end "$name" "$status" "${group_of[$name]}"
    unset "group_of[$name]"
done
for name in "${!group_of[@]}"; do
    echo "---- $name: no status"
    failed=$((failed + 1))
done
# too_few - prints each group that planned fewer tests than counts.def asks for.
too_few() {
    local name count
    [ -s tests/counts.def ] || echo "---- there is no tests/counts.def"
    grep -v '^#' tests/counts.def | while read -r name count; do
        [ -z "${planned_in[$name]:-}" ] || [ "${planned_in[$name]}" -ge "$count" ] ||
            echo "---- $name: ${planned_in[$name]} tests are planned, of at least $count (tests/counts.def)"
    done
}
if [ "${CI:-}" = true ]; then
    few=$(too_few)
    if [ -n "$few" ]; then echo "$few" && failed=$((failed + 1)); fi
fi
# Other suites use what is built there meanwhile.
if [ "$(cat "$B/flags" 2>/dev/null)" != "$built" ]; then
    echo "---- a suite's make built $B with other flags"
    failed=$((failed + 1))
fi
[ ${#names[@]} -lt 20 ] || printf '%s' "$again" # where they would scroll away
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
