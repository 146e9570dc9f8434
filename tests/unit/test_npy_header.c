/* Headers of .npy files are read as NumPy writes them, and whatever lies is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "npy_header.h"
#include <cmocka.h> /* last: it has a macro fail() */

static error err;
static uint8_t file[80000];

/* A file of the version with this dictionary and `data` bytes after it; returns its size. */
static size_t make(int version, const char *dictionary, size_t data)
{
    size_t length = strlen(dictionary), start = version == 1 ? 10 : 12;
    memset(file, 0, sizeof(file));
    memcpy(file, "\x93NUMPY", 6);
    file[6] = (uint8_t)version;
    for (size_t i = 8; i < start; i++) file[i] = (uint8_t)(length >> (8 * (i - 8)));
    memcpy(file + start, dictionary, length);
    return start + length + data;
}

static bool parse(npy_header *h, size_t n)
{
    uint8_t *exact = malloc(n ? n : 1); /* so that a sanitizer sees a read past the end */
    assert_non_null(exact);
    memcpy(exact, file, n);
    err.text[0] = 0;
    bool ok = npy_parse(h, exact, n, &err);
    free(exact);
    return ok;
}

static void assert_refused(const char *dictionary, const char *why)
{
    npy_header h;
    assert_false(parse(&h, make(1, dictionary, 4096)));
    assert_string_equal(err.text, why);
}

static void accepted_forms(void **state)
{
    static const char *const same[] = {
        "{'descr': '<i8', 'fortran_order': False, 'shape': (3, 4), }          \n",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (3, 4)}\n",
        "{'shape': (3, 4), 'fortran_order': False, 'descr': '<i8', }\n",
        "{\"descr\":\"<i8\",\"fortran_order\":False,\"shape\":(3,4,)}",
        " { 'fortran_order' : False , 'descr' : '=i8' , 'shape' : ( 3 , 4 , ) , } \n",
    };
    (void)state;
    for (int version = 1; version <= 3; version++) {
        for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++) {
            npy_header h;
            assert_true(parse(&h, make(version, same[i], 96)));
            assert_int_equal(h.kind, 'i');
            assert_int_equal(h.item_bytes, 8);
            assert_int_equal(h.dims, 2);
            assert_int_equal(h.shape[0], 3);
            assert_int_equal(h.shape[1], 4);
            assert_int_equal(h.data_offset, (version == 1 ? 10 : 12) + strlen(same[i]));
            assert_int_equal(h.data_bytes, 96);
            assert_false(parse(&h, make(version, same[i], 95)));
            assert_string_equal(err.text, "truncated: the array has 96 bytes, the file holds 95 of them");
        }
    }
}

static void dimensions_and_types(void **state)
{
    npy_header h;
    (void)state;
    assert_true(parse(&h, make(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (7,), }\n", 7)));
    assert_int_equal(h.dims, 1);
    assert_int_equal(h.kind, 'u');
    assert_int_equal(h.data_bytes, 7);
    assert_true(parse(&h, make(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 4), }\n", 96)));
    assert_int_equal(h.dims, 3);
    assert_int_equal(h.shape[2], 4);
    assert_int_equal(h.kind, 'f');
    assert_true(parse(&h, make(1, "{'descr': '>u1', 'fortran_order': False, 'shape': (0, 9), }\n", 0)));
    assert_int_equal(h.data_bytes, 0);
}

static void refused_in_words(void **state)
{
    (void)state;
    assert_refused("{'descr': '<i8', 'fortran_order': True, 'shape': (3, 4), }\n",
                   ".npy in Fortran order: convert it with numpy.ascontiguousarray");
    assert_refused("{'descr': [('x', '<i8')], 'fortran_order': False, 'shape': (3, 4), }\n",
                   ".npy of records, which are not read; plain numbers are");
    assert_refused("{'descr': '|O', 'fortran_order': False, 'shape': (3, 4), }\n",
                   ".npy of type '|O', which is not read; plain numbers are");
    assert_refused("{'descr': '<U12', 'fortran_order': False, 'shape': (3, 4), }\n",
                   ".npy of type '<U12', which is not read; plain numbers are");
    assert_refused("{'descr': '<i99', 'fortran_order': False, 'shape': (3, 4), }\n",
                   ".npy of type '<i99', which is not read; plain numbers are");
    assert_refused("{'descr': '<i8', 'fortran_order': False, 'shape': (), }\n",
                   ".npy of a single number, not of an array");
    assert_refused("{'descr': '<i8', 'fortran_order': False, 'shape': (1, 2, 3, 4), }\n",
                   ".npy of more than 3 dimensions");
}

static void the_byte_order_is_known(void **state)
{
    npy_header h;
    (void)state;
    assert_true(parse(&h, make(1, "{'descr': '>i8', 'fortran_order': False, 'shape': (3, 4), }\n", 4096)));
    assert_true(h.big_endian);
    assert_false(npy_little(&h, &err));
    assert_string_equal(err.text, "big-endian .npy ('>i8'): convert it with a.astype('<i8')");
    assert_true(parse(&h, make(1, "{'descr': '>u1', 'fortran_order': False, 'shape': (3, 4), }\n", 4096)));
    assert_false(h.big_endian); /* of one byte each */
    assert_true(parse(&h, make(1, "{'descr': '<i8', 'fortran_order': False, 'shape': (3, 4), }\n", 4096)));
    assert_true(!h.big_endian && npy_little(&h, &err));
}

static void malformed_headers(void **state)
{
    static const char *const bad[] = {
        "",
        "{",
        "{}",
        "{}\n",
        "{'descr': '<i8', 'fortran_order': False, }\n",
        "{'descr': '<i8', 'shape': (3, 4), }\n",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (3, 4), 'extra': 1}\n",
        "{'descr': '<i8', 'descr': '<i8', 'fortran_order': False, 'shape': (3, 4), }\n",
        "{'descr': '<i8', 'fortran_order': 0, 'shape': (3, 4), }\n",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (3, 4, }\n",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (3 4), }\n",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (-3, 4), }\n",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (3), }\n",
        "{'descr': '<i8', 'fortran_order': False, 'shape': [3, 4], }\n",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (,), }\n",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (9223372036854775808, 4), }\n",
        "{'descr': \"<i8', 'fortran_order': False, 'shape': (3, 4), }\n",
        "{'descr': '<i8' 'fortran_order': False, 'shape': (3, 4), }\n",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (3, 4), } more\n",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (3, 4), }}\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) assert_refused(bad[i], "malformed .npy header");
    assert_refused("{'descr': '<i8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }\n",
                   "malformed .npy header: the array's size overflows");
    assert_refused("{'descr': '<i8', 'fortran_order': False, 'shape': (9223372036854775807, 1), }\n",
                   "malformed .npy header: the array's size overflows");
    assert_refused("{'descr': '<i8', 'fortran_order': False, 'shape': (1000000, 1000000), }\n",
                   "truncated: the array has 8000000000000 bytes, the file holds 4096 of them");
}

static void every_truncation_is_refused(void **state)
{
    (void)state;
    for (int version = 1; version <= 3; version++) {
        npy_header h;
        size_t n = make(version, "{'descr': '<i8', 'fortran_order': False, 'shape': (3, 4), }   \n", 96);
        assert_true(parse(&h, n));
        for (size_t cut = 0; cut < n; cut++) assert_false(parse(&h, cut));
    }
}

static void lying_lengths_and_versions(void **state)
{
    npy_header h;
    size_t n;
    (void)state;
    n = make(2, "{'descr': '<i8', 'fortran_order': False, 'shape': (3, 4), }\n", 96);
    file[11] = 0x7f;
    assert_false(parse(&h, n));
    assert_string_equal(err.text, ".npy header of 2130706492 bytes; the limit is 65536");
    n = make(1, "{'descr': '<i8', 'fortran_order': False, 'shape': (3, 4), }\n", 96);
    file[9] = 1;
    assert_false(parse(&h, n));
    assert_string_equal(err.text, "truncated: the file ends inside the .npy header");
    n = make(1, "{'descr': '<i8', 'fortran_order': False, 'shape': (3, 4), }\n", 96);
    file[6] = 4;
    assert_false(parse(&h, n));
    assert_string_equal(err.text, ".npy of the unknown version 4.0");
    file[0] = 'N';
    assert_false(parse(&h, n));
    assert_string_equal(err.text, "not a .npy file");
}

static void what_is_formatted_is_parsed(void **state)
{
    static const struct {
        char kind;
        int item_bytes;
    } types[] = {{'i', 8}, {'u', 8}, {'u', 4}, {'f', 4}, {'f', 8}, {'u', 1}};
    (void)state;
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
        for (int dims = 1; dims <= 3; dims++) {
            npy_header want = {types[i].kind, types[i].item_bytes, dims, {3, 5, 2}, 0, 0, false}, have;
            memset(file, 0xaa, sizeof(file));
            npy_format(&want, file);
            assert_true(parse(&have, sizeof(file)));
            assert_int_equal(have.kind, want.kind);
            assert_int_equal(have.item_bytes, want.item_bytes);
            assert_int_equal(have.dims, dims);
            assert_memory_equal(have.shape, want.shape, (size_t)dims * sizeof(*want.shape));
            assert_int_equal(have.data_offset, 4096);
            assert_int_equal(file[4095], '\n');
            assert_int_equal(file[4096], 0xaa);

            memset(file, 0xaa, sizeof(file));
            size_t header = npy_format_short(&want, file);
            assert_true(header % 64 == 0 && header <= 128 && file[header - 1] == '\n' && file[header] == 0xaa);
            assert_true(parse(&have, sizeof(file)));
            assert_int_equal(have.data_offset, header);
            assert_memory_equal(have.shape, want.shape, (size_t)dims * sizeof(*want.shape));
        }
    }
    npy_header huge = {'f', 8, 3, {INT64_MAX, INT64_MAX, INT64_MAX}, 0, 0, false};
    npy_format(&huge, file);
    assert_false(parse(&huge, sizeof(file)));
    assert_string_equal(err.text, "malformed .npy header: the array's size overflows");
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepted_forms),
        cmocka_unit_test(dimensions_and_types),
        cmocka_unit_test(refused_in_words),
        cmocka_unit_test(the_byte_order_is_known),
        cmocka_unit_test(malformed_headers),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(lying_lengths_and_versions),
        cmocka_unit_test(what_is_formatted_is_parsed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
