/* serial_scan.c - the reference for scans of one array: one running sum, in uint64_t for integers and long double
 * for floats, rounded once per element.
 *
 * The chapter's table compares a device with this loop, so that its time must be that of its additions.  Integers take
 * one cycle each, as each addition waits for the one before.  A trip around a loop of one element takes one to two,
 * depending on where the compiler puts it; so a trip is eight elements. */
#include <stdio.h>

#include "backend.h"
#include "scan_method.h"

typedef void scan(const void *in, void *out, int64_t n, bool exclusive);

#define SCAN(in_type, sum_type, out_type)                                                                              \
    static void in_type##_to_##out_type(const void *in, void *out, int64_t n, bool exclusive)                          \
    {                                                                                                                  \
        const in_type *from = in;                                                                                      \
        out_type *to = out;                                                                                            \
        sum_type sum = 0;                                                                                              \
        _Pragma("GCC unroll 8") for (int64_t i = 0; i < n; i++)                                                        \
        {                                                                                                              \
            sum_type before = sum;                                                                                     \
            sum += (sum_type)from[i];                                                                                  \
            to[i] = (out_type)(exclusive ? before : sum);                                                              \
        }                                                                                                              \
    }
#define INTEGER(in_type)                                                                                               \
    SCAN(in_type, uint64_t, uint32_t)                                                                                  \
    SCAN(in_type, uint64_t, uint64_t)                                                                                  \
    SCAN(in_type, long_double, float)                                                                                  \
    SCAN(in_type, long_double, double)
typedef long double long_double;
INTEGER(uint8_t)
INTEGER(uint16_t)
INTEGER(uint32_t)
INTEGER(int8_t)
INTEGER(int16_t)
SCAN(int32_t, uint64_t, uint64_t)
SCAN(int32_t, long_double, float)
SCAN(int32_t, long_double, double)
SCAN(uint64_t, uint64_t, uint64_t)
SCAN(float, long_double, float)
SCAN(float, long_double, double)
SCAN(double, long_double, double)

static const struct {
    sat_type sample, accum;
    scan *run;
} scans[] = {
#define INTEGER_ROWS(type, in_type)                                                                                    \
    {type, SAT_U32, in_type##_to_uint32_t}, {type, SAT_U64, in_type##_to_uint64_t},                                    \
        {type, SAT_F32, in_type##_to_float},                                                                           \
    {                                                                                                                  \
        type, SAT_F64, in_type##_to_double                                                                             \
    }
    INTEGER_ROWS(SAT_U8, uint8_t),
    INTEGER_ROWS(SAT_U16, uint16_t),
    INTEGER_ROWS(SAT_U32, uint32_t),
    INTEGER_ROWS(SAT_I8, int8_t),
    INTEGER_ROWS(SAT_I16, int16_t),
    {SAT_I32, SAT_U64, int32_t_to_uint64_t},
    {SAT_I32, SAT_F32, int32_t_to_float},
    {SAT_I32, SAT_F64, int32_t_to_double},
    {SAT_U64, SAT_U64, uint64_t_to_uint64_t},
    {SAT_F32, SAT_F32, float_to_float},
    {SAT_F32, SAT_F64, float_to_double},
    {SAT_F64, SAT_F64, double_to_double},
};

typedef struct serial {
    scan *run;
    int64_t length;
    bool exclusive;
} serial;

static bool probe(const char **why)
{
    *why = "one thread";
    return true;
}

static sat_status open_scan(const sat_scan_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes)
{
    if (spec->block_threads || spec->thread_items || spec->naive_staging)
        return sat_fail(SAT_ERR_UNAVAILABLE, "one thread does it, so there are no blocks to choose");
    serial *s = sat_arena_alloc(arena, sizeof *s);
    if (s == NULL) return sat_fail(SAT_ERR_MEMORY, "out of memory for a scan");
    *s = (serial){.length = spec->length, .exclusive = spec->exclusive};
    for (size_t i = 0; i < sizeof scans / sizeof *scans; i++)
        if (scans[i].sample == spec->sample && scans[i].accum == spec->accum) s->run = scans[i].run;
    if (s->run == NULL)
        return sat_fail(SAT_ERR_TYPE, "%s to %s", sat_type_name(spec->sample), sat_type_name(spec->accum));
    snprintf(note, note_bytes, "serial, 1 thread");
    *state = s;
    return SAT_OK;
}

static sat_status run_scan(void *state, const void *in, void *out, void *stream)
{
    const serial *s = state;
    (void)stream;
    s->run(in, out, s->length, s->exclusive);
    return SAT_OK;
}

const sat_scan_method sat_scan_serial = {
    .name = "serial",
    .summary = "the reference: one thread, one running sum, the widest arithmetic",
    .traffic = {.in_reads = 1, .out_reads = 0, .out_writes = 1},
    .kind = SAT_REFERENCE,
    .probe = probe,
    .open = open_scan,
    .run = run_scan,
};
