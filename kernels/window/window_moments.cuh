/* window_moments.cuh - counts, sums and squared distances of windows of floats to results; plans (window_moments.cu).
 */
#ifndef WINDOW_MOMENTS_CUH
#define WINDOW_MOMENTS_CUH

#include "window/window_moment_rows.cuh"
#include "window/window_sums.cuh"

namespace window
{

/* A variance, which rounding may leave a little below 0: it is 0 then.  One below 2^-302 becomes about that: it and its
 * root are 0 in f32. */
PRIM_DEVICE double size_of(double v)
{
    constexpr uint32_t least = (1023u - 302) << 20;
    const uint64_t bits = __builtin_bit_cast(uint64_t, v <= 0 ? 0 : v);
    const uint32_t upper = (uint32_t)(bits >> 32);
    return __builtin_bit_cast(double, (uint64_t)(upper > least ? upper : least) << 32 | (uint32_t)bits);
}
/* The root of a size, to f32: of its reciprocal root, by two terms of the series of (1 - r)^-1/2 with
 * r = 1 - v * near^2. */
PRIM_DEVICE float root_of(double v)
{
    const double near = prim::reciprocal_root_approx(v), root = prim::product(v, near);
    const double r = prim::multiply_add(-root, near, 1.0);
    return (float)prim::multiply_add(prim::product(root, r), prim::multiply_add(0.375, r, 0.5), root);
}

template <class Layout> struct results_of_moments : moment_rows<Layout> {
    using Sample = typename Layout::sample_type;
    using typename Layout::shared;
    using base = moment_rows<Layout>;
    using typename base::window_sums;
    static constexpr bool COUNTED = Layout::HAS_COUNTS;
    static constexpr unsigned RUN = Layout::RUN_PIXELS;
    /* Staged results of an output: the first halves of all runs, 16 bytes each, then the second ones.  Room for four
     * more between them parts the banks of results that lanes read together. */
    static constexpr unsigned HALF = RUN / 2, PLANE = (Layout::RUNS + 4) * HALF, STAGED = 2 * PLANE;
    static_assert(3 * STAGED <= 4 * Layout::ROW); /* plain results lie in the place of a row's sums */
    using base::per_width;
    using Layout::RUNS, Layout::NARROW_ROW, Layout::row_number, Layout::ONE_CHANNEL, Layout::COLUMNS, Layout::threads,
        Layout::in, Layout::in_row_bytes, Layout::in_image_pitch, Layout::x, Layout::y, Layout::area, Layout::value,
        Layout::shrinks, Layout::takes_value, Layout::lead, Layout::strip, Layout::channel_count, Layout::pixel_of,
        Layout::pixels, Layout::row_of_warp, Layout::masked, Layout::valid;

    /* Results to f32 that are stored side by side: a mean, a variance and its root. */
    enum { MEAN, VARIANCE, ROOT, PLAIN };
    struct plain_result {
        char *to; /* NULL: none */
        int64_t row_bytes, image_bytes;
        uint32_t least; /* samples of a window that is not empty; 0: none is */
        float empty;
    };

    finish results;
    plain_result plain[PLAIN];
    bool is_plain; /* results are no others */
    uint64_t *clipped;
    extremes *found;              /* of each warp, in the pass that searches them; else NULL */
    const extremes *image;        /* of each image, in a pass that needs them */
    int32_t first_row, end_row;   /* of results that count */
    double per_area, per_squares; /* of whole windows: what makes means and variances of their sums */

    struct strip_results {
        box::strip_place at; /* until prepare_results() */
        uint32_t clipped;
    };
    PRIM_DEVICE strip_results results_of(int32_t origin, uint32_t image, int32_t) const
    {
        const int32_t begin = origin + lead, end = begin + strip < x.n ? begin + strip : x.n;
        if (found) store_extremes(found_of_block(), no_extremes());
        return {{origin, begin, end, image, this->repeats() || (begin >= x.before && end <= x.n - x.after)}, 0};
    }
    PRIM_DEVICE extremes *found_of_block() const { return found + (int64_t)prim::block_id() * (threads / prim::WARP); }
    PRIM_DEVICE void next_step(strip_results &) const {}
    PRIM_DEVICE void end(const strip_results &r) const { add_clipped(clipped, r.clipped); }
    PRIM_DEVICE void prepare_results(shared &s, const strip_results &r) const
    {
        if (prim::thread_id() == 0) s.place.set(r.at);
        if constexpr (!ONE_CHANNEL)
            for (uint32_t i = prim::thread_id(); i < COLUMNS; i += threads) {
                const uint32_t pixel = pixel_of(i);
                s.places.set(i, (uint16_t)(this->run_of(pixel, i - pixel * channel_count()) * RUN + pixel % RUN));
            }
    }
    /* The number of a sample's run, times RUN, plus its place in the run. */
    PRIM_DEVICE unsigned place_of(const shared &s, uint32_t sample) const
    {
        return ONE_CHANNEL ? sample : s.places.get(sample);
    }
    PRIM_DEVICE int32_t rows_of(int32_t row) const { return this->count(row - y.before, row + y.after + 1); }

    /* ---- windows ---- */

    /* Samples that count, their mean and variance; or its size. */
    struct window {
        uint32_t n;
        double mean, variance;
    };
    /* With `more` samples of a value. */
    PRIM_DEVICE static window with_border(const window &w, double value, double more)
    {
        const uint32_t n = w.n + (uint32_t)more;
        if (w.n == 0) return {n, value, value - value}; /* NaN where the value is no number, or infinite */
        const double per_n = reciprocal(real(n, 0)), d = apart(value, w.mean), share = more * per_n,
                     rest = real(w.n, 0) * per_n;
        const double mean = prim::multiply_add(w.mean, rest, value * share);
        return {n, value == w.mean ? value : mean, w.variance * rest + d * (rest * share * d) + (value - value)};
    }
    /* Positions of a window that lie outside the image, and count. */
    PRIM_DEVICE double beyond(int32_t column, int32_t rows) const
    {
        return column >= 0 && column < x.n ? area - (double)prim::load(x.covered + column) * rows : 0;
    }

    PRIM_DEVICE void stage_row(shared &s, window_sums &v, int32_t row, int32_t bottom, const strip_results &) const
    {
        if (row >= bottom) return;
        const box::strip_place r = s.place.get();
        const unsigned run = prim::thread_id() % RUNS, of_line = (unsigned)pixels / RUN,
                       line = ONE_CHANNEL ? 0 : run / of_line;
        if (line >= channel_count()) return;
        const int32_t rows = rows_of(row);
        const bool all_rows = rows == y.before + 1 + y.after, whole = r.whole && all_rows;
        const bool has_border = takes_value && !whole;
        if (is_plain && !has_border && (COUNTED || whole)) return stage_plain(s, v, run);
        window w[RUN];
        const double per_rows = COUNTED ? 1 : this->inverse_of(rows);
#pragma unroll
        for (unsigned i = 0; i < RUN; i++) {
            if constexpr (COUNTED) {
                w[i] = window_of(v.n[i], v.sum[i], v.squares[i], v.per_n[i]);
            } else {
                const double per_columns = r.whole ? per_width : this->inverse_of((int32_t)v.n[i]);
                const uint32_t columns = r.whole ? (uint32_t)(x.before + 1 + x.after) : v.n[i];
                w[i] = window_of(columns * (uint32_t)rows, v.sum[i], v.squares[i] * per_rows, per_columns * per_rows);
            }
        }
        if (has_border) {
            const int32_t first = r.origin + (int32_t)((run - line * of_line) * RUN), end = first + (int32_t)RUN;
            if (!all_rows || first < x.before || end + x.after > x.n)
#pragma unroll
                for (unsigned i = 0; i < RUN; i++) {
                    const double more = beyond(first + (int32_t)i, rows);
                    if (more > 0) w[i] = with_border(w[i], value[line], more);
                }
        }
        if (is_plain) {
#pragma unroll
            for (unsigned i = 0; i < RUN; i++) w[i].variance *= of_ddof(w[i].n);
            stage(s, run, w);
            return;
        }
#pragma unroll
        for (unsigned i = 0; i < RUN; i++) {
            s.sums.template set_vector<2>(2 * (row_of_warp() + base::place(run, i)),
                                          prim::vec<double, 2>{w[i].mean, w[i].variance});
            if constexpr (COUNTED) s.counts.set(row_number() * NARROW_ROW + base::narrow_place(run, i), w[i].n);
        }
    }
    /* The factor n / (n - ddof) of a variance. */
    PRIM_DEVICE double of_ddof(uint32_t n) const
    {
        return results.ddof > 0 ? real(n, 0) * reciprocal(real(n, results.ddof)) : 1;
    }
    /* Windows without positions beyond the image: quotients to f32 need no correction, not even those of alike
     * samples. */
    PRIM_DEVICE void stage_plain(shared &s, const window_sums &v, unsigned run) const
    {
        window w[RUN];
#pragma unroll
        for (unsigned i = 0; i < RUN; i++)
            if constexpr (COUNTED)
                w[i] = {v.n[i], v.sum[i] * v.per_n[i], v.squares[i] * v.per_n[i]};
            else
                w[i] = {(uint32_t)area, v.sum[i] * per_area, v.squares[i] * per_squares};
        if (COUNTED && results.ddof > 0)
#pragma unroll
            for (unsigned i = 0; i < RUN; i++) w[i].variance *= of_ddof(w[i].n);
        stage(s, run, w);
    }
    /* per_n: 1 / n, nearly.  The mean of alike samples is one of them. */
    PRIM_DEVICE static window window_of(uint32_t n, double sum, double squares, double per_n)
    {
        const double mean = box::corrected_quotient(sum, real(n, 0), per_n);
        return {n, mean == mean ? mean : sum * per_n, squares * per_n};
    }
    PRIM_DEVICE void stage(shared &s, unsigned run, const window (&w)[RUN]) const
    {
        unsigned to = 4 * row_of_warp() + run * HALF;
        stage(s, plain[MEAN], to, w, [](const window &of) { return (float)of.mean; });
        stage(s, plain[VARIANCE], to, w, [](const window &of) { return (float)size_of(of.variance); });
        stage(s, plain[ROOT], to, w, [](const window &of) { return root_of(size_of(of.variance)); });
    }
    template <class Value>
    PRIM_DEVICE static void stage(shared &s, const plain_result &o, unsigned &to, const window (&w)[RUN],
                                  const Value &value_of)
    {
        if (o.to == nullptr) return;
        float value[RUN];
#pragma unroll
        for (unsigned i = 0; i < RUN; i++) value[i] = value_of(w[i]);
        if (COUNTED || o.least > 0)
#pragma unroll
            for (unsigned i = 0; i < RUN; i++) value[i] = w[i].n < o.least ? o.empty : value[i];
#pragma unroll
        for (unsigned i = 0; i < RUN; i += HALF) {
            prim::vec<float, HALF> v;
#pragma unroll
            for (unsigned c = 0; c < HALF; c++) v.at[c] = value[i + c];
            s.means.template set_vector<HALF>(to + i / HALF * PLANE, v);
        }
        to += STAGED;
    }
    /* Where a staged result lies behind the first one of its output. */
    PRIM_DEVICE unsigned place_of_result(const shared &s, uint32_t sample) const
    {
        const unsigned place = place_of(s, sample), run = place / RUN, i = place % RUN;
        return i / HALF * PLANE + run * HALF + i % HALF;
    }

    PRIM_DEVICE void store_row(const shared &s, int32_t row, strip_results &of_strip) const
    {
        const box::strip_place r = s.place.get();
        const uint32_t channels = channel_count(), first = (uint32_t)(r.begin - r.origin) * channels,
                       n = (uint32_t)(r.end - r.begin) * channels;
        if (!is_plain) {
            if (row >= first_row && row < end_row) of_strip.clipped += store_others(s, row, r, first, n);
            return;
        }
        unsigned from = 4 * row_of_warp();
#pragma unroll
        for (int k = 0; k < PLAIN; k++) {
            const plain_result &o = plain[k];
            if (o.to == nullptr) continue;
            float *to = (float *)(o.to + r.image * o.image_bytes + row * o.row_bytes) + (int64_t)r.begin * channels;
            if (n >= (RUN - 1) * RUNS)
                store_staged<RUN - 1>(s, from, to, first, n);
            else
                store_staged<0>(s, from, to, first, n);
            from += STAGED;
        }
    }
    /* n results of a row, at least LEAST of each lane. */
    template <unsigned LEAST>
    PRIM_DEVICE void store_staged(const shared &s, unsigned from, float *to, uint32_t first, uint32_t n) const
    {
        const uint32_t own = prim::thread_id() % RUNS;
        const unsigned at = from + (ONE_CHANNEL ? place_of_result(s, first + own) : 0);
#pragma unroll
        for (unsigned i = 0; i < RUN; i++)
            if ((int)i < (int)LEAST || own + i * RUNS < n)
                prim::store(to + own + i * RUNS,
                            s.means.get(at + (ONE_CHANNEL ? i * (RUNS / RUN * HALF)
                                                          : place_of_result(s, first + own + i * RUNS))));
    }

    PRIM_DEVICE bool pixel_counts(double v, uint32_t image, int32_t row, int32_t column) const
    {
        if constexpr (!COUNTED) return true;
        const bool in_mask = !masked() || prim::load(valid.mask + image * valid.mask_image_bytes +
                                                     row * valid.mask_row_bytes + column) != 0;
        return (v == v || valid.any_nan) && v != (double)valid.nodata && in_mask;
    }

    /* Any statistic, of any type; or the search for extremes.  Returns how many results were clipped. */
    PRIM_DEVICE uint32_t store_others(const shared &s, int32_t row, const box::strip_place &r, uint32_t first,
                                      uint32_t samples) const
    {
        const uint32_t image = r.image;
        uint32_t clipped_here = 0;
        const int32_t channels = (int32_t)channel_count(), rows = rows_of(row);
        const Sample *of_row = this->row_at(in + image * in_image_pitch, in_row_bytes, row);
        extremes whole = {}, seen = no_extremes();
        if (this->image) whole = load_extremes(this->image + image);
#pragma unroll 1
        for (uint32_t i = first + prim::thread_id() % RUNS; i < first + samples; i += RUNS) {
            const uint32_t pixel = pixel_of(i), channel = i - pixel * (uint32_t)channels;
            const int32_t column = r.origin + (int32_t)pixel;
            const unsigned run = place_of(s, i) / RUN, in_run = place_of(s, i) % RUN;
            const int64_t at = (int64_t)column * channels + channel;
            const prim::vec<double, 2> is =
                s.sums.template get_vector<2>(2 * (row_of_warp() + base::place(run, in_run)));
            double n = area;
            if constexpr (COUNTED)
                n = real(s.counts.get(row_number() * NARROW_ROW + base::narrow_place(run, in_run)), 0);
            else if (shrinks)
                n = (double)(r.whole ? x.before + 1 + x.after : prim::load(x.covered + column)) * rows;
            const double mean = is.at[0], variance = is.at[1] < 0 ? 0 : is.at[1];
            moments<double> m = {n, mean * n, mean, variance * (n / (n - results.ddof)), 0, 0};
            m.squares = fmax(variance + mean * mean, mean * mean); /* infinite if the mean is, whose variance is NaN */
            m.x = (double)prim::load(of_row + at);
            if (found) {
                if (pixel_counts(m.x, image, row, column)) join(seen, {m.x, 0});
                if (m.n >= results.of[0].least) join(seen, {seen.low, m.var});
                continue;
            }
#pragma unroll 1
            for (int k = 0; k < results.outputs; k++) {
                const finish::output &o = results.of[k];
                double v = 0;
                with_statistic(o.statistic, [&](auto statistic) { v = value_of(statistic, results, o, m, whole); });
                store(o, o.to + image * o.image_bytes + row * o.row_bytes, at, m.x, v, clipped_here);
            }
        }
        if (found) store_extremes(found_of_block(), seen, true);
        return clipped_here;
    }
};

/* ---- host ---------------------------------------------------------------------------------------------- */

template <box::float_features FEATURES> struct moments_of_windows {
    static constexpr box::float_features features = FEATURES;
    template <class Layout> using results = results_of_moments<Layout>;
};

template <class Filter>
sat_status queue_moments(const state *w, const sat_view *src, const sat_view *mask, const sat_view *results,
                         void *stream)
{
    Filter k = filter_of<Filter>(w, src, mask, results);
    k.count_table = w->count_table;
    k.real_height = k.height;
    k.real_width = k.x.before + 1 + k.x.after;
    k.per_width = 1 / k.real_width;
    k.real_rest = k.rest;
    k.per_rest = k.rest > 0 ? 1 / k.real_rest : 0;
    k.per_area = 1 / k.area;
    k.per_squares = k.area / (k.area - w->spec.ddof) * k.per_area / k.real_height;
    k.is_plain = true;
    for (int i = 0; i < w->spec.outputs; i++) {
        const finish::output *o = &k.results.of[i];
        const int as = o->statistic == SAT_STATISTIC_mean && o->p[0] == 0 ? Filter::MEAN
                       : o->statistic == SAT_STATISTIC_var                ? Filter::VARIANCE
                       : o->statistic == SAT_STATISTIC_std                ? Filter::ROOT
                                                                          : Filter::PLAIN;
        k.is_plain = k.is_plain && o->type == SAT_F32 && !o->compare && as != Filter::PLAIN && !k.plain[as].to;
        if (k.is_plain)
            k.plain[as] = {o->to, o->row_bytes, o->image_bytes,
                           o->may_be_empty ? (uint32_t)fmin(o->least, UINT32_MAX) : 0, (float)o->empty};
    }
    const int64_t blocks = box::count_of(w->sums->work);
    return queue_passes(&k, w, blocks * src->count, src->count, blocks * (k.threads / prim::WARP), stream);
}

/* Pairs of n and 1 / n up to `most`. */
inline sat_status make_counts(state *w, int64_t most)
{
    return box::make_tables(w->arena, [&](box::tables *t) {
        double *here;
        w->count_table = t->alloc(2 * ((size_t)most + 1), &here);
        for (int64_t n = 0; here && n <= most; n++)
            here[2 * n] = (double)n, here[2 * n + 1] = n > 0 ? 1 / (double)n : 0;
    });
}

template <class Sample, unsigned CHANNELS, box::float_features FEATURES>
sat_status prepare_moments_of(state *w, bool *has_room)
{
    *has_room = false;
    sat_status status = take_strips(w);
    if (status != SAT_OK) return status;
    box_float *f = w->sums;
    const int64_t rows = f->reach_y.before + 1 + f->reach_y.after, columns = f->reach_x.before + 1 + f->reach_x.after;
    if (rows > INT32_MAX / columns || w->plan.window.area_px > INT32_MAX) return SAT_OK;
    int64_t warps = 0;
    const auto take = [&]<class Filter>() {
        w->queue = queue_moments<Filter>;
        warps = Filter::threads / prim::WARP;
    };
    status = box::prepare<moments_of_windows<FEATURES>, Sample, CHANNELS>(f, w->arena, take, has_room);
    if (status != SAT_OK || !*has_room) return status;
    /* Samples of a run of columns. */
    const int64_t of_run = (FEATURES & 1) != 0 ? box::strip_of<Sample>(FEATURES).run * rows : rows;
    status = make_counts(w, of_run > columns ? of_run : columns);
    return status == SAT_OK ? describe_strips(w, warps) : status;
}

} // namespace window
#endif
