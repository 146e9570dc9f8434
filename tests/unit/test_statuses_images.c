/* What is asked of images, light and the memory of objects: each with one thing that is wrong (statuses.h). */
#include "sat_bytes.h"
#include "sat_image.h"
#include "sat_query.h"
#include "sat_rects.h"
#include "sat_window.h"
#include "statuses.h"

enum { OF_CREATION = 0xffff }; /* that of creating the object, whose rows stand elsewhere */

static call all[] = {
    {"sat_image_statistics", NULL, 0, 0},
    {"sat_image_statistics_f64", "sat_image_statistics", 0, 0},
    {"sat_rects_create", "sat_image_statistics", NO_DEVICE | 1 << SAT_ERR_CANCELLED, 0},
    {"sat_rects_needs", NULL, 0, 0},
    {"sat_rects_run", NULL, 0, 0},
    {"sat_image_range", NULL, 0, 0},
    {"sat_mask_clear", NULL, 0, 0},
    {"sat_table_rounding", NULL, 0, 0},
    {"sat_light_create", NULL, 0, 0},
    {"sat_light_from_srgb", NULL, 0, 0},
    {"sat_light_to_srgb", "sat_light_from_srgb", 0, 0},
    {"sat_plan_bytes", "sat_plan_create", OF_CREATION, 0},
    {"sat_box_bytes", "sat_box_create", OF_CREATION, 0},
    {"sat_gauss_bytes", "sat_gauss_create", OF_CREATION, 0},
    {"sat_window_bytes", "sat_window_create", OF_CREATION, 0},
    {"sat_light_bytes", "sat_light_create", OF_CREATION, 0},
    {NULL, NULL, 0, 0},
};

static _Alignas(64) uint8_t pixels[256];
static _Alignas(64) float reals[256];

static sat_view image_good(void)
{
    return (sat_view){.data = pixels, .row_bytes = 8, .width = 8, .height = 8, .channels = 1, .type = SAT_U8};
}

static sat_view reals_good(void)
{
    return (sat_view){.data = reals, .row_bytes = 32, .width = 8, .height = 8, .channels = 1, .type = SAT_F32};
}

/* ---- rectangles ----------------------------------------------------------------------------------------- */

typedef struct question {
    sat_view image;
    sat_rect rect;
    sat_rect_f64 real;
    sat_statistics ask;
    bool no_rects;
} question;

static void ask_image(const char *fault, sat_status want, const question *q)
{
    told("sat_image_statistics", fault, want,
         sat_image_statistics(&q->image, q->no_rects ? NULL : &q->rect, 1, &q->ask, NULL));
    told("sat_image_statistics_f64", fault, want,
         sat_image_statistics_f64(&q->image, q->no_rects ? NULL : &q->real, 1, &q->ask, NULL));
}

#define ASK(want, ...)                                                                                                 \
    do {                                                                                                               \
        double values[4];                                                                                              \
        sat_rect_output output = {"std", values};                                                                      \
        question q = {.image = image_good(), .rect = {1, 1, 2, 2}, .real = {1, 1, 2, 2}};                              \
        q.ask.output = &output, q.ask.outputs = 1;                                                                     \
        __VA_ARGS__;                                                                                                   \
        ask_image(#__VA_ARGS__, want, &q);                                                                             \
    } while (0)
#define RECTANGLE(want, ...) ASK(want, q.rect = (sat_rect){__VA_ARGS__}; q.real = (sat_rect_f64){__VA_ARGS__})

static void rectangles(void **state)
{
    (void)state;
    ASK(OK, (void)q);
    ASK(OK, q.ask.outputs = 0);
    ASK(ARGUMENT, q.image.data = NULL);
    ASK(ARGUMENT, q.image.reserved = 1);
    ASK(ARGUMENT, q.ask.flags = 2);
    ASK(ARGUMENT, q.ask.threads = -1);
    ASK(ARGUMENT, q.ask.executor = &idle);
    ASK(ARGUMENT, q.ask.ddof = -1);
    ASK(ARGUMENT, q.ask.outputs = -1);
    ASK(ARGUMENT, q.ask.output = NULL);
    ASK(ARGUMENT, q.ask.reserved_word = 1);
    ASK(ARGUMENT, output.statistic = "median");
    ASK(ARGUMENT, output.statistic = NULL);
    ASK(ARGUMENT, output.values = NULL);
    ASK(ARGUMENT, q.no_rects = true);
    ASK(SHAPE, q.image.width = 0);
    ASK(SHAPE, q.image.row_bytes = PTRDIFF_MAX);
    ASK(TYPE, q.image.type = SAT_Q32; q.image.row_bytes = 32);
    ASK(TYPE, q.image.type = SAT_U64; q.image.row_bytes = 64; q.image.height = 2);
    ASK(UNAVAILABLE, q.image.memory = SAT_DEVICE);
    RECTANGLE(RECT, 1, 1, 0, 2);
    RECTANGLE(RECT, 1, 1, 2, -1);
    RECTANGLE(RECT, 7, 0, 2, 1);
    RECTANGLE(RECT, -1, 0, 2, 1);
    RECTANGLE(RECT, INT64_C(1) << 60, 0, 2, 1);
    ASK(OK, q.ask.flags = SAT_CLIP; q.rect.x = 100; q.real.x = 100);
    told("sat_image_statistics", "no question", ARGUMENT,
         sat_image_statistics(&(sat_view){0}, &(sat_rect){0}, 1, NULL, NULL));

    /* One row, read again and again: rectangles are checked before any pixel is read. */
    sat_view tall = image_good();
    tall.type = SAT_U32, tall.row_bytes = 32, tall.height = INT64_C(1) << 34;
    const sat_rect large = {0, 0, 8, (INT64_C(1) << 29) + 1};
    const sat_rect_f64 large_real = {0.5, 0, 7, 0x1p29 + 1};
    told("sat_image_statistics", "more than 2^32 px", RANGE,
         sat_image_statistics(&tall, &large, 1, &(sat_statistics){.flags = 0}, NULL));
    told("sat_image_statistics_f64", "more than 2^32 px", RANGE,
         sat_image_statistics_f64(&tall, &large_real, 1, &(sat_statistics){.flags = 0}, NULL));
    const sat_view image = image_good();
    const sat_rect inside = {1, 1, 2, 2};
    const sat_rect_f64 inside_real = {1, 1, 2, 2};
    told("sat_image_statistics", "ended", CANCELLED,
         sat_image_statistics(&image, &inside, 1, &(sat_statistics){.flags = 0}, &ended));
    told("sat_image_statistics_f64", "ended", CANCELLED,
         sat_image_statistics_f64(&image, &inside_real, 1, &(sat_statistics){.flags = 0}, &ended));
    int64_t area;
    const sat_rect_f64 nan_side = {0, 0, NAN, 1};
    const sat_statistics areas = {.areas = &area};
    told("sat_image_statistics_f64", "NaN", RECT,
         sat_image_statistics_f64(&image, &nan_side, 1, &(sat_statistics){0}, NULL));
    told("sat_image_statistics_f64", "areas", ARGUMENT,
         sat_image_statistics_f64(&image, &(sat_rect_f64){0, 0, 1, 1}, 1, &areas, NULL));
}

#define RECTS(want, ...)                                                                                               \
    do {                                                                                                               \
        sat_rects_spec s = {.width = 8, .height = 8, .sample = SAT_U8};                                                \
        sat_rect rect = {0, 0, 8, 8}, *whole = &rect;                                                                  \
        const sat_rect_f64 *real = NULL;                                                                               \
        sat_sum own;                                                                                                   \
        sat_statistics ask = {.sums = &own};                                                                           \
        sat_rects *made = NULL;                                                                                        \
        __VA_ARGS__;                                                                                                   \
        told("sat_rects_create", #__VA_ARGS__, want, sat_rects_create(&made, &s, whole, real, 1, &ask));               \
        if (want != OK) assert_null(made);                                                                             \
        sat_rects_destroy(&made);                                                                                      \
    } while (0)
#define ROWS(want, ...)                                                                                                \
    do {                                                                                                               \
        sat_view v = image_good(), mask = image_good();                                                                \
        sat_run_options run = {.first_row = 0};                                                                        \
        (void)mask;                                                                                                    \
        __VA_ARGS__;                                                                                                   \
        told("sat_rects_run", #__VA_ARGS__, want, sat_rects_run(r, &v, &run));                                         \
    } while (0)

static void rows(void **state)
{
    static const sat_rect_f64 some = {0, 0, 1, 1};
    const sat_rects_spec spec = {.width = 8, .height = 8, .sample = SAT_U8};
    const sat_rect image = {0, 0, 8, 8};
    sat_sum sum;
    int64_t from, to;
    sat_rects *r;
    (void)state;
    RECTS(OK, (void)s);
    RECTS(OK, whole = NULL; real = &some);
    RECTS(ARGUMENT, real = &some);
    RECTS(ARGUMENT, whole = NULL);
    RECTS(ARGUMENT, s.reserved[3] = true);
    RECTS(ARGUMENT, s.allocator = &halved);
    RECTS(ARGUMENT, ask.threads = -1);
    RECTS(MEMORY, s.allocator = &nothing);
    RECTS(SHAPE, s.height = 0);
    RECTS(SHAPE, s.channels = 5);
    RECTS(SHAPE, s.width = s.height = (int64_t)1 << 40);
    RECTS(MEMORY, s.count = (int64_t)1 << 40; s.channels = 4);
    RECTS(TYPE, s.sample = SAT_Q32);
    RECTS(RECT, rect.width = 9);
    RECTS(RANGE, s.width = s.height = rect.width = rect.height = 1 << 17; s.sample = SAT_U32);
    told("sat_rects_create", "no place", ARGUMENT,
         sat_rects_create(NULL, &spec, &image, NULL, 1, &(sat_statistics){.sums = &sum}));
    assert_int_equal(sat_rects_create(&r, &spec, &image, NULL, 1, &(sat_statistics){.sums = &sum}), OK);
    told("sat_rects_needs", "no place", ARGUMENT, sat_rects_needs(r, &from, NULL));
    told("sat_rects_needs", "nothing", OK, sat_rects_needs(r, &from, &to));
    ROWS(ARGUMENT, v.data = NULL);
    ROWS(ARGUMENT, run.mask = &mask);
    ROWS(SHAPE, v.width = 7);
    ROWS(SHAPE, run.first_row = 1);
    ROWS(SHAPE, run.rows = 7);
    ROWS(TYPE, v.type = SAT_I8);
    ROWS(UNAVAILABLE, v.memory = SAT_DEVICE);
    ROWS(CANCELLED, run.proceed = no_more);
    ROWS(OK, v.height = 3);
    ROWS(OK, v.height = 5; run.first_row = 3; run.rows = 5);
    ROWS(SHAPE, run.first_row = 8);
    sat_rects_destroy(&r);
    told("sat_rects_run", "no rectangles", ARGUMENT, sat_rects_run(NULL, &(sat_view){0}, NULL));
    told("sat_rects_needs", "no rectangles", ARGUMENT, sat_rects_needs(NULL, &from, &to));
}

/* ---- ranges, masks, rounding ---------------------------------------------------------------------------- */

#define RANGE_OF(want, ...)                                                                                            \
    do {                                                                                                               \
        sat_view v = reals_good();                                                                                     \
        double low, high, *to = &high;                                                                                 \
        int threads = 1;                                                                                               \
        __VA_ARGS__;                                                                                                   \
        told("sat_image_range", #__VA_ARGS__, want, sat_image_range(&v, threads, &low, to));                           \
    } while (0)
#define MASK(want, ...)                                                                                                \
    do {                                                                                                               \
        static uint8_t room[256];                                                                                      \
        sat_view v = image_good(), mask = image_good();                                                                \
        int threads = 1;                                                                                               \
        mask.data = room;                                                                                              \
        __VA_ARGS__;                                                                                                   \
        told("sat_mask_clear", #__VA_ARGS__, want, sat_mask_clear(&mask, &v, threads));                                \
    } while (0)
#define ROUNDING(want, ...)                                                                                            \
    do {                                                                                                               \
        sat_table t = {.view = reals_good(), .sample = SAT_U8};                                                        \
        sat_view v = image_good(), *given = NULL;                                                                      \
        sat_rounding r, *to = &r;                                                                                      \
        int64_t height = 7;                                                                                            \
        v.width = v.height = 7;                                                                                        \
        __VA_ARGS__;                                                                                                   \
        told("sat_table_rounding", #__VA_ARGS__, want, sat_table_rounding(&t, height, given, to));                     \
    } while (0)

static void images(void **state)
{
    (void)state;
    RANGE_OF(OK, (void)v);
    RANGE_OF(ARGUMENT, v.data = NULL);
    RANGE_OF(ARGUMENT, to = NULL);
    RANGE_OF(ARGUMENT, threads = -1);
    RANGE_OF(SHAPE, v.channels = 5);
    RANGE_OF(TYPE, v.type = SAT_Q32);
    RANGE_OF(UNAVAILABLE, v.memory = SAT_DEVICE);
    reals[9] = INFINITY;
    RANGE_OF(RANGE, (void)v);
    reals[9] = 0;
    MASK(OK, (void)v);
    MASK(ARGUMENT, v.data = NULL);
    MASK(ARGUMENT, threads = 2000);
    MASK(ARGUMENT, mask.data = pixels);
    MASK(SHAPE, mask.width = 7);
    MASK(SHAPE, mask.height = 9);
    MASK(TYPE, mask.type = SAT_I8);
    MASK(TYPE, mask.channels = 2; mask.row_bytes = 16);
    MASK(TYPE, v.type = SAT_Q32; v.row_bytes = 32);
    MASK(UNAVAILABLE, v.memory = SAT_DEVICE);
    MASK(UNAVAILABLE, mask.memory = SAT_DEVICE);
    ROUNDING(OK, (void)t);
    ROUNDING(OK, given = &v);
    ROUNDING(ARGUMENT, t.view.data = NULL);
    ROUNDING(ARGUMENT, to = NULL);
    ROUNDING(SHAPE, height = 0);
    ROUNDING(SHAPE, given = &v; v.width = 8);
    ROUNDING(SHAPE, given = &v; v.type = SAT_I8);
    ROUNDING(TYPE, t.view.type = SAT_U32);
    ROUNDING(TYPE, t.sample = SAT_F64);
    ROUNDING(TYPE, t.power = 3);
    ROUNDING(UNAVAILABLE, t.view.memory = SAT_DEVICE);
}

/* ---- light ---------------------------------------------------------------------------------------------- */

CREATES(light) = {.sample = SAT_U8};

static void light(void **state)
{
    (void)state;
    ROW(light, OK, (void)s);
    ROW(light, OK, s.sample = SAT_U16);
    ROW(light, ARGUMENT, s.threads = -1);
    ROW(light, ARGUMENT, s.reserved[5] = true);
    ROW(light, ARGUMENT, s.executor = &idle);
    ROW(light, ARGUMENT, s.allocator = &halved);
    ROW(light, MEMORY, s.allocator = &nothing);
    ROW(light, TYPE, s.sample = SAT_U32);
    ROW(light, TYPE, s.sample = SAT_TYPE_NONE);
    told("sat_light_create", "no place", ARGUMENT, sat_light_create(NULL, &light_good));

    static uint8_t room[256];
    sat_light *made, *by_alpha;
    const sat_light_spec spec = {.sample = SAT_U8, .alpha = true};
    assert_int_equal(sat_light_create(&made, &light_good), OK);
    assert_int_equal(sat_light_create(&by_alpha, &spec), OK);
#define BOTH(want, ...)                                                                                                \
    do {                                                                                                               \
        sat_view srgb = image_good(), linear = reals_good();                                                           \
        const sat_light *l = made;                                                                                     \
        srgb.data = room;                                                                                              \
        __VA_ARGS__;                                                                                                   \
        told("sat_light_from_srgb", #__VA_ARGS__, want, sat_light_from_srgb(l, &srgb, &linear));                       \
        told("sat_light_to_srgb", #__VA_ARGS__, want, sat_light_to_srgb(l, &linear, &srgb, NULL));                     \
    } while (0)
    BOTH(OK, (void)l);
    BOTH(ARGUMENT, l = NULL);
    BOTH(ARGUMENT, srgb.data = NULL);
    BOTH(ARGUMENT, linear.data = NULL);
    BOTH(ARGUMENT, srgb.data = reals);
    BOTH(SHAPE, srgb.width = 7);
    BOTH(SHAPE, l = by_alpha);
    BOTH(TYPE, srgb.type = SAT_I8);
    BOTH(TYPE, linear.type = SAT_U32);
    BOTH(UNAVAILABLE, srgb.memory = SAT_DEVICE);
    BOTH(UNAVAILABLE, linear.memory = SAT_DEVICE);
    sat_light_destroy(&made);
    sat_light_destroy(&by_alpha);
    sat_light_destroy(&made);
    sat_light_destroy(NULL);
}

/* ---- memory --------------------------------------------------------------------------------------------- */

/* What an allocator was asked for, at most at a time. */
typedef struct meter {
    size_t now, most;
} meter;

static void *count(void *context, size_t bytes, sat_memory_kind kind)
{
    meter *m = context;
    void *data = NULL;
    assert_int_equal(kind, SAT_MEMORY_HOST);
    assert_int_equal(posix_memalign(&data, 64, bytes), 0);
    m->now += bytes;
    if (m->now > m->most) m->most = m->now;
    return data;
}

static void uncount(void *context, void *data, size_t bytes, sat_memory_kind kind)
{
    (void)kind;
    ((meter *)context)->now -= bytes;
    free(data);
}

/* The bytes that are told are those that an allocator is asked for; wrong specs are refused as by creation. */
#define BYTES(id, good)                                                                                                \
    do {                                                                                                               \
        sat_bytes bytes = {1, 1, 1};                                                                                   \
        meter m = {0, 0};                                                                                              \
        const sat_allocator counting = {.allocate = count, .release = uncount, .context = &m};                         \
        sat_##id##_spec s = good;                                                                                      \
        sat_##id *made;                                                                                                \
        told("sat_" #id "_bytes", "nothing", OK, sat_##id##_bytes(&s, &bytes));                                        \
        s.allocator = &counting;                                                                                       \
        assert_int_equal(sat_##id##_create(&made, &s), OK);                                                            \
        sat_##id##_destroy(&made);                                                                                     \
        assert_int_equal(m.now, 0);                                                                                    \
        assert_true(m.most > 0);                                                                                       \
        assert_int_equal(bytes.host, m.most);                                                                          \
        assert_true(bytes.pinned == 0 && bytes.device == 0);                                                           \
        told("sat_" #id "_bytes", "no place", ARGUMENT, sat_##id##_bytes(&s, NULL));                                   \
        told("sat_" #id "_bytes", "no spec", ARGUMENT, sat_##id##_bytes(NULL, &bytes));                                \
        s.sample = SAT_Q32;                                                                                            \
        told("sat_" #id "_bytes", "q32 samples", TYPE, sat_##id##_bytes(&s, &bytes));                                  \
        assert_int_equal(bytes.host, 0);                                                                               \
    } while (0)

static void memory(void **state)
{
    (void)state;
    static const sat_window_output output[] = {{.statistic = "std"}};
    const sat_plan_spec plan = {.width = 300, .height = 200, .sample = SAT_U8};
    const sat_box_spec box = {.width = 300, .height = 200, .sample = SAT_F32, .window_width = 9, .window_height = 99};
    const sat_gauss_spec gauss = {.width = 300, .height = 200, .sample = SAT_U8, .sigma = 9};
    const sat_window_spec window = {.width = 300,
                                    .height = 200,
                                    .sample = SAT_F32,
                                    .window_width = 9,
                                    .window_height = 99,
                                    .outputs = 1,
                                    .output = output};
    const sat_light_spec samples = {.sample = SAT_U16};
    BYTES(plan, plan);
    BYTES(box, box);
    BYTES(gauss, gauss);
    BYTES(window, window);
    BYTES(light, samples);

    /* Reals of f32, and beyond sigma 64 of f64. */
    sat_gauss_spec wide = gauss;
    sat_bytes less, more;
    wide.sigma = 65;
    assert_int_equal(sat_gauss_bytes(&gauss, &less), OK);
    assert_int_equal(sat_gauss_bytes(&wide, &more), OK);
    assert_true(less.host >= 300 * 200 * 4 && more.host >= 300 * 200 * 8);

    /* More than any machine has: it is told, not had. */
    sat_gauss_spec huge = gauss;
    huge.width = huge.height = INT64_C(1) << 27;
    told("sat_gauss_bytes", "2^54 pixels", MEMORY, sat_gauss_bytes(&huge, &more));
    assert_true(more.host >= (size_t)1 << 56);
}

int main(void)
{
    calls = all;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rectangles), cmocka_unit_test(rows),   cmocka_unit_test(images),
        cmocka_unit_test(light),      cmocka_unit_test(memory), cmocka_unit_test(headers_and_calls_agree),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
