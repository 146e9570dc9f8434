#!/bin/sh
# deps.sh [--say] [GROUP...] - installs those packages of these groups of packages.txt, by default what `make demo` needs,
# that are missing, on Debian as root; other users and systems, and all with --say, get the command that does, and exit
# status 1.  Needs no network, and no root, when nothing is missing.  With DEPS=skip nothing is looked for.
set -eu

[ "${DEPS:-}" != skip ] || exit 0
say=
if [ "${1:-}" = --say ]; then
    say=1
    shift
fi
[ $# != 0 ] || set -- build jpeg tiff

for tool in apt-get dnf pacman apk ''; do
    ! command -v "$tool" >/dev/null || break
done
sudo=$([ "$(id -u)" = 0 ] || echo "sudo ")
column=2 how="this installs them"
case $tool in
apt-get) install="${sudo}apt-get update && ${sudo}apt-get install -y --no-install-recommends" ;;
dnf) column=3 install="${sudo}dnf install" ;;
pacman) column=4 install="${sudo}pacman -S --needed" ;;
apk) column=5 install="${sudo}apk add" ;;
*) install='' how="there is no apt-get, dnf, pacman or apk; Debian calls them" ;;
esac
is_installed() { # PACKAGE
    case $tool in
    dnf) rpm -q --whatprovides "$1" ;;
    pacman) pacman -T "$1" ;;
    apk) apk info -e "$1" ;;
    *) dpkg-query -W -f='${Status}' "$1" | grep -q 'ok installed' ;;
    esac >/dev/null 2>&1
}

packages=$(awk -v groups=" $* " -v n=$column '{ name = $n == "-" ? "-" $2 : $n }
        index(groups, " " $1 " ") && !seen[name]++ { print name }' "$(dirname "$0")/packages.txt")
missing='' unknown=''
for package in $packages; do
    ! is_installed "${package#-}" || continue
    case $package in
    -*) unknown="$unknown ${package#-}" ;;
    *) missing="$missing $package" ;;
    esac
done
[ -n "$missing$unknown" ] || exit 0

if [ -n "$say$sudo$unknown" ] || [ "$tool" != apt-get ]; then
    exec >&2
    [ -z "$missing" ] || printf '%s\n' "deps: packages are missing; $how:" "   ${install:+ $install}$missing"
    [ -z "$unknown" ] || echo "deps: no package of this system is known for:$unknown"
    [ "$tool" = apt-get ] || echo "deps: make looks for no packages with DEPS=skip, as in \`make demo DEPS=skip\`"
    exit 1
fi
echo "deps: installing$missing"
# Two at once would fail at apt's lock. Systems without util-linux have no flock.
if command -v flock >/dev/null && [ -d /var/lib/dpkg ]; then
    exec 9</var/lib/dpkg
    flock 9
fi
folder=$(mktemp -d)
log=$folder/log
trap 'rm -rf "$folder"' EXIT
# Each package is a line when it has come, and one when it is set up. The rest is shown only if apt fails.
# shellcheck disable=SC2086 # a list of packages
{
    { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; } </dev/null 9<&- 2>&1 ||
        : >"$folder/failed"
} | tee "$log" | sed -un -e 's/^Get:[0-9]* .* \([a-z0-9.+-]*\) [a-z0-9]* [^ ]* \[\(.*\)\]$/  got \1 (\2)/p' \
    -e 's/^Setting up \([^ :]*\).*/  set up \1/p' 9<&-
if [ -e "$folder/failed" ]; then
    cat "$log" >&2
    echo "deps: apt-get failed" >&2
    exit 1
fi
