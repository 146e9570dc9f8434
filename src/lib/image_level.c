/* image_level.c - what to subtract from float samples before they are summed for variances.
 *
 * A variance from sums loses what S2 and S1 * S1 / n have in common. If a level near the samples is subtracted first,
 * both are small, and little is lost (T. F. Chan, G. H. Golub and R. J. LeVeque, Algorithms for computing the sample
 * variance, The American Statistician 37 (1983): shifted data). */
#include <math.h>

#include "samples.h"
#include "sat_query.h"
#include "sized.h"
#include "valid.h"

typedef struct level_job {
    sat_view image, mask;
    bool masked;
    sat_valid valid;
} level_job;

typedef struct row_mean {
    double mean, n; /* of the valid, finite samples */
} row_mean;

/* Of one channel of a row. Samples are summed less the first, so that the mean of equal ones is exact. */
static row_mean mean_of_row(const level_job *j, int64_t image, int64_t y, int c)
{
    double sum = 0, n = 0, first = 0;
    for (int64_t x = 0; x < j->image.width; x++) {
        if (j->masked && *(const uint8_t *)sat_sample_in(&j->mask, image, x, y, 0) == 0) continue;
        const double value = sat_sample_value(j->image.type, sat_sample_in(&j->image, image, x, y, c));
        if (!isfinite(value) || (j->valid.has_nodata && value == j->valid.nodata)) continue;
        if (n == 0) first = value;
        sum += value - first, n++;
    }
    return (row_mean){n > 0 ? first + sum / n : 0, n};
}

/* Returns the mean of a row over all channels and images; NaN without a valid sample; 0 if subtracting it would not at
 * least halve the mean of each channel of each image. */
static double level_of_row(const level_job *j, int64_t y)
{
    row_mean all = {0, 0};
    for (int64_t i = 0; i < j->image.count; i++)
        for (int c = 0; c < j->image.channels; c++) {
            const row_mean one = mean_of_row(j, i, y, c);
            if (one.n == 0) continue;
            all.n += one.n;
            all.mean += (one.mean - all.mean) * (one.n / all.n);
        }
    if (all.n == 0) return NAN;
    for (int64_t i = 0; i < j->image.count; i++)
        for (int c = 0; c < j->image.channels; c++) {
            const row_mean one = mean_of_row(j, i, y, c);
            if (one.n > 0 && !(fabs(one.mean - all.mean) <= fabs(one.mean) / 2)) return 0;
        }
    return all.mean;
}

/* Rounds to the samples' type. Returns 0 if a sum has overflowed. */
static double level_from(double mean, sat_type sample)
{
    if (sample == SAT_F32) mean = (double)(float)mean;
    return isfinite(mean) ? mean : 0;
}

sat_status sat_image_level_sized(const sat_view *image, const sat_view *mask, double *level, const sat_plan_spec *spec,
                                 size_t spec_bytes)
{
    level_job j = {.masked = mask != NULL};
    sat_plan_spec s = {0};
    if (level == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no place for the level");
    *level = 0;
    sat_status status = spec ? sat_take_struct(&s, sizeof s, spec, spec_bytes, "spec") : SAT_OK;
    if (status == SAT_OK) status = sat_take_samples(&j.image, image, "image");
    if (status == SAT_OK && mask) status = sat_take_samples(&j.mask, mask, "mask");
    if (status == SAT_OK && mask) status = sat_mask_take(&j.mask, mask, &j.image);
    s.sample = j.image.type;
    if (status == SAT_OK) status = SAT_VALID_TAKE(&s);
    if (status != SAT_OK || !sat_is_float(s.sample)) return status;
    j.valid = (sat_valid){s.skip_nan, s.has_nodata, s.nodata};
    *level = NAN;
    for (int64_t y = 0; y < j.image.height && isnan(*level); y++) {
        const double mean = level_of_row(&j, y);
        if (!isnan(mean)) *level = level_from(mean, s.sample);
    }
    return SAT_OK;
}
