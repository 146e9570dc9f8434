/* window_ops.h - the loops of window statistics over one row, compiled for each instruction set.
 *
 * Sample types are box_ops.h's indices, then WINDOW_F32 and WINDOW_F64.  n counts samples, all channels together. */
#ifndef SAT_CPU_WINDOW_OPS_H
#define SAT_CPU_WINDOW_OPS_H

#include "box_ops.h"
#include "statistic.h"

enum { WINDOW_F32 = BOX_SAMPLES, WINDOW_F64, WINDOW_SAMPLES };

/* Which samples of a row count. */
typedef struct sat_validity {
    const uint8_t *mask; /* of each pixel; NULL: all */
    int channels;
    bool skip_nan, has_nodata;
    double nodata;
} sat_validity;

/* What is known of the samples of parts of windows, an array each.  n is NULL where all parts have the same number of
 * samples, mean and m2 where no variance is needed. */
typedef struct sat_moments {
    double *n, *sum, *mean, *m2; /* m2: the sum of squared distances from the mean */
} sat_moments;

/* Entries: more than what is joined at a time along a row. */
enum { WINDOW_PAD = 16 };

/* What along() needs: two moments of four members for each entry that a part of up to `side` columns is late by, which
 * are less than twice the columns, in whole blocks. */
static inline size_t sat_window_line(int64_t side, int channels)
{
    return 16 * (size_t)side * (size_t)channels + 8 * WINDOW_PAD * 64;
}

struct sat_window_ops {
    /* Integers: samples that do not count become 0; valid[i]: does sample i count? */
    void (*validate[BOX_SAMPLES])(void *samples, uint8_t *valid, const void *row, const sat_validity *v, int64_t n);

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
    /* Parts of windows, of a and b, joined; of na and nb samples each where out->n is NULL.  out may be a or
     * b.  join_samples: b are single samples, which count or do not. */
    void (*join)(const sat_moments *out, const sat_moments *a, double na, const sat_moments *b, double nb, int64_t n);
    void (*join_samples)(const sat_moments *out, const sat_moments *a, double na, const double *x, const double *valid,
                         int64_t n);
    /* Windows of `side` columns from the moments of n entries, `count` samples each where n is NULL: window i lies at
     * entry i of out, for entry i + (side - 1) * channels of the columns; out may be columns.  By whether there are
     * means, whether there are counts, and channels - 1.  Before and after both, WINDOW_PAD entries may be accessed.
     * line: sat_window_line() entries. */
    void (*along[2][2][4])(const sat_moments *out, const sat_moments *columns, double count, int64_t side, double *line,
                           int64_t n);
    /* Of `count` samples each where m->n is NULL; var and squares may be NULL. */
    void (*describe)(double *mean, double *var, double *squares, const sat_moments *m, double count, double ddof,
                     int64_t n);

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
