/* reader.h - what all questions to tables share on the host: the table and the rectangles checked, four corners read.
 */
#ifndef SAT_READER_H
#define SAT_READER_H

#include <math.h>

#include "rectangle.h"
#include "run.h"

/* Rectangles worth a thread: some 100 us, ten times what it takes to wake one. */
enum { SAT_SHARE_RECTS = 4096 };

/* Rectangles in a part: so many that taking it does not count, so few that no thread waits long for the last. */
enum { SAT_PART_RECTS = 1024 };

/* What a part takes one thread, about, in microseconds: with corners that are not in the caches, and variances. */
#define SAT_PART_US 100.0

/* So far ahead corners are asked for: some 100 instructions a rectangle, while memory takes some 1000 to answer. */
enum { SAT_AHEAD_RECTS = 8 };

/* Checks the table, wherever it lies, and fills in its defaults. */
sat_status sat_reader_open(sat_reader *r, sat_table *t, unsigned flags);

/* SAT_OK, or what is wrong with rectangle i, in words. */
sat_status sat_reader_check(const sat_table *t, const sat_reader *r, size_t i, const sat_rect *given);

/* *bad becomes the first of n rectangles that status_of() finds wrong; n if there is none.  SAT_OK or
 * SAT_ERR_CANCELLED.
 */
typedef sat_rect_status sat_rect_check(const void *context, size_t i);
sat_status sat_first_bad(const sat_run *run, const sat_executor *executor, int threads, size_t n,
                         sat_rect_check *status_of, const void *context, size_t *bad);

/* "x=0, y=0, width=1, height=1"; returns the buffer. */
enum { SAT_SIDES_BYTES = 160 };
const char *sat_rect_sides(const sat_rect *rect, char sides[SAT_SIDES_BYTES]);
const char *sat_rect_sides_f64(const sat_rect_f64 *rect, char sides[SAT_SIDES_BYTES]);

/* The words of a status; SAT_OK if nothing is wrong.  sides: as above.  t: NULL for what is no table. */
sat_status sat_reader_refuse(const sat_table *t, const sat_reader *r, sat_rect_status rect_status, size_t i,
                             const char *sides);

/* sat_reader_check() for the first of n rectangles with which anything is wrong. */
sat_status sat_reader_check_all(const sat_table *t, const sat_reader *r, const sat_rect *rects, size_t n,
                                const sat_run *run, const sat_executor *executor, int threads);

#define SAT_CORNER(type, p) ((p) ? *(const type *)(const void *)((const char *)(p) + at) : 0)
#define SAT_ALL_CORNERS(type)                                                                                          \
    SAT_CORNERS(type, SAT_CORNER(type, a), SAT_CORNER(type, b), SAT_CORNER(type, l), SAT_CORNER(type, d))

static inline sat_sum sat_corners_of(const sat_reader *r, uint64_t image, const sat_rect *rect, size_t c)
{
    const int64_t x1 = rect->x + rect->width, y1 = rect->y + rect->height;
    const ptrdiff_t at = (ptrdiff_t)c * r->channel_bytes;
    const void *a = sat_entry(r, image, rect->x, rect->y), *b = sat_entry(r, image, x1, rect->y);
    const void *l = sat_entry(r, image, rect->x, y1), *d = sat_entry(r, image, x1, y1);
    switch (r->type) {
    case SAT_F32: return (sat_sum){.f = SAT_ALL_CORNERS(float)};
    case SAT_F64: return (sat_sum){.f = SAT_ALL_CORNERS(double)};
    case SAT_U32:
    case SAT_I32:
    case SAT_Q32: return (sat_sum){.u = SAT_ALL_CORNERS(uint32_t)};
    default: return (sat_sum){.u = SAT_ALL_CORNERS(uint64_t)};
    }
}

/* Returns the largest magnitude of the entries at the four corners of a rectangle, in a table of f32 or f64. */
static inline double sat_largest_corner(const sat_reader *r, uint64_t image, const sat_rect *rect, size_t c)
{
    double largest = 0;
    for (int i = 0; i < 4; i++) {
        const char *entry =
            sat_entry(r, image, rect->x + (i & 1 ? rect->width : 0), rect->y + (i & 2 ? rect->height : 0));
        if (entry == NULL) continue;
        entry += (ptrdiff_t)c * r->channel_bytes;
        const double value =
            r->type == SAT_F32 ? (double)*(const float *)(const void *)entry : *(const double *)(const void *)entry;
        largest = fmax(largest, fabs(value));
    }
    return largest;
}

/* Where the four corners of a rectangle lie, whatever it holds: no address is read, and they may be none. */
static inline void sat_corner_places(const sat_reader *r, uint64_t image, const sat_rect *rect, uintptr_t to[4])
{
    const size_t row = (size_t)r->row_bytes, pixel = (size_t)r->pixel_bytes; /* modulo 2^64, as addresses */
    const size_t across = (size_t)rect->width * pixel, down = (size_t)rect->height * row;
    to[0] = (uintptr_t)r->origin + image * (size_t)r->image_bytes + (size_t)rect->y * row + (size_t)rect->x * pixel -
            (r->inclusive ? row + pixel : 0);
    to[1] = to[0] + across;
    to[2] = to[0] + down;
    to[3] = to[1] + down;
}

/* Asks for the corners of a rectangle that is answered soon.  A function of prefetches alone has no effect in gcc's
 * eyes, which leaves out its calls: hence a macro. */
#define SAT_PREFETCH_CORNERS(r, image, rect)                                                                           \
    do {                                                                                                               \
        uintptr_t places[4];                                                                                           \
        sat_corner_places(r, image, rect, places);                                                                     \
        for (int corner = 0; corner < 4; corner++) __builtin_prefetch((const void *)places[corner]);                   \
    } while (0)

#undef SAT_CORNER
#undef SAT_ALL_CORNERS

#endif
