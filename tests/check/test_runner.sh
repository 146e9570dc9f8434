#!/bin/bash
# The runner counts what suites report, and fails what does not report.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

unset B CI REQUIRE SAT_ISA_MOST
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/tests/check" "$dir/build"
cp tests/run.sh "$dir/tests/"

runs() { # SUITE-BODY LAST-LINE STATUS [VARIABLE=VALUE]
    local out status
    echo "$1" >"$dir/tests/check/test_one.sh"
    echo 'print("1..0")' >"$dir/tests/check/test_two.py"
    out=$(env "${4:-X=}" "$dir/tests/run.sh" check)
    status=$?
    [ "$(tail -1 <<<"$out")" = "$2" ] && [ $status = "$3" ] || { echo "status $status: $out"; return 1; }
}

try "passes and skips are counted" runs 'echo "1..3"; echo "ok 1 - a"; echo "ok 2 - b"; echo "ok 3 - c # SKIP no d"' \
    "2 passed, 0 failed, 1 skipped" 0
try "a failure is a failure" runs 'echo "1..2"; echo "ok 1"; echo "not ok 2 - b"; exit 1' "1 passed, 1 failed, 0 skipped" 1
try "a suite that dies is a failure" runs 'echo "1..1"; echo "ok 1"; kill -SEGV $$' "1 passed, 1 failed, 0 skipped" 1
try "no plan is a failure" runs 'echo "ok 1"' "1 passed, 1 failed, 0 skipped" 1
try "silence is a failure" runs 'true' "0 passed, 1 failed, 0 skipped" 1
try "fewer tests than planned are a failure" runs 'echo "1..3"; echo "ok 1"' "1 passed, 1 failed, 0 skipped" 1
try "cmocka's skips are skips" runs 'echo "1..1"; echo "not ok 1 # SKIP a"' "0 passed, 0 failed, 1 skipped" 0
try "a whole suite can be skipped" runs 'echo "1..0 # SKIP no such thing here"' "0 passed, 0 failed, 1 skipped" 0
try "REQUIRE turns a skip into a failure" runs 'echo "1..1"; echo "ok 1 - avx # SKIP none"' \
    "0 passed, 1 failed, 0 skipped" 1 REQUIRE=avx
try "REQUIRE leaves other skips alone" runs 'echo "1..1"; echo "ok 1 - avx # SKIP none"' \
    "0 passed, 0 failed, 1 skipped" 0 REQUIRE=gpu
# The first ends when the second has begun, and later than it.
together() {
    echo "echo 1..1; until [ -e '$dir/begun' ]; do sleep 0.1; done; sleep 1; echo ok 1; echo ok 2" >"$dir/tests/check/test_one.sh"
    echo "open('$dir/begun', 'w'); print('1..1'); print('ok 1')" >"$dir/tests/check/test_two.py"
    [ "$(JOBS=2 HANG_SECONDS=60 "$dir/tests/run.sh" check | tr -s ' ')" = "check/test_two 1 passed 1 left
check/test_one 2 passed 0 left
3 passed, 0 failed, 0 skipped" ]
}
try "suites run side by side, and are printed as they end" together
try "a suite that hangs is a failure" runs 'echo "1..1"; echo "ok 1"; sleep 60' "1 passed, 1 failed, 0 skipped" 1 HANG_SECONDS=1
is_named() { # by what ended it
    runs 'echo 1..1; sleep 60' "0 passed, 1 failed, 0 skipped" 1 HANG_SECONDS=1 &&
        grep -qxF '# ended by tests/run.sh: silent for 1 s' "$dir/build/log/check-test_one.tap"
}
try "its output says what ended it" is_named
try "a suite that computes in silence for so long is a failure" runs 'echo 1..1; echo ok 1; while :; do :; done' \
    "1 passed, 1 failed, 0 skipped" 1 HANG_SECONDS=1
# Each second a little, as where others take the processors.
try "a suite that computes little by little is none" runs \
    'echo 1..1; for n in {1..16}; do for ((i = 0; i < 20000; i++)); do :; done; sleep 0.3; done; echo ok 1' \
    "1 passed, 0 failed, 0 skipped" 0 HANG_SECONDS=3
try "a slow suite that prints is none" runs 'echo 1..1; for n in {1..12}; do echo "# $n"; sleep 0.5; done; echo ok 1' \
    "1 passed, 0 failed, 0 skipped" 0 HANG_SECONDS=5
# What a suite started, as tests/cli/helpers.bash does, ends with the runner's group.
ended() {
    local pid i
    rm -f "$dir/pid"
    echo "timeout --foreground 60 bash -c 'echo \$\$ >$dir/pid; exec sleep 60'" >"$dir/tests/check/test_one.sh"
    setsid "$dir/tests/run.sh" check >"$dir/out" 2>&1 &
    until [ -s "$dir/pid" ]; do sleep 0.1; done
    pid=$(cat "$dir/pid")
    kill "-$1" -- "-$!"
    for ((i = 0; i < 100; i++)); do
        kill -0 "$pid" 2>/dev/null || return 0
        sleep 0.1
    done
    kill "$pid"
    return 1
}
try "a signal to the runner's group ends the suites" ended TERM
try "a hangup does, too" ended HUP
times_are_kept() {
    runs 'echo 1..1; echo ok 1' "1 passed, 0 failed, 0 skipped" 0 &&
        grep -qE '^check/test_two [0-9]+m[0-9.]+s [0-9]+m[0-9.]+s$' "$dir/build/log/seconds"
}
try "the time of each suite is kept" times_are_kept
finish
