/* fused.cu - backend `fused`
 *
 * Idea    One kernel, one read and one write for each pixel.  A block loads a tile.  It publishes the sums of the
 *         tile's rows to the tiles on its right, and the sums of its columns to the tiles below.  It looks back to the
 *         left and upwards for its exclusive prefixes, and writes.  While it polls, the tile stays in shared memory
 *         and registers as it was loaded, in the bytes of its samples.
 *
 * Paper   Emoto, Funasaka, Tokura, Honda, Nakano & Ito, An optimal parallel algorithm for computing the summed area
 *         table on the GPU, IPDPSW 2018; the look-back is that of Merrill & Garland, NVR-2016-002, 2016.
 *
 * Layout  Tiles, in the order of their tickets, and the prefixes between them:
 *
 *             0 --> 1 --> 2 --> 3        -->  L: for each row, the sum of everything to the left
 *             |     |     |     |         |   U: for each column, the table's row above the tile
 *             4 --> 5 --> 6 --> 7
 *
 *         In a tile, with X(y,x) the inclusive prefix of its own elements in row y:
 *
 *             T(y,x) = U(x) + sum over rows y' <= y of  L(y') + X(y',x)
 *
 *         What the tile adds to the table between its top and its bottom is B(x) = sum over all its rows of
 *         L(y') + X(y',x): the aggregate of the vertical scan, whose input are rows that are scanned already.  It is
 *         known as soon as L is.  U of the tile below is U + B.
 *
 * Launch  A block for each tile: 4 warps, each with whole rows (fused_tile.cuh).  Shapes: tuning.cuh.
 *
 * Traffic 1 read and 1 write for each element.  For each column, and each channel of a row, a tile writes a
 *         descriptor of 8 bytes (16 for sums of 8 bytes) twice.  The next tile reads it, and the slot's next owner.
 *         For u8 with u32 sums the stores are one 27th of all bytes with one channel, and one 13th with three.  Most
 *         of them stay in the second-level cache: descriptors lie in a ring whose slots are recycled
 *         (fused_lookback.cuh).
 *
 * Sync    Packed descriptors by relaxed accesses (prim/tile_descriptor.cuh).  The thread that needs a prefix polls for
 *         it: a lane for each row, a thread for each column.  A tile waits only for tiles with lower tickets
 *         (prim/ticket.cuh): those to its left and above, the previous owner of its slot, and two tiles next to that
 *         one.  So every wait ends.
 *
 * Limits  2^31 - 1 tiles.  A tag holds 30 bits of the epoch, as in lookback.cu; a launch has an epoch for each
 *         round through the ring.  Tiles are cut for the 227 KiB of an H200's multiprocessor.  Where one has 100 KiB,
 *         a tile of 64 KiB is alone there, and nothing loads while it stores.
 *
 * Steps   1. Ticket -> tile; load; prefetch a later tile.
 *         2. Sums of rows (in place, where samples have the size of sums: rows are scanned); publish them.
 *         3. Sums of columns; look back along the rows -> L.
 *         4. B over all warps; publish it; look back up the columns -> U.
 *         5. Row by row: scan, unless step 2 has; add; write.
 *         The edges of padded and exclusive tables are written on the way. */
#include <stdio.h>

#include "box/box.cuh"
#include "prim/runtime.cuh"
#include "shape.h"
#include "table/fused.cuh"
#include "table/table.cuh"
#include "table/thin.cuh"
#include "tuning.cuh"
#include "window/window.cuh"

namespace
{

/* ---- shapes -------------------------------------------------------------------------------------------------- */

template <class Sample, class Sum, unsigned C> struct shapes {
    static constexpr tuning::fused_tile LARGE = tuning::fused_large(C, sizeof(Sample), sizeof(Sum));
    static constexpr tuning::fused_tile SMALL = tuning::fused_small(sizeof(Sample));
    using large = fuse::shape<LARGE.groups, tuning::FUSED_WARPS, LARGE.rows, LARGE.resident, true, LARGE.register_rows>;
    using small =
        fuse::shape<SMALL.groups, tuning::FUSED_WARPS, SMALL.rows, SMALL.resident, false, SMALL.register_rows>;
};

int64_t tiles_of(int64_t n, int64_t side)
{
    return (n + side - 1) / side;
}

/* A tile polls the done descriptor of the tile below the slot's previous owner, which has a lower ticket if the ring
 * holds two rows of tiles (invariant 7 in fused_lookback.cuh). */
constexpr int64_t MIN_CAPACITY = 2;

/* The ring of a plan, also for runs with fewer rows. */
template <class K> fuse::descriptor_ring ring_of(int64_t tiles_x, int64_t tiles_y)
{
    int64_t capacity = tiles_of(tuning::FUSED_RING_BYTES / (int64_t)(K::TILE_WORDS * sizeof(uint64_t)), tiles_x);
    if (capacity < MIN_CAPACITY) capacity = MIN_CAPACITY;
    if (capacity > tiles_y || !K::RECYCLES) capacity = tiles_y;
    return {.capacity = (uint32_t)capacity,
            .generations = (uint32_t)tiles_of(tiles_y, capacity),
            .tiles_x = (uint32_t)tiles_x,
            .tiles_y = (uint32_t)tiles_y};
}

/* The type of a kernel as a value, for generic lambdas. */
template <class K> struct kernel {
    using type = K;
};

/* Rows of tiles of all images. */
template <class K> int64_t tiles_y_of(int64_t height, int64_t count)
{
    return sat_area(tiles_of(height, K::height), count);
}

/* Calls f(kernel<...>()) for the shape of a plan; with_kernel() for its types and channels too. */
template <class Sample, class Accum, unsigned C, class F> sat_status with_shape(const sat_plan_spec *spec, F f)
{
    using sum = typename sums_in<Accum>::type;
    using both = shapes<Sample, sum, C>;
    using big = fuse::fused<Sample, Accum, C, typename both::large>;
    /* Images of several channels are seldom small, and each kernel takes a second to compile. */
    if constexpr (C == 1 && !sums_squares<Accum>) {
        using little = fuse::fused<Sample, Accum, C, typename both::small>;
        const bool fits = spec->width <= little::WIDTH && spec->height <= little::height;
        if (fits ||
            tiles_of(spec->width, big::WIDTH) * tiles_y_of<big>(spec->height, spec->count) <= tuning::FUSED_FEW_TILES)
            return f(kernel<little>());
    }
    return f(kernel<big>());
}

template <class F> sat_status with_kernel(const sat_plan_spec *spec, F f)
{
    const auto with_pair = [&](auto pair) {
        using sample = typename decltype(pair)::sample;
        using accum = typename decltype(pair)::accum;
        if constexpr (std::is_same_v<sample, uint64_t>) {
            return sat_fail(SAT_ERR_TYPE, "fused: no tables of u64 samples");
        } else {
            switch (spec->channels) {
            case 1: return with_shape<sample, accum, 1>(spec, f);
            case 2: return with_shape<sample, accum, 2>(spec, f);
            case 3: return with_shape<sample, accum, 3>(spec, f);
            default: return with_shape<sample, accum, 4>(spec, f);
            }
        }
    };
    return spec->power == 2 ? with_squares(spec->sample, spec->accum, with_pair)
                            : with_types(spec->sample, spec->accum, with_pair);
}

/* ---- plans --------------------------------------------------------------------------------------------------- */

struct plan {
    sat_plan_spec spec;
    uint64_t *counter, *row_descriptors, *column_descriptors, *done; /* one allocation */
    uint32_t *outside;                                               /* q32: set to 1 by a sample that does not fit */
    thin_table *thin;                                                /* or NULL; then nothing else is used */
};

template <class K>
sat_status alloc_descriptors(plan *p, const sat_plan_spec *spec, sat_arena *arena, char *note, size_t note_bytes)
{
    constexpr int64_t COUNTER_WORDS = tuning::CACHE_LINE_BYTES / sizeof(uint64_t);
    const int64_t elements = spec->width * spec->channels;
    const int64_t tiles_x = tiles_of(elements, K::WIDTH), tiles_y = tiles_y_of<K>(spec->height, spec->count);
    if (tiles_x > INT32_MAX / tiles_y)
        return sat_fail(SAT_ERR_UNAVAILABLE, "fused: %lldx%lld tiles; 2^31 - 1 are possible", (long long)tiles_x,
                        (long long)tiles_y);
    const size_t capacity = ring_of<K>(tiles_x, tiles_y).capacity;
    size_t row_descriptors, column_descriptors, words, bytes;
    if (!sat_mul((size_t)(tiles_x * spec->channels * K::DESCRIPTOR_WORDS), capacity * K::height, &row_descriptors) ||
        !sat_mul((size_t)((elements + spec->channels) * K::DESCRIPTOR_WORDS), capacity, &column_descriptors))
        return sat_fail(SAT_ERR_SHAPE, "fused: the workspace is larger than the address space");
    row_descriptors += row_descriptors % 2; /* descriptors of two words are aligned to both */
    words = COUNTER_WORDS + row_descriptors + column_descriptors + (size_t)tiles_x * capacity;
    if (!sat_mul(words, sizeof(uint64_t), &bytes))
        return sat_fail(SAT_ERR_SHAPE, "fused: the workspace is larger than the address space");
    sat_status status = prim::arena_alloc(arena, &p->counter, words);
    if (status == SAT_OK) status = prim::fill_bytes(p->counter, 0, bytes, NULL);
    if (status != SAT_OK) return status;
    p->row_descriptors = p->counter + COUNTER_WORDS;
    p->column_descriptors = p->row_descriptors + row_descriptors;
    p->done = p->column_descriptors + column_descriptors;
    const char *device;
    (void)device_probe(&device);
    snprintf(note, note_bytes, "fused, tiles of %ux%u, %s", K::WIDTH, K::height, device);
    return SAT_OK;
}

sat_status open_plan(const sat_plan_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes)
{
    plan *p = prim::arena_new<plan>(arena);
    if (p == NULL) return SAT_ERR_MEMORY;
    p->spec = *spec;
    *state = p;
    if (thin_pays(spec)) return thin_open(spec, arena, &p->thin, note, note_bytes);
    sat_status status = with_kernel(
        spec, [=](auto k) { return alloc_descriptors<typename decltype(k)::type>(p, spec, arena, note, note_bytes); });
    if (status == SAT_OK && spec->accum == SAT_Q32) status = prim::arena_alloc(arena, &p->outside, 1);
    if (status == SAT_OK && spec->accum == SAT_Q32) status = prim::fill_bytes(p->outside, 0, sizeof *p->outside, NULL);
    if (status == SAT_OK) status = prim::stream_wait(NULL);
    return status;
}

/* Whether zeros are put in front of the image's rows, so that the table's column of zeros is computed like the others.
 * Then the rows of a padded table are aligned to vectors, and those of the image need not be: samples of 1 and 2 bytes
 * are copied from any misalignment at little cost.  Not if that adds a column of tiles.  Not for floats: the order of
 * their additions would depend on the address of the table. */
template <class K> bool pads_rows(const sat_view *table, int64_t elements, int64_t channels)
{
    return K::tile_loader::WORD_ELEMENTS > 1 && !fuse::fixed_order<typename K::sum> &&
           channels * sizeof(typename K::sum) % 16 != 0 &&
           ((uintptr_t)table->data | table->row_bytes | table->image_bytes) % 16 == 0 &&
           tiles_of(elements + channels, K::WIDTH) == tiles_of(elements, K::WIDTH);
}

template <class K> sat_status queue(const plan *p, const sat_view *image, const sat_view *table, const sat_run *run)
{
    using sum = typename K::sum;
    const int64_t channels = image->channels, elements = image->width * channels;
    const bool exclusive = p->spec.layout == SAT_EXCLUSIVE, padded = p->spec.layout == SAT_PADDED;
    const bool top = exclusive || (padded && !run->continues), zeros = exclusive || padded;

    scan_job job = {};
    job.in = image->data;
    job.in_pitch = (int64_t)(image->row_bytes / sat_type_bytes(image->type));
    job.step = 1;
    job.is_signed = sat_is_signed(p->spec.sample);
    job.quant = p->spec.quant;
    job.outside = p->outside;

    K k = {};
    k.loader.source = decltype(k.loader.source)::of_job(&job);
    k.loader.image_pitch = (int64_t)(image->image_bytes / sat_type_bytes(image->type));
    k.loader.end =
        k.loader.source.in + (image->count - 1) * k.loader.image_pitch + (image->height - 1) * job.in_pitch + elements;
    k.loader.pad = zeros && pads_rows<K>(table, elements, channels) ? (unsigned)channels : 0;
    k.elements = elements + k.loader.pad;
    k.rows = image->height;
    k.ring = ring_of<K>(tiles_of(elements, K::WIDTH), tiles_y_of<K>(p->spec.height, p->spec.count));
    k.image_tiles_y = (uint32_t)tiles_of(image->height, K::height);
    k.ring.tiles_y = k.image_tiles_y * (uint32_t)image->count;
    k.ring.done = p->done;
    k.out_pitch = (int64_t)(table->row_bytes / sizeof(sum));
    k.out_image_pitch = (int64_t)(table->image_bytes / sizeof(sum));
    k.out = (sum *)table->data + (top ? k.out_pitch : 0) + (zeros ? channels : 0) - k.loader.pad;
    k.out_elements = k.elements - (exclusive ? channels : 0);
    k.out_rows = image->height - exclusive;
    k.top = !top ? fuse::TOP_NONE : exclusive ? fuse::TOP_CARRY : fuse::TOP_ZEROS;
    k.zero_column = zeros && k.loader.pad == 0;
    k.carry_in = (const sum *)run->carry_in;
    k.carry_out = (sum *)run->carry_out;
    k.first_wave = prim::multiprocessors() * K::min_blocks;
    k.counter = p->counter;
    k.row_descriptors = p->row_descriptors;
    k.column_descriptors = p->column_descriptors;
    return prim::launch(k, (int64_t)k.ring.tiles_x * k.ring.tiles_y, run->stream);
}

sat_status run_plan(void *state, const sat_view *image, const sat_view *table, const sat_run *run)
{
    const plan *p = (const plan *)state;
    if (p->thin) return thin_run(p->thin, image, table, run);
    return with_kernel(&p->spec, [=](auto k) { return queue<typename decltype(k)::type>(p, image, table, run); });
}

sat_status wait_plan(void *state, void *stream)
{
    return wait_in_range(((const plan *)state)->outside, stream);
}

} // namespace

const sat_backend sat_backend_fused = {
    .name = "fused",
    .summary = "one pass over the image: tiles that look back along rows and columns",
    .paper = "Emoto et al., IPDPSW 2018; Merrill & Garland, NVR-2016-002, 2016",
    .traffic = {1, 0, 1},
    .kind = SAT_METHOD,
    .device = true,
    .batches = true,
    .squares = true,
    .probe = device_probe,
    .open = open_plan,
    .run = run_plan,
    .wait = wait_plan,
    .box = &sat_box_on_device,
    .window = &sat_window_on_device,
};
