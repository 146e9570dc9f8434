/* warp_scan.cuh - the inclusive scan of one value for each lane of a warp, three ways.
 *
 * All three are the circuit of Kogge and Stone: in step d = 1, 2, 4, 8, 16 every lane adds what the lane d to its left
 * held before the step.
 *
 *     lane     0     1     2     3     4     5     6     7
 *              a     b     c     d     e     f     g     h
 *     d = 1    a    ab    bc    cd    de    ef    fg    gh
 *     d = 2    a    ab   abc  abcd  bcde  cdef  defg  efgh
 *     d = 4    a    ab   abc  abcd abcde   a-f   a-g   a-h        and so on: 5 steps for 32 lanes
 *
 * That is 5 * 32 - 31 = 129 additions where a loop makes 31, but a warp pays for a step and not for its lanes.
 *
 * Papers: Kogge & Stone, A parallel algorithm for the efficient solution of a general class of recurrence equations,
 * IEEE Trans. Computers C-22, 1973; in shared memory and with the zeros: Sengupta, Harris & Garland, Efficient parallel
 * scan algorithms for GPUs, NVR-2008-003; Wilt, The CUDA Handbook, 13.5.
 *
 * The listings of the books trust that a warp runs in lockstep, with `volatile` to keep the compiler honest.  Since
 * Volta each lane has its own program counter: one may write its sum before another has read the old value.  So a step
 * in shared memory is: read, warp_sync, write, warp_sync. */
#ifndef PRIM_WARP_SCAN_CUH
#define PRIM_WARP_SCAN_CUH

#include <type_traits>

#include "prim/device.cuh"

namespace prim
{

/* Registers only. All lanes of the warp call it. */
template <class T> PRIM_DEVICE T warp_scan_inclusive(T v)
{
    const unsigned lane = lane_id();
#pragma unroll
    for (unsigned d = 1; d < WARP; d *= 2) {
        if constexpr (std::is_same_v<T, uint32_t>) {
            v = add_left(v, d);
        } else {
            T left = shuffle_up(v, d);
            if (lane >= d) v += left;
        }
    }
    return v;
}

/* The exclusive scan of v, from its inclusive one.  A difference of float sums would be rounded. */
template <class T> PRIM_DEVICE T warp_scan_exclusive(T v, T inclusive)
{
    if constexpr (std::is_integral_v<T>) {
        return inclusive - v;
    } else {
        const T exclusive = shuffle_up(inclusive, 1);
        return lane_id() == 0 ? T(0) : exclusive;
    }
}

/* In shared memory: x.get(at - lane) up to x.get(at - lane + 31) are the warp's, and hold the sums afterwards. */
template <class T, unsigned N> PRIM_DEVICE T warp_scan_shared(array<T, N> &x, unsigned at, T v)
{
    const unsigned lane = lane_id();
    x.set(at, v);
    warp_sync();
#pragma unroll
    for (unsigned d = 1; d < WARP; d *= 2) {
        if (lane >= d) v += x.get(at - d);
        warp_sync(); /* all have read what the step overwrites */
        x.set(at, v);
        warp_sync(); /* the next step reads it */
    }
    return v;
}

/* The same without asking for the lane: 16 zeros lie to the left of every warp's 32 words, for the lanes below d to
 * add.
 *
 *     | 16 zeros | warp 0: 32 words | 16 zeros | warp 1: 32 words | ...
 */
constexpr unsigned WARP_PAD = WARP / 2;

constexpr unsigned padded_words(unsigned threads)
{
    return threads / WARP * (WARP_PAD + WARP);
}

PRIM_DEVICE unsigned padded_at(unsigned thread)
{
    return thread / WARP * (WARP_PAD + WARP) + WARP_PAD + thread % WARP;
}

/* x: padded_words() of the block's threads; at: padded_at() this one. */
template <class T, unsigned N> PRIM_DEVICE T warp_scan_padded(array<T, N> &x, unsigned at, T v)
{
    if (lane_id() < WARP_PAD) x.set(at - WARP_PAD, 0);
    x.set(at, v);
    warp_sync();
#pragma unroll
    for (unsigned d = 1; d < WARP; d *= 2) {
        v += x.get(at - d);
        warp_sync();
        x.set(at, v);
        warp_sync();
    }
    return v;
}

} // namespace prim
#endif
