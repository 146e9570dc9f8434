/* transpose.cuh - matrices of any size, transposed at the speed of a copy.
 *
 * Idea      A warp that reads along a row and writes along a column touches a line of memory for each value.  So a
 *           block loads a square tile along its rows, transposes it in shared memory, and stores it along rows again.
 * Paper     Ruetsch & Micikevicius, Optimizing matrix transpose in CUDA, NVIDIA 2009
 * Layout    in: rows x columns, tiles numbered down first, STRIP of them, then across, then the next STRIP rows;
 *           so the blocks that run at one time form a broad patch both in the input and in the output, and short
 *           pieces of rows become long ones while they are still in the cache:
 *
 *              STRIP = 3 0 3 6 9       in shared memory:  row 0: x x x x .   one value more in each row than the tile
 *                        1 4 7 10                         row 1: x x x x .   needs, so that a column, too, lies in
 *                        2 5 8 11                         row 2: x x x x .   different banks
 *                       12 13 14 15
 *
 * Launch    A block of 256 threads for each tile of SIDE x SIDE values, whose rows have 512 bytes (256, see below);
 *           each thread begins all its loads before it needs the first.
 * Traffic   one read and one write for each value, in vectors of 16 bytes wherever the rows are aligned to that
 * Sync      one barrier: a tile is loaded before it is stored.  Blocks do not communicate.
 * Limits    values of 4 and 8 bytes; 2^31 - 1 tiles: 2^41 values, or a column of 2^36 of 8 bytes (16 TiB, 512 GiB)
 * Steps     1. load rows of the tile  2. barrier  3. store its columns as rows */
#ifndef PRIM_TRANSPOSE_CUH
#define PRIM_TRANSPOSE_CUH

#include "prim/runtime.cuh"
#include "prim/vector.cuh"

namespace prim
{

/* Rows that lie pitch values apart; further matrices of the same shape lie plane values apart. */
template <class T> struct matrices {
    T *data;
    int64_t pitch, plane;
};

template <class T, unsigned SIDE, unsigned IN, unsigned OUT> struct transpose_tiles {
    static constexpr unsigned threads = 256;
    static constexpr unsigned PITCH = SIDE + 1;
    struct shared {
        array<T, SIDE * PITCH> tile;
    };
    matrices<const T> in;
    matrices<T> out;
    int64_t rows, columns;                   /* of in */
    uint32_t tile_rows, tile_columns, strip; /* rows of tiles that are numbered together, at most tile_rows */

    /* The part of a tile that a thread moves, N values at a time. */
    template <unsigned N> struct thread_part {
        static constexpr unsigned across = SIDE / N, down = threads / across, passes = SIDE / down;
        static_assert(SIDE % N == 0 && threads % across == 0 && SIDE % down == 0, "the threads divide a tile evenly");
    };

    template <bool WHOLE> PRIM_DEVICE void load_tile(shared &s, const T *from, int64_t height, int64_t width) const
    {
        using part = thread_part<IN>;
        unsigned x = thread_id() % part::across * IN, y = thread_id() / part::across;
        vec<T, IN> v[part::passes];
        for (unsigned k = 0; k < part::passes; k++) {
            unsigned row = y + k * part::down;
            const T *p = from + row * in.pitch + x;
            v[k] = WHOLE ? load_vector<IN>(p) : load_vector<IN>(p, row < height ? width - x : 0);
        }
        for (unsigned k = 0; k < part::passes; k++)
            for (unsigned i = 0; i < IN; i++) s.tile.set((y + k * part::down) * PITCH + x + i, v[k].at[i]);
    }

    template <bool WHOLE> PRIM_DEVICE void store_tile(shared &s, T *to, int64_t height, int64_t width) const
    {
        using part = thread_part<OUT>;
        unsigned x = thread_id() % part::across * OUT, y = thread_id() / part::across;
        for (unsigned k = 0; k < part::passes; k++) {
            unsigned row = y + k * part::down; /* of the output, a column of the tile */
            vec<T, OUT> v;
            for (unsigned i = 0; i < OUT; i++) v.at[i] = s.tile.get((x + i) * PITCH + row);
            T *p = to + row * out.pitch + x;
            if (WHOLE)
                store_vector<OUT>(p, v);
            else
                store_vector<OUT>(p, v, row < width ? height - x : 0);
        }
    }

    PRIM_DEVICE void operator()(shared &s) const
    {
        uint32_t tiles = tile_rows * tile_columns, tile = block_id() % tiles;
        int64_t plane = block_id() / tiles;
        uint32_t first = tile / (strip * tile_columns) * strip, within = tile % (strip * tile_columns);
        uint32_t here = tile_rows - first < strip ? tile_rows - first : strip; /* fewer in the last strip */
        int64_t row = (int64_t)(first + within % here) * SIDE, column = (int64_t)(within / here) * SIDE;
        const T *from = in.data + plane * in.plane + row * in.pitch + column;
        T *to = out.data + plane * out.plane + column * out.pitch + row;
        int64_t height = rows - row, width = columns - column;
        bool whole = height >= SIDE && width >= SIDE;
        if (whole)
            load_tile<true>(s, from, height, width);
        else
            load_tile<false>(s, from, height, width);
        block_sync(); /* the tile is loaded */
        if (whole)
            store_tile<true>(s, to, height, width);
        else
            store_tile<false>(s, to, height, width);
    }
};

template <class T, unsigned SIDE, unsigned STRIP, unsigned IN, unsigned OUT>
sat_status transpose_with(matrices<const T> in, matrices<T> out, int64_t rows, int64_t columns, int64_t planes,
                          void *stream)
{
    int64_t down = (rows + SIDE - 1) / SIDE, across = (columns + SIDE - 1) / SIDE, tiles;
    if (__builtin_mul_overflow(down, across, &tiles) || __builtin_mul_overflow(tiles, planes, &tiles) ||
        tiles > INT32_MAX)
        return sat_fail(SAT_ERR_SHAPE, "a transpose of %lld x %lld has too many tiles", (long long)rows,
                        (long long)columns);
    transpose_tiles<T, SIDE, IN, OUT> kernel = {.in = in,
                                                .out = out,
                                                .rows = rows,
                                                .columns = columns,
                                                .tile_rows = (uint32_t)down,
                                                .tile_columns = (uint32_t)across,
                                                .strip = (uint32_t)(down < STRIP ? down : STRIP)};
    return launch(kernel, tiles, stream);
}

template <class T, unsigned SIDE, unsigned STRIP>
sat_status transpose_in(matrices<const T> in, matrices<T> out, int64_t rows, int64_t columns, int64_t planes,
                        void *stream)
{
    constexpr unsigned VECTOR = vector_items<T>;
    bool vectors_in = takes_vectors(in.data, in.pitch) && takes_vectors(in.data, in.plane);
    bool vectors_out = takes_vectors(out.data, out.pitch) && takes_vectors(out.data, out.plane);
    auto with =
        vectors_in
            ? (vectors_out ? transpose_with<T, SIDE, STRIP, VECTOR, VECTOR> : transpose_with<T, SIDE, STRIP, VECTOR, 1>)
            : (vectors_out ? transpose_with<T, SIDE, STRIP, 1, VECTOR> : transpose_with<T, SIDE, STRIP, 1, 1>);
    return with(in, out, rows, columns, planes, stream);
}

/* Queues out[p][x][y] = in[p][y][x] for `planes` matrices of rows x columns; none of these are fine.  out must not
 * overlap in.  Tiles have rows of 512 bytes, which suffer least where the output's rows are not aligned; or of 256
 * where a block has no shared memory for these (66 KiB for 4-byte values; Turing has 64). */
template <class T, unsigned STRIP = 32>
sat_status transpose(matrices<const T> in, matrices<T> out, int64_t rows, int64_t columns, int64_t planes, void *stream)
{
    constexpr unsigned LARGE = 512 / sizeof(T), SMALL = 256 / sizeof(T);
    if (rows == 0 || columns == 0 || planes == 0) return SAT_OK;
    return sizeof(typename transpose_tiles<T, LARGE, 1, 1>::shared) <= shared_memory_limit()
               ? transpose_in<T, LARGE, STRIP>(in, out, rows, columns, planes, stream)
               : transpose_in<T, SMALL, STRIP>(in, out, rows, columns, planes, stream);
}

} // namespace prim
#endif
