/* orient.h - rotates and mirrors an image to Exif orientation 1. */
#ifndef IO_ORIENT_H
#define IO_ORIENT_H

#include "image.h"

/* Applies meta.orientation to the pixels, resets it, and sets meta.turned.  On false the image is unchanged. */
bool image_orient(image *img, int threads, error *err);

#endif
