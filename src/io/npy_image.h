/* npy_image.h - the mark behind an array of f32 that is an image; docs/format.md is its specification.
 *
 * An array of f32 may be an image or a table.  So an image of f32 ends with 16 bytes, at the place where a table has
 * its trailer: the first multiple of 8 bytes after the array. */
#ifndef IO_NPY_IMAGE_H
#define IO_NPY_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is a whole file, of n bytes, an array with that mark? */
bool npy_is_marked_image(const uint8_t *bytes, size_t n);

#endif
