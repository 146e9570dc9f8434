/* window_moments.cu - statistics of windows of floats that need a variance or squares; with counts where samples may
 * not count: under a mask, NaN skipped, no data.
 *
 * Idea    The strips of box_float.cu, with two sums for each set of samples: of the samples, and of their squared
 *         distances from their mean.  Squares are summed about a pivot: (x - p)^2.  Going over to the mean m of n
 *         samples takes n (m - p)^2 away, which cancels much where p is far from all of them; so p is a sample of the
 *         set: of all windows of a step, the first entering row, or where that does not count the last sample before
 *         that does.  Where not all count, entering rows are summed about the first of them that does, and moved to
 *         the windows' pivot; windows behind the last leaving sample may have entering rows alone.  A set that is whole
 *         is moved to another pivot by an addition.  So windows of a column are the end of the leaving rows, the parts
 *         between, and the beginning of the entering rows, as sums are; those of a row are the end of a part of a run
 *         of columns, whole runs, and further columns, about the mean of a column that all of them hold.  Where no
 *         such column has samples, the nearest one at one end serves, which windows hold, or nothing; if both ends have
 *         some, or windows are narrower than a run, each window is summed by itself.
 *
 * Paper   Chan, Golub & LeVeque, Updating formulae and a pairwise algorithm for computing sample variances, 1979; van
 *         Herk, A fast algorithm for local minimum and maximum filters, Pattern Recognition Letters 13, 1992.
 *
 * Layout  Columns of a row, in runs of RUN = 2; a place has a sum and its squares:
 *
 *             run 0  run 1            place   0   1  | 3   4
 *             a  b   c  d             column  a   c  | b   d
 *
 *         Results of f32 lie in the place of the row's sums before they are stored side by side.
 *
 * Launch  As box_float.cu, with steps of 8 rows: a thread has one column, and a warp one row of the step, in runs of 8
 *         columns; two warps where strips are wide.
 *
 * Traffic That of box_float.cu, and the queue, in L2: 2R2W of two doubles for STEP samples, and where they are counted
 * of their count; 1R1W of a byte of which count.
 *
 * Sync    Two barriers a step as there.  A row: its runs are there, its columns are read, results are there; barriers
 *         of the block where it has two warps.
 *
 * Limits  Windows that leave a strip an eighth of its pixels, of less than 2^31 samples.
 *
 * Steps   1. the rows above the first window  2. for each step: columns  3. rows  4. border values, statistics
 */
#include "window/window_state.cuh"

sat_status window::prepare_moments(state *w, bool *has_room)
{
    static sat_status (*const of[2][2][2])(state *, bool *) = {
        {{prepare_moments_f32_channels, prepare_moments_f32_channels_counted},
         {prepare_moments_f32, prepare_moments_f32_counted}},
        {{prepare_moments_f64_channels, prepare_moments_f64_channels_counted},
         {prepare_moments_f64, prepare_moments_f64_counted}}};
    return of[w->spec.sample == SAT_F64][w->spec.channels == 1][w->plan.validity](w, has_room);
}
