/* jpeg_pixels.h - decodes and encodes a JPEG's pixels, by libjpeg or, in builds without it, stb_image. */
#ifndef IO_JPEG_PIXELS_H
#define IO_JPEG_PIXELS_H

#include "format.h"
#include "jpeg_markers.h"

/* bytes: a file that jpeg_read_markers() has accepted, of 1 or 3 components and an allowed size.  libjpeg's warnings
 * are errors, except those that concern no pixel.  The caller frees img, also on false. */
bool jpeg_decode_pixels(const uint8_t *bytes, size_t n, const jpeg_markers *jpeg, const decode_options *opt, image *img,
                        error *err);

/* Bytes of the decoder's memory for each sample of the blocks, beside the pixels: coefficients, if there are several
 * scans; in stb_image also the samples before colour conversion. */
unsigned jpeg_sample_bytes(const jpeg_markers *jpeg);

/* Encodes a whole file, which begins with SOI and a JFIF segment.  *bytes: malloc'd; the caller frees it, also on
 * false. */
bool jpeg_encode_pixels(const image *img, int quality, const io_progress *progress, uint8_t **bytes, size_t *n,
                        error *err);

const char *jpeg_library(void); /* its name and version */

#endif
