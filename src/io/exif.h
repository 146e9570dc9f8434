/* exif.h - the one fact of a photo's Exif block that changes its pixels. */
#ifndef IO_EXIF_H
#define IO_EXIF_H

#include <stddef.h>
#include <stdint.h>

/* tiff: the block from its byte order mark on.  1..8 as the TIFF 6.0 specification numbers them;
 * 1 (leave as it is) if the block does not say or cannot be read. */
int exif_orientation(const uint8_t *tiff, size_t n);

#endif
