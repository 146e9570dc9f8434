/* box_float_loop_template.h - means of windows of W x W, 2 .. 5, in C channels.
 *
 * v holds the column sums of a row's last vectors, the newest in v[OLD].  A window adds those that lie (W - 1) * C, ...
 * 2 * C, C and 0 lanes to the left of it (BEFORE() and ADD_BEFORE() in box_float_small_template.h). */
#include "loops_template.h"

#define NAMED(name) NAME_3(name, W, C)

INLINE void NAMED(small_rows)(const void *const *lines, int64_t at, int64_t n, f64 *before, int64_t row,
                              const sat_box_means *m, int first)
{
    /* OLD: vectors that reach BACK lanes to the left. */
    enum { BACK = (W - 1) * C, OLD = (BACK + F64_LANES - 1) / F64_LANES, LINES = SMALL_ROWS + W - 1 };
    enum { AHEAD = AHEAD_BYTES / sizeof(f32) };
    const f64s area = all_of(m->rows[0] * m->columns[0]), inverse = all_of(m->inverse);
    const bool stream = m->stream;
    const f32 *from[LINES];
    char *to[SMALL_ROWS];
    f64s v[SMALL_ROWS][OLD + 1];
    UNROLL for (int j = 0; j < LINES; j++) from[j] = (const f32 *)lines[j] + at;
    UNROLL for (int j = 0; j < SMALL_ROWS; j++) to[j] = m->to + (first + j) * m->row_bytes;
    UNROLL for (int j = 0; j < SMALL_ROWS; j++) UNROLL for (int k = 0; k < OLD; k++) v[j][k] =
        load_sums(before + j * row - (OLD - k) * F64_LANES);
    for (int64_t i = 0; i < n; i += F32_LANES) {
        f32_half means[SMALL_ROWS][2];
        UNROLL for (int j = 0; j < LINES; j++) __builtin_prefetch(from[j] + i + AHEAD);
        UNROLL for (int h = 0; h < 2; h++)
        {
            f64s one[LINES], sum[SMALL_ROWS];
            UNROLL for (int j = 0; j < LINES; j++) one[j] = load_f32(from[j], i + h * F64_LANES);
            few_lines(one, sum, W, SMALL_ROWS);
            UNROLL for (int j = 0; j < SMALL_ROWS; j++)
            {
                v[j][OLD] = sum[j];
                f64s s = BEFORE(v[j], OLD, BACK);
                ADD_BEFORE(s, v[j], OLD, W - 4, 3 * C);
                ADD_BEFORE(s, v[j], OLD, W - 3, 2 * C);
                ADD_BEFORE(s, v[j], OLD, W - 2, 1 * C);
                means[j][h] = TO_F32(quotient(s + v[j][OLD], area, inverse));
                UNROLL for (int k = 0; k < OLD; k++) v[j][k] = v[j][k + 1];
            }
        }
        UNROLL for (int j = 0; j < SMALL_ROWS; j++) store_f32s(to[j] + (size_t)i * sizeof(f32), means[j], stream);
    }
    UNROLL for (int j = 0; j < SMALL_ROWS; j++) UNROLL for (int k = 0; k < OLD; k++)
        store_sums(before + j * row - (OLD - k) * F64_LANES, v[j][k]);
}

TARGET static void NAMED(small)(const void *const *lines, int64_t at, int64_t n, f64 *before, int64_t row,
                                const sat_box_means *means)
{
    for (int j = 0; j < BOX_LINES; j += SMALL_ROWS)
        NAMED(small_rows)(lines + j, at, n, before + j * row, row, means, j);
}

#undef NAMED
#undef C
