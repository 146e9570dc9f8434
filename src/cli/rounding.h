/* rounding.h - tables of floats that cannot hold all of their sums. */
#ifndef CLI_ROUNDING_H
#define CLI_ROUNDING_H

#include "sat.h"

/* Says on standard error if tables, or their last rows, round sums of their image of that height, or if some are inf or
 * nan: with the bound, or with the first column of the image in which they are; of several tables in a view, those of
 * planes, the first such.  name: the file.  squares: no data in its view, if there are none; what is true of both is
 * said once.  image: what was summed, or NULL. */
void rounding_say(const char *name, const sat_table *sums, const sat_table *squares, int64_t height,
                  const sat_view *image);

#endif
