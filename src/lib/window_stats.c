/* window_stats.c - window statistics: the spec checked, a backend chosen, its state kept. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "device.h"
#include "images.h"
#include "pool.h"
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
    void **states;    /* one for each image that is worked on at a time */
    int64_t *clipped; /* by each of them, in a run */
    int64_t *empty;   /* likewise, SAT_OUTPUTS each */
    int workers;
    int64_t clipped_in_run; /* on the host */
    bool ran;
    void *stream;               /* of the last run */
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

static sat_type default_result(const sat_window_spec *s, const sat_window_output *o)
{
    if (o->compare) return SAT_U8;
    return s->sample == SAT_F64 || s->sample == SAT_U32 || s->sample == SAT_I32 ? SAT_F64 : SAT_F32;
}

static sat_status take_output(const sat_window_spec *s, const sat_window_output *given, sat_window_output *o)
{
    *o = *given;
    const sat_statistic *statistic = sat_statistic_get(sat_statistic_find(o->statistic));
    if (statistic == NULL)
        return sat_fail(SAT_ERR_ARGUMENT, "no statistic is called '%s'", o->statistic ? o->statistic : "");
    o->statistic = statistic->info.name; /* the caller's may go */
    if (o->result == SAT_TYPE_NONE) o->result = default_result(s, o);
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
    if (status == SAT_OK) status = sat_check_reserved(&s->reserved_word, sizeof s->reserved_word);
    if (status != SAT_OK) return status;
    const double least = s->min_valid;
    if (!(least >= 0 && least <= 0x1p53) || (least >= 1 && least != floor(least)))
        return sat_fail(SAT_ERR_ARGUMENT,
                        "min_valid is %.17g; a share below 1 or a whole number of samples is possible", least);
    if (s->ddof < 0) return sat_fail(SAT_ERR_ARGUMENT, "a ddof of %d; it is 0 or more", s->ddof);
    if (s->outputs < 1 || s->outputs > SAT_OUTPUTS || s->output == NULL)
        return sat_fail(SAT_ERR_ARGUMENT, "%d outputs; 1 to %d are possible", s->outputs, SAT_OUTPUTS);
    if (s->memory != SAT_HOST && s->memory != SAT_DEVICE) return sat_fail(SAT_ERR_ARGUMENT, "unknown kind of memory");
    return SAT_OK;
}

/* Can a sample of the type have that value, rounded to it if the type is a float's? */
static bool is_sample(double value, sat_type type)
{
    if (type == SAT_F64) return true;
    if (type == SAT_F32) return isinf(value) || fabs(value) < 0x1.ffffffp127; /* nearer to the largest than to 2^128 */
    const double most = (double)sat_sample_max(type);
    const bool is_signed = type == SAT_I8 || type == SAT_I16 || type == SAT_I32;
    return value >= (is_signed ? -most - 1 : 0) && value <= most && value == floor(value);
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
    if (!is_sample(s->nodata, s->sample))
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
    w->clipped = sat_arena_zeros(&w->arena, (size_t)threads.workers * sizeof *w->clipped);
    w->empty = sat_arena_zeros(&w->arena, (size_t)threads.workers * SAT_OUTPUTS * sizeof *w->empty);
    if (w->states == NULL || w->clipped == NULL || w->empty == NULL) return SAT_ERR_MEMORY;
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
    if (out == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no place for the window");
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
    if (status == SAT_OK)
        *out = w;
    else
        sat_window_destroy(&w);
    return status;
}

/* ---- runs ---------------------------------------------------------------------------------------------- */

static sat_status fits(const sat_window *w, const sat_view *view, int channels, sat_type type, const char *what)
{
    const sat_window_spec *s = &w->spec;
    if (view->memory != s->memory)
        return sat_fail(SAT_ERR_ARGUMENT, "%s: lies in another kind of memory than the window was made for", what);
    if (view->width != s->width || view->height != s->height || view->channels != channels)
        return sat_fail(SAT_ERR_SHAPE, "%s: %lldx%lld with %d channels where the window has %lldx%lld with %d", what,
                        (long long)view->width, (long long)view->height, view->channels, (long long)s->width,
                        (long long)s->height, channels);
    if (view->count > s->count)
        return sat_fail(SAT_ERR_SHAPE, "%s: %lld images, more than the window's %lld", what, (long long)view->count,
                        (long long)s->count);
    if (view->type != type)
        return sat_fail(SAT_ERR_TYPE, "%s: samples of %s where the window has %s", what, sat_type_name(view->type),
                        sat_type_name(type));
    return SAT_OK;
}

typedef struct images {
    sat_window *w;
    const sat_view *src, *mask, *results;
} images;

static sat_status do_image(void *context, int64_t i, int worker)
{
    const images *b = context;
    sat_view results[SAT_OUTPUTS], src = sat_images_of(b->src, i, 1), mask = {0};
    if (b->mask) mask = sat_images_of(b->mask, i, 1);
    for (int k = 0; k < b->w->spec.outputs; k++) results[k] = sat_images_of(&b->results[k], i, 1);
    int64_t clipped = 0;
    const sat_window *w = b->w;
    void *state = w->states[worker];
    sat_status status = w->backend->window_run(state, &src, b->mask ? &mask : NULL, results, NULL, &clipped);
    w->clipped[worker] += clipped;
    for (int k = 0; w->backend->window_empty && k < w->spec.outputs; k++)
        w->empty[worker * SAT_OUTPUTS + k] += w->backend->window_empty(state, k);
    return status;
}

static sat_status run_on_host(sat_window *w, const sat_view *src, const sat_view *mask, const sat_view *results)
{
    images b = {.w = w, .src = src, .mask = mask, .results = results};
    memset(w->clipped, 0, (size_t)w->workers * sizeof *w->clipped);
    memset(w->empty, 0, (size_t)w->workers * SAT_OUTPUTS * sizeof *w->empty);
    sat_status status = sat_each_image(w->spec.executor, w->workers, src->count, do_image, &b);
    w->clipped_in_run = 0;
    for (int i = 0; i < w->workers; i++) w->clipped_in_run += w->clipped[i];
    return status;
}

static sat_status run_on_device(sat_window *w, const sat_view *given_src, const sat_view *given_mask,
                                const sat_view *given_results, void *stream)
{
    sat_view src = *given_src, mask = {0}, results[SAT_OUTPUTS];
    int64_t clipped;
    if (given_mask) mask = *given_mask;
    for (int i = 0; i < w->spec.outputs; i++) results[i] = given_results[i];
    sat_status status = sat_window_offload_in(&w->offload, &src, given_mask ? &mask : NULL, results, stream);
    if (status == SAT_OK)
        status = w->backend->window_run(w->states[0], &src, given_mask ? &mask : NULL, results, stream, &clipped);
    return status == SAT_OK ? sat_window_offload_out(&w->offload, given_results, stream) : status;
}

sat_status sat_window_run(sat_window *w, const sat_view *given_src, const sat_view *given_mask,
                          const sat_view *given_results, void *stream)
{
    sat_view src, mask = {0}, results[SAT_OUTPUTS];
    if (w == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no window");
    if (given_results == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no results");
    if ((given_mask != NULL) != w->spec.masked)
        return sat_fail(SAT_ERR_ARGUMENT, given_mask ? "a mask; the window was not made for one"
                                                     : "no mask; the window was made for one");
    sat_status status = sat_take_view(&src, given_src, "source");
    if (status == SAT_OK) status = fits(w, &src, w->spec.channels, w->spec.sample, "source");
    if (status == SAT_OK) status = sat_check_strides(&src, w->spec.strided, "source");
    if (status == SAT_OK && given_mask) status = sat_take_view(&mask, given_mask, "mask");
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
    if (status != SAT_OK) return status;
    w->ran = true;
    w->stream = stream;
    const sat_view *counting = given_mask ? &mask : NULL;
    return w->backend->device ? run_on_device(w, &src, counting, results, stream)
                              : run_on_host(w, &src, counting, results);
}

int64_t sat_window_clipped(const sat_window *window)
{
    int64_t clipped;
    if (window == NULL || !window->ran) return 0;
    if (!window->backend->device) return window->clipped_in_run;
    const sat_device *device;
    sat_status status = sat_device_need(&device);
    if (status == SAT_OK) status = sat_device_may_wait(device, window->stream);
    if (status == SAT_OK) status = window->backend->window_clipped(window->states[0], &clipped);
    return status == SAT_OK ? clipped : -1;
}

int64_t sat_window_empty(const sat_window *window, int i)
{
    int64_t empty = 0;
    if (window == NULL || i < 0 || i >= window->spec.outputs || window->backend->window_empty == NULL) return -1;
    for (int k = 0; k < window->workers; k++) empty += window->empty[k * SAT_OUTPUTS + i];
    return empty;
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

void sat_window_destroy(sat_window **window)
{
    if (window == NULL || *window == NULL) return;
    sat_arena arena = (*window)->arena;
    sat_arena_reset(&arena, NULL);
    *window = NULL;
}
