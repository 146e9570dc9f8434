/* lab.c - sat_lab.h but for scans: backends with what the bench compares, and time on a device. */
#include "backend.h"
#include "device.h"
#include "sat_lab.h"
#include "sized.h"

SAT_NO_PADDING_BEHIND(sat_lab_backend_info, reserved);

const char *sat_kind_name(sat_kind kind)
{
    static const char *const names[] = {"method", "reference", "ceiling", "peer"};
    return (size_t)kind < sizeof names / sizeof *names ? names[kind] : "none";
}

static bool give(const sat_backend *b, bool probes, sat_lab_backend_info *info, size_t info_bytes)
{
    if (b == NULL || info == NULL) return false;
    sat_lab_backend_info ours = {
        .name = b->name,
        .summary = b->summary,
        .paper = b->paper,
        .in_reads = b->traffic.in_reads,
        .out_reads = b->traffic.out_reads,
        .out_writes = b->traffic.out_writes,
        .kind = b->kind,
        .device = b->device,
        .repeatable = !b->unrepeatable,
        .filters = b->box != NULL,
        .squares = b->squares,
        .why = "not probed",
    };
    if (probes) ours.available = b->probe(&ours.why);
    sat_give_struct(info, info_bytes, &ours, sizeof ours);
    return true;
}

bool sat_lab_backend_entry_sized(size_t i, sat_lab_backend_info *info, size_t info_bytes)
{
    return give(sat_backend_get(i), false, info, info_bytes);
}

bool sat_lab_backend_at_sized(size_t i, sat_lab_backend_info *info, size_t info_bytes)
{
    return give(sat_backend_get(i), true, info, info_bytes);
}

sat_status sat_device_time(sat_status (*work)(void *arg), void *arg, void *stream, double *us)
{
    const sat_device *device;
    if (work == NULL || us == NULL) return sat_fail(SAT_ERR_ARGUMENT, "work or us is NULL");
    *us = 0;
    sat_status status = sat_device_need(&device);
    if (status == SAT_OK) status = sat_device_may_wait(device, stream);
    return status == SAT_OK ? device->time(work, arg, stream, us) : status;
}
