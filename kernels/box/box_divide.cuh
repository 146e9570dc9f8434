/* box_divide.cuh - quotients: exact ones of integers, and those of reals by a reciprocal that is corrected. */
#ifndef BOX_DIVIDE_CUH
#define BOX_DIVIDE_CUH

#include "prim/device.cuh"

namespace box
{

/* n / area for quotients below 2^16, of 64 bits below 2^33: a float, or double, is off by less than one, and the
 * remainder shows in which direction. */
PRIM_DEVICE uint32_t quotient(uint32_t n, uint32_t area)
{
    uint32_t q = (uint32_t)((float)n / (float)area);
    const int32_t rest = (int32_t)(n - q * area);
    if (rest < 0) return q - 1;
    return rest >= (int32_t)area ? q + 1 : q;
}
PRIM_DEVICE uint32_t quotient(uint64_t n, uint64_t area)
{
    uint64_t q = (uint64_t)((double)n / (double)area);
    const int64_t rest = (int64_t)(n - q * area);
    if (rest < 0) return (uint32_t)(q - 1);
    return (uint32_t)(rest >= (int64_t)area ? q + 1 : q);
}

/* sat_real_quotient() of box_window.h, operation by operation; box_window.c has the proof. */
PRIM_DEVICE double real_quotient(uint64_t sum, uint64_t by, bool is_signed)
{
    if (by == 0) return 0;
    const double upper = (is_signed ? (double)((int64_t)sum >> 32) : (double)(sum >> 32)) * 4294967296.0,
                 lower = (double)(sum & UINT32_MAX), high = upper + lower, low = lower - (high - upper);
    const double d = is_signed ? (double)(int64_t)by : (double)by, q = prim::product(high, 1 / d);
    return q + (prim::multiply_add(-q, d, high) + low) / d;
}

/* The same where 1 / area is nearly known: as a float, it makes quotients below 2^16 that are off by less than one. */
template <class Sum> PRIM_DEVICE uint32_t quotient(Sum n, Sum area, float share)
{
    const uint32_t q = (uint32_t)((float)n * share);
    const Sum rest = n - q * area;
    if (rest >> (8 * sizeof(Sum) - 1)) return q - 1;
    return rest >= area ? q + 1 : q;
}

/* How sums over one area become means, with n = sum + half of the area:
 *
 *     u8     n / area = byte number `byte` of the upper word of n * multiplier, and those above it,
 *            with multiplier = ceil(2^(32 + 8 byte) / area)
 *     u16    n / area = n * multiplier / 2^48,
 *            with multiplier = ceil(2^48 / area)
 *
 * The multiplier exceeds the true ratio by less than 1, and the quotient is exact as long as that adds less than
 * 1 / area to it: n * area < 2^(32 + 8 byte), or 2^48; and n < 2^8 area, or 2^16 area.
 */
struct alignas(16) ratio {
    uint64_t multiplier; /* 0: quotient() divides; results of f32: the bits of 1 / area, a double */
    uint32_t half;       /* of the area; results of f32: the area */
};

/* sum / area to nearest from a rounded reciprocal: the residue of the first product is exact, and divided as well
 * (Markstein, IA-64 and elementary functions, 2000, 8.3).  src/cpu/numbers_template.h has the bounds of integers: in
 * floats sums below 2^24 and areas below 2^17, in doubles sums below 2^53 and areas below 2^40.  For real sums,
 * EXTREME says which are not for it. */
template <class Real> PRIM_DEVICE Real corrected_quotient(Real sum, Real area, Real reciprocal)
{
    const Real q = prim::product(sum, reciprocal);
    return prim::multiply_add(prim::multiply_add(-q, area, sum), reciprocal, q);
}

/* The size of a sum, from its exponent.  From EXTREME on, its quotient or remainder may be infinite or denormal, and
 * corrected_quotient() is wrong.  Sums of f32 samples are never too small. */
constexpr uint32_t EXTREME = 1800u << 20;
template <class Sample> PRIM_DEVICE uint32_t extremity(double sum)
{
    constexpr uint32_t least = sizeof(Sample) == 4 ? 0 : (1023u - 900) << 20;
    return ((uint32_t)(__builtin_bit_cast(uint64_t, sum) >> 32) & 0x7fffffffu) - least;
}

/* The quotient of such a sum: of f32 samples, an infinity or a NaN. */
template <class Sample> PRIM_DEVICE double extreme_quotient(double sum, double whole)
{
    return sizeof(Sample) == 4 ? sum : sum / whole;
}

struct divisor {
    uint64_t area; /* of a whole window */
    uint32_t byte;
    bool in_floats;    /* results of f32: sums are below 2^24 */
    bool shrinks;      /* the area is that of the samples which the window covers */
    const ratio *rows; /* for each row, where the window covers all columns that it can */
};

} // namespace box
#endif
