/* striped_tile.cuh - a tile of a row that a block holds in shared memory and registers until its prefix is known.
 *
 * A single-pass scan is limited by how much of the input a multiprocessor can hold at once: a tile is loaded, and held
 * for some microseconds, until every tile before it has been loaded and summed.  The larger part is held in shared
 * memory, where asynchronous copies store it without passing through registers.  The rest is held in the registers that
 * are left.
 *
 * A vector is 16 bytes of sums, and as many samples.  The arrangement is striped: warp w owns VECTORS * 32
 * neighbouring vectors, and lane l every 32nd of them, so that each access of a warp is contiguous and no vector
 * changes lanes:
 *
 *                 warp 0                                     warp 1
 *     vector      0   1  ..  31 | 32  33  .. 63 | ...        ...
 *     lane        0   1  ..  31 |  0   1  .. 31 | ...
 *                 ---- k = 0 ---- ---- k = 1 ----            k < SHARED in shared memory, then REGISTERS of them
 *
 * It costs a warp scan for each k, but only after the look-back: the tile's aggregate needs no scan.  Rows that are not
 * aligned to vectors, or whose elements are not contiguous, and the end of a row go element by element.  Elements
 * beyond the end count as 0. */
#ifndef STRIPED_TILE_CUH
#define STRIPED_TILE_CUH

#include <type_traits>

#include "prim/warp_scan.cuh"
#include "scan.cuh"

namespace single_pass
{

/* Work and Shape: lookback.cuh.  All threads of the block call load(), total() and store(), in this order. */
template <class Work, class Shape> struct striped_tile {
    using sample = typename Work::sample;
    using sum = typename Work::sum;
    static constexpr unsigned SHARED = Shape::shared_vectors, REGISTERS = Shape::register_vectors;
    static constexpr unsigned VECTOR_ELEMENTS = 16 / sizeof(sum), VECTORS = SHARED + REGISTERS;

    /* Vectors that are loaded from shared memory together: four cover its latency, and more cost registers. */
    static constexpr unsigned VECTORS_AT_ONCE = SHARED % 4 == 0 ? 4 : 1;

    /* Samples that are wider than their sums are held as sums. */
    static constexpr bool WIDE = sizeof(sample) > sizeof(sum);
    using vector = prim::vec<std::conditional_t<WIDE, sum, sample>, VECTOR_ELEMENTS>;

    /* Aligned to cache lines: a line that crossed two passes over the banks would be loaded from L2 twice. */
    struct alignas(128) storage {
        prim::array<vector, Shape::block_threads * SHARED> vectors;
    };

    vector registers[REGISTERS + 1]; /* one more, since an array of none is not possible */
    unsigned here;                   /* elements of the row that lie in this tile */

    /* The index of the lane's vector k in the tile, and in shared memory. */
    PRIM_DEVICE static unsigned number(unsigned k)
    {
        return (prim::warp_id() * VECTORS + k) * prim::WARP + prim::lane_id();
    }
    PRIM_DEVICE static unsigned index_of(unsigned k)
    {
        return (prim::warp_id() * SHARED + k) * prim::WARP + prim::lane_id();
    }

    /* Does all of the lane's vector k lie in the row? */
    PRIM_DEVICE bool inside(unsigned k) const { return number(k) * VECTOR_ELEMENTS + VECTOR_ELEMENTS <= here; }

    PRIM_DEVICE vector gather(const Work &w, const sample *in, unsigned k) const
    {
        vector p;
#pragma unroll
        for (unsigned i = 0; i < VECTOR_ELEMENTS; i++) {
            const unsigned at = number(k) * VECTOR_ELEMENTS + i;
            if constexpr (WIDE)
                p.at[i] = at < here ? w.source.at(in, at) : sum();
            else
                p.at[i] = at < here ? prim::load(in + (int64_t)at * w.source.step) : sample();
        }
        return p;
    }

    /* Begins to load elements from .. from + remaining of the row. */
    PRIM_DEVICE void load(const Work &w, storage &r, const sample *row, int64_t from, int64_t remaining)
    {
        const sample *in = row + from * w.source.step;
        here = remaining < Shape::elements ? (unsigned)remaining : Shape::elements;
        const bool aligned = !WIDE && w.source.step == 1 && (uintptr_t)in % sizeof(vector) == 0;
        const vector *vectors = (const vector *)in;
        if (aligned && here == Shape::elements) {
#pragma unroll
            for (unsigned k = 0; k < SHARED; k++) prim::copy_async(r.vectors, index_of(k), vectors + number(k));
#pragma unroll
            for (unsigned k = SHARED; k < VECTORS; k++) registers[k - SHARED] = prim::load(vectors + number(k));
            return;
        }
#pragma unroll 1
        for (unsigned k = 0; k < SHARED; k++)
            if (aligned && inside(k))
                prim::copy_async(r.vectors, index_of(k), vectors + number(k));
            else
                r.vectors.set(index_of(k), gather(w, in, k));
#pragma unroll
        for (unsigned k = SHARED; k < VECTORS; k++)
            registers[k - SHARED] = aligned && inside(k) ? prim::load(vectors + number(k)) : gather(w, in, k);
    }

    /* Elements beyond the end were loaded as samples 0, whose sum in fixed point may not be 0. */
    PRIM_DEVICE sum widen(const Work &w, const vector &p, unsigned k, unsigned i) const
    {
        if constexpr (WIDE) return p.at[i];
        if (Work::fixed_point && number(k) * VECTOR_ELEMENTS + i >= here) return sum();
        return w.source.widen(p.at[i]);
    }

    PRIM_DEVICE sum total_of(const Work &w, const vector &p, unsigned k) const
    {
        sum all = widen(w, p, k, 0);
#pragma unroll
        for (unsigned i = 1; i < VECTOR_ELEMENTS; i++) all += widen(w, p, k, i);
        return all;
    }

    /* The sum of the lane's vectors; waits for their loads. */
    PRIM_DEVICE sum total(const Work &w, storage &r) const
    {
        prim::copy_async_wait();
        sum all = sum();
#pragma unroll VECTORS_AT_ONCE
        for (unsigned k = 0; k < SHARED; k++) all += total_of(w, r.vectors.get(index_of(k)), k);
#pragma unroll
        for (unsigned k = SHARED; k < VECTORS; k++) all += total_of(w, registers[k - SHARED], k);
        return all;
    }

    /* Scans the warp's vectors k from their exclusive prefix `before`, writes the sums, and adds their total to
     * `before`. WHOLE: all of them lie in the row, and are aligned there. */
    template <bool WHOLE>
    PRIM_DEVICE void store_vector(const Work &w, const vector &p, unsigned k, sum *out, bool aligned, sum &before) const
    {
        const sum own = total_of(w, p, k), inclusive = prim::warp_scan_inclusive(own);
        sum running = before + prim::warp_scan_exclusive(own, inclusive);
        before += prim::shuffle(inclusive, prim::WARP - 1);
        prim::vec<sum, VECTOR_ELEMENTS> sums;
#pragma unroll
        for (unsigned i = 0; i < VECTOR_ELEMENTS; i++) {
            const sum with = running + widen(w, p, k, i);
            sums.at[i] = w.exclusive ? running : with;
            running = with;
        }
        const unsigned at = number(k) * VECTOR_ELEMENTS;
        if (WHOLE || (aligned && inside(k))) {
            prim::vec<sum, VECTOR_ELEMENTS> *to = (prim::vec<sum, VECTOR_ELEMENTS> *)(out + at);
            if constexpr (sizeof(sample) < sizeof(sum)) /* most bytes are sums: they leave the cache first */
                prim::store_streaming(to, sums);
            else
                prim::store(to, sums);
        } else {
#pragma unroll
            for (unsigned i = 0; i < VECTOR_ELEMENTS; i++)
                if (at + i < here) prim::store(out + at + i, sums.at[i]);
        }
    }

    template <bool WHOLE>
    PRIM_DEVICE void store_all(const Work &w, storage &r, sum *out, bool aligned, sum before) const
    {
        constexpr unsigned AT_ONCE = WHOLE ? VECTORS_AT_ONCE : 1;
#pragma unroll 1
        for (unsigned k = 0; k < SHARED; k += AT_ONCE) {
            vector p[AT_ONCE];
#pragma unroll
            for (unsigned i = 0; i < AT_ONCE; i++) p[i] = r.vectors.get(index_of(k + i));
#pragma unroll
            for (unsigned i = 0; i < AT_ONCE; i++) store_vector<WHOLE>(w, p[i], k + i, out, aligned, before);
        }
#pragma unroll
        for (unsigned k = SHARED; k < VECTORS; k++)
            store_vector<WHOLE>(w, registers[k - SHARED], k, out, aligned, before);
    }

    /* Writes the sums of the tile; `before` is the exclusive prefix of the warp. */
    PRIM_DEVICE void store(const Work &w, storage &r, sum *row, int64_t from, sum before) const
    {
        sum *out = row + from;
        const bool aligned = (uintptr_t)out % sizeof(prim::vec<sum, VECTOR_ELEMENTS>) == 0;
        if (aligned && here == Shape::elements)
            store_all<true>(w, r, out, aligned, before);
        else
            store_all<false>(w, r, out, aligned, before);
    }

    /* Nothing to do before the prefix is known. */
    PRIM_DEVICE void scan(storage &) const {}
};

} // namespace single_pass
#endif
