/* box_wide_rows.cuh - window sums that slide down, from prefix sums of what enters and leaves; a part of box_wide.cu.
 */
#ifndef BOX_WIDE_ROWS_CUH
#define BOX_WIDE_ROWS_CUH

#include "box/box_divide.cuh"
#include "box/box_wide_sums.cuh"
#include "prim/warp_scan.cuh"

namespace box
{

/* Positions [begin, end) of an axis, which a window holds `weight` times.  more: so it does those of the next run. */
struct alignas(16) wide_run {
    int32_t begin, end, weight, more;
};

/* How the sums of a row's windows become means, where they hold as many columns as they can. */
struct alignas(16) wide_mean {
    double reciprocal; /* of the area: to nearest for results of f32, else rounded up */
    uint32_t multiplier, shift;
};

/* The rows of the image that enter and leave the windows of a row; -1: none. */
struct alignas(8) wide_step {
    int32_t enter, leave;
};

template <class Sample, class Result, unsigned CHANNELS, unsigned BLOCK_WARPS> struct wide_rows {
    using sample_type = Sample;
    using result_type = Result;
    static constexpr bool REAL = std::is_same_v<Result, float>;
    using Sum = std::conditional_t<sizeof(Sample) == 1, uint32_t, uint64_t>;
    static constexpr unsigned WARPS = BLOCK_WARPS, threads = WARPS * prim::WARP;
    static constexpr int min_blocks = tuning::box_wide_blocks(WARPS, CHANNELS, sizeof(Sample));

    /* A lane has PARTS times UNIT neighbouring columns, of all channels alike; those of a warp's lanes lie side by side
     * in each part. */
    static constexpr unsigned UNIT = CHANNELS == 3 ? 12 : 4, QUADS = UNIT / QUAD,
                              PARTS = UNIT == 4 ? tuning::BOX_WIDE_PARTS : 1;
    static constexpr unsigned PART = prim::WARP * UNIT, SECTION = PARTS * PART, ELEMENTS = WARPS * SECTION;
    static constexpr unsigned RESULTS = ELEMENTS / threads; /* of a thread */
    /* Positions beyond the image whose place is kept: two for each thread, less those of the totals, with which a block
     * would need more than Turing's 64 KiB of shared memory. */
    static constexpr unsigned KEPT = 2 * threads - (WARPS * CHANNELS + 3) / 4;

    /* Positions of a row's prefix sums: the columns, and what windows reach beyond the image. */
    static constexpr unsigned HALO = tuning::box_wide_halo(WARPS), POSITIONS = ELEMENTS + HALO;

    /* A position of the halo, in a row of prefix sums: to = from + weight * (end - begin). */
    struct alignas(16) halo_run {
        uint32_t to, from, ends, weight; /* ends: begin and end, 16 bits each */
    };

    struct shared {
        alignas(16) prim::array<uint32_t, POSITIONS> prefixes; /* of a row: the sum of the columns before each */
        alignas(16) prim::array<halo_run, KEPT> beyond;        /* of the halo's first positions */
        prim::array<uint32_t, WARPS * CHANNELS> totals;        /* of the row: the sums of the warps' sections */
    };
    static_assert(sizeof(shared) <= 64 << 10);

    const Sample *in;
    Result *out;
    const uint32_t *above; /* column sums of all rows above each group (scan_groups) */
    int64_t in_image_pitch, out_pitch, out_image_pitch, above_pitch, above_image_pitch;
    uint32_t in_row_bytes, in_row_over; /* from a row to the next: bytes, and 2^32 of them */
    axis x, y;
    const wide_run *first_windows; /* SAT_SEGMENTS for each segment: groups of rows */
    const wide_run *beyond;        /* SAT_SEGMENTS for each pixel beyond the image, up to the reach of windows */
    const wide_mean *means;        /* of each row */
    const wide_step *steps;        /* of each row */
    int32_t strip, rows;           /* elements of a strip, rows of a segment */
    uint32_t lead;                 /* x.before * CHANNELS, up to a multiple of a quad */
    uint32_t image_blocks;
    quad<Sample> border[QUADS]; /* border values, or zeros */
    uint32_t value[CHANNELS];
    bool wide; /* all rows are aligned to four samples, and less than 2^32 bytes apart */
    bool shrinks, takes_value;
    bool single_runs; /* all positions beyond the image have one run each */

    /* ---- rows of samples ------------------------------------------------------------------------------- */

    using line = quad<Sample>[PARTS][QUADS];
    struct columns {
        int32_t first;     /* element of the image */
        bool whole;        /* all columns of all lanes lie in the image, and are aligned */
        const uint8_t *at; /* of its first row */
    };

    PRIM_DEVICE void load_line(line &r, const columns &m, int32_t row) const
    {
        const uint8_t *bytes = m.at + (uint64_t)(uint32_t)row * in_row_bytes; /* row >= 0 */
        if (row >= 0 && m.whole) {
            const Sample *samples = reinterpret_cast<const Sample *>(bytes);
#pragma unroll
            for (unsigned p = 0; p < PARTS; p++)
#pragma unroll
                for (unsigned q = 0; q < QUADS; q++)
                    r[p][q] = prim::load(reinterpret_cast<const quad<Sample> *>(samples + p * PART + q * QUAD));
            return;
        }
        bytes += (uint64_t)((uint32_t)row * in_row_over) << 32;
        const Sample *samples = reinterpret_cast<const Sample *>(bytes);
        const int32_t count = x.n * (int32_t)CHANNELS - m.first;
#pragma unroll
        for (unsigned p = 0; p < PARTS; p++)
#pragma unroll
            for (unsigned q = 0; q < QUADS; q++) {
                const int32_t at = (int32_t)(p * PART + q * QUAD);
                r[p][q] = row < 0 ? border[q] : gather_quad(samples, at, count - at);
            }
    }

    /* What a row of windows gains: the columns of the row that enters less those of the row that leaves. */
    struct difference {
        /* The sums of the columns of one part and channel, of either sign, fit 16 bits. */
        static constexpr bool small = sizeof(Sample) == 1;
        line enter, leave;

        PRIM_DEVICE uint32_t add(unsigned p, unsigned i, uint32_t sum) const
        {
            return subtract_sample(leave[p][i / QUAD], i % QUAD, add_sample(enter[p][i / QUAD], i % QUAD, sum));
        }
        /* The sum of a unit's columns in one channel. */
        PRIM_DEVICE uint32_t sum(unsigned p, unsigned channel) const
        {
            uint32_t sum = 0;
            if constexpr (sizeof(Sample) == 1) {
#pragma unroll
                for (unsigned q = 0; q < QUADS; q++) {
                    unsigned which = 0;
                    for (unsigned i = 0; i < QUAD; i++) which |= (q * QUAD + i) % CHANNELS == channel ? 1u << i : 0;
                    sum = prim::add_bytes(enter[p][q].at[0], which, sum);
                    sum = prim::subtract_bytes(leave[p][q].at[0], which, sum);
                }
            } else {
#pragma unroll
                for (unsigned i = 0; i < UNIT / CHANNELS; i++) sum = add(p, i * CHANNELS + channel, sum);
            }
            return sum;
        }
    };

    PRIM_DEVICE void load_rows(difference &d, const columns &m, const wide_step &from) const
    {
        load_line(d.enter, m, from.enter);
        load_line(d.leave, m, from.leave);
    }

    /* The columns of a first row of windows, or 16 bits of each. */
    struct first_row {
        static constexpr bool small = false;
        uint32_t at[PARTS][UNIT];

        PRIM_DEVICE uint32_t add(unsigned p, unsigned i, uint32_t sum) const { return sum + at[p][i]; }
        PRIM_DEVICE uint32_t sum(unsigned p, unsigned channel) const
        {
            uint32_t sum = 0;
#pragma unroll
            for (unsigned i = 0; i < UNIT / CHANNELS; i++) sum += at[p][i * CHANNELS + channel];
            return sum;
        }
    };

    PRIM_DEVICE void sum_first_row(first_row &r, const uint32_t *sums, const columns &m, int32_t segment) const
    {
        const int32_t count = x.n * (int32_t)CHANNELS - m.first, top = segment * rows;
        const uint32_t height = (uint32_t)(y.before + 1 + y.after), beyond = takes_value ? height - covered(y, top) : 0;
#pragma unroll
        for (unsigned p = 0; p < PARTS; p++)
#pragma unroll
            for (unsigned i = 0; i < UNIT; i++) r.at[p][i] = beyond * value[i % CHANNELS];
        const wide_run *next = first_windows + (int64_t)segment * SAT_SEGMENTS;
        wide_run run;
        do {
            run = prim::load(next++);
            const uint32_t *begin = sums + run.begin * above_pitch + m.first,
                           *end = sums + run.end * above_pitch + m.first;
#pragma unroll
            for (unsigned p = 0; p < PARTS; p++)
#pragma unroll
                for (unsigned i = 0; i < UNIT; i += QUAD) {
                    if ((int32_t)(p * PART + i) >= count) continue;
                    const auto low = prim::load_vector<QUAD>(begin + p * PART + i),
                               high = prim::load_vector<QUAD>(end + p * PART + i);
#pragma unroll
                    for (unsigned k = 0; k < QUAD; k++)
                        r.at[p][i + k] += (uint32_t)run.weight * (high.at[k] - low.at[k]);
                }
        } while (run.more);
    }

    /* ---- prefix sums ----------------------------------------------------------------------------------- */

    /* For each part of a lane, the sum of a section's columns before it. */
    using offsets = uint32_t[PARTS][CHANNELS];

    /* Stores the totals of the warp's section. */
    template <class Row> PRIM_DEVICE static void scan(shared &s, const Row &r, offsets &before)
    {
        constexpr unsigned N = PARTS * CHANNELS;
        uint32_t inclusive[N], total[CHANNELS] = {};
#pragma unroll
        for (unsigned n = 0; n < N; n++)
            inclusive[n] = before[n / CHANNELS][n % CHANNELS] = r.sum(n / CHANNELS, n % CHANNELS);
        if constexpr (Row::small) {
            /* Two sums of 16 bits in a word, the upper one less the borrow of a lower one below zero. */
#pragma unroll
            for (unsigned n = 0; n < N; n += 2) {
                const bool two = n + 1 < N;
                const uint32_t both = prim::warp_scan_inclusive(inclusive[n] + (two ? inclusive[n + 1] << 16 : 0));
                inclusive[n] = (uint32_t)(int32_t)(int16_t)both;
                if (two) inclusive[n + 1] = (uint32_t)((int32_t)(both - inclusive[n]) >> 16);
            }
        } else {
#pragma unroll
            for (unsigned n = 0; n < N; n++) inclusive[n] = prim::warp_scan_inclusive(inclusive[n]);
        }
#pragma unroll
        for (unsigned p = 0; p < PARTS; p++)
#pragma unroll
            for (unsigned c = 0; c < CHANNELS; c++) {
                const uint32_t sum = inclusive[p * CHANNELS + c];
                before[p][c] = total[c] + sum - before[p][c];
                total[c] += prim::shuffle(sum, prim::WARP - 1);
            }
        if (prim::lane_id() == 0)
#pragma unroll
            for (unsigned c = 0; c < CHANNELS; c++) s.totals.set(c * WARPS + prim::warp_id(), total[c]);
    }

    /* Stores the prefix sums of a lane's columns. */
    template <class Row> PRIM_DEVICE void store_prefixes(shared &s, const Row &r, const offsets &before) const
    {
        const unsigned lane = prim::lane_id(), warp = prim::warp_id();
        uint32_t sum[CHANNELS], sections[CHANNELS];
#pragma unroll
        for (unsigned c = 0; c < CHANNELS; c++)
            sections[c] = prim::add_lanes(lane < warp ? s.totals.get(c * WARPS + lane) : 0);
        const unsigned own = lead + warp * SECTION + lane * UNIT;
#pragma unroll
        for (unsigned p = 0; p < PARTS; p++) {
#pragma unroll
            for (unsigned c = 0; c < CHANNELS; c++) sum[c] = sections[c] + before[p][c];
#pragma unroll
            for (unsigned q = 0; q < QUADS; q++) {
                prim::vec<uint32_t, QUAD> v;
#pragma unroll
                for (unsigned i = q * QUAD; i < (q + 1) * QUAD; i++) {
                    v.at[i % QUAD] = sum[i % CHANNELS];
                    sum[i % CHANNELS] = r.add(p, i, sum[i % CHANNELS]);
                }
                s.prefixes.template set_vector<QUAD>(own + p * PART + q * QUAD, v);
            }
        }
        if (warp == WARPS - 1 && lane == prim::WARP - 1)
#pragma unroll
            for (unsigned c = 0; c < CHANNELS; c++) s.prefixes.set(lead + ELEMENTS + c, sum[c]);
    }

    /* ---- beyond the image ------------------------------------------------------------------------------ */

    /* Beyond the image the prefix sums of a row go on, over the samples that the border mode has in their place, to the
     * left with the sign changed. */
    struct halo {
        int32_t left, inside;  /* the strip's first element, and elements up to the right edge */
        int32_t before, count; /* positions on the left, and all; 0 where the strip does not reach the edge */
        int32_t kept;          /* of those, in shared memory */
    };

    /* Run number k of a position. */
    PRIM_DEVICE halo_run run_at(const halo &h, int32_t i, unsigned k, bool *more) const
    {
        const int32_t pixel = i / (int32_t)CHANNELS + (h.before ? 0 : x.before), channel = i % (int32_t)CHANNELS;
        const wide_run run = prim::load(beyond + (int64_t)pixel * SAT_SEGMENTS + k);
        const unsigned first = lead + (unsigned)channel, edge = i < h.before ? 0 : (unsigned)h.inside;
        *more = run.more;
        return {lead + (i < h.before ? 0 : edge + CHANNELS) + (unsigned)(i - h.before), first + edge,
                (first + (unsigned)(run.begin * (int32_t)CHANNELS - h.left)) |
                    (first + (unsigned)(run.end * (int32_t)CHANNELS - h.left)) << 16,
                (uint32_t)run.weight};
    }
    PRIM_DEVICE static uint32_t sum_of(const shared &s, const halo_run &r)
    {
        return r.weight * (s.prefixes.get(r.ends >> 16) - s.prefixes.get(r.ends & UINT16_MAX));
    }

    PRIM_DEVICE halo keep_halo(shared &s, int32_t left) const
    {
        halo h = {.left = left, .inside = x.n * (int32_t)CHANNELS - left};
        h.before = left == 0 ? x.before * (int32_t)CHANNELS : 0;
        h.count = h.before + (h.inside <= (int32_t)ELEMENTS ? x.after * (int32_t)CHANNELS : 0);
        h.kept = !single_runs ? 0 : h.count < (int32_t)KEPT ? h.count : (int32_t)KEPT;
        for (int32_t i = (int32_t)prim::thread_id(); i < h.kept; i += (int32_t)threads) {
            bool more;
            s.beyond.set((unsigned)i, run_at(h, i, 0, &more));
        }
        return h; /* each thread reads what it has stored */
    }

    PRIM_DEVICE void extend_prefixes(shared &s, const halo &h) const
    {
        int32_t i = (int32_t)prim::thread_id();
        if (i < h.kept) {
            const bool two = i + (int32_t)threads < h.kept;
            const halo_run one = s.beyond.get((unsigned)i), other = s.beyond.get((unsigned)i + (two ? threads : 0));
            const uint32_t sum = s.prefixes.get(one.from) + sum_of(s, one),
                           other_sum = s.prefixes.get(other.from) + sum_of(s, other);
            s.prefixes.set(one.to, sum);
            if (two) s.prefixes.set(other.to, other_sum);
        }
        for (i = h.kept + (int32_t)prim::thread_id(); i < h.count; i += (int32_t)threads) {
            bool more = true;
            uint32_t sum = 0;
            for (unsigned k = 0; more; k++) {
                const halo_run r = run_at(h, i, k, &more);
                sum += sum_of(s, r);
                if (!more) s.prefixes.set(r.to, s.prefixes.get(r.from) + sum);
            }
        }
    }

    /* ---- windows --------------------------------------------------------------------------------------- */

    /* The results of a thread: number k is element first + k * threads of each row. */
    struct results {
        int32_t first, end;
        unsigned full;      /* so many results have all threads */
        uint32_t uncut;     /* bit k: no edge cuts windows k of the warp, all of which are there */
        unsigned low, high; /* in a row of prefix sums, the ends of the first one's window */
    };

    PRIM_DEVICE int32_t element(const results &r, unsigned k) const
    {
        return r.first + (int32_t)(k * threads);
    }
    PRIM_DEVICE int32_t pixel(const results &r, unsigned k) const
    {
        return element(r, k) / (int32_t)CHANNELS;
    }

    /* Calls run(k) for each result of the thread, AT_ONCE of them without a branch. */
    template <class Run> PRIM_DEVICE void for_results(const results &r, const Run &run) const
    {
        constexpr unsigned AT_ONCE = 4;
#pragma unroll
        for (unsigned first = 0; first < RESULTS; first += AT_ONCE) {
            if (first + AT_ONCE <= r.full) {
#pragma unroll
                for (unsigned k = first; k < first + AT_ONCE; k++) run(k);
            } else {
#pragma unroll
                for (unsigned k = first; k < first + AT_ONCE; k++)
                    if (element(r, k) < r.end) run(k);
            }
        }
    }

    /* gain(k, what window k gains) */
    template <class Gain> PRIM_DEVICE void gains(const shared &s, const results &r, const Gain &gain) const
    {
        for_results(r, [&](unsigned k) {
            gain(k, s.prefixes.get(r.high + k * threads) - s.prefixes.get(r.low + k * threads));
        });
    }

    /* ---- means ----------------------------------------------------------------------------------------- */

    /* What rounding adds to a sum. */
    PRIM_DEVICE static uint32_t half_of(uint32_t area)
    {
        return REAL ? 0 : area / 2;
    }

    /* sum / area, of a row's area.  The sum of an integer mean has half the area added. */
    PRIM_DEVICE static Result mean_of(Sum sum, const wide_mean &m, uint32_t area)
    {
        if constexpr (REAL)
            return (float)corrected_quotient((double)sum, (double)area, m.reciprocal);
        else if constexpr (sizeof(Sample) == 1)
            return (Result)(prim::high_product(sum, m.multiplier) >> m.shift);
        else
            return (Result)(uint32_t)prim::product((double)sum, m.reciprocal);
    }

    /* The same of any area. */
    PRIM_DEVICE static Result mean_of(Sum sum, uint32_t area)
    {
        if constexpr (REAL)
            return (float)((double)sum / (double)area);
        else
            return (Result)quotient(sum, (Sum)area, prim::divide_approx(1.0f, (float)area));
    }

    PRIM_DEVICE void write(const results &r, const wide_mean &m, int32_t at, const Sum (&sum)[RESULTS],
                           Result *row) const
    {
        const uint32_t height = (uint32_t)(y.before + 1 + y.after), width = (uint32_t)(x.before + 1 + x.after);
        Result *own = row + r.first;
        if (!shrinks) {
            for_results(r, [&](unsigned k) { prim::store(own + k * threads, mean_of(sum[k], m, width * height)); });
            return;
        }
        const uint32_t rows_held = covered(y, at), whole = width * rows_held;
#pragma unroll
        for (unsigned k = 0; k < RESULTS; k++) {
            if (r.uncut >> k & 1) {
                prim::store(own + k * threads, mean_of(sum[k] + half_of(whole), m, whole));
            } else if (element(r, k) < r.end) {
                const uint32_t area = covered(x, pixel(r, k)) * rows_held;
                prim::store(own + k * threads, mean_of(sum[k] + half_of(area), area));
            }
        }
    }

    /* The results of which mean_of() takes the area of a row. */
    PRIM_DEVICE uint32_t uncut(const results &r) const
    {
        uint32_t bits = 0;
#pragma unroll
        for (unsigned k = 0; k < RESULTS; k++) {
            const int32_t at = pixel(r, k);
            if (prim::all(element(r, k) < r.end && at >= x.before && at < x.n - x.after)) bits |= 1u << k;
        }
        return bits;
    }

    /* The sums of the first windows, with what their columns outside the image and rounding add to those of every row.
     */
    PRIM_DEVICE void first_sums(shared &s, const results &r, const columns &m, const uint32_t *sums, int32_t segment,
                                const halo &beyond_edges, Sum (&sum)[RESULTS]) const
    {
        const uint32_t height = (uint32_t)(y.before + 1 + y.after), width = (uint32_t)(x.before + 1 + x.after);
#pragma unroll
        for (unsigned k = 0; k < RESULTS; k++) {
            sum[k] = shrinks ? 0 : half_of(width * height);
            if (takes_value && element(r, k) < r.end)
                sum[k] += (Sum)(width - covered(x, pixel(r, k))) * height * value[element(r, k) % (int32_t)CHANNELS];
        }
        first_row all, half;
        sum_first_row(all, sums, m, segment);
        constexpr unsigned HALVES = sizeof(Sum) / 4;
#pragma unroll
        for (unsigned h = 0; h < HALVES; h++) {
#pragma unroll
            for (unsigned p = 0; p < PARTS; p++)
#pragma unroll
                for (unsigned i = 0; i < UNIT; i++)
                    half.at[p][i] = HALVES == 1 ? all.at[p][i] : all.at[p][i] >> 16 * h & UINT16_MAX;
            offsets before;
            scan(s, half, before);
            prim::block_sync(); /* the totals of the first row are there, and other prefix sums have been read */
            store_prefixes(s, half, before);
            prim::block_sync(); /* the prefix sums of the first row are there */
            if (beyond_edges.count > 0) {
                extend_prefixes(s, beyond_edges);
                prim::block_sync(); /* and those of its halo */
            }
            gains(s, r, [&](unsigned k, uint32_t gained) { sum[k] += (Sum)gained << 16 * h; });
        }
    }

    PRIM_DEVICE void operator()(shared &s) const
    {
        const uint32_t number = prim::block_id() / image_blocks, block = prim::block_id() % image_blocks;
        const int32_t elements = x.n * (int32_t)CHANNELS, segments = (y.n + rows - 1) / rows;
        const int32_t segment = (int32_t)block % segments, begin = (int32_t)block / segments * strip;
        const int32_t end = begin + strip < elements ? begin + strip : elements;
        const int32_t top = segment * rows, bottom = top + rows < y.n ? top + rows : y.n;
        const int32_t reach = (x.before > x.after ? x.before : x.after) * (int32_t)CHANNELS;
        const int32_t left = begin > reach ? (begin - reach) / (int32_t)UNIT * (int32_t)UNIT : 0;
        columns m;
        m.first = left + (int32_t)(prim::warp_id() * SECTION + prim::lane_id() * UNIT);
        m.at = reinterpret_cast<const uint8_t *>(in + (int64_t)number * in_image_pitch + m.first);
        m.whole = prim::all(wide && m.first + (int32_t)((PARTS - 1) * PART + UNIT) <= elements);
        results r = {.first = begin + (int32_t)prim::thread_id(), .end = end};
        r.full = (unsigned)(end - begin) / threads;
        r.uncut = shrinks ? uncut(r) : 0;
        r.low = lead + (unsigned)(r.first - left - x.before * (int32_t)CHANNELS);
        r.high = lead + (unsigned)(r.first - left + (x.after + 1) * (int32_t)CHANNELS);
        Result *to = out + (int64_t)number * out_image_pitch + top * out_pitch;

        const halo h = keep_halo(s, left);
        Sum sum[RESULTS];
        first_sums(s, r, m, above + (int64_t)number * above_image_pitch, segment, h, sum);
        write(r, prim::load(means + top), top, sum, to);

        if (top + 1 == bottom) return;
        difference d;
        offsets before;
        load_rows(d, m, prim::load(steps + top + 1));
        wide_step next = prim::load(steps + (top + 2 < bottom ? top + 2 : top));
        scan(s, d, before);
        for (int32_t at = top + 1;; at++) {
            to += out_pitch;
            const bool ends = at + 1 == bottom;
            const wide_mean mean = prim::load(means + at);
            prim::block_sync(); /* the totals of all warps are there, and the prefix sums have been read */
            store_prefixes(s, d, before);
            if (!ends) load_rows(d, m, next);
            next = prim::load(steps + (at + 2 < bottom ? at + 2 : top));
            prim::block_sync(); /* the prefix sums of the row are there, and the totals have been read */
            if (h.count > 0) {
                extend_prefixes(s, h);
                prim::block_sync(); /* those of its halo are there */
            }
            gains(s, r, [&](unsigned k, uint32_t gained) { sum[k] += (Sum)(int32_t)gained; });
            write(r, mean, at, sum, to);
            if (ends) return;
            scan(s, d, before);
        }
    }
};

} // namespace box
#endif
