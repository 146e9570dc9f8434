#!/bin/bash
# The floors of CONTRIBUTING.md: a file of src/ includes and calls what is on its own floor or below, and none needs itself
# by way of others; X.c and X.h are one.  Descriptors, which tables name, are data and no calls.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
: "${B:=build}"

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mapfile -t sources < <(tracked 'src/*.c')
mapfile -t headers < <(tracked 'src/*.h')

# included - "A B": A includes a header of B, from its own folder or another.
included() {
    grep -HE '^ *# *include *"[^"]*\.h"' "${sources[@]}" "${headers[@]}" | awk -F: -v headers="${headers[*]}" '
        BEGIN { split(headers, list, " "); for (i in list) is[list[i]] = 1; n = split("src/lib/ src/io/ src/cli/ src/cpu/ src/lab/lib/ src/lab/", path, " ") }
        {
            name = $2; sub(/^[^"]*"/, "", name); sub(/".*/, "", name)
            from = $1; sub(/\.[ch]$/, "", from)
            path[0] = $1; sub(/[^\/]*$/, "", path[0])
            for (i = 0; i <= n; i++) if (path[i] name in is) { to = path[i] name; sub(/\.h$/, "", to); print from, to; break }
        }'
}
# called - "A B": A calls a function that B defines, by the objects that were built.
called() {
    local objects f
    objects=$B/obj/$(cat "$B/flags")
    for f in "${sources[@]}"; do [ ! -f "$objects/${f%.c}.o" ] || echo "$objects/${f%.c}.o"; done | xargs nm -A |
        sed "s|^$objects/||; s|\.o:| |" | awk '
            $(NF - 1) == "T" { home[$NF] = $1 }
            $(NF - 1) == "U" { needs[++n] = $1 " " $NF }
            END { for (i = 1; i <= n; i++) { split(needs[i], w); if (w[2] in home) print w[1], home[w[2]] } }'
}
# circles ARROWS - what tsort(1) says of them.
circles() { awk '$1 != $2' "$1" | LC_ALL=C tsort 2>&1 >/dev/null | sed 's/^tsort: //'; }
# upward ARROWS - those that no floor has.
upward() {
    awk 'function floor(path) { sub(/^src\//, "", path); sub(/\/[^\/]*$/, "", path); return path }
         BEGIN { split("lib:lib cpu:cpu cpu:lib io:io io:lib cli:cli cli:io cli:lib lab/lib:lab/lib lab/lib:cpu lab/lib:lib " \
                       "lab:lab lab:cli lab:io lab:lab/lib lab:lib", a, " ")
                 for (i in a) down[a[i]] = 1 }
         !(floor($1) ":" floor($2) in down)' "$1"
}
knows() { grep -qx "$1" "$2"; }

included >"$dir/included"
called >"$dir/called"
try "the arrows of includes are seen" knows "src/lab/cmd_bench src/cli/messages" "$dir/included"
try "the arrows of calls are seen" knows "src/lib/plan src/lib/sized" "$dir/called"
for arrows in included called; do
    try "no arrow goes up to another floor: $arrows" nothing upward "$dir/$arrows"
    try "no arrows make a circle: $arrows" nothing circles "$dir/$arrows"
done
finish
