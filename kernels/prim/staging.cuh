/* staging.cuh - a thread wants Q elements in a row, memory wants neighbouring threads to touch neighbouring elements.
 * Shared memory turns the one order into the other, for a warp and its 32 * Q elements at a time:
 *
 *     striped: x[k] is element k * 32 + lane              blocked: x[k] is element lane * Q + k
 *     what 32 lanes load in one go is contiguous          a thread sums its own elements one after the other
 *
 * Banks.  Shared memory is 32 banks of 4 bytes; lanes that meet in a bank take turns.  Striped accesses never meet.
 * Blocked ones lie Q apart: gcd(Q, 32) lanes meet, none for odd Q, all 32 for Q = 32.  A hole of one element after
 * every 128 bytes (one pass over the banks) shifts each pass by a bank:
 *
 *     Q = 32, 4 bytes     lane 0 in bank 0, lane 1 in bank 0, ...     with holes: lane l in bank l
 *
 * An access of 8 bytes is served to half a warp at a time, so the same rule holds for 16 elements of 8 bytes.
 * Paper: Harris, Sengupta & Owens, GPU Gems 3 ch. 39.2.3, with the holes for 16 banks. */
#ifndef PRIM_STAGING_CUH
#define PRIM_STAGING_CUH

#include "prim/device.cuh"

namespace prim
{

/* Where element i of T lies. */
template <class T, bool HOLES> PRIM_HOST_DEVICE constexpr unsigned staged_at(unsigned i)
{
    return HOLES ? i + i / (unsigned)(128 / sizeof(T)) : i;
}

/* The room of one warp. */
template <class T, unsigned Q, bool HOLES> constexpr unsigned STAGED_WORDS = staged_at<T, HOLES>(WARP *Q - 1) + 1;

template <bool HOLES, class T, unsigned Q, unsigned N>
PRIM_DEVICE void stage_in(array<T, N> &s, unsigned room, T (&x)[Q])
{
    const unsigned lane = lane_id();
#pragma unroll
    for (unsigned k = 0; k < Q; k++) s.set(room + staged_at<T, HOLES>(k * WARP + lane), x[k]);
    warp_sync();
#pragma unroll
    for (unsigned k = 0; k < Q; k++) x[k] = s.get(room + staged_at<T, HOLES>(lane * Q + k));
}

/* Back to striped; the lanes may still be reading what stage_in() left. */
template <bool HOLES, class T, unsigned Q, unsigned N>
PRIM_DEVICE void stage_out(array<T, N> &s, unsigned room, T (&x)[Q])
{
    const unsigned lane = lane_id();
    warp_sync();
#pragma unroll
    for (unsigned k = 0; k < Q; k++) s.set(room + staged_at<T, HOLES>(lane * Q + k), x[k]);
    warp_sync();
#pragma unroll
    for (unsigned k = 0; k < Q; k++) x[k] = s.get(room + staged_at<T, HOLES>(k * WARP + lane));
}

} // namespace prim
#endif
