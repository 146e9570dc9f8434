/* window_stats.c - window statistics: the spec checked, a backend chosen, its state kept. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "device.h"
#include "images.h"
#include "pool.h"
#include "sat_image.h"
#include "shape.h"
#include "sized.h"
#include "statistic.h"
#include "window.h"
#include "window_offload.h"

struct sat_window {
    sat_arena arena; /* the object and all that it holds */
    sat_window_spec spec;
    sat_window_output output[SAT_OUTPUTS];
    const sat_backend *backend;
    void **states;              /* one for each image that is worked on at a time */
    sat_counts *counts;         /* by each of them, in a run */
    sat_counts *waited_for;     /* the caller's, of the last run on device memory; or NULL */
    int workers, device;        /* device: -1: none */
    sat_window_offload offload; /* of a device's backend */
    char note[256];
};

sat_box_spec sat_window_box(const sat_window_spec *s)
{
    sat_box_spec box = {.width = s->width,
                        .height = s->height,
                        .channels = s->channels,
                        .sample = s->sample,
                        .window_width = s->window_width,
                        .window_height = s->window_height,
                        .border = s->border,
                        .anchor = s->anchor,
                        .threads = s->threads,
                        .count = s->count,
                        .executor = s->executor,
                        .result = SAT_F64};
    memcpy(box.border_value, s->border_value, sizeof box.border_value);
    return box;
}

/* ---- the spec ------------------------------------------------------------------------------------------ */

static sat_status take_output(const sat_window_spec *s, const sat_window_output *given, sat_window_output *o)
{
    *o = *given;
    const sat_statistic *statistic = sat_statistic_get(sat_statistic_find(o->statistic));
    if (statistic == NULL)
        return sat_fail(SAT_ERR_ARGUMENT, "no statistic is called '%s'", o->statistic ? o->statistic : "");
    o->statistic = statistic->info.name; /* the caller's may go */
    if (o->result == SAT_TYPE_NONE) o->result = o->compare ? SAT_U8 : sat_real_type(s->sample);
    if (o->compare && o->result != SAT_U8)
        return sat_fail(SAT_ERR_TYPE, "%s: pixels compared with it are u8, not %s", o->statistic,
                        sat_type_name(o->result));
    if (sat_sample_max(o->result) == 0 && !sat_is_float(o->result))
        return sat_fail(SAT_ERR_TYPE, "%s: results of type %s", o->statistic, sat_type_name(o->result));
    for (int i = 0; i < SAT_PARAMETERS; i++) {
        if (!(o->set >> i & 1)) continue;
        if (statistic->info.parameter[i].name == NULL)
            return sat_fail(SAT_ERR_ARGUMENT, "%s has no parameter %d", o->statistic, i);
        const sat_parameter_info *p = &statistic->info.parameter[i];
        if (!isfinite(o->parameter[i]))
            return sat_fail(SAT_ERR_ARGUMENT, "%s: the parameter %s is not finite", o->statistic, p->name);
        if (p->positive && o->parameter[i] <= 0)
            return sat_fail(SAT_ERR_ARGUMENT, "%s: the parameter %s is %g; it must be above 0", o->statistic, p->name,
                            o->parameter[i]);
    }
    if (o->set >> SAT_PARAMETERS) return sat_fail(SAT_ERR_ARGUMENT, "%s has no such parameter", o->statistic);
    sat_status status = sat_check_reserved(o->reserved, sizeof o->reserved);
    return status == SAT_OK ? sat_check_reserved(&o->reserved_word, sizeof o->reserved_word) : status;
}

static sat_status check_spec(const sat_window_spec *s)
{
    sat_box_window window;
    const sat_box_spec box = sat_window_box(s);
    sat_status status = sat_box_window_of(&box, &window);
    if (status == SAT_OK) status = sat_check_allocator(s->allocator);
    if (status == SAT_OK) status = sat_check_reserved(s->reserved, sizeof s->reserved);
    if (status != SAT_OK) return status;
    const double least = s->min_valid;
    if (!(least >= 0 && least <= 0x1p53) || (least >= 1 && least != floor(least)))
        return sat_fail(SAT_ERR_ARGUMENT,
                        "min_valid is %.17g; a share below 1 or a whole number of samples is possible", least);
    if (s->ddof < 0) return sat_fail(SAT_ERR_ARGUMENT, "ddof is %lld; 0 or more is possible", (long long)s->ddof);
    if (s->outputs < 1 || s->outputs > SAT_OUTPUTS || s->output == NULL)
        return sat_fail(SAT_ERR_ARGUMENT, "%d outputs; 1 to %d are possible", s->outputs, SAT_OUTPUTS);
    if (s->memory != SAT_HOST && s->memory != SAT_DEVICE) return sat_fail(SAT_ERR_ARGUMENT, "unknown kind of memory");
    return SAT_OK;
}

/* nodata as backends compare it with samples. */
static sat_status take_nodata(sat_window_spec *s)
{
    if (!s->has_nodata) return SAT_OK;
    if (sat_is_float(s->sample) && isnan(s->nodata)) {
        s->has_nodata = false;
        s->skip_nan = true;
        return SAT_OK;
    }
    if (!sat_type_holds(s->sample, s->nodata))
        return sat_fail(SAT_ERR_ARGUMENT, "nodata %.17g: no sample of type %s can be that", s->nodata,
                        sat_type_name(s->sample));
    if (s->sample == SAT_F32) s->nodata = (double)(float)s->nodata;
    return SAT_OK;
}

/* The range that statistics read. */
static sat_status take_range(sat_window_spec *s)
{
    const bool is_float = sat_is_float(s->sample);
    const double most = is_float ? 1 : (double)sat_sample_max(s->sample);
    if (s->range == 0) s->range = most;
    if (is_float ? s->range > 0 && isfinite(s->range) : s->range >= 1 && s->range <= most) return SAT_OK;
    if (is_float) return sat_fail(SAT_ERR_ARGUMENT, "a range of %g; it is finite and above 0", s->range);
    return sat_fail(SAT_ERR_ARGUMENT, "a range of %.17g; of %s samples it is 1 to %.0f", s->range,
                    sat_type_name(s->sample), most);
}

/* ---- creation ------------------------------------------------------------------------------------------ */

/* What one thread does in a microsecond, in samples (docs/cpu.md). */
#define INTEGERS_PER_US 250.0
#define FLOATS_PER_US   100.0

static sat_status open_with(void *object, const sat_backend *b)
{
    sat_window *w = object;
    if (b->window_open == NULL) return sat_fail(SAT_ERR_UNAVAILABLE, "%s: has no window statistics", b->name);
    sat_status status = sat_check_memory(b->name, w->spec.memory, b->device);
    if (status != SAT_OK) return status;
    sat_window_spec spec = w->spec;
    const double samples = (double)spec.width * (double)spec.height * spec.channels;
    const double image_us = samples / (sat_is_float(spec.sample) ? FLOATS_PER_US : INTEGERS_PER_US);
    const sat_image_threads threads =
        b->device ? (sat_image_threads){1, 1} : sat_image_threads_for(spec.count, image_us, spec.threads);
    spec.threads = threads.each;
    spec.backend = b->name;
    w->backend = b;
    w->workers = threads.workers;
    w->states = sat_arena_zeros(&w->arena, (size_t)threads.workers * sizeof *w->states);
    w->counts = sat_arena_zeros(&w->arena, (size_t)threads.workers * sizeof *w->counts);
    if (w->states == NULL || w->counts == NULL) return SAT_ERR_MEMORY;
    for (int i = 0; i < threads.workers; i++) {
        status = b->window_open(&spec, &w->arena, &w->states[i], w->note, sizeof w->note);
        if (status != SAT_OK) break;
    }
    if (status == SAT_OK && b->device) status = sat_window_offload_open(&w->offload, &spec, &w->arena);
    if (status != SAT_OK) sat_arena_reset(&w->arena, w);
    return status;
}

sat_status sat_window_create_sized(sat_window **out, const sat_window_spec *given, size_t spec_bytes)
{
    sat_window_spec spec;
    if (out == NULL) return sat_fail(SAT_ERR_ARGUMENT, "window is NULL");
    *out = NULL;
    sat_status status = sat_take_struct(&spec, sizeof spec, given, spec_bytes, "spec");
    if (status != SAT_OK) return status;
    if (spec.channels == 0) spec.channels = 1;
    if (spec.count == 0) spec.count = 1;
    status = check_spec(&spec);
    if (status == SAT_OK) status = take_nodata(&spec);
    if (status == SAT_OK) status = take_range(&spec);
    if (status != SAT_OK) return status;
    sat_arena arena = {.allocator = spec.allocator};
    sat_window *w = sat_arena_zeros(&arena, sizeof *w);
    if (w == NULL) return SAT_ERR_MEMORY;
    w->arena = arena;
    for (int i = 0; i < spec.outputs && status == SAT_OK; i++)
        status = take_output(&spec, &spec.output[i], &w->output[i]);
    spec.output = w->output;
    w->spec = spec;
    sat_choice choice = {.memory = spec.memory, .device_pays = false};
    if (status == SAT_OK) status = sat_backend_choose(spec.backend, &choice, open_with, w);
    if (status == SAT_OK) {
        w->device = sat_device_ordinal(w->backend->device);
        *out = w;
    } else {
        sat_window_destroy(&w);
    }
    return status;
}

/* ---- runs ---------------------------------------------------------------------------------------------- */

static sat_status fits(const sat_window *w, const sat_view *view, int channels, sat_type type, const char *what)
{
    const sat_window_spec *s = &w->spec;
    const sat_view made = sat_packed_view(s->width, s->height, s->count, channels, type, s->memory);
    return sat_check_fit(view, &made, what, "window");
}

typedef struct images {
    sat_window *w;
    const sat_view *src, *mask, *results;
} images;

static void add_counts(sat_counts *to, const sat_counts *more)
{
    to->clipped += more->clipped;
    for (int i = 0; i < SAT_OUTPUTS; i++) to->empty[i] += more->empty[i];
}

static sat_status do_image(void *context, const sat_run *run, int64_t i, int worker)
{
    const images *b = context;
    sat_view results[SAT_OUTPUTS], src = sat_images_of(b->src, i, 1), mask = {0};
    if (b->mask) mask = sat_images_of(b->mask, i, 1);
    for (int k = 0; k < b->w->spec.outputs; k++) results[k] = sat_images_of(&b->results[k], i, 1);
    sat_counts counts = {0};
    const sat_window *w = b->w;
    sat_status status = w->backend->window_run(w->states[worker], &src, b->mask ? &mask : NULL, results, run, &counts);
    add_counts(&w->counts[worker], &counts);
    return status;
}

static sat_status run_on_host(sat_window *w, const sat_view *src, const sat_view *mask, const sat_view *results,
                              const sat_run *run)
{
    images b = {.w = w, .src = src, .mask = mask, .results = results};
    memset(w->counts, 0, (size_t)w->workers * sizeof *w->counts);
    sat_status status = sat_each_image(run, w->spec.executor, w->workers, src->count, do_image, &b);
    if (status != SAT_OK || run->counts == NULL) return status;
    for (int i = 1; i < w->workers; i++) add_counts(&w->counts[0], &w->counts[i]);
    run->counts->clipped = w->counts[0].clipped;
    memcpy(run->counts->empty, w->counts[0].empty, (size_t)w->spec.outputs * sizeof *run->counts->empty);
    return SAT_OK;
}

/* Waits for the device. */
static sat_status fetch_counts(sat_window *w)
{
    sat_counts *to = w->waited_for;
    w->waited_for = NULL;
    return to && w->backend->window_counts ? w->backend->window_counts(w->states[0], to) : SAT_OK;
}

static sat_status run_on_device(sat_window *w, const sat_view *given_src, const sat_view *given_mask,
                                const sat_view *given_results, const sat_run *run)
{
    sat_view src = *given_src, mask = {0}, results[SAT_OUTPUTS];
    sat_counts none;
    w->waited_for = run->counts;
    if (given_mask) mask = *given_mask;
    for (int i = 0; i < w->spec.outputs; i++) results[i] = given_results[i];
    sat_status status = sat_window_offload_in(&w->offload, &src, given_mask ? &mask : NULL, results, run->stream);
    if (status == SAT_OK) status = sat_run_asked(run);
    if (status == SAT_OK)
        status = w->backend->window_run(w->states[0], &src, given_mask ? &mask : NULL, results, run, &none);
    if (status == SAT_OK) status = sat_window_offload_out(&w->offload, given_results, run->stream);
    return status == SAT_OK && w->spec.memory == SAT_HOST ? fetch_counts(w) : status;
}

sat_status sat_window_run_sized(sat_window *w, const sat_view *given_src, const sat_view *given_mask,
                                const sat_view *given_results, const sat_run_options *given, size_t run_bytes)
{
    sat_run run;
    sat_control control;
    sat_view src, mask = {0}, results[SAT_OUTPUTS];
    if (w == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no window");
    if (given_results == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no results");
    if ((given_mask != NULL) != w->spec.masked)
        return sat_fail(SAT_ERR_ARGUMENT, given_mask ? "a mask; the window was not made for one"
                                                     : "no mask; the window was made for one");
    sat_status status = sat_take_run(&run, &control, given, run_bytes, false);
    if (status == SAT_OK) status = sat_take_view(&src, given_src, "source");
    if (status == SAT_OK) status = fits(w, &src, w->spec.channels, w->spec.sample, "source");
    if (status == SAT_OK) status = sat_check_strides(&src, w->spec.strided, "source");
    if (status == SAT_OK && given_mask) status = sat_take_view(&mask, given_mask, "mask");
    if (status == SAT_OK && given_mask && mask.type != SAT_U8)
        status = sat_fail(SAT_ERR_TYPE, "mask: type %s; a mask has u8, and not 0 where pixels count",
                          sat_type_name(mask.type));
    if (status == SAT_OK && given_mask) status = fits(w, &mask, 1, SAT_U8, "mask");
    if (status == SAT_OK && given_mask && mask.memory == SAT_DEVICE && !sat_is_plain(&mask))
        status = sat_fail(SAT_ERR_ARGUMENT, "mask: in device memory, a mask has rows top to bottom, without gaps");
    if (status == SAT_OK && given_mask && mask.count != src.count)
        status = sat_fail(SAT_ERR_SHAPE, "mask: %lld images for %lld", (long long)mask.count, (long long)src.count);
    for (int i = 0; i < w->spec.outputs && status == SAT_OK; i++) {
        status = sat_take_output(&results[i], &given_results[i], "result");
        if (status == SAT_OK) status = fits(w, &results[i], w->spec.channels, w->output[i].result, "result");
        if (status == SAT_OK && results[i].count != src.count)
            status = sat_fail(SAT_ERR_SHAPE, "result: %lld images for %lld", (long long)results[i].count,
                              (long long)src.count);
        if (status == SAT_OK && (sat_overlap(&src, &results[i]) || (given_mask && sat_overlap(&mask, &results[i]))))
            status = sat_fail(SAT_ERR_ARGUMENT, "a result overlaps the source or the mask");
        for (int k = 0; k < i && status == SAT_OK; k++)
            if (sat_overlap(&results[k], &results[i]))
                status = sat_fail(SAT_ERR_ARGUMENT, "results %d and %d overlap", k, i);
    }
    if (status == SAT_OK) status = sat_run_asked(&run);
    if (status != SAT_OK) return status;
    const sat_view *counting = given_mask ? &mask : NULL;
    return w->backend->device ? run_on_device(w, &src, counting, results, &run)
                              : run_on_host(w, &src, counting, results, &run);
}

sat_status sat_window_wait(sat_window *w, void *stream)
{
    if (w == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no window");
    if (w->spec.memory == SAT_HOST) return SAT_OK;
    sat_status status = sat_device_wait(stream);
    return status == SAT_OK ? fetch_counts(w) : status;
}

sat_type sat_window_result(const sat_window *window, int i)
{
    return window && i >= 0 && i < window->spec.outputs ? window->output[i].result : SAT_TYPE_NONE;
}

const char *sat_window_backend(const sat_window *window)
{
    return window ? window->backend->name : "";
}

const char *sat_window_note(const sat_window *window)
{
    return window ? window->note : "";
}

int sat_window_device(const sat_window *window)
{
    return window ? window->device : -1;
}

void sat_window_destroy(sat_window **window)
{
    if (window == NULL || *window == NULL) return;
    sat_arena arena = (*window)->arena;
    sat_arena_reset(&arena, NULL);
    *window = NULL;
}
