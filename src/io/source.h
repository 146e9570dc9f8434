/* source.h - a whole input in memory. */
#ifndef IO_SOURCE_H
#define IO_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"

/* How much of a stream is wanted.  bytes: its first n, which may go on: at least SOURCE_HEAD_BYTES, or fewer where
 * nothing has come for a while, and then nobody sees what is wrong.  Sets *most: how many bytes belong to what begins
 * so, or can at most.  Asked again as more comes, until the stream ends or n reaches *most.  On false the error says
 * what is wrong with it. */
typedef bool source_rule(const uint8_t *bytes, size_t n, const void *context, uint64_t *most, error *err);

/* What is a regular file of file_bytes?  head: its first n bytes, SOURCE_HEAD_BYTES or all that there are.  Sets *maps
 * if the rest of it may stay mapped: where no size, offset or index is read from behind the head.  On false the error
 * says why it is not read. */
typedef bool source_look(const uint8_t *head, size_t n, uint64_t file_bytes, const void *context, bool *maps,
                         error *err);

enum {
    SOURCE_HEAD_BYTES = 128 << 10, /* a header that does not end here is none */
    SOURCE_MOST_BYTES = 128 << 20, /* of a stream without a rule: a list of a million names and more */
    SOURCE_REST_BYTES = 64 << 20,  /* read, and dropped, behind what is wanted, that the writer may end in peace */
};

/* A regular file is read into memory, as long as it is when it is opened, unless it maps: then only its head is, and
 * behind that the bytes are the file's pages.  Anything else ("-" = standard input, a pipe) is read to its end, or as
 * far as the rule wants it.  Refuses directories and empty input, in words.  The bytes stay valid until source_close().
 *
 * What is not mapped, and the head of what is, stays as it is whatever happens to the file.  What is written
 * into a mapped file changes what is read behind its head, from one read to the next.  After it has become shorter
 * reading raises SIGBUS, upon which sink_guard_signals() ends the process with a line and status 1.  Replacing it
 * (rename) is harmless. */
typedef struct source {
    const uint8_t *bytes;
    size_t n;
    bool mapped;
    bool goes_on; /* a stream, of which more came at once behind what the rule wanted */
} source;

bool source_open(source *src, const char *path, error *err); /* without look and rule */
/* Without look nothing is mapped, nor refused; without rule a stream over SOURCE_MOST_BYTES is. */
bool source_open_by(source *src, const char *path, source_look *look, source_rule *rule, const void *context,
                    error *err);
void source_close(source *src);

#endif
