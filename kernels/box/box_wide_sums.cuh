/* box_wide_sums.cuh - column sums of groups of rows, and of all rows above a group; a part of box_wide.cu. */
#ifndef BOX_WIDE_SUMS_CUH
#define BOX_WIDE_SUMS_CUH

#include "box/box_axis.cuh"
#include "prim/vector.cuh"
#include "tuning.cuh"

namespace box
{

/* Four neighbouring samples. */
constexpr unsigned QUAD = 4;
template <class Sample> using quad = prim::vec<uint32_t, sizeof(Sample)>;

/* sum plus sample i of four. */
PRIM_DEVICE uint32_t add_sample(const quad<uint8_t> &r, unsigned i, uint32_t sum)
{
    return prim::add_bytes(r.at[0], 1u << i, sum);
}
PRIM_DEVICE uint32_t add_sample(const quad<uint16_t> &r, unsigned i, uint32_t sum)
{
    return prim::add_half(r.at[i / 2], i % 2, sum);
}
PRIM_DEVICE uint32_t subtract_sample(const quad<uint8_t> &r, unsigned i, uint32_t sum)
{
    return prim::subtract_bytes(r.at[0], 1u << i, sum);
}
PRIM_DEVICE uint32_t subtract_sample(const quad<uint16_t> &r, unsigned i, uint32_t sum)
{
    return prim::subtract_half(r.at[i / 2], i % 2, sum);
}

/* The samples of `row` from `first` on, of which `count` are there; the others are 0. */
template <class Sample> PRIM_DEVICE quad<Sample> gather_quad(const Sample *row, int32_t first, int32_t count)
{
    constexpr unsigned PER = 4 / (unsigned)sizeof(Sample), BITS = 8 * (unsigned)sizeof(Sample);
    quad<Sample> r = {};
#pragma unroll
    for (unsigned i = 0; i < QUAD; i++)
        if ((int32_t)i < count) r.at[i / PER] |= (uint32_t)prim::load(row + first + i) << i % PER * BITS;
    return r;
}

/* Column sums of each group of rows, modulo 2^32: a thread has four columns of one group. */
template <class Sample> struct group_sums {
    static constexpr unsigned threads = tuning::BOX_WIDE_SUM_THREADS, AT_ONCE = 8, COLUMNS = threads * QUAD;
    static constexpr int min_blocks = 2048 / (int)threads;
    struct shared {
    };
    const Sample *in;
    uint32_t *sums;
    const int32_t *bounds; /* the first row of each group, and the end of the last */
    int64_t in_pitch, in_image_pitch, pitch;
    int32_t elements, groups;
    uint32_t chunks; /* blocks of a group */
    bool wide;       /* all rows are aligned to four samples */

    PRIM_DEVICE quad<Sample> load_quad(const Sample *row, int32_t first, int32_t count) const
    {
        if (wide && count >= (int32_t)QUAD) return prim::load(reinterpret_cast<const quad<Sample> *>(row + first));
        return gather_quad(row, first, count);
    }

    PRIM_DEVICE void operator()(shared &) const
    {
        const uint32_t row_of_sums = prim::block_id() / chunks;
        const int64_t image = row_of_sums / (uint32_t)groups;
        const int32_t group = (int32_t)(row_of_sums % (uint32_t)groups);
        const int32_t first = (int32_t)(prim::block_id() % chunks * COLUMNS + prim::thread_id() * QUAD);
        if (first >= elements) return;
        const int32_t count = elements - first;
        const int32_t begin = prim::load(bounds + group), end = prim::load(bounds + group + 1);
        const Sample *row = in + image * in_image_pitch + begin * in_pitch;
        prim::vec<uint32_t, QUAD> sum = {};
        for (int32_t y = begin; y < end; y += AT_ONCE, row += AT_ONCE * in_pitch) {
            quad<Sample> r[AT_ONCE];
            if (y + (int32_t)AT_ONCE <= end) {
#pragma unroll
                for (unsigned k = 0; k < AT_ONCE; k++) r[k] = load_quad(row + k * in_pitch, first, count);
            } else {
#pragma unroll
                for (unsigned k = 0; k < AT_ONCE; k++) {
                    r[k] = {};
                    if (y + (int32_t)k < end) r[k] = load_quad(row + k * in_pitch, first, count);
                }
            }
#pragma unroll
            for (unsigned k = 0; k < AT_ONCE; k++)
#pragma unroll
                for (unsigned i = 0; i < QUAD; i++) sum.at[i] = add_sample(r[k], i, sum.at[i]);
        }
        prim::store_vector<QUAD>(sums + row_of_sums * pitch + first, sum);
    }
};

/* Turns these into the sums of all rows above each group, in place: a warp has neighbouring groups of 32 columns, whose
 * sum it makes first, for the warps after it. */
struct scan_groups {
    static constexpr unsigned WARPS = tuning::BOX_WIDE_SCAN_WARPS, threads = WARPS * prim::WARP, AT_ONCE = 8;
    static constexpr int min_blocks = 2048 / (int)threads;
    struct shared {
        prim::array<uint32_t, WARPS * prim::WARP> totals;
    };
    uint32_t *sums;
    int64_t pitch;
    int32_t groups;
    uint32_t chunks; /* blocks of an image */

    /* run(p, sum) for each of `count` groups, of which AT_ONCE are loaded together. */
    template <class Run> PRIM_DEVICE void each_group(uint32_t *p, int32_t count, const Run &run) const
    {
        for (; count > 0; count -= AT_ONCE) {
            uint32_t *at = p, sum[AT_ONCE];
#pragma unroll
            for (unsigned k = 0; k < AT_ONCE; k++, p += pitch) sum[k] = (int32_t)k < count ? prim::load(p) : 0;
#pragma unroll
            for (unsigned k = 0; k < AT_ONCE; k++, at += pitch)
                if ((int32_t)k < count) run(at, sum[k]);
        }
    }

    PRIM_DEVICE void operator()(shared &s) const
    {
        const uint32_t column = prim::block_id() % chunks * prim::WARP + prim::lane_id();
        const int32_t share = (groups + (int32_t)WARPS - 1) / (int32_t)WARPS, from = (int32_t)prim::warp_id() * share;
        const int32_t end = column >= pitch ? from : from + share < groups ? from + share : groups;
        uint32_t *const own = sums + ((int64_t)(prim::block_id() / chunks) * groups + from) * pitch + column;
        uint32_t total = 0, before = 0;
        each_group(own, end - from, [&](uint32_t *, uint32_t sum) { total += sum; });
        s.totals.set(prim::thread_id(), total);
        prim::block_sync(); /* the totals of all warps are there */
        for (unsigned w = 0; w < prim::warp_id(); w++) before += s.totals.get(w * prim::WARP + prim::lane_id());
        each_group(own, end - from, [&](uint32_t *p, uint32_t sum) {
            prim::store(p, before);
            before += sum;
        });
    }
};

} // namespace box
#endif
