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

    /* They lie where the queue does. */
    PRIM_DEVICE row_bits load_bits(const shared &s, uint32_t turn, const tested_columns &m) const
    {
        const unsigned at = turn * COLUMNS + m.at;
        prim::vec<uint8_t, N> v;
        if constexpr (Layout::QUEUED > 0)
            v = s.bits.template get_vector<N>(at);
        else
            v = prim::load_vector<N>(this->bits_of_block() + at);
        row_bits rows = 0;
#pragma unroll
        for (unsigned i = 0; i < N; i++) rows |= (row_bits)v.at[i] << 16 * i;
        return rows;
    }
    PRIM_DEVICE void store_bits(shared &s, uint32_t turn, const tested_columns &m, row_bits rows) const
    {
        const unsigned at = turn * COLUMNS + m.at;
        prim::vec<uint8_t, N> v;
#pragma unroll
        for (unsigned i = 0; i < N; i++) v.at[i] = (uint8_t)(rows >> 16 * i);
        if constexpr (Layout::QUEUED > 0)
            s.bits.template set_vector<N>(at, v);
        else
            prim::store_vector(this->bits_of_block() + at, v);
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
    /* The pixels of N columns in a mask, a byte each, the first one's below. */
    PRIM_DEVICE uint32_t load_mask(const shared &s, unsigned at, const tested_columns &m) const
    {
        if constexpr (ONE_CHANNEL && N == 2)
            return __builtin_bit_cast(uint16_t, s.mask.template get_vector<2>(at + m.at));
        uint32_t pixels = 0;
#pragma unroll
        for (unsigned i = 0; i < N; i++)
            pixels |= (uint32_t)s.mask.get(at + (ONE_CHANNEL ? m.at + i : m.pixel[i])) << 8 * i;
        return pixels;
    }
    template <bool RING>
    PRIM_DEVICE void test_mask(const shared &s, unsigned slot, const tested_columns &m, row_bits &rows) const
    {
        if constexpr (N == 1) {
#pragma unroll
            for (unsigned t = 0; t < STEP; t++)
                if (load_mask(s, place_of_slot<RING>(slot, t), m) == 0) rows &= ~(1u << t);
        } else {
            /* Four pixels at a time, of rows t and STEP / 2 + t: bit 7 of each byte that is not 0. */
            constexpr row_bits HALF = ((1u << STEP / 2) - 1) * ALL_COLUMNS;
            row_bits found = 0;
#pragma unroll
            for (unsigned t = 0; t < STEP / 2; t++) {
                const uint32_t v =
                    prim::permute_bytes(load_mask(s, place_of_slot<RING>(slot, t), m),
                                        load_mask(s, place_of_slot<RING>(slot, STEP / 2 + t), m), 0x5140);
                found |= ((((v & 0x7f7f7f7f) + 0x7f7f7f7f) | v) & 0x80808080) >> (7 - t);
            }
            rows &= (found & HALF) | (found >> (8 - STEP / 2) & HALF << STEP / 2);
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

/* The counts of a thread's pairs of columns.  Sums take 0 for a sample that does not count. */
template <class Layout> struct float_counting : float_bits<Layout> {
    using base = float_bits<Layout>;
    using Sample = typename Layout::sample_type;
    using typename base::row_bits;
    using typename Layout::shared;
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
        uint32_t between[2]; /* how many count, of the rows of a step's first window but for its last one */
        row_bits leaves = ~0u, enters = ~0u; /* which rows of a step count; not those of low windows */
        row_bits begun;                      /* which of these rows count, from the last whole block's end on */
        uint32_t turn;                       /* the ring's entry of the leaving block */
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
#pragma unroll
        for (unsigned i = 0; i < 2; i++) c.between[i] += prim::count_bits(bits >> 16 * i & 0xffff);
        if (!NEAR && rows == STEP)
            this->store_bits(s, block, m, bits);
        else
            c.begun = bits;
    }

    /* The counts of a step's windows, of rows from `slot` on that enter.  In low windows what does not count becomes 0;
     * elsewhere sums take 0 for it, by the bits of leaving and entering rows (float_columns::kept()). */
    template <bool NEAR>
    PRIM_DEVICE void count_columns(shared &s, const column_pair &m, counting_state &c, unsigned slot) const
    {
        row_bits enters, leaves = c.leaves;
        if constexpr (NEAR)
            enters = take_rows<true>(s, slot, STEP, m);
        else
            enters = c.enters = this->template test_rows<false>(s, slot, STEP, m);
        const row_bits upto = c.begun | enters << this->begun_rows(), whole = upto & STEP_BITS;
        c.begun = upto >> STEP & STEP_BITS;
        if constexpr (NEAR) {
            leaves = whole;
        } else {
            this->store_bits(s, c.turn, m, whole);
            c.turn = c.turn + 1 < this->ring_size() ? c.turn + 1 : 0;
        }
        /* Bytes 0 and 2: of an entering row; 1 and 3: of the leaving row before it. */
        constexpr row_bits LAST = BOTH << (STEP - 1);
        const row_bits rows = enters | (leaves & ~LAST) << 9;
#pragma unroll
        for (unsigned t = 0; t < STEP; t++) {
            const int32_t row = (int32_t)(rows >> t & 0x01010101);
            c.between[0] = prim::dot_bytes(row, 0x0000ff01, c.between[0]);
            c.between[1] = prim::dot_bytes(row, (int32_t)0xff010000, c.between[1]);
            store_counts(s, t, m, {c.between[0], c.between[1]});
        }
#pragma unroll
        for (unsigned i = 0; i < 2; i++) c.between[i] -= leaves >> (16 * i + STEP - 1) & 1;
    }
    PRIM_DEVICE void store_counts(shared &s, unsigned row, const column_pair &m, const prim::vec<uint32_t, 2> &n) const
    {
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
