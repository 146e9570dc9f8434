/* device.c - sat_device_...: arguments checked, then handed to the device that was built in. */
#include "device.h"
#include "status.h"
#include "sized.h"

const sat_device *sat_device_get(const char **why)
{
#if SAT_WITH_CUDA
    return sat_device_cuda.probe(why) ? &sat_device_cuda : NULL;
#else
    *why = "built without CUDA";
    return NULL;
#endif
}

sat_status sat_device_need(const sat_device **device)
{
    const char *why;
    *device = sat_device_get(&why);
    return *device ? SAT_OK : sat_fail(SAT_ERR_UNAVAILABLE, "no device: %s", why);
}

int sat_device_ordinal(bool on_device)
{
    const char *why;
    const sat_device *device = on_device ? sat_device_get(&why) : NULL;
    return device ? device->ordinal() : -1;
}

sat_status sat_device_may_wait(const sat_device *device, void *stream)
{
    bool captured;
    sat_status status = device->captured(stream, &captured);
    if (status != SAT_OK || !captured) return status;
    return sat_fail(SAT_ERR_ARGUMENT, "the stream is being captured into a graph, and this would wait for it: only "
                                      "runs on device memory can be captured");
}

sat_status sat_device_current_sized(sat_device_info *info, size_t info_bytes)
{
    const sat_device *device;
    sat_device_info ours = {0};
    if (info == NULL) return sat_fail(SAT_ERR_ARGUMENT, "info is NULL");
    sat_status status = sat_device_need(&device);
    if (status == SAT_OK) status = device->info(&ours);
    if (status == SAT_OK) sat_give_struct(info, info_bytes, &ours, sizeof ours);
    return status;
}

sat_status sat_device_alloc(void **data, size_t bytes)
{
    const sat_device *device;
    if (data == NULL) return sat_fail(SAT_ERR_ARGUMENT, "data is NULL");
    *data = NULL;
    if (bytes == 0) return sat_fail(SAT_ERR_ARGUMENT, "0 bytes of device memory");
    sat_status status = sat_device_need(&device);
    return status == SAT_OK ? device->alloc(data, bytes) : status;
}

void sat_device_free(void *data)
{
    const sat_device *device;
    if (data && sat_device_need(&device) == SAT_OK) device->free(data);
}

sat_status sat_device_fill(void *data, int byte, size_t bytes, void *stream)
{
    const sat_device *device;
    if (data == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no device memory to fill");
    sat_status status = sat_device_need(&device);
    return status == SAT_OK && bytes > 0 ? device->fill(data, byte, bytes, stream) : status;
}

sat_status sat_device_wait(void *stream)
{
    const sat_device *device;
    sat_status status = sat_device_need(&device);
    if (status == SAT_OK) status = sat_device_may_wait(device, stream);
    return status == SAT_OK ? device->wait(stream) : status;
}

sat_status sat_device_capturing(void *stream, bool *capturing)
{
    const sat_device *device;
    if (capturing == NULL) return sat_fail(SAT_ERR_ARGUMENT, "capturing is NULL");
    *capturing = false;
    sat_status status = sat_device_need(&device);
    return status == SAT_OK ? device->captured(stream, capturing) : status;
}
