/* Undoing PNG's row filters (specification, clause 9).
 *
 * None and Up work on independent bytes, which the compiler vectorises.  Sub, Average and Paeth predict
 * a pixel from the one just finished, so their speed is the latency of one prediction: what helps is to
 * do all bytes of a pixel at once, in a vector register, with as few operations between two pixels as
 * possible.
 *
 * Paeth picks of a (left), b (above), c (above left) the nearest to a + b - c, in that order when equal.
 * That is the same as (F. Giesen's form, in stb_image 2.30): with t = 3c - a - b,
 *
 *     t >= max(a,b): min(a,b)      t <= min(a,b): max(a,b), which wins      else c
 *
 * where only t, min and max wait for a, and all three at once.  Still each pixel waits for the one
 * before; so two rows are undone together, the lower one a pixel behind the upper:
 *
 *     row y      . . . . . . a0 x0
 *     row y+1    . . . . . a1 x1          x1's upper neighbour is a0, its upper left one step older */
#include "png.h"

#include <string.h>

#if defined(__SSE2__) && !defined(PNG_UNFILTER_PORTABLE)
#include <emmintrin.h>

typedef __m128i pixel; /* bytes in the low half, or 16-bit lanes */

/* Every load takes 4 or 8 bytes; what lies behind the pixel never reaches its lanes. */
static inline __attribute__((always_inline)) pixel load(const uint8_t *p, int bpp)
{
    if (bpp > 4) return _mm_loadl_epi64((const __m128i *)(const void *)p);
    int32_t v;
    memcpy(&v, p, sizeof v);
    return _mm_cvtsi32_si128(v);
}

static inline __attribute__((always_inline)) void store(uint8_t *p, pixel v, int bpp)
{
    uint64_t bytes = (uint64_t)_mm_cvtsi128_si64(v);
    memcpy(p, &bytes, (size_t)bpp);
}

static inline __attribute__((always_inline)) void sub(uint8_t *dst, const uint8_t *src, size_t n, int bpp)
{
    pixel a = _mm_setzero_si128();
    for (size_t i = 0; i < n; i += (size_t)bpp) {
        a = _mm_add_epi8(load(src + i, bpp), a);
        store(dst + i, a, bpp);
    }
}

static inline __attribute__((always_inline)) void average(uint8_t *dst, const uint8_t *src, const uint8_t *prev,
                                                          size_t n, int bpp)
{
    pixel a = _mm_setzero_si128();
    const pixel one = _mm_set1_epi8(1);
    for (size_t i = 0; i < n; i += (size_t)bpp) {
        pixel b = load(prev + i, bpp);
        /* pavgb rounds up where PNG rounds down: they differ by one when a + b is odd. */
        pixel mean = _mm_sub_epi8(_mm_avg_epu8(a, b), _mm_and_si128(_mm_xor_si128(a, b), one));
        a = _mm_add_epi8(load(src + i, bpp), mean);
        store(dst + i, a, bpp);
    }
}

static inline __attribute__((always_inline)) pixel choose(pixel mask, pixel yes, pixel no)
{
    return _mm_or_si128(_mm_and_si128(mask, yes), _mm_andnot_si128(mask, no));
}

/* One pixel x of a row, given its neighbours, as 16-bit lanes. */
static inline __attribute__((always_inline)) pixel paeth_step(pixel a, pixel b, pixel c, pixel x)
{
    pixel t = _mm_sub_epi16(_mm_sub_epi16(_mm_add_epi16(_mm_add_epi16(c, c), c), b), a);
    pixel low = _mm_min_epi16(a, b), high = _mm_max_epi16(a, b);
    pixel above = _mm_cmpgt_epi16(high, t), below = _mm_cmpgt_epi16(t, low);
    return _mm_add_epi8(x, choose(below, choose(above, c, low), high)); /* each lane's upper byte stays 0 */
}

static inline __attribute__((always_inline)) pixel load_lanes(const uint8_t *p, int bpp)
{
    return _mm_unpacklo_epi8(load(p, bpp), _mm_setzero_si128());
}

static inline __attribute__((always_inline)) void store_lanes(uint8_t *p, pixel v, int bpp)
{
    store(p, _mm_packus_epi16(v, v), bpp);
}

static inline __attribute__((always_inline)) void paeth(uint8_t *dst, const uint8_t *src, const uint8_t *prev, size_t n,
                                                        int bpp)
{
    pixel a = _mm_setzero_si128(), c = a;
    for (size_t i = 0; i < n; i += (size_t)bpp) {
        pixel b = load_lanes(prev + i, bpp);
        a = paeth_step(a, b, c, load_lanes(src + i, bpp));
        c = b;
        store_lanes(dst + i, a, bpp);
    }
}

static inline __attribute__((always_inline)) void paeth_pair(uint8_t *dst0, const uint8_t *src0, uint8_t *dst1,
                                                             const uint8_t *src1, const uint8_t *prev, size_t n,
                                                             int bpp)
{
    const size_t step = (size_t)bpp;
    const pixel zero = _mm_setzero_si128();
    pixel c0 = load_lanes(prev, bpp), a0 = paeth_step(zero, c0, zero, load_lanes(src0, bpp));
    pixel c1 = zero, a1 = zero;
    store_lanes(dst0, a0, bpp);
    for (size_t i = step; i < n; i += step) {
        pixel b0 = load_lanes(prev + i, bpp), b1 = a0;
        pixel x0 = load_lanes(src0 + i, bpp), x1 = load_lanes(src1 + i - step, bpp);
        a0 = paeth_step(a0, b0, c0, x0);
        a1 = paeth_step(a1, b1, c1, x1);
        c0 = b0;
        c1 = b1;
        store_lanes(dst0 + i, a0, bpp);
        store_lanes(dst1 + i - step, a1, bpp);
    }
    a1 = paeth_step(a1, a0, c1, load_lanes(src1 + n - step, bpp));
    store_lanes(dst1 + n - step, a1, bpp);
}

#else

static inline __attribute__((always_inline)) void sub(uint8_t *dst, const uint8_t *src, size_t n, int bpp)
{
    uint8_t a[8] = {0};
    for (size_t i = 0; i < n; i += (size_t)bpp) {
        for (int k = 0; k < bpp; k++) dst[i + (size_t)k] = a[k] = (uint8_t)(src[i + (size_t)k] + a[k]);
    }
}

static inline __attribute__((always_inline)) void average(uint8_t *dst, const uint8_t *src, const uint8_t *prev,
                                                          size_t n, int bpp)
{
    uint8_t a[8] = {0};
    for (size_t i = 0; i < n; i += (size_t)bpp) {
        for (int k = 0; k < bpp; k++) {
            size_t at = i + (size_t)k;
            dst[at] = a[k] = (uint8_t)(src[at] + (a[k] + prev[at]) / 2);
        }
    }
}

static inline __attribute__((always_inline)) void paeth(uint8_t *dst, const uint8_t *src, const uint8_t *prev, size_t n,
                                                        int bpp)
{
    int a[8] = {0}, c[8] = {0};
    for (size_t i = 0; i < n; i += (size_t)bpp) {
        for (int k = 0; k < bpp; k++) {
            size_t at = i + (size_t)k;
            int b = prev[at], t = 3 * c[k] - a[k] - b;
            int low = a[k] < b ? a[k] : b, high = a[k] < b ? b : a[k];
            int nearest = t <= low ? high : t >= high ? low : c[k];
            a[k] = (uint8_t)(src[at] + nearest);
            c[k] = b;
            dst[at] = (uint8_t)a[k];
        }
    }
}

static inline __attribute__((always_inline)) void paeth_pair(uint8_t *dst0, const uint8_t *src0, uint8_t *dst1,
                                                             const uint8_t *src1, const uint8_t *prev, size_t n,
                                                             int bpp)
{
    paeth(dst0, src0, prev, n, bpp);
    paeth(dst1, src1, dst0, n, bpp);
}

#endif

static void up(uint8_t *dst, const uint8_t *src, const uint8_t *prev, size_t n)
{
    for (size_t i = 0; i < n; i++) dst[i] = (uint8_t)(src[i] + prev[i]);
}

/* bpp as a constant, so that the loops over a pixel's bytes vanish. */
static inline __attribute__((always_inline)) void serial(uint8_t *dst, const uint8_t *src, const uint8_t *prev,
                                                         size_t n, int bpp, int filter)
{
    if (filter == PNG_SUB) sub(dst, src, n, bpp);
    if (filter == PNG_AVERAGE) average(dst, src, prev, n, bpp);
    if (filter == PNG_PAETH) paeth(dst, src, prev, n, bpp);
}

void png_unfilter(uint8_t *dst, const uint8_t *src, const uint8_t *prev, size_t n, int bpp, int filter)
{
    if (filter == PNG_NONE) {
        memmove(dst, src, n);
    } else if (filter == PNG_UP) {
        up(dst, src, prev, n);
    } else {
        switch (bpp) {
        case 1: serial(dst, src, prev, n, 1, filter); break;
        case 2: serial(dst, src, prev, n, 2, filter); break;
        case 3: serial(dst, src, prev, n, 3, filter); break;
        case 4: serial(dst, src, prev, n, 4, filter); break;
        case 6: serial(dst, src, prev, n, 6, filter); break;
        default: serial(dst, src, prev, n, 8, filter); break;
        }
    }
}

void png_unfilter_paeth_pair(uint8_t *dst0, const uint8_t *src0, uint8_t *dst1, const uint8_t *src1,
                             const uint8_t *prev, size_t n, int bpp)
{
    switch (bpp) {
    case 1: paeth_pair(dst0, src0, dst1, src1, prev, n, 1); break;
    case 2: paeth_pair(dst0, src0, dst1, src1, prev, n, 2); break;
    case 3: paeth_pair(dst0, src0, dst1, src1, prev, n, 3); break;
    case 4: paeth_pair(dst0, src0, dst1, src1, prev, n, 4); break;
    case 6: paeth_pair(dst0, src0, dst1, src1, prev, n, 6); break;
    default: paeth_pair(dst0, src0, dst1, src1, prev, n, 8); break;
    }
}
