/* query_rects.cuh - rectangles that a kernel loads, and the first invalid one that it stores. */
#ifndef QUERY_RECTS_CUH
#define QUERY_RECTS_CUH

#include "prim/runtime.cuh"
#include "prim/vector.cuh"
#include "tuning.cuh"

/* rectangle.h in the device's terms. */
#define SAT_BOTH          PRIM_DEVICE
#define SAT_PRODUCT(a, b) prim::product(a, b)
#include "rectangle.h"

namespace query
{

constexpr uint64_t NONE = UINT64_MAX;

constexpr unsigned BLOCK = tuning::QUERY_THREADS, MOST_BLOCKS = tuning::QUERY_BLOCKS;
static_assert(MOST_BLOCKS <= SAT_QUERY_BLOCKS, "each block stores its first bad rectangle");

/* Blocks for n rectangles of so many images. */
inline int64_t blocks_of(size_t n, int64_t images)
{
    const uint64_t wanted = (n * (uint64_t)images - 1) / BLOCK + 1;
    return (int64_t)(wanted < MOST_BLOCKS ? wanted : MOST_BLOCKS);
}

/* vectors: rectangles are aligned to 16 bytes. */
PRIM_DEVICE sat_rect load_rect(const sat_rect *p, bool vectors)
{
    using half = prim::vec<int64_t, 2>; /* x and y, or width and height */
    if (!vectors) return {prim::load(&p->x), prim::load(&p->y), prim::load(&p->width), prim::load(&p->height)};
    const half corner = prim::load(reinterpret_cast<const half *>(&p->x)),
               sides = prim::load(reinterpret_cast<const half *>(&p->width));
    return {corner.at[0], corner.at[1], sides.at[0], sides.at[1]};
}

/* The lowest index among a block's invalid rectangles. */
struct first_invalid {
    static constexpr unsigned WARPS = BLOCK / prim::WARP;
    prim::array<uint64_t, WARPS> of_warp;

    /* lowest: of the thread; all threads of the block call this at their end. */
    PRIM_DEVICE void store(uint64_t lowest, const sat_rect *rects, uint64_t n, sat_bad_rects *bad)
    {
#pragma unroll
        for (unsigned d = prim::WARP / 2; d; d /= 2) {
            const uint64_t other = prim::shuffle_xor(lowest, d);
            lowest = other < lowest ? other : lowest;
        }
        if (prim::lane_id() == 0) of_warp.set(prim::warp_id(), lowest);
        prim::block_sync(); /* each warp has stored its lowest */
        if (prim::thread_id() != 0) return;
        for (unsigned w = 1; w < WARPS; w++) lowest = of_warp.get(w) < lowest ? of_warp.get(w) : lowest;
        sat_bad_rect *entry = &bad->of[prim::block_id()];
        if (lowest >= prim::load(&entry->index)) return;
        const sat_rect *rect = &rects[lowest % n];
        prim::store(&entry->index, lowest);
        prim::store(&entry->rect.x, prim::load(&rect->x));
        prim::store(&entry->rect.y, prim::load(&rect->y));
        prim::store(&entry->rect.width, prim::load(&rect->width));
        prim::store(&entry->rect.height, prim::load(&rect->height));
        prim::store_relaxed(&bad->none, (uint64_t)0);
    }
};

} // namespace query
#endif
