# Table files of images some of whose samples do not count: --nodata, --mask, a TIFF's own value, --moments 0,1.
load helpers

# rasters - hole.pfm (f32: 8x6, 0 1 2 ... row by row, -9999 in the left half but for one 5), hole.tif (the same, with its
# value for no data), mask.pgm (0 in the left half) and rows.csv.
rasters() {
    "${PYTHON:-python3}" -B - <<'PY'
import struct
pixels = [float(i) if i % 8 >= 4 else -9999.0 for i in range(48)]
pixels[0] = 5.0
rows = [pixels[8 * y:8 * y + 8] for y in range(6)]
open("hole.pfm", "wb").write(b"Pf\n8 6\n-1.0\n" + b"".join(struct.pack("<8f", *row) for row in rows[::-1]))
open("mask.pgm", "w").write("P2 8 6 1 " + "0 0 0 0 1 1 1 1 " * 6)
PY
    ok hole.pfm --box 1 --nodata -9999 -o hole.tif
    printf '%s\n' 0,0,8,6 0,1,4,4 3,2,4,3 0,0,2.5,2.5 >rows.csv
}

# trailer FILE OFFSET BYTES - of a table file.
trailer() { tail -c 192 "$1" | tail -c +$(($2 + 1)) | head -c "$3" | tr -d '\0'; }

@test "a table holds counts where samples may not count, and answers of what counts" {
    rasters
    ok hole.tif -o t.npy --moments 1,2
    [ "$(trailer t.npy 96 8)" = 0,1,2 ] # readers of version 0.2 refuse that name
    ok query t.npy --rects rows.csv --stat mean,sum,count,area,var,rms
    [ "${lines[1]}" = 0,0,8,6,24.68,617,25,48,196.53760000000003,28.38379819544946 ]
    [ "${lines[2]}" = 0,1,4,4,nan,0,0,16,nan,nan ]
    [ "${lines[3]}" = 3,2,4,3,29,261,9,12,43.333333333333336,29.737742572921256 ]
    [ "${lines[4]}" = 0,0,2.5,2.5,5,5,1,6.25,0,5 ]
    ok info t.npy
    [[ $output == *"moments     0,1,2: counts, then sums, then sums of squares, of each pixel's channels"* ]]
    [[ $output == *"no data     -9999"*verified* ]]
    ok info --json t.npy
    [[ $output == *'"moments":[0,1,2],"level":5,"nodata":"-9999"'* ]]
    ok hole.pfm --nodata -9999 -o same.npy --moments 1,2
    cmp t.npy same.npy
    ok hole.tif --nodata none -o all.npy
    [ "$(trailer all.npy 96 8)" = sum ]
    ok query all.npy --rect 0,0,8,6 --stat mean,count
    [ "${lines[1]}" = 0,0,8,6,-4778.333333333333,48 ]
}

@test "a mask of a table, alone and with a value" {
    rasters
    ok hole.pfm --mask mask.pgm -o t.npy
    [ "$(trailer t.npy 96 8)" = 0,1 ]
    ok query t.npy --rect 0,0,8,6 --rect 0,0,1,1 --stat mean,count
    [ "${lines[1]}" = 0,0,8,6,25.5,24 ]
    [ "${lines[2]}" = 0,0,1,1,nan,0 ]
    ok info t.npy
    [[ $output != *"no data"* ]]
    ok hole.tif --mask mask.pgm -o t.npy --layout exclusive
    ok query t.npy --rect 0,0,7,5 --stat mean,count
    [ "${lines[1]}" = 0,0,7,5,21,15 ]
    "$sat" hole.tif --mask - -o piped.npy --layout exclusive <mask.pgm
    cmp t.npy piped.npy
}

@test "a table that is made in bands counts as the image does" {
    "${PYTHON:-python3}" -B - <<'PY'
import random
random.seed(3)
for name, zeros in ("image.pgm", 10), ("mask.pgm", 100):
    pixels = random.randbytes(2500 * 2000).translate(bytes(0 if v < zeros else v for v in range(256)))
    open(name, "wb").write(b"P5 2500 2000 255 " + pixels)
PY
    ok image.pgm --mask mask.pgm --nodata 0 -o t.npy --moments 1,2
    ok query t.npy --grid 701x301 --stat sum,count,var
    local table=$output
    ok query image.pgm --mask mask.pgm --nodata 0 --grid 701x301 --stat sum,count,var
    [ "$output" = "$table" ]
}

@test "NaN, channels and integers: each sample counts by itself" {
    rasters
    ok hole.pfm --nodata nan -o nan.npy # there is none
    ok query nan.npy --rect 0,0,8,6 --stat count
    [ "${lines[1]}" = 0,0,8,6,48 ]
    [ "$(trailer nan.npy 96 8)" = 0,1 ]
    printf 'P3 2 2 255 1 2 3 4 5 2 2 2 9 7 2 8' >c.ppm
    ok c.ppm --nodata 2 -o t.npy --moments 1,2
    ok query t.npy --rect 0,0,2,2 --stat count,mean,var,area
    [ "${lines[1]}" = 0,0,2,2,3,1,3,4,5,6.666666666666667,6,0,6.888888888888889,4 ]
    ok c.ppm --nodata 2 -o u.npy --type u32
    ok query u.npy --rect 0,0,2,2 --stat count
    [ "${lines[1]}" = 0,0,2,2,3,1,3 ]
    ok c.ppm --nodata 2 --channel g -o g.npy
    ok query g.npy --rect 0,0,2,2
    [ "${lines[1]}" = 0,0,2,2,5,5 ]
}

@test "--moments 0,1 writes counts where all samples count, and changes no answer" {
    small a.pgm
    ok a.pgm -o t.npy --moments 0,1
    ok a.pgm -o plain.npy
    ok query t.npy --grid 2x2 --stat mean,sum,count,area
    local with=$output
    ok query plain.npy --grid 2x2 --stat mean,sum,count,area
    [ "$output" = "$with" ]
    ok a.pgm --nodata 200 --moments 0,1 -o same.npy # no sample is that
    ok query same.npy --grid 2x2 --stat mean,sum,count,area
    [ "$output" = "$with" ]
}

@test "an image of cells names the value of a table's image" {
    rasters
    ok hole.tif -o t.npy --moments 1,2
    for stat in mean sum std count area; do
        ok query hole.tif --grid 3x2 --stat $stat -o image.tif
        ok query t.npy --grid 3x2 --stat $stat -o table.tif
        # The deviations of a table less a level are rounded otherwise.
        [ $stat = std ] || [ "$("$sat" query image.tif --grid 1 --nodata none)" = "$("$sat" query table.tif --grid 1 --nodata none)" ]
        [ "$("$sat" info --json image.tif | sed 's/image//')" = "$("$sat" info --json table.tif | sed 's/table//')" ]
    done
    [[ $("$sat" info --json table.tif) != *nodata* ]] # of areas
    ok query t.npy --grid 1 --stat mean -o table.tif
    [[ $("$sat" info --json table.tif) == *'"nodata":"-9999"'* ]]
    ok query table.tif --rect 0,0,8,6 --stat count,mean
    [ "${lines[1]}" = 0,0,8,6,25,24.68 ]
    ok hole.pfm --mask mask.pgm -o masked.npy
    ok query masked.npy --grid 1 --stat mean -o masked.tif
    [[ $("$sat" info --json masked.tif) == *'"nodata":"nan"'* ]]
    ok query masked.tif --rect 0,0,8,6 --stat count
    [ "${lines[1]}" = 0,0,8,6,24 ]
}

@test "tables with counts: what is refused" {
    rasters
    failure "hole.tif: a table of sums and counts of f32 samples cannot be of f32, but of f64 (--type)" \
        hole.tif -o t.npy --type f32
    failure "hole.tif: a table of sums and counts of f32 samples cannot be of q32, but of f64 (--type)" \
        hole.tif -o t.npy --type q32
    failure "mask.pgm: --nodata 256: no u8 sample can be that" mask.pgm --nodata 256 -o t.npy
    usage "-o mask.pgm would replace the mask" hole.pfm --mask mask.pgm -o mask.pgm --format npy
    usage "--mask -: *" hole.pfm mask.pgm --mask - -o '{stem}.npy'
    failure "hole.pfm: --mask none.pgm: *" hole.pfm --mask none.pgm -o t.npy
    [ ! -e t.npy ]
}
