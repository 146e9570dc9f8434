# Gaussian filters by the command; tests/check/test_gauss.py has their values.

load helpers

# same N A B - the last N bytes, those of the pixels.
same() { cmp <(tail -c "$1" "$2") <(tail -c "$1" "$3"); }

@test "gauss: blurs, and a flat picture stays as it is" {
    grey 40 30 a.pgm
    ok a.pgm --gauss 3 -o b.pgm
    run ! same 1200 a.pgm b.pgm
    { printf 'P5 40 30 255\n' && head -c 1200 /dev/zero | tr '\0' '\310'; } >flat.pgm
    for sigma in 0.4 3 4.5 40; do
        ok flat.pgm --gauss $sigma -o out.pgm
        same 1200 flat.pgm out.pgm
    done
    ok flat.pgm --unsharp 5,2.5 -o out.pgm
    same 1200 flat.pgm out.pgm
}

@test "gauss: the same pixels on any number of threads, from a stream, for several files" {
    grey 300 200 a.pgm
    grey 90 70 b.pgm
    ok a.pgm --gauss 7.5 --border reflect --threads 1 -o want.pgm
    for threads in 2 3; do
        ok a.pgm --gauss 7.5 --border reflect --threads $threads -o out.pgm
        cmp want.pgm out.pgm
    done
    "$sat" - --gauss 7.5 --border reflect -o - --format pnm <a.pgm | cmp - want.pgm
    mkdir out
    ok a.pgm b.pgm --gauss 7.5 --border reflect -o out
    cmp want.pgm out/a.pgm
    [ -s out/b.pgm ]
}

@test "gauss: black lies beyond the edge of a white picture, and no grey that a pass made" {
    { printf 'P5 64 64 255\n' && head -c 4096 /dev/zero | tr '\0' '\377'; } >white.pgm
    # half of the weights and half of the one in the middle: 0.5 + 0.5 / (sigma * sqrt(2 pi)) of 255
    for pair in 4,140 4.5,139 5,138 8,134; do
        ok white.pgm --gauss "${pair%,*}" --border constant:0 -o out.pgm
        ok query out.pgm --rect 0,32,1,1
        [[ $output == *"0,32,1,1,${pair#*,},${pair#*,}" ]]
    done
}

@test "gauss: a small sigma changes nothing, and unsharp by nothing neither" {
    grey 40 30 a.pgm
    ok a.pgm --gauss 0.1 -o out.pgm
    same 1200 a.pgm out.pgm
    ok a.pgm --unsharp 3,0 -o out.pgm
    same 1200 a.pgm out.pgm
}

@test "unsharp: one line counts what was clipped, -q leaves it out" {
    { printf 'P5 64 3 255\n' && for _ in 1 2 3; do head -c 32 /dev/zero && head -c 32 /dev/zero | tr '\0' '\377'; done; } >edge.pgm
    sat edge.pgm --unsharp 2,1 --border replicate -o out.pgm
    [ "$status" = 0 ]
    [ "$stderr" = "sat: edge.pgm: 36 of 192 samples lay beyond the range of u8 and were clipped" ]
    same 192 edge.pgm out.pgm
    ok edge.pgm --unsharp 2,1 --border replicate -q -o out.pgm
    ok edge.pgm --unsharp 2,1 --result f32 -o out.pfm
}

@test "dog: floats, which not every format holds" {
    grey 40 30 a.pgm
    ok a.pgm --dog 1,2 -o out.pfm
    ok info out.pfm
    [[ $output == *f32* ]]
    ok a.pgm --dog 1,2 -o out.npy
    ok a.pgm --dog 1,2 --result f64 -o out.tif
    ok info out.tif
    [[ $output == *f64* ]]
    failure "out.png: differences are of f32: PNG holds u8 and u16 samples, not f32; use *.pfm or .npy; --scale LO:HI makes u8" a.pgm --dog 1,2 -o out.png
    ok a.pgm --dog 1,2 --scale=-9:9 -o scaled.png
    [[ $stderr != *hdr* ]] # which holds no negative ones
    failure "out.png: --result f32: PNG holds *; use *.pfm or .npy; --scale*" a.pgm --unsharp 1,2 --result f32 -o out.png
    failure "out.png: --result f32: PNG holds *; use *.pfm, .hdr or .npy; --scale*" a.pgm --gauss 1 --result f32 -o out.png
    usage "-o 'out.xyz': *the formats that hold differences are *pfm npy raw" a.pgm --dog 1,2 -o out.xyz
    [[ $stderr != *png* && $stderr != *hdr* ]]
    usage "--format 'xyz': the formats that hold differences are *npy raw" a.pgm --dog 1,2 --result f64 --format xyz -o -
    [[ $stderr != *pfm* ]]
    usage "-o 'out.xyz': *the formats that can be written are *png *hdr *" a.pgm --gauss 1 -o out.xyz
    [ ! -e out.png ]
}

@test "gauss: says what it does" {
    grey 40 30 a.pgm
    sat a.pgm --gauss 5 -v -o out.pgm
    [ "$status" = 0 ]
    [[ $stderr == *"gauss, border shrink, results of u8; cpu, "*"in f32, 4 passes of boxes of 5 and 13 px"* ]]
}

@test "gauss: values that are none, and what does not go together" {
    grey 40 30 a.pgm
    for value in 0 -1 nan x 1,2 16385 ''; do
        usage "--gauss '$value': the standard deviation in pixels, above 0 and up to 16384*" a.pgm --gauss "$value" -o out.pgm
    done
    for value in 1 1,x 0,1 ',' 1,2,3; do
        usage "--unsharp '$value': S,A, *" a.pgm --unsharp "$value" -o out.pgm
        usage "--dog '$value': A,B, *" a.pgm --dog "$value" -o out.pfm
    done
    usage "--box and --gauss: one or the other" a.pgm --box 3 --gauss 2 -o out.pgm
    usage "--gauss and --radius: one or the other" a.pgm --gauss 2 --radius 2 -o out.pgm
    usage "--gauss and --dog: one or the other" a.pgm --gauss 2 --dog 1,2 -o out.pgm
    usage "--passes is for --box; --gauss has the passes that it needs" a.pgm --gauss 2 --passes 2 -o out.pgm
    usage "--gauss needs an output: -o OUT" a.pgm --gauss 2
    usage "--stat does not go with --gauss: statistics are of windows, --box N" a.pgm --gauss 2 --stat std -o out.tif
    usage "--mean and --gauss: one or the other" a.pgm --gauss 2 --mean 1,1,2,2
    usage "--layout is for tables*" a.pgm --gauss 2 --layout padded -o out.npy
    failure "a.pgm: --border constant has 3 values, but the image has 1 channel" a.pgm --gauss 2 --border constant:1,2,3 -o out.pgm
    failure "a.pgm: a border value of 300; u8 samples take integers from 0 to 255" a.pgm --gauss 2 --border constant:300 -o out.pgm
    failure "a.pgm: serial: has no Gaussian filter; there is one on the CPU" a.pgm --gauss 2 --backend serial -o out.pgm
    [ ! -e out.pgm ]
}
