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

sat_status sat_check_threads(int threads);

/* Are these the sides, count and channels of images, and a number of threads? */
sat_status sat_check_job(int64_t width, int64_t height, int64_t count, int channels, int threads);

/* SAT_ERR_SHAPE for images of which the address space does not hold as many. */
sat_status sat_check_images(int64_t width, int64_t height, int64_t count, int channels, sat_type type);

/* Copies the given view and fills in its defaults, if it is what it claims to be: pointer, type, channels, sides,
 * strides and alignment.  Strides that no step takes become defaults.  Every public function checks its views here,
 * once.  The detail names the view by `what` ("image"). */
sat_status sat_take_view(sat_view *view, const sat_view *given, const char *what);

/* The same for a view that is written: no two of its samples share a byte; in device memory it is plain. */
sat_status sat_take_output(sat_view *view, const sat_view *given, const char *what);

/* A view of that shape with its rows and images without gaps, data NULL: for arrays of the library's own. */
sat_view sat_packed_view(int64_t width, int64_t height, int64_t count, int channels, sat_type type, sat_memory memory);

/* The functions below take views whose defaults are filled in. */

/* Between the samples of a row; or they lie in another order. */
static inline bool sat_has_gaps(const sat_view *v)
{
    const ptrdiff_t size = (ptrdiff_t)sat_type_bytes(v->type);
    return v->pixel_bytes != v->channels * size || v->channel_bytes != size;
}

/* Do rows without gaps lie top to bottom, and images one after the other or side by side?  Devices take such views. */
bool sat_is_plain(const sat_view *view);

/* Refuses a view of which two samples share a byte, or may: so it has no more of them than its memory holds. */
sat_status sat_check_apart(const sat_view *view, const char *what);

/* Refuses a source in device memory that is not plain, unless memory to gather it in was taken. */
sat_status sat_check_strides(const sat_view *view, bool strided, const char *what);

/* Of sample c of pixel (x, y) in the first image. */
static inline void *sat_sample_at(const sat_view *v, int64_t x, int64_t y, int64_t c)
{
    return (char *)v->data + y * v->row_bytes + x * v->pixel_bytes + c * v->channel_bytes;
}

/* Is a view that a run is given one of those that its object was made for: of the same shape, type and memory, and of
 * no more images?  SAT_ERR_ARGUMENT, _SHAPE or _TYPE in words: what: "source"; object: "filter". */
sat_status sat_check_fit(const sat_view *view, const sat_view *made, const char *what, const char *object);

/* The lowest byte of a view, and how many there are up to its highest one, both included. */
char *sat_lowest(const sat_view *view);
size_t sat_extent(const sat_view *view);

/* May two views share a byte?  No, if their extents lie apart, or if they have different parts of what one of their
 * strides steps over: regions of a larger image, channels of its pixels, images in turns.  Others are taken for
 * overlapping. */
bool sat_overlap(const sat_view *a, const sat_view *b);

/* Images first .. first + count - 1 of a view; rows first .. first + rows - 1 of its images, and columns likewise. */
sat_view sat_images_of(const sat_view *view, int64_t first, int64_t count);
sat_view sat_rows_of(const sat_view *view, int64_t first, int64_t rows);
sat_view sat_columns_of(const sat_view *view, int64_t first, int64_t columns);

#endif
