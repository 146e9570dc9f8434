/* window_moment_counts.cuh - which samples of a strip's columns count, a column of a thread (window_moments.cu).
 *
 * A sample is tested once, as it enters.  The bits of STEP rows wait in a ring until these rows leave. */
#ifndef WINDOW_MOMENT_COUNTS_CUH
#define WINDOW_MOMENT_COUNTS_CUH

#include "box/box_float_copies.cuh"

namespace window
{

template <class Layout> struct moment_counting : box::float_copies<Layout> {
    using Sample = typename Layout::sample_type;
    using typename Layout::shared;
    static constexpr unsigned STEP = Layout::STEP_ROWS;
    using Layout::COLUMNS, Layout::SLOTS, Layout::ONE_CHANNEL, Layout::y, Layout::height, Layout::valid, Layout::masked,
        Layout::shrinks, Layout::takes_value, Layout::in_device;

    struct column {
        unsigned at;            /* place in a row of samples */
        uint32_t to, to_narrow; /* in rows of sums, of counts */
        uint32_t pixel;
        bool in_strip, present; /* present: it has samples */
    };

    /* Rows of a column, a bit for each: 1 counts. */
    using row_bits = uint32_t;
    static constexpr row_bits STEP_BITS = (1u << STEP) - 1;
    static_assert(STEP <= 8);

    struct counting_state {
        row_bits leaves, enters; /* of a step; windows of STEP rows, or less: enters has all of its rows */
        row_bits begun;          /* of the rows before the entering ones, from the last whole block's end on */
        uint32_t turn;           /* the ring's entry of the leaving block */
    };
    /* Blocks of the rows between the leaving ones and the entering ones, with the leaving block; and rows behind. */
    PRIM_DEVICE uint32_t ring_size() const { return (uint32_t)(height - 1) / STEP; }
    PRIM_DEVICE uint32_t begun_rows() const { return (uint32_t)(height - 1) % STEP; }

    PRIM_DEVICE row_bits load_bits(const shared &s, uint32_t turn, const column &m) const
    {
        const unsigned at = turn * COLUMNS + m.at;
        return in_device() ? prim::load(this->bits_of_block() + at) : s.bits.get(at);
    }
    PRIM_DEVICE void store_bits(shared &s, uint32_t turn, const column &m, row_bits rows) const
    {
        const unsigned at = turn * COLUMNS + m.at;
        if (in_device())
            prim::store(this->bits_of_block() + at, (uint8_t)rows);
        else
            s.bits.set(at, (uint8_t)rows);
    }

    /* Which of `rows` rows in the slots from `slot` on count. */
    PRIM_DEVICE row_bits test_rows(const shared &s, unsigned slot, unsigned rows, const column &m) const
    {
        row_bits count = m.present ? (1u << rows) - 1 : 0;
        const auto place = [&](unsigned t) { return (slot + t < SLOTS ? slot + t : slot + t - SLOTS) * COLUMNS; };
        if (!valid.any_nan || valid.nodata == valid.nodata)
#pragma unroll
            for (unsigned t = 0; t < STEP; t++) {
                const Sample v = s.rows.get(place(t) + m.at);
                if (v == valid.nodata || (v != v && !valid.any_nan)) count &= ~(1u << t);
            }
        if (masked())
#pragma unroll
            for (unsigned t = 0; t < STEP; t++)
                if (s.mask.get(place(t) + (ONE_CHANNEL ? m.at : m.pixel)) == 0) count &= ~(1u << t);
        return count;
    }

    /* A block of the rows before the first entering ones, or its first rows. */
    PRIM_DEVICE row_bits begin_counts(shared &s, const column &m, counting_state &c, uint32_t block,
                                      unsigned rows) const
    {
        const row_bits bits = test_rows(s, 0, rows, m);
        if (rows == STEP)
            store_bits(s, block, m, bits);
        else
            c.begun = bits;
        return bits;
    }
    /* The rows of a step, of which the entering ones lie in the second half of the slots. */
    PRIM_DEVICE void count_far(shared &s, const column &m, counting_state &c) const
    {
        const row_bits enters = test_rows(s, STEP, STEP, m), upto = c.begun | enters << begun_rows();
        c.begun = upto >> STEP;
        c.leaves = load_bits(s, c.turn, m);
        c.enters = enters;
        store_bits(s, c.turn, m, upto & STEP_BITS);
        c.turn = c.turn + 1 < ring_size() ? c.turn + 1 : 0;
    }
    /* The rows of windows of STEP rows, or less, from slot `first` on. */
    PRIM_DEVICE void count_near(shared &s, const column &m, counting_state &c, unsigned first, bool begins) const
    {
        const unsigned before = (unsigned)height - 1;
        if (begins) c.begun = test_rows(s, first, before, m);
        c.enters = c.begun | test_rows(s, first + before, STEP, m) << before;
        c.begun = c.enters >> STEP;
    }

    /* ---- where samples are not counted ---- */

    PRIM_DEVICE bool repeats() const
    {
        return !(shrinks || takes_value);
    }
    /* Rows first .. end - 1 of windows that are in the image; all are where the border repeats rows. */
    PRIM_DEVICE int32_t count(int32_t first, int32_t end) const
    {
        if (repeats()) return end - first;
        first = first > 0 ? first : 0;
        end = end < y.n ? end : y.n;
        return end > first ? end - first : 0;
    }
    /* The same as bits, of `rows` rows. */
    PRIM_DEVICE row_bits rows_inside(int32_t first, unsigned rows) const
    {
        row_bits inside = 0;
        for (unsigned t = 0; t < rows; t++)
            if (repeats() || (uint32_t)(first + (int32_t)t) < (uint32_t)y.n) inside |= 1u << t;
        return inside;
    }
};

} // namespace window
#endif
