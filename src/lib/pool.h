/* pool.h - the threads behind sat_parallel(), and what the library needs besides.
 *
 * A call of sat_parallel() opens a region: so many indices, and invitations for as many workers as it may have besides
 * its caller.  The caller takes indices from the region's counter at once; an idle worker that accepts an invitation
 * takes them too.  When the counter has run out, the caller withdraws the invitations that are left, and waits for
 * the workers that accepted one:
 *
 *     caller      open  [0][1]   [3]      [6]    close, waits         return
 *     worker 1      wakes  [2]      [4]      [7.........]  idle
 *     worker 2         wakes   .    .   [5]      idle
 *     worker 3            (on its way)                   finds no invitation
 *
 * So a worker that comes late costs nothing, and on a busy machine a small job takes what one thread takes.
 *
 * Regions.  Several may be open at once, also from inside others; a worker takes any.  A worker waits inside a region
 * for nothing but its task, and a caller only for workers that have indices of its own region, so that nested regions
 * cannot wait for each other in a circle.  All regions together have a worker for each processor but one, or as many
 * as one of them asked for.
 *
 * Waiting.  An idle worker and a caller at the end of its region spin for SPIN_NS and then sleep in a futex.  A task
 * that waits for another spins for AWAIT_NS, as the other is at work and soon done, and sleeps if it is not, since then
 * the machine has other things to do.  None yields: sched_yield() puts a thread behind all others, while one that has
 * slept is soon back.
 *
 * Workers are started when a region invites more than are idle, and stay until the process ends or the library is
 * unloaded: a destructor ends and joins them, unless a region is open, which at exit() is another thread's.  They do
 * not end with the last object: a query needs no object, a program that makes a plan for each image would start its
 * threads for each image, and an idle worker costs the address space of its stack and nothing else.
 *
 * A worker that the system refuses is done without.  A child of fork() has no workers and starts its own: it sets all
 * state back, and no thread waits for a lock.  Models: the pools of dav1d and zstd, where idle threads sleep and the
 * system may refuse one; libgomp and libomp, whose spinning they do without. */
#ifndef SAT_POOL_H
#define SAT_POOL_H

#include <stdatomic.h>

#include "sat.h"

/* What a task has done, which tasks of higher indices wait for; alone in its cache line.  All zeros to begin with. */
typedef struct sat_progress {
    _Alignas(64) atomic_uint done; /* may wrap: those that wait are behind it by less than 2^31 */
    atomic_uint asleep;            /* threads that sleep until it changes */
} sat_progress;

/* Sets done, and wakes the threads that sleep; what was written before is seen by those that wait for it. */
void sat_advance(sat_progress *p, unsigned done);

/* Waits until that much is done. */
void sat_await(sat_progress *p, unsigned done);

/* sat_parallel() in a caller's threads; executor NULL: in the library's.  Each of the executor's jobs takes indices
 * until there are none left, so that a task may wait for a lower index whatever the order in which jobs run. */
int sat_parallel_on(const sat_executor *executor, int threads, int64_t count, sat_task *task, void *context);

/* sat_parallel(), whose caller calls idle(argument) from time to time while it waits for the others. */
int sat_parallel_waiting(int threads, int64_t count, sat_task *task, void *context, void (*idle)(void *argument),
                         void *argument);

/* SAT_ERR_ARGUMENT for an executor without a function; NULL is none. */
sat_status sat_check_executor(const sat_executor *executor);

/* In how many parts of about `size` to cut n, at least one. */
static inline int64_t sat_parts(int64_t n, int64_t size)
{
    return n > size ? (n - 1) / size + 1 : 1;
}

#endif
