/* reduce_scan.cu - two passes over the input: sums first, then the scan, each block with its exclusive prefix.
 *
 * Idea      A block cannot know what comes before its part of a row until all blocks to its left have summed theirs.
 *           The recursive scans write sums that lack it and correct them later, 2R2W. It is cheaper to find it out
 *           first: to reduce is to read only, and then every sum is written once.
 * Paper     Dotsenko, Govindaraju, Sloan, Boyd & Manferdelli, Fast scan algorithms on graphics processors, ICS 2008;
 *           Merrill & Grimshaw, Parallel scan for stream architectures, U. Virginia CS2009-14, 2009.
 * Layout    a row, in chunks of whole tiles; one tile each, until that makes more than 16384 chunks:
 *
 *               | tile tile | tile tile | tile tile | tile t |
 *               |  chunk 0  |  chunk 1  |  chunk 2  | chunk 3|
 *                    s0          s1          s2          -       1. sums; no chunk needs the last one
 *                    s0        s0+s1      s0+s1+s2               2. their scan, in place, by one block
 *                  first       + s0        + s0+s1   + s0+s1+s2  3. scan of each chunk, tile by tile, from its carry
 *
 *           A tile in a block: vectors in registers (tile_vectors.cuh); each warp scans the sums of 32 vectors by
 *           shuffles; the first warp scans the sums of the warps.
 * Launch    One block for each chunk of each row; a row of one chunk needs step 3 only.  B = 256 threads, 64 bytes of
 *           sums for each: four vectors are enough loads in flight, and the first warp's part is one round of 32 sums.
 *           At most 16384 chunks: for the one block of step 2 they are four tiles (8-byte sums: eight), one after the
 *           other; and as a multiprocessor holds five blocks, 132 of them take 25 rounds, of which only the last may
 *           be short.
 * Traffic   2R1W; as a table twice, and two transposes of 1R1W: 2R of the image, 4R4W of sums.
 * Sync      Barriers only, two for a tile; between the steps the order of the stream.  No block waits for another.
 *           The order of additions depends on the shape alone: floats repeat.
 * Limits    rows * chunks at most 2^31 - 1, the grid; a single row of any length has no more than 16384.
 * Steps     The numbers in the drawing.  Step 3 goes from the last chunk to the first: the second-level cache still
 *           holds the rows that step 1 has read last. */
#include <stdio.h>

#include "lab/launch_shapes.cuh"
#include "lab/tile_vectors.cuh"
#include "prim/block_scan.cuh"
#include "prim/runtime.cuh"
#include "prim/warp_scan.cuh"
#include "table/table.cuh"

namespace
{

const char name[] = "reduce-scan";

/* How a row is cut. */
struct cut {
    int64_t length, chunk; /* elements; a chunk is whole tiles */
    unsigned chunks;
};

cut cut_row(int64_t length, unsigned tile, unsigned most_chunks)
{
    const int64_t tiles = (length - 1) / tile + 1, of_chunk = (tiles - 1) / most_chunks + 1;
    return {length, of_chunk * tile, (unsigned)((tiles - 1) / of_chunk + 1)};
}

/* Carries of a row: one for each chunk but the first, from a vector of 16 bytes on. */
int64_t carries_pitch(unsigned chunks)
{
    return ((int64_t)chunks - 1 + 3) / 4 * 4;
}

/* Step 1. */
template <unsigned BLOCK, unsigned ITEMS, class Sample, class Accum> struct sum_chunks {
    static constexpr unsigned threads = BLOCK, tile = BLOCK * ITEMS, WARPS = BLOCK / prim::WARP;
    using vectors = tile_vectors<BLOCK, ITEMS, Sample, Accum>;
    using sum = typename vectors::sum;
    static constexpr int min_blocks = tuning::resident_blocks(BLOCK, ITEMS * sizeof(sum));
    struct shared {
        prim::array<sum, WARPS> sums;
    };
    scan_source<Sample, Accum> source;
    cut row;
    sum *carries;
    int64_t carries_pitch;

    PRIM_DEVICE void operator()(shared &s) const
    {
        const unsigned requested = row.chunks - 1; /* all of them full */
        const unsigned y = prim::block_id() / requested, number = prim::block_id() % requested;
        const Sample *in = source.row(y) + number * row.chunk * source.step;
        sum all = 0;
        for (int64_t i = 0; i < row.chunk; i += tile) {
            vectors x;
            x.load(source, in + i * source.step, tile);
#pragma unroll
            for (unsigned p = 0; p < vectors::VECTORS; p++) all += x.total(p);
        }
        all = prim::block_scan_exclusive(s.sums, prim::warp_sum(all)).aggregate;
        if (prim::thread_id() == 0) prim::store(carries + y * carries_pitch + number, all);
    }
};

/* Steps 2 and 3. */
template <unsigned BLOCK, unsigned ITEMS, class Sample, class Accum> struct scan_chunks {
    static constexpr unsigned threads = BLOCK, tile = BLOCK * ITEMS, WARPS = BLOCK / prim::WARP;
    using vectors = tile_vectors<BLOCK, ITEMS, Sample, Accum>;
    using sum = typename vectors::sum;
    static constexpr int min_blocks = tuning::resident_blocks(BLOCK, ITEMS * sizeof(sum));
    static constexpr unsigned GROUPS = vectors::VECTORS * WARPS; /* of 32 vectors; in the order of a tile */
    /* Two, for even and odd tiles: one is set for the next tile while slow warps still read the other. */
    struct shared {
        prim::array<sum, GROUPS + 1> before[2];
    };
    scan_source<Sample, Accum> source;
    sum *out;
    int64_t out_pitch;
    cut row;
    const sum *initial_values, *carries;
    int64_t carries_pitch;
    bool exclusive;

    PRIM_DEVICE void operator()(shared &s) const
    {
        const unsigned block = prim::blocks() - 1 - prim::block_id(), y = block / row.chunks,
                       number = block % row.chunks;
        const int64_t start = number * row.chunk;
        const int64_t end = start + row.chunk < row.length ? start + row.chunk : row.length;
        sum carry = number           ? prim::load(carries + y * carries_pitch + number - 1)
                    : initial_values ? prim::load(initial_values + y)
                                     : 0;
        bool odd = false;
        for (int64_t i = start; i < end; i += tile, odd = !odd) carry += scan_tile(s.before[odd], y, i, end, carry);
    }

    PRIM_DEVICE sum scan_tile(prim::array<sum, GROUPS + 1> &before, unsigned y, int64_t i, int64_t end, sum carry) const
    {
        const unsigned here = tile_extent(i, end, tile);
        vectors x;
        x.load(source, source.row(y) + i * source.step, here);
        sum left[vectors::VECTORS]; /* of the same group */
#pragma unroll
        for (unsigned p = 0; p < vectors::VECTORS; p++) {
            const sum with = prim::warp_scan_inclusive(x.total(p));
            left[p] = prim::shuffle_up(with, 1);
            if (prim::lane_id() == 0) left[p] = 0;
            if (prim::lane_id() == prim::WARP - 1) before.set(p * WARPS + prim::warp_id(), with);
        }
        prim::block_sync(); /* the groups' sums are stored */
        if (prim::warp_id() == 0) scan_groups(before);
        prim::block_sync(); /* the groups' exclusive prefixes are stored */
        sum *to = out + y * out_pitch + i;
#pragma unroll
        for (unsigned p = 0; p < vectors::VECTORS; p++)
            x.write_sums(to, here, p, carry + (before.get(p * WARPS + prim::warp_id()) + left[p]), exclusive);
        return before.get(GROUPS);
    }

    /* Exclusive, by one warp; the sum of all behind the last. */
    PRIM_DEVICE static void scan_groups(prim::array<sum, GROUPS + 1> &groups)
    {
        sum all = 0;
#pragma unroll
        for (unsigned g = prim::lane_id(); g < GROUPS + prim::lane_id(); g += prim::WARP) {
            const sum with = prim::warp_scan_inclusive(g < GROUPS ? groups.get(g) : 0);
            const sum left = prim::shuffle_up(with, 1);
            if (g < GROUPS) groups.set(g, prim::lane_id() ? all + left : all);
            all += prim::shuffle(with, prim::WARP - 1);
        }
        if (prim::lane_id() == 0) groups.set(GROUPS, all);
    }
};

template <class Sum, class Shape> cut cut_for(int64_t length, Shape)
{
    return cut_row(length, Shape::B * Shape::template Q<Sum>, Shape::MOST_CHUNKS);
}

template <class Shape, class Sample, class Accum>
sat_status queue_steps(const scan_job *job, Accum *carries, void *stream)
{
    using sum = Accum;
    constexpr unsigned B = Shape::B, Q = Shape::template Q<sum>;
    const auto source = scan_source<Sample, Accum>::of_job(job);
    const cut row = cut_for<sum>(job->length, Shape());
    const int64_t pitch = carries_pitch(row.chunks);
    const sum *initial_values = (const sum *)job->initial_values;
    if (row.chunks > 1) {
        sat_status status = prim::launch(sum_chunks<B, Q, Sample, Accum>{source, row, carries, pitch},
                                         job->rows * (row.chunks - 1), stream);
        if (status != SAT_OK) return status;
        const scan_source<sum, sum> sums = {.in = carries, .pitch = pitch, .step = 1};
        const cut whole = {row.chunks - 1, row.chunks - 1, 1};
        status =
            prim::launch(scan_chunks<B, Q, sum, sum>{sums, carries, pitch, whole, initial_values, nullptr, 0, false},
                         job->rows, stream);
        if (status != SAT_OK) return status;
    }
    return prim::launch(scan_chunks<B, Q, Sample, Accum>{source, (sum *)job->out, job->out_pitch, row, initial_values,
                                                         carries, pitch, job->exclusive},
                        job->rows * row.chunks, stream);
}

sat_status workspace(int64_t rows, int64_t length, sat_type accum, const scan_shape *requested, size_t *bytes)
{
    return with_scan_sums(accum, [=](auto zero) {
        using sum = decltype(zero);
        return with_launch_shape<sum, sum>(tuning::reduce_scan_shapes(), name, requested, [=](auto shape) {
            const cut row = cut_for<sum>(length, shape);
            int64_t words;
            if (__builtin_mul_overflow(rows, carries_pitch(row.chunks), &words) || words > INT64_MAX / 8)
                return sat_fail(SAT_ERR_SHAPE, "%s: the sums of the chunks are too many", name);
            *bytes = (size_t)words * sizeof(sum);
            return SAT_OK;
        });
    });
}

sat_status queue(const scan_job *job, const scan_shape *requested, void *workspace, void *stream)
{
    return with_scan_types(job->sample, job->accum, [=](auto types) {
        using types_t = decltype(types);
        using sum = typename types_t::accum;
        using sample = typename types_t::sample;
        return with_launch_shape<sample, sum>(tuning::reduce_scan_shapes(), name, requested, [=](auto shape) {
            return queue_steps<decltype(shape), sample, typename types_t::accum>(job, (sum *)workspace, stream);
        });
    });
}

void describe(int64_t, int64_t length, sat_type accum, const scan_shape *requested, char *text, size_t bytes)
{
    (void)with_scan_sums(accum, [=](auto zero) {
        using sum = decltype(zero);
        return with_launch_shape<sum, sum>(tuning::reduce_scan_shapes(), name, requested, [=](auto shape) {
            const unsigned chunks = cut_for<sum>(length, shape).chunks;
            snprintf(text, bytes, "B=%u, Q=%u, %u chunk%s", shape.B, shape.template Q<sum>, chunks,
                     chunks == 1 ? "" : "s");
            return SAT_OK;
        });
    });
}

const scan_algorithm algorithm = {name, workspace, queue, describe};

const char summary[] = "two passes: sums of chunks, then the scan of each from its carry";
const char paper[] = "Dotsenko et al., ICS 2008; Merrill & Grimshaw, CS2009-14";

sat_status open_plan(const sat_plan_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes)
{
    return table_open(&algorithm, spec, arena, state, note, note_bytes);
}

sat_status open_scan(const sat_scan_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes)
{
    return open_array_in(tuning::reduce_scan_shapes(), &algorithm, spec, arena, state, note, note_bytes);
}

} // namespace

const sat_backend sat_backend_reduce_scan = {
    .name = name,
    .summary = summary,
    .paper = paper,
    .traffic = {.in_reads = 2, .out_reads = 4, .out_writes = 4},
    .kind = SAT_METHOD,
    .device = true,
    .probe = device_probe,
    .open = open_plan,
    .run = table_run,
};

const sat_scan_method sat_scan_reduce_scan = {
    .name = name,
    .summary = summary,
    .paper = paper,
    .traffic = {.in_reads = 2, .out_reads = 0, .out_writes = 1},
    .kind = SAT_METHOD,
    .device = true,
    .probe = device_probe,
    .open = open_scan,
    .run = array_run,
};
