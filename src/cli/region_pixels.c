#include "region_pixels.h"

#include <math.h>

#include "quotient.h"
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
    if (type == SAT_F32)
        ADD_TERMS(float)
    else
        ADD_TERMS(double)
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

#define SQUARES_OF(type, wide)                                                                                         \
    for (int64_t i = 0; i < n; i++) {                                                                                  \
        const wide x = (wide)((const type *)row)[i * channels];                                                        \
        sum += (uint64_t)(x * x);                                                                                      \
    }
/* Of up to 2^31 samples of 8 or 16 bits, whose squares are at most 2^32. */
static uint64_t square_narrow(const void *row, sat_type type, int64_t n, int channels)
{
    uint64_t sum = 0;
    switch (type) {
    case SAT_U8: SQUARES_OF(uint8_t, uint32_t) break;
    case SAT_U16: SQUARES_OF(uint16_t, uint32_t) break;
    case SAT_I8: SQUARES_OF(int8_t, int32_t) break;
    default: SQUARES_OF(int16_t, int32_t)
    }
    return sum;
}

/* Of samples of 32 bits, whose squares are below 2^64. */
static u128 square_wide(const void *row, sat_type type, int64_t n, int channels)
{
    u128 sum = 0;
    if (type == SAT_U32)
        SQUARES_OF(uint32_t, uint64_t)
    else
        SQUARES_OF(int32_t, int64_t)
    return sum;
}
#undef SQUARES_OF

/* Exact. */
static u128 square_integers(const char *row, sat_type type, int64_t n, int channels)
{
    enum { PIECE = 1 << 30 };
    const size_t bytes = sat_type_bytes(type);
    u128 sum = 0;
    if (bytes == 4) return square_wide(row, type, n, channels);
    for (int64_t i = 0; i < n; i += PIECE)
        sum += square_narrow(row + (size_t)i * (size_t)channels * bytes, type, n - i < PIECE ? n - i : PIECE, channels);
    return sum;
}

/* One channel of whole pixels, which count with one weight. */
typedef struct part {
    const char *first;
    size_t row_bytes;
    sat_type type;
    int64_t width, height;
    int channels;
    double weight;
} part;

/* Of a rectangle: one, or with fractions up to nine. */
typedef struct parts {
    int n;
    part of[9];
    double area; /* px */
} parts;

static double add_rows(const part *p, term what, double mean)
{
    float_sum s = {0, 0};
    for (int64_t y = 0; y < p->height; y++)
        add_terms(&s, p->first + (size_t)y * p->row_bytes, p->type, p->width, p->channels, what, mean);
    return total(&s);
}

static double add_all(const parts *p, term what, double mean)
{
    double sum = 0;
    for (int i = 0; i < p->n; i++) sum += p->of[i].weight * add_rows(&p->of[i], what, mean);
    return sum;
}

static uint64_t add_integers(const part *p)
{
    uint64_t sum = 0;
    for (int64_t y = 0; y < p->height; y++)
        sum += sum_integers(p->first + (size_t)y * p->row_bytes, p->type, p->width, p->channels);
    return sum;
}

static u128 add_squares(const part *p)
{
    u128 sum = 0;
    for (int64_t y = 0; y < p->height; y++)
        sum += square_integers(p->first + (size_t)y * p->row_bytes, p->type, p->width, p->channels);
    return sum;
}

/* (n * S2 - S1 * S1) / (n * (n - ddof)), an exact quotient, rounded once.  m is the largest magnitude of a sample.  The
 * library refuses rectangles whose sum may be none of 64 bits: n * m < 2^64 for unsigned samples, n * m <= 2^63 for
 * signed ones.  S1 * S1 and n * S2 are at most (n * m)^2 < 2^128.  Their difference is at most n^2 / 4 times the square
 * of the range (Popoviciu: a variance is at most a quarter of that).  Unsigned, the range is at most m: n^2 * m^2 / 4
 * < 2^126.  Signed, it is below 2 * m: (n * m)^2 <= 2^126. */
static double integer_variance(uint64_t n, uint64_t magnitude, u128 squares, uint64_t ddof)
{
    if (n <= ddof) return NAN;
    return quotient_of(n * squares - (u128)magnitude * magnitude, (u128)n * (n - ddof));
}

/* The samples less their mean, which is rounded; what that leaves of their sum is taken out again (Chan, Golub and
 * LeVeque, "Algorithms for computing the sample variance", 1983: the corrected two-pass algorithm). */
static double variance_of(const parts *p, double mean, double ddof)
{
    if (p->area <= ddof) return NAN;
    const double rest = add_all(p, DEVIATION, mean), squares = add_all(p, SQUARED_DEVIATION, mean);
    const double variance = (squares - rest * rest / p->area) / (p->area - ddof);
    return variance < 0 ? 0 : variance;
}

static void add_part(parts *p, const image *img, int c, const sat_rect *r, double weight)
{
    const size_t at = ((size_t)r->x * (size_t)img->channels + (size_t)c) * sat_type_bytes(img->type);
    p->of[p->n++] = (part){.first = (const char *)img->data + (size_t)r->y * img->row_bytes + at,
                           .row_bytes = img->row_bytes,
                           .type = img->type,
                           .width = r->width,
                           .height = r->height,
                           .channels = img->channels,
                           .weight = weight};
}

/* A side from an edge to another, cut where the share of its pixels that is covered changes: [at[i], at[i+1]) has
 * weight[i].  Returns how many pieces that makes. */
static int cut(double from, double to, int64_t at[4], double weight[3])
{
    const int64_t first = (int64_t)floor(from), end = (int64_t)ceil(to);
    const double edges[4] = {from, fmin(ceil(from), to), fmax(floor(to), fmin(ceil(from), to)), to};
    int n = 0;
    at[0] = first;
    for (int i = 0; i < 3; i++) {
        if (!(edges[i + 1] > edges[i])) continue;
        at[n + 1] = i == 2 || edges[i + 1] == to ? end : (int64_t)edges[i + 1];
        weight[n] = (edges[i + 1] - edges[i]) / (double)(at[n + 1] - at[n]);
        n++;
    }
    return n;
}

static void cut_rect(parts *p, const image *img, int c, const sat_rect_f64 *rect)
{
    const double x0 = fmax(rect->x, 0), x1 = fmin(rect->x + rect->width, (double)img->width);
    const double y0 = fmax(rect->y, 0), y1 = fmin(rect->y + rect->height, (double)img->height);
    int64_t x[4], y[4];
    double wide[3], high[3];
    if (!(x1 > x0) || !(y1 > y0)) return;
    const int columns = cut(x0, x1, x, wide), rows = cut(y0, y1, y, high);
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++) {
            const sat_rect r = {.x = x[i], .y = y[j], .width = x[i + 1] - x[i], .height = y[j + 1] - y[j]};
            add_part(p, img, c, &r, wide[i] * high[j]);
        }
    p->area = (x1 - x0) * (y1 - y0);
}

static parts parts_of(const image *img, int c, const rect_chunk *one)
{
    parts p;
    p.n = 0;
    p.area = 0;
    if (one->real) {
        cut_rect(&p, img, c, one->real);
        return p;
    }
    const sat_rect r = part_inside(one->whole, img->width, img->height);
    if (r.width > 0) add_part(&p, img, c, &r, 1);
    p.area = (double)r.width * (double)r.height;
    return p;
}

/* What is asked for of one channel. */
typedef struct moments {
    sat_sum sum;
    double mean, variance, mean_square;
} moments;

static moments real_moments(const parts *p, const sat_statistics *ask)
{
    moments m = {.sum.f = add_all(p, SAMPLE, 0)};
    m.mean = m.sum.f / p->area;
    if (ask->variances || ask->deviations) m.variance = variance_of(p, m.mean, (double)ask->ddof);
    if (ask->roots) m.mean_square = add_all(p, SQUARE, 0) / p->area;
    return m;
}

/* Integers whose parts have weights, as the library has them from tables (src/lib/query_fractions.c): the same bits. */
static moments weighted_moments(const parts *p, const sat_statistics *ask)
{
    const bool is_signed = is_signed_type(p->of->type), squares = ask->variances || ask->deviations || ask->roots;
    moments m = {.sum.f = 0};
    i128 s1[9], s2[9];
    for (int k = 0; k < p->n; k++) {
        const uint64_t sum = add_integers(&p->of[k]);
        s1[k] = is_signed ? (i128)(int64_t)sum : (i128)sum;
        s2[k] = squares ? (i128)add_squares(&p->of[k]) : 0;
        m.sum.f += p->of[k].weight * (double)s1[k];
        m.mean_square += p->of[k].weight * (double)s2[k];
    }
    m.mean = m.sum.f / p->area;
    m.mean_square /= p->area;
    const int64_t c = llrint(m.mean); /* of samples of up to 32 bits */
    double d1 = 0, d2 = 0;
    for (int k = 0; k < p->n; k++) {
        const i128 n = (i128)p->of[k].width * p->of[k].height;
        d1 += p->of[k].weight * (double)(s1[k] - c * n);
        d2 += p->of[k].weight * (double)(s2[k] - 2 * c * s1[k] + (i128)c * c * n);
    }
    const double variance = (d2 - d1 * (d1 / p->area)) / (p->area - (double)ask->ddof);
    m.variance = p->area <= (double)ask->ddof ? NAN : variance < 0 ? 0 : variance;
    return m;
}

static moments integer_moments(const part *p, const sat_statistics *ask)
{
    const bool is_signed = is_signed_type(p->type);
    const uint64_t n = (uint64_t)p->width * (uint64_t)p->height;
    moments m = {.sum.u = add_integers(p)};
    m.mean = (is_signed ? (double)m.sum.i : (double)m.sum.u) / (double)n;
    if (!ask->variances && !ask->deviations && !ask->roots) return m;
    const u128 squares = add_squares(p);
    const uint64_t magnitude = is_signed && m.sum.i < 0 ? -m.sum.u : m.sum.u;
    m.variance = integer_variance(n, magnitude, squares, (uint64_t)ask->ddof);
    m.mean_square = quotient_of(squares, n);
    return m;
}

static void answer(const image *img, const rect_chunk *one, int c, size_t to, const sat_statistics *ask)
{
    const parts p = parts_of(img, c, one);
    if (p.n == 0) return; /* wholly outside: as the library has it */
    const moments m = is_float_type(img->type) ? real_moments(&p, ask)
                      : one->real              ? weighted_moments(&p, ask)
                                               : integer_moments(&p.of[0], ask);
    if (ask->sums) ask->sums[to] = m.sum;
    if (ask->means) ask->means[to] = m.mean;
    if (ask->variances) ask->variances[to] = m.variance;
    if (ask->deviations) ask->deviations[to] = sqrt(m.variance);
    if (ask->roots) ask->roots[to] = sqrt(m.mean_square);
}

typedef struct job {
    const image *img;
    const rect_chunk *chunk;
    const sat_statistics *ask;
    size_t part_rects; /* that a thread takes at a time */
} job;

static void answer_part(void *context, int64_t index, int worker)
{
    const job *j = context;
    (void)worker;
    const size_t first = (size_t)index * j->part_rects;
    for (size_t i = first; i < j->chunk->n && i < first + j->part_rects; i++) {
        const rect_chunk one = rect_chunk_one(j->chunk, i);
        for (int c = 0; c < j->img->channels; c++)
            answer(j->img, &one, c, i * (size_t)j->img->channels + (size_t)c, j->ask);
    }
}

/* A rectangle is one thread's: the same sums on any number of them.  So that the large ones are spread, parts are of as
 * few rectangles as make them worth the hand-over, on an average. */
void region_pixels(const image *img, const rect_chunk *chunk, int threads, const sat_statistics *ask)
{
    enum { PIXELS_FOR_THREADS = 1 << 20, PIXELS_OF_PART = 1 << 16, PART_RECTS = 16 };
    job j = {.img = img, .chunk = chunk, .ask = ask, .part_rects = 1};
    double area = 0;
    for (size_t i = 0; i < chunk->n; i++) {
        const rect_chunk one = rect_chunk_one(chunk, i);
        const sat_rect all = one.real ? rects_touched(one.real) : *one.whole,
                       r = part_inside(&all, img->width, img->height);
        area += (double)r.width * (double)r.height;
    }
    while (j.part_rects < PART_RECTS && (double)j.part_rects * area < (double)chunk->n * PIXELS_OF_PART)
        j.part_rects *= 2;
    sat_parallel(area >= PIXELS_FOR_THREADS ? threads : 1, (int64_t)((chunk->n + j.part_rects - 1) / j.part_rects),
                 answer_part, &j);
}
