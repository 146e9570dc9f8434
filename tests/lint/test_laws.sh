#!/bin/bash
# The design's laws, each a search of the sources that must find nothing.  CONTRIBUTING.md gives the reasons.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

# The sources without their comments, each line still at its number, so that laws look at code only.
for f in $(tracked 'src/*.c' 'src/*.h' 'src/*.def' 'kernels/*' 'python/src/*'); do
    mkdir -p "$tree/${f%/*}"
    awk 'BEGIN { RS = "^$" } {
        n = length($0); out = ""; state = ""
        for (i = 1; i <= n; i++) {
            c = substr($0, i, 1); two = substr($0, i, 2)
            if (state == "" && two == "/*") { state = "*"; i++; continue }
            if (state == "" && two == "//") { state = "/"; i++; continue }
            if (state == "*") { if (two == "*/") { state = ""; i++ } else if (c == "\n") out = out c; continue }
            if (state == "/") { if (c == "\n") { state = ""; out = out c } continue }
            if (state != "" && c == "\\") { out = out two; i++; continue }
            if (c == "\"" || c == "\047") state = state == "" ? c : state == c ? "" : state
            out = out c
        }
        printf "%s", out
    }' "$f" >"$tree/$f"
done
foreign() { tracked 'src/*' | grep -vE '\.(c|h|def)$'; }
try "src/ holds C alone" nothing foreign
foreign_kernels() { tracked 'kernels/*' | grep -vE '\.(cu|cuh)$'; }
try "kernels/ holds CUDA alone" nothing foreign_kernels
headless() { # the parts of the block that opens each kernel's file; "the kernels of x.cu" has those of x.cu beside it
    local f part of
    for f in $(tracked 'kernels/*.cu' | grep -v '^kernels/device.cu$'); do
        of=$(sed -n '1s/.* - the kernels of \([a-z_]*\.cu\) for .*/\1/p' "$f")
        [ -z "$of" ] || [ ! -f "${f%/*}/$of" ] || continue
        for part in Idea Paper Layout Launch Traffic Sync Limits Steps; do
            awk -v part="$part" 'index($0, part) { found = 1 } /\*\// { exit } END { exit !found }' "$f" || echo "$f: no $part"
        done
    done
}
try "each kernel's file opens with its idea, paper, layout, launch, traffic, sync, limits and steps" nothing headless
cd "$tree" || exit 1

# outside_includes DIRS ALLOWED-HEADERS... - #include "x" lines of DIRS that name another header.
outside_includes() {
    local dirs=$1 allowed
    shift
    allowed=$(printf '%s\n' "$@" | sed 's/\./\\./g' | paste -sd'|')
    # shellcheck disable=SC2086 # a list of directories
    grep -rnE '^ *# *include *"' $dirs | grep -vE "\"($allowed)\""
}
names() { printf "%s\n" "${@##*/}"; }
calls() { grep -rnE "(^|[^A-Za-z0-9_>.])($1) *\(" "${@:2}"; }

try "src/ sees no CUDA header" nothing grep -rniE '# *include.*(cuda|cub/|nv_|npp)' src
try "src/ calls no CUDA function" nothing grep -rnE '\b(cuda|cu)[A-Z][A-Za-z0-9]* *\(|__(global|device|host|shared)__|<<<' src
try "the library includes only its own headers" \
    nothing outside_includes "src/lib src/cpu" $(names src/lib/*.[hd]* src/cpu/*.h) $(printf "statistics/%s\n" $(names src/lib/statistics/*))
try "src/lib includes nothing of src/cpu" nothing outside_includes src/lib $(names src/lib/*.[hd]*) $(printf "statistics/%s\n" $(names src/lib/statistics/*))
try "src/io includes its own headers, sat.h, sized.h and c_numbers.h" nothing outside_includes src/io sat.h sized.h c_numbers.h $(names src/io/*.[hd]*)
try "the command knows table files through sat_file.h alone" nothing grep -rnE '"table_[a-z]*\.h"' src/cli src/lab
try "src/cli includes its own headers, those of io, and the public ones but the laboratory's" \
    nothing outside_includes src/cli $(names src/lib/sat*.h) $(names src/io/*.h src/cli/*.[hd]*)
try "src/lab includes its own headers, those of cli and io, and the public ones" \
    nothing outside_includes "src/lab/*.?" $(names src/lib/sat*.h src/lab/lib/sat*.h src/io/*.h src/cli/*.[hd]* src/lab/*.[hd]*)
try "src/lab/lib includes its own headers, and those of lib and cpu" \
    nothing outside_includes src/lab/lib $(names src/lab/lib/*.[hd]* src/lib/*.h src/cpu/*.h)
try "the Python package includes its own headers and the public ones" \
    nothing outside_includes python/src $(names src/lib/sat*.h src/io/sat_file.h python/src/*.h)
names_lab() { grep -rnE 'SAT_WITH_LAB|"sat_lab\.h"|lab/' src/lib src/cpu src/io src/cli | grep -vE '^src/(lib/backends|cli/commands)\.def:'; }
try "the product names the laboratory in the tables of backends and commands alone" nothing names_lab
# The command computes nothing.  It hands samples on: whoever reads them has a pointer to a type of samples, made from the
# data of a view or an image.  What is left are numbers on their way from text and to it.
TEXTS='number|answers|progress|rounding'
samples() {
    grep -rnE '\((const )?(u?int(8|16|32|64)_t|float|double) \*\)' src/cli
    grep -rnE '(\.|->)data *[[+]|\* *\(?[a-z_]*(\.|->)data\b|(mem(cpy|move)|(u?int(8|16|32|64)_t|float|double) \*[^,;]*=)[^;]*(\.|->)data\b' src/cli
}
mathematics() { grep -rnE '# *include *<(math|tgmath|complex|fenv)\.h>' src/cli | grep -vE "^src/cli/($TEXTS)\.c:"; }
wide_integers() { grep -rnE '__u?int128' src/cli | grep -vE '^src/cli/number\.c:'; }
try "the command reads no samples" nothing samples
try "the command needs mathematics for the texts of numbers alone" nothing mathematics
try "the command needs integers of 128 bits for the texts of numbers alone" nothing wide_integers
try "the library prints nothing" nothing calls 'printf|fprintf|vfprintf|puts|fputs|putchar|perror|write' src/lib src/cpu src/lab/lib
# machine.c asks the kernel how large the cache is.
try "the library opens no file" \
    nothing calls 'fopen|open|openat|read|mmap' src/lib src/lab/lib $(find src/cpu -type f ! -name machine.c)
try "memory of plans, filters, queries and scans is taken from their arena" \
    nothing calls 'malloc|calloc|realloc|aligned_alloc|posix_memalign|free|device_alloc|device_free' src/cpu src/lab/lib \
    $(find src/lib -name '*.[ch]' | grep -vE '/(arena|shape|device|pool)\.c') kernels/{table,box,query,lab,peer}
# A build to be checked may read one (tests/gpu/run.sh).
environment() {
    local f
    find src/lib src/cpu src/lab/lib kernels -type f | while read -r f; do
        sed '/^#ifdef SAT_CHECKED/,/^#\(else\|endif\)/d' "$f" | grep -nE '(^|[^a-z_])(secure_)?getenv *\(' | sed "s|^|$f:|"
    done
}
try "the library reads no environment" nothing environment
try "neither the library nor io ends the process" nothing calls 'exit|abort|assert|_Exit|quick_exit|err|errx' src/lib src/cpu src/lab/lib \
    $(find src/io -name "*.c" ! -name "stb*")
try "io prints nothing" nothing calls 'printf|vprintf|puts|putchar|perror' src/io
try "the library mentions neither stdout nor stderr" nothing grep -rnwE 'stdout|stderr' src/lib src/cpu src/lab/lib

# The device's primitives stand in prim/device.cuh, for which the simulator has its own; the host's in prim/runtime.cuh
# and device.cu.  kernels/peer/ calls other libraries.
ours() { find kernels -type f ! -path 'kernels/peer/*' "$@"; }
kernels() { ours ! -path kernels/device.cu ! -path kernels/prim/device.cuh ! -path kernels/prim/runtime.cuh; }
in_kernels() { # WORDS - in the code, strings and compiler's builtins aside
    local f
    for f in $(kernels); do sed -E 's/"[^"]*"//g; s/__builtin_[a-z_]*//g' "$f" | grep -nE "$1" | sed "s|^|$f:|"; done
}
words() { echo "(^|[^A-Za-z0-9_])($1)([^A-Za-z0-9_]|\$)"; }
try "kernels use threads, barriers, shuffles and atomics through prim/device.cuh" nothing in_kernels \
    "$(words '__[a-z][a-z0-9_]*|(threadIdx|blockIdx|blockDim|gridDim|warpSize)|atomic[A-Z][A-Za-z]*|volatile|asm|clock|clock64')"
try "kernels call the CUDA runtime through prim/runtime.cuh" nothing in_kernels "$(words 'cuda[A-Z][A-Za-z0-9_]*')|<<<"
headers() { # FOLDERS - of kernels/, as they are included; . is kernels/ itself
    local folder f
    for folder in "$@"; do
        for f in kernels/"$folder"/*.cuh; do f=${f#kernels/}; echo "${f#./}"; done
    done
}
# kernel_floor FOLDER OTHERS... - its files include its own headers, those of the other folders, and the library's.
kernel_floor() {
    local files
    files=$(ours -path "kernels/$1/*" | tr '\n' ' ')
    try "kernels/$1 includes its own headers${2:+, those of ${*:2}}, and the library's" nothing outside_includes "$files" \
        $(headers "$@") $(names src/lib/*.h src/lib/*.def src/lab/lib/*.h) device.h runtime.h
}
kernel_floor box prim .
kernel_floor query prim .
kernel_floor table prim box window .
kernel_floor window prim box .
kernel_floor lab prim table .
prim_alone() { outside_includes "$(echo kernels/prim/*)" $(headers prim) backend.h tuning.cuh device.h runtime.h; }
try "kernels/prim includes its own headers, tuning.cuh and backend.h alone" nothing prim_alone
own_floor() { outside_includes "$(ours -maxdepth 1 | tr '\n' ' ')" $(headers . prim query) $(names src/lib/*.h src/lab/lib/*.h); }
try "kernels/ itself includes the headers of prim and query alone" nothing own_floor
simulated_sizes() { grep -rnw SAT_SIMT kernels | grep -vE "^kernels/(tuning|prim/device|prim/runtime)\.cuh:"; }
try "sizes of the simulator stand in kernels/tuning.cuh" nothing simulated_sizes
try "kernels use no C++ runtime" nothing grep -nE \
    '# *include *<(algorithm|array|atomic|chrono|cstd[a-z]*|functional|i?o?stream|map|memory|mutex|new|s?stream|string|thread|vector)>' $(ours)
try "kernels open and print nothing" nothing calls 'fopen|fread|fwrite|openat|mmap|printf|fprintf|puts|fputs|putchar|perror' $(ours)
try "kernels do not end the process" nothing calls 'exit|abort|assert|_Exit|quick_exit|__trap' $(ours)

# Templates are plain code that is included once for each type; macros stay short.
continued() { awk '/\\$/ { n++ } END { print n + 0 }' src/cpu/*; }
long_macros() {
    find src -name '*.[ch]' -o -name '*.def' | sort | xargs awk '
        FNR == 1 { n = 0 } { n++ } !/\\$/ { if (n > 15) print FILENAME ":" FNR - n + 1 ": " n " lines"; n = 0 }'
}
few_continued() { [ "$(continued)" -le 150 ] || { echo "$(continued) lines of src/cpu end in a backslash"; return 1; }; }
try "no macro is longer than 15 lines" nothing long_macros
try "at most 150 lines of src/cpu end in a backslash" few_continued

# An entry of a table stands in one file of its own: elsewhere no code may know its name.  A method's two descriptors, for
# tables and for one array, have one name and stand in one file, or in NAME.c and NAME_....c.
ids() { sed -n 's/^[A-Z_]*(\([a-z0-9_]*\)).*/\1/p' "$1" | sort -u; }
# owner PATTERN - the one file that defines what the pattern names.
owner() { grep -rlE "$1" src kernels 2>/dev/null | tr '\n' ' '; }
one_owner() { set -- "$(owner "$1")"; [ "$(wc -w <<<"$1")" = 1 ] || { echo "defined in: ${1:-no file}"; return 1; }; }
# strangers NAME ID PREFIX OWN-FILES - uses of it outside its own file, NAME.c, and NAME_....c.
strangers() {
    grep -rnE "\"$1\"|\b$3$2\b" src kernels --include='*.c' --include='*.h' --include='*.cu' --include='*.cuh' |
        grep -vE "^($4):"
}
# name_of TYPE ID FILE - the .name that the descriptor in FILE gives.
name_of() { sed -nE '/const '"$1 [a-z_]*$2"' = \{/,/\};/ s/.*\.name = "([^"]*)".*/\1/p' "$3" | head -1; }

entries() { # KIND TYPE PREFIX TABLE
    local id file name
    for id in $(ids "$4"); do
        try "$1 $id is defined in one file" one_owner "const $2 $3$id = "
        file=$(owner "const $2 $3$id = ")
        file=${file%% *}
        [ -n "$file" ] || continue
        name=$(name_of "$2" "$3$id" "$file")
        [ -n "$name" ] || name=${id//_/-}
        try "$1 $name is named in its own file alone" nothing strangers "$name" "$id" "$3" "$file|src/[a-z/]*/${id}(_[a-z]*)?\\.c"
    done
}
# A statistic of rectangles is a file of formulas; no code names it.
rect_statistics() {
    local ids
    ids=$(sed -nE 's|.*statistics/([a-z0-9_]*)\.def.*|\1|p' src/lib/rect_statistics.def | paste -sd'|')
    grep -rnE "\"($ids)\"|\bSAT_RECT_($ids)\b" src/lib src/cpu kernels | grep -v "^src/lib/statistics/"
}
try "no code names a statistic of rectangles" nothing rect_statistics
entries backend sat_backend sat_backend_ src/lib/backends.def
entries scan sat_scan_method sat_scan_ src/lab/lib/scans.def
entries border sat_border sat_border_ src/lib/borders.def
entries format image_format format_ src/io/formats.def
entries command command command_ src/cli/commands.def
finish
