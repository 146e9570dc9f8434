/* sat_run.h - how any object of libsat runs: the options of tables, filters, windows and queries.  sat.h includes it.
 */
#ifndef SAT_RUN_H
#define SAT_RUN_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SAT_OUTPUTS = 16 }; /* results that a run has at most, beside one another: of sat_window_run() */

/* What a run counted; -1 what its operation or backend does not count.  Box filters, tables and queries count nothing.
 */
typedef struct sat_counts {
    int64_t clipped;            /* results that lay beyond the range of their integer type, or were NaN there */
    int64_t empty[SAT_OUTPUTS]; /* of each output of sat_window_run(): its empty results */
} sat_counts;

/* How any object runs; NULL or zeros: to the end.
 *
 * Ending a run.  proceed(context) is asked whether the run goes on: by the calling thread, before there is work and
 * then about every millisecond of it, at least every 20 ms, between rows.  What it does takes time from the run.  Once
 * it returns false it is not asked again, and the run soon returns SAT_ERR_CANCELLED; results are then undefined,
 * objects are as before.  With an executor, the thread asks that runs job 0.  On a device, proceed is asked before work
 * is queued, and where views lie in host memory also between bands; what is queued is waited for.
 *
 * Bands.  An image of any height can be summed a band of rows at a time, on one machine or several: the carry row is
 * the inclusive table's row above the band, width * channels entries of the accumulator type (q32: u32), and joins
 * them.  carry_in NULL means zeros.  carry_out, if not NULL, receives the inclusive table's last row of this band; it
 * may be carry_in itself.  A run of several images takes one band of each, all of one height: carry_in and carry_out
 * then hold a row for each image, one after the other.  For tables only; others return SAT_ERR_ARGUMENT. */
typedef struct sat_run_options {
    void *stream;                   /* a cudaStream_t for backends on a device, else not used; views in host memory: the
                                       run begins when it is empty, is done when the call returns, and cannot be
                                       captured into a graph */
    bool (*proceed)(void *context); /* NULL: the run cannot be ended */
    void *context;
    sat_counts *counts; /* where the counts go, or NULL: filled when the call returns, of views in device memory when
                           the object's wait does (sat_window_wait()), until which it must stay */
    const void *carry_in;
    void *carry_out;
    bool continues;          /* padded layout: this is not the first band, its table view has no zero row */
    bool reserved[7];        /* false */
    int64_t first_row, rows; /* 0; for later versions */
    void (*progress)(void *context, int64_t done, int64_t of); /* NULL; for later versions */
} sat_run_options;

#ifdef __cplusplus
}
#endif
#endif
