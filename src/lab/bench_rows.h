/* bench_rows.h - what was measured: rows that are printed as they come, read back from CSV, and looked at by
 * plots and summaries. */
#ifndef BENCH_ROWS_H
#define BENCH_ROWS_H

#include <stdint.h>

#include "report.h"
#include "sat.h"

typedef struct bench_row {
    char bench[80], name[64];
    int64_t width, height;
    int channels;
    sat_type type, accum; /* accum SAT_TYPE_NONE: a filter, whose result has the samples' type */
    double model_bytes, cold_us, warm_us, noise_pct, gbps, copy_us, share; /* NAN = no value */
    double min_us, mean_us; /* of the warm runs; NAN in rows of version 0.1 */
    int64_t runs;           /* 0 = not known */
    char check[240];        /* CHECK_SUMS, CHECK_COPY, or why there are no times */
} bench_row;

/* A row with times was checked: its sums are the reference's, those of another library likewise; or it is a copy, which
 * sums nothing. */
#define CHECK_SUMS "ok"
#define CHECK_PEER "ok (peer)"
#define CHECK_COPY "ok (copy)"

typedef struct bench_rows {
    bench_row *row;
    size_t n, capacity;
} bench_rows;

bool bench_rows_add(bench_rows *rows, const bench_row *row, error *err);
void bench_rows_free(bench_rows *rows);

/* Appends the rows of a file that `sat bench --csv` wrote; "-" = standard input. */
bool bench_rows_read(bench_rows *rows, const char *path, error *err);

/* A report of such rows, to be begun; and one more row in it. */
report bench_report(text_out *to, report_form form);
void bench_report_row(report *r, const bench_row *row);

/* What a row says: */
bool bench_row_timed(const bench_row *row);
bool bench_row_copies(const bench_row *row); /* a ceiling */
bool bench_row_peer(const bench_row *row);   /* another library's */
/* "lookback" of "lookback B=256 Q=24": the length of the method's name. */
int bench_row_method(const bench_row *row);
/* The shape in its name; false if there is none. */
bool bench_row_shape(const bench_row *row, int *block_threads, int *thread_items, bool *naive_staging);
/* Are both of the same bench and types?  And of the same size, so of the same work? */
bool bench_rows_alike(const bench_row *a, const bench_row *b);
bool bench_rows_same(const bench_row *a, const bench_row *b);

#endif
