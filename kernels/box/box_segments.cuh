/* box_segments.cuh - how many rows the blocks of a filter take each. */
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
