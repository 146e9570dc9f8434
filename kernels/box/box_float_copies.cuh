/* box_float_copies.cuh - the samples of a strip on their way to shared memory (box_float.cu). */
#ifndef BOX_FLOAT_COPIES_CUH
#define BOX_FLOAT_COPIES_CUH

#include "box/box_float_layout.cuh"

namespace box
{

template <class Layout> struct float_copies : Layout {
    using Sample = typename Layout::sample_type;
    using typename Layout::shared;
    static constexpr unsigned STEP = Layout::STEP_ROWS, WARPS = Layout::ROW_WARPS;
    using Layout::COLUMNS, Layout::SLOTS, Layout::CHUNK, Layout::threads, Layout::x, Layout::y, Layout::pixels,
        Layout::in_row_bytes, Layout::aligned, Layout::channel_count, Layout::pixel_of;

    /* Where a strip lies in the image.  Columns begin .. end - 1 lie in the image, side by side, and are copied as
     * vectors of `aligned` samples; the others are copied one by one, or are zeros. */
    struct strip_source {
        const Sample *image;
        int32_t first; /* the sample of a row that column 0 has; below zero: before the image */
        int32_t begin, end;
    };

    /* left: the pixel of column 0. */
    PRIM_DEVICE strip_source source_of_strip(const Sample *image, int32_t left) const
    {
        const int32_t channels = (int32_t)channel_count(), first = left * channels, last = x.n * channels - first;
        const int32_t most = pixels * channels, unit = (int32_t)aligned, begin = first < 0 ? -first : 0;
        const int32_t end = last < most ? last : most;
        strip_source from = {image, first, (begin + unit - 1) / unit * unit, end / unit * unit};
        if (unit == 1 || from.end <= from.begin) from.begin = from.end = 0;
        return from;
    }

    /* The sample of a row that a column has; -1: none, zeros. */
    PRIM_DEVICE int32_t source_of_column(int32_t left, unsigned column) const
    {
        const uint32_t pixel = pixel_of(column);
        const int32_t position = left + (int32_t)pixel;
        if (pixel >= (uint32_t)pixels || position < -x.halo || position > x.n + x.after) return -1;
        const int32_t source = border_index(x, position);
        return source < 0 ? -1 : source * (int32_t)channel_count() + (int32_t)(column - pixel * channel_count());
    }

    /* Stores the sources of all columns, and zeros for those that have none: no copy touches these. */
    PRIM_DEVICE void prepare_columns(shared &s, int32_t left) const
    {
        for (unsigned i = prim::thread_id(); i < COLUMNS; i += threads) {
            const int32_t source = source_of_column(left, i);
            s.sources.set(i, source);
            for (unsigned slot = 0; slot < SLOTS && source < 0; slot++) s.rows.set(slot * COLUMNS + i, Sample(0));
        }
    }

    /* Begins to copy rows first .. first + STEP - 1 to `slot` and the slots behind it, a row for each warp; rows from
     * `end` on are not needed, and zeros. */
    PRIM_DEVICE void copy_rows(shared &s, const strip_source &m, int32_t first, int32_t end, unsigned slot) const
    {
        const unsigned row = prim::warp_id() % STEP, lane = prim::warp_id() / STEP * prim::WARP + prim::lane_id();
        const unsigned to = (slot + row) * COLUMNS;
        const int32_t at = first + (int32_t)row, source = at < end ? border_index(y, at) : -1;
        if (source < 0) {
            for (unsigned i = lane * 2; i < COLUMNS; i += 2 * WARPS * prim::WARP)
                s.rows.template set_vector<2>(to + i, prim::vec<Sample, 2>{});
            return;
        }
        const Sample *from =
            reinterpret_cast<const Sample *>(reinterpret_cast<const char *>(m.image) + source * in_row_bytes);
        if (aligned == CHUNK)
            copy_vectors<CHUNK>(s, m, from, to, lane);
        else if (CHUNK > 2 && aligned == 2)
            copy_vectors<2>(s, m, from, to, lane);
        const unsigned others = (unsigned)((int32_t)COLUMNS - (m.end - m.begin));
        for (unsigned i = lane; i < others; i += WARPS * prim::WARP) {
            const unsigned column = i < (unsigned)m.begin ? i : i + (COLUMNS - others);
            const int32_t sample = s.sources.get(column);
            if (sample >= 0) prim::copy_async(s.rows, to + column, from + sample);
        }
    }

    template <unsigned N>
    PRIM_DEVICE void copy_vectors(shared &s, const strip_source &m, const Sample *from, unsigned to,
                                  unsigned lane) const
    {
        constexpr unsigned APART = N * WARPS * prim::WARP;
        static_assert(COLUMNS % APART == 0);
#pragma unroll
        for (unsigned i = 0; i < COLUMNS; i += APART) {
            const int32_t column = (int32_t)(i + lane * N);
            if (column >= m.begin && column < m.end)
                prim::copy_async_vector<N>(s.rows, to + (unsigned)column, from + m.first + column);
        }
    }
};

} // namespace box
#endif
