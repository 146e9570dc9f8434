/* cpu_window_integers.c - exact n, S1 and S2 of the windows of a row, the sums of cpu_sums.c, to moments.
 *
 * Sums are taken modulo 2^32 or 2^64, and every window's own sum fits:
 *
 *     n      at most the window's area
 *     S1     |S1| <= area * m, m the largest magnitude of a sample
 *     S2     S2 <= area * m^2.  Squares of 32-bit samples are cut in halves of 32 bits, each a feature of its own.
 *
 * The variance is (n * S2 - S1^2) / (n * (n - ddof)).  The numerator is n^2 times a variance, and never negative; it
 * and its terms are at most n^2 * m^2:
 *
 *     below 2^53     in f64, where each integer is held exactly (paths.def: variance_f64, window_sums_32)
 *     below 2^64     in 64 bits (paths.def: variance_64); the divisor is at most n^2 < 2^48, as m^2 is 2^14 or more; or
 * 2^50 for m = 128, where the quotient is wrong by 2^-51 of itself at most else           in 128 bits: area < 2^32, m^2
 * <= 2^64 */
#include <stdio.h>

#include "cpu_sums.h"
#include "cpu_window.h"
#include "moments.h"
#include "path.h"

enum { IN_F64, IN_64_BITS, IN_128_BITS };

typedef struct sat_cpu_integers {
    sat_cpu_sums sums;
    int sign, arithmetic;
    bool plain; /* mean and variance of whole windows come straight from prefix sums */
} integers;

static void use(sat_cpu_feature *f, int type)
{
    f->used = true;
    f->sums = type;
}

static void choose_features(const sat_cpu_window *w, integers *g)
{
    const int64_t area = w->plan.window.area_px;
    const uint64_t m = w->plan.window.largest;
    const bool variance = w->plan.needs & SAT_NEEDS_VAR, halves = m > UINT32_MAX / 2,
               squares = w->plan.needs & (SAT_NEEDS_VAR | SAT_NEEDS_SQUARES);
    g->sign = w->plan.window.is_signed ? BOX_SIGNED : BOX_UNSIGNED;
    const double terms = (double)area * (double)area * (double)m * (double)m;
    g->arithmetic = !variance || (SAT_PATH(variance_f64) && terms < 0x1p53) ? IN_F64
                    : SAT_PATH(variance_64) && terms < 0x1p63 && !halves    ? IN_64_BITS
                                                                            : IN_128_BITS;
    const bool sums_32 = SAT_PATH(window_sums_32) && sat_sum_fits(area, m, w->plan.window.is_signed ? 31 : 32) &&
                         g->arithmetic == IN_F64;
    use(&g->sums.of[SUM], sums_32 ? BOX_SUMS_32 : BOX_SUMS_64);
    if (w->plan.validity) use(&g->sums.of[COUNT], area <= UINT32_MAX ? BOX_SUMS_32 : BOX_SUMS_64);
    if (squares && halves) {
        use(&g->sums.of[SQUARES], BOX_SUMS_64);
        use(&g->sums.of[HIGH_SQUARES], BOX_SUMS_64);
    } else if (squares) {
        const bool fits = SAT_PATH(window_sums_32) && sat_sum_fits(area, m * m, 32) && g->arithmetic == IN_F64;
        use(&g->sums.of[SQUARES], fits ? BOX_SUMS_32 : BOX_SUMS_64);
    }
    for (int c = 0; w->plan.window.border->takes_value && c < w->spec.channels; c++) {
        const uint64_t v = w->plan.window.value[c], square = v * v;
        g->sums.of[COUNT].value[c] = 1;
        g->sums.of[SUM].value[c] = v;
        g->sums.of[SQUARES].value[c] = halves ? square & UINT32_MAX : square;
        g->sums.of[HIGH_SQUARES].value[c] = square >> 32;
    }
}

sat_status sat_cpu_integers_open(sat_cpu_window *w, sat_arena *arena)
{
    integers *g = sat_arena_zeros(arena, sizeof *g);
    w->integers = g;
    if (g == NULL) return sat_fail(SAT_ERR_MEMORY, "cpu: out of memory for windows");
    g->sums = (sat_cpu_sums){
        .window = &w->plan.window,
        .isa = w->isa,
        .sample_bytes = sat_type_bytes(w->spec.sample),
        .sample = w->sample,
        .in = w->sample,
        .channels = w->spec.channels,
        .samples = w->samples,
        .chunk = WINDOW_CHUNK,
        .threads = w->threads,
        .some_count = w->plan.validity,
        .masked = w->spec.masked,
        .counts = {.channels = w->spec.channels, .has_nodata = w->spec.has_nodata, .nodata = w->spec.nodata},
        .summed_per_us = SAT_SUMMED_PER_US,
        .made_per_us = SAT_WINDOWS_PER_US};
    choose_features(w, g);
    g->plain = SAT_PATH(equal_windows) && !w->plan.validity && g->arithmetic == IN_F64 &&
               !(w->plan.needs & (SAT_NEEDS_SUM | SAT_NEEDS_SQUARES));
    if (!sat_cpu_sums_open(&g->sums, arena))
        return sat_fail(SAT_ERR_MEMORY, "cpu: out of memory for windows in rows of %lld pixels",
                        (long long)w->spec.width);
    return SAT_OK;
}

void sat_cpu_integers_note(const sat_cpu_window *w, char *note, size_t bytes)
{
    static const char *const variances[] = {"f64", "64 bits", "128 bits"};
    const integers *g = w->integers;
    char squares[32] = "", variance[32] = "";
    if (g->sums.of[HIGH_SQUARES].used)
        snprintf(squares, sizeof squares, ", squares in two u64");
    else if (g->sums.of[SQUARES].used)
        snprintf(squares, sizeof squares, ", %s squares", g->sums.of[SQUARES].sums == BOX_SUMS_32 ? "u32" : "u64");
    if (w->plan.needs & SAT_NEEDS_VAR)
        snprintf(variance, sizeof variance, ", variances in %s", variances[g->arithmetic]);
    snprintf(note, bytes, ", %s sums%s%s (%lld pixels of at most %llu%s)",
             g->sums.of[SUM].sums == BOX_SUMS_32 ? "u32" : "u64", squares, variance, (long long)w->plan.window.area_px,
             (unsigned long long)w->plan.window.largest, w->plan.window.is_signed ? " in magnitude" : "");
}

static void variance_128(const sat_cpu_window *w, const char *sum, const char *squares, const char *high,
                         const double *count, double *var, int64_t n)
{
    const uint64_t *s = (const uint64_t *)(const void *)sum, *q = (const uint64_t *)(const void *)squares;
    const uint64_t *h = (const uint64_t *)(const void *)high, ddof = (uint64_t)w->spec.ddof;
    const bool is_signed = w->plan.window.is_signed;
    int64_t open = n;
    for (int64_t i = 0; !SAT_PATH(variance_128) && i < n; i++) var[i] = -1;
    if (SAT_PATH(variance_128)) open = w->ops->variance_128(var, count, s, q, h, is_signed, (double)w->spec.ddof, n);
    for (int64_t i = 0; open > 0 && i < n; i++) {
        if (var[i] >= 0) continue;
        const uint64_t magnitude = is_signed && (int64_t)s[i] < 0 ? 0 - s[i] : s[i];
        var[i] = sat_variance_u((uint64_t)count[i], magnitude, q[i] + (h ? (sat_u128)h[i] << 32 : 0), ddof);
        open--;
    }
}

/* Sums to moments. */
static void moments(const sat_cpu_window *w, const char *const row[FEATURES], sat_cpu_finish *f, int64_t n)
{
    const integers *g = w->integers;
    const sat_cpu_feature *of = g->sums.of;
    const int s1 = of[SUM].sums, s2 = of[SQUARES].sums;
    if (of[COUNT].used) w->ops->to_f64[BOX_UNSIGNED][of[COUNT].sums](f->n, row[COUNT], n);
    const bool variance = w->plan.needs & SAT_NEEDS_VAR, in_f64 = variance && g->arithmetic == IN_F64;
    if (w->plan.needs & SAT_NEEDS_SUM || in_f64) w->ops->to_f64[g->sign][s1](f->sum, row[SUM], n);
    w->ops->quotient[g->sign][s1](f->mean, row[SUM], f->n, n);
    if (w->plan.needs & SAT_NEEDS_SQUARES || in_f64) w->ops->to_f64[BOX_UNSIGNED][s2](f->squares, row[SQUARES], n);
    if (w->plan.needs & SAT_NEEDS_SQUARES && of[HIGH_SQUARES].used) {
        w->ops->to_f64[BOX_UNSIGNED][BOX_SUMS_64](f->values, row[HIGH_SQUARES], n);
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

/* The results of a chunk, whatever its windows hold. */
static void any_results(const sat_cpu_window_run *run, const sat_cpu_summer *k, sat_cpu_finish *f,
                        const sat_cpu_chunk *c)
{
    const sat_cpu_window *w = run->w;
    const sat_cpu_sums *e = &w->integers->sums;
    const char *row[FEATURES];
    for (int i = 0; i < FEATURES; i++) row[i] = e->of[i].used ? sat_cpu_window_sums(e, k, i, c) : NULL;
    for (int64_t i = 0; !w->plan.validity && i < c->n; i++)
        f->n[i] = w->plan.window.border->shrinks ? (double)c->covered_y * e->covered[c->first + i]
                                                 : (double)w->plan.window.area_px;
    f->filled = 0;
    moments(w, row, f, c->n);
    sat_cpu_window_finish(run, f, c->y, c->first, c->n);
}

/* The same where all windows hold `count` samples of the image (paths.def: equal_windows). */
static void equal_results(const sat_cpu_window_run *run, const sat_cpu_summer *k, sat_cpu_finish *f,
                          const sat_cpu_chunk *c, double count)
{
    const sat_cpu_window *w = run->w;
    const integers *g = w->integers;
    const sat_cpu_feature *s1 = &g->sums.of[SUM], *s2 = &g->sums.of[SQUARES];
    const char *samples = sat_cpu_prefix(&g->sums, k, SUM, c->first);
    const char *squares = s2->used ? sat_cpu_prefix(&g->sums, k, SQUARES, c->first) : NULL;
    for (int i = 0; f->filled != count && i < WINDOW_CHUNK; i++) f->n[i] = count;
    f->filled = count;
    w->ops->moments[g->sign][s1->sums][s2->used ? s2->sums : BOX_SUMS_64](
        f->mean, f->var, samples, squares, sat_cpu_reach(&g->sums), count, (double)w->spec.ddof, c->n);
    sat_cpu_window_finish(run, f, c->y, c->first, c->n);
}

static void results(const void *context, int worker, const sat_cpu_chunk *c)
{
    const sat_cpu_window_run *run = context;
    const sat_cpu_window *w = run->w;
    const sat_cpu_sums *e = &w->integers->sums;
    const sat_cpu_summer *k = &e->workers[worker];
    sat_cpu_finish *f = &w->finish[worker];
    const sat_border *border = w->plan.window.border;
    const bool whole_y = border->shrinks || c->covered_y == w->spec.window_height;
    if (e->by_segments || !w->integers->plain || !whole_y) {
        any_results(run, k, f, c);
        return;
    }
    const double columns = (double)w->spec.window_width, area = (double)w->plan.window.area_px;
    const int64_t behind = c->first + c->n;
    for (int64_t i = c->first, end; i < behind; i = end) {
        end = i < e->left ? e->left : i < e->right ? e->right : w->samples;
        if (end > behind) end = behind;
        const sat_cpu_chunk part = {c->y, i, end - i, c->covered_y};
        if (i >= e->left && end <= e->right)
            equal_results(run, k, f, &part, border->shrinks ? (double)c->covered_y * columns : area);
        else
            any_results(run, k, f, &part);
    }
}

void sat_cpu_integers_begin(const sat_cpu_window *w, const sat_run *run, int64_t rows)
{
    sat_cpu_sums_begin(&w->integers->sums, run, rows);
}

void sat_cpu_integers_rows(const sat_cpu_window_run *run, int worker, int64_t y, int64_t end)
{
    const sat_cpu_sums_run sums = {&run->w->integers->sums, run->src, run->mask, run->run, results, run};
    sat_cpu_sums_rows(&sums, worker, y, end);
}
