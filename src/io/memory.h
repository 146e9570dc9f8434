/* memory.h - how much memory the inputs of this process may take, all threads together.
 *
 * The work on a file takes at once all that it may need, before anything is allocated for it and while it holds no
 * more than its head, and waits until so much is free.  So threads that wait never wait for each other, and a file that
 * fits the limit alone is not refused because others are worked on. */
#ifndef IO_MEMORY_H
#define IO_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"

/* The limit, in bytes.  Until it is set: three quarters of memory_of_machine(""). */
uint64_t memory_limit(void);
void memory_set_limit(uint64_t bytes); /* before any share is taken */

/* Is that within the limit?  Else the error says so: what, "a file", has so many bytes. */
bool memory_allows(uint64_t bytes, const char *what, error *err);

/* What one file's work has taken; zeroed = nothing.  One thread uses it at a time. */
typedef struct memory_share {
    uint64_t bytes;
} memory_share;

/* Waits until so many bytes of the limit are free: all of it, if they are more.  The share holds nothing before. */
void memory_take(memory_share *share, uint64_t bytes);
/* Gives back what the share holds above so many bytes; 0: all. */
void memory_keep(memory_share *share, uint64_t bytes);

/* The memory of this machine, or what the control groups of this process leave of it, whichever is less, in bytes.
 * root: stands before /proc and /sys, for tests. */
uint64_t memory_of_machine(const char *root);

/* "48.0 MiB": a size for people, in a buffer of at least 32 bytes; returns it. */
const char *size_text(char *buffer, double bytes);

#endif
