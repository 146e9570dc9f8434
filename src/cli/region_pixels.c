#include "region_pixels.h"

#include <math.h>

#include "rects.h"
#include "sample_type.h"

/* A sum of doubles, and the sum of what its additions lost to rounding: as exact as one in twice the precision, rounded
 * once (Ogita, Rump and Oishi, "Accurate sum and dot product", 2005: Sum2). */
typedef struct float_sum {
    double sum, lost;
} float_sum;

static double total(const float_sum *s)
{
    return isfinite(s->sum) ? s->sum + s->lost : s->sum;
}

/* What is added of each sample x. */
typedef enum term { SAMPLE, SQUARE, DEVIATION, SQUARED_DEVIATION } term;

#define ADD_FLOATS(type, value)                                                                                        \
    for (int64_t i = 0; i < n; i++) {                                                                                  \
        const double x = (double)((const type *)row)[i * channels], added = (value);                                   \
        const double next = sum + added, part = next - sum;                                                            \
        lost += (sum - (next - part)) + (added - part);                                                                \
        sum = next;                                                                                                    \
    }
#define ADD_TERMS(type)                                                                                                \
    switch (what) {                                                                                                    \
    case SAMPLE: ADD_FLOATS(type, x) break;                                                                            \
    case SQUARE: ADD_FLOATS(type, x *x) break;                                                                         \
    case DEVIATION: ADD_FLOATS(type, x - mean) break;                                                                  \
    case SQUARED_DEVIATION: ADD_FLOATS(type, (x - mean) * (x - mean)) break;                                           \
    }
static void add_terms(float_sum *to, const void *row, sat_type type, int64_t n, int channels, term what, double mean)
{
    double sum = to->sum, lost = to->lost;
    switch (type) {
    case SAT_U8: ADD_TERMS(uint8_t) break;
    case SAT_U16: ADD_TERMS(uint16_t) break;
    case SAT_U32: ADD_TERMS(uint32_t) break;
    case SAT_I8: ADD_TERMS(int8_t) break;
    case SAT_I16: ADD_TERMS(int16_t) break;
    case SAT_I32: ADD_TERMS(int32_t) break;
    case SAT_F32: ADD_TERMS(float) break;
    default: ADD_TERMS(double)
    }
    *to = (float_sum){sum, lost};
}
#undef ADD_TERMS
#undef ADD_FLOATS

/* Modulo 2^64, which holds the sum of every rectangle that the library does not refuse. */
#define SUM_OF(type)                                                                                                   \
    for (int64_t i = 0; i < n; i++) sum += (uint64_t)((const type *)row)[i * channels]
static uint64_t sum_integers(const void *row, sat_type type, int64_t n, int channels)
{
    uint64_t sum = 0;
    switch (type) {
    case SAT_U8: SUM_OF(uint8_t); break;
    case SAT_U16: SUM_OF(uint16_t); break;
    case SAT_U32: SUM_OF(uint32_t); break;
    case SAT_I8: SUM_OF(int8_t); break;
    case SAT_I16: SUM_OF(int16_t); break;
    default: SUM_OF(int32_t);
    }
    return sum;
}
#undef SUM_OF

/* One channel of a rectangle. */
typedef struct part {
    const char *first;
    size_t row_bytes;
    sat_type type;
    int64_t width, height;
    int channels;
} part;

static double add_all(const part *p, term what, double mean)
{
    float_sum s = {0, 0};
    for (int64_t y = 0; y < p->height; y++)
        add_terms(&s, p->first + (size_t)y * p->row_bytes, p->type, p->width, p->channels, what, mean);
    return total(&s);
}

/* The samples less their mean, which is rounded; what that leaves of their sum is taken out again (Chan, Golub and
 * LeVeque, "Algorithms for computing the sample variance", 1983: the corrected two-pass algorithm). */
static double variance_of(const part *p, double mean, double pixels, double ddof)
{
    if (pixels <= ddof) return NAN;
    const double rest = add_all(p, DEVIATION, mean), squares = add_all(p, SQUARED_DEVIATION, mean);
    const double variance = (squares - rest * rest / pixels) / (pixels - ddof);
    return variance < 0 ? 0 : variance;
}

static void answer(const image *img, const sat_rect *rect, int c, size_t to, const sat_statistics *ask)
{
    const sat_rect r = part_inside(rect, img->width, img->height);
    if (r.width == 0) return; /* wholly outside: as the library has it */
    const size_t sample = sat_type_bytes(img->type);
    const part p = {.first = (const char *)img->data + (size_t)r.y * img->row_bytes +
                             ((size_t)r.x * (size_t)img->channels + (size_t)c) * sample,
                    .row_bytes = img->row_bytes,
                    .type = img->type,
                    .width = r.width,
                    .height = r.height,
                    .channels = img->channels};
    const double pixels = (double)r.width * (double)r.height;
    sat_sum sum = {0};
    double mean;
    if (is_float_type(img->type)) {
        sum.f = add_all(&p, SAMPLE, 0);
        mean = sum.f / pixels;
    } else {
        for (int64_t y = 0; y < r.height; y++)
            sum.u += sum_integers(p.first + (size_t)y * img->row_bytes, img->type, r.width, img->channels);
        mean = (is_signed_type(img->type) ? (double)sum.i : (double)sum.u) / pixels;
    }
    if (ask->sums) ask->sums[to] = sum;
    if (ask->means) ask->means[to] = mean;
    if (ask->variances || ask->deviations) {
        const double variance = variance_of(&p, mean, pixels, (double)ask->ddof);
        if (ask->variances) ask->variances[to] = variance;
        if (ask->deviations) ask->deviations[to] = sqrt(variance);
    }
    if (ask->roots) ask->roots[to] = sqrt(add_all(&p, SQUARE, 0) / pixels);
}

typedef struct job {
    const image *img;
    const sat_rect *rects;
    size_t n;
    const sat_statistics *ask;
} job;

enum { PART_RECTS = 16 }; /* that a thread takes at a time */

static void answer_part(void *context, int64_t index, int worker)
{
    const job *j = context;
    (void)worker;
    for (size_t i = (size_t)index * PART_RECTS; i < j->n && i < ((size_t)index + 1) * PART_RECTS; i++)
        for (int c = 0; c < j->img->channels; c++)
            answer(j->img, &j->rects[i], c, i * (size_t)j->img->channels + (size_t)c, j->ask);
}

/* A rectangle is one thread's: the same sums on any number of them. */
void region_pixels(const image *img, const sat_rect *list, size_t n, int threads, const sat_statistics *ask)
{
    enum { PIXELS_FOR_THREADS = 1 << 20 };
    job j = {.img = img, .rects = list, .n = n, .ask = ask};
    int64_t left = PIXELS_FOR_THREADS;
    for (size_t i = 0; left > 0 && i < n; i++) {
        sat_rect r = part_inside(&list[i], img->width, img->height);
        left -= r.width * r.height;
    }
    sat_parallel(left <= 0 ? threads : 1, (int64_t)((n + PART_RECTS - 1) / PART_RECTS), answer_part, &j);
}
