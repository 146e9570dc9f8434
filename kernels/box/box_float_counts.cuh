/* box_float_counts.cuh - which samples of a strip's columns count, and how many in each window (box_float.cu).
 *
 * A sample is tested once, as it enters.  The bits of STEP rows wait in a ring until these rows leave. */
#ifndef BOX_FLOAT_COUNTS_CUH
#define BOX_FLOAT_COUNTS_CUH

#include "box/box_float_copies.cuh"

namespace box
{

/* Which rows of N neighbouring columns count: a bit for each row, 16 bits for each column; 1 counts.  float_counting
 * tests two columns at a time, window::moment_counting one. */
template <class Layout> struct float_bits : float_copies<Layout> {
    using Sample = typename Layout::sample_type;
    using typename Layout::shared;
    static constexpr unsigned STEP = Layout::STEP_ROWS, N = Layout::COLUMNS_AT_ONCE;
    using Layout::COLUMNS, Layout::SLOTS, Layout::ONE_CHANNEL, Layout::height, Layout::valid, Layout::masked;

    using row_bits = uint32_t;
    static constexpr row_bits ALL_COLUMNS = N == 2 ? 0x00010001 : 1, STEP_BITS = ((1u << STEP) - 1) * ALL_COLUMNS;
    static_assert(N <= 2 && STEP <= 8);

    /* The columns that are tested. */
    struct tested_columns {
        unsigned at; /* the first one's place in a row of samples */
        uint32_t pixel[N];
        row_bits present; /* STEP bits of each column that has samples; the other columns are 0 */
    };

    /* The ring has the leaving block, and the whole blocks between; begun rows are behind them, before the entering
     * ones.  Windows of STEP rows, or less, have no blocks. */
    PRIM_DEVICE uint32_t ring_size() const { return (uint32_t)(height - 1) / STEP; }
    PRIM_DEVICE uint32_t begun_rows() const { return (uint32_t)(height - 1) % STEP; }

    PRIM_DEVICE row_bits load_bits(uint32_t turn, const tested_columns &m) const
    {
        const prim::vec<uint8_t, N> v = prim::load_vector<N>(this->bits_of_block() + turn * COLUMNS + m.at);
        row_bits rows = 0;
#pragma unroll
        for (unsigned i = 0; i < N; i++) rows |= (row_bits)v.at[i] << 16 * i;
        return rows;
    }
    PRIM_DEVICE void store_bits(uint32_t turn, const tested_columns &m, row_bits rows) const
    {
        prim::vec<uint8_t, N> v;
#pragma unroll
        for (unsigned i = 0; i < N; i++) v.at[i] = (uint8_t)(rows >> 16 * i);
        prim::store_vector(this->bits_of_block() + turn * COLUMNS + m.at, v);
    }

    /* The slot of row t of those from a slot on.  RING: the first slot follows the last one. */
    template <bool RING> PRIM_DEVICE static unsigned place_of_slot(unsigned slot, unsigned t)
    {
        return (RING ? (slot + t) % SLOTS : slot + t) * COLUMNS;
    }
    /* Takes rows out whose samples are no data or, unless NAN_COUNTS, not numbers. */
    template <bool RING, bool NAN_COUNTS>
    PRIM_DEVICE void test_values(const shared &s, unsigned slot, const tested_columns &m, row_bits &rows) const
    {
#pragma unroll
        for (unsigned t = 0; t < STEP; t++) {
            const prim::vec<Sample, N> v = s.rows.template get_vector<N>(place_of_slot<RING>(slot, t) + m.at);
#pragma unroll
            for (unsigned i = 0; i < N; i++)
                if (v.at[i] == valid.nodata || (!NAN_COUNTS && v.at[i] != v.at[i])) rows &= ~(1u << (16 * i + t));
        }
    }
    template <bool RING>
    PRIM_DEVICE void test_mask(const shared &s, unsigned slot, const tested_columns &m, row_bits &rows) const
    {
#pragma unroll
        for (unsigned t = 0; t < STEP; t++) {
            const unsigned at = place_of_slot<RING>(slot, t);
            prim::vec<uint8_t, N> in_mask;
            if constexpr (ONE_CHANNEL)
                in_mask = s.mask.template get_vector<N>(at + m.at);
            else
#pragma unroll
                for (unsigned i = 0; i < N; i++) in_mask.at[i] = s.mask.get(at + m.pixel[i]);
#pragma unroll
            for (unsigned i = 0; i < N; i++)
                if (in_mask.at[i] == 0) rows &= ~(1u << (16 * i + t));
        }
    }
    /* Which of `rows` rows from a slot on count. */
    template <bool RING>
    PRIM_DEVICE row_bits test_rows(const shared &s, unsigned slot, unsigned rows, const tested_columns &m) const
    {
        row_bits count = ((1u << rows) - 1) * ALL_COLUMNS & m.present;
        if (!valid.any_nan)
            test_values<RING, false>(s, slot, m, count);
        else if (valid.nodata == valid.nodata)
            test_values<RING, true>(s, slot, m, count);
        if (masked()) test_mask<RING>(s, slot, m, count);
        return count;
    }
};

/* The counts of a thread's pairs of columns.  A sample that does not count becomes 0, so that sums need no test. */
template <class Layout> struct float_counting : float_bits<Layout> {
    using base = float_bits<Layout>;
    using Sample = typename Layout::sample_type;
    using typename base::row_bits;
    using typename Layout::shared;
    using typename Layout::two_counts;
    static constexpr unsigned STEP = Layout::STEP_ROWS;
    static constexpr row_bits BOTH = base::ALL_COLUMNS;
    using base::STEP_BITS;
    using Layout::ROW, Layout::ONE_CHANNEL;

    /* Two neighbouring columns of a thread. */
    struct column_pair : base::tested_columns {
        uint32_t to[2];    /* place in a row of sums */
        uint32_t alpha[2]; /* the place of the pixel's alpha, if the column is weighted by it; else none */
        bool in_strip[2];
    };

    struct counting_state {
        two_counts between; /* how many count, of the rows of a step's first window but for its last one */
        row_bits begun;     /* which of these rows count, from the last whole block's end on */
        uint32_t turn;      /* the ring's entry of the leaving block */
    };

    /* 0 in place of samples. */
    template <bool NEAR>
    PRIM_DEVICE static void clear_rows(shared &s, unsigned slot, row_bits rows, const column_pair &m)
    {
        if (rows == 0) return;
#pragma unroll
        for (unsigned t = 0; t < STEP; t++)
#pragma unroll
            for (unsigned i = 0; i < 2; i++)
                if (rows >> (16 * i + t) & 1)
                    s.rows.set(base::template place_of_slot<NEAR>(slot, t) + m.at + i, Sample(0));
    }
    /* Which of `rows` rows from a slot on count; what does not becomes 0. */
    template <bool NEAR>
    PRIM_DEVICE row_bits take_rows(shared &s, unsigned slot, unsigned rows, const column_pair &m) const
    {
        const row_bits count = this->template test_rows<NEAR>(s, slot, rows, m);
        clear_rows<NEAR>(s, slot, ((1u << rows) - 1) * BOTH & m.present & ~count, m);
        return count;
    }
    /* The rows of a block between, or the first ones of it. */
    template <bool NEAR>
    PRIM_DEVICE void begin_counts(shared &s, const column_pair &m, counting_state &c, unsigned slot, uint32_t block,
                                  unsigned rows) const
    {
        const row_bits bits = take_rows<NEAR>(s, slot, rows, m);
        for (unsigned t = 0; t < STEP; t++) c.between += bits >> t & BOTH;
        if (!NEAR && rows == STEP)
            this->store_bits(block, m, bits);
        else
            c.begun = bits;
    }

    /* The counts of a step's windows, of rows from `slot` on that enter; what does not count becomes 0 in the leaving
     * ones, too, which lie in the first slots where they were copied anew. */
    template <bool NEAR>
    PRIM_DEVICE void count_columns(shared &s, const column_pair &m, counting_state &c, unsigned slot) const
    {
        row_bits leaves = NEAR ? 0 : this->load_bits(c.turn, m);
        const row_bits enters = take_rows<NEAR>(s, slot, STEP, m), upto = c.begun | enters << this->begun_rows(),
                       whole = upto & STEP_BITS;
        c.begun = upto >> STEP & STEP_BITS;
        if constexpr (NEAR) {
            leaves = whole;
        } else {
            this->store_bits(c.turn, m, whole);
            c.turn = c.turn + 1 < this->ring_size() ? c.turn + 1 : 0;
        }
        if constexpr (!NEAR) clear_rows<false>(s, 0, m.present & ~leaves, m);
        two_counts n = c.between;
#pragma unroll
        for (unsigned t = 0; t < STEP; t++) {
            n += enters >> t & BOTH;
            store_counts(s, t, m, n);
            n -= leaves >> t & BOTH;
        }
        c.between = n;
    }
    PRIM_DEVICE void store_counts(shared &s, unsigned row, const column_pair &m, two_counts counts) const
    {
        const prim::vec<uint32_t, 2> n = {counts & 0xffff, counts >> 16};
        if constexpr (ONE_CHANNEL) {
            s.counts.template set_vector<2>(row * ROW + m.to[0], n);
        } else {
#pragma unroll
            for (unsigned i = 0; i < 2; i++)
                if (m.in_strip[i]) s.counts.set(row * ROW + m.to[i], n.at[i]);
        }
    }
};

} // namespace box
#endif
