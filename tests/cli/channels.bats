# --gray and --channel: one channel of an image, or its luma, in place of all.

load helpers

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    # two pixels: 200, 100, 50, alpha 10 and 1, 2, 3, alpha 255; luma 124.2 and 1.815
    { printf 'P7\nWIDTH 2\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n' && printf '\310\144\062\012\001\002\003\377'; } >rgba.pam
    { printf 'P6 2 1 255\n' && printf '\310\144\062\001\002\003'; } >rgb.ppm
    { printf 'P7\nWIDTH 1\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n' && printf '\007\011'; } >ga.pam
    printf 'P5 1 1 255\n\007' >g.pgm
}

# bytes FILE N - the last N bytes, as numbers.
bytes() { tail -c "$2" "$1" | od -An -tu1 | xargs; }

@test "--gray: the luma of colours, rounded; alpha stays" {
    in=$BATS_FILE_TMPDIR
    ok "$in/rgb.ppm" --gray --box 1 -o out.pgm
    [ "$(head -c 2 out.pgm)" = P5 ]
    [ "$(bytes out.pgm 2)" = "124 2" ]
    ok "$in/rgba.pam" --gray --box 1 -o out.pam
    grep -aq '^DEPTH 2' out.pam
    [ "$(bytes out.pam 4)" = "124 10 2 255" ]
    ok "$in/ga.pam" --gray --box 1 -o out.pam
    [ "$(bytes out.pam 2)" = "7 9" ]
    ok "$in/g.pgm" --gray --box 1 -o out.pgm
    [ "$(bytes out.pgm 1)" = 7 ]
}

@test "--channel: by number and by letter" {
    in=$BATS_FILE_TMPDIR
    for pair in 1:200,1 2:100,2 3:50,3 4:10,255 r:200,1 g:100,2 b:50,3 a:10,255; do
        ok "$in/rgba.pam" --channel "${pair%:*}" --box 1 -o out.pgm
        [ "$(bytes out.pgm 2)" = "$(tr , ' ' <<<"${pair#*:}")" ]
    done
    for name in 2 a; do
        ok "$in/ga.pam" --channel $name --box 1 -o out.pgm
        [ "$(bytes out.pgm 1)" = 9 ]
    done
    ok "$in/g.pgm" --channel 1 --box 1 -o out.pgm
    [ "$(bytes out.pgm 1)" = 7 ]
}

@test "--gray, --channel: tables, means and queries of images, too" {
    in=$BATS_FILE_TMPDIR
    ok "$in/rgb.ppm" --mean 0,0,2,1 --gray
    [ "${lines[1]}" = "0,0,2,1,63" ]
    ok query "$in/rgba.pam" --rect 0,0,2,1 --stat sum --channel a
    [ "${lines[1]}" = "0,0,2,1,265" ]
    ok "$in/rgb.ppm" --gray -o t.npy
    ok query t.npy --rect 0,0,2,1 --stat sum
    [ "${lines[1]}" = "0,0,2,1,126" ]
    failure "t.npy: --gray is for images, and this is a table" query t.npy --gray --rect 0,0,1,1
    failure "t.npy: --channel is for images, and this is a table" query t.npy --channel 1 --rect 0,0,1,1
}

@test "--gray, --channel: with every filter" {
    in=$BATS_FILE_TMPDIR
    ok "$in/rgb.ppm" --gray --box 1 -o gray.pgm
    for filter in "--box 3" "--gauss 1" "--unsharp 1,0.1 -q"; do
        # shellcheck disable=SC2086 # words
        ok "$in/rgb.ppm" --gray $filter -o one.pgm
        # shellcheck disable=SC2086
        ok gray.pgm $filter -o two.pgm
        cmp one.pgm two.pgm
    done
}

@test "--gray, --channel: what there is not" {
    in=$BATS_FILE_TMPDIR
    failure "*rgb.ppm: there is no channel 4: the image has 3 channels" "$in/rgb.ppm" --channel 4 --box 1 -o out.pgm
    failure "*rgb.ppm: there is no channel a: the image has 3 channels" "$in/rgb.ppm" --channel a --mean 0,0,1,1
    failure "*ga.pam: there is no channel r: the image has 2 channels, the last of which is alpha" query "$in/ga.pam" --channel r --rect 0,0,1,1
    failure "*g.pgm: there is no channel a: the image has 1 channel" "$in/g.pgm" --channel a -o out.npy
    [ ! -e out.pgm ] && [ ! -e out.npy ]
    failure "*rgb.ppm: there is no channel 5: the image has 3 channels" "$in/rgb.ppm" --channel 5 --box 1 -o out.pgm
    for name in 0 65536 x rg 1r ''; do
        usage "--channel '$name': a number from 1 to 65535, or r, g, b or a" "$in/g.pgm" --channel "$name" --box 1 -o out.pgm
    done
    usage "--gray and --channel: one or the other" "$in/g.pgm" --channel 1 --gray --box 1 -o out.pgm
}


# tiff FILE PHOTOMETRIC BANDS - two pixels of bytes: 1, 2, 3 and so on, and 101, 102, 103; nothing is said of extra bands.
tiff() {
    "${PYTHON:-python3}" - "$@" <<'MAKE'
import struct, sys
photometric, bands = map(int, sys.argv[2:])
extra = bands - (3 if photometric == 2 else 1)
fields = [(256, [2]), (257, [1]), (258, [8] * bands), (259, [1]), (262, [photometric]), (273, [8]), (277, [bands]),
          (278, [1]), (279, [2 * bands]), (338, [0] * extra)]
begin = 8 + 2 * bands
end = begin + 2 + 12 * len(fields) + 4
directory, values = struct.pack("<H", len(fields)), b""
for tag, numbers in fields:
    data = struct.pack(f"<{len(numbers)}H", *numbers)
    if len(data) > 4:
        values, data = values + data, struct.pack("<I", end + len(values))
    directory += struct.pack("<HHI", tag, 3, len(numbers)) + data.ljust(4, b"\0")
pixels = bytes(range(1, bands + 1)) + bytes(range(101, bands + 101))
open(sys.argv[1], "wb").write(struct.pack("<2sHI", b"II", 42, begin) + pixels + directory + bytes(4) + values)
MAKE
}

@test "--channel: every band of a TIFF; without it all, or a line says which are left out of a picture" {
    tiff four.tif 2 4
    tiff two.tif 1 2
    tiff eight.tif 2 8
    tiff many.tif 1 100
    said="band 4 of 4 is left out; --channel 4 reads it"
    noted "four.tif: $said" four.tif --box 1 -o out.ppm
    [ "$(bytes out.ppm 6)" = "1 2 3 101 102 103" ]
    noted "four.tif: $said" four.tif --gray --box 1 -o out.pgm
    ok four.tif -o out.npy
    ok four.tif --mean 0,0,2,1
    [ "${lines[1]}" = "0,0,2,1,51,52,53,54" ]
    ok info four.tif
    [[ $output == *$'\n  channels    4 (bands)\n'* ]]
    noted "two.tif: band 2 of 2 is left out; --channel 2 reads it" two.tif --box 1 -o out.pgm
    [ "$(bytes out.pgm 2)" = "1 101" ]
    failure "no.ppm: pnm holds no image of 8 bands; --channel N takes one of them; use .tif or .npy" eight.tif --box 1 -o no.ppm
    failure "no.pgm: pnm holds no image of 100 bands; --channel N takes one of them; use .tif or .npy" many.tif --box 1 -o no.pgm
    for pair in four:1 four:4 two:2 eight:3 eight:7 eight:8 many:100; do
        n=${pair#*:}
        ok "${pair%:*}.tif" --channel "$n" --box 1 -o out.pgm
        [ "$(bytes out.pgm 2)" = "$n $((n + 100))" ]
    done
    ok eight.tif --channel g --box 1 -o out.pgm
    [ "$(bytes out.pgm 2)" = "2 102" ]
    ok query eight.tif --channel 7 --rect 0,0,2,1 --stat sum
    [ "${lines[1]}" = "0,0,2,1,114" ]
    failure "four.tif: there is no channel 5: the TIFF has 4 bands" four.tif --channel 5 --box 1 -o no.pgm
    failure "eight.tif: there is no channel 9: the TIFF has 8 bands" query eight.tif --channel 9 --rect 0,0,1,1
    failure "four.tif: there is no channel a: the TIFF has 4 bands; --channel N takes one of them" four.tif --channel a --box 1 -o no.pgm
    for name in r g b a; do
        failure "many.tif: there is no channel $name: the TIFF has 100 bands; --channel N takes one of them" many.tif --channel $name --box 1 -o no.pgm
    done
    tiff rgb.tif 2 3
    failure "rgb.tif: there is no channel a: the image has 3 channels" rgb.tif --channel a --box 1 -o no.pgm
    [ ! -e no.pgm ]
}
