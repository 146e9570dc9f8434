/* block_scan.cuh - from warps to a block: each warp brings its total, and learns what lies before it and the sum of
 * all.
 *
 *     warp       0    1    2    3
 *     brings     a    b    c    d        one barrier; then every warp scans all totals for itself (at most 32 of them,
 *     before     0    a   ab  abc        one for each lane), which is cheaper than to let one warp do it and wait again
 *     total   abcd abcd abcd abcd
 */
#ifndef PRIM_BLOCK_SCAN_CUH
#define PRIM_BLOCK_SCAN_CUH

#include "prim/device.cuh"
#include "prim/warp_scan.cuh"

namespace prim
{

template <class T> PRIM_DEVICE T warp_sum(T v)
{
#pragma unroll
    for (unsigned d = WARP / 2; d; d /= 2) v += shuffle_xor(v, d);
    return v;
}

template <class T> struct share {
    T before, total;
};

/* All threads of a block of WARPS warps call it, each with its warp's total.  The array may be used again after the
 * block's next barrier. */
template <class T, unsigned WARPS> PRIM_DEVICE share<T> block_shares(array<T, WARPS> &totals, T warp_total)
{
    static_assert(WARPS <= WARP, "a total for each lane");
    if (lane_id() == 0) totals.set(warp_id(), warp_total);
    block_sync();
    T mine = lane_id() < WARPS ? totals.get(lane_id()) : T();
    T upto = warp_scan_inclusive(mine);
    T before = shuffle(upto, warp_id() ? warp_id() - 1 : 0);
    return {warp_id() ? before : T(), shuffle(upto, WARPS - 1)};
}

} // namespace prim
#endif
