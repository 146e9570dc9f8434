/* box_float_small_template.h - means of windows of 2 .. 5 rows and as wide as high, in one step, for one instruction
 * set (paths.def: float_small).
 *
 * SMALL_ROWS rows of results are made at once, as registers allow.  The column sums left of a vector are found in the
 * vectors before it.  The sums are added in the order of few_columns and few_rows. */

enum { SMALL_ROWS = F64_LANES == 8 ? 8 : 4 };

/* Lanes k, k + 1, ... of a, then of b. */
#ifndef JOINED
#define LATER(i, k, L)  ((i) + (k))
#define JOINED(a, b, k) __builtin_shufflevector(a, b, JOIN(LANES_, F64_LANES)(LATER, k, F64_LANES))
#endif

/* The vector that begins `back` lanes to the left of v[old], 0 <= back <= old * F64_LANES; v[0], v[1] ... follow one
 * another. */
#define FIRST_OF(old, back) ((old)*F64_LANES - (back))
#define BEFORE(v, old, back)                                                                                           \
    (FIRST_OF(old, back) % F64_LANES == 0                                                                              \
         ? (v)[FIRST_OF(old, back) / F64_LANES]                                                                        \
         : JOINED((v)[FIRST_OF(old, back) / F64_LANES],                                                                \
                  (v)[FIRST_OF(old, back) / F64_LANES + (FIRST_OF(old, back) % F64_LANES != 0)],                       \
                  FIRST_OF(old, back) % F64_LANES))
/* Adds it, if k > 0. */
#define ADD_BEFORE(sum, v, old, k, back)                                                                               \
    if ((k) > 0) sum += BEFORE(v, old, (k) > 0 ? (back) : 0)

#define C 1
#define W 2
#include "box_float_loop_template.h"
#define W 3
#include "box_float_loop_template.h"
#define W 4
#include "box_float_loop_template.h"
#define W 5
#include "box_float_loop_template.h"
#undef C
#define C 2
#define W 2
#include "box_float_loop_template.h"
#define W 3
#include "box_float_loop_template.h"
#define W 4
#include "box_float_loop_template.h"
#define W 5
#include "box_float_loop_template.h"
#undef C
#define C 3
#define W 2
#include "box_float_loop_template.h"
#define W 3
#include "box_float_loop_template.h"
#define W 4
#include "box_float_loop_template.h"
#define W 5
#include "box_float_loop_template.h"
#undef C
#define C 4
#define W 2
#include "box_float_loop_template.h"
#define W 3
#include "box_float_loop_template.h"
#define W 4
#include "box_float_loop_template.h"
#define W 5
#include "box_float_loop_template.h"
#undef C

#define OF_SMALL(C)                                                                                                    \
    {                                                                                                                  \
        NULL, small_2_##C, small_3_##C, small_4_##C, small_5_##C                                                       \
    }
