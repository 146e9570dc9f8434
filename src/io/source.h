/* source.h - a whole input in memory. */
#ifndef IO_SOURCE_H
#define IO_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"

/* A regular file is mapped read-only, anything else ("-" = standard input, a pipe) is read to its end.
 * Refuses directories and empty input, in words.  The bytes stay valid until source_close().  Whoever
 * shortens a mapped file meanwhile makes reading it raise SIGBUS, upon which sink_guard_signals() ends the
 * process with a line and status 1; replacing it (rename) is harmless. */
typedef struct source {
    const uint8_t *bytes;
    size_t n;
    bool mapped;
} source;

bool source_open(source *src, const char *path, error *err);
void source_close(source *src);

#endif
