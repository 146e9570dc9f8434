/* window_sums_f64.cu - the kernels of window_sums.cu for f64 samples of one channel. */
#include "window/window_sums.cuh"

sat_status window::prepare_sums_f64(state *w, bool *has_room)
{
    return prepare_sums_of<double, 1>(w, has_room);
}
