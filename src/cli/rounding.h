/* rounding.h - tables of floats that were made of integers, and cannot hold all of their sums. */
#ifndef CLI_ROUNDING_H
#define CLI_ROUNDING_H

#include "sat.h"

/* The largest entry of such a table, or of its last rows: the last pixel's, of the channel that has most. */
double rounding_largest(const sat_view *table);

enum { ROUNDING_TEXT_BYTES = 240 };

/* Does a table of that type, of an image of this size and sample type, round sums that reach `largest`?  Then the text
 * says so, with the bound. */
bool rounding_text(char text[ROUNDING_TEXT_BYTES], sat_type table, sat_type sample, int64_t width, int64_t height,
                   double largest);

#endif
