/* thin.cu - tables of images of few columns, or of few rows; a part of backend `fused`
 *
 * Idea    Tiles of fused.cu are wider and higher than such an image.  A narrow one leaves most of a tile's columns
 * idle; a low one makes a chain of look-backs as long as the image.  Here a first kernel sums parts of the image, and
 *         a second one makes the table of each part: so few values come from each part that it adds up those of all
 *         parts before its own.
 *
 * Paper   Blelloch, Prefix sums and their applications, CMU-CS-90-190, 1990: reduce, then scan.
 *
 * Layout  With X(y,x) the inclusive prefix of row y, and T the table:
 *
 *             narrow: a band of rows for each block         low: a chunk of columns for each block
 *
 *             +-----+   column sums of each band            +-----+-----+-----+   row sums of each chunk
 *             |  0  |                                       |  0  |  1  |  2  |
 *             +-----+   C(y,x): the column sums of all      +-----+-----+-----+   L(y): the row sums of all chunks
 *             |  1  |   bands above, and of the band down                         on the left
 *             +-----+   to row y
 *             |  2  |                                       T(y,x) = T(y-1,x) + L(y) + X(y,x)
 *             +-----+   T(y,x) = sum of C(y,x') for x' <= x
 *
 *         A band is taken in rounds.  A thread sums a column down a group of rows in shared memory; a thread scans a
 *         row there, with the column sums above the group added; then the block writes the rows one after another, so
 *         that each store of a warp covers a line of memory.  (Columns written by a thread each, a row at a time, took
 *         twice as long: parts of lines went to memory.)
 *         A chunk is walked down: a thread has neighbouring columns, and T of the row above in registers.
 *
 * Launch  Narrow: as many blocks as are resident together, so that all end together.  Low: a block for each 2048
 *         columns.  Sizes: tuning.cuh.
 *
 * Traffic 2 reads and 1 write for each element; the second read comes from the second-level cache if that holds the
 *         image.
 *
 * Sync    None between blocks but the end of the first kernel.
 *
 * Limits  One image; integer sums; narrow: rows of fewer elements than a block has threads; low: at most 64 rows of one
 *         channel.
 *
 * Steps   1. The sums of the columns of each band, or of the rows of each chunk.
 *         2. Narrow, for each round: samples to shared memory; sums down the columns of groups; what lies above each
 *            group; scans of the rows; the table.
 *            Low, for each row: a scan in the block; L and the row above; the table. */
#include "table/thin.cuh"

#include <stdio.h>

#include "prim/runtime.cuh"
#include "probe.cuh"
#include "scan.cuh"
#include "shape.h"
#include "table/thin_low.cuh"
#include "table/thin_narrow.cuh"

struct thin_table {
    sat_plan_spec spec;
    uint32_t parts; /* bands at most, or chunks of the widest image */
    void *sums;
};

namespace
{

bool is_narrow(const sat_plan_spec *spec)
{
    return tuning::thin_narrow(spec->width * spec->channels, spec->height);
}

bool is_low(const sat_plan_spec *spec)
{
    return spec->channels == 1 && tuning::thin_low(spec->width, spec->height);
}

/* Calls f(type_pair<Sample, Sum>()). */
template <class F> sat_status with_pair(const sat_plan_spec *spec, F f)
{
    return with_types(spec->sample, spec->accum, [&](auto pair) {
        using types = decltype(pair);
        constexpr bool sums_bytes_apart = !std::is_same_v<typename types::sample, uint64_t>;
        if constexpr (sums_bytes_apart && std::is_integral_v<typename types::accum>)
            return f(pair);
        else
            return sat_fail(SAT_ERR_TYPE, "fused: no thin tables of these types");
    });
}

template <class Sum>
thin::table_rows<Sum> rows_of(const sat_plan_spec *spec, const sat_view *image, const sat_view *table,
                              const sat_run *run)
{
    const bool exclusive = spec->layout == SAT_EXCLUSIVE, padded = spec->layout == SAT_PADDED;
    const int64_t channels = image->channels;
    thin::table_rows<Sum> t = {};
    t.pitch = (int64_t)(table->row_bytes / sizeof(Sum));
    t.top = exclusive || (padded && !run->continues);
    t.top_carry = exclusive;
    t.zeros = exclusive || padded ? (uint32_t)channels : 0;
    t.out = (Sum *)table->data + (t.top ? t.pitch : 0) + t.zeros;
    t.rows = image->height - exclusive;
    t.elements = (image->width - exclusive) * channels;
    return t;
}

template <class Sample, class Sum>
sat_status queue_narrow(const thin_table *p, const sat_view *image, const sat_view *table, const sat_run *run)
{
    using second = thin::narrow_table<Sample, Sum>;
    const uint32_t elements = (uint32_t)(image->width * image->channels);
    const uint32_t most_groups = tuning::THIN_NARROW_GROUPS, groups = tuning::THIN_THREADS / elements;
    const int64_t fit = second::SUMS / second::sums_pitch(elements);

    thin::narrow_sums<Sample, Sum> a = {};
    a.image.in = (const Sample *)image->data;
    a.image.pitch = (int64_t)(image->row_bytes / sizeof(Sample));
    a.image.rows = image->height;
    a.image.band = (image->height + p->parts - 1) / p->parts;
    const int64_t rounds = (a.image.band + fit - 1) / fit;
    a.image.round = (uint32_t)((a.image.band + rounds - 1) / rounds);
    a.image.elements = elements;
    a.image.groups = groups < most_groups ? groups : most_groups;
    a.table = rows_of<Sum>(&p->spec, image, table, run);
    a.carry_in = (const Sum *)run->carry_in;
    a.sums = (Sum *)p->sums;
    a.channels = (uint32_t)image->channels;
    const uint32_t bands = (uint32_t)((image->height + a.image.band - 1) / a.image.band);
    const sat_status status = prim::launch(a, bands, run->stream);
    if (status != SAT_OK) return status;

    second b = {};
    b.image = a.image;
    b.table = a.table;
    b.sums = a.sums;
    b.carry_out = (Sum *)run->carry_out;
    b.channels = a.channels;
    return prim::launch(b, bands, run->stream);
}

template <class Sample, class Sum>
sat_status queue_low(const thin_table *p, const sat_view *image, const sat_view *table, const sat_run *run)
{
    thin::low_sums<Sample, Sum> a = {};
    using columns = decltype(a.image);
    a.image.in = (const Sample *)image->data;
    a.image.pitch = (int64_t)(image->row_bytes / sizeof(Sample));
    a.image.columns = image->width;
    a.image.rows = (uint32_t)image->height;
    a.image.wide = ((uintptr_t)image->data | image->row_bytes) % (columns::PER_VECTOR * sizeof(Sample)) == 0;
    a.sums = (Sum *)p->sums;
    const sat_status status = prim::launch(a, p->parts, run->stream);
    if (status != SAT_OK) return status;

    thin::low_table<Sample, Sum> b = {};
    b.image = a.image;
    b.table = rows_of<Sum>(&p->spec, image, table, run);
    b.sums = a.sums;
    b.carry_in = (const Sum *)run->carry_in;
    b.carry_out = (Sum *)run->carry_out;
    return prim::launch(b, p->parts, run->stream);
}

} // namespace

bool thin_pays(const sat_plan_spec *spec)
{
    return spec->count == 1 && spec->power != 2 && (spec->accum == SAT_U32 || spec->accum == SAT_U64) &&
           (is_narrow(spec) || is_low(spec));
}

sat_status thin_open(const sat_plan_spec *spec, sat_arena *arena, thin_table **table, char *note, size_t note_bytes)
{
    thin_table *p = *table = prim::arena_new<thin_table>(arena);
    if (p == NULL) return SAT_ERR_MEMORY;
    p->spec = *spec;
    const bool narrow = is_narrow(spec);
    const int64_t most = (int64_t)prim::multiprocessors() * tuning::THIN_NARROW_BLOCKS;
    const int64_t chunk = thin::low_columns<uint8_t>::CHUNK;
    p->parts = (uint32_t)(narrow ? most : (spec->width + chunk - 1) / chunk);
    const int64_t values = narrow ? spec->width * spec->channels : spec->height;
    const char *device;
    (void)device_probe(&device);
    snprintf(note, note_bytes, "fused, %s of %lld, %s", narrow ? "bands" : "chunks",
             (long long)(narrow ? (spec->height + most - 1) / most : chunk), device);
    /* Narrow: and the carry row. */
    return sat_arena_take(arena, SAT_MEMORY_DEVICE,
                          (size_t)(((int64_t)p->parts + narrow) * values) * sat_type_bytes(spec->accum), &p->sums);
}

sat_status thin_run(const thin_table *p, const sat_view *image, const sat_view *table, const sat_run *run)
{
    return with_pair(&p->spec, [=](auto pair) {
        using sample = typename decltype(pair)::sample;
        using sum = typename decltype(pair)::accum;
        return is_narrow(&p->spec) ? queue_narrow<sample, sum>(p, image, table, run)
                                   : queue_low<sample, sum>(p, image, table, run);
    });
}
