/* box_tables.c - the box filter of a backend that has none: a table of the whole image, and for each
 * pixel the few rectangles into which the border mode cuts its window.
 *
 * It is the definition written down, and the reference for the filters that are fast.  Float images are
 * summed in f64; an image that holds NaN or Inf is refused, since in a table one such sample spreads to
 * everything below and to the right of it. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "window.h"

typedef struct filter {
    sat_box_spec spec;
    sat_window window;
    sat_plan *plan;
    sat_view weighted; /* the image with its colours times alpha: u32 or f64; data NULL if not asked for */
    sat_table table;
} filter;

void sat_box_tables_close(void *state)
{
    filter *f = state;
    if (f == NULL) return;
    sat_plan_destroy(&f->plan);
    free(f->weighted.data);
    free(f->table.view.data);
    free(f);
}

static bool allocate(sat_view *v, int64_t width, int64_t height, int channels, sat_type type)
{
    size_t bytes;
    *v = (sat_view){.row_bytes = sat_row_bytes(width, channels, type),
                    .width = width,
                    .height = height,
                    .channels = channels,
                    .type = type};
    if (v->row_bytes == 0 || !sat_mul(v->row_bytes, (size_t)height, &bytes)) return false;
    v->data = malloc(bytes);
    return v->data != NULL;
}

sat_status sat_box_tables_open(const sat_box_spec *spec, const char *backend, void **state, char *note,
                               size_t note_bytes)
{
    filter *f = calloc(1, sizeof *f);
    if (f == NULL) return sat_fail(SAT_ERR_MEMORY, "out of memory for a box filter");
    f->spec = *spec;
    sat_status status = sat_window_of(spec, &f->window);
    sat_type sample = spec->sample;
    if (spec->weighted_alpha) sample = sample == SAT_F32 ? SAT_F64 : SAT_U32;
    sat_spec plan = {.width = spec->width,
                     .height = spec->height,
                     .channels = spec->channels,
                     .sample = sample,
                     .accum = f->window.accum,
                     .backend = backend,
                     .threads = spec->threads};
    if (status == SAT_OK) status = sat_plan_create(&f->plan, &plan);
    if (status == SAT_OK &&
        (!allocate(&f->table.view, spec->width + 1, spec->height + 1, spec->channels, plan.accum) ||
         (spec->weighted_alpha && !allocate(&f->weighted, spec->width, spec->height, spec->channels, sample))))
        status = sat_fail(SAT_ERR_MEMORY, "%s filters through a table, and there is no memory for one of %lldx%lld",
                          backend, (long long)spec->width + 1, (long long)spec->height + 1);
    if (status != SAT_OK) {
        sat_box_tables_close(f);
        return status;
    }
    int n = snprintf(note, note_bytes, "%s, through a table", sat_plan_note(f->plan));
    if (n > 0 && (size_t)n < note_bytes) sat_window_note(&f->window, note + n, note_bytes - (size_t)n);
    *state = f;
    return SAT_OK;
}

static const char *row_of(const sat_view *v, int64_t y)
{
    return (const char *)v->data + (size_t)y * v->row_bytes;
}

static uint64_t integer_at(const sat_view *v, int64_t y, int64_t i)
{
    const char *row = row_of(v, y);
    return v->type == SAT_U8 ? ((const uint8_t *)row)[i] : ((const uint16_t *)row)[i];
}

/* Colours times alpha; alpha itself stays. */
static void weigh(const filter *f, const sat_view *src)
{
    int channels = f->spec.channels;
    for (int64_t y = 0; y < f->spec.height; y++) {
        char *out = (char *)f->weighted.data + (size_t)y * f->weighted.row_bytes;
        for (int64_t i = 0; i < f->spec.width * channels; i++) {
            int64_t alpha = i - i % channels + channels - 1;
            if (f->spec.sample == SAT_F32) {
                const float *in = (const float *)(const void *)row_of(src, y);
                ((double *)(void *)out)[i] = (double)in[i] * (i == alpha ? 1 : (double)in[alpha]);
            } else {
                ((uint32_t *)(void *)out)[i] =
                    (uint32_t)(integer_at(src, y, i) * (i == alpha ? 1 : integer_at(src, y, alpha)));
            }
        }
    }
}

static bool all_finite(const sat_view *v)
{
    for (int64_t y = 0; y < v->height; y++) {
        const float *row = (const float *)(const void *)row_of(v, y);
        for (int64_t i = 0; i < v->width * v->channels; i++)
            if (!isfinite(row[i])) return false;
    }
    return true;
}

/* The window's sum in one channel, in the table's arithmetic, without what the border adds. */
static sat_sum window_sum(const filter *f, const sat_segment *xs, int nx, const sat_segment *ys, int ny, int c)
{
    const sat_view *t = &f->table.view;
    int64_t ch = f->spec.channels;
    sat_sum total = {0};
    double real = 0;
    for (int j = 0; j < ny; j++) {
        const char *top = row_of(t, ys[j].begin), *bottom = row_of(t, ys[j].end);
        for (int i = 0; i < nx; i++) {
            int64_t l = xs[i].begin * ch + c, r = xs[i].end * ch + c, weight = xs[i].weight * ys[j].weight;
#define CORNERS(type)                                                                                                  \
    (((const type *)(const void *)bottom)[r] - ((const type *)(const void *)bottom)[l] -                               \
     ((const type *)(const void *)top)[r] + ((const type *)(const void *)top)[l])
            if (t->type == SAT_F64)
                real += (double)weight * CORNERS(double);
            else if (t->type == SAT_U32)
                total.u += (uint64_t)weight * CORNERS(uint32_t);
            else
                total.u += (uint64_t)weight * CORNERS(uint64_t);
#undef CORNERS
        }
    }
    if (t->type == SAT_F64) total.f = real;
    return total;
}

static void store(const filter *f, char *row, int64_t i, sat_sum sum, sat_sum divisor)
{
    switch (f->spec.sample) {
    case SAT_U8: ((uint8_t *)row)[i] = (uint8_t)sat_rounded(sum.u, divisor.u); break;
    case SAT_U16: ((uint16_t *)(void *)row)[i] = (uint16_t)sat_rounded(sum.u, divisor.u); break;
    default: ((float *)(void *)row)[i] = divisor.f != 0 ? (float)(sum.f / divisor.f) : 0;
    }
}

sat_status sat_box_tables_run(void *state, const sat_view *src, const sat_view *dst, void *stream)
{
    filter *f = state;
    const sat_window *w = &f->window;
    int channels = f->spec.channels;
    bool real = f->spec.sample == SAT_F32;
    sat_run run = {.stream = stream};
    if (real && !all_finite(src))
        return sat_fail(SAT_ERR_RANGE, "the image holds NaN or Inf, which a table would spread; %s",
                        "use a backend with a filter of its own");
    if (f->spec.weighted_alpha) weigh(f, src);
    sat_status status = sat_plan_run(f->plan, f->spec.weighted_alpha ? &f->weighted : src, &f->table.view, &run);
    if (status != SAT_OK) return status;

#pragma omp parallel for num_threads(f->spec.threads ? f->spec.threads : omp_get_num_procs()) schedule(static)
    for (int64_t y = 0; y < f->spec.height; y++) {
        sat_segment xs[SAT_SEGMENTS], ys[SAT_SEGMENTS];
        int64_t covered_x, covered_y;
        int ny = sat_axis_segments(&w->y, y, ys, &covered_y);
        char *out = (char *)dst->data + (size_t)y * dst->row_bytes;
        for (int64_t x = 0; x < f->spec.width; x++) {
            int nx = sat_axis_segments(&w->x, x, xs, &covered_x);
            uint64_t covered = (uint64_t)covered_x * (uint64_t)covered_y;
            uint64_t area = w->border->shrinks ? covered : (uint64_t)w->area_px, beyond = area - covered;
            sat_sum sums[4] = {{0}}, divisor;
            for (int c = 0; c < channels; c++) {
                sums[c] = window_sum(f, xs, nx, ys, ny, c);
                double value = f->spec.border_value[c];
                if (f->spec.weighted_alpha && c < channels - 1) value *= f->spec.border_value[channels - 1];
                if (!w->border->takes_value || beyond == 0) continue;
                if (real)
                    sums[c].f += (double)beyond * value;
                else
                    sums[c].u += beyond * w->value[c];
            }
            if (real)
                divisor.f = (double)area;
            else
                divisor.u = area;
            for (int c = 0; c < channels; c++) {
                bool colour = f->spec.weighted_alpha && c < channels - 1;
                store(f, out, x * channels + c, sums[c], colour ? sums[channels - 1] : divisor);
            }
        }
    }
    return SAT_OK;
}
