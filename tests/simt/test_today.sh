#!/bin/bash
# test_today.sh - the check harness in the simulator with the seed of today.  TAP.
#
# SAT_SIMT_DAY=20261121 repeats a day; what fails prints its own replay line besides.
cd "$(dirname "$0")/../.." || exit 1
day=${SAT_SIMT_DAY:-$(date -u +%Y%m%d)}
echo "# seed $day"
exec "${B:-build}/simt/check" --seed "$day" --jobs "${SUITE_JOBS:-1}" --only brute-force --only scans --only block-shapes --only range
