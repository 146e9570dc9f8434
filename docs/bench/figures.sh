#!/bin/bash
# Draws the published figures again from the CSVs beside this file: docs/bench/figures.sh [SAT]   (default build/sat)
set -e
sat=$(realpath "${1:-build/sat}")
cd "$(dirname "$0")/.."
rows=bench/h200

# figure NAME BENCH FILE ARGS... - into img/NAME.svg, if there are such rows
figure() {
    [ ! -f "$rows/$3.csv" ] || "$sat" bench "$2" --from "$rows/$3.csv" "${@:4}" --plot "img/$1.svg" -o /dev/null
}

figure scan scan scan
figure scan-exclusive scan scan-exclusive
for type in f32 u64 u8; do figure scan-$type scan scan-types --type $type; done
for shape in 256x30 256x10 1024x10; do
    figure scan-$shape scan scan-shapes --block ${shape%x*} --items ${shape#*x}
done
figure tables tables tables --type u8
figure warp warp warp
for map in bn bq qn; do figure tune-$map tune tune --map $map; done
figure tune-bq-naive tune tune --map bq --naive-staging
