/* stress.c - the library from six threads at once, for ThreadSanitizer.  Each makes plans, filters and queries of its
 * own, and all query one table; every result is compared with the one that one thread gave before. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sat.h"
#include "sat_gauss.h"
#include "sat_window.h"

enum { CALLERS = 6, ROUNDS = 8, WIDTH = 2039, HEIGHT = 131, RECTS = 20000, ENTRY_BYTES = 8 };

/* One kind of work. */
typedef struct work {
    const char *name;
    bool (*run)(int threads, void *out); /* out: room for all that is written, which is zeros before */
} work;

static uint8_t bytes[HEIGHT * WIDTH];
static float floats[HEIGHT * WIDTH];
static uint32_t sums[HEIGHT * WIDTH];
static sat_rect rects[RECTS];

static sat_view view(void *data, sat_type type)
{
    return (sat_view){.data = data,
                      .row_bytes = (ptrdiff_t)(WIDTH * sat_type_bytes(type)),
                      .width = WIDTH,
                      .height = HEIGHT,
                      .channels = 1,
                      .type = type};
}

static sat_table table(void)
{
    return (sat_table){.view = view(sums, SAT_U32), .layout = SAT_INCLUSIVE, .sample = SAT_U8};
}

static bool so_often(void *context)
{
    int *left = context;
    return (*left)-- > 0;
}

/* What ends a run while its threads are at work. */
#define ENDED(left) (&(sat_run_options){.proceed = so_often, .context = &(int){left}})

static bool run_plan(sat_type sample, sat_type accum, const char *backend, int threads, void *out)
{
    sat_plan_spec spec = {.width = WIDTH,
                          .height = HEIGHT,
                          .sample = sample,
                          .accum = accum,
                          .layout = SAT_INCLUSIVE,
                          .backend = backend,
                          .threads = threads};
    sat_view image = view(sample == SAT_U8 ? (void *)bytes : (void *)floats, sample), to = view(out, accum);
    sat_plan *plan = NULL;
    bool ok = sat_plan_create(&plan, &spec) == SAT_OK;
    for (int left = 0; ok && left < 3; left++) (void)sat_plan_run(plan, &image, &to, ENDED(left));
    ok = ok && sat_plan_run(plan, &image, &to, NULL) == SAT_OK;
    sat_plan_destroy(&plan);
    return ok;
}

static bool run_box(sat_type sample, const char *backend, int threads, void *out)
{
    sat_box_spec spec = {.width = WIDTH,
                         .height = HEIGHT,
                         .sample = sample,
                         .window_width = 9,
                         .window_height = 7,
                         .backend = backend,
                         .threads = threads};
    sat_view image = view(sample == SAT_U8 ? (void *)bytes : (void *)floats, sample), to = view(out, sample);
    sat_box *box = NULL;
    bool ok = sat_box_create(&box, &spec) == SAT_OK;
    for (int left = 0; ok && left < 3; left++) (void)sat_box_run(box, &image, &to, ENDED(left));
    ok = ok && sat_box_run(box, &image, &to, NULL) == SAT_OK;
    sat_box_destroy(&box);
    return ok;
}

/* A threshold that reads the image twice. */
static bool run_window(sat_type sample, int threads, void *out)
{
    const sat_window_output output = {.statistic = "wolf", .compare = true};
    const sat_window_spec spec = {.width = WIDTH,
                                  .height = HEIGHT,
                                  .sample = sample,
                                  .window_width = 9,
                                  .window_height = 7,
                                  .outputs = 1,
                                  .output = &output,
                                  .has_nodata = true,
                                  .nodata = 3,
                                  .threads = threads};
    sat_view image = view(sample == SAT_U8 ? (void *)bytes : (void *)floats, sample), to = view(out, SAT_U8);
    sat_window *window = NULL;
    bool ok = sat_window_create(&window, &spec) == SAT_OK && sat_window_run(window, &image, NULL, &to, NULL) == SAT_OK;
    sat_window_destroy(&window);
    return ok;
}

/* Of two blurs, of which the second reads what the first one's threads kept. */
static bool difference_of_gaussians(int threads, void *out)
{
    const sat_gauss_spec spec = {.width = WIDTH,
                                 .height = HEIGHT,
                                 .sample = SAT_U8,
                                 .sigma = 5,
                                 .mode = SAT_GAUSS_DOG,
                                 .sigma2 = 2,
                                 .threads = threads};
    sat_view image = view((void *)bytes, SAT_U8), to = view(out, SAT_F32);
    sat_gauss *gauss = NULL;
    bool ok = sat_gauss_create(&gauss, &spec) == SAT_OK && sat_gauss_run(gauss, &image, &to, NULL) == SAT_OK;
    sat_gauss_destroy(&gauss);
    return ok;
}

static bool windows_of_integers(int threads, void *out)
{
    return run_window(SAT_U8, threads, out);
}
static bool windows_of_reals(int threads, void *out)
{
    return run_window(SAT_F32, threads, out);
}
static bool integers(int threads, void *out)
{
    return run_plan(SAT_U8, SAT_U32, "cpu", threads, out);
}
static bool reals(int threads, void *out)
{
    return run_plan(SAT_F32, SAT_F64, "cpu", threads, out);
}
static bool copies(int threads, void *out)
{
    return run_plan(SAT_U8, SAT_U32, "cpu-copy", threads, out);
}
static bool box_of_integers(int threads, void *out)
{
    return run_box(SAT_U8, "cpu", threads, out);
}
static bool box_of_reals(int threads, void *out)
{
    return run_box(SAT_F32, "cpu", threads, out);
}
static bool box_through_table(int threads, void *out)
{
    return run_box(SAT_U8, "serial", threads, out);
}

static bool queries(int threads, void *out)
{
    const sat_table t = table();
    return sat_table_query(&t, rects, RECTS, 0, threads, NULL, out) == SAT_OK;
}

/* On all processors: it takes no number of threads. */
static bool query_objects(int threads, void *out)
{
    const sat_table t = table();
    sat_query *query = NULL;
    (void)threads;
    bool ok =
        sat_query_create(&query, &t, NULL) == SAT_OK && sat_query_run(query, rects, RECTS, NULL, out, NULL) == SAT_OK;
    sat_query_destroy(&query);
    return ok;
}

static const work works[] = {
    {"tables of integers", integers},
    {"tables of floats", reals},
    {"copies", copies},
    {"filters of integers", box_of_integers},
    {"filters of floats", box_of_reals},
    {"filters through a table", box_through_table},
    {"differences of Gaussians", difference_of_gaussians},
    {"windows of integers", windows_of_integers},
    {"windows of floats", windows_of_reals},
    {"queries of one table", queries},
    {"query objects of one table", query_objects},
};

enum { WORKS = sizeof works / sizeof *works, MOST_BYTES = HEIGHT * WIDTH * ENTRY_BYTES };

static void *expected[WORKS];
static atomic_bool wrong[WORKS];

static void *call(void *first)
{
    void *out = malloc(MOST_BYTES);
    for (size_t k = 0; !out && k < WORKS; k++) atomic_store(&wrong[k], true);
    for (size_t i = 0; out && i < ROUNDS * WORKS; i++) {
        size_t k = (i + *(const size_t *)first) % WORKS;
        memset(out, 0, MOST_BYTES);
        if (!works[k].run(1 + (int)(i % 4), out) || memcmp(out, expected[k], MOST_BYTES) != 0)
            atomic_store(&wrong[k], true);
    }
    free(out);
    return NULL;
}

static void call_inside(void *context, int64_t index, int worker)
{
    size_t first = (size_t)index;
    (void)context, (void)worker;
    call(&first);
}

static bool all_at_once(void)
{
    pthread_t caller[CALLERS];
    size_t first[CALLERS];
    int n = 0;
    for (; n < CALLERS; n++) {
        first[n] = (size_t)n;
        if (pthread_create(&caller[n], NULL, call, &first[n]) != 0) break;
    }
    for (int i = 0; i < n; i++) pthread_join(caller[i], NULL);
    return n == CALLERS;
}

int main(void)
{
    uint32_t random = 1;
    bool ok = true;
    for (size_t i = 0; i < HEIGHT * WIDTH; i++) {
        random = random * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)(random >> 24);
        floats[i] = (float)(random >> 20); /* whole numbers, whose sums are exact */
    }
    for (size_t i = 0; i < RECTS; i++)
        rects[i] = (sat_rect){(int64_t)(i % 1900), (int64_t)(i % 80), (int64_t)(i % 100 + 1), (int64_t)(i % 50 + 1)};
    ok = integers(1, sums);
    for (size_t k = 0; k < WORKS; k++) {
        expected[k] = calloc(1, MOST_BYTES);
        ok = ok && expected[k] && works[k].run(1, expected[k]);
    }
    printf("1..%d\n", WORKS + 1);
    ok = ok && all_at_once();
    for (int k = 0; k < WORKS; k++)
        printf("%sok %d - %s from %d threads\n", ok && !atomic_load(&wrong[k]) ? "" : "not ", k + 1, works[k].name,
               CALLERS);
    if (ok) sat_parallel(CALLERS, CALLERS, call_inside, NULL);
    for (int k = 0; k < WORKS; k++) ok = ok && !atomic_load(&wrong[k]);
    printf("%sok %d - all of it inside a region\n", ok ? "" : "not ", WORKS + 1);
    for (size_t k = 0; k < WORKS; k++) free(expected[k]);
    return ok ? 0 : 1;
}
