# Rectangles of an image: a table is made for them, or the pixels are summed.

load helpers

@test "query -v names backend, sums and why" {
    small a.pgm
    sat query a.pgm --rect 0,0,2,2 -v
    [ "$status" = 0 ]
    [[ $stderr == *"no table is made: the rectangles are summed from the pixels"*"a.pgm: ready after "* ]]
    [ "${lines[1]}" = 0,0,2,2,3.5,14 ]
    sat query a.pgm --rect 0,0,2,2 -v --backend cpu
    [ "$status" = 0 ]
    [[ $stderr == *"u32 is the narrowest that holds the largest rectangle, 4 px of u8"* ]]
    [ "${lines[1]}" = 0,0,2,2,3.5,14 ]
}

# by WORDS ARGS... - a query whose -v has a line with these words.
by() {
    local words=$1
    shift
    sat query -v "$@"
    echo "$stderr"
    [ "$status" = 0 ] && [[ $stderr == *"$words"* ]]
}
NO_TABLE="no table is made: the rectangles are summed from the pixels"
A_TABLE="is the narrowest that holds the largest rectangle"

@test "query: rectangles that are known are summed from rows, others from a table" {
    grey 300 200 a.pgm
    ok a.pgm --box 1 -o a.png
    more=$(printf -- ' --rect 0,0,300,200%.0s' {1..16})
    for ((i = 0; i < 16; i++)); do echo 0,0,300,200; done >16.csv
    "${PYTHON:-python3}" -c 'import numpy as np; np.save("16.npy", np.loadtxt("16.csv", int, delimiter=","))'
    seq 70000 | awk '{ print "0,0,1,1" }' >long.csv
    by "$NO_TABLE, 200 rows at a time" a.pgm --rect 0,0,300,200 --rect 0,0,1,1
    by "$NO_TABLE, 200 rows at a time" a.pgm $more --stat var
    by "$NO_TABLE, 200 rows at a time" a.pgm a.pgm --rects 16.csv
    by "$NO_TABLE, 200 rows at a time" a.pgm --rects 16.npy
    by "$NO_TABLE, 200 rows at a time" a.pgm --rects - <16.csv
    by "$NO_TABLE, 200 rows at a time" a.pgm --grid 2
    by "$NO_TABLE" a.png $more
    [[ $stderr != *"at a time"* ]]
    for f in a.pgm a.png; do
        by "$A_TABLE that fits the image, 60000 px" $f --rects long.csv # more than a chunk: any number, for all that is known
        by "$A_TABLE, 1 px of u8" $f --rect 5,5,1,1 --backend cpu
    done
    # An image that may not be in memory is read once for each chunk.
    ok query a.pgm --rects long.csv -o want.csv
    by "$NO_TABLE, 200 rows at a time" a.pgm --rects long.csv --max-pixels 1K -o is.csv
    cmp is.csv want.csv
    failure "a.png: 300x200 is 60000 pixels, more than --max-pixels 1024" query a.png --rects long.csv --max-pixels 1K
}

@test "query: where a table does not fit, the pixels are summed" {
    grey 300 200 a.pgm
    seq 70000 | awk '{ print $1 % 200 ",0,100," $1 % 99 + 1 }' >long.csv
    ok query a.pgm --rects long.csv
    "$sat" query a.pgm --rects long.csv >want
    by "$NO_TABLE, as a table of " a.pgm --rects long.csv --max-memory 1700K # beside them 65536 answers of 24 bytes
    [[ $stderr == *" KiB is beyond --max-memory"* ]]
    "$sat" query a.pgm --rects long.csv --max-memory 1700K | cmp - want
    failure "a.pgm: 300x200 px *, more than the 1.7* MiB of --max-memory" query a.pgm --rects long.csv --max-memory 1700K --backend cpu
    failure "a.pgm: 300x200 px *" query a.pgm --rects long.csv --max-memory 100K
}

@test "query: a table and the pixels give the same bits, of integers" {
    "${PYTHON:-python3}" -c '
import numpy as np
r = np.random.default_rng(3)
for name in "u1 u2 u4 i1 i2 i4".split():
    info = np.iinfo(name)
    np.save(name + ".npy", r.integers(info.min, info.max, (60, 70, 3), endpoint=True).astype(name))
whole = [(x, y, r.integers(1, 71 - x), r.integers(1, 61 - y)) for x, y in r.integers(0, 60, (20, 2))]
parts = [(x, y, r.uniform(1e-3, 70 - x), r.uniform(1e-3, 60 - y)) for x, y in r.uniform(0, 59, (20, 2))]
for name, rects in ("whole", whole), ("parts", parts): np.savetxt(name + ".csv", rects, "%.17g", ",")
np.savetxt("odd.csv", [(0, .5, 70, 1), (3.25, 0, .5, 60), (4, 4, 1, 1.5), (68.5, 1, 1.5, 2), (1.5, 1.5, .25, .25)], "%.17g", ",")'
    for type in u1 u2 u4 i1 i2 i4; do
        for rects in whole parts odd; do
            for ddof in 0 1; do
                args="$type.npy --as image --rects $rects.csv --stat mean,sum,var,std,rms,count --ddof $ddof"
                by "$NO_TABLE" $args
                ok query $args -o pixels.csv
                ok query $args -o table.csv --backend cpu
                cmp pixels.csv table.csv
                ok query ${args/,var,std,rms/} -o pixels.csv
                ok query ${args/,var,std,rms/} -o table.csv --backend serial
                cmp pixels.csv table.csv
            done
        done
    done
}

@test "query: so many rectangles of floats are quicker from a table, says a line" {
    floats 600 500 f.pfm
    line="f.pfm: so many rectangles of floats are summed from the pixels; quicker, but with sums that are rounded, is"
    seq 1000 | awk '{ print "0,0,600,500" }' >r.csv
    head -800 r.csv >few.csv
    sat query f.pfm --rects r.csv
    [ "$status" = 0 ]
    [ "$stderr" = "sat: $line \`sat IMAGE -o TABLE.npy\`, and \`sat query TABLE.npy\`" ]
    sat query f.pfm --rects few.csv --stat var
    [ "$status" = 0 ]
    [ "$stderr" = "sat: $line \`sat IMAGE -o TABLE.npy --moments 1,2\`, and \`sat query TABLE.npy\`" ]
    ok query -q f.pfm --rects r.csv
    ok query f.pfm --rects few.csv
    ok query f.pfm --grid 10
}

@test "query: few rectangles of an image need no table" {
    grey 6000 6000 a.pgm
    colour 300 200 c.ppm 65535
    (ulimit -v 400000 && "$sat" --version) >version 2>&1 || skip "this build needs more address space"
    rects="--rect 0,0,6000,3000 --rect 17,3001,5,2999 --rect=-9,5000,10,2000 --rect 6000,0,1,1 --clip"
    "$sat" query a.pgm $rects >from_pixels
    "$sat" a.pgm -o t.npy
    "$sat" query t.npy $rects | cmp - from_pixels
    # A table of addresses: as a file's, they are not limited by how much may be allocated (-d).
    (ulimit -d 150000 && "$sat" query a.pgm $rects --threads 1) | cmp - from_pixels
    "$sat" c.ppm -o t.npy
    "$sat" query c.ppm --rect 0,0,300,199 --rect 1,199,299,1 >from_pixels
    "$sat" query t.npy --rect 0,0,300,199 --rect 1,199,299,1 | cmp - from_pixels
    failure "a.pgm: rectangle 5999,0,2,1 reaches outside the image; *" query a.pgm --rect 5999,0,2,1
}
