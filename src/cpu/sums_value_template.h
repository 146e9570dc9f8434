/* sums_value_template.h - sums of BITS bits, 16, 32 or 64, that are read as VALUE, of sign S: means, and moments of
 * windows. */
#include "numbers_template.h"

/* The integer mean of a sum, d being another number than 0: weights of signed samples may be below zero, and their sum,
 * too.  Then a mean may be one that no sample has, and is cut to their range. */
INLINE VALUE OF_VALUE(rounded)(SUM sum, SUM d, i64 least, i64 most)
{
    const SUM sign = OF_VALUE(SIGN)(sum), by = OF_VALUE(SIGN)(d), divisor = (SUM)((SUM)(d ^ by) - by);
    const SUM rounded = (SUM)((SUM)((SUM)(sum ^ sign) - sign) + divisor / 2);
    const VALUE mean = (VALUE)((SUM)(NAME_2(whole_quotient, SUM)(rounded, divisor) ^ sign ^ by) - (SUM)(sign ^ by));
    return least == 0 ? mean : mean > (VALUE)most ? (VALUE)most : mean < (VALUE)least ? (VALUE)least : mean;
}

#define RESULT JOIN(S, 8)
#include "sums_mean_template.h"
#if BITS > 16
#define RESULT JOIN(S, 16)
#include "sums_mean_template.h"
#endif
#if BITS > 32
#define RESULT JOIN(S, 32)
#include "sums_mean_template.h"
#endif
#define RESULT f32
#include "sums_mean_template.h"
#define RESULT f64
#include "sums_mean_template.h"

#if BITS < 64
TARGET static void NAME_3(divide, VALUE, f24)(void *restrict out, const void *restrict upper,
                                              const void *restrict lower, uint64_t divisor, int64_t n)
{
    f32 *restrict o = out;
    const SUM *restrict a = upper, *restrict b = lower;
    const f32 d = (f32)divisor, per_d = 1 / d;
    for (int64_t i = 0; i < n; i++) o[i] = quotient_f32((f32)(i32)(VALUE)(SUM)(a[i] - b[i]), d, per_d);
}
#endif

#if BITS > 16
TARGET static void OF_VALUE(to_f64)(f64 *restrict out, const void *restrict sums, int64_t n)
{
    const SUM *restrict s = sums;
    for (int64_t i = 0; i < n; i++) out[i] = OF_VALUE(F64)(s[i]);
}

TARGET static void OF_VALUE(quotient)(f64 *restrict out, const void *restrict sums, const f64 *restrict count,
                                      int64_t n)
{
    const SUM *restrict s = sums;
    for (int64_t i = 0; i < n; i++) out[i] = OF_VALUE(QUOTIENT)(s[i], count[i]);
}

#if BITS == 32
#define SQUARES u32
#include "sums_moments_template.h"
#endif
#define SQUARES u64
#include "sums_moments_template.h"
#endif
#undef S
