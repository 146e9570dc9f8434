/* tuning.cuh - the sizes that depend on a GPU, by subject and type, and the simulator's.
 *
 * They were measured on an H200 (132 multiprocessors with 227 KiB of shared memory each, 4.8 TB/s), and are right
 * everywhere: another GPU loses speed at most.  The number of multiprocessors and the shared memory of a block come
 * from the device at run time (prim::multiprocessors(), prim::shared_memory_limit()).  Shapes of tiles do not: the
 * order of additions, and so the bits of float sums, would then depend on the device.
 *
 * The simulator's sizes are as small as the kernels allow, so that small images and arrays have many tiles. */
#ifndef TUNING_CUH
#define TUNING_CUH

#include <stddef.h>
#include <stdint.h>

namespace tuning
{

#ifdef SAT_SIMT
constexpr bool simulated = true;
#else
constexpr bool simulated = false;
#endif

/* ---- the device ------------------------------------------------------------------------------------------------ */

/* Of all GPUs since 2012: words of one line share a slice of the second-level cache. */
constexpr unsigned CACHE_LINE_BYTES = 128;

/* What the memory of an H200 moves; sets the pace of a staggered start. */
constexpr unsigned BYTES_PER_NS = simulated ? 100 : 4200;

/* Threads that should be resident on a multiprocessor, so that some load while others scan: 48 of its 65536 registers
 * for each, without spilling.  Turing holds no more than 1024. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr int RESIDENT_THREADS = 1024;
#else
constexpr int RESIDENT_THREADS = 1280;
#endif

/* Between two polls of a descriptor. */
constexpr unsigned BACKOFF_NS = 20;

/* ---- fused: tables --------------------------------------------------------------------------------------------- */

/* Tiles of `fused`.  Large tiles fill a multiprocessor's shared memory: five of 32 KiB of samples.  Where samples have
 * the size of their sums, registers hold a part of each tile: four of 64 KiB, which have a third more bytes in flight
 * and fewer descriptors for as many bytes.  Rows of three channels are a multiple of three and of a warp: seven tiles
 * of 24 KiB (five for sums of 8 bytes), five of 36 or four of 48, and of 72 with registers.  Small tiles are for images
 * that few large ones cover. */
struct fused_tile {
    unsigned groups, rows, register_rows; /* column groups; rows of a warp, and those of them held in registers */
    int resident;                         /* blocks on a multiprocessor */
};
constexpr unsigned FUSED_WARPS = simulated ? 2 : 4;

constexpr fused_tile fused_large(unsigned channels, unsigned bytes, unsigned sum_bytes)
{
    if (simulated) {
        if (bytes == 8) return {1, 4 + 4, 4, 2};
        if (bytes == sum_bytes) return {1, 3 + 2, 2, 2};
        return {channels != 3 && bytes <= 2 ? 2u : 1u, bytes == 2 ? 4u : 3u, 0, 2};
    }
    const bool wider = bytes < sum_bytes; /* sums are wider than samples */
    if (channels == 3) switch (bytes) {
        case 1: return {1, 16, 0, sum_bytes == 4 ? 7 : 5};
        case 2: return sum_bytes == 4 ? fused_tile{1, 32, 0, 4} : fused_tile{1, 24, 0, 5};
        case 4: return wider ? fused_tile{1, 16, 0, 4} : fused_tile{1, 16 + 8, 8, 4};
        default: return {1, 8, 0, 4};
        }
    switch (bytes) {
    case 1: return {2, 32, 0, 5};
    case 2: return {2, 16, 0, 5};
    case 4: return wider ? fused_tile{1, 16, 0, 5} : fused_tile{1, 24 + 8, 8, 4};
    default: return {1, 12 + 4, 4, 4};
    }
}
constexpr fused_tile fused_small(unsigned bytes)
{
    if (simulated) return {1, 2, 0, 2};
    return {1, bytes < 8 ? 16u : 8u, 0, bytes <= 2 ? 8 : 5};
}

/* Images of at most so many large tiles take small ones: two for each multiprocessor. */
constexpr int64_t FUSED_FEW_TILES = simulated ? 4 : 264;

/* Bytes of descriptors in a ring: an eighth of the second-level cache of an H200, and more than those of all resident
 * tiles (but for four channels of bytes with sums of 8 bytes). */
constexpr int64_t FUSED_RING_BYTES = simulated ? 6 << 10 : 6 << 20;

/* A tile is prefetched by the block that begins so many tiles before it.  AT_START: by the blocks of the first wave,
 * where these prefetch later. */
constexpr uint32_t FUSED_AHEAD = simulated ? 2 : 64, FUSED_AHEAD_AT_START = simulated ? 3 : 160;

/* Aggregates of float sums that a thread keeps in N look-backs: registers are short where there are several, or sums of
 * 8 bytes. */
constexpr unsigned fused_kept_aggregates(size_t sum_bytes, unsigned n)
{
    const unsigned bytes = n * (unsigned)sum_bytes, fit = 128 / bytes, most = bytes == 4 ? 16 : 8;
    return simulated ? 2 : fit < most ? fit : most;
}

/* ---- fused: thin tables ---------------------------------------------------------------------------------------- */

constexpr unsigned THIN_THREADS = simulated ? 64 : 256;

/* Narrow images: sums of a round, in shared memory, four blocks to a multiprocessor; groups of rows. */
constexpr unsigned THIN_NARROW_SUM_BYTES = simulated ? 2 << 10 : 38 << 10, THIN_NARROW_GROUPS = simulated ? 5 : 64;
constexpr int THIN_NARROW_BLOCKS = simulated ? 3 : 4;
constexpr bool thin_narrow(int64_t elements, int64_t rows)
{
    if (simulated) return elements <= 32 && rows % 3 == 1;
    return elements <= 100 && rows >= 32 << 10;
}

/* Low images: columns of a lane; blocks on a multiprocessor, whose registers hold two rows of a lane's sums. */
constexpr unsigned THIN_LOW_RUN = simulated ? 4 : 8;
constexpr int thin_low_blocks(size_t sum_bytes)
{
    return sum_bytes == 4 ? 4 : 3;
}
constexpr int64_t THIN_LOW_ROWS = 64;
constexpr bool thin_low(int64_t columns, int64_t rows)
{
    if (simulated) return rows <= THIN_LOW_ROWS && columns % 7 == 3;
    return (rows <= 16 && columns >= 256 << 10) || (rows <= 40 && columns >= 512 << 10);
}

/* ---- box: filters ---------------------------------------------------------------------------------------------- */

/* Strips of the box filter, as box::strip_filter names them. */
struct box_strip {
    unsigned run, own, step;
    int resident;
    unsigned chunk, parts;
};
constexpr box_strip BOX_NARROW_BYTES = simulated ? box_strip{24, 8, 4, 3, 4, 1} : box_strip{40, 8, 7, 2, 7, 1};
constexpr box_strip BOX_WORDS = simulated ? box_strip{12, 4, 4, 24, 4, 2} : box_strip{36, 4, 5, 2, 5, 3};
constexpr box_strip box_broad_bytes(unsigned channels)
{
    if (simulated) return {channels == 3 ? 24u : 40u, 8, 4, 3, 2, 2};
    return {72, 8, 15, 1, 5, 1};
}

/* Strips of floats, as box::float_strip names them, with one warp or two for a row: two blocks of one on a
 * multiprocessor.  Their shared memory has room for the queues of f32 samples of one channel; less where samples are
 * counted. */
struct box_float_strip {
    unsigned run, step, queue;
    int resident;
};
constexpr box_float_strip box_float_strip_of(size_t bytes, bool counts)
{
    if (simulated) return bytes == 4 ? box_float_strip{4, 2, 3, 1} : box_float_strip{8, 4, 0, 1};
    return {16, 8, bytes > 4 ? 0u : counts ? 3u : 10u, 2};
}

/* Steps of fewer rows, with two warps for a row, where a block has no room for those above; in the simulator of others.
 */
constexpr box_float_strip box_float_few_of(size_t bytes)
{
    if (simulated) return bytes == 4 ? box_float_strip{8, 4, 0, 1} : box_float_strip{8, 2, 0, 1};
    return {8, 4, 0, 2};
}

/* With squared distances: a thread for each column, and a warp for each row of a step. */
constexpr box_float_strip window_moments_strip_of(size_t bytes)
{
    if (simulated) return bytes == 4 ? box_float_strip{2, 2, 0, 2} : box_float_strip{4, 4, 0, 1};
    return {8, 8, 0, 2};
}

/* Strips twice as wide, with one block on a multiprocessor, pay where they have so many times more results. */
constexpr double BOX_FLOAT_WIDER = 1.2;

/* Where windows are cut, or hold a border's value, and squared distances are known but no counts, strips at the edges
 * have as many segments as so many others. */
constexpr int64_t BOX_FLOAT_EDGE_SHARE = 2;

/* Windows of 3x3: warps of a block, each with a strip of its own; rows that a warp loads ahead, and one at an edge,
 * which needs more registers for each; 16-byte vectors of a lane.  128 registers hold two rows of f64 sums of 8 columns
 * and the rows ahead, 102 the packed sums of 16 bytes. */
constexpr unsigned BOX_SMALL_WARPS = simulated ? 2 : 4, BOX_SMALL_AHEAD = simulated ? 2 : 4, BOX_SMALL_EDGE_AHEAD = 1;
constexpr unsigned box_small_vectors(size_t bytes)
{
    return bytes == 8 ? 2 : bytes == 4 ? (simulated ? 1 : 2) : 1;
}
constexpr int box_small_blocks(size_t bytes)
{
    return bytes <= 2 ? 5 : 4;
}
/* Rows of a segment: so many that warps fill at least two waves, since those at the edges take longest and should not
 * come last; at most, since more waves cost little; at least, since each reads two more. */
constexpr int64_t BOX_SMALL_WAVES = 2, BOX_SMALL_ROWS = simulated ? 5 : 40, BOX_SMALL_LEAST_ROWS = simulated ? 5 : 8;
/* Strips at the edges have so many segments for each of the others. */
constexpr int32_t BOX_SMALL_EDGE_SHARE = 2;

/* Wide windows: warps of a block, each with 512 columns, so that images of that many columns take one block in a row.
 * Of each thread the groups of four columns. */
constexpr unsigned BOX_WIDE_WARPS = simulated ? 2 : 16, BOX_WIDE_FEW_WARPS = simulated ? 1 : 8,
                   BOX_WIDE_PARTS = simulated ? 2 : 4;
/* Blocks on a multiprocessor: 64 registers hold 16 sums of 32 bits and the rows of a step. */
constexpr int box_wide_blocks(unsigned warps, unsigned channels, size_t bytes)
{
    return (int)(16 / warps) * (channels <= 3 && bytes == 1 ? 2 : 1);
}
/* Columns that windows may reach beyond the image. */
constexpr unsigned box_wide_halo(unsigned warps)
{
    return simulated ? 128 : warps * 256;
}
/* Whether whole rows are faster than strips.  Those have column sums of 32 bits from 258 rows of u8 on, window sums of
 * 64 bits where `narrow` does not hold; and each loses `columns` of 2304 (u8), or 1152.  The simulator has both. */
constexpr bool box_wide_pays(size_t bytes, bool real, bool narrow, int64_t columns, int64_t rows)
{
    if (simulated) return rows % 3 == 1;
    if (bytes == 2) return !narrow || columns > 800;
    return rows > 257 || columns > (real ? 448 : 880);
}
/* Images with fewer elements in a row leave most of a block idle; those with fewer rows have as many column sums
 * of groups as samples. */
constexpr int64_t BOX_WIDE_LEAST_ELEMENTS = simulated ? 8 : 512, BOX_WIDE_LEAST_ROWS = simulated ? 2 : 64;
constexpr unsigned BOX_WIDE_SUM_THREADS = simulated ? 64 : 256, BOX_WIDE_SCAN_WARPS = simulated ? 2 : 32;

/* Passes over an image: bytes of each of two buffers.  1 GiB holds 4096 rows of 8192 samples, of 32 bytes each. */
constexpr unsigned BOX_PASSES_THREADS = simulated ? 32 : 128;
constexpr int64_t BOX_PASSES_BYTES = simulated ? 48000 : 1 << 30;

/* ---- window: statistics ---------------------------------------------------------------------------------------- */

/* Columns of a lane: 16 bytes of u8; of three channels a multiple of three. */
constexpr unsigned window_run(unsigned channels)
{
    return channels == 3 ? 12 : simulated ? 4 : 16;
}
/* Blocks of one warp on a multiprocessor, which has two sums, and a count where samples are masked, of each of its
 * columns in registers: 128 or 168 for each lane.  With 96 it spills sums, and takes a third longer.  Of several warps:
 * eight of them, which leave each lane all the registers that it may have. */
constexpr int window_blocks(unsigned warps, size_t sum_bytes, bool masked)
{
    if (simulated) return 2;
    if (warps > 1) return (int)(8 / warps);
    return sum_bytes == 8 || masked ? 12 : 16;
}
/* Warps of a broad block, of which samples of 32 bits need 200 KiB of shared memory; and of one that Turing's 64 KiB
 * hold. */
constexpr unsigned WINDOW_BROAD_WARPS = simulated ? 4 : 8, WINDOW_FEW_WARPS = 2;

/* Passes: blocks of results on a multiprocessor. */
constexpr unsigned WINDOW_PASSES_BLOCKS = 8;

/* ---- queries ------------------------------------------------------------------------------------------------------
 */

/* The simulator's blocks take several rounds from 193 rectangles on. */
constexpr unsigned QUERY_THREADS = simulated ? 64 : 256, QUERY_BLOCKS = simulated ? 3 : 4096;

/* ---- lab: single-pass scans ---------------------------------------------------------------------------------------
 */

/* Tiles of the look-backs, in 16-byte vectors of sums for each thread.
 *
 * Large: 32 vectors for each of 128 threads, 64 KiB of sums; five are resident.  An H200 moves a tile's 128 KiB in 4 us
 * (4.2 TB/s over 132 multiprocessors), but the tile stays for about 20: its own loads, the slowest loads of the tiles
 * before it, the look-back, the stores.  So five of them keep the memory busy, and as much of each is held as fits: 20
 * vectors in shared memory (5 * 40 KiB of 227) and 12 in registers (48 of the 102 that 640 threads leave to each). More
 * and smaller tiles have more descriptors to look back over; larger ones wait longer for their last byte.
 *
 * Small: 8 vectors, where a large tile would be half empty, or there would be too few of them to fill the device. */
struct striped_tile {
    unsigned threads, shared_vectors, register_vectors;
    int resident;
};
constexpr striped_tile LOOKBACK_LARGE = simulated ? striped_tile{64, 1, 1, 2} : striped_tile{128, 20, 12, 5};
constexpr striped_tile LOOKBACK_SMALL = simulated ? striped_tile{32, 1, 0, 2} : striped_tile{128, 8, 0, 8};
constexpr int64_t LOOKBACK_FEW_TILES = simulated ? 4 : 256; /* two for each multiprocessor */

/* TUNING_BLOCKED_TILES(X): X(B, Q) for each blocked tile that is compiled in, for `sat bench tune`.
 * TUNING_REPORT_TILES(X): the three of them that the experiments compare all methods in. */
#if defined SAT_SIMT
#define TUNING_BLOCKED_TILES(X) X(64, 4) X(32, 7)
#define TUNING_REPORT_TILES(X)  TUNING_BLOCKED_TILES(X)
#elif defined SAT_SWEEP
#define TUNING_ITEMS(X, B)                                                                                             \
    X(B, 2) X(B, 4) X(B, 7) X(B, 8) X(B, 10) X(B, 13) X(B, 16) X(B, 20) X(B, 24) X(B, 30) X(B, 32) X(B, 40)
#define TUNING_BLOCKED_TILES(X)                                                                                        \
    TUNING_ITEMS(X, 32)                                                                                                \
    TUNING_ITEMS(X, 64) TUNING_ITEMS(X, 128) TUNING_ITEMS(X, 256) TUNING_ITEMS(X, 512) TUNING_ITEMS(X, 1024)
#define TUNING_REPORT_TILES(X) X(256, 30) X(256, 10) X(1024, 10)
#else
#define TUNING_BLOCKED_TILES(X)
#define TUNING_REPORT_TILES(X)
#endif

/* ---- lab: the other rungs -----------------------------------------------------------------------------------------
 */

/* A shape that is compiled in: B threads, and so many items of 4 and of 8 bytes for each; at most MOST chunks in a row.
 */
template <unsigned THREADS, unsigned ITEMS4, unsigned ITEMS8, unsigned MOST = 0> struct launch_shape {
    static constexpr unsigned B = THREADS, MOST_CHUNKS = MOST;
    static constexpr bool words_only = false;
    template <class Sum> static constexpr unsigned Q = sizeof(Sum) == 4 ? ITEMS4 : ITEMS8;
};

/* A shape of the experiments: u32 samples and sums only, so that it is one kernel and not one for each type. */
template <unsigned THREADS, unsigned ITEMS, unsigned MOST = 0>
struct words_shape : launch_shape<THREADS, ITEMS, ITEMS, MOST> {
    static constexpr bool words_only = true;
};

/* The shapes of a rung; the first is the default. */
template <class... Shape> struct shapes {
};

using hillis_steele_usual = launch_shape<512, 1, 1>;
using blelloch_usual = launch_shape<256, 16, 8>;
using reduce_scan_usual = launch_shape<256, 16, 8, 16384>;
#if defined SAT_SIMT
using hillis_steele_shapes =
    shapes<launch_shape<32, 1, 1>, hillis_steele_usual>; /* three levels from 1025 elements on */
/* Three levels from 4097 elements on; a tree of several warps, whose threads have several vectors; one element in each
 * leaf. */
using blelloch_shapes = shapes<launch_shape<32, 2, 2>, launch_shape<64, 8, 4>, blelloch_usual, words_shape<64, 1>>;
/* Several tiles in a chunk from 513 elements on; several tiles of carries from 1057 on; vectors of two elements. */
using reduce_scan_shapes =
    shapes<launch_shape<64, 2, 2, 4>, launch_shape<32, 1, 1, 64>, reduce_scan_usual, words_shape<64, 10, 16>>;
#elif defined SAT_SWEEP
using hillis_steele_shapes = shapes<hillis_steele_usual>;
using blelloch_shapes = shapes<blelloch_usual, words_shape<512, 1>>; /* one element in each leaf, as in the chapter */
/* Those of TUNING_REPORT_TILES, and the largest that keeps its items in registers. */
using reduce_scan_shapes = shapes<reduce_scan_usual, words_shape<256, 30, 16384>, words_shape<256, 10, 16384>,
                                  words_shape<1024, 10, 16384>, words_shape<1024, 32, 16384>>;
#else
using hillis_steele_shapes = shapes<hillis_steele_usual>;
using blelloch_shapes = shapes<blelloch_usual>;
using reduce_scan_shapes = shapes<reduce_scan_usual>;
#endif

/* Blocks of `threads` that should be resident, where each thread holds so many bytes of items: RESIDENT_THREADS leave
 * 48 registers to a thread, for 64 bytes; larger items are given as many more. */
constexpr int resident_blocks(unsigned threads, size_t item_bytes)
{
    if (item_bytes <= 64) return RESIDENT_THREADS / (int)threads;
    return (int)((RESIDENT_THREADS * 64 / item_bytes + threads - 1) / threads);
}

constexpr unsigned WARP_SCANS_THREADS = simulated ? 64 : 256;

/* Vectors of a thread of a copy, enough that the loads of a multiprocessor's threads cover the latency of memory: 2048
 * threads with 64 bytes each are three times what 4.8 TB/s and 1 us need on each of 132 multiprocessors. */
constexpr unsigned COPY_VECTORS = 4;

} // namespace tuning
#endif
