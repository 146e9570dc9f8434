/* lookback.cuh - what the three single-pass scans have in common: a block takes one tile of one row, sums it, learns
 * from an `exchange` what lies before it in the row, and writes the sums.  The three differ in the exchange.
 *
 *     row r  | tile 0 | tile 1 | tile 2 | ...      a tile: B threads x Q elements
 *               |        |        |
 *               +--sum-->+--sum-->+--sum-->        one read and one write for each element, and a word or two for each
 *                                                  tile, from block to block
 *
 * The tile itself is held in one of two arrangements: waiting_tile.cuh, the fast one, and staged_tile.cuh, the
 * laboratory's.  The sum of a tile is known before its scan, and is told at once. */
#ifndef LOOKBACK_CUH
#define LOOKBACK_CUH

#include <stdio.h>

#include "prim/block_scan.cuh"
#include "prim/runtime.cuh"
#include "prim/ticket.cuh"
#include "prim/tile_state.cuh"
#include "prim/turn.cuh"
#include "prim/warp_scan.cuh"
#include "scan.cuh"
#include "staged_tile.cuh"
#include "table.cuh"
#include "waiting_tile.cuh"

namespace look
{

/* B threads, of which each holds so many packets of 16 bytes of sums; RESIDENT blocks share a multiprocessor. */
template <class Sum, unsigned B, unsigned SHARED, unsigned REGISTERS, unsigned RESIDENT> struct waiting_shape {
    static constexpr unsigned block_threads = B, shared_packets = SHARED, register_packets = REGISTERS;
    static constexpr unsigned items = (SHARED + REGISTERS) * 16 / sizeof(Sum), elements = B * items;
    static constexpr int min_blocks = RESIDENT;
    static constexpr bool staged = false, holes = false;
    template <class Work> using tile = waiting_tile<Work, waiting_shape>;
};

/* B threads, of which each scans Q elements. */
template <unsigned B, unsigned Q, bool HOLES> struct staged_shape {
    static constexpr unsigned block_threads = B, items = Q, elements = B * Q;
    static constexpr int min_blocks = 1;
    static constexpr bool staged = true, holes = HOLES;
    template <class Work> using tile = staged_tile<Work, staged_shape>;
};

/* What a launch works on. */
template <class Sample, class Accum> struct work {
    using sample = Sample;
    using sum = typename sums_in<Accum>::type;
    static constexpr bool fixed_point = std::is_same_v<Accum, q32>;

    scan_source<Sample, Accum> source;
    sum *out;
    int64_t out_pitch, length;
    const sum *first; /* for each row, or NULL */
    uint32_t rows, tiles;
    bool exclusive;

    PRIM_DEVICE sum before_row(uint32_t row) const { return first ? prim::load(first + row) : sum(); }
};

/* ---- a block ------------------------------------------------------------------------------------------- */

template <class Work, class Shape> struct block_room {
    prim::array<typename Work::sum, Shape::block_threads / prim::WARP> totals;
    prim::var<typename Work::sum> before;
    typename Shape::template tile<Work>::room tile;
};

/* Scans one tile.  The exchange is called by warp 0, all lanes together:
 *     begin(total)             tells the tile's sum; others work while its question is under way
 *     sum finish(total)        tells, and returns, what lies before the tile; lane 0's answer counts
 * A row of one tile needs none. */
template <class Work, class Shape, class Exchange>
PRIM_DEVICE void scan_tile(const Work &w, block_room<Work, Shape> &s, uint32_t row, uint32_t index, Exchange exchange)
{
    using sum = typename Work::sum;
    const int64_t from = (int64_t)index * Shape::elements, left = w.length - from;
    typename Shape::template tile<Work> t;
    t.load(w, s.tile, w.source.row(row), from, left);
    prim::share<sum> warp = prim::block_shares(s.totals, prim::warp_sum(t.total(w, s.tile)));
    const bool asks = w.tiles > 1 && prim::warp_id() == 0;
    if (asks) exchange.begin(warp.total);
    t.scan(s.tile);
    if (asks) {
        sum before = exchange.finish(warp.total);
        if (prim::lane_id() == 0) s.before.set(before);
    }
    sum before;
    if (w.tiles > 1) {
        prim::block_sync();
        before = s.before.get();
    } else {
        before = w.before_row(row);
    }
    t.store(w, s.tile, w.out + row * w.out_pitch, from, before + warp.before);
}

/* The tiles of an array begin at twice the pace at which memory passes them later on, which is between that of loads
 * alone and that of loads and stores.  With many rows the first tiles wait for nobody anyway. */
template <class Work, class Shape> PRIM_DEVICE void begin_in_turn(const Work &w, uint32_t ticket)
{
    constexpr unsigned MOVED = Shape::elements * (sizeof(typename Work::sample) + sizeof(typename Work::sum));
    if (w.rows == 1) prim::await_turn(ticket, Shape::min_blocks, MOVED / 2);
}

/* ---- the host's side ----------------------------------------------------------------------------------- */

/* The shapes that a method chooses from by itself.
 *
 * Large: 32 packets for each of 128 threads, 64 KiB of sums, five at a time on a multiprocessor.  An H200 moves a
 * tile's 128 KiB in 4 us (4.2 TB/s over 132 multiprocessors), but the tile stays for about 20: its own loads, the
 * slowest loads of the tiles before it, the look-back, the stores.  So five of them keep the memory busy, and as much
 * as fits waits: 20 packets in shared memory (5 * 40 KiB of 227) and 12 in registers (48 of the 102 that 640 threads
 * leave to each). More and smaller tiles mean more words to look back over, larger ones a longer wait for their last
 * byte.
 *
 * Small: 8 packets, where a large tile would be half empty or there would be too few of them to fill the device.
 *
 * In the simulator both are tiny, so that small arrays have many tiles. */
#ifdef SAT_SIMT
template <class Sum> using large = waiting_shape<Sum, 64, 1, 1, 2>;
template <class Sum> using small = waiting_shape<Sum, 32, 1, 0, 2>;
constexpr int64_t FEW_TILES = 4;
#else
template <class Sum> using large = waiting_shape<Sum, 128, 20, 12, 5>;
template <class Sum> using small = waiting_shape<Sum, 128, 8, 0, 8>;
constexpr int64_t FEW_TILES = 256; /* two for each multiprocessor */
#endif

inline int64_t tiles_of(int64_t length, int64_t elements)
{
    return (length + elements - 1) / elements;
}

/* Whether rows are scanned in large tiles: when those are at least half full, and there are enough. */
template <class Sum> bool takes_large(int64_t rows, int64_t length)
{
    int64_t elements = large<Sum>::elements;
    return length > elements / 2 && tiles_of(length, elements) > FEW_TILES / rows;
}

/* Calls f(block_shape) for the shape that was asked for, else says what is wrong. */
template <class Sum, class F> sat_status with_shape(const scan_shape *shape, int64_t rows, int64_t length, F f)
{
    const int b = shape->block_threads ? shape->block_threads : (int)large<Sum>::block_threads;
    const int q = shape->thread_items ? shape->thread_items : (int)large<Sum>::items;
    const bool naive = shape->naive_staging, free = !shape->block_threads && !shape->thread_items && !naive;

    if (free && !takes_large<Sum>(rows, length)) return f(small<Sum>());
    if (free || (b == large<Sum>::block_threads && q == large<Sum>::items && !naive)) return f(large<Sum>());
#if defined SAT_SWEEP || defined SAT_SIMT
    if constexpr (std::is_same_v<Sum, uint32_t>) {
#define STAGED(B, Q)                                                                                                   \
    if (b == B && q == Q && !naive) return f(staged_shape<B, Q, true>());                                              \
    if (b == B && q == Q && naive) return f(staged_shape<B, Q, false>())
#ifdef SAT_SIMT
        STAGED(64, 4);
        STAGED(32, 7);
#else
#define SWEEP(B)                                                                                                       \
    STAGED(B, 2);                                                                                                      \
    STAGED(B, 4);                                                                                                      \
    STAGED(B, 7);                                                                                                      \
    STAGED(B, 8);                                                                                                      \
    STAGED(B, 10);                                                                                                     \
    STAGED(B, 13);                                                                                                     \
    STAGED(B, 16);                                                                                                     \
    STAGED(B, 20);                                                                                                     \
    STAGED(B, 24);                                                                                                     \
    STAGED(B, 30);                                                                                                     \
    STAGED(B, 32);                                                                                                     \
    STAGED(B, 40)
        SWEEP(32);
        SWEEP(64);
        SWEEP(128);
        SWEEP(256);
        SWEEP(512);
        SWEEP(1024);
#undef SWEEP
#endif
#undef STAGED
    }
#endif
    return sat_fail(SAT_ERR_UNAVAILABLE, "%d threads x %d elements%s are not compiled in", b, q,
                    naive ? " with naive staging" : "");
}

/* Each tile's words have a line of the cache for themselves: in a long row all who wait ask for the same few tiles, and
 * if those shared a line, one slice of the second-level cache would have to answer everybody. */
constexpr unsigned LINE_BYTES = 128;
template <class Sum> using row_states = prim::tile_states<Sum, LINE_BYTES / (2 * sizeof(Sum))>;
template <class Sum> struct row_slot {
    uint64_t words[row_states<Sum>::step];
};
static_assert(sizeof(row_slot<uint32_t>) == LINE_BYTES && sizeof(row_slot<uint64_t>) == LINE_BYTES);

/* What the tiles of a row leave for each other; a row of one tile has nobody to leave it for. */
PRIM_HOST_DEVICE int64_t slots_of(int64_t tiles)
{
    return tiles > 1 ? tiles : 0;
}

/* The slots that any job of up to rows x length needs. */
template <class Sum> int64_t most_slots(const scan_shape *shape, int64_t rows, int64_t length)
{
    constexpr int64_t l = large<Sum>::elements, s = small<Sum>::elements;
    if (shape->block_threads || shape->thread_items || shape->naive_staging) {
        int64_t b = shape->block_threads ? shape->block_threads : large<Sum>::block_threads;
        int64_t q = shape->thread_items ? shape->thread_items : large<Sum>::items;
        return rows * slots_of(tiles_of(length, b * q));
    }
    int64_t most = rows * slots_of(tiles_of(length, l));
    int64_t short_rows = rows * slots_of(tiles_of(length < l / 2 ? length : l / 2, s));
    int64_t few_tiles = FEW_TILES * (l / s + 2); /* of rows that would be at most FEW_TILES large ones */
    most = short_rows > most ? short_rows : most;
    return few_tiles > most ? few_tiles : most;
}

/* Launches Kernel<Work, Shape>{work, counter, slots} for the methods:
 *     Kernel::slot              what the workspace holds for each tile
 *     Kernel::more_blocks       those that have no tile
 * The workspace: a line of the cache for the counter, which all blocks want, then the slots. */
constexpr size_t COUNTER_BYTES = 128;

template <template <class, class> class Kernel> struct method {
    static sat_status workspace(int64_t rows, int64_t length, sat_type accum, const scan_shape *shape, size_t *bytes)
    {
        return with_accum(accum, [&](auto zero) {
            using sum = decltype(zero);
            using slot = typename Kernel<work<sum, sum>, large<sum>>::slot;
            sat_status status = with_shape<sum>(shape, rows, length, [](auto) { return SAT_OK; });
            if (status == SAT_OK) *bytes = COUNTER_BYTES + (size_t)most_slots<sum>(shape, rows, length) * sizeof(slot);
            return status;
        });
    }

    static sat_status queue(const scan_job *job, const scan_shape *shape, void *workspace, void *stream)
    {
        return with_types(job->sample, job->accum, [&](auto pair) {
            using sample = typename decltype(pair)::sample;
            using accum = typename decltype(pair)::accum;
            using sum = typename sums_in<accum>::type;
            return with_shape<sum>(shape, job->rows, job->length, [&](auto s) {
                if constexpr (!decltype(s)::staged || std::is_same_v<sample, uint32_t>)
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

        w work = {.source = scan_source<Sample, Accum>::of(job),
                  .out = (sum *)job->out,
                  .out_pitch = job->out_pitch,
                  .length = job->length,
                  .first = (const sum *)job->first,
                  .tiles = (uint32_t)tiles,
                  .exclusive = job->exclusive};

        for (int64_t row = 0; row < job->rows; row += rows_at_once) {
            const int64_t rows = job->rows - row < rows_at_once ? job->rows - row : rows_at_once;
            work.rows = (uint32_t)rows;
            kernel k = {work, (uint64_t *)workspace, (typename kernel::slot *)((char *)workspace + COUNTER_BYTES)};
            sat_status status = prim::launch(k, tiles * rows + (tiles > 1 ? kernel::more_blocks : 0), stream);
            if (status != SAT_OK) return status;
            work.source.in += rows / job->step * job->in_pitch;
            work.out += rows * job->out_pitch;
            if (work.first) work.first += rows;
        }
        return SAT_OK;
    }

    static void describe(int64_t rows, int64_t length, sat_type accum, const scan_shape *shape, char *text,
                         size_t bytes)
    {
        text[0] = 0;
        (void)with_accum(accum, [&](auto zero) {
            return with_shape<decltype(zero)>(shape, rows, length, [&](auto s) {
                using chosen = decltype(s);
                snprintf(text, bytes, "B=%u, Q=%u, %s", chosen::block_threads, chosen::items,
                         !chosen::staged ? "waiting"
                         : chosen::holes ? "staged"
                                         : "staged without holes");
                return SAT_OK;
            });
        });
    }
};

/* Opens a scan of one array.  Workspaces know no samples, so this is where a staged shape refuses others than u32. */
inline sat_status open_array(const scan_algorithm *algorithm, const sat_scan_spec *spec, void **state, char *note,
                             size_t note_bytes)
{
    const scan_shape shape = {spec->block_threads, spec->thread_items, spec->naive_staging};
    sat_status status = with_accum(spec->accum, [&](auto zero) {
        return with_shape<decltype(zero)>(&shape, 1, spec->length, [&](auto s) {
            if (!decltype(s)::staged || spec->sample == SAT_U32) return SAT_OK;
            return sat_fail(SAT_ERR_UNAVAILABLE, "%d threads x %d elements are compiled in for u32 samples only",
                            (int)decltype(s)::block_threads, (int)decltype(s)::items);
        });
    });
    return status == SAT_OK ? array_open(algorithm, spec, state, note, note_bytes) : status;
}

} // namespace look
#endif
