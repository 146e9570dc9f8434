/* recursion.cuh - rows of any length out of a kernel that scans one tile: scan the tiles, scan their sums in the same
 * manner, add to each tile its exclusive prefix.
 *
 *     level 0    [ tile 0 ][ tile 1 ][ tile 2 ]  ...         tile_scan: each tile by itself, its sum to level 1
 *                     |         |         |
 *     level 1    [    s0        s1        s2    ...  ][ ...  tile_scan: of the sums, exclusive and in place
 *                                  |
 *     level 2    [                 s                 ...     one tile is the whole row: from the row's first value on
 *
 *     and back:  level 1 += level 2, level 0 += level 1      uniform_add: one sum to all elements of a tile
 *
 * Paper: GPU Gems 3 ch. 39.2.4 (arrays of arbitrary size).
 *
 * Traffic: the scan reads and writes each element once, the addition again; level k + 1 is shorter than level k by a
 * factor of a tile's length, and adds little.
 *
 * Every sum is made in an order that depends on the length alone, so floats repeat. */
#ifndef RECURSION_CUH
#define RECURSION_CUH

#include <stdio.h>

#include "lab/launch_shapes.cuh"
#include "lab/tile_vectors.cuh"
#include "prim/runtime.cuh"

namespace recursion
{

/* The arguments of a kernel that scans tiles; block b has tile b % tiles of row b / tiles. */
template <class Sample, class Accum> struct level {
    using sum = Accum;
    scan_source<Sample, Accum> source;
    sum *out;
    int64_t out_pitch, length;
    unsigned tiles; /* of a row */
    int64_t sums_pitch;
    sum *sums;                 /* for each tile; NULL if a row is one tile */
    const sum *initial_values; /* see scan_job; NULL unless a row is one tile */
    bool exclusive;
    bool naive; /* see scan_shape.naive_staging */
};

/* Adds to each tile its exclusive prefix.  Blocks go from the last tile to the first: the second-level cache still
 * holds what the scan has written last.  With `skip` 1 the first tile of each row has nothing to add. */
template <unsigned B, unsigned Q, class T> struct uniform_add {
    static constexpr unsigned threads = B;
    struct shared {
    };
    recursion::level<T, T> level;
    unsigned skip;

    PRIM_DEVICE void operator()(shared &) const
    {
        const unsigned number = prim::blocks() - 1 - prim::block_id();
        const unsigned row = number / (level.tiles - skip), tile = number % (level.tiles - skip) + skip;
        const int64_t start = (int64_t)tile * (B * Q);
        const unsigned here = tile_extent(start, level.length, B * Q);
        T *out = level.out + row * level.out_pitch + start;
        const T before = prim::load(level.sums + row * level.sums_pitch + tile);
        using vectors = tile_vectors<B, Q, T, T>;
        vectors x;
        x.load(level.source, out, here);
#pragma unroll
        for (unsigned p = 0; p < vectors::VECTORS; p++) {
            prim::vec<T, vectors::V> sums;
#pragma unroll
            for (unsigned k = 0; k < vectors::V; k++) sums.at[k] = before + x.at[p][k];
            vectors::write(out, here, p, sums);
        }
    }
};

/* Rows of sums begin at vectors of 16 bytes. */
inline int64_t padded(int64_t tiles)
{
    return (tiles + 3) / 4 * 4;
}

inline int64_t tiles_of(int64_t length, unsigned tile)
{
    return (length - 1) / tile + 1;
}

/* Queues all levels of a job. Rung::kernel<B, Q, Sample, Accum> scans tiles of B * Q; it holds a level. */
template <class Rung, class Shape, class Sample, class Accum>
sat_status queue_levels(const scan_job *job, bool naive, Accum *space, void *stream)
{
    using sum = Accum;
    constexpr unsigned B = Shape::B, Q = Shape::template Q<sum>;
    const int64_t tiles = tiles_of(job->length, B * Q), pitch = padded(tiles);
    const bool one = tiles == 1;
    const level<Sample, Accum> here = {
        .source = scan_source<Sample, Accum>::of_job(job),
        .out = (sum *)job->out,
        .out_pitch = job->out_pitch,
        .length = job->length,
        .tiles = (unsigned)tiles, /* the launch refuses more */
        .sums_pitch = pitch,
        .sums = one ? nullptr : space,
        .initial_values = one ? (const sum *)job->initial_values : nullptr,
        .exclusive = job->exclusive,
        .naive = naive,
    };
    sat_status status =
        prim::launch(typename Rung::template kernel<B, Q, Sample, Accum>{here}, job->rows * tiles, stream);
    if (status != SAT_OK || one) return status;

    scan_job sums = *job;
    sums.in = sums.out = space;
    sums.in_pitch = sums.out_pitch = pitch;
    sums.step = 1;
    sums.length = tiles;
    sums.exclusive = true;
    status = queue_levels<Rung, Shape, sum, sum>(&sums, naive, space + job->rows * pitch, stream);
    if (status != SAT_OK) return status;

    scan_job again = *job;
    again.in = job->out;
    again.in_pitch = job->out_pitch;
    again.step = 1;
    const unsigned skip = job->initial_values == nullptr;
    const level<sum, sum> all = {
        .source = scan_source<sum, sum>::of_job(&again),
        .out = here.out,
        .out_pitch = here.out_pitch,
        .length = here.length,
        .tiles = here.tiles,
        .sums_pitch = pitch,
        .sums = space,
        .initial_values = nullptr,
        .exclusive = job->exclusive,
        .naive = naive,
    };
    return prim::launch(uniform_add<B, Q, sum>{all, skip}, job->rows * (tiles - skip), stream);
}

/* The functions of a scan_algorithm, for the shapes that are compiled in; the first is the default. */
template <class Rung, class Shapes> struct algorithm {
    static sat_status workspace(int64_t rows, int64_t length, sat_type accum, const scan_shape *requested,
                                size_t *bytes)
    {
        return with_scan_sums(accum, [=](auto zero) {
            using sum = decltype(zero);
            return with_launch_shape<sum, sum>(Shapes(), Rung::name, requested, [=](auto shape) {
                int64_t words = 0, row;
                for (int64_t tiles = length; (tiles = tiles_of(tiles, tile<sum>(shape))) > 1; words += row)
                    if (__builtin_mul_overflow(rows, padded(tiles), &row) || row > INT64_MAX / 16 - words)
                        return sat_fail(SAT_ERR_SHAPE, "%s: the sums of the tiles are too many", Rung::name);
                *bytes = (size_t)words * sizeof(sum);
                return SAT_OK;
            });
        });
    }

    static sat_status queue(const scan_job *job, const scan_shape *requested, void *workspace, void *stream)
    {
        return with_scan_types(job->sample, job->accum, [=](auto types) {
            using types_t = decltype(types);
            using sample = typename types_t::sample;
            using sum = typename types_t::accum;
            return with_launch_shape<sample, sum>(Shapes(), Rung::name, requested, [=](auto shape) {
                return queue_levels<Rung, decltype(shape), sample, typename types_t::accum>(
                    job, requested->naive_staging, (sum *)workspace, stream);
            });
        });
    }

    static void describe(int64_t, int64_t length, sat_type accum, const scan_shape *requested, char *text, size_t bytes)
    {
        (void)with_scan_sums(accum, [=](auto zero) {
            using sum = decltype(zero);
            return with_launch_shape<sum, sum>(Shapes(), Rung::name, requested, [=](auto shape) {
                int levels = 1;
                for (int64_t tiles = length; (tiles = tiles_of(tiles, tile<sum>(shape))) > 1;) levels++;
                snprintf(text, bytes, "B=%u, Q=%u, %d level%s", shape.B, shape.template Q<sum>, levels,
                         levels == 1 ? "" : "s");
                return SAT_OK;
            });
        });
    }

  private:
    template <class Sum, class Shape> static constexpr unsigned tile(Shape)
    {
        return Shape::B * Shape::template Q<Sum>;
    }
};

} // namespace recursion
#endif
