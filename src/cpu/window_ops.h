/* window_ops.h - the loops of window statistics over one row, compiled for each instruction set.
 *
 * Sample types are box_ops.h's indices, then WINDOW_F32 and WINDOW_F64.  n counts samples, all channels together. */
#ifndef SAT_CPU_WINDOW_OPS_H
#define SAT_CPU_WINDOW_OPS_H

#include "box_float_ops.h"
#include "box_ops.h"
#include "statistic.h"

enum { WINDOW_F32 = BOX_SAMPLES, WINDOW_F64, WINDOW_SAMPLES };

/* What is known of the samples of parts of windows, an array each.  n is NULL where all parts have the same number of
 * samples, mean and m2 where no variance is needed. */
typedef struct sat_moments {
    double *n, *sum, *mean, *m2; /* m2: the sum of squared distances from the mean */
} sat_moments;

/* How many members parts of windows have. */
static inline int sat_window_members(bool all, bool counts)
{
    return 1 + counts + 2 * all;
}

/* Of sets of na and nb samples: r = nb / (na + nb), c = na * r; both 0 where nb is. */
typedef struct sat_window_rates {
    double r, c;
} sat_window_rates;

/* A row of samples, of f32 or f64, or, with valid 1 or 0, of f64 that count or do not. */
enum { WINDOW_LINES_F64, WINDOW_LINES_F32, WINDOW_LINES_COUNTED, WINDOW_LINES };
typedef struct sat_window_line {
    const void *x;
    const double *valid;
} sat_window_line;

/* Eight windows down each column: sat_box_step has what it takes and leaves, here of moments.  Rates where there are no
 * counts: of line j joined to what follows it, of line j joined to the prefix and to the part before it, of the prefix
 * joined to window j. */
typedef struct sat_window_step {
    sat_window_line leave[BOX_LINES], enter[BOX_LINES];
    sat_moments suffix, block, prefix, part;
    sat_window_rates of_leave[BOX_LINES], of_prefix[BOX_LINES], of_part[BOX_LINES], of_window[BOX_LINES];
    double scale[BOX_LINES]; /* 1 / the samples of a column of window j, where there are no counts */
    int split;
    bool last;
} sat_window_step;

/* The same for windows of 1 .. 7 rows: lines j and j + 1 are joined to pairs, and windows are joined of pairs and, of
 * an odd side, the last line. */
typedef struct sat_window_low {
    int side;
    sat_window_line line[2 * BOX_LINES];
    sat_window_rates of_pair[2 * BOX_LINES], of_window[BOX_LINES][BOX_LINES / 2];
    double scale[BOX_LINES];
} sat_window_low;

/* Windows of `side` columns.  Rates where there are no counts: of_one[k] of k columns and one more, of_window[k] of all
 * but k columns and k more. */
typedef struct sat_window_along {
    int64_t side, channels;
    const sat_window_rates *of_one, *of_window;
} sat_window_along;

/* The results of windows, in eight rows that are `row` entries apart; n where they have counts.  sum, var and squares
 * may be NULL. */
typedef struct sat_window_describe {
    double *n, *sum, *mean, *var, *squares;
    int64_t row;
    double ddof;
    double cut_off; /* samples that windows do not hold yet, of a value for each channel */
    const double *value;
    int channels;
    /* Where there are no counts: the samples of a window before that, and of all 1 / them, and what the divided squared
     * deviations are multiplied by to be a variance, or to be divided by the samples. */
    double samples[BOX_LINES], inverse[BOX_LINES], scale[BOX_LINES], of_var[BOX_LINES], of_squares[BOX_LINES];
} sat_window_describe;

/* Parts of rows are taken in whole vectors of any instruction set. */
enum { WINDOW_PAD = 16 };

struct sat_window_ops {
    /* Integers: samples that do not count become 0; valid[i]: does sample i count? */
    void (*validate[BOX_SAMPLES])(void *samples, uint8_t *valid, const void *row, const sat_validity *v, int64_t n);

    /* Integers from 0 on, of 8 and 16 bits: words[i] = row[i] + 2^bits where sample i counts, else 0; valid is memory.
     * Sums of words to means of the samples' type, and counts; returns how many of these are below `least`. */
    void (*pack[BOX_SAMPLES])(uint32_t *words, uint8_t *valid, const void *row, const sat_validity *v, int bits,
                              int64_t n);
    int64_t (*divide_packed[BOX_SAMPLES])(void *means, const uint32_t *words, uint32_t *counts, int bits,
                                          uint32_t least, int64_t n);

    /* Integers: sums[i] += enter[i]^2 - leave[i]^2, and sums[i] += weight * row[i]^2; of 8 and 16 bits. */
    void (*slide_squares[BOX_SAMPLES][BOX_SUMS])(void *sums, const void *enter, const void *leave, int64_t n);
    void (*add_squares[BOX_SAMPLES][BOX_SUMS])(void *sums, const void *row, uint64_t weight, int64_t n);
    /* The same of 32-bit samples: sums of the lower and of the upper halves of the squares. */
    void (*slide_halves[BOX_SAMPLES])(void *low, void *high, const void *enter, const void *leave, int64_t n);
    void (*add_halves[BOX_SAMPLES])(void *low, void *high, const void *row, uint64_t weight, int64_t n);

    /* Sums to f64, to nearest; and the f64 nearest to sums[i] / count[i]. */
    void (*to_f64[BOX_SIGNS][BOX_SUMS])(double *out, const void *sums, int64_t n);
    void (*quotient[BOX_SIGNS][BOX_SUMS])(double *out, const void *sums, const double *count, int64_t n);
    /* The f64 nearest to (count * squares - sum^2) / (count * (count - ddof)): where all of these integers are below
     * 2^53; and from sums of 64 bits, where the products are below 2^64 and the divisor is below 2^48. */
    void (*variance)(double *var, const double *count, const double *sum, const double *squares, double ddof,
                     int64_t n);
    void (*variance_64)(double *var, const double *count, const void *sum, const void *squares, double ddof, int64_t n);
    /* The same in 128 bits, from sums of 64 bits: squares + 2^32 * high, which may be NULL; counts are below 2^32.
     * var[i] is -1 where it is not known how to round, or count <= ddof; returns how many these are. */
    int64_t (*variance_128)(double *var, const double *count, const void *sum, const void *squares, const void *high,
                            bool is_signed, double ddof, int64_t n);

    /* Mean and variance, as above, of windows of `count` samples, straight from prefix sums `reach` apart: of the
     * samples, and of their squares.  Squares are below 2^52; the divisor of var is below 2^53.  squares NULL: no var.
     */
    void (*moments[BOX_SIGNS][BOX_SUMS][BOX_SUMS])(double *mean, double *var, const void *sums, const void *squares,
                                                   int64_t reach, double count, double ddof, int64_t n);

    /* Floats: a row as f64, samples that do not count as 0, with valid[i] 1 or 0. */
    void (*load[WINDOW_SAMPLES])(double *x, double *valid, const void *row, const sat_validity *v, int64_t n);
    /* By whether there are means, and whether there are counts: to = to and from.  In whole vectors. */
    void (*join[2][2])(const sat_moments *to, const sat_moments *from, sat_window_rates by, int64_t n);
    /* By whether there are means, and by lines (window_steps_template.h).  Down columns [at, n), in whole vectors;
     * out NULL: rows enter, and there are no windows. */
    void (*down[2][WINDOW_LINES])(const sat_window_step *step, double *out, int64_t at, int64_t n);
    void (*low[2][WINDOW_LINES])(const sat_window_low *low, double *out, int64_t at, int64_t n);
    /* By whether there are means, and whether there are counts.  Windows of px pixels take the places of their first
     * columns.  One column more than they hold may be read. */
    void (*along[2][2])(const sat_window_along *w, double *turned, int64_t px);
    void (*describe[2][2])(const sat_window_describe *d, const double *turned, int64_t n); /* in whole vectors */

    /* The statistic of each window. */
    void (*statistic[SAT_STATISTICS])(double *out, const sat_features *f, const double *p, int64_t n);
    /* out[i] = values[i], empty where count[i] < least; out may be values.  Returns how many are empty. */
    int64_t (*empty)(double *out, const double *values, const double *count, double least, double empty, int64_t n);
    /* out[i] = x[i] > values[i] ? 255 : 0 */
    void (*compare)(void *out, const double *x, const double *values, int64_t n);
    /* Values to a result type; returns how many were clipped. */
    int64_t (*store[WINDOW_SAMPLES])(void *out, const double *values, int64_t n);
};

/* The index of a sample's type. */
static inline int sat_window_sample(sat_type type)
{
    switch (type) {
    case SAT_U8: return BOX_U8;
    case SAT_U16: return BOX_U16;
    case SAT_U32: return BOX_U32;
    case SAT_I8: return BOX_I8;
    case SAT_I16: return BOX_I16;
    case SAT_I32: return BOX_I32;
    case SAT_F32: return WINDOW_F32;
    default: return WINDOW_F64;
    }
}

#endif
