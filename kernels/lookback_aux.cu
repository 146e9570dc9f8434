/* lookback-aux - the single-pass scan in which one block does nothing but add: it turns the tiles' sums into prefixes.
 *
 * Idea    Nobody looks back.  A block tells the sum of its tile and waits; the auxiliary block, which holds the first
 *         ticket, reads the sums of many tiles at once, scans them, and tells each tile what lies before it.
 *
 * Paper   Merrill & Garland, Single-pass parallel prefix scan with decoupled look-back, NVIDIA NVR-2016-002, 2016, for
 * the one pass and the tickets.
 *
 * Layout  the auxiliary block with B threads, W = B / 32 warps; a slot holds {has_sum, has_prefix, sum, prefix}:
 *
 *             window of B slots        warp 0: 32 slots   warp 1: 32 slots   ...   one thread for each slot
 *             sum is there             1 1 1 1 .. 1       1 1 1 0 1 ..
 *             in order, so usable      1 1 1 1 .. 1       1 1 1 0 0 ..
 *             prefix told              x x x x .. x       x x x x            (what lies before needs those before only)
 *
 *         Rounds over a window go on until all of it is told: later tiles may not run before earlier ones are done, so
 *         a window must never wait for its end.
 *
 *         Why such a block can be slow: one thread that waits for a flag, fetches the value, adds, orders its writes
 *         and sets the next flag makes some three round trips through the L2 cache for each tile, one after the other:
 *         1.5 us, in which a tile of 30 KiB moves 60; that is 40 GB/s, whatever the memory can do.  And if every thread
 *         of every waiting block polls, the polls queue up before the words that all wait for.  Here a round trip
 *         serves up to B tiles, and one thread polls for its block.
 *
 * Launch  A block for each tile and the auxiliary one, in the order of tickets, row after row.
 *
 * Traffic 1 read and 1 write for each element; 16 bytes (4-byte sums) or 24 in a slot for each tile.
 *
 * Sync    Split states: a value, then its flag by release; a reader acquires the flag, then reads the value.  Sum and
 *         prefix have a place each, so nothing is overwritten while it may be read.  Forward progress: tickets are
 *         drawn by running blocks, so the auxiliary block runs before any other has a tile; tiles wait for it only,
 *         and it waits for sums that running blocks tell without waiting.  But it stays while they come and go: the
 *         device must hold two blocks at a time, as any with two multiprocessors does (the simulator, which would try
 *         one, is told by least_resident).
 *
 * Limits  Tags as in lookback.  2^31 - 2 tiles in all rows of a launch.  The order of additions follows from the shapes
 *         alone: window by window, in a window warp by warp, in a warp by the fixed tree of its scan, in which a lane
 *         depends on those before it and not on whether later ones are there.  So float sums repeat.
 *
 * Steps   Tile: 1 load, sum, tell.  2 Thread 0 waits for its prefix.  3 Barrier, scan, store.
 *         Auxiliary block, each round: 1 ask for what is missing.  2 Segmented scan of each warp's sums (rows begin
 *         anew).  3 Barrier; fold the warps before.  4 Tell the prefixes that are known.  5 Barrier.
 */
#include "lookback.cuh"

namespace
{

constexpr unsigned NAP_NS = 20; /* between two looks at something that is not there yet */

/* A sum that may begin anew: with `anew`, what lies to the left does not count. */
template <class Sum> struct segment {
    Sum sum;
    uint32_t anew;

    PRIM_DEVICE void after(segment left)
    {
        if (!anew) sum = left.sum + sum;
        anew |= left.anew;
    }
};

template <class Sum> PRIM_DEVICE segment<Sum> scan_segments(segment<Sum> v)
{
#pragma unroll
    for (unsigned d = 1; d < prim::WARP; d *= 2) {
        segment<Sum> left = {prim::shuffle_up(v.sum, d), prim::shuffle_up(v.anew, d)};
        if (prim::lane_id() >= d) v.after(left);
    }
    return v;
}

template <class Sum> struct block_waits {
    prim::split_state<Sum> *slot;
    uint32_t epoch;
    bool begins_row;
    Sum first;

    PRIM_DEVICE void begin(Sum total) const
    {
        if (prim::lane_id() == 0)
            prim::tell_by_flag(&slot->sum, total, &slot->has_sum, prim::tile_tag(epoch, prim::TILE_SUM));
    }
    PRIM_DEVICE Sum finish(Sum) const
    {
        Sum before = first;
        if (begins_row || prim::lane_id() > 0) return before;
        while (!prim::ask_flag(&slot->has_prefix, prim::tile_tag(epoch, prim::TILE_PREFIX), &slot->prefix, &before))
            prim::nap(NAP_NS);
        return before;
    }
};

template <class Work, class Shape> struct lookback_aux {
    using sum = typename Work::sum;
    using slot = prim::split_state<sum>;
    static constexpr unsigned threads = Shape::block_threads, more_blocks = 1, WARPS = threads / prim::WARP;
    static constexpr int min_blocks = Shape::min_blocks;
    enum : unsigned { least_resident = 2 }; /* for the simulator, which would run one block at a time */
    struct warp_news {
        prim::array<sum, WARPS> sum_of;
        prim::array<uint32_t, WARPS> anew, whole;
    };
    struct shared {
        prim::var<uint64_t> ticket;
        look::block_room<Work, Shape> block;
        warp_news news;
    };

    Work work;
    uint64_t *counter;
    slot *slots;

    PRIM_DEVICE void operator()(shared &s) const
    {
        prim::ticket mine = {prim::block_id() + 1, 0}; /* a tile that is alone in its row asks nobody */
        if (work.tiles > 1) mine = prim::draw_ticket(counter, s.ticket);
        if (mine.number == 0) {
            tell_prefixes(s.news, mine.epoch);
            return;
        }
        uint32_t at = mine.number - 1, row = at / work.tiles, tile = at % work.tiles;
        block_waits<sum> exchange = {
            .slot = slots + at, .epoch = mine.epoch, .begins_row = tile == 0, .first = work.before_row(row)};
        look::scan_tile<Work, Shape>(work, s.block, row, tile, exchange);
    }

    PRIM_DEVICE void tell_prefixes(warp_news &news, uint32_t epoch) const
    {
        const int64_t all = (int64_t)work.rows * work.tiles;
        sum carry = sum();
        for (int64_t window = 0; window < all; window += threads) carry = tell_window(news, epoch, window, all, carry);
    }

    /* carry: what lies before the window in its row; returns what lies before the next one. */
    PRIM_DEVICE sum tell_window(warp_news &news, uint32_t epoch, int64_t window, int64_t all, sum carry) const
    {
        const int64_t at = window + prim::thread_id();
        const bool begins_row = at < all && at % work.tiles == 0;
        const unsigned lane = prim::lane_id(), warp = prim::warp_id(), lanes_before = (1u << lane) - 1;
        bool here = at >= all, told = here || begins_row; /* who begins a row knows what lies before it */
        sum mine = sum();

        for (;;) {
            if (!here &&
                prim::ask_flag(&slots[at].has_sum, prim::tile_tag(epoch, prim::TILE_SUM), &slots[at].sum, &mine)) {
                here = true;
                if (begins_row) mine = work.before_row((uint32_t)(at / work.tiles)) + mine;
            }
            const unsigned there = prim::ballot(here);
            const segment<sum> upto = scan_segments<sum>({mine, begins_row});
            segment<sum> before = {prim::shuffle_up(upto.sum, 1), prim::shuffle_up(upto.anew, 1)};
            if (lane == 0) before = {sum(), 0};
            if (lane == prim::WARP - 1) {
                news.sum_of.set(warp, upto.sum);
                news.anew.set(warp, upto.anew);
                news.whole.set(warp, there == prim::ALL_LANES);
            }
            prim::block_sync();

            segment<sum> left = {carry, 1}, next = left;
            bool left_whole = true, whole = true;
            for (unsigned i = 0; i < WARPS; i++) {
                if (i == warp) {
                    left = next;
                    left_whole = whole;
                }
                segment<sum> w = {news.sum_of.get(i), news.anew.get(i)};
                w.after(next);
                next = w;
                whole = whole && news.whole.get(i);
            }
            if (!told && left_whole && (there & lanes_before) == lanes_before) {
                before.after(left);
                prim::tell_by_flag(&slots[at].prefix, before.sum, &slots[at].has_prefix,
                                   prim::tile_tag(epoch, prim::TILE_PREFIX));
                told = true;
            }
            prim::block_sync(); /* the news have been read */
            if (whole) return next.sum;
            prim::nap(NAP_NS);
        }
    }
};

const scan_algorithm algorithm = {.name = "lookback-aux",
                                  .workspace = look::method<lookback_aux>::workspace,
                                  .queue = look::method<lookback_aux>::queue,
                                  .describe = look::method<lookback_aux>::describe};

sat_status open_table(const sat_plan_spec *spec, void **state, char *note, size_t note_bytes)
{
    return table_open(&algorithm, spec, state, note, note_bytes);
}
sat_status open_array(const sat_scan_spec *spec, void **state, char *note, size_t note_bytes)
{
    return look::open_array(&algorithm, spec, state, note, note_bytes);
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
    .close = table_close,
    .wait = table_wait,
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
    .close = array_close,
};
