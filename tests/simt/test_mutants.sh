#!/bin/bash
# test_mutants.sh [WORD] - breaks the kernels, one at a time (mutants.def), and sees the simulator catch each.  TAP.
#
# Only the .cu that shows the fault is compiled anew; it is linked before the others' objects, whose copies of the
# changed functions the linker then drops.  WORD: only mutants whose name holds it.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build} CXX=${SIMT_CXX:-g++} CASES=${CASES:-150}
export B
work=$(mktemp -d) || exit 1
export work
trap 'rm -rf "$work"' EXIT

# The first lines of a text, as a comment of TAP.
head_of() { head -12 <<<"$1" | sed 's/^/# /'; }

# one NUMBER NAME FILE SED UNIT "SUBJECT TARGET" CLASSES - prints one TAP line.
one() {
    local dir=$work/$1 name=$2 file=$3 sed=$4 unit=$5 subject=${6% *} target=${6#* } classes=$7 k out class objects o
    mkdir -p "$dir" && cp -r kernels "$dir/kernels" || return
    sed -i "$sed" "$dir/kernels/$file"
    if cmp -s "kernels/$file" "$dir/kernels/$file"; then
        echo "not ok $1 - mutant $name: the sed command changes nothing in $file"
        return
    fi
    # shellcheck disable=SC2086 # flags
    if ! out=$($CXX $SIMT_MUTANT_FLAGS -Itests/simt -Isrc/lib -I"$dir/kernels" -x c++ -c "$dir/kernels/$unit" -o "$dir/unit.o" 2>&1); then
        echo "not ok $1 - mutant $name: does not compile"
        head_of "$out"
        return
    fi
    objects=()
    for o in $SIMT_CHECK_OBJECTS; do
        case $o in */kernels/"${unit%.cu}".o) ;; *) objects+=("$o") ;; esac
    done
    if ! out=$($CXX "$dir/unit.o" "${objects[@]}" -pthread -lm -o "$dir/check" 2>&1); then
        echo "not ok $1 - mutant $name: does not link"
        head_of "$out"
        return
    fi
    for ((k = 0; k < CASES; k++)); do
        out=$("$dir/check" --jobs 0 --case "$subject:$k" --only "$target" 2>&1) && continue
        class=$(sed -n 's/^# simt: \([a-z ]*\):.*/\1/p' <<<"$out" | head -1)
        case ",$classes," in
        *,"${class:-wrong}",*)
            echo "ok $1 - mutant $name caught: ${class:-wrong}, $target, case $k of $subject"
            ;;
        *)
            echo "not ok $1 - mutant $name caught as ${class:-wrong}, not $classes"
            head_of "$out"
            ;;
        esac
        rm -rf "$dir"
        return
    done
    echo "not ok $1 - mutant $name escapes $CASES cases of $subject"
    rm -rf "$dir"
}
export -f head_of one

# What the Makefile fragment would use, but quicker to compile than to run.
SIMT_CHECK_OBJECTS=$(make -s -f tests/simt/simt.mk B="$B" simt-objects) || exit 1
SIMT_MUTANT_FLAGS="-std=c++20 -O0 -w -DSAT_SIMT -DSAT_WITH_CUDA=1 -fno-exceptions -fno-rtti -fno-strict-aliasing"
export SIMT_CHECK_OBJECTS SIMT_MUTANT_FLAGS CXX CASES

n=0
while IFS='|' read -r name file sed unit run classes; do
    case $name in '' | '#'*) continue ;; *"${1:-}"*) ;; *) continue ;; esac
    n=$((n + 1))
    for field in name file sed unit run classes; do
        declare -n value=$field
        value=${value#"${value%%[! ]*}"} value=${value%"${value##*[! ]}"}
    done
    printf '%s\0' "$n" "$name" "$file" "$sed" "$unit" "$run" "$classes"
done <tests/simt/mutants.def >"$work/list"
xargs -0 -n 7 -P "${JOBS:-2}" bash -c 'one "$@"' one <"$work/list" | tee "$work/tap"
n=$(tr -cd '\0' <"$work/list" | wc -c)
echo "1..$((n / 7))"
! grep -q '^not ok' "$work/tap"
