/* box_window.h - a box filter's window, along one axis and as a whole. */
#ifndef SAT_BOX_WINDOW_H
#define SAT_BOX_WINDOW_H

#include "border.h"
#include "operation.h"
#include "sat_window.h"
#include "shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The window of sample i reaches over [i - before, i + after] of an axis of n samples. */
typedef struct sat_axis {
    const sat_border *border;
    int64_t n, before, after;
} sat_axis;

static inline sat_axis sat_axis_of(const sat_border *border, int64_t n, int64_t side, sat_anchor anchor)
{
    int64_t before = anchor == SAT_ANCHOR_FIRST ? (side - 1) / 2 : side / 2;
    return (sat_axis){border, n, before, side - 1 - before};
}

/* How far windows reach above and below a row; the border mode of that name. */
static inline const sat_border *sat_window_reach(const char *border, int64_t side, sat_anchor anchor, int64_t *above,
                                                 int64_t *below)
{
    const sat_axis axis = sat_axis_of(sat_border_find(border), 0, side, anchor);
    *above = axis.before, *below = axis.after;
    return axis.border;
}

/* What the window of i holds, and how many of its positions that is. */
static inline int sat_axis_segments(const sat_axis *a, int64_t i, sat_segment segments[SAT_SEGMENTS], int64_t *covered)
{
    int count = a->border->segments(i - a->before, i + a->after + 1, a->n, segments);
    *covered = 0;
    for (int s = 0; s < count; s++) *covered += segments[s].weight * (segments[s].end - segments[s].begin);
    return count;
}

/* What the window of one position holds. */
typedef struct sat_box_runs {
    sat_segment runs[SAT_SEGMENTS];
    int64_t covered;
    int32_t count;
} sat_box_runs;
/* That of each position of an axis, in the arena; NULL, with the failure reported, if there is no memory. */
sat_box_runs *sat_axis_runs(const sat_axis *axis, sat_arena *arena);

/* What the filter's arithmetic must hold.
 *
 * Sums of integers are taken modulo 2^b, b = 16, 32 or 64, samples below zero as 2^b + sample.  n samples of magnitude
 * m at most sum to S, |S| <= n * m, and rounding adds half the divisor D to |S|.  D is n, or n * a, a the largest
 * magnitude of alpha: the sum of alpha.  So |S| + D / 2 <= n * (m + (a + 1) / 2), with a = 1 where nothing is weighted.
 *
 *   unsigned   S and S + D / 2 are below 2^b, if that bound is.  Then the remainder modulo 2^b is the sum.
 *   signed     |S| + D / 2 is below 2^(b-1), if that bound is.  Then the remainder, read as a two's complement, is the
 *              sum, and so is its magnitude with half of the divisor added.
 *
 * The sums of part of a window, and prefix sums of a row, may exceed 2^b: differences modulo 2^b are right all the
 * same.  A mean lies between the least and the largest sample, and so does the integer that is nearest to it. */
typedef struct sat_box_window {
    const sat_border *border;
    sat_axis x, y;
    int64_t area_px;   /* positions that count, in the fullest window */
    uint64_t largest;  /* magnitude of a sample, or of a product of sample and alpha; 0 for floats */
    uint64_t alpha;    /* largest magnitude of alpha where it is a weight, else 1 */
    bool is_signed;    /* integers, some of them below zero */
    sat_type accum;    /* SAT_U32 or SAT_U64: sums and their rounding fit; SAT_F64 for floats */
    uint64_t value[4]; /* integer border value of each channel, times alpha where colours are weighted; modulo 2^64 */
    double real_value[4]; /* the same for floats */
} sat_box_window;

/* Do sums of that many bits hold those of all windows, with half the divisor that rounding adds? */
static inline bool sat_box_window_fits(const sat_box_window *w, int bits)
{
    return sat_sum_fits(w->area_px, w->largest + (w->alpha + 1) / 2, w->is_signed ? bits - 1 : bits);
}

/* Checks a box filter's spec (operation.h) and derives the above; fails with
 * SAT_ERR_ARGUMENT, _SHAPE, _TYPE or _RANGE. */
sat_status sat_box_window_of(const sat_box_spec *spec, sat_box_window *window);

/* The box filter of the same window, image and samples, with results of f64. */
sat_box_spec sat_window_box(const sat_window_spec *spec);

/* The proof that the accumulator suffices, in words: ", u32 sums (225 pixels of at most 255)". */
void sat_box_window_note(const sat_box_window *window, char *note, size_t note_bytes);

/* sum / by to nearest, halves away from zero; 0 / 0 is 0.  Signed: both are two's complements, and so is the result. */
static inline uint64_t sat_rounded(uint64_t sum, uint64_t by, bool is_signed)
{
    const bool negative = is_signed && (int64_t)(sum ^ by) < 0;
    if (is_signed && (int64_t)sum < 0) sum = 0 - sum;
    if (is_signed && (int64_t)by < 0) by = 0 - by;
    const uint64_t quotient = by ? (sum + by / 2) / by : 0;
    return negative ? 0 - quotient : quotient;
}

/* The f64 that is nearest to sum / by; 0 / 0 is 0.  by: below 2^48; else the error is below 2^-51 of the quotient.
 * Signed: both are two's complements. */
double sat_real_quotient(uint64_t sum, uint64_t by, bool is_signed);

/* The filter of a backend that has none of its own, or none for this spec: through its tables (box_tables.c). */
extern const sat_hooks sat_box_tables;

/* Its work on a device (kernels/box/box_table.cu; with SAT_WITH_CUDA only): all arrays lie in device memory, and the
 * work is queued on the stream. */
typedef struct sat_box_table {
    const sat_box_runs *columns, *rows; /* of each, in device memory */
    uint64_t area_px, value[4];
    double real_value[4];
    bool shrinks, takes_value, weighted, is_signed;
} sat_box_table;

/* Colours times alpha: u32, of signed samples i32, of floats f64. */
sat_status sat_box_table_weigh(const sat_view *image, const sat_view *product, void *stream);
/* The means of all windows from a padded table of u32, u64, i32, i64 or f64; of the result's type. */
sat_status sat_box_table_means(const sat_box_table *b, const sat_view *table, const sat_view *result, void *stream);

#ifdef __cplusplus
}
#endif
#endif
