/* sums_mean_template.h - sums that are read as VALUE (numbers_template.h) to means of RESULT: an integer of the
 * sign S with 8 bits, 16 if BITS are 32 or 64, or 32 if BITS are 64; f32 or f64.
 *
 * An integer mean is that of the magnitude, with the sign put back: so halves go away from zero.  Division by one
 * divisor d is exact: the quotient is estimated, and the remainder, which is exact, says whether it is one more, or one
 * less. */
#include "numbers_template.h"
#include "path.h"

#if !IS_FLOAT(RESULT)
TARGET static void OF_RESULT(divide)(void *restrict out, const void *restrict upper, const void *restrict lower,
                                     uint64_t divisor, int64_t n)
{
    RESULT *restrict o = out;
    const SUM *restrict a = upper, *restrict b = lower;
    const SUM half = (SUM)(divisor / 2);
#if BITS == 16
    /* The estimate is value * floor(2^16 / d) / 2^16, short by value * (2^16 mod d) / (d * 2^16) < 1. */
    const u16 d = (u16)divisor, per_d = (u16)(65536 / (divisor > 1 ? divisor : 2));
    for (int64_t i = 0; divisor == 1 && i < n; i++) o[i] = (RESULT)(a[i] - b[i]);
    for (int64_t i = 0; divisor > 1 && i < n; i++) {
        const u16 sum = (u16)(a[i] - b[i]), sign = OF_VALUE(SIGN)(sum);
        const u16 value = (u16)((u16)(sum ^ sign) - sign + half), q = (u16)((u32)value * per_d >> 16);
        const u16 rest = (u16)(value - (u16)(q * d));
        o[i] = (RESULT)((u16)((u16)(q + (rest >= d)) ^ sign) - sign);
    }
#elif BITS == 32
/* The estimate is the product with a little less than 1/d: the two roundings are made up for, and with quotients below
 * 2^16 the deficit is below 2^16 * 2^-20.  The magnitude and half the divisor are below 2^31 where sums are signed. */
#define LOOP(FLOAT, INTEGER)                                                                                           \
    {                                                                                                                  \
        const FLOAT d = (FLOAT)divisor, per_d = (1 - (FLOAT)0x1p-21) / d;                                              \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            const u32 sum = a[i] - b[i], sign = OF_VALUE(SIGN)(sum);                                                   \
            const FLOAT value = (FLOAT)(INTEGER)((sum ^ sign) - sign + half);                                          \
            const i32 q = (i32)(value * per_d);                                                                        \
            const FLOAT rest = value - (FLOAT)q * d;                                                                   \
            o[i] = (RESULT)(((u32)(q + (rest >= d)) ^ sign) - sign);                                                   \
        }                                                                                                              \
    }
    /* f32 (paths.def: divide_f32) has the precision for sum + d/2, which is below d * (the largest magnitude + 1), or
     * f64 has. */
    if (SAT_PATH(divide_f32) && divisor * ((u64)MOST_OF(RESULT) + IS_SIGNED(RESULT) + 1) < (u64)1 << 24)
        LOOP(f32, i32)
    else
        LOOP(f64, VALUE)
#undef LOOP
#else
    /* The quotient (paths.def: divide_long), below 2^32 + 1, is estimated in f64.  Its three roundings, each of 2^-53,
     * move it by less than 2^-18.  So the nearest integer is the right one, or one more, which the rest says: that is
     * taken in integers, and is less than the divisor. */
    if (!SAT_PATH(divide_long) || VECTOR_BYTES == 0 || divisor > UINT32_MAX) {
        for (int64_t i = 0; i < n; i++) {
            const u64 sum = a[i] - b[i], sign = OF_VALUE(SIGN)(sum), q = ((sum ^ sign) - sign + half) / divisor;
            o[i] = (RESULT)((q ^ sign) - sign);
        }
        return;
    }
    const f64 per_d = 1 / (f64)divisor;
    for (int64_t i = 0; i < n; i++) {
        const u64 sum = a[i] - b[i], sign = OF_VALUE(SIGN)(sum), rounded = (sum ^ sign) - sign + half;
        u64 q = nearest_to(F64_u64(rounded) * per_d);
        q -= (rounded - q * divisor) >> 63;
        o[i] = (RESULT)((q ^ sign) - sign);
    }
#endif
}

#elif BITS > 16 || BITS_OF(RESULT) == 64
TARGET static void OF_RESULT(divide)(void *restrict out, const void *restrict upper, const void *restrict lower,
                                     uint64_t divisor, int64_t n)
{
    RESULT *restrict o = out;
    const SUM *restrict a = upper, *restrict b = lower;
    const f64 d = (f64)divisor, per_d = 1 / d;
    for (int64_t i = 0; i < n; i++) {
        const SUM sum = (SUM)(a[i] - b[i]);
        o[i] = (RESULT)OF_VALUE(MEAN)(sum, d, per_d);
    }
}
#endif

/* A divisor for each mean; by a divisor of 0, for which 1 stands so that nothing branches, the mean is 0.  Divisors are
 * read as the sums are: an area is below their largest value, signed or not. */
TARGET static void OF_RESULT(divide_each)(void *restrict out, const void *restrict sums, const void *restrict divisors,
                                          int64_t n)
{
    RESULT *restrict o = out;
    const SUM *restrict s = sums, *restrict by = divisors;
    for (int64_t i = 0; i < n; i++) {
        const SUM d = (SUM)(by[i] + (by[i] == 0));
#if IS_FLOAT(RESULT)
        const f64 divisor = OF_VALUE(F64)(d);
        const RESULT to = (RESULT)OF_VALUE(QUOTIENT)(s[i], divisor);
#else
        const RESULT to = (RESULT)OF_VALUE(rounded)(s[i], d, LEAST_OF(RESULT), MOST_OF(RESULT));
#endif
        o[i] = by[i] ? to : 0;
    }
}

#undef RESULT
