/* box_float_plan.h - the sizes and the memory of a box filter for floats (cpu_box_float.c). */
#ifndef SAT_CPU_BOX_FLOAT_PLAN_H
#define SAT_CPU_BOX_FLOAT_PLAN_H

#include "arena.h"
#include "box_float_ops.h"
#include "cpu.h"
#include "isa.h"
#include "box_window.h"

/* Samples of which one thread makes means in a microsecond. */
#define SAT_FLOATS_PER_US 600.0

/* Pixels: chunks begin at multiples of SAT_FLOAT_ALIGNED from a strip's start on, so that cache lines are read whole.
 */
enum { SAT_FLOAT_ALIGNED = 16, SAT_FLOAT_FRONT_PX = BOX_LINES, SAT_FLOAT_CHUNK_SAMPLES = 1024 };

/* An axis continued beyond the image: position p is the image's p + first. */
typedef struct sat_float_axis {
    sat_axis image;
    int64_t first, skip;          /* the window of pixel i begins at position i + skip */
    int64_t window, blocks, rest; /* a window is so many lines: blocks of BOX_LINES, and the rest */
} sat_float_axis;

/* The sums that steps along one axis keep, n for each line. */
typedef struct sat_float_sums {
    double *slots, *prefix, *part, *tail;
    int64_t n;
} sat_float_sums;

typedef struct sat_float_worker {
    sat_float_sums down, along;
    uint16_t *count;       /* samples of each column that count, in the windows of the next row */
    uint16_t *counts;      /* of eight rows, as `columns` has their sums */
    double *n;             /* of windows, as `windows` has their sums */
    uint8_t *valid;        /* whether the pixels of a row count by the mask; whether the samples of a chunk's rows do */
    int64_t empty, moved;  /* windows of a run in which too few samples count; means that were moved */
    double *columns;       /* column sums: a ring of transposed ones, or eight rows; by segments: a row */
    double *windows;       /* window sums of a piece that are not means yet; by segments: a row of samples */
    char *samples;         /* of a chunk, where they do not lie as they are summed */
    char *means;           /* eight rows on their way to the result */
    char *strip;           /* of an image of few rows: all of its samples that a strip sums, where they have gaps */
    int64_t next;          /* the row that may follow those that it has made; 0: none may */
    int64_t origin, start; /* of that part */
} sat_float_worker;

typedef struct sat_cpu_box_float {
    sat_box_spec spec;
    sat_box_window window;
    const sat_isa *isa;
    const struct sat_box_float_ops *ops;
    sat_float_axis x, y;
    int in;                                   /* box_float_ops.h's index: of the samples that are summed */
    size_t sample_bytes, in_bytes, out_bytes; /* of the image's samples, of what is summed, of results */
    double inverse; /* of a whole window's pixels, if they are few enough (box_float_template.h); else 0 */
    bool counts;    /* some samples may not count */
    sat_cpu_counted counted;
    sat_validity valid;     /* but the mask */
    double low, high, next; /* sat_box_counted has them */
    bool stream;
    bool by_segments; /* windows reach so far beyond the image that they are taken apart (box_float_segments.c) */
    int threads;
    int64_t piece_px, chunk_px, ring_px; /* pixels in a piece, in the longest chunk, in the ring of column sums */
    int64_t copied_px;                   /* in the longest chunk of rows that are copied */
    int64_t strip_px, span_px;           /* of results in a strip, of its column sums */
    int64_t row;                         /* entries in a row of a chunk's sums, or of its means */
    size_t pitch;                        /* from one row of worker->strip to the next; 0: there is none */
    int64_t *map;                        /* the image's column that each position of x sees, -1: none */
    double
        *covered; /* columns that windows cover, for each sample from SAT_FLOAT_FRONT_PX pixels before position 0 on */
    char *memory, *zeros;
    sat_float_worker *workers;
} sat_float_box;

/* What a worker does at a time: rows [begin, end) of the pixels [first, last). */
typedef struct sat_float_part {
    const sat_float_box *f;
    sat_float_worker *w;
    const sat_view *src, *mask, *dst;
    const sat_run *run;
    int worker;
    bool follows;                       /* row y follows the worker's last one */
    int64_t y, begin, end, first, last; /* y: a multiple of BOX_LINES, of rows that are made from `begin` on */
    int64_t origin; /* the position from which on windows begin; that of a block, where a row is summed by blocks */
    int64_t start;  /* the position at which the column sums begin: at most SAT_FLOAT_ALIGNED - 1 before the origin */
    int64_t stop;   /* where they end */
} sat_float_part;

/* Eight rows of so many pixels have been summed: does the run go on? */
static inline bool sat_float_goes_on(const sat_float_part *p, int64_t px)
{
    const double samples = (double)(BOX_LINES * px * p->f->spec.channels);
    return sat_goes_on(p->run, p->worker, samples / SAT_FLOATS_PER_US);
}

static inline int64_t sat_float_round_up(int64_t n, int64_t to)
{
    return (n + to - 1) / to * to;
}

/* The end of the lines that the step of a block needs. */
static inline int64_t sat_float_lines_end(const sat_float_axis *a, int64_t block)
{
    return (block + a->blocks + 1) * BOX_LINES + a->rest;
}

/* Fills a zeroed struct for a spec that was checked; its memory is the arena's.  counted NULL: all samples count. */
sat_status sat_float_plan(sat_float_box *f, const sat_box_spec *spec, const sat_cpu_counted *counted,
                          const sat_box_window *window, const sat_isa *isa, int threads, sat_arena *arena);

#endif
