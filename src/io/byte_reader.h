/* byte_reader.h - an input that is read in parts: a file at any place, a stream in order. */
#ifndef IO_BYTE_READER_H
#define IO_BYTE_READER_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"

enum { READER_HEAD_BYTES = 128 << 10 }; /* the part of an input that decides how the rest is read */

/* The input's first READER_HEAD_BYTES, or all of a shorter one, are in memory.  Behind them a regular file is read by
 * pread(), and never mapped: its bytes may change from one read to the next.  Its length is taken when it is opened.
 * Anything else ("-" = standard input, a pipe) is a stream.  One thread uses a reader at a time. */
typedef struct byte_reader {
    uint8_t *head;
    size_t head_n;
    uint64_t length; /* of a stream: UINT64_MAX until it has ended */
    uint64_t at;     /* of a stream: the next byte of it */
    int fd;
    bool is_stream, owns_fd, owns_head;
} byte_reader;

/* Reads the head.  Directories and terminals are refused; an empty input has a length of 0. */
bool reader_open(byte_reader *r, const char *path, error *err);
/* A whole input in memory, which stays the caller's. */
byte_reader reader_of_memory(const uint8_t *bytes, size_t n);
void reader_close(byte_reader *r); /* a zeroed one is fine */

/* n bytes from byte `at` on, or as many as there are: *got.  Bytes of a stream that are passed over are dropped, and
 * those behind its head can be read once. */
bool reader_get(byte_reader *r, uint64_t at, void *to, size_t n, size_t *got, error *err);
/* The same; fewer than n are an error. */
bool reader_read(byte_reader *r, uint64_t at, void *to, size_t n, error *err);
/* n bytes that are in memory, or NULL. */
const uint8_t *reader_held(const byte_reader *r, uint64_t at, uint64_t n);

/* Some of a descriptor's next bytes, at most n: *got, 0 at its end. */
bool reader_some(int fd, void *to, size_t n, size_t *got, error *err);
/* Reads a stream to its end, and drops it: of more than `most` bytes the first, so that the writer does not get
 * SIGPIPE. Sets *any if there were some. */
bool reader_drop(int fd, uint64_t most, bool *any, error *err);

#endif
