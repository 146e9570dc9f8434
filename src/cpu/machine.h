/* machine.h - what the cpu backends know of the machine. */
#ifndef SAT_CPU_MACHINE_H
#define SAT_CPU_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many threads do the work: as many as the caller says, or, 0, one for each core that this process may run on, as
 * far as each gets a share of the work.  A share should take 100 us, ten times what it takes to wake a thread:
 * docs/cpu.md says what threads cost besides. */
int sat_machine_threads(int threads, double work, double share);

/* That share for what reads and writes each byte once, at 10 to 16 GB/s. */
enum { SAT_SHARE_BYTES = 1 << 20 };

/* What one thread of these reads and writes in a microsecond. */
#define SAT_BYTES_PER_US 1e4

/* Should `rows` rows of that many bytes be written past the caches?  Yes if together they take more than a
 * third of the last-level cache, where the two ways were seen to cross over (docs/cpu.md; paths.def: stream);
 * SAT_STREAM = always or never overrides it (override.h). */
bool sat_machine_streams(size_t row_bytes, int64_t rows);

#endif
