/* box_float_means.cuh - the means of a row of window sums (box_float.cu). */
#ifndef BOX_FLOAT_MEANS_CUH
#define BOX_FLOAT_MEANS_CUH

#include "box/box_divide.cuh"
#include "box/box_float_rows.cuh"

namespace box
{

template <class Layout> struct float_means : float_rows<Layout> {
    using Sample = typename Layout::sample_type;
    using typename Layout::shared;
    /* Nearly all threads have FULL means of a row, or more. */
    static constexpr unsigned RUN = Layout::RUN_PIXELS, STEP = Layout::STEP_ROWS, FULL = RUN - RUN / 8;
    using typename float_rows<Layout>::window_sums;
    using Layout::RUNS, Layout::PITCH, Layout::MEANS_PITCH, Layout::doubles, Layout::COLUMNS, Layout::ONE_CHANNEL,
        Layout::out, Layout::out_row_bytes, Layout::out_image_bytes, Layout::row_of_warp, Layout::threads, Layout::x,
        Layout::y, Layout::strip, Layout::lead, Layout::height, Layout::area, Layout::value, Layout::shrinks,
        Layout::takes_value, Layout::weighted, Layout::channel_count, Layout::pixel_of, Layout::place;

    /* Window sums with what border values add to them, where a window has `beyond` positions outside the image. */
    PRIM_DEVICE double with_border(double inside, uint32_t channel, double beyond) const
    {
        return takes_value && beyond > 0 ? inside + prim::product(value[channel], beyond) : inside;
    }

    /* The place of a sample in a row of sums; samples are counted from the strip's first pixel on. */
    PRIM_DEVICE unsigned place_of(const shared &s, uint32_t sample) const
    {
        return ONE_CHANNEL ? place(sample, 0) : s.places.get(sample);
    }
    PRIM_DEVICE void store_places(shared &s) const
    {
        if constexpr (!ONE_CHANNEL)
            for (uint32_t i = prim::thread_id(); i < COLUMNS; i += threads) {
                const uint32_t pixel = pixel_of(i);
                s.places.set(i, (uint16_t)place(pixel, i - pixel * channel_count()));
            }
    }

    struct strip_results : strip_means {
        char *to; /* the strip's first result in the warp's row */
    };
    PRIM_DEVICE double whole_of(double covered) const { return shrinks ? covered : area; }

    PRIM_DEVICE strip_results results_of(int32_t origin, uint32_t image, int32_t row) const
    {
        const int32_t begin = origin + lead, end = begin + strip < x.n ? begin + strip : x.n;
        strip_results r = {{origin, begin, begin, end, end, 0, image, false}, nullptr};
        if (weighted()) r.right = begin;
        if (shrinks || takes_value) {
            r.left = r.left > x.before ? r.left : x.before < r.right ? x.before : r.right;
            r.right = r.right < x.n - x.after ? r.right : x.n - x.after > r.left ? x.n - x.after : r.left;
        }
        r.covered_x = (double)prim::load(x.covered + (r.left < x.n ? r.left : begin));
        r.to = reinterpret_cast<char *>(out) + image * out_image_bytes + row * out_row_bytes +
               (int64_t)begin * (int32_t)channel_count() * (doubles ? 8 : 4);
        r.staged = means_in_registers(r);
        return r;
    }
    PRIM_DEVICE void next_step(strip_results &r) const { r.to += STEP * out_row_bytes; }
    PRIM_DEVICE void end(const strip_results &) const {}

    /* 1 / the size of windows that hold all rows, in shared memory: registers are short. */
    PRIM_DEVICE void prepare_results(shared &s, const strip_means &r) const
    {
        store_places(s);
        if (prim::thread_id() == 0) s.inverse.set(1 / whole_of(prim::product(r.covered_x, (double)height)));
    }

    /* The windows of row `at` between left and right. */
    struct windows {
        double whole, inverse, beyond; /* positions, and those outside the image */
    };
    PRIM_DEVICE windows windows_of(const shared &s, int32_t at, const strip_means &r) const
    {
        const bool all_rows = at >= y.before && at + y.after < y.n;
        const double covered = prim::product(r.covered_x, covered_rows(at)), whole = whole_of(covered);
        return {whole, all_rows ? s.inverse.get() : 1 / whole, whole - covered};
    }
    PRIM_DEVICE double covered_rows(int32_t at) const
    {
        const bool all_rows = at >= y.before && at + y.after < y.n;
        return (double)(all_rows ? height : prim::load(y.covered + at));
    }

    /* The means of n samples from `first` on, whose windows are alike.  Each thread has at least LEAST. */
    template <unsigned LEAST, class Result>
    PRIM_DEVICE void store_alike(const shared &s, unsigned row, Result *to, uint32_t first, uint32_t n,
                                 const windows &w) const
    {
        const uint32_t own = prim::thread_id() % RUNS;
        /* Places of one channel's pixels RUNS apart are equally far apart. */
        constexpr uint32_t apart = RUNS / RUN * PITCH;
        const unsigned at = row + (ONE_CHANNEL ? place(first + own, 0) : 0);
        const auto has = [&](unsigned k) { return (int)k < (int)LEAST || own + k * RUNS < n; };
        double sum[RUN];
#pragma unroll
        for (unsigned k = 0; k < RUN; k++) {
            sum[k] = 0;
            if (has(k)) sum[k] = s.sums.get(ONE_CHANNEL ? at + k * apart : at + s.places.get(first + own + k * RUNS));
        }
        if (takes_value && w.beyond > 0)
#pragma unroll
            for (unsigned k = 0; k < RUN; k++) {
                const uint32_t sample = own + k * RUNS, channel = sample - pixel_of(sample) * channel_count();
                sum[k] = with_border(sum[k], channel, w.beyond);
            }
        to += own;
        if constexpr (sizeof(Sample) == 8 || sizeof(Result) == 8) {
            uint32_t most = 0;
#pragma unroll
            for (unsigned k = 0; k < RUN; k++) {
                const uint32_t size = has(k) ? extremity<Sample>(sum[k]) : 0;
                most = size > most ? size : most;
            }
            if (most >= EXTREME) {
#pragma unroll
                for (unsigned k = 0; k < RUN; k++)
                    if (has(k)) prim::store(to + k * RUNS, (Result)(sum[k] / w.whole));
                return;
            }
#pragma unroll
            for (unsigned k = 0; k < RUN; k++) {
                const Result mean = (Result)corrected_quotient(sum[k], w.whole, w.inverse);
                if (has(k)) prim::store(to + k * RUNS, mean);
            }
        } else {
            /* Where a sum is infinite or no number, and nowhere else, corrected_quotient() is no number. */
            Result mean[RUN];
            bool numbers = true;
#pragma unroll
            for (unsigned k = 0; k < RUN; k++) {
                mean[k] = (Result)corrected_quotient(sum[k], w.whole, w.inverse);
                numbers = numbers && mean[k] == mean[k];
            }
            if (!numbers)
#pragma unroll
                for (unsigned k = 0; k < RUN; k++)
                    if (mean[k] != mean[k]) mean[k] = (Result)extreme_quotient<Sample>(sum[k], w.whole);
#pragma unroll
            for (unsigned k = 0; k < RUN; k++)
                if (has(k)) prim::store(to + k * RUNS, mean[k]);
        }
    }

    /* The same where windows differ, or colours are weighted.  begin: the image's pixel. */
    template <class Result>
    PRIM_DEVICE void store_others(const shared &s, unsigned row, Result *to, uint32_t first, uint32_t n, int32_t begin,
                                  double covered_y) const
    {
#pragma unroll 1
        for (uint32_t i = prim::thread_id() % RUNS; i < n; i += RUNS) {
            const uint32_t pixel = pixel_of(i), channel = i - pixel * channel_count(), last = channel_count() - 1;
            const double covered = prim::product((double)prim::load(x.covered + begin + pixel), covered_y);
            const double whole = shrinks ? covered : area, beyond = whole - covered;
            const double sum = with_border(s.sums.get(row + place_of(s, first + i)), channel, beyond);
            double divisor = whole;
            if (weighted() && channel != last)
                divisor = with_border(s.sums.get(row + place_of(s, first + i - channel + last)), last, beyond);
            prim::store(to + i, divisor == 0 ? Result(0) : (Result)(sum / divisor));
        }
    }

    template <class Result>
    PRIM_DEVICE void store_means(const shared &s, unsigned row, Result *to, int32_t at, const strip_means &r) const
    {
        const int32_t channels = (int32_t)channel_count();
        const auto sample = [&](int32_t pixel) { return (uint32_t)((pixel - r.origin) * channels); };
        if (r.left > r.begin)
            store_others(s, row, to, sample(r.begin), sample(r.left) - sample(r.begin), r.begin, covered_rows(at));
        if (r.right > r.left) {
            const windows w = windows_of(s, at, r);
            Result *const first = to + (r.left - r.begin) * channels;
            const uint32_t n = sample(r.right) - sample(r.left);
            if (n >= FULL * RUNS)
                store_alike<FULL>(s, row, first, sample(r.left), n, w);
            else
                store_alike<0>(s, row, first, sample(r.left), n, w);
        }
        if (r.end > r.right)
            store_others(s, row, to + (r.right - r.begin) * channels, sample(r.right), sample(r.end) - sample(r.right),
                         r.right, covered_rows(at));
    }

    /* f32 means of one channel, where the windows of a strip are all alike: from a run's window sums in registers. */
    PRIM_DEVICE bool means_in_registers(const strip_means &r) const
    {
        return ONE_CHANNEL && sizeof(Sample) == 4 && !doubles && r.left == r.begin && r.right == r.end;
    }
    PRIM_DEVICE void stage_means(shared &s, double (&sum)[RUN], const windows &w) const
    {
        const unsigned to = 2 * Layout::row_of_warp() + prim::thread_id() % RUNS * MEANS_PITCH;
        if (takes_value && w.beyond > 0)
#pragma unroll
            for (unsigned i = 0; i < RUN; i++) sum[i] = with_border(sum[i], 0, w.beyond);
#pragma unroll
        for (unsigned i = 0; i < RUN; i += 4) {
            prim::vec<float, 4> mean;
            bool numbers = true;
#pragma unroll
            for (unsigned k = 0; k < 4; k++) {
                mean.at[k] = (float)corrected_quotient(sum[i + k], w.whole, w.inverse);
                numbers = numbers && mean.at[k] == mean.at[k];
            }
            if (!numbers)
#pragma unroll
                for (unsigned k = 0; k < 4; k++)
                    if (mean.at[k] != mean.at[k]) mean.at[k] = (float)extreme_quotient<float>(sum[i + k], w.whole);
            s.means.template set_vector<4>(to + i, mean);
        }
    }
    PRIM_DEVICE void store_staged(const shared &s, float *to, const strip_means &r) const
    {
        const uint32_t n = (uint32_t)(r.end - r.begin);
        to += prim::thread_id() % RUNS;
        if (n >= FULL * RUNS)
            store_staged<FULL>(s, to, n);
        else
            store_staged<0>(s, to, n);
    }

    /* Before all lanes have come here, and behind. */
    PRIM_DEVICE void stage_row(shared &s, window_sums &v, int32_t row, int32_t bottom, const strip_results &r) const
    {
        if (!r.staged)
            this->store_windows(s, v);
        else if (row < bottom)
            stage_means(s, v, windows_of(s, row, r));
    }
    PRIM_DEVICE void store_row(const shared &s, int32_t row, const strip_results &r) const
    {
        if (r.staged)
            store_staged(s, (float *)r.to, r);
        else if (doubles)
            store_means(s, row_of_warp(), (double *)r.to, row, r);
        else
            store_means(s, row_of_warp(), (float *)r.to, row, r);
    }

    template <unsigned LEAST> PRIM_DEVICE void store_staged(const shared &s, float *to, uint32_t n) const
    {
        const uint32_t own = prim::thread_id() % RUNS, place = (uint32_t)lead + own;
        const unsigned from = 2 * Layout::row_of_warp() + place / RUN * MEANS_PITCH + place % RUN;
#pragma unroll
        for (unsigned k = 0; k < RUN; k++)
            if ((int)k < (int)LEAST || own + k * RUNS < n)
                prim::store(to + k * RUNS, s.means.get(from + k * (RUNS / RUN * MEANS_PITCH)));
    }
};

} // namespace box
#endif
