/* block_scan.cuh - from warps to a block: the exclusive prefix of each warp, and the aggregate of the block.
 *
 *     warp         0    1    2    3
 *     aggregate    a    b    c    d      one barrier; then every warp sums the aggregates for itself (at most 32,
 *     exclusive    0    a   ab  abc      one for each lane), which is cheaper than one warp's scan and another barrier
 *     block     abcd abcd abcd abcd
 */
#ifndef PRIM_BLOCK_SCAN_CUH
#define PRIM_BLOCK_SCAN_CUH

#include <type_traits>

#include "prim/device.cuh"

namespace prim
{

template <class T> PRIM_DEVICE T warp_sum(T v)
{
    if constexpr (std::is_same_v<T, uint32_t>) {
        return add_lanes(v);
    } else {
#pragma unroll
        for (unsigned d = WARP / 2; d; d /= 2) v += shuffle_xor(v, d);
        return v;
    }
}

/* N sums at once: lane l returns number l % N.  In each step a lane passes on half of its values and keeps the other
 * half, so that N sums cost little more than one.  N: a power of two. */
template <class T, unsigned N> PRIM_DEVICE T warp_sums(const T (&v)[N])
{
    if constexpr (std::is_same_v<T, uint32_t>) {
        T mine = T();
#pragma unroll
        for (unsigned n = 0; n < N; n++) {
            const T sum = add_lanes(v[n]);
            if (lane_id() % N == n) mine = sum;
        }
        return mine;
    } else {
        T partial[N];
#pragma unroll
        for (unsigned n = 0; n < N; n++) partial[n] = v[n];
#pragma unroll
        for (unsigned d = N / 2; d; d /= 2) {
            const bool upper = lane_id() & d;
#pragma unroll
            for (unsigned n = 0; n < d; n++) {
                const T sent = upper ? partial[n] : partial[n + d];
                partial[n] = (upper ? partial[n + d] : partial[n]) + shuffle_xor(sent, d);
            }
        }
#pragma unroll
        for (unsigned d = N; d < WARP; d *= 2) partial[0] += shuffle_xor(partial[0], d);
        return partial[0];
    }
}

template <class T> struct block_prefix {
    T exclusive, aggregate; /* of this warp; of the block */
};

/* All threads of a block of WARPS warps call it, each with its warp's aggregate.  The array may be used again after the
 * block's next barrier. */
template <class T, unsigned WARPS>
PRIM_DEVICE block_prefix<T> block_scan_exclusive(array<T, WARPS> &aggregates, T warp_aggregate)
{
    static_assert(WARPS <= WARP, "an aggregate for each lane");
    if (lane_id() == 0) aggregates.set(warp_id(), warp_aggregate);
    block_sync();
    T mine = lane_id() < WARPS ? aggregates.get(lane_id()) : T();
    return {warp_sum(lane_id() < warp_id() ? mine : T()), warp_sum(mine)};
}

} // namespace prim
#endif
