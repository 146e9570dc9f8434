#!/bin/bash
# Programs and libraries of different versions of the public headers go together: a program that was compiled with the headers of
# version 0.3 (growth/v0.3, which stay as they are) runs with a library whose structs have grown, and a program with grown structs
# runs with this library.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
: "${CC:=gcc}" "${B:=build}"

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

# The structs that may grow: sized.c names the last member of each, and an operation's file that of its spec.
structs=$(sed -nE 's/^SAT_NO_PADDING_BEHIND\(([a-z_]+), .*/\1/p; s/^SAT_FILTER\(([a-z_]+), .*/sat_\1_spec/p' src/lib/*.c src/lab/lib/*.c)

# grow FOLDER - adds a member to the end of each struct of its headers; one of bytes, which would fit into any padding.
grow() {
    local name
    for name in $structs; do
        sed -i "s/^} $name;/    unsigned char grown[24];\n&/" "$1"/{lib,lab/lib}/sat*.h
    done
    sed -i -E 's/^(SAT_NO_PADDING_BEHIND|SAT_FILTER)\(([a-z_]+), .*\)/\1(\2, grown)/' "$1"/{lib,lab/lib}/*.c
    [ "$(wc -w <<<"$structs")" -ge 18 ] &&
        [ "$(cat "$1"/{lib,lab/lib}/sat*.h | grep -c 'unsigned char grown\[24\]')" = "$(wc -w <<<"$structs")" ]
}
cp -r src "$tree/src" && chmod -R u+w "$tree"
try "each struct that may grow is in a public header" grow "$tree/src"

grown_library() {
    "$CC" -std=c11 -D_GNU_SOURCE -O0 -fPIC -fvisibility=hidden -shared -pthread -DSAT_WITH_LAB=1 -I"$tree/src/lib" -I"$tree/src/cpu" -I"$tree/src/lab/lib" \
        "$tree"/src/{lib,cpu,lab/lib}/*.c \
        -lm -o "$tree/grown.so"
}
program() { # HEADER LIBRARY [FLAG...]
    "$CC" -std=c11 -Wall -Wextra -Werror -fsanitize=address "${@:3}" -I"$1" tests/check/growth/caller.c "$2" \
        -Wl,-rpath,"$(realpath "$B")" -pthread -o "$tree/program" &&
        "$tree/program"
}
try "the library builds with grown structs" grown_library
try "a program of version 0.3 runs with this library" program tests/check/growth/v0.3 "$B/libsat.so"
try "a program of version 0.3 runs with a library whose structs have grown" program tests/check/growth/v0.3 "$tree/grown.so"
try "a program with grown structs runs with this library, which refuses members that it lacks" \
    program "$tree/src/lib" "$B/libsat.so" -DGROWN -I"$tree/src/lab/lib"
finish
