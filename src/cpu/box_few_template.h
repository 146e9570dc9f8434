/* box_few_template.h - windows of W columns, 1 .. 5, of sums of 16 bits. */
#include "loops_template.h"
#include "path.h"

INLINE u16 NAME_2(few, W)(const u16 *s, int64_t c)
{
    return (u16)(s[0] + (W > 1 ? s[c] : 0) + (W > 2 ? s[2 * c] : 0) + (W > 3 ? s[3 * c] : 0) + (W > 4 ? s[4 * c] : 0));
}
TARGET static void NAME_2(few_sums, W)(void *restrict out, const void *restrict sums, int channels, int64_t n)
{
    u16 *restrict o = out;
    const u16 *restrict s = sums;
    for (int64_t i = 0; i < n; i++) o[i] = NAME_2(few, W)(s + i, channels);
}
/* As sums_mean_template.h divides (paths.def: few_upward).  The product with 1 / d rounded up, e / d too much in 2^16,
 * is in no need of a remainder while value * e < 2^16. */
TARGET static void NAME_2(few_means, W)(void *restrict out, const void *restrict sums, int channels, uint64_t divisor,
                                        int64_t n)
{
    u8 *restrict o = out;
    const u16 *restrict s = sums;
    const u16 d = (u16)divisor, half = (u16)(divisor / 2);
    const u16 up = (u16)(65535 / divisor + 1), down = (u16)(65536 / (divisor > 1 ? divisor : 2));
    const uint64_t excess = up * divisor - 65536;
    if (divisor == 1) {
        for (int64_t i = 0; i < n; i++) o[i] = (u8)NAME_2(few, W)(s + i, channels);
    } else if (SAT_PATH(few_upward) && excess * (UINT8_MAX * divisor + half) < 65536) {
        for (int64_t i = 0; i < n; i++) o[i] = (u8)((u32)(u16)(NAME_2(few, W)(s + i, channels) + half) * up >> 16);
    } else {
        for (int64_t i = 0; i < n; i++) {
            u16 value = (u16)(NAME_2(few, W)(s + i, channels) + half), q = (u16)((u32)value * down >> 16);
            o[i] = (u8)(q + ((u16)(value - (u16)(q * d)) >= d));
        }
    }
}
#undef W
