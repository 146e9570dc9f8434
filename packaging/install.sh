#!/bin/sh
# install.sh [--remove] DESTDIR - puts what was built where a system looks for it, or removes it.
# Wants from the environment: PREFIX, BINDIR, LIBDIR, INCLUDEDIR, DATADIR and MANDIR, absolute folders; B, VERSION,
# SOVERSION, LAB, LIBS and FILE_LIBS (what static links need) and POINTER_BYTES.
set -eu

remove=0
if [ "$1" = --remove ]; then
    remove=1
    shift
fi
# clean FOLDER - without double slashes, and without one at its end; only absolute ones can be told from another.
clean() {
    case $1 in
    /*) echo "$1" | tr -s / | sed 's|\(.\)/$|\1|' ;;
    *) echo "install: '$1' is no absolute folder" >&2 && return 1 ;;
    esac
}
PREFIX=$(clean "$PREFIX") BINDIR=$(clean "$BINDIR") LIBDIR=$(clean "$LIBDIR")
INCLUDEDIR=$(clean "$INCLUDEDIR") DATADIR=$(clean "$DATADIR") MANDIR=$(clean "$MANDIR")
root=$1
here=$(dirname "$0")
bin=$root$BINDIR lib=$root$LIBDIR include=$root$INCLUDEDIR man=$root$MANDIR/man1
bash=$root$DATADIR/bash-completion/completions
zsh=$root$DATADIR/zsh/site-functions
fish=$root$DATADIR/fish/vendor_completions.d
pc=$lib/pkgconfig
cmake=$lib/cmake/sat

# Programs find the library at once. Packages (DESTDIR) leave that to their installer.
tell_ldconfig() {
    [ -n "$root" ] || [ "$(id -u)" != 0 ] || ! command -v ldconfig >/dev/null || ldconfig
}

if [ $remove = 1 ]; then
    rm -f "$bin/sat" "$cmake/satConfig.cmake" "$cmake/satConfigVersion.cmake" "$man/sat.1" "$bash/sat" "$zsh/_sat" \
        "$fish/sat.fish"
    for header in src/lib/sat*.h src/io/sat*.h src/lab/lib/sat*.h; do rm -f "$include/${header##*/}"; done
    for name in sat sat_file; do
        rm -f "$lib/lib$name.a" "$lib/lib$name.so.$VERSION" "$lib/lib$name.so.$SOVERSION" "$lib/lib$name.so" "$pc/$name.pc"
    done
    for folder in "$cmake" "$lib/cmake" "$pc" "$bash" "${bash%/*}" "$zsh" "${zsh%/*}" "$fish" "${fish%/*}"; do
        rmdir "$folder" 2>/dev/null || true
    done
    tell_ldconfig
    exit 0
fi

list() { echo "$1" | tr -s ' ' ';'; }
# relative FROM TO - the way from one absolute folder to another.
relative() {
    from=${1%/}/ to=${2%/}/ up=
    while [ "${to#"$from"}" = "$to" ]; do
        from=${from%/*/}/ up=../$up
    done
    to=$up${to#"$from"}
    echo "${to%/}"
}
# fill TEMPLATE OUTPUT - CMake wants a list of libraries, with semicolons.
fill() {
    mkdir -p "$(dirname "$2")"
    sed -e "s|@VERSION@|$VERSION|g" -e "s|@SOVERSION@|$SOVERSION|g" -e "s|@LIBS@|$LIBS|" -e "s|@FILE_LIBS@|$FILE_LIBS|" \
        -e "s|@LIBS_LIST@|$(list "$LIBS")|" -e "s|@FILE_LIBS_LIST@|$(list "$FILE_LIBS")|" \
        -e "s|@PREFIX@|$(relative "$LIBDIR/pkgconfig" "$PREFIX")|" -e "s|@INCLUDEDIR@|$(relative "$LIBDIR" "$INCLUDEDIR")|" \
        -e "s|@POINTER_BYTES@|$POINTER_BYTES|" "$here/$1" >"$2"
}

install -Dm755 "$B/sat" "$bin/sat"
mkdir -p "$include"
install -m644 src/lib/sat*.h src/io/sat*.h "$include"
[ "$LAB" = 0 ] || install -m644 src/lab/lib/sat*.h "$include"
for name in sat sat_file; do
    install -Dm644 "$B/lib$name.a" "$lib/lib$name.a"
    install -Dm755 "$B/lib$name.so.$VERSION" "$lib/lib$name.so.$VERSION"
    ln -sf "lib$name.so.$VERSION" "$lib/lib$name.so.$SOVERSION"
    ln -sf "lib$name.so.$SOVERSION" "$lib/lib$name.so"
    fill "$name.pc.in" "$pc/$name.pc"
done
fill satConfig.cmake.in "$cmake/satConfig.cmake"
fill satConfigVersion.cmake.in "$cmake/satConfigVersion.cmake"
install -Dm644 "$here/sat.1" "$man/sat.1"
install -Dm644 "$here/completions/sat.bash" "$bash/sat"
install -Dm644 "$here/completions/_sat" "$zsh/_sat"
install -Dm644 "$here/completions/sat.fish" "$fish/sat.fish"
tell_ldconfig
