/* block_scan.cuh - from warps to a block: each warp brings its total, and learns what lies before it and the sum of
 * all.
 *
 *     warp       0    1    2    3
 *     brings     a    b    c    d        one barrier; then every warp sums the totals for itself (at most 32 of them,
 *     before     0    a   ab  abc        one for each lane), which is cheaper than to let one warp do it and wait again
 *     total   abcd abcd abcd abcd
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

/* N sums at once: lane l returns number l % N.  In each step a lane hands on half of what it has and keeps the other,
 * so that all of them take little more than one.  N: a power of two. */
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
        T part[N];
#pragma unroll
        for (unsigned n = 0; n < N; n++) part[n] = v[n];
#pragma unroll
        for (unsigned d = N / 2; d; d /= 2) {
            const bool upper = lane_id() & d;
#pragma unroll
            for (unsigned n = 0; n < d; n++) {
                const T given = upper ? part[n] : part[n + d];
                part[n] = (upper ? part[n + d] : part[n]) + shuffle_xor(given, d);
            }
        }
#pragma unroll
        for (unsigned d = N; d < WARP; d *= 2) part[0] += shuffle_xor(part[0], d);
        return part[0];
    }
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
    return {warp_sum(lane_id() < warp_id() ? mine : T()), warp_sum(mine)};
}

} // namespace prim
#endif
