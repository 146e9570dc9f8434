/* window_finish.cuh - window statistics: the sums of windows to results. */
#ifndef WINDOW_FINISH_CUH
#define WINDOW_FINISH_CUH

#include <type_traits>

#include "box/box_divide.cuh"

/* moments.h in the device's terms. */
#define SAT_BOTH          PRIM_DEVICE
#define SAT_PRODUCT(a, b) prim::product(a, b)
#include "moments.h"
#include "window/window_rough.cuh"
#include "window_plan.h"

namespace window
{

using ::exp, ::sqrt;

/* In which numbers a variance's numerator is exact; src/cpu/cpu_window_integers.c has the bounds. */
enum arithmetic { IN_F64, IN_64_BITS, IN_128_BITS };

/* What makes results of sums; the same for all windows of a run. */
struct finish {
    struct output {
        char *to;
        int64_t row_bytes, image_bytes;
        double p[SAT_PARAMETERS], least, empty;
        float rough_p[SAT_PARAMETERS];
        int statistic;
        sat_type type;
        bool compare, may_be_empty;
        bool is_real;  /* to f32, not in 128 bits, and never empty but by a count */
        bool pairs;    /* a mean, with a variance or its root next, both to f32 */
        bool is_rough; /* a threshold compared, with sums below 2^31 that are exact in f64, and parameters that f32
                          holds */
        unsigned needs;
    };
    output of[SAT_OUTPUTS];
    int outputs;
    bool needs_pixel; /* some result does */
    enum arithmetic arithmetic;
    bool sums_in_f64; /* sums with the bias are below 2^53, counts below 2^40 */
    bool is_signed;
    uint32_t integer_bias;
    double bias, ddof, range;
};

/* The sums of a window, modulo the range of their type: of samples + bias, which is 0 where samples have no sign. */
template <class Sum> struct sums {
    using pixel = std::conditional_t<sizeof(Sum) == 4, float, double>;
    Sum n, s1, s2;
    pixel x;    /* the pixel itself, without the bias */
    bool known; /* n is the one whose divisors are */
};

/* What a statistic does not need is not set. */
template <class Real> struct moments {
    Real n, sum, mean, var, squares, x;
};

/* Of a whole image. */
struct extremes {
    double low, most; /* smallest sample that counts; largest variance of a window, in the end its root */
};

/* The count of windows, and what follows from it. */
struct divisors {
    double n, per_n, by, per_by; /* by: n * (n - ddof) */
    double shift;                /* n * bias */
    uint32_t integer_shift;      /* the same, modulo 2^32 */
    float rough_per_n, rough_per_by;
};
PRIM_DEVICE divisors divisors_of(const finish &f, double n)
{
    const double by = n * (n - f.ddof), per_n = 1 / n, per_by = 1 / by;
    const uint32_t integer_shift = (uint32_t)(uint64_t)n * f.integer_bias;
    return {n, per_n, by, per_by, n * f.bias, integer_shift, (float)per_n, (float)per_by};
}

/* 1 / n for n from 1 to 2^53, wrong by little more than half of a unit; no number of 0. */
PRIM_DEVICE double reciprocal(double n)
{
    const double near = prim::reciprocal_approx(n), e = prim::multiply_add(-n, near, 1.0);
    return prim::multiply_add(near, prim::multiply_add(e, e, e), near);
}

/* a - b; 0 where that may be the rounding of a and b, of which neither is wrong by more than some units. */
PRIM_DEVICE double apart(double a, double b)
{
    const double d = a - b;
    return fabs(d) <= 0x1p-50 * fabs(b) ? 0 : d;
}

/* ---- moments in f64 ------------------------------------------------------------------------------------ */

/* A sum below 2^53, less `shift`.  u32: with the exponent of 2^52 in front, it is a double already. */
PRIM_DEVICE double real(uint32_t sum, double shift)
{
    return __builtin_bit_cast(double, (uint64_t)0x43300000u << 32 | sum) - (0x1p52 + shift);
}
PRIM_DEVICE double real(uint64_t sum, double shift)
{
    return (double)sum - shift;
}

/* needs: SAT_NEEDS_...  MOST: the widest arithmetic that the run may have. */
template <enum arithmetic MOST = IN_128_BITS, class Sum>
PRIM_DEVICE moments<double> describe(const finish &f, unsigned needs, const sums<Sum> &w, const divisors &known)
{
    const divisors d = w.known ? known : divisors_of(f, real(w.n, 0));
    const Sum bias = (Sum)f.integer_bias, s1 = w.s1 - bias * w.n;
    moments<double> m = {d.n, 0, 0, 0, 0, (double)w.x};
    if (sizeof(Sum) == 4 || f.sums_in_f64) {
        m.sum = real(w.s1, d.shift);
        m.mean = box::corrected_quotient(m.sum, d.n, d.per_n);
    } else {
        m.sum = f.is_signed ? (double)(int64_t)s1 : (double)s1;
        m.mean = box::real_quotient(s1, w.n, f.is_signed);
    }
    if (needs & SAT_NEEDS_SQUARES) m.squares = real(w.s2 - bias * 2 * w.s1 + bias * bias * w.n, 0) / d.n;
    if (!(needs & SAT_NEEDS_VAR)) return m;
    if (sizeof(Sum) == 4 || f.arithmetic == IN_F64) {
        const double sum = real(w.s1, 0), part = prim::multiply_add(-sum, sum, prim::product(d.n, real(w.s2, 0)));
        m.var = box::corrected_quotient(part, d.by, d.per_by);
    } else if (MOST == IN_64_BITS || f.arithmetic == IN_64_BITS) {
        const uint64_t part = (uint64_t)w.n * w.s2 - (uint64_t)w.s1 * w.s1;
        m.var = d.n > f.ddof ? box::real_quotient(part, (uint64_t)d.by, false) : 0;
    } else {
        m.var = sat_variance_u(w.n, w.s1, w.s2, (uint64_t)f.ddof);
    }
    return m;
}

/* ---- moments in f32 ------------------------------------------------------------------------------------ */

PRIM_DEVICE float rough_real(uint64_t v)
{
    return prim::multiply_add((float)(uint32_t)(v >> 32), 0x1p32f, (float)(uint32_t)v);
}

/* n * S2 - S1 * S1, which is not below 0.  Sums of 32 bits are below 2^31 (finish::output::is_rough). */
PRIM_DEVICE uint64_t numerator(uint32_t n, uint32_t s1, uint32_t s2)
{
    return (uint64_t)n * s2 + (uint64_t)((int64_t)(int32_t)s1 * -(int32_t)s1);
}
PRIM_DEVICE uint64_t numerator(uint64_t n, uint64_t s1, uint64_t s2)
{
    return n * s2 - s1 * s1;
}

/* describe() in f32. */
template <class Sum>
PRIM_DEVICE moments<near> describe_roughly(const finish &f, const sums<Sum> &w, const divisors &known)
{
    const float n = (float)w.n;
    const float per_n = w.known ? known.rough_per_n : prim::divide_approx(1, n);
    const float per_by = w.known ? known.rough_per_by : prim::divide_approx(per_n, n - (float)f.ddof);
    const Sum bias = (Sum)f.integer_bias;
    moments<near> m;
    m.n = n;
    if constexpr (sizeof(Sum) == 4)
        m.sum = (float)(int32_t)(w.s1 - (w.known ? known.integer_shift : f.integer_bias * w.n));
    else
        m.sum = (float)real(w.s1, w.known ? known.shift : (double)w.n * f.bias);
    m.mean = m.sum.v * per_n;
    m.var = rough_real(numerator(w.n, w.s1, w.s2)) * per_by;
    m.squares = rough_real(w.s2 - bias * 2 * w.s1 + bias * bias * w.n) * per_n;
    m.x = (float)w.x;
    return m;
}

/* ---- results ------------------------------------------------------------------------------------------- */

/* A struct for each statistic: value() is its formula, of double; or rough, of moments and parameters that are near. */
#define SAT_STATISTIC(id, summary, equation, source, needs_, threshold_, set, formula)                                 \
    struct statistic_##id {                                                                                            \
        static constexpr unsigned needs = needs_;                                                                      \
        static constexpr bool threshold = threshold_;                                                                  \
        template <class Real>                                                                                          \
        PRIM_DEVICE static auto value(const moments<Real> &m, const Real *p, Real range, Real low, Real most_std)      \
        {                                                                                                              \
            const Real n = m.n, sum = m.sum, mean = m.mean, var = m.var, squares = m.squares, x = m.x;                 \
            (void)n, (void)sum, (void)mean, (void)var, (void)squares, (void)x;                                         \
            (void)p, (void)range, (void)low, (void)most_std;                                                           \
            return formula;                                                                                            \
        }                                                                                                              \
    };
#include "statistics.def"
#undef SAT_STATISTIC

/* Calls do_it() with the struct of a statistic. */
template <class Do> PRIM_DEVICE void with_statistic(int statistic, const Do &do_it)
{
    switch (statistic) {
#define SAT_STATISTIC(id, ...)                                                                                         \
    case SAT_STATISTIC_##id:                                                                                           \
        do_it(statistic_##id());                                                                                       \
        break;
#include "statistics.def"
#undef SAT_STATISTIC
    default: break;
    }
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

/* Element `at` of an output's row, from the pixel and the value. */
PRIM_DEVICE void store(const finish::output &o, char *row, int64_t at, double x, double v, uint32_t &clipped)
{
    if (o.compare) {
        prim::store((uint8_t *)row + at, (uint8_t)(x > v ? 255 : 0));
        return;
    }
    switch (o.type) {
    case SAT_F32: prim::store((float *)row + at, (float)v); break;
    case SAT_F64: prim::store((double *)row + at, v); break;
    case SAT_U8: prim::store((uint8_t *)row + at, rounded<uint8_t, int32_t>(v, 0, UINT8_MAX, clipped)); break;
    case SAT_U16: prim::store((uint16_t *)row + at, rounded<uint16_t, int32_t>(v, 0, UINT16_MAX, clipped)); break;
    case SAT_U32: prim::store((uint32_t *)row + at, rounded<uint32_t, int64_t>(v, 0, UINT32_MAX, clipped)); break;
    case SAT_I8: prim::store((int8_t *)row + at, rounded<int8_t, int32_t>(v, INT8_MIN, INT8_MAX, clipped)); break;
    case SAT_I16: prim::store((int16_t *)row + at, rounded<int16_t, int32_t>(v, INT16_MIN, INT16_MAX, clipped)); break;
    default: prim::store((int32_t *)row + at, rounded<int32_t, int64_t>(v, INT32_MIN, INT32_MAX, clipped)); break;
    }
}

/* Adds what the warp's threads have clipped to the run's count. */
PRIM_DEVICE void add_clipped(uint64_t *clipped, uint32_t here)
{
    const uint32_t all = prim::add_lanes(here);
    if (prim::lane_id() == 0 && all) prim::fetch_add(clipped, (uint64_t)all);
}

/* The value of a statistic in f64; of a window where enough samples count, and of any. */
template <class Statistic>
PRIM_DEVICE double whole_value_of(Statistic, const finish &f, const finish::output &o, const moments<double> &m,
                                  const extremes &image)
{
    return Statistic::value(m, o.p, f.range, image.low, image.most);
}
template <class Statistic>
PRIM_DEVICE double value_of(Statistic statistic, const finish &f, const finish::output &o, const moments<double> &m,
                            const extremes &image)
{
    const bool no_image = (Statistic::needs & SAT_NEEDS_EXTREMES) != 0 && image.low == 1.0 / 0.0;
    return o.may_be_empty && (no_image || m.n < o.least) ? o.empty : whole_value_of(statistic, f, o, m, image);
}

/* Is the pixel above its threshold, and is f32 enough to say? */
struct comparison {
    bool above, sure;
};
template <class Statistic, class Sum>
PRIM_DEVICE comparison compare_roughly(const finish &f, const near *p, const sums<Sum> &w, const divisors &known,
                                       const extremes &image)
{
    const moments<near> m = describe_roughly(f, w, known);
    const rough v = Statistic::value(m, p, near(f.range), near(image.low), near(image.most));
    const float apart = m.x.v - v.v;
    return {apart > 0, fabsf(apart) > v.m * ROUGH_ERROR};
}

} // namespace window
#endif
