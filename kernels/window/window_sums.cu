/* window_sums.cu - statistics of windows of floats that are made of counts and sums: means, sums, counts, thresholds
 * of means.
 *
 * Idea    Sums and counts come from the strips of box_float.cu: sums by additions only, counts slide.  A sample is
 *         tested once, as it enters, and leaves a bit.  The bits of STEP rows wait until these rows leave, and are
 *         counted again.  Sums take 0 where a bit is 0.  The kernels here make results of sums and counts.
 *
 * Paper   Those of box_float.cu.
 *
 * Layout  A lane has a run of windows.  Their sums and counts lie in shared memory, in the
 * place of the columns' sums and counts.  A mean in f32 is made of a sum that is still in its register.  Other results
 * are made by the lane whose results lie side by side with its neighbours'.
 *
 * Launch, Sync  As box_float.cu.
 *
 * Traffic That of box_float.cu; a mask: 1R.  Bits of what counts: 1R1W of a byte for STEP samples, in L2.
 *
 * Limits  Windows that box_float.cu has strips for, of less than 2^32 samples and 2^16 rows where samples are counted.
 *
 * Steps   1. columns  2. rows  3. border values, division  4. other statistics
 */
#include "window/window_queue.cuh"

namespace
{

/* A mean where all samples count is the box filter's. */
bool is_plain(const window::state *w)
{
    const sat_window_result_plan *r = &w->plan.result[0];
    return w->spec.outputs == 1 && r->statistic == SAT_STATISTIC_mean && !r->compare && r->p[0] == 0 &&
           sat_is_float(r->type) && !w->plan.validity && !r->may_be_empty;
}
sat_status queue_means(const window::state *w, const sat_view *src, const sat_view *, const sat_view *results,
                       void *stream)
{
    return box_float_run(w->sums, src, &results[0], stream);
}

} // namespace

sat_status window::prepare_sums(state *w, bool *has_room)
{
    const bool one = w->spec.channels == 1;
    if (is_plain(w)) {
        const sat_box_spec box = sat_window_box(&w->spec);
        *has_room = true;
        w->queue = queue_means;
        sat_status status = box_float_open(&box, &w->plan.window, &w->reach_x, &w->reach_y, w->arena, &w->sums);
        return status == SAT_OK ? take_found(w, 0) : status;
    }
    if (w->spec.sample == SAT_F32) return one ? prepare_sums_f32(w, has_room) : prepare_sums_f32_channels(w, has_room);
    return one ? prepare_sums_f64(w, has_room) : prepare_sums_f64_channels(w, has_room);
}
