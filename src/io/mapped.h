/* mapped.h - the names of the files that are mapped, for the signal that says that one of them became shorter. */
#ifndef IO_MAPPED_H
#define IO_MAPPED_H

#include <stddef.h>

/* From any thread.  Of MAPPED_MOST at a time the names are kept, and of a name the first MAPPED_NAME_BYTES - 1. */
enum { MAPPED_MOST = 64, MAPPED_NAME_BYTES = 1024 };
void mapped_add(const void *bytes, size_t n, const char *name);
void mapped_remove(const void *bytes); /* before it is unmapped */

/* The name of the file that is mapped there; NULL if it is not known.  A signal handler may call it. */
const char *mapped_name(const void *address);

#endif
