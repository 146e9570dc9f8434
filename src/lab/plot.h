/* plot.h - figures by gnuplot, which is found on PATH when one is asked for. */
#ifndef BENCH_PLOT_H
#define BENCH_PLOT_H

#include <stdio.h>

#include "error.h"

typedef struct plot {
    FILE *script; /* write gnuplot's commands here */
    const char *path;
    bool no_clobber;
    char *text;
    size_t bytes;
} plot;

/* Does the name end in one of the forms that can be drawn?  else *forms lists them. */
bool plot_knows(const char *path, const char **forms);

/* Begins a figure of so many pixels. */
bool plot_begin(plot *p, const char *path, bool no_clobber, error *err);
/* Draws it into the file, which is whole or not there. */
bool plot_end(plot *p, error *err);
void plot_abort(plot *p);

/* A string of gnuplot's, quoted. */
void plot_string(FILE *script, const char *text);

#endif
