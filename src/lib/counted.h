/* counted.h - tables of what counts, by backends of the host that know no masks.
 *
 * Bands of rows are copied, with 0 in place of each sample that does not count; for a table of counts, with 1 for each
 * that counts and 0 for each that does not.  The backend sums the copies, which a carry row joins. */
#ifndef SAT_COUNTED_H
#define SAT_COUNTED_H

#include "backend.h"
#include "valid.h"

/* Is that how tables of this spec, which is complete, are made? */
static inline bool sat_is_counted(const sat_plan_spec *s)
{
    return s->power == SAT_COUNTS || s->masked || s->skip_nan || s->has_nodata;
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
