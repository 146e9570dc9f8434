/* Statistics of windows of floats on the CPU: results of hostile samples lie within the bounds of sat_window.h around
 * the definition in long double, whatever the window, border, mask and layout; the bits are the same on every
 * instruction set and number of threads. */
#include "../gpu/window_oracle.h"
#include "arrays.h"

enum { CASES = 420, CHECKED = 90, OUTPUTS = 3, NATURES = 12, MOST_IN_A_WINDOW = 3000 };

static const char *const borders[] = {"shrink", "reflect101", "reflect", "replicate", "wrap", "constant"};
static const char *const statistics[] = {"mean", "var", "std", "sum", "rms", "norm", "nick", "count", "wolf"};
enum { RMS = 4 };

typedef struct windows {
    sat_window_spec spec;
    sat_window_output output[OUTPUTS];
    sat_view src, laid, mask, want[OUTPUTS]; /* laid: the samples as the library sees them */
    int nature;
} windows;

static bool one_in(int n)
{
    return random_in(1, n) == 1;
}

static double unit(void)
{
    return (double)(random64() >> 11) * 0x1p-53;
}

/* Samples that sums, pivots and squares find hard. */
static double sample(int nature, int64_t x, int64_t y)
{
    const double u = unit(), largest = one_in(2) ? 1e30 : -1e30;
    switch (nature) {
    case 0: return u;
    case 1: return 300 + 0.01 * u;
    case 2: return 0.1;                             /* its sums are rounded */
    case 3: return x / 37 % 2 ? 0.1 : 1e7;          /* constants, and steps between them */
    case 4: return one_in(700) ? largest : u;       /* outliers */
    case 5: return y % 8 == 0 ? 1e6 * u : u * 1e-6; /* rows that steps begin with */
    case 6: return (u - 0.5) * 0x1p-140;            /* denormals of f32 */
    case 7: return one_in(900) ? NAN : one_in(900) ? (double)INFINITY : u;
    case 8: return pow(10, 40 * u - 20);
    case 9: return (x + y) % 2 ? 1e5 : -1e5;
    case 10: return 1e6 + (x > 20 ? 1 : 0);
    default: return (double)(x + y);
    }
}

static void fill(windows *w)
{
    for (int64_t y = 0; y < w->src.height; y++)
        for (int64_t x = 0; x < w->src.width; x++)
            for (int c = 0; c < w->src.channels; c++) {
                const double v = sample(w->nature, x, y);
                void *p = entry_at(&w->src, x, y, c), *q = entry_at(&w->laid, x, y, c);
                if (w->src.type == SAT_F32)
                    *(float *)p = *(float *)q = (float)v;
                else
                    *(double *)p = *(double *)q = v;
            }
    for (int64_t i = 0; i < w->mask.width * w->mask.height; i++) ((uint8_t *)w->mask.data)[i] = !one_in(3);
}

/* Half of the images are so wide that strips lie inside. */
static void draw(windows *w, int k)
{
    const bool wide = one_in(2);
    sat_window_spec *s = &w->spec;
    *s = (sat_window_spec){
        .channels = (int)random_in(1, 4), .sample = one_in(3) ? SAT_F64 : SAT_F32, .outputs = OUTPUTS};
    s->width = wide ? random_in(800, 2600) / (s->channels > 1 ? 2 : 1) : random_in(1, one_in(3) ? 9 : 70);
    s->height = wide ? random_in(1, 40) : random_in(1, one_in(3) ? 9 : 70);
    s->border = borders[random_in(0, 5)];
    for (int c = 0; c < 4; c++) s->border_value[c] = one_in(2) ? 0.1 : 300;
    /* Samples that are repeated reach as far as the image; elsewhere windows may be larger. */
    const int64_t most = one_in(10) ? 1 : one_in(2) ? 9 : 60;
    const int reach = strcmp(s->border, "shrink") == 0 || strcmp(s->border, "constant") == 0 ? 5 : 2;
    do {
        s->window_width = random_in(1, most), s->window_height = random_in(1, most);
    } while (s->window_width > reach * s->width || s->window_height > reach * s->height ||
             s->window_width * s->window_height > MOST_IN_A_WINDOW);
    s->anchor = one_in(2) ? SAT_ANCHOR_SECOND : SAT_ANCHOR_FIRST;
    s->masked = one_in(5), s->skip_nan = one_in(6), s->has_nodata = one_in(8), s->nodata = 1e5;
    s->ddof = one_in(3) && s->window_width * s->window_height > 1, s->strided = one_in(3);
    s->min_valid = one_in(4) ? 3 : 0;
    if (s->min_valid > (double)(s->window_width * s->window_height)) s->min_valid = 0;
    w->nature = k % NATURES;
    for (int i = 0; i < OUTPUTS; i++)
        w->output[i] = (sat_window_output){.statistic = statistics[i < 2                         ? i
                                                                   : w->nature == 7 && one_in(2) ? RMS
                                                                                                 : random_in(2, 8)],
                                           .result = i < 2 || one_in(2) ? SAT_F64 : SAT_F32};
    s->output = w->output;
    w->src = guarded(s->width, s->height, s->channels, s->sample, 0);
    w->laid = guarded_images(s->width, s->height, 1, s->channels, s->sample, s->strided, s->strided, 0);
    w->mask = guarded(s->width, s->height, 1, SAT_U8, 0);
    fill(w);
}

static void run(const windows *w, int threads, sat_view *results)
{
    sat_window_spec spec = w->spec;
    sat_window *window;
    spec.threads = threads, spec.backend = "cpu";
    assert_ok(sat_window_create(&window, &spec));
    for (int i = 0; i < OUTPUTS; i++)
        results[i] = guarded(spec.width, spec.height, spec.channels, w->output[i].result, 0);
    assert_ok(sat_window_run(window, &w->laid, spec.masked ? &w->mask : NULL, results, NULL));
    sat_window_destroy(&window);
}

static void check(const windows *w, int i, const window_extremes *extremes, int64_t row, int64_t element)
{
    const sat_window_spec *s = &w->spec;
    double want;
    const double is = value_at(&w->want[i], element / s->channels, row, (int)(element % s->channels));
    if (!window_agrees(s, &w->output[i], &w->src, s->masked ? &w->mask : NULL, extremes, row, element, is, &want))
        fail_msg("%s of %s, samples %d, %s, window %lld x %lld, %lld x %lld x %d: x=%lld y=%lld is %.17g, not %.17g",
                 w->output[i].statistic, sat_type_name(s->sample), w->nature, s->border, (long long)s->window_width,
                 (long long)s->window_height, (long long)s->width, (long long)s->height, s->channels,
                 (long long)element, (long long)row, is, want);
}

static void check_some(const windows *w, int i)
{
    enum { STEPS = 1 << 20 }; /* for the extremes of an image */
    const sat_window_spec *s = &w->spec;
    const int64_t samples = s->width * s->channels, area = s->window_width * s->window_height;
    const bool of_image = strcmp(w->output[i].statistic, "wolf") == 0;
    window_extremes extremes;
    if (of_image && samples * s->height * area > STEPS) return;
    if (of_image) extremes = window_extremes_of(s, &w->src, s->masked ? &w->mask : NULL, 0);
    for (int n = 0; n < CHECKED / OUTPUTS; n++)
        check(w, i, of_image ? &extremes : NULL, one_in(3) ? 0 : random_in(0, s->height - 1),
              one_in(3) ? samples - 1 : random_in(0, samples - 1));
}

static void results_lie_within_their_bounds_with_the_same_bits_everywhere(void **state)
{
    (void)state;
    int sets = 0;
    for (int k = 0; k < CASES; k++) {
        windows w;
        draw(&w, k);
        force_isa("portable");
        run(&w, 1, w.want);
        for (int i = 0; i < OUTPUTS; i++) check_some(&w, i);
        for (int set = 0; set < ISAS; set++) {
            sat_view is[OUTPUTS];
            sat_window *window;
            if (!force_isa(isas[set])) continue;
            assert_ok(sat_window_create(&window, &w.spec));
            sat_window_destroy(&window);
            run(&w, 1 + k % 3, is);
            sets++;
            for (int i = 0; i < OUTPUTS; i++) {
                for (int64_t y = 0; y < w.spec.height; y++)
                    for (int64_t x = 0; x < w.spec.width; x++)
                        for (int c = 0; c < w.spec.channels; c++) {
                            const double a = value_at(&is[i], x, y, c), b = value_at(&w.want[i], x, y, c);
                            if (a == b || (isnan(a) && isnan(b))) continue;
                            fail_msg("%s: case %d: x=%lld y=%lld is %.17g, not %.17g", isas[set], k, (long long)x,
                                     (long long)y, a, b);
                        }
                unguard(&is[i]);
            }
        }
        for (int i = 0; i < OUTPUTS; i++) unguard(&w.want[i]);
        unguard(&w.src);
        unguard(&w.laid);
        unguard(&w.mask);
    }
    assert_true(sets >= CASES);
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        test_with_settings(results_lie_within_their_bounds_with_the_same_bits_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
