/* What objects are made of, and the views that they are run on: each with one thing that is wrong (statuses.h). */
#include "sat_gauss.h"
#include "sat_lab.h"
#include "sat_query.h"
#include "sat_window.h"
#include "statuses.h"

#define LARGEST ((int64_t)1 << 40)

static call all[] = {
    {"sat_quant_for", NULL, 0, 0},
    {"sat_view_alloc", NULL, ON_DEVICE | NO_MEMORY, 0},
    {"sat_table_for", NULL, 0, 0},
    {"sat_table_of", NULL, ON_DEVICE, 0},
    {"sat_tables_of", "sat_table_of", ON_DEVICE, 0},
    {"sat_plan_create", NULL, ON_DEVICE, 0},
    {"sat_plan_run", NULL, ON_DEVICE, 0},
    {"sat_plan_wait", NULL, ON_DEVICE | OF_RECTS, 0},
    {"sat_box_create", NULL, ON_DEVICE, 0},
    {"sat_box_run", NULL, ON_DEVICE, 0},
    {"sat_device_current", NULL, ON_DEVICE | NO_MEMORY, 0},
    {"sat_device_alloc", NULL, ON_DEVICE | NO_MEMORY, 0},
    {"sat_device_fill", "sat_device_current", ON_DEVICE | NO_MEMORY | OF_VIEWS, 0},
    {"sat_device_copy", "sat_device_current", ON_DEVICE | NO_MEMORY, 0},
    {"sat_device_wait", "sat_device_current", ON_DEVICE | NO_MEMORY | OF_VIEWS, 0},
    {"sat_device_capturing", "sat_device_current", ON_DEVICE | NO_MEMORY | OF_VIEWS, 0},
    {"sat_device_time", NULL, ON_DEVICE, 0},
    {"sat_window_create", NULL, ON_DEVICE, 0},
    {"sat_window_run", NULL, ON_DEVICE, 0},
    {"sat_window_wait", NULL, ON_DEVICE, 0},
    {"sat_gauss_create", NULL, 0, 0},
    {"sat_gauss_run", NULL, 0, 0},
    {NULL, NULL, 0, 0},
};

/* ---- specs ---------------------------------------------------------------------------------------------- */

CREATES(plan) = {.width = 8, .height = 8, .sample = SAT_U8, .accum = SAT_U32};
CREATES(box) = {.width = 8, .height = 8, .sample = SAT_U8, .window_width = 3, .window_height = 3};
CREATES(gauss) = {.width = 8, .height = 8, .sample = SAT_U8, .sigma = 1};
static const sat_window_output mean = {.statistic = "mean"}, var = {.statistic = "var"};
CREATES(window) = {
    .width = 8, .height = 8, .sample = SAT_U8, .window_width = 3, .window_height = 3, .outputs = 1, .output = &mean};

#define IMAGES(want, ...)                                                                                              \
    do {                                                                                                               \
        ROW(plan, want, __VA_ARGS__);                                                                                  \
        ROW(box, want, __VA_ARGS__);                                                                                   \
        ROW(gauss, want, __VA_ARGS__);                                                                                 \
        ROW(window, want, __VA_ARGS__);                                                                                \
    } while (0)

static void specs_of_images(void **state)
{
    (void)state;
    IMAGES(OK, (void)s);
    IMAGES(SHAPE, s.width = 0);
    IMAGES(SHAPE, s.width = -1);
    IMAGES(SHAPE, s.height = LARGEST + 1);
    IMAGES(SHAPE, s.width = s.height = LARGEST);
    IMAGES(SHAPE, s.channels = 5);
    IMAGES(SHAPE, s.channels = -1);
    IMAGES(SHAPE, s.count = -1);
    IMAGES(SHAPE, s.count = LARGEST + 1);
    IMAGES(TYPE, s.sample = SAT_TYPE_NONE);
    IMAGES(TYPE, s.sample = SAT_U64);
    IMAGES(TYPE, s.sample = SAT_Q32);
    IMAGES(TYPE, s.sample = (sat_type)99);
    IMAGES(ARGUMENT, s.threads = -1);
    IMAGES(ARGUMENT, s.threads = 1025);
    IMAGES(ARGUMENT, s.memory = (sat_memory)2);
    IMAGES(ARGUMENT, s.reserved[sizeof s.reserved - 1] = true);
    ROW(plan, ARGUMENT, s.reserved_word = 1);
    ROW(box, ARGUMENT, s.reserved_word = 1);
    ROW(gauss, ARGUMENT, s.reserved_word = 1);
    IMAGES(ARGUMENT, s.executor = &idle);
    IMAGES(ARGUMENT, s.allocator = &halved);
    IMAGES(MEMORY, s.allocator = &nothing);
    IMAGES(UNAVAILABLE, s.backend = "abacus");
    IMAGES(UNAVAILABLE, s.backend = "cpu"; s.memory = SAT_DEVICE);
    told("sat_plan_create", "no place", ARGUMENT, sat_plan_create(NULL, &plan_good));
    told("sat_box_create", "no place", ARGUMENT, sat_box_create(NULL, &box_good));
    told("sat_gauss_create", "no place", ARGUMENT, sat_gauss_create(NULL, &gauss_good));
    told("sat_window_create", "no place", ARGUMENT, sat_window_create(NULL, &window_good));
    plan_made("no spec", ARGUMENT, NULL);
    box_made("no spec", ARGUMENT, NULL);
    gauss_made("no spec", ARGUMENT, NULL);
    window_made("no spec", ARGUMENT, NULL);
}

static void table_for(const char *fault, sat_status want, const sat_plan_spec *s)
{
    sat_table t;
    told("sat_table_for", fault, want, sat_table_for(s, &t));
}

/* What sat_table_for() checks, too. */
#define PLAN(want, ...)                                                                                                \
    do {                                                                                                               \
        sat_plan_spec s = plan_good;                                                                                   \
        __VA_ARGS__;                                                                                                   \
        plan_made(#__VA_ARGS__, want, &s);                                                                             \
        table_for(#__VA_ARGS__, want, &s);                                                                             \
    } while (0)

static void specs_of_plans(void **state)
{
    const sat_quant quant = {.offset = 0, .step = 0.5, .largest = 255};
    (void)state;
    PLAN(OK, (void)s);
    PLAN(SHAPE, s.channels = 5);
    PLAN(SHAPE, s.width = LARGEST);
    PLAN(ARGUMENT, s.layout = (sat_layout)3);
    PLAN(ARGUMENT, s.power = 3);
    PLAN(ARGUMENT, s.power = -2);
    PLAN(OK, s.power = SAT_COUNTS);
    PLAN(TYPE, (s.power = SAT_COUNTS, s.accum = SAT_F32));
    PLAN(ARGUMENT, (s.has_nodata = true, s.nodata = 0.5));
    PLAN(TYPE, s.accum = SAT_U8);
    PLAN(TYPE, s.accum = (sat_type)99);
    PLAN(TYPE, s.accum = SAT_Q32; s.quant = quant);
    PLAN(TYPE, s.sample = SAT_U32; s.accum = SAT_I32);
    PLAN(TYPE, s.sample = SAT_I8; s.accum = SAT_U32);
    PLAN(TYPE, s.sample = SAT_F32; s.accum = SAT_U64);
    PLAN(TYPE, s.sample = SAT_F64; s.accum = SAT_F32);
    PLAN(TYPE, s.power = 2; s.accum = SAT_I32);
    PLAN(TYPE, s.power = 2; s.accum = SAT_F32);
    PLAN(TYPE, s.power = 2; s.sample = SAT_U32; s.accum = SAT_U64);
    PLAN(OK, s.sample = SAT_F32; s.accum = SAT_Q32; s.quant = quant);
#define QUANT(want, ...) PLAN(want, s.sample = SAT_F32; s.accum = SAT_Q32; s.quant = quant; __VA_ARGS__)
    QUANT(ARGUMENT, s.quant.step = 0);
    QUANT(ARGUMENT, s.quant.step = 0.3);
    QUANT(ARGUMENT, s.quant.step = -1);
    QUANT(ARGUMENT, s.quant.step = NAN);
    QUANT(ARGUMENT, s.quant.step = 0x1p1023);
    QUANT(ARGUMENT, s.quant.largest = 0);
    QUANT(ARGUMENT, s.quant.largest = 1U << 31);
    QUANT(ARGUMENT, s.quant.offset = INFINITY);
    ROW(plan, UNAVAILABLE, s.power = 2; s.backend = "cpu-copy");
    told("sat_table_for", "no place", ARGUMENT, sat_table_for(&plan_good, NULL));
    table_for("no spec", ARGUMENT, NULL);

    sat_quant made;
    told("sat_quant_for", "no pixels", ARGUMENT, sat_quant_for(0, 1, 0, &made));
    told("sat_quant_for", "no result", ARGUMENT, sat_quant_for(0, 1, 1, NULL));
    told("sat_quant_for", "out of order", RANGE, sat_quant_for(1, 0, 1, &made));
    told("sat_quant_for", "NaN", RANGE, sat_quant_for(0, NAN, 1, &made));
    told("sat_quant_for", "too many pixels", RANGE, sat_quant_for(0, 1, LARGEST, &made));
    told("sat_quant_for", "", OK, sat_quant_for(0, 1, 1, &made));
}

/* Box filters and statistics of windows have the same windows and borders. */
#define WINDOW(want, ...)                                                                                              \
    do {                                                                                                               \
        ROW(box, want, __VA_ARGS__);                                                                                   \
        ROW(window, want, __VA_ARGS__);                                                                                \
    } while (0)
#define BORDER(want, ...)                                                                                              \
    do {                                                                                                               \
        WINDOW(want, s.border = "constant"; __VA_ARGS__);                                                              \
        ROW(gauss, want, s.border = "constant"; __VA_ARGS__);                                                          \
    } while (0)

static void specs_of_filters(void **state)
{
    (void)state;
    BORDER(ARGUMENT, s.border = "cliff");
    BORDER(ARGUMENT, s.border_value[0] = 256);
    BORDER(ARGUMENT, s.border_value[0] = 0.5);
    BORDER(ARGUMENT, s.border_value[0] = NAN);
    BORDER(ARGUMENT, s.sample = SAT_I16; s.channels = 4; s.border_value[3] = -32769);
    BORDER(ARGUMENT, s.sample = SAT_F32; s.border_value[0] = 1e300);
    BORDER(OK, s.sample = SAT_F32; s.border_value[0] = INFINITY);
    BORDER(OK, s.sample = SAT_F64; s.border_value[0] = 1e300);
    BORDER(OK, s.border = "wrap"; s.border_value[0] = 256);
    WINDOW(ARGUMENT, s.window_width = 0);
    WINDOW(ARGUMENT, s.window_height = (int64_t)1 << 31);
    WINDOW(ARGUMENT, s.anchor = (sat_anchor)2);
    WINDOW(RANGE, s.border = "wrap"; s.sample = SAT_U16; s.window_width = s.window_height = INT32_MAX);
    WINDOW(RANGE, s.border = "wrap"; s.sample = SAT_I16; s.window_width = s.window_height = INT32_MAX);

    ROW(box, ARGUMENT, s.weighted_alpha = true);
    ROW(box, ARGUMENT, s.weighted_alpha = true; s.channels = 3);
    ROW(box, OK, s.weighted_alpha = true; s.channels = 2);
    ROW(box, RANGE, s.weighted_alpha = true; s.channels = 2; s.sample = SAT_U32);
    ROW(box, RANGE, s.weighted_alpha = true; s.channels = 4; s.sample = SAT_I32);
    ROW(box, TYPE, s.result = SAT_U16);
    ROW(box, TYPE, s.result = SAT_I64);
    ROW(box, TYPE, s.sample = SAT_F32; s.result = SAT_U8);
    ROW(box, OK, s.result = SAT_U8);
    ROW(box, UNAVAILABLE, s.backend = "cpu-copy");

    ROW(gauss, ARGUMENT, s.weighted_alpha = true; s.channels = 3);
    ROW(gauss, OK, s.weighted_alpha = true; s.channels = 2; s.sample = SAT_U32);
    ROW(gauss, ARGUMENT, s.sigma = 0);
    ROW(gauss, ARGUMENT, s.sigma = -1);
    ROW(gauss, ARGUMENT, s.sigma = NAN);
    ROW(gauss, ARGUMENT, s.sigma = SAT_GAUSS_SIGMA_MAX + 1);
    ROW(gauss, ARGUMENT, s.mode = SAT_GAUSS_UNSHARP; s.amount = INFINITY);
    ROW(gauss, ARGUMENT, s.mode = SAT_GAUSS_DOG; s.sigma2 = 0);
    ROW(gauss, ARGUMENT, s.mode = (sat_gauss_mode)3);
    ROW(gauss, TYPE, s.result = SAT_U16);
    ROW(gauss, TYPE, s.mode = SAT_GAUSS_DOG; s.sigma2 = 2; s.result = SAT_U8);
    ROW(gauss, OK, s.result = SAT_U8);
    ROW(gauss, UNAVAILABLE, s.memory = SAT_DEVICE);
    ROW(gauss, UNAVAILABLE, s.backend = "serial");
}

#define OUTPUT(want, ...)                                                                                              \
    do {                                                                                                               \
        sat_window_output o = mean;                                                                                    \
        sat_window_spec s = window_good;                                                                               \
        s.output = &o;                                                                                                 \
        __VA_ARGS__;                                                                                                   \
        window_made(#__VA_ARGS__, want, &s);                                                                           \
    } while (0)

static void specs_of_windows(void **state)
{
    (void)state;
    OUTPUT(ARGUMENT, s.outputs = 0);
    OUTPUT(ARGUMENT, s.outputs = SAT_OUTPUTS + 1);
    OUTPUT(ARGUMENT, s.output = NULL);
    OUTPUT(ARGUMENT, o.statistic = "median");
    OUTPUT(ARGUMENT, o.statistic = NULL);
    OUTPUT(ARGUMENT, o.statistic = "var"; o.set = 1);
    OUTPUT(ARGUMENT, o.set = 1U << SAT_PARAMETERS);
    OUTPUT(ARGUMENT, o.statistic = "sauvola"; o.set = 1; o.parameter[0] = NAN);
    OUTPUT(ARGUMENT, o.statistic = "sauvola"; o.set = 2; o.parameter[1] = 0);
    OUTPUT(ARGUMENT, o.reserved[2] = true);
    OUTPUT(ARGUMENT, o.reserved_word = 1);
    OUTPUT(TYPE, o.result = SAT_Q32);
    OUTPUT(TYPE, o.result = (sat_type)99);
    OUTPUT(TYPE, o.compare = true; o.result = SAT_F32);
    OUTPUT(ARGUMENT, s.ddof = -1);
    OUTPUT(ARGUMENT, s.min_valid = -0.5);
    OUTPUT(ARGUMENT, s.min_valid = 1.5);
    OUTPUT(ARGUMENT, s.min_valid = NAN);
    OUTPUT(ARGUMENT, s.has_nodata = true; s.nodata = 256);
    OUTPUT(ARGUMENT, s.has_nodata = true; s.nodata = 0.5);
    OUTPUT(ARGUMENT, s.has_nodata = true; s.nodata = NAN);
    OUTPUT(ARGUMENT, s.has_nodata = true; s.sample = SAT_F32; s.nodata = 1e300);
    OUTPUT(OK, s.has_nodata = true; s.sample = SAT_F32; s.nodata = NAN);
    OUTPUT(UNAVAILABLE, s.backend = "serial");
    OUTPUT(RANGE, s.border = "wrap"; s.sample = SAT_F32; s.window_width = s.window_height = 1 << 15);
    OUTPUT(OK, s.border = "wrap"; s.sample = SAT_F32; s.window_width = 17);
    OUTPUT(RANGE, s.border = "wrap"; s.output = &var; s.window_width = s.window_height = 1 << 24);
    OUTPUT(OK, s.border = "wrap"; s.window_width = s.window_height = 1 << 24);
}

/* ---- views ---------------------------------------------------------------------------------------------- */

enum { SIDE = 8, ROOM = 4096 };
static _Alignas(64) uint8_t pixels[ROOM], room[ROOM];

static const sat_view image_good = {
    .data = pixels, .row_bytes = SIDE, .width = SIDE, .height = SIDE, .channels = 1, .type = SAT_U8};

/* The calls that take an image and write one, with the type and padding of what they write. */
static sat_plan *plan;
static sat_box *box;
static sat_gauss *gauss;
static sat_window *window;

static sat_status run_plan(const sat_view *from, const sat_view *to)
{
    return sat_plan_run(plan, from, to, NULL);
}
static sat_status run_box(const sat_view *from, const sat_view *to)
{
    return sat_box_run(box, from, to, NULL);
}
static sat_status run_gauss(const sat_view *from, const sat_view *to)
{
    return sat_gauss_run(gauss, from, to, NULL);
}
static sat_status run_window(const sat_view *from, const sat_view *to)
{
    return sat_window_run(window, from, NULL, to, NULL);
}
static const struct {
    const char *name;
    sat_status (*run)(const sat_view *from, const sat_view *to);
    sat_type type;
    int padding;
} runs[] = {{"sat_plan_run", run_plan, SAT_U32, 1},
            {"sat_box_run", run_box, SAT_U8, 0},
            {"sat_gauss_run", run_gauss, SAT_U8, 0},
            {"sat_window_run", run_window, SAT_F32, 0}};

static sat_view result_of(int run)
{
    const int side = SIDE + runs[run].padding;
    return (sat_view){.data = room,
                      .row_bytes = (ptrdiff_t)sat_row_bytes(side, 1, runs[run].type),
                      .width = side,
                      .height = side,
                      .channels = 1,
                      .type = runs[run].type};
}

/* `from` is the image, `to` the result, `size` that of its samples. */
#define RUN(want, ...)                                                                                                 \
    for (int run = 0; run < 4; run++) {                                                                                \
        sat_view from = image_good, to = result_of(run);                                                               \
        const ptrdiff_t size = (ptrdiff_t)sat_type_bytes(to.type);                                                     \
        (void)size;                                                                                                    \
        __VA_ARGS__;                                                                                                   \
        told(runs[run].name, #__VA_ARGS__, want, runs[run].run(&from, &to));                                           \
    }

static void views(void **state)
{
    (void)state;
    assert_int_equal(sat_plan_create(&plan, &plan_good), SAT_OK);
    assert_int_equal(sat_box_create(&box, &box_good), SAT_OK);
    assert_int_equal(sat_gauss_create(&gauss, &gauss_good), SAT_OK);
    assert_int_equal(sat_window_create(&window, &window_good), SAT_OK);
    RUN(OK, (void)from);
    RUN(ARGUMENT, from.data = NULL);
    RUN(ARGUMENT, to.data = NULL);
    RUN(ARGUMENT, from.memory = (sat_memory)7);
    RUN(ARGUMENT, from.memory = SAT_DEVICE);
    RUN(ARGUMENT, to.memory = SAT_DEVICE);
    RUN(ARGUMENT, from.reserved = 1);
    RUN(ARGUMENT, from.type = SAT_TYPE_NONE);
    RUN(ARGUMENT, to.type = (sat_type)99);
    RUN(ARGUMENT, to.reserved_words[1] = 1);
    RUN(OK, from.data = (char *)from.data + SIDE - 1; from.pixel_bytes = -1);
    RUN(OK, to.data = (char *)to.data + (to.width - 1) * size; to.pixel_bytes = -size);
    RUN(ARGUMENT, to.data = pixels);
    RUN(SHAPE, from.width = 0);
    RUN(SHAPE, from.width--);
    RUN(SHAPE, to.width--);
    RUN(SHAPE, from.height++);
    RUN(SHAPE, from.height--);
    RUN(SHAPE, to.height--);
    RUN(SHAPE, from.channels = 5);
    RUN(SHAPE, to.channels = 0);
    RUN(SHAPE, from.channels = 2; from.row_bytes = 2 * SIDE);
    RUN(SHAPE, from.count = -1);
    RUN(SHAPE, from.count = LARGEST + 1);
    RUN(SHAPE, from.count = 2);
    RUN(SHAPE, to.count = 2);
    RUN(OK, from.row_bytes = SIDE - 1);
    RUN(SHAPE, to.row_bytes -= size);
    RUN(SHAPE, to.row_bytes = -size);
    RUN(SHAPE, from.row_bytes = PTRDIFF_MAX);
    RUN(TYPE, from.type = SAT_I8);
    RUN(TYPE, to.type = SAT_I8);
    for (int run = 0; run < 4; run++)
        if (sat_type_bytes(runs[run].type) > 1) {
            sat_view from = image_good, to = result_of(run);
            to.row_bytes++;
            told(runs[run].name, "to.row_bytes++", ARGUMENT, runs[run].run(&from, &to));
        }
    sat_view from = image_good, to = result_of(0);
    told("sat_window_wait", "no window", ARGUMENT, sat_window_wait(NULL, NULL));
    told("sat_window_wait", "of views in host memory", OK, sat_window_wait(window, NULL));
    told("sat_plan_run", "ended", CANCELLED, sat_plan_run(plan, &from, &to, &ended));
    const sat_plan_spec with_mask = {.width = 8, .height = 8, .sample = SAT_U8, .accum = SAT_U32, .masked = true};
    sat_plan *masked;
    sat_view mask = from;
    assert_int_equal(sat_plan_create(&masked, &with_mask), SAT_OK);
    told("sat_plan_run", "no mask", ARGUMENT, sat_plan_run(masked, &from, &to, NULL));
    mask.memory = SAT_DEVICE;
    told("sat_plan_run", "a mask on a device", UNAVAILABLE,
         sat_plan_run(masked, &from, &to, &(sat_run_options){.mask = &mask}));
    sat_plan_destroy(&masked);
    told("sat_plan_run", "no plan", ARGUMENT, sat_plan_run(NULL, &from, &to, NULL));
    told("sat_plan_wait", "no plan", ARGUMENT, sat_plan_wait(NULL, NULL));
    told("sat_plan_wait", "host memory", OK, sat_plan_wait(plan, NULL));
    to = result_of(1);
    told("sat_box_run", "ended", CANCELLED, sat_box_run(box, &from, &to, &ended));
    told("sat_gauss_run", "ended", CANCELLED, sat_gauss_run(gauss, &from, &to, &ended));
    told("sat_box_run", "no filter", ARGUMENT, sat_box_run(NULL, &from, &to, NULL));
    told("sat_gauss_run", "no filter", ARGUMENT, sat_gauss_run(NULL, &from, &to, NULL));
    told("sat_window_run", "no window", ARGUMENT, sat_window_run(NULL, &from, NULL, &to, NULL));
    told("sat_window_run", "no results", ARGUMENT, sat_window_run(window, &from, NULL, NULL, NULL));
    to = result_of(3);
    told("sat_window_run", "ended", CANCELLED, sat_window_run(window, &from, NULL, &to, &ended));
    told("sat_window_run", "a mask", ARGUMENT, sat_window_run(window, &from, &from, &to, NULL));
    sat_plan_destroy(&plan);
    sat_box_destroy(&box);
    sat_gauss_destroy(&gauss);
    sat_window_destroy(&window);
}

static void samples(void **state)
{
    sat_plan_spec quantised = plan_good;
    sat_box_spec by_table = box_good;
    float *reals = (float *)(void *)pixels;
    sat_view from = image_good, to = result_of(0);
    (void)state;
    from.type = SAT_F32, from.row_bytes = SIDE * sizeof *reals;
    to.type = SAT_Q32;
    quantised.sample = SAT_F32, quantised.accum = SAT_Q32;
    quantised.quant = (sat_quant){.offset = 0, .step = 1, .largest = 255};
    assert_int_equal(sat_plan_create(&plan, &quantised), SAT_OK);
    memset(pixels, 0, sizeof pixels);
    told("sat_plan_run", "q32", OK, sat_plan_run(plan, &from, &to, NULL));
    reals[9] = 256;
    told("sat_plan_run", "a sample of q32 too large", RANGE, sat_plan_run(plan, &from, &to, NULL));
    reals[9] = NAN;
    told("sat_plan_run", "a NaN of q32", RANGE, sat_plan_run(plan, &from, &to, NULL));
    sat_table table;
    quantised.width = 0;
    const sat_plan_spec of_bytes = quantised, in_f32 = {.accum = SAT_F32};
    told("sat_table_of", "a NaN of q32", RANGE, sat_table_of(&from, &quantised, &table));
    assert_null(table.view.data);
    quantised.accum = SAT_U32;
    told("sat_table_of", "floats in u32", TYPE, sat_table_of(&from, &quantised, &table));
    told("sat_table_of", "another height", SHAPE, sat_table_of(&from, &(sat_plan_spec){.height = 9}, &table));
    told("sat_table_of", "no memory", MEMORY, sat_table_of(&from, &(sat_plan_spec){.allocator = &nothing}, &table));
    told("sat_table_of", "abacus", UNAVAILABLE, sat_table_of(&from, &(sat_plan_spec){.backend = "abacus"}, &table));
    told("sat_table_of", "no table", ARGUMENT, sat_table_of(&from, NULL, NULL));
    told("sat_table_of", "no spec", OK, sat_table_of(&from, NULL, &table));
    sat_view_free(&table.view);
    told("sat_tables_of", "a NaN of q32", RANGE, sat_tables_of(&from, &of_bytes, NULL, &table, NULL, NULL));
    told("sat_tables_of", "counts in f32", TYPE, sat_tables_of(&from, &in_f32, NULL, NULL, NULL, &table));
    told("sat_tables_of", "another height", SHAPE,
         sat_tables_of(&from, &(sat_plan_spec){.height = 9}, NULL, &table, NULL, NULL));
    told("sat_tables_of", "no memory", MEMORY,
         sat_tables_of(&from, &(sat_plan_spec){.allocator = &nothing}, NULL, NULL, &table, NULL));
    told("sat_tables_of", "abacus", UNAVAILABLE,
         sat_tables_of(&from, &(sat_plan_spec){.backend = "abacus"}, NULL, &table, NULL, NULL));
    told("sat_tables_of", "ended", CANCELLED, sat_tables_of(&from, NULL, &ended, NULL, NULL, &table));
    assert_null(table.view.data);
    told("sat_tables_of", "no image", ARGUMENT, sat_tables_of(NULL, NULL, NULL, &table, NULL, NULL));
    told("sat_tables_of", "no tables", OK, sat_tables_of(&from, NULL, NULL, NULL, NULL, NULL));
    sat_plan_destroy(&plan);
    by_table.sample = SAT_F32, by_table.backend = "serial";
    to = from, to.data = room;
    assert_int_equal(sat_box_create(&box, &by_table), SAT_OK);
    told("sat_box_run", "a NaN in a table", RANGE, sat_box_run(box, &from, &to, NULL));
    sat_box_destroy(&box);
}

#define ALLOC(want, ...)                                                                                               \
    do {                                                                                                               \
        sat_view v = {.width = 3, .height = 3, .channels = 1, .type = SAT_U16};                                        \
        __VA_ARGS__;                                                                                                   \
        told("sat_view_alloc", #__VA_ARGS__, want, sat_view_alloc(&v));                                                \
        if (want != OK) assert_null(v.data);                                                                           \
        sat_view_free(&v);                                                                                             \
    } while (0)

static void allocations(void **state)
{
    void *data;
    (void)state;
    ALLOC(OK, (void)v);
    ALLOC(ARGUMENT, v.type = SAT_TYPE_NONE);
    ALLOC(ARGUMENT, v.memory = (sat_memory)2);
    ALLOC(ARGUMENT, v.reserved = 1);
    ALLOC(ARGUMENT, v.row_bytes = 7);
    ALLOC(SHAPE, v.width = 0);
    ALLOC(SHAPE, v.channels = 5);
    ALLOC(SHAPE, v.row_bytes = 4);
    ALLOC(ARGUMENT, v.pixel_bytes = 1);
    ALLOC(SHAPE, v.pixel_bytes = -4; v.row_bytes = 6);
    ALLOC(SHAPE, v.count = -1);
    ALLOC(SHAPE, v.width = v.height = LARGEST);
    told("sat_view_alloc", "no view", ARGUMENT, sat_view_alloc(NULL));

    sat_view from = image_good, to = image_good;
    to.data = room;
    told("sat_device_current", "no place", ARGUMENT, sat_device_current(NULL));
    told("sat_device_alloc", "no place", ARGUMENT, sat_device_alloc(NULL, 1));
    told("sat_device_alloc", "no bytes", ARGUMENT, sat_device_alloc(&data, 0));
    told("sat_device_fill", "no memory", ARGUMENT, sat_device_fill(NULL, 0, 1, NULL));
    told("sat_device_copy", "no view", ARGUMENT, sat_device_copy(NULL, &to, NULL));
    told("sat_device_copy", "overlap", ARGUMENT, sat_device_copy(&from, &from, NULL));
    to.width--, told("sat_device_copy", "another width", SHAPE, sat_device_copy(&from, &to, NULL));
    to.width++, to.type = SAT_I8, told("sat_device_copy", "another type", TYPE, sat_device_copy(&from, &to, NULL));
    told("sat_device_time", "no work", ARGUMENT, sat_device_time(NULL, NULL, NULL, NULL));
}

static sat_status no_work(void *arg)
{
    (void)arg;
    return SAT_OK;
}

static void without_a_device(void **state)
{
    void *data;
    double us;
    sat_device_info device;
    sat_view to = image_good;
    (void)state;
    to.data = room;
    if (has_device()) {
        for (call *c = all; c->name; c++) c->unseen |= NO_DEVICE;
        skip();
    }
    ALLOC(UNAVAILABLE, v.memory = SAT_DEVICE);
    told("sat_device_current", "no device", UNAVAILABLE, sat_device_current(&device));
    told("sat_device_alloc", "no device", UNAVAILABLE, sat_device_alloc(&data, 1));
    told("sat_device_fill", "no device", UNAVAILABLE, sat_device_fill(room, 0, 1, NULL));
    told("sat_device_copy", "no device", UNAVAILABLE, sat_device_copy(&image_good, &to, NULL));
    told("sat_device_wait", "no device", UNAVAILABLE, sat_device_wait(NULL));
    bool capturing;
    told("sat_device_capturing", "no device", UNAVAILABLE, sat_device_capturing(NULL, &capturing));
    told("sat_device_time", "no device", UNAVAILABLE, sat_device_time(no_work, NULL, NULL, &us));
}

int main(void)
{
    calls = all;
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(specs_of_images),
        cmocka_unit_test(specs_of_plans),
        cmocka_unit_test(specs_of_filters),
        cmocka_unit_test(specs_of_windows),
        cmocka_unit_test(views),
        cmocka_unit_test(samples),
        cmocka_unit_test(allocations),
        cmocka_unit_test(without_a_device),
        cmocka_unit_test(headers_and_calls_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
