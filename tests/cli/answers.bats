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
