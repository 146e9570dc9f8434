#!/bin/bash
# What the library shows to a linker.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
: "${B:=build}"

exported() { nm -D --defined-only "$B/libsat.so" | awk '{ print $NF }'; }
declared() { sed -nE 's/^SAT_API .*[ *](sat_[a-z0-9_]+)\(.*/\1/p' src/lib/sat.h src/lib/sat_lab.h | sort; }
other_prefix() { "$@" | grep -v '^sat_'; }
archived() { nm -g --defined-only "$B/libsat.a" | awk 'NF == 3 { print $3 }'; }
as_declared() { diff <(declared) <(exported | sort); }
soname() {
    readelf -d "$B/libsat.so" | grep -qE "SONAME.*\[libsat\.so\.[0-9]+\.[0-9]+\]" || readelf -d "$B/libsat.so"
}

try "libsat.so exports only names with sat_" nothing other_prefix exported
try "libsat.so exports what sat.h and sat_lab.h declare, and nothing else" as_declared
try "libsat.a has no global name without sat_" nothing other_prefix archived
try "libsat.so carries its soname" nothing soname
finish
