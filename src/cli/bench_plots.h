/* bench_plots.h - figures that several benches draw. */
#ifndef CLI_BENCH_PLOTS_H
#define CLI_BENCH_PLOTS_H

#include <stdio.h>

#include "bench_rows.h"

/* Bars: a cluster for each name, in it a bar for each group of rows. */
typedef struct bar_chart {
    const char *title, *axis;
    double (*value)(const bench_row *row);
    void (*group_name)(const bench_row *row, char *to, size_t size); /* rows of one name are one group */
    double top;                                                      /* the axis reaches this at least; 0 = by itself */
} bar_chart;

bool draw_bars(const bar_chart *chart, const bench_rows *rows, FILE *gnuplot, error *err);

/* Throughput against the length, a line for each name, copies and other libraries dashed; of rows that scan the same
 * types as the first. */
bool draw_lines(const bench_rows *rows, FILE *gnuplot, error *err);

#endif
