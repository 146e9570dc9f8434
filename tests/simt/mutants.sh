#!/bin/bash
# mutants.sh [I/N [WORD]] - breaks the kernels, one at a time (mutants.def), and checks that the simulator catches each.  TAP.
#
# Only the .cu that shows the fault is compiled anew, as a shared library.  It is loaded before that of all kernels (ld.so(8),
# LD_PRELOAD), so that its copies of the changed functions are used.  The case that caught a mutant last comes first, and for it only the kernels
# are compiled that it launches: one or two of up to 49.  A mutant that escapes it is compiled whole and tried with all cases.
#
#   I/N       the I-th of N shares of the list, so that N suites run side by side; by default 1/1
#   WORD      only mutants whose name holds it
#   CASES=N   how many cases of its subject are tried, by default 150
set -u
cd "$(dirname "$0")/../.." || exit 1
share=${1:-1/1} word=${2:-} CASES=${CASES:-150} B=${B:-build} CXX=${SIMT_CXX:-g++}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

flags=(-std=c++20 -O0 -fPIC -w -DSAT_SIMT -DSAT_WITH_CUDA=1 -DSAT_WITH_LAB=1 -fno-exceptions -fno-rtti -fno-strict-aliasing -Itests/simt
    -Isrc/lib -Isrc/lab/lib "-I$work/kernels" -x c++)
kernels=() others=()
for object in $(make -s B="$B" simt-objects); do
    case $object in */kernels/*) kernels+=("$object") ;; *) others+=("$object") ;; esac
done
"$CXX" -shared -Wl,--strip-debug "${kernels[@]}" -o "$work/libkernels.so" &&
    "$CXX" "${others[@]}" "$work/libkernels.so" -pthread -lm -o "$work/check" || exit 1

# launched SUBJECT TARGET CASE - the kernels that the case launches where nothing is broken, as a definition of chosen[].
launched() {
    rm -f "$work/names"
    SAT_SIMT_NAMES=$work/names "$B/simt/check" --jobs 0 --case "$1:$3" --only "$2" >"$work/unbroken" 2>&1 || return
    echo 'constexpr const char *chosen[] = {'
    sed 's/.*/    R"name(&)name",/' "$work/names"
    echo '};'
}

# build UNIT [FLAG] - the unit of the broken kernels.
build() { "$CXX" "${flags[@]}" "${@:2}" "$work/kernels/$1" -x none -shared -o "$work/mutant.so" >"$work/said" 2>&1; }

# caught SUBJECT TARGET CASE - does this case fail?  class is the fault's, and $work/said what was printed.  A harness that
# reports no failed test has died: no class of a mutant.
caught() {
    ! LD_PRELOAD=$work/mutant.so "$work/check" --jobs 0 --case "$1:$3" --only "$2" >"$work/said" 2>&1 || return
    class=$(sed -n 's/^# simt: \([a-z ]*\):.*/\1/p' "$work/said" | head -1)
    [ -n "$class" ] || if grep -q '^# FAIL' "$work/said"; then class=wrong; else class=died; fi
}

# report NUMBER NAME WHAT - a mutant that was not caught as it should be, with what was printed.
report() {
    echo "not ok $1 - mutant $2 $3"
    head -12 "$work/said" | sed 's/^/# /'
    bad=1
}

# one NUMBER NAME FILE SED UNIT SUBJECT TARGET CASE CLASSES
one() {
    local number=$1 name=$2 file=$3 sed=$4 unit=$5 subject=$6 target=$7 first=$8 classes=$9 k class=''
    rm -rf "$work/kernels" && cp -r kernels "$work/kernels" && sed -i "$sed" "$work/kernels/$file" && : >"$work/said" || return
    if cmp -s "kernels/$file" "$work/kernels/$file"; then
        report "$number" "$name" "changes nothing: the sed command changes nothing in $file"
        return
    fi
    k=$first
    if ! launched "$subject" "$target" "$k" >"$work/chosen.h"; then
        cp "$work/unbroken" "$work/said"
        report "$number" "$name" "is not tried: case $k of $subject fails where nothing is broken"
        return
    fi
    if ! build "$unit" -DSIMT_CHOSEN="\"$work/chosen.h\""; then
        report "$number" "$name" "does not compile or link"
        return
    fi
    if ! caught "$subject" "$target" "$k" || [ "$class" = "not compiled" ]; then
        if ! build "$unit"; then
            report "$number" "$name" "does not compile or link with all kernels"
            return
        fi
        for ((k = 0; k < CASES; k++)); do
            ! caught "$subject" "$target" "$k" || break
        done
    fi
    if [ "$k" = "$CASES" ]; then
        report "$number" "$name" "escapes $CASES cases of $subject"
    elif [[ ,$classes, != *,"$class",* ]]; then
        report "$number" "$name" "caught as $class, not $classes"
    else
        echo "ok $number - mutant $name caught: $class, $target, case $k of $subject"
        [ "$k" = "$first" ] || echo "# mutants.def has case $first: all kernels were compiled for it"
    fi
}

n=0 tried=0 bad=0
while IFS='|' read -r name file sed unit run classes; do
    for field in name file sed unit run classes; do
        declare -n value=$field
        value=${value#"${value%%[! ]*}"} value=${value%"${value##*[! ]}"}
    done
    case $name in '' | '#'*) continue ;; *"$word"*) ;; *) continue ;; esac
    n=$((n + 1))
    [ $((n % ${share#*/})) = $((${share%/*} % ${share#*/})) ] || continue
    tried=$((tried + 1))
    read -r subject target first <<<"$run"
    one "$tried" "$name" "$file" "$sed" "$unit" "$subject" "$target" "$first" "$classes"
done <tests/simt/mutants.def
echo "1..$tried"
[ "$tried" != 0 ] || bad=1 # a list that is empty, or that cannot be read
exit "$bad"
