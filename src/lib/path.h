/* path.h - variants of loops that can be switched off, so that `make paths` measures what each wins.
 *
 * SAT_PATH(name) stands where a variant is chosen, and name in a line of paths.def.  It is the constant 1; with
 * SAT_PATHS defined as 1 it is false while the setting SAT_WITHOUT (tests/override.c) holds the name. */
#ifndef SAT_PATH_H
#define SAT_PATH_H

#if SAT_PATHS
#include <stdbool.h>
enum {
#define PATH(name, row, without) SAT_PATH_##name,
#include "paths.def"
    SAT_PATH_COUNT
};
extern bool sat_path_off[];
#define SAT_PATH(name) (!sat_path_off[SAT_PATH_##name])
#else
enum {
#define PATH(name, row, without) SAT_PATH_##name = 1,
#include "paths.def"
};
#define SAT_PATH(name) SAT_PATH_##name
#endif
#undef PATH

#endif
