/* cpu_gauss.c - the cpu backend's Gaussian filter: all passes of an axis while its samples are in the cache.
 *
 * 16 rows or columns are filtered side by side, as the lanes of vectors (gauss_ops.h calls them a line).  First down
 * the columns: a strip of 16 samples of each row is widened to reals, filtered by every pass in place, and kept.
 *
 *     image            strips: kept reals               16 rows, transposed           result
 *     . . . . . .      |0|   |1|   |2|                  [x=0] 16 rows side by side
 *     . . . . . .  ->  |0|   |1|   |2|   16 x 16  ->    [x=1]                   ->    16 rows
 *     . . . . . .      |0|   |1|   |2|   blocks         [x=2]
 *
 * Then along the rows, 16 at a time: blocks of the strips are transposed into lines, filtered by every pass, transposed
 * back, and rounded to results.  So the image is read once, the strips are written and read once, and the result is
 * written once, whatever the number of passes is.
 *
 * A pass takes lines with `reach` more in front and behind, and moves its samples `reach` lines to the front; so the
 * first pass begins with its samples at line passes * reach, and the last one leaves them at line 0.  The border mode
 * says what the margins hold.  Where a blurred picture goes on beyond its edge as the picture did (border.h: blurs),
 * they are made anew before each pass:
 *
 *     pass 0    . . m m [samples       ] m m        m: margins, reach = 2
 *     pass 1    m m [samples       ] m m
 *     result    [samples       ]
 *
 * Elsewhere what lies beyond the edge becomes another from pass to pass, and passes filter it, too: the first one takes
 * margins as long as all passes reach, and each leaves them `reach` shorter.
 *
 *     pass 0    m m m m [samples       ] m m m m
 *     pass 1    m m [samples       ] m m
 *     result    [samples       ]
 *
 * Where samples beyond the edge do not count, the margins are 0, and the result is divided by what becomes of a line of
 * ones: the weight of the samples inside, by the same sums.
 *
 * Lines are filtered apart from each other, and by the same additions whatever the threads and vectors are. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "cpu.h"
#include "gauss_ops.h"
#include "isa.h"
#include "machine.h"
#include "path.h"
#include "pool.h"
#include "shape.h"
#include "strides.h"
#include "box_window.h"

/* Samples in a thread's share (machine.h), at 3 to 5 ns each (docs/cpu.md). */
enum { SHARE_SAMPLES = 30000 };

/* Samples that one thread filters along one axis in a microsecond. */
#define AXIS_PER_US 500.0

/* Up to that sigma, sums of f32 are exact enough for samples of 16 bits (docs/gauss.md has the errors; paths.def:
 * gauss_f32). */
#define F32_SIGMA_MAX 64.0

/* What one axis of n samples needs of a kernel. */
typedef struct axis {
    int64_t n;
    int64_t margin;  /* lines in front of the first pass's samples, and behind them */
    int64_t *beyond; /* the sample at each position of the margins in front, then behind; NULL: they hold one value */
    double *scale;   /* where samples beyond the edge do not count: 1 / the weights that do; else NULL */
} axis;

typedef struct kernel {
    sat_gauss_kernel k;
    axis x, y;
} kernel;

typedef struct worker {
    char *lines, *scratch, *block, *other;
    char *packed;  /* samples of a source with gaps */
    char *results; /* 16 rows of results on their way to a view with gaps */
} worker;

typedef struct filter {
    sat_gauss_spec spec;
    const sat_border *border;
    const sat_isa *isa;
    const struct sat_gauss_ops *ops;
    int kernels, threads, sample, result; /* the latter two: gauss_ops.h's indices */
    kernel kernel[2];
    int64_t samples, strips, rows; /* samples in a row; strips; rows in a strip, a multiple of GAUSS_LANES */
    int64_t line_room;             /* lines of one channel in a worker */
    size_t strip_bytes;
    char *kept;  /* the strips */
    char *first; /* of differences: blocks of the first blur */
    worker *workers;
} filter;

static int index_of(sat_type type)
{
    switch (type) {
    case SAT_U8: return GAUSS_U8;
    case SAT_U16: return GAUSS_U16;
    case SAT_U32: return GAUSS_U32;
    case SAT_I8: return GAUSS_I8;
    case SAT_I16: return GAUSS_I16;
    case SAT_I32: return GAUSS_I32;
    case SAT_F32: return GAUSS_F32;
    default: return GAUSS_F64;
    }
}

/* ---- one axis ---------------------------------------------------------------------------------------- */

static void put_real(const filter *f, char *line, int lane, double value)
{
    const float single = (float)value;
    if (f->ops->line_bytes == GAUSS_LANES * sizeof single)
        memcpy(line + (size_t)lane * sizeof single, &single, sizeof single);
    else
        memcpy(line + (size_t)lane * sizeof value, &value, sizeof value);
}

static double first_real(const filter *f, const char *line)
{
    float single;
    double value;
    memcpy(&single, line, sizeof single);
    memcpy(&value, line, sizeof value);
    return f->ops->line_bytes == GAUSS_LANES * sizeof single ? (double)single : value;
}

static bool plan_axis(axis *a, const sat_gauss_kernel *k, const sat_border *border, int64_t n, sat_arena *arena)
{
    a->n = n;
    a->margin = border->blurs ? k->reach : k->passes * k->reach;
    if (border->shrinks) return (a->scale = sat_arena_alloc(arena, (size_t)n * sizeof *a->scale)) != NULL;
    if (border->takes_value) return true;
    a->beyond = sat_arena_alloc(arena, (size_t)(2 * a->margin) * sizeof *a->beyond);
    if (a->beyond == NULL) return false;
    for (int64_t i = 0; i < a->margin; i++) {
        a->beyond[i] = sat_border_index(border, i - a->margin, n);
        a->beyond[a->margin + i] = sat_border_index(border, n + i, n);
    }
    return true;
}

/* Margins that hold one value for each lane; NULL: zeros. */
static void fill(char *lines, int64_t n, const char *value, size_t line)
{
    if (value == NULL) memset(lines, 0, (size_t)n * line);
    for (int64_t i = 0; value && i < n; i++) memcpy(lines + (size_t)i * line, value, line);
}

/* All passes over a line's n samples, which begin at line passes * reach of `lines`; the result begins at `out`, which
 * may be `lines`.  value: a line of what lies beyond the edge, where that is one value. */
static void filter_axis(const filter *f, const sat_gauss_kernel *k, const axis *a, char *out, char *lines,
                        const char *value, char *scratch)
{
    const size_t line = f->ops->line_bytes;
    const int64_t n = a->n, reach = k->reach;
    int64_t margin = 0; /* of the samples, on both sides */
    for (int pass = k->passes - 1; pass >= 0; pass--) {
        char *samples = lines + (size_t)((pass + 1) * reach) * line;
        if (margin == 0) {
            margin = a->margin;
            char *front = samples - (size_t)margin * line, *behind = samples + (size_t)n * line;
            if (a->beyond == NULL) {
                fill(front, margin, value, line);
                fill(behind, margin, value, line);
            }
            for (int64_t i = 0; a->beyond && i < margin; i++) {
                memcpy(front + (size_t)i * line, samples + (size_t)a->beyond[i] * line, line);
                memcpy(behind + (size_t)i * line, samples + (size_t)a->beyond[margin + i] * line, line);
            }
        }
        char *in = samples - (size_t)margin * line;
        margin -= reach;
        f->ops->pass(pass ? in : out, in, n + 2 * margin, k, scratch);
    }
}

/* Divides by the weights of the samples inside, where that are not all. */
static void scale_edges(const filter *f, const axis *a, char *lines)
{
    const int64_t n = a->n, edge = a->margin < n ? a->margin : n, last = n - edge > edge ? n - edge : edge;
    f->ops->scale(lines, a->scale, edge);
    f->ops->scale(lines + (size_t)last * f->ops->line_bytes, a->scale + last, n - last);
}

/* The weights of the samples inside: what becomes of a line of ones. */
static void plan_scale(const filter *f, const sat_gauss_kernel *k, const axis *a)
{
    const worker *w = &f->workers[0];
    const size_t line = f->ops->line_bytes;
    for (int i = 0; i < GAUSS_LANES; i++) put_real(f, w->other, i, 1);
    fill(w->lines + (size_t)(k->passes * k->reach) * line, a->n, w->other, line);
    filter_axis(f, k, a, w->lines, w->lines, NULL, w->scratch);
    for (int64_t i = 0; i < a->n; i++) a->scale[i] = 1 / first_real(f, w->lines + (size_t)i * line);
}

/* ---- memory ---------------------------------------------------------------------------------------- */

/* Lines of one channel or strip: the room in which passes move, the samples, and the margin behind them. */
static int64_t lines_of(const sat_gauss_kernel *k, const axis *a)
{
    return k->passes * k->reach + (a->n + GAUSS_LANES - 1) / GAUSS_LANES * GAUSS_LANES + a->margin;
}

/* Pixels that hold 16 samples have up to 3 more in front and behind: 21 of three channels. */
enum { PACKED_SAMPLES = 24 };

static size_t cache_lines(size_t bytes)
{
    return (bytes + SAT_CACHE_LINE - 1) / SAT_CACHE_LINE * SAT_CACHE_LINE;
}

/* From one of 16 rows of results to the next: they begin in different sets of the first-level cache. */
static size_t result_pitch(const filter *f)
{
    return cache_lines((size_t)f->samples * sat_type_bytes(f->spec.result)) + SAT_CACHE_LINE;
}

static bool plan_workers(filter *f, sat_arena *arena)
{
    const size_t line = f->ops->line_bytes, sample = sat_type_bytes(f->spec.sample);
    int64_t lines = 0, scratch = 0;
    for (int i = 0; i < f->kernels; i++) {
        const sat_gauss_kernel *k = &f->kernel[i].k;
        const int64_t down = lines_of(k, &f->kernel[i].y), along = lines_of(k, &f->kernel[i].x);
        if (f->line_room < along) f->line_room = along;
        if (lines < down) lines = down;
        if (scratch < sat_gauss_scratch_lines(k)) scratch = sat_gauss_scratch_lines(k);
    }
    if (lines < f->line_room * f->spec.channels) lines = f->line_room * f->spec.channels;
    const size_t packed = (size_t)f->rows * PACKED_SAMPLES * sample, result = result_pitch(f) * GAUSS_LANES;
    size_t each, all;
    if (!sat_mul((size_t)(lines + scratch + 2 * GAUSS_LANES), line, &each)) return false;
    each += cache_lines(packed) + cache_lines(result);
    if (!sat_mul(each, (size_t)f->threads, &all)) return false;
    char *memory = sat_arena_alloc(arena, all);
    f->workers = sat_arena_alloc(arena, (size_t)f->threads * sizeof *f->workers);
    if (!memory || !f->workers) return false;
    for (int i = 0; i < f->threads; i++, memory += each) {
        char *block = memory + (size_t)(lines + scratch) * line;
        f->workers[i] = (worker){.lines = memory,
                                 .scratch = memory + (size_t)lines * line,
                                 .block = block,
                                 .other = block + GAUSS_LANES * line,
                                 .packed = block + 2 * GAUSS_LANES * line,
                                 .results = block + 2 * GAUSS_LANES * line + cache_lines(packed)};
    }
    return true;
}

static bool plan_memory(filter *f, sat_arena *arena)
{
    size_t all;
    f->samples = f->spec.width * f->spec.channels;
    f->strips = (f->samples - 1) / GAUSS_LANES + 1;
    f->rows = ((f->spec.height - 1) / GAUSS_LANES + 1) * GAUSS_LANES;
    f->strip_bytes = (size_t)f->rows * f->ops->line_bytes;
    if (!sat_mul(f->strip_bytes, (size_t)f->strips, &all)) return false;
    f->kept = sat_arena_alloc(arena, all);
    f->first = f->kernels > 1 ? sat_arena_alloc(arena, all) : NULL;
    if (f->kept == NULL || (f->kernels > 1 && f->first == NULL)) return false;
    for (int i = 0; i < f->kernels; i++) {
        kernel *k = &f->kernel[i];
        if (!plan_axis(&k->x, &k->k, f->border, f->spec.width, arena)) return false;
        if (!plan_axis(&k->y, &k->k, f->border, f->spec.height, arena)) return false;
    }
    if (!plan_workers(f, arena)) return false;
    for (int i = 0; i < f->kernels && f->border->shrinks; i++) {
        plan_scale(f, &f->kernel[i].k, &f->kernel[i].x);
        plan_scale(f, &f->kernel[i].k, &f->kernel[i].y);
    }
    return true;
}

static bool in_f64(const sat_gauss_spec *s)
{
    const bool needs_f64 = s->sample == SAT_F64 || s->sample == SAT_U32 || s->sample == SAT_I32 || s->result == SAT_F64;
    const bool products = s->sample == SAT_F32 && s->weighted_alpha;
    return needs_f64 || products || s->sigma > F32_SIGMA_MAX || (s->mode == SAT_GAUSS_DOG && s->sigma2 > F32_SIGMA_MAX);
}

static sat_status sat_cpu_gauss_open(const void *given, sat_arena *arena, void **state, char *note, size_t note_bytes)
{
    const sat_gauss_spec *spec = given;
    const char *why;
    const sat_isa *isa = sat_isa_in_use(&why);
    if (isa == NULL) return sat_fail(SAT_ERR_UNAVAILABLE, "cpu: %s", why);
    filter *f = sat_arena_zeros(arena, sizeof *f);
    if (f == NULL) return sat_fail(SAT_ERR_MEMORY, "cpu: out of memory for a Gaussian filter");
    const bool f64 = !SAT_PATH(gauss_f32) || in_f64(spec);
    f->spec = *spec;
    f->border = sat_border_find(spec->border);
    f->isa = isa;
    f->ops = isa->gauss[f64];
    f->sample = index_of(spec->sample);
    f->result = index_of(spec->result);
    f->kernel[0].k = sat_gauss_kernel_for(spec->sigma);
    f->kernels = 1;
    if (spec->mode == SAT_GAUSS_DOG) f->kernel[f->kernels++].k = sat_gauss_kernel_for(spec->sigma2);
    const double samples = (double)spec->width * (double)spec->height * spec->channels;
    f->threads = sat_machine_threads(spec->threads, samples, SHARE_SAMPLES);
    const int64_t tasks = spec->width * spec->channels > spec->height ? spec->width * spec->channels : spec->height;
    if (f->threads > (tasks - 1) / GAUSS_LANES + 1) f->threads = (int)((tasks - 1) / GAUSS_LANES + 1);
    if (!plan_memory(f, arena))
        return sat_fail(SAT_ERR_MEMORY, "cpu: out of memory for a Gaussian filter of images of shape (%lld, %lld)",
                        (long long)spec->height, (long long)spec->width);
    *state = f;
    const sat_gauss_kernel *k = &f->kernel[0].k;
    const int n = snprintf(note, note_bytes, "cpu, %s, %d thread%s, in %s, ", isa->name, f->threads,
                           f->threads == 1 ? "" : "s", f64 ? "f64" : "f32");
    if (n < 0 || (size_t)n >= note_bytes) return SAT_OK;
    if (k->direct)
        snprintf(note + n, note_bytes - (size_t)n, "%d weight%s", 2 * (int)k->reach + 1, k->reach ? "s" : "");
    else
        snprintf(note + n, note_bytes - (size_t)n, "%d passes of boxes of %d and %d px", k->passes,
                 2 * (int)k->radius[0] + 1, 2 * (int)k->radius[1] + 1);
    return SAT_OK;
}

/* ---- a run --------------------------------------------------------------------------------------------- */

typedef struct job {
    const filter *f;
    const kernel *k;
    const sat_view *src, *dst;
    const sat_run *run;
    sat_gauss_mix mix; /* with the source; of differences: with the first blur */
    atomic_llong clipped;
} job;

/* 16 samples of each of so many rows of the source, from that sample on; without gaps between them, if need be in the
 * worker's memory. */
static sat_gauss_rows rows_of(const filter *f, const worker *w, const sat_view *v, int64_t y, int64_t rows,
                              int64_t first)
{
    const size_t bytes = sat_type_bytes(v->type), pitch = PACKED_SAMPLES * bytes;
    const int64_t left = f->samples - first, channels = v->channels;
    const int lanes = left < GAUSS_LANES ? (int)left : GAUSS_LANES;
    char *row = (char *)v->data + y * v->row_bytes;
    if (!sat_has_gaps(v)) return (sat_gauss_rows){row + (size_t)first * bytes, v->row_bytes, rows, lanes};
    const int64_t x = first / channels, end = (first + lanes - 1) / channels + 1;
    sat_gather(w->packed, pitch, v, x, end - x, y, rows);
    return (sat_gauss_rows){w->packed + (size_t)(first % channels) * bytes, (ptrdiff_t)pitch, rows, lanes};
}

/* Where these samples of the result go: to the view, or, if that has gaps, to the worker's rows. */
static sat_gauss_rows results_of(const filter *f, const worker *w, const sat_view *v, int64_t y, int64_t rows,
                                 int64_t first)
{
    if (!sat_has_gaps(v)) return rows_of(f, w, v, y, rows, first);
    const int64_t left = f->samples - first;
    return (sat_gauss_rows){w->results + (size_t)first * sat_type_bytes(v->type), (ptrdiff_t)result_pitch(f), rows,
                            left < GAUSS_LANES ? (int)left : GAUSS_LANES};
}

/* The border value of a sample's channel, times alpha where it is a weight. */
static double border_value(const sat_gauss_spec *s, int64_t sample)
{
    const int c = (int)(sample % s->channels);
    return s->border_value[c] * (s->weighted_alpha && c < s->channels - 1 ? s->border_value[s->channels - 1] : 1);
}

/* A strip, filtered down the columns. */
static void do_strip(void *context, int64_t strip, int worker_index)
{
    const job *j = context;
    const filter *f = j->f;
    const worker *w = &f->workers[worker_index];
    const sat_gauss_kernel *k = &j->k->k;
    const size_t line = f->ops->line_bytes;
    const int64_t height = f->spec.height, first = strip * GAUSS_LANES;
    if (!sat_goes_on(j->run, worker_index, (double)(GAUSS_LANES * height) / AXIS_PER_US)) return;
    const sat_gauss_rows rows = rows_of(f, w, j->src, 0, height, first);
    char *lines = w->lines + (size_t)(k->passes * k->reach) * line, *kept = f->kept + (size_t)strip * f->strip_bytes;
    char *value = f->border->takes_value ? w->other : NULL;
    for (int i = 0; value && i < GAUSS_LANES; i++) put_real(f, value, i, border_value(&f->spec, first + i));
    f->ops->load[f->sample](lines, &rows);
    if (f->spec.weighted_alpha) f->ops->weigh(lines, height, f->spec.channels);
    filter_axis(f, k, &j->k->y, kept, w->lines, value, w->scratch);
    if (j->k->y.scale) scale_edges(f, &j->k->y, kept);
    memset(kept + (size_t)height * line, 0, (size_t)(f->rows - height) * line);
}

/* The lines of a channel in the worker's memory. */
static char *lines_of_channel(const filter *f, const worker *w, int64_t channel)
{
    return w->lines + (size_t)(channel * f->line_room) * f->ops->line_bytes;
}

/* Where the samples of a strip lie in the worker's memory, `offset` lines behind the beginning of their channels;
 * beyond the row's end: `beyond`. */
static void place_strip(const filter *f, const worker *w, int64_t strip, int64_t offset, void *beyond,
                        void *at[GAUSS_LANES])
{
    const size_t line = f->ops->line_bytes;
    const int64_t channels = f->spec.channels, first = strip * GAUSS_LANES;
    int64_t c = first % channels, x = first / channels + offset;
    for (int i = 0; i < GAUSS_LANES; i++) {
        at[i] = first + i < f->samples ? lines_of_channel(f, w, c) + (size_t)x * line : beyond;
        if (++c == channels) c = 0, x++;
    }
}

/* Blocks of 16 rows and a worker's lines, which are one another transposed; from the strips, and back. */
static void spread_block(const filter *f, const worker *w, int64_t y, int64_t strip, int64_t offset)
{
    const size_t line = f->ops->line_bytes;
    const char *block = f->kept + (size_t)strip * f->strip_bytes + (size_t)y * line;
    const void *from[GAUSS_LANES];
    void *to[GAUSS_LANES];
    for (int i = 0; i < GAUSS_LANES; i++) from[i] = block + (size_t)i * line;
    place_strip(f, w, strip, offset, w->other, to);
    f->ops->transpose(to, from);
}

static void gather_block(const filter *f, const worker *w, int64_t strip)
{
    void *from[GAUSS_LANES], *to[GAUSS_LANES];
    place_strip(f, w, strip, 0, w->lines, from);
    for (int i = 0; i < GAUSS_LANES; i++) to[i] = w->block + (size_t)i * f->ops->line_bytes;
    f->ops->transpose(to, (const void *const *)from);
}

static void unweigh(const filter *f, const worker *w)
{
    const int64_t alpha = f->spec.channels - 1;
    for (int64_t c = 0; c < alpha; c++)
        f->ops->unweigh(lines_of_channel(f, w, c), lines_of_channel(f, w, alpha), f->spec.width);
}

/* 16 rows, filtered along the rows, to results. */
static void do_rows(void *context, int64_t group, int worker_index)
{
    job *j = context;
    const filter *f = j->f;
    const worker *w = &f->workers[worker_index];
    const sat_gauss_kernel *k = &j->k->k;
    const sat_gauss_spec *s = &f->spec;
    const int64_t y = group * GAUSS_LANES, rows = s->height - y < GAUSS_LANES ? s->height - y : GAUSS_LANES;
    const int alpha = s->weighted_alpha && s->mode != SAT_GAUSS_BLUR ? s->channels : 0;
    long long clipped = 0;
    if (!sat_goes_on(j->run, worker_index, (double)(GAUSS_LANES * f->samples) / AXIS_PER_US)) return;
    for (int64_t i = 0; i < f->strips; i++) spread_block(f, w, y, i, k->passes * k->reach);
    for (int c = 0; c < s->channels; c++) {
        char *lines = lines_of_channel(f, w, c), *value = f->border->takes_value ? w->other : NULL;
        for (int i = 0; value && i < GAUSS_LANES; i++) put_real(f, value, i, border_value(s, c));
        filter_axis(f, k, &j->k->x, lines, lines, value, w->scratch);
        if (j->k->x.scale) scale_edges(f, &j->k->x, lines);
    }
    if (s->weighted_alpha) unweigh(f, w);
    for (int64_t i = 0; i < f->strips; i++) {
        char *first = f->first ? f->first + (size_t)(group * f->strips + i) * GAUSS_LANES * f->ops->line_bytes : NULL;
        gather_block(f, w, i);
        if (j->mix == GAUSS_MIX_DIFFERENCE) {
            f->ops->mix(w->block, first, rows, j->mix, s->amount, alpha);
        } else if (j->mix != GAUSS_MIX_NONE) {
            const sat_gauss_rows other = rows_of(f, w, j->src, y, rows, i * GAUSS_LANES);
            f->ops->load[f->sample](w->other, &other);
            f->ops->mix(w->block, w->other, rows, j->mix, s->amount, alpha);
        }
        if (first && j->mix != GAUSS_MIX_DIFFERENCE) {
            memcpy(first, w->block, GAUSS_LANES * f->ops->line_bytes);
            continue;
        }
        const sat_gauss_rows to = results_of(f, w, j->dst, y, rows, i * GAUSS_LANES);
        clipped += f->ops->store[f->result](w->block, &to);
    }
    if (sat_has_gaps(j->dst) && !(f->first && j->mix != GAUSS_MIX_DIFFERENCE))
        sat_scatter(j->dst, 0, s->width, y, rows, w->results, result_pitch(f));
    if (clipped) atomic_fetch_add(&j->clipped, clipped);
}

static sat_status sat_cpu_gauss_run(void *state, const sat_view *src, const sat_view *mask, const sat_view *dst,
                                    const sat_run *run, sat_counts *counts)
{
    (void)mask;
    const filter *f = state;
    const sat_gauss_spec *s = &f->spec;
    job j = {.f = f, .src = src, .dst = dst, .run = run};
    sat_status status = SAT_OK;
    for (int i = 0; i < f->kernels && status == SAT_OK; i++) {
        j.k = &f->kernel[i];
        j.mix = GAUSS_MIX_NONE;
        if (s->mode == SAT_GAUSS_UNSHARP) j.mix = GAUSS_MIX_UNSHARP;
        if (s->mode == SAT_GAUSS_DOG && s->weighted_alpha) j.mix = GAUSS_MIX_ALPHA;
        if (i == 1) j.mix = GAUSS_MIX_DIFFERENCE;
        status = sat_run_each(run, s->executor, f->threads, f->strips, do_strip, &j);
        if (status == SAT_OK)
            status = sat_run_each(run, s->executor, f->threads, (s->height - 1) / GAUSS_LANES + 1, do_rows, &j);
    }
    counts->clipped = atomic_load(&j.clipped);
    return status;
}

const sat_hooks sat_cpu_gauss = {.open = sat_cpu_gauss_open, .run = sat_cpu_gauss_run};
