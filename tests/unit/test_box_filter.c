/* Box filters of every backend and instruction set are the mean over each window, computed here pixel by
 * pixel from the definitions of the border modes. */
#include "../borders.h"
#include "arrays.h"

typedef struct window_sum {
    uint64_t sum[4], area;
    double real[4], real_area;
} window_sum;

static window_sum brute_force(const sat_box_spec *s, const sat_view *src, int64_t x, int64_t y)
{
    window_sum w = {0};
    const char *border = s->border;
    bool constant = strcmp(border, "constant") == 0;
    int64_t first = s->anchor == SAT_ANCHOR_FIRST; /* an odd side has one middle pixel, whatever the anchor */
    int64_t top = y - (s->window_height - first) / 2, left = x - (s->window_width - first) / 2;
    for (int64_t j = top; j < top + s->window_height; j++)
        for (int64_t i = left; i < left + s->window_width; i++) {
            int64_t sx = border_position(border, i, s->width), sy = border_position(border, j, s->height);
            bool outside = sx < 0 || sy < 0;
            if (outside && !constant) continue;
            double alpha = outside ? s->border_value[s->channels - 1] : value_at(src, sx, sy, s->channels - 1);
            for (int c = 0; c < s->channels; c++) {
                double v = outside ? s->border_value[c] : value_at(src, sx, sy, c);
                if (s->weighted_alpha && c < s->channels - 1) v *= alpha;
                w.real[c] += v;
                w.sum[c] += s->sample >= SAT_F32 ? 0 : (uint64_t)v;
            }
            w.area++;
            w.real_area++;
        }
    return w;
}

static void check(const sat_box_spec *s, const sat_box *box, const sat_view *src, const sat_view *dst)
{
    for (int64_t y = 0; y < s->height; y++)
        for (int64_t x = 0; x < s->width; x++) {
            window_sum w = brute_force(s, src, x, y);
            for (int c = 0; c < s->channels; c++) {
                bool colour = s->weighted_alpha && c < s->channels - 1;
                double got = value_at(dst, x, y, c), want;
                if (s->sample >= SAT_F32) {
                    double by = colour ? w.real[s->channels - 1] : w.real_area;
                    want = by != 0 ? w.real[c] / by : 0;
                    if (fabs(got - want) <= 1e-5 * fmax(1, fabs(want))) continue;
                } else {
                    uint64_t by = colour ? w.sum[s->channels - 1] : w.area;
                    want = by ? (double)((2 * w.sum[c] + by) / (2 * by)) : 0;
                    if (got == want) continue;
                }
                fail_msg("%s: %s, %lldx%lldx%d, window %lldx%lld, anchor %d%s: %g at (%lld, %lld, %d) should be %g",
                         sat_box_note(box), s->border, (long long)s->width, (long long)s->height, s->channels,
                         (long long)s->window_width, (long long)s->window_height, (int)s->anchor,
                         s->weighted_alpha ? ", weighted" : "", got, (long long)x, (long long)y, c, want);
            }
        }
}

static void random_filter(const char *backend, const char *border, sat_type sample)
{
    int channels = (int)random_in(1, 4);
    int64_t width = random_in(1, 40), height = random_in(1, 24), largest = random_in(0, 3) ? 12 : 90;
    sat_box_spec spec = {.width = width,
                         .height = height,
                         .channels = channels,
                         .sample = sample,
                         .window_width = random_in(1, largest),
                         .window_height = random_in(1, largest),
                         .border = border,
                         .border_value = {3, 255, 0, 17},
                         .weighted_alpha = channels % 2 == 0 && random_in(0, 1),
                         .backend = backend,
                         .threads = (int)random_in(1, 3),
                         .anchor = random_in(0, 1) ? SAT_ANCHOR_FIRST : SAT_ANCHOR_SECOND};
    sat_box *box;
    sat_status status = sat_box_create(&box, &spec);
    if (status == SAT_ERR_UNAVAILABLE) return; /* this machine lacks the instruction set */
    assert_ok(status);
    const size_t gap = sample == SAT_F64 ? 8 : 4; /* bytes */
    sat_view src = guarded(width, height, channels, sample, gap * (random64() % 3));
    sat_view dst = guarded(width, height, channels, sample, gap * (random64() % 3));
    randomise(&src);
    for (int64_t i = 0; sample == SAT_F32 && i < width * height; i++) /* weights whose sum is not near 0 */
        *(float *)entry_at(&src, i % width, i / width, channels - 1) = (float)random_in(1, 9);
    for (int64_t i = 0; sample == SAT_F64 && i < width * height; i++)
        *(double *)entry_at(&src, i % width, i / width, channels - 1) = (double)random_in(1, 9);
    assert_ok(sat_box_run(box, &src, &dst, NULL));
    check(&spec, box, &src, &dst);
    sat_box_destroy(&box);
    unguard(&src);
    unguard(&dst);
}

static void every_border_on_every_instruction_set(void **state)
{
    static const sat_type types[] = {SAT_U8, SAT_U16, SAT_F32, SAT_F64};
    sat_backend_info backend;
    sat_border_info border;
    (void)state;
    for (int i = 0; i < ISAS; i++) {
        if (!force_isa(isas[i])) continue;
        for (size_t b = 0; sat_backend_at(b, &backend); b++)
            for (size_t m = 0; sat_border_at(m, &border); m++)
                for (int t = 0; t < 4; t++)
                    for (int repeat = 0; repeat < 12; repeat++) {
                        setenv("SAT_STREAM", repeat % 2 ? "always" : "never", 1);
                        random_filter(backend.name, border.name, types[t]);
                    }
    }
}

/* Windows of few columns of bytes, up to the largest whose sums have 16 bits: bright samples beside dark ones. */
static void few_columns_of_bytes(void **state)
{
    static const int64_t heights[] = {1, 2, 3, 4, 5, 7, 13, 31, 50, 51, 52};
    sat_border_info border;
    (void)state;
    for (size_t m = 0; sat_border_at(m, &border); m++)
        for (int64_t window = 1; window <= 6; window++)
            for (size_t h = 0; h < sizeof heights / sizeof *heights; h++) {
                sat_box_spec spec = {.width = random_in(1, 90),
                                     .height = random_in(1, 20),
                                     .channels = (int)random_in(1, 4),
                                     .sample = SAT_U8,
                                     .window_width = window,
                                     .window_height = heights[h],
                                     .border = border.name,
                                     .border_value = {255, 255, 254, 255}};
                sat_box *box;
                sat_view src = guarded(spec.width, spec.height, spec.channels, SAT_U8, 0);
                sat_view dst = guarded(spec.width, spec.height, spec.channels, SAT_U8, 0);
                const uint64_t bright = random64() % 40;
                for (size_t i = 0; i < (size_t)src.row_bytes * (size_t)spec.height; i++)
                    ((uint8_t *)src.data)[i] = (uint8_t)(random64() % 40 < bright ? 255 - random64() % 2 : random64());
                if (force_isa(isas[random64() % ISAS])) {
                    assert_ok(sat_box_create(&box, &spec));
                    assert_ok(sat_box_run(box, &src, &dst, NULL));
                    check(&spec, box, &src, &dst);
                    sat_box_destroy(&box);
                }
                unguard(&src);
                unguard(&dst);
            }
}

/* All-white images: every window's mean is white whatever its size, also where sums change their type. */
static void white_stays_white(void **state)
{
    static const int64_t sides[] = {1, 2, 15, 16, 17, 63, 255, 256, 257, 1000, 5000};
    (void)state;
    sat_view src = guarded(700, 300, 1, SAT_U16, 0), dst = guarded(700, 300, 1, SAT_U16, 0);
    memset((char *)src.data, 0xFF, (size_t)src.row_bytes * 300);
    for (int type = 0; type < 2; type++)
        for (size_t k = 0; k < sizeof sides / sizeof *sides; k++) {
            sat_box_spec spec = {.width = 700,
                                 .height = 300,
                                 .sample = type ? SAT_U16 : SAT_U8,
                                 .window_width = sides[k],
                                 .window_height = sides[k]};
            sat_box *box;
            src.type = dst.type = spec.sample;
            memset(dst.data, 0xA5, (size_t)dst.row_bytes * 300);
            assert_ok(sat_box_create(&box, &spec));
            assert_ok(sat_box_run(box, &src, &dst, NULL));
            for (int64_t y = 0; y < 300; y++)
                assert_memory_equal(entry_at(&dst, 0, y, 0), entry_at(&src, 0, y, 0),
                                    700 * sat_type_bytes(spec.sample));
            sat_box_destroy(&box);
        }
    src.type = dst.type = SAT_U16;
    unguard(&src);
    unguard(&dst);
}

/* A NaN reaches exactly the windows that hold it. */
static void nan_stays_in_its_windows(void **state)
{
    (void)state;
    sat_view src = guarded(1100, 40, 1, SAT_F32, 0), dst = guarded(1100, 40, 1, SAT_F32, 0);
    randomise(&src);
    *(float *)entry_at(&src, 1030, 20, 0) = NAN;
    sat_box_spec spec = {.width = 1100, .height = 40, .sample = SAT_F32, .window_width = 7, .window_height = 5};
    sat_box *box;
    assert_ok(sat_box_create(&box, &spec));
    assert_ok(sat_box_run(box, &src, &dst, NULL));
    for (int64_t y = 0; y < 40; y++)
        for (int64_t x = 0; x < 1100; x++) {
            bool holds = x >= 1027 && x <= 1033 && y >= 18 && y <= 22;
            assert_int_equal(isnan(value_at(&dst, x, y, 0)) != 0, holds);
        }
    sat_box_destroy(&box);
    unguard(&src);
    unguard(&dst);
}

/* Samples whose sums depend on the order of additions: the order does not depend on the threads. */
static void float_sums_do_not_depend_on_threads(void **state)
{
    static const float magnitudes[] = {1e30f, -1e30f, 1e10f, 1, 2, 3};
    (void)state;
    sat_view src = guarded(37, 300, 1, SAT_F32, 0), one = guarded(37, 300, 1, SAT_F32, 0);
    sat_view many = guarded(37, 300, 1, SAT_F32, 0);
    for (int64_t i = 0; i < 37 * 300; i++) ((float *)src.data)[i] = magnitudes[random64() % 6];
    for (int side = 1; side < 40; side += 6)
        for (int threads = 1; threads <= 5; threads++) {
            sat_box_spec spec = {.width = 37,
                                 .height = 300,
                                 .sample = SAT_F32,
                                 .window_width = side,
                                 .window_height = side,
                                 .threads = threads};
            sat_box *box;
            assert_ok(sat_box_create(&box, &spec));
            assert_ok(sat_box_run(box, &src, threads == 1 ? &one : &many, NULL));
            if (threads > 1) assert_memory_equal(one.data, many.data, (size_t)one.row_bytes * 300);
            sat_box_destroy(&box);
        }
    unguard(&src);
    unguard(&one);
    unguard(&many);
}

/* Windows of 10^8 pixels cost what others cost, and mean what they should. */
static void enormous_windows(void **state)
{
    sat_border_info border;
    (void)state;
    for (size_t m = 0; sat_border_at(m, &border); m++) {
        sat_view src = guarded(5, 3, 1, SAT_U8, 0), dst = guarded(5, 3, 1, SAT_U8, 0);
        for (int i = 0; i < 15; i++) ((uint8_t *)src.data)[i] = (uint8_t)(10 * i);
        sat_box_spec spec = {.width = 5,
                             .height = 3,
                             .sample = SAT_U8,
                             .window_width = 100000000,
                             .window_height = 100000000,
                             .border = border.name,
                             .border_value = {70}};
        sat_box *box;
        assert_ok(sat_box_create(&box, &spec));
        assert_ok(sat_box_run(box, &src, &dst, NULL));
        /* The mean of the image is 70, and by symmetry that of its corners, too; replicate's windows see
         * the four corners for ever, the others the image again and again, or nothing but 70. */
        for (int i = 0; i < 15; i++) assert_int_equal(((uint8_t *)dst.data)[i], 70);
        sat_box_destroy(&box);
        unguard(&src);
        unguard(&dst);
    }
}

/* Windows whose sums need 64 bits, of samples at random in one tall column, under every border; a few of their means.
 */
static void sums_beyond_32_bits(void **state)
{
    enum { H = 70000 };
    static const int64_t rows[] = {0, 1, 34000, 34999, 35000, 35001, 50000, H - 2, H - 1};
    sat_border_info border;
    sat_backend_info backend;
    (void)state;
    for (int type = 0; type < 2; type++)
        for (size_t m = 0; sat_border_at(m, &border); m++)
            for (size_t b = 0; sat_backend_at(b, &backend); b++) {
                /* 69,000 of 65,535 are more than 2^32; of 255, 250 times as many, which shrinking windows never are. */
                sat_box_spec spec = {.width = 1,
                                     .height = H,
                                     .sample = type ? SAT_U16 : SAT_U8,
                                     .window_width = type ? 1 : 250,
                                     .window_height = 69000,
                                     .border = border.name,
                                     .border_value = {200},
                                     .backend = backend.name,
                                     .threads = 2};
                if (!backend.available || backend.device) continue;
                sat_view src = guarded(1, H, 1, spec.sample, 0), dst = guarded(1, H, 1, spec.sample, 0);
                randomise(&src);
                for (int64_t y = 0; y < H; y++)
                    if (random64() % 4) memset(entry_at(&src, 0, y, 0), 0xFF, sat_type_bytes(spec.sample));
                sat_box *box;
                assert_ok(sat_box_create(&box, &spec));
                if (type || strcmp(border.name, "shrink") != 0) assert_non_null(strstr(sat_box_note(box), "u64 sums"));
                assert_ok(sat_box_run(box, &src, &dst, NULL));
                for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
                    uint64_t inside = 0, covered_x = 0, covered_y = 0, area = (uint64_t)spec.window_width * 69000;
                    for (int64_t i = -spec.window_width / 2; i < spec.window_width - spec.window_width / 2; i++)
                        covered_x += border_position(border.name, i, 1) >= 0;
                    for (int64_t j = rows[r] - 34500; j < rows[r] + 34500; j++) {
                        int64_t y = border_position(border.name, j, H);
                        if (y >= 0) covered_y++, inside += (uint64_t)value_at(&src, 0, y, 0);
                    }
                    uint64_t sum = inside * covered_x, covered = covered_x * covered_y;
                    if (strcmp(border.name, "shrink") == 0) area = covered;
                    if (strcmp(border.name, "constant") == 0) sum += (area - covered) * 200;
                    double want = (double)((2 * sum + area) / (2 * area)), got = value_at(&dst, 0, rows[r], 0);
                    if (got != want)
                        fail_msg("%s: %s: %g in row %lld should be %g", sat_box_note(box), border.name, got,
                                 (long long)rows[r], want);
                }
                sat_box_destroy(&box);
                unguard(&src);
                unguard(&dst);
            }
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        test_with_settings(every_border_on_every_instruction_set),
        test_with_settings(few_columns_of_bytes),
        cmocka_unit_test(white_stays_white),
        cmocka_unit_test(nan_stays_in_its_windows),
        cmocka_unit_test(float_sums_do_not_depend_on_threads),
        cmocka_unit_test(enormous_windows),
        cmocka_unit_test(sums_beyond_32_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
