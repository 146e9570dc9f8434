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
    static constexpr bool COUNTS = Layout::HAS_COUNTS;
    using Layout::COLUMNS, Layout::SLOTS, Layout::CHUNK, Layout::threads, Layout::x, Layout::y, Layout::pixels,
        Layout::in_row_bytes, Layout::aligned, Layout::channel_count, Layout::pixel_of, Layout::valid, Layout::masked,
        Layout::absent;

    template <class T>
    PRIM_DEVICE strip_source<T> source_of(const T *image, int64_t row_bytes, int32_t left, int32_t channels,
                                          int32_t unit, T absent) const
    {
        const int32_t first = left * channels, begin = first < 0 ? -first : 0;
        const int32_t right = left + pixels < x.n ? left + pixels : x.n, end = (right - left) * channels;
        strip_source<T> from = {image, row_bytes, left, first, (begin + unit - 1) / unit * unit, end / unit * unit,
                                0,     absent};
        if (unit == 1 || from.end <= from.begin)
            from.begin = from.end = unit == 1 && left >= 0 && left + pixels <= x.n ? -1 : 0;
        from.others = (uint32_t)(pixels * channels - (from.end - from.begin));
        return from;
    }
    PRIM_DEVICE strip_source<Sample> source_of_strip(const Sample *image, int32_t left) const
    {
        return source_of(image, in_row_bytes, left, (int32_t)channel_count(), (int32_t)aligned, absent());
    }
    PRIM_DEVICE void store_mask_source(shared &s, uint32_t image, int32_t left) const
    {
        if (prim::thread_id() != 0) return;
        const uint8_t *mask = valid.mask + image * valid.mask_image_bytes;
        s.mask_source.set(0, source_of(mask, valid.mask_row_bytes, left, 1, valid.mask_words ? 4 : 1, uint8_t(0)));
    }

    /* The image's pixel that a pixel of the strip has; -1: none. */
    PRIM_DEVICE int32_t source_of_pixel(int32_t left, uint32_t pixel) const
    {
        const int32_t position = left + (int32_t)pixel;
        if (pixel >= (uint32_t)pixels || position < -x.halo || position > x.n + x.after) return -1;
        return border_index(x, position);
    }

    /* Stores the sources of all columns, and what is absent for columns that have none: no copy touches these. */
    PRIM_DEVICE void prepare_columns(shared &s, int32_t left) const
    {
        for (unsigned i = prim::thread_id(); i < COLUMNS; i += threads) {
            const uint32_t pixel = pixel_of(i), channels = channel_count();
            const int32_t from = source_of_pixel(left, pixel);
            s.sources.set(i, from < 0 ? -1 : from * (int32_t)channels + (int32_t)(i - pixel * channels));
            for (unsigned slot = 0; slot < SLOTS && from < 0; slot++) s.rows.set(slot * COLUMNS + i, Sample(0));
            if (masked() && source_of_pixel(left, i) < 0)
                for (unsigned slot = 0; slot < SLOTS; slot++) s.mask.set(slot * COLUMNS + i, 0);
        }
    }

    /* Begins to copy rows first .. first + STEP - 1 to `slot` and the slots behind it; rows from `end` on are not
     * needed, and may be absent.  with_mask: and those of the mask. */
    PRIM_DEVICE void copy_rows(shared &s, const strip_source<Sample> &m, int32_t first, int32_t end, unsigned slot,
                               bool with_mask) const
    {
        if (aligned == CHUNK)
            copy_vectors<CHUNK>(s.rows, m, first, end, slot);
        else if (CHUNK > 2 && aligned == 2)
            copy_vectors<2>(s.rows, m, first, end, slot);
        if (m.others > 0) {
            if constexpr (Layout::FEW_REGISTERS)
                copy_other_samples(s, m, first, end, slot);
            else
                call_copy_others(s, m, first, end, slot);
        }
        if constexpr (COUNTS)
            if (masked() && with_mask) copy_mask(s, s.mask_source.get(0), first, end, slot);
    }
    PRIM_DEVICE void copy_other_samples(shared &s, const strip_source<Sample> &m, int32_t first, int32_t end,
                                        unsigned slot) const
    {
        copy_others(s.rows, m, first, end, slot, [&](unsigned i) { return s.sources.get(i); });
    }
    PRIM_NOINLINE void call_copy_others(shared &s, strip_source<Sample> m, int32_t first, int32_t end,
                                        unsigned slot) const
    {
        copy_other_samples(s, m, first, end, slot);
    }
    /* Rows from `first` on to the first half of the slots, with a mask or, where they have been counted, without, and
     * rows from `second` on to the other one: by one copy of the code, but for means of one channel, which that would
     * slow (docs/lab/box.md). */
    PRIM_DEVICE void copy_halves(shared &s, const strip_source<Sample> &m, int32_t first, int32_t second, int32_t end,
                                 bool with_mask) const
    {
        if constexpr (!Layout::FEW_REGISTERS) {
            copy_rows(s, m, first, end, 0, with_mask);
            copy_rows(s, m, second, end, STEP, true);
        } else {
#pragma unroll 1
            for (unsigned half = 0; half < 2; half++)
                copy_rows(s, m, half ? second : first, end, half * STEP, half || with_mask);
        }
    }
    PRIM_DEVICE void copy_mask(shared &s, const strip_source<uint8_t> &m, int32_t first, int32_t end,
                               unsigned slot) const
    {
        if (valid.mask_words) copy_vectors<4>(s.mask, m, first, end, slot);
        if (m.others > 0)
            copy_others(s.mask, m, first, end, slot, [&](unsigned i) { return source_of_pixel(m.left, i); });
    }

    /* The row of the image that a row of windows has; -1: none. */
    PRIM_DEVICE int32_t source_of_row(int32_t row, int32_t end) const
    {
        return row < end ? border_index(y, row) : -1;
    }
    template <class T> PRIM_DEVICE static const T *row_at(const T *image, int64_t row_bytes, int32_t row)
    {
        return reinterpret_cast<const T *>(reinterpret_cast<const char *>(image) + row * row_bytes);
    }

    /* Neighbouring threads copy neighbouring vectors, and all of them whole rows at a time: rows of a step are often
     * powers of two apart, and lie behind the same few channels of memory. */
    template <unsigned N, class T, unsigned SIZE>
    PRIM_DEVICE void copy_vectors(prim::array<T, SIZE> &rows, const strip_source<T> &m, int32_t first, int32_t end,
                                  unsigned slot) const
    {
        constexpr unsigned VECTORS = COLUMNS / N < threads ? COLUMNS / N : threads;
#pragma unroll
        for (unsigned part = 0; part < COLUMNS; part += VECTORS * N)
            copy_part<N, VECTORS>(rows, m, first, end, slot, part);
    }
    /* So many vectors of each row, from a column on. */
    template <unsigned N, unsigned VECTORS, class T, unsigned SIZE>
    PRIM_DEVICE void copy_part(prim::array<T, SIZE> &rows, const strip_source<T> &m, int32_t first, int32_t end,
                               unsigned slot, unsigned part) const
    {
        constexpr unsigned ROWS = threads / VECTORS;
        constexpr bool EVEN = STEP % ROWS == 0 && ROWS * VECTORS == threads;
        const unsigned own = prim::thread_id() / VECTORS;
        const int32_t column = (int32_t)(part + prim::thread_id() % VECTORS * N);
        if (column < m.begin || column >= m.end || (!EVEN && own >= ROWS)) return;
        const unsigned to = (slot + own) * COLUMNS + (unsigned)column;
        if (first >= 0 && first + (int32_t)STEP <= y.n) {
            const T *from = row_at(m.image + m.first + column, m.row_bytes, first + (int32_t)own);
#pragma unroll
            for (unsigned k = 0; k < STEP; k += ROWS, from = row_at(from, m.row_bytes, (int32_t)ROWS))
                if (EVEN || own + k < STEP) prim::copy_async_vector<N>(rows, to + k * COLUMNS, from);
            return;
        }
        prim::vec<T, N> none;
#pragma unroll
        for (unsigned i = 0; i < N; i++) none.at[i] = m.absent;
#pragma unroll 1
        for (unsigned k = 0; own + k < STEP; k += ROWS) {
            const int32_t row = source_of_row(first + (int32_t)(own + k), end);
            if (row >= 0)
                prim::copy_async_vector<N>(rows, to + k * COLUMNS,
                                           row_at(m.image + m.first + column, m.row_bytes, row));
            else
                rows.template set_vector<N>(to + k * COLUMNS, none);
        }
    }

    /* The other columns, of rows that are not aligned all: as many of each row for all warps, so that a strip at an
     * edge takes no longer than others. */
    template <class T, unsigned SIZE, class Source>
    PRIM_DEVICE void copy_others(prim::array<T, SIZE> &rows, const strip_source<T> &m, int32_t first, int32_t end,
                                 unsigned slot, const Source &source_at) const
    {
        const unsigned own = prim::warp_id() % STEP, lane = prim::warp_id() / STEP * prim::WARP + prim::lane_id();
        const unsigned vectors = (unsigned)(m.end - m.begin), to = (slot + own) * COLUMNS;
        const int32_t row = source_of_row(first + (int32_t)own, end);
        const T *from = row_at(m.image, m.row_bytes, row < 0 ? 0 : row);
        if (m.begin < 0 && row >= 0) {
            from += m.first;
#pragma unroll 4
            for (unsigned i = lane; i < m.others; i += WARPS * prim::WARP) prim::copy_async(rows, to + i, from + i);
            return;
        }
        for (unsigned i = lane; i < m.others; i += WARPS * prim::WARP) {
            const unsigned column = i < (unsigned)m.begin ? i : i + vectors;
            const int32_t at = source_at(column);
            if (at < 0) continue; /* absent, since prepare_columns() */
            if (row >= 0)
                prim::copy_async(rows, to + column, from + at);
            else
                rows.set(to + column, m.absent);
        }
    }
};

} // namespace box
#endif
