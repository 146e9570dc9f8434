/* Tables of float samples less a level, and of 32-bit integers with squares in f64: variances are those of the pixels,
 * those that rounding has spoilt are counted, and a level depends on the first rows alone. */
#include <float.h>

#include "arrays.h"
#include "emulated.h"
#include "sat_query.h"

enum { RECTS = 60 };

static double gauss_like(void)
{
    double sum = 0;
    for (int i = 0; i < 12; i++) sum += (double)random_in(0, 1 << 20) * 0x1p-20;
    return sum - 6;
}

static void put(const sat_view *v, int64_t x, int64_t y, int c, double value)
{
    void *p = entry_at(v, x, y, c);
    if (v->type == SAT_F32)
        *(float *)p = (float)value;
    else
        *(double *)p = value;
}

typedef struct answers {
    double mean[4 * RECTS], var[4 * RECTS], std[4 * RECTS], rms[4 * RECTS], sum[4 * RECTS];
    int64_t imprecise;
} answers;

static void ask_for(answers *a, sat_statistics *ask, sat_rect_output output[5])
{
    const sat_rect_output outputs[5] = {
        {"mean", a->mean}, {"var", a->var}, {"std", a->std}, {"rms", a->rms}, {"sum", a->sum}};
    memcpy(output, outputs, sizeof outputs);
    *ask = (sat_statistics){.output = output, .outputs = 5, .ddof = 1};
}

static void from_tables(answers *a, const sat_table *sums, const sat_table *squares, const sat_table *counts,
                        const sat_rect *whole, const sat_rect_f64 *reals)
{
    sat_rect_output output[5];
    sat_statistics ask;
    ask_for(a, &ask, output);
    ask.counts = counts, ask.imprecise = &a->imprecise;
    a->imprecise = -1;
    assert_ok(whole ? sat_table_statistics(sums, squares, whole, RECTS, &ask, NULL)
                    : sat_table_statistics_f64(sums, squares, reals, RECTS, &ask, NULL));
}

static void from_pixels(answers *a, const sat_view *image, const sat_view *mask, bool skip_nan, const sat_rect *whole,
                        const sat_rect_f64 *reals)
{
    sat_rect_output output[5];
    sat_statistics ask;
    const sat_run_options run = {.mask = mask};
    ask_for(a, &ask, output);
    ask.skip_nan = skip_nan;
    assert_ok(whole ? sat_image_statistics(image, whole, RECTS, &ask, &run)
                    : sat_image_statistics_f64(image, reals, RECTS, &ask, &run));
}

static void draw_rects(int64_t width, int64_t height, sat_rect *whole, sat_rect_f64 *reals)
{
    for (int i = 0; i < RECTS; i++) {
        const int64_t w = random_in(2, 9), h = random_in(2, 9);
        whole[i] = (sat_rect){random_in(0, width - w), random_in(0, height - h), w, h};
        reals[i] = (sat_rect_f64){(double)whole[i].x + 0.25, (double)whole[i].y + 0.5, (double)w - 0.75, (double)h - 1};
    }
}

static bool is_near(double a, double b, double error)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) <= error;
}

static void compare(const answers *is, const answers *want, int n, double spread, double mean)
{
    for (int i = 0; i < n; i++) {
        const double error = 1e-11 * spread, size = fabs(want->sum[i]) + fabs(mean);
        if (is_near(is->mean[i], want->mean[i], error + 1e-14 * fabs(mean)) &&
            is_near(is->var[i], want->var[i], error * spread) && is_near(is->std[i], want->std[i], 1e-5 * spread) &&
            is_near(is->rms[i], want->rms[i], error + 1e-14 * fabs(mean)) &&
            is_near(is->sum[i], want->sum[i], 1e-10 * spread + 1e-13 * size))
            continue;
        fail_msg("%d: mean %.17g, not %.17g; var %.17g, not %.17g; std %.17g, not %.17g; rms %.17g, not %.17g; sum "
                 "%.17g, not %.17g",
                 i, is->mean[i], want->mean[i], is->var[i], want->var[i], is->std[i], want->std[i], is->rms[i],
                 want->rms[i], is->sum[i], want->sum[i]);
    }
}

/* Means of 10^6 deviations; masks, NaN, channels, layouts, rectangles with fractions. */
static void a_level_keeps_variances(void **state)
{
    enum { W = 90, H = 70 };
    (void)state;
    for (int k = 0; k < 48; k++) {
        const sat_type type = k % 2 ? SAT_F64 : SAT_F32;
        const int channels = 1 + k % 4;
        const bool masked = k % 3 == 0, skip_nan = k % 5 == 0;
        const double deviation = k % 2 ? 1 : 8, mean = k % 7 == 0 ? -1e6 : 1e6;
        sat_view image = guarded(W, H, channels, type, 0), mask = guarded(W, H, 1, SAT_U8, 0);
        sat_plan_spec spec = {.layout = (sat_layout)(k % 2), .skip_nan = skip_nan};
        sat_table sums, squares, counts;
        sat_rect whole[RECTS];
        sat_rect_f64 reals[RECTS];
        answers is, want;
        for (int64_t y = 0; y < H; y++)
            for (int64_t x = 0; x < W; x++) {
                *(uint8_t *)entry_at(&mask, x, y, 0) = y > 20 && random_in(0, 2) > 0;
                for (int c = 0; c < channels; c++)
                    put(&image, x, y, c, skip_nan && random_in(0, 9) == 0 ? NAN : mean + deviation * gauss_like());
            }
        assert_ok(sat_image_level(&image, masked ? &mask : NULL, &spec.level, &spec));
        assert_true(fabs(spec.level - mean) < deviation);
        const sat_run_options run = {.mask = masked ? &mask : NULL};
        assert_ok(sat_tables_of(&image, &spec, &run, &sums, &squares, &counts));
        assert_true(sums.level == spec.level && squares.level == spec.level && counts.level == 0);
        draw_rects(W, H, whole, reals);
        for (int fractions = 0; fractions < 2; fractions++) {
            const sat_rect *all = fractions ? NULL : whole;
            from_tables(&is, &sums, &squares, &counts, all, reals);
            from_pixels(&want, &image, run.mask, skip_nan, all, reals);
            compare(&is, &want, RECTS * channels, 10 * deviation, mean);
            assert_int_equal(is.imprecise, 0);
        }
        sat_view_free(&sums.view), sat_view_free(&squares.view), sat_view_free(&counts.view);
        unguard(&image), unguard(&mask);
    }
}

/* Without a level: from offsets that leave all digits to such that leave none. */
static void spoilt_variances_are_counted(void **state)
{
    enum { W = 300, H = 300 };
    int spoilt = 0, silent = 0;
    (void)state;
    for (int k = 0; k < 30; k++) {
        const double mean = pow(10, k / 3);
        sat_view image = guarded(W, H, 1, SAT_F64, 0);
        sat_table sums, squares;
        sat_rect whole[RECTS];
        sat_rect_f64 reals[RECTS];
        answers is, want;
        for (int64_t y = 0; y < H; y++)
            for (int64_t x = 0; x < W; x++) put(&image, x, y, 0, mean + gauss_like());
        assert_ok(sat_tables_of(&image, NULL, NULL, &sums, &squares, NULL));
        draw_rects(W, H, whole, reals);
        for (int fractions = 0; fractions < 2; fractions++) {
            int wrong = 0;
            from_tables(&is, &sums, &squares, NULL, fractions ? NULL : whole, reals);
            from_pixels(&want, &image, NULL, false, fractions ? NULL : whole, reals);
            for (int i = 0; i < RECTS; i++) wrong += fabs(is.std[i] - want.std[i]) > want.std[i] / 100;
            if (is.imprecise < wrong)
                fail_msg("mean %g: %d deviations are wrong, and %lld counted", mean, wrong, (long long)is.imprecise);
            spoilt += wrong, silent += is.imprecise == 0;
        }
        sat_view_free(&sums.view), sat_view_free(&squares.view);
        unguard(&image);
    }
    printf("# %d spoilt, %d silent\n", spoilt, silent);
    assert_true(spoilt > 300 && silent > 20);
}

/* Squares of 32-bit samples have f64, and are exact below 2^53: so are variances then. */
static void integers_in_floats_lose_nothing(void **state)
{
    enum { W = 90, H = 90 };
    (void)state;
    if (emulated_as("max")) skip(); /* QEMU reads 16 bytes for the 8 of vcvtdq2pd, beyond an array's last page */
    for (int k = 0; k < 12; k++) {
        const sat_type type = k % 2 ? SAT_I32 : SAT_U32;
        const bool constant = k < 4, real = k % 3 == 0;
        sat_view image = guarded(W, H, 1, type, 0);
        sat_table sums, squares;
        sat_rect whole[RECTS];
        sat_rect_f64 reals[RECTS];
        answers is, want;
        for (int64_t y = 0; y < H; y++)
            for (int64_t x = 0; x < W; x++)
                *(uint32_t *)entry_at(&image, x, y, 0) = (uint32_t)(1000001 + (constant ? 0 : random_in(-3, 3)));
        const sat_plan_spec spec = {.accum = real ? SAT_F64 : SAT_TYPE_NONE}, of_squares = {.power = 2};
        assert_ok(sat_table_of(&image, &spec, &sums));
        assert_ok(sat_table_of(&image, &of_squares, &squares));
        draw_rects(W, H, whole, reals);
        for (int fractions = 0; fractions < 2; fractions++) {
            from_tables(&is, &sums, &squares, NULL, fractions ? NULL : whole, reals);
            from_pixels(&want, &image, NULL, false, fractions ? NULL : whole, reals);
            compare(&is, &want, RECTS, 1, 1e6);
            for (int i = 0; i < RECTS; i++) assert_true(!constant || is.std[i] == 0);
            assert_int_equal(is.imprecise, 0);
        }
        sat_view_free(&sums.view), sat_view_free(&squares.view);
        unguard(&image);
    }
}

/* Rows whose samples are invalid have none, and bands of one level are the whole table. */
static void bands_have_the_level_of_the_whole(void **state)
{
    enum { W = 40, H = 64, BAND = 8 };
    (void)state;
    sat_view image = guarded(W, H, 2, SAT_F32, 0);
    sat_plan_spec spec = {
        .width = W, .height = H, .channels = 2, .sample = SAT_F32, .has_nodata = true, .nodata = -9999, .power = 2};
    for (int64_t y = 0; y < H; y++)
        for (int64_t x = 0; x < W; x++)
            for (int c = 0; c < 2; c++)
                put(&image, x, y, c, y < 21 ? -9999 : x == 7 ? (double)INFINITY : x == 8 ? NAN : 100 + gauss_like());
    double level, of_band = NAN;
    assert_ok(sat_image_level(&image, NULL, &level, &spec));
    for (int64_t y = 0; y < H && isnan(of_band); y += BAND) {
        sat_view band = image;
        band.data = (char *)image.data + y * image.row_bytes, band.height = BAND;
        assert_ok(sat_image_level(&band, NULL, &of_band, &spec));
        assert_true(isnan(of_band) == (y < 16));
    }
    assert_true(level == of_band && fabs(level - 100) < 1 && level == (double)(float)level);
    for (int64_t y = 0; y < H; y++)
        put(&image, 7, y, 0, 1), put(&image, 7, y, 1, 2), put(&image, 8, y, 0, 3), put(&image, 8, y, 1, 4);
    spec.level = level;
    sat_table whole;
    sat_plan *plan;
    assert_ok(sat_table_of(&image, &spec, &whole));
    spec.height = BAND, spec.accum = SAT_F64;
    assert_ok(sat_plan_create(&plan, &spec));
    double carry[2 * W];
    sat_view rows = guarded(W + 1, H + 1, 2, SAT_F64, 0);
    for (int64_t y = 0; y < H; y += BAND) {
        sat_view from = image, to = rows;
        from.data = (char *)image.data + y * image.row_bytes, from.height = BAND;
        to.data = (char *)rows.data + (y ? y + 1 : 0) * rows.row_bytes, to.height = BAND + (y == 0);
        assert_ok(
            sat_plan_run(plan, &from, &to,
                         &(sat_run_options){.carry_in = y ? carry : NULL, .carry_out = carry, .continues = y > 0}));
    }
    for (int64_t y = 0; y <= H; y++)
        for (int64_t x = 0; x <= W; x++)
            for (int c = 0; c < 2; c++) assert_true(value_at(&rows, x, y, c) == value_at(&whole.view, x, y, c));
    sat_plan_destroy(&plan);
    sat_view_free(&whole.view);
    unguard(&rows), unguard(&image);
}

static void what_has_no_level(void **state)
{
    (void)state;
    float pixels[4] = {1, 2, 3, 4};
    const sat_view image = {.data = pixels, .width = 2, .height = 2, .channels = 1, .type = SAT_F32};
    sat_plan_spec spec = {.width = 2, .height = 2, .sample = SAT_F32, .level = 3};
    sat_plan *plan;
    sat_table sums, squares;
    double mean, level = 7;
    const sat_rect rect = {0, 0, 2, 2};
    const sat_rect_output output = {"mean", &mean};
    const sat_statistics ask = {.output = &output, .outputs = 1};
    spec.accum = SAT_F32;
    said(sat_plan_create(&plan, &spec), SAT_ERR_TYPE, "level 3: it needs samples of f32 or f64 summed in f64");
    spec.accum = SAT_TYPE_NONE, spec.sample = SAT_U8;
    said(sat_plan_create(&plan, &spec), SAT_ERR_TYPE, "not u8 samples");
    spec.sample = SAT_F32, spec.level = 0.1;
    said(sat_plan_create(&plan, &spec), SAT_ERR_ARGUMENT, "level 0.1");
    spec.level = NAN;
    said(sat_plan_create(&plan, &spec), SAT_ERR_ARGUMENT, "level nan");
    spec.level = 3;
    assert_ok(sat_tables_of(&image, &spec, NULL, &sums, &squares, NULL));
    assert_ok(sat_table_statistics(&sums, &squares, &rect, 1, &ask, NULL));
    assert_true(mean == 2.5);
    squares.level = 2;
    said(sat_table_statistics(&sums, &squares, &rect, 1, &ask, NULL), SAT_ERR_ARGUMENT,
         "the sums have level 3, the squares 2");
    squares.level = 3;
    assert_ok(sat_table_query(&sums, &rect, 1, 0, 1, NULL, &mean));
    assert_true(mean == 2.5);
    assert_ok(sat_table_query(&squares, &rect, 1, 0, 1, NULL, &mean)); /* the squares of what is above the level */
    assert_true(mean == (4 + 1 + 0 + 1) / 4.0);
    sums.level = 0.1;
    said(sat_table_query(&sums, &rect, 1, 0, 1, NULL, &mean), SAT_ERR_ARGUMENT, "table: of level 0.1");
    sums.level = 3, sums.has_invalid = true;
    said(sat_table_query(&sums, &rect, 1, 0, 1, NULL, &mean), SAT_ERR_ARGUMENT, "need the table of counts");
    said(sat_table_statistics(&sums, &squares, &rect, 1, &ask, NULL), SAT_ERR_ARGUMENT, "need the table of counts");
    sat_view_free(&sums.view), sat_view_free(&squares.view);
    assert_int_equal(sat_image_level(&image, NULL, NULL, NULL), SAT_ERR_ARGUMENT);
    assert_int_equal(sat_image_level(NULL, NULL, &level, NULL), SAT_ERR_ARGUMENT);
    spec = (sat_plan_spec){.has_nodata = true, .nodata = 1e300};
    said(sat_image_level(&image, NULL, &level, &spec), SAT_ERR_ARGUMENT, "no sample of type f32");
    const sat_view bytes = {.data = pixels, .width = 2, .height = 2, .channels = 1, .type = SAT_U8};
    assert_ok(sat_image_level(&bytes, NULL, &level, NULL));
    assert_true(level == 0);
    said(sat_image_level(&image, &image, &level, NULL), SAT_ERR_TYPE, "mask");
    const sat_view two = {.data = pixels, .width = 1, .height = 2, .channels = 2, .type = SAT_F32};
    pixels[0] = 100, pixels[1] = 101;
    assert_ok(sat_image_level(&two, NULL, &level, NULL));
    assert_true(level == 100);
    pixels[1] = 1; /* of another size than the other channel */
    assert_ok(sat_image_level(&two, NULL, &level, NULL));
    assert_true(level == 0);
    pixels[0] = pixels[1] = FLT_MAX; /* their sum is none of f32 */
    assert_ok(sat_image_level(&image, NULL, &level, NULL));
    assert_true(level == (double)FLT_MAX);
}

/* One outlier, or a few, in the first row do not move a level: a value for no data that the caller has not named. */
static void outliers_do_not_move_a_level(void **state)
{
    (void)state;
    float row[1000];
    const sat_view image = {.data = row, .width = 1000, .height = 1, .channels = 1, .type = SAT_F32};
    for (int outliers = 0; outliers <= 400; outliers += 100) {
        double level = 0;
        for (int x = 0; x < 1000; x++) row[x] = x < outliers ? -FLT_MAX : 100 + (float)(x % 2);
        assert_ok(sat_image_level(&image, NULL, &level, NULL));
        assert_true(level == 100 || level == 101);
    }
    /* Of 33 samples or fewer it is the median of all; of more, that of as many spread over the row. */
    for (int width = 1; width <= 1000; width++) {
        sat_view part = image;
        double level = 0;
        part.width = width;
        for (int x = 0; x < width; x++) row[x] = 1000 + (float)((x * 7) % width);
        assert_ok(sat_image_level(&part, NULL, &level, NULL));
        if (width <= 33 && width % 7 != 0) assert_true(level == 1000 + (width - 1) / 2);
        for (int x = 0; x < width; x++) row[x] = 1000 + (float)x;
        assert_ok(sat_image_level(&part, NULL, &level, NULL));
        assert_true(fabs(level - (1000 + (width - 1) / 2.)) <= 0.5 + width / 66.);
    }
}

/* A first row that is far from the others makes a level that serves none of them. */
static void a_level_that_serves_none(void **state)
{
    (void)state;
    enum { SIDE = 200 };
    sat_view image = {.width = SIDE, .height = SIDE, .channels = 1, .type = SAT_F64};
    assert_ok(sat_view_alloc(&image));
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) put(&image, x, y, 0, y == 0 ? 1e7 : gauss_like());
    sat_plan_spec spec = {.width = SIDE, .height = SIDE, .sample = SAT_F64};
    sat_table sums, squares;
    assert_ok(sat_image_level(&image, NULL, &spec.level, NULL));
    assert_true(spec.level == 1e7);
    assert_ok(sat_tables_of(&image, &spec, NULL, &sums, &squares, NULL));
    double rms = NAN, std = NAN;
    int64_t imprecise = -1;
    const sat_rect_output root = {"rms", &rms}, deviation = {"std", &std};
    for (int i = 1; i < SIDE - 5; i += 7) {
        const sat_rect rect = {i, i, 5, 5}, one = {i, i, 1, 1};
        const sat_rect_f64 inside = {i + 0.25, i + 0.25, 0.5, 0.5};
        sat_statistics ask = {.output = &root, .outputs = 1, .imprecise = &imprecise};
        assert_ok(sat_table_statistics(&sums, &squares, &rect, 1, &ask, NULL));
        assert_true(rms >= 0 && imprecise == 1);
        ask.output = &deviation;
        assert_ok(sat_table_statistics(&sums, &squares, &one, 1, &ask, NULL));
        assert_true(std == 0 && imprecise == 0);
        assert_ok(sat_table_statistics_f64(&sums, &squares, &inside, 1, &ask, NULL));
        assert_true(std == 0 && imprecise == 0);
    }
    sat_view_free(&image), sat_view_free(&sums.view), sat_view_free(&squares.view);
}

/* The deviation of one pixel that is no number is none. */
static void one_pixel_that_is_no_number(void **state)
{
    (void)state;
    float pixels[9] = {1, 2, 3, 4, 5, 6, 7, 8, NAN};
    const sat_view image = {.data = pixels, .width = 3, .height = 3, .channels = 1, .type = SAT_F32};
    const sat_plan_spec spec = {.width = 3, .height = 3, .sample = SAT_F32};
    const sat_rect rect = {2, 2, 1, 1};
    sat_table sums, squares;
    double std = 7;
    const sat_rect_output output = {"std", &std};
    assert_ok(sat_tables_of(&image, &spec, NULL, &sums, &squares, NULL));
    assert_ok(
        sat_table_statistics(&sums, &squares, &rect, 1, &(sat_statistics){.output = &output, .outputs = 1}, NULL));
    assert_true(std != std);
    sat_view_free(&sums.view), sat_view_free(&squares.view);
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_level_keeps_variances),
        cmocka_unit_test(spoilt_variances_are_counted),
        cmocka_unit_test(integers_in_floats_lose_nothing),
        cmocka_unit_test(bands_have_the_level_of_the_whole),
        cmocka_unit_test(what_has_no_level),
        cmocka_unit_test(outliers_do_not_move_a_level),
        cmocka_unit_test(a_level_that_serves_none),
        cmocka_unit_test(one_pixel_that_is_no_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
