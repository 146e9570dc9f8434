/* image_range.c - the smallest and the largest sample of an image; and which pixels of it are set. */
#include <math.h>
#include <stdio.h>

#include "choose.h"
#include "pool.h"
#include "reader.h"
#include "samples.h"
#include "sat_image.h"

/* Samples worth a thread: some 100 us, ten times what it takes to wake one. */
#define SHARE_SAMPLES 0x1p18

static int threads_for(const sat_view *v, int threads)
{
    const double samples = (double)v->count * (double)v->height * (double)v->width * v->channels;
    return sat_threads_worth(samples, SHARE_SAMPLES, threads ? threads : sat_processors());
}

/* ---- the range ----------------------------------------------------------------------------------------- */

typedef struct extremes {
    double low, high;
    int64_t lost; /* the first row, numbered through all images, with a sample that is not finite; INT64_MAX: none */
} extremes;

typedef struct ranges {
    sat_view image;
    extremes of[SAT_MAX_THREADS]; /* what each worker has seen */
} ranges;

#define READ(type)                                                                                                     \
    for (int64_t x = 0; x < n; x++) {                                                                                  \
        const double value = (double)((const type *)row)[x * step];                                                    \
        low = value < low ? value : low;                                                                               \
        high = value > high ? value : high;                                                                            \
        if ((type)0.5 != 0) zero += value * 0; /* of floats: NaN from the first that is not finite */                  \
    }
/* One channel of a row; false where a sample is not finite. */
static bool read_samples(extremes *e, const void *row, sat_type type, int64_t n, ptrdiff_t step)
{
    double low = e->low, high = e->high, zero = 0;
    switch (type) {
    case SAT_U8: READ(uint8_t) break;
    case SAT_U16: READ(uint16_t) break;
    case SAT_U32: READ(uint32_t) break;
    case SAT_I8: READ(int8_t) break;
    case SAT_I16: READ(int16_t) break;
    case SAT_I32: READ(int32_t) break;
    case SAT_F32: READ(float) break;
    default: READ(double)
    }
    e->low = low, e->high = high;
    return zero == 0;
}
#undef READ

static void read_row(void *context, int64_t index, int worker)
{
    ranges *r = context;
    const sat_view *v = &r->image;
    extremes *e = &r->of[worker];
    for (int c = 0; c < v->channels; c++) {
        const void *row = sat_sample_in(v, index / v->height, 0, index % v->height, c);
        if (!read_samples(e, row, v->type, v->width, sat_sample_step(v)) && index < e->lost) e->lost = index;
    }
}

static sat_status refuse(const sat_view *v, int64_t index)
{
    const int64_t image = index / v->height, y = index % v->height;
    char which[48] = "";
    int64_t x = 0;
    for (bool finite = true; finite && x < v->width; x += finite)
        for (int c = 0; c < v->channels; c++)
            finite = finite && isfinite(sat_sample_value(v->type, sat_sample_in(v, image, x, y, c)));
    if (v->count > 1) snprintf(which, sizeof which, " of image %lld", (long long)image);
    return sat_fail(SAT_ERR_RANGE, "the sample at %lld,%lld%s is not finite", (long long)x, (long long)y, which);
}

sat_status sat_image_range(const sat_view *image, int threads, double *low, double *high)
{
    ranges r;
    if (low == NULL || high == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no place for the range");
    sat_status status = sat_take_samples(&r.image, image, "image");
    if (status == SAT_OK) status = sat_check_threads(threads);
    if (status != SAT_OK) return status;
    const int workers = threads_for(&r.image, threads);
    for (int i = 0; i < workers; i++) r.of[i] = (extremes){INFINITY, -INFINITY, INT64_MAX};
    sat_parallel(workers, r.image.count * r.image.height, read_row, &r);
    extremes all = r.of[0];
    for (int i = 1; i < workers; i++) {
        all.low = fmin(all.low, r.of[i].low);
        all.high = fmax(all.high, r.of[i].high);
        if (r.of[i].lost < all.lost) all.lost = r.of[i].lost;
    }
    *low = all.low, *high = all.high;
    return all.lost != INT64_MAX ? refuse(&r.image, all.lost) : SAT_OK;
}

/* ---- masks --------------------------------------------------------------------------------------------- */

typedef struct masking {
    sat_view image, mask;
} masking;

static void mask_row(void *context, int64_t index, int worker)
{
    const masking *m = context;
    const sat_view *v = &m->image;
    const int64_t image = index / v->height, y = index % v->height;
    uint8_t *to = sat_sample_in(&m->mask, image, 0, y, 0);
    const ptrdiff_t to_step = sat_sample_step(&m->mask);
    const char *row[4];
    (void)worker;
    for (int c = 0; c < v->channels; c++) row[c] = sat_sample_in(v, image, 0, y, c);
    for (int64_t x = 0; x < v->width; x++) {
        bool set = false;
        for (int c = 0; c < v->channels; c++) /* NaN, too */
            set = set || sat_sample_value(v->type, row[c] + x * v->pixel_bytes) != 0;
        if (!set) to[x * to_step] = 0;
    }
}

sat_status sat_mask_clear(const sat_view *mask, const sat_view *image, int threads)
{
    masking m;
    sat_status status = sat_take_output(&m.mask, mask, "mask");
    if (status == SAT_OK) status = sat_take_samples(&m.mask, mask, "mask");
    if (status == SAT_OK) status = sat_take_samples(&m.image, image, "image");
    if (status == SAT_OK) status = sat_check_threads(threads);
    if (status != SAT_OK) return status;
    const sat_view *v = &m.image, *to = &m.mask;
    if (to->type != SAT_U8 || to->channels != 1)
        return sat_fail(SAT_ERR_TYPE, "mask: %d channels of %s; one of u8 is possible", to->channels,
                        sat_type_name(to->type));
    if (to->width != v->width || to->height != v->height || to->count != v->count)
        return sat_fail(SAT_ERR_SHAPE, "mask and image: of different shapes");
    if (sat_overlap(to, v)) return sat_fail(SAT_ERR_ARGUMENT, "mask and image overlap");
    sat_parallel(threads_for(v, threads), v->count * v->height, mask_row, &m);
    return SAT_OK;
}
