/* box_template.h - box_ops.h for one instruction set: loops that compilers vectorise. */

/* The difference of two samples is taken in the narrowest type that holds it, then widened once. */
#define SLIDE_ADD(sample, difference, accum)                                                                           \
    TARGET static void slide_##sample##_##accum(void *restrict sums, const void *restrict enter,                       \
                                                const void *restrict leave, int64_t n)                                 \
    {                                                                                                                  \
        accum *restrict s = sums;                                                                                      \
        const sample *restrict e = enter, *restrict l = leave;                                                         \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            const accum change = (accum)(difference)((difference)e[i] - (difference)l[i]);                             \
            s[i] = (accum)(s[i] + change);                                                                             \
        }                                                                                                              \
    }                                                                                                                  \
    TARGET static void add_##sample##_##accum(void *restrict sums, const void *restrict row, uint64_t weight,          \
                                              int64_t n)                                                               \
    {                                                                                                                  \
        accum *restrict s = sums;                                                                                      \
        const sample *restrict r = row;                                                                                \
        const accum w = (accum)weight;                                                                                 \
        for (int64_t i = 0; i < n; i++) s[i] = (accum)(s[i] + (accum)(1u * w * (accum)r[i]));                          \
    }
SLIDE_ADD(u8, int16_t, u16)
SLIDE_ADD(u8, int16_t, u32)
SLIDE_ADD(u16, int32_t, u32)
SLIDE_ADD(u32, u32, u32)
SLIDE_ADD(u8, int16_t, u64)
SLIDE_ADD(u16, int32_t, u64)
SLIDE_ADD(u32, int64_t, u64)
SLIDE_ADD(i8, int16_t, u16)
SLIDE_ADD(i8, int16_t, u32)
SLIDE_ADD(i16, int32_t, u32)
SLIDE_ADD(i32, u32, u32)
SLIDE_ADD(i8, int16_t, u64)
SLIDE_ADD(i16, int32_t, u64)
SLIDE_ADD(i32, int64_t, u64)

#define DIFFER(accum)                                                                                                  \
    TARGET static void differ_##accum(void *restrict out, const void *restrict prefix, int64_t reach, int64_t n)       \
    {                                                                                                                  \
        accum *restrict o = out;                                                                                       \
        const accum *restrict p = prefix;                                                                              \
        for (int64_t i = 0; i < n; i++) o[i] = (accum)(p[i + reach] - p[i]);                                           \
    }
DIFFER(u16)
DIFFER(u32)
DIFFER(u64)

/* Division by one divisor d, exact: the quotient is estimated from below by less than one, and the
 * remainder, which is exact, says whether it is one more.
 *
 * In 16 bits the estimate is value * floor(2^16 / d) / 2^16, short by value * (2^16 mod d) / (d * 2^16) < 1.
 * In reals it is the product with a little less than 1/d: the two roundings are made up for, and with
 * quotients below 2^16 the deficit is below 2^16 * 2^-20. */
TARGET static void divide_u16_u8(void *restrict out, const void *restrict upper, const void *restrict lower,
                                 uint64_t divisor, int64_t n)
{
    u8 *restrict o = out;
    const u16 *restrict a = upper, *restrict b = lower;
    const u16 d = (u16)divisor, half = (u16)(divisor / 2);
    const u16 per_d = (u16)(65536 / (divisor > 1 ? divisor : 2));
    for (int64_t i = 0; divisor == 1 && i < n; i++) o[i] = (u8)(a[i] - b[i]);
    for (int64_t i = 0; divisor > 1 && i < n; i++) {
        u16 value = (u16)(a[i] - b[i] + half), q = (u16)((u32)value * per_d >> 16), rest = (u16)(value - (u16)(q * d));
        o[i] = (u8)(q + (rest >= d));
    }
}

#define DIVIDE_REAL(accum, integer, real, result)                                                                      \
    TARGET static void divide_##accum##_##result##_##real(result *restrict out, const accum *restrict a,               \
                                                          const accum *restrict b, uint64_t divisor, int64_t n)        \
    {                                                                                                                  \
        const accum half = (accum)(divisor / 2);                                                                       \
        const real d = (real)divisor, per_d = (1 - (real)0x1p-21) / d;                                                 \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            real value = (real)(integer)(a[i] - b[i] + half);                                                          \
            int32_t q = (int32_t)(value * per_d);                                                                      \
            real rest = value - (real)q * d;                                                                           \
            out[i] = (result)(q + (rest >= d));                                                                        \
        }                                                                                                              \
    }
DIVIDE_REAL(u32, int32_t, f32, u8)
DIVIDE_REAL(u32, int32_t, f32, u16)
DIVIDE_REAL(u32, u32, f64, u8)
DIVIDE_REAL(u32, u32, f64, u16)

/* The real type (paths.def: divide_f32) with the precision for sum + d/2, which is below d * (the result's largest
 * value + 1). */
#define DIVIDE(result, largest)                                                                                        \
    TARGET static void divide_u32_##result(void *out, const void *upper, const void *lower, uint64_t divisor,          \
                                           int64_t n)                                                                  \
    {                                                                                                                  \
        if (SAT_PATH(divide_f32) && divisor * ((uint64_t)largest + 1) < (uint64_t)1 << 24)                             \
            divide_u32_##result##_f32(out, upper, lower, divisor, n);                                                  \
        else                                                                                                           \
            divide_u32_##result##_f64(out, upper, lower, divisor, n);                                                  \
    }
DIVIDE(u8, UINT8_MAX)
DIVIDE(u16, UINT16_MAX)

/* Loops over pixels whose last channel is alpha: of two channels or of four, which the compiler must know. */
#define WITH_ALPHA(loop, channels, ...)                                                                                \
    do {                                                                                                               \
        if ((channels) == 2)                                                                                           \
            loop(2, __VA_ARGS__);                                                                                      \
        else                                                                                                           \
            loop(4, __VA_ARGS__);                                                                                      \
    } while (0)

#define WEIGH(sample, product)                                                                                         \
    INLINE void weigh_pixels_##sample(const int channels, product *restrict o, const sample *restrict s, int64_t n)    \
    {                                                                                                                  \
        for (int64_t i = 0; i < n; i += channels) {                                                                    \
            const product alpha = (product)s[i + channels - 1];                                                        \
            for (int c = 0; c < channels - 1; c++) o[i + c] = s[i + c] * alpha;                                        \
            o[i + channels - 1] = alpha;                                                                               \
        }                                                                                                              \
    }                                                                                                                  \
    TARGET static void weigh_##sample(void *restrict out, const void *restrict in, int channels, int64_t n)            \
    {                                                                                                                  \
        WITH_ALPHA(weigh_pixels_##sample, channels, out, in, n);                                                       \
    }
WEIGH(u8, u32)
WEIGH(u16, u32)
WEIGH(i8, i32)
WEIGH(i16, i32)

#include "box_divide_template.h"

/* Windows of W columns (paths.def: few_upward).  The product with 1 / d rounded up, e / d too much in 2^16, is in no
 * need of a remainder while value * e < 2^16. */
#define FEW_COLUMNS_OF(W)                                                                                              \
    INLINE u16 few_##W(const u16 *s, int64_t c)                                                                        \
    {                                                                                                                  \
        return (u16)(s[0] + (W > 1 ? s[c] : 0) + (W > 2 ? s[2 * c] : 0) + (W > 3 ? s[3 * c] : 0) +                     \
                     (W > 4 ? s[4 * c] : 0));                                                                          \
    }                                                                                                                  \
    TARGET static void few_sums_##W(void *restrict out, const void *restrict sums, int channels, int64_t n)            \
    {                                                                                                                  \
        u16 *restrict o = out;                                                                                         \
        const u16 *restrict s = sums;                                                                                  \
        for (int64_t i = 0; i < n; i++) o[i] = few_##W(s + i, channels);                                               \
    }                                                                                                                  \
    TARGET static void few_means_##W(void *restrict out, const void *restrict sums, int channels, uint64_t divisor,    \
                                     int64_t n)                                                                        \
    {                                                                                                                  \
        u8 *restrict o = out;                                                                                          \
        const u16 *restrict s = sums;                                                                                  \
        const u16 d = (u16)divisor, half = (u16)(divisor / 2);                                                         \
        const u16 up = (u16)(65535 / divisor + 1), down = (u16)(65536 / (divisor > 1 ? divisor : 2));                  \
        const uint64_t excess = up * divisor - 65536;                                                                  \
        if (divisor == 1) {                                                                                            \
            for (int64_t i = 0; i < n; i++) o[i] = (u8)few_##W(s + i, channels);                                       \
        } else if (SAT_PATH(few_upward) && excess * (UINT8_MAX * divisor + half) < 65536) {                            \
            for (int64_t i = 0; i < n; i++) o[i] = (u8)((u32)(u16)(few_##W(s + i, channels) + half) * up >> 16);       \
        } else {                                                                                                       \
            for (int64_t i = 0; i < n; i++) {                                                                          \
                u16 value = (u16)(few_##W(s + i, channels) + half), q = (u16)((u32)value * down >> 16);                \
                o[i] = (u8)(q + ((u16)(value - (u16)(q * d)) >= d));                                                   \
            }                                                                                                          \
        }                                                                                                              \
    }
FEW_COLUMNS_OF(1)
FEW_COLUMNS_OF(2)
FEW_COLUMNS_OF(3)
FEW_COLUMNS_OF(4)
FEW_COLUMNS_OF(5)

static const struct sat_box_ops box_ops = {
    .slide = {[BOX_U8] = {slide_u8_u16, slide_u8_u32, slide_u8_u64},
              [BOX_U16] = {NULL, slide_u16_u32, slide_u16_u64},
              [BOX_U32] = {NULL, slide_u32_u32, slide_u32_u64},
              [BOX_I8] = {slide_i8_u16, slide_i8_u32, slide_i8_u64},
              [BOX_I16] = {NULL, slide_i16_u32, slide_i16_u64},
              [BOX_I32] = {NULL, slide_i32_u32, slide_i32_u64}},
    .add = {[BOX_U8] = {add_u8_u16, add_u8_u32, add_u8_u64},
            [BOX_U16] = {NULL, add_u16_u32, add_u16_u64},
            [BOX_U32] = {NULL, add_u32_u32, add_u32_u64},
            [BOX_I8] = {add_i8_u16, add_i8_u32, add_i8_u64},
            [BOX_I16] = {NULL, add_i16_u32, add_i16_u64},
            [BOX_I32] = {NULL, add_i32_u32, add_i32_u64}},
    .prefix = {{prefix_u16_u16_1, prefix_u16_u16_2, prefix_u16_u16_3, prefix_u16_u16_4},
               {prefix_u32_u32_1, prefix_u32_u32_2, prefix_u32_u32_3, prefix_u32_u32_4},
               {prefix_u64_u64_1, prefix_u64_u64_2, prefix_u64_u64_3, prefix_u64_u64_4}},
    .differ = {differ_u16, differ_u32, differ_u64},
    .divide = {[BOX_UNSIGNED] = OF_SUMS(divide, u), [BOX_SIGNED] = OF_SUMS(divide, i)},
    .divide_each = {[BOX_UNSIGNED] = OF_SUMS(divide_each, u), [BOX_SIGNED] = OF_SUMS(divide_each, i)},
    .spread = {NULL, spread_u32, spread_u64},
    .weigh = {[BOX_U8] = weigh_u8, [BOX_U16] = weigh_u16, [BOX_I8] = weigh_i8, [BOX_I16] = weigh_i16},
    .few_sums = {few_sums_1, few_sums_2, few_sums_3, few_sums_4, few_sums_5},
    .few_means = {few_means_1, few_means_2, few_means_3, few_means_4, few_means_5},
};
