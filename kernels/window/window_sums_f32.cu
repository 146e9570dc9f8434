/* window_sums_f32.cu - the kernels of window_sums.cu for f32 samples of one channel. */
#include "window/window_sums.cuh"

sat_status window::prepare_sums_f32(state *w, bool *has_room)
{
    return prepare_sums_of<float, 1>(w, has_room);
}
