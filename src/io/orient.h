/* orient.h - rotates and mirrors an image to Exif orientation 1. */
#ifndef IO_ORIENT_H
#define IO_ORIENT_H

#include "image.h"

/* Applies meta.orientation to the pixels, resets it, and sets meta.turned.  On false the image is unchanged. */
bool image_orient(image *img, int threads, error *err);

/* Exchanges the first pixel of each row with the last one, and so on. */
void mirror_rows(uint8_t *rows, int64_t n, int64_t width, size_t pixel_bytes);

#endif
