/* No mutation of a table file crashes the reader or yields an array outside the file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "npy_header.h"
#include "table_file.h"
#include "table_trailer.h"
#include <cmocka.h> /* last: it has a macro fail() */

enum { HEADER_RUNS = 200000, FILE_RUNS = 20000, ARRAY_BYTES = 4 * 5 * 8, FILE_BYTES = 128 + ARRAY_BYTES + 192 };

static uint64_t state64;

/* splitmix64 (Steele, Lea, Flood 2014) */
static uint64_t next(void)
{
    uint64_t z = state64 += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static size_t below(size_t n)
{
    return (size_t)(next() % n);
}

/* A table file with a header of the usual 128 bytes and a trailer. */
static void make_file(uint8_t file[FILE_BYTES])
{
    static const char dictionary[] = "{'descr': '<i8', 'fortran_order': False, 'shape': (4, 5), }";
    table_trailer t = {.width = 4, .height = 3, .channels = 1, .data_offset = 128, .data_bytes = ARRAY_BYTES};

    memset(file, 0, FILE_BYTES);
    memset(file + 10, ' ', 118);
    memcpy(file, "\x93NUMPY\x01\x00\x76\x00", 10);
    memcpy(file + 10, dictionary, sizeof(dictionary) - 1);
    file[127] = '\n';
    strcpy(t.layout, "padded");
    strcpy(t.sample, "u8");
    strcpy(t.accum, "i64");
    strcpy(t.moment, "sum");
    strcpy(t.writer, "fuzz");
    t.data_xxh3 = XXH3_64bits(file + 128, ARRAY_BYTES);
    trailer_seal(&t);
    memcpy(file + 128 + ARRAY_BYTES, &t, sizeof(t));
}

/* One to four changes in bytes[0 .. n): a bit, a byte, a character that the grammar knows, a copied piece. */
static void mutate(uint8_t *bytes, size_t n)
{
    static const char grammar[] = "{}()[]'\",: 0123456789<>|=iufbcTFL\n\\";
    for (size_t k = below(4) + 1; k > 0; k--) {
        size_t at = below(n), from = below(n), length = below(12);
        switch (below(4)) {
        case 0: bytes[at] ^= (uint8_t)(1u << below(8)); break;
        case 1: bytes[at] = (uint8_t)next(); break;
        case 2: bytes[at] = (uint8_t)grammar[below(sizeof(grammar) - 1)]; break;
        case 3:
            if (at + length <= n && from + length <= n) memmove(bytes + at, bytes + from, length);
            break;
        }
    }
}

static void mutated_headers(void **state)
{
    uint8_t file[FILE_BYTES];
    int accepted = 0;
    (void)state;
    state64 = 1;
    for (int run = 0; run < HEADER_RUNS; run++) {
        npy_header h;
        error err = {.text = ""};
        make_file(file);
        mutate(file, 80);
        size_t n = below(8) ? FILE_BYTES : below(FILE_BYTES + 1);
        uint8_t *exact = malloc(n ? n : 1); /* so that a sanitizer sees a read past the end */
        assert_non_null(exact);
        memcpy(exact, file, n);
        if (npy_parse(&h, exact, n, &err)) {
            accepted++;
            assert_in_range(h.dims, 1, NPY_DIMS_MAX);
            assert_in_range(h.item_bytes, 1, 16);
            assert_in_range(h.data_offset, 10, n);
            assert_in_range(h.data_bytes, 0, n - h.data_offset);
            size_t bytes = (size_t)h.item_bytes;
            for (int i = 0; i < h.dims; i++) bytes *= (size_t)h.shape[i];
            assert_int_equal(bytes, h.data_bytes);
        } else {
            assert_true(err.text[0] != 0);
        }
        free(exact);
    }
    assert_in_range(accepted, 1, HEADER_RUNS - 1);
}

static void mutated_files(void **state)
{
    char path[] = "/tmp/sat-test-XXXXXX";
    uint8_t file[FILE_BYTES];
    int accepted = 0;
    (void)state;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    state64 = 2;
    for (int run = 0; run < FILE_RUNS; run++) {
        sat_file_options assume = {.foreign = below(2), .layout = (sat_layout)below(3), .sample = (sat_type)below(9)};
        table_file table;
        table_trailer t;
        error err = {.text = ""};
        make_file(file);
        if (below(2)) mutate(file, 80);
        uint8_t *trailer = file + 128 + ARRAY_BYTES;
        if (below(2)) mutate(trailer, 192);
        if (below(2)) { /* with its own checksum made right again, the fields themselves are tried */
            memcpy(&t, trailer, sizeof(t));
            t.own_xxh3 = XXH3_64bits(&t, offsetof(table_trailer, own_xxh3));
            memcpy(trailer, &t, sizeof(t));
        }
        size_t n = below(8) ? FILE_BYTES : below(FILE_BYTES + 1);
        assert_int_equal(ftruncate(fd, 0), 0);
        assert_int_equal(pwrite(fd, file, n, 0), n);
        if (table_file_open(&table, path, &assume, &err)) {
            const sat_view *view = &table.table.view;
            accepted++;
            assert_in_range(view->channels, 1, 4);
            assert_in_range(view->width, 1, ARRAY_BYTES);
            assert_in_range(view->height, 1, ARRAY_BYTES);
            assert_int_equal((size_t)view->row_bytes * (size_t)view->height, table.data_bytes);
            assert_in_range(table.data_offset + table.data_bytes, 1, n);
            assert_ptr_equal(view->data, table.file.bytes + table.data_offset);
            (void)table_file_verify(&table, &err);
            table_file_close(&table);
        } else {
            assert_true(err.text[0] != 0);
        }
    }
    assert_in_range(accepted, 1, FILE_RUNS - 1);
    close(fd);
    unlink(path);
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mutated_headers),
        cmocka_unit_test(mutated_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
