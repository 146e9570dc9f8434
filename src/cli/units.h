/* units.h - which of an image's scale, offset and units results have. */
#ifndef CLI_UNITS_H
#define CLI_UNITS_H

#include "image.h"

/* Those of a statistic of windows or rectangles of that name. */
meta_units units_of(const char *statistic, bool is_threshold);

#endif
