#!/bin/bash
# reproduce.sh - what `make reproduce` does: the experiments of the report, the lab and the chapter, on this machine's GPU.
#
#   SAT=PATH      a sat built with SWEEP=1, by default build/sweep/sat; libraries that lie beside it are found
#   OUT=DIR       where the files go, by default docs/bench/GPU, such as docs/bench/h200
#   PARTS="..."   some of: report maps tables chapter warp types; by default all, in this order
#   LIMIT=S       seconds that a command may take, by default 440: what it has written until then is kept as *.part.csv
#   AGAIN=1       makes parts again that are there
#
# A part that is there is not made again, so that an interrupted run goes on where it was.
# shellcheck disable=SC2317 # make_NAME() is called by its name
set -u -o pipefail
cd "$(dirname "$0")/../.." || exit 1

sat=$(realpath "${SAT:-build/sweep/sat}") || exit 1
limit=${LIMIT:-440}
export LD_LIBRARY_PATH="${sat%/*}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

say() { echo "[$(date +%T)] $*"; }
die() {
    echo "reproduce: $*" >&2
    exit 1
}

"$sat" --version >/dev/null || die "$sat does not run here"
"$sat" bench scan --list | grep -q '^lookback-aux-one ' || die "$sat was not built with SWEEP=1: make sweep"
machine=$("$sat" bench scan --min 10 --max 10 --repeat 1 --backend lookback -q | grep -E '^- ') || die "no GPU answers here"
gpu=$(sed -n 's/^- gpu: \(NVIDIA \)\{0,1\}\([^,]*\),.*/\2/p' <<<"$machine" | tr 'A-Z ' 'a-z-')
out=${OUT:-docs/bench/$gpu}
mkdir -p "$out" || exit 1
log=$out/reproduce.txt
failed=0

# rows FILE ARGS... - the rows of one command, behind those that the file has.
rows() {
    local file=$1 began=$SECONDS from=1 status
    shift
    [ ! -s "$file" ] || from=2
    timeout "$limit" "$sat" bench "$@" --csv -q >"$work/rows" 2>"$work/said"
    status=$?
    grep -E ',ok( \((copy|peer)\))?$|^bench,' "$work/rows" | tail -n +"$from" >>"$file"
    echo "$((SECONDS - began)) s, status $status: sat bench $*" >>"$work/log"
    sed 's/^/    /' "$work/said" >>"$work/log"
    return "$status"
}

# part NAME FILE... - runs the function of that name, unless its files are there, and keeps them.
part() {
    local name=$1 file there=1 status
    shift
    for file in "$@"; do [ -s "$out/$file.csv" ] || there=0; done
    if [ "$there" = 1 ] && [ "${AGAIN:-0}" = 0 ]; then
        say "$name: there already"
        return
    fi
    work=$(mktemp -d)
    date -u "+$name, %Y-%m-%d %H:%M UTC" >"$work/log"
    say "$name"
    "make_$name"
    status=$?
    for file in "$@"; do
        [ -s "$work/$file.csv" ] || continue
        if [ $status = 0 ]; then
            mv "$work/$file.csv" "$out/$file.csv"
            rm -f "$out/$file.part.csv"
        else
            mv "$work/$file.csv" "$out/$file.part.csv"
        fi
    done
    [ $status = 0 ] || { failed=1; say "$name: not whole; $(tail -1 "$work/log")"; }
    [ -s "$log" ] || echo "$machine" >"$log"
    { echo; cat "$work/log"; } >>"$log"
    rm -rf "$work"
}

# Figures 1 to 3 and table 1 of the report; the ladder, which is of the methods' own shapes, in the same run.
make_report() {
    local all=$work/all.csv status=0 name methods=() lengths
    for name in lookback lookback-seq lookback-aux lookback-aux-one reduce-scan blelloch hillis-steele cub; do
        if "$sat" bench scan --list | grep -q "^$name "; then methods+=(--backend "$name"); fi
    done
    for lengths in "24" "10 --max 23"; do # the long ones, up to 2^30 where they fit, first
        # shellcheck disable=SC2086 # words
        rows "$work/any-order.csv" scan --repeat 100 --shape 256x30 --shape 256x10 --shape 1024x10 --shape own "${methods[@]}" \
            --min $lengths || status=1
    done
    [ -s "$work/any-order.csv" ] || return 1
    sort -s -t, -k3,3n "$work/any-order.csv" >"$all" # its head has no number and stays the first
    awk -F, '$2 !~ / B=/' "$all" >"$work/scan.csv"
    awk -F, 'NR == 1 || / B=/ || /,ok \(copy\)$/ || $2 == "lookback"' "$all" >"$work/scan-shapes.csv"
    return "$status"
}

# Figure 4: three maps, with and without holes against conflicts of banks.
make_maps() { rows "$work/tune.csv" tune --maps --backend lookback; }

# The lab's criterion, in the two dimensions of its task.
make_tables() {
    local size
    for size in 1024 2048 4096 8192 16384; do
        rows "$work/tables-exclusive.csv" --size "$size" --layout exclusive --repeat 5 || return 1
    done
}

# The chapter's table, with its criterion in one dimension; its tree with and without holes, in this project's shape and
# with an element in each leaf.
make_chapter() {
    rows "$work/scan-exclusive.csv" scan --exclusive --min 10 --max 24 || return 1
    rows "$work/scan-exclusive.csv" scan --exclusive --min 26 --max 28 --step 2 || return 1
    rows "$work/blelloch.csv" scan --exclusive --min 10 --max 24 --backend blelloch --shape 256x16 --shape 256x16:naive \
        --shape 512x1 --shape 512x1:naive
}

# The warp's scans, and the instructions that their kernels execute, where ncu is.
make_warp() {
    rows "$work/warp.csv" warp || return 1
    command -v ncu >/dev/null || { echo "    no ncu here: instructions were not counted" >>"$work/log"; return 0; }
    timeout 100 ncu --csv --kernel-name-base demangled -k regex:scan_warps \
        --metrics smsp__inst_executed.sum,smsp__warps_launched.sum,l1tex__data_bank_conflicts_pipe_lsu.sum \
        "$sat" bench warp --min 20 --max 20 --repeat 1 -q --csv >"$work/ncu" 2>&1
    echo "    status $?: ncu, one launch each of 2^20 u32; instructions of warps, warps, conflicts of banks" >>"$work/log"
    grep -oE '(kogge_stone|zero_padded|shuffles).*' "$work/ncu" | sed 's/^\([a-z_]*\).*"\([a-z0-9_.]*\)","[^"]*","\([^"]*\)"$/\1 \2 \3/' |
        sort -u >"$work/counted"
    if [ -s "$work/counted" ]; then sed 's/^/    /' "$work/counted"; else tail -5 "$work/ncu"; fi >>"$work/log"
}

# Other types.
make_types() {
    local type
    for type in f32 u64 u8; do rows "$work/scan-types.csv" scan --type "$type" --min 20 --max 28 --step 2 || return 1; done
}

for name in ${PARTS:-report maps tables chapter warp types}; do
    case $name in
    report) part report scan scan-shapes ;;
    maps) part maps tune ;;
    tables) part tables tables-exclusive ;;
    chapter) part chapter scan-exclusive blelloch ;;
    warp) part warp warp ;;
    types) part types scan-types ;;
    *) die "there is no part '$name'" ;;
    esac
done

# ---- a short table ---------------------------------------------------------------------------------------------------

# last FILE COMMAND - of the rows with the largest length.
shares() {
    local file=$out/$1.csv
    [ -s "$file" ] || file=$out/$1.part.csv
    [ -s "$file" ] || return
    awk -F, -v title="$2" '
        NR > 1 && $3 > most { most = $3 }
        { row[NR] = $0 }
        END {
            for (i = 2; i <= NR; i++) { split(row[i], c, ","); if (c[3] == most && c[2] == "cuda-copy") copy = c[10] }
            printf "\n%s, %d elements\n%-34s %10s %8s %8s %8s %6s\n", title, most, "", "us", "mean", "GB/s", "of copy", "runs"
            for (i = 2; i <= NR; i++) {
                split(row[i], c, ",")
                if (c[3] == most)
                    printf "%-34s %10.1f %8.1f %8.0f %8s %6d\n", c[2], c[10], c[16], c[12], copy ? sprintf("%.2f", copy / c[10]) : "", c[17]
            }
        }' "$file"
}
# summary FILE HEADING... - what sat bench prints behind the rows, from a heading on.
summary() {
    local file=$out/$1.csv
    [ -s "$file" ] || file=$out/$1.part.csv
    [ -s "$file" ] || return
    "$sat" bench --from "$file" | sed -n "/^$2/,\$p"
}
{
    shares scan-shapes "Table 1"
    shares scan "The ladder"
    summary tune "## "
    summary tables-exclusive "How much slower"
    summary scan-exclusive "The host"
    summary blelloch "Naive staging"
    shares warp "Warps"
    [ ! -s "$log" ] || tail -40 "$log"
}
say "the files are in $out"
exit $failed
