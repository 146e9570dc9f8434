#!/bin/bash
# surroundings.sh [NAME[+NAME...]...] - what `make surroundings` does: the suites unit, cli and check in surroundings that
# they do not expect, each in a copy of the tree. Those joined by + are taken together: where such a run fails, run its names alone.
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
together=(one-core+memory+no-sys+locale-c+container jobs-64+timezone tmpdir+locale-comma+umask+user+no-home)

if [ "$(id -u)" != 0 ]; then
    echo "1..0 # SKIP make surroundings needs root"
    exit 77
fi

copies() { # the tree and what was built, for any user
    rm -rf "$tree" && mkdir -p "$tree/build" && chmod 755 "$dir" || return
    git ls-files -z --cached --others --exclude-standard | xargs -0 cp -p --parents -t "$tree" -- &&
        cp -a "$B/flags" "$B"/sat "$B"/lib* "$B/tests" "$B/fuzz" "$B/obj" "$tree/build/"
}
# wrap NAME - puts the command of these surroundings before the command in `with`.
wrap() {
    local each limit
    # shellcheck disable=SC2016 # arguments of the inner shells
    case $1 in
    one-core) with=(taskset -c 0 "${with[@]}") ;;
    jobs-64) with=(env JOBS=64 "${with[@]}") ;;
    memory) # by a control group: cgroups(7), version 2 or 1
        each=/sys/fs/cgroup limit=memory.max
        [ -e $each/cgroup.controllers ] || each=/sys/fs/cgroup/memory limit=memory.limit_in_bytes
        with=(bash -c 'mkdir -p "$0" && echo $((2 << 30)) >"$0/$1" && echo $$ >"$0/cgroup.procs" && exec "${@:2}"'
              "$each/sat-tests" "$limit" "${with[@]}") ;;
    no-sys) with=(unshare --mount bash -c 'mount -t tmpfs none /sys && exec "$@"' no-sys "${with[@]}") ;;
    locale-c) with=(env LOCALE=C "${with[@]}") ;;
    locale-comma)
        mkdir -p "$dir/locales" && localedef -i de_DE -f UTF-8 "$dir/locales/de_DE.UTF-8" || return
        with=(env LOCPATH="$dir/locales" LOCALE=de_DE.UTF-8 "${with[@]}") ;;
    timezone) with=(env TZ=Pacific/Kiritimati "${with[@]}") ;;
    umask) with=(bash -c 'umask 077 && exec "$@"' umask "${with[@]}") ;;
    tmpdir)
        mkdir -p "$dir/tmp"
        with=(unshare --mount bash -c 'mount -t tmpfs -o size=256m,noexec none "$0" && chmod 1777 "$0" && TMPDIR=$0 exec "$@"'
              "$dir/tmp" "${with[@]}") ;;
    no-home) with=(env -u HOME "${with[@]}") ;;
    user)
        chown -R nobody "$tree" || return
        with=(setpriv --reuid=nobody --regid=nogroup --clear-groups --no-new-privs env HOME=/nonexistent "${with[@]}") ;;
    container) with=(setpriv "--bounding-set=-sys_admin,-sys_ptrace" "${with[@]}") ;;
    esac
}
# run NAME[+NAME...] - the suites, in these surroundings. The list goes from the innermost command outwards: `user` and
# `container` are inside the others, which need the rights that these two take away.
run() {
    local with name
    # shellcheck disable=SC2206 # a list
    with=(env -u CI B=build tests/run.sh $SUITES)
    for name in no-home user container umask tmpdir timezone locale-comma locale-c one-core jobs-64 no-sys memory; do
        [[ "+$1+" != *"+$name+"* ]] || wrap $name || return
    done
    cd "$tree" && "${with[@]}"
}
passes() { # NAME
    local log=$dir/$1.log status
    (run "$1") >"$log" 2>&1 </dev/null
    status=$?
    rmdir /sys/fs/cgroup/{,memory/}sat-tests 2>/dev/null
    echo "# $1: $(tail -1 "$log")" >&3
    [ $status = 0 ] || grep -A 12 '^----' "$log" || tail -5 "$log"
    return $status
}

exec 3>&1
[ $# != 0 ] || set -- "${together[@]}"
for name in $(tr + " " <<<"$*"); do
    [[ " ${names[*]} " == *" $name "* ]] || { echo "surroundings.sh: nothing is called '$name'" >&2; exit 2; }
done
for name in "$@"; do
    try "a copy of the tree, for $name" copies
    try "the tests in: $name" passes "$name"
done
rm -rf "$tree"
finish
