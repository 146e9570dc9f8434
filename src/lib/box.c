/* box.c - a box filter: the spec checked, a backend chosen, its state kept.
 *
 * A backend on a device filters views in its memory.  Views in host memory are copied there and back, whole: a job for
 * those who name such a backend, as none is chosen for them by default. */
#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "device.h"
#include "images.h"
#include "offload.h"
#include "shape.h"
#include "sized.h"
#include "window.h"

struct sat_box {
    sat_arena arena; /* the filter and all that it holds */
    sat_box_spec spec;
    const sat_backend *backend;
    sat_status (*run)(void *state, const sat_view *src, const sat_view *dst, const sat_run *run);
    void **states;       /* one for each image that is worked on at a time */
    int workers, device; /* device: -1: none */
    sat_offload offload; /* to a backend on a device */
    char note[256];
};

static sat_status open_tables(sat_box *box, const sat_box_spec *spec, void **state)
{
    box->run = sat_box_tables_run;
    return sat_box_tables_open(spec, box->backend, &box->arena, state, box->note, sizeof box->note);
}

/* A filter of its own may refuse what tables can do. */
static sat_status open_filter(sat_box *box, const sat_box_spec *spec, void **state)
{
    if (box->backend->box_open == NULL) return open_tables(box, spec, state);
    box->run = box->backend->box_run;
    sat_status status = box->backend->box_open(spec, &box->arena, state, box->note, sizeof box->note);
    if (status != SAT_ERR_UNAVAILABLE || !box->backend->device) return status;
    sat_arena_reset(&box->arena, box->states);
    return open_tables(box, spec, state);
}

/* What one thread filters in a microsecond, in samples (docs/cpu.md). */
#define INTEGERS_PER_US 1400.0
#define FLOATS_PER_US   600.0

static sat_status open_states(sat_box *box)
{
    sat_box_spec spec = box->spec;
    double samples = (double)spec.width * (double)spec.height * spec.channels;
    double image_us = samples / (sat_is_float(spec.sample) ? FLOATS_PER_US : INTEGERS_PER_US);
    sat_image_threads threads = {1, spec.threads};
    if (!box->backend->device) threads = sat_image_threads_for(spec.count, image_us, spec.threads);
    spec.threads = threads.each;
    box->states = sat_arena_zeros(&box->arena, (size_t)threads.workers * sizeof *box->states);
    if (box->states == NULL) return SAT_ERR_MEMORY;
    sat_status status = SAT_OK;
    for (; box->workers < threads.workers; box->workers++) {
        status = open_filter(box, &spec, &box->states[box->workers]);
        if (status != SAT_OK) return status;
    }
    size_t used = strlen(box->note);
    if (threads.workers > 1)
        snprintf(box->note + used, sizeof box->note - used, "; %d images at a time", threads.workers);
    return SAT_OK;
}

static void close_states(sat_box *box)
{
    while (box->workers > 0) {
        void *state = box->states[--box->workers];
        if (box->run == sat_box_tables_run) sat_box_tables_close(state);
    }
}

static sat_status open_with(void *object, const sat_backend *b)
{
    sat_box *box = object;
    if (b->kind >= SAT_CEILING) return sat_fail(SAT_ERR_UNAVAILABLE, "%s: sums nothing and filters nothing", b->name);
    sat_status status = sat_check_memory(b->name, box->spec.memory, b->device);
    if (status != SAT_OK) return status;
    box->backend = b;
    box->spec.backend = b->name;
    status = open_states(box);
    const sat_box_spec *s = &box->spec;
    sat_view images = sat_packed_view(s->width, s->height, s->count, s->channels, s->sample, SAT_DEVICE);
    sat_view results = sat_packed_view(s->width, s->height, s->count, s->channels, s->result, SAT_DEVICE);
    const bool host = s->memory == SAT_HOST;
    if (status == SAT_OK && b->device && (host || s->strided))
        status = sat_offload_open(&box->offload, &images, host ? &results : NULL, &box->arena);
    if (status != SAT_OK) {
        close_states(box);
        sat_arena_reset(&box->arena, box);
    }
    return status;
}

sat_status sat_box_create_sized(sat_box **out, const sat_box_spec *given, size_t spec_bytes)
{
    sat_box_spec spec;
    sat_box_window window;
    if (out == NULL) return sat_fail(SAT_ERR_ARGUMENT, "box is NULL");
    *out = NULL;
    sat_status status = sat_take_struct(&spec, sizeof spec, given, spec_bytes, "spec");
    if (status != SAT_OK) return status;
    if (spec.channels == 0) spec.channels = 1;
    if (spec.count == 0) spec.count = 1;
    status = sat_box_window_of(&spec, &window);
    if (spec.result == SAT_TYPE_NONE) spec.result = spec.sample;
    if (status == SAT_OK) status = sat_check_allocator(spec.allocator);
    if (status == SAT_OK && spec.memory != SAT_HOST && spec.memory != SAT_DEVICE)
        status = sat_fail(SAT_ERR_ARGUMENT, "unknown kind of memory");
    if (status != SAT_OK) return status;
    sat_arena arena = {.allocator = spec.allocator};
    sat_box *box = sat_arena_zeros(&arena, sizeof *box);
    if (box == NULL) return SAT_ERR_MEMORY;
    box->arena = arena;
    box->spec = spec;
    /* No device unless it is named: host images are copied there and back, whole, and a filter that reads and writes
     * each sample once is rarely slow beside that. */
    sat_choice choice = {.memory = spec.memory, .device_pays = false};
    status = sat_backend_choose(spec.backend, &choice, open_with, box);
    if (status == SAT_OK) {
        box->device = sat_device_ordinal(box->backend->device);
        *out = box;
    } else {
        sat_box_destroy(&box);
    }
    return status;
}

static sat_status fits(const sat_box_spec *s, const sat_view *view, sat_type type, const char *what)
{
    const sat_view made = sat_packed_view(s->width, s->height, s->count, s->channels, type, s->memory);
    return sat_check_fit(view, &made, what, "box filter");
}

typedef struct images {
    sat_box *box;
    const sat_view *src, *dst;
} images;

static sat_status filter_image(void *context, const sat_run *run, int64_t i, int worker)
{
    const images *b = context;
    sat_view src = sat_images_of(b->src, i, 1), dst = sat_images_of(b->dst, i, 1);
    return b->box->run(b->box->states[worker], &src, &dst, run);
}

/* Views that the backend takes: a device's filter takes all images, a host's some at a time. */
static sat_status filter_images(void *context, const sat_view *src, const sat_view *dst, const sat_run *run)
{
    sat_box *box = context;
    images b = {box, src, dst};
    if (box->backend->device && box->run != sat_box_tables_run) return box->run(box->states[0], src, dst, run);
    return sat_each_image(run, box->spec.executor, box->workers, src->count, filter_image, &b);
}

sat_status sat_box_run_sized(sat_box *box, const sat_view *given_src, const sat_view *given_dst,
                             const sat_run_options *given, size_t run_bytes)
{
    sat_run run;
    sat_control control;
    sat_view src, dst;
    if (box == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no box filter");
    sat_status status = sat_take_run(&run, &control, given, run_bytes, false);
    if (status == SAT_OK) status = sat_take_view(&src, given_src, "source");
    if (status == SAT_OK) status = sat_take_output(&dst, given_dst, "result");
    if (status == SAT_OK) status = fits(&box->spec, &src, box->spec.sample, "source");
    if (status == SAT_OK) status = sat_check_strides(&src, box->spec.strided, "source");
    if (status == SAT_OK) status = fits(&box->spec, &dst, box->spec.result, "result");
    if (status == SAT_OK && src.count != dst.count)
        status = sat_fail(SAT_ERR_SHAPE, "result: %lld images for %lld", (long long)dst.count, (long long)src.count);
    if (status == SAT_OK && sat_overlap(&src, &dst)) status = sat_fail(SAT_ERR_ARGUMENT, "source and result overlap");
    if (status == SAT_OK) status = sat_run_asked(&run);
    if (status == SAT_OK && box->run == sat_box_tables_run && src.memory == SAT_HOST)
        status = sat_box_tables_check(&src, &run);
    if (status != SAT_OK) return status;
    if (!box->backend->device) return filter_images(box, &src, &dst, &run);
    return sat_offload_run(&box->offload, &src, &dst, &run, filter_images, box);
}

const char *sat_box_backend(const sat_box *box)
{
    return box ? box->backend->name : "";
}

const char *sat_box_note(const sat_box *box)
{
    return box ? box->note : "";
}

int sat_box_device(const sat_box *box)
{
    return box ? box->device : -1;
}

void sat_box_destroy(sat_box **box)
{
    if (box == NULL || *box == NULL) return;
    close_states(*box);
    sat_arena arena = (*box)->arena;
    sat_arena_reset(&arena, NULL);
    *box = NULL;
}
