#!/bin/bash
# run.sh - the library and the command on six threads under ThreadSanitizer, in what `make tsan` built.  Prints TAP.
# A race ends the program with status 66 and its report.
# shellcheck disable=SC2317 # the functions are called by try
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

: "${B:=build/tsan}"
sat=$(realpath "$B/sat") root=$PWD
export TSAN_OPTIONS="halt_on_error=1 exitcode=66 ${TSAN_OPTIONS:-}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# ThreadSanitizer of some compilers cannot place its shadow where the kernel randomizes more bits of addresses.
fixed() { setarch "$(uname -m)" -R "$@"; }
under=()
if ! "$sat" --version >"$work/log" 2>&1; then
    if ! fixed "$sat" --version >>"$work/log" 2>&1; then
        echo "1..0 # SKIP ThreadSanitizer does not run here: $(head -n 1 "$work/log")"
        exit 0
    fi
    under=(fixed)
fi
sat() { "${under[@]}" "$sat" "$@"; }

try "the library from six threads" "${under[@]}" "$B/tsan/stress"
for unit in pool query png; do
    [ $unit = pool ] && export TSAN_OPTIONS="$TSAN_OPTIONS die_after_fork=0"
    try "unit $unit" "${under[@]}" "$B/tests/test_$unit"
done

# Pictures that are large enough for all threads, of bytes that do not repeat.
cd "$work" || exit 1
pixels() { cat "$root"/data/* "$root"/data/* "$root"/data/* "$root"/data/* "$root"/data/* | head -c "$1"; }
for i in 1 2 3 4 5 6 7 8; do
    { printf 'P6\n700 600\n255\n'; pixels $((i * 10000 + 700 * 600 * 3)) | tail -c $((700 * 600 * 3)); } >$i.ppm
done
mkdir png one six

# as_one_thread ARGUMENT... - sat on six threads prints and writes what it does on one.
as_one_thread() {
    local one=("${@//THREADS/1}") six=("${@//THREADS/6}")
    rm -f one/* six/*
    sat "${one[@]//DIR/one}" >one/out && sat "${six[@]//DIR/six}" >six/out && diff -r one six
}
for i in 1 2 3 4 5 6 7 8; do sat $i.ppm --box 1 --threads 6 -o png/$i.png; done
try "a picture is filtered, PNG to PNG" as_one_thread png/1.png --box 15 --threads THREADS -o DIR/x.png
try "a picture becomes a table" as_one_thread png/2.png --threads THREADS -o DIR/x.npy
try "a picture is filtered three times" as_one_thread png/3.png --box 9 --passes 3 --threads THREADS -o DIR/x.pam
try "a batch of pictures, two for each thread" as_one_thread png/*.png --box 15 --threads THREADS -o 'DIR/{stem}.png'
try "a batch of pictures, two threads for each" as_one_thread png/1.png png/2.png png/3.png --box 15 --threads THREADS \
    -o 'DIR/{stem}.png'
try "a batch of tables" as_one_thread png/*.png --threads THREADS -o 'DIR/{stem}.npy'
sat png/1.png -o t.npy
{ echo x,y,w,h; for ((i = 0; i < 20000; i++)); do echo "$((i % 500)),$((i % 400)),$((i % 97 + 1)),$((i % 83 + 1))"; done; } >r.csv
try "queries of a table" as_one_thread query t.npy --rects r.csv --threads THREADS
try "queries of pictures" as_one_thread png/1.png png/2.png --mean 0,0,64,64 --mean 5,6,600,500 --json --threads THREADS
try "the bench of tables" sat bench --size 300 --repeat 1 --threads 6
try "the bench of filters" sat bench --size 300 --box 9 --repeat 1 --threads 6
try "the bench of queries" sat bench queries --size 300 --rects 100000 --repeat 1 --threads 6 --backend host
finish
