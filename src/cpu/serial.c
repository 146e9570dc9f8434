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

static sum load(sat_type accum, const void *entry)
{
    switch (accum) {
    case SAT_U32:
    case SAT_Q32: return (sum){.u = *(const uint32_t *)entry};
    case SAT_U64: return (sum){.u = *(const uint64_t *)entry};
    case SAT_F32: return (sum){.f = (long double)*(const float *)entry};
    default: return (sum){.f = (long double)*(const double *)entry};
    }
}

static void store(sat_type accum, void *entry, sum value)
{
    switch (accum) {
    case SAT_U32:
    case SAT_Q32: *(uint32_t *)entry = (uint32_t)value.u; break;
    case SAT_U64: *(uint64_t *)entry = value.u; break;
    case SAT_F32: *(float *)entry = (float)value.f; break;
    default: *(double *)entry = (double)value.f;
    }
}

/* The sample as the accumulator sees it; false if fixed point cannot hold it. */
static bool sample(const sat_plan_spec *s, const void *at, sum *value)
{
    uint64_t u = 0;
    double f = 0;
    switch (s->sample) {
    case SAT_U8: u = *(const uint8_t *)at; break;
    case SAT_U16: u = *(const uint16_t *)at; break;
    case SAT_U32: u = *(const uint32_t *)at; break;
    case SAT_I8: u = (uint64_t) * (const int8_t *)at; break;
    case SAT_I16: u = (uint64_t) * (const int16_t *)at; break;
    case SAT_I32: u = (uint64_t) * (const int32_t *)at; break;
    case SAT_F32: f = (double)*(const float *)at; break;
    default: f = *(const double *)at;
    }
    if (s->accum == SAT_Q32) {
        double q = (f - s->quant.offset) / s->quant.step;
        if (!(q >= 0 && q <= (double)s->quant.largest)) return false;
        *value = (sum){.u = (uint64_t)(q + 0.5)};
    } else if (s->power == 2) {
        const bool in_f64 = sat_square_type(s->sample) == SAT_F64;
        if (!sat_is_float(s->sample)) f = (double)(int64_t)u;
        f *= f;
        u = in_f64 ? 0 : u * u;
        *value = !sat_is_float(s->accum) ? (sum){.u = u} : (sum){.f = in_f64 ? (long double)f : (long double)u};
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
    const int64_t channels = spec->channels, width = spec->width;
    const size_t size = sat_type_bytes(spec->accum);
    const sum zero = {0};
    const bool padded = spec->layout == SAT_PADDED, exclusive = spec->layout == SAT_EXCLUSIVE;
    const int64_t zero_column = spec->layout != SAT_INCLUSIVE, zero_rows = padded && !run->continues;

    for (int64_t i = 0; i < width * channels; i++)
        s->above[i] = run->carry_in ? load(spec->accum, (const char *)run->carry_in + (size_t)i * size) : zero;
    for (int64_t x = 0; zero_rows && x <= width; x++)
        for (int64_t c = 0; c < channels; c++) store(spec->accum, sat_sample_at(table, x, 0, c), zero);
    for (int64_t y = 0; y < image->height; y++) {
        if (!sat_goes_on(run, 0, (double)(width * channels) / SAMPLES_PER_US)) return sat_run_status(run);
        const int64_t row = y + zero_rows;
        sum along[4] = {zero, zero, zero, zero}; /* for each channel */
        for (int64_t c = 0; zero_column && c < channels; c++) store(spec->accum, sat_sample_at(table, 0, row, c), zero);
        for (int64_t x = 0; x < width; x++)
            for (int64_t c = 0; c < channels; c++) {
                sum value, *above = &s->above[x * channels + c];
                const sum before = *above;
                if (!sample(spec, sat_sample_at(image, x, y, c), &value))
                    return sat_fail(SAT_ERR_RANGE, "a sample in row %lld lies outside the declared range",
                                    (long long)y);
                along[c] = add(spec->accum, along[c], value);
                *above = add(spec->accum, before, along[c]);
                if (!exclusive || x + 1 < width)
                    store(spec->accum, sat_sample_at(table, x + zero_column, row, c), exclusive ? before : *above);
            }
    }
    for (int64_t i = 0; run->carry_out && i < width * channels; i++)
        store(spec->accum, (char *)run->carry_out + (size_t)i * size, s->above[i]);
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
