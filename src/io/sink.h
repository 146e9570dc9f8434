/* sink.h - an output that is either complete or not there.
 *
 * A sink on a regular path writes to a file without a name in the same directory.  sink_commit() syncs it and gives it
 * the target's name atomically.  So no failure, full disk, signal or crash leaves a partial file or loses the old one.
 * A file that replaces another has a temporary name between two system calls; only a process that is killed there
 * leaves it behind.  On file systems without unnamed files, the temporary name exists from the beginning.
 *
 * "-" is standard output; /dev/stdout, /dev/stderr, /dev/fd/N, /proc/self/fd/N and /proc/thread-self/fd/N are the
 * process's descriptors.  Descriptors are written to from their current offset.  Other targets that are not regular
 * files (/dev/null, a pipe) are written to directly too.
 *
 * Symbolic links are followed, and the file at their end is replaced.  Other hard links of it keep the old content.
 * The new file gets the old one's permissions as far as this process may set them, and else fewer (file_rights.h).  A
 * file that replaces none has the permissions of the umask.  A file without write permission is not replaced.
 *
 * One thread uses a sink at a time; many sinks may be open at once. */
#ifndef IO_SINK_H
#define IO_SINK_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "error.h"

typedef struct sink sink;

typedef struct sink_options {
    bool no_clobber; /* refuse a target that exists (checked again, atomically, at commit) */
    bool text;       /* may go to a terminal; binary to a terminal is refused */
} sink_options;

/* Refuses a path that ends with a slash, with the error of sink_open(). */
bool sink_check_path(const char *path, error *err);

bool sink_open(sink **out, const char *path, const sink_options *opt, error *err);

bool sink_is_terminal(const sink *s);

/* Appends; on false the sink stays failed and every later call fails with the first error. */
bool sink_write(sink *out, const void *bytes, size_t n, error *err);

/* May it be written out of order?  A stream may not. */
bool sink_rewrites(const sink *s);

/* Appends n zeros, a hole in the file, for what is written out of order. Not on streams: false. */
bool sink_reserve(sink *out, uint64_t n, error *err);

/* Overwrites n bytes at an offset already written (headers with a checksum). Not on streams: false. */
bool sink_rewrite(sink *out, size_t offset, const void *bytes, size_t n, error *err);

/* Flushes, syncs and names the file.  Frees the sink in every case.  On false the target is unchanged, unless the error
 * begins with "written, but" (the new name could not be synced to the disk). */
bool sink_commit(sink **out, error *err);

/* Drops what was written and frees the sink. NULL and pointers to NULL are fine. */
void sink_abort(sink **out);

/* Call once, before any thread is started.  From then on a thread of its own handles SIGINT, SIGTERM, SIGHUP and the
 * like: it removes all temporary names and ends the process by the signal (a shell shows 128 + the signal: 130 for
 * SIGINT). */
bool sink_guard_signals(error *err);

/* For commands, before a sink is opened: descriptors that are closed on exec are the program's own, which its user
 * cannot mean.  From then on they are refused. */
void sink_refuse_own_descriptors(void);

/* To call when standard output is a closed pipe (EPIPE).  Removes all temporary names and ends the process by SIGPIPE.
 * Returns if SIGPIPE was ignored when sink_guard_signals() was called, or if that was never called. */
void sink_reader_left(void);

#endif
