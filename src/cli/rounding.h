/* rounding.h - tables of floats that cannot hold all of their sums. */
#ifndef CLI_ROUNDING_H
#define CLI_ROUNDING_H

#include "sat.h"

/* Prints a line on standard error if sums of these tables may be rounded (with the bound), or are inf or nan (with the
 * first column in which they are).  If a view has several tables, the first such one is described.  The same line is
 * not printed twice, for sums and for squares.
 *
 * name: the file.  squares: its view has no data if there are none.  height: of the image; the views may hold its last
 * row alone.  image: what was summed, or NULL. */
void rounding_say(const char *name, const sat_table *sums, const sat_table *squares, int64_t height,
                  const sat_view *image);

#endif
