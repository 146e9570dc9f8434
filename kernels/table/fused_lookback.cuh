/* fused_lookback.cuh - decoupled look-back of tiles along rows and up columns (Merrill & Garland 2016), over a ring of
 * descriptors.
 *
 * A tile publishes a descriptor for each of its rows, to the tiles on its right, and one for each of its columns, to
 * the tiles below.  All descriptors of a large image would go through the second-level cache and out to memory, in the
 * way of samples and sums.  So a ring has slots for `capacity` rows of tiles only, and tile row y recycles the slots of
 * row y - capacity.  Small images have a slot for each tile, and nothing is recycled.
 *
 * A look-back stops at the first inclusive prefix.  So when a tile's right neighbour and the tile below have published
 * all their prefixes, no look-back needs the tile's own descriptors any more, and its slot can be recycled.
 *
 * Recycling is safe by these invariants; (y, x) is tile x of tile row y.
 *
 *  1. Owner.  Tile (y, x) owns slot y % capacity of tile column x in epoch launch * generations + y / capacity: slot()
 *     and epoch().  Each descriptor carries the epoch of its owner.  To a reader that expects another owner, an earlier
 *     one reads as INVALID and a later one of the launch as RECYCLED: tile_descriptors::status_of().
 *  2. Done.  A tile publishes its done descriptor when all its threads have finished both look-backs and published all
 *     that they publish: the block_sync() before publish_done() in fused::operator().
 *  3. Free.  Tile (y, x) publishes nothing before (y - capacity, x), (y - capacity, x + 1) and (y - capacity + 1, x)
 *     are done: each warp polls slot_free() before it publishes for its rows, and a block_sync() follows before
 *     anything is published for columns (fused::operator()).
 *  4. Restart.  A look-back may pass the aggregate of a neighbour, before the neighbour publishes its prefix, and
 *     poll a recycled slot.  It sees RECYCLED by (1), drops its partial sums and starts again at the nearest tile:
 *     lookback::resolve().  It ends when it sees the prefix that a neighbour stored before it was done (2).
 *  5. Reach.  A look-back up a column polls the slots of the capacity - 1 rows above only; the next one is its own:
 *     lookback::max_passed().
 *  6. Order of stores.  All accesses are relaxed, so that a done descriptor may be visible before the prefix that its
 *     tile has published.  That late store could overwrite the next owner's.  So a thread polls each descriptor that it
 *     is about to overwrite until it sees the previous owner's prefix, and then stores; accesses to one address are
 *     coherent: lookback::await_previous().  The wait ends, as all owners of a slot publish the same descriptors of
 *     rows and columns: is_batch() in fused::operator().  Thread 0, which stores done descriptors, has polled the
 *     same address in slot_free().
 *  7. Progress.  A tile waits only for tiles with lower tickets, which run already.  In (3), (y - capacity + 1, x) is
 *     one of them if the capacity is at least 2: MIN_CAPACITY in fused.cu. */
#ifndef FUSED_LOOKBACK_CUH
#define FUSED_LOOKBACK_CUH

#include <type_traits>

#include "prim/tile_descriptor.cuh"
#include "tuning.cuh"

namespace fuse
{

/* Float sums repeat bit for bit only if they are always added in the same order. */
template <class Sum> constexpr bool fixed_order = !std::is_integral_v<Sum>;

/* ---- the ring ------------------------------------------------------------------------------------------ */

struct descriptor_ring {
    uint32_t capacity, generations; /* rows of tiles with slots; epochs of a launch: owners that a slot has in turn */
    uint32_t tiles_x, tiles_y;      /* tiles of all images, one image below the other */
    uint64_t *done;                 /* a done descriptor for each slot: TILE_PREFIX and no value */

    PRIM_DEVICE uint32_t slot(uint32_t tile_y) const { return tile_y % capacity; }
    /* launch: that of the ticket. */
    PRIM_DEVICE uint32_t epoch(uint32_t launch, uint32_t tile_y) const
    {
        return launch * generations + tile_y / capacity;
    }
    PRIM_DEVICE bool recycles(uint32_t tile_y) const { return tile_y >= capacity; }

    /* The done descriptors of a row of tiles. */
    PRIM_DEVICE prim::tile_descriptors<uint32_t> done_row(uint32_t launch, uint32_t tile_y) const
    {
        return {done + (int64_t)slot(tile_y) * tiles_x, epoch(launch, tile_y), generations};
    }
    PRIM_DEVICE void publish_done(uint32_t launch, uint32_t tile_y, uint32_t tile_x) const
    {
        done_row(launch, tile_y).publish(tile_x, prim::TILE_PREFIX, 0);
    }
    /* Invariant 3.  Lanes 0, 1 and 2 poll the slot's previous owner, the tile below that and its right neighbour; the
     * slot is free when all lanes of a warp return true.  RECYCLED counts as done: the others may be done, and
     * their slots recycled, while a warp of this tile still polls: (y, x + 1) waits only for the warps of this tile
     * that have rows, and in a batch the tile below may be of the next image. */
    PRIM_DEVICE bool slot_free(uint32_t launch, uint32_t tile_y, uint32_t tile_x) const
    {
        const unsigned lane = prim::lane_id(), below = lane == 1, other = tile_x + (lane == 2);
        if (!recycles(tile_y) || lane > 2 || other >= tiles_x) return true;
        return done_row(launch, tile_y - capacity + below).poll(other).status != prim::TILE_INVALID;
    }
};

/* ---- partial sums -------------------------------------------------------------------------------------- */

/* The aggregates of the tiles that a thread has passed in N look-backs, before it came to a prefix.
 *
 * In a fixed order all aggregates are kept, and added from the farthest tile on.  So the prefix of a tile is always the
 * prefix of the tile before plus that tile's aggregate: the same bits, wherever the look-back stopped.  CAPACITY
 * aggregates can be kept; a look-back that has passed as many waits for a prefix.  Other sums: one partial sum. */
template <class Sum, unsigned N> struct passed_aggregates {
    static constexpr unsigned CAPACITY = fixed_order<Sum> ? tuning::fused_kept_aggregates(sizeof(Sum), N) : 1;
    Sum aggregate[CAPACITY][N];

    /* Adds the aggregates of one more tile than `passed`. */
    PRIM_DEVICE void push(uint32_t passed, const Sum (&aggregates)[N])
    {
#pragma unroll
        for (unsigned n = 0; n < N; n++)
            if constexpr (fixed_order<Sum>) {
#pragma unroll
                for (unsigned k = 0; k < CAPACITY; k++)
                    if (k == passed) aggregate[k][n] = aggregates[n];
            } else {
                aggregate[0][n] = passed == 0 ? aggregates[n] : aggregate[0][n] + aggregates[n];
            }
    }
    /* Adds the aggregates of all `passed` tiles to the inclusive prefix of the tile before them. */
    PRIM_DEVICE void add_to(Sum (&prefix)[N], uint32_t passed) const
    {
#pragma unroll
        for (unsigned k = CAPACITY; k-- > 0;)
#pragma unroll
            for (unsigned n = 0; n < N; n++)
                if (fixed_order<Sum> ? k < passed : passed > 0) prefix[n] += aggregate[k][n];
    }
};

/* ---- the look-back ------------------------------------------------------------------------------------- */

enum direction { LEFT, UP };

/* N look-backs of one thread, in step: all poll the same tile.  publish_aggregate() comes first, then resolve(). */
template <class Sum, unsigned N, direction DIRECTION, bool RECYCLES> struct lookback {
    using descriptors_of_sums = prim::tile_descriptors<Sum>;
    descriptors_of_sums descriptors; /* of this tile's epoch */
    int64_t index[N], stride;        /* of this tile's descriptors; from those of the tile before, in the same epoch */
    uint32_t tile, tiles;            /* number of this tile, of so many in its row or column of tiles */
    uint32_t slot, capacity;         /* of the ring */
    bool recycles;                   /* the slot had another owner in this launch */
    bool active[N];                  /* the others do nothing */
    Sum initial_value[N];            /* the exclusive prefix of tile 0 */

    /* For a tile of row `tile_y`, with descriptors in `words`; the caller sets index, active and initial_value. */
    PRIM_DEVICE static lookback for_tile(uint64_t *words, const descriptor_ring &ring, uint32_t launch, uint32_t tile_y,
                                         int64_t stride, uint32_t tile, uint32_t tiles)
    {
        return {.descriptors = {words, ring.epoch(launch, tile_y), ring.generations},
                .stride = stride,
                .tile = tile,
                .tiles = tiles,
                .slot = ring.slot(tile_y),
                .capacity = ring.capacity,
                .recycles = ring.recycles(tile_y)};
    }

    /* The descriptors of the tile `back` tiles before this one.  Upwards, the slots above slot 0 are the last ones of
     * the ring, in the epoch before. */
    static constexpr bool WRAPS = RECYCLES && DIRECTION == UP;
    PRIM_DEVICE bool wrapped(uint32_t back) const { return WRAPS && back > slot; }
    PRIM_DEVICE descriptors_of_sums descriptors_of(uint32_t back) const
    {
        return {descriptors.words, descriptors.epoch - wrapped(back), descriptors.generations};
    }
    PRIM_DEVICE int64_t index_of(unsigned n, uint32_t back) const
    {
        return index[n] + ((int64_t)(wrapped(back) ? capacity : 0) - back) * stride;
    }

    /* The last tile has no reader. */
    PRIM_DEVICE bool publishes() const { return tile + 1 < tiles; }

    /* Descriptors that are being loaded: the first use of one waits for it. */
    struct loads {
        typename descriptors_of_sums::packed descriptor[N];
    };

    /* Invariant 6: begins to load what the previous owner of the slot has published, and waits for its prefixes. */
    PRIM_DEVICE bool overwrites() const { return RECYCLES && recycles && publishes(); }
    PRIM_DEVICE descriptors_of_sums previous() const
    {
        return {descriptors.words, descriptors.epoch - 1, descriptors.generations};
    }
    PRIM_DEVICE loads load_previous() const
    {
        loads l;
#pragma unroll
        for (unsigned n = 0; n < N; n++) l.descriptor[n] = previous().load(index[n], active[n] && overwrites());
        return l;
    }
    PRIM_DEVICE void await_previous(loads l) const
    {
        while (overwrites()) {
            bool visible = true;
#pragma unroll
            for (unsigned n = 0; n < N; n++)
                visible = visible && (!active[n] || previous().decode(l.descriptor[n]).status == prim::TILE_PREFIX);
            if (visible) break;
            prim::nanosleep(tuning::BACKOFF_NS);
            l = load_previous();
        }
    }

    /* Publishes the tile's aggregates; those of tile 0 are inclusive prefixes. */
    PRIM_DEVICE void publish_aggregate(const Sum *aggregate, loads from_previous) const
    {
        if (!publishes()) return;
        await_previous(from_previous);
#pragma unroll
        for (unsigned n = 0; n < N; n++)
            if (active[n]) {
                if (tile == 0)
                    descriptors.publish(index[n], prim::TILE_PREFIX, initial_value[n] + aggregate[n]);
                else
                    descriptors.publish(index[n], prim::TILE_AGGREGATE, aggregate[n]);
            }
    }

    /* Tiles before this one that the thread needs to know.  If any of its look-backs is active, the first is. */
    PRIM_DEVICE uint32_t predecessors() const
    {
        return active[0] ? tile : 0;
    }

    /* Aggregates that a look-back may pass before it waits for a prefix: those that can be kept, and invariant 5. */
    PRIM_DEVICE uint32_t max_passed() const
    {
        const uint32_t kept = fixed_order<Sum> ? passed_aggregates<Sum, N>::CAPACITY : UINT32_MAX;
        return WRAPS && capacity - 2 < kept ? capacity - 2 : kept;
    }

    /* Begins to load the descriptors of tile `remaining` - 1, the nearest that is not added yet; none if `remaining` is
     * 0. */
    PRIM_DEVICE loads load(uint32_t remaining) const
    {
        const uint32_t back = tile - remaining + 1;
        loads l;
#pragma unroll
        for (unsigned n = 0; n < N; n++)
            l.descriptor[n] = descriptors_of(back).load(index_of(n, back), active[n] && remaining > 0);
        return l;
    }
    PRIM_DEVICE loads load() const
    {
        return load(predecessors());
    }

    /* The status that all active descriptors have in common, else INVALID: the others will follow soon. */
    PRIM_DEVICE uint32_t decode(const loads &l, uint32_t remaining, Sum (&values)[N]) const
    {
        const uint32_t back = tile - remaining + 1;
        bool aggregates = true, prefixes = true, recycled = false;
#pragma unroll
        for (unsigned n = 0; n < N; n++) {
            const auto d = descriptors_of(back).decode(l.descriptor[n]);
            values[n] = d.value;
            aggregates = aggregates && (!active[n] || d.status == prim::TILE_AGGREGATE);
            prefixes = prefixes && (!active[n] || d.status == prim::TILE_PREFIX);
            recycled = recycled || (active[n] && d.status == prim::TILE_RECYCLED);
        }
        return RECYCLES && recycled ? prim::TILE_RECYCLED
               : prefixes           ? prim::TILE_PREFIX
               : aggregates         ? prim::TILE_AGGREGATE
                                    : prim::TILE_INVALID;
    }

    /* Looks back, beginning with what load() has loaded.  Sets `prefix` to the exclusive prefixes of this tile, and
     * publishes its inclusive ones. */
    PRIM_DEVICE void resolve(const Sum *aggregate, loads loaded, Sum (&prefix)[N]) const
    {
        passed_aggregates<Sum, N> partial = {};
        const uint32_t most = max_passed();
        uint32_t remaining = predecessors();
#pragma unroll
        for (unsigned n = 0; n < N; n++) prefix[n] = tile == 0 ? initial_value[n] : Sum();
        while (remaining > 0) {
            Sum values[N];
            const uint32_t status = decode(loaded, remaining, values), passed = tile - remaining;
            if (status == prim::TILE_PREFIX) {
#pragma unroll
                for (unsigned n = 0; n < N; n++) prefix[n] = values[n];
                partial.add_to(prefix, passed);
                break;
            }
            if (status == prim::TILE_RECYCLED) {
                remaining = tile;
            } else if (status == prim::TILE_AGGREGATE && passed < most) {
                partial.push(passed, values);
                remaining--;
            } else {
                prim::nanosleep(tuning::BACKOFF_NS);
            }
            loaded = load(remaining);
        }
        if (tile == 0 || !publishes()) return;
#pragma unroll
        for (unsigned n = 0; n < N; n++)
            if (active[n]) descriptors.publish(index[n], prim::TILE_PREFIX, prefix[n] + aggregate[n]);
    }
};

} // namespace fuse
#endif
