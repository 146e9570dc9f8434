/* box_float_f32_channels.cu - the kernels of box_float.cu for f32 samples of several channels. */
#include "box/box_float_plan.cuh"

sat_status box::prepare_f32_channels(box_float *f, sat_arena *arena)
{
    return prepare_means<float, 0>(f, arena);
}
