/* window_extremes.cuh - the extremes of an image, which some thresholds need: found in a pass of their own. */
#ifndef WINDOW_EXTREMES_CUH
#define WINDOW_EXTREMES_CUH

#include "prim/runtime.cuh"
#include "window/window_finish.cuh"

namespace window
{

PRIM_DEVICE extremes no_extremes()
{
    return {1.0 / 0.0, 0};
}

PRIM_DEVICE void join(extremes &seen, const extremes &other)
{
    if (other.low < seen.low) seen.low = other.low;
    if (other.most > seen.most) seen.most = other.most;
}
PRIM_DEVICE extremes join_lanes(extremes seen)
{
#pragma unroll
    for (unsigned d = prim::WARP / 2; d; d /= 2)
        join(seen, {prim::shuffle_xor(seen.low, d), prim::shuffle_xor(seen.most, d)});
    return seen;
}

PRIM_DEVICE extremes load_extremes(const extremes *from)
{
    return {prim::load(&from->low), prim::load(&from->most)};
}

/* What the warp has seen; of_warps: an entry for each warp of the block.  more: beside what it has stored before. */
PRIM_DEVICE void store_extremes(extremes *of_warps, const extremes &seen, bool more = false)
{
    extremes all = join_lanes(seen), *own = of_warps + prim::warp_id();
    if (prim::lane_id() != 0) return;
    if (more) join(all, load_extremes(own));
    prim::store(&own->low, all.low);
    prim::store(&own->most, all.most);
}

/* The extremes of an image from those of its warps: a block for each image. */
struct join_extremes {
    static constexpr unsigned threads = prim::WARP;
    struct shared {
    };
    const extremes *found;
    extremes *image;
    int64_t of_image;

    PRIM_DEVICE void operator()(shared &) const
    {
        const extremes *from = found + prim::block_id() * of_image;
        extremes seen = no_extremes();
        for (int64_t i = prim::lane_id(); i < of_image; i += prim::WARP) join(seen, load_extremes(from + i));
        seen = join_lanes(seen);
        if (prim::lane_id() != 0) return;
        prim::store(&image[prim::block_id()].low, seen.low);
        prim::store(&image[prim::block_id()].most, sqrt(seen.most));
    }
};

} // namespace window
#endif
