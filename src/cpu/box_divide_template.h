/* box_divide_template.h - window sums to means, for one instruction set: those of signed samples, of 64-bit sums, and
 * those that are floats (box_template.h has the rest).
 *
 * Sums of signed samples are two's complements in unsigned types (box_window.h).  An integer mean of them is that of
 * the magnitude, with the sign put back: so halves go away from zero. */

#define BOX_INLINE TARGET static inline __attribute__((always_inline))

/* ---- numbers ------------------------------------------------------------------------------------------- */

/* An integer below 2^52 as f64, by its bits: gcc 12 converts 64-bit integers one by one. */
BOX_INLINE f64 real_of(u64 n)
{
#if VECTOR_BYTES == 0
    return (f64)(i64)n;
#else
    f64 v;
    n |= (u64)0x433 << 52;
    memcpy(&v, &n, sizeof v);
    return v - 0x1p52;
#endif
}

/* The integer nearest to v, 0 <= v < 2^52. */
BOX_INLINE u64 nearest_to(f64 v)
{
    u64 n;
    v += 0x1p52;
    memcpy(&n, &v, sizeof n);
    return n & (((u64)1 << 52) - 1);
}

#define REAL_u16(sum) ((f64)(i32)(u16)(sum))
#define REAL_i16(sum) ((f64)(i32)(i16)(sum))
#define REAL_u32(sum) real_of((u32)(sum))
#define REAL_i32(sum) ((f64)(i32)(sum))

/* All ones for a sum below zero. */
#define SIGN_u16(sum) ((u16)0)
#define SIGN_i16(sum) ((u16)(0 - ((i16)(sum) < 0)))
#define SIGN_u32(sum) ((u32)0)
#define SIGN_i32(sum) ((u32)0 - ((i32)(sum) < 0))
#define SIGN_u64(sum) ((u64)0)
#define SIGN_i64(sum) ((u64)0 - ((i64)(sum) < 0))

/* The upper 32 bits of a sum, times 2^32.  real_of() takes no negative numbers: signed ones are moved up by 2^31, and
 * back. */
#define UPPER_u64(sum) (real_of((sum) >> 32) * 0x1p32)
#define UPPER_i64(sum) ((real_of(((sum) >> 32) ^ 0x80000000) - 0x1p31) * 0x1p32)

/* ---- integers ------------------------------------------------------------------------------------------ */

/* As divide_u16_u8(), whose proof holds for any value of 16 bits. */
TARGET static void divide_i16_i8(void *restrict out, const void *restrict upper, const void *restrict lower,
                                 uint64_t divisor, int64_t n)
{
    i8 *restrict o = out;
    const u16 *restrict a = upper, *restrict b = lower;
    const u16 d = (u16)divisor, half = (u16)(divisor / 2);
    const u16 per_d = (u16)(65536 / (divisor > 1 ? divisor : 2));
    for (int64_t i = 0; divisor == 1 && i < n; i++) o[i] = (i8)(a[i] - b[i]);
    for (int64_t i = 0; divisor > 1 && i < n; i++) {
        const u16 sum = (u16)(a[i] - b[i]), sign = SIGN_i16(sum);
        u16 value = (u16)((u16)(sum ^ sign) - sign + half), q = (u16)((u32)value * per_d >> 16);
        u16 rest = (u16)(value - (u16)(q * d));
        q = (u16)(q + (rest >= d));
        o[i] = (i8)((u16)(q ^ sign) - sign);
    }
}

/* As DIVIDE_REAL(); magnitude and half the divisor are below 2^31. */
#define DIVIDE_SIGNED_REAL(real, result)                                                                               \
    TARGET static void divide_i32_##result##_##real(result *restrict out, const u32 *restrict a,                       \
                                                    const u32 *restrict b, uint64_t divisor, int64_t n)                \
    {                                                                                                                  \
        const u32 half = (u32)(divisor / 2);                                                                           \
        const real d = (real)divisor, per_d = (1 - (real)0x1p-21) / d;                                                 \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            const u32 sum = a[i] - b[i], sign = SIGN_i32(sum);                                                         \
            const real value = (real)(i32)((sum ^ sign) - sign + half);                                                \
            const i32 q = (i32)(value * per_d);                                                                        \
            const real rest = value - (real)q * d;                                                                     \
            out[i] = (result)(((u32)(q + (rest >= d)) ^ sign) - sign);                                                 \
        }                                                                                                              \
    }
#define DIVIDE_SIGNED(result, largest)                                                                                 \
    DIVIDE_SIGNED_REAL(f32, result)                                                                                    \
    DIVIDE_SIGNED_REAL(f64, result)                                                                                    \
    TARGET static void divide_i32_##result(void *out, const void *upper, const void *lower, uint64_t divisor,          \
                                           int64_t n)                                                                  \
    {                                                                                                                  \
        if (SAT_PATH(divide_f32) && divisor * ((uint64_t)largest + 1) < (uint64_t)1 << 24)                             \
            divide_i32_##result##_f32(out, upper, lower, divisor, n);                                                  \
        else                                                                                                           \
            divide_i32_##result##_f64(out, upper, lower, divisor, n);                                                  \
    }
DIVIDE_SIGNED(i8, 128)
DIVIDE_SIGNED(i16, 32768)

/* Sums of 64 bits, exact (paths.def: divide_long): the quotient, below 2^32 + 1, is estimated in f64.  Its three
 * roundings, each of 2^-53, move it by less than 2^-18.  So the nearest integer is the right one, or one more, which
 * the rest says: that is taken in integers, and is less than the divisor. */
#define DIVIDE_LONG(value, result)                                                                                     \
    TARGET static void divide_##value##_##result(void *restrict out, const void *restrict upper,                       \
                                                 const void *restrict lower, uint64_t divisor, int64_t n)              \
    {                                                                                                                  \
        result *restrict o = out;                                                                                      \
        const u64 *restrict a = upper, *restrict b = lower;                                                            \
        const u64 half = divisor / 2;                                                                                  \
        const f64 per_d = 1 / (f64)divisor;                                                                            \
        const bool plain = !SAT_PATH(divide_long) || VECTOR_BYTES == 0 || divisor > UINT32_MAX;                        \
        for (int64_t i = 0; !plain && i < n; i++) {                                                                    \
            const u64 sum = a[i] - b[i], sign = SIGN_##value(sum), rounded = (sum ^ sign) - sign + half;               \
            u64 q = nearest_to((real_of(rounded >> 32) * 0x1p32 + real_of(rounded & UINT32_MAX)) * per_d);             \
            q -= (rounded - q * divisor) >> 63;                                                                        \
            o[i] = (result)((q ^ sign) - sign);                                                                        \
        }                                                                                                              \
        for (int64_t i = 0; plain && i < n; i++) {                                                                     \
            const u64 sum = a[i] - b[i], sign = SIGN_##value(sum), q = ((sum ^ sign) - sign + half) / divisor;         \
            o[i] = (result)((q ^ sign) - sign);                                                                        \
        }                                                                                                              \
    }
DIVIDE_LONG(u64, u8)
DIVIDE_LONG(u64, u16)
DIVIDE_LONG(u64, u32)
DIVIDE_LONG(i64, i8)
DIVIDE_LONG(i64, i16)
DIVIDE_LONG(i64, i32)

/* ---- floats -------------------------------------------------------------------------------------------- */

/* Where there is a fused product, the residue of an estimated quotient is exact, and dividing that as well gives the
 * nearest quotient (Markstein 1990): box_float_template.h has the argument for f64 and divisors below 2^40.  In f32,
 * with sums below 2^24 and divisors below 2^17: the second quotient is at most 2 units of the first one's last place
 * (ulp), with an error of 2^-23 of itself; and a quotient of two integers below 2^24 is no middle of two floats, and so
 * at least ulp / (2 * divisor) from one.
 *
 * It is also the f64 quotient, rounded: twice as many bits and two more make that harmless (Figueroa 1995). */
BOX_INLINE f32 quotient_f32(f32 sum, f32 d, f32 per_d)
{
#if VECTOR_BYTES == 0
    (void)per_d;
    return sum / d;
#else
    const f32 q = sum * per_d;
    return __builtin_fmaf(__builtin_fmaf(-q, d, sum), per_d, q);
#endif
}

BOX_INLINE f64 quotient_f64(f64 sum, f64 d, f64 per_d)
{
#if VECTOR_BYTES == 0
    (void)per_d;
    return sum / d;
#else
    const f64 q = sum * per_d;
    return __builtin_fma(__builtin_fma(-q, d, sum), per_d, q);
#endif
}

/* As sat_real_quotient(), which has the proof. */
BOX_INLINE f64 quotient_of_parts(f64 upper, f64 lower, f64 d, f64 per_d)
{
    const f64 high = upper + lower, low = lower - (high - upper), q = high * per_d;
    return q + (__builtin_fma(-q, d, high) + low) / d;
}

#define DIVIDE_F24(accum, value)                                                                                       \
    TARGET static void divide_##value##_f24(void *restrict out, const void *restrict upper,                            \
                                            const void *restrict lower, uint64_t divisor, int64_t n)                   \
    {                                                                                                                  \
        f32 *restrict o = out;                                                                                         \
        const accum *restrict a = upper, *restrict b = lower;                                                          \
        const f32 d = (f32)divisor, per_d = 1 / d;                                                                     \
        for (int64_t i = 0; i < n; i++) o[i] = quotient_f32((f32)(i32)(value)(accum)(a[i] - b[i]), d, per_d);          \
    }
DIVIDE_F24(u16, u16)
DIVIDE_F24(u16, i16)
DIVIDE_F24(u32, u32)
DIVIDE_F24(u32, i32)

#define DIVIDE_TO_REAL(accum, value, result)                                                                           \
    TARGET static void divide_##value##_##result(void *restrict out, const void *restrict upper,                       \
                                                 const void *restrict lower, uint64_t divisor, int64_t n)              \
    {                                                                                                                  \
        result *restrict o = out;                                                                                      \
        const accum *restrict a = upper, *restrict b = lower;                                                          \
        const f64 d = (f64)divisor, per_d = 1 / d;                                                                     \
        for (int64_t i = 0; i < n; i++) o[i] = (result)quotient_f64(REAL_##value(a[i] - b[i]), d, per_d);              \
    }
DIVIDE_TO_REAL(u16, u16, f64)
DIVIDE_TO_REAL(u16, i16, f64)
DIVIDE_TO_REAL(u32, u32, f32)
DIVIDE_TO_REAL(u32, i32, f32)
DIVIDE_TO_REAL(u32, u32, f64)
DIVIDE_TO_REAL(u32, i32, f64)

#define DIVIDE_LONG_TO_REAL(value, result)                                                                             \
    TARGET static void divide_##value##_##result(void *restrict out, const void *restrict upper,                       \
                                                 const void *restrict lower, uint64_t divisor, int64_t n)              \
    {                                                                                                                  \
        result *restrict o = out;                                                                                      \
        const u64 *restrict a = upper, *restrict b = lower;                                                            \
        const f64 d = (f64)divisor, per_d = 1 / d;                                                                     \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            const u64 sum = a[i] - b[i];                                                                               \
            o[i] = (result)quotient_of_parts(UPPER_##value(sum), real_of(sum & UINT32_MAX), d, per_d);                 \
        }                                                                                                              \
    }
DIVIDE_LONG_TO_REAL(u64, f32)
DIVIDE_LONG_TO_REAL(u64, f64)
DIVIDE_LONG_TO_REAL(i64, f32)
DIVIDE_LONG_TO_REAL(i64, f64)

/* ---- a divisor for each mean --------------------------------------------------------------------------- */

/* In 16 bits f32 holds numerator and divisor exactly, and their quotient is truncated to the right integer: where it is
 * not whole it lies 1/d or more below the next integer, and rounding moves it by less.
 *
 * Larger ones are estimated, and the rest, which is exact, says whether the integer is the right one.  In 32 bits the
 * three roundings to f32 move a quotient below 2^17 by less than 1, and d is below 2^25, since d times the largest
 * sample fits.  In 64 bits the three roundings to f64 move a quotient below 2^32 + 1 by less than 2^-18, so that the
 * nearest integer is the right one, or one more.  Larger quotients, of signed weights, stay so large that they are cut.
 */
BOX_INLINE u16 whole_quotient_u16(u16 sum, u16 d)
{
    return (u16)(i32)((f32)sum / (f32)d);
}
BOX_INLINE u32 whole_quotient_u32(u32 sum, u32 d)
{
    const f32 estimate = (f32)sum / (f32)d;
    const u32 q = (u32)(i32)(estimate < 0x1p30f ? estimate : 0x1p30f);
    const i32 rest = (i32)(sum - q * d);
    return q - (rest < 0) + (rest >= (i32)d);
}
BOX_INLINE u64 whole_quotient_u64(u64 sum, u64 d)
{
    if (VECTOR_BYTES == 0) return sum / d;
    const f64 estimate = (UPPER_u64(sum) + real_of(sum & UINT32_MAX)) / (UPPER_u64(d) + real_of(d & UINT32_MAX));
    const u64 q = nearest_to(estimate < 0x1p50 ? estimate : 0x1p50);
    return q - ((sum - q * d) >> 63);
}

/* The integer mean of a sum, d being another number than 0: weights of signed samples may be below zero, and their sum,
 * too.  Then a mean may be one that no sample has, and is cut to their range. */
#define ROUNDED(accum, value)                                                                                          \
    BOX_INLINE value rounded_##value(accum sum, accum d, i64 least, i64 most)                                          \
    {                                                                                                                  \
        const accum sign = SIGN_##value(sum), by = SIGN_##value(d), divisor = (accum)((accum)(d ^ by) - by);           \
        const accum rounded = (accum)((accum)((accum)(sum ^ sign) - sign) + divisor / 2);                              \
        const value mean =                                                                                             \
            (value)((accum)(whole_quotient_##accum(rounded, divisor) ^ sign ^ by) - (accum)(sign ^ by));               \
        return least == 0 ? mean : mean > (value)most ? (value)most : mean < (value)least ? (value)least : mean;       \
    }
ROUNDED(u16, u16)
ROUNDED(u16, i16)
ROUNDED(u32, u32)
ROUNDED(u32, i32)
ROUNDED(u64, u64)
ROUNDED(u64, i64)

/* The real mean of a sum; d may be of the sum's type, or the sum of signed weights. */
#define REAL_MEAN(accum, value)                                                                                        \
    BOX_INLINE f64 real_mean_##value(accum sum, accum d, i64 least, i64 most)                                          \
    {                                                                                                                  \
        (void)least, (void)most;                                                                                       \
        return REAL_##value(sum) / REAL_##value(d);                                                                    \
    }
#define LONG_REAL_MEAN(value)                                                                                          \
    BOX_INLINE f64 real_mean_##value(u64 sum, u64 d, i64 least, i64 most)                                              \
    {                                                                                                                  \
        const f64 by = UPPER_##value(d) + real_of(d & UINT32_MAX);                                                     \
        (void)least, (void)most;                                                                                       \
        return quotient_of_parts(UPPER_##value(sum), real_of(sum & UINT32_MAX), by, 1 / by);                           \
    }
REAL_MEAN(u16, u16)
REAL_MEAN(u16, i16)
REAL_MEAN(u32, u32)
REAL_MEAN(u32, i32)
LONG_REAL_MEAN(u64)
LONG_REAL_MEAN(i64)

/* mean: rounded or real_mean, or 0 by a divisor of 0, which 1 stands for, so that nothing branches.  An area is below
 * the sums' type's largest value, signed or not. */
#define DIVIDE_EACH(accum, value, result, mean, least, most)                                                           \
    TARGET static void divide_each_##value##_##result(void *restrict out, const void *restrict sums,                   \
                                                      const void *restrict divisors, int64_t n)                        \
    {                                                                                                                  \
        result *restrict o = out;                                                                                      \
        const accum *restrict s = sums, *restrict by = divisors;                                                       \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            const result to = (result)mean##_##value(s[i], (accum)(by[i] + (by[i] == 0)), least, most);                \
            o[i] = by[i] ? to : 0;                                                                                     \
        }                                                                                                              \
    }
DIVIDE_EACH(u16, u16, u8, rounded, 0, UINT8_MAX)
DIVIDE_EACH(u16, i16, i8, rounded, INT8_MIN, INT8_MAX)
DIVIDE_EACH(u16, u16, f32, real_mean, 0, 0)
DIVIDE_EACH(u16, i16, f32, real_mean, 0, 0)
DIVIDE_EACH(u16, u16, f64, real_mean, 0, 0)
DIVIDE_EACH(u16, i16, f64, real_mean, 0, 0)
DIVIDE_EACH(u32, u32, u8, rounded, 0, UINT8_MAX)
DIVIDE_EACH(u32, u32, u16, rounded, 0, UINT16_MAX)
DIVIDE_EACH(u32, i32, i8, rounded, INT8_MIN, INT8_MAX)
DIVIDE_EACH(u32, i32, i16, rounded, INT16_MIN, INT16_MAX)
DIVIDE_EACH(u32, u32, f32, real_mean, 0, 0)
DIVIDE_EACH(u32, i32, f32, real_mean, 0, 0)
DIVIDE_EACH(u32, u32, f64, real_mean, 0, 0)
DIVIDE_EACH(u32, i32, f64, real_mean, 0, 0)
DIVIDE_EACH(u64, u64, u8, rounded, 0, UINT8_MAX)
DIVIDE_EACH(u64, u64, u16, rounded, 0, UINT16_MAX)
DIVIDE_EACH(u64, u64, u32, rounded, 0, UINT32_MAX)
DIVIDE_EACH(u64, i64, i8, rounded, INT8_MIN, INT8_MAX)
DIVIDE_EACH(u64, i64, i16, rounded, INT16_MIN, INT16_MAX)
DIVIDE_EACH(u64, i64, i32, rounded, INT32_MIN, INT32_MAX)
DIVIDE_EACH(u64, u64, f32, real_mean, 0, 0)
DIVIDE_EACH(u64, i64, f32, real_mean, 0, 0)
DIVIDE_EACH(u64, u64, f64, real_mean, 0, 0)
DIVIDE_EACH(u64, i64, f64, real_mean, 0, 0)

/* The divisors of means weighted by alpha, the last of 2 or 4 channels: of colours the sum of alpha. */
#define SPREAD(accum)                                                                                                  \
    INLINE void spread_pixels_##accum(const int channels, accum *restrict o, const accum *restrict s, accum area,      \
                                      int64_t n)                                                                       \
    {                                                                                                                  \
        const int last = channels - 1;                                                                                 \
        for (int64_t i = 0; i < n; i += channels)                                                                      \
            for (int c = 0; c < channels; c++) o[i + c] = c < last ? s[i + last] : area ? area : o[i + last];          \
    }                                                                                                                  \
    TARGET static void spread_##accum(void *restrict divisors, const void *restrict sums, uint64_t area, int channels, \
                                      int64_t n)                                                                       \
    {                                                                                                                  \
        WITH_ALPHA(spread_pixels_##accum, channels, divisors, sums, (accum)area, n);                                   \
    }
SPREAD(u32)
SPREAD(u64)

/* By sums and results; where the divisors differ, f32 needs no other loop for small sums. */
#define divide_each_u16_f24 divide_each_u16_f32
#define divide_each_i16_f24 divide_each_i16_f32
#define divide_each_u32_f24 divide_each_u32_f32
#define divide_each_i32_f24 divide_each_i32_f32
#define OF_SUMS(name, s)                                                                                               \
    {                                                                                                                  \
        [BOX_SUMS_16] = {[BOX_TO_8] = name##_##s##16_##s##8,                                                           \
                         [BOX_TO_F24] = name##_##s##16_f24,                                                            \
                         [BOX_TO_F64] = name##_##s##16_f64},                                                           \
        [BOX_SUMS_32] = {[BOX_TO_8] = name##_##s##32_##s##8,                                                           \
                         [BOX_TO_16] = name##_##s##32_##s##16,                                                         \
                         [BOX_TO_F24] = name##_##s##32_f24,                                                            \
                         [BOX_TO_F32] = name##_##s##32_f32,                                                            \
                         [BOX_TO_F64] = name##_##s##32_f64},                                                           \
        [BOX_SUMS_64] = {[BOX_TO_8] = name##_##s##64_##s##8,                                                           \
                         [BOX_TO_16] = name##_##s##64_##s##16,                                                         \
                         [BOX_TO_32] = name##_##s##64_##s##32,                                                         \
                         [BOX_TO_F32] = name##_##s##64_f32,                                                            \
                         [BOX_TO_F64] = name##_##s##64_f64},                                                           \
    }
