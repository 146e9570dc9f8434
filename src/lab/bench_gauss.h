/* bench_gauss.h - the Gaussian filter: how far it reaches, and whether its results are right. */
#ifndef BENCH_GAUSS_H
#define BENCH_GAUSS_H

#include "bench.h"

/* Pixels on each side that count in a result: at 5 sigma a weight is below 4e-6 of the largest. */
int64_t bench_gauss_reach(const bench_case *b);

/* Is the reference right?  At some places the Gaussian is summed directly, over the pixels inside the image. */
bool bench_gauss_check(const bench_case *b, error *err);

#endif
