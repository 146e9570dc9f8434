/* window_sums_f64_channels.cu - the kernels of window_sums.cu for f64 samples of several channels. */
#include "window/window_sums.cuh"

sat_status window::prepare_sums_f64_channels(state *w, bool *has_room)
{
    return prepare_sums_of<double, 0>(w, has_room);
}
