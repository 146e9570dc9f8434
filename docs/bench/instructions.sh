#!/bin/bash
# instructions.sh OBJECT - the instructions of each kernel of an object that nvcc made, by cuobjdump: all of them, and
# some kinds.  NOP among them is what a warp's barrier has become.  A kernel without a loop executes each once.
set -eu -o pipefail
[ $# = 1 ] || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
cuobjdump -sass "$1" | awk '
    function put() {
        if (name == "") return
        printf "%s,%d", name, last
        for (k = 1; k <= kinds; k++) printf ",%d", count[last, kind[k]]
        print ""
    }
    BEGIN {
        kinds = split("NOP SHFL LDS STS ISETP SEL", kind)
        printf "kernel,instructions"
        for (k = 1; k <= kinds; k++) printf ",%s", kind[k]
        print ""
    }
    /Function :/ { put(); name = $3; n = last = 0; split("", count) }
    /^ +\/\*[0-9a-f]+\*\/ +[@A-Z]/ {
        op = $2
        if (op ~ /^@/) op = $3
        sub(/[.;].*/, "", op)
        if (op == "BRA") last = n # the last is a loop to itself, behind which there is padding
        n++
        for (k = 1; k <= kinds; k++) count[n, kind[k]] = count[n - 1, kind[k]] + (op == kind[k])
    }
    END { put() }'
