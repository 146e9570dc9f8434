/* bench_input.c - the input of a bench: random samples, and which of them count. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "sample_type.h"
#include "sat_image.h"

enum { FILL_BYTES = 1 << 20 /* that a thread fills at a time */ };

/* SplitMix64 (Steele, Lea, Flood 2014): good bits from a counter. */
uint64_t bench_random(uint64_t i)
{
    uint64_t z = (i + 2) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Sums of these are exact in floats: -7.5, -6.5 .. 7.5 are multiples of a half around zero, so that a sum of n of them
 * is one too, and lies within a few times 4.6 sqrt(n); for n = 2^32 that is 3e5, far from the 2^23 at which f32 can no
 * longer hold every half. */
static double centred(uint64_t bits)
{
    return (double)(bits >> 60) - 7.5;
}

size_t bench_view_bytes(const sat_view *v)
{
    return (size_t)v->row_bytes * (size_t)v->height * (size_t)(v->count ? v->count : 1);
}

/* Words, or floats, of part `part` of the input. */
static void fill_part(void *context, int64_t part, int worker)
{
    const bench_case *b = context;
    bool words = b->in.type != SAT_F32 && b->in.type != SAT_F64;
    bool fractions = b->window > 0; /* a filter rounds the means in any case: these make it show */
    size_t size = words ? sizeof(uint64_t) : sat_type_bytes(b->in.type), step = FILL_BYTES / size;
    size_t n = bench_view_bytes(&b->in) / size, first = (size_t)part * step;
    uint64_t *to = b->in.data;
    float *f32 = b->in.data;
    double *f64 = b->in.data;
    (void)worker;
    for (size_t i = first; i < n && i < first + step; i++) {
        uint64_t bits = bench_random(i);
        double value = fractions ? (double)(bits >> 40) * 0x1p-24 : centred(bits);
        if (words)
            to[i] = bits;
        else if (b->in.type == SAT_F32)
            f32[i] = (float)value;
        else
            f64[i] = value;
    }
}

bool bench_fill(bench_case *b, error *err)
{
    if (!view_alloc(&b->in, "the input", err)) return false;
    b->owned = b->in.data;
    size_t bytes = bench_view_bytes(&b->in), tail = bytes % sizeof(uint64_t);
    uint64_t last = bench_random(bytes / sizeof last);
    b->exact = true;
    sat_parallel(b->threads, (int64_t)(bytes / FILL_BYTES + 1), fill_part, b);
    if (b->in.type != SAT_F32 && b->in.type != SAT_F64) memcpy((char *)b->in.data + bytes - tail, &last, tail);
    return true;
}

double bench_sample(sat_type type, const void *row, size_t i)
{
    switch (type) {
    case SAT_U8: return (double)((const uint8_t *)row)[i];
    case SAT_U16: return (double)((const uint16_t *)row)[i];
    case SAT_U32: return (double)((const uint32_t *)row)[i];
    case SAT_I8: return (double)((const int8_t *)row)[i];
    case SAT_I16: return (double)((const int16_t *)row)[i];
    case SAT_I32: return (double)((const int32_t *)row)[i];
    case SAT_F32: return (double)((const float *)row)[i];
    default: return ((const double *)row)[i];
    }
}

/* ---- what counts ---------------------------------------------------------------------------------------- */

enum { ONE_IN = 8 };

/* Holes are drawn by other numbers than samples. */
static bool is_hole(uint64_t i)
{
    return bench_random(~i) % ONE_IN == 0;
}

static bool make_mask(bench_case *b, error *err)
{
    sat_view *m = &b->valid.mask;
    *m = (sat_view){.width = b->in.width, .height = b->in.height, .count = b->in.count, .channels = 1, .type = SAT_U8};
    if (!view_alloc(m, "the mask", err)) return false;
    uint8_t *to = m->data;
    for (size_t i = 0; i < bench_view_bytes(m); i++) to[i] = !is_hole(i);
    return true;
}

static void put_value(bench_case *b, double value)
{
    const size_t size = sat_type_bytes(b->in.type), n = bench_view_bytes(&b->in) / size;
    const bool real = is_float_type(b->in.type);
    const uint32_t u32 = real ? 0 : (uint32_t)(int64_t)value;
    const uint16_t u16 = (uint16_t)u32;
    const uint8_t u8 = (uint8_t)u32;
    const float f32 = (float)value;
    const void *const whole = size == 1 ? (const void *)&u8 : size == 2 ? (const void *)&u16 : &u32;
    const void *const from = !real ? whole : size == 4 ? (const void *)&f32 : &value;
    char *to = b->in.data;
    for (size_t i = 0; i < n; i++)
        if (is_hole(n + i)) memcpy(to + i * size, from, size);
}

bool bench_valid_prepare(bench_case *b, bool masked, error *err)
{
    const bench_valid *v = &b->valid;
    const double value = v->skip_nan ? (double)NAN : v->nodata;
    if ((v->skip_nan || v->has_nodata) && !sat_type_holds(b->in.type, value))
        return fail(err, "--nodata %g: no %s sample can be that", value, sat_type_name(b->in.type));
    if ((v->skip_nan || v->has_nodata) && b->owned) put_value(b, value);
    return !masked || make_mask(b, err);
}

static bool counts_by_value(const bench_valid *v, double x)
{
    return !(v->skip_nan && isnan(x)) && !(v->has_nodata && x == v->nodata);
}

bool bench_valid_at(const bench_case *b, int64_t y, int64_t i)
{
    const bench_valid *v = &b->valid;
    const uint8_t *mask = v->mask.data;
    const double x = bench_sample(b->in.type, (const char *)b->in.data + y * b->in.row_bytes, (size_t)i);
    if (mask && !mask[y * v->mask.row_bytes + i / b->in.channels]) return false;
    return counts_by_value(v, x);
}

/* Of the samples that count by their value, or of their squares. */
double bench_magnitude(const bench_case *b)
{
    const bench_valid *valid = &b->valid;
    const sat_view *in = &b->in;
    double sum = 0;
    size_t n = (size_t)in->width * (size_t)in->channels;
    for (int64_t y = 0; y < in->height * (in->count ? in->count : 1); y++) {
        const void *row = (const char *)in->data + y * in->row_bytes;
        for (size_t i = 0; i < n; i++) {
            const double v = bench_sample(in->type, row, i);
            if (counts_by_value(valid, v)) sum += b->squares ? v * v : fabs(v);
        }
    }
    return sum;
}

sat_run_options bench_valid_run(const bench_case *b)
{
    return (sat_run_options){.mask = b->valid.mask.data ? &b->valid.mask : NULL};
}

const char *bench_valid_label(const bench_case *b)
{
    const bool value = b->valid.skip_nan || b->valid.has_nodata;
    return b->valid.mask.data ? value ? " masked nodata" : " masked" : value ? " nodata" : "";
}
