/* window_oracle.h - a statistic of one window of float samples, from its definition, in long double. */
#ifndef TESTS_WINDOW_ORACLE_H
#define TESTS_WINDOW_ORACLE_H

#include "sat_window.h"

/* Of one image, for statistics of whole images: the smallest sample that counts, the largest variance of a window where
 * enough count, and its bound. */
typedef struct window_extremes {
    long double low, var, off;
} window_extremes;

/* src, mask: the spec's images, below one another; mask NULL: none.  A step for each sample of each window. */
window_extremes window_extremes_of(const sat_window_spec *spec, const sat_view *src, const sat_view *mask,
                                   int64_t image);

/* Is a result within the bounds of sat_window.h?  row, element: of a result in all these images; `is` has the output's
 * type.  extremes: of its image; NULL where the statistic needs none.  To *want goes what the definition gives. */
bool window_agrees(const sat_window_spec *spec, const sat_window_output *output, const sat_view *src,
                   const sat_view *mask, const window_extremes *extremes, int64_t row, int64_t element, double is,
                   double *want);

#endif
