/* copies.cu - the ceilings: what the bytes of a table, or of a scan, cost when nothing is summed.
 *
 * Idea      Any method reads the samples once and writes the sums once, at least: `in` and `out` bytes.  A copy of (in
 *           + out) / 2 bytes moves as many, half of them reads: it is the ceiling, once as the driver does it and once
 *           as the simplest kernel.  The third ceiling is nearer to a table: it reads each sample, widens it, and
 *           writes an entry for it, at its place in the table.
 *
 * Paper     Ruetsch & Micikevicius, Optimizing matrix transpose in CUDA, NVIDIA 2009, measures against copies so
 *
 * Layout    copies: scratch -> the table's first (in + out) / 2 bytes, gaps between rows left out; what does not fit
 *           into the table (wide samples, narrow sums) goes into the scratch's second part
 *
 *              widen, padded     0 0 0 0 0        else      i i i i
 *                                0 i i i i                  i i i i
 *                                0 i i i i                  i i i i
 *
 * Launch    blocks of 256 threads; each thread of a copy has VECTORS_IN_FLIGHT vectors in flight, a block's width
 *           apart, so a warp always touches whole lines.  16 bytes for each vector, single values where rows are not
 *           aligned to that.
 * Traffic   in + out bytes
 * Sync      none
 * Limits    2^31 - 1 blocks
 * Steps     1. load  2. store */
#include <stdio.h>

#include "prim/runtime.cuh"
#include "prim/vector.cuh"
#include "shape.h"
#include "table/table.cuh"
#include "tuning.cuh"

namespace
{

constexpr unsigned VECTORS_IN_FLIGHT = tuning::COPY_VECTORS;
constexpr unsigned THREADS = 256;

/* ---- the naive copy ---------------------------------------------------------------------------------- */

/* `words` words without gaps, to rows of row_words that lie pitch words apart. */
template <unsigned N> struct copy_words {
    static constexpr unsigned threads = THREADS, per_block = THREADS * N * VECTORS_IN_FLIGHT;
    struct shared {
    };
    const uint32_t *from;
    uint32_t *to;
    int64_t words, row_words, pitch;
    uint32_t blocks_per_row;

    PRIM_DEVICE void operator()(shared &) const
    {
        int64_t row = prim::block_id() / blocks_per_row,
                begin = (int64_t)(prim::block_id() % blocks_per_row) * per_block;
        int64_t left = words - row * row_words, n = left < row_words ? left : row_words; /* words of this row */
        const uint32_t *source = from + row * row_words;
        uint32_t *target = to + row * pitch;
        prim::vec<uint32_t, N> v[VECTORS_IN_FLIGHT];
        for (unsigned k = 0; k < VECTORS_IN_FLIGHT; k++) {
            int64_t i = begin + (k * THREADS + prim::thread_id()) * N;
            v[k] = prim::load_vector<N>(source + i, n - i);
        }
        for (unsigned k = 0; k < VECTORS_IN_FLIGHT; k++) {
            int64_t i = begin + (k * THREADS + prim::thread_id()) * N;
            prim::store_vector<N>(target + i, v[k], n - i);
        }
    }
};

/* A part of a view: its first bytes, as rows. */
struct part {
    void *data;
    size_t pitch, row_bytes, bytes;
};

template <unsigned N> sat_status queue_copy(const part *to, const void *from, void *stream)
{
    copy_words<N> k = {};
    k.from = (const uint32_t *)from;
    k.to = (uint32_t *)to->data;
    k.words = (int64_t)(to->bytes / sizeof(uint32_t));
    k.row_words = (int64_t)(to->row_bytes / sizeof(uint32_t));
    k.pitch = (int64_t)(to->pitch / sizeof(uint32_t));
    if (k.words == 0) return SAT_OK;
    int64_t rows = (k.words + k.row_words - 1) / k.row_words,
            blocks_per_row = (k.row_words + k.per_block - 1) / k.per_block;
    k.blocks_per_row = (uint32_t)blocks_per_row;
    return prim::launch(k, rows * blocks_per_row, stream);
}

sat_status copy_by_kernel(const part *to, const void *from, void *stream)
{
    bool vectors = prim::takes_vectors((const uint32_t *)to->data, (int64_t)(to->pitch / sizeof(uint32_t))) &&
                   prim::takes_vectors((const uint32_t *)from, (int64_t)(to->row_bytes / sizeof(uint32_t)));
    return vectors ? queue_copy<prim::vector_items<uint32_t>>(to, from, stream) : queue_copy<1>(to, from, stream);
}

sat_status copy_by_driver(const part *to, const void *from, void *stream)
{
    size_t rows = to->bytes / to->row_bytes, rest = to->bytes % to->row_bytes;
    sat_status status = SAT_OK;
    if (rows > 0) status = prim::copy_rows(to->data, to->pitch, from, to->row_bytes, to->row_bytes, rows, stream);
    if (status != SAT_OK || rest == 0) return status;
    return prim::copy_rows((char *)to->data + rows * to->pitch, rest, (const char *)from + rows * to->row_bytes, rest,
                           rest, 1, stream);
}

/* ---- widening ---------------------------------------------------------------------------------------- */

template <class Sample, class Accum, unsigned N> struct widen_rows {
    /* One vector for each thread: reads and writes alternate finely, and few places in memory are open at a time. */
    static constexpr unsigned PER_THREAD = N > 1 ? 1 : VECTORS_IN_FLIGHT;
    static constexpr unsigned threads = THREADS, per_block = THREADS * N * PER_THREAD;
    using sum = typename sums_in<Accum>::type;
    struct shared {
    };
    scan_source<Sample, Accum> source;
    sum *table;
    int64_t pitch, entries; /* of a table's row */
    int32_t shift, zero_rows;
    uint32_t blocks_per_row;

    PRIM_DEVICE void operator()(shared &) const
    {
        int64_t row = prim::block_id() / blocks_per_row,
                begin = (int64_t)(prim::block_id() % blocks_per_row) * per_block;
        const Sample *from = source.in + (row - zero_rows) * source.pitch - shift;
        sum *to = table + row * pitch;
        prim::vec<Sample, N> v[PER_THREAD];
        for (unsigned k = 0; k < PER_THREAD; k++) {
            int64_t i = begin + (k * THREADS + prim::thread_id()) * N;
            bool zero = row < zero_rows || i < shift;
            v[k] = prim::load_vector<N>(from + i, zero ? 0 : entries - i);
        }
        for (unsigned k = 0; k < PER_THREAD; k++) {
            int64_t i = begin + (k * THREADS + prim::thread_id()) * N;
            bool zero = row < zero_rows || i < shift;
            prim::vec<sum, N> wide;
            for (unsigned j = 0; j < N; j++) wide.at[j] = zero || i + j >= entries ? sum(0) : source.widen(v[k].at[j]);
            prim::store_vector<N>(to + i, wide, entries - i);
        }
    }
};

template <class Sample, class Accum, unsigned N>
sat_status queue_widen(const scan_source<Sample, Accum> &source, const sat_view *table, int64_t shift,
                       int64_t zero_rows, void *stream)
{
    widen_rows<Sample, Accum, N> k = {};
    using sum = typename sums_in<Accum>::type;
    k.source = source;
    k.table = (sum *)table->data;
    k.pitch = (int64_t)(table->row_bytes / sizeof(sum));
    k.entries = table->width * table->channels;
    k.shift = (int32_t)shift;
    k.zero_rows = (int32_t)zero_rows;
    int64_t blocks_per_row = (k.entries + k.per_block - 1) / k.per_block, blocks;
    k.blocks_per_row = (uint32_t)blocks_per_row;
    if (blocks_per_row > INT32_MAX || __builtin_mul_overflow(blocks_per_row, table->height, &blocks))
        blocks = INT64_MAX; /* refused */
    return prim::launch(k, blocks, stream);
}

/* ---- tables and arrays ------------------------------------------------------------------------------- */

/* One of the three, and how: an image and its table, or an array and its sums as images of one row. */
struct mover {
    sat_status (*move)(const mover *m, const sat_view *in, const sat_view *out, int64_t shift, int64_t zero_rows,
                       void *stream);
    sat_plan_spec spec; /* of an array: sample, accum, width */
    void *scratch;
    uint32_t *outside; /* q32: set by samples that do not fit; not read */
};

/* At least, in bytes: samples once and sums once, halved, in whole words. */
size_t least_copy(size_t in, size_t out)
{
    return (in / 2 + out / 2 + sizeof(uint32_t) - 1) / sizeof(uint32_t) * sizeof(uint32_t);
}

size_t whole_vectors(size_t bytes)
{
    return (bytes + prim::VECTOR_BYTES - 1) / prim::VECTOR_BYTES * prim::VECTOR_BYTES;
}

size_t view_bytes(const sat_view *v)
{
    return (size_t)v->height * sat_row_bytes(v->width, v->channels, v->type);
}

template <sat_status (*COPY)(const part *to, const void *from, void *stream)>
sat_status move_bytes(const mover *m, const sat_view *in, const sat_view *out, int64_t, int64_t, void *stream)
{
    size_t holds = view_bytes(out), bytes = least_copy(view_bytes(in), holds),
           row = sat_row_bytes(out->width, out->channels, out->type);
    size_t first = bytes < holds ? bytes : holds, rest = bytes - first;
    part table = {out->data, (size_t)out->row_bytes, row, first};
    part spare = {(char *)m->scratch + whole_vectors(bytes), whole_vectors(rest), whole_vectors(rest), rest};
    if (table.pitch == row) table.row_bytes = table.pitch = whole_vectors(first); /* no gaps: as one row */
    sat_status status = COPY(&table, m->scratch, stream);
    return status == SAT_OK && rest > 0 ? COPY(&spare, m->scratch, stream) : status;
}

sat_status move_samples(const mover *m, const sat_view *in, const sat_view *out, int64_t shift, int64_t zero_rows,
                        void *stream)
{
    return with_types(m->spec.sample, m->spec.accum, [=](auto pair) {
        using Sample = typename decltype(pair)::sample;
        using Accum = typename decltype(pair)::accum;
        using sum = typename sums_in<Accum>::type;
        constexpr unsigned V = prim::vector_items<sum>;
        scan_job job = {};
        job.in = in->data;
        job.in_pitch = (int64_t)(in->row_bytes / sizeof(Sample));
        job.step = 1;
        job.quant = m->spec.quant;
        job.outside = m->outside;
        auto source = scan_source<Sample, Accum>::of_job(&job);
        size_t in_pitch = in->height > 1 ? (size_t)in->row_bytes : 0,
               out_pitch = out->height > 1 ? (size_t)out->row_bytes : 0;
        bool vectors = shift == 0 && ((uintptr_t)in->data | in_pitch) % (V * sizeof(Sample)) == 0 &&
                       ((uintptr_t)out->data | out_pitch) % (V * sizeof(sum)) == 0;
        return vectors ? queue_widen<Sample, Accum, V>(source, out, shift, zero_rows, stream)
                       : queue_widen<Sample, Accum, 1>(source, out, shift, zero_rows, stream);
    });
}

sat_status open_mover(const char *name, const sat_plan_spec *spec, decltype(mover::move) move, sat_arena *arena,
                      void **state, char *note, size_t note_bytes)
{
    const char *device;
    size_t in, out, joined;
    bool widens = move == move_samples;
    sat_status status = widens ? has_types(spec->sample, spec->accum) : SAT_OK;
    if (status != SAT_OK) return status;
    int64_t padded = spec->layout == SAT_PADDED;
    const size_t table_row = sat_row_bytes(spec->width + padded, spec->channels, spec->accum);
    if (!sat_mul(sat_row_bytes(spec->width, spec->channels, spec->sample), (size_t)spec->height, &in) ||
        !sat_mul(table_row, (size_t)(spec->height + padded), &out) ||
        !sat_mul(table_row, (size_t)spec->height, &joined))
        return sat_fail(SAT_ERR_SHAPE, "%s: larger than the address space", name);
    mover *m = prim::arena_new<mover>(arena);
    if (m == NULL) return SAT_ERR_MEMORY;
    m->move = move;
    m->spec = *spec;
    /* A band that joins another has no zero row in its table: it copies less, but more of that has no place there. */
    const size_t most = least_copy(in, out), joining = least_copy(in, joined);
    const size_t bytes = whole_vectors(most) + (joining > joined ? whole_vectors(joining - joined) : 0);
    if (!widens) status = sat_arena_take(arena, SAT_MEMORY_DEVICE, bytes, &m->scratch);
    if (status == SAT_OK && !widens) status = prim::fill_bytes(m->scratch, 0, bytes, NULL);
    if (status == SAT_OK && widens && spec->accum == SAT_Q32) status = prim::arena_alloc(arena, &m->outside, 1);
    if (status == SAT_OK) status = prim::stream_wait(NULL);
    if (status != SAT_OK) return status;
    (void)device_probe(&device);
    snprintf(note, note_bytes, "%s, %s", name, device);
    *state = m;
    return SAT_OK;
}

sat_status run_table(void *state, const sat_view *image, const sat_view *table, const sat_run *run)
{
    const mover *m = (const mover *)state;
    bool padded = m->spec.layout == SAT_PADDED;
    return m->move(m, image, table, padded ? image->channels : 0, padded && !run->continues, run->stream);
}

sat_status open_array(const char *name, const sat_scan_spec *scan, decltype(mover::move) move, sat_arena *arena,
                      void **state, char *note, size_t note_bytes)
{
    sat_plan_spec spec = {};
    spec.width = scan->length;
    spec.height = spec.channels = 1;
    spec.sample = scan->sample;
    spec.accum = scan->accum;
    spec.layout = SAT_INCLUSIVE;
    return open_mover(name, &spec, move, arena, state, note, note_bytes);
}

sat_status run_array(void *state, const void *in, void *out, void *stream)
{
    const mover *m = (const mover *)state;
    int64_t n = m->spec.width;
    sat_view from = {(void *)in, (ptrdiff_t)sat_row_bytes(n, 1, m->spec.sample), n, 1, 1, m->spec.sample, SAT_DEVICE};
    sat_view to = {out, (ptrdiff_t)sat_row_bytes(n, 1, m->spec.accum), n, 1, 1, m->spec.accum, SAT_DEVICE};
    return m->move(m, &from, &to, 0, 0, stream);
}

/* ---- descriptors ------------------------------------------------------------------------------------- */

constexpr char MEMCPY[] = "cuda-memcpy", COPY[] = "cuda-copy", WIDEN[] = "cuda-widen";
constexpr char MEMCPY_IS[] = "ceiling: cudaMemcpy of as many bytes as samples and sums have together";
constexpr char COPY_IS[] = "ceiling: a naive kernel copies as many bytes as samples and sums have together";
constexpr char WIDEN_IS[] = "ceiling: a kernel widens and writes each sample, and sums nothing";

template <const char *NAME, decltype(mover::move) MOVE>
sat_status open_table_as(const sat_plan_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes)
{
    return open_mover(NAME, spec, MOVE, arena, state, note, note_bytes);
}

template <const char *NAME, decltype(mover::move) MOVE>
sat_status open_array_as(const sat_scan_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes)
{
    return open_array(NAME, spec, MOVE, arena, state, note, note_bytes);
}

template <const char *NAME, const char *SUMMARY, decltype(mover::move) MOVE> constexpr sat_backend table_ceiling()
{
    return {
        .name = NAME,
        .summary = SUMMARY,
        .traffic = {.in_reads = 1, .out_reads = 0, .out_writes = 1},
        .kind = SAT_CEILING,
        .device = true,
        .probe = device_probe,
        .open = open_table_as<NAME, MOVE>,
        .run = run_table,
    };
}

template <const char *NAME, const char *SUMMARY, decltype(mover::move) MOVE> constexpr sat_scan_method array_ceiling()
{
    return {
        .name = NAME,
        .summary = SUMMARY,
        .traffic = {.in_reads = 1, .out_reads = 0, .out_writes = 1},
        .kind = SAT_CEILING,
        .device = true,
        .probe = device_probe,
        .open = open_array_as<NAME, MOVE>,
        .run = run_array,
    };
}

} // namespace

constinit const sat_backend sat_backend_cuda_memcpy = table_ceiling<MEMCPY, MEMCPY_IS, move_bytes<copy_by_driver>>();
constinit const sat_backend sat_backend_cuda_copy = table_ceiling<COPY, COPY_IS, move_bytes<copy_by_kernel>>();
constinit const sat_backend sat_backend_cuda_widen = table_ceiling<WIDEN, WIDEN_IS, move_samples>();

constinit const sat_scan_method sat_scan_cuda_memcpy = array_ceiling<MEMCPY, MEMCPY_IS, move_bytes<copy_by_driver>>();
constinit const sat_scan_method sat_scan_cuda_copy = array_ceiling<COPY, COPY_IS, move_bytes<copy_by_kernel>>();
constinit const sat_scan_method sat_scan_cuda_widen = array_ceiling<WIDEN, WIDEN_IS, move_samples>();
