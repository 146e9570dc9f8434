/* valid.h - which samples count: those of a mask's pixels, that are no NaN and not the value for no data. */
#ifndef SAT_VALID_H
#define SAT_VALID_H

#include "sat.h"

/* Zeroed: all do. */
typedef struct sat_valid {
    bool skip_nan, has_nodata;
    double nodata; /* a value of the samples' type */
} sat_valid;

/* Completes these members of a spec as the samples' type has them: nodata NaN becomes skip_nan, that of f32 is rounded,
 * and integers have no NaN.  SAT_ERR_ARGUMENT for a value that no sample can be. */
sat_status sat_valid_take(bool *skip_nan, bool *has_nodata, double *nodata, sat_type sample);
#define SAT_VALID_TAKE(s) sat_valid_take(&(s)->skip_nan, &(s)->has_nodata, &(s)->nodata, (s)->sample)

/* valid[i] becomes 1 where sample i of a row of n pixels counts, else 0.  mask: a byte for each pixel, not 0 where its
 * samples count; NULL: all.  Samples and mask lie without gaps.  Returns the number of samples that count. */
int64_t sat_valid_row(const sat_valid *valid, sat_type sample, const void *samples, const uint8_t *mask, int64_t n,
                      int channels, uint8_t *to);

/* The samples, with 0 in place of each that does not count; n: samples.  `to` may be `samples`. */
void sat_valid_zeros(sat_type sample, const void *samples, const uint8_t *valid, int64_t n, void *to);

/* Writes float samples less the level as f64, and 0 for invalid ones. Of f32 samples that are as large as the level the
 * difference is exact, else it is rounded once. valid: NULL, all are. */
void sat_valid_less(sat_type sample, const void *samples, const uint8_t *valid, int64_t n, double level, double *to);

/* Refuses a mask that is not one of u8 with one channel, or has not the width, height, number of images and memory of
 * src, a view with its defaults; in device memory, one with gaps.  *mask becomes the view with its defaults. */
sat_status sat_mask_take(sat_view *mask, const sat_view *given, const sat_view *src);

#endif
