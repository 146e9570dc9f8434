/* box_bands.h - the bands of rows that threads of a box filter take. */
#ifndef SAT_CPU_BOX_BANDS_H
#define SAT_CPU_BOX_BANDS_H

#include "run.h"

/* Rows in a band: several bands for each thread, so that none waits long for the last, but so tall that
 * the window of rows with which a band begins costs little beside it.  Some rows of an image are one band where that
 * costs too much: then runs follow one another. */
static inline int64_t sat_cpu_box_band_rows(const sat_run *run, int64_t window_height, int threads)
{
    const int64_t height = run->end - run->first;
    int64_t most = (height + threads - 1) / threads, rows = (height + 8 * threads - 1) / (8 * threads);
    int64_t window = window_height < run->height ? window_height : run->height;
    if (height < run->height && most < 2 * window) return height;
    if (rows < 8 * window) rows = 8 * window;
    return rows < most ? rows : most;
}

#endif
