/* A table without trailer is checked: an image of integers is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "table_file.h"
#include <cmocka.h> /* last: it has a macro fail() */

static error err;

/* A photograph's like, not its table. */
static void fill(void *array, int bytes, int64_t n, unsigned largest)
{
    uint32_t seed = 1;
    for (int64_t i = 0; i < n; i++) {
        seed = seed * 1664525 + 1013904223;
        uint64_t v = (seed >> 8) % (largest + 1);
        memcpy((char *)array + i * bytes, &v, (size_t)bytes);
    }
}

static void sum_up(void *array, int bytes, int64_t h, int64_t w)
{
    uint64_t *above = calloc((size_t)w + 1, sizeof(*above));
    assert_non_null(above);
    for (int64_t y = 0; y < h; y++) {
        uint64_t row = 0;
        for (int64_t x = 0; x < w; x++) {
            uint64_t v = 0;
            memcpy(&v, (char *)array + (y * w + x) * bytes, (size_t)bytes);
            row += v;
            above[x] += row;
            memcpy((char *)array + (y * w + x) * bytes, &above[x], (size_t)bytes);
        }
    }
    free(above);
}

static sat_table inclusive(void *array, sat_type type, sat_type sample, int64_t h, int64_t w)
{
    return (sat_table){.view = {.data = array,
                                .row_bytes = (ptrdiff_t)sat_row_bytes(w, 1, type),
                                .width = w,
                                .height = h,
                                .channels = 1,
                                .type = type},
                       .layout = SAT_INCLUSIVE,
                       .sample = sample};
}

static void an_image_is_no_integer_table(void **state)
{
    static const struct {
        sat_type type, sample;
        unsigned largest;
        int64_t h, w;
    } cases[] = {{SAT_I64, SAT_U8, 255, 40, 60},   {SAT_U64, SAT_U8, 1, 3, 4000},
                 {SAT_U32, SAT_U8, 255, 4000, 3},  {SAT_U32, SAT_U16, 65535, 2000, 2000},
                 {SAT_I64, SAT_U32, 9, 200, 1500}, {SAT_U64, SAT_U16, 255, 1, 50}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int64_t h = cases[i].h, w = cases[i].w;
        int bytes = (int)sat_type_bytes(cases[i].type);
        char *array = malloc((size_t)(h * w * bytes));
        assert_non_null(array);
        table_file file = {.table = inclusive(array, cases[i].type, cases[i].sample, h, w)};
        fill(array, bytes, h * w, cases[i].largest);
        assert_false(table_file_check_samples(&file, &err));
        assert_non_null(strstr(err.text, "no inclusive table of "));
        sum_up(array, bytes, h, w); /* the four-byte ones wrap */
        assert_true(table_file_check_samples(&file, &err));
        free(array);
    }
}

static void corners_and_edges_are_among_the_samples(void **state)
{
    static const int64_t h = 3000, w = 5000;
    const int64_t at[][2] = {{0, 0}, {w - 1, 0}, {0, h - 1}, {w - 1, h - 1}};
    uint32_t *array = calloc((size_t)(h * w), sizeof(*array));
    table_file file = {.table = inclusive(array, SAT_U32, SAT_U8, h, w)};
    (void)state;
    assert_non_null(array);
    assert_true(table_file_check_samples(&file, &err));
    for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
        array[at[i][1] * w + at[i][0]] = 256;
        assert_false(table_file_check_samples(&file, &err));
        array[at[i][1] * w + at[i][0]] = 255; /* but not to its right and below, where it is -255 */
        if (i == 3) assert_true(table_file_check_samples(&file, &err));
        array[at[i][1] * w + at[i][0]] = 0;
    }
    free(array);
}

static void of_floats_nothing_is_said(void **state)
{
    double array[4] = {4, 3, 2, 1};
    table_file file = {.table = inclusive(array, SAT_F64, SAT_F32, 2, 2)};
    (void)state;
    assert_true(table_file_check_samples(&file, &err));
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_image_is_no_integer_table),
        cmocka_unit_test(corners_and_edges_are_among_the_samples),
        cmocka_unit_test(of_floats_nothing_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
