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
 * Where samples may not count, they are 0, and a second plane takes the same way: weights, 1 for samples that count
 * (gauss_valid_template.h).  Values are divided by weights before they are transposed back.
 *
 * Lines are filtered apart from each other, and by the same additions whatever the threads and vectors are. */
#include <stdatomic.h>

#include "gauss_plan.h"
#include "pool.h"
#include "shape.h"
#include "strides.h"

/* Samples that one thread filters along one axis in a microsecond. */
#define AXIS_PER_US 500.0

/* Samples whose mask it copies. */
#define MARKS_PER_US 5000.0

typedef struct job {
    const sat_gauss_filter *f;
    const sat_gauss_stage *k;
    const sat_view *src, *mask, *dst;
    const sat_run *run;
    sat_gauss_mix mix; /* with the source; of differences: with the first blur */
    atomic_llong clipped, empty, moved;
} job;

/* 16 samples of each of so many rows of the source, from that sample on; without gaps between them, if need be in the
 * worker's memory. */
static sat_gauss_rows rows_of(const sat_gauss_filter *f, const sat_gauss_worker *w, const sat_view *v, int64_t y,
                              int64_t rows, int64_t first)
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
static sat_gauss_rows results_of(const sat_gauss_filter *f, const sat_gauss_worker *w, const sat_view *v, int64_t y,
                                 int64_t rows, int64_t first)
{
    if (!sat_has_gaps(v)) return rows_of(f, w, v, y, rows, first);
    const int64_t left = f->samples - first;
    return (sat_gauss_rows){w->results + (size_t)first * sat_type_bytes(v->type), (ptrdiff_t)sat_gauss_result_pitch(f),
                            rows, left < GAUSS_LANES ? (int)left : GAUSS_LANES};
}

/* A line of what lies beyond the edge: the border value of samples' channels, times alpha where it is a weight; or
 * these weights.  NULL: zeros, or samples. */
static char *line_beyond(const sat_gauss_filter *f, const sat_gauss_worker *w, int plane, int64_t sample, int64_t step)
{
    const sat_gauss_spec *s = &f->spec;
    if (!f->border->takes_value) return NULL;
    for (int i = 0; i < GAUSS_LANES; i++, sample += step) {
        const bool is_colour = s->weighted_alpha && !sat_gauss_is_alpha(s, sample);
        const double weight = is_colour ? s->border_value[s->channels - 1] : 1;
        sat_gauss_put(f, w->other, i, plane == WEIGHTS ? weight : s->border_value[sample % s->channels] * weight);
    }
    return w->other;
}

enum { BLOCK = GAUSS_LANES * GAUSS_LANES };

/* The mask of 16 rows, once, in the order in which strips and blocks read it. */
static void do_marks(void *context, int64_t group, int worker_index)
{
    const job *j = context;
    const sat_gauss_filter *f = j->f;
    const sat_view *m = j->mask;
    const int64_t channels = f->spec.channels, y = group * GAUSS_LANES;
    if (!sat_goes_on(j->run, worker_index, (double)(GAUSS_LANES * f->samples) / MARKS_PER_US)) return;
    for (int64_t row = y; row < y + GAUSS_LANES && row < m->height; row++) {
        const uint8_t *from = (const uint8_t *)m->data + row * m->row_bytes;
        uint8_t *to = f->marks + group * f->strips * BLOCK + (row - y) * GAUSS_LANES;
        const int64_t whole = channels == 1 && m->pixel_bytes == 1 ? f->samples / GAUSS_LANES : 0;
        for (int64_t strip = 0; strip < whole; strip++)
            for (int i = 0; i < GAUSS_LANES; i++) to[strip * BLOCK + i] = from[strip * GAUSS_LANES + i] != 0;
        for (int64_t i = whole * GAUSS_LANES; i < f->samples; i++)
            to[i / GAUSS_LANES * BLOCK + i % GAUSS_LANES] = from[i / channels * m->pixel_bytes] != 0;
    }
}

/* Weights of n lines of samples, from row y of that strip of the source on. */
static void count_samples(const sat_gauss_filter *f, char *lines, char *weights, int64_t y, int64_t n, int64_t strip,
                          bool zeros)
{
    const sat_gauss_valid valid = {
        .mask = f->marks ? f->marks + (y / GAUSS_LANES * f->strips + strip) * BLOCK : NULL,
        .block_bytes = (size_t)f->strips * BLOCK,
        .first = y % GAUSS_LANES,
        .nodata = f->nodata,
        .skip_nan = f->spec.skip_nan,
    };
    f->ops->count(lines, weights, n, &valid, zeros);
}

/* Divides results [first, end) of an axis by the weights of the samples inside, where that are not all. */
static void scale_edges(const sat_gauss_filter *f, const sat_gauss_axis *a, int64_t first, int64_t end, char *lines)
{
    const int64_t edge = a->margin < a->n ? a->margin : a->n, last = a->n - edge > edge ? a->n - edge : edge;
    const int64_t before = edge < end ? edge : end, behind = last > first ? last : first;
    if (before > first) f->ops->scale(lines, a->scale + first, before - first);
    if (end > behind)
        f->ops->scale(lines + (size_t)(behind - first) * f->ops->line_bytes, a->scale + behind, end - behind);
}

/* The same of weights, which are 1 where all samples inside count; in lanes of `whole` only. */
static void settle(const sat_gauss_filter *f, const sat_gauss_axis *a, int64_t first, int64_t end, char *weights,
                   const void *whole)
{
    f->ops->settle(weights, a->ones + first, a->scale ? a->scale + first : NULL, whole, end - first);
}

/* A strip, filtered down the columns. */
static void do_strip(void *context, int64_t strip, int worker_index)
{
    const job *j = context;
    const sat_gauss_filter *f = j->f;
    const sat_gauss_worker *w = &f->workers[worker_index];
    const sat_gauss_kernel *k = &j->k->k;
    const size_t line = f->ops->line_bytes;
    const int64_t first = strip * GAUSS_LANES, top = j->run->first, end = j->run->end, made = end - top;
    int64_t from, to;
    sat_gauss_reach(k, &j->k->y, top, end, &from, &to);
    const int64_t height = to - from, y = from - j->run->from; /* of the source's rows that are read */
    if (!sat_goes_on(j->run, worker_index, (double)(GAUSS_LANES * height * f->planes) / AXIS_PER_US)) return;
    const sat_gauss_rows rows = rows_of(f, w, j->src, y, height, first);
    const size_t before = (size_t)(k->passes * k->reach) * line;
    char *lines = w->lines[VALUES] + before, *weights = w->lines[WEIGHTS] + before;
    f->ops->load[f->sample](lines, &rows);
    if (f->planes > 1) count_samples(f, lines, weights, y, height, strip, true);
    if (f->spec.weighted_alpha && f->planes > 1)
        f->ops->weigh_counting(lines, weights, height, f->spec.channels);
    else if (f->spec.weighted_alpha)
        f->ops->weigh(lines, height, f->spec.channels);
    for (int p = 0; p < f->planes; p++) {
        char *kept = f->kept[p] + (size_t)strip * f->strip_bytes;
        sat_gauss_along(f, k, &j->k->y, top, end, kept, w->lines[p], line_beyond(f, w, p, first, 1), w->scratch);
        if (p == WEIGHTS)
            settle(f, &j->k->y, top, end, kept, f->whole);
        else if (j->k->y.scale)
            scale_edges(f, &j->k->y, top, end, kept);
        memset(kept + (size_t)made * line, 0, (size_t)(f->rows - made) * line);
    }
}

/* The lines of a channel in the worker's memory. */
static char *lines_of_channel(const sat_gauss_filter *f, const sat_gauss_worker *w, int plane, int64_t channel)
{
    return w->lines[plane] + (size_t)(channel * f->line_room) * f->ops->line_bytes;
}

/* Where the samples of a strip lie in the worker's memory, `offset` lines behind the beginning of their channels;
 * beyond the row's end: `beyond`. */
static void place_strip(const sat_gauss_filter *f, const sat_gauss_worker *w, int plane, int64_t strip, int64_t offset,
                        void *beyond, void *at[GAUSS_LANES])
{
    const size_t line = f->ops->line_bytes;
    const int64_t channels = f->spec.channels, first = strip * GAUSS_LANES;
    int64_t c = first % channels, x = first / channels + offset;
    for (int i = 0; i < GAUSS_LANES; i++) {
        at[i] = first + i < f->samples ? lines_of_channel(f, w, plane, c) + (size_t)x * line : beyond;
        if (++c == channels) c = 0, x++;
    }
}

/* Blocks of 16 rows and a worker's lines, which are one another transposed; from the strips, and back. */
static void part_block(const sat_gauss_filter *f, const sat_gauss_worker *w, int plane, int64_t y, int64_t strip,
                       int64_t offset)
{
    const size_t line = f->ops->line_bytes;
    const char *block = f->kept[plane] + (size_t)strip * f->strip_bytes + (size_t)y * line;
    const void *from[GAUSS_LANES];
    void *to[GAUSS_LANES];
    for (int i = 0; i < GAUSS_LANES; i++) from[i] = block + (size_t)i * line;
    place_strip(f, w, plane, strip, offset, w->other, to);
    f->ops->transpose(to, from);
}

static void gather_block(const sat_gauss_filter *f, const sat_gauss_worker *w, int plane, int64_t strip)
{
    void *from[GAUSS_LANES], *to[GAUSS_LANES];
    place_strip(f, w, plane, strip, 0, w->lines[plane], from);
    for (int i = 0; i < GAUSS_LANES; i++) to[i] = w->block[plane] + (size_t)i * f->ops->line_bytes;
    f->ops->transpose(to, (const void *const *)from);
}

static void unweigh(const sat_gauss_filter *f, const sat_gauss_worker *w)
{
    const int64_t alpha = f->spec.channels - 1;
    for (int64_t c = 0; c < alpha; c++)
        f->ops->unweigh(lines_of_channel(f, w, VALUES, c), lines_of_channel(f, w, VALUES, alpha), f->spec.width);
}

/* Divides 16 rows, from row y of the image on, by their weights: colours first, as they need alpha's. */
static void divide(const job *j, const sat_gauss_worker *w, int64_t y)
{
    const sat_gauss_filter *f = j->f;
    const sat_gauss_spec *s = &f->spec;
    const double *scale = j->k->y.scale;
    double least[GAUSS_LANES];
    for (int i = 0; i < GAUSS_LANES; i++)
        sat_gauss_put(f, (char *)least, i, s->min_valid * (scale && y + i < s->height ? scale[y + i] : 1));
    for (int c = 0; c < s->channels; c++) {
        sat_gauss_divisor by = {.least = least, .scale = j->k->x.scale};
        if (s->weighted_alpha && !sat_gauss_is_alpha(s, c)) {
            by.alpha = lines_of_channel(f, w, VALUES, s->channels - 1);
            by.alpha_weights = lines_of_channel(f, w, WEIGHTS, s->channels - 1);
        }
        f->ops->divide(lines_of_channel(f, w, VALUES, c), lines_of_channel(f, w, WEIGHTS, c), s->width, &by);
    }
}

/* Empties the results of a worker's block that do not count; returns how many.  y: of the source's row; first: of
 * differences. */
static int64_t finish(const job *j, const sat_gauss_worker *w, int64_t y, const sat_gauss_rows *to, int64_t strip,
                      const char *first)
{
    const sat_gauss_filter *f = j->f;
    const sat_gauss_spec *s = &f->spec;
    sat_gauss_holes holes = {.empty = f->empty, .first = first, .alpha = s->weighted_alpha ? s->channels : 0};
    if (s->keep_holes || s->mode != SAT_GAUSS_BLUR) {
        const sat_gauss_rows own = rows_of(f, w, j->src, y, to->rows, strip * GAUSS_LANES);
        f->ops->load[f->sample](w->other, &own);
        count_samples(f, w->other, w->centre, y, to->rows, strip, false);
        holes.centres = w->centre;
    }
    return f->ops->finish(w->block[VALUES], w->block[WEIGHTS], to->rows, to->lanes, &holes);
}

/* 16 rows, filtered along the rows, to results. */
static void do_rows(void *context, int64_t group, int worker_index)
{
    job *j = context;
    const sat_gauss_filter *f = j->f;
    const sat_gauss_worker *w = &f->workers[worker_index];
    const sat_gauss_kernel *k = &j->k->k;
    const sat_gauss_spec *s = &f->spec;
    const int64_t y = group * GAUSS_LANES, left = j->run->end - j->run->first - y; /* y: of the results' row */
    const int64_t rows = left < GAUSS_LANES ? left : GAUSS_LANES, own = sat_source_row(j->run, j->run->first + y);
    const int alpha = s->weighted_alpha && s->mode != SAT_GAUSS_BLUR ? s->channels : 0;
    long long clipped = 0, empty = 0, moved = 0;
    if (!sat_goes_on(j->run, worker_index, (double)(GAUSS_LANES * f->samples * f->planes) / AXIS_PER_US)) return;
    for (int p = 0; p < f->planes; p++) {
        for (int64_t i = 0; i < f->strips; i++) part_block(f, w, p, y, i, k->passes * k->reach);
        for (int c = 0; c < s->channels; c++) {
            char *lines = lines_of_channel(f, w, p, c);
            sat_gauss_along(f, k, &j->k->x, 0, s->width, lines, lines, line_beyond(f, w, p, c, 0), w->scratch);
            if (p == WEIGHTS && (!s->weighted_alpha || sat_gauss_is_alpha(s, c)))
                settle(f, &j->k->x, 0, s->width, lines, f->one);
            else if (j->k->x.scale)
                scale_edges(f, &j->k->x, 0, s->width, lines);
        }
    }
    if (f->planes > 1)
        divide(j, w, j->run->first + y);
    else if (s->weighted_alpha)
        unweigh(f, w);
    for (int64_t i = 0; i < f->strips; i++) {
        const size_t block = GAUSS_LANES * f->ops->line_bytes, at = (size_t)(group * f->strips + i) * block;
        char *first = f->first[VALUES] ? f->first[VALUES] + at : NULL;
        const char *kinds = f->first[WEIGHTS] ? f->first[WEIGHTS] + at : NULL;
        for (int p = 0; p < f->planes; p++) gather_block(f, w, p, i);
        if (j->mix == GAUSS_MIX_DIFFERENCE) {
            f->ops->mix(w->block[VALUES], first, rows, j->mix, s->amount, alpha);
        } else if (j->mix != GAUSS_MIX_NONE) {
            const sat_gauss_rows other = rows_of(f, w, j->src, own, rows, i * GAUSS_LANES);
            f->ops->load[f->sample](w->other, &other);
            f->ops->mix(w->block[VALUES], w->other, rows, j->mix, s->amount, alpha);
        }
        if (first && j->mix != GAUSS_MIX_DIFFERENCE) {
            for (int p = 0; p < f->planes; p++) memcpy(f->first[p] + at, w->block[p], block);
            continue;
        }
        const sat_gauss_rows to = results_of(f, w, j->dst, y, rows, i * GAUSS_LANES);
        if (f->planes > 1) empty += finish(j, w, own, &to, i, kinds);
        clipped += f->ops->store[f->result](w->block[VALUES], &to);
        if (f->avoids)
            moved += f->ops->avoid[f->result](w->block[VALUES], w->block[WEIGHTS], &to, s->result, s->nodata);
    }
    if (sat_has_gaps(j->dst) && !(f->first[VALUES] && j->mix != GAUSS_MIX_DIFFERENCE))
        sat_scatter(j->dst, 0, s->width, y, rows, w->results, sat_gauss_result_pitch(f));
    if (clipped) atomic_fetch_add(&j->clipped, clipped);
    if (empty) atomic_fetch_add(&j->empty, empty);
    if (moved) atomic_fetch_add(&j->moved, moved);
}

static sat_status sat_cpu_gauss_run(void *state, const sat_view *src, const sat_view *mask, const sat_view *dst,
                                    const sat_run *run, sat_counts *counts)
{
    const sat_gauss_filter *f = state;
    const sat_gauss_spec *s = &f->spec;
    job j = {.f = f, .src = src, .mask = mask, .dst = dst, .run = run};
    sat_status status = SAT_OK;
    const int64_t groups = (run->end - run->first - 1) / GAUSS_LANES + 1;
    if (mask) status = sat_run_each(run, s->executor, f->threads, (mask->height - 1) / GAUSS_LANES + 1, do_marks, &j);
    for (int i = 0; i < f->kernels && status == SAT_OK; i++) {
        j.k = &f->kernel[i];
        j.mix = GAUSS_MIX_NONE;
        if (s->mode == SAT_GAUSS_UNSHARP) j.mix = GAUSS_MIX_UNSHARP;
        if (s->mode == SAT_GAUSS_DOG && s->weighted_alpha) j.mix = GAUSS_MIX_ALPHA;
        if (i == 1) j.mix = GAUSS_MIX_DIFFERENCE;
        status = sat_run_each(run, s->executor, f->threads, f->strips, do_strip, &j);
        if (status == SAT_OK) status = sat_run_each(run, s->executor, f->threads, groups, do_rows, &j);
    }
    counts->clipped = atomic_load(&j.clipped);
    if (f->planes > 1) counts->empty[0] = atomic_load(&j.empty);
    if (f->planes > 1) counts->moved = atomic_load(&j.moved);
    return status;
}

const sat_hooks sat_cpu_gauss = {.open = sat_gauss_open, .run = sat_cpu_gauss_run, .rows = true};
