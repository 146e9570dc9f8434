/* bench_line.h - the command line of `sat bench`. */
#ifndef BENCH_LINE_H
#define BENCH_LINE_H

#include "bench_mode.h"

enum { FILES_MAX = 16, GIVEN_MAX = 32 };

typedef struct bench_line {
    const bench_mode *mode; /* NULL = not named */
    bench_request request;
    report_form form;
    bool formed; /* a form or an output was given */
    const char *output, *plot;
    bool no_clobber, list;
    const char *from[FILES_MAX];
    int from_n;
    int given[GIVEN_MAX], given_n; /* options of OPT_SIZE and on */
    int argc;
    char **argv;
} bench_line;

/* Reads argv, behind the bench's name, over the defaults that the line has.  False when o->stop has been set. */
bool bench_line_read(bench_line *l, options *o, int argc, char **argv);

/* Reads the files of --from and keeps the rows that the bench and the options ask for; a bench that was not named is
 * the first row's.  False, and the file that is at fault or NULL for none, in *at_fault. */
bool bench_line_rows(const bench_line *l, const bench_mode **mode, bench_rows *rows, const char **at_fault, error *err);

#endif
