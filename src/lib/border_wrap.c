/* border_wrap.c - the image repeats, as on a torus. */
#include "border.h"

static int segments(int64_t low, int64_t high, int64_t n, sat_segment out[SAT_SEGMENTS])
{
    int64_t length = high - low, whole = length / n, begin = (low % n + n) % n, end = begin + length % n;
    int count = 0;
    if (whole > 0) out[count++] = (sat_segment){0, n, whole};
    if (begin < end) out[count++] = (sat_segment){begin, end < n ? end : n, 1};
    if (end > n) out[count++] = (sat_segment){0, end - n, 1};
    return count;
}

const sat_border sat_border_wrap = {
    .name = "wrap",
    .summary = "b c d | a b c d | a b c",
    .blurs = true,
    .repeats_all = true,
    .segments = segments,
};
