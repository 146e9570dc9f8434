# Rectangles and grids of images some of whose samples do not count: --nodata, --mask, a TIFF's own value.
load helpers

# rasters - hole.tif (f32: 8x6, 0 1 2 ... row by row, -9999 in the left half but for one 5), point.tif and matrix.tif
# (other georeferences), byte.tif (the same value, which no byte can be), bands.tif (i16, three channels, a hole in one).
rasters() {
    cat >tiff.py <<'PY'
import struct
def write(name, kind, size, values, channels, text, geo=()):
    blob, tags = [b""], []
    def put(data):
        at = 8 + len(blob[0])
        blob[0] += data + bytes(len(data) % 2)
        return at
    code, bits = {"f": (3, 32), "B": (1, 8), "h": (2, 16)}[kind]
    words = lambda word: struct.pack("<%dH" % channels, *[word] * channels)
    short = lambda tag, word: (tag, 3, channels, put(words(word)) if channels > 2 else word)
    pixels = struct.pack("<%d%s" % (len(values), kind), *values)
    tags += [(256, 3, 1, size[0]), (257, 3, 1, size[1]), short(258, bits), (259, 3, 1, 1), (262, 3, 1, 2 if channels > 2 else 1),
             (273, 4, 1, put(pixels)), (277, 3, 1, channels), (278, 3, 1, size[1]), (279, 4, 1, len(pixels)), short(339, code)]
    for tag, form, numbers in geo:
        letter, type = {"d": ("d", 12), "H": ("H", 3)}[form]
        tags.append((tag, type, len(numbers), put(struct.pack("<%d%s" % (len(numbers), letter), *numbers))))
    text = text.encode() + b"\0"
    tags.append((42113, 2, len(text), put(text) if len(text) > 4 else struct.unpack("<I", text.ljust(4, b"\0"))[0]))
    ifd = struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", *t) for t in sorted(tags)) + bytes(4)
    open(name, "wb").write(struct.pack("<2sHI", b"II", 42, 8 + len(blob[0])) + blob[0] + ifd)
def doubles(name, wanted):
    data = open(name, "rb").read()
    at = struct.unpack("<I", data[4:8])[0]
    for i in range(struct.unpack("<H", data[at:at + 2])[0]):
        tag, _, n, value = struct.unpack("<HHII", data[at + 2 + 12 * i:at + 14 + 12 * i])
        if tag == wanted: return list(struct.unpack("<%dd" % n, data[value:value + 8 * n]))
PY
    "${PYTHON:-python3}" -B - <<'PY'
from tiff import write
pixels = [float(i) if i % 8 >= 4 else -9999.0 for i in range(48)]
pixels[0] = 5.0
keys = [1, 1, 0, 1, 1025, 0, 1, 1]
placed = [(33550, "d", [10, 20, 0]), (33922, "d", [0, 0, 0, 500000, 4000000, 0])]
write("hole.tif", "f", (8, 6), pixels, 1, "-9999", placed + [(34735, "H", keys)])
write("point.tif", "f", (8, 6), pixels, 1, "-9999", placed + [(34735, "H", keys[:7] + [2])])
write("matrix.tif", "f", (8, 6), pixels, 1, "-9999", [(34264, "d", [10, 1, 0, 500000, 2, -20, 0, 4000000] + [0] * 7 + [1])])
write("byte.tif", "B", (8, 6), range(48), 1, "-9999")
write("nan.tif", "f", (8, 6), [v if v != -9999 else float("nan") for v in pixels], 1, "nan")
write("zero.tif", "f", (2, 2), [-1, 1, 0, 0], 1, "0")
write("bands.tif", "h", (8, 6), [-1 if i % 3 == 1 and i < 60 else i for i in range(144)], 3, "-1")
open("mask.pgm", "w").write("P2 8 6 1 " + "0 0 0 0 1 1 1 1 " * 6)
PY
}

# answers ARGS... - the rows without their header and sides.
answers() { "$sat" "$@" | tail -n +2 | cut -d, -f5-; }

@test "the value of a TIFF, --nodata and --mask: means and all columns of rectangles are over what counts" {
    rasters
    [ "$(answers hole.tif --mean 0,0,8,6)" = 24.68 ] # (5 + 24 numbers whose mean is 25.5) / 25
    ok query hole.tif --rect 0,0,8,6 --rect 0,1,4,4 --rect 0,0,2.5,2.5 --stat mean,sum,count,area,var,rms
    [ "${lines[1]}" = 0,0,8,6,24.68,617,25,48,196.5376,28.383798195449458 ]
    [ "${lines[2]}" = 0,1,4,4,nan,0,0,16,nan,nan ]
    [ "${lines[3]}" = 0,0,2.5,2.5,5,5,1,6.25,0,5 ]
    [ "$(answers query hole.tif --rect 0,0,8,6 --nodata none --stat sum,count)" = -229360,48 ]
    [ "$(answers query hole.tif --rect 0,0,8,1 --nodata 5 --stat sum,count)" = -29980,6 ]
    [ "$(answers query hole.tif --rect 0,0,8,6 --mask mask.pgm --stat mean,count)" = 25.5,24 ]
    [ "$(answers query hole.tif --rect 0,0,8,6 --mask mask.pgm --nodata none --stat mean,count)" = 25.5,24 ]
    [ "$(answers query hole.tif --rect 0,0,8,6 --mask mask.pgm --nodata 47 --stat count)" = 23 ]
    [ "$(answers query nan.tif --rect 0,0,8,6 --stat mean,count)" = 24.68,25 ]
    [ "$(answers query nan.tif --rect 0,0,8,6 --nodata none --stat mean,count)" = nan,48 ]
    [ "$(answers query nan.tif --rect 0,0,8,6 --nodata nan --stat mean)" = 24.68 ]
    [ "$("$sat" hole.tif --rect 0,0,8,6 --mask - <mask.pgm | tail -1)" = 0,0,8,6,25.5 ]
    [ "$(answers hole.tif --rect 0,1,4,2 --rect 4,0,1,1 --rect 0,0,8,6 --stat var --ddof 24)" = $'nan\nnan\n4913.44' ]
    ok query hole.tif --rect 0,1,4,4 --json --stat mean,count,area
    [ "$output" = '{"x":0,"y":1,"w":4,"h":4,"mean":[null],"count":[0],"area":16}' ]
    printf 'x,y,w,h\n0,0,8,6\n-4,0,8,6\n' >r.csv
    [ "$(answers query hole.tif --rects r.csv --clip --stat mean,count)" = $'24.68,25,48\n5,1,24' ]
    [ "$(answers hole.tif --rects r.csv --clip --stat count)" = $'25,48\n1,24' ]
}

@test "the pixels answer where samples may not count, and a table where all do: the same answers" {
    rasters
    "$sat" query byte.tif -v --grid 1 --stat sum --backend cpu 2>&1 >/dev/null | grep -q "is the narrowest"
    "$sat" query byte.tif -v --grid 1 --nodata 3 2>&1 >/dev/null | grep -q "no table is made"
    "$sat" query byte.tif -v --grid 1 --backend cpu --mask mask.pgm 2>&1 >/dev/null | grep -q "no table is made"
    "$sat" query byte.tif -q --grid 3 --stat mean,var,count --backend cpu >all.csv
    "$sat" query byte.tif -q --grid 3 --stat mean,var,count --nodata 200 >none.csv
    cmp all.csv none.csv
}

@test "a value that no sample can be matches nothing, and a line says so; of the command line it is an error" {
    rasters
    sat query byte.tif --rect 0,0,3,3
    [ "$stderr" = "sat: byte.tif: its value for no data is '-9999', which no sample can be" ]
    ok query byte.tif -q --rect 0,0,3,3
    noted "byte.tif: its value for no data is '-9999', which no sample can be" byte.tif --mean 0,0,3,3
    [ "$(answers query byte.tif -q --rect 0,0,3,3)" = 9,81 ]
    failure "byte.tif: --nodata -1: no u8 sample can be that" query byte.tif --rect 0,0,3,3 --nodata=-1
    failure "byte.tif: --nodata nan: of u8 samples none is NaN" byte.tif --mean 0,0,3,3 --nodata nan
}

@test "count has a column for each channel, area none" {
    rasters
    ok query bands.tif --rect 0,0,8,6 --stat count,mean,area
    [ "${lines[0]}" = x,y,w,h,count.0,count.1,count.2,mean.0,mean.1,mean.2,area ]
    [ "${lines[1]}" = 0,0,8,6,48,28,48,70.5,101.5,72.5,48 ]
    ok query bands.tif --rect 0,0,8,6 --stat count,area --json
    [ "$output" = '{"x":0,"y":0,"w":8,"h":6,"count":[48,28,48],"area":48}' ]
    ok query bands.tif --rect 0,0,8,6 --stat count,area -o o.npy
    grep -aq "('count', '<i8', (3,)), ('area', '<i8')" o.npy
    [ "$("${PYTHON:-python3}" -c 'import numpy as np; print(*np.load("o.npy")["count"][0])')" = "48 28 48" ]
    ok query bands.tif --rect 0,0,8.5,6 --clip --stat count -o o.npy
    [ "$("${PYTHON:-python3}" -c 'import numpy as np; print(*np.load("o.npy")["count"][0])')" = "48.0 28.0 48.0" ]
}

@test "cells without data are the file's value or nan, which the image names; its georeference is that of the cells" {
    rasters
    for stat in mean sum var; do
        ok query hole.tif --grid 3x2 --stat $stat -o $stat.tif
        [[ $("$sat" info --json $stat.tif) == *'"nodata":"-9999"'* ]]
        [ "$(answers query $stat.tif --grid 1 --nodata none --stat sum | tr '\n' ' ' | cut -d' ' -f4,7)" = "-9999 -9999" ]
    done
    [ "$(answers query mean.tif --grid 1 | cut -d, -f1 | tr '\n' ' ')" = "5 8.5 10.5 nan 24.5 26.5 nan 40.5 42.5 " ]
    ok query hole.tif --grid 3x2 --stat var --ddof 1 -o var.tif # of one sample there is none
    [ "$(answers query var.tif --grid 1 --stat count | head -1)" = 0 ]
    for stat in count area; do # 0 is a count
        ok query hole.tif --grid 3x2 --stat $stat -o $stat.tif
        [[ $("$sat" info --json $stat.tif) != *'"nodata":"'* ]]
    done
    [ "$(answers query count.tif --grid 1 --stat sum | tr '\n' ' ')" = "1 4 4 0 4 4 0 4 4 " ]
    ok query hole.tif --grid 3x2 --stat mean --nodata none -o all.tif
    [[ $("$sat" info --json all.tif) != *'"nodata":"'* ]]
    ok query hole.tif --grid 3x2 --stat mean --mask mask.pgm --nodata none -o masked.tif
    [[ $("$sat" info --json masked.tif) == *'"nodata":"nan"'* ]]
    [ "$(answers query masked.tif --grid 1 --nodata none | cut -d, -f1 | head -2 | tr '\n' ' ')" = "nan 8.5 " ]

    # a mean that is the value for no data becomes the number beside it
    [[ $("$sat" query zero.tif --grid 2x1 --stat mean -v -o z.tif 2>&1) == *"z.tif: 1 results that would have been 0 are beside it"* ]]
    [ "$(answers query z.tif --grid 1 --stat count | tr '\n' ' ')" = "1 0 " ]

    for name in point matrix; do ok query $name.tif --grid 3x2 --stat mean -o $name.cells.tif; done
    "${PYTHON:-python3}" -B - <<'PY'
from tiff import doubles
def is_(name, tag, want):
    assert doubles(name, tag) == want, (name, tag, doubles(name, tag))
is_("mean.tif", 33550, [30, 40, 0])
is_("mean.tif", 33922, [0, 0, 0, 500000, 4000000, 0])
is_("point.cells.tif", 33550, [30, 40, 0]) # the middle of the first pixel is 1 px and half a one before that of the cell
is_("point.cells.tif", 33922, [-1 / 3, -0.25, 0, 500000, 4000000, 0])
is_("matrix.cells.tif", 34264, [30, 2, 0, 500000, 6, -40, 0, 4000000] + [0] * 7 + [1])
PY
}

@test "--nodata and --mask of rectangles: what is refused" {
    rasters
    ok -q byte.tif -o table.npy
    ok -q byte.tif --box 1 --result f32 -o marked.npy
    head -c -16 marked.npy >bare.npy
    for given in "--nodata 3" "--nodata none" "--mask mask.pgm"; do
        # shellcheck disable=SC2086 # two words
        failure "table.npy: ${given% *} is for images, and this is a table" query table.npy --rect 0,0,1,1 $given
        # shellcheck disable=SC2086 # words
        failure "bare.npy: no trailer: *, if it is an image, --as image*" query bare.npy --rect 0,0,1,1 $given
    done
    usage "--min-valid does not go with --mean" hole.tif --mean 0,0,1,1 --min-valid 3
    usage "--linear does not go with --mean" hole.tif --mean 0,0,1,1 --linear
    usage "-o o.tif: an image needs --box N*" byte.tif --nodata 3 -o o.tif
    usage "--nodata 'x': *" query hole.tif --rect 0,0,1,1 --nodata x
    usage "-o mask.pgm would replace the mask" query hole.tif --rect 0,0,1,1 --mask mask.pgm -o mask.pgm
    usage "--mask -: *" query hole.tif nan.tif --rect 0,0,1,1 --mask -
    usage "--mask -: *" query - --rect 0,0,1,1 --mask -
    usage "--mask -: *" query hole.tif --rects - --mask -
    failure "hole.tif: --mask none.pgm: *" query hole.tif --rect 0,0,1,1 --mask none.pgm
    failure "zero.tif: --mask mask.pgm: 8x6 px, where the image has 2x2" query zero.tif --rect 0,0,1,1 --mask mask.pgm
}

@test "a value for no data becomes what stored samples are read as, or a line says that none is" {
    "${PYTHON:-python3}" -c '
import struct
def tiff(name, bits, photometric, text, rows, channels=1):
    text = text.encode().ljust(5, b"\0")
    body = rows + text + bytes((len(rows) + 5) % 2)
    tags = [(256, 3, 1, 4), (257, 3, 1, 2), (258, 3, 1, bits), (259, 3, 1, 1), (262, 3, 1, photometric), (273, 4, 1, 8),
            (277, 3, 1, channels), (278, 3, 1, 2), (279, 4, 1, len(rows)), (339, 3, 1, 1), (42113, 2, 5, 8 + len(rows))]
    if channels == 3: tags[2] = (258, 3, 1, bits)
    ifd = struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", *t) for t in tags) + bytes(4)
    open(name, "wb").write(struct.pack("<2sHI", b"II", 42, 8 + len(body)) + body + ifd)
tiff("few.tif", 4, 1, "15", bytes([0xff, 0x12, 0xff, 0x34]))
tiff("white.tif", 8, 0, "0", bytes([0, 0, 10, 20, 0, 0, 30, 40]))
tiff("odd.tif", 4, 1, "1.5", bytes([0xff, 0x12, 0xff, 0x34]))'
    ok query few.tif --rect 0,0,4,2 --stat mean,count
    [ "${lines[1]}" = "0,0,4,2,42.5,4" ] # 17, 34, 51, 68
    ok query white.tif --rect 0,0,4,2 --stat mean,count
    [ "${lines[1]}" = "0,0,4,2,230,4" ]
    noted "odd.tif: its value for no data, 1.5, is of stored samples, and none is read" odd.tif --mean 0,0,4,2
}
