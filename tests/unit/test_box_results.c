/* Means of every type of samples as every type of results, on every backend and instruction set: the exact quotient,
 * rounded as sat.h says.  Sums are whole here, or multiples of 1/64, and below 2^53, so that doubles hold them. */
#include "../borders.h"
#include "arrays.h"

static const sat_type samples[] = {SAT_U8, SAT_U16, SAT_U32, SAT_I8, SAT_I16, SAT_I32, SAT_F32, SAT_F64};
enum { SAMPLES = sizeof samples / sizeof *samples };

static bool is_float(sat_type type)
{
    return type == SAT_F32 || type == SAT_F64;
}

static bool is_signed(sat_type type)
{
    return type == SAT_I8 || type == SAT_I16 || type == SAT_I32;
}

static double largest(sat_type type)
{
    return ldexp(1, (int)(8 * sat_type_bytes(type)) - is_signed(type)) - 1;
}

static double sample_at(const sat_view *v, int64_t x, int64_t y, int c)
{
    const void *p = entry_at(v, x, y, c);
    switch (v->type) {
    case SAT_I8: return *(const int8_t *)p;
    case SAT_I16: return *(const int16_t *)p;
    case SAT_I32: return *(const int32_t *)p;
    default: return value_at(v, x, y, c);
    }
}

/* Integers over their whole range, or all of one extreme; of floats the last channel, which may be a weight, is
 * positive. */
static void fill(const sat_view *v, int nature)
{
    const bool floats = is_float(v->type);
    if (floats) randomise(v);
    for (int64_t y = 0; y < v->height; y++)
        for (int64_t i = 0; i < v->width * v->channels; i++) {
            char *p = entry_at(v, i / v->channels, y, (int)(i % v->channels));
            const size_t size = sat_type_bytes(v->type);
            uint64_t bits = random64();
            if (nature == 1) bits = is_signed(v->type) ? (uint64_t)1 << (8 * size - 1) : UINT64_MAX;
            if (nature == 2) bits = is_signed(v->type) ? UINT64_MAX >> (65 - 8 * size) : 0;
            if (!floats) memcpy(p, &bits, size);
            if (v->type == SAT_F32 && i % v->channels == v->channels - 1) *(float *)(void *)p = (float)random_in(1, 9);
            if (v->type == SAT_F64 && i % v->channels == v->channels - 1)
                *(double *)(void *)p = (double)random_in(1, 9);
        }
}

/* The sums of a window, with alpha as weight if there is one, and how many positions count. */
typedef struct window {
    double sum[4], area;
} window;

static window sum_window(const sat_box_spec *s, const sat_view *src, int64_t x, int64_t y)
{
    const int64_t first = s->anchor == SAT_ANCHOR_FIRST, top = y - (s->window_height - first) / 2;
    const int64_t left = x - (s->window_width - first) / 2;
    window w = {.area = 0};
    for (int64_t j = top; j < top + s->window_height; j++)
        for (int64_t i = left; i < left + s->window_width; i++) {
            const int64_t sx = border_position(s->border, i, s->width), sy = border_position(s->border, j, s->height);
            const bool outside = sx < 0 || sy < 0;
            double value[4];
            if (outside && strcmp(s->border, "constant") != 0) continue;
            for (int c = 0; c < s->channels; c++) value[c] = outside ? s->border_value[c] : sample_at(src, sx, sy, c);
            for (int c = 0; c < s->channels; c++)
                w.sum[c] += value[c] * (s->weighted_alpha && c < s->channels - 1 ? value[s->channels - 1] : 1);
            w.area++;
        }
    return w;
}

static double mean_of(const sat_box_spec *s, double sum, double by)
{
    if (by == 0) return 0;
    if (s->result == SAT_F32) return (double)(float)(sum / by);
    if (s->result == SAT_F64) return sum / by;
    const int64_t n = (int64_t)fabs(sum), d = (int64_t)fabs(by), q = (2 * n + d) / (2 * d);
    const double mean = (sum < 0) == (by < 0) ? (double)q : -(double)q, most = largest(s->sample);
    return fmin(fmax(mean, is_signed(s->sample) ? -most - 1 : 0), most);
}

static void check(const sat_box_spec *s, const sat_box *box, const sat_view *src, const sat_view *dst)
{
    for (int64_t y = 0; y < s->height; y++)
        for (int64_t x = 0; x < s->width; x++) {
            const window w = sum_window(s, src, x, y);
            for (int c = 0; c < s->channels; c++) {
                const bool colour = s->weighted_alpha && c < s->channels - 1;
                const double got = sample_at(dst, x, y, c);
                const double want = mean_of(s, w.sum[c], colour ? w.sum[s->channels - 1] : w.area);
                if (got == want) continue;
                fail_msg("%s: %s to %s, %s, %lldx%lldx%d, window %lldx%lld, anchor %d%s: %.17g at (%lld, %lld, %d) "
                         "should be %.17g",
                         sat_box_note(box), sat_type_name(s->sample), sat_type_name(s->result), s->border,
                         (long long)s->width, (long long)s->height, s->channels, (long long)s->window_width,
                         (long long)s->window_height, (int)s->anchor, s->weighted_alpha ? ", weighted" : "", got,
                         (long long)x, (long long)y, c, want);
            }
        }
}

static void random_filter(const char *backend, const sat_border_info *border, sat_type sample, sat_type result)
{
    const int channels = (int)random_in(1, 4);
    const int64_t side = random_in(0, 3) ? 9 : 40;
    const bool weighs = is_float(sample) || sat_type_bytes(sample) < 4;
    sat_box_spec spec = {.width = random_in(1, 40),
                         .height = random_in(1, 14),
                         .channels = channels,
                         .sample = sample,
                         .result = result,
                         .window_width = random_in(1, side),
                         .window_height = random_in(1, side),
                         .border = border->name,
                         .border_value = {3, is_signed(sample) ? -128 : 127, 0, 17},
                         .weighted_alpha = weighs && channels % 2 == 0 && random_in(0, 1),
                         .backend = backend,
                         .threads = (int)random_in(1, 3),
                         .anchor = random_in(0, 1) ? SAT_ANCHOR_FIRST : SAT_ANCHOR_SECOND};
    sat_box *box;
    sat_status status = sat_box_create(&box, &spec);
    if (status == SAT_ERR_UNAVAILABLE) return; /* this machine lacks the instruction set */
    assert_ok(status);
    sat_view src = guarded(spec.width, spec.height, channels, sample, 8 * (random64() % 3));
    sat_view dst = guarded(spec.width, spec.height, channels, result, 8 * (random64() % 3));
    fill(&src, (int)random_in(0, 4));
    assert_ok(sat_box_run(box, &src, &dst, NULL));
    check(&spec, box, &src, &dst);
    sat_box_destroy(&box);
    unguard(&src);
    unguard(&dst);
}

static void every_sample_as_every_result(void **state)
{
    sat_backend_info backend;
    sat_border_info border;
    (void)state;
    for (int i = 0; i < ISAS; i++) {
        if (!force_isa(isas[i])) continue;
        for (size_t b = 0; sat_backend_at(b, &backend); b++)
            for (size_t m = 0; sat_border_at(m, &border); m++)
                for (int s = 0; s < SAMPLES; s++)
                    for (int r = 0; r < 6; r++) {
                        const sat_type results[] = {samples[s], SAT_F32, SAT_F64};
                        setenv("SAT_STREAM", r % 2 ? "always" : "never", 1);
                        random_filter(backend.name, &border, samples[s], results[r % 3]);
                    }
    }
}

/* A row whose middle window has that sum over that many pixels: the middle pixel's mean. */
static double middle(sat_type sample, sat_type result, int64_t n, const int64_t *values)
{
    sat_box_spec spec = {.width = n,
                         .height = 1,
                         .sample = sample,
                         .result = result,
                         .window_width = n,
                         .window_height = 1,
                         .border = "replicate"};
    sat_view src = guarded(n, 1, 1, sample, 0), dst = guarded(n, 1, 1, result, 0);
    sat_box *box;
    for (int64_t i = 0; i < n; i++) memcpy(entry_at(&src, i, 0, 0), &values[i], sat_type_bytes(sample));
    assert_ok(sat_box_create(&box, &spec));
    assert_ok(sat_box_run(box, &src, &dst, NULL));
    const double mean = sample_at(&dst, n / 2, 0, 0);
    sat_box_destroy(&box);
    unguard(&src);
    unguard(&dst);
    return mean;
}

static void halves_go_away_from_zero(void **state)
{
    static const sat_type types[] = {SAT_I8, SAT_I16, SAT_I32};
    (void)state;
    for (int i = 0; i < ISAS; i++) {
        if (!force_isa(isas[i])) continue;
        for (int t = 0; t < 3; t++) {
            assert_true(middle(types[t], types[t], 2, (const int64_t[]){0, 1}) == 1);
            assert_true(middle(types[t], types[t], 2, (const int64_t[]){0, -1}) == -1);
            assert_true(middle(types[t], types[t], 2, (const int64_t[]){-3, -2}) == -3);
            assert_true(middle(types[t], types[t], 4, (const int64_t[]){-1, 0, 0, 0}) == 0);
            assert_true(middle(types[t], SAT_F64, 4, (const int64_t[]){-1, 0, 0, 0}) == -0.25);
        }
    }
}

static void what_a_filter_refuses(void **state)
{
    (void)state;
    sat_box *box;
    sat_box_spec spec = {.width = 4, .height = 2, .sample = SAT_I8, .window_width = 3, .window_height = 3};
    spec.result = SAT_U8;
    said(sat_box_create(&box, &spec), SAT_ERR_TYPE, "results of type u8 from i8 samples; i8, f32 and f64 are possible");
    spec.sample = SAT_F32;
    said(sat_box_create(&box, &spec), SAT_ERR_TYPE, "results of type u8 from f32 samples; f32 and f64 are possible");
    spec.sample = SAT_U64;
    said(sat_box_create(&box, &spec), SAT_ERR_TYPE, "samples of type u64: convert them to u32");
    spec.sample = SAT_I8;
    spec.result = (sat_type)99;
    said(sat_box_create(&box, &spec), SAT_ERR_TYPE, "results of type none");
    spec.result = SAT_F32;
    spec.reserved_word = 1;
    said(sat_box_create(&box, &spec), SAT_ERR_ARGUMENT, "reserved");
    spec.reserved_word = 0;
    spec.border = "constant";
    spec.border_value[0] = -129;
    said(sat_box_create(&box, &spec), SAT_ERR_ARGUMENT, "i8 samples take integers from -128 to 127");
    spec.border_value[0] = -128;
    spec.channels = 2;
    spec.weighted_alpha = true;
    spec.sample = SAT_I32;
    said(sat_box_create(&box, &spec), SAT_ERR_RANGE, "i32 samples, each times its alpha");
    spec.weighted_alpha = false;
    spec.window_width = spec.window_height = INT64_C(1) << 17;
    said(sat_box_create(&box, &spec), SAT_ERR_RANGE, "could exceed 2^63");
    spec.window_width = spec.window_height = 3;
    assert_ok(sat_box_create(&box, &spec));
    sat_view src = guarded(4, 2, 2, SAT_I32, 0), same = guarded(4, 2, 2, SAT_I32, 0),
             right = guarded(4, 2, 2, SAT_F32, 0);
    said(sat_box_run(box, &src, &same, NULL), SAT_ERR_TYPE, "result: type i32 where the box filter has f32");
    said(sat_box_run(box, &right, &same, NULL), SAT_ERR_TYPE, "source: type f32 where the box filter has i32");
    fill(&src, 0);
    assert_ok(sat_box_run(box, &src, &right, NULL));
    sat_box_destroy(&box);
    unguard(&src);
    unguard(&same);
    unguard(&right);
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        test_with_settings(every_sample_as_every_result),
        test_with_settings(halves_go_away_from_zero),
        cmocka_unit_test(what_a_filter_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
