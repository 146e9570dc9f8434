/* window_strip.cuh - window statistics of integers: sums of columns that slide down strips (window.cu). */
#ifndef WINDOW_STRIP_CUH
#define WINDOW_STRIP_CUH

#include "box/box_axis.cuh"
#include "prim/block_scan.cuh"
#include "prim/warp_scan.cuh"
#include "tuning.cuh"
#include "window/window_extremes.cuh"

namespace window
{

/* Sample: of as many bytes, without a sign.  Sum: holds the sum of squares of a window, modulo its range.  CHANNELS:
 * that lie side by side in a strip.  MASKED: some samples may not count.  WARPS: of a block. */
template <class Sample, class Sum, unsigned CHANNELS, bool MASKED, unsigned WARPS> struct strip_kernel {
    static constexpr unsigned RUN = tuning::window_run(CHANNELS), threads = WARPS * prim::WARP,
                              ELEMENTS = threads * RUN;
    static constexpr int min_blocks = tuning::window_blocks(WARPS, sizeof(Sum), MASKED);
    static constexpr unsigned channels = CHANNELS;
    static_assert(RUN % CHANNELS == 0 && RUN % 4 == 0 && RUN <= 32);

    /* A lane's samples of a row, in words, and loads of UNIT words. */
    static constexpr unsigned PER = 4 / (unsigned)sizeof(Sample), WORDS = RUN / PER;
    static constexpr unsigned UNIT = WORDS % 4 == 0 ? 4 : WORDS % 2 == 0 ? 2 : 1, ALIGNMENT = UNIT * PER;
    using unit = prim::vec<uint32_t, UNIT>;
    static constexpr unsigned MASK_WORDS = MASKED ? RUN / 4 : 1;
    static constexpr bool MASK_VECTORS = CHANNELS == 1 && RUN % 16 == 0;

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
        prim::array<int32_t, ELEMENTS> sources; /* the element of a row that each column repeats; -1: none */
        prim::array<Sum, WARPS> totals[2];
        prim::array<uint32_t, WARPS> total_count;
    };

    const Sample *in;
    const uint8_t *mask;                                            /* NULL: all */
    int64_t in_pitch, in_image_pitch, mask_pitch, mask_image_pitch; /* samples; px */
    box::axis x, y;
    int32_t strips, strip, rows, segments; /* elements of a strip, rows of a segment */
    int32_t stride;                        /* samples from one element to the next: the image's channels, or 1 */
    bool wide, wide_mask;                  /* all rows are aligned to units; of masks to 16 bytes */
    uint32_t bias;                         /* what is added to samples that may be below zero */
    bool has_nodata, takes_value;
    bool clips_x;                      /* windows cover fewer columns at the edges */
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
    /* A lane's samples of a row, with the bias, and its part of the mask.  Positions outside the image, where the
     * border mode names no sample for them, are 0 in both. */
    struct line {
        uint32_t samples[WORDS], mask[MASK_WORDS];
    };
    /* What a block works on. */
    struct place {
        int64_t image;
        int32_t channel; /* of the image, where strips hold one of several */
        int32_t begin, end, left, top, bottom;
        unsigned own; /* the lane's first column */
        bool direct;  /* all of its columns are the image's own, and aligned */
    };

    PRIM_DEVICE uint32_t biases() const
    {
        return bias * (sizeof(Sample) == 1 ? 0x01010101u : sizeof(Sample) == 2 ? 0x00010001u : 1u);
    }
    PRIM_DEVICE static uint32_t sample(const line &l, unsigned i)
    {
        if constexpr (sizeof(Sample) == 1) return prim::permute_bytes(l.samples[i / PER], 0, 0x4440 + i % PER);
        return l.samples[i / PER] >> i % PER * 8 * (unsigned)sizeof(Sample) & (uint32_t)(Sample)~0;
    }
    PRIM_DEVICE static bool masked_in(const line &l, unsigned i) { return (l.mask[i / 4] >> i % 4 * 8 & 0xff) != 0; }

    /* ---- rows ---- */

    static constexpr int32_t AT_ONCE = 4, /* rows of a first window that are loaded before they are added */
        OUTSIDE = -(1 << 30);             /* no row */

    PRIM_DEVICE line load(const shared &s, const place &p, int32_t row) const
    {
        line l;
        const int32_t from = row < -y.halo || row > y.n + y.after ? -1 : box::border_index(y, row);
#pragma unroll
        for (unsigned w = 0; w < WORDS; w++) l.samples[w] = 0;
#pragma unroll
        for (unsigned w = 0; w < MASK_WORDS; w++) l.mask[w] = 0;
        if (from < 0) return l;
        const Sample *samples = in + p.image * in_image_pitch + from * in_pitch + p.channel;
        const uint8_t *counting = mask ? mask + p.image * mask_image_pitch + from * mask_pitch : nullptr;
        const int32_t first = p.left + (int32_t)p.own;
        if (p.direct) {
#pragma unroll
            for (unsigned w = 0; w < WORDS; w += UNIT) {
                const unit u = prim::load(reinterpret_cast<const unit *>(samples + first + w * PER));
#pragma unroll
                for (unsigned i = 0; i < UNIT; i++) l.samples[w + i] = u.at[i] ^ biases();
            }
            if (!MASKED) return l;
            if (counting == nullptr) {
#pragma unroll
                for (unsigned w = 0; w < MASK_WORDS; w++) l.mask[w] = 0x01010101u;
                return l;
            }
            if constexpr (MASKED && MASK_VECTORS)
                if (wide_mask) {
#pragma unroll
                    for (unsigned w = 0; w < MASK_WORDS; w += 4) {
                        const auto u =
                            prim::load(reinterpret_cast<const prim::vec<uint32_t, 4> *>(counting + first + 4 * w));
#pragma unroll
                        for (unsigned i = 0; i < 4; i++) l.mask[w + i] = u.at[i];
                    }
                    return l;
                }
        }
#pragma unroll
        for (unsigned i = 0; i < RUN; i++) {
            const int32_t e = s.sources.get(p.own + i);
            if (e < 0) continue;
            constexpr unsigned BITS = 8 * (unsigned)sizeof(Sample);
            const unsigned shift = i % PER * BITS;
            if (!p.direct)
                l.samples[i / PER] |= (uint32_t)(Sample)(prim::load(samples + (int64_t)e * stride) ^ bias) << shift;
            if constexpr (MASKED)
                l.mask[i / 4] |= (counting == nullptr || prim::load(counting + e / (int32_t)CHANNELS) != 0)
                                 << i % 4 * 8;
        }
        return l;
    }

    struct one {
        uint32_t x, counts;
    };
    PRIM_DEVICE one sample_of(const line &l, unsigned i) const
    {
        const uint32_t x = sample(l, i);
        if constexpr (!MASKED) {
            return {x, 1};
        } else {
            const bool counts = masked_in(l, i) && !(has_nodata && x == nodata);
            return {counts ? x : 0, counts};
        }
    }

    PRIM_DEVICE void add(column_sums &sums, const line &enter) const
    {
#pragma unroll
        for (unsigned i = 0; i < RUN; i++) {
            const one e = sample_of(enter, i);
            sums.s1[i] += e.x;
            sums.s2[i] += (Sum)e.x * e.x;
            if constexpr (MASKED) sums.n[i] += e.counts;
        }
    }
    PRIM_DEVICE void slide(column_sums &sums, const line &enter, const line &leave) const
    {
#pragma unroll
        for (unsigned i = 0; i < RUN; i++) {
            const one e = sample_of(enter, i), l = sample_of(leave, i);
            sums.s1[i] += (Sum)e.x - (Sum)l.x;
            sums.s2[i] += (Sum)e.x * e.x - (Sum)l.x * l.x;
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

    /* The sum of v over all threads before this one. */
    template <class T> PRIM_DEVICE static T before_thread(prim::array<T, WARPS> &totals, T v)
    {
        const T inclusive = prim::warp_scan_inclusive(v);
        T exclusive = inclusive - v;
        if constexpr (WARPS > 1)
            exclusive += prim::block_scan_exclusive(totals, prim::shuffle(inclusive, prim::WARP - 1)).exclusive;
        return exclusive;
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
            s1[c] = before_thread(s.totals[0], s1[c]);
            s2[c] = before_thread(s.totals[1], s2[c]);
            if constexpr (MASKED) n[c] = before_thread(s.total_count, n[c]);
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
        unsigned pair_low, pair_high, count_low, count_high;
        int32_t first, count;
        int32_t inner, inner_end; /* of all threads: numbers of elements whose windows cover as many columns as any */
    };
    PRIM_DEVICE thread_elements elements_of_thread(const place &p) const
    {
        const int32_t first = p.begin + (int32_t)prim::thread_id(), T = (int32_t)threads;
        const unsigned column = (unsigned)(first - p.left), low = column - (unsigned)x.before * CHANNELS,
                       high = column + (unsigned)(x.after + 1) * CHANNELS;
        thread_elements t = {pair_at(low), pair_at(high), count_at(low), count_at(high), first};
        t.count = (p.end - first + T - 1) / T;
        t.inner_end = (p.end - p.begin + T - 1) / T;
        if (clips_x) {
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
        extremes image;
    };

    /* The window of the thread's element number k, e.  INNER: it covers as many columns as any. */
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

    PRIM_DEVICE typename sums<Sum>::pixel pixel_at(const place &p, int32_t y, int32_t e) const
    {
        const Sample *samples = in + p.image * in_image_pitch + y * in_pitch + p.channel;
        const uint32_t x = prim::load(samples + (int64_t)e * stride) ^ bias;
        if constexpr (sizeof(Sample) < 4) return (typename sums<Sum>::pixel)((int32_t)x - (int32_t)bias);
        return (typename sums<Sum>::pixel)((int64_t)x - (int64_t)bias);
    }

    /* Any result of element number k. */
    PRIM_DEVICE void write_any(const shared &s, const place &p, const thread_elements &t, const row_of_results &row,
                               const finish::output &o, int32_t k, uint32_t &clipped_here) const
    {
        const int32_t e = t.first + k * (int32_t)threads;
        sums<Sum> w = window_at<false>(s, p, t, row, k, e);
        if (o.needs & SAT_NEEDS_PIXEL) w.x = pixel_at(p, row.y, e);
        const moments<double> m = describe(results, o.needs, w, row.by);
        double v = 0;
        with_statistic(o.statistic, [&](auto statistic) { v = value_of(statistic, results, o, m, row.image); });
        store(o, row_at(o, p, row), (int64_t)e * stride + p.channel, m.x, v, clipped_here);
    }
    PRIM_DEVICE static char *row_at(const finish::output &o, const place &p, const row_of_results &row)
    {
        return o.to + p.image * o.image_bytes + row.y * o.row_bytes;
    }

    /* Elements k .. end - 1 to f32. */
    template <class Statistic>
    PRIM_DEVICE void write_reals(const shared &s, const place &p, const thread_elements &t, const row_of_results &row,
                                 const finish::output &o, int32_t k, int32_t end) const
    {
        float *to = (float *)row_at(o, p, row) + (int64_t)t.first * stride + p.channel;
        const int32_t step = (int32_t)threads * stride;
#pragma unroll 4
        for (; k < end; k++) {
            const int32_t e = t.first + k * (int32_t)threads;
            sums<Sum> w = window_at<true>(s, p, t, row, k, e);
            if constexpr ((Statistic::needs & SAT_NEEDS_PIXEL) != 0) w.x = pixel_at(p, row.y, e);
            const moments<double> m = describe(results, Statistic::needs, w, row.by);
            const double v = MASKED ? value_of(Statistic(), results, o, m, row.image)
                                    : whole_value_of(Statistic(), results, o, m, row.image);
            prim::store(to + k * step, (float)v);
        }
    }

    /* Compares the pixels of elements k .. end - 1 in f32.  Returns those that are too near to their threshold, a bit
     * for each: a thread has RUN elements at most. */
    template <class Statistic>
    PRIM_DEVICE uint32_t compare(const shared &s, const place &p, const thread_elements &t, const row_of_results &row,
                                 const finish::output &o, int32_t k, int32_t end) const
    {
        uint8_t *to = (uint8_t *)row_at(o, p, row) + (int64_t)t.first * stride + p.channel;
        const int32_t step = (int32_t)threads * stride;
        uint32_t unsure = 0;
#pragma unroll 2
        for (; k < end; k++) {
            const int32_t e = t.first + k * (int32_t)threads;
            sums<Sum> w = window_at<true>(s, p, t, row, k, e);
            w.x = pixel_at(p, row.y, e);
            const comparison c = compare_roughly<Statistic>(results, o, w, row.by, row.image);
            if (c.sure && !(MASKED && o.may_be_empty && (double)w.n < o.least))
                prim::store(to + k * step, (uint8_t)(c.above ? 255 : 0));
            else
                unsure |= 1u << k;
        }
        return unsure;
    }

    PRIM_DEVICE void write_row(const shared &s, const place &p, const thread_elements &t, const row_of_results &row,
                               uint32_t &clipped_here) const
    {
        /* Windows of border values do not end at an edge. */
        const bool inner = !takes_value || row.covered == whole_rows;
#pragma unroll 1
        for (int k = 0; k < results.outputs; k++) {
            const finish::output &o = results.of[k];
            /* Without a mask, all of a row's inner windows hold equally many samples. */
            const bool empty = !MASKED && o.may_be_empty && row.by.n < o.least;
            const bool fast = inner && !empty && (o.is_rough || o.is_real);
            const int32_t from = fast ? t.inner : 0;
            int32_t to = fast ? t.inner_end : 0;
            if (to > t.count) to = t.count;
            uint32_t unsure = 0;
            if (from < to && o.is_real) {
                with_statistic(o.statistic, [&](auto of) { write_reals<decltype(of)>(s, p, t, row, o, from, to); });
            } else if (from < to) {
                with_statistic(o.statistic,
                               [&](auto of) { unsure = compare<decltype(of)>(s, p, t, row, o, from, to); });
            }
            if (unsure == 0 && from == 0 && to == t.count) continue;
#pragma unroll 1
            for (int32_t i = 0; i < t.count; i++)
                if (i < from || i >= to || (unsure >> i & 1)) write_any(s, p, t, row, o, i, clipped_here);
        }
    }

    PRIM_DEVICE void search(const shared &s, const place &p, const thread_elements &t, const row_of_results &row,
                            extremes &seen) const
    {
#pragma unroll 1
        for (int32_t k = 0; k < t.count; k++) {
            const int32_t e = t.first + k * (int32_t)threads, pixel = e / (int32_t)CHANNELS;
            sums<Sum> w = window_at<false>(s, p, t, row, k, e);
            w.x = pixel_at(p, row.y, e);
            const bool counts =
                (!mask || prim::load(mask + p.image * mask_image_pitch + row.y * mask_pitch + pixel) != 0) &&
                !(has_nodata && (double)w.x == (double)nodata - (double)bias);
            const moments<double> m = describe(results, SAT_NEEDS_VAR, w, row.by);
            if (counts) join(seen, {m.x, 0});
            if (m.n >= results.of[0].least) join(seen, {seen.low, m.var});
        }
    }

    /* ---- a block ---- */

    PRIM_HOST_DEVICE static int32_t misalignment(int32_t first)
    {
        const int32_t rest = first % (int32_t)ALIGNMENT;
        return rest < 0 ? rest + (int32_t)ALIGNMENT : rest;
    }

    PRIM_DEVICE place find_place(shared &s) const
    {
        const int32_t elements = x.n * (int32_t)CHANNELS;
        int64_t block = prim::block_id();
        place p;
        const int32_t segment = (int32_t)(block % segments);
        block /= segments;
        p.begin = (int32_t)(block % strips) * strip;
        block /= strips;
        p.channel = (int32_t)(block % stride);
        p.image = block / stride;
        p.end = p.begin + strip < elements ? p.begin + strip : elements;
        p.top = segment * rows;
        p.bottom = p.top + rows < y.n ? p.top + rows : y.n;
        const int32_t first = p.begin - x.before * (int32_t)CHANNELS;
        p.left = first - misalignment(first);
        p.own = prim::thread_id() * RUN;
        const int32_t own = p.left + (int32_t)p.own;
        p.direct = wide && own >= 0 && own + (int32_t)RUN <= elements;
#pragma unroll
        for (unsigned i = 0; i < RUN; i++) {
            /* C rounds towards zero: a multiple of the channels first makes the element positive. */
            const int32_t e = own + (int32_t)i, shift = x.halo * (int32_t)CHANNELS;
            const int32_t pixel = (e + shift) / (int32_t)CHANNELS - x.halo, channel = e - pixel * (int32_t)CHANNELS;
            const int32_t to = e + shift < 0 || pixel > x.n + x.after ? -1 : box::border_index(x, pixel);
            s.sources.set(p.own + i, to < 0 ? -1 : to * (int32_t)CHANNELS + channel);
        }
        return p;
    }

    PRIM_DEVICE void operator()(shared &s) const
    {
        const place p = find_place(s); /* each lane reads its own columns' sources alone */
        const thread_elements t = elements_of_thread(p);
        column_sums sums = {};
        uint32_t clipped_here = 0;
        extremes seen = no_extremes();
        row_of_results now = {p.top, 0, 0, {}, {}};
        if (image) now.image = {prim::load(&image[p.image].low), prim::load(&image[p.image].most)};
        for (int32_t row = p.top - y.before; row <= p.top + y.after; row += AT_ONCE) {
            line l[AT_ONCE];
#pragma unroll
            for (int32_t i = 0; i < AT_ONCE; i++) l[i] = load(s, p, row + i <= p.top + y.after ? row + i : OUTSIDE);
#pragma unroll
            for (int32_t i = 0; i < AT_ONCE; i++) add(sums, l[i]);
        }
        for (; now.y < p.bottom; now.y++) {
            const bool more = now.y + 1 < p.bottom;
            line enter, leave;
            if (more) {
                enter = load(s, p, now.y + 1 + y.after);
                leave = load(s, p, now.y - y.before);
            }
            const int32_t covered = prim::load(y.covered + now.y);
            if (covered != now.covered) {
                now.covered = covered;
                now.n = takes_value ? (Sum)area : (Sum)covered * (Sum)whole_columns;
                now.by = divisors_of(results, (double)now.n);
            }
            store_prefixes(s, p, sums);
            sync(); /* the prefix sums are stored */
            if (found) {
                search(s, p, t, now, seen);
                store_extremes(found + (uint64_t)prim::block_id() * WARPS, seen);
            } else {
                write_row(s, p, t, now, clipped_here);
            }
            sync(); /* all have read them */
            if (more) slide(sums, enter, leave);
        }
        add_clipped(clipped, clipped_here);
    }
};

} // namespace window
#endif
