/* ticket.cuh - numbers for blocks in the order in which they start to run, and an epoch for each launch.
 *
 * A block that waits for another one must know that the other runs already.  The hardware promises nothing about the
 * order in which blocks start; so a block's number is not its block_id() but a ticket that it draws when it runs:
 * whoever holds a lower number is running or done, and the wait ends.
 *
 *     63         32 31          0
 *     |   epoch    |    next    |      one word in device memory, zero before the first launch
 *
 * One fetch_add gives both.  Who draws the last number of the launch knows that nobody will ask again, and makes the
 * word ready for the next launch: epoch + 1, number 0.  So nothing is cleared between launches, neither by the host
 * (which would not happen when a CUDA graph is replayed) nor by a kernel before this one: words that blocks leave
 * behind carry the epoch, and those of earlier launches do not count.  One launch at a time uses the word: a stream's
 * order is enough. */
#ifndef PRIM_TICKET_CUH
#define PRIM_TICKET_CUH

#include "prim/device.cuh"

namespace prim
{

struct ticket {
    uint32_t number, epoch;
};

/* For the whole block; `shown` is a word of its shared memory that is used for nothing else. */
PRIM_DEVICE ticket draw_ticket(uint64_t *counter, var<uint64_t> &shown)
{
    if (thread_id() == 0) {
        uint64_t drawn = fetch_add(counter, (uint64_t)1);
        if ((uint32_t)drawn == blocks() - 1) store_relaxed(counter, ((drawn >> 32) + 1) << 32);
        shown.set(drawn);
    }
    block_sync();
    uint64_t drawn = shown.get();
    return {(uint32_t)drawn, (uint32_t)(drawn >> 32)};
}

} // namespace prim
#endif
