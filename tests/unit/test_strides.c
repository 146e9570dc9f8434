/* Every operation on views of any strides gives what it gives on views without gaps, and writes no byte between the
 * samples of its results: sources, masks and results that are flipped, transposed, in planes, in turns, or all of it.
 */
#include "arrays.h"

#include "sat_gauss.h"
#include "sat_query.h"
#include "sat_window.h"

enum { POISON = 0xA5, CHANNEL = 0, PIXEL, ROW, IMAGE, DIMS };

/* How the samples of a view lie: the dimensions from the one whose steps are shortest, bits of those in reverse, and
 * how many samples lie between two steps of each. */
typedef struct arrangement {
    const char *name;
    int order[DIMS];
    unsigned reversed;
    int gap[DIMS];
} arrangement;

#define ALL_REVERSED (1u << CHANNEL | 1u << PIXEL | 1u << ROW | 1u << IMAGE)
static const arrangement arrangements[] = {
    {"rows with gaps", {CHANNEL, PIXEL, ROW, IMAGE}, 0, {0, 0, 3, 1}},
    {"columns in reverse", {CHANNEL, PIXEL, ROW, IMAGE}, 1u << PIXEL, {0}},
    {"rows in reverse", {CHANNEL, PIXEL, ROW, IMAGE}, 1u << ROW, {0}},
    {"turned by half", {CHANNEL, PIXEL, ROW, IMAGE}, 1u << PIXEL | 1u << ROW, {0}},
    {"channels in reverse", {CHANNEL, PIXEL, ROW, IMAGE}, 1u << CHANNEL, {0}},
    {"pixels and channels in reverse", {CHANNEL, PIXEL, ROW, IMAGE}, 1u << CHANNEL | 1u << PIXEL, {0}},
    {"transposed", {CHANNEL, ROW, PIXEL, IMAGE}, 0, {0}},
    {"transposed and turned", {CHANNEL, ROW, PIXEL, IMAGE}, 1u << ROW | 1u << PIXEL, {0, 5, 0, 0}},
    {"planes", {PIXEL, ROW, CHANNEL, IMAGE}, 0, {0}},
    {"images side by side", {CHANNEL, PIXEL, IMAGE, ROW}, 1u << IMAGE, {0, 0, 2, 0}},
    {"images in turns", {IMAGE, CHANNEL, PIXEL, ROW}, 0, {0}},
    {"every other pixel", {CHANNEL, PIXEL, ROW, IMAGE}, 0, {0, 4, 0, 0}},
    {"columns of planes in reverse", {ROW, PIXEL, IMAGE, CHANNEL}, ALL_REVERSED, {1, 2, 1, 3}},
    {"images of columns", {IMAGE, ROW, CHANNEL, PIXEL}, ALL_REVERSED, {0, 1, 1, 2}},
};
enum { ARRANGEMENTS = sizeof arrangements / sizeof *arrangements };

/* A view in memory of its own, which is poison. */
typedef struct array {
    sat_view v;
    uint8_t *memory;
    size_t bytes;
} array;

static array arrange(const sat_view *like, const arrangement *how)
{
    array a = {.v = *like};
    const ptrdiff_t size = (ptrdiff_t)sat_type_bytes(like->type);
    const int64_t n[DIMS] = {like->channels, like->width, like->height, like->count};
    ptrdiff_t *const bytes[DIMS] = {&a.v.channel_bytes, &a.v.pixel_bytes, &a.v.row_bytes, &a.v.image_bytes};
    ptrdiff_t step = size, low = 0;
    for (int k = 0; k < DIMS; k++) {
        const int i = how->order[k];
        step += how->gap[i] * size;
        *bytes[i] = how->reversed >> i & 1 ? -step : step;
        if (*bytes[i] < 0) low += (n[i] - 1) * *bytes[i];
        step *= n[i];
    }
    a.bytes = (size_t)step + 64;
    a.memory = malloc(a.bytes);
    assert_non_null(a.memory);
    memset(a.memory, POISON, a.bytes);
    a.v.data = a.memory + 32 - low;
    return a;
}

static array packed(const sat_view *like)
{
    static const arrangement rows = {.order = {CHANNEL, PIXEL, ROW, IMAGE}};
    return arrange(like, &rows);
}

/* Calls for each sample of two views of one shape; `at` of b may be NULL. */
static void each_sample(const sat_view *a, const sat_view *b, void (*call)(void *at, void *other, size_t n, void *),
                        void *context)
{
    const size_t n = sat_type_bytes(a->type);
    for (int64_t i = 0; i < a->count; i++) {
        const sat_view one = sat_view_image(a, i), two = b ? sat_view_image(b, i) : one;
        for (int64_t y = 0; y < a->height; y++)
            for (int64_t x = 0; x < a->width; x++)
                for (int c = 0; c < a->channels; c++)
                    call(entry_at(&one, x, y, c), entry_at(&two, x, y, c), n, context);
    }
}

static void copy_sample(void *to, void *from, size_t n, void *context)
{
    (void)context;
    memcpy(to, from, n);
}

static void compare_sample(void *a, void *b, size_t n, void *different)
{
    if (memcmp(a, b, n) != 0) ++*(int *)different;
    memset(a, POISON, n); /* what is left must be poison, too */
}

static void assert_same(const array *is, const array *want, const char *what, const char *op, const char *how)
{
    int different = 0;
    each_sample(&is->v, &want->v, compare_sample, &different);
    if (different) fail_msg("%s, %s %s: %d samples differ", op, what, how, different);
    for (size_t i = 0; i < is->bytes; i++)
        if (is->memory[i] != POISON) fail_msg("%s, %s %s: a byte between samples was written", op, what, how);
}

/* ---- operations ------------------------------------------------------------------------------------------ */

typedef struct operation operation;
typedef struct run {
    const operation *op;
    int64_t width, height, count;
    int channels, threads;
    const sat_view *src, *mask, *result[2];
} run;

struct operation {
    const char *name;
    void (*run)(const run *r);
    sat_type sample, result;
    const char *backend, *border;
    int channels;        /* 0: any */
    int window;          /* times the image's side if below 0 */
    bool weighted_alpha; /* 2 or 4 channels */
    sat_layout layout;
    int power;
    bool masked;
    sat_gauss_mode mode;
    const char *statistic[2];
};

static void table(const run *r)
{
    const operation *o = r->op;
    sat_plan_spec s = {.width = r->width, .height = r->height, .channels = r->channels, .count = r->count};
    s.sample = o->sample, s.accum = o->result, s.layout = o->layout, s.backend = o->backend, s.threads = r->threads;
    s.power = o->power, s.masked = s.skip_nan = o->masked;
    if (o->result == SAT_Q32) assert_ok(sat_quant_for(-128, 128, r->width, &s.quant));
    sat_plan *plan;
    assert_ok(sat_plan_create(&plan, &s));
    assert_ok(sat_plan_run(plan, r->src, r->result[0], &(sat_run_options){.mask = r->mask}));
    sat_plan_destroy(&plan);
}

static int64_t side(const operation *o, int64_t n)
{
    return o->window < 0 ? -o->window * n : o->window;
}

static void box(const run *r)
{
    const operation *o = r->op;
    sat_box_spec s = {.width = r->width, .height = r->height, .channels = r->channels, .count = r->count};
    s.sample = o->sample, s.result = o->result, s.backend = o->backend, s.border = o->border, s.threads = r->threads;
    s.window_width = side(o, r->width), s.window_height = side(o, r->height), s.weighted_alpha = o->weighted_alpha;
    s.border_value[0] = 7, s.border_value[1] = s.border_value[3] = 3;
    sat_box *filter;
    assert_ok(sat_box_create(&filter, &s));
    assert_ok(sat_box_run(filter, r->src, r->result[0], NULL));
    sat_box_destroy(&filter);
}

static void gauss(const run *r)
{
    const operation *o = r->op;
    sat_gauss_spec s = {.width = r->width, .height = r->height, .channels = r->channels, .count = r->count};
    s.sample = o->sample, s.result = o->result, s.border = o->border, s.threads = r->threads, s.mode = o->mode;
    s.sigma = 2, s.sigma2 = 5, s.amount = 0.5, s.weighted_alpha = o->weighted_alpha;
    sat_gauss *filter;
    assert_ok(sat_gauss_create(&filter, &s));
    assert_ok(sat_gauss_run(filter, r->src, r->result[0], NULL));
    sat_gauss_destroy(&filter);
}

static void window(const run *r)
{
    const operation *o = r->op;
    const sat_window_output outputs[] = {{.statistic = o->statistic[0], .result = o->result},
                                         {.statistic = o->statistic[1], .result = SAT_U8, .compare = true}};
    sat_window_spec s = {.width = r->width, .height = r->height, .channels = r->channels, .count = r->count};
    s.sample = o->sample, s.border = o->border, s.threads = r->threads, s.masked = o->masked;
    s.window_width = side(o, r->width), s.window_height = side(o, r->height);
    s.outputs = o->statistic[1] ? 2 : 1, s.output = outputs, s.skip_nan = o->masked;
    sat_window *w;
    assert_ok(sat_window_create(&w, &s));
    const sat_view results[] = {*r->result[0], o->statistic[1] ? *r->result[1] : *r->result[0]};
    assert_ok(sat_window_run(w, r->src, r->mask, results, NULL));
    sat_window_destroy(&w);
}

#define SHRINK "shrink"
static const operation operations[] = {
    {"padded table of u8", table, SAT_U8, SAT_U32, .power = 1},
    {"inclusive table of u16", table, SAT_U16, SAT_U64, .layout = SAT_INCLUSIVE},
    {"exclusive table of i32", table, SAT_I32, SAT_I64, .layout = SAT_EXCLUSIVE},
    {"table of f64 in fixed point", table, SAT_F64, SAT_Q32, .power = 1},
    {"masked table of u8", table, SAT_U8, SAT_U32, .masked = true},
    {"masked table of counts of f32", table, SAT_F32, SAT_U32, .masked = true, .power = SAT_COUNTS},
    {"table of squares of u8", table, SAT_U8, SAT_U64, .power = 2},
    {"inclusive table of f32", table, SAT_F32, SAT_F64, .layout = SAT_INCLUSIVE},
    {"serial table of i16", table, SAT_I16, SAT_I32, .backend = "serial"},
    {"serial exclusive table of f32", table, SAT_F32, SAT_F64, "serial", .layout = SAT_EXCLUSIVE},
    {"box of u8", box, SAT_U8, SAT_U8, NULL, SHRINK, .window = 15},
    {"small box of u8", box, SAT_U8, SAT_U8, NULL, "constant", .window = 3},
    {"box of i16 beyond the image", box, SAT_I16, SAT_F32, NULL, "wrap", .window = -3},
    {"box of u32", box, SAT_U32, SAT_F64, NULL, "reflect", .window = 9},
    {"box of weighted u16", box, SAT_U16, SAT_U16, NULL, "replicate", .window = 5, .weighted_alpha = true},
    {"box of f32", box, SAT_F32, SAT_F32, NULL, SHRINK, .window = 21},
    {"small box of f32", box, SAT_F32, SAT_F32, NULL, "reflect101", .window = 3},
    {"box of f64", box, SAT_F64, SAT_F64, NULL, "wrap", .window = 6},
    {"box of weighted f32", box, SAT_F32, SAT_F64, NULL, "reflect", .window = 11, .weighted_alpha = true},
    {"box of f32 far beyond the image", box, SAT_F32, SAT_F32, NULL, "wrap", .window = -19},
    {"serial box of u8", box, SAT_U8, SAT_U8, "serial", "constant", .window = 4},
    {"serial box of weighted f32", box, SAT_F32, SAT_F32, "serial", SHRINK, .window = 5, .weighted_alpha = true},
    {"blur of u8", gauss, SAT_U8, SAT_U8, NULL, "reflect", .mode = SAT_GAUSS_BLUR},
    {"unsharp mask of weighted u16", gauss, SAT_U16, SAT_U16, NULL, SHRINK, .mode = SAT_GAUSS_UNSHARP,
     .weighted_alpha = true},
    {"difference of f32", gauss, SAT_F32, SAT_F64, NULL, "replicate", .mode = SAT_GAUSS_DOG},
    {"variances of u8", window, SAT_U8, SAT_F32, NULL, SHRINK, .window = 9, .statistic = {"var", "mean"}},
    {"variances of i16 with a mask", window, SAT_I16, SAT_I32, NULL, "reflect", .window = 7, .masked = true,
     .statistic = {"var", "sauvola"}},
    {"extremes of u16 with a mask", window, SAT_U16, SAT_F64, NULL, "constant", .window = 5, .masked = true,
     .statistic = {"norm", "wolf"}},
    {"means of f32 with a mask", window, SAT_F32, SAT_F32, NULL, "constant", .window = 12, .masked = true,
     .statistic = {"mean", "niblack"}},
    {"variances of f64", window, SAT_F64, SAT_F64, NULL, SHRINK, .window = 40, .statistic = {"var"}},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

/* ---- the test -------------------------------------------------------------------------------------------- */

static sat_view shape(const run *r, sat_type type, int channels)
{
    return (sat_view){.width = r->width, .height = r->height, .channels = channels, .type = type, .count = r->count};
}

static void mask_some(void *at, void *other, size_t n, void *context)
{
    (void)other, (void)n, (void)context;
    *(uint8_t *)at = random_in(0, 3) ? (uint8_t)random_in(1, 255) : 0;
}

/* The operation on what lies as `how` says, one view after the other and then all of them. */
static void try_operation(run *r)
{
    const operation *o = r->op;
    const bool is_table = o->run == table, padded = is_table && o->layout == SAT_PADDED;
    const sat_view of_src = shape(r, o->sample, r->channels), of_mask = shape(r, SAT_U8, 1);
    sat_view of_result[] = {shape(r, o->result, r->channels), shape(r, SAT_U8, r->channels)};
    of_result[0].width += padded, of_result[0].height += padded;
    array src = packed(&of_src), mask = packed(&of_mask), want[] = {packed(&of_result[0]), packed(&of_result[1])};
    randomise(&src.v);
    each_sample(&mask.v, NULL, mask_some, NULL);
    r->src = &src.v, r->mask = o->masked ? &mask.v : NULL, r->result[0] = &want[0].v, r->result[1] = &want[1].v;
    o->run(r);
    for (int a = 0; a < ARRANGEMENTS; a++) {
        const arrangement *how = &arrangements[a];
        array src_there = arrange(&of_src, how), mask_there = arrange(&of_mask, how);
        each_sample(&src_there.v, &src.v, copy_sample, NULL);
        each_sample(&mask_there.v, &mask.v, copy_sample, NULL);
        for (int which = 0; which < 3; which++) { /* inputs, results, all */
            const bool in = which != 1, out = which != 0;
            array is[2];
            for (int i = 0; i < 2; i++) is[i] = out ? arrange(&of_result[i], how) : packed(&of_result[i]);
            r->src = in ? &src_there.v : &src.v;
            if (o->masked) r->mask = in ? &mask_there.v : &mask.v;
            r->result[0] = &is[0].v, r->result[1] = &is[1].v;
            o->run(r);
            static const char *const what[] = {"input", "result", "input and result"};
            assert_same(&is[0], &want[0], what[which], o->name, how->name);
            if (o->statistic[1]) assert_same(&is[1], &want[1], what[which], o->name, how->name);
            free(is[0].memory), free(is[1].memory);
        }
        free(src_there.memory), free(mask_there.memory);
    }
    free(src.memory), free(mask.memory), free(want[0].memory), free(want[1].memory);
}

/* step: between the numbers of channels that are tried. */
static void operations_do_not_depend_on_strides(int64_t width, int64_t height, int64_t count, int step)
{
    for (int i = 0; i < OPERATIONS; i++)
        for (int channels = 1 + i % step; channels <= 4; channels += step) {
            run r = {.op = &operations[i], .width = width, .height = height, .count = count, .channels = channels};
            if (r.op->weighted_alpha) r.channels += channels % 2;
            r.threads = 1 + (i + channels) % 3;
            try_operation(&r);
        }
}

static void small_images(void **state)
{
    (void)state;
    operations_do_not_depend_on_strides(23, 37, 2, 1);
    operations_do_not_depend_on_strides(1, 9, 1, 1);
    operations_do_not_depend_on_strides(70, 1, 3, 1);
}

/* More than any part of a row that is worked on at a time. */
static void wide_images(void **state)
{
    (void)state;
    operations_do_not_depend_on_strides(1300, 11, 1, 4);
}

/* More rows than are gathered at a time. */
static void tall_images(void **state)
{
    (void)state;
    operations_do_not_depend_on_strides(12, 200, 1, 2);
}

static sat_view transpose_of(const sat_view *v)
{
    sat_view t = *v;
    t.width = v->height, t.height = v->width, t.row_bytes = v->pixel_bytes, t.pixel_bytes = v->row_bytes;
    return t;
}

/* The library filters narrow images as their transpose, and wide ones as they are. */
static void narrow_images_are_transposes_of_wide_ones(void **state)
{
    (void)state;
    for (int i = 0; i < OPERATIONS; i++) {
        const operation *o = &operations[i];
        const int channels = o->weighted_alpha ? 2 : 1 + i % 3;
        if (o->run != box && o->run != window) continue;
        run r = {.op = o, .width = 1 + i % 7, .height = 200, .count = 2, .channels = channels, .threads = 1 + i % 2};
        const sat_view of_src = shape(&r, o->sample, channels), of_mask = shape(&r, SAT_U8, 1);
        const sat_view of_result[] = {shape(&r, o->result, channels), shape(&r, SAT_U8, channels)};
        array src = packed(&of_src), mask = packed(&of_mask), is[2], want[2];
        for (int k = 0; k < 2; k++) is[k] = packed(&of_result[k]), want[k] = packed(&of_result[k]);
        randomise(&src.v);
        each_sample(&mask.v, NULL, mask_some, NULL);
        const sat_view wide[] = {transpose_of(&src.v), transpose_of(&mask.v), transpose_of(&want[0].v),
                                 transpose_of(&want[1].v)};
        r.src = &src.v, r.mask = o->masked ? &mask.v : NULL, r.result[0] = &is[0].v, r.result[1] = &is[1].v;
        o->run(&r);
        r.src = &wide[0], r.mask = o->masked ? &wide[1] : NULL, r.result[0] = &wide[2], r.result[1] = &wide[3];
        r.width = of_src.height, r.height = of_src.width;
        o->run(&r);
        for (int k = 0; k < 2; k++) {
            if (k == 0 || o->statistic[1]) assert_same(&is[k], &want[k], "result", o->name, "of a narrow image");
            free(is[k].memory), free(want[k].memory);
        }
        free(src.memory), free(mask.memory);
    }
}

/* Results that go past the caches, where they have no gaps. */
static void streamed_images(void **state)
{
    (void)state;
    setenv("SAT_STREAM", "always", 1);
    operations_do_not_depend_on_strides(90, 40, 1, 3);
}

/* Rectangles, in tables of any strides. */
static void questions_do_not_depend_on_strides(void **state)
{
    (void)state;
    enum { W = 29, H = 17, IMAGES = 3, N = 200 };
    for (int round = 0; round < 12; round++) {
        const sat_layout layout = (sat_layout)(round % 3);
        const int channels = 1 + round % 4, padded = layout == SAT_PADDED;
        const sat_view of = {.width = W, .height = H, .channels = channels, .type = SAT_U8, .count = IMAGES};
        sat_view of_table = of;
        of_table.width += padded, of_table.height += padded, of_table.type = SAT_U64;
        array image = packed(&of), sums = packed(&of_table), squares = packed(&of_table);
        randomise(&image.v);
        const operation o = {"", table, SAT_U8, SAT_U64, .layout = layout},
                        o2 = {"", table, SAT_U8, SAT_U64, .layout = layout, .power = 2};
        run r = {.op = &o, .width = W, .height = H, .count = IMAGES, .channels = channels, .threads = 1};
        r.src = &image.v, r.result[0] = &sums.v, table(&r);
        r.op = &o2, r.result[0] = &squares.v, table(&r);
        sat_rect rects[N];
        sat_rect_f64 fractions[N];
        for (int i = 0; i < N; i++) {
            rects[i] = (sat_rect){.x = random_in(0, W - 3), .y = random_in(0, H - 3)};
            rects[i].width = random_in(1, W - 1 - rects[i].x), rects[i].height = random_in(1, H - 1 - rects[i].y);
            fractions[i] = (sat_rect_f64){(double)rects[i].x + 0.25, (double)rects[i].y + 0.5, 1.5, 1.125};
        }
        static double variances[2][N * IMAGES * 4], means[2][N * IMAGES * 4];
        static sat_sum whole[2][N * IMAGES * 4], parts[2][N * IMAGES * 4];
        for (int a = -1; a < ARRANGEMENTS; a++) {
            const int k = a >= 0;
            array there = a < 0 ? packed(&of_table) : arrange(&of_table, &arrangements[a]);
            array squares_there = a < 0 ? packed(&of_table) : arrange(&of_table, &arrangements[a]);
            each_sample(&there.v, &sums.v, copy_sample, NULL);
            each_sample(&squares_there.v, &squares.v, copy_sample, NULL);
            const sat_table t = {.view = there.v, .layout = layout, .sample = SAT_U8};
            const sat_table t2 = {.view = squares_there.v, .layout = layout, .sample = SAT_U8, .power = 2};
            const sat_rect_output var = {.statistic = "var", .values = variances[k]}, mean = {"mean", means[k]};
            const sat_statistics ask = {.sums = whole[k], .output = &var, .outputs = 1, .threads = 2};
            const sat_statistics ask_parts = {.sums = parts[k], .output = &mean, .outputs = 1};
            assert_ok(sat_table_statistics(&t, &t2, rects, N, &ask, NULL));
            assert_ok(sat_table_statistics_f64(&t, NULL, fractions, N, &ask_parts, NULL));
            const size_t n = (size_t)(N * IMAGES * channels);
            assert_memory_equal(whole[0], whole[k], n * sizeof **whole);
            assert_memory_equal(parts[0], parts[k], n * sizeof **parts);
            assert_memory_equal(means[0], means[k], n * sizeof **means);
            assert_memory_equal(variances[0], variances[k], n * sizeof **variances);
            free(there.memory), free(squares_there.memory);
        }
        free(image.memory), free(sums.memory), free(squares.memory);
    }
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_images),      cmocka_unit_test(wide_images),
        cmocka_unit_test(tall_images),       cmocka_unit_test(narrow_images_are_transposes_of_wide_ones),
        test_with_settings(streamed_images), cmocka_unit_test(questions_do_not_depend_on_strides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
