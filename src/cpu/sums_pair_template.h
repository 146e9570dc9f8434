/* sums_pair_template.h - rows of SAMPLE, any integer, that are added to sums in ACCUM: samples and their squares.
 *
 * ACCUM: u32 or u64; u16 for samples of 8 bits.  Squares are summed of 8 and 16 bits, in u32 and u64. */
#include "loops_template.h"

/* The difference of two samples is taken in the narrowest type that holds it, then widened once. */
#if BITS_OF(SAMPLE) == 8
#define DIFFERENCE i16
#define PRODUCT    i32
#elif BITS_OF(SAMPLE) == 16
#define DIFFERENCE i32
#define PRODUCT    NAME_2(PRODUCT_IN, ACCUM)
#else
#define DIFFERENCE NAME_2(DIFFERENCE_IN, ACCUM)
#endif
#define DIFFERENCE_IN_u32 u32
#define DIFFERENCE_IN_u64 i64
#define PRODUCT_IN_u32    u32
#define PRODUCT_IN_u64    i64

TARGET static void OF_PAIR(slide)(void *restrict sums, const void *restrict enter, const void *restrict leave,
                                  int64_t n)
{
    ACCUM *restrict s = sums;
    const SAMPLE *restrict e = enter, *restrict l = leave;
    for (int64_t i = 0; i < n; i++) {
        const ACCUM change = (ACCUM)(DIFFERENCE)((DIFFERENCE)e[i] - (DIFFERENCE)l[i]);
        s[i] = (ACCUM)(s[i] + change);
    }
}
TARGET static void OF_PAIR(add)(void *restrict sums, const void *restrict row, uint64_t weight, int64_t n)
{
    ACCUM *restrict s = sums;
    const SAMPLE *restrict r = row;
    const ACCUM w = (ACCUM)weight;
    for (int64_t i = 0; i < n; i++) s[i] = (ACCUM)(s[i] + (ACCUM)(1u * w * (ACCUM)r[i]));
}

/* e^2 - l^2 = (e - l) * (e + l), in a type that holds it, or modulo the sums' width. */
#if BITS_OF(SAMPLE) < 32 && BITS_OF(ACCUM) > 16
TARGET static void OF_PAIR(slide_squares)(void *restrict sums, const void *restrict enter, const void *restrict leave,
                                          int64_t n)
{
    ACCUM *restrict s = sums;
    const SAMPLE *restrict e = enter, *restrict l = leave;
    for (int64_t i = 0; i < n; i++) s[i] += (ACCUM)(((PRODUCT)e[i] - (PRODUCT)l[i]) * ((PRODUCT)e[i] + (PRODUCT)l[i]));
}
TARGET static void OF_PAIR(add_squares)(void *restrict sums, const void *restrict row, uint64_t weight, int64_t n)
{
    ACCUM *restrict s = sums;
    const SAMPLE *restrict r = row;
    for (int64_t i = 0; i < n; i++) s[i] += (ACCUM)weight * (ACCUM)((PRODUCT)r[i] * (PRODUCT)r[i]);
}
#endif

#undef DIFFERENCE
#undef PRODUCT
#undef ACCUM
