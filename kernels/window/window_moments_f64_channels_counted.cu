/* window_moments_f64_channels_counted.cu - the kernels of window_moments.cu for f64 samples of channels, counted. */
#include "window/window_moments.cuh"

sat_status window::prepare_moments_f64_channels_counted(state *w, bool *has_room)
{
    return prepare_moments_of<double, 0, box::SUMS_COUNTS_AND_SQUARES>(w, has_room);
}
