/* box_float_few_template.h - the sums of windows of W rows, 1 .. 7, of SAMPLE, f32 or f64.  Windows that are lower than
 * a block of rows have no other loop, and so no line in paths.def. */
#include "loops_template.h"

TARGET static void NAME_3(few_columns, SAMPLE, W)(const void *const *rows, int64_t at, int64_t n, f64 *out, int64_t row)
{
    enum { VECTORS = W <= 3 ? FEW_COLUMN_VECTORS : 1, LINES = BOX_LINES + W - 1 };
    for (int64_t i = 0; i < n; i += VECTORS * F64_LANES) {
        f64s one[VECTORS][LINES];
        UNROLL for (int j = 0; j < LINES; j++) UNROLL for (int k = 0; k < VECTORS; k++) one[k][j] =
            OF_SAMPLE(load)(rows[j], at + i + k * F64_LANES);
        UNROLL for (int k = 0; k < VECTORS; k++)
        {
            f64s v[BOX_LINES];
            few_lines(one[k], v, W, BOX_LINES);
            store_columns(v, out, row, i + k * F64_LANES);
        }
    }
}
#undef W
