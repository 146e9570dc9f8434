#!/bin/sh
# install.sh [--remove] DESTDIR PREFIX - puts what was built where a system looks for it, or removes it.
# Wants B, VERSION, SOVERSION, LAB, LIBS and FILE_LIBS (what static links need) and POINTER_BYTES in the environment.
set -eu

remove=0
if [ "$1" = --remove ]; then
    remove=1
    shift
fi
prefix=$2
root=$1$prefix
here=$(dirname "$0")
bash=$root/share/bash-completion/completions
zsh=$root/share/zsh/site-functions
fish=$root/share/fish/vendor_completions.d
pc=$root/lib/pkgconfig
cmake=$root/lib/cmake/sat

if [ $remove = 1 ]; then
    rm -f "$root/bin/sat" "$cmake/satConfig.cmake" "$cmake/satConfigVersion.cmake" \
        "$root/share/man/man1/sat.1" "$bash/sat" "$zsh/_sat" "$fish/sat.fish"
    for header in src/lib/sat*.h src/io/sat*.h src/lab/lib/sat*.h; do rm -f "$root/include/${header##*/}"; done
    for name in sat sat_file; do
        rm -f "$root/lib/lib$name.a" "$root/lib/lib$name.so.$VERSION" "$root/lib/lib$name.so.$SOVERSION" \
            "$root/lib/lib$name.so" "$pc/$name.pc"
    done
    rmdir "$cmake" 2>/dev/null || true
    exit 0
fi

list() { echo "$1" | tr -s ' ' ';'; }
# fill TEMPLATE OUTPUT - CMake wants a list of libraries, with semicolons.
fill() {
    mkdir -p "$(dirname "$2")"
    sed -e "s|@VERSION@|$VERSION|g" -e "s|@SOVERSION@|$SOVERSION|g" -e "s|@LIBS@|$LIBS|" -e "s|@FILE_LIBS@|$FILE_LIBS|" \
        -e "s|@LIBS_LIST@|$(list "$LIBS")|" -e "s|@FILE_LIBS_LIST@|$(list "$FILE_LIBS")|" \
        -e "s|@POINTER_BYTES@|$POINTER_BYTES|" "$here/$1" >"$2"
}

install -Dm755 "$B/sat" "$root/bin/sat"
mkdir -p "$root/include"
install -m644 src/lib/sat*.h src/io/sat*.h "$root/include"
[ "$LAB" = 0 ] || install -m644 src/lab/lib/sat*.h "$root/include"
for name in sat sat_file; do
    install -Dm644 "$B/lib$name.a" "$root/lib/lib$name.a"
    install -Dm755 "$B/lib$name.so.$VERSION" "$root/lib/lib$name.so.$VERSION"
    ln -sf "lib$name.so.$VERSION" "$root/lib/lib$name.so.$SOVERSION"
    ln -sf "lib$name.so.$SOVERSION" "$root/lib/lib$name.so"
    fill "$name.pc.in" "$pc/$name.pc"
done
fill satConfig.cmake.in "$cmake/satConfig.cmake"
fill satConfigVersion.cmake.in "$cmake/satConfigVersion.cmake"
install -Dm644 "$here/sat.1" "$root/share/man/man1/sat.1"
install -Dm644 "$here/completions/sat.bash" "$bash/sat"
install -Dm644 "$here/completions/_sat" "$zsh/_sat"
install -Dm644 "$here/completions/sat.fish" "$fish/sat.fish"

# So that programs find the library at once. Packages (DESTDIR) leave that to their installer.
if [ -z "${root%"$prefix"}" ] && [ "$(id -u)" = 0 ] && command -v ldconfig >/dev/null; then
    ldconfig
fi
