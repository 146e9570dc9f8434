/* staging.c - device memory that stands for host arrays. */
#include "staging.h"
#include "backend.h"
#include "shape.h"

static size_t bytes_of(const sat_view *v)
{
    size_t row = sat_row_bytes(v->width, v->channels, v->type), bytes;
    return sat_mul(row, (size_t)v->height, &bytes) && sat_mul(bytes, (size_t)v->count, &bytes) ? bytes : 0;
}

static sat_status make(void **memory, const sat_view *v)
{
    size_t bytes = bytes_of(v);
    if (bytes == 0)
        return sat_fail(SAT_ERR_SHAPE, "%lldx%lld is larger than the address space", (long long)v->width,
                        (long long)v->height);
    return sat_device_alloc(memory, bytes);
}

/* All of it is copied to the host, also what a ceiling leaves unwritten: never what another program left there. */
static sat_status make_result(void **memory, const sat_view *v)
{
    sat_status status = make(memory, v);
    if (status == SAT_OK) status = sat_device_fill(*memory, 0, bytes_of(v), NULL);
    return status;
}

sat_status sat_staging_open(sat_staging *s, const sat_view *in, const sat_view *out)
{
    *s = (sat_staging){0};
    sat_status status = make(&s->in, in);
    if (status == SAT_OK) status = make_result(&s->out, out);
    if (status == SAT_OK) status = sat_device_wait(NULL);
    if (status != SAT_OK) sat_staging_close(s);
    return status;
}

void sat_staging_close(sat_staging *s)
{
    sat_device_free(s->in);
    sat_device_free(s->out);
    *s = (sat_staging){0};
}

sat_view sat_staged(const sat_view *host, void *memory)
{
    sat_view v = sat_packed_view(host->width, host->height, host->count, host->channels, host->type, SAT_DEVICE);
    v.data = memory;
    return v;
}
