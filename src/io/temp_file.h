/* temp_file.h - a file without a name until it is complete.
 *
 * It has no directory entry (O_TMPFILE) where the file system can do that, and so a process that is killed leaves
 * nothing.  Elsewhere it has a temporary name beside its target, which a list of these files keeps. */
#ifndef IO_TEMP_FILE_H
#define IO_TEMP_FILE_H

#include <string.h>
#include <sys/types.h>

#include "error.h"

/* Zeroed at first; it stays where it is while it has a name. */
typedef struct temp_file {
    char *name; /* NULL: it has none */
    struct temp_file *next;
} temp_file;

/* Creates a file in the directory of the target, for reading and writing; returns its descriptor, the caller's, or -1.
 */
int temp_file_create(temp_file *t, const char *target, mode_t mode, error *err);

/* Gives the file behind fd the target's name, at once, in place of what has that name; where no_clobber, only if
 * nothing has.  An unnamed file that replaces another has a temporary name from one system call to the next.
 * On false the target is as it was. */
bool temp_file_publish(temp_file *t, int fd, const char *target, bool no_clobber, error *err);

/* Removes the temporary name, if there is one. */
void temp_file_discard(temp_file *t);

/* Removes all temporary names and keeps all other threads from making another, as the process ends.  It waits for
 * threads that are about to make one or to rename.  Safe in a handler of a signal, in any thread. */
void temp_file_remove_all(void);

/* The bytes of a path up to its last slash, which counts; 0 if it has none. */
static inline size_t path_dir_bytes(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

#endif
