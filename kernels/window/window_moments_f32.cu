/* window_moments_f32.cu - the kernels of window_moments.cu for f32 samples of one channel. */
#include "window/window_moments.cuh"

sat_status window::prepare_moments_f32(state *w, bool *has_room)
{
    return prepare_moments_of<float, 1, box::SUMS_AND_SQUARES>(w, has_room);
}
