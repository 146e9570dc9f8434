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
    using typename Layout::two;
    static constexpr unsigned RUN = Layout::RUN_PIXELS, WARPS = Layout::ROW_WARPS;
    using Layout::RUNS, Layout::PITCH, Layout::COLUMNS, Layout::ONE_CHANNEL, Layout::threads, Layout::x, Layout::y,
        Layout::strip, Layout::lead, Layout::area, Layout::value, Layout::shrinks, Layout::takes_value,
        Layout::out_pitch, Layout::weighted, Layout::channel_count, Layout::pixel_of, Layout::place, Layout::aligned;

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

    /* The same of one channel, from registers; to: the pixel of place 0.  A warp's means pass through its part of the
     * row of sums, as results: each lane stores its run, and loads chunks of 16 bytes that are aligned in the image. */
    template <class Result>
    PRIM_DEVICE void store_run(shared &s, double (&v)[RUN], Result *to, uint32_t first, uint32_t n, double whole,
                               double inverse, double beyond) const
    {
        const uint32_t run = prim::thread_id() % RUNS;
        Result means[RUN];
        uint32_t most = 0;
        if (takes_value && beyond > 0)
#pragma unroll
            for (unsigned i = 0; i < RUN; i++) v[i] = with_border(v[i], 0, beyond);
#pragma unroll
        for (unsigned i = 0; i < RUN; i++) {
            const bool is_result = sizeof(Sample) == 4 || run * RUN + i - first < n;
            const uint32_t size = is_result ? extremity<Sample>(v[i]) : 0;
            most = size > most ? size : most;
            means[i] = (Result)corrected_quotient(v[i], whole, inverse);
        }
        if (most >= EXTREME)
#pragma unroll
            for (unsigned i = 0; i < RUN; i++)
                if (extremity<Sample>(v[i]) >= EXTREME) means[i] = (Result)extreme_quotient<Sample>(v[i], whole);
        store_chunks<RESULTS<Result> - 1>(s, means, to, first, n, (unsigned)lead % RESULTS<Result>);
    }

    template <class Result> static constexpr unsigned RESULTS = prim::vector_items<Result>; /* of a chunk */

    /* Chunks of a warp: the first one begins SHIFT places behind its first run.  Chunk i of a run lies where its number
     * is i ^ its run: lanes that store one chunk each, and those that load eight neighbours, do so without conflicts of
     * banks. */
    template <unsigned SHIFT, class Result>
    PRIM_DEVICE void store_chunks(shared &s, const Result (&means)[RUN], Result *to, uint32_t first, uint32_t n,
                                  unsigned shift) const
    {
        if constexpr (SHIFT > 0)
            if (shift != SHIFT) return store_chunks<SHIFT - 1>(s, means, to, first, n, shift);
        constexpr unsigned PER = RESULTS<Result>, CHUNKS = RUN / PER, APART = CHUNKS < 8 ? 8 / CHUNKS : 1;
        using chunk = prim::vec<Result, PER>;
        static_assert(Layout::ROW % (2 * CHUNKS) == 0 && prim::WARP * PITCH % (2 * CHUNKS) == 0);
        const unsigned lane = prim::lane_id(), before = prim::thread_id() % RUNS - lane; /* runs of other warps */
        const unsigned part = Layout::row_of_warp() + before * PITCH;
        const auto place_of = [&](unsigned number) { return part + 2 * (number ^ number / CHUNKS / APART % CHUNKS); };
        Result shifted[RUN];
#pragma unroll
        for (unsigned i = 0; i < RUN; i++)
            shifted[i] = i + SHIFT < RUN ? means[i + SHIFT] : prim::shuffle_down(means[(i + SHIFT) % RUN], 1);
        const unsigned own = place_of(lane * CHUNKS);
#pragma unroll
        for (unsigned i = 0; i < CHUNKS; i++) {
            chunk c;
#pragma unroll
            for (unsigned k = 0; k < PER; k++) c.at[k] = shifted[i * PER + k];
            s.sums.template set_vector<2>(own ^ 2 * i, __builtin_bit_cast(two, c));
        }
        prim::warp_sync(); /* the means are there */

        /* The warp's results: positions begin .. end - 1 of its chunks. */
        to += before * RUN + SHIFT;
        const int32_t start = (int32_t)(first - before * RUN - SHIFT), last = (int32_t)(prim::WARP * RUN - SHIFT);
        const int32_t begin = start > 0 ? start : 0, end = start + (int32_t)n < last ? start + (int32_t)n : last;
        const unsigned source = place_of(lane);
#pragma unroll
        for (unsigned i = 0; i < CHUNKS; i++) {
            /* Chunks of runs so far apart lie in the same order. */
            const int32_t at = (int32_t)((lane + i * prim::WARP) * PER);
            if (at < begin || at + (int32_t)PER > end) continue;
            const two c = s.sums.template get_vector<2>(source + 2 * i * prim::WARP);
            prim::store(reinterpret_cast<chunk *>(to + at), __builtin_bit_cast(chunk, c));
        }
        /* Chunks of which not all are results: the first and the last one. */
        const int32_t at = (lane == 0 ? begin : end - 1) / (int32_t)PER * (int32_t)PER;
        const bool other = lane == 1 && at > begin;
        if (begin < end && (lane == 0 || other) && (at < begin || at + (int32_t)PER > end)) {
            const two c = s.sums.template get_vector<2>(place_of((unsigned)at / PER));
#pragma unroll
            for (int32_t k = 0; k < (int32_t)PER; k++)
                if (at + k >= begin && at + k < end) prim::store(to + at + k, __builtin_bit_cast(chunk, c).at[k]);
        }
        /* What lies before the first chunk, where that is not another strip's. */
        if (WARPS > 1 && lane == 0 && before > 0)
#pragma unroll
            for (int32_t k = 0; k < (int32_t)SHIFT; k++)
                if (k - (int32_t)SHIFT >= start && k - (int32_t)SHIFT < start + (int32_t)n)
                    prim::store(to + k - (int32_t)SHIFT, means[k]);
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

    /* Does a row need its window sums in shared memory: those that store_others() divides, and all where results are
     * not aligned? */
    PRIM_DEVICE bool sums_in_shared(const strip_results &r) const
    {
        return !from_registers(r) || r.left > r.begin || r.end > r.right;
    }
    PRIM_DEVICE bool from_registers(const strip_results &r) const
    {
        const bool cut = r.left > r.begin || r.end > r.right;
        return ONE_CHANNEL && aligned && !(WARPS > 1 && cut); /* a warp cannot tell when the others have read */
    }

    /* v: the window sums of a lane's run, which shared memory has too if sums_in_shared(). */
    template <class Result>
    PRIM_DEVICE void store_means(shared &s, double (&v)[RUN], unsigned row, Result *image, int32_t at,
                                 const strip_results &r) const
    {
        const int32_t channels = (int32_t)channel_count();
        const bool all_rows = at >= y.before && at + y.after < y.n;
        const double covered_y = (double)(all_rows ? y.before + 1 + y.after : prim::load(y.covered + at));
        Result *const to = image + (int64_t)at * out_pitch;
        const auto sample = [&](int32_t pixel) { return (uint32_t)((pixel - r.origin) * channels); };
        if (r.left > r.begin)
            store_others(s, row, to + (int64_t)r.begin * channels, sample(r.begin), sample(r.left) - sample(r.begin),
                         r.begin, covered_y);
        if (r.end > r.right)
            store_others(s, row, to + (int64_t)r.right * channels, sample(r.right), sample(r.end) - sample(r.right),
                         r.right, covered_y);
        if (r.right <= r.left) return;
        const double covered = prim::product(r.covered_x, covered_y), whole = whole_of(covered);
        const double inverse = all_rows ? r.inverse : 1 / whole, beyond = whole - covered;
        const uint32_t n = sample(r.right) - sample(r.left);
        if constexpr (ONE_CHANNEL)
            if (from_registers(r)) {
                prim::warp_sync(); /* store_others() has read */
                return store_run(s, v, to + r.origin, sample(r.left), n, whole, inverse, beyond);
            }
        Result *const first = to + (int64_t)r.left * channels;
        if (n >= (RUN - RUN / 8) * RUNS)
            store_alike<RUN - RUN / 8>(s, row, first, sample(r.left), n, whole, inverse, beyond);
        else
            store_alike<0>(s, row, first, sample(r.left), n, whole, inverse, beyond);
    }
};

} // namespace box
#endif
