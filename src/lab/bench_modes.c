/* bench_modes.c - the table of benches, and a bench by its name. */
#include <stdint.h>
#include <string.h>

#include "bench_mode.h"
#include "nearest.h"

#define BENCH(id) &bench_mode_##id,
static const bench_mode *const modes[] = {
#include "benches.def"
};
#undef BENCH

const bench_mode *bench_mode_at(int i)
{
    return i >= 0 && (size_t)i < sizeof modes / sizeof *modes ? modes[i] : NULL;
}

const bench_mode *bench_mode_named(const char *name)
{
    for (int i = 0; bench_mode_at(i); i++)
        if (strcmp(bench_mode_at(i)->name, name) == 0) return bench_mode_at(i);
    return NULL;
}

const bench_mode *bench_mode_near(const char *word)
{
    const bench_mode *best = NULL;
    size_t least = SIZE_MAX;
    for (int i = 0; bench_mode_at(i); i++)
        if (nearer(word, bench_mode_at(i)->name, &least)) best = bench_mode_at(i);
    return best;
}
