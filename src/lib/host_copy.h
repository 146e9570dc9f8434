/* host_copy.h - pixels from host memory to host memory, by several threads. */
#ifndef SAT_HOST_COPY_H
#define SAT_HOST_COPY_H

#include "sat.h"

/* How many of so many threads are worth waking for copies of that many bytes each; 1 .. threads. */
int sat_copy_threads(size_t bytes, int threads);

/* Copies from's pixels to those of `to`, a view of the same shape, count and type that does not overlap it; what lies
 * between its samples stays as it is.  past_caches: the bytes will not be read again soon and are written past the
 * caches, where the machine has such stores and neither view has gaps. */
void sat_host_copy(const sat_view *to, const sat_view *from, const sat_executor *executor, int threads,
                   bool past_caches);

#endif
