/* library.cpp - what libsat asks of a device (src/lib/device.h) and kernels of their probe, answered by the simulator.
 * The one file here that knows sat, with runtime.h. */
#include "../../src/lib/device.h"
#include "prim/runtime.cuh"
#include "query.cuh"
#include "simt.h"
#include "table.cuh"

#include <stdio.h>

bool device_probe(const char **why)
{
    *why = "SIMT simulator";
    return true;
}

namespace
{

sat_status info(sat_device_info *info)
{
    *info = {};
    snprintf(info->name, sizeof info->name, "SIMT simulator");
    info->sm = 90;
    info->multiprocessors = 1;
    info->memory_bytes = simt::memory_bytes();
    return SAT_OK;
}

sat_status alloc(void **data, size_t bytes)
{
    return prim::device_alloc((unsigned char **)data, bytes);
}

sat_status copy(const sat_view *from, const sat_view *to, void *stream)
{
    size_t row = sat_row_bytes(from->width, from->channels, from->type);
    return prim::copy_rows(to->data, to->row_bytes, from->data, from->row_bytes, row, (size_t)from->height, stream);
}

/* A thousand steps of the scheduler count as a microsecond. */
sat_status time_work(sat_status (*work)(void *arg), void *arg, void *, double *us)
{
    uint64_t before = simt_count().steps;
    sat_status status = work(arg);
    *us = (double)(simt_count().steps - before) / 1000;
    return status;
}

} // namespace

extern "C" const sat_device sat_device_cuda = {
    .probe = device_probe,
    .info = info,
    .alloc = alloc,
    .free = prim::device_free,
    .fill = prim::fill_bytes,
    .copy = copy,
    .wait = prim::stream_wait,
    .time = time_work,
    .query = query_rectangles,
};
