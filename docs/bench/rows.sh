#!/bin/bash
# rows.sh - images larger than memory: processor time and peak memory of whole commands on 60,000 x 20,000 px of u8,
# beside vips, GDAL, NumPy's mapped arrays and a copy of as many bytes.  Prints rows.md.
#
# Each command runs ROUNDS times, in turns; GDAL, which takes minutes, once.  The table has the median of the processor
# times, the least time by the clock and the largest peak of resident memory, mapped pages among it.  Before its time
# counts, a mean of 31x31 is compared with the definition at 3,000 places away from the edges, where the tools differ: it
# may be 1 off, that of sat 0.  A tool that is not there is a line on standard error; the last line there counts them.
#
#   SAT=PROGRAM   build/sat       WORK=FOLDER   where 8 GB are free, a folder of its own by default
#   ROUNDS=N      5               PYTHON=PROGRAM   python3, with NumPy
set -eu
here=$(realpath "$(dirname "$0")/../..")
sat=$(realpath "${SAT:-build/sat}") rounds=${ROUNDS:-5} python=${PYTHON:-python3}
work=${WORK:-$(mktemp -d)}
cd "$work"
trap 'rm -f "$work"/{big,tile,deflate,out,check}.* "$work"/out{mean,std}.pgm "$work"/{clock.txt,box.py}
      [ -n "${WORK:-}" ] || rmdir "$work"' EXIT
timed=0 skipped=0

# ---- inputs -----------------------------------------------------------------------------------------------

"$python" - <<'PY'
import struct
import numpy
W, H, T = 60000, 20000, 256
r = numpy.random.default_rng(1)
noise = r.integers(0, 16, (1000, W)).astype("u1")
wave = (100 + 80 * numpy.sin(numpy.arange(W) / 700)).astype("u1")
with open("big.pgm", "wb") as f:
    f.write(b"P5\n60000 20000\n255\n")
    for i in range(20):
        f.write((noise + wave[None, :] + numpy.uint8(i)).astype("u1").tobytes())
image = numpy.memmap("big.pgm", "u1", "r", 19, (H, W))
numpy.save("big.npy", image)
# A BigTIFF of tiles, whose directory begins at byte 16 and whose tiles behind 1 MiB.
across, down = -(-W // T), -(-H // T)
tags = ((256, W), (257, H), (258, 8), (259, 1), (262, 1), (277, 1), (322, T), (323, T))
n, begin, behind = across * down, 1 << 20, 16 + 8 + 20 * (len(tags) + 2) + 8
with open("tile.tif", "wb") as f:
    f.write(b"II" + struct.pack("<HHHQQ", 43, 8, 0, 16, len(tags) + 2))
    for tag, value in tags:
        f.write(struct.pack("<HHQQ", tag, 4, 1, value))
    f.write(struct.pack("<HHQQHHQQQ", 324, 16, n, behind, 325, 16, n, behind + 8 * n, 0))
    f.write((begin + T * T * numpy.arange(n)).astype("<u8").tobytes() + numpy.full(n, T * T, "<u8").tobytes())
    f.write(bytes(begin - f.tell()))
    for y in range(0, H, T):
        rows = numpy.zeros((T, across * T), "u1")
        rows[:min(T, H - y), :W] = image[y:y + T]
        f.write(rows.reshape(T, across, T).swapaxes(0, 1).tobytes())
PY
awk 'BEGIN { for (i = 0; i < 1000; i++) printf "%d,%d,9000,6000\n", i * 7919 % 51000, i * 104729 % 14000 }' >check.csv
cat >box.py <<'PY'
import numpy
image = numpy.load("big.npy", mmap_mode="r")
means = numpy.lib.format.open_memmap("out.npy", "w+", "u1", image.shape)
r, (height, width) = 15, image.shape
columns = numpy.minimum(numpy.arange(width) + r + 1, width) - numpy.maximum(numpy.arange(width) - r, 0)
for y in range(0, height, 256):
    rows = numpy.arange(y, min(y + 256, height))
    low, high = max(y - r, 0), min(rows[-1] + r + 1, height)
    sums = numpy.zeros((high - low + 1, r + 1 + width + r), "u4")
    numpy.cumsum(numpy.cumsum(image[low:high], 0, dtype="u4"), 1, out=sums[1:, r + 1:r + 1 + width])
    sums[:, r + 1 + width:] = sums[:, r + width:r + width + 1]
    y0, y1 = numpy.maximum(rows - r, 0) - low, numpy.minimum(rows + r + 1, height) - low
    sums = sums[y1] - sums[y0]
    area = ((y1 - y0)[:, None] * columns).astype("u4")
    means[rows[0]:rows[-1] + 1] = (sums[:, 2 * r + 1:] - sums[:, :width] + area // 2) // area
means.flush()
PY
"$sat" tile.tif --box 1 -o deflate.tif
awk 'BEGIN { print "31 31 961 0"; for (y = 0; y < 31; y++) { for (x = 0; x < 31; x++) printf "1 "; print "" } }' >big.mat
for kind in tile deflate; do
    cat >$kind.vrt <<VRT
<VRTDataset rasterXSize="60000" rasterYSize="20000"><VRTRasterBand dataType="Byte" band="1"><KernelFilteredSource>
<SourceFilename>$kind.tif</SourceFilename><SourceBand>1</SourceBand>
<Kernel normalized="1"><Size>31</Size><Coefs>$(printf '1 %.0s' {1..31})</Coefs></Kernel>
</KernelFilteredSource></VRTRasterBand></VRTDataset>
VRT
done

# ---- one command ------------------------------------------------------------------------------------------

true >clock.txt
# one NAME COMMAND... - a line of clock.txt: the name, processor seconds, seconds, peak in kilobytes.
one() {
    local name=$1
    shift
    [ "$round" != 0 ] || timed=$((timed + 1))
    /usr/bin/time -a -o clock.txt -f "$name\t%U %S\t%e\t%M" "$@" >/dev/null
}

# peer PROGRAM NAME COMMAND... - the same of a program that may not be there.
peer() {
    if command -v "$1" >/dev/null; then
        one "${@:2}"
    elif [ "$round" = 0 ]; then
        skipped=$((skipped + 1))
        echo "# SKIP $2: there is no $1" >&2
    fi
}

# right FILE MOST - in the first round: the file's means are those of the definition, or up to MOST off.
right() {
    local file=$1
    [ "$round" = 0 ] && [ -e "$file" ] || return 0
    case $file in *.tif) "$sat" "$file" --box 1 -o check.pgm && file=check.pgm ;; esac
    "$python" - "$file" "$2" <<'PY'
import os
import sys
import numpy
image = numpy.memmap("big.pgm", "u1", "r", 19, (20000, 60000))
path, most = sys.argv[1], int(sys.argv[2])
head = os.path.getsize(path) - image.size
means = numpy.load(path, mmap_mode="r") if path.endswith(".npy") else numpy.memmap(path, "u1", "r", head, image.shape)
r = numpy.random.default_rng(2)
for y, x in zip(r.integers(15, 19985, 3000), r.integers(15, 59985, 3000)):
    total = int(image[y - 15:y + 16, x - 15:x + 16].sum(dtype="u8"))
    if abs(int(means[y, x]) - (total + 480) // 961) > most:
        sys.exit(f"{path}: {means[y, x]} at row {y}, column {x}; a sum of {total} is {total / 961}")
PY
    rm -f check.pgm "$1"
}

# means NAME FROM TO [OPTION...]
means() { one "$1" "$sat" "$2" --box 31 "${@:4}" -o "$3" && right "$3" 0; }

for ((round = 0; round < rounds; round++)); do
    one "\`cat\` and \`sync\`, the same bytes" sh -c 'cat big.pgm >out.pgm && sync out.pgm'
    means "\`--box 31\`" big.pgm out.pgm
    one "\`--box 1001\`" "$sat" big.pgm --box 1001 -o out.pgm
    one "\`--gauss 3\`" "$sat" big.pgm --gauss 3 -o out.pgm
    one "\`--gauss 12\`" "$sat" big.pgm --gauss 12 -o out.pgm
    one "\`--stat mean,std\` as u8, two files" "$sat" big.pgm --box 31 --stat mean,std --result same -o 'out{stat}.pgm'
    one "\`--threshold sauvola\`, 31" "$sat" big.pgm --box 31 --threshold sauvola -o out.pbm
    one "a table of i64, to /dev/null" "$sat" big.pgm --format npy -o /dev/null
    one "\`--mean\` of all" "$sat" big.pgm --mean 0,0,60000,20000
    one "\`--mean\` of all, with \`std\`" "$sat" big.pgm --mean 0,0,60000,20000 --stat mean,std
    one "\`--rects\`, 1,000 of 9,000 x 6,000 px" "$sat" big.pgm --rects check.csv
    peer vips "31x31: vips conv, approximate" vips conv big.pgm out.pgm big.mat --precision approximate --layers 1
    right out.pgm 1
    means "31x31, \`.npy\` to \`.npy\`: \`--box 31\`" big.npy out.npy
    one "31x31, \`.npy\` to \`.npy\`: NumPy, mapped, two \`cumsum\`s for 256 rows" "$python" box.py
    right out.npy 0
    for kind in tile deflate; do
        name="31x31, BigTIFF of 256 px tiles, $([ $kind = tile ] && echo none || echo deflate)"
        vips=tile,tile-width=256,tile-height=256,bigtiff
        gdal=(-q -co BIGTIFF=YES -co TILED=YES)
        [ $kind = tile ] || { vips+=,compression=deflate,predictor=horizontal; gdal+=(-co COMPRESS=DEFLATE -co PREDICTOR=2 -co NUM_THREADS=ALL_CPUS); }
        means "$name: \`--box 31\`" $kind.tif out.tif --tiff-compression "$([ $kind = tile ] && echo none || echo deflate)"
        peer vips "$name: vips conv, approximate" vips conv $kind.tif "out.tif[$vips]" big.mat --precision approximate --layers 1
        right out.tif 1
        [ $round = 0 ] || continue
        peer gdal_translate "$name: GDAL, kernel of a VRT" gdal_translate $kind.vrt out.tif "${gdal[@]}"
        right out.tif 1
    done
done

# ---- the table --------------------------------------------------------------------------------------------

echo "# Images larger than memory"
printf '\n```\n'
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here/tests/peers SAT=$sat "$python" - <<'PY'
import os
import numpy
from report import first_line, machine
print(*machine({"sat": first_line(os.environ["SAT"], "--version"), "vips": first_line("vips", "--version"),
                "GDAL": first_line("gdalinfo", "--version"), "NumPy": numpy.__version__}), sep="\n")
PY
printf 'command: ROUNDS=%d docs/bench/rows.sh\n```\n\n60,000 x 20,000 px of u8 (1.2 GB), PGM to PGM unless said.\n\n' "$rounds"
awk -F'\t' '{ split($2, t, " "); n = ++count[$1]; cpu[$1, n] = t[1] + t[2]
              if (n == 1 || $3 < wall[$1]) wall[$1] = $3
              if ($4 > peak[$1]) peak[$1] = $4
              if (n == 1) order[++names] = $1 }
            function median(a, key, n, i, j, v, s) { for (i = 1; i <= n; i++) s[i] = a[key, i]
                for (i = 2; i <= n; i++) for (j = i; j > 1 && s[j] < s[j - 1]; j--) { v = s[j]; s[j] = s[j - 1]; s[j - 1] = v }
                return s[int((n + 1) / 2)] }
            END { print "| | CPU s | wall s | peak MB |\n|---|--:|--:|--:|"
                  for (i = 1; i <= names; i++) { k = order[i]
                      printf "| %s | %.1f | %.1f | %.0f |\n", k, median(cpu, k, count[k]), wall[k], peak[k] / 1000 } }' clock.txt
echo "# $timed commands timed, $skipped skipped" >&2
