#!/bin/bash
# check_changed.sh - the harness in the simulator for the kernels' files that $B/kernels.changed lists (changed.sh).  TAP.
#
# For a file that names targets of the harness, one case in eight of these; for one that all share, one case in forty of
# every target.  The cases are those of `make check`, so that what fails here fails there.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build} bad=0

mapfile -t changed < <(cut -d' ' -f1 "$B/kernels.changed")
if [ ${#changed[@]} = 0 ]; then
    echo "1..0 # SKIP no kernel has changed"
    exit
fi
# A line for each compilation: to compile all kernels takes minutes, and what prints nothing for so long hangs (run.sh).
make B="$B" "$B/simt/check" | sed -u 's/^/# /' || exit 1
for unit in "${changed[@]}"; do
    words=() source=$(find kernels -name "$unit.cu")
    for target in $("$B/simt/check" --list | awk '!seen[$1]++ { print $1 }'); do
        ! grep -q "\"$target\"" "$source" || words+=(--only "$target")
    done
    echo "# $unit"
    "$B/simt/check" --jobs 1 --stride $((${#words[@]} ? 8 : 40)) "${words[@]}" || bad=1
done
exit $bad
