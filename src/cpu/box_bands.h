/* box_bands.h - the bands of rows that threads of a box filter take. */
#ifndef SAT_CPU_BOX_BANDS_H
#define SAT_CPU_BOX_BANDS_H

#include <stdint.h>

/* Rows in a band: several bands for each thread, so that none waits long for the last, but so tall that
 * the window of rows with which a band begins costs little beside it. */
static inline int64_t sat_cpu_box_band_rows(int64_t height, int64_t window_height, int threads)
{
    int64_t most = (height + threads - 1) / threads, rows = (height + 8 * threads - 1) / (8 * threads);
    int64_t window = window_height < height ? window_height : height;
    if (rows < 8 * window) rows = 8 * window;
    return rows < most ? rows : most;
}

#endif
