/* query.cuh - sums and means of rectangles of a table in device memory: sat_device.query (src/lib/device.h). */
#ifndef QUERY_CUH
#define QUERY_CUH

#include "rectangle.h"

sat_status query_rectangles(const sat_reader *table, int channels, const sat_rect *rects, size_t n, sat_sum *sums,
                            double *means, sat_bad_rects *bad, void *stream);

#endif
