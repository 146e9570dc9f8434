# Arrays of NumPy as images: read, written, and distinguished from tables.

load helpers

# npy FILE DESCR SHAPE [ORDER] - an array whose bytes are standard input.
npy() {
    { printf '\223NUMPY\1\0\166\0' && printf "%-117s\n" "{'descr': '$2', 'fortran_order': ${4:-False}, 'shape': ($3), }" && cat; } >"$1"
}

@test "an array goes through the filter, and comes back as one" {
    small a.pgm
    printf '\1\2\3\4\5\6\7\10\11\1\2\3' | npy a.npy '|u1' "3, 4"
    ok a.npy --box 3 -o from_npy.pgm
    ok a.pgm --box 3 -o from_pgm.pgm
    cmp from_npy.pgm from_pgm.pgm
    for as in "" "--as image"; do
        # shellcheck disable=SC2086 # words
        ok a.npy --box 3 -o mean.npy $as
        [ "$(pixels mean.npy 12)" = "$(pixels from_pgm.pgm 12)" ]
        [ "$(head -c 128 mean.npy | tail -c 118 | tr -d '\n')" = "$(printf "%-117s" "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 4), }")" ]
        [ "$(stat -c %s mean.npy)" = 140 ]
    done
    ok a.pgm --box 3 --format npy -o mean
    cmp mean mean.npy
    ok a.npy -o table.npy
    ok a.pgm -o want.npy
    cmp table.npy want.npy
    printf '\200\177\0\377\1\2' | npy i.npy '|i1' "2, 3"
    sat i.npy --box 3 -o mean_i.npy -v
    [[ $status$stderr == 0*"u16 sums (6 pixels of at most 128 in magnitude)"* ]]
    "$sat" - --box 3 -o - --format npy <a.npy | cmp - mean.npy
    cat a.npy | "$sat" - --box 3 -o - --format npy | cmp - mean.npy
    ok info a.npy
    [[ $output == *"format      npy"*"4 x 3 px"*"1 (grey)"*"u8"* ]]
    ok query a.npy --rect 1,1,2,2
    [ "${lines[1]}" = 1,1,2,2,4,16 ]
}

@test "arrays that np.save() put one behind the other are no image" {
    printf '\1\2\3\4\5\6\7\10' | npy a.npy '|u1' "2, 4"
    printf '\077\200\0\0\300\0\0\0' | npy f.npy '>f4' "1, 2"
    for f in a.npy f.npy; do
        for rest in "$f" <(printf x); do
            cat "$f" "$rest" >more.npy
            for command in "--box 3 -o out.png" "--mean 0,0,1,1" "-o out.npy"; do
                # shellcheck disable=SC2086 # words
                failure "more.npy: the picture ends at byte 136, and more follows; *" more.npy $command --as image
            done
        done
    done
    [ ! -e out.png ] && [ ! -e out.npy ]
}

@test "either byte order, 16 bits and floats, and all channels" {
    printf '\1\2\3\4\5\6\7\10' >bytes # 258 772 1286 1800, the higher byte first
    npy big.npy '>u2' "2, 2" <bytes
    ok big.npy --mean 0,0,1,1 --mean 1,1,1,1
    [ "${lines[1]} ${lines[2]}" = "0,0,1,1,258 1,1,1,1,1800" ]
    printf '\2\1\4\3\6\5\10\7' | npy little.npy '<u2' "2, 2"
    ok little.npy --mean 0,0,1,1 --mean 1,1,1,1
    [ "${lines[1]} ${lines[2]}" = "0,0,1,1,258 1,1,1,1,1800" ]
    ok big.npy --box 1 -o out.npy
    ok little.npy --box 1 -o same.npy
    cmp out.npy same.npy
    cmp <(tail -c 8 out.npy) <(tail -c 8 little.npy)
    printf '\077\200\0\0\300\0\0\0' | npy f.npy '>f4' "1, 2"
    ok f.npy --box 1 -o out.npy
    [ "$(pixels <(head -c 136 out.npy) 8)" = "0 0 128 63 0 0 0 192" ]
    # No table is big-endian: it needs no --as.
    ok f.npy --mean 0,0,2,1 --stat sum
    [ "${lines[1]}" = 0,0,2,1,-1 ]
    ok query f.npy --rect 1,0,1,1 --stat sum
    [ "${lines[1]}" = 1,0,1,1,-2 ]
    cat f.npy | "$sat" - --mean 0,0,1,1 >got
    [ "$(tail -1 got)" = 0,0,1,1,1 ]
    ok info f.npy
    [[ $output == *"format      npy"*"2 x 1 px"*"f32"* ]]
    failure "f.npy: big-endian .npy ('>f4'): convert it with a.astype('<f4')" query f.npy --as table --layout padded --rect 0,0,1,1
    for channels in 2 3 4; do
        printf '\1\2\3\4\5\6\7\10' | head -c $((2 * channels)) | npy c.npy '|u1' "1, 2, $channels"
        ok query c.npy --rect 0,0,2,1 --stat sum
        [ "${lines[1]}" = "0,0,2,1,$(case $channels in 2) echo 4,6 ;; 3) echo 5,7,9 ;; 4) echo 6,8,10,12 ;; esac)" ]
        ok c.npy --box 1 --alpha straight -o out.npy
        cmp <(tail -c $((2 * channels)) out.npy) <(tail -c $((2 * channels)) c.npy)
        [[ "$(head -c 128 out.npy)" == *"(1, 2, $channels)"* ]]
    done
    printf '\1\2' | npy c.npy '|u1' "1, 2, 1"
    ok query c.npy --rect 0,0,2,1 --stat sum
    [ "${lines[0]} ${lines[1]}" = "x,y,w,h,sum 0,0,2,1,3" ]
}

@test "an array of f32 without trailer is what --as says" {
    printf '\0\0\200\077\0\0\0\100' | npy f.npy '<f4' "1, 2" # 1 2
    failure "f.npy: no trailer: if it is a table, say how it was made with --layout padded|inclusive|exclusive, if it is an image, --as image; *" \
        query f.npy --rect 0,0,1,1
    failure "f.npy: no trailer, and f32 may be an image or a table: an image needs --as image, a table \`sat query FILE --layout padded|inclusive|exclusive\`" \
        f.npy --mean 0,0,1,1
    # Where it is said to be a table, no image is mentioned, and the command that takes --layout is.
    failure "f.npy: a table without trailer needs \`sat query FILE --layout padded|inclusive|exclusive\`" f.npy --as table --mean 0,0,1,1
    failure "f.npy: a table without trailer: say how it was made with --layout padded|inclusive|exclusive" \
        query f.npy --as table --rect 0,0,2,1
    usage "--layout does not go with --mean; \`sat query\` takes it" f.npy --mean 0,0,1,1 --layout padded
    ok query f.npy --as image --rect 0,0,2,1 --stat sum
    [ "${lines[1]}" = 0,0,2,1,3 ]
    ok f.npy --as image --mean 0,0,2,1 --stat sum
    [ "${lines[1]}" = 0,0,2,1,3 ]
    ok query f.npy --as table --layout inclusive --rect 0,0,2,1 --stat sum
    [ "${lines[1]}" = 0,0,2,1,2 ]
    ok f.npy --box 1 -o out.npy # which takes images alone
    cmp <(head -c 136 out.npy) f.npy
    ok info f.npy
    [[ $output == *"not said (no trailer; it may be an image)" ]]
    printf '\1\2' | npy u.npy '|u1' "1, 2"
    failure "u.npy: array of uint8: a table has *" query u.npy --as table --layout inclusive --rect 0,0,1,1
    failure "u.npy: --layout and --sample are for tables*" query u.npy --layout inclusive --rect 0,0,1,1
}

@test "an image of f32 that was written here says that it is one" {
    for size in "4 3" "3 1" "1 1"; do # the array ends at a multiple of 8, or not
        # shellcheck disable=SC2086 # words
        floats $size f.pfm
        ok f.pfm --box 1 -o f.npy
        for command in "f.npy --mean 0,0,1,1 --stat mean,sum" "query f.npy --rect 0,0,1,1" "query f.npy --as image --rect 0,0,1,1"; do
            # shellcheck disable=SC2086 # words
            ok $command
            [ "${lines[1]}" = 0,0,1,1,1,1 ]
        done
        cat f.npy | "$sat" - --mean 0,0,1,1 >got
        [ "$(tail -1 got)" = 0,0,1,1,1 ]
        ok info f.npy
        [[ $output == *"format      npy"*"${size/ / x } px"*"f32"* ]]
        ok f.npy --box 1 -o g.npy
        cmp f.npy g.npy
        [ "$(tail -c 16 f.npy | od -An -v -tx1 | tr -d ' \n')" = 534154494d4147450100000010000000 ]
    done
    # The limits of images hold.
    floats 300 300 f.pfm
    ok f.pfm --box 1 -o f.npy
    failure "f.npy: *more than the *--max-memory*" f.npy --mean 0,0,1,1 --max-memory 300K
    failure "f.npy: 300x300 is 90000 pixels, more than --max-pixels 89999" f.npy --mean 0,0,1,1 --max-pixels 89999 --backend cpu
    head -c -1 f.npy >cut.npy # without the whole mark it is an array like others
    failure "cut.npy: no trailer, and f32 may be *" cut.npy --mean 0,0,1,1
    ok query f.npy --as table --layout inclusive --rect 0,0,1,1 # the user's word counts more
    # A mark of another version is none, and so is one behind samples of another type, in a file and in a stream.
    floats 3 1 g.pfm
    ok g.pfm --box 1 -o g.npy
    printf '\2' | dd of=g.npy bs=1 seek=$((128 + 12 + 4 + 8)) conv=notrunc status=none
    failure "g.npy: no trailer, and f32 may be *" g.npy --mean 0,0,1,1
    failure "g.npy: the picture ends at byte 140, and more follows; *" g.npy --box 1 -o no.npy
    printf '\1\2\3\4\5\6\7\10SATIMAGE\1\0\0\0\20\0\0\0' | npy u.npy '|u1' "2, 4"
    failure "u.npy: the picture ends at byte 136, and more follows; *" u.npy --box 1 -o no.npy
    run bash -c 'cat u.npy | "$1" - --box 1 -o no.npy' bash "$sat"
    [ "$status" = 1 ]
    [[ $output == "sat: standard input: the picture ends at byte 136, and more follows; "* ]]
    [ ! -e no.npy ]
    "${PYTHON:-python3}" -c 'import numpy' || skip "no NumPy; the rest passed"
    [ "$("${PYTHON:-python3}" -c 'import numpy as np; print(np.load("f.npy").shape, np.load("f.npy", mmap_mode="r")[0, :4].tolist())')" = \
        "(300, 300) [1.0, 2.0, 0.5, -3.0]" ]
}

@test "a table that was written here is never taken for an image" {
    small a.pgm
    floats 4 3 f.pfm
    for args in "a.pgm" "a.pgm --type f32" "f.pfm --type f32" "a.pgm --layout inclusive --type f32"; do
        # shellcheck disable=SC2086 # words
        ok $args -o t.npy
        failure "t.npy: a table, not an image; query it with \`sat query\`" t.npy --box 3 -o no.png
        failure "t.npy: a table, not an image; *" t.npy --as image --mean 0,0,1,1
        failure "t.npy: a table, not an image; *" query t.npy --as image --rect 0,0,1,1
        ok t.npy --mean 0,0,1,1
    done
    run --separate-stderr bash -c 'cat t.npy | "$1" - --box 3 -o no.png' bash "$sat"
    [[ "$status$stderr" == "1sat: standard input: a table, not an image; "* ]]
    printf '\7' | dd of=t.npy bs=1 seek=$((4096 + 4 * 12 + 20)) conv=notrunc status=none # within the trailer
    failure "t.npy: broken trailer: *" t.npy --box 3 -o no.png
    [ ! -e no.png ]
}

@test "floats of 16 bits are read as f32, all of them" {
    "${PYTHON:-python3}" -c '
import struct
import numpy as np
all = np.arange(65536, dtype=np.uint16).reshape(256, 256).view(np.float16)
np.save("little.npy", all)
np.save("big.npy", all.astype(">f2"))
for order, name in (("<", "little.tif"), (">", "big.tif")):
    data = all.astype(order + "f2").tobytes()
    tags = [(256, 256), (257, 256), (258, 16), (259, 1), (262, 1), (273, 8), (277, 1), (278, 256), (279, len(data)), (339, 3)]
    ifd = struct.pack(order + "H", len(tags))
    ifd += b"".join(struct.pack(order + "HHII", tag, 4, 1, value) for tag, value in tags)
    mark = b"II" if order == "<" else b"MM"
    open(name, "wb").write(mark + struct.pack(order + "HI", 42, 8 + len(data)) + data + ifd + bytes(4))'
    for input in little.npy big.npy little.tif big.tif; do
        ok $input --box 1 -o o.npy
        "${PYTHON:-python3}" -c '
import numpy as np
all = np.arange(65536, dtype=np.uint16).reshape(256, 256).view(np.float16)
got = np.load("o.npy")
assert got.dtype == np.float32 and np.array_equal(got, all.astype(np.float32), equal_nan=True)'
    done
    ok - --box 1 -o piped.npy <little.npy
    cmp piped.npy o.npy
}

@test "what is no image says why, and what would make it one" {
    head -c 1000 /dev/zero >zeros
    refused() { # PATTERN DESCR SHAPE [ORDER]
        npy x.npy "$2" "$3" "${4:-False}" <zeros
        failure "x.npy: $1" x.npy --box 3 -o no.png
    }
    # f4 keeps what is negative, and u2 would not
    refused "an array of int64: images are of uint8, uint16, uint32, int8, int16, int32, float32 or float64, as a.astype('float64') makes, exact up to 2^53; tables*\`sat query*" '<i8' "2, 2"
    refused "an array of float128: images are of uint8, uint16, uint32, int8, int16, int32, float32 or float64, as a.astype('float32') makes" '<f16' "2, 2"
    refused "an array of complex64: images are of uint8, uint16, uint32, int8, int16, int32, float32 or float64" '<c8' "2, 2"
    refused "an array of 5 numbers: an image is H x W, or H x W x C with 1 to 1024 channels" '|u1' "5,"
    refused "an array of 3 x 4 x 5: an image is H x W, or H x W x C with 1 to 1024 channels, as a.transpose(1, 2, 0) makes; --as image reads it as it is" '|u1' "3, 4, 5"
    head -c 30000 /dev/zero >zeros
    refused "an array of 5 x 4 x 1025: an image is H x W, or H x W x C with 1 to 1024 channels" '|u1' "5, 4, 1025"
    refused "an array of 3 x 4 x 1025: *, as a.transpose(1, 2, 0) makes" '|u1' "3, 4, 1025"
    head -c 1000 /dev/zero >zeros
    refused ".npy in Fortran order: convert it with numpy.ascontiguousarray" '|u1' "2, 2" True
    refused "an array of 2 x 0, which is empty" '|u1' "2, 0"
    refused "an array of 0 x 5, which is empty" '<f4' "0, 5"
    refused "an array of 2 x 5 x 0, which is empty" '|u1' "2, 5, 0"
    refused "an array of 0 numbers, which is empty" '|u1' "0,"
    refused "truncated: the array has 1001 bytes, the file holds 1000 of them" '|u1' "7, 143"
    refused ".npy of more than 3 dimensions" '|u1' "1, 2, 2, 3"
    head -c 4 zeros | npy x.npy '|u1' "2, 2"
    failure "x.npy: 2x2 is 4 pixels, more than --max-pixels 3" x.npy --box 3 -o no.png --max-pixels 3
    npy r.npy '>i8' "1, 4" <zeros
    small a.pgm
    failure "r.npy: big-endian .npy ('>i8'): *" query r.npy --layout inclusive --rect 0,0,1,1
    # Neither an image nor a table: no error speaks of one of the two alone.
    for pair in "<c16:complex128" "<c8:complex64" "<f16:float128"; do
        npy x.npy "${pair%:*}" "2, 2" <zeros
        for command in info "query --rect 0,0,1,1"; do
            # shellcheck disable=SC2086 # words
            failure "x.npy: array of ${pair#*:}, which is not read: images and tables are of integers and floats of up to 64 bits" $command x.npy
        done
    done
    npy x.npy '<i8' "5," <zeros
    failure "x.npy: array of 1 dimension: images and tables have rows and columns" info x.npy
    npy x.npy '|O' "2, 2" <zeros
    failure "x.npy: .npy of type '|O', which is not read; plain numbers are" info x.npy
    [ ! -e no.png ]
    no_leftovers
}

@test "the last of 2 or 4 channels of an array is alpha, and a line says so" {
    printf '\144\144\144\0%.0s' 1 2 3 4 | npy four.npy '|u1' "2, 2, 4"
    sat four.npy --box 1 -o out.npy
    [[ $status = 0 && $stderr == "sat: four.npy: the last of its 4 channels is taken for alpha"* ]]
    ok four.npy --box 1 -o out.npy -q
    [ "$(od -An -tu1 -v out.npy | tail -1 | xargs)" = "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0" ]
    ok four.npy --box 1 --alpha weighted -o out.npy
    ok four.npy --box 1 --alpha straight -o out.npy
    [ "$(od -An -tu1 -v out.npy | tail -1 | xargs)" = "100 100 100 0 100 100 100 0 100 100 100 0 100 100 100 0" ]
    noted "four.npy: pixels whose alpha is 0 are included in sums and means; *" four.npy -o table.npy
}
