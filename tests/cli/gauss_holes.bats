# Gaussian filters of pictures in which some pixels do not count; tests/check/test_gauss_valid.py has their values.

load helpers

pgm() { printf 'P2\n%d 1\n255\n' "$(wc -w <<<"$2")" >"$1" && echo "$2" >>"$1"; }
values() {
    "${PYTHON:-python3}" -c 'import sys; import numpy as np; print(*np.load(sys.argv[1]).ravel().round(5).tolist())' "$1"
}
# tiff NAME VALUE SAMPLE... - one row of f32 with that value for no data.
tiff() {
    "${PYTHON:-python3}" -c '
import struct, sys
name, text, *values = sys.argv[1:]
text, n = text.encode().ljust(15, b"\0") + b"\0", len(values)
data = struct.pack(f"<{n}f", *map(float, values))
tags = [(256, 3, 1, n), (257, 3, 1, 1), (258, 3, 1, 32), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, 1, 8),
        (277, 3, 1, 1), (278, 3, 1, 1), (279, 4, 1, 4 * n), (339, 3, 1, 3), (42113, 2, 16, 8 + 4 * n)]
ifd = struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", *t) for t in tags) + bytes(4)
open(name, "wb").write(struct.pack("<2sHI", b"II", 42, 24 + 4 * n) + data + text + ifd)' "$@"
}

@test "gauss: holes are filled as far as it reaches, kept, or left empty" {
    pgm a.pgm "0 0 9 0 0 0"
    noted "a.pgm: 1 of 6 results are 0, as no pixels near them count" a.pgm --gauss 0.5 --nodata 0 -o o.pgm
    [ "$(pixels o.pgm 6)" = "9 9 9 9 9 0" ]
    noted "a.pgm: 5 of 6 results are 0, as their pixels do not count, or too little around them" \
        a.pgm --gauss 0.5 --nodata 0 --keep-holes -o o.pgm
    [ "$(pixels o.pgm 6)" = "0 0 9 0 0 0" ]
    noted "a.pgm: 5 of 6 results are 0, as too little of the Gaussian's weight lies on pixels that count" \
        a.pgm --gauss 0.5 --nodata 0 --min-valid 50% --border replicate -o o.pgm
    [ "$(pixels o.pgm 6)" = "0 0 9 0 0 0" ]
    pgm m.pgm "0 0 1 0 0 0"
    pgm b.pgm "1 2 9 4 5 6"
    noted "b.pgm: 1 of 6 results are 0, as no pixels near them count; floats are NaN there (--result)" \
        b.pgm --gauss 0.5 --mask m.pgm -o o.pgm
    [ "$(pixels o.pgm 6)" = "9 9 9 9 9 0" ]
    for how in "--gauss 0.5" "--box 1.5"; do
        # shellcheck disable=SC2086
        noted "b.pgm: 5 of 6 results are 0, as their pixels do not count, or too little around them; *" \
            b.pgm $how --mask m.pgm --keep-holes -o o.pgm
        [ "$(pixels o.pgm 6)" = "0 0 9 0 0 0" ]
        # shellcheck disable=SC2086
        ok b.pgm $how --mask m.pgm --keep-holes --result f32 -o o.npy
        [ "$(values o.npy)" = "nan nan 9.0 nan nan nan" ]
        # shellcheck disable=SC2086
        ok -q b.pgm $how --mask m.pgm --nodata 5 --keep-holes -o o.pgm
        [ "$(pixels o.pgm 6)" = "5 5 9 5 5 5" ]
    done
    ok b.pgm --gauss 0.5 --mask m.pgm --result f32 -o o.npy
    [ "$(values o.npy)" = "9.0 9.0 9.0 9.0 9.0 nan" ]
    ok a.pgm --gauss 0.5 --nodata none -o plain.pgm
    ok a.pgm --gauss 0.5 -o o.pgm
    cmp o.pgm plain.pgm
}

@test "gauss: masks and differences leave holes" {
    pgm a.pgm "8 8 0 8 8 8"
    noted "a.pgm: 1 of 6 results are 0, as their pixels do not count, or too little around them" \
        a.pgm --unsharp 1,1 --nodata 0 -o o.pgm
    [ "$(pixels o.pgm 6)" = "8 8 0 8 8 8" ]
    ok a.pgm --dog 1,2 --nodata 8 -o o.npy # beside a value of 0 in each window; what counts is one sample
    [ "$(values o.npy)" = "8.0 8.0 0.0 8.0 8.0 8.0" ]
    pgm m.pgm "1 1 0 1 1 1"
    ok a.pgm --dog 1,2 --mask m.pgm -o o.npy
    [ "$(values o.npy)" = "0.0 0.0 nan 0.0 0.0 0.0" ]
    ok -q a.pgm --unsharp 1,1 --mask m.pgm --keep-holes -o o.pgm
    [ "$(pixels o.pgm 6)" = "8 8 0 8 8 8" ]
}

@test "gauss: a file's own value is read without being asked for, and stays where it holds" {
    tiff a.tif -9999 1 1 -9999 1 1
    ok a.tif --gauss 1 -o o.tif
    ok o.tif --box 1 --nodata none -o o.npy
    [ "$(values o.npy)" = "1.0 1.0 1.0 1.0 1.0" ]
    grep -aq -e -9999 o.tif
    ok a.tif --gauss 1 --keep-holes -o o.tif
    ok o.tif --box 1 --nodata none -o o.npy
    [ "$(values o.npy)" = "1.0 1.0 -9999.0 1.0 1.0" ]
    ok a.tif --unsharp 1,3 -o o.tif
    ok o.tif --box 1 --nodata none -o o.npy
    [ "$(values o.npy)" = "1.0 1.0 -9999.0 1.0 1.0" ]
    ok a.tif --gauss 1 --nodata none -o o.tif
    [ "$(grep -ac -e -9999 o.tif)" = 0 ]
    ok o.tif --box 1 -o o.npy
    [ "$(values o.npy | cut -c1-2)" != "1." ]
    tiff n.tif nan 1 nan 3
    ok n.tif --gauss 0.1 --result f64 -o o.tif
    grep -aq nan o.tif
    ok o.tif --box 1 --nodata none -o o.npy
    [ "$(values o.npy)" = "1.0 nan 3.0" ]
}

@test "gauss: results that count are never the value" {
    pgm a.pgm "1 3 1 3 1 3 1 3"
    "$sat" a.pgm --gauss 3 --nodata 2 -v -o o.pgm 2>log
    [[ "$(pixels o.pgm 8)" =~ ^[13](\ [13])*$ ]]
    grep -q "a.pgm: 8 results that would have been 2 are beside it" log
    "$sat" a.pgm --linear --gauss 3 --nodata 2 -o o.pgm
    [[ "$(pixels o.pgm 8)" =~ ^[13](\ [13])*$ ]]
    pgm b.pgm "254 255 254"
    ok -q b.pgm --linear --gauss 1 --nodata 254 -o o.pgm
    [ "$(pixels o.pgm 3)" = "255 255 255" ]
}

@test "gauss: what counts in linear light is decided on the samples, and holes keep their value" {
    pgm a.pgm "200 200 77 200 200"
    ok a.pgm --linear --gauss 1 --nodata 77 -o o.pgm
    [ "$(pixels o.pgm 5)" = "200 200 200 200 200" ]
    ok -q a.pgm --linear --gauss 1 --nodata 77 --keep-holes -o o.pgm
    [ "$(pixels o.pgm 5)" = "200 200 77 200 200" ]
    ok -q a.pgm --linear --unsharp 1,2 --nodata 77 -o o.pgm
    [ "$(pixels o.pgm 5)" = "200 200 77 200 200" ]
    noted "a.pgm: 1 of 5 results are 0, as their pixels do not count, or too little around them" \
        a.pgm --gauss 1 --nodata 77 --keep-holes --scale 0:255 -o o.pgm
    [ "$(pixels o.pgm 5)" = "200 200 0 200 200" ]
    pgm m.pgm "0 0 1 0 0"
    ok -q a.pgm --linear --gauss 1 --mask m.pgm --keep-holes -o o.pgm
    [ "$(pixels o.pgm 5)" = "0 0 77 0 0" ]
    pgm m.pgm "1 0 0 0 1"
    noted "a.pgm: 3 of 5 results are 0, as no pixels near them count" a.pgm --linear --gauss 0.1 --mask m.pgm -o o.pgm
    [ "$(pixels o.pgm 5)" = "200 0 0 0 200" ]
    ok -q a.pgm --linear --box 3 --nodata 77 -o o.pgm
    [ "$(pixels o.pgm 5)" = "200 200 200 200 200" ]
}

@test "gauss: alpha still weights, and is no data itself" {
    printf 'P7\nWIDTH 4\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n\12\377\12\0\144\377\12\377' >a.pam
    ok a.pam --gauss 5 --nodata 100 --border replicate -o o.pam
    [ "$(pixels o.pam 8 | tr ' ' '\n' | sed -n '1~2p' | sort -u)" = 10 ]
    ok a.pam --gauss 5 --nodata 255 -o o.pam # no colour is that
    ok a.pam --gauss 5 -o plain.pam
    cmp o.pam plain.pam
    ok -q a.pam --linear --box 3x1 --nodata 100 -o o.pam
    [ "$(pixels o.pam 4)" = "10 10 10 10" ] # boxes leave alpha out
    ok -q a.pam --box 3x1 --nodata 100 -o o.npy
    [ "$(values o.npy)" = "10 10 10 10" ]
}

@test "gauss: where floats of 32 bits cannot be an f64's value, holes are NaN" {
    "${PYTHON:-python3}" -c 'import numpy as np; np.save("a.npy", np.array([[1, 1, np.finfo("f8").min, 1, 1]]))'
    for how in "--gauss 0.5 --keep-holes" "--gauss 0.5 --min-valid 90%" "--unsharp 0.5,1" "--dog 0.5,1"; do
        # shellcheck disable=SC2086
        ok a.npy --nodata=-1.7976931348623157e308 --border replicate --result f32 $how -o o.npy
        [[ "$(values o.npy)" == *" nan "* && "$(values o.npy)" != *inf* ]]
    done
}

@test "floats of 16 bits name the value that their samples are, and infinities are values" {
    tiff a.tif -32768 1 1 -32768 1 1
    for how in "--gauss 0.5" "--box 3"; do
        # shellcheck disable=SC2086
        ok a.tif $how --keep-holes --result f16 -o o.tif
        [[ "$("$sat" info o.tif)" == *"no data     -32768"* ]]
    done
    tiff b.tif -9999 -10001 1 -9999
    "$sat" b.tif --box 1 --nodata=-9999 --result f16 -v -o o.tif 2>log # both are -10000 as f16
    grep -q "b.tif: 1 results that would have been -10000 are beside it" log
    [[ "$("$sat" info o.tif)" == *"no data     -10000"* ]]
    "${PYTHON:-python3}" -c 'import numpy as np; np.save("b.npy", np.array([[1, np.finfo("f8").min, -1e5]]))'
    for how in "--box 1" "--box 1 --passes 2" "--box 1 --stat mean" "--box 1.001" "--gauss 0.1" "--unsharp 0.1,1" "--dog 0.1,9"; do
        # shellcheck disable=SC2086
        ok b.npy --nodata=-1.7976931348623157e308 $how --keep-holes --result f16 -o o.tif
        [[ "$("$sat" info o.tif)" == *"no data     nan"* ]]
        # shellcheck disable=SC2086
        ok b.npy --nodata=-1.7976931348623157e308 $how --keep-holes --result f16 -o o.npy
        got=$("${PYTHON:-python3}" -c 'import numpy as np; print(*np.load("o.npy").ravel())')
        [[ "$how" == *dog* || "$got" == "1.0 nan -inf" ]] # too large for f16, and a result
    done
    "${PYTHON:-python3}" -c 'import numpy as np; np.save("b.npy", np.array([[1, -np.inf, 1]], "f4"))'
    ok b.npy --box 3x1 --nodata=-inf -o o.npy
    [ "$(values o.npy)" = "1.0 1.0 1.0" ]
    ok b.npy --box 3x1 --nodata=NAN -o o.npy
    [ "$(values o.npy)" = "-inf -inf -inf" ]
    grey 4 4 c.pgm
    failure "c.pgm: --nodata inf: no u8 sample can be that" c.pgm --box 3 --nodata inf -o o.npy
}

@test "gauss: masks of ones and values that no sample has change no byte" {
    grey 90 70 a.pgm
    colour 90 70 c.ppm
    { printf 'P5 90 70 255\n' && head -c 6300 /dev/zero | tr '\0' '\1'; } >ones.pgm
    ok a.pgm --box 1 --result f32 -o a.pfm
    for how in "--gauss 2" "--gauss 6.5 --border wrap" "--unsharp 5,0.7" "--dog 1,2" "--linear --gauss 3"; do
        for file in a.pgm c.ppm a.pfm; do
            [[ $how != *linear* || $file != *.pfm ]] || continue
            # shellcheck disable=SC2086
            ok $file $how -q -o plain.npy && ok $file $how -q --mask ones.pgm -o masked.npy &&
                { [[ $file != *.pfm ]] || ok $file $how -q --nodata 1.5 -o valued.npy; }
            cmp plain.npy masked.npy
            [[ $file != *.pfm ]] || cmp plain.npy valued.npy
        done
    done
}

@test "gauss: what does not go with shares and holes" {
    grey 8 8 a.pgm
    usage "--min-valid 3: of --gauss it is a share of the weight, 0.5 or 50%" a.pgm --gauss 2 --min-valid 3 -o o.pgm
    usage "--min-valid 1: of --dog it is a share of the weight, 0.5 or 50%" a.pgm --dog 1,2 --min-valid 1 -o o.tif
    usage "--threshold does not go with --gauss: *" a.pgm --gauss 2 --threshold mean -o o.pgm
    usage "--keep-holes is for windows: --box N" a.pgm --keep-holes -o o.npy
    failure "a.pgm: --nodata 300: no u8 sample can be that" a.pgm --gauss 2 --nodata 300 -o o.pgm
    grey 7 8 m.pgm
    failure "a.pgm: --mask m.pgm: 7x8 px, where the image has 8x8" a.pgm --gauss 2 --mask m.pgm -o o.pgm
    [ ! -e o.pgm ] && [ ! -e o.tif ] && [ ! -e o.npy ]
}
