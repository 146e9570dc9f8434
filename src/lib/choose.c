/* choose.c - when a device is the default for a job.
 *
 * A table is a few bytes read and written for each pixel and next to no arithmetic, so for arrays in host memory the
 * bus decides: every byte that a CPU would read or write crosses it once, after a start-up that a short job never earns
 * back.  The rule is computed before a driver is loaded: that alone would take longer than most images. */
#include <stdio.h>
#include <string.h>

#include "c_numbers.h"
#include "status.h"
#include "choose.h"
#include "device.h"

/* Of a server with one H200 (docs/measuring.md, "When a device pays"): what one thread of the cpu backend moves, at
 * which rate its memory is full, the first calls of the driver and the plan's pinned memory, both directions of the bus
 * fed by all threads, and what one of them feeds.  To feed the bus a thread reads and writes each byte, to sum it on
 * the spot it reads or writes it: so where memory is pageable a device is for arrays that are already on it, or for
 * callers that name it. */
const sat_rates sat_rates_assumed = {
    .thread_bytes_per_s = 16e9,
    .memory_bytes_per_s = 160e9,
    .startup_s = 0.23,
    .bus_bytes_per_s = 57e9,
    .copied_bytes_per_s = 9.5e9,
};

bool sat_device_pays(const sat_rates *rates, double bytes, int threads)
{
    double cpu = threads * rates->thread_bytes_per_s;
    double bus = threads * rates->copied_bytes_per_s;
    if (cpu > rates->memory_bytes_per_s) cpu = rates->memory_bytes_per_s;
    if (bus > rates->bus_bytes_per_s) bus = rates->bus_bytes_per_s;
    return bytes / cpu > rates->startup_s + bytes / bus;
}

sat_choice sat_choice_for(sat_memory memory, double bytes, int threads)
{
    if (threads == 0) threads = sat_processors();
    return (sat_choice){memory, bytes, sat_device_pays(&sat_rates_assumed, bytes, threads)};
}

bool sat_may_choose(const sat_choice *choice, sat_kind kind, bool device)
{
    if (kind >= SAT_CEILING) return false;
    return choice->memory == SAT_DEVICE ? device : !device || choice->device_pays;
}

bool sat_choice_hopeless(const sat_choice *choice)
{
    const char *why;
    return choice->memory == SAT_DEVICE && sat_device_get(&why) == NULL;
}

sat_status sat_choice_none(const sat_choice *choice)
{
    const char *why;
    if (choice->memory == SAT_DEVICE && sat_device_get(&why) == NULL)
        return sat_fail(SAT_ERR_UNAVAILABLE, "nothing here works on device memory: %s", why);
    return sat_fail(SAT_ERR_UNAVAILABLE, "nothing can do this job here");
}

sat_status sat_choice_unknown(const char *thing, const char *name)
{
    return sat_fail(SAT_ERR_UNAVAILABLE, "no %s is called '%s'%s", thing, name,
                    SAT_WITH_CUDA ? "" : " in this build, which is without CUDA");
}

sat_status sat_check_memory(const char *name, sat_memory memory, bool device)
{
    if (memory == SAT_HOST || device) return SAT_OK;
    return sat_fail(SAT_ERR_UNAVAILABLE, "%s: works on host memory, not on a device's", name);
}

sat_status sat_passed_over(sat_status status)
{
    return status == SAT_ERR_MEMORY || status == SAT_ERR_DEVICE ? SAT_ERR_UNAVAILABLE : status;
}

void sat_choice_note(const sat_choice *choice, bool named, bool device, char *note, size_t note_bytes)
{
    size_t used = strlen(note);
    if (choice->memory == SAT_DEVICE || (!device && (named || !SAT_WITH_CUDA))) return;
    sat_print(note + used, note_bytes - used,
              device ? " (through host memory: copies %.3g MB)" : " (a GPU would have to copy %.3g MB)",
              choice->bytes / 1e6);
}
