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
 * arithmetic is modulo 2^32 (or 2^64): every window's own sum fits, so every difference is exact.
 *
 * Near the left and right edges a window is the few weighted segments that its border mode makes of it
 * (border.h), found once when the filter is made; near the upper and lower edges the entering and
 * leaving rows are those that the border mode names.
 *
 * Each thread takes bands of rows; a band begins with the sums of a whole window of rows. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "box_ops.h"
#include "cpu.h"
#include "cpu_box_float.h"
#include "isa.h"
#include "machine.h"
#include "window.h"

/* A column whose window leaves the image. */
typedef struct edge {
    int64_t x;
    int count;
    sat_segment segments[SAT_SEGMENTS];
} edge;

typedef struct worker {
    char *column, *prefix, *sums; /* of the accumulator type; prefix has one pixel of zeros in front */
    uint32_t *enter, *leave;      /* rows times alpha */
} worker;

typedef struct filter {
    sat_box_spec spec;
    sat_window window;
    const sat_isa *isa;
    sat_scan_add *scan;
    int wide, in, out;       /* indices into box_ops: of the sums, of the samples summed, of the results */
    int64_t left, right;     /* windows of columns [left, right) lie inside the image */
    edge *edges;             /* of the others, left ones first */
    uint64_t *covered_x;     /* for each column, how much of its window the image covers */
    int64_t samples;         /* in a row */
    size_t entry;            /* bytes of a sum */
    int threads;
    char *memory;
    worker *workers;
    sat_cpu_box_float *real; /* float samples: cpu_box_float.c, and nothing of the above */
} filter;

void sat_cpu_box_close(void *state)
{
    filter *f = state;
    if (f == NULL) return;
    sat_cpu_box_float_close(f->real);
    free(f->edges);
    free(f->covered_x);
    free(f->memory);
    free(f->workers);
    free(f);
}

/* Everything that depends on the column alone. */
static bool plan_columns(filter *f)
{
    const sat_axis *x = &f->window.x;
    f->left = x->before < x->n ? x->before : x->n;
    f->right = x->n - x->after > f->left ? x->n - x->after : f->left;
    f->covered_x = malloc((size_t)x->n * sizeof *f->covered_x);
    f->edges = malloc((size_t)(x->n - (f->right - f->left) + 1) * sizeof *f->edges);
    if (!f->covered_x || !f->edges) return false;
    edge *e = f->edges;
    for (int64_t i = 0; i < x->n; i++) {
        int64_t covered = x->before + 1 + x->after;
        if (i < f->left || i >= f->right) {
            e->x = i;
            e->count = sat_axis_segments(x, i, e->segments, &covered);
            e++;
        }
        f->covered_x[i] = (uint64_t)covered;
    }
    return true;
}

static bool plan_workers(filter *f)
{
    size_t line = 64, channels = (size_t)f->spec.channels;
    size_t row = ((size_t)f->samples + channels) * f->entry, product = (size_t)f->samples * sizeof(uint32_t);
    row = (row + line - 1) / line * line;
    product = f->spec.weighted_alpha ? (product + line - 1) / line * line : 0;
    size_t each = 3 * row + 2 * product + 4 * line;
    f->memory = sat_aligned_alloc((size_t)f->threads * each);
    f->workers = calloc((size_t)f->threads, sizeof *f->workers);
    if (!f->memory || !f->workers) return false;
    for (int i = 0; i < f->threads; i++) {
        char *m = f->memory + (size_t)i * each;
        f->workers[i] = (worker){.column = m, .prefix = m + row, .sums = m + 2 * row};
        f->workers[i].enter = (uint32_t *)(void *)(m + 3 * row);
        f->workers[i].leave = (uint32_t *)(void *)(m + 3 * row + product);
    }
    return true;
}

sat_status sat_cpu_box_open(const sat_box_spec *spec, void **state, char *note, size_t note_bytes)
{
    const char *why;
    const sat_isa *isa = sat_isa_in_use(&why);
    if (isa == NULL) return sat_fail(SAT_ERR_UNAVAILABLE, "cpu: %s", why);
    filter *f = calloc(1, sizeof *f);
    if (f == NULL) return sat_fail(SAT_ERR_MEMORY, "cpu: out of memory for a box filter");
    f->spec = *spec;
    f->isa = isa;
    f->threads = spec->threads ? spec->threads : sat_machine_cores();
    if (f->threads > spec->height) f->threads = (int)spec->height;
    sat_status status = sat_window_of(spec, &f->window);
    if (status == SAT_OK && spec->sample == SAT_F32) {
        status = sat_cpu_box_float_open(spec, &f->window, f->threads, &f->real);
    } else if (status == SAT_OK) {
        f->samples = spec->width * spec->channels;
        f->wide = f->window.accum == SAT_U64;
        f->entry = sat_type_bytes(f->window.accum);
        f->out = spec->sample == SAT_U16;
        f->in = spec->weighted_alpha ? 2 : f->out;
        f->scan = isa->scan_add(f->window.accum, f->window.accum, spec->channels);
        if (!plan_columns(f) || !plan_workers(f))
            status = sat_fail(SAT_ERR_MEMORY, "cpu: out of memory for a box filter of rows of %lld pixels",
                              (long long)spec->width);
    }
    if (status != SAT_OK) {
        sat_cpu_box_close(f);
        return status;
    }
    int n = snprintf(note, note_bytes, "cpu, %s, %d thread%s", isa->name, f->threads, f->threads == 1 ? "" : "s");
    if (n > 0 && (size_t)n < note_bytes) sat_window_note(&f->window, note + n, note_bytes - (size_t)n);
    *state = f;
    return SAT_OK;
}

/* Row y as it is summed: as it is, or times alpha, in the place given. */
static const void *row_to_sum(const filter *f, const sat_view *src, int64_t y, uint32_t *place)
{
    const char *row = (const char *)src->data + (size_t)y * src->row_bytes;
    if (!f->spec.weighted_alpha) return row;
    f->isa->box->weigh[f->out](place, row, f->spec.channels, f->samples);
    return place;
}

/* The column sums of row y from nothing. */
static void start_columns(const filter *f, const worker *w, const sat_view *src, int64_t y)
{
    sat_segment segments[SAT_SEGMENTS];
    int64_t covered;
    int count = sat_axis_segments(&f->window.y, y, segments, &covered);
    memset(w->column, 0, (size_t)f->samples * f->entry);
    for (int s = 0; s < count; s++)
        for (int64_t r = segments[s].begin; r < segments[s].end; r++)
            f->isa->box->add[f->in][f->wide](w->column, row_to_sum(f, src, r, w->enter), (uint64_t)segments[s].weight,
                                             f->samples);
}

/* The column sums of row y from those of row y - 1. */
static void move_columns(const filter *f, const worker *w, const sat_view *src, int64_t y)
{
    const struct sat_box_ops *ops = f->isa->box;
    const sat_axis *axis = &f->window.y;
    int64_t enter = sat_border_index(axis->border, y + axis->after, axis->n);
    int64_t leave = sat_border_index(axis->border, y - 1 - axis->before, axis->n);
    if (enter == leave) return;
    const void *e = enter < 0 ? NULL : row_to_sum(f, src, enter, w->enter);
    const void *l = leave < 0 ? NULL : row_to_sum(f, src, leave, w->leave);
    if (e && l)
        ops->slide[f->in][f->wide](w->column, e, l, f->samples);
    else if (e)
        ops->add[f->in][f->wide](w->column, e, 1, f->samples);
    else
        ops->add[f->in][f->wide](w->column, l, UINT64_MAX, f->samples);
}

/* The sums of the windows that leave the image to the left or right. */
#define EDGE_SUMS(accum)                                                                                               \
    do {                                                                                                               \
        const accum *p = (const accum *)(const void *)w->prefix;                                                       \
        accum *s = (accum *)(void *)w->sums;                                                                           \
        for (const edge *e = f->edges, *end = e + edges; e < end; e++)                                                 \
            for (int c = 0; c < channels; c++) {                                                                       \
                accum sum = 0;                                                                                         \
                for (int i = 0; i < e->count; i++)                                                                     \
                    sum += (accum)e->segments[i].weight *                                                              \
                           (p[e->segments[i].end * channels + c] - p[e->segments[i].begin * channels + c]);            \
                if (takes_value)                                                                                       \
                    sum += (accum)(((uint64_t)f->window.area_px - covered_y * f->covered_x[e->x]) *                    \
                                   f->window.value[c]);                                                                \
                s[e->x * channels + c] = sum;                                                                          \
            }                                                                                                          \
    } while (0)

/* The window sums of one row, all columns. */
static void window_sums(const filter *f, const worker *w, uint64_t covered_y)
{
    int channels = f->spec.channels;
    bool takes_value = f->window.border->takes_value;
    int64_t edges = f->window.x.n - (f->right - f->left), before = f->window.x.before;
    size_t pixel = (size_t)channels * f->entry;
    char along[4 * sizeof(uint64_t)] = {0};
    memset(w->prefix, 0, (size_t)f->samples * f->entry + pixel);
    f->scan(w->prefix + pixel, w->column, f->samples, along);
    if (f->right > f->left) {
        uint64_t bias[4];
        uint64_t beyond = (uint64_t)f->window.area_px - covered_y * (uint64_t)f->spec.window_width;
        for (int c = 0; c < 4; c++) bias[c] = beyond * f->window.value[c];
        f->isa->box->differ[f->wide](w->sums + (size_t)f->left * pixel, w->prefix + (size_t)(f->left - before) * pixel,
                                     f->spec.window_width * channels, takes_value && beyond ? bias : NULL, channels,
                                     (f->right - f->left) * channels);
    }
    if (f->wide)
        EDGE_SUMS(uint64_t);
    else
        EDGE_SUMS(uint32_t);
}

/* The means of columns [begin, end): one divisor for all of them, or one for each. */
static void means(const filter *f, const worker *w, char *out, int64_t begin, int64_t end, uint64_t covered_y)
{
    const struct sat_box_ops *ops = f->isa->box;
    int channels = f->spec.channels;
    int64_t n = (end - begin) * channels;
    if (n <= 0) return;
    const char *sums = w->sums + (size_t)begin * (size_t)channels * f->entry;
    out += (size_t)begin * (size_t)channels * sat_type_bytes(f->spec.sample);
    bool inside = begin >= f->left && end <= f->right;
    if (!f->window.border->shrinks)
        ops->divide[f->wide][f->out](out, sums, (uint64_t)f->window.area_px, n);
    else if (inside)
        ops->divide[f->wide][f->out](out, sums, covered_y * (uint64_t)f->spec.window_width, n);
    else
        ops->divide_each[f->wide][f->out](out, sums, f->covered_x + begin, covered_y, channels, n);
}

static void do_row(const filter *f, const worker *w, const sat_view *dst, int64_t y)
{
    sat_segment segments[SAT_SEGMENTS];
    int64_t covered;
    sat_axis_segments(&f->window.y, y, segments, &covered);
    char *out = (char *)dst->data + (size_t)y * dst->row_bytes;
    window_sums(f, w, (uint64_t)covered);
    means(f, w, out, 0, f->left, (uint64_t)covered);
    means(f, w, out, f->left, f->right, (uint64_t)covered);
    means(f, w, out, f->right, f->spec.width, (uint64_t)covered);
    if (f->spec.weighted_alpha)
        f->isa->box->divide_weighted[f->wide][f->out](out, w->sums, f->spec.channels, f->samples);
}

/* Rows in a band: several bands for each thread, so that none waits long for the last, but so tall that
 * the window of rows with which a band begins costs little beside it. */
int64_t sat_cpu_box_band_rows(int64_t height, int64_t window_height, int threads)
{
    int64_t most = (height + threads - 1) / threads, rows = (height + 8 * threads - 1) / (8 * threads);
    int64_t window = window_height < height ? window_height : height;
    if (rows < 8 * window) rows = 8 * window;
    return rows < most ? rows : most;
}

sat_status sat_cpu_box_run(void *state, const sat_view *src, const sat_view *dst, void *stream)
{
    const filter *f = state;
    (void)stream;
    if (f->real) return sat_cpu_box_float_run(f->real, src, dst);
    int64_t height = f->spec.height, rows = sat_cpu_box_band_rows(height, f->spec.window_height, f->threads);
#pragma omp parallel num_threads(f->threads)
    {
        const worker *w = &f->workers[omp_get_thread_num()];
#pragma omp for schedule(dynamic)
        for (int64_t band = 0; band < height; band += rows)
            for (int64_t y = band; y < band + rows && y < height; y++) {
                if (y == band)
                    start_columns(f, w, src, y);
                else
                    move_columns(f, w, src, y);
                do_row(f, w, dst, y);
            }
    }
    return SAT_OK;
}
