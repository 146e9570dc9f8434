/* blocked_tile.cuh - a tile of a row as the textbooks have it: every thread sums Q elements one after the other.
 *
 * The block loads its elements striped, so that a warp's loads are contiguous, and exchanges them through shared memory
 * into the blocked arrangement (prim/warp_exchange.cuh); then one warp scan does.  Any B and Q: the laboratory's tile,
 * with which `sat bench tune` shows the effects of threads, items and the banks of shared memory. */
#ifndef BLOCKED_TILE_CUH
#define BLOCKED_TILE_CUH

#include "prim/warp_exchange.cuh"
#include "prim/warp_scan.cuh"
#include "scan.cuh"

namespace single_pass
{

/* Work and Shape: lookback.cuh.  All threads of the block call load(), total(), scan() and store(), in this order. */
template <class Work, class Shape> struct blocked_tile {
    using sample = typename Work::sample;
    using sum = typename Work::sum;
    static constexpr unsigned Q = Shape::items, WARP_ELEMENTS = prim::EXCHANGE_ELEMENTS<sum, Q, Shape::padded>;

    using storage = prim::array<sum, Shape::block_threads / prim::WARP * WARP_ELEMENTS>;

    sum x[Q];
    sum before; /* the lane's exclusive prefix in its warp */
    unsigned here;

    /* The element of the tile that x[k] is while the arrangement is striped. */
    PRIM_DEVICE static unsigned index_of(unsigned k)
    {
        return prim::warp_id() * prim::WARP * Q + k * prim::WARP + prim::lane_id();
    }

    PRIM_DEVICE void load(const Work &w, storage &, const sample *row, int64_t from, int64_t remaining)
    {
        here = remaining < Shape::elements ? (unsigned)remaining : Shape::elements;
#pragma unroll
        for (unsigned k = 0; k < Q; k++) x[k] = index_of(k) < here ? w.source.at(row, from + index_of(k)) : sum();
    }

    PRIM_DEVICE sum total(const Work &, storage &) const
    {
        sum t[4] = {}; /* four sums, whose latencies overlap */
#pragma unroll
        for (unsigned k = 0; k < Q; k++) t[k % 4] += x[k];
        return (t[0] + t[1]) + (t[2] + t[3]);
    }

    PRIM_DEVICE void scan(storage &r)
    {
        prim::striped_to_blocked<Shape::padded>(r, prim::warp_id() * WARP_ELEMENTS, x);
        sum mine = x[0];
#pragma unroll
        for (unsigned k = 1; k < Q; k++) mine += x[k];
        const sum left = prim::shuffle_up(prim::warp_scan_inclusive(mine), 1);
        before = prim::lane_id() ? left : sum();
    }

    /* base: the exclusive prefix of the warp. */
    PRIM_DEVICE void store(const Work &w, storage &r, sum *row, int64_t from, sum base)
    {
        sum running = before;
#pragma unroll
        for (unsigned k = 0; k < Q; k++) {
            const sum inclusive = running + x[k];
            x[k] = base + (w.exclusive ? running : inclusive);
            running = inclusive;
        }
        prim::blocked_to_striped<Shape::padded>(r, prim::warp_id() * WARP_ELEMENTS, x);
#pragma unroll
        for (unsigned k = 0; k < Q; k++)
            if (index_of(k) < here) prim::store(row + from + index_of(k), x[k]);
    }
};

} // namespace single_pass
#endif
