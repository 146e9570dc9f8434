#!/bin/bash
# run.sh [PLANT...] - applies one fault (NAME.patch) at a time to a copy of the tree, and runs the command after
# `Caught-by:`, which has to fail, and to name the test that did or the Python module that could not be imported.
#
# The copy's build is kept, so that only what a patch changes is compiled again.
#
#   B=DIR   the copy is DIR/plants, by default build/plants
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tree=$(realpath -m "${B:-build}/plants")
mkdir -p "$tree"
unset B
export GIT_CEILING_DIRECTORIES=${tree%/*} # the copy is no part of this checkout

copies() { git ls-files -z --cached --others --exclude-standard | xargs -0 cp -pu --parents -t "$tree" --; }
caught() { # PLANT
    local plant=tests/plants/$1.patch by status
    by=$(sed -n 's/^Caught-by: //p' "$plant")
    [ -n "$by" ] || { echo "no line 'Caught-by:' in $plant"; return 1; }
    git -C "$tree" apply "$plant" || return 1
    (cd "$tree" && bash -c "$by") >"$tree/said" 2>&1 </dev/null
    status=$?
    git -C "$tree" apply -R "$plant" || return 1
    if [ $status = 0 ] || ! grep -qE '^---- .*failed|^not ok|^# not ok|(ModuleNotFound|Import)Error' "$tree/said"; then
        echo "status $status of: $by"
        tail -20 "$tree/said"
        return 1
    fi
    echo "#     by $(grep -m1 -E '^(# )?not ok|(ModuleNotFound|Import)Error|^---- ' "$tree/said")" >&3
}

exec 3>&1
try "a copy of the tree" copies
[ $# != 0 ] || set -- $(for f in tests/plants/*.patch; do basename "$f" .patch; done)
for plant in "$@"; do try "$plant: $(head -1 "tests/plants/$plant.patch")" caught "$plant"; done
finish
