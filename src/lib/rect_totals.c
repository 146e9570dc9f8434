/* rect_totals.c - the samples of a rectangle added up, from rows; sat_query.h has the papers.
 *
 * Where not all samples count, those that do are laid side by side, some hundreds at a time, and added as a row is. */
#include "rect_totals.h"

#include <math.h>

#include "samples.h"

#define FORCE static inline __attribute__((always_inline))

/* ---- one row ------------------------------------------------------------------------------------------- */

static double total(const sat_float_sum *s)
{
    return isfinite(s->sum) ? s->sum + s->lost : s->sum;
}

#define ADD_FLOATS(type, value)                                                                                        \
    for (int64_t i = 0; i < n; i++) {                                                                                  \
        const double x = (double)((const type *)row)[i * step], added = (value);                                       \
        const double next = sum + added, part = next - sum;                                                            \
        lost += (sum - (next - part)) + (added - part);                                                                \
        sum = next;                                                                                                    \
    }
#define ADD_TERMS(type)                                                                                                \
    switch (what) {                                                                                                    \
    case SAT_TERM_SAMPLE: ADD_FLOATS(type, x) break;                                                                   \
    case SAT_TERM_SQUARE: ADD_FLOATS(type, x *x) break;                                                                \
    case SAT_TERM_DEVIATION: ADD_FLOATS(type, x - mean) break;                                                         \
    default: ADD_FLOATS(type, (x - mean) * (x - mean)) break;                                                          \
    }
static void add_terms(sat_float_sum *to, const void *row, sat_type type, int64_t n, ptrdiff_t step, sat_term what,
                      double mean)
{
    double sum = to->sum, lost = to->lost;
    if (type == SAT_F32)
        ADD_TERMS(float)
    else
        ADD_TERMS(double)
    *to = (sat_float_sum){sum, lost};
}
#undef ADD_TERMS
#undef ADD_FLOATS

/* Modulo 2^64.  Samples side by side have a loop of their own, which compilers make fast; so do squares. */
#define SUM_OF(type)                                                                                                   \
    for (int64_t i = 0; i < n; i++) sum += (uint64_t)((const type *)row)[i * step]
FORCE uint64_t sum_each(const void *row, sat_type type, int64_t n, const ptrdiff_t step)
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

static uint64_t sum_integers(const void *row, sat_type type, int64_t n, ptrdiff_t step)
{
    return step == 1 ? sum_each(row, type, n, 1) : sum_each(row, type, n, step);
}

#define SQUARES_OF(type, product)                                                                                      \
    for (int64_t i = 0; i < n; i++) {                                                                                  \
        const product x = (product)((const type *)row)[i * step];                                                      \
        sum += (uint64_t)(x * x);                                                                                      \
    }
/* Of up to 2^31 samples of 8 or 16 bits, whose squares are at most 2^32. */
FORCE uint64_t squares_u64(const void *row, sat_type type, int64_t n, const ptrdiff_t step)
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
FORCE sat_u128 squares_u128(const void *row, sat_type type, int64_t n, const ptrdiff_t step)
{
    sat_u128 sum = 0;
    if (type == SAT_U32)
        SQUARES_OF(uint32_t, uint64_t)
    else
        SQUARES_OF(int32_t, int64_t)
    return sum;
}
#undef SQUARES_OF

/* Exact. */
FORCE sat_u128 square_each(const char *row, sat_type type, int64_t n, const ptrdiff_t step)
{
    enum { PIECE = 1 << 30 };
    const size_t bytes = sat_type_bytes(type);
    sat_u128 sum = 0;
    if (bytes == 4) return squares_u128(row, type, n, step);
    for (int64_t i = 0; i < n; i += PIECE)
        sum += squares_u64(row + i * step * (ptrdiff_t)bytes, type, n - i < PIECE ? n - i : PIECE, step);
    return sum;
}

static sat_u128 square_integers(const char *row, sat_type type, int64_t n, ptrdiff_t step)
{
    return step == 1 ? square_each(row, type, n, 1) : square_each(row, type, n, step);
}

/* ---- the samples of a row that count ------------------------------------------------------------------- */

/* What samples are copied as, whatever they are. */
typedef uint32_t __attribute__((may_alias)) word_32;
typedef uint64_t __attribute__((may_alias)) word_64;

/* The values that count, one behind the other; counts NULL: all do.  `to` may be `from`. */
#define PICK(type)                                                                                                     \
    {                                                                                                                  \
        const type *const f = from;                                                                                    \
        type *const t = to;                                                                                            \
        for (int64_t i = 0, k = 0; i < n; i++) {                                                                       \
            t[k] = f[i * step];                                                                                        \
            k += counts ? counts[i] : 1;                                                                               \
        }                                                                                                              \
        break;                                                                                                         \
    }
static void pick(size_t bytes, const void *from, ptrdiff_t step, const uint8_t *counts, int64_t n, void *to)
{
    switch (bytes) {
    case 1: PICK(uint8_t)
    case 2: PICK(uint16_t)
    case 4: PICK(word_32)
    default: PICK(word_64)
    }
}
#undef PICK

/* Samples of a row that count, and of integers zeros in place of the others. */
typedef struct samples {
    const char *first;
    int64_t n, count; /* of them, and without these zeros */
    ptrdiff_t step;   /* from one to the next, in samples */
    int64_t x;        /* of the rectangle: where the next ones begin */
} samples;

__attribute__((noinline)) static void next_kept(const sat_channel *p, const sat_rect *r, int64_t y, samples *s)
{
    const sat_view *v = p->view, *m = p->mask;
    const size_t bytes = sat_type_bytes(v->type);
    const int64_t x = r->x + s->x, left = r->width - s->x, n = left < SAT_KEPT_PX ? left : SAT_KEPT_PX;
    sat_totals_scratch *own = p->scratch;
    const void *row = sat_sample_in(v, p->image, x, r->y + y, p->c);
    const uint8_t *mask = m ? sat_sample_in(m, p->image, x, r->y + y, 0) : NULL;
    if (p->step != 1) {
        pick(bytes, row, p->step, NULL, n, own->kept);
        row = own->kept;
    }
    if (m && sat_sample_step(m) != 1) {
        pick(1, mask, sat_sample_step(m), NULL, n, own->mask);
        mask = own->mask;
    }
    const int64_t kept = sat_valid_row(p->valid, v->type, row, mask, n, 1, own->counts);
    const bool zeros = !sat_is_float(v->type);
    if (kept < n && zeros)
        sat_valid_zeros(v->type, row, own->counts, n, own->kept);
    else if (kept < n)
        pick(bytes, row, 1, own->counts, n, own->kept);
    s->first = kept < n ? (const char *)own->kept : row;
    s->n = zeros ? n : kept, s->count = kept, s->step = 1;
    s->x += n;
}

/* The next samples of a row of the rectangle that count: all of them at once where all do.  False at its end. */
static inline bool next(const sat_channel *p, const sat_rect *r, int64_t y, samples *s)
{
    if (s->x == r->width) return false;
    if (__builtin_expect(p->scratch != NULL, 0))
        next_kept(p, r, y, s);
    else
        *s = (samples){sat_sample_in(p->view, p->image, r->x, r->y + y, p->c), r->width, r->width, p->step, r->width};
    return true;
}

/* ---- passes over rows ---------------------------------------------------------------------------------- */

int sat_totals_passes(sat_type type, const sat_rect_ask *ask)
{
    return sat_is_float(type) && (ask->needs & SAT_NEEDS_VAR) ? 2 : 1;
}

/* Terms that a thread adds in a microsecond: floats, which take longest. */
#define TERMS_PER_US 500.0

static int64_t add_integers(const sat_channel *p, const sat_rect *r, bool squares, double row_us, sat_totals *t)
{
    const sat_type type = p->view->type;
    uint64_t sum = 0;
    int64_t count = 0;
    for (int64_t y = 0; y < r->height && sat_goes_on(p->run, p->worker, row_us); y++)
        for (samples s = {.x = 0}; next(p, r, y, &s); count += s.count) {
            sum += sum_integers(s.first, type, s.n, s.step);
            if (squares) t->u.whole.squares += square_integers(s.first, type, s.n, s.step);
        }
    t->u.whole.sum += sum;
    return count;
}

/* Terms [first, end), which are constants. */
FORCE int64_t add_floats(const sat_channel *p, const sat_rect *r, sat_term first, sat_term end, double mean,
                         double row_us, sat_totals *t)
{
    int64_t count = 0;
    for (int64_t y = 0; y < r->height && sat_goes_on(p->run, p->worker, row_us); y++)
        for (samples s = {.x = 0}; next(p, r, y, &s); count += s.count)
            for (sat_term k = first; k < end; k++) add_terms(&t->u.of[k], s.first, p->view->type, s.n, s.step, k, mean);
    return count;
}

/* Of floats, deviations are added in the second pass: a mean takes one to know.  It begins with a line of a cache, so
 * that its loops lie as they do, wherever the code before it ends. */
__attribute__((aligned(64))) void sat_totals_add(const sat_channel *p, const sat_rect *r, int pass,
                                                 const sat_rect_ask *ask, double mean, sat_totals *t)
{
    const bool squares = sat_rect_needs_squares(ask), root = ask->needs & SAT_NEEDS_SQUARES;
    const double row_us = (double)r->width * (1 + squares) / TERMS_PER_US;
    if (pass > 0)
        add_floats(p, r, SAT_TERM_DEVIATION, SAT_TERMS, mean, row_us, t);
    else if (sat_is_float(p->view->type) && root)
        t->count += add_floats(p, r, SAT_TERM_SAMPLE, SAT_TERM_DEVIATION, 0, row_us, t);
    else if (sat_is_float(p->view->type))
        t->count += add_floats(p, r, SAT_TERM_SAMPLE, SAT_TERM_SQUARE, 0, row_us, t);
    else
        t->count += add_integers(p, r, squares, row_us, t);
}

/* ---- answers ------------------------------------------------------------------------------------------- */

static void count(sat_pieces *at, const sat_totals *t)
{
    for (int k = 0; k < at->n; k++) at->of[k].count = t[k].count;
    sat_pieces_count(at);
}

static double weigh(const sat_pieces *at, const sat_totals *t, sat_term term)
{
    double sum = 0;
    for (int k = 0; k < at->n; k++) sum += at->of[k].weight * total(&t[k].u.of[term]);
    return sum;
}

double sat_totals_mean(sat_pieces *at, const sat_totals *t)
{
    count(at, t);
    return weigh(at, t, SAT_TERM_SAMPLE) / at->counted;
}

/* Of a rectangle in which no sample counts. */
static const sat_rect_features nothing = {.mean = NAN, .var = NAN, .squares = NAN};

/* What its rounded mean leaves of the deviations' sum is taken out again. */
static double variance_of(const sat_pieces *at, const sat_totals *t, double ddof)
{
    if (at->counted <= ddof) return NAN;
    const double rest = weigh(at, t, SAT_TERM_DEVIATION), squares = weigh(at, t, SAT_TERM_DEVIATION_2);
    const double variance = (squares - rest * rest / at->counted) / (at->counted - ddof);
    return variance < 0 ? 0 : variance;
}

static sat_sum answer_reals(const sat_pieces *at, const sat_totals *t, const sat_rect_ask *ask, sat_rect_features *f)
{
    const sat_sum sum = {.f = weigh(at, t, SAT_TERM_SAMPLE)};
    const double n = at->counted;
    if (n == 0) return sum;
    *f = (sat_rect_features){.n = n, .mean = sum.f / n, .sum = sum.f};
    if (ask->needs & SAT_NEEDS_VAR) f->var = variance_of(at, t, (double)ask->ddof);
    if (ask->needs & SAT_NEEDS_SQUARES) f->squares = weigh(at, t, SAT_TERM_SQUARE) / n;
    return sum;
}

/* Integers whose parts have weights, as from tables (query_fractions.c): the same bits. */
static sat_sum answer_weighted(bool is_signed, const sat_pieces *at, const sat_totals *t, const sat_rect_ask *ask,
                               sat_rect_features *f)
{
    sat_i128 s1[9], s2[9];
    double all = 0, squares = 0;
    for (int k = 0; k < at->n; k++) {
        const uint64_t sum = t[k].u.whole.sum;
        s1[k] = is_signed ? (sat_i128)(int64_t)sum : (sat_i128)sum;
        s2[k] = (sat_i128)t[k].u.whole.squares;
        all += at->of[k].weight * (double)s1[k];
        squares += at->of[k].weight * (double)s2[k];
    }
    const double n = at->counted;
    if (n == 0) return (sat_sum){.f = all};
    *f = (sat_rect_features){.n = n, .mean = all / n, .sum = all, .squares = squares / n};
    if (ask->needs & SAT_NEEDS_VAR) f->var = sat_pieces_variance(at, f->mean, s1, s2, (double)ask->ddof);
    return (sat_sum){.f = all};
}

/* (n * S2 - S1 * S1) / (n * (n - ddof)).  m is the largest magnitude of a sample.  Rectangles whose sum may be none of
 * 64 bits are refused: n * m < 2^64 for unsigned samples, n * m <= 2^63 for signed ones.  S1 * S1 and n * S2 are at
 * most (n * m)^2 < 2^128.  Their difference is at most n^2 / 4 times the square of the range (Popoviciu: a variance is
 * at most a quarter of that).  Unsigned, the range is at most m: n^2 * m^2 / 4 < 2^126.  Signed, it is below 2 * m: (n
 * * m)^2 <= 2^126. */
static double integer_variance(uint64_t n, uint64_t magnitude, sat_u128 squares, uint64_t ddof)
{
    if (n <= ddof) return NAN;
    return sat_quotient(n * squares - (sat_u128)magnitude * magnitude, (sat_u128)n * (n - ddof));
}

static sat_sum answer_integers(bool is_signed, const sat_totals *t, const sat_rect_ask *ask, sat_rect_features *f)
{
    const sat_sum sum = {.u = t->u.whole.sum};
    const uint64_t n = (uint64_t)t->count;
    if (n == 0) return sum;
    const double real = is_signed ? (double)sum.i : (double)sum.u;
    *f = (sat_rect_features){.n = (double)n, .mean = real / (double)n, .sum = real};
    if (!sat_rect_needs_squares(ask)) return sum;
    const uint64_t magnitude = is_signed && sum.i < 0 ? -sum.u : sum.u;
    f->var = integer_variance(n, magnitude, t->u.whole.squares, (uint64_t)ask->ddof);
    f->squares = sat_quotient(t->u.whole.squares, n);
    return sum;
}

sat_sum sat_totals_answer(sat_type type, sat_pieces *at, const sat_totals *t, const sat_rect_ask *ask, bool weighted,
                          sat_rect_features *f)
{
    count(at, t);
    *f = nothing;
    if (sat_is_float(type)) return answer_reals(at, t, ask, f);
    return weighted ? answer_weighted(sat_is_signed(type), at, t, ask, f)
                    : answer_integers(sat_is_signed(type), t, ask, f);
}
