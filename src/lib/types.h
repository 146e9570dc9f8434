/* types.h - what follows from an element type: the range of samples, and which accumulator holds which sums. */
#ifndef SAT_TYPES_H
#define SAT_TYPES_H

#include <math.h>

#include "sat.h"

/* Largest value of an integer sample type, 0 for the others. */
static inline uint64_t sat_sample_max(sat_type sample)
{
    switch (sample) {
    case SAT_U8: return UINT8_MAX;
    case SAT_U16: return UINT16_MAX;
    case SAT_U32: return UINT32_MAX;
    case SAT_I8: return INT8_MAX;
    case SAT_I16: return INT16_MAX;
    case SAT_I32: return INT32_MAX;
    default: return 0;
    }
}

/* Samples or sums that can be negative integers. */
static inline bool sat_is_signed(sat_type type)
{
    return type == SAT_I8 || type == SAT_I16 || type == SAT_I32 || type == SAT_I64;
}

/* Smallest value of an integer sample type, 0 for the others. */
static inline int64_t sat_sample_min(sat_type sample)
{
    return sat_is_signed(sample) ? -(int64_t)sat_sample_max(sample) - 1 : 0;
}

static inline bool sat_is_float(sat_type type)
{
    return type == SAT_F32 || type == SAT_F64;
}

/* Returns whether a table of type accum may have this level (sat_table.level). */
static inline bool sat_is_level(double level, sat_type sample, sat_type accum)
{
    if (!sat_is_float(sample) || accum != SAT_F64) return level == 0;
    return isfinite(level) && (sample != SAT_F32 || (double)(float)level == level);
}

/* SAT_ERR_TYPE, with the way out, for what is no type of samples. */
sat_status sat_check_sample(sat_type sample);

/* Is the sum of area_px samples of at most `largest` below 2^bits? */
static inline bool sat_sum_fits(int64_t area_px, uint64_t largest, int bits)
{
    uint64_t limit = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    return largest == 0 || (uint64_t)area_px <= limit / largest;
}

/* How many samples of that type may be summed so that the accumulator is proven to hold their sum: 0 .. INT64_MAX.
 * quant: of q32, else not used. */
int64_t sat_largest_area(sat_type sample, sat_type accum, const sat_quant *quant);

/* ---- squares ---- */

/* The type that holds the squares of samples of that type: exactly, but for those of u32, i32 and f64, which are
 * rounded to f64. */
static inline sat_type sat_square_type(sat_type sample)
{
    const size_t bytes = sat_type_bytes(sample);
    return bytes == 1 ? SAT_U16 : bytes == 2 ? SAT_U32 : SAT_F64;
}

/* The same as sat_combines(), sat_largest_area() and sat_accum_for() for a power of the samples, 1 or 2, or for
 * SAT_COUNTS. */
bool sat_power_combines(sat_type sample, int power, sat_type accum);
int64_t sat_power_area(sat_type sample, int power, sat_type accum, const sat_quant *quant);
sat_type sat_power_accum(sat_type sample, int power, int64_t largest_rect_px);

static inline bool sat_is_power(int power)
{
    return power == 1 || power == 2 || power == SAT_COUNTS;
}

/* "squares of ": of what a table has sums. */
static inline const char *sat_power_words(int power)
{
    return power == 2 ? "squares of " : power == SAT_COUNTS ? "counts of " : "";
}

/* The type that backends sum in: sums modulo 2^32 or 2^64 are the same bits whether they are read as signed or not. */
static inline sat_type sat_backend_accum(sat_type accum)
{
    return accum == SAT_I32 ? SAT_U32 : accum == SAT_I64 ? SAT_U64 : accum;
}

/* The type that backends take samples for: that of the samples, but u32 for i32 ones that are summed modulo 2^32. */
static inline sat_type sat_backend_sample(sat_type sample, sat_type accum)
{
    return sample == SAT_I32 && (accum == SAT_I32 || accum == SAT_U32) ? SAT_U32 : sample;
}

/* Can samples of that type be summed in that accumulator? */
bool sat_combines(sat_type sample, sat_type accum);

/* Is it a fixed point as sat.h defines it?  q and its sums fit 32 bits, and 1 / step is exact. */
bool sat_quant_ok(const sat_quant *quant);

#endif
