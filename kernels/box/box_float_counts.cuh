/* box_float_counts.cuh - which samples of a strip's columns count, and how many in each window (box_float.cu).
 *
 * A sample is tested once, as it enters.  The bits of STEP rows wait in a ring until these rows leave. */
#ifndef BOX_FLOAT_COUNTS_CUH
#define BOX_FLOAT_COUNTS_CUH

#include "box/box_float_copies.cuh"

namespace box
{

template <class Layout> struct float_counting : float_copies<Layout> {
    using Sample = typename Layout::sample_type;
    using typename Layout::shared;
    using typename Layout::two_counts;
    static constexpr unsigned STEP = Layout::STEP_ROWS;
    using Layout::COLUMNS, Layout::SLOTS, Layout::ROW, Layout::ONE_CHANNEL, Layout::height, Layout::valid,
        Layout::masked, Layout::in_device;

    /* Two neighbouring columns of a thread. */
    struct column_pair {
        unsigned at;       /* the first one's place in a row of samples */
        uint32_t to[2];    /* place in a row of sums */
        uint32_t alpha[2]; /* the place of the pixel's alpha, if the column is weighted by it; else none */
        uint32_t pixel[2];
        bool in_strip[2];
        uint32_t present; /* STEP bits of each column that has samples; the other columns are 0 */
    };

    /* Rows of both columns, a bit for each: 1 counts.  In halves, as counts. */
    using two_rows = uint32_t;
    static constexpr two_rows BOTH = 0x00010001, STEP_BITS = ((1u << STEP) - 1) * BOTH;
    static_assert(STEP <= 8);

    struct counting_state {
        two_counts between; /* how many count, of the rows of a step's first window but for its last one */
        two_rows begun;     /* which of these rows count, from the last whole block's end on */
        uint32_t turn;      /* the ring's entry of the leaving block */
    };
    /* Whole blocks of these rows, and the rows behind them; no blocks in windows of STEP rows, or less. */
    PRIM_DEVICE uint32_t ring_size() const { return (uint32_t)(height - 1) / STEP; }
    PRIM_DEVICE uint32_t begun_rows() const { return (uint32_t)(height - 1) % STEP; }

    PRIM_DEVICE two_rows load_bits(const shared &s, uint32_t turn, const column_pair &m) const
    {
        const unsigned at = turn * COLUMNS + m.at;
        const prim::vec<uint8_t, 2> v =
            in_device() ? prim::load_vector<2>(this->bits_of_block() + at) : s.bits.template get_vector<2>(at);
        return v.at[0] | (two_rows)v.at[1] << 16;
    }
    PRIM_DEVICE void store_bits(shared &s, uint32_t turn, const column_pair &m, two_rows rows) const
    {
        const unsigned at = turn * COLUMNS + m.at;
        const prim::vec<uint8_t, 2> v = {(uint8_t)rows, (uint8_t)(rows >> 16)};
        if (in_device())
            prim::store_vector(this->bits_of_block() + at, v);
        else
            s.bits.template set_vector<2>(at, v);
    }

    /* The slot of row t of those from a slot on.  NEAR: of windows of STEP rows, or less, which lie in a ring. */
    template <bool NEAR> PRIM_DEVICE static unsigned place_of_slot(unsigned slot, unsigned t)
    {
        return (NEAR ? (slot + t) % SLOTS : slot + t) * COLUMNS;
    }
    /* 0 in place of samples. */
    template <bool NEAR>
    PRIM_DEVICE static void clear_rows(shared &s, unsigned slot, two_rows rows, const column_pair &m)
    {
        if (rows == 0) return;
#pragma unroll
        for (unsigned t = 0; t < STEP; t++)
#pragma unroll
            for (unsigned i = 0; i < 2; i++)
                if (rows >> (16 * i + t) & 1) s.rows.set(place_of_slot<NEAR>(slot, t) + m.at + i, Sample(0));
    }
    /* Takes rows out whose samples are no data or, unless NAN_COUNTS, not numbers. */
    template <bool NEAR, bool NAN_COUNTS>
    PRIM_DEVICE void test_values(const shared &s, unsigned slot, const column_pair &m, two_rows &rows) const
    {
#pragma unroll
        for (unsigned t = 0; t < STEP; t++) {
            const prim::vec<Sample, 2> v = s.rows.template get_vector<2>(place_of_slot<NEAR>(slot, t) + m.at);
#pragma unroll
            for (unsigned i = 0; i < 2; i++)
                if (v.at[i] == valid.nodata || (!NAN_COUNTS && v.at[i] != v.at[i])) rows &= ~(1u << (16 * i + t));
        }
    }
    template <bool NEAR>
    PRIM_DEVICE void test_mask(const shared &s, unsigned slot, const column_pair &m, two_rows &rows) const
    {
#pragma unroll
        for (unsigned t = 0; t < STEP; t++) {
            const unsigned at = place_of_slot<NEAR>(slot, t);
            uint32_t in_mask; /* a byte of each column */
            if constexpr (ONE_CHANNEL)
                in_mask = __builtin_bit_cast(uint16_t, s.mask.template get_vector<2>(at + m.at));
            else
                in_mask = s.mask.get(at + m.pixel[0]) | (uint32_t)s.mask.get(at + m.pixel[1]) << 8;
#pragma unroll
            for (unsigned i = 0; i < 2; i++)
                if (!(in_mask & 0xffu << 8 * i)) rows &= ~(1u << (16 * i + t));
        }
    }
    /* Which of `rows` rows from a slot on count; what does not becomes 0. */
    template <bool NEAR>
    PRIM_DEVICE two_rows test_rows(shared &s, unsigned slot, unsigned rows, const column_pair &m) const
    {
        const two_rows all = ((1u << rows) - 1) * BOTH & m.present;
        two_rows count = all;
        if (!valid.any_nan)
            test_values<NEAR, false>(s, slot, m, count);
        else if (valid.nodata == valid.nodata)
            test_values<NEAR, true>(s, slot, m, count);
        if (masked()) test_mask<NEAR>(s, slot, m, count);
        clear_rows<NEAR>(s, slot, all & ~count, m);
        return count;
    }
    /* The rows of a block between, or the first ones of it. */
    template <bool NEAR>
    PRIM_DEVICE void begin_counts(shared &s, const column_pair &m, counting_state &c, unsigned slot, uint32_t block,
                                  unsigned rows) const
    {
        const two_rows bits = test_rows<NEAR>(s, slot, rows, m);
        for (unsigned t = 0; t < STEP; t++) c.between += bits >> t & BOTH;
        if (!NEAR && rows == STEP)
            store_bits(s, block, m, bits);
        else
            c.begun = bits;
    }

    /* The counts of a step's windows, of rows from `slot` on that enter; what does not count becomes 0 in the leaving
     * ones, too, which lie in the first slots where they were copied anew. */
    template <bool NEAR>
    PRIM_DEVICE void count_columns(shared &s, const column_pair &m, counting_state &c, unsigned slot) const
    {
        two_rows leaves = NEAR ? 0 : load_bits(s, c.turn, m);
        const two_rows enters = test_rows<NEAR>(s, slot, STEP, m), upto = c.begun | enters << begun_rows(),
                       whole = upto & STEP_BITS;
        c.begun = upto >> STEP & STEP_BITS;
        if constexpr (NEAR) {
            leaves = whole;
        } else {
            store_bits(s, c.turn, m, whole);
            c.turn = c.turn + 1 < ring_size() ? c.turn + 1 : 0;
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
