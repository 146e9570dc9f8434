/* image_memory.h - reserves the memory for reading and processing an image. */
#ifndef IO_IMAGE_MEMORY_H
#define IO_IMAGE_MEMORY_H

#include "format.h"

/* Reserves memory for a file that begins with these n bytes; all of the limit if they do not contain the image's size.
 * input_bytes: the file's part that will be in memory.  First refuses an image with more pixels than allowed, and one
 * that needs more than the limit. */
bool image_memory_take(const image_format *format, const uint8_t *bytes, size_t n, uint64_t input_bytes,
                       const decode_options *opt, error *err);

/* The same for a stream of up to *most bytes; to be called each time more of it was read.  The first call reserves the
 * memory.  If *most bytes would need more than the limit, *most becomes one byte more than the limit allows, and a
 * stream that reaches it is refused. */
bool image_memory_stream(const image_format *format, const uint8_t *bytes, size_t n, const decode_options *opt,
                         uint64_t *most, error *err);

/* To be called when the whole file is in memory: does the same if the size was not known before, or if a stream has
 * ended in its head. */
bool image_memory_check(const image_format *format, const source *src, const decode_options *opt, error *err);

/* The same for an image whose rows are read to it, with so many bytes beside it. */
bool image_memory_rows(const image_shape *shape, uint64_t reading_bytes, const decode_options *opt, error *err);

/* Refuses an image that takes more than the limit. */
bool image_memory_allows(const image_shape *shape, uint64_t need, error *err);

/* To be called when the image is decoded and its file closed: reduces the share to what processing needs. */
void image_memory_decoded(const image *img, const decode_options *opt);

#endif
