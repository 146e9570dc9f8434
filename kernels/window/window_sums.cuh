/* window_sums.cuh - statistics of windows of floats that are made of counts and sums (window_sums.cu). */
#ifndef WINDOW_SUMS_CUH
#define WINDOW_SUMS_CUH

#include "box/box_float_plan.cuh"
#include "window/window_queue.cuh"

namespace window
{

/* sum / n for n from 1 to 2^53; wrong by little more than half of a unit.  No number where n is 0. */
PRIM_DEVICE double quotient_by(double sum, double n)
{
    return box::corrected_quotient(sum, n, reciprocal(n));
}

template <class Layout> struct results_of_sums : box::float_means<Layout> {
    using base = box::float_means<Layout>;
    using Sample = typename Layout::sample_type;
    using typename base::window_sums;
    using typename Layout::shared;
    static constexpr unsigned RUN = Layout::RUN_PIXELS;
    using Layout::out, Layout::RUNS, Layout::PITCH, Layout::pixels, Layout::ONE_CHANNEL, Layout::MEANS_PITCH,
        Layout::in, Layout::in_row_bytes, Layout::out_row_bytes, Layout::out_image_bytes, Layout::in_image_pitch,
        Layout::x, Layout::takes_value, Layout::counted, Layout::channel_count, Layout::pixel_of, Layout::row_of_warp;

    finish results;
    uint64_t *clipped;
    int32_t first_row, end_row; /* of results that count */
    bool plain;                 /* the one result is the mean of what counts, in f32 */
    bool has_empty;             /* other windows than those without samples are empty, or empty is a number */

    struct strip_results {
        box::strip_means at; /* until prepare_results() */
        uint32_t clipped;
    };
    PRIM_DEVICE strip_results results_of(int32_t origin, uint32_t image, int32_t) const
    {
        strip_results r = {base::results_of(origin, image, 0), 0};
        r.at.staged = plain && (r.at.staged || (ONE_CHANNEL && sizeof(Sample) == 4 && !takes_value));
        return r;
    }
    PRIM_DEVICE void prepare_results(shared &s, const strip_results &r) const
    {
        base::prepare_results(s, r.at);
        if (prim::thread_id() == 0) s.strip.set(r.at);
    }
    PRIM_DEVICE void next_step(strip_results &) const {}
    PRIM_DEVICE void end(const strip_results &r) const { add_clipped(clipped, r.clipped); }

    PRIM_DEVICE void stage_row(shared &s, window_sums &v, int32_t row, int32_t bottom, const strip_results &) const
    {
        const box::strip_means r = s.strip.get();
        if (!r.staged)
            this->store_windows(s, v);
        else if (row < bottom)
            stage_counted(s, v, takes_value ? this->windows_of(s, row, r).beyond : 0);
    }

    /* float_means::stage_means() where each window has a count of its own; beyond: positions that count besides. */
    PRIM_DEVICE void stage_counted(shared &s, window_sums &sum, double beyond) const
    {
        const unsigned to = 2 * row_of_warp() + prim::thread_id() % RUNS * MEANS_PITCH;
        const uint32_t least = (uint32_t)results.of[0].least, more = (uint32_t)beyond;
        const float empty = (float)results.of[0].empty;
        if (beyond > 0)
#pragma unroll
            for (unsigned i = 0; i < RUN; i++) sum[i] = this->with_border(sum[i], 0, beyond);
#pragma unroll
        for (unsigned i = 0; i < RUN; i += 4) {
            prim::vec<float, 4> mean;
            uint32_t n[4];
            this->load_counts(s, i, n);
            if (more > 0)
#pragma unroll
                for (unsigned k = 0; k < 4; k++) n[k] += more;
#pragma unroll
            for (unsigned k = 0; k < 4; k++) mean.at[k] = (float)prim::product(sum[i + k], reciprocal(real(n[k], 0)));
            if (has_empty)
#pragma unroll
                for (unsigned k = 0; k < 4; k++)
                    if (n[k] < least) mean.at[k] = empty;
            s.means.template set_vector<4>(to + i, mean);
        }
    }

    PRIM_DEVICE void store_row(const shared &s, int32_t row, strip_results &of_strip) const
    {
        const box::strip_means r = s.strip.get();
        char *of_row = reinterpret_cast<char *>(out) + r.image * out_image_bytes + row * out_row_bytes;
        if (r.staged)
            this->store_staged(s, (float *)of_row + r.begin, r);
        else if (row >= first_row && row < end_row)
            of_strip.clipped += store_results(s, row, r);
    }

    /* The count of the window of a sample of the strip: of the row's places up to its last one, less those before its
     * first one. */
    PRIM_DEVICE uint32_t count_at(const shared &s, uint32_t pixel, uint32_t channel) const
    {
        const uint32_t beyond = (uint32_t)(x.before + x.after), line = channel * (uint32_t)pixels / RUN;
        const uint32_t before = pixel > 0 ? this->place(pixel - 1, channel) : line * PITCH - 1 - (PITCH - RUN);
        const uint32_t upto = s.counts.get(row_of_warp() + this->place(pixel + beyond, channel));
        return pixel > 0 || line > 0 ? upto - s.counts.get(row_of_warp() + before) : upto;
    }
    PRIM_DEVICE moments<double> moments_at(const shared &s, uint32_t sample, uint32_t pixel, uint32_t channel,
                                           double covered) const
    {
        const double whole = this->whole_of(covered), beyond = takes_value ? whole - covered : 0;
        const double n = counted() ? real(count_at(s, pixel, channel), 0) + beyond : whole;
        const double sum = this->with_border(s.sums.get(row_of_warp() + this->place_of(s, sample)), channel, beyond);
        const bool extreme = box::extremity<Sample>(sum) >= box::EXTREME;
        return {n, sum, extreme ? sum / n : quotient_by(sum, n), 0, 0, 0};
    }

    /* Returns how many results were clipped. */
    PRIM_DEVICE uint32_t store_results(const shared &s, int32_t row, const box::strip_means &r) const
    {
        uint32_t clipped_here = 0;
        const int32_t channels = (int32_t)channel_count();
        const uint32_t first = (uint32_t)((r.begin - r.origin) * channels),
                       end = (uint32_t)((r.end - r.origin) * channels);
        const double covered_y = this->covered_rows(row);
        const uint32_t image = r.image;
        const Sample *of_row = this->row_at(in + image * in_image_pitch, in_row_bytes, row);
#pragma unroll 1
        for (uint32_t i = first + prim::thread_id() % RUNS; i < end; i += RUNS) {
            const uint32_t pixel = pixel_of(i), channel = i - pixel * (uint32_t)channels;
            const int32_t column = r.origin + (int32_t)pixel;
            const double covered_x = (double)prim::load(x.covered + column);
            const int64_t at = (int64_t)column * channels + channel;
            moments<double> m = moments_at(s, i, pixel, channel, prim::product(covered_x, covered_y));
            if (results.needs_pixel) m.x = (double)prim::load(of_row + at);
#pragma unroll 1
            for (int k = 0; k < results.outputs; k++) {
                const finish::output &o = results.of[k];
                double v = 0;
                with_statistic(o.statistic, [&](auto statistic) {
                    if constexpr ((decltype(statistic)::needs & (SAT_NEEDS_VAR | SAT_NEEDS_SQUARES)) == 0)
                        v = value_of(statistic, results, o, m, extremes{});
                });
                store(o, o.to + image * o.image_bytes + row * o.row_bytes, at, m.x, v, clipped_here);
            }
        }
        return clipped_here;
    }
};

/* ---- host ---------------------------------------------------------------------------------------------- */

struct counts_and_sums {
    static constexpr box::float_features features = box::SUMS_AND_COUNTS;
    template <class Layout> using results = results_of_sums<Layout>;
};

/* The arguments of a launch. */
template <class Filter>
Filter filter_of(const state *w, const sat_view *src, const sat_view *mask, const sat_view *results)
{
    using sample = typename Filter::sample_type;
    const sat_window_spec *s = &w->spec;
    Filter k = box::arguments_of<Filter>(w->sums, src, &results[0]);
    k.valid.counted = w->plan.validity;
    k.valid.any_nan = !s->skip_nan;
    k.valid.nodata = s->has_nodata ? (sample)s->nodata : (sample)NAN;
    k.valid.absent = s->skip_nan ? (sample)NAN : s->has_nodata ? k.valid.nodata : 0;
    if (mask) {
        k.valid.masked = true;
        k.valid.mask = (const uint8_t *)mask->data;
        k.valid.mask_row_bytes = (int64_t)mask->row_bytes;
        k.valid.mask_image_bytes = (int64_t)mask->image_bytes;
        k.valid.mask_words = ((uintptr_t)mask->data | mask->row_bytes | mask->image_bytes) % 4 == 0;
    }
    k.results = finish_of(w, results);
    k.clipped = w->clipped;
    k.first_row = w->first_row;
    k.end_row = w->end_row;
    return k;
}

template <class Filter>
sat_status queue_sums(const state *w, const sat_view *src, const sat_view *mask, const sat_view *results, void *stream)
{
    Filter k = filter_of<Filter>(w, src, mask, results);
    const finish::output *o = &k.results.of[0];
    k.has_empty = o->least > 1 || o->empty == o->empty;
    k.plain = w->spec.outputs == 1 && o->statistic == SAT_STATISTIC_mean && !o->compare && o->p[0] == 0 &&
              o->type == SAT_F32 && k.valid.counted && w->plan.window.area_px <= UINT32_MAX && o->least <= UINT32_MAX;
    return prim::launch(k, box::count_of(w->sums->work) * src->count, stream);
}

/* The window as strips of the box filter have it; what they are in the end, and the memory of runs. */
inline sat_status take_strips(state *w)
{
    box_float *f = prim::arena_new<box_float>(w->arena);
    if (f == NULL) return SAT_ERR_MEMORY;
    f->spec = sat_window_box(&w->spec);
    f->window = w->plan.window;
    f->reach_x = w->reach_x;
    f->reach_y = w->reach_y;
    f->masked = w->spec.masked;
    w->sums = f;
    return SAT_OK;
}
inline sat_status describe_strips(state *w, int64_t warps)
{
    w->strips = w->sums->work.strips;
    w->strip = w->sums->strip;
    w->rows = w->sums->work.rows;
    return take_found(w, box::count_of(w->sums->work) * w->spec.count * warps);
}

template <class Sample, unsigned CHANNELS> sat_status prepare_sums_of(state *w, bool *has_room)
{
    sat_status status = take_strips(w);
    if (status != SAT_OK) return status;
    box_float *f = w->sums;
    const int64_t rows = f->reach_y.before + 1 + f->reach_y.after, columns = f->reach_x.before + 1 + f->reach_x.after;
    *has_room = !w->plan.validity || (rows <= UINT16_MAX && rows <= UINT32_MAX / columns);
    if (!*has_room) return SAT_OK;
    const auto take = [&]<class Filter>() { w->queue = queue_sums<Filter>; };
    status = box::prepare<counts_and_sums, Sample, CHANNELS>(f, w->arena, take, has_room);
    if (status != SAT_OK || !*has_room) return status;
    return describe_strips(w, 0);
}

} // namespace window
#endif
