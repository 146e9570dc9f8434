/* window_passes.cu - statistics of windows that have no strips: too wide for window_sums.cu, window_moments.cu,
 * window_bytes.cu or window_words.cu; and of 32-bit integers where a result needs squares.
 *
 * Idea    box_float_passes.cu, for sets of samples in place of sums.  A set of floats is a count, a sum, a mean and
 *         squared deviations; where no result needs squares, a count and a sum.  Sets are joined, and nothing is taken
 *         away.  A set of integers is a count, a sum and sums of both halves of squares: all exact, and so results have
 *         the host's bits.
 *
 * Paper   Chan, Golub & LeVeque, Updating formulae and a pairwise algorithm for computing sample variances, 1979; van
 *         Herk, A fast algorithm for local minimum and maximum filters, Pattern Recognition Letters 13, 1992.
 *
 * Layout  band of images -> sets of columns -> sets of windows -> results
 *
 *         A set has 32 bytes, as many as memory moves at once; where no result needs squares, or all samples count, are
 *         f32, and the border repeats them, 16.
 *
 * Launch  As box_float_passes.cu.  In the third, a block makes results in rounds.
 *
 * Traffic 2R of the samples; for each, 5R4W of a set.  A band that is no multiple of the window's rows reads more.
 *
 * Sync    The stream's order.
 *
 * Limits  Windows of floats that reach outside the image by at most its size, unless samples there count nothing.
 *         Integers: 64 bits hold n and S1, and sums of both halves of squares (sat_window_plan_of()).  A thread visits
 *         all positions of a window along an axis, also those far outside the image.
 *
 * Steps   1. columns  2. rows  3. what lies beyond the clipped reach, statistics
 */
#include "window/window_passes.cuh"
#include "window/window_queue.cuh"

namespace
{

using window::state;

template <class Set> const box::passes<Set> *passes_of(const state *w)
{
    return (const box::passes<Set> *)w->passes;
}

template <class Set> window::sets_of_samples<Set> samples_of(const state *w, const sat_view *src, const sat_view *mask)
{
    using number = typename Set::number;
    const size_t bytes = sat_type_bytes(w->spec.sample);
    window::sets_of_samples<Set> in = {};
    in.in_pitch = (int64_t)(src->row_bytes / bytes);
    in.in_image_pitch = (int64_t)(src->image_bytes / bytes);
    in.in = src->data;
    if (mask) {
        in.mask_pitch = (int64_t)mask->row_bytes;
        in.mask_image_pitch = (int64_t)mask->image_bytes;
        in.mask = (const uint8_t *)mask->data;
    }
    in.channels = w->spec.channels;
    in.bytes = (int32_t)bytes;
    in.bias = window::bias_of(w);
    in.has_nodata = w->spec.has_nodata;
    in.skip_nan = w->spec.skip_nan;
    in.takes_value = w->plan.window.border->takes_value;
    if (in.has_nodata) in.nodata = (number)w->spec.nodata;
    for (int c = 0; c < 4; c++)
        in.value[c] = in.of_floats ? (number)w->plan.window.real_value[c] : (number)w->plan.window.value[c];
    return in;
}

int32_t blocks_of_row(int64_t elements)
{
    return (int32_t)((elements + (int64_t)tuning::BOX_PASSES_THREADS - 1) / tuning::BOX_PASSES_THREADS);
}

/* All bands of rows first .. end - 1.  `k` has what is the same for all of them. */
template <class Set>
sat_status queue_bands(const state *w, window::finish_windows<Set> k, int64_t images, int32_t first, int32_t end,
                       void *stream)
{
    const box::passes<Set> *p = passes_of<Set>(w);
    window::columns_outside<Set> border = {k.in.takes_value, (typename Set::number)box::side_of(p->y), {}};
    for (int c = 0; c < 4; c++) border.value[c] = k.in.value[c];
    sat_status status = SAT_OK;
    for (int32_t row = first; row < end && status == SAT_OK; row = k.end) {
        k.first = row;
        k.end = p->end_of(row, end);
        status = box::queue_band(p, k.in, border, images, row, k.end, stream);
        if (status == SAT_OK) status = prim::launch(k, images * k.blocks_of_image, stream);
    }
    return status;
}

template <class Set>
sat_status queue_images(const state *w, int64_t images, const sat_view *src, const sat_view *mask,
                        const sat_view *results, void *stream)
{
    const box::passes<Set> *p = passes_of<Set>(w);
    window::finish_windows<Set> k = {};
    sat_status status = SAT_OK;
    k.in = samples_of<Set>(w, src, mask);
    k.sets = p->windows;
    k.area = (double)box::side_of(p->x) * box::side_of(p->y);
    k.of_image = p->of_image;
    k.pitch = p->across;
    k.elements = p->elements;
    k.blocks_of_row = blocks_of_row(p->elements);
    k.blocks_of_image = w->blocks_of_image;
    k.results = window::finish_of(w, results);
    k.clipped = w->clipped;
    if (k.in.takes_value)
        k.cut_off = (typename Set::number)(w->spec.window_width * w->spec.window_height -
                                           (int64_t)box::side_of(p->x) * box::side_of(p->y));
    if (w->image) {
        window::finish_windows<Set> search = k;
        search.found = w->found;
        search.results.of[0].least = sat_window_least(&w->plan, &w->spec, SAT_NEEDS_VAR);
        status = queue_bands(w, search, images, 0, (int32_t)w->spec.height, stream);
        const int64_t warps = k.blocks_of_image * (k.threads / prim::WARP);
        if (status == SAT_OK) status = window::join_found(w, images, warps, stream);
        k.image = w->image;
    }
    return status == SAT_OK ? queue_bands(w, k, images, w->first_row, w->end_row, stream) : status;
}

template <class Set>
sat_status queue_windows(const state *w, const sat_view *src, const sat_view *mask, const sat_view *results,
                         void *stream)
{
    const int64_t most = passes_of<Set>(w)->images;
    sat_status status = SAT_OK;
    for (int64_t i = 0; i < src->count && status == SAT_OK; i += most) {
        const int64_t left = src->count - i, images = left < most ? left : most;
        sat_view to[SAT_OUTPUTS];
        for (int k = 0; k < w->spec.outputs; k++) to[k] = sat_view_image(&results[k], i);
        const sat_view from = sat_view_image(src, i), counting = sat_view_image(mask, i);
        status = queue_images<Set>(w, images, &from, mask ? &counting : NULL, to, stream);
    }
    return status;
}

template <class Set> sat_status prepare_passes_of(state *w)
{
    sat_device_info info;
    sat_status status = sat_device_current(&info);
    if (status != SAT_OK) return status;
    box::passes<Set> *p = prim::arena_new<box::passes<Set>>(w->arena);
    if (p == NULL) return SAT_ERR_MEMORY;
    w->passes = p;
    status =
        box::prepare_passes(p, &w->reach_x, &w->reach_y, &w->plan.window, w->spec.channels, w->spec.count, w->arena);
    if (status != SAT_OK) return status;
    const int64_t blocks = (int64_t)blocks_of_row(p->elements) * p->rows,
                  at_once = info.multiprocessors * tuning::WINDOW_PASSES_BLOCKS / p->images + 1;
    w->blocks_of_image = (int32_t)(blocks < at_once ? blocks : at_once);
    w->strips = 1;
    w->strip = (int32_t)w->spec.width;
    w->rows = p->rows;
    w->queue = queue_windows<Set>;
    return take_found(w, p->images * w->blocks_of_image * (tuning::BOX_PASSES_THREADS / prim::WARP));
}

} // namespace

sat_status window::prepare_passes(state *w)
{
    const bool squares = (w->plan.needs & (SAT_NEEDS_VAR | SAT_NEEDS_SQUARES)) != 0;
    const bool counted = w->plan.validity || w->plan.window.border->shrinks || w->plan.window.border->takes_value ||
                         w->spec.sample == SAT_F64; /* sums of alike samples are rounded */
    if (sat_is_float(w->spec.sample))
        return !squares  ? prepare_passes_of<counted_sum>(w)
               : counted ? prepare_passes_of<sample_set>(w)
                         : prepare_passes_of<uncounted_set>(w);
    return squares ? prepare_passes_of<integer_set>(w) : prepare_passes_of<counted_integers>(w);
}
