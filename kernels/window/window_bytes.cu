/* window_bytes.cu - statistics of windows of u8 and i8 samples.
 *
 * Idea    The sums of a window, S1 of its samples and S2 of their squares, are made as in cpu_sums.c: sums
 *         of columns over the window's rows slide down a strip of the image, and prefix sums of these along each row
 *         give every window as a difference of two.  All of it is exact, modulo 2^32 or 2^64.  The formulas are those
 *         of the host, in f64 and in the same order, and so are the bits of the results.  A warp has a strip for
 *         itself, and no barrier.
 *
 * Paper   McDonnell, Box-filtering techniques, CGIP 17, 1981; Crow, SIGGRAPH 1984, for the prefix sums.
 *
 * Layout  One row of a strip, RUN columns for each lane, whose sums are in the lane's registers:
 *
 *             |<-- before -->|<------- strip: results -------->|<-- after -->|
 *     lane    0 0 0 0 1 1 1 1 2 2 2 2 3 3 3 3 ...                              columns' sums, slid down by one row
 *     shared  | exclusive prefix sums of these, S1 and S2 side by side |       runs padded to odd numbers of vectors
 *     lane    . . . . 0 1 2 3 4 5 6 7 8 9 ... 31 0 1 2 ...                     results: window = two entries
 *
 *         Lanes own neighbouring columns where they sum, and every 32nd where they make results: neighbouring lanes
 *         then read and write neighbouring words.  Columns outside the image repeat those that the border mode names;
 *         without one they count nothing, and border values are added to the sums of windows at the end.
 *
 * Launch  One block for each strip and segment of rows, strips at the edges first, since they take longest.  A segment
 *         begins with the rows of its first window (rows_of()).  Blocks of one warp, whose strips hold all channels; of
 *         several, with a scan over the block, for windows wider than three quarters of a warp's columns, sums of 64
 *         bits of u8, and samples of 32 bits: of fewer where the device's shared memory is smaller.  These have strips
 *         of one channel.
 *
 * Traffic 1R, and a write of each result; the leaving rows a second time and, for comparisons, each pixel a third time,
 *         from L2; strips and segments read their halos.  Rows are loaded while those before them become results.
 *
 * Sync    The lanes of a warp: one barrier after the prefix sums of a row, one after their use.  Columns beyond an edge
 *         change hands between the same two (window_lines.cuh).  Of several warps: one before, after their totals.
 *         Extremes of an image come from a pass of their own: each warp stores those that it saw, and a second kernel
 *         joins them.
 *
 * Limits  Integer samples; of 32 bits without squares, whose sums would take 96 bits.  Windows of at most a block's
 *         columns, where the border mode repeats samples or counts them; others are clipped to the image.  What is
 *         beyond these has passes (window_passes.cu).  Sides below 2^29, rows of less than 2^30 samples.
 *
 * Steps   1. Sum the rows of the first window.  2. Load the rows that enter and leave next.  3. Prefix sums to shared
 *         memory.  4. For each result: windows' sums to moments, and these to the result.  5. Slide; go to 2.
 */
#include "window/window_integers.cuh"

sat_status window::prepare_bytes(state *w, bool *has_room)
{
    return w->sums_in_32_bits ? prepare_channels<uint8_t, uint32_t>(w, has_room) : prepare_broad<uint8_t>(w, has_room);
}
