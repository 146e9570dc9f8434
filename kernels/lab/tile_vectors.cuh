/* tile_vectors.cuh - a tile of a row in the registers of a block, read and written with wide accesses and without
 * staging.
 *
 * A vector is V neighbouring elements, as many as fit 16 bytes, the widest access of a thread.  Piece number p * B + t
 * of a tile belongs to thread t, so that the lanes of a warp touch adjacent memory:
 *
 *     tile of B * Q elements, B = 4, V = 2, Q = 4
 *
 *     element   0 1 | 2 3 | 4 5 | 6 7 | 8 9 | 10 11 | 12 13 | 14 15
 *     thread     0     1     2     3     0      1       2       3
 *                `------- p = 0 -------' `--------- p = 1 ---------'
 *
 * A scan of the tile then is: each thread sums its vectors; the block scans the B * Q / V sums, in the order of their
 * numbers; each thread adds up its vectors from what came before them.  Rows that are not aligned to a vector, or whose
 * elements do not follow one another, go element by element. */
#ifndef TILE_VECTORS_CUH
#define TILE_VECTORS_CUH

#include "scan.cuh"

/* At most 16 bytes of the wider type, and at most the thread's items. */
constexpr unsigned vector_elements(size_t sample_bytes, size_t sum_bytes, unsigned items)
{
    unsigned most = (unsigned)(16 / (sample_bytes > sum_bytes ? sample_bytes : sum_bytes));
    return most < items ? most : items;
}

template <unsigned B, unsigned Q, class Sample, class Accum> struct tile_vectors {
    using sum = typename sums_in<Accum>::type;
    static constexpr unsigned V = vector_elements(sizeof(Sample), sizeof(sum), Q);
    static constexpr unsigned VECTORS = Q / V; /* of a thread */
    static_assert(VECTORS * V == Q, "a thread's items are whole vectors");

    sum at[VECTORS][V];

    /* The first `here` elements from `in` on; the others are zeros. */
    PRIM_DEVICE void load(const scan_source<Sample, Accum> &source, const Sample *in, unsigned here)
    {
        const bool wide = source.step == 1 && (uintptr_t)in % sizeof(prim::vec<Sample, V>) == 0;
#pragma unroll
        for (unsigned p = 0; p < VECTORS; p++) {
            const unsigned first = (p * B + prim::thread_id()) * V;
            if (wide && first + V <= here) {
                const auto vector = prim::load((const prim::vec<Sample, V> *)(in + first));
#pragma unroll
                for (unsigned k = 0; k < V; k++) at[p][k] = source.widen(vector.at[k]);
            } else {
#pragma unroll
                for (unsigned k = 0; k < V; k++) at[p][k] = first + k < here ? source.at(in, first + k) : 0;
            }
        }
    }

    PRIM_DEVICE sum total(unsigned p) const
    {
        sum all = at[p][0];
#pragma unroll
        for (unsigned k = 1; k < V; k++) all += at[p][k];
        return all;
    }

    /* Writes vector p of the first `here` elements. */
    PRIM_DEVICE static void write(sum *out, unsigned here, unsigned p, prim::vec<sum, V> vector)
    {
        const unsigned first = (p * B + prim::thread_id()) * V;
        if ((uintptr_t)out % sizeof vector == 0 && first + V <= here) {
            prim::store((prim::vec<sum, V> *)(out + first), vector);
        } else {
#pragma unroll
            for (unsigned k = 0; k < V; k++)
                if (first + k < here) prim::store(out + first + k, vector.at[k]);
        }
    }

    /* Writes the sums of vector p, of which `before` is all that came before it. */
    PRIM_DEVICE void write_sums(sum *out, unsigned here, unsigned p, sum before, bool exclusive) const
    {
        prim::vec<sum, V> sums;
#pragma unroll
        for (unsigned k = 0; k < V; k++) {
            const sum with = before + at[p][k];
            sums.at[k] = exclusive ? before : with;
            before = with;
        }
        write(out, here, p, sums);
    }
};

/* How many of `length` elements lie in the tile that begins at `start`. */
PRIM_DEVICE unsigned tile_extent(int64_t start, int64_t length, unsigned tile)
{
    return length - start < tile ? (unsigned)(length - start) : tile;
}

/* Threads that should fit a multiprocessor, to have loads under way while others scan: 48 of its 65536 registers for
 * each, of which nothing spills.  Turing holds no more than 1024. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr int RESIDENT_THREADS = 1024;
#else
constexpr int RESIDENT_THREADS = 1280;
#endif

/* A shape that is compiled in: B threads, and so many items of 4 and of 8 bytes. */
template <unsigned THREADS, unsigned ITEMS4, unsigned ITEMS8> struct launch_shape {
    static constexpr unsigned B = THREADS;
    template <class Sum> static constexpr unsigned Q = sizeof(Sum) == 4 ? ITEMS4 : ITEMS8;
};

/* Calls f(shape) for the first of the shapes that is as asked. */
template <class Sum, class Shape, class... Shapes, class F>
sat_status with_launch_shape(const char *name, const scan_shape *asked, F f)
{
    if ((asked->block_threads == 0 || asked->block_threads == (int)Shape::B) &&
        (asked->thread_items == 0 || asked->thread_items == (int)Shape::template Q<Sum>))
        return f(Shape());
    if constexpr (sizeof...(Shapes) > 0)
        return with_launch_shape<Sum, Shapes...>(name, asked, f);
    else
        return sat_fail(SAT_ERR_UNAVAILABLE, "%s: B=%d with Q=%d (0: any) was not compiled in", name,
                        asked->block_threads, asked->thread_items);
}

#endif
