/* box_strip.cuh - the box filter of integer samples without a table: column sums that slide down strips (box.cu). */
#ifndef BOX_STRIP_CUH
#define BOX_STRIP_CUH

#include "box/box_row.cuh"

namespace box
{

/* OWN: neighbouring columns that a thread loads together; it has PARTS such groups.  CHUNK: rows that it loads at a
 * time. */
template <class Sample, class Result, unsigned CHANNELS, class Column, class Sum, unsigned RUN, unsigned OWN,
          unsigned STEP, int BLOCKS, unsigned CHUNK = STEP, unsigned PARTS = 1>
struct strip_filter : row_filter<Sample, CHANNELS, Column, Sum, RUN, STEP, Result> {
    using sample_type = Sample;
    using result_type = Result;
    using rows_part = row_filter<Sample, CHANNELS, Column, Sum, RUN, STEP, Result>;
    using rows_part::PADDING, rows_part::COPY, rows_part::ELEMENTS, rows_part::ROW_PITCH, rows_part::ROW_WORDS,
        rows_part::ROWS, rows_part::mean, rows_part::x, rows_part::y;
    using typename rows_part::results;
    using typename rows_part::segment;
    using typename rows_part::shared;
    static constexpr unsigned COLUMN_WARPS = (RUN / OWN + PARTS - 1) / PARTS,
                              threads = (COLUMN_WARPS + ROWS) * prim::WARP;
    static constexpr int min_blocks = BLOCKS;
    static constexpr unsigned RAW = OWN * (unsigned)sizeof(Sample) / 4, COLUMN = OWN * (unsigned)sizeof(Column) / 4;
    static constexpr unsigned LOAD_ALIGNMENT = OWN < 4 ? 4 : OWN;
    static_assert((LOAD_ALIGNMENT & (LOAD_ALIGNMENT - 1)) == 0, "misalignment() divides numbers that may be negative");
    static_assert(RUN % OWN == 0 && STEP % CHUNK == 0 && CHUNK <= prim::WARP && OWN * sizeof(Sample) % 4 == 0);

    /* Groups of warps that sum the rows above a segment's first window; the warps of columns are the first. */
    static constexpr unsigned GROUPS_ABOVE = threads / prim::WARP / COLUMN_WARPS;
    static_assert(GROUPS_ABOVE <= 2 * ROWS);

    static constexpr unsigned APART = prim::WARP * OWN; /* columns from one group of a thread to the next */
    static constexpr unsigned AT_ONCE = COLUMN < 4 ? COLUMN : 4;

    using raw = prim::vec<uint32_t, RAW>;
    using words = prim::vec<uint32_t, AT_ONCE>;
    struct line {
        raw part[PARTS];
    };

    const Sample *in;
    int64_t in_pitch;            /* samples */
    int64_t in_image_pitch;      /* samples from one image to the next */
    int32_t strips, strip, rows; /* elements of a strip, rows of a segment */
    uint32_t row_bytes;          /* in_pitch, if wide */
    bool wide;                   /* all rows are aligned to OWN samples, and less than 2^32 bytes apart */
    Sample value[4];             /* border values, where the border mode has them */

    /* The block's image. */
    PRIM_DEVICE const Sample *image() const { return in + (int64_t)this->image_number() * in_image_pitch; }

    struct column_sums {
        uint32_t at[PARTS][COLUMN];

        /* Word w of the columns of a row of samples. */
        PRIM_DEVICE static uint32_t word(const raw &row, unsigned w)
        {
            if constexpr (sizeof(Sample) == 1 && sizeof(Column) == 2)
                return prim::permute_bytes(row.at[w / 2], 0, w % 2 ? 0x4342 : 0x4140);
            static_assert(sizeof(Column) == 4 || sizeof(Sample) == 1);
            return sample(row, w);
        }
        PRIM_DEVICE void slide(const line &enter, const line &leave)
        {
#pragma unroll
            for (unsigned p = 0; p < PARTS; p++)
#pragma unroll
                for (unsigned w = 0; w < COLUMN; w++) at[p][w] += word(enter.part[p], w) - word(leave.part[p], w);
        }
        PRIM_DEVICE void add(const line &one, const line &other)
        {
#pragma unroll
            for (unsigned p = 0; p < PARTS; p++)
#pragma unroll
                for (unsigned w = 0; w < COLUMN; w++) at[p][w] += word(one.part[p], w) + word(other.part[p], w);
        }
    };

    PRIM_DEVICE static uint32_t sample(const raw &r, unsigned i)
    {
        constexpr unsigned PER = 4 / (unsigned)sizeof(Sample);
        return r.at[i / PER] >> i % PER * 8 * (unsigned)sizeof(Sample) & (uint32_t)(Sample)~0;
    }

    /* A thread's columns.  A column that is not the image's own at this place has an entry in `sources`: an element of
     * the image's row; COPY + a column of this strip whose sum it repeats; or -1 - channel: the border value. */
    struct thread_columns {
        unsigned own;          /* the first of them in the strip; the next group is APART further on */
        int32_t first;         /* its element */
        bool plain;            /* no lane of this warp gathers */
        const uint8_t *column; /* of the image, if direct */
        int64_t next;          /* bytes to the next row */
        struct {
            bool direct;  /* all in the image, and aligned */
            bool gathers; /* from sources */
            raw border;   /* border values, or zeros */
        } part[PARTS];
    };

    /* Whether this warp has group p: the last warp may have fewer. */
    PRIM_DEVICE static bool has(const thread_columns &m, unsigned p)
    {
        return COLUMN_WARPS * PARTS == RUN / OWN || m.own + p * APART < ELEMENTS;
    }

    /* own: the first of the thread's columns.  stores: this thread stores their sources. */
    PRIM_DEVICE thread_columns columns_of_thread(shared &s, unsigned own, int32_t left, bool up, bool stores) const
    {
        constexpr unsigned PER = 4 / (unsigned)sizeof(Sample);
        const int32_t elements = x.n * (int32_t)CHANNELS;
        bool gathers = false;
        thread_columns m = {};
        m.own = own;
        m.first = left + (int32_t)own;
#pragma unroll
        for (unsigned p = 0; p < PARTS; p++) {
            const int32_t first = m.first + (int32_t)(p * APART);
            const bool outside = first + (int32_t)OWN <= 0 || first >= elements; /* no column copies from it */
            m.part[p].direct = wide && first >= 0 && first + (int32_t)OWN <= elements && has(m, p);
#pragma unroll
            for (unsigned i = 0; i < OWN; i++) {
                const int32_t e = first + (int32_t)i;
                const int32_t pixel = (e + (int32_t)CHANNELS * x.halo) / (int32_t)CHANNELS - x.halo;
                const int32_t channel = e - pixel * (int32_t)CHANNELS;
                m.part[p].border.at[i / PER] |= (uint32_t)value[channel] << i % PER * 8 * (unsigned)sizeof(Sample);
                if (m.part[p].direct || !has(m, p)) continue;
                const int32_t to = pixel < x.n + x.after ? border_index(x, pixel) : -1;
                int32_t source = to < 0 ? -1 - channel : to * (int32_t)CHANNELS + channel;
                if (outside && source >= left && source >= 0 && source < left + (int32_t)ELEMENTS) {
                    source += COPY - left;
                } else if (source >= 0) {
                    m.part[p].gathers = true;
                }
                if (stores) s.sources.set(own + p * APART + i, source);
            }
            gathers = gathers || m.part[p].gathers;
        }
        m.plain = !prim::any(gathers);
        m.column = reinterpret_cast<const uint8_t *>(image() + m.first);
        m.next = up ? -(int64_t)row_bytes : (int64_t)row_bytes;
        return m;
    }

    /* Loads a group of a thread's columns sample by sample: at the edges, or where rows are not aligned. */
    PRIM_DEVICE void gather(const shared &s, const thread_columns &m, unsigned p, const Sample *(&rows)[CHUNK],
                            line (&r)[CHUNK]) const
    {
        constexpr unsigned BITS = 8 * (unsigned)sizeof(Sample), PER = 4 / (unsigned)sizeof(Sample);
#pragma unroll
        for (unsigned i = 0; i < OWN; i++) {
            const int32_t from = s.sources.get(m.own + p * APART + i);
            if (from < 0 || from >= COPY) continue;
            const uint32_t mask = ~((uint32_t)(Sample)~0 << i % PER * BITS);
#pragma unroll
            for (unsigned k = 0; k < CHUNK; k++)
                if (rows[k])
                    r[k].part[p].at[i / PER] = (r[k].part[p].at[i / PER] & mask) | (uint32_t)prim::load(rows[k] + from)
                                                                                       << i % PER * BITS;
        }
    }

    PRIM_DEVICE static void clear(const thread_columns &m, line (&r)[CHUNK])
    {
#pragma unroll
        for (unsigned k = 0; k < CHUNK; k++)
#pragma unroll
            for (unsigned p = 0; p < PARTS; p++) r[k].part[p] = m.part[p].border;
    }

    /* Whether rows at .. at + CHUNK - 1 all lie in the image. */
    PRIM_DEVICE bool within(int32_t at) const
    {
        return at >= 0 && at + (int32_t)CHUNK <= y.n;
    }

    PRIM_DEVICE const uint8_t *row_at(const thread_columns &m, const segment &g, int32_t at) const
    {
        return m.column + (uint64_t)(uint32_t)this->row_of(g, at) * row_bytes;
    }
    PRIM_DEVICE static void load_row(const thread_columns &m, const uint8_t *row, line &r)
    {
#pragma unroll
        for (unsigned p = 0; p < PARTS; p++)
            if (m.part[p].direct)
                r.part[p] = prim::load(reinterpret_cast<const raw *>(row + p * APART * sizeof(Sample)));
    }

    /* Loads rows at .. at + CHUNK - 1, the first `count` of which are requested.  Columns without a source keep the
     * border values that clear() has set. */
    PRIM_DEVICE void load_rows(const shared &s, const thread_columns &m, const segment &g, int32_t at, int32_t count,
                               line (&r)[CHUNK]) const
    {
        if (within(at) && m.plain) {
            const uint8_t *row = row_at(m, g, at);
#pragma unroll
            for (unsigned k = 0; k < CHUNK; k++, row += m.next) load_row(m, row, r[k]);
            return;
        }
        const int32_t lane = (int32_t)prim::lane_id(), row = this->row_of(g, at + lane);
        const bool requested = lane < (int32_t)CHUNK && lane < count && row >= -y.halo && row <= y.n + y.after;
        const int32_t from = requested ? border_index(y, row) : -1;
        const Sample *rows[CHUNK]; /* NULL: outside the image, without a source */
#pragma unroll
        for (unsigned k = 0; k < CHUNK; k++) {
            const int32_t row = prim::shuffle(from, k);
            rows[k] = row < 0 ? nullptr : image() + row * in_pitch;
        }
        clear(m, r);
#pragma unroll
        for (unsigned p = 0; p < PARTS; p++) {
#pragma unroll
            for (unsigned k = 0; k < CHUNK; k++)
                if (m.part[p].direct && rows[k])
                    r[k].part[p] = prim::load(reinterpret_cast<const raw *>(rows[k] + m.first + p * APART));
            if (m.part[p].gathers) gather(s, m, p, rows, r);
        }
    }

    PRIM_DEVICE static void store_columns(shared &s, unsigned row, const thread_columns &m, const column_sums &sums)
    {
#pragma unroll
        for (unsigned p = 0; p < PARTS; p++) {
            if (!has(m, p)) continue;
#pragma unroll
            for (unsigned w = 0; w < COLUMN; w += AT_ONCE) {
                words v;
#pragma unroll
                for (unsigned i = 0; i < AT_ONCE; i++) v.at[i] = sums.at[p][w + i];
                s.columns.template set_vector<AT_ONCE>(row + (m.own + p * APART) * COLUMN / OWN + w, v);
            }
        }
    }

    /* Sums a group's share of the rows above a segment's first window, rows `above` to `full` - 1. */
    PRIM_DEVICE column_sums sum_above(shared &s, const segment &g, const thread_columns &m, unsigned group) const
    {
        constexpr int32_t ONE = CHUNK, LOADED = 2 * ONE;
        const int32_t above = g.top - 1 - g.before, full = g.top + g.after;
        const int32_t equal = (full - above + (int32_t)GROUPS_ABOVE - 1) / (int32_t)GROUPS_ABOVE;
        const int32_t share = equal < ONE ? ONE : equal, from = above + (int32_t)group * share;
        const int32_t upto = from + share < full ? from + share : full;
        column_sums sums = {};
        line one[CHUNK], other[CHUNK];
        clear(m, one);
        clear(m, other);
        for (int32_t at = from - LOADED; at < upto; at += LOADED) {
            if (at >= from) {
                const int32_t left = upto - at;
                if (left >= LOADED) {
#pragma unroll
                    for (unsigned k = 0; k < CHUNK; k++) sums.add(one[k], other[k]);
                } else {
#pragma unroll
                    for (unsigned k = 0; k < CHUNK; k++) {
                        if ((int32_t)k < left) sums.add(one[k], line{});
                        if ((int32_t)k + ONE < left) sums.add(other[k], line{});
                    }
                }
            }
            const int32_t next = at + LOADED;
            if (next < upto) load_rows(s, m, g, next, upto - next, one);
            if (next + ONE < upto) load_rows(s, m, g, next + ONE, upto - next - ONE, other);
        }
        return sums;
    }

    /* Adds the sums that the other groups have stored. */
    PRIM_DEVICE static void add_groups(const shared &s, const thread_columns &m, column_sums &sums)
    {
#pragma unroll
        for (unsigned group = 1; group < GROUPS_ABOVE; group++)
#pragma unroll
            for (unsigned p = 0; p < PARTS; p++) {
                if (!has(m, p)) continue;
                const unsigned at = (group - 1) * ROW_PITCH + (m.own + p * APART) * COLUMN / OWN;
#pragma unroll
                for (unsigned w = 0; w < COLUMN; w += AT_ONCE) {
                    const words v = s.columns.template get_vector<AT_ONCE>(at + w);
#pragma unroll
                    for (unsigned i = 0; i < AT_ONCE; i++) sums.at[p][w + i] += v.at[i];
                }
            }
    }

    PRIM_DEVICE void sum_columns(shared &s, const segment &g, const thread_columns &m, column_sums sums) const
    {
        line enter[CHUNK], leave[CHUNK];
        unsigned columns = 0;
        clear(m, enter);
        clear(m, leave);
        for (int32_t at_y = g.top - (int32_t)CHUNK; at_y < g.bottom;) {
            const bool first = at_y < g.top;
            const int32_t next = at_y + (int32_t)CHUNK, to_enter = next + g.after, to_leave = next - 1 - g.before;
            if (!first && next < g.bottom && m.plain && within(to_enter) && within(to_leave)) {
                /* Each row's registers are loaded at once with one of the next rows. */
                const uint8_t *in_row = row_at(m, g, to_enter), *out_row = row_at(m, g, to_leave);
#pragma unroll
                for (unsigned k = 0; k < CHUNK; k++, columns += ROW_PITCH, in_row += m.next, out_row += m.next) {
                    sums.slide(enter[k], leave[k]);
                    load_row(m, in_row, enter[k]);
                    load_row(m, out_row, leave[k]);
                    store_columns(s, columns, m, sums);
                }
            } else {
                if (!first) {
#pragma unroll
                    for (unsigned k = 0; k < CHUNK; k++, columns += ROW_PITCH) {
                        sums.slide(enter[k], leave[k]);
                        store_columns(s, columns, m, sums);
                    }
                }
                if (next < g.bottom) {
                    load_rows(s, m, g, to_enter, g.bottom - next, enter);
                    load_rows(s, m, g, to_leave, g.bottom - next, leave);
                }
            }
            at_y = next;
            const bool half = columns == ROWS * ROW_PITCH, whole = columns == 2 * ROWS * ROW_PITCH;
            if (half || whole || first || at_y >= g.bottom) this->sync_step();
            if (whole) columns = 0;
            if (first) add_groups(s, m, sums);
        }
    }

    /* Columns in front of a strip's first window, which begins with element `first`: loads begin at multiples of
     * LOAD_ALIGNMENT elements. */
    PRIM_HOST_DEVICE static int32_t misalignment(int32_t first)
    {
        return (int32_t)((uint32_t)first % LOAD_ALIGNMENT);
    }

    PRIM_DEVICE void operator()(shared &s) const
    {
        const int32_t block = (int32_t)(prim::block_id() - this->image_number() * this->image_blocks),
                      elements = x.n * (int32_t)CHANNELS;
        /* The strips at the edges take longest: they come first. */
        const int32_t segments = (y.n + rows - 1) / rows, number = block / segments;
        const int32_t place = number == 0 ? 0 : number == 1 ? strips - 1 : number - 1;
        const int32_t begin = place * strip, end = begin + strip < elements ? begin + strip : elements;
        const int32_t top = block % segments * rows, bottom = top + rows < y.n ? top + rows : y.n;
        const int32_t reach = x.before * (int32_t)CHANNELS;
        const int32_t left = begin - reach - misalignment(begin - reach);
        /* Neighbouring segments are walked away from each other, or towards: they read the rows that their windows
         * share at the same time. */
        const bool up = block % segments % 2 == 0;
        const segment g = up ? segment{y.n - bottom, y.n - top, y.after, y.before, true}
                             : segment{top, bottom, y.before, y.after, false};

        for (unsigned i = prim::thread_id(); i < 2 * ROWS * PADDING; i += threads)
            s.columns.set(i / PADDING * ROW_PITCH + ROW_WORDS + i % PADDING, 0);
        const results requested = this->results_of_lane(left + reach, begin, end);
        this->count_edges(s, requested, threads);
        const unsigned group = prim::warp_id() / COLUMN_WARPS;
        const unsigned own = prim::warp_id() % COLUMN_WARPS * PARTS * APART + prim::lane_id() * OWN;
        const thread_columns m = columns_of_thread(s, own, left, g.up, group == 0);
        this->sync_step(); /* the sources are stored */
        const column_sums sums = group < GROUPS_ABOVE ? sum_above(s, g, m, group) : column_sums{};
        if (group == 0) {
            sum_columns(s, g, m, sums);
        } else {
            if (group < GROUPS_ABOVE) store_columns(s, (group - 1) * ROW_PITCH, m, sums);
            this->sync_step();
            this->filter_rows(s, g, left, requested, prim::warp_id() - COLUMN_WARPS);
        }
    }
};

} // namespace box

#endif
