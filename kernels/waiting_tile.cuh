/* waiting_tile.cuh - a tile of a row that a block holds while it waits for its prefix, in shared memory and in
 * registers.
 *
 * A single-pass scan is limited by how much of the input a multiprocessor can hold at once: a tile is loaded, and then
 * waits, some microseconds, until every tile before it has been loaded and summed.  What it waits in costs nothing
 * else, so the larger part waits in shared memory, where asynchronous copies put it without passing through registers,
 * and the rest in the registers that are left over.
 *
 * A packet is 16 bytes of sums, and as many samples: P elements.  Warp w owns PACKETS * 32 neighbouring packets, and
 * lane l every 32nd of them, so that each access of a warp is one run of memory and no packet changes hands:
 *
 *                 warp 0                                     warp 1
 *     packet      0   1  ..  31 | 32  33  .. 63 | ...        ...
 *     lane        0   1  ..  31 |  0   1  .. 31 | ...
 *                 ---- k = 0 ---- ---- k = 1 ----            k < SHARED in shared memory, then REGISTERS of them
 *
 * It costs a warp scan for each k, but only when everybody has waited: the tile's sum needs none.  Rows whose packets
 * are not aligned, or whose elements do not follow one another, and the end of a row go element by element.  Elements
 * beyond the end count as 0. */
#ifndef WAITING_TILE_CUH
#define WAITING_TILE_CUH

#include <type_traits>

#include "prim/warp_scan.cuh"
#include "scan.cuh"

namespace look
{

/* Work and Shape: lookback.cuh.  All threads of the block call load(), total() and store(), in this order. */
template <class Work, class Shape> struct waiting_tile {
    using sample = typename Work::sample;
    using sum = typename Work::sum;
    static constexpr unsigned SHARED = Shape::shared_packets, REGISTERS = Shape::register_packets;
    static constexpr unsigned P = 16 / sizeof(sum), PACKETS = SHARED + REGISTERS;

    /* Packets that travel from shared memory together: four cover its latency, and more cost registers. */
    static constexpr unsigned BATCH = SHARED % 4 == 0 ? 4 : 1;

    /* Samples that are wider than their sums wait as sums. */
    static constexpr bool WIDE = sizeof(sample) > sizeof(sum);
    using packet = prim::vec<std::conditional_t<WIDE, sum, sample>, P>;

    /* A warp's copy comes as lines of 128 bytes, and the banks of shared memory take 128 bytes at a time.  A line that
     * lay across two rows of them would be fetched twice from the second-level cache. */
    struct alignas(128) room {
        prim::array<packet, Shape::block_threads * SHARED> waiting;
    };

    packet held[REGISTERS + 1]; /* one too many, as none is not possible; it costs nothing */
    unsigned here;              /* elements of the row that lie in this tile */

    /* The lane's packet k in the tile, and in shared memory. */
    PRIM_DEVICE static unsigned number(unsigned k)
    {
        return (prim::warp_id() * PACKETS + k) * prim::WARP + prim::lane_id();
    }
    PRIM_DEVICE static unsigned slot(unsigned k)
    {
        return (prim::warp_id() * SHARED + k) * prim::WARP + prim::lane_id();
    }

    /* Does all of the lane's packet k lie in the row? */
    PRIM_DEVICE bool inside(unsigned k) const { return number(k) * P + P <= here; }

    PRIM_DEVICE packet gather(const Work &w, const sample *in, unsigned k) const
    {
        packet p;
#pragma unroll
        for (unsigned i = 0; i < P; i++) {
            const unsigned at = number(k) * P + i;
            if constexpr (WIDE)
                p.at[i] = at < here ? w.source.at(in, at) : sum();
            else
                p.at[i] = at < here ? prim::load(in + (int64_t)at * w.source.step) : sample();
        }
        return p;
    }

    /* Elements from .. from + left of the row.  All loads are under way when it returns, none need be done. */
    PRIM_DEVICE void load(const Work &w, room &r, const sample *row, int64_t from, int64_t left)
    {
        const sample *in = row + from * w.source.step;
        here = left < Shape::elements ? (unsigned)left : Shape::elements;
        const bool aligned = !WIDE && w.source.step == 1 && (uintptr_t)in % sizeof(packet) == 0;
        const packet *packets = (const packet *)in;
        if (aligned && here == Shape::elements) {
#pragma unroll
            for (unsigned k = 0; k < SHARED; k++) prim::fetch(r.waiting, slot(k), packets + number(k));
#pragma unroll
            for (unsigned k = SHARED; k < PACKETS; k++) held[k - SHARED] = prim::load(packets + number(k));
            return;
        }
#pragma unroll 1
        for (unsigned k = 0; k < SHARED; k++)
            if (aligned && inside(k))
                prim::fetch(r.waiting, slot(k), packets + number(k));
            else
                r.waiting.set(slot(k), gather(w, in, k));
#pragma unroll
        for (unsigned k = SHARED; k < PACKETS; k++)
            held[k - SHARED] = aligned && inside(k) ? prim::load(packets + number(k)) : gather(w, in, k);
    }

    /* What lies beyond the end was loaded as 0, which fixed point may not take for 0. */
    PRIM_DEVICE sum widen(const Work &w, const packet &p, unsigned k, unsigned i) const
    {
        if constexpr (WIDE) return p.at[i];
        if (Work::fixed_point && number(k) * P + i >= here) return sum();
        return w.source.widen(p.at[i]);
    }

    PRIM_DEVICE sum total_of(const Work &w, const packet &p, unsigned k) const
    {
        sum all = widen(w, p, k, 0);
#pragma unroll
        for (unsigned i = 1; i < P; i++) all += widen(w, p, k, i);
        return all;
    }

    /* The sum of the lane's packets; waits for its loads. */
    PRIM_DEVICE sum total(const Work &w, room &r) const
    {
        prim::fetch_wait();
        sum all = sum();
#pragma unroll BATCH
        for (unsigned k = 0; k < SHARED; k++) all += total_of(w, r.waiting.get(slot(k)), k);
#pragma unroll
        for (unsigned k = SHARED; k < PACKETS; k++) all += total_of(w, held[k - SHARED], k);
        return all;
    }

    /* Scans the warp's packets k, which `before` comes before, writes their sums, and adds their total to `before`.
     * WHOLE: all of them lie in the row, and are aligned there. */
    template <bool WHOLE>
    PRIM_DEVICE void store_packet(const Work &w, const packet &p, unsigned k, sum *out, bool aligned, sum &before) const
    {
        const sum own = total_of(w, p, k), upto = prim::warp_scan_inclusive(own);
        sum running;
        if constexpr (std::is_integral_v<sum>) {
            running = before + (upto - own);
        } else { /* a sum less a part of it is not the sum of the rest */
            const sum left = prim::shuffle_up(upto, 1);
            running = prim::lane_id() == 0 ? before : before + left;
        }
        before += prim::shuffle(upto, prim::WARP - 1);
        prim::vec<sum, P> sums;
#pragma unroll
        for (unsigned i = 0; i < P; i++) {
            const sum with = running + widen(w, p, k, i);
            sums.at[i] = w.exclusive ? running : with;
            running = with;
        }
        const unsigned at = number(k) * P;
        if (WHOLE || (aligned && inside(k))) {
            prim::vec<sum, P> *to = (prim::vec<sum, P> *)(out + at);
            if constexpr (sizeof(sample) < sizeof(sum)) /* most of what moves is sums: they leave the cache first */
                prim::store_once(to, sums);
            else
                prim::store(to, sums);
        } else {
#pragma unroll
            for (unsigned i = 0; i < P; i++)
                if (at + i < here) prim::store(out + at + i, sums.at[i]);
        }
    }

    template <bool WHOLE> PRIM_DEVICE void store_all(const Work &w, room &r, sum *out, bool aligned, sum before) const
    {
        constexpr unsigned N = WHOLE ? BATCH : 1;
#pragma unroll 1
        for (unsigned k = 0; k < SHARED; k += N) {
            packet p[N];
#pragma unroll
            for (unsigned i = 0; i < N; i++) p[i] = r.waiting.get(slot(k + i));
#pragma unroll
            for (unsigned i = 0; i < N; i++) store_packet<WHOLE>(w, p[i], k + i, out, aligned, before);
        }
#pragma unroll
        for (unsigned k = SHARED; k < PACKETS; k++) store_packet<WHOLE>(w, held[k - SHARED], k, out, aligned, before);
    }

    /* Writes the sums of the tile; `before` is the sum of everything before the warp's first element. */
    PRIM_DEVICE void store(const Work &w, room &r, sum *row, int64_t from, sum before) const
    {
        sum *out = row + from;
        const bool aligned = (uintptr_t)out % sizeof(prim::vec<sum, P>) == 0;
        if (aligned && here == Shape::elements)
            store_all<true>(w, r, out, aligned, before);
        else
            store_all<false>(w, r, out, aligned, before);
    }

    /* Nothing to prepare while the block waits. */
    PRIM_DEVICE void scan(room &) const {}
};

} // namespace look
#endif
