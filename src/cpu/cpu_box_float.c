/* cpu_box_float.c - the cpu backend's box filter for float samples: sums by additions only.
 *
 * Running sums that add what enters and subtract what leaves drift, lose small samples beside large ones,
 * and never forget a NaN.  Here nothing is ever subtracted.  Cut the samples of an axis into segments about as
 * long as the window; then a window is the end of one segment and the beginning of the next:
 *
 *     |  .  .  .  a  b  c | d  e  .  .  .  . |          window {a b c d e} = suffix(a b c) + prefix(d e)
 *
 * and suffix and prefix sums take one addition for each sample, whatever the window's size (van Herk 1992,
 * Gil & Werman 1993, there for minima).  So an NaN or Inf reaches exactly the windows that hold it, and the error of a
 * mean of n samples is at most n * 2^-53 of the mean of their absolute values.
 *
 * Blocks.  A segment is `blocks` blocks of 8 lines, and a window `rest` < 8 lines longer than a segment.  A step makes
 * eight windows.  The first begins with a block, which leaves:
 *
 *     | . . . . . . . . | . . . . . . . . | . . . . . . . . | . . . . . . . . |      lines, in blocks; segments of two
 *     [------ window 0 ------------------------]                                     rest = 3
 *                     [------ window 7 ------------------------]
 *      leaving block     suffix              prefix  entering lines
 *
 * The sums from each leaving line to the end of the segment are added up again, from the suffix sum of whole blocks; so
 * one suffix sum is kept for 8 lines, and not for each.  The prefix sum goes on over the 8 lines that enter.  The sums of
 * whole blocks, which become suffix sums when the segment is complete, are in the same places (slots) that the suffix
 * sums of the segment before were in.  Windows of less than a block are summed line by line.
 *
 * First down the columns of a few pixels, 8 rows at a time, then along these 8 rows, side by side in vectors.  Means go
 * to their rows in whole cache lines.
 *
 * Blocks begin at the same lines whatever the bands, strips and vectors are, so that sums do not depend on them. */
#include <stdlib.h>
#include <string.h>

#include "box_bands.h"
#include "box_float_ops.h"
#include "cpu_box_float.h"
#include "host_copy.h"
#include "isa.h"
#include "machine.h"
#include "pool.h"
#include "shape.h"

/* Samples, about, in a piece, whose sums are taken down the columns and then along the rows while they are in the
 * first-level cache, and pieces in a chunk, whose means are written together. */
#ifndef CS
#define CS 64
#define CP 4
#endif
enum { PIECE_SAMPLES = CS, CHUNK_PIECES = CP };

/* Pixels: chunks begin at multiples of it, and so does the image, so that its cache lines are read whole. */
enum { ALIGNED = 16, FRONT_PX = BOX_LINES, LINE_BYTES = 64 };

/* An axis continued beyond the image: position p is the image's p + first. */
typedef struct axis {
    sat_axis image;
    int64_t first, skip; /* the window of pixel i begins at position i + skip */
    int64_t window, blocks, rest;
} axis;

/* The sums that a step along one axis keeps, n for each line. */
typedef struct sums {
    double *slots, *prefix, *part, *tail;
    int64_t n;
} sums;

typedef struct worker {
    sums down, along;
    double *columns;    /* column sums: a ring of transposed ones, or eight rows */
    double *windows;    /* window sums of a group or chunk that are not means yet */
    char *samples;      /* of a chunk whose samples do not lie as they are summed */
    char *means;        /* eight rows on their way to the result */
} worker;

struct sat_cpu_box_float {
    sat_box_spec spec;
    sat_window window;
    const sat_isa *isa;
    const struct sat_box_float_ops *ops;
    axis x, y;
    int in;             /* box_float_ops.h's index: of the samples that are summed */
    size_t in_bytes, out_bytes;
    double inverse;     /* of a whole window's pixels, if they are few enough (box_float_template.h); else 0 */
    bool stream;
    int threads;
    int64_t piece_px, chunk_px, ring_px; /* pixels in a piece, in the longest chunk, in the ring of column sums */
    int64_t strip_px, span_px;           /* of results in a strip, of its column sums */
    int64_t row;        /* entries in a row of a chunk's sums, or of its means */
    int64_t *map;       /* the image's column that each position of x sees, -1: none */
    double *covered;    /* columns that windows cover, for each sample from FRONT_PX pixels before position 0 on */
    char *memory, *zeros;
    worker *workers;
};

typedef struct sat_cpu_box_float filter;

/* Where the job of one call lies: rows [y, end) of the pixels [first, last). */
typedef struct part {
    const filter *f;
    const worker *w;
    const sat_view *src, *dst;
    int64_t y, end, first, last;
    int64_t origin; /* the position at which the strip's sums begin, a multiple of 8 */
} part;

void sat_cpu_box_float_close(filter *f)
{
    if (f == NULL) return;
    free(f->map);
    free(f->covered);
    free(f->memory);
    free(f->workers);
    free(f);
}

static int64_t round_up(int64_t n, int64_t to)
{
    return (n + to - 1) / to * to;
}

/* Lines that lie beyond the reach of every window are left out. */
static axis extend(const sat_axis *a)
{
    int64_t before = a->before, after = a->after;
    if (a->border->shrinks || a->border->takes_value) {
        if (before > a->n - 1) before = a->n - 1;
        if (after > a->n - 1) after = a->n - 1;
    }
    axis e = {.image = *a, .skip = round_up(before, ALIGNED) - before, .window = before + 1 + after};
    e.first = -before - e.skip;
    e.blocks = e.window / BOX_LINES;
    e.rest = e.window % BOX_LINES;
    return e;
}

/* The end of the lines that the step of a block needs. */
static int64_t lines_end(const axis *a, int64_t block)
{
    return (block + a->blocks + 1) * BOX_LINES + a->rest;
}

/* ---- memory -------------------------------------------------------------------------------------------- */

/* Hands out parts of one piece of memory; with base NULL it only counts. */
typedef struct pieces {
    char *base;
    size_t used;
    bool fits;
} pieces;

static void *piece(pieces *p, int64_t n, size_t size)
{
    size_t bytes;
    p->fits = p->fits && sat_mul((size_t)n, size, &bytes) && bytes < SIZE_MAX / 2 - p->used;
    if (!p->fits) return NULL;
    void *at = p->base ? p->base + p->used : NULL;
    p->used += (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    return at;
}

static double *sums_piece(pieces *p, int64_t n)
{
    return piece(p, n, sizeof(double));
}

static sums plan_sums(pieces *p, const axis *a, int64_t n)
{
    int64_t all;
    if (__builtin_mul_overflow(n, a->blocks, &all)) p->fits = false, all = 0;
    return (sums){sums_piece(p, all), sums_piece(p, n), sums_piece(p, n), sums_piece(p, n), n};
}

static worker plan_worker(const filter *f, pieces *p)
{
    int64_t channels = f->spec.channels;
    worker w = {.down = plan_sums(p, &f->y, f->span_px * channels), .along = plan_sums(p, &f->x, BOX_LINES * channels)};
    w.columns = sums_piece(p, BOX_LINES * (f->x.blocks ? (f->ring_px + BOX_LINES) * channels : f->row));
    w.windows = sums_piece(p, BOX_LINES * (f->x.blocks ? f->piece_px * channels : f->row));
    w.samples = piece(p, 2 * BOX_LINES * f->chunk_px * channels, f->in_bytes);
    w.means = piece(p, BOX_LINES * f->row, f->out_bytes);
    return w;
}

/* What depends on the column alone, from position -FRONT_PX on. */
static bool plan_columns(filter *f)
{
    int64_t channels = f->spec.channels, n = f->spec.width, all = f->x.skip + round_up(n, f->strip_px) + f->span_px;
    f->map = malloc((size_t)all * sizeof *f->map);
    f->covered = malloc((size_t)((all + FRONT_PX) * channels) * sizeof *f->covered);
    if (f->map == NULL || f->covered == NULL) return false;
    for (int64_t p = 0; p < all; p++)
        f->map[p] = p - f->x.skip < n + f->x.window - 1 ? sat_border_index(f->window.border, p + f->x.first, n) : -1;
    for (int64_t p = -FRONT_PX; p < all; p++) {
        int64_t i = p - f->x.skip, covered = f->spec.window_width;
        sat_segment segments[SAT_SEGMENTS];
        if (i < 0 || i >= n) covered = 1;
        else if (i < f->window.x.before || i >= n - f->window.x.after)
            sat_axis_segments(&f->window.x, i, segments, &covered);
        for (int64_t c = 0; c < channels; c++) f->covered[(p + FRONT_PX) * channels + c] = (double)covered;
    }
    return true;
}

sat_status sat_cpu_box_float_open(const sat_box_spec *spec, const sat_window *window, const sat_isa *isa, int threads,
                                  filter **out)
{
    filter *f = calloc(1, sizeof *f);
    if (f == NULL) return sat_fail(SAT_ERR_MEMORY, "cpu: out of memory for a box filter");
    *f = (filter){.spec = *spec, .window = *window, .isa = isa, .ops = isa->box_float, .threads = threads};
    f->x = extend(&window->x);
    f->y = extend(&window->y);
    f->y.first += f->y.skip, f->y.skip = 0;
    f->in = spec->sample == SAT_F64 || spec->weighted_alpha ? BOX_F64 : BOX_F32;
    f->in_bytes = f->in == BOX_F64 ? sizeof(double) : sizeof(float);
    f->out_bytes = sat_type_bytes(spec->sample);
    const double area = (double)spec->window_width * (double)spec->window_height;
    f->inverse = f->out_bytes == sizeof(float) && area < 0x1p40 ? 1 / area : 0;
    f->stream = sat_machine_streams((size_t)spec->width * (size_t)spec->channels * f->out_bytes,
                                    sat_area(spec->height, spec->count));
    f->piece_px = PIECE_SAMPLES / spec->channels / ALIGNED * ALIGNED;
    f->chunk_px = CHUNK_PIECES * f->piece_px;
    f->strip_px = spec->width;
    f->ring_px = round_up(f->x.window + 2 * BOX_LINES, f->piece_px) + f->piece_px;
    f->span_px = round_up(f->strip_px + f->x.window + ALIGNED + 4 * BOX_LINES, f->piece_px);
    f->row = (3 * FRONT_PX + 2 * ALIGNED + f->chunk_px) * spec->channels;

    pieces all = {.fits = true};
    f->workers = calloc((size_t)threads, sizeof *f->workers);
    for (int pass = 0; pass < 2 && all.fits && f->workers; pass++) {
        if (pass) all.base = f->memory = sat_aligned_alloc(all.used);
        if (pass && f->memory == NULL) break;
        if (pass) memset(all.base, 0, all.used);
        all.used = 0;
        f->zeros = piece(&all, f->chunk_px * spec->channels, f->in_bytes);
        for (int i = 0; i < threads; i++) f->workers[i] = plan_worker(f, &all);
    }
    if (f->memory == NULL || f->workers == NULL || !plan_columns(f)) {
        sat_cpu_box_float_close(f);
        return sat_fail(SAT_ERR_MEMORY, "cpu: out of memory for the sums of a window of %lldx%lld for each of %d threads",
                        (long long)spec->window_width, (long long)spec->window_height, threads);
    }
    *out = f;
    return SAT_OK;
}

/* ---- samples ------------------------------------------------------------------------------------------- */

/* The rows at n positions, NULL where there is none. */
static void find_rows(const part *p, int64_t position, int n, const char **rows)
{
    const axis *y = &p->f->y;
    for (int i = 0; i < n; i++) {
        int64_t row = sat_border_index(p->f->window.border, position + i + y->first, y->image.n);
        rows[i] = row < 0 ? NULL : (const char *)p->src->data + (size_t)row * p->src->row_bytes;
    }
}

static double real(const char *sample, bool wide)
{
    return wide ? *(const double *)(const void *)sample : (double)*(const float *)(const void *)sample;
}

/* Pixels from a position of x on that lie `step` pixels apart in the image, or, column -1, beyond it. */
typedef struct run {
    int64_t column, step, n;
} run;

static int find_runs(const filter *f, int64_t position, int64_t n, run *runs)
{
    const int64_t *map = f->map + position;
    int count = 0;
    for (int64_t i = 0, end; i < n; i = end) {
        int64_t step = i + 1 < n ? map[i + 1] - map[i] : 1;
        for (end = i + 1; end < n && map[end] - map[end - 1] == step && (map[end] < 0) == (map[i] < 0);) end++;
        runs[count++] = (run){map[i], step, end - i};
    }
    return count;
}

/* The pixels of a run in a row, as they are summed. */
static char *gather(const filter *f, const sat_view *src, const char *row, const run *r, char *out)
{
    const int channels = f->spec.channels, alpha = channels - 1;
    const size_t size = f->out_bytes, pixel_bytes = (size_t)channels * f->in_bytes;
    const ptrdiff_t step = (ptrdiff_t)src->pixel_bytes * r->step;
    const bool wide = f->out_bytes == sizeof(double);
    const char *pixel = row + (size_t)r->column * src->pixel_bytes;
    char *const end = out + (size_t)r->n * pixel_bytes;
    if (r->column < 0) {
        memset(out, 0, (size_t)r->n * pixel_bytes);
    } else if (f->spec.weighted_alpha) {
        for (double *to = (double *)(void *)out; (char *)to < end; to += channels, pixel += step) {
            to[alpha] = real(pixel + (size_t)alpha * size, wide);
            for (int c = 0; c < alpha; c++) to[c] = real(pixel + (size_t)c * size, wide) * to[alpha];
        }
    } else if (step == (ptrdiff_t)pixel_bytes) {
        memcpy(out, pixel, (size_t)r->n * pixel_bytes);
    } else if (channels == 1 && !wide) {
        for (float *to = (float *)(void *)out; (char *)to < end; to++, pixel += step)
            *to = *(const float *)(const void *)pixel;
    } else {
        for (; out < end; out += pixel_bytes, pixel += step) memcpy(out, pixel, pixel_bytes);
    }
    return end;
}

/* Do the image's rows hold samples as they are summed? */
static bool rows_lie(const part *p)
{
    return !p->f->spec.weighted_alpha && !sat_has_gaps(p->src);
}

/* How many pixels from a position on, before `end`, are a chunk: inside the image, or at one of its edges. */
static int64_t chunk_at(const part *p, int64_t position, int64_t end)
{
    const filter *f = p->f;
    const int64_t x = position + f->x.first;
    int64_t n = end - position, left = x < 0 ? -x : (f->spec.width - x) / f->piece_px * f->piece_px;
    if (rows_lie(p) && left > 0 && left < n) n = left;
    n = round_up(n, f->piece_px);
    return n < f->chunk_px ? n : f->chunk_px;
}

/* A chunk of n pixels of several rows, as they are summed. */
static void find_lines(const part *p, const char *const *rows, int count, int64_t position, int64_t n,
                       const void **lines)
{
    const filter *f = p->f;
    const int64_t channels = f->spec.channels, x = position + f->x.first;
    const bool lie = rows_lie(p) && x >= 0 && x + n <= f->spec.width;
    run runs[PIECE_SAMPLES * CHUNK_PIECES];
    const int all = lie ? 0 : find_runs(f, position, n, runs);
    for (int i = 0; i < count; i++) {
        char *out = p->w->samples + (size_t)(i * f->chunk_px * channels) * f->in_bytes;
        lines[i] = rows[i] == NULL ? f->zeros : lie ? rows[i] + (size_t)(x * channels) * f->in_bytes : out;
        for (int k = 0; rows[i] && k < all; k++) out = gather(f, p->src, rows[i], &runs[k], out);
    }
}

/* ---- sums ---------------------------------------------------------------------------------------------- */

/* The place of a block in its segment. */
static int64_t place(const axis *a, int64_t block)
{
    return (block % a->blocks + a->blocks) % a->blocks;
}

/* The step of a block at that place, for sums from the i-th on. */
static sat_box_step step_at(const axis *a, const sums *s, int64_t at, int64_t i)
{
    const bool last = at == a->blocks - 1;
    return (sat_box_step){.suffix = (last ? s->tail : s->slots + (at + 1) * s->n) + i,
                          .block = s->slots + at * s->n + i,
                          .prefix = s->prefix + i,
                          .part = s->part + i,
                          .split = (int)(BOX_LINES - a->rest),
                          .last = last};
}

static sat_box_step step_from(const sat_box_step *s, int64_t i)
{
    return (sat_box_step){s->suffix + i, s->block + i, s->prefix + i, s->part + i, s->split, s->last};
}

/* After the last block of a segment: its blocks' sums become suffix sums. */
static void end_segment(const filter *f, const axis *a, const sums *s)
{
    for (int64_t k = a->blocks - 2; k >= 0; k--) f->ops->add_sums(s->slots + k * s->n, s->slots + (k + 1) * s->n, s->n);
}

static void start_sums(const axis *a, const sums *s)
{
    memset(s->slots, 0, (size_t)(s->n * a->blocks) * sizeof *s->slots);
    memset(s->prefix, 0, (size_t)s->n * sizeof *s->prefix);
    memset(s->part, 0, (size_t)s->n * sizeof *s->part);
}

/* ---- means --------------------------------------------------------------------------------------------- */

/* Eight rows of means on their way to the result. */
typedef struct output {
    double rows[BOX_LINES]; /* that the windows cover */
    bool alike;             /* all of the window's */
    int64_t held;           /* the position of the first mean in w->means */
    int64_t ready, written; /* means before this position are there; were written */
} output;

static sat_box_means means_at(const part *p, const output *o, int64_t position, int64_t n)
{
    const filter *f = p->f;
    size_t bytes = f->out_bytes;
    const sat_axis *x = &f->window.x;
    const int64_t i = position - f->x.skip;
    bool alike = o->alike && i >= x->before && i + n <= x->n - x->after;
    return (sat_box_means){
        .inverse = alike ? f->inverse : 0,
        .columns = f->covered + (position + FRONT_PX) * f->spec.channels,
        .rows = o->rows,
        .to = p->w->means + (size_t)((position - o->held) * f->spec.channels) * bytes,
        .row_bytes = (size_t)f->row * bytes,
        .wide = bytes == sizeof(double),
    };
}

static void start_output(const part *p, int64_t block, output *o)
{
    const sat_axis *y = &p->f->window.y;
    for (int j = 0; j < BOX_LINES; j++) {
        int64_t row = block * BOX_LINES + j, covered = 1;
        sat_segment segments[SAT_SEGMENTS];
        if (row < y->n) sat_axis_segments(y, row, segments, &covered);
        o->rows[j] = (double)covered;
    }
    o->alike = true;
    for (int j = 0; j < BOX_LINES; j++) o->alike = o->alike && o->rows[j] == (double)p->f->spec.window_height;
    o->held = p->origin - FRONT_PX;
    o->ready = o->written = p->first + p->f->x.skip;
}

/* Are windows more than sums to be divided by what they cover? */
static bool is_plain(const part *p, const output *o, int64_t position, int64_t n)
{
    const filter *f = p->f;
    const sat_axis *x = &f->window.x;
    if (f->spec.weighted_alpha) return false;
    if (!f->window.border->takes_value) return true;
    int64_t i = position - f->x.skip;
    bool inside = i >= x->before && i + n <= x->n - x->after;
    return inside && o->alike;
}

/* The means of eight rows of n pixels from their sums: sample i of row j is sums[i * step + j * row]. */
static void finish(const part *p, const output *o, int64_t position, int64_t n, const double *windows, int64_t step,
                   int64_t row)
{
    const filter *f = p->f;
    const sat_box_means m = means_at(p, o, position, n);
    int channels = f->spec.channels;
    double full = (double)f->spec.window_width * (double)f->spec.window_height;
    for (int j = 0; j < BOX_LINES; j++)
        for (int64_t i = 0; i < n * channels; i += channels) {
            double covered = m.columns[i] * m.rows[j], area = f->window.border->shrinks ? covered : full, sum[4];
            for (int c = 0; c < channels; c++) {
                sum[c] = windows[(i + c) * step + j * row];
                if (f->window.border->takes_value && covered < area)
                    sum[c] += f->window.real_value[c] * (area - covered);
            }
            for (int c = 0; c < channels; c++) {
                double divisor = f->spec.weighted_alpha && c < channels - 1 ? sum[channels - 1] : area;
                double mean = divisor == 0 ? 0 : sum[c] / divisor;
                char *to = m.to + (size_t)j * m.row_bytes;
                if (m.wide)
                    ((double *)(void *)to)[i + c] = mean;
                else
                    ((float *)(void *)to)[i + c] = (float)mean;
            }
        }
}

/* Writes the means that are ready: all of them, or whole cache lines; then moves the last ones to the front. */
static void write_means(const part *p, int64_t block, output *o, bool all)
{
    const filter *f = p->f;
    const int64_t channels = f->spec.channels, skip = f->x.skip, y = block * BOX_LINES;
    const int64_t size = channels * (int64_t)f->out_bytes, first = p->first * size;
    const int64_t end = o->ready < p->last + skip ? o->ready : p->last + skip;
    const int64_t keep = o->ready - ALIGNED > o->held ? o->ready - ALIGNED : o->held;
    for (int64_t j = 0; j < BOX_LINES && y + j < p->end; j++) {
        char *row = p->w->means + (size_t)(j * f->row) * f->out_bytes;
        char *to = (char *)p->dst->data + (size_t)(y + j) * p->dst->row_bytes;
        int64_t from = (o->written - skip) * size, until = (end - skip) * size;
        /* Rows are not aligned alike: each is written up to its own last whole line, and what follows is kept. */
        if (f->stream) {
            from -= (int64_t)(((uintptr_t)to + (uintptr_t)from) % LINE_BYTES);
            if (from < first) from = first;
            if (!all) until -= (int64_t)(((uintptr_t)to + (uintptr_t)until) % LINE_BYTES);
        }
        const char *means = row + from - (o->held - skip) * size;
        if (until > from && f->stream)
            f->isa->stream(to + from, means, (size_t)(until - from));
        else if (until > from)
            memcpy(to + from, means, (size_t)(until - from));
        memmove(row, row + (keep - o->held) * size, (size_t)((o->ready - keep) * size));
    }
    o->held = keep;
    if (end > o->written) o->written = end;
}

/* ---- windows ------------------------------------------------------------------------------------------- */

/* Eight rows of an image: the step down the columns, the rows it takes, and those rows at a chunk. */
typedef struct rows {
    int64_t block;
    sat_box_step step;
    int count;
    const char *rows[2 * BOX_LINES];
    const void *lines[2 * BOX_LINES];
} rows;

/* Column sums of a piece, from pixel `at` of the chunk at a position on. */
static void sum_columns(const part *p, const rows *r, int64_t position, int64_t at, double *out, int64_t row)
{
    const filter *f = p->f;
    const int64_t channels = f->spec.channels, n = f->piece_px * channels;
    if (f->y.blocks == 0) {
        f->ops->few_columns[f->in][f->y.rest - 1](r->lines, at * channels, n, out, row);
        return;
    }
    const sat_box_step s = step_from(&r->step, (position + at - p->origin) * channels);
    f->ops->columns[f->in](&s, r->lines, r->lines + BOX_LINES, at * channels, n, out, row);
}

/* The next step along the rows, the place of its blocks in their segments, and, in the ring, of its lines. */
typedef struct walk {
    int64_t group, place, leave, enter;
} walk;

/* In front of the strip there is a piece of zeros. */
static walk start_walk(const part *p)
{
    const axis *x = &p->f->x;
    walk w = {.group = p->origin / BOX_LINES - x->blocks - 1};
    w.place = place(x, w.group);
    w.enter = p->f->piece_px + lines_end(x, w.group) - BOX_LINES - p->origin;
    w.leave = p->f->piece_px;
    return w;
}

static int64_t lower(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static sat_box_walk walk_of(const filter *f, const sums *s, int64_t channel)
{
    const int64_t at = channel * BOX_LINES;
    return (sat_box_walk){s->slots + at, s->prefix + at, s->part + at, s->tail + at, f->x.blocks, s->n,
                          (int)(BOX_LINES - f->x.rest)};
}

/* Windows of n groups along the rows. */
static void do_groups(const part *p, const walk *w, int64_t n, output *o)
{
    const filter *f = p->f;
    const int64_t channels = f->spec.channels, position = w->group * BOX_LINES, px = n * BOX_LINES;
    const double *leave = p->w->columns + w->leave * channels * BOX_LINES;
    const double *enter = p->w->columns + w->enter * channels * BOX_LINES;
    double *windows = p->w->windows;
    const bool plain = is_plain(p, o, position, px);
    const sat_box_means m = means_at(p, o, position, px);
    for (int64_t c = 0; c < channels; c++) {
        const int64_t at = c * BOX_LINES;
        const sat_box_walk along = walk_of(f, &p->w->along, c);
        f->ops->rows(&along, w->place, leave + at, enter + at, channels, n, windows + at,
                     plain && channels == 1 ? &m : NULL);
    }
    if (plain && channels > 1) f->ops->means(windows, px * channels, &m);
    if (!plain) finish(p, o, position, px, windows, BOX_LINES, 1);
    o->ready = position + px;
}

static void enter_group(const part *p, const walk *w)
{
    const filter *f = p->f;
    const double *enter = p->w->columns + w->enter * f->spec.channels * BOX_LINES;
    for (int64_t c = 0; c < f->spec.channels; c++) {
        const sat_box_walk along = walk_of(f, &p->w->along, c);
        f->ops->enter_rows(&along, w->place, enter + c * BOX_LINES, f->spec.channels);
    }
}

/* The steps along the rows, before group `end`, whose lines are there: those before a position. */
static void walk_to(const part *p, walk *w, int64_t position, int64_t end, output *o)
{
    const filter *f = p->f;
    for (int64_t n; (n = lower(end - w->group, (position - lines_end(&f->x, w->group) + BOX_LINES) / BOX_LINES)) > 0;) {
        if (w->group * BOX_LINES < p->origin) {
            n = 1;
            enter_group(p, w);
        } else {
            n = lower(n, (f->ring_px - w->leave) / BOX_LINES);
            n = lower(n, (f->ring_px - w->enter + BOX_LINES - 1) / BOX_LINES);
            do_groups(p, w, n, o);
            w->leave = (w->leave + n * BOX_LINES == f->ring_px ? 0 : w->leave + n * BOX_LINES);
        }
        w->enter += n * BOX_LINES;
        if (w->enter >= f->ring_px) w->enter -= f->ring_px;
        w->group += n;
        w->place += n;
        while (w->place >= f->x.blocks) w->place -= f->x.blocks;
    }
}

/* Eight rows: column sums a piece at a time, and the windows that they complete. */
static void do_rows(const part *p, rows *r)
{
    const filter *f = p->f;
    const int64_t channels = f->spec.channels, px = channels * BOX_LINES, piece = f->piece_px;
    const int64_t groups = (p->last + f->x.skip - 1) / BOX_LINES + 1, end = lines_end(&f->x, groups - 1);
    double *ring = p->w->columns, *to = ring + piece * px;
    walk w = start_walk(p);
    output o;
    start_output(p, r->block, &o);
    start_sums(&f->x, &p->w->along);
    memset(ring, 0, (size_t)(piece * px) * sizeof *ring);
    for (int64_t position = p->origin, n; position < end; position += n) {
        n = chunk_at(p, position, end);
        find_lines(p, r->rows, r->count, position, n, r->lines);
        for (int64_t at = 0; at < n; at += piece) {
            sum_columns(p, r, position, at, to, 0);
            if (to == ring) memcpy(ring + f->ring_px * px, ring, (size_t)(BOX_LINES * px) * sizeof *ring);
            to = to + piece * px == ring + f->ring_px * px ? ring : to + piece * px;
            walk_to(p, &w, position + at + piece, groups, &o);
        }
        write_means(p, r->block, &o, position + n >= end);
    }
}

/* The same for windows of few columns: their sums are added as they stand in their rows. */
static void do_few(const part *p, rows *r)
{
    const filter *f = p->f;
    const int64_t channels = f->spec.channels, before = f->x.rest - 1, piece = f->piece_px;
    const int64_t end = p->last + f->x.skip + before;
    double *columns = p->w->columns + FRONT_PX * channels, *carried = columns - before * channels;
    output o;
    start_output(p, r->block, &o);
    for (int64_t position = p->origin, n; position < end; position += n) {
        n = chunk_at(p, position, end);
        find_lines(p, r->rows, r->count, position, n, r->lines);
        for (int64_t at = 0; at < n; at += piece) {
            const int64_t from = position + at - before;
            const sat_box_means m = means_at(p, &o, from, piece);
            const bool plain = is_plain(p, &o, from, piece);
            sum_columns(p, r, position, at, columns + at * channels, f->row);
            f->ops->few_rows[before](carried + at * channels, f->row, channels, piece * channels, p->w->windows,
                                     plain ? &m : NULL);
            if (!plain) finish(p, &o, from, piece, p->w->windows, 1, f->row);
        }
        for (int64_t j = 0; j < BOX_LINES; j++)
            memcpy(carried + j * f->row, carried + j * f->row + n * channels,
                   (size_t)(before * channels) * sizeof *carried);
        o.ready = position + n - before;
        write_means(p, r->block, &o, position + n >= end);
    }
}

/* The rows that enter before the first block of a strip. */
static void enter_rows(const part *p, int64_t block)
{
    const filter *f = p->f;
    const int64_t end = p->origin + f->span_px;
    const char *entering[BOX_LINES];
    const void *lines[BOX_LINES];
    find_rows(p, lines_end(&f->y, block) - BOX_LINES, BOX_LINES, entering);
    const sat_box_step step = step_at(&f->y, &p->w->down, place(&f->y, block), 0);
    for (int64_t position = p->origin, n; position < end; position += n) {
        n = chunk_at(p, position, end);
        find_lines(p, entering, BOX_LINES, position, n, lines);
        const sat_box_step s = step_from(&step, (position - p->origin) * f->spec.channels);
        f->ops->enter_columns[f->in](&s, lines, n * f->spec.channels);
    }
    if (step.last) end_segment(f, &f->y, &p->w->down);
}

static void do_strip(const part *p)
{
    const filter *f = p->f;
    const axis *y = &f->y;
    rows r = {.block = p->y / BOX_LINES, .count = y->blocks ? 2 * BOX_LINES : (int)(BOX_LINES + y->rest - 1)};
    if (y->blocks) start_sums(y, &p->w->down);
    for (int64_t b = r.block - y->blocks - 1; y->blocks && b < r.block; b++) enter_rows(p, b);
    for (; r.block * BOX_LINES < p->end; r.block++) {
        find_rows(p, r.block * BOX_LINES, y->blocks ? BOX_LINES : r.count, r.rows);
        if (y->blocks) {
            find_rows(p, lines_end(y, r.block) - BOX_LINES, BOX_LINES, r.rows + BOX_LINES);
            r.step = step_at(y, &p->w->down, place(y, r.block), 0);
        }
        if (f->x.blocks)
            do_rows(p, &r);
        else
            do_few(p, &r);
        if (r.step.last) end_segment(f, y, &p->w->down);
    }
}

typedef struct job {
    const filter *f;
    const sat_view *src, *dst;
    int64_t rows, strips; /* rows in each band but the last, strips in a row */
} job;

static void do_part(void *context, int64_t index, int worker_index)
{
    const job *j = context;
    const filter *f = j->f;
    part p = {.f = f, .w = &f->workers[worker_index], .src = j->src, .dst = j->dst};
    p.y = index / j->strips * j->rows;
    p.end = p.y + j->rows < f->spec.height ? p.y + j->rows : f->spec.height;
    p.first = index % j->strips * f->strip_px;
    p.last = p.first + f->strip_px < f->spec.width ? p.first + f->strip_px : f->spec.width;
    p.origin = (p.first + f->x.skip) / ALIGNED * ALIGNED;
    do_strip(&p);
    if (f->stream) f->isa->fence();
}

sat_status sat_cpu_box_float_run(filter *f, const sat_view *src, const sat_view *dst)
{
    int64_t height = f->spec.height, strips = (f->spec.width - 1) / f->strip_px + 1;
    int64_t rows = round_up(sat_cpu_box_band_rows(height, f->y.window, f->threads), BOX_LINES);
    job j = {.f = f, .src = src, .dst = dst, .rows = rows, .strips = strips};
    sat_parallel_on(f->spec.executor, f->threads, ((height - 1) / rows + 1) * strips, do_part, &j);
    return SAT_OK;
}
