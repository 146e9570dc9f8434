/* stagger.cuh - a staggered start: the first blocks of a launch begin one after the other.
 *
 * Without it, all blocks that are resident at the start of a launch load together.  Nothing is stored until most of
 * them have loaded, then nothing is loaded until they have stored, and so on: memory is idle half the time in one
 * direction. A block knows its position by its ticket (ticket.cuh). */
#ifndef PRIM_STAGGER_CUH
#define PRIM_STAGGER_CUH

#include "prim/device.cuh"

namespace prim
{

#ifdef SAT_SIMT
constexpr unsigned MULTIPROCESSORS = 1, BYTES_PER_NS = 100;
#else
constexpr unsigned MULTIPROCESSORS = 132, BYTES_PER_NS = 4200; /* an H200's; others lose some microseconds at most */
#endif

/* Called by all threads of a block after draw_ticket().  `resident` blocks fit a multiprocessor.  Each of the first
 * wave waits until memory has had time for `bytes` of each block before it.  A launch of one wave has nothing to gain.
 */
PRIM_DEVICE void staggered_start(uint32_t ticket, unsigned resident, unsigned bytes)
{
    constexpr unsigned SLEEP_NS = 100; /* a long sleep may end at any time; a sum of short ones is accurate enough */
    const unsigned first_wave = MULTIPROCESSORS * resident;
    if (blocks() <= first_wave || ticket >= first_wave) return;
    const unsigned delay_ns = ticket * bytes / BYTES_PER_NS;
    for (unsigned t = 0; t < delay_ns; t += SLEEP_NS) nanosleep(SLEEP_NS);
}

} // namespace prim
#endif
