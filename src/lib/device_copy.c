/* device_copy.c - copies between two views, one of which lies on a device. */
#include "device.h"
#include "shape.h"
#include "status.h"

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
    return status == SAT_OK ? device->copy(&from, &to, stream) : status;
}
