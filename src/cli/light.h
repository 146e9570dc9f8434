/* light.h - sRGB samples to linear light and back (IEC 61966-2-1). */
#ifndef CLI_LIGHT_H
#define CLI_LIGHT_H

#include "image.h"

/* The tables for samples of one type. */
typedef struct light light;

/* For u8 or u16.  On true to be given to light_close(). */
bool light_open(light **l, sat_type type, error *err);
void light_close(light *l); /* NULL is fine */

/* The light, 0 to 1, of a sample from 0 to 1. */
double light_of(double sample);

/* An image of that type becomes one of f32: colours light from 0 to 1, alpha from 0 to 1, too. */
bool light_from_srgb(const light *l, image *img, int threads, error *err);

/* And back, to the nearest sample: that in whose half step on both sides the light lies.  *clipped: samples whose light
 * lay beyond those of all. */
bool light_to_srgb(const light *l, image *img, int threads, int64_t *clipped, error *err);

#endif
