/* rect_totals.h - what the samples of one rectangle, in one channel, add up to; rect_totals.c has the loops.
 *
 *     sat_totals t[9] = {{0}};                                      one for each piece (pieces.h)
 *     for (pass = 0; pass < sat_totals_passes(type, ask); pass++)
 *         for each piece k, again and again, its next rows from the top on:
 *             sat_totals_add(&from, &rows, pass, ask, pass ? sat_totals_mean(at, t) : 0, &t[k]);
 *     sum = sat_totals_answer(type, at, t, ask, weighted, &f);
 *
 * The bits are the same however the rows are divided: a total goes on where it stopped. */
#ifndef SAT_RECT_TOTALS_H
#define SAT_RECT_TOTALS_H

#include "pieces.h"
#include "run.h"
#include "valid.h"

/* A sum of doubles, and the sum of what its additions lost to rounding. */
typedef struct sat_float_sum {
    double sum, lost;
} sat_float_sum;

/* What is added of each sample x of floats. */
typedef enum sat_term {
    SAT_TERM_SAMPLE,
    SAT_TERM_SQUARE,
    SAT_TERM_DEVIATION,
    SAT_TERM_DEVIATION_2,
    SAT_TERMS
} sat_term;

typedef struct sat_totals {
    int64_t count; /* of samples that count */
    union {
        sat_float_sum of[SAT_TERMS]; /* floats */
        struct {
            uint64_t sum; /* modulo 2^64, which holds the sum of every rectangle that is not refused */
            sat_u128 squares;
        } whole; /* integers */
    } u;
} sat_totals;

enum { SAT_KEPT_PX = 1024 };

/* Of a row: samples, those that count, and the pixels of the mask. */
typedef struct sat_totals_scratch {
    double kept[SAT_KEPT_PX];
    uint8_t counts[SAT_KEPT_PX], mask[SAT_KEPT_PX];
} sat_totals_scratch;

/* One channel of an image. */
typedef struct sat_channel {
    const sat_view *view;
    ptrdiff_t step; /* from pixel to pixel, in samples */
    int64_t image;
    int c;
    const sat_run *run;
    int worker;
    const sat_valid *valid;      /* which samples count, */
    const sat_view *mask;        /* and which pixels; NULL: all */
    sat_totals_scratch *scratch; /* NULL: all samples count */
} sat_channel;

int sat_totals_passes(sat_type type, const sat_rect_ask *ask);

/* Adds rows of a piece: r is the part of it that lies in the view.  Ends early with the run, and answers are then
 * undefined. */
void sat_totals_add(const sat_channel *p, const sat_rect *r, int pass, const sat_rect_ask *ask, double mean,
                    sat_totals *t);

/* Of floats, after the first pass; sets the counts of *at. */
double sat_totals_mean(sat_pieces *at, const sat_totals *t);

/* After all passes.  weighted: the sides had fractions.  Sets the counts of *at, and *f. */
sat_sum sat_totals_answer(sat_type type, sat_pieces *at, const sat_totals *t, const sat_rect_ask *ask, bool weighted,
                          sat_rect_features *f);

#endif
