/* border_reflect101.c - mirrored about the edge pixel, which is not repeated: OpenCV's default. */
#include "border.h"

static int segments(int64_t low, int64_t high, int64_t n, sat_segment out[SAT_SEGMENTS])
{
    return sat_border_mirrored(low, high, n, 1, out);
}

const sat_border sat_border_reflect101 = {
    .name = "reflect101",
    .summary = "d c b | a b c d | c b a",
    .blurs = true,
    .segments = segments,
};
