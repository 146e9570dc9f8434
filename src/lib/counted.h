/* counted.h - tables of valid samples, and of samples less a level, by host backends that know neither.
 *
 * Bands of rows are copied: valid samples, or f64 samples less the level, with 0 in place of each invalid one; for a
 * table of counts 1 for each valid sample and 0 for each invalid one. The backend sums the copies, and a carry row
 * joins their tables. */
#ifndef SAT_COUNTED_H
#define SAT_COUNTED_H

#include "backend.h"
#include "valid.h"

/* Returns whether tables of this spec, which is complete, are built so. */
static inline bool sat_is_counted(const sat_plan_spec *s)
{
    return s->power == SAT_COUNTS || s->masked || s->skip_nan || s->has_nodata || s->level != 0;
}

typedef struct sat_counted sat_counted;

/* For a spec that is complete, and images that `workers` work on at a time.  `each` is what the backend would be opened
 * with for one of these, and becomes what it is opened with.  *c and its memory lie in the arena. */
sat_status sat_counted_open(sat_counted **c, const sat_plan_spec *spec, sat_plan_spec *each, int workers,
                            sat_arena *arena);

/* Of one image. */
typedef struct sat_counted_views {
    const sat_view *image, *mask, *table; /* mask: NULL if there is none */
} sat_counted_views;

/* Makes one table in a state of the backend, which is this worker's. */
sat_status sat_counted_run(const sat_counted *c, const sat_backend *backend, void *state, int worker,
                           const sat_counted_views *views, const sat_run *run);

#endif
