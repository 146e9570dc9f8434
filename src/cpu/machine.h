/* machine.h - what the cpu backends ask of the machine. */
#ifndef SAT_CPU_MACHINE_H
#define SAT_CPU_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

/* Cores that this process may run on: as many threads as a plan uses unless told otherwise. */
int sat_machine_cores(void);

/* Bytes of the last-level cache; 8 MiB where the system does not say. */
size_t sat_machine_cache(void);

/* 64-byte aligned, uninitialised; NULL if there is none.  Given back with free(). */
void *sat_aligned_alloc(size_t bytes);

#endif
