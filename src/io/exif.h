/* exif.h - a photo's Exif block: what it says of the pixels, and what would be wrong of others. */
#ifndef IO_EXIF_H
#define IO_EXIF_H

#include "image.h"

enum { EXIF_BLOCK_BYTES = 26 };

/* tiff: the block from its byte order mark on.  1..8 as the TIFF 6.0 specification numbers them;
 * 1 (leave as it is) if the block does not say or cannot be read. */
int exif_orientation(const uint8_t *tiff, size_t n);

/* The resolution, left alone if the block does not say. */
void exif_resolution(const meta_block *block, double *x_per_metre, double *y_per_metre);

/* Keeps a copy of the block, without its thumbnail, which shows the picture as it was; unless it is no TIFF structure,
 * or there is one already.  Sets the orientation too. */
bool exif_keep(image_meta *meta, const uint8_t *tiff, size_t n, error *err);

/* Bytes of the block that says what meta does, and the block; 0 if there is nothing to say. */
size_t exif_size(const image_meta *meta);
void exif_write(uint8_t *to, const image_meta *meta);

/* A block of EXIF_BLOCK_BYTES that says nothing else. */
void exif_block(uint8_t *tiff, int orientation);

#endif
