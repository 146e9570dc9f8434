/* window_float.cu - statistics of windows of f32 and f64 samples: extremes of the image, and windows too wide for
 * window_sums.cu and window_moments.cu.
 *
 * Idea    Nothing is taken away from a sum, so that nothing cancels, and a sample spoils the windows that hold it and
 *         no other.  Counts, sums, means and squared deviations of parts of a window are joined.  Down the columns a
 *         window is the suffix of one segment of rows, joined with the prefix of the next.  Along a row, windows of
 *         1, 2, 4 ... columns are joined from two of half their width.
 *
 * Paper   Chan, Golub & LeVeque, Updating formulae and a pairwise algorithm for computing sample variances, 1979; van
 *         Herk, A fast algorithm for local minimum and maximum filters, Pattern Recognition Letters 13, 1992; Hillis &
 *         Steele, Data parallel algorithms, CACM 29, 1986.
 *
 * Layout  A thread has OWN entries of a strip's columns, every THREADSth one: their prefixes in registers, their
 *         suffixes in device memory, which stay in the second-level cache.  A row's parts lie in shared memory, once as
 *         read and once as written, member by member:
 *
 *             rows      |  .  .  .  a  b  c | d  e  .  .  .  . |    window {a b c d e} = suffix(a b c) + prefix(d e)
 *             columns   13 = 1 + 4 + 8: three doublings, and two more joins
 *
 * Launch  As many blocks as fit the device.  Each takes strips, and runs of whole segments in them, one after another.
 *
 * Traffic 2R: each row is read as part of a suffix, and as part of a prefix; three times where segments have more rows
 *         than are there at a time.  A part of 32 bytes (16 without variances) for each column is written and read once
 *         more.  A write of each result.
 *
 * Sync    A barrier for each row and each doubling.  A thread accesses its own suffixes alone.
 *
 * Limits  Windows of at most as many columns, times the channels, as a broad block has entries; they are clipped to the
 *         image where nothing counts beyond it.
 *
 * Steps   1. Suffixes of a segment, upwards.  2. For each row: join the suffix and the prefix of each column.  3. Join
 *         columns to windows.  4. Join what windows have beyond their clipped reach.  5. Make and store results.
 */
#include "box/box_segments.cuh"
#include "window/window_float.cuh"
#include "window/window_queue.cuh"

namespace
{

using window::state;

template <class Kernel>
sat_status queue_floats(const state *w, const sat_view *src, const sat_view *mask, const sat_view *results,
                        void *stream)
{
    const sat_box_window *b = &w->plan.window;
    Kernel k = {};
    window::set_arguments(&k, w, src, mask, results);
    k.in = src->data;
    k.is_f64 = w->spec.sample == SAT_F64;
    k.channels = w->spec.channels;
    k.runs = w->segments;
    k.group = w->group;
    k.images = src->count;
    k.has_nodata = w->spec.has_nodata;
    k.skip_nan = w->spec.skip_nan;
    k.nodata = w->spec.nodata;
    for (int c = 0; c < 4; c++) k.value[c] = b->real_value[c];
    if (k.takes_value)
        k.cut_off = (double)w->spec.window_width * (double)w->spec.window_height -
                    (double)(k.x.before + 1 + k.x.after) * (double)(k.y.before + 1 + k.y.after);
    k.suffixes = w->suffixes;
    const int64_t of_image = (int64_t)w->strips * w->segments, items = of_image * src->count;
    return window::queue_passes(&k, w, items < w->at_once ? items : w->at_once, src->count,
                                of_image * (Kernel::threads / prim::WARP), stream);
}

/* Rows of a segment whose suffixes are there at a time.  Of more, those of each group's first row are kept. */
constexpr int64_t MOST_AT_ONCE = tuning::simulated ? 6 : 64;
int64_t group_of(int64_t side)
{
    int64_t group = side;
    if (side > MOST_AT_ONCE)
        for (group = 1; group * group < side;) group++;
    return group;
}

template <class Kernel> sat_status prepare_float(state *w)
{
    sat_device_info info;
    sat_status status = sat_device_current(&info);
    if (status != SAT_OK) return status;
    const int64_t side_x = w->reach_x.before + 1 + w->reach_x.after, side_y = w->reach_y.before + 1 + w->reach_y.after;
    const int64_t most = (int64_t)Kernel::ENTRIES / w->spec.channels - (side_x - 1);
    status = window::check_block<Kernel>(w, most);
    if (status != SAT_OK) return status;
    w->strips = (int32_t)((w->spec.width + most - 1) / most);
    w->strip = (int32_t)((w->spec.width + w->strips - 1) / w->strips);
    /* Runs of whole segments, and twice as many as blocks where the image has them: they take unequally long. */
    const int64_t at_once = info.multiprocessors * box::blocks_at_once<Kernel>(), of_rows = w->strips * w->spec.count,
                  wanted = (2 * at_once + of_rows - 1) / of_rows, segments = (w->spec.height + side_y - 1) / side_y,
                  rows = (segments + wanted - 1) / wanted * side_y;
    w->rows = (int32_t)(rows < w->spec.height ? rows : w->spec.height);
    w->segments = (int32_t)((w->spec.height + w->rows - 1) / w->rows);
    const int64_t items = (int64_t)w->strips * w->segments * w->spec.count;
    w->at_once = (int32_t)(items < at_once ? items : at_once);
    w->group = (int32_t)group_of(side_y);
    w->queue = queue_floats<Kernel>;
    const size_t suffixes = (size_t)(w->group + (side_y + w->group - 1) / w->group), entries = Kernel::ENTRIES;
    status = prim::arena_alloc(w->arena, &w->suffixes, (size_t)w->at_once * suffixes * entries * Kernel::MEMBERS);
    if (status == SAT_OK) status = window::take_found(w, items * (Kernel::threads / prim::WARP));
    if (status != SAT_OK) return status;
    return box::make_tables(w->arena, [&](box::tables *t) {
        box::fill_axis(&w->x, t, &w->reach_x, &w->plan.window.x, (int32_t)w->reach_x.before);
        box::fill_axis(&w->y, t, &w->reach_y, &w->plan.window.y, (int32_t)w->reach_y.before);
    });
}

template <bool VARIANCES> sat_status prepare_width(state *w)
{
    using narrow = window::float_kernel<tuning::WINDOW_FLOAT_THREADS, tuning::WINDOW_FLOAT_OWN, VARIANCES>;
    using broad = window::float_kernel<tuning::WINDOW_FLOAT_BROAD_THREADS, tuning::WINDOW_FLOAT_BROAD_OWN, VARIANCES>;
    const int64_t side_x = w->reach_x.before + 1 + w->reach_x.after;
    return side_x * w->spec.channels * 2 <= (int64_t)narrow::ENTRIES ? prepare_float<narrow>(w)
                                                                     : prepare_float<broad>(w);
}

} // namespace

sat_status window::prepare_floats(state *w)
{
    const bool squares = w->plan.needs & (SAT_NEEDS_VAR | SAT_NEEDS_SQUARES);
    const bool one_image = w->plan.needs & SAT_NEEDS_EXTREMES;
    bool has_room = false;
    sat_status status = SAT_OK;
    if (!squares)
        status = prepare_sums(w, &has_room);
    else if (!one_image)
        status = prepare_moments(w, &has_room);
    if (status != SAT_OK || has_room) return status;
    if (w->spec.band_rows) /* crops begin where strips have the image's bits */
        return sat_fail(SAT_ERR_UNAVAILABLE, "%s: windows of %lldx%lld need the whole image", NAME,
                        (long long)w->spec.window_width, (long long)w->spec.window_height);
    return squares ? prepare_width<true>(w) : prepare_width<false>(w);
}
