/* Rectangles of images some of whose samples do not count: a mask, a value for no data, NaNs.
 *
 * Each answer is compared with sums in long double over the samples that count, and its bits with those of an image
 * that has these samples alone. */
#include "arrays.h"
#include "sat_query.h"

enum { RECTS = 12, SIDE = 1300, MOST = RECTS * 2 * 4, STATS = 7 };

static const sat_type types[] = {SAT_U8, SAT_U16, SAT_U32, SAT_I8, SAT_I16, SAT_I32, SAT_F32, SAT_F64};
enum { TYPES = sizeof types / sizeof *types };

/* An image or two, and which samples count by it. */
typedef struct subject {
    sat_view image, mask;
    bool masked, skip_nan, has_nodata;
    double nodata;
} subject;

static bool is_float(sat_type type)
{
    return type == SAT_F32 || type == SAT_F64;
}

static void set(void *at, sat_type type, double value)
{
    switch (type) {
    case SAT_U8: *(uint8_t *)at = (uint8_t)value; break;
    case SAT_I8: *(int8_t *)at = (int8_t)value; break;
    case SAT_U16: *(uint16_t *)at = (uint16_t)value; break;
    case SAT_I16: *(int16_t *)at = (int16_t)value; break;
    case SAT_U32: *(uint32_t *)at = (uint32_t)value; break;
    case SAT_I32: *(int32_t *)at = (int32_t)value; break;
    case SAT_F32: *(float *)at = (float)value; break;
    default: *(double *)at = value;
    }
}

/* Image i of a view alone. */
static sat_view one_of(const sat_view *v, int64_t i)
{
    sat_view one = sat_view_image(v, i);
    one.count = 1;
    return one;
}

/* The definition. */
static bool counts(const subject *s, int64_t i, int64_t x, int64_t y, int c)
{
    const sat_view image = one_of(&s->image, i), mask = s->masked ? one_of(&s->mask, i) : image;
    const double value = value_at(&image, x, y, c);
    if (s->masked && value_at(&mask, x, y, 0) == 0) return false;
    if (s->skip_nan && isnan(value)) return false;
    return !s->has_nodata || value != (s->image.type == SAT_F32 ? (double)(float)s->nodata : s->nodata);
}

/* Samples of which a fifth are the value, and an eighth of floats NaN where that does not count. */
static subject random_subject(sat_type type, int channels, int64_t width, int64_t height)
{
    subject s = {.masked = random_in(0, 2) > 0, .has_nodata = random_in(0, 1)};
    s.image = guarded_images(width, height, 2, channels, type, (size_t)random_in(0, 2), 3, 5);
    s.mask = guarded_images(width, height, 2, 1, SAT_U8, (size_t)random_in(0, 1), 2, 1);
    s.nodata = is_float(type) ? -9999.1 : (double)random_in(0, 1) * 100;
    s.skip_nan = is_float(type) && random_in(0, 1);
    randomise(&s.image);
    for (int64_t i = 0; i < 2; i++) {
        const sat_view image = one_of(&s.image, i), mask = one_of(&s.mask, i);
        for (int64_t y = 0; y < height; y++)
            for (int64_t x = 0; x < width; x++) {
                *(uint8_t *)entry_at(&mask, x, y, 0) = random_in(0, 3) ? (uint8_t)random_in(1, 255) : 0;
                for (int c = 0; c < channels; c++) {
                    void *at = entry_at(&image, x, y, c);
                    if (random_in(0, 4) == 0) set(at, type, s.nodata);
                    if (s.skip_nan && random_in(0, 7) == 0) set(at, type, NAN);
                }
            }
        for (int64_t x = 0; x < width; x++) *(uint8_t *)entry_at(&mask, x, 0, 0) = 0; /* rectangles without any */
    }
    return s;
}

static void free_subject(subject *s)
{
    unguard(&s->image);
    unguard(&s->mask);
}

static const char *const names[STATS] = {"mean", "var", "std", "rms", "sum", "count", "area"};
enum { MEAN, VAR, STD, RMS, SUM, COUNT, AREA };

typedef struct answers {
    sat_sum sums[MOST];
    double of[STATS][MOST], areas_f64[RECTS];
    int64_t areas[RECTS];
    sat_rect_output output[STATS];
} answers;

static sat_statistics question(answers *a, const subject *s, int threads, int64_t ddof)
{
    memset(a, 0x5a, sizeof *a);
    for (int k = 0; k < STATS; k++) a->output[k] = (sat_rect_output){names[k], a->of[k]};
    return (sat_statistics){.threads = threads,
                            .ddof = ddof,
                            .sums = a->sums,
                            .areas_f64 = a->areas_f64,
                            .output = a->output,
                            .outputs = STATS,
                            .skip_nan = s->skip_nan,
                            .has_nodata = s->has_nodata,
                            .nodata = s->nodata};
}

static void answer(answers *a, const subject *s, const sat_rect *whole, const sat_rect_f64 *real, size_t n, int threads,
                   int64_t ddof)
{
    sat_statistics ask = question(a, s, threads, ddof);
    const sat_run_options run = {.mask = s->masked ? &s->mask : NULL};
    if (whole) ask.areas = a->areas;
    assert_ok(whole ? sat_image_statistics(&s->image, whole, n, &ask, &run)
                    : sat_image_statistics_f64(&s->image, real, n, &ask, &run));
}

/* What is compared bit by bit; NaNs differ in theirs. */
static bool same(const answers *a, size_t i, const answers *b, size_t k)
{
    for (int j = 0; j < STATS; j++) {
        const double x = a->of[j][i], y = b->of[j][k];
        if (j != AREA && !(x == y || (isnan(x) && isnan(y)))) return false;
    }
    return a->sums[i].u == b->sums[k].u;
}

static bool near(double have, long double want, long double share)
{
    return fabsl((long double)have - want) <= share * 0x1p-50L;
}

static long double covered(int64_t at, double from, double to)
{
    return fminl((long double)to, (long double)at + 1) - fmaxl((long double)from, (long double)at);
}

/* Answer number `at` of channel c against sums over the samples that count, weighted by the area that is covered. */
static void check(const subject *s, int64_t i, const sat_rect_f64 *r, int c, const answers *a, size_t at, int64_t ddof)
{
    const sat_view image = one_of(&s->image, i);
    const int64_t left = (int64_t)floor(r->x), top = (int64_t)floor(r->y);
    const double right = r->x + r->width, bottom = r->y + r->height;
    long double n = 0, s1 = 0, s2 = 0, size = 0, deviations = 0;
    for (int again = 0; again < 2; again++)
        for (int64_t y = top; (double)y < bottom; y++)
            for (int64_t x = left; (double)x < right; x++) {
                if (!counts(s, i, x, y, c)) continue;
                const long double w = covered(x, r->x, right) * covered(y, r->y, bottom),
                                  v = (long double)value_at(&image, x, y, c), d = again ? v - s1 / n : 0;
                deviations += w * d * d;
                if (!again) n += w, s1 += w * v, s2 += w * v * v, size += w * fabsl(v);
            }
    assert_true(near(a->of[COUNT][at], n, n));
    assert_true(near(a->of[AREA][at], (long double)r->width * (long double)r->height, n + 1));
    assert_true(near(a->of[SUM][at], s1, size));
    if (n == 0) {
        for (int j = MEAN; j <= RMS; j++) assert_true(isnan(a->of[j][at]));
        assert_true(a->of[SUM][at] == 0 && a->of[COUNT][at] == 0 && a->sums[at].u == 0);
        return;
    }
    assert_true(near(a->of[MEAN][at], s1 / n, size / n));
    assert_true(near(a->of[RMS][at], sqrtl(s2 / n), 2 * sqrtl(s2 / n)));
    const long double by = n - (long double)ddof, share = by > 0 ? n / by : 0;
    if (by <= 0)
        assert_true(isnan(a->of[VAR][at]));
    else
        assert_true(near(a->of[VAR][at], deviations / by, 64 * share * share * (deviations / n + 1)));
}

/* The bits of an image that has the samples that count alone, in one row. */
static void check_alone(const subject *s, int64_t i, const sat_rect *r, int c, const answers *a, size_t at,
                        int64_t ddof)
{
    static answers alone;
    const subject all = {.masked = false};
    const sat_view image = one_of(&s->image, i);
    sat_view row = guarded(r->width * r->height, 1, 1, s->image.type, 0);
    sat_rect kept = {.height = 1};
    for (int64_t y = r->y; y < r->y + r->height; y++)
        for (int64_t x = r->x; x < r->x + r->width; x++)
            if (counts(s, i, x, y, c))
                memcpy(entry_at(&row, kept.width++, 0, 0), entry_at(&image, x, y, c), sat_type_bytes(s->image.type));
    if (kept.width > 0) {
        const sat_statistics ask = question(&alone, &all, 1, ddof);
        assert_ok(sat_image_statistics(&row, &kept, 1, &ask, NULL));
        assert_true(same(a, at, &alone, 0));
        assert_true(a->of[COUNT][at] == (double)kept.width);
    }
    unguard(&row);
}

static sat_rect random_rect(int64_t width, int64_t height)
{
    const int64_t x = random_in(0, width - 1), y = random_in(0, height - 1);
    return (sat_rect){x, y, random_in(1, width - x), random_in(1, height - y)};
}

static void check_all(const subject *s, const sat_rect *whole, const sat_rect_f64 *real, int64_t ddof)
{
    static answers a, again;
    const int channels = s->image.channels;
    answer(&a, s, whole, NULL, RECTS, 1, ddof);
    answer(&again, s, whole, NULL, RECTS, 3, ddof);
    assert_memory_equal(&a.sums, &again.sums, sizeof a - sizeof a.output);
    for (size_t at = 0; at < (size_t)(RECTS * 2 * channels); at++) {
        const size_t k = at / (size_t)channels % RECTS;
        const int64_t i = (int64_t)(at / (size_t)channels / RECTS);
        const int c = (int)(at % (size_t)channels);
        const sat_rect *r = &whole[k];
        const sat_rect_f64 sides = {(double)r->x, (double)r->y, (double)r->width, (double)r->height};
        check(s, i, &sides, c, &a, at, ddof);
        check_alone(s, i, r, c, &a, at, ddof);
        assert_true(a.areas[k] == r->width * r->height && a.areas_f64[k] == (double)a.areas[k]);
    }
    answer(&a, s, NULL, real, RECTS, 2, ddof);
    for (size_t at = 0; at < (size_t)(RECTS * 2 * channels); at++)
        check(s, (int64_t)(at / (size_t)channels / RECTS), &real[at / (size_t)channels % RECTS],
              (int)(at % (size_t)channels), &a, at, ddof);
}

static void those_of_the_definition(void **state)
{
    (void)state;
    for (int turn = 0; turn < 12; turn++)
        for (int t = 0; t < TYPES; t++) {
            const int64_t width = turn == 0 ? SIDE : random_in(1, 40), height = turn == 0 ? 3 : random_in(1, 30);
            subject s = random_subject(types[t], 1 + (turn + t) % 4, width, height);
            sat_rect whole[RECTS];
            sat_rect_f64 real[RECTS];
            for (int k = 0; k < RECTS; k++) {
                whole[k] = random_rect(width, height);
                if (k == 0) whole[k] = (sat_rect){0, 0, width, height};
                if (k == 1) whole[k].y = 0, whole[k].height = 1;
                const double dx = (double)random_in(0, 7) / 16, dy = (double)random_in(0, 7) / 16;
                real[k] = (sat_rect_f64){(double)whole[k].x + dx, (double)whole[k].y + dy,
                                         (double)whole[k].width - 2 * dx, (double)whole[k].height - dy};
            }
            check_all(&s, whole, real, turn % 3);
            free_subject(&s);
        }
}

static void fill(const sat_view *masks, uint8_t value)
{
    for (int64_t i = 0; i < masks->count; i++) {
        const sat_view mask = one_of(masks, i);
        for (int64_t y = 0; y < mask.height; y++)
            for (int64_t x = 0; x < mask.width; x++) *(uint8_t *)entry_at(&mask, x, y, 0) = value;
    }
}

/* Gives samples the value where the mask is 0, and another one where they had it. */
static void mark(const subject *s, double value)
{
    for (int64_t i = 0; i < s->image.count; i++) {
        const sat_view image = one_of(&s->image, i), mask = one_of(&s->mask, i);
        for (int64_t y = 0; y < image.height; y++)
            for (int64_t x = 0; x < image.width; x++) {
                void *at = entry_at(&image, x, y, 0);
                if (value_at(&image, x, y, 0) == value) set(at, image.type, 1);
                if (value_at(&mask, x, y, 0) == 0) set(at, image.type, value);
            }
    }
}

/* Of one channel: ones in a mask, a hole elsewhere, and the value where the mask is 0 change no bit. */
static void what_changes_nothing(void **state)
{
    const sat_rect rects[] = {{3, 2, 25, 9}, {0, 1, 33, 10}, {5, 5, 1, 1}};
    const sat_rect_f64 real[] = {{3.25, 2.5, 24.5, 8.75}, {0.1, 1.7, 32.1, 9.9}, {5.2, 5.2, 0.3, 0.3}};
    enum { N = sizeof rects / sizeof *rects, ALL = 2 * N };
    static answers a, b;
    (void)state;
    for (int t = 0; t < 2 * TYPES; t++) {
        const sat_type type = types[t / 2];
        const sat_rect *whole = t % 2 ? NULL : rects;
        subject s = random_subject(type, 1, 33, 20), by_mask = s, by_value = s, plain = s;
        by_mask.masked = true, by_mask.has_nodata = false;
        by_value.masked = false, by_value.has_nodata = true, by_value.nodata = 77;
        plain.masked = plain.skip_nan = plain.has_nodata = false;
        mark(&s, 77);
        answer(&a, &by_mask, whole, real, N, 1, 1);
        answer(&b, &by_value, whole, real, N, 1, 1);
        for (size_t k = 0; k < ALL; k++) assert_true(same(&a, k, &b, k));
        answer(&a, &plain, whole, real, N, 1, 1);
        for (size_t k = 0; k < ALL; k++) assert_false(same(&a, k, &b, k) && k % N < 2);
        fill(&s.mask, 1);
        by_mask.skip_nan = false;
        for (int far = 0; far < 2; far++) {
            answer(&b, &by_mask, whole, real, N, 1, 1);
            for (size_t k = 0; k < ALL; k++) assert_true(same(&a, k, &b, k));
            for (int64_t i = 0; i < 2; i++) {
                const sat_view mask = one_of(&s.mask, i);
                for (int64_t x = 0; x < 33; x++) *(uint8_t *)entry_at(&mask, x, 12 + x % 8, 0) = 0;
            }
        }
        free_subject(&s);
    }
}

/* Tables refuse what they have no counts for; images what no sample can be, and masks of other shapes. */
static void refusals(void **state)
{
    (void)state;
    uint8_t pixels[6] = {1, 2, 3, 4, 5, 6}, ones[6] = {1, 1, 1, 1, 1, 1};
    uint32_t entries[6] = {1, 3, 6, 5, 12, 21};
    double mean = -1;
    const sat_rect all = {0, 0, 3, 2};
    const sat_rect_f64 real = {0, 0, 2.5, 2};
    const sat_rect_output output = {"mean", &mean};
    sat_view image = {.data = pixels, .width = 3, .height = 2, .channels = 1, .type = SAT_U8}, mask = image;
    const sat_table table = {.view = {.data = entries, .width = 3, .height = 2, .channels = 1, .type = SAT_U32},
                             .layout = SAT_INCLUSIVE};
    sat_statistics ask = {.output = &output, .outputs = 1, .has_nodata = true, .nodata = 256};
    sat_run_options run = {.mask = &mask};
    mask.data = ones;
    said(sat_image_statistics(&image, &all, 1, &ask, NULL), SAT_ERR_ARGUMENT, "nodata 256: no sample of type u8");
    ask.nodata = 1;
    said(sat_table_statistics(&table, NULL, &all, 1, &ask, NULL), SAT_ERR_ARGUMENT, "nodata: for images");
    said(sat_table_statistics_f64(&table, NULL, &real, 1, &ask, NULL), SAT_ERR_ARGUMENT, "nodata: for images");
    ask.has_nodata = false, ask.skip_nan = true;
    said(sat_table_statistics(&table, NULL, &all, 1, &ask, NULL), SAT_ERR_ARGUMENT, "skip_nan: for images");
    ask.skip_nan = false;
    said(sat_table_statistics(&table, NULL, &all, 1, &ask, &run), SAT_ERR_ARGUMENT, "mask");
    ask.counts = &table;
    said(sat_image_statistics(&image, &all, 1, &ask, NULL), SAT_ERR_ARGUMENT, "counts");
    ask.counts = NULL, ask.reserved[5] = true;
    said(sat_image_statistics(&image, &all, 1, &ask, NULL), SAT_ERR_ARGUMENT, "reserved");
    ask.reserved[5] = false, mask.width = 2;
    said(sat_image_statistics(&image, &all, 1, &ask, &run), SAT_ERR_SHAPE, "mask: shape (2, 2, 1)");
    mask.width = 3, mask.type = SAT_I8;
    said(sat_image_statistics(&image, &all, 1, &ask, &run), SAT_ERR_TYPE, "mask");
    mask.type = SAT_U8, mask.memory = SAT_DEVICE;
    said(sat_image_statistics(&image, &all, 1, &ask, &run), SAT_ERR_UNAVAILABLE, "mask");
    assert_true(mean == -1);
    mask.memory = SAT_HOST, ones[0] = 0;
    assert_ok(sat_image_statistics(&image, &all, 1, &ask, &run));
    assert_true(mean == 4);
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_of_the_definition),
        cmocka_unit_test(what_changes_nothing),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
