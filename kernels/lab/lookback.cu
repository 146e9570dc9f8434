/* lookback - the single-pass scan whose warps look back over many tiles at a time.
 *
 * Idea    A block sums its tile and publishes the aggregate.  Then it needs the tile's exclusive prefix, and does not
 *         wait until its left neighbour knows its own: it adds the aggregates of the tiles before it, back to the
 *         first one that has published its inclusive prefix.  Each element is read once and written once.
 *
 * Paper   Merrill & Garland, Single-pass parallel prefix scan with decoupled look-back, NVIDIA NVR-2016-002, 2016.
 *
 * Layout  descriptors of one row, while tile 9 looks back (A: aggregate published, P: inclusive prefix published):
 *
 *             tile      0   1   2   3   4   5   6   7   8   9
 *             status    P   P   P   P   P   A   A   A   A   A
 *                                       ^---+---+---+---'         exclusive prefix of 9 = P4 + A5 + A6 + A7 + A8
 *
 *         The first lanes of a warp poll one descriptor each, the nearest first:
 *
 *             lane           3    2    1    0
 *             tiles         t-4  t-3  t-2  t-1        the next window begins at t-5
 *
 * Launch  A block of B threads for each tile, in the order of tickets: the first tiles of all rows, then the second
 *         ones, and so on.  With many rows the tile on the left was done long ago.  The first tiles of an array have a
 *         staggered start.  Shapes and start: lookback.cuh.
 *
 * Traffic 1 read and 1 write for each element; a descriptor of 8 bytes (4-byte sums) or 16 for each tile, written
 *         twice, in a cache line of its own (lookback.cuh).
 *
 * Sync    Packed descriptors by relaxed accesses: no other access depends on them, so that none needs an order
 *         (prim/tile_descriptor.cuh).  Forward progress: a block draws its tile when it runs (prim/ticket.cuh).  It
 *         waits for tiles with lower tickets only; their blocks run already, and publish their aggregates without
 *         waiting.  The lowest unfinished tile waits for no other.  Blocks that run go on running: CUDA promises
 *         that.  One warp polls, the others wait at a barrier.
 *
 * Limits  A tag holds 30 bits of the epoch: a descriptor that is not written again in exactly 2^30 launches would be
 *         taken for a new one (hours of launches without pause, of jobs with different shapes).  2^31 - 1 tiles in a
 *         row.  Float sums are grouped by the descriptors that a block finds, and differ in the last bits from run to
 *         run.  128 bytes of workspace for each tile of rows with more than one: 1 for 512 bytes of sums in large
 *         tiles, 1 for 128 in small ones.
 *
 * Steps   1. Ticket -> row, tile.  2. Load, sum, publish the aggregate.  3. Warp 0: poll a window until all of it
 *         back to the nearest prefix is valid; add; go on with the next window if there is no prefix; publish the
 *         inclusive prefix.  4. Barrier, scan, store.
 */
#include "lab/lookback.cuh"

namespace
{

/* Tiles of the first window; without a prefix there, all lanes poll the next ones.  In a long row of large tiles the
 * nearest prefix is a few tiles away, most polls find a neighbour that is not loaded yet, and each poll in vain delays
 * others: 4.  Farther tiles have published: the tiles that start together at the beginning of the row add up hundreds.
 * Small tiles are for rows of few tiles, which all start together. */
template <class Sum, class Shape>
constexpr unsigned first_window = Shape::elements < single_pass::large<Sum>::elements ? prim::WARP : 4;

template <class Sum, unsigned FIRST_WINDOW> struct warp_lookback : single_pass::prefix_op<Sum> {
    using single_pass::prefix_op<Sum>::descriptors, single_pass::prefix_op<Sum>::tile;

    PRIM_DEVICE Sum resolve(Sum aggregate) const
    {
        if (tile == 0) return this->initial_value;
        unsigned window = FIRST_WINDOW;
        Sum sum = Sum();
        for (int64_t nearest = (int64_t)tile - 1;; nearest -= window, window = prim::WARP) {
            const int64_t at = nearest - prim::lane_id();
            const bool polls = prim::lane_id() < window;
            prim::tile_descriptor<Sum> d;
            unsigned prefixes, needed;
            for (;;) {
                d = {polls ? prim::TILE_PREFIX : prim::TILE_AGGREGATE, Sum()}; /* in front of the row: prefix 0 */
                if (polls && at >= 0) d = descriptors.poll(at);
                prefixes = prim::ballot(d.status == prim::TILE_PREFIX);
                needed = prefixes ^ (prefixes - 1); /* lanes up to the nearest prefix; all, if there is none */
                if (!(prim::ballot(d.status == prim::TILE_INVALID) & needed)) break;
                prim::nanosleep(tuning::BACKOFF_NS);
            }
            if (needed >> prim::lane_id() & 1) sum += d.value;
            if (prefixes) break;
        }
        const Sum prefix = prim::warp_sum(sum);
        this->publish(prim::TILE_PREFIX, prefix + aggregate);
        return prefix;
    }
};

template <class Work, class Shape>
struct lookback
    : single_pass::lookback_kernel<Work, Shape,
                                   warp_lookback<typename Work::sum, first_window<typename Work::sum, Shape>>> {
};

const scan_algorithm algorithm = {.name = "lookback",
                                  .workspace = single_pass::method<lookback>::workspace,
                                  .queue = single_pass::method<lookback>::queue,
                                  .describe = single_pass::method<lookback>::describe};

sat_status open_table(const sat_plan_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes)
{
    return table_open(&algorithm, spec, arena, state, note, note_bytes);
}
sat_status open_array(const sat_scan_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes)
{
    return single_pass::open_array(&algorithm, spec, arena, state, note, note_bytes);
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
};
