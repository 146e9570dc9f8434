/* override.c - settings of the cpu backends from the environment, for tests and comparisons; see src/cpu/override.h. */
#include "override.h"

#include <stdlib.h>

const char *sat_override(const char *name)
{
    return getenv(name);
}
