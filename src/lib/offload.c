/* offload.c - device memory between a caller's views and a device's code. */
#include "offload.h"
#include "shape.h"
#include "status.h"

static sat_status make(sat_view *made, const sat_view *shape, sat_arena *arena)
{
    *made = sat_packed_view(shape->width, shape->height, shape->count, shape->channels, shape->type, SAT_DEVICE);
    return sat_arena_view(arena, made);
}

sat_status sat_offload_open(sat_offload *o, const sat_view *in, const sat_view *out, sat_arena *arena)
{
    *o = (sat_offload){0};
    sat_status status = make(&o->in, in, arena);
    if (status == SAT_OK && out) status = make(&o->out, out, arena);
    /* All of it is copied to the host, also what a ceiling leaves unwritten: never what another program left there. */
    if (status == SAT_OK && out) status = sat_device_fill(o->out.data, 0, sat_extent(&o->out), NULL);
    return status == SAT_OK && out ? sat_device_wait(NULL) : status;
}

/* A view of that shape in the memory that was made. */
static sat_view there(const sat_view *made, const sat_view *like)
{
    sat_view v = sat_packed_view(like->width, like->height, like->count, like->channels, like->type, SAT_DEVICE);
    v.data = made->data;
    return v;
}

sat_status sat_offload_run(const sat_offload *o, const sat_view *in, const sat_view *out, const sat_run *run,
                           sat_offload_job *job, void *context)
{
    sat_status status = SAT_OK;
    const bool host = out->memory == SAT_HOST, copies = host || !sat_is_plain(in);
    const sat_view device_in = copies ? there(&o->in, in) : *in, device_out = host ? there(&o->out, out) : *out;
    if (copies) status = sat_device_copy(in, &device_in, run->stream);
    if (status == SAT_OK) status = sat_run_asked(run);
    if (status == SAT_OK) status = job(context, &device_in, &device_out, run);
    return status == SAT_OK && host ? sat_device_copy(&device_out, out, run->stream) : status;
}
