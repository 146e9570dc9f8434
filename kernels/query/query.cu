/* query.cu - sums and means of rectangles of a table, by the million.
 *
 * Idea    Four reads at random addresses, and hardly any arithmetic: only the number of reads in flight counts.  A
 *         thread for each rectangle, all its reads before the first use, and as many threads as fit: more reads than
 *         memory can serve.  So several rectangles for a thread, halves of rectangles exchanged between lanes, and
 *         hints to the caches gain nothing (docs/queries.md).
 *
 * Paper   Crow, Summed-area tables for texture mapping, SIGGRAPH 1984.
 *
 * Layout  Rectangles lie one behind the other, 32 bytes each, a sector of memory.  So do their sums, and their means,
 *         channel by channel, 8 bytes each.  The corners of one lie anywhere:
 *
 *             rects   | x y w h | x y w h | x y w h |        table   ..A....B..
 *                       thread 0  thread 1  thread 2                 ..........
 *             means   | m | m | m |                                  ..C....D..        sum = D - B - C + A
 *
 * Launch  A block for 256 rectangles, at most 4096 blocks, which go on in strides of all of them: each block stores
 *         one invalid rectangle.
 *
 * Traffic For each rectangle 32 bytes, 8 for each sum and mean, and four corners: four sectors of 32 bytes, of which 4
 *         or 8 are used, times the channels.  For a mean that is 168 bytes from a table in the second-level cache, and
 *         up to 296 from a larger one, as memory reads 64 bytes at least.  At random addresses the number of accesses
 *         is the limit, before the bytes.
 *
 * Sync    None between rectangles.  At its end a block finds the lowest index among its invalid ones, behind a
 *         barrier.  It stores that in an entry of its own, if the entry does not hold a lower one of an earlier run:
 *         no atomics.  The rectangle is copied, as its memory is the caller's again after the run.
 *
 * Limits  64-bit indices and offsets.  Rectangles aligned to 16 bytes are read in two loads, to 8 in four.
 *
 * Steps   1. Load the rectangle.  2. Validate it (rectangle.h): an invalid one reads nothing.  3. Load all corners.
 *         4. Store sum and mean.  5. At the end: store the first invalid one.
 */
#include <math.h>
#include <type_traits>

#include "query/query_rects.cuh"

#include "query/query.cuh"

namespace
{

using query::BLOCK;

template <class Entry, unsigned CHANNELS> struct answer_rectangles {
    static constexpr unsigned threads = BLOCK;
    using shared = query::first_invalid;
    sat_reader table;
    const sat_rect *rects;
    uint64_t n;
    bool vectors; /* rects are aligned to 16 bytes */
    sat_sum *sums;
    double *means;
    sat_bad_rects *bad;

    PRIM_DEVICE void operator()(shared &s) const
    {
        const uint64_t first = (uint64_t)prim::block_id() * BLOCK + prim::thread_id();
        const uint64_t stride = (uint64_t)prim::blocks() * BLOCK;
        uint64_t lowest = query::NONE;
        for (uint64_t i = first; i < n * (uint64_t)table.count; i += stride)
            if (query_one(i) >= SAT_RECT_EMPTY && lowest == query::NONE) lowest = i;
        s.store(lowest, rects, n, bad);
    }

    PRIM_DEVICE sat_rect_status query_one(uint64_t i) const
    {
        const uint64_t image = table.count > 1 ? i / n : 0, r = i - image * n;
        sat_rect rect = query::load_rect(&rects[r], vectors);
        const sat_rect_status status = sat_rect_validate(&table, &rect);
        const bool inside = status == SAT_RECT_INSIDE;
        if (!inside) rect = {}; /* the corners of an invalid one may overflow */
        const int64_t x1 = rect.x + rect.width, y1 = rect.y + rect.height;
        Entry a[CHANNELS], b[CHANNELS], c[CHANNELS], d[CHANNELS];
        load_corner(a, inside ? sat_entry(&table, image, rect.x, rect.y) : nullptr);
        load_corner(b, inside ? sat_entry(&table, image, x1, rect.y) : nullptr);
        load_corner(c, inside ? sat_entry(&table, image, rect.x, y1) : nullptr);
        load_corner(d, inside ? sat_entry(&table, image, x1, y1) : nullptr);
        const double px = sat_rect_px(&rect);
#pragma unroll
        for (unsigned k = 0; k < CHANNELS; k++) {
            const sat_sum corners = as_sum(SAT_CORNERS(Entry, a[k], b[k], c[k], d[k]));
            const uint64_t to = i * CHANNELS + k;
            if (sums) prim::store(sums + to, inside ? sat_rect_sum(&table, corners, px) : corners);
            if (means) prim::store(means + to, inside ? sat_rect_mean(&table, corners, px) : (double)NAN);
        }
        return status;
    }

    PRIM_DEVICE static void load_corner(Entry to[CHANNELS], const void *entry)
    {
#pragma unroll
        for (unsigned k = 0; k < CHANNELS; k++) to[k] = entry ? prim::load((const Entry *)entry + k) : Entry(0);
    }

    PRIM_DEVICE static sat_sum as_sum(Entry v)
    {
        sat_sum sum;
        if constexpr (std::is_floating_point_v<Entry>)
            sum.f = v;
        else
            sum.u = v;
        return sum;
    }
};

/* A query's arguments but its types. */
struct arguments {
    const sat_reader *table;
    const sat_rect *rects;
    size_t n;
    sat_sum *sums;
    double *means;
    sat_bad_rects *bad;
    void *stream;
};

template <class Entry, unsigned CHANNELS> sat_status queue(const arguments &q)
{
    const bool vectors = (uintptr_t)q.rects % prim::VECTOR_BYTES == 0;
    return prim::launch(answer_rectangles<Entry, CHANNELS>{*q.table, q.rects, q.n, vectors, q.sums, q.means, q.bad},
                        query::blocks_of(q.n, q.table->count), q.stream);
}

template <class Entry> sat_status with_channels(int channels, const arguments &q)
{
    switch (channels) {
    case 1: return queue<Entry, 1>(q);
    case 2: return queue<Entry, 2>(q);
    case 3: return queue<Entry, 3>(q);
    default: return queue<Entry, 4>(q);
    }
}

} // namespace

sat_status query_rectangles(const sat_reader *table, int channels, const sat_rect *rects, size_t n, sat_sum *sums,
                            double *means, sat_bad_rects *bad, void *stream)
{
    const arguments q = {table, rects, n, sums, means, bad, stream};
    switch (table->type) {
    case SAT_U32:
    case SAT_I32:
    case SAT_Q32: return with_channels<uint32_t>(channels, q);
    case SAT_F32: return with_channels<float>(channels, q);
    case SAT_F64: return with_channels<double>(channels, q);
    default: return with_channels<uint64_t>(channels, q);
    }
}
