/* Statistics of rectangles straight from images: those of the definition, and of tables; of views with gaps and of
 * several images, on any number of threads.  Then what else reads samples one by one: ranges, masks, the rounding of
 * tables, light. */
#include <float.h>

#include "arrays.h"
#include "sat_image.h"
#include "sat_light.h"
#include "sat_query.h"
#include "sat_window.h"

enum { WIDTH = 37, HEIGHT = 29, IMAGES = 2, RECTS = 60, MOST = RECTS * IMAGES * 4 };

static const sat_type types[] = {SAT_U8, SAT_U16, SAT_U32, SAT_I8, SAT_I16, SAT_I32, SAT_F32, SAT_F64};
enum { TYPES = sizeof types / sizeof *types };

static long double sample(const sat_view *v, int64_t i, int64_t x, int64_t y, int c)
{
    const char *at = (const char *)v->data + i * v->image_bytes + y * v->row_bytes + x * pixel_bytes_of(v) +
                     c * (ptrdiff_t)sat_type_bytes(v->type);
    switch (v->type) {
    case SAT_U8: return *(const uint8_t *)at;
    case SAT_U16: return *(const uint16_t *)(const void *)at;
    case SAT_U32: return *(const uint32_t *)(const void *)at;
    case SAT_I8: return *(const int8_t *)at;
    case SAT_I16: return *(const int16_t *)(const void *)at;
    case SAT_I32: return *(const int32_t *)(const void *)at;
    case SAT_F32: return (long double)*(const float *)(const void *)at;
    default: return (long double)*(const double *)(const void *)at;
    }
}

/* Two images with a pixel's gap between pixels, and rows with more; the last byte is the last before a guard page. */
static sat_view gappy(sat_type type, int channels)
{
    const ptrdiff_t size = (ptrdiff_t)sat_type_bytes(type), pixel = (channels + 1) * size;
    sat_view v = {.width = WIDTH, .height = HEIGHT, .channels = channels, .type = type, .count = IMAGES};
    v.pixel_bytes = pixel, v.row_bytes = pixel * (WIDTH + 2), v.image_bytes = v.row_bytes * HEIGHT;
    v = guard(v);
    for (int64_t i = 0; i < IMAGES; i++)
        for (int64_t y = 0; y < HEIGHT; y++)
            for (int64_t x = 0; x < WIDTH; x++)
                for (int c = 0; c < channels; c++) {
                    char *at = (char *)v.data + i * v.image_bytes + y * v.row_bytes + x * pixel + c * size;
                    const uint64_t bits = random64();
                    const double real = (double)(int64_t)bits * 0x1p-60;
                    if (type == SAT_F32)
                        *(float *)(void *)at = (float)real;
                    else if (type == SAT_F64)
                        *(double *)(void *)at = real;
                    else
                        memcpy(at, &bits, (size_t)size);
                }
    return v;
}

static void random_rects(sat_rect rects[RECTS])
{
    for (int i = 0; i < RECTS; i++) {
        const int64_t x = random_in(0, WIDTH - 1), y = random_in(0, HEIGHT - 1);
        rects[i] = (sat_rect){x, y, random_in(1, WIDTH - x), random_in(1, HEIGHT - y)};
    }
}

typedef struct answers {
    sat_sum sums[MOST];
    double mean[MOST], var[MOST], std[MOST], rms[MOST], sum[MOST], count[MOST], areas_f64[RECTS];
    int64_t areas[RECTS];
    sat_rect_output output[6];
    sat_statistics ask;
} answers;

static void ask_for_all(answers *a, int threads, int64_t ddof)
{
    memset(a, 0x5a, sizeof *a);
    const sat_rect_output output[6] = {{"mean", a->mean}, {"var", a->var}, {"std", a->std},
                                       {"rms", a->rms},   {"sum", a->sum}, {"count", a->count}};
    memcpy(a->output, output, sizeof output);
    a->ask = (sat_statistics){.threads = threads,
                              .ddof = ddof,
                              .sums = a->sums,
                              .areas = a->areas,
                              .areas_f64 = a->areas_f64,
                              .output = a->output,
                              .outputs = 6};
}

static bool near(long double have, long double want, long double share)
{
    return fabsl(have - want) <= share * 0x1p-52L;
}

/* Against sums in long double: exact of integers up to 16 bits, and near the others. */
static void those_of_the_definition(void **state)
{
    static answers a, again;
    (void)state;
    for (int t = 0; t < TYPES; t++)
        for (int channels = 1; channels <= 4; channels++) {
            const sat_view v = gappy(types[t], channels);
            sat_rect rects[RECTS];
            random_rects(rects);
            ask_for_all(&a, 1, t % 2);
            assert_ok(sat_image_statistics(&v, rects, RECTS, &a.ask, NULL));
            for (int64_t i = 0; i < IMAGES; i++)
                for (int k = 0; k < RECTS; k++)
                    for (int c = 0; c < channels; c++) {
                        const sat_rect *r = &rects[k];
                        const size_t at = ((size_t)i * RECTS + (size_t)k) * (size_t)channels + (size_t)c;
                        const long double n = (long double)(r->width * r->height);
                        long double s1 = 0, s2 = 0, size = 0, deviation = 0;
                        for (int64_t y = r->y; y < r->y + r->height; y++)
                            for (int64_t x = r->x; x < r->x + r->width; x++) {
                                const long double value = sample(&v, i, x, y, c);
                                s1 += value, s2 += value * value, size += fabsl(value);
                            }
                        for (int64_t y = r->y; y < r->y + r->height; y++)
                            for (int64_t x = r->x; x < r->x + r->width; x++) {
                                const long double d = sample(&v, i, x, y, c) - s1 / n;
                                deviation += d * d;
                            }
                        const bool is_real = types[t] == SAT_F32 || types[t] == SAT_F64;
                        const bool is_signed = types[t] == SAT_I8 || types[t] == SAT_I16 || types[t] == SAT_I32;
                        if (is_real)
                            assert_true(near((long double)a.sums[at].f, s1, size));
                        else
                            assert_true((is_signed ? (long double)a.sums[at].i : (long double)a.sums[at].u) == s1);
                        assert_true(near((long double)a.sum[at], s1, size));
                        assert_true(near((long double)a.mean[at], s1 / n, size / n));
                        assert_true(near((long double)a.rms[at], sqrtl(s2 / n), 2 * sqrtl(s2 / n)));
                        assert_true(a.count[at] == (double)n && a.areas[k] == r->width * r->height);
                        assert_true(a.areas_f64[k] == (double)n);
                        const long double by = n - (t % 2);
                        if (by <= 0)
                            assert_true(isnan(a.var[at]) && isnan(a.std[at]));
                        else
                            assert_true(near((long double)a.var[at], deviation / by, 4 * (deviation / by + 1e-9L)));
                        if (by > 0) assert_true(a.std[at] == sqrt(a.var[at]) && a.var[at] >= 0);
                    }
            ask_for_all(&again, 5, t % 2);
            assert_ok(sat_image_statistics(&v, rects, RECTS, &again.ask, NULL));
            assert_memory_equal(a.var, again.var, sizeof a.var);
            assert_memory_equal(a.sums, again.sums, sizeof a.sums);
        }
}

/* The bits of two exact tables, whole and with fractions, cut to the image or not. */
static void those_of_tables(void **state)
{
    static answers a, b;
    (void)state;
    for (int t = 0; t < TYPES; t++) {
        if (sat_type_bytes(types[t]) > 2) continue;
        const sat_view image = gappy(types[t], 3);
        sat_table table, squares;
        sat_plan_spec spec = {.width = WIDTH, .height = HEIGHT, .channels = 3, .count = IMAGES, .sample = types[t]};
        spec.strided = true, spec.accum = types[t] == SAT_I8 || types[t] == SAT_I16 ? SAT_I64 : SAT_U64;
        for (int power = 1; power <= 2; power++) {
            sat_plan *plan;
            sat_table *to = power == 1 ? &table : &squares;
            spec.power = power;
            if (power == 2) spec.accum = SAT_U64;
            assert_ok(sat_table_for(&spec, to));
            assert_ok(sat_view_alloc(&to->view));
            assert_ok(sat_plan_create(&plan, &spec));
            assert_ok(sat_plan_run(plan, &image, &to->view, NULL));
            sat_plan_destroy(&plan);
        }
        sat_rect rects[RECTS];
        sat_rect_f64 reals[RECTS];
        random_rects(rects);
        for (int i = 0; i < RECTS; i++) {
            if (i % 3 == 0) rects[i].x -= 20, rects[i].y += 15; /* partly or wholly outside */
            reals[i] = (sat_rect_f64){(double)rects[i].x + 0.3, (double)rects[i].y - 0.2, (double)rects[i].width * 0.9,
                                      (double)rects[i].height + 0.1};
        }
        ask_for_all(&a, 1, 1), ask_for_all(&b, 1, 1);
        a.ask.flags = b.ask.flags = SAT_CLIP;
        assert_ok(sat_image_statistics(&image, rects, RECTS, &a.ask, NULL));
        assert_ok(sat_table_statistics(&table, &squares, rects, RECTS, &b.ask, NULL));
        assert_memory_equal(&a, &b, offsetof(answers, output));
        ask_for_all(&a, 3, 0), ask_for_all(&b, 1, 0);
        a.ask.flags = b.ask.flags = SAT_CLIP, a.ask.areas = b.ask.areas = NULL;
        assert_ok(sat_image_statistics_f64(&image, reals, RECTS, &a.ask, NULL));
        assert_ok(sat_table_statistics_f64(&table, &squares, reals, RECTS, &b.ask, NULL));
        assert_memory_equal(&a, &b, offsetof(answers, output));
        sat_view_free(&table.view);
        sat_view_free(&squares.view);
    }
}

static void run_backwards(void *context, int jobs, void (*job)(void *argument, int i), void *argument)
{
    ++*(int *)context;
    for (int i = jobs - 1; i >= 0; i--) job(argument, i);
}

/* The first bad one of many is named, before anything is written; an executor does the work. */
static void large_images(void **state)
{
    (void)state;
    enum { SIDE = 1024 };
    static uint8_t pixels[SIDE * SIDE];
    static const sat_view v = {
        .data = pixels, .row_bytes = SIDE, .width = SIDE, .height = SIDE, .channels = 1, .type = SAT_U8};
    int runs = 0;
    const sat_executor executor = {.run = run_backwards, .context = &runs};
    sat_sum sums[3] = {{.u = 7}, {.u = 7}, {.u = 7}};
    memset(pixels, 3, sizeof pixels);
    sat_rect rects[3] = {{0, 0, SIDE, SIDE}, {1, 1, SIDE, 1}, {0, 0, 0, 1}};
    const sat_statistics ask = {.sums = sums, .executor = &executor, .threads = 4};
    said(sat_image_statistics(&v, rects, 3, &ask, NULL), SAT_ERR_RECT,
         "rectangle 1 (x=1, y=1, width=1024, height=1) reaches outside");
    said(sat_image_statistics(&v, rects + 2, 1, &ask, NULL), SAT_ERR_RECT,
         "rectangle 0 (x=0, y=0, width=0, height=1) is empty");
    assert_true(sums[0].u == 7);
    rects[1].width = rects[2].width = 2;
    assert_ok(sat_image_statistics(&v, rects, 3, &ask, NULL));
    assert_true(sums[0].u == 3U * SIDE * SIDE && sums[1].u == 6 && sums[2].u == 6 && runs > 0);
}

/* ---- ranges, masks, rounding ---------------------------------------------------------------------------- */

static void ranges_and_masks(void **state)
{
    (void)state;
    for (int t = 0; t < TYPES; t++) {
        const sat_view v = gappy(types[t], 3);
        double low, high;
        long double least = INFINITY, most = -INFINITY;
        for (int64_t i = 0; i < IMAGES; i++)
            for (int64_t y = 0; y < HEIGHT; y++)
                for (int64_t x = 0; x < WIDTH; x++)
                    for (int c = 0; c < 3; c++) {
                        least = fminl(least, sample(&v, i, x, y, c));
                        most = fmaxl(most, sample(&v, i, x, y, c));
                    }
        assert_ok(sat_image_range(&v, 1 + t % 3, &low, &high));
        assert_true((long double)low == least && (long double)high == most);

        static uint8_t mask[IMAGES][HEIGHT][WIDTH];
        const sat_view m = {.data = mask,
                            .row_bytes = WIDTH,
                            .width = WIDTH,
                            .height = HEIGHT,
                            .channels = 1,
                            .type = SAT_U8,
                            .count = IMAGES,
                            .image_bytes = sizeof *mask};
        memset(mask, 9, sizeof mask);
        memset((char *)v.data + v.image_bytes + 2 * v.row_bytes + 5 * v.pixel_bytes, 0, 3 * sat_type_bytes(v.type));
        memset(v.data, 0, sat_type_bytes(v.type)); /* one channel of three */
        assert_ok(sat_mask_clear(&m, &v, t % 2));
        for (int64_t i = 0; i < IMAGES; i++)
            for (int64_t y = 0; y < HEIGHT; y++)
                for (int64_t x = 0; x < WIDTH; x++) {
                    bool set = false;
                    for (int c = 0; c < 3; c++) set = set || sample(&v, i, x, y, c) != 0;
                    assert_int_equal(mask[i][y][x], set ? 9 : 0);
                }
        assert_int_equal(mask[1][2][5], 0);
        assert_int_equal(mask[0][0][0], 9);
        if (types[t] != SAT_F32) continue;
        *(float *)(void *)((char *)v.data + v.image_bytes + 3 * v.row_bytes + 4 * v.pixel_bytes + 4) = NAN;
        *(float *)(void *)((char *)v.data + v.image_bytes + 7 * v.row_bytes) = INFINITY;
        said(sat_image_range(&v, 2, &low, &high), SAT_ERR_RANGE, "the sample at 4,3 of image 1 is not finite");
    }
}

static void values_of_types(void **state)
{
    (void)state;
    assert_true(sat_type_holds(SAT_U8, 255) && !sat_type_holds(SAT_U8, 256) && !sat_type_holds(SAT_U8, -1));
    assert_true(sat_type_holds(SAT_I8, -128) && !sat_type_holds(SAT_I8, 128) && !sat_type_holds(SAT_I8, 0.5));
    assert_true(sat_type_holds(SAT_U32, 0x1p32 - 1) && !sat_type_holds(SAT_U32, 0x1p32));
    assert_true(!sat_type_holds(SAT_I32, NAN) && !sat_type_holds(SAT_I32, INFINITY));
    assert_true(sat_type_holds(SAT_F32, NAN) && sat_type_holds(SAT_F32, -INFINITY) && sat_type_holds(SAT_F32, 0.1));
    assert_true(!sat_type_holds(SAT_F32, 0x1p128) && sat_type_holds(SAT_F64, 0x1p128));
    assert_true(!sat_type_holds(SAT_Q32, 1) && !sat_type_holds(SAT_TYPE_NONE, 0) && !sat_type_holds((sat_type)99, 0));
    assert_int_equal(sat_real_type(SAT_U8), SAT_F32);
    assert_int_equal(sat_real_type(SAT_I16), SAT_F32);
    assert_int_equal(sat_real_type(SAT_F32), SAT_F32);
    assert_int_equal(sat_real_type(SAT_U32), SAT_F64);
    assert_int_equal(sat_real_type(SAT_I32), SAT_F64);
    assert_int_equal(sat_real_type(SAT_F64), SAT_F64);
    assert_int_equal(sat_real_type(SAT_U64), SAT_TYPE_NONE);
    assert_int_equal(sat_real_type(SAT_Q32), SAT_TYPE_NONE);
}

/* An f32 table of 5000 x 4000 u8 samples of 255 adds beyond 2^24; only its last row is there. */
static void rounding(void **state)
{
    (void)state;
    enum { SIDE = 5000, ROWS = 4000 };
    static float last[SIDE];
    sat_table t = {
        .view = {.data = last, .row_bytes = sizeof last, .width = SIDE, .height = 1, .channels = 1, .type = SAT_F32},
        .layout = SAT_INCLUSIVE,
        .sample = SAT_U8};
    sat_rounding r;
    for (int i = 0; i < SIDE; i++) last[i] = (float)i;
    assert_ok(sat_table_rounding(&t, ROWS, NULL, &r));
    assert_true(r.largest == SIDE - 1 && r.exact == 0x1p24 && r.error == 0 && r.lost_x == -1 && !r.by_type);
    last[SIDE - 1] = 255.f * SIDE * ROWS;
    assert_ok(sat_table_rounding(&t, ROWS, NULL, &r));
    const double u = 0x1p-24, g = (SIDE + ROWS) * u / (1 - (SIDE + ROWS) * u);
    assert_true(r.error > 4 * g * r.largest && r.error < 5 * g * r.largest && r.lost_x == -1);
    last[SIDE - 1] = last[17] = INFINITY;
    assert_ok(sat_table_rounding(&t, ROWS, NULL, &r));
    assert_int_equal(r.lost_x, 17);
    last[SIDE - 1] = last[17] = 0;
    t.sample = SAT_I8;
    assert_ok(sat_table_rounding(&t, ROWS, NULL, &r));
    assert_true(r.by_type && r.largest == 128.0 * SIDE * ROWS && r.error > 0);
    t.sample = SAT_F32;
    assert_ok(sat_table_rounding(&t, ROWS, NULL, &r));
    assert_true(isnan(r.error) && r.lost_x == -1);

    /* Squares of 32 bits, 2000000000 and one more, are 8e18 and 1 in f64, which holds multiples of 1024 there. */
    static double squares[2] = {4e18, 8.000000004e18};
    sat_table of_squares = {
        .view = {.data = squares, .row_bytes = sizeof squares, .width = 2, .height = 1, .channels = 1, .type = SAT_F64},
        .layout = SAT_INCLUSIVE,
        .sample = SAT_I32,
        .power = 2};
    assert_ok(sat_table_rounding(&of_squares, 1, NULL, &r));
    assert_true(r.error >= 1024 && r.error < 1e5 && r.largest == squares[1]);
    squares[1] = 0x1p52;
    assert_ok(sat_table_rounding(&of_squares, 1, NULL, &r));
    assert_true(r.error == 0);
}

/* ---- light ---------------------------------------------------------------------------------------------- */

/* All samples come back, of one row; light is that of IEC 61966-2-1; alpha is in proportion. */
static void light(void **state)
{
    (void)state;
    for (int wide = 0; wide < 2; wide++) {
        const int64_t n = wide ? 65536 : 256;
        const sat_type type = wide ? SAT_U16 : SAT_U8;
        const size_t size = sat_type_bytes(type);
        sat_view srgb = guard((sat_view){
                     .width = n, .height = 1, .channels = 2, .type = type, .row_bytes = n * 2 * (ptrdiff_t)size}),
                 back = guard(srgb),
                 linear =
                     guard((sat_view){.width = n, .height = 1, .channels = 2, .type = SAT_F32, .row_bytes = n * 8});
        for (int64_t i = 0; i < n; i++)
            for (int c = 0; c < 2; c++) memcpy((char *)srgb.data + (size_t)(2 * i + c) * size, &i, size);
        const sat_light_spec spec = {.sample = type, .alpha = true};
        sat_light *l;
        int64_t clipped = -1;
        assert_ok(sat_light_create(&l, &spec));
        assert_ok(sat_light_from_srgb(l, &srgb, &linear));
        const float *v = linear.data;
        for (int64_t i = 0; i < n; i++) {
            const double s = (double)i / (double)(n - 1);
            const double want = s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4);
            assert_true(v[2 * i] == (float)want && v[2 * i + 1] == (float)i / (float)(n - 1));
            assert_true(sat_light_of(s) == want);
        }
        assert_ok(sat_light_to_srgb(l, &linear, &back, &clipped));
        assert_memory_equal(srgb.data, back.data, (size_t)n * 2 * size);
        assert_int_equal(clipped, 0);
        ((float *)linear.data)[0] = -1, ((float *)linear.data)[2] = 2, ((float *)linear.data)[4] = NAN;
        ((float *)linear.data)[5] = 2; /* alpha is not counted */
        assert_ok(sat_light_to_srgb(l, &linear, &back, &clipped));
        assert_int_equal(clipped, 2);
        uint16_t low = 1, high = 0, none = 1;
        memcpy(&low, back.data, size), memcpy(&high, (char *)back.data + 2 * size, size);
        memcpy(&none, (char *)back.data + 4 * size, size);
        assert_true((low & (n - 1)) == 0 && high == n - 1 && (none & (n - 1)) == 0);
        sat_light_destroy(&l);
        assert_null(l);
    }
}

/* Does GDAL take one for the other?  ARE_REAL_EQUAL() of gdal_priv.h, of doubles and of floats. */
static bool same_for_gdal(double a, double b)
{
    return fabs(a - b) < (double)FLT_EPSILON * fabs(a + b) * 2 ||
           fabsf((float)a - (float)b) < FLT_EPSILON * fabsf((float)a + (float)b) * 2;
}

/* What stands beside a value is another, near it, on the side that was asked for, and another to GDAL. */
static void values_beside_others(void **state)
{
    (void)state;
    static const sat_type integers[] = {SAT_U8, SAT_I8, SAT_U16, SAT_I16, SAT_U32, SAT_I32};
    static const double low[] = {0, INT8_MIN, 0, INT16_MIN, 0, INT32_MIN};
    static const double high[] = {UINT8_MAX, INT8_MAX, UINT16_MAX, INT16_MAX, UINT32_MAX, INT32_MAX};
    for (int i = 0; i < 6; i++)
        for (double v = low[i]; v <= high[i]; v = v == low[i] ? 7 : v == 7 ? high[i] : INFINITY) {
            assert_true(sat_type_beside(integers[i], v, false) == (v == high[i] ? v - 1 : v + 1));
            assert_true(sat_type_beside(integers[i], v, true) == (v == low[i] ? v + 1 : v - 1));
        }
    static const float near_two[] = {0x1.fffffep0F, 0x1.fffffcp0F, 0x1.fffffap0F, 0x1.ffffeep0F, 0x1.ffffe0p0F};
    for (int i = 0; i < 200000; i++) {
        const sat_type type = i % 2 ? SAT_F32 : SAT_F64;
        double v = ldexp(1 + (double)random_in(0, 0xffffff) * 0x1p-24, (int)random_in(-105, 125));
        if (i < 10) v = (double)near_two[i / 2];
        if (i % 50 == 0) v = ldexp(1, (int)random_in(-105, 125));
        if (i % 3 == 0) v = -v;
        if (type == SAT_F32) v = (double)(float)v;
        for (int below = 0; below < 2; below++) {
            const double b = sat_type_beside(type, v, below);
            const double held = type == SAT_F32 ? (double)(float)b : b;
            if ((below ? held >= v : held <= v) || same_for_gdal(v, held) || fabs(held - v) > fabs(v) * 0x1p-18)
                fail_msg("%a: %a", v, held);
        }
    }
    for (sat_type type = SAT_F32; type <= SAT_F64; type++) {
        const double most = type == SAT_F32 ? (double)FLT_MAX : DBL_MAX;
        assert_true(sat_type_beside(type, 0, false) == (double)FLT_MIN &&
                    sat_type_beside(type, 0, true) == -(double)FLT_MIN);
        assert_true(sat_type_beside(type, most, false) < most && sat_type_beside(type, -most, true) > -most);
        assert_true(sat_type_beside(type, INFINITY, false) == most && sat_type_beside(type, -INFINITY, true) == -most);
    }
}

/* Names, flags and parameters of the table: rectangles take none. */
static void the_table(void **state)
{
    (void)state;
    sat_rect_statistic_info info;
    sat_statistic_info window;
    size_t n = 0;
    for (; sat_rect_statistic_at(n, &info); n++) {
        assert_true(*info.name && *info.summary && *info.equation);
        assert_true(!info.variance || info.squares);
        for (size_t i = 0; sat_statistic_at(i, &window); i++)
            if (strcmp(window.name, info.name) == 0) {
                assert_string_equal(window.summary, info.summary);
                for (int k = 0; k < SAT_PARAMETERS; k++) assert_true(window.parameter[k].value == 0);
            }
    }
    assert_true(n >= 7 && !sat_rect_statistic_at(n, &info) && !sat_rect_statistic_at(0, NULL));
}

/* Around each sample: its own light makes it, and light a hair beside that makes another. */
static void nodata_is_kept_for_its_own_light(void **state)
{
    (void)state;
    for (int k = 0; k < 256; k++) {
        const sat_light_spec spec = {.sample = SAT_U8, .has_nodata = true, .nodata = k};
        const float own = (float)sat_light_of(k / 255.0);
        float light[] = {own, nextafterf(own, -1), nextafterf(own, 2)};
        uint8_t made[3];
        const sat_view linear = {.data = light, .width = 3, .height = 1, .channels = 1, .type = SAT_F32};
        const sat_view srgb = {.data = made, .width = 3, .height = 1, .channels = 1, .type = SAT_U8};
        sat_light *l;
        assert_ok(sat_light_create(&l, &spec));
        assert_ok(sat_light_to_srgb(l, &linear, &srgb, NULL));
        assert_int_equal(made[0], k);
        assert_int_equal(made[1], k > 0 ? k - 1 : 1);
        assert_int_equal(made[2], k < 255 ? k + 1 : 254);
        sat_light_destroy(&l);
    }
    sat_light *l;
    said(sat_light_create(&l, &(sat_light_spec){.sample = SAT_U8, .has_nodata = true, .nodata = 256}), SAT_ERR_ARGUMENT,
         "nodata 256: no sample of type u8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_of_the_definition),
        cmocka_unit_test(those_of_tables),
        cmocka_unit_test(large_images),
        cmocka_unit_test(ranges_and_masks),
        cmocka_unit_test(values_of_types),
        cmocka_unit_test(values_beside_others),
        cmocka_unit_test(rounding),
        cmocka_unit_test(light),
        cmocka_unit_test(the_table),
        cmocka_unit_test(nodata_is_kept_for_its_own_light),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
