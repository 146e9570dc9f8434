#!/bin/bash
# Draws the published figures again from the CSVs beside this file: docs/bench/figures.sh [SAT]   (default build/sat)
set -e
sat=$(realpath "${1:-build/sat}")
cd "$(dirname "$0")/.."
rows=bench/h200

# figure NAME ARGS... - into img/NAME.svg
figure() { "$sat" bench "${@:2}" --plot "img/$1.svg"; }

figure scan scan --from $rows/scan.csv
figure scan-exclusive scan --from $rows/scan-exclusive.csv
for type in f32 u64 u8; do figure scan-$type scan --from $rows/scan-types.csv --type $type; done
for shape in 256x30 256x10 1024x10; do
    figure scan-$shape scan --from $rows/scan-shapes.csv --block ${shape%x*} --items ${shape#*x}
done
figure tables tables --from $rows/tables.csv --type u8
figure warp warp --from $rows/warp.csv
for map in bn bq qn; do figure tune-$map tune --from $rows/tune.csv --map $map; done
figure tune-bq-naive tune --from $rows/tune.csv --map bq --naive-staging
