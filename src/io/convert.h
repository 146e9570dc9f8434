/* convert.h - the samples of an image to another type, as its file shall hold them. */
#ifndef IO_CONVERT_H
#define IO_CONVERT_H

#include "image.h"

/* f32 to f16, each to the nearest, ties to even, beyond its range to infinity.  taken: NULL, or a value of f32: it
 * alone becomes the f16 nearest to it; a sample that would, too, becomes the f16 beside that, on its side if that is a
 * number. Returns how many did. */
int64_t image_to_f16(image *img, const double *taken);

/* Any type to u8: low becomes 0 and high 255, what lies between the nearest, halves upwards, and what lies beyond one
 * of these; alpha is from 0 to the largest value of its type, of floats to 1.  NaN, and what equals *taken, becomes 0.
 * Returns how many samples lay beyond. */
int64_t image_to_u8(image *img, double low, double high, const double *taken);

enum { IMAGE_PART_BYTES = 1 << 22 };

/* To a type that takes no more room, in place: become_part() makes a few rows of that type, which lie elsewhere:
 * IMAGE_PART_BYTES of the image at a time, or a row. */
bool image_by_parts(image *img, sat_type type,
                    bool (*become_part)(void *context, const sat_view *from, const sat_view *to, error *err),
                    void *context, error *err);

#endif
