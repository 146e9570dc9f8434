/* memory.h - the limit of this process's memory for inputs, shared by all threads.
 *
 * A thread reserves all that a file may need in one step, and waits until that is free.  Until then it holds no more
 * than the file's head.  So waiting threads never block each other, and a file that fits the limit alone is never
 * refused because of other files. */
#ifndef IO_MEMORY_H
#define IO_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

/* The limit, in bytes.  Until it is set: three quarters of memory_of_machine(""). */
uint64_t memory_limit(void);
void memory_set_limit(uint64_t bytes); /* before any share is taken */

/* What refusals call the limit: " of --max-memory" (a string that stays); by default ", three quarters of the memory".
 */
void memory_name_limit(const char *words);

/* Is this within the limit?  what: begins the error, "a file". */
bool memory_allows(uint64_t bytes, const char *what, error *err);

/* The memory reserved for one file; zeroed = none.  One thread uses it at a time. */
typedef struct memory_share {
    uint64_t bytes;
} memory_share;

/* Waits until so many bytes of the limit are free, and reserves them.  More than the limit reserves all of it.  The
 * share must be empty. */
void memory_take(memory_share *share, uint64_t bytes);
/* Reduces the share to so many bytes; 0 empties it. */
void memory_keep(memory_share *share, uint64_t bytes);

/* Memory of n bytes, to be freed with free(); NULL if there is none.  It begins on a page; a large block begins on a
 * huge page and requests huge pages, as clearing 512 small pages takes longer than filling them. */
void *memory_allocate(size_t n);

/* The same for rows; NULL and the error. */
void *memory_rows(int64_t rows, size_t row_bytes, error *err);

/* The memory of this machine in bytes, or the limit of this process's control groups if that is less.
 * root: prefix of /proc and /sys, for tests. */
uint64_t memory_of_machine(const char *root);

/* A size as text, "48.0 MiB", in a buffer of at least 32 bytes; returns the buffer. */
const char *size_text(char *buffer, double bytes);

/* Two sizes so, with as many digits as show that they differ; the larger is rounded up, so that a limit of what is
 * shown is enough. */
void size_texts(char *more, uint64_t more_bytes, char *most, uint64_t most_bytes);

#endif
