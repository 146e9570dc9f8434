/* window_template.h - window_ops.h for one instruction set: loops that compilers vectorise.  What integers add to sums,
 * and sums to moments, is box_template.h's. */
#include "box_template.h"
#include "numbers_template.h"
#include "window_ops.h"

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
        var[i] = MEAN_u64(part, by, 1 / by);
    }
}

#include "window_128_template.h"

/* ---- floats: samples that count ------------------------------------------------------------------------ */

/* F64_LANES samples, of which those count whose byte of `mask` is not 0; valid: of each 1 or 0. */
INLINE f64s keep_valid(f64s x, f64s mask, const sat_validity *v, f64s *valid)
{
    const f64s same = x; /* which a NaN is not equal to */
    i64s keep = mask != 0;
    if (v->has_nodata) keep &= x != v->nodata;
    if (v->skip_nan) keep &= x == same;
    *valid = (f64s)(keep & (i64s)all_of(1));
    return (f64s)((i64s)x & keep);
}

enum { LOADED = 256 }; /* samples whose mask is spread at a time */

#include "window_steps_template.h"

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

#define EACH_SAMPLE "window_sample_template.h"
#include "samples_template.h"

#define OF_SQUARES(name)                                                                                               \
    {                                                                                                                  \
        [BOX_U8] = {TO_SUMS(name, u8)}, [BOX_U16] = {TO_SUMS(name, u16)}, [BOX_I8] = {TO_SUMS(name, i8)},              \
        [BOX_I16] = {                                                                                                  \
            TO_SUMS(name, i16)                                                                                         \
        }                                                                                                              \
    }
static const struct sat_window_ops window_ops = {
    .validate = {[BOX_U8] = validate_u8,
                 [BOX_U16] = validate_u16,
                 [BOX_U32] = validate_u32,
                 [BOX_I8] = validate_i8,
                 [BOX_I16] = validate_i16,
                 [BOX_I32] = validate_i32},
    .pack = {[BOX_U8] = pack_u8, [BOX_U16] = pack_u16},
    .divide_packed = {[BOX_U8] = divide_packed_u8, [BOX_U16] = divide_packed_u16},
    .slide_squares = OF_SQUARES(slide_squares),
    .add_squares = OF_SQUARES(add_squares),
    .slide_halves = {[BOX_U32] = slide_halves_u32, [BOX_I32] = slide_halves_i32},
    .add_halves = {[BOX_U32] = add_halves_u32, [BOX_I32] = add_halves_i32},
    .to_f64 = {{NULL, to_f64_u32, to_f64_u64}, {NULL, to_f64_i32, to_f64_i64}},
    .quotient = {{NULL, quotient_u32, quotient_u64}, {NULL, quotient_i32, quotient_i64}},
    .variance = variance,
    .variance_64 = variance_64,
    .variance_128 = variance_128,
    .moments = {[BOX_UNSIGNED] = {[BOX_SUMS_32] = {[BOX_SUMS_32] = moments_u32_u32, [BOX_SUMS_64] = moments_u32_u64},
                                  [BOX_SUMS_64] = {[BOX_SUMS_64] = moments_u64_u64}},
                [BOX_SIGNED] = {[BOX_SUMS_32] = {[BOX_SUMS_32] = moments_i32_u32, [BOX_SUMS_64] = moments_i32_u64},
                                [BOX_SUMS_64] = {[BOX_SUMS_64] = moments_i64_u64}}},
    .load = {[WINDOW_F32] = load_row_f32, [WINDOW_F64] = load_row_f64},
    .join = OF_COUNTS(join),
    .down = OF_LINES(down),
    .low = OF_LINES(low),
    .along = OF_COUNTS(along),
    .describe = OF_COUNTS(describe),
    .statistic =
        {
#define SAT_STATISTIC(id, ...) [SAT_STATISTIC_##id] = statistic_##id,
#include "statistics.def"
#undef SAT_STATISTIC
        },
    .empty = empty_values,
    .compare = compare,
    .store = {store_u8, store_u16, store_u32, store_i8, store_i16, store_i32, store_f32, store_f64},
};
