/* window_moments.cu - statistics of windows of floats that need a variance or squares, where all samples count.
 *
 * Idea    The strips of box_float.cu, with two sums for each set of samples: of the samples, and of their squared
 *         distances from their mean.  Squares are summed about a pivot: (x - p)^2.  Going over to the mean m of n
 *         samples takes n (m - p)^2 away, which cancels much where p is far from all of them; so p is a sample of the
 *         set: of all windows of a step, a row that all of them hold.  A set that is whole is moved to another pivot by
 *         an addition.  So windows of a column are the end of the leaving rows, the parts between, and the beginning of
 *         the entering rows, as sums are; those of a row the end of a run of columns, whole runs, and the beginning of
 *         another, about the mean of a column that all of them hold.  Smaller windows are summed one by one.
 *
 * Paper   Chan, Golub & LeVeque, Updating formulae and a pairwise algorithm for computing sample variances, 1979; van
 *         Herk, A fast algorithm for local minimum and maximum filters, Pattern Recognition Letters 13, 1992.
 *
 * Layout  As box_float.cu, twice.  A column outside the image has squares below zero.
 *
 * Launch  As box_float.cu; a row of two warps, so that registers hold the sums of a run, and a column for each thread.
 *
 * Traffic That of box_float.cu; queues that shared memory has no room for, two doubles for STEP samples.
 *
 * Sync    Two barriers a step as there, and three for a row: its runs are there, its columns are read, results are
 *         there.
 *
 * Limits  Windows that leave a strip an eighth of its pixels, of less than 2^15 rows.  No extremes of the image.
 *
 * Steps   1. the rows above the first window  2. for each step: columns  3. rows  4. border values, statistics
 */
#include "window/window_state.cuh"

sat_status window::prepare_moments(state *w, bool *has_room)
{
    const bool one = w->spec.channels == 1;
    if (w->spec.sample == SAT_F32)
        return one ? prepare_moments_f32(w, has_room) : prepare_moments_f32_channels(w, has_room);
    return one ? prepare_moments_f64(w, has_room) : prepare_moments_f64_channels(w, has_room);
}
