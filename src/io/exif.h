/* exif.h - Exif blocks: orientation, resolution, and a copy without the thumbnail. */
#ifndef IO_EXIF_H
#define IO_EXIF_H

#include "image.h"

enum { EXIF_BLOCK_BYTES = 26 };

/* tiff: the block from its byte order mark on.  1..8 as in TIFF 6.0; 1 (upright) if the block has none or cannot be
 * read. */
int exif_orientation(const uint8_t *tiff, size_t n);

/* Sets the resolution if the block has one. */
void exif_resolution(const meta_block *block, double *x_per_metre, double *y_per_metre);

/* Keeps a copy of the block without its thumbnail, which is a picture of the input, and sets the orientation.  A second
 * block, and one that is not a TIFF structure, is ignored. */
bool exif_keep(image_meta *meta, const uint8_t *tiff, size_t n, error *err);

/* Bytes of the block to write for meta, at most so many (EXIF_BLOCK_BYTES or more); 0 if none is needed.  A longer
 * block is replaced by one with the orientation only, so that viewers still show the picture upright. */
size_t exif_size(const image_meta *meta, size_t most);
/* Writes that block, with the orientation of meta; n: what exif_size() has returned.  If the pixels were
 * turned by 90 degrees, the resolutions of width and height are exchanged. */
void exif_write(uint8_t *to, size_t n, const image_meta *meta);

/* Writes a block of EXIF_BLOCK_BYTES with this orientation only. */
void exif_block(uint8_t *tiff, int orientation);

#endif
