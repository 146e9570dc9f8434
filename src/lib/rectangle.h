/* rectangle.h - one rectangle of one table: validation, the addresses of its corners, its sum and mean.
 *
 * Written once, for C and for kernels (kernels/query/query.cu), so that both give the same bits.  A kernel defines two
 * macros before it includes this.  SAT_BOTH makes a function the device's.  SAT_PRODUCT is a product that is rounded
 * before anything is added to it, as C11 rounds it; device compilers would fuse the two operations. */
#ifndef SAT_RECTANGLE_H
#define SAT_RECTANGLE_H

#include "rect_statistic.h"

#ifndef SAT_BOTH
#define SAT_BOTH          static inline
#define SAT_PRODUCT(a, b) ((a) * (b))
#endif

/* A table read through its prefix sums: entry (x, y) is the sum of the first x columns of the first y rows. */
typedef struct sat_reader {
    const char *origin; /* the entry of x = y = 0, which an inclusive table does not hold */
    ptrdiff_t row_bytes, pixel_bytes, image_bytes;
    ptrdiff_t channel_bytes; /* that of the type, in device memory */
    int64_t count;           /* images, each of which answers all rectangles */
    bool inclusive, clip;
    sat_type type;
    int64_t width, height; /* of the image */
    int64_t x_max, y_max;  /* the largest x and y that the table has entries for */
    int64_t limit_px;      /* the largest rectangle that the table is proven to answer */
    bool whole;            /* the samples are integers, so entries of f32 and f64 are integers, too */
    double offset, step;   /* q32 */
} sat_reader;

typedef enum sat_rect_status {
    SAT_RECT_INSIDE,
    SAT_RECT_CLIPPED_AWAY, /* clipped, and nothing is left: no error, and no sum          */
    SAT_RECT_EMPTY,        /* this and the following are errors                           */
    SAT_RECT_OUTSIDE,      /* reaches outside the image                                   */
    SAT_RECT_AT_EDGE,      /* its sums are those that an exclusive table leaves out       */
    SAT_RECT_TOO_LARGE     /* for what the type is proven to hold                         */
} sat_rect_status;

/* Validates the rectangle, after clipping it to the image if the table clips. */
SAT_BOTH sat_rect_status sat_rect_validate(const sat_reader *r, sat_rect *rect)
{
    if (rect->width < 1 || rect->height < 1) return SAT_RECT_EMPTY;
    if (r->clip) {
        int64_t x1 = rect->x > INT64_MAX - rect->width ? INT64_MAX : rect->x + rect->width;
        int64_t y1 = rect->y > INT64_MAX - rect->height ? INT64_MAX : rect->y + rect->height;
        if (rect->x < 0) rect->x = 0;
        if (rect->y < 0) rect->y = 0;
        if (x1 > r->width) x1 = r->width;
        if (y1 > r->height) y1 = r->height;
        if (x1 <= rect->x || y1 <= rect->y) return SAT_RECT_CLIPPED_AWAY;
        rect->width = x1 - rect->x;
        rect->height = y1 - rect->y;
    } else if (rect->x < 0 || rect->y < 0 || rect->x > r->width - rect->width || rect->y > r->height - rect->height) {
        return SAT_RECT_OUTSIDE;
    }
    if (rect->x + rect->width > r->x_max || rect->y + rect->height > r->y_max) return SAT_RECT_AT_EDGE;
    /* No overflow: a table has as many entries and fits the address space; of other images it was checked. */
    if (rect->width * rect->height > r->limit_px) return SAT_RECT_TOO_LARGE;
    return SAT_RECT_INSIDE;
}

/* The entry of image i; NULL stands for zeros: the row and column that an inclusive table leaves out. */
SAT_BOTH const void *sat_entry(const sat_reader *r, uint64_t i, int64_t x, int64_t y)
{
    if (r->inclusive && (x == 0 || y == 0)) return NULL;
    return r->origin + (int64_t)i * r->image_bytes + (y - r->inclusive) * r->row_bytes +
           (x - r->inclusive) * r->pixel_bytes;
}

/* D - B - C + A in the table's own arithmetic: integers wrap, floats are rounded at each step. */
#define SAT_CORNERS(type, a, b, c, d) ((type)((type)((type)((d) - (b)) - (c)) + (a)))

/* In double, which is exact up to 2^53 pixels. */
SAT_BOTH double sat_rect_px(const sat_rect *rect)
{
    return (double)rect->width * (double)rect->height;
}

/* The sum of a rectangle of so many pixels from its corners: u or i for integers, u for q32, f for floats. */
SAT_BOTH sat_sum sat_rect_sum(const sat_reader *r, sat_sum corners, double px)
{
    const double quanta = (double)corners.u;
    const int32_t low = (int32_t)corners.u;
    if (r->type == SAT_I32) corners.i = low;
    if (r->type == SAT_Q32) corners.f = SAT_PRODUCT(r->offset, px) + SAT_PRODUCT(r->step, quanta);
    return corners;
}

SAT_BOTH double sat_rect_mean(const sat_reader *r, sat_sum corners, double px)
{
    if (r->type == SAT_F32 || r->type == SAT_F64) return corners.f / px;
    if (r->type == SAT_I64) return (double)corners.i / px;
    if (r->type == SAT_I32) return (double)(int32_t)corners.u / px;
    double mean = (double)corners.u / px;
    return r->type == SAT_Q32 ? r->offset + SAT_PRODUCT(r->step, mean) : mean;
}

/* The invalid rectangles that runs on a device have found since these bytes were all 0xff: for each block of a kernel
 * the one with the lowest index. */
typedef struct sat_bad_rect {
    uint64_t index; /* of the answer: image * n + that of the rectangle; UINT64_MAX: none */
    sat_rect rect;
} sat_bad_rect;
enum { SAT_QUERY_BLOCKS = 4096 };
typedef struct sat_bad_rects {
    uint64_t none; /* 0 when there is one */
    sat_bad_rect of[SAT_QUERY_BLOCKS];
} sat_bad_rects;

/* Rectangles asked of a table of sums and one of squares, all in device memory. */
typedef struct sat_rect_question {
    sat_reader sums, squares;
    int channels;
    bool with_squares; /* what is asked needs them */
    const sat_rect *rects;
    size_t n;
    sat_rect_ask ask;
    sat_bad_rects *bad;
} sat_rect_question;

#endif
