/* source.h - a whole input in memory. */
#ifndef IO_SOURCE_H
#define IO_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "byte_reader.h"

/* How many bytes of a stream to keep.  bytes: its first n, at least SOURCE_HEAD_BYTES; the stream may continue.  Sets
 * *most: the length of the content that begins with these bytes, or an upper bound of it.  Called again as more bytes
 * arrive, until the stream ends or n reaches *most.  On false the stream is refused with this error. */
typedef bool source_extent(const uint8_t *bytes, size_t n, const void *context, uint64_t *most, error *err);

/* How to read a regular file of file_bytes.  head: its first n bytes, SOURCE_HEAD_BYTES or the whole file.  Sets *maps
 * if the rest may be mapped: no size, offset or index is read from behind the head.  On false the file is refused with
 * this error. */
typedef bool source_probe(const uint8_t *head, size_t n, uint64_t file_bytes, const void *context, bool *maps,
                          error *err);

enum {
    SOURCE_HEAD_BYTES = READER_HEAD_BYTES,
    SOURCE_MOST_BYTES = 128 << 20, /* of a stream without an extent function: a list of more than a million names */
    SOURCE_REST_BYTES = 64 << 20,  /* read and dropped behind the content, so that the writer does not get SIGPIPE */
};

/* A regular file is read into memory; its length is taken when it is opened.  A mapped file has only its head in
 * memory, and behind that the file's pages.  Anything else ("-" = standard input, a pipe) is read to its end, however
 * long that takes; of what lies behind the extent's limit, SOURCE_REST_BYTES are read and dropped.  Directories and
 * empty inputs are refused; source_open_list() takes empty ones.  The bytes stay valid until source_close().
 *
 * Bytes in memory do not change with the file.  Mapped bytes do, from one read to the next.  When a mapped file becomes
 * shorter, reading behind its end raises SIGBUS; the handler of sink_guard_signals() then ends the process with a
 * message that names the file, and status 1.  Replacing the file (rename) is harmless. */
typedef struct source {
    const uint8_t *bytes;
    size_t n;
    bool mapped;
    bool borrowed; /* the bytes are the caller's: source_close() leaves them */
    bool goes_on;  /* a stream with more bytes behind the extent's limit */
} source;

bool source_open(source *src, const char *path, error *err);      /* source_open_by() without probe and extent */
bool source_open_list(source *src, const char *path, error *err); /* source_open(); an empty input has n = 0 */
/* probe NULL: no file is mapped.  extent NULL: a stream over SOURCE_MOST_BYTES is refused. */
bool source_open_by(source *src, const char *path, source_probe *probe, source_extent *extent, const void *context,
                    error *err);
/* The whole of an input of which the head alone was read.  The reader is of no use but to be closed.  path: its name,
 * for SIGBUS. */
bool source_read(source *src, byte_reader *r, const char *path, source_probe *probe, source_extent *extent,
                 const void *context, error *err);
void source_close(source *src);

#endif
