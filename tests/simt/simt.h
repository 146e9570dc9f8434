/* simt.h - runs CUDA kernels without a GPU, and says what is wrong with them.  docs/simt.md is the manual.
 *
 * This header is all that a test program needs to know of the simulator; C and C++.
 *
 * Link the library with the kernels compiled by a host compiler (tests/simt/simt.mk does) and everything that sat.h
 * offers on a device works: sat_device_current() answers "SIMT simulator", sat_device_alloc() gives fenced, poisoned
 * memory, sat_plan_run() and sat_scan_run() on SAT_DEVICE memory run the kernels, thread by thread, interleaved at
 * random. sat_device_time() answers the number of scheduling steps / 1000.  A launch is done when it returns: streams
 * are in order.
 *
 * What a test does
 *
 *     for (uint64_t seed = first; seed < first + n; seed++) {
 *         simt_seed(seed);                              // the whole schedule follows from this number
 *         simt_case("--backend lookback --shape 65x3"); // arguments that make your program run only this, for replays
 *         status = sat_plan_run(...);                   // then compare the result as on a GPU
 *     }
 *
 * What happens on a fault.  The launch ends, and it and every later call to the device fail with SAT_ERR_DEVICE, as
 * after a fault on a GPU, until the next simt_seed().  sat_detail() is the diagnosis, in one line; the same line and a
 * command to replay it go to stderr, each behind "# ".  simt_fault() gives the class, so that tests of tests can
 * compare it. A wrong result that no check explains is the test's to find: it prints simt_replay().
 *
 * Environment, read by the first call (values that simt_seed() is given replace the seed):
 *     SAT_SIMT_SEED=N      decimal or 0x..; 1 by default
 *     SAT_SIMT_POLICY=P    uniform, burst or starve for every launch; else the seed picks one for each launch
 *     SAT_SIMT_QUIET=1     nothing on stderr
 *     SAT_SIMT_TALLY=FILE  appends "KERNEL 8" after every 8 launches of a kernel (of any template arguments)
 *     SAT_SIMT_NAMES=FILE  appends the whole name of each kernel, once, in a line of its own
 *
 * Tests for both worlds are compiled with -DSAT_SIMT for this one:
 *     #ifdef SAT_SIMT
 *     #include "simt.h"
 *     #endif
 *
 * Not thread-safe: one thread of the host uses the device. */
#ifndef SIMT_H
#define SIMT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Forgets an earlier fault and starts the random sequence anew: all launches from here to the next call follow from it.
 */
void simt_seed(uint64_t seed);

/* Names the case that runs now: command-line arguments for the replay line.  Copied; NULL = those of this process. */
void simt_case(const char *arguments);

/* "SAT_SIMT_SEED=7 build/simt/check --backend ...": valid until the next call. */
const char *simt_replay(void);

/* The class of the fault since the last simt_seed(), NULL if there was none:
 *   "divergence"     lanes of one mask, or threads of one block, at different collectives; a lane that has exited
 *   "deadlock"       no thread can run       "livelock"   all threads only poll
 *   "bounds"         device memory out of bounds, freed, or not the device's; a shared array's index
 *   "misaligned"     an address that the access's width does not divide
 *   "uninitialised"  device or shared memory read before it was written
 *   "shared race"    two threads, one shared word, a write, and no barrier between
 *   "global race"    the same in device memory, or between blocks, without release and acquire
 *   "not compiled"   a kernel that the file of SIMT_CHOSEN does not name
 *   "crash"          a segmentation fault inside a kernel (ends the process, status 1) */
const char *simt_fault(void);

/* Do streams count as captured into a graph from here on?  Launches run all the same: for tests of what must be refused
 * then. */
void simt_capture(int captured);

/* How much has been simulated since the process began. */
typedef struct simt_counts {
    uint64_t launches, blocks, threads, steps, switches, drains;
} simt_counts;
simt_counts simt_count(void);

#ifdef __cplusplus
}
#endif
#endif
