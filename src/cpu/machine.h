/* machine.h - what the cpu backends ask of the machine. */
#ifndef SAT_CPU_MACHINE_H
#define SAT_CPU_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Cores that this process may run on: as many threads as a plan uses unless told otherwise. */
int sat_machine_cores(void);

/* Should `rows` rows of that many bytes be written past the caches?  Yes if together they take more than a
 * third of the last-level cache, where the two ways were seen to cross over (docs/cpu.md); the environment
 * variable SAT_STREAM = always or never overrides it. */
bool sat_machine_streams(size_t row_bytes, int64_t rows);

/* 64-byte aligned, uninitialised; NULL if there is none.  Given back with free(). */
void *sat_aligned_alloc(size_t bytes);

#endif
