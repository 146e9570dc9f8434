#!/bin/bash
# Draws the published figures again from the CSVs beside this file: docs/bench/figures.sh [SAT]   (default build/sat)
set -e
sat=$(realpath "${1:-build/sat}")
cd "$(dirname "$0")/.."

# figure NAME BENCH FILES ARGS... - into img/NAME.svg, from those of the files that are there
figure() {
    local file from=()
    for file in $3; do
        [ ! -f "bench/$file.csv" ] || from+=(--from "bench/$file.csv")
    done
    [ "${#from[@]}" = 0 ] || "$sat" bench "$2" "${from[@]}" "${@:4}" --plot "img/$1.svg" -o /dev/null
}

# The ladder of scans.
figure scan scan h200/scan
figure scan-exclusive scan h200/scan-exclusive
for type in f32 u64 u8; do figure scan-$type scan h200/scan-types --type $type; done
for shape in 256x30 256x10 1024x10; do
    figure scan-$shape scan h200/scan-shapes --block ${shape%x*} --items ${shape#*x}
done
figure tables tables "h200/tables h200/tables-padded" --type u8 --accum u32
figure warp warp h200/warp
# The report's figure 4, with and without holes against conflicts of banks.
for holes in "" -naive; do
    naive=(${holes:+--naive-staging})
    figure tune-bn$holes tune h200/tune --map bn --items 30 "${naive[@]}"
    figure tune-bq$holes tune h200/tune --map bq "${naive[@]}"
    figure tune-qn$holes tune h200/tune --map qn --block 256 "${naive[@]}"
done
figure tables-exclusive tables h200/tables-exclusive
# The same on an H100, whose memory is slower.
figure h100-scan scan h100/scan
for shape in 256x30 256x10 1024x10; do
    figure h100-scan-$shape scan h100/scan-shapes --block ${shape%x*} --items ${shape#*x}
done
figure blelloch scan h200/blelloch

# One run with other libraries.
figure h200-sat tables h200-sat --type u8 --accum u32
figure h200-scan scan h200-scan --type u32
figure h200-box tables h200-box --type u8
figure h200-query queries h200-query
