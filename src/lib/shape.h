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

/* Are these the sides, count and channels of images, and a number of threads? */
sat_status sat_check_job(int64_t width, int64_t height, int64_t count, int channels, int threads);

/* Copies the given view and fills in its defaults, if it is what it claims to be: pointer, type, channels, sides,
 * strides and alignment.  Every public function checks its views here, once.  The detail names
 * the view by `what` ("image"). */
sat_status sat_take_view(sat_view *view, const sat_view *given, const char *what);

/* The same for a view that is written: its pixels have no gaps, and its images lie one after the other, or side by side
 * in each row. */
sat_status sat_take_output(sat_view *view, const sat_view *given, const char *what);

/* A view of that shape with its rows and images without gaps, data NULL: for arrays of the library's own. */
sat_view sat_packed_view(int64_t width, int64_t height, int64_t count, int channels, sat_type type, sat_memory memory);

/* The functions below take views whose defaults are filled in. */

static inline bool sat_has_gaps(const sat_view *view) /* between pixels */
{
    return view->pixel_bytes != (size_t)view->channels * sat_type_bytes(view->type);
}

/* Is a view that a run is given one of those that its object was made for: of the same shape, type and memory, and of
 * no more images?  SAT_ERR_ARGUMENT, _SHAPE or _TYPE in words: what: "source"; object: "filter". */
sat_status sat_check_fit(const sat_view *view, const sat_view *made, const char *what, const char *object);

/* Bytes from the first of a view to its last, both included. */
size_t sat_extent(const sat_view *view);

/* May two views share a byte?  No, if their extents lie apart, or if they have different parts of each pixel, each row
 * or each image of one of them: regions of a larger image, channels of its pixels, images in turns.  Others are taken
 * for overlapping. */
bool sat_overlap(const sat_view *a, const sat_view *b);

/* Images first .. first + count - 1 of a view; and rows first .. first + rows - 1 of its images. */
sat_view sat_images_of(const sat_view *view, int64_t first, int64_t count);
sat_view sat_rows_of(const sat_view *view, int64_t first, int64_t rows);

#endif
