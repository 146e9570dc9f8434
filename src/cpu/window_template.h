/* window_template.h - window_ops.h for one instruction set: loops that compilers vectorise. */

/* ---- samples that count -------------------------------------------------------------------------------- */

#define COUNTS(v, value, i)                                                                                            \
    ((!(v)->mask || (v)->mask[(i) / (v)->channels] != 0) && !((v)->skip_nan && (value) != (value)) &&                  \
     !((v)->has_nodata && (f64)(value) == (v)->nodata))

#define VALIDATE(sample)                                                                                               \
    TARGET static void validate_##sample(void *restrict samples, u8 *restrict valid, const void *restrict row,         \
                                         const sat_validity *v, int64_t n)                                             \
    {                                                                                                                  \
        sample *restrict o = samples;                                                                                  \
        const sample *restrict r = row;                                                                                \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            const u8 counts = COUNTS(v, r[i], i);                                                                      \
            valid[i] = counts;                                                                                         \
            o[i] = counts ? r[i] : 0;                                                                                  \
        }                                                                                                              \
    }                                                                                                                  \
    TARGET static void load_row_##sample(f64 *restrict x, f64 *restrict valid, const void *restrict row,               \
                                         const sat_validity *v, int64_t n)                                             \
    {                                                                                                                  \
        const sample *restrict r = row;                                                                                \
        const bool all = !v->mask && !v->skip_nan && !v->has_nodata;                                                   \
        for (int64_t i = 0; all && i < n; i++) x[i] = (f64)r[i], valid[i] = 1;                                         \
        for (int64_t i = 0; !all && i < n; i++) {                                                                      \
            const bool counts = COUNTS(v, r[i], i);                                                                    \
            x[i] = counts ? (f64)r[i] : 0;                                                                             \
            valid[i] = counts;                                                                                         \
        }                                                                                                              \
    }
VALIDATE(u8)
VALIDATE(u16)
VALIDATE(u32)
VALIDATE(i8)
VALIDATE(i16)
VALIDATE(i32)
VALIDATE(f32)
VALIDATE(f64)

/* ---- integers: sums of squares ------------------------------------------------------------------------- */

/* e^2 - l^2 = (e - l) * (e + l), in a type that holds it, or modulo the sums' width. */
#define SQUARES(sample, product, accum)                                                                                \
    TARGET static void slide_squares_##sample##_##accum(void *restrict sums, const void *restrict enter,               \
                                                        const void *restrict leave, int64_t n)                         \
    {                                                                                                                  \
        accum *restrict s = sums;                                                                                      \
        const sample *restrict e = enter, *restrict l = leave;                                                         \
        for (int64_t i = 0; i < n; i++)                                                                                \
            s[i] += (accum)(((product)e[i] - (product)l[i]) * ((product)e[i] + (product)l[i]));                        \
    }                                                                                                                  \
    TARGET static void add_squares_##sample##_##accum(void *restrict sums, const void *restrict row, uint64_t weight,  \
                                                      int64_t n)                                                       \
    {                                                                                                                  \
        accum *restrict s = sums;                                                                                      \
        const sample *restrict r = row;                                                                                \
        for (int64_t i = 0; i < n; i++) s[i] += (accum)weight * (accum)((product)r[i] * (product)r[i]);                \
    }
SQUARES(u8, i32, u32)
SQUARES(u8, i32, u64)
SQUARES(i8, i32, u32)
SQUARES(i8, i32, u64)
SQUARES(u16, u32, u32)
SQUARES(u16, i64, u64)
SQUARES(i16, u32, u32)
SQUARES(i16, i64, u64)

#define SQUARE(sample, wide)                                                                                           \
    TARGET static void square_##sample(u32 *restrict low, u32 *restrict high, const void *restrict row, int64_t n)     \
    {                                                                                                                  \
        const sample *restrict r = row;                                                                                \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            const u64 square = (u64)((wide)r[i] * (wide)r[i]);                                                         \
            low[i] = (u32)square;                                                                                      \
            high[i] = (u32)(square >> 32);                                                                             \
        }                                                                                                              \
    }
SQUARE(u32, u64)
SQUARE(i32, i64)

/* ---- integers: quotients ------------------------------------------------------------------------------- */

#define REAL_AND_QUOTIENT(accum, value)                                                                                \
    TARGET static void real_##value(f64 *restrict out, const void *restrict sums, int64_t n)                           \
    {                                                                                                                  \
        const accum *restrict s = sums;                                                                                \
        for (int64_t i = 0; i < n; i++) out[i] = TO_REAL_##value(s[i]);                                                \
    }                                                                                                                  \
    TARGET static void quotient_##value(f64 *restrict out, const void *restrict sums, const f64 *restrict count,       \
                                        int64_t n)                                                                     \
    {                                                                                                                  \
        const accum *restrict s = sums;                                                                                \
        for (int64_t i = 0; i < n; i++) out[i] = QUOTIENT_OF_##value(s[i], count[i]);                                  \
    }
#define TO_REAL_u32(s)        REAL_u32(s)
#define TO_REAL_i32(s)        REAL_i32(s)
#define TO_REAL_u64(s)        (UPPER_u64(s) + real_of((s)&UINT32_MAX))
#define TO_REAL_i64(s)        (UPPER_i64(s) + real_of((s)&UINT32_MAX))
#define QUOTIENT_OF_u32(s, d) (REAL_u32(s) / (d))
#define QUOTIENT_OF_i32(s, d) (REAL_i32(s) / (d))
#define QUOTIENT_OF_u64(s, d) quotient_of_parts(UPPER_u64(s), real_of((s)&UINT32_MAX), d, 1 / (d))
#define QUOTIENT_OF_i64(s, d) quotient_of_parts(UPPER_i64(s), real_of((s)&UINT32_MAX), d, 1 / (d))
REAL_AND_QUOTIENT(u32, u32)
REAL_AND_QUOTIENT(u32, i32)
REAL_AND_QUOTIENT(u64, u64)
REAL_AND_QUOTIENT(u64, i64)

TARGET static void variance(f64 *restrict var, const f64 *restrict count, const f64 *restrict sum,
                            const f64 *restrict squares, f64 ddof, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        var[i] = (count[i] * squares[i] - sum[i] * sum[i]) / (count[i] * (count[i] - ddof));
}

TARGET static void variance_64(f64 *restrict var, const f64 *restrict count, const void *restrict sum,
                               const void *restrict squares, f64 ddof, int64_t n)
{
    const u64 *restrict s = sum, *restrict q = squares;
    for (int64_t i = 0; i < n; i++) {
        const u64 part = (u64)(i64)count[i] * q[i] - s[i] * s[i];
        const f64 by = count[i] * (count[i] - ddof);
        var[i] = quotient_of_parts(UPPER_u64(part), real_of(part & UINT32_MAX), by, 1 / by);
    }
}

/* ---- floats: moments joined ---------------------------------------------------------------------------- */

/* Chan, Golub and LeVeque 1979.  With no sample in a, r is 1 and the mean b's; with none in b, r is 0.  out may be a or
 * b. */
#define JOIN_MOMENTS(N, S, M, Q, na, sa, ma, qa, nb, sb, mb, qb)                                                       \
    do {                                                                                                               \
        const f64 both = (na) + (nb), r = (nb) / (both > 0 ? both : 1), apart = (mb) - (ma);                           \
        (Q) = (qa) + (qb) + apart * ((na)*r * apart);                                                                  \
        (M) = (ma) + apart * r;                                                                                        \
        (S) = (sa) + (sb);                                                                                             \
        (N) = both;                                                                                                    \
    } while (0)

TARGET static void join_samples_sums(const sat_moments *out, const sat_moments *a, const f64 *restrict x,
                                     const f64 *restrict valid, int64_t n)
{
    for (int64_t i = 0; i < n; i++) out->sum[i] = a->sum[i] + x[i];
    for (int64_t i = 0; i < n; i++) out->n[i] = a->n[i] + valid[i];
}

TARGET static void join_samples_all(const sat_moments *out, const sat_moments *a, const f64 *restrict x,
                                    const f64 *restrict valid, int64_t n)
{
    f64 *N = out->n, *S = out->sum, *M = out->mean, *Q = out->m2;
    const f64 *na = a->n, *sa = a->sum, *ma = a->mean, *qa = a->m2;
    IVDEP
    for (int64_t i = 0; i < n; i++)
        JOIN_MOMENTS(N[i], S[i], M[i], Q[i], na[i], sa[i], ma[i], qa[i], valid[i], x[i], x[i], 0);
}

TARGET static void join_sums(const sat_moments *out, const sat_moments *a, const sat_moments *b, int64_t n)
{
    IVDEP
    for (int64_t i = 0; i < n; i++) out->sum[i] = a->sum[i] + b->sum[i];
    IVDEP
    for (int64_t i = 0; i < n; i++) out->n[i] = a->n[i] + b->n[i];
}

INLINE void join_entries(f64 *N, f64 *S, f64 *M, f64 *Q, const sat_moments *a, const sat_moments *b, int64_t ia,
                         int64_t ib, int64_t n)
{
    const f64 *na = a->n + ia, *sa = a->sum + ia, *ma = a->mean + ia, *qa = a->m2 + ia;
    const f64 *nb = b->n + ib, *sb = b->sum + ib, *mb = b->mean + ib, *qb = b->m2 + ib;
    IVDEP
    for (int64_t i = 0; i < n; i++)
        JOIN_MOMENTS(N[i], S[i], M[i], Q[i], na[i], sa[i], ma[i], qa[i], nb[i], sb[i], mb[i], qb[i]);
}

TARGET static void join_all(const sat_moments *out, const sat_moments *a, const sat_moments *b, int64_t n)
{
    join_entries(out->n, out->sum, out->mean, out->m2, a, b, 0, 0, n);
}

/* The window of column j begins at column j of the input.  In blocks of `side` columns: scratch holds what is left of a
 * block from each of its columns on, prefix what has come of the next (van Herk 1992). */
#define RUN_COLUMNS(name, JOIN_ENTRY, COPY_ENTRY)                                                                      \
    TARGET static void name(const sat_moments *out, const sat_moments *in, const sat_moments *scratch, int64_t side,   \
                            int channels, int64_t n)                                                                   \
    {                                                                                                                  \
        f64 values[4][4 * WINDOW_ROWS];                                                                                \
        const sat_moments prefix = {values[0], values[1], values[2], values[3]};                                       \
        const int64_t block = side * channels, rows = WINDOW_ROWS;                                                     \
        for (int64_t j = 0; j < n; j += block) {                                                                       \
            for (int64_t e = block - 1; e >= 0; e--)                                                                   \
                if (e >= block - channels)                                                                             \
                    COPY_ENTRY(scratch, e * rows, in, (j + e) * rows);                                                 \
                else                                                                                                   \
                    JOIN_ENTRY(scratch, e * rows, in, (j + e) * rows, scratch, (e + channels) * rows);                 \
            for (int64_t e = 0; e < block && j + e < n; e++) {                                                         \
                const int64_t c = e % channels, next = j + block + e - channels;                                       \
                if (e < channels) {                                                                                    \
                    COPY_ENTRY(out, (j + e) * rows, scratch, e * rows);                                                \
                    continue;                                                                                          \
                }                                                                                                      \
                if (e < 2 * channels)                                                                                  \
                    COPY_ENTRY(&prefix, c * rows, in, next * rows);                                                    \
                else                                                                                                   \
                    JOIN_ENTRY(&prefix, c * rows, &prefix, c * rows, in, next * rows);                                 \
                JOIN_ENTRY(out, (j + e) * rows, scratch, e * rows, &prefix, c * rows);                                 \
            }                                                                                                          \
        }                                                                                                              \
    }

INLINE void join_entry_all(const sat_moments *out, int64_t o, const sat_moments *a, int64_t ia, const sat_moments *b,
                           int64_t ib)
{
    join_entries(out->n + o, out->sum + o, out->mean + o, out->m2 + o, a, b, ia, ib, WINDOW_ROWS);
}

INLINE void copy_entry_all(const sat_moments *out, int64_t o, const sat_moments *a, int64_t ia)
{
    memcpy(out->n + o, a->n + ia, WINDOW_ROWS * sizeof(f64));
    memcpy(out->sum + o, a->sum + ia, WINDOW_ROWS * sizeof(f64));
    memcpy(out->mean + o, a->mean + ia, WINDOW_ROWS * sizeof(f64));
    memcpy(out->m2 + o, a->m2 + ia, WINDOW_ROWS * sizeof(f64));
}

INLINE void join_entry_sums(const sat_moments *out, int64_t o, const sat_moments *a, int64_t ia, const sat_moments *b,
                            int64_t ib)
{
    IVDEP
    for (int64_t i = 0; i < WINDOW_ROWS; i++) out->n[o + i] = a->n[ia + i] + b->n[ib + i];
    IVDEP
    for (int64_t i = 0; i < WINDOW_ROWS; i++) out->sum[o + i] = a->sum[ia + i] + b->sum[ib + i];
}

INLINE void copy_entry_sums(const sat_moments *out, int64_t o, const sat_moments *a, int64_t ia)
{
    memcpy(out->n + o, a->n + ia, WINDOW_ROWS * sizeof(f64));
    memcpy(out->sum + o, a->sum + ia, WINDOW_ROWS * sizeof(f64));
}

RUN_COLUMNS(run_columns_sums, join_entry_sums, copy_entry_sums)
RUN_COLUMNS(run_columns_all, join_entry_all, copy_entry_all)

/* ---- results ------------------------------------------------------------------------------------------- */

#define SAT_STATISTIC(id, summary, equation, source, needs, threshold, set, formula)                                   \
    TARGET static void statistic_##id(f64 *restrict out, const sat_features *f, const f64 *restrict p, int64_t count)  \
    {                                                                                                                  \
        const f64 range = f->range, low = f->low, most_std = f->most_std;                                              \
        for (int64_t i = 0; i < count; i++) {                                                                          \
            const f64 n = f->n[i], sum = f->sum[i], mean = f->mean[i], var = f->var[i], squares = f->squares[i],       \
                      x = f->x[i];                                                                                     \
            (void)n, (void)sum, (void)mean, (void)var, (void)squares, (void)x;                                         \
            out[i] = formula;                                                                                          \
        }                                                                                                              \
        (void)range, (void)low, (void)most_std, (void)p;                                                               \
    }
#include "statistics.def"
#undef SAT_STATISTIC

TARGET static void empty_values(f64 *restrict values, const f64 *restrict count, f64 least, f64 empty, int64_t n)
{
    for (int64_t i = 0; i < n; i++) values[i] = count[i] >= least ? values[i] : empty;
}

TARGET static void compare(void *restrict out, const f64 *restrict x, const f64 *restrict values, int64_t n)
{
    u8 *restrict o = out;
    for (int64_t i = 0; i < n; i++) o[i] = x[i] > values[i] ? 255 : 0;
}

/* To nearest, halves away from zero: a value's own fraction says it, as value + 0.5 may be rounded. */
#define STORE_INTEGER(type, wide, least, most)                                                                         \
    TARGET static int64_t store_##type(void *restrict out, const f64 *restrict values, int64_t n)                      \
    {                                                                                                                  \
        type *restrict o = out;                                                                                        \
        int64_t clipped = 0;                                                                                           \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            const f64 v = values[i], in = v > (least)-0.5 ? v < (most) + 0.5 ? v : (most) : (least);                   \
            const wide whole = (wide)in;                                                                               \
            const f64 rest = in - (f64)whole;                                                                          \
            o[i] = (type)(whole + (rest >= 0.5) - (rest <= -0.5));                                                     \
            clipped += !(v > (least)-0.5 && v < (most) + 0.5);                                                         \
        }                                                                                                              \
        return clipped;                                                                                                \
    }
STORE_INTEGER(u8, i32, 0, 255)
STORE_INTEGER(u16, i32, 0, 65535)
STORE_INTEGER(u32, i64, 0, 4294967295.0)
STORE_INTEGER(i8, i32, -128, 127)
STORE_INTEGER(i16, i32, -32768, 32767)
STORE_INTEGER(i32, i64, -2147483648.0, 2147483647.0)

#define STORE_REAL(type)                                                                                               \
    TARGET static int64_t store_##type(void *restrict out, const f64 *restrict values, int64_t n)                      \
    {                                                                                                                  \
        type *restrict o = out;                                                                                        \
        for (int64_t i = 0; i < n; i++) o[i] = (type)values[i];                                                        \
        return 0;                                                                                                      \
    }
STORE_REAL(f32)
STORE_REAL(f64)

#define OF_SAMPLES(name)                                                                                               \
    {                                                                                                                  \
        [BOX_U8] = name##_u8, [BOX_U16] = name##_u16, [BOX_U32] = name##_u32, [BOX_I8] = name##_i8,                    \
        [BOX_I16] = name##_i16, [BOX_I32] = name##_i32, [WINDOW_F32] = name##_f32, [WINDOW_F64] = name##_f64           \
    }
#define OF_SQUARES(name)                                                                                               \
    {                                                                                                                  \
        [BOX_U8] = {[BOX_SUMS_32] = name##_u8_u32, [BOX_SUMS_64] = name##_u8_u64},                                     \
        [BOX_U16] = {[BOX_SUMS_32] = name##_u16_u32, [BOX_SUMS_64] = name##_u16_u64},                                  \
        [BOX_I8] = {[BOX_SUMS_32] = name##_i8_u32, [BOX_SUMS_64] = name##_i8_u64},                                     \
        [BOX_I16] = {[BOX_SUMS_32] = name##_i16_u32, [BOX_SUMS_64] = name##_i16_u64},                                  \
    }
#define OF_INTEGER_SUMS(name)                                                                                          \
    {                                                                                                                  \
        [BOX_UNSIGNED] = {[BOX_SUMS_32] = name##_u32, [BOX_SUMS_64] = name##_u64},                                     \
        [BOX_SIGNED] = {[BOX_SUMS_32] = name##_i32, [BOX_SUMS_64] = name##_i64},                                       \
    }

static const struct sat_window_ops window_ops = {
    .validate = OF_SAMPLES(validate),
    .slide_squares = OF_SQUARES(slide_squares),
    .add_squares = OF_SQUARES(add_squares),
    .square = {[BOX_U32] = square_u32, [BOX_I32] = square_i32},
    .real = OF_INTEGER_SUMS(real),
    .quotient = OF_INTEGER_SUMS(quotient),
    .variance = variance,
    .variance_64 = variance_64,
    .load = OF_SAMPLES(load_row),
    .join_samples = {join_samples_sums, join_samples_all},
    .join = {join_sums, join_all},
    .run_columns = {run_columns_sums, run_columns_all},
    .statistic =
        {
#define SAT_STATISTIC(id, ...) [SAT_STATISTIC_##id] = statistic_##id,
#include "statistics.def"
#undef SAT_STATISTIC
        },
    .empty = empty_values,
    .compare = compare,
    .store = OF_SAMPLES(store),
};
