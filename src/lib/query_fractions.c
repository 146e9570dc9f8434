/* query_fractions.c - rectangles whose sides have fractions, from whole ones.
 *
 *            x0                x1        A side with fractions has up to three parts, of which each has one weight:
 *        +---:---+-------+---:---+         the column that x0 cuts (here 1/2), the columns that are covered whole (1),
 * and y0 |...:...|.......|...:...|         the column that x1 cuts (here 1/2). |   :a  |   b   | c :   |
 *        +---:---+-------+---:---+       The parts of both sides make up to nine rectangles of whole pixels (a .. i),
 * of |   :d  |   e   | f :   |       which each takes four reads, exact in tables of integers.  The sum is that of
 *        +---:---+-------+---:---+       their sums with their weights.
 *     y1 |...:g..|...h...|.i.:...|
 *        +---:---+-------+---:---+
 *
 * With T read bilinearly between its entries, the same sum is D - B - C + A at the four corners: T is linear within a
 * pixel, as the area that is covered is.  Those four values are as large as the whole image's sum and cancel; in tables
 * that wrap they mean nothing.
 *
 * Rounding, u = 2^-53.  A weight of a side is a difference of two numbers that are at most one pixel apart, wrong by at
 * most u of itself (beyond column 0 it is exact).  Then each of nine terms is rounded as the sum of its whole pixels,
 * as the product of the weights, and as their product; eight additions follow: 13 roundings, below 14 * u.
 *
 * Variances of integers are those of x - c, where c is the integer next to the mean.  The sums of x - c and (x - c)^2
 * over whole pixels are integers, too, from those of x and x^2, exactly: with |c| <= 2^32, which holds for samples, and
 * n < 2^47 entries of a table in memory, all terms are below 2^112.  The square of the mean that is left is at most
 * 1/4 and a little, so that nothing large cancels.  With D1, D2 these sums with their weights, and |D1| <= sqrt(A * D2)
 * (Cauchy and Schwarz), D2 is wrong by 14 * u * D2, D1 * D1 / A by 34 * u * D2, and D2 <= A * (v0 + 1/3). */
#include <math.h>

#include "pieces.h"
#include "status.h"
#include "table_pair.h"

/* The sums of one channel over the pieces; returns that of all with their weights. */
static double weigh(const sat_reader *r, uint64_t image, const sat_pieces *p, size_t c, sat_sum *sums)
{
    double all = 0;
    for (int k = 0; k < p->n; k++) {
        const sat_rect *rect = &p->of[k].rect;
        sums[k] = sat_rect_sum(r, sat_corners_of(r, image, rect, c), sat_rect_px(rect));
        all += p->of[k].weight * sat_sum_as_double(r->type, sums[k]);
    }
    return all;
}

/* Returns the variance of integer samples. */
static double variance_of(const sat_pair *pair, const sat_pieces *p, double mean, const sat_sum *s1, const sat_sum *s2)
{
    sat_i128 sums[9], squares[9];
    for (int k = 0; k < p->n; k++) {
        sums[k] = sat_sum_as_integer(pair->sums.type, s1[k]);
        squares[k] = sat_sum_as_integer(pair->squares.type, s2[k]);
    }
    return sat_pieces_variance(p, mean, sums, squares, (double)pair->ask.ddof);
}

void sat_pair_answer_pieces(const sat_pair *p, uint64_t image, sat_pieces *at, size_t c, size_t to)
{
    const sat_rect_ask *ask = &p->ask;
    sat_sum s1[9], s2[9];
    if (p->with_counts) {
        for (int k = 0; k < at->n; k++) at->of[k].count = sat_pair_count(p, image, &at->of[k].rect, c);
        sat_pieces_count(at);
    }
    const double n = at->counted;
    if (n == 0) {
        sat_pair_answer_nothing(p, to);
    } else {
        const double sum = weigh(&p->sums, image, at, c, s1), mean = sum / n;
        sat_rect_features f = {.n = n, .mean = mean, .sum = sum};
        if (p->with_squares) {
            const double squares = weigh(&p->squares, image, at, c, s2);
            if (ask->needs & SAT_NEEDS_VAR) {
                const bool one = sat_pieces_samples(at) == 1 && isfinite(sum);
                f.var = p->sums.whole ? variance_of(p, at, mean, s1, s2)
                                      : sat_variance_f(n, one ? 0 : sum, one ? 0 : squares, (double)ask->ddof);
            }
            f.squares = squares / n;
            sat_pair_judge(p, image, at, c, &f);
        }
        sat_pair_add_level(p, &f);
        if (ask->sums) ask->sums[to].f = f.sum;
        sat_rect_put(ask, to, &f);
    }
    sat_rect_put_area(ask, to, at->area);
}

/* The edges, cut to the image if the table clips, and the whole pixels that they touch. */
static sat_rect_status edges_of(const sat_reader *r, const sat_rect_f64 *rect, sat_edges *e, sat_rect *touched)
{
    const sat_rect_status status = sat_edges_of(r->width, r->height, r->clip, rect, e, touched);
    return status == SAT_RECT_INSIDE ? sat_rect_validate(r, touched) : status;
}

sat_rect_status sat_pair_pieces(const sat_pair *p, const sat_rect_f64 *given, sat_pieces *pieces)
{
    const sat_rect_f64 rect = *given; /* others may change it */
    sat_rect touched;
    sat_edges e;
    sat_rect_status status = edges_of(&p->sums, &rect, &e, &touched);
    if (status == SAT_RECT_INSIDE) status = sat_pair_validate(p, &touched);
    if (status == SAT_RECT_INSIDE && pieces) *pieces = sat_pieces_of(&e);
    return status;
}

sat_status sat_pair_refuse_f64(const sat_pair *p, size_t i, const sat_rect_f64 *rect)
{
    char sides[SAT_SIDES_BYTES];
    sat_edges e;
    sat_rect touched;
    sat_rect_sides_f64(rect, sides);
    if (sat_rect_has_nan(rect))
        return sat_fail(SAT_ERR_RECT, "rectangle %zu (%s) has a side that is no number", i, sides);
    sat_rect_status status = edges_of(&p->sums, rect, &e, &touched);
    if (status != SAT_RECT_INSIDE) return sat_reader_refuse(&p->sum_table, &p->sums, status, i, sides);
    return sat_pair_refuse(p, i, &touched, sides);
}
