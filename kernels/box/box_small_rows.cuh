/* box_small_rows.cuh - a warp of the box filter of 3x3 (box_small.cu). */
#ifndef BOX_SMALL_ROWS_CUH
#define BOX_SMALL_ROWS_CUH

#include "box/box_segments.cuh"
#include "box/box_small_sums.cuh"
#include "tuning.cuh"

namespace box
{

/* Sums: small_sums or small_bytes. */
template <class Sums> struct small_rows {
    using Sample = typename Sums::sample_type;
    using row_sums = typename Sums::row_sums;
    static constexpr unsigned WARPS = tuning::BOX_SMALL_WARPS, threads = WARPS * prim::WARP;
    static constexpr int min_blocks = tuning::box_small_blocks(sizeof(Sample));
    static constexpr unsigned CHANNELS = Sums::CHANNEL_COUNT, VECTORS = Sums::VECTORS, COLUMNS = Sums::COLUMNS;
    static constexpr int32_t OWN = (int32_t)COLUMNS, STRIP = (int32_t)(prim::WARP - 2) * OWN;
    using row_samples = typename Sums::row_samples;
    using vector = typename Sums::vector;

    struct shared {
        /* For each column of a partial lane, the sample of a row; -1: none, zero. */
        prim::array<int32_t, COLUMNS * threads> sources;
    };

    const Sample *in;
    Sample *out;
    int64_t in_row_bytes, out_row_bytes, in_image_bytes, out_image_bytes;
    axis x, y;
    int32_t elements; /* of a row */
    segments work;
    uint32_t image_units, units; /* segments: of an image, of all */
    small_border border;

    /* The columns of a lane: neighbours of the lanes beside it.  The first and the last lane have no results. */
    struct lane_columns {
        int32_t begin;
        bool inside;            /* all lie in the image */
        bool cut;               /* the windows of some hold fewer columns than others, or border values */
        bool left, partial;     /* begins before the image; has parts of the image, or of a pixel beside it */
        int32_t halo[CHANNELS]; /* samples of a row for the pixel beside the image, if all lie beside it; -1: none */
    };

    /* The sample of a row that a column of the image or of its halo has; -1: none. */
    PRIM_DEVICE int32_t source_of(int32_t column) const
    {
        if (column >= 0 && column < elements) return column;
        constexpr int32_t channels = (int32_t)CHANNELS;
        if (column < -channels || column >= elements + channels) return -1;
        const int32_t pixel = column < 0 ? -1 : x.n, source = border_index(x, pixel);
        return source < 0 ? -1 : source * channels + column - pixel * channels;
    }

    PRIM_DEVICE static unsigned source_place(unsigned j) { return j * threads + prim::thread_id(); }

    PRIM_DEVICE lane_columns columns_of_lane(shared &s, int32_t strip) const
    {
        constexpr int32_t channels = (int32_t)CHANNELS;
        lane_columns m;
        m.begin = strip * STRIP + ((int32_t)prim::lane_id() - 1) * OWN;
        const int32_t end = m.begin + OWN;
        m.inside = m.begin >= 0 && end <= elements;
        m.cut = (border.shrinks || border.takes_value) && (m.begin < channels || end > elements - channels);
        m.left = m.begin < 0;
        m.partial = !m.inside && end != 0 && m.begin != elements && m.begin < elements + channels;
        for (int32_t c = 0; c < channels; c++) m.halo[c] = source_of(m.left ? c - channels : elements + c);
        if (m.partial)
            for (unsigned j = 0; j < COLUMNS; j++) s.sources.set(source_place(j), source_of(m.begin + (int32_t)j));
        return m;
    }

    PRIM_DEVICE const Sample *row_at(const Sample *image, int32_t row) const
    {
        return reinterpret_cast<const Sample *>(reinterpret_cast<const char *>(image) + row * in_row_bytes);
    }

    /* PLAIN: all columns of the warp lie in the image, and all windows are divided by 9. */
    template <bool PLAIN>
    PRIM_DEVICE row_samples load_row(const shared &s, const lane_columns &m, const Sample *image, int32_t row) const
    {
        const int32_t from = border_index(y, row);
        if (from < 0) return {};
        const Sample *p = row_at(image, from);
        if constexpr (!PLAIN)
            if (!m.inside) return m.partial ? load_samples(s, p) : load_halo(m, p);
        row_samples r;
#pragma unroll
        for (unsigned v = 0; v < VECTORS; v++) r.v[v] = prim::load(reinterpret_cast<const vector *>(p + m.begin) + v);
        return r;
    }

    PRIM_DEVICE static row_samples load_halo(const lane_columns &m, const Sample *row)
    {
        row_samples r = {};
#pragma unroll
        for (unsigned c = 0; c < CHANNELS; c++) {
            const Sample v = m.halo[c] < 0 ? Sample(0) : prim::load(row + m.halo[c]);
            if (m.left)
                Sums::set(r, COLUMNS - CHANNELS + c, v);
            else
                Sums::set(r, c, v);
        }
        return r;
    }

    /* One by one, but all at once: no load waits for the one before. */
    PRIM_DEVICE static row_samples load_samples(const shared &s, const Sample *row)
    {
        row_samples r = {};
        int32_t sources[COLUMNS];
        Sample v[COLUMNS];
#pragma unroll
        for (unsigned j = 0; j < COLUMNS; j++) sources[j] = s.sources.get(source_place(j));
#pragma unroll
        for (unsigned j = 0; j < COLUMNS; j++) v[j] = prim::load(row + (sources[j] < 0 ? 0 : sources[j]));
#pragma unroll
        for (unsigned j = 0; j < COLUMNS; j++) Sums::set(r, j, sources[j] < 0 ? Sample(0) : v[j]);
        return r;
    }

    template <bool PLAIN>
    PRIM_DEVICE void store_row(const lane_columns &m, Sample *image, int32_t row, const row_samples &means) const
    {
        const unsigned lane = prim::lane_id();
        if (lane == 0 || lane == prim::WARP - 1) return;
        Sample *p = reinterpret_cast<Sample *>(reinterpret_cast<char *>(image) + row * out_row_bytes) + m.begin;
        if constexpr (!PLAIN)
            if (!m.inside) return store_samples(m, p, means);
#pragma unroll
        for (unsigned v = 0; v < VECTORS; v++) prim::store(reinterpret_cast<vector *>(p) + v, means.v[v]);
    }
    PRIM_DEVICE void store_samples(const lane_columns &m, Sample *to, const row_samples &means) const
    {
#pragma unroll
        for (unsigned j = 0; j < COLUMNS; j++)
            if (m.begin + (int32_t)j < elements) prim::store(to + j, Sums::get(means, j));
    }

    PRIM_DEVICE void operator()(shared &s) const
    {
        const uint32_t number = prim::block_id() * WARPS + prim::warp_id();
        if (number >= units) return;
        const uint32_t image_number = number / image_units;
        const segments::segment g = work.at(number - image_number * image_units);
        const bool up = g.number % 2 != 0;
        const lane_columns m = columns_of_lane(s, g.strip);
        const auto image =
            reinterpret_cast<const Sample *>(reinterpret_cast<const char *>(in) + image_number * in_image_bytes);
        const auto result = reinterpret_cast<Sample *>(reinterpret_cast<char *>(out) + image_number * out_image_bytes);
        const bool plain = prim::all(m.inside && !m.cut), cut_rows = border.shrinks || border.takes_value;
        int32_t begin = g.begin, end = g.end;
        /* At first what is not plain, so that registers hold nothing else meanwhile: strips at the edges; and the first
         * and the last row of an image by themselves, where edges cut their windows. */
        for (;;) {
            int32_t from = begin, to = end;
            if (plain && cut_rows && begin == 0)
                to = begin = 1;
            else if (plain && cut_rows && end == y.n && begin < end)
                from = --end;
            else if (plain)
                break;
            march<false>(s, m, image, result, from, to, up);
            if (!plain) return;
        }
        if (begin < end) march<true>(s, m, image, result, begin, end, up);
    }

    /* The results of rows top .. end - 1, from the last one on if `up`. */
    template <bool PLAIN>
    PRIM_DEVICE void march(const shared &s, const lane_columns &m, const Sample *image, Sample *result, int32_t top,
                           int32_t end, bool up) const
    {
        constexpr int32_t AHEAD = (int32_t)(PLAIN ? tuning::BOX_SMALL_AHEAD : tuning::BOX_SMALL_EDGE_AHEAD);
        const int32_t first = up ? end : top - 1, step = up ? -1 : 1, last = end - top + 1;
        row_samples ahead[AHEAD]; /* rows first + k * step */
#pragma unroll
        for (int32_t k = 0; k < AHEAD; k++)
            if (k <= last) ahead[k] = load_row<PLAIN>(s, m, image, first + k * step);
        row_sums before = {}, middle = {}; /* of the two rows before */
        for (int32_t group = 0; group <= last; group += AHEAD)
#pragma unroll
            for (int32_t i = 0; i < AHEAD; i++) {
                const int32_t k = group + i, row = first + (k - 1) * step;
                if (k > last) return;
                const row_sums now = Sums::sum_row(ahead[i]);
                if (k + AHEAD <= last) ahead[i] = load_row<PLAIN>(s, m, image, first + (k + AHEAD) * step);
                if (k >= 2) {
                    const row_sums windows = Sums::sum_windows(before, middle, now);
                    store_row<PLAIN>(m, result, row, PLAIN ? Sums::means(windows) : means_of(m, windows, row));
                }
                before = middle;
                middle = now;
            }
    }

    PRIM_DEVICE row_samples means_of(const lane_columns &m, const row_sums &windows, int32_t row) const
    {
        const int32_t covered_rows = 3 - (row == 0) - (row == y.n - 1);
        const bool cut = m.cut || (covered_rows < 3 && (border.shrinks || border.takes_value));
        if (!prim::any(cut)) return Sums::means(windows);
        return Sums::cut_means(windows, border, small_windows_of<CHANNELS>(border, covered_rows, elements), m.begin);
    }
};

} // namespace box
#endif
