/* override.c - the library's settings, of which there are none: nothing in the environment changes what it does. */
#include "override.h"

#include <stddef.h>

const char *sat_override(const char *name)
{
    (void)name;
    return NULL;
}
