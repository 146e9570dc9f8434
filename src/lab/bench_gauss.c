/* bench_gauss.c - the Gaussian filter: how far it reaches, and whether its results are right. */
#include "bench_gauss.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { PLACES = 32, SIGMAS = 5 };

int64_t bench_gauss_reach(const bench_case *b)
{
    return (int64_t)ceil(SIGMAS * b->sigma);
}

/* A result of the first image: the weighted mean of the samples inside it that count, whose weights are
 * weight[|distance|]; and their share of the weights inside. */
typedef struct gauss_sum {
    double mean, least, most, share;
} gauss_sum;

static gauss_sum sum_at(const bench_case *b, const double *weight, int64_t reach, int64_t x, int64_t y, int c)
{
    double sum = 0, weights = 0, inside = 0;
    gauss_sum s = {.least = DBL_MAX, .most = -DBL_MAX};
    for (int64_t dy = -reach; dy <= reach; dy++) {
        if (y + dy < 0 || y + dy >= b->in.height) continue;
        const char *row = (const char *)b->in.data + (y + dy) * b->in.row_bytes;
        for (int64_t dx = -reach; dx <= reach; dx++) {
            if (x + dx < 0 || x + dx >= b->in.width) continue;
            const double w = weight[llabs(dx)] * weight[llabs(dy)];
            const double v = bench_sample(b->in.type, row, (size_t)((x + dx) * b->in.channels + c));
            inside += w;
            if (!bench_valid_at(b, y + dy, (x + dx) * b->in.channels + c)) continue;
            sum += w * v;
            weights += w;
            s.least = fmin(s.least, v);
            s.most = fmax(s.most, v);
        }
    }
    s.mean = sum / weights;
    s.share = weights / inside;
    return s;
}

/* sat_gauss.h: of 255 grey levels a result is wrong by 0.75 / share at most; results of integers are rounded, and are 1
 * beside the value for no data. */
static bool near(const bench_case *b, const gauss_sum *want, double got)
{
    const bool real = b->result == SAT_F32 || b->result == SAT_F64;
    const double size = fmax(fabs(want->least), fabs(want->most));
    const double rounded = real ? 1e-6 * size : b->valid.has_nodata ? 1.5 : 0.5;
    return fabs(got - want->mean) <= 0.75 / 255 / want->share * (want->most - want->least) + rounded;
}

static bool check_place(const bench_case *b, const double *weight, int64_t reach, int64_t x, int64_t y, error *err)
{
    const char *row = (const char *)b->reference.data + y * b->reference.row_bytes;
    for (int c = 0; c < b->in.channels; c++) {
        const gauss_sum want = sum_at(b, weight, reach, x, y, c);
        const double got = bench_sample(b->result, row, (size_t)(x * b->in.channels + c));
        if (isfinite(want.mean) && !near(b, &want, got))
            return fail(err, "the Gaussian at x=%lld y=%lld is %.17g, not %.17g", (long long)x, (long long)y, got,
                        want.mean);
    }
    return true;
}

bool bench_gauss_check(const bench_case *b, error *err)
{
    const int64_t side = b->in.width > b->in.height ? b->in.width : b->in.height;
    const int64_t reach = bench_gauss_reach(b) < side ? bench_gauss_reach(b) : side;
    double *weight = malloc((size_t)(reach + 1) * sizeof *weight);
    if (weight == NULL) return fail(err, "out of memory");
    for (int64_t i = 0; i <= reach; i++) weight[i] = exp(-0.5 * ((double)i / b->sigma) * ((double)i / b->sigma));
    bool ok = true;
    for (uint64_t i = 0; ok && i < PLACES; i++) {
        const int64_t right = b->in.width - 1, bottom = b->in.height - 1;
        const bool corner = i < 4;
        const int64_t x = corner ? (int64_t)(i % 2) * right : (int64_t)(bench_random(2 * i) % (uint64_t)(right + 1));
        const int64_t y =
            corner ? (int64_t)(i / 2) * bottom : (int64_t)(bench_random(2 * i + 1) % (uint64_t)(bottom + 1));
        ok = check_place(b, weight, reach, x, y, err);
    }
    free(weight);
    return ok;
}
