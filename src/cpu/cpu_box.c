/* cpu_box.c - the cpu backend's box filter for integer samples: no table, two running sums.
 *
 * For each output row, the sums of the window's rows in every column:
 *
 *     column[x] += I(x, y + after) - I(x, y - 1 - before)           one row enters, one leaves
 *
 * and of those the running sum along the row, from which any window takes two reads:
 *
 *     prefix[x + 1] = prefix[x] + column[x]                         the scan of the table builder
 *     window(x) = prefix[x + after + 1] - prefix[x - before]
 *
 * (McDonnell, Box-filtering techniques, 1981.)  The cost does not depend on the window's size, and the
 * arithmetic is modulo 2^16, 2^32 or 2^64: every window's own sum fits, so every difference is exact.
 *
 * The column sums are continued beyond the left and right edges as the border mode says; where samples
 * beyond the edge do not count, by zeros.  Near the upper and lower edges the entering and leaving rows
 * are those that the border mode names.  Only a window that reaches beyond the image by more than the
 * image's size, in a mode that repeats samples, is taken apart into the segments of border.h.
 *
 * Each thread takes bands of rows; a band begins with the sums of a whole window of rows.  A row is
 * finished CHUNK samples at a time, while its prefix sums are in the first-level cache. */
#include <stdio.h>
#include <string.h>

#include "box_bands.h"
#include "box_ops.h"
#include "cpu.h"
#include "cpu_box_float.h"
#include "isa.h"
#include "machine.h"
#include "pool.h"
#include "shape.h"
#include "strides.h"
#include "window.h"

enum { CHUNK = 768 }; /* a multiple of every vector length and channel count */
enum { LINE = 64 };   /* bytes of the longest vector, and of a cache line */

/* Samples in a thread's share (machine.h), at 0.7 and at 1.6 ns each (docs/cpu.md). */
enum { SHARE_INTEGERS = 150000, SHARE_FLOATS = 60000 };

/* Samples that one thread adds to column sums, and makes means of, in a microsecond. */
#define SUMMED_PER_US 5000.0
#define MADE_PER_US   1400.0

/* A row that is summed, where it is not the image's own. */
typedef struct summed_row {
    sat_rows *rows;    /* without gaps */
    uint32_t *product; /* times alpha: u32, of signed samples i32 */
} summed_row;

typedef struct worker {
    char *column;      /* sums of the window's rows, from `before` pixels before the image on */
    char *prefix;      /* of those, one pixel of zeros in front */
    char *sums;        /* of the windows of one chunk; by segments: of a row */
    char *zeros;       /* as many */
    char *weights;     /* their divisors, where alpha weighs them */
    char *result;      /* a row of results on its way past the caches */
    sat_rows *results; /* on their way to a view with gaps */
    summed_row enter, leave;
} worker;

typedef struct filter {
    sat_box_spec spec;
    sat_box_window window;
    const sat_isa *isa;
    const struct sat_box_ops *ops;
    int sums, sample, in;        /* box_ops.h's indices: of the sums, of the samples, and of what is summed, */
    int sign, out;               /* of the samples' sign, and of the results */
    size_t in_bytes, out_bytes;  /* of a sample and of a result */
    bool by_segments;            /* windows are taken apart; before and after are 0 */
    const sat_box_runs *columns; /* then: what the window of each column holds */
    int64_t before, after;       /* pixels by which windows reach beyond a column, cut where those count nothing */
    int64_t left, right;         /* the windows of columns [left, right) lie inside the image */
    int64_t samples;             /* in a row */
    int64_t *beyond;             /* which samples of the row the before + after pixels beyond it repeat; or NULL */
    void *covered_x;             /* for each sample, how many columns its window covers; of the sums' type */
    void *values;                /* for each sample, the border's value in its channel; of that type; or NULL */
    size_t entry;                /* bytes of a sum */
    int few;                     /* columns of a window, where it is summed without prefix sums; or 0 */
    bool stream;                 /* the result will not fit the cache and goes past it */
    int threads;
    char *memory;
    worker *workers;
    sat_cpu_box_float *real; /* float samples: cpu_box_float.c, and nothing of the above */
} filter;

/* sums[i] = value, modulo the sums' width. */
static void put_sum(const filter *f, void *sums, int64_t i, uint64_t value)
{
    switch (f->sums) {
    case BOX_SUMS_16: ((uint16_t *)sums)[i] = (uint16_t)value; break;
    case BOX_SUMS_32: ((uint32_t *)sums)[i] = (uint32_t)value; break;
    default: ((uint64_t *)sums)[i] = value;
    }
}

/* Everything that depends on the column alone. */
static bool plan_columns(filter *f, sat_arena *arena)
{
    const sat_axis *x = &f->window.x;
    const sat_border *border = x->border;
    int64_t channels = f->spec.channels, n = x->n;
    bool repeats = !border->shrinks && !border->takes_value;
    f->by_segments = repeats && (x->before > n || x->after > n);
    if (f->by_segments) f->columns = sat_axis_runs(x, arena);
    if (f->by_segments && f->columns == NULL) return false;
    f->before = f->by_segments ? 0 : x->before < n ? x->before : n;
    f->after = f->by_segments ? 0 : x->after < n ? x->after : n;
    if (f->sums == BOX_SUMS_16 && !f->by_segments && f->before + 1 + f->after <= BOX_FEW)
        f->few = (int)(f->before + 1 + f->after);
    f->left = x->before < n ? x->before : n;
    f->right = n - x->after > f->left ? n - x->after : f->left;
    f->covered_x = sat_arena_alloc(arena, (size_t)f->samples * f->entry);
    f->values = border->takes_value ? sat_arena_alloc(arena, (size_t)f->samples * f->entry) : NULL;
    if (f->covered_x == NULL || (border->takes_value && f->values == NULL)) return false;
    if (repeats) {
        const size_t beyond = (size_t)(f->before + f->after + 1) * (size_t)channels;
        f->beyond = sat_arena_alloc(arena, beyond * sizeof *f->beyond);
        if (f->beyond == NULL) return false;
    }
    for (int64_t i = 0; i < f->samples; i++) {
        sat_segment segments[SAT_SEGMENTS];
        int64_t covered = f->spec.window_width, at = i / channels;
        if (at < f->left || at >= f->right) sat_axis_segments(x, at, segments, &covered);
        put_sum(f, f->covered_x, i, (uint64_t)covered);
        if (f->values) put_sum(f, f->values, i, f->window.value[i % channels]);
    }
    for (int64_t i = 0; repeats && i < f->before + f->after; i++)
        for (int64_t c = 0; c < channels; c++)
            f->beyond[i * channels + c] =
                sat_border_index(border, i < f->before ? i - f->before : n + i - f->before, n) * channels + c;
    return true;
}

static size_t lines(size_t bytes)
{
    return (bytes + LINE - 1) / LINE * LINE;
}

static bool plan_workers(filter *f, sat_arena *arena)
{
    size_t pixel = (size_t)f->spec.channels, reach = (size_t)f->samples + (size_t)(f->before + f->after) * pixel;
    size_t beyond = LINE * pixel; /* rows of column sums are scanned in whole vectors */
    size_t column = lines(reach * f->entry) + beyond, prefix = lines((reach + pixel) * f->entry) + beyond;
    size_t sums = lines((f->by_segments ? (size_t)f->samples : CHUNK) * f->entry);
    size_t product = f->spec.weighted_alpha ? lines((size_t)f->samples * sizeof(uint32_t)) : 0;
    size_t weights = f->spec.weighted_alpha ? sums : 0;
    size_t row = (size_t)f->samples * f->in_bytes, result = lines((size_t)f->samples * f->out_bytes);
    size_t each = column + prefix + 2 * sums + weights + 2 * product, all, results;
    if (!sat_mul(each, (size_t)f->threads, &all) || !sat_mul(result, (size_t)f->threads, &results)) return false;
    f->memory = sat_arena_zeros(arena, all);
    f->workers = sat_arena_zeros(arena, (size_t)f->threads * sizeof *f->workers);
    sat_rows *rows = sat_arena_alloc(arena, 3 * (size_t)f->threads * sizeof *rows);
    char *to = sat_arena_alloc(arena, results);
    bool ok = f->memory && f->workers && rows && to;
    for (int i = 0; ok && i < f->threads; i++, rows += 3, to += result) {
        char *m = f->memory + (size_t)i * each, *products = m + column + prefix + 2 * sums + weights;
        f->workers[i] = (worker){.column = m,
                                 .prefix = m + column,
                                 .sums = m + column + prefix,
                                 .zeros = m + column + prefix + sums,
                                 .weights = m + column + prefix + 2 * sums,
                                 .result = to,
                                 .results = rows + 2,
                                 .enter = {rows, (uint32_t *)(void *)products},
                                 .leave = {rows + 1, (uint32_t *)(void *)(products + product)}};
        ok = sat_rows_open(rows, row, f->spec.height, arena) && sat_rows_open(rows + 1, row, f->spec.height, arena) &&
             sat_rows_open(rows + 2, result, f->spec.height, arena);
    }
    return ok;
}

/* The indices of box_ops.h that a checked spec has. */
static void choose_loops(filter *f)
{
    const sat_box_spec *s = &f->spec;
    const sat_box_window *w = &f->window;
    f->in_bytes = sat_type_bytes(s->sample);
    f->out_bytes = sat_type_bytes(s->result);
    f->sign = w->is_signed ? BOX_SIGNED : BOX_UNSIGNED;
    f->sample = (w->is_signed ? BOX_I8 : BOX_U8) + (f->in_bytes == 1 ? 0 : f->in_bytes == 2 ? 1 : 2);
    f->in = !s->weighted_alpha ? f->sample : w->is_signed ? BOX_I32 : BOX_U32;
    f->sums = w->accum == SAT_U64 ? BOX_SUMS_64 : BOX_SUMS_32;
    if (f->in_bytes == 1 && !s->weighted_alpha && sat_box_window_fits(w, 16)) f->sums = BOX_SUMS_16;
    f->entry = (size_t)2 << f->sums;
    if (s->result == SAT_F64)
        f->out = BOX_TO_F64;
    else if (s->result == SAT_F32)
        f->out = sat_sum_fits(w->area_px, w->largest, 24) ? BOX_TO_F24 : BOX_TO_F32;
    else
        f->out = f->in_bytes == 1 ? BOX_TO_8 : f->in_bytes == 2 ? BOX_TO_16 : BOX_TO_32;
}

sat_status sat_cpu_box_open(const sat_box_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes)
{
    const char *why;
    const sat_isa *isa = sat_isa_in_use(&why);
    if (isa == NULL) return sat_fail(SAT_ERR_UNAVAILABLE, "cpu: %s", why);
    filter *f = sat_arena_zeros(arena, sizeof *f);
    if (f == NULL) return sat_fail(SAT_ERR_MEMORY, "cpu: out of memory for a box filter");
    f->spec = *spec;
    f->isa = isa;
    f->ops = isa->box;
    double samples = (double)spec->width * (double)spec->height * spec->channels;
    f->threads =
        sat_machine_threads(spec->threads, samples, sat_is_float(spec->sample) ? SHARE_FLOATS : SHARE_INTEGERS);
    if (f->threads > spec->height) f->threads = (int)spec->height;
    sat_status status = sat_box_window_of(spec, &f->window);
    if (status == SAT_OK && sat_is_float(spec->sample)) {
        status = sat_cpu_box_float_open(spec, &f->window, isa, f->threads, arena, &f->real);
    } else if (status == SAT_OK) {
        choose_loops(f);
        f->samples = spec->width * spec->channels;
        f->stream = sat_machine_streams((size_t)f->samples * f->out_bytes, sat_area(spec->height, spec->count));
        if (!plan_columns(f, arena) || !plan_workers(f, arena))
            status = sat_fail(SAT_ERR_MEMORY, "cpu: out of memory for a box filter of rows of %lld pixels",
                              (long long)spec->width);
    }
    if (status != SAT_OK) return status;
    int n = snprintf(note, note_bytes, "cpu, %s, %d thread%s", isa->name, f->threads, f->threads == 1 ? "" : "s");
    if (f->entry == 2) f->window.accum = SAT_U16;
    if (n > 0 && (size_t)n < note_bytes) sat_box_window_note(&f->window, note + n, note_bytes - (size_t)n);
    *state = f;
    return SAT_OK;
}

/* Row y as it is summed: without gaps between pixels, perhaps times alpha. */
static const void *row_to_sum(const filter *f, const sat_view *src, int64_t y, const summed_row *to)
{
    const void *row = sat_row(to->rows, src, y);
    if (!f->spec.weighted_alpha) return row;
    f->ops->weigh[f->sample](to->product, row, f->spec.channels, f->samples);
    return to->product;
}

/* The column sums inside the image. */
static char *inside(const filter *f, const worker *w)
{
    return w->column + (size_t)f->before * (size_t)f->spec.channels * f->entry;
}

typedef struct job {
    const filter *f;
    const sat_view *src, *dst;
    const sat_run *run;
    int64_t rows; /* in each band but the last */
} job;

/* The column sums of row y from nothing. */
static void start_columns(const job *j, const worker *w, int worker_index, int64_t y)
{
    const filter *f = j->f;
    sat_segment segments[SAT_SEGMENTS];
    int64_t covered;
    int count = sat_axis_segments(&f->window.y, y, segments, &covered);
    memset(inside(f, w), 0, (size_t)f->samples * f->entry);
    for (int s = 0; s < count; s++)
        for (int64_t r = segments[s].begin; r < segments[s].end; r++) {
            if (!sat_goes_on(j->run, worker_index, (double)f->samples / SUMMED_PER_US)) return;
            f->ops->add[f->in][f->sums](inside(f, w), row_to_sum(f, j->src, r, &w->enter), (uint64_t)segments[s].weight,
                                        f->samples);
        }
}

/* The column sums of row y from those of row y - 1. */
static void move_columns(const filter *f, const worker *w, const sat_view *src, int64_t y)
{
    const sat_axis *axis = &f->window.y;
    int64_t enter = sat_border_index(axis->border, y + axis->after, axis->n);
    int64_t leave = sat_border_index(axis->border, y - 1 - axis->before, axis->n);
    if (enter == leave) return;
    const void *e = enter < 0 ? NULL : row_to_sum(f, src, enter, &w->enter);
    const void *l = leave < 0 ? NULL : row_to_sum(f, src, leave, &w->leave);
    if (e && l)
        f->ops->slide[f->in][f->sums](inside(f, w), e, l, f->samples);
    else if (e)
        f->ops->add[f->in][f->sums](inside(f, w), e, 1, f->samples);
    else
        f->ops->add[f->in][f->sums](inside(f, w), l, UINT64_MAX, f->samples);
}

/* The loops of this file that go sample by sample, for each type of sum. */
#define FOR_SUMS(accum)                                                                                                \
    /* The column sums beyond the edges. */                                                                            \
    static void continue_columns_##accum(const filter *f, const worker *w)                                             \
    {                                                                                                                  \
        const accum *in = (const accum *)(const void *)inside(f, w);                                                   \
        accum *left = (accum *)(void *)w->column, *right = left + f->before * f->spec.channels + f->samples;           \
        int64_t before = f->before * f->spec.channels, after = f->after * f->spec.channels;                            \
        for (int64_t i = 0; i < before; i++) left[i] = in[f->beyond[i]];                                               \
        for (int64_t i = 0; i < after; i++) right[i] = in[f->beyond[before + i]];                                      \
    }                                                                                                                  \
    /* The window sums of a row from the segments of each window. */                                                   \
    static void sum_segments_##accum(const filter *f, const worker *w)                                                 \
    {                                                                                                                  \
        const accum *p = (const accum *)(const void *)w->prefix;                                                       \
        accum *sums = (accum *)(void *)w->sums;                                                                        \
        const int64_t channels = f->spec.channels;                                                                     \
        for (int64_t x = 0; x < f->spec.width; x++) {                                                                  \
            const sat_segment *s = f->columns[x].runs;                                                                 \
            const int count = f->columns[x].count;                                                                     \
            for (int64_t c = 0; c < channels; c++) {                                                                   \
                accum sum = 0;                                                                                         \
                for (int i = 0; i < count; i++)                                                                        \
                    sum = (accum)(sum + (accum)s[i].weight *                                                           \
                                            (accum)(p[s[i].end * channels + c] - p[s[i].begin * channels + c]));       \
                sums[x * channels + c] = sum;                                                                          \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    /* What positions beyond the image add to n windows from sample i on; sums: of these. */                           \
    static void add_values_##accum(const filter *f, void *restrict sums, int64_t i, int64_t n, uint64_t covered_y)     \
    {                                                                                                                  \
        accum *restrict s = sums;                                                                                      \
        const accum *restrict covered = (const accum *)f->covered_x + i;                                               \
        const accum *restrict value = (const accum *)f->values + i;                                                    \
        const accum area = (accum)f->window.area_px, rows = (accum)covered_y;                                          \
        for (int64_t k = 0; k < n; k++) s[k] = (accum)(s[k] + (area - 1u * rows * covered[k]) * value[k]);             \
    }
FOR_SUMS(uint16_t)
FOR_SUMS(uint32_t)
FOR_SUMS(uint64_t)

#define WITH_SUMS(f, what, ...)                                                                                        \
    ((f)->sums == BOX_SUMS_16   ? what##_uint16_t(__VA_ARGS__)                                                         \
     : (f)->sums == BOX_SUMS_32 ? what##_uint32_t(__VA_ARGS__)                                                         \
                                : what##_uint64_t(__VA_ARGS__))

/* The window sums of n samples from sample `first` on. */
static void sum_windows(const filter *f, const worker *w, void *sums, int64_t first, int64_t n)
{
    const size_t at = (size_t)first * f->entry;
    if (f->few)
        f->ops->few_sums[f->few - 1](sums, w->column + at, f->spec.channels, n);
    else
        f->ops->differ[f->sums](sums, w->prefix + at, (f->before + 1 + f->after) * f->spec.channels, n);
}

/* Means of n samples from sample `first` on.  The sums of their windows are upper - lower, differences of prefix sums
 * that are taken as they are divided; or they are `summed` already, in w->sums, and lower is zeros. */
typedef struct chunk {
    int64_t first, n;
    uint64_t covered_y; /* rows of each window inside the image */
    const char *upper, *lower;
    bool summed;
} chunk;

/* Adds what positions beyond the image add to the windows of those samples of the chunk that lie in [begin, end). */
static void add_values(const filter *f, const worker *w, const chunk *c, int64_t begin, int64_t end)
{
    if (begin < c->first) begin = c->first;
    if (end > c->first + c->n) end = c->first + c->n;
    char *sums = w->sums + (size_t)(begin - c->first) * f->entry;
    if (begin < end) WITH_SUMS(f, add_values, f, sums, begin, end - begin, c->covered_y);
}

/* Sums what is not divided as it is summed.  stored: the sums are in w->sums. */
static void sum_chunk(const filter *f, const worker *w, chunk *c, bool stored)
{
    const int64_t channels = f->spec.channels, window = (f->before + 1 + f->after) * channels;
    const bool edges = c->first < f->left * channels || c->first + c->n > f->right * channels;
    const bool values = f->window.border->takes_value && (edges || c->covered_y < (uint64_t)f->spec.window_height);
    const bool few_sums = f->few && (f->out != BOX_TO_8 || f->sign == BOX_SIGNED); /* no few_means() for them */
    c->lower = w->prefix + (size_t)c->first * f->entry, c->upper = c->lower + (size_t)window * f->entry;
    c->summed = values || f->spec.weighted_alpha || stored || few_sums;
    if (!c->summed) return;
    if (!stored) sum_windows(f, w, w->sums, c->first, c->n);
    if (values && c->covered_y < (uint64_t)f->spec.window_height) {
        add_values(f, w, c, c->first, c->first + c->n);
    } else if (values) {
        add_values(f, w, c, c->first, f->left * channels);
        add_values(f, w, c, f->right * channels, c->first + c->n);
    }
    c->upper = w->sums, c->lower = w->zeros;
}

/* Means of n samples of the chunk, from sample i on, whose windows hold as many samples: `divisor`. */
static void divide(const filter *f, const worker *w, char *row, const chunk *c, int64_t i, int64_t n, uint64_t divisor)
{
    const size_t at = (size_t)(i - c->first) * f->entry;
    char *out = row + (size_t)i * f->out_bytes;
    if (f->few && !c->summed)
        f->ops->few_means[f->few - 1](out, w->column + (size_t)i * f->entry, f->spec.channels, divisor, n);
    else
        f->ops->divide[f->sign][f->sums][f->out](out, c->upper + at, c->lower + at, divisor, n);
}

/* Means of the few samples [i, end) at an edge, one by one: a call takes longer than they do. */
static void divide_edge(const filter *f, const worker *w, uint8_t *row, int64_t i, int64_t end, uint64_t covered_y)
{
    const uint16_t *column = (const uint16_t *)(const void *)w->column, *covered = f->covered_x;
    for (; i < end; i++) {
        const uint32_t divisor = (uint32_t)covered_y * covered[i];
        uint32_t sum = divisor / 2;
        for (int k = 0; k < f->few; k++) sum += column[i + k * f->spec.channels];
        row[i] = (uint8_t)(sum / divisor);
    }
}

/* The same where positions beyond the image count nothing: windows at the edges have fewer columns. */
static void divide_shrunk(const filter *f, const worker *w, char *row, const chunk *c)
{
    const int64_t left = f->left * f->spec.channels, right = f->right * f->spec.channels, behind = c->first + c->n;
    for (int64_t i = c->first, end; i < behind; i = end) {
        end = i < left ? left : i < right ? right : f->samples;
        if (end > behind) end = behind;
        if (i >= left && end <= right) {
            divide(f, w, row, c, i, end - i, c->covered_y * (uint64_t)f->spec.window_width);
            continue;
        }
        if (f->few && !c->summed) {
            divide_edge(f, w, (uint8_t *)row, i, end, c->covered_y);
            continue;
        }
        char *sums = w->sums + (size_t)(i - c->first) * f->entry;
        if (!c->summed) sum_windows(f, w, sums, i, end - i);
        f->ops->divide_each[f->sign][f->sums][f->out](
            row + (size_t)i * f->out_bytes, sums, (char *)f->covered_x + (size_t)i * f->entry, c->covered_y, end - i);
    }
}

static void divide_weighted(const filter *f, const worker *w, char *row, const chunk *c)
{
    const bool shrinks = f->window.border->shrinks;
    f->ops->spread[f->sums](w->weights, w->sums, shrinks ? (char *)f->covered_x + (size_t)c->first * f->entry : NULL,
                            shrinks ? c->covered_y : (uint64_t)f->window.area_px, f->spec.channels, c->n);
    f->ops->divide_each[f->sign][f->sums][f->out](row + (size_t)c->first * f->out_bytes, w->sums, w->weights, 1, c->n);
}

static void means(const filter *f, const worker *w, char *row, int64_t first, int64_t n, bool stored,
                  uint64_t covered_y)
{
    chunk c = {.first = first, .n = n, .covered_y = covered_y};
    sum_chunk(f, w, &c, stored);
    if (f->spec.weighted_alpha)
        divide_weighted(f, w, row, &c);
    else if (f->window.border->shrinks)
        divide_shrunk(f, w, row, &c);
    else
        divide(f, w, row, &c, first, n, (uint64_t)f->window.area_px);
}

/* Prefetches n bytes from `first` on of the row at position y. */
static void prefetch(const filter *f, const sat_view *src, int64_t y, size_t first, size_t n)
{
    int64_t row = sat_border_index(f->window.border, y, f->window.y.n);
    if (row < 0) return;
    const char *p = (const char *)src->data + row * src->row_bytes + first;
    for (size_t i = 0; i < n; i += 64) __builtin_prefetch(p + i);
}

/* One row of results from the column sums.  Meanwhile the rows that enter and leave next are on their way to
 * the cache: the prefetchers alone would stop at the ends of the last two. */
static void do_row(const filter *f, const worker *w, const sat_view *src, const sat_view *dst, int64_t y)
{
    int64_t channels = f->spec.channels, covered_y, done = 0;
    int64_t window = (f->before + 1 + f->after) * channels, reach = f->samples + window - channels;
    const int64_t whole = LINE / (int64_t)f->entry * channels; /* samples in vectors of whole pixels */
    size_t pixel = (size_t)channels * f->entry;
    char *to = (char *)dst->data + y * dst->row_bytes;
    const bool gaps = sat_has_gaps(src), scatters = sat_has_gaps(dst);
    char *row = scatters ? sat_row_to(w->results, dst, y) : f->stream ? w->result : to;
    uint64_t along[4] = {0};
    const sat_axis *axis = &f->window.y;
    sat_segment segments[SAT_SEGMENTS];
    if (y >= axis->before && y + axis->after < axis->n)
        covered_y = f->spec.window_height;
    else
        sat_axis_segments(axis, y, segments, &covered_y);
    if (f->beyond) WITH_SUMS(f, continue_columns, f, w);
    for (int64_t i = 0; i < reach; i += CHUNK) {
        int64_t n = reach - i < CHUNK ? reach - i : CHUNK;
        if (i < f->samples && !gaps) {
            size_t part = (size_t)(f->samples - i < n ? f->samples - i : n) * f->in_bytes;
            prefetch(f, src, y + 1 + f->window.y.after, (size_t)i * f->in_bytes, part);
            prefetch(f, src, y - f->window.y.before, (size_t)i * f->in_bytes, part);
        }
        if (f->few == 0)
            f->ops->prefix[f->sums][channels - 1](w->prefix + pixel + (size_t)i * f->entry,
                                                  w->column + (size_t)i * f->entry, (n + whole - 1) / whole * whole,
                                                  along);
        int64_t ready = i + n + channels - window - done; /* samples whose window's sums are there now */
        if (f->by_segments || ready <= 0) continue;
        means(f, w, row, done, ready, false, (uint64_t)covered_y);
        done += ready;
    }
    if (f->by_segments) {
        WITH_SUMS(f, sum_segments, f, w);
        means(f, w, row, 0, f->samples, true, (uint64_t)covered_y);
    }
    if (f->stream && !scatters) f->isa->stream(to, row, (size_t)f->samples * f->out_bytes);
}

static void do_band(void *context, int64_t band, int worker_index)
{
    const job *j = context;
    const filter *f = j->f;
    const worker *w = &f->workers[worker_index];
    const sat_view src = *j->src, dst = *j->dst;
    sat_rows_forget(w->enter.rows);
    sat_rows_forget(w->leave.rows);
    sat_rows_forget(w->results);
    int64_t first = band * j->rows, end = first + j->rows < f->spec.height ? first + j->rows : f->spec.height;
    for (int64_t y = first; y < end; y++) {
        if (y == first)
            start_columns(j, w, worker_index, y);
        else
            move_columns(f, w, &src, y);
        if (!sat_goes_on(j->run, worker_index, (double)f->samples / MADE_PER_US)) break;
        do_row(f, w, &src, &dst, y);
    }
    sat_rows_end(w->results, &dst);
    if (f->stream) f->isa->fence();
}

sat_status sat_cpu_box_run(void *state, const sat_view *src, const sat_view *dst, const sat_run *run)
{
    const filter *f = state;
    if (f->real) return sat_cpu_box_float_run(f->real, src, dst, run);
    int64_t height = f->spec.height, rows = sat_cpu_box_band_rows(height, f->spec.window_height, f->threads);
    job j = {.f = f, .src = src, .dst = dst, .run = run, .rows = rows};
    return sat_run_each(run, f->spec.executor, f->threads, (height - 1) / rows + 1, do_band, &j);
}
