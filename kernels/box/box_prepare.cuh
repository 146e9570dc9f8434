/* box_prepare.cuh - how the box filter of integers chooses its strips and fills the arrays that its kernels read
 * (box.cu).
 */
#ifndef BOX_PREPARE_CUH
#define BOX_PREPARE_CUH

#include "box/box.cuh"
#include "box/box_segments.cuh"
#include "box/box_strip.cuh"
#include "probe.cuh"
#include "tuning.cuh"

namespace box
{

/* A filter of integers: its window, its kernel and what that reads. */
struct strip_plan {
    sat_box_spec spec;
    sat_box_window window;
    sat_axis reach_x, reach_y;
    axis x, y;
    divisor mean;
    int32_t strips, strip, rows;
    sat_arena *arena; /* of the arrays of axes and divisor */
    sat_status (*queue)(const strip_plan *f, const sat_view *src, const sat_view *dst, void *stream);
};

/* ---- division ------------------------------------------------------------------------------------------ */

/* The multiplier of ratio, 0 if it is not proven. */
inline uint64_t multiplier_of(sat_type sample, uint32_t byte, uint64_t area)
{
    const unsigned bits = sample == SAT_U8 ? 32 + 8 * byte : 48;
    const uint64_t one = (uint64_t)1 << bits, m = (one - 1) / area + 1;
    if (sample == SAT_U8) return m <= UINT32_MAX && area < 1 << 20 && 256 * area * area <= one ? m : 0;
    return area <= UINT16_MAX ? m : 0;
}

/* The byte for which all areas from `least` up to `most` are proven, else one for which the largest is. */
inline uint32_t byte_for(uint64_t least, uint64_t most)
{
    for (uint32_t byte = 0; byte < 3; byte++)
        if (multiplier_of(SAT_U8, byte, least) && multiplier_of(SAT_U8, byte, most)) return byte;
    for (uint32_t byte = 0; byte < 3; byte++)
        if (multiplier_of(SAT_U8, byte, most)) return byte;
    return 0;
}

/* The fewest samples that a window covers. */
inline int64_t least_covered(const sat_axis *a)
{
    const int64_t n = a->n, ends[] = {a->after + 1, a->before + 1, n};
    int64_t least = a->before + 1 + a->after;
    for (int64_t end : ends) least = end < least ? end : least;
    return least;
}

inline void fill_divisor(strip_plan *f, tables *t)
{
    divisor *d = &f->mean;
    ratio *rows;
    d->rows = t->alloc((size_t)f->y.n, &rows);
    if (t->host == NULL) return;
    const uint64_t width = (uint64_t)(f->reach_x.before + 1 + f->reach_x.after),
                   height = (uint64_t)(f->reach_y.before + 1 + f->reach_y.after);
    d->shrinks = f->window.border->shrinks;
    d->area = (uint64_t)f->window.area_px;
    d->in_floats = sat_sum_fits(f->window.area_px, f->window.largest, 24);
    d->byte = d->shrinks ? byte_for(width * (uint64_t)least_covered(&f->reach_y), width * height)
                         : byte_for(d->area, d->area);
    for (int32_t i = 0; i < f->y.n; i++) {
        sat_segment segments[SAT_SEGMENTS];
        int64_t covered;
        (void)sat_axis_segments(&f->window.y, i, segments, &covered);
        const uint64_t area = d->shrinks ? width * (uint64_t)covered : d->area;
        if (f->spec.result == f->spec.sample)
            rows[i] = {multiplier_of(f->spec.sample, d->byte, area), (uint32_t)(area / 2)};
        else
            rows[i] = {__builtin_bit_cast(uint64_t, 1 / (double)area), (uint32_t)area};
    }
}

/* ---- one kernel's shape -------------------------------------------------------------------------------- */

template <class Filter> sat_status queue(const strip_plan *f, const sat_view *src, const sat_view *dst, void *stream)
{
    using sample = typename Filter::sample_type;
    using result = typename Filter::result_type;
    constexpr size_t vector = sizeof(typename Filter::raw);
    Filter k = {};
    k.in = (const sample *)src->data;
    k.out = (result *)dst->data;
    k.in_pitch = (int64_t)(src->row_bytes / sizeof(sample));
    k.out_pitch = (int64_t)(dst->row_bytes / sizeof(result));
    k.in_image_pitch = (int64_t)(src->image_bytes / sizeof(sample));
    k.out_image_pitch = (int64_t)(dst->image_bytes / sizeof(result));
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
template <class Filter> int64_t strip_of(const strip_plan *f)
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
template <class Filter> sat_status prepare(strip_plan *f, int64_t rows)
{
    const int64_t strip = strip_of<Filter>(f), elements = f->spec.width * f->spec.channels;
    if (elements > INT32_MAX / 2)
        return sat_fail(SAT_ERR_UNAVAILABLE, "%s: rows of %lld samples; fewer than 2^30 are possible", NAME,
                        (long long)elements);
    if (sizeof(typename Filter::shared) > prim::shared_memory_limit())
        return sat_fail(SAT_ERR_UNAVAILABLE, "%s: the device's shared memory is too small", NAME);
    if (strip == 0)
        return sat_fail(SAT_ERR_UNAVAILABLE, "%s: a window of %lld columns is too wide", NAME,
                        (long long)f->spec.window_width);
    f->strip = (int32_t)strip;
    f->strips = (int32_t)((elements + f->strip - 1) / f->strip);
    f->rows = (int32_t)(rows < f->spec.height ? rows : f->spec.height);
    f->queue = queue<Filter>;
    return make_tables(f->arena, [&](tables *t) {
        /* The halo before the image: columns back to an aligned load, and the row that leaves in the first step. */
        fill_axis(&f->x, t, &f->reach_x, &f->window.x, (int32_t)(f->reach_x.before + Filter::LOAD_ALIGNMENT - 1));
        fill_axis(&f->y, t, &f->reach_y, &f->window.y, (int32_t)f->reach_y.before + 1);
        fill_divisor(f, t);
    });
}

template <class Filter> sat_status prepare_for_device(strip_plan *f)
{
    sat_device_info info;
    sat_status status = sat_device_current(&info);
    const int64_t strip = strip_of<Filter>(f);
    if (status != SAT_OK || strip == 0) return status == SAT_OK ? prepare<Filter>(f, 1) : status;
    const int64_t strips = (f->spec.width * f->spec.channels + strip - 1) / strip;
    return prepare<Filter>(f, rows_of(f->spec.height, f->reach_y.before + 1 + f->reach_y.after, strips * f->spec.count,
                                      info.multiprocessors * blocks_at_once<Filter>(), Filter::ROWS));
}

template <class Sample, class Result, unsigned CHANNELS, class Column, class Sum, tuning::box_strip S>
using filter_of =
    strip_filter<Sample, Result, CHANNELS, Column, Sum, S.run, S.own, S.step, S.resident, S.chunk, S.parts>;
template <class Sample, class Result, unsigned CHANNELS, class Sum>
using words = filter_of<Sample, Result, CHANNELS, uint32_t, Sum, tuning::BOX_WORDS>;

/* Kernels with results of the samples' type: of u8 with column sums of 16 bits, where these suffice (box_bytes.cu); of
 * u8 and u16 (box_words.cu).  Those with results of f32 (box_real.cu). */
sat_status prepare_bytes(strip_plan *f);
sat_status prepare_words(strip_plan *f);
sat_status prepare_reals(strip_plan *f);

} // namespace box

#endif
