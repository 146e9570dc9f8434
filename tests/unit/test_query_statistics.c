/* Statistics of a query with a table of squares, in host memory and on a device: answers and refusals.  That they are
 * those of sat_table_statistics() for all types is tests/gpu/subject_statistics.c's. */
#include "arrays.h"
#include "device_memory.h"
#include "sat_query.h"

/* A query with a table of squares answers as sat_table_statistics() does. */
static void statistics_of_a_query(void **state)
{
    (void)state;
    uint32_t sums[4] = {1, 3, 5, 14};        /* inclusive, of 1 2 4 7 */
    uint64_t of_squares[4] = {1, 5, 17, 70}; /* 1 4 16 49 */
    const sat_rect rects[2] = {{0, 0, 2, 2}, {1, 1, 1, 1}}, outside = {2, 0, 1, 1};
    const sat_table t = {
        .view = {.data = sums, .row_bytes = 8, .width = 2, .height = 2, .channels = 1, .type = SAT_U32},
        .layout = SAT_INCLUSIVE,
        .sample = SAT_U8};
    sat_table squares = {
        .view = {.data = of_squares, .row_bytes = 16, .width = 2, .height = 2, .channels = 1, .type = SAT_U64},
        .layout = SAT_INCLUSIVE,
        .sample = SAT_U8,
        .power = 2};
    sat_query_spec spec = {.squares = &squares};
    double variances[2] = {-1, -1}, means[2], roots[2];
    const sat_rect_output output[] = {{"mean", means}, {"var", variances}, {"rms", roots}};
    const sat_statistics ask = {.output = output, .outputs = 3, .flags = SAT_CLIP},
                         alone = {.output = output, .outputs = 1};
    sat_query *query;
    assert_ok(sat_query_create(&query, &t, &spec));
    squares.power = 1; /* it was copied */
    assert_ok(sat_query_statistics(query, rects, 2, &ask, NULL));
    assert_true(means[0] == 3.5 && variances[0] == 5.25 && roots[0] == sqrt(17.5)); /* (4 * 70 - 14^2) / 16 */
    assert_true(means[1] == 7 && variances[1] == 0 && roots[1] == 7);
    said(sat_query_statistics(query, &outside, 1, &ask, NULL), SAT_ERR_RECT, "outside"); /* the spec does not clip */
    assert_int_equal(sat_query_statistics(NULL, rects, 2, &ask, NULL), SAT_ERR_ARGUMENT);
    assert_int_equal(sat_query_statistics(query, NULL, 2, &ask, NULL), SAT_ERR_ARGUMENT);
    assert_int_equal(sat_query_statistics(query, rects, 2, NULL, NULL), SAT_ERR_ARGUMENT);
    sat_query_destroy(&query);

    said(sat_query_create(&query, &t, &spec), SAT_ERR_ARGUMENT, "power 1");
    squares.power = 2, squares.sample = SAT_U16;
    said(sat_query_create(&query, &t, &spec), SAT_ERR_TYPE, "u8 and u16");
    squares.sample = SAT_U8, squares.view.height = 1;
    said(sat_query_create(&query, &t, &spec), SAT_ERR_SHAPE, "different shapes");
    squares.view.height = 2, squares.view.memory = SAT_DEVICE;
    said(sat_query_create(&query, &t, &spec), SAT_ERR_ARGUMENT, "one table in host memory");
    assert_null(query);
    assert_ok(sat_query_create(&query, &t, NULL));
    assert_ok(sat_query_statistics(query, rects, 2, &alone, NULL));
    assert_true(means[0] == 3.5);
    said(sat_query_statistics(query, rects, 2, &ask, NULL), SAT_ERR_ARGUMENT, "a table of the squares");
    sat_query_destroy(&query);
    squares.view.memory = SAT_HOST;
    assert_ok(sat_query_create(&query, &squares, NULL));
    said(sat_query_statistics(query, rects, 2, &alone, NULL), SAT_ERR_ARGUMENT, "power 2");
    sat_query_destroy(&query);
}

/* A table that is given as that of the squares is one, also where no statistic needs it. */
static void squares_that_nothing_needs(void **state)
{
    (void)state;
    uint32_t sums[4] = {1, 3, 5, 14};
    uint64_t of_squares[4] = {1, 5, 17, 70};
    const sat_rect rect = {0, 0, 2, 2};
    const sat_table t = {.view = {.data = sums, .width = 2, .height = 2, .channels = 1, .type = SAT_U32},
                         .layout = SAT_INCLUSIVE,
                         .sample = SAT_U8};
    sat_table squares = {.view = {.data = of_squares, .width = 2, .height = 2, .channels = 1, .type = SAT_U64},
                         .layout = SAT_INCLUSIVE,
                         .sample = SAT_U8,
                         .power = 2};
    double mean;
    const sat_rect_output output = {"mean", &mean};
    const sat_statistics ask = {.output = &output, .outputs = 1};
    assert_ok(sat_table_statistics(&t, &squares, &rect, 1, &ask, NULL));
    assert_ok(sat_table_statistics(&t, NULL, &rect, 1, &ask, NULL));
    assert_true(mean == 3.5);
    said(sat_table_statistics(&t, &t, &rect, 1, &ask, NULL), SAT_ERR_ARGUMENT, "power 1");
    squares.view.height = 1;
    said(sat_table_statistics(&t, &squares, &rect, 1, &ask, NULL), SAT_ERR_SHAPE, "different shapes");
    squares.view.height = 2, squares.sample = SAT_U16;
    said(sat_table_statistics(&t, &squares, &rect, 1, &ask, NULL), SAT_ERR_TYPE, "u8 and u16");
}

/* Bad arguments are refused by the call.  A rectangle that only the table of squares cannot answer is refused by the
 * wait. */
static void statistics_on_a_device(void **state)
{
    (void)state;
    if (!have_device()) skip();
    const uint32_t of_samples[4] = {1, 3, 5, 14}; /* inclusive, of 1 2 4 7 */
    const uint64_t of_squares[4] = {0, 0, 0, 1};  /* exclusive: without the last row and column */
    const sat_rect given[2] = {{0, 0, 2, 2}, {0, 0, 1, 1}};
    sat_table sums = {.view = {.data = device_copy(of_samples, sizeof of_samples),
                               .row_bytes = 8,
                               .width = 2,
                               .height = 2,
                               .channels = 1,
                               .type = SAT_U32,
                               .memory = SAT_DEVICE},
                      .layout = SAT_INCLUSIVE,
                      .sample = SAT_U8};
    sat_table squares = sums;
    squares.view.data = device_copy(of_squares, sizeof of_squares), squares.view.row_bytes = 16;
    squares.view.type = SAT_U64, squares.layout = SAT_EXCLUSIVE, squares.power = 2;
    sat_rect *rects = device_copy(given, sizeof given);
    struct {
        sat_sum sums[2];
        double means[2], roots[2];
        int64_t areas[2];
    } got, *there = device_copy(NULL, sizeof got);
    const sat_rect_output output[] = {{"mean", there->means}, {"rms", there->roots}};
    const sat_statistics ask = {.sums = there->sums, .areas = there->areas, .output = output, .outputs = 2},
                         of_sums = {.output = output, .outputs = 1};
    sat_query *query;

    assert_ok(sat_query_create(&query, &sums, &(sat_query_spec){.squares = &squares}));
    assert_ok(sat_query_statistics(query, rects, 2, &ask, NULL));
    said(sat_query_wait(query, NULL), SAT_ERR_RANGE,
         "rectangle 0 (x=0, y=0, width=2, height=2) touches the last row or column");
    assert_ok(sat_query_wait(query, NULL));
    host_copy(&got, there, sizeof got);
    assert_true(got.sums[0].u == 0 && isnan(got.means[0]) && isnan(got.roots[0]) && got.areas[0] == 0);
    assert_true(got.sums[1].u == 1 && got.means[1] == 1 && got.roots[1] == 1 && got.areas[1] == 1);
    assert_ok(sat_query_statistics(query, rects, 2, &of_sums, NULL)); /* nothing that needs squares */
    assert_ok(sat_query_wait(query, NULL));
    host_copy(&got, there, sizeof got);
    assert_true(got.means[0] == 3.5 && got.means[1] == 1);
    assert_ok(sat_query_statistics(query, NULL, 0, &ask, NULL));
    assert_ok(sat_query_statistics(query, rects, 2, &(sat_statistics){.ddof = 0}, NULL)); /* nothing at all */

    sat_statistics bad = ask;
    bad.ddof = -1, said(sat_query_statistics(query, rects, 2, &bad, NULL), SAT_ERR_ARGUMENT, "ddof");
    bad = ask, bad.areas = (int64_t *)(void *)((char *)there->areas + 4);
    said(sat_query_statistics(query, rects, 1, &bad, NULL), SAT_ERR_ARGUMENT, "aligned");
    said(sat_query_statistics(query, (const sat_rect *)(const void *)((const char *)rects + 4), 1, &ask, NULL),
         SAT_ERR_ARGUMENT, "aligned");
    assert_ok(sat_query_wait(query, NULL));
    sat_query_destroy(&query);

    assert_ok(sat_query_create(&query, &sums, NULL));
    said(sat_query_statistics(query, rects, 2, &ask, NULL), SAT_ERR_ARGUMENT, "a table of the squares");
    sat_query_destroy(&query);
    assert_ok(sat_query_create(&query, &squares, NULL));
    said(sat_query_statistics(query, rects, 2, &of_sums, NULL), SAT_ERR_ARGUMENT, "power 2");
    sat_query_destroy(&query);
    sat_device_free(sums.view.data);
    sat_device_free(squares.view.data);
    sat_device_free(rects);
    sat_device_free(there);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statistics_of_a_query),
        cmocka_unit_test(squares_that_nothing_needs),
        cmocka_unit_test(statistics_on_a_device),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
