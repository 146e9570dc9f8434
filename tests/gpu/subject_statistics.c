/* subject_statistics.c - statistics of rectangles, from a table of sums and one of squares, in the memory of the
 * target: those of sat_table_statistics(), which test_moments.py holds against exact arithmetic. */
#include <stdlib.h>
#include <string.h>

#include "stage.h"

enum { SUMS, MEANS, VARIANCES, DEVIATIONS, ROOTS, AREAS, AREAS_F64, ANSWERS };
static const char *const names[ANSWERS] = {"sum", "mean", "variance", "deviation", "root", "area", "area in f64"};

typedef struct batch {
    whole *sums, *squares; /* of one image */
    unsigned flags;
    int64_t ddof;
    size_t n;
    sat_rect *rects;
    bool asked[ANSWERS];
    uint64_t *want[ANSWERS]; /* bits */
    sat_status status;       /* of the first bad rectangle */
    sat_status of_all;       /* of all together: a host asks the table of sums about all, and then that of squares */
    uint64_t random;
} batch;

static bool has_squares(const target *t)
{
    return t->squares;
}

static size_t cases(effort e)
{
    return e == FULL ? 240 : e == QUICK ? 12 : 60;
}

static void drop(void *made)
{
    batch *b = made;
    if (b->sums) whole_drop(b->sums);
    if (b->squares) whole_drop(b->squares);
    for (int i = 0; i < ANSWERS; i++) free(b->want[i]);
    free(b->rects);
    free(b);
}

static bool needs_squares(const batch *b)
{
    return b->asked[VARIANCES] || b->asked[DEVIATIONS] || b->asked[ROOTS];
}

static sat_table table_of(const whole *w, sat_view view)
{
    const sat_plan_spec *s = &w->picture.spec;
    return (sat_table){.view = view, .layout = s->layout, .sample = s->sample, .quant = s->quant, .power = s->power};
}

/* Answers from entry i on; areas from rectangle r on. */
static sat_statistics statistics(const batch *b, uint64_t *const to[ANSWERS], size_t i, size_t r)
{
    const bool *a = b->asked;
    return (sat_statistics){.flags = b->flags,
                            .threads = 1,
                            .ddof = b->ddof,
                            .sums = a[SUMS] ? (sat_sum *)(to[SUMS] + i) : NULL,
                            .means = a[MEANS] ? (double *)(to[MEANS] + i) : NULL,
                            .variances = a[VARIANCES] ? (double *)(to[VARIANCES] + i) : NULL,
                            .deviations = a[DEVIATIONS] ? (double *)(to[DEVIATIONS] + i) : NULL,
                            .roots = a[ROOTS] ? (double *)(to[ROOTS] + i) : NULL,
                            .areas = a[AREAS] ? (int64_t *)(to[AREAS] + r) : NULL,
                            .areas_f64 = a[AREAS_F64] ? (double *)(to[AREAS_F64] + r) : NULL};
}

/* One by one, as the host gives none when one is bad. */
static bool answer(batch *b)
{
    const size_t channels = (size_t)b->sums->picture.spec.channels;
    const sat_table sums = table_of(b->sums, b->sums->picture.table),
                    squares = table_of(b->squares, b->squares->picture.table);
    const double nan = strtod("nan", NULL);
    for (int i = 0; i < ANSWERS; i++) {
        b->want[i] = calloc(b->n * channels, sizeof *b->want[i]);
        if (b->want[i] == NULL) return false;
    }
    for (size_t r = 0; r < b->n; r++) {
        const sat_statistics ask = statistics(b, b->want, r * channels, r);
        const sat_status status =
            sat_table_statistics(&sums, needs_squares(b) ? &squares : NULL, &b->rects[r], 1, &ask);
        if (status == SAT_OK) continue;
        if (b->status == SAT_OK) b->status = status;
        for (int i = MEANS; i <= ROOTS; i++)
            for (size_t c = 0; c < channels; c++) memcpy(&b->want[i][r * channels + c], &nan, sizeof nan);
    }
    const sat_statistics ask = statistics(b, b->want, 0, 0);
    if (b->status != SAT_OK)
        b->of_all = sat_table_statistics(&sums, needs_squares(b) ? &squares : NULL, b->rects, b->n, &ask);
    return true;
}

static void *make(uint64_t seed, size_t k, effort e)
{
    pair types, of_squares;
    const int64_t most = e == FULL ? 400 : 24;
    batch *b = calloc(1, sizeof *b);
    if (b == NULL) return NULL;
    pair_at(TABLES, k % pairs(TABLES), &types);
    size_t i = (size_t)random64(&seed) % pairs(SQUARES);
    do {
        i = (i + 1) % pairs(SQUARES);
        pair_at(SQUARES, i, &of_squares);
    } while (of_squares.sample != types.sample);
    const shape size = {random_in(&seed, 1, most), random_in(&seed, 1, most)};
    const uint64_t image = random64(&seed);
    b->sums = whole_answer(whole_new(image, types, size), picture_answer);
    b->squares = whole_answer(whole_new(image, of_squares, size), picture_answer);
    b->n = (size_t)random_in(&seed, 1, e == FULL ? 5000 : 400);
    b->flags = random64(&seed) % 2 ? SAT_CLIP : 0;
    b->ddof = random64(&seed) % 2 ? 0 : random_in(&seed, 1, 3);
    for (int a = 0; a < ANSWERS; a++) b->asked[a] = random64(&seed) % 3;
    b->rects = calloc(b->n, sizeof *b->rects);
    if (b->sums && b->squares && b->rects) {
        random_rects(&b->sums->picture, b->flags, b->rects, b->n, &seed);
        b->random = seed;
        if (answer(b)) return b;
    }
    drop(b);
    return NULL;
}

/* Bit for bit; of a NaN only that it is one. */
static bool same(const batch *b, int i, const uint64_t *got, size_t n)
{
    const bool real = i != SUMS && i != AREAS;
    const bool sums_are_real = is_float(b->sums->picture.spec.accum) || b->sums->picture.spec.accum == SAT_Q32;
    for (size_t k = 0; k < n; k++) {
        double is, to;
        memcpy(&is, &got[k], sizeof is);
        memcpy(&to, &b->want[i][k], sizeof to);
        if (got[k] == b->want[i][k]) continue;
        if ((real || (i == SUMS && sums_are_real)) && is != is && to != to) continue;
        fail("%s %zu is %.17g (%llx), not %.17g (%llx)", names[i], k, is, (unsigned long long)got[k], to,
             (unsigned long long)b->want[i][k]);
        return false;
    }
    return true;
}

static sat_view words(size_t n, sat_memory memory)
{
    return (sat_view){.row_bytes = n * sizeof(uint64_t),
                      .width = (int64_t)n,
                      .height = 1,
                      .channels = 1,
                      .type = SAT_U64,
                      .memory = memory};
}

/* A copy of the picture's table in the target's memory. */
static bool place(area *a, const whole *w, sat_memory memory, uint64_t *random)
{
    sat_view there = w->picture.table;
    there.memory = memory;
    return area_open(a, there, random_placement(random)) && area_fill(a, 0xa5) && area_write(a, &w->picture.table);
}

static void run(void *made, const target *t)
{
    batch *b = made;
    const sat_memory memory = t->device ? SAT_DEVICE : SAT_HOST;
    const size_t channels = (size_t)b->sums->picture.spec.channels;
    uint64_t random = b->random;
    area sums = {0}, squares = {0}, rects = {0}, to[ANSWERS] = {0};
    sat_view given = words(4 * b->n, SAT_HOST), seen;
    sat_query *query = NULL;
    uint64_t *at[ANSWERS];
    given.data = b->rects;
    bool ok = place(&sums, b->sums, memory, &random) && place(&squares, b->squares, memory, &random) &&
              area_open(&rects, words(4 * b->n, memory), random_placement(&random)) && area_write(&rects, &given);
    for (int i = 0; ok && i < ANSWERS; i++) {
        ok = area_open(&to[i], words(i < AREAS ? b->n * channels : b->n, memory), random_placement(&random)) &&
             area_fill(&to[i], 0x5a);
        at[i] = to[i].view.data;
    }
    if (ok) {
        const sat_table table = table_of(b->sums, sums.view), of_squares = table_of(b->squares, squares.view);
        const sat_query_spec spec = {.flags = b->flags, .squares = needs_squares(b) ? &of_squares : NULL};
        const sat_statistics ask = statistics(b, at, 0, 0);
        ok = is_status(sat_query_create(&query, &table, &spec), SAT_OK, "sat_query_create");
        const sat_status status = ok ? sat_query_statistics(query, rects.view.data, b->n, &ask, NULL) : SAT_OK;
        if (memory == SAT_HOST)
            ok = ok && is_status(status, b->of_all, "sat_query_statistics") && status == SAT_OK;
        else
            ok = ok && is_status(status, SAT_OK, "sat_query_statistics") &&
                 is_status(sat_query_wait(query, NULL), b->status, "sat_query_wait") &&
                 is_status(sat_query_wait(query, NULL), SAT_OK, "a second wait");
    }
    for (int i = 0; ok && i < ANSWERS; i++)
        if (b->asked[i])
            ok = area_read(&to[i], &seen) && area_clean(&to[i], names[i]) &&
                 same(b, i, seen.data, i < AREAS ? b->n * channels : b->n);
    sat_query_destroy(&query);
    area_close(&sums);
    area_close(&squares);
    area_close(&rects);
    for (int i = 0; i < ANSWERS; i++) area_close(&to[i]);
}

static void text(const void *made, char *line, size_t bytes)
{
    const batch *b = made;
    int n = snprintf(line, bytes, "%zu rectangles%s, ddof %lld, squares in %s, of ", b->n, b->flags ? ", clipped" : "",
                     (long long)b->ddof, sat_type_name(b->squares->picture.spec.accum));
    whole_text(b->sums, line + n, bytes - (size_t)n);
}

const subject subject_statistics = {"statistics", has_squares, cases, make, run, drop, text};
