/* box.c - a box filter: the spec checked, a backend chosen, its state kept.
 *
 * A backend on a device filters views in its memory.  Views in host memory are copied there and back, whole: a job for
 * those who name such a backend, as none is chosen for them by default. */
#include <stdlib.h>

#include "backend.h"
#include "sized.h"
#include "staging.h"
#include "window.h"

struct sat_box {
    sat_box_spec spec;
    const sat_backend *backend;
    sat_status (*run)(void *state, const sat_view *src, const sat_view *dst, void *stream);
    void (*close)(void *state);
    void *state;
    bool staged; /* host views, and a backend on a device */
    sat_staging staging;
    char note[256];
};

static sat_status open_tables(sat_box *box)
{
    box->run = sat_box_tables_run;
    box->close = sat_box_tables_close;
    return sat_box_tables_open(&box->spec, box->backend, &box->state, box->note, sizeof box->note);
}

/* A filter of its own may refuse what tables can do. */
static sat_status open_filter(sat_box *box)
{
    if (box->backend->box_open == NULL) return open_tables(box);
    box->run = box->backend->box_run;
    box->close = box->backend->box_close;
    sat_status status = box->backend->box_open(&box->spec, &box->state, box->note, sizeof box->note);
    return status == SAT_ERR_UNAVAILABLE && box->backend->device ? open_tables(box) : status;
}

static void close_filter(sat_box *box)
{
    if (box->state) box->close(box->state);
    box->state = NULL;
    sat_staging_close(&box->staging);
}

static sat_status open_with(void *object, const sat_backend *b)
{
    sat_box *box = object;
    if (b->kind >= SAT_CEILING) return sat_fail(SAT_ERR_UNAVAILABLE, "%s: sums nothing and filters nothing", b->name);
    sat_status status = sat_check_memory(b->name, box->spec.memory, b->device);
    if (status != SAT_OK) return status;
    box->backend = b;
    box->spec.backend = b->name;
    box->staged = b->device && box->spec.memory == SAT_HOST;
    status = open_filter(box);
    if (status == SAT_OK && box->staged) {
        const sat_box_spec *s = &box->spec;
        sat_view image = {.width = s->width, .height = s->height, .channels = s->channels, .type = s->sample};
        status = sat_staging_open(&box->staging, &image, &image);
    }
    if (status != SAT_OK) close_filter(box);
    return status;
}

sat_status sat_box_create_sized(sat_box **out, const sat_box_spec *given, size_t spec_bytes)
{
    sat_box_spec spec;
    sat_window window;
    if (out == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no place for the box filter");
    *out = NULL;
    sat_status status = sat_take_struct(&spec, sizeof spec, given, spec_bytes, "spec");
    if (status != SAT_OK) return status;
    if (spec.channels == 0) spec.channels = 1;
    status = sat_window_of(&spec, &window);
    if (status == SAT_OK && spec.memory != SAT_HOST && spec.memory != SAT_DEVICE)
        status = sat_fail(SAT_ERR_ARGUMENT, "unknown kind of memory");
    if (status != SAT_OK) return status;
    sat_box *box = calloc(1, sizeof *box);
    if (box == NULL) return sat_fail(SAT_ERR_MEMORY, "out of memory for a box filter");
    box->spec = spec;
    /* No device unless it is named: host images are copied there and back, whole, and a filter that reads and writes
     * each sample once is rarely slow beside that. */
    sat_choice choice = {.memory = spec.memory, .device_pays = false};
    status = sat_backend_choose(spec.backend, &choice, open_with, box);
    if (status != SAT_OK) {
        free(box);
        return status;
    }
    *out = box;
    return SAT_OK;
}

static sat_status fits(const sat_box_spec *s, const sat_view *view, const char *what)
{
    sat_status status = sat_check_view(view, what);
    if (status != SAT_OK) return status;
    if (view->memory != s->memory)
        return sat_fail(SAT_ERR_ARGUMENT, "%s: lies in %s memory where the filter was made for views in %s memory",
                        what, view->memory == SAT_DEVICE ? "device" : "host",
                        s->memory == SAT_DEVICE ? "device" : "host");
    if (view->width != s->width || view->height != s->height || view->channels != s->channels)
        return sat_fail(SAT_ERR_SHAPE, "%s: %lldx%lld with %d channels where the filter has %lldx%lld with %d", what,
                        (long long)view->width, (long long)view->height, view->channels, (long long)s->width,
                        (long long)s->height, s->channels);
    if (view->type != s->sample)
        return sat_fail(SAT_ERR_TYPE, "%s: samples of %s where the filter has %s", what, sat_type_name(view->type),
                        sat_type_name(s->sample));
    return SAT_OK;
}

sat_status sat_box_run(sat_box *box, const sat_view *src, const sat_view *dst, void *stream)
{
    if (box == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no box filter");
    sat_status status = fits(&box->spec, src, "source");
    if (status == SAT_OK) status = fits(&box->spec, dst, "result");
    if (status == SAT_OK && sat_overlap(src, dst)) status = sat_fail(SAT_ERR_ARGUMENT, "source and result overlap");
    if (status == SAT_OK && box->run == sat_box_tables_run && src->memory == SAT_HOST)
        status = sat_box_tables_check(src);
    if (status != SAT_OK || !box->staged) return status == SAT_OK ? box->run(box->state, src, dst, stream) : status;
    sat_view image = sat_staged(src, box->staging.in), mean = sat_staged(dst, box->staging.out);
    status = sat_device_copy(src, &image, stream);
    if (status == SAT_OK) status = box->run(box->state, &image, &mean, stream);
    return status == SAT_OK ? sat_device_copy(&mean, dst, stream) : status;
}

const char *sat_box_note(const sat_box *box)
{
    return box ? box->note : "";
}

void sat_box_destroy(sat_box **box)
{
    if (box == NULL || *box == NULL) return;
    close_filter(*box);
    free(*box);
    *box = NULL;
}
