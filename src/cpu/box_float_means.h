/* box_float_means.h - from window sums to means, and to the result. */
#ifndef SAT_CPU_BOX_FLOAT_MEANS_H
#define SAT_CPU_BOX_FLOAT_MEANS_H

#include "box_float_plan.h"

/* Eight rows of means on their way to the result. */
typedef struct sat_float_output {
    int64_t block;
    double rows[BOX_LINES]; /* that the windows cover */
    bool whole;             /* all of the window's */
    int64_t held;           /* the position of the first mean in w->means */
    int64_t ready, written; /* means before this position are there; were written */
} sat_float_output;

/* The rows of a block. */
void sat_float_start(const sat_float_part *p, int64_t block, sat_float_output *o);

/* Do all windows of n pixels hold as many pixels as the largest? */
bool sat_float_are_whole(const sat_float_part *p, const sat_float_output *o, int64_t position, int64_t n);

/* Are these sums to be divided by what their windows cover, and is that all? */
bool sat_float_are_plain(const sat_float_part *p, const sat_float_output *o, int64_t position, int64_t n);

/* What turns sums into the next n pixels' means, which begin at that position: they go to the result (paths.def:
 * float_direct), or to the worker's memory.  lines: can whole cache lines be written past the caches? */
sat_box_means sat_float_means(const sat_float_part *p, sat_float_output *o, int64_t position, int64_t n, bool lines);

/* Means of n pixels that are not plain, from the worker's sums: what the border value adds, colours by their weights,
 * sums by what counts.  row: as few_rows() has it; 0: the sums are transposed. */
void sat_float_finish(const sat_float_part *p, const sat_float_output *o, const sat_box_means *m, int64_t position,
                      int64_t n, int64_t row);

/* Writes the means that are ready in the worker's memory: all of them, or whole cache lines. */
void sat_float_write(const sat_float_part *p, sat_float_output *o, bool all);

#endif
