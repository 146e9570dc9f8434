#!/bin/bash
# A backend, a scan method, a border mode, a statistic of windows, a file format and a command are each one new file and one new line: copies
# the tree, adds one of each (toys/), builds, and looks for them where users would.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
: "${B:=build}" "${SAT:=$PWD/$B/sat}"

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir "$tree/repo"
cp -r Makefile src "$tree/repo/"
[ ! -d kernels ] || cp -r kernels "$tree/repo/"

add() { # TOY FILE TABLE LINE
    cp "tests/check/toys/$1.c" "$tree/repo/src/$2"
    echo "$4" >>"$tree/repo/src/$3"
}
add backend cpu/toy.c lib/backends.def 'SAT_BACKEND(toy)'
add scan cpu/toy_scan.c lib/scans.def 'SAT_SCAN(toy_scan)'
add border lib/border_toy.c lib/borders.def 'SAT_BORDER(toy)'
cp tests/check/toys/statistic.def "$tree/repo/src/lib/statistics/toy.def"
echo '#include "statistics/toy.def"' >>"$tree/repo/src/lib/statistics.def"
add format io/format_toy.c io/formats.def 'FORMAT(toy)'
add command cli/cmd_toy.c cli/commands.def 'COMMAND(toy)'

build() { make -s -C "$tree/repo" CUDA=0 CFLAGS=-O1 B=out out/sat; }
toy=$tree/repo/out/sat
photo=data/camera.png

says() { # TEXT COMMAND... - the command succeeds and prints the text
    local text=$1 out
    shift
    out=$("$@") && grep -qF -- "$text" <<<"$out" || { echo "$out"; return 1; }
}
same_files() { cmp "$tree/$1" "$tree/$2"; }
same_table() { # TYPE LAYOUT
    "$SAT" "$photo" -o "$tree/a.npy" --type "$1" --layout "$2" &&
        "$toy" "$photo" --backend toy -o "$tree/b.npy" --type "$1" --layout "$2" && same_files a.npy b.npy
}
same_blur() {
    "$SAT" "$photo" --box 7x4 -o "$tree/a.pgm" && "$toy" "$photo" --backend toy --box 7x4 -o "$tree/b.pgm" &&
        same_files a.pgm b.pgm
}
scan_row() { "$toy" bench scan --backend toy-scan --max 12 --repeat 1 --csv | grep '^scan,toy-scan,4096,'; }
border() { # the window reaches 2 left, 2 right: of 0 10 20 30, (0+0+0+10+20)/5 and so on
    printf 'P2\n4 1\n255\n0 10 20 30\n' | "$toy" - --box 5x1 --border toy -o "$tree/row.pgm" &&
        [ "$(tail -c4 "$tree/row.pgm" | od -An -tu1 | tr -s ' ')" = " 6 12 12 12" ]
}
statistic() { # mean + 2 * k of 0 10 20 30 in windows of one pixel
    printf 'P2\n4 1\n255\n0 10 20 30\n' | "$toy" - --box 1 --stat toy:k=4 --result same -o "$tree/row.pgm" &&
        [ "$(tail -c4 "$tree/row.pgm" | od -An -tu1 | tr -s ' ')" = " 8 18 28 38" ]
}
format() {
    printf 'TOY\003\002abcdef' >"$tree/in.toy"
    "$toy" "$tree/in.toy" --box 1 -o "$tree/out.toy" && same_files in.toy out.toy
}
refused() { # a format cannot hold what it cannot hold
    ! "$toy" data/coffee.png --box 1 -o "$tree/rgb.toy" 2>"$tree/said" && grep -q 'TOY holds 8-bit grey' "$tree/said" &&
        [ ! -e "$tree/rgb.toy" ]
}

try "the tree builds with six toys" build
try "sat backends lists the backend" says "a backend for the tests" "$toy" backends
for layout in padded inclusive; do
    for type in u32 i64; do
        try "--backend toy gives the same $layout $type table" same_table $type $layout
    done
done
try "--backend toy gives the same blurred picture" same_blur
try "sat bench scan checks the scan method" says ,ok scan_row
try "--help lists the border" says toy "$toy" --help
try "--border toy follows its rule" border
try "--help lists the statistic" says "toy:k=" "$toy" --help
try "--stat toy follows its formula" statistic
try "--version lists the format" says toy "$toy" --version
try "the format is read and written" format
try "the format's limits are in the error" refused
try "--help lists the command" says "counts its words" "$toy" --help
try "the command runs" says "toy with 2 words" "$toy" toy one two
finish
