/* scan_pair_template.h - samples of SAMPLE in ACCUM, as they are and summed along rows, for the pairs in
 * scan_sample_template.h. */
#include "loops_template.h"

TARGET static void OF_PAIR(widen)(void *restrict out, const void *restrict samples, int64_t n)
{
    ACCUM *restrict o = out;
    const SAMPLE *restrict s = samples;
    for (int64_t i = 0; i < n; i++) o[i] = (ACCUM)s[i];
}

#define SCAN          scan
#define EACH_CHANNELS "scan_template.h"
#include "channels_template.h"
#undef SCAN

#define LOOPS(c)                                                                                                       \
    {                                                                                                                  \
        NAME_2(OF_PAIR(scan), c), NAME_2(OF_PAIR(scan_rows), c)                                                        \
    }
static const pair_loops OF_PAIR(loops) = {OF_PAIR(widen), {LOOPS(1), LOOPS(2), LOOPS(3), LOOPS(4)}};
#undef LOOPS
#undef ACCUM
