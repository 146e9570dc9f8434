/* Some rows of an image at a time have the bits of the whole image: box filters, windows and Gaussians, any bands in
 * any order.  The source and the mask of a run hold the rows that the library asks for, between pages that may not be
 * touched. */
#include "arrays.h"

#include "sat_gauss.h"
#include "sat_window.h"

enum { CASES = 400, TYPES = 8, BORDERS = 6 };

static const sat_type types[TYPES] = {SAT_U8, SAT_U16, SAT_U32, SAT_I8, SAT_I16, SAT_I32, SAT_F32, SAT_F64};
static const char *const borders[BORDERS] = {"shrink", "reflect101", "reflect", "replicate", "wrap", "constant"};

/* ---- fenced views ---------------------------------------------------------------------------------------- */

typedef struct fenced {
    sat_view v;
    char *base;
    size_t bytes;
} fenced;

/* Rows without gaps, of which the first begins behind such a page, or the last one ends before one. */
static fenced fence(int64_t width, int64_t height, int channels, sat_type type, bool front)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), row = sat_row_bytes(width, channels, type);
    const size_t bytes = row * (size_t)height, pages = (bytes + page - 1) / page * page;
    fenced f = {.bytes = pages + 2 * page};
    f.base = mmap(NULL, f.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (f.base == MAP_FAILED || mprotect(f.base, page, PROT_NONE) || mprotect(f.base + page + pages, page, PROT_NONE))
        abort();
    f.v = (sat_view){.width = width, .height = height, .channels = channels, .type = type};
    f.v.row_bytes = (ptrdiff_t)row;
    f.v.data = f.base + page + (front ? 0 : pages - bytes);
    return f;
}

static void unfence(fenced *f)
{
    munmap(f->base, f->bytes);
}

/* Rows [from, to) of an image, modulo its height. */
static fenced rows_of(const sat_view *image, int64_t from, int64_t to, bool front)
{
    fenced f = fence(image->width, to - from, image->channels, image->type, front);
    for (int64_t y = from; y < to; y++) {
        const int64_t row = ((y % image->height) + image->height) % image->height;
        memcpy((char *)f.v.data + (y - from) * f.v.row_bytes, (char *)image->data + row * image->row_bytes,
               (size_t)f.v.row_bytes);
    }
    return f;
}

/* ---- operations ------------------------------------------------------------------------------------------ */

typedef enum kind { BOX, WINDOW, GAUSS, KINDS } kind;

typedef struct subject {
    kind kind;
    sat_box_spec box;
    sat_window_spec window;
    sat_gauss_spec gauss;
    sat_window_output output[2];
    int results;
    sat_type type[2];
    bool masked;
} subject;

typedef union object {
    sat_box *box;
    sat_window *window;
    sat_gauss *gauss;
} object;

static sat_status create(const subject *s, int64_t band_rows, object *o)
{
    subject copy = *s;
    copy.box.band_rows = copy.window.band_rows = copy.gauss.band_rows = band_rows;
    copy.window.output = copy.output;
    switch (s->kind) {
    case BOX: return sat_box_create(&o->box, &copy.box);
    case WINDOW: return sat_window_create(&o->window, &copy.window);
    default: return sat_gauss_create(&o->gauss, &copy.gauss);
    }
}

static void destroy(const subject *s, object *o)
{
    if (s->kind == BOX) sat_box_destroy(&o->box);
    if (s->kind == WINDOW) sat_window_destroy(&o->window);
    if (s->kind == GAUSS) sat_gauss_destroy(&o->gauss);
}

static sat_status needs(const subject *s, const object *o, int64_t first, int64_t end, int64_t *from, int64_t *to)
{
    switch (s->kind) {
    case BOX: return sat_box_needs(o->box, first, end, from, to);
    case WINDOW: return sat_window_needs(o->window, first, end, from, to);
    default: return sat_gauss_needs(o->gauss, first, end, from, to);
    }
}

static sat_status run(const subject *s, const object *o, const sat_view *src, const sat_view *mask,
                      const sat_view *results, sat_run_options *options)
{
    options->mask = mask;
    switch (s->kind) {
    case BOX: return sat_box_run(o->box, src, results, options);
    case WINDOW: return sat_window_run(o->window, src, NULL, results, options);
    default: return sat_gauss_run(o->gauss, src, results, options);
    }
}

static bool one_in(int n)
{
    return random_in(1, n) == 1;
}

static void draw_window(subject *s)
{
    static const char *const names[] = {"mean", "std", "var", "sum", "rms", "count", "sauvola", "niblack", "wolf"};
    const sat_box_spec *b = &s->box;
    sat_window_spec *w = &s->window;
    *w = (sat_window_spec){.width = b->width,
                           .height = b->height,
                           .channels = b->channels,
                           .sample = b->sample,
                           .window_width = b->window_width,
                           .window_height = b->window_height,
                           .border = b->border,
                           .anchor = b->anchor,
                           .threads = b->threads,
                           .outputs = (int)random_in(1, 2),
                           .masked = one_in(3),
                           .has_nodata = one_in(3),
                           .nodata = 3,
                           .skip_nan = one_in(4)};
    w->avoid_empty = w->has_nodata && one_in(2);
    w->keep_holes = one_in(4);
    if (one_in(3)) w->min_valid = 2;
    for (int c = 0; c < 4; c++) w->border_value[c] = b->border_value[c];
    s->results = w->outputs;
    s->masked = w->masked;
    for (int i = 0; i < w->outputs; i++) {
        s->output[i] = (sat_window_output){.statistic = names[random_in(0, 8)]};
        s->output[i].compare = one_in(8) && strcmp(s->output[i].statistic, "count") != 0;
        if (!s->output[i].compare) s->output[i].result = one_in(3) ? b->sample : one_in(2) ? SAT_F32 : SAT_F64;
        s->type[i] = s->output[i].compare ? SAT_U8 : s->output[i].result;
    }
}

static void draw_gauss(subject *s)
{
    static const double sigmas[] = {0.1, 0.8, 3, 4, 4.5, 6, 9, 70};
    const sat_box_spec *b = &s->box;
    sat_gauss_spec *g = &s->gauss;
    *g = (sat_gauss_spec){.width = b->width,
                          .height = b->height,
                          .channels = b->channels,
                          .sample = b->sample,
                          .border = b->border,
                          .weighted_alpha = b->weighted_alpha,
                          .threads = b->threads,
                          .sigma = sigmas[random_in(0, 7)],
                          .sigma2 = sigmas[random_in(0, 7)],
                          .amount = 0.5,
                          .mode = (sat_gauss_mode)random_in(0, 2),
                          .masked = one_in(3),
                          .has_nodata = one_in(3),
                          .nodata = 3,
                          .skip_nan = one_in(4),
                          .keep_holes = one_in(4)};
    if (one_in(4) && g->mode != SAT_GAUSS_DOG) g->side = one_in(2) ? 4.7 : 36.25; /* a window with a rim */
    if (one_in(3)) g->min_valid = 0.3;
    if (g->mode == SAT_GAUSS_BLUR && one_in(3)) g->sigma = 0, g->side = (double)random_in(6, 450) / 5 + 0.1;
    for (int c = 0; c < 4; c++) g->border_value[c] = b->border_value[c];
    g->result = g->mode == SAT_GAUSS_DOG || one_in(2) ? SAT_F32 : g->sample;
    s->type[0] = g->result;
    s->masked = g->masked;
}

/* Mostly windows and bands that are small beside the image, sometimes beyond it. */
static subject draw(void)
{
    subject s = {.kind = (kind)random_in(0, KINDS - 1), .results = 1};
    sat_box_spec *b = &s.box;
    *b = (sat_box_spec){.width = one_in(12) ? random_in(700, 1400) : random_in(1, 50),
                        .height = random_in(1, 150),
                        .channels = (int)random_in(1, 4),
                        .sample = types[random_in(0, TYPES - 1)],
                        .window_width = random_in(1, 30),
                        .border = borders[random_in(0, BORDERS - 1)],
                        .anchor = one_in(2) ? SAT_ANCHOR_FIRST : SAT_ANCHOR_SECOND,
                        .threads = (int)random_in(1, 3)};
    if (one_in(8)) b->width = random_in(1, 6), b->height = random_in(200, 1600); /* its transpose is filtered */
    b->window_height = one_in(8) ? random_in(1, 3 * b->height) : random_in(1, 1 + b->height / (one_in(2) ? 8 : 2));
    if (one_in(20)) b->window_width = random_in(1, 20 * b->width);
    b->weighted_alpha = b->channels % 2 == 0 && sat_type_bytes(b->sample) != 4 && one_in(3);
    for (int c = 0; c < 4; c++) b->border_value[c] = (double)random_in(0, 100);
    b->result = one_in(2) ? SAT_F32 : b->sample;
    s.type[0] = b->result;
    if (s.kind == WINDOW) draw_window(&s);
    if (s.kind == GAUSS) draw_gauss(&s);
    return s;
}

/* Samples of which some are the value that does not count, or NaN. */
static void make_holes(const sat_view *v)
{
    for (int64_t i = 0; i < v->width * v->height * v->channels; i++) {
        if (!one_in(6)) continue;
        void *p = (char *)v->data + (size_t)i * sat_type_bytes(v->type);
        switch (v->type) {
        case SAT_U8:
        case SAT_I8: *(uint8_t *)p = 3; break;
        case SAT_U16:
        case SAT_I16: *(uint16_t *)p = 3; break;
        case SAT_U32:
        case SAT_I32: *(uint32_t *)p = 3; break;
        case SAT_F32: *(float *)p = one_in(3) ? NAN : 3; break;
        default: *(double *)p = one_in(3) ? (double)NAN : 3;
        }
    }
}

static void add(sat_counts *to, const sat_counts *more)
{
    to->clipped += more->clipped;
    to->empty[0] += more->empty[0];
    to->moved += more->moved;
}

/* ---- tests ------------------------------------------------------------------------------------------------ */

typedef struct whole {
    sat_view src, mask, result[2];
    sat_counts counts;
} whole;

/* Rows [first, end), compared with those of the whole image. */
static void check_rows(const subject *s, const object *o, const whole *w, int64_t first, int64_t end, bool follows,
                       sat_counts *sum)
{
    int64_t from = -1, to = -1;
    fenced result[2];
    sat_view views[2];
    sat_counts counts;
    assert_ok(needs(s, o, first, end, &from, &to));
    assert_true(from <= first && to >= end && to - from <= w->src.height);
    fenced src = rows_of(&w->src, from, to, one_in(2)), mask = rows_of(&w->mask, from, to, one_in(2));
    for (int i = 0; i < s->results; i++) {
        result[i] = fence(w->src.width, end - first, w->src.channels, s->type[i], one_in(2));
        views[i] = result[i].v;
    }
    sat_run_options options = {.first_row = first, .rows = end - first, .continues = follows, .counts = &counts};
    assert_ok(run(s, o, &src.v, s->masked ? &mask.v : NULL, views, &options));
    if (sum) add(sum, &counts);
    for (int i = 0; i < s->results; i++) {
        const sat_view *want = &w->result[i];
        for (int64_t y = first; y < end; y++)
            if (memcmp((char *)views[i].data + (y - first) * views[i].row_bytes,
                       (char *)want->data + y * want->row_bytes, (size_t)want->row_bytes) != 0)
                fail_msg(
                    "row %lld of rows [%lld, %lld) of %lld differs: kind %d, %s, %s, window %lld x %lld, sigma %g, "
                    "%lld x %lld x %d, follows %d, threads %d",
                    (long long)y, (long long)first, (long long)end, (long long)w->src.height, (int)s->kind,
                    sat_type_name(s->box.sample), s->box.border, (long long)s->box.window_width,
                    (long long)s->box.window_height, s->gauss.sigma, (long long)s->box.width, (long long)s->box.height,
                    s->box.channels, follows, s->box.threads);
    }
    for (int i = 0; i < s->results; i++) unfence(&result[i]);
    unfence(&src);
    unfence(&mask);
}

static whole make_whole(const subject *s, const object *o)
{
    const sat_box_spec *b = &s->box;
    whole w = {.src = guarded(b->width, b->height, b->channels, b->sample, 0),
               .mask = guarded(b->width, b->height, 1, SAT_U8, 0)};
    randomise(&w.src);
    make_holes(&w.src);
    for (int64_t i = 0; i < b->width * b->height; i++)
        ((uint8_t *)w.mask.data)[i] = (uint8_t)(one_in(4) ? 0 : random64());
    for (int i = 0; i < s->results; i++) w.result[i] = guarded(b->width, b->height, b->channels, s->type[i], 0);
    sat_run_options options = {.counts = &w.counts};
    assert_ok(run(s, o, &w.src, s->masked ? &w.mask : NULL, w.result, &options));
    return w;
}

/* The extremes of the whole image, which runs on rows of it are given. */
static void give_extremes(subject *s, const whole *w)
{
    const sat_window_output var = {.statistic = "var", .result = SAT_F64};
    sat_window_spec spec = s->window;
    sat_view vars = guarded(spec.width, spec.height, spec.channels, SAT_F64, 0);
    sat_window *window;
    spec.outputs = 1, spec.output = &var, spec.avoid_empty = spec.keep_holes = false;
    assert_ok(sat_window_create(&window, &spec));
    assert_ok(sat_window_run(window, &w->src, spec.masked ? &w->mask : NULL, &vars, NULL));
    s->window.has_extremes = true, s->window.lowest = INFINITY, s->window.largest_var = 0;
    for (int64_t i = 0; i < spec.width * spec.height * spec.channels; i++) {
        const int64_t pixel = i / spec.channels;
        const double v = value_at(&w->src, pixel % spec.width, pixel / spec.width, (int)(i % spec.channels));
        const double most = ((const double *)vars.data)[i];
        const bool counts = !(spec.masked && ((const uint8_t *)w->mask.data)[i / spec.channels] == 0) &&
                            !(spec.has_nodata && v == spec.nodata);
        if (counts && v < s->window.lowest) s->window.lowest = v;
        if (most > s->window.largest_var) s->window.largest_var = most;
    }
    sat_window_destroy(&window);
    unguard(&vars);
}

static bool has_extremes(const subject *s)
{
    for (int i = 0; s->kind == WINDOW && i < s->results; i++)
        if (strcmp(s->output[i].statistic, "wolf") == 0) return true;
    return false;
}

/* False: the library refuses the subject, as sat_window.h and sat_gauss.h say. */
static bool check_subject(subject *s)
{
    object all, some;
    sat_status status = create(s, 0, &all);
    if (status == SAT_ERR_RANGE || status == SAT_ERR_TYPE || status == SAT_ERR_UNAVAILABLE) return false;
    assert_ok(status);
    whole w = make_whole(s, &all);
    const int64_t height = s->box.height, most = random_in(1, one_in(3) ? height : 1 + height / 4);
    status = create(s, most, &some);
    if (has_extremes(s)) {
        assert_int_equal(status, SAT_ERR_UNAVAILABLE);
        give_extremes(s, &w);
        status = create(s, most, &some);
    }
    const bool refused = status == SAT_ERR_UNAVAILABLE;
    if (refused) assert_true(s->kind == GAUSS && strcmp(s->box.border, "wrap") == 0);
    if (!refused) {
        assert_ok(status);
        sat_counts sum = {0};
        for (int64_t y = 0, end; y < height; y = end) { /* one after the other */
            end = y + random_in(1, most);
            if (end > height) end = height;
            check_rows(s, &some, &w, y, end, y > 0 && !one_in(5), &sum);
        }
        if (w.counts.clipped >= 0) assert_int_equal(sum.clipped, w.counts.clipped);
        if (w.counts.empty[0] >= 0) assert_int_equal(sum.empty[0], w.counts.empty[0]);
        if (w.counts.moved >= 0) assert_int_equal(sum.moved, w.counts.moved);
        for (int i = 0; i < 3; i++) { /* anywhere, and what does not follow although its caller says so */
            const int64_t y = random_in(0, height - 1), n = random_in(1, most);
            check_rows(s, &some, &w, y, y + n < height ? y + n : height, one_in(2), NULL);
        }
        destroy(s, &some);
    }
    destroy(s, &all);
    for (int i = 0; i < s->results; i++) unguard(&w.result[i]);
    unguard(&w.src);
    unguard(&w.mask);
    return !refused;
}

static void any_rows_have_the_bits_of_the_whole_image(void **state)
{
    (void)state;
    for (int i = 0; i < ISAS; i++) {
        int done = 0;
        if (!force_isa(isas[i])) continue;
        for (int k = 0; k < CASES; k++) {
            subject s = draw();
            done += check_subject(&s);
        }
        printf("# %s: %d of %d\n", isas[i], done, CASES);
        if (i == 0) assert_true(done > CASES * 3 / 4);
    }
}

static void what_is_refused(void **state)
{
    (void)state;
    uint8_t samples[6 * 10] = {0}, means[6 * 10];
    sat_box_spec spec = {.width = 6, .height = 10, .sample = SAT_U8, .window_width = 3, .window_height = 3};
    sat_view src = {.data = samples, .width = 6, .height = 10, .row_bytes = 6, .channels = 1, .type = SAT_U8};
    sat_view dst = src;
    sat_box *box;
    int64_t from, to;
    dst.data = means;
    spec.band_rows = 11;
    said(sat_box_create(&box, &spec), SAT_ERR_SHAPE, "band_rows is 11, of images of 10 rows");
    spec.band_rows = -1;
    said(sat_box_create(&box, &spec), SAT_ERR_SHAPE, "band_rows is -1");
    spec.band_rows = 4;
    spec.backend = "serial";
    said(sat_box_create(&box, &spec), SAT_ERR_UNAVAILABLE, "band_rows");
    spec.backend = NULL;
    assert_ok(sat_box_create(&box, &spec));
    said(sat_box_needs(NULL, 0, 1, &from, &to), SAT_ERR_ARGUMENT, "no box filter");
    said(sat_box_needs(box, 0, 1, NULL, &to), SAT_ERR_ARGUMENT, "no place");
    said(sat_box_needs(box, 3, 3, &from, &to), SAT_ERR_SHAPE, "rows [3, 3)");
    said(sat_box_needs(box, 8, 11, &from, &to), SAT_ERR_SHAPE, "rows [8, 11)");
    assert_ok(sat_box_needs(box, 4, 6, &from, &to));
    assert_int_equal(from, 2);
    assert_int_equal(to, 8);
    said(sat_box_run(box, &src, &dst, NULL), SAT_ERR_SHAPE, "10 rows; the box filter makes 4 at a time");
    said(sat_box_run(box, &src, &dst, &(sat_run_options){.first_row = 8, .rows = 3}), SAT_ERR_SHAPE, "from row 8");
    said(sat_box_run(box, &src, &dst, &(sat_run_options){.first_row = -1, .rows = 3}), SAT_ERR_SHAPE, "from row -1");
    said(sat_box_run(box, &src, &dst, &(sat_run_options){.first_row = 10}), SAT_ERR_SHAPE, "from row 10");
    said(sat_box_run(box, &src, &dst, &(sat_run_options){.rows = 4}), SAT_ERR_SHAPE, "source");
    src.height = 6; /* rows 0 to 5 */
    said(sat_box_run(box, &src, &dst, &(sat_run_options){.rows = 4}), SAT_ERR_SHAPE, "result");
    dst.height = 4;
    assert_ok(sat_box_run(box, &src, &dst, &(sat_run_options){.rows = 4}));
    sat_box_destroy(&box);
    spec.band_rows = 0;
    assert_ok(sat_box_create(&box, &spec));
    assert_ok(sat_box_needs(box, 4, 6, &from, &to));
    assert_int_equal(from, 0);
    assert_int_equal(to, 10);
    said(sat_box_run(box, &src, &dst, &(sat_run_options){.first_row = 1, .rows = 2}), SAT_ERR_ARGUMENT, "whole images");
    sat_box_destroy(&box);
    const sat_window_output wolf = {.statistic = "wolf"};
    sat_window_spec windows = {.width = 6, .height = 10, .sample = SAT_U8, .window_width = 3, .window_height = 3};
    windows.band_rows = 4, windows.outputs = 1, windows.output = &wolf;
    sat_window *window;
    said(sat_window_create(&window, &windows), SAT_ERR_UNAVAILABLE, "wolf: has extremes of the whole image");
    sat_gauss_spec gauss = {.width = 6, .height = 10, .sample = SAT_U8, .sigma = 5, .border = "wrap", .band_rows = 4};
    sat_gauss *blur;
    said(sat_gauss_create(&blur, &gauss), SAT_ERR_UNAVAILABLE, "sigma above 4, with border wrap");
}

/* A worker that took another image last does not go on with its sums. */
static void batches_begin_anew(void **state)
{
    enum { WIDTH = 20, HEIGHT = 48, BAND = 16, IMAGES = 3 };
    static uint8_t pixels[IMAGES][HEIGHT][WIDTH], all[IMAGES][HEIGHT][WIDTH], band[IMAGES][BAND][WIDTH];
    (void)state;
    for (size_t i = 0; i < sizeof pixels; i++) ((uint8_t *)pixels)[i] = (uint8_t)(i * i * 7 + i / 31);
    sat_box_spec spec = {.width = WIDTH, .height = HEIGHT, .sample = SAT_U8, .window_width = 5, .window_height = 5};
    spec.count = IMAGES, spec.threads = 1;
    sat_view src = {.data = pixels, .width = WIDTH, .height = HEIGHT, .channels = 1, .type = SAT_U8, .count = IMAGES};
    sat_view dst = src;
    sat_box *box;
    dst.data = all;
    assert_ok(sat_box_create(&box, &spec));
    assert_ok(sat_box_run(box, &src, &dst, NULL));
    sat_box_destroy(&box);
    spec.band_rows = BAND;
    assert_ok(sat_box_create(&box, &spec));
    for (int64_t y = 0, from, to; y < HEIGHT; y += BAND) {
        assert_ok(sat_box_needs(box, y, y + BAND, &from, &to));
        src.data = pixels[0][from], src.height = to - from, src.image_bytes = sizeof *pixels;
        dst.data = band, dst.height = BAND;
        const sat_run_options run = {.first_row = y, .rows = BAND, .continues = y > 0};
        assert_ok(sat_box_run(box, &src, &dst, &run));
        for (int i = 0; i < IMAGES; i++) assert_memory_equal(band[i], all[i][y], sizeof *band);
    }
    sat_box_destroy(&box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(batches_begin_anew),
                                       test_with_settings(any_rows_have_the_bits_of_the_whole_image),
                                       cmocka_unit_test(what_is_refused)};
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
