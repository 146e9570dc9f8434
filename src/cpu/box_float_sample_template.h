/* box_float_sample_template.h - rows of SAMPLE, f32 or f64, summed down the columns. */
#include "loops_template.h"

INLINE f64s OF_SAMPLE(load)(const void *line, int64_t i)
{
    f64s v;
    LOAD_F64S(SAMPLE, v, (const SAMPLE *)line + i);
    return v;
}

TARGET static void OF_SAMPLE(columns)(const sat_box_step *step, const void *const *leave, const void *const *enter,
                                      int64_t at, int64_t n, f64 *out, int64_t row)
{
    const sat_box_step s = *step;
    for (int64_t i = 0; i < n; i += COLUMN_VECTORS * F64_LANES) {
        UNROLL for (int j = 0; j < BOX_LINES; j++)
            __builtin_prefetch((const SAMPLE *)enter[j] + at + i + AHEAD_BYTES / sizeof(SAMPLE));
        f64s v[COLUMN_VECTORS][BOX_LINES];
        step_sums sums[COLUMN_VECTORS];
        UNROLL for (int k = 0; k < COLUMN_VECTORS; k++) sums[k] = start_step(&s, i + k * F64_LANES);
        UNROLL for (int j = BOX_LINES - 1; j >= 0; j--) UNROLL for (int k = 0; k < COLUMN_VECTORS; k++) v[k][j] =
            step_back(&sums[k], OF_SAMPLE(load)(leave[j], at + i + k * F64_LANES));
        UNROLL for (int j = 0; j < BOX_LINES; j++) UNROLL for (int k = 0; k < COLUMN_VECTORS; k++) v[k][j] +=
            step_on(&s, &sums[k], OF_SAMPLE(load)(enter[j], at + i + k * F64_LANES), j, i + k * F64_LANES);
        UNROLL for (int k = 0; k < COLUMN_VECTORS; k++)
        {
            end_step(&s, &sums[k], i + k * F64_LANES);
            store_columns(v[k], out, row, i + k * F64_LANES);
        }
    }
}

TARGET static void OF_SAMPLE(enter_columns)(const sat_box_step *step, const void *const *enter, int64_t n)
{
    for (int64_t i = 0; i < n; i += F64_LANES) {
        step_sums sums = start_step(step, i);
        UNROLL for (int j = 0; j < BOX_LINES; j++) step_on(step, &sums, OF_SAMPLE(load)(enter[j], i), j, i);
        end_step(step, &sums, i);
    }
}

/* mask: of each sample; it may be counts. */
INLINE void OF_SAMPLE(find_valid)(u8 *counts, const void *row, const u8 *mask, int64_t n, const bool has_nodata,
                                  const bool skip_nan, SAMPLE nodata)
{
    const SAMPLE *x = row;
    IVDEP
    for (int64_t i = 0; i < n; i++) {
        const bool is_value = has_nodata & (x[i] == nodata), is_nan = skip_nan & (x[i] != x[i]);
        counts[i] = (mask[i] != 0) & !is_value & !is_nan;
    }
}

/* Samples by their bits: a NaN that does not count leaves nothing.  What follows in the row is fetched. */
TARGET static void OF_SAMPLE(keep)(void *out, u8 *counts, const void *row, const sat_validity *v, int64_t n)
{
    typedef JOIN(u, BITS_OF(SAMPLE)) word;
    const int channels = v->channels;
    const u8 *mask = counts;
    const word *from = row;
    word *to = out;
    for (int64_t i = 0; i < n; i += LINE_BITS / BITS_OF(SAMPLE)) __builtin_prefetch(from + n + i);
    for (int64_t i = 0; v->mask && i < n / channels; i += LINE_BITS / 8) __builtin_prefetch(v->mask + n / channels + i);
    if (!v->mask) memset(counts, 1, (size_t)n);
    if (v->mask && channels == 1) mask = v->mask;
    if (v->mask && channels == 2) spread_marks(counts, v->mask, n / 2, 2);
    if (v->mask && channels == 3) spread_marks(counts, v->mask, n / 3, 3);
    if (v->mask && channels == 4) spread_marks(counts, v->mask, n / 4, 4);
    if (v->has_nodata && v->skip_nan)
        OF_SAMPLE(find_valid)(counts, row, mask, n, true, true, (SAMPLE)v->nodata);
    else if (v->has_nodata)
        OF_SAMPLE(find_valid)(counts, row, mask, n, true, false, (SAMPLE)v->nodata);
    else if (v->skip_nan)
        OF_SAMPLE(find_valid)(counts, row, mask, n, false, true, 0);
    else
        OF_SAMPLE(find_valid)(counts, row, mask, n, false, false, 0);
    IVDEP
    for (int64_t i = 0; i < n; i++) to[i] = from[i] & ((word)0 - counts[i]);
}

#define W 1
#include "box_float_few_template.h"
#define W 2
#include "box_float_few_template.h"
#define W 3
#include "box_float_few_template.h"
#define W 4
#include "box_float_few_template.h"
#define W 5
#include "box_float_few_template.h"
#define W 6
#include "box_float_few_template.h"
#define W 7
#include "box_float_few_template.h"
#undef SAMPLE
