# --linear: filters of light; tests/check/test_gauss.py compares them with the definition.

load helpers

@test "--linear: every sample of 8 and 16 bits comes back as it was" {
    { printf 'P5\n256 1\n255\n' && for i in $(seq 0 255); do printf "\\$(printf %03o "$i")"; done; } >all.pgm
    ok all.pgm --linear --box 1 -o out.pgm
    cmp all.pgm out.pgm
    ok all.pgm --linear --gauss 0.05 -o out.pgm
    cmp all.pgm out.pgm
    awk 'BEGIN { print "P2 256 256 65535"; for (i = 0; i < 65536; i++) print i }' >all16.pgm
    ok all16.pgm --box 1 -o want.pgm
    ok all16.pgm --linear --box 1 -o out.pgm
    cmp want.pgm out.pgm
}

@test "--linear: black and white blur to the grey of half the light" {
    { printf 'P5\n2 1\n255\n' && printf '\0\377'; } >bw.pgm
    ok bw.pgm --box 3x1 --linear -o out.pgm
    [ "$(tail -c 2 out.pgm | od -An -tu1 | xargs)" = "188 188" ] # half the light: 0.7354 of 255
    ok bw.pgm --box 3x1 -o out.pgm
    [ "$(tail -c 2 out.pgm | od -An -tu1 | xargs)" = "128 128" ]
}

@test "--linear: alpha is not light, and border values are samples" {
    { printf 'P7\nWIDTH 1\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n' && printf '\310\144'; } >a.pam
    ok a.pam --linear --box 3 --border constant:200,100 -o out.pam
    [ "$(tail -c 2 out.pam | od -An -tu1 | xargs)" = "200 100" ]
    ok a.pam --linear --gauss 5 --border constant:200,100 -o out.pam
    [ "$(tail -c 2 out.pam | od -An -tu1 | xargs)" = "200 100" ]
    ok a.pam --linear --box 3 --border constant:200 -o out.pam --alpha straight
    [ "$(tail -c 2 out.pam | od -An -tu1 | xargs)" = "200 189" ] # (100 + 8 * 200) / 9
    failure "a.pam: a border value of 256; u8 samples take integers from 0 to 255" a.pam --linear --box 3 --border constant:256 -o out.pam
}

@test "--linear: what was clipped is counted" {
    { printf 'P5 64 3 255\n' && for _ in 1 2 3; do head -c 32 /dev/zero && head -c 32 /dev/zero | tr '\0' '\377'; done; } >edge.pgm
    sat edge.pgm --linear --unsharp 2,1 --border replicate -o out.pgm
    [ "$status" = 0 ]
    [[ $stderr == "sat: edge.pgm: "*" of 192 samples lay beyond the range of u8 and were clipped" ]]
    ok edge.pgm --linear --unsharp 2,1 --border replicate -q -o out.pgm
}

@test "--linear: what is no sRGB, and what does not go together" {
    grey 8 8 a.pgm
    ok a.pgm --box 1 --result f32 -o a.pfm
    failure "a.pfm: --linear is for samples of u8 and u16, in sRGB; those of f32 are taken for light already" a.pfm --linear --box 3 -o out.pfm
    usage "--linear keeps the image's type; it does not go with --result" a.pgm --linear --box 3 --result f32 -o out.pfm
    usage "--linear does not go with --dog: *" a.pgm --linear --dog 1,2 -o out.pfm
    usage "--linear is for --box, not for tables" a.pgm --linear -o out.npy
    usage "--linear does not go with --mean" a.pgm --linear --mean 0,0,1,1
    [ ! -e out.pfm ] && [ ! -e out.npy ]
}

@test "-v says that light is filtered, and no type that the output has not" {
    small a.pgm
    for filter in "--box 3" "--gauss 2"; do
        # shellcheck disable=SC2086 # words
        sat a.pgm $filter --linear -v -o out.pgm
        echo "$stderr"
        [ "$status" = 0 ]
        [[ $stderr == *", in linear light; "* ]]
        [[ $stderr != *"results of"* ]]
    done
}
