#!/bin/bash
# What the libraries show to a linker.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
: "${B:=build}"

exported() { nm -D --defined-only "$B/$1.so" | awk '{ print $NF }' | sort; }
declared() { # HEADER...
    awk '/^SAT_API/ { on = 1 } on { all = all " " $0 } /;/ { on = 0 } END { print all }' "$@" | grep -oE '[ *]sat_[a-z0-9_]+\(' | tr -d ' *(' | sort
}
other_prefix() { "${@:2}" | grep -v "^$1"; }
archived() { nm -g --defined-only "$B/$1.a" | awk 'NF == 3 { print $3 }'; }
as_declared() { diff <(declared "${@:2}") <(exported "$1"); }
soname() {
    readelf -d "$B/$1.so" | grep -qE "SONAME.*\[$1\.so\.[0-9]+\.[0-9]+\]" || readelf -d "$B/$1.so"
}
codecs() { readelf -d "$B/libsat_file.so" | grep NEEDED | grep -vE '\[(libsat\.so\.[0-9.]+|libxxhash\.so\.[0-9]+|libc\.so\.6|libpthread\.so\.0|ld-linux[^]]*)\]'; }

try "libsat.so exports only names with sat_" nothing other_prefix sat_ exported libsat
try "libsat.so exports what its public headers declare, and nothing else" as_declared libsat src/lib/sat*.h src/lab/lib/sat*.h
try "libsat.a has no global name without sat_" nothing other_prefix sat_ archived libsat
try "libsat.so carries its soname" nothing soname libsat
try "libsat_file.so exports what sat_file.h declares, and nothing else" as_declared libsat_file src/io/sat_file.h
try "libsat_file.a has no global name without sat_file_" nothing other_prefix sat_file_ archived libsat_file
try "libsat_file.so carries its soname" nothing soname libsat_file
try "libsat_file.so needs libsat and xxHash, and no codec" nothing codecs
finish
