/* orient.h - turning and mirroring an image as its Exif orientation asks. */
#ifndef IO_ORIENT_H
#define IO_ORIENT_H

#include "image.h"

/* Makes it upright: what its meta.orientation asks for is done, and no longer asked for.  On false it is as it was. */
bool image_orient(image *img, int threads, error *err);

#endif
