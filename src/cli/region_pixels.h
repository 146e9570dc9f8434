/* region_pixels.h - statistics of rectangles from the pixels themselves: where no table would be exact, or pay. */
#ifndef CLI_REGION_PIXELS_H
#define CLI_REGION_PIXELS_H

#include "image.h"
#include "rects_chunk.h"

/* Fills what is asked for (its arrays and ddof count), for rectangles that are cut to the image; those with fractions
 * as sat_table_statistics_f64() defines it.  Of whole rectangles of integers, sums are modulo 2^64, and variances exact
 * quotients, rounded once; all else is as exact as in twice the precision of doubles, rounded once.  What lies wholly
 * outside is left as it is.  The same answers on any number of threads. */
void region_pixels(const image *img, const rect_chunk *chunk, int threads, const sat_statistics *ask);

#endif
