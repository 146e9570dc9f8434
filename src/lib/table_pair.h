/* table_pair.h - the table of sums, that of squares and that of counts, opened for one question to all. */
#ifndef SAT_TABLE_PAIR_H
#define SAT_TABLE_PAIR_H

#include "pieces.h"
#include "reader.h"
#include "rect_values.h"

typedef struct sat_pair {
    sat_statistics given;
    sat_rect_ask ask;
    double *means; /* beside what is asked; or NULL */
    sat_table sum_table, square_table, count_table;
    sat_reader sums, squares, counts;
    size_t channels;
    bool with_squares;  /* squares are needed, and open */
    bool with_counts;   /* counts are open */
    double level;       /* what was subtracted from the samples */
    int threads;        /* that answer the query */
    int64_t *imprecise; /* sat_statistics.imprecise; NULL: not wanted */
} sat_pair;

/* Checks what is asked and the tables that it needs; n rectangles are asked of them. */
sat_status sat_pair_open(sat_pair *p, const sat_table *sums, const sat_table *squares, size_t n,
                         const sat_statistics *ask, size_t table_bytes, size_t ask_bytes);

/* The table of squares is missing: SAT_ERR_ARGUMENT. */
sat_status sat_pair_needs_squares(void);

/* SAT_ERR_ARGUMENT if answers of this table need the counts, which are not given. */
sat_status sat_pair_needs_counts(const sat_table *sums);

/* Is the table of sums none of squares? */
sat_status sat_pair_check_sums(const sat_pair *p);

/* Are both of one image, the table of squares one, and that of sums none? */
sat_status sat_pair_check(const sat_pair *p);

/* Whether all of its tables can answer a rectangle, which is cut to the image if they clip: all cut it alike. */
static inline sat_rect_status sat_pair_validate(const sat_pair *p, sat_rect *rect)
{
    sat_rect_status status = sat_rect_validate(&p->sums, rect);
    if (status == SAT_RECT_INSIDE && p->with_squares) status = sat_rect_validate(&p->squares, rect);
    return status == SAT_RECT_INSIDE && p->with_counts ? sat_rect_validate(&p->counts, rect) : status;
}

/* The words of sat_pair_validate()'s answer for rectangle i, whose whole pixels are rect; sides: sat_rect_sides(). */
sat_status sat_pair_refuse(const sat_pair *p, size_t i, const sat_rect *rect, const char *sides);

/* How many samples of one channel count in a rectangle of whole pixels inside the image. */
static inline int64_t sat_pair_count(const sat_pair *p, uint64_t image, const sat_rect *rect, size_t c)
{
    const int64_t px = rect->width * rect->height;
    if (!p->with_counts) return px;
    const sat_sum n = sat_corners_of(&p->counts, image, rect, c);
    if (p->counts.type == SAT_F64) return n.f < (double)px ? (n.f >= 1 ? (int64_t)n.f : 0) : n.f == n.f ? px : 0;
    return n.u < (uint64_t)px ? (int64_t)n.u : px;
}

/* Rectangles with fractions (query_fractions.c): the pieces of one, or NULL, if all of the tables can answer it; the
 * answers of one channel from these, as number `to`; and what is wrong with rectangle i, in words. */
sat_rect_status sat_pair_pieces(const sat_pair *p, const sat_rect_f64 *rect, sat_pieces *pieces);
void sat_pair_answer_pieces(const sat_pair *p, uint64_t image, sat_pieces *pieces, size_t c, size_t to);
sat_status sat_pair_refuse_f64(const sat_pair *p, size_t i, const sat_rect_f64 *rect);

/* Answers whole rectangles, or says what is wrong with the first that is refused (query_statistics.c). */
sat_status sat_pair_answer(const sat_pair *p, const sat_run *run, const sat_rect *rects, size_t n);

/* Adds the level to the mean, the sum and the mean of the squares of n samples less the level. */
static inline void sat_pair_add_level(const sat_pair *p, sat_rect_features *f)
{
    if (p->level == 0) return;
    const double mean = f->mean + p->level;
    /* The variance of all n, and not less than 0 after rounding, beside the square of the mean. */
    f->squares = fmax(0, f->squares - f->mean * f->mean) + mean * mean;
    f->mean = mean;
    f->sum += f->n * p->level;
}

/* Counts channel c of a rectangle, in pieces, as imprecise if its variance or mean square, as far as these are asked
 * for, may be (sat.h has the estimate). The features are those of the samples less the level. */
void sat_pair_judge(const sat_pair *p, uint64_t image, const sat_pieces *at, size_t c, const sat_rect_features *f);

/* The answers of a rectangle that is cut away, or in which no sample counts: sums, counts and areas of 0, and NaN. */
void sat_pair_answer_nothing(const sat_pair *p, size_t to);

#endif
