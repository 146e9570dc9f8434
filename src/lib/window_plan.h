/* window_plan.h - a window's spec, resolved for backends: what is summed, and what results are made of the sums. */
#ifndef SAT_WINDOW_PLAN_H
#define SAT_WINDOW_PLAN_H

#include <math.h>

#include "statistic.h"
#include "box_window.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A result, resolved. */
typedef struct sat_window_result_plan {
    int statistic; /* index of statistics.def */
    sat_type type;
    bool compare;             /* pixels are compared with it */
    bool of_image;            /* the statistic depends on extremes of the image */
    bool may_be_empty;        /* fewer than `least` samples may count */
    double least;             /* samples that must count; else the result is `empty` */
    double empty;             /* compared: infinity, which no pixel is above */
    bool avoids;              /* other results that equal `empty` become the next value */
    double p[SAT_PARAMETERS]; /* defaults filled in */
} sat_window_result_plan;

typedef struct sat_window_plan {
    sat_box_window window;
    unsigned needs; /* SAT_NEEDS_... of all results; the pixel's, where one is compared */
    bool validity;  /* some samples may not count */
    double least;   /* samples that must count, a variance apart */
    double largest; /* value that samples are to have: the spec's range */
    sat_window_result_plan result[SAT_OUTPUTS];
} sat_window_plan;

/* The largest windows of floats that reach beyond the image by more than its size, in samples: what each thread keeps
 * of such a window (cpu_window_floats.c) takes 4 bytes a sample, 1 GiB. */
#define SAT_FAR_PX (INT64_C(1) << 28)

/* Returns whether windows of float samples, which a border mode repeats, reach so far. */
bool sat_window_reaches_far(const sat_window_spec *spec);

/* Fills *plan. Fails as sat_box_window_of() does; also if sums of squares exceed 64 bits, if a result would round
 * integer sums or counts, or above SAT_FAR_PX. */
sat_status sat_window_plan_of(const sat_window_spec *spec, sat_window_plan *plan);

/* Samples that must count for a result, in an image whose smallest sample that counts is `low`; infinity, as `low` is,
 * where none counts and the statistic depends on it. */
static inline double sat_window_least_in(const sat_window_result_plan *result, double low)
{
    return result->of_image && low == INFINITY ? INFINITY : result->least;
}

/* Samples that must count for a statistic with these needs: a variance is divided by the count less ddof. */
double sat_window_least(const sat_window_plan *plan, const sat_window_spec *spec, unsigned needs);

#ifdef __cplusplus
}
#endif
#endif
