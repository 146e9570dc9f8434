/* fused_plan.cuh - a plan of fused.cu on the host: the shape of its kernel, its descriptors, and its launches.  Each
 * file fused_*.cu has the kernels of one type of samples, so that they compile side by side. */
#ifndef FUSED_PLAN_CUH
#define FUSED_PLAN_CUH

#include <stdio.h>

#include "prim/runtime.cuh"
#include "probe.cuh"
#include "shape.h"
#include "table/fused.cuh"
#include "table/thin.cuh"

namespace fuse
{

struct plan;

/* What a plan calls of its kernel. */
struct hooks {
    sat_status (*alloc_descriptors)(plan *p, sat_arena *arena, char *note, size_t note_bytes);
    sat_status (*queue)(const plan *p, const sat_view *image, const sat_view *table, const sat_run *run);
};

struct plan {
    sat_plan_spec spec;
    const hooks *kernel;
    uint64_t *counter, *row_descriptors, *column_descriptors, *done; /* one allocation */
    uint32_t *outside;                                               /* q32: set to 1 by a sample that does not fit */
    thin_table *thin;                                                /* or NULL; then nothing else is used */
};

/* The kernel of a plan; NULL if these types have none. */
const hooks *of_u8(const sat_plan_spec *spec);
const hooks *of_u16(const sat_plan_spec *spec);
const hooks *of_u32(const sat_plan_spec *spec);
const hooks *of_signed(const sat_plan_spec *spec);
const hooks *of_f32(const sat_plan_spec *spec);
const hooks *of_f64(const sat_plan_spec *spec);

/* ---- shapes -------------------------------------------------------------------------------------------------- */

template <class Sample, class Sum, unsigned C> struct shapes {
    static constexpr tuning::fused_tile LARGE = tuning::fused_large(C, sizeof(Sample), sizeof(Sum));
    static constexpr tuning::fused_tile SMALL = tuning::fused_small(sizeof(Sample));
    using large = fuse::shape<LARGE.groups, tuning::FUSED_WARPS, LARGE.rows, LARGE.resident, true, LARGE.register_rows>;
    using small =
        fuse::shape<SMALL.groups, tuning::FUSED_WARPS, SMALL.rows, SMALL.resident, false, SMALL.register_rows>;
};

inline int64_t tiles_of(int64_t n, int64_t side)
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

/* Rows of tiles of all images. */
template <class K> int64_t tiles_y_of(int64_t height, int64_t count)
{
    return sat_area(tiles_of(height, K::height), count);
}

/* ---- descriptors ---------------------------------------------------------------------------------------------- */

template <class K> sat_status alloc_descriptors(plan *p, sat_arena *arena, char *note, size_t note_bytes)
{
    const sat_plan_spec *spec = &p->spec;
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

/* ---- runs ------------------------------------------------------------------------------------------------------ */

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

/* ---- the kernel of a plan -------------------------------------------------------------------------------------- */

template <class K> constexpr hooks hooks_of = {alloc_descriptors<K>, queue<K>};

template <class Sample, class Accum, unsigned C> const hooks *of_shape(const sat_plan_spec *spec)
{
    using both = shapes<Sample, typename sums_in<Accum>::type, C>;
    using big = fused<Sample, Accum, C, typename both::large>;
    /* Images of several channels are seldom small, and each kernel takes a second to compile. */
    if constexpr (C == 1 && !sums_squares<Accum>) {
        using little = fused<Sample, Accum, C, typename both::small>;
        const bool fits = spec->width <= little::WIDTH && spec->height <= little::height;
        if (fits ||
            tiles_of(spec->width, big::WIDTH) * tiles_y_of<big>(spec->height, spec->count) <= tuning::FUSED_FEW_TILES)
            return &hooks_of<little>;
    }
    return &hooks_of<big>;
}

template <class Sample, class Accum> const hooks *of_channels(const sat_plan_spec *spec)
{
    switch (spec->channels) {
    case 1: return of_shape<Sample, Accum, 1>(spec);
    case 2: return of_shape<Sample, Accum, 2>(spec);
    case 3: return of_shape<Sample, Accum, 3>(spec);
    default: return of_shape<Sample, Accum, 4>(spec);
    }
}

/* The kernels of samples of these types alone; squares of signed samples have those of samples without a sign. */
template <class... Samples> const hooks *of_samples(const sat_plan_spec *spec)
{
    const hooks *found = NULL;
    const auto take = [&](auto pair) {
        using sample = typename decltype(pair)::sample;
        using accum = typename decltype(pair)::accum;
        if constexpr ((std::is_same_v<sample, Samples> || ...)) found = of_channels<sample, accum>(spec);
        return SAT_OK;
    };
    (void)(spec->power == 2 ? with_squares(spec->sample, spec->accum, take)
                            : with_types(spec->sample, spec->accum, take));
    return found;
}

} // namespace fuse
#endif
