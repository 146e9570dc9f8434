/* window.cu - statistics of windows on a device: what is refused, and which kernels answer.
 *
 * Idea    A plan is resolved once (src/lib/window_plan.h).  Its samples and window choose the kernel: of u8 and i8
 *         (window_bytes.cu), of wider integers (window_words.cu), of floats (window_sums.cu, with
 *         variances window_moments.cu).  What has no strips there: windows too wide for them, and squares of 32-bit
 *         integers (window_passes.cu).
 *
 * Paper   Those of the kernels.
 *
 * Layout  window_state.cuh has the plan, window_finish.cuh the way from sums to results, which all kernels share.
 *
 * Launch  The kernel; where a statistic needs extremes of the image, the kernel that searches them, and one that joins
 *         what its warps have found (window_extremes.cuh).
 *
 * Traffic That of the kernels.
 *
 * Sync    The stream's order.  Results that were clipped are counted in a word of device memory.
 *
 * Limits  Sides below 2^29, rows of less than 2^30 samples.
 *
 * Steps   1. Resolve the spec.  2. Clip the windows' reach.  3. Choose the arithmetic and the kernel.
 */
#include <stdio.h>

#include "probe.cuh"
#include "tuning.cuh"
#include "box/box_float.cuh"
#include "window/window.cuh"
#include "window/window_state.cuh"

namespace
{

sat_status prepare_floats(window::state *w)
{
    const bool squares = w->plan.needs & (SAT_NEEDS_VAR | SAT_NEEDS_SQUARES);
    bool has_room;
    sat_status status = squares ? window::prepare_moments(w, &has_room) : window::prepare_sums(w, &has_room);
    if (status != SAT_OK || has_room) return status;
    if (w->spec.band_rows) /* crops begin where strips have the image's bits */
        return sat_fail(SAT_ERR_UNAVAILABLE, "%s: windows of %lldx%lld need the whole image", window::NAME,
                        (long long)w->spec.window_width, (long long)w->spec.window_height);
    return window::prepare_passes(w);
}

sat_status prepare_integers(window::state *w)
{
    const sat_box_window *b = &w->plan.window;
    const uint64_t m = window::largest_of(w);
    const double terms = (double)b->area_px * (double)b->area_px * (double)m * (double)m;
    const bool variance = w->plan.needs & SAT_NEEDS_VAR, squares = w->plan.needs & (SAT_NEEDS_VAR | SAT_NEEDS_SQUARES);
    const size_t bytes = sat_type_bytes(w->spec.sample);
    w->arithmetic = !variance || terms < 0x1p53 ? window::IN_F64
                    : terms < 0x1p63            ? window::IN_64_BITS
                                                : window::IN_128_BITS;
    if (squares && (bytes == 4 || !sat_sum_fits(b->area_px, m * m, 63))) return window::prepare_passes(w);
    w->sums_in_32_bits = bytes == 1 && w->arithmetic == window::IN_F64 && sat_sum_fits(b->area_px, m, 32) &&
                         (!squares || sat_sum_fits(b->area_px, m * m, 32));
    bool has_room;
    sat_status status = bytes == 1 ? window::prepare_bytes(w, &has_room) : window::prepare_words(w, &has_room);
    return status != SAT_OK || has_room ? status : window::prepare_passes(w);
}

/* The reach of windows, clipped to the image where positions outside count nothing. */
sat_status clip(window::state *w)
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
                        window::NAME, (long long)b->x.n, (long long)b->y.n);
    return SAT_OK;
}

sat_status window_open(const void *given, sat_arena *arena, void **state, char *note, size_t note_bytes)
{
    const sat_window_spec *spec = (const sat_window_spec *)given;
    window::state *w = prim::arena_new<window::state>(arena);
    if (w == NULL) return SAT_ERR_MEMORY;
    w->spec = *spec;
    w->arena = arena;
    sat_status status = sat_window_plan_of(spec, &w->plan);
    if (status == SAT_OK) status = clip(w);
    if (status == SAT_OK) status = sat_is_float(spec->sample) ? prepare_floats(w) : prepare_integers(w);
    if (status != SAT_OK) return status;
    w->spec.output = NULL; /* not needed in runs */
    const char *device;
    (void)device_probe(&device);
    const char *sums = sat_is_float(spec->sample) ? "f64" : w->sums_in_32_bits ? "32 bits" : "64 bits";
    (void)snprintf(note, note_bytes, "%s, %s; sums of %s in %d strips of %d columns and %d rows", spec->backend, device,
                   sums, w->strips, w->strip, w->rows);
    *state = w;
    return SAT_OK;
}

sat_status window_run(void *state, const sat_view *src, const sat_view *mask, const sat_view *results,
                      const sat_run *run, sat_counts *)
{
    window::state *w = (window::state *)state;
    w->stream = run->stream;
    w->first_row = (int32_t)run->first;
    w->end_row = (int32_t)run->end;
    sat_status status = SAT_OK;
    if (!run->follows) status = prim::fill_bytes(w->clipped, 0, sizeof *w->clipped, run->stream);
    return status == SAT_OK ? w->queue(w, src, mask, results, run->stream) : status;
}

/* Floats are summed as in box filters. */
int64_t window_period(const void *given)
{
    const sat_window_spec *spec = (const sat_window_spec *)given;
    unsigned needs = 0;
    for (int i = 0; i < spec->outputs; i++)
        needs |= sat_statistic_get(sat_statistic_find(spec->output[i].statistic))->needs;
    if (needs & SAT_NEEDS_EXTREMES) return 0;
    if (!sat_is_float(spec->sample)) return 1;
    if (!(needs & (SAT_NEEDS_VAR | SAT_NEEDS_SQUARES))) return box_float_period(spec->sample, spec->window_height);
    const int64_t step = tuning::window_moments_strip_of(sat_type_bytes(spec->sample)).step;
    return box_float_period_of(step, spec->window_height);
}

sat_status window_counts(void *state, sat_counts *counts)
{
    const window::state *w = (const window::state *)state;
    uint64_t n = 0;
    sat_status status = prim::copy_rows(&n, sizeof n, w->clipped, sizeof n, sizeof n, 1, w->stream);
    if (status == SAT_OK) status = prim::stream_wait(w->stream);
    counts->clipped = (int64_t)n;
    return status;
}

} // namespace

const sat_hooks sat_window_on_device = {
    .open = window_open, .run = window_run, .batches = true, .period = window_period, .counts = window_counts};
