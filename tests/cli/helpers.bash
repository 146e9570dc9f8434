# helpers.bash - what the tests of the command line share.  Images are made here, byte by byte.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    root=${SAT_TEST_ROOT:-$BATS_TEST_DIRNAME/../..}
    sat=${SAT:-$root/build/sat}
    # shellcheck disable=SC2034 # of suites that load this
    built=$(cd "$root" && realpath -m "${B:-build}")
    unset SAT_BACKEND SAT_THREADS NO_COLOR
}

# sat ARGS... - runs it; $status, $output (standard output) and $stderr are set.  Nothing here takes a minute.
sat() { run --separate-stderr timeout --foreground 60 "$sat" "$@"; }

# ok ARGS... - succeeds without a word on standard error.
ok() {
    sat "$@"
    echo "status $status, stdout: $output, stderr: $stderr"
    [ "$status" = 0 ] && [ -z "$stderr" ]
}

# noted PATTERN ARGS... - succeeds with exactly one line on standard error, "sat: " and the pattern (a glob); with -q none.
noted() {
    local pattern=$1
    shift
    sat "$@"
    echo "status $status, stdout: $output, stderr: $stderr"
    echo "expected sat: $pattern"
    # shellcheck disable=SC2053,SC2154 # a glob; bats sets stderr_lines
    [ "$status" = 0 ] && [ "${#stderr_lines[@]}" = 1 ] && [[ $stderr == "sat: "$pattern ]] && ok -q "$@"
}

# fails STATUS PATTERN ARGS... - exactly one line on standard error, "sat: " and the pattern (a glob).
fails() {
    local want=$1 pattern=$2
    shift 2
    sat "$@"
    echo "status $status, stdout: $output, stderr: $stderr"
    echo "expected status $want and: sat: $pattern"
    # shellcheck disable=SC2053,SC2154 # a glob; bats sets stderr_lines
    [ "$status" = "$want" ] && [ "${#stderr_lines[@]}" = 1 ] && [[ $stderr == "sat: "$pattern ]]
}
failure() { fails 1 "$@"; }
# usage PATTERN ARGS... - refused before any work, and the line says where help is.
usage() {
    local pattern=$1
    shift
    fails 2 "$pattern (try \`sat*--help\`)" "$@" && [ -z "$output" ]
}

# names LIST - the words of that list of `sat --help`, each in a line.
names() {
    "$sat" --help | awk -v list="$1:" '/^[^ ]/ { on = $1 == list; $1 = on ? "" : $1 } on' | xargs -n1
}
# backends_here - the backends that compute something on this machine.
backends_here() {
    "$sat" backends --json | grep '"available":true' | sed 's/.*"name":"\([^"]*\)".*/\1/'
}

# unknown THING - what the library says of one that is called nope; it compiles in what the device was made for.
unknown() {
    echo "no $1 is called 'nope'$("$sat" backends --json | grep -q '"device":true' || echo " in this build, which is without CUDA")"
}

# small FILE - the 4x3 grey image of sat.h's example.
small() { printf 'P5 4 3 255\n\1\2\3\4\5\6\7\10\11\1\2\3' >"$1"; }
# grey W H FILE - 8 bits, no two rows alike; text of `seq` serves as its bytes.
grey() {
    printf 'P5 %d %d 255\n' "$1" "$2" >"$3"
    seq 1 $(($1 * $2)) | head -c $(($1 * $2)) >>"$3"
}
# colour W H FILE [MAXVAL] - three channels of 8 bits, or of 16 with MAXVAL 65535.
colour() {
    local bytes=$(($1 * $2 * (${4:-255} > 255 ? 6 : 3)))
    printf 'P6 %d %d %d\n' "$1" "$2" "${4:-255}" >"$3"
    seq 1 $bytes | head -c $bytes >>"$3"
}
# floats W H FILE - a PFM of samples 1, 2, 0.5, -3 over and over (big endian).
floats() {
    local bytes=$((4 * $1 * $2)) n=16
    printf 'Pf\n%d %d\n1.0\n' "$1" "$2" >"$3"
    printf '\077\200\0\0\100\0\0\0\077\0\0\0\300\100\0\0' >samples
    for (( ; n < bytes; n *= 2)); do
        cat samples samples >twice
        mv twice samples
    done
    head -c "$bytes" samples >>"$3"
    rm samples
}
# pixels FILE BYTES - the last BYTES bytes of a file as numbers on one line.
pixels() { tail -c "$2" "$1" | od -An -v -tu1 | tr -s ' \n' ' ' | sed 's/^ //; s/ $//'; }

# no_leftovers - nothing in this directory but what is listed: no temporary file stayed behind.
no_leftovers() {
    local found
    found=$(find . -mindepth 1 -name '.*' | head -5)
    echo "left behind: $found"
    [ -z "$found" ]
}

# needs_terminal - skips the test where script(1) is missing or cannot make a pseudo-terminal.
needs_terminal() {
    command -v script >/dev/null || skip "no script(1) to make a terminal"
    [ "$(script -qec 'echo made' /dev/null </dev/null 2>&1 | tr -d '\r')" = made ] || skip "no pseudo-terminals here"
}

not_root() { [ "$(id -u)" != 0 ] || skip "root may read and write everything"; }
