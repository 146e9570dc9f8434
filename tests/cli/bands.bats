# TIFFs of more bands than a picture has channels: all are filtered and answered, and stay what they are.

load helpers

# tiff FILE PHOTOMETRIC TYPE HEIGHT WIDTH BANDS [planar] [big] [extra=N,N...] [meta] [offset=V] [unnumbered] - band b holds b * 100 + x + y * WIDTH.
setup_file() {
    cat >"$BATS_FILE_TMPDIR/tiff.py" <<'MAKE'
import struct, sys
name, photometric, type, height, width, bands = sys.argv[1], int(sys.argv[2]), sys.argv[3], *map(int, sys.argv[4:7])
more = sys.argv[7:]
planar, big = "planar" in more, "big" in more
extra = [int(n) for word in more if word.startswith("extra=") for n in word[6:].split(",")]
colours = 3 if photometric == 2 else 1
extra += [0] * (bands - colours - len(extra))
bits, form = {"B": (8, 1), "H": (16, 1), "h": (16, 2), "f": (32, 3), "d": (64, 3)}[type]
sample = lambda b, x, y: (b * 100 + x + y * width) & (255 if type == "B" else -1)
order = [(b, x, y) for b in range(bands) for y in range(height) for x in range(width)] if planar else \
        [(b, x, y) for y in range(height) for x in range(width) for b in range(bands)]
data = struct.pack(f"<{len(order)}{type}", *(sample(*o) for o in order))
start, each = (16 if big else 8), len(data) // bands
fields = [(256, "H", [width]), (257, "H", [height]), (258, "H", [bits] * bands), (259, "H", [1]), (262, "H", [photometric]),
          (273, "I", [start + each * b for b in range(bands)] if planar else [start]), (277, "H", [bands]),
          (278, "H", [height]), (279, "I", [each] * bands if planar else [len(data)]), (284, "H", [2 if planar else 1]),
          (338, "H", extra), (339, "H", [form] * bands)]
if "meta" in more:
    offset = next((word[7:] for word in more if word.startswith("offset=")), None)
    units = offset and (f'  <Item name="OFFSET" sample="0" role="offset">{offset}</Item>\n'
                        '  <Item name="SCALE" sample="0" role="scale">0.5</Item>\n'
                        '  <Item name="UNITTYPE" sample="0" role="unittype">metre</Item>\n')
    if "unnumbered" in more:
        units = (units or "") + '  <Item name="LOST" sample="">x</Item>\n'
    text = ('<GDALMetadata>\n  <Item name="AREA">x</Item>\n' +
            "".join(f'  <Item name="DESCRIPTION" sample="{b}" role="description">band{b}</Item>\n'
                    f'  <Item name="STATISTICS_MEAN" sample="{b}">5</Item>\n' for b in range(bands)) + (units or "") + "</GDALMetadata>\n")
    fields += [(33550, "d", [10.0, 10.0, 0.0]), (33922, "d", [0.0, 0, 0, 100, 200, 0]), (42112, "s", text.encode() + b"\0"),
               (42113, "s", b"-7\0")]
types = {"H": 3, "I": 4, "d": 12, "s": 2}
room, begin = (8 if big else 4), start + len(data)
end = begin + (8 if big else 2) + len(fields) * (20 if big else 12) + room
directory, values = struct.pack("<Q" if big else "<H", len(fields)), b""
for tag, code, numbers in fields:
    raw = numbers if code == "s" else struct.pack(f"<{len(numbers)}{code}", *numbers)
    count = len(numbers)
    if len(raw) > room:
        values += b"\0" * (-(end + len(values)) % 8)
        values, raw = values + raw, struct.pack("<Q" if big else "<I", end + len(values))
    directory += struct.pack("<HHQ" if big else "<HHI", tag, types[code], count) + raw.ljust(room, b"\0")
head = struct.pack("<2sHHHQ", b"II", 43, 8, 0, begin) if big else struct.pack("<2sHI", b"II", 42, begin)
open(name, "wb").write(head + data + directory + bytes(room) + values)
MAKE
}

tiff() { "${PYTHON:-python3}" "$BATS_FILE_TMPDIR/tiff.py" "$@"; }

# means FILE X,Y,W,H - the means of all bands, with blanks between.
means() {
    ok query "$1" --rect "$2" --stat mean --as image >/dev/null
    echo "${lines[1]#*,*,*,*,}" | tr , ' '
}

@test "all bands are filtered, in both orders, and stay in a TIFF" {
    for order in "" planar; do
        for kind in "B 2" "H 5" "h 6" "f 5" "d 33"; do
            # shellcheck disable=SC2086 # words
            tiff in.tif 1 ${kind% *} 3 4 "${kind#* }" $order
            ok in.tif --box 1 -o out.tif
            [ "$(means in.tif 1,1,1,1)" = "$(means out.tif 1,1,1,1)" ]
            ok in.tif --box 3 --result f64 -o out.tif
            want=$(for b in $(seq 0 $((${kind#* } - 1))); do echo $((b * 100 + 5)); done | xargs)
            [ "$(means out.tif 1,1,1,1)" = "$want" ] # the middle of 3 x 3
            ok info --json out.tif
            [[ $output == *"\"channels\":${kind#* },\"type\":\"f64\""* ]]
        done
    done
    ok info out.tif
    [[ $output == *"  channels    33 (bands)"* ]]
}

@test "statistics, thresholds and Gaussians of all bands; a band of them is the band alone" {
    tiff in.tif 1 H 8 9 7 planar
    for filter in "--box 3 --stat std" "--box 5 --threshold mean" "--gauss 1" "--unsharp 1,2" "--dog 1,2" "--box 3 --passes 2"; do
        # shellcheck disable=SC2086
        ok in.tif $filter -q -o all.tif
        for band in 1 4 7; do
            # shellcheck disable=SC2086
            ok in.tif $filter -q --channel $band -o one.tif
            ok all.tif --channel $band --box 1 -o same.npy
            ok one.tif --box 1 -o one.npy
            cmp same.npy one.npy
        done
    done
}

@test "means, queries, grids and tables of all bands" {
    tiff in.tif 1 B 4 4 2
    tiff in5.tif 1 H 4 4 5
    ok in5.tif --mean 0,0,2,2 --mean 2,2,2,2
    [ "${lines[0]}" = "x,y,w,h,mean.0,mean.1,mean.2,mean.3,mean.4" ]
    [ "${lines[1]}" = "0,0,2,2,2.5,102.5,202.5,302.5,402.5" ]
    [ "${lines[2]}" = "2,2,2,2,12.5,112.5,212.5,312.5,412.5" ]
    ok in.tif --mean 0,0,2,2
    [ "${lines[1]}" = "0,0,2,2,2.5,102.5" ]
    ok query in5.tif --rect 0,0,2,2 --rect 1,1,1,1 --stat sum,count --json
    [ "${lines[1]}" = '{"x":1,"y":1,"w":1,"h":1,"sum":[5,105,205,305,405],"count":[1,1,1,1,1]}' ]
    ok query in5.tif --grid 2 --stat mean -o cells.tif
    [ "$(means cells.tif 1,1,1,1)" = "12.5 112.5 212.5 312.5 412.5" ]
    tiff large.tif 1 H 200 300 5 # more cells than are answered at once
    ok query large.tif --grid 1 --stat mean -o cells.npy
    ok large.tif --box 1 --result f64 -o same.npy
    cmp cells.npy same.npy
    ok query in5.tif --channel 3 --rect 0,0,2,2 --stat mean
    [ "${lines[1]}" = "0,0,2,2,202.5" ]
    for options in "" "--moments 1,2" "--moments 0,1,2" "--layout inclusive"; do
        # shellcheck disable=SC2086
        ok in5.tif $options -o table.npy
        ok query table.npy --rect 1,0,2,3 --stat mean,sum,area
        table=$output
        ok query in5.tif --rect 1,0,2,3 --stat mean,sum,area
        [ "$output" = "$table" ]
        ok info table.npy
        [[ $output == *"channels    5 (bands)"* && $output == *verified* ]]
    done
    ok query table.npy in.tif --rect 1,0,2,3 --stat mean # other numbers of channels
    [ "${lines[0]}" = "file,x,y,w,h,mean.0,mean.1,mean.2,mean.3,mean.4" ]
    [ "${lines[2]}" = "in.tif,1,0,2,3,5.5,105.5,,," ]
}

@test "georeference, descriptions, the value for no data and BigTIFF stay" {
    for big in "" big; do
        # shellcheck disable=SC2086
        tiff in.tif 1 h 4 4 5 meta $big
        ok in.tif --box 3 -o out.tif
        for word in band0 band4 AREA; do grep -aqF $word out.tif; done
        grep -aqF STATISTICS in.tif
        ! grep -aqF STATISTICS out.tif # of other samples
        ok info --json out.tif
        [[ $output == *'"geotiff_bytes":'[1-9]*'"gdal_bytes":'[1-9]*'"nodata":"-7"'* ]]
        [ "$(head -c 4 out.tif | od -An -tu1 | xargs)" = "73 73 $([ "$big" ] && echo 43 || echo 42) 0" ]
        ok in.tif --channel 4 --box 3 -o one.tif
        grep -aqF 'sample="0" role="description">band3<' one.tif
        grep -aqF AREA one.tif
        ! grep -aqF band2 one.tif
    done
}

# roles FILE - those of GDAL's description of the bands, but for descriptions.
roles() { grep -ao 'role="[a-z]*"' "$1" | grep -v description | cut -d '"' -f 2 | xargs; }

@test "an item of metadata whose band is no number is left out of one band" {
    tiff in.tif 1 h 4 4 3 meta unnumbered
    ok in.tif --channel 1 --box 3 -o out.tif
    grep -aq 'sample="0" role="description">band0' out.tif
    [ "$(grep -ac LOST out.tif)" = 0 ]
}

@test "scale, offset and units stay where they are those of the results" {
    tiff in.tif 1 h 4 4 1 meta offset=800
    tiff at0.tif 1 h 4 4 1 meta offset=0.0
    for how in "--box 3" "--gauss 1" "--unsharp 1,1" "--box 3 --stat mean" "--box 3 --stat sauvola"; do
        # shellcheck disable=SC2086
        ok -q in.tif $how -o out.tif
        [ "$(roles out.tif)" = "offset scale unittype" ]
    done
    for how in "--dog 1,2" "--box 3 --stat std"; do
        # shellcheck disable=SC2086
        ok in.tif $how -o out.tif
        [ "$(roles out.tif)" = "scale unittype" ]
    done
    for how in "--box 3 --stat var" "--box 3 --stat sum" "--box 3 --stat count" "--box 3 --stat norm" "--box 3 --stat rms" \
        "--box 3 --threshold mean" "--box 3 --scale 0:99"; do
        # shellcheck disable=SC2086
        ok -q in.tif $how -o out.tif
        [ "$(roles out.tif)" = "" ]
        grep -aqF band0 out.tif
    done
    ok at0.tif --box 3 --stat rms -o out.tif
    [ "$(roles out.tif)" = "offset scale unittype" ]
    for want in "mean offset scale unittype" "std scale unittype" "count" "area"; do
        ok query in.tif --grid 2x2 --stat "${want%% *}" -o out.tif
        [ "$(roles out.tif)" = "$(echo "$want" | cut -s -d ' ' -f 2-)" ]
    done
}

@test "colours and alpha of many bands stay what they are; alpha weighs nothing" {
    tiff in.tif 2 B 1 2 5 extra=2
    noted "in.tif: band 4 of 5 is alpha, and weighs no other band" in.tif --box 1 -o out.tif
    noted "out.tif: band 4 of 5 is alpha, and weighs no other band" out.tif --box 1 -o again.tif
    cmp out.tif again.tif
    ok again.tif --channel g --box 1 -o out.pgm
    [ "$(tail -c 2 out.pgm | od -An -tu1 | xargs)" = "100 101" ]
}

@test "samples that do not count, a mask, and border values" {
    tiff in.tif 1 h 3 3 5
    { printf 'P5 3 3 255\n' && printf '\1\1\1\1\0\1\1\1\1'; } >mask.pgm
    ok in.tif --mask mask.pgm --box 3 --result f64 -o out.tif
    [ "$(means out.tif 1,1,1,1)" = "4 104 204 304 404" ]
    ok query in.tif --mask mask.pgm --rect 0,0,3,2 --stat count,sum
    [ "${lines[1]}" = "0,0,3,2,5,5,5,5,5,11,511,1011,1511,2011" ]
    ok in.tif --nodata 104 --box 3 --stat count -o out.tif
    [ "$(means out.tif 1,1,1,1)" = "9 8 9 9 9" ]
    ok in.tif --border constant:8 --box 3 -o out.tif
    failure "in.tif: --border constant has 3 values; an image of 5 bands takes one for all" in.tif --border constant:1,2,3 --box 3 -o no.tif
}

@test "a mask of bands is refused, as none may be left out" {
    tiff in.tif 1 B 6 5 1
    tiff pair.tif 1 B 6 5 2
    tiff bands.tif 1 B 6 5 7 planar
    ok bands.tif --box 1 -o bands.npy
    for mask in pair.tif:2 bands.tif:7 bands.npy:7; do
        said="an image of ${mask#*:} bands; a mask has one, or the channels of a picture"
        mask=${mask%:*}
        failure "in.tif: --mask $mask: $said" in.tif --mask $mask --box 3 -o no.tif
        failure "in.tif: --mask $mask: $said" in.tif --mask $mask --box 3 -o no.png
        failure "in.tif: --mask $mask: $said" query in.tif --mask $mask --rect 0,0,5,6
        failure "in.tif: --mask -: $said" query in.tif --mask - --rect 0,0,5,6 <$mask
    done
    tiff rgba.tif 2 B 6 5 4 extra=2
    ok query in.tif --mask rgba.tif --rect 0,0,5,6 --stat count # 100 and more in its second channel
    [ "${lines[1]}" = "0,0,5,6,30" ]
}

@test "bands become f16, and u8 of a range" {
    tiff in.tif 1 f 6 7 5
    ok in.tif --box 1 -o same.npy
    ok in.tif --box 1 --result f16 -o f16.tif # holds such integers
    ok f16.tif --box 1 -o back.npy
    cmp same.npy back.npy
    ok in.tif --box 1 --scale 0:510 -o u8.tif
    [ "$(means in.tif 1,1,1,1)" = "8 108 208 308 408" ]
    [ "$(means u8.tif 1,1,1,1)" = "4 54 104 154 204" ]
}

@test "formats without bands: a picture's are taken of up to four, more are refused" {
    tiff in.tif 1 B 2 2 5
    tiff four.tif 2 B 2 2 4
    failure "out.png: png holds no image of 5 bands; --channel N takes one of them; use .tif or .npy" in.tif --box 1 -o out.png
    failure "o_std.jpg: jpeg holds no image of 5 bands; --channel N takes one of them; use .tif or .npy" in.tif --box 3 --stat std -o 'o_{stat}.jpg'
    failure "in.tif: pfm holds no image of 5 bands; --channel N takes one of them; use .tif or .npy" query in.tif --grid 1 --stat mean -o cells.pfm
    ok in.tif --channel 5 --box 1 -o out.png
    noted "four.tif: band 4 of 4 is left out; --channel 4 reads it" four.tif --box 1 -o out.png
    ok four.tif --box 1 -o out.tif
    [ "$(means out.tif 1,1,1,1)" = "3 103 203 47" ]
}

@test "arrays of many channels are bands, too" {
    tiff in.tif 1 H 9 12 5
    ok in.tif --box 1 -o out.npy
    "${PYTHON:-python3}" -c '
head = open("out.npy", "rb").read(200)
assert b"(9, 12, 5)" in head, head'
    ok out.npy --box 3 -o a.tif
    ok in.tif --box 3 -o b.tif
    cmp a.tif b.tif
    [ "$(means out.npy 1,1,1,1)" = "13 113 213 313 413" ]
    ok out.npy --channel 2 --box 1 -o one.npy
    [ "$(means one.npy 1,1,1,1)" = 113 ]
    failure "out.npy: there is no channel 6: the image has 5 channels" out.npy --channel 6 --box 1 -o no.npy
    failure "out.npy: there is no channel r: the image has 5 channels; --channel N takes one of them" out.npy --channel r --box 1 -o no.npy
}

# pages FILE N - page i is of i + 1 x 1 px with the value 10 * i; the second is a smaller copy of the first.
pages() {
    "${PYTHON:-python3}" - "$@" <<'MAKE'
import struct, sys
data, at = b"", 8
for i in range(int(sys.argv[2])):
    fields = [(254, int(i == 1)), (256, i + 1), (257, 1), (258, 8), (259, 1), (262, 1), (273, at), (277, 1), (278, 1), (279, i + 1)]
    page = bytes([10 * i] * (i + 1)) + b"\0" * (-(i + 1) % 2)
    here, end = at + len(page), at + len(page) + 2 + 12 * len(fields) + 4
    last = i + 1 == int(sys.argv[2])
    next_page = end + i + 2 + (-(i + 2) % 2)  # the next directory lies behind its pixels
    page += struct.pack("<H", len(fields)) + b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in fields)
    data, at = data + page + struct.pack("<I", 0 if last else next_page), end
open(sys.argv[1], "wb").write(struct.pack("<2sHI", b"II", 42, 10) + data)
MAKE
}

@test "an array of few rows and many bands is read back as an image, where it is said that it is one" {
    for type in B H f; do
        tiff in.tif 1 $type 3 9 7
        ok in.tif --box 1 -o few.npy
        for command in "few.npy --box 1 -o back.npy" "info few.npy"; do
            # shellcheck disable=SC2086 # words
            failure "few.npy: an array of 3 x 9 x 7: *; --as image reads it as it is" $command
        done
        noted "few.npy: its array is taken for 9x3 px with 7 bands" few.npy --box 1 --as image -o back.npy
        cmp few.npy back.npy
        noted "standard input: its array is *" - --box 1 --as image -o back.npy <few.npy
        cmp few.npy back.npy
        "$sat" query in.tif --rect 1,1,3,2 >want
        "$sat" query few.npy --as image --rect 1,1,3,2 -q | cmp - want
        [[ $("$sat" info few.npy --as image --json) == *'"width":9,"height":3,'* ]]
    done
}

@test "--page: one of several pictures, from 0; info says how many" {
    pages in.tif 5
    pages two.tif 2
    failure "in.tif: a TIFF of several pictures, in 5 pages; --page N reads one, the first is 0" in.tif --mean 0,0,1,1
    for page in 0 1 2 3 4; do
        ok in.tif --page $page --mean 0,0,$((page + 1)),1
        [ "${lines[1]}" = "0,0,$((page + 1)),1,$((page * 10))" ]
        ok in.tif --page $page --box 1 -o out.pgm
        [ "$(tail -c 1 out.pgm | od -An -tu1 | xargs)" = $((page * 10)) ]
        ok info in.tif --page $page
        [[ $output == *"size        $((page + 1)) x 1 px"*"pages       5"* ]]
    done
    ok query in.tif --page 3 --rect 0,0,4,1 --stat sum
    [ "${lines[1]}" = "0,0,4,1,120" ]
    ok in.tif --page 2 -o table.npy
    ok two.tif --mean 0,0,1,1 # a copy is no other picture
    failure "in.tif: there is no page 5: the TIFF has 5, from 0 to 4" in.tif --page 5 --box 1 -o no.pgm
    failure "out.pgm: there is no page 1: a pnm file has one, number 0" out.pgm --page 1 --box 1 -o no.pgm
    failure "table.npy: --page is for images, and this is a table" query table.npy --page 0 --rect 0,0,1,1
    ok out.pgm --page 0 --box 1 -o same.pgm
    ok info --json in.tif
    [[ $output == *'"width":1,'*'"pages":5,'* ]]
    usage "--page '-1': a number from 0 on, the first page" in.tif --page -1 --box 1 -o no.pgm
    [ ! -e no.pgm ]
}
