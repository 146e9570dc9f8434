/* cpu_copy.c - the ceiling: each sample is read once, widened and written once, with the stores that the
 * cpu backend would use, but nothing is summed.  What a table build would cost if sums were free. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "isa.h"
#include "machine.h"
#include "pool.h"
#include "shape.h"

enum { BLOCK_BYTES = 8192 }; /* of widened samples, in the first-level cache */

typedef struct copy {
    sat_plan_spec spec;
    const sat_isa *isa;
    sat_widen *widen;
    int threads;
    bool stream;
    char *accums;       /* BLOCK_BYTES for each thread */
    atomic_bool *taken; /* of a run's parts, one for each thread at most */
} copy;

static bool probe(const char **why)
{
    return sat_isa_in_use(why) != NULL;
}

static sat_status open_plan(const sat_plan_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes)
{
    const char *why;
    const sat_isa *isa = sat_isa_in_use(&why);
    if (isa == NULL) return sat_fail(SAT_ERR_UNAVAILABLE, "cpu-copy: %s", why);
    copy *c = sat_arena_zeros(arena, sizeof *c);
    if (c == NULL) return sat_fail(SAT_ERR_MEMORY, "cpu-copy: out of memory");
    c->spec = *spec;
    c->isa = isa;
    c->widen = isa->widen(spec->sample, spec->accum);
    if (c->widen == NULL)
        return sat_fail(SAT_ERR_TYPE, "cpu-copy: does not widen %s to %s", sat_type_name(spec->sample),
                        sat_type_name(spec->accum));
    double entry = (double)(sat_type_bytes(spec->accum) + sat_type_bytes(spec->sample));
    c->threads = sat_machine_threads(spec->threads, (double)spec->width * (double)spec->height * spec->channels * entry,
                                     SAT_SHARE_BYTES);
    c->stream = sat_machine_streams(sat_row_bytes(spec->width, spec->channels, spec->accum),
                                    sat_area(spec->height, spec->count));
    c->accums = sat_arena_alloc(arena, (size_t)c->threads * BLOCK_BYTES);
    c->taken = sat_arena_zeros(arena, (size_t)c->threads * sizeof *c->taken);
    if (c->accums == NULL || c->taken == NULL) return sat_fail(SAT_ERR_MEMORY, "cpu-copy: out of memory");
    snprintf(note, note_bytes, "cpu-copy, %s, %d thread%s", isa->name, c->threads, c->threads == 1 ? "" : "s");
    *state = c;
    return SAT_OK;
}

typedef struct job {
    const copy *c;
    const sat_view *image;
    char *out; /* the table's row for the image's first, behind the zeros */
    ptrdiff_t out_bytes;
    size_t zeros;
    const sat_run *run;
    int64_t rows, parts; /* rows in each part but the last */
} job;

/* The part that this thread took last, since its caches may hold it, or one that no thread has taken. */
static int64_t take_part(const job *j)
{
    static _Thread_local int64_t part;
    if (part >= j->parts) part = 0;
    while (atomic_exchange(&j->c->taken[part], true)) part = part + 1 < j->parts ? part + 1 : 0;
    return part;
}

static void copy_rows(void *context, int64_t index, int worker)
{
    const job *j = context;
    const copy *c = j->c;
    size_t entry = sat_type_bytes(c->spec.accum), sample = sat_type_bytes(c->spec.sample);
    int64_t samples = c->spec.width * c->spec.channels, block = (int64_t)(BLOCK_BYTES / entry);
    char *accums = c->accums + (size_t)worker * BLOCK_BYTES;
    int64_t first = take_part(j) * j->rows;
    (void)index;
    for (int64_t y = first; y < first + j->rows && y < j->image->height; y++) {
        if (!sat_goes_on(j->run, worker, (double)((size_t)samples * (entry + sample)) / SAT_BYTES_PER_US)) break;
        const char *in = (const char *)j->image->data + y * j->image->row_bytes;
        char *to = j->out + y * j->out_bytes;
        memset(to - j->zeros, 0, j->zeros);
        for (int64_t i = 0; i < samples; i += block) {
            int64_t n = samples - i < block ? samples - i : block;
            c->widen(accums, in + (size_t)i * sample, n);
            if (c->stream)
                c->isa->stream(to + (size_t)i * entry, accums, (size_t)n * entry);
            else
                memcpy(to + (size_t)i * entry, accums, (size_t)n * entry);
        }
    }
    if (c->stream) c->isa->fence();
}

static sat_status run_plan(void *state, const sat_view *image, const sat_view *table, const sat_run *run)
{
    const copy *c = state;
    size_t entry = sat_type_bytes(c->spec.accum), row = (size_t)(c->spec.width * c->spec.channels) * entry;
    bool padded = c->spec.layout == SAT_PADDED;
    size_t zeros = padded ? (size_t)c->spec.channels * entry : 0; /* before each row */
    bool zero_row = padded && !run->continues;
    job j = {.c = c, .run = run, .image = image, .out_bytes = table->row_bytes, .zeros = zeros};
    j.out = (char *)table->data + zeros + (zero_row ? table->row_bytes : 0);
    j.rows = (image->height - 1) / c->threads + 1;
    j.parts = (image->height - 1) / j.rows + 1;
    for (int64_t i = 0; i < j.parts; i++) atomic_store(&c->taken[i], false);
    if (zero_row) memset(table->data, 0, zeros + row);
    return sat_run_each(run, c->spec.executor, c->threads, j.parts, copy_rows, &j);
}

const sat_backend sat_backend_cpu_copy = {
    .name = "cpu-copy",
    .summary = "ceiling: widens and writes each sample, sums nothing",
    .traffic = {.in_reads = 1, .out_reads = 0, .out_writes = 1},
    .kind = SAT_CEILING,
    .probe = probe,
    .open = open_plan,
    .run = run_plan,
};
