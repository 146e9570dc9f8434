/* box_segments.cuh - which rows of which strip the blocks or warps of a filter take each. */
#ifndef BOX_SEGMENTS_CUH
#define BOX_SEGMENTS_CUH

#include "prim/runtime.cuh"
#include "tuning.cuh"

namespace box
{

/* Rows of a segment.  All blocks take equally long, so they should fill a whole number of waves: of multiprocessors
 * times the blocks that fit one.  More waves make segments shorter, fewer of them sum the rows above their first
 * windows less often.  Fitted to what segments took under windows of 3 to 255 rows: SUMMED_ROWS rows that are only
 * summed take as long as one with results, and the start of a block as long as START_ROWS of these. */
constexpr int64_t SUMMED_ROWS = 4, START_ROWS = 16, MOST_WAVES = 8;

inline int64_t rows_of(int64_t height, int64_t window, int64_t strips, int64_t at_once, int64_t step)
{
    int64_t best = height, least = INT64_MAX;
    for (int64_t waves = 1; waves <= MOST_WAVES; waves++) {
        const int64_t segments = at_once * waves / strips;
        if (segments == 0) continue;
        const int64_t rows = ((height + segments - 1) / segments + step - 1) / step * step;
        const int64_t cost = waves * ((rows + START_ROWS) * SUMMED_ROWS + window);
        if (cost >= least) continue;
        least = cost;
        best = rows;
    }
    return best;
}

/* The segments of an image's strips.  The strips at the left and right edge, whose rows take longer, have shorter ones,
 * and come first. */
struct segments {
    int32_t height, strips, rows, edge_rows;

    struct segment {
        int32_t strip, begin, end; /* rows */
        int32_t number;            /* in the strip */
    };
    PRIM_DEVICE segment at(uint32_t unit) const
    {
        const uint32_t edges = strips > 1 ? 2 : 1, others = (uint32_t)strips - edges;
        const uint32_t first = edges * (uint32_t)((height + edge_rows - 1) / edge_rows);
        const bool edge = unit < first;
        const uint32_t of_row = edge ? edges : others, from = edge ? unit : unit - first;
        const int32_t number = (int32_t)(from / of_row), column = (int32_t)(from % of_row);
        const int32_t most = edge ? edge_rows : rows, begin = number * most;
        const int32_t strip = !edge ? column + 1 : column > 0 ? strips - 1 : 0;
        return {strip, begin, begin + most < height ? begin + most : height, number};
    }
};
inline int64_t count_of(const segments &s)
{
    const int64_t edges = s.strips > 1 ? 2 : 1, height = s.height;
    return edges * ((height + s.edge_rows - 1) / s.edge_rows) + (s.strips - edges) * ((height + s.rows - 1) / s.rows);
}

/* Segments of rows_of() rows.  A strip at an edge has as many as edge_share others, and the blocks that are left in the
 * last wave. */
inline segments segments_of(int64_t height, int64_t window, int64_t strips, int64_t images, int64_t at_once,
                            int64_t step, int64_t edge_share)
{
    const auto rows_for = [&](int64_t segments) {
        return (int32_t)(((height + segments - 1) / segments + step - 1) / step * step);
    };
    const int64_t edges = strips > 1 ? 2 : 1, shares = strips + edges * (edge_share - 1);
    const int64_t of_strip = (height - 1) / rows_of(height, window, shares * images, at_once, step) + 1;
    const int64_t blocks = of_strip * shares * images, waves = (blocks + at_once - 1) / at_once;
    const int64_t left = (waves * at_once - blocks) / images;
    const int64_t more = tuning::simulated ? 1 : of_strip * (edge_share - 1) + left / edges;
    return {(int32_t)height, (int32_t)strips, rows_for(of_strip), rows_for(of_strip + more)};
}

/* Blocks that fit a multiprocessor: as many as the kernel was compiled for, or as its shared memory has room for.  That
 * is what one block may have, and a kilobyte that each block takes for itself. */
template <class Filter> int64_t blocks_at_once()
{
    if (tuning::simulated) return Filter::min_blocks; /* small images have several segments */
    constexpr size_t own = 1 << 10;
    const int64_t fit = (int64_t)((prim::shared_memory_limit() + own) / (sizeof(typename Filter::shared) + own));
    return fit < 1 ? 1 : fit < Filter::min_blocks ? fit : Filter::min_blocks;
}

} // namespace box
#endif
