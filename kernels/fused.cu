/* fused.cu - backend `fused`
 *
 * Idea    One kernel, one read and one write for each pixel.  A block loads a tile, tells the tiles to its right what
 *         its rows sum to and the tiles below what its columns sum to, learns the same from the left and from above,
 *         and writes.  What it waits for, it waits for with the tile in shared memory and registers, as small as it was
 *         loaded.
 *
 * Paper   Emoto, Funasaka, Tokura, Honda, Nakano & Ito, An optimal parallel algorithm for computing the summed area
 *         table on the GPU, IPDPSW 2018; the look-back is that of Merrill & Garland, NVR-2016-002, 2016.
 *
 * Layout  Tiles, in the order of their tickets, and what passes between them:
 *
 *             0 --> 1 --> 2 --> 3        -->  for each row: the sum of everything to the left, L
 *             |     |     |     |         |   for each column: the table's row above the tile, U
 *             4 --> 5 --> 6 --> 7
 *
 *         In a tile, with X(y,x) the sum of its own elements up to (y,x), on the row alone:
 *
 *             T(y,x) = U(x) + sum over rows y' <= y of  L(y') + X(y',x)
 *
 *         What a tile adds to the table between its top and its bottom, its column sums, is known as soon as L is:
 *         B(x) = sum over all its rows of L(y') + X(y',x).  So U of the next tile is U + B.
 *
 * Launch  A block for each tile: 4 warps, each with whole rows (fused_tile.cuh).  Shapes: below.
 *
 * Traffic 1 read and 1 write for each element.  Each tile tells 8 bytes (16 for sums of 8 bytes) twice for each of its
 *         rows and columns.  For u8 with u32 sums that is one 25th of all with one channel and one 13th with three;
 * most of it stays in the second-level cache, in a ring of words that it is asked to keep (fused_chains.cuh).
 *
 * Sync    Words that hold a state and a value at once, relaxed (tile_state.cuh), asked for by the thread that needs
 *         them: a lane for each row, a thread for each column.  Tickets make sure that who is waited for runs
 *         (ticket.cuh): a tile waits for tiles to its left and above, whose numbers are lower.  So are those of the
 *         tiles that had its words before, and of those that may still need them.
 *
 * Limits  2^31 - 1 tiles.  A tag holds 30 bits of the epoch, as in lookback.cu, and a launch has as many epochs as the
 *         image is times as tall as the ring.  Tiles are cut for the 227 KiB of an H200's multiprocessor: where it has
 *         100, one of 64 KiB is alone there, and nothing loads while it stores.
 *
 * Steps   1. ticket -> tile; load; ask memory for a later one  2. sums of rows, and the scan of each where sums fit the
 *         place of samples; tell them; sums of columns  3. look back along the rows -> L  4. B, over all warps; tell
 * it; look back up the columns -> U  5. again through the tile, row by row: scan if that is not done, add, write. The
 * edges of padded and exclusive tables are written on the way.
 */
#include <stdio.h>
#include <stdlib.h>

#include "box.cuh"
#include "fused.cuh"
#include "prim/runtime.cuh"
#include "shape.h"
#include "table.cuh"

namespace
{

/* ---- shapes -------------------------------------------------------------------------------------------------- */

/* Large tiles fill a multiprocessor's shared memory: five times 32 KiB of samples.  Where samples have the size of
 * their sums there are registers left for a part of each tile, and four times 64 KiB: fewer words for as many bytes,
 * and a third more bytes under way.  Rows of three channels are a multiple of three and of a warp: seven times 24 KiB,
 * five times 36 or four times 48, and 72 with registers.  Small tiles are for images that would have too few of the
 * others.  In the simulator all are tiny. */
struct size {
    unsigned halves, rows, held; /* as in fuse::shape */
    int resident;
};
#ifdef SAT_SIMT
constexpr unsigned WARPS = 2;
constexpr size large_size(unsigned channels, unsigned bytes, unsigned sum_bytes)
{
    if (bytes == 8) return {1, 4 + 4, 4, 2};
    if (bytes == sum_bytes) return {1, 3 + 2, 2, 2};
    return {channels != 3 && bytes <= 2 ? 2u : 1u, bytes == 2 ? 4u : 3u, 0, 2};
}
constexpr size small_size(unsigned)
{
    return {1, 2, 0, 2};
}
constexpr int64_t FEW_TILES = 4, RING_BYTES = 6 << 10;
#else
constexpr unsigned WARPS = 4;
constexpr size large_size(unsigned channels, unsigned bytes, unsigned sum_bytes)
{
    const bool wider = bytes < sum_bytes; /* sums than samples */
    if (channels == 3) switch (bytes) {
        case 1: return {1, 16, 0, sum_bytes == 4 ? 7 : 5};
        case 2: return sum_bytes == 4 ? size{1, 32, 0, 4} : size{1, 24, 0, 5};
        case 4: return wider ? size{1, 16, 0, 4} : size{1, 16 + 8, 8, 4};
        default: return {1, 8, 0, 4};
        }
    switch (bytes) {
    case 1: return {2, 32, 0, 5};
    case 2: return {2, 16, 0, 5};
    case 4: return wider ? size{1, 16, 0, 5} : size{1, 24 + 8, 8, 4};
    default: return {1, 12 + 4, 4, 4};
    }
}
constexpr size small_size(unsigned bytes)
{
    return {1, bytes < 8 ? 16u : 8u, 0, bytes <= 2 ? 8 : 5};
}
constexpr int64_t FEW_TILES = 264; /* two for each multiprocessor */
/* Words that are kept: a tenth of a device's second-level cache, and those of more tiles than it works on at a time
 * (but for four channels of bytes with sums of 8 bytes). */
constexpr int64_t RING_BYTES = 6 << 20;
#endif
template <class Sample, class Sum, unsigned C> struct shapes {
    static constexpr size L = large_size(C, sizeof(Sample), sizeof(Sum));
    static constexpr size S = small_size(sizeof(Sample));
    using large = fuse::shape<L.halves, WARPS, L.rows, L.resident, true, L.held>;
    using small = fuse::shape<S.halves, WARPS, S.rows, S.resident, false, S.held>;
};

int64_t tiles_of(int64_t n, int64_t side)
{
    return (n + side - 1) / side;
}

/* Of a plan, whose runs may have fewer rows than it.  Who takes words asks about the row of tiles below that which
 * had them, which must come before him. */
template <class K> fuse::ring ring_of(int64_t across, int64_t down)
{
    constexpr int64_t LEAST = 2;
    int64_t kept = tiles_of(RING_BYTES / (int64_t)(K::TILE_WORDS * sizeof(uint64_t)), across);
    if (kept < LEAST) kept = LEAST;
    if (kept > down || !K::REUSES) kept = down;
    return {.kept = (uint32_t)kept,
            .laps = (uint32_t)tiles_of(down, kept),
            .across = (uint32_t)across,
            .down = (uint32_t)down};
}

/* Calls f(kernel<...>()) for the types, channels and shape of a plan. */
template <class K> struct kernel {
    using type = K;
};

template <class Sample, class Accum, unsigned C, class F> sat_status with_shape(const sat_plan_spec *spec, F f)
{
    using sum = typename sums_in<Accum>::type;
    using both = shapes<Sample, sum, C>;
    using big = fuse::fused<Sample, Accum, C, typename both::large>;
    if constexpr (C == 1) /* several channels are seldom small, and every kernel takes a second to compile */
        if (tiles_of(spec->width, big::WIDTH) * tiles_of(spec->height, big::height) <= FEW_TILES)
            return f(kernel<fuse::fused<Sample, Accum, C, typename both::small>>());
    return f(kernel<big>());
}

template <class F> sat_status with_kernel(const sat_plan_spec *spec, F f)
{
    return with_types(spec->sample, spec->accum, [&](auto pair) {
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
    });
}

/* ---- plans --------------------------------------------------------------------------------------------------- */

struct plan {
    sat_plan_spec spec;
    uint64_t *counter, *row_words, *column_words, *done; /* one allocation */
    uint32_t *outside;                                   /* q32: set where a sample does not fit */
};

void close_plan(void *state)
{
    plan *p = (plan *)state;
    if (p == NULL) return;
    prim::device_free(p->counter);
    prim::device_free(p->outside);
    free(p);
}

template <class K> sat_status take_words(plan *p, const sat_plan_spec *spec, char *note, size_t note_bytes)
{
    constexpr int64_t COUNTER_WORDS = 16; /* a line of the cache */
    const int64_t elements = spec->width * spec->channels;
    const int64_t across = tiles_of(elements, K::WIDTH), down = tiles_of(spec->height, K::height);
    if (across > INT32_MAX / down)
        return sat_fail(SAT_ERR_UNAVAILABLE, "fused: %lldx%lld tiles; 2^31 - 1 are possible", (long long)across,
                        (long long)down);
    const size_t kept = ring_of<K>(across, down).kept;
    size_t row_words, column_words, words, bytes;
    if (!sat_mul((size_t)(across * spec->channels * K::WORDS_EACH), kept * K::height, &row_words) ||
        !sat_mul((size_t)((elements + spec->channels) * K::WORDS_EACH), kept, &column_words))
        return sat_fail(SAT_ERR_SHAPE, "fused: the workspace is larger than the address space");
    row_words += row_words % 2; /* pairs of words are aligned */
    words = COUNTER_WORDS + row_words + column_words + (size_t)across * kept;
    if (!sat_mul(words, sizeof(uint64_t), &bytes))
        return sat_fail(SAT_ERR_SHAPE, "fused: the workspace is larger than the address space");
    sat_status status = prim::device_alloc(&p->counter, words);
    if (status == SAT_OK) status = prim::fill_bytes(p->counter, 0, bytes, NULL);
    if (status != SAT_OK) return status;
    p->row_words = p->counter + COUNTER_WORDS;
    p->column_words = p->row_words + row_words;
    p->done = p->column_words + column_words;
    const char *device;
    (void)device_probe(&device);
    snprintf(note, note_bytes, "fused, tiles of %ux%u, %s", K::WIDTH, K::height, device);
    return SAT_OK;
}

sat_status open_plan(const sat_plan_spec *spec, void **state, char *note, size_t note_bytes)
{
    plan *p = (plan *)calloc(1, sizeof *p);
    if (p == NULL) return sat_fail(SAT_ERR_MEMORY, "fused: out of memory");
    p->spec = *spec;
    sat_status status =
        with_kernel(spec, [=](auto k) { return take_words<typename decltype(k)::type>(p, spec, note, note_bytes); });
    if (status == SAT_OK && spec->accum == SAT_Q32) status = prim::device_alloc(&p->outside, 1);
    if (status == SAT_OK && spec->accum == SAT_Q32) status = prim::fill_bytes(p->outside, 0, sizeof *p->outside, NULL);
    if (status == SAT_OK) status = prim::stream_wait(NULL);
    if (status != SAT_OK) {
        close_plan(p);
        return status;
    }
    *state = p;
    return SAT_OK;
}

/* Whether a table's column of zeros is made like the others, where that puts its rows on vectors.  Those of the image
 * then begin with the lead that stands for the zeros; bytes and half words may begin anywhere at little cost.  Not
 * worth more tiles; nor for floats, whose order would then hang on where a table lies. */
template <class K> bool takes_lead(const sat_view *table, int64_t elements, int64_t channels)
{
    return K::tile::IN_WORD > 1 && !fuse::ordered<typename K::sum> && channels * sizeof(typename K::sum) % 16 != 0 &&
           ((uintptr_t)table->data | table->row_bytes) % 16 == 0 &&
           tiles_of(elements + channels, K::WIDTH) == tiles_of(elements, K::WIDTH);
}

template <class K>
sat_status queue(const plan *p, const sat_view *image, const sat_view *table, const sat_run_options *run)
{
    using sum = typename K::sum;
    const int64_t channels = image->channels, elements = image->width * channels;
    const bool exclusive = p->spec.layout == SAT_EXCLUSIVE, padded = p->spec.layout == SAT_PADDED;
    const bool top = exclusive || (padded && !run->continues), zeros = exclusive || padded;

    scan_job job = {};
    job.in = image->data;
    job.in_pitch = (int64_t)(image->row_bytes / sat_type_bytes(image->type));
    job.step = 1;
    job.quant = p->spec.quant;
    job.outside = p->outside;

    K k = {};
    k.image.source = decltype(k.image.source)::of(&job);
    k.image.end = k.image.source.in + (image->height - 1) * job.in_pitch + elements;
    k.image.lead = zeros && takes_lead<K>(table, elements, channels) ? (unsigned)channels : 0;
    k.elements = elements + k.image.lead;
    k.rows = image->height;
    k.words = ring_of<K>(tiles_of(elements, K::WIDTH), tiles_of(p->spec.height, K::height));
    k.words.down = (uint32_t)tiles_of(image->height, K::height);
    k.words.done = p->done;
    k.out_pitch = (int64_t)(table->row_bytes / sizeof(sum));
    k.out = (sum *)table->data + (top ? k.out_pitch : 0) + (zeros ? channels : 0) - k.image.lead;
    k.out_elements = k.elements - (exclusive ? channels : 0);
    k.out_rows = image->height - exclusive;
    k.top = !top ? fuse::TOP_NONE : exclusive ? fuse::TOP_CARRY : fuse::TOP_ZEROS;
    k.zero_column = zeros && k.image.lead == 0;
    k.carry_in = (const sum *)run->carry_in;
    k.carry_out = (sum *)run->carry_out;
    k.counter = p->counter;
    k.row_words = p->row_words;
    k.column_words = p->column_words;
    return prim::launch(k, (int64_t)k.words.across * k.words.down, run->stream);
}

sat_status run_plan(void *state, const sat_view *image, const sat_view *table, const sat_run_options *run)
{
    const plan *p = (const plan *)state;
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
    .probe = device_probe,
    .open = open_plan,
    .run = run_plan,
    .close = close_plan,
    .wait = wait_plan,
    .box_open = box_open,
    .box_run = box_run,
    .box_close = box_close,
};
