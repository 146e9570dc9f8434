/* run.h - a run as the library and its backends see it, and whether it goes on.
 *
 * The calling thread is worker 0 of what it starts.  Worker 0 asks the caller's proceed() after each share of work; if
 * that says no, it sets a flag.  All workers look at the flag between rows, blocks or strips, and leave what is left
 * undone.  Of several images at a time, each of which has workers of its own, worker 0 of worker 0 asks. */
#ifndef SAT_LIB_RUN_H
#define SAT_LIB_RUN_H

#include "sat.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sat_control {
    bool (*proceed)(void *context);
    void *context;
    bool ended;     /* read and written atomically */
    double work_us; /* since proceed() was last asked; of the thread that asks */
} sat_control;

typedef struct sat_columns {
    int64_t first, end;
} sat_columns;

/* The members are those of sat_run_options, which have been checked. */
typedef struct sat_run {
    void *stream;
    const void *carry_in;
    void *carry_out;
    bool continues;
    bool asks;            /* this thread's worker 0 asks */
    sat_counts *counts;   /* the caller's, or NULL */
    int64_t *moved;       /* in counts, if the caller's have it; or NULL */
    const sat_view *mask; /* the caller's, not checked; or NULL */
    sat_control *control; /* NULL: the run cannot be ended */
    /* Of filters: the rows of the image that results hold, and the row that the source and the mask begin with, which
     * may be below 0; [0, height) and 0 of whole images. */
    int64_t first, end, from, height;
    bool follows; /* the last run ended at `first` of the same image */
    /* On the CPU: the columns that results hold, [0, width) unless they are rows of an image that is turned (filter.c).
     * Those that the source and the mask hold are positions: with a border mode that wraps they may lie outside the
     * image.  The views' data are where column 0 would lie. */
    sat_columns made, held;
} sat_run;

/* The row of the source, and of the mask, that is row y of the image; not below their height: there is none. */
static inline int64_t sat_source_row(const sat_run *run, int64_t y)
{
    const int64_t row = y - run->from;
    return row < 0 ? row + run->height : row < run->height ? row : row - run->height;
}

/* Members of the options that not every run has. */
enum { SAT_RUN_CARRIES = 1, SAT_RUN_MASK = 2, SAT_RUN_ROWS = 4 };

/* Fills a run, and the control that it refers to, from a caller's options, which may be NULL.  The caller's counts
 * become -1.  Returns SAT_ERR_ARGUMENT for members that do not exist yet, and those that are not among `members`. */
sat_status sat_take_run(sat_run *run, sat_control *control, const sat_run_options *given, size_t bytes,
                        unsigned members);

/* Asks, whatever the work since then; false: the run has ended. */
bool sat_ask(const sat_run *run);

/* Worker so-and-so has done work, of so many microseconds of one thread (docs/cpu.md): does the run go on? */
bool sat_worked(const sat_run *run, int worker, double us);

static inline bool sat_goes_on(const sat_run *run, int worker, double us)
{
    return run->control == NULL || sat_worked(run, worker, us);
}

/* SAT_ERR_CANCELLED, with its sentence, if the run has ended. */
sat_status sat_run_status(const sat_run *run);

/* sat_ask() and sat_run_status(): before work is begun or queued. */
sat_status sat_run_asked(const sat_run *run);

/* sat_parallel_on() (pool.h) for a run, for whose end the calling thread asks also while it waits for others.  All
 * tasks are begun, also once it has ended: each looks before it works.  SAT_OK or SAT_ERR_CANCELLED. */
sat_status sat_run_each(const sat_run *run, const sat_executor *executor, int threads, int64_t count, sat_task *task,
                        void *context);

#ifdef __cplusplus
}
#endif
#endif
