/* border_reflect.c - mirrored about the edge, the edge pixel repeated: SciPy's default. */
#include "border.h"

static int segments(int64_t low, int64_t high, int64_t n, sat_segment out[SAT_SEGMENTS])
{
    return sat_border_mirrored(low, high, n, 0, out);
}

const sat_border sat_border_reflect = {
    .name = "reflect",
    .summary = "c b a | a b c d | d c b",
    .blurs = true,
    .segments = segments,
};
