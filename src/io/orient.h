/* orient.h - turning and mirroring an image as its Exif orientation asks. */
#ifndef IO_ORIENT_H
#define IO_ORIENT_H

#include "image.h"

/* orientation: 1..8, what exif_orientation() returns.  On false the image is as it was. */
bool image_orient(image *img, int orientation, int threads, error *err);

#endif
