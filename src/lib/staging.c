/* staging.c - device memory that stands for host arrays. */
#include "staging.h"
#include "backend.h"
#include "shape.h"

static sat_status make(void **memory, const sat_view *v)
{
    size_t bytes;
    if (!sat_mul(sat_row_bytes(v->width, v->channels, v->type), (size_t)v->height, &bytes))
        return sat_fail(SAT_ERR_SHAPE, "%lldx%lld is larger than the address space", (long long)v->width,
                        (long long)v->height);
    return sat_device_alloc(memory, bytes);
}

sat_status sat_staging_open(sat_staging *s, const sat_view *image, const sat_view *table, const sat_view *carry)
{
    *s = (sat_staging){0};
    sat_status status = make(&s->image, image);
    if (status == SAT_OK) status = make(&s->table, table);
    /* All of it is copied to the host, also what a ceiling leaves unwritten: never what another program left there. */
    if (status == SAT_OK)
        status = sat_device_fill(
            s->table, 0, sat_row_bytes(table->width, table->channels, table->type) * (size_t)table->height, NULL);
    if (status == SAT_OK) status = sat_device_wait(NULL);
    if (status == SAT_OK && carry) status = make(&s->carry, carry);
    if (status != SAT_OK) sat_staging_close(s);
    return status;
}

void sat_staging_close(sat_staging *s)
{
    sat_device_free(s->image);
    sat_device_free(s->table);
    sat_device_free(s->carry);
    *s = (sat_staging){0};
}

sat_view sat_staged(const sat_view *host, void *memory)
{
    sat_view v = *host;
    v.data = memory;
    v.row_bytes = sat_row_bytes(v.width, v.channels, v.type);
    v.memory = SAT_DEVICE;
    return v;
}
