/* numbers_template.h - sums as numbers: their signs, their values as f64, quotients.
 *
 * Sums of signed samples are two's complements in unsigned types (box_window.h): a sum of BITS bits is read as a VALUE,
 * whose sign S is u or i. */
#ifndef SAT_CPU_NUMBERS_H
#define SAT_CPU_NUMBERS_H

#include "loops_template.h"

#define VALUE           JOIN(S, BITS)
#define SUM             JOIN(u, BITS)
#define OF_VALUE(name)  NAME_2(name, VALUE)
#define OF_RESULT(name) NAME_3(name, VALUE, RESULT)

/* An integer below 2^52 as f64, by its bits: gcc 12 converts 64-bit integers one by one. */
INLINE f64 f64_of(u64 n)
{
#if VECTOR_BYTES == 0
    return (f64)(i64)n;
#else
    f64 v;
    n |= (u64)0x433 << 52;
    memcpy(&v, &n, sizeof v);
    return v - 0x1p52;
#endif
}

/* The integer nearest to v, 0 <= v < 2^52. */
INLINE u64 nearest_to(f64 v)
{
    u64 n;
    v += 0x1p52;
    memcpy(&n, &v, sizeof n);
    return n & (((u64)1 << 52) - 1);
}

/* All ones for a sum below zero. */
#define SIGN_u16(sum) ((u16)0)
#define SIGN_i16(sum) ((u16)(0 - ((i16)(sum) < 0)))
#define SIGN_u32(sum) ((u32)0)
#define SIGN_i32(sum) ((u32)0 - ((i32)(sum) < 0))
#define SIGN_u64(sum) ((u64)0)
#define SIGN_i64(sum) ((u64)0 - ((i64)(sum) < 0))

/* The upper 32 bits of a sum, times 2^32, and the lower.  f64_of() takes no negative numbers: signed ones are moved up
 * by 2^31, and back. */
#define UPPER_u64(sum) (f64_of((sum) >> 32) * 0x1p32)
#define UPPER_i64(sum) ((f64_of(((sum) >> 32) ^ 0x80000000) - 0x1p31) * 0x1p32)
#define LOWER(sum)     f64_of((sum)&UINT32_MAX)

/* The f64 nearest to a sum. */
#define F64_u16(sum) ((f64)(i32)(u16)(sum))
#define F64_i16(sum) ((f64)(i32)(i16)(sum))
#define F64_u32(sum) f64_of((u32)(sum))
#define F64_i32(sum) ((f64)(i32)(sum))
#define F64_u64(sum) (UPPER_u64(sum) + LOWER(sum))
#define F64_i64(sum) (UPPER_i64(sum) + LOWER(sum))

/* ---- quotients of floats ------------------------------------------------------------------------------- */

/* Where there is a fused product, the residue of an estimated quotient is exact, and dividing that as well gives the
 * nearest quotient (Markstein 1990): box_float_template.h has the argument for f64 and divisors below 2^40.  In f32,
 * with sums below 2^24 and divisors below 2^17: the second quotient is at most 2 units of the first one's last place
 * (ulp), with an error of 2^-23 of itself; and a quotient of two integers below 2^24 is no middle of two floats, and so
 * at least ulp / (2 * divisor) from one.
 *
 * It is also the f64 quotient, rounded: twice as many bits and two more make that harmless (Figueroa 1995). */
INLINE f32 quotient_f32(f32 sum, f32 d, f32 per_d)
{
#if VECTOR_BYTES == 0
    (void)per_d;
    return sum / d;
#else
    const f32 q = sum * per_d;
    return __builtin_fmaf(__builtin_fmaf(-q, d, sum), per_d, q);
#endif
}

INLINE f64 quotient_f64(f64 sum, f64 d, f64 per_d)
{
#if VECTOR_BYTES == 0
    (void)per_d;
    return sum / d;
#else
    const f64 q = sum * per_d;
    return __builtin_fma(__builtin_fma(-q, d, sum), per_d, q);
#endif
}

/* As sat_real_quotient(), which has the proof. */
INLINE f64 quotient_of_parts(f64 upper, f64 lower, f64 d, f64 per_d)
{
    const f64 high = upper + lower, low = lower - (high - upper), q = high * per_d;
    return q + (__builtin_fma(-q, d, high) + low) / d;
}

/* sum / d by one divisor for many sums, and by another for each. */
#define MEAN_u16(sum, d, per_d) quotient_f64(F64_u16(sum), d, per_d)
#define MEAN_i16(sum, d, per_d) quotient_f64(F64_i16(sum), d, per_d)
#define MEAN_u32(sum, d, per_d) quotient_f64(F64_u32(sum), d, per_d)
#define MEAN_i32(sum, d, per_d) quotient_f64(F64_i32(sum), d, per_d)
#define MEAN_u64(sum, d, per_d) quotient_of_parts(UPPER_u64(sum), LOWER(sum), d, per_d)
#define MEAN_i64(sum, d, per_d) quotient_of_parts(UPPER_i64(sum), LOWER(sum), d, per_d)
#define QUOTIENT_u16(sum, d)    (F64_u16(sum) / (d))
#define QUOTIENT_i16(sum, d)    (F64_i16(sum) / (d))
#define QUOTIENT_u32(sum, d)    (F64_u32(sum) / (d))
#define QUOTIENT_i32(sum, d)    (F64_i32(sum) / (d))
#define QUOTIENT_u64(sum, d)    MEAN_u64(sum, d, 1 / (d))
#define QUOTIENT_i64(sum, d)    MEAN_i64(sum, d, 1 / (d))

/* ---- quotients of integers ----------------------------------------------------------------------------- */

/* In 16 bits f32 holds numerator and divisor exactly, and their quotient is truncated to the right integer: where it is
 * not whole it lies 1/d or more below the next integer, and rounding moves it by less.
 *
 * Larger ones are estimated, and the rest, which is exact, says whether the integer is the right one.  In 32 bits the
 * three roundings to f32 move a quotient below 2^17 by less than 1, and d is below 2^25, since d times the largest
 * sample fits.  In 64 bits the three roundings to f64 move a quotient below 2^32 + 1 by less than 2^-18, so that the
 * nearest integer is the right one, or one more.  Larger quotients, of signed weights, stay so large that they are cut.
 */
INLINE u16 whole_quotient_u16(u16 sum, u16 d)
{
    return (u16)(i32)((f32)sum / (f32)d);
}
INLINE u32 whole_quotient_u32(u32 sum, u32 d)
{
    const f32 estimate = (f32)sum / (f32)d;
    const u32 q = (u32)(i32)(estimate < 0x1p30f ? estimate : 0x1p30f);
    const i32 rest = (i32)(sum - q * d);
    return q - (rest < 0) + (rest >= (i32)d);
}
INLINE u64 whole_quotient_u64(u64 sum, u64 d)
{
    if (VECTOR_BYTES == 0) return sum / d;
    const f64 estimate = F64_u64(sum) / F64_u64(d);
    const u64 q = nearest_to(estimate < 0x1p50 ? estimate : 0x1p50);
    return q - ((sum - q * d) >> 63);
}

#endif
