/* lookback-aux - the single-pass scan in which one block does nothing but add: it turns the tiles' aggregates into
 * prefixes.
 *
 * Idea    No tile looks back.  A block publishes the aggregate of its tile and waits.  The auxiliary block, which has
 *         the first ticket, polls the aggregates of many tiles at once, scans them, and publishes each tile's
 *         exclusive prefix.
 *
 * Paper   Merrill & Garland, Single-pass parallel prefix scan with decoupled look-back, NVIDIA NVR-2016-002, 2016, for
 *         the single pass and the tickets.
 *
 * Layout  the auxiliary block with B threads, W = B / 32 warps; a slot holds a flagged descriptor:
 *
 *             window of B slots        warp 0: 32 slots   warp 1: 32 slots   ...   one thread for each slot
 *             aggregate is valid       1 1 1 1 .. 1       1 1 1 0 1 ..
 *             and all before it are    1 1 1 1 .. 1       1 1 1 0 0 ..
 *             prefix published         x x x x .. x       x x x x            (a prefix needs the aggregates before it)
 *
 *         Rounds over a window go on until all of it is published: later tiles may not run before earlier ones are
 *         done, so that a window must never wait for its end.
 *
 *         Why such a block can be slow: one thread that waits for a flag, loads the value, adds, orders its stores and
 *         sets the next flag makes some three round trips through the L2 cache for each tile, one after the other:
 *         1.5 us, in which a tile of 30 KiB moves 60; that is 40 GB/s at any bandwidth.  And if every thread of every
 *         waiting block polls, the polls queue up in front of the flags.  Here a round trip serves up to B tiles, and
 *         one thread polls for its block.
 *
 * Launch  A block for each tile and the auxiliary one, in the order of tickets, row after row.
 *
 * Traffic 1 read and 1 write for each element; 16 bytes (4-byte sums) or 24 in a slot for each tile.
 *
 * Sync    Flagged descriptors: a value, then its flag by release; a reader acquires the flag, then reads the value.
 *         Aggregate and prefix have a member each, so that no value is overwritten while it may be read.  Forward
 *         progress: tickets are drawn by running blocks, so that the auxiliary block runs before any other has a tile.
 *         Tiles wait for it only.  It waits for aggregates, which running blocks publish without waiting.  But it
 *         stays while they come and go: the device must hold two blocks at a time, as any with two multiprocessors
 *         does (least_resident is for the simulator, which would try one).
 *
 * Limits  Tags as in lookback.  2^31 - 2 tiles in all rows of a launch.  The order of additions follows from the
 *         shapes alone: window by window, in a window warp by warp, in a warp by the fixed tree of its scan, in which
 *         a lane depends on the lanes before it and not on whether later aggregates are valid.  So float sums repeat.
 *
 * Steps   Tile: 1. Load, sum, publish the aggregate.  2. Thread 0 waits for its prefix.  3. Barrier, scan, store.
 *         Auxiliary block, each round: 1. Poll the missing aggregates.  2. Segmented scan in each warp (a head flag
 *         where a row begins).  3. Barrier; fold the warps before.  4. Publish the prefixes that are known.  5.
 *         Barrier.
 */
#include "lab/lookback_aux.cuh"

namespace
{

/* A sum in a segmented scan: with the head flag, sums to the left do not count (Sengupta et al. 2007). */
template <class Sum> struct segment {
    Sum sum;
    uint32_t head;

    PRIM_DEVICE void append_to(segment left)
    {
        if (!head) sum = left.sum + sum;
        head |= left.head;
    }
};

template <class Sum> PRIM_DEVICE segment<Sum> scan_segments(segment<Sum> v)
{
#pragma unroll
    for (unsigned d = 1; d < prim::WARP; d *= 2) {
        segment<Sum> left = {prim::shuffle_up(v.sum, d), prim::shuffle_up(v.head, d)};
        if (prim::lane_id() >= d) v.append_to(left);
    }
    return v;
}

template <class Work, class Shape> struct lookback_aux {
    using sum = typename Work::sum;
    using slot = prim::flagged_descriptor<sum>;
    static constexpr unsigned threads = Shape::block_threads, more_blocks = 1, WARPS = threads / prim::WARP;
    static constexpr int min_blocks = Shape::min_blocks;
    enum : unsigned { least_resident = 2 }; /* for the simulator, which would run one block at a time */
    struct warp_aggregates {
        prim::array<sum, WARPS> sum_of;
        prim::array<uint32_t, WARPS> head, whole;
    };
    struct shared {
        prim::var<uint64_t> ticket;
        single_pass::block_storage<Work, Shape> block;
        warp_aggregates aggregates;
    };

    Work work;
    uint64_t *counter;
    slot *slots;

    PRIM_DEVICE void operator()(shared &s) const
    {
        prim::ticket ticket = {prim::block_id() + 1, 0}; /* rows of one tile need no order */
        if (work.tiles > 1) ticket = prim::draw_ticket(counter, s.ticket);
        if (ticket.number == 0) {
            publish_prefixes(s.aggregates, ticket.launch);
            return;
        }
        uint32_t at = ticket.number - 1, row = at / work.tiles, tile = at % work.tiles;
        single_pass::aux_prefix<sum> prefix_op = {
            .slot = slots + at, .epoch = ticket.launch, .begins_row = tile == 0, .initial_value = work.row_prefix(row)};
        single_pass::scan_tile<Work, Shape>(work, s.block, row, tile, prefix_op);
    }

    PRIM_DEVICE void publish_prefixes(warp_aggregates &aggregates, uint32_t epoch) const
    {
        const int64_t all = (int64_t)work.rows * work.tiles;
        sum carry = sum();
        for (int64_t window = 0; window < all; window += threads)
            carry = publish_window(aggregates, epoch, window, all, carry);
    }

    /* carry: the exclusive prefix of the window in its row; returns that of the next window. */
    PRIM_DEVICE sum publish_window(warp_aggregates &aggregates, uint32_t epoch, int64_t window, int64_t all,
                                   sum carry) const
    {
        const int64_t at = window + prim::thread_id();
        const bool begins_row = at < all && at % work.tiles == 0;
        const unsigned lane = prim::lane_id(), warp = prim::warp_id(), lanes_before = (1u << lane) - 1;
        bool valid = at >= all, published = valid || begins_row; /* the first tile of a row knows its prefix */
        sum mine = sum();

        for (;;) {
            if (!valid && prim::poll_flagged(&slots[at].aggregate_flag, prim::tile_tag(epoch, prim::TILE_AGGREGATE),
                                             &slots[at].aggregate, &mine)) {
                valid = true;
                if (begins_row) mine = work.row_prefix((uint32_t)(at / work.tiles)) + mine;
            }
            const unsigned valid_lanes = prim::ballot(valid);
            const segment<sum> inclusive = scan_segments<sum>({mine, begins_row});
            segment<sum> exclusive = {prim::shuffle_up(inclusive.sum, 1), prim::shuffle_up(inclusive.head, 1)};
            if (lane == 0) exclusive = {sum(), 0};
            if (lane == prim::WARP - 1) {
                aggregates.sum_of.set(warp, inclusive.sum);
                aggregates.head.set(warp, inclusive.head);
                aggregates.whole.set(warp, valid_lanes == prim::ALL_LANES);
            }
            prim::block_sync();

            segment<sum> left = {carry, 1}, next = left;
            bool left_whole = true, whole = true;
            for (unsigned i = 0; i < WARPS; i++) {
                if (i == warp) {
                    left = next;
                    left_whole = whole;
                }
                segment<sum> w = {aggregates.sum_of.get(i), aggregates.head.get(i)};
                w.append_to(next);
                next = w;
                whole = whole && aggregates.whole.get(i);
            }
            if (!published && left_whole && (valid_lanes & lanes_before) == lanes_before) {
                exclusive.append_to(left);
                prim::publish_flagged(&slots[at].prefix, exclusive.sum, &slots[at].prefix_flag,
                                      prim::tile_tag(epoch, prim::TILE_PREFIX));
                published = true;
            }
            prim::block_sync(); /* aggregates have been read */
            if (whole) return next.sum;
            prim::nanosleep(tuning::BACKOFF_NS);
        }
    }
};

const scan_algorithm algorithm = {.name = "lookback-aux",
                                  .workspace = single_pass::method<lookback_aux>::workspace,
                                  .queue = single_pass::method<lookback_aux>::queue,
                                  .describe = single_pass::method<lookback_aux>::describe};

sat_status open_table(const sat_plan_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes)
{
    return table_open(&algorithm, spec, arena, state, note, note_bytes);
}
sat_status open_array(const sat_scan_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes)
{
    return single_pass::open_array(&algorithm, spec, arena, state, note, note_bytes);
}

} // namespace

const sat_backend sat_backend_lookback_aux = {
    .name = "lookback-aux",
    .summary = "one-pass row scans, one block adding up the sums of all tiles; transposed for the columns",
    .paper = "Merrill & Garland, NVR-2016-002, 2016",
    .traffic = {1, 3, 4},
    .kind = SAT_METHOD,
    .device = true,
    .probe = device_probe,
    .open = open_table,
    .run = table_run,
};

const sat_scan_method sat_scan_lookback_aux = {
    .name = "lookback-aux",
    .summary = "one pass; one block adds up the sums of all tiles",
    .paper = "Merrill & Garland, NVR-2016-002, 2016",
    .traffic = {1, 0, 1},
    .kind = SAT_METHOD,
    .device = true,
    .probe = device_probe,
    .open = open_array,
    .run = array_run,
};
