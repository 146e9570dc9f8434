/* override.c - reads the settings of src/lib/override.h from the environment, for tests and comparisons.
 *
 * SAT_WITHOUT is a list of variants of loops to switch off, separated by spaces (src/lib/path.h). */
#include "override.h"

#include <stdlib.h>

const char *sat_override(const char *name)
{
    return getenv(name);
}

#if SAT_PATHS
#include <string.h>

#include "path.h"

bool sat_path_off[SAT_PATH_COUNT];

__attribute__((constructor)) static void switch_off(void)
{
    static const char *const names[] = {
#define PATH(name, row, without) #name,
#include "paths.def"
#undef PATH
    };
    const char *list = getenv("SAT_WITHOUT");
    for (int i = 0; list && i < SAT_PATH_COUNT; i++) {
        const size_t n = strlen(names[i]);
        for (const char *at = list; (at = strstr(at, names[i])) != NULL; at += n)
            if ((at == list || at[-1] == ' ') && (at[n] == 0 || at[n] == ' ')) sat_path_off[i] = true;
    }
}
#endif
