#!/bin/bash
# The README's console blocks print what the README says, and its links lead somewhere.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
: "${B:=build}"
root=$PWD
case $B in /*) bin=$B ;; *) bin=$root/$B ;; esac

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
ln -s "$root/data" "$dir/data"

block() { awk '/^```console$/ { on = 1; next } /^```$/ { on = 0 } on' README.md; }
says() { # COMMAND EXPECTED
    local out
    out=$(cd "$dir" && PATH=$bin:$PATH bash -c "$1" 2>&1) || { echo "status $?: $out"; return 1; }
    diff <(echo "$2") <(echo "$out")
}
dead_links() {
    local file link
    for file in $(tracked '*.md'); do
        for link in $(grep -oE '\]\([^)#]+' "$file" | sed 's/^](//' | grep -v '^http'); do
            [ -e "$(dirname "$file")/$link" ] || echo "$file: $link"
        done
    done
}

command='' expected=''
while IFS= read -r line; do
    if [ "${line:0:2}" = "$ " ]; then
        [ -z "$command" ] || try "$command" says "$command" "$expected"
        command=${line:2} expected=
    else
        expected+=${expected:+$'\n'}$line
    fi
done < <(block; echo "$ ")
try "the README has commands" [ "$tests" -ge 5 ]
try "no link is dead" nothing dead_links
finish
