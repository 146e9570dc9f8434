/* statistic.h - the table of window statistics, and what their formulas read.  rect_statistic.h has that of rectangles.
 *
 * A statistic is one file in statistics/, one invocation of SAT_STATISTIC, and one line in statistics.def:
 *
 *     SAT_STATISTIC(id, summary, equation, source, needs, threshold, SAT_SET(parameters), formula)
 *
 * Whoever includes statistics.def defines that macro first: statistic.c makes descriptors of it, and each instruction
 * set a loop over a row.  The formula is an expression of double over
 *
 *     n, mean                of the samples that count in the window
 *     sum, var, squares      their sum, their variance, the mean of their squares: if they are among its needs
 *     x                      the pixel, likewise
 *     p[0] .. p[3]           the parameters
 *     range                  of the samples (sat_window_spec); a statistic that reads it has a parameter of_range
 *     low, most_std          of the whole image, all channels: its smallest sample that counts and the largest std of a
 *                            window; only with SAT_NEEDS_EXTREMES
 */
#ifndef SAT_STATISTIC_H
#define SAT_STATISTIC_H

#include "sat_window.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SAT_NEEDS_MEAN = 0,
    SAT_NEEDS_VAR = 1,
    SAT_NEEDS_SQUARES = 2,
    SAT_NEEDS_SUM = 4,
    SAT_NEEDS_PIXEL = 8,
    SAT_NEEDS_EXTREMES = 16,
    SAT_IS_SUM = 32,   /* no need: the formula is `sum`, which may be had as an integer, too */
    SAT_IS_COUNT = 64, /* likewise `n` */
    SAT_IS_AREA = 128  /* of rectangles: the area, whatever counts in it */
};

#define SAT_PARAMETER(name_, value_)                                                                                   \
    {                                                                                                                  \
        .name = name_, .value = value_                                                                                 \
    }
#define SAT_POSITIVE_PARAMETER(name_, value_)                                                                          \
    {                                                                                                                  \
        .name = name_, .value = value_, .positive = true                                                               \
    }
#define SAT_POSITIVE_PARAMETER_OF_RANGE(name_, value_)                                                                 \
    {                                                                                                                  \
        .name = name_, .value = value_, .of_range = true, .positive = true                                             \
    }
#define SAT_POSITIVE_PARAMETER_IN_RANGE(name_, value_)                                                                 \
    {                                                                                                                  \
        .name = name_, .value = value_, .in_range = true, .positive = true                                             \
    }
#define SAT_SET(...)                                                                                                   \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

/* Of windows in a row.  What no formula of the run needs is not initialised. */
typedef struct sat_features {
    const double *n, *sum, *mean, *var, *squares, *x;
    double range, low, most_std;
} sat_features;

typedef struct sat_statistic {
    sat_statistic_info info;
    unsigned needs; /* SAT_NEEDS_... */
} sat_statistic;

enum {
#define SAT_STATISTIC(id, ...) SAT_STATISTIC_##id,
#include "statistics.def"
#undef SAT_STATISTIC
    SAT_STATISTICS
};

/* The index of the statistic of that name; -1 if there is none. */
int sat_statistic_find(const char *name);
const sat_statistic *sat_statistic_get(int i);

#ifdef __cplusplus
}
#endif
#endif
