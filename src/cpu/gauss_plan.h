/* gauss_plan.h - what a Gaussian filter holds, and one axis of it (cpu_gauss.c). */
#ifndef SAT_CPU_GAUSS_PLAN_H
#define SAT_CPU_GAUSS_PLAN_H

#include <string.h>

#include "border.h"
#include "cpu.h"
#include "gauss_ops.h"
#include "isa.h"

/* What one axis of n samples, of which at most `span` are filtered at a time, needs of a kernel. */
typedef struct sat_gauss_axis {
    int64_t n, span;
    int64_t margin;  /* lines in front of the first pass's samples, and behind them */
    int64_t *beyond; /* the sample at each position of the margins in front, then behind; NULL: they hold one value */
    int64_t most;    /* 0, or, where position i is sample i modulo n, how far the filter's widest kernel reaches */
    double *scale; /* where samples beyond the edge do not count: 1 / the weights that do, 1 where all do; else NULL */
    double *ones;  /* of two planes: what becomes of a line of ones */
} sat_gauss_axis;

typedef struct sat_gauss_stage {
    sat_gauss_kernel k;
    sat_gauss_axis x, y;
} sat_gauss_stage;

enum { VALUES, WEIGHTS, PLANES };

typedef struct sat_gauss_worker {
    char *lines[PLANES], *block[PLANES], *scratch, *other;
    char *centre;  /* a block: which samples of a result's pixels count */
    char *packed;  /* samples of a source with gaps */
    char *results; /* 16 rows of results on their way to a view with gaps */
} sat_gauss_worker;

typedef struct sat_gauss_filter {
    sat_gauss_spec spec;
    const sat_border *border;
    const sat_isa *isa;
    const struct sat_gauss_ops *ops;
    int kernels, threads, sample, result; /* the latter two: gauss_ops.h's indices */
    sat_gauss_stage kernel[2];
    int64_t samples, strips, rows; /* samples in a row; strips; rows in a strip, a multiple of GAUSS_LANES */
    int64_t source_rows;           /* of the source, the same */
    int64_t line_room;             /* lines of one channel in a worker */
    size_t strip_bytes;
    int planes;          /* PLANES where samples may not count, else 1 */
    uint8_t *marks;      /* 1 where the mask is not 0: blocks of 16 x 16 samples, in the rows' order; or NULL */
    char *kept[PLANES];  /* the strips */
    char *first[PLANES]; /* of differences: blocks of the first blur, and of what they are made of */
    double nodata[GAUSS_LANES], empty[GAUSS_LANES], whole[GAUSS_LANES], one[GAUSS_LANES]; /* lines of reals */
    bool avoids; /* results that count must not be nodata */
    sat_gauss_worker *workers;
} sat_gauss_filter;

/* Pixels that hold 16 samples have up to 3 more in front and behind: 21 of three channels. */
enum { PACKED_SAMPLES = 24 };

static inline void sat_gauss_put(const sat_gauss_filter *f, char *line, int lane, double value)
{
    const float single = (float)value;
    if (f->ops->line_bytes == GAUSS_LANES * sizeof single)
        memcpy(line + (size_t)lane * sizeof single, &single, sizeof single);
    else
        memcpy(line + (size_t)lane * sizeof value, &value, sizeof value);
}

/* Is that channel, or that sample of a row, the alpha that weights? */
static inline bool sat_gauss_is_alpha(const sat_gauss_spec *s, int64_t sample)
{
    return s->weighted_alpha && sample % s->channels == s->channels - 1;
}

/* From one of 16 rows of results to the next: they begin in different sets of the first-level cache. */
size_t sat_gauss_result_pitch(const sat_gauss_filter *f);

/* Samples of an axis that results [first, end) are made of: [*from, *to), which is the whole axis, or, where samples
 * repeat, may lie beyond it (sat_filter_needs()). */
static inline void sat_gauss_reach(const sat_gauss_kernel *k, const sat_gauss_axis *a, int64_t first, int64_t end,
                                   int64_t *from, int64_t *to)
{
    const int64_t reach = k->passes * k->reach;
    *from = first - reach, *to = end + reach;
    if (a->most && end - first + 2 * (a->most + 1) < a->n) return;
    if (*from < 0 || a->most) *from = 0;
    if (*to > a->n || a->most) *to = a->n;
}

/* All passes over a line, for results [first, end), which begin at `out`, which may be `lines`.  The samples of
 * sat_gauss_reach() begin at line passes * reach of `lines`.  value: a line of what lies beyond the edge, where that is
 * one value. */
void sat_gauss_along(const sat_gauss_filter *f, const sat_gauss_kernel *k, const sat_gauss_axis *a, int64_t first,
                     int64_t end, char *out, char *lines, const char *value, char *scratch);

/* A hook (operation.h). */
sat_status sat_gauss_open(const void *given, sat_arena *arena, void **state, char *note, size_t note_bytes);

#endif
