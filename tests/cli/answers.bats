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
    [[ $(<m.json) == '{"x":1,"y":1,"w":2,"h":2,"mean":[4]}' ]]
    for args in "a.pgm --mean 0,0,1,1" "query a.pgm --rect 0,0,1,1"; do
        # shellcheck disable=SC2086 # words
        usage "-o 'no.png': answers are written as .csv, .json or .npy" $args -o no.png
        # shellcheck disable=SC2086 # words
        for name in no.csv no.npy; do usage "-o '$name': --json writes a .json" $args --json -o $name; done
    done
    [ ! -e no.png ] && [ ! -e no.csv ] && [ ! -e no.npy ]
}

@test "answers are refused under other extensions" {
    small a.pgm
    for name in q.xml q.tsv q.csv.gz d.csv/q.parquet; do
        for args in "a.pgm --mean 0,0,1,1" "query a.pgm --rect 0,0,1,1" "query a.pgm --rect 0,0,1,1 --json"; do
            # shellcheck disable=SC2086 # words
            usage "-o '$name': answers are written as .csv, .json or .npy" $args -o $name
        done
        usage "-o '$name': answers are written as .csv, .json or .npy, and one statistic of a grid as .tif or .pfm, too" \
            query a.pgm --grid 2 --stat mean -o $name
    done
    [ "$(echo q*)" = 'q*' ]
    mkdir d.x
    for name in q d.x/q q. q.TXT /dev/null; do ok a.pgm --mean 0,0,1,1 -o $name; done
}

@test "a .npy of answers is a structured array" {
    "${PYTHON:-python3}" -c 'import numpy' || skip "no NumPy"
    small a.pgm
    printf 'P6 2 1 255\n\1\2\3\4\5\6' >c.ppm
    floats 4 4 f.pfm
    printf '1,1,2,2\n0,0,4,3\n' >r.csv
    echo x,y,w,h >none.csv
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
    ok info u16.npy # what the file holds, and how it is read
    [ "${lines[1]}" = "  format      table (.npy), 1 x 2 of i32, read modulo 2^32" ]
    ok info u16.npy --json
    [[ $output == *'"channels":1,"accum":"i32"}' ]]
    sat query u16.npy --layout inclusive --sample u16 --rect 0,0,2,1 --stat sum -v
    [[ $stderr == *"u16.npy: inclusive table of i32, u16 samples"* ]]
    failure "u16.npy: no i32 table of f32 samples; --sample names those of the image that was summed, of u8, u16, u32, i8, i16, i32" query u16.npy --layout inclusive --sample f32 --rect 0,0,2,1
    # sums that wrapped: 2^32 - 1, then 255 more
    printf '\377\377\377\377\376\0\0\0' | npy wrapped.npy '<u4' "1, 2"
    ok info wrapped.npy
    [ "${lines[1]}" = "  format      table (.npy), 1 x 2 of u32" ]
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

@test "--mean and query take the same options" {
    small a.pgm
    printf 'P6 2 1 255\n\1\2\3\4\5\6' >c.ppm
    printf '3,1,2,2\n1,1,2,2\n' >r.csv
    for options in "--rects r.csv --clip" "--rects r.csv --clip --stat sum,mean" "--rects r.csv --clip --json --stat sum"; do
        stat="--stat mean" # the default of sat, not of query
        [[ $options != *--stat* ]] || stat=
        # shellcheck disable=SC2086 # words
        ok query a.pgm c.ppm $stat $options
        want=$output
        # shellcheck disable=SC2086 # words
        ok a.pgm c.ppm $options
        [ "$output" = "$want" ]
    done
    ok a.pgm --mean 3,1,2,2 --stat sum,mean --clip
    [ "$output" = "$(printf 'x,y,w,h,sum,mean,area\n3,1,2,2,11,5.5,2')" ]
    ok a.pgm --rect 3,1,2,2 --clip
    [ "${lines[1]}" = 3,1,2,2,5.5,2 ]
    printf 'a.pgm\0c.ppm\0' | "$sat" query --files-from - -0 --rect 0,0,1,1 >got
    "$sat" query a.pgm c.ppm --rect 0,0,1,1 | diff got -
    "$sat" a.pgm --rects - <r.csv >got || true
    [ ! -s got ] # the first reaches outside
    "$sat" a.pgm c.ppm --rects - --clip <r.csv >got
    "$sat" a.pgm c.ppm --rects r.csv --clip | diff got -
    "$sat" query a.pgm c.ppm --rects <(cat r.csv) --clip --stat mean | diff got -
}

@test "means and sums are of each channel, and alpha is no weight" {
    { printf 'P7\nWIDTH 2\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n' && printf '\144\12\0\377\0\24\310\0'; } >a.pam
    ok -q a.pam --mean 0,0,2,1
    [ "${lines[1]}" = 0,0,2,1,50,15,100,127.5 ]
    ok query a.pam --rect 0,0,2,1 --stat sum -q
    [ "${lines[1]}" = 0,0,2,1,100,30,200,255 ]
}

@test "a pixel whose alpha is 0 is included in sums, and a line says so if it is read; window statistics exclude it" {
    { printf 'P7\nWIDTH 2\nHEIGHT 2\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n' && printf '\1\377\3\377\5\377\7\0'; } >a.pam
    "$sat" a.pam --box 1 --alpha straight -o a.png
    said="pixels whose alpha is 0 are included in sums and means; window statistics (--box with --stat) exclude them"
    equals() { "$PYTHON" -c 'import sys; import numpy as np; assert np.allclose(np.load(sys.argv[1]).ravel(), [eval(a) for a in sys.argv[2:]])' "$@"; }
    lined() { sat "${@:2}" && [[ $status = 0 && ${#stderr_lines[@]} = 1 && $stderr = "sat: $1" ]]; }
    for file in a.pam a.png; do
        noted "$file: $said" "$file" -o t.npy
        noted "$file: $said" "$file" --mean 0,0,2,2
        lined "$file: $said" query "$file" --grid 1
        lined "$file: $said" query "$file" --rect 0,0,2,2 --backend cpu # by a table
        ok query "$file" --rect 0,0,2,2 -q
        [ "${lines[1]}" = 0,0,2,2,4,191.25,16,765 ]
        ok query "$file" --rect 0,0,2,2 --nodata 7
        ok -q "$file" --box 3 --border shrink --stat mean -o m.npy
        equals m.npy 3 3 3 3
        noted "$file: results are without alpha" "$file" --box 3 --border shrink --stat mean --nodata 3 -o m.npy # not by alpha
        equals m.npy 13/3 13/3 13/3 13/3
    done
    noted "a.pam: the result is without alpha" a.pam --box 3 --border shrink --nodata 3 -o m.npy # as the mean
    equals m.npy 4 4 4 4 # 13/3, rounded
    usage "-o '--json': begins with '-' like an option*" query a.pam --rect 0,0,2,1 -o --json
    ok query a.pam --rect 0,0,2,1 # by rows: the pixel is not read
}

@test "pictures of different channels make a rectangular CSV" {
    small a.pgm
    printf 'P6 2 1 255\n\1\2\3\4\5\6' >c.ppm
    ok a.pgm c.ppm --mean 0,0,2,1
    [ "$output" = "$(printf 'file,x,y,w,h,mean.0,mean.1,mean.2\na.pgm,0,0,2,1,1.5,,\nc.ppm,0,0,2,1,2.5,3.5,4.5')" ]
    ok query c.ppm a.pgm --rect 0,0,2,1 -o m.csv
    [ "$(<m.csv)" = "$(printf 'file,x,y,w,h,mean.0,mean.1,mean.2,sum.0,sum.1,sum.2\nc.ppm,0,0,2,1,2.5,3.5,4.5,5,7,9\na.pgm,0,0,2,1,1.5,,,3,,')" ]
    ok a.pgm c.ppm --mean 0,0,2,1 --json
    [ "${lines[0]}" = '{"file":"a.pgm","x":0,"y":0,"w":2,"h":1,"mean":[1.5]}' ]
    [ "${lines[1]}" = '{"file":"c.ppm","x":0,"y":0,"w":2,"h":1,"mean":[2.5,3.5,4.5]}' ]
    sat a.pgm c.ppm --mean 0,0,2,1 -o no.npy
    [ "$status" = 1 ]
    [ "${stderr_lines[0]}" = "sat: c.ppm: the files before have 1 channel, this one 3; CSV and JSON take both" ]
    floats 2 1 f.pfm
    ok a.pgm f.pfm --mean 0,0,2,1 -o m.npy
    sat query a.pgm f.pfm --rect 0,0,2,1 -o no.npy
    [ "${stderr_lines[0]}" = "sat: f.pfm: the sums before are of u64, these of f64; CSV and JSON take both" ]
    [ ! -e no.npy ]
}

@test "rows beyond those that are held are written, and no wider picture is taken then" {
    small a.pgm
    printf 'P6 2 1 255\n\1\2\3\4\5\6' >c.ppm
    yes 0,0,1,1 | head -40000 >r.csv
    sat a.pgm a.pgm c.ppm a.pgm --rects r.csv --stat sum
    [ "$status" = 1 ]
    [ "${#lines[@]}" = 120001 ]
    [ "${lines[0]}" = file,x,y,w,h,sum ]
    [ "$(printf '%s\n' "${lines[@]:1}" | sort -u)" = a.pgm,0,0,1,1,1 ]
    [ "${stderr_lines[0]}" = "sat: c.ppm: 3 channels, and the 80000 rows before were written for 1; --json takes any" ]
    ok a.pgm c.ppm a.pgm --rects r.csv --stat sum # 80000 rows, 40000 of them held when the widest comes
    [ "${#lines[@]}" = 120001 ]
    [ "${lines[0]} ${lines[1]} ${lines[120000]}" = "file,x,y,w,h,sum.0,sum.1,sum.2 a.pgm,0,0,1,1,1,, a.pgm,0,0,1,1,1,," ]
}

@test "the other columns of the rectangles are kept" {
    small a.pgm
    printf 'P6 4 3 255\n%036d' 0 >c.ppm
    printf 'id;x;"note ""n""";y;w;h;mean\n7;1;"a, ""b"";";1;2;2;old\n\303\244;0;;0;4;3;\n' >r.csv
    ok query a.pgm --rects r.csv -q
    [ "$output" = "$(printf '%s\n' 'x,y,w,h,mean,sum,id,"note ""n"""' '1,1,2,2,4,16,7,"a, ""b"";"' $'0,0,4,3,4.25,51,\303\244,')" ]
    ok query a.pgm --rects r.csv --json --stat sum
    [ "${lines[0]}" = '{"x":1,"y":1,"w":2,"h":2,"sum":[16],"id":"7","note \"n\"":"a, \"b\";","mean":"old"}' ]
    ok a.pgm c.ppm --rects r.csv --clip --stat sum
    [ "${lines[0]}" = 'file,x,y,w,h,sum.0,sum.1,sum.2,area,id,"note ""n""",mean' ]
    [ "${lines[1]}" = 'a.pgm,1,1,2,2,16,,,4,7,"a, ""b"";",old' ]
    [ "${#lines[@]}" = 5 ]
    # The answers are rectangles, too.
    ok query a.pgm --rects r.csv -o first.csv -q
    ok query a.pgm --rects first.csv -o second.csv -q
    cmp first.csv second.csv
    # Blanks at the ends of a field, and carriage returns, stay.
    printf 'x,y,w,h,n,m,o\n1,1,2,2,"a\rb"," c","d\t"\n' >r.csv
    ok query a.pgm --rects r.csv --stat sum -o first.csv
    [ "$(tail -1 first.csv)" = $'1,1,2,2,16,"a\rb"," c","d\t"' ]
    ok query a.pgm --rects first.csv --stat sum -o second.csv -q
    cmp first.csv second.csv
    printf 'id;x;"note ""n""";y;w;h;mean\n7;1;"a, ""b"";";1;2;2;old\n\303\244;0;;0;4;3;\n' >r.csv
    # The last file's rectangles are not read, and the header has all columns all the same.
    sat a.pgm c.ppm missing.pgm --rects r.csv --stat sum
    [ "${lines[0]}" = 'file,x,y,w,h,sum.0,sum.1,sum.2,id,"note ""n""",mean' ]
    [ "${lines[1]}" = 'a.pgm,1,1,2,2,16,,,7,"a, ""b"";",old' ]
    for bad in '"a\nb"' '"a\r\nb"' '"a' '"a""' '"a"b' '"a" "b"'; do
        # shellcheck disable=SC2059 # escapes
        printf "x,y,w,h,z\n0,0,1,1,c\n0,0,1,1,$bad\n" >quote.csv
        what="closed, and a field cannot hold the end of a line"
        [[ $bad == '"a"'[b\ ]* ]] && what="at the end of its field"
        sat query a.pgm --rects quote.csv
        echo "$bad: $stderr"
        [ "$status" = 1 ]
        [ "$stderr" = "sat: quote.csv: line 3: a quote is not $what" ]
    done
    printf 'x,y,w,h,z\n0,0,1,1,a\0b\n' >zero.csv
    failure "zero.csv: line 2: a zero byte, which no text has; CSV, JSON lines and .npy are read" query a.pgm --rects zero.csv
}

@test "a column that is named like an answer is left out, and that is said once" {
    small a.pgm
    printf 'P6 4 3 255\n%036d' 0 >c.ppm
    ok query a.pgm c.ppm --rect 1,1,2,2 --clip -o old.csv
    [ "$(head -1 old.csv)" = file,x,y,w,h,mean.0,mean.1,mean.2,sum.0,sum.1,sum.2,area ]
    sat query a.pgm c.ppm --rects old.csv --clip
    [ "$status" = 0 ]
    [ "$stderr" = "sat: old.csv: columns left out, as answers have these names: file, mean.0, mean.1, mean.2, sum.0, sum.1, sum.2, area" ]
    [ "${lines[0]}" = file,x,y,w,h,mean.0,mean.1,mean.2,sum.0,sum.1,sum.2,area ]
    "$sat" query a.pgm c.ppm --rects - --clip <old.csv 2>err | head -1
    [ "$(<err)" = "sat: standard input: ${stderr#*old.csv: }" ]
    # Only those of the answers that are printed.
    sat a.pgm --rects old.csv --json
    [ "$stderr" = "sat: old.csv: columns left out, as answers have these names: mean.0, mean.1, mean.2" ]
    [[ ${lines[0]} == '{"x":1,"y":1,"w":2,"h":2,"mean":[4],"file":"a.pgm","sum.0":"16",'*',"area":"4"}' ]]
    printf 'x,y,w,h,mean,means\n1,1,2,2,old,kept\n' >one.csv
    sat a.pgm --rects one.csv
    [ "$stderr" = "sat: one.csv: column left out, as answers have this name: mean" ]
    [ "$output" = "$(printf 'x,y,w,h,mean,means\n1,1,2,2,4,kept')" ]
    ok a.pgm --rects one.csv -q
    ok a.pgm --rects one.csv --stat sum
    ok a.pgm --rects one.csv -o m.npy # which has none of the other columns
    # All of them are named, however many.
    left_out=$(printf 'mean.%d\n' {0..9} {0..9} {0..9} {0..9} {0..9} {0..9})
    printf 'x,y,w,h,%s\n' "${left_out//$'\n'/,}" >many.csv
    sat a.pgm --rects many.csv
    [ "$stderr" = "sat: many.csv: columns left out, as answers have these names: ${left_out//$'\n'/, }" ]
    [ "$output" = x,y,w,h,mean ]
}

@test "two columns of one name: CSV keeps both, JSON refuses them" {
    small a.pgm
    printf 'x,y,id,w,h,n,id\n1,1,a,2,2,b,c\n' >r.csv
    ok a.pgm --rects r.csv
    [ "$output" = "$(printf 'x,y,w,h,mean,id,n,id\n1,1,2,2,4,a,b,c')" ]
    for input in a.pgm "a.pgm a.pgm"; do
        # shellcheck disable=SC2086 # words
        for command in "$input --rects r.csv --json" "query $input --rects r.csv -o m.json"; do
            sat $command
            [ "$status" = 1 ]
            [ "$stderr" = "sat: r.csv: two columns have the name 'id' in JSON, which cannot hold both; CSV can" ]
            [ -z "$output" ]
        done
    done
    [ ! -e m.json ]
    printf 'x,y,w,h,,\n1,1,2,2,a,b\n' >r.csv
    failure "r.csv: two columns have the name '' in JSON, *" a.pgm --rects r.csv --json
    printf 'x,y,w,h,id,id\n' >r.csv
    failure "r.csv: two columns have the name 'id' in JSON, *" a.pgm --rects r.csv --json
    printf 'x,y,w,h,id,Id,i\n1,1,2,2,a,b,c\n' >r.csv
    ok a.pgm --rects r.csv --json
    [ "$output" = '{"x":1,"y":1,"w":2,"h":2,"mean":[4],"id":"a","Id":"b","i":"c"}' ]
    # Names are those that JSON has: each byte that is not UTF-8 is U+FFFD there.
    for names in '\377,\376' 'a\377,a\303' '\300\200,\377\376' '\377,\357\277\275'; do
        # shellcheck disable=SC2059 # escapes
        printf "x,y,w,h,$names\n1,1,2,2,a,b\n" >r.csv
        failure "r.csv: two columns have the name '*' in JSON, *" a.pgm --rects r.csv --json
        ok a.pgm --rects r.csv -o kept.csv
        [ "$(tail -1 kept.csv)" = 1,1,2,2,4,a,b ]
    done
    for names in '\377,\377\376' '\303\244,\303\266' 'a,\377'; do
        # shellcheck disable=SC2059 # escapes
        printf "x,y,w,h,$names\n1,1,2,2,a,b\n" >r.csv
        ok a.pgm --rects r.csv --json
        [[ $output == *'":"a",'*'":"b"}' ]]
    done
    # What is left out does not count.
    printf 'x,y,w,h,mean,mean,id,mean.0,mean.0\n1,1,2,2,a,b,c,d,e\n' >r.csv
    ok a.pgm --rects r.csv --json -q
    [ "$output" = '{"x":1,"y":1,"w":2,"h":2,"mean":[4],"id":"c"}' ]
    for option in "" "-o m.json"; do
        # shellcheck disable=SC2086 # words
        failure "r.csv: two columns have the name 'mean' in JSON, *" a.pgm --rects r.csv --json --stat sum $option
    done
    printf 'x,y,w,h,mean.\377,mean.\357\277\275\n1,1,2,2,a,b\n' >r.csv
    ok a.pgm --rects r.csv --json -q
    [ "$output" = '{"x":1,"y":1,"w":2,"h":2,"mean":[4],"mean.'$'\357\277\275''":"b"}' ]
}

@test "JSON has null for nan, and for inf, of which a line says how many" {
    printf 'PF\n2 1\n-1.0\n\0\0\200\177\0\0\200\177\0\0\200\77\0\0\300\177\0\0\300\177\0\0\200\77' >a.pfm # inf inf 1 nan nan 1
    noted "standard output: 4 values are inf, which JSON writes as null; CSV and .npy hold them" a.pfm --mean 0,0,1,1 --stat mean,sum --json
    [ "$output" = '{"x":0,"y":0,"w":1,"h":1,"mean":[null,null,1],"sum":[null,null,1]}' ]
    noted "m.json: 1 value is inf, which JSON writes as null; CSV and .npy hold it" a.pfm --channel 1 --mean 0,0,1,1 -o m.json
    ok query a.pfm --rect 1,0,1,1 --json # nan alone
    [ "$output" = '{"x":1,"y":0,"w":1,"h":1,"mean":[null,null,1],"sum":[null,null,1]}' ]
    ok query a.pfm --channel 1 --rect 0,0,1,1
    [ "${lines[1]}" = 0,0,1,1,inf,inf ]
}

@test "rectangles by their corners" {
    small a.pgm
    printf 'x0,y0,x1,y1\n1,1,3,3\n0,0,4,3\n' >r.csv
    ok query a.pgm --rects r.csv
    [ "$output" = "$(printf 'x,y,w,h,mean,sum\n1,1,2,2,4,16\n0,0,4,3,4.25,51')" ]
    printf 'X,Width,Y0,Y1\n1,2,1,3\n' >r.csv
    ok query a.pgm --rects r.csv --stat sum
    [ "${lines[1]}" = 1,1,2,2,16 ]
    bad() { # PATTERN TEXT
        printf "$2" >r.csv
        failure "r.csv: $1" query a.pgm --rects r.csv
    }
    bad "line 2: rectangle 1,1,0,2 is empty*" 'x0,y0,x1,y1\n1,1,1,3\n'
    bad "line 2: rectangle 3,1,-2,2 is empty*" 'x0,y0,x1,y1\n3,1,1,3\n'
    bad "line 2: from -2 to 9223372036854775807 is too long" 'x0,y0,x1,y1\n-2,1,9223372036854775807,3\n'
    bad "line 1: the header names both column w and column x1" 'x,y,w,h,x1\n1,1,1,1,1\n'
    bad "line 1: the header names column x twice" 'x,x0,y,w,h\n1,1,1,1,1\n'
    bad "line 1: the header names no column y" 'x,w,y1\n1,1,1\n'
}

@test "a wrong line of the rectangles is said once" {
    small a.pgm
    printf '0,0,1,1\noops,0,1,1\n' >r.csv
    sat a.pgm a.pgm a.pgm --rects r.csv
    [ "$status" = 1 ]
    [ "$stderr" = "sat: r.csv: line 2: 'oops' is not a number" ]
    [ "$output" = "$(printf 'file,x,y,w,h,mean\na.pgm,0,0,1,1,1')" ]
}

@test "a table of floats that cannot hold its sums says so, when it is made and when it is queried" {
    { printf 'P5 258 1 65535\n' && head -c 514 /dev/zero | tr '\0' '\377' && printf '\0\1'; } >wide.pgm # 257 * 65535 + 1
    { printf 'P5 256 1 65535\n' && head -c 512 /dev/zero | tr '\0' '\377'; } >fits.pgm                  # 256 * 65535
    floats 300 300 f.pfm
    for layout in padded inclusive; do
        for file in fits f; do
            ok $file.p[gf]m --type f32 --layout $layout -o t.npy
            ok query t.npy --rect 0,0,2,1
        done
        for type in u32 i64 f64; do
            ok wide.pgm --type $type --layout $layout -o t.npy
            ok query t.npy --rect 0,0,2,1
        done
        sat wide.pgm --type f32 --layout $layout -o t.npy
        [ "$status" = 0 ]
        [[ $stderr == "sat: t.npy: its sums can be rounded: they reach 16842496, and f32 is exact below 16777216; a rectangle's may be off by 1049; "*u32* ]]
        sat query t.npy --rect 0,0,2,1
        [ "$status" = 0 ]
        [[ $stderr == "sat: t.npy: its sums can be rounded: they reach 16842496, "*" off by 1049; "*u32* ]]
        ok wide.pgm --type f32 --layout $layout -o t.npy -q
        ok query t.npy --rect 0,0,2,1 -q
    done
    printf 'P6 2 300 65535\n' >c.ppm # the second channel's sum is too large, the others are 0
    { printf '\0\0\377\377\0\0%.0s' $(seq 600); } >>c.ppm
    sat c.ppm --type f32 -o t.npy
    [[ $stderr == "sat: t.npy: its sums can be rounded: "* ]]
    sat t.npy --mean 0,0,2,1
    [[ $status$stderr == "0sat: t.npy: its sums can be rounded: "* ]]
}

@test "a table of floats of signed samples says that it rounds where its image's magnitudes can do it" {
    # 600 samples of 32767 and 600 of -32768 cancel each other, and are more than 2^24
    for n in 1200:"\377\177\0\200" 400:"\377\177\0\200" 1200:"\1\0\376\377"; do
        printf '\223NUMPY\1\0\166\0%-117s\n' "{'descr': '<i2', 'fortran_order': False, 'shape': (1, ${n%%:*}), }" >i.npy
        # shellcheck disable=SC2059 # escapes
        for ((i = 0; i < ${n%%:*}; i += 2)); do printf "${n#*:}"; done >>i.npy
        sat i.npy --type f32 -o t.npy
        if [ "$n" = 1200:"\377\177\0\200" ]; then
            [[ $status$stderr == "0sat: t.npy: its sums can be rounded: they may reach 39321000, and f32 is exact below 16777216; "*"; --type i32 and i64 make exact tables" ]]
        else
            [ "$status$stderr" = 0 ]
        fi
    done
    sat query t.npy --rect 0,0,2,1 --stat sum # the image's magnitudes are not known here
    [[ $status$stderr == "0sat: t.npy: its sums can be rounded: of such samples they may reach 39321600, "* ]]
    [ "${lines[1]}" = 0,0,2,1,-1 ]
    # 2^18 of them need more than 32 bits
    { printf '\223NUMPY\1\0\166\0%-117s\n' "{'descr': '<i2', 'fortran_order': False, 'shape': (512, 512), }" && head -c 524288 /dev/zero | tr '\0' '\177'; } >i.npy
    sat i.npy --type f32 -o t.npy
    [[ $status$stderr == "0sat: t.npy: its sums can be rounded: they may reach 8556118016, "*"; --type i64 makes an exact table" ]]
}

@test "a table of floats with sums that are inf or nan says so, when it is made and when it is queried" {
    { printf 'Pf\n4 2\n1.0\n' && printf '\0\0\0\0\0\0\0\0\177\0\0\0\0\0\0\0%.0s' 1 2 3 4; } >big.pfm # two of 1.7e38, in column 2
    { printf 'Pf\n4 2\n1.0\n' && printf '\0\0\0\0\177\200\0\0\0\0\0\0\0\0\0\0' && head -c 16 /dev/zero; } >inf.pfm
    head -c $((11 + 32)) big.pfm >two.pfm
    lost="its sums are inf or nan from column"
    for layout in padded inclusive; do
        sat two.pfm --type f32 --layout $layout -o t.npy
        [ "$status$stderr" = "0sat: t.npy: $lost 2 on, and rectangles that need them have no answer; --type f64 holds these sums" ]
        sat query t.npy --rect 0,0,1,1 --stat sum
        [[ $status$stderr == "0sat: t.npy: $lost 2 on, "*"; \`sat query\` of the image itself sums what lies in a rectangle" ]]
        [ "${lines[1]}" = 0,0,1,1,0 ]
        ok query t.npy --rect 0,0,1,1 -q
        ok two.pfm --type f32 --layout $layout -o t.npy -q
        ok two.pfm --layout $layout -o t.npy
        ok query t.npy --rect 2,0,1,2 --stat sum
        sat inf.pfm --type f32 --layout $layout -o t.npy
        [[ $status$stderr == "0sat: t.npy: $lost 1 on, "*"; \`sat query\` of the image itself sums what lies in a rectangle" ]]
    done
}

@test "query --verify compares the checksum whatever the size" {
    grey 9000 1000 a.pgm
    ok a.pgm -o t.npy
    ok query t.npy --rect 0,0,1,1 --verify
    printf '\7' | dd of=t.npy bs=1 seek=$((4096 + 9001 * 8 * 500)) conv=notrunc status=none
    ok query t.npy --rect 0,0,1,1
    failure "t.npy: damaged: the table's checksum does not match" query t.npy --rect 0,0,1,1 --verify
    head -c $((4096 + 1001 * 9001 * 8)) t.npy >bare.npy
    failure "bare.npy: no trailer, and so no checksum" query bare.npy --layout padded --rect 0,0,1,1 --verify
    failure "a.pgm: --verify is for tables*" query a.pgm --rect 0,0,1,1 --verify
}
