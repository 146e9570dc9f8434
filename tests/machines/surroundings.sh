#!/bin/bash
# surroundings.sh [NAME...] - what `make surroundings` does: the suites unit, cli and check in surroundings that they do not
# expect, each in a copy of the tree.
#
#   one-core   one processor                   jobs-64       64 suites at a time
#   memory     2 GiB of memory                 no-sys        no /sys
#   locale-c   LC_ALL=C                        locale-comma  a locale whose decimal point is a comma
#   timezone   TZ=Pacific/Kiritimati (+14)     umask         umask 077
#   tmpdir     a TMPDIR of 256 MiB from which no program may be started
#   no-home    no HOME                         user          an ordinary user
#   container  root without CAP_SYS_ADMIN and CAP_SYS_PTRACE, as in a container
#
#   SUITES="GROUP|FILE..."  runs these suites instead
#   B=DIR                   what was built (make all unit), by default build
#
# Needs root.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
: "${B:=build}" "${SUITES:=unit cli check}"
dir=$(realpath -m "$B/surroundings")
tree=$dir/tree
names=(one-core jobs-64 memory no-sys locale-c locale-comma timezone umask tmpdir no-home user container)

if [ "$(id -u)" != 0 ]; then
    echo "1..0 # SKIP make surroundings needs root"
    exit 77
fi

copies() { # the tree and what was built, for any user
    rm -rf "$tree" && mkdir -p "$tree/build" && chmod 755 "$dir" || return
    git ls-files -z --cached --others --exclude-standard | xargs -0 cp -p --parents -t "$tree" -- &&
        cp -a "$B/flags" "$B"/sat "$B"/lib* "$B/tests" "$B/fuzz" "$B/obj" "$tree/build/"
}
# in_cgroup BYTES COMMAND... - with so much memory (cgroups(7), version 2 or 1).
in_cgroup() {
    local group limit bytes=$1
    shift
    if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
        group=/sys/fs/cgroup/sat-tests limit=memory.max
    else
        group=/sys/fs/cgroup/memory/sat-tests limit=memory.limit_in_bytes
    fi
    mkdir -p "$group" && echo "$bytes" >"$group/$limit" || { echo "no control group for memory here"; return 1; }
    (echo $BASHPID >"$group/cgroup.procs" && exec "$@")
    local status=$?
    rmdir "$group" 2>/dev/null
    return $status
}
# run NAME - the suites, in these surroundings.
run() {
    local suites=(env -u CI B=build tests/run.sh)
    # shellcheck disable=SC2206 # a list
    suites+=($SUITES)
    cd "$tree" || return
    case $1 in
    one-core) taskset -c 0 "${suites[@]}" ;;
    jobs-64) JOBS=64 "${suites[@]}" ;;
    memory) in_cgroup $((2 << 30)) "${suites[@]}" ;;
    no-sys) unshare --mount bash -c 'mount -t tmpfs none /sys && exec "$@"' no-sys "${suites[@]}" ;;
    locale-c) LOCALE=C "${suites[@]}" ;;
    locale-comma)
        mkdir -p "$dir/locales" && localedef -i de_DE -f UTF-8 "$dir/locales/de_DE.UTF-8" &&
            LOCPATH=$dir/locales LOCALE=de_DE.UTF-8 "${suites[@]}" ;;
    timezone) TZ=Pacific/Kiritimati "${suites[@]}" ;;
    umask) (umask 077 && "${suites[@]}") ;;
    tmpdir)
        mkdir -p "$dir/tmp"
        unshare --mount bash -c 'mount -t tmpfs -o size=256m,noexec none "$0" && TMPDIR=$0 exec "$@"' "$dir/tmp" "${suites[@]}" ;;
    no-home) env -u HOME "${suites[@]}" ;;
    user)
        chown -R nobody "$tree" &&
            setpriv --reuid=nobody --regid=nogroup --clear-groups --no-new-privs env HOME=/nonexistent "${suites[@]}" ;;
    container) setpriv --bounding-set=-sys_admin,-sys_ptrace "${suites[@]}" ;;
    esac
}
passes() { # NAME
    local log=$dir/$1.log status
    (run "$1") >"$log" 2>&1 </dev/null
    status=$?
    echo "# $1: $(tail -1 "$log")" >&3
    [ $status = 0 ] || grep -A 12 '^----' "$log" || tail -5 "$log"
    return $status
}

exec 3>&1
[ $# != 0 ] || set -- "${names[@]}"
for name in "$@"; do
    [[ " ${names[*]} " == *" $name "* ]] || { echo "surroundings.sh: nothing is called '$name'" >&2; exit 2; }
done
for name in "$@"; do
    try "a copy of the tree, for $name" copies
    try "the tests in: $name" passes "$name"
done
rm -rf "$tree"
finish
