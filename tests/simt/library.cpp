/* library.cpp - what libsat asks of a device (src/lib/device.h) and kernels of their probe, answered by the simulator.
 * The one file here that knows sat, with runtime.h. */
#include "../../src/lib/device.h"
#include "prim/runtime.cuh"
#include "probe.cuh"
#include "query/query.cuh"
#include "simt.h"
#include "view_copy.cuh"

#include <stdio.h>
#include <stdlib.h>

#include <deque>
#include <map>

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

int ordinal()
{
    return 0;
}

sat_status alloc(void **data, size_t bytes)
{
    return prim::device_alloc((unsigned char **)data, bytes);
}

sat_status copy(const sat_view *from, const sat_view *to, void *stream)
{
    return queue_view_copy(from, to, stream);
}

/* A thousand steps of the scheduler count as a microsecond. */
sat_status time_work(sat_status (*work)(void *arg), void *arg, void *, double *us)
{
    uint64_t before = simt_count().steps;
    sat_status status = work(arg);
    *us = (double)(simt_count().steps - before) / 1000;
    return status;
}

/* ---- copies beside work -----------------------------------------------------------------------------------
 *
 * A launch is done when it returns, but a queued copy waits as long as it may: until the host, or another stream, waits
 * for an event behind it.  So where a wait is missing, the copy is done too late, and shows as a wrong
 * result, or as a copy of memory that is gone. */

struct lane {
    std::deque<std::pair<sat_view, sat_view>> copies; /* that have not been done */
    uint64_t done;                                    /* those before them */
};
struct place {
    lane *on;
    uint64_t copies; /* of that lane, that come before the mark */
};
std::map<const char *, size_t> pinned_memory;

sat_status run_copies(lane *l, uint64_t upto)
{
    sat_status status = SAT_OK;
    for (; l && l->done < upto && !l->copies.empty(); l->done++) {
        auto [from, to] = l->copies.front();
        l->copies.pop_front();
        if (status == SAT_OK) status = copy(&from, &to, nullptr);
    }
    return status;
}

sat_status pinned_alloc(void **data, size_t bytes)
{
    *data = aligned_alloc(256, (bytes + 255) / 256 * 256);
    if (*data == nullptr) return sat_fail(SAT_ERR_MEMORY, "pinned host memory: out of memory");
    pinned_memory[(const char *)*data] = bytes;
    return SAT_OK;
}

void pinned_free(void *data)
{
    pinned_memory.erase((const char *)data);
    free(data);
}

size_t pinned(const void *data)
{
    auto next = pinned_memory.upper_bound((const char *)data);
    if (next == pinned_memory.begin()) return 0;
    auto [begin, bytes] = *std::prev(next);
    size_t before = (size_t)((const char *)data - begin);
    return before < bytes ? bytes - before : 0;
}

sat_status queue_copy(const sat_view *from, const sat_view *to, void *stream)
{
    ((lane *)stream)->copies.emplace_back(*from, *to);
    return SAT_OK;
}

sat_status stream_open(void **stream)
{
    *stream = new lane();
    return SAT_OK;
}

void stream_close(void *stream)
{
    delete (lane *)stream;
}

sat_status event_create(void **event)
{
    *event = new place();
    return SAT_OK;
}

void event_destroy(void *event)
{
    delete (place *)event;
}

sat_status event_record(void *event, void *stream)
{
    lane *l = (lane *)stream;
    *(place *)event = {l, l->done + l->copies.size()};
    return SAT_OK;
}

sat_status event_wait(void *event)
{
    const place *p = (const place *)event;
    return run_copies(p->on, p->copies);
}

/* Work follows at once, so that what it waits for must be done. */
sat_status stream_wait(void *, void *event)
{
    return event_wait(event);
}

bool capturing;

sat_status captured(void *, bool *captured)
{
    *captured = capturing;
    return SAT_OK;
}

sat_status wait_stream(void *stream)
{
    sat_status status = run_copies((lane *)stream, UINT64_MAX);
    return status == SAT_OK ? prim::stream_wait(stream) : status;
}

} // namespace

void simt_capture(int captured)
{
    capturing = captured;
}

extern "C" const sat_device sat_device_cuda = {
    .probe = device_probe,
    .info = info,
    .ordinal = ordinal,
    .alloc = alloc,
    .free = prim::device_free,
    .fill = prim::fill_bytes,
    .copy = copy,
    .wait = wait_stream,
    .time = time_work,
    .pinned_alloc = pinned_alloc,
    .pinned_free = pinned_free,
    .pinned = pinned,
    .queue_copy = queue_copy,
    .stream_open = stream_open,
    .stream_close = stream_close,
    .event_create = event_create,
    .event_destroy = event_destroy,
    .event_record = event_record,
    .stream_wait = stream_wait,
    .event_wait = event_wait,
    .captured = captured,
    .query = query_rectangles,
    .statistics = query_statistics,
};
