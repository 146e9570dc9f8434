/* blelloch.cuh - Blelloch's exclusive scan of an array in shared memory, with 2 * (N - 1) additions.
 *
 * The array is a binary tree, each inner node in the word of its rightmost leaf.  On the way up each node gets the sum
 * of its leaves; then the root is cleared; on the way down each node hands what came before it to its left child, and
 * that plus the left child's sum to its right child:
 *
 *     up     a   b   c   d           down   a   ab   c   0        the root's sum is kept, then cleared
 *            a  ab   c  cd                  a    0   c  ab
 *            a  ab   c  abcd                0    a  ab  abc
 *
 * Paper: Blelloch, Prefix sums and their applications, CMU-CS-90-190, 1990; on a GPU: Harris, Sengupta & Owens,
 * Parallel prefix sum (scan) with CUDA, GPU Gems 3 ch. 39.2.
 *
 * Banks.  The nodes of a level with stride s lie 2 s words apart, so that 32 lanes would share 16 banks, then 8, at
 * last one.  Word i is therefore kept at i + i/BANKS + i/BANKS^2 (rounded down): over BANKS
 * words the position shifts by one bank, over BANKS^2 by one more.  The shared memory has 32 banks of 4 bytes; a warp
 * that accesses 8-byte words is served one half after the other, each from 16 pairs of banks.  The chapter's listing
 * has 16 banks, and in its two-term macro `+` binds before `>>`. */
#ifndef PRIM_BLELLOCH_CUH
#define PRIM_BLELLOCH_CUH

#include "prim/device.cuh"

namespace prim
{

/* N words, a power of two.  `skew` is SKEW, or PLAIN to see what the conflicts cost. */
template <class T, unsigned N> struct tree {
    static constexpr unsigned SKEW = sizeof(T) == 8 ? 4 : 5; /* log2 of the banks, in words */
    static constexpr unsigned PLAIN = 15;                    /* shifts every index of a block to 0 */
    static_assert(N >= 2 && (N & (N - 1)) == 0 && N <= 1u << PLAIN);

    array<T, N + (N >> SKEW) + (N >> 2 * SKEW)> words;

    PRIM_DEVICE static unsigned place(unsigned i, unsigned skew)
    {
        return i + (i >> skew) + (N > 1u << 2 * SKEW ? i >> 2 * skew : 0);
    }
    PRIM_DEVICE T get(unsigned i, unsigned skew) const { return words.get(place(i, skew)); }
    PRIM_DEVICE void set(unsigned i, T v, unsigned skew) { words.set(place(i, skew), v); }

    /* Node k of the level with that many nodes: its left child ends a stride before itself. */
    PRIM_DEVICE void up(unsigned k, unsigned nodes, unsigned skew)
    {
        const unsigned stride = N / 2 / nodes, left = stride * (2 * k + 1) - 1, right = left + stride;
        set(right, get(left, skew) + get(right, skew), skew);
    }
    PRIM_DEVICE void down(unsigned k, unsigned nodes, unsigned skew)
    {
        const unsigned stride = N / 2 / nodes, left = stride * (2 * k + 1) - 1, right = left + stride;
        const T before = get(right, skew), sum = get(left, skew);
        set(left, before, skew);
        set(right, before + sum, skew);
    }
};

/* Scans x in place.  All THREADS of the block call it, a multiple of the warp, after they have set x; afterwards all
 * may read it.  Returns the sum of all in thread 0.  Levels of at most 32 nodes are the first warp's alone: it needs no
 * block_sync between them. */
template <unsigned THREADS, class T, unsigned N> PRIM_DEVICE T blelloch_scan(tree<T, N> &x, unsigned skew)
{
    constexpr unsigned MOST = N / 2 < WARP ? N / 2 : WARP; /* nodes of the warp's widest level */
    const unsigned t = thread_id();
    T all = 0;
    for (unsigned nodes = N / 2; nodes > WARP; nodes /= 2) {
        block_sync(); /* the level below, or the leaves, are set */
        for (unsigned k = t; k < nodes; k += THREADS) x.up(k, nodes, skew);
    }
    block_sync();
    if (t < WARP) {
        for (unsigned nodes = MOST; nodes >= 1; nodes /= 2) {
            if (t < nodes) x.up(t, nodes, skew);
            warp_sync();
        }
        if (t == 0) {
            all = x.get(N - 1, skew);
            x.set(N - 1, 0, skew);
        }
        warp_sync();
        for (unsigned nodes = 1; nodes <= MOST; nodes *= 2) {
            if (t < nodes) x.down(t, nodes, skew);
            warp_sync();
        }
    }
    for (unsigned nodes = 2 * WARP; nodes <= N / 2; nodes *= 2) {
        block_sync(); /* the level above is set */
        for (unsigned k = t; k < nodes; k += THREADS) x.down(k, nodes, skew);
    }
    block_sync();
    return all;
}

} // namespace prim
#endif
