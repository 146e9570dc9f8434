/* bench_window.h - the statistics of windows: which are asked, and whether the reference is right. */
#ifndef BENCH_WINDOW_H
#define BENCH_WINDOW_H

#include "bench.h"

/* "mean,var": the outputs of that list, of that result type; NULL, or why it is none, in words. */
const char *bench_window_outputs(bench_case *b, const char *list);

/* Is the reference right?  At some places the pixels of the window are cut out of the image, and asked as an image of
 * their own, which is one window.  What depends on the whole image is left out. */
bool bench_window_check(bench_case *b, error *err);

#endif
