/* box_float.cu - the box filter of float samples without a table, in one pass: sums in f64, by additions only.
 *
 * Idea    Sliding sums that subtract leaving samples drift, and keep a NaN for ever; a table spreads one over all
 *         entries below and to the right.  So nothing is subtracted.  STEP neighbouring windows of a column share all
 *         rows but the first STEP and the last STEP: they are the end of the leaving block of rows, the rows between,
 *         and the beginning of the entering ones.  The rows between are whole blocks and a rest.  Sums of whole blocks
 *         wait in a queue; its sum takes two additions a block, as van Herk's maxima do.  The ends are summed from the
 *         samples, which are read a second time: the queue has one sum for STEP samples.  A row of these sums is
 *         treated in the same way: a lane has a run of pixels, its windows are the end of the run, the runs of the next
 *         lanes, and the beginning of a later run.
 *
 * Paper   van Herk, A fast algorithm for local minimum and maximum filters on rectangular and octagonal kernels,
 *         Pattern Recognition Letters 13, 1992; Gil & Werman, Computing 2-D min, median, and max filters, PAMI 15,
 *         1993.  Division: Markstein, IA-64 and elementary functions, 2000.
 *
 * Layout  Rows of a column, from the first window of a step to the last one:
 *
 *               leaving block      blocks in the queue          rest   entering rows
 *             | a b c d e f g h | ........ | ........ | .... | .. | i j k l m n o p |
 *               |<------------------ first window ------------------->|
 *                             |<------------------ last window ------------------>|
 *
 *         The block that follows the queue is the rest and the first entering rows: it enters the queue after the step.
 *
 *         A row of sums in shared memory: all pixels of channel 0, then of channel 1, ...; runs of RUN pixels, and
 *         two doubles between them, so that lanes read vectors of their runs without bank conflicts.
 *
 * Launch  A block for each strip and segment of rows, shorter ones at the left and right edge; a warp for each row of a
 * step (two where strips are wide), two columns for each thread.  Rows are copied in chunks of 16 bytes where these are
 * aligned.  Neighbouring strips begin at the same row at the same time, so that they share the halo in L2.
 *
 * Traffic 1R1W; the leaving rows a second time, from L2 if the window is not too tall; strips and segments read their
 *         halos.  Queues that shared memory has no room for: 2R2W of f64 for STEP samples, in L2.
 *
 * Sync    Two barriers a step: the rows have come, and the sums of the step before are read; the sums are there, and
 *         the rows are read.  The next rows are copied (cp.async) while warps filter rows of sums.
 *
 * Limits  Windows that reach outside the image by at most its size, unless samples there count nothing.  Windows that
 *         leave a strip less than an eighth of its pixels for results go to box_float_passes.cu.
 *
 * Steps   1. the rows above the first window  2. for each step: columns  3. rows  4. border values, division
 */

#include "box/box_float_plan.cuh"

sat_status box_float_open(const sat_box_spec *spec, const sat_box_window *window, const sat_axis *x, const sat_axis *y,
                          sat_arena *arena, box_float **filter)
{
    box_float *f = prim::arena_new<box_float>(arena);
    if (f == NULL) return SAT_ERR_MEMORY;
    f->spec = *spec;
    f->window = *window;
    f->reach_x = *x;
    f->reach_y = *y;
    *filter = f;
    if (spec->sample == SAT_F32)
        return spec->channels == 1 ? box::prepare_f32(f, arena) : box::prepare_f32_channels(f, arena);
    return spec->channels == 1 ? box::prepare_f64(f, arena) : box::prepare_f64_channels(f, arena);
}

sat_status box_float_run(const box_float *f, const sat_view *src, const sat_view *dst, void *stream)
{
    return f->passes ? box_float_passes_run(f->passes, src, dst, stream) : f->queue(f, src, dst, stream);
}

template <class Sample> static int64_t step_of(int64_t window_height)
{
    constexpr tuning::box_float_strip S = tuning::box_float_strip_of(sizeof(Sample), true),
                                      F = tuning::box_float_few_of(sizeof(Sample));
    static_assert(F.step != S.step && S.step == tuning::box_float_strip_of(sizeof(Sample), false).step);
    using largest = box::float_layout<Sample, 0, S.run, 1, S.step, 0, S.resident, box::SUMS_AND_COUNTS>;
    const bool few =
        tuning::simulated ? window_height % 5 == 3 : sizeof(typename largest::shared) > prim::shared_memory_limit();
    return few ? F.step : S.step;
}
int64_t box_float_step(sat_type sample, int64_t window_height)
{
    return sample == SAT_F32 ? step_of<float>(window_height) : step_of<double>(window_height);
}

/* Blocks of the queue are numbered from the image's first row on. */
int64_t box_float_period_of(int64_t step, int64_t window_height)
{
    const int64_t blocks = box::blocks_in_queue(window_height, step);
    return step * (blocks > 0 ? blocks : 1);
}
int64_t box_float_period(sat_type sample, int64_t window_height)
{
    return box_float_period_of(box_float_step(sample, window_height), window_height);
}
