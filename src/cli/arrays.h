/* arrays.h - large arrays whose size has been checked. */
#ifndef CLI_ARRAYS_H
#define CLI_ARRAYS_H

#include <stdbool.h>

#include "error.h"
#include "memory.h"
#include "sat.h"

/* Gives view->data its bytes (uninitialised, huge pages asked for when large) and sets row_bytes from its
 * width, channels and type.  what: "the table", for the error.  Freed with free(). */
bool view_alloc(sat_view *view, const char *what, error *err);

#endif
