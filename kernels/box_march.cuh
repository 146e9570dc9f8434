/* box_march.cuh - the box filter of integer samples that needs no table; the head of box.cu explains it. */
#ifndef BOX_MARCH_CUH
#define BOX_MARCH_CUH

#include "box_row.cuh"

namespace box
{

/* OWN: columns of a thread that sums them. */
template <class Sample, unsigned CHANNELS, class Column, class Sum, unsigned RUN, unsigned OWN, unsigned STEP,
          int BLOCKS>
struct march : row_filter<Sample, CHANNELS, Column, Sum, RUN, STEP> {
    using sample_type = Sample;
    using rows_part = row_filter<Sample, CHANNELS, Column, Sum, RUN, STEP>;
    using rows_part::BEHIND, rows_part::COPY, rows_part::ELEMENTS, rows_part::ROW_PITCH, rows_part::ROW_WORDS,
        rows_part::ROWS, rows_part::mean, rows_part::x, rows_part::y;
    using typename rows_part::results;
    using typename rows_part::segment;
    using typename rows_part::shared;
    static constexpr unsigned COLUMN_WARPS = RUN / OWN, threads = (COLUMN_WARPS + ROWS) * prim::WARP;
    static constexpr int min_blocks = BLOCKS;
    static constexpr unsigned RAW = OWN * (unsigned)sizeof(Sample) / 4, COLUMN = OWN * (unsigned)sizeof(Column) / 4;
    static constexpr unsigned LEAD = OWN < 4 ? 4 : OWN;
    static_assert(RUN % OWN == 0 && OWN * sizeof(Sample) % 4 == 0);

    using raw = prim::vec<uint32_t, RAW>;

    const Sample *in;
    int64_t in_pitch;            /* samples */
    int32_t strips, strip, rows; /* elements of a strip, rows of a segment */
    uint32_t row_bytes;          /* in_pitch, if wide */
    bool wide;                   /* all rows are aligned to OWN samples, and less than 2^32 bytes apart */
    Sample value[4];             /* what lies beyond the edge, where that is a value */

    struct column_sums {
        uint32_t at[COLUMN];

        /* The samples of a row as words of columns. */
        PRIM_DEVICE static uint32_t word(const raw &row, unsigned w)
        {
            if constexpr (sizeof(Sample) == 1 && sizeof(Column) == 2)
                return prim::permute_bytes(row.at[w / 2], 0, w % 2 ? 0x4342 : 0x4140);
            static_assert(sizeof(Column) == 4 || sizeof(Sample) == 1);
            return sample(row, w);
        }
        PRIM_DEVICE void move(const raw &enter, const raw &leave)
        {
#pragma unroll
            for (unsigned w = 0; w < COLUMN; w++) at[w] += word(enter, w) - word(leave, w);
        }
        PRIM_DEVICE void add(const raw &one, const raw &other)
        {
#pragma unroll
            for (unsigned w = 0; w < COLUMN; w++) at[w] += word(one, w) + word(other, w);
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
    struct mine {
        int32_t first;         /* element */
        bool direct;           /* all in the image, and aligned */
        bool gathers;          /* from sources */
        bool plain;            /* nobody in this warp gathers */
        const uint8_t *column; /* of the image, if direct */
        int64_t next;          /* bytes to the next row of the march */
        raw nothing;           /* the border values, or zeros */
    };

    PRIM_DEVICE mine my_columns(shared &s, int32_t left, bool up) const
    {
        const unsigned own = prim::thread_id() * OWN;
        const int32_t elements = x.n * (int32_t)CHANNELS, first = left + (int32_t)own;
        mine m = {};
        m.first = first;
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
            } else if (source >= 0) {
                m.gathers = true;
            }
            s.sources.set(own + i, source);
        }
        m.plain = !prim::any(m.gathers);
        m.column = reinterpret_cast<const uint8_t *>(in + first);
        m.next = up ? -(int64_t)row_bytes : (int64_t)row_bytes;
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

    /* Rows at, at + 1, ... at + ROWS - 1, of which `count` are asked for.  Where a thread's columns are nobody's, r
     * stays what it is: nothing, from the beginning. */
    PRIM_DEVICE void load_rows(const shared &s, const mine &m, const segment &g, int32_t at, int32_t count,
                               raw (&r)[ROWS]) const
    {
        if (at >= 0 && at + (int32_t)ROWS <= y.n && m.plain) {
            if (m.direct) {
                const uint8_t *row = m.column + (uint64_t)(uint32_t)this->row_of(g, at) * row_bytes;
#pragma unroll
                for (unsigned k = 0; k < ROWS; k++, row += m.next)
                    r[k] = prim::load(reinterpret_cast<const raw *>(row));
            }
            return;
        }
        const int32_t lane = (int32_t)prim::lane_id(), row = this->row_of(g, at + lane);
        const bool asked = lane < (int32_t)ROWS && lane < count && row >= -y.lead && row <= y.n + y.after;
        const int32_t from = asked ? seen(y, row) : -1;
        const Sample *rows[ROWS]; /* NULL: beyond the image, and nothing there */
#pragma unroll
        for (unsigned k = 0; k < ROWS; k++) {
            const int32_t row = prim::shuffle(from, k);
            rows[k] = row < 0 ? nullptr : in + row * in_pitch;
        }
#pragma unroll
        for (unsigned k = 0; k < ROWS; k++) {
            r[k] = m.nothing;
            if (m.direct && rows[k]) r[k] = prim::load(reinterpret_cast<const raw *>(rows[k] + m.first));
        }
        if (m.gathers) gather(s, m, rows, r);
    }

    PRIM_DEVICE static void store_columns(shared &s, unsigned row, const column_sums &sums)
    {
        constexpr unsigned N = COLUMN < 4 ? COLUMN : 4;
#pragma unroll
        for (unsigned w = 0; w < COLUMN; w += N) {
            prim::vec<uint32_t, N> v;
#pragma unroll
            for (unsigned i = 0; i < N; i++) v.at[i] = sums.at[w + i];
            s.columns.template set_vector<N>(row + prim::thread_id() * COLUMN + w, v);
        }
    }

    PRIM_DEVICE void sum_columns(shared &s, const segment &g, int32_t left) const
    {
        const mine m = my_columns(s, left, g.up);
        column_sums sums = {};
        raw enter[ROWS], leave[ROWS];
#pragma unroll
        for (unsigned k = 0; k < ROWS; k++) enter[k] = leave[k] = m.nothing;
        /* Steps that only sum rows, twice as many: the window above the first one, from row `above` up to `full`; then
         * those with results.  Each loads what the next one needs. */
        constexpr int32_t AT_ONCE = ROWS;
        const int32_t above = g.top - 1 - g.before, full = g.top + g.after;
        const int32_t start = g.top - (full - above + 2 * AT_ONCE - 1) / (2 * AT_ONCE) * AT_ONCE;
        for (int32_t at_y = start - AT_ONCE; at_y < g.bottom; at_y += AT_ONCE) {
            const int32_t next = at_y + AT_ONCE;
            if (at_y >= g.top) {
                const unsigned columns = this->columns_of(g, at_y);
#pragma unroll
                for (unsigned k = 0; k < ROWS; k++) {
                    sums.move(enter[k], leave[k]);
                    store_columns(s, columns + k * ROW_PITCH, sums);
                }
            } else if (at_y >= start) {
                const int32_t skip = above - (full - 2 * (g.top - at_y)); /* rows that are not the window's */
                if (skip <= 0) {
#pragma unroll
                    for (unsigned k = 0; k < ROWS; k++) sums.add(enter[k], leave[k]);
                } else {
#pragma unroll
                    for (unsigned k = 0; k < ROWS; k++) {
                        if ((int32_t)k >= skip) sums.add(enter[k], raw{});
                        if ((int32_t)k + AT_ONCE >= skip) sums.add(leave[k], raw{});
                    }
                }
            }
            if (next < g.bottom) {
                const int32_t at = full - 2 * (g.top - next); /* where rows are only summed */
                if (next >= g.top || at + AT_ONCE > above)
                    load_rows(s, m, g, next < g.top ? at : next + g.after, g.bottom - next, enter);
                load_rows(s, m, g, next < g.top ? at + AT_ONCE : next - 1 - g.before, g.bottom - next, leave);
            }
            if (at_y >= g.top) this->meet();
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
        /* The strips at the edges take longest: they come first. */
        const int32_t segments = (y.n + rows - 1) / rows, number = block / segments;
        const int32_t place = number == 0 ? 0 : number == 1 ? strips - 1 : number - 1;
        const int32_t begin = place * strip, end = begin + strip < elements ? begin + strip : elements;
        const int32_t top = block % segments * rows, bottom = top + rows < y.n ? top + rows : y.n;
        const int32_t reach = x.before * (int32_t)CHANNELS;
        const int32_t left = begin - reach - lead((uint32_t)reach);
        /* Neighbours march away from each other, or towards: so they read what their windows share at the same time. */
        const bool up = block % segments % 2 == 0;
        const segment g = up ? segment{y.n - bottom, y.n - top, y.after, y.before, true}
                             : segment{top, bottom, y.before, y.after, false};

        for (unsigned i = prim::thread_id(); i < 2 * ROWS * BEHIND; i += threads)
            s.columns.set(i / BEHIND * ROW_PITCH + ROW_WORDS + i % BEHIND, 0);
        const results asked = this->my_results(left + reach, begin, end);
        this->count_kept(s, asked, threads);
        if (prim::warp_id() < COLUMN_WARPS)
            sum_columns(s, g, left);
        else
            this->filter_rows(s, g, left, asked, prim::warp_id() - COLUMN_WARPS);
    }
};

} // namespace box

#endif
