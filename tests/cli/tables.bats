# Tables: layouts, types, bands, fixed point, streams; rectangles answered from them.

load helpers

# entries FILE BYTES COLUMNS TYPE - the array of a table file, row by row (od's type, as d8).
entries() { tail -c +4097 "$1" | head -c "$2" | od -An -v -w$((8 * $3)) -t"$4" | tr -s ' ' | sed 's/^ //'; }

@test "each layout, as sat.h draws them" {
    small a.pgm
    ok a.pgm -o t.npy
    [ "$(entries t.npy 160 5 d8)" = "$(printf '%s\n' "0 0 0 0 0" "0 1 3 6 10" "0 6 14 24 36" "0 15 24 36 51")" ]
    ok a.pgm --layout padded -o t2.npy
    cmp t.npy t2.npy
    ok a.pgm --layout inclusive -o t.npy
    [ "$(entries t.npy 96 4 d8)" = "$(printf '%s\n' "1 3 6 10" "6 14 24 36" "15 24 36 51")" ]
    ok a.pgm --layout exclusive -o t.npy
    [ "$(entries t.npy 96 4 d8)" = "$(printf '%s\n' "0 0 0 0" "0 1 3 6" "0 6 14 24")" ]
}

@test "every type answers the same" {
    colour 40 30 c.ppm
    for type in u32 u64 i64 f32 f64; do
        ok c.ppm --type $type -o t.npy
        ok query t.npy --rect 3,4,20,17 --rect 0,0,40,30
        [ -z "${want-}" ] || [ "$output" = "$want" ]
        want=$output
    done
    floats 40 30 f.pfm
    want=
    for type in f32 f64 q32; do # these samples are multiples of 1/2, so that all are exact
        ok f.pfm --type $type -o t.npy
        ok query t.npy --rect 3,4,20,17 --rect 0,0,40,30
        [ -z "$want" ] || [ "$output" = "$want" ]
        want=$output
    done
}

@test "a table of f32 is exact up to a sum of 2^24, and i64 beyond" {
    { printf 'P5 258 1 65535\n' && head -c 512 /dev/zero | tr '\0' '\377' && printf '\1\0\0\0'; } >even.pgm
    { head -c -1 even.pgm && printf '\1'; } >odd.pgm # one more
    for file in even odd; do
        ok $file.pgm --type f32 -o t.npy -q
        ok query t.npy --rect 256,0,2,1 --stat sum -q
        [ "${lines[1]}" = 256,0,2,1,256 ]
        ok $file.pgm -o t.npy
        ok query t.npy --rect 256,0,2,1 --stat sum
    done
    [ "${lines[1]}" = 256,0,2,1,257 ]
}

@test "a type that does not fit the samples is refused" {
    small a.pgm
    floats 4 4 f.pfm
    failure "a.pgm: --type q32 is for float images*" a.pgm --type q32 -o no.npy
    for type in u32 u64 i64; do failure "f.pfm: *" f.pfm --type $type -o no.npy; done
    [ ! -e no.npy ]
    no_leftovers
}

@test "q32: the largest rectangle decides the step, and larger ones are refused" {
    floats 600 600 f.pfm
    sat f.pfm --type q32 -v -o t.npy
    [ "$status" = 0 ]
    [[ $stderr == *"rectangles of up to 65536 px"* ]]
    ok query t.npy --rect 0,0,256,256
    failure "t.npy: rectangle 0,0,600,600 has more than*q32*" query t.npy --rect 0,0,600,600 # steps are powers of two
    sat f.pfm --type q32 --largest 300x300 -v -o t.npy
    [[ $stderr == *"rectangles of up to 90000 px"* ]]
    ok query t.npy --rect 0,0,300,300
    ok f.pfm --type q32 --largest 300 -o side.npy
    cmp side.npy t.npy
    ok f.pfm --type q32 --largest 3 -o t.npy
    failure "t.npy: rectangle 0,0,300,300 has more than*" query t.npy --rect 0,0,300,300
    ok f.pfm --type q32 --largest 1x9 -o same.npy # the area counts
    cmp same.npy t.npy
    ok info t.npy
    [[ $output == *"quant       offset "*", step "*", rectangles of up to "*" px"* ]]
    # As many pixels as it says, and no more.
    ok f.pfm --type q32 --largest 50x500 -o t.npy
    ok info --json t.npy
    area=$(sed 's/.*"largest_px":\([0-9]*\),.*/\1/' <<<"$output")
    [ "$area" -ge 25000 ]
    ok query t.npy --rect "0,0,600,$((area / 600))"
    failure "t.npy: rectangle 0,0,600,$((area / 600 + 1)) has more than the $area pixels *" \
        query t.npy --rect "0,0,600,$((area / 600 + 1))"
    # NaN has no place on the scale
    printf 'Pf\n1 1\n1.0\n\177\300\0\0' >nan.pfm
    failure "nan.pfm: *not finite*" nan.pfm --type q32 -o no.npy
    sat nan.pfm -o t.npy
    [[ $status$stderr == "0sat: t.npy: its sums are inf or nan from column 0 on, "* ]]
    ok nan.pfm -o t.npy -q
}

@test "bands: a table larger than a band answers like one built whole" {
    grey 3001 1009 a.pgm # 24 MB of i64: two bands
    sat a.pgm -v -o t.npy
    [ "$status" = 0 ]
    [[ $stderr =~ "in bands of "([0-9]+)" rows" ]]
    [ "${BASH_REMATCH[1]}" -lt 1009 ]
    awk 'BEGIN { s = 7; for (i = 0; i < 3000; i++) {
        s = (s * 16807) % 2147483647; x = s % 3000; s = (s * 16807) % 2147483647; y = s % 1000
        s = (s * 16807) % 2147483647; w = 1 + s % (3001 - x); s = (s * 16807) % 2147483647; h = 1 + s % (1009 - y)
        print x "," y "," w "," h } }' >rects.csv
    for layout in padded inclusive; do
        for type in i64 u32; do
            ok a.pgm --layout $layout --type $type -o t.npy
            "$sat" query t.npy --rects rects.csv >from_table.csv
            "$sat" query a.pgm --rects rects.csv >from_image.csv
            cmp from_table.csv from_image.csv
        done
    done
    ok a.pgm --layout inclusive -o inclusive.npy
    ok a.pgm --layout exclusive -o exclusive.npy # entry (x, y) is inclusive's (x-1, y-1)
    cmp <(tail -c +$((4097 + 8 * (1001 * 3001 + 5))) exclusive.npy | head -c 8000) \
        <(tail -c +$((4097 + 8 * (1000 * 3001 + 4))) inclusive.npy | head -c 8000)
}

@test "a table goes to standard output, and comes from a redirected file" {
    small a.pgm
    ok a.pgm -o t.npy
    "$sat" a.pgm --format npy -o - >piped.npy
    cmp t.npy piped.npy
    "$sat" - --format npy -o - <a.pgm | cat >piped.npy
    cmp t.npy piped.npy
    run "$sat" query - --rect 0,0,4,3 <t.npy
    [ "${lines[1]}" = 0,0,4,3,4.25,51 ]
}

@test "query: columns, statistics, channels" {
    small a.pgm
    for input in a.pgm t.npy; do
        ok a.pgm -o t.npy
        ok query $input --rect 1,1,2,2 --rect 0,0,4,3
        [ "$output" = "$(printf 'x,y,w,h,mean,sum\n1,1,2,2,4,16\n0,0,4,3,4.25,51')" ]
        ok query $input --rect 0,0,3,1 --stat sum
        [ "$output" = "$(printf 'x,y,w,h,sum\n0,0,3,1,6')" ]
        ok query $input --rect 0,0,3,1 --stat sum,mean
        [ "$output" = "$(printf 'x,y,w,h,sum,mean\n0,0,3,1,6,2')" ]
        ok query $input --json --rect 1,1,2,2 --rect 0,0,4,3
        [ "$output" = "$(printf '%s\n' '{"x":1,"y":1,"w":2,"h":2,"mean":[4],"sum":[16]}' '{"x":0,"y":0,"w":4,"h":3,"mean":[4.25],"sum":[51]}')" ]
    done
    printf 'P6 2 1 255\n\1\2\3\4\5\6' >c.ppm
    ok query c.ppm --rect 0,0,2,1
    [ "$output" = "$(printf 'x,y,w,h,mean.0,mean.1,mean.2,sum.0,sum.1,sum.2\n0,0,2,1,2.5,3.5,4.5,5,7,9')" ]
    ok query c.ppm --json --rect 0,0,2,1
    [ "$output" = '{"x":0,"y":0,"w":2,"h":1,"mean":[2.5,3.5,4.5],"sum":[5,7,9]}' ]
    ok c.ppm --mean 0,0,2,1 --mean 1,0,1,1
    [ "$output" = "$(printf 'x,y,w,h,mean.0,mean.1,mean.2\n0,0,2,1,2.5,3.5,4.5\n1,0,1,1,4,5,6')" ]
    ok c.ppm --mean 0,0,2,1 -o means.csv
    [ "$(<means.csv)" = "$(printf 'x,y,w,h,mean.0,mean.1,mean.2\n0,0,2,1,2.5,3.5,4.5')" ]
}

@test "query: the fewest digits that read back" {
    small a.pgm
    ok query a.pgm --rect 0,0,3,2 --rect 0,0,1,3 --rect 0,0,3,3 --rect 1,0,3,3 --stat mean
    # 24/6, 15/3, 36/9, 36/9 are whole; thirds are not
    [ "${lines[1]}" = 0,0,3,2,4 ]
    ok query a.pgm --rect 2,0,3,1 --rect 0,0,4,3 --rect 1,1,3,2 --clip --stat mean
    [ "${lines[3]}" = 1,1,3,2,4.5,6 ]
    printf 'P5 3 1 255\n\1\1\2' >third.pgm
    ok query third.pgm --rect 0,0,3,1 --stat mean
    [ "${lines[1]}" = 0,0,3,1,1.3333333333333333 ]
    printf 'P5 3 1 255\n\0\0\1' >third.pgm
    ok query third.pgm --rect 0,0,3,1 --stat mean
    [ "${lines[1]}" = 0,0,3,1,0.3333333333333333 ]
    floats 2 2 f.pfm
    ok query f.pfm --rect 0,0,2,2
    [ "${lines[1]}" = 0,0,2,2,0.125,0.5 ]
}

@test "query: rectangles outside are named, with the image's size; --clip cuts them" {
    small a.pgm
    ok a.pgm -o t.npy
    for input in a.pgm t.npy; do
        for rect in 3,1,2,2 -1,0,2,2 0,2,1,2 4,0,1,1 0,0,9223372036854775807,1 9223372036854775807,0,9223372036854775807,1; do
            failure "$input: rectangle $rect reaches outside*4x3 px*--clip*" query $input --rect "$rect"
        done
        for rect in 0,0,0,1 0,0,1,0 1,1,-1,1 0,0,1,-9223372036854775808; do
            failure "$input: rectangle $rect is empty*4x3*" query $input --rect "$rect"
        done
        ok query $input --clip --rect 3,1,2,2 --rect -1,-1,2,2 --rect -5,-5,99,99 --rect 9,9,1,1
        [ "$output" = "$(printf 'x,y,w,h,mean,sum,area\n3,1,2,2,5.5,11,2\n-1,-1,2,2,1,1,1\n-5,-5,99,99,4.25,51,12\n9,9,1,1,nan,0,0')" ]
        ok query $input --clip --json --rect 9,9,1,1
        [ "$output" = '{"x":9,"y":9,"w":1,"h":1,"mean":[null],"sum":[0],"area":0}' ]
    done
    failure "a.pgm: rectangle 3,1,2,2 *--clip*" a.pgm --mean 3,1,2,2
}

@test "query: an exclusive table has no answer at its far edges" {
    small a.pgm
    ok a.pgm --layout exclusive -o t.npy
    ok query t.npy --rect 0,0,3,2
    [ "${lines[1]}" = 0,0,3,2,4,24 ]
    failure "t.npy: rectangle 2,0,2,1 touches*exclusive*; a padded one does (--layout padded)" query t.npy --rect 2,0,2,1
}

@test "query: a u32 table refuses what it cannot be proven to hold" {
    grey 4200 4200 big.pgm
    ok big.pgm --type u32 -o t.npy
    ok query t.npy --rect 0,0,4096,4096
    failure "t.npy: rectangle 0,0,4200,4200 has more than the 16843009 pixels*u32 table of u8*; a table of i64 answers it (--type i64, *)" \
        query t.npy --rect 0,0,4200,4200
    ok big.pgm --type i64 -o t.npy
    ok query t.npy --rect 0,0,4200,4200
    floats 40 30 f.pfm
    ok f.pfm --type q32 --largest 4x4 -o t.npy
    failure "t.npy: rectangle 0,0,40,30 has more than *; one that was made with a larger --largest does" query t.npy --rect 0,0,40,30
    ok f.pfm --type q32 --largest 40x30 -o t.npy
    ok query t.npy --rect 0,0,40,30
    failure "f.pfm: f32 samples cannot be summed in u32, but in f32 or f64 or q32" f.pfm --type u32 -o t.npy
}

@test "query: CSV rectangles, with and without header" {
    small a.pgm
    want=$(printf 'x,y,w,h,mean,sum\n1,1,2,2,4,16\n0,0,4,3,4.25,51')
    printf '1,1,2,2\n0,0,4,3\n' >r.csv
    ok query a.pgm --rects r.csv
    [ "$output" = "$want" ]
    printf 'x,y,w,h\n1,1,2,2\n0,0,4,3' >r.csv # no final line end
    ok query a.pgm --rects r.csv
    [ "$output" = "$want" ]
    printf '# boxes\n\n  1 , 1 ,\t2, 2\r\n\n#\n +0,0,4,3\r\n' >r.csv
    ok query a.pgm --rects r.csv
    [ "$output" = "$want" ]
    printf '\357\273\277"name",Height,"w",y,X\nfoo,2,2,1,1\nbar,3,4,0,0\n' >r.csv
    want=$(printf 'x,y,w,h,mean,sum,name\n1,1,2,2,4,16,foo\n0,0,4,3,4.25,51,bar')
    ok query a.pgm --rects r.csv
    [ "$output" = "$want" ]
    run "$sat" query a.pgm --rects - <r.csv
    [ "$output" = "$want" ]
    run bash -c 'cat r.csv | "$1" query a.pgm --rects /dev/stdin' _ "$sat"
    [ "$output" = "$want" ]
    printf 'x,y,w,h\n' >r.csv # none
    ok query a.pgm --rects r.csv
    [ "$output" = x,y,w,h,mean,sum ]
    run "$sat" query a.pgm --rects - <r.csv
    [ "$output" = x,y,w,h,mean,sum ]
    ok query a.pgm --rects r.csv --json
    [ -z "$output" ]
    for text in '' '\n' ' \n\r\n' '\357\273\277'; do # nothing that says that there are none
        printf "$text" >r.csv
        failure "r.csv: no rectangles; a header, or a comment, says that there are none" query a.pgm --rects r.csv -o no.csv
        failure "r.csv: no rectangles; *" a.pgm a.pgm --rects r.csv
        failure "standard input: no rectangles; *" query a.pgm --rects - <r.csv
    done
    [ ! -e no.csv ]
}

@test "query: CSV as spreadsheets, R, pandas and awk write it" {
    small a.pgm
    "$sat" query a.pgm --rect 1,1,2,2 --rect 0,0,4,3 >want
    same() { # TEXT
        printf "$1" >r.csv
        ok query a.pgm --rects r.csv
        [ "$(cut -d, -f1-6 <<<"$output")" = "$(<want)" ]
    }
    same '1;1;2;2\n0;0;4;3\n'
    same 'x;y;w;h;score\r\n1;1;2;2;0,5\r\n0;0;4;3;0,25\r\n'
    same '\tx\ty\tw\th\n0\t1\t1\t2\t2\n1\t0\t0\t4\t3\n'
    same '1\t1\t2\t2\n0\t0\t4\t3\n'
    same '1 1 2 2\n 0  0  4  3 \n'
    same 'x y w h\r\n1 1 2 2\r\n0 0 4 3\r\n'
    same '"","x","y","w","h"\n"1",1,1,2,2\n"2",0,0,4,3\n'
    same '"1","1", "2" ,"2"\n"0","0","4","3"\n'
    same 'name,x,y,w,h,note\n"a, ""b"";",1,1,2,2,"c,d"\n"",0,0,4,3,""\n'
    same '"x, px";"x";"y";"w";"h"\n;1;1;2;2\n;0;0;4;3\n'
}

@test "query: what is wrong in a CSV is named with its line" {
    small a.pgm
    bad() { # LINE-PATTERN TEXT
        printf "$2" >r.csv
        failure "r.csv: $1" query a.pgm --rects r.csv -o no.csv
        [ ! -e no.csv ]
    }
    printf '0.000000000000000000e+00 1.0 +2 1e0\n' | tr ' ' ',' >r.csv # as np.savetxt() writes them
    ok query a.pgm --rects r.csv --stat sum
    [ "${lines[1]}" = 0,1,2,1,11 ]
    printf 'x,y,w,h\n0,0,1,one\n' >r.csv
    failure "r.csv: line 2: 'one' is not a number*" query a.pgm --rects r.csv
    [ -z "$output" ] # no header without a row
    failure "a.pgm: rectangle 0,0,9,1 reaches outside*" query a.pgm --rect 0,0,9,1
    [ -z "$output" ]
    bad "line 2: 'abc' is not a number*" '1,1,1,1\nabc,1,1,1\n'
    bad "line 1: '' is not a number*" ',1,1,1\n'
    bad "line 1: '1.5.' is not a number*" '1.5.,1,1,1\n'
    bad "line 1: rectangle 1e+300,1,1,1 is empty*" '1e300,1,1,1\n' # 1e300 + 1 is the same f64
    bad "line 1: rectangle 1,1,1e+300,1 reaches outside*" '1,1,1e300,1\n'
    bad "line 1: '1e309' is not a number*" '1e309,1,1,1\n'
    bad "line 2: 'nan' is not a number*" '1,1,1,1\nnan,1,1,1\n'
    bad "line 1: '0x1' is not a number*" '0x1,1,1,1\n'
    bad "line 1: rectangle 1,1,1e+20,1 reaches outside*" '1,1,99999999999999999999,1\n'
    bad "line 1: 3 values where 4 are expected*" '1,1,1\n'
    bad "line 3: 5 values where 4 are expected*" '#\n1,1,1,1\n1,1,1,1,1\n'
    bad "line 1: the header names no column h or y1" 'x,y,w\n1,1,1\n'
    bad "line 1: the header names column x twice" 'x,y,w,h,x\n'
    bad "line 2: 4 values where 5 are expected*" 'id,x,y,w,h\n1,1,1,1\n'
    bad "line 2: a quote is not closed*" 'x,y,w,h,name\n1,1,1,1,"two\nlines"\n'
    bad "line 2: a quote is not at the end of its field" 'name,x,y,w,h\n"a"b,1,1,1,1\n'
    bad "line 1: a quote is not closed*" '1,1,1,"1\n'
    bad "line 1: a quote is not closed*" '"'
    bad "line 1: a quote is not closed*" '1,"""'
    bad "line 1: the header names no column x" '"x y",y,w,h\n'
    bad "line 2: '0,0,1,1' is not a number" 'x;y;w;h\n0,0,1,1\n'
    bad "line 2: '1;1;1;1' is not a number" '1,1,1,1\n1;1;1;1\n'
    bad "line 2: 5 values where 4 are expected" '1 1 1 1\n1 1 1 1 1\n'
    bad "line 4: rectangle 3,1,2,2 reaches outside*4x3*" 'x,y,w,h\n1,1,1,1\n\n3,1,2,2\n'
    failure "missing.csv: *" query a.pgm --rects missing.csv
    mkdir d
    failure "d: is a directory" query a.pgm --rects d
    failure "no/out.csv: *" query a.pgm --rect 0,0,1,1 -o no/out.csv
}

@test "query: what was answered before a wrong line is printed" {
    small a.pgm
    { seq 1 70000 | sed 's/.*/0,0,1,1/'; echo oops; } >r.csv
    sat query a.pgm --rects r.csv
    [ "$status" = 1 ]
    [ "${#lines[@]}" = 70001 ]
    [[ $stderr == *"line 70001: 'oops'"* ]]
}

@test "query: rectangles from an integer .npy" {
    small a.pgm
    # a table of 4 columns is one, too: the i64 table of an image of 4x2
    printf 'P5 4 2 255\n\1\0\1\0\0\1\0\1' >r.pgm # inclusive: 1 1 2 2 / 1 2 3 4
    ok r.pgm --layout inclusive -o r.npy
    failure "r.npy: row 1: rectangle 1,2,3,4 reaches outside*" query a.pgm --rects r.npy
    ok query a.pgm --rects r.npy --clip
    [ "$output" = "$(printf 'x,y,w,h,mean,sum,area\n1,1,2,2,4,16,4\n1,2,3,4,2,6,3')" ]
    ok r.pgm --layout inclusive --type f64 -o r.npy
    failure "r.npy: row 1: rectangle 1,2,3,4 reaches outside*" query a.pgm --rects r.npy
    ok a.pgm -o r.npy
    failure "r.npy: rectangles are an array of N x 4, not 4 x 5" query a.pgm --rects r.npy
}

# npy FILE DESCR SHAPE - an array whose bytes are standard input.
npy() {
    { printf '\223NUMPY\1\0\166\0' && printf "%-117s\n" "{'descr': '$2', 'fortran_order': False, 'shape': ($3), }" && cat; } >"$1"
}

@test "query: rectangles from a .npy of integers of any size" {
    small a.pgm
    want=$(printf 'x,y,w,h,mean,sum\n1,1,2,2,4,16\n0,0,4,3,4.25,51')
    for bytes in 1 2 4 8; do
        for kind in i u; do
            descr="<$kind$bytes"
            [ $bytes != 1 ] || descr="|${kind}1"
            for n in 1 1 2 2 0 0 4 3; do
                # shellcheck disable=SC2059 # an escape
                printf "\\$n" && head -c $((bytes - 1)) /dev/zero
            done | npy r.npy "$descr" "2, 4"
            ok query a.pgm --rects r.npy
            [ "$output" = "$want" ]
            [ $bytes != 1 ] || continue
            for n in 1 1 2 2 0 0 4 3; do
                # shellcheck disable=SC2059 # an escape
                head -c $((bytes - 1)) /dev/zero && printf "\\$n"
            done | npy r.npy ">$kind$bytes" "2, 4"
            ok query a.pgm --rects r.npy
            [ "$output" = "$want" ]
        done
    done
    printf '\377\376\0\1\0\4\0\2' | npy r.npy '>i2' "1, 4"
    ok query a.pgm --rects r.npy --clip --stat sum
    [ "${lines[1]}" = "-2,1,4,2,21,4" ]
    printf '\376\377\1\0\4\0\2\0' | npy r.npy '<i2' "1, 4"
    ok query a.pgm --rects r.npy --clip --stat sum
    [ "${lines[1]}" = "-2,1,4,2,21,4" ]
    printf '\0\200\1\0\4\0\2\0' | npy r.npy '<u2' "1, 4"
    failure "r.npy: row 0: rectangle 32768,1,4,2 *" query a.pgm --rects r.npy
    npy r.npy '<i8' "0, 4" </dev/null
    ok query a.pgm --rects r.npy
    [ "$output" = x,y,w,h,mean,sum ]
    { printf '\1\0\0\0\0\0\0\0%.0s' 1 2 3 4 5 6 7 && printf '\377\377\377\377\377\377\377\377'; } | npy r.npy '<u8' "2, 4"
    sat query a.pgm --rects r.npy --clip --stat sum
    [ "$status ${lines[1]}" = "1 1,1,1,1,6,1" ]
    [ "$stderr" = "sat: r.npy: row 1: 18446744073709551615 is too large" ]
    printf '\1\1\2\2' | npy r.npy '|u1' "4,"
    failure "r.npy: rectangles are an array of N x 4, not 4 numbers" query a.pgm --rects r.npy
    printf '\1\1\0\1' | npy r.npy '|b1' "1, 4"
    failure "r.npy: rectangles are integers, f32 or f64, not bool" query a.pgm --rects r.npy
}

@test "query: a million rectangles in constant memory" {
    small a.pgm
    seq 0 999999 | awk '{ print $1 % 4 "," $1 % 3 ",1,1" }' >r.csv
    ok a.pgm -o t.npy
    (ulimit -v 400000 && "$sat" --version) >version 2>&1 || skip "this build needs more address space"
    (
        ulimit -v 400000 # KiB
        "$sat" query t.npy --rects r.csv --threads 1 >out.csv
        "$sat" query t.npy --rects - --threads 1 <r.csv >out2.csv
    )
    [ "$(wc -l <out.csv)" = 1000001 ]
    cmp out.csv out2.csv
    [ "$(tail -1 out.csv)" = "3,0,1,1,4,4" ]
}

@test "query: what belongs to tables is refused for images, and a trailer is believed" {
    small a.pgm
    ok a.pgm -o t.npy
    failure "a.pgm: --layout and --sample are for tables*" query a.pgm --rect 0,0,1,1 --layout padded
    failure "a.pgm: --layout and --sample are for tables*" query a.pgm --rect 0,0,1,1 --sample u8
    ok query t.npy --rect 0,0,1,1 --layout padded --sample u8
    failure "t.npy: --layout inclusive: the file says*padded" query t.npy --rect 0,0,1,1 --layout inclusive
    failure "t.npy: --sample u16: the file says*u8" query t.npy --rect 0,0,1,1 --sample u16
}

@test "query: a table without trailer needs its layout" {
    small a.pgm
    ok a.pgm -o t.npy
    head -c $((4096 + 160)) t.npy >bare.npy
    failure "bare.npy: *--layout*" query bare.npy --rect 1,1,2,2
    failure "bare.npy: *\`sat query FILE --layout padded|inclusive|exclusive\`" bare.npy --mean 1,1,2,2
    ok t.npy --mean 1,1,2,2
    ok query bare.npy --layout padded --rect 1,1,2,2
    [ "${lines[1]}" = 1,1,2,2,4,16 ]
    ok info bare.npy
    [[ $output == *"not said (no trailer)"* ]]
    sat query bare.npy --layout inclusive --rect 1,1,2,2 # which is wrong, and looks so
    [ "$status" = 0 ]
    [ "$stderr" = "sat: bare.npy: its first row and column are zero; if it is padded, --layout inclusive is wrong" ]
    ok query bare.npy --layout inclusive --rect 1,1,2,2 -q
    ok a.pgm --layout inclusive -o t.npy
    head -c $((4096 + 96)) t.npy >bare.npy
    ok query bare.npy --layout inclusive --rect 1,1,2,2
    [ "${lines[1]}" = 1,1,2,2,4,16 ]
}

@test "query: a damaged table is refused, where all of it is read" {
    grey 100 90 a.pgm
    ok a.pgm -o t.npy
    printf '\7' | dd of=t.npy bs=1 seek=$((4096 + 101 * 8 * 50)) conv=notrunc status=none
    damaged="damaged: the table's checksum does not match"
    seq 0 9 | awk '{ print $1 ",0,1,1" }' >r.csv
    failure "t.npy: $damaged" query t.npy --rects r.csv
    failure "t.npy: $damaged" query t.npy --rect 0,0,1,1
    run --separate-stderr bash -c 'cat t.npy | "$1" query - --rect 0,0,1,1' bash "$sat"
    [ "$status" = 1 ]
    [ "$stderr" = "sat: standard input: $damaged" ]
    grey 9000 1000 a.pgm
    ok a.pgm -o t.npy
    printf '\7' | dd of=t.npy bs=1 seek=$((4096 + 9001 * 8 * 500)) conv=notrunc status=none
    ok query t.npy --rect 0,0,1,1
    failure "t.npy: $damaged" query t.npy --rects r.csv
}

@test "info: a broken checksum is an error" {
    small a.pgm
    ok a.pgm -o t.npy
    ok info t.npy
    [[ $output == *"checksum    "*" verified"* ]]
    printf '\7' | dd of=t.npy bs=1 seek=$((4096 + 8)) conv=notrunc status=none
    failure "t.npy: *checksum*" info t.npy
    [[ $output == *"WRONG"* ]]
    sat info --json t.npy
    [ "$status" = 1 ]
    [[ $output == *'"verified":false'* ]]
}

@test "info: images and tables, many at once, bad ones too" {
    small a.pgm
    colour 5 4 c.ppm 65535
    ok a.pgm -o t.npy
    ok info a.pgm c.ppm t.npy
    [[ $output == *"4 x 3 px"*"1 (grey)"*"u8"*"5 x 4 px"*"3 (RGB)"*"u16"*"4 x 5 of i64"*"padded"*"sat "* ]]
    sat info a.pgm missing.pgm c.ppm
    [ "$status" = 1 ]
    [[ $output == *"4 x 3 px"*"5 x 4 px"* ]]
    [ "${#stderr_lines[@]}" = 1 ]
    [[ $stderr == "sat: missing.pgm: "* ]]
    ok info --json a.pgm t.npy
    [ "${#lines[@]}" = 2 ]
    [[ ${lines[0]} == '{"file":"a.pgm","kind":"image","format":"pnm","width":4,"height":3,"channels":1,"type":"u8"'*'}' ]]
    [[ ${lines[1]} == '{"file":"t.npy","kind":"table","rows":4,"columns":5,'*'"verified":true}' ]]
    name=$(printf 'b\377\303\251\355\240\200"\360\237\230\200.pgm') # not UTF-8, e acute, half a pair, a quote, a face
    cp a.pgm "$name"
    ok info --json "$name"
    printf '%s' "$output" | python3 -c 'import json, sys
name = json.loads(sys.stdin.buffer.read().decode("utf-8"))["file"]
assert name == "b\ufffd\u00e9\ufffd\ufffd\ufffd\"\U0001f600.pgm", ascii(name)'
    ok info --max-pixels 3 a.pgm # by rows
    ok a.pgm --box 1 -o a.png
    failure "a.png: *" info --max-pixels 3 a.png
    run "$sat" info - <a.pgm
    [[ $output == *"4 x 3 px"* ]]
}

@test "means of a float image are those of its pixels, whatever lies before them" {
    # 1e20 1 1 nan 1 1, big endian
    printf 'Pf\n6 1\n1.0\n\140\255\170\354\077\200\0\0\077\200\0\0\177\300\0\0\077\200\0\0\077\200\0\0' >wild.pfm
    ok wild.pfm --mean 1,0,2,1 --mean 4,0,2,1 --mean 2,0,2,1
    [ "${lines[1]} ${lines[2]} ${lines[3]}" = "1,0,2,1,1 4,0,2,1,1 2,0,2,1,nan" ]
    ok query wild.pfm --clip --rect 4,0,9,9 --stat sum,mean
    [ "${lines[1]}" = 4,0,9,9,2,1,2 ]
    printf '1,0,2,1\n4,0,2,1\n2,0,2,1\n' >r.csv
    ok query wild.pfm --rects r.csv --stat mean
    [ "${lines[1]} ${lines[2]} ${lines[3]}" = "1,0,2,1,1 4,0,2,1,1 2,0,2,1,nan" ]
    "$sat" query wild.pfm --rects - --stat mean <r.csv >piped
    [ "$(<piped)" = "$output" ]
}

@test "a sum of floats loses no small sample to a large one, wherever that stands" {
    # 1e20 1 1 1 -1e20 1, and an infinity before 1, big endian
    printf 'Pf\n6 1\n1.0\n\140\255\170\354\077\200\0\0\077\200\0\0\077\200\0\0\340\255\170\354\077\200\0\0' >far.pfm
    ok query far.pfm --rect 0,0,6,1 --rect 1,0,5,1 --rect 0,0,5,1 --stat sum
    [ "${lines[1]} ${lines[3]}" = "0,0,6,1,4 0,0,5,1,3" ]
    printf 'Pf\n2 1\n1.0\n\177\200\0\0\077\200\0\0' >infinite.pfm
    ok query infinite.pfm --rect 0,0,2,1 --stat sum
    [ "${lines[1]}" = 0,0,2,1,inf ]
}

@test "means of a float image are the same from a file of rectangles, on any number of threads" {
    floats 301 203 f.pfm # not so many pixels, but above what takes threads with a hundred rectangles
    rects=$(seq 0 99 | awk '{ print $1 ",3,200," 200 - $1 }')
    # shellcheck disable=SC2086 # words
    "$sat" query f.pfm $(printf -- '--rect %s ' $rects) --threads 1 >want
    for threads in 1 2 7; do
        "$sat" query f.pfm --rects - --threads $threads <<<"$rects" | cmp want -
    done
}

@test "samples of other depths are scaled to the whole range, and so measured" {
    printf 'P2 2 1 1023\n1023 341\n' >ten.pgm
    ok ten.pgm --mean 0,0,1,1 --mean 1,0,1,1
    [ "${lines[1]} ${lines[2]}" = "0,0,1,1,65535 1,0,1,1,21845" ]
    ok ten.pgm --box 1 -o full.pgm
    ok full.pgm --mean 1,0,1,1
    [ "${lines[1]}" = 1,0,1,1,21845 ]
    printf 'P2 1 1 15\n5\n' >four.pgm
    ok four.pgm --mean 0,0,1,1
    [ "${lines[1]}" = 0,0,1,1,85 ]
}

@test "an instruction set that is none is a mistake, not a wish for another backend" {
    small a.pgm
    sat=$built/sat
    SAT_ISA=mmx SAT_ISA_MOST=mmx SAT_STREAM=never ok a.pgm --box 3 -o out.pgm # only the build for tests reads them
    rm out.pgm
    sat=$built/tests/sat
    SAT_ISA_MOST=mmx failure "a.pgm: *SAT_ISA_MOST*" a.pgm --box 3 -o out.pgm
    SAT_ISA_MOST=portable SAT_ISA=avx2 failure "a.pgm: *SAT_ISA*" a.pgm --box 3 -o out.pgm
    SAT_ISA_MOST=portable ok backends
    [[ $output == *"cpu          portable"* ]]
    SAT_ISA=mmx failure "a.pgm: *SAT_ISA*" a.pgm --box 3 -o out.pgm
    [ ! -e out.pgm ]
}

@test "rectangles may come with a column of row numbers" {
    small a.pgm
    printf ',x,y,w,h\n0,1,1,2,2\n' >pandas.csv
    ok query a.pgm --rects pandas.csv --stat sum
    [ "$output" = "$(printf 'x,y,w,h,sum,\n1,1,2,2,16,0')" ]
}

@test "a table may come through a pipe" {
    small a.pgm
    ok a.pgm -o t.npy
    ok query t.npy --rect 1,1,2,2
    want=$output
    run --separate-stderr bash -c "cat t.npy | '$sat' query - --rect 1,1,2,2"
    [ "$status $output" = "0 $want" ]
    run --separate-stderr bash -c "cat t.npy | '$sat' info -"
    [[ "$status $output" = 0*verified* ]]
    run --separate-stderr bash -c "head -c 5000 t.npy | head -c 4100 | '$sat' query - --rect 1,1,2,2"
    [[ "$status $stderr" = "1 sat: standard input: "* ]]
}

@test "rectangles before one that is refused are answered" {
    small a.pgm
    printf '0,0,1,1\n1,1,2,2\n3,2,9,9\n0,0,2,2\n' >some.csv
    sat query a.pgm --rects some.csv --stat sum
    [ "$status ${#lines[@]} ${lines[1]} ${lines[2]}" = "1 3 0,0,1,1,1 1,1,2,2,16" ]
    [[ "$stderr" = *"3,2,9,9"* ]]
}
