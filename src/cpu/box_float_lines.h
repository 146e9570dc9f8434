/* box_float_lines.h - rows of samples as they are summed, also beyond the image. */
#ifndef SAT_CPU_BOX_FLOAT_LINES_H
#define SAT_CPU_BOX_FLOAT_LINES_H

#include "box_float_plan.h"

/* Where the column sums of a part begin: such that the image's rows are read, or, for windows of few columns, the
 * result's written, from the beginning of a cache line on. */
void sat_float_begin(sat_float_part *p);

/* The rows at n positions of y, NULL where there is none; rows that the source does not hold are of no window. */
void sat_float_rows(const sat_float_part *p, int64_t position, int n, const char **rows);

/* How many pixels from a position of x on, before `end`, are a chunk: inside the image, or at one of its edges. */
int64_t sat_float_chunk(const sat_float_part *p, int64_t position, int64_t end);

/* A chunk of n pixels of several rows, as they are summed, beyond the image, too.  They lie in the image, or, until the
 * next call, in the worker's memory. */
void sat_float_lines(const sat_float_part *p, const char *const *rows, int count, int64_t position, int64_t n,
                     const void **lines);

#endif
