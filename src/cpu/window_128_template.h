/* window_128_template.h - variances of integers in 128 bits, for one instruction set: loops that compilers vectorise.
 *
 * The numerator n * S2 - S1 * S1 is taken in limbs of 32 bits, whose products are exact in 64; moments.h then divides
 * it in f64, and proves when that is rounded right (paths.def: variance_128). */

#include "numbers_template.h"

#if VECTOR_BYTES == 0
/* Without a fused multiplication there is no exact remainder. */
static int64_t variance_128(f64 *restrict var, const f64 *restrict count, const void *sum, const void *squares,
                            const void *high, bool is_signed, f64 ddof, int64_t n)
{
    (void)count, (void)sum, (void)squares, (void)high, (void)is_signed, (void)ddof;
    for (int64_t i = 0; i < n; i++) var[i] = -1;
    return n;
}
#else

/* n * (low + 2^32 * high) - s * s, which is below 2^127 and not negative, in parts of 43, 43 and 41 bits. */
INLINE void numerator_128(u64 n, u64 s, u64 low, u64 high, u64 *bottom, u64 *middle, u64 *top)
{
    const u64 limb = UINT32_MAX, bits_43 = ((u64)1 << 43) - 1;
    const u64 a = n * (low & limb), b = n * (low >> 32), c = n * (high & limb), d = n * (high >> 32);
    const u64 s0 = s & limb, s1 = s >> 32, e = s0 * s0, f = s0 * s1, g = s1 * s1;
    /* Limbs of either sign, below 2^35, are moved up by 2^40 before they carry. */
    const u64 up = (u64)1 << 40, down = up >> 32;
    const u64 l0 = (a & limb) - (e & limb) + up;
    const u64 l1 = (a >> 32) + (b & limb) + (c & limb) - (e >> 32) - 2 * (f & limb) + (l0 >> 32) - down + up;
    const u64 l2 = (b >> 32) + (c >> 32) + (d & limb) - 2 * (f >> 32) - (g & limb) + (l1 >> 32) - down + up;
    const u64 l3 = (d >> 32) - (g >> 32) + (l2 >> 32) - down;
    *bottom = (l0 & limb) | (l1 << 32 & bits_43);
    *middle = ((l1 & limb) >> 11 | l2 << 21) & bits_43;
    *top = (l2 & limb) >> 22 | l3 << 10;
}

TARGET static int64_t variance_128(f64 *restrict var, const f64 *restrict count, const void *sum, const void *squares,
                                   const void *high, bool is_signed, f64 ddof, int64_t n)
{
    const u64 *restrict s = sum, *restrict q = squares, *restrict h = high ? high : squares;
    const u64 has_high = high ? UINT64_MAX : 0, has_sign = is_signed ? UINT64_MAX : 0;
    u64 open = 0;
    for (int64_t i = 0; i < n; i++) {
        const u64 sign = SIGN_i64(s[i]) & has_sign;
        u64 bottom, middle, top;
        numerator_128(nearest_to(count[i]), (s[i] ^ sign) - sign, q[i], h[i] & has_high, &bottom, &middle, &top);
        /* As sat_quotient_in_f64(). */
        const f64 by = count[i] * (count[i] - ddof);
        const f64 t = f64_of(top) * 0x1p86, m = f64_of(middle) * 0x1p43, b = f64_of(bottom);
        const f64 lower = m + b, upper = t + lower, rest_of_upper = (lower - (upper - t)) + (b - (lower - m));
        const f64 first = upper / by, correction = (__builtin_fma(-first, by, upper) + rest_of_upper) / by;
        const f64 quotient = first + correction, rest = correction - (quotient - first);
        const bool right = (by > 0) & (by <= 0x1p53) & (quotient + rest * (1 + 0x1p-30) == quotient);
        var[i] = right ? quotient : -1;
        open += !right;
    }
    return (int64_t)open;
}
#endif
