/* image_statistics.c - statistics of rectangles from the pixels themselves; sat_query.h has the papers.
 *
 * A rectangle is one of whole pixels, or up to nine with a weight each (pieces.h), and one thread's: the same answers
 * on any number of threads.  Where not all samples count, those that do are laid side by side, some
 * hundreds at a time, and summed as a row is. */
#include <math.h>

#include "choose.h"
#include "pieces.h"
#include "pool.h"
#include "reader.h"
#include "run.h"
#include "samples.h"
#include "sized.h"
#include "valid.h"

/* ---- one row ------------------------------------------------------------------------------------------- */

/* A sum of doubles, and the sum of what its additions lost to rounding. */
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
        const double x = (double)((const type *)row)[i * step], added = (value);                                       \
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
static void add_terms(float_sum *to, const void *row, sat_type type, int64_t n, ptrdiff_t step, term what, double mean)
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

/* Modulo 2^64, which holds the sum of every rectangle that is not refused. */
#define SUM_OF(type)                                                                                                   \
    for (int64_t i = 0; i < n; i++) sum += (uint64_t)((const type *)row)[i * step]
static uint64_t sum_integers(const void *row, sat_type type, int64_t n, ptrdiff_t step)
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

#define SQUARES_OF(type, product)                                                                                      \
    for (int64_t i = 0; i < n; i++) {                                                                                  \
        const product x = (product)((const type *)row)[i * step];                                                      \
        sum += (uint64_t)(x * x);                                                                                      \
    }
/* Of up to 2^31 samples of 8 or 16 bits, whose squares are at most 2^32. */
static uint64_t squares_u64(const void *row, sat_type type, int64_t n, ptrdiff_t step)
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
static sat_u128 squares_u128(const void *row, sat_type type, int64_t n, ptrdiff_t step)
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
static sat_u128 square_integers(const char *row, sat_type type, int64_t n, ptrdiff_t step)
{
    enum { PIECE = 1 << 30 };
    const size_t bytes = sat_type_bytes(type);
    sat_u128 sum = 0;
    if (bytes == 4) return squares_u128(row, type, n, step);
    for (int64_t i = 0; i < n; i += PIECE)
        sum += squares_u64(row + i * step * (ptrdiff_t)bytes, type, n - i < PIECE ? n - i : PIECE, step);
    return sum;
}

/* ---- one channel of a rectangle ------------------------------------------------------------------------ */

enum { KEPT_PX = 1024 };

/* Of a row: samples, those that count, and the pixels of the mask. */
typedef struct scratch {
    double kept[KEPT_PX];
    uint8_t counts[KEPT_PX], mask[KEPT_PX];
} scratch;

typedef struct channel {
    const sat_view *view;
    ptrdiff_t step; /* from pixel to pixel, in samples */
    int64_t image;
    int c;
    const sat_run *run;
    int worker;
    const sat_valid *valid; /* which samples count, */
    const sat_view *mask;   /* and which pixels; NULL: all */
    scratch *scratch;       /* NULL: all samples count */
} channel;

/* Pixels that a thread sums in a microsecond: floats, which take longest. */
#define PX_PER_US 500.0

/* Asked before each row; of a run that has ended, answers are undefined. */
static bool goes_on(const channel *p, const sat_rect *r)
{
    return sat_goes_on(p->run, p->worker, (double)r->width / PX_PER_US);
}

static const char *row_of(const channel *p, const sat_rect *r, int64_t y)
{
    return sat_sample_in(p->view, p->image, r->x, r->y + y, p->c);
}

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

__attribute__((noinline)) static void next_kept(const channel *p, const sat_rect *r, int64_t y, samples *s)
{
    const sat_view *v = p->view, *m = p->mask;
    const size_t bytes = sat_type_bytes(v->type);
    const int64_t x = r->x + s->x, left = r->width - s->x, n = left < KEPT_PX ? left : KEPT_PX;
    scratch *own = p->scratch;
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
static inline bool next(const channel *p, const sat_rect *r, int64_t y, samples *s)
{
    if (s->x == r->width) return false;
    if (__builtin_expect(p->scratch != NULL, 0))
        next_kept(p, r, y, s);
    else
        *s = (samples){row_of(p, r, y), r->width, r->width, p->step, r->width};
    return true;
}

/* Counts, too. */
static double add_all(const channel *p, sat_pieces *at, term what, double mean)
{
    double sum = 0;
    for (int k = 0; k < at->n; k++) {
        const sat_rect *r = &at->of[k].rect;
        float_sum all = {0, 0};
        int64_t count = 0;
        for (int64_t y = 0; y < r->height && goes_on(p, r); y++)
            for (samples s = {.x = 0}; next(p, r, y, &s); count += s.count)
                add_terms(&all, s.first, p->view->type, s.n, s.step, what, mean);
        sum += at->of[k].weight * total(&all);
        at->of[k].count = count;
    }
    sat_pieces_count(at);
    return sum;
}

/* Of a rectangle in which no sample counts. */
static const sat_rect_features nothing = {.mean = NAN, .var = NAN, .squares = NAN};

/* What its rounded mean leaves of the deviations' sum is taken out again. */
static double variance_of(const channel *p, sat_pieces *at, double mean, double ddof)
{
    if (at->counted <= ddof) return NAN;
    const double rest = add_all(p, at, DEVIATION, mean), squares = add_all(p, at, SQUARED_DEVIATION, mean);
    const double variance = (squares - rest * rest / at->counted) / (at->counted - ddof);
    return variance < 0 ? 0 : variance;
}

static sat_sum answer_reals(const channel *p, sat_pieces *at, const sat_rect_ask *ask, sat_rect_features *f)
{
    const sat_sum sum = {.f = add_all(p, at, SAMPLE, 0)};
    const double n = at->counted;
    *f = nothing;
    if (n == 0) return sum;
    *f = (sat_rect_features){.n = n, .mean = sum.f / n, .sum = sum.f};
    if (ask->needs & SAT_NEEDS_VAR) f->var = variance_of(p, at, f->mean, (double)ask->ddof);
    if (ask->needs & SAT_NEEDS_SQUARES) f->squares = add_all(p, at, SQUARE, 0) / n;
    return sum;
}

/* Counts, too. */
static uint64_t add_integers(const channel *p, sat_piece *piece)
{
    const sat_rect *r = &piece->rect;
    uint64_t sum = 0;
    int64_t count = 0;
    for (int64_t y = 0; y < r->height && goes_on(p, r); y++)
        for (samples s = {.x = 0}; next(p, r, y, &s); count += s.count)
            sum += sum_integers(s.first, p->view->type, s.n, s.step);
    piece->count = count;
    return sum;
}

static sat_u128 add_squares(const channel *p, const sat_rect *r)
{
    sat_u128 sum = 0;
    for (int64_t y = 0; y < r->height && goes_on(p, r); y++)
        for (samples s = {.x = 0}; next(p, r, y, &s);) sum += square_integers(s.first, p->view->type, s.n, s.step);
    return sum;
}

/* Integers whose parts have weights, as from tables (query_fractions.c): the same bits. */
static sat_sum answer_weighted(const channel *p, sat_pieces *at, const sat_rect_ask *ask, sat_rect_features *f)
{
    const bool is_signed = sat_is_signed(p->view->type), with_squares = sat_rect_needs_squares(ask);
    sat_i128 s1[9], s2[9];
    double all = 0, squares = 0;
    for (int k = 0; k < at->n; k++) {
        const uint64_t sum = add_integers(p, &at->of[k]);
        s1[k] = is_signed ? (sat_i128)(int64_t)sum : (sat_i128)sum;
        s2[k] = with_squares ? (sat_i128)add_squares(p, &at->of[k].rect) : 0;
        all += at->of[k].weight * (double)s1[k];
        squares += at->of[k].weight * (double)s2[k];
    }
    sat_pieces_count(at);
    const double n = at->counted;
    *f = nothing;
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

static sat_sum answer_integers(const channel *p, sat_piece *whole, const sat_rect_ask *ask, sat_rect_features *f)
{
    const bool is_signed = sat_is_signed(p->view->type);
    const sat_sum sum = {.u = add_integers(p, whole)};
    const uint64_t n = (uint64_t)whole->count;
    *f = nothing;
    if (n == 0) return sum;
    const double real = is_signed ? (double)sum.i : (double)sum.u;
    *f = (sat_rect_features){.n = (double)n, .mean = real / (double)n, .sum = real};
    if (!sat_rect_needs_squares(ask)) return sum;
    const sat_u128 squares = add_squares(p, &whole->rect);
    const uint64_t magnitude = is_signed && sum.i < 0 ? -sum.u : sum.u;
    f->var = integer_variance(n, magnitude, squares, (uint64_t)ask->ddof);
    f->squares = sat_quotient(squares, n);
    return sum;
}

/* ---- all rectangles ------------------------------------------------------------------------------------ */

typedef struct job {
    const sat_run *run;
    sat_view image, mask;
    sat_valid valid;
    bool masked, holes; /* there is a mask; some samples may not count */
    sat_statistics given;
    sat_rect_ask ask;
    sat_reader bounds;         /* of rectangles */
    const sat_rect *whole;     /* these, */
    const sat_rect_f64 *reals; /* or these */
    size_t n;
    bool counts;       /* something is asked for beside areas */
    size_t part_rects; /* that a thread takes at a time */
} job;

/* Rectangle i, cut to the image if that is asked for: the pixels that it touches, and with fractions its edges. */
static sat_rect_status status_of(const job *j, size_t i, sat_rect *touched, sat_edges *e)
{
    const sat_reader *b = &j->bounds;
    sat_rect_status status = SAT_RECT_INSIDE;
    if (j->whole)
        *touched = j->whole[i];
    else
        status = sat_edges_of(b->width, b->height, b->clip, &j->reals[i], e, touched);
    return status == SAT_RECT_INSIDE ? sat_rect_validate(b, touched) : status;
}

static void answer_one(const job *j, int64_t image, size_t i, int worker)
{
    const sat_rect_ask *ask = &j->ask;
    const int channels = j->image.channels;
    scratch own;
    sat_rect touched;
    sat_edges e;
    sat_pieces at;
    const bool inside = status_of(j, i, &touched, &e) == SAT_RECT_INSIDE;
    if (inside && j->whole)
        sat_whole_piece(&at, &touched);
    else if (inside)
        at = sat_pieces_of(&e);
    for (int c = 0; j->counts && c < channels; c++) {
        const channel p = {.view = &j->image,
                           .step = sat_sample_step(&j->image),
                           .image = image,
                           .c = c,
                           .run = j->run,
                           .worker = worker,
                           .valid = &j->valid,
                           .mask = j->masked ? &j->mask : NULL,
                           .scratch = j->holes ? &own : NULL};
        const size_t to = ((size_t)image * j->n + i) * (size_t)channels + (size_t)c;
        sat_rect_features f;
        sat_sum sum = {0};
        if (!inside)
            sat_rect_put_nothing(ask, to);
        else if (sat_is_float(j->image.type))
            sum = answer_reals(&p, &at, ask, &f);
        else if (j->reals)
            sum = answer_weighted(&p, &at, ask, &f);
        else
            sum = answer_integers(&p, &at.of[0], ask, &f);
        if (inside) sat_rect_put(ask, to, &f);
        if (inside) sat_rect_put_area(ask, to, at.area);
        if (ask->sums) ask->sums[to] = sum;
    }
    if (ask->areas && image == 0) ask->areas[i] = inside ? touched.width * touched.height : 0;
    if (ask->areas_f64 && image == 0) ask->areas_f64[i] = inside ? at.area : 0;
}

static void answer_part(void *context, int64_t part, int worker)
{
    const job *j = context;
    const size_t all = j->n * (size_t)j->image.count, first = (size_t)part * j->part_rects;
    for (size_t i = first; i < all && i < first + j->part_rects; i++) {
        if (!sat_goes_on(j->run, worker, 0)) return;
        answer_one(j, (int64_t)(i / j->n), i % j->n, worker);
    }
}

/* So that large rectangles are spread, parts are of as few as make them worth taking, on an average. */
static sat_status answer_all(job *j, int threads)
{
    enum { PART_RECTS = 16 };
    const double part_px = 0x1p16, share_px = 0x1p18; /* some 100 us: ten times what it takes to wake a thread */
    const size_t all = j->n * (size_t)j->image.count;
    double px = 0;
    sat_rect touched;
    sat_edges e;
    for (size_t i = 0; i < j->n; i++)
        if (status_of(j, i, &touched, &e) == SAT_RECT_INSIDE) px += sat_rect_px(&touched) * (double)j->image.count;
    j->part_rects = 1;
    while (j->part_rects < PART_RECTS && (double)j->part_rects * px < (double)all * part_px) j->part_rects *= 2;
    return sat_run_each(j->run, j->given.executor, sat_threads_worth(px, share_px, threads),
                        sat_parts((int64_t)all, (int64_t)j->part_rects), answer_part, j);
}

static sat_rect_status status_at(const void *context, size_t i)
{
    sat_rect touched;
    sat_edges e;
    return status_of(context, i, &touched, &e);
}

/* What is wrong with rectangle i. */
static sat_status refuse(const job *j, size_t i)
{
    char sides[SAT_SIDES_BYTES];
    sat_rect touched;
    sat_edges e;
    const sat_rect_status status = status_of(j, i, &touched, &e);
    if (j->whole)
        sat_rect_sides(&j->whole[i], sides);
    else
        sat_rect_sides_f64(&j->reals[i], sides);
    if (j->reals && sat_rect_has_nan(&j->reals[i]))
        return sat_fail(SAT_ERR_RECT, "rectangle %zu (%s) has a side that is no number", i, sides);
    if (status != SAT_RECT_TOO_LARGE) return sat_reader_refuse(NULL, &j->bounds, status, i, sides);
    return sat_fail(SAT_ERR_RANGE,
                    "rectangle %zu (%s) has more than the %lld pixels whose sum of %s samples fits 64 bits", i, sides,
                    (long long)j->bounds.limit_px, sat_type_name(j->image.type));
}

static sat_status open_job(job *j, const sat_view *image, const sat_view *mask, const sat_statistics *ask,
                           size_t ask_bytes)
{
    sat_status status = sat_take_struct(&j->given, sizeof j->given, ask, ask_bytes, "statistics");
    if (status == SAT_OK) status = sat_take_samples(&j->image, image, "image");
    if (status == SAT_OK && mask) status = sat_take_samples(&j->mask, mask, "mask"); /* of the host */
    if (status == SAT_OK && mask) status = sat_mask_take(&j->mask, mask, &j->image);
    if (status == SAT_OK) status = sat_rect_ask_of(&j->given, true, &j->ask);
    if (status != SAT_OK) return status;
    j->valid = (sat_valid){j->given.skip_nan, j->given.has_nodata, j->given.nodata};
    status = sat_valid_take(&j->valid.skip_nan, &j->valid.has_nodata, &j->valid.nodata, j->image.type);
    j->masked = mask != NULL;
    j->holes = j->masked || j->valid.skip_nan || j->valid.has_nodata;
    if (status == SAT_OK) status = sat_check_threads(j->given.threads);
    if (status == SAT_OK) status = sat_check_executor(j->given.executor);
    if (status != SAT_OK) return status;
    if (j->whole == NULL && j->reals == NULL && j->n > 0) return sat_fail(SAT_ERR_ARGUMENT, "no rectangles");
    if (j->ask.areas && j->reals)
        return sat_fail(SAT_ERR_ARGUMENT, "areas of rectangles with fractions are no integers: areas_f64 takes them");
    if (j->given.flags & ~(unsigned)SAT_CLIP) return sat_fail(SAT_ERR_ARGUMENT, "unknown flags");
    const sat_view *v = &j->image;
    const sat_type sums = sat_is_float(v->type) ? SAT_F64 : sat_is_signed(v->type) ? SAT_I64 : SAT_U64;
    j->bounds = (sat_reader){.width = v->width,
                             .height = v->height,
                             .x_max = v->width,
                             .y_max = v->height,
                             .clip = j->given.flags & SAT_CLIP,
                             .limit_px = sat_largest_area(v->type, sums, NULL)};
    j->counts = j->ask.sums;
    for (int i = 0; i < SAT_RECT_STATISTICS; i++) j->counts = j->counts || j->ask.values[i];
    return SAT_OK;
}

static sat_status answer(job *j, const sat_view *image, const sat_statistics *ask, const sat_run_options *given,
                         size_t ask_bytes, size_t run_bytes)
{
    sat_run run;
    sat_control control;
    size_t bad;
    sat_status status = sat_take_run(&run, &control, given, run_bytes, SAT_RUN_MASK);
    if (status == SAT_OK) status = open_job(j, image, run.mask, ask, ask_bytes);
    if (status == SAT_OK) status = sat_run_asked(&run);
    if (status != SAT_OK) return status;
    j->run = &run; /* cppcheck-suppress autoVariables ; the job ends before this function */
    const int most = j->given.threads ? j->given.threads : sat_processors();
    status = sat_first_bad(&run, j->given.executor, sat_threads_worth((double)j->n, SAT_SHARE_RECTS, most), j->n,
                           status_at, j, &bad);
    if (status != SAT_OK) return status;
    if (bad < j->n) return refuse(j, bad);
    return j->n > 0 && (j->counts || j->ask.areas || j->ask.areas_f64) ? answer_all(j, most) : SAT_OK;
}

sat_status sat_image_statistics_sized(const sat_view *image, const sat_rect *rects, size_t n, const sat_statistics *ask,
                                      const sat_run_options *run, size_t ask_bytes, size_t run_bytes)
{
    job j = {.whole = rects, .n = n};
    return answer(&j, image, ask, run, ask_bytes, run_bytes);
}

sat_status sat_image_statistics_f64_sized(const sat_view *image, const sat_rect_f64 *rects, size_t n,
                                          const sat_statistics *ask, const sat_run_options *run, size_t ask_bytes,
                                          size_t run_bytes)
{
    job j = {.reals = rects, .n = n};
    return answer(&j, image, ask, run, ask_bytes, run_bytes);
}
