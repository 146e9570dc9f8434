/* box_float_small_template.h - means of windows of 2 .. 5 rows and as many columns in one step, for one instruction
 * set.
 *
 * Column sums of as many rows of results as there are registers for; those of the columns before are lanes of these
 * vectors and of the ones before them.  The sums are those of few_columns and few_rows, in their order. */

enum { SMALL_ROWS = F64_LANES == 8 ? 8 : 4 };

/* Lanes k, k + 1, ... of a, then of b. */
#ifndef JOINED
#define LATER(i, k, L)  ((i) + (k))
#define JOINED(a, b, k) __builtin_shufflevector(a, b, JOIN(LANES_, F64_LANES)(LATER, k, F64_LANES))
#endif

/* The vector `back` lanes before v[old], 0 <= back <= old * F64_LANES; v[k] stands before v[k + 1]. */
#define FIRST_OF(old, back) ((old)*F64_LANES - (back))
#define BEFORE(v, old, back)                                                                                           \
    (FIRST_OF(old, back) % F64_LANES == 0                                                                              \
         ? (v)[FIRST_OF(old, back) / F64_LANES]                                                                        \
         : JOINED((v)[FIRST_OF(old, back) / F64_LANES],                                                                \
                  (v)[FIRST_OF(old, back) / F64_LANES + (FIRST_OF(old, back) % F64_LANES != 0)],                       \
                  FIRST_OF(old, back) % F64_LANES))
#define ADD_BEFORE(sum, v, old, k, back)                                                                               \
    if ((k) > 0) sum += BEFORE(v, old, (k) > 0 ? (back) : 0)

/* W: the window; C: channels; OLD: vectors that reach (W - 1) * C lanes back. */
#define SMALL(W, C)                                                                                                    \
    INLINE void small_rows_##W##_##C(const void *const *lines, int64_t at, int64_t n, f64 *before, int64_t row,        \
                                     const sat_box_means *m, int first)                                                \
    {                                                                                                                  \
        enum { BACK = ((W)-1) * (C), OLD = (BACK + F64_LANES - 1) / F64_LANES, LINES = SMALL_ROWS + (W)-1 };           \
        enum { AHEAD = AHEAD_BYTES / sizeof(f32) };                                                                    \
        const f64s area = all_of(m->rows[0] * m->columns[0]), inverse = all_of(m->inverse);                            \
        const bool stream = m->stream;                                                                                 \
        const f32 *from[LINES];                                                                                        \
        char *to[SMALL_ROWS];                                                                                          \
        f64s v[SMALL_ROWS][OLD + 1];                                                                                   \
        UNROLL for (int j = 0; j < LINES; j++) from[j] = (const f32 *)lines[j] + at;                                   \
        UNROLL for (int j = 0; j < SMALL_ROWS; j++) to[j] = m->to + (first + j) * m->row_bytes;                        \
        UNROLL for (int j = 0; j < SMALL_ROWS; j++) UNROLL for (int k = 0; k < OLD; k++) v[j][k] =                     \
            load_sums(before + j * row - (OLD - k) * F64_LANES);                                                       \
        for (int64_t i = 0; i < n; i += F32_LANES) {                                                                   \
            f32_half means[SMALL_ROWS][2];                                                                             \
            UNROLL for (int j = 0; j < LINES; j++) __builtin_prefetch(from[j] + i + AHEAD);                            \
            UNROLL for (int h = 0; h < 2; h++)                                                                         \
            {                                                                                                          \
                f64s one[LINES], sum[SMALL_ROWS];                                                                      \
                UNROLL for (int j = 0; j < LINES; j++) one[j] = load_f32(from[j], i + h * F64_LANES);                  \
                few_lines(one, sum, W, SMALL_ROWS);                                                                    \
                UNROLL for (int j = 0; j < SMALL_ROWS; j++)                                                            \
                {                                                                                                      \
                    v[j][OLD] = sum[j];                                                                                \
                    f64s s = BEFORE(v[j], OLD, BACK);                                                                  \
                    ADD_BEFORE(s, v[j], OLD, (W)-4, 3 * (C));                                                          \
                    ADD_BEFORE(s, v[j], OLD, (W)-3, 2 * (C));                                                          \
                    ADD_BEFORE(s, v[j], OLD, (W)-2, 1 * (C));                                                          \
                    means[j][h] = NARROW(quotient(s + v[j][OLD], area, inverse));                                      \
                    UNROLL for (int k = 0; k < OLD; k++) v[j][k] = v[j][k + 1];                                        \
                }                                                                                                      \
            }                                                                                                          \
            UNROLL for (int j = 0; j < SMALL_ROWS; j++)                                                                \
                store_narrowed(to[j] + (size_t)i * sizeof(f32), means[j], stream);                                     \
        }                                                                                                              \
        UNROLL for (int j = 0; j < SMALL_ROWS; j++) UNROLL for (int k = 0; k < OLD; k++)                               \
            store_sums(before + j * row - (OLD - k) * F64_LANES, v[j][k]);                                             \
    }                                                                                                                  \
    TARGET static void small_##W##_##C(const void *const *lines, int64_t at, int64_t n, f64 *before, int64_t row,      \
                                       const sat_box_means *means)                                                     \
    {                                                                                                                  \
        for (int j = 0; j < BOX_LINES; j += SMALL_ROWS)                                                                \
            small_rows_##W##_##C(lines + j, at, n, before + j * row, row, means, j);                                   \
    }
#define SMALL_WINDOWS(C) SMALL(2, C) SMALL(3, C) SMALL(4, C) SMALL(5, C)
SMALL_WINDOWS(1)
SMALL_WINDOWS(2)
SMALL_WINDOWS(3)
SMALL_WINDOWS(4)

#define OF_SMALL(C)                                                                                                    \
    {                                                                                                                  \
        NULL, small_2_##C, small_3_##C, small_4_##C, small_5_##C                                                       \
    }
