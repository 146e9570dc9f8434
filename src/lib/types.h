/* types.h - what follows from an element type: the largest sample, and which accumulator holds which sums. */
#ifndef SAT_TYPES_H
#define SAT_TYPES_H

#include "sat.h"

/* Largest value of an integer sample type, 0 for the others. */
static inline uint64_t sat_sample_max(sat_type sample)
{
    return sample == SAT_U8 ? UINT8_MAX : sample == SAT_U16 ? UINT16_MAX : sample == SAT_U32 ? UINT32_MAX : 0;
}

static inline bool sat_is_float(sat_type type)
{
    return type == SAT_F32 || type == SAT_F64;
}

/* Is the sum of area_px samples of at most `largest` below 2^bits? */
static inline bool sat_sum_fits(int64_t area_px, uint64_t largest, int bits)
{
    uint64_t limit = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    return largest == 0 || (uint64_t)area_px <= limit / largest;
}

/* Can samples of that type be summed in that accumulator? */
bool sat_combines(sat_type sample, sat_type accum);

/* Is it a fixed point as sat.h defines it?  q and its sums fit 32 bits, and 1 / step is exact. */
bool sat_quant_ok(const sat_quant *quant);

#endif
