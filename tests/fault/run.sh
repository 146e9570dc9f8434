#!/bin/bash
# run.sh - makes every allocation, mapping, open, read, write, sync, link, rename, close and thread of sat fail in
# turn, fills the disk, moves data in pieces, and interrupts and kills it.  Prints TAP.
#
# Whatever happens, sat must end with status 0 and the right output, or with status 1 and one line on
# standard error (or 130, if interrupted, and 137, if killed); each output is the whole old one or the whole new
# one; and no temporary file is left.
#
#   FAULT_DEEP=1  500 disk sizes, interruptions and reads of each case, in place of 12, 12 and 32
# shellcheck disable=SC2317 # the functions are called by try
# shellcheck disable=SC2030,SC2031 # what is exported in a subshell is for its program only
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

sat=${SAT:-$PWD/build/sat}
codecs=$PWD/tests/data/codecs
SPACES=$([ "${FAULT_DEEP:-0}" = 0 ] && echo 12 || echo 500) # of each case
INTERRUPTS=$SPACES
READS=$([ "${FAULT_DEEP:-0}" = 0 ] && echo 32 || echo 500)
KINDS="alloc map open read write sync rename close thread"

formats=$(sed -n 's/^FORMAT(\(.*\))$/\1/p' src/io/formats.def)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
shim=$work/shim.so
${CC:-cc} -std=c11 -D_GNU_SOURCE -O1 -shared -fPIC tests/fault/shim.c -o "$shim" -ldl -pthread || exit 1
cd "$work" || exit 1
mkdir run old want
shopt -s dotglob nullglob
command=() lines_max=1 piped='' status=0 text='' why=''

# ---- one run and what must hold after it ------------------------------------------------------------------

# The old outputs back in place, and nothing else.
reset() {
    local have=(old/*)
    rm -rf run
    mkdir run
    [ ${#have[@]} = 0 ] || cp old/* run
}

# In a subshell: standard input from a pipe, if the case has one.
feed() { [ -z "$piped" ] || exec < <(cat "$piped"); }

# launch COMMAND... - sets status, and text: what it said on standard error, which spoils the status if it does not end
# a line.  The text is kept in memory: other programs may fill the disk for a while.
launch() {
    local said
    said=$( ("$@") 2>&1 >out; echo $?)
    status=${said##*$'\n'} text=${said%"$status"}
}

is_old() { cmp -s "run/$1" "old/$1"; }
is_new() { cmp -s "run/$1" "want/$1"; }

# holds - may the state after that run be as it is?  If not, why says what is wrong.
holds() {
    local f have=(run/*) expected=(old/*) ends=${text//[!$'\n']/} one=${text//$'\nsat: '/}
    why="status $status: ${text%$'\n'}"
    case $status in
    0) [ -z "$text" ] || return 1
       cmp -s out out.want || { why="status 0, but standard output is wrong"; return 1; } ;;
    1) [[ $one == "sat: "*$'\n' && $one != *$'\n'?* && ${#ends} -le $lines_max ]] || return 1 ;;
    130 | 137) ;;
    *) return 1 ;;
    esac
    [ "${have[*]##*/}" = "${expected[*]##*/}" ] || { why="$why; there is: ${have[*]##*/}"; return 1; }
    for f in "${expected[@]##*/}"; do
        if [ "$status" = 0 ]; then
            is_new "$f" || { why="status 0, but $f is wrong"; return 1; }
        else
            is_old "$f" || is_new "$f" || { why="$why; $f is neither old nor new"; return 1; }
        fi
    done
}

# setup COMMAND... - what the tests below run.  It writes to standard output or into run/, where all that
# it wrote the first time becomes want/, and old/ holds other content under the same names.
setup() {
    local f
    command=("$@")
    rm -rf run old want
    mkdir run old want
    (feed; exec "${command[@]}" >out.want 2>err) || { cat err; return 1; }
    for f in run/*; do
        cp "$f" want
        echo "the old content" >"old/${f##*/}"
    done
    reset
    under FAULT_COUNTS=counts && ends_with 0 || return 1
    awk '$1 == "alloc" && $2 > 0 { works = 1 } END { exit !works }' counts || { echo "the shim counts nothing"; return 1; }
}

# define NAME COMMAND... - the same as a test; not in a subshell, so that what it sets stays.
define() {
    local status
    setup "${@:2}" >setup.log 2>&1
    status=$?
    try "$1" eval "cat setup.log; exit $status"
    return "$status"
}

# faulty SETTING... - in a subshell: the case with these settings of the shim.
faulty() {
    feed
    # shellcheck disable=SC2163 # the arguments are NAME=VALUE
    export LD_PRELOAD="$shim" "$@"
    exec "${command[@]}"
}

# under SETTING... - runs the case so and checks what came of it, which is in why.
under() {
    launch faulty "$@"
    if ! holds; then
        echo "$*: $why"
        echo "free: $(df -Pk . | awk 'NR == 2 { print $4 }') KiB of disk, $(awk '/MemAvailable/ { print $2 }' /proc/meminfo) of memory"
        reset
        return 1
    fi
    if [ "$status" != 1 ] || [ "$lines_max" != 1 ]; then reset; fi
}

# ends_with STATUS [TEXT] - did the last run, which must have held, end so?
ends_with() {
    [[ $why == "status $1: "*"${2:-}" ]] || { echo "$why"; return 1; }
}

# ---- tests -------------------------------------------------------------------------------------------------

# step KIND CALLS - where a file is read in parts, some of the reads, and of the allocations for each.
step() {
    case $1 in
    read) echo $(($2 / READS + 1)) ;;
    alloc) echo $(($2 / (4 * READS) + 1)) ;;
    *) echo 1 ;;
    esac
}

# sweep KIND CALLS - fails each call of that kind, alone and with all that come after it.  There is no way
# round a failed write, sync or rename; of the allocations, opens, closes and reads of a pipe some must matter.
# Without the first thread, which waits for signals, nothing is begun; without the others all is done.
sweep() {
    local kind=$1 calls=$2 n on bad=0 runs=0 failures=0 others=
    for ((n = 1; n <= calls; n += $(step "$kind" "$calls"))); do
        for on in 0 1; do
            under FAULT_KIND="$kind" FAULT_NTH="$n" FAULT_ON="$on" || bad=1
            runs=$((runs + 1))
            if [[ $why == "status 1"* ]]; then failures=$((failures + 1)); else others+="; call $n, $on: $why"; fi
        done
    done
    case $kind in
    write | sync | rename) [ "$failures" = "$runs" ] || bad=1 ;;
    alloc | open | close) [ "$failures" -gt 0 ] || bad=1 ;;
    read) [ "$failures" -gt 0 ] || [ -z "$piped" ] || bad=1 ;;
    thread) [ "$failures" = 2 ] || bad=1 ;;
    esac
    [ "$bad" = 0 ] || echo "$failures of $runs runs ended with status 1$others"
    return "$bad"
}

# The disk is full after so many bytes: from none to one less than needed, and exactly enough.
disk_full() {
    local i size space bad=0
    size=$(cat want/* | wc -c)
    for ((i = 0; i < SPACES; i++)); do
        space=$((i < SPACES - 1 ? size * i / (SPACES - 1) : size - 1))
        if ! under FAULT_SPACE="$space" || ! ends_with 1 "No space left on device"; then
            bad=1
            break
        fi
    done
    if ! under FAULT_SPACE="$size" || ! ends_with 0; then bad=1; fi
    return "$bad"
}

# Short and interrupted reads and writes are no faults: all must be as ever.
in_pieces() { under FAULT_SHORT=1 && ends_with 0; }

# SIGINT at seeded random moments from the start to a little after the usual end.
interrupt() {
    local i bad=0 from to us finished=0
    from=${EPOCHREALTIME/[.,]/}
    launch "${command[@]}"
    [ "$status" = 0 ] || return 1
    to=${EPOCHREALTIME/[.,]/}
    reset
    RANDOM=1
    for ((i = 0; i < INTERRUPTS; i++)); do
        us=$(((RANDOM * 32768 + RANDOM) % ((to - from) * 6 / 5) + 1))
        launch env --default-signal=INT timeout --foreground --preserve-status -s INT \
            "$(printf '%d.%06d' $((us / 1000000)) $((us % 1000000)))" "${command[@]}"
        [ "$status" != 0 ] || finished=$((finished + 1))
        if ! holds || [ "$status" = 1 ]; then
            echo "after $us us: $why"
            bad=1
            break
        fi
        reset
    done
    [ "$finished" -lt "$INTERRUPTS" ] || { echo "no run was interrupted"; bad=1; }
    return "$bad"
}

# The file ends where a read of it begins, each read in turn, although it was longer when it was opened.
shrinks() {
    local calls n bad=0
    calls=$(awk '$1 == "read" { print $2 }' counts)
    for ((n = 1; n <= calls; n += $(step read "$calls"))); do
        if ! under FAULT_ENDS=1 FAULT_KIND=read FAULT_NTH="$n" FAULT_ON=1 || ! ends_with 1; then bad=1; fi
    done
    [ "${calls:-0}" -gt 1 ] || { echo "the file is not read in parts"; bad=1; }
    return "$bad"
}

# truncated FILE - the same bytes but the last ones, as cut.tif, which the case reads.
truncated() {
    local i size bad=0
    size=$(wc -c <"$1")
    for ((i = 0; i < SPACES && bad == 0; i++)); do
        head -c $((i < SPACES - 1 ? size * i / (SPACES - 1) : size - 1)) "$1" >cut.tif
        if ! under FAULT_KIND=write FAULT_NTH=1 || [[ $why != "status 1: sat: cut.tif: "* ]]; then
            echo "$(wc -c <cut.tif) of $size bytes: $why"
            bad=1
        fi
    done
    return "$bad"
}

to_full_device() { exec "${command[@]}" >/dev/full; }

full_device() {
    launch to_full_device
    holds && ends_with 1 "No space left on device"
}

# Does the file system here make them?
unnamed_files() {
    printf '#include <fcntl.h>\nint main(void) { return open(".", O_TMPFILE | O_RDWR, 0600) < 0; }\n' |
        ${CC:-cc} -D_GNU_SOURCE -x c - -o unnamed && ./unnamed
}

# Killed at each call but the last rename.
killed() {
    local kind calls n bad=0
    while read -r kind calls; do
        [ "$kind" != rename ] || calls=$((calls - 1))
        for ((n = 1; n <= calls; n++)); do
            under FAULT_KILL=1 FAULT_KIND="$kind" FAULT_NTH="$n" && ends_with 137 || bad=1
        done
    done <counts
    return "$bad"
}

# No system call links over a name: a process that is killed between the link and the rename leaves the temporary name.
killed_before_rename() {
    local calls
    calls=$(awk '$1 == "rename" { print $2 }' counts)
    launch faulty FAULT_KILL=1 FAULT_KIND=rename FAULT_NTH="$calls"
    local have=(run/*)
    ls -A run
    [ ${#have[@]} = 2 ] && is_old out.png && rm run/out.png && cmp run/.out.png.sat-* want/out.png
}

# Here the kernel ends the file; its SIGXFSZ would kill a process that does not expect it.
limited() {
    ulimit -f 1
    exec "${command[@]}"
}

size_limit() {
    launch limited
    holds && ends_with 1 "File too large"
}

# A file system without RENAME_NOREPLACE says EINVAL, 22 on every Linux.
no_clobber_without_renameat2() {
    command+=(--no-clobber)
    rm run/*
    if ! under FAULT_NAMED=1 FAULT_KIND=rename FAULT_NTH=1 FAULT_ERRNO=22 || ! ends_with 0; then return 1; fi
    launch "${command[@]}"
    holds && ends_with 1 "exists already"
}

# ---- cases -------------------------------------------------------------------------------------------------

# A picture with text for bytes, none like its neighbour.
picture() {
    printf 'P6\n%d %d\n255\n' "$1" "$2"
    awk -v n=$(($1 * $2 * 3)) 'BEGIN { for (i = 0; i < n; i++) printf "%c", 33 + int(i * i / 97 + i) % 90 }'
}

# 16 x 12 pixels of the floats 1, 2 and 3: their sums are exact, and so every backend that sat may fall back
# to gives the same bytes.
float_picture() {
    local i floats=('\0\0\200\77' '\0\0\0\100' '\0\0\100\100')
    printf 'PF\n16 12\n-1\n'
    # shellcheck disable=SC2059 # the floats are formats
    for ((i = 0; i < 16 * 12 * 3; i++)); do printf "${floats[i * i / 7 % 3]}"; done
}

# le BYTES NUMBER... - numbers of so many bytes, the lowest first.
le() {
    local bytes=$1 number i
    for number in "${@:2}"; do
        for ((i = 0; i < bytes; i++)); do printf '%b' "\\x$(printf %x $((number >> 8 * i & 255)))"; done
    done
}

# A grey TIFF of 2304 x 2304 pixels, two bands of rows, in 9 x 9 tiles that are not compressed and begin behind the
# directory.
tiles() {
    local i tag tile=$((256 * 256)) at=1024
    printf II && le 2 42 && le 4 8 && le 2 10
    for tag in 256,2304 257,2304 258,8 259,1 262,1 277,1 322,256 323,256; do le 2 "${tag%,*}" 4 && le 4 1 "${tag#*,}"; done
    le 2 324 4 && le 4 81 134 && le 2 325 4 && le 4 81 458 && le 4 0
    for i in {0..80}; do le 4 $((at + i * tile)); done
    for i in {0..80}; do le 4 $tile; done
    head -c $((at - 782)) /dev/zero
    awk -v n=$((81 * tile)) 'BEGIN { srand(1); for (i = 0; i < n; i++) printf "%c", 33 + int(90 * rand()) }'
}

inputs() {
    picture 64 48 >in.ppm
    picture 1600 1200 >big.ppm
    float_picture >in.pfm
    "$sat" in.ppm --box 1 -o in.png && "$sat" in.ppm --box 1 -o in.jpg && "$sat" in.ppm -o table.npy &&
        "$sat" big.ppm --gray --box 1 -o big.pgm && "$sat" big.ppm --box 1 -o big.png && "$sat" big.ppm --box 1 -o big.bmp && cp in.png in2.png && cp big.png big2.png || return 1
    tiles >tile-none.tif && "$sat" tile-none.tif --box 1 -o tile-deflate.tif && "$sat" tile-none.tif --box 1 -o tile.pgm &&
        "$sat" tile.pgm --box 1 --tiff-compression none -o strip-none.tif && "$sat" tile.pgm --box 1 -o strip-deflate.tif ||
        return 1
    { # the same samples as 384 x 2304 pixels with six bands
        printf '\223NUMPY\1\0\166\0%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': (2304, 384, 6), }"
        tail -c $((2304 * 2304)) tile.pgm
    } >six.npy
    "$sat" six.npy --box 1 -o six.tif || return 1
    echo x,y,w,h,name >rects.csv
    for n in {0..199}; do echo "$((n % 50)),$((n % 40)),$((n % 14 + 1)),$((n % 8 + 1)),n$n"; done >>rects.csv
}

# faults NAME COMMAND... - every kind of fault for one case.
faults() {
    local name=$1 kind calls
    shift
    define "$name: as ever under the shim" "$@" || return
    for kind in $KINDS; do
        calls=$(awk -v kind="$kind" '$1 == kind { print $2 }' counts)
        [ "${calls:-0}" = 0 ] || try "$name: $kind fails" sweep "$kind" "$calls"
    done
    try "$name: in pieces" in_pieces
}

inputs >inputs.log 2>&1 || { cat inputs.log; echo "Bail out! no inputs"; exit 1; }
for threads in 1 2; do
    on="on $threads thread$([ $threads = 1 ] || echo s)"
    faults "PNG to PNG $on" "$sat" in.png --box 5 --threads $threads -o run/out.png
    faults "JPEG to JPEG $on" "$sat" in.jpg --box 5 --threads $threads -o run/out.jpg
    faults "table of a PNG $on" "$sat" in.png --threads $threads -o run/out.npy
    faults "questions to a table $on" "$sat" query table.npy --rects rects.csv --threads $threads
done
for format in $formats; do
    [ "$format" != raw ] || continue # nothing in such a file says what it is
    for from in in.ppm in.pfm; do
        "$sat" "$from" --box 1 --format "$format" -o "in.$format" 2>/dev/null && break
    done
    faults "$from to $format" "$sat" "$from" --box 9x3 --format "$format" -o run/out
    faults "$format to a table" "$sat" "in.$format" -o run/out.npy
done
for format in png jpg; do # each carries EXIF, XMP and text
    faults "what a $format says beside its pixels" "$sat" "$codecs/meta.$format" --box 1 -o "run/out.$format"
done
faults "BMP in runs" "$sat" "$codecs/rle8.bmp" --box 1 -o run/out.bmp
faults "questions to a picture" "$sat" query in.png --rect 1,2,3,4 --rect 5,6,7,8 -o run/out.csv
faults "a file of questions to a picture" "$sat" query in.png --rects rects.csv --stat mean,std -o run/out.csv
faults "bands of rows" "$sat" big.ppm --box 5 --threads 1 -o run/out.ppm
faults "rectangles by rows" "$sat" query big.ppm --rects rects.csv --stat mean,std -o run/out.csv
faults "cells by rows, with a mask" "$sat" query big.ppm --grid 400 --mask big.pgm --stat mean -o run/out.tif
for from in npy tif; do
    faults "six bands of a $from in bands of rows" "$sat" six.$from --box 5 --passes 2 --min-valid 3 --threads 1 \
        --tiff-compression none -o run/out.tif
done
faults "bands of rows from the bottom" "$sat" big.bmp --box 5 --threads 1 -o run/out.bmp
for part in strip tile; do
    for how in none deflate; do
        on="a TIFF by rows, $part-$how"
        command=("$sat" "$part-$how.tif" --box 5 --threads 2 --tiff-compression "$how" -o run/out.tif)
        faults "$on" "${command[@]}"
        try "$on: a file that shrinks" shrinks
        try "$on: disk full at $SPACES sizes" disk_full
        cp $part-$how.tif cut.tif
        define "$on: cut.tif" "${command[@]/$part-$how.tif/cut.tif}" && try "$on: a file that ends early" truncated $part-$how.tif
    done
done
faults "cells of a picture with a mask" "$sat" query in.png --grid 4 --mask in2.png --stat mean -o run/out.tif
faults "answers in a .npy" "$sat" query table.npy --rects rects.csv -o run/out.npy
lines_max=3
faults "answers of two pictures" "$sat" in.png in2.png --rects rects.csv --clip -o run/out.csv
lines_max=1
faults "info" "$sat" info table.npy
piped=in.png
faults "PNG from a pipe" "$sat" - --box 5 -o run/out.png
piped=rects.csv
faults "rectangles from a pipe" "$sat" query table.npy --rects - -o run/out.csv
piped=
export FAULT_NAMED=1
faults "PNG to PNG with a temporary name" "$sat" in.png --box 5 -o run/out.png
unset FAULT_NAMED
lines_max=3
faults "two pictures at once" "$sat" in.png in2.png --box 5 -o 'run/{stem}.png'
faults "a Gaussian of the luma's light" "$sat" in.png --gray --linear --gauss 5 -o run/out.png
faults "two statistics of windows" "$sat" in.png --box 5 --mask in2.png --stat mean,std -o 'run/{stat}.pfm'
faults "a threshold in bits" "$sat" in.png --gray --box 5 --threshold mean -o run/out.pbm
lines_max=1

if define "killed" "$sat" in.png --box 5 -o run/out.png; then
    if unnamed_files; then
        try "killed at any call" killed
        try "killed before the rename" killed_before_rename
    else
        skip "killed at any call" "no unnamed files here"
    fi
fi
if define "new file" "$sat" in.png --box 5 -o run/out.png; then
    try "new file only, without renameat2" no_clobber_without_renameat2
fi
if define "picture to standard output" "$sat" in.png --box 5 --format png -o -; then
    try "picture to a full device" full_device
fi
if define "answers to standard output" "$sat" query table.npy --rects rects.csv; then
    try "answers to a full device" full_device
fi
if define "large file" "$sat" in.png --box 5 -o run/out.ppm; then
    try "file size limit" size_limit
fi
for format in png jpg ppm npy; do
    filter=$([ $format = npy ] || echo "--box 15")
    # shellcheck disable=SC2086 # an option with its value, or nothing
    define "big.$format" "$sat" big.png $filter -o run/out.$format || continue
    try "big.$format: disk full at $SPACES sizes" disk_full
    try "big.$format: $INTERRUPTS interruptions" interrupt
done
if define "two big pictures" "$sat" big.png big2.png --box 15 -o 'run/{stem}.png'; then
    try "two big pictures: $INTERRUPTS interruptions" interrupt
fi
finish
