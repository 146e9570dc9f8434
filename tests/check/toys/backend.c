/* toy.c - a backend in one file, as docs/backends.md tells it: integer samples, one running sum a row. */
#include <stdio.h>
#include <string.h>

#include "backend.h"

typedef struct toy {
    sat_plan_spec spec;
    uint64_t *above; /* the inclusive table's row above */
} toy;

static bool probe(const char **why)
{
    *why = "anything that counts";
    return true;
}

static sat_status open_plan(const sat_plan_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes)
{
    bool integers = spec->sample == SAT_U8 || spec->sample == SAT_U16;
    if (!integers || (spec->accum != SAT_U32 && spec->accum != SAT_U64) || spec->layout == SAT_EXCLUSIVE)
        return sat_fail(SAT_ERR_TYPE, "toy: sums u8 and u16 to padded or inclusive u32 and u64 only");
    toy *t = sat_arena_zeros(arena, sizeof *t);
    if (t) t->above = sat_arena_alloc(arena, (size_t)spec->width * (size_t)spec->channels * sizeof *t->above);
    if (t == NULL || t->above == NULL) return sat_fail(SAT_ERR_MEMORY, "toy: out of memory");
    t->spec = *spec;
    snprintf(note, note_bytes, "toy");
    *state = t;
    return SAT_OK;
}

static uint64_t load(const void *row, size_t i, size_t bytes)
{
    uint64_t value = 0; /* little endian, as this toy is */
    memcpy(&value, (const char *)row + i * bytes, bytes);
    return value;
}

static void store(void *row, size_t i, size_t bytes, uint64_t value)
{
    memcpy((char *)row + i * bytes, &value, bytes);
}

static sat_status run_plan(void *state, const sat_view *image, const sat_view *table, const sat_run *run)
{
    const toy *t = state;
    size_t channels = (size_t)t->spec.channels, n = (size_t)t->spec.width * channels;
    size_t in_bytes = sat_type_bytes(t->spec.sample), out_bytes = sat_type_bytes(t->spec.accum);
    size_t shift = t->spec.layout == SAT_PADDED ? channels : 0;
    char *out = table->data;
    if (shift && !run->continues) {
        memset(out, 0, (n + channels) * out_bytes);
        out += table->row_bytes;
    }
    for (size_t i = 0; i < n; i++) t->above[i] = run->carry_in ? load(run->carry_in, i, out_bytes) : 0;
    for (int64_t y = 0; y < image->height; y++, out += table->row_bytes) {
        const char *in = (const char *)image->data + y * image->row_bytes;
        uint64_t along[4] = {0, 0, 0, 0};
        memset(out, 0, shift * out_bytes);
        for (size_t i = 0; i < n; i++) {
            along[i % channels] += load(in, i, in_bytes);
            t->above[i] += along[i % channels];
            store(out, i + shift, out_bytes, t->above[i]);
        }
    }
    for (size_t i = 0; run->carry_out && i < n; i++) store(run->carry_out, i, out_bytes, t->above[i]);
    return SAT_OK;
}

const sat_backend sat_backend_toy = {
    .name = "toy",
    .summary = "a backend for the tests, in one file",
    .traffic = {.in_reads = 1, .out_reads = 0, .out_writes = 1},
    .probe = probe,
    .open = open_plan,
    .run = run_plan,
};
