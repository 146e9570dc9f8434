/* Box filters of floats on the CPU: means of integers are the quotients of exact sums, whatever the window, border,
 * layout, threads and instruction set; means of reals keep the documented bound; and no sample touches a window that
 * does not hold it. */
#include "../borders.h"
#include "arrays.h"

enum { THREADS = 4 };
static const int threads_of[THREADS] = {1, 2, 3, 7};

/* Where the samples of the windows along an axis lie, from the first window's first on; -1: outside. */
static int64_t *positions_of(const sat_box_spec *s, int64_t n, int64_t window)
{
    const int64_t before = (window - (s->anchor == SAT_ANCHOR_FIRST)) / 2;
    int64_t *at = malloc((size_t)(n + window) * sizeof *at);
    for (int64_t i = 0; i < n + window; i++) at[i] = border_position(s->border, i - before, n);
    return at;
}

/* The sums of an image's samples, colours times alpha, over the windows of one axis: exact, of integers. */
static double *sums_along(const sat_box_spec *s, const double *in, int64_t lines, int64_t n, int64_t step, int64_t line,
                          int64_t window, const double *outside)
{
    double *out = malloc((size_t)(s->width * s->height * s->channels) * sizeof *out);
    int64_t *at = positions_of(s, n, window);
    for (int64_t l = 0; l < lines; l++)
        for (int64_t i = 0; i < n; i++) {
            double sum = 0;
            for (int64_t k = i; k < i + window; k++)
                sum += at[k] < 0 ? outside[l % s->channels] : in[l * line + at[k] * step];
            out[l * line + i * step] = sum;
        }
    free(at);
    return out;
}

/* The image as it is summed. */
static double *samples_of(const sat_box_spec *s, const sat_view *v)
{
    const int channels = s->channels;
    double *out = malloc((size_t)(s->width * s->height * channels) * sizeof *out), *o = out;
    for (int64_t y = 0; y < s->height; y++)
        for (int64_t x = 0; x < s->width; x++)
            for (int c = 0; c < channels; c++)
                *o++ = value_at(v, x, y, c) *
                       (s->weighted_alpha && c < channels - 1 ? value_at(v, x, y, channels - 1) : 1);
    return out;
}

/* Window sums of all channels of an image, from what each of its samples is. */
static double *window_sums(const sat_box_spec *s, const double *samples, const double *outside)
{
    const int64_t channels = s->channels, row = s->width * channels;
    double beyond[4], *down = malloc((size_t)(row * s->height) * sizeof *down);
    int64_t *at = positions_of(s, s->height, s->window_height);
    for (int64_t x = 0; x < s->width; x++) { /* columns, one pixel at a time */
        for (int64_t y = 0; y < s->height; y++)
            for (int64_t c = 0; c < channels; c++) {
                double sum = 0;
                for (int64_t k = y; k < y + s->window_height; k++)
                    sum += at[k] < 0 ? outside[c] : samples[at[k] * row + x * channels + c];
                down[y * row + x * channels + c] = sum;
            }
    }
    for (int64_t c = 0; c < channels; c++) beyond[c] = outside[c] * (double)s->window_height;
    double *out = malloc((size_t)(row * s->height) * sizeof *out);
    for (int64_t y = 0; y < s->height; y++) {
        double *line = sums_along(s, down + y * row, channels, s->width, channels, 1, s->window_width, beyond);
        memcpy(out + y * row, line, (size_t)row * sizeof *out);
        free(line);
    }
    free(at);
    free(down);
    return out;
}

/* The pixels that count of each window. */
static double area_at(const sat_box_spec *s, int64_t x, int64_t y)
{
    double counts[2] = {0};
    const int64_t at[2] = {x, y}, window[2] = {s->window_width, s->window_height}, n[2] = {s->width, s->height};
    if (strcmp(s->border, "shrink") != 0) return (double)window[0] * (double)window[1];
    for (int axis = 0; axis < 2; axis++) {
        const int64_t before = (window[axis] - (s->anchor == SAT_ANCHOR_FIRST)) / 2;
        for (int64_t k = at[axis] - before; k < at[axis] - before + window[axis]; k++)
            counts[axis] += k >= 0 && k < n[axis];
    }
    return counts[0] * counts[1];
}

static double mean_at(const sat_box_spec *s, const double *sums, int64_t x, int64_t y, int c)
{
    const double *pixel = sums + (y * s->width + x) * s->channels;
    double by = s->weighted_alpha && c < s->channels - 1 ? pixel[s->channels - 1] : area_at(s, x, y);
    double mean = by == 0 ? 0 : pixel[c] / by;
    return s->sample == SAT_F32 ? (double)(float)mean : mean;
}

/* Whole numbers, so that all sums are exact; in some images those of the last channel are 0 in some columns. */
static void fill(const sat_view *v)
{
    const int64_t empty = random_in(0, 2) ? 0 : random_in(0, v->width);
    for (int64_t i = 0; i < (v->count ? v->count : 1); i++) {
        sat_view image = sat_view_image(v, i);
        for (int64_t y = 0; y < v->height; y++)
            for (int64_t x = 0; x < v->width; x++)
                for (int c = 0; c < v->channels; c++) {
                    const bool last = c == v->channels - 1;
                    const int64_t sample = last && x < empty ? 0 : random_in(last ? 0 : -4000, 4000);
                    void *at = entry_at(&image, x, y, c);
                    if (v->type == SAT_F64)
                        *(double *)at = (double)sample;
                    else
                        *(float *)at = (float)sample;
                }
    }
}

static void check_image(const sat_box_spec *s, const sat_box *box, const sat_view *src, const sat_view *dst)
{
    double outside[4] = {0}, *samples = samples_of(s, src);
    for (int c = 0; c < s->channels && strcmp(s->border, "constant") == 0; c++)
        outside[c] =
            s->border_value[c] * (s->weighted_alpha && c < s->channels - 1 ? s->border_value[s->channels - 1] : 1);
    double *sums = window_sums(s, samples, outside);
    for (int64_t y = 0; y < s->height; y++)
        for (int64_t x = 0; x < s->width; x++)
            for (int c = 0; c < s->channels; c++) {
                double want = mean_at(s, sums, x, y, c), got = value_at(dst, x, y, c);
                if (got != want)
                    fail_msg(
                        "%s: %s, %lldx%lldx%d, window %lldx%lld, anchor %d%s: %.9g at (%lld, %lld, %d) should be %.9g",
                        sat_box_note(box), s->border, (long long)s->width, (long long)s->height, s->channels,
                        (long long)s->window_width, (long long)s->window_height, (int)s->anchor,
                        s->weighted_alpha ? ", weighted" : "", got, (long long)x, (long long)y, c, want);
            }
    free(samples);
    free(sums);
}

static int64_t some_window(int64_t n)
{
    switch (random64() % 6) {
    case 0: return random_in(1, 9);
    case 1: return random_in(1, 24);
    case 2: return 8 * random_in(1, 6) + random_in(-1, 1);
    case 3: return random_in(n, 2 * n + 3);
    case 4: return random_in(n, 20 * n);
    default: return random_in(1, 70);
    }
}

static void one_filter(const char *border)
{
    const int channels = (int)random_in(1, 4);
    const bool lines = random_in(0, 3) == 0, square = random_in(0, 2) == 0, wide = random_in(0, 15) == 0;
    const int64_t narrow = lines ? 16 * random_in(1, 20) : random_in(0, 3) ? random_in(1, 70) : random_in(250, 420);
    const int64_t width = wide ? 16 * random_in(66, 90) : narrow, height = wide ? random_in(8, 11) : random_in(1, 44);
    const int64_t window = some_window(width < 70 ? width : 70);
    sat_box_spec spec = {.width = width,
                         .height = height,
                         .channels = channels,
                         .sample = random_in(0, 2) ? SAT_F32 : SAT_F64,
                         .window_width = window,
                         .window_height = square ? window : some_window(height),
                         .border = border,
                         .border_value = {3, -255, 0, 17},
                         .weighted_alpha = channels % 2 == 0 && random_in(0, 2) == 0,
                         .backend = "cpu",
                         .threads = threads_of[random64() % THREADS],
                         .anchor = random_in(0, 1) ? SAT_ANCHOR_FIRST : SAT_ANCHOR_SECOND,
                         .strided = random_in(0, 2) == 0,
                         .count = random_in(1, 3)};
    sat_box *box;
    sat_status status = sat_box_create(&box, &spec);
    if (status == SAT_ERR_UNAVAILABLE) return; /* this machine lacks the instruction set */
    assert_ok(status);
    sat_view src = guarded_images(width, height, spec.count, channels, spec.sample, spec.strided ? random64() % 3 : 0,
                                  lines ? 0 : random64() % 5, lines ? 0 : random64() % 9);
    sat_view dst = guarded_images(width, height, spec.count, channels, spec.sample, 0, lines ? 0 : random64() % 5,
                                  lines ? 0 : random64() % 9);
    fill(&src);
    assert_ok(sat_box_run(box, &src, &dst, NULL));
    for (int64_t i = 0; i < spec.count; i++) {
        sat_view from = sat_view_image(&src, i), to = sat_view_image(&dst, i);
        check_image(&spec, box, &from, &to);
    }
    sat_box_destroy(&box);
    unguard(&src);
    unguard(&dst);
}

static void means_of_integers_are_exact(void **state)
{
    sat_border_info border;
    (void)state;
    for (int i = 0; i < ISAS; i++) {
        if (!force_isa(isas[i])) continue;
        for (size_t m = 0; sat_border_at(m, &border); m++)
            for (int repeat = 0; repeat < 40; repeat++) {
                setenv("SAT_STREAM", repeat % 2 ? "always" : "never", 1);
                one_filter(border.name);
            }
    }
}

static void filter(const sat_box_spec *spec, const sat_view *src, const sat_view *dst)
{
    sat_box *box;
    assert_ok(sat_box_create(&box, spec));
    assert_ok(sat_box_run(box, src, dst, NULL));
    sat_box_destroy(&box);
}

/* A sample changes the windows that hold it and no other, to the bit. */
static void no_sample_reaches_other_windows(void **state)
{
    enum { W = 210, H = 75 };
    static const float strange[] = {NAN, INFINITY, -INFINITY, 1e30f, -3e38f};
    static const int64_t sides[][2] = {{1, 1},  {2, 3},  {3, 3},   {4, 7},   {5, 5},   {7, 6},  {8, 8},
                                       {9, 16}, {16, 9}, {23, 31}, {31, 24}, {64, 40}, {3, 40}, {40, 3}};
    (void)state;
    for (int i = 0; i < ISAS; i++)
        for (size_t k = 0; k < sizeof sides / sizeof *sides; k++) {
            sat_box_spec spec = {.width = W,
                                 .height = H,
                                 .channels = (int)random_in(1, 4),
                                 .sample = SAT_F32,
                                 .window_width = sides[k][0],
                                 .window_height = sides[k][1],
                                 .backend = "cpu",
                                 .threads = 2};
            sat_box *box;
            if (!force_isa(isas[i])) continue;
            assert_ok(sat_box_create(&box, &spec));
            sat_view src = guarded(W, H, spec.channels, SAT_F32, 0), dst = guarded(W, H, spec.channels, SAT_F32, 0);
            sat_view before = guarded(W, H, spec.channels, SAT_F32, 0);
            randomise(&src);
            assert_ok(sat_box_run(box, &src, &before, NULL));
            for (int repeat = 0; repeat < 12; repeat++) {
                const int64_t x = random_in(0, W - 1), y = random_in(0, H - 1);
                const int c = (int)random_in(0, spec.channels - 1);
                float *sample = entry_at(&src, x, y, c), was = *sample, is = strange[repeat % 5];
                *sample = is;
                assert_ok(sat_box_run(box, &src, &dst, NULL));
                *sample = was;
                for (int64_t v = 0; v < H; v++)
                    for (int64_t u = 0; u < W; u++)
                        for (int d = 0; d < spec.channels; d++) {
                            const int64_t left = u - sides[k][0] / 2, top = v - sides[k][1] / 2;
                            bool holds =
                                c == d && x >= left && x < left + sides[k][0] && y >= top && y < top + sides[k][1];
                            float a = *(float *)entry_at(&before, u, v, d), b = *(float *)entry_at(&dst, u, v, d);
                            bool right = !holds      ? memcmp(&a, &b, sizeof a) == 0
                                         : isnan(is) ? isnan(b)
                                         : isinf(is) ? b == is
                                                     : (b > 0) == (is > 0) && fabsf(b) > 1e20f;
                            if (!right)
                                fail_msg("%s: %g at (%lld, %lld, %d), window %lldx%lld: %g at (%lld, %lld, %d), was %g",
                                         sat_box_note(box), (double)is, (long long)x, (long long)y, c,
                                         (long long)sides[k][0], (long long)sides[k][1], (double)b, (long long)u,
                                         (long long)v, d, (double)a);
                        }
            }
            sat_box_destroy(&box);
            unguard(&src);
            unguard(&dst);
            unguard(&before);
        }
}

/* Samples whose sums depend on the order of additions: it is the same for all threads and instruction sets. */
static void bits_depend_on_nothing_else(void **state)
{
    static const float magnitudes[] = {1e30f, -1e30f, 1e10f, 1e-30f, 1, 2, 3.3f};
    sat_border_info border;
    (void)state;
    for (size_t m = 0; sat_border_at(m, &border); m++)
        for (int repeat = 0; repeat < 12; repeat++) {
            sat_box_spec spec = {.width = random_in(1, 600),
                                 .height = random_in(1, 300),
                                 .channels = (int)random_in(1, 4),
                                 .sample = SAT_F32,
                                 .window_width = random_in(1, 60),
                                 .window_height = random_in(1, 60),
                                 .border = border.name,
                                 .border_value = {1.1, 2, 3e20, 4},
                                 .backend = "cpu",
                                 .threads = 1};
            spec.weighted_alpha = spec.channels % 2 == 0 && repeat % 3 == 0;
            if (repeat % 4 == 1) spec.window_width = spec.window_height = random_in(2, 7);
            if (repeat % 8 == 1) spec.width = 16 * random_in(2, 80);
            sat_view src = guarded(spec.width, spec.height, spec.channels, SAT_F32, 0);
            sat_view one = guarded(spec.width, spec.height, spec.channels, SAT_F32, 0);
            sat_view other = guarded(spec.width, spec.height, spec.channels, SAT_F32, 0);
            const size_t bytes = (size_t)src.row_bytes * (size_t)spec.height;
            for (size_t i = 0; i < bytes / sizeof(float); i++)
                ((float *)src.data)[i] = repeat == 5 ? -0.0F : magnitudes[random64() % 7];
            force_isa("portable");
            filter(&spec, &src, &one);
            for (int i = 0; i < ISAS; i++)
                for (int t = 0; t < THREADS; t++) {
                    sat_box *box;
                    if (!force_isa(isas[i])) continue;
                    spec.threads = threads_of[t];
                    assert_ok(sat_box_create(&box, &spec));
                    memset(other.data, 0xA5, bytes);
                    assert_ok(sat_box_run(box, &src, &other, NULL));
                    if (memcmp(one.data, other.data, bytes) != 0)
                        fail_msg("%s: %s, %lldx%lldx%d, window %lldx%lld: other bits than portable's on one thread",
                                 sat_box_note(box), border.name, (long long)spec.width, (long long)spec.height,
                                 spec.channels, (long long)spec.window_width, (long long)spec.window_height);
                    sat_box_destroy(&box);
                }
            unguard(&src);
            unguard(&one);
            unguard(&other);
        }
}

/* |mean - exact| <= n * 2^-53 of the mean of |samples|, and what rounding to f32 adds. */
static void errors_are_bounded(void **state)
{
    enum { W = 300, H = 200 };
    static const int64_t sides[] = {3, 6, 13, 31, 57, 199};
    (void)state;
    sat_view src = guarded(W, H, 1, SAT_F32, 0), dst = guarded(W, H, 1, SAT_F32, 0);
    for (int64_t i = 0; i < W * H; i++)
        ((float *)src.data)[i] = (float)ldexp((double)random_in(-1000000, 1000000), (int)random_in(-60, 60));
    for (size_t k = 0; k < sizeof sides / sizeof *sides; k++) {
        const int64_t side = sides[k];
        sat_box_spec spec = {
            .width = W, .height = H, .sample = SAT_F32, .window_width = side, .window_height = side, .backend = "cpu"};
        filter(&spec, &src, &dst);
        for (int repeat = 0; repeat < 40; repeat++) {
            const int64_t x = random_in(0, W - 1), y = random_in(0, H - 1);
            long double sum = 0, magnitude = 0, n = 0;
            for (int64_t v = y - side / 2; v < y - side / 2 + side; v++)
                for (int64_t u = x - side / 2; u < x - side / 2 + side; u++) {
                    if (v < 0 || v >= H || u < 0 || u >= W) continue;
                    long double s = value_at(&src, u, v, 0);
                    sum += s, magnitude += fabsl(s), n++;
                }
            long double error = fabsl(value_at(&dst, x, y, 0) - sum / n);
            assert_true(error <= magnitude * 0x1p-53L + fabsl(sum / n) * 0x1p-24L);
        }
    }
    unguard(&src);
    unguard(&dst);
}

/* A sample far away does not matter to a backend with a filter of its own; in the rounding of a table it does. */
static void far_samples_matter_to_tables(void **state)
{
    enum { W = 40, H = 30 };
    sat_box_spec spec = {.width = W, .height = H, .sample = SAT_F64, .window_width = 3, .window_height = 3};
    sat_view src = guarded(W, H, 1, SAT_F64, 0), dst = guarded(W, H, 1, SAT_F64, 0);
    (void)state;
    for (int64_t i = 0; i < W * H; i++) ((double *)src.data)[i] = i ? 0.1 : 1e16;
    for (int own = 0; own < 2; own++) {
        spec.backend = own ? "cpu" : "serial";
        filter(&spec, &src, &dst);
        const double mean = *(double *)entry_at(&dst, 20, 20, 0);
        assert_true((fabs(mean - 0.1) <= (9 + 1) * 0x1p-53 * 0.1) == own);
    }
    unguard(&src);
    unguard(&dst);
}

/* One pixel, one row, one column: long ones, too, of ones, whose means are one. */
static void thin_images(void **state)
{
    static const int64_t sizes[][2] = {{1, 1}, {100000, 1}, {1, 100000}, {2, 30001}, {30001, 2}, {9, 9}};
    static const int64_t sides[] = {1, 2, 3, 8, 31, 1000, 70000};
    sat_border_info border;
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int64_t width = sizes[s][0], height = sizes[s][1];
        sat_view src = guarded(width, height, 1, SAT_F32, 0), dst = guarded(width, height, 1, SAT_F32, 0);
        for (int64_t i = 0; i < width * height; i++) ((float *)src.data)[i] = 1;
        for (size_t k = 0; k < sizeof sides / sizeof *sides; k++)
            for (size_t m = 0; sat_border_at(m, &border); m++) {
                sat_box_spec spec = {.width = width,
                                     .height = height,
                                     .sample = SAT_F32,
                                     .window_width = width > 2 || sides[k] < 1000 ? sides[k] : 3,
                                     .window_height = height > 2 || sides[k] < 1000 ? sides[k] : 3,
                                     .border = border.name,
                                     .border_value = {1},
                                     .backend = "cpu",
                                     .threads = 2};
                memset(dst.data, 0xA5, (size_t)dst.row_bytes * (size_t)height);
                filter(&spec, &src, &dst);
                assert_memory_equal(src.data, dst.data, (size_t)src.row_bytes * (size_t)height);
            }
        unguard(&src);
        unguard(&dst);
    }
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        test_with_settings(means_of_integers_are_exact), test_with_settings(no_sample_reaches_other_windows),
        test_with_settings(bits_depend_on_nothing_else), cmocka_unit_test(errors_are_bounded),
        cmocka_unit_test(far_samples_matter_to_tables),  cmocka_unit_test(thin_images),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
