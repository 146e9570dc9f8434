/* box_float_small_template.h - means of windows of 2 .. 5 rows and as wide as high, in one step, for one instruction
 * set (paths.def: float_small).
 *
 * SMALL_ROWS rows of results are made at once, as registers allow.  The column sums left of a vector are found in the
 * vectors before it.  The sums are added in the order of few_columns and few_rows. */

#include "loops_template.h"

enum { SMALL_ROWS = F64_LANES == 8 ? 8 : 4 };

/* The vector that begins `back` lanes to the left of v[old], 0 <= back <= old * F64_LANES; v[0], v[1] ... follow one
 * another. */
#define FIRST_OF(old, back) ((old)*F64_LANES - (back))
#define BEFORE(v, old, back)                                                                                           \
    (FIRST_OF(old, back) % F64_LANES == 0                                                                              \
         ? (v)[FIRST_OF(old, back) / F64_LANES]                                                                        \
         : LANES_LATER((v)[FIRST_OF(old, back) / F64_LANES],                                                           \
                       (v)[FIRST_OF(old, back) / F64_LANES + (FIRST_OF(old, back) % F64_LANES != 0)],                  \
                       FIRST_OF(old, back) % F64_LANES))
/* Adds it, if k > 0. */
#define ADD_BEFORE(sum, v, old, k, back)                                                                               \
    if ((k) > 0) sum += BEFORE(v, old, (k) > 0 ? (back) : 0)

#define W             2
#define EACH_CHANNELS "box_float_loop_template.h"
#include "channels_template.h"
#undef W
#define W             3
#define EACH_CHANNELS "box_float_loop_template.h"
#include "channels_template.h"
#undef W
#define W             4
#define EACH_CHANNELS "box_float_loop_template.h"
#include "channels_template.h"
#undef W
#define W             5
#define EACH_CHANNELS "box_float_loop_template.h"
#include "channels_template.h"
#undef W

#define OF_SMALL(C)                                                                                                    \
    {                                                                                                                  \
        NULL, small_2_##C, small_3_##C, small_4_##C, small_5_##C                                                       \
    }
