/* region_pixels.h - statistics of rectangles from the pixels themselves: where no table would be exact, or pay. */
#ifndef CLI_REGION_PIXELS_H
#define CLI_REGION_PIXELS_H

#include "image.h"
#include "sat.h"

/* Fills what is asked for (its arrays and ddof count), for rectangles that are cut to the image.  Sums of integers are
 * modulo 2^64; those of floats, and all deviations, are as exact as in twice the precision of doubles, rounded once.
 * What lies wholly outside is left as it is.  The same answers on any number of threads. */
void region_pixels(const image *img, const sat_rect *list, size_t n, int threads, const sat_statistics *ask);

#endif
