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
        uint32_t others; /* columns of the strip besides */
    };

    /* left: the pixel of column 0. */
    PRIM_DEVICE strip_source source_of_strip(const Sample *image, int32_t left) const
    {
        const int32_t channels = (int32_t)channel_count(), first = left * channels, unit = (int32_t)aligned;
        const int32_t begin = first < 0 ? -first : 0, right = left + pixels < x.n ? left + pixels : x.n;
        const int32_t end = (right - left) * channels;
        strip_source from = {image, first, (begin + unit - 1) / unit * unit, end / unit * unit, 0};
        if (unit == 1 || from.end <= from.begin) from.begin = from.end = 0;
        from.others = (uint32_t)(pixels * channels - (from.end - from.begin));
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

    /* Begins to copy rows first .. first + STEP - 1 to `slot` and the slots behind it; rows from `end` on are not
     * needed, and may be zeros. */
    PRIM_DEVICE void copy_rows(shared &s, const strip_source &m, int32_t first, int32_t end, unsigned slot) const
    {
        if (aligned == CHUNK)
            copy_vectors<CHUNK>(s, m, first, end, slot);
        else if (CHUNK > 2 && aligned == 2)
            copy_vectors<2>(s, m, first, end, slot);
        if (m.others > 0) copy_others(s, m, first, end, slot);
    }

    /* The row of the image that a row of windows has; -1: none, zeros. */
    PRIM_DEVICE int32_t source_of_row(int32_t row, int32_t end) const { return row < end ? border_index(y, row) : -1; }
    PRIM_DEVICE const Sample *row_at(const Sample *image, int32_t row) const
    {
        return reinterpret_cast<const Sample *>(reinterpret_cast<const char *>(image) + row * in_row_bytes);
    }

    /* Neighbouring threads copy neighbouring vectors, and all of them whole rows at a time: rows of a step are often
     * powers of two apart, and lie behind the same few channels of memory. */
    template <unsigned N>
    PRIM_DEVICE void copy_vectors(shared &s, const strip_source &m, int32_t first, int32_t end, unsigned slot) const
    {
        constexpr unsigned VECTORS = COLUMNS / N, ROWS = threads / VECTORS ? threads / VECTORS : 1;
        static_assert(STEP % ROWS == 0 && (ROWS * VECTORS == threads || VECTORS == threads));
        const unsigned own = prim::thread_id() / VECTORS;
        const int32_t column = (int32_t)(prim::thread_id() % VECTORS * N);
        if (column < m.begin || column >= m.end) return;
        const unsigned to = (slot + own) * COLUMNS + (unsigned)column;
        if (first >= 0 && first + (int32_t)STEP <= y.n) {
            const Sample *from = row_at(m.image + m.first + column, first + (int32_t)own);
#pragma unroll
            for (unsigned k = 0; k < STEP; k += ROWS, from = row_at(from, (int32_t)ROWS))
                prim::copy_async_vector<N>(s.rows, to + k * COLUMNS, from);
            return;
        }
#pragma unroll 1
        for (unsigned k = 0; k < STEP; k += ROWS) {
            const int32_t row = source_of_row(first + (int32_t)(own + k), end);
            if (row >= 0)
                prim::copy_async_vector<N>(s.rows, to + k * COLUMNS, row_at(m.image + m.first + column, row));
            else
                s.rows.template set_vector<N>(to + k * COLUMNS, prim::vec<Sample, N>{});
        }
    }

    /* The other columns: as many of each row for all warps, so that a strip at an edge takes no longer than others. */
    PRIM_DEVICE void copy_others(shared &s, const strip_source &m, int32_t first, int32_t end, unsigned slot) const
    {
        const unsigned own = prim::warp_id() % STEP, lane = prim::warp_id() / STEP * prim::WARP + prim::lane_id();
        const unsigned vectors = (unsigned)(m.end - m.begin), to = (slot + own) * COLUMNS;
        const int32_t row = source_of_row(first + (int32_t)own, end);
        const Sample *from = row_at(m.image, row < 0 ? 0 : row);
        for (unsigned i = lane; i < m.others; i += WARPS * prim::WARP) {
            const unsigned column = i < (unsigned)m.begin ? i : i + vectors;
            const int32_t sample = s.sources.get(column);
            if (sample < 0) continue; /* a zero, since prepare_columns() */
            if (row >= 0)
                prim::copy_async(s.rows, to + column, from + sample);
            else
                s.rows.set(to + column, Sample(0));
        }
    }
};

} // namespace box
#endif
