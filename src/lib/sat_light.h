/* sat_light.h - sRGB samples to linear light and back (IEC 61966-2-1).
 *
 * Means and blurs of sRGB samples are too dark, since the samples are no measure of light: half black and half white is
 * sample 188 of 255, not 128.  Samples to light, a filter of f32, and light to samples gives the right ones.
 *
 * What sat.h says of versions, threads, executors and allocators holds here; sat_light_spec travels with its size. */
#ifndef SAT_LIGHT_H
#define SAT_LIGHT_H

#include "sat.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Zero means the default where one is named. */
typedef struct sat_light_spec {
    sat_type sample;                /* SAT_U8, SAT_U16: the largest sample is 1 */
    int threads;                    /* as in sat_plan_spec */
    bool alpha;                     /* the last channel is no light: it goes from 0 to 1 in proportion */
    bool has_nodata;                /* light that is not the light of the sample nodata never becomes that sample, but
                                       the one beside it (sat_type_beside()) on its side.  Alpha aside */
    bool reserved[6];               /* false */
    const sat_executor *executor;   /* as in sat_plan_spec */
    const sat_allocator *allocator; /* as in sat_plan_spec */
    double nodata;                  /* a sample */
} sat_light_spec;

/* The tables for samples of one type: 10 bytes for each of its values. */
typedef struct sat_light sat_light;

/* On SAT_OK *light is the caller's, to be given to sat_light_destroy(); else it is NULL, and the status is
 * SAT_ERR_ARGUMENT, _TYPE (samples of other types) or _MEMORY. */
#define sat_light_create(...) sat_light_create_sized(__VA_ARGS__, sizeof(sat_light_spec)) /* light, spec */
SAT_API sat_status sat_light_create_sized(sat_light **light, const sat_light_spec *spec, size_t spec_bytes);

/* What creating it takes: sat_bytes.h. */
#define sat_light_bytes(...) sat_light_bytes_sized(__VA_ARGS__, sizeof(sat_light_spec)) /* spec, bytes */
SAT_API sat_status sat_light_bytes_sized(const sat_light_spec *spec, sat_bytes *bytes, size_t spec_bytes);

/* Samples to light from 0 to 1, of f32.  Both views are of one shape, with any number of images, in host memory, and
 * share no byte; with alpha they have 2 or 4 channels.  Returns SAT_ERR_ARGUMENT, _SHAPE, _TYPE or _UNAVAILABLE (device
 * memory). */
SAT_API sat_status sat_light_from_srgb(const sat_light *light, const sat_view *srgb, const sat_view *linear);

/* Light to the nearest sample: that in whose half step on both sides the light lies.  A NaN gives 0.  clipped: if it is
 * not NULL, *clipped becomes the number of samples, alpha aside, whose light lay beyond the half steps of the first and
 * the last.  All samples that sat_light_from_srgb() took come back.  Returns as it does. */
SAT_API sat_status sat_light_to_srgb(const sat_light *light, const sat_view *linear, const sat_view *srgb,
                                     int64_t *clipped);

/* The light of a sample from 0 to 1; rounded to f32, it is what sat_light_from_srgb() makes. */
SAT_API double sat_light_of(double sample);

/* Frees the tables and sets *light to NULL.  NULL and pointers to NULL are fine. */
SAT_API void sat_light_destroy(sat_light **light);

#ifdef __cplusplus
}
#endif
#endif
