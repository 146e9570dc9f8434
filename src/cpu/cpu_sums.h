/* cpu_sums.h - sums of what the windows of integer samples hold, one row of windows after the other (cpu_sums.c). */
#ifndef SAT_CPU_SUMS_H
#define SAT_CPU_SUMS_H

#include "arena.h"
#include "box_ops.h"
#include "box_window.h"
#include "isa.h"
#include "run.h"
#include "strides.h"
#include "window_ops.h"

/* What is summed: samples, 1 for each that counts, and squares; of 32-bit samples their lower halves, and the upper. */
enum { SUM, COUNT, SQUARES, HIGH_SQUARES, FEATURES };

typedef struct sat_cpu_feature {
    bool used;         /* SUM always is */
    int sums;          /* box_ops.h's index of their type */
    uint64_t value[4]; /* what a position beyond the image adds in each channel, where the border takes a value */

    /* sat_cpu_sums_open()'s. */
    size_t entry;  /* bytes of a sum */
    int64_t whole; /* samples in vectors of whole pixels */
    void *values;  /* `value` for each sample of a row, of the sums' type; or NULL */
} sat_cpu_feature;

/* A row that is summed: without gaps; those samples that do not count are 0. */
typedef struct sat_cpu_row {
    sat_rows *rows, *mask;
    /* What is summed, where it is not the samples: times alpha, u32 or i32, or without what does not count, or packed.
     */
    void *made;
    uint8_t *valid;
} sat_cpu_row;

/* The sums of one feature. */
typedef struct sat_cpu_column_sums {
    char *column; /* of the window's rows, from `before` pixels before the image on */
    char *prefix; /* of these, one pixel of zeros in front */
    char *row;    /* of the windows of a chunk; by segments: of a row */
} sat_cpu_column_sums;

typedef struct sat_cpu_summer {
    _Alignas(SAT_CACHE_LINE) sat_cpu_column_sums of[FEATURES];
    sat_cpu_row enter, leave;
    int64_t next; /* the row that may follow those that it has made; 0: none may */
} sat_cpu_summer;

typedef struct sat_cpu_sums {
    /* The caller's. */
    const sat_box_window *window;
    const sat_isa *isa;
    sat_cpu_feature of[FEATURES];
    size_t sample_bytes;
    int sample, in; /* box_ops.h's indices: of the samples, and of what is summed */
    int channels;
    int64_t samples; /* in a row */
    int64_t chunk;   /* samples that are finished at a time: a multiple of every vector length and channel count */
    int threads;
    bool weighted;                     /* by alpha */
    bool some_count;                   /* as `counts` and a mask say; else all do */
    bool masked;                       /* there is a mask */
    bool packs;                        /* counts may be summed in the samples' words (divide_packed()) */
    sat_validity counts;               /* but the mask's row */
    double summed_per_us, made_per_us; /* samples that one thread adds to sums, and finishes, in a microsecond */

    /* sat_cpu_sums_open()'s. */
    int packed_bits;             /* of a sum, above which its count stands in the same word; 0: it has its own */
    bool by_segments;            /* windows are taken apart; before and after are 0 */
    const sat_box_runs *columns; /* then: what the window of each column holds */
    int64_t before, after;       /* pixels by which windows reach beyond a column, cut where those count nothing */
    int features;                /* those from this one on are not used */
    int few;                     /* columns of a window, where it is summed without prefix sums; or 0 */
    int64_t left, right;         /* the windows of samples [left, right) of a row are whole */
    int64_t *beyond;             /* which samples of the row the before + after pixels beyond it repeat; or NULL */
    uint32_t *covered;           /* for each sample, how many columns its window covers */
    sat_cpu_summer *workers;
} sat_cpu_sums;

/* What there is of n windows of a row, from sample `first` on. */
typedef struct sat_cpu_chunk {
    int64_t y, first, n;
    int64_t covered_y; /* rows of each window inside the image */
} sat_cpu_chunk;

typedef struct sat_cpu_sums_run {
    const sat_cpu_sums *e;
    const sat_view *src, *mask;
    const sat_run *run;
    /* Called for the chunks of a row from left to right. */
    void (*finish)(const void *context, int worker, const sat_cpu_chunk *chunk);
    const void *context;
} sat_cpu_sums_run;

/* Takes all memory; false, with nothing reported, if there is none. */
bool sat_cpu_sums_open(sat_cpu_sums *e, sat_arena *arena);

/* Before the bands of a run, of which one has `rows` rows: forgets sums that nothing follows. */
void sat_cpu_sums_begin(const sat_cpu_sums *e, const sat_run *run, int64_t rows);

/* Goes through rows [y, end). */
void sat_cpu_sums_rows(const sat_cpu_sums_run *run, int worker, int64_t y, int64_t end);

/* For finish(): */

/* The prefix sums that windows from sample `first` on subtract; those that they are subtracted from are
 * sat_cpu_reach() further. */
static inline const char *sat_cpu_prefix(const sat_cpu_sums *e, const sat_cpu_summer *k, int feature, int64_t first)
{
    return k->of[feature].prefix + (size_t)first * e->of[feature].entry;
}
static inline int64_t sat_cpu_reach(const sat_cpu_sums *e)
{
    return (e->before + 1 + e->after) * e->channels;
}

/* Are there windows in the chunk to which the border adds its value? */
static inline bool sat_cpu_has_values(const sat_cpu_sums *e, const sat_cpu_chunk *c)
{
    return e->window->border->takes_value && (c->covered_y < e->window->y.before + 1 + e->window->y.after ||
                                              c->first < e->left || c->first + c->n > e->right);
}
/* The sums of a feature in the chunk's windows, of the feature's type, with what the border adds. */
char *sat_cpu_window_sums(const sat_cpu_sums *e, const sat_cpu_summer *k, int feature, const sat_cpu_chunk *c);
/* How many pixels of the image each window of the chunk holds, of the type of a feature's sums. */
void sat_cpu_areas(const sat_cpu_sums *e, int feature, void *areas, const sat_cpu_chunk *c);

#endif
