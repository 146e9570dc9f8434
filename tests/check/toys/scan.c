/* toy_scan.c - a scan of one array in one file, as docs/backends.md tells it: u32, inclusive. */
#include <stdio.h>

#include "backend.h"
#include "scan_method.h"

static bool probe(const char **why)
{
    *why = "anything that counts";
    return true;
}

static sat_status open_scan(const sat_scan_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes)
{
    if (spec->sample != SAT_U32 || spec->accum != SAT_U32 || spec->exclusive)
        return sat_fail(SAT_ERR_TYPE, "toy-scan: u32 to u32, inclusive, only");
    int64_t *length = sat_arena_alloc(arena, sizeof *length);
    if (length == NULL) return sat_fail(SAT_ERR_MEMORY, "toy-scan: out of memory");
    *length = spec->length;
    snprintf(note, note_bytes, "toy-scan");
    *state = length;
    return SAT_OK;
}

static sat_status run_scan(void *state, const void *in, void *out, void *stream)
{
    const uint32_t *from = in;
    uint32_t *to = out, sum = 0;
    (void)stream;
    for (int64_t i = 0; i < *(int64_t *)state; i++) to[i] = sum += from[i];
    return SAT_OK;
}

const sat_scan_method sat_scan_toy_scan = {
    .name = "toy-scan",
    .summary = "a scan for the tests, in one file",
    .traffic = {.in_reads = 1, .out_reads = 0, .out_writes = 1},
    .probe = probe,
    .open = open_scan,
    .run = run_scan,
};
