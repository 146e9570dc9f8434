/* box_float_plan.cuh - a plan of box_float.cu on the host: which of its kernels a filter takes, and how they are
 * launched. Each file box_float_*.cu has the kernels of one type of samples, with one channel or several, so that they
 * compile side by side. */
#ifndef BOX_FLOAT_PLAN_CUH
#define BOX_FLOAT_PLAN_CUH

#include "box/box_float.cuh"
#include "box/box_float_strip.cuh"

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
    bool masked; /* strips begin where 4 pixels of a mask may be aligned */
    sat_status (*queue)(const box_float *f, const sat_view *src, const sat_view *dst, void *stream);
    box_float_passes *passes; /* windows too wide for a strip; then nothing of the above */
};

namespace box
{

/* Whole blocks between the leaving rows and the entering ones of a window, but for the newest. */
constexpr int64_t blocks_in_queue(int64_t height, int64_t step)
{
    const int64_t blocks = (height - 1 - step) / step;
    return blocks > 1 ? blocks - 1 : 0;
}

/* What is made of the windows' sums: here, means. */
struct means_of_sums {
    static constexpr float_features features = SUMS;
    template <class Layout> using results = float_means<Layout>;
};
template <class Feature, class Layout>
using strip_of_layout = float_strip<Layout, typename Feature::template results<Layout>>;
template <class Feature, class Sample, unsigned... SHAPE>
using strip_of_floats = strip_of_layout<Feature, float_layout<Sample, SHAPE..., Feature::features>>;

/* The arguments of a launch, of one result for each sample. */
template <class Filter> Filter arguments_of(const box_float *f, const sat_view *src, const sat_view *dst)
{
    using sample = typename Filter::sample_type;
    constexpr size_t pair = 2 * sizeof(sample), chunk = prim::VECTOR_BYTES;
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
    k.image_blocks = (uint32_t)count_of(f->work);
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
    return k;
}
template <class Filter>
sat_status queue_strips(const box_float *f, const sat_view *src, const sat_view *dst, void *stream)
{
    return prim::launch(arguments_of<Filter>(f, src, dst), count_of(f->work) * src->count, stream);
}

/* Pixels of a strip with its halo, and of its results, at most: 0 or less if the window is too wide. */
template <class Filter> int64_t pixels_of(const box_float *f)
{
    return Filter::COLUMNS / (unsigned)f->spec.channels / Filter::RUN_PIXELS * Filter::RUN_PIXELS;
}
template <class Filter> int64_t results_of(const box_float *f)
{
    const int64_t halo = f->reach_x.before + f->reach_x.after + f->lead;
    return (pixels_of<Filter>(f) - halo) / Filter::UNIT * Filter::UNIT;
}

template <class Filter> sat_status prepare_strips(box_float *f, sat_arena *arena)
{
    const sat_box_spec *s = &f->spec;
    const int64_t strip = results_of<Filter>(f);
    const int64_t width = s->width, least = (width + strip - 1) / strip, run = Filter::RUN_PIXELS;
    f->strip = (int32_t)(((width + least - 1) / least + Filter::UNIT - 1) / Filter::UNIT * Filter::UNIT);
    const int64_t used = f->strip + f->reach_x.before + f->reach_x.after + f->lead;
    f->pixels = (int32_t)((used + run - 1) / run * run);
    sat_device_info info;
    sat_status status = sat_device_current(&info);
    if (status != SAT_OK) return status;
    const int64_t height = f->reach_y.before + 1 + f->reach_y.after, strips = (width + f->strip - 1) / f->strip;
    const int64_t at_once = info.multiprocessors * blocks_at_once<Filter>();
    const bool cut = f->window.border->takes_value || f->window.border->shrinks;
    const int64_t edge_share = cut && Filter::SQUARES && !Filter::COUNTS ? tuning::BOX_FLOAT_EDGE_SHARE : 1;
    f->work = segments_of(s->height, height, strips, s->count, at_once, Filter::STEP_ROWS, edge_share);
    if (Filter::scratch_of(f->blocks) > 0) {
        const size_t blocks = (size_t)count_of(f->work) * (size_t)s->count;
        size_t sums;
        if (!sat_mul(blocks, (size_t)Filter::scratch_of(f->blocks), &sums))
            return sat_fail(SAT_ERR_SHAPE, "%s: the sums of an image are larger than the address space", NAME);
        status = prim::arena_alloc(arena, &f->scratch, sums);
    }
    if (status != SAT_OK) return status;
    return make_tables(arena, [&](tables *t) {
        fill_axis(&f->x, t, &f->reach_x, &f->window.x, (int32_t)f->reach_x.before);
        fill_axis(&f->y, t, &f->reach_y, &f->window.y, (int32_t)f->reach_y.before);
    });
}

/* Does a block fit the device, and leave windows an eighth of its pixels for results? */
template <class Filter> bool fits(const box_float *f)
{
    return sizeof(typename Filter::shared) <= prim::shared_memory_limit() &&
           results_of<Filter>(f) * 8 >= pixels_of<Filter>(f);
}

/* Where strips begin, and how the rows of a window are taken apart. */
template <class Sample> void split_window(box_float *f, int64_t step)
{
    const int64_t height = f->reach_y.before + 1 + f->reach_y.after;
    int32_t whole = (int32_t)prim::vector_items<Sample>; /* pixels whose samples are whole chunks */
    while (whole > 1 && whole / 2 * f->spec.channels % (int32_t)prim::vector_items<Sample> == 0) whole /= 2;
    if (f->masked && whole < 4) whole = 4;
    f->lead = (int32_t)((whole - f->reach_x.before % whole) % whole);
    if (height > step) {
        const int64_t between = height - 1 - step;
        f->newest = between >= step;
        f->blocks = (int32_t)blocks_in_queue(height, step);
        f->rest = (int32_t)(between % step);
    }
}

/* The shape of a strip of one warp. */
template <class Sample> constexpr tuning::box_float_strip strip_of(float_features features)
{
    return features >= SUMS_AND_SQUARES ? tuning::window_moments_strip_of(sizeof(Sample))
                                        : tuning::box_float_strip_of(sizeof(Sample), features != SUMS);
}

/* The kernel that leaves the larger share of its strips for results, where the wider one is slower otherwise; with the
 * queue in shared memory where that has room for it; or the one of few rows.  take<Filter>() takes it.  has_room: false
 * where windows are too wide for all strips, or the device has room for none. */
template <class Feature, class Sample, unsigned CHANNELS, class Take>
sat_status prepare(box_float *f, sat_arena *arena, const Take &take, bool *has_room)
{
    constexpr tuning::box_float_strip S = strip_of<Sample>(Feature::features);
    using in_device = strip_of_floats<Feature, Sample, CHANNELS, S.run, 1, S.step, 0, S.resident>;
    using wide = strip_of_floats<Feature, Sample, CHANNELS, S.run, 2, S.step, 0, 1>;
    const auto with = [&]<class Filter>() {
        *has_room = true;
        take.template operator()<Filter>();
        return prepare_strips<Filter>(f, arena);
    };
    const int64_t step = in_device::SQUARES ? S.step : box_float_step(f->spec.sample, f->spec.window_height);
    split_window<Sample>(f, step);
    *has_room = false;
    if constexpr (!in_device::SQUARES) {
        constexpr tuning::box_float_strip F = tuning::box_float_few_of(sizeof(Sample));
        using few = strip_of_floats<Feature, Sample, CHANNELS, F.run, 2, F.step, 0, F.resident>;
        if (step != S.step) return fits<few>(f) ? with.template operator()<few>() : SAT_OK;
    }
    const bool narrow = fits<in_device>(f);
    const double gain = (double)results_of<wide>(f) / (2 * (double)results_of<in_device>(f));
    if (fits<wide>(f) && (!narrow || gain > tuning::BOX_FLOAT_WIDER)) return with.template operator()<wide>();
    if (!narrow) return SAT_OK;
    if constexpr (CHANNELS == 1 && S.queue > 0) {
        using in_shared = strip_of_floats<Feature, Sample, CHANNELS, S.run, 1, S.step, S.queue, S.resident>;
        if (f->blocks <= (int32_t)S.queue && fits<in_shared>(f)) return with.template operator()<in_shared>();
    }
    return with.template operator()<in_device>();
}

/* The same for means: where no strip has room, in passes. */
template <class Sample, unsigned CHANNELS> sat_status prepare_means(box_float *f, sat_arena *arena)
{
    bool has_room;
    const auto take = [&]<class Filter>() { f->queue = queue_strips<Filter>; };
    sat_status status = prepare<means_of_sums, Sample, CHANNELS>(f, arena, take, &has_room);
    if (status != SAT_OK || has_room) return status;
    if (f->spec.band_rows)
        return sat_fail(SAT_ERR_UNAVAILABLE, "%s: windows of %lld columns need the whole image", NAME,
                        (long long)f->spec.window_width);
    return box_float_passes_open(&f->spec, &f->window, &f->reach_x, &f->reach_y, arena, &f->passes);
}

sat_status prepare_f32(box_float *f, sat_arena *arena);
sat_status prepare_f32_channels(box_float *f, sat_arena *arena);
sat_status prepare_f64(box_float *f, sat_arena *arena);
sat_status prepare_f64_channels(box_float *f, sat_arena *arena);

} // namespace box
#endif
