/* pieces.h - a rectangle with fractions, in up to nine of whole pixels; query_fractions.c has the drawing. */
#ifndef SAT_PIECES_H
#define SAT_PIECES_H

#include "rect_values.h"

typedef struct sat_edges {
    double x0, y0, x1, y1;
} sat_edges;

/* The edges, cut to the image if `clip`, and the whole pixels that they touch: SAT_RECT_INSIDE, or what is wrong. */
sat_rect_status sat_edges_of(int64_t width, int64_t height, bool clip, const sat_rect_f64 *rect, sat_edges *e,
                             sat_rect *touched);

static inline bool sat_rect_has_nan(const sat_rect_f64 *rect)
{
    const double x1 = rect->x + rect->width, y1 = rect->y + rect->height;
    return x1 != x1 || y1 != y1;
}

/* Whole pixels with one weight. */
typedef struct sat_piece {
    sat_rect rect;
    double weight;
    int64_t count; /* of samples in it that count: all, until some are found that do not */
} sat_piece;

typedef struct sat_pieces {
    int n;
    sat_piece of[9];
    double area;    /* px */
    double counted; /* px of it that count */
} sat_pieces;

/* Returns how many samples count in all pieces. */
static inline int64_t sat_pieces_samples(const sat_pieces *p)
{
    int64_t n = 0;
    for (int k = 0; k < p->n; k++) n += p->of[k].count;
    return n;
}

/* Sets `counted` from the counts of the pieces: the area itself where all samples count. */
void sat_pieces_count(sat_pieces *p);

sat_pieces sat_pieces_of(const sat_edges *e);

/* The variance of integers, from the exact sums of the samples that count and of their squares over each piece, and
 * their mean; the head of query_fractions.c has the bound. */
double sat_pieces_variance(const sat_pieces *p, double mean, const sat_i128 *s1, const sat_i128 *s2, double ddof);

/* One of weight 1: a rectangle of whole pixels. */
static inline void sat_whole_piece(sat_pieces *p, const sat_rect *rect)
{
    p->n = 1;
    p->of[0] = (sat_piece){.rect = *rect, .weight = 1, .count = rect->width * rect->height};
    p->area = p->counted = sat_rect_px(rect);
}

#endif
