/* border_toy.c - a border mode in one file: beyond the edge there is the first sample of the axis. */
#include "border.h"

static int segments(int64_t low, int64_t high, int64_t n, sat_segment out[SAT_SEGMENTS])
{
    int64_t begin = low < 0 ? 0 : low, end = high > n ? n : high;
    int count = 0;
    if (begin < end) out[count++] = (sat_segment){begin, end, 1};
    int64_t outside = high - low - (begin < end ? end - begin : 0);
    if (outside > 0) out[count++] = (sat_segment){0, 1, outside};
    return count;
}

const sat_border sat_border_toy = {
    .name = "toy",
    .summary = "a a | a b c d | a a",
    .segments = segments,
};
