# Images whose rows are read, filtered and written a band at a time: the same files as from images that are decoded
# whole, in memory that does not grow with their height.  A PNG is decoded whole.

load helpers

# same ARGS... - a.pgm in bands of rows, on any number of threads, and the same picture from a PNG.
same() {
    ok -q "${pictures:-a}.png" "$@" -o want.pnm
    for threads in 1 2 3; do
        ok -q "${pictures:-a}.pgm" "$@" --threads $threads -o is.pnm
        cmp is.pnm want.pnm
    done
}

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    "${PYTHON:-python3}" -c '
import numpy
r = numpy.random.default_rng(5)
for name, magic, shape in ("a", b"P5", (5000, 1000)), ("c", b"P6", (1200, 2001, 3)):
    with open(name + ".pgm", "wb") as f:
        f.write(magic + b" %d %d 255\n" % (shape[1], shape[0]) + r.integers(0, 256, shape, numpy.uint8).tobytes())
' || skip "no NumPy"
    for name in a c; do "${SAT:-$BATS_TEST_DIRNAME/../../build/sat}" $name.pgm --box 1 -o $name.png; done
}

begin() {
    [ -e "$BATS_FILE_TMPDIR/a.png" ] || skip "no NumPy"
    cp "$BATS_FILE_TMPDIR"/[ac].p* .
}

@test "boxes in bands of rows: every border, even sides, passes, windows higher than a band" {
    begin
    for border in shrink replicate reflect reflect101 wrap constant:7; do
        same --box 31 --border $border
        same --box 6x4 --passes 3 --border $border
    done
    same --box 9x4001
    pictures=c same --box 31
    pictures=c same --box 5 --passes 8
}

@test "Gaussians, windows, thresholds and pixels that do not count, in bands of rows" {
    begin
    for args in "--gauss 2" "--gauss 9 --border reflect" "--gauss 3 --nodata 7" "--gauss 40 --border shrink" "--unsharp 2,0.5" \
        "--box 15 --nodata 3" "--box 4 --nodata 3 --passes 3 --keep-holes" "--box 7 --threshold sauvola" \
        "--box 31 --threshold wolf" "--box 9 --stat std --result same" "--box 9 --stat mean --min-valid 0.5 --nodata 9 --result same"; do
        # shellcheck disable=SC2086 # words
        same $args
    done
    pictures=c same --box 9 --stat std --result same
    for from in png pgm; do ok -q a.$from --box 25 --stat mean,std,sauvola:r=9 --nodata 3 -o "$from.{stat}.npy"; done
    for f in png.*.npy; do cmp "$f" "pgm${f#png}"; done
}

@test "wolf within --max-memory: its two readings take turns" {
    begin
    ok -q a.pgm --box 25 --threshold wolf -o want.pbm
    for i in 1 2 3 4 5 6 7 8; do cp a.pgm t$i.pgm; done
    run timeout 60 "$sat" -q a.pgm --box 25 --threshold wolf --max-memory 24M -o is.pbm
    [ "$status" = 0 ]
    cmp is.pbm want.pbm
    run timeout 60 "$sat" -q t?.pgm --box 25 --threshold wolf --max-memory 40M --threads 1 -o '{stem}.pbm'
    [ "$status" = 0 ]
    for i in 1 2 3 4 5 6 7 8; do cmp t$i.pbm want.pbm; done
}

@test "wolf reads the rows twice: of a file, in bands" {
    begin
    "${PYTHON:-python3}" -c '
import numpy
r = numpy.random.default_rng(11)
f = (r.random((3000, 600)) * 99).astype("f4")
f[100, 100], f[2000, 50:90] = numpy.nan, 7
numpy.save("f.npy", f)
open("f.pfm", "wb").write(b"Pf\n600 3000\n-1\n" + f[::-1].tobytes())
numpy.save("m.npy", (r.random((5000, 1000)) < 0.3).astype("u1"))'
    for args in "--box 25 --stat wolf" "--box 9 --border wrap --stat wolf:k=0.2" "--box 25 --stat wolf --mask m.npy --min-valid 0.2" \
        "--box 5 --stat wolf --ddof 1 --nodata 9 --keep-holes"; do
        # shellcheck disable=SC2086 # words
        ok -q a.png $args -o want.npy
        # shellcheck disable=SC2086 # words
        sat -v a.pgm $args -o is.npy
        [[ $status = 0 && $stderr == *"in bands of "*"in bands of "* ]]
        cmp is.npy want.npy
    done
    for name in f.npy f.pfm; do
        ok -q $name --as image --box 9 --nodata 7 --stat wolf -o "$name.is.npy"
        run bash -c 'cat "$1" | "$2" -v - --as image --box 9 --nodata 7 --stat wolf -o want.npy' bash $name "$sat"
        [[ $status = 0 && $output == *"whole, not by rows: "* ]]
        cmp $name.is.npy want.npy
    done
    ok -q a.pgm --box 25 --stat wolf -o all.npy
    ok -q a.pgm --box 25 --stat wolf --rows 2000:2100 -o part.npy
    cmp <(tail -c 400016 part.npy | head -c 400000) <(tail -c 12000016 all.npy | head -c 400000) # 16 bytes end a file
    run bash -c 'cat a.pgm | "$1" -v - --box 25 --stat wolf -o is.npy' bash "$sat"
    [[ $status = 0 && $output == *"whole, not by rows: a statistic reads it twice, and it is a pipe"* ]]
    run bash -c 'cat m.npy | "$1" -v a.pgm --mask - --box 25 --stat wolf -o is.npy' bash "$sat"
    [[ $status = 0 && $output == *"whole, not by rows: of the mask it is a pipe, and read twice"* ]]
}

@test "a mask is read beside the image" {
    begin
    "${PYTHON:-python3}" -c '
import numpy
m = numpy.random.default_rng(6).integers(0, 3, (5000, 1000), numpy.uint8)
open("m.pgm", "wb").write(b"P5 1000 5000 255\n" + m.tobytes())
numpy.save("m.npy", m.astype("f4"))'
    ok m.pgm --box 1 -o m.png
    for args in "--box 15" "--box 15 --nodata 7" "--box 5 --passes 2" "--gauss 3 --border wrap" "--box 9 --threshold sauvola --border wrap"; do
        # shellcheck disable=SC2086 # words
        ok -q a.png --mask m.png $args -o want.pnm
        for mask in m.pgm m.npy m.png; do
            # shellcheck disable=SC2086 # words
            ok -q a.pgm --mask $mask $args -o is.pnm
            cmp is.pnm want.pnm
        done
    done
    ok -q a.png --mask m.png --box 15 -o want.pnm
    run bash -c 'cat m.png | "$1" -q a.pgm --mask - --box 15 -o is.pnm' bash "$sat" # one that is decoded, from a pipe
    [ "$status" = 0 ]
    cmp is.pnm want.pnm
    ok -q a.png --mask m.png --box 15 --border wrap -o want.pnm
    run bash -c 'cat m.pgm | "$1" -q a.pgm --mask - --box 15 --border wrap -o is.pnm' bash "$sat" # its last rows first
    [ "$status" = 0 ]
    cmp is.pnm want.pnm
    failure "a.pgm: --mask c.pgm: 2001x1200 px, where the image has 1000x5000" a.pgm --mask c.pgm --box 3 -o no.pgm
    run bash -c 'head -c 4000000 m.pgm | "$1" a.pgm --mask - --box 3 -o no.pgm' bash "$sat"
    [ "$status" = 1 ]
    [[ $output == "sat: a.pgm: --mask -: truncated"* ]]
    [ ! -e no.pgm ]
}

@test "light, alpha that is no data, passes with a mask, smaller types: in bands of rows" {
    begin
    "${PYTHON:-python3}" -c '
import numpy
r = numpy.random.default_rng(7)
q = r.integers(0, 256, (2500, 500, 4), numpy.uint8)
q[..., 3] *= r.random((2500, 500)) < 0.6
open("q.pam", "wb").write(b"P7\nWIDTH 500\nHEIGHT 2500\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n" + q.tobytes())
numpy.save("m.npy", (r.random((2500, 500)) < 0.3).astype("u1"))'
    ok -q q.pam --box 1 --alpha straight -o q.png
    for args in "--box 9 --linear" "--box 9 --linear --nodata 7" "--gauss 2 --linear --border constant:9" \
        "--box 9 --linear --min-valid 20 --passes 3" "--box 5 --nodata 7 --passes 2" "--box 3 --min-valid 2 --passes 4" \
        "--box 4 --mask m.npy --passes 4 --keep-holes" "--box 3 --mask m.npy --passes 3 --nodata 7" \
        "--box 7 --stat std --result same" "--box 7 --scale 50:200 --linear" \
        "--gauss 3 --mask m.npy --linear" "--box 3 --mask m.npy --passes 2 --min-valid 3 --alpha straight --linear"; do
        for threads in 1 2; do
            for from in png pam; do
                # shellcheck disable=SC2086 # words
                sat q.$from $args --threads $threads -o $from.pam
                [ "$status" = 0 ]
                echo "${stderr//q.$from/q}" >$from.said
            done
            cmp png.pam pam.pam
            cmp png.said pam.said
        done
    done
    for from in png pam; do ok -q q.$from --box 7 --stat mean,rms --result f16 -o "$from.{stat}.npy"; done
    for f in png.*.npy; do cmp "$f" "pam${f#png}"; done
    ok -q q.png --gauss 1 --nodata 7 --result f16 -o png.tif
    ok -q q.pam --gauss 1 --nodata 7 --result f16 -o pam.tif
    cmp png.tif pam.tif
}

@test "tables in bands of rows: floats, holes, a mask" {
    begin
    "${PYTHON:-python3}" -c '
import numpy
r = numpy.random.default_rng(8)
f = r.normal(3, 100, (3000, 700)).astype("f4")
f[r.random(f.shape) < 0.1] = 7
f[5, 9] = numpy.inf
numpy.save("rows.npy", f)
open("x.pfm", "wb").write(b"Pf\n700 3000\n-1\n" + f[::-1].tobytes())
numpy.save("m.npy", (r.random(f.shape) < 0.3).astype("u1"))'
    for args in "" "--moments 1,2" "--nodata 7 --moments 0,1,2" "--nodata nan --mask m.npy" "--mask m.npy --layout inclusive" "--type f32"; do
        # shellcheck disable=SC2086 # words
        sat rows.npy $args -o rows.table.npy
        [ "$status" = 0 ]
        said=$stderr
        run bash -c 'cat x.pfm | "$1" - $2 -o whole.table.npy 2>said' bash "$sat" "$args" # the bottom row first: whole
        [ "$status" = 0 ]
        [ "${said//rows.table/x}" = "$(sed 's/whole.table/x/' said)" ]
        cmp rows.table.npy whole.table.npy
    done
}

@test "--rows A:B: a part of the result, whose georeference begins there" {
    begin
    for args in "--box 31" "--box 4 --passes 3" "--gauss 9" "--box 501 --linear" "--box 9 --border wrap" "--box 9 --stat std --result same"; do
        # shellcheck disable=SC2086 # words
        ok -q a.pgm $args -o all.raw
        for part in 0:1 4999:5000 0:5000 17:3333; do
            # shellcheck disable=SC2086 # words
            ok -q a.pgm $args --rows $part -o part.raw
            cmp part.raw <(tail -c +$((${part%:*} * 1000 + 1)) all.raw | head -c $(((${part#*:} - ${part%:*}) * 1000)))
        done
    done
    ok a.pgm --box 31 --rows 100:260 -o part.png
    ok a.pgm --box 31 -o all.pgm
    ok part.png --box 1 -o part.raw
    cmp part.raw <(tail -c 4900000 all.pgm | head -c 160000)
    "${PYTHON:-python3}" - <<'END'
import struct, numpy as np
shape, data = (300, 40), np.arange(12000, dtype="<u2").tobytes()
tags = [(256, 4, [40]), (257, 4, [300]), (258, 3, [16]), (259, 3, [1]), (262, 3, [1]), (273, 4, [0]), (277, 3, [1]), (278, 4, [300]),
        (279, 4, [len(data)]), (33550, 12, [2.0, 2.0, 0.0]), (33922, 12, [0.0, 0.0, 0.0, 1000.0, 9000.0, 0.0])]
def tiff(tags):
    at, more, entries = 8 + 2 + 12 * len(tags) + 4, b"", b""
    for tag, kind, values in tags:
        packed = struct.pack("<%d%s" % (len(values), {3: "H", 4: "L", 12: "d"}[kind]), *values)
        if len(packed) > 4:
            place, more = struct.pack("<L", at + len(more)), more + packed
        else:
            place = packed.ljust(4, b"\0")
        entries += struct.pack("<HHL", tag, kind, len(values)) + place
    return b"II*\0" + struct.pack("<LH", 8, len(tags)) + entries + b"\0" * 4 + more, at + len(more)
end = tiff(tags)[1]
tags[5] = (273, 4, [end])
open("geo.tif", "wb").write(tiff(tags)[0] + data)
END
    ok geo.tif --box 3 --rows 120:300 -o part.tif
    "${PYTHON:-python3}" - <<'END'
import struct
f = open("part.tif", "rb").read()
at, = struct.unpack_from("<L", f, 4)
n, = struct.unpack_from("<H", f, at)
for i in range(n):
    tag, kind, count, place = struct.unpack_from("<HHLL", f, at + 2 + 12 * i)
    if tag == 33922:
        assert struct.unpack_from("<6d", f, place) == (0, -120, 0, 1000, 9000, 0)
        break
else:
    raise SystemExit("no tie point")
END
    failure "a.pgm: --rows 10:5001: the image has 5000 rows" a.pgm --box 3 --rows 10:5001 -o no.pgm
    failure "a.png: --rows is for images in bands of rows, and this one is filtered whole: its format is not read by rows" \
        a.png --box 3 --rows 10:20 -o no.pgm
    usage "--rows '5:5': A:B, rows A to B - 1, A below B*" a.pgm --box 3 --rows 5:5 -o no.pgm
    ok a.pgm --box 3 --rows 30:50 -o part.pgm
    ok a.pgm --box 3 --rows "$(printf '%070d:%070d' 30 50)" -o digits.pgm # numbers of any length
    cmp part.pgm digits.pgm
    usage "--rows is for --box, not for tables*" a.pgm --rows 5:6 -o no.npy
    [ ! -e no.pgm ]
}

@test "rows from a stream, to a stream, and onto the file itself" {
    begin
    ok a.png --box 31 -o want.pnm
    run bash -c 'cat a.pgm | "$1" - --box 31 -o - --format pgm >is.pnm' bash "$sat"
    cmp is.pnm want.pnm
    run bash -c 'cat a.pgm | "$1" - --box 31 --border wrap -o is.pnm' bash "$sat" # from below 0: the whole stream
    ok a.png --box 31 --border wrap -o wrapped.pnm
    cmp is.pnm wrapped.pnm
    ok a.pgm --box 31 -o a.pgm
    cmp a.pgm want.pnm
}

@test "a file that ends in the middle of its rows leaves the old output" {
    begin
    head -c 3000000 a.pgm >cut.pgm
    echo old >out.pgm
    failure "cut.pgm: truncated*" cut.pgm --box 31 -o out.pgm
    [ "$(cat out.pgm)" = old ]
    run bash -c 'cat cut.pgm | "$1" - --box 31 -o out.pgm 2>said' bash "$sat"
    [ "$status" = 1 ]
    [[ $(cat said) == "sat: standard input: truncated"* ]]
    [ "$(cat out.pgm)" = old ]
    [ "$(find . -name '.out*' | wc -l)" = 0 ]
}

@test "--raw: samples alone, whose size and type the command line says" {
    begin
    tail -c 5000000 a.pgm >a.raw
    ok a.pgm --box 9 -o want.pnm
    ok a.raw --raw 1000x5000:u8 --box 9 -o is.pnm
    cmp is.pnm want.pnm
    ok a.pgm --raw 1000x5000:u8@"$(($(stat -c %s a.pgm) - 5000000))" --box 9 -o is.raw
    cmp is.raw <(tail -c 5000000 want.pnm)
    run bash -c 'cat a.raw | "$1" - --raw 1000x5000:u8 --box 9 -o - --format raw | cmp - is.raw' bash "$sat"
    [ "$status" = 0 ]
    ok -q a.raw --raw 250x5000:u16be:2 --mean 0,0,250,5000
    failure "a.raw: truncated: 5001000 bytes of samples are needed, 5000000 are there" a.raw --raw 1000x5001:u8 --box 3 -o no.pgm
    usage "--raw '10x5000': WxH:TYPE*" a.raw --raw 10x5000 --box 3 -o no.pgm
    usage "--raw '10x10:u16': u16 lacks the order of its bytes: u16le or u16be" a.raw --raw 10x10:u16 --box 3 -o no.pgm
    usage "--raw '10x10:i8le': i8 has one byte, and no order of bytes" a.raw --raw 10x10:i8le --box 3 -o no.pgm
    usage "--raw '10x10:f16le:2': TYPE is u8, i8, or u16, *" a.raw --raw 10x10:f16le:2 --box 3 -o no.pgm
    usage "--raw '10x10:u8:5': C is 1 to 4" a.raw --raw 10x10:u8:5 --box 3 -o no.pgm
    ok query a.raw --raw 1000x5000:u8 --rect 0,0,3,3
}

@test "BMP, TGA and PFM, whose rows begin at the bottom: in bands of rows from file to file, whole through pipes" {
    begin
    ok -q c.png --box 1 -o c.bmp
    "${PYTHON:-python3}" -c '
import numpy
a = numpy.fromfile("c.pgm", "u1")[-1200 * 2001 * 3:].reshape(1200, 2001, 3)
head = bytes((0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0)) + (2001).to_bytes(2, "little") + (1200).to_bytes(2, "little")
open("c.tga", "wb").write(head + bytes((24, 0)) + a[::-1, :, ::-1].tobytes())
open("c.pfm", "wb").write(b"PF 2001 1200 -1\n" + a[::-1].astype("<f4").tobytes())'
    ok -q c.png --box 31 -o want.bmp
    ok -q c.png --box 31 --result f32 -o want.pfm
    for from in bmp tga; do
        for to in bmp pfm; do
            result=$([ $to = bmp ] && echo same || echo f32)
            sat -v c.$from --box 31 --result "$result" --threads 2 -o is.$to
            [[ $status = 0 && $stderr == *"in bands of"* ]]
            cmp is.$to want.$to
            "$SAT" -q - --box 31 --result "$result" --format $to -o - <c.$from >is.$to
            cmp is.$to want.$to
            "$SAT" -q - --box 31 --result "$result" --format $to -o - < <(cat c.$from) | cmp - want.$to
        done
    done
    ok -q c.pfm --box 31 -o is.pfm
    ok -q c.pgm --box 31 --result f32 -o want.pfm
    cmp is.pfm want.pfm
    ok -q c.bmp --box 31 -o c.bmp
    cmp c.bmp want.bmp
}

@test "a TIFF in tiles stays in tiles" {
    begin
    ok a.png --box 9 -o want.pnm
    ok a.png --box 1 -o a.tif
    ok a.tif --box 9 -o is.tif
    ok is.tif --box 1 -o is.pnm
    cmp is.pnm want.pnm
    is_tiled() { "${PYTHON:-python3}" -c '
import struct, sys
data = open(sys.argv[1], "rb").read()
order, big = "<" if data[:2] == b"II" else ">", 43 in data[2:4]
read = lambda form, at: struct.unpack_from(order + form, data, at)[0]
at = read("Q", 8) if big else read("I", 4)
first, step, n = (at + 8, 20, read("Q", at)) if big else (at + 2, 12, read("H", at))
tags = [read("H", first + step * i) for i in range(n)]
sys.exit(322 not in tags)' "$1"; }
    is_tiled "$root/tests/data/codecs/tiles.tif"
    ok "$root/tests/data/codecs/tiles.tif" --box 9 -o is.tif
    is_tiled is.tif
    ! is_tiled a.tif
}

@test "memory does not grow with the height, and --max-pixels is for whole images" {
    printf 'P5 20000 20000 255\n' >big.pgm
    truncate -s $((19 + 400000000)) big.pgm # takes no space
    ok big.pgm --box 31 --max-memory 64M --max-pixels 1M --threads 2 -o out.pgm
    [ "$(stat -c %s out.pgm)" = 400000019 ]
    failure "big.pgm: 20000x20000 is 400000000 pixels, more than --max-pixels 1048576" big.pgm --box 31 --max-pixels 1M -o out.png
    failure "big.pgm: 20000x20000 px with 1 channel of u8 may take * MiB, more than the 8.0 MiB of --max-memory" \
        big.pgm --box 31 --max-memory 8M -o out.pgm
}

@test "rectangles, cells and means by rows: of files, pipes, with masks, and what is wrong with them" {
    begin
    for args in "--rect 0,0,1000,5000 --stat mean,std,sum" "--grid 90x130 --stat var" "--rect 3,4999,1,1 --rect 900,7,100,2000 --rect 5,5,.5,7.25" \
        "--grid 1000x1 --stat mean --nodata 7" "--grid 16"; do
        # shellcheck disable=SC2086 # words
        ok query a.png $args -o want.csv
        for threads in 1 2; do
            # shellcheck disable=SC2086 # words
            ok query a.pgm $args --threads $threads --max-pixels 1 -o is.csv
            cmp is.csv want.csv
        done
        # shellcheck disable=SC2086 # words
        cat a.pgm | "$sat" query - $args | cmp - want.csv
    done
    ok query c.png --grid 100 --stat mean -o want.npy
    ok query c.pgm --grid 100 --stat mean -o is.npy
    cmp is.npy want.npy
    "${PYTHON:-python3}" -c '
import numpy
m = numpy.random.default_rng(6).integers(0, 3, (5000, 1000), numpy.uint8)
open("m.pgm", "wb").write(b"P5 1000 5000 255\n" + m.tobytes())
numpy.save("f.npy", m.astype("f4") / 7)'
    ok m.pgm --box 1 -o m.png
    ok query a.png --mask m.png --grid 300 --stat mean,count -o want.csv
    for mask in m.pgm m.png; do
        ok query a.pgm --mask $mask --grid 300 --stat mean,count -o is.csv
        cmp is.csv want.csv
    done
    ok query a.pgm --mask - --grid 300 --stat mean,count -o is.csv <m.pgm
    cmp is.csv want.csv
    # Two passes of a stream: it is read whole.
    ok query f.npy --as image --grid 300 --stat std -o want.csv
    cat f.npy | "$sat" query - --as image --grid 300 --stat std | cmp - want.csv
    failure "a.pgm: --mask c.pgm: 2001x1200 px, where the image has 1000x5000" query a.pgm --mask c.pgm --grid 300
    head -c 4000000 m.pgm >cut.pgm
    failure "a.pgm: --mask cut.pgm: truncated*" query a.pgm --mask cut.pgm --grid 300 -o no.csv
    failure "cut.pgm: truncated*" cut.pgm --rect 0,0,1,1 -o no.csv
    for rect in 0,0,1,1 0,0,1000,5000; do # also where the rows that are needed are there
        run --separate-stderr bash -c 'cat cut.pgm | "$1" - --rect $2 -o no.csv' bash "$sat" $rect
        [ "$status" = 1 ]
        [[ $stderr == "sat: standard input: truncated"* ]]
    done
    [ ! -e no.csv ]
    printf '0,0,1,1\n0,0,1,5001\n9,9,1,1\n' >bad.csv
    sat a.pgm --rects bad.csv
    [ "$status" = 1 ]
    [ "${#lines[@]} $stderr" = "2 sat: bad.csv: line 2: rectangle 0,0,1,5001 reaches outside the image; the image is 1000x5000 px (--clip cuts rectangles to it)" ]
}

@test "images of many bands, and one of them, in bands of rows" {
    begin
    # A TIFF in a pipe is decoded whole.
    "${PYTHON:-python3}" -c '
import numpy
a = numpy.random.default_rng(7).integers(0, 50, (3000, 500, 8), numpy.uint16)
numpy.save("in.npy", a)
numpy.save("m.npy", (a[:, :, 0] < 35).astype("u1"))
for i in 0, 6:
    numpy.save("%d.npy" % i, a[:, :, i])'
    ok in.npy --box 1 -o in.tif
    ok in.npy --box 9 --threshold wolf -o is.npy # each band has extremes of its own: whole
    for band in 0 6; do
        ok $band.npy --box 9 --threshold wolf -o want.npy
        "${PYTHON:-python3}" -c 'import numpy; assert (numpy.load("is.npy")[:, :, int("'$band'")] == numpy.load("want.npy")).all()'
    done
    for args in "--box 31" "--box 4 --passes 3 --mask m.npy" "--gauss 3" "--box 9 --stat std --nodata 7"; do
        # shellcheck disable=SC2086 # words
        for i in 0 6; do ok -q $i.npy $args -o want.$i.npy; done
        for from in npy tif; do
            # shellcheck disable=SC2086 # words
            sat in.$from $args --max-pixels 1M -o is.$from.npy -v
            [[ $status = 0 && $stderr == *"in bands of "* && $stderr != *whole* ]]
            # shellcheck disable=SC2086 # words
            ok -q in.$from $args --channel 7 --max-pixels 1M -o one.npy
            cmp one.npy want.6.npy
        done
        cmp is.npy.npy is.tif.npy
        "${PYTHON:-python3}" -c '
import numpy
a = numpy.load("is.npy.npy")
for i in 0, 6:
    assert a[:, :, i].tobytes() == numpy.load("want.%d.npy" % i).tobytes()'
        # shellcheck disable=SC2086 # words
        ok -q in.tif $args --tiff-compression none -o is.tif
        # shellcheck disable=SC2086 # words
        cat in.tif | "$sat" -q - $args --tiff-compression none -o want.tif
        cmp is.tif want.tif
    done
    ok in.tif --box 31 --max-memory 32M -o is.npy # whole, 24 MB and as many for results
    ok in.tif --box 31 --rows 1000:1100 -o is.npy
    ok in.npy --box 31 --rows 1000:1100 -o want.npy
    cmp is.npy want.npy
    cat in.tif | "$sat" query - --grid 70 --stat mean,std,count --mask m.npy >want.csv
    cat in.tif | "$sat" - --mask m.npy --moments 0,1,2 -o want.npy
    for from in npy tif; do
        ok query in.$from --grid 70 --stat mean,std,count --mask m.npy --max-pixels 1M -o is.csv
        cmp is.csv want.csv
        ok in.$from --mask m.npy --moments 0,1,2 --max-pixels 1M -o is.npy
        cmp is.npy want.npy
    done
    # More rectangles of many bands than are answered at once: a stream of them is read whole.
    "${PYTHON:-python3}" -c '
import numpy
numpy.save("200.npy", numpy.random.default_rng(8).integers(0, 999, (300, 250, 200), numpy.uint16))
open("many.csv", "w").write("".join("%d,%d,3,3\n" % (i % 40, i * 7 % 290) for i in range(3000)))'
    for args in "--rects many.csv" "--grid 5" "--grid 1x150"; do
        # shellcheck disable=SC2086 # words
        ok query 200.npy $args --stat sum -o want.csv
        # shellcheck disable=SC2086 # words
        cat 200.npy | "$sat" query - $args --stat sum | cmp - want.csv
    done
    failure "in.npy: there is no channel 9: the image has 8 channels" in.npy --channel 9 --box 3 -o no.npy
}

@test "info reads rows, so that broken ones are found, in little memory" {
    begin
    printf 'P5 60000 60000 255\n' >big.pgm
    truncate -s $((19 + 3600000000)) big.pgm # takes no space
    ok info big.pgm --max-memory 1M --max-pixels 1
    [[ $output == *"60000 x 60000 px"* ]]
    truncate -s -1 big.pgm
    failure "big.pgm: truncated: 3600000000 bytes of samples are needed, 3599999999 are there" info big.pgm
    ok c.pgm --box 1 -o c.tif
    ok info c.tif --max-memory 4M --max-pixels 1 --json
    [[ $output == *'"width":2001,"height":1200,"channels":3'* ]]
    printf 'broken' | dd of=c.tif bs=1 seek=4000000 conv=notrunc 2>dd.log # in a strip
    failure "c.tif: *" info c.tif
    cat a.pgm | "$sat" info - --max-memory 400K --max-pixels 1 >want
    grep -q "1000 x 5000 px" want
    run bash -c 'head -c 4999999 a.pgm | "$1" info -' bash "$sat"
    [ "$status" = 1 ]
    [[ $output == "sat: standard input: truncated"* ]]
    printf x >>a.pgm
    run bash -c 'cat a.pgm | "$1" info -' bash "$sat"
    [[ $status = 1 && $output == "sat: standard input: the picture ends at byte "* ]]
}

@test "rectangles of images larger than memory" {
    printf 'P5 20000 20000 255\n' >big.pgm
    truncate -s $((19 + 400000000)) big.pgm # takes no space
    for ((i = 0; i < 200; i++)); do echo "$((i * 50)),$((i * 31)),9000,12000"; done >r.csv
    (ulimit -v 200000 && "$sat" --version) >version 2>&1 || skip "this build needs more address space"
    for args in "--rect 0,0,20000,20000 --stat mean,std" "--rects r.csv" "--grid 1000 --stat mean -o cells.npy"; do
        # shellcheck disable=SC2086 # words
        (ulimit -v 200000 && "$sat" query big.pgm $args --max-memory 16M --max-pixels 1M --threads 2 >out)
    done
    # The rows that no rectangle has are not read.
    (ulimit -v 200000 && "$sat" big.pgm --rect 5,5,9,9 --rect 5,19999,9,1 >out)
    [ "$(tail -1 out)" = 5,19999,9,1,0 ]
    failure "big.pgm: 20000x20000 px with 1 channel of u8 may take * MiB, more than the 2.0 MiB of --max-memory" big.pgm --mean 0,0,1,1 --max-memory 2M
}
