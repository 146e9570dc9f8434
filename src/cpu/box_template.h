/* box_template.h - box_ops.h for one instruction set: loops that compilers vectorise. */

#define SLIDE_ADD(sample, accum)                                                                                       \
    TARGET static void slide_##sample##_##accum(void *restrict sums, const void *restrict enter,                       \
                                                const void *restrict leave, int64_t n)                                 \
    {                                                                                                                  \
        accum *restrict s = sums;                                                                                      \
        const sample *restrict e = enter, *restrict l = leave;                                                         \
        for (int64_t i = 0; i < n; i++) s[i] += (accum)e[i] - (accum)l[i];                                             \
    }                                                                                                                  \
    TARGET static void add_##sample##_##accum(void *restrict sums, const void *restrict row, uint64_t weight,          \
                                              int64_t n)                                                               \
    {                                                                                                                  \
        accum *restrict s = sums;                                                                                      \
        const sample *restrict r = row;                                                                                \
        const accum w = (accum)weight;                                                                                 \
        for (int64_t i = 0; i < n; i++) s[i] += w * (accum)r[i];                                                       \
    }
SLIDE_ADD(u8, u32)
SLIDE_ADD(u16, u32)
SLIDE_ADD(u32, u32)
SLIDE_ADD(u8, u64)
SLIDE_ADD(u16, u64)
SLIDE_ADD(u32, u64)

#define DIFFER(accum)                                                                                                  \
    TARGET static void differ_##accum(void *restrict out, const void *restrict prefix, int64_t reach, int64_t n)       \
    {                                                                                                                  \
        accum *restrict o = out;                                                                                       \
        const accum *restrict p = prefix;                                                                              \
        for (int64_t i = 0; i < n; i++) o[i] = p[i + reach] - p[i];                                                    \
    }
DIFFER(u32)
DIFFER(u64)

/* Division by one divisor d, exact: with s + d/2 and d below 2^p, p the precision of the real type, the
 * product with 1/d is off by less than one, and the remainder, which is exact, says which way. */
#define DIVIDE_REAL(accum, integer, real, result)                                                                      \
    TARGET static void divide_##accum##_##result##_##real(result *restrict out, const accum *restrict s,               \
                                                          uint64_t divisor, int64_t n)                                 \
    {                                                                                                                  \
        const accum half = (accum)(divisor / 2);                                                                       \
        const real d = (real)divisor, per_d = 1 / d;                                                                   \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            real value = (real)(integer)(s[i] + half);                                                                 \
            int32_t q = (int32_t)(value * per_d);                                                                      \
            real rest = value - (real)q * d;                                                                           \
            q += rest >= d;                                                                                            \
            q -= rest < 0;                                                                                             \
            out[i] = (result)q;                                                                                        \
        }                                                                                                              \
    }
DIVIDE_REAL(u32, int32_t, f32, u8)
DIVIDE_REAL(u32, int32_t, f32, u16)
DIVIDE_REAL(u32, u32, f64, u8)
DIVIDE_REAL(u32, u32, f64, u16)
DIVIDE_REAL(u64, int64_t, f64, u8)
DIVIDE_REAL(u64, int64_t, f64, u16)

/* s + d/2 is at most d * (the result's largest value + 1/2). */
#define DIVIDE(accum, result, largest)                                                                                 \
    TARGET static void divide_##accum##_##result(void *out, const void *sums, uint64_t divisor, int64_t n)             \
    {                                                                                                                  \
        result *o = out;                                                                                               \
        const accum *s = sums;                                                                                         \
        uint64_t bound = divisor * ((uint64_t)largest + 1);                                                            \
        if (sizeof(accum) == 4 && bound < (uint64_t)1 << 24)                                                           \
            DIVIDE_F32_##accum(result)(o, s, divisor, n);                                                              \
        else if (bound < (uint64_t)1 << 53)                                                                            \
            divide_##accum##_##result##_f64(o, s, divisor, n);                                                         \
        else                                                                                                           \
            for (int64_t i = 0; i < n; i++) o[i] = (result)((s[i] + (accum)(divisor / 2)) / (accum)divisor);           \
    }
#define DIVIDE_F32_u32(result) divide_u32_##result##_f32
#define DIVIDE_F32_u64(result) divide_u64_##result##_f64
DIVIDE(u32, u8, UINT8_MAX)
DIVIDE(u32, u16, UINT16_MAX)
DIVIDE(u64, u8, UINT8_MAX)
DIVIDE(u64, u16, UINT16_MAX)

/* A quotient of doubles is truncated to the right integer if numerator and divisor are below 2^53: where
 * it is not whole it lies 1/d or more below the next integer, and rounding moves it by less. */
#define QUOTIENT_u32(s, d) ((double)(s) / (double)(d))
#define QUOTIENT_u64(s, d) ((s) / (d))

#define DIVIDE_EACH(accum, result)                                                                                     \
    TARGET static void divide_each_##accum##_##result(void *restrict out, const void *restrict sums,                   \
                                                      const void *restrict divisors, uint64_t factor, int64_t n)       \
    {                                                                                                                  \
        result *restrict o = out;                                                                                      \
        const accum *restrict s = sums, *restrict by = divisors;                                                       \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            const accum d = by[i] * (accum)factor;                                                                     \
            o[i] = (result)(int32_t)QUOTIENT_##accum(s[i] + d / 2, d);                                                 \
        }                                                                                                              \
    }                                                                                                                  \
    TARGET static void divide_weighted_##accum##_##result(void *restrict out, const void *restrict sums,               \
                                                          int channels, int64_t n)                                     \
    {                                                                                                                  \
        result *restrict o = out;                                                                                      \
        const accum *restrict s = sums;                                                                                \
        for (int64_t i = 0; i < n; i += channels) {                                                                    \
            const accum alpha = s[i + channels - 1], d = alpha ? alpha : 1;                                            \
            for (int c = 0; c < channels - 1; c++)                                                                     \
                o[i + c] = (result)(int32_t)QUOTIENT_##accum(s[i + c] + alpha / 2, d);                                 \
        }                                                                                                              \
    }
DIVIDE_EACH(u32, u8)
DIVIDE_EACH(u32, u16)
DIVIDE_EACH(u64, u8)
DIVIDE_EACH(u64, u16)

#define WEIGH(sample)                                                                                                  \
    TARGET static void weigh_##sample(uint32_t *restrict out, const void *restrict in, int channels, int64_t n)        \
    {                                                                                                                  \
        const sample *restrict s = in;                                                                                 \
        for (int64_t i = 0; i < n; i += channels) {                                                                    \
            const uint32_t alpha = s[i + channels - 1];                                                                \
            for (int c = 0; c < channels - 1; c++) out[i + c] = s[i + c] * alpha;                                      \
            out[i + channels - 1] = alpha;                                                                             \
        }                                                                                                              \
    }
WEIGH(u8)
WEIGH(u16)

static const struct sat_box_ops box_ops = {
    .slide = {{slide_u8_u32, slide_u8_u64}, {slide_u16_u32, slide_u16_u64}, {slide_u32_u32, slide_u32_u64}},
    .add = {{add_u8_u32, add_u8_u64}, {add_u16_u32, add_u16_u64}, {add_u32_u32, add_u32_u64}},
    .prefix = {{prefix_u32_u32_1, prefix_u32_u32_2, prefix_u32_u32_3, prefix_u32_u32_4},
               {prefix_u64_u64_1, prefix_u64_u64_2, prefix_u64_u64_3, prefix_u64_u64_4}},
    .differ = {differ_u32, differ_u64},
    .divide = {{divide_u32_u8, divide_u32_u16}, {divide_u64_u8, divide_u64_u16}},
    .divide_each = {{divide_each_u32_u8, divide_each_u32_u16}, {divide_each_u64_u8, divide_each_u64_u16}},
    .divide_weighted = {{divide_weighted_u32_u8, divide_weighted_u32_u16},
                        {divide_weighted_u64_u8, divide_weighted_u64_u16}},
    .weigh = {weigh_u8, weigh_u16},
};
