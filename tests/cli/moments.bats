# Tables of sums and squares, and what they answer.

load helpers

@test "--moments 1,2 writes sums and squares, which answer var, std and rms" {
    small a.pgm
    ok a.pgm -o t.npy --moments 1,2
    ok query t.npy --rect 1,1,2,2 --rect 0,0,1,1 --stat var,std,rms,sum,area
    [ "$output" = "x,y,w,h,var,std,rms,sum,area
1,1,2,2,6.5,2.5495097567963922,4.743416490252569,16,4
0,0,1,1,0,0,1,1,1" ]
    ok query t.npy --rect 1,1,2,2 --stat var,count --ddof 1 --json
    [ "$output" = '{"x":1,"y":1,"w":2,"h":2,"var":[8.666666666666666],"count":[4]}' ]
    ok query a.pgm --rect 1,1,2,2 --rect 0,0,1,1 --stat var,std,rms,sum,area
    [ "${lines[1]}" = 1,1,2,2,6.5,2.5495097567963922,4.743416490252569,16,4 ]
    ok query t.npy --rect 1,1,1,1 --stat var --ddof 1
    [ "${lines[1]}" = 1,1,1,1,nan ]
    ok query t.npy --rect 1,1,2,2
    [ "$output" = "x,y,w,h,mean,sum
1,1,2,2,4,16" ]
    ok info t.npy
    [[ $output == *"4 x 5 of i64"*"moments     1,2: sums, then sums of squares, of each pixel's channels"*verified* ]]
    ok info --json t.npy
    [[ $output == *'"moments":[1,2]'* ]]
}

@test "a table of sums refuses var, and says what answers it" {
    small a.pgm
    ok a.pgm -o t.npy --moments 1
    "$sat" a.pgm -o default.npy
    cmp t.npy default.npy
    failure "t.npy: a table of sums alone, *--moments 1,2*" query t.npy --rect 1,1,2,2 --stat std
    [ -z "$output" ]
    ok query t.npy --rect 1,1,2,2 --stat mean,area,count
    [ "${lines[1]}" = 1,1,2,2,4,4,4 ]
}

@test "the area is one column, with --clip too" {
    small a.pgm
    ok query a.pgm --rect=-1,-1,3,2 --stat area,var --clip
    [ "$output" = "x,y,w,h,area,var
-1,-1,3,2,2,0.25" ]
    ok query a.pgm --rect=-1,-1,3,2 --stat var --clip
    [ "$output" = "x,y,w,h,var,area
-1,-1,3,2,0.25,2" ]
    ok query a.pgm --rect=9,9,1,1 --stat var,std,rms,count --clip
    [ "${lines[1]}" = 9,9,1,1,nan,nan,nan,0,0 ]
}

@test "moments and statistics that there are none of" {
    small a.pgm
    usage "--moments '2': 1 is the table of sums, 1,2 has the sums of squares, too, 0,1 and 0,1,2 the counts" a.pgm -o t.npy --moments 2
    usage "--moments is for tables, -o OUT.npy without --box" a.pgm --box 3 -o b.pgm --moments 1,2
    usage "--stat 'men': there is no such statistic; did you mean mean?" query a.pgm --rect 0,0,1,1 --stat sum,men
    usage "--stat 'mean,mean': mean stands there twice" query a.pgm --rect 0,0,1,1 --stat mean,mean
    usage "--stat 'variance': there is no such statistic; there are mean,*,area" query a.pgm --rect 0,0,1,1 --stat variance
    usage "--stat 'min': there is no such statistic; there are mean,*,area" query a.pgm --rect 0,0,1,1 --stat mean,min,max
    usage "--stat '': there is no such statistic; there are mean,*,area" query a.pgm --rect 0,0,1,1 --stat mean,
    usage "--stat 'var,var': var stands there twice" query a.pgm --rect 0,0,1,1 --stat var,var
    usage "--ddof '-1': *" query a.pgm --rect 0,0,1,1 --stat var --ddof=-1
    failure "a.pgm: a table of sums and squares of u8 samples cannot be of f32, but of u32 or u64 or i64 or f64 (--type)" \
        a.pgm -o t.npy --moments 1,2 --type f32
    [ ! -e t.npy ]
}

@test "what refuses an option of blurs beside rectangles does not speak of windows" {
    small a.pgm
    for option in --linear --scale=0:9; do
        usage "${option%=*} does not go with --rect" a.pgm --rect 0,0,1,1 --stat std $option
        usage "${option%=*} does not go with statistics of windows" a.pgm --box 3 --stat std $option -o o.tif
        usage "${option%=*} does not go with statistics of windows" a.pgm --box 3 --threshold mean $option -o o.tif
    done
}

# offset_floats MEAN H FILE - a PFM of 64 columns and H rows (little endian) around a mean, by awk's own arithmetic.
offset_floats() {
    "${PYTHON:-python3}" - "$@" <<'EOF' || skip "no NumPy"
import sys
import numpy as np
mean, height, path = float(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
a = (mean + .05 * np.random.default_rng(0).standard_normal((height, 64))).astype("<f4")
open(path, "wb").write(b"Pf 64 %d -1\n" % height + a[::-1].tobytes())
EOF
}

@test "a table of floats with squares keeps small deviations, by a level" {
    offset_floats 2500 300 a.pfm
    ok a.pfm -o t.npy --moments 1,2
    ok info t.npy
    [[ $output == *"level       2"[45]* ]]
    ok query a.pfm --rect 30,280,3,3 --rect 0,0,64,300 --stat mean,std,rms,sum
    want=$output
    ok query t.npy --rect 30,280,3,3 --rect 0,0,64,300 --stat mean,std,rms,sum
    paste -d, <(tail -n 2 <<<"$output") <(tail -n 2 <<<"$want") |
        awk -F, '{ for (i = 5; i <= 8; i++) if (($i - $(i + 8)) ^ 2 > ($(i + 8) * 1e-12) ^ 2) { print; exit 1 } }'
    # By rows, and in bands, the level is that of the whole image: the first row's.
    ok info t.npy --json
    level=$(grep -o '"level":[^,]*' <<<"$output")
    ok a.pfm --rows 0:1 --box 1 -o first.npy
    "${PYTHON:-python3}" -c 'import sys, numpy as np
row, level = np.load("first.npy").ravel(), float(sys.argv[1])
sys.exit(not (level in row and abs(level - np.median(row)) < 0.03))' "${level#*:}"
    # Older readers refuse it; sums alone have none.
    [ "$(tail -c 192 t.npy | od -An -tu4 -j8 -N4 | tr -d ' ')" = 2 ]
    ok a.pfm -o one.npy
    [ "$(tail -c 192 one.npy | od -An -tu4 -j8 -N4 | tr -d ' ')" = 1 ]
}

@test "deviations that a table of floats cannot give are counted in a line" {
    offset_floats 2500 300 a.pfm
    "${PYTHON:-python3}" -c '
import numpy as np
y = np.arange(300.0)[:, None] * 1e7 + np.random.default_rng(1).standard_normal((300, 64))
np.save("tilted.npy", y)'
    ok tilted.npy --as image -o t.npy --moments 1,2
    sat query t.npy --rect 30,280,3,1 --rect 40,290,5,1 --stat std
    [[ $status = 0 && $stderr == "sat: t.npy: 2 answers may be off by more than 1 % (std, rms) "*"\`sat query IMAGE\`"* ]]
    ok query -q t.npy --rect 30,280,3,1 --rect 40,290,5,1 --stat std
    ok query t.npy --rect 30,280,3,1 --stat mean
    ok query tilted.npy --as image --rect 30,280,3,1 --stat std
    # What is true of the sums and of their squares is said once.
    "${PYTHON:-python3}" -c 'import numpy as np; np.save("inf.npy", np.full((9, 9), np.inf))'
    sat inf.npy --as image -o t.npy --moments 1,2
    [[ $status = 0 && $(grep -c "inf or nan" <<<"$stderr") = 1 ]]
    sat query t.npy --rect 0,0,1,1 --stat std
    [[ $status = 0 && $(grep -c "inf or nan" <<<"$stderr") = 1 ]]
}

@test "a table of u32 squares refuses rectangles beyond its proof, and i64 answers them" {
    { printf 'P5 258 257 255\n' && head -c $((258 * 257)) /dev/zero | tr '\0' '\377'; } >a.pgm
    ok a.pgm -o t.npy --moments 1,2 --type u32
    failure "t.npy: rectangle 0,0,258,257 has more than the 66051 pixels that a u32 table of squares of u8 samples is proven to answer; *i64*" \
        query t.npy --rect 0,0,258,257 --stat std
    ok query t.npy --rect 0,0,257,257 --stat std,mean
    [ "${lines[1]}" = 0,0,257,257,0,255 ]
    ok a.pgm -o t.npy --moments 1,2
    ok query t.npy --rect 0,0,258,257 --stat std,mean,rms
    [ "${lines[1]}" = 0,0,258,257,0,255,255 ]
}

@test "--grid asks the cells of each input in order, the last ones cut" {
    small a.pgm
    ok query a.pgm --grid 3x2 --stat sum,area
    [ "$output" = "x,y,w,h,sum,area
0,0,3,2,24,6
3,0,1,2,12,2
0,2,3,1,12,3
3,2,1,1,3,1" ]
    for size in 1 2 3 1x9 9x1 9; do
        ok query a.pgm --grid $size --stat area
        [ "$(awk -F, 'NR > 1 { n += $5 } END { print n }' <<<"$output")" = 12 ]
    done
    printf 'P5 2 1 255\n\1\2' >b.pgm
    ok query a.pgm b.pgm --grid 4 --stat mean
    [ "$output" = "file,x,y,w,h,mean
a.pgm,0,0,4,3,4.25
b.pgm,0,0,2,1,1.5" ]
    grey 300 700 c.pgm # more cells than a chunk
    ok query c.pgm --grid 1 --stat sum
    [ "${#lines[@]}" = 210001 ]
    [ "$(awk -F, 'NR > 1 { n += $5 } END { print n }' <<<"$output")" = "$("$sat" query c.pgm --rect 0,0,300,700 --stat sum | awk -F, 'END { print $5 }')" ]
    usage "--grid '0': *" query a.pgm --grid 0
    usage "--rect and --grid: one or the other" query a.pgm --grid 2 --rect 0,0,1,1
}

@test "--grid with one statistic and -o makes an image of the cells" {
    small a.pgm
    for name in cells.npy cells.tif cells.pfm; do
        if [ $name = cells.tif ] && ! "$sat" --help | grep -q '^formats:.* tiff'; then continue; fi
        ok query a.pgm --grid 3x2 --stat sum -o $name
        ok query $name --as image --grid 1 --stat sum
        [ "$(awk -F, 'NR > 1 { print $5 }' <<<"$output" | xargs)" = "24 12 12 3" ]
    done
    ok query a.pgm --grid 3x2 --stat area -o cells.npy
    ok info cells.npy
    [[ $output == *"2 x 2 px"*f64* ]]
    ok query a.pgm --grid 3x2 --stat sum,mean -o rows.npy
    failure "rows.npy: *" info rows.npy # records
    rm -f cells.*
    printf 'P7\nWIDTH 1\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n\1\2' >c.pam
    usage "-o 'cells.png': PNG holds *; cells are written as .npy, .tif, .pfm or .csv" query a.pgm --grid 3x2 --stat sum -o cells.png
    usage "-o 'g.tif': an image of the cells has one statistic: --stat mean, or another" query a.pgm --grid 2 -o g.tif
    usage "-o 'g.tif': an image of the cells has one statistic: *" query a.pgm --grid 2 --stat sum,var -o g.tif
    usage "-o 'g.tif': an image of the cells has one statistic: --stat mean, without --json" query a.pgm --grid 2 --stat mean --json -o g.tif
    usage "-o 'g.tif': answers are written as .csv, .json or .npy" query a.pgm --rect 0,0,1,1 -o g.tif
    failure "c.pam: *" query c.pam --grid 1 --stat mean -o cells.pfm
    usage "-o 'cells.npy': an image of cells is of one input; *" query a.pgm a.pgm --grid 2 --stat sum -o cells.npy
    [ ! -e cells.png ] && [ ! -e cells.npy ]
}
