/* window_sums_f32_channels.cu - the kernels of window_sums.cu for f32 samples of several channels. */
#include "window/window_sums.cuh"

sat_status window::prepare_sums_f32_channels(state *w, bool *has_room)
{
    return prepare_sums_of<float, 0>(w, has_room);
}
