#!/bin/bash
# Scripts that no other suite runs: packages that are missing, as a user sees it; hashes of sources; F-measures
# of thresholds; the benches of peers, without the peers.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
: "${B:=build}" "${PYTHON:=python3}"
unset PARTS # of `make judges`, which reproduce.sh would take for its own

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

mkdir "$dir/packaging"
cp packaging/deps.sh "$dir/packaging/"
echo "test no-such-package-as-this" >"$dir/packaging/packages.txt"
chmod -R a+rX "$dir"
as_user() {
    if [ "$(id -u)" = 0 ]; then setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; else "$@"; fi
}
advises() { # prints the command, and fails
    local out
    if out=$(as_user "$dir/packaging/deps.sh" test 2>&1); then
        echo "status 0: $out"
        return 1
    fi
    grep -qx ' *sudo apt-get update && sudo apt-get install -y --no-install-recommends no-such-package-as-this' <<<"$out" || { echo "$out"; return 1; }
}
name="a user reads which command installs what is missing"
if ! command -v apt-get >/dev/null; then
    skip "$name" "no apt-get here"
elif ! as_user true 2>/dev/null; then
    skip "$name" "root cannot become another user here"
else
    try "$name" advises
fi

# What was verified on a GPU: code, whatever its comments say.
mkdir -p "$dir/hashed/tests/gpu" "$dir/hashed/kernels" "$dir/hashed/src/lib" "$dir/hashed/src/cpu" "$dir/hashed/src/lab/lib"
cp tests/sources.sh "$dir/hashed/tests/"
hash_of() { # CODE
    printf '%s\n' "$1" >"$dir/hashed/kernels/a.cu"
    "$dir/hashed/tests/sources.sh" gpu
}
ignores_comments() {
    local hash
    hash=$(hash_of '/* a */ int a = 1; // one')
    [ -n "$hash" ] && [ "$hash" = "$(hash_of $'// two\nint a =\n        1;')" ] && [ "$hash" != "$(hash_of 'int a = 2;')" ]
}
try "a comment in a kernel is no reason to run it again" ignores_comments

# The record of make judges, a line for each part.
judged() {
    local tree=$dir/judged part said
    mkdir -p "$tree/tests/machines" "$tree/.ci" "$tree"/{src,python,packaging,examples,data}
    cp tests/verified.sh tests/sources.sh "$tree/tests/" && cp tests/machines/judges.sh "$tree/tests/machines/" || return
    touch "$tree"/{.ci/run,Makefile,pyproject.toml} && cd "$tree" || return
    for part in $(tests/machines/judges.sh --list); do
        echo "$part: 9 passed, 0 failed, 0 skipped, 1 min, sources $(tests/sources.sh machines)"
    done >tests/machines/verified.txt
    said=$(tests/verified.sh machines) && [ "$said" = "machines: verified by all parts of make judges" ] || { echo "$said"; return 1; }
    sed -i -e '/^plants/d' -e '/^fuzz/s/0 failed/1 failed/' tests/machines/verified.txt
    said=$(tests/verified.sh machines) && return 1
    [ "$said" = "machines: not verified: plants (not run) fuzz (failed)" ] || { echo "$said"; return 1; }
    echo "int a;" >src/a.c
    said=$(tests/verified.sh machines) && return 1
    [[ $said == *"portable (of other sources)"* ]] || { echo "$said"; return 1; }
}
try "a part of make judges that failed, or is of other sources, is named" judged
# Of pages whose ink is known: every table is there, and under a lamp a local threshold is better than any one level.
thresholds() {
    PYTHONPATH=docs/bench "$PYTHON" - "$B/sat" >"$dir/tables" <<'EOF' || return 1
import importlib

pages = importlib.import_module("threshold-pages")
pages.WINDOWS, pages.EACH, pages.TEXT = (25,), 25, {"small": (16, 2.2)}
pages.main()
EOF
    [ "$(grep -c '^| 25 | [1-9][0-9] (' "$dir/tables")" = 7 ] || { cat "$dir/tables"; return 1; }
    local level k
    level=$(sed -n 's/.* lamp \([0-9]*\),.*/\1/p' "$dir/tables")
    k=$(sed -n 's/^| k 0.2 | [0-9]* | \([0-9]*\) .*/\1/p' "$dir/tables")
    [ "$k" -gt $((level + 10)) ] || { echo "lamp: Sauvola $k, one level $level"; return 1; }
}
try "F-measures of thresholds" thresholds

# A user's PATH with all but make and the compiler, where dpkg-query knows no package.
mkdir "$dir/bare"
for tool in bash sh sed awk paste sort cat cmp mkdir dirname mktemp nproc printf echo cut find head tr uname grep cksum rm rmdir sleep flock tee; do
    path=$(command -v "$tool") && [ -x "$path" ] && ln -s "$path" "$dir/bare/$tool"
done
printf '#!/bin/sh\nexit 1\n' >"$dir/bare/dpkg-query"
printf '#!/bin/sh\nexit 1\n' >"$dir/bare/apt-get"
printf '#!/bin/sh\necho 1000\n' >"$dir/bare/id"
chmod +x "$dir/bare/"*-* "$dir/bare/id"
make=$(command -v make)
without_compiler() {
    local out
    if out=$(PATH=$dir/bare "$make" CC=gcc CUDA=0 B="$dir/build" all 2>&1); then echo "status 0: $out"; return 1; fi
    grep -q '^ *sudo apt-get update && sudo apt-get install -y --no-install-recommends make gcc .*libdeflate-dev' <<<"$out" || { echo "$out"; return 1; }
}
# fails STATUS LINES COMMAND... - with that status and, besides make's own line, these on standard output and error.
fails() {
    local out status=0
    out=$("${@:3}" 2>&1) || status=$?
    # shellcheck disable=SC2053 # a glob
    [ $status = "$1" ] && [[ $(grep -vE '^make(\[[0-9]+\])?: ' <<<"$out") == $2 ]] || { echo "status $status: $out"; return 1; }
}
first_block() { awk '/^```$/ { if (on) exit; on = 1; next } on' README.md; }
names="make gcc libc6-dev pkg-config libstb-dev libdeflate-dev libisal-dev libxxhash-dev"
try "the README's first command prints what installs make and the rest" fails 1 \
    "deps: packages are missing; this installs them:
    sudo apt-get update && sudo apt-get install -y --no-install-recommends $names libjpeg-dev libtiff-dev" \
    env PATH="$dir/bare" bash -c "$(first_block)"

# system TOOL - deps.sh where TOOL installs packages, and not Debian's; none are there. The default: no tool.
system() {
    rm -rf "$dir/system"
    cp -a "$dir/bare" "$dir/system" && rm "$dir/system/apt-get" "$dir/system/dpkg-query" || return
    [ $# = 0 ] || cp "$dir/bare/apt-get" "$dir/system/$1" || return
    PATH=$dir/system packaging/deps.sh build
}
skips="deps: make looks for no packages with DEPS=skip, as in \`make demo DEPS=skip\`"
try "deps.sh names Fedora's packages" fails 1 "deps: packages are missing; this installs them:
    sudo dnf install make gcc glibc-devel pkgconf-pkg-config stb-devel libdeflate-devel isa-l-devel xxhash-devel
$skips" system dnf
try "deps.sh names Arch Linux's, and what that has not" fails 1 "deps: packages are missing; this installs them:
    sudo pacman -S --needed make gcc glibc pkgconf stb libdeflate xxhash
deps: no package of this system is known for: isa-l
$skips" system pacman
try "deps.sh names Alpine's" fails 1 "deps: packages are missing; this installs them:
    sudo apk add make gcc musl-dev pkgconf stb libdeflate-dev isa-l-dev xxhash-dev
$skips" system apk
try "deps.sh names Debian's elsewhere" fails 1 "deps: packages are missing; there is no apt-get, dnf, pacman or apk; Debian calls them:
    $names
$skips" system
finds_all() { # where the system's tool knows all packages, and where nobody asks it
    local tool
    for tool in dnf:rpm pacman:pacman apk:apk; do
        system "${tool%:*}" 2>"$dir/said" && return 1
        ln -sf "$(command -v true)" "$dir/system/${tool#*:}" && PATH=$dir/system packaging/deps.sh build || return
    done
    PATH=$dir/bare DEPS=skip packaging/deps.sh
}
try "deps.sh says nothing where all is installed, or with DEPS=skip" nothing finds_all
try "packages.txt has a name, or -, for each system" nothing awk '!/^#/ && NF != 5' packaging/packages.txt

# As root: the status of apt-get, through the pipe that shows its progress.
apt_fails() {
    local out
    cp -a "$dir/bare" "$dir/fails" && printf '#!/bin/sh\necho 0\n' >"$dir/fails/id" || return
    printf '#!/bin/sh\necho "E: no such package"\nexit 100\n' >"$dir/fails/apt-get"
    if out=$(PATH=$dir/fails packaging/deps.sh build 2>&1); then echo "status 0: $out"; return 1; fi
    [[ $out == *"E: no such package"*"deps: apt-get failed" ]] || { echo "$out"; return 1; }
}
try "deps.sh fails, and shows why, where apt-get does" apt_fails

# Two at once as root, with an apt-get that fails beside another one.
takes_turns() {
    cp -a "$dir/bare" "$dir/root" && printf '#!/bin/sh\necho 0\n' >"$dir/root/id" || return
    # shellcheck disable=SC2016 # the script's own
    printf '#!/bin/sh\nmkdir "$0.runs" && sleep 0.5 && rmdir "$0.runs"\n' >"$dir/root/apt-get"
    PATH=$dir/root packaging/deps.sh build &
    PATH=$dir/root packaging/deps.sh build && wait $!
}
name="two deps.sh at once install one after the other"
if [ -e "$dir/bare/flock" ] && [ -d /var/lib/dpkg ]; then try "$name" takes_turns; else skip "$name" "no flock, or no dpkg here"; fi

try "make kernels without nvcc says so" fails 2 "Makefile:*: \*\*\* make kernels compiles none: no nvcc found: NVCC=FILE names one.  Stop." \
    "$make" CUDA=auto NVCC='' B="$dir/build" kernels
try "make verified without a compiler says so" fails 2 "verified.sh: there is no gcc, by which *; CC=NAME is another compiler" \
    env -u CC PATH="$dir/bare" "$make" CUDA=0 B="$dir/build" verified
try "make bare without root fails" fails 77 "1..0 # SKIP make bare needs root
bare: NOTHING WAS TESTED: make bare needs root" env PATH="$dir/bare" tests/bare/run.sh
cleans() {
    mkdir "$dir/mine"
    fails 2 "clean: $dir/mine is kept: no $dir/mine/flags says *" "$make" CUDA=0 B="$dir/mine" clean && [ -d "$dir/mine" ] || return
    touch "$dir/mine/flags" && "$make" CUDA=0 B="$dir/mine" clean && [ ! -e "$dir/mine" ] && "$make" CUDA=0 B="$dir/mine" clean
}
try "make clean removes what make built, and nothing else" cleans
names_compiler() {
    local out
    if out=$("$make" CC=no-such-compiler CUDA=0 B="$dir/build" lib 2>&1); then echo "status 0: $out"; return 1; fi
    grep -q 'there is no no-such-compiler; CC=NAME is another compiler$' <<<"$out" || { echo "$out"; return 1; }
}
name="make without a compiler prints what installs it"
try "$name" without_compiler
if command -v dpkg-query >/dev/null && packaging/deps.sh --say build jpeg tiff 2>/dev/null; then
    try "make with a compiler that is none says so" names_compiler
else
    skip "make with a compiler that is none says so" "other packages are missing, and are named first"
fi
whole_lines() { # of `make help`: all of each ##
    diff <(sed -n 's/^## [a-z-]*: //p' Makefile) <("$make" CUDA=0 help | sed -E 's/^  make [a-z-]+ +//' | head -n "$(grep -c '^## [a-z-]*: ' Makefile)")
}
try "make help cuts no line" whole_lines

# Without OpenCV and without the measurements, and with nothing in the environment.
compares() {
    if ! env -u SAT -u SAT_TEST_ROOT PYTHONPATH=tests/peers "$PYTHON" - "$dir" <<'EOF'; then return 1; fi
import sys
from unittest import mock
sys.modules["cv2"] = mock.Mock(__version__="0")
import inprocess
inprocess.tables = inprocess.boxes = lambda *_: []
inprocess.main()
EOF
    grep -q '^sat: sat ' "$dir/inprocess.md"
}
try "inprocess.py needs no variable of the environment" compares

# Libraries made of brute force, one of them for each rule at the edge, and one that errs; no GPU is needed.
times_floats() {
    local made=0
    env SAT="$B/sat" B="$B" PYTHONPATH=tests/peers/gpu:tests/check "$PYTHON" - "$dir/peers.csv" 2>"$dir/said" <<'EOF' || made=1
import sys
import numpy as np
import arrays, bench, libraries, satlib

class Brute:
    device, version = False, "0"
    box_off_by = {"uint8": 0} | libraries.FLOATS_OFF_BY

    def __init__(self, name, border, wrong=0):
        self.name, self.box_cuts, self.border, self.wrong = name, border == "shrink", border, wrong

    def box(self, image, n):
        mean = satlib.box(image.reshape(*image.shape[:2], -1), n, n, self.border).reshape(image.shape)
        mean[-1, -1] += self.wrong
        return lambda: None, lambda: mean

libraries.CuPy, libraries.PyTorch = lambda: Brute("repeats", "replicate"), lambda: Brute("cuts", "shrink")
libraries.OpenCV = lambda: Brute("errs", "replicate", 1e-3)
sat, peers, rows = bench.Sat([]), bench.Peers([]), bench.Rows(sys.argv[1])
works = [("f32", 1), ("f64", 1), ("f32", 3)]
for sample, channels in works:
    sat.bench(rows, "--box", "5", "--size", "40x30", "--type", sample, "--channels", str(channels), "--backend", "cpu")
    pixels = arrays.random_array((30, 40, channels) if channels > 1 else (30, 40), sample, fractions=True)
    peers.measure(rows, sat, bench.job("box 5x5", 40, 30, sample, "", 2 * pixels.nbytes, channels),
                  lambda x: x.box(pixels, 5), bench.close_to_means(pixels, 5))
want = {"memcpy": "ok (copy)", "cpu": "ok", "repeats": "ok (peer)", "cuts": "ok (peer)", "errs": "differs from NumPy"}
have = [(r["name"], r["type"], r["channels"], r["check"]) for r in rows.rows if r["name"] in want]
if have != [(name, s, str(c), check) for s, c in works for name, check in want.items()]:
    sys.exit(f"rows: {have}")
if any(bool(r["warm_us"] and r["copy_us"]) == (r["name"] == "errs") for r in rows.rows):
    sys.exit(f"times: {rows.rows}")
EOF
    [ "$made" = 0 ] && "$B/sat" bench --from "$dir/peers.csv" >"$dir/shown" 2>>"$dir/said" && grep -q cuts "$dir/shown" && return
    cat "$dir/said"
    return 1
}
try "the GPU's bench.py checks and times float means of other libraries" times_floats

# A decoder that crashes, beside one that gives other samples, one that refuses and one that gives the same.
reports_both() {
    printf 'P5 2 1 255\n\1\2' >"$dir/a.pgm"
    SAT=$B/sat PYTHONPATH=tests/corpora "$PYTHON" - "$dir/a.pgm" <<'EOF'
import os, sys
from unittest import mock
import numpy as np
for name in "cv2", "PIL", "PIL.Image", "tifffile":
    sys.modules[name] = mock.Mock()
import corpora

def gives(*samples):
    return lambda path: np.array([samples], "u1")

def outcome(**decoders):
    corpora.decoders_of = lambda kind: decoders
    return corpora.outcome_of(sys.argv[1], "pnm")

def refuses(path):
    raise ValueError

other = gives(1, 3)
crash = "Bad crashed: signal 6"
for got, want in [
        (outcome(Bad=lambda path: os.abort(), Other=other, No=refuses), ("different", "Other: 1 px differ, first at (1,0): " + crash)),
        (outcome(Other=other, Bad=lambda path: os.abort()), ("different", "Other: 1 px differ, first at (1,0): " + crash)),
        (outcome(Same=gives(1, 2), Bad=lambda path: os.abort(), Other=other), ("equal", crash)),
        (outcome(Bad=lambda path: os.abort(), No=refuses), ("alone", crash)),
        (outcome(Same=gives(1, 2), Other=other), ("equal", None))]:
    text = got[1] and got[1].split("[")[0] + got[1].split("; ")[-1] if got[0] == "different" else got[1]
    if (got[0], text) != want:
        sys.exit(f"{got}, not {want}")
EOF
}
try "corpora.py reports the crash of one decoder and the difference of another" reports_both

# Their flags are one argument of the Makefile's function.
keeps_flags() {
    make -n CUDA=0 asan | grep -q "^make .*EXTRA_CFLAGS='[^']*float-cast-overflow[^']*all'.* build/asan/sat unit$"
}
try "make asan passes all of its flags on" keeps_flags

# The kernels' files that `make quick` runs after a change of the tree in $dir/tree, on one line.
changed() { B=$dir/built "$dir/tree/tests/simt/changed.sh" | cut -d' ' -f1 | xargs; }
hashes_all() {
    mkdir -p "$dir/tree/tests" "$dir/tree/src" "$dir/built"
    cp -r kernels "$dir/tree/" && cp -r src/lib src/lab "$dir/tree/src/" && cp -r tests/simt tests/gpu tests/borders.h "$dir/tree/tests/" &&
        chmod -R u+w "$dir/tree" || return 1
    local all file line now
    all=$(changed)
    [[ $all == *box*query* ]] || return 1
    B=$dir/built "$dir/tree/tests/simt/changed.sh" --all >"$dir/built/kernels.passed" || return 1
    echo "// a comment" >>"$dir/tree/tests/gpu/main.c"
    [ -z "$(changed)" ] || { echo "changed by a comment, or by nothing: $(changed)"; return 1; }
    while read -r file line; do
        cp "$dir/tree/$file" "$dir/as_it_was" && echo "$line" >>"$dir/tree/$file"
        now=$(changed)
        [ "$now" = "$([[ $file == kernels/* ]] && basename "$file" .cu || echo "$all")" ] || { echo "$file: $now"; return 1; }
        cp "$dir/as_it_was" "$dir/tree/$file"
    done <<'EOF'
kernels/query/query.cu int one_more;
tests/gpu/main.c int one_more;
tests/gpu/check.h extern int one_more;
tests/simt/grid.cpp int one_more;
tests/simt/simt.mk SIMT_FLAGS += -O3
EOF
}
try "make quick runs the kernels whose code, harness, simulator or flags changed" hashes_all

# What is unpacked in another checkout, which ignores it.
finds_files() {
    git init -q "$dir/outer" && echo '*' >"$dir/outer/.gitignore" && mkdir "$dir/outer/sat" && cd "$dir/outer/sat" &&
        touch a.md b.c && [ "$(tracked '*.md')" = a.md ]
}
name="a tarball's files are tested inside another checkout, too"
if command -v git >/dev/null; then try "$name" finds_files; else skip "$name" "no git here"; fi

tries_none() {
    local out
    if out=$(B=$B tests/simt/mutants.sh 1/1 no-such-mutant); then echo "status 0: $out"; return 1; fi
    [ "$out" = 1..0 ]
}
if [ -x "$B/simt/check" ]; then
    try "mutants.sh fails where it tries none" tries_none
else
    skip "mutants.sh fails where it tries none" "the simulator is not built"
fi

# make reproduce, with a sat that has a GPU in words only: made-up rows; $dir/slow is a bench that it does not end.
mkdir "$dir/reproduce"
cat >"$dir/reproduce/sat" <<'EOF'
#!/bin/bash
here=${0%/*}
case "$*" in
--version) exit 0 ;;
*--list*) cat "$here/list" ;;
*--from*) exec "$SAT_TEST_REAL" "$@" ;;
*"--min 10 --max 10 --repeat 1"*) echo "- gpu: NVIDIA Made Up, sm_00, 1 multiprocessors" ;;
*)
    echo "$*" >>"$here/calls"
    bench=$2
    [[ $* != *--exclusive* ]] || bench=scan-exclusive
    [[ $* != *--size* ]] || bench="table exclusive"
    echo "bench,name,width,height,channels,type,accum,model_bytes,cold_us,warm_us,noise_pct,gbps,copy_us,share_of_copy,min_us,mean_us,runs,check"
    echo "$bench,cuda-copy,1024,1,1,u32,u32,8192,2.00,2.00,0.1,4.10,1.00,0.500,2.00,2.00,100,ok (copy)"
    echo "$bench,lookback,1024,1,1,u32,u32,8192,5.00,4.00,0.1,2.05,1.00,0.250,3.90,4.10,100,ok"
    echo "$bench,lookback B=256 Q=30,1024,1,1,u32,u32,8192,5.00,8.00,0.1,1.02,1.00,0.125,7.90,8.10,100,ok"
    echo "$bench,broken,1024,1,1,u32,u32,8192,,,,,,,,,,was not compiled in"
    if [ "$bench" = "$(cat "$here/slow" 2>/dev/null)" ]; then sleep 60; fi
    ;;
esac
EOF
chmod +x "$dir/reproduce/sat"
echo "lookback-aux-one 1R1W" >"$dir/reproduce/list"
reproduce() { SAT=$dir/reproduce/sat SAT_TEST_REAL=$(realpath "$B/sat") OUT=$dir/reproduce/out docs/bench/reproduce.sh >"$dir/reproduce/said" 2>&1; }
makes_parts() {
    reproduce || { cat "$dir/reproduce/said"; return 1; }
    [ "$(cd "$dir/reproduce/out" && echo *)" = "blelloch.csv reproduce.txt scan-exclusive.csv scan-shapes.csv scan-types.csv scan.csv tables-exclusive.csv tune.csv warp.csv" ] || {
        ls "$dir/reproduce/out"
        return 1
    }
    grep -q '^- gpu: NVIDIA Made Up' "$dir/reproduce/out/reproduce.txt" &&
        grep -qx 'bench,.*' "$dir/reproduce/out/scan-types.csv" &&
        [ "$(grep -c '^scan,lookback,' "$dir/reproduce/out/scan-types.csv")" = 3 ] &&
        ! grep -q 'B=256' "$dir/reproduce/out/scan.csv" &&
        grep -q 'B=256' "$dir/reproduce/out/scan-shapes.csv" &&
        ! grep -q broken "$dir"/reproduce/out/*.csv &&
        grep -qE '^lookback B=256 Q=30 +8.0 +8.1 +1 +0.25 +100$' "$dir/reproduce/said" &&
        grep -q 'up to 2.5 passes' "$dir/reproduce/said"
}
try "reproduce.sh makes all parts, a log and a table" makes_parts
goes_on() {
    : >"$dir/reproduce/calls"
    rm "$dir/reproduce/out/tune.csv"
    echo tune >"$dir/reproduce/slow"
    if LIMIT=1 reproduce; then return 1; fi
    [ "$(wc -l <"$dir/reproduce/calls")" = 1 ] && [ ! -e "$dir/reproduce/out/tune.csv" ] &&
        grep -q '^tune,lookback,' "$dir/reproduce/out/tune.part.csv" || return 1
    rm "$dir/reproduce/slow"
    PARTS="tables maps" reproduce && [ "$(wc -l <"$dir/reproduce/calls")" = 2 ] && [ -e "$dir/reproduce/out/tune.csv" ] &&
        [ ! -e "$dir/reproduce/out/tune.part.csv" ] && AGAIN=1 PARTS=warp reproduce && [ "$(wc -l <"$dir/reproduce/calls")" = 3 ]
}
try "reproduce.sh goes on where it was stopped, and keeps what a stopped command had written" goes_on
refuses() {
    if PARTS=nothing reproduce; then return 1; fi
    grep -q "there is no part 'nothing'" "$dir/reproduce/said" || return 1
    echo "lookback 1R1W" >"$dir/reproduce/list"
    if reproduce; then return 1; fi
    grep -q "was not built with SWEEP=1" "$dir/reproduce/said"
}
try "reproduce.sh refuses parts that there are not, and a sat without all shapes" refuses

plants_apply() { # to the sources as they are
    local plant
    for plant in tests/plants/*.patch; do patch --dry-run -s -f -p1 <"$plant" || { echo "$plant"; return 1; }; done
}
if command -v patch >/dev/null; then try "each plant applies" plants_apply; else skip "each plant applies" "no patch: Debian's package"; fi

# docs/call.md follows a pixel by names: each function is defined in the sources.  Files that it names are there, and those
# of the pages of kernels.
unknown_names() {
    local name
    for name in $(grep -oE '`[A-Za-z_][A-Za-z0-9_]*\(\)`' docs/call.md | tr -d '`()' | sort -u); do
        grep -rqE "^([A-Za-z#].*[ *])?$name\(|PRIM_DEVICE .*[ *]$name\(" src kernels --include='*.[ch]' --include='*.cu' --include='*.cuh' ||
            echo "no function $name()"
    done
    for name in $(cat docs/call.md docs/ladder.md docs/fused.md | grep -oE '`[A-Za-z0-9_/]+\.(c|h|cu|cuh|def|sh)`' | tr -d '`' | sort -u); do
        [ -n "$(find src kernels tests -path "*/${name#src/}" -print -quit)" ] || [ -e "$name" ] || echo "no file $name"
    done
}
names_functions() { [ "$(grep -oE '`[a-z_0-9]+\(\)`' docs/call.md | sort -u | wc -l)" -ge 40 ]; }
try "docs/call.md names functions" names_functions
try "each function and file that docs/call.md names is in the sources, and each file of docs/ladder.md and docs/fused.md" nothing unknown_names
finish
