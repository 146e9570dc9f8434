/* window_integers.cuh - a plan of windows of integer samples: the kernel of window_strip.cuh, its strips and segments,
 * and its arguments. */
#ifndef WINDOW_INTEGERS_CUH
#define WINDOW_INTEGERS_CUH

#include "box/box_segments.cuh"
#include "window/window_queue.cuh"
#include "window/window_strip.cuh"

namespace window
{

/* ---- runs ---------------------------------------------------------------------------------------------- */

template <class Kernel, class Sample>
sat_status queue(const state *w, const sat_view *src, const sat_view *mask, const sat_view *results, void *stream)
{
    Kernel k = {};
    set_arguments(&k, w, src, mask, results);
    k.in = (const Sample *)src->data;
    k.segments = w->segments;
    k.samples_apart = w->stride;
    k.wide = w->stride == 1 &&
             ((uintptr_t)src->data | src->row_bytes | src->image_bytes) % sizeof(typename Kernel::lines::unit) == 0;
    k.wide_mask = mask && ((uintptr_t)mask->data | mask->row_bytes | mask->image_bytes) % 16 == 0 &&
                  Kernel::lines::ALIGNMENT % 16 == 0;
    k.bias = bias_of(w);
    k.has_nodata = w->spec.has_nodata;
    if (k.has_nodata) k.nodata = ((uint32_t)(int64_t)w->spec.nodata & (uint32_t)(Sample)~0) ^ k.bias;
    k.clips = k.takes_value || w->plan.window.border->shrinks;
    k.whole_columns = (int32_t)whole_columns(w);
    k.whole_rows = (int32_t)(w->plan.window.area_px / k.whole_columns);
    for (int c = 0; c < 4; c++) k.value[c] = w->plan.window.value[c] + k.bias;
    k.area = (uint64_t)w->plan.window.area_px;
    const int64_t blocks = (int64_t)w->strips * w->segments * w->stride;
    return queue_passes(&k, w, blocks * src->count, src->count, blocks * (Kernel::threads / prim::WARP), stream);
}

/* ---- creation ------------------------------------------------------------------------------------------ */

/* Elements of a strip, at most; 0 if the window is too wide. */
template <class Kernel> int64_t most_of(const state *w)
{
    const int64_t window = (w->reach_x.before + 1 + w->reach_x.after) * (int64_t)Kernel::channels;
    const int64_t most = (int64_t)Kernel::ELEMENTS - window - ((int64_t)Kernel::lines::ALIGNMENT - 1);
    return most < 1 ? 0 : most < prim::WARP ? most : most / prim::WARP * prim::WARP;
}

/* Rows of a segment.  Each begins with the rows of its first window, SUMMED_ROWS of which take as long as one of
 * results, and with START_ROWS.  Half a segment is lost at the end, where few blocks are left: with R rows of strips
 * for each block that runs at a time, rows / 2 = R * start / rows loses least.  Then the blocks are made to fill whole
 * waves, in which those of the first and last strip count as EDGE.  Fitted on an H200, 8192x8192 u8, windows of 3 to
 * 101 rows. */
inline int32_t rows_of(int64_t height, int64_t window_rows, double strips, double edges, int64_t at_once)
{
    constexpr double SUMMED_ROWS = 8, START_ROWS = 4, EDGE = 2;
    const double start = (double)window_rows / SUMMED_ROWS + START_ROWS,
                 rows = ceil(sqrt(2 * (double)height * strips / (double)at_once * start)),
                 weight = (strips + (EDGE - 1) * edges) / (double)at_once,
                 waves = ceil(ceil((double)height / rows) * weight), segments = floor(waves / weight);
    const int64_t most = segments < 1 ? 1 : segments < (double)height ? (int64_t)segments : height;
    return (int32_t)((height + most - 1) / most);
}

/* has_room: false where windows leave a strip no columns, and where the device does not hold the block. */
template <class Kernel, class Sample> sat_status prepare(state *w, bool *has_room)
{
    sat_device_info info;
    sat_status status = sat_device_current(&info);
    if (status != SAT_OK) return status;
    const int64_t most = most_of<Kernel>(w), elements = w->spec.width * (int64_t)Kernel::channels;
    *has_room = most > 0 && sizeof(typename Kernel::shared) <= prim::shared_memory_limit();
    if (!*has_room) return SAT_OK;
    const int64_t strips = (elements + most - 1) / most, each = (elements + strips - 1) / strips,
                  whole = (each + prim::WARP - 1) / prim::WARP * prim::WARP;
    w->strip = (int32_t)(whole <= most ? whole : each);
    w->strips = (int32_t)((elements + w->strip - 1) / w->strip);
    w->stride = (int32_t)(w->spec.channels / (int)Kernel::channels);
    const int64_t at_once = info.multiprocessors * box::blocks_at_once<Kernel>();
    const double of_each = (double)w->stride * (double)w->spec.count;
    w->rows = rows_of(w->spec.height, w->reach_y.before + 1 + w->reach_y.after, w->strips * of_each,
                      (w->strips > 1 ? 2 : 1) * of_each, at_once);
    w->segments = (int32_t)((w->spec.height + w->rows - 1) / w->rows);
    w->queue = queue<Kernel, Sample>;
    status =
        take_found(w, (int64_t)w->strips * w->segments * w->stride * w->spec.count * (Kernel::threads / prim::WARP));
    if (status != SAT_OK) return status;
    return box::make_tables(w->arena, [&](box::tables *t) {
        /* The halo before the image: columns back to an aligned load. */
        box::fill_axis(&w->x, t, &w->reach_x, &w->plan.window.x,
                       (int32_t)(w->reach_x.before + (int64_t)Kernel::lines::ALIGNMENT));
        box::fill_axis(&w->y, t, &w->reach_y, &w->plan.window.y, (int32_t)w->reach_y.before + 1);
    });
}

/* Blocks of several warps: of few where the device's shared memory does not hold more, and in the simulator wherever
 * windows leave them half of their columns. */
template <class Sample> sat_status prepare_broad(state *w, bool *has_room)
{
    using broad = strip_kernel<Sample, uint64_t, 1, true, tuning::WINDOW_BROAD_WARPS>;
    using few = strip_kernel<Sample, uint64_t, 1, true, tuning::WINDOW_FEW_WARPS>;
    const bool fits = sizeof(typename broad::shared) <= prim::shared_memory_limit();
    return fits && !(tuning::simulated && most_of<few>(w) * 2 > few::ELEMENTS) ? prepare<broad, Sample>(w, has_room)
                                                                               : prepare<few, Sample>(w, has_room);
}

template <class Kernel, class Sample> sat_status prepare_narrow(state *w, bool *has_room)
{
    if (most_of<Kernel>(w) * 4 < Kernel::ELEMENTS) return prepare_broad<Sample>(w, has_room);
    return prepare<Kernel, Sample>(w, has_room);
}

template <class Sample, class Sum, unsigned CHANNELS> sat_status prepare_masked(state *w, bool *has_room)
{
    return w->plan.validity ? prepare_narrow<strip_kernel<Sample, Sum, CHANNELS, true, 1>, Sample>(w, has_room)
                            : prepare_narrow<strip_kernel<Sample, Sum, CHANNELS, false, 1>, Sample>(w, has_room);
}

template <class Sample, class Sum> sat_status prepare_channels(state *w, bool *has_room)
{
    switch (w->spec.channels) {
    case 1: return prepare_masked<Sample, Sum, 1>(w, has_room);
    case 2: return prepare_masked<Sample, Sum, 2>(w, has_room);
    case 3: return prepare_masked<Sample, Sum, 3>(w, has_room);
    default: return prepare_masked<Sample, Sum, 4>(w, has_room);
    }
}

} // namespace window
#endif
