#!/bin/bash
# The console blocks of the README and of docs/ladder.md print what they say; links of all documents resolve, to headings too.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
: "${B:=build}"
root=$PWD
case $B in /*) bin=$B ;; *) bin=$root/$B ;; esac

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
ln -s "$root/data" "$root/docs" "$dir/"

block() { awk '/^```console$/ { on = 1; next } /^```$/ { on = 0 } on' "$@"; }
says() { # COMMAND EXPECTED
    local out
    out=$(cd "$dir" && PATH=$bin:$PATH bash -c "$1" 2>&1) || { echo "status $?: $out"; return 1; }
    diff <(echo "$2") <(echo "$out")
}
# anchors FILE - those of its headings, as GitHub makes them: lower case, hyphens for spaces, no punctuation.
anchors() {
    awk '/^```/ { code = !code } !code && /^#+ /' "$1" | sed -E 's/^#+ +//; s/\[([^]]*)\]\([^)]*\)/\1/g' |
        tr '[:upper:] ' '[:lower:]-' | sed 's/[^a-z0-9_-]//g'
}
dead_links() { # to files, and to headings of Markdown files
    local file link path
    for file in $(tracked '*.md'); do
        for link in $(awk '/^```/ { code = !code } !code' "$file" | grep -oE '\]\([^)]+' | sed 's/^](//' | grep -vE '^https?:'); do
            path=${link%%#*}
            path=${path:+$(dirname "$file")/$path}
            [ -e "${path:-$file}" ] || { echo "$file: $link: no such file"; continue; }
            [ "$link" = "${link#*#}" ] || anchors "${path:-$file}" | grep -qxF "${link#*#}" || echo "$file: $link: no such heading"
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
done < <(block README.md docs/ladder.md; echo "$ ")
# from HEADING FILE - the file from there to the next heading of that rank.
from() { awk -v heading="$1" '$0 == heading { on = 1; print; next } on && /^#/ && $1 == substr(heading, 1, index(heading, " ") - 1) { exit } on' "$2"; }
compares() { # with the tools that it is taken for
    local tool
    for tool in OpenCV NPP vips; do
        from "## When to use something else" README.md | grep -q "^| $tool | [^|]* | [^|]* |$" || { echo "no row of $tool"; return 1; }
    done
}
explains_blanks() { # before the first cell of a table's number that is blank
    from "# Speed" docs/speed.md | awk '/^\*\*A blank cell\*\*/ { said = 1 } /^\|.*[0-9].*\| *\|/ { print; exit !said }'
}
makes_its_picture() { # make demo, by the command above the picture
    local command
    command=$(sed -nE 's/^\| .* \| `sat (data.*) -o blurred.png` \|$/\1/p' README.md)
    [ -n "$command" ] && tr -d '\t' <Makefile | grep -qxF "\$(B)/sat $command -o \$(B)/demo.png"
}
has_versions() { # of the compilers, and of all that the tool is linked with, by upstream's names
    local name
    for name in gcc clang nvcc glibc ISA-L libdeflate xxHash stb libjpeg-turbo libtiff; do
        from "## Versions" docs/install.md | grep -qE "^\| $name \| [0-9][^|]* \| [^|]+ \|$" || { echo "no row of $name"; return 1; }
    done
}
installs_at_home() { # by the line for those without root
    local line
    line=$(from "## Without root" docs/install.md | grep -m1 -xF 'make install PREFIX="$HOME/.local"') &&
        env HOME="$dir" B="$B" sh -c "$line" >"$dir/log" 2>&1 || { cat "$dir/log"; return 1; }
    [ -s "$dir/.local/share/man/man1/sat.1" ] && "$dir/.local/bin/sat" --version | grep -q '^sat '
}
try "make demo makes the picture of the README" makes_its_picture
try "it says when to use something else" compares
try "docs/speed.md says what a blank cell means before it has one" explains_blanks
try "docs/install.md has the least versions of compilers and libraries" has_versions
try "its line for an install without root works" installs_at_home
try "the README has 200 lines at most" [ "$(wc -l <README.md)" -le 200 ]

lists_headers() { # in a row of its table, each public one
    local header
    for header in src/lib/sat*.h src/io/sat*.h src/lab/lib/sat*.h; do
        grep -qE "^\| \[${header##*/}\]\(\.\./$header\) \| [^|]+ \|$" docs/library.md || { echo "no row of $header"; return 1; }
    done
}
try "docs/library.md has a row of each public header" lists_headers
try "the README has commands" [ "$tests" -ge 5 ]
try "no link is dead" nothing dead_links
finish
