/* image_memory.h - what reading an image, and the work on it, may take. */
#ifndef IO_IMAGE_MEMORY_H
#define IO_IMAGE_MEMORY_H

#include "format.h"

/* Takes the memory for a file that begins with these n bytes: all of the limit where they do not say how large the
 * image is.  input_bytes: of the file in memory.  Refuses, before anything is taken, an image of more pixels than
 * allowed, and one that needs more than the limit. */
bool image_memory_take(const image_format *format, const uint8_t *bytes, size_t n, uint64_t input_bytes,
                       const decode_options *opt, error *err);

/* The same for a stream that may go on, up to *most, each time more of it has come; the first time takes the memory.
 * *most becomes less if that would need more than the limit, and then a stream that is as long is refused. */
bool image_memory_stream(const image_format *format, const uint8_t *bytes, size_t n, const decode_options *opt,
                         uint64_t *most, error *err);

/* Once it is whole in memory, where the size was not known before; takes the memory for a stream that ended in its
 * head. */
bool image_memory_check(const image_format *format, const source *src, const decode_options *opt, error *err);

/* The image is decoded, and its file closed: keeps what the work on it may take. */
void image_memory_decoded(const image *img, const decode_options *opt);

#endif
