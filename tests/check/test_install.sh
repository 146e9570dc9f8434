#!/bin/bash
# make install, programs against what it installed, by pkg-config and by CMake, the README's example, make uninstall.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
: "${B:=build}"

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
dest=$dir/dest prefix=/opt/sat
root=$dest$prefix

installs() { make -s install B="$B" DESTDIR="$dest" PREFIX=$prefix; }
holds() {
    local f
    # shellcheck disable=SC2046 # names without blanks
    for f in bin/sat $(printf 'include/%s\n' $(basename -a src/lib/sat*.h src/io/sat*.h src/lab/lib/sat*.h)) \
        lib/libsat.a lib/libsat.so lib/libsat_file.a lib/libsat_file.so \
        lib/pkgconfig/sat.pc lib/pkgconfig/sat_file.pc lib/cmake/sat/satConfig.cmake \
        lib/cmake/sat/satConfigVersion.cmake share/man/man1/sat.1 \
        share/bash-completion/completions/sat share/zsh/site-functions/_sat share/fish/vendor_completions.d/sat.fish; do
        [ -s "$root/$f" ] || { echo "no $f"; return 1; }
    done
}
compiles_alone() { # without the folders of the sources
    local header
    for header in "$root"/include/*.h; do gcc -std=c11 -Wall -Wextra -Werror -fsyntax-only -x c "$header" || return; done
}
sonames() { # libsat.so -> libsat.so.N.N -> libsat.so.N.N.N
    local name
    for name in libsat libsat_file; do
        [[ $(readlink "$root/lib/$name.so") =~ ^$name\.so\.[0-9]+\.[0-9]+$ ]] &&
            [[ $(readlink "$root/lib/$(readlink "$root/lib/$name.so")") =~ ^$name\.so\.[0-9]+\.[0-9]+\.[0-9]+$ ]] || return
    done
}
flags_of() { PKG_CONFIG_SYSROOT_DIR=$dest PKG_CONFIG_PATH=$root/lib/pkgconfig pkg-config "$@"; }
flags() { flags_of "$@" sat; }
shared() {
    # shellcheck disable=SC2046 # flags
    gcc -std=c11 -Wall -Wextra -Werror examples/mean.c $(flags --cflags --libs) -o "$dir/mean" &&
        LD_LIBRARY_PATH=$root/lib "$dir/mean"
}
with_rpath() { # as docs/library.md says of a prefix of one's own
    # shellcheck disable=SC2046 # flags
    gcc -std=c11 -Wall -Wextra -Werror examples/mean.c $(flags --cflags --libs) -Wl,-rpath,"$root/lib" -o "$dir/mean-rpath" &&
        "$dir/mean-rpath"
}
static() {
    # shellcheck disable=SC2046 # flags
    gcc -std=c11 -Wall -Wextra -Werror examples/mean.c -I"$root/include" "$root/lib/libsat.a" \
        $(flags --libs --static | sed 's/-lsat//') -o "$dir/mean-static" && "$dir/mean-static"
}
device_table() { # without a GPU it says why not
    # shellcheck disable=SC2046 # flags
    gcc -std=c11 -Wall -Wextra -Werror examples/device_table.c $(flags --cflags --libs) -o "$dir/device-table" || return
    LD_LIBRARY_PATH=$root/lib "$dir/device-table" >"$dir/said" && grep -q '^the sum of all pixels is 7, by ' "$dir/said" ||
        grep -q '^no device: ' "$dir/said" || { cat "$dir/said"; return 1; }
}
device() {
    # shellcheck disable=SC2046 # flags
    gcc -std=c11 -Wall -Wextra -Werror examples/device.c $(flags --cflags --libs) -o "$dir/device" || return
    LD_LIBRARY_PATH=$root/lib "$dir/device" >"$dir/said" || grep -q '^no device: ' "$dir/said" || { cat "$dir/said"; return 1; }
    ! grep -q '^the mean' "$dir/said" || grep -q 'x=10 y=5 w=21 h=9 is 20$' "$dir/said"
}
file_shared() {
    # shellcheck disable=SC2046 # flags
    gcc -std=c11 -Wall -Wextra -Werror examples/table_file.c $(flags_of --cflags --libs sat_file) -o "$dir/file" &&
        LD_LIBRARY_PATH=$root/lib "$dir/file" "$dir/shared.npy"
}
file_static() {
    # shellcheck disable=SC2046 # flags
    gcc -std=c11 -Wall -Wextra -Werror examples/table_file.c -I"$root/include" -Wl,-Bstatic $(flags_of --libs sat_file) -Wl,-Bdynamic \
        $(flags_of --libs --static sat_file | sed 's/-lsat_file//; s/-lsat//') -o "$dir/file-static" &&
        "$dir/file-static" "$dir/static.npy" && cmp "$dir/shared.npy" "$dir/static.npy"
}
mpi() { # on one, two and three processes: the sums that the command finds
    # shellcheck disable=SC2046 # flags
    mpicc -std=c11 -Wall -Wextra -Werror examples/mpi.c $(flags --cflags --libs) -o "$dir/mpi" &&
        head -c $((777 * 1001)) /dev/urandom >"$dir/pixels.raw" &&
        printf '%s\n' x,y,w,h 0,0,777,1001 776,1000,1,1 0,500,777,1 30,64,500,700 >"$dir/rects.csv" &&
        "$root/bin/sat" query "$dir/pixels.raw" --raw 777x1001:u8 --rects "$dir/rects.csv" --stat sum >"$dir/want" || return
    local n
    for n in 1 2 3; do
        rm -f "$dir/mpi.npy"
        LD_LIBRARY_PATH=$root/lib OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n $n \
            "$dir/mpi" "$dir/pixels.raw" 777 1001 "$dir/mpi.npy" &&
            "$root/bin/sat" query "$dir/mpi.npy" --layout inclusive --rects "$dir/rects.csv" --stat sum | diff - "$dir/want" || return
    done
}
file_kept() { # a file that is there
    echo precious >"$dir/precious.npy"
    "$dir/file-static" "$dir/precious.npy" && return 1
    [ "$(cat "$dir/precious.npy")" = precious ]
}
same_file() { "$B/sat" info "$dir/shared.npy" | grep -q 'checksum.*verified'; }
prints_mean() { [ "$("$@")" = "the mean of x=1 y=1 w=2 h=2 is 4" ]; }
code() { awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' "$1"; }
in_documents() { # the examples, as they are in the files, and the first one's output
    grep -q "the mean of x=1 y=1 w=2 h=2 is 4" README.md && code README.md | diff - examples/mean.c &&
        code docs/library.md | diff - <(sed 1d examples/device_table.c)
}
same_everywhere() { # what tests set in the environment is not for what is installed
    SAT_ISA=mmx SAT_ISA_MOST=mmx SAT_STREAM=never "$root/bin/sat" backends >"$dir/said" && "$root/bin/sat" backends | diff - "$dir/said"
}
# What is installed may be moved: pkg-config and CMake find the copy by its own files.
moves() { cp -a "$root" "$dir/moved" && rm -rf "$dir/moved/bin" && mv "$root" "$root.away"; }
moves_back() { mv "$root.away" "$root"; }
moved() {
    local flags
    flags=$(PKG_CONFIG_PATH=$dir/moved/lib/pkgconfig pkg-config --cflags --libs "$@" sat) || return
    ! grep -qF $prefix <<<"$flags" || { echo "$flags"; return 1; }
    # shellcheck disable=SC2086 # flags
    gcc -std=c11 -Wall -Wextra -Werror examples/mean.c $flags -o "$dir/mean-moved" && LD_LIBRARY_PATH=$dir/moved/lib "$dir/mean-moved"
}
cmake_project() { # VERSION
    mkdir -p "$dir/project"
    cat >"$dir/project/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.10)
project(mean C)
find_package(sat $1 REQUIRED)
add_executable(mean "$PWD/examples/mean.c")
target_link_libraries(mean sat::sat)
add_executable(mean_static "$PWD/examples/mean.c")
target_link_libraries(mean_static sat::sat_static)
add_executable(file "$PWD/examples/table_file.c")
target_link_libraries(file sat::sat_file)
add_executable(file_static "$PWD/examples/table_file.c")
target_link_libraries(file_static sat::sat_file_static)
EOF
    rm -rf "$dir/made"
    cmake -S "$dir/project" -B "$dir/made" -DCMAKE_PREFIX_PATH="$dir/moved" >"$dir/cmake.log" 2>&1
}
cmake_builds() {
    cmake_project 0.3 && cmake --build "$dir/made" >>"$dir/cmake.log" 2>&1 || { cat "$dir/cmake.log"; return 1; }
    readelf -d "$dir/made/mean" | grep -q 'NEEDED.*\[libsat\.so\.0\.3\]' &&
        ! readelf -d "$dir/made/mean_static" "$dir/made/file_static" | grep -q 'NEEDED.*libsat'
}
cmake_refuses() { ! cmake_project "$1" || { cat "$dir/cmake.log"; return 1; }; }
removes() {
    make -s uninstall DESTDIR="$dest" PREFIX=$prefix && ! find "$dest" ! -type d -o -path '*/lib/*' -o -path '*/share/*/*/*' | grep .
}

try "make install" installs
try "everything is there" holds
try "each header compiles alone, from there" compiles_alone
try "the shared library's links" sonames
try "the example builds against the shared library and is right" prints_mean shared
try "linked with -rpath it runs as it is" prints_mean with_rpath
try "the example builds against the static library and is right" prints_mean static
try "the example of table files builds against the shared libraries and is right" prints_mean file_shared
try "the example of table files builds against the static libraries and is right" prints_mean file_static
try "sat reads that file" same_file
try "the example replaces no file" file_kept
if mpirun --version 2>/dev/null | grep -q 'Open MPI' && command -v mpicc >/dev/null; then
    try "the example for MPI builds, and is right on one, two and three processes" mpi
else
    skip "the example for MPI" "no Open MPI"
fi
try "the README and docs/library.md show the examples for host and device" in_documents
try "the example for devices of docs/library.md builds, and is right where there is one" device_table
try "the example for devices builds, and is right where there is one" device
try "SAT_ISA, SAT_ISA_MOST and SAT_STREAM change nothing in it" same_everywhere
try "the tree can be moved" moves
try "pkg-config finds the shared library in the moved tree" prints_mean moved
if command -v cmake >/dev/null; then
    try "CMake finds it there, and builds against both libraries" cmake_builds
    try "the program with CMake's shared library is right" prints_mean "$dir/made/mean"
    try "the program with CMake's static library is right" prints_mean "$dir/made/mean_static"
    for program in file file_static; do
        try "CMake's $program is right" prints_mean "$dir/made/$program" "$dir/$program.npy"
    done
    for version in 0.4 0.2 1 0.3.99; do try "CMake finds no version $version" cmake_refuses $version; done
else
    skip "CMake builds programs against both libraries" "no cmake: \`make deps-test\` installs it"
fi
moves_back
try "make uninstall leaves no file" removes
finish
