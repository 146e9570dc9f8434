/* offload.c - device memory between a caller's views and a device's code. */
#include "offload.h"
#include "shape.h"
#include "status.h"

struct sat_offload {
    sat_view src, mask, results[SAT_OUTPUTS]; /* device memory without gaps; data NULL: none */
};

static sat_status make(sat_view *made, const sat_view *shape, sat_arena *arena)
{
    *made = sat_packed_view(shape->width, shape->height, shape->count, shape->channels, shape->type, SAT_DEVICE);
    return sat_arena_view(arena, made);
}

sat_status sat_offload_open(sat_offload **out, const sat_views *v, sat_arena *arena)
{
    *out = NULL;
    sat_offload *o = sat_arena_zeros(arena, sizeof *o);
    if (o == NULL) return SAT_ERR_MEMORY;
    sat_status status = make(&o->src, v->src, arena);
    if (status == SAT_OK && v->mask) status = make(&o->mask, v->mask, arena);
    for (int i = 0; i < v->n && status == SAT_OK; i++) {
        status = make(&o->results[i], &v->results[i], arena);
        /* All of it is copied to the host, also what a ceiling leaves unwritten: never what another program left. */
        if (status == SAT_OK) status = sat_device_fill(o->results[i].data, 0, sat_extent(&o->results[i]), NULL);
    }
    if (status == SAT_OK && v->n > 0) status = sat_device_wait(NULL);
    if (status == SAT_OK) *out = o;
    return status;
}

/* A view of that shape in the memory that was made. */
static sat_view there(const sat_view *made, const sat_view *like)
{
    sat_view v = sat_packed_view(like->width, like->height, like->count, like->channels, like->type, SAT_DEVICE);
    v.data = made->data;
    return v;
}

/* Makes *view what the device's code is given in its place. */
static sat_status bring(const sat_view *made, sat_view *view, void *stream)
{
    if (made->data == NULL || (view->memory == SAT_DEVICE && sat_is_plain(view))) return SAT_OK;
    const sat_view from = *view;
    *view = there(made, view);
    return sat_device_copy(&from, view, stream);
}

sat_status sat_offload_run(const sat_offload *o, const sat_views *given, const sat_run *run, sat_offload_job *job,
                           void *context)
{
    sat_view src = *given->src, mask, results[SAT_OUTPUTS];
    const sat_views device = {&src, given->mask ? &mask : NULL, results, given->n};
    sat_status status = o ? bring(&o->src, &src, run->stream) : SAT_OK;
    if (given->mask) mask = *given->mask;
    if (status == SAT_OK && o && given->mask) status = bring(&o->mask, &mask, run->stream);
    for (int i = 0; i < given->n; i++)
        results[i] = o && o->results[i].data ? there(&o->results[i], &given->results[i]) : given->results[i];
    if (status == SAT_OK) status = sat_run_asked(run);
    if (status == SAT_OK) status = job(context, &device, run);
    for (int i = 0; i < given->n && status == SAT_OK; i++)
        if (o && o->results[i].data) status = sat_device_copy(&results[i], &given->results[i], run->stream);
    return status;
}
