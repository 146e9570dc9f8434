/* subject_queries.c - rectangles asked of tables where they were built: on a device, without a copy in between. */
#include <stdlib.h>
#include <string.h>

#include "stage.h"

/* A batch for one table.  Answers follow from the table that the target builds, as float tables differ in their bits.
 */
typedef struct batch {
    whole *whole;
    unsigned flags;
    size_t n, skip; /* the second run starts at rectangle `skip` */
    sat_rect *rects;
    bool sums, means; /* what is asked for */
    uint64_t random;
} batch;

static size_t cases(effort e)
{
    return e == FULL ? 240 : e == QUICK ? 12 : 60;
}

static void drop(void *made)
{
    batch *b = made;
    if (b->whole) whole_drop(b->whole);
    free(b->rects);
    free(b);
}

/* Around a warp, and around tiles and rounds of tiles of the simulator's kernel and of the real one. */
static size_t some_count(uint64_t *random, size_t k, effort e)
{
    static const size_t counts[] = {1, 0, 2, 31, 32, 33, 127, 128, 129, 383, 384, 385, 511, 512, 513, 1025, 2000};
    size_t known = e == FULL ? 17 : 12;
    if (k < known) return counts[k];
    return (size_t)random_in(random, 1, e == FULL ? 20000 : 700);
}

static void *make(uint64_t seed, size_t k, effort e)
{
    pair types;
    int64_t most = e == FULL ? 500 : 24;
    batch *b = calloc(1, sizeof *b);
    if (b == NULL) {
        fail("out of memory");
        return NULL;
    }
    pair_at(TABLES, k % pairs(TABLES), &types);
    shape size = {random_in(&seed, 1, most), random_in(&seed, 1, most)};
    if (random64(&seed) % 16 == 0) size.width = size.height = 1;
    b->whole = whole_answer(whole_new(random64(&seed), types, size), picture_answer);
    b->n = some_count(&seed, k, e);
    b->flags = random64(&seed) % 2 ? SAT_CLIP : 0;
    b->sums = random64(&seed) % 4;
    b->means = random64(&seed) % 4;
    b->rects = calloc(b->n + 1, sizeof *b->rects);
    if (b->whole == NULL || b->rects == NULL) {
        drop(b);
        return NULL;
    }
    random_rects(&b->whole->picture, b->flags, b->rects, b->n, &seed);
    if (b->n) b->skip = (size_t)random_in(&seed, 0, (int64_t)b->n - 1);
    b->random = seed;
    return b;
}

/* ---- answers --------------------------------------------------------------------------------------- */

typedef struct answers {
    sat_sum *sums;
    double *means;
    size_t skip;       /* the batch's, or 0 where two different bad rectangles would have one index */
    sat_status status; /* of sat_query_wait() after both runs; of sat_query_run() on the host */
    char detail[300];
} answers;

/* The index of the first bad rectangle in the batch from `from` on; SIZE_MAX if there is none. */
static size_t first_bad(const batch *b, const sat_table *t, size_t from)
{
    size_t i = from;
    while (i < b->n && sat_table_query(t, &b->rects[i], 1, b->flags, 1, NULL, NULL) == SAT_OK) i++;
    return i < b->n ? i - from : SIZE_MAX;
}

/* One by one, as the host gives none when one is bad. */
static bool answer(answers *a, const batch *b, const sat_table *t, sat_memory memory)
{
    size_t channels = (size_t)t->view.channels, n = b->n * channels;
    a->sums = calloc(n + 1, sizeof *a->sums);
    a->means = calloc(n + 1, sizeof *a->means);
    if (a->sums == NULL || a->means == NULL) {
        fail("out of memory");
        return false;
    }
    for (size_t i = 0; i < b->n; i++) {
        if (sat_table_query(t, &b->rects[i], 1, b->flags, 1, a->sums + i * channels, a->means + i * channels) == SAT_OK)
            continue;
        for (size_t c = 0; c < channels; c++) a->means[i * channels + c] = strtod("nan", NULL);
    }
    size_t all = first_bad(b, t, 0), part = first_bad(b, t, b->skip);
    a->skip = part == all && part != SIZE_MAX ? 0 : b->skip;
    size_t from = memory == SAT_DEVICE && part < all ? b->skip : 0;
    a->status = sat_table_query(t, b->rects + from, b->n - from, b->flags, 1, NULL, NULL);
    snprintf(a->detail, sizeof a->detail, "%s", a->status == SAT_OK ? "" : sat_detail());
    return true;
}

/* Bit for bit; of a NaN only that it is one. */
static bool same_doubles(const double *got, const double *want, size_t n, size_t *at)
{
    for (*at = 0; *at < n; ++*at)
        if (memcmp(got + *at, want + *at, sizeof *got) != 0 && !(got[*at] != got[*at] && want[*at] != want[*at]))
            return false;
    return true;
}

static bool same_answers(const batch *b, const answers *a, area *sums, area *means)
{
    const sat_plan_spec *spec = &b->whole->picture.spec;
    size_t n = b->n * (size_t)spec->channels, at;
    bool floats = is_float(spec->accum) || spec->accum == SAT_Q32;
    sat_view seen;
    if (!area_read(sums, &seen) || !area_clean(sums, "sums")) return false;
    const uint64_t *got = seen.data;
    if (b->sums && floats && !same_doubles(seen.data, (const double *)a->sums, n, &at)) {
        fail("sum %zu is %.17g, not %.17g", at, ((const double *)seen.data)[at], a->sums[at].f);
        return false;
    }
    for (at = 0; b->sums && !floats && at < n; at++)
        if (got[at] != a->sums[at].u) {
            fail("sum %zu is %llu, not %llu", at, (unsigned long long)got[at], (unsigned long long)a->sums[at].u);
            return false;
        }
    if (!area_read(means, &seen) || !area_clean(means, "means")) return false;
    if (b->means && !same_doubles(seen.data, a->means, n, &at)) {
        fail("mean %zu is %.17g, not %.17g", at, ((const double *)seen.data)[at], a->means[at]);
        return false;
    }
    return true;
}

/* ---- running --------------------------------------------------------------------------------------- */

static sat_view line(size_t n, sat_type type, void *data, sat_memory memory)
{
    return (sat_view){.data = data,
                      .row_bytes = (ptrdiff_t)sat_row_bytes((int64_t)n, 1, type),
                      .width = (int64_t)n,
                      .height = 1,
                      .channels = 1,
                      .type = type,
                      .memory = memory};
}

static bool is_told(sat_status got, const answers *a, const char *what)
{
    if (!is_status(got, a->status, what)) return false;
    if (got == SAT_OK || strcmp(sat_detail(), a->detail) == 0) return true;
    fail("%s says '%s', not '%s'", what, sat_detail(), a->detail);
    return false;
}

static void ask(const batch *b, const answers *a, sat_query *query, sat_memory memory, uint64_t *random)
{
    size_t channels = (size_t)b->whole->picture.spec.channels, results = b->n * channels + (b->n == 0);
    area rects = {0}, sums = {0}, means = {0};
    sat_view given = line(4 * (b->n ? b->n : 1), SAT_U64, b->rects, SAT_HOST), seen;
    bool ok = area_open(&rects, line(4 * (b->n ? b->n : 1), SAT_U64, NULL, memory), random_placement(random)) &&
              area_open(&sums, line(results, SAT_U64, NULL, memory), random_placement(random)) &&
              area_open(&means, line(results, SAT_F64, NULL, memory), random_placement(random)) &&
              area_fill(&rects, 0x5a) && area_write(&rects, &given);
    for (int again = 0; ok && again < 2; again++) {
        const sat_rect *at = rects.view.data;
        sat_sum *s = b->sums ? sums.view.data : NULL;
        double *m = b->means ? means.view.data : NULL;
        sat_status status = SAT_OK;
        ok = area_fill(&sums, 0xa5) && area_fill(&means, 0xa5);
        if (ok) status = sat_query_run(query, at, b->n, s, m, NULL);
        if (memory == SAT_HOST) { /* told at once */
            ok = ok && is_told(status, a, "sat_query_run") && (status != SAT_OK || same_answers(b, a, &sums, &means));
            continue;
        }
        s = s ? s + a->skip * channels : NULL;
        m = m ? m + a->skip * channels : NULL;
        ok = ok && is_status(status, SAT_OK, "sat_query_run") &&
             is_status(sat_query_run(query, at + a->skip, b->n - a->skip, s, m, NULL), SAT_OK, "a run of a part") &&
             is_told(sat_query_wait(query, NULL), a, "sat_query_wait") &&
             is_status(sat_query_wait(query, NULL), SAT_OK, "a second wait") && same_answers(b, a, &sums, &means);
    }
    if (ok && area_read(&rects, &seen) && area_clean(&rects, "rectangles")) same_bits(&seen, &given, "rectangles");
    area_close(&rects);
    area_close(&sums);
    area_close(&means);
}

static void run(void *made, const target *t)
{
    batch *b = made;
    const picture *p = &b->whole->picture;
    uint64_t random = b->random;
    sat_memory memory = t->device ? SAT_DEVICE : SAT_HOST;
    stage st = {0};
    answers a = {0};
    sat_query *query = NULL;
    sat_plan *plan = plan_of(p, t, memory);
    sat_table table = {.layout = p->spec.layout, .sample = p->spec.sample, .quant = p->spec.quant}, there;
    if (plan && stage_open(&st, b->whole, memory, &random) && stage_fill(&st, p, &random, true, true)) {
        there = table;
        there.view = st.table.view;
        bool ok = is_status(sat_query_create(&query, &there, &(sat_query_spec){.flags = b->flags}), SAT_OK,
                            "sat_query_create") &&
                  stage_queue(&st, b->whole, plan) && is_status(sat_plan_wait(plan, NULL), SAT_OK, "sat_plan_wait") &&
                  stage_check(&st, b->whole, true, &table.view);
        if (ok && answer(&a, b, &table, memory)) ask(b, &a, query, memory, &random);
    }
    sat_query_destroy(&query);
    free(a.sums);
    free(a.means);
    stage_close(&st);
    sat_plan_destroy(&plan);
}

static void text(const void *made, char *words, size_t bytes)
{
    const batch *b = made;
    int n =
        snprintf(words, bytes, "%zu rectangles%s, and again from %zu, ", b->n, b->flags ? ", clipped" : "", b->skip);
    whole_text(b->whole, words + n, bytes - (size_t)n);
}

const subject subject_queries = {"queries", sums_tables, cases, make, run, drop, text};
