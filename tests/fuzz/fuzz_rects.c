/* fuzz_rects.c - rectangles of images with masks, values for no data and NaNs: what sat_query.h does not allow is
 * refused, and counts and sums are those of the definition. */
#include <math.h>

#include "api.h"
#include "sat_query.h"

enum { SIDE = 20, ROWS = 8, CHANNELS = 4 };

typedef struct question {
    sat_view image, mask;
    bool masked, real;
    sat_rect whole;
    sat_rect_f64 sides; /* the same, or a rectangle with fractions */
    sat_statistics ask;
    sat_sum sums[CHANNELS];
    double mean[CHANNELS], var[CHANNELS], count[CHANNELS], area[CHANNELS], areas;
    sat_rect_output output[4];
} question;

static bool is_float(sat_type type)
{
    return type == SAT_F32 || type == SAT_F64;
}

static bool is_signed(sat_type type)
{
    return type == SAT_I8 || type == SAT_I16 || type == SAT_I32;
}

static void take_rect(fuzz_input *in, question *q)
{
    q->real = take_one_in(in, 2);
    q->whole.x = take_int(in, -2, SIDE), q->whole.y = take_int(in, -2, ROWS);
    q->whole.width = take_int(in, 0, SIDE), q->whole.height = take_int(in, 0, ROWS);
    q->sides = (sat_rect_f64){(double)q->whole.x, (double)q->whole.y, (double)q->whole.width, (double)q->whole.height};
    if (!q->real) return;
    q->sides.x += (double)(take(in, 1) % 8) / 8, q->sides.y += (double)(take(in, 1) % 8) / 8;
    q->sides.width -= (double)(take(in, 1) % 8) / 8, q->sides.height -= (double)(take(in, 1) % 8) / 8;
}

static void take_ask(fuzz_input *in, question *q)
{
    const sat_rect_output output[] = {{"mean", q->mean}, {"var", q->var}, {"count", q->count}, {"area", q->area}};
    const int64_t x = (int64_t)(take(in, 1) % (uint64_t)q->image.width);
    memcpy(q->output, output, sizeof output);
    q->ask = (sat_statistics){.flags = take_one_in(in, 2) ? SAT_CLIP : 0,
                              .threads = 1,
                              .ddof = (int64_t)(take(in, 1) % 4),
                              .sums = q->sums,
                              .areas_f64 = &q->areas,
                              .output = q->output,
                              .outputs = 4,
                              .skip_nan = take_one_in(in, 2),
                              .has_nodata = take_one_in(in, 2),
                              .nodata = (double)load_sample(&q->image, x, 0, 0)};
    if (take_one_in(in, 8)) q->ask.nodata = take_real(in);
    if (take_one_in(in, 32)) q->ask.reserved[take(in, 1) % 6] = true;
}

static bool can_be(sat_type type, double v)
{
    const int bits = (int)(8 * sat_type_bytes(type));
    if (type == SAT_F64 || isnan(v)) return is_float(type);
    if (type == SAT_F32) return isinf(v) || fabs(v) < 0x1.ffffffp127; /* the rest is rounded to infinity */
    const double low = is_signed(type) ? -ldexp(1, bits - 1) : 0, end = ldexp(1, is_signed(type) ? bits - 1 : bits);
    return v >= low && v < end && v == floor(v);
}

static bool counts(const question *q, int64_t x, int64_t y, int c)
{
    const long double v = load_sample(&q->image, x, y, c);
    const double nodata = q->image.type == SAT_F32 ? (double)(float)q->ask.nodata : q->ask.nodata;
    if (q->masked && load_sample(&q->mask, x, y, 0) == 0) return false;
    if (isnan(v)) return !q->ask.skip_nan && !(q->ask.has_nodata && isnan(nodata));
    return !q->ask.has_nodata || v != (long double)nodata;
}

/* How much of pixel i lies between two edges. */
static long double covered(double from, double length, int64_t i)
{
    const long double low = fmaxl((long double)from, (long double)i),
                      high = fminl((long double)(from + length), (long double)i + 1);
    return high > low ? high - low : 0;
}

static const char *check(const question *q, int c)
{
    const sat_rect_f64 *r = &q->sides;
    const sat_type type = q->image.type;
    long double n = 0, sum = 0, size = 0, area = 0;
    for (int64_t y = 0; y < q->image.height; y++)
        for (int64_t x = 0; x < q->image.width; x++) {
            const long double w = covered(r->x, r->width, x) * covered(r->y, r->height, y);
            area += w;
            if (w == 0 || !counts(q, x, y, c)) continue;
            const long double v = load_sample(&q->image, x, y, c);
            n += w, sum += w * v, size += w * fabsl(v);
        }
    const long double share = 15 * 0x1p-53L;
    const double is = is_float(type) || q->real ? q->sums[c].f
                      : is_signed(type)         ? (double)q->sums[c].i
                                                : (double)q->sums[c].u;
    if (fabsl((long double)q->area[c] - area) > share * area || q->area[c] != q->areas) return "another area";
    if (fabsl((long double)q->count[c] - n) > (q->real ? share * n : 0)) return "a count is not the definition's";
    if (n == 0)
        return is == 0 && q->count[c] == 0 && isnan(q->mean[c]) && isnan(q->var[c])
                   ? NULL
                   : "an answer where no sample counts";
    if (!isfinite(sum)) return isfinite(is) ? "a sum of numbers that are none" : NULL;
    if (fabsl((long double)is - sum) > share * size) return "a sum is not the definition's";
    if (q->mean[c] != is / q->count[c]) return "a mean is not the sum by the count";
    if (q->count[c] <= (double)q->ask.ddof) return isnan(q->var[c]) ? NULL : "a variance of too few samples";
    return q->var[c] >= 0 ? NULL : "a variance below 0";
}

static const char *ask(fuzz_input *in, question *q, const block *other)
{
    const bool spoilt = take_one_in(in, 8);
    if (spoilt) spoil_view(in, &q->mask, other);
    const sat_view *m = &q->mask;
    const bool fits = view_right(m) && m->type == SAT_U8 && m->channels == 1 && m->memory == SAT_HOST &&
                      m->width == q->image.width && m->height == q->image.height;
    if (q->masked && fits && !view_inside(m, other)) return NULL;
    poison_if_wrong(&q->mask);
    bool right = !q->masked || fits;
    for (int i = 0; i < 6; i++) right = right && !q->ask.reserved[i];
    right = right && (!q->ask.has_nodata || can_be(q->image.type, q->ask.nodata));
    const sat_run_options run = {.mask = q->masked ? m : NULL};
    const sat_status status = q->real ? sat_image_statistics_f64(&q->image, &q->sides, 1, &q->ask, &run)
                                      : sat_image_statistics(&q->image, &q->whole, 1, &q->ask, &run);
    if (!right) return status == SAT_OK ? "a wrong question was answered" : NULL;
    if (status == SAT_ERR_RECT) return NULL;
    if (status != SAT_OK) return "a right question was refused";
    for (int c = 0; c < q->image.channels; c++) {
        const char *why = check(q, c);
        if (why) return why;
    }
    return NULL;
}

static const char *run(const uint8_t *bytes, size_t n)
{
    static const sat_type samples[] = {SAT_U8, SAT_U16, SAT_F32, SAT_U32, SAT_I8, SAT_I16, SAT_I32, SAT_F64};
    fuzz_input in = {bytes, n};
    question q = {.masked = take_one_in(&in, 2)};
    const int64_t width = 1 + (int64_t)(take(&in, 1) % SIDE), height = 1 + (int64_t)(take(&in, 1) % ROWS);
    const int channels = 1 + (int)(take(&in, 1) % CHANNELS);
    const sat_type type = samples[take(&in, 1) % 8];
    const char *why = NULL;
    block from = {0}, over = {0};
    if (block_alloc(&from) && block_alloc(&over)) {
        q.image = take_view(&in, &from, width, height, channels, type);
        q.mask = take_view(&in, &over, width, height, 1, SAT_U8);
    }
    take_rect(&in, &q);
    if (q.image.data && q.mask.data) {
        const unsigned level = (unsigned)take(&in, 1);
        fill_view(&in, &q.image, take_one_in(&in, 2));
        fill_view(&in, &q.mask, false);
        for (int64_t y = 0; y < height; y++)
            for (int64_t x = 0; x < width; x++) {
                uint8_t *at = sample_at(&q.mask, x, y, 0);
                if (*at < level) *at = 0;
            }
        take_ask(&in, &q);
        why = ask(&in, &q, &over);
    }
    free(from.bytes);
    free(over.bytes);
    return why;
}

const fuzz_target fuzz = {.run = run};
