/* window_rough.cuh - statistics in f32 with a bound of their error: enough to compare most pixels with them.
 *
 * A pixel is compared with a threshold in f64, where every operation is the host's.  In f32 the threshold costs a
 * quarter, and is wrong by a bound that is known.  Only pixels nearer to it than that need f64.
 *
 *     near    a number that is wrong by 2^-21 of itself at most, for each operation that made it: a sum over a window,
 *             and products, quotients and roots of such
 *     rough   a number v with a magnitude m: wrong by 2^-21 m at most, for each such operation.  The m of a sum is the
 *             sum of the terms' m.
 *
 * No formula has more than 16 operations: 2^-17 m bounds the error of all of them, that of f64 included. */
#ifndef WINDOW_ROUGH_CUH
#define WINDOW_ROUGH_CUH

#include "prim/device.cuh"

namespace window
{

constexpr float ROUGH_ERROR = 0x1p-17f;

struct near {
    float v;
    near() = default;
    PRIM_DEVICE near(float value) : v(value) {}
    PRIM_DEVICE near(double value) : v((float)value) {}
    PRIM_DEVICE near(int value) : v((float)value) {}
};

struct rough {
    float v, m;
    rough() = default;
    PRIM_DEVICE rough(float value, float magnitude) : v(value), m(magnitude) {}
    PRIM_DEVICE rough(near a) : v(a.v), m(fabsf(a.v)) {}
    PRIM_DEVICE rough(int value) : rough(near(value)) {}
};

PRIM_DEVICE near operator*(near a, near b)
{
    return a.v * b.v;
}
PRIM_DEVICE near operator/(near a, near b)
{
    return prim::divide_approx(a.v, b.v);
}
PRIM_DEVICE near operator-(near a)
{
    return -a.v;
}
PRIM_DEVICE near sqrt(near a)
{
    return prim::sqrt_approx(a.v);
}
PRIM_DEVICE bool operator>(near a, int b)
{
    return a.v > (float)b;
}
PRIM_DEVICE bool operator==(near a, int b)
{
    return a.v == (float)b;
}

PRIM_DEVICE rough operator+(rough a, rough b)
{
    return {a.v + b.v, a.m + b.m};
}
PRIM_DEVICE rough operator-(rough a, rough b)
{
    return {a.v - b.v, a.m + b.m};
}
PRIM_DEVICE rough operator*(rough a, rough b)
{
    return {a.v * b.v, a.m * b.m};
}
PRIM_DEVICE rough operator/(rough a, near b)
{
    return {prim::divide_approx(a.v, b.v), fabsf(prim::divide_approx(a.m, b.v))};
}
/* |sqrt(a) - sqrt(b)| <= |a - b| / sqrt(a). */
PRIM_DEVICE rough sqrt(rough a)
{
    const float v = prim::sqrt_approx(a.v);
    return {v, v + prim::divide_approx(a.m, v)};
}
/* exp(a (1 + e)) = exp(a) (1 + a e) for small a e; expf() is wrong by 2^-21 of itself at most. */
PRIM_DEVICE rough exp(near a)
{
    const float v = expf(a.v);
    return {v, v * (1 + 2 * fabsf(a.v))};
}

} // namespace window
#endif
