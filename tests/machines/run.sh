#!/bin/bash
# run.sh [MACHINE...] - what `make machines` does: runs tests on processors that this machine does not have. QEMU emulates
# them, a process at a time (user mode).
#
#   core2duo     x86-64 without AVX2
#   max          x86-64 with AVX2, without AVX-512
#   aarch64      64-bit ARM; the sources are compiled for it, with Debian's cross compiler and arm64 packages
#   aarch64-16k  the same with pages of 16 KiB, as on a Raspberry Pi 5, and aarch64-64k of 64 KiB, as on NVIDIA Grace
#
# build/machines/NAME has a script for each program of the build, which starts it in the emulator. tests/run.sh takes that
# folder as its B, so that suites run as they are. Programs find the name in SAT_EMULATED.
#
#   SUITES="GROUP|FILE..."  runs these suites of tests/run.sh instead
#   BRIEF=1  leaves out the slow unit suites, most suites of the command, and large pages
#   B=DIR    where the programs of this machine are (make all unit), by default build
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
: "${B:=build}" "${BRIEF:=0}"

sysroot=$(realpath -m "$B/machines/arm64")
arm=$(realpath -m "$B/machines/build-aarch64")
commands="answers filter rects"
# Suites that QEMU cannot run: they time out, or limit their address space, of which QEMU needs gigabytes.
no_commands="choice bench streams memory"

# emulator MACHINE - the command that runs a program of it.
emulator() {
    case $1 in
    core2duo | max) echo "qemu-x86_64-static -cpu $1" ;;
    aarch64) echo "qemu-aarch64-static -L $sysroot" ;;
    aarch64-16k) echo "qemu-aarch64-static -L $sysroot -p 16384" ;;
    aarch64-64k) echo "qemu-aarch64-static -L $sysroot -p 65536" ;;
    *) echo "machines: no machine is called '$1'" >&2; return 1 ;;
    esac
}
programs() { # MACHINE - the folder where they are
    case $1 in aarch64*) echo "$arm" ;; *) realpath "$B" ;; esac
}

# packages - arm64 libraries and headers, unpacked into $sysroot by an apt of its own: this machine's knows nothing of them.
packages() {
    local state=$sysroot/apt
    [ ! -e "$sysroot/complete" ] || return 0
    rm -rf "$sysroot"
    mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
    : >"$state/status"
    local apt=(apt-get -q -y -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State="$state"
               -o Dir::State::status="$state/status" -o Dir::Cache="$state/cache" -o APT::Sandbox::User=root)
    "${apt[@]}" update &&
        "${apt[@]}" install --no-install-recommends --download-only libc6-dev libstb-dev libdeflate-dev libisal-dev \
            libxxhash-dev libjpeg-dev libtiff-dev libcmocka-dev || return
    local deb
    for deb in "$state"/cache/archives/*.deb; do dpkg-deb -x "$deb" "$sysroot" || return; done
    rm -rf "$state"
    touch "$sysroot/complete"
}
builds() {
    local target=aarch64-linux-gnu
    make -s -j"$(nproc)" B="$arm" CUDA=0 JPEG=1 TIFF=1 PKG_CONFIG=false CC="$target-gcc --sysroot=$sysroot" \
        AR="$target-ar" all unit
}

# scripts MACHINE - build/machines/MACHINE, anew.
scripts() {
    local folder=$B/machines/$1 from run file name
    from=$(programs "$1")
    run="$(emulator "$1") -E SAT_EMULATED=$1"
    rm -rf "$folder"
    for file in "$from/sat" "$from"/tests/* "$from"/fuzz/replay_*; do
        [ -f "$file" ] && [ -x "$file" ] && [ "${file%.so}" = "$file" ] || continue
        name=$folder/${file#"$from"/}
        mkdir -p "${name%/*}"
        printf '#!/bin/sh\nexec %s %q "$@"\n' "$run" "$file" >"$name"
        chmod +x "$name"
    done
    [ -x "$folder/sat" ] && [ -x "$folder/tests/test_tables" ] && [ -x "$folder/fuzz/replay_decode" ] ||
        { echo "the programs are missing in $from"; return 1; }
}
# suites MACHINE - what tests/run.sh runs.
suites() {
    local name
    [ -z "${SUITES:-}" ] || { echo "$SUITES"; return; }
    echo "fuzz $([ "$BRIEF" = 1 ] && echo brief || echo unit)"
    [ "$BRIEF.$1" != 1.max ] || return
    for name in tests/cli/*.bats; do
        name=$(basename "$name" .bats)
        if [ "$BRIEF" = 1 ]; then [[ " $commands " == *" $name "* ]]; else [[ " $no_commands " != *" $name "* ]]; fi &&
            echo "tests/cli/$name.bats"
    done
}
tests() { # MACHINE
    local log=$B/machines/$1.log status
    # shellcheck disable=SC2046 # a list
    env -u CI B="$B/machines/$1" tests/run.sh $(suites "$1") >"$log" 2>&1
    status=$?
    echo "# $1: $(tail -1 "$log")" >&3
    [ $status = 0 ] || grep -A 12 '^----' "$log"
    return $status
}

if [ "$(uname -m)" != x86_64 ]; then
    echo "1..0 # SKIP make machines needs x86-64: it runs this machine's programs in qemu-x86_64-static"
    exit 0
fi
exec 3>&1
[ $# != 0 ] || set -- core2duo max aarch64 $([ "$BRIEF" = 1 ] || echo aarch64-16k aarch64-64k)
for machine in "$@"; do emulator "$machine" >/dev/null || exit 2; done
if [[ " $* " == *" aarch64"* ]]; then
    try "libraries for aarch64" packages
    try "the sources compile for aarch64" builds
fi
for machine in "$@"; do
    try "programs of $machine" scripts "$machine"
    try "the tests on $machine" tests "$machine"
done
finish
