/* lookback - the single-pass scan whose warps look back over many tiles at a time.
 *
 * Idea    A block sums its tile and tells the sum.  Then it needs the sum of all tiles before it, and does not wait for
 *         its left neighbour to know it: it adds up the sums of the neighbours, back to the first one that already
 *         knows the sum of everything up to its own end (its prefix).  Each element is read once and written once.
 *
 * Paper   Merrill & Garland, Single-pass parallel prefix scan with decoupled look-back, NVIDIA NVR-2016-002, 2016.
 *
 * Layout  states of one row, while tile 9 looks back (S: sum told, P: prefix told):
 *
 *             tile      0   1   2   3   4   5   6   7   8   9
 *             state     P   P   P   P   P   S   S   S   S   S
 *                                       ^---+---+---+---'         before 9 = P4 + S5 + S6 + S7 + S8
 *
 *         The first lanes of a warp read one state each, the nearest first:
 *
 *             lane           3    2    1    0
 *             tiles         t-4  t-3  t-2  t-1        the next window begins at t-5
 *
 * Launch  A block of B threads for each tile, in the order of tickets: the first tiles of all rows, then the second
 *         ones, ... so that with many rows the tile on the left was done long ago.  The first tiles of an array begin
 *         in turn.  Shapes and turns: lookback.cuh.
 *
 * Traffic 1 read and 1 write for each element; 8 bytes (4-byte sums) or 16 of state for each tile, written twice, in a
 *         line of the cache of its own (lookback.cuh).
 *
 * Sync    A state is one word, or two with a tag each, by relaxed accesses: nothing else is read on its account, so
 *         nothing needs an order (tile_state.cuh).  Forward progress: a block draws its tile when it runs (ticket.cuh);
 *         it waits for tiles with lower tickets only, whose blocks run already and tell their sums without waiting for
 *         anybody; the lowest unfinished one waits for nobody.  Blocks that run go on running: CUDA promises that.
 *         One warp asks, the others wait at a barrier.
 *
 * Limits  A tag holds 30 bits of the epoch: a state that was left behind and not written again in exactly 2^30 launches
 *         would be taken for new (hours of launches without pause, of jobs with different shapes).  2^31 - 1 tiles in
 *         a row.  Float sums are grouped by what a block finds, and differ in the last bits from run to run.  128 bytes
 *         of workspace for each tile of rows that have more than one: 1 for 512 bytes of sums in large tiles, 1 for 128
 *         in small ones.
 *
 * Steps   1 ticket -> row, tile.  2 Load, sum, tell.  3 Warp 0: read a window until all of it is there, back to the
 *         nearest prefix; add; on to the next one if there is none; tell the prefix.  4 Barrier, scan, store.
 */
#include "lookback.cuh"

namespace
{

constexpr unsigned NAP_NS = 20; /* between two looks at something that is not there yet */

/* Lanes that look first; who finds no prefix there goes on with all of them.  In a long row of large tiles the nearest
 * prefix is a few tiles away, most looks are at a neighbour that is not loaded yet, and each word that is asked for in
 * vain is in the way of others: 4.  What lies further back has been told: the tiles that begin together at the start
 * of the row have to add up hundreds.  Small tiles are for few tiles, which all begin together. */
template <class Sum, class Shape>
constexpr unsigned first_window = Shape::elements < look::large<Sum>::elements ? prim::WARP : 4;

template <class Sum, unsigned FIRST> struct warp_looks_back {
    look::row_states<Sum> states; /* of the row's tiles */
    uint32_t tile;                /* this one */
    Sum first;                    /* what lies before the row */

    PRIM_DEVICE void tell(prim::tile_told what, Sum value) const
    {
        if (prim::lane_id() == 0) states.tell(tile, what, value);
    }

    PRIM_DEVICE void begin(Sum total) const
    {
        if (tile == 0)
            tell(prim::TILE_PREFIX, first + total);
        else
            tell(prim::TILE_SUM, total);
    }

    PRIM_DEVICE Sum finish(Sum total) const
    {
        if (tile == 0) return first;
        unsigned window = FIRST;
        Sum sum = Sum();
        for (int64_t nearest = (int64_t)tile - 1;; nearest -= window, window = prim::WARP) {
            const int64_t at = nearest - prim::lane_id();
            const bool looks = prim::lane_id() < window;
            prim::tile_news<Sum> news;
            unsigned ends, upto;
            for (;;) {
                news = {looks ? prim::TILE_PREFIX : prim::TILE_SUM, Sum()}; /* before the row nothing is left to add */
                if (looks && at >= 0) news = states.ask(at);
                ends = prim::ballot(news.state == prim::TILE_PREFIX);
                upto = ends ^ (ends - 1); /* the lanes up to the nearest prefix; all, if there is none */
                if (!(prim::ballot(news.state == prim::TILE_NOTHING) & upto)) break;
                prim::nap(NAP_NS);
            }
            if (upto >> prim::lane_id() & 1) sum += news.value;
            if (ends) break;
        }
        const Sum before = prim::warp_sum(sum);
        tell(prim::TILE_PREFIX, before + total);
        return before;
    }
};

template <class Work, class Shape> struct lookback {
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
        warp_looks_back<sum, first_window<sum, Shape>> exchange = {
            .states = {states, mine.epoch}, .tile = tile, .first = work.before_row(row)};
        look::scan_tile<Work, Shape>(work, s.block, row, tile, exchange);
    }
};

const scan_algorithm algorithm = {.name = "lookback",
                                  .workspace = look::method<lookback>::workspace,
                                  .queue = look::method<lookback>::queue,
                                  .describe = look::method<lookback>::describe};

sat_status open_table(const sat_plan_spec *spec, void **state, char *note, size_t note_bytes)
{
    return table_open(&algorithm, spec, state, note, note_bytes);
}
sat_status open_array(const sat_scan_spec *spec, void **state, char *note, size_t note_bytes)
{
    return look::open_array(&algorithm, spec, state, note, note_bytes);
}

} // namespace

const sat_backend sat_backend_lookback = {
    .name = "lookback",
    .summary = "one-pass row scans, a warp looking back over many tiles; transposed for the columns",
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

const sat_scan_method sat_scan_lookback = {
    .name = "lookback",
    .summary = "one pass; a warp looks back over many tiles at a time",
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
