/* window_finish.cuh - window statistics: the sums of windows to results. */
#ifndef WINDOW_FINISH_CUH
#define WINDOW_FINISH_CUH

#include "box/box_divide.cuh"
#include "moments.h"
#include "window_plan.h"

namespace window
{

/* In which numbers a variance's numerator is exact; src/cpu/cpu_window_integers.c has the bounds. */
enum arithmetic { IN_F64, IN_64_BITS, IN_128_BITS };

/* What makes results of sums; the same for all windows of a run. */
struct finish {
    struct output {
        char *to;
        int64_t row_bytes, image_bytes;
        double p[SAT_PARAMETERS], least, empty;
        int statistic;
        sat_type type;
        bool compare, may_be_empty;
    };
    output of[SAT_OUTPUTS];
    int outputs;
    unsigned needs;
    enum arithmetic arithmetic;
    bool sums_in_f64; /* sums are below 2^53, counts below 2^40 */
    bool is_signed;
    double ddof, range;
};

/* Of N windows; what no statistic of the run needs is not set. */
template <unsigned N> struct moments {
    double n[N], sum[N], mean[N], var[N], squares[N], x[N];
};

/* Of a whole image. */
struct extremes {
    double low, most_var;
};

/* A sum below 2^53 in magnitude as f64.  u32: with the exponent of 2^52 in front, it is a double already. */
PRIM_DEVICE double real(uint32_t sum, bool is_signed)
{
    const uint32_t bits = is_signed ? sum ^ 0x80000000u : sum;
    const double above = __builtin_bit_cast(double, (uint64_t)0x43300000u << 32 | bits);
    return above - (is_signed ? 0x1p52 + 0x1p31 : 0x1p52);
}
PRIM_DEVICE double real(uint64_t sum, bool is_signed)
{
    return is_signed ? (double)(int64_t)sum : (double)sum;
}

/* The counts of windows, and reciprocals of what they are divided by: where `known`, those of all are given. */
struct divisors {
    bool known;
    double n, per_n, by, per_by; /* by: n * (n - ddof) */
};
PRIM_HOST_DEVICE divisors divisors_of(double n, double ddof)
{
    const double by = n * (n - ddof);
    return {true, n, 1 / n, by, 1 / by};
}

/* Number i of the windows, from its sums; m.n[i] is set. */
template <unsigned N, class Sum>
PRIM_DEVICE void describe(const finish &f, moments<N> &m, unsigned i, Sum s1, Sum s2, const divisors &all)
{
    const double n = m.n[i], sum = real(s1, f.is_signed);
    const divisors d = all.known ? all : divisors_of(n, f.ddof);
    m.sum[i] = sum;
    m.mean[i] = f.sums_in_f64
                    ? box::corrected_quotient(sum, n, d.per_n)
                    : box::real_quotient(f.is_signed && sizeof(Sum) == 4 ? (uint64_t)(int64_t)(int32_t)s1 : s1,
                                         (uint64_t)n, f.is_signed);
    if (f.needs & SAT_NEEDS_SQUARES) m.squares[i] = real(s2, false) / n;
    if (!(f.needs & SAT_NEEDS_VAR)) return;
    if (f.arithmetic == IN_F64) {
        const double part = prim::multiply_add(-sum, sum, prim::product(n, real(s2, false)));
        m.var[i] = box::corrected_quotient(part, d.by, d.per_by);
    } else if (f.arithmetic == IN_64_BITS) {
        const uint64_t part = (uint64_t)n * s2 - (uint64_t)s1 * s1;
        m.var[i] = n > f.ddof ? box::real_quotient(part, (uint64_t)d.by, false) : 0;
    } else {
        const uint64_t size = f.is_signed && (int64_t)s1 < 0 ? 0 - (uint64_t)s1 : s1;
        m.var[i] = sat_variance_u((uint64_t)n, size, s2, (uint64_t)f.ddof);
    }
}

/* ---- results ------------------------------------------------------------------------------------------- */

template <unsigned N>
PRIM_DEVICE void evaluate(int statistic, const moments<N> &m, const double (&p)[SAT_PARAMETERS], double range,
                          const extremes &whole, double (&v)[N])
{
    const double low = whole.low, most_std = sqrt(whole.most_var);
    (void)low, (void)most_std, (void)range, (void)p;
#define SAT_STATISTIC(id, summary, equation, source, needs, threshold, set, formula)                                   \
    case SAT_STATISTIC_##id:                                                                                           \
        _Pragma("unroll") for (unsigned i = 0; i < N; i++)                                                             \
        {                                                                                                              \
            const double n = m.n[i], sum = m.sum[i], mean = m.mean[i], var = m.var[i], squares = m.squares[i],         \
                         x = m.x[i];                                                                                   \
            (void)n, (void)sum, (void)mean, (void)var, (void)squares, (void)x;                                         \
            v[i] = formula;                                                                                            \
        }                                                                                                              \
        break;
    switch (statistic) {
#include "statistics.def"
    default: break;
    }
#undef SAT_STATISTIC
}

/* To nearest, halves away from zero, cut to the type's range; NaN is 0. */
template <class Integer, class Wide> PRIM_DEVICE Integer rounded(double v, double least, double most, uint32_t &clipped)
{
    const bool inside = v > least - 0.5 && v < most + 0.5;
    const double in = inside ? v : v >= most ? most : v <= least ? least : 0;
    const Wide whole = (Wide)in;
    const double rest = in - (double)whole;
    clipped += !inside;
    return (Integer)(whole + (rest >= 0.5) - (rest <= -0.5));
}

template <class Integer, class Wide, unsigned N>
PRIM_DEVICE void store_integers(char *row, const int64_t (&at)[N], unsigned count, const double (&v)[N], double least,
                                double most, uint32_t &clipped)
{
#pragma unroll
    for (unsigned i = 0; i < N; i++)
        if (i < count) prim::store((Integer *)row + at[i], rounded<Integer, Wide>(v[i], least, most, clipped));
}

/* The first `count` of N results of an output, to elements at[i] of a row. */
template <unsigned N>
PRIM_DEVICE void store(const finish::output &o, char *row, const int64_t (&at)[N], unsigned count, const moments<N> &m,
                       double (&v)[N], uint32_t &clipped)
{
#pragma unroll
    for (unsigned i = 0; i < N; i++)
        if (o.may_be_empty && m.n[i] < o.least) v[i] = o.empty;
    if (o.compare) {
#pragma unroll
        for (unsigned i = 0; i < N; i++)
            if (i < count) prim::store((uint8_t *)row + at[i], (uint8_t)(m.x[i] > v[i] ? 255 : 0));
        return;
    }
    switch (o.type) {
    case SAT_F32:
#pragma unroll
        for (unsigned i = 0; i < N; i++)
            if (i < count) prim::store((float *)row + at[i], (float)v[i]);
        break;
    case SAT_F64:
#pragma unroll
        for (unsigned i = 0; i < N; i++)
            if (i < count) prim::store((double *)row + at[i], v[i]);
        break;
    case SAT_U8: store_integers<uint8_t, int32_t>(row, at, count, v, 0, UINT8_MAX, clipped); break;
    case SAT_U16: store_integers<uint16_t, int32_t>(row, at, count, v, 0, UINT16_MAX, clipped); break;
    case SAT_U32: store_integers<uint32_t, int64_t>(row, at, count, v, 0, UINT32_MAX, clipped); break;
    case SAT_I8: store_integers<int8_t, int32_t>(row, at, count, v, INT8_MIN, INT8_MAX, clipped); break;
    case SAT_I16: store_integers<int16_t, int32_t>(row, at, count, v, INT16_MIN, INT16_MAX, clipped); break;
    default: store_integers<int32_t, int64_t>(row, at, count, v, INT32_MIN, INT32_MAX, clipped); break;
    }
}

} // namespace window
#endif
