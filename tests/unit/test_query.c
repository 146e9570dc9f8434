/* Rectangles asked of tables of every layout and type are the sums of their pixels; what a table cannot be
 * proven to answer, and what lies outside, is refused in words. */
#include "arrays.h"

/* A table of the image, allocated here. */
static sat_table table_of(const sat_view *image, sat_type accum, sat_layout layout, const sat_quant *quant)
{
    sat_spec spec = {.width = image->width,
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
    return type == SAT_I64 ? (double)sum.i : type >= SAT_F32 ? sum.f : (double)sum.u;
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
        if (sample == SAT_U32 && accum == SAT_U32) rects[i].width = rects[i].height = 1;
    }
    sat_sum sums[RECTS * 4];
    double means[RECTS * 4];
    assert_ok(sat_table_query(&t, rects, RECTS, 0, 0, sums, means));
    for (int i = 0; i < RECTS; i++)
        for (int c = 0; c < channels; c++) {
            double want = brute_force(&image, rects[i], c), got = as_double(accum, sums[i * channels + c]);
            double area = (double)(rects[i].width * rects[i].height), slack = accum == SAT_F32 ? 1e7 * 0x1p-22 : 0;
            if (accum == SAT_F32 && sample == SAT_U16) slack = 4e8 * 0x1p-22;
            if (accum == SAT_F32 && sample == SAT_U32) slack = 2e13 * 0x1p-22;
            assert_true(fabs(got - want) <= slack);
            assert_true(fabs(means[i * channels + c] - want / area) <= slack / area + 1e-9 * fabs(want / area) + 1e-12);
        }
    unguard(&image);
    unguard(&t.view);
}

static void every_type_and_layout(void **state)
{
    static const sat_type pairs[][2] = {{SAT_U8, SAT_U32},  {SAT_U8, SAT_U64},  {SAT_U8, SAT_I64},  {SAT_U8, SAT_F32},
                                        {SAT_U8, SAT_F64},  {SAT_U16, SAT_U32}, {SAT_U16, SAT_I64}, {SAT_U16, SAT_F32},
                                        {SAT_U32, SAT_U32}, {SAT_U32, SAT_U64}, {SAT_U32, SAT_F64}, {SAT_F32, SAT_F32},
                                        {SAT_F32, SAT_F64}, {SAT_F32, SAT_Q32}, {SAT_F64, SAT_F64}, {SAT_F64, SAT_Q32}};
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int layout = SAT_PADDED; layout <= SAT_EXCLUSIVE; layout++)
            random_rectangles(pairs[i][0], pairs[i][1], (sat_layout)layout);
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
    sat_table t = {.view = {sums, 8, 2, 2, 1, SAT_U32, SAT_HOST}, .sample = SAT_U8};
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
        sat_spec spec = {.width = 1, .height = 1, .sample = SAT_F32, .accum = SAT_Q32, .quant = bad[i]};
        sat_plan *plan;
        t.quant = bad[i];
        assert_int_equal(sat_table_query(&t, &rect, 1, 0, 0, &sum, NULL), SAT_ERR_ARGUMENT);
        assert_int_equal(sat_plan_create(&plan, &spec), SAT_ERR_ARGUMENT);
    }
}

static void fixed_point(void **state)
{
    static const struct {
        double low, high;
        int64_t px;
    } cases[] = {{0, 1, 225}, {-3.5, 1e6, 100}, {0.1, 0.1, 50}, {-1e-20, 1e-20, 65536}, {0, 255, 1}, {5, 6, 16000000}};
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
    assert_int_equal(sat_quant_for(0, INFINITY, 9, &q), SAT_ERR_RANGE);
    assert_int_equal(sat_quant_for(2, 1, 9, &q), SAT_ERR_RANGE);

    /* A sample outside the range, or NaN, is refused by every backend. */
    sat_backend_info info;
    for (size_t b = 0; sat_backend_at(b, &info); b++) {
        static const float bad[] = {1.5f, -0.5f, NAN};
        for (size_t k = 0; info.kind < SAT_CEILING && info.available && k < 3; k++) {
            float pixels[64] = {0};
            uint32_t sums[64];
            pixels[40] = bad[k];
            sat_view image = {pixels, 32, 8, 8, 1, SAT_F32, SAT_HOST}, table = {sums, 32, 8, 8, 1, SAT_Q32, SAT_HOST};
            sat_spec spec = {.width = 8,
                             .height = 8,
                             .sample = SAT_F32,
                             .accum = SAT_Q32,
                             .layout = SAT_INCLUSIVE,
                             .quant = {0, 1.0 / 256, 256},
                             .backend = info.name};
            sat_plan *plan;
            assert_ok(sat_plan_create(&plan, &spec));
            assert_int_equal(sat_plan_run(plan, &image, &table, NULL), SAT_ERR_RANGE);
            sat_plan_destroy(&plan);
        }
    }
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_and_layout),        cmocka_unit_test(a_wrapped_table_is_exact),
        cmocka_unit_test(outside_and_empty_rectangles), cmocka_unit_test(exclusive_tables_lack_the_last_sums),
        cmocka_unit_test(tables_that_do_not_exist),     cmocka_unit_test(fixed_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
