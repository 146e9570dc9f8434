/* window_strip.cuh - window statistics of integers: sums of columns that slide down strips (window_bytes.cu). */
#ifndef WINDOW_STRIP_CUH
#define WINDOW_STRIP_CUH

#include "prim/block_scan.cuh"
#include "prim/warp_scan.cuh"
#include "tuning.cuh"
#include "window/window_extremes.cuh"
#include "window/window_lines.cuh"

namespace window
{

/* Sample: of as many bytes, without a sign.  Sum: holds the sum of squares of a window, modulo its range.  CHANNELS:
 * that lie side by side in a strip.  MASKED: some samples may not count.  WARPS: of a block. */
template <class Sample, class Sum, unsigned CHANNELS, bool MASKED, unsigned WARPS>
struct strip_kernel : strip_lines<Sample, CHANNELS, MASKED, WARPS> {
    using lines = strip_lines<Sample, CHANNELS, MASKED, WARPS>;
    using lines::bias, lines::mask, lines::x, lines::y, lines::biased, lines::stride;
    using line = typename lines::line;
    using columns = typename lines::columns;
    static constexpr unsigned RUN = lines::RUN, threads = lines::threads, ELEMENTS = lines::ELEMENTS;
    static constexpr int min_blocks = tuning::window_blocks(WARPS, sizeof(Sum), MASKED);
    static constexpr unsigned channels = CHANNELS;
    /* No squares of samples of 32 bits; what results may need. */
    static constexpr bool SQUARES = sizeof(Sample) < 4;
    static constexpr unsigned POSSIBLE = SQUARES ? ~0u : ~(unsigned)(SAT_NEEDS_VAR | SAT_NEEDS_SQUARES);

    /* Runs are padded to an odd number of 16-byte vectors, so that lanes store theirs without bank conflicts; not those
     * of three channels, where columns a warp apart would no longer be equally far apart. */
    static constexpr unsigned padding(unsigned entries_of_vector)
    {
        return prim::WARP % RUN == 0 && RUN / entries_of_vector % 2 == 0 ? entries_of_vector : 0;
    }
    static constexpr unsigned PAIRS = 16 / (2 * (unsigned)sizeof(Sum)); /* of both sums, in a vector */
    static constexpr unsigned PAIR_PADDING = padding(PAIRS), COUNT_PADDING = padding(4);

    struct shared {
        prim::array<Sum, 2 * (ELEMENTS + threads * PAIR_PADDING)> sums; /* S1 and S2 side by side */
        prim::array<uint32_t, MASKED ? ELEMENTS + threads * COUNT_PADDING : 4> counts;
        prim::array<Sample, ELEMENTS> pixels; /* of the row of results, with the bias */
        typename lines::shared gathered;
        prim::array<Sum, WARPS> totals[2];
        prim::array<uint32_t, WARPS> total_count;
    };

    static_assert(WARPS > tuning::WINDOW_FEW_WARPS || sizeof(shared) <= 64 << 10); /* Turing's */

    int32_t strips, strip, rows, segments; /* elements of a strip, rows of a segment */
    int32_t first_row, end_row;            /* of results; segments have others, too */
    bool has_nodata, takes_value;
    bool clips;                        /* windows cover fewer rows and columns at the edges */
    int32_t whole_rows, whole_columns; /* that a whole window covers */
    uint32_t nodata;                   /* with the bias */
    uint64_t value[4];
    uint64_t area;
    finish results;
    extremes *found;       /* of each warp, in the pass that searches them; else NULL */
    const extremes *image; /* of each image, in a pass that needs them */
    uint64_t *clipped;

    struct column_sums {
        Sum s1[RUN], s2[RUN];
        uint32_t n[MASKED ? RUN : 1];
    };
    /* What a block works on. */
    struct place : columns {
        int32_t begin, end, top, bottom; /* elements of the strip; rows */
    };

    /* ---- sums of columns ---- */

    struct one {
        uint32_t x, counts;
    };
    PRIM_DEVICE one sample_of(const line &l, unsigned i) const
    {
        const uint32_t x = lines::sample(l, i);
        if constexpr (!MASKED) {
            return {x, 1};
        } else {
            const bool counts = lines::masked_in(l, i) && !(has_nodata && x == nodata);
            return {counts ? x : 0, counts};
        }
    }

    PRIM_DEVICE void add(column_sums &sums, const line &entering) const
    {
        const line enter = biased(entering);
#pragma unroll
        for (unsigned i = 0; i < RUN; i++) {
            const one e = sample_of(enter, i);
            sums.s1[i] += e.x;
            if constexpr (SQUARES) sums.s2[i] += (Sum)e.x * e.x;
            if constexpr (MASKED) sums.n[i] += e.counts;
        }
    }
    PRIM_DEVICE void slide(column_sums &sums, const line &entering, const line &leaving) const
    {
        const line enter = biased(entering), leave = biased(leaving);
#pragma unroll
        for (unsigned i = 0; i < RUN; i++) {
            const one e = sample_of(enter, i), l = sample_of(leave, i);
            sums.s1[i] += (Sum)e.x - (Sum)l.x;
            if constexpr (SQUARES) sums.s2[i] += (Sum)e.x * e.x - (Sum)l.x * l.x;
            if constexpr (MASKED) sums.n[i] += e.counts - l.counts;
        }
    }

    /* ---- prefix sums along a row ---- */

    PRIM_DEVICE static void sync()
    {
        if constexpr (WARPS == 1)
            prim::warp_sync();
        else
            prim::block_sync();
    }
    PRIM_DEVICE static unsigned pair_at(unsigned column)
    {
        return 2 * (column + column / RUN * PAIR_PADDING);
    }
    PRIM_DEVICE static unsigned count_at(unsigned column)
    {
        return column + column / RUN * COUNT_PADDING;
    }

    /* The sum of v over all lanes of the warp before this one; of several warps, it stores the warp's. */
    template <class T> PRIM_DEVICE static T before_lane(prim::array<T, WARPS> &totals, T v)
    {
        const T inclusive = prim::warp_scan_inclusive(v);
        if (WARPS > 1 && prim::lane_id() == prim::WARP - 1) totals.set(prim::warp_id(), inclusive);
        return inclusive - v;
    }
    /* The sum of v over all warps before this one. */
    template <class T> PRIM_DEVICE static T before_warp(const prim::array<T, WARPS> &totals)
    {
        return prim::warp_sum(prim::lane_id() < prim::warp_id() ? totals.get(prim::lane_id()) : T());
    }

    /* Entry c: the sums of all columns before c, of c's channel. */
    PRIM_DEVICE void store_prefixes(shared &s, const place &p, const column_sums &sums) const
    {
        static_assert(WARPS == 1 || CHANNELS == 1, "totals are of one channel");
        Sum s1[CHANNELS] = {}, s2[CHANNELS] = {};
        uint32_t n[CHANNELS] = {};
#pragma unroll
        for (unsigned i = 0; i < RUN; i++) {
            s1[i % CHANNELS] += sums.s1[i];
            s2[i % CHANNELS] += sums.s2[i];
            if constexpr (MASKED) n[i % CHANNELS] += sums.n[i];
        }
#pragma unroll
        for (unsigned c = 0; c < CHANNELS; c++) {
            s1[c] = before_lane(s.totals[0], s1[c]);
            if constexpr (SQUARES) s2[c] = before_lane(s.totals[1], s2[c]);
            if constexpr (MASKED) n[c] = before_lane(s.total_count, n[c]);
        }
        if constexpr (WARPS > 1) {
            sync(); /* the totals of all warps are stored */
            s1[0] += before_warp(s.totals[0]);
            if constexpr (SQUARES) s2[0] += before_warp(s.totals[1]);
            if constexpr (MASKED) n[0] += before_warp(s.total_count);
        }
#pragma unroll
        for (unsigned i = 0; i < RUN; i += PAIRS) {
            prim::vec<Sum, 2 * PAIRS> v;
#pragma unroll
            for (unsigned k = 0; k < PAIRS; k++) {
                const unsigned c = (i + k) % CHANNELS;
                v.at[2 * k] = s1[c];
                v.at[2 * k + 1] = s2[c];
                s1[c] += sums.s1[i + k];
                s2[c] += sums.s2[i + k];
            }
            s.sums.template set_vector<2 * PAIRS>(pair_at(p.own) + 2 * i, v);
        }
        if constexpr (MASKED) {
#pragma unroll
            for (unsigned i = 0; i < RUN; i += 4) {
                prim::vec<uint32_t, 4> v;
#pragma unroll
                for (unsigned k = 0; k < 4; k++) {
                    const unsigned c = (i + k) % CHANNELS;
                    v.at[k] = n[c];
                    n[c] += sums.n[i + k];
                }
                s.counts.template set_vector<4>(count_at(p.own) + i, v);
            }
        }
    }

    /* ---- results ---- */

    /* Where the windows of a thread begin and end in the prefix sums: of its first element, and from one to the next.
     */
    static constexpr unsigned PAIR_STEP = 2 * (threads + threads / RUN * PAIR_PADDING),
                              COUNT_STEP = threads + threads / RUN * COUNT_PADDING;
    static_assert((PAIR_PADDING == 0 && COUNT_PADDING == 0) || threads % RUN == 0);

    /* A thread's elements, every `threads`th from the first one on. */
    struct thread_elements {
        unsigned pair_low, pair_high, count_low, count_high, column;
        int32_t first, count;
        int32_t inner, inner_end; /* of all threads: numbers of elements whose windows cover as many columns as any */
    };
    PRIM_DEVICE thread_elements elements_of_thread(const place &p) const
    {
        const int32_t first = p.begin + (int32_t)prim::thread_id(), T = (int32_t)threads;
        const unsigned column = (unsigned)(first - p.left), low = column - (unsigned)x.before * CHANNELS,
                       high = column + (unsigned)(x.after + 1) * CHANNELS;
        thread_elements t = {pair_at(low), pair_at(high), count_at(low), count_at(high), column, first};
        t.count = (p.end - first + T - 1) / T;
        t.inner_end = (p.end - p.begin + T - 1) / T;
        if (clips) {
            const int32_t from = x.before * (int32_t)CHANNELS - p.begin,
                          to = (x.n - x.after) * (int32_t)CHANNELS - p.begin;
            t.inner = from > 0 ? (from + T - 1) / T : 0;
            if (to < p.end - p.begin) t.inner_end = to > 0 ? to / T : 0;
            if (t.inner_end < t.inner) t.inner = t.inner_end = 0;
        }
        return t;
    }

    /* A row of results. */
    struct row_of_results {
        int32_t y, covered; /* rows of the image that its windows hold */
        Sum n;              /* samples in a window that covers as many columns as any, if none is masked */
        divisors by;        /* of such a window */
        unsigned fast;      /* bit k: result k of such windows has a loop of its own */
        extremes image;
    };
    PRIM_DEVICE void set_covered(row_of_results &row, int32_t covered) const
    {
        if (covered == row.covered) return;
        row.covered = covered;
        row.n = takes_value ? (Sum)area : (Sum)covered * (Sum)whole_columns;
        row.by = divisors_of(results, (double)row.n);
        row.fast = 0;
        if (takes_value && covered != whole_rows) return; /* windows of border values do not end at an edge */
        for (int k = 0; k < results.outputs; k++) {
            const finish::output &o = results.of[k];
            /* Without a mask, all of a row's inner windows hold equally many samples. */
            const bool empty = !MASKED && o.may_be_empty && row.by.n < o.least;
            row.fast |= (unsigned)(!empty && (o.is_rough || o.is_real)) << k;
        }
    }

    /* The window of the thread's element number k, e.  INNER: it covers as many columns as any; e does not matter. */
    template <bool INNER>
    PRIM_DEVICE sums<Sum> window_at(const shared &s, const place &p, const thread_elements &t,
                                    const row_of_results &row, int32_t k, int32_t e) const
    {
        const prim::vec<Sum, 2> a = s.sums.template get_vector<2>(t.pair_low + (unsigned)k * PAIR_STEP),
                                b = s.sums.template get_vector<2>(t.pair_high + (unsigned)k * PAIR_STEP);
        sums<Sum> w = {row.n, b.at[0] - a.at[0], b.at[1] - a.at[1], 0, true};
        Sum covered = row.n;
        if constexpr (!INNER) w.n = covered = (Sum)row.covered * (Sum)prim::load(x.covered + e / (int32_t)CHANNELS);
        if constexpr (MASKED)
            w.n = s.counts.get(t.count_high + (unsigned)k * COUNT_STEP) -
                  s.counts.get(t.count_low + (unsigned)k * COUNT_STEP);
        if constexpr (!INNER)
            if (takes_value) {
                const Sum beyond = (Sum)area - covered,
                          v = (Sum)value[CHANNELS == 1 ? p.channel : e % (int32_t)CHANNELS];
                w.n += beyond;
                w.s1 += beyond * v;
                w.s2 += beyond * v * v;
            }
        if constexpr (!INNER || MASKED) w.known = w.n == row.n;
        return w;
    }

    PRIM_DEVICE typename sums<Sum>::pixel pixel_at(const shared &s, const thread_elements &t, int32_t k) const
    {
        const uint32_t x = s.pixels.get(t.column + (unsigned)k * threads);
        if constexpr (sizeof(Sample) < 4) return (typename sums<Sum>::pixel)((int32_t)x - (int32_t)bias);
        return (typename sums<Sum>::pixel)((int64_t)x - (int64_t)bias);
    }
    /* The row's own samples, for pixel_at(). */
    PRIM_DEVICE void store_pixels(shared &s, const place &p, const line &own) const
    {
        const line l = biased(own);
#pragma unroll
        for (unsigned w = 0; w < lines::WORDS; w += lines::UNIT) {
            typename lines::unit u;
#pragma unroll
            for (unsigned i = 0; i < lines::UNIT; i++) u.at[i] = l.samples[w + i];
            s.pixels.template set_vector<lines::ALIGNMENT>(p.own + w * lines::PER,
                                                           __builtin_bit_cast(typename lines::samples_of_unit, u));
        }
    }

    /* Calls do_it() with the struct of a statistic that is possible. */
    template <class Do> PRIM_DEVICE static void with_possible(int statistic, const Do &do_it)
    {
        with_statistic(statistic, [&](auto of) {
            if constexpr ((decltype(of)::needs & ~POSSIBLE) == 0) do_it(of);
        });
    }

    /* Any result of element number k. */
    PRIM_DEVICE void write_any(const shared &s, const place &p, const thread_elements &t, const row_of_results &row,
                               const finish::output &o, int32_t k, uint32_t &clipped_here) const
    {
        const int32_t e = t.first + k * (int32_t)threads;
        sums<Sum> w = window_at<false>(s, p, t, row, k, e);
        if (o.needs & SAT_NEEDS_PIXEL) w.x = pixel_at(s, t, k);
        const moments<double> m = describe(results, o.needs & POSSIBLE, w, row.by);
        double v = 0;
        with_possible(o.statistic, [&](auto statistic) { v = value_of(statistic, results, o, m, row.image); });
        store(o, row_at(o, p, row), (int64_t)e * stride() + p.channel, m.x, v, clipped_here);
    }
    PRIM_DEVICE static char *row_at(const finish::output &o, const place &p, const row_of_results &row)
    {
        return o.to + p.image * o.image_bytes + row.y * o.row_bytes;
    }
    /* The result of the thread's first element. */
    template <class Result>
    PRIM_DEVICE Result *first_at(const finish::output &o, const place &p, const thread_elements &t,
                                 const row_of_results &row) const
    {
        return (Result *)row_at(o, p, row) + (int64_t)t.first * stride() + p.channel;
    }

    /* Elements in a turn of a loop to f32; of thresholds that need more than a mean, and what needs squares, one. */
    static constexpr unsigned REALS_AT_ONCE = sizeof(Sum) == 4 ? 4 : 2;
    template <class Of>
    static constexpr bool seldom = (Of::threshold && Of::needs) || (Of::needs & (SAT_NEEDS_SQUARES | SAT_NEEDS_PIXEL));

    /* Elements k .. end - 1 to f32: of one output, or of several in a row. */
    template <unsigned AT_ONCE, class... Statistics>
    PRIM_DEVICE void write_reals(const shared &s, const place &p, const thread_elements &t, const row_of_results &row,
                                 const finish::output *o, int32_t k, int32_t end) const
    {
        constexpr unsigned needs = (Statistics::needs | ...);
        constexpr int n = sizeof...(Statistics);
        const int32_t step = (int32_t)threads * stride();
        float *to[n];
#pragma unroll
        for (int i = 0; i < n; i++) to[i] = first_at<float>(o[i], p, t, row);
#pragma unroll AT_ONCE
        for (; k < end; k++) {
            sums<Sum> w = window_at<true>(s, p, t, row, k, 0);
            if constexpr ((needs & SAT_NEEDS_PIXEL) != 0) w.x = pixel_at(s, t, k);
            const moments<double> m = describe<IN_64_BITS>(results, needs, w, row.by);
            int i = 0;
            const auto write = [&](auto statistic) {
                const double v = MASKED ? value_of(statistic, results, o[i], m, row.image)
                                        : whole_value_of(statistic, results, o[i], m, row.image);
                prim::store(to[i++] + k * step, (float)v);
            };
            (write(Statistics()), ...);
        }
    }

    /* Compares the pixels of COUNT elements from k on in f32.  Returns those that are too near to their threshold, a
     * bit for each.  All windows are read before a result is written: loads do not wait for stores. */
    template <class Statistic, unsigned COUNT>
    PRIM_DEVICE uint32_t compare_some(const shared &s, const place &p, const thread_elements &t,
                                      const row_of_results &row, const finish::output &o, const near *parameters,
                                      uint8_t *to, int32_t k) const
    {
        sums<Sum> w[COUNT];
        comparison c[COUNT];
        uint32_t unsure = 0;
#pragma unroll
        for (unsigned i = 0; i < COUNT; i++) {
            w[i] = window_at<true>(s, p, t, row, k + (int32_t)i, 0);
            w[i].x = pixel_at(s, t, k + (int32_t)i);
        }
#pragma unroll
        for (unsigned i = 0; i < COUNT; i++)
            c[i] = compare_roughly<Statistic>(results, parameters, w[i], row.by, row.image);
#pragma unroll
        for (unsigned i = 0; i < COUNT; i++) {
            prim::store(to + (k + (int32_t)i) * (int32_t)threads * stride(), (uint8_t)(c[i].above ? 255 : 0));
            if (!c[i].sure || (MASKED && o.may_be_empty && (double)w[i].n < o.least)) unsure |= 1u << i;
        }
        return unsure << k;
    }
    /* The same of elements k .. end - 1: a thread has RUN elements at most. */
    template <class Statistic>
    PRIM_DEVICE uint32_t compare(const shared &s, const place &p, const thread_elements &t, const row_of_results &row,
                                 const finish::output &o, int32_t k, int32_t end) const
    {
        uint8_t *to = first_at<uint8_t>(o, p, t, row);
        const near parameters[SAT_PARAMETERS] = {o.rough_p[0], o.rough_p[1], o.rough_p[2], o.rough_p[3]};
        uint32_t unsure = 0;
#pragma unroll 1
        for (; k + 4 <= end; k += 4) unsure |= compare_some<Statistic, 4>(s, p, t, row, o, parameters, to, k);
#pragma unroll 1
        for (; k < end; k++) unsure |= compare_some<Statistic, 1>(s, p, t, row, o, parameters, to, k);
        return unsure;
    }

    PRIM_DEVICE void write_row(const shared &s, const place &p, const thread_elements &t, const row_of_results &row,
                               uint32_t &clipped_here) const
    {
#pragma unroll 1
        for (int k = 0; k < results.outputs;) {
            const finish::output *o = &results.of[k];
            const bool fast = row.fast >> k & 1, pair = o->pairs && (row.fast >> k & 3) == 3;
            const int end = k + 1 + pair;
            const int32_t from = fast ? t.inner : 0;
            int32_t to = fast ? t.inner_end : 0;
            if (to > t.count) to = t.count;
            uint32_t unsure = 0;
            if (from < to && pair && POSSIBLE & SAT_NEEDS_VAR) {
                if (o[1].statistic == SAT_STATISTIC_var)
                    write_reals<REALS_AT_ONCE, statistic_mean, statistic_var>(s, p, t, row, o, from, to);
                else
                    write_reals<REALS_AT_ONCE, statistic_mean, statistic_std>(s, p, t, row, o, from, to);
            } else if (from < to && o->is_real) {
                with_possible(o->statistic, [&](auto of) {
                    write_reals<seldom<decltype(of)> ? 1 : REALS_AT_ONCE, decltype(of)>(s, p, t, row, o, from, to);
                });
            } else if (from < to) {
                with_possible(o->statistic, [&](auto of) {
                    if constexpr (decltype(of)::threshold) unsure = compare<decltype(of)>(s, p, t, row, *o, from, to);
                });
            }
            if (unsure == 0 && from == 0 && to == t.count) {
                k = end;
                continue;
            }
#pragma unroll 1
            for (; k < end; k++)
#pragma unroll 1
                for (int32_t i = 0; i < t.count; i++)
                    if (i < from || i >= to || (unsure >> i & 1))
                        write_any(s, p, t, row, results.of[k], i, clipped_here);
        }
    }

    PRIM_DEVICE void search(const shared &s, const place &p, const thread_elements &t, const row_of_results &row,
                            extremes &seen) const
    {
#pragma unroll 1
        for (int32_t k = 0; k < t.count; k++) {
            const int32_t e = t.first + k * (int32_t)threads, pixel = e / (int32_t)CHANNELS;
            sums<Sum> w = window_at<false>(s, p, t, row, k, e);
            w.x = pixel_at(s, t, k);
            const bool counts = (!mask || prim::load(lines::mask_at(p, row.y) + pixel)) &&
                                !(has_nodata && (double)w.x == (double)nodata - (double)bias);
            const moments<double> m = describe(results, SAT_NEEDS_VAR & POSSIBLE, w, row.by);
            if (counts) join(seen, {m.x, 0});
            if (m.n >= results.of[0].least) join(seen, {seen.low, m.var});
        }
    }

    /* ---- a block ---- */

    PRIM_HOST_DEVICE static int32_t misalignment(int32_t first)
    {
        const int32_t rest = first % (int32_t)lines::ALIGNMENT;
        return rest < 0 ? rest + (int32_t)lines::ALIGNMENT : rest;
    }

    PRIM_DEVICE place find_place(shared &s) const
    {
        const int32_t elements = x.n * (int32_t)CHANNELS;
        int64_t block = prim::block_id();
        const int32_t segment = (int32_t)(block % segments);
        block /= segments;
        /* The first strip, the last one, the others: those at the edges take longest. */
        int32_t number = (int32_t)(block % strips);
        if (number > 0) number = number == 1 ? strips - 1 : number - 1;
        const int32_t begin = number * strip;
        block /= strips;
        const int32_t first = begin - x.before * (int32_t)CHANNELS;
        place p = {lines::find_columns(s.gathered, block / stride(), (int32_t)(block % stride()),
                                       first - misalignment(first))};
        p.begin = begin;
        p.end = begin + strip < elements ? begin + strip : elements;
        const int32_t top = segment * rows, bottom = top + rows;
        p.top = top < first_row ? first_row : top;
        p.bottom = bottom < end_row ? bottom : end_row;
        return p;
    }

    /* Sums the rows of the first window. */
    PRIM_DEVICE void add_first_rows(shared &s, const place &p, bool gathers, column_sums &sums) const
    {
        constexpr int32_t AT_ONCE = lines::AT_ONCE;
#pragma unroll 1
        for (int32_t row = p.top - y.before; row <= p.top + y.after; row += AT_ONCE) {
            int32_t from[AT_ONCE];
            line l[AT_ONCE];
#pragma unroll
            for (int32_t i = 0; i < AT_ONCE; i++) from[i] = row + i <= p.top + y.after ? lines::source_of(row + i) : -1;
#pragma unroll
            for (int32_t i = 0; i < AT_ONCE; i++) l[i] = lines::load(p, from[i]);
            if (gathers) {
                lines::gather(s.gathered, p, from);
                sync(); /* gathered */
#pragma unroll
                for (int32_t i = 0; i < AT_ONCE; i++) lines::take(s.gathered, p, (unsigned)i, l[i]);
                sync(); /* taken */
            }
#pragma unroll
            for (int32_t i = 0; i < AT_ONCE; i++) add(sums, l[i]);
        }
    }

    PRIM_DEVICE void operator()(shared &s) const
    {
        const place p = find_place(s);
        const thread_elements t = elements_of_thread(p);
        const bool gathers = lines::gathers(p), pixels = found || results.needs_pixel;
        column_sums sums = {};
        uint32_t clipped_here = 0;
        extremes seen = no_extremes();
        row_of_results now = {p.top};
        line enter, leave, own = {};
        if (image) now.image = {prim::load(&image[p.image].low), prim::load(&image[p.image].most)};
        sync(); /* sources of columns are stored */
        add_first_rows(s, p, gathers, sums);
        if (pixels) own = lines::template load<false>(p, p.top);
        if (pixels && gathers) {
            lines::gather(s.gathered, p, {p.top});
            sync(); /* gathered */
            lines::template take<false>(s.gathered, p, 0, own);
            sync(); /* taken */
        }
        for (; now.y < p.bottom; now.y++) {
            const bool more = now.y + 1 < p.bottom;
            set_covered(now, clips ? (int32_t)box::covered(y, now.y) : whole_rows);
            if (pixels) store_pixels(s, p, own);
            if (more) {
                const int32_t from[] = {lines::source_of(now.y + 1 + y.after), lines::source_of(now.y - y.before),
                                        pixels ? now.y + 1 : -1};
                enter = lines::load(p, from[0]);
                leave = lines::load(p, from[1]);
                if (pixels) own = lines::template load<false>(p, from[2]);
                if (gathers) lines::gather(s.gathered, p, from);
            }
            store_prefixes(s, p, sums);
            sync(); /* prefix sums, pixels and what was gathered are stored */
            if (found) {
                search(s, p, t, now, seen);
            } else {
                write_row(s, p, t, now, clipped_here);
            }
            if (more && gathers) {
                lines::take(s.gathered, p, 0, enter);
                lines::take(s.gathered, p, 1, leave);
                if (pixels) lines::template take<false>(s.gathered, p, 2, own);
            }
            sync(); /* all have read them */
            if (more) slide(sums, enter, leave);
        }
        if (found) store_extremes(found + (uint64_t)prim::block_id() * WARPS, seen);
        add_clipped(clipped, clipped_here);
    }
};

} // namespace window
#endif
