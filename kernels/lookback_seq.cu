/* lookback-seq - the single-pass scan whose blocks look back with one thread, one tile at a time.
 *
 * Idea    As lookback, without its windows: one thread reads the state of the tile before, and if that has only its own
 *         sum, adds it and goes on to the one before that, until it meets a prefix.
 *
 * Paper   Merrill & Garland, Single-pass parallel prefix scan with decoupled look-back, NVIDIA NVR-2016-002, 2016, 4.1.
 *
 * Layout  states of one row, while tile 9 looks back (S: sum told, P: prefix told):
 *
 *             tile      0   1   2   3   4   5   6   7   8   9
 *             state     P   P   P   P   P   S   S   S   S   S
 *                                       5 <-4 <-3 <-2 <-1          five round trips through the L2 cache
 *
 * Launch  As lookback.
 *
 * Traffic 1 read and 1 write for each element; 8 bytes (4-byte sums) or 16 of state for each tile, written twice.
 *
 * Sync    As lookback: packed states by relaxed accesses.  The listing that this rung goes back to kept flag and values
 *         apart, without an order between them, and so could add a value that was not there yet; and it got what lies
 *         before a tile by subtracting the tile's sum from its prefix, which cancels digits of floats and turns
 *         infinities into NaN.  Here the sum before the tile is what the thread has added up, and is handed on as such.
 *
 * Limits  As lookback.  Why it is slower: at r tiles a microsecond, with states that take p to become visible and s for
 *         each step back, the nearest prefix is p * r tiles away, which takes p * r * s.  All F tiles in flight wait
 *         that long, so r = F / (p * r * s) = sqrt(F / (p * s)), which no bandwidth makes larger.  Larger tiles help by
 *         the root of their size.
 *
 * Steps   1 ticket -> row, tile.  2 Load, sum, tell.  3 Thread 0: look back, tell the prefix.  4 Barrier, scan, store.
 */
#include "lookback.cuh"

namespace
{

constexpr unsigned NAP_NS = 20; /* between two looks at something that is not there yet */

template <class Sum> struct thread_looks_back {
    look::row_states<Sum> states; /* of the row's tiles */
    uint32_t tile;                /* this one */
    Sum first;                    /* what lies before the row */

    PRIM_DEVICE void begin(Sum total) const
    {
        if (prim::lane_id() > 0) return;
        if (tile == 0)
            states.tell(tile, prim::TILE_PREFIX, first + total);
        else
            states.tell(tile, prim::TILE_SUM, total);
    }

    PRIM_DEVICE Sum finish(Sum total) const
    {
        if (tile == 0 || prim::lane_id() > 0) return first;
        Sum before = Sum();
        for (uint32_t at = tile - 1;;) {
            prim::tile_news<Sum> news = states.ask(at);
            if (news.state == prim::TILE_NOTHING) {
                prim::nap(NAP_NS);
                continue;
            }
            before = news.value + before;
            if (news.state == prim::TILE_PREFIX) break;
            at--;
        }
        states.tell(tile, prim::TILE_PREFIX, before + total);
        return before;
    }
};

template <class Work, class Shape> struct lookback_seq {
    using sum = typename Work::sum;
    static constexpr unsigned threads = Shape::block_threads, more_blocks = 0;
    static constexpr int min_blocks = Shape::min_blocks;
    using slot = look::row_slot<sum>;
    struct shared {
        prim::var<uint64_t> ticket;
        look::block_room<Work, Shape> block;
    };

    Work work;
    uint64_t *counter;
    slot *slots;

    PRIM_DEVICE void operator()(shared &s) const
    {
        prim::ticket mine = {prim::block_id(), 0}; /* a tile that is alone in its row needs no order */
        if (work.tiles > 1) {
            mine = prim::draw_ticket(counter, s.ticket);
            look::begin_in_turn<Work, Shape>(work, mine.number);
        }
        uint32_t row = mine.number % work.rows, tile = mine.number / work.rows;
        uint64_t *states = slots[row * look::slots_of(work.tiles)].words;
        thread_looks_back<sum> exchange = {.states = {states, mine.epoch}, .tile = tile, .first = work.before_row(row)};
        look::scan_tile<Work, Shape>(work, s.block, row, tile, exchange);
    }
};

const scan_algorithm algorithm = {.name = "lookback-seq",
                                  .workspace = look::method<lookback_seq>::workspace,
                                  .queue = look::method<lookback_seq>::queue,
                                  .describe = look::method<lookback_seq>::describe};

sat_status open_table(const sat_plan_spec *spec, void **state, char *note, size_t note_bytes)
{
    return table_open(&algorithm, spec, state, note, note_bytes);
}
sat_status open_array(const sat_scan_spec *spec, void **state, char *note, size_t note_bytes)
{
    return look::open_array(&algorithm, spec, state, note, note_bytes);
}

} // namespace

const sat_backend sat_backend_lookback_seq = {
    .name = "lookback-seq",
    .summary = "one-pass row scans, one thread looking back tile by tile; transposed for the columns",
    .paper = "Merrill & Garland, NVR-2016-002, 2016",
    .traffic = {1, 3, 4},
    .kind = SAT_METHOD,
    .device = true,
    .unrepeatable = true,
    .probe = device_probe,
    .open = open_table,
    .run = table_run,
    .close = table_close,
    .wait = table_wait,
};

const sat_scan_method sat_scan_lookback_seq = {
    .name = "lookback-seq",
    .summary = "one pass; one thread looks back tile by tile",
    .paper = "Merrill & Garland, NVR-2016-002, 2016",
    .traffic = {1, 0, 1},
    .kind = SAT_METHOD,
    .device = true,
    .unrepeatable = true,
    .probe = device_probe,
    .open = open_array,
    .run = array_run,
    .close = array_close,
};
