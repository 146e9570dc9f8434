/* sums_template.h - sums of BITS bits, 16, 32 or 64: along rows, and what is made of them. */
#include "numbers_template.h"

#define SCAN          prefix
#define SAMPLE        SUM
#define ACCUM         SUM
#define EACH_CHANNELS "scan_template.h"
#include "channels_template.h"
#undef SCAN
#undef SAMPLE
#undef ACCUM

TARGET static void NAME_2(differ, SUM)(void *restrict out, const void *restrict prefix, int64_t reach, int64_t n)
{
    SUM *restrict o = out;
    const SUM *restrict p = prefix;
    for (int64_t i = 0; i < n; i++) o[i] = (SUM)(p[i + reach] - p[i]);
}

TARGET static int64_t NAME_2(below, SUM)(const void *restrict counts, uint64_t least, int64_t n)
{
    const SUM *restrict c = counts, enough = (SUM)least;
    SUM fewer = 0; /* of a chunk: they fit */
    for (int64_t i = 0; i < n; i++) fewer = (SUM)(fewer + (c[i] < enough));
    return (int64_t)fewer;
}

#if BITS > 16
/* The divisors of means weighted by alpha, the last of 2 or 4 channels: of colours the sum of alpha. */
INLINE void NAME_2(spread_pixels, SUM)(const int channels, SUM *restrict o, const SUM *restrict s, SUM area, int64_t n)
{
    const int last = channels - 1;
    for (int64_t i = 0; i < n; i += channels)
        for (int c = 0; c < channels; c++) o[i + c] = c < last ? s[i + last] : area ? area : o[i + last];
}
TARGET static void NAME_2(spread, SUM)(void *restrict divisors, const void *restrict sums, uint64_t area, int channels,
                                       int64_t n)
{
    if (channels == 2)
        NAME_2(spread_pixels, SUM)(2, divisors, sums, (SUM)area, n);
    else
        NAME_2(spread_pixels, SUM)(4, divisors, sums, (SUM)area, n);
}
#endif

#define S u
#include "sums_value_template.h"
#define S i
#include "sums_value_template.h"
#undef BITS
