#include "sampler.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"

enum {
    SAMPLES_MAX = 10000,
    LAST_LEVEL_GUESS = 32 << 20, /* bytes, where the system does not say */
    PRIVATE_GUESS = 2 << 20,
};
static const double GROUP_S = 100e-6;

static size_t cache_bytes(int name, size_t guess)
{
    long n = sysconf(name);
    return n > 0 ? (size_t)n : guess;
}

/* Twice what the last level and the threads' own caches hold together. */
bool sampler_open(sampler *s)
{
    s->scrub_bytes = 2 * (cache_bytes(_SC_LEVEL3_CACHE_SIZE, LAST_LEVEL_GUESS) +
                          (size_t)s->threads * cache_bytes(_SC_LEVEL2_CACHE_SIZE, PRIVATE_GUESS));
    s->scrub = malloc(s->scrub_bytes);
    return s->scrub != NULL;
}

void sampler_close(sampler *s)
{
    free(s->scrub);
    s->scrub = NULL;
}

static void scrub_caches(sampler *s)
{
    s->value++;
    size_t part = s->scrub_bytes / (size_t)s->threads;
#pragma omp parallel for num_threads(s->threads) schedule(static, 1)
    for (int i = 0; i < s->threads; i++) memset(s->scrub + (size_t)i * part, s->value, part);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static timing summary(double *seconds, size_t n)
{
    qsort(seconds, n, sizeof *seconds, by_value);
    double median = n % 2 ? seconds[n / 2] : 0.5 * (seconds[n / 2 - 1] + seconds[n / 2]);
    double spread = seconds[3 * (n - 1) / 4] - seconds[(n - 1) / 4];
    return (timing){.median_us = 1e6 * median, .noise_pct = median > 0 ? 100 * spread / median : 0};
}

static bool time_runs(work_fn work, void *arg, long runs, double *seconds)
{
    double start = clock_now_s();
    for (long i = 0; i < runs; i++)
        if (!work(arg)) return false;
    *seconds = (clock_now_s() - start) / (double)runs;
    return true;
}

static bool sample(sampler *s, work_fn work, void *arg, long group, bool cold, timing *t)
{
    double *seconds = malloc(SAMPLES_MAX * sizeof *seconds), start = clock_now_s();
    size_t n = 0;
    bool ok = seconds != NULL;
    while (ok && n < SAMPLES_MAX && (n < (size_t)s->samples || clock_now_s() - start < s->floor_s)) {
        if (cold) scrub_caches(s);
        ok = time_runs(work, arg, group, &seconds[n++]);
    }
    if (ok) *t = summary(seconds, n);
    free(seconds);
    return ok;
}

bool sample_warm(sampler *s, work_fn work, void *arg, timing *t)
{
    double once;
    if (!time_runs(work, arg, 1, &once)) return false; /* warms up */
    if (!time_runs(work, arg, 1, &once)) return false;
    long group = once >= GROUP_S ? 1 : (long)(GROUP_S / (once > 1e-8 ? once : 1e-8)) + 1;
    return sample(s, work, arg, group, false, t);
}

bool sample_cold(sampler *s, work_fn work, void *arg, timing *t)
{
    return sample(s, work, arg, 1, true, t);
}
