/* box_float_f64_channels.cu - the kernels of box_float.cu for f64 samples of several channels. */
#include "box/box_float_plan.cuh"

sat_status box::prepare_f64_channels(box_float *f, sat_arena *arena)
{
    return prepare_means<double, 0>(f, arena);
}
