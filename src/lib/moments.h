/* moments.h - the variance and the mean of squares from a count n, a sum S1 and a sum of squares S2, and what follows:
 *
 *     var = (n * S2 - S1 * S1) / (n * (n - ddof))      std = sqrt(var)      rms = sqrt(S2 / n)
 *
 * Integers: the numerator is exact in 128 bits.  n < 2^63 and S2 < 2^64, so n * S2 < 2^127; or, of a window's 32-bit
 * samples, n < 2^32 and S2 < 2^96, and n * S2 - S1 * S1 is at most a quarter of n^2 * 2^64 (Popoviciu).  And
 * S1 * S1 <= n * S2 (Cauchy and Schwarz), so the difference is not negative, and 0 for equal samples.  The quotient is
 * rounded once.
 *
 * Integer samples in tables of floats: the variance of x - c, where c is the integer nearest to the mean. The sums of x
 * - c and of (x - c)^2 are those of x and x^2, less multiples of c and n, in 128 bits: |c| <= 2^32, n < 2^47 and S2 <
 * 2^112 keep all terms below 2^113. The mean of x - c is at most 1/2, so little cancels.
 *
 * Floats: S2 - S1 * (S1 / n) loses what the two terms have in common; below 0 it is 0.  sat.h states the bound.
 *
 * Written once, for C and for kernels: SAT_BOTH and SAT_PRODUCT are those of rectangle.h. */
#ifndef SAT_MOMENTS_H
#define SAT_MOMENTS_H

#include <math.h>

#include "rectangle.h"

__extension__ typedef unsigned __int128 sat_u128;
__extension__ typedef __int128 sat_i128;

/* a / b, rounded once to the nearest double, ties to even; 0 < b < 2^127.  Bit by bit. */
SAT_BOTH double sat_quotient_by_bits(sat_u128 a, sat_u128 b)
{
    const sat_u128 enough = (sat_u128)1 << 54;
    sat_u128 q = a / b, r = a % b;
    double unit = 1; /* a / b = (q + r / b) * unit */
    while (q < enough && r != 0) {
        /* r < b < 2^64: the next 64 bits at once; q < 2^54 has room for them. */
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): clang 14 cannot shift 128 bits */
        if (b >> 64 == 0) {
            q = q << 64 | (r << 64) / b;
            r = (r << 64) % b;
            unit *= 0x1p-64;
        } else {
            r <<= 1;
            q = q << 1 | (r >= b);
            if (r >= b) r -= b;
            unit *= 0.5;
        }
    }
    /* Now q has at least 55 bits, or is all of the quotient.  A lowest bit that says whether anything lies below it
     * rounds as all that it stands for. */
    bool below = r != 0;
    while (q >> 62 != 0) {
        const int bits = q >> 94 != 0 ? 32 : q >> 70 != 0 ? 8 : 1;
        below = below || (q & (((sat_u128)1 << bits) - 1)) != 0;
        q >>= bits;
        unit *= (double)((uint64_t)1 << bits);
    }
    return (double)((uint64_t)q | below) * unit;
}

/* The same in f64, for a < 2^127 and b <= 2^53; false if that leaves open how to round, as near a tie.
 *
 * a = high + low, low being below 2^-52 of a and wrong by 2^-104 at most.  q is the rounded quotient of high; its
 * remainder is exact (fma), and with low it is divided as well.  So quotient + rest, which are one sum rounded and what
 * it lost, are a / b but for 2^-102 of it.  Half a unit in the last place is 2^-54 of it at least: the rounding is
 * right unless the rest is within 2^-30 of itself of that half. */
SAT_BOTH bool sat_quotient_in_f64(sat_u128 a, double b, double *quotient)
{
    const uint64_t limb = ((uint64_t)1 << 43) - 1;
    const double top = (double)(uint64_t)(a >> 86) * 0x1p86, middle = (double)((uint64_t)(a >> 43) & limb) * 0x1p43,
                 bottom = (double)((uint64_t)a & limb), lower = middle + bottom, high = top + lower;
    const double low = (lower - (high - top)) + (bottom - (lower - middle));
    const double q = high / b, correction = (fma(-q, b, high) + low) / b;
    *quotient = q + correction;
    const double rest = correction - (*quotient - q);
    return *quotient + rest * (1 + 0x1p-30) == *quotient;
}

SAT_BOTH double sat_quotient(sat_u128 a, sat_u128 b)
{
    const sat_u128 exact = (sat_u128)1 << 53;
    if (a <= exact && b <= exact) return (double)(uint64_t)a / (double)(uint64_t)b;
    double quotient;
    if (b <= exact && sat_quotient_in_f64(a, (double)(uint64_t)b, &quotient)) return quotient;
    return sat_quotient_by_bits(a, b);
}

/* Of n integer samples; s1: the magnitude of their sum.  NaN if n <= ddof.  Sums of no samples, as a damaged table may
 * give, are taken for equal samples' where the numerator would be negative. */
SAT_BOTH double sat_variance_u(uint64_t n, uint64_t s1, sat_u128 s2, uint64_t ddof)
{
    if (n <= ddof) return NAN;
    const sat_u128 above = n * s2, below = (sat_u128)s1 * s1;
    return above > below ? sat_quotient(above - below, (sat_u128)n * (n - ddof)) : 0;
}

/* The same of a sum with a sign. */
SAT_BOTH double sat_variance_i(uint64_t n, int64_t s1, uint64_t s2, uint64_t ddof)
{
    return sat_variance_u(n, s1 < 0 ? -(uint64_t)s1 : (uint64_t)s1, s2, ddof);
}

/* Of n float samples. */
SAT_BOTH double sat_variance_f(double n, double s1, double s2, double ddof)
{
    if (n <= ddof) return NAN;
    const double var = (s2 - SAT_PRODUCT(s1, s1 / n)) / (n - ddof);
    return var < 0 ? 0 : var;
}

/* ---- of a rectangle, from a table of sums and one of squares -------------------------------------------- */

SAT_BOTH bool sat_is_real(sat_type type)
{
    return type == SAT_F32 || type == SAT_F64 || type == SAT_Q32;
}

SAT_BOTH double sat_sum_as_double(sat_type type, sat_sum sum)
{
    return sat_is_real(type) ? sum.f : type == SAT_I32 || type == SAT_I64 ? (double)sum.i : (double)sum.u;
}

/* Returns a sum of integer samples, whatever its type; 0 if it is NaN or 2^112 or more, as only a damaged table has. */
SAT_BOTH sat_i128 sat_sum_as_integer(sat_type type, sat_sum sum)
{
    if (sat_is_real(type)) return fabs(sum.f) < 0x1p112 ? (sat_i128)sum.f : 0;
    return type == SAT_I32 || type == SAT_I64 ? (sat_i128)sum.i : (sat_i128)sum.u;
}

/* Returns the integer nearest to a mean, between -2^32 and 2^32. */
SAT_BOTH int64_t sat_center_of(double mean)
{
    return (int64_t)llrint(fmax(-0x1p32, fmin(mean, 0x1p32)));
}

/* The sums of x - c and of (x - c)^2 over n samples, from those of x and x^2. */
typedef struct sat_centered {
    double sum, squares;
} sat_centered;
SAT_BOTH sat_centered sat_centered_sums(sat_i128 s1, sat_i128 s2, int64_t n, int64_t c)
{
    sat_centered d;
    d.sum = (double)(s1 - (sat_i128)c * n);
    d.squares = (double)(s2 - 2 * c * s1 + (sat_i128)c * c * n);
    return d;
}

/* Returns the variance of n valid samples, NaN if n <= ddof. s1, s2: sat_rect_sum() of sums and squares. */
SAT_BOTH double sat_count_variance(const sat_reader *sums, const sat_reader *squares, sat_sum s1, sat_sum s2,
                                   uint64_t n, int64_t ddof)
{
    const bool real = sat_is_real(sums->type) || sat_is_real(squares->type);
    if (real && n == 1 && isfinite(sat_sum_as_double(sums->type, s1)))
        return ddof < 1 ? 0 : NAN; /* exactly: sums are rounded */
    if (real && sums->whole) {
        const int64_t c = sat_center_of(sat_sum_as_double(sums->type, s1) / (double)n);
        const sat_centered d =
            sat_centered_sums(sat_sum_as_integer(sums->type, s1), sat_sum_as_integer(squares->type, s2), (int64_t)n, c);
        return sat_variance_f((double)n, d.sum, d.squares, (double)ddof);
    }
    if (real)
        return sat_variance_f((double)n, sat_sum_as_double(sums->type, s1), sat_sum_as_double(squares->type, s2),
                              (double)ddof);
    const bool is_signed = sums->type == SAT_I32 || sums->type == SAT_I64;
    return is_signed ? sat_variance_i(n, s1.i, s2.u, (uint64_t)ddof) : sat_variance_u(n, s1.u, s2.u, (uint64_t)ddof);
}

SAT_BOTH double sat_count_mean_square(const sat_reader *squares, sat_sum s2, uint64_t n)
{
    return sat_is_real(squares->type) ? s2.f / (double)n : sat_quotient(s2.u, n);
}

/* Where all samples of the rectangle count. */
SAT_BOTH double sat_rect_variance(const sat_reader *sums, const sat_reader *squares, sat_sum s1, sat_sum s2,
                                  const sat_rect *rect, int64_t ddof)
{
    return sat_count_variance(sums, squares, s1, s2, (uint64_t)rect->width * (uint64_t)rect->height, ddof);
}

SAT_BOTH double sat_rect_mean_square(const sat_reader *squares, sat_sum s2, const sat_rect *rect)
{
    return sat_count_mean_square(squares, s2, (uint64_t)rect->width * (uint64_t)rect->height);
}

#endif
