/* gauss_ops.h - the loops of the Gaussian filter, compiled for each instruction set, for reals of f32 and of f64.
 *
 * A line is GAUSS_LANES reals side by side: one of each of as many rows or columns, which are filtered together.
 * A block is GAUSS_LANES lines; the lines and blocks of all arrays follow one another without gaps. */
#ifndef SAT_CPU_GAUSS_OPS_H
#define SAT_CPU_GAUSS_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gauss_kernel.h"
#include "sat.h"

enum { GAUSS_LANES = 16 };

/* Types of samples and of results, as indices. */
enum { GAUSS_U8, GAUSS_U16, GAUSS_U32, GAUSS_I8, GAUSS_I16, GAUSS_I32, GAUSS_F32, GAUSS_F64, GAUSS_TYPES };

/* Rows of samples, or of results; the first `lanes` of a line count. */
typedef struct sat_gauss_rows {
    char *data;
    ptrdiff_t row_bytes;
    int64_t rows;
    int lanes;
} sat_gauss_rows;

/* What becomes of a block of blurred samples and one of `other` ones. */
typedef enum sat_gauss_mix {
    GAUSS_MIX_NONE,
    GAUSS_MIX_UNSHARP,    /* other + amount * (other - blurred) */
    GAUSS_MIX_DIFFERENCE, /* other - blurred */
    GAUSS_MIX_ALPHA,      /* blurred; alpha of the other */
} sat_gauss_mix;

/* Which samples of lines count. */
typedef struct sat_gauss_valid {
    const uint8_t *mask; /* of GAUSS_LANES lines, a byte of 0 or 1 for each lane; NULL: there is none */
    size_t block_bytes;  /* from there to the mask of the next GAUSS_LANES lines */
    int64_t first;       /* of these lines, the one that belongs to line 0 */
    const void *nodata;  /* a line: what does not count; NaN: nothing */
    bool skip_nan;
} sat_gauss_valid;

/* What a quotient takes beside values and weights.  Colours that are weighted by alpha: its values and weights. */
typedef struct sat_gauss_divisor {
    const void *alpha, *alpha_weights; /* NULL: none */
    const void *least;                 /* a line: the weights that suffice, */
    const double *scale;               /* times one factor for each line; NULL: 1 */
} sat_gauss_divisor;

/* What a result is made of. */
enum { GAUSS_EMPTY, GAUSS_COUNTS, GAUSS_ALPHA };

/* Blocks of which results become empty, and how. */
typedef struct sat_gauss_holes {
    const void *empty; /* a line: of results that are */
    const void *first; /* kinds of another block, which are empty here, too; or NULL */
    void *centres;     /* 0 where a sample does not count, else 1; colours become 0 where alpha is; or NULL */
    int alpha;         /* channels, the last of which is alpha, GAUSS_ALPHA; 0: there is none */
} sat_gauss_holes;

struct sat_gauss_ops {
    size_t line_bytes;

    /* Rows of samples to lines; lanes behind those that count become 0. */
    void (*load[GAUSS_TYPES])(void *lines, const sat_gauss_rows *from);

    /* Multiplies colours by alpha, the last of 2 or 4 channels: a line holds whole pixels. */
    void (*weigh)(void *lines, int64_t n, int channels);

    /* One pass over n lines that have `reach` more in front and behind.  Line i of the result is that around line
     * reach + i of the input; out may be the input, or lie apart from it.  at: the line of the whole axis that line 0
     * is; sums are of the same terms in the same order whatever lines are made. */
    void (*pass)(void *out, const void *in, int64_t n, int64_t at, const sat_gauss_kernel *kernel, void *scratch);

    /* Weights of lines: 1 for samples that count, else 0; with `zeros`, the latter become 0, too. */
    void (*count)(void *lines, void *weights, int64_t n, const sat_gauss_valid *valid, bool zeros);

    /* weigh() of lines that have weights: a colour counts if alpha does, too, and its weight becomes alpha. */
    void (*weigh_counting)(void *lines, void *weights, int64_t n, int channels);

    /* Lines of weights.  Where a lane of `whole` is 1: a weight that is that of a line of ones becomes 1.  Others are
     * multiplied by one factor for each line; NULL: 1. */
    void (*settle)(void *weights, const double *ones, const double *scale, const void *whole, int64_t n);

    /* Values are divided by weights, which become GAUSS_EMPTY or GAUSS_COUNTS. */
    void (*divide)(void *values, void *weights, int64_t n, const sat_gauss_divisor *by);

    /* What block and kinds become by holes; returns how many results are empty, of `lanes` of each line. */
    int64_t (*finish)(void *block, void *kinds, int64_t n, int lanes, const sat_gauss_holes *holes);

    /* Lines times one factor each. */
    void (*scale)(void *lines, const double *by, int64_t n);

    /* Transposes a block: line i lies at from[i], and goes to to[i]. */
    void (*transpose)(void *const *to, const void *const *from);

    /* Colours divided by alpha; 0 where that is 0. */
    void (*unweigh)(void *colours, const void *alpha, int64_t n);

    /* Mixes two blocks of n lines; alpha, the last of that many channels (0: there is none), becomes the other's. */
    void (*mix)(void *blurred, const void *other, int64_t n, sat_gauss_mix mix, double amount, int channels);

    /* Lines to rows of results.  Integers are rounded to nearest, halves away from zero, and cut to their range;
     * returns how many of them had to be. */
    int64_t (*store[GAUSS_TYPES])(const void *lines, const sat_gauss_rows *to);

    /* Stored results of GAUSS_COUNTS that are nodata become that type's value beside it (sat_type_beside()), towards
     * their line, or upwards; returns how many. */
    int64_t (*avoid[GAUSS_TYPES])(const void *lines, const void *kinds, const sat_gauss_rows *to, sat_type type,
                                  double nodata);
};

/* What pass() needs as scratch: lines. */
static inline int64_t sat_gauss_scratch_lines(const sat_gauss_kernel *k)
{
    return k->direct ? 0 : 2 * (k->radius[0] + k->radius[1] + 1);
}

#endif
