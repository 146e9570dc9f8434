#!/bin/bash
# A backend, a scan method, an operation, a border mode, a statistic of windows, one of rectangles, a file format and a
# command are each one new file and one new line; an operation has a public header too, and is fuzzed as it is; an
# option is one line and its case.  Copies the tree, adds one of each (toys/), builds, and looks for them where users would.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
: "${B:=build}" "${SAT:=$PWD/$B/sat}"

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir "$tree/repo"
cp -r Makefile src packaging "$tree/repo/"
[ ! -d kernels ] || cp -r kernels "$tree/repo/"
mkdir "$tree/repo/tests"
cp -r tests/fuzz "$tree/repo/tests/"
chmod -R u+w "$tree"

add() { # TOY FILE TABLE LINE
    cp "tests/check/toys/$1.c" "$tree/repo/src/$2"
    echo "$4" >>"$tree/repo/src/$3"
}
add backend cpu/toy.c lib/backends.def 'SAT_BACKEND(toy)'
add scan lab/lib/toy_scan.c lab/lib/scans.def 'SAT_SCAN(toy_scan)'
cp tests/check/toys/sat_toy.h "$tree/repo/src/lib/"
add operation lib/toy.c lib/operations.def 'SAT_OPERATION(toy)'
row='{OPT_SOFTEN, 0, 2, NUMBER_SIGN, takes_reach, "R,G, whole pixels and a gain", false, false, "", open_toy},'
sed -i -e '/^\/\* ---- all of them/e cat tests/check/toys/operation_command.c' -e "s/^static const filter_kind kinds.*/&\n$row/" \
    "$tree/repo/src/cli/filter_kinds.c"
add border lib/border_toy.c lib/borders.def 'SAT_BORDER(toy)'
cp tests/check/toys/statistic.def "$tree/repo/src/lib/statistics/toy.def"
echo '#include "statistics/toy.def"' >>"$tree/repo/src/lib/statistics.def"
cp tests/check/toys/rect_statistic.def "$tree/repo/src/lib/statistics/toy_spread.def"
echo '#include "statistics/toy_spread.def"' >>"$tree/repo/src/lib/rect_statistics.def"
add format io/format_toy.c io/formats.def 'FORMAT(toy)'
add command cli/cmd_toy.c cli/commands.def 'COMMAND(toy)'

soften='OPTION(OPT_SOFTEN, "--soften", 0, "R,G", "", FILTER, FILTERS | GAUSSIANS, "means of 2R+1 px, times G")'
option='OPTION(OPT_TOY, "--toy", 0, "WORD", "red blue", FILTER | QUERY, OF_ANSWERS, "a word for the tests")'
rule='EXCLUDES(OPT_TOY, OPT_CLIP, "%s does not go with %s, says the toy")'
sed -i "/^#undef OPTION/i $soften\n$option\n$rule" "$tree/repo/src/cli/options.def"
sed -i 's/^    case OPT_CLIP: .*/&\n    case OPT_TOY: say(optarg, "the toy"); break;/' "$tree"/repo/src/cli/*.c

build() { make -s -C "$tree/repo" CUDA=0 CFLAGS=-O0 B=out "$@"; }
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
# rectangles OPTION... - variance over mean of the first row, 0 10 20 30, and of all: 125 / 15, 0 and 1 of another row
rectangles() {
    printf 'P2\n4 2\n255\n0 10 20 30\n0 0 0 2\n' >"$tree/two.pgm" &&
        "$toy" "$tree/two.pgm" -o "$tree/two.npy" --moments 1,2 &&
        [ "$("$toy" query "$tree/two.$1" --rect 0,0,4,1 --rect 2,1,2,1 --stat toy_spread | tail -2 | cut -d, -f5 | xargs)" = \
            "8.333333333333334 1" ]
}
no_rectangle_of() { "$toy" query data/camera.png --rect 0,0,1,1 --stat nosuch 2>&1 | grep -q "there are .*,toy_spread[, ]"; }
format() {
    printf 'TOY\003\002abcdef' >"$tree/in.toy"
    "$toy" "$tree/in.toy" --box 1 -o "$tree/out.toy" && same_files in.toy out.toy
}
refused() { # a format cannot hold what it cannot hold
    ! "$toy" data/coffee.png --box 1 -o "$tree/rgb.toy" 2>"$tree/said" && grep -q 'TOY holds 8-bit grey' "$tree/said" &&
        [ ! -e "$tree/rgb.toy" ]
}

# The toy operation is the mean of a window, times a gain.
soften() { "$toy" "$1" --soften "$2" --border "$3" --result f64 -o "$tree/a.npy" "${@:4}" 2>"$tree/said"; } # IN R,G BORDER OPTION...
softens() { # BORDER [MASK]; on a backend that does not know it
    soften "$tree/grey.pgm" 2,1 "$1" --backend serial ${2:+--mask "$2"} &&
        "$SAT" "$tree/grey.pgm" --box 5 --border "$1" --stat mean --result f64 ${2:+--mask "$2"} -o "$tree/b.npy" && same_files a.npy b.npy
}
make_pictures() { # 40x30 pixels, and as many of 0 and 255
    printf 'P5\n40 30\n255\n' | tee "$tree/grey.pgm" "$tree/mask.pgm" >/dev/null &&
        tail -c 1200 data/camera.png >>"$tree/grey.pgm" && tail -c 2400 data/camera.png | head -c 1200 | tr '\000-\177' '\000' >>"$tree/mask.pgm"
}
gains() { # 2.5 times the samples of a row
    printf 'P2\n3 1\n255\n0 10 20\n' >"$tree/three.pgm" && soften "$tree/three.pgm" 0,2.5 wrap &&
        [ "$(tail -c40 "$tree/a.npy" | head -c24 | od -An -tf8 -w24 | xargs)" = "0 25 50" ]
}
some_rows() { # as the whole has them
    soften "$tree/grey.pgm" 2,1 reflect && tail -c +$((129 + 13 * 320)) "$tree/a.npy" >"$tree/b" &&
        soften "$tree/grey.pgm" 2,1 reflect --rows 13:25 && tail -c +129 "$tree/a.npy" | cmp -n 3840 - "$tree/b"
}
no_toy() { # GREP R,G - in the words of the option, and of the library
    ! soften "$tree/grey.pgm" "$2" wrap && grep -q -e "$1" "$tree/said"
}
installs() { # its header as it is, and what that declares in the library
    build DESTDIR="$tree/dest" PREFIX=/usr install && cmp "$tree/repo/src/lib/sat_toy.h" "$tree/dest/usr/include/sat_toy.h" &&
        nm -D "$tree/dest/usr/lib/libsat.so" | grep -q ' T sat_toy_create_sized$'
}
replays() { "$tree/repo/out/fuzz/replay_operation" tests/fuzz/corpus/operation; }
finds_a_fault() { # samples are taken for bytes without gaps
    sed -i 's/sat_sample_at(j->src, u, row, c)/((const char *)sat_sample_at(j->src, 0, row, c) + u * j->src->channels)/' "$tree/repo/src/lib/toy.c" &&
        build out/fuzz/replay_operation && ! replays >"$tree/said" 2>&1 && grep -q "^not ok" "$tree/said"
}

try "the tree builds with nine toys" build out/sat out/fuzz/replay_operation
try "sat backends lists the backend" says "a backend for the tests" "$toy" backends
for layout in padded inclusive; do
    for type in u32 i64; do
        try "--backend toy gives the same $layout $type table" same_table $type $layout
    done
done
try "--backend toy gives the same blurred picture" same_blur
try "the pictures for the operation" make_pictures
for border in shrink reflect101 reflect replicate wrap; do
    try "--soften makes the same means, on a backend that does not know it, border $border" softens $border
done
try "the operation takes a mask" softens reflect "$tree/mask.pgm"
try "the operation's parameter" gains
try "the operation makes some rows" some_rows
try "the option refuses its value in words" no_toy "--soften '0.5,1': R,G, whole pixels and a gain" 0.5,1
try "the operation refuses in words" no_toy "a reach of 101" 101,1
try "the operation's header is installed, and the library exports it" installs
try "the operation is fuzzed" replays
try "a fault of the operation is found" finds_a_fault
try "sat bench scan checks the scan method" says ,ok scan_row
try "--help lists the border" says toy "$toy" --help
try "--border toy follows its rule" border
try "--help lists the statistic" says "toy:k=" "$toy" --help
try "--stat toy follows its formula" statistic
try "sat query --help lists the statistic of rectangles" says toy_spread "$toy" query --help
try "sat query --stat toy_spread follows its formula, from pixels" rectangles pgm
try "sat query --stat toy_spread follows its formula, from a table of two moments" rectangles npy
try "the error names the statistic of rectangles" no_rectangle_of
try "--version lists the format" says toy "$toy" --version
try "the format is read and written" format
try "the format's limits are in the error" refused
try "--help lists the command" says "counts its words" "$toy" --help
try "the command runs" says "toy with 2 words" "$toy" toy one two
answers_two() { "$toy" query data/camera.png --rect 0,0,1,1 --toy "$@" 2>&1; }
try "--help lists the option" says "--toy WORD         a word for the tests" "$toy" --help
try "completions know its values" says "red blue" "$toy" help --options query
try "the option is taken" says "sat: red: the toy" answers_two red
try "it is needed where its set is" says "--toy is for --mean" eval '! "$toy" data/camera.png --toy red -o out.npy 2>&1'
try "its rule holds" says "--toy does not go with --clip, says the toy" eval '! answers_two red --clip'
finish
