/* statistic.c - the table of window statistics. */
#include <string.h>

#include "sized.h"
#include "statistic.h"

static const sat_statistic table[] = {
#define SAT_STATISTIC(id, summary_, equation_, source_, needs_, threshold_, set, formula)                              \
    {.info = {.name = #id,                                                                                             \
              .summary = summary_,                                                                                     \
              .equation = equation_,                                                                                   \
              .source = source_,                                                                                       \
              .parameter = set,                                                                                        \
              .threshold = threshold_,                                                                                 \
              .whole_image = ((needs_)&SAT_NEEDS_EXTREMES) != 0,                                                       \
              .variance = ((needs_)&SAT_NEEDS_VAR) != 0,                                                               \
              .count = ((needs_)&SAT_IS_COUNT) != 0},                                                                  \
     .needs = (needs_)},
#include "statistics.def"
#undef SAT_STATISTIC
};

int sat_statistic_find(const char *name)
{
    for (int i = 0; name && i < SAT_STATISTICS; i++)
        if (strcmp(table[i].info.name, name) == 0) return i;
    return -1;
}

const sat_statistic *sat_statistic_get(int i)
{
    return i >= 0 && i < SAT_STATISTICS ? &table[i] : NULL;
}

bool sat_statistic_at_sized(size_t i, sat_statistic_info *info, size_t info_bytes)
{
    if (i >= SAT_STATISTICS || info == NULL) return false;
    sat_give_struct(info, info_bytes, &table[i].info, sizeof table[i].info);
    return true;
}
