#!/bin/bash
# All scripts pass shellcheck.  Left out: sourced files (SC1091); lists of names that hold no spaces (SC2013, SC2046).
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

for f in $(tracked '*.sh' '*.bats' '*.bash' .ci/run); do
    try "$f" shellcheck --exclude=SC1091,SC2013,SC2046 "$f"
done
finish
