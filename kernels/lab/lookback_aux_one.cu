/* lookback-aux-one - lookback-aux with an auxiliary block of one thread: the experiment that shows what each tile then
 * costs.  No job is ever given to it unless it is named.
 *
 * Idea    The prefixes are made by one thread, one tile after the other.  For each tile it polls the flag, loads the
 *         aggregate, adds, stores the prefix and sets its flag.  Each of these waits for the one before.
 *
 * Paper   Merrill & Garland, Single-pass parallel prefix scan with decoupled look-back, NVIDIA NVR-2016-002, 2016, for
 *         the single pass and the tickets.
 *
 * Layout  one round of the thread, for tile 3:
 *
 *             tile                 0    1    2    3    4
 *             aggregate is valid   1    1    1    1    0
 *             prefix published     x    x    x   here       store prefix 3, release its flag    one round trip
 *                                                           acquire the flag of aggregate 3     one round trip
 *                                                           load aggregate 3, add it            one round trip
 *
 * Launch  A block for each tile and the auxiliary one, in the order of tickets.  All threads of the auxiliary block but
 *         the first end at once.
 *
 * Traffic 1 read and 1 write for each element; 16 bytes in a slot for each tile.
 *
 * Sync    As lookback-aux: flagged descriptors by release and acquire; tickets; one thread polls in each block.
 *
 * Limits  Compiled for experiments only (SWEEP=1, and the simulator), in the method's own shapes, and for u32 in those
 *         of TUNING_REPORT_TILES.  The time of a launch is at least the number of tiles times the chain above, at any
 *         bandwidth.
 *
 * Steps   Tile: 1. Load, sum, publish the aggregate.  2. Thread 0 waits for its prefix.  3. Barrier, scan, store.
 *         Auxiliary thread, for each tile: 1. Publish the prefix.  2. Wait for the aggregate.  3. Add it. */
#include "lab/lookback_aux.cuh"

namespace
{

const char name[] = "lookback-aux-one";

template <class Work, class Shape> struct lookback_aux_one {
    using sum = typename Work::sum;
    using slot = prim::flagged_descriptor<sum>;
    static constexpr unsigned threads = Shape::block_threads, more_blocks = 1;
    static constexpr int min_blocks = Shape::min_blocks;
    enum : unsigned { least_resident = 2 }; /* for the simulator, which would run one block at a time */
    struct shared {
        prim::var<uint64_t> ticket;
        single_pass::block_storage<Work, Shape> block;
    };

    Work work;
    uint64_t *counter;
    slot *slots;

    PRIM_DEVICE void operator()(shared &s) const
    {
        prim::ticket ticket = {prim::block_id() + 1, 0}; /* rows of one tile need no order */
        if (work.tiles > 1) ticket = prim::draw_ticket(counter, s.ticket);
        if (ticket.number == 0) {
            if (prim::thread_id() == 0) publish_prefixes(ticket.launch);
            return;
        }
        const uint32_t at = ticket.number - 1, row = at / work.tiles, tile = at % work.tiles;
        single_pass::aux_prefix<sum> prefix_op = {
            .slot = slots + at, .epoch = ticket.launch, .begins_row = tile == 0, .initial_value = work.row_prefix(row)};
        single_pass::scan_tile<Work, Shape>(work, s.block, row, tile, prefix_op);
    }

    PRIM_DEVICE void publish_prefixes(uint32_t epoch) const
    {
        const int64_t all = (int64_t)work.rows * work.tiles;
        sum prefix = sum();
        for (int64_t at = 0; at < all; at++) {
            slot *here = slots + at;
            if (at % work.tiles == 0) /* the first tile of a row knows its prefix */
                prefix = work.row_prefix((uint32_t)(at / work.tiles));
            else
                prim::publish_flagged(&here->prefix, prefix, &here->prefix_flag,
                                      prim::tile_tag(epoch, prim::TILE_PREFIX));
            sum aggregate;
            while (!prim::poll_flagged(&here->aggregate_flag, prim::tile_tag(epoch, prim::TILE_AGGREGATE),
                                       &here->aggregate, &aggregate))
                prim::nanosleep(tuning::BACKOFF_NS);
            prefix += aggregate;
        }
    }
};

using method = single_pass::method<lookback_aux_one>;

/* Calls f(shape) for the requested shape, if it is the method's own or one of the experiments', which are for u32. */
template <class Sample, class Sum, class F>
sat_status with_shape(const scan_shape *requested, int64_t rows, int64_t length, F f)
{
    const int b = requested->block_threads, q = requested->thread_items;
    const bool naive = requested->naive_staging;
    if (!b && !q && !naive)
        return single_pass::uses_large<Sum>(rows, length) ? f(single_pass::large<Sum>()) : f(single_pass::small<Sum>());
    if constexpr (std::is_same_v<Sample, uint32_t> && std::is_same_v<Sum, uint32_t>) {
#define REPORT(B, Q)                                                                                                   \
    if (b == B && q == Q && !naive) return f(single_pass::blocked_shape<B, Q, true>());
        TUNING_REPORT_TILES(REPORT)
#undef REPORT
    }
    return sat_fail(SAT_ERR_UNAVAILABLE, "%s: %d threads x %d elements%s are not compiled in for these types", name, b,
                    q, naive ? " with naive staging" : "");
}

/* Calls f(type_pair<Sample, Accum>(), shape). */
template <class F>
sat_status with_types_and_shape(sat_type sample, sat_type accum, const scan_shape *requested, int64_t rows,
                                int64_t length, F f)
{
    return with_scan_types(sample, accum, [&](auto pair) {
        using types = decltype(pair);
        using sum = typename types::accum;
        return with_shape<typename types::sample, sum>(requested, rows, length,
                                                       [&](auto shape) { return f(pair, shape); });
    });
}

sat_status queue(const scan_job *job, const scan_shape *requested, void *workspace, void *stream)
{
    return with_types_and_shape(job->sample, job->accum, requested, job->rows, job->length, [&](auto pair, auto shape) {
        using types = decltype(pair);
        return method::launch<typename types::sample, typename types::accum, decltype(shape)>(job, workspace, stream);
    });
}

const scan_algorithm algorithm = {
    .name = name, .workspace = method::workspace, .queue = queue, .describe = method::describe};

sat_status open_array(const sat_scan_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes)
{
    const scan_shape requested = {spec->block_threads, spec->thread_items, spec->naive_staging};
    sat_status status =
        with_types_and_shape(spec->sample, spec->accum, &requested, 1, spec->length, [](auto, auto) { return SAT_OK; });
    return status == SAT_OK ? array_open(&algorithm, spec, arena, state, note, note_bytes) : status;
}

} // namespace

const sat_scan_method sat_scan_lookback_aux_one = {
    .name = name,
    .summary = "an experiment: one pass; one thread adds up the sums of all tiles",
    .paper = "Merrill & Garland, NVR-2016-002, 2016",
    .traffic = {1, 0, 1},
    .kind = SAT_METHOD,
    .device = true,
    .probe = device_probe,
    .open = open_array,
    .run = array_run,
};
