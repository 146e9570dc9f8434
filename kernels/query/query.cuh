/* query.cuh - rectangles of tables in device memory: sat_device.query and .statistics (src/lib/device.h). */
#ifndef QUERY_CUH
#define QUERY_CUH

#include "sat.h"

typedef struct sat_reader sat_reader;
typedef struct sat_bad_rects sat_bad_rects;
typedef struct sat_rect_question sat_rect_question;

sat_status query_rectangles(const sat_reader *table, int channels, const sat_rect *rects, size_t n, sat_sum *sums,
                            double *means, sat_bad_rects *bad, void *stream);
sat_status query_statistics(const sat_rect_question *question, void *stream);

#endif
