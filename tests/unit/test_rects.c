/* Rectangles of images that come by rows: the bits of the whole image, whatever rows come at a time; no rows but those
 * that are needed, each between pages that may not be touched. */
#include "arrays.h"
#include "sat_rects.h"

enum { WIDTH = 61, HEIGHT = 47, RECTS = 160, MOST = RECTS * 2 * 4, CASES = 1500 };

static const sat_type types[] = {SAT_U8, SAT_U16, SAT_U32, SAT_I8, SAT_I16, SAT_I32, SAT_F32, SAT_F64};
enum { TYPES = sizeof types / sizeof *types };

typedef struct answers {
    sat_sum sums[MOST];
    double mean[MOST], var[MOST], std[MOST], rms[MOST], sum[MOST], count[MOST], area[MOST], areas_f64[RECTS];
    int64_t areas[RECTS];
    sat_rect_output output[7];
    sat_statistics ask;
} answers;

static void ask_for(answers *a, int outputs)
{
    memset(a, 0x5a, sizeof *a);
    const sat_rect_output output[7] = {{"mean", a->mean}, {"count", a->count}, {"area", a->area}, {"sum", a->sum},
                                       {"rms", a->rms},   {"var", a->var},     {"std", a->std}};
    memcpy(a->output, output, sizeof output);
    a->ask = (sat_statistics){.sums = a->sums, .areas_f64 = a->areas_f64, .output = a->output, .outputs = outputs};
}

/* Random bits, but floats of magnitudes whose sums round. */
static void fill(const sat_view *v, bool some_nan)
{
    randomise(v);
    for (int64_t i = 0; i < v->count; i++)
        for (int64_t y = 0; y < v->height; y++)
            for (int64_t x = 0; x < v->width; x++)
                for (int c = 0; c < v->channels; c++) {
                    const sat_view one = sat_view_image(v, i);
                    const double value = ldexp((double)(int64_t)random64(), (int)random_in(-80, -40));
                    void *at = entry_at(&one, x, y, c);
                    if (v->type == SAT_F32) *(float *)at = some_nan && random_in(0, 9) == 0 ? NAN : (float)value;
                    if (v->type == SAT_F64) *(double *)at = some_nan && random_in(0, 9) == 0 ? NAN : value;
                }
}

/* Rows [y, y + n) alone, before a page that may not be touched; poison lies before them. */
static sat_view cut(const sat_view *v, int64_t y, int64_t n)
{
    const ptrdiff_t pixel = v->channels * (ptrdiff_t)sat_type_bytes(v->type);
    sat_view rows = guarded_images(v->width, n, v->count, v->channels, v->type, 0, (size_t)random_in(0, 3), 0);
    for (int64_t i = 0; i < v->count; i++)
        for (int64_t k = 0; k < n; k++)
            for (int64_t x = 0; x < v->width; x++) {
                const sat_view from = sat_view_image(v, i), to = sat_view_image(&rows, i);
                memcpy(entry_at(&to, x, k, 0), entry_at(&from, x, y + k, 0), (size_t)pixel);
            }
    return rows;
}

/* Gives all rows that are needed, some at a time; returns how many. */
static int64_t give(sat_rects *r, const sat_view *image, const sat_view *mask, int64_t most)
{
    int64_t from, to, rows = 0;
    for (;;) {
        assert_ok(sat_rects_needs(r, &from, &to));
        if (from == to) return rows;
        assert_true(0 <= from && from < to && to <= image->height);
        const int64_t left = to - from, n = random_in(1, left < most ? left : most);
        sat_view part = cut(image, from, n), counts = mask ? cut(mask, from, n) : part;
        assert_ok(sat_rects_run(r, &part, &(sat_run_options){.first_row = from, .mask = mask ? &counts : NULL}));
        if (mask) unguard(&counts);
        unguard(&part);
        rows += n;
    }
}

/* By their pixels and, where there are many of integers, by tables of rows. */
static void the_bits_of_the_whole_image(void **state)
{
    static answers is, want;
    (void)state;
    for (int k = 0; k < CASES; k++) {
        const sat_type type = types[k % TYPES];
        const bool floats = type == SAT_F32 || type == SAT_F64, real = random_in(0, 2) == 0, clip = random_in(0, 1);
        const bool holes = random_in(0, 2) == 0, masked = holes && random_in(0, 1);
        const int channels = (int)random_in(1, 4), outputs = (int)random_in(0, 7);
        const size_t n = (size_t)(random_in(0, 2) ? random_in(1, 6) : RECTS);
        sat_view v = guarded_images(WIDTH, HEIGHT, random_in(1, 2), channels, type, (size_t)random_in(0, 1), 1, 3);
        sat_view mask = guarded_images(WIDTH, HEIGHT, v.count, 1, SAT_U8, 0, 0, 0);
        fill(&v, holes);
        for (size_t i = 0; i < (size_t)(WIDTH * HEIGHT * v.count); i++)
            ((uint8_t *)mask.data)[i] = (uint8_t)random_in(0, 2);
        sat_rect rects[RECTS];
        sat_rect_f64 reals[RECTS];
        for (size_t i = 0; i < n; i++) {
            const int64_t x = random_in(0, WIDTH - 1), y = random_in(0, HEIGHT - 1);
            rects[i] = (sat_rect){x, y, random_in(1, WIDTH - x), random_in(1, random_in(0, 1) ? 4 : HEIGHT)};
            if (rects[i].y + rects[i].height > HEIGHT) rects[i].height = HEIGHT - y;
            if (clip && random_in(0, 3) == 0) rects[i].x -= 30, rects[i].y += 20;
            reals[i] = (sat_rect_f64){(double)rects[i].x + 0.3, (double)rects[i].y + (double)random_in(0, 9) / 10,
                                      (double)rects[i].width - 0.6, (double)rects[i].height - 0.93};
        }
        ask_for(&is, outputs), ask_for(&want, outputs);
        is.ask.ddof = random_in(0, 2), is.ask.flags = clip ? SAT_CLIP : 0, is.ask.threads = (int)random_in(1, 3);
        is.ask.skip_nan = holes && floats, is.ask.has_nodata = holes && !floats, is.ask.nodata = 7;
        if (!real) is.ask.areas = is.areas;
        const sat_statistics own = want.ask;
        want.ask = is.ask;
        want.ask.sums = own.sums, want.ask.areas_f64 = own.areas_f64, want.ask.output = own.output;
        if (!real) want.ask.areas = want.areas;
        const sat_run_options run = {.mask = masked ? &mask : NULL};
        const sat_rects_spec spec = {
            .width = WIDTH, .height = HEIGHT, .count = v.count, .channels = channels, .sample = type, .masked = masked};
        sat_rects *r;
        assert_ok(sat_rects_create(&r, &spec, real ? NULL : rects, real ? reals : NULL, n, &is.ask));
        if (real)
            assert_ok(sat_image_statistics_f64(&v, reals, n, &want.ask, &run));
        else
            assert_ok(sat_image_statistics(&v, rects, n, &want.ask, &run));
        memset(rects, 0x77, sizeof rects), memset(reals, 0x77, sizeof reals); /* they were copied */
        const int passes = sat_rects_passes(r);
        const int64_t given = give(r, &v, masked ? &mask : NULL, random_in(0, 1) ? 5 : HEIGHT);
        assert_true(passes <= 1 + (floats && outputs > 5) && given <= passes * HEIGHT && (given > 0) == (passes > 0));
        sat_rects_destroy(&r);
        if (memcmp(&is, &want, offsetof(answers, output)) != 0)
            fail_msg("case %d: %zu rectangles of %s, %d channels: other bits", k, n, sat_type_name(type), channels);
        unguard(&v), unguard(&mask);
    }
}

/* Rows that no rectangle has are not asked for. */
static void the_rows_that_are_needed(void **state)
{
    static answers a;
    const sat_rect rects[] = {{0, 40, 3, 2}, {5, 3, 9, 4}, {2, 7, 2, 1}, {60, 6, 1, 3}, {0, 99, 5, 5}};
    const sat_rects_spec spec = {.width = WIDTH, .height = HEIGHT, .sample = SAT_F32};
    static float samples[HEIGHT][WIDTH];
    int64_t from, to;
    sat_rects *r;
    (void)state;
    ask_for(&a, 7);
    a.ask.flags = SAT_CLIP;
    assert_ok(sat_rects_create(&r, &spec, rects, NULL, 5, &a.ask));
    assert_int_equal(sat_rects_passes(r), 2);
    for (int pass = 0; pass < 2; pass++) {
        sat_view v = {.width = WIDTH, .channels = 1, .type = SAT_F32, .row_bytes = sizeof *samples};
        assert_ok(sat_rects_needs(r, &from, &to));
        assert_true(from == 3 && to == 9);
        v.data = samples[3], v.height = 6;
        assert_ok(sat_rects_run(r, &v, &(sat_run_options){.first_row = 3}));
        assert_ok(sat_rects_needs(r, &from, &to));
        assert_true(from == 40 && to == 42);
        v.height = 1;
        for (int64_t y = 40; y < 42; y++) {
            v.data = samples[y];
            said(sat_rects_run(r, &v, &(sat_run_options){.first_row = y - 1}), SAT_ERR_SHAPE, "are needed");
            assert_ok(sat_rects_run(r, &v, &(sat_run_options){.first_row = y, .rows = 1}));
        }
    }
    assert_ok(sat_rects_needs(r, &from, &to));
    assert_true(from == to && a.mean[0] == 0 && isnan(a.mean[4]));
    sat_rects_destroy(&r);
    /* None for areas alone, for none that is left, and for none. */
    for (int k = 0; k < 3; k++) {
        ask_for(&a, 0);
        a.ask.flags = SAT_CLIP, a.ask.areas = a.areas;
        if (k == 0) a.ask.sums = NULL;
        assert_ok(sat_rects_create(&r, &spec, k == 1 ? rects + 4 : rects, NULL, k == 2 ? 0 : k == 1 ? 1 : 5, &a.ask));
        assert_ok(sat_rects_needs(r, &from, &to));
        assert_true(from == to && sat_rects_passes(r) == 0);
        if (k == 0) assert_true(a.areas[0] == 6 && a.areas[4] == 0);
        sat_rects_destroy(&r);
    }
}

static bool no_more(void *context)
{
    return (*(int *)context)-- > 0;
}

/* In either pass; then from the first row on. */
static void an_end(void **state)
{
    enum { SIDE = 3000 };
    static answers a;
    static float samples[SIDE][SIDE];
    const sat_rect rects[] = {{0, 0, SIDE, SIDE}, {5, 7, 2, 2}, {0, 2999, SIDE, 1}};
    const sat_rects_spec spec = {.width = SIDE, .height = SIDE, .sample = SAT_F32};
    sat_view v = {.width = SIDE, .channels = 1, .type = SAT_F32, .row_bytes = sizeof *samples};
    int64_t from, to;
    sat_rects *r;
    (void)state;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) samples[y][x] = (float)(y % 2);
    for (int pass = 0; pass < 2; pass++) {
        ask_for(&a, 7);
        assert_ok(sat_rects_create(&r, &spec, rects, NULL, 3, &a.ask));
        for (int part = 0; part < 2 * pass; part++) {
            v.data = samples[part * SIDE / 2], v.height = SIDE / 2;
            assert_ok(sat_rects_run(r, &v, &(sat_run_options){.first_row = part * SIDE / 2}));
        }
        v.data = samples[0], v.height = SIDE / 2;
        assert_ok(sat_rects_run(r, &v, NULL));
        int more = 1;
        const sat_run_options run = {.proceed = no_more, .context = &more, .first_row = SIDE / 2};
        v.data = samples[SIDE / 2];
        assert_int_equal(sat_rects_run(r, &v, &run), SAT_ERR_CANCELLED);
        assert_ok(sat_rects_needs(r, &from, &to));
        assert_true(from == 0 && to == SIDE);
        for (int part = 0; part < 4; part++) {
            v.data = samples[part % 2 * SIDE / 2];
            assert_ok(sat_rects_run(r, &v, &(sat_run_options){.first_row = part % 2 * SIDE / 2}));
        }
        assert_ok(sat_rects_needs(r, &from, &to));
        assert_true(from == to && a.mean[0] == 0.5 && a.mean[1] == 0.5 && a.mean[2] == 1);
        assert_true(a.var[0] == 0.25 && a.var[1] == 0.25 && a.var[2] == 0);
        sat_rects_destroy(&r);
    }
    sat_rects_destroy(&r);
}

/* ---- memory that is refused ----------------------------------------------------------------------------- */

static size_t largest_bytes;

static void *up_to_largest(void *context, size_t bytes, sat_memory_kind kind)
{
    (void)context, (void)kind;
    return bytes <= largest_bytes ? aligned_alloc(64, (bytes + 63) / 64 * 64) : NULL;
}

static void give_back(void *context, void *data, size_t bytes, sat_memory_kind kind)
{
    (void)context, (void)bytes, (void)kind;
    free(data);
}

/* Where there is no room for tables of some rows, the pixels answer; where there is none for a rectangle, none do. */
static void little_memory(void **state)
{
    enum { SIDE = 400 };
    static answers is, want;
    static uint8_t samples[SIDE][SIDE];
    static sat_rect rects[RECTS];
    const sat_allocator allocator = {up_to_largest, give_back, NULL};
    sat_rects_spec spec = {.width = SIDE, .height = SIDE, .sample = SAT_U8};
    const sat_view v = {
        .data = samples, .width = SIDE, .height = SIDE, .channels = 1, .type = SAT_U8, .row_bytes = sizeof *samples};
    sat_rects *r;
    (void)state;
    for (int i = 0; i < SIDE * SIDE; i++) samples[i / SIDE][i % SIDE] = (uint8_t)(i % 977 * i % 251);
    for (int i = 0; i < RECTS; i++) rects[i] = (sat_rect){i % 200, i % 190, 200, 200};
    for (largest_bytes = SIZE_MAX;; largest_bytes = 100 << 10, spec.allocator = &allocator) {
        ask_for(&is, 0);
        is.ask.threads = 1;
        assert_ok(sat_rects_create(&r, &spec, rects, NULL, RECTS, &is.ask));
        give(r, &v, NULL, SIDE);
        sat_rects_destroy(&r);
        if (largest_bytes != SIZE_MAX) break;
        want = is;
    }
    assert_memory_equal(is.sums, want.sums, sizeof is.sums);
    largest_bytes = 100;
    assert_int_equal(sat_rects_create(&r, &spec, rects, NULL, RECTS, &is.ask), SAT_ERR_MEMORY);
    assert_null(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bits_of_the_whole_image),
        cmocka_unit_test(the_rows_that_are_needed),
        cmocka_unit_test(an_end),
        cmocka_unit_test(little_memory),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
