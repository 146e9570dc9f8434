#!/bin/bash
# rows.sh - images larger than memory: processor time and peak memory of whole commands on 60,000 x 20,000 px of u8, beside
# a copy of as many bytes and, where they are installed, vips.  Prints a table.
#
#   SAT=PROGRAM   build/sat       WORK=FOLDER   where 6 GB are free, a folder of its own by default
#   ROUNDS=N      5; each command is run so many times in turns, and the median of its processor time is shown
set -eu
sat=$(realpath "${SAT:-build/sat}") rounds=${ROUNDS:-5}
work=${WORK:-$(mktemp -d)}
cd "$work"
trap 'rm -f "$work"/big.* "$work"/out* "$work"/clock.txt' EXIT
[ -e big.pgm ] || "${PYTHON:-python3}" - <<'PY'
import numpy
r = numpy.random.default_rng(1)
noise = r.integers(0, 16, (1000, 60000)).astype("u1")
wave = (100 + 80 * numpy.sin(numpy.arange(60000) / 700)).astype("u1")
with open("big.pgm", "wb") as f:
    f.write(b"P5\n60000 20000\n255\n")
    for i in range(20):
        f.write((noise + wave[None, :] + numpy.uint8(i)).astype("u1").tobytes())
PY
"$sat" big.pgm --box 1 --tiff-compression none -o big.tif
awk 'BEGIN { print "31 31 961 0"; for (y = 0; y < 31; y++) { for (x = 0; x < 31; x++) printf "1 "; print "" } }' >out.mat
true >clock.txt
# one NAME COMMAND... - a line of clock.txt: the name, processor seconds, seconds, peak in kilobytes.
one() {
    /usr/bin/time -a -o clock.txt -f "$1\t%U %S\t%e\t%M" "${@:2}" >/dev/null
}
for ((i = 0; i < rounds; i++)); do
    one "cat and sync" sh -c 'cat big.pgm >out.pgm && sync out.pgm'
    one "--box 31" "$sat" big.pgm --box 31 -o out.pgm
    one "--box 1001" "$sat" big.pgm --box 1001 -o out.pgm
    one "--gauss 3" "$sat" big.pgm --gauss 3 -o out.pgm
    one "--gauss 12" "$sat" big.pgm --gauss 12 -o out.pgm
    one "--stat mean,std, of u8" "$sat" big.pgm --box 31 --stat mean,std --result same -o 'out{stat}.pgm'
    one "--threshold sauvola, 31" "$sat" big.pgm --box 31 --threshold sauvola -o out.pbm
    one "a table of i64, to /dev/null" "$sat" big.pgm --format npy -o /dev/null
    one "--box 31, TIFF to TIFF" "$sat" big.tif --box 31 --tiff-compression none -o out.tif
    ! command -v vips >/dev/null || one "vips conv --precision approximate, 31x31" vips conv big.pgm out.pgm out.mat --precision approximate
done
awk -F'\t' '{ split($2, t, " "); n = ++count[$1]; cpu[$1, n] = t[1] + t[2]; wall[$1, n] = $3; if ($4 > peak[$1]) peak[$1] = $4
              if (n == 1) order[++names] = $1 }
            function median(a, key, n, i, j, v, s) { for (i = 1; i <= n; i++) s[i] = a[key, i]
                for (i = 2; i <= n; i++) for (j = i; j > 1 && s[j] < s[j - 1]; j--) { v = s[j]; s[j] = s[j - 1]; s[j - 1] = v }
                return s[int((n + 1) / 2)] }
            END { print "| | CPU s | wall s | peak MB |\n|---|--:|--:|--:|"
                  for (i = 1; i <= names; i++) { k = order[i]
                      printf "| %s | %.2f | %.1f | %.0f |\n", k, median(cpu, k, count[k]), median(wall, k, count[k]), peak[k] / 1000 } }' clock.txt
