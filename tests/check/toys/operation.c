/* toy.c - an operation in one file, with hooks for every backend on the host: the mean of the samples that count around
 * each pixel, by definition, times a gain.  Positions beyond the image of a border that takes a value count. */
#include <math.h>
#include <stdio.h>

#include "filter.h"
#include "pool.h"
#include "samples.h"
#include "sat_toy.h"
#include "box_window.h"

struct sat_toy {
    sat_filter filter;
    sat_toy_spec spec;
};

enum { BAND_ROWS = 4 };
#define SAMPLES_PER_US 10.0

/* ---- hooks ----------------------------------------------------------------------------------------------- */

typedef struct state {
    sat_toy_spec spec;
    sat_axis x, y;
    int threads;
} state;

static sat_status open_toy(const void *given, sat_arena *arena, void **opened, char *note, size_t note_bytes)
{
    const sat_toy_spec *spec = given;
    const sat_border *border = sat_border_find(spec->border);
    const double samples = (double)spec->width * (double)spec->height;
    state *s = sat_arena_zeros(arena, sizeof *s);
    if (s == NULL) return SAT_ERR_MEMORY;
    s->spec = *spec;
    s->x = sat_axis_of(border, spec->width, 2 * spec->reach + 1, SAT_ANCHOR_SECOND);
    s->y = sat_axis_of(border, spec->height, 2 * spec->reach + 1, SAT_ANCHOR_SECOND);
    s->threads = spec->threads ? spec->threads : sat_threads_worth(samples, 1000, sat_processors());
    snprintf(note, note_bytes, "%s, the toy's own loop, %d threads", spec->backend, s->threads);
    *opened = s;
    return SAT_OK;
}

typedef struct job {
    const state *s;
    const sat_view *src, *mask, *dst;
    const sat_run *run;
} job;

static double mean(const job *j, int64_t x, int64_t y, int c)
{
    const state *s = j->s;
    sat_segment xs[SAT_SEGMENTS], ys[SAT_SEGMENTS];
    int64_t columns, rows;
    const int nx = sat_axis_segments(&s->x, x, xs, &columns), ny = sat_axis_segments(&s->y, y, ys, &rows);
    const int64_t side = 2 * s->spec.reach + 1;
    double n = s->x.border->takes_value ? (double)(side * side - columns * rows) : 0;
    double sum = n > 0 ? n * s->spec.border_value[c] : 0;
    for (int k = 0; k < ny; k++)
        for (int64_t v = ys[k].begin; v < ys[k].end; v++)
            for (int i = 0; i < nx; i++)
                for (int64_t u = xs[i].begin; u < xs[i].end; u++) {
                    const int64_t row = sat_source_row(j->run, v);
                    if (j->mask && *(const uint8_t *)sat_sample_at(j->mask, u, row, 0) == 0) continue;
                    const double weight = (double)(xs[i].weight * ys[k].weight);
                    sum += weight * sat_sample_value(j->src->type, sat_sample_at(j->src, u, row, c));
                    n += weight;
                }
    return n > 0 ? sum / n : NAN;
}

static void do_band(void *context, int64_t band, int worker)
{
    const job *j = context;
    const sat_toy_spec *s = &j->s->spec;
    const double row_us = (double)(s->width * s->channels) / SAMPLES_PER_US;
    const int64_t first = j->run->first + band * BAND_ROWS, end = first + BAND_ROWS;
    for (int64_t y = first; y < end && y < j->run->end; y++) {
        if (!sat_goes_on(j->run, worker, row_us)) return;
        for (int64_t x = 0; x < s->width; x++)
            for (int c = 0; c < s->channels; c++)
                *(double *)sat_sample_at(j->dst, x, y - j->run->first, c) = s->gain * mean(j, x, y, c);
    }
}

static sat_status run_toy(void *opened, const sat_view *src, const sat_view *mask, const sat_view *results,
                          const sat_run *given, sat_counts *counts)
{
    const state *s = opened;
    job j = {s, src, mask, results, given};
    counts->clipped = 0;
    return sat_run_each(given, s->spec.executor, s->threads, (given->end - given->first - 1) / BAND_ROWS + 1, do_band,
                        &j);
}

static const sat_hooks hooks = {.open = open_toy, .run = run_toy, .rows = true};

/* ---- the operation ----------------------------------------------------------------------------------------- */

static sat_status check(void *spec)
{
    sat_toy_spec *s = spec;
    const sat_border *border = sat_border_find(s->border);
    if (border == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no border mode is called '%s'", s->border);
    if (s->reach < 0 || s->reach > 100) return sat_fail(SAT_ERR_ARGUMENT, "a reach of %lld", (long long)s->reach);
    if (!isfinite(s->gain)) return sat_fail(SAT_ERR_ARGUMENT, "a gain that is not finite");
    if (s->result == SAT_TYPE_NONE) s->result = SAT_F64;
    if (s->result != SAT_F64) return sat_fail(SAT_ERR_TYPE, "results of type %s", sat_type_name(s->result));
    sat_status status = sat_check_sample(s->sample);
    if (status == SAT_OK) status = sat_border_check_values(border, s->sample, s->channels, s->border_value);
    if (status == SAT_OK) status = sat_check_reserved(s->reserved, sizeof s->reserved);
    return status == SAT_OK ? sat_check_images(s->width, s->height, s->count, s->channels, SAT_F64) : status;
}

static sat_job where(void *spec)
{
    sat_toy_spec *s = spec;
    return (sat_job){SAT_JOB_OF(s), .result = &s->result, .masked = &s->masked};
}

static const sat_border *reach(const void *spec, int64_t *above, int64_t *below)
{
    const sat_toy_spec *s = spec;
    return sat_window_reach(s->border, 2 * s->reach + 1, SAT_ANCHOR_SECOND, above, below);
}

#define OWN(member) SAT_MEMBER(sat_toy_spec, member)
const sat_operation sat_operation_toy = {
    SAT_OPERATION_OF(toy),
    .noun = "toy",
    .missing = "toy; there is one on the host",
    .integers_per_us = SAMPLES_PER_US,
    .floats_per_us = SAMPLES_PER_US,
    .on_host = true,
    .any = &hooks,
    .members = {OWN(reach), OWN(gain), OWN(border), OWN(border_value), OWN(masked), OWN(result)},
    .job = where,
    .check = check,
    .reach = reach,
};

SAT_FILTER(toy, band_rows)

sat_status sat_toy_run_sized(sat_toy *toy, const sat_view *src, const sat_view *mask, const sat_view *dst,
                             const sat_run_options *options, size_t run_bytes)
{
    return sat_filter_run((sat_filter *)toy, &sat_operation_toy, src, mask, dst, options, run_bytes);
}
