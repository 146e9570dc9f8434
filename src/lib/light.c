/* light.c - sRGB samples to linear light and back.
 *
 * To light by a table of all samples.  Back, sample k has the light between those of k - 1/2 and k + 1/2.  Where a
 * light lies among these bounds is looked up by its square root, which is so near to the sRGB curve that the answer is
 * at most a few steps from the first sample of its bucket. */
#include "sat_light.h"

#include <math.h>
#include <stdatomic.h>

#include "arena.h"
#include "choose.h"
#include "pool.h"
#include "reader.h"
#include "sat_image.h"
#include "samples.h"
#include "sized.h"

struct sat_light {
    sat_arena arena; /* the object and all that it holds */
    sat_light_spec spec;
    int largest;       /* sample */
    float *of_sample;  /* light of each */
    float *from;       /* the least light of each; and behind the largest, the least that is too large */
    uint16_t *nearest; /* sample of the least light of each bucket, or one before it */
};

double sat_light_of(double sample)
{
    return sample <= 0.04045 ? sample / 12.92 : pow((sample + 0.055) / 1.055, 2.4);
}

static void fill_tables(sat_light *l)
{
    const int largest = l->largest;
    for (int k = 0; k <= largest; k++) l->of_sample[k] = (float)sat_light_of((double)k / largest);
    for (int k = 0; k <= largest + 1; k++) l->from[k] = (float)sat_light_of((k - 0.5) / largest);
    for (int bucket = 0, k = 0; bucket <= largest; bucket++) {
        const double root = (bucket - 0.01) / largest; /* a root may be rounded up into the bucket */
        while (k < largest && root > 0 && (double)l->from[k + 1] <= root * root) k++;
        l->nearest[bucket] = (uint16_t)k;
    }
}

static sat_status check_spec(const sat_light_spec *s)
{
    if (s->sample != SAT_U8 && s->sample != SAT_U16)
        return sat_fail(SAT_ERR_TYPE, "sRGB samples of type %s; u8 and u16 are possible", sat_type_name(s->sample));
    if (s->has_nodata && !sat_type_holds(s->sample, s->nodata))
        return sat_fail(SAT_ERR_ARGUMENT, "nodata %.17g: no sample of type %s can be that", s->nodata,
                        sat_type_name(s->sample));
    sat_status status = sat_check_threads(s->threads);
    if (status == SAT_OK) status = sat_check_reserved(s->reserved, sizeof s->reserved);
    if (status == SAT_OK) status = sat_check_executor(s->executor);
    return status == SAT_OK ? sat_check_allocator(s->allocator) : status;
}

sat_status sat_light_create_sized(sat_light **out, const sat_light_spec *given, size_t spec_bytes)
{
    sat_light_spec spec;
    if (out == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no place for the tables of light");
    *out = NULL;
    sat_status status = sat_take_struct(&spec, sizeof spec, given, spec_bytes, "spec");
    if (status == SAT_OK) status = check_spec(&spec);
    if (status != SAT_OK) return status;
    sat_arena arena = {.allocator = spec.allocator};
    sat_light *l = sat_arena_zeros(&arena, sizeof *l);
    if (l == NULL) return SAT_ERR_MEMORY;
    l->spec = spec;
    l->largest = (int)sat_sample_max(spec.sample);
    const size_t n = (size_t)l->largest + 1;
    l->of_sample = sat_arena_alloc(&arena, n * sizeof *l->of_sample);
    l->from = sat_arena_alloc(&arena, (n + 1) * sizeof *l->from);
    l->nearest = sat_arena_alloc(&arena, n * sizeof *l->nearest);
    l->arena = arena;
    if (l->of_sample == NULL || l->from == NULL || l->nearest == NULL) {
        sat_light_destroy(&l);
        return SAT_ERR_MEMORY;
    }
    fill_tables(l);
    *out = l;
    return SAT_OK;
}

void sat_light_destroy(sat_light **light)
{
    if (light == NULL || *light == NULL) return;
    sat_arena arena = (*light)->arena;
    sat_arena_reset(&arena, NULL);
    *light = NULL;
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

static int sample_of(const sat_light *l, float v)
{
    if (!(v > 0)) return 0;
    if (v >= 1) return l->largest;
    int k = l->nearest[(int)(sqrtf(v) * (float)l->largest)];
    while (k < l->largest && v >= l->from[k + 1]) k++;
    return k;
}

/* The sample nodata is kept for its own light. */
static int beside_nodata(const sat_light *l, int sample, float v)
{
    if (!l->spec.has_nodata || sample != (int)l->spec.nodata || v == l->of_sample[sample]) return sample;
    return (int)sat_type_beside(l->spec.sample, sample, v < l->of_sample[sample]);
}

static int alpha_of(const sat_light *l, float v)
{
    return !(v > 0) ? 0 : v >= 1 ? l->largest : (int)((double)v * l->largest + 0.5);
}

typedef struct work {
    const sat_light *l;
    sat_view from, to;
    int light_channels; /* all but alpha */
    atomic_llong clipped;
} work;

static void row_to_light(void *context, int64_t index, int worker)
{
    const work *w = context;
    const sat_light *l = w->l;
    const int64_t image = index / w->from.height, y = index % w->from.height;
    const ptrdiff_t step = sat_sample_step(&w->from), to_step = sat_sample_step(&w->to);
    const bool is_u16 = l->spec.sample == SAT_U16;
    (void)worker;
    for (int c = 0; c < w->from.channels; c++) {
        const void *from = sat_sample_in(&w->from, image, 0, y, c);
        const uint8_t *bytes = from;
        const uint16_t *words = from;
        float *to = sat_sample_in(&w->to, image, 0, y, c);
        const bool is_light = c < w->light_channels;
        for (int64_t x = 0; x < w->from.width; x++) {
            const int sample = is_u16 ? words[x * step] : bytes[x * step];
            to[x * to_step] = is_light ? l->of_sample[sample] : (float)sample / (float)l->largest;
        }
    }
}

static void row_from_light(void *context, int64_t index, int worker)
{
    work *w = context;
    const sat_light *l = w->l;
    const int64_t image = index / w->from.height, y = index % w->from.height;
    const ptrdiff_t step = sat_sample_step(&w->from), to_step = sat_sample_step(&w->to);
    const bool is_u16 = l->spec.sample == SAT_U16;
    const float low = l->from[0], high = l->from[l->largest + 1];
    long long clipped = 0;
    (void)worker;
    for (int c = 0; c < w->from.channels; c++) {
        const float *from = sat_sample_in(&w->from, image, 0, y, c);
        void *to = sat_sample_in(&w->to, image, 0, y, c);
        uint8_t *bytes = to;
        uint16_t *words = to;
        const bool is_light = c < w->light_channels;
        for (int64_t x = 0; x < w->from.width; x++) {
            const float v = from[x * step];
            const int sample = is_light ? beside_nodata(l, sample_of(l, v), v) : alpha_of(l, v);
            if (is_light) clipped += v <= low || v >= high;
            if (is_u16)
                words[x * to_step] = (uint16_t)sample;
            else
                bytes[x * to_step] = (uint8_t)sample;
        }
    }
    if (clipped) atomic_fetch_add(&w->clipped, clipped);
}

/* ---- runs ---------------------------------------------------------------------------------------------- */

static sat_status check_views(const work *w, sat_type from, sat_type to)
{
    const sat_view *a = &w->from, *b = &w->to;
    if (a->type != from || b->type != to)
        return sat_fail(SAT_ERR_TYPE, "samples of %s to %s, where the tables are for %s to %s", sat_type_name(a->type),
                        sat_type_name(b->type), sat_type_name(from), sat_type_name(to));
    if (a->width != b->width || a->height != b->height || a->channels != b->channels || a->count != b->count)
        return sat_fail(SAT_ERR_SHAPE, "source and result: images of different shapes");
    if (w->l->spec.alpha && a->channels % 2 != 0)
        return sat_fail(SAT_ERR_SHAPE, "alpha is one of 2 or 4 channels, not of %d", a->channels);
    return sat_overlap(a, b) ? sat_fail(SAT_ERR_ARGUMENT, "source and result overlap") : SAT_OK;
}

/* Samples worth a thread: some 100 us, ten times what it takes to wake one. */
#define SHARE_SAMPLES 0x1p16

static sat_status run(work *w, const sat_view *from, const sat_view *to, bool back, sat_task *row)
{
    if (w->l == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no tables of light");
    const sat_light_spec *s = &w->l->spec;
    sat_status status = sat_take_samples(&w->from, from, "source");
    if (status == SAT_OK) status = sat_take_output(&w->to, to, "result");
    if (status == SAT_OK) status = sat_take_samples(&w->to, to, "result");
    if (status == SAT_OK) status = check_views(w, back ? SAT_F32 : s->sample, back ? s->sample : SAT_F32);
    if (status != SAT_OK) return status;
    const sat_view *v = &w->from;
    w->light_channels = v->channels - s->alpha;
    const double samples = (double)v->count * (double)v->height * (double)v->width * v->channels;
    sat_parallel_on(s->executor, sat_threads_worth(samples, SHARE_SAMPLES, s->threads ? s->threads : sat_processors()),
                    v->count * v->height, row, w);
    return SAT_OK;
}

sat_status sat_light_from_srgb(const sat_light *light, const sat_view *srgb, const sat_view *linear)
{
    work w = {.l = light};
    return run(&w, srgb, linear, false, row_to_light);
}

sat_status sat_light_to_srgb(const sat_light *light, const sat_view *linear, const sat_view *srgb, int64_t *clipped)
{
    work w = {.l = light};
    const sat_status status = run(&w, linear, srgb, true, row_from_light);
    if (clipped) *clipped = atomic_load(&w.clipped);
    return status;
}
