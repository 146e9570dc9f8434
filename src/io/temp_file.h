/* temp_file.h - a file without a name until it is complete.
 *
 * It has no directory entry (O_TMPFILE) if the file system supports that; then a killed process leaves nothing.
 * Otherwise it has a temporary name beside its target, and a list of these names is kept. */
#ifndef IO_TEMP_FILE_H
#define IO_TEMP_FILE_H

#include <string.h>
#include <sys/types.h>

#include "error.h"

#define NO_DIRECTORY "its directory does not exist" /* the error of every output in a missing directory */

/* Zeroed at first; must not be moved in memory while it has a name. */
typedef struct temp_file {
    char *name; /* NULL: unnamed */
    struct temp_file *next;
} temp_file;

/* Creates a file in the directory of the target, for reading and writing.  Returns its descriptor, which the caller
 * closes, or -1. */
int temp_file_create(temp_file *t, const char *target, mode_t mode, error *err);

/* Gives the file behind fd the target's name atomically, and replaces an existing file; with no_clobber, fails if there
 * is one.  An unnamed file that replaces another has a temporary name between two system calls.  On false the target is
 * unchanged. */
bool temp_file_publish(temp_file *t, int fd, const char *target, bool no_clobber, error *err);

/* Removes the temporary name, if there is one. */
void temp_file_discard(temp_file *t);

/* Removes all temporary names, and blocks all threads that try to create one from then on; for the end of the process.
 * Waits for threads that are creating or renaming one.  Safe in a signal handler, in any thread. */
void temp_file_remove_all(void);

/* The length of a path up to its last slash, inclusive; 0 if it has none. */
static inline size_t path_dir_bytes(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

#endif
