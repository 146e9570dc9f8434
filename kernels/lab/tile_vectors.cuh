/* tile_vectors.cuh - a tile of a row in the registers of a block, in striped vectors: loads and stores are wide, and
 * need no exchange through shared memory.
 *
 * A vector is V neighbouring elements, as many as fit 16 bytes.  Vector number p * B + t of a tile belongs to thread t,
 * so that the lanes of a warp access adjacent memory:
 *
 *     tile of B * Q elements, B = 4, V = 2, Q = 4
 *
 *     element   0 1 | 2 3 | 4 5 | 6 7 | 8 9 | 10 11 | 12 13 | 14 15
 *     thread     0     1     2     3     0      1       2       3
 *                `------- p = 0 -------' `--------- p = 1 ---------'
 *
 * The scan of a tile: each thread sums its vectors; the block scans the B * Q / V sums, in the order of their numbers;
 * each thread scans its vectors from their exclusive prefixes.  Rows that are not aligned to a vector, or whose
 * elements are not contiguous, go element by element. */
#ifndef TILE_VECTORS_CUH
#define TILE_VECTORS_CUH

#include "scan.cuh"
#include "tuning.cuh"

/* At most 16 bytes of the wider type, a power of two that divides the thread's items. */
constexpr unsigned vector_elements(size_t sample_bytes, size_t sum_bytes, unsigned items)
{
    unsigned most = (unsigned)(16 / (sample_bytes > sum_bytes ? sample_bytes : sum_bytes));
    while (items % most) most /= 2;
    return most;
}

template <unsigned B, unsigned Q, class Sample, class Accum> struct tile_vectors {
    using sum = typename sums_in<Accum>::type;
    static constexpr unsigned V = vector_elements(sizeof(Sample), sizeof(sum), Q);
    static constexpr unsigned VECTORS = Q / V; /* of a thread */

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

#endif
