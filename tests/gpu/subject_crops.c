/* subject_crops.c - filters of host images on a device, which go there in crops: the bits, and the counts, of the same
 * images whole in device memory, floats too. */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "sat_window.h"

enum { OUTPUTS = 3, ARRAYS = 2 + OUTPUTS };

typedef struct crops {
    sat_window_spec spec; /* backend NULL; of a mean without results: a box filter */
    sat_window_output output[OUTPUTS];
    bool box;
    sat_view array[ARRAYS]; /* source, mask, results: shapes of all images below one another; data of the first two */
    uint64_t random;
    size_t k;
    effort effort;
} crops;

static bool fits(const target *t)
{
    return !t->scans && t->device && t->kind < SAT_CEILING;
}

static size_t cases(effort e)
{
    return e == FULL ? 240 : e == QUICK ? 8 : 200;
}

static void drop(void *made)
{
    crops *c = made;
    for (int i = 0; i < 2; i++) free(c->array[i].data);
    free(c);
}

static sat_view tall(const sat_window_spec *s, int channels, sat_type type)
{
    return (sat_view){.row_bytes = (ptrdiff_t)sat_row_bytes(s->width, channels, type),
                      .width = s->width,
                      .height = s->height * s->count,
                      .channels = channels,
                      .type = type};
}

static bool fill(sat_view *v, content what, uint64_t *random)
{
    v->data = malloc((size_t)v->row_bytes * (size_t)v->height);
    if (v->data == NULL) {
        fail("out of memory");
        return false;
    }
    fill_samples(v->data, (size_t)(v->width * v->height * v->channels), v->type, NULL, what, random);
    return true;
}

/* Sums of floats that are far apart depend on their order. */
static void spread(sat_view *v, uint64_t *random)
{
    const size_t n = (size_t)(v->width * v->height * v->channels);
    for (size_t i = 0; i < n; i++) {
        const int by = (int)random_in(random, -30, 30);
        if (v->type == SAT_F32) ((float *)v->data)[i] = ldexpf(((float *)v->data)[i], by);
        if (v->type == SAT_F64) ((double *)v->data)[i] = ldexp(((double *)v->data)[i], by);
    }
}

static const char *some_border(uint64_t *random)
{
    sat_border_info info;
    size_t n = 0;
    while (sat_border_at(n, &info)) n++;
    sat_border_at(random64(random) % n, &info);
    return info.name;
}

static void choose_outputs(crops *c, uint64_t *random)
{
    static const sat_type types[] = {SAT_F32, SAT_F64, SAT_U8, SAT_I16};
    sat_statistic_info info;
    size_t statistics = 0;
    while (sat_statistic_at(statistics, &info)) statistics++;
    c->spec.outputs = (int)random_in(random, 1, OUTPUTS);
    for (int i = 0; i < c->spec.outputs; i++) {
        sat_statistic_at(random64(random) % statistics, &info);
        c->output[i] = (sat_window_output){.statistic = info.name, .result = types[random64(random) % 4]};
        if (info.threshold && random64(random) % 2) c->output[i].compare = true, c->output[i].result = SAT_U8;
    }
}

/* In the simulator a band has 64 bytes, on a GPU half a megabyte at least. */
static void *make(uint64_t seed, size_t k, effort e)
{
    static const sat_type types[] = {SAT_U8, SAT_F32, SAT_U16, SAT_F64, SAT_I16};
    crops *c = calloc(1, sizeof *c);
    if (c == NULL) {
        fail("out of memory");
        return NULL;
    }
    const int64_t pixels = e == FULL ? 3000000 : 1500, most = e == FULL ? 3000 : 40;
    sat_window_spec *s = &c->spec;
    c->random = seed, c->k = k, c->effort = e;
    c->box = k % 2;
    *s = (sat_window_spec){.width = random_in(&seed, 1, most),
                           .channels = seed % 3 ? 1 : (int)random_in(&seed, 1, 4),
                           .sample = types[random64(&seed) % 5],
                           .border = some_border(&seed),
                           .anchor = (sat_anchor)random_in(&seed, 0, 1),
                           .count = seed % 4 ? 1 : random_in(&seed, 2, 9)};
    s->window_width = random_in(&seed, 1, e == FULL ? 60 : 9);
    const bool queues = k % 4 == 1;                               /* boxes of f64 as tall as several blocks of rows */
    if (k % 8 == 3) s->sample = SAT_U8;                           /* of which all backends make tables */
    if (k % 16 == 6) s->sample = k % 32 == 6 ? SAT_U32 : SAT_I32; /* squares have passes */
    if (queues) s->sample = SAT_F64, s->width = random_in(&seed, 1, most / 4);
    s->height = random_in(&seed, 1, pixels / (s->width * s->channels * s->count) + 1);
    s->window_height = random_in(&seed, 1, (e == FULL ? 90 : 20) >> random_in(&seed, 0, 3));
    if (queues) s->window_height = random_in(&seed, e == FULL ? 30 : 17, e == FULL ? 90 : 30);
    if (c->box) {
        c->output[0] = (sat_window_output){.statistic = "mean", .result = s->sample};
        if (s->sample == SAT_U8 && seed % 2) c->output[0].result = SAT_F32;
        /* Of floats, rows that begin on vectors have another kernel than others. */
        if (seed % 5 == 0 && !is_float(s->sample)) s->window_width = s->window_height = 3;
        if (s->window_width == 3 && is_float(s->sample)) s->window_width = 4;
        s->outputs = 1;
    } else {
        choose_outputs(c, &seed);
        s->masked = random64(&seed) % 3 == 0, s->skip_nan = is_float(s->sample) && random64(&seed) % 2;
        s->ddof = random_in(&seed, 0, 1), s->min_valid = (double)random_in(&seed, 0, 3);
    }
    s->output = c->output;
    c->array[0] = tall(s, s->channels, s->sample), c->array[1] = tall(s, 1, SAT_U8);
    for (int i = 0; i < s->outputs; i++) c->array[2 + i] = tall(s, s->channels, c->output[i].result);
    if (!fill(&c->array[0], RANDOM, &seed) || !fill(&c->array[1], RANDOM, &seed)) {
        drop(c);
        return NULL;
    }
    spread(&c->array[0], &seed);
    return c;
}

static void text(const void *made, char *to, size_t bytes)
{
    const crops *c = made;
    const sat_window_spec *s = &c->spec;
    snprintf(to, bytes, "%s of %lld images of %lldx%lldx%d %s, window %lldx%lld, %s%s",
             c->box ? "box" : s->output->statistic, (long long)s->count, (long long)s->width, (long long)s->height,
             s->channels, sat_type_name(s->sample), (long long)s->window_width, (long long)s->window_height, s->border,
             s->masked ? ", masked" : "");
}

/* ---- runs -------------------------------------------------------------------------------------------- */

static sat_status run_box(const crops *c, const char *backend, const sat_view *views, sat_counts *counts)
{
    const sat_window_spec *s = &c->spec;
    const sat_box_spec spec = {.width = s->width,
                               .height = s->height,
                               .channels = s->channels,
                               .sample = s->sample,
                               .result = c->output[0].result,
                               .window_width = s->window_width,
                               .window_height = s->window_height,
                               .border = s->border,
                               .anchor = s->anchor,
                               .memory = views->memory,
                               .count = s->count,
                               .backend = backend};
    sat_box *box;
    (void)counts; /* it has none */
    sat_status status = sat_box_create(&box, &spec);
    if (status == SAT_OK) status = sat_box_run(box, &views[0], &views[2], NULL);
    if (status == SAT_OK && views->memory == SAT_DEVICE) status = sat_device_wait(NULL);
    sat_box_destroy(&box);
    return status;
}

static sat_status run_window(const crops *c, const char *backend, const sat_view *views, sat_counts *counts)
{
    const sat_run_options run = {.counts = counts};
    sat_window_spec spec = c->spec;
    sat_window *window;
    spec.memory = views->memory, spec.backend = backend;
    sat_status status = sat_window_create(&window, &spec);
    if (status == SAT_OK) status = sat_window_run(window, &views[0], spec.masked ? &views[1] : NULL, &views[2], &run);
    if (status == SAT_OK) status = sat_window_wait(window, NULL);
    sat_window_destroy(&window);
    return status;
}

/* The images in one kind of memory, and what a run makes of them there. */
typedef struct place {
    area of[ARRAYS];
    sat_view seen[ARRAYS];
    sat_counts counts;
} place;

static bool open_place(place *p, const crops *c, sat_memory memory, uint64_t *random)
{
    for (int i = 0; i < 2 + c->spec.outputs; i++) {
        sat_view shape = c->array[i];
        shape.memory = memory;
        if (!area_open(&p->of[i], shape, random_placement(random)) || !area_fill(&p->of[i], 0x5a)) return false;
        if (i < 2 && !area_write(&p->of[i], &c->array[i])) return false;
    }
    return true;
}

static sat_status run_there(place *p, const crops *c, const char *backend)
{
    sat_view views[ARRAYS];
    for (int i = 0; i < 2 + c->spec.outputs; i++) {
        views[i] = p->of[i].view;
        views[i].height = c->spec.height, views[i].count = c->spec.count;
        views[i].image_bytes = views[i].row_bytes * (ptrdiff_t)c->spec.height;
    }
    return c->box ? run_box(c, backend, views, &p->counts) : run_window(c, backend, views, &p->counts);
}

static bool read_place(place *p, const crops *c)
{
    for (int i = 0; i < 2 + c->spec.outputs; i++)
        if (!area_read(&p->of[i], &p->seen[i]) || !area_clean(&p->of[i], "array")) return false;
    return true;
}

static bool same(const crops *c, const place *host, const place *device)
{
    for (int i = 0; i < c->spec.outputs; i++)
        if (!same_bits(&host->seen[2 + i], &device->seen[2 + i], "result")) return false;
    if (!c->box && host->counts.clipped != device->counts.clipped) {
        fail("%lld results were clipped, not %lld", (long long)host->counts.clipped, (long long)device->counts.clipped);
        return false;
    }
    return true;
}

static void run(void *made, const target *t)
{
    const crops *c = made;
    uint64_t random = c->random;
    place host = {0}, device = {0};
    if (!takes_filter(t, c->k, c->effort)) {
        pass_over();
        return;
    }
    bool ok = open_place(&host, c, SAT_HOST, &random) && open_place(&device, c, SAT_DEVICE, &random);
    const sat_status whole = ok ? run_there(&device, c, t->name) : SAT_OK;
    if (whole == SAT_ERR_UNAVAILABLE || whole == SAT_ERR_TYPE || whole == SAT_ERR_RANGE) {
        pass_over(); /* subject_filters and subject_windows see whether that is right */
    } else if (ok && is_status(whole, SAT_OK, "the run in device memory")) {
        ok = is_status(run_there(&host, c, t->name), SAT_OK, "the run in host memory") && read_place(&device, c) &&
             read_place(&host, c);
        if (ok) (void)same(c, &host, &device);
    }
    for (int i = 0; i < ARRAYS; i++) area_close(&host.of[i]), area_close(&device.of[i]);
}

const subject subject_crops = {"crops", fits, cases, make, run, drop, text};
