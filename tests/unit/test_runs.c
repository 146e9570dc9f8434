/* Runs that their callers end: every operation asks often enough, on the calling thread, and does little after a no;
 * what it was ended in can be run again.  Work is counted in rows and questions, not in time. */
#include <pthread.h>

#include "arrays.h"
#include "sat_gauss.h"
#include "sat_query.h"
#include "sat_window.h"

static sat_view source, result;
static sat_table table, squares; /* of queries */
static sat_rect *rects;
static sat_rect_f64 *real_rects;

/* ---- questions ----------------------------------------------------------------------------------------- */

typedef struct asked {
    int yes; /* so many times */
    int calls;
    int64_t rows;     /* of the result, written when the answer was no */
    pthread_t thread; /* that may ask */
    bool any_thread;
} asked;

static int64_t rows_written(void)
{
    int64_t n = 0;
    for (int64_t i = 0; i < result.count; i++) {
        const sat_view one = sat_view_image(&result, i);
        const size_t bytes = sat_row_bytes(one.width, one.channels, one.type);
        for (int64_t y = 0; y < one.height; y++) {
            const unsigned char *row = entry_at(&one, 0, y, 0);
            size_t k = 0;
            while (k < bytes && row[k] == 0xA5) k++;
            n += k < bytes;
        }
    }
    return n;
}

static bool answer(void *context)
{
    asked *a = context;
    assert_true(a->any_thread || pthread_equal(a->thread, pthread_self()));
    if (a->calls++ < a->yes) return true;
    a->rows = rows_written();
    return false;
}

/* ---- operations ---------------------------------------------------------------------------------------- */

typedef struct operation {
    const char *name;
    int64_t width, height, count; /* of the source */
    sat_type sample, result;
    int64_t more;  /* rows and columns that the result has beside the source's */
    int64_t grain; /* rows that a worker writes at most before it looks again */
    void (*make)(const struct operation *o, int threads, const sat_executor *executor, void **object);
    sat_status (*run)(void *object, const sat_run_options *run);
    void (*end)(void **object);
    const char *backend, *what; /* what: a border or a statistic */
    int64_t side;
} operation;

static void make_table(const operation *o, int threads, const sat_executor *executor, void **object)
{
    const sat_plan_spec spec = {.width = o->width,
                                .height = o->height,
                                .count = o->count,
                                .sample = o->sample,
                                .accum = o->result,
                                .layout = o->more ? SAT_PADDED : SAT_INCLUSIVE,
                                .backend = o->backend,
                                .threads = threads,
                                .executor = executor};
    assert_ok(sat_plan_create((sat_plan **)object, &spec));
}

static sat_status run_table(void *object, const sat_run_options *run)
{
    return sat_plan_run(object, &source, &result, run);
}

static void end_table(void **object)
{
    sat_plan_destroy((sat_plan **)object);
}

static void make_box(const operation *o, int threads, const sat_executor *executor, void **object)
{
    const sat_box_spec spec = {.width = o->width,
                               .height = o->height,
                               .count = o->count,
                               .sample = o->sample,
                               .window_width = o->side,
                               .window_height = o->side,
                               .border = o->what,
                               .backend = o->backend,
                               .threads = threads,
                               .executor = executor};
    assert_ok(sat_box_create((sat_box **)object, &spec));
}

static sat_status run_box(void *object, const sat_run_options *run)
{
    return sat_box_run(object, &source, &result, run);
}

static void end_box(void **object)
{
    sat_box_destroy((sat_box **)object);
}

static void make_window(const operation *o, int threads, const sat_executor *executor, void **object)
{
    const sat_window_output output = {.statistic = o->what, .result = o->result};
    const sat_window_spec spec = {.width = o->width,
                                  .height = o->height,
                                  .count = o->count,
                                  .sample = o->sample,
                                  .window_width = o->side,
                                  .window_height = o->side,
                                  .outputs = 1,
                                  .output = &output,
                                  .threads = threads,
                                  .executor = executor};
    assert_ok(sat_window_create((sat_window **)object, &spec));
}

static sat_status run_window(void *object, const sat_run_options *run)
{
    return sat_window_run(object, &source, NULL, &result, run);
}

static void end_window(void **object)
{
    sat_window_destroy((sat_window **)object);
}

/* side: ten times sigma; below 0: a difference of two. */
static void make_gauss(const operation *o, int threads, const sat_executor *executor, void **object)
{
    const double sigma = (double)llabs(o->side) / 10;
    const sat_gauss_spec spec = {.width = o->width,
                                 .height = o->height,
                                 .count = o->count,
                                 .sample = o->sample,
                                 .sigma = sigma,
                                 .mode = o->side < 0 ? SAT_GAUSS_DOG : SAT_GAUSS_BLUR,
                                 .sigma2 = 2 * sigma,
                                 .border = o->what,
                                 .threads = threads,
                                 .executor = executor,
                                 .result = o->result};
    assert_ok(sat_gauss_create((sat_gauss **)object, &spec));
}

static sat_status run_gauss(void *object, const sat_run_options *run)
{
    return sat_gauss_run(object, &source, &result, run);
}

static void end_gauss(void **object)
{
    sat_gauss_destroy((sat_gauss **)object);
}

/* Means, or variances, one in each row of the result. */
static void make_query(const operation *o, int threads, const sat_executor *executor, void **object)
{
    (void)o;
    const sat_query_spec spec = {.threads = threads, .executor = executor, .squares = &squares};
    assert_ok(sat_query_create((sat_query **)object, &table, &spec));
}

static sat_status run_query(void *object, const sat_run_options *run)
{
    return sat_query_run(object, rects, (size_t)result.height, NULL, result.data, run);
}

static sat_status run_variances(void *object, const sat_run_options *run)
{
    const sat_rect_output variance = {"var", result.data};
    const sat_statistics ask = {.output = &variance, .outputs = 1};
    return sat_query_statistics(object, rects, (size_t)result.height, &ask, run);
}

static void end_query(void **object)
{
    sat_query_destroy((sat_query **)object);
}

/* The object is what is asked. */
static void make_ask(const operation *o, int threads, const sat_executor *executor, void **object)
{
    (void)o;
    static sat_rect_output variance;
    static sat_statistics ask;
    variance = (sat_rect_output){"var", result.data};
    ask = (sat_statistics){.threads = threads, .executor = executor, .output = &variance, .outputs = 1};
    *object = &ask;
}

static sat_status run_fractions(void *object, const sat_run_options *run)
{
    return sat_table_statistics_f64(&table, &squares, real_rects, (size_t)result.height, object, run);
}

/* One rectangle, the whole image. */
static sat_status run_image(void *object, const sat_run_options *run)
{
    const sat_rect all = {0, 0, source.width, source.height};
    return sat_image_statistics(&source, &all, 1, object, run);
}

static void end_ask(void **object)
{
    *object = NULL;
}

#define TABLE  .make = make_table, .run = run_table, .end = end_table
#define BOX    .make = make_box, .run = run_box, .end = end_box
#define WINDOW .make = make_window, .run = run_window, .end = end_window
#define GAUSS  .make = make_gauss, .run = run_gauss, .end = end_gauss
#define QUERY  .width = 1, .height = 80000, .count = 1, .sample = SAT_U8, .result = SAT_F64, .grain = 1024

static const operation operations[] = {
    {"table", 2500, 2500, 1, SAT_U8, SAT_U32, 1, 32, TABLE},
    {"table of floats", 2000, 1000, 1, SAT_F32, SAT_F64, 1, 32, TABLE},
    {"table of few columns", 8, 600000, 1, SAT_U8, SAT_U64, 0, 8192, TABLE},
    {"tables of images", 900, 600, 6, SAT_U16, SAT_U64, 1, 32, TABLE},
    {"table, serial", 800, 500, 1, SAT_U8, SAT_U64, 1, 1, TABLE, .backend = "serial"},
    {"box", 2000, 2000, 1, SAT_U8, SAT_U8, 0, 2, BOX, .side = 15},
    {"box, tall", 2000, 2000, 1, SAT_U16, SAT_U16, 0, 2, BOX, .side = 901},
    {"boxes of images", 1000, 700, 6, SAT_U8, SAT_U8, 0, 2, BOX, .side = 25},
    {"box of floats", 1600, 1500, 1, SAT_F32, SAT_F32, 0, 16, BOX, .side = 33},
    {"box of floats, small", 1600, 1500, 1, SAT_F32, SAT_F32, 0, 16, BOX, .side = 3},
    {"box of floats, tall", 1600, 1500, 1, SAT_F32, SAT_F32, 0, 16, BOX, .side = 901},
    {"box of floats, far beyond", 250, 250, 1, SAT_F32, SAT_F32, 0, 1, BOX, .side = 2001, .what = "wrap"},
    {"box through a table", 500, 400, 1, SAT_U8, SAT_U8, 0, 1, BOX, .side = 9, .backend = "serial"},
    {"windows", 700, 600, 1, SAT_U8, SAT_F32, 0, 1, WINDOW, .side = 15, .what = "std"},
    {"windows of floats", 700, 600, 1, SAT_F32, SAT_F32, 0, 1, WINDOW, .side = 15, .what = "std"},
    {"windows of floats, tall", 700, 600, 1, SAT_F32, SAT_F32, 0, 1, WINDOW, .side = 301, .what = "sum"},
    {"windows that read twice", 700, 600, 1, SAT_U8, SAT_F32, 0, 1, WINDOW, .side = 15, .what = "wolf"},
    {"blur", 1400, 1000, 1, SAT_U8, SAT_U8, 0, 16, GAUSS, .side = 30},
    {"blur of floats", 1400, 1000, 1, SAT_F32, SAT_F32, 0, 16, GAUSS, .side = 120, .what = "replicate"},
    {"difference of blurs", 1400, 1000, 1, SAT_U8, SAT_F32, 0, 16, GAUSS, .side = -20},
    {"query", QUERY, .make = make_query, .run = run_query, .end = end_query},
    {"query of variances", QUERY, .make = make_query, .run = run_variances, .end = end_query},
    {"one rectangle of an image", 1500, 1500, 1, SAT_U8, SAT_F64, 0, 1, .make = make_ask, .run = run_image,
     .end = end_ask},
    {"rectangles with fractions", QUERY, .make = make_ask, .run = run_fractions, .end = end_ask},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static void open_arrays(const operation *o)
{
    source = guarded_images(o->width, o->height, o->count, 1, o->sample, 0, 0, 0);
    result = guarded_images(o->width + o->more, o->height + o->more, o->count, 1, o->result, 0, 0, 0);
    randomise(&source);
}

static void close_arrays(void)
{
    unguard(&source);
    unguard(&result);
}

static void forget(void)
{
    memset(result.data, 0xA5, bytes_of_view(&result));
}

/* ---- tests --------------------------------------------------------------------------------------------- */

static void elsewhere(void *context, int jobs, void (*job)(void *argument, int i), void *argument);

/* Ends after so many questions; then runs it again, and compares with what it should be. */
static void end_after(const operation *o, void *object, int yes, int threads, const sat_executor *executor,
                      const void *right)
{
    const bool at_once = threads > 1 && (!executor || executor->run == elsewhere); /* others work meanwhile */
    asked a = {.yes = yes, .thread = pthread_self(), .any_thread = executor};
    const sat_run_options run = {.proceed = answer, .context = &a};
    forget();
    const sat_status status = o->run(object, &run);
    const int64_t rows = rows_written();
    if (status == SAT_OK && threads > 1) { /* others did what worker 0 would have asked about */
        assert_true(a.calls <= yes);
        return;
    }
    said(status, SAT_ERR_CANCELLED, "the caller ended the run");
    if (a.calls != yes + 1) fail_msg("%s: asked %d times, not %d", o->name, a.calls, yes + 1);
    if (yes == 0 && rows > 0) fail_msg("%s: %lld rows written before a question", o->name, (long long)rows);
    if (!at_once && rows > a.rows + o->grain)
        fail_msg("%s: %lld rows written, and %lld after the last question", o->name, (long long)a.rows,
                 (long long)(rows - a.rows));
    assert_ok(o->run(object, NULL));
    assert_memory_equal(result.data, right, bytes_of_view(&result));
}

/* One thread, whose questions can be counted. */
static void asked_often(const operation *o)
{
    void *object = NULL;
    asked a = {.yes = INT32_MAX, .thread = pthread_self()};
    const sat_run_options run = {.proceed = answer, .context = &a};
    open_arrays(o);
    o->make(o, 1, NULL, &object);
    assert_ok(o->run(object, NULL));
    void *right = malloc(bytes_of_view(&result));
    assert_non_null(right);
    memcpy(right, result.data, bytes_of_view(&result));
    forget();
    assert_ok(o->run(object, &run));
    assert_memory_equal(result.data, right, bytes_of_view(&result));
    if (a.calls < 3) fail_msg("%s: asked %d times", o->name, a.calls);
    const int after[] = {0, 1, a.calls / 2, a.calls - 1};
    for (size_t i = 0; i < sizeof after / sizeof *after; i++) end_after(o, object, after[i], 1, NULL, right);
    o->end(&object);
    free(right);
    close_arrays();
}

static void each_operation_asks(void **state)
{
    (void)state;
    for (int i = 0; i < OPERATIONS; i++) asked_often(&operations[i]);
}

/* In turns. */
static void forwards(void *context, int jobs, void (*job)(void *argument, int i), void *argument)
{
    (void)context;
    for (int i = 0; i < jobs; i++) job(argument, i);
}

typedef struct one_job {
    void (*job)(void *argument, int i);
    void *argument;
    int i;
} one_job;

static void *do_job(void *job)
{
    const one_job *j = job;
    j->job(j->argument, j->i);
    return NULL;
}

/* All at once, none of them in the caller's thread. */
static void elsewhere(void *context, int jobs, void (*job)(void *argument, int i), void *argument)
{
    (void)context;
    one_job each[4];
    pthread_t thread[4];
    for (int i = 0; i < jobs; i++) {
        each[i] = (one_job){job, argument, i};
        if (pthread_create(&thread[i], NULL, do_job, &each[i]) != 0) abort();
    }
    for (int i = 0; i < jobs; i++) pthread_join(thread[i], NULL);
}

/* Several threads: the library's, and those of executors, of which the one with job 0 asks. */
static void others_look(void **state)
{
    (void)state;
    static const sat_executor turns = {.run = forwards}, apart = {.run = elsewhere};
    const sat_executor *const executors[] = {NULL, &turns, &apart};
    for (int i = 0; i < OPERATIONS; i++) {
        const operation *o = &operations[i];
        for (int k = 0; k < 3; k++) {
            void *object = NULL;
            open_arrays(o);
            o->make(o, 4, executors[k], &object);
            assert_ok(o->run(object, NULL));
            void *right = malloc(bytes_of_view(&result));
            assert_non_null(right);
            memcpy(right, result.data, bytes_of_view(&result));
            for (int yes = 0; yes < 3; yes++) end_after(o, object, yes, 4, executors[k], right);
            o->end(&object);
            free(right);
            close_arrays();
        }
    }
}

static void options_that_are_refused(void **state)
{
    (void)state;
    const operation *o = &operations[0], *filter = &operations[5];
    void *plan = NULL, *box = NULL;
    open_arrays(o);
    o->make(o, 1, NULL, &plan);
    forget();
    said(o->run(plan, &(sat_run_options){.first_row = 1}), SAT_ERR_ARGUMENT, "first_row");
    said(o->run(plan, &(sat_run_options){.rows = 1}), SAT_ERR_ARGUMENT, "rows");
    said(o->run(plan, &(sat_run_options){.reserved = {[6] = true}}), SAT_ERR_ARGUMENT, "reserved");
    sat_run_options progress = {0};
    memset(&progress.progress, 1, sizeof progress.progress);
    said(o->run(plan, &progress), SAT_ERR_ARGUMENT, "progress");
    assert_int_equal(rows_written(), 0);
    sat_counts counts = {.clipped = 5};
    assert_ok(o->run(plan, &(sat_run_options){.counts = &counts}));
    assert_int_equal(counts.clipped, -1); /* tables count nothing */
    o->end(&plan);
    close_arrays();

    open_arrays(filter);
    filter->make(filter, 1, NULL, &box);
    said(filter->run(box, &(sat_run_options){.continues = true}), SAT_ERR_ARGUMENT, "whole images");
    said(filter->run(box, &(sat_run_options){.rows = 1}), SAT_ERR_ARGUMENT, "whole images");
    said(filter->run(box, &(sat_run_options){.carry_in = box}), SAT_ERR_ARGUMENT, "for tables");
    said(filter->run(box, &(sat_run_options){.carry_out = box}), SAT_ERR_ARGUMENT, "for tables");
    filter->end(&box);
    close_arrays();
}

static int prepare(void **state)
{
    (void)state;
    const sat_plan_spec of_squares = {.power = 2};
    sat_view image = guarded(700, 500, 1, SAT_U8, 0);
    randomise(&image);
    assert_ok(sat_table_of(&image, NULL, &table));
    assert_ok(sat_table_of(&image, &of_squares, &squares));
    unguard(&image);
    const size_t n = (size_t)operations[OPERATIONS - 1].height;
    rects = calloc(n, sizeof *rects);
    real_rects = calloc(n, sizeof *real_rects);
    assert_true(rects && real_rects);
    for (size_t i = 0; i < n; i++) {
        rects[i] = (sat_rect){random_in(0, 600), random_in(0, 400), random_in(1, 100), random_in(1, 100)};
        real_rects[i] = (sat_rect_f64){(double)rects[i].x + 0.25, (double)rects[i].y, (double)rects[i].width - 0.5,
                                       (double)rects[i].height - 0.5};
    }
    return 0;
}

static int tidy(void **state)
{
    (void)state;
    sat_view_free(&table.view);
    sat_view_free(&squares.view);
    free(rects);
    free(real_rects);
    return 0;
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_operation_asks),
        cmocka_unit_test(others_look),
        cmocka_unit_test(options_that_are_refused),
    };
    return cmocka_run_group_tests(tests, prepare, tidy);
}
