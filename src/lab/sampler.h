/* sampler.h - times any piece of work, on the host or on the device; knows nothing of images.
 *
 * Warm: run after run, caches as the work itself leaves them; short runs are timed in groups, so that what
 * the clock adds stays small.  Cold: all caches are overwritten before each run.  Both give the median, and
 * as noise the distance between the quartiles in percent of it.
 *
 * On the device the work is queued on the default stream and timed there, between two events. */
#ifndef BENCH_SAMPLER_H
#define BENCH_SAMPLER_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "sat_lab.h"

typedef sat_status (*work_fn)(void *arg); /* anything but SAT_OK: sampling stops */

typedef struct sampler {
    int samples;    /* at least so many */
    double floor_s; /* and for at least so long, each for warm and cold */
    double limit_s; /* but not longer than this with three or more; 0 = no limit */
    int threads;    /* whose caches are overwritten */
    bool device;
    void *scrub; /* what they are overwritten with; sampler_open() allocates it */
    size_t scrub_bytes;
    unsigned char value;
} sampler;

typedef struct timing {
    double median_us, noise_pct, min_us, mean_us;
    int64_t runs; /* the mean is of so many; the others are of groups of them */
} timing;

bool sampler_open(sampler *s, error *err); /* the first five fields are the caller's */
void sampler_close(sampler *s);

/* SAT_ERR_MEMORY, or what the work or the device returned. */
sat_status sample_warm(sampler *s, work_fn work, void *arg, timing *t);
sat_status sample_cold(sampler *s, work_fn work, void *arg, timing *t);

#endif
