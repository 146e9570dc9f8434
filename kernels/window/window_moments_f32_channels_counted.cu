/* window_moments_f32_channels_counted.cu - the kernels of window_moments.cu for f32 samples of channels, counted. */
#include "window/window_moments.cuh"

sat_status window::prepare_moments_f32_channels_counted(state *w, bool *has_room)
{
    return prepare_moments_of<float, 0, box::SUMS_COUNTS_AND_SQUARES>(w, has_room);
}
