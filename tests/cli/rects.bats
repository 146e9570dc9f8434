# Rectangles from files: JSON lines, and sides with fractions.

load helpers

# rects TEXT ARGUMENTS... - the answers to rectangles in a file; a pipe of them has the same.
rects() {
    printf -- "$1" >r.txt
    shift
    ok query a.pgm --rects r.txt "$@"
    "$sat" query a.pgm --rects - "$@" <r.txt | diff - <(printf '%s\n' "$output")
}

@test "rectangles from JSON lines" {
    small a.pgm
    rects '{"x":1,"y":1,"w":2,"h":1}\n' --stat sum
    [ "$output" = "$(printf 'x,y,w,h,sum\n1,1,2,1,13')" ]
    rects ' [ 1 , 1 ,2,1 ] \r\n\n[0,0,1.0,1e0]' --stat sum
    [ "$output" = "$(printf 'x,y,w,h,sum\n1,1,2,1,13\n0,0,1,1,1')" ]
    rects '{"x0":1,"Y":1,"X1":3,"height":1}\n[0,0,1,1]\n{"y1":1,"y":0,"width":1,"x":0}\n' --stat sum
    [ "$output" = "$(printf 'x,y,w,h,sum\n1,1,2,1,13\n0,0,1,1,1\n0,0,1,1,1')" ]
    rects '\xef\xbb\xbf[1,1,2,1]\n' --stat sum --json
    [ "$output" = '{"x":1,"y":1,"w":2,"h":1,"sum":[13]}' ]
    # what sat writes, it reads
    rects '[1,1,2,1]\n[0,0,1,1]\n' --stat mean,sum -q --json
    before=$output
    rects "$output\n" --stat mean,sum --json -q
    [ "$output" = "$before" ]
    rects '# none\n' --stat sum
    [ "$output" = "x,y,w,h,sum" ]
}

@test "JSON lines: the other members are kept" {
    small a.pgm
    rects '{"id":7,"x":0,"y":0,"w":1,"h":1,"tag":"a\\u00e4\\ud83d\\ude00\\n\\"\\ud800","deep":[1,{"b":[]},{}],"no":null,"is":true}\n{"tag":"","x":1,"y":0,"w":1,"h":1}\n[2,0,1,1]\n' --stat sum --json
    tag=$(printf 'a\303\244\360\237\230\200\\u000a\\"\357\277\275')
    [ "${lines[0]}" = '{"x":0,"y":0,"w":1,"h":1,"sum":[1],"id":"7","tag":"'"$tag"'","deep":"[1,{\"b\":[]},{}]","no":"","is":"true"}' ]
    [ "${lines[1]}" = '{"x":1,"y":0,"w":1,"h":1,"sum":[2],"id":"","tag":"","deep":"","no":"","is":""}' ]
    [ "${lines[2]}" = '{"x":2,"y":0,"w":1,"h":1,"sum":[3],"id":"","tag":"","deep":"","no":"","is":""}' ]
    "$sat" query a.pgm a.pgm --rects - --stat sum --json <r.txt | grep -c '"id":"7"' | grep -qx 2 # read again from what a pipe held
}

@test "JSON lines: what is wrong in one" {
    small a.pgm
    bad() {
        printf "$2" >r.jsonl
        failure "r.jsonl: $1" query a.pgm --rects r.jsonl -o no.csv
        [ ! -e no.csv ]
    }
    bad "line 1: 3 values where 4 are expected" '[1,1,2]\n'
    bad "line 1: 5 values where 4 are expected" '[1,1,2,3,4]\n'
    bad "line 1: 0 values where 4 are expected" '[]\n'
    bad "line 1: the object has no x" '{}\n'
    bad "line 1: the object has no w or x1" '{"x":1,"y":1,"h":1}\n'
    bad "line 1: the object has both h and y1" '{"x":1,"y":1,"w":1,"h":1,"y1":2}\n'
    bad "line 2: the object has x twice" '[0,0,1,1]\n{"x":1,"x0":1,"y":1,"w":1,"h":1}\n'
    bad "line 2: neither an object nor an array, as the first line is" '[0,0,1,1]\n0,0,1,1\n'
    bad "line 2: a member 'k', which the first line has not" '{"x":1,"y":1,"w":1,"h":1}\n{"x":1,"y":1,"w":1,"h":1,"k":1}\n'
    bad "line 1: member 'k' is there twice" '{"x":1,"y":1,"w":1,"h":1,"k":1,"k":1}\n'
    bad "line 1: '\[1,1,1,1\]' is not a number" '[[1,1,1,1],[1,1,1,1]]\n'
    bad "line 1: '1' is not a number" '{"x":"1","y":1,"w":1,"h":1}\n'
    bad "line 1: 'null' is not a number" '[null,1,1,1]\n'
    bad "line 1: an object or array is not closed, or goes on in the next line" '[\n[1,1,1,1]\n]\n'
    bad "line 3: an object or array is not closed*" '{"x":1,"y":1,"w":1,"h":1}\n\n{"x":1,'
    bad "line 1: an object or array is not closed*" '{"x":1,"y":1,"w":1,"h":1,"k":"'
    bad "line 1: a line holds one rectangle, and this one goes on behind it" '[1,1,1,1],\n'
    bad "line 1: a zero byte" '{"x":1,"y":1,"w":1,"h":1,"k":"\\u0000"}\n'
    for wrong in '01' '+1' '.5' '1.' '0x1' 'nan' '-' '1e' 'tru' "'1'"; do bad "line 1: not JSON from *" "[$wrong,1,1,1]\n"; done
    for wrong in '"\\x"' '"\\u12g4"' '"\t"' '[1,]' '[1 2]' '{1:2}' '{"a" 1}' '{"a":1,}' '[}' "$(printf '[%.0s' {1..65})"; do
        bad "line 1: not JSON from *" "{\"x\":1,\"y\":1,\"w\":1,\"h\":1,\"k\":$wrong}\n"
    done
    bad "line 2: rectangle 3,1,2,2 reaches outside*" '[1,1,1,1]\n[3,1,2,2]\n'
}

# The rectangles 0.5,0.5,2,1 and 0.25,0,0.5,1 of the example: half of 1 3 5 7 and all of 2 6; half of 1.
@test "sides with fractions: pixels count by the area that is covered" {
    small a.pgm
    rects '0.5,0.5,2,1\n1,1,2,2\n.25,0,5e-1,1\n' --stat mean,sum,var,count
    [ "$output" = "$(printf 'x,y,w,h,mean,sum,var,count\n0.5,0.5,2,1,4,8,4.5,2\n1,1,2,2,4,16,6.5,4\n0.25,0,0.5,1,1,0.5,0,0.5')" ]
    rects '{"x0":0.5,"y":0.5,"x1":2.5,"h":1,"id":"a"}\n{"id":"b","x":1,"y":1,"w":2,"h":2}\n' --stat sum --json
    [ "$output" = "$(printf '{"x":0.5,"y":0.5,"w":2,"h":1,"sum":[8],"id":"a"}\n{"x":1,"y":1,"w":2,"h":2,"sum":[16],"id":"b"}')" ]
    rects '-1.5,0,2,1\n9.5,0,1,1\n3.5,2.75,1e9,1e9\n' --stat mean,sum --clip
    [ "$output" = "$(printf 'x,y,w,h,mean,sum,area\n-1.5,0,2,1,1,0.5,0.5\n9.5,0,1,1,nan,0,0\n3.5,2.75,1000000000,1000000000,3,0.375,0.125')" ]
    printf '0,0,1,1\n3.5,0,0.6,1\n' >r.csv
    sat query a.pgm --rects r.csv --stat sum
    [ "$status ${lines[1]}" = "1 0,0,1,1,1" ]
    [[ $stderr == "sat: r.csv: line 2: rectangle 3.5,0,0.6,1 reaches outside the image; the image is 4x3 px (--clip cuts rectangles to it)" ]]
    ok a.pgm -o t.npy --layout exclusive
    printf '0.5,0.5,2.5,1\n' >r.csv
    ok query t.npy --rects r.csv --stat sum
    printf '0.5,0.5,2.75,1\n' >r.csv
    failure "r.csv: line 1: rectangle 0.5,0.5,2.75,1 touches the last row or column, *; a padded one does (--layout padded)" query t.npy --rects r.csv
}

@test "sides with fractions: chunks begin where lines change, and other columns stay with their rectangles" {
    small a.pgm
    { echo x,y,w,h,id && seq 1 3000 | awk '{ print $1 % 3 ($1 % 7 ? "" : ".5") ",0,1,1,n" $1 }'; } >r.csv
    ok query a.pgm --rects r.csv --stat sum
    awk 'NR > 1 { split($0, f, ","); print $0, f[1] + 1 }' r.csv | awk '{ split($1, f, ","); print f[1] ",0,1,1," $2 "," f[5] }' >want
    printf '%s\n' "${lines[@]:1}" | cmp - want
    "$sat" query a.pgm a.pgm --rects - --stat sum <r.csv | grep '^a.pgm' | cut -d, -f2- >got # kept, and read again
    cat want want | cmp - got
}

@test "sides with fractions: on the command line, too" {
    small a.pgm
    ok a.pgm -o t.npy --moments 1,2
    for args in "a.pgm" "a.pgm --backend cpu" t.npy; do
        # shellcheck disable=SC2086 # a list
        ok query $args --rect 0.5,0.5,2,1 --rect 1,1,2,2 --rect ' .25, 0 ,5e-1,1' --stat mean,sum,var,count
        [ "$output" = "$(printf 'x,y,w,h,mean,sum,var,count\n0.5,0.5,2,1,4,8,4.5,2\n1,1,2,2,4,16,6.5,4\n0.25,0,0.5,1,1,0.5,0,0.5')" ]
    done
    ok a.pgm a.pgm --mean 0.5,0.5,2,1 --mean 2.0,0,1,1
    [ "${lines[*]}" = "file,x,y,w,h,mean a.pgm,0.5,0.5,2,1,4 a.pgm,2,0,1,1,3 a.pgm,0.5,0.5,2,1,4 a.pgm,2,0,1,1,3" ]
    ok query a.pgm --rect=-1.5,0,2,1 --rect 1e300,0,1e300,1 --clip --stat sum --json
    [ "${lines[0]}" = '{"x":-1.5,"y":0,"w":2,"h":1,"sum":[0.5],"area":0.5}' ]
    [[ ${lines[1]} == '{"x":1e+300,'*'"sum":[0],"area":0}' ]]
    failure "a.pgm: rectangle 3.5,0,0.6,1 reaches outside the image; *" query a.pgm --rect 3.5,0,0.6,1
    failure "a.pgm: rectangle 0.5,0,0,1 is empty; *" query a.pgm --rect 0.5,0,0,1
    ok query a.pgm --rect 0.5,0.5,2,1 --rect 1,1,2,2 -o out.npy # a column has one type
    grep -aq "('x', '<f8'), ('y', '<f8'), ('w', '<f8'), ('h', '<f8'), ('mean', '<f8'), ('sum', '<f8')" out.npy
    ok query a.pgm --rect 1,1,2,2 --rect 0,0,1,1 -o out.npy
    grep -aq "('x', '<i8'), ('y', '<i8'), ('w', '<i8'), ('h', '<i8'), ('mean', '<f8'), ('sum', '<u8')" out.npy
}

@test "sides with fractions: answers in a .npy" {
    small a.pgm
    printf '0.5,0.5,2,1\n' >r.csv
    failure "r.csv: line 1: '0.5' is not a whole number; .npy answers need rectangles in a .npy for that" query a.pgm --rects r.csv -o no.npy
    [ ! -e no.npy ]
    { printf '\223NUMPY\1\0\166\0%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 4), }" && printf '\0\0\0\77\0\0\0\77\0\0\0\100\0\0\200\77'; } >r.npy
    ok query a.pgm --rects r.npy -o out.npy
    grep -aq "('x', '<f8'), ('y', '<f8'), ('w', '<f8'), ('h', '<f8'), ('mean', '<f8'), ('sum', '<f8')" out.npy
    ok query a.pgm --rects r.npy
    [ "${lines[1]}" = 0.5,0.5,2,1,4,8 ]
    { printf '\223NUMPY\1\0\166\0%-117s\n' "{'descr': '>f8', 'fortran_order': False, 'shape': (1, 4), }" && printf '\177\370\0\0\0\0\0\0%.0s' 1 2 3 4; } >r.npy
    failure "r.npy: row 0: rectangle nan,nan,nan,nan has a side that is no number; *" query a.pgm --rects r.npy
}

# array TYPE NUMBER... - r.npy of N x 4 numbers.
array() { "$PYTHON" -c 'import numpy, sys; numpy.save("r.npy", numpy.array(sys.argv[2:], sys.argv[1]).reshape(-1, 4))' "$@"; }
# columns FILE - their types; rows FILE - all numbers, as Python prints them.
columns() { "$PYTHON" -c 'import numpy, sys; d = numpy.load(sys.argv[1]).dtype; print(*[d[n].str for n in d.names])' "$1"; }
rows() { "$PYTHON" -c 'import numpy, sys; [print(*r.tolist()) for r in numpy.load(sys.argv[1])]' "$1"; }

@test "a .npy of floats: rectangles without fractions are whole ones, exactly" {
    # the sum is no multiple of 8, as those of f64 are above 2^55
    "$PYTHON" -c 'import numpy; numpy.save("a.npy", numpy.full((3001, 3001), 2**32 - 1, "u4") - numpy.arange(3001, dtype="u4") % 7)'
    ok a.npy --as image -o t.npy --moments 1
    for input in "a.npy --as image" t.npy; do
        for type in '<f4' '>f8'; do
            array "$type" 1 0 3000 3001 0 0 3 1 0.5 0 2 1 -0.0 0 1 1
            # shellcheck disable=SC2086 # a list
            ok query $input --rects r.npy --stat sum,count
            [ "${lines[1]}" = "1,0,3000,3001,38667590529882002,9003000" ] || { echo "$output"; false; }
            [ "${lines[2]}" = "0,0,3,1,12884901882,3" ]
            [ "${lines[3]}" = "0.5,0,2,1,8589934588,2" ]
            [ "${lines[4]}" = "0,0,1,1,4294967295,1" ]
        done
        # shellcheck disable=SC2086 # a list
        ok query $input --rects r.npy --stat sum,count -o out.npy # a column has one type
        [ "$(columns out.npy)" = "<f8 <f8 <f8 <f8 <f8 <f8" ]
        [ "$(rows out.npy | head -2)" = "1.0 0.0 3000.0 3001.0 3.8667590529882e+16 9003000.0
0.0 0.0 3.0 1.0 12884901882.0 3.0" ]
        array '<f8' 1 0 3000 3001
        # shellcheck disable=SC2086 # a list
        ok query $input --rects r.npy --stat sum,count -o out.npy
        [[ $(columns out.npy) == "<i8 <i8 <i8 <i8 <"[iu]"8 <i8" ]]
        [ "$(rows out.npy)" = "1 0 3000 3001 38667590529882002 9003000" ]
        # shellcheck disable=SC2086 # a list
        ok query $input --rect 1,0,3000,3001 --rect 0.5,0,2,1 --stat sum,count -o out.npy
        [ "$(rows out.npy)" = "1.0 0.0 3000.0 3001.0 3.8667590529882e+16 9003000.0
0.5 0.0 2.0 1.0 8589934588.0 2.0" ]
    done
    array '<f8' 0 0 0 1
    failure "r.npy: row 0: rectangle 0,0,0,1 is empty; *" query t.npy --rects r.npy
    array '<f8' 0 0 1 1 0 0 1e300 1
    failure "r.npy: row 1: rectangle 0,0,1e+300,1 reaches outside the image; *" query t.npy --rects r.npy
}

@test "a .npy of floats: variances of whole rectangles are those of integers" {
    grey 60 40 a.pgm
    seq 0 499 | awk '{ print $1 % 50 "," $1 % 31 "," 1 + $1 % 9 "," 1 + $1 % 8 }' >r.csv
    # shellcheck disable=SC2046 # numbers
    array '<f4' $(tr ',' ' ' <r.csv)
    ok a.pgm -o t.npy --moments 1,2
    for input in a.pgm t.npy; do
        ok query $input --rects r.csv --stat mean,sum,var,std,rms,count
        echo "$output" >want
        ok query $input --rects r.npy --stat mean,sum,var,std,rms,count
        echo "$output" | cmp - want
    done
}

@test "--rect: blanks alone are no number" {
    small a.pgm
    for rect in $'\r,1,2,3' ' ,1,2,3' $'\t\r ,1,2,3' ',1,2,3' $'1,1,2,\r'; do
        usage "--rect *" query a.pgm --rect "$rect"
    done
    ok query a.pgm --rect $'\r1 ,\t1\r,2,2' --stat count
    [ "${lines[1]}" = 1,1,2,2,4 ]
}
