/* cpu_window.h - the parts of the cpu backend's window statistics.
 *
 *     cpu_window.c              the object, bands of rows over threads
 *     cpu_window_integers.c     n, S1, S2 of the windows of a row, by the running sums of cpu_sums.c
 *     cpu_window_floats.c       n, mean and squared deviations of eight rows of windows, by joining
 *     cpu_window_finish.c       these moments to results
 */
#ifndef SAT_CPU_WINDOW_H
#define SAT_CPU_WINDOW_H

#include "backend.h"
#include "isa.h"
#include "strides.h"
#include "window_ops.h"
#include "window_plan.h"

/* Samples whose results are made at a time: their arrays stay in the first-level cache.  A multiple of every vector
 * length and channel count. */
enum { WINDOW_CHUNK = 384 };

/* A result that others must not be, and what these become: a row's of its type. */
typedef struct sat_cpu_avoided {
    sat_type type;
    _Alignas(double) char value[8], next[8];
} sat_cpu_avoided;

sat_cpu_avoided sat_cpu_avoid_value(const sat_isa *isa, sat_type type, double value);

/* Moves those of n results whose counts are `least` or more; counts NULL: all.  Returns how many it moved. */
int64_t sat_cpu_avoid(const sat_cpu_avoided *a, void *results, const double *counts, double least, int64_t n);

/* valid[i]: does sample `first` + i of row y count?  n samples of whole pixels, SAT_CENTRES at most.
 * mask NULL: all pixels may count. */
enum { SAT_CENTRES = 768 };
void sat_cpu_centres(uint8_t *valid, const sat_validity *v, const sat_view *src, const sat_view *mask, int64_t y,
                     int64_t first, int64_t n);

/* How an output is stored. */
typedef struct sat_cpu_output {
    int store;    /* index of window_ops.h */
    bool stream;  /* results do not fit the cache and go past it */
    size_t bytes; /* of a result */
    sat_cpu_avoided avoided;
} sat_cpu_output;

/* Extremes of the whole image, of one worker's rows or of all. */
typedef struct sat_cpu_extremes {
    double low, most_var;
} sat_cpu_extremes;

/* What results are made in; of one worker. */
typedef struct sat_cpu_finish {
    _Alignas(SAT_CACHE_LINE) double *n, *sum, *mean, *var, *squares, *x, *values; /* WINDOW_CHUNK entries each */
    double *result; /* their results, on the way past the cache, or to gaps */
    double filled;  /* all entries of n are this, if it is above 0 */
    int64_t clipped, moved, empty[SAT_OUTPUTS];
    sat_cpu_extremes extremes;
} sat_cpu_finish;

struct sat_cpu_integers;
struct sat_cpu_floats;

typedef struct sat_cpu_window {
    sat_window_spec spec;
    sat_window_plan plan;
    const sat_isa *isa;
    const struct sat_window_ops *ops;
    int sample;      /* index of window_ops.h */
    int64_t samples; /* in a row */
    sat_cpu_output output[SAT_OUTPUTS];
    int threads;
    sat_cpu_finish *finish; /* of each worker */
    struct sat_cpu_integers *integers;
    struct sat_cpu_floats *floats;
    void *mean; /* the box filter's state, where it makes the only result; and nothing of the above but the spec */
} sat_cpu_window;

/* What a run works on. */
typedef struct sat_cpu_window_run {
    const sat_cpu_window *w;
    const sat_view *src, *mask, *results;
    const sat_run *run;
    bool extremes;          /* this pass finds the extremes and makes no results */
    sat_cpu_extremes whole; /* of the image, in the pass that makes results */
    int64_t rows;           /* in each band but the last */
} sat_cpu_window_run;

/* Samples of which one thread makes results, and which it adds to sums, in a microsecond. */
#define SAT_WINDOWS_PER_US 100.0
#define SAT_SUMMED_PER_US  1000.0

/* What counts, but the mask's row. */
sat_validity sat_cpu_validity(const sat_window_spec *spec);

/* Makes the results of `count` samples of row y from sample `first` on: f holds n, sum and mean, and of var and squares
 * what is needed. */
void sat_cpu_window_finish(const sat_cpu_window_run *run, sat_cpu_finish *f, int64_t y, int64_t first, int64_t count);

/* Rows [y, end) of all results. */
sat_status sat_cpu_integers_open(sat_cpu_window *w, sat_arena *arena);
/* The accumulators, in words: ", u32 sums, u64 squares, variances in 64 bits (225 pixels of at most 255)". */
void sat_cpu_integers_note(const sat_cpu_window *w, char *note, size_t bytes);
/* As sat_cpu_sums_begin(). */
void sat_cpu_integers_begin(const sat_cpu_window *w, const sat_run *run, int64_t rows);
void sat_cpu_integers_rows(const sat_cpu_window_run *run, int worker, int64_t y, int64_t end);

sat_status sat_cpu_floats_open(sat_cpu_window *w, sat_arena *arena);
void sat_cpu_floats_rows(const sat_cpu_window_run *run, int worker, int64_t y, int64_t end);

#endif
