/* box_float_lines.h - rows of samples as they are summed, also beyond the image. */
#ifndef SAT_CPU_BOX_FLOAT_LINES_H
#define SAT_CPU_BOX_FLOAT_LINES_H

#include "box_float_plan.h"

/* Where the column sums of a part begin: such that the image's rows are read, or, for windows of few columns, the
 * result's written, from the beginning of a cache line on. */
void sat_float_begin(sat_float_part *p);

/* Some rows; and a chunk of them, as they are summed.  NULL where there is none. */
typedef struct sat_float_lines {
    const char *rows[2 * BOX_LINES], *marks[2 * BOX_LINES]; /* of the image, of the mask */
    const void *lines[2 * BOX_LINES];
    const uint8_t *valid[2 * BOX_LINES]; /* which samples of it count, where some may not */
} sat_float_lines;

/* n rows, from the i-th on, become those at a position of y; rows that the source does not hold are of no window. */
void sat_float_rows(const sat_float_part *p, int64_t position, int n, sat_float_lines *l, int i);

/* How many pixels from a position of x on, before `end`, are a chunk: inside the image, or at one of its edges. */
int64_t sat_float_chunk(const sat_float_part *p, int64_t position, int64_t end);

/* A chunk of n pixels of the first rows, as they are summed, beyond the image, too.  They lie in the image, or, until
 * the next call, in the worker's memory. */
void sat_float_take(const sat_float_part *p, sat_float_lines *l, int count, int64_t position, int64_t n);

#endif
