/* box.cu - the box filter without a table: each sample is read, and each mean written, once.
 *
 * Idea    A block walks down a strip of the image, or up.  Some of its warps keep column sums: for each column, the
 *         sum over the window's rows.  In each step one row enters and one leaves.  Each of the other warps makes one
 *         row of means from column sums: each lane owns a run of neighbouring columns, and slides a window over them.
 *         One column enters, one leaves.  Short first windows are summed column by column.  Longer ones come from a
 *         warp scan of the runs' sums: prefixes of one row, held in registers.  So the cost depends on the window's
 *         size only by the halo: columns to the left and right of a strip, and rows above a segment, which two blocks
 *         read.  While the warps of rows do one step, those of columns have summed the rows of the next one and loaded
 *         those of the step after.  A block needs few columns in flight, so that segments are tall, and the rows above
 *         them few.  Those rows are read by all warps: warps of rows form groups as large as the warps of columns, sum
 *         some of the rows above, and store their sums in shared memory.
 *
 * Paper   McDonnell, Box-filtering techniques, CGIP 17, 1981, has the two sliding sums.  This file's: first windows by
 *         a scan; two sums of 16 bits in one word where the window's rows allow it, each added to a sum of 32 bits, or
 *         taken from it, by a dot product with a constant: one instruction, without unpacking.
 *
 * Layout  One block, and the columns of its threads:
 *
 *               |<-- before -->|<------- strip: results -------->|<-- after -->|
 *               +--------------+----------------------------------+------------+   columns: RUN for each lane of a
 *               | t0 t0 t0 t0 t1 t1 t1 t1 ...  OWN columns for each thread of  |   warp, 32 * RUN in all
 *               |                              a warp of columns, PARTS times  |
 *               +--------------------------------------------------------------+
 *     step k    | row y        enters (y + after), leaves (y - 1 - before)     |   the first warp of rows writes this
 *               | row y + 1                                                    |   row's results, the second this one's
 *               | ...  STEP rows                                               |
 *
 *         and the column sums of a row in shared memory (window = 2 runs and r columns):
 *
 *               lane      0          1          2          3
 *               run    |.......E  |.......E  |.......E  |.......E      E: the exclusive prefix of the run (warp scan)
 *                      |          |          |..r P     |..r P         P: E and the run's first r columns
 *               first window of lane 0 = P of lane 2 - E of lane 0     (one shuffle)
 *
 *         A run is an odd number of 16-byte vectors, so that lanes read their vectors without bank conflicts.  The
 *         window's width modulo a vector is known when the kernel is compiled: one of 8 cases, or of 4.
 *
 * Launch  One block for each strip and segment of rows; strips at the edges first, since they take longest.  A
 *         segment begins with the rows above its first window, and a strip loses the window's width: RUN is chosen
 *         for the window, and segments so that blocks fill the multiprocessors evenly (rows_of()).  Every other
 *         segment is walked upwards: neighbours begin at the same rows, or end at the same, and so share them in L2.
 *
 * Traffic 1R1W; the leaving rows a second time, from L2; strips and segments read their halos.
 *
 * Sync    One barrier for STEP rows, where column sums change hands: shared memory holds those of two steps.  Two
 *         barriers before the first step: sources of the halo's columns are stored; all groups have stored the sums of
 *         their rows above.  And one of the warp before it writes the results that its lanes have staged.  Blocks do
 *         not communicate.
 *
 * Limits  Column sums in 16 bits up to 257 rows of u8, else in 32; windows up to a strip's columns; windows that reach
 *         outside the image by at most its size, unless samples there count nothing; rows of less than 2^30 samples.
 *         Other filters go through a table.  Modulo 2^16 or 2^32 all differences are exact, since each window's own
 *         sum fits.  Floats: box_float.cu.
 *
 * Steps   All warps: 1. sums of the rows above; barrier.  Warps of columns: 2. add the sums of all groups  3. rows
 *         enter and leave, and their registers are loaded with later rows  4. barrier; the next step.  Warps of rows:
 *         2. barrier  3. first windows, slide, divide by a multiplication (box_divide.cuh proves it), stage; where an
 *         edge cuts windows, their sums are stored and divided one by one; write  4. the next step
 */
#include <stdio.h>

#include "box/box.cuh"
#include "box/box_float.cuh"
#include "box/box_segments.cuh"
#include "box/box_strip.cuh"
#include "probe.cuh"
#include "tuning.cuh"

namespace
{

const char name[] = "box";

struct filter {
    sat_box_spec spec;
    sat_window window;
    sat_axis reach_x, reach_y;
    box::axis x, y;
    box::divisor mean;
    int32_t strips, strip, rows;
    sat_arena *arena; /* of the arrays of axes and divisor */
    sat_status (*queue)(const filter *f, const sat_view *src, const sat_view *dst, void *stream);
    box_float *floats; /* float samples; then only the spec is set of the above */
};

/* ---- division ------------------------------------------------------------------------------------------ */

/* The multiplier of box::ratio, 0 if it is not proven. */
uint64_t multiplier_of(sat_type sample, uint32_t byte, uint64_t area)
{
    const unsigned bits = sample == SAT_U8 ? 32 + 8 * byte : 48;
    const uint64_t one = (uint64_t)1 << bits, m = (one - 1) / area + 1;
    if (sample == SAT_U8) return m <= UINT32_MAX && area < 1 << 20 && 256 * area * area <= one ? m : 0;
    return area <= UINT16_MAX ? m : 0;
}

/* The byte for which all areas from `least` up to `most` are proven, else one for which the largest is. */
uint32_t byte_for(uint64_t least, uint64_t most)
{
    for (uint32_t byte = 0; byte < 3; byte++)
        if (multiplier_of(SAT_U8, byte, least) && multiplier_of(SAT_U8, byte, most)) return byte;
    for (uint32_t byte = 0; byte < 3; byte++)
        if (multiplier_of(SAT_U8, byte, most)) return byte;
    return 0;
}

/* The fewest samples that a window covers. */
int64_t least_covered(const sat_axis *a)
{
    const int64_t n = a->n, ends[] = {a->after + 1, a->before + 1, n};
    int64_t least = a->before + 1 + a->after;
    for (int64_t end : ends) least = end < least ? end : least;
    return least;
}

void fill_divisor(filter *f, box::tables *t)
{
    box::divisor *d = &f->mean;
    box::ratio *rows;
    d->rows = t->alloc((size_t)f->y.n, &rows);
    if (t->host == NULL) return;
    const uint64_t width = (uint64_t)(f->reach_x.before + 1 + f->reach_x.after),
                   height = (uint64_t)(f->reach_y.before + 1 + f->reach_y.after);
    d->shrinks = f->window.border->shrinks;
    d->area = (uint64_t)f->window.area_px;
    d->byte = d->shrinks ? byte_for(width * (uint64_t)least_covered(&f->reach_y), width * height)
                         : byte_for(d->area, d->area);
    for (int32_t i = 0; i < f->y.n; i++) {
        sat_segment segments[SAT_SEGMENTS];
        int64_t covered;
        (void)sat_axis_segments(&f->window.y, i, segments, &covered);
        const uint64_t area = d->shrinks ? width * (uint64_t)covered : d->area;
        rows[i] = {multiplier_of(f->spec.sample, d->byte, area), (uint32_t)(area / 2)};
    }
}

/* ---- one kernel's shape -------------------------------------------------------------------------------- */

template <class Filter> sat_status queue(const filter *f, const sat_view *src, const sat_view *dst, void *stream)
{
    using sample = typename Filter::sample_type;
    constexpr size_t vector = sizeof(typename Filter::raw);
    Filter k = {};
    k.in = (const sample *)src->data;
    k.out = (sample *)dst->data;
    k.in_pitch = (int64_t)(src->row_bytes / sizeof(sample));
    k.out_pitch = (int64_t)(dst->row_bytes / sizeof(sample));
    k.in_image_pitch = (int64_t)(src->image_bytes / sizeof(sample));
    k.out_image_pitch = (int64_t)(dst->image_bytes / sizeof(sample));
    k.x = f->x;
    k.y = f->y;
    k.mean = f->mean;
    k.strips = f->strips;
    k.strip = f->strip;
    k.rows = f->rows;
    k.set_window((uint32_t)((f->x.before + 1 + f->x.after) * f->spec.channels));
    k.wide = ((uintptr_t)src->data | src->row_bytes | src->image_bytes) % vector == 0 && src->row_bytes <= UINT32_MAX;
    k.row_bytes = (uint32_t)src->row_bytes;
    for (int c = 0; c < f->spec.channels; c++)
        if (f->window.border->takes_value) k.value[c] = (sample)f->window.value[c];
    const int64_t segments = (f->y.n + f->rows - 1) / f->rows;
    k.image_blocks = (uint32_t)(segments * f->strips);
    return prim::launch(k, segments * f->strips * src->count, stream);
}

/* Results in a strip, at most; 0 if the window is too wide.  All windows end before the last column, so that the end of
 * a lane's first window is always in another lane's run.  Strips begin at multiples of 16, so that they write whole
 * vectors; or at multiples of 4, where that saves a strip. */
template <class Filter> int64_t strip_of(const filter *f)
{
    constexpr int64_t LOAD_ALIGNMENT = Filter::LOAD_ALIGNMENT;
    const int64_t channels = f->spec.channels, elements = f->spec.width * channels;
    const int64_t reach = f->reach_x.before * channels, window = reach + (1 + f->reach_x.after) * channels;
    const int64_t whole = ((int64_t)Filter::ELEMENTS - Filter::misalignment((int32_t)-reach) - window) / 16 * 16,
                  most = ((int64_t)Filter::ELEMENTS - (LOAD_ALIGNMENT - 1) - window) / 4 * 4;
    if (whole < 16) return 0;
    const bool fewer = most > 0 && (elements + most - 1) / most < (elements + whole - 1) / whole;
    const int64_t unit = fewer ? 4 : 16, strips = (elements + (fewer ? most : whole) - 1) / (fewer ? most : whole);
    return ((elements + strips - 1) / strips + unit - 1) / unit * unit;
}

/* Chooses the strips of a kernel and fills its arrays.  rows: of a segment. */
template <class Filter> sat_status prepare(filter *f, int64_t rows)
{
    const int64_t strip = strip_of<Filter>(f), elements = f->spec.width * f->spec.channels;
    if (elements > INT32_MAX / 2)
        return sat_fail(SAT_ERR_UNAVAILABLE, "%s: rows of %lld samples; fewer than 2^30 are possible", name,
                        (long long)elements);
    if (sizeof(typename Filter::shared) > prim::shared_memory_limit())
        return sat_fail(SAT_ERR_UNAVAILABLE, "%s: the device's shared memory is too small", name);
    if (strip == 0)
        return sat_fail(SAT_ERR_UNAVAILABLE, "%s: a window of %lld columns is too wide", name,
                        (long long)f->spec.window_width);
    f->strip = (int32_t)strip;
    f->strips = (int32_t)((elements + f->strip - 1) / f->strip);
    f->rows = (int32_t)(rows < f->spec.height ? rows : f->spec.height);
    f->queue = queue<Filter>;

    box::tables t = {.arena = f->arena};
    sat_status status = SAT_OK;
    for (int filled = 0; filled < 2 && status == SAT_OK; filled++) {
        if (filled) status = t.reserve();
        if (status != SAT_OK) break;
        /* The halo before the image: columns back to an aligned load, and the row that leaves in the first step. */
        box::fill_axis(&f->x, &t, &f->reach_x, &f->window.x, (int32_t)(f->reach_x.before + Filter::LOAD_ALIGNMENT - 1));
        box::fill_axis(&f->y, &t, &f->reach_y, &f->window.y, (int32_t)f->reach_y.before + 1);
        fill_divisor(f, &t);
    }
    return status == SAT_OK ? t.upload() : status;
}

template <class Filter> sat_status prepare_for_device(filter *f)
{
    sat_device_info info;
    sat_status status = sat_device_current(&info);
    const int64_t strip = strip_of<Filter>(f);
    if (status != SAT_OK || strip == 0) return status == SAT_OK ? prepare<Filter>(f, 1) : status;
    const int64_t strips = (f->spec.width * f->spec.channels + strip - 1) / strip;
    return prepare<Filter>(f, box::rows_of(f->spec.height, f->reach_y.before + 1 + f->reach_y.after,
                                           strips * f->spec.count, info.multiprocessors * box::blocks_at_once<Filter>(),
                                           Filter::ROWS));
}

/* ---- which kernel -------------------------------------------------------------------------------------- */

template <class Sample, unsigned CHANNELS, class Column, class Sum, tuning::box_strip S>
using filter_of = box::strip_filter<Sample, CHANNELS, Column, Sum, S.run, S.own, S.step, S.resident, S.chunk, S.parts>;
template <unsigned CHANNELS>
using bytes_narrow = filter_of<uint8_t, CHANNELS, uint16_t, uint32_t, tuning::BOX_NARROW_BYTES>;
template <unsigned CHANNELS>
using bytes_broad = filter_of<uint8_t, CHANNELS, uint16_t, uint32_t, tuning::box_broad_bytes(CHANNELS)>;
template <class Sample, unsigned CHANNELS, class Sum>
using words = filter_of<Sample, CHANNELS, uint32_t, Sum, tuning::BOX_WORDS>;

template <unsigned CHANNELS> sat_status prepare_channels(filter *f)
{
    const uint64_t largest = sat_sample_max(f->spec.sample);
    const uint64_t rows = (uint64_t)(f->reach_y.before + 1 + f->reach_y.after);
    const bool narrow = f->window.accum == SAT_U32;
    if (rows > UINT32_MAX / largest)
        return sat_fail(SAT_ERR_UNAVAILABLE, "%s: a window of %lld rows is too tall", name, (long long)rows);
    if (f->spec.sample == SAT_U16)
        return narrow ? prepare_for_device<words<uint16_t, CHANNELS, uint32_t>>(f)
                      : prepare_for_device<words<uint16_t, CHANNELS, uint64_t>>(f);
    if (!narrow) return sat_fail(SAT_ERR_UNAVAILABLE, "%s: a window of u8 whose sum exceeds 2^32", name);
    if (rows > UINT16_MAX / largest) return prepare_for_device<words<uint8_t, CHANNELS, uint32_t>>(f);
    const int64_t window = (f->reach_x.before + 1 + f->reach_x.after) * CHANNELS;
    /* Runs of three channels are an odd number of threes of vectors: 24 would be too short, the next is 72. */
    if constexpr (CHANNELS != 3)
        if (window * 4 <= (int64_t)bytes_narrow<CHANNELS>::ELEMENTS)
            return prepare_for_device<bytes_narrow<CHANNELS>>(f);
    const bool fits = sizeof(typename bytes_broad<CHANNELS>::shared) <= prim::shared_memory_limit();
    return fits ? prepare_for_device<bytes_broad<CHANNELS>>(f)
                : prepare_for_device<words<uint8_t, CHANNELS, uint32_t>>(f);
}

sat_status prepare_filter(filter *f)
{
    const sat_border *border = f->window.border;
    sat_status status = box::check_sides(name, &f->window);
    if (status != SAT_OK) return status;
    f->reach_x = f->window.x;
    f->reach_y = f->window.y;
    const bool near_x = box::clip_reach(&f->reach_x, border->shrinks),
               near_y = box::clip_reach(&f->reach_y, border->shrinks);
    if (!near_x || !near_y)
        return sat_fail(SAT_ERR_UNAVAILABLE, "%s: windows reach outside the image by more than its size", name);
    if (f->spec.weighted_alpha) return sat_fail(SAT_ERR_UNAVAILABLE, "%s: does not weigh integers", name);
    switch (f->spec.channels) {
    case 1: return prepare_channels<1>(f);
    case 2: return prepare_channels<2>(f);
    case 3: return prepare_channels<3>(f);
    default: return prepare_channels<4>(f);
    }
}

} // namespace

sat_status box_open(const sat_box_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes)
{
    filter *f = prim::arena_new<filter>(arena);
    if (f == NULL) return SAT_ERR_MEMORY;
    f->arena = arena;
    f->spec = *spec;
    sat_status status = sat_window_of(spec, &f->window);
    if (status == SAT_OK && (spec->result != spec->sample || f->window.is_signed || spec->sample == SAT_U32))
        status = sat_fail(SAT_ERR_UNAVAILABLE, "%s: no %s means of %s samples without a table", name,
                          sat_type_name(spec->result), sat_type_name(spec->sample));
    if (status == SAT_OK)
        status = sat_is_float(spec->sample) ? box_float_open(spec, &f->window, arena, &f->floats) : prepare_filter(f);
    if (status != SAT_OK) return status;
    const char *device;
    (void)device_probe(&device);
    const int n = snprintf(note, note_bytes, "%s without a table, %s", spec->backend, device);
    if (n > 0 && (size_t)n < note_bytes) sat_window_note(&f->window, note + n, note_bytes - (size_t)n);
    *state = f;
    return SAT_OK;
}

sat_status box_run(void *state, const sat_view *src, const sat_view *dst, void *stream)
{
    const filter *f = (const filter *)state;
    return f->floats ? box_float_run(f->floats, src, dst, stream) : f->queue(f, src, dst, stream);
}
