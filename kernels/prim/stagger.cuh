/* stagger.cuh - a staggered start: the first blocks of a launch begin one after the other.
 *
 * Without it, all blocks that are resident at the start of a launch load together.  Nothing is stored until most of
 * them have loaded, then nothing is loaded until they have stored, and so on: memory is idle half the time in one
 * direction. A block knows its position by its ticket (ticket.cuh). */
#ifndef PRIM_STAGGER_CUH
#define PRIM_STAGGER_CUH

#include "prim/device.cuh"
#include "tuning.cuh"

namespace prim
{

/* Called by all threads of a block after draw_ticket().  The blocks of the first wave, which are resident together,
 * wait until memory has had time for `bytes` of each block before them.  A launch of one wave has nothing to gain. */
PRIM_DEVICE void staggered_start(uint32_t ticket, uint32_t first_wave, unsigned bytes)
{
    constexpr unsigned SLEEP_NS = 100; /* a long sleep may end at any time; a sum of short ones is accurate enough */
    if (blocks() <= first_wave || ticket >= first_wave) return;
    const unsigned delay_ns = ticket * bytes / tuning::BYTES_PER_NS;
    for (unsigned t = 0; t < delay_ns; t += SLEEP_NS) nanosleep(SLEEP_NS);
}

} // namespace prim
#endif
