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
    static constexpr unsigned RUN = Layout::RUN_PIXELS;
    using Layout::RUNS, Layout::PITCH, Layout::COLUMNS, Layout::ONE_CHANNEL, Layout::threads, Layout::x, Layout::y,
        Layout::strip, Layout::lead, Layout::area, Layout::value, Layout::shrinks, Layout::takes_value,
        Layout::out_pitch, Layout::weighted, Layout::channel_count, Layout::pixel_of, Layout::place;

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

    /* The means of n samples from `first` on, whose windows all hold `whole` positions, `beyond` of them outside the
     * image.  Each thread has at least FULL. */
    template <unsigned FULL, class Result>
    PRIM_DEVICE void store_alike(const shared &s, unsigned row, Result *to, uint32_t first, uint32_t n, double whole,
                                 double inverse, double beyond) const
    {
        const uint32_t own = prim::thread_id() % RUNS;
        /* Places of one channel's pixels RUNS apart are equally far apart. */
        constexpr uint32_t apart = RUNS / RUN * PITCH;
        const unsigned at = row + (ONE_CHANNEL ? place(first + own, 0) : 0);
        const auto has = [&](unsigned k) { return (int)k < (int)FULL || own + k * RUNS < n; };
        double sum[RUN];
        uint32_t most = 0;
#pragma unroll
        for (unsigned k = 0; k < RUN; k++) {
            sum[k] = 0;
            if (has(k)) sum[k] = s.sums.get(ONE_CHANNEL ? at + k * apart : at + s.places.get(first + own + k * RUNS));
        }
        if (takes_value && beyond > 0)
#pragma unroll
            for (unsigned k = 0; k < RUN; k++) {
                const uint32_t sample = own + k * RUNS, channel = sample - pixel_of(sample) * channel_count();
                sum[k] = with_border(sum[k], channel, beyond);
            }
#pragma unroll
        for (unsigned k = 0; k < RUN; k++) {
            const uint32_t size = sizeof(Sample) == 4 || has(k) ? extremity<Sample>(sum[k]) : 0;
            most = size > most ? size : most;
        }
        to += own;
        if (most >= EXTREME) {
#pragma unroll
            for (unsigned k = 0; k < RUN; k++)
                if (has(k)) prim::store(to + k * RUNS, (Result)(sum[k] / whole));
            return;
        }
#pragma unroll
        for (unsigned k = 0; k < RUN; k++) {
            const double mean = corrected_quotient(sum[k], whole, inverse);
            if (has(k)) prim::store(to + k * RUNS, (Result)mean);
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

    /* The results of a strip.  Windows of pixels left .. right - 1 hold as many columns, covered_x, or all count alike.
     */
    struct strip_results {
        int32_t origin; /* the pixel of place 0 in a row of sums */
        int32_t begin, left, right, end;
        double covered_x, inverse; /* inverse: of the windows' size, where they hold all rows */
    };
    PRIM_DEVICE double whole_of(double covered) const
    {
        return shrinks ? covered : area;
    }

    PRIM_DEVICE strip_results results_of(int32_t origin) const
    {
        const int32_t begin = origin + lead, end = begin + strip < x.n ? begin + strip : x.n;
        strip_results r = {origin, begin, begin, end, end, 0, 0};
        if (weighted()) r.right = begin;
        if (shrinks || takes_value) {
            r.left = r.left > x.before ? r.left : x.before < r.right ? x.before : r.right;
            r.right = r.right < x.n - x.after ? r.right : x.n - x.after > r.left ? x.n - x.after : r.left;
        }
        r.covered_x = (double)prim::load(x.covered + (r.left < x.n ? r.left : begin));
        r.inverse = 1 / whole_of(prim::product(r.covered_x, (double)(y.before + 1 + y.after)));
        return r;
    }

    template <class Result>
    PRIM_DEVICE void store_means(const shared &s, unsigned row, Result *image, int32_t at, const strip_results &r) const
    {
        const int32_t channels = (int32_t)channel_count();
        const bool all_rows = at >= y.before && at + y.after < y.n;
        const double covered_y = (double)(all_rows ? y.before + 1 + y.after : prim::load(y.covered + at));
        Result *const to = image + (int64_t)at * out_pitch;
        const auto sample = [&](int32_t pixel) { return (uint32_t)((pixel - r.origin) * channels); };
        if (r.left > r.begin)
            store_others(s, row, to + (int64_t)r.begin * channels, sample(r.begin), sample(r.left) - sample(r.begin),
                         r.begin, covered_y);
        if (r.right > r.left) {
            const double covered = prim::product(r.covered_x, covered_y), whole = whole_of(covered);
            const double inverse = all_rows ? r.inverse : 1 / whole;
            Result *const first = to + (int64_t)r.left * channels;
            const uint32_t n = sample(r.right) - sample(r.left);
            if (n >= (RUN - RUN / 8) * RUNS)
                store_alike<RUN - RUN / 8>(s, row, first, sample(r.left), n, whole, inverse, whole - covered);
            else
                store_alike<0>(s, row, first, sample(r.left), n, whole, inverse, whole - covered);
        }
        if (r.end > r.right)
            store_others(s, row, to + (int64_t)r.right * channels, sample(r.right), sample(r.end) - sample(r.right),
                         r.right, covered_y);
    }
};

} // namespace box
#endif
