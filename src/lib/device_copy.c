/* device_copy.c - copies between two views, one of which lies on a device. */
#include <stdlib.h>

#include "device.h"
#include "host_copy.h"
#include "pool.h"
#include "shape.h"
#include "status.h"

/* Host memory for a view without gaps. */
static sat_status stage(const sat_view *like, sat_view *staged)
{
    *staged = sat_packed_view(like->width, like->height, like->count, like->channels, like->type, SAT_HOST);
    if (posix_memalign(&staged->data, 64, sat_extent(staged)) == 0) return SAT_OK;
    staged->data = NULL;
    return sat_fail(SAT_ERR_MEMORY, "%zu bytes of host memory for a view without gaps could not be allocated",
                    sat_extent(staged));
}

/* Copy engines move rows without gaps: others are gathered, or scattered, in host memory. */
static sat_status copy(const sat_device *device, const sat_view *from, const sat_view *to, void *stream)
{
    const bool out = from->memory == SAT_HOST && !sat_is_plain(from), in = to->memory == SAT_HOST && !sat_is_plain(to);
    sat_view staged = {0};
    if (!out && !in) return device->copy(from, to, stream);
    sat_status status = stage(from, &staged);
    const int threads = sat_copy_threads(status == SAT_OK ? sat_extent(&staged) : 0, sat_processors());
    if (status == SAT_OK && out) sat_host_copy(&staged, from, NULL, threads, false);
    if (status == SAT_OK) status = device->copy(out ? &staged : from, in ? &staged : to, stream);
    if (status == SAT_OK && in) sat_host_copy(to, &staged, NULL, threads, false);
    free(staged.data);
    return status;
}

sat_status sat_device_copy(const sat_view *given_from, const sat_view *given_to, void *stream)
{
    const sat_device *device;
    sat_view from, to;
    sat_status status = sat_take_view(&from, given_from, "source");
    if (status == SAT_OK) status = sat_take_output(&to, given_to, "copy");
    if (status != SAT_OK) return status;
    if (from.width != to.width || from.height != to.height || from.channels != to.channels || from.count != to.count)
        return sat_fail(SAT_ERR_SHAPE,
                        "a copy of %lld images of %lldx%lld with %d channels to %lld of %lldx%lld with %d",
                        (long long)from.count, (long long)from.width, (long long)from.height, from.channels,
                        (long long)to.count, (long long)to.width, (long long)to.height, to.channels);
    if (from.type != to.type)
        return sat_fail(SAT_ERR_TYPE, "a copy of %s to %s", sat_type_name(from.type), sat_type_name(to.type));
    if (sat_overlap(&from, &to)) return sat_fail(SAT_ERR_ARGUMENT, "source and copy overlap");
    status = sat_device_need(&device);
    bool waits = from.memory == SAT_HOST || to.memory == SAT_HOST;
    if (status == SAT_OK && waits) status = sat_device_may_wait(device, stream);
    return status == SAT_OK ? copy(device, &from, &to, stream) : status;
}
