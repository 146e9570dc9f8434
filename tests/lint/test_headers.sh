#!/bin/bash
# Each header compiles alone, as C11; templates, which are compiled many times with other macros, do not.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

compiles() {
    ${CC:-gcc} -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wconversion -Wstrict-prototypes -Werror -Isrc/lib -Isrc/io -Isrc/cli \
        -fsyntax-only -x c "$1"
}
for h in $(tracked 'src/*.h' | grep -v '_template\.h$'); do
    try "$h compiles alone" compiles "$h"
done
finish
