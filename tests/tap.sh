# tap.sh - sourced by suites written in shell: TAP from commands.
#
#   try NAME COMMAND...   one test: passes if the command returns 0; what it printed is shown if not
#   skip NAME WHY         one test that cannot run here
#   finish                prints the plan; the last line of a suite
# shellcheck shell=bash
tests=0 bad=0

try() {
    local name=$1 text
    shift
    tests=$((tests + 1))
    if text=$("$@" 2>&1); then
        echo "ok $tests - $name"
    else
        bad=$((bad + 1))
        echo "not ok $tests - $name"
        echo "# ${text//$'\n'/$'\n'# }"
    fi
}

skip() {
    tests=$((tests + 1))
    echo "ok $tests - $1 # SKIP $2"
}

finish() {
    echo "1..$tests"
    exit $((bad != 0))
}

# nothing COMMAND... - true if the command prints nothing.
nothing() {
    local text
    text=$("$@") || true
    [ -z "$text" ] || { echo "$text"; return 1; }
}

# tracked GLOB... - files of the repository; all of them where this is no git checkout.
tracked() {
    if [ -e .git ] && git rev-parse --git-dir >/dev/null 2>&1; then
        git ls-files --cached --others --exclude-standard -- "$@"
    else
        local glob
        for glob in "$@"; do find . -path ./build -prune -o -path "./$glob" -type f -print; done | sed 's|^\./||'
    fi | sort -u | while read -r f; do [ -f "$f" ] && echo "$f"; done
}
