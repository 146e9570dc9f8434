/* Means of floats of which some do not count, on the CPU: of whole numbers they are the quotients of exact sums and
 * counts, whatever the window, border, mask, layout, rows of a run, threads and instruction set.  What does not count
 * reaches no window, and where all count, the box filter's bits stay. */
#include <float.h>

#include "../borders.h"
#include "arrays.h"
#include "sat_image.h"
#include "sat_window.h"

enum { THREADS = 4, STRANGE = 5 };
static const int threads_of[THREADS] = {1, 2, 3, 7};
static const float strange[STRANGE] = {NAN, INFINITY, -INFINITY, 1e30f, -3e38f};
static const double value = -3; /* for no data, and an even one: means are it */

typedef struct means {
    sat_window_spec spec;
    sat_window_output output;
    sat_view src, mask, result;
    int64_t few, moved; /* results of the definition */
} means;

static bool one_in(int n)
{
    return random_in(1, n) == 1;
}

static void put(const sat_view *v, int64_t x, int64_t y, int c, double sample)
{
    if (v->type == SAT_F64)
        *(double *)entry_at(v, x, y, c) = sample;
    else
        *(float *)entry_at(v, x, y, c) = (float)sample;
}

static bool counts(const means *m, int64_t x, int64_t y, int c)
{
    const double sample = value_at(&m->src, x, y, c);
    if (m->spec.masked && value_at(&m->mask, x, y, 0) == 0) return false;
    return !(m->spec.has_nodata && sample == m->spec.nodata) && !(m->spec.skip_nan && isnan(sample));
}

/* In place of n samples, `step` apart, the sums of their windows; outside: what a position beyond is. */
static void sum_windows(const means *m, int64_t *samples, int64_t n, int64_t step, int64_t side, int64_t outside)
{
    const int64_t before = (side - (m->spec.anchor == SAT_ANCHOR_FIRST)) / 2;
    int64_t *sums = malloc((size_t)(n + side + 1) * sizeof *sums);
    sums[0] = 0;
    for (int64_t i = 0; i < n + side; i++) {
        const int64_t at = border_position(m->spec.border, i - before, n);
        sums[i + 1] = sums[i] + (at < 0 ? outside : samples[at * step]);
    }
    for (int64_t i = 0; i < n; i++) samples[i * step] = sums[i + side] - sums[i];
    free(sums);
}

/* Of one channel: sums, or counts. */
static int64_t *sums_of(const means *m, int c, bool of_counts)
{
    const sat_window_spec *s = &m->spec;
    const bool constant = strcmp(s->border, "constant") == 0;
    const int64_t outside = !constant ? 0 : of_counts ? 1 : (int64_t)s->border_value[c];
    int64_t *sums = malloc((size_t)(s->width * s->height) * sizeof *sums);
    for (int64_t y = 0; y < s->height; y++)
        for (int64_t x = 0; x < s->width; x++)
            sums[y * s->width + x] = !counts(m, x, y, c) ? 0 : of_counts ? 1 : (int64_t)value_at(&m->src, x, y, c);
    for (int64_t x = 0; x < s->width; x++) sum_windows(m, sums + x, s->height, s->width, s->window_height, outside);
    for (int64_t y = 0; y < s->height; y++)
        sum_windows(m, sums + y * s->width, s->width, 1, s->window_width, outside * s->window_height);
    return sums;
}

static double mean_of(means *m, int64_t sum, int64_t n, bool centre)
{
    const sat_window_spec *s = &m->spec;
    const bool f32 = m->output.result == SAT_F32;
    const double area = (double)s->window_width * (double)s->window_height;
    const double least = s->min_valid < 1 ? ceil(s->min_valid * area) : s->min_valid;
    const double empty = s->empty_set ? f32 ? (double)(float)s->empty : s->empty : (double)NAN;
    const bool few = n == 0 || (double)n < least || (s->keep_holes && !centre);
    const double mean = few ? empty : (double)sum / (double)n, stored = f32 ? (double)(float)mean : mean;
    m->few += few;
    if (few || !s->avoid_empty || stored != empty) return stored;
    m->moved++;
    return sat_type_beside(m->output.result, empty, false);
}

static void check(means *m, const char *note)
{
    const sat_window_spec *s = &m->spec;
    m->few = m->moved = 0;
    for (int c = 0; c < s->channels; c++) {
        int64_t *sums = sums_of(m, c, false), *n = sums_of(m, c, true);
        for (int64_t y = 0; y < s->height; y++)
            for (int64_t x = 0; x < s->width; x++) {
                const int64_t i = y * s->width + x;
                const double got = value_at(&m->result, x, y, c), want = mean_of(m, sums[i], n[i], counts(m, x, y, c));
                if (got != want && !(isnan(got) && isnan(want)))
                    fail_msg("%s: %s, %lldx%lldx%d, window %lldx%lld, anchor %d: %.9g at (%lld, %lld, %d) should be "
                             "%.9g, of %lld samples",
                             note, s->border, (long long)s->width, (long long)s->height, s->channels,
                             (long long)s->window_width, (long long)s->window_height, (int)s->anchor, got, (long long)x,
                             (long long)y, c, want, (long long)n[i]);
            }
        free(sums);
        free(n);
    }
}

/* Whole numbers, few of them in some images, so that means are the value for no data; holes of one sample and of many,
 * whole rows and columns, all or none of the image. */
static void fill(means *m)
{
    const sat_window_spec *s = &m->spec;
    const int64_t most = one_in(2) ? 4 : 4000, holes = random_in(0, 5);
    const int64_t left = random_in(0, s->width), top = random_in(0, s->height);
    for (int64_t y = 0; y < s->height; y++)
        for (int64_t x = 0; x < s->width; x++) {
            const bool many = x >= left && x < left + 40 && y >= top && y < top + 20;
            const bool hole = holes == 0   ? one_in(8)
                              : holes == 1 ? many
                              : holes == 2 ? x == left || y == top
                              : holes == 3 ? !one_in(200)
                              : holes == 4 ? y >= top
                                           : left % 2 == 0;
            *(uint8_t *)entry_at(&m->mask, x, y, 0) = hole ? 0 : (uint8_t)random_in(1, 255);
            for (int c = 0; c < s->channels; c++) {
                put(&m->src, x, y, c, (double)random_in(-most, most));
                if (s->skip_nan && (hole || one_in(9))) put(&m->src, x, y, c, (double)NAN);
                if (s->has_nodata && (hole || one_in(9))) put(&m->src, x, y, c, s->nodata);
                if (s->masked && hole) put(&m->src, x, y, c, (double)strange[random_in(0, STRANGE - 1)]);
            }
        }
}

static int64_t side_of(int64_t n, bool reaches)
{
    const int64_t side = one_in(3)   ? random_in(1, 9)
                         : one_in(3) ? 8 * random_in(1, 6) + random_in(-1, 1)
                         : one_in(3) ? random_in(n, 4 * n)
                                     : random_in(1, 70);
    return reaches || side <= 2 * n ? side : 2 * n;
}

static void draw(means *m, const char *border)
{
    const bool reaches = strcmp(border, "shrink") == 0 || strcmp(border, "constant") == 0, square = one_in(3);
    const int64_t width = one_in(4) ? random_in(1, 40) : one_in(4) ? random_in(300, 1100) : random_in(33, 300);
    const int64_t height = one_in(4) ? random_in(1, 9) : random_in(1, 60);
    const int what = (int)random_in(1, 7); /* at least one of three */
    *m = (means){.spec = {.width = width,
                          .height = height,
                          .channels = one_in(2) ? 1 : (int)random_in(2, 4),
                          .sample = one_in(3) ? SAT_F64 : SAT_F32,
                          .window_width = side_of(width, reaches),
                          .border = border,
                          .border_value = {3, -255, 0, 17},
                          .anchor = one_in(2) ? SAT_ANCHOR_FIRST : SAT_ANCHOR_SECOND,
                          .outputs = 1,
                          .masked = what & 1,
                          .skip_nan = what & 2,
                          .has_nodata = what & 4,
                          .nodata = value,
                          .strided = one_in(3),
                          .keep_holes = one_in(4),
                          .empty_set = one_in(2),
                          .empty = one_in(3) ? 0.1 : value,
                          .threads = threads_of[random64() % THREADS],
                          .backend = "cpu"},
                 .output = {.statistic = "mean", .result = one_in(2) ? SAT_F32 : SAT_F64}};
    sat_window_spec *s = &m->spec;
    s->window_height =
        square && (reaches || s->window_width <= 2 * height) ? s->window_width : side_of(height, reaches);
    s->avoid_empty = s->empty_set && one_in(2);
    const int64_t area = s->window_width * s->window_height;
    s->min_valid = one_in(4) ? (double)random_in(1, area) : one_in(4) ? 0.5 : 0;
    const int gap = s->strided ? (int)random_in(0, 2) : 0;
    m->src = guarded_images(width, height, 1, s->channels, s->sample, (size_t)gap, (size_t)random_in(0, 5), 0);
    m->mask = guarded_images(width, height, 1, 1, SAT_U8, (size_t)gap, (size_t)random_in(0, 70), 0);
    m->result = guarded_images(width, height, 1, s->channels, m->output.result, 0, (size_t)random_in(0, 9), 0);
    fill(m);
}

static void end(means *m)
{
    unguard(&m->src);
    unguard(&m->mask);
    unguard(&m->result);
}

static void create(means *m, sat_window **window)
{
    m->spec.output = &m->output;
    assert_ok(sat_window_create(window, &m->spec));
}

static sat_view rows_of(const sat_view *v, int64_t first, int64_t end)
{
    sat_view rows = *v;
    rows.data = (char *)v->data + first * v->row_bytes;
    rows.height = end - first;
    return rows;
}

/* Runs the whole image, or bands of rows one after the other, and checks the results. */
static void run(means *m, char *note, size_t note_bytes)
{
    const int64_t height = m->spec.height;
    sat_counts made = {0}, all = {0};
    sat_run_options options = {.counts = &made};
    sat_window *window;
    m->spec.band_rows = one_in(3) ? random_in(1, height) : 0;
    if (strcmp(m->spec.border, "wrap") == 0) m->spec.band_rows = 0; /* rows that wrap are not one view */
    create(m, &window);
    for (int64_t y = 0, rows; y < height; y += rows) {
        int64_t from = 0, to = height;
        sat_view src = m->src, mask = m->mask, result = m->result;
        rows = m->spec.band_rows ? m->spec.band_rows : height;
        if (rows > height - y) rows = height - y;
        if (m->spec.band_rows) {
            assert_ok(sat_window_needs(window, y, y + rows, &from, &to));
            options.first_row = y, options.rows = rows;
            src = rows_of(&src, from, to), mask = rows_of(&mask, from, to), result = rows_of(&result, y, y + rows);
        }
        assert_ok(sat_window_run(window, &src, m->spec.masked ? &mask : NULL, &result, &options));
        all.empty[0] += made.empty[0], all.moved += made.moved, all.clipped += made.clipped;
    }
    snprintf(note, note_bytes, "%s", sat_window_note(window));
    sat_window_destroy(&window);
    check(m, note);
    if (all.empty[0] != m->few || all.moved != m->moved || all.clipped != 0)
        fail_msg("%s: %lld empty, %lld moved, not %lld and %lld", note, (long long)all.empty[0], (long long)all.moved,
                 (long long)m->few, (long long)m->moved);
}

static void means_of_whole_numbers_are_exact(void **state)
{
    sat_border_info border;
    int64_t few = 0, moved = 0;
    (void)state;
    for (int i = 0; i < ISAS; i++) {
        if (!force_isa(isas[i])) continue;
        for (size_t b = 0; sat_border_at(b, &border); b++)
            for (int repeat = 0; repeat < 60; repeat++) {
                char note[256];
                means m;
                setenv("SAT_STREAM", repeat % 2 ? "always" : "never", 1);
                draw(&m, border.name);
                run(&m, note, sizeof note);
                few += m.few, moved += m.moved;
                end(&m);
            }
    }
    assert_true(few > 0 && moved > 0);
}

/* Counts of columns of 16 bits and beyond, of windows beyond 16 and beyond 2^20, and windows larger than the image. */
static void large_windows(void **state)
{
    static const int64_t shapes[][4] = {{700, 500, 3000, 3001}, {1500, 900, 1001, 777}, {40, 66000, 9, 65535},
                                        {40, 66000, 9, 65536},  {40, 34000, 3, 67000},  {66000, 9, 65001, 9}};
    (void)state;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        char note[256];
        means m;
        do {
            draw(&m, k == 4 ? "reflect" : k % 2 ? "shrink" : "constant");
            end(&m);
        } while (m.spec.band_rows);
        m.spec.width = shapes[k][0], m.spec.height = shapes[k][1], m.spec.channels = 1;
        m.spec.window_width = shapes[k][2], m.spec.window_height = shapes[k][3];
        m.spec.min_valid = 0;
        m.src = guarded(m.spec.width, m.spec.height, 1, m.spec.sample, 0);
        m.mask = guarded(m.spec.width, m.spec.height, 1, SAT_U8, 0);
        m.result = guarded(m.spec.width, m.spec.height, 1, m.output.result, 0);
        fill(&m);
        for (int64_t y = 0; y < m.spec.height; y++) /* columns that count whole */
            for (int64_t x = 0; x < 12; x++) put(&m.src, x, y, 0, 1), *(uint8_t *)entry_at(&m.mask, x, y, 0) = 1;
        run(&m, note, sizeof note);
        end(&m);
    }
}

/* Sums depend on the order of additions: it is the box filter's, on all threads and instruction sets; what stands where
 * nothing counts does not matter. */
static void bits_depend_on_what_counts_alone(void **state)
{
    static const float magnitudes[] = {1e30f, -1e30f, 1e10f, 1e-30f, 1, 2, 3.3f};
    sat_border_info border;
    (void)state;
    for (size_t b = 0; sat_border_at(b, &border); b++)
        for (int repeat = 0; repeat < 24; repeat++) {
            means m, box;
            do {
                draw(&m, border.name);
                end(&m);
            } while (m.spec.sample != SAT_F32 || !m.spec.masked);
            m.spec.skip_nan = m.spec.has_nodata = m.spec.keep_holes = m.spec.avoid_empty = false, m.spec.min_valid = 0;
            m.output.result = SAT_F32;
            m.src = guarded(m.spec.width, m.spec.height, m.spec.channels, SAT_F32, 0);
            m.mask = guarded(m.spec.width, m.spec.height, 1, SAT_U8, 0);
            m.result = guarded(m.spec.width, m.spec.height, m.spec.channels, SAT_F32, 0);
            const size_t samples = (size_t)(m.spec.width * m.spec.height * m.spec.channels), bytes = samples * 4;
            const bool all = repeat % 3 == 0;
            for (size_t i = 0; i < samples; i++) ((float *)m.src.data)[i] = magnitudes[random64() % 7];
            for (size_t i = 0; i < samples / (size_t)m.spec.channels; i++)
                ((uint8_t *)m.mask.data)[i] = all || !one_in(3);
            float *want = malloc(bytes);
            sat_window *window;
            force_isa("portable");
            box = m;
            box.spec.masked = !all;
            create(&box, &window);
            assert_ok(sat_window_run(window, &m.src, all ? NULL : &m.mask, &m.result, NULL));
            sat_window_destroy(&window);
            memcpy(want, m.result.data, bytes);
            for (size_t i = 0; i < samples; i++)
                if (!((uint8_t *)m.mask.data)[i / (size_t)m.spec.channels])
                    ((float *)m.src.data)[i] = strange[random64() % STRANGE];
            for (int i = 0; i < ISAS; i++) {
                if (!force_isa(isas[i])) continue;
                m.spec.threads = threads_of[random64() % THREADS];
                create(&m, &window);
                memset(m.result.data, 0xA5, bytes);
                assert_ok(sat_window_run(window, &m.src, &m.mask, &m.result, NULL));
                for (size_t k = 0; k < samples; k++) {
                    const float got = ((float *)m.result.data)[k];
                    if (got != want[k] && !(isnan(got) && isnan(want[k])))
                        fail_msg("%s: %s, %lldx%lldx%d, window %lldx%lld: result %zu is %.9g, not %.9g",
                                 sat_window_note(window), border.name, (long long)m.spec.width,
                                 (long long)m.spec.height, m.spec.channels, (long long)m.spec.window_width,
                                 (long long)m.spec.window_height, k, (double)got, (double)want[k]);
                }
                sat_window_destroy(&window);
            }
            free(want);
            end(&m);
        }
}

/* Means beyond f32 are infinite there: they are moved from an infinite value for no data, down to the last float. */
static void means_beyond_f32_are_not_empty(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2)
        for (int i = 0; i < ISAS; i++) {
            if (!force_isa(isas[i])) continue;
            means m = {.spec = {.width = 40,
                                .height = 9,
                                .sample = SAT_F64,
                                .window_width = 3,
                                .window_height = 3,
                                .outputs = 1,
                                .has_nodata = true,
                                .nodata = sign * (double)INFINITY,
                                .empty_set = true,
                                .empty = sign * (double)INFINITY,
                                .avoid_empty = true,
                                .backend = "cpu"},
                       .output = {.statistic = "mean", .result = SAT_F32},
                       .src = guarded(40, 9, 1, SAT_F64, 0),
                       .result = guarded(40, 9, 1, SAT_F32, 0)};
            sat_counts made = {0};
            sat_window *window;
            for (int64_t y = 0; y < 9; y++)
                for (int64_t x = 0; x < 40; x++) put(&m.src, x, y, 0, x < 20 ? m.spec.nodata : sign * 1e300);
            create(&m, &window);
            assert_ok(sat_window_run(window, &m.src, NULL, &m.result, &(sat_run_options){.counts = &made}));
            for (int64_t x = 0; x < 40; x++)
                assert_true(value_at(&m.result, x, 4, 0) == sign * (x < 19 ? (double)INFINITY : (double)FLT_MAX));
            assert_int_equal(made.empty[0], 9 * 19);
            assert_int_equal(made.moved, 9 * 21);
            sat_window_destroy(&window);
            end(&m);
        }
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        test_with_settings(means_of_whole_numbers_are_exact),
        cmocka_unit_test(large_windows),
        test_with_settings(bits_depend_on_what_counts_alone),
        test_with_settings(means_beyond_f32_are_not_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
