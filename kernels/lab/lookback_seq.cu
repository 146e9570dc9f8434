/* lookback-seq - the single-pass scan whose blocks look back with one thread, one tile at a time.
 *
 * Idea    As lookback, without its windows: one thread polls the descriptor of the tile before.  If that holds an
 *         aggregate, the thread adds it and goes on to the tile before that, until it finds an inclusive prefix.
 *
 * Paper   Merrill & Garland, Single-pass parallel prefix scan with decoupled look-back, NVIDIA NVR-2016-002, 2016,
 *         4.1.
 *
 * Layout  descriptors of one row, while tile 9 looks back (A: aggregate published, P: inclusive prefix published):
 *
 *             tile      0   1   2   3   4   5   6   7   8   9
 *             status    P   P   P   P   P   A   A   A   A   A
 *                                       5 <-4 <-3 <-2 <-1          five round trips through the L2 cache
 *
 * Launch  As lookback.
 *
 * Traffic 1 read and 1 write for each element; a descriptor of 8 bytes (4-byte sums) or 16 for each tile, written
 *         twice.
 *
 * Sync    As lookback: packed descriptors by relaxed accesses.  The listing that this rung goes back to has two
 *         faults.  Flag and values lie apart without an order between them, so that a value may be read before it is
 *         stored.  And the exclusive prefix is the inclusive one less the aggregate, which cancels digits of floats
 *         and turns infinities into NaN.  Here the exclusive prefix is the sum that the thread has added up.
 *
 * Limits  As lookback.  Why it is slower: at r tiles a microsecond, with descriptors that take p to become visible and
 *         s for each step back, the nearest prefix is p * r tiles away, which takes p * r * s.  All F tiles in flight
 *         wait that long, so r = F / (p * r * s) = sqrt(F / (p * s)), at any bandwidth.  Larger tiles help by the root
 *         of their size.
 *
 * Steps   1. Ticket -> row, tile.  2. Load, sum, publish the aggregate.  3. Thread 0: look back, publish the
 *         inclusive prefix.  4. Barrier, scan, store.
 */
#include "lab/lookback.cuh"

namespace
{

template <class Sum> struct thread_lookback : single_pass::prefix_op<Sum> {
    using single_pass::prefix_op<Sum>::descriptors, single_pass::prefix_op<Sum>::tile;

    PRIM_DEVICE Sum resolve(Sum aggregate) const
    {
        if (tile == 0 || prim::lane_id() > 0) return this->initial_value;
        Sum prefix = Sum();
        for (uint32_t at = tile - 1;;) {
            prim::tile_descriptor<Sum> d = descriptors.poll(at);
            if (d.status == prim::TILE_INVALID) {
                prim::nanosleep(tuning::BACKOFF_NS);
                continue;
            }
            prefix = d.value + prefix;
            if (d.status == prim::TILE_PREFIX) break;
            at--;
        }
        descriptors.publish(tile, prim::TILE_PREFIX, prefix + aggregate);
        return prefix;
    }
};

template <class Work, class Shape>
struct lookback_seq : single_pass::lookback_kernel<Work, Shape, thread_lookback<typename Work::sum>> {
};

const scan_algorithm algorithm = {.name = "lookback-seq",
                                  .workspace = single_pass::method<lookback_seq>::workspace,
                                  .queue = single_pass::method<lookback_seq>::queue,
                                  .describe = single_pass::method<lookback_seq>::describe};

sat_status open_table(const sat_plan_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes)
{
    return table_open(&algorithm, spec, arena, state, note, note_bytes);
}
sat_status open_array(const sat_scan_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes)
{
    return single_pass::open_array(&algorithm, spec, arena, state, note, note_bytes);
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
};
