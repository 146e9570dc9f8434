#include "sampler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"

enum {
    SAMPLES_MAX = 10000,
    SAMPLES_SLOW = 3,            /* the fewest that have a median between two others */
    LAST_LEVEL_GUESS = 32 << 20, /* bytes, where the system does not say */
    PRIVATE_GUESS = 2 << 20,
};
/* A call of clock_gettime() costs tens of nanoseconds, a thousandth of 100 us; CUDA's events tick in about
 * half a microsecond, a quarter of a percent of 200 us. */
static const double GROUP_HOST_S = 100e-6, GROUP_DEVICE_S = 200e-6;
/* The shortest run there is: a call on the host, a launch on the device.  Bounds the groups. */
static const double RUN_HOST_S = 1e-8, RUN_DEVICE_S = 1e-6;

/* ---- caches ---------------------------------------------------------------------------------------- */

/* Bytes of a level of cache that holds data.  From sysfs: sysconf() has been seen to answer for a whole host
 * of which a guest has a part. */
static size_t cache_bytes(int level, size_t guess)
{
    static const char *const facts[] = {"level", "type", "size"};
    for (int index = 0; index < 8; index++) {
        char path[96], text[3][32];
        for (int k = 0; k < 3; k++) {
            snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, facts[k]);
            FILE *file = fopen(path, "re");
            if (!file || fscanf(file, "%31s", text[k]) != 1) text[k][0] = 0;
            if (file) fclose(file);
        }
        const size_t kib = strtoul(text[2], NULL, 10); /* "512K" */
        if (atoi(text[0]) == level && kib > 0 && strcmp(text[1], "Instruction") != 0) return kib << 10;
    }
    return guess;
}

static bool open_device(sampler *s)
{
    sat_device_info info;
    if (sat_device_current(&info) != SAT_OK) return false;
    s->scrub_bytes = 2 * (info.l2_bytes ? info.l2_bytes : PRIVATE_GUESS);
    return sat_device_alloc(&s->scrub, s->scrub_bytes) == SAT_OK;
}

/* Twice what the caches hold: the last level and the threads' own ones together. */
bool sampler_open(sampler *s, error *err)
{
    s->scrub = NULL;
    if (s->device) return open_device(s) ? true : fail(err, "%s", sat_detail());
    s->scrub_bytes = 2 * (cache_bytes(3, LAST_LEVEL_GUESS) + (size_t)s->threads * cache_bytes(2, PRIVATE_GUESS));
    s->scrub = malloc(s->scrub_bytes);
    return s->scrub ? true : fail(err, "out of memory");
}

void sampler_close(sampler *s)
{
    if (s->device)
        sat_device_free(s->scrub);
    else
        free(s->scrub);
    s->scrub = NULL;
}

static void scrub_part(void *context, int64_t i, int worker)
{
    const sampler *s = context;
    size_t part = s->scrub_bytes / (size_t)s->threads;
    (void)worker;
    memset((char *)s->scrub + (size_t)i * part, s->value, part);
}

/* On the device the fill is queued only: what is launched next waits for it, and not for the host. */
static sat_status scrub_caches(sampler *s)
{
    s->value++;
    if (s->device) return sat_device_fill(s->scrub, s->value, s->scrub_bytes, NULL);
    sat_parallel(s->threads, s->threads, scrub_part, s);
    return SAT_OK;
}

/* ---- one sample ------------------------------------------------------------------------------------ */

typedef struct group {
    work_fn work;
    void *arg;
    long runs;
} group;

static sat_status run_group(void *arg)
{
    const group *g = arg;
    sat_status status = SAT_OK;
    for (long i = 0; i < g->runs && status == SAT_OK; i++) status = g->work(g->arg);
    return status;
}

/* Seconds for one run of the group. */
static sat_status time_group(const sampler *s, group *g, double *seconds)
{
    double us, start = clock_now_s();
    sat_status status = s->device ? sat_device_time(run_group, g, NULL, &us) : run_group(g);
    if (status != SAT_OK) return status;
    *seconds = (s->device ? 1e-6 * us : clock_now_s() - start) / (double)g->runs;
    return SAT_OK;
}

/* What is done before the clock starts: the caches are overwritten, or, on the device, one run is queued, behind
 * which the first timed launch has time to arrive. */
static sat_status lead_in(sampler *s, const group *g, bool cold)
{
    if (cold) return scrub_caches(s);
    return s->device ? g->work(g->arg) : SAT_OK;
}

/* ---- many ------------------------------------------------------------------------------------------ */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Of n samples, each a group of so many runs. */
static timing summary(double *seconds, size_t n, long runs)
{
    qsort(seconds, n, sizeof *seconds, by_value);
    double median = n % 2 ? seconds[n / 2] : 0.5 * (seconds[n / 2 - 1] + seconds[n / 2]);
    double spread = seconds[3 * (n - 1) / 4] - seconds[(n - 1) / 4], sum = 0;
    for (size_t i = 0; i < n; i++) sum += seconds[i];
    return (timing){.median_us = 1e6 * median,
                    .noise_pct = median > 0 ? 100 * spread / median : 0,
                    .min_us = 1e6 * seconds[0],
                    .mean_us = 1e6 * sum / (double)n,
                    .runs = (int64_t)n * runs};
}

static bool enough(const sampler *s, size_t n, double spent_s)
{
    if (n == SAMPLES_MAX) return true;
    if (s->limit_s > 0 && n >= SAMPLES_SLOW && spent_s > s->limit_s) return true;
    return n >= (size_t)s->samples && spent_s >= s->floor_s;
}

static sat_status sample(sampler *s, group *g, bool cold, timing *t)
{
    double *seconds = malloc(SAMPLES_MAX * sizeof *seconds), start = clock_now_s();
    sat_status status = seconds ? SAT_OK : SAT_ERR_MEMORY;
    size_t n = 0;
    while (status == SAT_OK && !enough(s, n, clock_now_s() - start)) {
        status = lead_in(s, g, cold);
        if (status == SAT_OK) status = time_group(s, g, &seconds[n++]);
    }
    if (status == SAT_OK) *t = summary(seconds, n, g->runs);
    free(seconds);
    return status;
}

sat_status sample_warm(sampler *s, work_fn work, void *arg, timing *t)
{
    group g = {.work = work, .arg = arg, .runs = 1};
    double once = 0, whole = s->device ? GROUP_DEVICE_S : GROUP_HOST_S;
    double least = s->device ? RUN_DEVICE_S : RUN_HOST_S;
    sat_status status = time_group(s, &g, &once); /* warms up */
    if (status == SAT_OK) status = time_group(s, &g, &once);
    if (status != SAT_OK) return status;
    if (once < whole) g.runs = (long)(whole / (once > least ? once : least)) + 1;
    return sample(s, &g, false, t);
}

sat_status sample_cold(sampler *s, work_fn work, void *arg, timing *t)
{
    group g = {.work = work, .arg = arg, .runs = 1};
    return sample(s, &g, true, t);
}
