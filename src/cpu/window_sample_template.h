/* window_sample_template.h - results of any SAMPLE; samples of f32 and f64 as they count. */
#include "loops_template.h"

#if IS_FLOAT(SAMPLE)
INLINE void OF_SAMPLE(load_vector)(f64 *x, f64 *valid, const SAMPLE *row, const u8 *mask, const sat_validity *v)
{
    f64s value, counts;
    LOAD_F64S(SAMPLE, value, row);
    LOAD_F64S(u8, counts, mask);
    store_sums(x, keep_valid(value, counts, v, &counts));
    store_sums(valid, counts);
}

TARGET static void OF_SAMPLE(load_row)(f64 *restrict x, f64 *restrict valid, const void *restrict row,
                                       const sat_validity *v, int64_t n)
{
    const SAMPLE *restrict r = row;
    const int channels = v->channels;
    u8 spread[LOADED];
    memset(spread, 1, sizeof spread);
    for (int64_t first = 0, m, i; first < n; first += m) {
        m = n - first < LOADED ? n - first : LOADED;
        int64_t pixel = first / channels;
        int c = (int)(first % channels);
        for (i = 0; v->mask && channels > 1 && i < m; i++) {
            spread[i] = v->mask[pixel];
            if (++c == channels) c = 0, pixel++;
        }
        const u8 *mask = v->mask && channels == 1 ? v->mask + first : spread;
        for (i = 0; i + F64_LANES <= m; i += F64_LANES)
            OF_SAMPLE(load_vector)(x + first + i, valid + first + i, r + first + i, mask + i, v);
        if (i == m) continue;
        SAMPLE samples[F64_LANES] = {0};
        u8 bytes[F64_LANES] = {0};
        f64 values[F64_LANES], counts[F64_LANES];
        memcpy(samples, r + first + i, (size_t)(m - i) * sizeof *r);
        memcpy(bytes, mask + i, (size_t)(m - i));
        OF_SAMPLE(load_vector)(values, counts, samples, bytes, v);
        memcpy(x + first + i, values, (size_t)(m - i) * sizeof *x);
        memcpy(valid + first + i, counts, (size_t)(m - i) * sizeof *x);
    }
}

TARGET static int64_t OF_SAMPLE(store)(void *restrict out, const f64 *restrict values, int64_t n)
{
    SAMPLE *restrict o = out;
    for (int64_t i = 0; i < n; i++) o[i] = (SAMPLE)values[i];
    return 0;
}

#else
/* To nearest, halves away from zero; NaN is 0: a value's own fraction says it, as value + 0.5 may be rounded. */
#if BITS_OF(SAMPLE) < 32
#define WHOLE i32
#else
#define WHOLE i64
#endif
TARGET static int64_t OF_SAMPLE(store)(void *restrict out, const f64 *restrict values, int64_t n)
{
    const f64 least = LEAST_OF(SAMPLE), most = MOST_OF(SAMPLE);
    SAMPLE *restrict o = out;
    int64_t clipped = 0;
    for (int64_t i = 0; i < n; i++) {
        const f64 v = values[i], low = v <= least ? least : 0;
        const f64 in = v > least - 0.5 ? v < most + 0.5 ? v : most : low;
        const WHOLE whole = (WHOLE)in;
        const f64 rest = in - (f64)whole;
        o[i] = (SAMPLE)(whole + (rest >= 0.5) - (rest <= -0.5));
        clipped += !(v > least - 0.5 && v < most + 0.5);
    }
    return clipped;
}
#undef WHOLE
#endif
#undef SAMPLE
