/* jpeg_pixels.h - a JPEG's pixels, by libjpeg where it was found, else by stb_image. */
#ifndef IO_JPEG_PIXELS_H
#define IO_JPEG_PIXELS_H

#include "format.h"
#include "jpeg_markers.h"

/* A file that jpeg_read_markers() has walked, of 1 or 3 components, whose size may be decoded.  libjpeg's warnings are
 * errors but for those of what hurts no pixel.  img: set on true; on false the caller's to free. */
bool jpeg_decode_pixels(const uint8_t *bytes, size_t n, const jpeg_markers *jpeg, const decode_options *opt, image *img,
                        error *err);

/* Bytes that decoding holds for each sample of the blocks, beside the pixels: coefficients, where a picture comes in
 * several scans, and in stb_image the samples before their colours are mixed. */
unsigned jpeg_sample_bytes(const jpeg_markers *jpeg);

/* A whole file that begins with SOI and a JFIF segment, in memory: malloc'd, the caller's, also on false. */
bool jpeg_encode_pixels(const image *img, int quality, uint8_t **bytes, size_t *n, error *err);

const char *jpeg_library(void); /* its name and version */

#endif
