/* counted.h - tables of valid samples, and of samples less a level, by host backends that know neither.
 *
 * Bands of rows are copied. For tables of samples: each valid sample, or with a level the sample less it as f64; 0 for
 * an invalid one. For tables of counts: 1 for a valid sample, else 0. The backend sums the copies, and a carry row
 * joins their tables. */
#ifndef SAT_COUNTED_H
#define SAT_COUNTED_H

#include "backend.h"
#include "valid.h"

/* Returns whether a table of this spec, whose defaults are filled in, is built so. */
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
