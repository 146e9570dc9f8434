/* device_copy.c - copies between two views, one of which lies on a device. */
#include "device.h"
#include "host_copy.h"
#include "pool.h"
#include "shape.h"
#include "status.h"

/* Memory for a view of that shape without gaps. */
static sat_status stage(const sat_view *like, sat_memory memory, sat_view *staged)
{
    *staged = sat_packed_view(like->width, like->height, like->count, like->channels, like->type, memory);
    return sat_view_alloc(staged);
}

/* Copy engines move plain views.  Others are gathered where they lie, and scattered in host memory; copies between two
 * views on the device are a kernel's. */
static sat_status copy(const sat_device *device, const sat_view *from, const sat_view *to, void *stream)
{
    sat_view source = {0}, result = {0};
    const bool here = from->memory == SAT_HOST, gathers = !sat_is_plain(from) && (here || to->memory == SAT_HOST);
    const bool scatters = !sat_is_plain(to);
    const size_t bytes = sat_row_bytes(from->width, from->channels, from->type) * (size_t)(from->height * from->count);
    const int threads = sat_copy_threads(bytes, sat_processors());
    sat_status status = gathers ? stage(from, from->memory, &source) : SAT_OK;
    if (status == SAT_OK && scatters) status = stage(to, SAT_HOST, &result);
    if (status == SAT_OK && gathers && here) sat_host_copy(&source, from, NULL, threads, false);
    if (status == SAT_OK && gathers && !here) status = device->copy(from, &source, stream);
    if (status == SAT_OK) status = device->copy(gathers ? &source : from, scatters ? &result : to, stream);
    if (status == SAT_OK && scatters) sat_host_copy(to, &result, NULL, threads, false);
    sat_view_free(&source);
    sat_view_free(&result);
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
        return sat_fail(SAT_ERR_SHAPE, "a copy of %lld images of shape (%lld, %lld, %d) to %lld of (%lld, %lld, %d)",
                        (long long)from.count, (long long)from.height, (long long)from.width, from.channels,
                        (long long)to.count, (long long)to.height, (long long)to.width, to.channels);
    if (from.type != to.type)
        return sat_fail(SAT_ERR_TYPE, "a copy of %s to %s", sat_type_name(from.type), sat_type_name(to.type));
    if (sat_overlap(&from, &to)) return sat_fail(SAT_ERR_ARGUMENT, "source and copy overlap");
    status = sat_device_need(&device);
    bool waits = from.memory == SAT_HOST || to.memory == SAT_HOST;
    if (status == SAT_OK && waits) status = sat_device_may_wait(device, stream);
    return status == SAT_OK ? copy(device, &from, &to, stream) : status;
}
