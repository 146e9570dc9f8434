/* light.c - sRGB samples to linear light and back.
 *
 * To light by a table of all samples.  Back, sample k has the light between those of k - 1/2 and k + 1/2.  Where a
 * light lies among these bounds is looked up by its square root, which is so near to the sRGB curve that the answer is
 * at most a few steps from the first sample of its bucket. */
#include "light.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct light {
    sat_type type;
    int largest;       /* sample */
    float *of_sample;  /* light of each */
    float *from;       /* the least light of each; and behind the largest, the least that is too large */
    uint16_t *nearest; /* sample of the least light of each bucket, or one before it */
};

double light_of(double sample)
{
    return sample <= 0.04045 ? sample / 12.92 : pow((sample + 0.055) / 1.055, 2.4);
}

bool light_open(light **out, sat_type type, error *err)
{
    const int largest = type == SAT_U8 ? UINT8_MAX : UINT16_MAX;
    const size_t n = (size_t)largest + 1;
    light *l = calloc(1, sizeof *l);
    *out = l;
    if (l) {
        *l = (light){.type = type, .largest = largest};
        l->of_sample = malloc(n * sizeof *l->of_sample);
        l->from = malloc((n + 1) * sizeof *l->from);
        l->nearest = malloc(n * sizeof *l->nearest);
    }
    if (!l || !l->of_sample || !l->from || !l->nearest) {
        light_close(l);
        *out = NULL;
        return fail(err, "out of memory");
    }
    for (int k = 0; k <= largest; k++) l->of_sample[k] = (float)light_of((double)k / largest);
    for (int k = 0; k <= largest + 1; k++) l->from[k] = (float)light_of((k - 0.5) / largest);
    for (int bucket = 0, k = 0; bucket <= largest; bucket++) {
        const double root = (bucket - 0.01) / largest; /* a root may be rounded up into the bucket */
        while (k < largest && root > 0 && (double)l->from[k + 1] <= root * root) k++;
        l->nearest[bucket] = (uint16_t)k;
    }
    return true;
}

void light_close(light *l)
{
    if (!l) return;
    free(l->of_sample), free(l->from), free(l->nearest);
    free(l);
}

static int sample_of(const light *l, float v)
{
    if (!(v > 0)) return 0;
    if (v >= 1) return l->largest;
    int k = l->nearest[(int)(sqrtf(v) * (float)l->largest)];
    while (k < l->largest && v >= l->from[k + 1]) k++;
    return k;
}

static int alpha_of(const light *l, float v)
{
    return !(v > 0) ? 0 : v >= 1 ? l->largest : (int)((double)v * l->largest + 0.5);
}

typedef struct work {
    const light *l;
    const image *from, *to;
    atomic_llong clipped;
} work;

static void row_to_light(void *context, int64_t y, int worker)
{
    const work *w = context;
    const image *img = w->from;
    const uint8_t *bytes = (const uint8_t *)img->data + (size_t)y * img->row_bytes;
    const uint16_t *words = (const uint16_t *)(const void *)bytes;
    float *to = (float *)(void *)((char *)w->to->data + (size_t)y * w->to->row_bytes);
    const int channels = img->channels, alpha = image_has_alpha(img) ? channels - 1 : channels;
    (void)worker;
    for (int64_t i = 0, c = 0; i < img->width * channels; i++, c = c == channels - 1 ? 0 : c + 1) {
        const int sample = img->type == SAT_U8 ? bytes[i] : words[i];
        to[i] = c == alpha ? (float)sample / (float)w->l->largest : w->l->of_sample[sample];
    }
}

static void row_from_light(void *context, int64_t y, int worker)
{
    work *w = context;
    const light *l = w->l;
    const image *img = w->to;
    uint8_t *bytes = (uint8_t *)img->data + (size_t)y * img->row_bytes;
    uint16_t *words = (uint16_t *)(void *)bytes;
    const float *from = (const float *)(const void *)((const char *)w->from->data + (size_t)y * w->from->row_bytes);
    const int channels = img->channels, alpha = image_has_alpha(img) ? channels - 1 : channels;
    long long clipped = 0;
    (void)worker;
    for (int64_t i = 0, c = 0; i < img->width * channels; i++, c = c == channels - 1 ? 0 : c + 1) {
        const int sample = c == alpha ? alpha_of(l, from[i]) : sample_of(l, from[i]);
        if (c != alpha) clipped += from[i] <= l->from[0] || from[i] >= l->from[l->largest + 1];
        if (l->type == SAT_U8)
            bytes[i] = (uint8_t)sample;
        else
            words[i] = (uint16_t)sample;
    }
    if (clipped) atomic_fetch_add(&w->clipped, clipped);
}

/* Pixels of another type in place of an image's. */
static bool convert(work *w, image *img, sat_type type, sat_task *row, int threads, error *err)
{
    image made;
    if (!image_alloc(&made, img->width, img->height, img->channels, type, err)) return false;
    w->from = img, w->to = &made;
    sat_parallel(threads, img->height, row, w);
    image_exchange(img, &made);
    image_free(&made);
    return true;
}

bool light_from_srgb(const light *l, image *img, int threads, error *err)
{
    work w = {.l = l};
    return convert(&w, img, SAT_F32, row_to_light, threads, err);
}

bool light_to_srgb(const light *l, image *img, int threads, int64_t *clipped, error *err)
{
    work w = {.l = l};
    const bool ok = convert(&w, img, l->type, row_from_light, threads, err);
    *clipped = atomic_load(&w.clipped);
    return ok;
}
