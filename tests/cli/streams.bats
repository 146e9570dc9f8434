# Streams: what goes on for ever is refused, or read as far as it is wanted.  Nothing here may take 1 GiB.

load helpers

# needs_limit - skips the test where sat does not start in the address space that the others give it.
needs_limit() {
    (ulimit -v 1500000 && "$sat" --version) >version 2>&1 || skip "this build needs more address space"
}
# endless HEAD ARGS... - sat reads what the shell command HEAD prints, then zeros without end.
endless() {
    local head=$1
    shift
    needs_limit
    run --separate-stderr bash -c 'ulimit -v 1500000; { eval "$1"; exec cat /dev/zero; } 2>/dev/null | timeout --foreground 60 "${@:2}"' \
        bash "$head" "$sat" "$@"
    echo "after $head: status $status, stdout: $output, stderr: $stderr"
}
# refused PATTERN HEAD - with status 1 and one line, whatever reads it.
also=("info -")
refused() {
    local command
    for command in "query - --rect 0,0,1,1 --backend cpu" "- --box 3 -o x.png" "${also[@]}"; do
        # shellcheck disable=SC2086 # words
        endless "$2" $command
        # shellcheck disable=SC2053,SC2154 # a glob; bats sets stderr_lines
        [ "$status" = 1 ] && [ "${#stderr_lines[@]}" = 1 ] && [[ $stderr == "sat: standard input: "$1 ]] || return 1
    done
    [ ! -e x.png ]
}

@test "what is no image is refused by its first bytes" {
    needs_limit
    for input in /dev/zero /dev/urandom; do
        [ -c $input ] || skip "no $input"
        (ulimit -v 1500000; failure "$input: not an image of a known format*" $input --box 3 -o x.png)
        (ulimit -v 1500000; failure "$input: not an image of a known format*" query $input --rect 0,0,1,1)
        (ulimit -v 1500000; failure "$input: not an image of a known format*" info $input)
    done
    refused "not an image of a known format*" :
    refused "not an image of a known format*" yes
}

# is_alone - is it of a format that has nothing behind its picture, by what info said into the file want?
is_alone() { grep -qE '^  format +(pnm|pam|pfm|npy)$' want; }

# is_tiff - is it a TIFF, whose parts lie anywhere, so that a stream of one is read to its end?
is_tiff() { grep -qE '^  format +tiff$' want; }

@test "every image and table may have anything behind it, but Netpbm's and arrays, which are put one behind the other" {
    n=0 alone=0
    "$sat" "$root/data/camera.png" -o table.npy
    for f in "$root"/tests/data/codecs/*.* "$root"/data/*.* table.npy; do
        "$sat" info --no-orient "$f" 2>/dev/null | tail -n +2 >want || true
        [ -s want ] || continue
        if is_alone; then
            { cat "$f" && head -c 1000 /dev/zero; } >two
            failure "two: the picture ends at byte *, and more follows; *" info two
            alone=$((alone + 1))
            continue
        fi
        if is_tiff; then
            "$sat" info --no-orient - <"$f" | tail -n +2 | cmp - want
            continue
        fi
        endless "cat '$f'" info --no-orient -
        [ "$status" = 0 ]
        [ "$(tail -n +2 <<<"$output")" = "$(<want)" ]
        n=$((n + 1))
        case $f in *.npy) continue ;; esac
        "$sat" "$f" -o want.npy
        endless "cat '$f'" - -o got.npy
        [ "$status" = 0 ]
        cmp want.npy got.npy
    done
    [ $n -gt 60 ]
    [ $alone -gt 10 ]
}

@test "a second picture behind one of Netpbm's, or an array, is refused, naming the byte where it begins" {
    colour 300 500 large.ppm # larger than what is read at first
    colour 30 50 wide.ppm 65535
    grey 30 20 a.pgm
    floats 30 20 f.pfm
    printf 'P4 9 2\n\377\200\0\0' >b.pbm
    printf 'P3 2 1 255\n1 2 3 4 5 6' >text.ppm
    printf 'P1 3 1 101' >bits.pbm
    "$sat" wide.ppm --box 1 -o p.pam
    "$sat" large.ppm --box 1 -o large.npy
    "$sat" wide.ppm --box 1 -o wide.npy
    for f in large.ppm wide.ppm a.pgm f.pfm b.pbm text.ppm bits.pbm p.pam large.npy wide.npy; do
        size=$(stat -c %s "$f")
        said="the picture ends at byte $size, and more follows; only one picture can be read from a file or stream"
        cat "$f" >two
        if [[ $f == text* ]]; then # white space belongs to it
            printf ' ' >>two
            said=${said/$size/$((size + 1))}
        fi
        cat a.pgm >>two
        for command in "query two --rect 0,0,1,1" "info two" "two --box 3 -o no.pfm"; do
            # shellcheck disable=SC2086 # words
            failure "two: $said" $command
        done
        # In a stream at once, and after a pause.
        for pause in true "sleep 0.2"; do
            run --separate-stderr bash -c '{ cat "$2"; $3; tail -c +"$(($(stat -c %s "$2") + 1))" two; } | "$1" - --mean 0,0,1,1' \
                bash "$sat" "$f" "$pause"
            [ "$status $output" = "1 " ]
            [ "$stderr" = "sat: standard input: $said" ]
        done
        "$sat" "$f" --mean 0,0,1,1 >want
        cat "$f" | "$sat" - --mean 0,0,1,1 | cmp - want
    done
    { cat text.ppm && printf ' \n# a comment\n\t\r\n'; } >spaces.ppm
    ok spaces.ppm --mean 0,0,1,1
    { cat text.ppm && yes '' | head -c 3000000; } >spaces.ppm
    ok spaces.ppm --mean 0,0,1,1
    { cat bits.pbm && printf '1'; } >long.pbm
    failure "long.pbm: the picture ends at byte 10, and more follows; *" long.pbm --mean 0,0,1,1
    [ ! -e no.pfm ]
    no_leftovers
}

@test "a large image is read to where its header, or its end marker, says" {
    colour 300 500 in.ppm
    floats 300 300 in.pfm
    for format in $(sed -n 's/^FORMAT(\(.*\))$/\1/p' "$root/src/io/formats.def"); do
        [ "$format" != raw ] || continue # nothing in such a file says what it is
        "$sat" in.ppm --box 1 --format "$format" -o in 2>/dev/null ||
            "$sat" in.pfm --box 299 --format "$format" -o in
        "$sat" in -o want.npy
        "$sat" info in >want
        if is_alone || is_tiff; then
            cat in | "$sat" - -o got.npy
        else
            endless "cat in" - -o got.npy
            [ "$status" = 0 ]
        fi
        cmp want.npy got.npy
    done
    "$sat" in.ppm -o want.npy
    "$sat" query want.npy --rect 0,0,300,500 >want
    endless "cat want.npy" query - --rect 0,0,300,500
    [ "$output" = "$(<want)" ]
}

@test "a header without end, and pixels without end, are refused" {
    refused "corrupt: no end of the header*" "printf 'P2 #'"
    refused "corrupt: no end of the header*" "printf 'P7\n'; yes a"
    refused "corrupt: no end of the header*" "printf 'Pf\n'; yes ''"
    refused "corrupt: no end of the header*" "printf '#?RADIANCE\n'; yes a"
    refused "corrupt: a number is expected" "printf 'P3 100 100 255\n'"
    refused "truncated: a number is missing at the end" "printf 'P3 100 100 255\n'; yes ''"
    refused "no end of the JPEG in 64 MiB*" "printf '\377\330\377'"
    refused "no end of the JPEG in * MiB*" "head -c 12000 '$root/data/rocket.jpg'"
    refused "corrupt: *PNG*" "head -c 3000 '$root/data/camera.png'"
    refused "corrupt: a PNG chunk's type*" "head -c 33 '$root/data/camera.png'"
    refused "no end of the PNG in * MiB*" "head -c 33 '$root/data/camera.png'; printf '\377\377\377\377IDAT'"
    refused "corrupt: the BMP's pixels lie * bytes behind its header" \
        "{ printf 'BM    \0\0\0\0'; printf '\377\377\377\377'; } | cat - <(tail -c +15 '$root/tests/data/codecs/pillow24.bmp')"
}

@test "a size that may not be is refused before it is read" {
    also=() # it reads rows
    for head in "P5 99999 99999 255\n" "P3 99999 99999 255\n" "Pf 99999 99999 -1\n" \
        "P7\nWIDTH 99999\nHEIGHT 99999\nDEPTH 1\nMAXVAL 255\nENDHDR\n" "#?RADIANCE\n\n-Y 99999 +X 99999\n"; do
        refused "99999x99999 is 9999800001 pixels, more than --max-pixels*" "printf '$head'"

    done
}

@test "what comes late behind a picture or table is read, and no writer gets a signal" {
    "$sat" "$root/data/camera.png" -o table.npy
    for f in "$root/data/camera.png" "$root/data/rocket.jpg" table.npy; do
        "$sat" query "$f" --rect 3,4,5,6 >want
        run bash -c 'set -o pipefail; { cat "$2"; sleep 0.2; head -c 200000 /dev/zero; } | "$1" query - --rect 3,4,5,6' \
            bash "$sat" "$f"
        [ "$status" = 0 ]
        [ "$output" = "$(<want)" ]
    done
}

@test "a stream of a table is no larger than the memory" {
    npy() { printf '\223NUMPY\1\0\166\0%-117s\n' "{'descr': '<i8', 'fortran_order': False, 'shape': ($1), }"; }
    npy "99999999, 9999999" >huge.npy
    endless "cat huge.npy" info -
    [ "$status" = 1 ]
    [[ $stderr == "sat: standard input: a stream of a table of "*", more than the "*" of --max-memory" ]]
}

@test "tables come through named pipes too" {
    small a.pgm
    "$sat" a.pgm -o t.npy
    run "$sat" query <(cat t.npy) --rect 0,0,4,3 --stat sum
    [ "$status" = 0 ]
    [ "${lines[1]}" = "0,0,4,3,51" ]
}

@test "a list without end is refused" {
    needs_limit
    run --separate-stderr bash -c 'ulimit -v 1500000; yes | timeout --foreground 60 "$1" --files-from - --box 3 -o "{n}.png"' bash "$sat"
    [ "$status" = 1 ]
    [[ $stderr == "sat: standard input: goes on after 128 MiB"* ]]
}

@test "a writer of a little more than is needed gets no signal" {
    run bash -c 'set -o pipefail; { cat "$2"; head -c 1000000 /dev/zero; } | "$1" - --box 3 -o x.png' bash "$sat" "$root/data/camera.png"
    [ "$status" = 0 ]
}
