/* window_offload.c - device memory between a caller's views and a device's window statistics. */
#include "window_offload.h"
#include "shape.h"

static sat_status make(sat_view *made, const sat_window_spec *s, int channels, sat_type type, sat_arena *arena)
{
    *made = sat_packed_view(s->width, s->height, s->count, channels, type, SAT_DEVICE);
    return sat_arena_view(arena, made);
}

sat_status sat_window_offload_open(sat_window_offload *o, const sat_window_spec *spec, sat_arena *arena)
{
    *o = (sat_window_offload){.outputs = spec->outputs};
    const bool host = spec->memory == SAT_HOST;
    sat_status status = SAT_OK;
    if (host || spec->strided) status = make(&o->src, spec, spec->channels, spec->sample, arena);
    if (status == SAT_OK && host && spec->masked) status = make(&o->mask, spec, 1, SAT_U8, arena);
    for (int i = 0; host && i < spec->outputs && status == SAT_OK; i++)
        status = make(&o->results[i], spec, spec->channels, spec->output[i].result, arena);
    return status;
}

/* A view of that shape in the memory that was made. */
static sat_view there(const sat_view *made, const sat_view *like)
{
    sat_view v = sat_packed_view(like->width, like->height, like->count, like->channels, like->type, SAT_DEVICE);
    v.data = made->data;
    return v;
}

static sat_status bring(const sat_view *made, sat_view *view, void *stream)
{
    if (made->data == NULL || (view->memory == SAT_DEVICE && sat_is_plain(view))) return SAT_OK;
    const sat_view from = *view;
    *view = there(made, view);
    return sat_device_copy(&from, view, stream);
}

sat_status sat_window_offload_in(const sat_window_offload *o, sat_view *src, sat_view *mask, sat_view *results,
                                 void *stream)
{
    sat_status status = bring(&o->src, src, stream);
    if (status == SAT_OK && mask) status = bring(&o->mask, mask, stream);
    for (int i = 0; i < o->outputs; i++)
        if (o->results[i].data) results[i] = there(&o->results[i], &results[i]);
    return status;
}

sat_status sat_window_offload_out(const sat_window_offload *o, const sat_view *results, void *stream)
{
    sat_status status = SAT_OK;
    for (int i = 0; i < o->outputs && status == SAT_OK; i++) {
        if (o->results[i].data == NULL) continue;
        const sat_view from = there(&o->results[i], &results[i]);
        status = sat_device_copy(&from, &results[i], stream);
    }
    return status;
}
