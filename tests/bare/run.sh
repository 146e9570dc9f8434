#!/bin/bash
# run.sh - what `make bare` does: runs the README's commands where its readers run them.
#
# debootstrap makes a minimal Debian, without git, compilers and CUDA. A clone of this repository's HEAD is copied into it,
# and the commands are taken from the README: as root the first two, and the line that builds and installs the Python
# package; in a second such system, with gcc and make, the block "Without root" of docs/install.md as an ordinary user.
# Packages come from where this machine's apt and pip take them.
#
#   RELEASE=NAME  bookworm (Debian 12, the default) or trixie (13)
#   BRIEF=1       the first command, the unit tests and the Python package alone
#   SUITES="..."  the second command runs these groups alone
#   B=DIR         where the systems and logs go, by default build; the systems are removed at the end
#
# Needs root, debootstrap and a git checkout; without them, the whole suite is skipped, and the status is 77.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

skip_all() {
    echo "1..0 # SKIP $*"
    echo "bare: NOTHING WAS TESTED: $*" >&2
    exit 77
}
[ "$(id -u)" = 0 ] || skip_all "make bare needs root"
command -v debootstrap >/dev/null || skip_all "make bare needs debootstrap (Debian's package)"
[ -e .git ] || skip_all "make bare needs a git checkout, which it clones"
unshare --mount --pid --fork true 2>/dev/null || skip_all "make bare needs namespaces of mounts and processes"

release=${RELEASE:-bookworm}
dir=$(realpath -m "${B:-build}/bare-$release")
rm -rf "$dir"
mkdir -p "$dir"
trap 'rm -rf --one-file-system "$dir"/root "$dir"/user' EXIT
# This machine's apt sources of that release; if they are of another one, the first mirror of them.
# shellcheck disable=SC2016 # apt's variables
sources=$(apt-get indextargets --format 'deb $(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' | sort -u)
mirror=$(awk '$2 ~ /\/debian$/ { print $2; exit }' <<<"$sources")
: "${mirror:=http://deb.debian.org/debian}"
sources=$(grep " $release" <<<"$sources" || echo "deb $mirror $release main")
http_proxy=${http_proxy:-$(apt-config dump | sed -n 's/^Acquire::http::Proxy "\(.*\)";$/\1/p')}
export http_proxy

# block N - the Nth block of commands of the README.
block() { awk -v n="$1" '/^```$/ { if (!code) at++; code = !code; next } /^```/ { code = 1; next } code && at == n' README.md; }
# package - the README's line that builds the Python package and installs it.
package() { sed -n 's/.*`\(make wheel && .*\)`$/\1/p' README.md; }

# logged NAME COMMAND... - its last lines are shown if it fails.
logged() {
    "${@:2}" >"$dir/$1.log" 2>&1 </dev/null || { tail -40 "$dir/$1.log"; return 1; }
}
# inside SYSTEM USER COMMANDS - runs them in the clone there, or in / where there is none.
inside() {
    # shellcheck disable=SC2016 # its own arguments
    env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME="$(home "$1" "$2")" TERM=dumb \
        unshare --mount --pid --fork --kill-child bash -c '
            mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && exec chroot --userspec="$2" "$1" bash -c "cd ~/sat 2>/dev/null || cd /; $3"
        ' inside "$dir/$1" "$2" "$3"
}
home() { awk -F: -v user="$2" '$1 == user { print $6 }' "$dir/$1/etc/passwd"; }
clone() { # SYSTEM USER
    git clone -q "file://$PWD" "$dir/$1$(home "$1" "$2")/sat" && chroot "$dir/$1" chown -R "$2" "$(home "$1" "$2")"
}
# pip_setting NAME - of this machine's pip.
pip_setting() {
    local variable=PIP_${1^^}
    variable=${variable//-/_}
    echo "${!variable:-$(python3 -m pip config get "global.$1" 2>/dev/null)}"
}
pip_as_here() { # in the new system: the index, and the certificates that it is trusted by
    local name value
    echo "[global]"
    for name in index-url cert; do
        value=$(pip_setting $name)
        [ -n "$value" ] || continue
        if [ $name = cert ]; then
            cp "$value" "$dir/root/etc/machine.crt" || return
            value=/etc/machine.crt
        fi
        echo "$name = $value"
    done
}
system() {
    debootstrap --variant=minbase "$release" "$dir/root" "$mirror" || return 1
    echo "$sources" >"$dir/root/etc/apt/sources.list"
    apt-config dump | grep '^Acquire::' >"$dir/root/etc/apt/apt.conf.d/99machine"
    cp /etc/resolv.conf /etc/hosts "$dir/root/etc/" && pip_as_here >"$dir/root/etc/pip.conf" &&
        cp -a "$dir/root" "$dir/user"
}
last_line() { # FILE - of the tests that ran
    local line
    line=$(tail -1 "$dir/$1.log")
    echo "# $line" >&3
    [[ $line =~ ^[0-9]+\ passed,\ 0\ failed,\ [0-9]+\ skipped$ ]]
}
picture() { # SYSTEM USER FILE - by an oracle that runs in the first system, whose second command has installed NumPy
    cp "$dir/$1$(home "$1" "$2")/sat/$3" "$dir/root$(home root root)/sat/picture.png" &&
        inside root root "/usr/bin/python3 tests/bare/picture.py data/coffee.png 31 picture.png"
}
packages() { inside user root "apt-get update && apt-get install -y gcc make && useradd -m guest"; }

exec 3>&1
try "a minimal Debian, $release" logged system system
try "the README has its commands" eval '[[ $(block 1) == *"make demo" && $(block 2) == "make check" && $(package) == *"venv/bin/pip install"* ]]'
try "a clone" clone root root
try "the first command: $(block 1)" logged first inside root root "$(block 1)"
if [ "${BRIEF:-0}" = 0 ]; then
    try "the second command: $(block 2)" logged second inside root root "$(block 2)${SUITES:+ SUITES='$SUITES'}"
else
    try "the unit tests" logged second inside root root "make deps-test && make unit -j\$(nproc) && tests/run.sh unit"
fi
try "their last line has no failures" last_line second
try "the first command's picture" picture root root build/demo.png
try "the Python package: $(package)" logged package inside root root "$(package)"
try "it gives NumPy's results" logged import inside root root "venv/bin/python tests/bare/package.py"
[ "${BRIEF:-0}" = 0 ] || finish
try "a second system with gcc and make alone" logged packages packages
try "a clone for an ordinary user" clone user guest
without=$(sed -n '/^## Without root/,$p' docs/install.md | awk '/^deps=/ { on = 1 } on && /^```$/ { exit } on')
try "the block for users without root" logged without inside user guest "$without"
# shellcheck disable=SC2088 # expanded there
try "what it installed blurs a picture" logged blur inside user guest '~/.local/bin/sat data/coffee.png --box 31 -o blurred.png'
try "the picture" picture user guest blurred.png
finish
