#!/bin/sh
# deps.sh [--say] GROUP... - installs those packages of these groups of debian-packages.txt that are missing, as root;
# other users, and all with --say, get the command that does, and exit status 1.  Needs no network, and no root, when
# nothing is missing.
set -eu

say=
if [ "$1" = --say ]; then
    say=1
    shift
fi

list=$(dirname "$0")/debian-packages.txt
missing=
for group in "$@"; do
    for package in $(awk -v group="$group" '$1 == group { print $2 }' "$list"); do
        if command -v dpkg-query >/dev/null; then
            dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' && continue
        fi
        missing="$missing $package"
    done
done
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null; then
    echo "deps: no apt-get here; please see to it yourself that these are installed (Debian's names):$missing" >&2
    exit 0
fi

if [ -n "$say" ] || [ "$(id -u)" != 0 ]; then
    echo "deps: packages are missing; this installs them:" >&2
    echo "    sudo apt-get install -y --no-install-recommends$missing" >&2
    exit 1
fi
echo "deps: installing$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086 # a list of packages
if ! { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; } >"$log" 2>&1 </dev/null; then
    cat "$log" >&2
    echo "deps: apt-get failed" >&2
    exit 1
fi
