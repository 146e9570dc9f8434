#!/bin/bash
# Words: no stand-in for a noun (words.py) in the public headers, the README, CONTRIBUTING.md and the documents of the
# product; how many are left, file by file, in the comments of src and kernels.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

mapfile -t strict < <(tracked README.md CONTRIBUTING.md 'docs/*.md' 'src/lib/sat*.h' 'src/io/sat*.h' 'src/lab/lib/sat*.h' | grep -vE '^docs/(bench|lab)/')
mapfile -t others < <(tracked 'src/*.[ch]' 'kernels/*' | grep -vxF "$(printf '%s\n' "${strict[@]}")")

finds() { python3 tests/lint/words.py <(echo '/* The rows of which those that count are such. */') | grep -c 'those that' | grep -qx 1; }
left() { python3 tests/lint/words.py "${others[@]}" | cut -d: -f1 | uniq -c | sort -rn | awk '{ n += $1; print "# " $1, $2 } END { print "# " n " in all" }'; }

try "a stand-in is found" finds
try "public headers, README, CONTRIBUTING.md and docs say the noun" nothing python3 tests/lint/words.py "${strict[@]}"
left
finish
