#!/bin/bash
# verified.sh [gpu|machines] - a line for each verified.txt, by default for both: what it says, if it is about these
# sources and all was well, or why not, and then the status is 1.
cd "$(dirname "$0")/.." || exit 1

command -v "${CC:-gcc}" >/dev/null || { echo "verified.sh: there is no ${CC:-gcc}, by which the sources are compared; CC=NAME is another compiler" >&2; exit 2; }

value() { sed -n "s/^$1: //p" "$file"; }

# changed - the files of kernels and library whose hashes differ from those that were verified.
changed() {
    local now before
    now=$(tests/sources.sh gpu) || { echo "(no hashes: see tests/sources.sh gpu)"; return; }
    before=$(grep -E '^[0-9a-f]{64}  ' "$file")
    [ "$now" = "$before" ] || printf '%s\n%s\n' "$now" "$before" | LC_ALL=C sort | uniq -u | cut -c67- | LC_ALL=C sort -u | paste -sd' '
}
gpu() {
    local tool since
    since=$(changed)
    [ -z "$since" ] || { echo "since $(value date) these changed: $since"; return 1; }
    case $(value check) in
    *", 0 failed, 0 skipped") ;;
    *) echo "$(value check)" && return 1 ;;
    esac
    for tool in memcheck racecheck initcheck synccheck; do
        [ "$(value $tool)" = clean ] || { echo "$tool: $(value $tool)"; return 1; }
    done
    echo "on $(value device), $(value date): $(value check), sanitizers clean"
}
machines() {
    local part line now of bad=
    now=$(tests/sources.sh machines)
    for part in $(tests/machines/judges.sh --list); do
        line=$(grep "^$part: " "$file")
        of=${line##*sources }
        if [ -z "$line" ]; then
            bad+=" $part (not run)"
        elif [ "$of" != "$now" ]; then
            bad+=" $part (of other sources)"
        elif ! grep -q ' passed, 0 failed' <<<"$line" || grep -q ' status [1-9]' <<<"$line"; then
            bad+=" $part (failed)"
        fi
    done
    [ -z "$bad" ] || { echo "${bad# }"; return 1; }
    echo "by all parts of make judges"
}
one() { # WHAT WRITER
    local file=tests/$1/verified.txt said
    [ -f "$file" ] || { echo "$1: not verified: there is no $file; $2 writes it"; return 1; }
    said=$("$1") || { echo "$1: not verified: $said"; return 1; }
    echo "$1: verified $said"
}

[ $# != 0 ] || set -- gpu machines
status=0
for what in "$@"; do
    case $what in
    gpu) one gpu "make check-gpu" ;;
    machines) one machines "make judges" ;;
    *) echo "verified.sh: gpu or machines" >&2; exit 2 ;;
    esac || status=1
done
exit $status
