/* box_float_strip.cuh - a block of the box filter of float samples in one kernel (box_float.cu). */
#ifndef BOX_FLOAT_STRIP_CUH
#define BOX_FLOAT_STRIP_CUH

#include "box/box_float_means.cuh"

namespace box
{

/* Results: a row of windows to results: float_means, or those of another filter. */
template <class Layout, class Results> struct float_strip : Results {
    using Sample = typename Layout::sample_type;
    using Results::OWN;
    using typename Layout::shared;
    using typename Results::column_part;
    using typename Results::column_state;
    using typename Results::strip_results;
    using typename Results::thread_columns;
    using typename Results::window_sums;
    static constexpr unsigned STEP = Layout::STEP_ROWS, WARPS = Layout::ROW_WARPS, RUN = Layout::RUN_PIXELS;
    using Layout::in, Layout::in_image_pitch, Layout::image_blocks, Layout::x, Layout::y, Layout::work, Layout::strip,
        Layout::lead, Layout::height, Layout::blocks, Layout::row_number, Layout::masked;

    PRIM_DEVICE void operator()(shared &s) const
    {
        const uint32_t image_number = prim::block_id() / image_blocks;
        const segments::segment g = work.at(prim::block_id() - image_number * image_blocks);
        const int32_t origin = g.strip * strip - lead, top = g.begin, bottom = g.end;
        const Sample *image = in + (int64_t)image_number * in_image_pitch;
        const bool near = height <= (int32_t)STEP; /* summed row by row */

        const thread_columns m = this->columns_of_thread(origin - x.before);
        const auto own_source = this->source_of_strip(image, origin - x.before);
        const auto source = [&] {
            if constexpr (Layout::FEW_REGISTERS)
                return s.source.get(0);
            else
                return own_source;
        };
        if (Layout::FEW_REGISTERS && prim::thread_id() == 0) s.source.set(0, own_source);
        if constexpr (Layout::HAS_COUNTS)
            if (masked()) this->store_mask_source(s, image_number, origin - x.before);
        column_state state[OWN] = {};
        strip_results results = this->results_of(origin, image_number, top + (int32_t)row_number());
        this->clear(s);
        this->prepare_columns(s, origin - x.before);
        this->prepare_results(s, results);
        prim::block_sync();                                            /* the sources are there */
        const int32_t first = top - y.before, last = bottom + y.after; /* rows of the segment's windows */
        int32_t entry = 0;
        if (!near) {
            /* Blocks are numbered from the first row of the image's first window on: sums do not depend on where a
             * segment begins. */
            if (blocks > 0) entry = (top / (int32_t)STEP + 1) % blocks;
            this->begin_columns(s, m, state, source(), first + (int32_t)STEP, entry);
        }
        const int32_t apart = near ? (int32_t)STEP : height - 1; /* from a step's leaving rows to its entering ones */
        this->copy_halves(s, source(), first, first + apart, last, near);
        unsigned half = 0;
        for (int32_t at = top; at < bottom; at += (int32_t)STEP, half ^= STEP, this->next_step(results)) {
            column_part oldest[OWN] = {};
            if (blocks > 0)
#pragma unroll
                for (unsigned p = 0; p < OWN; p++) oldest[p] = this->queued(s, entry, m.pair[p]);
            if constexpr (Layout::HAS_COUNTS)
                if (this->counted() && !near)
#pragma unroll
                    for (unsigned p = 0; p < OWN; p++)
                        state[p].counting.leaves = this->load_bits(s, state[p].counting.turn, m.pair[p]);
            prim::copy_async_wait();
            prim::block_sync(); /* the rows are there, and the sums of the step before are read */
            if constexpr (Layout::HAS_COUNTS) {
                if (this->counted()) {
#pragma unroll
                    for (unsigned p = 0; p < OWN; p++)
                        if (this->has_columns(m.pair[p])) this->count_step(s, m.pair[p], state[p], half, at == top);
                }
            }
#pragma unroll
            for (unsigned p = 0; p < OWN; p++) {
                if (!this->has_columns(m.pair[p])) continue;
                if (near)
                    this->sum_near(s, m.pair[p], state[p], half, height, at);
                else
                    this->sum_far(s, m.pair[p], state[p], oldest[p], entry, at);
            }
            entry = entry + 1 < blocks ? entry + 1 : 0;
            prim::block_sync(); /* the sums are there, and the rows are read */
            const int32_t next = at + (int32_t)STEP;
            if (next < bottom) {
                const int32_t leaving = next - y.before;
                if (near)
                    this->copy_rows(s, source(), leaving + apart, last, half, true);
                else
                    this->copy_halves(s, source(), leaving, leaving + apart, last, false);
            }
            window_sums v;
            if constexpr (Layout::HAS_COUNTS && !Layout::SQUARES)
                if (this->counted()) this->count_rows(s);
            const int32_t mine = at + (int32_t)row_number();
            this->sum_rows(s, v, results);
            this->stage_row(s, v, mine, bottom, results);
            if constexpr (WARPS == 1)
                prim::warp_sync(); /* the window sums or means are there */
            else
                prim::block_sync();
            if (mine < bottom) this->store_row(s, mine, results);
        }
        this->end(results);
    }
};

} // namespace box
#endif
