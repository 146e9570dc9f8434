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

struct sat_gauss_ops {
    size_t line_bytes;

    /* Rows of samples to lines; lanes behind those that count become 0. */
    void (*load[GAUSS_TYPES])(void *lines, const sat_gauss_rows *from);

    /* Multiplies colours by alpha, the last of 2 or 4 channels: a line holds whole pixels. */
    void (*weigh)(void *lines, int64_t n, int channels);

    /* One pass over n lines that have `reach` more in front and behind.  Line i of the result is that around line
     * reach + i of the input; out may be the input, or lie apart from it. */
    void (*pass)(void *out, const void *in, int64_t n, const sat_gauss_kernel *kernel, void *scratch);

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
};

/* What pass() needs as scratch: lines. */
static inline int64_t sat_gauss_scratch_lines(const sat_gauss_kernel *k)
{
    return k->direct ? 0 : 2 * (k->radius[0] + k->radius[1] + 1);
}

#endif
