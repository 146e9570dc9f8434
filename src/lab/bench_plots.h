/* bench_plots.h - figures that several benches draw. */
#ifndef BENCH_PLOTS_H
#define BENCH_PLOTS_H

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

/* Lines: one for each name, copies and other libraries dashed, over an axis of powers of two. */
typedef struct line_chart {
    const char *title, *x_axis, *x_format, *y_axis, *y_range; /* formats and ranges are gnuplot's */
    bool y_log;
    double (*x)(const bench_row *row), (*y)(const bench_row *row);
    /* Is the row part of the figure that begins with this one? */
    bool (*belongs)(const bench_rows *rows, const bench_row *row, const bench_row *first);
} line_chart;

bool draw_lines(const line_chart *chart, const bench_rows *rows, FILE *gnuplot, error *err);
/* How many different places on the x axis are there? */
int count_places(const line_chart *chart, const bench_rows *rows);

/* The first row with a time; NULL if there is none. */
const bench_row *first_timed(const bench_rows *rows);

#endif
