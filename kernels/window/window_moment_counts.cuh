/* window_moment_counts.cuh - which samples of a strip's columns count, a column of a thread (window_moments.cu). */
#ifndef WINDOW_MOMENT_COUNTS_CUH
#define WINDOW_MOMENT_COUNTS_CUH

#include "box/box_float_counts.cuh"

namespace window
{

template <class Layout> struct moment_counting : box::float_bits<Layout> {
    using base = box::float_bits<Layout>;
    using typename base::row_bits;
    using typename Layout::shared;
    static constexpr unsigned STEP = Layout::STEP_ROWS;
    using base::STEP_BITS;
    using Layout::y, Layout::height, Layout::shrinks, Layout::takes_value;

    struct column : base::tested_columns {
        uint32_t to, to_narrow; /* in rows of sums, of counts */
        bool in_strip;
    };

    struct counting_state {
        row_bits leaves, enters; /* of a step; windows of STEP rows, or less: enters has all of its rows */
        row_bits begun;          /* of the rows before the entering ones, from the last whole block's end on */
        uint32_t turn;           /* the ring's entry of the leaving block */
    };
    /* A block of the rows before the first entering ones, or its first rows. */
    PRIM_DEVICE row_bits begin_counts(shared &s, const column &m, counting_state &c, uint32_t block,
                                      unsigned rows) const
    {
        const row_bits bits = this->template test_rows<false>(s, 0, rows, m);
        if (rows == STEP)
            this->store_bits(s, block, m, bits);
        else
            c.begun = bits;
        return bits;
    }
    /* The rows of a step, of which the entering ones lie in the second half of the slots. */
    PRIM_DEVICE void count_far(shared &s, const column &m, counting_state &c) const
    {
        const row_bits enters = this->template test_rows<false>(s, STEP, STEP, m),
                       upto = c.begun | enters << this->begun_rows();
        c.begun = upto >> STEP;
        c.enters = enters;
        this->store_bits(s, c.turn, m, upto & STEP_BITS);
        c.turn = c.turn + 1 < this->ring_size() ? c.turn + 1 : 0;
    }
    /* The rows of windows of STEP rows, or less, from slot `first` on. */
    PRIM_DEVICE void count_near(const shared &s, const column &m, counting_state &c, unsigned first, bool begins) const
    {
        const unsigned before = (unsigned)height - 1;
        if (begins) c.begun = this->template test_rows<true>(s, first, before, m);
        c.enters = c.begun | this->template test_rows<true>(s, first + before, STEP, m) << before;
        c.begun = c.enters >> STEP;
    }

    /* ---- where samples are not counted ---- */

    PRIM_DEVICE bool repeats() const { return !(shrinks || takes_value); }
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
