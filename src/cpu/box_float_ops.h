/* box_float_ops.h - the loops of the box filter for floats, compiled for each instruction set.
 *
 * cpu_box_float.c explains the sums.  Eight rows of results are made at a time, first down the columns, then along the
 * rows.  Lines are the rows that a step down the columns takes, or the columns that a step along the rows takes.
 * Transposed: eight sums, one for each row, stand side by side, and sample i of a row is sum 8 * i. */
#ifndef SAT_CPU_BOX_FLOAT_OPS_H
#define SAT_CPU_BOX_FLOAT_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lines of a block; a window shorter than that is summed line by line. */
enum { BOX_LINES = 8 };

/* Types of samples and of results, as indices. */
enum { BOX_F32, BOX_F64, BOX_FLOATS };

/* What a step takes besides its lines, and leaves for the next one: one sum for each sample down the columns, eight
 * along the rows. */
typedef struct sat_box_step {
    const double *suffix; /* of what follows the leaving block in its segment */
    double *block;        /* becomes the sum of the entering block */
    double *prefix;       /* of the entering block's segment, to the end of the first window; becomes the next step's */
    double *part;         /* the lines of the entering block that the first window holds; becomes the next block's */
    int split;            /* entering lines 0 .. split-1 are of the entering block, the others of the next; 1 .. 8 */
    bool last;            /* the entering block ends its segment */
} sat_box_step;

/* The sums that steps along the rows take, eight for each channel, and so the slots of a segment's blocks. */
typedef struct sat_box_walk {
    double *slots, *prefix, *part;
    const double *tail; /* the suffix sums behind the last block */
    int64_t blocks, channels;
    int split;
} sat_box_walk;

/* Eight rows of results, and what turns sums into means. */
typedef struct sat_box_means {
    const double *columns; /* of a window's pixels, for each sample of the row */
    const double *rows;    /* likewise, for each of the eight rows */
    char *to;              /* sample 0 of the first row */
    ptrdiff_t row_bytes;
    bool to_f64;    /* else to f32 */
    bool stream;    /* they go past the caches; each row begins with a cache line then */
    double inverse; /* of the windows' pixels, if all have as many and the means are f32; else 0 */
} sat_box_means;

/* What turns sums into means that divide_lines() has no loop for: alpha is a weight, or what lies beyond the image has
 * a value. */
typedef struct sat_box_finish {
    const sat_box_means *means;
    const double *value; /* of each channel, over and over: 4 + BOX_LINES of them; or NULL */
    double area;         /* a window's pixels, which divide the sums; 0: those that it covers do */
    int channels;
    bool weighted; /* of 2 or 4 channels: the sum of alpha divides the others, anything / 0 being 0 */
} sat_box_finish;

/* Which samples of a row count. */
typedef struct sat_validity {
    const uint8_t *mask; /* of each pixel; NULL: all */
    int channels;
    bool skip_nan, has_nodata;
    double nodata;
} sat_validity;

/* What turns the sums of samples that count into means. */
typedef struct sat_box_counted {
    const sat_box_finish *finish;
    const double *n;     /* the samples of each window, as its sum lies; NaN: it is none of those that are counted */
    double least, empty; /* `empty` is the mean of fewer */
    double low, high;    /* other means from `low` to `high` become `next`: those that are `empty` in the results' */
    double next;         /* type; NaN: none */
    int64_t *empties, *moved; /* how many windows held fewer, and means were moved, is added here */
} sat_box_counted;

struct sat_box_float_ops {
    /* Window sums of n samples (a multiple of 8), from sample `at` of the lines on; leave and enter are eight rows
     * each. row 0: sums are stored transposed; else in rows that many sums apart. */
    void (*columns[BOX_FLOATS])(const sat_box_step *step, const void *const *leave, const void *const *enter,
                                int64_t at, int64_t n, double *out, int64_t row);
    /* The same without results: nothing leaves. */
    void (*enter_columns[BOX_FLOATS])(const sat_box_step *step, const void *const *enter, int64_t n);
    /* The same for windows of 1 .. 7 rows, of which the first begins with row 0. */
    void (*few_columns[BOX_FLOATS][BOX_LINES - 1])(const void *const *rows, int64_t at, int64_t n, double *out,
                                                   int64_t row);

    /* Groups of eight windows along eight rows of 1 .. 4 channels, transposed; the first group's blocks have that place
     * in their segment. out receives the sums, transposed: with means NULL those of all groups, else of one. */
    void (*rows[4])(const sat_box_walk *walk, int64_t place, const double *leave, const double *enter, int64_t groups,
                    double *out, const sat_box_means *means);
    /* One group without results: nothing leaves. */
    void (*enter_rows)(const sat_box_walk *walk, int64_t place, const double *enter);

    /* Windows of 1 .. 7 samples, `stride` samples apart, along eight rows of n sums, which are `row` sums apart; means
     * NULL: their sums to out, as far apart. */
    void (*few_rows[BOX_LINES - 1])(const double *sums, int64_t row, int64_t stride, int64_t n, double *out,
                                    const sat_box_means *means);

    /* Means of f32 of windows of as many rows as columns, all of which have as many pixels, along eight rows of 1 .. 4
     * channels; they end with the n samples (a multiple of 16) from `at` on.  before: as few_rows has it, the sums of
     * the columns before these, then the last ones of these; eight pixels of them.  NULL: not for such windows. */
    void (*small[4][BOX_LINES - 1])(const void *const *rows, int64_t at, int64_t n, double *before, int64_t row,
                                    const sat_box_means *means);

    /* Means of n samples (a multiple of 8), sums of which are transposed, or stand in rows that are `row` sums apart.
     */
    void (*finish_groups)(const sat_box_finish *finish, const double *sums, int64_t n);
    void (*finish_rows)(const sat_box_finish *finish, const double *sums, int64_t row, int64_t n);

    /* to[i] += sums[i] */
    void (*add_sums)(double *to, const double *sums, int64_t n);

    /* n samples of a row, 0 in place of those that do not count; counts[i]: does sample i?  out may be row. */
    void (*keep[BOX_FLOATS])(void *out, uint8_t *counts, const void *row, const sat_validity *v, int64_t n);
    /* The samples that count in n columns of eight windows: of the first `count` has them, and becomes that of the
     * eighth's successor.  out: as of columns(). */
    void (*count_columns)(uint16_t *count, const uint8_t *const *leave, const uint8_t *const *enter, int64_t at,
                          int64_t n, uint16_t *out, int64_t row);
    /* count[i] += counts[i] */
    void (*enter_counts)(uint16_t *count, const uint8_t *counts, int64_t n);
    /* And in windows of px pixels of 1 .. 4 channels along eight rows, transposed: of the first `count` has them, eight
     * for each channel. */
    void (*count_rows)(double *count, const uint16_t *leave, const uint16_t *enter, double *out, int64_t px,
                       int channels);
    /* As few_rows(), which stand in rows. */
    void (*count_few)(const uint16_t *counts, int64_t row, int64_t stride, int64_t n, double *out, int window);
    /* As finish_groups() and finish_rows(). */
    void (*counted_groups)(const sat_box_counted *c, const double *sums, int64_t n);
    void (*counted_rows)(const sat_box_counted *c, const double *sums, int64_t row, int64_t n);
};

#endif
