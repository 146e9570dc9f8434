/* sampler.h - times any piece of work; knows nothing of images.
 *
 * Warm: run after run, caches as the work itself leaves them; runs shorter than 100 us are timed in
 * groups, so that the clock's own cost (tens of ns) stays below a thousandth.  Cold: all caches are
 * overwritten before each run.  Both give the median, and as noise the distance between the quartiles in
 * percent of it. */
#ifndef CLI_SAMPLER_H
#define CLI_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>

typedef bool (*work_fn)(void *arg); /* false = failed: sampling stops */

typedef struct sampler {
    int samples;          /* at least so many */
    double floor_s;       /* and for at least so long, each for warm and cold */
    int threads;          /* whose caches are overwritten */
    unsigned char *scrub; /* what they are overwritten with; sampler_open() allocates it */
    size_t scrub_bytes;
    unsigned char value;
} sampler;

typedef struct timing {
    double median_us, noise_pct;
} timing;

bool sampler_open(sampler *s); /* the first three fields are the caller's; false = no memory */
void sampler_close(sampler *s);

bool sample_warm(sampler *s, work_fn work, void *arg, timing *t);
bool sample_cold(sampler *s, work_fn work, void *arg, timing *t);

#endif
