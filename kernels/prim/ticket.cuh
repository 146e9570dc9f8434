/* ticket.cuh - numbers for blocks in the order in which they start to run, and for each launch.
 *
 * A block that waits for another one must know that the other runs already.  The hardware promises nothing about the
 * order in which blocks start.  So a block's number is not its block_id() but a ticket, which it draws when it runs:
 * blocks with lower tickets run or are done, and the wait ends.
 *
 *     63         32 31          0
 *     |   launch   |    next    |      one word in device memory, zero before the first launch
 *
 * One fetch_add returns both.  The block that draws the last ticket of the launch makes the word ready for the next
 * launch, as no other block accesses it any more: launch + 1, number 0.  So nothing is cleared between launches,
 * neither by the host (whose code does not run again when a CUDA graph is replayed) nor by another kernel: descriptors
 * of earlier launches carry other epochs (modulo 2^30), and are invalid.  One launch at a time uses the word: a
 * stream's order is enough. */
#ifndef PRIM_TICKET_CUH
#define PRIM_TICKET_CUH

#include "prim/device.cuh"

namespace prim
{

struct ticket {
    uint32_t number; /* of the block in its launch */
    uint32_t launch; /* number of the launch, modulo 2^32 */
};

/* Called by the whole block; `drawn` is shared memory that is used for nothing else. */
PRIM_DEVICE ticket draw_ticket(uint64_t *counter, var<uint64_t> &drawn)
{
    if (thread_id() == 0) {
        uint64_t word = fetch_add(counter, (uint64_t)1);
        if ((uint32_t)word == blocks() - 1) store_relaxed(counter, ((word >> 32) + 1) << 32);
        drawn.set(word);
    }
    block_sync();
    uint64_t word = drawn.get();
    return {(uint32_t)word, (uint32_t)(word >> 32)};
}

} // namespace prim
#endif
