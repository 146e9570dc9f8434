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

enum {
    TAKEN = 33
}; /* samples of a row, at most, of which the median is taken: few, and enough that outliers do not move it */

static bool take_sample(const level_job *j, int64_t image, int64_t x, int64_t y, int c, double *value)
{
    if (j->masked && *(const uint8_t *)sat_sample_in(&j->mask, image, x, y, 0) == 0) return false;
    *value = sat_sample_value(j->image.type, sat_sample_in(&j->image, image, x, y, c));
    return isfinite(*value) && !(j->valid.has_nodata && *value == j->valid.nodata);
}

/* Returns the median of some valid, finite samples of a channel, spread evenly over the row; NaN if there is none. A
 * mean would follow a single outlier, such as a value for no data that the file does not declare. */
static double median_of_row(const level_job *j, int64_t image, int64_t y, int c)
{
    double sorted[TAKEN], value;
    int64_t n = 0, at = 0;
    for (int64_t x = 0; x < j->image.width; x++) n += take_sample(j, image, x, y, c, &value);
    if (n == 0) return NAN;
    const int taken = n < TAKEN ? (int)n : TAKEN;
    int k = 0;
    for (int64_t x = 0; x < j->image.width && k < taken; x++) {
        if (!take_sample(j, image, x, y, c, &value)) continue;
        /* Sample `at` of the n is taken if at * taken / n has reached a new whole number: they lie evenly. */
        if (at++ * taken / n < k) continue;
        int to = k++;
        for (; to > 0 && sorted[to - 1] > value; to--) sorted[to] = sorted[to - 1];
        sorted[to] = value;
    }
    return sorted[(k - 1) / 2]; /* NOLINT(clang-analyzer-core.uninitialized.UndefReturn): k is n or TAKEN */
}

/* Returns the first channel's median in a row; NaN without a valid sample; 0 if subtracting it would not at least halve
 * the median of each channel of each image. */
static double level_of_row(const level_job *j, int64_t y)
{
    double level = NAN;
    for (int64_t i = 0; i < j->image.count; i++)
        for (int c = 0; c < j->image.channels; c++) {
            const double one = median_of_row(j, i, y, c);
            if (isnan(level)) level = one;
            if (fabs(one - level) > fabs(one) / 2) return 0;
        }
    return level;
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
    for (int64_t y = 0; y < j.image.height && isnan(*level); y++) *level = level_of_row(&j, y);
    return SAT_OK;
}
