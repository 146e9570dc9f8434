/* box_march.cuh - the box filter of integer samples that needs no table; the head of box.cu explains it. */
#ifndef BOX_MARCH_CUH
#define BOX_MARCH_CUH

#include "box_axis.cuh"
#include "box_divide.cuh"
#include "prim/warp_scan.cuh"

namespace box
{

/* How sums over one area become means:
 *
 *     u8     (sum + half) / area = byte number `byte` of the upper word of (sum + half) * multiplier, and those above
 * it, with multiplier = ceil(2^(32 + 8 byte) / area) u16    (sum + half) / area = (sum + half) * multiplier / 2^48,
 * with multiplier = ceil(2^48 / area)
 *
 * The multiplier exceeds the true ratio by less than 1, and the quotient is exact as long as that adds less than 1 /
 * area to it: (sum + half) * area < 2^(32 + 8 byte), or 2^48; and sum + half < 2^8 area, or 2^16 area. */
struct ratio {
    uint64_t multiplier; /* 0: quotient() divides */
    uint32_t half, full; /* full: the window covers all rows that it can */
};

struct divisor {
    uint64_t area; /* of a whole window */
    uint32_t byte;
    bool shrinks;                /* the area is that of the samples which the window covers */
    bool by_column;              /* `column` and `column_half` can be used */
    const ratio *rows;           /* for each row, where the window covers all columns that it can */
    const uint32_t *column;      /* multiplier and half for each element, where it covers all rows that it can; */
    const uint32_t *column_half; /* the first is element -lead, on a multiple of 16 bytes */
};

template <class Sample, unsigned CHANNELS, class Column, class Sum, unsigned RUN, unsigned OWN, int BLOCKS>
struct march {
    using sample_type = Sample;
    static constexpr unsigned WARPS = RUN / OWN, ROWS = WARPS, threads = WARPS * prim::WARP;
    static constexpr int min_blocks = BLOCKS;
    static constexpr unsigned ELEMENTS = prim::WARP * RUN;           /* columns of samples in a strip and its halo */
    static constexpr unsigned GROUP = 16 / (unsigned)sizeof(Column); /* columns in a piece of 16 bytes */
    static constexpr unsigned GROUPS = RUN / GROUP;                  /* pieces of a lane */
    static constexpr unsigned RAW = OWN * (unsigned)sizeof(Sample) / 4, COLUMN = OWN * (unsigned)sizeof(Column) / 4;
    static constexpr unsigned ROW_WORDS = ELEMENTS * (unsigned)sizeof(Column) / 4;
    static constexpr unsigned RUN_WORDS = RUN * (unsigned)sizeof(Sample) / 4;
    static constexpr unsigned STAGE_WORDS = 4 + prim::WARP * RUN_WORDS + 4;
    static constexpr unsigned UNIT = GROUP % CHANNELS ? CHANNELS : 1; /* pieces that begin at the same channel */
    static_assert(GROUPS % UNIT == 0 && RUN % GROUP == 0 && RUN % OWN == 0 && RUN % CHANNELS == 0 &&
                  OWN * sizeof(Sample) % 4 == 0);
    static_assert(GROUPS % 2 == 1, "lanes that read their pieces at the same time meet in no bank");

    static constexpr unsigned LEAD = OWN < 4 ? 4 : OWN;

    using raw = prim::vec<uint32_t, RAW>;
    using piece = prim::vec<uint32_t, 4>;

    struct shared {
        alignas(16) prim::array<uint32_t, ROWS * ROW_WORDS> columns; /* sums of the windows' rows */
        alignas(16) prim::array<uint32_t, WARPS * STAGE_WORDS> results;
        prim::array<int32_t, ELEMENTS> sources;
    };

    const Sample *in;
    Sample *out;
    int64_t in_pitch, out_pitch; /* samples */
    axis x, y;
    divisor mean;
    int32_t strips, strip, rows; /* elements of a strip, rows of a segment */
    uint32_t window;             /* elements: its width times the channels */
    bool wide;                   /* all rows are aligned to OWN samples */
    Sample value[4];             /* what lies beyond the edge, where that is a value */

    /* ---- down the columns ---------------------------------------------------------------------------- */

    struct column_sums {
        uint32_t at[COLUMN];

        PRIM_DEVICE void move(const raw &enter, const raw &leave)
        {
            if constexpr (sizeof(Sample) == 1 && sizeof(Column) == 2) {
#pragma unroll
                for (unsigned w = 0; w < RAW; w++) {
                    at[2 * w] +=
                        prim::permute_bytes(enter.at[w], 0, 0x4140) - prim::permute_bytes(leave.at[w], 0, 0x4140);
                    at[2 * w + 1] +=
                        prim::permute_bytes(enter.at[w], 0, 0x4342) - prim::permute_bytes(leave.at[w], 0, 0x4342);
                }
            } else {
                static_assert(sizeof(Column) == 4);
#pragma unroll
                for (unsigned i = 0; i < OWN; i++) at[i] += sample(enter, i) - sample(leave, i);
            }
        }
    };

    PRIM_DEVICE static uint32_t sample(const raw &r, unsigned i)
    {
        constexpr unsigned PER = 4 / (unsigned)sizeof(Sample);
        return r.at[i / PER] >> i % PER * 8 * (unsigned)sizeof(Sample) & (uint32_t)(Sample)~0;
    }

    /* What a thread knows of its columns.  Where a column is from, if it is not the image's at its place (`sources`):
     * an element of the image's row; COPY + the column of this strip whose sum it repeats; or -1 - channel: the border
     * value. */
    static constexpr int32_t COPY = 1 << 30;
    struct mine {
        int32_t first; /* element */
        bool direct;   /* all in the image, and aligned */
        bool gathers;  /* from sources */
        bool copies;
        raw nothing; /* the border values, or zeros */
    };

    PRIM_DEVICE mine my_columns(shared &s, int32_t left) const
    {
        const unsigned own = prim::thread_id() * OWN;
        const int32_t elements = x.n * (int32_t)CHANNELS, first = left + (int32_t)own;
        mine m = {.first = first, .direct = false, .gathers = false, .copies = false, .nothing = {}};
        m.direct = wide && first >= 0 && first + (int32_t)OWN <= elements;
        const bool beyond = first + (int32_t)OWN <= 0 || first >= elements; /* nobody copies from it */
#pragma unroll
        for (unsigned i = 0; i < OWN; i++) {
            const int32_t e = first + (int32_t)i;
            const int32_t pixel = (e + (int32_t)CHANNELS * x.lead) / (int32_t)CHANNELS - x.lead;
            const int32_t channel = e - pixel * (int32_t)CHANNELS;
            constexpr unsigned PER = 4 / (unsigned)sizeof(Sample);
            m.nothing.at[i / PER] |= (uint32_t)value[channel] << i % PER * 8 * (unsigned)sizeof(Sample);
            if (m.direct) continue;
            const int32_t to = pixel < x.n + x.after ? seen(x, pixel) : -1;
            int32_t source = to < 0 ? -1 - channel : to * (int32_t)CHANNELS + channel;
            if (beyond && source >= left && source >= 0 && source < left + (int32_t)ELEMENTS) {
                source += COPY - left;
                m.copies = true;
            } else if (source >= 0) {
                m.gathers = true;
            }
            s.sources.set(own + i, source);
        }
        return m;
    }

    /* A thread's samples of rows one by one: at the edges, or where rows are not aligned. */
    PRIM_DEVICE void gather(const shared &s, const mine &m, const Sample *(&rows)[ROWS], raw (&r)[ROWS]) const
    {
        constexpr unsigned BITS = 8 * (unsigned)sizeof(Sample), PER = 4 / (unsigned)sizeof(Sample);
#pragma unroll
        for (unsigned k = 0; k < ROWS; k++) r[k] = m.nothing;
#pragma unroll
        for (unsigned i = 0; i < OWN; i++) {
            const int32_t from = s.sources.get(prim::thread_id() * OWN + i);
            if (from < 0 || from >= COPY) continue;
            const uint32_t keep = ~((uint32_t)(Sample)~0 << i % PER * BITS);
#pragma unroll
            for (unsigned k = 0; k < ROWS; k++)
                if (rows[k])
                    r[k].at[i / PER] = (r[k].at[i / PER] & keep) | (uint32_t)prim::load(rows[k] + from)
                                                                       << i % PER * BITS;
        }
    }

    /* Columns beyond the edge, whose sums are those of columns of this strip. */
    PRIM_DEVICE void copy_columns(shared &s, const mine &m) const
    {
        if (!m.copies) return;
        constexpr unsigned PER = 4 / (unsigned)sizeof(Column);
#pragma unroll 1
        for (unsigned k = 0; k < ROWS; k++) {
            const unsigned row = k * ROW_WORDS;
#pragma unroll
            for (unsigned w = 0; w < COLUMN; w++) {
                const unsigned at = prim::thread_id() * COLUMN + w;
                uint32_t word = s.columns.get(row + at);
#pragma unroll
                for (unsigned i = 0; i < PER; i++) {
                    const int32_t from = s.sources.get(at * PER + i);
                    if (from < COPY) continue;
                    const unsigned other = (unsigned)(from - COPY), shift = i * 8 * (unsigned)sizeof(Column);
                    const uint32_t sum = s.columns.get(row + other / PER) >> other % PER * 8 * (unsigned)sizeof(Column);
                    word = (word & ~((uint32_t)(Column)~0 << shift)) | (sum & (uint32_t)(Column)~0) << shift;
                }
                s.columns.set(row + at, word);
            }
        }
    }

    /* Rows at, at + 1, ... at + ROWS - 1, of which `count` are asked for. */
    PRIM_DEVICE void load_rows(const shared &s, const mine &m, int32_t at, int32_t count, raw (&r)[ROWS]) const
    {
        const Sample *rows[ROWS]; /* NULL: beyond the image, and nothing there */
        if (at >= 0 && at + (int32_t)ROWS <= y.n) {
#pragma unroll
            for (unsigned k = 0; k < ROWS; k++) rows[k] = in + (at + (int32_t)k) * in_pitch;
        } else {
            const int32_t lane = (int32_t)prim::lane_id();
            const int32_t from = lane < (int32_t)ROWS && lane < count ? seen(y, at + lane) : -1;
#pragma unroll
            for (unsigned k = 0; k < ROWS; k++) {
                const int32_t row = prim::shuffle(from, k);
                rows[k] = row < 0 ? nullptr : in + row * in_pitch;
            }
        }
#pragma unroll
        for (unsigned k = 0; k < ROWS; k++) {
            r[k] = m.nothing;
            if (m.direct && rows[k]) r[k] = prim::load(reinterpret_cast<const raw *>(rows[k] + m.first));
        }
        if (m.gathers) gather(s, m, rows, r);
    }

    /* ---- along a row --------------------------------------------------------------------------------- */

    PRIM_DEVICE static uint32_t column(const piece &p, unsigned i)
    {
        if constexpr (sizeof(Column) == 2) return i % 2 ? p.at[i / 2] >> 16 : p.at[i / 2] & 0xffff;
        return p.at[i];
    }

    PRIM_DEVICE static uint32_t scaled(uint32_t n, uint64_t multiplier)
    {
        const uint64_t high = (uint64_t)n * (uint32_t)multiplier >> 32;
        if constexpr (sizeof(Sample) == 1) return (uint32_t)high;
        return (uint32_t)((n * (multiplier >> 32) + high) >> 16);
    }

    /* What lies before the first window's end, and before its beginning: their difference is its sum. */
    template <unsigned PHASE>
    PRIM_DEVICE void first_windows(const shared &s, unsigned words, Sum (&sum)[CHANNELS]) const
    {
        const unsigned own = words + prim::lane_id() * (GROUPS * 4);
        const unsigned split = window / GROUP % GROUPS, lanes = window / GROUP / GROUPS;
        Sum total[CHANNELS] = {}, part[CHANNELS] = {};
#pragma unroll 1
        for (unsigned g = 0; g < GROUPS; g += UNIT) {
#pragma unroll
            for (unsigned u = 0; u < UNIT; u++) {
                const piece p = s.columns.template get_vector<4>(own + (g + u) * 4);
                if (g + u == split) {
#pragma unroll
                    for (unsigned c = 0; c < CHANNELS; c++) part[c] = total[c];
#pragma unroll
                    for (unsigned k = 0; k + 1 <= PHASE; k++) part[(u * GROUP + k) % CHANNELS] += column(p, k);
                }
                if constexpr (CHANNELS == 1 && sizeof(Column) == 2) {
#pragma unroll
                    for (unsigned w = 0; w < 4; w++) total[0] = prim::add_halves(p.at[w], total[0]);
                } else {
#pragma unroll
                    for (unsigned k = 0; k < GROUP; k++) total[(u * GROUP + k) % CHANNELS] += column(p, k);
                }
            }
        }
#pragma unroll
        for (unsigned c = 0; c < CHANNELS; c++) {
            const Sum before = prim::warp_scan_inclusive(total[c]) - total[c];
            sum[c] += prim::shuffle(before + part[c], (prim::lane_id() + lanes) % prim::WARP) - before;
        }
    }

    /* Slides all windows that begin at this lane's columns; PHASE = window % GROUP.  means(n, e, m): m[k] = the mean of
     * n[k], the sum of element e + k.  pairs: the byte of two means that go into one word. */
    template <unsigned PHASE, class Means>
    PRIM_DEVICE void slide(shared &s, unsigned words, unsigned stage, Sum (&sum)[CHANNELS], uint32_t pairs,
                           const Means &means) const
    {
        const unsigned last = words + (prim::WARP * GROUPS - 1) * 4;
        unsigned own = words + prim::lane_id() * (GROUPS * 4), end = own + window / GROUP * 4;
        piece next = s.columns.template get_vector<4>(end < last ? end : last);
#pragma unroll 1
        for (unsigned g = 0; g < GROUPS; g += UNIT) {
#pragma unroll
            for (unsigned u = 0; u < UNIT; u++) {
                const piece leave = s.columns.template get_vector<4>(own), now = next;
                own += 4;
                end += 4;
                next = s.columns.template get_vector<4>(end < last ? end : last);
                Sum n[GROUP];
#pragma unroll
                for (unsigned k = 0; k < GROUP; k++) {
                    constexpr unsigned WORD = GROUP;
                    const unsigned c = (u * GROUP + k) % CHANNELS, e = PHASE + k;
                    n[k] = sum[c];
                    sum[c] += (Sum)column(e < WORD ? now : next, e % WORD) - (Sum)column(leave, k);
                }
                uint32_t m[GROUP];
                means(n, (g + u) * GROUP, m);
                if constexpr (sizeof(Sample) == 1) {
#pragma unroll
                    for (unsigned w = 0; w < GROUP / 4; w++) {
                        const uint32_t a = prim::permute_bytes(m[4 * w], m[4 * w + 1], pairs),
                                       b = prim::permute_bytes(m[4 * w + 2], m[4 * w + 3], pairs);
                        s.results.set(stage++, prim::permute_bytes(a, b, 0x5410));
                    }
                } else {
#pragma unroll
                    for (unsigned w = 0; w < GROUP / 2; w++)
                        s.results.set(stage++, prim::permute_bytes(m[2 * w], m[2 * w + 1], 0x5410));
                }
            }
        }
    }

    template <unsigned PHASE>
    PRIM_DEVICE void along(shared &s, unsigned words, int32_t at_y, int32_t first, int32_t begin, int32_t end) const
    {
        const int32_t own = first + (int32_t)(prim::lane_id() * RUN); /* element of this lane's first result */
        const int32_t from = own > begin ? own : begin, upto = own + (int32_t)RUN < end ? own + (int32_t)RUN : end;
        const bool uniform = !mean.shrinks || from >= upto ||
                             (from >= x.before * (int32_t)CHANNELS && upto <= (x.n - x.after) * (int32_t)CHANNELS);
        const ratio whole = prim::load(mean.rows + at_y);
        const bool quick = whole.multiplier && prim::all(uniform);
        /* The warp stages its results so that pieces of 16 bytes there are pieces of 16 bytes of the image, but for the
         * last bits of the address, by which write_row() shifts them. */
        const unsigned offset = (unsigned)((uintptr_t)(out + at_y * out_pitch + first) % 16);
        const unsigned stage = prim::warp_id() * STAGE_WORDS + 4 + offset / 4 + prim::lane_id() * RUN_WORDS;
        const uint32_t select = 0x0040 + 0x0011 * mean.byte;

        Sum sum[CHANNELS];
#pragma unroll
        for (unsigned c = 0; c < CHANNELS; c++) sum[c] = quick ? (Sum)whole.half : 0;
        first_windows<PHASE>(s, words, sum);
        if (quick) {
            slide<PHASE>(s, words, stage, sum, sizeof(Sample) == 1 ? select : 0x0040,
                         [&](const Sum(&n)[GROUP], unsigned, uint32_t(&m)[GROUP]) {
#pragma unroll
                             for (unsigned k = 0; k < GROUP; k++) m[k] = scaled((uint32_t)n[k], whole.multiplier);
                         });
        } else if (mean.by_column && whole.full) {
            const unsigned at = (unsigned)(own + lead((uint32_t)x.before * CHANNELS));
            slide<PHASE>(s, words, stage, sum, select, [&](const Sum(&n)[GROUP], unsigned e, uint32_t(&m)[GROUP]) {
#pragma unroll
                for (unsigned k = 0; k < GROUP; k += 4) {
                    const piece by = prim::load(reinterpret_cast<const piece *>(mean.column + at + e + k)),
                                half = prim::load(reinterpret_cast<const piece *>(mean.column_half + at + e + k));
#pragma unroll
                    for (unsigned i = 0; i < 4; i++) m[k + i] = scaled((uint32_t)n[k + i] + half.at[i], by.at[i]);
                }
            });
        } else {
            const uint32_t rows = (uint32_t)prim::load(y.covered + at_y);
            slide<PHASE>(s, words, stage, sum, 0x0040, [&](const Sum(&n)[GROUP], unsigned e, uint32_t(&m)[GROUP]) {
#pragma unroll
                for (unsigned k = 0; k < GROUP; k++) {
                    const int32_t i = own + (int32_t)(e + k);
                    Sum area = (Sum)mean.area;
                    if (mean.shrinks)
                        area = i >= from && i < upto ? (Sum)prim::load(x.covered + i / (int32_t)CHANNELS) * rows : 1;
                    m[k] = quotient(n[k] + area / 2, area);
                }
            });
        }
    }

    /* The row's results [begin, end), of those from element `first` on that the warp has staged. */
    PRIM_DEVICE void write_row(shared &s, int32_t at_y, int32_t first, int32_t begin, int32_t end) const
    {
        constexpr int32_t PER = 16 / (int32_t)sizeof(Sample);
        Sample *row_out = out + at_y * out_pitch;
        const unsigned offset = (unsigned)((uintptr_t)(row_out + first) % 16);
        const unsigned stage = prim::warp_id() * STAGE_WORDS + 4, shift = offset % 4 * 8;
        const int32_t aligned = first - (int32_t)(offset / sizeof(Sample)); /* element at the first multiple of 16 */
        const unsigned pieces = (unsigned)(end - aligned + PER - 1) / PER;
#pragma unroll 1
        for (unsigned g = (unsigned)(begin - aligned) / PER + prim::lane_id(); g < pieces; g += prim::WARP) {
            const int32_t e = aligned + (int32_t)g * PER;
            if (e >= begin && e + PER <= end) {
                piece p = s.results.template get_vector<4>(stage + 4 * g);
                if (shift) {
                    uint32_t left = s.results.get(stage + 4 * g - 1);
#pragma unroll
                    for (unsigned w = 0; w < 4; w++) {
                        const uint32_t right = p.at[w];
                        p.at[w] = (uint32_t)(((uint64_t)right << 32 | left) >> (32 - shift));
                        left = right;
                    }
                }
                prim::store(reinterpret_cast<piece *>(row_out + e), p);
            } else {
                for (int32_t k = e < begin ? begin : e; k < e + PER && k < end; k++) {
                    const unsigned byte = (unsigned)(k - first) * (unsigned)sizeof(Sample);
                    const uint32_t word = s.results.get(stage + offset / 4 + byte / 4);
                    prim::store(row_out + k, (Sample)(word >> byte % 4 * 8));
                }
            }
        }
    }

    template <unsigned PHASE = 0>
    PRIM_DEVICE void do_rows(shared &s, int32_t at_y, int32_t count, int32_t first, int32_t begin, int32_t end) const
    {
        if (window % GROUP == PHASE) {
            const unsigned row = prim::warp_id();
            if ((int32_t)row < count) {
                along<PHASE>(s, row * ROW_WORDS, at_y + (int32_t)row, first, begin, end);
                prim::warp_sync(); /* the results are staged */
                write_row(s, at_y + (int32_t)row, first, begin, end);
            }
        } else if constexpr (PHASE + 1 < GROUP) {
            constexpr unsigned STEP = CHANNELS % 4 == 0 ? 4 : CHANNELS % 2 == 0 ? 2 : 1;
            do_rows<PHASE + STEP>(s, at_y, count, first, begin, end);
        }
    }

    /* Columns before the first window's, which reaches so many to the left: strips begin at multiples of 16 results,
     * loads at multiples of OWN samples. */
    PRIM_HOST_DEVICE static int32_t lead(uint32_t reach)
    {
        return (int32_t)((LEAD - reach % LEAD) % LEAD);
    }

    PRIM_DEVICE void operator()(shared &s) const
    {
        const int32_t block = (int32_t)prim::block_id(), elements = x.n * (int32_t)CHANNELS;
        const int32_t begin = block % strips * strip, end = begin + strip < elements ? begin + strip : elements;
        const int32_t top = block / strips * rows, bottom = top + rows < y.n ? top + rows : y.n;
        const int32_t reach = x.before * (int32_t)CHANNELS;
        const int32_t left = begin - reach - lead((uint32_t)reach), first = left + reach;
        const mine m = my_columns(s, left);
        const bool edge = left < 0 || left + (int32_t)ELEMENTS > elements;

        column_sums sums = {};
        raw enter[ROWS], leave[ROWS];
        const int32_t above = top - 1 - y.before, full = top - 1 + y.after + 1;
        for (int32_t at = above; at < full; at += 2 * ROWS) {
            const int32_t then = at + (int32_t)ROWS;
            load_rows(s, m, at, full - at, enter);
            if (then < full) load_rows(s, m, then, full - then, leave);
#pragma unroll
            for (unsigned k = 0; k < ROWS; k++)
                if (at + (int32_t)k < full) sums.move(enter[k], raw{});
#pragma unroll
            for (unsigned k = 0; k < ROWS; k++)
                if (then + (int32_t)k < full) sums.move(leave[k], raw{});
        }
        load_steps(s, m, top, bottom, enter, leave);
        for (int32_t at_y = top; at_y < bottom; at_y += ROWS) {
#pragma unroll
            for (unsigned k = 0; k < ROWS; k++) {
                sums.move(enter[k], leave[k]);
                store_columns(s, k, sums);
            }
            if (at_y + (int32_t)ROWS < bottom) load_steps(s, m, at_y + ROWS, bottom, enter, leave);
            prim::block_sync(); /* the sums of the columns are there */
            if (edge) {
                copy_columns(s, m);
                prim::block_sync(); /* and those beyond the edge */
            }
            do_rows(s, at_y, bottom - at_y, first, begin, end);
            prim::block_sync(); /* and have been read */
        }
    }

    /* What enters and leaves from row at_y on. */
    PRIM_DEVICE void load_steps(const shared &s, const mine &m, int32_t at_y, int32_t bottom, raw (&enter)[ROWS],
                                raw (&leave)[ROWS]) const
    {
        load_rows(s, m, at_y + y.after, bottom - at_y, enter);
        load_rows(s, m, at_y - 1 - y.before, bottom - at_y, leave);
    }

    PRIM_DEVICE static void store_columns(shared &s, unsigned k, const column_sums &sums)
    {
        constexpr unsigned N = COLUMN < 4 ? COLUMN : 4;
#pragma unroll
        for (unsigned w = 0; w < COLUMN; w += N) {
            prim::vec<uint32_t, N> v;
#pragma unroll
            for (unsigned i = 0; i < N; i++) v.at[i] = sums.at[w + i];
            s.columns.template set_vector<N>(k * ROW_WORDS + prim::thread_id() * COLUMN + w, v);
        }
    }
};

} // namespace box

#endif
