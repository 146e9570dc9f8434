/* sums_sample_template.h - rows of SAMPLE on their way into sums, for integers; floats have nothing here. */
#include "loops_template.h"
#include "window_ops.h"

#if !IS_FLOAT(SAMPLE)
/* ---- samples that count -------------------------------------------------------------------------------- */

/* `channels` is a constant, so that no sample takes a division. */
INLINE void OF_SAMPLE(mask_pixels)(const int channels, u8 *restrict valid, const u8 *restrict mask, int64_t n)
{
    for (int64_t i = 0; i < n / channels; i++)
        for (int c = 0; c < channels; c++) valid[i * channels + c] = mask[i] != 0;
}

INLINE void OF_SAMPLE(mask_samples)(u8 *restrict valid, const u8 *restrict mask, int channels, int64_t n)
{
    if (channels == 1) OF_SAMPLE(mask_pixels)(1, valid, mask, n);
    if (channels == 2) OF_SAMPLE(mask_pixels)(2, valid, mask, n);
    if (channels == 3) OF_SAMPLE(mask_pixels)(3, valid, mask, n);
    if (channels == 4) OF_SAMPLE(mask_pixels)(4, valid, mask, n);
}

TARGET static void OF_SAMPLE(validate)(void *restrict samples, u8 *restrict valid, const void *restrict row,
                                       const sat_validity *v, int64_t n)
{
    SAMPLE *restrict o = samples;
    const SAMPLE *restrict r = row;
    const SAMPLE nodata = v->has_nodata ? (SAMPLE)v->nodata : 0; /* a value of the type: valid.h */
    const u8 *restrict mask = v->mask;
    if (mask) OF_SAMPLE(mask_samples)(valid, mask, v->channels, n);
    if (v->has_nodata && mask)
        for (int64_t i = 0; i < n; i++) valid[i] &= r[i] != nodata;
    else if (v->has_nodata)
        for (int64_t i = 0; i < n; i++) valid[i] = r[i] != nodata;
    else if (!mask)
        memset(valid, 1, (size_t)n);
    for (int64_t i = 0; i < n; i++) o[i] = (SAMPLE)(r[i] & -(SAMPLE)valid[i]);
}

#if BITS_OF(SAMPLE) < 32 && !IS_SIGNED(SAMPLE)
/* ---- samples and counts in one word -------------------------------------------------------------------- */

TARGET static void OF_SAMPLE(pack)(u32 *restrict words, u8 *restrict valid, const void *restrict row,
                                   const sat_validity *v, int bits, int64_t n)
{
    const SAMPLE *restrict r = row;
    const u32 nodata = v->has_nodata ? (u32)v->nodata : ~(u32)0, one = (u32)1 << bits; /* ~0: no sample is that */
    const u8 *restrict mask = v->mask;
    if (mask && v->channels > 1) {
        OF_SAMPLE(mask_samples)(valid, mask, v->channels, n);
        mask = valid;
    }
    for (int64_t i = 0; mask && i < n; i++)
        words[i] = ((u32)r[i] | one) & (0 - (u32)(mask[i] != 0)) & (0 - (u32)(r[i] != nodata));
    for (int64_t i = 0; !mask && i < n; i++) words[i] = ((u32)r[i] | one) & (0 - (u32)(r[i] != nodata));
}

/* f32 holds sums below 2^24 and counts exactly, and their quotient is truncated to the right integer: where it is not
 * whole it lies 1 / count or more below the next one, and is rounded by at most 2^-24 of itself.  Quotients of 8 bits
 * have counts below 2^16, of 16 bits below 2^8. */
TARGET static int64_t OF_SAMPLE(divide_packed)(void *restrict out, const u32 *restrict words, u32 *restrict counts,
                                               int bits, u32 least, int64_t n)
{
    SAMPLE *restrict o = out;
    const u32 below = ((u32)1 << bits) - 1;
    u32 left = 0;
    for (int64_t i = 0; i < n; i++) {
        const u32 count = words[i] >> bits, by = count + (count == 0);
        counts[i] = count;
        left += count < least;
        o[i] = (SAMPLE)(i32)((f32)(i32)((words[i] & below) + by / 2) / (f32)(i32)by);
    }
    return left;
}
#endif

#if BITS_OF(SAMPLE) < 32
/* ---- times alpha, the last channel --------------------------------------------------------------------- */

#if IS_SIGNED(SAMPLE)
#define PRODUCT i32
#else
#define PRODUCT u32
#endif
INLINE void OF_SAMPLE(weigh_pixels)(const int channels, PRODUCT *restrict o, const SAMPLE *restrict s, int64_t n)
{
    for (int64_t i = 0; i < n; i += channels) {
        const PRODUCT alpha = (PRODUCT)s[i + channels - 1];
        for (int c = 0; c < channels - 1; c++) o[i + c] = s[i + c] * alpha;
        o[i + channels - 1] = alpha;
    }
}
/* Of two channels or of four, which the compiler must know. */
TARGET static void OF_SAMPLE(weigh)(void *restrict out, const void *restrict in, int channels, int64_t n)
{
    if (channels == 2)
        OF_SAMPLE(weigh_pixels)(2, out, in, n);
    else
        OF_SAMPLE(weigh_pixels)(4, out, in, n);
}
#undef PRODUCT

#else
/* ---- squares in halves of 32 bits ---------------------------------------------------------------------- */

#if IS_SIGNED(SAMPLE)
#define PRODUCT i64
#else
#define PRODUCT u64
#endif
TARGET static void OF_SAMPLE(slide_halves)(void *restrict low, void *restrict high, const void *restrict enter,
                                           const void *restrict leave, int64_t n)
{
    u64 *restrict s = low, *restrict t = high;
    const SAMPLE *restrict e = enter, *restrict l = leave;
    for (int64_t i = 0; i < n; i++) {
        const u64 a = (u64)((PRODUCT)e[i] * (PRODUCT)e[i]), b = (u64)((PRODUCT)l[i] * (PRODUCT)l[i]);
        s[i] += (a & UINT32_MAX) - (b & UINT32_MAX);
        t[i] += (a >> 32) - (b >> 32);
    }
}
TARGET static void OF_SAMPLE(add_halves)(void *restrict low, void *restrict high, const void *restrict row,
                                         uint64_t weight, int64_t n)
{
    u64 *restrict s = low, *restrict t = high;
    const SAMPLE *restrict r = row;
    for (int64_t i = 0; i < n; i++) {
        const u64 square = (u64)((PRODUCT)r[i] * (PRODUCT)r[i]);
        s[i] += weight * (square & UINT32_MAX);
        t[i] += weight * (square >> 32);
    }
}
#undef PRODUCT
#endif

/* ---- sums ---------------------------------------------------------------------------------------------- */

#if BITS_OF(SAMPLE) == 8
#define ACCUM u16
#include "sums_pair_template.h"
#endif
#define ACCUM u32
#include "sums_pair_template.h"
#define ACCUM u64
#include "sums_pair_template.h"
#endif
#undef SAMPLE
