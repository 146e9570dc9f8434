/* exif.h - the one fact of a photo's Exif block that changes its pixels. */
#ifndef IO_EXIF_H
#define IO_EXIF_H

#include <stddef.h>
#include <stdint.h>

enum { EXIF_BLOCK_BYTES = 26 };

/* tiff: the block from its byte order mark on.  1..8 as the TIFF 6.0 specification numbers them;
 * 1 (leave as it is) if the block does not say or cannot be read. */
int exif_orientation(const uint8_t *tiff, size_t n);

/* A block of EXIF_BLOCK_BYTES that says nothing else. */
void exif_block(uint8_t *tiff, int orientation);

#endif
