#!/bin/bash
# What the packagers of a distribution set: flags, folders, link-time optimisation, another processor's compiler.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# commands ARGUMENT... - those that make would run.
commands() { make -n V=1 CUDA=0 B="$dir/none" "$@"; }
# of FILE ARGUMENT... - the command that compiles or links it.
of() { commands "${@:2}" all | grep -E -- "-o $dir/none/(obj/[0-9]*/)?$1\$"; }
vectorises_before_cflags() { of src/cpu/isa_avx2.o CFLAGS=-O2 CC=gcc | grep -q -- '-ftree-vectorize -fvect-cost-model=dynamic .*-O2 '; }
asks_the_compiler() { # one that knows none of these options
    printf '#!/bin/sh\ncase "$*" in *-ftree*|*-fvect*) exit 1 ;; esac\nexec gcc "$@"\n' >"$dir/other-cc" && chmod +x "$dir/other-cc" &&
        of src/cpu/isa_avx2.o CC="$dir/other-cc" >"$dir/said" && ! grep -e -fvect "$dir/said"
}
takes_cppflags() { of src/io/image.o CPPFLAGS=-D_FORTIFY_SOURCE=2 | grep -q -- -D_FORTIFY_SOURCE=2; }
keeps_pthread() { of sat LDFLAGS=-Wl,-z,now | grep -q -- '-pthread -Wl,-z,now' && LDFLAGS=-Wl,-z,now of sat | grep -q -- '-pthread -Wl,-z,now'; }
asks_pkg_config() { # which has another libjpeg
    printf 'Name: jpeg\nDescription: j\nVersion: 9\nCflags: -I/opt/jpegx/include\nLibs: -L/opt/jpegx/lib -ljpegx\n' >"$dir/libjpeg.pc"
    PKG_CONFIG_PATH=$dir of src/io/format_jpeg.o JPEG=1 | grep -q -- -I/opt/jpegx/include &&
        PKG_CONFIG_PATH=$dir of sat JPEG=1 | grep -q -- '-L/opt/jpegx/lib -ljpegx'
}
works_without_pkg_config() { of sat PKG_CONFIG=/nowhere JPEG=1 TIFF=0 | grep -q -- '-lisal -ldeflate -lxxhash -ljpeg'; }
tools_of_the_compiler() { # objcopy, and ld by way of the compiler
    printf '#!/bin/sh\ncase "$*" in *-print-prog-name=objcopy*) echo other-objcopy ;; *) exec gcc "$@" ;; esac\n' >"$dir/other-gcc"
    chmod +x "$dir/other-gcc"
    commands CC="$dir/other-gcc" lib | grep -q "other-gcc -r -nostdlib .*&& other-objcopy"
}
says_one_line() { # PATTERN COMMAND...
    local status
    "${@:2}" >"$dir/said" 2>&1
    status=$?
    # shellcheck disable=SC2053 # a glob
    [ $status = 2 ] && [ "$(wc -l <"$dir/said")" = 1 ] && [[ $(cat "$dir/said") == $1 ]] || { echo "status $status"; cat "$dir/said"; return 1; }
}

# `make deps all` sees what it has just installed: here deps.sh installs libjpeg.
sees_what_it_installs() {
    mkdir -p "$dir/tree/src/lib" "$dir/tree/packaging" "$dir/pc" && cp Makefile "$dir/tree" && cp src/lib/sat.h "$dir/tree/src/lib" &&
        printf '#!/bin/sh\ncp "%s/libjpeg.pc" "%s/pc"\n' "$dir" "$dir" >"$dir/tree/packaging/deps.sh" && chmod +x "$dir/tree/packaging/deps.sh" || return
    PKG_CONFIG_LIBDIR=$dir/pc make -s -C "$dir/tree" CUDA=0 config | grep -q '^JPEG: stb_image' &&
        PKG_CONFIG_LIBDIR=$dir/pc make -s -j4 -C "$dir/tree" CUDA=0 deps config | grep -q '^JPEG: libjpeg$' &&
        make -n -C "$dir/tree" CUDA=0 B=new deps config >"$dir/said" && [ ! -e "$dir/tree/new" ]
}

# With link-time optimisation, libsat_file.a still shows what sat_file.h declares alone.
with_lto() {
    make -s CUDA=0 LAB=0 JPEG=0 TIFF=0 B="$dir/lto" CFLAGS='-O1 -flto=auto' "$dir/lto/libsat_file.a" &&
        nm "$dir/lto/libsat_file.a" | awk 'NF > 2 && $(NF - 1) == "T" { print $NF }' | sort >"$dir/names" &&
        diff <(sed -nE 's/^SAT_API .*[ *](sat_file_[a-z0-9_]+)\(.*/\1/p' src/io/sat_file.h | sort) "$dir/names"
}

# Folders. Nothing is compiled here: a file stands for each that was built.
stand_ins() {
    local name version
    version=$(sed -n 's/^#define SAT_VERSION_[A-Z]* \([0-9]*\)$/\1/p' src/lib/sat.h | paste -sd.)
    mkdir -p "$dir/built"
    for name in sat libsat.a libsat_file.a "libsat.so.$version" "libsat_file.so.$version"; do echo "$name" >"$dir/built/$name"; done
}
# installs ARGUMENT... - `make install` of these.
installs() { make -s -o all -o config CUDA=0 B="$dir/built" DESTDIR="$dir/dest" "$@"; }
holds() { local f; for f; do [ -s "$dir/dest/$f" ] || { echo "no $f"; find "$dir/dest" -type f; return 1; }; done; }
multiarch() {
    installs install PREFIX=/usr LIBDIR=/usr/lib/x86_64-linux-gnu INCLUDEDIR=/usr/include/sat MANDIR=/usr/man &&
        holds usr/bin/sat usr/lib/x86_64-linux-gnu/{libsat.a,libsat.so,pkgconfig/sat.pc,cmake/sat/satConfig.cmake} usr/include/sat/sat.h \
            usr/man/man1/sat.1 usr/share/zsh/site-functions/_sat && [ ! -e "$dir/dest/usr/include/sat.h" ]
}
pkg_config_finds() { # in a tree that was moved, too
    local flags at
    for at in dest moved; do
        [ $at = dest ] || cp -a "$dir/dest" "$dir/moved"
        flags=$(PKG_CONFIG_PATH=$dir/$at/usr/lib/x86_64-linux-gnu/pkgconfig pkg-config --cflags --libs sat_file) || return
        # shellcheck disable=SC2086 # flags
        for flag in $flags; do case $flag in
            -I*) [ -s "${flag#-I}/sat_file.h" ] ;;
            -L*) [ -s "${flag#-L}/libsat_file.so" ] ;;
        esac || { echo "$flags"; return 1; } done
        PKG_CONFIG_PATH=$dir/$at/usr/lib/x86_64-linux-gnu/pkgconfig pkg-config --variable=prefix sat | xargs realpath | grep -qx "$dir/$at/usr" || return
    done
}
cmake_finds() {
    printf 'cmake_minimum_required(VERSION 3.10)\nproject(p C)\nfind_package(sat REQUIRED)
        get_target_property(include sat::sat INTERFACE_INCLUDE_DIRECTORIES)\nget_target_property(lib sat::sat_file_static IMPORTED_LOCATION)
        if(NOT EXISTS "${include}/sat.h" OR NOT EXISTS "${lib}")\nmessage(FATAL_ERROR "${include} ${lib}")\nendif()\n' >"$dir/CMakeLists.txt"
    cmake -S "$dir" -B "$dir/made" -Dsat_DIR="$dir/dest/usr/lib/x86_64-linux-gnu/cmake/sat" >"$dir/said" 2>&1 || { cat "$dir/said"; return 1; }
}
uninstalls() {
    installs uninstall PREFIX=/usr LIBDIR=/usr/lib/x86_64-linux-gnu INCLUDEDIR=/usr/include/sat MANDIR=/usr/man &&
        ! find "$dir/dest" -type f -o -type l -o -name pkgconfig -o -name cmake | grep .
}
refuses_relative() { ! installs install prefix=/opt libdir=lib64 >"$dir/said" 2>&1 && grep -q "^install: 'lib64' is no absolute folder" "$dir/said"; }
with_slashes() {
    rm -rf "$dir/dest" && installs install PREFIX=/usr/ && grep -qx 'prefix=${pcfiledir}/../..' "$dir/dest/usr/lib/pkgconfig/sat.pc"
}
lower_case() {
    rm -rf "$dir/dest" &&
        installs install prefix=/opt libdir=/opt/lib64 includedir=/opt/inc datarootdir=/opt/data bindir=/opt/tools &&
        holds opt/lib64/libsat.a opt/inc/sat.h opt/data/man/man1/sat.1 opt/tools/sat
}

try "gcc vectorises, by options before CFLAGS" vectorises_before_cflags
try "a compiler without these options does not get them" asks_the_compiler
try "CPPFLAGS reach the compiler" takes_cppflags
try "LDFLAGS, on the command line or in the environment, keep -pthread" keeps_pthread
try "flags and libraries are those that pkg-config says" asks_pkg_config
try "without pkg-config they have their usual names" works_without_pkg_config
try "objcopy and ld are those of the compiler" tools_of_the_compiler
try "a folder to build in whose name has spaces is refused" says_one_line "*B='a b'*use a folder without*" make B="a b" config
try "make deps, with other targets, comes first, and these see what it has installed" sees_what_it_installs
try "with -flto, libsat_file.a has no other names" with_lto
stand_ins
try "LIBDIR, INCLUDEDIR and MANDIR" multiarch
try "pkg-config finds them, and the prefix" pkg_config_finds
if command -v cmake >/dev/null; then try "CMake finds them" cmake_finds; else skip "CMake finds them" "no cmake: \`make deps-test\` installs it"; fi
try "make uninstall removes them, and folders that are empty then" uninstalls
try "GNU's names of folders" lower_case
try "a relative folder is refused" refuses_relative
try "a slash at the end of PREFIX changes nothing" with_slashes
finish
