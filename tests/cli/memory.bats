# --max-memory: what needs more is refused before it is allocated; what others hold is waited for.

load helpers

@test "--max-memory: enough is enough" {
    small a.pgm # 23 bytes, of which 12 are pixels
    ok a.pgm --box 3 --max-memory 64K -o out.pgm
    failure "a.pgm: 4x3 px with 1 channel of u8 may take *, more than the 34 bytes of --max-memory" \
        a.pgm --box 3 --max-memory 34 -o no.pgm
    [ ! -e no.pgm ]
    ok info --max-memory 35 a.pgm
    failure "a.pgm: 4x3 px *" info --max-memory 34 a.pgm
    ok a.pgm --mean 0,0,1,1 --max-memory 8K # no table is made
    failure "a.pgm: 1 rectangle takes more than the 0 bytes that --max-memory leaves beside rows and answers; 1M is enough" \
        a.pgm --mean 0,0,1,1 --max-memory 35
    failure "a.pgm: 4x3 px *" a.pgm --mean 0,0,1,1 --max-memory 34
}

@test "--max-memory: tables count" {
    small a.pgm
    echo 0,0,4,3 >all.csv
    ok query a.pgm --rects all.csv --backend cpu --max-memory 64K # 12 pixels, 5x4 sums of 4 bytes, and the plan
    failure "a.pgm: *may take *, more than the 91 bytes of --max-memory" \
        query a.pgm --rects all.csv --backend cpu --max-memory 91
    ok a.pgm -o t.npy --max-memory 64K # 12 pixels, 5x5 sums of 8 bytes: a band and the row that is carried on, and the plan
    failure "a.pgm: *may take *" a.pgm -o no.npy --max-memory 211
    [ ! -e no.npy ]
    ok query t.npy --rects all.csv --max-memory 1 # is mapped, or small
    grey 200 200 b.pgm
    ok b.pgm -o b.npy # 201x201 sums of 8 bytes, and header and trailer
    run bash -c 'cat b.npy | "$1" query - --rect 0,0,1,1 --stat sum --max-memory 327496' bash "$sat"
    [ "$status" = 0 ]
    run bash -c 'cat b.npy | "$1" query - --rect 0,0,1,1 --max-memory 327495' bash "$sat"
    [ "$status" = 1 ]
    [ "$output" = "sat: standard input: a stream of a table of 319.9 KiB, more than the 319.8 KiB of --max-memory" ]
}

@test "--max-memory: what the library's objects take counts" {
    grey 400 400 a.pgm # with a result of its type: 320000 bytes; and the first 128 KiB of the file
    ok a.pgm --box 3 --max-memory 560K -o o.pgm
    failure "a.pgm: *" a.pgm --gauss 3 --max-memory 900K -o o.pgm # 160000 reals of f32
    ok a.pgm --gauss 3 --max-memory 1500K --threads 1 -o o.pgm
    failure "a.pgm: *" a.pgm --gauss 65 --max-memory 1500K --threads 1 -o o.pgm # of f64
    ok a.pgm --gauss 65 --max-memory 2500K --threads 1 -o o.pgm
    failure "a.pgm: *" a.pgm --box 3 --linear --max-memory 1200K -o o.pgm # light and its mean of f32
    ok a.pgm --box 3 --linear --max-memory 2M --threads 1 -o o.pgm
    ok a.pgm -o t.npy --max-memory 3M
    failure "a.pgm: *" a.pgm --box 3 --backend serial --max-memory 900K -o o.pgm # a table
    ok a.pgm --box 3 --backend serial --max-memory 3M -o o.pgm
}

# enough ARGS... - is refused with $limit, 1 KiB by default, and passes with $said, what is then said to be needed.
enough() {
    sat "$@" --max-memory "${limit-1K}"
    echo "$stderr"
    [ "$status" = 1 ]
    said=$(sed -n 's/.* may take \([0-9.]* [KM]iB\), more than .*/\1/p; s/.*; \([0-9]*\)M is enough$/\1 MiB/p' <<<"$stderr" |
        awk '{ printf "%d", $1 * ($2 == "KiB" ? 1024 : 1048576) + 1 }')
    ok "$@" --max-memory "$said"
}

@test "--max-memory: what is said to be needed is enough, of rows and of whole images" {
    colour 300 400 a.ppm
    grey 300 400 m.pgm
    ok a.ppm --box 1 -o a.png
    for in in a.ppm a.png; do
        for args in "--box 9" "--box 3 --passes 3 --mask m.pgm" "--box 3 --linear" "--gauss 3" "--gauss 65 --mask m.pgm"; do
            # shellcheck disable=SC2086 # words
            enough $in $args --threads 1 -q -o o.ppm
        done
        for args in "--box 9 --stat std,mean -o {stat}.npy" "--box 9 --stat wolf -o o.npy" "--moments 1,2 -o o.npy"; do
            # shellcheck disable=SC2086 # words
            enough $in $args --threads 1 -q
        done
    done
}

@test "--max-memory: means of what counts take more than a box, also of an image that is read whole" {
    colour 300 400 a.ppm
    ok a.ppm --box 1 -o a.png
    enough a.png --box 31 --threads 1 -q -o o.ppm
    box=$said
    enough a.png --box 31 --nodata 0 --threads 1 -q -o o.ppm
    [[ $said -gt $box ]]
}

@test "--max-memory: what is said to be needed is enough, of rectangles" {
    grey 300 400 a.pgm
    colour 300 400 c.ppm
    floats 300 400 f.pfm
    grey 2000 1500 large.pgm
    awk 'BEGIN { for (; i < 70000; i++) printf "%d,%d,9,9\n", i % 190, i / 211 }' >any.csv
    head -8000 any.csv >few.csv
    sed 's/,/.25,/g; s/$/.25/' few.csv >real.csv # of nine pieces
    ok large.pgm --box 1 -o mask.pgm
    for in in a.pgm:260K c.ppm:500K f.pfm:620K; do # enough for the rows
        for args in few.csv real.csv "few.csv --stat mean,std,count" "real.csv --nodata 1 --stat rms"; do
            # shellcheck disable=SC2086 # words
            limit=${in#*:} enough query ${in%:*} --threads 1 -q -o o.csv --rects $args
            [[ $said -gt 1500000 ]] # for the rectangles, beside which these images are small
        done
    done
    # Any number of rectangles: an image that fits is read whole, which needs no memory for each.
    limit=5000K enough query large.pgm --rects any.csv -q -o o.csv --mask mask.pgm
    limit=2500K enough query large.pgm --rects any.csv -q -o o.csv
    [[ $said -lt 6000000 ]]
    # Its 3000000 bytes would fit, but not with what reading it takes.
    ok query large.pgm --grid 4 --max-memory 3000K -o o.npy
}

@test "--max-memory: answers to rectangles of an image that is read whole count" {
    grey 300 400 a.pgm
    ok a.pgm --box 1 -o a.png # 120000 px, and a table of 301x401 sums of 4 bytes
    for args in "--stat mean,sum:1500000" "--stat mean,sum,rms,count:2500000"; do # 65536 rectangles at once, of 8 bytes each
        # shellcheck disable=SC2086 # words
        limit=800K enough query a.png --grid 1 -o o.csv ${args%:*}
        [[ $said -gt ${args#*:} ]]
    done
    ok query a.png --rect 0,0,9,9 --max-memory 800K
}

@test "--max-memory: an array of f32 counts the same, with the mark of an image or with --as image" {
    floats 300 300 f.pfm
    ok f.pfm --box 1 -o marked.npy
    head -c -16 marked.npy >plain.npy
    for args in "marked.npy" "plain.npy --as image"; do
        for command in "--mean 0,0,1,1" "--rect 5,5,1,1 --stat sum"; do
            # shellcheck disable=SC2086 # words
            ok $args $command --max-memory 488K # 360000 bytes of pixels, the file's first 128 KiB, and a rectangle
            # shellcheck disable=SC2086 # words
            failure "*.npy: 300x300 px with 1 channel of f32 may take 479.57 KiB, more than the 479.56 KiB of --max-memory" \
                $args $command --max-memory 491071
        done
    done
    run bash -c 'cat marked.npy | "$1" - --mean 0,0,1,1 --max-memory 300K' bash "$sat"
    [ "$status" = 1 ]
    [ "$output" = "sat: standard input: a stream of an array of 351.6 KiB, more than the 300.0 KiB of --max-memory" ]
}

@test "--max-memory: rectangles that are summed from rows count, before they are taken" {
    grey 200 200 a.pgm
    ok a.pgm -o t.npy
    for ((i = 0; i < 40000; i++)); do echo "$((i % 190)),$((i / 211)),9,9"; done >whole.csv
    sed 's/$/.5/' whole.csv >real.csv
    for rects in whole real; do ok query t.npy --rects $rects.csv -o want-$rects.csv; done
    # Some 200 bytes each, with fractions some 800; a table of some rows is left out where it would not fit.
    ok query a.pgm --rects whole.csv --max-pixels 1 --max-memory 10M -o is.csv
    cmp is.csv want-whole.csv
    failure "real.csv: 40000 rectangles with fractions take more than the 9.* MiB that --max-memory leaves beside rows and answers; *" \
        query a.pgm --rects real.csv --max-pixels 1 --max-memory 10M -o no.csv
    ok query a.pgm --rects real.csv --max-pixels 1 --max-memory 40M -o is.csv
    cmp is.csv want-real.csv
    failure "whole.csv: 40000 rectangles take more than the * MiB that --max-memory leaves *" \
        query a.pgm --rects whole.csv --max-pixels 1 --max-memory 2M -o no.csv
    [ ! -e no.csv ]
}

@test "--max-memory: K, M, G and T are of 1024" {
    printf 'P5 32768 32768 255\n' >big.pgm
    truncate -s 1073741843 big.pgm
    for limit in 1 1023 1K 1025K 1024M 2047M 1G; do
        failure "big.pgm: *may take 2.* GiB, more than the *" big.pgm --box 3 --max-memory $limit -o no.png
    done
    [[ $stderr == *"more than the 1.0 GiB of --max-memory" ]]
    small a.pgm
    for limit in 1K 2M 3G 4T 8388607T; do ok info a.pgm --max-memory $limit; done
    for option in --max-memory --max-pixels; do
        for bad in 0 -1 x K 1k 1KB "1 K" 1.5G 1e9 16777216T 9223372036854775808 ""; do
            usage "$option '$bad': *" a.pgm --box 3 $option "$bad" -o no.pgm
            usage "$option '$bad': *" info a.pgm $option "$bad"
            usage "$option '$bad': *" query a.pgm --rect 0,0,1,1 $option "$bad"
        done
        for bad in 0 -1 -9K 0G -99999999999999999999 -99999999999999999999T; do usage "$option '$bad': must be at least 1" info a.pgm $option "$bad"; done
        for bad in "" x K .5 .5G " 1" - -K; do usage "$option '$bad': does not begin with a whole number" info a.pgm $option "$bad"; done
        for bad in k KB " K" .5G e9 Ki x10; do
            for n in 1 0 -1 99999999999999999999; do
                usage "$option '$n$bad': '$bad' is no unit; K, M, G and T are, each 1024 of the one before" info a.pgm $option "$n$bad"
            done
        done
        for bad in 8388608T 9223372036854775808 99999999999999999999K; do
            usage "$option '$bad': 2^63 or more, which is too large" info a.pgm $option "$bad"
        done
    done
}

@test "--max-pixels: K, M, G and T are of 1024" {
    grey 32 32 a.pgm
    grey 33 32 b.pgm
    ok b.pgm --box 1 -o b.png
    for limit in 1024 1K 1M 2G 3T; do
        ok a.pgm --box 3 --max-pixels $limit -o out.pgm
        ok info a.pgm --max-pixels $limit
        ok query a.pgm --rect 0,0,1,1 --max-pixels $limit
        ok a.pgm --mean 0,0,1,1 --max-pixels $limit
    done
    for limit in 1055 1K; do
        failure "b.pgm: *" b.pgm --box 3 --max-pixels $limit -o no.png
        ok info b.pgm --max-pixels $limit
        failure "b.png: *" info b.png --max-pixels $limit
        failure "b.pgm: *" query b.pgm --rect 0,0,1,1 --max-pixels $limit --backend cpu # a table of the image
        failure "b.pgm: *" b.pgm --mean 0,0,1,1 --max-pixels $limit --backend cpu
        ok b.pgm --mean 0,0,1,1 --max-pixels $limit
    done
}

@test "--max-memory: nothing is allocated for what is refused" {
    printf 'P6 30000 30000 255\n' >big.ppm
    truncate -s 2700000019 big.ppm
    (ulimit -v 400000 && "$sat" --version) >version 2>&1 || skip "this build needs more address space"
    run bash -c 'ulimit -v 400000; "$1" big.ppm --box 3 --max-memory 4G -o no.png' bash "$sat"
    [ "$status" = 1 ]
    [ "$output" = "sat: big.ppm: 30000x30000 px with 3 channels of u8 may take 5.1 GiB, more than the 4.0 GiB of --max-memory" ]
}

# piped ARGS... - reads standard input within 60 s.
piped() { run --separate-stderr timeout --foreground 60 "$sat" "$@"; }

@test "--max-memory: streams without end" {
    small a.pgm
    piped info - --max-memory 35 < <(cat a.pgm)
    [ "$status" = 0 ]
    piped info - --max-memory 22 < <(cat a.pgm)
    [ "$status" = 1 ]
    piped info - --max-memory 3M < <(printf 'P3 900 900 255\n'; yes '')
    [[ $stderr == "sat: standard input: goes on after 699.0 KiB: it may take more than the 3.0 MiB of --max-memory" ]]
    piped info - --max-memory 3M < <(head -c 100 "$root/data/rocket.jpg"; yes)
    [ "$status" = 1 ]
    # Its size lies behind more metadata than that.
    piped info - --max-memory 3M < <(printf '\377\330'; yes "$(printf '\377\341')" | tr -d '\n' | tr '\341' '\376')
    [ "$status" = 1 ]
}

@test "--max-memory: files wait for each other, and are not refused" {
    grey 200 200 a.pgm
    for i in $(seq 20); do cp a.pgm "in$i.pgm"; done
    mkdir few one
    ok a.pgm --box 9 -o want.pgm
    # Each takes 80000 bytes and its filter: two of them fit, or one.
    ok in*.pgm --box 9 --threads 8 --max-memory 350000 -o 'few/{n}.pgm'
    ok in*.pgm --box 9 --threads 8 --max-memory 200000 -o 'one/{n}.pgm'
    for i in $(seq 20); do
        cmp "few/$i.pgm" want.pgm
        cmp "one/$i.pgm" want.pgm
    done
    sat in*.pgm --box 9 --threads 8 --max-memory 79999 -o 'few/{n}.pgm'
    [ "$status" = 1 ]
    [ "${#stderr_lines[@]}" = 21 ]
}

@test "--max-memory: sizes that differ are shown so" {
    printf '\223NUMPY\1\0\166\0%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': (32768, 32768), }" >i.npy
    truncate -s $((128 + (1 << 30))) i.npy # takes no space
    failure "i.npy: 32768x32768 px with 1 channel of u8 may take 2.2 MiB, more than the 2.1* MiB of --max-memory" \
        i.npy --max-memory 2228223 --mean 0,0,1,1 # 128 KiB of the file, and 64 rows
    [[ $stderr =~ "may take "(.*)", more than the "(.*)" of" ]]
    [ "${BASH_REMATCH[1]}" != "${BASH_REMATCH[2]}" ]
}
