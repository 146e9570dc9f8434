# What is answered, and how it is written: forms, columns, many inputs, what is refused.

load helpers

@test "answers are written as the output's extension says" {
    small a.pgm
    printf 'P6 2 1 255\n\1\2\3\4\5\6' >c.ppm
    "$sat" query a.pgm --rect 1,1,2,2 --rect 0,0,4,3 >want.csv
    "$sat" query a.pgm --rect 1,1,2,2 --rect 0,0,4,3 --json >want.json
    for name in m.json m.JSON m.jsonl m.ndjson; do
        ok query a.pgm --rect 1,1,2,2 --rect 0,0,4,3 -o $name
        cmp want.json $name
        ok query a.pgm --rect 1,1,2,2 --rect 0,0,4,3 --json -o $name
        cmp want.json $name
    done
    for name in m.csv m.txt m; do
        ok query a.pgm --rect 1,1,2,2 --rect 0,0,4,3 -o $name
        cmp want.csv $name
    done
    ok query a.pgm --rect 1,1,2,2 --rect 0,0,4,3 --json -o m.txt
    cmp want.json m.txt
    ok a.pgm --mean 1,1,2,2 -o m.json
    [[ $(<m.json) == '{"x":1,"y":1,"w":2,"h":2,"mean":'*4*'}' ]]
    for args in "a.pgm --mean 0,0,1,1" "query a.pgm --rect 0,0,1,1"; do
        # shellcheck disable=SC2086 # words
        usage "-o 'no.png': means and sums are written as .csv, .json or .npy" $args -o no.png
        # shellcheck disable=SC2086 # words
        for name in no.csv no.npy; do usage "-o '$name': --json writes a .json" $args --json -o $name; done
    done
    [ ! -e no.png ] && [ ! -e no.csv ] && [ ! -e no.npy ]
}

@test "a .npy of answers is a structured array" {
    "${PYTHON:-python3}" -c 'import numpy' || skip "no NumPy"
    small a.pgm
    printf 'P6 2 1 255\n\1\2\3\4\5\6' >c.ppm
    floats 4 4 f.pfm
    printf '1,1,2,2\n0,0,4,3\n' >r.csv
    : >none.csv
    ok a.pgm -o t.npy
    ok query a.pgm --rects r.csv -o image.npy
    ok query t.npy --rects r.csv --stat sum -o table.npy
    ok query t.npy --rects none.csv -o none.npy
    ok query c.ppm --rect 0,0,2,1 -o colour.npy
    ok query f.pfm --rect 0,0,4,4 -o float.npy
    ok a.pgm a.pgm --mean 1,1,2,2 -o many.npy
    "${PYTHON:-python3}" - <<'END'
import numpy as np
sides = [("x", "<i8"), ("y", "<i8"), ("w", "<i8"), ("h", "<i8")]
def is_(name, fields, rows):
    a = np.load(name + ".npy")
    assert a.dtype == np.dtype(fields), (name, a.dtype)
    assert a.tolist() == rows, (name, a.tolist())
is_("image", sides + [("mean", "<f8"), ("sum", "<u8")], [(1, 1, 2, 2, 4.0, 16), (0, 0, 4, 3, 4.25, 51)])
is_("table", sides + [("sum", "<i8")], [(1, 1, 2, 2, 16), (0, 0, 4, 3, 51)])
is_("none", sides + [("mean", "<f8"), ("sum", "<i8")], [])
a = np.load("colour.npy")
assert a["mean"].tolist() == [[2.5, 3.5, 4.5]] and a["sum"].tolist() == [[5, 7, 9]], a
is_("float", sides + [("mean", "<f8"), ("sum", "<f8")], [(0, 0, 4, 4, 0.125, 2.0)])
is_("many", [("file", "S5")] + sides + [("mean", "<f8")], [(b"a.pgm", 1, 1, 2, 2, 4.0)] * 2)
END
    mkfifo pipe.npy
    cat pipe.npy >got &
    failure "pipe.npy: a stream cannot be written out of order" query a.pgm --rect 0,0,1,1 -o pipe.npy
    wait
    failure "a.pgm: rectangle 9,9,9,9 *" query a.pgm --rect 0,0,1,1 --rect 9,9,9,9 -o no.npy
    [ ! -e no.npy ]
    no_leftovers
}

# npy FILE DESCR SHAPE - an array whose bytes are standard input.
npy() {
    { printf '\223NUMPY\1\0\166\0' && printf "%-117s\n" "{'descr': '$2', 'fortran_order': False, 'shape': ($3), }" && cat; } >"$1"
}

@test "query: an image of integers is no table, whatever --layout says" {
    # 4x3 pixels as <i8 and <i4, and the same image's tables
    for n in 1 2 3 4 5 6 7 8 9 1 2 3; do
        # shellcheck disable=SC2059 # an escape
        printf "\\$(printf %o $n)\0\0\0\0\0\0\0"
    done | npy image8.npy '<i8' "3, 4"
    for n in 1 2 3 4 5 6 7 8 9 1 2 3; do
        # shellcheck disable=SC2059 # an escape
        printf "\\$(printf %o $n)\0\0\0"
    done | npy image4.npy '<i4' "3, 4"
    for image in image8 image4; do
        failure "$image.npy: no inclusive table of u8 samples: the one at 1,2 would be -9; *a.cumsum(0).cumsum(1)*--sample*" \
            query $image.npy --layout inclusive --rect 0,0,1,1
        failure "$image.npy: no trailer: if it is a table, *--layout*" query $image.npy --rect 0,0,1,1
    done
    # 1 and 299 of u16 samples
    printf '\1\0\0\0\54\1\0\0' | npy u16.npy '<i4' "1, 2"
    failure "u16.npy: no inclusive table of u8 samples: the one at 1,0 would be 299; *--sample*" \
        query u16.npy --layout inclusive --rect 0,0,2,1
    ok query u16.npy --layout inclusive --sample u16 --rect 0,0,2,1 --stat sum
    [ "${lines[1]}" = 0,0,2,1,300 ]
    # sums that wrapped: 2^32 - 1, then 255 more
    printf '\377\377\377\377\376\0\0\0' | npy wrapped.npy '<u4' "1, 2"
    ok query wrapped.npy --layout inclusive --sample u32 --rect 1,0,1,1 --stat sum
    [ "${lines[1]}" = 1,0,1,1,255 ]
}

@test "query: of floats it is said that nothing can be checked" {
    printf '\0\0\200\077\0\0\0\100' | npy f.npy '<f4' "1, 2"
    failure "f.npy: no trailer: *; whether floats are a table's or an image's cannot be checked" query f.npy --rect 0,0,1,1
    sat query f.npy --layout inclusive --rect 1,0,1,1 --stat sum
    [ "$status ${lines[1]}" = "0 1,0,1,1,1" ]
    [ "$stderr" = "sat: f.npy: whether its floats are a table's or an image's cannot be checked" ]
    ok query f.npy --layout inclusive --rect 1,0,1,1 -q
}
