/* cpu_window_finish.c - window statistics: the moments of windows in a row to results. */
#include <math.h>
#include <string.h>

#include "cpu_window.h"
#include "sat_image.h"
#include "shape.h"
#include "valid.h"

sat_validity sat_cpu_validity(const sat_window_spec *s)
{
    return (sat_validity){
        .channels = s->channels, .skip_nan = s->skip_nan, .has_nodata = s->has_nodata, .nodata = s->nodata};
}

void sat_cpu_centres(uint8_t *valid, const sat_validity *v, const sat_view *src, const sat_view *mask, int64_t y,
                     int64_t first, int64_t n)
{
    _Alignas(double) char samples[SAT_CENTRES * sizeof(double)];
    uint8_t mask_row[SAT_CENTRES];
    const int64_t x = first / v->channels, pixels = n / v->channels;
    const sat_valid counts = {v->skip_nan, v->has_nodata, v->nodata};
    const void *row = sat_sample_at(src, x, y, 0);
    if (sat_has_gaps(src)) sat_gather(samples, 0, src, x, pixels, y, 1), row = samples;
    if (mask) sat_gather(mask_row, 0, mask, x, pixels, y, 1);
    sat_valid_row(&counts, src->type, row, mask ? mask_row : NULL, pixels, v->channels, valid);
}

/* ---- results that are not empty, but equal `empty` ------------------------------------------------------ */

sat_cpu_avoided sat_cpu_avoid_value(const sat_isa *isa, sat_type type, double value)
{
    sat_cpu_avoided a = {.type = type};
    const int store = sat_window_sample(type);
    double held;
    isa->window->store[store](a.value, &value, 1);
    isa->widen(type, SAT_F64)(&held, a.value, 1);
    const double next = sat_type_beside(type, held, false);
    isa->window->store[store](a.next, &next, 1);
    return a;
}

/* Most blocks of results hold no such value: a loop that vectorises counts them. */
enum { AVOID_BLOCK = 64 };
#define AVOID(type, word)                                                                                              \
    for (int64_t first = 0, m; first < n; first += m) {                                                                \
        type *const r = (type *)results + first, value, next;                                                          \
        word found = 0;                                                                                                \
        memcpy(&value, a->value, sizeof value);                                                                        \
        memcpy(&next, a->next, sizeof next);                                                                           \
        m = n - first < AVOID_BLOCK ? n - first : AVOID_BLOCK;                                                         \
        for (int64_t i = 0; i < m; i++) found = (word)(found + (r[i] == value));                                       \
        if (counts == NULL) moved += (int64_t)found;                                                                   \
        for (int64_t i = 0; counts == NULL && found && i < m; i++) r[i] = r[i] == value ? next : r[i];                 \
        for (int64_t i = 0; counts && found && i < m; i++)                                                             \
            if (r[i] == value && counts[first + i] >= least) r[i] = next, moved++;                                     \
    }                                                                                                                  \
    break;
int64_t sat_cpu_avoid(const sat_cpu_avoided *a, void *results, const double *counts, double least, int64_t n)
{
    int64_t moved = 0;
    switch (a->type) {
    case SAT_F32: AVOID(float, uint32_t)
    case SAT_F64: AVOID(double, uint64_t)
    case SAT_U8:
    case SAT_I8: AVOID(uint8_t, uint8_t)
    case SAT_U16:
    case SAT_I16: AVOID(uint16_t, uint16_t)
    default: AVOID(uint32_t, uint32_t)
    }
    return moved;
}
#undef AVOID

/* ---- moments to results -------------------------------------------------------------------------------- */

/* The samples themselves, as f64. */
static void load_pixels(const sat_cpu_window_run *run, sat_cpu_finish *f, int64_t y, int64_t first, int64_t count)
{
    const sat_cpu_window *w = run->w;
    const int64_t channels = w->spec.channels; /* first and count are whole pixels */
    const int64_t row = sat_source_row(run->run, y);
    const void *samples = sat_sample_at(run->src, first / channels, row, 0);
    if (sat_has_gaps(run->src)) {
        sat_gather(f->result, 0, run->src, first / channels, count / channels, row, 1);
        samples = f->result;
    }
    w->isa->widen(w->spec.sample, SAT_F64)(f->x, samples, count);
}

/* Which of the samples count. */
static void find_centres(const sat_cpu_window_run *run, uint8_t *valid, int64_t y, int64_t first, int64_t count)
{
    const sat_validity v = sat_cpu_validity(&run->w->spec);
    sat_cpu_centres(valid, &v, run->src, run->mask, sat_source_row(run->run, y), first, count);
}

static void find_extremes(const sat_cpu_window_run *run, sat_cpu_finish *f, int64_t y, int64_t first, int64_t count)
{
    uint8_t valid[WINDOW_CHUNK];
    find_centres(run, valid, y, first, count);
    const double least = sat_window_least(&run->w->plan, &run->w->spec, SAT_NEEDS_VAR);
    for (int64_t i = 0; i < count; i++) {
        if (valid[i] && f->x[i] < f->extremes.low) f->extremes.low = f->x[i];
        if (f->n[i] >= least && f->var[i] > f->extremes.most_var) f->extremes.most_var = f->var[i];
    }
}

/* The array that a statistic is, so that none is copied (docs/bench/windows.md: mean and variance); else NULL. */
static const double *moment_of(const sat_cpu_finish *f, const sat_window_result_plan *r)
{
    switch (r->statistic) {
    case SAT_STATISTIC_mean: return r->p[0] == 0 ? f->mean : NULL;
    case SAT_STATISTIC_var: return f->var;
    case SAT_STATISTIC_sum: return f->sum;
    case SAT_STATISTIC_count: return f->n;
    default: return NULL;
    }
}

void sat_cpu_window_finish(const sat_cpu_window_run *run, sat_cpu_finish *f, int64_t y, int64_t first, int64_t count)
{
    const sat_cpu_window *w = run->w;
    if (w->plan.needs & SAT_NEEDS_PIXEL) load_pixels(run, f, y, first, count);
    if (run->extremes) {
        find_extremes(run, f, y, first, count);
        return;
    }
    double centres[WINDOW_CHUNK];
    const double *n = f->n;
    if (w->spec.keep_holes && w->plan.validity) {
        uint8_t valid[WINDOW_CHUNK];
        find_centres(run, valid, y, first, count);
        for (int64_t i = 0; i < count; i++) centres[i] = valid[i] ? f->n[i] : 0;
        n = centres;
    }
    const sat_features features = {.n = f->n,
                                   .sum = f->sum,
                                   .mean = f->mean,
                                   .var = f->var,
                                   .squares = f->squares,
                                   .x = f->x,
                                   .range = w->plan.largest,
                                   .low = run->whole.low,
                                   .most_std = sqrt(run->whole.most_var)};
    for (int i = 0; i < w->spec.outputs; i++) {
        const sat_cpu_output *o = &w->output[i];
        const sat_window_result_plan *r = &w->plan.result[i];
        const sat_view *to = &run->results[i];
        const int64_t channels = w->spec.channels, row = y - run->run->first;
        const bool scatters = sat_has_gaps(to);
        void *out = sat_sample_at(to, first / channels, row, 0), *to_row = o->stream || scatters ? f->result : out;
        const double *values = moment_of(f, r);
        if (values == NULL) {
            w->ops->statistic[r->statistic](f->values, &features, r->p, count);
            values = f->values;
        }
        if (r->may_be_empty) {
            const double least = sat_window_least_in(r, run->whole.low);
            f->empty[i] += w->ops->empty(f->values, values, n, least, r->empty, count);
            values = f->values;
        }
        if (r->compare)
            w->ops->compare(to_row, f->x, values, count);
        else
            f->clipped += w->ops->store[o->store](to_row, values, count);
        if (r->avoids) f->moved += sat_cpu_avoid(&o->avoided, to_row, n, sat_window_least_in(r, run->whole.low), count);
        if (scatters)
            sat_scatter(to, first / channels, count / channels, row, 1, f->result, 0);
        else if (o->stream)
            w->isa->stream(out, f->result, (size_t)count * o->bytes);
    }
}
