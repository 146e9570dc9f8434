/* staged_tile.cuh - a tile of a row as the books have it: every thread sums Q elements one after the other.
 *
 * The block loads its elements striped, so that a warp's loads are contiguous, and turns them into rows of Q for each
 * thread through shared memory (prim/staging.cuh); then one warp scan does.  Any B and Q: the laboratory's tile, with
 * which `sat bench tune` shows what threads, items and the banks of shared memory do. */
#ifndef STAGED_TILE_CUH
#define STAGED_TILE_CUH

#include "prim/staging.cuh"
#include "prim/warp_scan.cuh"
#include "scan.cuh"

namespace look
{

/* Work and Shape: lookback.cuh.  All threads of the block call load(), total(), scan() and store(), in this order. */
template <class Work, class Shape> struct staged_tile {
    using sample = typename Work::sample;
    using sum = typename Work::sum;
    static constexpr unsigned Q = Shape::items, ROOM = prim::STAGED_WORDS<sum, Q, Shape::holes>;

    using room = prim::array<sum, Shape::block_threads / prim::WARP * ROOM>;

    sum x[Q];
    sum before; /* this lane's elements, in its warp */
    unsigned here;

    /* Where in the tile the thread's x[k] comes from and goes to. */
    PRIM_DEVICE static unsigned place(unsigned k)
    {
        return prim::warp_id() * prim::WARP * Q + k * prim::WARP + prim::lane_id();
    }

    PRIM_DEVICE void load(const Work &w, room &, const sample *row, int64_t from, int64_t left)
    {
        here = left < Shape::elements ? (unsigned)left : Shape::elements;
#pragma unroll
        for (unsigned k = 0; k < Q; k++) x[k] = place(k) < here ? w.source.at(row, from + place(k)) : sum();
    }

    PRIM_DEVICE sum total(const Work &, room &) const
    {
        sum t[4] = {}; /* four chains, not one */
#pragma unroll
        for (unsigned k = 0; k < Q; k++) t[k % 4] += x[k];
        return (t[0] + t[1]) + (t[2] + t[3]);
    }

    PRIM_DEVICE void scan(room &r)
    {
        prim::stage_in<Shape::holes>(r, prim::warp_id() * ROOM, x);
        sum mine = x[0];
#pragma unroll
        for (unsigned k = 1; k < Q; k++) mine += x[k];
        const sum left = prim::shuffle_up(prim::warp_scan_inclusive(mine), 1);
        before = prim::lane_id() ? left : sum();
    }

    /* base: what lies before the warp. */
    PRIM_DEVICE void store(const Work &w, room &r, sum *row, int64_t from, sum base)
    {
        sum run = before;
#pragma unroll
        for (unsigned k = 0; k < Q; k++) {
            const sum upto = run + x[k];
            x[k] = base + (w.exclusive ? run : upto);
            run = upto;
        }
        prim::stage_out<Shape::holes>(r, prim::warp_id() * ROOM, x);
#pragma unroll
        for (unsigned k = 0; k < Q; k++)
            if (place(k) < here) prim::store(row + from + place(k), x[k]);
    }
};

} // namespace look
#endif
