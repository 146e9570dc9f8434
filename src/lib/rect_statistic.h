/* rect_statistic.h - the table of statistics of rectangles, and what is asked of one rectangle.
 *
 * A statistic is one file in statistics/, written as statistic.h says, and one line in rect_statistics.def.  A file
 * that statistics.def includes as well is one statistic of both, windows and rectangles.  Formulas of rectangles are
 * over
 *
 *     n, mean, sum           of the samples that count in the rectangle, with fractions by the area that is covered
 *     var, squares           their variance, the mean of their squares: if they are among its needs
 *     p[0] .. p[3]           0: rectangles take no parameters */
#ifndef SAT_RECT_STATISTIC_H
#define SAT_RECT_STATISTIC_H

#include "sat_query.h"
#include "statistic.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
#define SAT_STATISTIC(id, ...) SAT_RECT_##id,
#include "rect_statistics.def"
#undef SAT_STATISTIC
    SAT_RECT_STATISTICS
};

/* sat_statistics, checked.  NULL: not asked for. */
typedef struct sat_rect_ask {
    int64_t ddof;
    sat_sum *sums;
    int64_t *areas;
    double *areas_f64;
    double *values[SAT_RECT_STATISTICS];
    unsigned needs; /* SAT_NEEDS_... of all that are asked for */
} sat_rect_ask;

/* SAT_ERR_ARGUMENT where a name is unknown, stands twice or has no place, for a ddof below 0, and for what says which
 * samples count where that is for the other: of_pixels: an image answers; else a table. */
sat_status sat_rect_ask_of(const sat_statistics *given, bool of_pixels, sat_rect_ask *ask);

/* Do the statistics that are asked for take squares? */
static inline bool sat_rect_needs_squares(const sat_rect_ask *ask)
{
    return (ask->needs & (SAT_NEEDS_VAR | SAT_NEEDS_SQUARES)) != 0;
}

/* All addresses or'ed: of arrays of 8 bytes each. */
uintptr_t sat_rect_ask_places(const sat_rect_ask *ask);

#ifdef __cplusplus
}
#endif
#endif
