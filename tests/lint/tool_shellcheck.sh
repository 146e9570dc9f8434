#!/bin/bash
# All scripts pass shellcheck.  Left out: sourced files and what they define (SC1091, SC2154); lists of names that
# hold no spaces (SC2046).
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

for f in $(tracked '*.sh' '*.bats' '*.bash' .ci/run); do
    try "$f" shellcheck --severity=warning --exclude=SC1091,SC2046,SC2154 "$f"
done
finish
