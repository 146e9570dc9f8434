/* box_float_template.h - box_float_ops.h for one instruction set, in vectors of F64_LANES sums. */

#if VECTOR_BYTES == 0
#define F64_LANES           2
#define LOAD_REALS(s, v, p) v = (f64s){(f64)(p)[0], (f64)(p)[1]}
#define STORE_f32(p, v)     ((p)[0] = (f32)(v)[0], (p)[1] = (f32)(v)[1])
#elif VECTOR_BYTES == 32
#define F64_LANES           4
#define LOAD_REALS(s, v, p) LOAD(s, f64, v, p, 1)
#else
#define F64_LANES           8
#define LOAD_REALS(s, v, p) LOAD(s, f64, v, p, 1)
#endif
#define STORE_f64(p, v) store_sums(p, v)

typedef f64 f64s __attribute__((vector_size(F64_LANES * sizeof(f64))));

#define INLINE TARGET static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 16") /* the loops over the lines of a block, whose sums stay in registers */

INLINE f64s load_sums(const f64 *p)
{
    f64s v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE void store_sums(f64 *p, f64s v)
{
    memcpy(p, &v, sizeof v);
}

INLINE f64s all_of(f64 x)
{
    return x - (f64s){0};
}

/* Transposes a square of lanes: lanes that are `d` apart change places between vectors that are, for d = 1, 2, 4 (Eklundh
 * 1972). */
#define EVEN(i, d, L) ((i) & (d) ? (L) + (i) - (d) : (i))
#define ODD(i, d, L)  ((i) & (d) ? (L) + (i) : (i) + (d))
#define EXCHANGE(d)                                                                                                    \
    UNROLL for (int i = 0; i < F64_LANES; i++)                                                                         \
    {                                                                                                                  \
        if (i & (d)) continue;                                                                                         \
        const f64s a = v[i], b = v[i | (d)];                                                                           \
        v[i] = __builtin_shufflevector(a, b, JOIN(LANES_, F64_LANES)(EVEN, d, F64_LANES));                             \
        v[i | (d)] = __builtin_shufflevector(a, b, JOIN(LANES_, F64_LANES)(ODD, d, F64_LANES));                        \
    }

INLINE void transpose_square(f64s *v)
{
    EXCHANGE(1)
#if F64_LANES > 2
    EXCHANGE(2)
#endif
#if F64_LANES > 4
    EXCHANGE(4)
#endif
}

/* Sums of F64_LANES samples in eight rows, transposed or not. */
INLINE void store_columns(f64s *v, f64 *out, int64_t row, int64_t i)
{
    if (row) {
        UNROLL for (int j = 0; j < BOX_LINES; j++) store_sums(out + j * row + i, v[j]);
        return;
    }
    UNROLL for (int j = 0; j < BOX_LINES; j += F64_LANES)
    {
        transpose_square(v + j);
        UNROLL for (int k = 0; k < F64_LANES; k++) store_sums(out + (i + k) * BOX_LINES + j, v[j + k]);
    }
}

/* The entering half of a step: v[j] += what window j holds of the segments behind the leaving one's. */
INLINE void step_prefix(const sat_box_step *s, f64s *v, const f64s *enter, int64_t i)
{
    f64s prefix = load_sums(s->prefix + i), part = load_sums(s->part + i);
    UNROLL for (int j = 0; j < BOX_LINES; j++)
    {
        if (v) v[j] += prefix;
        prefix += enter[j];
        part += enter[j];
        if (j + 1 == s->split) {
            store_sums(s->block + i, part);
            part = (f64s){0};
        }
    }
    store_sums(s->prefix + i, s->last ? part : prefix);
    store_sums(s->part + i, part);
}

/* The leaving half: v[j] = the sum from line j of the leaving block to the end of its segment. */
INLINE void step_suffix(const sat_box_step *s, f64s *v, const f64s *leave, int64_t i)
{
    f64s suffix = load_sums(s->suffix + i);
    UNROLL for (int j = BOX_LINES - 1; j >= 0; j--)
    {
        suffix += leave[j];
        v[j] = suffix;
    }
}

#define COLUMNS(sample)                                                                                                \
    INLINE void load_lines_##sample(const void *const *lines, int64_t i, f64s *v, int n)                               \
    {                                                                                                                  \
        UNROLL for (int j = 0; j < n; j++) LOAD_REALS(sample, v[j], (const sample *)lines[j] + i);                     \
    }                                                                                                                  \
    TARGET static void columns_##sample(const sat_box_step *step, const void *const *leave, const void *const *enter,  \
                                        int64_t at, int64_t n, f64 *out, int64_t row)                                  \
    {                                                                                                                  \
        const sat_box_step s = *step;                                                                                  \
        for (int64_t i = 0; i < n; i += F64_LANES) {                                                                   \
            f64s v[BOX_LINES], lines[BOX_LINES];                                                                       \
            load_lines_##sample(leave, at + i, lines, BOX_LINES);                                                      \
            step_suffix(&s, v, lines, i);                                                                              \
            load_lines_##sample(enter, at + i, lines, BOX_LINES);                                                      \
            step_prefix(&s, v, lines, i);                                                                              \
            store_columns(v, out, row, i);                                                                             \
        }                                                                                                              \
    }                                                                                                                  \
    TARGET static void enter_columns_##sample(const sat_box_step *step, const void *const *enter, int64_t n)           \
    {                                                                                                                  \
        for (int64_t i = 0; i < n; i += F64_LANES) {                                                                   \
            f64s lines[BOX_LINES];                                                                                     \
            load_lines_##sample(enter, i, lines, BOX_LINES);                                                           \
            step_prefix(step, NULL, lines, i);                                                                         \
        }                                                                                                              \
    }                                                                                                                  \
    FEW_COLUMNS(sample, 1)                                                                                             \
    FEW_COLUMNS(sample, 2)                                                                                             \
    FEW_COLUMNS(sample, 3)                                                                                             \
    FEW_COLUMNS(sample, 4) FEW_COLUMNS(sample, 5) FEW_COLUMNS(sample, 6) FEW_COLUMNS(sample, 7)

/* Windows of few lines, from sums of four, two and one: 7 = 4 + 2 + 1. */
#define FEW_COLUMNS(sample, window)                                                                                    \
    TARGET static void few_columns_##sample##_##window(const void *const *rows, int64_t at, int64_t n, f64 *out,       \
                                                       int64_t row)                                                    \
    {                                                                                                                  \
        for (int64_t i = 0; i < n; i += F64_LANES) {                                                                   \
            f64s one[BOX_LINES + window - 1], two[BOX_LINES + window - 1], v[BOX_LINES];                               \
            load_lines_##sample(rows, at + i, one, BOX_LINES + window - 1);                                            \
            UNROLL for (int j = 0; window > 1 && j < BOX_LINES + window - 2; j++) two[j] = one[j] + one[j + 1];        \
            UNROLL for (int j = 0; j < BOX_LINES; j++)                                                                 \
            {                                                                                                          \
                if (window >= 4) v[j] = two[j] + two[j + 2];                                                           \
                if (window == 6 || window == 7) v[j] += two[j + 4];                                                    \
                if (window == 2 || window == 3) v[j] = two[j];                                                         \
                if (window == 1) v[j] = one[j];                                                                        \
                if (window % 2 && window > 1) v[j] += one[j + window - 1];                                             \
            }                                                                                                          \
            store_columns(v, out, row, i);                                                                             \
        }                                                                                                              \
    }
COLUMNS(f32)
COLUMNS(f64)

/* Means of F64_LANES rows from sample i of a row on: v[j] becomes the j-th mean of eight. */
INLINE void divide_lines(f64s *v, const sat_box_means *m, int64_t i, int64_t stride, int lane)
{
    const f64s rows = load_sums(m->rows + lane);
    UNROLL for (int j = 0; j < BOX_LINES; j++) v[j] /= rows * all_of(m->columns[i + j * stride]);
}

INLINE void store_means(f64s *v, const sat_box_means *m, int64_t i, int lane)
{
    UNROLL for (int j = 0; j < BOX_LINES; j += F64_LANES)
    {
        transpose_square(v + j);
        UNROLL for (int k = 0; k < F64_LANES; k++)
        {
            char *to = m->to + (size_t)(lane + k) * m->row_bytes;
            if (m->wide)
                STORE_f64((f64 *)(void *)to + i + j, v[j + k]);
            else
                STORE_f32((f32 *)(void *)to + i + j, v[j + k]);
        }
    }
}

INLINE void load_transposed(const f64 *lines, int64_t stride, f64s *v)
{
    UNROLL for (int j = 0; j < BOX_LINES; j++) v[j] = load_sums(lines + j * stride * BOX_LINES);
}

TARGET static void box_rows(const sat_box_step *step, const f64 *leave, const f64 *enter, int64_t stride,
                            int64_t groups, int64_t next, f64 *out, const sat_box_means *means)
{
    sat_box_step s = *step;
    for (int64_t i = 0; i < groups * BOX_LINES; i += BOX_LINES) {
        for (int lane = 0; lane < BOX_LINES; lane += F64_LANES) {
            const int64_t at = i * stride * BOX_LINES + lane;
            f64s v[BOX_LINES], lines[BOX_LINES];
            load_transposed(leave + at, stride, lines);
            step_suffix(&s, v, lines, lane);
            load_transposed(enter + at, stride, lines);
            step_prefix(&s, v, lines, lane);
            if (means) {
                divide_lines(v, means, i * stride, stride, lane);
                store_means(v, means, i * stride, lane);
            } else {
                UNROLL for (int j = 0; j < BOX_LINES; j++) store_sums(out + at + j * stride * BOX_LINES, v[j]);
            }
        }
        s.suffix += next;
        s.block += next;
    }
}

TARGET static void enter_rows(const sat_box_step *step, const f64 *enter, int64_t stride)
{
    for (int lane = 0; lane < BOX_LINES; lane += F64_LANES) {
        f64s lines[BOX_LINES];
        load_transposed(enter + lane, stride, lines);
        step_prefix(step, NULL, lines, lane);
    }
}

TARGET static void box_means(const f64 *sums, int64_t n, const sat_box_means *means)
{
    for (int64_t i = 0; i < n; i += BOX_LINES)
        for (int lane = 0; lane < BOX_LINES; lane += F64_LANES) {
            f64s v[BOX_LINES];
            load_transposed(sums + i * BOX_LINES + lane, 1, v);
            divide_lines(v, means, i, 1, lane);
            store_means(v, means, i, lane);
        }
}

#define FEW_ROWS(window)                                                                                               \
    TARGET static void few_rows_##window(const f64 *sums, int64_t row, int64_t stride, int64_t n, f64 *out,            \
                                         const sat_box_means *means)                                                   \
    {                                                                                                                  \
        for (int j = 0; j < BOX_LINES; j++, sums += row) {                                                             \
            const f64s rows = all_of(means ? means->rows[j] : 1);                                                      \
            char *to = means ? means->to + (size_t)j * means->row_bytes : NULL;                                        \
            for (int64_t i = 0; i < n; i += F64_LANES) {                                                               \
                f64s v = load_sums(sums + i);                                                                          \
                UNROLL for (int k = 1; k < window; k++) v += load_sums(sums + i + k * stride);                         \
                if (!means) {                                                                                          \
                    store_sums(out + j * row + i, v);                                                                  \
                    continue;                                                                                          \
                }                                                                                                      \
                v /= rows * load_sums(means->columns + i);                                                             \
                if (means->wide)                                                                                       \
                    STORE_f64((f64 *)(void *)to + i, v);                                                               \
                else                                                                                                   \
                    STORE_f32((f32 *)(void *)to + i, v);                                                               \
            }                                                                                                          \
        }                                                                                                              \
    }
FEW_ROWS(1)
FEW_ROWS(2)
FEW_ROWS(3)
FEW_ROWS(4)
FEW_ROWS(5)
FEW_ROWS(6)
FEW_ROWS(7)

TARGET static void add_sums(f64 *restrict to, const f64 *restrict sums, int64_t n)
{
    for (int64_t i = 0; i < n; i++) to[i] += sums[i];
}

#define OF_WINDOWS(name) {name##_1, name##_2, name##_3, name##_4, name##_5, name##_6, name##_7}
static const struct sat_box_float_ops box_float_ops = {
    .columns = {columns_f32, columns_f64},
    .enter_columns = {enter_columns_f32, enter_columns_f64},
    .few_columns = {OF_WINDOWS(few_columns_f32), OF_WINDOWS(few_columns_f64)},
    .rows = box_rows,
    .enter_rows = enter_rows,
    .means = box_means,
    .few_rows = OF_WINDOWS(few_rows),
    .add_sums = add_sums,
};
