/* shape.h - every product of sizes is taken here, and checked.
 *
 * Sides are limited to 2^40 so that sums of a few of them never overflow; products may, and say so. */
#ifndef SAT_SHAPE_H
#define SAT_SHAPE_H

#include "types.h"

#define SAT_MAX_SIDE ((int64_t)1 << 40)

/* More threads than any machine has cores, and few enough that their scratch memory is no surprise. */
enum { SAT_MAX_THREADS = 1024 };

static inline bool sat_mul(size_t a, size_t b, size_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

/* width * height, or INT64_MAX where that does not fit: for bounds, never for allocations. */
static inline int64_t sat_area(int64_t width, int64_t height)
{
    int64_t area;
    return __builtin_mul_overflow(width, height, &area) ? INT64_MAX : area;
}

/* Are these an image's sides and channels, and a number of threads? */
sat_status sat_check_job(int64_t width, int64_t height, int channels, int threads);

/* Is the view what it claims to be: pointer, type, channels, sides, stride and alignment?
 * Sets the detail, in which `what` names the view ("image"). */
sat_status sat_check_view(const sat_view *view, const char *what);

/* The same for a view that is read or written here and now: refuses device memory. */
sat_status sat_check_host_view(const sat_view *view, const char *what);

/* Do two views in one memory overlap, from first byte to last?  Also said of views whose rows interleave. */
bool sat_overlap(const sat_view *a, const sat_view *b);

#endif
