/* serial.c - the reference: one thread, row by row, the widest sums there are.
 *
 * Everything else is checked against it, so it does nothing clever: a running sum along the row, plus
 * the row above, in uint64_t for integers and long double for floats, rounded once per entry. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "isa.h"
#include "shape.h"
#include "types.h"

typedef struct sum {
    uint64_t u;    /* integer accumulators */
    long double f; /* float ones */
} sum;

typedef struct serial {
    sat_plan_spec spec;
    sum *above; /* the inclusive table's row above, width * channels */
} serial;

/* What it sums in a microsecond. */
#define SAMPLES_PER_US 100.0

static bool probe(const char **why)
{
    if (sat_isa_in_use(why) == NULL) return false; /* a SAT_ISA that is none is a mistake, not a wish for this */
    *why = "one thread";
    return true;
}

static sat_status open_plan(const sat_plan_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes)
{
    size_t bytes;
    if (!sat_mul((size_t)spec->width * (size_t)spec->channels, sizeof(sum), &bytes))
        return sat_fail(SAT_ERR_SHAPE, "serial: a row of %lld pixels", (long long)spec->width);
    serial *s = sat_arena_zeros(arena, sizeof *s);
    if (s) s->above = sat_arena_alloc(arena, bytes);
    if (s == NULL || s->above == NULL)
        return sat_fail(SAT_ERR_MEMORY, "serial: out of memory for a row of %zu bytes", bytes);
    s->spec = *spec;
    snprintf(note, note_bytes, "serial, 1 thread");
    *state = s;
    return SAT_OK;
}

static sum add(sat_type accum, sum a, sum b)
{
    return sat_is_float(accum) ? (sum){.f = a.f + b.f} : (sum){.u = a.u + b.u};
}

static sum load(sat_type accum, const char *row, size_t i)
{
    switch (accum) {
    case SAT_U32:
    case SAT_Q32: return (sum){.u = ((const uint32_t *)row)[i]};
    case SAT_U64: return (sum){.u = ((const uint64_t *)row)[i]};
    case SAT_F32: return (sum){.f = (long double)((const float *)row)[i]};
    default: return (sum){.f = (long double)((const double *)row)[i]};
    }
}

static void store(sat_type accum, char *row, size_t i, sum value)
{
    switch (accum) {
    case SAT_U32:
    case SAT_Q32: ((uint32_t *)row)[i] = (uint32_t)value.u; break;
    case SAT_U64: ((uint64_t *)row)[i] = value.u; break;
    case SAT_F32: ((float *)row)[i] = (float)value.f; break;
    default: ((double *)row)[i] = (double)value.f;
    }
}

/* The sample as the accumulator sees it; false if fixed point cannot hold it. */
static bool sample(const sat_plan_spec *s, const char *pixel, size_t i, sum *value)
{
    uint64_t u = 0;
    double f = 0;
    switch (s->sample) {
    case SAT_U8: u = ((const uint8_t *)pixel)[i]; break;
    case SAT_U16: u = ((const uint16_t *)pixel)[i]; break;
    case SAT_U32: u = ((const uint32_t *)pixel)[i]; break;
    case SAT_I8: u = (uint64_t)((const int8_t *)pixel)[i]; break;
    case SAT_I16: u = (uint64_t)((const int16_t *)pixel)[i]; break;
    case SAT_I32: u = (uint64_t)((const int32_t *)pixel)[i]; break;
    case SAT_F32: f = (double)((const float *)pixel)[i]; break;
    default: f = ((const double *)pixel)[i];
    }
    if (s->accum == SAT_Q32) {
        double q = (f - s->quant.offset) / s->quant.step;
        if (!(q >= 0 && q <= (double)s->quant.largest)) return false;
        *value = (sum){.u = (uint64_t)(q + 0.5)};
    } else if (s->power == 2) {
        const bool real = sat_square_type(s->sample) == SAT_F64;
        if (!sat_is_float(s->sample)) f = (double)(int64_t)u;
        f *= f;
        u = real ? 0 : u * u;
        *value = !sat_is_float(s->accum) ? (sum){.u = u} : (sum){.f = real ? (long double)f : (long double)u};
    } else if (sat_is_float(s->accum)) {
        *value = (sum){.f = sat_is_float(s->sample) ? (long double)f : (long double)(int64_t)u};
    } else {
        *value = (sum){.u = u};
    }
    return true;
}

static sat_status run_plan(void *state, const sat_view *image, const sat_view *table, const sat_run *run)
{
    serial *s = state;
    const sat_plan_spec *spec = &s->spec;
    size_t channels = (size_t)spec->channels, samples = (size_t)spec->width * channels;
    const sum zero = {0};
    bool padded = spec->layout == SAT_PADDED, exclusive = spec->layout == SAT_EXCLUSIVE;
    size_t shift = spec->layout == SAT_INCLUSIVE ? 0 : channels; /* the zero column */
    size_t size = sat_type_bytes(spec->accum);

    for (size_t i = 0; i < samples; i++) s->above[i] = run->carry_in ? load(spec->accum, run->carry_in, i) : zero;
    int64_t zero_rows = padded && !run->continues;
    if (zero_rows) memset(table->data, 0, (samples + channels) * size);
    for (int64_t y = 0; y < image->height; y++) {
        if (!sat_goes_on(run, 0, (double)samples / SAMPLES_PER_US)) return sat_run_status(run);
        const char *in = (const char *)image->data + (size_t)y * image->row_bytes;
        char *out = (char *)table->data + (size_t)(y + zero_rows) * table->row_bytes;
        sum along[4] = {zero, zero, zero, zero}; /* for each channel */
        for (size_t c = 0; c < shift; c++) store(spec->accum, out, c, zero);
        for (size_t i = 0; i < samples; i++) {
            sum value, before = s->above[i];
            if (!sample(spec, in + i / channels * image->pixel_bytes, i % channels, &value))
                return sat_fail(SAT_ERR_RANGE, "a sample in row %lld lies outside the declared range", (long long)y);
            along[i % channels] = add(spec->accum, along[i % channels], value);
            s->above[i] = add(spec->accum, before, along[i % channels]);
            if (!exclusive || i + shift < samples) store(spec->accum, out, i + shift, exclusive ? before : s->above[i]);
        }
    }
    if (run->carry_out)
        for (size_t i = 0; i < samples; i++) store(spec->accum, run->carry_out, i, s->above[i]);
    return SAT_OK;
}

const sat_backend sat_backend_serial = {
    .name = "serial",
    .summary = "the reference: one thread, one running sum, the widest arithmetic",
    .paper = "Crow, Summed-area tables for texture mapping, SIGGRAPH 1984",
    .traffic = {.in_reads = 1, .out_reads = 0, .out_writes = 1},
    .kind = SAT_REFERENCE,
    .gaps = true,
    .squares = true,
    .probe = probe,
    .open = open_plan,
    .run = run_plan,
};
