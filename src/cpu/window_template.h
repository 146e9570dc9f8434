/* window_template.h - window_ops.h for one instruction set: loops that compilers vectorise. */

/* ---- samples that count -------------------------------------------------------------------------------- */

/* valid[i]: does sample `first` + i of a row count?  row is that sample's. */
#define COUNTS(sample)                                                                                                 \
    BOX_INLINE void counts_##sample(u8 *restrict valid, const sample *restrict row, const sat_validity *v, int64_t n,  \
                                    int64_t first)                                                                     \
    {                                                                                                                  \
        const f64 nodata = v->nodata;                                                                                  \
        if (!v->mask)                                                                                                  \
            memset(valid, 1, (size_t)n);                                                                               \
        else if (v->channels == 1)                                                                                     \
            for (int64_t i = 0; i < n; i++) valid[i] = v->mask[first + i] != 0;                                        \
        else                                                                                                           \
            for (int64_t i = 0; i < n; i++) valid[i] = v->mask[(first + i) / v->channels] != 0;                        \
        for (int64_t i = 0; v->has_nodata && i < n; i++) valid[i] &= (f64)row[i] != nodata;                            \
    }

#define VALIDATE(sample)                                                                                               \
    COUNTS(sample)                                                                                                     \
    TARGET static void validate_##sample(void *restrict samples, u8 *restrict valid, const void *restrict row,         \
                                         const sat_validity *v, int64_t n)                                             \
    {                                                                                                                  \
        sample *restrict o = samples;                                                                                  \
        const sample *restrict r = row;                                                                                \
        counts_##sample(valid, r, v, n, 0);                                                                            \
        for (int64_t i = 0; i < n; i++) o[i] = valid[i] ? r[i] : 0;                                                    \
    }
VALIDATE(u8)
VALIDATE(u16)
VALIDATE(u32)
VALIDATE(i8)
VALIDATE(i16)
VALIDATE(i32)

/* ---- integers: sums of squares ------------------------------------------------------------------------- */

/* e^2 - l^2 = (e - l) * (e + l), in a type that holds it, or modulo the sums' width. */
#define SLIDE_SQUARES(sample, product, accum)                                                                          \
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
SLIDE_SQUARES(u8, i32, u32)
SLIDE_SQUARES(u8, i32, u64)
SLIDE_SQUARES(i8, i32, u32)
SLIDE_SQUARES(i8, i32, u64)
SLIDE_SQUARES(u16, u32, u32)
SLIDE_SQUARES(u16, i64, u64)
SLIDE_SQUARES(i16, u32, u32)
SLIDE_SQUARES(i16, i64, u64)

#define SLIDE_HALVES(sample, wide)                                                                                     \
    TARGET static void slide_halves_##sample(void *restrict low, void *restrict high, const void *restrict enter,      \
                                             const void *restrict leave, int64_t n)                                    \
    {                                                                                                                  \
        u64 *restrict s = low, *restrict t = high;                                                                     \
        const sample *restrict e = enter, *restrict l = leave;                                                         \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            const u64 a = (u64)((wide)e[i] * (wide)e[i]), b = (u64)((wide)l[i] * (wide)l[i]);                          \
            s[i] += (a & UINT32_MAX) - (b & UINT32_MAX);                                                               \
            t[i] += (a >> 32) - (b >> 32);                                                                             \
        }                                                                                                              \
    }                                                                                                                  \
    TARGET static void add_halves_##sample(void *restrict low, void *restrict high, const void *restrict row,          \
                                           uint64_t weight, int64_t n)                                                 \
    {                                                                                                                  \
        u64 *restrict s = low, *restrict t = high;                                                                     \
        const sample *restrict r = row;                                                                                \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            const u64 square = (u64)((wide)r[i] * (wide)r[i]);                                                         \
            s[i] += weight * (square & UINT32_MAX);                                                                    \
            t[i] += weight * (square >> 32);                                                                           \
        }                                                                                                              \
    }
SLIDE_HALVES(u32, u64)
SLIDE_HALVES(i32, i64)

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
    for (int64_t i = 0; i < n; i++) var[i] = (count[i] * squares[i] - sum[i] * sum[i]) / (count[i] * (count[i] - ddof));
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

#include "window_wide_template.h"

#define MOMENTS(accum, value, accum_of_squares)                                                                        \
    TARGET static void moments_##value##_##accum_of_squares(f64 *restrict mean, f64 *restrict var, const void *sums,   \
                                                            const void *squares, int64_t reach, f64 count, f64 ddof,   \
                                                            int64_t n)                                                 \
    {                                                                                                                  \
        const accum *restrict s = sums;                                                                                \
        const accum_of_squares *restrict q = squares;                                                                  \
        const f64 per_count = 1 / count, by = count * (count - ddof), per_by = 1 / by;                                 \
        for (int64_t i = 0; !squares && i < n; i++)                                                                    \
            mean[i] = quotient_f64(TO_REAL_##value((accum)(s[i + reach] - s[i])), count, per_count);                   \
        for (int64_t i = 0; squares && i < n; i++) {                                                                   \
            const f64 sum = TO_REAL_##value((accum)(s[i + reach] - s[i]));                                             \
            const f64 sum_of_squares = real_of((accum_of_squares)(q[i + reach] - q[i]));                               \
            mean[i] = quotient_f64(sum, count, per_count);                                                             \
            var[i] = quotient_f64(count * sum_of_squares - sum * sum, by, per_by);                                     \
        }                                                                                                              \
    }
MOMENTS(u32, u32, u32)
MOMENTS(u32, i32, u32)
MOMENTS(u32, u32, u64)
MOMENTS(u32, i32, u64)
MOMENTS(u64, u64, u64)
MOMENTS(u64, i64, u64)

/* ---- floats: samples that count ------------------------------------------------------------------------ */

typedef int64_t f64_bits __attribute__((vector_size(F64_LANES * sizeof(int64_t))));

/* F64_LANES samples, of which those count whose byte of `mask` is not 0; valid: of each 1 or 0. */
INLINE f64s keep_valid(f64s x, f64s mask, const sat_validity *v, f64s *valid)
{
    const f64s same = x; /* which a NaN is not equal to */
    f64_bits keep = mask != 0;
    if (v->has_nodata) keep &= x != v->nodata;
    if (v->skip_nan) keep &= x == same;
    *valid = (f64s)(keep & (f64_bits)all_of(1));
    return (f64s)((f64_bits)x & keep);
}

enum { LOADED = 256 };
#define LOAD_ROW(sample)                                                                                               \
    INLINE void load_vector_##sample(f64 *x, f64 *valid, const sample *row, const u8 *mask, const sat_validity *v)     \
    {                                                                                                                  \
        f64s value, counts;                                                                                            \
        LOAD_REALS(sample, value, row);                                                                                \
        LOAD_REALS(u8, counts, mask);                                                                                  \
        store_sums(x, keep_valid(value, counts, v, &counts));                                                          \
        store_sums(valid, counts);                                                                                     \
    }                                                                                                                  \
    TARGET static void load_row_##sample(f64 *restrict x, f64 *restrict valid, const void *restrict row,               \
                                         const sat_validity *v, int64_t n)                                             \
    {                                                                                                                  \
        const sample *restrict r = row;                                                                                \
        const int channels = v->channels;                                                                              \
        u8 spread[LOADED];                                                                                             \
        memset(spread, 1, sizeof spread);                                                                              \
        for (int64_t first = 0, m, i; first < n; first += m) {                                                         \
            m = n - first < LOADED ? n - first : LOADED;                                                               \
            for (i = 0; v->mask && channels > 1 && i < m; i++) spread[i] = v->mask[(first + i) / channels];            \
            const u8 *mask = v->mask && channels == 1 ? v->mask + first : spread;                                      \
            for (i = 0; i + F64_LANES <= m; i += F64_LANES)                                                            \
                load_vector_##sample(x + first + i, valid + first + i, r + first + i, mask + i, v);                    \
            if (i == m) continue;                                                                                      \
            sample reals[F64_LANES] = {0};                                                                             \
            u8 bytes[F64_LANES] = {0};                                                                                 \
            f64 values[F64_LANES], counts[F64_LANES];                                                                  \
            memcpy(reals, r + first + i, (size_t)(m - i) * sizeof *r);                                                 \
            memcpy(bytes, mask + i, (size_t)(m - i));                                                                  \
            load_vector_##sample(values, counts, reals, bytes, v);                                                     \
            memcpy(x + first + i, values, (size_t)(m - i) * sizeof *x);                                                \
            memcpy(valid + first + i, counts, (size_t)(m - i) * sizeof *x);                                            \
        }                                                                                                              \
    }
LOAD_ROW(f32)
LOAD_ROW(f64)

/* ---- floats: moments joined ---------------------------------------------------------------------------- */

/* Chan, Golub and LeVeque 1979: r = nb / (na + nb), c = na * r.  With no sample in a, r is 1 and the mean b's; with
 * none in b, r is 0. */
#define JOIN_MEANS(M, Q, ma, qa, mb, qb, r, c)                                                                         \
    do {                                                                                                               \
        const __typeof__(mb) apart = (mb) - (ma);                                                                      \
        (Q) = (qa) + (qb) + apart * ((c)*apart);                                                                       \
        (M) = (ma) + apart * (r);                                                                                      \
    } while (0)

TARGET static void join(const sat_moments *out, const sat_moments *a, f64 na, const sat_moments *b, f64 nb, int64_t n)
{
    const f64 *sa = a->sum, *sb = b->sum, *ma = a->mean, *mb = b->mean, *qa = a->m2, *qb = b->m2, *ca = a->n,
              *cb = b->n;
    f64 *S = out->sum, *M = out->mean, *Q = out->m2, *N = out->n;
    IVDEP
    for (int64_t i = 0; i < n; i++) S[i] = sa[i] + sb[i];
    if (N == NULL && M != NULL) {
        const f64 r = nb / (na + nb), c = na * r;
        IVDEP
        for (int64_t i = 0; i < n; i++) JOIN_MEANS(M[i], Q[i], ma[i], qa[i], mb[i], qb[i], r, c);
    } else if (M != NULL) {
        IVDEP
        for (int64_t i = 0; i < n; i++) {
            const f64 both = ca[i] + cb[i], r = cb[i] / (both > 0 ? both : 1);
            JOIN_MEANS(M[i], Q[i], ma[i], qa[i], mb[i], qb[i], r, ca[i] * r);
        }
    }
    IVDEP
    for (int64_t i = 0; N != NULL && i < n; i++) N[i] = ca[i] + cb[i];
}

TARGET static void join_samples(const sat_moments *out, const sat_moments *a, f64 na, const f64 *restrict x,
                                const f64 *restrict valid, int64_t n)
{
    const f64 *sa = a->sum, *ma = a->mean, *qa = a->m2, *ca = a->n;
    f64 *S = out->sum, *M = out->mean, *Q = out->m2, *N = out->n;
    IVDEP
    for (int64_t i = 0; i < n; i++) S[i] = sa[i] + x[i];
    if (N == NULL && M != NULL) {
        const f64 r = 1 / (na + 1), c = na * r;
        IVDEP
        for (int64_t i = 0; i < n; i++) JOIN_MEANS(M[i], Q[i], ma[i], qa[i], x[i], 0, r, c);
    } else if (M != NULL) {
        IVDEP
        for (int64_t i = 0; i < n; i++) {
            const f64 both = ca[i] + valid[i], r = valid[i] / (both > 0 ? both : 1);
            JOIN_MEANS(M[i], Q[i], ma[i], qa[i], x[i], 0, r, ca[i] * r);
        }
    }
    IVDEP
    for (int64_t i = 0; N != NULL && i < n; i++) N[i] = ca[i] + valid[i];
}

TARGET static void describe(f64 *restrict mean, f64 *restrict var, f64 *restrict squares, const sat_moments *m,
                            f64 count, f64 ddof, int64_t n)
{
    const f64 *restrict S = m->sum, *restrict Q = m->m2, *restrict N = m->n;
    if (N == NULL) {
        const f64 degrees = count - ddof;
        for (int64_t i = 0; i < n; i++) mean[i] = S[i] / count;
        for (int64_t i = 0; var && i < n; i++) var[i] = (Q[i] + 0 * S[i]) / degrees; /* NaN if the sum is infinite */
        for (int64_t i = 0; squares && i < n; i++) squares[i] = Q[i] / count + mean[i] * mean[i];
    } else {
        for (int64_t i = 0; i < n; i++) mean[i] = S[i] / N[i];
        for (int64_t i = 0; var && i < n; i++) var[i] = (Q[i] + 0 * S[i]) / (N[i] - ddof);
        for (int64_t i = 0; squares && i < n; i++) squares[i] = Q[i] / N[i] + mean[i] * mean[i];
    }
}

#include "window_along_template.h"

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

TARGET static int64_t empty_values(f64 *out, const f64 *values, const f64 *restrict count, f64 least, f64 empty,
                                   int64_t n)
{
    int64_t filled = 0;
    IVDEP
    for (int64_t i = 0; i < n; i++) {
        const bool enough = count[i] >= least;
        out[i] = enough ? values[i] : empty;
        filled += enough;
    }
    return n - filled;
}

TARGET static void compare(void *restrict out, const f64 *restrict x, const f64 *restrict values, int64_t n)
{
    u8 *restrict o = out;
    for (int64_t i = 0; i < n; i++) o[i] = x[i] > values[i] ? 255 : 0;
}

/* To nearest, halves away from zero; NaN is 0: a value's own fraction says it, as value + 0.5 may be rounded. */
#define STORE_INTEGER(type, wide, least, most)                                                                         \
    TARGET static int64_t store_##type(void *restrict out, const f64 *restrict values, int64_t n)                      \
    {                                                                                                                  \
        type *restrict o = out;                                                                                        \
        int64_t clipped = 0;                                                                                           \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            const f64 v = values[i], low = v <= (least) ? (least) : 0;                                                 \
            const f64 in = v > (least)-0.5 ? v < (most) + 0.5 ? v : (most) : low;                                      \
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
    .validate = {[BOX_U8] = validate_u8,
                 [BOX_U16] = validate_u16,
                 [BOX_U32] = validate_u32,
                 [BOX_I8] = validate_i8,
                 [BOX_I16] = validate_i16,
                 [BOX_I32] = validate_i32},
    .slide_squares = OF_SQUARES(slide_squares),
    .add_squares = OF_SQUARES(add_squares),
    .slide_halves = {[BOX_U32] = slide_halves_u32, [BOX_I32] = slide_halves_i32},
    .add_halves = {[BOX_U32] = add_halves_u32, [BOX_I32] = add_halves_i32},
    .real = OF_INTEGER_SUMS(real),
    .quotient = OF_INTEGER_SUMS(quotient),
    .variance = variance,
    .variance_64 = variance_64,
    .variance_128 = variance_128,
    .moments = {[BOX_UNSIGNED] = {[BOX_SUMS_32] = {[BOX_SUMS_32] = moments_u32_u32, [BOX_SUMS_64] = moments_u32_u64},
                                  [BOX_SUMS_64] = {[BOX_SUMS_64] = moments_u64_u64}},
                [BOX_SIGNED] = {[BOX_SUMS_32] = {[BOX_SUMS_32] = moments_i32_u32, [BOX_SUMS_64] = moments_i32_u64},
                                [BOX_SUMS_64] = {[BOX_SUMS_64] = moments_i64_u64}}},
    .load = {[WINDOW_F32] = load_row_f32, [WINDOW_F64] = load_row_f64},
    .join = join,
    .join_samples = join_samples,
    .along = {{OF_ALONG(sums), OF_ALONG(counted_sums)}, {OF_ALONG(means), OF_ALONG(counted_means)}},
    .describe = describe,
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
