/* border.h - what a window sees beyond the image's edge.
 *
 * A border mode is one small file with one function and a descriptor, and one line in borders.def.  The
 * function says which samples a window holds along one axis: a window [low, high) over an axis of n
 * samples becomes at most SAT_SEGMENTS weighted runs of samples that exist,
 *
 *     sum of window = sum over segments s of  weight_s * (sum of samples [begin_s, end_s))
 *
 * so a window of any size is answered from prefix sums at the same cost, and no mode ever needs an
 * enlarged copy of the image.  What the segments leave uncovered is worth border_value (modes that take
 * a value) or does not count at all (shrink).
 */
#ifndef SAT_BORDER_H
#define SAT_BORDER_H

#include "sat.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SAT_SEGMENTS = 5 };

typedef struct sat_segment {
    int64_t begin, end; /* samples, 0 <= begin < end <= n */
    int64_t weight;     /* how often the window holds them, at least 1 */
} sat_segment;

typedef struct sat_border {
    const char *name, *summary;
    bool takes_value; /* uncovered positions are worth border_value */
    bool shrinks;     /* uncovered positions do not count: the mean is over the covered ones */
    bool blurs;       /* an endless image of this mode, filtered with symmetric weights, is one of this mode again */
    bool repeats_all; /* position i sees sample i modulo n */
    /* Fills segments and returns their number, 0 if the window covers nothing. low < high, n >= 1. */
    int (*segments)(int64_t low, int64_t high, int64_t n, sat_segment segments[SAT_SEGMENTS]);
} sat_border;

#define SAT_BORDER(id) extern const sat_border sat_border_##id;
#include "borders.def"
#undef SAT_BORDER

const sat_border *sat_border_find(const char *name); /* NULL name = the first; NULL if unknown */

/* Can samples of the type have these values, one for each channel, if the mode takes values?  The type is one of
 * samples. */
sat_status sat_border_check_values(const sat_border *border, sat_type sample, int channels, const double *values);

/* What two modes share: the part of the window inside the image, and windows over an axis that is
 * mirrored at both ends, with the edge sample repeated (shared = 0) or shared by both sides (1). */
int sat_border_inside(int64_t low, int64_t high, int64_t n, sat_segment segments[SAT_SEGMENTS]);
int sat_border_mirrored(int64_t low, int64_t high, int64_t n, int shared, sat_segment segments[SAT_SEGMENTS]);

/* The one sample that position i sees, -1 if none. */
static inline int64_t sat_border_index(const sat_border *border, int64_t i, int64_t n)
{
    sat_segment s[SAT_SEGMENTS];
    if (i >= 0 && i < n) return i;
    return border->segments(i, i + 1, n, s) ? s[0].begin : -1;
}

#ifdef __cplusplus
}
#endif
#endif
