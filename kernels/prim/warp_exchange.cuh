/* warp_exchange.cuh - between the striped and the blocked arrangement of a warp's 32 * Q elements, by way of shared
 * memory (CUB's WarpExchange).
 *
 *     striped: x[k] is element k * 32 + lane            blocked: x[k] is element lane * Q + k
 *     one load of all lanes is contiguous                a lane sums its own elements one after the other
 *
 * Banks.  Shared memory has 32 banks of 4 bytes; lanes that access different words of one bank are served one after the
 * other.  Striped accesses have no conflicts.  Blocked ones lie Q words apart: gcd(Q, 32) lanes share a bank, none for
 * odd Q, all 32 for Q = 32.  PADDED leaves an element out after every 128 bytes (one pass over the banks), which shifts
 * each pass by a bank:
 *
 *     Q = 32, 4 bytes     lane 0 in bank 0, lane 1 in bank 0, ...     padded: lane l in bank l
 *
 * An access of 8 bytes is served to half a warp at a time, so that the same rule holds for 16 elements of 8 bytes.
 * Paper: Harris, Sengupta & Owens, GPU Gems 3 ch. 39.2.3, with padding for 16 banks. */
#ifndef PRIM_WARP_EXCHANGE_CUH
#define PRIM_WARP_EXCHANGE_CUH

#include "prim/device.cuh"

namespace prim
{

/* Where element i of T lies. */
template <class T, bool PADDED> PRIM_HOST_DEVICE constexpr unsigned exchange_at(unsigned i)
{
    return PADDED ? i + i / (unsigned)(128 / sizeof(T)) : i;
}

/* Elements of shared memory for one warp. */
template <class T, unsigned Q, bool PADDED>
constexpr unsigned EXCHANGE_ELEMENTS = exchange_at<T, PADDED>(WARP *Q - 1) + 1;

template <bool PADDED, class T, unsigned Q, unsigned N>
PRIM_DEVICE void striped_to_blocked(array<T, N> &s, unsigned from, T (&x)[Q])
{
    const unsigned lane = lane_id();
#pragma unroll
    for (unsigned k = 0; k < Q; k++) s.set(from + exchange_at<T, PADDED>(k * WARP + lane), x[k]);
    warp_sync();
#pragma unroll
    for (unsigned k = 0; k < Q; k++) x[k] = s.get(from + exchange_at<T, PADDED>(lane * Q + k));
}

/* The warp's elements begin at s.get(from).  Begins with a barrier: lanes may still read what striped_to_blocked() has
 * stored. */
template <bool PADDED, class T, unsigned Q, unsigned N>
PRIM_DEVICE void blocked_to_striped(array<T, N> &s, unsigned from, T (&x)[Q])
{
    const unsigned lane = lane_id();
    warp_sync();
#pragma unroll
    for (unsigned k = 0; k < Q; k++) s.set(from + exchange_at<T, PADDED>(lane * Q + k), x[k]);
    warp_sync();
#pragma unroll
    for (unsigned k = 0; k < Q; k++) x[k] = s.get(from + exchange_at<T, PADDED>(k * WARP + lane));
}

} // namespace prim
#endif
