/* scan.c - scans of one array: the spec checked, a method chosen, its state kept; the table of methods. */
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "offload.h"
#include "scan_method.h"
#include "shape.h"
#include "sized.h"

static const sat_scan_method *const table[] = {
#define SAT_SCAN(id) &sat_scan_##id,
#include "scans.def"
#undef SAT_SCAN
};
enum { METHODS = sizeof table / sizeof *table };
SAT_NO_PADDING_BEHIND(sat_scan_spec, thread_items);
SAT_NO_PADDING_BEHIND(sat_scan_info, why);

#define SAT_SCAN(id)
#define SAT_CUDA_COMPARED(id)
#define SAT_CUDA_SCAN(id) #id,
#define SAT_WARP_SCAN(id)
static const char *const of_cuda[] = {
#include "scans.def"
};
#define SAT_CUDA_COMPARED(id)
#define SAT_CUDA_SCAN(id)
#define SAT_WARP_SCAN(id) #id,
static const char *const of_warps[] = {
#include "scans.def"
};
#undef SAT_SCAN

bool sat_scan_absent(size_t i, bool warps, char *name, size_t bytes)
{
    return warps ? sat_absent(of_warps, sizeof of_warps / sizeof *of_warps, i, name, bytes)
                 : sat_absent(of_cuda, sizeof of_cuda / sizeof *of_cuda, i, name, bytes);
}

struct sat_scan {
    sat_arena arena; /* the scan and all that it holds */
    sat_scan_spec spec;
    const sat_scan_method *method;
    void *state;
    bool staged; /* host arrays, and a method that takes a device's */
    sat_offload *offload;
    char note[192];
};

bool sat_scan_at_sized(size_t i, sat_scan_info *info, size_t info_bytes)
{
    if (i >= METHODS || info == NULL) return false;
    const sat_scan_method *m = table[i];
    sat_scan_info ours = {
        .name = m->name,
        .summary = m->summary,
        .paper = m->paper,
        .in_reads = m->traffic.in_reads,
        .out_reads = m->traffic.out_reads,
        .out_writes = m->traffic.out_writes,
        .kind = m->kind,
        .segment = m->segment,
        .device = m->device,
        .repeatable = !m->unrepeatable,
    };
    ours.available = m->probe(&ours.why);
    sat_give_struct(info, info_bytes, &ours, sizeof ours);
    return true;
}

/* Checks the spec and fills in its default. */
static sat_status complete(sat_scan_spec *s)
{
    if (s->length < 1 || s->length > SAT_MAX_SIDE)
        return sat_fail(SAT_ERR_SHAPE, "a scan of %lld elements; 1 to 2^40 are possible", (long long)s->length);
    if (s->memory != SAT_HOST && s->memory != SAT_DEVICE) return sat_fail(SAT_ERR_ARGUMENT, "unknown kind of memory");
    if (s->block_threads < 0 || s->thread_items < 0)
        return sat_fail(SAT_ERR_ARGUMENT, "blocks of %d threads with %d elements each", s->block_threads,
                        s->thread_items);
    bool whole = s->sample == SAT_U64;
    if (s->accum == SAT_TYPE_NONE && !whole) s->accum = sat_accum_for(s->sample, s->length);
    if (s->accum == SAT_TYPE_NONE) s->accum = sat_is_signed(s->sample) ? SAT_I64 : SAT_U64;
    bool possible =
        whole ? s->accum == SAT_U64 || s->accum == SAT_I64 : s->accum != SAT_Q32 && sat_combines(s->sample, s->accum);
    return possible ? SAT_OK
                    : sat_fail(SAT_ERR_TYPE, "%s samples cannot be scanned to %s", sat_type_name(s->sample),
                               sat_type_name(s->accum));
}

static sat_view array(int64_t length, sat_type type, const void *data, sat_memory memory)
{
    sat_view v = sat_packed_view(length, 1, 1, 1, type, memory);
    v.data = (void *)(uintptr_t)data;
    return v;
}

static sat_status start(sat_scan *scan, const sat_scan_method *m)
{
    const char *why;
    sat_scan_spec spec = scan->spec;
    if (!m->probe(&why)) return sat_fail(SAT_ERR_UNAVAILABLE, "%s: %s", m->name, why);
    sat_status status = sat_check_memory(m->name, spec.memory, m->device);
    if (status != SAT_OK) return status;
    spec.sample = sat_backend_sample(scan->spec.sample, scan->spec.accum);
    spec.accum = sat_backend_accum(scan->spec.accum);
    scan->method = m;
    scan->staged = m->device && spec.memory == SAT_HOST;
    if (scan->staged) spec.memory = SAT_DEVICE;
    status = m->open(&spec, &scan->arena, &scan->state, scan->note, sizeof scan->note);
    if (status == SAT_OK && scan->staged) {
        sat_view in = array(spec.length, spec.sample, NULL, SAT_HOST);
        sat_view out = array(spec.length, spec.accum, NULL, SAT_HOST);
        status = sat_offload_open(&scan->offload, &(sat_views){&in, NULL, &out, 1}, &scan->arena);
    }
    if (status != SAT_OK) sat_arena_reset(&scan->arena, scan);
    return scan->staged && spec.method == NULL ? sat_passed_over(status) : status;
}

/* A method with a segment is tried only if it is named: its result is another one. */
static sat_status choose(sat_scan *scan)
{
    const char *name = scan->spec.method;
    for (size_t i = 0; name && i < METHODS; i++)
        if (strcmp(table[i]->name, name) == 0) return start(scan, table[i]);
    if (name) return sat_choice_unknown("scan method", name);

    double element = (double)(sat_type_bytes(scan->spec.sample) + sat_type_bytes(scan->spec.accum));
    sat_choice choice = sat_choice_for(scan->spec.memory, (double)scan->spec.length * element, 1);
    const sat_kept_detail before = sat_keep_detail();
    sat_status status = sat_choice_none(&choice);
    if (sat_choice_hopeless(&choice)) return status;
    for (size_t i = 0; i < METHODS && (status == SAT_ERR_UNAVAILABLE || status == SAT_ERR_TYPE); i++)
        if (table[i]->segment == 0 && sat_may_choose(&choice, table[i]->kind, table[i]->device))
            status = start(scan, table[i]);
    if (status != SAT_OK) return status;
    sat_put_back_detail(&before);
    sat_choice_note(&choice, false, scan->method->device, scan->note, sizeof scan->note);
    return status;
}

sat_status sat_scan_create_sized(sat_scan **out, const sat_scan_spec *given, size_t spec_bytes)
{
    sat_scan_spec spec;
    if (out == NULL) return sat_fail(SAT_ERR_ARGUMENT, "scan is NULL");
    *out = NULL;
    sat_status status = sat_take_struct(&spec, sizeof spec, given, spec_bytes, "spec");
    if (status == SAT_OK) status = complete(&spec);
    if (status != SAT_OK) return status;
    sat_arena arena = {0};
    sat_scan *scan = sat_arena_zeros(&arena, sizeof *scan);
    if (scan == NULL) return SAT_ERR_MEMORY;
    scan->arena = arena;
    scan->spec = spec;
    status = choose(scan);
    if (status == SAT_OK)
        *out = scan;
    else
        sat_scan_destroy(&scan);
    return status;
}

static sat_status run_there(void *context, const sat_views *views, const sat_run *run)
{
    const sat_scan *scan = context;
    return scan->method->run(scan->state, views->src->data, views->results->data, run->stream);
}

sat_status sat_scan_run(sat_scan *scan, const void *in, void *out, void *stream)
{
    if (scan == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no scan");
    const sat_scan_spec *s = &scan->spec;
    sat_view from = array(s->length, s->sample, in, s->memory), to = array(s->length, s->accum, out, s->memory);
    sat_status status = sat_take_view(&from, &from, "input");
    if (status == SAT_OK) status = sat_take_output(&to, &to, "output");
    if (status == SAT_OK && sat_overlap(&from, &to)) status = sat_fail(SAT_ERR_ARGUMENT, "input and output overlap");
    if (status != SAT_OK) return status;
    const sat_run run = {.stream = stream};
    const sat_views views = {&from, NULL, &to, 1};
    return scan->staged ? sat_offload_run(scan->offload, &views, &run, run_there, scan)
                        : scan->method->run(scan->state, in, out, stream);
}

const char *sat_scan_note(const sat_scan *scan)
{
    return scan ? scan->note : "";
}

void sat_scan_destroy(sat_scan **scan)
{
    if (scan == NULL || *scan == NULL) return;
    sat_arena arena = (*scan)->arena;
    sat_arena_reset(&arena, NULL);
    *scan = NULL;
}
