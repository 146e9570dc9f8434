/* rounding.h - tables of floats that cannot hold all of their sums. */
#ifndef CLI_ROUNDING_H
#define CLI_ROUNDING_H

#include "sat.h"

/* The largest entry of such a table, or of its last rows: the last pixel's, of the channel that has most. */
double rounding_largest(const sat_view *table);

enum { ROUNDING_TEXT_BYTES = 240 };

/* What no entry of a table of an image of signed samples exceeds: the sum of one channel's magnitudes; at least 1. */
double rounding_magnitude(const sat_view *image);

/* Does a table of samples, power 1, or squares, 2, of that type, of an image of this size and sample type, round sums
 * that reach `largest`?  Then the text says so, with the bound.  `largest` of signed samples: rounding_magnitude(), or
 * 0 where only their type is known. */
bool rounding_text(char text[ROUNDING_TEXT_BYTES], int power, sat_type table, sat_type sample, int64_t width,
                   int64_t height, double largest);

/* Are sums in the last row of a table of floats inf or nan?  Then the text says so, with the first column of the image
 * in which they are.  row: that row, whose entry 0 sums nothing if it is `padded`.  image: what was summed, or NULL. */
bool rounding_lost_text(char text[ROUNDING_TEXT_BYTES], const sat_view *row, bool padded, const sat_view *image);

#endif
