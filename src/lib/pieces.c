#include "pieces.h"

#include <math.h>

sat_rect_status sat_edges_of(int64_t width, int64_t height, bool clip, const sat_rect_f64 *rect, sat_edges *e,
                             sat_rect *touched)
{
    const double right = (double)width, lower = (double)height; /* exact: at most 2^40 */
    *e = (sat_edges){rect->x, rect->y, rect->x + rect->width, rect->y + rect->height};
    if (!(e->x1 > e->x0) || !(e->y1 > e->y0)) return SAT_RECT_EMPTY; /* NaN, too */
    if (clip) {
        *e = (sat_edges){fmax(e->x0, 0), fmax(e->y0, 0), fmin(e->x1, right), fmin(e->y1, lower)};
        if (!(e->x1 > e->x0) || !(e->y1 > e->y0)) return SAT_RECT_CLIPPED_AWAY;
    } else if (e->x0 < 0 || e->y0 < 0 || e->x1 > right || e->y1 > lower) {
        return SAT_RECT_OUTSIDE;
    }
    const int64_t x = (int64_t)floor(e->x0), y = (int64_t)floor(e->y0);
    *touched = (sat_rect){.x = x, .y = y, .width = (int64_t)ceil(e->x1) - x, .height = (int64_t)ceil(e->y1) - y};
    return SAT_RECT_INSIDE;
}

/* A side's parts: [at[i], at[i + 1]) has weight[i]. */
typedef struct parts {
    int n;
    int64_t at[4];
    double weight[3];
} parts;

static void add_part(parts *p, int64_t end, double weight)
{
    p->weight[p->n++] = weight;
    p->at[p->n] = end;
}

static parts parts_of(double from, double to)
{
    const int64_t first = (int64_t)floor(from), end = (int64_t)ceil(to);
    parts p = {.at = {first}};
    if (end - first == 1) {
        add_part(&p, end, to - from);
        return p;
    }
    if (from > (double)first) add_part(&p, first + 1, (double)(first + 1) - from);
    const int64_t whole = to < (double)end ? end - 1 : end; /* where those that are covered whole end */
    if (whole > p.at[p.n]) add_part(&p, whole, 1);
    if (whole < end) add_part(&p, end, to - (double)whole);
    return p;
}

sat_pieces sat_pieces_of(const sat_edges *e)
{
    const parts columns = parts_of(e->x0, e->x1), rows = parts_of(e->y0, e->y1);
    sat_pieces p;
    p.n = 0;
    p.area = p.counted = (e->x1 - e->x0) * (e->y1 - e->y0);
    for (int j = 0; j < rows.n; j++)
        for (int i = 0; i < columns.n; i++)
            p.of[p.n++] = (sat_piece){.rect = {.x = columns.at[i],
                                               .y = rows.at[j],
                                               .width = columns.at[i + 1] - columns.at[i],
                                               .height = rows.at[j + 1] - rows.at[j]},
                                      .weight = columns.weight[i] * rows.weight[j],
                                      .count = (columns.at[i + 1] - columns.at[i]) * (rows.at[j + 1] - rows.at[j])};
    return p;
}

void sat_pieces_count(sat_pieces *p)
{
    bool all = true;
    double counted = 0;
    for (int k = 0; k < p->n; k++) {
        all = all && p->of[k].count == p->of[k].rect.width * p->of[k].rect.height;
        counted += p->of[k].weight * (double)p->of[k].count;
    }
    p->counted = all ? p->area : counted;
}

double sat_pieces_variance(const sat_pieces *p, double mean, const sat_i128 *s1, const sat_i128 *s2, double ddof)
{
    const int64_t c = sat_center_of(mean);
    double d1 = 0, d2 = 0;
    for (int k = 0; k < p->n; k++) {
        const sat_centered d = sat_centered_sums(s1[k], s2[k], p->of[k].count, c);
        d1 += p->of[k].weight * d.sum;
        d2 += p->of[k].weight * d.squares;
    }
    return sat_variance_f(p->counted, d1, d2, ddof);
}
