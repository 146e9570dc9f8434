/* window_oracle.h - a statistic of one window of float samples, from its definition, in long double. */
#ifndef TESTS_WINDOW_ORACLE_H
#define TESTS_WINDOW_ORACLE_H

#include "sat_window.h"

/* Is a result within the bounds of sat_window.h?  src, mask: the spec's images, below one another; mask NULL: none.
 * row, element: of a result in all these images; `is` has the output's type.  Not of statistics of whole images.  To
 * *want goes what the definition gives. */
bool window_agrees(const sat_window_spec *spec, const sat_window_output *output, const sat_view *src,
                   const sat_view *mask, int64_t row, int64_t element, double is, double *want);

#endif
