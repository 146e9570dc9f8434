/* rect_statistic.c - the table of statistics of rectangles. */
#include "rect_statistic.h"

#include <string.h>

#include "sized.h"
#include "status.h"

static const struct {
    sat_rect_statistic_info info;
    unsigned needs;
} table[] = {
#define SAT_STATISTIC(id, summary_, equation_, source_, needs_, threshold_, set, formula)                              \
    {.info = {.name = #id,                                                                                             \
              .summary = summary_,                                                                                     \
              .equation = equation_,                                                                                   \
              .source = source_,                                                                                       \
              .squares = ((needs_) & (SAT_NEEDS_VAR | SAT_NEEDS_SQUARES)) != 0,                                        \
              .variance = ((needs_)&SAT_NEEDS_VAR) != 0,                                                               \
              .sum = ((needs_)&SAT_IS_SUM) != 0,                                                                       \
              .area = ((needs_)&SAT_IS_AREA) != 0,                                                                     \
              .count = ((needs_)&SAT_IS_COUNT) != 0},                                                                  \
     .needs = (needs_)},
#include "rect_statistics.def"
#undef SAT_STATISTIC
};

bool sat_rect_statistic_at_sized(size_t i, sat_rect_statistic_info *info, size_t info_bytes)
{
    if (i >= SAT_RECT_STATISTICS || info == NULL) return false;
    sat_give_struct(info, info_bytes, &table[i].info, sizeof table[i].info);
    return true;
}

static int find(const char *name)
{
    for (int i = 0; name && i < SAT_RECT_STATISTICS; i++)
        if (strcmp(table[i].info.name, name) == 0) return i;
    return -1;
}

sat_status sat_rect_ask_of(const sat_statistics *given, bool of_pixels, sat_rect_ask *ask)
{
    *ask =
        (sat_rect_ask){.ddof = given->ddof, .sums = given->sums, .areas = given->areas, .areas_f64 = given->areas_f64};
    if (given->ddof < 0) return sat_fail(SAT_ERR_ARGUMENT, "ddof below 0");
    if (given->outputs < 0 || (given->outputs > 0 && given->output == NULL))
        return sat_fail(SAT_ERR_ARGUMENT, "%d statistics, and no list of them", given->outputs);
    sat_status status = sat_check_reserved(&given->reserved_word, sizeof given->reserved_word);
    if (status == SAT_OK) status = sat_check_reserved(given->reserved, sizeof given->reserved);
    if (status == SAT_OK && of_pixels && given->counts)
        status = sat_fail(SAT_ERR_ARGUMENT, "counts: for tables; skip_nan, nodata and masks are for images");
    if (status == SAT_OK && !of_pixels && (given->skip_nan || given->has_nodata))
        status = sat_fail(SAT_ERR_ARGUMENT, "%s: for images; tables have a table of counts",
                          given->skip_nan ? "skip_nan" : "nodata");
    for (int i = 0; status == SAT_OK && i < given->outputs; i++) {
        const sat_rect_output *o = &given->output[i];
        const int id = find(o->statistic);
        if (id < 0)
            return sat_fail(SAT_ERR_ARGUMENT, "no statistic of rectangles is called '%s'",
                            o->statistic ? o->statistic : "");
        if (o->values == NULL) return sat_fail(SAT_ERR_ARGUMENT, "%s: no place for its values", o->statistic);
        if (ask->values[id]) return sat_fail(SAT_ERR_ARGUMENT, "%s is asked for twice", o->statistic);
        ask->values[id] = o->values;
        ask->needs |= table[id].needs;
    }
    return status;
}

uintptr_t sat_rect_ask_places(const sat_rect_ask *ask)
{
    uintptr_t all = (uintptr_t)ask->sums | (uintptr_t)ask->areas | (uintptr_t)ask->areas_f64;
    for (int i = 0; i < SAT_RECT_STATISTICS; i++) all |= (uintptr_t)ask->values[i];
    return all;
}
