/* rect_values.h - the statistics of one rectangle from its sums, each by the formula of its file.
 *
 * Written once, for C and for kernels: SAT_BOTH is that of rectangle.h.  SAT_STORE stores an answer; a kernel defines
 * it before it includes this. */
#ifndef SAT_RECT_VALUES_H
#define SAT_RECT_VALUES_H

#include "moments.h"

#ifndef SAT_STORE
#define SAT_STORE(to, value) ((void)(*(to) = (value)))
#endif

/* What formulas are over; var and squares, the mean of the squares, where they are needed. */
typedef struct sat_rect_features {
    double n, mean, sum, var, squares;
} sat_rect_features;

/* The values that are asked for of one channel of a rectangle, as answer number `to`. */
SAT_BOTH void sat_rect_put(const sat_rect_ask *ask, uint64_t to, const sat_rect_features *f)
{
    const double n = f->n, mean = f->mean, sum = f->sum, var = f->var, squares = f->squares;
    const double p[SAT_PARAMETERS] = {0, 0, 0, 0};
#define SAT_STATISTIC(id, summary, equation, source, needs, threshold, set, formula)                                   \
    if (ask->values[SAT_RECT_##id]) SAT_STORE(ask->values[SAT_RECT_##id] + to, (double)(formula));
#include "rect_statistics.def"
#undef SAT_STATISTIC
    (void)n, (void)p;
}

/* Behind sat_rect_put(), where not all samples count: the area. */
SAT_BOTH void sat_rect_put_area(const sat_rect_ask *ask, uint64_t to, double area)
{
#define SAT_STATISTIC(id, summary, equation, source, needs, threshold, set, formula)                                   \
    if (((needs)&SAT_IS_AREA) && ask->values[SAT_RECT_##id]) SAT_STORE(ask->values[SAT_RECT_##id] + to, area);
#include "rect_statistics.def"
#undef SAT_STATISTIC
}

/* Those of one that is cut away, or cannot be answered: sums and areas are 0, all else is NaN. */
SAT_BOTH void sat_rect_put_nothing(const sat_rect_ask *ask, uint64_t to)
{
#define SAT_STATISTIC(id, summary, equation, source, needs, threshold, set, formula)                                   \
    if (ask->values[SAT_RECT_##id])                                                                                    \
        SAT_STORE(ask->values[SAT_RECT_##id] + to,                                                                     \
                  ((needs) & (SAT_IS_SUM | SAT_IS_COUNT | SAT_IS_AREA)) ? 0.0 : (double)NAN);
#include "rect_statistics.def"
#undef SAT_STATISTIC
}

#endif
