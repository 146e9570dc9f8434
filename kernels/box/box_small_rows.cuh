/* box_small_rows.cuh - a warp of the box filter of 3x3 (box_small.cu). */
#ifndef BOX_SMALL_ROWS_CUH
#define BOX_SMALL_ROWS_CUH

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
        /* For each column of a lane whose columns are not all in the image: the sample of a row; -1: none, zero. */
        prim::array<int32_t, COLUMNS * threads> sources;
    };

    const Sample *in;
    Sample *out;
    int64_t in_row_bytes, out_row_bytes, in_image_bytes, out_image_bytes;
    axis x, y;
    int32_t elements; /* of a row */
    int32_t strips, segments, rows;
    uint32_t image_units, units; /* strips of segments: of an image, of all */
    small_border border;

    /* The columns of a lane: neighbours of the lanes beside it.  The first and the last lane have no results. */
    struct lane_columns {
        int32_t begin;
        bool inside; /* all lie in the image */
        bool cut;    /* the windows of some hold fewer columns than others, or border values */
    };

    /* Strips at the edges come first, since they take longest. */
    PRIM_DEVICE void place_of(uint32_t unit, int32_t *segment, int32_t *strip) const
    {
        const uint32_t edges = strips > 1 ? 2 : 1, first = edges * (uint32_t)segments;
        if (unit < first) {
            *segment = (int32_t)(unit / edges);
            *strip = unit % edges ? strips - 1 : 0;
        } else {
            const uint32_t others = (uint32_t)strips - edges;
            *segment = (int32_t)((unit - first) / others);
            *strip = (int32_t)((unit - first) % others) + 1;
        }
    }

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
        lane_columns m;
        m.begin = strip * STRIP + ((int32_t)prim::lane_id() - 1) * OWN;
        m.inside = m.begin >= 0 && m.begin + OWN <= elements;
        m.cut = (border.shrinks || border.takes_value) &&
                (m.begin < (int32_t)CHANNELS || m.begin + OWN > elements - (int32_t)CHANNELS);
        if (!m.inside)
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
        row_samples r = {};
        const int32_t from = border_index(y, row);
        if (from < 0) return r;
        const Sample *p = row_at(image, from);
        if (PLAIN || m.inside) {
#pragma unroll
            for (unsigned v = 0; v < VECTORS; v++)
                r.v[v] = prim::load(reinterpret_cast<const vector *>(p + m.begin) + v);
            return r;
        }
        /* All at once: no load waits for the one before. */
        int32_t sources[COLUMNS];
        Sample v[COLUMNS];
#pragma unroll
        for (unsigned j = 0; j < COLUMNS; j++) sources[j] = s.sources.get(source_place(j));
#pragma unroll
        for (unsigned j = 0; j < COLUMNS; j++) v[j] = prim::load(p + (sources[j] < 0 ? 0 : sources[j]));
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
        if (PLAIN || m.inside) {
#pragma unroll
            for (unsigned v = 0; v < VECTORS; v++) prim::store(reinterpret_cast<vector *>(p) + v, means.v[v]);
            return;
        }
#pragma unroll
        for (unsigned j = 0; j < COLUMNS; j++)
            if (m.begin + (int32_t)j < elements) prim::store(p + j, Sums::get(means, j));
    }

    PRIM_DEVICE void operator()(shared &s) const
    {
        const uint32_t number = prim::block_id() * WARPS + prim::warp_id();
        if (number >= units) return;
        const uint32_t image_number = number / image_units;
        int32_t segment, strip;
        place_of(number - image_number * image_units, &segment, &strip);
        const lane_columns m = columns_of_lane(s, strip);
        const char *image = reinterpret_cast<const char *>(in) + image_number * in_image_bytes;
        char *result = reinterpret_cast<char *>(out) + image_number * out_image_bytes;
        const int32_t top = segment * rows, end = top + rows < y.n ? top + rows : y.n;
        const bool cut = m.cut || ((border.shrinks || border.takes_value) && (top == 0 || end == y.n));
        const bool plain = prim::all(m.inside && !cut);
        if (plain)
            march<true>(s, m, reinterpret_cast<const Sample *>(image), reinterpret_cast<Sample *>(result), top, end);
        else
            march<false>(s, m, reinterpret_cast<const Sample *>(image), reinterpret_cast<Sample *>(result), top, end);
    }

    /* The results of rows top .. end - 1.  Every other segment is walked upwards. */
    template <bool PLAIN>
    PRIM_DEVICE void march(const shared &s, const lane_columns &m, const Sample *image, Sample *result, int32_t top,
                           int32_t end) const
    {
        constexpr int32_t AHEAD = PLAIN ? (int32_t)tuning::BOX_SMALL_AHEAD : 2;
        const bool up = top / rows % 2;
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
                    store_row<PLAIN>(m, result, row,
                                     PLAIN ? Sums::means(windows)
                                           : Sums::cut_means(windows, border, covered_rows(row), m.begin, elements));
                }
                before = middle;
                middle = now;
            }
    }

    /* Rows of the image in the windows of a row. */
    PRIM_DEVICE int32_t covered_rows(int32_t row) const
    {
        return 3 - (row == 0) - (row == y.n - 1);
    }
};

} // namespace box
#endif
