/* query.c - rectangles answered from a table: four reads each. */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "backend.h"
#include "shape.h"

/* A table read through its prefix sums: at(x, y) = sum of the first x columns of the first y rows. */
typedef struct reader {
    const char *origin; /* the entry of x = y = 0, which an inclusive table does not hold */
    size_t row_bytes, pixel_bytes;
    bool inclusive;
    int64_t width, height; /* of the image */
    int64_t x_max, y_max;  /* the largest x and y that the table has entries for */
} reader;

static reader reader_of(const sat_table *t)
{
    const sat_view *v = &t->view;
    reader r = {.row_bytes = v->row_bytes, .pixel_bytes = (size_t)v->channels * sat_type_bytes(v->type)};
    r.origin = v->data;
    r.inclusive = t->layout == SAT_INCLUSIVE;
    r.width = v->width - (t->layout == SAT_PADDED);
    r.height = v->height - (t->layout == SAT_PADDED);
    r.x_max = r.width - (t->layout == SAT_EXCLUSIVE);
    r.y_max = r.height - (t->layout == SAT_EXCLUSIVE);
    return r;
}

/* NULL stands for zeros: the row and column that an inclusive table leaves out. */
static const void *at(const reader *r, int64_t x, int64_t y)
{
    if (r->inclusive && (x == 0 || y == 0)) return NULL;
    return r->origin + (size_t)(y - r->inclusive) * r->row_bytes + (size_t)(x - r->inclusive) * r->pixel_bytes;
}

static bool clip(sat_rect *rect, const reader *r)
{
    int64_t x1, y1;
    if (__builtin_add_overflow(rect->x, rect->width, &x1)) x1 = INT64_MAX;
    if (__builtin_add_overflow(rect->y, rect->height, &y1)) y1 = INT64_MAX;
    if (rect->x < 0) rect->x = 0;
    if (rect->y < 0) rect->y = 0;
    if (x1 > r->width) x1 = r->width;
    if (y1 > r->height) y1 = r->height;
    rect->width = x1 - rect->x;
    rect->height = y1 - rect->y;
    return rect->width > 0 && rect->height > 0;
}

/* The largest rectangle that the table is proven to answer, in pixels. */
static int64_t largest_area(const sat_table *t)
{
    uint64_t largest = t->view.type == SAT_Q32 ? t->quant.largest : sat_sample_max(t->sample), limit;
    switch (t->view.type) {
    case SAT_U32:
    case SAT_Q32: limit = UINT32_MAX; break;
    case SAT_U64: limit = UINT64_MAX; break;
    case SAT_I64: limit = INT64_MAX; break;
    default: return INT64_MAX;
    }
    uint64_t area = largest ? limit / largest : 0;
    return area < INT64_MAX ? (int64_t)area : INT64_MAX;
}

static sat_status check(const sat_table *t, const reader *r, size_t i, const sat_rect *given, unsigned flags,
                        int64_t limit_px)
{
    sat_rect rect = *given;
    long long x = given->x, y = given->y, w = given->width, h = given->height, W = r->width, H = r->height;
    if (w < 1 || h < 1) return sat_fail(SAT_ERR_RECT, "rectangle %zu (%lld,%lld,%lld,%lld) is empty", i, x, y, w, h);
    if (flags & SAT_CLIP) {
        if (!clip(&rect, r)) return SAT_OK;
    } else if (x < 0 || y < 0 || x > W - w || y > H - h) {
        return sat_fail(SAT_ERR_RECT, "rectangle %zu (%lld,%lld,%lld,%lld) reaches outside the %lldx%lld image", i, x,
                        y, w, h, W, H);
    }
    if (rect.x + rect.width > r->x_max || rect.y + rect.height > r->y_max)
        return sat_fail(SAT_ERR_RANGE,
                        "rectangle %zu (%lld,%lld,%lld,%lld) touches the last row or column, whose sums an exclusive "
                        "table does not hold",
                        i, x, y, w, h);
    if (sat_area(rect.width, rect.height) > limit_px)
        return sat_fail(SAT_ERR_RANGE,
                        "rectangle %zu (%lld,%lld,%lld,%lld) has more than the %lld pixels that a %s table of %s "
                        "samples is proven to answer",
                        i, x, y, w, h, (long long)limit_px, sat_type_name(t->view.type), sat_type_name(t->sample));
    return SAT_OK;
}

/* D - B - C + A for each channel, in the table's own arithmetic. */
#define CORNERS(type)                                                                                                  \
    do {                                                                                                               \
        type corners = ((const type *)d)[c];                                                                           \
        if (b) corners = (type)(corners - ((const type *)b)[c]);                                                       \
        if (l) corners = (type)(corners - ((const type *)l)[c]);                                                       \
        if (a) corners = (type)(corners + ((const type *)a)[c]);                                                       \
        value = corners;                                                                                               \
    } while (0)

static void answer(const sat_table *t, const reader *r, sat_rect rect, int c, sat_sum *sum, double *mean)
{
    double area = (double)rect.width * (double)rect.height;
    const void *a = at(r, rect.x, rect.y), *b = at(r, rect.x + rect.width, rect.y);
    const void *l = at(r, rect.x, rect.y + rect.height), *d = at(r, rect.x + rect.width, rect.y + rect.height);
    if (t->view.type == SAT_F32 || t->view.type == SAT_F64) {
        double value;
        if (t->view.type == SAT_F32)
            CORNERS(float);
        else
            CORNERS(double);
        sum->f = value;
        *mean = value / area;
        return;
    }
    uint64_t value;
    if (t->view.type == SAT_U32 || t->view.type == SAT_Q32)
        CORNERS(uint32_t);
    else
        CORNERS(uint64_t);
    sum->u = value;
    *mean = (t->view.type == SAT_I64 ? (double)(int64_t)value : (double)value) / area;
    if (t->view.type == SAT_Q32) {
        *mean = t->quant.offset + t->quant.step * *mean;
        sum->f = t->quant.offset * area + t->quant.step * (double)value;
    }
}

sat_status sat_table_query(const sat_table *t, const sat_rect *rects, size_t n, unsigned flags, int threads,
                           sat_sum *sums, double *means)
{
    if (t == NULL || (rects == NULL && n > 0)) return sat_fail(SAT_ERR_ARGUMENT, "no table or no rectangles");
    sat_status status = sat_check_host_view(&t->view, "table");
    if (status != SAT_OK) return status;
    if ((unsigned)t->layout > SAT_EXCLUSIVE) return sat_fail(SAT_ERR_ARGUMENT, "unknown layout");
    if (flags & ~(unsigned)SAT_CLIP) return sat_fail(SAT_ERR_ARGUMENT, "unknown flags");
    if (threads < 0 || threads > SAT_MAX_THREADS) return sat_fail(SAT_ERR_ARGUMENT, "%d threads", threads);
    if (!sat_combines(t->sample, t->view.type))
        return sat_fail(SAT_ERR_TYPE, "there is no %s table of %s samples", sat_type_name(t->view.type),
                        sat_type_name(t->sample));
    if (t->view.type == SAT_Q32 && !sat_quant_ok(&t->quant))
        return sat_fail(SAT_ERR_ARGUMENT, "a q32 table without its fixed point");
    reader r = reader_of(t);
    if (r.width < 1 || r.height < 1) return sat_fail(SAT_ERR_SHAPE, "a padded table without pixels");
    int64_t limit_px = largest_area(t);
    for (size_t i = 0; i < n; i++) {
        status = check(t, &r, i, &rects[i], flags, limit_px);
        if (status != SAT_OK) return status;
    }

    size_t channels = (size_t)t->view.channels;
    /* Below a few thousand rectangles, waking the other cores costs more than it saves. */
#pragma omp parallel for if (n > 4096) num_threads(threads ? threads : omp_get_num_procs()) schedule(static)
    for (size_t i = 0; i < n; i++) {
        sat_rect rect = rects[i];
        bool inside = !(flags & SAT_CLIP) || clip(&rect, &r);
        for (size_t c = 0; c < channels; c++) {
            sat_sum sum = {0};
            double mean = NAN;
            if (inside) answer(t, &r, rect, (int)c, &sum, &mean);
            if (sums) sums[i * channels + c] = sum;
            if (means) means[i * channels + c] = mean;
        }
    }
    return SAT_OK;
}
