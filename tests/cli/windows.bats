# Statistics of windows, local thresholds, masks.

load helpers

# values FILE - the numbers of an .npy of f32 or f64, in rows of text.
values() {
    "${PYTHON:-python3}" -c 'import sys; import numpy as np; print(*np.load(sys.argv[1]).ravel().tolist())' "$1"
}

@test "mean and variance of the windows of the small image" {
    small a.pgm
    ok a.pgm --box 3 --stat mean,var,count -o '{stat}.npy'
    [ "$(values count.npy)" = "4.0 6.0 6.0 4.0 6.0 9.0 9.0 6.0 4.0 6.0 6.0 4.0" ]
    [ "$(values mean.npy | cut -d' ' -f1-3)" = "3.5 4.0 5.0" ]
    [ "$(values var.npy | cut -d' ' -f1)" = "4.25" ] # 1 2 5 6: 66 / 4 - 3.5^2
    ok a.pgm --box 3 --stat var --ddof 1 -o v.npy
    [ "$(values v.npy | cut -d' ' -f1 | cut -c1-7)" = "5.66666" ]
}

@test "a mean of windows is the box filter's" {
    grey 67 41 a.pgm
    for border in shrink reflect wrap constant:9; do
        ok a.pgm --box 7x4 --border $border -o box.pgm
        ok a.pgm --box 7x4 --border $border --stat mean -o mean.pgm
        cmp box.pgm mean.pgm
    done
}

@test "results: floats where the format holds them, else the image's type, or as --result says" {
    small a.pgm
    for case in 'npy float32' 'tif f32' 'pgm u8' 'png u8' 'pfm f32'; do
        ok a.pgm --box 3 --stat std -o "s.${case% *}"
        [ "${case% *}" = npy ] || "$sat" info --json "s.${case% *}" | grep -q "\"${case#* }\""
    done
    ok a.pgm --box 3 --stat std --result f64 -o s.npy
    ok a.pgm --box 3 --stat std --result same -o s.tif
    "$sat" info --json s.tif | grep -q '"u8"'
    failure "s.png: *f32*" a.pgm --box 3 --stat std --result f32 -o s.png
}

@test "values beyond the range of integers are clipped and counted" {
    small a.pgm
    sat a.pgm --box 3 --stat norm -o n.pgm
    [ "$status" = 0 ]
    [[ $stderr == "sat: a.pgm: "*" of 12 samples lay beyond the range of their type and were clipped; floats hold them (--result)" ]]
    ok -q a.pgm --box 3 --stat norm -o n.pgm
    ok a.pgm --box 3 --stat norm -o n.tif
}

@test "thresholds are 0 or 255, where the pixel is above" {
    small a.pgm
    ok a.pgm --box 3 --threshold mean -o t.pgm
    [ "$(pixels t.pgm 12)" = "0 0 0 0 255 255 255 255 255 0 0 0" ]
    noted "a.pgm: every pixel is above mean, so that all results are 255" a.pgm --box 3 --threshold mean:offset=100 -o t.pgm
    [ "$(pixels t.pgm 12)" = "255 255 255 255 255 255 255 255 255 255 255 255" ]
    for name in $(names stats | sed -n 's/:.*//p'); do
        ok -q a.pgm --box 3 --threshold "$name" -o t.pgm
        ok a.pgm --box 3 --stat "$name" -o t.tif
    done
    ok a.pgm --box 3 --threshold sauvola:k=0.3,r=10 -o a.png
    ok a.pgm --box 3 --threshold sauvola:k=0.3:r=10 -o b.png
    cmp a.png b.png
}

# deep FILE - 16x16 samples of u16 that have 12 bits: dark strokes on bright paper.
deep() {
    "${PYTHON:-python3}" -c '
import sys
import numpy as np
page = np.full((16, 16), 3500, np.uint16)
page[4:6] = 600
np.save(sys.argv[1], page + np.arange(16, dtype=np.uint16))' "$1"
}

@test "a threshold that no pixel passes, or every pixel, is told" {
    deep page.npy
    noted "page.npy: no pixel is above phansalkar, so that all results are 0; its range is 65535 (phansalkar:range=V)" \
        page.npy --as image --box 9 --threshold phansalkar -o t.pgm
    noted "page.npy: no pixel is above phansalkar, so that all results are 0" \
        page.npy --as image --box 9 --threshold phansalkar:range=65535 -o t.pgm
    noted "page.npy: every pixel is above sauvola, so that all results are 255; its range is 65535 (sauvola:range=V)" \
        page.npy --as image --box 1 --threshold sauvola -o t.pgm
    noted "page.npy: every pixel is above sauvola, so that all results are 255" \
        page.npy --as image --box 1 --threshold sauvola:r=2048 -o t.pgm
    "${PYTHON:-python3}" -c 'import numpy as np; np.save("ones.npy", np.ones((3, 4), np.float32))'
    noted "ones.npy: no pixel is above phansalkar, *; its range is 1 (phansalkar:range=V)" \
        ones.npy --as image --box 1 --threshold phansalkar:q=0 -o t.pgm
    ok page.npy --as image --box 9 --stat phansalkar -o t.tif
    printf 'P6 2 1 255\n\1\1\1\1\1\2' >b.ppm # one sample of six
    ok b.ppm --box 3 --threshold mean -o t.ppm
    noted "b.ppm: no pixel is above mean, so *" b.ppm --box 3 --threshold mean:offset=-1 -o t.ppm
}

@test "the range of the samples is a parameter of the thresholds that read it" {
    deep page.npy
    ok page.npy --as image --box 9 --threshold phansalkar:range=4095 -o t.pgm
    [ "$(pixels t.pgm 256 | tr ' ' '\n' | sort | uniq -c | xargs)" = "32 0 224 255" ]
    ok page.npy --as image --box 9 --stat sauvola:range=4095 -o a.npy
    ok page.npy --as image --box 9 --stat sauvola:r=2047.5 -o b.npy
    cmp a.npy b.npy
    ok page.npy --as image --box 9 --stat sauvola:r=2047.5,range=9 -o b.npy
    cmp a.npy b.npy
    # each output has its own
    ok page.npy --as image --box 9 --stat phansalkar,mean,phansalkar:range=4095,sauvola:range=4095 -o '{stat}.npy'
    cmp sauvola.npy a.npy
    for range in '' :range=4095; do
        ok page.npy --as image --box 9 --stat phansalkar$range -o a.npy
        cmp a.npy "phansalkar$(tr -d := <<<"${range/:/-}").npy"
    done
    usage "--stat: 'range=9' is no parameter of wolf; it has k, r" page.npy --as image --box 9 --stat wolf:range=9 -o o.npy
    usage "--stat: range=0 of sauvola: a number above 0" page.npy --as image --box 9 --stat sauvola:range=0 -o o.npy
    usage "--stat: range of sauvola is set twice" page.npy --as image --box 9 --stat sauvola:range=1,range=2 -o o.npy
    failure "page.npy: a range of 65536; of u16 samples it is 1 to 65535" \
        page.npy --as image --box 9 --stat phansalkar:range=65536 -o o.npy
    failure "page.npy: a range of 0.5; of u16 *" page.npy --as image --box 9 --stat phansalkar:range=0.5 -o o.npy
}

@test "several settings of one statistic, told apart in {stat}" {
    grey 40 30 a.pgm
    mkdir one
    ok a.pgm --box 9 --threshold sauvola:k=0.15 --threshold sauvola:k=0.30,r=64 --threshold niblack -o '{stat}.pgm'
    [ "$(echo *.pgm)" = "a.pgm niblack.pgm sauvola-k0.15.pgm sauvola-k0.3-r64.pgm" ]
    ok a.pgm --box 9 --threshold sauvola:k=0.15 -o 'one/{stat}.pgm'
    cmp one/sauvola.pgm sauvola-k0.15.pgm
    ok a.pgm --box 9 --threshold sauvola:k=0.3:r=64 -o 'one/{stat}.pgm'
    cmp one/sauvola.pgm sauvola-k0.3-r64.pgm
    rm ./*-*.pgm
    ok a.pgm --box 9 --stat mean,niblack,niblack:k=-1e-3 -o '{stat}.tif'
    [ "$(echo *.tif)" = "mean.tif niblack-k-0.001.tif niblack.tif" ]
    usage "--threshold: sauvola-k0.3 is named twice" \
        a.pgm --box 9 --threshold sauvola:k=0.3 --threshold sauvola:k=0.30 -o '{stat}.pgm'
    usage "--threshold 'k=0.3': a statistic's name comes first" \
        a.pgm --box 9 --threshold sauvola --threshold k=0.3 -o '{stat}.pgm'
    usage "-o x.pgm: all statistics of a.pgm would be written there; *" a.pgm --box 9 --threshold sauvola,sauvola:k=1 -o x.pgm
    usage "--threshold: at most 16 statistics" a.pgm --box 9 -o '{stat}.pgm' \
        --threshold "$(seq -f 'sauvola:k=%g' -s , 17)"
}

@test "a threshold of one channel is one bit for each pixel in .pbm and .png" {
    # shellcheck disable=SC2016 # Python
    check='
import sys, zlib, numpy as np
want = np.frombuffer(open("t.pgm", "rb").read().split(b"\n", 3)[3], "u1")
head, size, bits = open("t.pbm", "rb").read().split(b"\n", 2)
w, h = map(int, size.split())
assert head == b"P4" and set(want) == {0, 255}, head
line = (w + 7) // 8
rows = np.frombuffer(bits, "u1").reshape(h, line)
black = np.unpackbits(rows, axis=1)
assert (black[:, :w] == (want.reshape(h, w) == 0)).all() and not black[:, w:].any()
png, at, data = open("t.png", "rb").read(), 8, b""
while at < len(png):
    n, kind = int.from_bytes(png[at:at + 4], "big"), png[at + 4:at + 8]
    if kind == b"IHDR": assert png[at + 16:at + 18] == b"\1\0", png[at + 16:at + 18] # depth 1, grey
    if kind == b"IDAT": data += png[at + 8:at + 8 + n]
    at += n + 12
raw = np.frombuffer(zlib.decompress(data), "u1").reshape(h, line + 1)
white = np.unpackbits(np.cumsum(raw[:, 1:], 0, "u1"), axis=1) # filter Up
assert (raw[:, 0] == 2).all() and (white[:, :w] == want.reshape(h, w) // 255).all() and not white[:, w:].any()'
    for size in "1 1" "7 3" "8 8" "9 5" "64 2" "300 2000"; do # shellcheck disable=SC2086 # two words
        grey $size a.pgm
        ok a.pgm --box 5 --threshold mean:offset=-1 -o t.pgm -q # one pixel is not above itself, and a line says so
        [ "$size" = "1 1" ] && continue # of one colour
        for format in pbm png; do
            ok a.pgm --box 5 --threshold mean:offset=-1 -o t.$format
            ok t.$format --box 1 -o back.pgm
            cmp back.pgm t.pgm
        done
        "${PYTHON:-python3}" -c "$check"
        "$sat" a.pgm --box 5 --threshold mean:offset=-1 -o - --format PBM | cmp - t.pbm
        "$sat" a.pgm --box 5 --threshold mean:offset=-1 -o - --format pnm | cmp - t.pgm
        "$sat" a.pgm --box 5 --threshold mean:offset=-1 -o - --format png --threads 3 | cmp - t.png
    done
    # colours have a threshold in each channel; nothing else is known to be black and white
    colour 8 8 c.ppm
    failure "t.pbm: PBM holds black and white alone; use .ppm" c.ppm --box 5 --threshold mean -o t.pbm
    ok c.ppm --box 5 --threshold mean -o t.png
    [ "$(head -c 26 t.png | tail -c 2 | od -An -tu1)" = "   8   2" ]
    ok c.ppm --gray --box 5 --threshold mean -o t.pbm
    failure "o.pbm: PBM holds black and white alone; use .pgm" t.pbm --box 1 -o o.pbm
}

@test "a threshold in a lossy format: a line says so" {
    grey 40 30 a.pgm
    noted "out.jpg: the format is lossy: samples beside edges will be neither 0 nor 255" a.pgm --box 9 --threshold mean -o out.jpg
    noted "standard output: the format is lossy: *" a.pgm --box 9 --threshold mean -o - --format jpeg >/dev/null
    ok a.pgm --box 9 --threshold mean -o out.png
    ok a.pgm --box 9 --stat mean -o out.jpg
}

@test "a mask: pixels count where it is not 0" {
    small a.pgm
    printf 'P5 4 3 255\n\0\0\1\0\0\0\0\0\0\0\7\0' >m.pgm
    ok a.pgm --box 3 --mask m.pgm --stat mean,count -o '{stat}.npy'
    [ "$(values count.npy)" = "0.0 1.0 1.0 1.0 0.0 2.0 2.0 2.0 0.0 1.0 1.0 1.0" ]
    [ "$(values mean.npy)" = "nan 3.0 3.0 3.0 nan 2.5 2.5 2.5 nan 2.0 2.0 2.0" ]
    noted "a.pgm: 3 of 12 results are 0, as no samples of their windows count; floats are NaN there (--result)" \
        a.pgm --box 3 --mask m.pgm -o mean.pgm # without --stat a mean
    [ "$(pixels mean.pgm 12)" = "0 3 3 3 0 3 3 3 0 2 2 2" ]
    noted "a.pgm: 9 of 12 results are 0, as too few samples of their windows count; *" \
        a.pgm --box 3 --mask m.pgm --min-valid 2 -o mean.pgm
    [ "$(pixels mean.pgm 12)" = "0 0 0 0 0 3 3 3 0 0 0 0" ]
    grey 5 5 wrong.pgm
    failure "a.pgm: --mask wrong.pgm: 5x5 px, where the image has 4x3" a.pgm --box 3 --mask wrong.pgm -o o.pgm
    failure "a.pgm: --mask none.pgm: *" a.pgm --box 3 --mask none.pgm -o o.pgm
    [ ! -e o.pgm ]
    noted "a.pgm: 12 of 12 results are 0, as too few *" a.pgm --box 3 --mask m.pgm --min-valid 100% -o mean.pgm
    [ "$(pixels mean.pgm 12)" = "0 0 0 0 0 0 0 0 0 0 0 0" ]
}

@test "windows in which nothing counts are told where results cannot be NaN" {
    small a.pgm
    printf 'P5 4 3 255\n\0\0\1\0\0\0\0\0\0\0\7\0' >m.pgm
    ok a.pgm --box 3 --mask m.pgm --stat mean,std -o '{stat}.tif' # floats
    noted "a.pgm: 6 of 24 results are 0, as no samples *; floats are NaN there (--result)" \
        a.pgm --box 3 --mask m.pgm --stat mean,std --result same -o '{stat}.tif'
    ok a.pgm --box 3 --mask m.pgm --stat count -o c.pgm # 0 is the count
    [ "$(pixels c.pgm 12)" = "0 1 1 1 0 2 2 2 0 1 1 1" ]
    noted "a.pgm: 3 of 12 results are 0, as no samples of their windows count" \
        a.pgm --box 3 --mask m.pgm --threshold mean -o t.pgm
    noted "a.pgm: 1 of 12 results are 5, as no samples of their windows count" a.pgm --box 1 --nodata 5 -o o.pgm
    [ "$(pixels o.pgm 12)" = "1 2 3 4 5 6 7 8 9 1 2 3" ]
    noted "a.pgm: 9 of 12 results are 0, as too few *" a.pgm --box 3 --mask m.pgm --stat var --ddof 1 -o v.pgm
    ok a.pgm --box 3 --nodata 200 -o o.pgm # all have samples that count
}

@test "a ddof, or samples that must count, as no window has" {
    small a.pgm
    usage "--ddof 9: a window of 3x3 has at most 9 samples, and a variance needs more" \
        a.pgm --box 3 --stat var --ddof 9 -o o.tif
    usage "--ddof 90: a window of 9x9 has at most 81 samples, and *" a.pgm --box 9 --threshold sauvola --ddof 90 -o o.png
    usage "--ddof 1: a window of 1x1 has at most 1 sample, and *" a.pgm --radius 0 --stat mean,std --ddof 1 -o '{stat}.tif'
    usage "--ddof 9223372036854775807: a window of *" a.pgm --box 3 --stat rms,var --ddof 9223372036854775807 -o '{stat}.tif'
    usage "--min-valid 10: a window of 3x3 has at most 9 samples" a.pgm --box 3 --min-valid 10 -o o.tif
    ok a.pgm --box 3 --stat var --ddof 8 -o v.tif
    ok a.pgm --box 3 --stat mean --ddof 9 -o o.tif # it has no variance
    ok a.pgm --box 3 --min-valid 9 --border replicate -o o.tif
    [ ! -e o.png ]
}

@test "a share that must count is of the whole window, and what is repeated counts" {
    "${PYTHON:-python3}" -c 'import numpy as np; np.save("a.npy", np.ones((20, 20), np.float32))'
    frame() { # BORDER SHARE - the numbers of results that are NaN in the first row, and in the middle one
        ok a.npy --as image --box 9 --border "$1" --min-valid "$2" -o o.npy >o.log
        "${PYTHON:-python3}" -c 'import numpy as np; n = np.isnan(np.load("o.npy")); print(n[0].sum(), n[10].sum())'
    }
    [ "$(frame shrink 60%)" = "20 2" ]
    [ "$(frame shrink 15%)" = "0 0" ]
    for border in replicate reflect reflect101 wrap; do [ "$(frame $border 60%)" = "0 0" ]; done
    ok --help
    [[ $output == *"60%: of its whole"*"area, beyond the image too; inside alone: --border reflect"* ]]
}

@test "a mask is neither replaced nor read twice" {
    small a.pgm
    small b.pgm
    cp a.pgm m.pgm
    ln -s m.pgm link.pgm
    usage "-o m.pgm would replace the mask" a.pgm --box 3 --mask m.pgm -o m.pgm
    usage "-o link.pgm would replace the mask" a.pgm --box 3 --mask m.pgm -o link.pgm
    usage "-o m.pgm would replace the mask" a.pgm b.pgm m.pgm --box 3 --mask m.pgm -o '{name}'
    usage "--mask -: *" a.pgm b.pgm --box 3 --mask - -o '{stem}.tif'
    usage "--mask -: *" - --box 3 --mask - -o o.tif
    "$sat" a.pgm --box 3 --mask - -o piped.pgm <m.pgm
    ok a.pgm --box 3 --mask m.pgm -o named.pgm
    cmp piped.pgm named.pgm
    cmp a.pgm m.pgm
}

@test "nodata: samples of that value do not count, and are the result where too few do" {
    small a.pgm
    ok a.pgm --box 1 --nodata 5 --stat mean -o o.npy
    [ "$(values o.npy)" = "1.0 2.0 3.0 4.0 5.0 6.0 7.0 8.0 9.0 1.0 2.0 3.0" ] # 5: nothing counts, and so nodata
    ok a.pgm --box 3x1 --nodata 5 --min-valid 60% --result f32 -o o.npy
    [ "$(values o.npy | cut -d' ' -f5,6)" = "5.0 6.5" ]
    "${PYTHON:-python3}" -c 'import numpy as np; np.save("tenth.npy", np.array([[0.1, 3]], np.float32))'
    ok tenth.npy --as image --box 3 --nodata 0.1 --stat count -o o.npy # rounded as the samples are
    [ "$(values o.npy)" = "1.0 1.0" ]
    "${PYTHON:-python3}" -c '
import numpy as np
np.save("nan.npy", np.array([[1, np.nan, 3], [4, 5, 6]], np.float32))'
    ok nan.npy --as image --box 3 --stat mean -o plain.npy
    [ "$(values plain.npy)" = "nan nan nan nan nan nan" ]
    ok nan.npy --as image --box 3 --nodata nan --stat mean -o o.npy
    [ "$(values o.npy)" = "3.3333332538604736 3.799999952316284 4.666666507720947 3.3333332538604736 3.799999952316284 4.666666507720947" ]
}

@test "nodata: a TIFF's own value, carried as far as it holds" {
    "${PYTHON:-python3}" -c '
import struct, sys
def tiff(name, text, values):
    text = text.encode() + b"\0"
    data = struct.pack("<4f", *values)
    tags = [(256, 3, 1, 4), (257, 3, 1, 1), (258, 3, 1, 32), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, 1, 8),
            (277, 3, 1, 1), (278, 3, 1, 1), (279, 4, 1, 16), (339, 3, 1, 3), (42113, 2, len(text), 24)]
    if len(text) <= 4: tags[-1] = (42113, 2, len(text), struct.unpack("<I", text.ljust(4, b"\0"))[0])
    body = data + text.ljust(16, b"\0")
    ifd = struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", *t) for t in tags) + bytes(4)
    open(name, "wb").write(struct.pack("<2sHI", b"II", 42, 8 + len(body)) + body + ifd)
tiff("hole.tif", "-9999", [1, -9999, 3, -9999])
tiff("nan.tif", "nan", [1, float("nan"), 3, 5])
tiff("low.tif", "-3.4028235e+38", [1, -3.4028235e+38, 3, 5])
tiff("odd.tif", "none of these", [1, -9999, 3, 5])
for name, text in (("hex", "0x10"), ("open", "nan(1"), ("far", "1e400"), ("exponent", " +1.6e1 "), ("q", "1.#QNAN00"),
                   ("n", "-nan(0x8000)"), ("d", "-1.#IND"), ("i", "1.#INF")):
    tiff(name + ".tif", text, [float("inf") if name == "i" else float("nan") if len(name) == 1 else 16, 1, 3, 5])'
    ok hole.tif --box 1 --stat mean,count -o '{stat}.npy'
    [ "$(values mean.npy)" = "1.0 -9999.0 3.0 -9999.0" ]
    [ "$(values count.npy)" = "1.0 0.0 1.0 0.0" ]
    ok hole.tif --box 3x1 --stat mean -o o.npy
    [ "$(values o.npy)" = "1.0 2.0 3.0 3.0" ]
    ok hole.tif --box 3x1 --stat mean --nodata none -o o.npy
    [ "$(values o.npy | cut -d' ' -f1)" = "-4999.0" ]
    ok hole.tif --box 3x1 --stat mean --nodata 3 -o o.npy
    [ "$(values o.npy | cut -d' ' -f1)" = "-4999.0" ]
    ok nan.tif --box 3x1 --stat mean -o o.npy
    [ "$(values o.npy)" = "1.0 2.0 4.0 4.0" ]
    ok low.tif --box 1 --stat count -o o.npy # the lowest f32, in so many digits as f32 needs
    [ "$(values o.npy)" = "1.0 0.0 1.0 1.0" ]
    noted "odd.tif: its value for no data is 'none of these', which is no number" odd.tif --box 1 --stat mean -o o.npy
    [ "$(values o.npy)" = "1.0 -9999.0 3.0 5.0" ]

    ok exponent.tif --box 1 --stat count -o o.npy
    [ "$(values o.npy)" = "0.0 1.0 1.0 1.0" ]
    for odd in q n d i; do # as Windows and C write NaN and infinities
        ok $odd.tif --box 1 --stat count -o o.npy
        [ "$(values o.npy)" = "0.0 1.0 1.0 1.0" ]
    done
    noted "far.tif: its value for no data is '1e400', which no sample can be" far.tif --box 1 --stat count -o o.npy
    for odd in hex open; do
        noted "$odd.tif: its value for no data is *, which is no number" $odd.tif --box 1 --stat count -o o.npy
        [ "$(values o.npy)" = "1.0 1.0 1.0 1.0" ]
    done

    # results that count are not the value
    "${PYTHON:-python3}" -c '
import numpy as np
np.save("flat.npy", np.array([[0, 0, 5, 5, 5, 5]], np.uint8))'
    ok -q flat.npy --box 1x1 --nodata 0 --stat std,count --result same -o '{stat}.npy'
    [ "$(values std.npy)" = "0 0 1 1 1 1" ] # a deviation of 0 is no hole

    # an output names the value that it has, and no other, in the fewest digits that are it
    ok low.tif --box 1 -o o.tif
    [[ $("$sat" info --json o.tif) == *'"nodata":"-3.4028235e+38"'* ]]
    ok hole.tif --nodata 0.1 --box 1 -o o.tif
    [[ $("$sat" info --json o.tif) == *'"nodata":"0.1"'* ]]
    ok o.tif -o t.npy
    [[ $("$sat" info --json t.npy) == *'"nodata":"0.1"'* ]]
    failure "hole.tif: serial: has no window statistics, by which boxes leave out samples that do not count; --nodata none takes all" \
        hole.tif --box 3 --backend serial -o o.tif
    ok hole.tif --box 1 --stat mean,count -o '{stat}.tif'
    grep -aq -e '-9999' mean.tif
    [ "$(grep -ac -e '-9999' count.tif)" = 0 ]
    ok mean.tif --box 1 --stat count -o o.npy
    [ "$(values o.npy)" = "1.0 0.0 1.0 0.0" ]
    ok hole.tif --box 1 --stat mean --nodata none -o all.tif
    [ "$(grep -ac -e '-9999' all.tif)" = 0 ]
    ok -q nan.tif --box 1 --threshold mean -o t.tif
    [ "$(grep -ac nan t.tif)" = 0 ]
    ok hole.tif --box 3 -o box.tif
    grep -aq -e '-9999' box.tif
}

@test "nodata: a blur is of what counts, pass after pass, and no other result is the value" {
    pgm() { printf 'P2\n%d 1\n255\n' "$(wc -w <<<"$2")" >"$1" && echo "$2" >>"$1"; }
    pgm a.pgm "9 9 0 9 0 0 0 0 0 4"
    ok -q a.pgm --box 3x1 --nodata 0 -o o.pgm
    [ "$(pixels o.pgm 10)" = "9 9 9 9 9 0 0 0 4 4" ]
    ok -q a.pgm --box 3x1 --nodata 0 --passes 2 -o o.pgm # what is filled counts in the next pass
    [ "$(pixels o.pgm 10)" = "9 9 9 9 9 9 0 4 4 4" ]
    noted "a.pgm: 1 of 10 results are 0, as no samples of their windows count" \
        a.pgm --box 3x1 --nodata 0 --passes 2 -o o.pgm
    pgm m.pgm "1 1 0 1 0 0 0 0 0 1"
    ok -q a.pgm --box 3x1 --mask m.pgm --passes 2 -o masked.pgm # the same without a value
    cmp o.pgm masked.pgm
    ok -q a.pgm --box 3x1 --mask m.pgm --passes 3 --result f32 -o o.npy
    [ "$(values o.npy)" = "9.0 9.0 9.0 9.0 9.0 9.0 6.5 4.0 4.0 4.0" ]
    pgm b.pgm "1 3 2 0 255 255"
    "$sat" b.pgm --box 3x1 --nodata 2 -v -o o.pgm 2>log # (1 + 3) / 2 is no hole, and neither is 3 + 0 by 2
    [ "$(pixels o.pgm 6)" = "3 3 3 128 170 255" ]
    grep -q "b.pgm: 3 results that would have been 2 are beside it" log
    "$sat" b.pgm --box 3x1 --nodata 2 -v --stat mean --result same -o o.pgm 2>log
    [ "$(pixels o.pgm 6)" = "3 3 3 128 170 255" ]
    grep -q "b.pgm: 3 results that would have been 2 are beside it" log
    noted "a.pgm: 6 of 10 results are 0, as their pixels do not count, or too few samples around them" \
        a.pgm --box 3x1 --nodata 0 --keep-holes --stat mean --result same -o o.pgm
    pgm k.pgm "100 100 100 100 100 100"
    pgm h.pgm "1 1 1 0 0 0"
    ok -q k.pgm --box 3 --mask h.pgm --border constant:100 --passes 3 -o o.pgm # the edge counts in each pass
    [ "$(pixels o.pgm 6)" = "100 100 100 100 100 100" ]
    noted "a.pgm: 6 of 10 results are 0, as their pixels do not count, or too few samples around them" \
        a.pgm --box 3x1 --nodata 0 --keep-holes -o o.pgm
    printf 'P7\nWIDTH 3\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n\1\377\11\0\5\1' >alpha.pam
    pgm one.pgm "1 1 1"
    "$sat" -q alpha.pam --box 1 --mask - -o piped.npy <one.pgm # is read once
    ok -q alpha.pam --box 1 --mask one.pgm -o o.npy
    cmp piped.npy o.npy
    [ "$(values o.npy)" = "1 0 5" ]
    noted "alpha.pam: the result is without alpha; *" alpha.pam --box 3 --mask one.pgm -o o.pgm # which holds none
    [ "$(pixels o.pgm 3)" = "1 3 5" ]
    ok -q alpha.pam --box 3 --alpha straight -o plain.npy # a channel like the others: a mask of ones changes nothing
    ok -q alpha.pam --box 3 --alpha straight --mask one.pgm -o o.npy
    cmp plain.npy o.npy
    [ "$(values o.npy)" = "5.0 128.0 5.0 85.0 7.0 1.0" ] || [ "$(values o.npy)" = "5 128 5 85 7 1" ]
    failure "o.pgm: *" alpha.pam --box 3 -o o.pgm
    failure "o.pgm: *" alpha.pam --gauss 1 --mask one.pgm -o o.pgm
    ok a.pgm --box 3x1 --nodata none -o plain.pgm
    ok a.pgm --box 3x1 -o o.pgm
    cmp o.pgm plain.pgm
}

@test "nodata: a mask of ones, and a value that no sample has, change nothing" {
    "${PYTHON:-python3}" -c '
import numpy as np
rng = np.random.default_rng(3)
for t in ("u1", "i2", "u4"):
    np.save(t + ".npy", rng.integers(1, 100, (40, 61, 3)).astype(t))
np.save("ones.npy", np.ones((40, 61), np.uint8))'
    for t in u1 i2 u4; do
        for how in "--box 5" "--box 4x7 --border wrap --passes 3" "--box 3 --border constant:9 --result f64"; do
            # shellcheck disable=SC2086
            ok $t.npy --as image $how -o plain.npy && ok $t.npy --as image $how --mask ones.npy -o masked.npy &&
                ok $t.npy --as image $how --nodata 101 -o valued.npy
            cmp plain.npy masked.npy
            cmp plain.npy valued.npy
        done
    done
}

@test "a mask of truths, as NumPy saves them" {
    small a.pgm
    "${PYTHON:-python3}" -c 'import numpy as np; np.save("m.npy", np.arange(12).reshape(3, 4) % 2 == 0)'
    ok a.pgm --box 1 --stat count --mask m.npy -o o.npy
    [ "$(values o.npy)" = "1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0" ]
}

@test "alpha: pixels that are transparent do not count, and outputs have the colours alone" {
    printf 'P7\nWIDTH 3\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n\1\377\11\0\5\1' >a.pam
    noted "a.pam: results are without alpha; pixels whose alpha is 0 do not count" \
        a.pam --box 3 --stat mean,count -o '{stat}.npy'
    [ "$(values mean.npy)" = "1.0 3.0 5.0" ]
    noted "a.pam: results are without alpha" a.pam --box 3 --stat mean --alpha straight -o mean.npy
    [ "$(values mean.npy)" = "5.0 5.0 7.0" ]
    failure "a.pam: --border constant has 2 values, but the image has 1 channel beside alpha" \
        a.pam --box 3 --stat mean --border constant:1,2 -o mean.npy
    usage "--alpha weighted: *" a.pam --box 3 --stat mean --alpha weighted -o mean.npy
}

@test "several inputs and several statistics: an output for each" {
    small a.pgm
    grey 9 7 b.pgm
    mkdir out
    ok a.pgm b.pgm --box 3 --stat mean,std -o 'out/{stem}_{stat}.tif'
    [ "$(cd out && echo *)" = "a_mean.tif a_std.tif b_mean.tif b_std.tif" ]
    usage "-o x.tif: all statistics of a.pgm would be written there; *" a.pgm --box 3 --stat mean,std -o x.tif
    usage "-o a.pgm and b.pgm would both write x_mean.tif" a.pgm b.pgm --box 3 --stat mean -o 'x_{stat}.tif'
    usage "-o 'x_{stat}.tif': {stat} needs --stat" a.pgm --box 3 -o 'x_{stat}.tif'
    usage "-o 'x_{stats}.tif': the placeholders are {stem} {name} {ext} {dir} {n}, and*" a.pgm --box 3 -o 'x_{stats}.tif'
}

@test "no output appears when one of them fails" {
    small a.pgm
    mkdir blocked_std.tif
    sat a.pgm --box 3 --stat mean,std -o 'blocked_{stat}.tif'
    [ "$status" != 0 ]
    [ ! -e blocked_mean.tif ]
}

@test "what is refused" {
    small a.pgm
    usage "--stat 'maen': there is no such statistic; did you mean mean?" a.pgm --box 3 --stat std,maen -o 'o.{stat}.tif'
    usage "--threshold 'savola': there is no such threshold; did you mean sauvola?" a.pgm --box 3 --threshold savola -o o.tif
    usage "--stat 'nope': there is no such statistic; there are mean, *" a.pgm --box 3 --stat nope -o o.tif
    usage "--threshold 'std': there is no such threshold; there are mean, *" a.pgm --box 3 --threshold std -o o.tif
    usage "--stat: 'z=1' is no parameter of sauvola; it has k, r, range" a.pgm --box 3 --stat sauvola:z=1 -o o.tif
    usage "--stat: r=0 of sauvola: a number above 0" a.pgm --box 3 --stat sauvola:r=0 -o o.tif
    usage "--threshold: r=-1 of wolf: a number above 0" a.pgm --box 3 --threshold wolf:r=-1 -o o.tif
    usage "--stat: k of sauvola is set twice" a.pgm --box 3 --stat sauvola:k=1,k=2 -o o.tif
    usage "--stat 'sauvola:': a parameter, KEY=VALUE, stands after a colon" a.pgm --box 3 --stat sauvola: -o o.tif
    usage "--stat 'mean:std': a parameter, KEY=VALUE, stands after a colon" a.pgm --box 3 --stat mean:std -o o.tif
    failure "a.pgm: --nodata 300: no u8 sample can be that" a.pgm --box 3 --nodata 300 -o o.tif
    failure "a.pgm: --nodata -1: no u8 sample can be that" a.pgm --box 3 --nodata=-1 -o o.tif
    failure "a.pgm: --nodata 0.5: no u8 sample can be that" a.pgm --box 3 --nodata 0.5 -o o.tif
    failure "a.pgm: --nodata nan: of u8 samples none is NaN" a.pgm --box 3 --nodata nan -o o.tif
    usage "--stat: std has no parameters" a.pgm --box 3 --stat std:k=1 -o o.tif
    usage "--stat: k=x of niblack: a number" a.pgm --box 3 --stat niblack:k=x -o o.tif
    usage "--stat 'k=1': a statistic's name comes first" a.pgm --box 3 --stat k=1 -o o.tif
    usage "--stat: mean is named twice" a.pgm --box 3 --stat mean,mean -o o.tif
    usage "--stat and --threshold: one or the other" a.pgm --box 3 --stat mean --threshold nick -o o.tif
    for out in o.npy o.png o; do
        usage "--threshold is for windows: --box N" a.pgm --threshold nick -o $out
        usage "--min-valid is for windows: --box N" a.pgm --min-valid 3 -o $out
        usage "--stat is for --mean and --rects, or for windows: --box N" a.pgm --stat var -o $out
    done
    usage "--threshold is for windows: --box N" a.pgm --threshold nick
    usage "-o o.tif: an image needs --box N*" a.pgm --mask a.pgm -o o.tif
    usage "--threshold does not go with --mean" a.pgm --mean 0,0,1,1 --threshold nick
    usage "--passes does not go with statistics of windows" a.pgm --box 3 --stat mean --passes 2 -o o.tif
    usage "--min-valid '0': *" a.pgm --box 3 --min-valid 0 -o o.tif
    usage "--min-valid '101%': *" a.pgm --box 3 --min-valid 101% -o o.tif
    usage "--result does not go with --threshold*" a.pgm --box 3 --threshold mean --result f32 -o o.tif
    usage "--nodata 'x': *" a.pgm --box 3 --nodata x -o o.tif
    usage "--ddof '-1': *" a.pgm --box 3 --ddof=-1 --stat var -o o.tif
}
