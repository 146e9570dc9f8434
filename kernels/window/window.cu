/* window.cu - statistics of windows of integer samples.
 *
 * Idea    The sums of a window, S1 of its samples and S2 of their squares, are made as in cpu_window_integers.c: sums
 *         of columns over the window's rows slide down a strip of the image, and prefix sums of these along each row
 *         give every window as a difference of two.  All of it is exact, modulo 2^32 or 2^64.  The formulas are those
 *         of the host, in f64 and in the same order, and so are the bits of the results.  A warp has a strip for
 *         itself, and no barrier.
 *
 * Paper   McDonnell, Box-filtering techniques, CGIP 17, 1981; Crow, SIGGRAPH 1984, for the prefix sums.
 *
 * Layout  One row of a strip, RUN columns for each lane, whose sums are in the lane's registers:
 *
 *             |<-- before -->|<------- strip: results -------->|<-- after -->|
 *     lane    0 0 0 0 1 1 1 1 2 2 2 2 3 3 3 3 ...                              columns' sums, slid down by one row
 *     shared  | exclusive prefix sums of these, S1 and S2 side by side |       runs padded to odd numbers of vectors
 *     lane    . . . . 0 1 2 3 4 5 6 7 8 9 ... 31 0 1 2 ...                     results: window = two entries
 *
 *         Lanes own neighbouring columns where they sum, and every 32nd where they make results: neighbouring lanes
 *         then read and write neighbouring words.  Columns outside the image repeat those that the border mode names;
 *         without one they count nothing, and border values are added to the sums of windows at the end.
 *
 * Launch  One block for each strip and segment of rows.  A segment begins with the rows of its first window.  Blocks of
 *         one warp; of several, with a scan over the block, for windows wider than three quarters of a warp's columns,
 *         sums of 64 bits of u8, and samples of 32 bits.  These have strips of one channel.
 *
 * Traffic 1R, and a write of each result; the leaving rows a second time and, for comparisons, each pixel a third time,
 *         from L2; strips and segments read their halos.
 *
 * Sync    The lanes of a warp: one barrier after the prefix sums of a row, one after their use.  Extremes of an image
 *         come from a pass of their own: each warp stores those that it saw, and a second kernel joins them.
 *
 * Limits  Integer samples; of 32 bits without squares, whose sums would take 96 bits.  Windows of at most a block's
 *         columns, where the border mode repeats samples or counts them; others are clipped to the image.  Sides below
 *         2^29, rows of less than 2^30 samples.
 *
 * Steps   1. Sum the rows of the first window.  2. Load the rows that enter and leave next.  3. Prefix sums to shared
 *         memory.  4. For each result: windows' sums to moments, and these to the result.  5. Slide; go to 2.
 */
#include <math.h>
#include <stdio.h>

#include "box/box_segments.cuh"
#include "prim/runtime.cuh"
#include "probe.cuh"

/* rectangle.h in the device's terms. */
#define SAT_BOTH          PRIM_DEVICE
#define SAT_PRODUCT(a, b) prim::product(a, b)
#include "window/window.cuh"
#include "window/window_strip.cuh"

namespace
{

constexpr char NAME[] = "windows";

struct windows {
    sat_window_spec spec;
    sat_window_plan plan;
    sat_axis reach_x, reach_y; /* clipped where positions outside count nothing */
    box::axis x, y;
    int32_t strips, strip, rows, segments, stride;
    enum window::arithmetic arithmetic;
    bool sums_in_32_bits;
    window::extremes *found, *image; /* NULL: no statistic needs them */
    uint64_t *clipped;
    void *stream; /* of the last run */
    sat_arena *arena;
    sat_status (*queue)(const windows *w, const sat_view *src, const sat_view *mask, const sat_view *results,
                        void *stream);
};

/* Columns that a whole window covers. */
int64_t whole_columns(const windows *w)
{
    const int64_t columns = w->plan.window.x.before + 1 + w->plan.window.x.after;
    return w->plan.window.border->shrinks && columns > w->spec.width ? w->spec.width : columns;
}

/* What is added to samples that may be below zero, and the largest that they then are. */
uint32_t bias_of(const windows *w)
{
    return w->plan.window.is_signed ? 1u << (8 * sat_type_bytes(w->spec.sample) - 1) : 0;
}
uint64_t largest_of(const windows *w)
{
    return w->plan.window.largest + bias_of(w);
}

/* ---- runs ---------------------------------------------------------------------------------------------- */

window::finish finish_of(const windows *w, const sat_view *results)
{
    window::finish f = {};
    f.outputs = w->spec.outputs;
    f.arithmetic = w->arithmetic;
    f.sums_in_f64 =
        w->plan.window.area_px < (int64_t)1 << 40 && sat_sum_fits(w->plan.window.area_px, largest_of(w), 53);
    f.is_signed = w->plan.window.is_signed;
    f.integer_bias = bias_of(w);
    f.bias = f.integer_bias;
    f.ddof = w->spec.ddof;
    f.range = w->plan.largest;
    for (int i = 0; i < f.outputs; i++) {
        const sat_window_result_plan *r = &w->plan.result[i];
        window::finish::output *o = &f.of[i];
        o->to = (char *)results[i].data;
        o->row_bytes = (int64_t)results[i].row_bytes;
        o->image_bytes = (int64_t)results[i].image_bytes;
        o->needs = sat_statistic_get(r->statistic)->needs | (r->compare ? SAT_NEEDS_PIXEL : 0);
        o->is_real = !r->compare && r->type == SAT_F32;
        o->is_rough = r->compare && w->arithmetic == window::IN_F64;
        for (int k = 0; k < SAT_PARAMETERS; k++) {
            o->p[k] = r->p[k];
            o->rough_p[k] = (float)r->p[k];
            if (r->p[k] != 0) o->is_rough = o->is_rough && fabs(r->p[k]) > 0x1p-40 && fabs(r->p[k]) < 0x1p40;
        }
        o->least = r->least;
        o->empty = r->empty;
        o->statistic = r->statistic;
        o->type = r->type;
        o->compare = r->compare;
        o->may_be_empty = r->may_be_empty;
    }
    return f;
}

template <class Kernel, class Sample>
sat_status queue(const windows *w, const sat_view *src, const sat_view *mask, const sat_view *results, void *stream)
{
    Kernel k = {};
    k.in = (const Sample *)src->data;
    k.in_pitch = (int64_t)(src->row_bytes / sizeof(Sample));
    k.in_image_pitch = (int64_t)(src->image_bytes / sizeof(Sample));
    k.mask = mask ? (const uint8_t *)mask->data : nullptr;
    k.mask_pitch = mask ? (int64_t)mask->row_bytes : 0;
    k.mask_image_pitch = mask ? (int64_t)mask->image_bytes : 0;
    k.x = w->x;
    k.y = w->y;
    k.strips = w->strips;
    k.strip = w->strip;
    k.rows = w->rows;
    k.segments = w->segments;
    k.stride = w->stride;
    k.wide = w->stride == 1 &&
             ((uintptr_t)src->data | src->row_bytes | src->image_bytes) % sizeof(typename Kernel::unit) == 0;
    k.wide_mask =
        mask && ((uintptr_t)mask->data | mask->row_bytes | mask->image_bytes) % 16 == 0 && Kernel::ALIGNMENT % 16 == 0;
    k.bias = bias_of(w);
    const double nodata = w->spec.nodata, most = (double)sat_sample_max(w->spec.sample), least = k.bias ? -most - 1 : 0;
    k.has_nodata = w->spec.has_nodata && nodata >= least && nodata <= most && nodata == floor(nodata);
    if (k.has_nodata) k.nodata = ((uint32_t)(int64_t)nodata & (uint32_t)(Sample)~0) ^ k.bias;
    k.takes_value = w->plan.window.border->takes_value;
    k.clips_x = k.takes_value || w->plan.window.border->shrinks;
    k.whole_columns = (int32_t)whole_columns(w);
    k.whole_rows = (int32_t)(w->plan.window.area_px / k.whole_columns);
    for (int c = 0; c < 4; c++) k.value[c] = w->plan.window.value[c] + k.bias;
    k.area = (uint64_t)w->plan.window.area_px;
    k.results = finish_of(w, results);
    k.clipped = w->clipped;
    const int64_t blocks = (int64_t)w->strips * w->segments * w->stride;
    if (w->image) {
        Kernel search = k;
        search.found = w->found;
        search.results.of[0].least = sat_window_least(&w->plan, &w->spec, SAT_NEEDS_VAR);
        sat_status status = prim::launch(search, blocks * src->count, stream);
        const window::join_extremes join = {w->found, w->image, blocks * (Kernel::threads / prim::WARP)};
        if (status == SAT_OK) status = prim::launch(join, src->count, stream);
        if (status != SAT_OK) return status;
        k.image = w->image;
    }
    return prim::launch(k, blocks * src->count, stream);
}

/* ---- creation ------------------------------------------------------------------------------------------ */

/* Elements of a strip, at most; 0 if the window is too wide. */
template <class Kernel> int64_t most_of(const windows *w)
{
    const int64_t window = (w->reach_x.before + 1 + w->reach_x.after) * (int64_t)Kernel::channels;
    const int64_t most = (int64_t)Kernel::ELEMENTS - window - ((int64_t)Kernel::ALIGNMENT - 1);
    return most < 1 ? 0 : most < prim::WARP ? most : most / prim::WARP * prim::WARP;
}

template <class Kernel, class Sample> sat_status prepare(windows *w)
{
    sat_device_info info;
    sat_status status = sat_device_current(&info);
    if (status != SAT_OK) return status;
    const int64_t most = most_of<Kernel>(w), elements = w->spec.width * (int64_t)Kernel::channels;
    if (most == 0)
        return sat_fail(SAT_ERR_UNAVAILABLE, "%s: a window of %lld columns is too wide for a device", NAME,
                        (long long)w->spec.window_width);
    if (sizeof(typename Kernel::shared) > prim::shared_memory_limit())
        return sat_fail(SAT_ERR_UNAVAILABLE, "%s: the device's shared memory is too small", NAME);
    const int64_t strips = (elements + most - 1) / most, each = (elements + strips - 1) / strips,
                  whole = (each + prim::WARP - 1) / prim::WARP * prim::WARP;
    w->strip = (int32_t)(whole <= most ? whole : each);
    w->strips = (int32_t)((elements + w->strip - 1) / w->strip);
    w->stride = (int32_t)(w->spec.channels / (int)Kernel::channels);
    /* Blocks at the edges take longer: two waves level that out, where the rows of first windows are few. */
    const int64_t window_rows = w->reach_y.before + 1 + w->reach_y.after, waves = window_rows <= 64 ? 2 : 1;
    const int64_t at_once = waves * info.multiprocessors * box::blocks_at_once<Kernel>();
    const int64_t rows =
        box::rows_of(w->spec.height, window_rows, (int64_t)w->strips * w->stride * w->spec.count, at_once, 1);
    w->rows = (int32_t)(rows < w->spec.height ? rows : w->spec.height);
    w->segments = (int32_t)((w->spec.height + w->rows - 1) / w->rows);
    w->queue = queue<Kernel, Sample>;
    if (w->plan.needs & SAT_NEEDS_EXTREMES) {
        const size_t warps = (size_t)w->strips * (size_t)w->segments * (size_t)w->stride * (size_t)w->spec.count *
                             (Kernel::threads / prim::WARP);
        status = prim::arena_alloc(w->arena, &w->found, warps);
        if (status == SAT_OK) status = prim::arena_alloc(w->arena, &w->image, (size_t)w->spec.count);
    }
    if (status == SAT_OK) status = prim::arena_alloc(w->arena, &w->clipped, 1);
    if (status != SAT_OK) return status;
    return box::make_tables(w->arena, [&](box::tables *t) {
        /* The halo before the image: columns back to an aligned load. */
        box::fill_axis(&w->x, t, &w->reach_x, &w->plan.window.x,
                       (int32_t)(w->reach_x.before + (int64_t)Kernel::ALIGNMENT));
        box::fill_axis(&w->y, t, &w->reach_y, &w->plan.window.y, (int32_t)w->reach_y.before + 1);
    });
}

template <class Sample> using broad = window::strip_kernel<Sample, uint64_t, 1, true, tuning::WINDOW_BROAD_WARPS>;

template <class Kernel, class Sample> sat_status prepare_narrow(windows *w)
{
    if (most_of<Kernel>(w) * 4 < Kernel::ELEMENTS) return prepare<broad<Sample>, Sample>(w);
    return prepare<Kernel, Sample>(w);
}

template <class Sample, class Sum, unsigned CHANNELS> sat_status prepare_masked(windows *w)
{
    return w->plan.validity ? prepare_narrow<window::strip_kernel<Sample, Sum, CHANNELS, true, 1>, Sample>(w)
                            : prepare_narrow<window::strip_kernel<Sample, Sum, CHANNELS, false, 1>, Sample>(w);
}

template <class Sample, class Sum> sat_status prepare_channels(windows *w)
{
    switch (w->spec.channels) {
    case 3: return prepare_masked<Sample, Sum, 3>(w);
    case 4: return prepare_masked<Sample, Sum, 4>(w);
    default: return prepare_masked<Sample, Sum, 1>(w); /* of each channel */
    }
}

sat_status choose(windows *w)
{
    const sat_box_window *b = &w->plan.window;
    const uint64_t m = largest_of(w);
    const double terms = (double)b->area_px * (double)b->area_px * (double)m * (double)m;
    const bool variance = w->plan.needs & SAT_NEEDS_VAR, squares = w->plan.needs & (SAT_NEEDS_VAR | SAT_NEEDS_SQUARES);
    const size_t bytes = sat_type_bytes(w->spec.sample);
    w->arithmetic = !variance || terms < 0x1p53 ? window::IN_F64
                    : terms < 0x1p63            ? window::IN_64_BITS
                                                : window::IN_128_BITS;
    if (squares && bytes == 4)
        return sat_fail(SAT_ERR_UNAVAILABLE, "%s: no squares of %s samples on a device", NAME,
                        sat_type_name(w->spec.sample));
    if (squares && !sat_sum_fits(b->area_px, m * m, 63))
        return sat_fail(SAT_ERR_RANGE, "a window of %lldx%lld: 64 bits cannot hold its sums of squares of %s samples",
                        (long long)w->spec.window_width, (long long)w->spec.window_height,
                        sat_type_name(w->spec.sample));
    const bool in_32_bits = w->arithmetic == window::IN_F64 && sat_sum_fits(b->area_px, m, 32) &&
                            (!squares || sat_sum_fits(b->area_px, m * m, 32));
    if (bytes == 4) return prepare<broad<uint32_t>, uint32_t>(w);
    if (bytes == 2) return prepare_channels<uint16_t, uint64_t>(w);
    w->sums_in_32_bits = in_32_bits && bytes == 1;
    return in_32_bits ? prepare_channels<uint8_t, uint32_t>(w) : prepare<broad<uint8_t>, uint8_t>(w);
}

/* The reach of windows, clipped to the image where positions outside count nothing. */
sat_status clip(windows *w)
{
    const sat_box_window *b = &w->plan.window;
    const bool nothing = b->border->shrinks || b->border->takes_value;
    const int64_t most = INT32_MAX / 4;
    w->reach_x = b->x;
    w->reach_y = b->y;
    (void)box::clip_axis(&w->reach_x, nothing);
    (void)box::clip_axis(&w->reach_y, nothing);
    if (b->x.n > most || b->y.n > most || w->reach_y.before > most || w->reach_y.after > most ||
        w->spec.width * w->spec.channels > INT32_MAX / 2)
        return sat_fail(SAT_ERR_UNAVAILABLE, "%s: an image of %lldx%lld, or its window, is too large for a device",
                        NAME, (long long)b->x.n, (long long)b->y.n);
    return SAT_OK;
}

} // namespace

sat_status window_open(const sat_window_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes)
{
    if (sat_is_float(spec->sample))
        return sat_fail(SAT_ERR_UNAVAILABLE, "%s: no %s samples on a device", NAME, sat_type_name(spec->sample));
    windows *w = prim::arena_new<windows>(arena);
    if (w == NULL) return SAT_ERR_MEMORY;
    w->spec = *spec;
    w->arena = arena;
    sat_status status = sat_window_plan_of(spec, &w->plan);
    if (status == SAT_OK) status = clip(w);
    if (status == SAT_OK) status = choose(w);
    if (status != SAT_OK) return status;
    w->spec.output = NULL; /* the caller's */
    const char *device;
    (void)device_probe(&device);
    (void)snprintf(note, note_bytes, "%s, %s; sums of %s in %d strips of %d columns and %d rows", spec->backend, device,
                   w->sums_in_32_bits ? "32 bits" : "64 bits", w->strips, w->strip, w->rows);
    *state = w;
    return SAT_OK;
}

sat_status window_run(void *state, const sat_view *src, const sat_view *mask, const sat_view *results, void *stream,
                      int64_t *clipped)
{
    windows *w = (windows *)state;
    *clipped = 0;
    w->stream = stream;
    sat_status status = prim::fill_bytes(w->clipped, 0, sizeof *w->clipped, stream);
    return status == SAT_OK ? w->queue(w, src, mask, results, stream) : status;
}

sat_status window_clipped(void *state, int64_t *clipped)
{
    const windows *w = (const windows *)state;
    uint64_t n = 0;
    sat_status status = prim::copy_rows(&n, sizeof n, w->clipped, sizeof n, sizeof n, 1, w->stream);
    if (status == SAT_OK) status = prim::stream_wait(w->stream);
    *clipped = (int64_t)n;
    return status;
}
