/* subject_windows.c - window statistics: a device gives the bytes that the host gives, for any spec of integer samples.
 * Of floats, results that are not the host's lie within the bounds of sat_window.h around those of the definition. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "sat_image.h"
#include "sat_window.h"
#include "window_oracle.h"

enum { OUTPUTS = 3 };

typedef struct windows {
    sat_window_spec spec; /* backend NULL */
    sat_window_output output[OUTPUTS];
    int64_t images;                    /* of the run */
    sat_view src, mask, want[OUTPUTS]; /* rows without gaps, all images below one another */
    int64_t clipped;
    uint64_t random;
} windows;

static bool opens(const target *t)
{
    const sat_window_output output = {.statistic = "mean"};
    const sat_window_spec spec = {.width = 1,
                                  .height = 1,
                                  .sample = SAT_U8,
                                  .window_width = 1,
                                  .window_height = 1,
                                  .outputs = 1,
                                  .output = &output,
                                  .backend = t->name};
    sat_window *window;
    const bool opened = sat_window_create(&window, &spec) == SAT_OK;
    sat_window_destroy(&window);
    return opened;
}

/* Asked once, before anything can fail. */
static bool has_windows(const target *t)
{
    static struct {
        const target *of;
        bool has;
    } known[64];
    size_t i = 0;
    if (t->scans || !t->available) return false;
    while (i < 63 && known[i].of && known[i].of != t) i++;
    if (known[i].of != t) known[i].has = opens(t);
    known[i].of = t;
    return known[i].has;
}

static size_t cases(effort e)
{
    return e == FULL ? 600 : e == QUICK ? 24 : 150;
}

static void drop(void *made)
{
    windows *w = made;
    free(w->src.data);
    free(w->mask.data);
    for (int i = 0; i < OUTPUTS; i++) free(w->want[i].data);
    free(w);
}

/* The images of a run as one view of all their rows, for areas. */
static sat_view tall(const windows *w, int channels, sat_type type)
{
    return (sat_view){.row_bytes = (ptrdiff_t)sat_row_bytes(w->spec.width, channels, type),
                      .width = w->spec.width,
                      .height = w->spec.height * w->images,
                      .channels = channels,
                      .type = type};
}

/* The same memory as so many images. */
static sat_view batch(const windows *w, sat_view v)
{
    v.height = w->spec.height;
    v.count = w->images;
    v.image_bytes = (ptrdiff_t)((size_t)v.row_bytes * (size_t)w->spec.height);
    return v;
}

static bool fill(sat_view *v, uint64_t *random, content what)
{
    v->data = malloc((size_t)v->row_bytes * (size_t)v->height);
    if (v->data == NULL) {
        fail("out of memory");
        return false;
    }
    fill_samples(v->data, (size_t)(v->width * v->height * v->channels), v->type, NULL, what, random);
    return true;
}

/* Extremes of the image, of floats; of f64 in windows too wide for strips. */
static bool in_passes(size_t k)
{
    return k % 24 == 8 && k % 48 != 32;
}
/* Of such windows, of alike samples: variances are 0.  49 times the number next to 1 / 49 is not 1. */
static bool constant(size_t k)
{
    return k % 192 == 104;
}
static bool of_image(size_t k)
{
    return in_passes(k) || k % 48 == 26;
}

/* Floats of which sums alone are wanted, which have kernels of their own; the other cases seldom come to them. */
static bool of_sums_alone(size_t k)
{
    return k % 24 == 9;
}

/* Integers in windows too wide for strips: u16, i32, i8, u32 of which sums alone are wanted, u8, i16. */
static bool too_wide(size_t k)
{
    return k % 48 == 13 || k % 48 == 22 || k % 48 == 27 || k % 48 == 30 || k % 48 == 31 || k % 48 == 41;
}
/* 32-bit integers in the largest windows, whose sums are near 2^64, or 2^63; sums of u32 alone, and those of squares,
 * too. */
static bool largest(size_t k)
{
    return k % 96 == 54 || k % 96 == 66 || k % 96 == 94;
}

static void choose_outputs(windows *w, size_t k, uint64_t *random)
{
    static const sat_type types[] = {SAT_TYPE_NONE, SAT_F64, SAT_F32, SAT_U8, SAT_I16,
                                     SAT_U16,       SAT_U32, SAT_I8,  SAT_I32};
    /* 32-bit integers without squares, as strips have them. */
    const bool wide = (w->spec.sample == SAT_U32 || w->spec.sample == SAT_I32) && k % 24 < 12;
    static const char *const of_sums[] = {"mean", "sum", "count", "bradley"};
    const bool sums =
        of_sums_alone(k) || (is_float(w->spec.sample) && k % 24 != 2 && !of_image(k) && random64(random) % 2);
    sat_statistic_info info;
    size_t statistics = 0;
    while (sat_statistic_at(statistics, &info)) statistics++;
    w->spec.outputs = (int)random_in(random, 1, OUTPUTS);
    for (int i = 0; i < w->spec.outputs; i++) {
        sat_window_output *o = &w->output[i];
        sat_statistic_at(random64(random) % statistics, &info);
        o->statistic = wide || sums ? of_sums[random64(random) % 4] : info.name;
        o->compare = random64(random) % 3 == 0;
        o->result = o->compare ? SAT_U8 : types[random64(random) % (sizeof types / sizeof *types)];
        const bool has_parameter = wide   ? false
                                   : sums ? strcmp(o->statistic, "mean") == 0
                                          : info.parameter[0].name != NULL;
        if (random64(random) % 3 == 0 && has_parameter) {
            o->set = 1;
            o->parameter[0] = (double)random_in(random, -8, 8) / 4;
        }
    }
}

/* Samples of which few count, in regions: some columns have none that all windows of a step hold.  Deviations, and mean
 * squares, which need fewer samples. */
static bool few_count(size_t k)
{
    return k % 48 == 38 || k % 48 == 44 || k % 48 == 32;
}

static void choose_spec(windows *w, size_t k, effort e, uint64_t *random)
{
    static const sat_type samples[] = {SAT_U8,  SAT_U16, SAT_F32, SAT_I8, SAT_U8,  SAT_I16,
                                       SAT_U32, SAT_U8,  SAT_F64, SAT_U8, SAT_I32, SAT_F32};
    enum { SAMPLES = sizeof samples / sizeof *samples };
    static const int64_t sides[] = {1, 2, 3, 7, 15, 31, 64};
    const int64_t most = e == FULL ? 700 : e == QUICK ? 90 : 40;
    sat_border_info border;
    size_t borders = 0;
    while (sat_border_at(borders, &border)) borders++;
    sat_border_at(random64(random) % borders, &border);
    w->spec = (sat_window_spec){.width = random_in(random, 1, random64(random) % 4 ? most : 6 * most),
                                .height = random_in(random, 1, most),
                                .channels = (int)random_in(random, 1, 4),
                                .sample = !of_sums_alone(k) ? samples[k % SAMPLES]
                                          : k % 48 == 9     ? SAT_F64
                                                            : SAT_F32,
                                .window_width = sides[random64(random) % 7],
                                .window_height = sides[random64(random) % 7],
                                .border = border.name,
                                .border_value = {1, 2, 100, 4},
                                .anchor = random64(random) % 2 ? SAT_ANCHOR_FIRST : SAT_ANCHOR_SECOND,
                                .output = w->output,
                                .masked = random64(random) % 3 == 0,
                                .has_nodata = random64(random) % 3 == 0,
                                .nodata = (double)random_in(random, 0, 3),
                                .strided = false,
                                .ddof = (int)(random64(random) % 4 == 0 ? random_in(random, 1, 3) : 0),
                                .min_valid = random64(random) % 3 ? 0 : (double)random_in(random, 1, 40) / 8,
                                .empty = 7,
                                .empty_set = random64(random) % 4 == 0,
                                .threads = 1,
                                .memory = random64(random) % 4 == 0 ? SAT_HOST : SAT_DEVICE,
                                .count = k % 96 == 56 ? 3 : random_in(random, 1, 3)};
    if (w->spec.min_valid >= 1) w->spec.min_valid = floor(w->spec.min_valid);
    if (k % 5 == 4) w->spec.channels = 1;
    /* Windows wider than three quarters of a warp's columns, and tall ones, whose sums of squares exceed 32 bits. */
    if (k % 7 == 6) w->spec.window_width = random_in(random, 1, e == FULL ? 1500 : 150);
    if (k % 11 == 10) w->spec.window_height = random_in(random, 1, 3 * most);
    if (k % 13 == 12 && e == FULL) w->spec.window_width = w->spec.window_height = 300;
    if (is_signed(w->spec.sample) && random64(random) % 2) w->spec.nodata = -w->spec.nodata;
    if (too_wide(k)) {
        w->spec.width = random_in(random, 1, e == FULL ? 2500 : 300);
        w->spec.window_width = random_in(random, e == FULL ? 4200 : 530, e == FULL ? 5000 : 700);
    }
    if (k % 48 == 18 || k % 48 == 46) w->spec.ddof = (int64_t)(1 + k / 48 % 3); /* of squares of 32-bit integers */
    if (largest(k)) {
        const bool both = w->spec.sample == SAT_I32;
        w->spec.width = random_in(random, 1, 8), w->spec.height = random_in(random, 1, 4);
        w->spec.window_width = w->spec.window_height = 65535;
        for (int c = 0; c < 4; c++)
            w->spec.border_value[c] = c % 2 ? sat_type_largest(w->spec.sample) : both ? -0x1p31 : 0x1p32 - 1;
    }
    if (!is_float(w->spec.sample)) return;
    w->spec.skip_nan = random64(random) % 3 == 0 || of_image(k);
    if (of_sums_alone(k))
        w->spec.masked = k % 96 < 48;
    else if (random64(random) % 2)
        w->spec.channels = 1;
    if (k % 96 == 33) w->spec.channels = 3; /* threads have columns of two pixels */
    /* Means of f32 alone, and means and deviations: several steps and strips, with a halo of one warp and of two. */
    const bool deviations = k % 24 == 14 || k % 24 == 20;
    if (k % 12 == 11 || deviations) {
        const bool several = deviations && k % 96 >= 48; /* channels */
        w->spec.channels = several ? (int)random_in(random, 2, 4) : 1;
        w->spec.width = random_in(random, 150, 6 * most);
        w->spec.height = most;
        w->spec.window_width = random_in(random, 1, several ? 12 : 100);
        w->spec.window_height = random_in(random, 1, deviations ? 38 : 16);
        w->spec.masked = k % 24 == 11 || few_count(k);
        w->spec.skip_nan = k % 24 == 23;
        w->spec.has_nodata = w->spec.has_nodata && (!deviations || several);
        if (deviations) w->spec.min_valid = 0, w->spec.ddof = several;
        if (k % 36 == 35) w->spec.min_valid = 0.75;
    }
    if (k % 48 == 32) w->spec.masked = true, w->spec.min_valid = 0, w->spec.ddof = 2;
    /* Segments whose suffixes are not all there at a time. */
    if (k % 3 == 0) w->spec.window_height = random_in(random, 1, e == FULL ? 300 : 40);
    /* Variances of windows that reach far beyond the image. */
    if (k % 24 == 2) {
        w->spec.border = "constant";
        w->spec.window_height = 2 * w->spec.height + 3;
    }
    /* Several images at a time. */
    if (k % 96 == 56) w->spec.width = random_in(random, 1, 40), w->spec.height = random_in(random, 1, 12);
    if (in_passes(k)) w->spec.window_width = random_in(random, e == FULL ? 500 : 60, e == FULL ? 1500 : 150);
    if (constant(k)) w->spec.border = "shrink", w->spec.height = 60, w->spec.window_height = 49;
    /* Borders that repeat floats reach as far as the image. */
    const bool repeats = strcmp(w->spec.border, "shrink") != 0 && strcmp(w->spec.border, "constant") != 0;
    if (repeats && w->spec.window_width > w->spec.width) w->spec.window_width = w->spec.width;
    if (repeats && w->spec.window_height > w->spec.height) w->spec.window_height = w->spec.height;
}

static bool answered(const windows *w, const sat_window_spec *spec, const sat_view *src, const sat_view *mask,
                     const sat_view *results, int64_t *clipped)
{
    sat_window *window;
    sat_counts counts = {.clipped = -1};
    const sat_run_options run = {.counts = &counts};
    const sat_view *counting = w->spec.masked ? mask : NULL;
    bool ok = is_status(sat_window_create(&window, spec), SAT_OK, "sat_window_create") &&
              is_status(sat_window_run(window, src, counting, results, &run), SAT_OK, "sat_window_run") &&
              is_status(sat_window_wait(window, NULL), SAT_OK, "sat_window_wait");
    *clipped = counts.clipped;
    sat_window_destroy(&window);
    return ok;
}

/* Sums that their type would round are refused: asks for them in f64, or for means. */
static void ask_for_exact(windows *w)
{
    const double px = (double)w->spec.window_width * (double)w->spec.window_height;
    for (int i = 0; i < w->spec.outputs; i++) {
        sat_window_output *o = &w->output[i];
        const bool is_sum = strcmp(o->statistic, "sum") == 0 && !is_float(w->spec.sample);
        const double largest = is_sum ? px * (sat_type_largest(w->spec.sample) + 1) : px;
        if (o->compare || (!is_sum && strcmp(o->statistic, "count") != 0)) continue;
        if (largest > 0x1p24 && o->result == SAT_F32) o->result = SAT_F64;
        if (largest > 0x1p53) o->statistic = "mean";
    }
}

/* Fills in the types of results that the library chooses. */
static bool resolve(windows *w)
{
    ask_for_exact(w);
    sat_window_spec spec = w->spec;
    sat_window *window;
    spec.backend = "cpu";
    spec.memory = SAT_HOST;
    const bool ok = is_status(sat_window_create(&window, &spec), SAT_OK, "sat_window_create");
    for (int i = 0; ok && i < w->spec.outputs; i++) w->output[i].result = sat_window_result(window, i);
    sat_window_destroy(&window);
    return ok;
}

/* About zero; far from it; further; all exponents of a wide range; a spike here and there; all alike; so small that
 * they are denormal, or so large that an f64 is.  NaN, and the value that is no sample, here and there. */
static void make_floats(const windows *w, size_t k, int64_t samples, uint64_t *random)
{
    const bool alike = k % 48 == 20 || constant(k) || (few_count(k) && k % 48 != 32 && k % 96 > 48);
    const uint64_t kind = alike                                            ? 5
                          : k % 48 == 14 || (few_count(k) && k % 48 != 32) ? 2
                          : of_image(k)                                    ? 1
                                                                           : random64(random) % 8,
                   rare = k % 48 == 14 || random64(random) % 2 ? 8191 : 63;
    const double same = (double)(1 + *random % 999) / 999;
    const int most = w->src.type == SAT_F32 ? 80 : 800, tiny = w->src.type == SAT_F32 ? -140 : -1060;
    for (int64_t i = 0; i < samples; i++) {
        const uint64_t bits = random64(random);
        float *f32 = w->src.data;
        double *f64 = w->src.data, v = w->src.type == SAT_F32 ? (double)f32[i] : f64[i];
        if (kind == 1) v += 300;
        if (kind == 2) v = 65536 + v / 50;
        if (kind == 3) v = ldexp(v, (int)(bits >> 8) % 40);
        if (kind == 4 && bits >> 20 & 31) v = ldexp(v, most);
        if (kind == 5) v = same;
        if (kind == 6) v = ldexp(v, tiny);
        if (kind == 7) v = ldexp(v, most);
        if (!alike) v = (bits & rare) == 0 ? NAN : bits % 8 == 1 && w->spec.has_nodata ? w->spec.nodata : v;
        if (w->src.type == SAT_F32)
            f32[i] = (float)v;
        else
            f64[i] = v;
    }
}

static void *make(uint64_t seed, size_t k, effort e)
{
    windows *w = calloc(1, sizeof *w);
    if (w == NULL) {
        fail("out of memory");
        return NULL;
    }
    choose_spec(w, k, e, &seed);
    choose_outputs(w, k, &seed);
    if (k % 12 == 11) w->spec.outputs = 1, w->output[0] = (sat_window_output){.statistic = "mean"};
    if (k % 24 == 14 || k % 24 == 20) {
        w->spec.outputs = k % 96 < 24 ? 2 : 3;
        w->output[0] = (sat_window_output){.statistic = "mean"};
        w->output[1] = (sat_window_output){.statistic = "std"};
        w->output[2] = (sat_window_output){.statistic = "var"};
    }
    if (k % 48 == 32) {
        w->spec.outputs = 1;
        w->output[0] = (sat_window_output){.statistic = "rms"};
    }
    if (of_image(k)) w->output[0] = (sat_window_output){.statistic = constant(k) ? "std" : "wolf"};
    w->images = k % 96 == 56 ? w->spec.count : random_in(&seed, 1, w->spec.count);
    w->src = tall(w, w->spec.channels, w->spec.sample);
    w->mask = tall(w, 1, SAT_U8);
    content what = of_image(k) || random64(&seed) % 4 ? RANDOM : is_float(w->spec.sample) ? INFINITE : LARGEST;
    /* All pixels equal their thresholds, 255; 255 * 55 times the float that is nearest to 1 / 55 is less. */
    if (k % 12 == 4) {
        what = LARGEST;
        w->spec.window_width = 11, w->spec.window_height = 5;
        w->output[0] = (sat_window_output){.statistic = "mean", .compare = true, .result = SAT_U8};
    }
    if (largest(k) && seed % 2) what = LARGEST;
    bool ok = resolve(w) && fill(&w->src, &seed, what) && fill(&w->mask, &seed, RANDOM);
    /* Half of the samples small, so that some are the nodata value, and some of the mask 0. */
    for (int64_t i = 0; ok && i < w->mask.width * w->mask.height; i++)
        if (few_count(k) ? ((uint8_t *)w->mask.data)[i] % 16 || i % w->mask.width % 96 < 24
                         : ((uint8_t *)w->mask.data)[i] % 3 == 0)
            ((uint8_t *)w->mask.data)[i] = 0;
    const int64_t samples = w->src.width * w->src.height * w->src.channels;
    if (ok && is_float(w->src.type)) make_floats(w, k, samples, &seed);
    for (int64_t i = 0; ok && what == RANDOM && sat_type_bytes(w->src.type) == 1 && i < samples; i += 2)
        ((uint8_t *)w->src.data)[i] %= 5;
    sat_view results[OUTPUTS], src = batch(w, w->src), mask = batch(w, w->mask);
    for (int i = 0; ok && i < w->spec.outputs; i++) {
        w->want[i] = tall(w, w->spec.channels, w->output[i].result);
        w->want[i].data = malloc((size_t)w->want[i].row_bytes * (size_t)w->want[i].height);
        ok = w->want[i].data != NULL;
        results[i] = batch(w, w->want[i]);
    }
    sat_window_spec spec = w->spec;
    spec.backend = "cpu";
    spec.memory = SAT_HOST;
    w->random = seed;
    if (ok && answered(w, &spec, &src, &mask, results, &w->clipped)) return w;
    drop(w);
    return NULL;
}

static double number_at(const void *row, sat_type type, int64_t i)
{
    switch (type) {
    case SAT_F32: return (double)((const float *)row)[i];
    case SAT_F64: return ((const double *)row)[i];
    case SAT_U8: return ((const uint8_t *)row)[i];
    case SAT_U16: return ((const uint16_t *)row)[i];
    case SAT_U32: return ((const uint32_t *)row)[i];
    case SAT_I8: return ((const int8_t *)row)[i];
    case SAT_I16: return ((const int16_t *)row)[i];
    default: return ((const int32_t *)row)[i];
    }
}

/* The same bytes; but
 *     exp() is the machine's, and may be wrong in its last bit: so may results of phansalkar;
 *     of floats, what differs is within the bounds; of so many results as the oracle has time for. */
static bool same(const windows *w, int i, const sat_view *seen)
{
    enum { STEPS = 1 << 25 };
    const sat_view *want = &w->want[i];
    const sat_window_output *o = &w->output[i];
    const bool floats = is_float(w->src.type), rounds = !floats && strcmp(o->statistic, "phansalkar") == 0;
    const bool needs_image = strcmp(o->statistic, "wolf") == 0;
    if (!floats && !(rounds && is_float(want->type))) return rounds || same_bits(seen, want, o->statistic);
    const double of_mean = fmax(sat_type_largest(w->src.type), 256) * 0x1p-48; /* which exp() multiplies */
    const double bound = want->type == SAT_F32 ? 0x1p-22 : 0x1p-48;
    const sat_view *mask = w->spec.masked ? &w->mask : NULL;
    window_extremes extremes;
    int64_t steps = STEPS, image = -1; /* whose extremes are known */
    for (int64_t y = 0; y < want->height; y++)
        for (int64_t x = 0; x < want->width * want->channels; x++) {
            const double is = number_at((const char *)seen->data + y * seen->row_bytes, want->type, x),
                         to = number_at((const char *)want->data + y * want->row_bytes, want->type, x);
            if (is == to || (isnan(is) && isnan(to))) continue;
            if (rounds && fabs(is - to) <= fabs(to) * bound + of_mean) continue;
            double exact = to;
            const int64_t whole = w->spec.window_width * w->spec.window_height;
            if (floats && needs_image && image != y / w->spec.height) {
                if ((steps -= whole * w->spec.width * w->spec.height * w->spec.channels) < 0) return true;
                image = y / w->spec.height;
                extremes = window_extremes_of(&w->spec, &w->src, mask, image);
            }
            if (floats) {
                if ((steps -= whole) < 0) return true;
                const window_extremes *known = needs_image ? &extremes : NULL;
                if (window_agrees(&w->spec, o, &w->src, mask, known, y, x, is, &exact)) continue;
            }
            fail("%s: x=%lld y=%lld is %.17g, not %.17g", o->statistic, (long long)x, (long long)y, is, exact);
            return false;
        }
    return true;
}

static void run(void *made, const target *t)
{
    windows *w = made;
    uint64_t random = w->random;
    sat_window_spec spec = w->spec;
    spec.backend = t->name;
    if (!t->device) spec.memory = SAT_HOST;
    area src = {0}, mask = {0}, to[OUTPUTS] = {0};
    sat_view image = w->src, over = w->mask, results[OUTPUTS], seen;
    image.memory = over.memory = spec.memory;
    bool ok = area_open(&src, image, random_placement(&random)) && area_fill(&src, 0xa5) && area_write(&src, &w->src) &&
              area_open(&mask, over, random_placement(&random)) && area_fill(&mask, 0xa5) &&
              area_write(&mask, &w->mask);
    for (int i = 0; ok && i < spec.outputs; i++) {
        sat_view shape = w->want[i];
        shape.memory = spec.memory;
        ok = area_open(&to[i], shape, random_placement(&random)) && area_fill(&to[i], 0x5a);
        results[i] = batch(w, to[i].view);
    }
    int64_t clipped = 0;
    sat_view from = batch(w, src.view), counting = batch(w, mask.view);
    ok = ok && answered(w, &spec, &from, &counting, results, &clipped);
    for (int i = 0; ok && i < spec.outputs; i++)
        ok = area_read(&to[i], &seen) && area_clean(&to[i], w->output[i].statistic) && same(w, i, &seen);
    if (ok && clipped != w->clipped)
        fail("%lld results were clipped, not %lld", (long long)clipped, (long long)w->clipped);
    area_close(&src);
    area_close(&mask);
    for (int i = 0; i < OUTPUTS; i++) area_close(&to[i]);
}

static void text(const void *made, char *line, size_t bytes)
{
    const windows *w = made;
    const sat_window_spec *s = &w->spec;
    int n =
        snprintf(line, bytes, "%lldx%lldx%d %s on the %s, window %lldx%lld%s, %s%s%s, %lld of %lld images,",
                 (long long)s->width, (long long)s->height, s->channels, sat_type_name(s->sample),
                 s->memory == SAT_DEVICE ? "device" : "host", (long long)s->window_width, (long long)s->window_height,
                 s->anchor == SAT_ANCHOR_FIRST ? " (first anchor)" : "", s->border, s->masked ? ", mask" : "",
                 s->has_nodata ? ", nodata" : "", (long long)w->images, (long long)s->count);
    for (int i = 0; i < s->outputs && n > 0 && (size_t)n < bytes; i++)
        n += snprintf(line + n, bytes - (size_t)n, " %s%s to %s", w->output[i].statistic,
                      w->output[i].compare ? " compared" : "", sat_type_name(w->output[i].result));
}

const subject subject_windows = {"windows", has_windows, cases, make, run, drop, text};
