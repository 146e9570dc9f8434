/* waiting_tile.cuh - a tile of a row that a block holds while it waits for its prefix, in shared memory and in registers.
 *
 * A single-pass scan is limited by how much of the input a multiprocessor can hold at once: a tile is loaded, and then
 * waits, some microseconds, until every tile before it has been loaded and summed.  What it waits in costs nothing else, so
 * the larger part waits in shared memory, where asynchronous copies put it without passing through registers, and the
 * rest in the registers that are left over.
 *
 * A packet is 16 bytes of sums, and as many samples: P elements.  Warp w owns PACKETS * 32 neighbouring packets, and
 * lane l every 32nd of them, so that each access of a warp is one run of memory and no packet changes hands:
 *
 *                 warp 0                                     warp 1
 *     packet      0   1  ..  31 | 32  33  .. 63 | ...        ...
 *     lane        0   1  ..  31 |  0   1  .. 31 | ...
 *                 ---- k = 0 ---- ---- k = 1 ----            k < SHARED in shared memory, then REGISTERS of them
 *
 * Rows whose packets are not aligned, or whose elements do not follow one another, and the end of a row go element by
 * element.  Elements beyond the end count as 0. */
#ifndef WAITING_TILE_CUH
#define WAITING_TILE_CUH

#include "prim/warp_scan.cuh"
#include "scan.cuh"

template <class Sample, class Accum, unsigned THREADS, unsigned SHARED, unsigned REGISTERS> struct waiting_tile {
    using source = scan_source<Sample, Accum>;
    using sum = typename source::sum;
    static constexpr unsigned P = 16 / sizeof(sum);
    static constexpr unsigned PACKETS = SHARED + REGISTERS; /* of a lane */
    static constexpr unsigned ITEMS = PACKETS * P;          /* of a lane */
    static constexpr unsigned ELEMENTS = THREADS * ITEMS;   /* of the tile */
    static constexpr unsigned UNROLL = 8; /* packets on their way between shared memory and a lane: covers its latency */

    using packet = prim::vec<Sample, P>;
    struct shared {
        prim::array<packet, THREADS * (SHARED ? SHARED : 1)> waiting;
    };

    packet held[REGISTERS ? REGISTERS : 1];
    unsigned here; /* elements of the row that lie in this tile */

    /* The lane's packet k in the tile, and in shared memory. */
    PRIM_DEVICE static unsigned number(unsigned k)
    {
        return (prim::warp_id() * PACKETS + k) * prim::WARP + prim::lane_id();
    }
    PRIM_DEVICE static unsigned slot(unsigned k)
    {
        return (prim::warp_id() * SHARED + k) * prim::WARP + prim::lane_id();
    }

    PRIM_DEVICE packet gather(const source &from, const Sample *in, unsigned k) const
    {
        packet p;
#pragma unroll
        for (unsigned i = 0; i < P; i++) {
            const unsigned at = number(k) * P + i;
            p.at[i] = at < here ? prim::load(in + (int64_t)at * from.step) : Sample(0);
        }
        return p;
    }

    /* The first `count` elements from `in` on.  All loads are under way when it returns, none need be done. */
    PRIM_DEVICE void begin_load(shared &s, const source &from, const Sample *in, unsigned count)
    {
        here = count;
        if (here == ELEMENTS && from.step == 1 && (uintptr_t)in % sizeof(packet) == 0) {
            const packet *packets = (const packet *)in;
#pragma unroll
            for (unsigned k = 0; k < SHARED; k++) prim::fetch(s.waiting, slot(k), packets + number(k));
#pragma unroll
            for (unsigned k = 0; k < REGISTERS; k++) held[k] = prim::load(packets + number(SHARED + k));
        } else {
#pragma unroll UNROLL
            for (unsigned k = 0; k < SHARED; k++) s.waiting.set(slot(k), gather(from, in, k));
#pragma unroll
            for (unsigned k = 0; k < REGISTERS; k++) held[k] = gather(from, in, SHARED + k);
        }
    }

    /* WHOLE: all of the tile lies in the row, and nobody asks where its end is. */
    template <bool WHOLE> PRIM_DEVICE sum widen(const source &from, const packet &p, unsigned k, unsigned i) const
    {
        return WHOLE || number(k) * P + i < here ? from.widen(p.at[i]) : sum(0);
    }

    template <bool WHOLE> PRIM_DEVICE sum total_of(const source &from, const packet &p, unsigned k) const
    {
        sum all = widen<WHOLE>(from, p, k, 0);
#pragma unroll
        for (unsigned i = 1; i < P; i++) all += widen<WHOLE>(from, p, k, i);
        return all;
    }

    template <bool WHOLE> PRIM_DEVICE sum total_of_all(shared &s, const source &from) const
    {
        sum all = 0;
#pragma unroll UNROLL
        for (unsigned k = 0; k < SHARED; k++) all += total_of<WHOLE>(from, s.waiting.get(slot(k)), k);
#pragma unroll
        for (unsigned k = 0; k < REGISTERS; k++) all += total_of<WHOLE>(from, held[k], SHARED + k);
        return all;
    }

    /* The sum of the lane's packets; waits for its loads. */
    PRIM_DEVICE sum total(shared &s, const source &from) const
    {
        prim::fetch_wait();
        return here == ELEMENTS ? total_of_all<true>(s, from) : total_of_all<false>(s, from);
    }

    /* Scans the warp's packets k, which `before` comes before, writes their sums, and adds their total to `before`. */
    template <bool WHOLE>
    PRIM_DEVICE void store_packet(const source &from, const packet &p, unsigned k, sum *out, bool exclusive, sum &before) const
    {
        const sum upto = prim::warp_scan_inclusive(total_of<WHOLE>(from, p, k)), left = prim::shuffle_up(upto, 1);
        sum running = prim::lane_id() == 0 ? before : before + left;
        before += prim::shuffle(upto, prim::WARP - 1);
        prim::vec<sum, P> sums;
#pragma unroll
        for (unsigned i = 0; i < P; i++) {
            const sum with = running + widen<WHOLE>(from, p, k, i);
            sums.at[i] = exclusive ? running : with;
            running = with;
        }
        const unsigned at = number(k) * P;
        if (WHOLE) {
            prim::store((prim::vec<sum, P> *)(out + at), sums);
        } else {
#pragma unroll
            for (unsigned i = 0; i < P; i++)
                if (at + i < here) prim::store(out + at + i, sums.at[i]);
        }
    }

    template <bool WHOLE>
    PRIM_DEVICE void store_all(shared &s, const source &from, sum *out, bool exclusive, sum before) const
    {
#pragma unroll UNROLL
        for (unsigned k = 0; k < SHARED; k++) store_packet<WHOLE>(from, s.waiting.get(slot(k)), k, out, exclusive, before);
#pragma unroll
        for (unsigned k = 0; k < REGISTERS; k++) store_packet<WHOLE>(from, held[k], SHARED + k, out, exclusive, before);
    }

    /* Writes the sums of the tile from `out` on; `before` is the sum of everything before the warp's first element. */
    PRIM_DEVICE void store(shared &s, const source &from, sum *out, bool exclusive, sum before) const
    {
        if (here == ELEMENTS && (uintptr_t)out % sizeof(prim::vec<sum, P>) == 0)
            store_all<true>(s, from, out, exclusive, before);
        else
            store_all<false>(s, from, out, exclusive, before);
    }
};
#endif
