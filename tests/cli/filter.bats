# Box filters: windows, borders, passes, alpha, formats, streams.

load helpers

# filtered ARGS... - the 12 pixels of the small image after the filter.
filtered() {
    small a.pgm
    "$sat" a.pgm "$@" -o out.pgm || return 1
    pixels out.pgm 12
}

@test "the mean of the pixels inside the image, rounded to nearest, halves up" {
    # 1 2 3 4 / 5 6 7 8 / 9 1 2 3 with 3x3: 14/4 24/6 30/6 22/4 / 24/6 36/9 36/9 27/6 / 21/4 30/6 27/6 20/4
    [ "$(filtered --box 3)" = "4 4 5 6 4 4 4 5 5 5 5 5" ]
    [ "$(filtered --radius 1)" = "4 4 5 6 4 4 4 5 5 5 5 5" ]
    [ "$(filtered --box 3 --border shrink)" = "4 4 5 6 4 4 4 5 5 5 5 5" ]
}

@test "a window of one pixel changes nothing" {
    [ "$(filtered --box 1)" = "1 2 3 4 5 6 7 8 9 1 2 3" ]
    [ "$(filtered --radius 0)" = "1 2 3 4 5 6 7 8 9 1 2 3" ]
}

@test "width and height may differ" {
    # 3x1: 3/2 6/3 9/3 7/2 / 11/2 18/3 21/3 15/2 / 10/2 12/3 6/3 5/2
    [ "$(filtered --box 3x1)" = "2 2 3 4 6 6 7 8 5 4 2 3" ]
    [ "$(filtered --radius 1x0)" = "2 2 3 4 6 6 7 8 5 4 2 3" ]
    # 1x3: 6/2 8/2 10/2 12/2 / 15/3 9/3 12/3 15/3 / 14/2 7/2 9/2 11/2
    [ "$(filtered --box 1x3)" = "3 4 5 6 5 3 4 5 7 4 5 6" ]
}

@test "an even side reaches further to the left" {
    # 2x1 is x-1, x: 1 3/2 5/2 7/2 / 5 11/2 13/2 15/2 / 9 10/2 3/2 5/2
    [ "$(filtered --box 2x1)" = "1 2 3 4 5 6 7 8 9 5 2 3" ]
}

@test "every border" {
    # 3x1 on rows 1 2 3 4 / 5 6 7 8 / 9 1 2 3, the outer columns of each row
    [ "$(filtered --box 3x1 --border replicate)" = "1 2 3 4 5 6 7 8 6 4 2 3" ]  # (1+1+2)/3 .. (3+4+4)/3
    [ "$(filtered --box 3x1 --border reflect)" = "1 2 3 4 5 6 7 8 6 4 2 3" ]    # as replicate for radius 1
    [ "$(filtered --box 3x1 --border reflect101)" = "2 2 3 3 6 6 7 7 4 4 2 2" ] # (2+1+2)/3 .. (3+4+3)/3
    [ "$(filtered --box 3x1 --border wrap)" = "2 2 3 3 6 6 7 7 4 4 2 5" ]       # (4+1+2)/3 .. (3+4+1)/3
    [ "$(filtered --box 3x1 --border constant:0)" = "1 2 3 2 4 6 7 5 3 4 2 2" ] # (0+1+2)/3 .. (3+4+0)/3
    [ "$(filtered --box 3x1 --border constant:100)" = "34 2 3 36 37 6 7 38 37 4 2 35" ]
}

@test "every border of the help works with a window larger than the image" {
    small a.pgm
    borders=$("$sat" --help | sed -n 's/^borders: *//p' | sed 's/:V[^ ]*/:7/g')
    [ "$(wc -w <<<"$borders")" -ge 6 ]
    for border in $borders; do
        ok a.pgm --box 99x77 --border "$border" -o out.pgm
        ok a.pgm --box 2147483647x3 --border "$border" -o out.pgm
    done
    ok a.pgm --box 2147483647 --border shrink -o out.pgm
    failure "a.pgm: *2^64*" a.pgm --box 2147483647 --border wrap -o no.pgm # no sum could hold it
    # shrink: the whole image everywhere, 51/12
    [ "$(filtered --box 99)" = "4 4 4 4 4 4 4 4 4 4 4 4" ]
}

@test "a constant border has one value, or one for each channel, in the range of the samples" {
    colour 5 4 c.ppm
    ok c.ppm --box 3 --border constant:1,2,3 -o out.ppm
    ok c.ppm --box 3 --border constant:1 -o out.ppm
    failure "c.ppm: --border constant has 2 values, but the image has 3 channels" c.ppm --box 3 --border constant:1,2 -o no.ppm
    failure "c.ppm: *256*" c.ppm --box 3 --border constant:256 -o no.ppm
    failure "c.ppm: *" c.ppm --box 3 --border constant:-1 -o no.ppm
    failure "c.ppm: *" c.ppm --box 3 --border constant:1.5 -o no.ppm
    [ ! -e no.ppm ]
    floats 4 4 f.pfm
    ok f.pfm --box 3 --border constant:-1.5 -o out.pfm
    ok f.pfm --box 3 --border constant:-3.4e38 -o out.pfm
    failure "f.pfm: a border value of 1e+39; f32 samples go from -3.40282347e+38 to 3.40282347e+38" f.pfm --box 3 --border constant:1e39 -o no.pfm
}

@test "passes are what filtering again is" {
    colour 61 47 c.ppm
    ok c.ppm --box 5 -o p1.ppm
    ok p1.ppm --box 5 -o p2.ppm
    ok p2.ppm --box 5 -o p3.ppm
    ok c.ppm --box 5 --passes 3 -o all.ppm
    cmp p3.ppm all.ppm
    ok c.ppm --box 5 --passes 2 -o all.ppm
    cmp p2.ppm all.ppm
    ok c.ppm --box 5 --passes 1 -o all.ppm
    cmp p1.ppm all.ppm
}

@test "colours are averaged with their alpha, unless it is to be straight" {
    # RGBA: opaque red beside transparent green
    printf 'P7\nWIDTH 2\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n\377\0\0\377\0\377\0\0' >a.pam
    ok a.pam --box 3 -o out.pam
    [ "$(pixels out.pam 8)" = "255 0 0 128 255 0 0 128" ]
    ok a.pam --box 3 --alpha weighted -o out.pam
    [ "$(pixels out.pam 8)" = "255 0 0 128 255 0 0 128" ]
    ok a.pam --box 3 --alpha straight -o out.pam
    [ "$(pixels out.pam 8)" = "128 128 0 128 128 128 0 128" ]
    small a.pgm # without alpha it makes no difference
    ok a.pgm --box 3 --alpha weighted -o w.pgm
    ok a.pgm --box 3 --alpha straight -o s.pgm
    cmp w.pgm s.pgm
}

@test "where alpha is 0 in all of the window, the pixel becomes transparent black, as the manual says" {
    # RGBA: three transparent pixels, white, then one that is opaque
    { printf 'P7\nWIDTH 4\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n'
        printf '\377\377\377\0\377\377\377\0\377\377\377\0\12\24\36\377'; } >a.pam
    ok a.pam --box 3x1 -o out.pam
    [ "$(pixels out.pam 16)" = "0 0 0 0 0 0 0 0 10 20 30 85 10 20 30 128" ]
    grep -q 'alphas that sum to 0 .*: all its channels become 0' "$root/packaging/sat.1"
}

@test "sums of colour times alpha that 64 bits cannot hold: the line names what would do" {
    printf 'P7\nWIDTH 1\nHEIGHT 1\nDEPTH 2\nMAXVAL 65535\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\nabcd' >a.pam
    failure "a.pam: *70000 wide and 70000 high: *u16 samples, each times its alpha, could exceed 2^64; --alpha straight *" \
        a.pam --box 70000 --border replicate -o out.pam
    ok a.pam --box 70000 --border replicate --alpha straight -o out.pam
    [ "$(pixels out.pam 4)" = "97 98 99 100" ]
    # Nothing sums 2^62 samples of 16 bits, so nothing is named.
    failure "a.pam: *could exceed 2^64" a.pam --box 2147483647 --border replicate -o out.pam
}

@test "little work is done by one thread, unless more are asked for" {
    colour 200 40 a.ppm
    for what in "a.ppm --box 3 -o out.ppm" "a.ppm -o out.npy" "query a.ppm --rect 0,0,1,1"; do
        # shellcheck disable=SC2086
        sat $what --backend cpu -v
        echo "$stderr"
        [[ $stderr == *"cpu, "*", 1 thread"* ]]
        # shellcheck disable=SC2086
        sat $what --backend cpu -v --threads 2
        [[ $stderr == *"cpu, "*", 2 threads"* ]]
    done
    sat bench --size 600 --backend cpu --repeat 1 -v --threads 2
    [[ $output == *"of which 2 used"* && $stderr == *"cpu: cpu, "*", 2 threads"* ]]
}

@test "every backend, thread count and format gives the same pixels" {
    colour 201 99 c.ppm
    ok c.ppm --box 7x5 -o want.ppm
    for backend in $(backends_here); do
        for threads in 0 1 2 7; do
            ok c.ppm --box 7x5 -o out.ppm --backend "$backend" --threads $threads
            cmp want.ppm out.ppm
        done
    done
    for format in png bmp tga; do # those that lose nothing
        ok c.ppm --box 7x5 -o "out.$format"
        ok "out.$format" --box 1 -o back.ppm
        cmp want.ppm back.ppm
    done
}

@test "16 bits and floats stay what they are, or the output is refused before it is made" {
    colour 9 7 c16.ppm 65535
    ok c16.ppm --box 3 -o out.png
    ok info out.png
    [[ $output == *"type        u16"* ]]
    failure "out.jpg: JPEG holds u8 samples, not u16; use .png, *" c16.ppm --box 3 -o out.jpg
    floats 4 4 f.pfm
    ok f.pfm --box 3 -o out.pfm
    failure "no.png: PNG holds u8 and u16 samples, not f32; use *; --scale LO:HI makes u8" f.pfm --box 3 -o no.png
    failure "no.pgm: *" f.pfm --box 3 -o no.pgm
    [ ! -e out.jpg ]
    [ ! -e no.png ]
    [ ! -e no.pgm ]
    no_leftovers
}

@test "standard input and standard output" {
    small a.pgm
    ok a.pgm --box 3 -o want.pgm
    "$sat" - --box 3 -o - --format pnm <a.pgm >out.pgm
    cmp want.pgm out.pgm
    cat a.pgm | "$sat" - --box 3 -o - --format pnm | cat >out.pgm
    cmp want.pgm out.pgm
    "$sat" a.pgm --box 3 -o /dev/stdout --format pnm >out.pgm
    cmp want.pgm out.pgm
    ok - --box 3 -o out2.pgm <a.pgm
    cmp want.pgm out2.pgm
}

@test "--format wins over the extension" {
    small a.pgm
    ok a.pgm --box 3 --format png -o out.pgm
    ok info out.pgm
    [[ $output == *"format      png"* ]]
    ok a.pgm --format npy -o out.pgm
    ok info out.pgm
    [[ $output == *"table (.npy)"* ]]
}

@test "a TIFF is compressed as it is asked for" {
    colour 60 40 c.ppm
    ok c.ppm --box 3 -o plain.tif
    for name in deflate none lzw zstd packbits; do
        ok c.ppm --box 3 --tiff-compression $name -o $name.tif
        ok $name.tif --box 1 -o $name.ppm
        cmp deflate.ppm $name.ppm
        "${PYTHON:-python3}" -c '
import struct, sys
b = open(sys.argv[1], "rb").read()
at = struct.unpack_from("<I", b, 4)[0]
tags = [struct.unpack_from("<HHII", b, at + 2 + 12 * i) for i in range(struct.unpack_from("<H", b, at)[0])]
print(*(t[3] & 0xffff for t in tags if t[0] == 259))' $name.tif >>codes
    done
    [ "$(tr "\n" " " <codes)" = "8 1 5 50000 32773 " ]
    cmp plain.tif deflate.tif
    usage "--tiff-compression 'lz': there are deflate none lzw zstd packbits fax4 fax3" \
        c.ppm --box 3 --tiff-compression lz -o o.tif
    for name in fax4 fax3; do
        usage "--tiff-compression $name is for results of one bit: --threshold" c.ppm --box 3 --tiff-compression $name -o o.tif
        usage "--tiff-compression $name is for results of one bit: --threshold" \
            c.ppm --box 3 --stat mean --tiff-compression $name -o o.tif
        failure "o.tif: --tiff-compression $name is for results of one bit: --threshold of one channel" \
            c.ppm --box 3 --threshold mean --tiff-compression $name -o o.tif
        ok c.ppm --gray --box 3 --threshold mean --tiff-compression $name -o $name.tif
        ok c.ppm --gray --box 3 --threshold mean -o bits.pgm
        ok $name.tif --box 1 -o same.pgm
        cmp bits.pgm same.pgm
    done
    [ ! -e o.tif ]
    usage "--tiff-compression is for TIFF, and -o o.png is none" c.ppm --box 3 --tiff-compression lzw -o o.png
}

@test "quality makes a JPEG larger" {
    colour 200 150 c.ppm
    ok c.ppm --box 3 --quality 10 -o low.jpg
    ok c.ppm --box 3 --quality 95 -o high.jpg
    [ "$(wc -c <low.jpg)" -lt "$(wc -c <high.jpg)" ]
    ok c.ppm c.ppm --box 3 --quality 10 -o 'c{n}.{ext}' --format jpeg
}

@test "thin, tiny and long images" {
    for size in "1 1" "1 3000" "3000 1" "2 2"; do
        # shellcheck disable=SC2086 # width and height
        grey $size a.pgm
        ok a.pgm --box 15 -o out.pgm
        ok a.pgm --box 201x1 --border wrap -o out.pgm
    done
    printf 'P5 1 1 255\n\52' >a.pgm
    ok a.pgm --box 31 -o out.pgm
    [ "$(pixels out.pgm 1)" = 42 ]
    grey 1 100000 a.pgm
    ok a.pgm --box 3 -o out.png
    ok a.pgm -o out.npy
    ok query out.npy --rect 0,99999,1,1 --stat mean
}

@test "--max-pixels refuses before decoding" {
    small a.pgm
    ok a.pgm --box 3 --max-pixels 12 -o out.pgm
    failure "a.pgm: *" a.pgm --box 3 --max-pixels 11 -o no.png
    printf 'P5 1000000 1000000 255\n' >huge.pgm
    failure "huge.pgm: *" huge.pgm --box 3 -o no.pgm
    printf 'P5 99999999999999999999 1 255\n' >huge.pgm
    failure "huge.pgm: *" huge.pgm --box 3 -o no.pgm
    [ ! -e no.pgm ]
}

@test "bad inputs: one line each, status 1, no output" {
    : >empty.pgm
    mkdir dir.pgm
    small a.pgm
    head -c 18 a.pgm >cut.pgm
    echo "this is no image" >text.pgm
    for input in missing.pgm empty.pgm dir.pgm cut.pgm text.pgm missing/a.pgm ""; do
        failure "${input:-''}: ?*" "$input" --box 3 -o no.pgm
        failure "${input:-''}: ?*" "$input" -o no.npy
        failure "${input:-''}: ?*" "$input" --mean 0,0,1,1
    done
    failure "standard input: ?*" - --box 3 -o no.pgm </dev/null
    # Not through run: with standard input closed, bash would give its number to a pipe of its own.
    status=0
    "$sat" - --box 3 -o no.pgm <&- 2>err || status=$?
    [ $status = 1 ]
    [[ $(<err) == "sat: standard input: "* ]]
    [ ! -e no.pgm ]
    [ ! -e no.npy ]
    no_leftovers
}

@test "an unreadable input" {
    not_root
    small a.pgm
    chmod 0 a.pgm
    failure "a.pgm: *ermission*" a.pgm --box 3 -o no.pgm
}

@test "an extension of Netpbm that promises what the image is not is refused" {
    small grey.pgm
    colour 4 3 rgb.ppm
    failure "out.pgm: PGM holds grey, not RGB; use .ppm" rgb.ppm --box 3 -o out.pgm
    failure "OUT.PGM: PGM holds grey, not RGB; use .ppm" rgb.ppm --box 3 -o OUT.PGM
    failure "standard output: PGM holds grey, *" rgb.ppm --box 3 --format pgm -o -
    failure "out.pbm: PBM holds black and white alone; use .pgm" grey.pgm --box 3 -o out.pbm
    no_outputs=$(find . -iname 'out*')
    [ -z "$no_outputs" ]
    for name in out.ppm out.pnm; do
        ok rgb.ppm --box 3 -o $name
        [ "$(head -c2 $name)" = P6 ]
        ok grey.pgm --box 3 -o $name # what reads PPM reads PGM
        [ "$(head -c2 $name)" = P5 ]
    done
    ok rgb.ppm --box 3 --format ppm -o out.pgm # --format goes before the extension
    [ "$(head -c2 out.pgm)" = P6 ]
}

@test "-v says what is done, and standard output stays clean" {
    small a.pgm
    sat a.pgm --box 3 -v -o out.pgm
    [ "$status" = 0 ]
    [ -z "$output" ]
    [[ $stderr == *"a.pgm: pnm, 4x3 px, 1 channel, u8"* ]]
    [[ $stderr == *"window 3x3 px, 1 pass, border shrink"* ]]
    [[ $stderr == *"read, computed and written in "*" ms"* ]]
    ok a.pgm --box 3 -q -o out.pgm
}

@test "--no-orient: the pixels as they lie, and what is written says so as its input did" {
    blocks=$(printf -- ' --rect %d,%d,8,8' 4 4 20 4 36 4 4 20 20 20 36 20)
    # near A B - the same rectangles, with means that differ by a level at most, as a JPEG's may.
    near() { paste -d, "$1" "$2" | awk -F, 'NR > 1 && ($5 - $10) ^ 2 > 1 { bad = 1 } END { exit bad || NR != 7 }'; }
    for k in 1 2 3 4 5 6 7 8; do
        for in in "$root/tests/data/codecs/orient$k."{png,jpg}; do
            # shellcheck disable=SC2086 # words
            "$sat" query "$in" --stat mean $blocks >upright
            "$sat" info --no-orient "$in" | grep size >size
            for out in out.png out.jpg; do
                ok "$in" --no-orient --box 1 -o $out
                # shellcheck disable=SC2086 # words
                "$sat" query $out --stat mean $blocks | near upright -
                "$sat" info --no-orient $out | grep size | diff size -
                ok "$in" --box 1 -o $out
                "$sat" info --no-orient $out | grep -q ' 48 x 32 px'
            done
        done
    done
}

# dot FILE - a PFM of 81x81, black but for its middle.  centroid FILE - twice the mean x, y of a PFM of 81x81, each pixel
# as often as its sample says.
dot() {
    python3 -c 'import array, sys
a = array.array("f", [0] * 81 * 81)
a[40 * 81 + 40] = 1e6
open(sys.argv[1], "wb").write(b"Pf\n81 81\n-1.0\n" + a.tobytes())' "$1"
}
centroid() {
    python3 -c 'import array, sys
a = array.array("f", open(sys.argv[1], "rb").read()[-4 * 81 * 81:])
rows_up = [a[i:i + 81] for i in range(0, len(a), 81)]
whole = sum(a)
x = sum(i * v for row in rows_up for i, v in enumerate(row))
y = sum((80 - i) * v for i, row in enumerate(rows_up) for v in row)
print(round(2 * x / whole, 2), round(2 * y / whole, 2))' "$1"
}

@test "passes of an even side leave the picture in its place, but for half a pixel after an odd number" {
    dot dot.pfm
    [ "$(centroid dot.pfm)" = "80.0 80.0" ]
    for side in 2 10; do
        for passes in 1 2 3 4; do
            ok dot.pfm --box "$side" --passes "$passes" -o out.pfm
            [ "$(centroid out.pfm)" = "$([ $((passes % 2)) = 0 ] && echo 80.0 80.0 || echo 81.0 81.0)" ]
        done
    done
    ok dot.pfm --box 10x7 --passes 3 -o out.pfm
    [ "$(centroid out.pfm)" = "81.0 80.0" ]
    ok dot.pfm --box 7 --passes 3 -o out.pfm
    [ "$(centroid out.pfm)" = "80.0 80.0" ]
}

@test "a grey BMP stays grey" {
    grey 37 29 a.pgm
    ok a.pgm --box 3 -o want.pgm
    ok a.pgm --box 1 -o a.bmp
    ok info a.bmp
    [[ $output == *"channels    1 (grey)"* ]]
    ok a.bmp --box 3 -o out.pgm # which holds no colour
    cmp want.pgm out.pgm
    ok a.bmp --box 1 -o b.bmp
    cmp a.bmp b.bmp
    cat a.bmp | "$sat" - --mean 0,0,37,29 >got
    "$sat" a.pgm --mean 0,0,37,29 | cmp - got
}

@test "--result makes floats of the means, in the formats that hold them" {
    small a.pgm
    ok a.pgm --box 3 --result f32 -o out.npy
    ok a.pgm --box 3 --result f32 -o out.pfm
    "${PYTHON:-python3}" - <<'END' || false
import numpy as np
image = np.array([[1, 2, 3, 4], [5, 6, 7, 8], [9, 1, 2, 3]])
padded, ones = np.pad(image, 1), np.pad(np.ones_like(image), 1)
total, area = (sum(a[y:y + 3, x:x + 4] for y in range(3) for x in range(3)) for a in (padded, ones))
want = (total / area).astype("f4")
have = np.load("out.npy")
assert have.dtype == "f4" and (have == want).all(), have
pfm = np.frombuffer(open("out.pfm", "rb").read().split(b"\n", 3)[3], "<f4").reshape(3, 4)[::-1]
assert (pfm == want).all(), pfm
END
    ok a.pgm --box 3 --result same -o out.pgm
    [ "$(pixels out.pgm 12)" = "4 4 5 6 4 4 4 5 5 5 5 5" ]
    run -0 "$sat" -v a.pgm --box 3 --result f32 -o out.npy
    [[ $output == *"results of f32; "* ]]
}

@test "--result: what cannot hold it is refused with what can, before anything is computed" {
    small a.pgm
    printf 'P7\nWIDTH 1\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\nab' >a.pam
    failure "out.png: --result f32: PNG holds u8 and u16 samples, not f32; use *.pfm, *.npy; --scale LO:HI makes u8" a.pgm --box 3 --result f32 -o out.png
    failure "out.pfm: --result f32: PFM holds no alpha; use *.npy" a.pam --box 3 --result f32 -o out.pfm
    [ ! -e out.png ] && [ ! -e out.pfm ]
    usage "*--result 'u9': same, f16, f32 or f64*" a.pgm --box 3 --result u9 -o out.png
    usage "*--result is for --box, not for tables*" a.pgm --result f32 -o out.npy
}

@test "--result: passes after the first are of floats, as if they had been saved" {
    small a.pgm
    ok a.pgm --box 4x3 --result f32 --passes 3 -o three.npy
    ok a.pgm --box 4x3 --result f32 --passes 2 -o two.npy
    ok a.pgm --box 4x3 --result f32 -o one.npy
    # The anchor of a side that is even alternates: a second pass alone would reach to the other side.
    ok a.pgm --box 3 --result f32 -o odd.npy
    ok odd.npy --box 3 -o odd2.npy
    ok a.pgm --box 3 --result f32 --passes 2 -o both.npy
    cmp odd2.npy both.npy
    ! cmp -s one.npy two.npy && ! cmp -s two.npy three.npy
}

@test "--result f16 and --scale: files of other types, and what is refused" {
    printf 'P5\n2 2\n65535\n\0\0\1\1\200\0\377\377' >deep.pgm
    ok deep.pgm --box 1 --scale 8bit -o o.jpg
    ok deep.pgm --box 1 --scale 8bit -o o.pgm
    [ "$(tail -c 4 o.pgm | od -An -tu1)" = "   0   1 128 255" ]
    noted "deep.pgm: 2 of 4 samples lay beyond the range of u8 and were clipped" deep.pgm --box 1 --scale 257:32768 -o o.pgm
    [ "$(tail -c 4 o.pgm | od -An -tu1)" = "   0   0 255 255" ]
    ok deep.pgm --gauss 1 --linear --scale 8bit -o o.png
    ok -q deep.pgm --dog 1,2 --scale=-1000:1000 -o o.png # differences, some below 0
    ok info o.png
    [[ $output == *"type        u8"* ]]
    ok deep.pgm --box 1 --result f16 -o o.tif
    ok info o.tif
    [[ $output == *"type        f32"* ]] # as they are read
    ok deep.pgm --box 1 --result f16 -o o.npy
    [ "$(tail -c 8 o.npy | od -An -tx2)" = " 0000 5c04 7800 7c00" ]
    failure "o.npy: sum: it can reach 65535, and f16 is exact up to 2^11; ask for f32" deep.pgm --box 1 --stat sum --result f16 -o o.npy
    failure "o.npy: count: it can reach 2209, and f16 is exact up to 2^11; ask for f32" deep.pgm --box 47 --stat count --result f16 -o o.npy
    ok deep.pgm --box 45 --stat count --result f16 -o o.npy
    failure "o.png: --result f16: PNG holds u8 and u16 samples, not f16; use .tif or .npy; --scale LO:HI makes u8" deep.pgm --box 1 --result f16 -o o.png
    failure "o.pfm: --scale is to u8: PFM holds f32 samples, not u8; use *" deep.pgm --box 1 --scale 8bit -o o.pfm
    floats 4 4 f.pfm
    failure "f.pfm: --scale 8bit is of samples of u16, and these are f32: --scale LO:HI" f.pfm --box 1 --scale 8bit -o o.png
    ok -q f.pfm --box 1 --scale 0:10 -o o.png
    for bad in 8 8bits 1:1 2:1 : 1: :1 1:2:3 nan:1 0:inf ''; do
        usage "--scale '$bad': 8bit, *" deep.pgm --box 1 "--scale=$bad" -o o.png
    done
    usage "--scale writes samples of 8 bits; it does not go with --result" deep.pgm --box 1 --result f32 --scale 8bit -o o.png
    usage "--scale does not go with statistics of windows" deep.pgm --box 3 --stat mean --scale 8bit -o o.png
    usage "--scale is for --box, not for tables" deep.pgm --scale 8bit -o t.npy
    usage "--scale does not go with --mean" deep.pgm --scale 8bit --mean 0,0,1,1
}

@test "--box S and --radius R with fractions: a square around the pixel, its rim by the fraction" {
    printf 'P2\n7 1\n255\n0 0 0 210 0 0 0' >dot.pgm
    ok dot.pgm --box 3.5 --border constant:0 --result f64 -o o.npy # 1 / 3.5 of 3.5 rows, of which one is there
    tail -c +129 o.npy | od -An -tf8 -w56 -v | head -1 | tr -s ' ' | grep -q '^ 0 4.28.* 17.14.* 17.14.* 17.14.* 4.28.* 0$'
    ok dot.pgm --radius 1.25 --border constant:0 --result f64 -o r.npy
    cmp o.npy r.npy
    ok dot.pgm --radius 0.5 -o o.pgm
    [ "$(pixels o.pgm 7)" = "0 0 53 105 53 0 0" ]
    usage "--passes is for windows whose sides are whole numbers, not for --box" dot.pgm --box 2.5 --passes 2 -o o.pgm
    usage "--radius: statistics are of windows whose sides are whole numbers" dot.pgm --radius 2.5 --stat mean,std -o o.tif
    usage "--box: statistics are of windows whose sides are whole numbers" dot.pgm --box 2.5 --threshold nick -o o.tif
    usage "--box '2.5x3': *" dot.pgm --box 2.5x3 -o o.pgm
    usage "--box '32768.5': *" dot.pgm --box 32768.5 -o o.pgm
    usage "--min-valid 3: of --box it is a share of the weight, *" dot.pgm --box 2.5 --min-valid 3 -o o.pgm
}
