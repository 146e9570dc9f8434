/* query.cu - rectangles asked of a table, by the million.
 *
 * Idea      Four reads at places that nobody can foresee, and hardly any arithmetic: all that counts is how many reads
 *           are on their way. A thread answers two rectangles at a time without a branch between their eight reads;
 *           nothing waits for another thread.
 * Paper     Crow, Summed-area tables for texture mapping, SIGGRAPH 1984.
 * Layout    Rectangles are 32 bytes, a warp loads 32 of them in two steps of 512 bytes, 16 to a lane: half a rectangle.
 *           Then neighbours swap, so that each has a whole one:
 *
 *               lane           0       1       2       3    ...
 *               first load   r0 x,y  r0 w,h  r1 x,y  r1 w,h
 *               second      r16 x,y r16 w,h r17 x,y r17 w,h
 *               swapped       r0     r16       r1    r17             an even lane gives its second, an odd its first
 *
 * Launch    256 threads, two rectangles each, at most 4096 blocks, which go on until no tile of 512 is left: so many
 *           slots for bad rectangles exist.
 * Traffic   For each rectangle 32 bytes of it, 8 for each sum and each mean, all in full sectors and past the caches as
 *           far as they let themselves be told; and four corners, each a sector of 32 bytes of which 4 or 8 are used
 *           (times the channels). Tables beyond the second-level cache: 168 bytes for a mean, if memory gives single
 *           sectors, 296 where it gives 64 bytes at least.
 * Sync      None between rectangles. At its end a block finds the lowest index among its bad rectangles, behind a
 *           barrier, and keeps it in its own slot, if the slot does not hold a lower one of an earlier run: no atomics,
 *           the same on every run. Its rectangle is copied, as the caller's memory is the caller's again afterwards.
 * Limits    64-bit indices and offsets; rectangles aligned to 8 bytes, in twice the loads where they are not to 16.
 * Steps     1. Load rectangles. 2. Judge them (rectangle.h): a bad one reads nothing. 3. Load all corners. 4. Answer.
 *           5. Keep the first bad one. */
#include <math.h>
#include <type_traits>

#include "prim/runtime.cuh"
#include "prim/vector.cuh"

/* rectangle.h in the device's terms. */
#define SAT_BOTH          PRIM_DEVICE
#define SAT_PRODUCT(a, b) prim::product(a, b)
#include "query.cuh"

namespace
{

constexpr uint64_t NONE = UINT64_MAX;

template <class Entry> PRIM_DEVICE sat_sum as_sum(Entry v)
{
    sat_sum sum;
    if constexpr (std::is_floating_point_v<Entry>)
        sum.f = v;
    else
        sum.u = v;
    return sum;
}

template <class Entry, unsigned CHANNELS, unsigned BLOCK, unsigned ITEMS, bool SWAP, bool HINT>
struct answer_rectangles {
    static constexpr unsigned threads = BLOCK, tile = BLOCK * ITEMS, WARPS = BLOCK / prim::WARP;
    struct shared {
        prim::array<uint64_t, WARPS> bad;
    };
    using half = prim::vec<int64_t, 2>; /* x and y, or width and height */
    sat_reader table;
    const sat_rect *rects;
    uint64_t n;
    bool vectors; /* rects are aligned to 16 bytes */
    sat_sum *sums;
    double *means;
    sat_bad_rects *bad;

    PRIM_DEVICE void operator()(shared &s) const
    {
        uint64_t lowest = NONE;
        for (uint64_t at = (uint64_t)prim::block_id() * tile; at < n; at += (uint64_t)prim::blocks() * tile) {
            const uint64_t found = answer_tile(at + prim::warp_id() * prim::WARP);
            lowest = found < lowest ? found : lowest;
        }
        keep_first(s, lowest);
    }

    PRIM_DEVICE half load_half(uint64_t i, unsigned part) const
    {
        const int64_t *p = &rects[i].x + 2 * part;
        if (i >= n) return {};
        if (!vectors) return {prim::load(p), prim::load(p + 1)};
        const half *v = reinterpret_cast<const half *>(p);
        return HINT ? prim::load_once(v) : prim::load(v);
    }

    /* Which of the warp's 32 rectangles is this lane's, once neighbours have swapped. */
    PRIM_DEVICE static unsigned mine()
    {
        const unsigned lane = prim::lane_id();
        return SWAP ? lane / 2 + lane % 2 * (prim::WARP / 2) : lane;
    }

    PRIM_DEVICE sat_rect load_rect(uint64_t of_warp) const
    {
        if (!SWAP) {
            const half a = load_half(of_warp + mine(), 0), b = load_half(of_warp + mine(), 1);
            return {a.at[0], a.at[1], b.at[0], b.at[1]};
        }
        const unsigned odd = prim::lane_id() % 2;
        const uint64_t i = of_warp + prim::lane_id() / 2;
        const half first = load_half(i, odd), second = load_half(i + prim::WARP / 2, odd);
        const half keep = odd ? second : first, give = odd ? first : second;
        const half got = {prim::shuffle_xor(give.at[0], 1), prim::shuffle_xor(give.at[1], 1)};
        const half place = odd ? got : keep, sides = odd ? keep : got;
        return {place.at[0], place.at[1], sides.at[0], sides.at[1]};
    }

    PRIM_DEVICE static void load_corner(Entry to[CHANNELS], const void *entry)
    {
#pragma unroll
        for (unsigned c = 0; c < CHANNELS; c++) to[c] = entry ? prim::load((const Entry *)entry + c) : Entry(0);
    }

    /* The lowest index of a bad one among this thread's. */
    PRIM_DEVICE uint64_t answer_tile(uint64_t of_warp) const
    {
        sat_rect rect[ITEMS];
        bool inside[ITEMS];
        Entry a[ITEMS][CHANNELS], b[ITEMS][CHANNELS], c[ITEMS][CHANNELS], d[ITEMS][CHANNELS];
        uint64_t lowest = NONE;
#pragma unroll
        for (unsigned k = 0; k < ITEMS; k++) rect[k] = load_rect(of_warp + k * BLOCK);
#pragma unroll
        for (unsigned k = 0; k < ITEMS; k++) {
            const uint64_t i = of_warp + k * BLOCK + mine();
            const sat_verdict verdict = sat_rect_judge(&table, &rect[k]);
            inside[k] = verdict == SAT_RECT_INSIDE;
            if (verdict >= SAT_RECT_EMPTY && i < n && i < lowest) lowest = i;
        }
#pragma unroll
        for (unsigned k = 0; k < ITEMS; k++) {
            const int64_t x0 = rect[k].x, y0 = rect[k].y, x1 = x0 + rect[k].width, y1 = y0 + rect[k].height;
            load_corner(a[k], inside[k] ? sat_entry(&table, x0, y0) : nullptr);
            load_corner(b[k], inside[k] ? sat_entry(&table, x1, y0) : nullptr);
            load_corner(c[k], inside[k] ? sat_entry(&table, x0, y1) : nullptr);
            load_corner(d[k], inside[k] ? sat_entry(&table, x1, y1) : nullptr);
        }
#pragma unroll
        for (unsigned k = 0; k < ITEMS; k++) {
            const uint64_t i = of_warp + k * BLOCK + mine();
            const double px = sat_rect_px(&rect[k]);
            if (i >= n) continue;
#pragma unroll
            for (unsigned ch = 0; ch < CHANNELS; ch++) {
                const sat_sum corners = as_sum(SAT_CORNERS(Entry, a[k][ch], b[k][ch], c[k][ch], d[k][ch]));
                if (sums) put(sums + i * CHANNELS + ch, inside[k] ? sat_rect_sum(&table, corners, px) : corners);
                if (means) put(means + i * CHANNELS + ch, inside[k] ? sat_rect_mean(&table, corners, px) : (double)NAN);
            }
        }
        return lowest;
    }

    template <class T> PRIM_DEVICE static void put(T *p, T v)
    {
        HINT ? prim::store_once(p, v) : prim::store(p, v);
    }

    PRIM_DEVICE void keep_first(shared &s, uint64_t lowest) const
    {
#pragma unroll
        for (unsigned d = prim::WARP / 2; d; d /= 2) {
            const uint64_t other = prim::shuffle_xor(lowest, d);
            lowest = other < lowest ? other : lowest;
        }
        if (prim::lane_id() == 0) s.bad.set(prim::warp_id(), lowest);
        prim::block_sync(); /* each warp's is there */
        if (prim::thread_id() != 0) return;
        for (unsigned w = 1; w < WARPS; w++) lowest = s.bad.get(w) < lowest ? s.bad.get(w) : lowest;
        sat_bad_rect *slot = &bad->of[prim::block_id()];
        if (lowest >= prim::load(&slot->index)) return;
        const int64_t *from = &rects[lowest].x;
        prim::store(&slot->index, lowest);
        for (unsigned i = 0; i < 4; i++) prim::store(&slot->rect.x + i, prim::load(from + i));
        prim::store_relaxed(&bad->none, 0);
    }
};

#ifdef SAT_SIMT
constexpr unsigned B = 64, MOST_BLOCKS = 3; /* several tiles for a block from 385 rectangles on */
#else
constexpr unsigned B = 256, MOST_BLOCKS = SAT_QUERY_BLOCKS;
#endif

template <class Entry, unsigned CHANNELS, unsigned BLOCK, unsigned ITEMS, bool SWAP, bool HINT>
sat_status queue_answers(const sat_reader *table, const sat_rect *rects, size_t n, sat_sum *sums, double *means,
                         sat_bad_rects *bad, void *stream)
{
    using kernel = answer_rectangles<Entry, CHANNELS, BLOCK, ITEMS, SWAP, HINT>;
    const uint64_t tiles = (n - 1) / kernel::tile + 1;
    const bool vectors = (uintptr_t)rects % prim::VECTOR_BYTES == 0;
    return prim::launch(kernel{*table, rects, n, vectors, sums, means, bad},
                        (int64_t)(tiles < MOST_BLOCKS ? tiles : MOST_BLOCKS), stream);
}

template <class Entry, class... Args> sat_status with_channels(int channels, Args... args)
{
    switch (channels) {
    case 1: return queue_answers<Entry, 1, B, 2, true, true>(args...);
    case 2: return queue_answers<Entry, 2, B, 2, true, true>(args...);
    case 3: return queue_answers<Entry, 3, B, 2, true, true>(args...);
    default: return queue_answers<Entry, 4, B, 2, true, true>(args...);
    }
}

} // namespace

sat_status query_rectangles(const sat_reader *table, int channels, const sat_rect *rects, size_t n, sat_sum *sums,
                            double *means, sat_bad_rects *bad, void *stream)
{
    switch (table->type) {
    case SAT_U32:
    case SAT_Q32: return with_channels<uint32_t>(channels, table, rects, n, sums, means, bad, stream);
    case SAT_F32: return with_channels<float>(channels, table, rects, n, sums, means, bad, stream);
    case SAT_F64: return with_channels<double>(channels, table, rects, n, sums, means, bad, stream);
    default: return with_channels<uint64_t>(channels, table, rects, n, sums, means, bad, stream);
    }
}
