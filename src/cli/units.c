/* units.c - which of an image's scale, offset and units results have. */
#include "units.h"

#include <string.h>

meta_units units_of(const char *statistic, bool is_threshold)
{
    if (is_threshold || strcmp(statistic, "mean") == 0) return UNITS_SAME;
    if (strcmp(statistic, "std") == 0) return UNITS_DIFFERENCES;
    return strcmp(statistic, "rms") == 0 ? UNITS_ROOTS : UNITS_OTHER;
}
