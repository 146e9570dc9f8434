#!/bin/bash
# Each header compiles alone, as C11, and the public ones as C++ too; templates, which are compiled many times with other macros,
# do not.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

compiles() {
    ${CC:-gcc} -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wconversion -Wstrict-prototypes -Werror -Isrc/lib -Isrc/io -Isrc/cli -Isrc/lab/lib \
        -fsyntax-only -x c "$1"
}
for h in $(tracked 'src/*.h' | grep -v '_template\.h$'); do
    try "$h compiles alone" compiles "$h"
done

refused() { # WHY FLAG... - sat.h, by a message that names a system to use
    local why=$1 said
    shift
    if said=$(${CC:-gcc} -ffreestanding -fsyntax-only -x c "$@" src/lib/sat.h 2>&1); then echo compiles && return 1; fi
    [ "$(grep -c 'error:' <<<"$said")" = 1 ] && grep -q "error: .*sat needs a $why.*amd64 .*arm64" <<<"$said" || { echo "$said"; return 1; }
}
try "a 32-bit system is refused in words" refused "64-bit system" -U__UINTPTR_MAX__ -D__UINTPTR_MAX__=4294967295U
try "a big-endian one, too" refused "little-endian 64-bit system" -U__BYTE_ORDER__ -D__BYTE_ORDER__=__ORDER_BIG_ENDIAN__

as_cpp() {
    "${CXX:-g++}" "$1" -Wall -Wextra -Wpedantic -Wconversion -Wold-style-cast -Wuseless-cast -Werror -Isrc/lib -Isrc/io -Isrc/lab/lib \
        -fsyntax-only -x c++ - <<END
$(printf '#include "%s"\n' src/{lib,io,lab/lib}/sat*.h)
bool blur(const sat_view &from, const sat_view &to)
{
    sat_box_spec spec = {};
    sat_box *box;
    if (sat_box_create(&box, &spec) != SAT_OK || sat_box_run(box, &from, &to, nullptr) != SAT_OK) return false;
    sat_box_destroy(&box);
    sat_gauss_spec gauss_spec = {};
    sat_gauss *gauss;
    if (sat_gauss_create(&gauss, &gauss_spec) != SAT_OK || sat_gauss_run(gauss, &from, &to, nullptr) != SAT_OK)
        return false;
    sat_gauss_destroy(&gauss);
    sat_light_spec light_spec = {};
    sat_light *light;
    sat_bytes bytes;
    if (sat_light_bytes(&light_spec, &bytes) == SAT_OK && sat_light_create(&light, &light_spec) == SAT_OK)
        sat_light_destroy(&light);
    sat_window_spec window_spec = {};
    sat_window *window;
    if (sat_window_create(&window, &window_spec) == SAT_OK) sat_window_destroy(&window);
    sat_scan_spec scan_spec = {};
    sat_scan *scan;
    sat_lab_backend_info info;
    return sat_lab_backend_at(0, &info) && sat_scan_create(&scan, &scan_spec) == SAT_OK;
}
bool mean(const char *path, const sat_rect &rect, double *means)
{
    sat_file *file;
    sat_table table;
    bool ok = sat_file_open(&file, path, nullptr) == SAT_OK && sat_file_table(file, &table) == SAT_OK &&
              sat_table_query(&table, &rect, 1, 0, 0, nullptr, means) == SAT_OK;
    sat_file_close(&file);
    return ok && sat_file_write("copy.npy", &table, nullptr) == SAT_OK;
}
END
}
for standard in c++11 c++20; do try "the public headers compile as $standard" as_cpp "-std=$standard"; done
finish
