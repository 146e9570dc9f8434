/* lookback.cuh - what the three single-pass scans have in common: a block takes one tile of one row, sums it, learns
 * from an `exchange` what lies before it in the row, and writes the sums.  The three differ in the exchange.
 *
 *     row r  | tile 0 | tile 1 | tile 2 | ...      a tile: B threads x Q elements
 *               |        |        |
 *               +--sum-->+--sum-->+--sum-->        one read and one write for each element, and a word or two for each
 *                                                  tile, from block to block
 *
 * A tile is held in registers while the block waits for its neighbours, in one of two arrangements.
 *
 *     vectors    group 0: lane 0 has elements 0..3, lane 1 has 4..7, ..     group 1: elements 128..131, ...
 *                16 bytes of sums for each lane and group: memory accesses of a warp are contiguous, and nothing needs
 *                to be rearranged; costs a warp scan for each group
 *     staged     a lane has Q elements in a row, rearranged through shared memory (staging.cuh): one warp scan
 *
 * The sum of a tile is known before its scan, and is told at once. */
#ifndef LOOKBACK_CUH
#define LOOKBACK_CUH

#include <stdio.h>

#include "prim/block_scan.cuh"
#include "prim/runtime.cuh"
#include "prim/staging.cuh"
#include "prim/ticket.cuh"
#include "prim/tile_state.cuh"
#include "prim/warp_scan.cuh"
#include "scan.cuh"
#include "table.cuh"

namespace look
{

enum class hold { vectors, staged, staged_naive };

template <unsigned B, unsigned Q, hold H, unsigned MIN_BLOCKS = 1> struct block_shape {
    static constexpr unsigned block_threads = B, items = Q, elements = B * Q, min_blocks = MIN_BLOCKS;
    static constexpr hold how = H;
    static constexpr bool holes = H == hold::staged;
};

/* Blocks that share a multiprocessor's registers: samples wider than the sums are held as they come until they have
 * been converted, and need twice the room. */
template <class Work, class Shape>
constexpr int resident = sizeof(typename Work::sample) > sizeof(typename Work::sum) ? (Shape::min_blocks + 1) / 2
                                                                                    : Shape::min_blocks;

struct nothing {
};

/* How many samples one instruction loads: those of a lane's 16 bytes of sums, but no more than 16 bytes. */
template <class Sample, class Sum>
constexpr unsigned VECTOR = 16 / (sizeof(Sample) > sizeof(Sum) ? sizeof(Sample) : sizeof(Sum));

/* What a launch works on. */
template <class Sample, class Accum> struct work {
    using sample = Sample;
    using sum = typename sums_in<Accum>::type;

    scan_source<Sample, Accum> source;
    sum *out;
    int64_t out_pitch, length;
    const sum *first; /* for each row, or NULL */
    uint32_t rows, tiles;
    bool exclusive, in_vectors, out_vectors;

    PRIM_DEVICE sum before_row(uint32_t row) const { return first ? prim::load(first + row) : sum(); }
};

/* ---- a tile -------------------------------------------------------------------------------------------- */

/* One thread's part of a tile. */
template <class Work, class Shape> struct tile {
    using sample = typename Work::sample;
    using sum = typename Work::sum;
    static constexpr unsigned Q = Shape::items;
    static constexpr bool VECTORS = Shape::how == hold::vectors;
    static constexpr unsigned V = VECTORS ? 16 / sizeof(sum) : Q; /* neighbours in a thread */
    static constexpr unsigned GROUPS = Q / V;
    static constexpr unsigned ROOM = prim::STAGED_WORDS<sum, Q, Shape::holes>;
    static_assert(Q % V == 0, "whole groups");

    using room = std::conditional_t<VECTORS, nothing, prim::array<sum, Shape::block_threads / prim::WARP * ROOM>>;

    sum x[Q];
    sum before[GROUPS]; /* this lane's group, in its warp */

    /* Where in the tile the thread's x[k] comes from and goes to, in memory order. */
    PRIM_DEVICE static unsigned place(unsigned k)
    {
        unsigned warp = prim::warp_id() * prim::WARP * Q, lane = prim::lane_id();
        return VECTORS ? warp + k / V * prim::WARP * V + lane * V + k % V : warp + k * prim::WARP + lane;
    }

    /* Elements from .. from + left of the row; what lies behind them counts as 0. */
    PRIM_DEVICE void load(const Work &w, const sample *row, int64_t from, int64_t left)
    {
        if constexpr (VECTORS) {
            if (w.in_vectors && left >= Shape::elements)
                load_vectors<true>(w, row, from, left);
            else
                load_vectors<false>(w, row, from, left);
        } else {
#pragma unroll
            for (unsigned k = 0; k < Q; k++) x[k] = place(k) < left ? w.source.at(row, from + place(k)) : sum();
        }
    }

    template <bool WHOLE> PRIM_DEVICE void load_vectors(const Work &w, const sample *row, int64_t from, int64_t left)
    {
        constexpr unsigned N = VECTOR<sample, sum>;
        prim::vec<sample, N> v[Q / N];
#pragma unroll
        for (unsigned i = 0; i < Q / N; i++) {
            const unsigned at = place(i * N);
            if (WHOLE || (w.in_vectors && at + N <= left)) {
                v[i] = prim::load((const prim::vec<sample, N> *)(row + from + at));
            } else {
#pragma unroll
                for (unsigned k = 0; k < N; k++)
                    if (at + k < left) v[i].at[k] = prim::load(row + (from + at + k) * w.source.step);
            }
        }
#pragma unroll
        for (unsigned k = 0; k < Q; k++) x[k] = WHOLE || place(k) < left ? w.source.widen(v[k / N].at[k % N]) : sum();
    }

    PRIM_DEVICE sum total() const
    {
        sum t[4] = {}; /* four chains, not one */
#pragma unroll
        for (unsigned k = 0; k < Q; k++) t[k % 4] += x[k];
        return (t[0] + t[1]) + (t[2] + t[3]);
    }

    PRIM_DEVICE void scan(room &s)
    {
        if constexpr (!VECTORS) prim::stage_in<Shape::holes>(s, prim::warp_id() * ROOM, x);
        sum groups = sum();
#pragma unroll
        for (unsigned g = 0; g < GROUPS; g++) {
            sum mine = x[g * V];
#pragma unroll
            for (unsigned k = 1; k < V; k++) mine += x[g * V + k];
            sum upto = prim::warp_scan_inclusive(mine);
            sum left = prim::shuffle_up(upto, 1);
            before[g] = prim::lane_id() ? groups + left : groups;
            if (g + 1 < GROUPS) groups += prim::shuffle(upto, prim::WARP - 1);
        }
    }

    /* base: what lies before the warp. */
    PRIM_DEVICE void store(const Work &w, room &s, sum *row, int64_t from, int64_t left, sum base)
    {
#pragma unroll
        for (unsigned g = 0; g < GROUPS; g++) {
            sum run = before[g];
#pragma unroll
            for (unsigned k = g * V; k < (g + 1) * V; k++) {
                sum upto = run + x[k];
                x[k] = base + (w.exclusive ? run : upto);
                run = upto;
            }
        }
        if constexpr (!VECTORS) prim::stage_out<Shape::holes>(s, prim::warp_id() * ROOM, x);
        if constexpr (VECTORS) {
#pragma unroll
            for (unsigned g = 0; g < GROUPS; g++) {
                const unsigned at = place(g * V);
                prim::vec<sum, V> v;
#pragma unroll
                for (unsigned k = 0; k < V; k++) v.at[k] = x[g * V + k];
                if (w.out_vectors && at + V <= left) {
                    prim::store((prim::vec<sum, V> *)(row + from + at), v);
                } else {
#pragma unroll
                    for (unsigned k = 0; k < V; k++)
                        if (at + k < left) prim::store(row + from + at + k, v.at[k]);
                }
            }
        } else {
#pragma unroll
            for (unsigned k = 0; k < Q; k++)
                if (place(k) < left) prim::store(row + from + place(k), x[k]);
        }
    }
};

/* ---- a block ------------------------------------------------------------------------------------------- */

template <class Work, class Shape> struct block_room {
    prim::array<typename Work::sum, Shape::block_threads / prim::WARP> totals;
    prim::var<typename Work::sum> before;
    typename tile<Work, Shape>::room staging;
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
    tile<Work, Shape> t;
    t.load(w, w.source.row(row), from, left);
    prim::share<sum> warp = prim::block_shares(s.totals, prim::warp_sum(t.total()));
    const bool asks = w.tiles > 1 && prim::warp_id() == 0;
    if (asks) exchange.begin(warp.total);
    t.scan(s.staging);
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
    t.store(w, s.staging, w.out + row * w.out_pitch, from, left, before + warp.before);
}

/* ---- the host's side ----------------------------------------------------------------------------------- */

/* The shapes that a method chooses from by itself.
 *
 * Large: 128 bytes of sums for each of 256 threads, 32 KiB.  The memory of an H200 wants some 3.4 MB under way (4.2
 * TB/s times 0.8 us), and a tile occupies its registers from its load through the wait to its stores, about five times
 * as long: 16 MB, which is 4 tiles of 32 KiB on each of 132 multiprocessors, 64 registers a thread.  Fewer and larger
 * tiles also mean fewer words to look back over.
 *
 * Small: 16 bytes of sums for each of 128 threads, where a large tile would be mostly empty or there would be too few
 * of them to fill the device.
 *
 * In the simulator both are tiny, so that small arrays have many tiles. */
#ifdef SAT_SIMT
constexpr unsigned LARGE_THREADS = 64, LARGE_BYTES = 16, SMALL_THREADS = 32, SMALL_BYTES = 16, RESIDENT = 2;
constexpr int64_t FEW_TILES = 4;
#else
constexpr unsigned LARGE_THREADS = 256, LARGE_BYTES = 128, SMALL_THREADS = 128, SMALL_BYTES = 16, RESIDENT = 4;
constexpr int64_t FEW_TILES = 64; /* half the multiprocessors of an H200 would have nothing to do */
#endif

/* Sums of 8 bytes take some 80 registers a thread, not 64. */
template <class Sum>
using large = block_shape<LARGE_THREADS, LARGE_BYTES / sizeof(Sum), hold::vectors, RESIDENT - (sizeof(Sum) > 4)>;
template <class Sum> using small = block_shape<SMALL_THREADS, SMALL_BYTES / sizeof(Sum), hold::vectors>;

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
    if (b == B && q == Q && !naive) return f(block_shape<B, Q, hold::staged>());                                       \
    if (b == B && q == Q && naive) return f(block_shape<B, Q, hold::staged_naive>())
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

/* The words that tiles leave for each other, row by row; an even number for each row, so that pairs of 4-byte states
 * never belong to two.  A row of one tile has none. */
PRIM_HOST_DEVICE int64_t slots_of(int64_t tiles)
{
    return tiles > 1 ? tiles + tiles % 2 : 0;
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
                if constexpr (decltype(s)::how == hold::vectors || std::is_same_v<sample, uint32_t>)
                    return launch<sample, accum, decltype(s)>(job, workspace, stream);
                else
                    return sat_fail(SAT_ERR_UNAVAILABLE, "a block of this shape scans u32 samples only");
            });
        });
    }

    /* array_open(), which asks for a workspace of sums alone, where the samples matter too. */
    static sat_status open_array(const scan_algorithm *algorithm, const sat_scan_spec *spec, void **state, char *note,
                                 size_t note_bytes)
    {
        const scan_shape shape = {spec->block_threads, spec->thread_items, spec->naive_staging};
        sat_status status = with_accum(spec->accum, [&](auto zero) {
            return with_shape<decltype(zero)>(&shape, 1, spec->length, [&](auto s) {
                if (decltype(s)::how == hold::vectors || spec->sample == SAT_U32) return SAT_OK;
                return sat_fail(SAT_ERR_UNAVAILABLE, "blocks of this shape scan u32 only");
            });
        });
        return status == SAT_OK ? ::array_open(algorithm, spec, state, note, note_bytes) : status;
    }

    /* A launch has at most 2^31 - 1 blocks: very many rows take several.  Interleaved channels stay together. */
    template <class Sample, class Accum, class Shape>
    static sat_status launch(const scan_job *job, void *workspace, void *stream)
    {
        using w = work<Sample, Accum>;
        using sum = typename w::sum;
        using kernel = Kernel<w, Shape>;
        constexpr unsigned N = VECTOR<Sample, sum>, V = 16 / sizeof(sum);
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
        const size_t in_bytes = N * sizeof(Sample);
        work.in_vectors = job->step == 1 && (uintptr_t)job->in % in_bytes == 0 && job->in_pitch % N == 0;
        work.out_vectors = (uintptr_t)job->out % 16 == 0 && job->out_pitch % V == 0;

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

    static void describe(int64_t length, sat_type accum, const scan_shape *shape, char *text, size_t bytes)
    {
        text[0] = 0;
        (void)with_accum(accum, [&](auto zero) {
            return with_shape<decltype(zero)>(shape, 1, length, [&](auto s) {
                using chosen = decltype(s);
                snprintf(text, bytes, "B=%u, Q=%u, %s", chosen::block_threads, chosen::items,
                         chosen::how == hold::vectors  ? "held as vectors"
                         : chosen::how == hold::staged ? "staged"
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
            if (decltype(s)::how == hold::vectors || spec->sample == SAT_U32) return SAT_OK;
            return sat_fail(SAT_ERR_UNAVAILABLE, "%d threads x %d elements are compiled in for u32 samples only",
                            (int)decltype(s)::block_threads, (int)decltype(s)::items);
        });
    });
    return status == SAT_OK ? array_open(algorithm, spec, state, note, note_bytes) : status;
}

} // namespace look
#endif
