/* stb.h - safe access to stb_image and stb_image_write.
 *
 * stb_image does not check where a file ends, so a caller first makes sure that all pixels are there.  Here the size is
 * checked before anything is allocated, all memory is zeroed and limited, and no function opens files. */
#ifndef IO_STB_H
#define IO_STB_H

#include "format.h"

/* 8-bit images only; the caller has checked that the format can have this size. */
bool stb_encode_tga(const image *img, sink *out, error *err);

/* JPEG, in builds without libjpeg alone. */
bool stb_decode(const uint8_t *bytes, size_t n, const decode_options *opt, image *img, error *err);
/* *bytes: malloc'd; the caller frees it, also on false. */
bool stb_encode_jpeg(const image *img, int quality, uint8_t **bytes, size_t *n, error *err);

const char *stb_library(void);

#endif
