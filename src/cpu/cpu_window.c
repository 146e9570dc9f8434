/* cpu_window.c - the cpu backend's window statistics: the object, bands of rows over threads. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "box_bands.h"
#include "cpu.h"
#include "cpu_window.h"
#include "machine.h"
#include "path.h"
#include "pool.h"

/* Samples in a thread's share (machine.h). */
enum { SHARE = 30000 };

/* What stores of results take; rows: of a run. */
static void plan_outputs(sat_cpu_window *w, int64_t rows)
{
    for (int i = 0; i < w->spec.outputs; i++) {
        const sat_window_result_plan *r = &w->plan.result[i];
        sat_cpu_output *o = &w->output[i];
        o->store = sat_window_sample(r->type);
        o->bytes = sat_type_bytes(r->type);
        if (r->avoids) o->avoided = sat_cpu_avoid_value(w->isa, r->type, r->empty);
        o->stream = sat_machine_streams((size_t)w->samples * o->bytes, sat_area(rows, w->spec.count));
    }
}

static bool open_finish(sat_cpu_window *w, sat_arena *arena)
{
    w->finish = sat_arena_zeros(arena, (size_t)w->threads * sizeof *w->finish);
    const size_t arrays = 8, bytes = WINDOW_CHUNK * sizeof(double);
    double *m = sat_arena_zeros(arena, (size_t)w->threads * arrays * bytes);
    if (w->finish == NULL || m == NULL) return false;
    for (int i = 0; i < w->threads; i++) {
        double **of[] = {&w->finish[i].n,       &w->finish[i].sum, &w->finish[i].mean,   &w->finish[i].var,
                         &w->finish[i].squares, &w->finish[i].x,   &w->finish[i].values, &w->finish[i].result};
        for (size_t k = 0; k < arrays; k++, m += WINDOW_CHUNK) *of[k] = m;
    }
    return true;
}

/* Is the only result a mean that the box filter makes?  Of integers with the same bits (paths.def: box_means): means of
 * 32-bit samples are rounded twice here, and larger areas are no exact divisors.  Of floats the box filter makes all
 * means.  Where some floats may not count (paths.def: float_counted), it counts rows of a window in 16 bits: those of
 * an image of less than 2^15 rows, beyond which a window reaches by as many at most, are 2 * (2^15 - 1) + 1. */
static bool is_mean(const sat_cpu_window *w)
{
    const sat_window_result_plan *r = &w->plan.result[0];
    const bool is_mean = w->spec.outputs == 1 && r->statistic == SAT_STATISTIC_mean && r->p[0] == 0 && !r->compare &&
                         r->may_be_empty == w->plan.validity && (r->type == w->spec.sample || sat_is_float(r->type));
    if (sat_is_float(w->spec.sample)) {
        const bool fits = w->spec.window_height <= UINT16_MAX || w->spec.height <= INT16_MAX;
        return is_mean && (!w->plan.validity || (SAT_PATH(float_counted) && fits));
    }
    return is_mean && SAT_PATH(box_means) && (sat_type_bytes(w->spec.sample) < 4 || sat_is_float(r->type)) &&
           w->plan.window.area_px < 1 << 24;
}

static sat_status open_mean(sat_cpu_window *w, sat_arena *arena, char *note, size_t note_bytes)
{
    const sat_window_result_plan *r = &w->plan.result[0];
    const sat_cpu_counted counted = {.masked = w->spec.masked,
                                     .skip_nan = w->spec.skip_nan,
                                     .has_nodata = w->spec.has_nodata,
                                     .nodata = w->spec.nodata,
                                     .least = r->least,
                                     .empty = r->empty,
                                     .keep_holes = w->spec.keep_holes,
                                     .avoids = r->avoids};
    sat_box_spec box = sat_window_box(&w->spec);
    box.result = r->type;
    return sat_cpu_means_open(&box, w->plan.validity ? &counted : NULL, arena, &w->mean, note, note_bytes);
}

static sat_status sat_cpu_window_open(const void *given, sat_arena *arena, void **state, char *note, size_t note_bytes)
{
    const sat_window_spec *spec = given;
    const char *why;
    const sat_isa *isa = sat_isa_in_use(&why);
    if (isa == NULL) return sat_fail(SAT_ERR_UNAVAILABLE, "cpu: %s", why);
    sat_cpu_window *w = sat_arena_zeros(arena, sizeof *w);
    if (w == NULL) return sat_fail(SAT_ERR_MEMORY, "cpu: out of memory for windows");
    sat_status status = sat_window_plan_of(spec, &w->plan);
    if (status != SAT_OK) return status;
    w->spec = *spec;
    *state = w;
    if (is_mean(w)) return open_mean(w, arena, note, note_bytes);
    w->isa = isa;
    w->ops = isa->window;
    w->sample = sat_window_sample(spec->sample);
    w->samples = spec->width * spec->channels;
    const int64_t rows = spec->band_rows ? spec->band_rows : spec->height;
    plan_outputs(w, rows);
    w->threads = sat_machine_threads(spec->threads, (double)w->samples * (double)rows, SHARE);
    if (w->threads > rows) w->threads = (int)rows;
    if (!open_finish(w, arena)) return sat_fail(SAT_ERR_MEMORY, "cpu: out of memory for windows");
    status = sat_is_float(spec->sample) ? sat_cpu_floats_open(w, arena) : sat_cpu_integers_open(w, arena);
    if (status != SAT_OK) return status;
    int n = snprintf(note, note_bytes, "cpu, %s, %d thread%s", isa->name, w->threads, w->threads == 1 ? "" : "s");
    if (n > 0 && (size_t)n < note_bytes) {
        if (w->floats)
            snprintf(note + n, note_bytes - (size_t)n, ", f64 sums%s",
                     w->plan.needs & (SAT_NEEDS_VAR | SAT_NEEDS_SQUARES) ? ", means and squared deviations" : "");
        else
            sat_cpu_integers_note(w, note + n, note_bytes - (size_t)n);
    }
    return SAT_OK;
}

/* ---- runs ---------------------------------------------------------------------------------------------- */

static void do_band(void *context, int64_t band, int worker)
{
    const sat_cpu_window_run *run = context;
    const int64_t y = run->run->first + band * run->rows, last = run->run->end;
    const int64_t end = y + run->rows < last ? y + run->rows : last;
    if (run->w->floats)
        sat_cpu_floats_rows(run, worker, y, end);
    else
        sat_cpu_integers_rows(run, worker, y, end);
    run->w->isa->fence();
}

static sat_status do_rows(sat_cpu_window_run *run)
{
    const sat_cpu_window *w = run->w;
    const int64_t bands = (run->run->end - run->run->first - 1) / run->rows + 1;
    if (w->integers) sat_cpu_integers_begin(w, run->run, run->rows);
    return sat_run_each(run->run, w->spec.executor, w->threads, bands, do_band, run);
}

static sat_status sat_cpu_window_run_image(void *state, const sat_view *src, const sat_view *mask,
                                           const sat_view *results, const sat_run *given, sat_counts *counts)
{
    const sat_cpu_window *w = state;
    if (w->mean) {
        const sat_status status = sat_cpu_means_run(w->mean, src, mask, results, given, counts);
        if (counts->clipped < 0) counts->clipped = counts->moved = counts->empty[0] = 0;
        return status;
    }
    sat_cpu_window_run run = {.w = w, .src = src, .mask = mask, .results = results, .run = given};
    run.rows = sat_cpu_box_band_rows(given, w->spec.window_height, w->threads);
    for (int i = 0; i < w->threads; i++) {
        w->finish[i].clipped = w->finish[i].moved = 0;
        memset(w->finish[i].empty, 0, sizeof w->finish[i].empty);
        w->finish[i].extremes = (sat_cpu_extremes){INFINITY, 0};
    }
    run.whole = (sat_cpu_extremes){w->spec.lowest, w->spec.largest_var};
    if (w->plan.needs & SAT_NEEDS_EXTREMES && !w->spec.has_extremes) {
        run.extremes = true;
        sat_status status = do_rows(&run);
        if (status != SAT_OK) return status;
        run.extremes = false;
        run.whole = w->finish[0].extremes;
        for (int i = 1; i < w->threads; i++) {
            const sat_cpu_extremes *e = &w->finish[i].extremes;
            if (e->low < run.whole.low) run.whole.low = e->low;
            if (e->most_var > run.whole.most_var) run.whole.most_var = e->most_var;
        }
    }
    sat_status status = do_rows(&run);
    counts->clipped = counts->moved = 0;
    for (int k = 0; k < w->spec.outputs; k++) counts->empty[k] = 0;
    for (int i = 0; i < w->threads; i++) {
        counts->clipped += w->finish[i].clipped;
        counts->moved += w->finish[i].moved;
        for (int k = 0; k < w->spec.outputs; k++) counts->empty[k] += w->finish[i].empty[k];
    }
    return status;
}

const sat_hooks sat_cpu_windows = {
    .open = sat_cpu_window_open, .run = sat_cpu_window_run_image, .turns = true, .rows = true};
