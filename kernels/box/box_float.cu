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

#include "box/box_float.cuh"
#include "box/box_float_strip.cuh"

namespace
{

template <class Sample, unsigned... SHAPE> using strip_filter = box::float_strip<box::float_layout<Sample, SHAPE...>>;

} // namespace

struct box_float {
    sat_box_spec spec;
    sat_box_window window;
    sat_axis reach_x, reach_y;
    box::axis x, y;
    int32_t pixels, lead, strip;
    box::segments work;
    int32_t blocks, rest; /* of a window's height, as box::float_strip has them */
    bool newest;
    double *scratch;
    sat_status (*queue)(const box_float *f, const sat_view *src, const sat_view *dst, void *stream);
    box_float_passes *passes; /* windows too wide for a strip; then nothing of the above */
};

template <class Filter>
static sat_status queue_strips(const box_float *f, const sat_view *src, const sat_view *dst, void *stream)
{
    using sample = typename Filter::sample_type;
    constexpr size_t pair = 2 * sizeof(sample), chunk = prim::VECTOR_BYTES;
    const int64_t blocks = box::count_of(f->work);
    Filter k = {};
    k.in = (const sample *)src->data;
    k.out = dst->data;
    k.doubles = dst->type == SAT_F64;
    k.in_row_bytes = (int64_t)src->row_bytes;
    k.out_row_bytes = (int64_t)dst->row_bytes;
    k.in_image_pitch = (int64_t)(src->image_bytes / sizeof(sample));
    k.out_image_bytes = (int64_t)dst->image_bytes;
    k.x = f->x;
    k.y = f->y;
    k.channels = f->spec.channels;
    k.pixels = f->pixels;
    k.lead = f->lead;
    k.strip = f->strip;
    k.work = f->work;
    k.image_blocks = (uint32_t)blocks;
    k.reciprocal = (1u << 16) / (uint32_t)f->spec.channels + 1;
    k.height = (int32_t)(f->reach_y.before + 1 + f->reach_y.after);
    k.blocks = f->blocks;
    k.rest = f->rest;
    k.newest = f->newest;
    k.scratch = f->scratch;
    k.area = (double)f->window.area_px;
    for (int c = 0; c < f->spec.channels; c++) k.value[c] = f->window.real_value[c];
    k.shrinks = f->window.border->shrinks;
    k.takes_value = f->window.border->takes_value;
    k.weights = f->spec.weighted_alpha;
    const uintptr_t rows = (uintptr_t)src->data | src->row_bytes | src->image_bytes;
    k.aligned = rows % chunk == 0 ? Filter::CHUNK : rows % pair == 0 ? 2 : 1;
    return prim::launch(k, blocks * src->count, stream);
}

/* Pixels of a strip with its halo, and of its results, at most: 0 or less if the window is too wide. */
template <class Filter> static int64_t pixels_of(const box_float *f)
{
    return Filter::COLUMNS / (unsigned)f->spec.channels / Filter::RUN_PIXELS * Filter::RUN_PIXELS;
}
template <class Filter> static int64_t results_of(const box_float *f)
{
    const int64_t halo = f->reach_x.before + f->reach_x.after + f->lead;
    return (pixels_of<Filter>(f) - halo) / Filter::UNIT * Filter::UNIT;
}

template <class Filter> static sat_status prepare_strips(box_float *f, sat_arena *arena)
{
    const sat_box_spec *s = &f->spec;
    const int64_t strip = results_of<Filter>(f);
    f->pixels = (int32_t)pixels_of<Filter>(f);
    f->queue = queue_strips<Filter>;
    const int64_t width = s->width, least = (width + strip - 1) / strip;
    f->strip = (int32_t)(((width + least - 1) / least + Filter::UNIT - 1) / Filter::UNIT * Filter::UNIT);
    sat_device_info info;
    sat_status status = sat_device_current(&info);
    if (status != SAT_OK) return status;
    const int64_t height = f->reach_y.before + 1 + f->reach_y.after, strips = (width + f->strip - 1) / f->strip;
    const int64_t at_once = info.multiprocessors * box::blocks_at_once<Filter>();
    f->work = box::segments_of(s->height, height, strips, s->count, at_once, Filter::STEP_ROWS);
    if (Filter::QUEUED == 0 && f->blocks > 0) {
        const size_t blocks = (size_t)box::count_of(f->work) * (size_t)s->count;
        size_t sums;
        if (!sat_mul(blocks, (size_t)f->blocks * Filter::COLUMNS, &sums))
            return sat_fail(SAT_ERR_SHAPE, "%s: the sums of an image are larger than the address space", box::NAME);
        status = prim::arena_alloc(arena, &f->scratch, sums);
    }
    if (status != SAT_OK) return status;
    return box::make_tables(arena, [&](box::tables *t) {
        box::fill_axis(&f->x, t, &f->reach_x, &f->window.x, (int32_t)f->reach_x.before);
        box::fill_axis(&f->y, t, &f->reach_y, &f->window.y, (int32_t)f->reach_y.before);
    });
}

/* Does a block fit the device, and leave windows an eighth of its pixels for results? */
template <class Filter> static bool fits(const box_float *f)
{
    return sizeof(typename Filter::shared) <= prim::shared_memory_limit() &&
           results_of<Filter>(f) * 8 >= pixels_of<Filter>(f);
}

/* The kernel that leaves the larger share of its strips for results, where the wider one is slower otherwise, and whose
 * shared memory has room for the queue; or for windows too wide for its strips, the passes. */
template <class Sample, unsigned CHANNELS> static sat_status prepare(box_float *f, sat_arena *arena)
{
    constexpr tuning::box_float_strip S = tuning::box_float_strip_of(sizeof(Sample));
    using in_shared = strip_filter<Sample, CHANNELS, S.run, 1, S.step, S.queue, S.resident>;
    using in_device = strip_filter<Sample, CHANNELS, S.run, 1, S.step, 0, S.resident>;
    using wide_in_shared = strip_filter<Sample, CHANNELS, S.run, 2, S.step, S.wide_queue, 1>;
    using wide_in_device = strip_filter<Sample, CHANNELS, S.run, 2, S.step, 0, 1>;
    const int64_t height = f->reach_y.before + 1 + f->reach_y.after, step = S.step;
    int32_t whole = (int32_t)prim::vector_items<Sample>; /* pixels whose samples are whole chunks */
    while (whole > 1 && whole / 2 * f->spec.channels % (int32_t)prim::vector_items<Sample> == 0) whole /= 2;
    f->lead = (int32_t)((whole - f->reach_x.before % whole) % whole);
    if (height > step) {
        const int64_t blocks = (height - 1 - step) / step;
        f->newest = blocks > 0;
        f->blocks = (int32_t)(blocks > 0 ? blocks - 1 : 0);
        f->rest = (int32_t)((height - 1 - step) % step);
    }
    const bool narrow = fits<in_device>(f), wide = fits<wide_in_device>(f);
    const double gain = (double)results_of<wide_in_device>(f) / (2 * (double)results_of<in_device>(f));
    if (wide && (!narrow || gain > tuning::BOX_FLOAT_WIDER)) {
        if (f->blocks <= (int32_t)S.wide_queue && fits<wide_in_shared>(f))
            return prepare_strips<wide_in_shared>(f, arena);
        return prepare_strips<wide_in_device>(f, arena);
    }
    if (!narrow) return box_float_passes_open(&f->spec, &f->window, &f->reach_x, &f->reach_y, arena, &f->passes);
    if (f->blocks <= (int32_t)S.queue && fits<in_shared>(f)) return prepare_strips<in_shared>(f, arena);
    return prepare_strips<in_device>(f, arena);
}

template <class Sample> static sat_status prepare(box_float *f, sat_arena *arena)
{
    return f->spec.channels == 1 ? prepare<Sample, 1>(f, arena) : prepare<Sample, 0>(f, arena);
}

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
    return spec->sample == SAT_F32 ? prepare<float>(f, arena) : prepare<double>(f, arena);
}

sat_status box_float_run(const box_float *f, const sat_view *src, const sat_view *dst, void *stream)
{
    return f->passes ? box_float_passes_run(f->passes, src, dst, stream) : f->queue(f, src, dst, stream);
}
