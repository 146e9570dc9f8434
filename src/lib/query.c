/* query.c - rectangles answered from a table: four reads each. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "backend.h"
#include "device.h"
#include "pool.h"
#include "shape.h"
#include "sized.h"

/* Checks the table, wherever it lies, and fills in its view's defaults. */
static sat_status read_through(sat_reader *r, sat_table *t, unsigned flags)
{
    const sat_view *v = &t->view;
    sat_status status = sat_take_view(&t->view, v, "table");
    if (status != SAT_OK) return status;
    if (sat_has_gaps(v)) return sat_fail(SAT_ERR_ARGUMENT, "table: gaps between entries");
    if ((unsigned)t->layout > SAT_EXCLUSIVE) return sat_fail(SAT_ERR_ARGUMENT, "unknown layout");
    if (flags & ~(unsigned)SAT_CLIP) return sat_fail(SAT_ERR_ARGUMENT, "unknown flags");
    if (!sat_combines(t->sample, v->type))
        return sat_fail(SAT_ERR_TYPE, "there is no %s table of %s samples", sat_type_name(v->type),
                        sat_type_name(t->sample));
    if (v->type == SAT_Q32 && !sat_quant_ok(&t->quant))
        return sat_fail(SAT_ERR_ARGUMENT, "a q32 table without its fixed point");
    const bool padded = t->layout == SAT_PADDED, exclusive = t->layout == SAT_EXCLUSIVE;
    *r = (sat_reader){.origin = v->data,
                      .row_bytes = v->row_bytes,
                      .pixel_bytes = v->pixel_bytes,
                      .image_bytes = v->image_bytes,
                      .count = v->count,
                      .inclusive = t->layout == SAT_INCLUSIVE,
                      .clip = flags & SAT_CLIP,
                      .type = v->type,
                      .width = v->width - padded,
                      .height = v->height - padded,
                      .x_max = v->width - padded - exclusive,
                      .y_max = v->height - padded - exclusive,
                      .limit_px = sat_largest_area(t->sample, v->type, &t->quant),
                      .offset = t->quant.offset,
                      .step = t->quant.step};
    return r->width < 1 || r->height < 1 ? sat_fail(SAT_ERR_SHAPE, "a padded table without pixels") : SAT_OK;
}

/* What is wrong with rectangle i, in words. */
static sat_status refuse(const sat_table *t, const sat_reader *r, sat_rect_status rect_status, size_t i,
                         const sat_rect *rect)
{
    long long x = rect->x, y = rect->y, w = rect->width, h = rect->height;
    switch (rect_status) {
    case SAT_RECT_INSIDE:
    case SAT_RECT_CLIPPED_AWAY: return SAT_OK;
    case SAT_RECT_EMPTY: return sat_fail(SAT_ERR_RECT, "rectangle %zu (%lld,%lld,%lld,%lld) is empty", i, x, y, w, h);
    case SAT_RECT_OUTSIDE:
        return sat_fail(SAT_ERR_RECT, "rectangle %zu (%lld,%lld,%lld,%lld) reaches outside the %lldx%lld image", i, x,
                        y, w, h, (long long)r->width, (long long)r->height);
    case SAT_RECT_AT_EDGE:
        return sat_fail(SAT_ERR_RANGE,
                        "rectangle %zu (%lld,%lld,%lld,%lld) touches the last row or column, whose sums an exclusive "
                        "table does not hold",
                        i, x, y, w, h);
    case SAT_RECT_TOO_LARGE: break;
    }
    const char *type = sat_type_name(t->view.type);
    return sat_fail(SAT_ERR_RANGE,
                    "rectangle %zu (%lld,%lld,%lld,%lld) has more than the %lld pixels that %s %s table of %s samples "
                    "is proven to answer",
                    i, x, y, w, h, (long long)r->limit_px, type[0] == 'i' ? "an" : "a", type, sat_type_name(t->sample));
}

static sat_status check(const sat_table *t, const sat_reader *r, size_t i, const sat_rect *given)
{
    sat_rect rect = *given;
    return refuse(t, r, sat_rect_validate(r, &rect), i, given);
}

#define CORNER(type, p)   ((p) ? ((const type *)(p))[c] : 0)
#define ALL_CORNERS(type) SAT_CORNERS(type, CORNER(type, a), CORNER(type, b), CORNER(type, l), CORNER(type, d))

static sat_sum corners_of(const sat_reader *r, uint64_t image, const sat_rect *rect, size_t c)
{
    const int64_t x1 = rect->x + rect->width, y1 = rect->y + rect->height;
    const void *a = sat_entry(r, image, rect->x, rect->y), *b = sat_entry(r, image, x1, rect->y);
    const void *l = sat_entry(r, image, rect->x, y1), *d = sat_entry(r, image, x1, y1);
    switch (r->type) {
    case SAT_F32: return (sat_sum){.f = ALL_CORNERS(float)};
    case SAT_F64: return (sat_sum){.f = ALL_CORNERS(double)};
    case SAT_U32:
    case SAT_I32:
    case SAT_Q32: return (sat_sum){.u = ALL_CORNERS(uint32_t)};
    default: return (sat_sum){.u = ALL_CORNERS(uint64_t)};
    }
}

/* Rectangles worth a thread: some 100 us, ten times what it takes to wake one. */
enum { SHARE_RECTS = 4096 };

/* Rectangles in a part: so many that taking it does not count, so few that no thread waits long for the last. */
enum { PART_RECTS = 1024 };

typedef struct job {
    const sat_reader *r;
    const sat_rect *rects;
    size_t n, channels;
    sat_sum *sums;
    double *means;
    atomic_size_t *bad; /* the first rectangle that is refused; n = none */
} job;

static void check_part(void *context, int64_t part, int worker)
{
    const job *j = context;
    size_t first = (size_t)part * PART_RECTS, end = j->n - first < PART_RECTS ? j->n : first + PART_RECTS;
    (void)worker;
    for (size_t i = first; i < end; i++) {
        sat_rect rect = j->rects[i];
        sat_rect_status rect_status = sat_rect_validate(j->r, &rect);
        if (rect_status == SAT_RECT_INSIDE || rect_status == SAT_RECT_CLIPPED_AWAY) continue;
        size_t bad = atomic_load(j->bad);
        while (i < bad && !atomic_compare_exchange_weak(j->bad, &bad, i)) {}
        break;
    }
}

/* Answers are numbered through all images: image * n + rectangle. */
static void answer_part(void *context, int64_t part, int worker)
{
    const job j = *(const job *)context; /* here, no answer that is written can change it */
    const size_t all = j.n * (size_t)j.r->count, first = (size_t)part * PART_RECTS;
    const size_t end = all - first < PART_RECTS ? all : first + PART_RECTS;
    uint64_t image = first / j.n;
    size_t of = first % j.n; /* the rectangle */
    (void)worker;
    for (size_t i = first; i < end; i++) {
        sat_rect rect = j.rects[of];
        bool inside = sat_rect_validate(j.r, &rect) == SAT_RECT_INSIDE;
        double px = sat_rect_px(&rect);
        for (size_t c = 0; c < j.channels; c++) {
            sat_sum corners = inside ? corners_of(j.r, image, &rect, c) : (sat_sum){0};
            if (j.sums) j.sums[i * j.channels + c] = inside ? sat_rect_sum(j.r, corners, px) : corners;
            if (j.means) j.means[i * j.channels + c] = inside ? sat_rect_mean(j.r, corners, px) : NAN;
        }
        if (++of == j.n) of = 0, image++;
    }
}

static sat_status answer(const sat_table *t, const sat_reader *r, const sat_rect *rects, size_t n,
                         const sat_executor *executor, int threads, sat_sum *sums, double *means)
{
    atomic_size_t bad = n;
    int64_t parts = (int64_t)((n + PART_RECTS - 1) / PART_RECTS);
    job j = {.r = r,
             .rects = rects,
             .n = n,
             .channels = (size_t)t->view.channels,
             .sums = sums,
             .means = means,
             .bad = &bad};
    threads = sat_threads_worth((double)n * (double)r->count, SHARE_RECTS, threads ? threads : sat_processors());
    sat_parallel_on(executor, threads, parts, check_part, &j);
    size_t first_bad = atomic_load(&bad);
    if (first_bad < n) return check(t, r, first_bad, &rects[first_bad]);
    if (n == 0) return SAT_OK;
    sat_parallel_on(executor, threads, sat_parts((int64_t)(n * (size_t)r->count), PART_RECTS), answer_part, &j);
    return SAT_OK;
}

static sat_status check_threads(int threads)
{
    return threads >= 0 && threads <= SAT_MAX_THREADS
               ? SAT_OK
               : sat_fail(SAT_ERR_ARGUMENT, "%d threads; 1 to %d are possible", threads, SAT_MAX_THREADS);
}

sat_status sat_table_query_sized(const sat_table *table, const sat_rect *rects, size_t n, unsigned flags, int threads,
                                 sat_sum *sums, double *means, size_t table_bytes)
{
    sat_table t;
    sat_reader r = {0};
    sat_status status = sat_take_struct(&t, sizeof t, table, table_bytes, "table");
    if (status != SAT_OK) return status;
    if (rects == NULL && n > 0) return sat_fail(SAT_ERR_ARGUMENT, "no rectangles");
    if (t.view.memory == SAT_DEVICE)
        return sat_fail(SAT_ERR_UNAVAILABLE,
                        "table: lies in device memory; query it with sat_query_create, or copy it to "
                        "the host first (sat_device_copy)");
    status = read_through(&r, &t, flags);
    if (status != SAT_OK) return status;
    status = check_threads(threads);
    if (status != SAT_OK) return status;
    return answer(&t, &r, rects, n, NULL, threads, sums, means);
}

/* ---- a table that is queried many times, perhaps on a device ------------------------------------------- */

struct sat_query {
    sat_arena arena; /* the query and all that it holds */
    sat_query_spec spec;
    sat_table table;
    sat_reader reader;
    const sat_device *device;  /* NULL: a table on the host */
    sat_bad_rects *bad, *seen; /* on the device, and a copy here */
};

static sat_view flat(void *data, size_t bytes, sat_memory memory)
{
    sat_view v = sat_packed_view((int64_t)bytes, 1, 1, 1, SAT_U8, memory);
    v.data = data;
    return v;
}

static sat_status forget(sat_query *q, void *stream)
{
    return q->device->fill(q->bad, 0xff, sizeof *q->bad, stream);
}

static sat_status open_device(sat_query *q)
{
    const char *why;
    void *bad;
    q->device = sat_device_get(&why);
    if (q->device == NULL) return sat_fail(SAT_ERR_UNAVAILABLE, "no device: %s", why);
    q->seen = sat_arena_alloc(&q->arena, sizeof *q->seen);
    if (q->seen == NULL) return SAT_ERR_MEMORY;
    sat_status status = sat_arena_take(&q->arena, SAT_MEMORY_DEVICE, sizeof *q->bad, &bad);
    if (status != SAT_OK) return status;
    q->bad = bad;
    status = forget(q, NULL);
    return status == SAT_OK ? q->device->wait(NULL) : status;
}

sat_status sat_query_create_sized(sat_query **query, const sat_table *table, const sat_query_spec *given,
                                  size_t table_bytes, size_t spec_bytes)
{
    sat_table t;
    sat_reader r;
    sat_query_spec spec = {0};
    if (query == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no place for the query");
    *query = NULL;
    sat_status status = sat_take_struct(&t, sizeof t, table, table_bytes, "table");
    if (status == SAT_OK && given) status = sat_take_struct(&spec, sizeof spec, given, spec_bytes, "spec");
    if (status == SAT_OK) status = check_threads(spec.threads);
    if (status == SAT_OK) status = sat_check_executor(spec.executor);
    if (status == SAT_OK) status = sat_check_allocator(spec.allocator);
    if (status == SAT_OK) status = read_through(&r, &t, spec.flags);
    if (status != SAT_OK) return status;
    sat_arena arena = {.allocator = spec.allocator};
    sat_query *q = sat_arena_zeros(&arena, sizeof *q);
    if (q == NULL) return SAT_ERR_MEMORY;
    q->arena = arena;
    q->spec = spec;
    q->table = t;
    q->reader = r;
    if (t.view.memory == SAT_DEVICE) status = open_device(q);
    if (status == SAT_OK)
        *query = q;
    else
        sat_query_destroy(&q);
    return status;
}

void sat_query_destroy(sat_query **query)
{
    if (query == NULL || *query == NULL) return;
    sat_arena arena = (*query)->arena;
    sat_arena_reset(&arena, NULL);
    *query = NULL;
}

sat_status sat_query_run(sat_query *q, const sat_rect *rects, size_t n, sat_sum *sums, double *means, void *stream)
{
    if (q == NULL || (rects == NULL && n > 0)) return sat_fail(SAT_ERR_ARGUMENT, "no query or no rectangles");
    if (q->device == NULL)
        return answer(&q->table, &q->reader, rects, n, q->spec.executor, q->spec.threads, sums, means);
    if (((uintptr_t)rects | (uintptr_t)sums | (uintptr_t)means) % 8 != 0)
        return sat_fail(SAT_ERR_ARGUMENT, "rectangles, sums or means: not aligned to 8 bytes");
    if (n == 0) return SAT_OK;
    return q->device->query(&q->reader, q->table.view.channels, rects, n, sums, means, q->bad, stream);
}

sat_status sat_query_wait(sat_query *q, void *stream)
{
    if (q == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no query");
    if (q->device == NULL) return SAT_OK;
    sat_status status = sat_device_may_wait(q->device, stream);
    if (status != SAT_OK) return status;
    /* Mostly there is none, and a word to copy. */
    sat_view here = flat(q->bad, sizeof q->bad->none, SAT_DEVICE), there = flat(q->seen, here.row_bytes, SAT_HOST);
    status = q->device->copy(&here, &there, stream);
    if (status != SAT_OK || q->seen->none) return status;
    here = flat(q->bad, sizeof *q->bad, SAT_DEVICE), there = flat(q->seen, sizeof *q->seen, SAT_HOST);
    status = q->device->copy(&here, &there, stream);
    if (status == SAT_OK) status = forget(q, stream);
    if (status == SAT_OK) status = q->device->wait(stream);
    if (status != SAT_OK) return status;
    const sat_bad_rect *first = q->seen->of;
    for (size_t b = 1; b < SAT_QUERY_BLOCKS; b++)
        if (q->seen->of[b].index < first->index) first = &q->seen->of[b];
    return check(&q->table, &q->reader, (size_t)first->index, &first->rect);
}
