/* subject_filters.c - box filters: every backend gives the bytes that the reference gives; floats within their bound of
 * the first filter on the host that needs no table, which a NaN or Inf would spread over. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

typedef struct filter {
    sat_box_spec spec; /* backend NULL */
    content content;
    sat_view src, want; /* rows without gaps */
    double *bounds;     /* float samples: of each result; else NULL */
    double *loose;      /* the same through a table, whose entries are rounded as sat.h says */
    bool finite, even;  /* even: rows begin on vectors */
    size_t k;
    effort effort;
    uint64_t random;
} filter;

static bool filters(const target *t)
{
    return !t->scans && t->kind < SAT_CEILING;
}

/* Windows that have kernels of their own, after the other cases, with rows that mostly begin on vectors.  Integers for
 * which whole rows of the image are summed (kernels/box/box_wide.cu): one block in a row, of both sizes, and several.
 * Windows of 3x3 (kernels/box/box_small.cu): one strip and several, whose last one has few columns or none but a halo;
 * rows in one segment and in several.  Floats (kernels/box/box_float.cu): a row of one warp and of two, and few
 * rows in a step. */
typedef struct own_kernel {
    int64_t width, height, window_width, window_height;
    int channels;
    sat_type sample, result;
} own_kernel;

static const own_kernel in_simulator[] = {
    {200, 40, 61, 13, 1, SAT_U8, SAT_U8},   {500, 40, 101, 13, 1, SAT_U8, SAT_U8},
    {1400, 30, 61, 22, 1, SAT_U8, SAT_U8},  {300, 50, 41, 31, 3, SAT_U8, SAT_F32},
    {900, 20, 15, 10, 3, SAT_U8, SAT_U8},   {120, 30, 25, 10, 4, SAT_U16, SAT_U16},
    {90, 60, 83, 40, 2, SAT_U16, SAT_F32},  {256, 33, 64, 16, 1, SAT_U16, SAT_U16},
    {301, 70, 90, 61, 1, SAT_U8, SAT_F32},  {8, 40, 17, 13, 1, SAT_U8, SAT_U8},
    {961, 12, 3, 3, 1, SAT_U8, SAT_U8},     {960, 23, 3, 3, 2, SAT_U8, SAT_U8},
    {501, 7, 3, 3, 3, SAT_U8, SAT_U8},      {244, 16, 3, 3, 4, SAT_U8, SAT_U8},
    {482, 11, 3, 3, 1, SAT_U16, SAT_U16},   {90, 30, 3, 3, 3, SAT_U16, SAT_U16},
    {365, 11, 3, 3, 1, SAT_F32, SAT_F32},   {70, 26, 3, 3, 2, SAT_F32, SAT_F32},
    {120, 17, 3, 3, 3, SAT_F32, SAT_F32},   {93, 6, 3, 3, 4, SAT_F32, SAT_F32},
    {241, 21, 3, 3, 1, SAT_F64, SAT_F64},   {50, 13, 3, 3, 3, SAT_F64, SAT_F64},
    {1, 1, 3, 3, 1, SAT_U16, SAT_U16},      {2, 40, 3, 3, 2, SAT_F32, SAT_F32},
    {1, 9, 3, 3, 3, SAT_U8, SAT_U8},        {700, 1, 3, 3, 1, SAT_U8, SAT_U8},
    {300, 40, 43, 11, 1, SAT_F32, SAT_F32}, {301, 20, 12, 30, 1, SAT_F32, SAT_F32},
    {402, 30, 91, 7, 1, SAT_F32, SAT_F32},  {333, 25, 94, 20, 1, SAT_F32, SAT_F64},
    {260, 31, 15, 9, 1, SAT_F64, SAT_F64},  {203, 20, 63, 9, 1, SAT_F64, SAT_F32},
    {420, 12, 91, 3, 1, SAT_F32, SAT_F32},  {290, 9, 41, 5, 1, SAT_F32, SAT_F64},
    {8, 1, 3, 5, 1, SAT_F32, SAT_F32},      {1, 9, 5, 3, 3, SAT_F64, SAT_F64},
    {260, 31, 15, 8, 1, SAT_F64, SAT_F64},  {512, 33, 31, 18, 1, SAT_F32, SAT_F32},
};
static const own_kernel on_gpu[] = {
    {4098, 300, 31, 31, 1, SAT_F32, SAT_F32},    {4100, 200, 31, 31, 1, SAT_F64, SAT_F64},
    {8192, 300, 301, 301, 1, SAT_U8, SAT_U8},    {5001, 600, 1023, 301, 1, SAT_U8, SAT_U8},
    {20000, 200, 1001, 151, 1, SAT_U8, SAT_U8},  {3000, 400, 301, 301, 3, SAT_U8, SAT_U8},
    {1500, 500, 259, 259, 4, SAT_U8, SAT_U8},    {4096, 300, 31, 259, 2, SAT_U8, SAT_U8},
    {2000, 401, 301, 401, 1, SAT_U16, SAT_U16},  {9000, 300, 600, 199, 1, SAT_U16, SAT_F32},
    {6000, 300, 1501, 31, 1, SAT_U8, SAT_F32},   {1920, 1080, 301, 301, 1, SAT_U8, SAT_U8},
    {1024, 1024, 1023, 1023, 1, SAT_U8, SAT_U8}, {2048, 700, 300, 259, 3, SAT_U16, SAT_U16},
    {3840, 600, 1000, 500, 1, SAT_U8, SAT_F32},  {1000, 600, 301, 301, 4, SAT_U16, SAT_U16},
    {600, 300, 1201, 301, 1, SAT_U8, SAT_U8},    {900, 500, 300, 301, 2, SAT_U16, SAT_F32},
    {3841, 700, 3, 3, 1, SAT_U8, SAT_U8},        {1440, 333, 3, 3, 2, SAT_U8, SAT_U8},
    {801, 640, 3, 3, 3, SAT_U8, SAT_U8},         {1917, 1080, 3, 3, 4, SAT_U8, SAT_U8},
    {2400, 513, 3, 3, 1, SAT_U16, SAT_U16},      {1001, 400, 3, 3, 3, SAT_U16, SAT_U16},
    {4800, 1000, 3, 3, 1, SAT_F32, SAT_F32},     {4799, 200, 3, 3, 1, SAT_F32, SAT_F32},
    {999, 499, 3, 3, 2, SAT_F32, SAT_F32},       {1283, 720, 3, 3, 3, SAT_F32, SAT_F32},
    {640, 480, 3, 3, 4, SAT_F32, SAT_F32},       {1201, 301, 3, 3, 1, SAT_F64, SAT_F64},
    {333, 444, 3, 3, 4, SAT_F64, SAT_F64},       {1, 1, 3, 3, 1, SAT_U16, SAT_U16},
    {2, 3000, 3, 3, 1, SAT_F32, SAT_F32},        {100000, 1, 3, 3, 1, SAT_U8, SAT_U8},
    {4000, 300, 31, 31, 1, SAT_F32, SAT_F32},    {3001, 200, 255, 255, 1, SAT_F32, SAT_F32},
    {2222, 300, 101, 101, 1, SAT_F32, SAT_F64},  {1500, 300, 31, 31, 1, SAT_F64, SAT_F64},
    {1100, 200, 331, 9, 1, SAT_F64, SAT_F32},    {2500, 200, 31, 31, 3, SAT_F32, SAT_F32},
    {3000, 100, 64, 16, 1, SAT_F32, SAT_F32},    {5000, 64, 301, 5, 1, SAT_F32, SAT_F32},
    {8, 1, 3, 5, 1, SAT_F32, SAT_F32},           {1, 9, 5, 3, 3, SAT_F64, SAT_F64},
    {2000, 1500, 3999, 2999, 1, SAT_U8, SAT_U8},
};

/* Cases before those. */
static size_t usual_cases(effort e)
{
    return e == FULL ? 480 : e == QUICK ? 12 : 48;
}

static const own_kernel *own_case(size_t i, effort e)
{
    if (e == FULL) return &on_gpu[i % (sizeof on_gpu / sizeof *on_gpu)];
    return &in_simulator[i % (sizeof in_simulator / sizeof *in_simulator)];
}

static size_t cases(effort e)
{
    if (e == QUICK) return usual_cases(e);
    return usual_cases(e) + (e == FULL ? sizeof on_gpu / sizeof *on_gpu : sizeof in_simulator / sizeof *in_simulator);
}

static void drop(void *made)
{
    filter *f = made;
    free(f->src.data);
    free(f->want.data);
    free(f->bounds);
    free(f->loose);
    free(f);
}

static const char *some_border(uint64_t *random)
{
    sat_border_info info;
    size_t n = 0;
    while (sat_border_at(n, &info)) n++;
    sat_border_at(random64(random) % n, &info);
    return info.name;
}

static sat_view packed(const sat_box_spec *s, sat_type type)
{
    sat_view v = {.row_bytes = (ptrdiff_t)sat_row_bytes(s->width, s->channels, type),
                  .width = s->width,
                  .height = s->height,
                  .channels = s->channels,
                  .type = type};
    v.data = malloc((size_t)v.row_bytes * (size_t)v.height);
    if (v.data == NULL) fail("out of memory");
    return v;
}

static bool filtered(const sat_box_spec *spec, const sat_view *src, const sat_view *dst)
{
    sat_box *box;
    bool ok = is_status(sat_box_create(&box, spec), SAT_OK, "sat_box_create") &&
              is_status(sat_box_run(box, src, dst, NULL), SAT_OK, "sat_box_run");
    sat_box_destroy(&box);
    return ok;
}

/* The first backend on the host with a filter of its own; the reference where there is none. */
static const char *without_table(void)
{
    sat_backend_info info;
    for (size_t i = 0; sat_backend_at(i, &info); i++)
        if (info.available && info.filters && !info.device) return info.name;
    return reference();
}

static int64_t some_side(uint64_t *random, int64_t most)
{
    static const int64_t sides[] = {1, 2, 3, 15, 16, 31, 255};
    if (random64(random) % 3 == 0) return random_in(random, 1, 3 * most);
    return sides[random64(random) % (sizeof sides / sizeof *sides)];
}

static double value_at(const sat_view *v, size_t i)
{
    return v->type == SAT_F32 ? (double)((const float *)v->data)[i] : ((const double *)v->data)[i];
}

/* Weights that are positive, and not so small that a sum of products with them is. */
static void make_weights(filter *f)
{
    size_t channels = (size_t)f->spec.channels, n = (size_t)(f->spec.width * f->spec.height) * channels;
    for (size_t i = channels - 1; i < n; i += channels) {
        double v = value_at(&f->src, i);
        if (!isfinite(v)) continue;
        v = 1 + fmod(fabs(v), 4);
        if (f->src.type == SAT_F32)
            ((float *)f->src.data)[i] = (float)v;
        else
            ((double *)f->src.data)[i] = v;
    }
}

/* Of a mean of n samples: n * 2^-53 of the mean of their absolute values, twice, and the rounding to the result's type;
 * with weights from 1 to 5 at most five times that. */
static bool bound_floats(filter *f)
{
    size_t n = (size_t)(f->spec.width * f->spec.height * f->spec.channels);
    bool single = f->want.type == SAT_F32;
    double largest = 0, all = 0;
    f->bounds = malloc(n * sizeof *f->bounds);
    f->loose = malloc(n * sizeof *f->loose);
    if (f->bounds == NULL || f->loose == NULL) {
        fail("out of memory");
        return false;
    }
    f->finite = true;
    for (size_t i = 0; i < n; i++) {
        double v = value_at(&f->src, i);
        if (isfinite(v) && fabs(v) > largest) largest = fabs(v);
        if (isfinite(v)) all += fabs(v);
        f->finite = f->finite && isfinite(v);
    }
    double window_px = (double)f->spec.window_width * (double)f->spec.window_height;
    double sums = (f->spec.weighted_alpha ? 10 : 2) * window_px * 0x1p-53 * (largest + 4);
    double table = 8 * (double)(f->spec.width + f->spec.height) * 0x1p-53 * all * (f->spec.weighted_alpha ? 10 : 1);
    for (size_t i = 0; i < n; i++) {
        f->bounds[i] = fabs(value_at(&f->want, i)) * (single ? 0x1p-23 : 0x1p-51) + sums + (single ? 0x1p-149 : 0);
        f->loose[i] = f->bounds[i] + table;
    }
    return true;
}

/* Other samples than below, and results of another type; the first cases keep theirs, as mutants name them. */
static void other_types(sat_box_spec *s, size_t k)
{
    const sat_type real = k / 16 % 2 ? SAT_F64 : SAT_F32;
    switch (k % 16) {
    case 0:
    case 1:
    case 2:
        if (k >= 16) s->result = SAT_F32;
        break;
    case 4:
        if (k >= 16) s->sample = SAT_I8;
        break;
    case 5:
        if (k >= 16) s->sample = SAT_I16;
        break;
    case 8:
        if (k >= 16) s->sample = SAT_I32;
        break;
    case 10:
        if (k >= 16) s->sample = SAT_I16, s->result = real;
        break;
    case 11:
        if (k >= 16) s->result = SAT_F64;
        break;
    case 15:
        if (k >= 16) s->result = SAT_F32;
        break;
    case 6: s->sample = SAT_U32; break;
    case 12:
    case 13: s->result = real; break;
    case 14:
        s->sample = SAT_U32;
        s->result = real;
        break;
    default: break;
    }
}

static void *make(uint64_t seed, size_t k, effort e)
{
    static const sat_type samples[] = {SAT_U8, SAT_U16, SAT_U8, SAT_F32};
    int64_t most = e == FULL ? 900 : e == QUICK ? 100 : 30;
    filter *f = calloc(1, sizeof *f);
    if (f == NULL) {
        fail("out of memory");
        return NULL;
    }
    f->k = k;
    f->effort = e;
    f->spec = (sat_box_spec){.width = random_in(&seed, 1, random64(&seed) % 4 ? most : 10 * most),
                             .height = random_in(&seed, 1, most),
                             .channels = (int)random_in(&seed, 1, 4),
                             .sample = k % 8 == 7 ? SAT_F64 : samples[k % 4],
                             .window_width = some_side(&seed, most),
                             .window_height = some_side(&seed, most),
                             .border = some_border(&seed),
                             .border_value = {1, 2, 3, 4},
                             .threads = (int)random_in(&seed, 1, 3),
                             .anchor = k / 4 % 2 ? SAT_ANCHOR_FIRST : SAT_ANCHOR_SECOND,
                             .memory = random64(&seed) % 4 == 0 ? SAT_HOST : SAT_DEVICE};
    /* Filters without a table cut rows into strips: here windows end with a strip, of the simulator and of a GPU.  None
     * are so high that whole rows are summed. */
    if (k == 5 || k == 9) {
        f->spec.channels = 4;
        f->spec.width = k == 5 ? 88 : 64;
        f->spec.window_width = k == 5 ? 9 : 225;
        f->spec.window_height = 5;
    }
    /* And here strips begin at multiples of 4, in the simulator and on a GPU; or would, if one column less were needed.
     */
    if (k == 4 || k == 8 || k == 10) {
        f->spec.channels = 1;
        f->spec.width = k == 4 ? 1512 : k == 8 ? 1528 : 2536;
        f->spec.height = random_in(&seed, 1, 30);
        f->spec.window_width = 3;
        f->spec.window_height = 5;
    }
    /* Floats: windows that are runs apart, in strips of the simulator and of a GPU; blocks of rows in a queue that
     * turns, in shared memory and outside it; strips of three channels. */
    static const struct {
        int64_t k, width, height, window_width, window_height;
        int channels;
    } wide[] = {{19, 300, 40, 41, 11, 1},   {23, 250, 45, 12, 30, 1},    {27, 100, 60, 10, 40, 3},
                {35, 700, 200, 150, 90, 1}, {39, 600, 150, 101, 120, 2}, {43, 500, 90, 300, 25, 1}};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if ((int64_t)k == wide[i].k && (e == FULL || i < 3)) {
            f->spec.width = wide[i].width;
            f->spec.height = wide[i].height;
            f->spec.window_width = wide[i].window_width;
            f->spec.window_height = wide[i].window_height;
            f->spec.channels = wide[i].channels;
        }
    const own_kernel *own = k < usual_cases(e) ? NULL : own_case(k - usual_cases(e), e);
    if (own) {
        f->spec.width = own->width;
        f->spec.height = own->height;
        f->spec.window_width = own->window_width;
        f->spec.window_height = own->window_height;
        f->spec.channels = own->channels;
        f->spec.sample = own->sample;
        f->spec.result = own->result;
        /* More than 2^23 positions, of which the image has less. */
        if (own->window_width * own->window_height > 1 << 23) f->spec.border = "shrink";
        /* Clipped to the image, it would be 3x3. */
        if (own->height == 1 && own->window_height == 5) f->spec.border = "constant";
        if (own->width == 1 && own->window_width == 5) f->spec.border = "constant";
    } else {
        other_types(&f->spec, k);
    }
    bool real = f->spec.sample == SAT_F32 || f->spec.sample == SAT_F64;
    f->spec.weighted_alpha = f->spec.channels % 2 == 0 && k != 5 && k != 9 && random64(&seed) % 3 == 0 && !own &&
                             f->spec.sample != SAT_U32 && f->spec.sample != SAT_I32;
    f->content = real ? (content)(random64(&seed) % CONTENTS) : random64(&seed) % 4 == 0 ? LARGEST : RANDOM;
    f->src = packed(&f->spec, f->spec.sample);
    f->want = packed(&f->spec, f->spec.result == SAT_TYPE_NONE ? f->spec.sample : f->spec.result);
    f->random = seed;
    f->even = own && random64(&seed) % 8 != 0;
    sat_box_spec spec = f->spec;
    spec.backend = real ? without_table() : reference();
    spec.memory = SAT_HOST;
    bool ok = f->src.data && f->want.data;
    if (ok)
        fill_samples(f->src.data, (size_t)(spec.width * spec.height * spec.channels), spec.sample, NULL, f->content,
                     &seed);
    if (ok && real && spec.weighted_alpha) make_weights(f);
    if (ok && filtered(&spec, &f->src, &f->want) && (!real || bound_floats(f))) return f;
    drop(f);
    return NULL;
}

/* Floats through tables: not such as a table would spread, nor unseen. */
static bool may_refuse(const filter *f, const target *t, const sat_box_spec *spec, sat_status status)
{
    if (status == SAT_ERR_TYPE && is_of_lab(t)) return true; /* the sums of its table; subject_tables has the pairs */
    if (f->bounds == NULL) return false;
    return spec->memory == SAT_DEVICE ? status == SAT_ERR_UNAVAILABLE : status == SAT_ERR_RANGE && !f->finite;
}

/* Filters of that backend go through a table: always, or where windows reach far outside. */
static bool through_table(const filter *f, const char *backend)
{
    sat_backend_info info;
    for (size_t i = 0; sat_backend_entry(i, &info); i++)
        if (strcmp(info.name, backend) == 0 && info.filters)
            return f->spec.window_width > f->spec.width || f->spec.window_height > f->spec.height;
    return true;
}

static bool compare(const filter *f, const char *backend, const sat_view *seen)
{
    size_t samples = (size_t)(seen->width * seen->channels);
    const double *bounds = f->bounds && through_table(f, backend) ? f->loose : f->bounds;
    if (f->bounds == NULL) return same_bits(seen, &f->want, "result");
    for (int64_t y = 0; y < seen->height; y++) {
        const char *got = (const char *)seen->data + (size_t)y * (size_t)seen->row_bytes;
        const char *want = (const char *)f->want.data + (size_t)y * (size_t)f->want.row_bytes;
        size_t i = first_wrong(f->want.type, got, want, bounds + (size_t)y * samples, 1, samples);
        char is[40], should[40];
        if (i == samples) continue;
        fail("result: element %zu of row %lld is %s, not %s", i, (long long)y, value_text(f->want.type, got, i, is),
             value_text(f->want.type, want, i, should));
        return false;
    }
    return true;
}

/* Twice, the second time over what the first one left. */
static void run_areas(const filter *f, const target *t, const sat_box_spec *spec, area *src, area *dst)
{
    sat_box *box;
    sat_view seen;
    sat_status status = sat_box_create(&box, spec);
    for (int i = 0; status == SAT_OK && i < 2; i++) {
        status = sat_box_run(box, &src->view, &dst->view, NULL);
        if (status != SAT_OK) break;
        if ((spec->memory == SAT_DEVICE && !is_status(sat_device_wait(NULL), SAT_OK, "sat_device_wait")) ||
            !area_read(dst, &seen) || !area_clean(dst, "result") || !compare(f, spec->backend, &seen))
            break;
    }
    if (status != SAT_OK && may_refuse(f, t, spec, status))
        pass_over();
    else
        is_status(status, SAT_OK, "the filter");
    sat_box_destroy(&box);
}

static void run(void *made, const target *t)
{
    filter *f = made;
    uint64_t random = f->random;
    if (!takes_filter(t, f->k, f->effort)) {
        pass_over();
        return;
    }
    sat_box_spec spec = f->spec;
    area src = {0}, dst = {0};
    sat_view image = f->src, result = f->want, seen;
    spec.backend = t->name;
    if (!t->device) spec.memory = SAT_HOST;
    image.memory = result.memory = spec.memory;
    placement from = random_placement(&random), to = random_placement(&random);
    if (f->even) {
        from.even = to.even = true;
        from.shift = to.shift = 0;
    }
    if (area_open(&src, image, from) && area_open(&dst, result, to) && area_fill(&src, 0xa5) &&
        area_write(&src, &f->src) && area_fill(&dst, 0x5a)) {
        run_areas(f, t, &spec, &src, &dst);
        if (area_read(&src, &seen) && area_clean(&src, "image")) same_bits(&seen, &f->src, "image after the run");
    }
    area_close(&src);
    area_close(&dst);
}

static void text(const void *made, char *line, size_t bytes)
{
    const filter *f = made;
    const sat_box_spec *s = &f->spec;
    snprintf(line, bytes, "%lldx%lldx%d %s to %s on the %s, window %lldx%lld%s, %s%s, %s", (long long)s->width,
             (long long)s->height, s->channels, sat_type_name(s->sample), sat_type_name(f->want.type),
             s->memory == SAT_DEVICE ? "device" : "host", (long long)s->window_width, (long long)s->window_height,
             s->anchor == SAT_ANCHOR_FIRST ? " (first anchor)" : "", s->border, s->weighted_alpha ? ", alpha" : "",
             content_name(f->content));
}

const subject subject_filters = {"filters", filters, cases, make, run, drop, text};
