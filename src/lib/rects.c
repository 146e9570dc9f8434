/* rects.c - rectangles of an image that comes by rows.
 *
 *     rows    0 |  a            Rectangles lie in the order of their first rows.  Those that rows have reached and not
 *             1 |  a  b         left are open: their totals (rect_totals.h) take what lies in the rows.  A run of rows
 *             2 |     b         that are needed without a gap is a span: here [0, 3) and [5, 7).
 *             3 |
 *             4 |               A total goes on with each row where it stopped, in the order of rows, so that sums of
 *             5 |        c      floats are those of the whole image.
 *             6 |        c  */
#include "sat_rects.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "choose.h"
#include "pool.h"
#include "rects_table.h"
#include "samples.h"
#include "sized.h"

SAT_NO_PADDING_BEHIND(sat_rects_spec, allocator);

typedef struct entry {
    sat_rect touched;
    sat_edges edges;
    size_t index;
    size_t totals; /* the first of its first image; pieces * channels for each image */
} entry;

struct sat_rects {
    sat_arena arena; /* the object and all that it holds */
    sat_rects_spec spec;
    sat_rect_job job;
    entry *entries; /* of what is inside the image, in the order of first rows */
    size_t entries_n;
    sat_totals *totals;
    size_t totals_n;
    size_t *open; /* numbers of entries; */
    size_t open_n, begun;
    int pass, passes;
    int64_t next, end; /* rows of the span that are still needed */
    sat_rects_table table;
    /* Of a run. */
    int64_t top; /* the row that job.image begins with */
    bool tabled; /* its tables are made */
    size_t part_rects;
};

/* ---- one rectangle ------------------------------------------------------------------------------------- */

static void add_one(const sat_rects *r, const entry *e, int64_t image, int worker)
{
    const sat_rect_job *j = &r->job;
    const int64_t top = r->top, end = top + j->image.height;
    sat_totals_scratch own;
    sat_pieces at;
    sat_rect_job_pieces(j, &e->touched, &e->edges, &at);
    for (int c = 0; c < j->image.channels; c++) {
        const sat_channel p = sat_rect_job_channel(j, image, c, worker, &own);
        sat_totals *t = r->totals + e->totals + (size_t)at.n * (size_t)(image * j->image.channels + c);
        const double mean = r->pass > 0 ? sat_totals_mean(&at, t) : 0;
        for (int k = 0; k < at.n; k++) {
            sat_rect rows = at.of[k].rect;
            const int64_t first = rows.y > top ? rows.y : top, bottom = rows.y + rows.height;
            rows.height = (bottom < end ? bottom : end) - first;
            rows.y = first - top;
            if (rows.height <= 0) continue;
            if (r->tabled)
                sat_rects_table_add(&r->table, image, c, &rows, &t[k]);
            else
                sat_totals_add(&p, &rows, r->pass, &j->ask, mean, &t[k]);
        }
    }
}

static void add_part(void *context, int64_t part, int worker)
{
    const sat_rects *r = context;
    const size_t all = r->open_n * (size_t)r->job.image.count, first = (size_t)part * r->part_rects;
    for (size_t i = first; i < all && i < first + r->part_rects; i++) {
        if (!sat_goes_on(r->job.run, worker, 0)) return;
        add_one(r, &r->entries[r->open[i % r->open_n]], (int64_t)(i / r->open_n), worker);
    }
}

static void put_part(void *context, int64_t part, int worker)
{
    const sat_rects *r = context;
    const sat_rect_job *j = &r->job;
    const size_t first = (size_t)part * SAT_PART_RECTS;
    (void)worker;
    for (size_t i = first; i < r->entries_n && i < first + SAT_PART_RECTS; i++) {
        const entry *e = &r->entries[i];
        for (int64_t image = 0; image < j->image.count; image++) {
            sat_pieces at;
            sat_rect_job_pieces(j, &e->touched, &e->edges, &at);
            const size_t totals = (size_t)at.n * (size_t)(image * j->image.channels);
            sat_rect_job_put(j, image, e->index, &e->touched, &at, r->totals + e->totals + totals);
        }
    }
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

/* The next span; or the next pass, or the answers, behind the last. */
static void next_span(sat_rects *r)
{
    if (r->begun == r->entries_n && ++r->pass < r->passes) r->begun = 0;
    if (r->begun == r->entries_n) {
        const int threads = sat_threads_worth((double)r->entries_n, SAT_SHARE_RECTS, r->job.given.threads);
        sat_parallel_on(r->job.given.executor, threads, sat_parts((int64_t)r->entries_n, SAT_PART_RECTS), put_part, r);
        return;
    }
    r->next = r->entries[r->begun].touched.y;
    r->end = r->next;
    for (size_t i = r->begun; i < r->entries_n && r->entries[i].touched.y <= r->end; i++) {
        const int64_t end = r->entries[i].touched.y + r->entries[i].touched.height;
        if (end > r->end) r->end = end;
    }
}

/* The first row is needed next, as if none had been given. */
static void begin_anew(sat_rects *r)
{
    memset(r->totals, 0, r->totals_n * sizeof *r->totals);
    r->begun = r->open_n = 0;
    r->pass = 0;
    next_span(r);
}

/* What the rows of job.image take: their pixels under the open rectangles; and their tables with four corners of each.
 * In pixels that are added, which are read in order and take less than what follows: */
enum {
    LEAST_PX = 64,       /* a row of a rectangle: a line of a cache, of samples of a byte, at least */
    TABLE_PX = 3,        /* a pixel of a table: it is read, the entry above is, and one is written */
    FRESH_PX = 2,        /* a byte of memory that was never written: the system clears its page and maps it */
    CORNERS_PX = 2 * 64, /* four corners: an entry and the one at the other side, in two rows: two lines at least */
};
typedef struct load {
    double by_pixels, by_table;
} load;

static load load_of(const sat_rects *r)
{
    const sat_rect_job *j = &r->job;
    const int64_t end = r->top + j->image.height, parts = r->table.rows ? sat_parts(j->image.height, r->table.rows) : 1;
    load l = {0, TABLE_PX * (double)j->image.width * (double)j->image.height};
    for (size_t i = 0; i < r->open_n; i++) {
        const sat_rect *t = &r->entries[r->open[i]].touched;
        const int64_t first = t->y > r->top ? t->y : r->top, bottom = t->y + t->height;
        const double rows = (double)((bottom < end ? bottom : end) - first), width = (double)t->width;
        l.by_pixels += rows * (width < LEAST_PX ? LEAST_PX : width);
    }
    for (int p = 0; !r->table.used && p < r->table.powers; p++)
        l.by_table += FRESH_PX * (double)(r->table.view[p].row_bytes * r->table.rows * r->table.view[p].count);
    l.by_table += CORNERS_PX * (double)r->open_n * (double)parts;
    return l;
}

/* So that large rectangles are spread, parts are of as few as make them worth taking, on an average. */
static sat_status add_open(sat_rects *r, double px)
{
    enum { PART_RECTS = 1024 };
    const double part_px = 0x1p14, share_px = 0x1p18; /* some 100 us: ten times what it takes to wake a thread */
    const sat_rect_job *j = &r->job;
    const size_t all = r->open_n * (size_t)j->image.count;
    px *= (double)j->image.count;
    r->part_rects = 1;
    while (r->part_rects < PART_RECTS && (double)r->part_rects * px < (double)all * part_px) r->part_rects *= 2;
    return sat_run_each(j->run, j->given.executor, sat_threads_worth(px, share_px, j->given.threads),
                        sat_parts((int64_t)all, (int64_t)r->part_rects), add_part, r);
}

static sat_status add_all(sat_rects *r)
{
    const sat_view rows = r->job.image;
    const load l = load_of(r);
    r->tabled = r->table.rows > 0 && l.by_table < l.by_pixels;
    if (!r->tabled) return add_open(r, l.by_pixels);
    sat_status status = SAT_OK;
    for (int64_t y = 0, n; y < rows.height && status == SAT_OK; y += n) {
        n = rows.height - y < r->table.rows ? rows.height - y : r->table.rows;
        r->job.image = sat_rows_of(&rows, y, n);
        r->top = r->next + y;
        status = sat_rects_table_make(&r->table, &r->job.image, r->job.run);
        if (status == SAT_OK) status = add_open(r, (double)r->open_n * CORNERS_PX);
    }
    return status;
}

static sat_status take_rows(sat_rects *r, const sat_view *rows, const sat_run *run)
{
    const sat_rects_spec *s = &r->spec;
    sat_rect_job *j = &r->job;
    sat_status status = sat_take_samples(&j->image, rows, "rows");
    if (status != SAT_OK) return status;
    const sat_view *v = &j->image;
    const sat_view made = sat_packed_view(s->width, v->height, s->count, s->channels, s->sample, SAT_HOST);
    status = sat_check_fit(v, &made, "rows", "image asked");
    if (status == SAT_OK && v->count != s->count)
        status = sat_fail(SAT_ERR_SHAPE, "rows: of %lld images, where %lld are asked", (long long)v->count,
                          (long long)s->count);
    if (status != SAT_OK) return status;
    if (run->first != r->next || v->height > r->end - r->next || (run->end != 0 && run->end != v->height))
        return sat_fail(SAT_ERR_SHAPE, "rows: [%lld, %lld), where [%lld, %lld) are needed", (long long)run->first,
                        (long long)run->first + (long long)v->height, (long long)r->next, (long long)r->end);
    if (s->masked != (run->mask != NULL))
        return sat_fail(SAT_ERR_ARGUMENT, s->masked ? "run: no mask; the rectangles were to have one"
                                                    : "run: a mask; the rectangles were to have none");
    if (run->mask) status = sat_take_samples(&j->mask, run->mask, "mask"); /* of the host */
    return status == SAT_OK && run->mask ? sat_mask_take(&j->mask, run->mask, v) : status;
}

sat_status sat_rects_run_sized(sat_rects *r, const sat_view *rows, const sat_run_options *given, size_t run_bytes)
{
    sat_run run;
    sat_control control;
    if (r == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no rectangles");
    sat_status status = sat_take_run(&run, &control, given, run_bytes, SAT_RUN_MASK | SAT_RUN_ROWS);
    if (status == SAT_OK) status = take_rows(r, rows, &run);
    if (status != SAT_OK) return status;
    status = sat_run_asked(&run);
    if (status != SAT_OK) {
        begin_anew(r);
        return status;
    }
    r->job.run = &run;
    r->top = r->next;
    const int64_t end = r->next + r->job.image.height;
    for (; r->begun < r->entries_n && r->entries[r->begun].touched.y < end; r->begun++) r->open[r->open_n++] = r->begun;
    status = add_all(r);
    r->job.run = NULL;
    if (status != SAT_OK) {
        begin_anew(r);
        return status;
    }
    size_t left = 0;
    for (size_t i = 0; i < r->open_n; i++) {
        const sat_rect *t = &r->entries[r->open[i]].touched;
        if (t->y + t->height > end) r->open[left++] = r->open[i];
    }
    r->open_n = left;
    r->next = end;
    if (r->next == r->end) next_span(r);
    return SAT_OK;
}

sat_status sat_rects_needs(const sat_rects *r, int64_t *from, int64_t *to)
{
    if (r == NULL || from == NULL || to == NULL)
        return sat_fail(SAT_ERR_ARGUMENT, "no rectangles, or no place for rows");
    *from = r->next, *to = r->end;
    return SAT_OK;
}

int sat_rects_passes(const sat_rects *r)
{
    return r && r->entries_n > 0 ? r->passes : 0;
}

/* ---- the object ---------------------------------------------------------------------------------------- */

static sat_status check_spec(sat_rects_spec *s)
{
    if (s->channels == 0) s->channels = 1;
    if (s->count == 0) s->count = 1;
    int64_t pixels; /* areas are */
    sat_status status = sat_check_job(s->width, s->height, s->count, s->channels, 0);
    if (status == SAT_OK && __builtin_mul_overflow(s->width, s->height, &pixels))
        status = sat_fail(SAT_ERR_SHAPE, "images of %lldx%lld pixels", (long long)s->height, (long long)s->width);
    if (status == SAT_OK) status = sat_check_reserved(s->reserved, sizeof s->reserved);
    if (status == SAT_OK) status = sat_check_allocator(s->allocator);
    return status == SAT_OK ? sat_check_sample(s->sample) : status;
}

static int by_first_row(const void *a, const void *b)
{
    const entry *p = a, *q = b;
    return p->touched.y != q->touched.y ? (p->touched.y < q->touched.y ? -1 : 1)
                                        : (p->index > q->index) - (p->index < q->index);
}

/* The entries, and the totals of each. */
static sat_status open_entries(sat_rects *r)
{
    const sat_rect_job *j = &r->job;
    const bool asked = j->counts || j->ask.areas || j->ask.areas_f64;
    const size_t each = (size_t)(j->image.count * j->image.channels);
    size_t totals = 0, more, bytes;
    bool sorted = true;
    r->entries = sat_arena_alloc(&r->arena, (j->n + 1) * sizeof *r->entries);
    r->open = sat_arena_alloc(&r->arena, (j->n + 1) * sizeof *r->open);
    if (r->entries == NULL || r->open == NULL) return SAT_ERR_MEMORY;
    for (size_t i = 0; asked && i < j->n; i++) {
        entry *e = &r->entries[r->entries_n];
        sat_pieces at;
        const bool inside = sat_rect_job_status(j, i, &e->touched, &e->edges) == SAT_RECT_INSIDE;
        if (inside) sat_rect_job_pieces(j, &e->touched, &e->edges, &at);
        if (!inside || !j->counts) {
            for (int64_t image = 0; image < j->image.count; image++)
                sat_rect_job_put(j, image, i, inside ? &e->touched : NULL, &at, NULL);
            continue;
        }
        e->index = i, e->totals = totals;
        if (!sat_mul((size_t)at.n, each, &more) || __builtin_add_overflow(totals, more, &totals)) return SAT_ERR_MEMORY;
        sorted = sorted && (r->entries_n == 0 || e[-1].touched.y <= e->touched.y);
        r->entries_n++;
    }
    if (!sorted) qsort(r->entries, r->entries_n, sizeof *r->entries, by_first_row);
    r->totals_n = totals;
    r->totals = sat_mul(totals + 1, sizeof *r->totals, &bytes) ? sat_arena_zeros(&r->arena, bytes) : NULL;
    if (r->totals == NULL) return SAT_ERR_MEMORY;
    const sat_status status = r->entries_n > 1 ? sat_rects_table_open(&r->table, j, &r->arena) : SAT_OK;
    if (status != SAT_ERR_MEMORY) return status;
    sat_rects_table_close(&r->table); /* the pixels answer, too */
    r->table = (sat_rects_table){.rows = 0};
    return SAT_OK;
}

sat_status sat_rects_create_sized(sat_rects **out, const sat_rects_spec *given, const sat_rect *rects,
                                  const sat_rect_f64 *reals, size_t n, const sat_statistics *ask, size_t spec_bytes,
                                  size_t ask_bytes)
{
    sat_rects_spec spec;
    if (out == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no place for the rectangles");
    *out = NULL;
    sat_status status = sat_take_struct(&spec, sizeof spec, given, spec_bytes, "spec");
    if (status == SAT_OK) status = check_spec(&spec);
    if (status != SAT_OK) return status;
    if (rects && reals) return sat_fail(SAT_ERR_ARGUMENT, "rectangles of whole pixels, and others beside them");
    sat_arena arena = {.allocator = spec.allocator};
    sat_rects *r = sat_arena_zeros(&arena, sizeof *r);
    if (r == NULL) return SAT_ERR_MEMORY;
    sat_rect_job *j = &r->job;
    const sat_run whole = {.control = NULL};
    r->arena = arena, r->spec = spec;
    j->image = sat_packed_view(spec.width, spec.height, spec.count, spec.channels, spec.sample, SAT_HOST);
    j->whole = rects, j->reals = reals, j->n = n;
    status = sat_rect_job_open(j, spec.masked, ask, ask_bytes);
    if (j->given.threads == 0) j->given.threads = sat_processors();
    if (status == SAT_OK) status = sat_rect_job_check(j, &whole, j->given.threads);
    if (status == SAT_OK) status = open_entries(r);
    if (status != SAT_OK) {
        sat_rects_destroy(&r);
        return status;
    }
    r->passes = sat_totals_passes(spec.sample, &j->ask);
    next_span(r);
    *out = r;
    return SAT_OK;
}

void sat_rects_destroy(sat_rects **rects)
{
    if (rects == NULL || *rects == NULL) return;
    sat_rects_table_close(&(*rects)->table);
    sat_arena arena = (*rects)->arena;
    sat_arena_reset(&arena, NULL);
    *rects = NULL;
}
