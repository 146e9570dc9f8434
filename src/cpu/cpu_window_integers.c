/* cpu_window_integers.c - exact n, S1 and S2 of the windows of a row: running sums, as in cpu_box.c.
 *
 * A feature is what each sample adds to a sum: 1 where it counts, itself, its square.  Each feature has sums of the
 * window's rows in every column, and prefix sums of those along the row; a window is a difference of two of these.  All
 * of it is taken modulo 2^32 or 2^64, and every window's own sum fits.
 *
 *     n      at most the window's area
 *     S1     |S1| <= area * m, m the largest magnitude of a sample
 *     S2     S2 <= area * m^2.  Squares of 32-bit samples are cut in halves of 32 bits, each a feature of its own.
 *
 * The variance is (n * S2 - S1^2) / (n * (n - ddof)).  The numerator is n^2 times a variance, and never negative; it
 * and its terms are at most n^2 * m^2:
 *
 *     below 2^53     in f64, where each integer is held exactly
 *     below 2^64     in 64 bits; the divisor is at most n^2 < 2^48, as m^2 is 2^14 or more; or 2^50 for m = 128, where
 *                    the quotient is wrong by 2^-51 of itself at most
 *     else           in 128 bits: area < 2^32, m^2 <= 2^64 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cpu_window.h"
#include "moments.h"

enum { COUNT, SUM, SQUARES, HIGH_SQUARES, FEATURES };
enum { IN_F64, IN_64_BITS, IN_128_BITS };

typedef struct feature {
    bool used;
    int sums;          /* box_ops.h's index of their type */
    size_t entry;      /* bytes of a sum */
    uint64_t value[4]; /* what a position beyond the image adds, where the border takes a value */
} feature;

/* The sums of one feature; of one worker. */
typedef struct sums {
    char *column; /* of the window's rows, from `before` pixels before the image on */
    char *prefix; /* of these, one pixel of zeros in front */
    char *row;    /* of the windows of a chunk; by segments: of a row */
} sums;

/* A row that is summed. */
typedef struct summed_row {
    sat_rows *rows, *mask; /* without gaps */
    char *samples;         /* those that do not count are 0 */
    uint8_t *valid;
} summed_row;

typedef struct worker {
    sums of[FEATURES];
    summed_row enter, leave;
} worker;

typedef struct sat_cpu_integers {
    feature of[FEATURES];
    int sign, arithmetic;
    bool by_segments;            /* windows are taken apart; before and after are 0 */
    const sat_box_runs *columns; /* then: what the window of each column holds */
    int64_t before, after;       /* pixels by which windows reach beyond a column, cut where those count nothing */
    bool plain;                  /* mean and variance of whole windows come straight from prefix sums */
    int64_t left, right;         /* windows of samples [left, right) of a row are whole */
    int64_t *beyond;             /* which samples of the row the before + after pixels beyond it repeat; or NULL */
    double *covered_x;           /* for each sample, how many columns its window covers */
    worker *workers;
} integers;

/* What summing a row takes. */
typedef struct row_data {
    const void *samples, *valid;
} row_data;

/* ---- creation ------------------------------------------------------------------------------------------ */

static void use(feature *f, int type)
{
    *f = (feature){.used = true, .sums = type, .entry = (size_t)2 << type};
}

static void choose_features(const sat_cpu_window *w, integers *g)
{
    const int64_t area = w->plan.window.area_px;
    const uint64_t m = w->plan.window.largest;
    const bool variance = w->plan.needs & SAT_NEEDS_VAR, wide = m > UINT32_MAX / 2,
               squares = w->plan.needs & (SAT_NEEDS_VAR | SAT_NEEDS_SQUARES);
    g->sign = w->plan.window.is_signed ? BOX_SIGNED : BOX_UNSIGNED;
    const double terms = (double)area * (double)area * (double)m * (double)m;
    g->arithmetic = !variance || terms < 0x1p53 ? IN_F64 : terms < 0x1p63 && !wide ? IN_64_BITS : IN_128_BITS;
    const bool narrow = sat_sum_fits(area, m, w->plan.window.is_signed ? 31 : 32) && g->arithmetic == IN_F64;
    use(&g->of[SUM], narrow ? BOX_SUMS_32 : BOX_SUMS_64);
    if (w->plan.validity) use(&g->of[COUNT], area <= UINT32_MAX ? BOX_SUMS_32 : BOX_SUMS_64);
    if (squares && wide) {
        use(&g->of[SQUARES], BOX_SUMS_64);
        use(&g->of[HIGH_SQUARES], BOX_SUMS_64);
    } else if (squares) {
        const bool fits = sat_sum_fits(area, m * m, 32) && g->arithmetic == IN_F64;
        use(&g->of[SQUARES], fits ? BOX_SUMS_32 : BOX_SUMS_64);
    }
    for (int c = 0; w->plan.window.border->takes_value && c < w->spec.channels; c++) {
        const uint64_t v = w->plan.window.value[c], square = v * v;
        g->of[COUNT].value[c] = 1;
        g->of[SUM].value[c] = v;
        g->of[SQUARES].value[c] = wide ? square & UINT32_MAX : square;
        g->of[HIGH_SQUARES].value[c] = square >> 32;
    }
}

/* Everything that depends on the column alone. */
static bool plan_columns(const sat_cpu_window *w, integers *g, sat_arena *arena)
{
    const sat_axis *x = &w->plan.window.x;
    const int64_t channels = w->spec.channels, n = x->n;
    const bool repeats = !x->border->shrinks && !x->border->takes_value;
    g->by_segments = repeats && (x->before > n || x->after > n);
    if (g->by_segments) g->columns = sat_axis_runs(x, arena);
    if (g->by_segments && g->columns == NULL) return false;
    g->before = g->by_segments ? 0 : x->before < n ? x->before : n;
    g->after = g->by_segments ? 0 : x->after < n ? x->after : n;
    g->plain = !w->plan.validity && g->arithmetic == IN_F64 && !(w->plan.needs & (SAT_NEEDS_SUM | SAT_NEEDS_SQUARES));
    g->left = repeats ? 0 : (x->before < n ? x->before : n) * channels;
    g->right = repeats ? w->samples : (n - x->after) * channels;
    if (g->right < g->left) g->right = g->left;
    g->covered_x = sat_arena_alloc(arena, (size_t)w->samples * sizeof *g->covered_x);
    if (g->covered_x == NULL) return false;
    for (int64_t i = 0; i < w->samples; i++) {
        sat_segment segments[SAT_SEGMENTS];
        int64_t covered;
        sat_axis_segments(x, i / channels, segments, &covered);
        g->covered_x[i] = (double)covered;
    }
    if (!repeats) return true;
    g->beyond = sat_arena_alloc(arena, (size_t)((g->before + g->after + 1) * channels) * sizeof *g->beyond);
    for (int64_t i = 0; g->beyond && i < g->before + g->after; i++)
        for (int64_t c = 0; c < channels; c++)
            g->beyond[i * channels + c] =
                sat_border_index(x->border, i < g->before ? i - g->before : n + i - g->before, n) * channels + c;
    return g->beyond != NULL;
}

static bool plan_row(const sat_cpu_window *w, summed_row *row, sat_arena *arena)
{
    const size_t n = (size_t)w->samples, bytes = sat_type_bytes(w->spec.sample);
    row->rows = sat_arena_alloc(arena, 2 * sizeof *row->rows);
    if (row->rows == NULL || !sat_rows_open(row->rows, n * bytes, w->spec.height, arena)) return false;
    row->mask = row->rows + 1;
    if (w->spec.masked && !sat_rows_open(row->mask, (size_t)w->spec.width, w->spec.height, arena)) return false;
    row->samples = w->plan.validity ? sat_arena_alloc(arena, n * bytes) : NULL;
    row->valid = w->plan.validity ? sat_arena_alloc(arena, n) : NULL;
    return (row->samples && row->valid) || !w->plan.validity;
}

static bool plan_workers(const sat_cpu_window *w, integers *g, sat_arena *arena)
{
    const size_t pixel = (size_t)w->spec.channels;
    const size_t reach = (size_t)w->samples + (size_t)(g->before + g->after) * pixel;
    g->workers = sat_arena_zeros(arena, (size_t)w->threads * sizeof *g->workers);
    if (g->workers == NULL) return false;
    for (int i = 0; i < w->threads; i++) {
        worker *k = &g->workers[i];
        if (!plan_row(w, &k->enter, arena) || !plan_row(w, &k->leave, arena)) return false;
        for (int f = 0; f < FEATURES; f++) {
            const size_t entry = g->of[f].entry;
            if (!g->of[f].used) continue;
            k->of[f].column = sat_arena_zeros(arena, reach * entry);
            k->of[f].prefix = sat_arena_zeros(arena, (reach + pixel) * entry);
            k->of[f].row = sat_arena_zeros(arena, (g->by_segments ? (size_t)w->samples : WINDOW_CHUNK) * entry);
            if (!k->of[f].column || !k->of[f].prefix || !k->of[f].row) return false;
        }
    }
    return true;
}

sat_status sat_cpu_integers_open(sat_cpu_window *w, sat_arena *arena)
{
    integers *g = sat_arena_zeros(arena, sizeof *g);
    w->integers = g;
    const bool squares = w->plan.needs & (SAT_NEEDS_VAR | SAT_NEEDS_SQUARES);
    const uint64_t m = w->plan.window.largest;
    if (g && squares &&
        !sat_sum_fits(w->plan.window.area_px, m > UINT32_MAX / 2 ? UINT32_MAX : m * m, m > UINT32_MAX / 2 ? 64 : 63))
        return sat_fail(
            SAT_ERR_RANGE, "a window %lld wide and %lld high: 64 bits cannot hold its sums of squares of %s samples",
            (long long)w->spec.window_width, (long long)w->spec.window_height, sat_type_name(w->spec.sample));
    if (g == NULL) return sat_fail(SAT_ERR_MEMORY, "cpu: out of memory for windows");
    choose_features(w, g);
    if (!plan_columns(w, g, arena) || !plan_workers(w, g, arena))
        return sat_fail(SAT_ERR_MEMORY, "cpu: out of memory for windows in rows of %lld pixels",
                        (long long)w->spec.width);
    return SAT_OK;
}

void sat_cpu_integers_note(const sat_cpu_window *w, char *note, size_t bytes)
{
    static const char *const variances[] = {"f64", "64 bits", "128 bits"};
    const integers *g = w->integers;
    char squares[32] = "", variance[32] = "";
    if (g->of[HIGH_SQUARES].used)
        snprintf(squares, sizeof squares, ", squares in two u64");
    else if (g->of[SQUARES].used)
        snprintf(squares, sizeof squares, ", %s squares", g->of[SQUARES].sums == BOX_SUMS_32 ? "u32" : "u64");
    if (w->plan.needs & SAT_NEEDS_VAR)
        snprintf(variance, sizeof variance, ", variances in %s", variances[g->arithmetic]);
    snprintf(note, bytes, ", %s sums%s%s (%lld pixels of at most %llu%s)",
             g->of[SUM].sums == BOX_SUMS_32 ? "u32" : "u64", squares, variance, (long long)w->plan.window.area_px,
             (unsigned long long)w->plan.window.largest, w->plan.window.is_signed ? " in magnitude" : "");
}

/* ---- columns ------------------------------------------------------------------------------------------- */

static row_data prepare(const sat_cpu_window_run *run, int64_t y, const summed_row *to)
{
    const sat_cpu_window *w = run->w;
    row_data row = {.samples = sat_row(to->rows, run->src, y)};
    if (w->plan.validity) {
        const sat_validity v = sat_cpu_validity(run, y, to->mask);
        w->ops->validate[w->sample](to->samples, to->valid, row.samples, &v, w->samples);
        row.samples = to->samples, row.valid = to->valid;
    }
    return row;
}

/* The column sums inside the image. */
static char *inside(const sat_cpu_window *w, const worker *k, int f)
{
    const integers *g = w->integers;
    return k->of[f].column + (size_t)g->before * (size_t)w->spec.channels * g->of[f].entry;
}

static void add(const sat_cpu_window *w, const worker *k, const row_data *row, uint64_t weight)
{
    const integers *g = w->integers;
    const feature *f = g->of;
    const struct sat_box_ops *box = w->isa->box;
    const int64_t n = w->samples;
    box->add[w->sample][f[SUM].sums](inside(w, k, SUM), row->samples, weight, n);
    if (f[COUNT].used) box->add[BOX_U8][f[COUNT].sums](inside(w, k, COUNT), row->valid, weight, n);
    if (f[HIGH_SQUARES].used) {
        w->ops->add_halves[w->sample](inside(w, k, SQUARES), inside(w, k, HIGH_SQUARES), row->samples, weight, n);
    } else if (f[SQUARES].used) {
        w->ops->add_squares[w->sample][f[SQUARES].sums](inside(w, k, SQUARES), row->samples, weight, n);
    }
}

static void slide(const sat_cpu_window *w, const worker *k, const row_data *enter, const row_data *leave)
{
    const integers *g = w->integers;
    const feature *f = g->of;
    const struct sat_box_ops *box = w->isa->box;
    const int64_t n = w->samples;
    box->slide[w->sample][f[SUM].sums](inside(w, k, SUM), enter->samples, leave->samples, n);
    if (f[COUNT].used) box->slide[BOX_U8][f[COUNT].sums](inside(w, k, COUNT), enter->valid, leave->valid, n);
    if (f[HIGH_SQUARES].used) {
        w->ops->slide_halves[w->sample](inside(w, k, SQUARES), inside(w, k, HIGH_SQUARES), enter->samples,
                                        leave->samples, n);
    } else if (f[SQUARES].used) {
        w->ops->slide_squares[w->sample][f[SQUARES].sums](inside(w, k, SQUARES), enter->samples, leave->samples, n);
    }
}

/* The column sums of row y from nothing. */
static void start_columns(const sat_cpu_window_run *run, const worker *k, int worker_index, int64_t y)
{
    const sat_cpu_window *w = run->w;
    sat_segment segments[SAT_SEGMENTS];
    int64_t covered;
    const int count = sat_axis_segments(&w->plan.window.y, y, segments, &covered);
    for (int f = 0; f < FEATURES; f++)
        if (w->integers->of[f].used) memset(inside(w, k, f), 0, (size_t)w->samples * w->integers->of[f].entry);
    for (int s = 0; s < count; s++)
        for (int64_t r = segments[s].begin; r < segments[s].end; r++) {
            if (!sat_goes_on(run->run, worker_index, (double)w->samples / SAT_SUMMED_PER_US)) return;
            const row_data row = prepare(run, r, &k->enter);
            add(w, k, &row, (uint64_t)segments[s].weight);
        }
}

/* The column sums of row y from those of row y - 1. */
static void move_columns(const sat_cpu_window_run *run, const worker *k, int64_t y)
{
    const sat_axis *axis = &run->w->plan.window.y;
    const int64_t enter = sat_border_index(axis->border, y + axis->after, axis->n);
    const int64_t leave = sat_border_index(axis->border, y - 1 - axis->before, axis->n);
    row_data e = {0}, l = {0};
    if (enter == leave) return;
    if (enter >= 0) e = prepare(run, enter, &k->enter);
    if (leave >= 0) l = prepare(run, leave, &k->leave);
    if (enter >= 0 && leave >= 0)
        slide(run->w, k, &e, &l);
    else if (enter >= 0)
        add(run->w, k, &e, 1);
    else
        add(run->w, k, &l, UINT64_MAX);
}

/* ---- along a row --------------------------------------------------------------------------------------- */

#define FOR_SUMS(accum)                                                                                                \
    /* The column sums beyond the edges. */                                                                            \
    static void continue_columns_##accum(const sat_cpu_window *w, const worker *k, int f)                              \
    {                                                                                                                  \
        const integers *g = w->integers;                                                                               \
        const accum *in = (const accum *)(const void *)inside(w, k, f);                                                \
        const int64_t channels = w->spec.channels, before = g->before * channels, after = g->after * channels;         \
        accum *left = (accum *)(void *)k->of[f].column, *right = left + before + w->samples;                           \
        for (int64_t i = 0; i < before; i++) left[i] = in[g->beyond[i]];                                               \
        for (int64_t i = 0; i < after; i++) right[i] = in[g->beyond[before + i]];                                      \
    }                                                                                                                  \
    /* The window sums of a row from the segments of each window. */                                                   \
    static void sum_segments_##accum(const sat_cpu_window *w, const worker *k, int f)                                  \
    {                                                                                                                  \
        const accum *p = (const accum *)(const void *)k->of[f].prefix;                                                 \
        accum *row = (accum *)(void *)k->of[f].row;                                                                    \
        const int64_t channels = w->spec.channels;                                                                     \
        for (int64_t i = 0, x = 0; x < w->spec.width; x++) {                                                           \
            const sat_segment *s = w->integers->columns[x].runs;                                                       \
            const int count = w->integers->columns[x].count;                                                           \
            for (int64_t c = 0; c < channels; c++, i++) {                                                              \
                accum sum = 0;                                                                                         \
                for (int j = 0; j < count; j++)                                                                        \
                    sum += (accum)s[j].weight * (p[s[j].end * channels + c] - p[s[j].begin * channels + c]);           \
                row[i] = sum;                                                                                          \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    /* What positions beyond the image add to n windows from sample i on; row: of these. */                            \
    static void add_values_##accum(const sat_cpu_window *w, int f, void *row, int64_t i, int64_t n, double covered_y)  \
    {                                                                                                                  \
        accum *s = row;                                                                                                \
        const double *covered = w->integers->covered_x + i, area = (double)w->plan.window.area_px;                     \
        const uint64_t *value = w->integers->of[f].value;                                                              \
        const int64_t channels = w->spec.channels;                                                                     \
        for (int64_t k = 0, c = i % channels; k < n; k++, c = c + 1 < channels ? c + 1 : 0)                            \
            s[k] += (accum)((uint64_t)(int64_t)(area - covered_y * covered[k]) * value[c]);                            \
    }
FOR_SUMS(uint32_t)
FOR_SUMS(uint64_t)

#define WITH_SUMS(what, w, f, ...)                                                                                     \
    ((w)->integers->of[f].sums == BOX_SUMS_32 ? what##_uint32_t(w, __VA_ARGS__) : what##_uint64_t(w, __VA_ARGS__))

/* Adds what positions beyond the image add to the windows of those of n samples from sample `first` on that lie in
 * [begin, end). */
static void add_values(const sat_cpu_window *w, const worker *k, int64_t first, int64_t n, int64_t begin, int64_t end,
                       double covered_y)
{
    const integers *g = w->integers;
    if (begin < first) begin = first;
    if (end > first + n) end = first + n;
    for (int f = 0; f < FEATURES && begin < end; f++)
        if (g->of[f].used)
            WITH_SUMS(add_values, w, f, f, k->of[f].row + (size_t)(begin - first) * g->of[f].entry, begin, end - begin,
                      covered_y);
}

static void variance_128(const sat_cpu_window *w, const char *sum, const char *squares, const char *high,
                         const double *count, double *var, int64_t n)
{
    const uint64_t *s = (const uint64_t *)(const void *)sum, *q = (const uint64_t *)(const void *)squares;
    const uint64_t *h = (const uint64_t *)(const void *)high, ddof = (uint64_t)w->spec.ddof;
    const bool is_signed = w->plan.window.is_signed;
    int64_t open = w->ops->variance_128(var, count, s, q, h, is_signed, (double)w->spec.ddof, n);
    for (int64_t i = 0; open > 0 && i < n; i++) {
        if (var[i] >= 0) continue;
        const uint64_t magnitude = is_signed && (int64_t)s[i] < 0 ? 0 - s[i] : s[i];
        const uint64_t px = (uint64_t)count[i];
        const sat_u128 s2 = q[i] + (h ? (sat_u128)h[i] << 32 : 0);
        var[i] = px > ddof ? sat_quotient(s2 * px - (sat_u128)magnitude * magnitude, (sat_u128)px * (px - ddof)) : NAN;
        open--;
    }
}

/* Sums to moments.  The rows of sums begin at sample `first`. */
static void moments(const sat_cpu_window *w, const worker *k, sat_cpu_finish *f, int64_t at, int64_t n)
{
    const integers *g = w->integers;
    const char *row[FEATURES];
    for (int i = 0; i < FEATURES; i++) row[i] = g->of[i].used ? k->of[i].row + (size_t)at * g->of[i].entry : NULL;
    const int s1 = g->of[SUM].sums, s2 = g->of[SQUARES].sums;
    if (g->of[COUNT].used) w->ops->real[BOX_UNSIGNED][g->of[COUNT].sums](f->n, row[COUNT], n);
    const bool variance = w->plan.needs & SAT_NEEDS_VAR, in_f64 = variance && g->arithmetic == IN_F64;
    if (w->plan.needs & SAT_NEEDS_SUM || in_f64) w->ops->real[g->sign][s1](f->sum, row[SUM], n);
    w->ops->quotient[g->sign][s1](f->mean, row[SUM], f->n, n);
    if (w->plan.needs & SAT_NEEDS_SQUARES || in_f64) w->ops->real[BOX_UNSIGNED][s2](f->squares, row[SQUARES], n);
    if (w->plan.needs & SAT_NEEDS_SQUARES && g->of[HIGH_SQUARES].used) {
        w->ops->real[BOX_UNSIGNED][BOX_SUMS_64](f->values, row[HIGH_SQUARES], n);
        for (int64_t i = 0; i < n; i++) f->squares[i] += f->values[i] * 0x1p32;
    }
    if (in_f64)
        w->ops->variance(f->var, f->n, f->sum, f->squares, (double)w->spec.ddof, n);
    else if (variance && g->arithmetic == IN_64_BITS)
        w->ops->variance_64(f->var, f->n, row[SUM], row[SQUARES], (double)w->spec.ddof, n);
    else if (variance)
        variance_128(w, row[SUM], row[SQUARES], row[HIGH_SQUARES], f->n, f->var, n);
    for (int64_t i = 0; w->plan.needs & SAT_NEEDS_SQUARES && i < n; i++) f->squares[i] /= f->n[i];
}

/* The results of n samples from sample `first` on, whatever their windows hold; `stored`: of a row by segments. */
static void any_results(const sat_cpu_window_run *run, const worker *k, sat_cpu_finish *f, int64_t y, int64_t first,
                        int64_t n, bool stored, double covered_y)
{
    const sat_cpu_window *w = run->w;
    const integers *g = w->integers;
    const int64_t window = (g->before + 1 + g->after) * w->spec.channels;
    for (int i = 0; i < FEATURES && !stored; i++) {
        const feature *of = &g->of[i];
        if (!of->used) continue;
        w->isa->box->differ[of->sums](k->of[i].row, k->of[i].prefix + (size_t)first * of->entry, window, n);
    }
    if (w->plan.window.border->takes_value && covered_y < (double)w->spec.window_height) {
        add_values(w, k, first, n, first, first + n, covered_y);
    } else if (w->plan.window.border->takes_value) {
        add_values(w, k, first, n, first, g->left, covered_y);
        add_values(w, k, first, n, g->right, first + n, covered_y);
    }
    for (int64_t i = 0; !w->plan.validity && i < n; i++)
        f->n[i] = w->plan.window.border->shrinks ? covered_y * g->covered_x[first + i] : (double)w->plan.window.area_px;
    f->filled = 0;
    moments(w, k, f, stored ? first : 0, n);
    sat_cpu_window_finish(run, f, y, first, n);
}

/* The same where all windows hold `count` samples of the image. */
static void equal_results(const sat_cpu_window_run *run, const worker *k, sat_cpu_finish *f, int64_t y, int64_t first,
                          int64_t n, double count)
{
    const sat_cpu_window *w = run->w;
    const integers *g = w->integers;
    const feature *s1 = &g->of[SUM], *s2 = &g->of[SQUARES];
    const int64_t window = (g->before + 1 + g->after) * w->spec.channels;
    const char *samples = k->of[SUM].prefix + (size_t)first * s1->entry;
    const char *squares = s2->used ? k->of[SQUARES].prefix + (size_t)first * s2->entry : NULL;
    for (int i = 0; f->filled != count && i < WINDOW_CHUNK; i++) f->n[i] = count;
    f->filled = count;
    w->ops->moments[g->sign][s1->sums][s2->used ? s2->sums : BOX_SUMS_64](f->mean, f->var, samples, squares, window,
                                                                          count, (double)w->spec.ddof, n);
    sat_cpu_window_finish(run, f, y, first, n);
}

/* The results of n samples from sample `first` on. */
static void results(const sat_cpu_window_run *run, const worker *k, sat_cpu_finish *f, int64_t y, int64_t first,
                    int64_t n, bool stored, double covered_y)
{
    const sat_cpu_window *w = run->w;
    const integers *g = w->integers;
    const sat_border *border = w->plan.window.border;
    const bool whole_y = border->shrinks || covered_y == (double)w->spec.window_height;
    if (stored || !g->plain || !whole_y) {
        any_results(run, k, f, y, first, n, stored, covered_y);
        return;
    }
    const double count = border->shrinks ? covered_y * (double)w->spec.window_width : (double)w->plan.window.area_px;
    for (int64_t i = first, end; i < first + n; i = end) {
        end = i < g->left ? g->left : i < g->right ? g->right : w->samples;
        if (end > first + n) end = first + n;
        if (i >= g->left && end <= g->right)
            equal_results(run, k, f, y, i, end - i, count);
        else
            any_results(run, k, f, y, i, end - i, false, covered_y);
    }
}

static void do_row(const sat_cpu_window_run *run, const worker *k, sat_cpu_finish *f, int64_t y)
{
    const sat_cpu_window *w = run->w;
    const integers *g = w->integers;
    const int64_t channels = w->spec.channels, window = (g->before + 1 + g->after) * channels;
    const int64_t reach = w->samples + window - channels;
    uint64_t along[FEATURES][4] = {{0}};
    sat_segment segments[SAT_SEGMENTS];
    int64_t covered_y, done = 0;
    sat_axis_segments(&w->plan.window.y, y, segments, &covered_y);
    for (int i = 0; g->beyond && i < FEATURES; i++)
        if (g->of[i].used) WITH_SUMS(continue_columns, w, i, k, i);
    for (int64_t at = 0; at < reach; at += WINDOW_CHUNK) {
        const int64_t n = reach - at < WINDOW_CHUNK ? reach - at : WINDOW_CHUNK;
        for (int i = 0; i < FEATURES; i++) {
            const size_t entry = g->of[i].entry;
            if (!g->of[i].used) continue;
            w->isa->box->prefix[g->of[i].sums][channels - 1](k->of[i].prefix + (size_t)(channels + at) * entry,
                                                             k->of[i].column + (size_t)at * entry, n, along[i]);
        }
        const int64_t ready = at + n + channels - window - done; /* samples whose windows' sums are there now */
        if (g->by_segments || ready <= 0) continue;
        results(run, k, f, y, done, ready, false, (double)covered_y);
        done += ready;
    }
    if (!g->by_segments) return;
    for (int i = 0; i < FEATURES; i++)
        if (g->of[i].used) WITH_SUMS(sum_segments, w, i, k, i);
    for (; done < w->samples; done += WINDOW_CHUNK) {
        const int64_t n = w->samples - done < WINDOW_CHUNK ? w->samples - done : WINDOW_CHUNK;
        results(run, k, f, y, done, n, true, (double)covered_y);
    }
}

void sat_cpu_integers_rows(const sat_cpu_window_run *run, int worker_index, int64_t y, int64_t end)
{
    const worker *k = &run->w->integers->workers[worker_index];
    sat_cpu_finish *f = &run->w->finish[worker_index];
    const summed_row *rows[] = {&k->enter, &k->leave};
    for (int i = 0; i < 2; i++) {
        sat_rows_forget(rows[i]->rows);
        sat_rows_forget(rows[i]->mask);
    }
    for (int64_t first = y; y < end; y++) {
        if (y == first)
            start_columns(run, k, worker_index, y);
        else
            move_columns(run, k, y);
        if (!sat_goes_on(run->run, worker_index, (double)run->w->samples / SAT_WINDOWS_PER_US)) return;
        do_row(run, k, f, y);
    }
}
