/* Rectangles asked of tables of every layout and type are the sums of their pixels; what a table cannot be
 * proven to answer, and what lies outside, is refused in words. */
#include <math.h>
#include <float.h>

#include "arrays.h"
#include "device_memory.h"
#include "emulated.h"

/* A table of the image, allocated here. */
static sat_table table_of(const sat_view *image, sat_type accum, sat_layout layout, const sat_quant *quant)
{
    sat_plan_spec spec = {.width = image->width,
                          .height = image->height,
                          .channels = image->channels,
                          .sample = image->type,
                          .accum = accum,
                          .layout = layout};
    if (quant) spec.quant = *quant;
    int64_t padded = layout == SAT_PADDED;
    sat_table t = {.layout = layout, .sample = image->type, .quant = spec.quant};
    t.view = guarded(image->width + padded, image->height + padded, image->channels, accum, 0);
    sat_plan *plan;
    assert_ok(sat_plan_create(&plan, &spec));
    assert_ok(sat_plan_run(plan, image, &t.view, NULL));
    sat_plan_destroy(&plan);
    return t;
}

static double brute_force(const sat_view *image, sat_rect r, int c)
{
    double sum = 0;
    for (int64_t y = r.y; y < r.y + r.height; y++)
        for (int64_t x = r.x; x < r.x + r.width; x++) sum += value_at(image, x, y, c);
    return sum;
}

static double as_double(sat_type type, sat_sum sum)
{
    return type == SAT_I64 || type == SAT_I32 ? (double)sum.i : type >= SAT_F32 ? sum.f : (double)sum.u;
}

/* The table with rows as they lie, in device memory. */
static sat_table device_table(const sat_table *t)
{
    sat_table there = *t;
    size_t row = sat_row_bytes(t->view.width, t->view.channels, t->view.type);
    there.view.data = device_copy(t->view.data, (size_t)(size_t)t->view.row_bytes * (size_t)(t->view.height - 1) + row);
    there.view.memory = SAT_DEVICE;
    return there;
}

/* Asks the query; on a device, through copies there and back, the rectangles 8 bytes off where `odd`. */
static sat_status ask(sat_query *query, sat_memory memory, const sat_rect *rects, size_t n, size_t results, bool odd,
                      sat_sum *sums, double *means)
{
    if (memory == SAT_HOST) return sat_query_run(query, rects, n, sums, means, NULL);
    char *places = device_copy(NULL, n * sizeof *rects + 8), *at = places + (odd ? 8 : 0);
    void *s = device_copy(NULL, results * sizeof *sums), *m = device_copy(NULL, results * sizeof *means);
    sat_view from = {.data = (void *)(uintptr_t)rects,
                     .row_bytes = (ptrdiff_t)(n * sizeof *rects),
                     .width = (int64_t)(n * sizeof *rects),
                     .height = 1,
                     .channels = 1,
                     .type = SAT_U8};
    sat_view to = from;
    to.data = at, to.memory = SAT_DEVICE;
    assert_ok(sat_device_copy(&from, &to, NULL));
    assert_ok(sat_query_run(query, (const sat_rect *)(const void *)at, n, s, m, NULL));
    sat_status status = sat_query_wait(query, NULL);
    host_copy(sums, s, results * sizeof *sums);
    host_copy(means, m, results * sizeof *means);
    sat_device_free(places);
    sat_device_free(s);
    sat_device_free(m);
    return status;
}

/* A query gives the bytes that sat_table_query() gave. */
static void same_by_query(const sat_table *t, const sat_rect *rects, size_t n, const sat_sum *sums, const double *means)
{
    size_t results = n * (size_t)t->view.channels;
    sat_query *query;
    assert_ok(sat_query_create(&query, t, NULL));
    sat_sum *s = malloc(results * sizeof *s);
    double *m = malloc(results * sizeof *m);
    assert_ok(ask(query, t->view.memory, rects, n, results, n % 2, s, m));
    assert_memory_equal(s, sums, results * sizeof *s);
    assert_memory_equal(m, means, results * sizeof *m);
    sat_query_destroy(&query);
    free(s);
    free(m);
}

static void random_rectangles(sat_type sample, sat_type accum, sat_layout layout)
{
    enum { RECTS = 200 };
    int channels = (int)random_in(1, 4);
    sat_quant eighths = {.offset = -100, .step = 0.125, .largest = 1600};
    sat_view image = guarded(random_in(2, 60), random_in(2, 60), channels, sample, 0);
    randomise(&image);
    sat_table t = table_of(&image, accum, layout, &eighths);
    sat_rect rects[RECTS];
    for (int i = 0; i < RECTS; i++) {
        int64_t w = image.width - (layout == SAT_EXCLUSIVE), h = image.height - (layout == SAT_EXCLUSIVE);
        rects[i].x = random_in(0, w - 1), rects[i].y = random_in(0, h - 1);
        rects[i].width = random_in(1, w - rects[i].x), rects[i].height = random_in(1, h - rects[i].y);
        if ((sample == SAT_U32 && accum == SAT_U32) || (sample == SAT_I32 && accum == SAT_I32))
            rects[i].width = rects[i].height = 1;
    }
    sat_sum sums[RECTS * 4];
    double means[RECTS * 4];
    assert_ok(sat_table_query(&t, rects, RECTS, 0, 0, sums, means));
    for (int i = 0; i < RECTS; i++)
        for (int c = 0; c < channels; c++) {
            double want = brute_force(&image, rects[i], c), got = as_double(accum, sums[i * channels + c]);
            double area = (double)(rects[i].width * rects[i].height), slack = accum == SAT_F32 ? 1e7 * 0x1p-22 : 0;
            if (accum == SAT_F32 && (sample == SAT_U16 || sample == SAT_I16)) slack = 4e8 * 0x1p-22;
            if (accum == SAT_F32 && (sample == SAT_U32 || sample == SAT_I32)) slack = 2e13 * 0x1p-22;
            assert_true(fabs(got - want) <= slack);
            assert_true(fabs(means[i * channels + c] - want / area) <= slack / area + 1e-9 * fabs(want / area) + 1e-12);
        }
    same_by_query(&t, rects, RECTS, sums, means);
    if (have_device()) {
        sat_table there = device_table(&t);
        same_by_query(&there, rects, RECTS, sums, means);
        same_by_query(&there, rects, RECTS - 1, sums, means);
        sat_device_free(there.view.data);
    }
    unguard(&image);
    unguard(&t.view);
}

static void every_type_and_layout(void **state)
{
    static const sat_type pairs[][2] = {{SAT_U8, SAT_U32},  {SAT_U8, SAT_U64},  {SAT_U8, SAT_I64},  {SAT_U8, SAT_F32},
                                        {SAT_U8, SAT_F64},  {SAT_U16, SAT_U32}, {SAT_U16, SAT_I64}, {SAT_U16, SAT_F32},
                                        {SAT_U32, SAT_U32}, {SAT_U32, SAT_U64}, {SAT_U32, SAT_F64}, {SAT_F32, SAT_F32},
                                        {SAT_F32, SAT_F64}, {SAT_F32, SAT_Q32}, {SAT_F64, SAT_F64}, {SAT_F64, SAT_Q32},
                                        {SAT_U8, SAT_I32},  {SAT_U16, SAT_I32}, {SAT_I8, SAT_I32},  {SAT_I8, SAT_I64},
                                        {SAT_I8, SAT_F64},  {SAT_I16, SAT_I32}, {SAT_I16, SAT_I64}, {SAT_I16, SAT_F32},
                                        {SAT_I32, SAT_I32}, {SAT_I32, SAT_I64}, {SAT_I32, SAT_F32}, {SAT_I32, SAT_F64}};
    (void)state;
    if (emulated_as("max")) skip(); /* QEMU reads 16 bytes for the 8 of vcvtdq2pd, beyond an array's last page */
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int layout = SAT_PADDED; layout <= SAT_EXCLUSIVE; layout++)
            random_rectangles(pairs[i][0], pairs[i][1], (sat_layout)layout);
}

/* All samples are the lowest: the largest rectangle of an i32 table sums to -2^31, and one more pixel is refused.  The
 * table of some more rows wraps, and answers them all the same. */
static void the_lowest_sums_are_exact(void **state)
{
    enum { WIDTH = 4096, MORE = 64 };
    (void)state;
    for (sat_type sample = SAT_I8; sample <= SAT_I16; sample++) {
        const bool bytes = sample == SAT_I8;
        const int64_t low = bytes ? INT8_MIN : INT16_MIN, height = -(int64_t)INT32_MIN / -low / WIDTH;
        sat_view image = guarded(WIDTH, height + MORE, 1, sample, 0);
        for (int64_t y = 0; y < image.height; y++)
            for (int64_t x = 0; x < WIDTH; x++) {
                if (bytes)
                    *(int8_t *)entry_at(&image, x, y, 0) = INT8_MIN;
                else
                    *(int16_t *)entry_at(&image, x, y, 0) = INT16_MIN;
            }
        sat_table t = table_of(&image, SAT_I32, SAT_PADDED, NULL);
        const sat_rect rects[] = {{0, 0, WIDTH, height}, {0, MORE, WIDTH, height}, {7, MORE + 3, 1, 1}};
        sat_sum sums[3];
        double means[3];
        assert_ok(sat_table_query(&t, rects, 3, 0, 1, sums, means));
        same_by_query(&t, rects, 3, sums, means);
        assert_true(sums[0].i == INT32_MIN && sums[1].i == INT32_MIN && sums[2].i == low);
        for (int i = 0; i < 3; i++) assert_true(means[i] == (double)low);
        const sat_rect beyond = {0, 0, WIDTH, height + 1};
        said(sat_table_query(&t, &beyond, 1, 0, 1, sums, means), SAT_ERR_RANGE, bytes ? "16777216" : "65536");
        unguard(&image);
        unguard(&t.view);
    }
}

/* 4200 x 4200 white pixels sum to 4498200000, more than 2^32: the table wraps, its rectangles do not. */
static void a_wrapped_table_is_exact(void **state)
{
    (void)state;
    enum { SIDE = 4200 };
    sat_view image = guarded(SIDE, SIDE, 1, SAT_U8, 0);
    memset(image.data, 255, (size_t)SIDE * SIDE);
    sat_table t = table_of(&image, SAT_U32, SAT_PADDED, NULL);
    assert_int_equal(*(uint32_t *)entry_at(&t.view, SIDE, SIDE, 0), (uint32_t)(4498200000u % ((uint64_t)1 << 32)));
    sat_rect fits = {104, 96, 4096, 4104}, too_large = {0, 0, SIDE, SIDE};
    sat_sum sum;
    double mean;
    assert_ok(sat_table_query(&t, &fits, 1, 0, 0, &sum, &mean));
    assert_true(sum.u == (uint64_t)4096 * 4104 * 255 && mean == 255);
    assert_int_equal(sat_table_query(&t, &too_large, 1, 0, 0, &sum, &mean), SAT_ERR_RANGE);
    assert_non_null(strstr(sat_detail(), "16843009")); /* floor((2^32 - 1) / 255) */
    unguard(&image);
    unguard(&t.view);
}

static void outside_and_empty_rectangles(void **state)
{
    static const sat_rect bad[] = {{-1, 0, 2, 2},        {0, -1, 2, 2},        {4, 0, 2, 1},
                                   {0, 3, 1, 1},         {0, 0, 0, 1},         {0, 0, 1, -3},
                                   {INT64_MAX, 0, 1, 1}, {1, 1, INT64_MAX, 1}, {INT64_MIN, 0, INT64_MAX, 1}};
    (void)state;
    sat_view image = guarded(5, 3, 1, SAT_U8, 0);
    memset(image.data, 1, 15);
    sat_table t = table_of(&image, SAT_U64, SAT_PADDED, NULL);
    sat_sum sums[2] = {{.u = 77}, {.u = 77}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sat_rect rects[2] = {{0, 0, 1, 1}, bad[i]};
        assert_int_equal(sat_table_query(&t, rects, 2, 0, 0, sums, NULL), SAT_ERR_RECT);
        assert_non_null(strstr(sat_detail(), "rectangle 1 "));
        assert_true(sums[0].u == 77); /* nothing is written before all are checked */
    }
    sat_rect over[] = {{-10, -10, 12, 11}, {3, 1, 100, INT64_MAX}, {50, 50, 2, 2}};
    sat_sum clipped[3];
    double means[3];
    assert_ok(sat_table_query(&t, over, 3, SAT_CLIP, 0, clipped, means));
    assert_true(clipped[0].u == 2 && clipped[1].u == 4 && clipped[2].u == 0);
    assert_true(means[0] == 1 && means[1] == 1 && isnan(means[2]));
    unguard(&image);
    unguard(&t.view);
}

static void exclusive_tables_lack_the_last_sums(void **state)
{
    (void)state;
    sat_view image = guarded(5, 4, 1, SAT_U8, 0);
    memset(image.data, 1, 20);
    sat_table t = table_of(&image, SAT_U32, SAT_EXCLUSIVE, NULL);
    sat_rect inside = {1, 1, 3, 2}, right = {1, 1, 4, 2}, bottom = {1, 1, 3, 3};
    sat_sum sum;
    assert_ok(sat_table_query(&t, &inside, 1, 0, 0, &sum, NULL));
    assert_true(sum.u == 6);
    assert_int_equal(sat_table_query(&t, &right, 1, 0, 0, &sum, NULL), SAT_ERR_RANGE);
    assert_int_equal(sat_table_query(&t, &bottom, 1, 0, 0, &sum, NULL), SAT_ERR_RANGE);
    unguard(&image);
    unguard(&t.view);
}

/* A table whose description makes no sense proves nothing. */
static void tables_that_do_not_exist(void **state)
{
    (void)state;
    uint32_t sums[4] = {0};
    const sat_rect rect = {0, 0, 1, 1};
    sat_sum sum;
    sat_table t = {.view = {.data = sums, .row_bytes = 8, .width = 2, .height = 2, .channels = 1, .type = SAT_U32},
                   .sample = SAT_U8};
    assert_ok(sat_table_query(&t, &rect, 1, 0, 0, &sum, NULL));
    assert_int_equal(sat_table_query(&t, &rect, 1, 8, 0, &sum, NULL), SAT_ERR_ARGUMENT);
    assert_int_equal(sat_table_query(&t, &rect, 1, 0, -1, &sum, NULL), SAT_ERR_ARGUMENT);
    t.view.memory = SAT_DEVICE;
    assert_int_equal(sat_table_query(&t, &rect, 1, 0, 0, &sum, NULL), SAT_ERR_UNAVAILABLE);
    t.view.memory = SAT_HOST;
    t.sample = SAT_TYPE_NONE;
    assert_int_equal(sat_table_query(&t, &rect, 1, 0, 0, &sum, NULL), SAT_ERR_TYPE);
    t.sample = SAT_F32;
    assert_int_equal(sat_table_query(&t, &rect, 1, 0, 0, &sum, NULL), SAT_ERR_TYPE);
    t.view.type = SAT_Q32;
    assert_int_equal(sat_table_query(&t, &rect, 1, 0, 0, &sum, NULL), SAT_ERR_ARGUMENT);
    static const sat_quant bad[] = {{0, 0.1, 9}, {0, 1, 0},         {0, 1, 4000000000u},
                                    {NAN, 1, 9}, {0, 0x1p-1060, 9}, {0, -1, 9}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sat_plan_spec spec = {.width = 1, .height = 1, .sample = SAT_F32, .accum = SAT_Q32, .quant = bad[i]};
        sat_plan *plan;
        t.quant = bad[i];
        assert_int_equal(sat_table_query(&t, &rect, 1, 0, 0, &sum, NULL), SAT_ERR_ARGUMENT);
        assert_int_equal(sat_plan_create(&plan, &spec), SAT_ERR_ARGUMENT);
    }
}

/* Sums and means that no rectangle has, so that what is not written shows. */
static void poison(sat_sum *sums, double *means, size_t n)
{
    for (size_t i = 0; i < n; i++) sums[i].u = 77, means[i] = 77;
}

/* What sat_table_query() refuses, a query refuses when it is made; it keeps no pointer to the description. */
static void queries_check_their_table(void **state)
{
    (void)state;
    uint32_t sums[4] = {1, 3, 5, 14}; /* inclusive, of 1 2 4 7 */
    const sat_rect rect = {1, 1, 1, 1};
    sat_table t = {.view = {.data = sums, .row_bytes = 8, .width = 2, .height = 2, .channels = 1, .type = SAT_U32},
                   .layout = SAT_INCLUSIVE,
                   .sample = SAT_U8};
    sat_query *query = (sat_query *)(uintptr_t)&t;
    sat_sum sum;
    double mean;
    assert_int_equal(sat_query_create(NULL, &t, NULL), SAT_ERR_ARGUMENT);
    assert_int_equal(sat_query_create(&query, NULL, NULL), SAT_ERR_ARGUMENT);
    assert_null(query);
    said(sat_query_create(&query, &t, &(sat_query_spec){.flags = 8}), SAT_ERR_ARGUMENT, "flags");
    t.sample = SAT_F32, said(sat_query_create(&query, &t, NULL), SAT_ERR_TYPE, "f32");
    t.sample = SAT_U8, t.layout = (sat_layout)3, said(sat_query_create(&query, &t, NULL), SAT_ERR_ARGUMENT, "layout");
    t.layout = SAT_PADDED, t.view.width = 1, said(sat_query_create(&query, &t, NULL), SAT_ERR_SHAPE, "without pixels");
    t.view.type = SAT_Q32, t.sample = SAT_F32,
    said(sat_query_create(&query, &t, NULL), SAT_ERR_ARGUMENT, "fixed point");
    t = (sat_table){.view = {.data = sums, .row_bytes = 8, .width = 2, .height = 2, .channels = 1, .type = SAT_U32},
                    .layout = SAT_INCLUSIVE,
                    .sample = SAT_U8};
    assert_null(query);
    assert_ok(sat_query_create(&query, &t, NULL));
    t = (sat_table){0};
    assert_ok(sat_query_run(query, &rect, 1, &sum, &mean, NULL));
    assert_true(sum.u == 7 && mean == 7);
    sums[3] = 15; /* a new table in the same place */
    assert_ok(sat_query_run(query, &rect, 1, &sum, &mean, NULL));
    assert_true(sum.u == 8 && mean == 8);
    assert_ok(sat_query_run(query, &rect, 1, NULL, NULL, NULL));
    assert_ok(sat_query_run(query, NULL, 0, &sum, &mean, NULL));
    assert_int_equal(sat_query_run(query, NULL, 1, &sum, &mean, NULL), SAT_ERR_ARGUMENT);
    assert_int_equal(sat_query_run(NULL, &rect, 1, &sum, &mean, NULL), SAT_ERR_ARGUMENT);
    said(sat_query_run(query, &(sat_rect){0, 0, 3, 1}, 1, &sum, &mean, NULL), SAT_ERR_RECT, "shape (2, 2)");
    assert_ok(sat_query_wait(query, NULL)); /* has been told */
    assert_int_equal(sat_query_wait(NULL, NULL), SAT_ERR_ARGUMENT);
    sat_query_destroy(&query);
    assert_null(query);
    sat_query_destroy(&query);
    sat_query_destroy(NULL);
}

static void without_a_device_no_query_of_its_memory(void **state)
{
    (void)state;
    if (have_device()) skip();
    uint32_t sums[4] = {0};
    sat_table t = {.view = {.data = sums,
                            .row_bytes = 8,
                            .width = 2,
                            .height = 2,
                            .channels = 1,
                            .type = SAT_U32,
                            .memory = SAT_DEVICE},
                   .sample = SAT_U8};
    sat_query *query;
    said(sat_query_create(&query, &t, NULL), SAT_ERR_UNAVAILABLE, "no device");
    assert_null(query);
}

/* Bad ones are told by the wait, once, the first of them with its numbers; the others have their answers. */
static void bad_rectangles_on_a_device(void **state)
{
    (void)state;
    if (!have_device()) skip();
    enum { N = 3000 };
    sat_view image = guarded(40, 30, 1, SAT_U8, 0);
    memset(image.data, 2, 1200);
    sat_table t = table_of(&image, SAT_U32, SAT_EXCLUSIVE, NULL), there = device_table(&t);
    sat_rect *rects = malloc(N * sizeof *rects);
    sat_sum sums[N];
    double means[N];
    sat_query *query;
    for (int64_t i = 0; i < N; i++) rects[i] = (sat_rect){i % 30, i % 20, 1 + i % 7, 1 + i % 5};
    assert_ok(sat_query_create(&query, &there, NULL));
    rects[2999] = (sat_rect){0, 0, 0, 5};
    rects[1500] = (sat_rect){39, 0, 1, 1};
    rects[700] = (sat_rect){-1, 0, INT64_MAX, 1};
    poison(sums, means, N);
    said(ask(query, SAT_DEVICE, rects, N, N, false, sums, means), SAT_ERR_RECT,
         "rectangle 700 (x=-1, y=0, width=9223372036854775807, height=1) reaches outside the image of shape (30, 40)");
    for (int i = 0; i < N; i++) {
        if (i == 700 || i == 1500 || i == 2999)
            assert_true(sums[i].u == 0 && isnan(means[i]));
        else
            assert_true(sums[i].u == 2 * (uint64_t)(rects[i].width * rects[i].height) && means[i] == 2);
    }
    assert_ok(sat_query_wait(query, NULL));
    rects[700] = rects[0];
    said(ask(query, SAT_DEVICE, rects, N, N, true, sums, means), SAT_ERR_RANGE,
         "rectangle 1500 (x=39, y=0, width=1, height=1) touches");
    rects[1500] = rects[0];
    said(ask(query, SAT_DEVICE, rects, N, N, false, sums, means), SAT_ERR_RECT,
         "rectangle 2999 (x=0, y=0, width=0, height=5) is empty");
    rects[2999] = rects[0];
    assert_ok(ask(query, SAT_DEVICE, rects, N, N, false, sums, means));

    /* Of several runs the lowest index counts, and the memory of the rectangles is free once they are done. */
    sat_rect *given = device_copy(rects, 3 * sizeof *rects);
    const sat_rect bad[3] = {{0, 0, 1, 1}, {5, 6, -7, 8}, {9, 9, 0, 9}};
    sat_rect *places = device_copy(bad, sizeof bad);
    assert_ok(sat_query_run(query, places, 3, NULL, NULL, NULL));
    assert_ok(sat_query_run(query, places + 2, 1, NULL, NULL, NULL));
    assert_ok(sat_query_run(query, given, 3, NULL, NULL, NULL));
    assert_ok(sat_query_run(query, given, 0, NULL, NULL, NULL));
    assert_ok(sat_device_wait(NULL));
    assert_ok(sat_device_fill(places, 0, sizeof bad, NULL));
    said(sat_query_wait(query, NULL), SAT_ERR_RECT, "rectangle 0 (x=9, y=9, width=0, height=9) is empty");
    assert_ok(sat_query_wait(query, NULL));
    said(sat_query_run(query, (const sat_rect *)(const void *)((const char *)given + 4), 1, NULL, NULL, NULL),
         SAT_ERR_ARGUMENT, "aligned");
    sat_device_free(given);
    sat_device_free(places);
    sat_device_free(there.view.data);
    sat_query_destroy(&query);
    free(rects);
    unguard(&image);
    unguard(&t.view);
}

/* No entry is read: what is refused for its size, in the largest tables that there may be. */
static void sizes_beyond_memory(void **state)
{
    (void)state;
    const int64_t side = (int64_t)1 << 40, rows = (int64_t)1 << 20;
    void *nothing = (void *)(uintptr_t)4096;
    const sat_table t = {.view = {.data = nothing,
                                  .row_bytes = (size_t)side * 4,
                                  .width = side,
                                  .height = rows,
                                  .channels = 1,
                                  .type = SAT_U32},
                         .layout = SAT_INCLUSIVE,
                         .sample = SAT_U8};
    const sat_rect all = {0, 0, side, rows}, more = {0, 0, 16843010, 1}, beyond = {1, 0, side, 1};
    said(sat_table_query(&t, &all, 1, 0, 0, NULL, NULL), SAT_ERR_RANGE, "16843009");
    said(sat_table_query(&t, &all, 1, SAT_CLIP, 0, NULL, NULL), SAT_ERR_RANGE, "16843009");
    said(sat_table_query(&t, &more, 1, 0, 0, NULL, NULL), SAT_ERR_RANGE, "16843009");
    said(sat_table_query(&t, &beyond, 1, 0, 0, NULL, NULL), SAT_ERR_RECT, "shape (1048576, 1099511627776)");
}

static void fixed_point(void **state)
{
    static const struct {
        double low, high;
        int64_t px;
    } cases[] = {{0, 1, 225}, {-3.5, 1e6, 100}, {0.1, 0.1, 50},     {-1e-20, 1e-20, 65536},
                 {0, 255, 1}, {5, 6, 16000000}, {-1e-310, 1e300, 9}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sat_quant q;
        assert_ok(sat_quant_for(cases[i].low, cases[i].high, cases[i].px, &q));
        assert_true((uint64_t)q.largest * (uint64_t)cases[i].px <= UINT32_MAX);
        assert_true(q.offset <= cases[i].low && q.offset + q.step * q.largest >= cases[i].high);
        int exponent;
        assert_true(frexp(q.step, &exponent) == 0.5); /* a power of two */
    }
    sat_quant q;
    assert_int_equal(sat_quant_for(0, 1, 17000000, &q), SAT_ERR_RANGE);
    assert_ok(sat_quant_for(0, 1, 16843009, &q)); /* as sat.h says */
    assert_int_equal(sat_quant_for(0, 1, 16843010, &q), SAT_ERR_RANGE);
    assert_int_equal(sat_quant_for(0, INFINITY, 9, &q), SAT_ERR_RANGE);
    static const double narrow[][2] = {
        {0, DBL_TRUE_MIN},  {0, 99 * DBL_TRUE_MIN},        {0, 1e-310},
        {-DBL_TRUE_MIN, 0}, {-DBL_TRUE_MIN, DBL_TRUE_MIN}, {DBL_MIN, DBL_MIN + DBL_TRUE_MIN}};
    for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++) /* no double is as fine a step */
        said(sat_quant_for(narrow[i][0], narrow[i][1], 100, &q), SAT_ERR_RANGE, "too narrow");
    assert_int_equal(sat_quant_for(2, 1, 9, &q), SAT_ERR_RANGE);
    assert_int_equal(sat_quant_for(-DBL_MAX, -DBL_MAX / 2, 9, &q), SAT_ERR_RANGE); /* no multiple of a step below */

    /* A sample outside the range, or NaN, is refused by every backend. */
    sat_backend_info info;
    for (size_t b = 0; sat_backend_at(b, &info); b++) {
        static const float bad[] = {1.5f, -0.5f, NAN};
        for (size_t k = 0; info.available && k < 3; k++) {
            float pixels[64] = {0};
            uint32_t sums[64];
            pixels[40] = bad[k];
            sat_view image = {.data = pixels, .row_bytes = 32, .width = 8, .height = 8, .channels = 1, .type = SAT_F32},
                     table = {.data = sums, .row_bytes = 32, .width = 8, .height = 8, .channels = 1, .type = SAT_Q32};
            sat_plan_spec spec = {.width = 8,
                                  .height = 8,
                                  .sample = SAT_F32,
                                  .accum = SAT_Q32,
                                  .layout = SAT_INCLUSIVE,
                                  .quant = {0, 1.0 / 256, 256},
                                  .backend = info.name};
            sat_plan *plan;
            const sat_status status = sat_plan_create(&plan, &spec);
            if (status == SAT_ERR_TYPE && info.device && !info.filters) continue; /* a scan of the laboratory */
            assert_ok(status);
            assert_int_equal(sat_plan_run(plan, &image, &table, NULL), SAT_ERR_RANGE);
            sat_plan_destroy(&plan);
        }
    }
}

/* The product is rounded before the other is added, whatever the compiler could fuse: make CC=clang CFLAGS='-O2 -mfma'.
 */
static void fixed_point_is_rounded_after_each_step(void **state)
{
    (void)state;
    uint32_t sums[7] = {0};
    const sat_rect all = {0, 0, 7, 1};
    sat_table t = {.view = {.data = sums, .row_bytes = 28, .width = 7, .height = 1, .channels = 1, .type = SAT_Q32},
                   .layout = SAT_INCLUSIVE,
                   .sample = SAT_F32};
    for (int i = 0; i < 1000; i++) {
        sat_sum sum;
        t.quant = (sat_quant){(double)random_in(-1000000, 1000000) / 3e5, 0x1p-20, 1 << 20};
        sums[6] = (uint32_t)random_in(0, 7 << 20);
        volatile double offsets = t.quant.offset * 7, steps = t.quant.step * sums[6];
        assert_ok(sat_table_query(&t, &all, 1, 0, 1, &sum, NULL));
        assert_true(sum.f == offsets + steps);
    }
}

/* Of several that are refused, in the parts of several threads, the one of the lowest index is named. */
static void the_first_bad_of_many_is_named(void **state)
{
    enum { MANY = 40000 };
    static sat_rect many[MANY];
    static double means[MANY];
    uint32_t sums[3][3] = {{0}};
    sat_table t = {
        .view = {.data = sums, .row_bytes = sizeof *sums, .width = 3, .height = 3, .channels = 1, .type = SAT_U32},
        .layout = SAT_PADDED,
        .sample = SAT_U8};
    (void)state;
    for (size_t i = 0; i < MANY; i++) many[i] = (sat_rect){.width = 1, .height = 1};
    for (size_t i = 23456; i < MANY; i += 100) many[i].width = 3;
    for (size_t i = 0; i < MANY; i++) means[i] = -1;
    for (int i = 0; i < 100; i++) {
        assert_int_equal(sat_table_query(&t, many, MANY, 0, 1 + i % 8, NULL, means), SAT_ERR_RECT);
        assert_non_null(strstr(sat_detail(), "rectangle 23456 "));
    }
    for (size_t i = 0; i < MANY; i++) assert_true(means[i] == -1);
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_and_layout),
        cmocka_unit_test(the_lowest_sums_are_exact),
        cmocka_unit_test(a_wrapped_table_is_exact),
        cmocka_unit_test(outside_and_empty_rectangles),
        cmocka_unit_test(exclusive_tables_lack_the_last_sums),
        cmocka_unit_test(tables_that_do_not_exist),
        cmocka_unit_test(fixed_point),
        cmocka_unit_test(fixed_point_is_rounded_after_each_step),
        cmocka_unit_test(queries_check_their_table),
        cmocka_unit_test(without_a_device_no_query_of_its_memory),
        cmocka_unit_test(bad_rectangles_on_a_device),
        cmocka_unit_test(sizes_beyond_memory),
        cmocka_unit_test(the_first_bad_of_many_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
