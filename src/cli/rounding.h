/* rounding.h - tables of floats that cannot hold all of their sums. */
#ifndef CLI_ROUNDING_H
#define CLI_ROUNDING_H

#include "sat.h"

/* Prints a line on standard error if sums of these tables may be rounded (with the bound), or are inf or nan (with the
 * first column in which they are).  Of several tables in a view it describes the first affected one.  If the lines for
 * sums and for squares are equal, it prints one.
 *
 * name: the file of the tables.  squares: if there is no table of squares, the data pointer of its view is NULL.
 * height: of the image; a view may hold only the last row of its table.  image: the samples that were summed, or NULL
 * if they are not at hand. */
void rounding_say(const char *name, const sat_table *sums, const sat_table *squares, int64_t height,
                  const sat_view *image);

#endif
