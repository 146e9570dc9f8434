/* window_queue.cuh - what plans of windows of integers and of floats have alike: memory, arguments, launches. */
#ifndef WINDOW_QUEUE_CUH
#define WINDOW_QUEUE_CUH

#include "window/window_extremes.cuh"
#include "window/window_state.cuh"

namespace window
{

/* The memory for what a run counts, and for what so many warps find. */
inline sat_status take_found(state *w, int64_t warps)
{
    sat_status status = prim::arena_alloc(w->arena, &w->clipped, 1);
    if (!(w->plan.needs & SAT_NEEDS_EXTREMES)) return status;
    if (status == SAT_OK) status = prim::arena_alloc(w->arena, &w->found, (size_t)warps);
    if (status == SAT_OK) status = prim::arena_alloc(w->arena, &w->image, (size_t)w->spec.count);
    return status;
}

template <class Kernel>
void set_arguments(Kernel *k, const state *w, const sat_view *src, const sat_view *mask, const sat_view *results)
{
    const size_t bytes = sat_type_bytes(w->spec.sample);
    k->in_pitch = (int64_t)(src->row_bytes / bytes);
    k->in_image_pitch = (int64_t)(src->image_bytes / bytes);
    k->mask = mask ? (const uint8_t *)mask->data : nullptr;
    k->mask_pitch = mask ? (int64_t)mask->row_bytes : 0;
    k->mask_image_pitch = mask ? (int64_t)mask->image_bytes : 0;
    k->x = w->x;
    k->y = w->y;
    k->strips = w->strips;
    k->strip = w->strip;
    k->rows = w->rows;
    k->first_row = w->first_row;
    k->end_row = w->end_row;
    k->takes_value = w->plan.window.border->takes_value;
    k->results = finish_of(w, results);
    k->clipped = w->clipped;
}

/* The extremes of each image, of those that `warps` warps have found. */
inline sat_status join_found(const state *w, int64_t images, int64_t warps, void *stream)
{
    const join_extremes join = {w->found, w->image, warps};
    return prim::launch(join, images, stream);
}

/* Queues the kernel; before it, where a statistic needs extremes, a pass that searches those of each of the images,
 * which `warps` warps find. */
template <class Kernel>
sat_status queue_passes(Kernel *k, const state *w, int64_t blocks, int64_t images, int64_t warps, void *stream)
{
    if (w->image) {
        Kernel search = *k;
        search.found = w->found;
        search.results.of[0].least = sat_window_least(&w->plan, &w->spec, SAT_NEEDS_VAR);
        sat_status status = prim::launch(search, blocks, stream);
        if (status == SAT_OK) status = join_found(w, images, warps, stream);
        if (status != SAT_OK) return status;
        k->image = w->image;
    }
    return prim::launch(*k, blocks, stream);
}

} // namespace window
#endif
