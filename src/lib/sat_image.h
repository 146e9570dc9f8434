/* sat_image.h - what can be asked of samples and their types, and masks that follow from images.
 *
 * What sat.h says of threads holds here. */
#ifndef SAT_IMAGE_H
#define SAT_IMAGE_H

#include "sat.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Can a sample of that type have that value?  Integers: whole numbers in the type's range.  f32: what rounds to its
 * range, infinities and NaN.  f64: all.  No others. */
SAT_API bool sat_type_holds(sat_type type, double value);

/* The largest value of a type of samples, which is 1 for floats; 0 for what is no type of samples. */
SAT_API double sat_type_largest(sat_type sample);

/* What a result of that type becomes that would be `value`, the value for no data, which the type holds: a neighbour,
 * larger or `below`, or the other one where the type ends.  Integers: 1 apart.  Floats: apart by 2^-19 of the largest
 * power of two in the value, and by 2^-126 at least, f64 as far as f32: programs that compare within 8 units in the
 * last place of f32 (GDAL does, of f64 too) take neither for the value.  Of an infinity: the largest number of its
 * sign. */
SAT_API double sat_type_beside(sat_type type, double value, bool below);

/* The floats that statistics of windows, and differences of Gaussians, are by default: f64 of samples of u32, i32 and
 * f64, f32 of other samples; SAT_TYPE_NONE for what is no type of samples. */
SAT_API sat_type sat_real_type(sat_type sample);

/* The smallest and the largest sample of all channels of all images: the range for sat_quant_for().  threads as in
 * sat_plan_spec.  Returns SAT_ERR_RANGE where a sample is NaN or infinite, and names the first one's place; the range
 * is then that of the samples that are not NaN, of none from infinity to its negative.  Else SAT_ERR_ARGUMENT, _SHAPE,
 * _TYPE or _UNAVAILABLE (device memory). */
SAT_API sat_status sat_image_range(const sat_view *image, int threads, double *low, double *high);

/* Clears the pixels of a mask in which no channel of the image is set: is not 0; a NaN is set.  The mask is u8 with one
 * channel, of the image's width, height and number of images, in host memory, and shares no byte with the image.  So a
 * mask of ones takes what several images leave out, one after the other; alpha alone is a view of one channel.  threads
 * as in sat_plan_spec.  Returns SAT_ERR_ARGUMENT, _SHAPE, _TYPE or _UNAVAILABLE (device memory). */
SAT_API sat_status sat_mask_clear(const sat_view *mask, const sat_view *image, int threads);

#ifdef __cplusplus
}
#endif
#endif
