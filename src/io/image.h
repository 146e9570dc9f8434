/* image.h - pixels in memory, between files and the library. */
#ifndef IO_IMAGE_H
#define IO_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "sat.h"

/* What a file says about its pixels that is not pixels; carried from input to output where the output's
 * format has a place for it. */
typedef struct image_meta {
    uint8_t *icc; /* colour profile, malloc'd, or NULL */
    size_t icc_bytes;
    double x_per_metre, y_per_metre; /* resolution, 0 = not said */
    int orientation;                 /* 2..8: how the pixels lie, as Exif numbers it; 0, 1: upright, or not said */
} image_meta;

/* channels: 1 grey, 2 grey+alpha, 3 RGB, 4 RGBA.  Rows without gaps. */
typedef struct image {
    int64_t width, height; /* px, at least 1 */
    int channels;
    sat_type type; /* SAT_U8, SAT_U16 (native byte order), SAT_F32 */
    size_t row_bytes;
    void *data; /* malloc'd */
    image_meta meta;
} image;

/* Allocates data (uninitialised, huge pages asked for when large); all fields are set. */
bool image_alloc(image *img, int64_t width, int64_t height, int channels, sat_type type, error *err);
void image_free(image *img); /* frees data and meta, zeroes the struct; a zeroed one is fine */

static inline bool image_has_alpha(const image *img)
{
    return img->channels == 2 || img->channels == 4;
}

/* The library's view of it. */
sat_view image_view(const image *img);

#endif
