/* query.c - rectangles answered from a table: four reads each. */
#include <stdlib.h>

#include "backend.h"
#include "device.h"
#include "pool.h"
#include "reader.h"
#include "shape.h"
#include "sized.h"
#include "table_pair.h"

/* Sums and means from the table of sums alone, of whatever it has sums. */
static sat_status answer(const sat_table *t, const sat_reader *r, const sat_run *run, const sat_rect *rects, size_t n,
                         const sat_executor *executor, int threads, sat_sum *sums, double *means)
{
    sat_pair p = {
        .sum_table = *t, .sums = *r, .channels = (size_t)t->view.channels, .level = t->power == 1 ? t->level : 0};
    p.given.executor = executor;
    p.ask.sums = sums, p.means = means;
    p.threads = sat_threads_worth((double)n * (double)r->count, SAT_SHARE_RECTS, threads ? threads : sat_processors());
    return sat_pair_answer(&p, run, rects, n);
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
        return sat_fail(SAT_ERR_UNAVAILABLE, "table: in device memory; make a query of it, or copy it to host memory");
    status = sat_reader_open(&r, &t, flags);
    if (status == SAT_OK) status = sat_pair_needs_counts(&t);
    if (status != SAT_OK) return status;
    status = sat_check_threads(threads);
    if (status != SAT_OK) return status;
    return answer(&t, &r, &(sat_run){.control = NULL}, rects, n, NULL, threads, sums, means);
}

/* ---- a table that is queried many times, perhaps on a device ------------------------------------------- */

struct sat_query {
    sat_arena arena; /* the query and all that it holds */
    sat_query_spec spec;
    sat_pair pair;             /* the table; and that of squares, if it is there */
    const sat_device *device;  /* NULL: a table on the host */
    sat_bad_rects *bad, *seen; /* on the device, and a copy here */
    int ordinal;               /* of the device; -1: none */
    size_t table_bytes;        /* of the caller's sat_table */
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
    void *bad;
    sat_status status = sat_device_need(&q->device);
    if (status != SAT_OK) return status;
    q->seen = sat_arena_alloc(&q->arena, sizeof *q->seen);
    if (q->seen == NULL) return SAT_ERR_MEMORY;
    status = sat_arena_take(&q->arena, SAT_MEMORY_DEVICE, sizeof *q->bad, &bad);
    if (status != SAT_OK) return status;
    q->bad = bad;
    status = forget(q, NULL);
    return status == SAT_OK ? q->device->wait(NULL) : status;
}

static sat_status take_squares(sat_pair *pair, const sat_query_spec *spec, size_t table_bytes)
{
    sat_table *t = &pair->square_table;
    sat_status status = sat_take_struct(t, sizeof *t, spec->squares, table_bytes, "table of squares");
    if (status == SAT_OK) status = sat_reader_open(&pair->squares, t, spec->flags);
    if (status == SAT_OK && (t->view.memory == SAT_DEVICE) != (pair->sum_table.view.memory == SAT_DEVICE))
        status = sat_fail(SAT_ERR_ARGUMENT, "sums and squares: one table in host memory, one on a device");
    pair->with_squares = true;
    return status == SAT_OK ? sat_pair_check(pair) : status;
}

sat_status sat_query_create_sized(sat_query **query, const sat_table *table, const sat_query_spec *given,
                                  size_t table_bytes, size_t spec_bytes)
{
    sat_pair pair = {.with_squares = false};
    sat_table *t = &pair.sum_table;
    sat_query_spec spec = {0};
    if (query == NULL) return sat_fail(SAT_ERR_ARGUMENT, "query is NULL");
    *query = NULL;
    sat_status status = sat_take_struct(t, sizeof *t, table, table_bytes, "table");
    if (status == SAT_OK && given) status = sat_take_struct(&spec, sizeof spec, given, spec_bytes, "spec");
    if (status == SAT_OK) status = sat_check_threads(spec.threads);
    if (status == SAT_OK) status = sat_check_executor(spec.executor);
    if (status == SAT_OK) status = sat_check_allocator(spec.allocator);
    if (status == SAT_OK) status = sat_reader_open(&pair.sums, t, spec.flags);
    if (status == SAT_OK) status = sat_pair_needs_counts(t);
    if (status == SAT_OK && spec.squares) status = take_squares(&pair, &spec, table_bytes);
    if (status == SAT_OK && t->level != 0 && t->view.memory == SAT_DEVICE)
        status = sat_fail(SAT_ERR_UNAVAILABLE,
                          "table: with a level (%g) it is not queried on a device; copy it to the host", t->level);
    if (status != SAT_OK) return status;
    sat_arena arena = {.allocator = spec.allocator};
    sat_query *q = sat_arena_zeros(&arena, sizeof *q);
    if (q == NULL) return SAT_ERR_MEMORY;
    q->arena = arena;
    q->spec = spec;
    q->spec.squares = NULL; /* the caller's */
    q->table_bytes = table_bytes;
    q->pair = pair;
    q->pair.channels = (size_t)t->view.channels;
    q->ordinal = sat_device_ordinal(t->view.memory == SAT_DEVICE);
    if (t->view.memory == SAT_DEVICE) status = open_device(q);
    if (status == SAT_OK)
        *query = q;
    else
        sat_query_destroy(&q);
    return status;
}

int sat_query_device(const sat_query *query)
{
    return query ? query->ordinal : -1;
}

void sat_query_destroy(sat_query **query)
{
    if (query == NULL || *query == NULL) return;
    sat_arena arena = (*query)->arena;
    sat_arena_reset(&arena, NULL);
    *query = NULL;
}

sat_status sat_query_run_sized(sat_query *q, const sat_rect *rects, size_t n, sat_sum *sums, double *means,
                               const sat_run_options *given, size_t run_bytes)
{
    sat_run run;
    sat_control control;
    if (q == NULL || (rects == NULL && n > 0)) return sat_fail(SAT_ERR_ARGUMENT, "no query or no rectangles");
    sat_status status = sat_take_run(&run, &control, given, run_bytes, 0);
    if (status == SAT_OK) status = sat_run_asked(&run);
    if (status != SAT_OK) return status;
    if (q->device == NULL)
        return answer(&q->pair.sum_table, &q->pair.sums, &run, rects, n, q->spec.executor, q->spec.threads, sums,
                      means);
    if (((uintptr_t)rects | (uintptr_t)sums | (uintptr_t)means) % 8 != 0)
        return sat_fail(SAT_ERR_ARGUMENT, "rectangles, sums or means: not aligned to 8 bytes");
    if (n == 0) return SAT_OK;
    return q->device->query(&q->pair.sums, (int)q->pair.channels, rects, n, sums, means, q->bad, run.stream);
}

sat_status sat_query_statistics_sized(sat_query *q, const sat_rect *rects, size_t n, const sat_statistics *given,
                                      const sat_run_options *given_run, size_t ask_bytes, size_t run_bytes)
{
    sat_statistics ask;
    sat_run run;
    sat_control control;
    sat_table counts;
    if (q == NULL || (rects == NULL && n > 0)) return sat_fail(SAT_ERR_ARGUMENT, "no query or no rectangles");
    sat_status status = sat_take_struct(&ask, sizeof ask, given, ask_bytes, "statistics");
    if (status == SAT_OK && ask.counts) {
        status = sat_take_struct(&counts, sizeof counts, ask.counts, q->table_bytes, "table of counts");
        ask.counts = &counts;
    }
    if (status != SAT_OK) return status;
    const sat_pair *p = &q->pair;
    ask.flags = q->spec.flags;
    ask.threads = q->spec.threads;
    ask.executor = q->spec.executor;
    if (q->device == NULL)
        return sat_table_statistics_sized(&p->sum_table, p->with_squares ? &p->square_table : NULL, rects, n, &ask,
                                          given_run, sizeof(sat_table), sizeof ask, run_bytes);
    status = sat_take_run(&run, &control, given_run, run_bytes, 0);
    if (status != SAT_OK) return status;
    sat_rect_ask checked;
    if (ask.imprecise)
        return sat_fail(SAT_ERR_UNAVAILABLE, "imprecise: not known of tables in device memory; copy them to the host");
    if (ask.counts)
        return sat_fail(SAT_ERR_UNAVAILABLE, "counts: tables on a device answer of all samples; copy them to the host");
    status = sat_rect_ask_of(&ask, false, &checked);
    if (status == SAT_OK) status = sat_pair_check_sums(p);
    if (status != SAT_OK) return status;
    const bool with_squares = sat_rect_needs_squares(&checked);
    if (with_squares && !p->with_squares) return sat_pair_needs_squares();
    if (((uintptr_t)rects | sat_rect_ask_places(&checked)) % 8 != 0)
        return sat_fail(SAT_ERR_ARGUMENT, "rectangles or answers: not aligned to 8 bytes");
    status = sat_run_asked(&run);
    if (status != SAT_OK || n == 0) return status;
    return q->device->statistics(&(sat_rect_question){.sums = p->sums,
                                                      .squares = p->squares,
                                                      .channels = (int)p->channels,
                                                      .with_squares = with_squares,
                                                      .rects = rects,
                                                      .n = n,
                                                      .ask = checked,
                                                      .bad = q->bad},
                                 run.stream);
}

sat_status sat_query_wait(sat_query *q, void *stream)
{
    if (q == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no query");
    if (q->device == NULL) return SAT_OK;
    sat_status status = sat_device_may_wait(q->device, stream);
    if (status != SAT_OK) return status;
    /* Mostly there is none, and a word to copy. */
    sat_view here = flat(q->bad, sizeof q->bad->none, SAT_DEVICE), there = flat(q->seen, sizeof q->bad->none, SAT_HOST);
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
    status = sat_reader_check(&q->pair.sum_table, &q->pair.sums, (size_t)first->index, &first->rect);
    if (status != SAT_OK || !q->pair.with_squares) return status;
    return sat_reader_check(&q->pair.square_table, &q->pair.squares, (size_t)first->index, &first->rect);
}
