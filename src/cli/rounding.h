/* rounding.h - tables of floats that cannot hold all of their sums. */
#ifndef CLI_ROUNDING_H
#define CLI_ROUNDING_H

#include "sat.h"

enum { ROUNDING_TEXT_BYTES = 240 };

/* Does a table, or its last rows, round sums of its image of that height, or are some inf or nan?  Then the text says
 * so: with the bound, or with the first column of the image in which they are; of several tables in the view, those of
 * planes, the first such.  image: what was summed, or NULL. */
bool rounding_text(char text[ROUNDING_TEXT_BYTES], const sat_table *t, int64_t height, const sat_view *image);

#endif
