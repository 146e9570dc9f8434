/* npy_image.h - which arrays are images and which are tables; docs/format.md is the specification.
 *
 * The type says it for all arrays but those of little-endian u4, i4, f4 and f8.  So an image of samples of four bytes
 * or more that is written here ends with a mark of 16 bytes, at the place where a table has its trailer: the first
 * multiple of 8 bytes after the array. */
#ifndef IO_NPY_IMAGE_H
#define IO_NPY_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format.h"

enum { NPY_MARK_BYTES = 16 };

/* May a file that begins with these n bytes be a table?  True if it is an array whose header is broken or is not within
 * them.  said: what the user calls the array; a table must have any type, and an image is none. */
bool npy_may_be_table(const uint8_t *bytes, size_t n, array_kind said);

/* The same for a whole file of n bytes, of which the mark is read too. */
bool npy_is_table(const uint8_t *bytes, size_t n, array_kind said);

/* Is a whole file, of n bytes, an array of such samples with the mark? */
bool npy_is_marked_image(const uint8_t *bytes, size_t n);

/* Do these n bytes, from the mark's place on, begin with it? */
bool npy_is_mark(const uint8_t *bytes, size_t n);

/* Writes what follows an array that ends at byte `end` of the file: zeros, and the mark. */
bool npy_write_mark(uint64_t end, sink *out, error *err);

#endif
