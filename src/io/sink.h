/* sink.h - an output that is either whole or not there.
 *
 * A sink on a regular path writes to a file without a name in the same directory; sink_commit() syncs it and gives it
 * the target's name at once, so no failure, no full disk, no signal and no crash leaves a partial file or loses the old
 * one.  A file that replaces another has a temporary name for the time between two system calls; only a process that is
 * killed there leaves it.  Where the file system makes no unnamed files, the temporary name is there from the
 * beginning.
 *
 * "-" is standard output; /dev/stdout, /dev/stderr, /dev/fd/N and /proc/self/fd/N are the process's descriptors.  They,
 * and targets that are not regular files (/dev/null, a pipe), are written to directly, a descriptor from where it
 * stands. Symbolic links are followed: the file that the link names is replaced; hard links part, and the other name
 * keeps the old content.  The new file has the old one's rights as far as this process may give them, and else fewer
 * (file_rights.h); a file that replaces none has what the umask asks for.  A file that may not be written to is not
 * replaced either.
 *
 * One thread uses a sink at a time; many sinks may be open at once. */
#ifndef IO_SINK_H
#define IO_SINK_H

#include <stddef.h>
#include <stdio.h>

#include "error.h"

typedef struct sink sink;

typedef struct sink_options {
    bool no_clobber; /* refuse a target that exists (checked again, atomically, at commit) */
    bool text;       /* may go to a terminal; binary to a terminal is refused */
} sink_options;

bool sink_open(sink **out, const char *path, const sink_options *opt, error *err);

/* Appends; on false the sink stays failed and every later call fails with the first error. */
bool sink_write(sink *out, const void *bytes, size_t n, error *err);

/* Overwrites n bytes at an offset already written (headers with a checksum). Not on streams: false. */
bool sink_rewrite(sink *out, size_t offset, const void *bytes, size_t n, error *err);

/* Flush, sync, name.  Frees the sink in every case; on false the target is as it was, unless the error says
 * "written, but ..." (the new name could not be synced to the disk). */
bool sink_commit(sink **out, error *err);

/* Drops what was written and frees the sink. NULL and pointers to NULL are fine. */
void sink_abort(sink **out);

/* Call once, before any thread is started.  From then on SIGINT, SIGTERM, SIGHUP and the like are taken by a
 * thread of their own, which removes all temporary names and lets the process die of the signal (a shell
 * says 128 + the signal: 130 for SIGINT). */
bool sink_guard_signals(error *err);

/* Nobody reads standard output any more (EPIPE): the process dies of SIGPIPE, as commands do that know nothing of
 * pipes, but leaves no temporary file.  Returns if SIGPIPE was ignored when sink_guard_signals() was called, or it
 * never was. */
void sink_reader_left(void);

#endif
