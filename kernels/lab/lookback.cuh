/* lookback.cuh - what the three single-pass scans share.  A block takes one tile of one row, sums it, gets the tile's
 * exclusive prefix from a `prefix op` (CUB's tile prefix callback), and writes the sums.  The three differ in that op.
 *
 *     row r  | tile 0 | tile 1 | tile 2 | ...      a tile: B threads x Q elements
 *               |        |        |
 *               +--sum-->+--sum-->+--sum-->        one read and one write for each element, and a descriptor for each
 *                                                  tile, from block to block
 *
 * A tile is held in one of two arrangements: striped_tile.cuh, the fast one, and blocked_tile.cuh, the laboratory's.
 * Its aggregate is published as soon as it is known, before the tile's scan. */
#ifndef LOOKBACK_CUH
#define LOOKBACK_CUH

#include <stdio.h>

#include "prim/block_scan.cuh"
#include "prim/runtime.cuh"
#include "prim/stagger.cuh"
#include "prim/ticket.cuh"
#include "prim/tile_descriptor.cuh"
#include "prim/warp_scan.cuh"
#include "scan.cuh"
#include "lab/blocked_tile.cuh"
#include "table/table.cuh"
#include "tuning.cuh"
#include "lab/striped_tile.cuh"

namespace single_pass
{

/* B threads, each with so many 16-byte vectors of sums; RESIDENT blocks share a multiprocessor. */
template <class Sum, unsigned B, unsigned SHARED, unsigned REGISTERS, unsigned RESIDENT> struct striped_shape {
    static constexpr unsigned block_threads = B, shared_vectors = SHARED, register_vectors = REGISTERS;
    static constexpr unsigned items = (SHARED + REGISTERS) * 16 / sizeof(Sum), elements = B * items;
    static constexpr int min_blocks = RESIDENT;
    static constexpr bool blocked = false, padded = false;
    template <class Work> using tile = striped_tile<Work, striped_shape>;
};

/* B threads; each scans Q elements. */
template <unsigned B, unsigned Q, bool PADDED> struct blocked_shape {
    static constexpr unsigned block_threads = B, items = Q, elements = B * Q;
    static constexpr int min_blocks = 1;
    static constexpr bool blocked = true, padded = PADDED;
    template <class Work> using tile = blocked_tile<Work, blocked_shape>;
};

/* The rows of a launch. */
template <class Sample, class Accum> struct work {
    using sample = Sample;
    using sum = Accum;
    static constexpr bool fixed_point = std::is_same_v<Accum, q32>;

    scan_source<Sample, Accum> source;
    sum *out;
    int64_t out_pitch, length;
    const sum *initial_values; /* the exclusive prefix of each row, or NULL */
    uint32_t rows, tiles;
    uint32_t first_wave; /* blocks that are resident together at the start of a launch */
    bool exclusive;

    PRIM_DEVICE sum row_prefix(uint32_t row) const { return initial_values ? prim::load(initial_values + row) : sum(); }
};

/* ---- a block ------------------------------------------------------------------------------------------- */

template <class Work, class Shape> struct block_storage {
    prim::array<typename Work::sum, Shape::block_threads / prim::WARP> aggregates;
    prim::var<typename Work::sum> prefix;
    typename Shape::template tile<Work>::storage tile;
};

/* Scans one tile.  Warp 0 calls the prefix op, all lanes together:
 *     publish_aggregate(aggregate)     and goes on, while descriptors are loaded
 *     sum resolve(aggregate)           returns the tile's exclusive prefix in lane 0; publishes the inclusive one
 * A row of one tile needs none. */
template <class Work, class Shape, class PrefixOp>
PRIM_DEVICE void scan_tile(const Work &w, block_storage<Work, Shape> &s, uint32_t row, uint32_t index,
                           PrefixOp prefix_op)
{
    using sum = typename Work::sum;
    const int64_t from = (int64_t)index * Shape::elements, remaining = w.length - from;
    typename Shape::template tile<Work> t;
    t.load(w, s.tile, w.source.row(row), from, remaining);
    prim::block_prefix<sum> warp = prim::block_scan_exclusive(s.aggregates, prim::warp_sum(t.total(w, s.tile)));
    const bool looks_back = w.tiles > 1 && prim::warp_id() == 0;
    if (looks_back) prefix_op.publish_aggregate(warp.aggregate);
    t.scan(s.tile);
    if (looks_back) {
        sum resolved = prefix_op.resolve(warp.aggregate);
        if (prim::lane_id() == 0) s.prefix.set(resolved);
    }
    sum prefix;
    if (w.tiles > 1) {
        prim::block_sync();
        prefix = s.prefix.get();
    } else {
        prefix = w.row_prefix(row);
    }
    t.store(w, s.tile, w.out + row * w.out_pitch, from, prefix + warp.exclusive);
}

/* The tiles of an array start at twice the pace at which memory moves them later on: between the pace of loads alone
 * and that of loads and stores.  With many rows the first tiles wait for no other tile anyway. */
template <class Work, class Shape> PRIM_DEVICE void stagger_tiles(const Work &w, uint32_t ticket)
{
    constexpr unsigned MOVED = Shape::elements * (sizeof(typename Work::sample) + sizeof(typename Work::sum));
    if (w.rows == 1) prim::staggered_start(ticket, w.first_wave, MOVED / 2);
}

/* ---- the host's side ----------------------------------------------------------------------------------- */

/* The shapes that a method chooses from by itself. */
template <class Sum, tuning::striped_tile T>
using shape_of = striped_shape<Sum, T.threads, T.shared_vectors, T.register_vectors, T.resident>;
template <class Sum> using large = shape_of<Sum, tuning::LOOKBACK_LARGE>;
template <class Sum> using small = shape_of<Sum, tuning::LOOKBACK_SMALL>;

inline int64_t tiles_of(int64_t length, int64_t elements)
{
    return (length + elements - 1) / elements;
}

/* Whether rows are scanned in large tiles: when those are at least half full, and there are enough. */
template <class Sum> bool uses_large(int64_t rows, int64_t length)
{
    int64_t elements = large<Sum>::elements;
    return length > elements / 2 && tiles_of(length, elements) > tuning::LOOKBACK_FEW_TILES / rows;
}

/* Calls f(block_shape) for the requested shape, else fails with a sentence. */
template <class Sum, class F> sat_status with_shape(const scan_shape *shape, int64_t rows, int64_t length, F f)
{
    const int b = shape->block_threads ? shape->block_threads : (int)large<Sum>::block_threads;
    const int q = shape->thread_items ? shape->thread_items : (int)large<Sum>::items;
    const bool naive = shape->naive_staging, free = !shape->block_threads && !shape->thread_items && !naive;

    if (free && !uses_large<Sum>(rows, length)) return f(small<Sum>());
    if (free || (b == large<Sum>::block_threads && q == large<Sum>::items && !naive)) return f(large<Sum>());
    if constexpr (std::is_same_v<Sum, uint32_t>) {
#define BLOCKED(B, Q)                                                                                                  \
    if (b == B && q == Q && !naive) return f(blocked_shape<B, Q, true>());                                             \
    if (b == B && q == Q && naive) return f(blocked_shape<B, Q, false>());
        TUNING_BLOCKED_TILES(BLOCKED)
#undef BLOCKED
    }
    return sat_fail(SAT_ERR_UNAVAILABLE, "%d threads x %d elements%s are not compiled in", b, q,
                    naive ? " with naive staging" : "");
}

/* Each descriptor has a cache line of its own.  In a long row all waiting tiles poll the same few descriptors; if these
 * shared a line, one slice of the second-level cache would serve all polls. */
template <class Sum> using row_descriptors = prim::tile_descriptors<Sum, tuning::CACHE_LINE_BYTES / (2 * sizeof(Sum))>;
template <class Sum> struct row_slot {
    uint64_t words[row_descriptors<Sum>::STRIDE];
};
static_assert(sizeof(row_slot<uint32_t>) == tuning::CACHE_LINE_BYTES &&
              sizeof(row_slot<uint64_t>) == tuning::CACHE_LINE_BYTES);

/* Slots for the descriptors of a row; a row of one tile publishes nothing. */
PRIM_HOST_DEVICE int64_t slots_for(int64_t tiles)
{
    return tiles > 1 ? tiles : 0;
}

/* What the prefix ops that look back have in common. */
template <class Sum> struct prefix_op {
    row_descriptors<Sum> descriptors; /* of the row's tiles */
    uint32_t tile;                    /* this one */
    Sum initial_value;                /* the exclusive prefix of the row */

    PRIM_DEVICE void publish(prim::tile_status status, Sum value) const
    {
        if (prim::lane_id() == 0) descriptors.publish(tile, status, value);
    }

    PRIM_DEVICE void publish_aggregate(Sum aggregate) const
    {
        if (tile == 0)
            publish(prim::TILE_PREFIX, initial_value + aggregate);
        else
            publish(prim::TILE_AGGREGATE, aggregate);
    }
};

/* The kernel of a PrefixOp, which adds resolve() to the above: a block for each tile, in the order of tickets. */
template <class Work, class Shape, class PrefixOp> struct lookback_kernel {
    using sum = typename Work::sum;
    static constexpr unsigned threads = Shape::block_threads, more_blocks = 0;
    static constexpr int min_blocks = Shape::min_blocks;
    using slot = row_slot<sum>;
    struct shared {
        prim::var<uint64_t> ticket;
        block_storage<Work, Shape> block;
    };

    Work work;
    uint64_t *counter;
    slot *slots;

    PRIM_DEVICE void operator()(shared &s) const
    {
        prim::ticket ticket = {prim::block_id(), 0}; /* rows of one tile need no order */
        if (work.tiles > 1) {
            ticket = prim::draw_ticket(counter, s.ticket);
            stagger_tiles<Work, Shape>(work, ticket.number);
        }
        const uint32_t row = ticket.number % work.rows, tile = ticket.number / work.rows;
        uint64_t *words = slots[row * slots_for(work.tiles)].words;
        const PrefixOp prefix_op = {{{words, ticket.launch}, tile, work.row_prefix(row)}};
        scan_tile<Work, Shape>(work, s.block, row, tile, prefix_op);
    }
};

/* The slots that any job of up to rows x length needs. */
template <class Sum> int64_t max_slots(const scan_shape *shape, int64_t rows, int64_t length)
{
    constexpr int64_t large_elements = large<Sum>::elements, small_elements = small<Sum>::elements;
    if (shape->block_threads || shape->thread_items || shape->naive_staging) {
        int64_t b = shape->block_threads ? shape->block_threads : large<Sum>::block_threads;
        int64_t q = shape->thread_items ? shape->thread_items : large<Sum>::items;
        return rows * slots_for(tiles_of(length, b * q));
    }
    int64_t most = rows * slots_for(tiles_of(length, large_elements));
    int64_t short_rows =
        rows * slots_for(tiles_of(length < large_elements / 2 ? length : large_elements / 2, small_elements));
    /* Of rows that would be at most LOOKBACK_FEW_TILES large ones. */
    int64_t few_tiles = tuning::LOOKBACK_FEW_TILES * (large_elements / small_elements + 2);
    most = short_rows > most ? short_rows : most;
    return few_tiles > most ? few_tiles : most;
}

/* Launches Kernel<Work, Shape>{work, counter, slots} for the methods:
 *     Kernel::slot              what the workspace holds for each tile
 *     Kernel::more_blocks       blocks without a tile
 * The workspace: a cache line for the counter of tickets, then the slots. */
constexpr size_t COUNTER_BYTES = tuning::CACHE_LINE_BYTES;

template <template <class, class> class Kernel> struct method {
    static sat_status workspace(int64_t rows, int64_t length, sat_type accum, const scan_shape *shape, size_t *bytes)
    {
        return with_scan_sums(accum, [&](auto zero) {
            using sum = decltype(zero);
            using slot = typename Kernel<work<sum, sum>, large<sum>>::slot;
            sat_status status = with_shape<sum>(shape, rows, length, [](auto) { return SAT_OK; });
            if (status == SAT_OK) *bytes = COUNTER_BYTES + (size_t)max_slots<sum>(shape, rows, length) * sizeof(slot);
            return status;
        });
    }

    static sat_status queue(const scan_job *job, const scan_shape *shape, void *workspace, void *stream)
    {
        return with_scan_types(job->sample, job->accum, [&](auto pair) {
            using sample = typename decltype(pair)::sample;
            using accum = typename decltype(pair)::accum;
            using sum = accum;
            return with_shape<sum>(shape, job->rows, job->length, [&](auto s) {
                if constexpr (!decltype(s)::blocked || std::is_same_v<sample, uint32_t>)
                    return launch<sample, accum, decltype(s)>(job, workspace, stream);
                else
                    return sat_fail(SAT_ERR_UNAVAILABLE, "a block of this shape scans u32 samples only");
            });
        });
    }

    /* A launch has at most 2^31 - 1 blocks: very many rows take several.  Interleaved channels stay together. */
    template <class Sample, class Accum, class Shape>
    static sat_status launch(const scan_job *job, void *workspace, void *stream)
    {
        using w = work<Sample, Accum>;
        using sum = typename w::sum;
        using kernel = Kernel<w, Shape>;
        const int64_t tiles = tiles_of(job->length, Shape::elements);
        const int64_t most = INT32_MAX - kernel::more_blocks;
        int64_t rows_at_once = most / tiles / job->step * job->step;
        if (rows_at_once == 0)
            return sat_fail(SAT_ERR_SHAPE, "%lld tiles in a row; a launch has %lld", (long long)tiles, (long long)most);

        w work = {.source = scan_source<Sample, Accum>::of_job(job),
                  .out = (sum *)job->out,
                  .out_pitch = job->out_pitch,
                  .length = job->length,
                  .initial_values = (const sum *)job->initial_values,
                  .tiles = (uint32_t)tiles,
                  .first_wave = prim::multiprocessors() * Shape::min_blocks,
                  .exclusive = job->exclusive};

        for (int64_t row = 0; row < job->rows; row += rows_at_once) {
            const int64_t rows = job->rows - row < rows_at_once ? job->rows - row : rows_at_once;
            work.rows = (uint32_t)rows;
            kernel k = {work, (uint64_t *)workspace, (typename kernel::slot *)((char *)workspace + COUNTER_BYTES)};
            sat_status status = prim::launch(k, tiles * rows + (tiles > 1 ? kernel::more_blocks : 0), stream);
            if (status != SAT_OK) return status;
            work.source.in += rows / job->step * job->in_pitch;
            work.out += rows * job->out_pitch;
            if (work.initial_values) work.initial_values += rows;
        }
        return SAT_OK;
    }

    static void describe(int64_t rows, int64_t length, sat_type accum, const scan_shape *shape, char *text,
                         size_t bytes)
    {
        text[0] = 0;
        (void)with_scan_sums(accum, [&](auto zero) {
            return with_shape<decltype(zero)>(shape, rows, length, [&](auto s) {
                using chosen = decltype(s);
                snprintf(text, bytes, "B=%u, Q=%u, %s", chosen::block_threads, chosen::items,
                         !chosen::blocked ? "striped"
                         : chosen::padded ? "blocked"
                                          : "blocked without padding");
                return SAT_OK;
            });
        });
    }
};

/* Opens a scan of one array.  A blocked shape refuses samples other than u32 here: workspaces do not depend on them. */
inline sat_status open_array(const scan_algorithm *algorithm, const sat_scan_spec *spec, sat_arena *arena, void **state,
                             char *note, size_t note_bytes)
{
    const scan_shape shape = {spec->block_threads, spec->thread_items, spec->naive_staging};
    sat_status status = with_scan_sums(spec->accum, [&](auto zero) {
        return with_shape<decltype(zero)>(&shape, 1, spec->length, [&](auto s) {
            if (!decltype(s)::blocked || spec->sample == SAT_U32) return SAT_OK;
            return sat_fail(SAT_ERR_UNAVAILABLE, "%d threads x %d elements are compiled in for u32 samples only",
                            (int)decltype(s)::block_threads, (int)decltype(s)::items);
        });
    });
    return status == SAT_OK ? array_open(algorithm, spec, arena, state, note, note_bytes) : status;
}

} // namespace single_pass
#endif
