/* turn.cuh - the first blocks of a launch begin one after the other.
 *
 * At the start of a launch all blocks that a device holds at once would begin together: then nothing is stored until
 * most of them have loaded, nothing is loaded until they have stored, and so on, memory idle half the time in one
 * direction.  A block that draws tickets (ticket.cuh) knows its place in the line. */
#ifndef PRIM_TURN_CUH
#define PRIM_TURN_CUH

#include "prim/device.cuh"

namespace prim
{

#ifdef SAT_SIMT
constexpr unsigned MULTIPROCESSORS = 1, BYTES_PER_NS = 100;
#else
constexpr unsigned MULTIPROCESSORS = 132, BYTES_PER_NS = 4200; /* an H200's; others lose some microseconds at most */
#endif

/* By all threads of a block that has drawn a ticket; `resident` blocks fit a multiprocessor, and each takes its turn
 * when memory has had time for `bytes` of each before it.  Where no more blocks follow there is nothing to gain. */
PRIM_DEVICE void await_turn(uint32_t ticket, unsigned resident, unsigned bytes)
{
    constexpr unsigned NAP_NS = 100; /* a long nap may end at any time, a sum of short ones hardly */
    const unsigned at_once = MULTIPROCESSORS * resident;
    if (blocks() <= at_once || ticket >= at_once) return;
    const unsigned turn_ns = ticket * bytes / BYTES_PER_NS;
    for (unsigned t = 0; t < turn_ns; t += NAP_NS) nap(NAP_NS);
}

} // namespace prim
#endif
