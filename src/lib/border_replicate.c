/* border_replicate.c - the edge pixel goes on for ever. */
#include "border.h"

static int segments(int64_t low, int64_t high, int64_t n, sat_segment out[SAT_SEGMENTS])
{
    int count = sat_border_inside(low, high, n, out);
    int64_t before = (high < 0 ? high : 0) - low, after = high - (low > n ? low : n);
    if (before > 0) out[count++] = (sat_segment){0, 1, before};
    if (after > 0) out[count++] = (sat_segment){n - 1, n, after};
    return count;
}

const sat_border sat_border_replicate = {
    .name = "replicate",
    .summary = "a a a | a b c d | d d d",
    .segments = segments,
};
