/* window_moments_f64.cu - the kernels of window_moments.cu for f64 samples of one channel. */
#include "window/window_moments.cuh"

sat_status window::prepare_moments_f64(state *w, bool *has_room)
{
    return prepare_moments_of<double, 1, box::SUMS_AND_SQUARES>(w, has_room);
}
