/* window_moments.cuh - sums and squared distances of windows of floats to results; plans (window_moments.cu). */
#ifndef WINDOW_MOMENTS_CUH
#define WINDOW_MOMENTS_CUH

#include "window/window_moment_rows.cuh"
#include "window/window_sums.cuh"

namespace window
{

/* Windows' sums and squared distances to results. */
template <class Layout> struct results_of_moments : moment_rows<Layout> {
    using Sample = typename Layout::sample_type;
    using typename Layout::shared;
    using typename moment_rows<Layout>::window_sums;
    static constexpr unsigned RUN = Layout::RUN_PIXELS, STEP = Layout::STEP_ROWS;
    using moment_rows<Layout>::per_width;
    using Layout::RUNS, Layout::PITCH, Layout::MEANS_PITCH, Layout::ROW, Layout::ONE_CHANNEL, Layout::COLUMNS,
        Layout::threads, Layout::in, Layout::in_row_bytes, Layout::in_image_pitch, Layout::image_blocks, Layout::x,
        Layout::y, Layout::area, Layout::value, Layout::shrinks, Layout::takes_value, Layout::lead, Layout::strip,
        Layout::channel_count, Layout::pixel_of, Layout::place, Layout::row_of_warp;

    finish results;
    uint64_t *clipped;
    int32_t first_row, end_row; /* of results that count */
    bool plain;                 /* one or two results, means, variances and their roots in f32, and never empty */

    struct strip_results {
        int32_t origin, begin, end; /* px: of place 0, and of results */
        uint32_t clipped;
        bool whole; /* all windows hold as many columns */

        PRIM_DEVICE bool alike() const { return whole; }
    };
    PRIM_DEVICE strip_results results_of(int32_t origin, uint32_t, int32_t) const
    {
        const int32_t begin = origin + lead, end = begin + strip < x.n ? begin + strip : x.n;
        return {origin, begin, end, 0, !(shrinks || takes_value) || (begin >= x.before && end <= x.n - x.after)};
    }
    PRIM_DEVICE void next_step(strip_results &) const {}
    PRIM_DEVICE void end(const strip_results &r) const { add_clipped(clipped, r.clipped); }
    PRIM_DEVICE void prepare_results(shared &s, const strip_results &) const
    {
        if constexpr (!ONE_CHANNEL)
            for (uint32_t i = prim::thread_id(); i < COLUMNS; i += threads) {
                const uint32_t pixel = pixel_of(i);
                s.places.set(i, (uint16_t)place(pixel, i - pixel * channel_count()));
            }
    }

    /* Of a window of so many rows and columns, from the sum of its columns' means, and their squares.  With what a
     * border's value adds, where the window has positions outside the image. */
    PRIM_DEVICE moments<double> moments_at(double sum, double squares, double rows, double columns,
                                           uint32_t channel) const
    {
        double n = rows * columns,
               mean = box::extremity<Sample>(sum) >= box::EXTREME ? sum / columns : quotient_by(sum, columns);
        double variance = (squares < 0 ? 0 : squares) / columns + 0 * sum;
        const double beyond = takes_value ? area - n : 0;
        if (beyond > 0) {
            const double d = apart(value[channel], mean), share = beyond / area;
            variance = variance * (n / area) + d * (n / area * share * d);
            mean += d * share;
            n = area;
        }
        return {n, mean * n, mean, variance * (n / (n - results.ddof)), variance + mean * mean, 0};
    }

    PRIM_DEVICE void stage_row(shared &s, const window_sums &v, int32_t row, int32_t bottom,
                               const strip_results &r) const
    {
        const unsigned run = prim::thread_id() % RUNS;
        if (!plain) {
            const uint32_t line = run / ((uint32_t)this->pixels / RUN);
            if (line >= channel_count()) return;
#pragma unroll
            for (unsigned i = 0; i < RUN; i++) {
                s.sums.set(this->place_of_run() + i, v.sum[i]);
                s.squares.set(this->place_of_run() + i, v.squares[i]);
            }
            return;
        }
        if (row >= bottom) return;
        const double rows = this->count(row - y.before, row + y.after + 1), whole = x.before + 1 + x.after;
        const int one = kind_of(results.of[0]), two = kind_of(results.of[1]);
        const bool has_root = one == 2 || (results.outputs > 1 && two == 2);
#pragma unroll
        for (unsigned i = 0; i < RUN; i++) {
            const int32_t pixel = r.origin + (int32_t)(run * RUN + i);
            double columns = whole, per_columns = per_width;
            if (!r.whole && pixel >= r.begin && pixel < r.end) {
                columns = prim::load(x.covered + pixel);
                per_columns = this->inverse_of((int32_t)columns);
            }
            const double mean = box::corrected_quotient(v.sum[i], columns, per_columns);
            double variance = prim::multiply_add(0.0, v.sum[i], (v.squares[i] < 0 ? 0 : v.squares[i]) * per_columns);
            if (results.ddof > 0) variance *= rows * columns / (rows * columns - results.ddof);
            const unsigned to = 2 * row_of_warp() + run * MEANS_PITCH + i;
            const float values[3] = {(float)(mean == mean ? mean : v.sum[i]), (float)variance,
                                     has_root ? (float)sqrt(variance) : 0};
            s.means.set(to, one == 0 ? values[0] : one == 1 ? values[1] : values[2]);
            if (results.outputs > 1) s.more_means.set(to, two == 0 ? values[0] : two == 1 ? values[1] : values[2]);
        }
    }
    /* A mean, a variance, or its root. */
    PRIM_DEVICE static int kind_of(const finish::output &o)
    {
        return o.statistic == SAT_STATISTIC_mean ? 0 : o.statistic == SAT_STATISTIC_var ? 1 : 2;
    }

    PRIM_DEVICE void store_row(const shared &s, int32_t row, strip_results &r) const
    {
        const int32_t channels = (int32_t)channel_count();
        const uint32_t image = prim::block_id() / image_blocks, own = prim::thread_id() % RUNS;
        const uint32_t first = (uint32_t)((r.begin - r.origin) * channels),
                       end = (uint32_t)((r.end - r.origin) * channels);
        if (plain) {
            const unsigned from = 2 * row_of_warp() + (first + own) / RUN * MEANS_PITCH + (first + own) % RUN;
#pragma unroll 1
            for (int k = 0; k < results.outputs; k++) {
                const finish::output &o = results.of[k];
                float *to = (float *)(o.to + image * o.image_bytes + row * o.row_bytes) + r.begin + own;
                const auto &staged = k ? s.more_means : s.means;
#pragma unroll
                for (unsigned i = 0; i < RUN; i++)
                    if (first + own + i * RUNS < end)
                        prim::store(to + i * RUNS, staged.get(from + i * (RUNS / RUN * MEANS_PITCH)));
            }
            return;
        }
        if (row < first_row || row >= end_row) return;
        const double rows = this->count(row - y.before, row + y.after + 1);
        const Sample *of_row = this->row_at(in + image * in_image_pitch, in_row_bytes, row);
#pragma unroll 1
        for (uint32_t i = first + own; i < end; i += RUNS) {
            const uint32_t pixel = pixel_of(i), channel = i - pixel * (uint32_t)channels;
            const int32_t column = r.origin + (int32_t)pixel;
            const unsigned from = row_of_warp() + (ONE_CHANNEL ? place(pixel, 0) : s.places.get(i));
            const int64_t at = (int64_t)column * channels + channel;
            const int32_t columns = shrinks || takes_value ? prim::load(x.covered + column) : x.before + 1 + x.after;
            moments<double> m = moments_at(s.sums.get(from), s.squares.get(from), rows, columns, channel);
            m.x = (double)prim::load(of_row + at);
#pragma unroll 1
            for (int k = 0; k < results.outputs; k++) {
                const finish::output &o = results.of[k];
                double v = 0;
                with_statistic(o.statistic,
                               [&](auto statistic) { v = value_of(statistic, results, o, m, extremes{}); });
                store(o, o.to + image * o.image_bytes + row * o.row_bytes, at, m.x, v, r.clipped);
            }
        }
    }
};

/* ---- host ---------------------------------------------------------------------------------------------- */

struct sums_and_squares {
    static constexpr box::float_features features = box::SUMS_AND_SQUARES;
    template <class Layout> using results = results_of_moments<Layout>;
};

template <class Filter>
sat_status queue_moments(const state *w, const sat_view *src, const sat_view *, const sat_view *results, void *stream)
{
    Filter k = box::arguments_of<Filter>(w->sums, src, &results[0]);
    k.results = finish_of(w, results);
    k.clipped = w->clipped;
    k.first_row = w->first_row;
    k.end_row = w->end_row;
    k.inverse = w->inverse;
    k.per_height = 1 / (double)k.height;
    k.per_width = 1 / (double)(k.x.before + 1 + k.x.after);
    k.plain = w->spec.channels == 1 && w->spec.sample == SAT_F32 && w->spec.outputs <= 2 && !k.takes_value;
    for (int i = 0; i < w->spec.outputs; i++) {
        const finish::output *o = &k.results.of[i];
        const int is = o->statistic;
        k.plain = k.plain && o->type == SAT_F32 && !o->compare && !o->may_be_empty &&
                  ((is == SAT_STATISTIC_mean && o->p[0] == 0) || is == SAT_STATISTIC_var || is == SAT_STATISTIC_std);
    }
    return prim::launch(k, box::count_of(w->sums->work) * src->count, stream);
}

/* 1 / n up to `most`. */
inline sat_status make_inverses(state *w, int64_t most)
{
    return box::make_tables(w->arena, [&](box::tables *t) {
        double *here;
        w->inverse = t->alloc((size_t)most + 1, &here);
        for (int64_t n = 0; here && n <= most; n++) here[n] = n > 0 ? 1 / (double)n : 0;
    });
}

template <class Sample, unsigned CHANNELS> sat_status prepare_moments_of(state *w, bool *has_room)
{
    constexpr tuning::box_float_strip S = tuning::window_moments_strip_of(sizeof(Sample));
    using filter = box::strip_of_floats<sums_and_squares, Sample, CHANNELS, S.run, 2, S.step, S.queue, 1>;
    sat_status status = take_strips(w);
    if (status != SAT_OK) return status;
    box_float *f = w->sums;
    const int64_t rows = f->reach_y.before + 1 + f->reach_y.after, columns = f->reach_x.before + 1 + f->reach_x.after;
    box::split_window<Sample>(f, S.step);
    *has_room = rows <= INT16_MAX && box::fits<filter>(f);
    if (!*has_room) return SAT_OK;
    w->queue = queue_moments<filter>;
    status = make_inverses(w, rows > columns ? rows : columns);
    if (status == SAT_OK) status = box::prepare_strips<filter>(f, w->arena);
    return status == SAT_OK ? describe_strips(w) : status;
}

} // namespace window
#endif
