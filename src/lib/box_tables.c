/* box_tables.c - the box filter of a backend that has none: a table of the whole image, and for each
 * pixel the few rectangles into which the border mode cuts its window.
 *
 * It is the definition written down, and the reference for the filters that are fast.  Float images are
 * summed in f64; an image that holds NaN or Inf is refused, since in a table one such sample spreads to
 * everything below and to the right of it.
 *
 * With a backend that runs on a device, table and views lie in its memory and kernels do the rest (box_window.h). */
#include <math.h>
#include <stdio.h>

#include "backend.h"
#include "device.h"
#include "pool.h"
#include "samples.h"
#include "shape.h"
#include "box_window.h"

typedef struct filter {
    sat_box_spec spec;
    sat_box_window window;
    sat_plan *plan;
    sat_view weighted; /* the image with its colours times alpha: u32, i32 or f64; data NULL if not asked for */
    sat_view table;
    sat_memory memory;  /* where all arrays lie, and the views of runs */
    sat_box_table runs; /* device memory only */
} filter;

static void close_tables(void *state)
{
    filter *f = state;
    if (f == NULL) return;
    sat_plan_destroy(&f->plan);
}

static sat_status allocate(const filter *f, sat_arena *arena, sat_view *v, int64_t width, int64_t height, int channels,
                           sat_type type)
{
    *v = sat_packed_view(width, height, 1, channels, type, f->memory);
    sat_status status = sat_arena_view(arena, v);
    return status != SAT_ERR_MEMORY
               ? status
               : sat_fail(status, "%s filters through a table, and there is no memory for one of shape (%lld, %lld)",
                          f->spec.backend, (long long)f->spec.height + 1, (long long)f->spec.width + 1);
}

/* What every position's window holds of its axis, in device memory. */
static sat_status plan_axis(const sat_axis *axis, sat_arena *arena, const sat_box_runs **to)
{
    void *device = NULL;
    sat_box_runs *runs = sat_axis_runs(axis, arena);
    if (runs == NULL) return SAT_ERR_MEMORY;
    const size_t bytes = (size_t)axis->n * sizeof *runs;
    sat_view from = sat_packed_view((int64_t)bytes, 1, 1, 1, SAT_U8, SAT_HOST), there = from;
    sat_status status = sat_arena_take(arena, SAT_MEMORY_DEVICE, bytes, &device);
    from.data = runs;
    there.data = device;
    there.memory = SAT_DEVICE;
    if (status == SAT_OK) status = sat_device_copy(&from, &there, NULL);
    sat_arena_free(arena, runs);
    *to = device;
    return status;
}

/* What the kernels read of the window. */
static sat_status plan_runs(filter *f, sat_arena *arena)
{
    const sat_box_window *w = &f->window;
    f->runs.area_px = (uint64_t)w->area_px;
    f->runs.shrinks = w->border->shrinks;
    f->runs.takes_value = w->border->takes_value;
    f->runs.weighted = f->spec.weighted_alpha;
    f->runs.is_signed = w->is_signed;
    for (int c = 0; c < f->spec.channels; c++) {
        f->runs.value[c] = w->value[c];
        f->runs.real_value[c] = w->real_value[c];
    }
    sat_status status = plan_axis(&w->x, arena, &f->runs.columns);
    if (status == SAT_OK) status = plan_axis(&w->y, arena, &f->runs.rows);
    return status == SAT_OK ? sat_device_wait(NULL) : status;
}

static sat_type table_type(const sat_box_window *w)
{
    if (!w->is_signed) return w->accum;
    return w->accum == SAT_U32 ? SAT_I32 : SAT_I64;
}

static sat_status open_tables(const void *given, sat_arena *arena, void **state, char *note, size_t note_bytes)
{
    const sat_box_spec *spec = given;
    const sat_backend *backend = sat_backend_find(spec->backend);
    filter *f = sat_arena_zeros(arena, sizeof *f);
    if (f == NULL) return SAT_ERR_MEMORY;
    f->spec = *spec;
    f->memory = backend->device ? SAT_DEVICE : SAT_HOST;
    sat_status status = sat_box_window_of(spec, &f->window);
    sat_type sample = spec->sample;
    if (spec->weighted_alpha) sample = sat_is_float(sample) ? SAT_F64 : f->window.is_signed ? SAT_I32 : SAT_U32;
    sat_plan_spec plan = {.width = spec->width,
                          .height = spec->height,
                          .channels = spec->channels,
                          .sample = sample,
                          .accum = table_type(&f->window),
                          .backend = backend->name,
                          .threads = spec->threads,
                          .memory = f->memory,
                          .executor = spec->executor,
                          .allocator = spec->allocator};
    if (status == SAT_OK && spec->memory == SAT_DEVICE && sat_is_float(spec->sample))
        status = sat_fail(SAT_ERR_UNAVAILABLE,
                          "%s: filters floats through a table, after all of them are read on the host", backend->name);
    if (status == SAT_OK) status = sat_plan_create(&f->plan, &plan);
    if (status == SAT_OK)
        status = allocate(f, arena, &f->table, spec->width + 1, spec->height + 1, spec->channels, plan.accum);
    if (status == SAT_OK && spec->weighted_alpha)
        status = allocate(f, arena, &f->weighted, spec->width, spec->height, spec->channels, sample);
    if (status == SAT_OK && f->memory == SAT_DEVICE) status = plan_runs(f, arena);
    if (status != SAT_OK) {
        close_tables(f);
        return status;
    }
    int n = snprintf(note, note_bytes, "%s, through a table", sat_plan_note(f->plan));
    if (n > 0 && (size_t)n < note_bytes) sat_box_window_note(&f->window, note + n, note_bytes - (size_t)n);
    *state = f;
    return SAT_OK;
}

/* What one thread checks, weighs or divides in a microsecond, in samples. */
#define CHECKED_PER_US 200.0
#define DIVIDED_PER_US 20.0

/* Colours times alpha; alpha itself stays.  Integers have 16 bits at most, and so their products are exact in f64. */
static void weigh(const filter *f, const sat_view *src, const sat_run *run)
{
    int channels = f->spec.channels;
    for (int64_t y = 0; y < f->spec.height; y++) {
        if (!sat_goes_on(run, 0, (double)(f->spec.width * channels) / CHECKED_PER_US)) return;
        void *out = sat_sample_at(&f->weighted, 0, y, 0);
        for (int64_t i = 0; i < f->spec.width * channels; i++) {
            const int64_t x = i / channels, c = i % channels, alpha = channels - 1;
            double value = sat_sample_value(src->type, sat_sample_at(src, x, y, c));
            if (c != alpha) value *= sat_sample_value(src->type, sat_sample_at(src, x, y, alpha));
            if (sat_is_float(f->spec.sample))
                ((double *)out)[i] = value;
            else
                ((uint32_t *)out)[i] = (uint32_t)(int64_t)value;
        }
    }
}

static sat_status check_samples(const sat_view *v, const sat_run *run)
{
    if (!sat_is_float(v->type)) return SAT_OK;
    for (int64_t row = 0; row < v->height * v->count; row++) {
        if (!sat_goes_on(run, 0, (double)(v->width * v->channels) / CHECKED_PER_US)) return sat_run_status(run);
        for (int64_t i = 0; i < v->width * v->channels; i++)
            if (!isfinite(sat_sample_value(v->type, sat_sample_in(v, row / v->height, i / v->channels, row % v->height,
                                                                  (int)(i % v->channels)))))
                return sat_fail(SAT_ERR_RANGE,
                                "the image holds NaN or Inf, which a filter through tables would spread; the default "
                                "backend takes them");
    }
    return SAT_OK;
}

/* The window's sum in one channel, in the table's arithmetic, without what the border adds. */
static sat_sum window_sum(const filter *f, const sat_segment *xs, int nx, const sat_segment *ys, int ny, int c)
{
    const sat_view *t = &f->table;
    int64_t ch = f->spec.channels;
    sat_sum total = {0};
    double real = 0;
    for (int j = 0; j < ny; j++) {
        const void *top = sat_sample_at(t, 0, ys[j].begin, 0), *bottom = sat_sample_at(t, 0, ys[j].end, 0);
        for (int i = 0; i < nx; i++) {
            int64_t l = xs[i].begin * ch + c, r = xs[i].end * ch + c, weight = xs[i].weight * ys[j].weight;
#define CORNERS(type)                                                                                                  \
    (((const type *)bottom)[r] - ((const type *)bottom)[l] - ((const type *)top)[r] + ((const type *)top)[l])
            if (t->type == SAT_F64)
                real += (double)weight * CORNERS(double);
            else if (t->type == SAT_I32)
                total.u += (uint64_t)(weight * (int32_t)CORNERS(uint32_t));
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

/* Weights below zero can make a mean that no sample has: it is cut to the samples' range. */
static uint64_t in_range(const filter *f, uint64_t mean)
{
    const int64_t most = (int64_t)sat_sample_max(f->spec.sample), value = (int64_t)mean;
    if (!f->window.is_signed) return mean;
    return (uint64_t)(value > most ? most : value < -most - 1 ? -most - 1 : value);
}

static double real_mean(const filter *f, sat_sum sum, sat_sum divisor)
{
    if (!sat_is_float(f->spec.sample)) return sat_real_quotient(sum.u, divisor.u, f->window.is_signed);
    return divisor.f != 0 ? sum.f / divisor.f : 0;
}

static void store(const filter *f, void *to, sat_sum sum, sat_sum divisor)
{
    if (f->spec.result == SAT_F64) {
        *(double *)to = real_mean(f, sum, divisor);
        return;
    }
    if (f->spec.result == SAT_F32) {
        *(float *)to = (float)real_mean(f, sum, divisor);
        return;
    }
    const uint64_t mean = in_range(f, sat_rounded(sum.u, divisor.u, f->window.is_signed));
    switch (sat_type_bytes(f->spec.result)) {
    case 1: *(uint8_t *)to = (uint8_t)mean; break;
    case 2: *(uint16_t *)to = (uint16_t)mean; break;
    default: *(uint32_t *)to = (uint32_t)mean;
    }
}

/* Samples worth a thread: some 100 us. */
enum { SHARE_SAMPLES = 8192 };

/* Between two looks at whether the run goes on. */
enum { PIXELS = 256 };

typedef struct job {
    const filter *f;
    const sat_view *dst;
    const sat_run *run;
} job;

static void row_of_means(void *context, int64_t y, int worker)
{
    const job *j = context;
    const filter *f = j->f;
    const sat_box_window *w = &f->window;
    int channels = f->spec.channels;
    bool real = sat_is_float(f->spec.sample);
    sat_segment xs[SAT_SEGMENTS], ys[SAT_SEGMENTS];
    int64_t covered_x, covered_y;
    int ny = sat_axis_segments(&w->y, y, ys, &covered_y);
    for (int64_t x = 0; x < f->spec.width; x++) {
        if (x % PIXELS == 0 && !sat_goes_on(j->run, worker, x ? PIXELS * channels / DIVIDED_PER_US : 0)) return;
        int nx = sat_axis_segments(&w->x, x, xs, &covered_x);
        uint64_t covered = (uint64_t)covered_x * (uint64_t)covered_y;
        uint64_t area = w->border->shrinks ? covered : (uint64_t)w->area_px, beyond = area - covered;
        sat_sum sums[4] = {{0}}, divisor;
        for (int c = 0; c < channels; c++) {
            sums[c] = window_sum(f, xs, nx, ys, ny, c);
            if (!w->border->takes_value || beyond == 0) continue;
            if (real)
                sums[c].f += (double)beyond * w->real_value[c];
            else
                sums[c].u += beyond * w->value[c];
        }
        if (real)
            divisor.f = (double)area;
        else
            divisor.u = area;
        for (int c = 0; c < channels; c++) {
            bool colour = f->spec.weighted_alpha && c < channels - 1;
            store(f, sat_sample_at(j->dst, x, y, c), sums[c], colour ? sums[channels - 1] : divisor);
        }
    }
}

static sat_status means(const filter *f, const sat_view *dst, const sat_run *run)
{
    double samples = (double)f->spec.width * (double)f->spec.height * f->spec.channels;
    int worth = sat_threads_worth(samples, SHARE_SAMPLES, sat_processors());
    job j = {.f = f, .dst = dst, .run = run};
    return sat_run_each(run, f->spec.executor, f->spec.threads ? f->spec.threads : worth, f->spec.height, row_of_means,
                        &j);
}

static sat_status run_tables(void *state, const sat_view *src, const sat_view *mask, const sat_view *dst,
                             const sat_run *run, sat_counts *counts)
{
    (void)mask;
    (void)counts;
    filter *f = state;
    bool weighted = f->spec.weighted_alpha;
    sat_status status = SAT_OK;
#if SAT_WITH_CUDA
    if (f->memory == SAT_DEVICE) {
        if (weighted) status = sat_box_table_weigh(src, &f->weighted, run->stream);
        if (status == SAT_OK) status = sat_plan_run_within(f->plan, weighted ? &f->weighted : src, &f->table, run);
        return status == SAT_OK ? sat_box_table_means(&f->runs, &f->table, dst, run->stream) : status;
    }
#endif
    if (weighted) weigh(f, src, run);
    status = sat_plan_run_within(f->plan, weighted ? &f->weighted : src, &f->table, run);
    return status == SAT_OK ? means(f, dst, run) : status;
}

/* Sums of floats are those of a table that begins with the image's first row. */
static int64_t period(const void *spec)
{
    return sat_is_float(((const sat_box_spec *)spec)->sample) ? 0 : 1;
}

const sat_hooks sat_box_tables = {
    .open = open_tables,
    .run = run_tables,
    .period = period,
    .any_device = true,
    .check = check_samples,
    .close = close_tables,
};
